"""Reports on rating pools (distribution, monitors, growth, fit of ratings to results) and on the lab."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING, Any

import polars as pl

from arpad.pool.significance import p_text
from arpad.publish.reports import Remark, noted, readable_p
from arpad.publish.tables import fitting_table, rich_table
from arpad.rate.draws import probabilities

if TYPE_CHECKING:
    from collections.abc import Mapping

    from arpad.lab.coverage import Coverage
    from arpad.lab.pra_calibration import PraCalibration
    from arpad.lab.predict import Prediction
    from arpad.lab.simulate import Simulation, SystemResult
    from arpad.lab.tuning import Tuning
    from arpad.model import Ratings
    from arpad.pool.check import Check
    from arpad.pool.deflation import Deflation, Exchange
    from arpad.pool.demography import Growth, Potential
    from arpad.pool.distribution import Distribution
    from arpad.pool.draw_check import DrawCheck
    from arpad.pool.monitors import Cohort, PoolAccount, PoolShape
    from arpad.rate.pool import PoolRatings


MOST_FLOWS = 15
"""Rows of segment against segment."""
DISTRIBUTION_DIGITS = {
    **dict.fromkeys(("low", "high"), 0),
    **dict.fromkeys(("percent", "cumulative", "χ²"), 2),
    **dict.fromkeys(("normal", "maxwell"), 1),
    "largest difference": 4,
}
DEFLATION_DIGITS = {
    **dict.fromkeys(("score", "expected"), 3),
    **dict.fromkeys(("difference", "low", "high", "as published"), 4),
    **dict.fromkeys(("too low by", "from", "to"), 1),
}
DEFLATION_NAMES = {
    "points": "too low by",
    "points_low": "from",
    "points_high": "to",
    "as_published": "as published",
}
LIST_DIGITS = {
    **dict.fromkeys(("mean", "error", "sd", "median", "same_mean"), 1),
    **dict.fromkeys(("quartile", "quartile_3", "lowest", "highest"), 0),
}


def distribution_report(result: Distribution) -> list[object]:
    """Write the histogram and what was fitted to it."""
    skew = (
        ""
        if result.skewness is None
        else f" Skewness {result.skewness:.2f}; a normal distribution has 0, Maxwell–Boltzmann .49."
    )
    fine = {} if result.histogram.width.is_integer() else {"low": 2, "high": 2}
    histogram = fitting_table(result.table(), DISTRIBUTION_DIGITS | fine, "Histogram")
    parts: list[object] = [f"{result.summary()}.{skew}", "", histogram, ""]
    if not result.fits:
        return parts
    fits = pl.DataFrame(
        {
            "shape": fit.shape.name,
            "χ²": fit.chi_square.statistic,
            "intervals": fit.chi_square.intervals,
            "p": p_text(fit.chi_square.p),
            "p, fitted": p_text(fit.chi_square.p_fitted),
            "largest difference": fit.kolmogorov_smirnov.difference,
            "at": f"{round(fit.kolmogorov_smirnov.at, 2) + 0.0:g}",
            "KS p": p_text(fit.kolmogorov_smirnov.p),
        }
        for fit in result.fits
    )
    gain = []
    if result.gain is not None:
        more, half = result.gain
        gain = [f"Log likelihood of maxwell over normal: {more:+.2f} ± {half:.2f} for 1,000 players (95 %)."]
    caution = (
        "p is the book's, with j − 1 degrees of freedom; p, fitted takes off one for every constant taken from the data. "
        "Kolmogorov–Smirnov's p is too large for fitted shapes."
    )
    return [
        *parts,
        fitting_table(fits, DISTRIBUTION_DIGITS, "Fits"),
        "",
        *(
            f"{fit.shape.name}: {_constants(fit.shape.parameters(), result.histogram.digits)}"
            for fit in result.fits
        ),
        *gain,
        caution if result.parameters.get("floor") else Remark(caution, "floor"),
    ]


def _constants(parameters: Mapping[str, float], digits: int) -> str:
    return ", ".join(
        f"{name} {value:.1%}" if name == "listed" else f"{name} {round(value, digits) + 0.0:.{digits}f}"
        for name, value in parameters.items()
    )


def exchange_report(result: Exchange, *, least: int = 1) -> list[object]:
    """Write the segments of this many performances or more, and the largest flows of points."""
    flows = result.between.filter((pl.col("segment") != pl.col("opponents")) & (pl.col("points") > 0))
    return [
        *_segments(result.rows, "performances", least, {"percent": 1, "gain": 1, "error": 1}),
        "",
        fitting_table(
            flows.sort("points", descending=True).head(MOST_FLOWS),
            {"expected": 1, "points": 0},
            "Points that one segment won from another",
        ),
        "",
        *noted(result),
        result.summary(),
    ]


def deflation_report(result: Deflation, *, least: int = 1) -> list[object]:
    """Write score and expectation of the segments of this many games or more."""
    table = _segments(result.rows, "games", least, DEFLATION_DIGITS, DEFLATION_NAMES)
    return [*table, "", *noted(result), result.summary()]


def _segments(
    rows: pl.DataFrame,
    count: str,
    least: int,
    digits: Mapping[str, int],
    names: Mapping[str, str] | None = None,
) -> list[object]:
    large = rows.filter(pl.col(count) >= least)
    few = rows.height - large.height
    rest = [Remark(f"… and {few:,} segments of fewer than {least} {count}", "few")] if few else []
    return [fitting_table(readable_p(large).rename(names or {}, strict=False), digits), *rest]


def monitor_report(result: Cohort | PoolShape | PoolAccount) -> list[object]:
    """Write what rating lists say of their pool, and the tests of the last against the first."""
    table = result.table()
    return [
        fitting_table(_upright(table) if "opening" in table.columns else table, LIST_DIGITS),
        "",
        fitting_table(readable_p(result.tests_table()), {"error": 2}, "Last against first"),
        "",
        *noted(result),
        result.summary(),
    ]


def _upright(account: pl.DataFrame) -> pl.DataFrame:
    """Return an account that reads down the page, one column from each list to the next."""
    columns: dict[str, list[str]] = {"": [c for c in account.columns if c not in ("from", "to")]}
    for row in account.iter_rows(named=True):
        values = [row[c] for c in columns[""]]
        columns[f"{row['from']} → {row['to']}"] = [
            "" if v is None else f"{v:,.1f}" if abs(v) < 10_000 and isinstance(v, float) else f"{v:,.0f}"
            for v in values
        ]
    return pl.DataFrame(columns)


def growth_report(result: Growth, *, counts: pl.DataFrame, until: float | None = None) -> list[object]:
    """Write the counts beside the curve, its constants, and what it gives for a year."""
    later = (
        [] if until is None else [f"In {until:g} the curve gives {float(result.count(until)):,.0f} players."]
    )
    return [
        fitting_table(counts, {"year": 1, "players": 0, "curve": 0}),
        "",
        (
            f"N = N_max/(1 + a·e^(−b·(t − {result.origin:g}))) with N_max {result.n_max:,.0f} ± {result.n_max_error:,.0f}, "
            f"a {result.a:.4g} ± {result.a_error:.2g}, b {result.b:.4f} ± {result.b_error:.4f} a year."
        ),
        *later,
        f"{result.summary()}.",
    ]


def potential_report(result: Potential) -> list[object]:
    """Write the chances to reach the levels, and the band of curves."""
    table = result.table()
    return [
        fitting_table(result.chances(), {"level": 0, "chance": 2, "age": 1}, "Chances"),
        "",
        fitting_table(table, dict.fromkeys(table.columns, 0) | {"age": 1}, "This many are below"),
        "",
        "chance: the share of such players who reach the level at some time; age: when half of them have.",
        "Players who left the lists are not counted, and each change is taken as independent of the last.",
        f"{result.summary()}.",
    ]


def scale_report(result: Any, *, table: pl.DataFrame, counts: Mapping[str, int], exact: bool) -> list[object]:
    """Write a table of conversions, and how many players it rests on."""
    digits = {"value": 0, "error": 1, "low": 0, "high": 0, "difference": 0, "rating": 0, "games": 0}
    named = ", ".join(f"{n:,} {word.replace('_', ' ')}" for word, n in counts.items())
    confidence = result.parameters["confidence"]
    return [
        fitting_table(table, digits | {"age": 1 if exact else 0}),
        "",
        f"{result.summary()}.",
        f"Players: {named}. Nothing is said beyond the data; error, low and high are of the curve ({confidence:.0%}).",
    ]


# How well ratings and draw models fit results.

SHOWN = 10
"""Deviations that are listed unless more are asked for."""
CHECK_DIGITS = {
    **dict.fromkeys(("D", "indicated D"), 0),
    **dict.fromkeys(("percent", "cumulative", "promised", "own", "chance"), 1),
    **dict.fromkeys(("draws", "z", "W_e", "W − W_e", "σ of W", "PE", "low", "high", "χ²"), 2),
    **dict.fromkeys(("P", "scored", "difference"), 3),
    "σ": 4,
}
NO_ADVANTAGE = 1500.0
"""Points beyond which the first move's worth is chance, or wrong ratings."""


