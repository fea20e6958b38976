from __future__ import annotations

import csv
import io
import json

import pytest

from tests.moves.events import CENTURY

HEAD = '[White "A"]\n[Black "B"]\n[Result "1-0"]\n\n'


def found(ran):
    assert ran.code == 0, ran.err
    return json.loads(ran.out)


def test_what_the_century_must_show(run):
    shown = found(run("gain", CENTURY, "--format", "json", "--engine-rating", 2860))
    byrne, fischer = shown["players"]
    assert [p["name"] for p in (byrne, fischer)] == ["Byrne, Donald", "Fischer, Robert James"]
    for player, mean, p, d, strength in (
        (byrne, -0.860, 0.256, -185, 2675),
        (fischer, 0.094, 0.439, -43, 2817),
    ):
        assert player["moves"] == 41
        assert round(player["mean_gain"], 3) == mean
        assert round(player["expected_vs_engine"], 3) == p
        assert round(player["difference_vs_engine"]) == d
        assert round(player["strength"]) == strength
        assert player["difference_vs_engine_low"] < d < player["difference_vs_engine_high"]
    (pair,) = shown["pairs"]
    assert round(pair["expected"], 3) == 0.345
    assert round(pair["difference"]) == -113
    assert shown["parameters"]["mate"] == 39.0
    assert shown["input"]["evaluated"] == 83
    assert shown["notes"]


def test_every_view_prints(run):
    for view in ("players", "event", "matches", "games", "moves"):
        ran = run("gain", CENTURY, "--view", view, "--draws", 100)
        assert ran.code == 0, ran.err
        assert "Fischer, Robert James" in ran.out
        assert ("−185" in ran.out) == (view != "nothing")
    shown = run("gain", CENTURY, "--view", "event", "--draws", 100).out
    assert "(1) .65 +113" in shown
    assert "No rating is known" in shown


def test_moves_are_figure_1_and_figure_6(run, golden):
    shown = found(run("gain", CENTURY, "--view", "moves", "--format", "json", "--draws", 0))
    for ours, printed in zip(shown["moves"], golden("gain_figure_1.csv"), strict=True):
        assert ours["gain"] == float(printed["gain"])
        assert ours["evaluation"] == float(printed["evaluation"])
    byrne = [m["difference_vs_engine"] for m in shown["moves"] if m["player"].startswith("Byrne")]
    assert byrne[:6] == ["-Infinity"] * 6
    assert round(byrne[6]) == -414
    rows = list(csv.DictReader(io.StringIO(run("gain", CENTURY, "--view", "moves", "--format", "csv").out)))
    assert len(rows) == 82


def test_csv_has_a_line_a_player(run):
    rows = list(csv.DictReader(io.StringIO(run("gain", CENTURY, "--format", "csv").out)))
    assert [float(r["difference_vs_engine"]) for r in rows] == pytest.approx([-185.382, -43.4])


def test_only_some_players(run):
    shown = found(run("gain", CENTURY, "--players", "byrne", "--format", "json"))
    assert [p["name"] for p in shown["players"]] == ["Byrne, Donald"]
    both = found(run("gain", CENTURY, "--format", "json"))
    assert shown["players"][0]["lichess_accuracy"] == both["players"][0]["lichess_accuracy"]
    assert "expected part of a name" in run("gain", CENTURY, "--players", "Tal").err
    assert "need everybody" in run("gain", CENTURY, "--players", "Byrne", "--view", "event").err


@pytest.mark.parametrize("kind", ["game", "histogram", "course"])
def test_charts(run, tmp_path, kind):
    path = tmp_path / "chart.svg"
    assert run("gain", CENTURY, "--chart", path, "--chart-kind", kind, "--draws", 100).code == 0
    text = path.read_text()
    assert "Fischer, Robert James" in text
    if kind == "course":
        assert "−185" in text
        assert "−43" in text


def test_the_crosstable_chart(run, tmp_path):
    path = tmp_path / "chart.svg"
    assert run("gain", CENTURY, "--chart", path, "--view", "event", "--draws", 100).code == 0
    assert "+113" in path.read_text()
    ran = run("gain", CENTURY, "--chart", path, "--chart-kind", "crosstable")
    assert ran.code == 2
    assert "expected --view event" in ran.err
    assert "--chart FILE" in run("gain", CENTURY, "--chart-kind", "game").err


