from __future__ import annotations

import csv
import io
import json
import shutil

import pytest

from tests.moves.events import CENTURY

HEAD = '[White "A"]\n[Black "B"]\n[Result "1-0"]\n\n'
TALK = " ".join(
    f"{n}. {w} {{ [%eval {0.2 + n / 10:.1f}] }} {b} {{ [%eval {0.3 + n / 10:.1f}] }}"
    for n, (w, b) in enumerate([("e4", "e5"), ("Nf3", "Nc6"), ("Bb5", "a6"), ("Ba4", "Nf6")], 1)
)


def found(ran):
    assert ran.code == 0, ran.err
    return json.loads(ran.out)


def test_what_the_century_shows(run):
    shown = found(run("ipr", "errors", CENTURY, "--format", "json"))
    assert [g["label"] for g in shown["groups"]] == ["Fischer, Robert James", "Byrne, Donald"]
    for group in (*shown["groups"], shown["total"]):
        assert group["scaled"] < group["raw"]
        assert group["raw_low"] <= group["raw"] <= group["raw_high"]
    assert shown["total"]["moves"] == 20
    assert shown["input"]["left_out"] == {"opening": 16, "decided": 46, "repeated": 0, "unknown": 0}
    assert shown["parameters"]["window"] == 3.0
    assert shown["parameters"]["players"] is None
    assert shown["notes"]


def test_the_table_and_csv_say_the_same(run):
    text = run("ipr", "errors", CENTURY).out
    assert "Average error 0.430" in text
    assert "fewer than 5 games" in text
    rows = list(csv.DictReader(io.StringIO(run("ipr", "errors", CENTURY, "--format", "csv").out)))
    assert [r["player"] for r in rows] == ["Fischer, Robert James", "Byrne, Donald"]
    assert float(rows[1]["raw"]) == 0.769


def test_every_filter_has_an_option(run):
    whole = found(run("ipr", "errors", CENTURY, "--first-turn", 1, "--window", 40, "--cap", 41, "--format", "json"))  # fmt: skip
    assert whole["total"]["moves"] == 82
    part = found(
        run("ipr", "errors", CENTURY, "--first-turn", 3, "--last-turn", 10, "--window", 38, "--judged", "here",
            "--repeated", "all", "--skip-forced", "--cap", 40, "--format", "json")
    )  # fmt: skip
    assert part["total"]["moves"] == 16
    kept = {k: part["parameters"][k] for k in ("first_turn", "last_turn", "judged", "first_of_repeated", "forced", "cap")}  # fmt: skip
    assert kept == {"first_turn": 3, "last_turn": 10, "judged": "here", "first_of_repeated": False, "forced": False, "cap": 40.0}  # fmt: skip
    one = found(run("ipr", "errors", CENTURY, "--players", "fischer", "--format", "json"))
    assert one["total"]["moves"] == 10
    assert "of all games that were read" in one["notes"][0]


@pytest.mark.parametrize("by", ["game", "event", "year", "turn", "advantage"])
def test_every_grouping_prints(run, by):
    ran = run("ipr", "errors", CENTURY, "--by", by)
    assert ran.code == 0, ran.err
    assert ran.out.count("\n") > 6


def test_a_moving_average_prints(run, tmp_path):
    chart = tmp_path / "trend.svg"
    shown = found(run("ipr", "errors", CENTURY, "--by", "year", "--trend", "--chart", chart, "--format", "json"))  # fmt: skip
    assert [r["year"] for r in shown["lines"]] == [1956]
    assert shown["marks"] == []
    assert chart.read_text().startswith("<svg")
    assert "1956" in run("ipr", "errors", CENTURY, "--by", "year", "--trend").out
    assert "1956" in run("ipr", "errors", CENTURY, "--by", "year", "--trend", "--format", "csv").out


def test_a_chart_is_drawn(run, tmp_path):
    chart = tmp_path / "players.png"
    assert run("ipr", "errors", CENTURY, "--chart", chart).code == 0
    assert chart.read_bytes().startswith(b"\x89PNG")


