"""Do the printed errors tell the truth? Systems in worlds where every strength is known."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np
import polars as pl

from arpad.errors import UsageError
from arpad.model import Games, Result
from arpad.rate.bootstrap import SIGMAS, model_errors
from arpad.rate.registry import SYSTEMS, system
from arpad.rate.system import rate

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from arpad.model import Ratings
    from arpad.rate.system import RatingSystem

    Array = NDArray[np.float64]


Pairing = Literal["lot", "neighbours", "swiss", "divisions", "closed", "islands"]
"""Ways to pair players.

lot         anybody;
neighbours  those next to each other in strength, as well as organisers know it;
swiss       those with as many points, never ratings;
divisions   anybody of the same quarter in strength;
closed      anybody of the same ten, all the time, and a guest now and then;
islands     anybody of the same half; one game in twenty is between the halves.
"""

KNOWN_TO = 120.0
"""Points: organisers know strengths with this error."""
AIM = (0.92, 0.97)
"""Between these shares of true strengths a 95 % interval is right: less hides doubt, more is too wide."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownWorld:
    """A pool with known strengths.

    Parameters
    ----------
    drift
        Standard deviation of the change of every strength in a year, in points.
    juniors
        Share of the players who improve by 100 points a year.
    absent
        Share of the players who do not play between a quarter and three quarters of the rounds.
    given_error
        Error of the rating that each player brings, in points; None: nobody brings one.
    """

    pairing: Pairing = "lot"
    players: int = 200
    rounds: int = 30
    spread: float = 200.0
    drift: float = 0.0
    juniors: float = 0.0
    absent: float = 0.0
    given_error: float | None = None

    def __post_init__(self) -> None:
        if self.pairing not in get_args(Pairing):
            raise UsageError(
                f"expected a pairing, one of {', '.join(get_args(Pairing))}; found {self.pairing!r}"
            )
        if self.players < 4 or self.rounds < 1:
            raise UsageError("expected at least 4 players and 1 round")


WORLDS: Mapping[str, KnownWorld] = {
    "lot": KnownWorld(),
    "neighbours": KnownWorld(pairing="neighbours"),
    "neighbours-10": KnownWorld(pairing="neighbours", rounds=10),
    "neighbours-100": KnownWorld(pairing="neighbours", rounds=100),
    "drift": KnownWorld(pairing="neighbours", rounds=60, drift=50.0),
    "swiss": KnownWorld(pairing="swiss"),
    "divisions": KnownWorld(pairing="divisions"),
    "closed-club": KnownWorld(pairing="closed"),
    "islands": KnownWorld(pairing="islands"),
    "juniors": KnownWorld(rounds=60, juniors=0.2),
    "returning": KnownWorld(rounds=60, absent=0.3, drift=50.0),
    "given": KnownWorld(rounds=10, given_error=100.0),
}
"""The worlds of docs/methods/coverage.md; 30 games a player where a name does not say otherwise."""


