"""`arpad ipr FILES`: intrinsic performance ratings of players, events and years."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any, Optional

import typer

from arpad.cli.default_group import DEFAULT
from arpad.cli.engine_options import (
    EngineOption,
    NodesOption,
    PatienceOption,
    StoreOption,
    TimeOption,
    UciOption,
    WorkersOption,
    workers_of,
)
from arpad.cli.ipr_calibration import CalibrationOption, asked_as, calibration_named, same_as
from arpad.cli.ipr_method import Method  # noqa: TC001 - Typer reads the annotation
from arpad.cli.output import FormatOption, OutputOption, emit
from arpad.errors import UsageError

if TYPE_CHECKING:
    from arpad.moves.average_error import Filters
    from arpad.moves.intrinsic.calibration import Calibration
    from arpad.moves.intrinsic.grouping import By

__all__ = ["add_to"]


class Judged(StrEnum):
    """Where the window looks."""

    previous = "previous"
    here = "here"


def add_to(group: typer.Typer) -> None:
    """Register the verb as what the group does itself."""
    group.command(DEFAULT, hidden=True)(rate_files)


def rate_files(
    files: Annotated[
        list[str], typer.Argument(help="PGN files; - is standard input.", metavar="FILES")
    ],
    by: Annotated[
        str,
        typer.Option(
            help="What a row is: player, event, year, side (White, Black) or game; several with commas, such as player,event."
        ),
    ] = "player",
    player: Annotated[
        Optional[list[str]],  # noqa: UP045 - Typer reads the annotation
        typer.Option(help="Only players whose names contain this; repeatable."),
    ] = None,
    calibration: CalibrationOption = None,
    method: Annotated[
        Optional[Method],  # noqa: UP045
        typer.Option(
            help="How skill is fitted: equate, likelihood or percentile. [the calibration's]"
        ),
    ] = None,
    first_turn: Annotated[
        Optional[int],  # noqa: UP045
        typer.Option(help="Moves before this one are opening lore. [the calibration's, 9]"),
    ] = None,
    window: Annotated[
        Optional[float],  # noqa: UP045
        typer.Option(help="Pawns beyond which a game is decided. [the calibration's, 3]"),
    ] = None,
    judged: Annotated[
        Optional[Judged],  # noqa: UP045
        typer.Option(
            help="Where the window looks: here, where the move was made, or previous, half a move earlier, as in the paper. [the calibration's, here]"
        ),
    ] = None,
    repeated: Annotated[
        Optional[bool],  # noqa: UP045
        typer.Option(
            "--repeated/--no-repeated",
            help="Count moves in positions that stood on the board before. [as the calibration does]",
        ),
    ] = None,
    forced: Annotated[
        Optional[bool],  # noqa: UP045
        typer.Option(
            "--forced/--no-forced",
            help="Count moves without a choice. [as the calibration does]",
        ),
    ] = None,
    engine_rating: Annotated[
        Optional[float],  # noqa: UP045
        typer.Option(
            help="The engine's rating, for gain per move. [where the players' ratings put it]"
        ),
    ] = None,
    engine: EngineOption = "stockfish",
    depth: Annotated[
        Optional[int],  # noqa: UP045
        typer.Option(
            "--depth",
            help="Plies; how the engine is asked must be the calibration's way. [its own]",
        ),
    ] = None,
    nodes: NodesOption = None,
    time: TimeOption = None,
    multipv: Annotated[
        Optional[int],  # noqa: UP045
        typer.Option("--multipv", help="How many lines a position. [the calibration's]"),
    ] = None,
    hash: Annotated[
        Optional[int],  # noqa: UP045
        typer.Option("--hash", help="Megabytes of hash an engine. [the calibration's]"),
    ] = None,
    option: UciOption = None,
    workers: WorkersOption = None,
    store: StoreOption = None,
    patience: PatienceOption = 60.0,
    chart: Annotated[
        Optional[str],  # noqa: UP045
        typer.Option(
            help="Draw ratings with both intervals beside Elo into this file, .png or .svg."
        ),
    ] = None,
    strict: Annotated[
        bool,
        typer.Option("--strict", help="Make an error of the first record that would be skipped."),
    ] = False,
    format: FormatOption = None,
    output: OutputOption = None,
) -> None:
    """Rate players by their choice of moves, with an engine that is asked as the calibration's was.

    arpad ipr match.pgn

    arpad ipr tournament.pgn --by player --chart ratings.png

    arpad ipr 1996.pgn 1998.pgn 2000.pgn --by event
    """
    from arpad.cli.ipr_document import document, rows
    from arpad.cli.ipr_games import asked_games
    from arpad.cli.ipr_shown import people
    from arpad.moves.intrinsic.grouping import players_called
    from arpad.moves.intrinsic.report import ipr_report
    from arpad.publish.chart_style import check_name

    keys = _keys(by)
    if chart is not None:
        check_name(chart)
    made = calibration_named(calibration)
    settings = asked_as(
        made, engine=engine, depth=depth, nodes=nodes, seconds=time, multipv=multipv,
        hash_mb=hash, options=option,
    )  # fmt: skip
    filters = _filters(made, first_turn, window, judged, repeated, forced)
    team = workers_of(workers, settings, patience=patience)
    same_as(made, settings, team)
    asked = asked_games(files, settings, workers=team, filters=filters, store=store, strict=strict)
    report = ipr_report(
        asked.answered.decisions, asked.games, made,
        by=keys,
        players=None if not player else players_called(asked.games, player),
        method=None if method is None else method.value,
        evaluated=asked.evaluated, engine_rating=engine_rating,
    )  # fmt: skip
    if chart is not None:
        from arpad.publish.chart_style import save
        from arpad.publish.ipr_chart import ipr_chart

        save(ipr_chart(report), chart)
    emit(
        format,
        output,
        people=lambda: people(report, asked),
        rows=lambda: rows(report),
        document=lambda: document(report, asked, files),
    )


def _keys(text: str) -> list[By]:
    """Return what tells rows apart; the words are looked at before an engine is asked."""
    from typing import get_args

    from arpad.moves.intrinsic.grouping import By

    found = [part.strip() for part in text.split(",") if part.strip()]
    wrong = [part for part in found if part not in get_args(By)]
    if wrong or not found:
        raise UsageError(f"--by: expected some of {', '.join(get_args(By))}; found {text!r}")
    return found  # type: ignore[return-value]


def _filters(
    calibration: Calibration,
    first_turn: int | None,
    window: float | None,
    judged: Judged | None,
    repeated: bool | None,
    forced: bool | None,
) -> Filters:
    """Return the calibration's filters with what was asked otherwise."""
    from dataclasses import replace

    from arpad.moves.intrinsic.decisions import filters_of

    asked = {
        "first_turn": first_turn,
        "window": window,
        "judged": None if judged is None else judged.value,
        "repeated": None if repeated is None else not repeated,  # the filter leaves them out
        "forced": forced,
    }
    given: dict[str, Any] = {name: value for name, value in asked.items() if value is not None}
    return replace(filters_of(calibration.filters), **given)
