from __future__ import annotations

import io
import sys

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
