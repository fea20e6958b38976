"""The shape of a pool between two dates [Elo 3.82]."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from arpad.errors import InputError, UsageError
from arpad.pool.dated import DatedList, aligned
from arpad.pool.significance import (
    Significance,
    distributions,
    means,
    paired,
    spreads,
    tests_table,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

__all__ = ["STEP", "Shape", "bars", "shape"]

STEP = 50.0
"""Width of a bar of the histogram, in points."""

FLOORS_DIFFER = 25.0
"""Points by which two lists' lowest ratings may differ before that is told."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """Each list's moments, the histogram, and whether anything changed between the first and the last."""

    rows: pl.DataFrame
    """A row a list: `list`, `date`, `players`, `mean`, `sd`, quartiles, `skewness`, `kurtosis`, extremes."""
    histogram: pl.DataFrame
    """`list`, `from` (a rating), `players`, `share`."""
    tests: tuple[Significance, ...]
    parameters: Mapping[str, object]
    notes: tuple[str, ...] = field(default=())

    def table(self) -> pl.DataFrame:
        """Return the moments, a row a list."""
        return self.rows

    def tests_table(self) -> pl.DataFrame:
        """Return the tests, a row each."""
        return tests_table(self.tests)

    def summary(self) -> str:
        """Return one sentence."""
        first, last = self.rows.row(0, named=True), self.rows.row(-1, named=True)
        return (
            f"{first['list']} to {last['list']}: {first['players']:,} to {last['players']:,} players, mean "
            f"{first['mean']:.1f} to {last['mean']:.1f}, σ {first['sd'] or 0:.1f} to {last['sd'] or 0:.1f}"
        )


def shape(lists: Sequence[DatedList], *, step: float = STEP) -> Shape:
    """Compare the distributions of ratings on two lists or more; the tests take the first and the last.

    Parameters
    ----------
    step
        Width of a bar of the histogram, in points.
    """
    if not step > 0:
        raise UsageError(f"expected a step above 0 points, found {step!r}")
    found = aligned(lists)
    if len(found) < 2:
        raise UsageError(f"expected two rating lists or more, found {len(found)}")
    for each in found:
        if not each.rows.height:
            raise InputError("expected rated players, found none", file=each.label)
    first, last = (each.rows["rating"].to_numpy() for each in (found[0], found[-1]))
    both = found[0].rows.join(found[-1].rows.select("person", later="rating"), on="person")
    tests = (
        means(first, last, "change of the mean"),
        spreads(first, last, "change of σ"),
        distributions(first, last, "largest gap between the distributions"),
        distributions(_own(first), _own(last), "the same in units of each list's own σ"),
        paired((both["later"] - both["rating"]).to_numpy(), "change of those on both lists"),
    )
    return Shape(
        rows=pl.DataFrame([_row(each) for each in found]),
        histogram=pl.concat(bars(each.rows["rating"], step, list=each.label) for each in found),
        tests=tests,
        parameters={"step": step},
        notes=_notes(found),
    )


def _own(ratings: NDArray[np.float64]) -> NDArray[np.float64]:
    sd = float(ratings.std())
    return np.asarray((ratings - ratings.mean()) / (sd or 1.0))


def _row(each: DatedList) -> dict[str, object]:
    ratings = each.rows["rating"].to_numpy()
    n = len(ratings)
    own = _own(ratings)
    low, middle, high = (float(q) for q in np.quantile(ratings, (0.25, 0.5, 0.75)))
    return {
        "list": each.label,
        "date": each.date,
        "players": n,
        "mean": float(ratings.mean()),
        "sd": float(ratings.std(ddof=1)) if n > 1 else None,
        "lowest": float(ratings.min()),
        "quartile": low,
        "median": middle,
        "quartile_3": high,
        "highest": float(ratings.max()),
        "skewness": float((own**3).mean()),
        "kurtosis": float((own**4).mean() - 3) if own.any() else 0.0,
    }


def bars(ratings: pl.Series, step: float, **label: str) -> pl.DataFrame:
    """Return a histogram: the label, `from` (a rating), `players`, `share`.

    Examples
    --------
    >>> bars(pl.Series([2010.0, 2049.0, 2050.0]), 50, list="x").rows()
    [('x', 2000.0, 2, 0.6666666666666666), ('x', 2050.0, 1, 0.3333333333333333)]
    """
    counted = (
        ratings.alias("rating")
        .to_frame()
        .select(((pl.col("rating") / step).floor() * step).alias("from"))
        .group_by("from")
        .len("players")
        .sort("from")
    )
    return counted.select(
        *(pl.lit(text).alias(name) for name, text in label.items()),
        "from",
        pl.col("players").cast(pl.Int64),
        (pl.col("players") / ratings.len()).alias("share"),
    )


def _notes(found: Sequence[DatedList]) -> tuple[str, ...]:
    notes = [
        (
            "those on both lists count twice in all tests but the last: p is rather too large there; the fourth "
            "test takes mean and σ from the data, which makes its p too large as well"
        ),
        "with thousands of players any difference is significant: look at its size",
    ]
    floors = [float(each.rows["rating"].to_numpy().min()) for each in found]
    if max(floors) - min(floors) > FLOORS_DIFFER:
        told = ", ".join(f"{each.label} {f:g}" for each, f in zip(found, floors, strict=True))
        notes.append(
            f"the lists begin at different ratings ({told}): compare them from {max(floors):g} up"
        )
    return tuple(notes)
