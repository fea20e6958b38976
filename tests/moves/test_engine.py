"""One engine: what it is asked, what is taken from its answer, and every way it can go wrong."""

from __future__ import annotations

import chess
import pytest

from arpad.errors import EngineError, InputError
from arpad.moves.engine import Engine, EngineSettings
from arpad.moves.positions import epd_of
from tests.engines import AFTER_E4, MATED, STALEMATE, START

PATIENCE = 1.5


def ask(engine, epd=START, **settings):
    with Engine(EngineSettings(engine=engine.path, **settings), patience=PATIENCE) as running:
        return running.search(epd)


def test_an_engine_says_who_it_is(fake):
    with Engine(EngineSettings(engine=fake("good").path)) as engine:
        assert engine.identity.name == "Fake 1.0"
        assert engine.identity.network == "fake-1.nnue"
        assert engine.settings.key(engine.identity).startswith("engine=Fake 1.0; network=fake-1.nnue")


def test_another_network_is_another_identity(fake):
    settings = EngineSettings(engine=fake("good").path, options=(("evalfile", "/nets/two.nnue"),))
    with Engine(settings) as engine:
        assert engine.identity.network == "two.nnue"


@pytest.mark.parametrize(
    ("how", "words"),
    [
        ("dies", "exit code 3; its last output: error while loading a library"),
        ("not-uci", "did not answer"),
        ("silent", "did not answer for 1 seconds. Is it a UCI engine"),
    ],
)
def test_what_cannot_be_started(fake, how, words):
    with pytest.raises(EngineError, match=words):
        Engine(EngineSettings(engine=fake(how).path), start=1)


@pytest.mark.parametrize(
    ("how", "words"),
    [
        ("hangs", "Fake 1.0 did not answer for 1.5 seconds"),
        ("crashes", "was ended by signal 6"),
        ("bounds", "no final score"),
        ("no-score", "no final score"),
        ("illegal", "illegal move, e2e5"),
        ("illegal-line", "illegal move, e2e5"),
        ("no-move", "says that there is no legal move"),
        ("nonsense", "illegal move, maybe"),
        ("chatters", "no final score"),
        ("no-newline", "sends endless output"),
        ("endless-scores", "sends endless output"),
        *((f"score:{s}", "no final score") for s in ("cp 9999999999", "mate 40000", "cp x")),
        *((f"depth:{d}", "no final score") for d in ("40000", "-1")),
        (f"nodes:{2**63}", "no final score"),
    ],
)
def test_answers_that_cannot_be_right(fake, how, words):
    with pytest.raises(EngineError, match=words):
        ask(fake(how))


def test_a_search_that_talks_without_end(fake, monkeypatch):
    monkeypatch.setattr("arpad.moves.uci.LONGEST", 1)
    with pytest.raises(EngineError, match="did not finish in"):
        ask(fake("never-ends"))


@pytest.mark.parametrize(
    ("how", "words"), [("same-line", "same move in two lines"), ("one-line-of-many", "gave 1 lines of 4")]
)
def test_lines_that_cannot_be_right(fake, how, words):
    with pytest.raises(EngineError, match=words):
        ask(fake(how), multipv=4)


def test_an_engine_of_one_line_is_not_asked_for_more(fake):
    with pytest.raises(EngineError, match="one line only"):
        ask(fake("one-line"), multipv=2)
    assert len(ask(fake("one-line")).lines) == 1


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ((("Contempt", "1"),), "has no option 'Contempt'; it has: Hash, EvalFile"),
        ((("EvalFile", "x.nnue"),), None),
        ((("Style", "solid"),), None),
        ((("Style", "wild"),), "Style is one of Solid, Very Sharp, found 'wild'"),
        ((("Own Book", "true"),), None),
        ((("Own Book", "perhaps"),), "Own Book is true or false, found 'perhaps'"),
        ((("Skill", "-3"),), None),
        ((("Skill", "--3"),), "Skill is a whole number from -9 to 9, found '--3'"),
        ((("Skill", "²"),), "Skill is a whole number"),
    ],
)
def test_options_must_be_there(fake, options, words):
    if words is None:
        assert ask(fake("good"), options=options).lines
    else:
        with pytest.raises(EngineError, match=words):
            ask(fake("good"), options=options)


def test_options_must_be_in_range(fake):
    with pytest.raises(EngineError, match="Hash is a whole number from 1 to 64, found '65'"):
        ask(fake("good"), hash_mb=65)


