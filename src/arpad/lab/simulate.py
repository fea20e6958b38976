"""Simulations: a season, the systems that rate it, and how near each comes to the truth."""

from __future__ import annotations

import math
import os
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import polars as pl

from arpad.errors import UsageError
from arpad.lab.kernels import tally
from arpad.lab.season import rated, room
from arpad.model import Result, columns
from arpad.parallel import HERE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from numpy.typing import NDArray

    from arpad.lab.season import Round, Season, SeasonPlayers, SeasonRatings
    from arpad.parallel import Workers
    from arpad.rate.system import RatingSystem

    Array = NDArray[np.float64]


# In spec: how many ratings are near the truth, and after how many games a player's is.
#
# A rating is in spec if it is less than the tolerance, 100 points unless said otherwise, away from the true
# strength [PRA, "Some Words about the Simulation"].

TOLERANCE = 100.0
"""Rating points."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemCourse:
    """Path of one system through one run; arrays by round, the start first.

    Parameters
    ----------
    players, out_of_spec
        Who is here, and how many of them are out of spec.
    mean_error, rms_error
        Mean and root of the mean square of rating − true strength, in points.
    until
        Games until each watched player was in spec for the first time, 1 at least, as the text counts
        them; 0: never.
    paths, truths
        Ratings and true strengths of the watched players: a row a round.
    """

    seed: int
    players: NDArray[np.int64]
    out_of_spec: NDArray[np.int64]
    mean_error: Array
    rms_error: Array
    until: NDArray[np.int64]
    paths: Array
    truths: Array

    @property
    def share(self) -> Array:
        """Return the share of players who are out of spec."""
        return np.asarray(self.out_of_spec / self.players)


class Recorder:
    """Looks at a system after every round."""

    def __init__(
        self,
        rated: SeasonRatings,
        opening: SeasonPlayers,
        *,
        watched: int,
        rounds: int,
        tolerance: float,
        seed: int,
    ) -> None:
        self.rated, self.tolerance = rated, tolerance
        self.course = SystemCourse(
            seed=seed,
            players=np.zeros(rounds + 1, dtype=np.int64),
            out_of_spec=np.zeros(rounds + 1, dtype=np.int64),
            mean_error=np.full(rounds + 1, np.nan),
            rms_error=np.full(rounds + 1, np.nan),
            until=np.zeros(watched, dtype=np.int64),
            paths=np.full((rounds + 1, watched), np.nan),
            truths=np.full((rounds + 1, watched), np.nan),
        )
        self.played = np.zeros(watched, dtype=np.int64)
        self.at = 0
        self._look(opening.true, opening.here)

    def after(self, round_: Round) -> None:
        """Look at the ratings after a round."""
        self.played += 1
        self.played[round_.byes[round_.byes < len(self.played)]] -= 1
        self.at = round_.number + 1
        near = self._look(round_.true, round_.here)
        first = near & (self.course.until == 0)
        # The text's count begins with 1, also for who was right before the first game.
        self.course.until[first] = np.maximum(self.played[first], 1)

    def _look(self, true: Array, here: NDArray[np.bool_]) -> NDArray[np.bool_]:
        rated, course, at = self.rated, self.course, self.at
        players, known, out, total, squares = tally(rated.ratings, rated.shift, true, here, self.tolerance)
        course.players[at], course.out_of_spec[at] = players, out
        if known:
            course.mean_error[at], course.rms_error[at] = total / known, math.sqrt(squares / known)
        n = len(self.played)
        course.paths[at] = rated.ratings[:n] + rated.shift
        course.truths[at] = true[:n]
        return np.asarray(np.abs(course.paths[at] - true[:n]) < self.tolerance)


def check_tolerance(tolerance: float) -> None:
    """Refuse a tolerance that nothing is within."""
    if not (math.isfinite(tolerance) and tolerance > 0):
        raise UsageError(
            f"expected a tolerance above 0 points, found {tolerance!r}: the text has 100, and 200"
        )


# Simulations: a season, the systems that rate it, and how near each comes to the truth.

SEASON, DRAW = 60, 16
"""Bytes a player, about: of the season, and of a draw for the elite."""


class Told(NamedTuple):
    """The progress of a simulation."""

    run: int
    runs: int
    round: int
    rounds: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemResult:
    """Results of one system in every run."""

    label: str
    system: str
    parameters: Mapping[str, object]
    courses: tuple[SystemCourse, ...]

    def over_runs(self, what: str) -> Array:
        """Return one of `SystemCourse`'s arrays for all runs: a row a run."""
        return np.array([getattr(course, what) for course in self.courses], dtype=np.float64)

    def mean(self, what: str) -> Array:
        """Return the mean over the runs, round by round."""
        return np.asarray(self.over_runs(what).mean(axis=0))

    def spread(self, what: str) -> Array:
        """Return the standard deviation over the runs, round by round; NaN for one run."""
        values = self.over_runs(what)
        if len(values) < 2:
            return np.full(values.shape[1], math.nan)
        return np.asarray(values.std(axis=0, ddof=1))

    def numbers(self, what: str) -> list[float | int]:
        """Return whole numbers of one run, means of several, round by round."""
        if len(self.courses) == 1:
            return [int(value) for value in getattr(self.courses[0], what)]
        return [float(value) for value in self.mean(what)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Simulation(Result):
    """The ratings of every system in every run, and all settings."""

    parameters: Mapping[str, object]
    systems: tuple[SystemResult, ...]
    watch: tuple[float, ...]

    @property
    def runs(self) -> int:
        """Number of runs."""
        return len(self.systems[0].courses)

    @property
    def seeds(self) -> list[int]:
        """The seed of every run."""
        return [course.seed for course in self.systems[0].courses]

    def table(self) -> pl.DataFrame:
        """Return the errors of each system, one row a round; the start is round 0."""
        return pl.concat(self._rounds(result) for result in self.systems)

    def _rounds(self, result: SystemResult) -> pl.DataFrame:
        out = result.mean("out_of_spec")
        players = result.mean("players")
        return pl.DataFrame(
            {
                "system": [result.label] * len(out),
                "round": np.arange(len(out)),
                "players": players,
                "out_of_spec": out,
                "spread": result.spread("out_of_spec"),
                "share": out / players,
                "mean_error": result.mean("mean_error"),
                "rms_error": result.mean("rms_error"),
            }
        ).with_columns(pl.col("spread", "mean_error", "rms_error").fill_nan(None))

    def to_dict(self, *, paths: int = 0, until: bool = False) -> dict[str, Any]:
        """Return every figure; `out_of_spec` at the top is the first system's.

        Parameters
        ----------
        paths
            How many of the watched players, the first ones, are followed round by round.
        until
            Whether games until in spec are told, of the other watched players.
        """
        table = self.until(since=paths) if until else None
        return {
            "summary": self.summary(),
            "settings": dict(self.parameters),
            "seed": self.parameters["seed"],
            "out_of_spec": self.systems[0].numbers("out_of_spec"),
            "players": self.systems[0].numbers("players"),
            "systems": [self._system(result, table, paths) for result in self.systems],
        }

    def _system(self, result: SystemResult, until: pl.DataFrame | None, paths: int) -> dict[str, Any]:
        mine = pl.col("system") == result.label
        first = result.courses[0]
        return {
            "system": result.system,
            "label": result.label,
            "parameters": dict(result.parameters),
            "out_of_spec": result.numbers("out_of_spec"),
            "out_of_spec_spread": result.spread("out_of_spec").tolist() if self.runs > 1 else None,
            "mean_error": result.mean("mean_error").tolist(),
            "rms_error": result.mean("rms_error").tolist(),
            "runs": [
                {
                    "seed": course.seed,
                    "first": int(course.out_of_spec[0]),
                    "last": int(course.out_of_spec[-1]),
                    "mean_error": float(course.mean_error[-1]),
                    "rms_error": float(course.rms_error[-1]),
                }
                for course in result.courses
            ],
            "until": [] if until is None else until.filter(mine).drop("system").to_dicts(),
            "paths": [
                {
                    "true": self.watch[i],
                    "rating": first.paths[:, i].tolist(),
                    "true_by_round": first.truths[:, i].tolist(),
                    "until": int(first.until[i]) or None,
                }
                for i in range(paths)
            ],
        }

    def rows(self, *, paths: int = 0, until: bool = False) -> pl.DataFrame:
        """Return the table, or games until in spec, or the paths of some watched players."""
        if until:
            return self.until(since=paths)
        if not paths:
            return self.table()
        return pl.concat(
            self.path(i).with_columns(pl.lit(self.watch[i]).alias("player")) for i in range(paths)
        )

    def until(self, since: int = 0) -> pl.DataFrame:
        """Return games until in spec by true rating: mean, spread and extremes over runs and copies.

        Players who never were are counted in `missed`, and are no part of the other figures. `since` leaves
        out this many of the watched players, the first ones.
        """
        rows = []
        truths = np.array(self.watch[since:])
        for result in self.systems:
            games = result.over_runs("until")[:, since:]
            for true in dict.fromkeys(self.watch[since:]):
                mine = games[:, truths == true].ravel()
                reached = mine[mine > 0]
                some, several = len(reached) > 0, len(reached) > 1
                rows.append(
                    (
                        result.label,
                        true,
                        len(mine),
                        len(mine) - len(reached),
                        float(reached.mean()) if some else None,
                        float(reached.std(ddof=1)) if several else None,
                        int(reached.min()) if some else None,
                        int(reached.max()) if some else None,
                    )
                )
        names = "system:str true:float players:int missed:int mean:float spread:float fewest:int most:int"
        return pl.DataFrame(rows, schema=columns(names), orient="row")

    def path(self, player: int) -> pl.DataFrame:
        """Return a watched player's rating after every round of the first run, for each system."""
        frames = []
        for result in self.systems:
            course = result.courses[0]
            frames.append(
                pl.DataFrame(
                    {
                        "system": [result.label] * len(course.paths),
                        "round": np.arange(len(course.paths)),
                        "rating": course.paths[:, player],
                        "true": course.truths[:, player],
                    }
                ).with_columns(pl.col("rating").fill_nan(None))
            )
        return pl.concat(frames)

    @property
    def conditions(self) -> str:
        """Start, world and pairing in a few words."""
        p = self.parameters
        more = [
            *(["with draws"] if p["draws"] else []),
            *(f"{word} {p[word]:g} a round" for word in ("drift", "enter", "leave") if p[word]),
        ]
        world = f"{p['world']} ({', '.join(more)})" if more else f"{p['world']}"
        off = f" by {p['by']:g}" if p["by"] is not None else ""
        return f"start {p['start']}{off}, world {world}, pairing {p['pairing']}"

    def summary(self) -> str:
        """Return one sentence on the simulation, with the end of each system."""
        p = self.parameters
        ends = "; ".join(self._end(result) for result in self.systems)
        runs = "" if self.runs == 1 else f", {self.runs} runs"
        return f"{p['players']:,} players ({p['population']}), {p['rounds']:,} rounds, {self.conditions}, seed {p['seed']}{runs}: {ends}"

    def _end(self, result: SystemResult) -> str:
        out, spread = result.mean("out_of_spec"), result.spread("out_of_spec")
        more = "" if self.runs == 1 else f" ± {spread[-1]:.0f}"
        return f"{result.label} {out[0]:,.0f} out of spec at the start, {out[-1]:,.0f}{more} at the end"


def simulate(
    season: Season,
    systems: Mapping[str, RatingSystem],
    *,
    runs: int = 1,
    tolerance: float = TOLERANCE,
    period: int = 1,
    progress: Callable[[Told], None] | None = None,
    workers: Workers = HERE,
) -> Simulation:
    """Play a season and rate it by every system, all on the same games.

    Parameters
    ----------
    systems
        Label → system.
    runs
        Seasons; each has the seed after the last one's.
    tolerance
        Points from the true strength within which a rating is in spec.
    period
        Rounds that are rated together by systems that are called with a list; `elo`, `pra` and
        `pra-basic` go game by game anyway.
    workers
        Processes that play the seasons; every season has its own seed, so the figures do not depend on them.

    Examples
    --------
    >>> from arpad.lab import pairing, season as s, worlds
    >>> from arpad.rate.elo import Elo
    >>> small = s.Season(players=50, rounds=20, population=worlds.NormalPopulation(), world=worlds.World(),
    ...                  pairing=pairing.Random(), start=s.RunStart(), seed=1)
    >>> found = simulate(small, {"elo": Elo()})
    >>> len(found.systems[0].courses[0].out_of_spec)
    21
    """
    check_tolerance(tolerance)
    if runs < 1 or not systems:
        raise UsageError(f"expected 1 run or more and a system or more, found {runs} and {len(systems)}")
    if period < 1:
        raise UsageError(f"expected a period of 1 round or more, found {period}")
    check_memory(season, systems.values())
    courses: dict[str, list[SystemCourse]] = {label: [] for label in systems}
    played: Iterator[dict[str, SystemCourse]]
    if workers is HERE:
        played = (
            _run(
                replace(season, seed=season.seed + run),
                systems,
                tolerance,
                period,
                _teller(progress, run, runs, season.rounds),
            )
            for run in range(runs)
        )
    else:
        seeds = range(season.seed, season.seed + runs)
        played = workers.map(_season, seeds, shared=(season, dict(systems), tolerance, period))
    for run, result in enumerate(played):
        _teller(progress, run, runs, season.rounds)(season.rounds)
        for label, course in result.items():
            courses[label].append(course)
    return Simulation(
        parameters={**season.parameters(), "tolerance": tolerance, "runs": runs, "period": period},
        systems=tuple(
            SystemResult(
                label=label, system=system.name, parameters=system.parameters(), courses=tuple(courses[label])
            )
            for label, system in systems.items()
        ),
        watch=season.watch,
    )


def _season(shared: tuple[Season, dict[str, RatingSystem], float, int], seed: int) -> dict[str, SystemCourse]:
    """Play one season of many, wherever that is."""
    season, systems, tolerance, period = shared
    return _run(replace(season, seed=seed), systems, tolerance, period, lambda _: None)


def _run(
    season: Season,
    systems: Mapping[str, RatingSystem],
    tolerance: float,
    period: int,
    tell: Callable[[int], None],
) -> dict[str, SystemCourse]:
    opening = season.opening()
    recorders = {
        label: Recorder(
            rated(system, opening, period=period),
            opening,
            watched=len(season.watch),
            rounds=season.rounds,
            tolerance=tolerance,
            seed=season.seed,
        )
        for label, system in systems.items()
    }
    for round_ in season.play(opening):
        for recorder in recorders.values():
            recorder.rated.play(round_)
            if round_.number + 1 == season.rounds:
                recorder.rated.close()
            recorder.after(round_)
        tell(round_.number + 1)
    return {label: recorder.course for label, recorder in recorders.items()}


def _teller(
    progress: Callable[[Told], None] | None, run: int, runs: int, rounds: int
) -> Callable[[int], None]:
    def tell(number: int) -> None:
        if progress is not None:
            progress(Told(run, runs, number, rounds))

    return tell


def bytes_needed(season: Season, systems: Iterable[RatingSystem]) -> int:
    """Return about how much memory a simulation takes."""
    own = sum(room(system) for system in systems)
    drawn = DRAW / getattr(season.population, "share", 1.0)  # the elite are few of many
    return round(season.rows * (SEASON + own + drawn))


def check_memory(season: Season, systems: Iterable[RatingSystem]) -> None:
    """Refuse what cannot fit, before it is tried."""
    needed = bytes_needed(season, systems)
    there = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    if needed > there:
        raise UsageError(
            f"{season.rows:,} players need about {needed / 2**30:,.0f} GiB of memory, and this machine has {there / 2**30:,.0f}: ask for fewer"
        )
