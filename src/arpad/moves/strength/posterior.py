"""From likelihoods to a strength with its interval: a posterior over ratings, in steps of 20 points.

A game's likelihood counts with an exponent below 1, because the moves of one game are not independent
of each other, and is smoothed by how much a player's form varies from game to game. Games of one player are multiplied.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from arpad.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

    Floats = NDArray[np.float64]

STEP = 20.0
GRID: Floats = np.arange(600.0, 3401.0, STEP)
"""Ratings at which likelihoods are known."""

FIELD = (1400.0, 2820.0)
"""Ratings between which the usual prior is flat: those of the games that the calibrations come from."""

EDGE = 30.0
"""Decay of the usual prior outside its flat part: rating points for a factor of e."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Prior:
    """A prior over ratings.

    Without a `rating` it is flat over the ratings from `low` to `high` and falls off outside.

    Examples
    --------
    >>> round(Prior().mean), round(Prior(rating=1800, error=100).sd)
    (2110, 100)
    """

    rating: float | None = None
    error: float = 100.0
    low: float = FIELD[0]
    high: float = FIELD[1]

    def __post_init__(self) -> None:
        if not 0 < self.error < float("inf") or not self.low < self.high:
            raise UsageError(
                f"expected an error above 0 and low < high, found {self.error:g}, {self.low:g}, {self.high:g}"
            )
        if self.rating is not None and not GRID[0] < self.rating < GRID[-1]:
            raise UsageError(
                f"expected a prior rating from {GRID[0]:g} to {GRID[-1]:g}, found {self.rating:g}"
            )

    @property
    def log_density(self) -> Floats:
        """The logarithm of the prior on the grid, up to a constant."""
        if self.rating is not None:
            return -0.5 * ((GRID - self.rating) / self.error) ** 2
        inside = -np.logaddexp(0.0, -(GRID - self.low) / EDGE)
        return np.asarray(inside - np.logaddexp(0.0, (GRID - self.high) / EDGE))

    @property
    def mean(self) -> float:
        """The mean of the prior."""
        return Posterior.of(self.log_density).mean

    @property
    def sd(self) -> float:
        """The standard deviation of the prior."""
        return Posterior.of(self.log_density).sd

    def to_dict(self) -> dict[str, object]:
        """Return what the prior is, in plain values."""
        if self.rating is None:
            return {"kind": "flat", "low": self.low, "high": self.high}
        return {"kind": "rating", "rating": self.rating, "error": self.error}


@dataclass(frozen=True, slots=True, kw_only=True)
class GameEffect:
    """Correlation of the moves of one game, estimated on validation games.

    Parameters
    ----------
    exponent
        Of the game's likelihood: 1 if its moves were independent.
    form
        Standard deviation of a player's strength from game to game, in rating points.
    level
        The standard error that all games have in common, such as that of evaluations of an unknown engine.
    """

    exponent: float = 1.0
    form: float = 0.0
    level: float = 0.0

    def apply(self, log_likelihood: Floats) -> Floats:
        """Return a game's log-likelihood on the grid with its effect taken into account; rows are games."""
        tempered: Floats = self.exponent * np.atleast_2d(log_likelihood)
        return blurred(tempered, self.form) if self.form > 0 else np.asarray(tempered)


