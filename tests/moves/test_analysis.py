"""Many positions: each once, engines that fail replaced, failures reported, the rest done."""

from __future__ import annotations

import chess
import pytest

from arpad.errors import EngineError, UsageError
from arpad.moves.analysis import Ask, Worker, analyse
from arpad.moves.engine import EngineIdentity, EngineSettings
from arpad.moves.positions import epd_of
from arpad.moves.ray_engines import _Remote
from tests.engines import AFTER_E4, MATED, STALEMATE, START

OTHERS = [f"7k/8/8/8/8/8/{n}P{7 - n}/K7 w - -".replace("0", "") for n in range(8)]


def run(engine, positions, *, patience=1.5, **more):
    kept = []
    settings = EngineSettings(engine=engine.path)
    done = analyse(positions, settings, on_results=kept.extend, patience=patience, **more)
    return done, kept


def test_every_position_once(fake):
    engine = fake("good")
    done, kept = run(engine, [START, AFTER_E4, START, *OTHERS, *OTHERS], workers=2)
    assert (done.asked, done.analysed, done.known, done.failures) == (10, 10, 0, ())
    assert sorted(e.epd for e in kept) == sorted(engine.asked()) == sorted({START, AFTER_E4, *OTHERS})
    assert done.nodes == 1000
    assert done.parameters["engine"] == "Fake 1.0"


def test_what_is_known_is_not_asked(fake):
    engine = fake("good")
    done, kept = run(engine, [START, AFTER_E4], known={Ask(START)})
    assert (done.asked, done.known, done.analysed) == (2, 1, 1)
    assert engine.asked() == [AFTER_E4]
    done, kept = run(engine, [START], known={Ask(START)})
    assert (done.known, kept) == (1, [])


def test_a_move_searched_alone_is_another_question(fake):
    engine = fake("good")
    alone = Ask(START, ("g1h3",))
    done, kept = run(engine, [START, alone], workers=1, known={Ask(START)})
    assert (done.asked, done.analysed) == (2, 1)
    assert kept[0].searchmoves == "g1h3"


@pytest.mark.parametrize("how", ["crashes-first", "hangs-first"])
def test_an_engine_that_fails_is_started_again(fake, how):
    engine = fake(how)
    done, kept = run(engine, [START, *OTHERS], workers=1)
    assert (done.analysed, done.failures, done.restarts) == (9, (), 1)
    assert engine.asked().count(START) == 2
    assert len(kept) == 9


def test_what_fails_twice_is_reported_and_the_rest_goes_on(fake):
    engine = fake("crashes-on-black")
    done, _kept = run(engine, [START, AFTER_E4, *OTHERS], workers=2)
    assert done.analysed == 9
    assert [f.ask.epd for f in done.failures] == [AFTER_E4]
    assert "signal 6" in done.failures[0].reason
    assert engine.asked().count(AFTER_E4) == 2
    assert "1 failed" in done.summary()


@pytest.mark.parametrize("how", ["illegal", "bounds", "no-score"])
def test_nonsense_is_reported(fake, how):
    done, kept = run(fake(how), [START], workers=1)
    assert (done.analysed, len(done.failures), kept) == (0, 1, [])


def test_a_position_that_cannot_be_is_reported(fake):
    engine = fake("good")
    done, _ = run(engine, ["8/8/8/8/8/8/8/K7 w - -", START], workers=1)
    assert done.analysed == 1
    assert "one king a side" in done.failures[0].reason
    assert done.restarts == 0


def test_games_that_are_over(fake):
    done, kept = run(fake("good"), [MATED, STALEMATE, START], workers=1)
    assert (done.over, done.analysed, len(kept)) == (2, 1, 1)


def test_it_gives_up_where_nothing_succeeds(fake, monkeypatch):
    monkeypatch.setattr("arpad.moves.analysis.HOPELESS", 3)
    monkeypatch.setattr("arpad.moves.analysis.HAND_OVER", 0.0)
    with pytest.raises(EngineError, match=r"first 3 positions all failed; the last because .*bounds"):
        run(fake("bounds"), OTHERS, workers=1)


