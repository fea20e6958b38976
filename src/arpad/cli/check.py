"""`arpad check` and `arpad draws`: whether ratings and draw models fit the results."""

from __future__ import annotations

from datetime import date
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from arpad.cli.options import Source, reads_games
from arpad.cli.output import Emission, emit_result, emits, reading_document, say, table_of
from arpad.errors import UsageError
from arpad.pool.calibration import Side
from arpad.pool.check import Per
from arpad.rate.draws import DrawForm, Objective, TermsName
from arpad.scale import CurveName

if TYPE_CHECKING:
    import polars as pl

    from arpad.pool.check import Check
    from arpad.pool.draw_check import DrawCheck
    from arpad.read.reading import Reading


# `arpad check`: whether the ratings fit the results.

SHOWN = 10
"""Deviations that a person sees unless more are asked for."""


def add_check(app: typer.Typer) -> None:
    """Register the verb."""
    app.command()(check)


@reads_games
@emits
def check(
    source: Source,
    curve: Annotated[CurveName, typer.Option(help="From a difference to an expected score.")] = "logistic",
    cap: Annotated[
        float | None, typer.Option(help="Count larger rating differences as so much; 400 is FIDE's rule.")
    ] = None,
    white_advantage: Annotated[float, typer.Option(help="Points the first move is worth.")] = 0.0,
    before: Annotated[
        str | None, typer.Option(help="Take ratings from this list, not from beside the games.")
    ] = None,
    side: Annotated[Side, typer.Option(help="Whose score.")] = "favourite",
    groups: Annotated[int, typer.Option(help="Groups of expected score from ½ to 1.", min=1, max=100)] = 10,
    per: Annotated[
        Per, typer.Option(help="Deviations of each player, or entry (player in an event).")
    ] = "player",
    enough: Annotated[int, typer.Option(help="Games that make a deviation worth looking at.", min=1)] = 7,
    draws: Annotated[
        bool, typer.Option("--draws/--no-draws", help="σ from the draws there were, or the book's √(Npq).")
    ] = True,
    top: Annotated[int | None, typer.Option(help="Show so many of the largest deviations.", min=1)] = None,
    rows: Annotated[
        Literal["groups", "deviations", "histogram"], typer.Option(help="What CSV has.")
    ] = "groups",
    chart: Annotated[str | None, typer.Option(help="Draw it, .png or .svg.")] = None,
    paper: Annotated[
        bool, typer.Option("--paper", help="Draw on probability paper, where a fit is a straight line.")
    ] = False,
) -> Emission:
    """Test ratings against results: expected and actual scores, deviations, χ².

    arpad check season.pgn

    arpad check games.parquet --curve table --cap 400 --per entry --chart fit.png
    """
    from arpad.pool.check import check as test
    from arpad.read.reading import read_list
    from arpad.scale import curve as curve_called

    chosen = curve_called(curve)
    reading = source.read()
    source.tell(reading)
    found = test(
        reading.games,
        curve=chosen,
        cap=cap,
        advantage=white_advantage,
        before=None if before is None else read_list(before),
        groups=groups,
        side=side,
        per=per,
        enough=enough,
        draws=draws,
    )
    if found.left_out:
        say(f"{found.left_out:,} played games are left out: somebody in them has no rating")
    return partial(
        emit_result,
        found,
        parts=lambda: _check_parts(found, top or SHOWN),
        rows=lambda: _rows(found, rows, top),
        document=lambda: found.to_dict(top) | reading_document(reading),
        chart=chart,
        paper=paper,
        title=f"Do the ratings fit? {_names(reading)}",
        subtitle=f"{found.games:,} games, {found.players:,} players, {found.parameters['curve']} curve",
    )


def _rows(found: Check, what: str, top: int | None) -> pl.DataFrame:
    if what == "groups":
        return found.table()
    if what == "deviations":
        return found.deviations if top is None else found.deviations.head(top)
    table = found.histogram_table()
    if table is None:
        raise UsageError("nobody played enough games for a histogram: give a smaller --enough")
    return table


def _names(reading: Reading) -> str:
    return ", ".join(Path(file).name for file, _ in reading.files[:3])


# What `arpad check` shows: tables for people, a document for programs.

