"""A command line with one verb in it does what the whole one does."""

from __future__ import annotations

import pytest
from click.testing import CliRunner
from typer.main import get_command

from arpad.cli.asked_verb import asked_command
from arpad.cli.main import app

WHOLE = get_command(app)


@pytest.mark.parametrize("verb", WHOLE.commands)
def test_every_verb_is_found_by_its_name_and_is_the_same_alone(verb):
    alone = asked_command(app, ["--debug", verb, "x"])
    assert list(alone.commands) == [verb]
    said = [
        CliRunner().invoke(each, [verb, "--help"], prog_name="arpad").output
        for each in (alone, WHOLE)
    ]
    assert said[0] == said[1]
    assert [p.name for p in alone.params] == [p.name for p in WHOLE.params]


@pytest.mark.parametrize("arguments", [[], ["--help"], ["-h", "rate"], ["--version"], ["rtae"]])
def test_without_a_verb_there_are_all(arguments):
    assert set(asked_command(app, arguments).commands) == set(WHOLE.commands)


def test_a_slip_is_told_what_was_meant(run):
    assert "Did you mean 'rate'?" in run("rtae").err
