"""Direct encounter: what those who are level scored against one another [C.07, 6]."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from arpad.event.unplayed_rounds import Entrant, PlayedField


def direct_encounter(
    level: Sequence[int], field: PlayedField, *, forfeits_played: bool = False
) -> list[list[int]]:
    """Return those who are level in groups, best first; one group where nothing separates them.

    A player who met all the others is ranked by the score among them, and those still level are compared again
    [6.1]. Where some did not meet, only somebody whom no result of the missing games could overtake goes
    first, and then the rest again [6.2]. In a round robin everybody has met, and forfeits count.

    Parameters
    ----------
    forfeits_played
        Forfeited games count, in a Swiss too.
    """
    parts = _ranked_once(level, field, forfeits_played=forfeits_played)
    if len(parts) == 1:
        return parts
    return [p for part in parts for p in direct_encounter(part, field, forfeits_played=forfeits_played)]


def encounter_score(
    player: int, others: Sequence[int], field: PlayedField, *, forfeits_played: bool = False
) -> tuple[float, int]:
    """Return the score against others and how many of them were met; several games against one count by their average."""
    found: dict[int, list[float]] = defaultdict(list)
    among = set(others) - {player}
    entrant: Entrant = field.entrants[player]
    counted = forfeits_played or field.round_robin
    for r in entrant.rounds:
        if r.opponent in among and not r.open and (r.played or counted):
            found[r.opponent].append(r.points)
    return sum(sum(all_) / len(all_) for all_ in found.values()), len(found)


def _ranked_once(
    level: Sequence[int], field: PlayedField, *, forfeits_played: bool = False
) -> list[list[int]]:
    """Return the groups that one comparison of those who are level makes, best first."""
    group = list(level)
    found = {p: encounter_score(p, group, field, forfeits_played=forfeits_played) for p in group}
    score = {p: own for p, (own, _) in found.items()}
    if field.round_robin or all(met == len(group) - 1 for _, met in found.values()):
        return _by(group, score)
    most = {p: own + (len(group) - 1 - met) * field.win for p, (own, met) in found.items()}
    return _untouchable(group, score, most)


def _by(group: list[int], score: Mapping[int, float]) -> list[list[int]]:
    by: dict[float, list[int]] = defaultdict(list)
    for p in group:
        by[score[p]].append(p)
    return [by[points] for points in sorted(by, reverse=True)]


def _untouchable(group: list[int], score: Mapping[int, float], most: Mapping[int, float]) -> list[list[int]]:
    """Put those in front whom nobody behind them could overtake."""
    order = sorted(group, key=lambda p: (-score[p], -most[p]))
    front: list[list[int]] = []
    while len(order) > 1 and score[order[0]] > max(most[p] for p in order[1:]):
        front.append([order.pop(0)])
    return [*front, sorted(order, key=group.index)]
