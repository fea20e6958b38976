from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arpad.errors import InputError
from arpad.moves.live import LiveBoard, LiveGame, MoveStream, course, tokens
from arpad.moves.resampling import Resampling
from tests.moves.events import CENTURY, century

QUICK = Resampling(draws=100)


def text():
    with open(CENTURY, encoding="utf-8") as handle:  # noqa: PTH123 - a resource
        return handle.read()


def test_the_century_move_by_move_ends_where_the_whole_game_does():
    board = LiveBoard()
    board.take(tokens(text()))
    assert board.result == "0-1"
    game = LiveGame(values=(board.played[0].value,), engine_rating=2860, resampling=QUICK)
    points = {True: [], False: []}
    for ply, played in enumerate(board.played[1:], 1):
        game = game.after(played.value, played.move)
        side = game.estimate().sides[(ply + 1) % 2]
        points[ply % 2 == 1].append(side.points(side.expected))
    whole = century().table
    for white in (True, False):
        gains = whole.filter(whole["white"] == white)["gain"]
        printed = course(gains, resampling=Resampling(draws=0))["difference"].to_list()
        # From 35. Kg1 a mate is forced: nothing that follows moves the estimate, as it does in the paper's figure 6.
        counted = 35 if white else 34
        assert points[white][:counted] == pytest.approx(printed[:counted])
        assert set(points[white][counted:]) == {points[white][counted - 1]}
        assert round(printed[-1] + 2860) == (2675 if white else 2817)
    end = game.estimate()
    assert [s.moves for s in end.sides] == [35, 34]
    assert end.expected_low < end.expected < end.expected_high
    assert (end.number, end.move, end.evaluation, end.gain) == ("41...", "Rc2#", -39.0, 0.0)


@given(cuts=st.lists(st.integers(0, 4000), max_size=12))
def test_pieces_of_any_size_say_the_same(cuts):
    whole = text() + " (1... d5 {no} 2. e4) ; a line\n"
    edges = [0, *sorted(min(c, len(whole)) for c in cuts), len(whole)]
    stream = MoveStream()
    found = [t for a, b in itertools.pairwise(edges) for t in stream.feed(whole[a:b])]
    assert [*found, *stream.end()] == tokens(whole)


def test_san_uci_and_every_way_to_give_an_evaluation():
    board = LiveBoard()
    board.take(tokens("0.13\ng1f3 12cp\nNf6! { fine [%eval 0.07,20] }\n2.c4 #-3\n2... g6 [%eval 0.3]"))
    assert [p.move for p in board.played] == ["", "Nf3", "Nf6", "c4", "g6"]
    assert board.values() == (13.0, 12.0, 7.0, -3900.0, 30.0)
    board.take(tokens("Nc3"))
    assert math.isnan(board.values()[-1])
    assert not board.played[-1].settled


def test_moves_as_old_files_write_them():
    board = LiveBoard()
    board.take(tokens("0.1 1. e4 .2 1. ... d5 .2 2. e:d5 .2 ... c5 .2 3. dc6 e.p. .2 *"))
    assert [p.move for p in board.played[1:]] == ["e4", "d5", "exd5", "c5", "dxc6"]


def test_chess960_castles_and_black_may_begin():
    board = LiveBoard()
    board.take(tokens('[FEN "4k1r1/5pp1/8/8/8/8/5PP1/4K1R1 b Gg - 0 1"] 0.1 1... O-O 0.2 2. e1g1 0.3 *'))
    assert not board.white_begins
    assert [p.move for p in board.played[1:]] == ["O-O", "O-O"]


def test_games_that_end_on_the_board_and_set_up_positions():
    board = LiveBoard()
    board.take(tokens('[FEN "7k/5Q2/8/6K1/8/8/8/8 b - - 0 1"]\n'))
    assert not board.white_begins
    mate = LiveBoard()
    mate.take(tokens("0.1 f3 -0.5 e5 -0.4 g4 #-1 Qh4#"))
    assert mate.values()[-1] == -3900
    stalemate = LiveBoard()
    stalemate.take(tokens('[FEN "7k/8/6Q1/8/8/8/8/K7 w - - 0 1"] #2 Qf7'))
    assert stalemate.values() == (3900.0, 0.0)
    fischer = LiveBoard()
    fischer.take(
        tokens('[Variant "Chess960"][FEN "bbqnnrkr/pppppppp/8/8/8/8/PPPPPPPP/BBQNNRKR w HFhf - 0 1"] e4')
    )
    assert fischer.played[1].move == "e4"


def test_an_engine_judges_and_what_the_file_says_is_left():
    asked = []

    def judge(epd):
        asked.append(epd)
        return 10.0 * len(asked)

    board = LiveBoard(judge=judge)
    board.take(tokens("{ [%eval 5.0] } e4 { [%eval 5.0] } e5"))
    assert board.values() == (10.0, 20.0, 30.0)
    assert len(asked) == 3


def test_one_side_only_and_missing_evaluations():
    first = LiveGame(values=(13.0,)).after(20.0, "e4").estimate()
    assert first.sides[0].expected == 1.0
    assert first.sides[0].points(1.0) == math.inf
    assert first.sides[1].expected is None
    assert first.expected is None
    gap = LiveGame(resampling=QUICK).after(20.0, "e4").after(None, "e5").after(30.0, "Nf3")
    assert [s.moves for s in gap.estimate().sides] == [0, 0]
    assert gap.estimate().gain is None
    more = gap.after(10.0, "Nc6").estimate()
    assert (more.gain, more.sides[1].moves) == (0.20, 1)
    assert np.isnan(gap.values[2])


def test_what_is_no_move():
    with pytest.raises(InputError, match=r"legal move for Black at 1\.\.\., found 'Ke7'"):
        LiveBoard().take(tokens("e4 Ke7"))
    with pytest.raises(InputError, match="expected a position, found FEN"):
        LiveBoard().take(tokens('[FEN "nonsense"] e4'))


def test_no_value_counts_beyond_39_pawns():
    """To find a mate where one was 50 pawns ahead loses nothing."""
    board = LiveBoard()
    board.take(tokens("0.13\ne4 50.00\ne5 70.00\nQh5 #3\nKe7 #-2\n"))
    assert board.values() == (13, 3900, 3900, 3900, -3900)


def test_a_mated_player_does_not_rise():
    # Three moves of White: two lose a little, then Black's mate is forced and White's "gain" is 0.
    game = LiveGame(values=(0.0,), resampling=QUICK)
    for value in (-10, -10, -3900, -3900, -3900, -3900, -3900):
        game = game.after(value)
    white, black = game.estimate().sides
    assert (white.moves, white.expected) == (2, 0.0)
    assert black.moves == 1


def test_numbers_follow_the_set_up_position():
    board = LiveBoard()
    board.take(tokens('[FEN "8/4P1k1/8/8/8/8/6K1/8 b - - 0 40"] 40... Kf7 0.1 41. e8(Q)+ 5.1 41... Kg7 6.0'))
    assert [p.move for p in board.played] == ["", "Kf7", "e8=Q+", "Kg7"]
    game = LiveGame(white_begins=board.white_begins, first_number=board.first_number, resampling=QUICK)
    seen = []
    for played in board.played[1:]:
        game = game.after(played.value, played.move)
        seen.append(game.estimate().number)
    assert seen == ["40...", "41.", "41..."]
