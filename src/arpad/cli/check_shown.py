"""What `arpad check` shows: tables for people, a document for programs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from arpad.cli.output import width

if TYPE_CHECKING:
    import polars as pl

    from arpad.pool.check import Check
    from arpad.pool.goodness import ChiSquare

__all__ = ["document", "people"]

DIGITS = {
    "P": 3, "scored": 3, "draws": 2, "difference": 3, "σ": 4, "z": 2, "D": 0, "indicated D": 0,
    "W_e": 2, "W − W_e": 2, "σ of W": 2, "PE": 2, "percent": 1, "cumulative": 1, "promised": 1, "own": 1,
    "low": 2, "high": 2, "chance": 1, "χ²": 2,
}  # fmt: skip


NO_ADVANTAGE = 1500.0
"""Points beyond which the first move's worth is chance, or wrong ratings."""


def people(found: Check, top: int) -> list[object]:
    """Return strings and tables for a person; `top` deviations."""
    from arpad.publish.tables import fitted, rich_table

    def table(frame: pl.DataFrame, title: str) -> object:
        return rich_table(fitted(frame, width(), DIGITS), title=title, digits=DIGITS)

    shown = found.table().select(
        "low", "high", "games", P="expected", scored="actual", draws="draws",
        difference="difference", σ="sigma", z="z", D="D",
    )  # fmt: skip
    shown = shown.with_columns(found.table()["indicated"].alias("indicated D"))
    worst = found.deviations.head(top).select(
        "player", "event", "games", W="score", W_e="expected", difference="difference", sigma="sigma",
        probable_error="probable_error", z="z",
    ).rename({"difference": "W − W_e", "sigma": "σ of W", "probable_error": "PE"})  # fmt: skip
    if worst["event"].null_count() == worst.height:
        worst = worst.drop("event")
    histogram = found.histogram_table()
    parts: list[object] = [
        found.summary() + ".",
        "",
        table(shown, "Expected and actual score (shares of the point)"),
        "",
        _white(found),
        "",
        table(worst, "Largest deviations, of those with enough games first"),
        "",
    ]
    if histogram is not None:
        parts += [
            table(_filled(histogram), "Deviations (W − W_e) / σ"),
            "",
            table(_limits(found), ""),
            "",
        ]
    return [*parts, table(_with_words(_tests(found)), "Tests"), "", *_caution(found)]


def _filled(histogram: pl.DataFrame) -> pl.DataFrame:
    """Leave out the empty intervals at both ends."""
    import polars as pl

    rows = histogram.with_row_index().filter(pl.col("count") > 0)["index"].to_list()
    return histogram[rows[0] : rows[-1] + 1]


def _white(found: Check) -> str:
    words = f"White: {found.white.summary()}"
    if found.first_move is None:
        return words + "."
    points, error = found.first_move
    if abs(points) > NO_ADVANTAGE:
        return f"{words}; what the first move is worth cannot be told."
    return f"{words}; worth {points:.1f} ± {error:.1f} points beyond the {found.parameters['white_advantage']:g} given."


def _limits(found: Check) -> pl.DataFrame:
    import polars as pl

    s = found.spread
    names = ("probable error", "σ", "3 probable errors")
    counts = (s.beyond_probable_error, s.beyond_sigma, s.beyond_three_probable_errors)
    return pl.DataFrame({"beyond": names, "found": counts, "chance": s.expected()})


def _tests(found: Check) -> pl.DataFrame:
    import polars as pl

    c = found.calibration
    each = "players" if found.parameters["per"] == "player" else "entries"
    table: list[dict[str, object]] = [
        _test("groups, Σz²", c.test),
        *([_test("groups, (f_o − f_e)²/f_e [8.96]", c.book)] if c.book else []),
        *([_test(f"{each}: z against mean 0, σ 1", found.promised)] if found.promised else []),
        *([_test(f"{each}: z against own mean, σ", found.normal)] if found.normal else []),
    ]
    ks = found.kolmogorov_smirnov
    if ks is not None:
        name = f"{each}: Kolmogorov–Smirnov, largest difference {ks.difference:.3f}"
        table.append({"test": name, "p": ks.p})
    schema = {"test": pl.String, "χ²": pl.Float64, "degrees": pl.Int64, "p": pl.Float64,
              "degrees, fitted": pl.Int64, "p, fitted": pl.Float64}  # fmt: skip
    return pl.DataFrame(table, schema=schema)


def _with_words(tests: pl.DataFrame) -> pl.DataFrame:
    """Return the tests with probabilities as people read them."""
    import polars as pl

    from arpad.pool.goodness import p_text

    return tests.with_columns(
        pl.Series(name, [p_text(p) for p in tests[name]]) for name in ("p", "p, fitted")
    )


def _test(name: str, test: ChiSquare) -> dict[str, object]:
    return {
        "test": name,
        "χ²": test.statistic,
        "degrees": test.degrees,
        "p": test.p,
        "degrees, fitted": test.degrees_fitted,
        "p, fitted": test.p_fitted,
    }


def _caution(found: Check) -> list[object]:
    s = found.spread
    lines: list[object] = []
    if s.count and s.sd is not None:
        each = "players" if found.parameters["per"] == "player" else "entries"
        lines.append(
            f"{s.count:,} {each} with {found.parameters['enough']} games or more spread {s.sd:.2f} times as wide as chance alone would."
        )
    else:
        lines.append(
            f"Nobody, or one player, has {found.parameters['enough']} games: --enough takes fewer."
        )
    lines.append(
        "σ takes ratings as exact and games as independent. They are not quite: a player's games share the error of one "
        "rating, so deviations of players spread wider than σ even where ratings are right on average."
    )
    return lines


def document(found: Check, top: int | None) -> dict[str, object]:
    """Return everything for JSON; all deviations, or the first `top`."""
    c, s, ks = found.calibration, found.spread, found.kolmogorov_smirnov
    rows = found.deviations if top is None else found.deviations.head(top)
    histogram = found.histogram_table()
    return {
        "summary": found.summary(),
        "parameters": found.parameters,
        "games": found.games,
        "left_out": found.left_out,
        "without_favourite": c.level,
        "players": found.players,
        "groups": c.bins.to_dicts(),
        "stretch": None
        if found.stretch is None
        else {"factor": found.stretch.factor, "error": found.stretch.error},
        "white": {
            "score": found.white.score,
            "expected": found.white.expected,
            "sigma": found.white.sigma,
            "z": found.white.z,
            "points": None if found.first_move is None else found.first_move[0],
            "points_error": None if found.first_move is None else found.first_move[1],
        },
        "spread": {
            "count": s.count,
            "beyond_probable_error": s.beyond_probable_error,
            "beyond_sigma": s.beyond_sigma,
            "beyond_three_probable_errors": s.beyond_three_probable_errors,
            "chance": list(s.expected()),
            "sum_of_squares": s.sum_of_squares,
            "mean": s.mean,
            "sd": s.sd,
        },
        "histogram": None if histogram is None else histogram.to_dicts(),
        "tests": _tests(found)
        .rename({"χ²": "chi_square", "degrees, fitted": "degrees_fitted", "p, fitted": "p_fitted"})
        .to_dicts(),
        "kolmogorov_smirnov": None
        if ks is None
        else {"difference": ks.difference, "at": ks.at, "p": ks.p},
        "deviations": rows.to_dicts(),
    }
