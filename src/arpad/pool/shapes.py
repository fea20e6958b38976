"""Shapes of a rating pool: the normal distribution, and Maxwell's and Boltzmann's [Elo 7.3, 9.1]."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, Self

import numpy as np

from arpad.errors import UsageError

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = ["MaxwellShape", "NormalShape", "Shape"]

MEAN_TO_MODE = 2 / math.sqrt(math.pi)
"""R_a / R_m from the zero point: 1.1284; printed 1.1287 [(75)]."""
RMS_TO_MODE = math.sqrt(1.5)
"""R_r / R_m from the zero point, so that R_a / R_r = .9213 [(75)]."""
SD_TO_MODE = math.sqrt(1.5 - 4 / math.pi)
"""σ / R_m, from the two above."""
MAXWELL_SKEWNESS = 2 * math.sqrt(2) * (16 - 5 * math.pi) / (3 * math.pi - 8) ** 1.5
"""The same for every Maxwell–Boltzmann distribution: .4857."""


class Shape(Protocol):
    """What both distributions can say."""

    @property
    def name(self) -> str:
        """As people call it."""
        ...

    @property
    def fitted(self) -> int:
        """How many constants it has."""
        ...

    def below(self, values: ArrayLike) -> NDArray[np.float64]:
        """Return the share of the pool below each value."""
        ...

    def density(self, values: ArrayLike) -> NDArray[np.float64]:
        """Return the share of the pool per rating point at each value."""
        ...

    def at(self, share: float) -> float:
        """Return the value below which such a share of the pool lies."""
        ...

    def parameters(self) -> dict[str, Any]:
        """Return the constants by name."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class NormalShape:
    """The normal distribution of a mean and a standard deviation [7.35]."""

    name: ClassVar[str] = "normal"
    fitted: ClassVar[int] = 2
    mean: float
    sd: float

    def __post_init__(self) -> None:
        _check(self.mean, self.sd)

    def below(self, values: ArrayLike) -> NDArray[np.float64]:
        """Return the share of the pool below each value."""
        from scipy.special import ndtr

        return np.asarray(ndtr((np.asarray(values, dtype=np.float64) - self.mean) / self.sd))

    def density(self, values: ArrayLike) -> NDArray[np.float64]:
        """Return the share of the pool per rating point at each value."""
        z = (np.asarray(values, dtype=np.float64) - self.mean) / self.sd
        return np.asarray(np.exp(-(z**2) / 2) / (self.sd * math.sqrt(2 * math.pi)))

    def at(self, share: float) -> float:
        """Return the value below which such a share of the pool lies."""
        from scipy.special import ndtri

        return self.mean + self.sd * float(ndtri(share))

    def parameters(self) -> dict[str, Any]:
        """Return the constants by name."""
        return {"mean": self.mean, "sd": self.sd}


@dataclass(frozen=True, slots=True, kw_only=True)
class MaxwellShape:
    """Maxwell's and Boltzmann's distribution, which begins at a zero point [9.13, (74)].

    ΔN/N = 4/√π (R/R_m)² e^−(R/R_m)² ΔR/R_m, with R measured from the zero point.

    Examples
    --------
    >>> uscf = MaxwellShape.through_mean(zero=945, mean=1547)
    >>> round(uscf.mode, 1), round(uscf.rms, 1)
    (1478.5, 1598.4)
    """

    name: ClassVar[str] = "maxwell"
    fitted: ClassVar[int] = 2
    zero: float
    """The rating at which the distribution begins."""
    R_m: float
    """The most frequent rating, measured from the zero point."""

    def __post_init__(self) -> None:
        _check(self.zero, self.R_m)

    @classmethod
    def of_moments(cls, *, mean: float, sd: float) -> Self:
        """Return the shape that has this mean and standard deviation; both fix the zero point.

        Examples
        --------
        >>> round(MaxwellShape.of_moments(mean=1547, sd=251.6).zero)
        951
        """
        R_m = sd / SD_TO_MODE
        return cls(zero=mean - MEAN_TO_MODE * R_m, R_m=R_m)

    @classmethod
    def through_mean(cls, *, zero: float, mean: float) -> Self:
        """Return the shape with this zero point and mean [9.16]."""
        return cls(zero=zero, R_m=(mean - zero) / MEAN_TO_MODE)

    @classmethod
    def of_mean_and_mode(cls, *, mean: float, mode: float) -> Self:
        """Return the shape with this mean and most frequent rating: they fix the zero point [9.14]."""
        return cls.through_mean(zero=(MEAN_TO_MODE * mode - mean) / (MEAN_TO_MODE - 1), mean=mean)

    @property
    def mode(self) -> float:
        """The most frequent rating."""
        return self.zero + self.R_m

    @property
    def mean(self) -> float:
        """R_a, the average rating."""
        return self.zero + MEAN_TO_MODE * self.R_m

    @property
    def rms(self) -> float:
        """R_r, the root of the mean square from the zero point."""
        return self.zero + RMS_TO_MODE * self.R_m

    @property
    def sd(self) -> float:
        """The standard deviation."""
        return SD_TO_MODE * self.R_m

    def below(self, values: ArrayLike) -> NDArray[np.float64]:
        """Return the share of the pool below each value."""
        from scipy.special import gammainc

        x = np.maximum(np.asarray(values, dtype=np.float64) - self.zero, 0.0) / self.R_m
        return np.asarray(gammainc(1.5, x**2))

    def density(self, values: ArrayLike) -> NDArray[np.float64]:
        """Return the share of the pool per rating point at each value [(74)]."""
        x = np.maximum(np.asarray(values, dtype=np.float64) - self.zero, 0.0) / self.R_m
        return np.asarray(4 / math.sqrt(math.pi) * x**2 * np.exp(-(x**2)) / self.R_m)

    def at(self, share: float) -> float:
        """Return the value below which such a share of the pool lies."""
        from scipy.special import gammaincinv

        return self.zero + self.R_m * math.sqrt(float(gammaincinv(1.5, share)))

    def parameters(self) -> dict[str, Any]:
        """Return the constants by name, and what follows from them."""
        return {"zero": self.zero, "mode": self.mode, "mean": self.mean, "rms": self.rms}


def _check(place: float, size: float) -> None:
    if not (math.isfinite(place) and math.isfinite(size) and size > 0):
        raise UsageError(
            f"expected a place and a spread above 0, found {place!r} and {size!r}: the ratings must differ"
        )
