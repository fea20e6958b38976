"""`arpad check` and `arpad draws`: whether ratings and draw models fit the results."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from arpad.cli.options import GameFiles, day_given, number_or
from arpad.cli.output import Emission, emit_result, reading_document, say
from arpad.errors import UsageError
from arpad.pool.calibration import Side
from arpad.pool.check import Per
from arpad.rate.draws import DrawForm, Objective, TermsName
from arpad.scale import CurveName

if TYPE_CHECKING:
    import polars as pl

    from arpad.pool.check import Check
    from arpad.read.reading import Reading


def check(
    source: GameFiles,
    curve: CurveName = "logistic",
    cap: float | None = None,
    white_advantage: float = 0.0,
    before: str | None = None,
    side: Side = "favourite",
    groups: Annotated[int, typer.Option(min=1, max=100)] = 10,
    per: Per = "player",
    enough: Annotated[int, typer.Option(min=1)] = 7,
    draws: Annotated[bool, typer.Option("--draws/--no-draws")] = True,
    top: Annotated[int | None, typer.Option(min=1)] = None,
    rows: Literal["groups", "deviations", "histogram"] = "groups",
    chart: str | None = None,
    paper: bool = False,
) -> Emission:
    """Test ratings against results: expected and actual scores, deviations, χ².

    arpad check season.pgn

    arpad check games.parquet --curve table --cap 400 --per entry --chart fit.png

    curve: The curve from a rating difference to an expected score.
    cap: Count larger rating differences as X; 400 is FIDE's rule.
    white_advantage: Rating points that the first move is worth.
    before: Take the ratings from this list instead of the games' own.
    side: Whose score to test.
    groups: Number of groups of expected score, from ½ to 1.
    per: Whether a deviation belongs to a player, or to an entry (a player in one event).
    enough: Show only deviations of N games or more.
    draws: Calculate σ from the actual draws, or by the book's √(Npq).
    top: Show the N largest deviations.
    rows: Which table to print as CSV.
    chart: Draw a chart into this file, .png or .svg.
    paper: Draw the chart on probability paper, where a normal distribution is a straight line.
    """
    from arpad.pool.check import check as test
    from arpad.scale import curve as curve_called

    chosen = curve_called(curve)
    earlier, reading = source.ratings(before), source.read()
    source.tell(reading)
    result = test(
        reading.games,
        curve=chosen,
        cap=cap,
        advantage=white_advantage,
        before=earlier,
        groups=groups,
        side=side,
        per=per,
        enough=enough,
        draws=draws,
    )
    if result.left_out:
        say(f"{result.left_out:,} played games are left out: a player in them has no rating")
    return partial(
        emit_result,
        result,
        view={"top": top},
        rows=lambda: _rows(result, rows, top),
        document=lambda: result.to_dict(top) | reading_document(reading),
        chart=chart,
        paper=paper,
        title=f"Do the ratings fit? {_names(reading)}",
        subtitle=f"{result.games:,} games, {result.players:,} players, {result.parameters['curve']} curve",
    )


def _rows(result: Check, what: str, top: int | None) -> pl.DataFrame:
    if what == "groups":
        return result.table()
    if what == "deviations":
        return result.deviations if top is None else result.deviations.head(top)
    table = result.histogram_table()
    if table is None:
        raise UsageError("nobody played enough games for a histogram: give a smaller --enough")
    return table


def _names(reading: Reading) -> str:
    return ", ".join(Path(file).name for file, _ in reading.files[:3])


def draws(
    source: GameFiles,
    curve: CurveName = "logistic",
    class_interval: float | None = None,
    form: DrawForm = "rao-kupper",
    terms: TermsName = "full",
    fit: Objective = "results",
    white_advantage: str = "fit",
    before: str | None = None,
    validate_from: str | None = None,
    compare: bool = False,
    model: str | None = None,
    chart: str | None = None,
) -> Emission:
    """Fit a draw model: win, draw and loss by level and rating difference.

    arpad draws season.pgn --model draws.json

    arpad draws games.parquet --validate-from 2015-01-01 --compare --chart draws.png

    curve: The curve from a rating difference to an expected score.
    class_interval: C: class interval of the curves that have one. [200]
    form: The form of the model.
    terms: What the draw rate depends on: nothing, the level of the players, or all.
    fit: Fit the constants to results (win, draw, loss) or to draws.
    white_advantage: White's advantage in rating points, or fit.
    before: Take the ratings from this list instead of the games' own.
    validate_from: Fit the model on games before this day (YYYY-MM-DD) and test it on the later ones.
    compare: Also fit every form with every set of terms, and compare them.
    model: Write the model to this file, for --draw-model.
    chart: Draw a chart into this file, .png or .svg.
    """
    from arpad.pool.draw_check import check_draws
    from arpad.scale import curve as curve_called

    chosen = curve_called(curve, **({} if class_interval is None else {"class_interval": class_interval}))
    points = number_or(white_advantage, "--white-advantage", "fit")
    if points is not None and not abs(points) <= 1000:
        raise UsageError(
            f"--white-advantage: expected points, at most 1000, or fit; found {white_advantage!r}"
        )
    day = day_given(validate_from, "--validate-from")
    earlier, reading = source.ratings(before), source.read()
    source.tell(reading)
    result = check_draws(
        reading.games,
        curve=chosen,
        form=form,
        terms=terms,
        objective=fit,
        white_advantage=points,
        before=earlier,
        validate_from=day,
        compare=compare,
    )
    if result.left_out:
        say(
            f"{result.left_out:,} played games are left out: a player in them has no rating, or the scores do not add up to 1"
        )
    if model is not None:
        from arpad.files import write_text
        from arpad.publish import output as jsonout

        write_text(model, jsonout.document(result.fit.document()))
    which = "later games than it was fitted on" if result.later else "the games it was fitted on"
    return partial(
        emit_result,
        result,
        document=lambda: result.to_dict() | reading_document(reading),
        chart=chart,
        title="How often players draw",
        subtitle=f"{result.games:,} games of {_names(reading)}, {which}; dots ± 2σ, lines: {result.fit.model.form} model",
    )