def world_games(world: KnownWorld, seed: int) -> tuple[Games, Array]:
    """Return the games of a world, a week between rounds, and everybody's strength at the end."""
    dice = np.random.default_rng(seed)
    n = world.players
    strength = dice.normal(1500.0, world.spread, n)
    begun = strength.copy()
    growing = dice.random(n) < world.juniors
    away = dice.random(n) < world.absent
    points = np.zeros(n)
    sides: list[NDArray[np.int64]] = []
    for round_ in range(world.rounds):
        strength = strength + dice.normal(0, world.drift / np.sqrt(52.0), n) + growing * 100 / 52
        late = world.rounds / 4 <= round_ < 3 * world.rounds / 4
        here = np.flatnonzero(~(away & late))
        order = _paired(world, here, strength, points, dice)
        order = order[: len(order) // 2 * 2].reshape(-1, 2)
        turned = dice.random(len(order)) < 0.5
        order[turned] = order[turned, ::-1]
        expected = 1 / (1 + 10 ** ((strength[order[:, 1]] - strength[order[:, 0]]) / 400))
        score = dice.binomial(2, expected) / 2
        np.add.at(points, order[:, 0], score)
        np.add.at(points, order[:, 1], 1 - score)
        sides.append(np.column_stack([order, 2 * score, np.full(len(order), round_)]).astype(np.int64))
    white, black, halves, number = np.concatenate(sides).T
    columns = {
        "white": white,
        "black": black,
        "score": halves / 2,
        "date": [dt.date(2020, 1, 1) + dt.timedelta(days=7 * int(r)) for r in number],
        "round": [str(r + 1) for r in number],
    }
    people: dict[str, object] = {"name": [f"P{i}" for i in range(n)], "id": [str(i) for i in range(n)]}
    if world.given_error is not None:
        people["rating"] = begun + dice.normal(0, world.given_error, n)
    return Games.assemble(columns, people), strength


def _paired(
    world: KnownWorld, here: NDArray[np.int64], strength: Array, points: Array, dice: np.random.Generator
) -> NDArray[np.int64]:
    """Return players in an order in which each two neighbours play."""
    lot = dice.random(len(here))
    known = strength[here] + dice.normal(0, KNOWN_TO, len(here))
    if world.pairing == "neighbours":
        return here[np.argsort(known)]
    if world.pairing == "swiss":
        return here[np.lexsort((lot, -points[here]))]
    parts = {"divisions": 4, "closed": max(1, world.players // 10), "islands": 2}.get(world.pairing, 1)
    ranks = np.argsort(np.argsort(known)) if world.pairing == "divisions" else here
    group = ranks * parts // world.players
    guests = dice.random(len(here)) < (0.05 if world.pairing in ("closed", "islands") else 0.0)
    group[guests] = dice.integers(0, parts, int(guests.sum()))
    return here[np.lexsort((lot, group))]


@dataclass(frozen=True, slots=True, kw_only=True)
class Coverage(Result):
    """Shares of true strengths within 95 % intervals, by system and world.

    Columns of `rows`: `system`, `world`, `covered` (share of the true strengths that are in the interval), `width`
    (mean of the interval, in points), `error` (mean of the printed errors), `rmse` (the actual error), `ratio`
    (error over RMSE: 1 is right, more buys coverage with width), `bias` (mean of rating less strength), `spread`
    (of the ratings over that of the strengths), `own_covered`, `own_width` and `own_ratio` (the same with the method's own
    errors) and `ratings` (how many were looked at). A system that prints no error in a world has nulls there.
    """

    rows: pl.DataFrame
    parameters: Mapping[str, Any]

    def by_system(self) -> pl.DataFrame:
        """Return a row a system over all worlds: coverage, mean ratio, and how many worlds are within the aim."""
        within = pl.col("covered").is_between(*AIM)
        return self.rows.group_by("system", maintain_order=True).agg(
            pl.col("covered").mean(),
            pl.col("covered").min().alias("least"),
            pl.col("covered").max().alias("most"),
            pl.col("width", "rmse", "ratio", "own_covered", "own_ratio").mean(),
            (pl.col("covered") < AIM[0]).sum().alias("below"),
            within.sum().alias("within"),
            (pl.col("covered") > AIM[1]).sum().alias("above"),
        )

    def summary(self) -> str:
        """Return one sentence on the run."""
        known = self.rows["covered"].drop_nulls()
        right = int(known.is_between(*AIM).sum())
        p = self.parameters
        return (
            f"{self.rows['system'].n_unique()} systems in {self.rows['world'].n_unique()} worlds with known "
            f"strengths, seeds {p['seed']} to {p['seed'] + p['seeds'] - 1}; {right} of {len(known)} entries "
            f"are within the aim of {AIM[0]:.2f} to {AIM[1]:.2f}"
        )


def coverage(
    systems: Mapping[str, RatingSystem] | Sequence[RatingSystem | str] | str = "all",
    worlds: Mapping[str, KnownWorld] | Sequence[str] | None = None,
    *,
    seeds: int = 2,
    seed: int = 0,
    players: int | None = None,
    watch: Callable[[str], None] | None = None,
) -> Coverage:
    """Rate games of simulated worlds, and count how often the printed errors hold the true strengths.

    The level of all is free: ratings are moved so that their mean is that of the strengths, and `bias` says by how
    much. A system that prints no error has a row with nulls.

    Parameters
    ----------
    systems
        Systems, their names, systems by the names of their rows, or "all": every registered one.
    worlds
        Worlds by name, or names of `WORLDS`; None: all of these.
    seeds, seed
        Number of simulations of each world, and the first seed.
    players
        Of each world, instead of its own number.
    watch
        Called with the name of each system when it is done with all worlds.

    Examples
    --------
    >>> found = coverage(["glicko"], {"small": KnownWorld(players=20, rounds=5)}, seeds=1)
    >>> found.rows.select("system", "world", "ratings").rows()
    [('glicko', 'small', 20)]
    """
    if seeds < 1:
        raise UsageError(f"expected seeds of 1 or more, found {seeds}")
    named, chosen = _named(systems), _worlds(worlds)
    if players is not None:
        chosen = {title: replace(world, players=players) for title, world in chosen.items()}
    drawn: dict[str, list[tuple[Games, Array, Ratings]]] = {title: [] for title in chosen}
    for title, world in chosen.items():
        for games, strength in (world_games(world, seed + i) for i in range(seeds)):
            drawn[title].append((games, strength, rate(system("arpad"), games)))
    rows: list[dict[str, object]] = []
    for name, each in named.items():
        for title, draws in drawn.items():
            figures = [f for f in (_figures(each, *draw) for draw in draws) if f is not None]
            mean = dict(zip(_FIGURES, np.mean(figures, axis=0).tolist(), strict=False)) if figures else {}
            count = int(sum(f[-1] for f in figures))
            rows.append(
                {"system": name, "world": title, **{c: mean.get(c) for c in _FIGURES}, "ratings": count}
            )
        if watch is not None:
            watch(name)
    kinds = {"system": pl.String, "world": pl.String, **dict.fromkeys(_FIGURES, pl.Float64)}
    parameters = {"seeds": seeds, "seed": seed, "players": players}
    return Coverage(rows=pl.DataFrame(rows, schema={**kinds, "ratings": pl.Int64}), parameters=parameters)


def _named(
    systems: Mapping[str, RatingSystem] | Sequence[RatingSystem | str] | str,
) -> Mapping[str, RatingSystem]:
    if isinstance(systems, str):
        systems = list(SYSTEMS) if systems == "all" else [systems]
    if isinstance(systems, Mapping):
        return systems
    made = [system(each) if isinstance(each, str) else each for each in systems]
    return {each.name: each for each in made}


def _worlds(worlds: Mapping[str, KnownWorld] | Sequence[str] | None) -> Mapping[str, KnownWorld]:
    if worlds is None:
        return WORLDS
    if isinstance(worlds, Mapping):
        return worlds
    unknown = [title for title in worlds if title not in WORLDS]
    if unknown:
        raise UsageError(f"expected a world, one of {', '.join(WORLDS)}; found {unknown[0]!r}")
    return {title: WORLDS[title] for title in worlds}


_PRINTED = ("covered", "width", "error", "rmse", "ratio", "bias", "spread")
_FIGURES = (*_PRINTED, "own_covered", "own_width", "own_ratio")


def _figures(system: RatingSystem, games: Games, strength: Array, model: Ratings) -> tuple[float, ...] | None:
    """Return the figures of `_FIGURES`, and how many ratings there are; None where no error is printed."""
    ratings = system.ratings(system.advance(system.begin(games.players), games))
    if "error" not in ratings.rows.columns:
        return None
    rows = ratings.rows.with_columns(
        pl.col("rating", "error").cast(pl.Float64), pl.col("error").alias("printed")
    )
    if getattr(system, "own_error", "own_error") is not None:
        rows = rows.with_columns(model_errors(ratings, model).rows["model_error"].alias("printed"))
    rows = rows.filter(pl.all_horizontal(pl.col("rating", "printed").is_finite()))
    if not rows.height:
        return None
    rating, printed, own = (
        rows[name].fill_null(np.nan).to_numpy() for name in ("rating", "printed", "error")
    )
    true = strength[rows["id"].cast(pl.Int64).to_numpy()]
    off = rating - true
    bias = float(off.mean())
    off = off - bias
    rmse = max(float(np.sqrt((off**2).mean())), TINY)
    covered, width, error, ratio = _held(off, printed, rmse)
    spread = float(rating.std() / true.std())
    own_covered, own_width, _, own_ratio = _held(off, own, rmse)
    figures = covered, width, error, rmse, ratio, bias, spread, own_covered, own_width, own_ratio
    return *figures, float(len(true))


def _held(off: Array, error: Array, rmse: float) -> tuple[float, float, float, float]:
    """Return the share of strengths within 95 % intervals, their width, the mean error, and that over the RMSE."""
    known = np.isfinite(error)
    if not known.any():
        return np.nan, np.nan, np.nan, np.nan
    mean = float(error[known].mean())
    return float((np.abs(off[known]) <= SIGMAS * error[known]).mean()), 2 * SIGMAS * mean, mean, mean / rmse


TINY = 1e-9
"""Points: no error is smaller, so that a ratio can be had."""