DIGITS = {
    "P": 3,
    "scored": 3,
    "draws": 2,
    "difference": 3,
    "σ": 4,
    "z": 2,
    "D": 0,
    "indicated D": 0,
    "W_e": 2,
    "W − W_e": 2,
    "σ of W": 2,
    "PE": 2,
    "percent": 1,
    "cumulative": 1,
    "promised": 1,
    "own": 1,
    "low": 2,
    "high": 2,
    "chance": 1,
    "χ²": 2,
}
NO_ADVANTAGE = 1500.0
"""Points beyond which the first move's worth is chance, or wrong ratings."""


def _check_parts(found: Check, top: int) -> list[object]:
    """Return strings and tables for a person; `top` deviations."""

    def table(frame: pl.DataFrame, title: str) -> object:
        return table_of(frame, DIGITS, title)

    shown = found.table().select(
        "low",
        "high",
        "games",
        P="expected",
        scored="actual",
        draws="draws",
        difference="difference",
        σ="sigma",
        z="z",
        D="D",
    )
    shown = shown.with_columns(found.table()["indicated"].alias("indicated D"))
    worst = (
        found.deviations.head(top)
        .select(
            "player",
            "event",
            "games",
            W="score",
            W_e="expected",
            difference="difference",
            sigma="sigma",
            probable_error="probable_error",
            z="z",
        )
        .rename({"difference": "W − W_e", "sigma": "σ of W", "probable_error": "PE"})
    )
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
        parts += [table(_filled(histogram), "Deviations (W − W_e) / σ"), "", table(_limits(found), ""), ""]
    return [*parts, table(_with_words(found.tests_table()), "Tests"), "", *_caution(found)]


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


def _with_words(tests: pl.DataFrame) -> pl.DataFrame:
    """Return the tests with probabilities as people read them."""
    import polars as pl

    from arpad.pool.significance import p_text

    return tests.with_columns(
        pl.Series(name, [p_text(p) for p in tests[name]]) for name in ("p", "p, fitted")
    )


def _caution(found: Check) -> list[object]:
    s = found.spread
    lines: list[object] = []
    if s.count and s.sd is not None:
        each = "players" if found.parameters["per"] == "player" else "entries"
        lines.append(
            f"{s.count:,} {each} with {found.parameters['enough']} games or more spread {s.sd:.2f} times as wide as chance alone would."
        )
    else:
        lines.append(f"Nobody, or one player, has {found.parameters['enough']} games: --enough takes fewer.")
    lines.append(
        "σ takes ratings as exact and games as independent. They are not quite: a player's games share the error of one "
        "rating, so deviations of players spread wider than σ even where ratings are right on average."
    )
    return lines


# `arpad draws`: fit how often players draw, by level and difference.

DRAWS_DIGITS = {
    "value": 4,
    "error": 4,
    "95 % from": 4,
    "to": 4,
    "observed": 3,
    "predicted": 3,
    "σ": 4,
    "z": 1,
    "log loss": 4,
    "drawn or not": 4,
    "win": 3,
    "draw": 3,
    "loss": 3,
}
EXAMPLES = (1600, 1800, 2000, 2200, 2400, 2600, 2800)
"""Levels at which a person sees what the model says."""


def add_draws(app: typer.Typer) -> None:
    """Register the verb."""
    app.command()(draws)


