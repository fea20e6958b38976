"""Measurements counted by intervals, and what can be said of them when only the counts are known."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from arpad.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

    from arpad.pool.shapes import Shape

__all__ = ["Histogram", "histogram"]

MOST = 10_000
"""Intervals beyond which a width is taken for a mistake."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Histogram:
    """Counts between edges, all intervals of one width; the first and the last may be open.

    An open interval (`Below 600`, `2600 & Over`) stands for one width when a mean is taken, and for
    everything beyond when frequencies are expected.

    Examples
    --------
    >>> h = Histogram(edges=(1000, 1100, 1200, 1300), counts=(5, 10, 5))
    >>> h.mean(), round(h.sd(), 1), round(h.sd(sheppard=False), 1)
    (1150.0, 64.5, 70.7)
    """

    edges: tuple[float, ...]
    counts: tuple[float, ...]

    def __post_init__(self) -> None:
        if len(self.edges) != len(self.counts) + 1 or not self.counts:
            raise UsageError(
                f"expected one edge more than counts, found {len(self.edges)} and {len(self.counts)}"
            )
        steps = np.diff(self.edges)
        if not (steps > 0).all() or not np.allclose(steps, steps[0]):
            raise UsageError("expected rising edges, equally far apart")
        counts = np.asarray(self.counts, dtype=np.float64)
        if not np.isfinite(counts).all() or (counts < 0).any():
            raise UsageError("expected counts of 0 or more")
        if counts.sum() <= 0:
            raise UsageError("expected something counted, found nothing")

    @property
    def width(self) -> float:
        """The width of an interval, in the unit of the measurements."""
        return (self.edges[-1] - self.edges[0]) / len(self.counts)

    @property
    def total(self) -> float:
        """How many were counted."""
        return math.fsum(self.counts)

    def _middles(self) -> NDArray[np.float64]:
        return np.asarray(self.edges[:-1], dtype=np.float64) + self.width / 2

    def mean(self) -> float:
        """Return the mean, every measurement taken at the middle of its interval."""
        return float(np.asarray(self.counts) @ self._middles()) / self.total

    def sd(self, *, sheppard: bool = True) -> float:
        """Return the standard deviation.

        Parameters
        ----------
        sheppard
            Take w²/12 off the variance: counting by intervals of width w adds so much. The book's
            figures at 2.73 and, for the USCF, at 7.33 have it taken off.
        """
        apart = self._middles() - self.mean()
        variance = float(np.asarray(self.counts) @ apart**2) / self.total
        # Two neighbouring intervals alone can be narrower than the correction supposes.
        return math.sqrt(max(variance - (self.width**2 / 12 if sheppard else 0.0), 0.0))

    def cumulative(self) -> NDArray[np.float64]:
        """Return the share below the upper edge of each interval."""
        return np.asarray(np.cumsum(self.counts) / self.total)

    def above(self, value: float) -> float:
        """Return how many lie above a value, spread evenly within its interval [7.39]."""
        below = np.interp(value, self.edges, np.concatenate(([0.0], np.cumsum(self.counts))))
        return self.total - float(below)

    def expected(self, shape: Shape) -> NDArray[np.float64]:
        """Return the frequencies f_e that a distribution puts into each interval; the ends are open."""
        F = np.asarray(shape.below(np.asarray(self.edges, dtype=np.float64)))
        F[0], F[-1] = 0.0, 1.0
        return np.asarray(np.diff(F) * self.total)

    def table(self, **shapes: Shape) -> pl.DataFrame:
        """Return a row an interval: `low`, `high`, `count`, `percent`, `cumulative`, and f_e by each shape."""
        counts = np.asarray(self.counts, dtype=np.float64)
        whole = bool((counts == np.round(counts)).all())
        return pl.DataFrame(
            {
                "low": self.edges[:-1],
                "high": self.edges[1:],
                "count": counts.astype(np.int64) if whole else counts,
                "percent": 100 * counts / self.total,
                "cumulative": 100 * self.cumulative(),
                **{name: self.expected(shape) for name, shape in shapes.items()},
            }
        )


def histogram(
    values: ArrayLike, width: float, *, limits: Sequence[float] | None = None
) -> Histogram:
    """Count measurements in intervals that begin at multiples of `width`.

    Parameters
    ----------
    limits
        Lowest and highest edge; what lies beyond is counted in the first and the last interval.

    Examples
    --------
    >>> histogram([1203, 1299, 1300, 1415], 100).counts
    (2, 1, 1)
    """
    numbers = np.asarray(values, dtype=np.float64)
    if not (math.isfinite(width) and width > 0):
        raise UsageError(f"expected a width above 0, found {width!r}")
    if not numbers.size or not np.isfinite(numbers).all():
        raise UsageError("expected measurements that are numbers, found none or one that is none")
    low, high = (numbers.min(), numbers.max()) if limits is None else (limits[0], limits[1])
    first = math.floor(low / width)
    last = max(math.floor(high / width), first) if limits is None else math.ceil(high / width) - 1
    count = last - first + 1
    if count > MOST:
        raise UsageError(
            f"expected at most {MOST:,} intervals, found {count:,}: choose a larger width than {width:g}"
        )
    place = np.clip(np.floor(numbers / width).astype(np.int64) - first, 0, count - 1)
    counts = np.bincount(place, minlength=count)
    return Histogram(
        edges=tuple(float(width * (first + i)) for i in range(count + 1)),
        counts=tuple(int(c) for c in counts),
    )
