"""The three fits compared on bias, and simulated players of known skill."""

from __future__ import annotations

from typing import TYPE_CHECKING, get_args

import numpy as np
import polars as pl

from arpad.moves.ipr.calibration import LEAST_MOVES, marks_of
from arpad.moves.ipr.fit import FitMethod, fit
from arpad.moves.ipr.model import MoveChoices, probabilities, project

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray


# Three ways to fit, compared on bias: whether the skill that was found gives back what was seen in the same positions.


def fit_bias(choices: MoveChoices, elo: NDArray[np.float64], *, step: float = 100.0) -> pl.DataFrame:
    """Return, for each mark and each way to fit, what is projected on the mark's own positions beside what was played there.

    Columns: `elo`, `moves`, `method`, `s`, `c`, `match_rate` and
    `projected_match_rate`, `ae` and `projected_ae`, and `ratio`, projected over actual average error.
    """
    marks = marks_of(np.asarray(elo, dtype=np.float64), step)
    rows = [
        {"elo": float(mark), **row}
        for mark in np.unique(marks)
        if (marks == mark).sum() >= LEAST_MOVES
        for row in _rows(choices[marks == mark])
    ]
    return pl.DataFrame(rows, infer_schema_length=None)


def _rows(choices: MoveChoices) -> Iterator[dict[str, object]]:
    for method in get_args(FitMethod):
        result = fit(choices, method=method)
        at = project(choices, result.s, result.c)
        yield {
            "moves": len(choices),
            "method": method,
            "s": result.s,
            "c": result.c,
            "match_rate": choices.match_rate,
            "projected_match_rate": at.match_rate,
            "ae": choices.scaled_error,
            "projected_ae": at.error,
            "ratio": at.error / choices.scaled_error,
        }


# Simulated players of known skill: what the fits must find again.


def simulated(choices: MoveChoices, s: float, c: float, *, seed: int) -> MoveChoices:
    """Return the same positions with the moves that a player of skill (s, c) would choose."""
    share = probabilities(choices, s, c) * choices.count
    cumulative = np.cumsum(share, axis=1)
    draw = np.random.default_rng(seed).random(len(choices)) * cumulative[:, -1]
    played = (cumulative <= draw[:, None]).sum(axis=1)
    return MoveChoices(delta=choices.delta, count=choices.count, played=played.astype(np.int64))


def generated_positions(positions: int, *, lines: int = 16, seed: int) -> MoveChoices:
    """Return made-up positions whose losses look like an engine's, for tests and trials."""
    rng = np.random.default_rng(seed)
    # Gaps between neighbouring lines: mostly a few hundredths of a pawn, now and then a whole piece.
    gaps: NDArray[np.float64] = rng.exponential(0.03, (positions, lines)) + np.where(
        rng.random((positions, lines)) < 0.08, rng.exponential(0.6, (positions, lines)), 0.0
    )
    gaps[:, 0] = 0.0
    return MoveChoices(
        delta=np.cumsum(gaps, axis=1),
        count=np.ones((positions, lines)),
        played=np.zeros(positions, dtype=np.int64),
    )
