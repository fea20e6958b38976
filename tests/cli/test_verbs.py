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


def test_help_names_every_verb_in_its_panel_and_cuts_no_line():
    text = CliRunner().invoke(WHOLE, ["--help"], prog_name="arpad", env=WIDE).output
    for title, verbs in PANELS.items():
        assert f"{title}:" in text
        for name, (_, line) in verbs.items():
            assert name in text
            assert line in " ".join(text.split())
    assert "..." not in text.replace("[ARGS]...", "")


def test_a_slip_names_the_verb_that_was_meant(run):
    assert "'rate'" in run("rtae").err
