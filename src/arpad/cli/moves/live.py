"""`arpad live`: the estimate moves with every move of a game that is being played."""

from __future__ import annotations

import math
import re
import sys
import time
from contextlib import ExitStack
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from arpad.cli import options as opt
from arpad.cli.output import FormatOption, OutputFormat, say
from arpad.errors import InputError, UsageError
from arpad.moves.live import LiveBoard, MoveStream
from arpad.publish.reports.gain import figure

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from arpad.moves.engine import EngineSettings
    from arpad.moves.live import Judge, LiveEstimate, LiveGame, LiveSide


def live(
    ctx: typer.Context,
    file: Annotated[str, typer.Argument()] = "-",
    engine_rating: float | None = None,
    white: str | None = None,
    black: str | None = None,
    game: int | None = None,
    every: float = 0.5,
    give_up: float | None = None,
    *,
    engine: opt.EngineSearch,
    draws: int = 500,
    confidence: float = 0.95,
    format: FormatOption = None,
) -> None:
    r"""Follow a game and show after each move how strong both players are, by the gain of their moves.

    Evaluations come with the moves (e4 0.30, or comments with %eval), or from an engine with --depth, --nodes or --time.
    It ends with the result, at the end of the input, or with Ctrl-C.

    arpad live broadcast.pgn --depth 12 --engine-rating 2860

    printf '0.13\ne4 0.30\ne5 0.25\n' | arpad live

    file: A PGN file that grows; - is standard input, with a move on each line, or PGN.
    engine_rating: Rating of the engine; with it arpad prints strengths instead of differences.
    white: Name of White. [from the tags]
    black: Name of Black. [from the tags]
    game: Number of the game in the file. [the last]
    every: Read the file every X seconds.
    give_up: Stop after X seconds without a new move.
    draws: Number of random samples of blocks of moves for the intervals; 0 for none.
    confidence: Probability of the intervals.
    """
    from arpad.moves.live import LiveGame
    from arpad.moves.resampling import Resampling

    if format is OutputFormat.csv:
        raise UsageError("--format: expected table or json (a line a move), found csv")
    if not 0.01 <= every <= 3600:
        raise UsageError(f"--every: expected .01 to 3600 seconds, found {every:g}")
    if give_up is not None and not give_up >= 0:
        raise UsageError(f"--give-up: expected seconds, 0 or more, found {give_up:g}")
    if engine_rating is not None and not math.isfinite(engine_rating):
        raise UsageError(f"expected the engine's rating as a number, found {engine_rating!r}")
    start = LiveGame(engine_rating=engine_rating, resampling=Resampling(draws=draws, confidence=confidence))
    with ExitStack() as stack:
        judge = None
        if engine.wanted(ctx):
            judge = _judge(stack, engine.settings(), engine.patience)
        boards = _boards(file, judge, every, give_up, game)
        show = _shown(stack, format, confidence)
        _follow(boards, start, (white, black), show)


def _boards(
    file: str, judge: Judge | None, every: float, give_up: float | None, game: int | None
) -> Iterator[LiveBoard]:

    if file != "-":
        return from_file(file, judge, every=every, give_up=give_up, game=game)
    if give_up is not None or game is not None:
        raise UsageError("--give-up, --game: expected a file to follow, found standard input")
    return from_input(judge)


def _judge(stack: ExitStack, settings: EngineSettings, patience: float) -> Judge:
    from arpad.moves.engine import Engine
    from arpad.moves.evaluated_games import MATE

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
                    say("The starting position has no evaluation: the first move cannot be counted.")
            white, black = names[0] or board.tags.get("White"), names[1] or board.tags.get("Black")
            game = replace(
                start,
                white_begins=board.white_begins,
                first_number=board.first_number,
                names=(white or "White", black or "Black"),
            )
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
    stack: ExitStack, format: OutputFormat | None, confidence: float
) -> Callable[[LiveEstimate], None]:
    """Return how an estimate is shown: JSON lines, a table that stays where it is, or lines."""
    if format is OutputFormat.json:
        return lambda now: print(json_line(now), flush=True)
    if not sys.stdout.isatty():
        return lambda now: print(text_line(now), flush=True)
    from rich.live import Live

    screen = stack.enter_context(Live(auto_refresh=False))
    return lambda now: screen.update(table(now, confidence), refresh=True)


