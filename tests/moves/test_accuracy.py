from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arpad.moves.accuracy import accuracies, game_accuracies, losses, move_accuracy, win_percent
from arpad.moves.evaluated_games import read_evaluated
from arpad.moves.gain import measure
from tests.moves.events import century

CP = st.integers(-3900, 3900)


@given(cp=CP)
def test_win_chance_is_the_published_formula(cp):
    x = max(-1000, min(1000, cp))
    assert float(win_percent(cp)) == pytest.approx(50 + 50 * (2 / (1 + math.exp(-0.00368208 * x)) - 1))
    assert float(win_percent(cp) + win_percent(-cp)) == pytest.approx(100)


@given(before=st.floats(0, 100), after=st.floats(0, 100))
def test_accuracy_is_the_published_formula(before, after):
    found = float(move_accuracy(before, after))
    if after >= before:
        assert found == 100
    else:
        page = 103.1668 * math.exp(-0.04354 * (before - after)) - 3.1669
        assert found == pytest.approx(min(100, max(0, page)), abs=5e-3)


def lila(cps, white_begins=True):
    """The accuracy of a game, written out step by step from the description of Lichess's program."""
    wins = [float(win_percent(c)) for c in cps]
    moves = len(cps) - 1
    size = min(max(moves // 10, 2), 8)
    windows = [wins[:size]] * (min(size, len(wins)) - 2)
    windows += [wins[i : i + size] for i in range(len(wins) - size + 1)]
    sides = {True: [], False: []}
    for i in range(moves):
        white = (i % 2 == 0) == white_begins
        before, after = (wins[i], wins[i + 1]) if white else (wins[i + 1], wins[i])
        raw = 103.1668100711649 * math.exp(-0.04354415386753951 * (before - after)) - 3.166924740191411
        accuracy = 100.0 if after >= before else min(100.0, max(0.0, raw + 1))
        mean = sum(windows[i]) / len(windows[i])
        spread = math.sqrt(sum((w - mean) ** 2 for w in windows[i]) / len(windows[i]))
        sides[white].append((accuracy, min(12.0, max(0.5, spread))))
    found = []
    for moves_of in (sides[True], sides[False]):
        if not moves_of:
            found.append(None)
            continue
        weighted = sum(a * w for a, w in moves_of) / sum(w for _, w in moves_of)
        harmonic = len(moves_of) / sum(1 / max(1.0, a) for a, _ in moves_of)
        found.append((weighted + harmonic) / 2)
    return found


@given(cps=st.lists(CP, min_size=2, max_size=120), begins=st.booleans())
def test_accuracy_of_a_game(cps, begins):
    white = [(i % 2 == 0) == begins for i in range(len(cps) - 1)]
    (found,) = game_accuracies(cps, [0] * len(cps), [False, *white])
    for ours, theirs in zip(found, lila(cps, begins), strict=True):
        assert np.isnan(ours) == (theirs is None)
        if theirs is not None:
            assert ours == pytest.approx(theirs, abs=1e-9)


def test_the_century():
    gains = century()
    lost = losses(gains).to_numpy()
    white = gains.table["white"].to_numpy()
    assert lost.min() == 0
    # Byrne is beyond ten pawns from move 26 on: what he lost there does not count.
    assert lost[white].mean() == pytest.approx(27.8, abs=0.1)
    assert lost[~white].mean() == pytest.approx(4.1, abs=0.1)
    found = dict(accuracies(gains).select("white", "accuracy").iter_rows())
    assert found[False] > found[True] > 80


def test_only_whole_games_have_an_accuracy(write):
    whole = "1. e4 { [%eval 0.30] } e5 { [%eval 0.20] } 2. Nf3 { [%eval 0.25] } *"
    half = "1. e4 { [%eval 0.30] } e5 { [%eval 0.20] } 2. Nf3 Nc6 *"
    head = '[White "A"]\n[Black "B"]\n[Result "*"]\n\n'
    gains = measure(read_evaluated(write(f"{head}{whole}\n\n{head}{half}\n")))
    found = accuracies(gains)
    assert found["game"].to_list() == [0, 0]
    # The starting position counts Lichess's .15.
    expected = lila([15, 30, 20, 25])
    assert found["accuracy"].to_list() == pytest.approx(expected)
    assert np.isfinite(expected).all()
