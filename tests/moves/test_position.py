"""Positions: one text each, Chess960 told by its castling rights."""

from __future__ import annotations

import chess
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arpad.errors import InputError
from arpad.moves.positions import _placed, board_of, epd_of, is_chess960, tidy_epd, white_to_move


def test_en_passant_only_where_the_capture_is_legal():
    board = chess.Board()
    board.push_san("e4")
    assert epd_of(board).endswith("KQkq -")
    for san in ("a6", "e5", "d5"):
        board.push_san(san)
    assert epd_of(board).endswith("KQkq d6")


@given(st.integers(0, 959))
def test_chess960_says_so(number):
    epd = epd_of(chess.Board.from_chess960_pos(number))
    assert is_chess960(epd)
    assert white_to_move(epd)
    assert epd_of(board_of(epd)) == epd


def test_ordinary_chess_is_not_chess960():
    assert not is_chess960(epd_of(chess.Board()))
    assert not is_chess960("8/8/8/8/8/8/8/K1k5 w - -")


@given(st.lists(st.integers(0, 1000), max_size=40))
def test_the_text_of_a_position_comes_back(choices):
    board = chess.Board()
    for choice in choices:
        moves = list(board.legal_moves)
        if not moves:
            break
        board.push(moves[choice % len(moves)])
    assert tidy_epd(board.fen(en_passant="fen")) == epd_of(board)
    ours = board_of(epd_of(board))
    assert ours == chess.Board(f"{board.epd()} 0 1")
    assert set(ours.legal_moves) == set(board.legal_moves)


@given(st.text("PNBRQKpnbrqk12345678/x", max_size=40))
def test_pieces_are_placed_as_python_chess_places_them(placement):
    whole = f"{placement}/8/8/8/8/8/8/K1k5"
    try:
        theirs = chess.Board(f"{whole} w - - 0 1")
    except ValueError:
        theirs = None
    assert _placed(whole, chess960=False) == theirs


@pytest.mark.parametrize("text", ["", "x", "8/8/8/8/8/8/8/8 w - -", "k7/8/8/8/8/8/8/K7 q - -"])
def test_what_is_no_position(text):
    with pytest.raises(InputError):
        tidy_epd(text)
