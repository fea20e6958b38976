"""From the interval scale to ratio scales and back, and from scores to odds [Elo 8.42, 8.71, 8.73].

On an interval scale differences count, on a direct ratio scale quotients, on a logarithmic ratio scale differences again. The book
ties them together at a novice: 1000 on both the interval and the direct ratio scale, where 400 points are a factor of ten.
"""

from __future__ import annotations

import math

from arpad.errors import UsageError

__all__ = ["NOVICE", "TENFOLD", "from_logarithm", "from_ratio", "odds", "score", "to_logarithm", "to_ratio"]  # fmt: skip

NOVICE = 1000.0
"""The rating that is the same number on the interval and on the direct ratio scale [8.71]."""

TENFOLD = 400.0
"""Points of the interval scale, two class intervals, in which the odds grow tenfold [8.43]."""


def to_ratio(rating: float) -> float:
    """Return 1000 · 10^((R − 1000)/400), the rating on the direct ratio scale [8.71].

    Examples
    --------
    >>> round(to_ratio(2000), -2), round(to_ratio(2700), -4)
    (316200.0, 17780000.0)
    """
    try:
        return NOVICE * 10 ** ((_finite(rating) - NOVICE) / TENFOLD)
    except OverflowError:
        raise UsageError(
            f"expected a rating that a ratio scale has a number for, found {rating:g}"
        ) from None


def from_ratio(rating: float) -> float:
    """Return the rating on the interval scale of one on the direct ratio scale.

    Examples
    --------
    >>> round(from_ratio(316_228))
    2000
    """
    if not (math.isfinite(rating) and rating > 0):
        raise UsageError(
            f"expected a rating above 0: a ratio scale has no others, found {rating!r}"
        )
    return NOVICE + TENFOLD * (math.log10(rating) - math.log10(NOVICE))


def to_logarithm(rating: float, base: float = 10.0) -> float:
    """Return the rating on a logarithmic ratio scale: the logarithm of the direct one to any base [8.71].

    Examples
    --------
    >>> [round(to_logarithm(2000, base), 2) for base in (10, math.sqrt(10), math.e)]
    [5.5, 11.0, 12.66]
    """
    tens = (_finite(rating) - NOVICE) / TENFOLD + math.log10(NOVICE)
    return tens * math.log(10) / math.log(_base(base))


def from_logarithm(rating: float, base: float = 10.0) -> float:
    """Return the rating on the interval scale of one on a logarithmic ratio scale.

    Examples
    --------
    >>> round(from_logarithm(14.5, math.sqrt(10)))
    2700
    """
    tens = _finite(rating) * math.log(_base(base)) / math.log(10)
    return NOVICE + TENFOLD * (tens - math.log10(NOVICE))


def odds(P: float) -> float:
    """Return ρ = P / (1 − P), infinite for a certain win [8.73].

    Examples
    --------
    >>> odds(0.75)
    3.0
    """
    if not 0 <= P <= 1:
        raise UsageError(f"expected a score from 0 to 1, found {P!r}: give points / games")
    return P / (1 - P) if P < 1 else math.inf


def score(rho: float) -> float:
    """Return P = ρ / (1 + ρ), the expected score for odds of ρ to 1.

    Examples
    --------
    >>> score(3)
    0.75
    """
    if not rho >= 0:
        raise UsageError(f"expected odds of 0 or more, found {rho!r}")
    return 1.0 if math.isinf(rho) else rho / (1 + rho)


def _finite(value: float) -> float:
    if not math.isfinite(value):
        raise UsageError("expected a rating that is a number, found one that is none")
    return value


def _base(base: float) -> float:
    if not (math.isfinite(base) and base > 1):
        raise UsageError(f"expected a base above 1 for the logarithm, found {base!r}")
    return base
