"""PGN headers: arpad against python-chess, on the same generated file."""

from __future__ import annotations

import random
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import chess
import chess.pgn

from arpad.read.pgn.games import read_pgn
from arpad.read.source import Report, Source
from benchmarks.measure import Result, best

if TYPE_CHECKING:
    from collections.abc import Iterator

GAMES = 300_000
FOR_PEER = 30_000
SEED = 1960


def random_moves(rng: random.Random, plies: int) -> str:
    board = chess.Board()
    words: list[str] = []
    for ply in range(plies):
        moves = list(board.legal_moves)
        if not moves:
            break
        move = rng.choice(moves)
        if ply % 2 == 0:
            words.append(f"{ply // 2 + 1}.")
        words.append(board.san(move))
        board.push(move)
    lines, line = [], ""
    for word in [*words, "1-0"]:
        if len(line) + len(word) > 78:
            lines.append(line)
            line = ""
        line = f"{line} {word}" if line else word
    return "\n".join([*lines, line])


def write_pgn(path: Path, games: int) -> None:
    """Write games as a weekly magazine would: fifteen tags, about eighty plies."""
    rng = random.Random(SEED)
    texts = [random_moves(rng, rng.randint(40, 120)) for _ in range(200)]
    texts = [text for text in texts if "#" not in text]  # the result, 1-0, is never contradicted
    with path.open("w", encoding="utf-8") as handle:
        for i in range(games):
            a, b = rng.randrange(20_000), rng.randrange(20_000)
            day = f"{1990 + i % 30}.{1 + i % 12:02d}.{1 + i % 28:02d}"
            handle.write(
                f'[Event "{1 + i // 400}th Open"]\n[Site "Oslo NOR"]\n[Date "{day}"]\n[Round "{1 + i % 9}.{1 + i % 50}"]\n'
                f'[White "Surname{a},Given"]\n[Black "Name{b},Given"]\n[Result "1-0"]\n[WhiteTitle "IM"]\n'
                f'[WhiteElo "{1500 + a % 1300}"]\n[BlackElo "{1500 + b % 1300}"]\n[ECO "B{i % 100:02d}"]\n'
                f'[Opening "Sicilian"]\n[WhiteFideId "{1_000_000 + a}"]\n[BlackFideId "{2_000_000 + b}"]\n[EventDate "{day}"]\n'
                f"\n{texts[i % len(texts)]}\n\n"
            )


def headers() -> Iterator[Result]:
    with tempfile.TemporaryDirectory() as folder:
        path, small = Path(folder) / "games.pgn", Path(folder) / "some.pgn"
        write_pgn(path, GAMES)
        write_pgn(small, FOR_PEER)
        read_pgn(Source(str(small), Report()), kernel=True)  # load the kernel
        ours = GAMES / best(lambda: read_pgn(Source(str(path), Report())), 5)

        def theirs() -> None:
            with small.open(encoding="utf-8") as handle:
                while chess.pgn.read_headers(handle) is not None:
                    pass

        peer = FOR_PEER / best(theirs, 5)
        plain = FOR_PEER / best(lambda: read_pgn(Source(str(small), Report()), kernel=False), 3)
    yield Result("PGN headers to games", "games/s", ours, "python-chess", peer, "≥ 10 ×", ours >= 10 * peer)
    yield Result("the same without the kernel (small files)", "games/s", plain, "python-chess", peer)
