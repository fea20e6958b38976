"""Reports on rating systems: lists, pool solutions, predictions, simulations, coverage, PRA's constants."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING

import polars as pl

from arpad.publish.reports import Remark
from arpad.publish.tables import fitting_table, rich_table

if TYPE_CHECKING:
    from collections.abc import Mapping

    from arpad.lab.coverage import Coverage
    from arpad.lab.pra_calibration import PraCalibration
    from arpad.lab.predict import Prediction
    from arpad.lab.simulate import Simulation, SystemResult
    from arpad.lab.tuning import Tuning
    from arpad.model import Ratings
    from arpad.rate.pool import PoolRatings

HIDDEN = ("so_far", "topped", "total_games", "carried", "fide", "birth", "imputed_by", "on")
"""Columns of a list that only programs read."""
SHOWN_CYCLES = 10
COVERAGE_DIGITS = {
    **dict.fromkeys(("covered", "least", "most", "ratio", "spread"), 2),
    **dict.fromkeys(("width", "error", "rmse"), 0),
    "bias": 1,
}
TUNING_DIGITS = {
    **dict.fromkeys(("log_loss_usual", "log_loss", "better", "low", "high"), 4),
    **dict.fromkeys(("usual", "best", "lowest", "highest"), 2),
}
PREDICTION_COLUMNS = {
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
PREDICTION_DIGITS = dict.fromkeys(list(PREDICTION_COLUMNS.values())[1:], 4) | {"White": 0, "scale": 2}
PARTS_DIGITS = dict.fromkeys(
    ("log_loss", "log_loss_recalibrated", "brier", "accuracy", "mean_expected", "mean_score"), 4
)
STEPS = 17
"""Rounds of a simulation that are listed, about: every twentieth of 340."""
SIMULATION_DIGITS = {
    **dict.fromkeys(("out of spec", "±", "true", "players"), 0),
    **dict.fromkeys(("per cent", "mean error", "RMS error", "mean", "spread"), 1),
}


def ratings_report(result: Ratings, *, top: int | None = None, archive: bool = False) -> list[object]:
    """Write the list, or the first `top` of it."""
    table = result.table(top).drop(HIDDEN, strict=False)
    rest = result.rows.height - table.height
    code = "more-archive" if archive else "more-rows"
    more = [Remark(f"… and {rest:,} more", code, rows=result.rows.height)] if rest else []
    digits = {"rating": 0, "before": 0, "change": 0} if result.system == "fide" else {}
    return [fitting_table(table, digits), *more, "", result.summary()]


def pool_report(
    result: PoolRatings, *, top: int | None = None, most_cycles: int = SHOWN_CYCLES
) -> list[object]:
    """Write the list, the groups where there are several, and the cycles of a short approximation."""
    ratings, groups, cycles = result.ratings, result.groups, result.cycles
    table = ratings.table(top)
    rest = ratings.rows.height - table.height
    several = "Groups that can be compared within, not with each other"
    by_cycle: list[object] = []
    if cycles is not None and most_cycles <= SHOWN_CYCLES:
        digits = dict.fromkeys(cycles.columns[1:], 0)
        by_cycle = [fitting_table(cycles, digits, "Cycle by cycle"), ""]
    return [
        fitting_table(table),
        *([f"… and {rest:,} more"] if rest else []),
        "",
        *([fitting_table(groups.head(10), title=several), ""] if groups.height > 1 else []),
        *by_cycle,
        ratings.summary(),
    ]


def coverage_report(result: Coverage, *, every: bool = False) -> list[object]:
    """Write a row a system, or with `every` a row for each system and world."""
    if every or result.rows["system"].n_unique() == 1:
        return [fitting_table(result.table(), COVERAGE_DIGITS), "", f"{result.summary()}."]
    table = result.by_system()
    silent = table.filter(table["covered"].is_null())["system"].to_list()
    return [
        fitting_table(table.filter(table["covered"].is_not_null()), COVERAGE_DIGITS),
        "",
        "covered: share of true strengths inside the 95 % interval, over all worlds; least, most: of one world.",
        "width: of the interval; rmse: how wrong ratings are; ratio: printed error over rmse, 1 is right.",
        "below, within, above: worlds in which coverage is below .92, from .92 to .97, above .97.",
        *([f"No error is printed by {', '.join(silent)}."] if silent else []),
        Remark(f"{result.summary()}.", "worlds"),
    ]


def tuning_report(result: Tuning) -> list[object]:
    """Write a row a constant, and the options to rate with."""
    lines: list[object] = [fitting_table(result.table(), TUNING_DIGITS), ""]
    for name in result.rows["system"].unique(maintain_order=True).to_list():
        told = " ".join(f"{k}={v:.4g}" for k, v in result.options(name).items())
        usual = f"{name}: the usual constants; nothing is better for certain"
        lines.append(Remark(f"{name}: {told}", "tuned") if told else usual)
    return [*lines, f"{result.summary()}."]


def prediction_report(result: Prediction, *, by: str | None = None) -> list[object]:
    """Write the comparison of systems, or the figures of every part of the games, by period, level or games."""
    from arpad.lab.windows import day_called

    parts = result.parts.filter(pl.col("by") == (by or "")).drop("by")
    if parts.is_empty():
        return _comparison(result)
    if by == "period":  # months that are only counted have no dates
        days = [day_called(date.fromisoformat(day)) for day in parts["group"]]
        parts = parts.with_columns(pl.Series("group", days))
    words = {
        "period": "group: the first day of the period",
        "level": f"group: mean rating of the two, from this up to 200 more ({result.levels})",
        "games": "group: earlier games of the less experienced player, from this on",
    }
    return [rich_table(parts, digits=PARTS_DIGITS), "", words[by or ""], result.summary()]


def _comparison(result: Prediction) -> list[object]:
    table = result.table()
    scored = table.filter(pl.col("n").is_not_null()).select(
        (pl.col(theirs).cast(pl.Float64) if ours in PREDICTION_DIGITS else pl.col(theirs)).alias(ours)
        for theirs, ours in PREDICTION_COLUMNS.items()
    )
    return [
        *([rich_table(scored, digits=PREDICTION_DIGITS)] if scored.height else []),
        *(f"{each.system}: {each.reason}" for each in result.standings if each.reason),
        "",
        result.summary(),
        *_how_compared(result),
    ]


def _how_compared(result: Prediction) -> list[str]:
    if result.reference is None:
        return []
    c = result.counts
    best = "the best of the validation window" if c.validation else "the first that was named"
    chosen = "" if result.asked else f", {best}"
    fitted = (
        f"recalibrated: White's advantage (in points) and scale fitted to {c.validation:,} games of the validation "
        "window, for every system alike. "
        if c.validation
        else ""
    )
    return [
        (
            f"log loss: draws count half. {fitted}difference: from "
            f"{result.reference}{chosen}; low and high: the middle 95 % of {result.draws:,} draws of {c.blocks:,} events "
            "(month by month; days where none is named), the same for all systems. accuracy: what the favourite scored, a draw "
            "being half."
        ),
        *(
            f"{each.system} tuned: {_constants(each.best.options) or 'nothing better than as published'} "
            f"({len(each.trials)} trials, validation {each.published.log_loss:.4f} → {each.best.log_loss:.4f})"
            for each in result.tuned
        ),
    ]


def _constants(options: Mapping[str, float]) -> str:
    return ", ".join(f"{name} {value:.4g}" for name, value in dict(options).items())


def simulation_report(result: Simulation, *, paths: int = 0, until: bool = False) -> list[object]:
    """Write how ratings get into spec, system by system; games until in spec, and paths of some players."""
    parts: list[object] = []
    for system in result.systems:
        title = f"Out of spec: {system.label}"
        parts += [rich_table(_course(result, system), title=title, digits=SIMULATION_DIGITS), ""]
    if until:
        table = result.until(since=paths)
        table = table if len(result.systems) > 1 else table.drop("system")
        title = "Games until in spec, by true rating"
        parts += [rich_table(table, title=title, digits=SIMULATION_DIGITS), ""]
    for i in range(paths):
        path = result.path(i)
        table = path.filter(_some_rounds(int(str(result.parameters["rounds"])), pl.col("round")))
        digits = {system.label: 1 for system in result.systems}
        title = f"Rating of a player whose true rating is {result.watch[i]:g} at the start"
        parts += [
            title,
            "",
            rich_table(table.pivot("system", index="round", values="rating"), digits=digits),
            "",
        ]
    return [*parts, f"{result.summary()}. In spec: within {result.parameters['tolerance']:g} points."]


def _some_rounds(last: int, number: pl.Expr) -> pl.Expr:
    return (number % max(1, round(last / STEPS)) == 0) | (number == last)


def _course(result: Simulation, system: SystemResult) -> pl.DataFrame:
    table = result.table().filter(pl.col("system") == system.label)
    table = table.filter(_some_rounds(table.height - 1, pl.col("round"))).select(
        "round",
        "players",
        pl.col("out_of_spec").alias("out of spec"),
        pl.col("spread").alias("±"),
        (100 * pl.col("share")).alias("per cent"),
        pl.col("mean_error").alias("mean error"),
        pl.col("rms_error").alias("RMS error"),
    )
    return table if result.runs > 1 else table.drop("±")


def calibration_report(result: PraCalibration) -> list[object]:
    """Write PRA's constants beside those that were found for a world."""
    p = result.parameters
    digits = dict.fromkeys(("author", "found", "from", "to"), 3)
    return [
        rich_table(result.table(), title=f"Constants of PRA for the world {p['world']}", digits=digits),
        "",
        f"{result.summary()}.",
        (
            f"{p['candidates']} candidates on {p['seasons']} seasons of {p['players']:,} players and {p['rounds']:,} rounds; "
            "from and to: candidates that were as good within two standard errors."
        ),
    ]
