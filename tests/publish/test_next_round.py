"""The next round of a Swiss by an engine that is not ours."""

from __future__ import annotations

import re

import pytest

from arpad.errors import UsageError
from arpad.event.report import until_round
from arpad.event.tiebreaks import board_order, ranking
from arpad.publish.export.trf import enter_results, pair_next_round
from arpad.read import read
from tests.event.held import SWISS, held_trf
from tests.publish.test_publish import drawn_words

pytest.importorskip("py4swiss", reason="pairings need the extra: pip install 'arpad[pairing]'")


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


CLUB = """\
012 Thursday Open
042 2026/11/05
092 Individual: Swiss-System
142 3
152 W
202 BH-C1,BH,SB
001    1 m  f Berg, Anders                      2210 NOR     1500011 1980/00/00
001    2 w wf Dahl, Nora                        2105 NOR     1500012 1999/00/00
001    3 m    Eide, Jon                         1990 NOR     1500013 2001/00/00
001    4 m    Foss, Ola                         1955 SWE     1700014 1975/00/00
001    5 w    Gran, Ida                         1880 NOR     1500015 2008/00/00
"""


def test_a_whole_event_from_the_list_of_players(run, write, tmp_path):
    """Three rounds paired and entered; the places are those of the standings once all are played."""
    path = write(CLUB, "0.trf")
    for number, results in enumerate((None, "1 0", "=-", "0 x"), start=1):
        following = tmp_path / f"{number}.trf"
        done = run("event", path, "--pair", following, *([] if results is None else ["--results", results]))
        assert done.code == 0, done.err
        path = following
    assert done.err.strip().endswith("all 3 rounds are played")
    text = path.read_text()
    assert text.startswith(CLUB[: CLUB.index("001 ")])
    games = read(path).games
    assert games.table["status"].to_list().count("forfeit") == 2
    assert not (games.table["status"] == "unplayed").any()
    found = ranking(games)
    assert dict(games.events[0].ranks) == dict(found.ranks)
    points = [float(line[80:84]) for line in text.splitlines() if line.startswith("001")]
    assert points == [found.values[p]["PTS"] for p in range(5)]


def test_players_stand_in_any_order_in_the_file(write):
    """The engine answers by starting numbers; who is absent (XXZ) is not paired."""
    lines = CLUB.splitlines()
    turned = "\n".join([*lines[:6], *reversed(lines[6:])]) + "\n"
    found = []
    for text in (CLUB, turned, turned + "XXZ 2\n"):
        games, _ = pair_next_round(read(write(text)).games)
        names = games.players["name"].to_list()
        pairs = games.table.select("white", "black").rows()
        found.append({tuple("" if p is None else names[p].split(",")[0] for p in pair) for pair in pairs})
    first, second, absent = found
    assert first == second == {("Berg", "Eide"), ("Foss", "Dahl"), ("Gran", "")}
    assert absent == {("Berg", "Foss"), ("Eide", "Gran")}


def cells(path, number):
    return [
        line[91 + 10 * number - 10 :][:8].strip()
        for line in path.read_text().splitlines()
        if line[:3] == "001"
    ]


def test_byes_of_rounds_to_come_stand(run, write, tmp_path):
    """Somebody has asked for half a point in the first round, somebody in the second [TRF26 240]."""
    path = write(CLUB.replace("202 ", "240 H   1    3\n240 H   2    4\n202 "), "0.trf")
    first, second = tmp_path / "1.trf", tmp_path / "2.trf"
    done = run("event", path, "--pair", first)
    assert done.code == 0, done.err
    assert "Round 1" in done.out
    assert cells(first, 1) == ["4 w", "5 b", "0000 - H", "1 b", "2 w"]
    assert cells(first, 2) == ["", "", "", "0000 - H", ""]
    done = run("event", first, "--results", "1 0", "--pair", second)
    assert done.code == 0, done.err
    assert cells(second, 1) == ["4 w 1", "5 b 1", "0000 - H", "1 b 0", "2 w 0"]
    pairs = cells(second, 2)
    assert pairs[3] == "0000 - H"
    assert all(pairs)


def test_rounds_that_a_line_says_nothing_of_are_absences(write):
    """A late entry and two who were away: the engine wants every earlier round of everybody."""
    text = held_trf(SWISS, start="2024-08-01", rounds=5, head="092 Swiss").replace("XXR 5", "XXR 6")
    blank = text.replace("0000 - Z", " " * 8)
    assert blank != text
    for games in (read(write(text)).games, read(write(blank)).games):
        paired, number = pair_next_round(games)
        assert number == 6
        assert sorted(p for pair in open_games(paired, 6) for p in pair) == list(range(16))


@pytest.mark.parametrize("results", ["1", "1 2", "1 0 1"])
def test_results_that_do_not_fit_the_boards(write, results):
    paired, _ = pair_next_round(read(write(CLUB)).games)
    with pytest.raises(UsageError, match="expected 2 results of round 1"):
        enter_results(paired, results)


def test_boards_stay_in_their_order(run, games, write, tmp_path):
    """The order of the boards is the same on the sheet and when the file is read again."""
    path = write(held_trf(SWISS, start="2024-08-01", rounds=5), "a.trf")
    done = run("event", path, "--after", 4, "--pair", tmp_path / "next.trf")
    names = [re.findall(r"Player \d+", line)[0] for line in done.out.splitlines() if line[:1].isdigit()]
    again = read(tmp_path / "next.trf").games
    whites = again.table["white"][board_order(again, 5)].to_list()
    assert [again.players["name"][w] for w in whites][: len(names)] == names
