from __future__ import annotations

import io
import sys

from arpad.cli.moves import evaluations
from arpad.cli.output import progress


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_a_bar_at_a_terminal_only(monkeypatch):
    for screen, seen in ((Terminal(), True), (io.StringIO(), False)):
        monkeypatch.setattr(sys, "stderr", screen)
        monkeypatch.setenv("TERM", "xterm")
        with progress("events") as tell:
            tell(1, 2)
            tell(2, 2, "London 1851")
        told = screen.getvalue()
        assert ("events" in told and "2/2" in told and "London 1851" in told) == seen
        assert bool(told) == seen


def test_a_file_gets_lines_and_what_there_is_to_do(monkeypatch):
    seconds = iter([0.0, 1.0, 6.0, 7.0, 40.0, 41.0])
    monkeypatch.setattr(evaluations.time, "monotonic", lambda: next(seconds))
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    with evaluations.progress(100) as advance:
        for _ in range(5):
            advance(10, 1000)
    assert sys.stderr.getvalue().splitlines() == [
        "To be analysed now: 100 positions.",
        "Analysed: 20 of 100 positions (20 %), about 24 s left.",
        "Analysed: 40 of 100 positions (40 %), about 60 s left.",
    ]