BAD = {
    "no evaluations": (HEAD + "1. e4 e5 1-0\n", "let an engine do it with --depth 13"),
    "no moves": (HEAD + "1-0\n", "expected games with moves"),
    "one evaluation": (HEAD + "1. e4 { [%eval 0.1] } e5 1-0\n", "before and after some move"),
    "the same name": (HEAD.replace('"B"', '"A"') + "{ [%eval 0.1] } 1. e4 { [%eval 0.2] } 1-0\n", "1 skipped"),
    "nothing": ("", "empty"),
}  # fmt: skip


@pytest.mark.parametrize("what", BAD)
def test_bad_input_is_one_sentence(run, write, what):
    text, words = BAD[what]
    ran = run("gain", write(text))
    assert ran.code == 2
    assert words in ran.err
    assert "Traceback" not in ran.err


@pytest.mark.parametrize("value", ["nan", "#0", "", "?", "1e999"])
def test_evaluations_that_are_none_leave_moves_out(run, write, value):
    text = f"{HEAD}{{ [%eval 0.1] }} 1. e4 {{ [%eval {value}] }} e5 {{ [%eval 0.1] }} 2. d4 {{ [%eval 0.3] }} 1-0\n"
    shown = found(run("gain", write(text), "--format", "json"))
    assert [p["name"] for p in shown["players"]] == ["A"]
    assert shown["players"][0]["moves"] == 1
    assert shown["input"]["left_out"] == 2
    assert any("left out 2 moves, first 1. e4" in note for note in shown["notes"])


def test_one_move(run, write):
    path = write(HEAD.replace("1-0", "*") + "{ [%eval 0.1] } 1. e4 { [%eval 0.2] } *\n")
    shown = found(run("gain", path, "--format", "json"))
    assert shown["players"][0]["difference_vs_engine"] == "Infinity"
    assert shown["players"][0]["mean_gain_low"] is None
    assert shown["pairs"] == []
    shown = found(run("gain", path, "--format", "json", "--view", "event"))
    assert shown["perceived"] == []
    assert any("two players who met" in note for note in shown["notes"])


def test_misuse(run):
    assert "at least 100 draws" in run("gain", CENTURY, "--draws", 5).err
    assert "--depth 13" in run("gain", CENTURY, "--engine-gain", "agreed").err
    for option in (["--use-evals"], ["--engine", "nonesuch"], ["--hash", 4], ["--workers", 1]):
        found = run("gain", CENTURY, *option)
        assert found.code == 2
        assert f"{option[0]}: expected --depth, --nodes or --time beside it" in found.err
    assert "at least two events" in run("gain", CENTURY, "--view", "events").err
    assert "as a number" in run("gain", CENTURY, "--engine-rating", "nan").err
    assert run("gain", CENTURY, "--view", "teams").code == 2


@pytest.fixture
def engine():
    from arpad.moves.engine import find_engines

    if not find_engines():
        pytest.skip("no UCI engine is here (Debian package stockfish)")


@pytest.mark.stockfish
def test_an_engine_evaluates_what_the_file_does_not(run, write, tmp_path, engine):
    moves = "1. e4 e5 2. Bc4 Nc6 3. Qh5 Nf6 4. Qxf7# 1-0\n"
    path = write(HEAD + moves)
    ask = ("--depth", 6, "--store", tmp_path / "store", "--workers", 1, "--format", "json", "--draws", 0)
    shown = found(run("gain", path, *ask))
    white, black = shown["players"]
    assert (white["moves"], black["moves"]) == (4, 3)
    assert black["mean_gain"] < -5
    assert shown["parameters"]["evaluations"].startswith("Stockfish")
    again = found(run("gain", path, *ask))
    assert again["players"] == shown["players"]
    assert "to measure its gain" in run("gain", path, *ask, "--engine-gain", "agreed").err
    assert "to measure its gain" in run("gain", path, *ask, "--engine-gain", "best").err
    cut = found(run("gain", write(HEAD + moves.replace("Qh5", "Qh6"), "cut"), *ask))
    assert [p["moves"] for p in cut["players"]] == [2, 2]
    assert cut["input"]["left_out"] == 0  # what follows an illegal move is no move without an evaluation
    assert "3. Qh6 is not legal" in cut["repaired"][0]["reason"]
    assert cut["players"][0]["lichess_accuracy"] is not None
    other = write(HEAD.replace("[Result", '[Variant "Atomic"]\n[Result') + moves, "other")
    assert "found none among 1 (1 skipped)" in run("gain", other, *ask).err
    half = write(HEAD + "{ [%eval 5.00] } " + moves, "half")
    mixed = found(run("gain", half, *ask, "--use-evals", "--view", "moves"))
    assert mixed["moves"][0]["gain"] < -4  # from the file's 5.00 to what the engine says