# A live estimate as a line, as JSON, or as a table that is drawn again and again.


def text_line(now: LiveEstimate) -> str:
    """Return one line: the move, its evaluation and gain, and both players' points to the engine.

    Examples
    --------
    >>> from arpad.moves.live import LiveGame
    >>> game = LiveGame(values=(13.0,)).after(12.0, "Nf3").after(12.0, "Nf6")
    >>> text_line(game.estimate())
    '1...  Nf6         .12  gain     .00 | White      −∞ | Black       0'
    """
    sides = " | ".join(_side(s) for s in now.sides)
    evaluation = figure(now.evaluation, 2) or "?"
    gain = figure(now.gain, 2) or "?"
    return f"{now.number:<5} {now.move or '':<8} {evaluation:>6}  gain {gain:>7} | {sides}"


def _side(side: LiveSide) -> str:
    points = figure(side.points(side.expected), 0, signed=True) or "?"
    text = f"{side.name} {points:>7}"
    low, high = (figure(side.points(p), 0) for p in (side.expected_low, side.expected_high))
    if low or high:
        text += f" ({low} … {high})"
    if side.engine_rating is not None and side.expected is not None:
        text += f" = perceived {figure(side.engine_rating + (side.points(side.expected) or 0.0), 0)}"
    return text


def json_line(now: LiveEstimate) -> str:
    """Return everything on one line of JSON."""
    from arpad.moves.gain import difference
    from arpad.publish import output as jsonout

    pair: dict[str, Any] = {"player": now.sides[0].name, "opponent": now.sides[1].name}
    for end, p in (("", now.expected), ("_low", now.expected_low), ("_high", now.expected_high)):
        pair[f"expected{end}"] = p
        pair[f"difference{end}"] = None if p is None else float(difference(p))
    document = {
        "ply": now.ply,
        "number": now.number,
        "move": now.move,
        "evaluation": now.evaluation,
        "gain": now.gain,
        "players": [_plain(s.as_dict()) for s in now.sides],
        "pair": _plain(pair),
    }
    return jsonout.line(document)


def _plain(figures: dict[str, Any]) -> dict[str, Any]:
    def number(value: Any) -> Any:
        if isinstance(value, float) and math.isinf(value):
            return "Infinity" if value > 0 else "-Infinity"
        return round(value, 6) if isinstance(value, float) else value

    return {k: number(v) for k, v in figures.items()}


