from __future__ import annotations

import itertools

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arpad.errors import InputError, UsageError
from arpad.model import Games
from arpad.moves.evaluated_games import EvaluatedGames, read_evaluated
from arpad.moves.gain import (
    ZERO_GAIN,
    GainDistribution,
    difference,
    expected,
    expected_reference,
    measure,
    move_gains,
    move_number,
)
from arpad.moves.live import course
from tests.moves.events import CENTURY, century, evaluated

LISTS = st.lists(st.integers(-7800, 7800), min_size=1, max_size=40)


@pytest.fixture
def text(golden):
    return {row["what"]: float(row["figure"]) for row in golden("gain_text.csv")}


def sides(gains):
    return tuple(
        GainDistribution.of(gains.table.filter(pl.col("white") == white)["gain"]) for white in (True, False)
    )


def test_figure_1(golden):
    rows, found = golden("gain_figure_1.csv"), century().table
    assert len(rows) == found.height == 82
    assert found["gain"].to_list() == [round(100 * float(row["gain"])) for row in rows]
    assert found["after"].to_list() == [round(100 * float(row["evaluation"])) for row in rows]
    assert found["before"][0] == 13
    printed = [row["move"].replace("X", "x").replace("m", "#") for row in rows]
    assert found["san"].to_list() == printed
    names = {"Byrne": 0, "Fischer": 1}
    assert found["player"].to_list() == [names[row["player"]] for row in rows]


def test_figures_of_the_century(text):
    byrne, fischer = sides(century())
    assert byrne.moves == fischer.moves == 41
    assert round(byrne.mean, 2) == text["mean gain Byrne"]
    # the paper says "approximately 0.10"
    assert byrne.mean == pytest.approx(-0.860, abs=5e-4)
    assert fischer.mean == pytest.approx(0.094, abs=5e-4)
    assert fischer.mean == pytest.approx(text["mean gain Fischer"], abs=0.01)
    assert round(byrne.share(0), 2) == text["share of Byrne at zero"]
    assert byrne.count[byrne.gain == 0] == text["moves of Byrne at zero"]
    p = expected(byrne, fischer)
    assert round(p, 3) == text["expected Byrne Fischer"]
    assert round(expected(fischer, byrne), 3) == text["expected Fischer Byrne"]
    assert round(-difference(p)) == text["difference Fischer Byrne"]


def test_against_the_engine(text):
    for who, found, p in zip(("Byrne", "Fischer"), sides(century()), (0.256, 0.439), strict=True):
        against = expected(found, ZERO_GAIN)
        assert round(against, 3) == p
        assert round(difference(against)) == text[f"difference {who} engine"]
        strength = text["engine strength"] + difference(against)
        assert round(strength) == text[f"strength {who}"]
    assert text["strength Fischer"] - text["strength Byrne"] == text["difference of strengths"]


def test_without_the_starting_position_byrne_would_be_weaker():
    # With 0.00 for it the paper's −185 would be −164 [errata].
    gains = century().table.filter(pl.col("white"))["gain"].to_list()
    assert gains[0] == -1
    wrong = expected(GainDistribution.of([12, *gains[1:]]), ZERO_GAIN)
    assert round(difference(wrong)) == -164


def test_figure_6(text):
    found = century().table
    byrne = course(found.filter(pl.col("white"))["gain"])["difference"].to_list()
    assert byrne[: int(text["moves of Byrne at minus infinity"])] == [-np.inf] * 6
    assert round(byrne[6]) == -414
    assert round(byrne[-1]) == -185
    fischer = course(found.filter(~pl.col("white"))["gain"])["difference"].to_list()
    assert fischer[0] == text["difference of Fischer after one move"]
    assert min(fischer) == fischer[4] < fischer[1]  # sharply down, then up
    assert round(fischer[-1]) == -43


@given(x=LISTS, y=LISTS)
def test_expected_scores_add_up_and_agree_with_the_cross_correlation(x, y):
    X, Y = GainDistribution.of(x), GainDistribution.of(y)
    assert expected(X, Y) + expected(Y, X) == pytest.approx(1, abs=1e-12)
    assert expected(X, Y) == pytest.approx(expected_reference(X, Y), abs=1e-12)


@given(x=LISTS, y=LISTS, better=st.integers(0, 100))
def test_better_moves_never_lower_the_expected_score(x, y, better):
    Y = GainDistribution.of(y)
    raised = GainDistribution.of([v + better for v in x])
    assert expected(raised, Y) >= expected(GainDistribution.of(x), Y) - 1e-12


@given(values=st.lists(st.integers(-3900, 3900), min_size=2, max_size=60))
def test_swapping_colours_negates_evaluations_and_keeps_gains(values):
    plies = range(len(values))
    game = [0] * len(values)
    white = [p % 2 == 1 for p in plies]
    one = move_gains(game, plies, values, white)
    other = move_gains(game, plies, [-v for v in values], [not w for w in white])
    assert one.gain.tolist() == other.gain.tolist()
    swapped = move_gains(game, plies, values, [not w for w in white])
    assert swapped.gain.tolist() == [-g for g in one.gain.tolist()]


@given(
    lines=st.lists(st.lists(st.one_of(st.none(), st.integers(-3900, 3900)), min_size=1, max_size=12),
                   min_size=1, max_size=4)
)  # fmt: skip
def test_every_move_has_a_gain_or_a_reason(lines):
    games = [("A", "B", 0.5)] * len(lines)
    found = evaluated(games, lines)
    moves = sum(len(line) - 1 for line in lines)
    known = sum(1 for line in lines for a, b in itertools.pairwise(line) if None not in (a, b))
    if not known:
        with pytest.raises(InputError):
            measure(found)
        return
    gains = measure(found)
    assert len(gains) == known
    assert gains.left_out.height == moves - known
    assert {n.partition(":")[0] for n in gains.notes()} <= {"A – B"}