def check_report(result: Check, *, top: int | None = None) -> list[object]:
    """Write expected and actual scores, the largest `top` deviations, and the tests."""
    groups = result.table().rename(
        {"expected": "P", "actual": "scored", "sigma": "σ", "indicated": "indicated D"}
    )
    columns = ("low", "high", "games", "P", "scored", "draws", "difference", "σ", "z", "D", "indicated D")
    names = {
        "score": "W",
        "expected": "W_e",
        "difference": "W − W_e",
        "sigma": "σ of W",
        "probable_error": "PE",
    }
    worst = result.deviations.head(top or SHOWN).select("player", "event", "games", *names, "z").rename(names)
    if worst["event"].null_count() == worst.height:
        worst = worst.drop("event")
    histogram = result.histogram_table()
    parts: list[object] = [
        result.summary() + ".",
        "",
        fitting_table(
            groups.select(columns), CHECK_DIGITS, "Expected and actual score (shares of the point)"
        ),
        "",
        _white(result),
        "",
        fitting_table(worst, CHECK_DIGITS, "Largest deviations, of those with enough games first"),
        "",
    ]
    if histogram is not None:
        parts += [
            fitting_table(_filled(histogram), CHECK_DIGITS, "Deviations (W − W_e) / σ"),
            "",
            fitting_table(_limits(result), CHECK_DIGITS, ""),
            "",
        ]
    return [
        *parts,
        fitting_table(readable_p(result.tests_table(), "p", "p, fitted"), CHECK_DIGITS, "Tests"),
        "",
        *_caution(result),
    ]