def table(now: LiveEstimate, confidence: float) -> Any:
    """Return the table that a terminal shows in one place."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    share = f"{100 * confidence:g} %"
    strengths = now.sides[0].engine_rating is not None
    title = f"{now.number} {now.move or ''}  evaluation {figure(now.evaluation, 2) or '?'}  gain {figure(now.gain, 2) or '?'}"
    shown = Table(title=title, title_justify="left", box=SIMPLE_HEAD, pad_edge=False, show_edge=False)
    shown.add_column("player")
    for name in ("moves", "gain", "vs engine", "points", share, *(["perceived"] if strengths else [])):
        shown.add_column(name, justify="right")
    for side in now.sides:
        low, high = (figure(side.points(p), 0) for p in (side.expected_low, side.expected_high))
        cells = [
            side.name,
            str(side.moves),
            figure(side.mean_gain, 3, signed=True),
            figure(side.expected, 3),
            figure(side.points(side.expected), 0, signed=True),
            f"{low} … {high}" if low or high else "too few moves",
        ]
        if strengths and side.expected is not None and side.engine_rating is not None:
            cells.append(figure(side.engine_rating + (side.points(side.expected) or 0.0), 0))
        shown.add_row(*cells)
    return shown


# Where live moves come from: standard input, or a PGN file that grows or is replaced.


class _FileState(NamedTuple):
    """Time of the last change (ns) and size of a file; both show whether it has changed."""

    written: int
    size: int


_GAME = re.compile(r"^\s*\[Event\s", re.MULTILINE)


def from_input(judge: Judge | None) -> Iterator[LiveBoard]:
    """Give the board after every line of standard input that said something."""
    from arpad.read.pgn.scan import decoded

    board, stream = LiveBoard(judge=judge), MoveStream()
    for raw in getattr(sys.stdin, "buffer", sys.stdin):
        line = decoded(raw) if isinstance(raw, bytes) else raw
        try:
            board.take(stream.feed(line))
        except InputError as error:
            if not sys.stdin.isatty():
                yield board  # what came before it still counts
                raise
            say(f"arpad: {error}")  # a person at a keyboard may try again
        yield board
        if board.result is not None:
            return
    board.take(stream.end())
    board.played[-1].settled = True
    yield board


def from_file(
    path: str, judge: Judge | None, *, every: float, give_up: float | None, game: int | None
) -> Iterator[LiveBoard]:
    """Give the board whenever the file has changed, until the result.

    Programs that broadcast write the whole file again with every move, others add to it: it is read from the
    start each time, and positions that were evaluated are not evaluated again. The program that writes it may be
    half-way: a file that has become shorter, or is gone for a moment, must stand still first.
    """
    seen = before = _state(path)
    if seen is None:
        raise InputError("expected a PGN file: No such file or directory", file=path)
    changed, rest, last = True, False, time.monotonic()
    memory = _Remembered(judge) if judge is not None else None
    while True:
        text = _text(path) if changed or (rest and before == seen) else None
        if text is not None:
            board = LiveBoard(judge=memory)
            try:
                rest = _read(board, _one_game(text, game), whole=not changed)
            except InputError as error:
                yield board  # what came before it still counts
                raise InputError(error.reason, file=path) from None
            yield board
            if board.result not in (None, "*"):
                return
        elif give_up is not None and time.monotonic() - last >= give_up:
            return
        time.sleep(every)
        now = _state(path)
        changed = now is not None and now != seen and _whole(now, before, seen)
        before = now
        if changed and now is not None:
            seen, last = now, time.monotonic()


def _whole(now: _FileState, before: _FileState | None, seen: _FileState) -> bool:
    """Say whether a file can be read: it has grown, or has become shorter, not empty, and stands still."""
    return now.size >= seen.size or (now.size > 0 and now == before)


def _read(board: LiveBoard, text: str, *, whole: bool) -> bool:
    """Take the moves so far; return whether a last word was left, which may be half of one.

    With `whole` it is taken: the file has stood still since.
    """
    stream = MoveStream()
    board.take(stream.feed(text))
    if whole:
        board.take(stream.end())
        return False
    return bool(stream.rest.strip())


def _text(path: str) -> str | None:
    from arpad.files import input_file
    from arpad.read.pgn.scan import decoded

    try:
        return decoded(input_file(path).read_bytes())
    except FileNotFoundError:
        return None
    except OSError as error:
        raise InputError(f"expected a PGN file: {error.strerror}", file=path) from None


def _one_game(text: str, game: int | None) -> str:
    """Return the text of the game that was asked for: the last one, unless a number says otherwise."""
    starts = [m.start() for m in _GAME.finditer(text)] or [0]
    if game is not None and not 1 <= game <= len(starts):
        raise UsageError(f"--game: expected a number from 1 to {len(starts)}, found {game}")
    chosen = len(starts) - 1 if game is None else game - 1
    end = starts[chosen + 1] if chosen + 1 < len(starts) else len(text)
    return text[starts[chosen] : end]


def _state(path: str) -> _FileState | None:
    """Return when the file was written and how long it is; None where there is none."""
    try:
        result = Path(path).stat()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise InputError(f"expected a PGN file: {error.strerror}", file=path) from None
    if Path(path).is_dir():
        raise InputError("expected a PGN file, found a folder", file=path)
    return _FileState(result.st_mtime_ns, result.st_size)


class _Remembered:
    """A judge who does not judge twice."""

    def __init__(self, judge: Judge) -> None:
        self.judge = judge
        self.known: dict[str, float | None] = {}

    def __call__(self, epd: str) -> float | None:
        if epd not in self.known:
            self.known[epd] = self.judge(epd)
        return self.known[epd]
