from __future__ import annotations

import io
import json
import signal
import subprocess
import sys
import time

import pytest

from tests.moves.events import CENTURY

HEAD = '[Event "Broadcast"]\n[White "Ann"]\n[Black "Bob"]\n[Result "*"]\n\n'


@pytest.fixture
def typed(monkeypatch):
    def _typed(text):
        monkeypatch.setattr(sys, "stdin", io.StringIO(text))

    return _typed


def test_a_whole_file_as_json_lines(run):
    found = run("live", CENTURY, "--format", "json", "--draws", 100, "--engine-rating", 2860)
    assert found.code == 0
    rows = [json.loads(line) for line in found.out.splitlines()]
    assert len(rows) == 82
    assert rows[0]["players"][0]["difference_vs_engine"] == "-Infinity"
    end = rows[-1]
    assert [round(p["strength"]) for p in end["players"]] == [
        2636,
        2808,
    ]  # without the moves of a forced mate
    assert round(end["pair"]["difference"]) == -127


def test_moves_on_standard_input(run, typed):
    typed("0.13\ne4 0.30\ne7e5 0.45\n")
    found = run("live", "--white", "Ann")
    assert found.code == 0
    assert [line.split("|")[0].split() for line in found.out.splitlines()] == [
        ["1.", "e4", ".30", "gain", ".17"],
        ["1...", "e5", ".45", "gain", "−.15"],
    ]
    assert "Ann      +∞" in found.out
    assert "Black      −∞" in found.out


def test_an_illegal_move_is_one_sentence(run, typed):
    typed("0.13\ne5\n")
    found = run("live")
    assert found.code == 2
    assert "expected a legal move for White at 1., found 'e5'" in found.err


def test_what_came_before_an_illegal_move_is_shown(run, typed, write):
    moves = "0.13 1. e4 0.30 e5 0.25 2. Ke3 0.1 1-0\n"
    typed(moves)
    path = write(moves)
    for found in (run("live"), run("live", path)):
        assert found.code == 2
        assert [line.split()[1] for line in found.out.splitlines()] == ["e4", "e5"]
        assert "expected a legal move for White at 2., found 'Ke3'" in found.err
    assert str(path) in found.err


def test_the_example_of_the_help_works(run, typed):
    example = next(line for line in run("live", "--help").out.splitlines() if "printf" in line)
    typed(example.split("'")[1].replace("\\n", "\n"))  # as printf does
    found = run("live")
    assert found.code == 0
    assert [line.split()[1] for line in found.out.splitlines()] == ["e4", "e5"]


@pytest.mark.parametrize(
    ("tags", "words"),
    [
        ('[FEN "8/8/8/8/8/8/8/K7 w - - 0 1"]', "Black has no king"),
        ('[FEN "nonsense"]', "expected a position"),
        ('[Variant "Atomic"]', "found the variant 'Atomic'"),
    ],
)
def test_positions_that_cannot_be_and_other_games(run, typed, tags, words):
    typed(f"{tags}\n\n0.1\ne4 0.30\n")
    found = run("live")
    assert found.code == 2
    assert words in found.err


def test_without_the_starting_position_it_is_said(run, typed):
    typed("e4 0.30\ne5 0.25\n")
    found = run("live")
    assert "The starting position has no evaluation" in found.err
    assert "gain       ?" in found.out


def test_misuse(run, tmp_path):
    assert "expected table or json" in run("live", "--format", "csv").err
    assert "--every" in run("live", CENTURY, "--every", 0).err
    assert "--give-up" in run("live", CENTURY, "--give-up", -1).err
    assert "--give-up" in run("live", CENTURY, "--give-up", "nan").err
    assert "engine's rating" in run("live", CENTURY, "--engine-rating", "nan").err
    assert "expected a file to follow" in run("live", "--game", 1).err
    assert "expected a number from 1 to 1" in run("live", CENTURY, "--game", 2).err
    assert "No such file" in run("live", tmp_path / "none.pgn").err
    assert "found a folder" in run("live", tmp_path).err


def test_the_game_that_is_asked_for(run, write):
    one = HEAD.replace('"*"', '"1-0"') + "{ [%eval 0.1] } 1. e4 { [%eval 0.2] } 1-0\n\n"
    two = HEAD.replace("Ann", "Cid") + "{ [%eval 0.1] } 1. d4 { [%eval 0.2] } *\n"
    path = write(one + two)
    assert "Ann" in run("live", path, "--game", 1).out
    found = run("live", path, "--give-up", 0.1, "--every", 0.02)
    assert "d4" in found.out
    assert "Cid" in found.out


