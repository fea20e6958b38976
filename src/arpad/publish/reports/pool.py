"""Reports on rating pools: distribution, monitors, growth, a child's chances, how ratings fit results."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl

from arpad.pool.significance import p_text
from arpad.publish.reports import Remark, noted, readable_p
from arpad.publish.tables import fitting_table
from arpad.rate.draws import probabilities

if TYPE_CHECKING:
    from collections.abc import Mapping

    from arpad.pool.check import Check
    from arpad.pool.deflation import Deflation
    from arpad.pool.demography import Growth, Potential
    from arpad.pool.distribution import Distribution
    from arpad.pool.draw_check import DrawCheck
    from arpad.pool.exchange import Exchange
    from arpad.pool.monitors import Cohort, PoolAccount, PoolShape

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
    histogram = fitting_table(result.table(), DISTRIBUTION_DIGITS, "Histogram")
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
            "at": f"{fit.kolmogorov_smirnov.at:.0f}",
            "KS p": p_text(fit.kolmogorov_smirnov.p),
        }
        for fit in result.fits
    )
    caution = (
        "p is the book's, with j − 1 degrees of freedom; p, fitted takes off one for every constant taken from the data. "
        "Kolmogorov–Smirnov's p is too large for fitted shapes."
    )
    return [
        *parts,
        fitting_table(fits, DISTRIBUTION_DIGITS, "Fits"),
        "",
        *(f"{fit.shape.name}: {_constants(fit.shape.parameters())}" for fit in result.fits),
        caution if result.parameters.get("floor") else Remark(caution, "floor"),
    ]


def _constants(parameters: Mapping[str, float]) -> str:
    return ", ".join(
        f"{name} {value:.1%}" if name == "listed" else f"{name} {value:.1f}"
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
    """Leave out the empty intervals at both ends."""
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
        "σ takes ratings as exact and games as independent. They are not quite: a player's games share the error of one "
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
        "Errors take games as independent. P(win) + P(draw)/2 is always the score that the curve expects; where the curve is wrong, so are they.",
    ]
