"""`arpad live`: the estimate moves with every move of a game that is being played."""

from __future__ import annotations

import math
import sys
from contextlib import ExitStack
from itertools import takewhile
from typing import TYPE_CHECKING, Annotated, Optional

import typer

from arpad.cli.engine_options import (
    AskDepthOption,
    EngineOption,
    HashOption,
    NodesOption,
    PatienceOption,
    TimeOption,
    UciOption,
    engine_settings,
    engine_wanted,
)
from arpad.cli.output import Format, FormatOption, say
from arpad.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from arpad.moves.live import LiveEstimate, LiveGame
    from arpad.moves.live_board import Judge, LiveBoard
    from arpad.moves.settings import EngineSettings

__all__ = ["add_to"]


def add_to(app: typer.Typer) -> None:
    """Register the verb."""
    app.command()(live)


def live(
    ctx: typer.Context,
    file: Annotated[
        str,
        typer.Argument(help="A PGN file that grows; - is standard input: a move a line, or PGN."),
    ] = "-",
    engine_rating: Annotated[
        Optional[float], typer.Option(help="The engine's rating: makes strengths of differences.")  # noqa: UP045
    ] = None,
    white: Annotated[Optional[str], typer.Option(help="White's name. [as the tags say]")] = None,  # noqa: UP045
    black: Annotated[Optional[str], typer.Option(help="Black's name. [as the tags say]")] = None,  # noqa: UP045
    game: Annotated[
        Optional[int], typer.Option(help="Which game of the file, from 1. [the last]")  # noqa: UP045
    ] = None,
    every: Annotated[float, typer.Option(help="Look at the file after so many seconds.")] = 0.5,
    give_up: Annotated[
        Optional[float], typer.Option(help="Stop when nothing came for so many seconds.")  # noqa: UP045
    ] = None,
    depth: AskDepthOption = None,
    nodes: NodesOption = None,
    time: TimeOption = None,
    engine: EngineOption = "stockfish",
    hash: HashOption = None,
    option: UciOption = None,
    patience: PatienceOption = 60.0,
    draws: Annotated[int, typer.Option(help="Sets of blocks drawn for intervals; 0: none.")] = 500,
    confidence: Annotated[float, typer.Option(help="Share of them inside an interval.")] = 0.95,
    format: FormatOption = None,
) -> None:
    r"""Follow a game and say after each move how strong both have played, by the gain of their moves.

    Evaluations come with the moves (e4 0.30, or comments with %eval), or from an engine with --depth, --nodes or --time.
    It ends with the result, at the end of the input, or with Ctrl-C.

    arpad live broadcast.pgn --depth 12 --engine-rating 2860

    printf '0.13\ne4 0.30\ne5 0.25\n' | arpad live
    """
    from arpad.moves.live import LiveGame
    from arpad.moves.resampling import Resampling

    if format is Format.csv:
        raise UsageError("--format: expected table or json (a line a move), found csv")
    if not 0.01 <= every <= 3600:
        raise UsageError(f"--every: expected .01 to 3600 seconds, found {every:g}")
    if give_up is not None and not give_up >= 0:
        raise UsageError(f"--give-up: expected seconds, 0 or more, found {give_up:g}")
    if engine_rating is not None and not math.isfinite(engine_rating):
        raise UsageError(f"expected the engine's rating as a number, found {engine_rating!r}")
    start = LiveGame(
        engine_rating=engine_rating, resampling=Resampling(draws=draws, confidence=confidence)
    )
    with ExitStack() as stack:
        judge = None
        if engine_wanted(ctx):
            settings = engine_settings(
                engine=engine, depth=depth, nodes=nodes, seconds=time, hash_mb=hash, options=option
            )
            judge = _judge(stack, settings, patience)
        boards = _boards(file, judge, every, give_up, game)
        show = _shown(stack, format, confidence)
        _follow(boards, start, (white, black), show)


def _boards(
    file: str, judge: Judge | None, every: float, give_up: float | None, game: int | None
) -> Iterator[LiveBoard]:
    from arpad.cli.live_source import from_file, from_input

    if file != "-":
        return from_file(file, judge, every=every, give_up=give_up, game=game)
    if give_up is not None or game is not None:
        raise UsageError("--give-up, --game: expected a file to follow, found standard input")
    return from_input(judge)


def _judge(stack: ExitStack, settings: EngineSettings, patience: float) -> Judge:
    """Start the engine and return what it says of a position."""
    from arpad.moves.engine import Engine
    from arpad.moves.evaluated import MATE

    running = stack.enter_context(Engine(settings, patience=patience))

    def value(epd: str) -> float | None:
        lines = running.search(epd).lines
        if not lines:
            return None
        if lines[0].mate is not None:
            return float(MATE if lines[0].mate > 0 else -MATE)
        return None if lines[0].cp is None else float(lines[0].cp)

    return value


def _follow(
    boards: Iterator[LiveBoard],
    start: LiveGame,
    names: tuple[str | None, str | None],
    show: Callable[[LiveEstimate], None],
) -> None:
    """Show an estimate for every move that is settled, each once."""
    from dataclasses import replace

    shown: list[str] = []
    begun = False
    try:
        for board in boards:
            moves = [p.move for p in board.played[1:]]
            if not board.played[-1].settled:
                moves = moves[:-1]
            if moves[: len(shown)] != shown:
                shown = _back(shown, moves)
                begun = begun and bool(shown)
            if moves and not begun:
                begun = True
                if board.played[0].value is None:
                    say(
                        "The starting position has no evaluation: the first move cannot be counted."
                    )
            white, black = names[0] or board.tags.get("White"), names[1] or board.tags.get("Black")
            game = replace(start, white_begins=board.white_begins, names=(white or "White", black or "Black"))  # fmt: skip
            values = board.values()
            for ply in range(len(shown) + 1, len(moves) + 1):
                now = replace(game, values=values[: ply + 1], moves=tuple(moves[:ply]))
                show(now.estimate())
                shown = moves[:ply]
            shown = moves
    except KeyboardInterrupt:
        if not shown:
            raise


def _back(shown: list[str], moves: list[str]) -> list[str]:
    """Say that moves were taken back; return those that need not be shown again."""
    same = sum(1 for _ in takewhile(bool, map(str.__eq__, shown, moves)))
    if same == 0:
        say("Another game began, or all moves were taken back.")
        return []
    say(f"Moves were taken back: {len(shown) - same} of {len(shown)} half-moves.")
    return moves[: same - (same == len(moves))]  # where nothing is new, the last one is shown again


def _shown(
    stack: ExitStack, format: Format | None, confidence: float
) -> Callable[[LiveEstimate], None]:
    """Return how an estimate is shown: JSON lines, a table that stays where it is, or lines."""
    from arpad.cli.live_shown import json_line, table, text_line

    if format is Format.json:
        return lambda now: print(json_line(now), flush=True)
    if not sys.stdout.isatty():
        return lambda now: print(text_line(now), flush=True)
    from rich.live import Live

    screen = stack.enter_context(Live(auto_refresh=False))
    return lambda now: screen.update(table(now, confidence), refresh=True)
