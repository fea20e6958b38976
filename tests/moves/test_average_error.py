"""Average error: which moves count, and what each of them costs."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arpad.errors import UsageError
from arpad.moves.average_error import ErrorFilters, Filters, kept_positions, move_errors

ALL = Filters(first_turn=1, window=99, repeated=False)


def game_of(values, best=None, *, filters=ALL, start=0, position=None):
    n = len(values)
    ply = np.arange(start, start + n)
    return move_errors(
        np.zeros(n, int), ply, values, ply % 2 == 0, [False] * n if best is None else best,
        filters=filters, position=position,
    )  # fmt: skip


def test_black_loses_what_white_gains():
    found = game_of([0.0, -0.5, 0.25])
    assert found.raw.tolist() == [0.5, 0.75]
    assert found.scaled[1] == pytest.approx(math.log(1.5) + math.log(1.25))
    assert found.advantage.tolist() == [0.0, 0.5]


def test_the_engines_own_move_costs_nothing_even_if_the_value_falls():
    found = game_of([0.5, 0.1, 0.1], best=[True, False, False])
    assert found.raw.tolist() == [0.0, 0.0]
    assert found.matched.tolist() == [True, False]


def test_a_better_move_than_the_engines_costs_nothing():
    assert game_of([0.0, 0.4]).raw.tolist() == [0.0]


def test_turns_one_to_eight_are_left_out():
    found = game_of([0.0] * 30, filters=Filters())
    assert found.turn.min() == 9
    assert found.left_out["opening"] == 16


def test_the_window_looks_at_the_move_before():
    """The blunder that decides the game counts; what follows does not."""
    values = [0.0, -4.0, -4.0, -4.0]
    found = game_of(values, filters=Filters(first_turn=1))
    assert found.row.tolist() == [0, 1]
    here = game_of(values, filters=Filters(first_turn=1, judged="here"))
    assert here.row.tolist() == [0]


def test_repeated_positions_are_left_out():
    found = game_of([0.0] * 6, filters=Filters(first_turn=1), position=list("abcabd"))
    assert found.row.tolist() == [0, 1, 2]
    assert found.left_out["repeated"] == 2


def test_a_position_of_another_game_is_no_repetition():
    kept, _ = kept_positions([0, 1], [0, 0], [0.0, 0.0], filters=Filters(first_turn=1), position=["a", "a"])
    assert kept.all()


def test_a_forced_move_can_be_left_out():
    rules = Filters(first_turn=1, forced=False)
    kept, taken = kept_positions([0, 0], [0, 1], [0.0, 0.0], filters=rules, legal=[1, 20])
    assert (kept.tolist(), taken["forced"]) == ([False, True], 1)


def test_unknown_values_are_counted_not_guessed():
    found = game_of([0.0, np.nan, 0.0, 0.1])
    assert found.row.tolist() == [2]
    assert found.left_out["unknown"] == 2


def test_a_filter_counts_moves_not_last_positions():
    found = game_of([5.0] * 4, filters=Filters(first_turn=1))
    assert (found.row.tolist(), found.left_out["decided"]) == ([0], 2)  # four positions, three moves


def test_turns_after_the_last_are_left_out():
    """Figure 5 takes moves 17 to 32."""
    found = game_of([0.0] * 90, filters=ErrorFilters(first_turn=17, last_turn=32))
    assert (found.turn.min(), found.turn.max(), len(found)) == (17, 32, 32)
    assert (found.left_out["opening"], found.left_out["late"]) == (32, 25)


def test_the_first_of_repeated_positions_can_be_left_out_too():
    rules = ErrorFilters(first_turn=1, first_of_repeated=False)
    found = game_of([0.0] * 6, filters=rules, position=list("abcabd"))
    assert found.row.tolist() == [2]
    assert found.left_out["repeated"] == 4


def test_a_value_at_the_window_is_not_beyond_it():
    for value, moves in ((3.00, 2), (-3.00, 2), (3.01, 1), (-3.01, 1)):
        assert len(game_of([value] * 3, filters=Filters(first_turn=1))) == moves


def test_lines_of_one_search_need_no_position_after():
    """Multi-PV: single positions of different games, each with its best line and the line played."""
    found = move_errors(
        [0, 1, 2], [20, 31, 40], [0.5, 0.5, 0.2], [True, False, True], [False, False, True],
        filters=Filters(judged="here"), played=[0.1, 0.9, np.nan],
    )  # fmt: skip
    assert found.raw.tolist() == pytest.approx([0.4, 0.4])
    assert found.advantage.tolist() == [0.5, -0.5]
    nothing = move_errors([0, 0], [20, 21], [0.5, 0.5], [True, False], [False] * 2, played=[np.nan, 0.5])
    assert (nothing.row.tolist(), nothing.left_out["unknown"]) == ([1], 1)


def test_forced_moves_are_left_out_of_errors():
    rules = Filters(first_turn=1, forced=False)
    found = move_errors(
        [0] * 3, [0, 1, 2], [0.0] * 3, [True, False, True], [False] * 3, filters=rules, legal=[1, 20, 20]
    )  # fmt: skip
    assert (found.row.tolist(), found.left_out["forced"]) == ([1], 1)


@given(values=st.lists(st.floats(-30, 30), min_size=2, max_size=60))
def test_changing_colours_changes_nothing(values):
    """The same game seen from the other side: values turned round, movers too."""
    n = len(values)
    ply = np.arange(n)
    usual = move_errors(np.zeros(n), ply, values, ply % 2 == 0, [False] * n, filters=ALL)
    turned = move_errors(np.zeros(n), ply, -np.array(values), ply % 2 == 1, [False] * n, filters=ALL)
    assert turned.raw == pytest.approx(usual.raw)
    assert turned.scaled == pytest.approx(usual.scaled)
    assert (usual.scaled <= usual.raw + 1e-12).all()


def test_what_is_refused():
    with pytest.raises(UsageError, match="first turn"):
        Filters(first_turn=0)
    with pytest.raises(UsageError, match="window"):
        Filters(window=-1)
    with pytest.raises(UsageError, match="previous or here"):
        Filters(judged="there")
    with pytest.raises(UsageError, match="last turn"):
        ErrorFilters(first_turn=17, last_turn=16)
    with pytest.raises(UsageError, match="as many"):
        move_errors([0], [0, 1], [0.0], [True], [False])
    with pytest.raises(UsageError, match="as many"):
        move_errors([0], [0], [0.0], [True], [False], played=[0.0, 0.0])
