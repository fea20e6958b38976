"""Which games are rated: variants, casual games, games of bots and time controls."""

from __future__ import annotations

import json
import re

import pytest

from arpad.read import read
from arpad.read.fields import Selection, time_control_of

GAME = '[Event "{event}"]\n[White "{white}"]\n[Black "B"]\n[Result "1-0"]\n{more}\n1. e4 e5 1-0\n\n'
PGN = "".join(
    GAME.format(event=event, white=white, more="".join(f"[{line}]\n" for line in more))
    for event, white, more in (
        ("Rated Blitz game", "blitz", ['TimeControl "180+2"']),
        ("Rated Rapid game", "rapid", ['TimeControl "900+10"', 'Variant "Standard"']),
        ("Casual Blitz game", "casual", ['TimeControl "300+0"']),
        ("Rated Blitz game", "chess960", ['TimeControl "180+0"', 'Variant "Chess960"']),
        ("Rated Atomic game", "atomic", ['TimeControl "180+0"', 'Variant "Atomic"']),
        ("Rated Blitz game", "bot", ['TimeControl "180+0"', 'WhiteTitle "BOT"']),
        ("Club evening", "club", []),
    )
)  # fmt: skip


@pytest.fixture
def pgn(tmp_path):
    path = tmp_path / "games.pgn"
    path.write_text(PGN)
    return path


def of(path, **wanted):
    reading = read(path, selection=Selection(**wanted))
    names = reading.games.players["name"]
    return {names[w] for w in reading.games.table["white"]}, dict(reading.report.left_out)


def test_nothing_is_left_out_of_a_plain_reading(pgn):
    assert len(read(pgn).games) == 7


def test_the_usual_selection(pgn):
    names, left = of(pgn)
    assert names == {"blitz", "rapid", "club"}
    assert left == {"casual": 1, "chess960": 1, "atomic": 1, "games of bots": 1}


@pytest.mark.parametrize(("wanted", "names"), [
    ({"variant": "Chess960"}, {"chess960"}),
    ({"variant": None, "bots": True, "rated": None}, {"blitz", "rapid", "casual", "chess960", "atomic", "bot", "club"}),
    ({"rated": False}, {"casual"}),
    ({"time_control": "blitz"}, {"blitz"}),
    ({"time_control": "rapid"}, {"rapid"}),
    ({"time_control": "standard"}, {"club"}),
    ({"bots": True}, {"blitz", "rapid", "bot", "club"}),
])  # fmt: skip
def test_other_selections(pgn, wanted, names):
    assert of(pgn, **wanted)[0] == names


def test_columns_of_tables(tmp_path):
    path = tmp_path / "games.csv"
    path.write_text(
        "White,Black,Result,Variant,Time Control,Rated\nA,X,1,,180,yes\nB,X,1,Horde,180,yes\nC,X,1,,3600,no\nD,X,1,standard,3600,yes\n"
    )
    assert of(path)[0] == {"A", "D"}
    assert of(path, time_control="blitz")[0] == {"A"}
    assert of(path, time_control="standard", rated=None)[0] == {"C", "D"}


@pytest.mark.parametrize(("text", "control"), [
    ("Schnellturnier Neustadt", "rapid"), ("Championnat de parties rapides", "rapid"), ("Torneo de rápidas", "rapid"),
    ("Blitz am Montag", "blitz"), ("Tournoi éclair", "blitz"), ("Schnellschach", "rapid"), ("Open", None),
    ("Torneo relámpago", "blitz"), ("Clásico", None),
])  # fmt: skip
def test_words_for_speeds(text, control):
    assert time_control_of(text) == control


def test_a_report_of_another_time_control(tmp_path):
    from tests.read.samples import TRF

    path = tmp_path / "event.trf"
    path.write_text(re.sub(r"(?m)^122 .*$", "122 15 min + 10 s", TRF))
    assert len(read(path, selection=Selection(time_control="rapid")).games)
    reading = read(path, selection=Selection(time_control="blitz"))
    assert not len(reading.games)
    assert reading.report.left_out["rapid"] > 0


def test_the_command_says_what_it_left_out(run, pgn):
    done = run("rate", pgn, "--format", "json")
    assert json.loads(done.out)["input"]["left_out"] == {
        "casual": 1,
        "chess960": 1,
        "atomic": 1,
        "games of bots": 1,
    }
    assert "7 records" in done.err
    everything = run("rate", pgn, "--rated", "all", "--variant", "all", "--bots", "--format", "json")
    assert json.loads(everything.out)["input"]["rated"] == 7
    assert run("rate", pgn, "--time-control", "blitz", "--format", "json").code == 0


def test_one_paragraph_says_what_was_understood(tmp_path):
    path = tmp_path / "club.csv"
    path.write_text("White,Black,Result\n" + "A,B,1-0\n" * 11 + "A,bye,1\nB,bye,1\nC,spielfrei,1\nA,C,-\n")
    assert read(path).summary() == "15 rows: 11 games, 3 byes, 1 not understood (row 16: '-')"


def test_the_terminal_says_what_went_into_the_report(run, tmp_path):
    path = tmp_path / "club.csv"
    path.write_text("White,Black,Result\nA,B,1-0\nA,bye,1\nA,C,-\n")
    report = tmp_path / "report.csv"
    done = run("rate", path, "--report", report)
    assert "3 rows: 1 game, 1 bye, 1 not understood" in done.err
    assert f"{report}: 1 skipped" in done.err
