"""Calibration: rated players' moves in, the line from average error to a rating out.

Skill (s, c) is fitted at every rating mark, projected on one set of reference positions, and the line is
drawn through the projected errors. A calibration belongs to one engine, one limit and one number of lines; where it is
weak, `weaknesses` says.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from arpad.errors import InputError, UsageError
from arpad.moves.intrinsic.choices import Choices
from arpad.moves.intrinsic.fit import FitMethod, fit
from arpad.moves.intrinsic.line import Line, fitted_line
from arpad.moves.intrinsic.projection import project

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

__all__ = ["Artery", "Calibration", "Mark", "by_games", "calibrate", "marks_of"]

LEAST_MARKS = 3
LEAST_MOVES = 100
"""Moves below which a mark is too thin to enter the line."""
REFERENCE = 1000
"""Reference positions that are kept. The line is drawn through errors on the same ones, so that more of them change ratings by
a few points only; docs/methods/ipr.md has the figures."""
PLACES = 4
"""Decimal places of their scaled losses: a hundredth of a centipawn in a level position. Rounded before anything rests on
them, so that the file gives the same figures."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """What was found at one rating mark.

    `elo` is its name, `rating` the mean rating of those who made its moves. `error` is the scaled average error of the moves played, `error_sigma` its standard error, by games; `projected` is AE_e, the
    error that (s, c) gives on the reference positions, `sigma` its standard deviation on the mark's own.
    """

    elo: float
    rating: float
    games: int
    moves: int
    match_rate: float
    error: float
    error_sigma: float
    s: float
    c: float
    projected: float
    sigma: float
    in_line: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Artery:
    """The paper's "central artery": c grows evenly with Elo."""

    intercept: float
    slope: float

    def c(self, elo: float) -> float:
        """Return the c of a rating."""
        return self.intercept + self.slope * elo


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """A line with all that it rests on."""

    name: str
    engine: Mapping[str, object]
    """Engine, network, limit, lines, hash and options, as `EngineSettings.parameters` gives them."""
    filters: Mapping[str, object]
    method: FitMethod
    line: Line
    artery: Artery
    marks: tuple[Mark, ...]
    reference: Choices
    games: str
    """Where the games come from, in words."""
    date: str
    sample: Mapping[str, object] = field(default_factory=dict)
    """Which files, games and positions, and their fingerprint."""
    arpad: str = ""
    """The version of arpad that made it."""

    def standing(self, choices: Choices) -> Choices:
        """Return what errors are projected on: the reference, or these positions where there is none (the paper's own line)."""
        return self.reference if len(self.reference) else choices

    def table(self) -> pl.DataFrame:
        """Return the marks, each with the rating that the line gives it and the residual."""
        rows = [
            {
                "elo": m.elo, "rating": m.rating, "games": m.games, "moves": m.moves, "match_rate": m.match_rate,
                "ae": m.error, "ae_sigma": m.error_sigma, "s": m.s, "c": m.c, "ae_e": m.projected,
                "ipr": self.line.rating(m.projected).rating,
                "residual": self.line.rating(m.projected).rating - m.rating,
                "sigma": self.line.slope * m.sigma, "in_line": m.in_line,
            }
            for m in self.marks
        ]  # fmt: skip
        return pl.DataFrame(rows)

    def line_sigma(self, rating: float) -> float:
        """Return the standard error of the line itself at a rating, in Elo, from how its marks scatter around it.

        s √(1/n + (R − R̄)²/Σ(R_i − R̄)²), every mark weighed by one over its variance.
        """
        inside = [m for m in self.marks if m.in_line]
        if len(inside) < 3:
            return math.nan
        x = np.array([m.rating for m in inside])
        w = np.array([1 / m.sigma**2 for m in inside])
        w *= len(w) / w.sum()
        off = np.array([self.line.rating(m.projected).rating for m in inside]) - x
        middle = np.average(x, weights=w)
        spread = (w * (x - middle) ** 2).sum()
        residual = (w * off**2).sum() / (len(x) - 2)
        return float(np.sqrt(residual * (1 / len(x) + (rating - middle) ** 2 / spread)))

    def summary(self) -> str:
        """Return one sentence."""
        inside = [m for m in self.marks if m.in_line]
        return (
            f"IPR = {self.line.intercept:.0f} − {self.line.slope:.0f}·AE_e from "
            f"{sum(m.moves for m in inside):,} moves at {len(inside)} marks "
            f"{inside[0].elo:.0f}–{inside[-1].elo:.0f}, R² {self.line.r_squared:.3f}, "
            f"residual {self.line.residual:.0f} points"
        )


