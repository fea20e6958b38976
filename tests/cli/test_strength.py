from __future__ import annotations

import json

import pytest

from tests.moves.test_strength import STEADY, blunders, game


@pytest.fixture
def season(tmp_path):
    path = tmp_path / "season.pgn"
    path.write_text("".join(game(evals=blunders(3 + i % 4), date=f"2023.0{1 + i % 9}.11") for i in range(6)))
    return path


def test_one_line_a_player_and_tables(run, season):
    ran = run("strength", season, "--values", "file")
    assert ran.code == 0, ran.err
    first, second = ran.out.splitlines()[:2]
    assert first.startswith("Ann: ")
    assert second.startswith("Bob: ")
    assert "from 144 moves in 6 games; opponents rated 1750" in first
    assert "By phase" in ran.out
    only = run("strength", season, "--values", "file", "--player", "bob", "--by", "year", "--by", "event")
    assert "Ann:" not in only.out
    assert "By year" in only.out
    assert "By phase" not in only.out


def test_json_and_csv(run, season):
    ran = run("strength", season, "--values", "file", "--format", "json")
    players = json.loads(ran.out)["players"]
    assert [p["name"] for p in players] == ["Ann", "Bob"]
    assert len(players[0]["by_game"]) == 6
    rows = run("strength", season, "--values", "file", "--format", "csv").out.splitlines()
    assert rows[0].startswith("name,rating,strength,low,high,games,moves")
    assert len(rows) == 3


@pytest.mark.parametrize("name", ["course.svg", "both.png"])
def test_pictures_are_written(run, season, tmp_path, name):
    asked = ["--player", "ann"] if name.startswith("course") else []
    ran = run("strength", season, "--values", "file", *asked, "--chart", tmp_path / name)
    assert ran.code == 0, ran.err
    assert (tmp_path / name).stat().st_size > 5000


def test_two_players_compared(run, season, tmp_path):
    ran = run(
        "compare",
        "Ann",
        "Bob",
        season,
        "--values",
        "file",
        "--chart",
        tmp_path / "two.svg",
        "--format",
        "json",
    )
    assert ran.code == 0, ran.err
    assert 0 <= json.loads(ran.out)["probability"] <= 1
    assert (tmp_path / "two.svg").exists()


@pytest.mark.parametrize(
    "wrong",
    [
        ["--player", "nobody"],
        ["--prior", "much"],
        ["--prior", "99999"],
        ["--chart", "x.gif"],
        ["--confidence", "2"],
    ],
)
def test_what_cannot_be_meant_is_one_line(run, season, wrong):
    ran = run("strength", season, "--values", "file", *wrong)
    assert ran.code == 2
    assert len(ran.err.strip().splitlines()) == 1


def test_a_file_without_evaluations_says_so(run, tmp_path):
    path = tmp_path / "bare.pgn"
    path.write_text(game())
    ran = run("strength", path, "--values", "file")
    assert ran.code == 2
    path.write_text(game(evals=STEADY))
    assert run("strength", path, "--values", "file").code == 0
