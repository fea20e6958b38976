"""A season: the rounds that a world plays, whatever system looks on.

Nothing here knows a rating: pairings and results follow from true strengths and chance alone, so that every
system sees the same games.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from arpad.errors import UsageError
from arpad.lab.pairing import Chance
from arpad.lab.population import FARTHEST

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from arpad.lab.pairing import Pairing
    from arpad.lab.population import Population
    from arpad.lab.start import Start
    from arpad.lab.world import World

    Array = NDArray[np.float64]
    Rows = NDArray[np.int32]

__all__ = ["Opening", "Round", "Season"]

FEWEST = 3
"""Players that a simulation needs."""


class Opening(NamedTuple):
    """Everybody who will ever be here: true strength and the rating to start from, by row."""

    true: Array
    start: Array
    here: NDArray[np.bool_]
    established: bool = False


class Round(NamedTuple):
    """One round: the games, and who is here.

    `true` and `here` are by row and change from round to round: copy them to keep them.
    """

    number: int
    white: Rows
    black: Rows
    score: Array
    byes: Rows
    true: Array
    here: NDArray[np.bool_]
    entered: Rows
    left: Rows


@dataclass(frozen=True, slots=True, kw_only=True)
class Season:
    """Players, a world and pairings: all that decides which games are played.

    Parameters
    ----------
    watch
        True strengths of players who are put in by hand; they are the first rows, and do not leave.
    """

    players: int
    rounds: int
    population: Population
    world: World
    pairing: Pairing
    start: Start
    watch: tuple[float, ...] = ()
    seed: int = 1

    def __post_init__(self) -> None:
        if self.players < FEWEST:
            raise UsageError(f"expected {FEWEST} players or more, found {self.players}")
        if self.rounds < 0:
            raise UsageError(f"expected 0 rounds or more, found {self.rounds}")
        if self.seed < 0:
            raise UsageError(f"expected a seed of 0 or more, found {self.seed}")
        if not all(math.isfinite(true) and abs(true) <= FARTHEST for true in self.watch):
            raise UsageError(f"expected true ratings of players to watch that are numbers within ±{FARTHEST:,.0f}, found {', '.join(f'{t:g}' for t in self.watch[:5])}")  # fmt: skip
        if len(self.watch) > self.players:
            raise UsageError(f"{len(self.watch)} players are to be watched, and there are only {self.players}")  # fmt: skip
        last = self.players + int((self.world.enter - self.world.leave) * max(self.rounds - 1, 0))
        if last < max(FEWEST, len(self.watch)):
            raise UsageError(f"{self.world.leave:g} players leave a round and {self.world.enter:g} enter: nobody would be left of {self.players:,} after {self.rounds} rounds")  # fmt: skip
        if self.start.values is not None and len(self.start.values) != self.players:
            raise UsageError(f"expected a rating to start from for each of {self.players:,} players, found {len(self.start.values):,}")  # fmt: skip

    @property
    def rows(self) -> int:
        """How many players there will ever have been."""
        return self.players + _by_round(self.world.enter, self.rounds - 1)

    def opening(self) -> Opening:
        """Return everybody before the first round."""
        rng = np.random.default_rng(self._seeds()[0])
        true = self.population.draw(self.players, rng)
        if self.rows > self.players:
            true = np.concatenate([true, self.population.draw(self.rows - self.players, rng)])
        true[: len(self.watch)] = self.watch
        start = self.start.ratings(true, self.population.centre, len(self.watch))
        here = np.arange(self.rows) < self.players
        return Opening(true, start, here, self.start.established)

    def play(self, opening: Opening | None = None) -> Iterator[Round]:
        """Yield the rounds."""
        opening = opening or self.opening()
        true, here = opening.true.copy(), opening.here.copy()
        _, lots, results, walks, turnover = self._seeds()
        dice = [s.generate_state(1, np.uint64).astype(np.uint64) for s in (lots, results)]
        chance = Chance(dice[0], np.random.default_rng(lots))
        walk, come_and_go = (np.random.default_rng(s) for s in (walks, turnover))
        pairer = self.pairing.begin(chance)
        present = np.flatnonzero(here).astype(np.int32)
        nobody = np.empty(0, dtype=np.int32)
        entered, left = nobody, nobody
        for number in range(self.rounds):
            if number and self.world.drift:
                # Who has not entered yet comes as the population is, whatever happens to the others.
                true += here * walk.normal(0.0, self.world.drift, len(true))
            if number and (self.world.enter or self.world.leave):
                entered, left = self._change(number, here, come_and_go)
                if len(entered) or len(left):
                    present = np.flatnonzero(here).astype(np.int32)
            pairs = pairer.pairs(present, true)
            score = self.world.play(pairs.white, pairs.black, true, dice[1])
            pairer.played(pairs, score)
            yield Round(number, *pairs[:2], score, pairs.byes, true, here, entered, left)

    def parameters(self) -> dict[str, object]:
        """Return every setting by name."""
        return {
            "players": self.players, "rounds": self.rounds, "seed": self.seed,
            **self.population.parameters(), **self.start.parameters(),
            **self.pairing.parameters(), **self.world.parameters(),
        }  # fmt: skip

    def _seeds(self) -> list[np.random.SeedSequence]:
        """Return a source of chance for each thing, so that a change in one leaves the others alone."""
        return np.random.SeedSequence(self.seed).spawn(5)

    def _change(
        self, number: int, here: NDArray[np.bool_], rng: np.random.Generator
    ) -> tuple[Rows, Rows]:
        world = self.world
        first, last = (self.players + _by_round(world.enter, n) for n in (number - 1, number))
        leaving = _by_round(world.leave, number) - _by_round(world.leave, number - 1)
        may = np.flatnonzero(here)
        may = may[may >= len(self.watch)]
        left = rng.choice(may, min(leaving, len(may)), replace=False).astype(np.int32)
        entered = np.arange(first, last, dtype=np.int32)
        here[left] = False
        here[entered] = True
        return entered, left


def _by_round(a_round: float, number: int) -> int:
    """Return how many come or go in so many changes of so many a round."""
    return int(a_round * max(number, 0) + 1e-9)
