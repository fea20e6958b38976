"""A player's lifetime curve, smoothed by least squares through five-year averages [Elo 5.51, 5.52]."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Averages", "Best", "Lifetime", "smooth_curve"]

BEND = 4.0
"""Points a year by which the yearly gain usually changes in a year. Ours: a gain of 50 a year at 18
is gone at 30."""

SLOPE = 30.0
"""Points a year that are usual where nothing else is known. Ours."""


@dataclass(frozen=True, slots=True)
class Averages:
    """A player's averages over periods: their years, values, own errors and errors of the level."""

    first: NDArray[np.int64]
    last: NDArray[np.int64]
    rating: NDArray[np.float64]
    own_error: NDArray[np.float64]
    level_error: NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Best:
    """The best years of a curve: their average, its error, the games in them."""

    first: int
    last: int
    rating: float
    own_error: float
    error: float
    games: int


@dataclass(frozen=True, slots=True)
class Lifetime:
    """A curve year by year, the covariance of its points, the error of the level, and the games."""

    years: NDArray[np.int64]
    rating: NDArray[np.float64]
    covariance: NDArray[np.float64]
    level_error: NDArray[np.float64]
    games: NDArray[np.int64]

    @property
    def error(self) -> NDArray[np.float64]:
        """One standard error of each point, the level's included."""
        return np.asarray(np.sqrt(np.diag(self.covariance) + self.level_error**2))

    def frame(self) -> pl.DataFrame:
        """Return `year`, `rating`, `error`, `games`."""
        return pl.DataFrame(
            {"year": self.years, "rating": self.rating, "error": self.error, "games": self.games}
        )

    def best(self, window: int, enough: int) -> Best | None:
        """Return the best average over so many years, or over the whole of a shorter life.

        Best is the highest average less its own error, among those with enough games: the highest
        alone would favour years of which little is known.
        """
        wide = min(window, len(self.years))
        found: list[Best] = []
        for i in range(len(self.years) - wide + 1):
            part = slice(i, i + wide)
            games = int(self.games[part].sum())
            if games < enough or not self.games[i] or not self.games[i + wide - 1]:
                continue
            own = float(np.sqrt(self.covariance[part, part].mean()))
            level = float(np.sqrt((self.level_error[part] ** 2).mean()))
            mean, error = float(self.rating[part].mean()), float(np.hypot(own, level))
            years = self.years[part]
            found.append(Best(int(years[0]), int(years[-1]), mean, own, error, games))
        return max(found, key=lambda b: b.rating - b.own_error) if found else None

    def peak(self) -> tuple[int, float, float]:
        """Return year, rating and error of the highest point, among years with games."""
        i = int(np.argmax(np.where(self.games > 0, self.rating, -np.inf)))
        return int(self.years[i]), float(self.rating[i]), float(self.error[i])


def smooth_curve(
    averages: Averages,
    years: NDArray[np.int64],
    games: NDArray[np.int64],
    *,
    overlap: float = 1.0,
    bend: float = BEND,
) -> Lifetime:
    """Return the curve from the first to the last year of the averages.

    The curve f is that for which

        Σ (average of f over the games of a period − rating)² / (overlap · error²)
          + Σ (f'' / bend)² + Σ (f' / slope)²

    is least. Its error is that of this fit, and in quadrature the error of the periods' level.

    Parameters
    ----------
    years, games
        The player's games by year, in order.
    overlap
        In how many periods each game stands.
    """
    inside = (years >= averages.first.min()) & (years <= averages.last.max())
    years, games = years[inside], games[inside]
    grid = np.arange(years[0], years[-1] + 1)
    played = np.zeros(len(grid), dtype=np.int64)
    played[years - grid[0]] = games
    covers = (grid >= averages.first[:, None]) & (grid <= averages.last[:, None])
    inside_games = np.where(covers, played.astype(np.float64), 0.0)
    mean = inside_games / inside_games.sum(axis=1, keepdims=True)
    weight = 1 / (overlap * np.maximum(averages.own_error, 1.0) ** 2)
    matrix = mean.T @ (weight[:, None] * mean)
    for order, usual in ((1, SLOPE), (2, bend)):
        if len(grid) > order:
            D = np.diff(np.eye(len(grid)), order, axis=0)
            matrix += D.T @ D / usual**2
    inverse = np.asarray(np.linalg.inv(matrix), dtype=np.float64)
    curve = inverse @ (mean.T @ (weight * averages.rating))
    return Lifetime(grid, curve, inverse, _level(averages, covers), played)


def _level(averages: Averages, covers: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Return the error of the level in each year: that of the periods around it."""
    count = covers.sum(axis=0)
    square = (covers * averages.level_error[:, None] ** 2).sum(axis=0)
    known = np.flatnonzero(count)
    return np.asarray(
        np.interp(np.arange(len(count)), known, np.sqrt(square[known] / count[known]))
    )
