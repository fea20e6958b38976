"""`arpad ipr calibrate` and `arpad ipr test` with the real engine, on games of agents whose skill is known."""

from __future__ import annotations

import json

import pytest

from arpad.moves.engine import find_engines
from arpad.moves.ipr.calibration import from_document
from tests.rated_agents import SKILLS, rated_games

pytestmark = pytest.mark.stockfish
HOW = ("--depth", 4, "--multipv", 6, "--workers", 2, "--date", "2026-11-16", "--reference", 200, "--force")
ACCUSING = ("cheat", "fraud", "guilt", "suspect", "suspicious", "accus", "engine use")


@pytest.fixture(scope="module")
def games(tmp_path_factory):
    if not any(e.name == "stockfish" for e in find_engines()):
        pytest.skip("Stockfish is not installed (Debian: apt-get install stockfish)")
    path = tmp_path_factory.mktemp("agents") / "rated.pgn"
    path.write_text(rated_games())
    return path


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    return tmp_path_factory.mktemp("store")


@pytest.fixture
def calibrate(run, store, games):
    def _calibrate(*arguments):
        return run("ipr", "calibrate", games, "--store", store, "--per-mark", 150, *HOW, *arguments)

    return _calibrate


@pytest.fixture
def made(calibrate, tmp_path):
    path = tmp_path / "mine.json"
    ran = calibrate("-o", path)
    assert ran.code == 0, ran.err
    return path


def test_the_line_is_made_and_kept(calibrate, made, tmp_path):
    document = json.loads(made.read_text())
    kept = from_document(document)
    assert kept.name.startswith("stockfish-")
    assert kept.name.endswith("-depth4")
    assert [m.elo for m in kept.marks] == list(SKILLS)
    assert kept.line.slope > 0
    assert kept.line.r_squared > 0.6
    assert document["engine"]["multipv"] == 6
    assert document["filters"] == {
        "first_turn": 9, "window": 3.0, "judged": "here", "repeated": True, "forced": False,
    }  # fmt: skip
    assert document["sample"]["files"][0]["file"] == "rated.pgn"
    assert document["sample"]["positions"] == 150 * len(SKILLS)
    assert document["arpad"]
    assert document["date"] == "2026-11-16"


def test_made_again_it_is_the_same_to_the_byte_and_asks_nothing(calibrate, made, tmp_path):
    again = tmp_path / "again.json"
    ran = calibrate("-o", again)
    assert again.read_bytes() == made.read_bytes()
    assert ", 0 made now" in ran.out
    assert "R²" in ran.out
    assert "standard error" in ran.out


def test_the_reference_may_come_from_other_games(calibrate, games, made, tmp_path):
    few, other = tmp_path / "few.pgn", tmp_path / "other.json"
    few.write_text("[Event ".join(games.read_text().split("[Event ")[:3]))
    ran = calibrate("--reference-games", few, "-o", other)
    assert ran.code == 0, ran.err
    own, theirs = (from_document(json.loads(path.read_text())) for path in (made, other))
    assert 0 < len(theirs.reference) < len(own.reference) == 200
    assert [m.s for m in theirs.marks] == [m.s for m in own.marks]
    assert [m.projected for m in theirs.marks] != [m.projected for m in own.marks]


def test_table_csv_and_chart(calibrate, tmp_path):
    csv = calibrate("--format", "csv").out.splitlines()
    assert csv[0].startswith("elo,rating,games,moves,match_rate,ae,ae_sigma,s,c,ae_e,ipr,residual")
    assert len(csv) == 1 + len(SKILLS)
    picture, fits = tmp_path / "line.svg", tmp_path / "fits.csv"
    ran = calibrate("--chart", picture, "--fits", fits)
    assert ran.code == 0
    assert "Calibration stockfish" in picture.read_text()
    assert len(fits.read_text().splitlines()) == 1 + 3 * len(SKILLS)


def test_bad_input_is_one_sentence(calibrate, run, write):
    for arguments, words in (
        (("--date", "yesterday"), "expected a date such as"),
        (("--first-mark", 3000), "marks from 3000 to 2800, found none"),
        (("--line-from", 2500), "at least 3 marks between 2500 and 2700"),
        (("--within", 30), "marks further apart"),
        (("--nodes", 100), "--depth and --nodes"),
    ):
        ran = calibrate(*arguments)
        assert (ran.code, ran.out) == (2, "")
        assert words in ran.err.splitlines()[-1]
    unrated = write('[White "A"]\n[Black "B"]\n[Result "1-0"]\n\n1. e4 e5 2. Nf3 1-0\n', "x.pgn")
    ran = run("ipr", "calibrate", unrated)
    assert ran.code == 2
    assert "both players are rated within 10 points" in ran.err