@pytest.mark.parametrize("how", ["dies", "not-uci"])
def test_an_engine_that_cannot_be_started(fake, how):
    with pytest.raises(EngineError):
        run(fake(how), OTHERS, workers=2, patience=0.4)


def test_every_machine_must_have_the_same_engine(fake):
    settings = EngineSettings(engine=fake("good").path)
    same = EngineIdentity(name="Fake 1.0", network="fake-1.nnue")
    Worker(settings, expect=same).close()
    with pytest.raises(EngineError, match=r"expected Fake 2\.0 on every machine, found Fake 1\.0"):
        Worker(settings, expect=EngineIdentity(name="Fake 2.0"))


def test_what_the_cluster_is_told_of_an_engine(fake):
    """What goes wrong comes back as words: Ray would print a traceback and try again."""
    remote = _Remote(EngineSettings(engine="/no/such/engine"), 1.0, None)
    assert "found nothing there" in remote.identity()
    assert "found nothing there" in remote.answer([Ask(START)])
    remote = _Remote(EngineSettings(engine=fake("good").path), 1.0, None)
    assert remote.identity().name == "Fake 1.0"
    answers, restarts, _ = remote.answer([Ask(START), Ask("nonsense")])
    assert (answers[0].epd, restarts, answers[1].ask.epd) == (START, 0, "nonsense")
    remote.worker.close()


def test_nothing_to_do_starts_no_engine(fake):
    engine = fake("good")
    done, _ = run(engine, [])
    assert (done.asked, done.analysed, done.nodes_per_second) == (0, 0, 0)


def test_a_fault_of_who_keeps_the_results_stops_the_engines(fake, monkeypatch):
    monkeypatch.setattr("arpad.moves.analysis.HAND_OVER", 0.0)

    def full(_):
        raise OSError("full")

    with pytest.raises(OSError, match="full"):
        analyse(OTHERS, EngineSettings(engine=fake("slow:0.05").path), workers=2, on_results=full)


def test_what_was_done_before_the_trouble_is_handed_over(fake, monkeypatch):
    """One position is answered, then the engine is gone for good."""
    began = Worker._begin

    def once(self):
        if self.restarts:
            raise EngineError("it is gone")
        return began(self)

    monkeypatch.setattr(Worker, "_begin", once)
    kept = []
    broken = fake("crashes-on-black")
    with pytest.raises(EngineError, match="it is gone"):
        analyse([START, AFTER_E4], EngineSettings(engine=broken.path), workers=1, on_results=kept.extend)
    assert [e.epd for e in kept] == [START]


@pytest.mark.parametrize("workers", [0, -1, 10**6])
def test_how_many_workers(fake, workers):
    with pytest.raises(UsageError, match="expected 1 to 1024 engines"):
        run(fake("good"), [START], workers=workers)


@pytest.mark.stockfish
@pytest.mark.parametrize("limit", [{"depth": 8, "multipv": 2}, {"nodes": 5000}], ids=str)
def test_answers_do_not_depend_on_how_the_work_is_split(stockfish, limit):
    """Positions that follow each other: what an engine kept of one would help it with the next."""
    board, game = chess.Board(), [START]
    for san in [
        "e4",
        "c5",
        "Nf3",
        "d6",
        "d4",
        "cxd4",
        "Nxd4",
        "Nf6",
        "Nc3",
        "a6",
        "Be3",
        "e5",
        "Nb3",
        "Be6",
        "f3",
    ]:
        board.push_san(san)
        game.append(epd_of(board))
    settings = EngineSettings(engine=stockfish, **limit)
    answers = []
    for workers, positions in ((1, game), (2, game), (2, game[::-1]), (1, game[::3] + game)):
        kept = []
        analyse(positions, settings, workers=workers, on_results=kept.extend)
        answers.append({e.epd: e for e in kept})
    assert len(answers[0]) == len(game)
    assert all(found == answers[0] for found in answers)