def _filled(histogram: pl.DataFrame) -> pl.DataFrame:
    rows = histogram.with_row_index().filter(pl.col("count") > 0)["index"].to_list()
    return histogram[rows[0] : rows[-1] + 1]


def _white(result: Check) -> str:
    words = f"White: {result.white.summary()}"
    if result.first_move is None:
        return words + "."
    points, error = result.first_move
    if abs(points) > NO_ADVANTAGE:
        return f"{words}; the value of the first move cannot be estimated."
    return f"{words}; worth {points:.1f} ± {error:.1f} points beyond the {result.parameters['white_advantage']:g} given."


def _limits(result: Check) -> pl.DataFrame:
    s = result.spread
    names = ("probable error", "σ", "3 probable errors")
    counts = (s.beyond_probable_error, s.beyond_sigma, s.beyond_three_probable_errors)
    return pl.DataFrame({"beyond": names, "found": counts, "chance": s.expected()})


def _caution(result: Check) -> list[object]:
    s = result.spread
    lines: list[object] = []
    if s.count and s.sd is not None:
        each = "players" if result.parameters["per"] == "player" else "entries"
        lines.append(
            f"{s.count:,} {each} with {result.parameters['enough']} games or more spread {s.sd:.2f} times as wide as chance alone would."
        )
    else:
        lines.append(Remark(f"Nobody, or one player, has {result.parameters['enough']} games", "few-players"))
    lines.append(
        "σ assumes exact ratings and independent games. Neither is quite true: a player's games share the error of one "
        "rating, so deviations of players spread wider than σ even where ratings are right on average."
    )
    return lines