@reads_games
@emits
def draws(
    source: Source,
    curve: Annotated[CurveName, typer.Option(help="From a difference to an expected score.")] = "logistic",
    class_interval: Annotated[
        float | None, typer.Option(help="C, for the curves that have it; 200 by default.")
    ] = None,
    form: Annotated[DrawForm, typer.Option(help="The form of the model.")] = "rao-kupper",
    terms: Annotated[
        TermsName, typer.Option(help="What the draw rate may depend on: nothing, the level, or all.")
    ] = "full",
    fit: Annotated[
        Objective, typer.Option(help="What the constants explain: results (win, draw, loss) or draws.")
    ] = "results",
    white_advantage: Annotated[str, typer.Option(help="White's, in points, or fit.")] = "fit",
    before: Annotated[
        str | None, typer.Option(help="Take ratings from this list, not from beside the games.")
    ] = None,
    validate_from: Annotated[
        str | None, typer.Option(help="Fit on games before this day (YYYY-MM-DD), test on those from it on.")
    ] = None,
    compare: Annotated[
        bool, typer.Option("--compare", help="Fit every form with every set of terms too.")
    ] = False,
    model: Annotated[str | None, typer.Option(help="Write the model to this file, for --draw-model.")] = None,
    chart: Annotated[str | None, typer.Option(help="Draw it, .png or .svg.")] = None,
) -> Emission:
    """Fit a draw model: win, draw and loss by level and rating difference.

    arpad draws season.pgn --model draws.json

    arpad draws games.parquet --validate-from 2015-01-01 --compare --chart draws.png
    """
    from arpad.pool.draw_check import check_draws
    from arpad.read.reading import read_list
    from arpad.scale import curve as curve_called

    chosen = curve_called(curve, **({} if class_interval is None else {"class_interval": class_interval}))
    points, day = _points(white_advantage), _day(validate_from)
    reading = source.read()
    source.tell(reading)
    found = check_draws(
        reading.games,
        curve=chosen,
        form=form,
        terms=terms,
        objective=fit,
        white_advantage=points,
        before=None if before is None else read_list(before),
        validate_from=day,
        compare=compare,
    )
    if found.left_out:
        say(
            f"{found.left_out:,} played games are left out: somebody in them has no rating, or the point was not shared out whole"
        )
    if model is not None:
        from arpad.files import write_text
        from arpad.publish import output as jsonout

        write_text(model, jsonout.document(found.fit.document()))
    which = "later games than it was fitted on" if found.later else "the games it was fitted on"
    return partial(
        emit_result,
        found,
        parts=lambda: _draws_parts(found),
        document=lambda: found.to_dict() | reading_document(reading),
        chart=chart,
        title="How often players draw",
        subtitle=f"{found.games:,} games of {_names(reading)}, {which}; dots ± 2σ, lines: {found.fit.model.form} model",
    )


def _points(text: str) -> float | None:
    if text == "fit":
        return None
    try:
        points = float(text)
    except ValueError:
        points = float("nan")
    if not abs(points) <= 1000:
        raise UsageError(f"--white-advantage: expected points, at most 1000, or fit; found {text!r}")
    return points


def _day(text: str | None) -> date | None:
    try:
        return None if text is None else date.fromisoformat(text)
    except ValueError:
        raise UsageError(f"--validate-from: expected a day such as 2015-01-01, found {text!r}") from None


def _draws_parts(found: DrawCheck) -> list[object]:
    import polars as pl

    def table(frame: pl.DataFrame, title: str) -> object:
        return table_of(frame, DRAWS_DIGITS, title)

    def rates(what: str) -> pl.DataFrame:
        group = pl.format("{} – {}", pl.col(what).cast(pl.Int64), pl.col(f"{what}_to").cast(pl.Int64) - 1)
        return found.by(what).select(group.alias(what), "games", "observed", "predicted", "z")

    constants = found.fit.table().rename({"constant": "name", "low": "95 % from", "high": "to"})
    parts: list[object] = [
        found.summary() + ".",
        "",
        table(constants, "Constants"),
        "",
        table(_examples(found), "Between equals, no colour"),
        "",
        table(rates("level"), "Drawn, by level (mean rating)"),
        "",
        table(rates("difference"), "Drawn, by rating difference"),
        "",
    ]
    if found.others is not None:
        names = {"loss": "log loss", "draw_loss": "drawn or not"}
        parts += [table(found.others.rename(names), "Forms, the least log loss first"), ""]
    return [*parts, *_draws_caution(found)]


def _examples(found: DrawCheck) -> pl.DataFrame:
    import polars as pl

    from arpad.rate.draws import probabilities

    model = found.fit.model
    levels = [L for L in EXAMPLES if model.low <= L <= model.high]
    levels = levels or [round((model.low + model.high) / 2)]
    win, draw, loss = probabilities(levels, levels, curve=found.curve, model=model)
    return pl.DataFrame({"level": [f"{L:g}" for L in levels], "win": win, "draw": draw, "loss": loss})


def _draws_caution(found: DrawCheck) -> list[object]:
    model, rising = found.fit.model, found.rising()
    odd = (
        []
        if rising is None
        else [
            f"From level {rising[0]:.0f} to {rising[1]:.0f} these constants draw more as the difference grows, which is hard to believe: try --terms level."
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
