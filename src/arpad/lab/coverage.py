"""Do the printed errors tell the truth? Systems in worlds where every strength is known."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np
import polars as pl

from arpad.errors import UsageError
from arpad.model import Games

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from arpad.rate.system import RatingSystem

    Array = NDArray[np.float64]

__all__ = ["WORLDS", "Coverage", "Pairing", "World", "coverage", "world_games"]

Pairing = Literal["lot", "neighbours", "swiss", "divisions", "closed", "islands"]
"""Who meets whom.

lot         anybody;
neighbours  those next to each other in strength, as well as organisers know it;
swiss       those with as many points, never ratings;
divisions   anybody of the same quarter in strength;
closed      anybody of the same ten, all the time, and a guest now and then;
islands     anybody of the same half; one game in twenty is between the halves.
"""

SIGMAS = 1.96
"""Errors on either side of a rating between which 95 % of true strengths should be."""
KNOWN_TO = 120.0
"""Points: organisers know strengths with this error."""


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    """A pool with known strengths.

    Parameters
    ----------
    drift
        Points that everybody's strength moves in a year, as one standard deviation.
    juniors
        Share of the players who improve by 100 points a year.
    absent
        Share of the players who do not play between a quarter and three quarters of the rounds.
    given_error
        Points by which the rating that each player brings is wrong; None: nobody brings one.
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


WORLDS: Mapping[str, World] = {
    "neighbours, 30 games": World(pairing="neighbours"),
    "by lot, 30 games": World(),
    "neighbours, 10 games": World(pairing="neighbours", rounds=10),
    "neighbours, 100 games": World(pairing="neighbours", rounds=100),
    "Swiss by points, 30 games": World(pairing="swiss"),
    "neighbours, drift of 50 a year, 60 games": World(pairing="neighbours", rounds=60, drift=50.0),
    "divisions, 30 games": World(pairing="divisions"),
    "closed club, 30 games": World(pairing="closed"),
    "islands, 30 games": World(pairing="islands"),
    "juniors, 60 games": World(rounds=60, juniors=0.2),
    "returning players, 60 games": World(rounds=60, absent=0.3, drift=50.0),
    "given ratings ± 100, 10 games": World(rounds=10, given_error=100.0),
}
"""The worlds of the table in docs/methods/coverage.md."""


def world_games(world: World, seed: int) -> tuple[Games, Array]:
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
        score = dice.binomial(2, _chance(strength[order[:, 0]] - strength[order[:, 1]])) / 2
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


def _chance(difference: Array) -> Array:
    return np.asarray(1 / (1 + 10 ** (-difference / 400)))


def _paired(
    world: World, here: NDArray[np.int64], strength: Array, points: Array, dice: np.random.Generator
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


@dataclass(frozen=True, slots=True)
class Coverage:
    """How often true strengths are within 95 % intervals, by system and world.

    Columns of `rows`: `system`, `world`, `covered`, `error` (mean, as printed), `rmse` (what it was), `width` (error
    over rmse: 1 is right, more is bought with width), `bias` (mean error of all) and `spread` (of ratings over that
    of strengths).
    """

    rows: pl.DataFrame

    def table(self) -> pl.DataFrame:
        """Return the rows."""
        return self.rows

    def to_dict(self) -> dict[str, object]:
        """Return the rows as JSON can keep them."""
        return {"rows": self.rows.to_dicts()}


def coverage(
    systems: Mapping[str, RatingSystem] | Sequence[RatingSystem],
    worlds: Mapping[str, World] = WORLDS,
    *,
    seeds: int = 8,
) -> Coverage:
    """Rate the games of worlds with known strengths, and see how often printed errors hold them.

    The level of all is free: ratings are moved so that their mean is that of the strengths, and `bias` says by how
    much. A system that prints no error has a row with nulls.

    Examples
    --------
    >>> from arpad.rate import system
    >>> found = coverage([system("glicko")], {"small": World(players=20, rounds=5)}, seeds=1)
    >>> found.rows["system"].to_list()
    ['glicko']
    """
    named = systems if hasattr(systems, "items") else {each.name: each for each in systems}
    rows: list[dict[str, object]] = []
    for title, world in worlds.items():
        drawn = [world_games(world, seed) for seed in range(seeds)]
        for name, system in named.items():
            figures = [_figures(system, games, strength) for games, strength in drawn]
            known = [f for f in figures if f is not None]
            mean = dict(zip(_FIGURES, np.mean(known, axis=0).tolist(), strict=True)) if known else {}
            rows.append({"system": name, "world": title, **{c: mean.get(c) for c in _FIGURES}})
    kinds = {"system": pl.String, "world": pl.String, **dict.fromkeys(_FIGURES, pl.Float64)}
    return Coverage(pl.DataFrame(rows, schema=kinds))


_FIGURES = ("covered", "error", "rmse", "width", "bias", "spread")


def _figures(system: RatingSystem, games: Games, strength: Array) -> tuple[float, ...] | None:
    rows = system.ratings(system.advance(system.begin(games.players), games)).rows
    error = rows["error"].cast(pl.Float64).fill_null(np.nan).to_numpy() if "error" in rows.columns else None
    if error is None or np.isnan(error).all():
        return None
    rating = rows["rating"].cast(pl.Float64).fill_null(np.nan).to_numpy()
    kept = ~np.isnan(rating) & ~np.isnan(error)
    true = strength[rows["id"].cast(pl.Int64).to_numpy()][kept]
    off = rating[kept] - true
    bias = float(off.mean())
    off = off - bias
    rmse = float(np.sqrt((off**2).mean()))
    mean = float(error[kept].mean())
    covered = float((np.abs(off) <= SIGMAS * error[kept]).mean())
    return covered, mean, rmse, mean / rmse, bias, float(rating[kept].std() / true.std())
