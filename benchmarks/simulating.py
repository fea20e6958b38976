"""Simulations: the text's own, and how time and memory grow with the players.

``python -m benchmarks --full`` plays all 340 rounds of ten million players too, some minutes.
"""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING

from benchmarks.apart import apart
from benchmarks.measure import Result, arpad_command, best, best_process

if TYPE_CHECKING:
    from collections.abc import Iterator

PLAYERS, ROUNDS = 15_000, 340
GROWTH = ((10_000, 1000), (100_000, 100), (1_000_000, 30), (10_000_000, 12))
"""Players, and rounds: fewer for the larger ones, as each takes as long as the other."""
LINEAR = 3.0
"""A player's round of ten million may take so many times as long as one of ten thousand, whose players fit a cache."""


def simulation(players: int, rounds: int, name: str = "pra") -> None:
    from arpad.lab.pairing import Random
    from arpad.lab.season import RunStart, Season
    from arpad.lab.simulate import simulate
    from arpad.lab.worlds import NormalPopulation, World
    from arpad.rate.registry import system

    season = Season(
        players=players, rounds=rounds, population=NormalPopulation(), world=World(), pairing=Random(), start=RunStart()
    )  # fmt: skip
    simulate(season, {name: system(name)})


def _seconds(players: int, rounds: int) -> tuple[float, float]:
    """Return how long the rounds take, with the processor's own clock.

    Drawing the players is paid once a season, so a season of one round is taken off; another one before
    it loads the kernels and asks the system for the memory.
    """
    times = []
    for played in (1, 1, rounds + 1):
        begin = time.process_time()
        simulation(players, played)
        times.append(time.process_time() - begin)
    seconds = times[2] - times[1]
    return seconds, seconds


def measured(players: int, rounds: int) -> tuple[float, float]:
    """Return seconds and GiB of a simulation in a process of its own."""
    seconds, _, memory, _ = apart(_seconds, players, rounds)
    return seconds, memory


def simulations() -> Iterator[Result]:
    simulation(100, 3)
    for name in ("pra", "pra-basic", "elo"):
        seconds = best(lambda name=name: simulation(PLAYERS, ROUNDS, name))
        task = f"{name}, simulation of {PLAYERS:,} players × {ROUNDS} rounds"
        yield Result(task, "s", seconds, bar="< 1 s", met=seconds < 1)
    command = [arpad_command(), "simulate", "--format", "json"]
    yield Result("the same, pra, as a command", "s", best_process(command, 3))
    first = 0.0
    for players, rounds in GROWTH:
        seconds, memory = measured(players, rounds)
        speed = players * rounds / seconds
        first = first or speed
        yield Result(
            f"pra, {players:,} players, {rounds} rounds", "players' rounds/s", speed,
            bar="" if players == GROWTH[0][0] else f"≥ {first / 1e6 / LINEAR:.3g} M",
            met=None if players == GROWTH[0][0] else speed * LINEAR >= first,
        )  # fmt: skip
    if "--full" in sys.argv:
        seconds, memory = measured(10_000_000, ROUNDS)
        yield Result(f"pra, 10,000,000 players × {ROUNDS} rounds", "s", seconds)
    yield Result("pra, 10,000,000 players: memory", "GiB", memory, bar="< 8 GiB", met=memory < 8)