@pytest.fixture
def test_verb(run, store, games, made):
    def _test(*arguments):
        return run("ipr", "test", games, "--store", store, "--calibration", made, *arguments)

    return _test


def test_players_at_their_rating_are_not_surprising(test_verb, monkeypatch):
    """By the paper's measures, without the posterior."""
    monkeypatch.setattr("arpad.cli.moves.ipr._strengths", lambda *_: {})
    ran = test_verb("--format", "json")
    assert ran.code == 0, ran.err
    document = json.loads(ran.out)
    assert len(document["tested"]) == 2 * len(SKILLS)
    assert document["multiplicity"]["performances"] == 2 * len(SKILLS)
    assert document["parameters"] == {
        "prior": 10_000.0, "multiplier_match": 1.15, "multiplier_error": 1.4, "rating_error": 60.0,
    }  # fmt: skip
    z = [row[k] for row in document["tested"] for k in ("z_match", "z_error")]
    assert max(map(abs, z)) < 4
    assert document["tested"][0]["rating"] == 1804


def test_one_player_against_another_rating(test_verb):
    low = json.loads(test_verb("--player", "White2600", "--rating", 1800, "--format", "json").out)
    own = json.loads(test_verb("--player", "White2600", "--format", "json").out)
    (low,), (own,) = low["tested"], own["tested"]
    assert low["z_error"] > own["z_error"]
    assert low["z_match"] > own["z_match"]
    assert low["z_strength"] > own["z_strength"]
    assert own["strength_low"] < own["strength"] < own["strength_high"]
    ran = test_verb("--rating", 1800)
    assert ran.code == 2
    assert "one rating for 10 players" in ran.err
    ran = test_verb("--player", "Nobody")
    assert ran.code == 2
    assert "part of a player's name" in ran.err


def test_no_output_accuses_anybody(test_verb, run):
    said = [
        run("ipr", "test", "--help").out,
        test_verb("--player", "White2600", "--format", "json").out,
        test_verb("--player", "White2600", "--format", "csv").out,
        test_verb("--player", "White2600", "--rating", 1800).out,
    ]
    assert "none at 3.5 or more" in said[-1]
    assert "Prior odds: one performance in 10,000" in said[-1]
    assert "1 performance of 1 measure each looked at" in said[-1]
    for text in said:
        assert text
        for word in ACCUSING:
            assert word not in text.casefold()


@pytest.fixture
def compare(run, store, games, made):
    def _compare(*arguments):
        return run("ipr", "compare", games, "--store", store, "--calibration", made, *arguments)

    return _compare


def test_two_groups_are_compared_through_their_moves(compare, write):
    groups = write(
        "name,club\n"
        + "".join(f"{colour}{mark},{'strong' if mark >= 2400 else 'weak'}\n" for mark in SKILLS if mark != 2200 for colour in ("White", "Black")),
        "clubs.csv",
    )  # fmt: skip
    ran = compare("--by", "club", "--groups", groups, "--only", "strong,weak", "--format", "json")
    assert ran.code == 0, ran.err
    document = json.loads(ran.out)
    assert [(g["group"], g["players"]) for g in document["groups"]] == [("strong", 4), ("weak", 4)]
    (difference,) = document["differences"]
    assert difference["ipr_difference"] > 0
    assert difference["elo_difference"] == pytest.approx(600, abs=60)
    assert difference["low_actual"] < 600 < difference["high_actual"]
    assert document["ungrouped_moves"] > 0
    said = compare("--by", "club", "--groups", groups).out
    assert "points of IPR" in said
    assert "moves belong to no group here" in said


def test_groups_that_cannot_be_compared_are_refused(compare):
    ran = compare()
    assert ran.code == 2
    assert "the games do not say the federation of their players" in ran.err
    ran = compare("--by", "title")
    assert ran.code == 2
    assert "expected two groups or more, found 1; there are none" in ran.err
    ran = compare("--by", "shoe size")
    assert ran.code == 2
    assert "federation, title, sex, year" in ran.err
