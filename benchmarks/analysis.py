"""Engines driven by arpad, by python-chess, and by nothing but a file of `position` and `go` lines.

Two engines, the same positions, the same `ucinewgame` before each, so that all three search the same
trees: nodes a second are compared, over the whole time of a run. The longest searches come first, and
files are made equally long, so that no engine has to wait for the other at the end. The three take
turns, and the best of several rounds counts.
"""

from __future__ import annotations

import random
import re
import subprocess
import sys
import tempfile
import threading
import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import chess
import chess.engine

from arpad.moves.analysis import analyse
from arpad.moves.engine import Engine, EngineSettings, find_engines
from arpad.moves.positions import epd_of
from benchmarks.measure import Result

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from arpad.evaluation import Evaluation

ENGINES = 2
BAR = 0.95
ROUNDS = 3
TASKS = ((10, 1, 300), (13, 1, 120), (10, 10, 80), (13, 10, 48))
"""Depth, lines, positions."""


def analysis(share: float = 1.0, rounds: int = ROUNDS) -> Iterator[Result]:
    if not find_engines():
        return
    positions = played(max(int(n * share) for _, _, n in TASKS))
    for depth, multipv, count in TASKS:
        settings = EngineSettings(depth=depth, multipv=multipv)
        some = longest_first(random.Random(depth).sample(positions, max(4, int(count * share))), settings)
        ways = {"arpad": ours, "a file": bare, "python-chess": peer}
        speeds = fastest(ways, some, settings, rounds)
        task = f"{ENGINES} engines, depth {depth}, MultiPV {multipv}"
        ratio = speeds["arpad"] / speeds["a file"]
        yield Result(
            task, "nodes/s", speeds["arpad"], "position and go lines from a file", speeds["a file"],
            f"≥ {BAR:.0%}", ratio >= BAR,
        )  # fmt: skip
        yield Result(task, "nodes/s", speeds["arpad"], "python-chess", speeds["python-chess"])


def fastest(
    ways: dict[str, Callable[[dict[str, int], EngineSettings], float]],
    work: dict[str, int],
    settings: EngineSettings,
    rounds: int,
) -> dict[str, float]:
    """Return the best nodes a second of each, taken in turns."""
    speeds = dict.fromkeys(ways, 0.0)
    for _ in range(rounds):
        for name, way in ways.items():
            speeds[name] = max(speeds[name], way(work, settings))
    return speeds


def longest_first(positions: list[str], settings: EngineSettings) -> dict[str, int]:
    """Return the nodes of each search, the most first."""
    found: list[Evaluation] = []
    analyse(positions, settings, workers=ENGINES, on_results=found.extend)
    return {e.epd: e.nodes for e in sorted(found, key=lambda e: -e.nodes)}


def shares(work: dict[str, int]) -> list[list[str]]:
    """Split work into parts that take equally long: each search to whoever has least."""
    parts: list[list[str]] = [[] for _ in range(ENGINES)]
    totals = [0] * ENGINES
    for epd, nodes in work.items():
        least = totals.index(min(totals))
        parts[least].append(epd)
        totals[least] += nodes
    return parts


def ours(work: dict[str, int], settings: EngineSettings) -> float:
    started = time.perf_counter()
    done = analyse(work, settings, workers=ENGINES, on_results=lambda _: None)
    assert done.nodes == sum(work.values())
    return done.nodes / (time.perf_counter() - started)


def bare(work: dict[str, int], settings: EngineSettings) -> float:
    """Let engines read their commands from files."""
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder) / f"{n}" for n in range(ENGINES)]
        for path, mine in zip(paths, shares(work), strict=True):
            path.with_suffix(".in").write_text("\n".join(script(mine, settings)) + "\n")
        seconds = _together([partial(_from_file, path) for path in paths])
        assert sum(map(_nodes, paths)) == sum(work.values())
    return sum(work.values()) / seconds


def script(positions: list[str], settings: EngineSettings) -> Iterator[str]:
    yield "setoption name Threads value 1"
    yield f"setoption name Hash value {settings.hash_mb}"
    yield f"setoption name MultiPV value {settings.multipv}"
    for epd in positions:
        yield from ("ucinewgame", "isready", f"position fen {epd} 0 1", settings.go())
    yield from ("ucinewgame", "quit")


def _from_file(path: Path) -> None:
    command = find_engines()[0].command
    with path.with_suffix(".in").open() as source, path.with_suffix(".out").open("w") as target:
        # A session of its own, as arpad's engines have: schedulers share a busy machine by session.
        subprocess.run(command, stdin=source, stdout=target, check=True, start_new_session=True)


def _nodes(path: Path) -> int:
    nodes = last = 0
    for row in path.with_suffix(".out").read_text().splitlines():
        if found := re.search(r" nodes (\d+)", row):
            last = int(found[1])
        elif row.startswith("bestmove"):
            nodes += last
    return nodes


def peer(work: dict[str, int], settings: EngineSettings) -> float:
    def one(mine: list[str]) -> None:
        command = find_engines()[0].path
        with chess.engine.SimpleEngine.popen_uci(command, start_new_session=True) as engine:
            engine.configure({"Threads": 1, "Hash": settings.hash_mb})
            limit = chess.engine.Limit(depth=settings.depth)
            for epd in mine:
                board = chess.Board(f"{epd} 0 1")
                engine.analyse(board, limit, multipv=settings.multipv, game=object())

    return sum(work.values()) / _together([partial(one, mine) for mine in shares(work)])


def _together(jobs: list[Callable[[], object]]) -> float:
    """Return how long it takes to do some jobs at once."""
    started = time.perf_counter()
    threads = [threading.Thread(target=job) for job in jobs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return time.perf_counter() - started


def played(count: int) -> list[str]:
    """Return positions of games in which the engine chooses among four moves by lot."""
    lot, found = random.Random(1997), {}
    with Engine(EngineSettings(depth=3, multipv=4)) as engine:
        while len(found) < count:
            board = chess.Board()
            for _ in range(80):
                lines = engine.search(epd_of(board)).lines
                if not lines:
                    break
                board.push_uci(lot.choice(lines).move)
                if board.legal_moves.count() > 1:
                    found[epd_of(board)] = None
    return list(found)


def main() -> None:
    """Print the results: python -m benchmarks.analysis [SHARE OF THE POSITIONS] [ROUNDS]."""
    share = float(sys.argv[1]) if len(sys.argv) > 1 else 1.0
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else ROUNDS
    for x in analysis(share, rounds):
        ratio = x.ratio or 0.0
        print(f"{x.task}: {x.arpad:,.0f} {x.unit}; {x.peer}: {x.theirs:,.0f}; ratio {ratio:.3f}", flush=True)


if __name__ == "__main__":
    main()
