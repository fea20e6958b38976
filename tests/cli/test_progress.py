from __future__ import annotations

import importlib.util
import io
import sys
import time

import pytest

from arpad.cli import output
from arpad.cli.moves import evaluations
from arpad.cli.output import Working, emit, progress


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


def at_a_terminal(monkeypatch):
    screen = Terminal()
    monkeypatch.setattr(sys, "stderr", screen)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(output, "PATIENT", 0.01)
    return screen


def shown(screen):
    for _ in range(500):
        if "working" in screen.getvalue():
            return True
        time.sleep(0.01)
    return False


def test_long_work_is_shown_at_a_terminal(monkeypatch):
    terminal = at_a_terminal(monkeypatch)
    with Working():
        assert shown(terminal)
    assert Working.now is None


def test_short_work_and_a_file_show_nothing(monkeypatch):
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    monkeypatch.setattr(output, "PATIENT", 0.0)
    with Working():
        time.sleep(0.05)
    assert sys.stderr.getvalue() == ""


def test_a_bar_and_the_result_take_its_place(monkeypatch, capsys):
    terminal = at_a_terminal(monkeypatch)
    with Working() as one, progress("events") as tell:
        assert Working.now is None
        tell(1, 2)
        one.show()
    with Working():
        assert shown(terminal)
        emit(None, None, people=lambda: ["Anand"], rows=dict, document=dict)
        assert Working.now is None
    assert "Anand" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "module", "extra"),
    [
        (("rate", "nowhere.csv", "--chart", "x.png"), "altair", "charts"),
        (("rate", "nowhere.csv", "-o", "x.pdf"), "reportlab", "pdf"),
        (("norms", "nowhere.csv", "--it1", "x.pdf"), "reportlab", "pdf"),
    ],
)
def test_a_missing_part_is_named_before_any_work(run, monkeypatch, arguments, module, extra):
    usual = importlib.util.find_spec
    monkeypatch.setattr(output, "find_spec", lambda name: None if name == module else usual(name))
    told = run(*arguments)
    assert told.code == 2
    assert f"pip install 'arpad[{extra}]'" in told.err


def test_the_name_of_a_chart_is_checked_before_any_work(run):
    assert "found 'x.gif'" in run("check", "nowhere.csv", "--chart", "x.gif").err