def calibrate(
    choices: Choices,
    elo: NDArray[np.float64],
    game: NDArray[np.int64],
    *,
    name: str,
    engine: Mapping[str, object],
    filters: Mapping[str, object],
    games: str,
    date: str,
    method: FitMethod = "equate",
    step: float = 100.0,
    first: float = 1800.0,
    last: float = 2700.0,
    reference: int = REFERENCE,
    sample: Mapping[str, object] | None = None,
    arpad: str = "",
) -> Calibration:
    """Make a calibration from the choices of rated players.

    Parameters
    ----------
    choices, elo, game
        Positions with the move played, the rating of the player, and the game they come from.
    step
        Width of a mark: 100 for the century marks of the paper.
    first, last
        The marks that the line goes through. The paper takes 2200 to 2700.
    reference
        How many positions are kept, evenly from all of them, to project errors on.
    sample, arpad
        What is kept with it: which games and positions, and arpad's version.
    """
    elo = np.asarray(elo, dtype=np.float64)
    if not len(choices) == len(elo) == len(game):
        raise InputError(
            f"expected a rating and a game for each of {len(choices)} moves, found {len(elo)} and {len(game)}"
        )
    standing = _reference(choices, reference)
    marks = []
    for mark in np.unique(marks_of(elo, step)):
        here = marks_of(elo, step) == mark
        if here.sum() >= LEAST_MOVES:
            marks.append(
                _mark(
                    choices[here],
                    elo[here],
                    game[here],
                    standing,
                    float(mark),
                    method,
                    bool(first <= mark <= last),
                )
            )
    inside = [m for m in marks if m.in_line]
    if len(inside) < LEAST_MARKS:
        raise InputError(
            f"expected at least {LEAST_MARKS} marks between {first:.0f} and {last:.0f} with {LEAST_MOVES} moves "
            f"each, found {len(inside)}: give more games"
        )
    points = [m.rating for m in inside]
    line = fitted_line(points, [m.projected for m in inside], [1 / m.sigma**2 for m in inside])
    gradient, start = np.polyfit(points, [m.c for m in inside], 1, w=[m.moves**0.5 for m in inside])
    return Calibration(
        name=name, engine=engine, filters=filters, method=method, line=line,
        artery=Artery(intercept=float(start), slope=float(gradient)),
        marks=tuple(marks), reference=standing,
        games=games, date=date, sample=sample or {}, arpad=arpad,
    )  # fmt: skip


def _reference(choices: Choices, wanted: int) -> Choices:
    """Return so many of the positions, evenly from all, their losses rounded as a file holds them."""
    if wanted < 1:
        raise UsageError(f"expected a reference of 1 position or more, found {wanted}")
    rows = np.unique(np.linspace(0, len(choices) - 1, min(wanted, len(choices))).astype(int))
    kept = choices[rows]
    return Choices(delta=np.round(kept.delta, PLACES), count=kept.count, played=kept.played)


def marks_of(elo: NDArray[np.float64], step: float) -> NDArray[np.float64]:
    """Return the mark of each rating: the nearest one, halves upwards."""
    return np.asarray(np.floor(elo / step + 0.5) * step)


def _mark(
    choices: Choices,
    rating: NDArray[np.float64],
    game: NDArray[np.int64],
    reference: Choices,
    elo: float,
    method: FitMethod,
    in_line: bool,
) -> Mark:
    found = fit(choices, method=method)
    return Mark(
        elo=elo, rating=float(rating.mean()), games=len(np.unique(game)), moves=len(choices),
        match_rate=choices.match_rate, error=choices.scaled_error,
        error_sigma=by_games(choices.loss, game),
        s=found.s, c=found.c, projected=project(reference, found.s, found.c).error,
        sigma=project(choices, found.s, found.c).error_sigma,
        in_line=in_line and found.converged,  # no line goes through what no (s, c) gives
    )  # fmt: skip


def by_games(loss: NDArray[np.float64], game: Sequence[int] | NDArray[np.int64]) -> float:
    """Return the standard error of the mean loss, moves of a game taken together."""
    _, code = np.unique(game, return_inverse=True)
    off = np.bincount(code, weights=loss - loss.mean())
    n = len(off)
    return float(np.sqrt((off**2).sum() * n / max(n - 1, 1)) / len(loss))
