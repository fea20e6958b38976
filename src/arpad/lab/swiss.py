"""Swiss events: players with equal scores meet, and nobody meets the same opponent twice if it can be avoided."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from arpad.errors import UsageError
from arpad.lab.pairing import Pairs, coloured

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from arpad.lab.pairing import Chance, Pairer

    Array = NDArray[np.float64]
    Rows = NDArray[np.int32]

__all__ = ["Section", "Swiss"]

LARGEST_FIELD = 2000
"""Players in an event; more would take for ever."""
SMALLEST_FIELD = 4
"""A rest of fewer players joins another section."""
TRIES = 20_000
"""Steps of the search for a round without a repeated game, before a game is repeated."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Swiss:
    """Events one after another: at the start of each everybody is put into a section by lot.

    In a round a score group is folded, the upper half against the lower, by true strength: no rating
    system has a say in it, so that all of them see the same games. Who is one too many in a group meets
    somebody of the next. Who enters in the middle of an event waits for the next one.

    Parameters
    ----------
    rounds
        Of an event.
    field
        Players in a section, at most.
    """

    rounds: int = 9
    field: int = 100
    name: str = "swiss"

    def __post_init__(self) -> None:
        if self.rounds < 1:
            raise UsageError(f"expected an event of 1 round or more, found {self.rounds!r}")
        if not SMALLEST_FIELD <= self.field <= LARGEST_FIELD:
            raise UsageError(f"expected a field of {SMALLEST_FIELD} to {LARGEST_FIELD:,} players, found {self.field!r}")  # fmt: skip

    def begin(self, chance: Chance) -> Pairer:
        """Return what pairs a run."""
        return _Events(self, chance)

    def parameters(self) -> dict[str, object]:
        """Return rounds and field of an event."""
        return {"pairing": self.name, "event_rounds": self.rounds, "field": self.field}


@dataclass(slots=True)
class Section:
    """One event under way: scores, who met whom, who had a bye."""

    players: list[int]
    score: dict[int, float] = field(default_factory=dict)
    met: dict[int, set[int]] = field(default_factory=dict)
    byes: set[int] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.score = dict.fromkeys(self.players, 0.0)
        self.met = {p: set() for p in self.players}

    def pair(self, strength: Array) -> tuple[list[tuple[int, int]], int | None]:
        """Return the pairs of the next round, and who has the bye; `strength` is by row."""
        order = sorted(self.players, key=lambda p: (-self.score[p], -strength[p], p))
        bye = None
        if len(order) % 2:
            # the last without one; after a bye for everybody, the last
            bye = next((p for p in reversed(order) if p not in self.byes), order[-1])
            order.remove(bye)
        return self._search(order), bye

    def take(self, a: int, b: int, score: float) -> None:
        """Enter a result; `score` is the first player's."""
        self.score[a] += score
        self.score[b] += 1 - score
        self.met[a].add(b)
        self.met[b].add(a)

    def rest(self, p: int) -> None:
        """Enter a bye: a point, and no second one soon."""
        self.score[p] += 1.0
        self.byes.add(p)

    def _search(self, order: list[int]) -> list[tuple[int, int]]:
        """Go back where no opponent is left; a set of players that has failed is not tried again."""
        found: list[tuple[int, int]] = []
        rests: list[list[int]] = [order]
        options: list[Iterator[int]] = [self._opponents(order)] if order else []
        failed: set[frozenset[int]] = set()
        steps = 0
        while rests[-1] and steps < TRIES:
            steps += 1
            rest = rests[-1]
            b = next(options[-1], None)
            if b is None:
                failed.add(frozenset(rest))
                if len(rests) == 1:
                    break
                rests.pop()
                options.pop()
                found.pop()
                continue
            left = [p for p in rest[1:] if p != b]
            if failed and frozenset(left) in failed:
                continue
            found.append((rest[0], b))
            rests.append(left)
            options.append(self._opponents(left))
        if rests[-1]:
            return list(zip(order[0::2], order[1::2], strict=True))  # it cannot be avoided
        return found

    def _opponents(self, rest: list[int]) -> Iterator[int]:
        """Yield whom the first of `rest` may meet: the other half of the group, then all others, the nearest first."""
        if not rest:
            return
        a = rest[0]
        group = 1
        while group < len(rest) and self.score[rest[group]] == self.score[a]:
            group += 1
        half = max(1, group // 2)
        for places in (range(half, group), range(half - 1, 0, -1), range(max(half, group), len(rest))):  # fmt: skip
            for i in places:
                if rest[i] not in self.met[a]:
                    yield rest[i]


class _Events:
    def __init__(self, swiss: Swiss, chance: Chance) -> None:
        self.swiss, self.rng = swiss, chance.rng
        self.sections: list[Section] = []
        self.round = 0

    def pairs(self, here: Rows, true: Array) -> Pairs:
        if self.round % self.swiss.rounds == 0:
            self.sections = self._drawn(here)
        else:
            self._without_those_gone(here)
        self.round += 1
        pairs: list[tuple[int, int]] = []
        for section in self.sections:
            found, bye = section.pair(true)
            pairs += found
            if bye is not None:
                section.rest(bye)
        both = np.array(pairs, dtype=np.int32).reshape(-1, 2)
        idle = here[~np.isin(here, both)]
        return coloured(Pairs(both[:, 0].copy(), both[:, 1].copy(), idle), self.rng)

    def played(self, pairs: Pairs, score: Array) -> None:
        where = {p: section for section in self.sections for p in section.players}
        rows = zip(pairs.white.tolist(), pairs.black.tolist(), score.tolist(), strict=True)
        for white, black, points in rows:
            where[white].take(white, black, points)

    def _drawn(self, here: Rows) -> list[Section]:
        order = self.rng.permutation(here)
        cuts = list(range(self.swiss.field, len(order), self.swiss.field))
        if cuts and len(order) - cuts[-1] < SMALLEST_FIELD:
            cuts.pop()
        return [Section(part.tolist()) for part in np.split(order, cuts)]

    def _without_those_gone(self, here: Rows) -> None:
        present = set(here.tolist())
        for section in self.sections:
            section.players = [p for p in section.players if p in present]
