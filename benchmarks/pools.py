"""Everybody's rating at once: random pairings of players with normal strengths."""

from __future__ import annotations

import multiprocessing
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from benchmarks.apart import apart
from benchmarks.measure import Result, best

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

SEED = 1960
PATIENCE = 150.0
"""Seconds after which a peer is stopped."""

HUGE = 10_000_000


def games(players: int, n: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(SEED)
    true = rng.normal(0, 200, players)
    white = rng.integers(0, players, n)
    black = (white + 1 + rng.integers(0, players - 1, n)) % players
    P = 1 / (1 + 10 ** ((true[black] - true[white]) / 400))
    return white, black, (rng.random(n) < P).astype(float)


def _ours(players: int, n: int) -> float:
    from arpad.model import Games
    from arpad.rate.pool import PoolSystem

    white, black, score = games(players, n)
    columns = {"white": white, "black": black, "score": score}
    table = Games.assemble(columns, {"name": [str(i) for i in range(players)]})
    return best(partial(PoolSystem().solve, table), 5 if n < HUGE else 1)


def _evalica(players: int, n: int) -> float:
    import evalica

    white, black, score = games(players, n)
    winners = [evalica.Winner.X if s else evalica.Winner.Y for s in score]
    xs, ys = white.tolist(), black.tolist()
    return best(lambda: evalica.bradley_terry(xs, ys, winners), 1)


def _choix(players: int, n: int) -> float:
    """It needs a prior: some players won nothing, and it refuses those."""
    import choix

    white, black, score = games(players, n)
    won = score[:, None] == 1
    data = np.where(won, np.c_[white, black], np.c_[black, white]).tolist()
    return best(lambda: choix.ilsr_pairwise(players, data, alpha=0.01), 1)


def _apart(function: Callable[[int, int], float], players: int, n: int, patience: float) -> float:
    """Run in a process of its own; infinity if it does not end in time, or runs out of memory."""
    context = multiprocessing.get_context("spawn")
    theirs, mine = context.Pipe()
    process = context.Process(target=_send, args=(function, players, n, mine))
    process.start()
    mine.close()
    try:
        found = float(theirs.recv()) if theirs.poll(patience) else np.inf
    except EOFError:
        found = np.inf
    process.kill()
    process.join()
    return found


def _send(function: Callable[[int, int], float], players: int, n: int, pipe: object) -> None:
    pipe.send(function(players, n))  # type: ignore[attr-defined]


def pools() -> Iterator[Result]:
    for players, n in ((2_000, 100_000), (10_000, 1_000_000)):
        seconds = _ours(players, n)
        task = f"pool of {players:,} players, {n:,} games, with errors"
        bar = 0.4 if n == 100_000 else 3.5
        yield Result(task, "s", seconds, bar=f"< {bar} s", met=seconds < bar)
        for name, peer in (("evalica (Bradley–Terry)", _evalica), ("choix (I-LSR)", _choix)):
            theirs = _apart(peer, players, n, PATIENCE)
            if np.isinf(theirs):
                name, theirs = f"{name}, stopped", PATIENCE
            wanted = 2 if n == 100_000 else 30
            if peer is _evalica:
                yield Result(
                    task, "s", seconds, name, theirs,
                    f"≥ {wanted} × evalica", theirs >= wanted * seconds,
                )  # fmt: skip
            else:
                yield Result(task, "s", seconds, name, theirs)
    _, _, gibibytes, _ = apart(_ours, 100_000, HUGE)  # with the games in it
    yield Result(
        "pool of 100,000 players, 10,000,000 games: memory", "GiB", gibibytes,
        bar="< 8 GiB", met=gibibytes < 8,
    )  # fmt: skip