DRAWS_DIGITS = {
    "z": 1,
    **dict.fromkeys(("observed", "predicted", "win", "draw", "loss"), 3),
    **dict.fromkeys(("value", "error", "95 % from", "to", "σ", "log loss", "drawn or not"), 4),
}
EXAMPLES = (1600, 1800, 2000, 2200, 2400, 2600, 2800)
"""Levels at which a person sees what the model says."""


def draw_report(result: DrawCheck) -> list[object]:
    """Write the constants, what they say between equals, and how well they fit by level and difference."""

    def rates(what: str) -> pl.DataFrame:
        group = pl.format("{} – {}", pl.col(what).cast(pl.Int64), pl.col(f"{what}_to").cast(pl.Int64) - 1)
        return result.by(what).select(group.alias(what), "games", "observed", "predicted", "z")

    constants = result.fit.table().rename({"constant": "name", "low": "95 % from", "high": "to"})
    parts: list[object] = [
        result.summary() + ".",
        "",
        fitting_table(constants, DRAWS_DIGITS, "Constants"),
        "",
        fitting_table(_examples(result), DRAWS_DIGITS, "Between equals, no colour"),
        "",
        fitting_table(rates("level"), DRAWS_DIGITS, "Drawn, by level (mean rating)"),
        "",
        fitting_table(rates("difference"), DRAWS_DIGITS, "Drawn, by rating difference"),
        "",
    ]
    if result.others is not None:
        names = {"loss": "log loss", "draw_loss": "drawn or not"}
        parts += [
            fitting_table(result.others.rename(names), DRAWS_DIGITS, "Forms, the least log loss first"),
            "",
        ]
    return [*parts, *_draws_caution(result)]


def _examples(result: DrawCheck) -> pl.DataFrame:
    model = result.fit.model
    levels = [L for L in EXAMPLES if model.low <= L <= model.high]
    levels = levels or [round((model.low + model.high) / 2)]
    win, draw, loss = probabilities(levels, levels, curve=result.curve, model=model)
    return pl.DataFrame({"level": [f"{L:g}" for L in levels], "win": win, "draw": draw, "loss": loss})


def _draws_caution(result: DrawCheck) -> list[object]:
    model, rising = result.fit.model, result.rising()
    odd = (
        []
        if rising is None
        else [
            Remark(
                f"From level {rising[0]:.0f} to {rising[1]:.0f} these constants draw more as the difference grows, which is hard to believe",
                "terms",
            )
        ]
    )
    return [
        *odd,
        (
            f"Known from games of levels {model.low:.0f} to {model.high:.0f} and differences up to {model.reach:.0f} points (all but one in a thousand); "
            "beyond, the draw rate of the nearest level is used."
        ),
        "Errors assume independent games. P(win) + P(draw)/2 is always the score that the curve expects; where the curve is wrong, these are wrong too.",
    ]


HIDDEN = ("so_far", "topped", "total_games", "carried", "fide", "birth", "imputed_by", "on")
"""Columns of a list that only programs read."""
SHOWN_CYCLES = 10
COVERAGE_DIGITS = {
    **dict.fromkeys(("covered", "least", "most", "ratio", "spread", "own_covered", "own_ratio"), 2),
    **dict.fromkeys(("width", "error", "rmse", "own_width"), 0),
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
        by_cycle = [
            fitting_table(cycles, digits, "Cycle by cycle, with the drift that the list leaves out"),
            "",
        ]
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
        "own_covered, own_ratio: the same with the method's own error, which stands beside the printed one.",
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
    from arpad.lab.walk import day_called

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
            f"{each.system} tuned: {_tuned_constants(each.best.options) or 'nothing better than as published'} "
            f"({len(each.trials)} trials, validation {each.published.log_loss:.4f} → {each.best.log_loss:.4f})"
            for each in result.tuned
        ),
    ]


def _tuned_constants(options: Mapping[str, float]) -> str:
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
