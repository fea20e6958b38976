"""What sort of event the pairings show: match, round robin, Scheveningen, Swiss."""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from arpad.model import Games

__all__ = ["category", "cycles_of", "kind_of"]

LOWEST, WIDTH = 2250.0, 25.0
"""Category 1 is an average from 2251 to 2275, each further one 25 points more [Elo 4.34]."""

MET = 0.95
"""The share of all pairs that a round robin has at least."""

OFTEN = {
    1: "round robin",
    2: "double round robin",
    3: "triple round robin",
    4: "quadruple round robin",
}


def category(average: float) -> int | None:
    """Return the category of a tournament from its average rating, or None below category 1.

    Examples
    --------
    >>> category(2748.1), category(2250)
    (20, None)
    """
    above = math.floor(average + 0.5) - LOWEST
    return int(-(-above // WIDTH)) if above > 0 else None


def kind_of(games: Games) -> str:
    """Return the kind of event that the pairings show."""
    pairs = _pairs(games)
    players = {p for pair in pairs for p in pair}
    if not pairs:
        return "no games"
    if len(players) == 2:
        return "match"
    if games.events and any(e.teams for e in games.events):
        return "team event"
    met, often = len(pairs), set(pairs.values())
    n = len(players)
    if times := _cycles(pairs):
        return OFTEN.get(times, f"{times}-fold round robin")
    if len(often) == 1 and 4 * met == n * n and _two_sides(set(pairs)):
        return "Scheveningen"
    rounds = games.table["round"].drop_nulls().n_unique()
    return "Swiss" if rounds > 1 else "other"


def cycles_of(games: Games) -> int:
    """Return how often everybody was paired with everybody, k; 0 where this is no round robin.

    Forfeits are pairings too. Files often leave them out, so that one pair in twenty may be missing;
    a Swiss of M players in M − 2 rounds misses more, up to twenty players. A match is none.
    """
    return _cycles(_pairs(games))


def _pairs(games: Games) -> Counter[frozenset[int]]:
    pairs: Counter[frozenset[int]] = Counter()
    for white, black in games.table.select("white", "black").drop_nulls().iter_rows():
        pairs[frozenset((white, black))] += 1
    return pairs


def _cycles(pairs: Counter[frozenset[int]]) -> int:
    M = len({p for pair in pairs for p in pair})
    if M < 3 or len(pairs) < MET * M * (M - 1) / 2:
        return 0
    # Most pairs tell: some may have played off, or replayed their draws, as in London 1883.
    return Counter(pairs.values()).most_common(1)[0][0]


def _two_sides(pairs: set[frozenset[int]]) -> bool:
    """Say whether the players fall into two teams that meet only each other."""
    side: dict[int, int] = {}
    met: dict[int, set[int]] = {}
    for a, b in pairs:
        met.setdefault(a, set()).add(b)
        met.setdefault(b, set()).add(a)
    first = next(iter(met))
    waiting = [(first, 0)]
    while waiting:
        player, own = waiting.pop()
        if player in side:
            if side[player] != own:
                return False
            continue
        side[player] = own
        waiting += [(other, 1 - own) for other in met[player]]
    return len(side) == len(met)
