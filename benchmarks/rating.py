"""Sequential Elo and ratings with a spread: indexed arrays, and from a Parquet file to a list."""

from __future__ import annotations

import math
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from arpad.rate import Elo
from arpad.rate import elo_kernels as kernels
from arpad.rate.glicko import kernels as glicko_kernels
from arpad.rate.glicko.steps import Forms
from arpad.rate.periods import Clock, Timeline
from arpad.read import read
from benchmarks.measure import Result, best

if TYPE_CHECKING:
    from collections.abc import Iterator

PLAYERS = 100_000
LARGE = 10_000_000
SEED = 1960
PERIODS = 120


def games(n: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Random pairings with random results; every peer gets a beginning of the same sequence."""
    rng = np.random.default_rng(SEED)
    white = rng.integers(0, PLAYERS, n).astype(np.int32)
    black = ((white + 1 + rng.integers(0, PLAYERS - 1, n)) % PLAYERS).astype(np.int32)
    return white, black, rng.choice([0.0, 0.5, 1.0], n)


def indexed() -> Iterator[Result]:
    white, black, score = games(LARGE)

    def ours() -> None:
        ratings, played = np.full(PLAYERS, 1500.0), np.zeros(PLAYERS, dtype=np.int64)
        kernels.each_game_simple(white, black, score, ratings, played, math.log(10) / 400, 20.0)

    ours()
    speed = LARGE / best(ours)
    yield Result("sequential Elo, indexed arrays", "games/s", speed, bar="≥ 30 M games/s", met=speed >= 30e6)

    def general() -> None:
        ratings, played = np.full(PLAYERS, 1500.0), np.zeros(PLAYERS, dtype=np.int64)
        kernels.each_game(
            white, black, score, ratings, played, ratings >= 2400, 1, np.array([1 / 400]),
            np.array([2400.0, np.inf]), np.array([10.0, 40.0, 20.0, 10.0]), 30, True, np.empty((0, 5)),
        )  # fmt: skip

    general()
    yield Result("the same, normal curve, K 40/20/10", "games/s", LARGE / best(general))

    from evalica import _brzo

    # Arrays of the types that it wants: of lists it does less than half as many.
    n = 2_000_000
    winners = np.where(score[:n] == 1, 1, np.where(score[:n] == 0, 2, 0)).astype(np.uint8)
    xs, ys, ones = white[:n].astype(np.uintp), black[:n].astype(np.uintp), np.ones(n)
    core = n / best(lambda: _brzo.elo(xs, ys, winners, ones, PLAYERS, 1500.0, 10.0, 400.0, 20.0, 1.0, 0.5))
    yield Result(
        "sequential Elo, indexed arrays", "games/s", speed, "evalica's core", core,
        "≥ 5 × evalica's core", speed >= 5 * core,
    )  # fmt: skip

    import evalica

    n = 200_000
    names_x, names_y = [f"P{i}" for i in white[:n]], [f"P{i}" for i in black[:n]]
    outcome = [evalica.Winner(w) for w in winners[:n].tolist()]
    called = n / best(lambda: evalica.elo(names_x, names_y, outcome), 1)
    yield Result("sequential Elo, indexed arrays", "games/s", speed, "evalica as called, with names", called)

    from riix.models.elo import Elo as RiixElo

    n = 200_000
    system = RiixElo(competitors=list(range(PLAYERS)))
    pairs, outcomes = np.stack([white[:n], black[:n]], axis=1), score[:n]
    called = n / best(lambda: system.iterative_update(pairs, outcomes, use_cache=False), 1)
    yield Result("sequential Elo, indexed arrays", "games/s", speed, "riix", called)

    from elote import EloCompetitor

    n = 30_000
    people = [EloCompetitor(initial_rating=1500) for _ in range(PLAYERS)]

    def elote() -> None:
        for w, b, s in zip(white[:n].tolist(), black[:n].tolist(), score[:n].tolist(), strict=True):
            if s == 1:
                people[w].beat(people[b])
            elif s == 0:
                people[b].beat(people[w])
            else:
                people[w].tied(people[b])

    called = n / best(elote, 1)
    yield Result("sequential Elo, indexed arrays", "games/s", speed, "elote", called)

    from openskill.models import PlackettLuce

    n = 3_000
    model = PlackettLuce()
    rated = [model.rating() for _ in range(PLAYERS)]

    def openskill() -> None:
        for w, b, s in zip(white[:n].tolist(), black[:n].tolist(), score[:n].tolist(), strict=True):
            (rated[w],), (rated[b],) = model.rate([[rated[w]], [rated[b]]], scores=[s, 1 - s])

    called = n / best(openskill, 1)
    yield Result("sequential Elo, indexed arrays", "games/s", speed, "openskill (Plackett–Luce)", called)


def from_parquet() -> Iterator[Result]:
    white, black, score = games(LARGE)
    names = np.array([f"Surname{i:06d},Given" for i in range(PLAYERS)])
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "games.parquet"
        pl.DataFrame({"white": names[white], "black": names[black], "score": score}).write_parquet(path)
        del white, black, score
        seconds = best(lambda: Elo().rate(read(path).games), 3)
    yield Result(
        "Parquet with names to a rating list", "games/s", LARGE / seconds,
        bar="≥ 3 M games/s", met=LARGE / seconds >= 3e6,
    )  # fmt: skip


def months(n: int, periods: int) -> Timeline:
    """The same games, so many to a month."""
    white, black, score = games(n)
    start = np.arange(periods, dtype=np.float64)
    return Timeline(
        played=pl.DataFrame({"white": white, "black": black, "score": score}),
        first=np.linspace(0, n, periods + 1).astype(np.int64), start=start, end=start + 1,
        until=float(periods), on=None, period="month", clock=Clock(),
    )  # fmt: skip


def newcomers() -> Forms:
    return Forms(
        rating=np.full(PLAYERS, 1500.0), error=np.full(PLAYERS, 350.0),
        volatility=np.full(PLAYERS, 0.06), at=np.full(PLAYERS, np.nan),
        known=np.zeros(PLAYERS, dtype=np.bool_),
    )  # fmt: skip


def spreads() -> Iterator[Result]:
    """Glicko, Glicko-2 and Stephenson's system: 120 months, nearly everybody plays in each."""
    line = months(LARGE, PERIODS)
    ours = {
        "Glicko": lambda: glicko_kernels.rate_plain(line, newcomers(), c=15.0, most=350.0, advantage=0.0),
        "Glicko-2": lambda: glicko_kernels.rate_volatile(
            line, newcomers(), most=500.0, advantage=0.0, tau=0.5
        ),
        "Stephenson": lambda: glicko_kernels.rate_plain(
            line, newcomers(), c=10.0, most=350.0, advantage=0.0, h=10.0, pull=0.02
        ),
    }
    speeds = {}
    for name, run in ours.items():
        run()
        speeds[name] = LARGE / best(run)
        yield Result(
            f"{name}, indexed arrays, {PERIODS} periods", "games/s", speeds[name],
            bar="≥ 2 M games/s", met=speeds[name] >= 2e6,
        )  # fmt: skip

    from riix.models.glicko import Glicko as RiixGlicko
    from riix.models.glicko2 import Glicko2 as RiixGlicko2

    n = 80_000  # about one of those periods
    white, black, score = games(n)
    pairs = np.stack([white, black], axis=1)
    for name, model in (("Glicko", RiixGlicko), ("Glicko-2", RiixGlicko2)):
        system = model(competitors=list(range(PLAYERS)))
        called = n / best(lambda s=system: s.iterative_update(pairs, score, time_step=0), 1)
        yield Result(f"{name}, indexed arrays, {PERIODS} periods", "games/s", speeds[name], "riix", called)
