"""Positions of games: the same as python-chess's, and a clear word where a game cannot be followed."""

from __future__ import annotations

import random

import chess
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arpad.errors import InputError, StrictError
from arpad.model import Games
from arpad.moves.evaluated_games import EvaluatedGames, read_evaluated
from arpad.moves.positions import QuickEpd, epd_of, find_move, positions, starting_board
from arpad.read.source import Report

START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -"


def games(*lines: str, fens=(), variants=(), report=None) -> EvaluatedGames:
    rows = [
        (number, ply, san)
        for number, line in enumerate(lines)
        for ply, san in enumerate([None, *line.split()])
    ]
    number, ply, san = zip(*rows, strict=True)
    starts = {
        "fen": [*fens, *[None] * (len(lines) - len(fens))],
        "variant": [*variants, *[None] * (len(lines) - len(variants))],
        "file": ["f.pgn"] * len(lines),
        "line": list(range(1, 1 + len(lines))),
    }
    table = {"game": number, "ply": ply, "san": san}
    who = Games.build([("White", "Black", 1.0)] * len(lines))
    return EvaluatedGames.build(who, table, starts=starts, report=report)


def random_game(board: chess.Board, rng: random.Random, plies: int) -> tuple[list[str], list[str], list[str]]:
    sans, ucis, epds = [], [], [epd_of(board)]
    for _ in range(plies):
        legal = list(board.legal_moves)
        if not legal:
            break
        special = [m for m in legal if board.is_castling(m) or board.is_en_passant(m) or m.promotion]
        move = rng.choice(special or legal)
        sans.append(board.san(move))
        ucis.append(board.uci(move))
        board.push(move)
        epds.append(epd_of(board))
    return sans, ucis, epds


@given(st.integers(0, 10**9), st.booleans())
def test_as_python_chess_has_them(seed, chess960):
    rng = random.Random(seed)
    boards = [
        chess.Board.from_chess960_pos(rng.randrange(960)) if chess960 else chess.Board() for _ in range(4)
    ]
    fens = [board.shredder_fen() if chess960 else None for board in boards]
    variants = ["Chess960" if chess960 else None] * 4
    played = [random_game(board, rng, rng.randrange(90)) for board in boards]
    asked = games(*(" ".join(sans) for sans, _, _ in played), fens=fens, variants=variants)
    found = positions(asked)
    for number, (_, ucis, epds) in enumerate(played):
        mine = found.filter(found["game"] == number)
        assert mine["epd"].to_list() == epds
        assert mine["uci"].to_list() == [*ucis, None]
        assert mine["ply"].to_list() == list(range(len(epds)))
        assert mine["turn"].to_list() == [epd.split()[1] for epd in epds]
        board = boards[number]
        over = (
            "mate" if board.is_checkmate()
            else "stalemate" if board.is_stalemate()
            else "insufficient" if board.is_insufficient_material() else None
        )  # fmt: skip
        assert mine["over"][-1] == over
    assert not asked.report.notes


@given(st.integers(0, 10**9))
def test_the_quick_epd_goes_back(seed):
    rng = random.Random(seed)
    quick = QuickEpd(chess.Board())
    seen = []
    for _ in range(200):
        seen.append(quick.epd())
        assert seen[-1] == epd_of(quick.board)
        legal = list(quick.board.legal_moves)
        if not legal:
            break
        quick.push(rng.choice([*legal, chess.Move.null()] if not quick.board.is_check() else legal))
    if quick.board.ply() == len(seen):
        seen.append(quick.epd())
    for epd in reversed(seen[:-1]):
        quick.pop()
        assert quick.epd() == epd


def test_games_with_a_common_beginning_in_any_order():
    lines = ["e4 e5 Nf3", "d4 d5", "e4 e5", "", "e4 e5 Nc3 Nf6", "e4 c5", "e4 e5 Nf3"]
    found = positions(games(*lines))
    assert found["game"].to_list() == [0] * 4 + [1] * 3 + [2] * 3 + [3] + [4] * 5 + [5] * 3 + [6] * 4
    for number, line in enumerate(lines):
        board = chess.Board()
        epds = [epd_of(board)]
        for san in line.split():
            board.push_san(san)
            epds.append(epd_of(board))
        assert found.filter(found["game"] == number)["epd"].to_list() == epds


