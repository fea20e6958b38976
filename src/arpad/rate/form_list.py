"""A list with a spread, read on another day."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from arpad.rate.form_state import LEAST_ERROR, days_of, moments
from arpad.rate.timeline import Clock, clock_of, day

if TYPE_CHECKING:
    from datetime import date

    from arpad.model import Ratings
    from arpad.rate.form_rating import FormSystem

__all__ = ["list_on"]


def list_on(system: FormSystem, ratings: Ratings, on: date | str | None) -> Ratings:
    """Return a list as it stands on the morning of a later day, if nobody plays in between.

    Ratings stay; `error` grows from the day that each is of (`on`, or the period of the `last` game) as
    the system says. Where neither is known it stays, and where it is missing it is `given_error`.
    """
    on = day(on)
    clock = clock_of(system.period)
    at = moments(ratings.rows, clock or Clock(), whole=clock is not None)
    error = _column(ratings.rows, "error", system.given_error)
    volatility = _column(ratings.rows, "volatility", system.usual_volatility or 0.0)
    until = np.nan if on is None else (clock or Clock()).at(on)
    t = np.nan_to_num(np.maximum(0.0, until - at))
    grown = np.sqrt(error**2 + system.pace(volatility) * t)
    last = [days_of(ratings.rows["last"])] if "last" in ratings.rows.columns else []
    rows = ratings.rows.with_columns(
        *last,
        pl.Series("error", np.clip(grown, LEAST_ERROR, system.max_error)),
        pl.lit(on, dtype=pl.Date).alias("on"),
    )
    return replace(ratings, rows=rows, parameters={**ratings.parameters, "on": on})


def _column(rows: pl.DataFrame, name: str, usual: float) -> np.ndarray:
    if name not in rows.columns:
        return np.full(rows.height, usual)
    return rows[name].cast(pl.Float64).fill_null(usual).fill_nan(usual).to_numpy()
