"""`arpad ipr errors`: by how much the moves played fall short of the engine's."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Optional

import typer

from arpad.cli.engine_options import (
    AskDepthOption,
    EngineOption,
    HashOption,
    MultipvOption,
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
    from arpad.moves.error_events import EventFilter
    from arpad.moves.error_groups import ErrorGroups
    from arpad.moves.error_trend import ErrorTrend
    from arpad.moves.game_errors import GameErrors

__all__ = ["add_to"]


class Group(StrEnum):
    """What a line is."""

    player = "player"
    game = "game"
    event = "event"
    year = "year"
    category = "category"
    turn = "turn"
    advantage = "advantage"


class Judged(StrEnum):
    """Where the window looks."""

    previous = "previous"
    here = "here"


class Repeated(StrEnum):
    """Which of repeated positions are left out."""

    later = "later"
    all = "all"
    none = "none"


def add_to(group: typer.Typer) -> None:
    """Register the verb."""
    group.command("errors")(errors)


def errors(
    ctx: typer.Context,
    files: Annotated[
        list[str],
        typer.Argument(
            help="PGN files, or a table of positions; - is standard input.", metavar="FILES"
        ),
    ],
    by: Annotated[Group, typer.Option(help="What is put together.")] = Group.player,
    first_turn: Annotated[int, typer.Option(help="The first move that counts.")] = 9,
    last_turn: Annotated[
        Optional[int],  # noqa: UP045 - Typer reads the annotation
        typer.Option(help="The last move that counts. [all]"),
    ] = None,
    window: Annotated[
        float, typer.Option(help="Pawns of advantage beyond which a game counts as decided.")
    ] = 3.0,
    judged: Annotated[
        Judged, typer.Option(help="Where: in the position before, or in the position itself.")
    ] = Judged.previous,
    repeated: Annotated[
        Repeated,
        typer.Option(
            help="Of repeated positions, leave out those that stood on the board before, or all of them, or none."
        ),
    ] = Repeated.later,
    skip_forced: Annotated[
        bool, typer.Option("--skip-forced", help="Leave out moves that were the only legal one.")
    ] = False,
    cap: Annotated[
        float, typer.Option(help="Pawns at which values are cut off; a mate counts as much.")
    ] = 39.0,
    categories: Annotated[
        Optional[str],  # noqa: UP045
        typer.Option(help="Only events of these FIDE categories: 11-20, 11- or 15."),
    ] = None,
    round_robin: Annotated[
        bool, typer.Option("--round-robin", help="Only events in which everybody met everybody.")
    ] = False,
    players: Annotated[
        Optional[str],  # noqa: UP045
        typer.Option(help="Only players whose names contain one of these: Carlsen,Anand."),
    ] = None,
    step: Annotated[
        float, typer.Option(help="With --by advantage: pawns that are put together.")
    ] = 0.10,
    eras: Annotated[
        Optional[str],  # noqa: UP045
        typer.Option(help="Tell eras apart by their first years: 1970,1985,2000,2010."),
    ] = None,
    trend: Annotated[
        bool,
        typer.Option(
            "--trend",
            help="With --by category or year: the moving average over the years, categories two by two.",
        ),
    ] = False,
    span: Annotated[int, typer.Option(help="With --trend: years of the moving average.")] = 4,
    depth: AskDepthOption = None,
    nodes: NodesOption = None,
    time: TimeOption = None,
    multipv: MultipvOption = 1,
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
    confidence: Annotated[float, typer.Option(help="Of the limits.")] = 0.95,
    strict: Annotated[
        bool,
        typer.Option("--strict", help="Make an error of the first record that would be skipped."),
    ] = False,
    format: FormatOption = None,
    output: OutputOption = None,
) -> None:
    """Show average error, raw and scaled: what moves cost beside the engine's choice.

    With one line a position the value before a move is compared with the value after it; with --multipv 2 or more, two lines
    of one search.

    arpad ipr errors games.pgn --by turn --chart turns.png

    arpad ipr errors linares.pgn --depth 12 --by player

    arpad ipr errors events.pgn --by category --trend --first-turn 17 --last-turn 32 --chart figure5.png
    """
    from arpad.cli import ipr_errors_shown as shown
    from arpad.cli.evaluations import EngineWork
    from arpad.cli.ipr_errors_source import read_errors
    from arpad.moves.average_error import ErrorFilters
    from arpad.moves.error_events import of_events
    from arpad.moves.error_groups import group_errors
    from arpad.moves.error_trend import error_trend

    filters = ErrorFilters(
        first_turn=first_turn, last_turn=last_turn, window=window, judged=judged.value,
        repeated=repeated is not Repeated.none, first_of_repeated=repeated is not Repeated.all,
        forced=not skip_forced,
    )  # fmt: skip
    events, years = _events(categories, round_robin), _years(eras)
    _check(by, trend=trend, eras=years, multipv=multipv, use_evals=use_evals)
    work = None
    if engine_wanted(ctx):
        settings = engine_settings(
            engine=engine, depth=depth, nodes=nodes, seconds=time, multipv=multipv, hash_mb=hash, options=option
        )  # fmt: skip
        team = workers_of(workers, settings, patience=patience)
        work = EngineWork(settings=settings, workers=team, store=store, use_evals=use_evals)
    elif multipv != 1:
        raise UsageError(
            "--multipv: expected --depth, --nodes or --time beside it: the file has no lines"
        )
    found, games = read_errors(files, strict=strict, filters=filters, cap=cap, work=work)
    found = _only(of_events(found, events), players)
    taken = {**events.parameters(), "players": players}
    report: ErrorGroups | ErrorTrend
    if trend:
        report = error_trend(
            found, categories=by is Group.category, span=span, confidence=confidence
        )
        views = shown.of_trend(report, games, taken)
    else:
        report = group_errors(found, by.value, step=step, eras=years, confidence=confidence)
        views = shown.of_groups(report, games, taken)
    if chart is not None:
        shown.draw(report, chart)
    emit(format, output, **views)


def _check(
    by: Group, *, trend: bool, eras: list[int] | None, multipv: int, use_evals: bool
) -> None:
    """Raise if options do not go together."""
    if trend and by not in (Group.category, Group.year):
        raise UsageError(f"--trend: expected --by category or --by year, found --by {by}")
    if trend and eras is not None:
        raise UsageError("--trend and --eras: a moving average has no eras: choose one")
    if use_evals and multipv > 1:
        raise UsageError("--use-evals and --multipv: the file has no lines: choose one")


def _events(categories: str | None, round_robin: bool) -> EventFilter:
    """Return which events count: 11-20, 11-, -20 or 15."""
    import re

    from arpad.moves.error_events import EventFilter

    if categories is None:
        return EventFilter(round_robin=round_robin)
    given = re.fullmatch(r"\s*(\d{1,2})?\s*(?:(-)\s*(\d{1,2})?)?\s*", categories)
    if given is None or not (given[1] or given[3]):
        raise UsageError(f"--categories: expected 11-20, 11- or 15, found {categories!r}")
    least = int(given[1]) if given[1] else None
    most = int(given[3]) if given[3] else None if given[2] else least
    return EventFilter(least=least, most=most, round_robin=round_robin)


def _years(eras: str | None) -> list[int] | None:
    if eras is None:
        return None
    parts = [p.strip() for p in eras.split(",")]
    if not all(p.isdecimal() and len(p) <= 4 for p in parts):
        raise UsageError(f"--eras: expected years such as 1970,1985,2000,2010, found {eras!r}")
    return [int(p) for p in parts]


def _only(errors: GameErrors, players: str | None) -> GameErrors:
    """Keep the moves of players who were named."""
    if players is None:
        return errors
    parts = [p.strip().casefold() for p in players.split(",") if p.strip()]
    names = errors.games.players["name"].to_list()
    wanted = [i for i, n in enumerate(names) if any(p in (n or "").casefold() for p in parts)]
    kept = errors.table["player"].is_in(wanted)
    if not kept.any():
        some = ", ".join(map(str, names[:5]))
        raise UsageError(
            f"--players: expected part of a name, found {players!r}; there are {some}, …"
        )
    return errors.part(kept)
