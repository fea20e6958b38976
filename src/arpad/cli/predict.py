"""`arpad predict`: which rating system foretells games best, on the same games, fairly."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Optional

import typer

from arpad.cli.output import FormatOption, OutputOption, emit, say
from arpad.cli.reading import (
    ColumnsOption,
    FilesArgument,
    InputFormatOption,
    ReportOption,
    StrictOption,
    check_any_played,
    read_files,
    write_report,
)
from arpad.cli.workers_option import PATIENCE, PatienceOption, WorkersOption, team

if TYPE_CHECKING:
    import polars as pl

    from arpad.lab.prediction import Prediction

__all__ = ["add_to"]

Text = Optional[str]  # noqa: UP045 - Typer reads the annotation


class Step(StrEnum):
    """How far ahead games are foretold."""

    day = "day"
    month = "month"
    quarter = "quarter"
    year = "year"


class By(StrEnum):
    """What parts the figures are told for."""

    period = "period"
    level = "level"
    games = "games"


def add_to(app: typer.Typer) -> None:
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
        Step,
        typer.Option(help="Games are foretold from the ratings before their period."),
    ] = Step.month,
    validation_from: Annotated[
        Text,
        typer.Option(
            help="First day, month, year or month number of the window that White's advantage, scales and tuned constants are chosen on. [a year before the test]"
        ),
    ] = None,
    test_from: Annotated[
        Text,
        typer.Option(
            help="First day of the window that judges and chooses nothing. [the last fifth]"
        ),
    ] = None,
    test_to: Annotated[Text, typer.Option(help="The day after its last. [the end]")] = None,
    least_games: Annotated[
        int,
        typer.Option(help="Score games between players with so many earlier games.", min=0),
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
        typer.Option(
            help="The system that differences are taken from. [the best of the validation window]"
        ),
    ] = None,
    tune: Annotated[
        bool,
        typer.Option(
            "--tune",
            help="A second row for each system, with constants chosen on validation games.",
        ),
    ] = False,
    budget: Annotated[
        int, typer.Option(help="With --tune: trials of each system, the same for all.", min=1)
    ] = 24,
    draws: Annotated[
        int, typer.Option(help="Of the bootstrap behind low and high.", min=10)
    ] = 1000,
    seed: Annotated[int, typer.Option(help="Of bootstrap and tuner.", min=0)] = 0,
    by: Annotated[
        Optional[By],  # noqa: UP045
        typer.Option(
            help="Print the figures of parts: by period, level of the players, games played."
        ),
    ] = None,
    chart: Annotated[
        Text, typer.Option(help="Write a chart of the systems side by side, .png or .svg.")
    ] = None,
    calibration_chart: Annotated[
        Text, typer.Option(help="Write their calibration curves, .png or .svg.")
    ] = None,
    workers: WorkersOption = None,
    patience: PatienceOption = PATIENCE,
    columns: ColumnsOption = None,
    input_format: InputFormatOption = None,
    strict: StrictOption = False,
    report: ReportOption = None,
    format: FormatOption = None,
    output: OutputOption = None,
) -> None:
    """Foretell every game before it is rated, with each system, and say who did it best.

    Games before the test window rate players; those of the validation window choose White's advantage, scale and tuned constants; those of the test window only judge. Every system is scored on the same games.

    arpad predict games.parquet --systems all --test-from 2015-01-01

    arpad predict games.parquet --systems elo,elo:k=32,glicko2,published --validation-from 2014 --test-from 2015 --tune

    arpad predict games.parquet --systems all --tune --workers 8

    arpad predict internationals.parquet --systems elo,glicko --period year
    """
    from arpad.cli.predict_document import prediction_document
    from arpad.cli.predict_shown import parts_shown, shown
    from arpad.cli.predict_systems import systems_asked
    from arpad.cli.progress import progress
    from arpad.lab.predicting import predict as predicted

    for path in (chart, calibration_chart):
        _check_chart(path)
    who = team(workers, patience)
    entrants = systems_asked(systems, given=given)
    reading = read_files(files, columns=columns, format=input_format, strict=strict)
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
        document=lambda: prediction_document(found, reading),
    )


def _check_chart(path: str | None) -> None:
    if path is not None:
        from arpad.publish.chart_style import check_name

        check_name(path)


def _draw(found: Prediction, chart: str | None, calibration: str | None) -> None:
    if chart is None and calibration is None:
        return
    from arpad.publish.chart_style import save
    from arpad.publish.prediction_chart import calibration_curves, systems_side_by_side

    if chart is not None:
        save(systems_side_by_side(found), chart)
    if calibration is not None:
        save(calibration_curves(found), calibration)


def _rows(found: Prediction, by: By | None) -> pl.DataFrame:
    import polars as pl

    return found.table() if by is None else found.parts.filter(pl.col("by") == by.value)
