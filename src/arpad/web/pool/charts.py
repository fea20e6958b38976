"""Charts of the monitors, from what they found."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

import polars as pl

from arpad.publish.growth_chart import growth_chart
from arpad.publish.means_chart import means_chart
from arpad.publish.monitor_charts import account_chart, cohort_chart, shape_chart

if TYPE_CHECKING:
    from arpad.pool.shape import Shape
    from arpad.web.pool.drift import Moves

__all__ = ["Monitor", "drift_chart"]

Monitor = Literal["means", "shapes", "account", "cohort", "growth"]


def drift_chart(found: Moves, monitor: Monitor) -> Any:
    """Return the chart of one monitor; None where it has nothing to say."""
    if monitor == "cohort":
        return None if found.cohort is None else cohort_chart(found.cohort)
    if monitor == "growth":
        return None if found.growth is None else growth_chart(found.growth, found.counts)
    if found.shape is None or found.account is None:
        return None
    if monitor == "means":
        return means_chart(found.shape)
    return shape_chart(_two(found.shape)) if monitor == "shapes" else account_chart(found.account)


def _two(shape: Shape) -> Shape:
    """Return the first and the last list: more lines than two say nothing."""
    ends = pl.concat([shape.rows.head(1), shape.rows.tail(1)])
    lines = shape.histogram.filter(pl.col("list").is_in(ends["list"].implode()))
    return replace(shape, rows=ends, histogram=lines)
