"""A program at the other end of two pipes: lines go in, lines come out, it may die or fall silent."""

from __future__ import annotations

import os
import select
import subprocess
import time

from arpad.errors import EngineError
from arpad.moves.uci import without_chatter

__all__ = ["EngineProcess"]

LONGEST = 20
"""A search that talks but does not end is stopped after so many times the patience."""

READ = 1 << 16
"""Bytes read at a time: all that a pipe holds."""

PLENTY = 1 << 18
"""Bytes of one answer after which what says nothing is dropped."""

TOO_MUCH = 1 << 25
"""Bytes of one answer that no search needs: 500 lines at 100 depths are some 20 million."""


class EngineProcess:
    """A running program that is spoken to by lines.

    Parameters
    ----------
    command
        What starts it.
    """

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
                    raise EngineError(f"{self.name} talks without end: {len(said):,} bytes")
            if not self._poll.poll(wait):
                raise EngineError(f"{self.name} said nothing for {silence:g} seconds")
            piece = os.read(self._out, READ)
            if not piece:
                self._rest = said
                raise self._dead()
            said += piece
            if time.monotonic() > end:
                raise EngineError(
                    f"{self.name} did not come to an end in {LONGEST * silence:g} s: "
                    "a longer --patience gives it more time"
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
        last = f"; its last words: {words[-1].strip()[:200]}" if words else ""
        return EngineError(f"{self.name} {how}{last}")
