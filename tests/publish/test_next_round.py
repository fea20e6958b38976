"""The next round of a Swiss by an engine that is not ours."""

from __future__ import annotations

import pytest

from arpad.errors import UsageError
from arpad.event.report import until_round
from arpad.publish.export.next_round import pair_next_round
from arpad.read import read
from tests.event.held import SWISS, held_trf
from tests.publish.test_publish import drawn_words

pytest.importorskip("py4swiss")


@pytest.fixture
def games(write):
    return read(write(held_trf(SWISS, start="2024-08-01", rounds=5, head="092 Swiss"), "event.trf")).games


def open_games(games, number):
    rows = games.table.select("round", "white", "black", "status").rows()
    return [(w, b) for r, w, b, status in rows if r == str(number) and status in ("unplayed", "bye")]


def test_everybody_is_paired_once_and_with_nobody_met_before(games):
    first = until_round(games, 3)
    met = {frozenset(pair) for pair in first.table.select("white", "black").drop_nulls().rows()}
    for system in ("dutch", "dubov", "burstein"):
        paired, number = pair_next_round(first, system=system)
        assert number == 4
        pairs = open_games(paired, 4)
        assert sorted(p for pair in pairs for p in pair) == list(range(16))
        assert not met & {frozenset(pair) for pair in pairs}


def test_an_event_is_run_to_its_end(run, games, write, tmp_path):
    path, following = write(held_trf(SWISS, start="2024-08-01", rounds=5), "a.trf"), tmp_path / "next.trf"
    done = run("event", path, "--after", 4, "--pair", following, "--pdf", tmp_path / "sheet.pdf")
    assert done.code == 0
    assert "Round 5" in done.out
    assert len(open_games(read(following).games, 5)) == 8
    assert "Round 5" in drawn_words((tmp_path / "sheet.pdf").read_bytes())
    again = run("event", following, "--pair", tmp_path / "x.trf")
    assert again.code == 2
    assert "open games" in again.err


def test_nothing_to_pair(games):
    with pytest.raises(UsageError, match="all 5 played"):
        pair_next_round(games)
    with pytest.raises(UsageError, match="expected a pairing system"):
        pair_next_round(games, system="random")
