"""A season: the rounds that a world plays, and where players start."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple, get_args

import numpy as np

from arpad.errors import UsageError
from arpad.lab.pairing import RandomSources
from arpad.lab.worlds import FARTHEST

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from arpad.lab.pairing import PairingRule
    from arpad.lab.worlds import Population, World

    Array = NDArray[np.float64]
    Rows = NDArray[np.int32]


# A season: the rounds that a world plays, whatever system looks on.
#
# Nothing here knows a rating: pairings and results follow from true strengths and chance alone, so that every
# system sees the same games.

FEWEST = 3
"""Players that a simulation needs."""


class SeasonPlayers(NamedTuple):
    """All players of a season, late ones too: true strength and start rating, by row."""

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
    pairing: PairingRule
    start: RunStart
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
            raise UsageError(
                f"expected true ratings of players to watch that are numbers within ±{FARTHEST:,.0f}, found {', '.join(f'{t:g}' for t in self.watch[:5])}"
            )
        if len(self.watch) > self.players:
            raise UsageError(
                f"{len(self.watch)} players are to be watched, and there are only {self.players}"
            )
        last = self.players + int((self.world.enter - self.world.leave) * max(self.rounds - 1, 0))
        if last < max(FEWEST, len(self.watch)):
            raise UsageError(
                f"{self.world.leave:g} players leave a round and {self.world.enter:g} enter: nobody would be left of {self.players:,} after {self.rounds} rounds"
            )
        if self.start.values is not None and len(self.start.values) != self.players:
            raise UsageError(
                f"expected a rating to start from for each of {self.players:,} players, found {len(self.start.values):,}"
            )

    @property
    def rows(self) -> int:
        """Number of players over the whole season."""
        return self.players + _by_round(self.world.enter, self.rounds - 1)

    def opening(self) -> SeasonPlayers:
        """Return everybody before the first round."""
        rng = np.random.default_rng(self._seeds()[0])
        true = self.population.draw(self.players, rng)
        if self.rows > self.players:
            true = np.concatenate([true, self.population.draw(self.rows - self.players, rng)])
        true[: len(self.watch)] = self.watch
        start = self.start.ratings(true, self.population.centre, len(self.watch))
        here = np.arange(self.rows) < self.players
        return SeasonPlayers(true, start, here, self.start.established)

    def play(self, opening: SeasonPlayers | None = None) -> Iterator[Round]:
        """Yield the rounds."""
        opening = opening or self.opening()
        true, here = opening.true.copy(), opening.here.copy()
        _, lots, results, walks, turnover = self._seeds()
        dice = [s.generate_state(1, np.uint64).astype(np.uint64) for s in (lots, results)]
        chance = RandomSources(dice[0], np.random.default_rng(lots))
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
            "players": self.players,
            "rounds": self.rounds,
            "seed": self.seed,
            **self.population.parameters(),
            **self.start.parameters(),
            **self.pairing.parameters(),
            **self.world.parameters(),
        }

    def _seeds(self) -> list[np.random.SeedSequence]:
        """Return a source of chance for each thing, so that a change in one leaves the others alone."""
        return np.random.SeedSequence(self.seed).spawn(5)

    def _change(self, number: int, here: NDArray[np.bool_], rng: np.random.Generator) -> tuple[Rows, Rows]:
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
    """Return how many come or go in this many changes of this many a round."""
    return int(a_round * max(number, 0) + 1e-9)


# Where players start: the ratings that a system is given before the first game.

StartKind = Literal["mean", "true", "high", "low", "one", "given"]
"""Kinds of start ratings [PRA, "Algorithm Performance"].

mean    everybody at the mean of the population: the text's "state of chaos";
true    everybody right;
high    everybody `by` points too high;
low     everybody `by` points too low;
one     everybody right but the watched players, who start at the mean, or `by` points off;
given   ratings that somebody brought.
"""
OFF = 200.0
"""Points off where everybody is too high or too low and nobody says by how much."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunStart:
    """Start ratings of a run.

    Parameters
    ----------
    by
        Points off; of `one` with its sign.
    values
        The ratings of `given`, one a player.
    at
        Where `mean` is, in rating points; the population's own unless said otherwise.
    established
        Whether systems with rules for newcomers take these ratings as established ones.
    """

    kind: StartKind = "mean"
    by: float | None = None
    values: Array | None = None
    at: float | None = None
    established: bool = False

    def __post_init__(self) -> None:
        if self.kind not in get_args(StartKind):
            raise UsageError(
                f"expected a start, one of {', '.join(get_args(StartKind))}; found {self.kind!r}"
            )
        if (self.kind == "given") != (self.values is not None):
            raise UsageError("ratings to start from and the start 'given' go together")
        if self.by is not None and self.kind not in ("high", "low", "one"):
            raise UsageError(
                f"points off belong to the starts high, low and one; found {self.by:g} for {self.kind}"
            )
        if self.values is not None and not bool(np.isfinite(self.values).all()):
            raise UsageError("expected ratings to start from that are numbers, found one that is not")
        for value in (self.by, self.at):
            if value is not None and not math.isfinite(value):
                raise UsageError(f"expected a number of points, found {value!r}")

    def ratings(self, true: Array, centre: float, watched: int = 0) -> Array:
        """Return the ratings of players with these strengths; the first `watched` are the watched ones."""
        mean = centre if self.at is None else self.at
        if self.kind == "mean":
            return np.full(len(true), mean)
        if self.kind == "given":
            return self._given(true, mean)
        if self.kind == "one":
            start = true.copy()
            start[:watched] = mean if self.by is None else true[:watched] + self.by
            return start
        by = OFF if self.by is None else self.by
        return true + {"true": 0.0, "high": by, "low": -by}[self.kind]

    def _given(self, true: Array, mean: float) -> Array:
        assert self.values is not None
        if len(self.values) > len(true):
            raise UsageError(
                f"expected a rating to start from for each of {len(true):,} players, found {len(self.values):,}"
            )
        # Who enters later starts at the mean.
        return np.concatenate([self.values, np.full(len(true) - len(self.values), mean)])

    def parameters(self) -> dict[str, object]:
        """Return every constant by name."""
        by = OFF if self.by is None and self.kind in ("high", "low") else self.by
        return {"start": self.kind, "by": by, "at": self.at, "established": self.established}