@dataclass(frozen=True, slots=True, kw_only=True)
class Era:
    """How much stronger than their ratings players seem in other years than those of the calibration.

    Players of one rating play better moves from year to year: they know more openings, prepare with engines, and
    ratings have fallen behind. Without marks there is no correction.

    Parameters
    ----------
    marks
        Ratings at which `years` and `drift` are known; they are linear between.
    years
        The mean year of the games behind the calibration.
    drift
        Rating points by which players seem stronger each year.
    error
        The standard error of `drift`.
    level
        The standard error of the calibration in its own years.
    first, last
        Years beyond which nothing more changes.

    Examples
    --------
    >>> era = Era(marks=(1500, 2500), years=(2014, 2010), drift=(20, 10), error=3, level=20, first=2006, last=2022)
    >>> era.shift(2016)[np.searchsorted(GRID, [1500, 2000, 2500])].tolist()
    [40.0, 60.0, 60.0]
    """

    marks: tuple[float, ...] = ()
    years: tuple[float, ...] = ()
    drift: tuple[float, ...] = ()
    error: float = 0.0
    level: float = 0.0
    first: int = 0
    last: int = 9999

    def shift(self, year: int | None) -> Floats:
        """Return by how much players of each rating of the grid seem too strong; a game without a year is of the last year."""
        if not self.marks:
            return np.zeros(len(GRID))
        return np.asarray(np.interp(GRID, self.marks, self.drift) * self._distance(year))

    def corrected(self, log_likelihood: Floats, year: int | None) -> Floats:
        """Return a game's log-likelihood on the grid without this."""
        return np.interp(GRID + self.shift(year), GRID, log_likelihood) if self.marks else log_likelihood

    def uncertain(self, log_likelihood: Floats, years: Sequence[int | None]) -> Floats:
        """Return the log-likelihood of a player's games, blurred by what is not known of the shift they have in common."""
        if not self.marks or not years:
            return log_likelihood
        away = float(np.mean([np.abs(self._distance(year)).mean() for year in set(years)]))
        return np.asarray(blurred(log_likelihood, float(round(np.hypot(self.level, self.error * away))))[0])

    def _distance(self, year: int | None) -> Floats:
        """Return the years between a game and those of the calibration."""
        when = self.last if year is None else min(max(year, self.first), self.last)
        return np.asarray(when - np.interp(GRID, self.marks, self.years))

    def to_dict(self) -> dict[str, object]:
        """Return the correction as plain values."""
        return {name: getattr(self, name) for name in self.__slots__}


@dataclass(frozen=True, slots=True, kw_only=True)
class Posterior:
    """A posterior: probabilities on the grid of ratings."""

    probability: Floats

    @classmethod
    def of(cls, log_density: ArrayLike) -> Posterior:
        """Return the posterior with this logarithm of its density, up to a constant."""
        log = np.asarray(log_density, dtype=np.float64)
        weight = np.exp(np.asarray(log - log.max()))
        return cls(probability=weight / weight.sum())

    @property
    def mean(self) -> float:
        """The strength: the mean, which errs least in the sense of squares."""
        return float(np.dot(self.probability, GRID))

    @property
    def sd(self) -> float:
        """The standard deviation."""
        variance = float(np.dot(self.probability, (GRID - self.mean) ** 2))
        return float(np.sqrt(max(variance, 0.0)))

    def quantile(self, share: float) -> float:
        """Return the rating below which the strength lies with this probability."""
        edges = np.concatenate([[GRID[0] - STEP / 2], GRID + STEP / 2])
        below = np.concatenate([[0.0], np.cumsum(self.probability)])
        return float(np.interp(share, below, edges))

    def interval(self, confidence: float = 0.95) -> tuple[float, float]:
        """Return the limits that hold the strength with this probability, as much outside on both sides.

        Examples
        --------
        >>> low, high = Posterior.of(Prior(rating=2000, error=100).log_density).interval()
        >>> round(low), round(high)
        (1804, 2196)
        """
        tail = (1 - confidence) / 2
        return self.quantile(tail), self.quantile(1 - tail)

    def above(self, other: Posterior) -> float:
        """Return the probability that this strength is greater than another, ties shared."""
        below = np.cumsum(other.probability) - other.probability / 2
        share = float(np.dot(self.probability, below))
        return min(max(share, 0.0), 1.0)


def combine(games: Floats, prior: Prior) -> Posterior:
    """Return the posterior from the log-likelihoods of games on the grid; rows are games, none gives the prior."""
    return Posterior.of(prior.log_density + np.asarray(games).reshape(-1, len(GRID)).sum(axis=0))


