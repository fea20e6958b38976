"""Parser of UCI output, and the engine process behind the pipes."""

from __future__ import annotations

import os
import re
import select
import subprocess
import time
from dataclasses import dataclass

from arpad.errors import EngineError
from arpad.evaluation import EngineLine

# What UCI engines print, read from bytes: as little of it as an evaluation needs.

MOST = {b"cp": 2**31 - 1, b"mate": 2**15 - 1, b"depth": 2**15 - 1, b"nodes": 2**63 - 1}
"""Largest number that a column of evaluations accepts; a larger one is an error of the engine."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """A UCI option as the engine declares it.

    Examples
    --------
    >>> read_option("option name Hash type spin default 16 min 1 max 1024")
    Option(name='Hash', type='spin', default='16', least=1, most=1024, choices=())
    """

    name: str
    type: str
    default: str = ""
    least: int | None = None
    most: int | None = None
    choices: tuple[str, ...] = ()


_WORDS = ("name", "type", "default", "min", "max")
_WHOLE = re.compile(r"-?[0-9]{1,18}")


def read_option(text: str) -> Option:
    """Return the option that a line declares."""
    parts: dict[str, list[str]] = {}
    choices: list[list[str]] = []
    current: list[str] = []
    for word in text.split()[1:]:
        if word == "var":  # a choice of several: there is one for each
            current = []
            choices.append(current)
        elif word in _WORDS and word not in parts:
            current = parts.setdefault(word, [])
        else:
            current.append(word)
    joined = {key: " ".join(words) for key, words in parts.items()}
    if not joined.get("name"):
        raise EngineError(f"expected an option with a name, found {text!r}")
    return Option(
        name=joined["name"],
        type=joined.get("type", ""),
        default=joined.get("default", ""),
        least=whole_number(joined.get("min", "")),
        most=whole_number(joined.get("max", "")),
        choices=tuple(" ".join(words) for words in choices),
    )


def whole_number(text: str) -> int | None:
    """Return the whole number that a text is; None for any other text.

    Examples
    --------
    >>> whole_number("-5"), whole_number("--5"), whole_number("²")
    (-5, None, None)
    """
    return int(text) if _WHOLE.fullmatch(text) else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """An engine's answer to `go`, from White's side.

    `lines` are those of the last depth at which every line was given, together and exactly; `wanted` is how many
    there could have been: fewer are right only where there are fewer legal moves. `best` is empty when
    the engine says that there is no move; `nodes` is what the whole search visited. `over` is what an engine says of a finished game: "mate",
    "draw" or empty.
    """

    lines: tuple[EngineLine, ...]
    best: str
    wanted: int
    over: str = ""
    nodes: int = 0


def read_answer(output: bytes, *, white: bool, multipv: int = 1) -> Answer:
    r"""Return what a search came to, from all that the engine printed, up to its `bestmove`.

    Scores that are only bounds are never taken. The lines are read from the last to the first, until
    a depth is whole: the rest is never looked at.

    Parameters
    ----------
    white
        Whether White is to move: engines speak from the mover's side.

    Examples
    --------
    >>> said = b"info depth 2 multipv 1 score cp -20 nodes 90 pv e7e5 g1f3\nbestmove e7e5"
    >>> read_answer(said, white=False).lines
    (EngineLine(move='e7e5', cp=20, mate=None, depth=2, nodes=90),)
    """
    rows = output.split(b"\n")
    best = _best(rows)
    block: list[EngineLine] = []  # from its last line up
    number_above = 0
    whole: list[EngineLine] = []
    over, nodes = "", 0
    for row in reversed(rows):
        if not row.startswith(b"info ") or b" score " not in row:
            continue
        nodes = nodes or _nodes(row)
        result = _line(row, white, best if multipv == 1 else "")
        if result is None:
            continue
        number, line = result
        if not line.move:
            over = over or ("mate" if line.mate == 0 else "draw")
            continue
        if not block or number != number_above - 1 or line.depth != block[0].depth:
            block = []  # lines of two depths are not one answer
        block.append(line)
        number_above = number
        if number == 1:
            if len(block) > len(whole):
                whole = block
            if len(whole) >= multipv:
                break
            block = []
    lines = tuple(reversed(whole))[:multipv]
    return Answer(lines=lines, best=best, wanted=multipv, over=over, nodes=nodes)


def _best(rows: list[bytes]) -> str:
    for row in reversed(rows):
        if row.startswith(b"bestmove"):
            words = row.split()
            if len(words) < 2:
                break
            best = words[1].decode(errors="replace")
            return "" if best in ("(none)", "0000", "NULL") else best
    raise EngineError("expected bestmove and a move, found none in the engine's answer")


def _nodes(row: bytes) -> int:
    """Return how many positions had been visited by then, also where the score is only a bound."""
    words = row.split(b" nodes ", 1)[-1].split(b" ", 1)
    return int(words[0]) if b" nodes " in row and words[0].isdigit() else 0


def _line(row: bytes, white: bool, fallback: str) -> tuple[int, EngineLine] | None:
    """Return the number of a line and the line; None for a bound or for what cannot be read."""
    head, _, moves = row.partition(b" pv ")
    words = head.split()
    if b"lowerbound" in words or b"upperbound" in words:
        return None
    try:
        at = words.index(b"score")
        kind, value = words[at + 1], int(words[at + 2])
        number = int(words[words.index(b"multipv") + 1]) if b"multipv" in words else 1
        depth = int(words[words.index(b"depth") + 1]) if b"depth" in words else 0
        nodes = int(words[words.index(b"nodes") + 1]) if b"nodes" in words else 0
    except (ValueError, IndexError):
        return None
    if kind not in (b"cp", b"mate") or abs(value) > MOST[kind]:
        return None
    if not (0 <= depth <= MOST[b"depth"] and 0 <= nodes <= MOST[b"nodes"]):
        return None
    value = value if white else -value
    move = moves.split(maxsplit=1)[0].decode(errors="replace") if moves.strip() else fallback
    cp, mate = (value, None) if kind == b"cp" else (None, value)
    return number, EngineLine(move=move, cp=cp, mate=mate, depth=depth, nodes=nodes)


def without_chatter(output: bytes) -> bytes:
    r"""Drop what says nothing about a score, so that a long search does not fill the memory.

    Examples
    --------
    >>> without_chatter(b"info depth 30 currmove e2e4 currmovenumber 1\ninfo depth 3 score cp 1\nin")
    b'\ninfo depth 3 score cp 1\nin'
    """
    *whole, rest = output.split(b"\n")
    return b"\n".join([b"", *(row for row in whole if b" score " in row), rest])


# A program at the other end of two pipes: lines go in, lines come out, it may die or fall silent.

LONGEST = 20
"""A search that talks but does not end is stopped after this many times the patience."""
READ = 1 << 16
"""Bytes read at a time: all that a pipe holds."""
PLENTY = 1 << 18
"""Bytes of one answer after which what says nothing is dropped."""
TOO_MUCH = 1 << 25
"""Bytes of one answer that no search needs: 500 lines at 100 depths are some 20 million."""


class EngineProcess:
    """A running program that is spoken to by lines."""

    def __init__(self, command: tuple[str, ...]) -> None:
        self.name = command[-1]
        try:
            process = subprocess.Popen(
                command,
                bufsize=0,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,  # its last words, should it die
                start_new_session=True,  # Ctrl-C is for us, not for it
            )
        except OSError as error:
            raise EngineError(
                f"{self.name}: this engine cannot be started: {error.strerror or error}"
            ) from None
        assert process.stdin is not None
        assert process.stdout is not None
        self._process = process
        self._in, self._out = process.stdin.fileno(), process.stdout.fileno()
        self._poll = select.poll()
        self._poll.register(self._out, select.POLLIN)
        self._rest = bytearray(b"\n")

    @property
    def pid(self) -> int:
        """The number of the process."""
        return self._process.pid

    def send(self, text: str) -> None:
        """Send lines of text."""
        data = memoryview(text.encode() + b"\n")
        try:
            while data:
                data = data[os.write(self._in, data) :]
        except BrokenPipeError:
            raise self._dead() from None

    def listen(self, marker: bytes, silence: float) -> bytearray:
        """Return what the engine says, up to the end of the line that begins with the marker."""
        said, seen, plenty = self._rest, 0, PLENTY
        end = time.monotonic() + LONGEST * silence
        wait = silence * 1000
        while True:
            at = said.find(marker, seen)
            stop = said.find(b"\n", at + 1) if at >= 0 else -1
            if stop >= 0:
                self._rest = said[stop:]
                del said[stop:]
                return said
            seen = max(0, len(said) - len(marker)) if at < 0 else at
            if len(said) > plenty and at < 0:
                said, seen = bytearray(without_chatter(bytes(said))), 0
                plenty = 2 * max(len(said), PLENTY)  # so that no line is looked at again and again
                if len(said) > TOO_MUCH:
                    raise EngineError(f"{self.name} sends endless output: {len(said):,} bytes")
            if not self._poll.poll(wait):
                raise EngineError(f"{self.name} did not answer for {silence:g} seconds")
            piece = os.read(self._out, READ)
            if not piece:
                self._rest = said
                raise self._dead()
            said += piece
            if time.monotonic() > end:
                raise EngineError(
                    f"{self.name} did not finish in {LONGEST * silence:g} s", code="slow-engine"
                )

    def kill(self) -> None:
        """End the process, whatever it is doing; from any thread."""
        if self._process.poll() is None:
            self._process.kill()

    def close(self) -> None:
        """End the process and close what led to it."""
        process = self._process
        self.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                pipe.close()

    def _dead(self) -> EngineError:
        """Return an error that says how the process ended, and its last words."""
        try:
            code = self._process.wait(1)
        except subprocess.TimeoutExpired:
            return EngineError(f"{self.name} closed its output")
        how = f"was ended by signal {-code}" if code < 0 else f"ended with exit code {code}"
        words = [w for w in bytes(self._rest).decode(errors="replace").splitlines() if w.strip()]
        last = f"; its last output: {words[-1].strip()[:200]}" if words else ""
        return EngineError(f"{self.name} {how}{last}")
