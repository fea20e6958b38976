"""`arpad analyse` and `arpad engines`, from the command line: what is kept survives everything."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import chess
import pytest

from arpad.moves.analysis import Ask, LocalWorkers
from arpad.moves.engine import Engine, EngineSettings
from arpad.moves.evaluate import evaluate_positions
from arpad.moves.evaluation_store import lookup
from arpad.moves.positions import epd_of
from tests.engines import START

GAME = """[Event "A"]
[White "Byrne, D"]
[Black "Fischer, R"]
[Result "0-1"]

1. Nf3 Nf6 2. c4 g6 3. Nc3 Bg7 4. d4 O-O 5. Bf4 d5 6. Qb3 dxc4 7. Qxc4 c6 0-1
"""
FOOL = """[Event "B"]
[White "Fool"]
[Black "Mate"]
[Result "0-1"]

1. f3 {[%eval 0.1]} e5 2. g4 {[%eval #-1]} Qh4# 0-1
"""


@pytest.fixture
def games(write):
    return write(f"{GAME}\n{FOOL}", "games.pgn")


@pytest.fixture
def store(tmp_path):
    return tmp_path / "kept"


@pytest.fixture
def analyse(run, store):
    def _analyse(*arguments):
        ran = run("analyse", "--store", store, *arguments, "--format", "json")
        return ran, json.loads(ran.out) if ran.out else {}

    return _analyse


def command(*arguments: object) -> list[str]:
    return [sys.executable, "-m", "arpad.cli.main", "analyse", *map(str, arguments)]


def kept(store: Path) -> dict[str, int]:
    """Return the positions in all stores, with how often each is there."""
    counts: Counter[str] = Counter()
    for path in store.glob("*/evaluations.sqlite"):
        with sqlite3.connect(path) as database:
            if database.execute("SELECT 1 FROM sqlite_master WHERE name = 'lines'").fetchone() is None:
                continue  # its table is not made yet
            counts.update(epd for (epd,) in database.execute("SELECT epd FROM lines WHERE line = 1"))
    return dict(counts)


def test_every_position_once_and_a_second_run_costs_nothing(analyse, games, fake):
    engine = fake("good")
    ran, done = analyse(games, "--engine", engine.path)
    assert ran.code == 0
    assert (done["games"], done["positions"], done["over"]) == (2, 20, 1)
    assert (done["different"], done["known"], done["analysed"], done["failed"]) == (18, 0, 18, 0)
    assert len(engine.asked()) == len(set(engine.asked())) == 18
    ran, again = analyse(games, "--engine", engine.path)
    assert (again["known"], again["analysed"]) == (18, 0)
    assert len(engine.asked()) == 18


def test_other_settings_are_other_evaluations(analyse, games, fake):
    engine = fake("good")
    analyse(games, "--engine", engine.path, "--depth", 3)
    _, done = analyse(games, "--engine", engine.path, "--depth", 4)
    assert done["analysed"] == 18
    _, done = analyse(games, "--engine", engine.path, "--depth", 3, "--multipv", 2)
    assert done["analysed"] == 18
    assert done["parameters"]["multipv"] == 2


def test_evaluations_of_the_file_are_used_on_request(analyse, games, fake):
    engine = fake("good")
    _, done = analyse(games, "--engine", engine.path, "--use-evals")
    assert (done["in_file"], done["different"]) == (2, 16)


def test_games_that_are_left_out_are_not_counted(analyse, write, fake):
    other = '[White "A"]\n[Black "B"]\n[Variant "Atomic"]\n[Result "1-0"]\n\n1. e4 1-0\n'
    ran, done = analyse(write(f"{FOOL}\n{other}"), "--engine", fake("good").path)
    assert "1 skipped" in ran.err
    assert (done["games"], done["positions"]) == (1, 5)


def test_plies(analyse, games, fake):
    _, done = analyse(games, "--engine", fake("good").path, "--from-ply", 2, "--max-ply", 3)
    assert (done["positions"], done["different"]) == (4, 4)
    ran, _ = analyse(games, "--engine", fake("good").path, "--from-ply", 3, "--max-ply", 2)
    assert (ran.code, "--max-ply 2 is before --from-ply 3" in ran.err) == (2, True)


@pytest.mark.parametrize(
    ("text", "positions", "different", "over"),
    [
        ('[White "A"]\n[Black "B"]\n[Result "1-0"]\n\n1. e4 1-0\n', 2, 2, 0),
        (
            '[White "A"]\n[Black "B"]\n[SetUp "1"]\n[FEN "7k/8/5KQ1/8/8/8/8/8 w - - 0 1"]\n[Result "1/2-1/2"]\n\n1. Qf7 1/2-1/2\n',
            2,
            1,
            1,
        ),
    ],
    ids=["one move", "stalemate from a set-up position"],
)
def test_small_games(analyse, write, fake, text, positions, different, over):
    engine = fake("good")
    ran, done = analyse(write(text), "--engine", engine.path)
    assert ran.code == 0
    assert (done["positions"], done["different"], done["over"]) == (positions, different, over)
    assert len(engine.asked()) == different


@pytest.mark.stockfish
def test_chess960(analyse, write, stockfish, store):
    board = chess.Board.from_chess960_pos(1)
    text = f'[White "A"]\n[Black "B"]\n[Variant "Chess960"]\n[SetUp "1"]\n[FEN "{board.fen()}"]\n[Result "1-0"]\n\n1. e4 e5 1-0\n'
    ran, done = analyse(write(text), "--engine", stockfish, "--depth", 2)
    assert (ran.code, done["analysed"]) == (0, 3)
    assert lookup([epd_of(board)], done["key"], root=store).height == 1


@pytest.mark.parametrize(
    ("text", "words"), [("", "the file is empty"), ("no games here", "expected games with moves, found none")]
)
def test_nothing_to_analyse(analyse, write, fake, text, words):
    engine = fake("good")
    ran, _ = analyse(write(text, "empty.pgn"), "--engine", engine.path)
    assert (ran.code, engine.asked()) == (2, [])
    assert words in ran.err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--engine", "no-such-engine"), "found none called 'no-such-engine'. Debian"),
        (("--engine", "/no/such/engine"), "found nothing there"),
        (("--engine", "/bin/cat"), "Is it a UCI engine?"),
        (("--engine", "/bin/true"), "exit code 0"),
        (("--depth", 3, "--nodes", 3), "--depth and --nodes"),
        (("--time", -1), "--time: expected seconds"),
        (("--option", "Hash"), "expected NAME=VALUE"),
        (("--option", "Threads=4"), "one thread an engine"),
        (("--workers", "many"), "a number, ray, ray:N or ray://HOST:PORT"),
        (("--workers", 0), "expected 1 to 1024 engines"),
        (("--workers", "--5"), "a number, ray"),
        (("--workers", "²"), "a number, ray"),
        (("--workers", "ray://"), "a number, ray"),
        (("--store", "~nobody-has-this-name/kept"), "no home folder"),
        (("--multipv", 0), "multipv: expected 1 to 500"),
        (("--patience", 0), "--patience"),
    ],
)
def test_bad_options(analyse, games, arguments, words):
    ran, _ = analyse(games, *arguments, *(() if "--patience" in arguments else ("--patience", 0.5)))
    assert ran.code == 2
    assert words in ran.err
    assert ran.err.count("\n") == 1


def test_a_store_that_is_a_file(run, games, fake, write):
    ran = run("analyse", games, "--engine", fake("good").path, "--store", write("x", "file"))
    assert (ran.code, "expected a folder for evaluations, found a file" in ran.err) == (2, True)


def test_failures_are_named_and_the_answer_is_no(analyse, games, fake):
    ran, done = analyse(games, "--engine", fake("crashes-on-black").path, "--workers", 1)
    assert ran.code == 1
    assert (done["analysed"], done["failed"]) == (9, 9)
    assert all(" b " in f["epd"] and "signal 6" in f["reason"] for f in done["failures"])
    assert "4 more positions failed" in ran.err


def test_moves_searched_alone_are_kept_too(fake, store):
    engine = fake("good")
    settings = EngineSettings(engine=engine.path)
    asks = [START, Ask(START, ("g1h3",)), Ask(START, ("a2a3",))]
    for expected in (3, 0):
        team = LocalWorkers(settings, engines=1)
        done = evaluate_positions(asks, settings, workers=team, root=str(store))
        assert (done.analysis.asked, done.analysis.analysed) == (3, expected)
    assert done.lookup([START]).height == done.lookup([START], "g1h3").height == 1
    assert done.lookup([START], "e2e4").is_empty()
    assert len(engine.asked()) == 3


def test_the_file_that_is_read_is_not_written(run, games, fake, store):
    before = games.read_bytes()
    ran = run("analyse", games, "--engine", fake("good").path, "--store", store, "-o", games)
    assert (ran.code, games.read_bytes()) == (2, before)


@pytest.mark.stockfish
def test_for_people(run, games, stockfish, store):
    ran = run("analyse", games, "--engine", stockfish, "--depth", 1, "--store", store)
    assert ran.code == 0
    assert "2 games, 20 positions, 18 to evaluate once each (1 with the game over)." in ran.out
    assert "Known already: 0; analysed now: 18; failed: 0." in ran.out
    assert "network nn-" in ran.out
    ran = run("analyse", games, "--engine", stockfish, "--depth", 1, "--store", store, "--format", "csv")
    assert ran.out.splitlines()[0].startswith("games,positions,over,in_file,different,known")


def test_killed_in_the_middle(games, fake, store):
    """kill -9, then the same command: nothing lost, nothing analysed twice."""
    engine = fake("slow:0.15")
    line = command(games, "--engine", engine.path, "--store", store, "--workers", 2)
    running = subprocess.Popen(line)
    wait_for(lambda: len(kept(store)) >= 4 if store.exists() else False)
    running.send_signal(signal.SIGKILL)
    running.wait()
    safe = kept(store)
    assert 4 <= len(safe) < 18
    time.sleep(0.5)  # what its engines were at ends by itself
    engine.log.unlink()
    done = subprocess.run([*line, "--format", "json"], capture_output=True, text=True, check=True)
    document = json.loads(done.stdout)
    assert (document["known"], document["analysed"]) == (len(safe), 18 - len(safe))
    assert not set(engine.asked()) & set(safe)
    assert set(safe) | set(engine.asked()) == set(kept(store))
    assert set(kept(store).values()) == {1}
    assert len(kept(store)) == 18


def test_stopped_by_ctrl_c(games, fake, store):
    engine = fake("slow:0.15")
    line = command(games, "--engine", engine.path, "--store", store, "--workers", 2)
    running = subprocess.Popen(line, stderr=subprocess.PIPE, text=True)
    wait_for(lambda: len(kept(store)) >= 4 if store.exists() else False)
    running.send_signal(signal.SIGINT)
    _, said = running.communicate(timeout=30)
    assert running.returncode == 130
    assert "the same command continues it" in said
    assert "Traceback" not in said
    assert 4 <= len(kept(store)) < 18


def test_two_at_once(games, fake, store):
    """The second waits for the first, and finds everything done."""
    engine = fake("slow:0.1")
    line = command(games, "--engine", engine.path, "--store", store, "--format", "json")
    both = [
        subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) for _ in range(2)
    ]
    said = [p.communicate(timeout=120) for p in both]
    assert [p.returncode for p in both] == [0, 0], said
    assert sorted(json.loads(out)["analysed"] for out, _ in said) == [0, 18]
    assert sum("is running with the same settings: waiting" in err for _, err in said) == 1
    assert len(engine.asked()) == 18
    assert set(kept(store).values()) == {1}


def test_no_waiting(run, games, fake, store):
    from arpad.moves.evaluation_store import EvaluationStore

    settings = EngineSettings(engine=fake("good").path)
    with Engine(settings) as engine:
        key = settings.key(engine.identity)
    with EvaluationStore(store, key):
        ran = run("analyse", games, "--engine", settings.engine, "--store", store, "--no-wait")
    assert ran.code == 2
    assert f"another analysis (process {os.getpid()}) is at work" in ran.err


def test_what_is_known_waits_for_nobody(games, fake, store):
    from arpad.moves.evaluation_store import EvaluationStore

    settings = EngineSettings(engine=fake("good").path)
    team = LocalWorkers(settings, engines=1)
    asked = [START]
    assert evaluate_positions(asked, settings, workers=team, root=str(store)).analysis.analysed == 1
    with EvaluationStore(store, settings.key(team.identity())):
        again = evaluate_positions(asked, settings, workers=team, root=str(store), wait=False)
    assert (again.analysis.asked, again.analysis.known, again.analysis.analysed) == (1, 1, 0)
    assert again.lookup(asked).height


def test_the_disk_full(games, fake, store):
    """A process that may write files of 36,000 bytes: one sentence, and what was kept stays."""
    engine = fake("slow:0.6")
    code = (
        "import resource, sys; resource.setrlimit(resource.RLIMIT_FSIZE, (36_000, 36_000))\n"
        "from arpad.cli.main import main; main()\n"
    )
    line = [sys.executable, "-c", code, "analyse", str(games), "--workers", "1"]
    line += ["--engine", str(engine_without_log(engine)), "--store", str(store)]
    done = subprocess.run(line, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "the disk is full. Earlier evaluations are saved" in done.stderr
    assert done.stderr.count("\n") == 1
    safe = kept(store)
    assert 0 < len(safe) < 18
    done = subprocess.run(
        command(games, "--engine", engine_without_log(engine), "--store", store, "--format", "json"),
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert json.loads(done.stdout)["known"] == len(safe)


def engine_without_log(engine) -> Path:
    """The engine shares the limit on files: it must not write any."""
    path = Path(engine.path + "-quiet")
    path.write_text(Path(engine.path).read_text().replace(str(engine.log), os.devnull))
    path.chmod(0o755)
    return path


def wait_for(done, seconds=60.0):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if done():
            return
        time.sleep(0.02)
    raise AssertionError("it did not come to that")


@pytest.mark.stockfish
def test_engines(run, stockfish):
    ran = run("engines", "--format", "json")
    assert ran.code == 0
    first = json.loads(ran.out)["engines"][0]
    assert first["path"] == stockfish
    assert first["version"].startswith("Stockfish")
    told = run("engines").out
    assert "apt-get install stockfish" in told
    assert "AVX2" in told


def test_engines_that_do_not_work(run, fake, monkeypatch):
    monkeypatch.setattr("arpad.moves.engine.NAMES", ())
    monkeypatch.setattr("arpad.moves.engine._npm", lambda _: None)
    ran = run("engines")
    assert ran.code == 1
    assert "No chess engine found." in ran.out
    assert "How to get one: Debian or Ubuntu: apt-get install stockfish" in ran.out
    ran = run("engines", "--engine", fake("dies").path)
    assert ran.code == 1
    assert "exit code 3" in ran.out
    ran = run("engines", "--engine", fake("good").path, "--format", "csv")
    assert ran.code == 0
    assert "Fake 1.0,fake-1.nnue" in ran.out
