"""Where live moves come from: standard input, or a PGN file that grows or is written anew."""

from __future__ import annotations

import re
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from arpad.cli.output import say
from arpad.errors import InputError, UsageError
from arpad.moves.live_board import LiveBoard
from arpad.moves.move_stream import MoveStream

if TYPE_CHECKING:
    from collections.abc import Iterator

    from arpad.moves.live_board import Judge

__all__ = ["from_file", "from_input"]


class _State(NamedTuple):
    """When a file was written, in ns, and its bytes: what differs when it was changed."""

    written: int
    size: int


_GAME = re.compile(r"^\s*\[Event\s", re.MULTILINE)


def from_input(judge: Judge | None) -> Iterator[LiveBoard]:
    """Give the board after every line of standard input that said something."""
    board, stream = LiveBoard(judge=judge), MoveStream()
    for line in sys.stdin:
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

    Programs that broadcast write the whole file anew with every move, others add to it: it is read from the
    start each time, and positions that were evaluated are not evaluated again. Who writes it anew may be
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


def _whole(now: _State, before: _State | None, seen: _State) -> bool:
    """Say whether a file can be read: it has grown, or has become shorter, not empty, and stands still."""
    return now.size >= seen.size or (now.size > 0 and now == before)


def _read(board: LiveBoard, text: str, *, whole: bool) -> bool:
    """Take the game as it stands; say whether a last word was left, which may be half of one.

    With `whole` it is taken: the file has stood still since.
    """
    stream = MoveStream()
    board.take(stream.feed(text))
    if whole:
        board.take(stream.end())
        return False
    return bool(stream.rest.strip())


def _text(path: str) -> str | None:
    """Return what the file holds; None where it has gone this moment."""
    try:
        return Path(path).read_text(encoding="utf-8", errors="replace")
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


def _state(path: str) -> _State | None:
    """Return when the file was written and how long it is; None where there is none."""
    try:
        found = Path(path).stat()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise InputError(f"expected a PGN file: {error.strerror}", file=path) from None
    if Path(path).is_dir():
        raise InputError("expected a PGN file, found a folder", file=path)
    return _State(found.st_mtime_ns, found.st_size)


class _Remembered:
    """A judge who does not judge twice."""

    def __init__(self, judge: Judge) -> None:
        self.judge = judge
        self.known: dict[str, float | None] = {}

    def __call__(self, epd: str) -> float | None:
        if epd not in self.known:
            self.known[epd] = self.judge(epd)
        return self.known[epd]