BAD = [
    (("--by", "colour"), "'colour' is not one of 'player'"),
    (("--by", "category"), "expected ratings for categories"),
    (("--first-turn", 200), "found none of 82 (82 moves before move 200): loosen the filters"),
    (("--first-turn", 0), "first turn of 1 or more"),
    (("--last-turn", 3), "expected a last turn from the first one, 9, on; found 3"),
    (("--window", 0), "window above 0"),
    (("--cap", 1), "cap above the window"),
    (("--categories", "x"), "--categories: expected 11-20, 11- or 15, found 'x'"),
    (("--categories", "20-11"), "from low to high"),
    (("--categories", "11-"), "expected events from category 11, found none among 1"),
    (("--eras", "long ago"), "--eras: expected years"),
    (("--trend",), "--trend: expected --by category or --by year, found --by player"),
    (("--trend", "--by", "year", "--eras", "1950"), "choose one"),
    (("--multipv", 4), "--multipv: expected --depth"),
    (("--use-evals",), "--use-evals: expected --depth"),
    (("--players", "Nobody"), "expected part of a name"),
    (("--by", "advantage", "--step", 0), "steps of at least"),
    (("--confidence", 1), "between 0 and 1"),
    (("--by", "turn", "--chart", "x.png"), "at least 50 moves to draw"),
]


@pytest.mark.parametrize(("options", "words"), BAD)
def test_bad_options_have_one_clear_sentence(run, options, words):
    ran = run("ipr", "errors", CENTURY, *options)
    assert ran.code == 2
    assert words in " ".join(ran.err.split())
    assert "Traceback" not in ran.err


def test_bad_files_have_one_clear_sentence(run, write):
    bare = write(HEAD + "1. e4 e5 2. Nf3 1-0\n", "bare.pgn")
    ran = run("ipr", "errors", bare)
    assert (ran.code, "let an engine do it with --depth 13" in ran.err) == (2, True)
    dateless = write(HEAD + TALK + " 1-0\n", "talk.pgn")
    ran = run("ipr", "errors", dateless, "--by", "year", "--first-turn", 1)
    assert (ran.code, "expected dates for years, found none" in ran.err) == (2, True)
    assert run("ipr", "errors", write("", "empty.pgn")).code == 2
    twice = run("ipr", "errors", dateless, dateless, "--first-turn", 1)
    assert twice.code == 0


def test_an_illegal_move_ends_its_game(run, write):
    game = write(HEAD + TALK + " 5. Kxe5 { [%eval 9.0] } 1-0\n", "illegal.pgn")
    ran = run("ipr", "errors", game, "--first-turn", 1, "--format", "json")
    assert "5. Kxe5 is not legal" in ran.err
    assert found(ran)["total"]["moves"] == 7  # nothing is known before the first


@pytest.mark.stockfish
def test_both_ways_with_an_engine(run, write, stockfish, tmp_path):
    sans = "1. e4 e5 2. Nf3 Nc6 3. Bc4 Nd4 4. Nxe5 Qg5 5. Nxf7 Qxg2 6. Rf1 Qxe4+ 7. Be2 Nf3#"
    game = write(HEAD.replace("1-0", "0-1") + sans + " 0-1\n", "shilling.pgn")
    how = ("--first-turn", 1, "--window", 38, "--depth", 6, "--engine", stockfish, "--workers", 1, "--store", tmp_path / "kept", "--format", "json")  # fmt: skip
    single = found(run("ipr", "errors", game, *how))
    assert single["parameters"]["method"] == "Single-PV"
    assert single["total"]["moves"] == 14
    assert 0 < single["total"]["matched"] < 1
    multi = found(run("ipr", "errors", game, *how, "--multipv", 3))
    assert multi["parameters"]["method"] == "Multi-PV"
    assert "3 lines" in multi["parameters"]["evaluations"]
    for shown in (single, multi):
        white, black = sorted(shown["groups"], key=lambda g: g["label"])
        assert white["raw"] > 1 > black["scaled"]
    part = found(run("ipr", "errors", game, *how, "--multipv", 3, "--last-turn", 4))
    assert part["total"]["moves"] == multi["total"]["moves"] - part["input"]["left_out"]["late"] == 8
    again = found(run("ipr", "errors", game, *how, "--by", "game"))
    assert again["total"]["raw"] == single["total"]["raw"]


@pytest.mark.data
def test_real_games_with_comments(run, data, tmp_path):
    for name in ("cct_finals_2023_2024.pgn.zst", "lichess_broadcast_2025.pgn.zst"):
        shutil.copy(data / "engine_evals" / name, tmp_path / name)
    files = sorted(tmp_path.iterdir())
    shown = found(run("ipr", "errors", *files, "--by", "category", "--format", "json"))
    assert shown["total"]["games"] == 159
    assert 0.15 < shown["total"]["raw"] < 0.25
    assert shown["total"]["raw_error"] < 0.02