def test_en_passant_only_where_it_is_legal():
    found = positions(games("e4 a6 e5 d5"))
    assert [epd.split()[3] for epd in found["epd"]] == ["-", "-", "-", "-", "d6"]
    pinned = positions(games("c4", fens=["8/8/8/8/r2pK2k/8/2P5/8 w - - 0 1"]))
    assert [epd.split()[3] for epd in pinned["epd"]] == ["-", "c3"]
    pinned = positions(games("c4", fens=["8/8/8/8/k2p3R/8/2P5/4K3 w - - 0 1"]))
    assert [epd.split()[3] for epd in pinned["epd"]] == ["-", "-"]


@pytest.mark.parametrize(("line", "over"), [
    ("f3 e5 g4 Qh4#", "mate"),
    ("e3 a5 Qh5 Ra6 Qxa5 h5 h4 Rah6 Qxc7 f6 Qxd7+ Kf7 Qxb7 Qd3 Qxb8 Qh7 Qxc8 Kg6 Qe6", "stalemate"),
    ("e4", None),
])  # fmt: skip
def test_the_end_on_the_board(line, over):
    found = positions(games(line))
    assert found["over"].to_list() == [None] * len(line.split()) + [over]


def test_insufficient_material():
    found = positions(games("Kxe2 Kd7 Ke3", fens=["4k3/8/8/8/8/8/4p3/4K3 w - - 0 1"]))
    assert found["over"].to_list() == [None, "insufficient", "insufficient", "insufficient"]


@pytest.mark.parametrize(("line", "left", "words"), [
    ("e4 e5 Ke3 Nc6", 3, "White - Black: 2. Ke3 is not legal: the last 2 half-moves are left out"),
    ("e4 e5 Sf3", 3, "White - Black: 2. Sf3 is no move in English notation: the last half-move is left out"),
    ("Nf3 a6 d3 a5 Nd2", 5, "3. Nd2 may be more than one move"),
    ("e4 black", 2, "1... black is no move in English notation"),
    ("e4 e5 -- Qh4 -- Qxf2+ --", 7, "4. -- is not legal"),
    ("e4 O-O", 2, "1... O-O is not legal"),
    ("e5", 1, "1. e5 is not legal"),
])  # fmt: skip
def test_moves_that_cannot_be_followed(line, left, words):
    asked = games("d4 d5", line, "d4 d5 c4")
    found = positions(asked)
    assert found["game"].to_list() == [0] * 3 + [1] * left + [2] * 4
    assert found.filter(found["game"] == 1)["uci"][-1] is None
    (note,) = asked.report.notes
    assert words in note.reason
    assert (note.file, note.line, note.action) == ("f.pgn", 2, "repaired")
    with pytest.raises(StrictError, match=r"f\.pgn:2:"):
        positions(games("d4 d5", line, report=Report(strict=True)))


@pytest.mark.parametrize(("san", "uci"), [
    ("e4+!?", "e2e4"), ("Pe4", "e2e4"), ("e2-e4", "e2e4"), ("e2e4", "e2e4"), ("Ng1f3", "g1f3"), ("Nf3++", "g1f3"), ("--", "0000"), ("Z0", "0000"),
])  # fmt: skip
def test_other_ways_to_write_a_move(san, uci):
    board = chess.Board()
    assert board.uci(find_move(board, san)) == uci


@pytest.mark.parametrize(("fen", "san", "uci"), [
    ("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "exd6e.p.", "e5d6"), ("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "e:d6", "e5d6"),
    ("4k3/1P6/8/8/8/8/8/4K3 w - - 0 1", "b8Q+", "b7b8q"), ("4k3/1P6/8/8/8/8/8/4K3 w - - 0 1", "b8(N)", "b7b8n"),
    ("4k3/8/8/8/8/8/8/4K2R w K - 0 1", "0-0", "e1g1"), ("r3k3/8/8/8/8/8/8/4K3 b q - 0 1", "O-O-O!", "e8c8"),
])  # fmt: skip
def test_special_moves(fen, san, uci):
    board = chess.Board(fen)
    assert board.uci(find_move(board, san)) == uci


def test_both_have_lost():
    asked = games("e4 e5 0-0")
    assert positions(asked).height == 3
    assert not asked.report.notes


