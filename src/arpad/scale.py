"""Rating difference to expected score and back: every curve, and conversions between scales."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal, overload

import numpy as np

from arpad.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import ArrayLike, NDArray


# The percentage expectancy table, as Elo printed it and as FIDE computes with it.

TABLE_UPPER = (
    *(3, 10, 17, 25, 32, 39, 46, 53, 61, 68, 76, 83, 91, 98, 106, 113, 121),
    *(129, 137, 145, 153, 162, 170, 179, 188, 197, 206, 215, 225, 235, 245, 256, 267, 278),
    *(290, 302, 315, 328, 344, 357, 374, 391, 411, 432, 456, 484, 517, 559, 619, 735),
)
"""Largest difference for .50, .51 … .99 [Elo 2.11; FIDE B.02 8.1.2]; above the last, 1.00."""
TABLE_DP = (
    *(0, 7, 14, 21, 29, 36, 43, 50, 57, 65, 72, 80, 87, 95, 102, 110, 117),
    *(125, 133, 141, 149, 158, 166, 175, 184, 193, 202, 211, 220, 230, 240, 251, 262, 273),
    *(284, 296, 309, 322, 336, 351, 366, 383, 401, 422, 444, 470, 501, 538, 589, 677, 800),
)
"""D_P for .50, .51 … 1.00 [FIDE B.02 8.1.1; the book's own examples use it]."""


# Rating difference to expected score and back: every curve.
#
# All curves share one interface, vectorised over NumPy arrays:
#
# ``expected(D)``
#     the share of the point that a player rated D above the opponent is expected to score;
# ``difference(P)``
#     the rating difference D_P that a percentage score P indicates;
# ``between(R, R_c)``
#     the expected score of a player rated R against one rated R_c.
#
# A scalar in gives a Python float out.

CLASS_INTERVAL = 200.0
"""C, in rating points [Elo 1.31, 2.2]."""


class Curve:
    """Base of every curve; each curve adds `_expected` and `_difference`."""

    name: ClassVar[str]

    def _expected(self, D: NDArray[np.float64]) -> NDArray[np.float64]:
        raise NotImplementedError

    def _difference(self, P: NDArray[np.float64]) -> NDArray[np.float64]:
        raise NotImplementedError

    @overload
    def expected(self, D: float) -> float: ...
    @overload
    def expected(self, D: NDArray[Any]) -> NDArray[np.float64]: ...
    def expected(self, D: float | NDArray[Any]) -> float | NDArray[np.float64]:
        """Return the expected score P_D for a rating difference D."""
        return _apply(self._expected, D)

    @overload
    def difference(self, P: float) -> float: ...
    @overload
    def difference(self, P: NDArray[Any]) -> NDArray[np.float64]: ...
    def difference(self, P: float | NDArray[Any]) -> float | NDArray[np.float64]:
        """Return the rating difference D_P indicated by a percentage score P in 0 … 1."""
        array = np.asarray(P, dtype=np.float64)
        if not bool(np.all((array >= 0) & (array <= 1))):
            raise UsageError(f"expected a score from 0 to 1, found {P!r}: give points / games")
        return _apply(self._difference, array)

    def between(self, R: ArrayLike, R_c: ArrayLike) -> float | NDArray[np.float64]:
        """Return the expected score of a player rated R against one rated R_c."""
        return self.expected(np.asarray(R, dtype=np.float64) - np.asarray(R_c, dtype=np.float64))

    def parameters(self) -> dict[str, object]:
        """Return the curve's constants by name."""
        return {"curve": self.name, **asdict(self)}  # type: ignore[call-overload]


def _apply(
    function: Callable[[NDArray[np.float64]], NDArray[np.float64]], value: ArrayLike
) -> float | NDArray[np.float64]:
    array = np.asarray(value, dtype=np.float64)
    if bool(np.isnan(array).any()):
        raise UsageError("expected a number, found one that is not (NaN)")
    result = function(array)
    return float(result) if array.ndim == 0 else result


def _check_interval(value: float) -> None:
    if not (math.isfinite(value) and value > 0):
        raise UsageError(f"expected a class interval above 0, found {value!r}: 200 is the usual C")


def _half_up(values: NDArray[np.float64], digits: int = 0) -> NDArray[np.float64]:
    """Round halves upwards: .625 → .63, which Python's own round takes to .62.

    The inner rounding removes the noise of binary fractions (.285 is stored as .28499…).
    """
    factor = 10.0**digits
    return np.floor(np.round(values * factor, 9) + 0.5) / factor


def half_up(value: float, digits: int = 0) -> float:
    """Round one number with halves upwards, as the tables of the books are.

    >>> half_up(2.5), half_up(0.285, 2)
    (3.0, 0.29)
    """
    factor = 10**digits
    return float(math.floor(round(value * factor, 9) + 0.5) / factor)


@dataclass(frozen=True, slots=True)
class Normal(Curve):
    """P = Φ(D / (C√2)) [Elo 8.23, 8.94].

    Examples
    --------
    >>> round(Normal().expected(160), 4)
    0.7142
    """

    name: ClassVar[str] = "normal"
    class_interval: float = CLASS_INTERVAL

    def __post_init__(self) -> None:
        _check_interval(self.class_interval)

    def _expected(self, D: NDArray[np.float64]) -> NDArray[np.float64]:
        from scipy.special import ndtr  # costs .1 s: only where the curve is used

        return np.asarray(ndtr(D / (self.class_interval * math.sqrt(2))))

    def _difference(self, P: NDArray[np.float64]) -> NDArray[np.float64]:
        from scipy.special import ndtri

        return np.asarray(ndtri(P) * (self.class_interval * math.sqrt(2)))


@dataclass(frozen=True, slots=True)
class Logistic(Curve):
    """P = 1 / (1 + 10^(−D/2C)) [Elo 8.43 (46), table 8.46].

    Examples
    --------
    >>> round(Logistic().expected(200), 4)
    0.7597
    """

    name: ClassVar[str] = "logistic"
    class_interval: float = CLASS_INTERVAL

    def __post_init__(self) -> None:
        _check_interval(self.class_interval)

    def _expected(self, D: NDArray[np.float64]) -> NDArray[np.float64]:
        # tanh keeps P(D) + P(−D) = 1 to the last bit and cannot overflow
        return 0.5 + 0.5 * np.tanh(D * (math.log(10) / (4 * self.class_interval)))

    def _difference(self, P: NDArray[np.float64]) -> NDArray[np.float64]:
        with np.errstate(divide="ignore"):
            return np.asarray(2 * self.class_interval * (np.log10(P) - np.log10(1 - P)))


@dataclass(frozen=True, slots=True)
class Linear(Curve):
    """P = ½ + D/4C, differences beyond `cap` counted as `cap` [Elo 1.8, 1.84, 8.27].

    The inverse, 4C(P − ½), is not capped: formula (10) is not.
    """

    name: ClassVar[str] = "linear"
    class_interval: float = CLASS_INTERVAL
    cap: float = math.nan
    """In points; 1¾ C unless said otherwise, which is the book's 350."""

    def __post_init__(self) -> None:
        _check_interval(self.class_interval)
        if math.isnan(self.cap):
            object.__setattr__(self, "cap", 1.75 * self.class_interval)
        if not 0 < self.cap <= 2 * self.class_interval:
            raise UsageError(
                f"expected a cap above 0 and at most 2C = {2 * self.class_interval:g}, found {self.cap!r}"
            )

    def _expected(self, D: NDArray[np.float64]) -> NDArray[np.float64]:
        return 0.5 + np.clip(D, -self.cap, self.cap) / (4 * self.class_interval)

    def _difference(self, P: NDArray[np.float64]) -> NDArray[np.float64]:
        return 4 * self.class_interval * (P - 0.5)


@dataclass(frozen=True, slots=True)
class Table(Curve):
    """Table 2.11 as printed, and its inverse as FIDE publishes it.

    D is rounded to a whole number, P to hundredths, both with halves upwards. Above 735 points the
    expectancy is 1.00; a score of 1.00 indicates 800 points [FIDE B.02 8.1.1].

    `interpolate`: Join the points (D_P, P) by straight lines instead of looking them up.

    Examples
    --------
    >>> Table().difference(0.70), Table().expected(149)
    (149.0, 0.7)
    """

    name: ClassVar[str] = "table"
    interpolate: bool = False

    def _expected(self, D: NDArray[np.float64]) -> NDArray[np.float64]:
        if self.interpolate:
            high = np.interp(np.abs(D), np.array(TABLE_DP, dtype=np.float64), _HUNDREDTHS)
        else:
            whole = np.abs(_half_up(D))
            high = (50 + np.searchsorted(_UPPER, whole, side="left")) / 100
        return np.where(D < 0, np.round(1 - high, 12), high)

    def _difference(self, P: NDArray[np.float64]) -> NDArray[np.float64]:
        rounded = P if self.interpolate else _half_up(P, 2)
        high = np.maximum(rounded, 1 - rounded)
        size = np.interp(high, _HUNDREDTHS, np.array(TABLE_DP, dtype=np.float64))
        if not self.interpolate:
            size = np.round(size)
        return np.where(rounded < 0.5, -size, size)


_UPPER = np.array(TABLE_UPPER, dtype=np.float64)
_HUNDREDTHS = np.arange(50, 101) / 100


@dataclass(frozen=True, slots=True)
class Ratio(Curve):
    """P = R / (R + R_c) on a ratio scale [Elo 8.6, 8.71].

    Here the ratio R/R_c takes the place of a difference: `expected` and `difference` speak of it.
    """

    name: ClassVar[str] = "ratio"

    def _expected(self, D: NDArray[np.float64]) -> NDArray[np.float64]:
        if bool(np.any(D < 0)):
            raise UsageError("expected a ratio of two ratings, 0 or more, for the ratio curve")
        return np.asarray(1 - 1 / (1 + D))

    def _difference(self, P: NDArray[np.float64]) -> NDArray[np.float64]:
        with np.errstate(divide="ignore"):
            return np.asarray(P / (1 - P))

    def between(self, R: ArrayLike, R_c: ArrayLike) -> float | NDArray[np.float64]:
        """Return R / (R + R_c)."""
        return self.expected(np.asarray(R, dtype=np.float64) / np.asarray(R_c, dtype=np.float64))


@dataclass(frozen=True, slots=True)
class PraCurve(Curve):
    """Berard's E: square-root arcs to ±150, straight lines to ±450, arcs to ±1800 [PRA (3)].

    The inverse of 1 is 1800 "or more".

    Examples
    --------
    >>> PraCurve().expected(82)
    0.5326699670775861
    """

    name: ClassVar[str] = "pra"

    def _expected(self, D: NDArray[np.float64]) -> NDArray[np.float64]:
        size = np.abs(D)
        with np.errstate(invalid="ignore"):
            near = 0.6 - np.sqrt((size - 150) / -15000)
            far = 0.9 + np.sqrt((size - 450) / 135000)
        straight = 0.001 * size + 0.45
        pieces = [size <= 150, size <= 450, size <= 1800]
        high = np.select(pieces, [near, straight, far], default=1.0)
        return np.where(D < 0, 1 - high, high)

    def _difference(self, P: NDArray[np.float64]) -> NDArray[np.float64]:
        high = np.maximum(P, 1 - P)
        near = 150 - 15000 * (0.6 - high) ** 2
        straight = (high - 0.45) / 0.001
        far = 450 + 135000 * (high - 0.9) ** 2
        size = np.select([high <= 0.6, high <= 0.9], [near, straight], default=far)
        return np.where(P < 0.5, -size, np.where(P == 0.5, 0.0, size))


def indicated_difference(P: float, curve: Curve | None = None) -> float:
    """Return D_p, of one size for P and 1 − P: halves of a hundredth go away from .50 [Elo 2.13].

    `curve`: The printed table unless another is given. FIDE rounds halves upwards:
    `Table().difference(0.375)` is −87.

    Examples
    --------
    >>> indicated_difference(0.625), indicated_difference(0.375)
    (95.0, -95.0)
    """
    size = float((curve or Table()).difference(max(P, 1 - P)))
    return -size if P < 0.5 else size


CurveName = Literal["linear", "logistic", "normal", "pra", "ratio", "table"]
CURVES: dict[str, type[Curve]] = {
    each.name: each for each in (Linear, Logistic, Normal, PraCurve, Ratio, Table)
}
"""The curves by the name that people use on the command line."""


def curve(name: str, **constants: float) -> Curve:
    """Return the curve called `name`.

    Examples
    --------
    >>> curve("normal", class_interval=200).expected(0)
    0.5
    """
    if name not in CURVES:
        raise UsageError(f"expected a curve, one of {', '.join(CURVES)}; found {name!r}")
    try:
        return CURVES[name](**constants)
    except TypeError:
        raise UsageError(
            f"the {name} curve has no constant called {' or '.join(map(repr, constants))}"
        ) from None


# From the interval scale to ratio scales and back, and from scores to odds [Elo 8.42, 8.71, 8.73].
#
# On an interval scale differences count, on a direct ratio scale quotients, on a logarithmic ratio scale differences again. The book
# ties them together at a novice: 1000 on both the interval and the direct ratio scale, where 400 points are a factor of ten.

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
        raise UsageError(f"expected a rating that a ratio scale has a number for, found {rating:g}") from None


def from_ratio(rating: float) -> float:
    """Return the rating on the interval scale of one on the direct ratio scale.

    Examples
    --------
    >>> round(from_ratio(316_228))
    2000
    """
    if not (math.isfinite(rating) and rating > 0):
        raise UsageError(f"expected a rating above 0: a ratio scale has no others, found {rating!r}")
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
        raise UsageError("expected a rating that is a number, found one that is not")
    return value


def _base(base: float) -> float:
    if not (math.isfinite(base) and base > 1):
        raise UsageError(f"expected a base above 1 for the logarithm, found {base!r}")
    return base


# Relatives of the usual curves: unequal spreads, and the logistic curve to any base [Elo 8.23, 8.36].
#
# They have the interface of every `Curve`, but no name on the command line: their constants are no convention.


def spread_of_differences(sigma_1: float, sigma_2: float) -> float:
    """Return σ′ = √(σ₁² + σ₂²), the spread of the difference of two performances [8.23].

    Examples
    --------
    >>> round(spread_of_differences(200, 200), 2)
    282.84
    """
    if not (
        math.isfinite(sigma_1)
        and math.isfinite(sigma_2)
        and min(sigma_1, sigma_2) >= 0
        and max(sigma_1, sigma_2) > 0
    ):
        raise UsageError(f"expected two spreads, 0 or more and not both 0, found {sigma_1!r} and {sigma_2!r}")
    return math.hypot(sigma_1, sigma_2)


def spread_ratio(sigma_1: float, sigma_2: float) -> float:
    """Return σ′ over the average of the two spreads: √2 for equals, and hardly more for others [8.23].

    Examples
    --------
    >>> round(spread_ratio(200, 200), 2), round(spread_ratio(400, 200), 2)
    (1.41, 1.49)
    """
    return spread_of_differences(sigma_1, sigma_2) / ((sigma_1 + sigma_2) / 2)


@dataclass(frozen=True, slots=True)
class UnequalNormal(Curve):
    """P = Φ(D / √(σ₁² + σ₂²)), for two players of whom one is steadier than the other [8.23].

    Examples
    --------
    >>> round(UnequalNormal(100, 300).expected(200), 4), round(UnequalNormal().expected(200), 4)
    (0.7365, 0.7602)
    """

    name: ClassVar[str] = "unequal normal"
    sigma_1: float = CLASS_INTERVAL
    sigma_2: float = CLASS_INTERVAL

    def __post_init__(self) -> None:
        spread_of_differences(self.sigma_1, self.sigma_2)

    def _expected(self, D: NDArray[np.float64]) -> NDArray[np.float64]:
        from scipy.special import ndtr  # costs .1 s: only where the curve is used

        return np.asarray(ndtr(D / spread_of_differences(self.sigma_1, self.sigma_2)))

    def _difference(self, P: NDArray[np.float64]) -> NDArray[np.float64]:
        from scipy.special import ndtri

        return np.asarray(ndtri(P) * spread_of_differences(self.sigma_1, self.sigma_2))


@dataclass(frozen=True, slots=True)
class LogisticToBase(Curve):
    """P = 1 / (1 + b^(−D/C)): one class interval means odds of b to 1 [8.36, (43), 8.42].

    Base e is (43) unchanged; base √10 is the logistic curve of chess.

    Examples
    --------
    >>> round(LogisticToBase().expected(200), 4), round(LogisticToBase(base=math.sqrt(10)).expected(200), 4)
    (0.7311, 0.7597)
    """

    name: ClassVar[str] = "logistic to any base"
    base: float = math.e
    class_interval: float = CLASS_INTERVAL

    def __post_init__(self) -> None:
        if not (math.isfinite(self.base) and self.base > 1):
            raise UsageError(f"expected a base above 1, found {self.base!r}: √10 is that of chess")
        if not (math.isfinite(self.class_interval) and self.class_interval > 0):
            raise UsageError(f"expected a class interval above 0, found {self.class_interval!r}")

    def _expected(self, D: NDArray[np.float64]) -> NDArray[np.float64]:
        return 0.5 + 0.5 * np.tanh(D * (math.log(self.base) / (2 * self.class_interval)))

    def _difference(self, P: NDArray[np.float64]) -> NDArray[np.float64]:
        with np.errstate(divide="ignore"):
            return np.asarray(self.class_interval / math.log(self.base) * (np.log(P) - np.log1p(-P)))