def test_zero_and_one_are_infinite():
    assert difference(0.0) == -np.inf
    assert difference(1.0) == np.inf
    assert difference(0.5) == 0


def test_mates_count_39_and_values_are_clipped():
    rows = {
        "game": [0] * 5,
        "ply": range(5),
        "cp": [0, 9000, None, None, None],
        "mate": [None, None, 7, -1, None],
        "over": [None, None, None, None, "stalemate"],
    }
    gains = measure(EvaluatedGames.build(Games.build([("A", "B", 0.5)]), rows))
    assert gains.table["after"].to_list() == [3900, 3900, -3900, 0]
    assert gains.table["gain"].to_list() == [3900, 0, -7800, -3900]


def test_a_mate_on_the_board_needs_no_evaluation(write):
    path = write('[White "A"]\n[Black "B"]\n[Result "0-1"]\n\n{ [%eval 0.1] } 1. f3 { [%eval -0.5] } '
                 "e5 { [%eval -0.4] } 2. g4 { [%eval #-1] } Qh4# 0-1\n")  # fmt: skip
    gains = measure(read_evaluated(path))
    assert gains.table["gain"].to_list() == [-60, -10, -3860, 0]
    assert not gains.notes()


def test_black_begins_from_a_set_up_position(write):
    path = write(
        '[White "A"]\n[Black "B"]\n[Result "*"]\n[SetUp "1"]\n'
        '[FEN "4k3/8/8/8/8/8/4P3/4K3 b - - 0 1"]\n\n'
        "{ [%eval 1.00] } 1... Kd7 { [%eval 1.30] } 2. e4 { [%eval 1.20] } *\n"
    )
    found = measure(read_evaluated(path))
    assert found.table["white"].to_list() == [False, True]
    assert found.table["gain"].to_list() == [-30, -10]
    assert [move_number(p, w) for p, w in found.table.select("ply", "white").iter_rows()] == ["1...", "2."]


def test_the_first_move_is_left_out_without_the_starting_position(write):
    path = write('[White "A"]\n[Black "B"]\n[Result "*"]\n\n1. e4 { [%eval 0.30] } e5 { [%eval 0.20] } *\n')
    found = measure(read_evaluated(path))
    assert found.table["gain"].to_list() == [10]
    assert found.notes() == ["A – B: left out 1. e4 (no evaluation before it)"]


def test_half_annotated_games_say_which_moves(write):
    path = write(
        '[White "A"]\n[Black "B"]\n[Result "*"]\n[Round "3"]\n\n{ [%eval 0.1] } 1. e4 { [%eval 0.30] } e5 '
        "2. Nf3 Nc6 3. Bb5 { [%eval 0.20] } a6 { [%eval 0.25] } *\n"
    )
    found = measure(read_evaluated(path))
    assert found.table["san"].to_list() == ["e4", "a6"]
    assert found.notes() == ["A – B, round 3: left out 4 moves, first 1... e5 (no evaluation after it)"]


def test_one_move(write):
    path = write('[White "A"]\n[Black "B"]\n[Result "*"]\n\n{ [%eval 0.1] } 1. e4 { [%eval 0.2] } *\n')
    found = measure(read_evaluated(path))
    assert found.table["gain"].to_list() == [10]


def test_nothing_to_measure(write):
    path = write('[White "A"]\n[Black "B"]\n[Result "1-0"]\n\n1. e4 e5 1-0\n')
    with pytest.raises(InputError, match="expected an evaluation before and after some move"):
        measure(read_evaluated(path))


def test_misuse():
    with pytest.raises(UsageError, match="out of order"):
        move_gains([0, 0], [1, 0], [0, 0], [True, False])
    with pytest.raises(UsageError, match="as many"):
        move_gains([0, 0], [0, 1], [0], [True, False])
    with pytest.raises(UsageError, match="at least one move"):
        GainDistribution.of([])
    with pytest.raises(UsageError, match="not a number"):
        GainDistribution.of([1.0, float("nan")])


def test_the_bundled_game_says_whose_evaluations_they_are():
    with open(CENTURY, encoding="utf-8") as handle:  # noqa: PTH123 - a resource
        assert "Houdini 1.5a" in handle.read()


def test_a_game_decided_without_play_does_not_count(write):
    head = '[White "A"]\n[Black "B"]\n[Result "1-0"]\n\n'
    played = head + "{ [%eval 0.1] } 1. e4 { [%eval 0.2] } e5 { [%eval 0.3] } 2. d4 { [%eval 0.2] } 1-0\n\n"
    lost = head.replace("1-0", "0-1") + "{ [%eval 0.1] } 1. d4 { [%eval 0.2] } 0-1\n"
    found = measure(read_evaluated(write(played + lost)))
    assert found.table["game"].to_list() == [0, 0, 0]
    assert found.notes() == ["1 game decided without play left out"]


def test_an_expected_score_is_never_above_one():
    # Ninths and the like add up to 1.0000000000000002, which no curve turns into a difference.
    for n in range(1, 60):
        better, worse = GainDistribution.of(np.arange(1, n + 1)), GainDistribution.of(-np.arange(n))
        assert expected(better, worse) <= 1
        assert difference(expected(better, worse)) > 1000