# Players mostly meet players of about their own strength: what the opponents' moves say of a player.

PAIRING = (200.0, 100.0)
"""Standard deviations of the opponents' strengths around the player's: from one opponent to the next, and of all together, in rating points.

Standard deviations in 1.3 million slow rated games of 2010 to 2016: 130 to 230 from game to game, 90 to 110 from
event to event.
"""


def opponents_evidence(opponents: Sequence[Floats], prior: Prior) -> Floats:
    """Return the log-likelihood on the grid that the opponents' moves give a player.

    Opponent i is rated ``R + d + e_i``, ``d`` and ``e_i`` normal with the deviations of `PAIRING`. An opponent
    whose moves say nothing adds nothing.

    Parameters
    ----------
    opponents
        The log-likelihood of each opponent's moves in all games against the player.
    prior
        What is believed of an opponent beforehand.
    """
    apart, together = PAIRING
    field = prior.log_density
    rows = np.asarray(opponents, dtype=np.float64).reshape(-1, len(GRID))
    evidence = (blurred(rows + field, apart) - blurred(field, apart)).sum(axis=0)
    return np.asarray(blurred(evidence, together)[0])


def blurred(log_likelihood: Floats, sd: float) -> Floats:
    """Return the logarithm of likelihoods after a normal blur over ratings; rows are likelihoods."""
    rows = np.atleast_2d(log_likelihood)
    top = rows.max(axis=1, keepdims=True)
    return np.asarray(top + np.log(np.exp(rows - top) @ _blur(sd) + 1e-300))


@cache
def _blur(sd: float) -> Floats:
    kernel = np.exp(-0.5 * ((GRID[:, None] - GRID[None, :]) / sd) ** 2)
    return np.asarray(kernel / kernel.sum(axis=0, keepdims=True))


# A player's strength over time: each game informs its neighbours, as far as strength drifts from game to game.

DRIFT = 15.0
"""Rating points by which a strength moves from one game to the next, one standard deviation."""


def timeline(games: Floats, prior: Prior, *, drift: float = DRIFT) -> Sequence[Posterior]:
    """Return the posterior at each game, from all games before and after it.

    Parameters
    ----------
    drift
        How far strength moves between two games: a random walk, forward and backward.
    """
    rows = np.atleast_2d(games)
    likelihood = np.exp(rows - rows.max(axis=1, keepdims=True))
    start = Posterior.of(prior.log_density).probability
    kernel = _kernel(drift)
    forward, backward = np.empty_like(likelihood), np.empty_like(likelihood)
    now = start
    for i, row in enumerate(likelihood):
        now = (kernel @ now if i else now) * row
        now = now / now.sum()
        forward[i] = now
    after = np.ones(len(GRID))
    for i in range(len(likelihood) - 1, -1, -1):
        backward[i] = after
        after = kernel.T @ (after * likelihood[i])
        after = after / after.sum()
    both = forward * backward
    return [Posterior(probability=p / p.sum()) for p in both]


def _kernel(drift: float) -> Floats:
    if drift <= 0:
        return np.eye(len(GRID))
    # The grid is coarser than the drift: a step with the right variance, not a sampled curve.
    step = GRID[1] - GRID[0]
    width = int(np.ceil(5 * drift / step)) + 1
    offsets = np.arange(-width, width + 1)
    weight = np.exp(-0.5 * (offsets * step / drift) ** 2)
    variance = float((weight / weight.sum()) @ (offsets * step) ** 2)
    share = min(1.0, drift**2 / variance)
    weight = share * weight / weight.sum()
    weight[width] += 1 - share
    kernel = np.zeros((len(GRID), len(GRID)))
    for offset, p in zip(offsets, weight, strict=True):
        target = np.clip(np.arange(len(GRID)) + offset, 0, len(GRID) - 1)
        np.add.at(kernel, (target, np.arange(len(GRID))), p)
    return kernel
