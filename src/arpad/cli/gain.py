"""`arpad gain`: how strong the moves were, on the rating scale, from evaluations."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Optional

import typer

from arpad.cli.engine_options import (
    AskDepthOption,
    EngineOption,
    HashOption,
    NodesOption,
    PatienceOption,
    StoreOption,
    TimeOption,
    UciOption,
    WorkersOption,
    engine_settings,
    engine_wanted,
    workers_of,
)
from arpad.cli.output import FormatOption, OutputOption, emit
from arpad.errors import UsageError

if TYPE_CHECKING:
    from arpad.cli.evaluations import EngineWork
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


class EngineGain(StrEnum):
    """What the engine itself gains."""

    zero = "zero"
    agreed = "agreed"
    best = "best"


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
    ctx: typer.Context,
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
    engine_gain: Annotated[
        EngineGain,
        typer.Option(
            help="Also against the engine's own gain: agreed, in moves that it would have played, or best, in its choice everywhere."
        ),
    ] = EngineGain.zero,
    depth: AskDepthOption = None,
    nodes: NodesOption = None,
    time: TimeOption = None,
    engine: EngineOption = "stockfish",
    hash: HashOption = None,
    option: UciOption = None,
    workers: WorkersOption = None,
    store: StoreOption = None,
    patience: PatienceOption = 60.0,
    use_evals: Annotated[
        bool,
        typer.Option(
            "--use-evals", help="With an engine: ask it only where the file has no %eval."
        ),
    ] = False,
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

    arpad gain event.pgn --depth 13 --view event --chart crosstable.png

    arpad gain london.pgn moscow.pgn --view events --players Anand,Carlsen
    """
    from arpad.cli.evaluations import sourced
    from arpad.cli.gain_chart import draw
    from arpad.cli.gain_document import document, rows
    from arpad.cli.gain_shown import people
    from arpad.moves.gain_report import gain_reports
    from arpad.moves.measured import measure
    from arpad.moves.resampling import Resampling

    how = Resampling(draws=draws, confidence=confidence, seed=seed)
    work = None
    if engine_wanted(ctx):
        work = _work(engine, depth, nodes, time, hash, option, workers, store, patience, use_evals)
    source = sourced(files, strict=strict, work=work)
    gains = measure(source.games)
    own = source.engine_gain(engine_gain.value, gains)
    reports = gain_reports(
        _only(gains, players, view),
        view="games" if view is View.moves else view.value,  # type: ignore[arg-type]
        one_event=one_event,
        engine_rating=engine_rating,
        measured=own,
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
        document=lambda: document(reports, source.games, moves=moves),
    )


def _work(
    engine: str,
    depth: int | None,
    nodes: int | None,
    time: float | None,
    hash: int | None,
    option: list[str] | None,
    workers: str | None,
    store: str | None,
    patience: float,
    use_evals: bool,
) -> EngineWork:
    from arpad.cli.evaluations import EngineWork

    settings = engine_settings(
        engine=engine, depth=depth, nodes=nodes, seconds=time, hash_mb=hash, options=option
    )
    team = workers_of(workers, settings, patience=patience)
    return EngineWork(settings=settings, workers=team, store=store, use_evals=use_evals)


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
    return gains.part(kept, left_out, gains.forfeits)
