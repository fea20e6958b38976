"""A season of a simulated world: its rounds, and the ratings that a system gives on the way."""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple, get_args

import numpy as np
import polars as pl

from arpad.errors import UsageError
from arpad.lab.pairing import RandomSources
from arpad.lab.worlds import FARTHEST
from arpad.model import Event, Games, Ratings
from arpad.rate.elo import k_arrays
from arpad.rate.elo_reference import coded
from arpad.rate.system import rate

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from arpad.lab.pairing import PairingRule
    from arpad.lab.worlds import Population, World
    from arpad.rate.elo import Elo
    from arpad.rate.pra.system import Pra, PraBasic
    from arpad.rate.system import RatingSystem, SeasonLoop

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
        if self.values is not None:
            if len(self.values) > len(true):
                raise UsageError(
                    f"expected a rating to start from for each of {len(true):,} players, found {len(self.values):,}"
                )
            # Who enters later starts at the mean.
            return np.concatenate([self.values, np.full(len(true) - len(self.values), mean)])
        if self.kind == "one":
            start = true.copy()
            start[:watched] = mean if self.by is None else true[:watched] + self.by
            return start
        by = OFF if self.by is None else self.by
        return true + {"true": 0.0, "high": by, "low": -by}[self.kind]

    def parameters(self) -> dict[str, object]:
        """Return every constant by name."""
        by = OFF if self.by is None and self.kind in ("high", "low") else self.by
        return {"start": self.kind, "by": by, "at": self.at, "established": self.established}


# Rated: what a system makes of a season, round by round.
#
# A system that declares a `season_loop` goes on arrays; any other is called with the games of a period and the
# list before it, as anybody would call it.


class SeasonRatings:
    """The ratings of one system in one run; by row, NaN for none. `shift` belongs to all of them."""

    room: ClassVar[int]
    """Bytes a player."""
    ratings: Array
    shift: float

    def play(self, round_: Round) -> None:
        """Rate a round."""
        raise NotImplementedError

    def close(self) -> None:
        """Rate what is not rated yet; most systems rate every round at once."""


def season_loop(system: RatingSystem) -> SeasonLoop | None:
    """Return the loop on arrays that a system declares; None: it is rated by lists."""
    return getattr(system, "season_loop", None)


def room(system: RatingSystem) -> int:
    """Return about how many bytes a player takes."""
    loop = season_loop(system)
    return RatedByList.room if loop is None else LOOPS[loop].room


def rated(system: RatingSystem, opening: SeasonPlayers, *, period: int = 1) -> SeasonRatings:
    """Return a system with its players before the first round.

    Parameters
    ----------
    period
        Rounds that are rated together by a system without a loop of its own; the others go game by game.
    """
    loop = season_loop(system)
    return RatedByList(system, opening, period) if loop is None else LOOPS[loop](system, opening)


class _RatedElo(SeasonRatings):
    room: ClassVar[int] = 20
    shift = 0.0

    def __init__(self, system: Elo, opening: SeasonPlayers) -> None:
        self.ratings = opening.start.copy()
        played = system.k.new_games if opening.established else 0
        self.games = np.full(len(self.ratings), played, dtype=np.int64)
        self.topped = self.ratings >= system.k.top
        self.curve = coded(system.curve)
        self.k = k_arrays(system.k)

    def play(self, round_: Round) -> None:
        from arpad.rate.elo_kernels import each_game

        each_game(
            round_.white,
            round_.black,
            round_.score,
            self.ratings,
            self.games,
            self.topped,
            *self.curve,
            *self.k,
            np.empty((0, 5)),
        )


class _Anchored(SeasonRatings):
    """The mean of those who are here, held [PRA (1, 2)].

    Who leaves takes the points that he brought; what he gained or lost since is put right that night.
    Ratings are kept without `shift`, so that a night costs nothing, however many they are.
    """

    room: ClassVar[int] = 20

    def __init__(self, system: Pra | PraBasic, opening: SeasonPlayers) -> None:
        self.start = opening.start
        self.anchor = system.anchor
        self.shift = 0.0
        self.surplus = 0.0
        self.population = int(opening.here.sum())

    def _members(self, round_: Round) -> None:
        """Take in who entered, with the rating that he brings; count what those who left take away."""
        entered, left = round_.entered, round_.left
        self.surplus -= float((self.ratings[left] + self.shift - self.start[left]).sum())
        self.ratings[entered] = self.start[entered] - self.shift
        self.population += len(entered) - len(left)

    def _night(self, round_: Round, brought: float) -> None:
        """Add adj to everybody's rating [2]."""
        if self.anchor is None:
            return
        self.surplus += brought
        if isinstance(self.anchor, float) and (not round_.number or len(round_.entered) or len(round_.left)):
            points = float(self.ratings[round_.here].sum()) + self.shift * self.population
            self.surplus = points - self.anchor * self.population
        self.shift -= self.surplus / self.population
        self.surplus = 0.0


class _RatedBasic(_Anchored):
    def __init__(self, system: PraBasic, opening: SeasonPlayers) -> None:
        super().__init__(system, opening)
        self.ratings = opening.start.copy()
        self.k = system.k

    def play(self, round_: Round) -> None:
        from arpad.lab.kernels import basic_round

        self._members(round_)
        basic_round(round_.white, round_.black, round_.score, self.ratings, self.k)
        self._night(round_, 0.0)


