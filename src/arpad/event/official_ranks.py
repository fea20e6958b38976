"""The places that an event's own file gives, beside those that points and tie-breaks give."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from arpad.event.crosstable import known_ratings
from arpad.event.tie_break_codes import RULES, TieBreakRules, tie_break_order
from arpad.event.tiebreaks import Ranking, event_field, rank_by

if TYPE_CHECKING:
    from collections.abc import Mapping

    from arpad.model import Games


CANDIDATES = (
    *("BH,SB", "BH-C1,BH,SB", "DE,BH-C1,BH,SB", "BH-C1,BH,ARO-C1", "BH-M1,BH,SB", "BH,PS"),
    *("SB,BH", "PS,BH", "DE,WIN,SB", "DE,SB,KS", "SB,WIN", "DE,BH,SB", "BH-C1,BH,DE", "ARO,BH"),
    *("WIN,BH-C1,BH", "RTNG", "TPN"),
)
"""Orders that events announce most often; tried one by one where a file does not say its own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OfficialPlace:
    """A player whose official place points and tie-breaks do not give."""

    row: int
    name: str
    official: int
    computed: int
    """The place here, among those who have an official one."""
    behind: str
    """Whom the file has directly in front."""
    tie_break: str
    """The first tie-break that puts this player before that one."""
    value: float | None
    value_in_front: float | None
    unplayed: bool
    """Whether one of the two players, or one of their opponents, has an unplayed round."""

    def describe(self) -> str:
        """Return one sentence."""
        figures = (
            ""
            if self.value is None or self.value_in_front is None
            else f" {self.value:g} against {self.value_in_front:g}"
        )
        why = "; an unplayed round is in these figures" if self.unplayed else ""
        return f"Place {self.official}, {self.name}: by {self.tie_break}{figures} before {self.behind}{why}."


@dataclass(frozen=True, slots=True, kw_only=True)
class OfficialRanks:
    """Comparison of the official places with a ranking."""

    order: tuple[str, ...]
    rules: TieBreakRules
    players: int
    """With an official place."""
    agreeing: int
    """Players whose official place is theirs here, or one of those that the level share."""
    undecided: int
    """Neighbours in the file who are level here."""
    contradictions: tuple[OfficialPlace, ...]
    """Players whom the file has behind somebody whom they are before here."""

    @property
    def explained(self) -> bool:
        """Whether the order agrees with every official place."""
        return not self.contradictions

    def describe(self) -> str:
        """Return one sentence."""
        by = f"{', '.join(self.order)} with unplayed rounds by the rules of {self.rules}"
        if self.explained:
            return f"The official places of {self.players} players agree with {by}."
        return (
            f"{self.agreeing} of {self.players} official places agree with {by}; "
            f"{len(self.contradictions)} {'contradicts' if len(self.contradictions) == 1 else 'contradict'} it."
        )


def compare_ranks(games: Games, found: Ranking, touched: set[int] | None = None) -> OfficialRanks | None:
    """Compare a ranking with the places in the event's file; None where the file has none.

    Parameters
    ----------
    touched
        Players whom unplayed rounds concern, where they are known already.
    """
    event = games.events[0] if len(games.events) == 1 else None
    official = {} if event is None else {p: r for p, r in event.ranks if p in found.ranks}
    if len(set(official.values())) < 2:
        return None
    order = sorted(official, key=lambda p: official[p])
    places = _places(official, found)
    level: dict[int, int] = {}
    for place in places.values():
        level[place] = level.get(place, 0) + 1
    agreeing = sum(places[p] <= official[p] < places[p] + level[places[p]] for p in order)
    names = games.players["name"].to_list()
    touched = _with_unplayed(games) if touched is None else touched
    wrong = []
    for front, p in pairwise(order):
        if places[p] < places[front]:
            code = _deciding(found, p, front)
            wrong.append(
                OfficialPlace(
                    row=p,
                    name=names[p],
                    official=official[p],
                    computed=places[p],
                    behind=names[front],
                    tie_break=code,
                    value=found.values[p][code],
                    value_in_front=found.values[front][code],
                    unplayed=p in touched or front in touched,
                )
            )
    return OfficialRanks(
        order=found.codes,
        rules=found.rules,
        players=len(order),
        agreeing=agreeing,
        undecided=sum(places[a] == places[b] for a, b in pairwise(order)),
        contradictions=tuple(wrong),
    )


def explain_ranks(games: Games, *, ratings: Mapping[int, float] | None = None) -> OfficialRanks | None:
    """Return the usual order and rules that leave the fewest official places contradicted or undecided."""
    best: OfficialRanks | None = None
    field = event_field(games, known_ratings(games) if ratings is None else ratings)
    touched = _with_unplayed(games)
    known: dict[tuple[str, str], Mapping[int, float | None]] = {}
    for rules in RULES:
        for text in CANDIDATES:
            order = tie_break_order(text)
            ranks, values = rank_by(field, order, rules, known)
            tried = Ranking(order=order, rules=rules, source="tried", ranks=ranks, values=values)
            result = compare_ranks(games, tried, touched)
            if result is None:
                return None
            if best is None or _worse(best) > _worse(result):
                best = result
    return best


def _worse(found: OfficialRanks) -> tuple[int, int]:
    return len(found.contradictions) + found.undecided, len(found.contradictions)


def _places(official: Mapping[int, int], found: Ranking) -> dict[int, int]:
    """Return places among those who have an official one: others may have left the event."""
    order = sorted(official, key=lambda p: found.ranks[p])
    first: dict[int, int] = {}
    return {p: first.setdefault(found.ranks[p], at) for at, p in enumerate(order, start=1)}


def _deciding(found: Ranking, better: int, worse: int) -> str:
    codes = found.codes
    return next((c for c in codes if found.values[better][c] != found.values[worse][c]), codes[-1])


def _with_unplayed(games: Games) -> set[int]:
    """Return who has an unplayed round, or an opponent with one."""
    own: set[int] = set()
    met: dict[int, set[int]] = {}
    count: dict[int, int] = {}
    for white, black, status in games.table.select("white", "black", "status").iter_rows():
        for p, other in ((white, black), (black, white)):
            if p is None:
                continue
            if status in ("played", "unrated"):
                count[p] = count.get(p, 0) + 1
            else:
                own.add(p)
            if other is not None:
                met.setdefault(p, set()).add(other)
    most = max(count.values(), default=0)
    own |= {p for p, n in count.items() if n < most}
    return own | {p for p, others in met.items() if others & own}
