"""Every verb of the table is found in its module; help needs none of them."""

from __future__ import annotations

import pytest
from click.testing import CliRunner
from typer.main import get_command

from arpad.cli.main import app
from arpad.cli.verbs import PANELS, VERBS

WHOLE = get_command(app)
WIDE = {"COLUMNS": "96", "TERMINAL_WIDTH": "96", "NO_COLOR": "1"}


@pytest.mark.parametrize("name", VERBS)
def test_every_verb_loads_under_its_name(name):
    assert WHOLE.get_command(None, name).name == name


def test_help_fits_one_screen_names_every_verb_and_cuts_no_line():
    narrow = {**WIDE, "COLUMNS": "80", "TERMINAL_WIDTH": "80"}
    text = CliRunner().invoke(WHOLE, ["--help"], prog_name="arpad", env=narrow).output
    assert len(text.splitlines()) <= 50
    assert max(map(len, text.splitlines())) <= 80
    for title, verbs in PANELS.items():
        assert f"{title}:" in text
        for name, (_, line) in verbs.items():
            assert name in text
            assert line in text
    assert "..." not in text


def test_without_a_command_there_is_a_short_start_page(run):
    told = run()
    assert told.code == 0
    assert len(told.out.splitlines()) < 20
    assert "arpad --help" in told.out


def test_quiet_and_verbose_stand_anywhere(run, write):
    games = write("white,black,result\nAnn,Bob,1-0\nBob,Cyn,foo\nAnn,Cyn,foo\n", "games.csv")
    usual, quiet, verbose = run("rate", games), run("rate", games, "--quiet"), run("--verbose", "rate", games)
    assert "lines 3, 4: " in usual.err
    assert quiet.err == ""
    assert quiet.out == usual.out
    assert "Fingerprint" in verbose.out
    assert "Fingerprint" not in usual.out


def test_a_missing_part_is_named_with_its_install_line(run, monkeypatch, tmp_path):
    import sys

    monkeypatch.setitem(sys.modules, "uvicorn", None)
    monkeypatch.setitem(sys.modules, "fastapi", None)
    told = run("serve", "--demo")
    assert told.code == 2
    assert "pip install 'arpad[web]'" in told.err


def test_a_slip_names_the_verb_that_was_meant(run):
    assert "'rate'" in run("rtae").err


def test_help_has_plain_arguments_and_limits():
    def told(*verb):
        return CliRunner().invoke(WHOLE, [*verb, "--help"], prog_name="arpad", env=WIDE).output

    assert told("rate").startswith("Usage: arpad rate [OPTIONS] FILES...\n")
    assert told("ipr").startswith("Usage: arpad ipr [OPTIONS] FILES... | COMMAND ...\n")
    assert "arpad list show [OPTIONS] [LIST]\n" in told("list", "show")
    assert "[10 to 1000000]" in told("rate")
    assert "[1 or more]" in told("event")