@pytest.fixture
def follow(tmp_path):
    """Follow a file in another process; ended and closed whatever happens."""
    started = []

    def _follow(path, *more):
        process = subprocess.Popen(
            [sys.executable, "-m", "arpad.cli.main", "live", str(path), "--every", "0.02", *more],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, bufsize=1,
        )  # fmt: skip
        started.append(process)
        return process

    yield _follow
    for process in started:
        process.kill()
        process.communicate()


def test_a_file_that_grows_is_followed_to_its_result(tmp_path, follow):
    path = tmp_path / "live.pgn"
    path.write_text(HEAD + "{ [%eval 0.1] } 1. e4 { [%eval 0.2] } ")
    process = follow(path)
    assert process.stdout.readline().split()[:2] == ["1.", "e4"]
    with path.open("a") as handle:
        handle.write("e5 { [%eval 0.3] } 2. Nf3 { [%ev")
        handle.flush()
        assert process.stdout.readline().split()[:2] == ["1...", "e5"]
        handle.write("al 0.25] } 1-0\n")
    assert process.stdout.readline().split()[:2] == ["2.", "Nf3"]
    assert process.wait(20) == 0
    assert process.stderr.read() == ""


def test_a_move_taken_back_is_said(tmp_path, follow):
    path = tmp_path / "live.pgn"
    path.write_text(HEAD + "{ [%eval 0.1] } 1. e4 { [%eval 0.2] } e5 { [%eval 0.3] } *\n")
    process = follow(path)
    assert [process.stdout.readline().split()[1] for _ in range(2)] == ["e4", "e5"]
    time.sleep(0.05)
    path.write_text(HEAD + "{ [%eval 0.1] } 1. e4 { [%eval 0.2] } c5 { [%eval 0.3] } 1/2-1/2\n")
    assert process.stdout.readline().split()[:2] == ["1...", "c5"]
    assert process.wait(20) == 0
    assert "taken back: 1 of 2 half-moves" in process.stderr.read()


def test_a_move_taken_back_without_another_shows_the_one_before_again(tmp_path, follow):
    path = tmp_path / "live.pgn"
    path.write_text(HEAD + "{ [%eval 0.1] } 1. e4 { [%eval 0.2] } e5 { [%eval 0.3] } *\n")
    process = follow(path)
    assert [process.stdout.readline().split()[1] for _ in range(2)] == ["e4", "e5"]
    path.write_text(HEAD + "{ [%eval 0.1] } 1. e4 { [%eval 0.2] } *\n")
    assert process.stdout.readline().split()[:2] == ["1.", "e4"]


def test_a_file_that_is_emptied_or_gone_for_a_moment_is_waited_for(tmp_path, follow):
    path = tmp_path / "live.pgn"
    begun = HEAD + "{ [%eval 0.1] } 1. e4 { [%eval 0.2] } e5 { [%eval 0.3] } "
    path.write_text(begun)
    process = follow(path)
    assert [process.stdout.readline().split()[1] for _ in range(2)] == ["e4", "e5"]
    path.write_text("")
    time.sleep(0.2)
    path.unlink()
    time.sleep(0.2)
    path.write_text(begun + "2. Nf3 { [%eval 0.3] } 1-0\n")
    assert process.stdout.readline().split()[:2] == ["2.", "Nf3"]
    assert process.wait(20) == 0
    assert process.stderr.read() == ""


def test_ctrl_c_ends_it_without_complaint(tmp_path, follow):
    path = tmp_path / "live.pgn"
    path.write_text(HEAD + "{ [%eval 0.1] } 1. e4 { [%eval 0.2] } *\n")
    process = follow(path)
    process.stdout.readline()
    time.sleep(0.2)
    process.send_signal(signal.SIGINT)
    assert process.wait(20) == 0
    assert "Traceback" not in process.stderr.read()


@pytest.mark.stockfish
def test_an_engine_judges_the_moves(run, typed):
    from arpad.moves.engine import find_engines

    if not find_engines():
        pytest.skip("no UCI engine is here (Debian package stockfish)")
    typed("e4\ne5\nBc4\nNc6\nQh5\nNf6\nQxf7#\n")
    found = run("live", "--depth", 6, "--format", "json", "--draws", 0)
    rows = [json.loads(line) for line in found.out.splitlines()]
    assert found.code == 0
    assert rows[5]["gain"] < -10  # Nf6 lets the mate happen
    assert rows[-1]["evaluation"] == 39.0
    assert rows[-1]["gain"] == 0.0
