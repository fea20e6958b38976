"""What engines print: scores from White's side, whole depths only, bounds never."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arpad.errors import EngineError
from arpad.moves.uci import read_answer, read_option, without_chatter


def said(*rows: str) -> bytes:
    return "\n".join(rows).encode()


def test_scores_are_whites():
    rows = ("info depth 5 score cp 30 nodes 9 pv e7e5", "bestmove e7e5")
    assert read_answer(said(*rows), white=True).lines[0].cp == 30
    assert read_answer(said(*rows), white=False).lines[0].cp == -30


def test_mates_are_whites():
    rows = ("info depth 5 multipv 1 score mate -3 nodes 9 pv e7e5", "bestmove e7e5")
    line = read_answer(said(*rows), white=False).lines[0]
    assert (line.cp, line.mate) == (None, 3)


@pytest.mark.parametrize("bound", ["lowerbound", "upperbound"])
def test_bounds_are_never_final(bound):
    rows = (
        "info depth 4 score cp 10 nodes 50 pv e2e4",
        f"info depth 5 score cp 90 {bound} nodes 99 pv d2d4",
        "bestmove d2d4",
    )
    answer = read_answer(said(*rows), white=True)
    assert (answer.lines[0].cp, answer.lines[0].depth, answer.lines[0].move) == (10, 4, "e2e4")
    assert answer.nodes == 99  # what was visited counts all the same
    assert answer.best == "d2d4"


def test_currmove_and_strings_say_nothing():
    rows = (
        "info string NNUE evaluation using x.nnue",
        "info depth 4 score cp 10 nodes 50 pv e2e4",
        "info depth 5 currmove d2d4 currmovenumber 1",
        "bestmove e2e4 ponder e7e5",
    )
    assert read_answer(said(*rows), white=True).lines[0].cp == 10


def test_lines_of_two_depths_are_not_mixed():
    """Stopped by nodes, Stockfish prints new lines at depth 5 beside old ones at 4, in a new order."""
    rows = (
        "info depth 4 multipv 1 score cp 30 nodes 50 pv c2c4",
        "info depth 4 multipv 2 score cp 20 nodes 50 pv e2e4",
        "info depth 4 multipv 3 score cp 10 nodes 50 pv d2d4",
        "info depth 5 multipv 1 score cp 40 nodes 99 pv d2d4",
        "info depth 4 multipv 2 score cp 30 nodes 99 pv c2c4",
        "info depth 4 multipv 3 score cp 20 nodes 99 pv e2e4",
        "bestmove d2d4",
    )
    lines = read_answer(said(*rows), white=True, multipv=3).lines
    assert [(x.move, x.depth, x.cp) for x in lines] == [("c2c4", 4, 30), ("e2e4", 4, 20), ("d2d4", 4, 10)]


def test_fewer_lines_than_asked_for():
    rows = (
        "info depth 4 multipv 1 score cp 30 nodes 50 pv a1a2",
        "info depth 4 multipv 2 score cp 20 nodes 50 pv a1b1",
        "bestmove a1a2",
    )
    answer = read_answer(said(*rows), white=True, multipv=10)
    assert len(answer.lines) == 2
    assert answer.wanted == 10


def test_no_move():
    answer = read_answer(said("info depth 0 score mate 0", "bestmove (none)"), white=False)
    assert (answer.best, answer.lines, answer.over) == ("", (), "mate")
    answer = read_answer(said("info depth 0 score cp 0", "bestmove (none)"), white=True)
    assert answer.over == "draw"


def test_a_line_without_moves_takes_the_best_move():
    rows = ("info depth 3 score cp 7 nodes 2", "bestmove e2e4")
    assert read_answer(said(*rows), white=True).lines[0].move == "e2e4"


@pytest.mark.parametrize("rows", [("info depth 1 score cp 3",), ("bestmove",), ()])
def test_no_answer_is_an_error(rows):
    with pytest.raises(EngineError, match="expected bestmove"):
        read_answer(said(*rows), white=True)


@given(
    st.lists(st.tuples(st.integers(-3000, 3000), st.integers(1, 10**9)), min_size=1, max_size=20),
    st.booleans(),
    st.sampled_from([b"\n", b"\r\n"]),
)
def test_every_line_comes_back(scores, white, newline):
    rows = [
        f"info depth 9 seldepth 12 multipv {n} score cp {cp} nodes {nodes} nps 1 time 2 pv a2a3 a7a6"
        for n, (cp, nodes) in enumerate(scores, 1)
    ]
    output = newline.join(r.encode() for r in ["readyok", *rows, "bestmove a2a3", ""])
    lines = read_answer(output, white=white, multipv=len(scores)).lines
    assert [(x.cp if white else -x.cp, x.nodes) for x in lines] == scores


@given(st.binary(max_size=300))
def test_any_bytes_are_an_answer_or_an_error(noise):
    for output in (noise, noise + b"\nbestmove e2e4", b"info score " + noise + b"\nbestmove e2e4"):
        try:
            read_answer(output, white=True, multipv=2)
        except EngineError:
            continue


@given(st.lists(st.sampled_from([b"info depth 1 currmove a2a3", b"info depth 2 score cp 1", b""])))
def test_what_has_a_score_is_kept(rows):
    kept = without_chatter(b"\n".join([*rows, b"tail"]))
    assert kept.count(b" score ") == b"\n".join(rows).count(b" score ")
    assert kept.endswith(b"\ntail")  # a line that begins with bestmove is looked for


def test_options():
    assert read_option("option name UCI_Chess960 type check default false").default == "false"
    combo = read_option("option name Style type combo default Normal var Solid var Normal")
    assert (combo.name, combo.type, combo.default) == ("Style", "combo", "Normal")
    assert combo.choices == ("Solid", "Normal")
    assert read_option("option name Debug Log File type string default").name == "Debug Log File"
