"""`arpad gain`: how strong the moves were, on the rating scale, from evaluations."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Optional

import typer

from arpad.cli.output import FormatOption, OutputOption, emit
from arpad.errors import UsageError

if TYPE_CHECKING:
    from arpad.moves.evaluated import EvaluatedGames
    from arpad.moves.measured import Gains

__all__ = ["add_to"]


class View(StrEnum):
    """What a line is."""

    players = "players"
    event = "event"
    events = "events"
    matches = "matches"
    games = "games"
    moves = "moves"


class Chart(StrEnum):
    """What is drawn."""

    game = "game"
    histogram = "histogram"
    course = "course"
    crosstable = "crosstable"


def add_to(app: typer.Typer) -> None:
    """Register the verb."""
    app.command()(gain)


def gain(
    files: Annotated[
        list[str],
        typer.Argument(
            help="PGN files with evaluations in their comments; - is standard input.",
            metavar="FILES",
        ),
    ],
    view: Annotated[
        View,
        typer.Option(
            help="players: everybody's moves in all files; event: the same event by event, with perceived ratings; events: "
            "players across events; matches: match by match; games: game by game; moves: every move."
        ),
    ] = View.players,
    one_event: Annotated[
        bool, typer.Option("--one-event", help="With --view event: take all games as one event.")
    ] = False,
    players: Annotated[
        Optional[str],  # noqa: UP045 - Typer reads the annotation
        typer.Option(help="Only players whose names contain one of these: Carlsen,Anand."),
    ] = None,
    engine_rating: Annotated[
        Optional[float],  # noqa: UP045
        typer.Option(help="The engine's rating: makes strengths of differences to it."),
    ] = None,
    chart: Annotated[
        Optional[str], typer.Option(help="Draw into this file, .png or .svg.")  # noqa: UP045
    ] = None,
    chart_kind: Annotated[
        Optional[Chart],  # noqa: UP045
        typer.Option(
            help="game: evaluation and gain; histogram; course: strength after each move; crosstable. [by the view]"
        ),
    ] = None,
    draws: Annotated[int, typer.Option(help="Sets of games drawn for intervals; 0: none.")] = 1000,
    confidence: Annotated[float, typer.Option(help="Share of them inside an interval.")] = 0.95,
    seed: Annotated[int, typer.Option(help="Of the draws.")] = 0,
    strict: Annotated[
        bool,
        typer.Option("--strict", help="Make an error of the first record that would be skipped."),
    ] = False,
    format: FormatOption = None,
    output: OutputOption = None,
) -> None:
    """Measure players by the gain of their moves: how much each changed the evaluation.

    arpad gain game.pgn --engine-rating 2860

    arpad gain event.pgn --view event --chart crosstable.png

    arpad gain london.pgn moscow.pgn --view events --players Anand,Carlsen
    """
    from arpad.cli.gain_chart import draw
    from arpad.cli.gain_document import document, rows
    from arpad.cli.gain_shown import people
    from arpad.moves.gain_report import gain_reports
    from arpad.moves.measured import measure
    from arpad.moves.resampling import Resampling

    how = Resampling(draws=draws, confidence=confidence, seed=seed)
    evaluated = _evaluated(files, strict=strict)
    gains = _only(measure(evaluated), players, view)
    reports = gain_reports(
        gains,
        view="games" if view is View.moves else view.value,  # type: ignore[arg-type]
        one_event=one_event,
        engine_rating=engine_rating,
        resampling=how,
    )
    if chart is not None:
        draw(reports, chart, kind=None if chart_kind is None else chart_kind.value, view=view.value)
    elif chart_kind is not None:
        raise UsageError("expected --chart FILE beside --chart-kind: where to draw it")
    moves = view is View.moves
    emit(
        format,
        output,
        people=lambda: people(reports, moves=moves),
        rows=lambda: rows(reports, moves=moves),
        document=lambda: document(reports, evaluated, moves=moves),
    )


def _evaluated(files: list[str], *, strict: bool) -> EvaluatedGames:
    from arpad.cli.output import explain_report
    from arpad.moves.evaluated import read_evaluated
    from arpad.publish.atomic import keep

    keep((f for f in files if f != "-"), "this file was read")
    found = read_evaluated(files, strict=strict)
    explain_report(found.report)
    return found


def _only(gains: Gains, players: str | None, view: View) -> Gains:
    """Keep the moves of players who were named."""
    if players is None:
        return gains
    if view in (View.event, View.matches):
        raise UsageError(
            f"--players: expected another view than {view}, whose ratings need everybody"
        )
    import polars as pl

    parts = [p.strip().casefold() for p in players.split(",") if p.strip()]
    names = gains.games.players["name"].to_list()
    wanted = [i for i, n in enumerate(names) if any(p in (n or "").casefold() for p in parts)]
    kept = gains.table["player"].is_in(wanted)
    if not kept.any():
        some = ", ".join(map(str, names[:5]))
        raise UsageError(
            f"--players: expected part of a name, found {players!r}; there are {some}, …"
        )
    left_out = gains.left_out.filter(
        pl.col("game").is_in(gains.table.filter(kept)["game"].unique().to_list())
    )
    return gains.part(kept, left_out)
