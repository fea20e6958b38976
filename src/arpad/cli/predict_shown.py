"""A comparison of systems as people read it."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from arpad.lab.prediction import Prediction

__all__ = ["parts_shown", "shown"]

COLUMNS = {
    "system": "system",
    "log_loss": "log loss",
    "log_loss_recalibrated": "recalibrated",
    "difference": "difference",
    "low": "low",
    "high": "high",
    "brier": "Brier",
    "accuracy": "accuracy",
    "white_advantage": "White",
    "b": "scale",
}
DIGITS = {
    "log loss": 4,
    "recalibrated": 4,
    "difference": 4,
    "low": 4,
    "high": 4,
    "Brier": 4,
    "accuracy": 4,
    "White": 0,
    "scale": 2,
}
PARTS_DIGITS = {
    "log_loss": 4,
    "log_loss_recalibrated": 4,
    "brier": 4,
    "accuracy": 4,
    "mean_expected": 4,
    "mean_score": 4,
}


def shown(found: Prediction) -> list[object]:
    """Return the table, what its columns are, and who could not be compared."""
    import polars as pl

    from arpad.publish.tables import rich_table

    table = found.table()
    scored = table.filter(pl.col("n").is_not_null()).select(
        pl.col(theirs).cast(pl.Float64).alias(ours)
        if ours in DIGITS
        else pl.col(theirs).alias(ours)
        for theirs, ours in COLUMNS.items()
    )
    left_out = [f"{each.system}: {each.reason}" for each in found.standings if each.reason]
    return [
        *([rich_table(scored, digits=DIGITS)] if scored.height else []),
        *left_out,
        "",
        found.summary(),
        *_told(found),
    ]


def _told(found: Prediction) -> list[str]:
    if found.reference is None:
        return []
    c = found.counts
    best = "the best of the validation window" if c.validation else "the first that was named"
    chosen = "" if found.asked else f", {best}"
    fitted = ""
    if c.validation:
        fitted = (
            f"recalibrated: White's advantage (in points) and scale fitted to {c.validation:,} games of the "
            "validation window, for every system alike. "
        )
    lines = [
        (
            f"log loss: draws count half. {fitted}difference: from "
            f"{found.reference}{chosen}; low and high: the middle 95 % of {found.draws:,} draws of {c.blocks:,} events "
            "(month by month; days where none is named), the same for all systems. accuracy: what the favourite scored, a draw "
            "being half."
        )
    ]
    lines.extend(
        f"{each.system} tuned: {_constants(each.best.options) or 'nothing better than as published'} "
        f"({len(each.trials)} trials, validation {each.published.log_loss:.4f} → {each.best.log_loss:.4f})"
        for each in found.tuned
    )
    return lines


def _constants(options: object) -> str:
    items = dict(options).items()  # type: ignore[call-overload]
    return ", ".join(f"{name} {value:.4g}" for name, value in items)


def parts_shown(found: Prediction, by: str) -> list[object]:
    """Return the figures of every part of the games, by period, level or games."""
    import polars as pl

    from arpad.lab.windows import day_called
    from arpad.publish.tables import rich_table

    parts = found.parts.filter(pl.col("by") == by).drop("by")
    if parts.is_empty():
        return shown(found)
    if by == "period":  # months that are only counted have no dates
        days = [day_called(date.fromisoformat(day)) for day in parts["group"]]
        parts = parts.with_columns(pl.Series("group", days))
    words = {
        "period": "group: the first day of the period",
        "level": f"group: mean rating of the two, from this up to 200 more ({found.levels})",
        "games": "group: earlier games of the less experienced player, from this on",
    }
    return [rich_table(parts, digits=PARTS_DIGITS), "", words[by], found.summary()]
