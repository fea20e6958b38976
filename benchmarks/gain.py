"""Gain statistics of a million moves: from evaluations to players and pairs, with and without intervals."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from arpad.model import Games
from arpad.moves.evaluated_games import EvaluatedGames
from arpad.moves.gain import measure
from arpad.moves.gain_report import gain_report
from arpad.moves.resampling import Resampling
from benchmarks.measure import Result, best

if TYPE_CHECKING:
    from collections.abc import Iterator

MOVES = 1_000_000
PLIES = 80
PLAYERS = 500
SEED = 2012


def games() -> EvaluatedGames:
    """Random games whose evaluations wander; most moves gain a little less than nothing."""
    rng = np.random.default_rng(SEED)
    n = MOVES // PLIES
    white = rng.integers(0, PLAYERS, n)
    black = (white + 1 + rng.integers(0, PLAYERS - 1, n)) % PLAYERS
    gain = np.where(rng.random((n, PLIES)) < 0.3, 0, -rng.gamma(0.5, 30, (n, PLIES)) + 3).round()
    sign = np.where(np.arange(PLIES) % 2 == 0, 1, -1)
    cp = np.clip(np.c_[np.full(n, 20), 20 + np.cumsum(sign * gain, axis=1)], -3900, 3900)
    columns = {"white": white, "black": black, "score": rng.choice([0.0, 0.5, 1.0], n)}
    table = Games.assemble(columns, {"name": [f"Player {i}" for i in range(PLAYERS)]})
    rows = {
        "game": np.repeat(np.arange(n, dtype=np.int32), PLIES + 1),
        "ply": np.tile(np.arange(PLIES + 1, dtype=np.int32), n),
        "cp": pl.Series(cp.ravel().astype(np.int32)),
    }
    return EvaluatedGames.build(table, rows)


def statistics() -> Iterator[Result]:
    evaluated = games()

    def plain() -> None:
        gain_report(measure(evaluated), resampling=Resampling(draws=0))

    seconds = best(plain)
    yield Result(
        f"gain statistics of 10⁶ moves, {PLAYERS} players and those who met", "s", seconds,
        bar="< 2 s", met=seconds < 2,
    )  # fmt: skip
    yield Result(
        "the same with 1,000 draws for every interval", "s",
        best(lambda: gain_report(measure(evaluated)), 1),
    )  # fmt: skip
