"""Reports on results: lines and tables in order, for a terminal or a text file."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from arpad.publish.tables import fitting_table

if TYPE_CHECKING:
    from collections.abc import Mapping

    import polars as pl

REPORTS = {
    "PoolAccount": "pool:monitor_report",
    "PraCalibration": "pool:calibration_report",
    "Check": "pool:check_report",
    "Cohort": "pool:monitor_report",
    "Coverage": "pool:coverage_report",
    "Deflation": "pool:deflation_report",
    "Distribution": "pool:distribution_report",
    "DrawCheck": "pool:draw_report",
    "Exchange": "pool:exchange_report",
    "FideUpdate": "event:fide_update_report",
    "Forecast": "event:match_report",
    "Greatness": "event:greatness_report",
    "Growth": "pool:growth_report",
    "Handicaps": "event:handicap_report",
    "History": "event:history_report",
    "MatchHandicap": "event:match_handicap_report",
    "NormRegister": "event:norm_register_report",
    "Performance": "event:performance_report",
    "PoolRatings": "pool:pool_report",
    "Potential": "pool:potential_report",
    "Prediction": "pool:prediction_report",
    "Ratings": "pool:ratings_report",
    "ScaleFit": "pool:scale_report",
    "PoolShape": "pool:monitor_report",
    "Simulation": "pool:simulation_report",
    "Tuning": "pool:tuning_report",
    "StrengthReport": "moves:strength_lines",
    "UscfTitleOdds": "event:title_odds_report",
    "WholeHistory": "event:whole_history_report",
}
"""Class of a result → the function in this package that writes its report; others have the general one."""


class Remark(str):
    """A line of a report behind which the command line, or a page, may say what helps."""

    __slots__ = ("code", "fields")

    def __new__(cls, text: str, code: str, **fields: object) -> Remark:
        """Return the line with its code and the values that the words of help need."""
        line = super().__new__(cls, text)
        line.code, line.fields = code, fields
        return line

    code: str
    fields: Mapping[str, object]


def report(result: Any, *, digits: Mapping[str, int] | None = None, **view: Any) -> list[object]:
    """Return the lines and tables that people read of a result.

    Parameters
    ----------
    digits
        Digits after the point by column, for results without a report of their own.
    view
        How much of it, and which part: the options of the function in `REPORTS`.
    """
    place = REPORTS.get(type(result).__name__)
    if place is not None and digits is None:
        module, _, function = place.partition(":")
        parts: list[object] = getattr(import_module(f"arpad.publish.reports.{module}"), function)(
            result, **view
        )
        return parts
    return [fitting_table(result.table(), digits), "", *noted(result), f"{result.summary()}."]


def noted(result: Any) -> list[object]:
    """Return the notes of a result, and a line between them and what follows."""
    notes = [f"- {note}" for note in result.notes] if hasattr(result, "notes") else []
    return [*notes, ""] if notes else []


def readable_p(frame: pl.DataFrame, *columns: str) -> pl.DataFrame:
    """Return a table whose p are words: < 0.001 and not 0.0000."""
    import polars as pl

    from arpad.pool.significance import p_text

    return frame.with_columns(
        pl.Series(name, [None if p is None else p_text(p) for p in frame[name]], dtype=pl.String)
        for name in columns or ("p",)
    )