@pytest.mark.parametrize(("fen", "variant", "words"), [
    ("8/8/8/8/8/8/8/K7 w - - 0 1", None, "Black has no king"),
    ("kk6/8/8/8/8/8/8/K7 w - - 0 1", None, "a side has two kings"),
    ("k7/8/8/8/8/8/8/K6P w - - 0 1", None, "first or the last rank"),
    ("kR6/8/8/8/8/8/8/K7 w - - 0 1", None, "stands in check"),
    ("rubbish", None, "expected a position, found FEN 'rubbish'"),
    (None, "Atomic", "expected chess or Chess960, found the variant 'Atomic'"),
    (None, "Crazyhouse", "found the variant 'Crazyhouse'"),
])  # fmt: skip
def test_positions_that_cannot_be(fen, variant, words):
    asked = games("e4 e5", "e4", fens=[fen], variants=[variant])
    found = positions(asked)
    assert found["game"].unique().to_list() == [1]
    (note,) = asked.report.notes
    assert words in note.reason
    assert note.action == "skipped"
    with pytest.raises(InputError):
        starting_board(fen, variant)


@pytest.mark.parametrize(("fen", "variant", "chess960"), [
    (None, None, False), ("", "Standard", False), ("?", "normal", False), (None, "chess 960", True), (None, "Fischerandom", True),
    ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", "From Position", False),
    ("bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9", None, True),
    ("1rqbkrbn/1ppppp1p/1n6/p1N3p1/8/2P4P/PP1PPPP1/1RQBKRBN w FBfb - 0 9", None, True),
    ("bbqnnrkr/pppppppp/8/8/8/8/PPPPPPPP/BBQNNRKR w KQkq - 0 1", None, True),
    ("4k3/8/8/8/8/8/8/4K3 w KQ - 0 1", None, False),
])  # fmt: skip
def test_which_chess_it_is(fen, variant, chess960):
    assert starting_board(fen, variant).chess960 == chess960


def test_castling_in_chess960():
    fen = "4k3/8/8/8/8/8/8/1R3K1R w HB - 0 1"
    found = positions(games("O-O", "O-O-O", fens=[fen, fen], variants=["Chess960"] * 2))
    assert found["uci"].to_list() == ["f1h1", None, "f1b1", None]
    assert found["epd"][0] == "4k3/8/8/8/8/8/8/1R3K1R w HB -"
    assert found["epd"][3] == "4k3/8/8/8/8/8/8/2KR3R b - -"


def test_black_begins(write):
    text = '[White "A"]\n[Black "B"]\n[FEN "4k3/8/8/8/8/8/4P3/4K3 b - - 0 7"]\n\n7... Kd7 8. e5 1-0\n'
    read = read_evaluated(write(text))
    found = positions(read)
    assert found["turn"].to_list() == ["b", "w"]
    assert "8. e5 is not legal" in read.report.notes[-1].reason


def test_nothing():
    none = EvaluatedGames.build(Games.build([]), {"game": [], "ply": []})
    assert positions(none).height == 0
    assert positions(games("")).select("epd", "uci").rows() == [(START, None)]


@pytest.mark.data
def test_world_championships(data):
    folder = data / "paper_events" / "pgn"
    read = read_evaluated([folder / "WCh1972.pgn", folder / "WCh2006.pgn"])
    found = positions(read)
    # Every move is legal; the forfeits have the positions that were on the board.
    assert found.select("game", "ply").equals(read.table.select("game", "ply"))
    unplayed = (read.games.table["status"] != "played").arg_true().to_list()
    short = found.filter(found["game"].is_in(unplayed))
    assert short["uci"].to_list() == ["d2d4", None, None]
    assert not read.report.of("repaired")


@pytest.mark.data
def test_annotated_games_are_legal(data):
    read = read_evaluated(sorted((data / "engine_evals").glob("*.pgn.zst")))
    found = positions(read)
    assert found.height == read.table.height
    assert not read.report.of("repaired")


def test_a_move_that_a_table_does_not_name_ends_the_game():
    rows = {"game": [0] * 3, "ply": [0, 1, 2], "san": [None, "e4", None]}
    games = EvaluatedGames.build(Games.build([("A", "B", 1.0)]), rows)
    assert positions(games)["uci"].to_list() == ["e2e4", None]
    assert "1... ? is no move" in games.report.notes[0].reason