class _RatedPra(_Anchored):
    room: ClassVar[int] = 70

    def __init__(self, system: Pra, opening: SeasonPlayers) -> None:
        from arpad.rate.pra.steps import STATE

        if system.corrected:
            raise UsageError("corrected: simulated players have no names; leave it out")
        super().__init__(system, opening)
        self.state: Any = _aligned(len(opening.start), STATE)
        # Who comes with an established rating is no newcomer.
        self.state["boosting"] = system.boost_given or not opening.established
        self.ratings = self.state["rating"]
        self.ratings[:] = opening.start
        self.k, self.boosting = system.k, system.boosting

    def play(self, round_: Round) -> None:
        from arpad.lab.kernels import boosted_round

        self._members(round_)
        brought = boosted_round(round_.white, round_.black, round_.score, self.state, self.k, self.boosting)
        self._night(round_, brought)


def _aligned(n: int, kind: np.dtype[np.void]) -> NDArray[np.void]:
    """Return n rows of zeros, each of which is one line of the processor's cache."""
    line = 64
    memory = np.zeros(n * kind.itemsize + line, dtype=np.uint8)
    first = -memory.ctypes.data % line
    return memory[first : first + n * kind.itemsize].view(kind)


LOOPS: dict[SeasonLoop, Any] = {"each game": _RatedElo, "anchored": _RatedBasic, "boosted": _RatedPra}
"""The loops that a system may declare."""


# Any registered system in a simulation: the games of a period and the list before it make the next list.

FIRST_YEAR = 1000
"""A period is a month, counted from here: there is room for a hundred thousand of them."""
MOST_PERIODS = 12 * (9999 - FIRST_YEAR)


def player_name(row: int) -> str:
    """Return what the player of a row is called."""
    return f"P{row + 1:07d}"


class RatedByList(SeasonRatings):
    """The ratings of a system without a loop of its own.

    A period is one event, played on the first day of a month; the next period has the next month. A player who
    starts or enters is on the list with the rating to start from, and with no games unless that rating is
    said to be established.
    """

    room: ClassVar[int] = 2000
    shift = 0.0

    def __init__(self, system: RatingSystem, opening: SeasonPlayers, period: int) -> None:
        if period < 1:
            raise UsageError(f"expected a period of 1 round or more, found {period}")
        self.system, self.period, self.start = system, period, opening.start
        self.established = opening.established
        self.names = pl.Series("name", [player_name(i) for i in range(len(opening.start))])
        self.ratings = opening.start.copy()
        self.list = self._newcomers(np.flatnonzero(opening.here))
        self.waiting: list[Round] = []
        self.gone: list[NDArray[np.int32]] = []
        self.periods = 0

    def play(self, round_: Round) -> None:
        """Take a round; rate it with others when the period is full."""
        self.gone.append(round_.left)
        if not self.waiting:
            self._forget()
        if len(round_.entered):
            self.ratings[round_.entered] = self.start[round_.entered]
            self.list = pl.concat([self.list, self._newcomers(round_.entered)], how="diagonal_relaxed")
        self.waiting.append(round_)
        if len(self.waiting) >= self.period:
            self.close()

    def close(self) -> None:
        """Rate the rounds that are waiting."""
        if not self.waiting:
            return
        games = self._games()
        self.waiting.clear()
        self.periods += 1
        if len(games):
            self._rate(games)
        self._forget()

    def _rate(self, games: Games) -> None:
        result = rate(self.system, games, self._before()).rows
        stay = self.list.filter(~pl.col("player").is_in(result["player"].implode()))
        self.list = pl.concat([result.drop("rank"), stay], how="diagonal_relaxed")
        rows = result["player"].str.slice(1).cast(pl.Int64).to_numpy() - 1
        self.ratings[rows] = result["rating"].cast(pl.Float64).fill_null(float("nan")).to_numpy()

    def _forget(self) -> None:
        """Take those who left off the list, once the games that they still played are rated."""
        gone = np.concatenate([np.empty(0, dtype=np.int32), *self.gone])
        self.gone.clear()
        if len(gone):
            names = self.names.gather(gone)
            self.list = self.list.filter(~pl.col("player").is_in(names.implode()))

    def _newcomers(self, rows: NDArray[np.integer]) -> pl.DataFrame:
        n = len(rows)
        names = self.names.gather(rows)
        columns: dict[str, object] = {
            "player": names,
            "id": names,
            "rating": self.start[rows],
            "games": np.zeros(n, dtype=np.int64),
        }
        if not self.established:
            columns["total_games"] = np.zeros(n, dtype=np.int64)
            # Who is new is as little known as the system takes newcomers to be.
            error = getattr(self.system, "start_error", None)
            columns |= {} if error is None else {"error": np.full(n, error)}
        return pl.DataFrame(columns)

    def _before(self) -> Ratings:
        return Ratings(system=self.system.name, rows=self.list, parameters={})

    def _games(self) -> Games:
        white, black, score = (
            np.concatenate([getattr(r, name) for r in self.waiting]) for name in ("white", "black", "score")
        )
        rounds = [f"{r.number + 1}.{i + 1}" for r in self.waiting for i in range(len(r.white))]
        who, place = np.unique(np.concatenate([white, black]), return_inverse=True)
        names = self.names.gather(who)
        if self.periods >= MOST_PERIODS:
            raise UsageError(f"more than {MOST_PERIODS:,} periods have no date: give a longer period")
        day = date(FIRST_YEAR + self.periods // 12, self.periods % 12 + 1, 1)
        first, last = self.waiting[0].number + 1, self.waiting[-1].number + 1
        columns = {
            "white": place[: len(white)],
            "black": place[len(white) :],
            "score": score,
            "date": pl.Series([day], dtype=pl.Date).new_from_index(0, len(white)),
            "event": np.zeros(len(white), dtype=np.int32),
            "round": rounds,
        }
        event = Event(name=f"Rounds {first} to {last}", kind="swiss", start=day, end=day)
        return Games.assemble(columns, {"name": names, "id": names}, [event])
