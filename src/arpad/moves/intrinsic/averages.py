"""The last lines of the paper's tables: averages, deviations, weighted averages, and all moves in one run."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["AVERAGED", "DEVIATION", "averages"]

DEVIATION = "standard deviation"
AVERAGED = ("elo", "performance", "ipr", "ipr_minus_elo", "ipr_minus_performance", "moves")
"""Columns that are averaged, each over the rows that have it."""


def averages(rows: pl.DataFrame) -> pl.DataFrame:
    """Return the lines below a table: plain averages, standard deviations, averages weighted by games and by moves.

    The deviation divides by the number of rows, as table 5's does. None for fewer than two rows with a rating.

    Examples
    --------
    >>> rows = pl.DataFrame({"ipr": [2600.0, 2700.0], "elo": [2650.0, None], "games": [1, 3], "moves": [100, 100]})
    >>> averages(rows).select("name", "ipr", "elo").rows()
    [('average', 2650.0, 2650.0), ('standard deviation', 50.0, 0.0), ('by games', 2675.0, 2650.0), ('by moves', 2650.0, 2650.0)]
    """
    rated = rows.filter(pl.col("ipr").is_not_null())
    there = [c for c in AVERAGED if c in rows.columns]
    schema = {"name": pl.String, **dict.fromkeys(there, pl.Float64)}
    if rated.height < 2:
        return pl.DataFrame(schema=schema)
    ways: dict[str, NDArray[np.float64] | None] = {
        "average": None,
        DEVIATION: None,
        "by games": rated["games"].to_numpy().astype(np.float64),
        "by moves": rated["moves"].to_numpy().astype(np.float64),
    }
    lines = []
    for name, weights in ways.items():
        line: dict[str, object] = {"name": name}
        for column in there:
            if name == "average" or column != "moves":  # how much moves weigh says nothing of them
                line[column] = _figure(rated[column], weights, spread=name == DEVIATION)
        lines.append(line)
    return pl.DataFrame(lines, schema=schema)


def _figure(
    column: pl.Series, weights: NDArray[np.float64] | None, *, spread: bool
) -> float | None:
    known = column.is_not_null().to_numpy()
    values = column.drop_nulls().to_numpy().astype(np.float64)
    if not len(values):
        return None
    if spread:
        return float(values.std())
    return float(np.average(values, weights=None if weights is None else weights[known]))
