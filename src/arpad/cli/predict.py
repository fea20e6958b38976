"""`arpad predict`: which rating system predicts games best, on the same games."""

from __future__ import annotations

import re
from datetime import date
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Optional

import typer

from arpad.cli.options import (
    ColumnsOption,
    DatesOption,
    FilesArgument,
    InputFormatOption,
    ReportOption,
    SheetOption,
    StrictOption,
    WorkersOptionPatienceOption,
    WorkersOptionWorkersOption,
    check_any_played,
    read_files,
    team,
    told,
    write_report,
)
from arpad.cli.output import FormatOption, OutputOption, emit, reading_document, say
from arpad.errors import UsageError
from arpad.parallel import PATIENCE

if TYPE_CHECKING:
    import polars as pl

    from arpad.lab.predict import Entrant, Prediction


# `arpad predict`: which rating system predicts games best, on the same games.

Text = Optional[str]  # noqa: UP045 - Typer reads the annotation


class Step(StrEnum):
    """How far ahead games are predicted."""

    day = "day"
    month = "month"
    quarter = "quarter"
    year = "year"


class By(StrEnum):
    """What parts the figures are told for."""

    period = "period"
    level = "level"
    games = "games"


def add_predict(app: typer.Typer) -> None:
    """Register the verb."""
    app.command()(predict)


def predict(
    files: FilesArgument,
    systems: Annotated[
        str,
        typer.Option(
            help="all, or names with commas: elo,glicko2,published; constants after colons: elo:k=32:start=1200."
        ),
    ] = "all",
    period: Annotated[
        Step, typer.Option(help="Games are predicted from the ratings before their period.")
    ] = Step.month,
    validation_from: Annotated[
        Text,
        typer.Option(
            help="First day, month, year or month number of the window that White's advantage, scales and tuned constants are chosen on. [a year before the test]"
        ),
    ] = None,
    test_from: Annotated[
        Text, typer.Option(help="First day of the window that judges and chooses nothing. [the last fifth]")
    ] = None,
    test_to: Annotated[Text, typer.Option(help="The day after its last. [the end]")] = None,
    least_games: Annotated[
        int, typer.Option(help="Score games between players with so many earlier games.", min=0)
    ] = 20,
    given: Annotated[
        bool,
        typer.Option(
            "--given/--no-given",
            help="Start players from the ratings in the files, where a system can. Else results say everything.",
        ),
    ] = False,
    against: Annotated[
        Text,
        typer.Option(help="The system that differences are taken from. [the best of the validation window]"),
    ] = None,
    tune: Annotated[
        bool,
        typer.Option(
            "--tune", help="A second row for each system, with constants chosen on validation games."
        ),
    ] = False,
    budget: Annotated[
        int, typer.Option(help="With --tune: trials of each system, the same for all.", min=1)
    ] = 24,
    draws: Annotated[int, typer.Option(help="Of the bootstrap behind low and high.", min=10)] = 1000,
    seed: Annotated[int, typer.Option(help="Of bootstrap and tuner.", min=0)] = 0,
    by: Annotated[
        Optional[By],  # noqa: UP045
        typer.Option(help="Print the figures of parts: by period, level of the players, games played."),
    ] = None,
    chart: Annotated[
        Text, typer.Option(help="Write a chart of the systems side by side, .png or .svg.")
    ] = None,
    calibration_chart: Annotated[
        Text, typer.Option(help="Write their calibration curves, .png or .svg.")
    ] = None,
    workers: WorkersOptionWorkersOption = None,
    patience: WorkersOptionPatienceOption = PATIENCE,
    columns: ColumnsOption = None,
    dates: DatesOption = None,
    sheet: SheetOption = None,
    input_format: InputFormatOption = None,
    strict: StrictOption = False,
    report: ReportOption = None,
    format: FormatOption = None,
    output: OutputOption = None,
) -> None:
    """Predict every game before it is rated, with each system, and compare the predictions.

    Games before the test window rate players; those of the validation window choose White's advantage, scale and tuned constants; those of the test window only judge. Every system is scored on the same games.

    arpad predict games.parquet --systems all --test-from 2015-01-01

    arpad predict games.parquet --systems elo,elo:k=32,glicko2,published --validation-from 2014 --test-from 2015 --tune

    arpad predict games.parquet --systems all --tune --workers 8

    arpad predict internationals.parquet --systems elo,glicko --period year
    """
    from arpad.cli.output import progress
    from arpad.lab.predict import predict as predicted

    for path in (chart, calibration_chart):
        _check_chart(path)
    who = team(workers, patience)
    entrants = systems_asked(systems, given=given)
    reading = read_files(files, columns=columns, dates=dates, sheet=sheet, format=input_format, strict=strict)
    check_any_played(reading)
    with progress("walking") as tell:
        total = len(entrants) * (2 if tune else 1)
        done = iter(range(1, total + 1))
        found = predicted(
            reading.games,
            entrants,
            period=period.value,
            validation_from=validation_from,
            test_from=test_from,
            test_to=test_to,
            least_games=least_games,
            against=against,
            draws=draws,
            seed=seed,
            budget=budget if tune else None,
            workers=who,
            watch=lambda label: tell(next(done), total, label),
        )
    write_report(reading, report)
    for note in found.notes:
        say(note)
    _draw(found, chart, calibration_chart)
    emit(
        format,
        output,
        people=lambda: shown(found) if by is None else parts_shown(found, by.value),
        rows=lambda: _rows(found, by),
        document=lambda: found.to_dict() | reading_document(reading),
    )


def _check_chart(path: str | None) -> None:
    if path is not None:
        from arpad.publish.charts.style import check_name

        check_name(path)


def _draw(found: Prediction, chart: str | None, calibration: str | None) -> None:
    if chart is None and calibration is None:
        return
    from arpad.publish.charts.lab import calibration_curves, systems_side_by_side
    from arpad.publish.charts.style import save

    if chart is not None:
        save(systems_side_by_side(found), chart)
    if calibration is not None:
        save(calibration_curves(found), calibration)


def _rows(found: Prediction, by: By | None) -> pl.DataFrame:
    import polars as pl

    return found.table() if by is None else found.parts.filter(pl.col("by") == by.value)


# A comparison of systems as the JSON that the docs describe.


# A comparison of systems as people read it.

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
        pl.col(theirs).cast(pl.Float64).alias(ours) if ours in DIGITS else pl.col(theirs).alias(ours)
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


# ``--systems``: names with commas, constants after colons.


def systems_asked(text: str, *, given: bool | None) -> list[Entrant]:
    """Return the systems of ``all`` or of ``elo,glicko2:tau=0.3,published``; a row keeps its text as name."""
    from arpad.lab.predict import entrant, everybody

    found: list[Entrant] = []
    # A comma before a digit is none between systems: elo:k=32@2100,24@2400,16.
    for part in (each.strip() for each in re.split(r",(?!\s*[0-9])", text)):
        if not part:
            continue
        if part == "all":
            found.extend(everybody(given=given))
            continue
        name, *options = part.split(":")
        found.append(entrant(name, told(name, options), label=part, given=given))
    if not found:
        raise UsageError(f"--systems: expected all, or names with commas such as elo,glicko2; found {text!r}")
    return found