TAGS = '[Event "E"]\n[White "{}"]\n[Black "{}"]\n[WhiteFideId "{}"]\n[BlackFideId "{}"]\n[WhiteElo "2000"]\n[BlackElo "2010"]\n[Result "1/2-1/2"]\n'
MOVES = "{[%eval 0.10]} 1. e4 {[%eval 0.20]} e5 {[%eval 0.20]} 2. Nf3 {[%eval 0.1]} Nc6 {[%eval 0.3]} 1/2-1/2"


def moves_of(run, path):
    ran = run("gain", path, "--view", "moves", "--draws", 0, "--format", "csv")
    assert ran.code == 0, ran.err
    return [(r["number"], r["move"], r["player"], float(r["gain"])) for r in csv.DictReader(io.StringIO(ran.out))]  # fmt: skip


def test_namesakes_are_two_players(run, write):
    path = write(TAGS.format("Smith, J", "Smith, J", 101, 102) + "\n" + MOVES + "\n", "same.pgn")
    ran = run("gain", path, "--view", "event", "--draws", 0)
    assert ran.code == 0, ran.err
    assert "Smith, J (101)" in ran.out
    assert "Smith, J (102)" in ran.out


def test_moves_in_other_letters_are_their_players_moves(run, write):
    """Sf3 and Lg4 are knight and bishop in German: without a board they are moves as any other."""
    text = "{[%eval 0.10]} 1. e4 {[%eval 0.20]} e5 {[%eval 0.20]} 2. Sf3 {[%eval 0.20]} d6 {[%eval 0.90]} 3. d4 {[%eval 0.90]} Lxg4+ {[%eval 1.50]} 1-0"
    found = moves_of(run, write(TAGS.format("A", "B", 1, 2) + "\n" + text + "\n", "de.pgn"))
    assert [(n, m, p) for n, m, p, _ in found[2:]] == [
        ("2.", "Sf3", "A"), ("2...", "d6", "B"), ("3.", "d4", "A"), ("3...", "Lxg4+", "B"),
    ]  # fmt: skip
    assert [g for *_, g in found] == [0.1, 0.0, 0.0, -0.7, 0.0, -0.6]


@pytest.mark.parametrize("blank", [" ", "  "])
def test_black_begins_however_a_fen_is_spaced(run, write, blank):
    fen = f'[FEN "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR{blank}b KQkq - 0 1"]\n[SetUp "1"]\n'
    text = "{[%eval 0.10]} 1... e5 {[%eval 0.20]} 2. Nf3 {[%eval 0.00]} 1/2-1/2"
    found = moves_of(run, write(TAGS.format("A", "B", 1, 2) + fen + "\n" + text + "\n", "fen.pgn"))
    assert found == [("1...", "e5", "B", -0.1), ("2.", "Nf3", "A", -0.2)]


def test_a_stray_sign_of_mate_is_no_mate(run, write):
    text = "{[%eval 0.10]} 1. e4 {[%eval 0.20]} e5 {[%eval 0.20]} 2. Qh5# Nc6 {[%eval 0.10]} 3. Bc4 {[%eval 0.20]} 1-0"
    found = moves_of(run, write(TAGS.format("A", "B", 1, 2) + "\n" + text + "\n", "sign.pgn"))
    assert [m for _, m, *_ in found] == ["e4", "e5", "Bc4"]
    assert max(abs(g) for *_, g in found) < 1


def test_every_event_has_its_sentence_in_the_document(run, write):
    two = [TAGS.format("A", "B", 1, 2).replace('"E"', f'"{name}"') + "\n" + MOVES + "\n\n" for name in ("One", "Two")]  # fmt: skip
    path = write("".join(two), "two.pgn")
    told = json.loads(run("gain", path, "--view", "event", "--draws", 0, "--format", "json").out)
    assert "One:" in told["summary"]
    assert "Two:" in told["summary"]