@pytest.mark.parametrize(
    ("how", "epd", "mate"), [("mates", START, 3), ("mates", AFTER_E4, -3), ("mated", START, -2)]
)
def test_mates_are_whites(fake, how, epd, mate):
    assert [(x.cp, x.mate) for x in ask(fake(how), epd).lines] == [(None, mate)]


@pytest.mark.parametrize("epd", [MATED, STALEMATE])
def test_nothing_is_left_to_search_when_the_game_is_over(fake, epd):
    assert ask(fake("good"), epd).lines == ()


def test_fewer_lines_where_there_are_fewer_moves(fake):
    assert len(ask(fake("good"), "7k/8/8/8/8/8/8/K7 w - -", multipv=9).lines) == 3


@pytest.mark.parametrize(
    "epd",
    [
        "8/8/8/8/8/8/8/K7 w - -",
        "nonsense",
        "k6R/8/8/8/8/8/8/K7 w - -",
        "k6P/8/8/8/8/8/8/K7 w - -",
        "k7/8/8 w - -",
    ],
)
def test_positions_that_cannot_be_are_not_asked(fake, epd):
    engine = fake("good")
    with pytest.raises(InputError):
        ask(engine, epd)
    assert engine.asked() == []


def test_chess960_needs_an_engine_that_plays_it(fake):
    with pytest.raises(EngineError, match="does not play Chess960"):
        ask(fake("good"), epd_of(chess.Board.from_chess960_pos(1)))


def test_a_move_to_search_must_be_legal(fake):
    settings = EngineSettings(engine=fake("good").path)
    with Engine(settings) as engine, pytest.raises(InputError, match="found e2e5"):
        engine.search(START, searchmoves=["e2e5"])


@pytest.mark.stockfish
class TestStockfish:
    """The real engine."""

    def settings(self, stockfish, **more):
        return EngineSettings(engine=stockfish, **({"depth": 5} | more))

    def test_answers(self, stockfish):
        with Engine(self.settings(stockfish, multipv=3)) as engine:
            assert engine.identity.name.startswith("Stockfish")
            found = engine.search(START)
        assert [x.depth for x in found.lines] == [5, 5, 5]
        assert len({x.move for x in found.lines}) == 3
        assert found.lines[0].cp >= found.lines[2].cp
        assert found.nodes >= found.lines[0].nodes > 0

    @pytest.mark.parametrize("limit", [{"depth": None, "nodes": 3000}, {"depth": None, "movetime": 30}])
    def test_other_limits(self, stockfish, limit):
        with Engine(self.settings(stockfish, multipv=4, **limit)) as engine:
            lines = engine.search(START).lines
        assert len({x.depth for x in lines}) == 1
        assert len({x.move for x in lines}) == 4

    def test_answers_do_not_depend_on_what_was_asked_before(self, stockfish):
        board, positions = chess.Board(), []
        for san in ["e4", "e5", "Nf3", "Nc6", "Bb5", "a6", "Ba4", "Nf6", "O-O"]:
            board.push_san(san)
            positions.append(epd_of(board))
        with Engine(self.settings(stockfish, depth=7)) as engine:
            there = [engine.search(p) for p in positions]
            back = [engine.search(p) for p in reversed(positions)][::-1]
        assert there == back

    def test_scores_are_whites(self, stockfish):
        queen_up = "rnb1kbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR {} KQkq -"
        with Engine(self.settings(stockfish)) as engine:
            assert all(engine.search(queen_up.format(side)).lines[0].cp > 300 for side in "wb")
            mate = engine.search("6k1/5ppp/8/8/8/8/8/R3K3 w - -").lines[0]
        assert (mate.cp, mate.mate, mate.move) == (None, 1, "a1a8")

    def test_mate_and_stalemate_are_over(self, stockfish):
        with Engine(self.settings(stockfish)) as engine:
            assert engine.search(MATED).lines == ()
            assert engine.search(STALEMATE).lines == ()

    def test_chess960_and_back(self, stockfish):
        """The rooks stand beside the king: castling is written as the king takes the rook."""
        castles = "1k6/8/8/8/8/8/6PP/5RKR w HF -"
        with Engine(self.settings(stockfish, depth=6, multipv=99)) as engine:
            moves = [x.move for x in engine.search(castles).lines]
            assert "g1f1" in moves  # castles
            usual = engine.search(START).lines
            again = engine.search(START).lines
        assert usual == again

    def test_one_move_only(self, stockfish):
        with Engine(self.settings(stockfish, multipv=5)) as engine:
            found = engine.search(START, searchmoves=["a2a3"])
        assert [x.move for x in found.lines] == ["a2a3"]
        assert found.searchmoves == "a2a3"
