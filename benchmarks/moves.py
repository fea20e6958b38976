"""Moves and evaluations out of annotated PGN: arpad against python-chess, on the same generated file."""

from __future__ import annotations

import random
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

import chess
import chess.pgn
import polars as pl

from arpad.moves.evaluated_games import read_evaluated
from arpad.moves.positions import positions
from arpad.read.reading import read_moves
from benchmarks.measure import Result
from benchmarks.reading import SEED

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

GAMES = 40_000
BOARDS = 200
FOR_PEER = 800
WANTED = 20_000
"""Games a second on one core."""


def annotated(rng: random.Random, plies: int) -> tuple[str, str]:
    """Return result and moves of a random game as Lichess writes it: evaluations and clocks."""
    board = chess.Board()
    words = ["{ [%eval 0.13] }"]
    clock = 10_800
    for ply in range(plies):
        legal = list(board.legal_moves)
        if len(legal) < 2:
            break
        move, other = rng.sample(legal, 2)
        number = f"{ply // 2 + 1}{'.' if board.turn else '...'}"
        clock -= rng.randrange(60)
        value = f"#{rng.randint(1, 9)}" if rng.random() < 0.02 else f"{rng.gauss(0, 2):.2f}"
        left = f"{clock // 3600}:{clock // 60 % 60:02d}:{clock % 60:02d}"
        words.append(f"{number} {board.san(move)} {{ [%eval {value}] [%clk {left}] }}")
        if rng.random() < 0.05:
            instead = board.san(other)
            words.append(f"{{ Inaccuracy. {instead} was best. }} ({number} {instead})")
        board.push(move)
    result = board.result() if board.is_game_over() else "1-0"
    return result, " ".join([*words, result])


def write_annotated(path: Path, games: int) -> None:
    rng = random.Random(SEED)
    texts = [annotated(rng, rng.randint(40, 120)) for _ in range(200)]
    with path.open("w", encoding="utf-8") as handle:
        for i in range(games):
            a, b = rng.randrange(20_000), rng.randrange(20_000)
            result, text = texts[i % len(texts)]
            handle.write(
                f'[Event "Rated game"]\n[Site "?"]\n[Date "{1990 + i % 30}.{1 + i % 12:02d}.{1 + i % 28:02d}"]\n'
                f'[Round "{1 + i}"]\n[White "Surname{a},Given"]\n[Black "Name{b},Given"]\n[Result "{result}"]\n'
                f'[WhiteElo "{1500 + a % 1300}"]\n[BlackElo "{1500 + b % 1300}"]\n[TimeControl "180+2"]\n'
                f"\n{text}\n\n"
            )


def cpu(function: Callable[[], object], repeat: int = 3) -> float:
    """Return the shortest time of several runs on all cores together, in seconds."""
    times = []
    for _ in range(repeat):
        start = time.process_time()
        function()
        times.append(time.process_time() - start)
    return min(times)


def by_python_chess(path: Path) -> int:
    """Read moves, evaluations and clocks with python-chess."""
    positions = 0
    with path.open(encoding="utf-8") as handle:
        while (game := chess.pgn.read_game(handle)) is not None:
            for node in game.mainline():
                node.eval()
                node.clock()
                positions += 1
    return positions


def moves() -> Iterator[Result]:
    with tempfile.TemporaryDirectory() as folder:
        path, small = Path(folder) / "games.pgn", Path(folder) / "some.pgn"
        write_annotated(path, GAMES)
        write_annotated(small, FOR_PEER)
        read_moves(small, kernel=True)  # load the kernels
        ours = GAMES / cpu(lambda: read_moves(path))
        peer = FOR_PEER / cpu(lambda: by_python_chess(small), 2)
        plain = FOR_PEER / cpu(lambda: read_moves(small, kernel=False))
    task = "moves, evaluations and clocks out of annotated PGN, a core"
    yield Result(task, "games/s", ours, "python-chess", peer, "≥ 20 k games/s", ours >= WANTED)
    yield Result("the same without the kernels (small files)", "games/s", plain, "python-chess", peer)


def epds_by_python_chess(games: list[list[str]]) -> None:
    """Play every game by itself and write down its positions."""
    for sans in games:
        board = chess.Board()
        board.epd()
        for san in sans:
            board.push_san(san)
            board.epd(en_passant="legal")


def boards() -> Iterator[Result]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "games.pgn"
        write_annotated(path, BOARDS)
        games = read_evaluated(path)
    lines = games.table.group_by("game", maintain_order=True).agg(pl.col("san").slice(1))["san"]
    played = lines.to_list()
    ours = BOARDS / cpu(lambda: positions(games))
    peer = BOARDS / cpu(lambda: epds_by_python_chess(played))
    yield Result("positions (EPD) of random games", "games/s", ours, "python-chess", peer)
