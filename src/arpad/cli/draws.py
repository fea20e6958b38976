"""`arpad draws`: fit how often players draw, by level and difference."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, cast

import typer

from arpad.cli.output import FormatOption, OutputOption, emit, say, width
from arpad.cli.reading import (
    ColumnsOption,
    FilesArgument,
    InputFormatOption,
    ReportOption,
    StrictOption,
    check_any_played,
    read_files,
    reading_document,
    write_report,
)
from arpad.errors import UsageError

if TYPE_CHECKING:
    import polars as pl

    from arpad.pool.draw_check import DrawCheck

__all__ = ["add_to"]

DIGITS = {
    "value": 4, "error": 4, "95 % from": 4, "to": 4, "observed": 3, "predicted": 3, "σ": 4, "z": 1,
    "log loss": 4, "drawn or not": 4, "win": 3, "draw": 3, "loss": 3,
}  # fmt: skip
EXAMPLES = (1600, 1800, 2000, 2200, 2400, 2600, 2800)
"""Levels at which a person sees what the model says."""


def add_to(app: typer.Typer) -> None:
    """Register the verb."""
    app.command()(draws)


def draws(
    files: FilesArgument,
    curve: Annotated[
        str, typer.Option(help="logistic, normal, table, linear or pra.")
    ] = "logistic",
    class_interval: Annotated[
        float | None, typer.Option(help="C, for the curves that have it; 200 by default.")
    ] = None,
    form: Annotated[str, typer.Option(help="rao-kupper, davidson or share.")] = "rao-kupper",
    terms: Annotated[
        str, typer.Option(help="What the draw rate may depend on: constant, level or full.")
    ] = "full",
    fit: Annotated[
        str, typer.Option(help="What the constants explain: results (win, draw, loss) or draws.")
    ] = "results",
    white_advantage: Annotated[str, typer.Option(help="White's, in points, or fit.")] = "fit",
    before: Annotated[
        str | None, typer.Option(help="Take ratings from this list, not from beside the games.")
    ] = None,
    validate_from: Annotated[
        str | None,
        typer.Option(help="Fit on games before this day (YYYY-MM-DD), test on those from it on."),
    ] = None,
    compare: Annotated[
        bool, typer.Option("--compare", help="Fit every form with every set of terms too.")
    ] = False,
    model: Annotated[
        str | None, typer.Option(help="Write the model to this file, for --draw-model.")
    ] = None,
    chart: Annotated[str | None, typer.Option(help="Draw it, .png or .svg.")] = None,
    columns: ColumnsOption = None,
    input_format: InputFormatOption = None,
    strict: StrictOption = False,
    report: ReportOption = None,
    format: FormatOption = None,
    output: OutputOption = None,
) -> None:
    """Fit a draw model: win, draw and loss by level and rating difference.

    arpad draws season.pgn --model draws.json

    arpad draws games.parquet --validate-from 2015-01-01 --compare --chart draws.png
    """
    from arpad.pool.draw_check import check_draws
    from arpad.read import read_list
    from arpad.scale import curve as curve_called

    chosen = curve_called(
        curve, **({} if class_interval is None else {"class_interval": class_interval})
    )
    points, day = _points(white_advantage), _day(validate_from)
    reading = read_files(files, columns=columns, format=input_format, strict=strict)
    write_report(reading, report)
    check_any_played(reading)
    found = check_draws(
        reading.games,
        curve=chosen,
        form=cast("Literal['rao-kupper', 'davidson', 'share']", form),
        terms=cast("Literal['constant', 'level', 'full']", terms),
        objective=cast("Literal['results', 'draws']", fit),
        white_advantage=points,
        before=None if before is None else read_list(before),
        validate_from=day,
        compare=compare,
    )
    if found.left_out:
        say(f"{found.left_out:,} played games are left out: somebody in them has no rating, or the point was not shared out whole")  # fmt: skip
    if chart is not None:
        _draw(found, chart, [file for file, _ in reading.files])
    if model is not None:
        from arpad.publish import jsonout
        from arpad.publish.atomic import write_text

        write_text(model, jsonout.document(found.fit.document()))
    emit(
        format,
        output,
        people=lambda: _people(found),
        rows=found.table,
        document=lambda: _document(found) | reading_document(reading),
    )


def _points(text: str) -> float | None:
    if text == "fit":
        return None
    try:
        points = float(text)
    except ValueError:
        points = float("nan")
    if not abs(points) <= 1000:
        raise UsageError(f"--white-advantage: expected points, at most 1000, or fit; found {text!r}")  # fmt: skip
    return points


def _day(text: str | None) -> date | None:
    try:
        return None if text is None else date.fromisoformat(text)
    except ValueError:
        raise UsageError(f"--validate-from: expected a day such as 2015-01-01, found {text!r}") from None  # fmt: skip


def _people(found: DrawCheck) -> list[object]:
    import polars as pl

    from arpad.publish.tables import fitted, rich_table

    def table(frame: pl.DataFrame, title: str) -> object:
        return rich_table(fitted(frame, width(), DIGITS), title=title, digits=DIGITS)

    def rates(what: str) -> pl.DataFrame:
        group = pl.format("{} – {}", pl.col(what).cast(pl.Int64), pl.col(f"{what}_to").cast(pl.Int64) - 1)  # fmt: skip
        return found.by(what).select(group.alias(what), "games", "observed", "predicted", "z")

    constants = found.fit.table().rename({"constant": "name", "low": "95 % from", "high": "to"})  # fmt: skip
    parts: list[object] = [
        found.summary() + ".", "",
        table(constants, "Constants"), "",
        table(_examples(found), "Between equals, no colour"), "",
        table(rates("level"), "Drawn, by level (mean rating)"), "",
        table(rates("difference"), "Drawn, by rating difference"), "",
    ]  # fmt: skip
    if found.others is not None:
        names = {"loss": "log loss", "draw_loss": "drawn or not"}
        parts += [table(found.others.rename(names), "Forms, the least log loss first"), ""]
    return [*parts, *_caution(found)]


def _examples(found: DrawCheck) -> pl.DataFrame:
    import polars as pl

    from arpad.rate.draw_model import probabilities

    model = found.fit.model
    levels = [L for L in EXAMPLES if model.low <= L <= model.high]
    levels = levels or [round((model.low + model.high) / 2)]
    win, draw, loss = probabilities(levels, levels, curve=found.curve, model=model)
    return pl.DataFrame(
        {"level": [f"{L:g}" for L in levels], "win": win, "draw": draw, "loss": loss}
    )


def _caution(found: DrawCheck) -> list[object]:
    model, rising = found.fit.model, found.rising()
    odd = [] if rising is None else [f"From level {rising[0]:.0f} to {rising[1]:.0f} these constants draw more as the difference grows, which is hard to believe: try --terms level."]  # fmt: skip
    return [
        *odd,
        (
            f"Known from games of levels {model.low:.0f} to {model.high:.0f} and differences up to {model.reach:.0f} points (all but one in a thousand); "
            "beyond, the draw rate of the nearest level is used."
        ),
        "Errors take games as independent. P(win) + P(draw)/2 is always the score that the curve expects; where the curve is wrong, so are they.",
    ]


def _document(found: DrawCheck) -> dict[str, object]:
    return {
        "summary": found.summary(),
        "model": found.fit.document(),
        "constants": found.fit.table().to_dicts(),
        "test": {
            "games": found.games,
            "drawn": found.drawn,
            "later": found.later,
            "loss": found.loss,
            "draw_loss": found.draw_loss,
            "miss": found.miss,
        },
        "left_out": found.left_out,
        "groups": found.grid.to_dicts(),
        "forms": None if found.others is None else found.others.to_dicts(),
    }


def _draw(found: DrawCheck, path: str, files: list[str]) -> None:
    from arpad.publish.chart_style import save
    from arpad.publish.draw_chart import draw_chart

    names = ", ".join(Path(file).name for file in files[:3])
    which = "later games than it was fitted on" if found.later else "the games it was fitted on"
    subtitle = (
        f"{found.games:,} games of {names}, {which}; dots ± 2σ, lines: {found.fit.model.form} model"
    )
    save(draw_chart(found, title="How often players draw", subtitle=subtitle), path)
