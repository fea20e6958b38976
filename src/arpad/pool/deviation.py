"""Expected against actual scores, with σ and probable error [Elo 2.6, 5.54, 8.95]."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from arpad.errors import UsageError
from arpad.event.reliability import PROBABLE

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import ArrayLike

__all__ = ["Deviation", "Spread", "deviation", "match_deviation", "spread", "variance"]


def variance(p: float, draws: float = 0.0) -> float:
    """Return the variance of one game's score: pq − r/4, r being the probability of a draw.

    The book's pq [8.95] takes every game as decided. r cannot exceed twice the smaller of p and q;
    what is more is cut off.

    Examples
    --------
    >>> variance(0.5), variance(0.5, draws=0.6), variance(0.9, draws=0.6)
    (0.25, 0.1, 0.04)
    """
    q = 1 - p
    if not (0 <= p <= 1 and 0 <= draws <= 1):
        raise UsageError(f"expected p and draws from 0 to 1, found {p!r} and {draws!r}")
    return round(p * q - min(draws, 2 * min(p, q)) / 4, 15)


@dataclass(frozen=True, slots=True, kw_only=True)
class Deviation:
    """A score W beside the expected score W_e, and what chance alone would do."""

    games: int
    score: float
    expected: float
    sigma: float

    @property
    def difference(self) -> float:
        """W − W_e, in game points."""
        return self.score - self.expected

    @property
    def probable_error(self) -> float:
        """Half of all scores lie within so many game points of W_e [2.54]."""
        return PROBABLE * self.sigma

    @property
    def z(self) -> float | None:
        """The difference in standard deviations; None where nothing could vary."""
        return self.difference / self.sigma if self.sigma > 0 else None

    def summary(self) -> str:
        """Return one sentence."""
        z = "" if self.z is None else f", {abs(self.z):.2f} standard deviations"
        return (
            f"{self.score:,g} of {self.games:,} where {self.expected:,.2f} ± {self.sigma:.2f} "
            f"was expected: {self.difference:+,.2f}{z}"
        )


def deviation(score: float, expectancies: ArrayLike, *, draws: float = 0.0) -> Deviation:
    """Compare a score with the expectancies of its games.

    Parameters
    ----------
    expectancies
        The expected score of each game.
    draws
        The share of draws to be expected, r; 0 is the book's σ = √Σpq.

    Examples
    --------
    >>> found = deviation(7.5, [0.55, 0.61, 0.58, 0.72, 0.67, 0.78, 0.72, 0.7, 0.75])
    >>> round(found.expected, 2), round(found.sigma, 2), round(found.z, 2)
    (6.08, 1.39, 1.02)
    """
    P = np.asarray(expectancies, dtype=np.float64)
    if P.ndim != 1 or not P.size or not bool(((P >= 0) & (P <= 1)).all()):
        raise UsageError("expected an expectancy from 0 to 1 for each game")
    if not 0 <= score <= P.size:
        raise UsageError(f"expected a score from 0 to {P.size}, found {score!r}")
    total = math.fsum(variance(float(p), draws) for p in P)
    return Deviation(
        games=int(P.size), score=float(score), expected=math.fsum(P), sigma=math.sqrt(total)
    )


def match_deviation(score: float, games: int, P: float, *, draws: float = 0.0) -> Deviation:
    """Compare the score of a match, W_e = NP and σ = √(N(pq − r/4)) [5.55].

    Examples
    --------
    >>> match_deviation(12.5, 24, 0.60).summary()
    '12.5 of 24 where 14.40 ± 2.40 was expected: -1.90, 0.79 standard deviations'
    """
    if games < 1:
        raise UsageError(f"expected at least one game, found {games!r}")
    return deviation(score, [P] * games, draws=draws)


@dataclass(frozen=True, slots=True, kw_only=True)
class Spread:
    """How many deviations lie beyond the usual limits, beside how many chance expects [2.64]."""

    count: int
    beyond_probable_error: int
    """Chance expects one half."""
    beyond_sigma: int
    """Chance expects .317 of them."""
    beyond_three_probable_errors: int
    """Chance expects .043 of them; the book says 5 %."""
    sum_of_squares: float
    """Σz², which chance expects to be `count`."""
    mean: float
    sd: float | None
    """Of z around its mean: 1 where σ is right."""

    def expected(self) -> tuple[float, float, float]:
        """Return how many chance expects beyond each of the three limits."""
        return tuple(self.count * math.erfc(t / math.sqrt(2)) for t in _LIMITS)  # type: ignore[return-value]

    @property
    def p(self) -> float | None:
        """The probability that chance makes Σz² so large or larger."""
        from scipy.special import chdtrc

        return float(chdtrc(self.count, self.sum_of_squares)) if self.count else None


_LIMITS = (PROBABLE, 1.0, 3 * PROBABLE)


def spread(deviations: Iterable[Deviation] | ArrayLike) -> Spread:
    """Count deviations (or their z) beyond probable error, σ and three probable errors."""
    given: list[Deviation | float] = list(deviations)  # type: ignore[arg-type]
    found = [d.z if isinstance(d, Deviation) else float(d) for d in given]
    z = np.array([value for value in found if value is not None], dtype=np.float64)
    beyond = [int((np.abs(z) > limit).sum()) for limit in _LIMITS]
    return Spread(
        count=int(z.size),
        beyond_probable_error=beyond[0],
        beyond_sigma=beyond[1],
        beyond_three_probable_errors=beyond[2],
        sum_of_squares=float((z**2).sum()),
        mean=float(z.mean()) if z.size else 0.0,
        sd=float(z.std(ddof=1)) if z.size > 1 else None,
    )
