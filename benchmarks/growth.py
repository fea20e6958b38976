"""How time and memory grow: games for rating, players for pools and for simulations.

``python -m benchmarks.growth`` measures up to 10⁸ games, which needs 2 GiB and a minute, and writes the
section and the charts of docs/performance.md, as ``make bench`` does; ``--most 5`` stops at 10⁵.
"""

from __future__ import annotations

import argparse
import math
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from benchmarks.apart import apart
from benchmarks.measure import machine

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

PAGE = Path(__file__).parent.parent / "docs" / "performance.md"
CHART = "images/growth.svg"
BEGIN, END = "<!-- growth: begin -->", "<!-- growth: end -->"
GAMES_A_PLAYER = 100
ROUNDS = 20
SHORTEST = 0.2
"""Seconds of measuring: what is quicker is done again and again."""
LONG = 5.0
"""Seconds above which once is enough."""


@dataclass(frozen=True, slots=True)
class Point:
    """One size of one task."""

    task: str
    size: int
    seconds: float
    memory: float
    unit: str
    work: float
    """Games, or players' rounds."""


def _best(function: Callable[[], object]) -> tuple[float, float]:
    """Return the shortest of several runs by the processor's own clock: others are at work here, too."""
    times: list[float] = []
    begun = time.perf_counter()
    while not times or (
        len(times) < 20 and (time.perf_counter() - begun < SHORTEST or (len(times) < 2 and times[0] < LONG))
    ):
        start = time.process_time()
        function()
        times.append(time.process_time() - start)
    return min(times), min(times)


def rating(games: int) -> tuple[float, float]:
    from arpad.rate import elo_kernels as kernels

    rng = np.random.default_rng(1960)
    players = max(10, games // GAMES_A_PLAYER)
    white = rng.integers(0, players, games, dtype=np.int32)
    black = rng.integers(1, players, games, dtype=np.int32)
    black += white
    black %= players
    score = rng.integers(0, 3, games, dtype=np.int8) * 0.5

    def run(n: int) -> None:
        ratings, played = np.full(players, 1500.0), np.zeros(players, dtype=np.int64)
        first = (white[:n], black[:n], score[:n])
        kernels.each_game_simple(*first, ratings, played, math.log(10) / 400, 20.0)

    run(10)  # the kernel is loaded
    return _best(lambda: run(games))


def pool(players: int) -> tuple[float, float]:
    from arpad.model import Games
    from arpad.rate.pool import PoolSystem
    from benchmarks.pools import games

    white, black, score = games(players, players * GAMES_A_PLAYER // 2)
    columns = {"white": white, "black": black, "score": score}
    table = Games.assemble(columns, {"name": [str(i) for i in range(players)]})
    PoolSystem().solve(Games.build([("A", "B", 1.0), ("B", "A", 1.0)]))
    return _best(lambda: PoolSystem().solve(table))


def simulation(players: int) -> tuple[float, float]:
    from benchmarks.simulating import simulation as play

    play(100, 3)
    start = time.process_time()
    play(players, ROUNDS)
    seconds = time.process_time() - start
    return seconds, seconds


TASKS: dict[str, tuple[Callable[[int], tuple[float, float]], int, int, str, float]] = {
    "sequential Elo, games": (rating, 4, 8, "games/s", 1),
    "pools with errors, players": (pool, 3, 5, "games/s", GAMES_A_PLAYER / 2),
    f"simulation of {ROUNDS} rounds, players": (simulation, 4, 7, "players' rounds/s", ROUNDS),
}
"""What is measured: powers of ten from and to; what counts as work, and how much of it a size is."""


def points(*, most: int | None = None) -> Iterator[Point]:
    for task, (function, first, last, unit, work) in TASKS.items():
        for power in range(first, last + 1 if most is None else min(last, most) + 1):
            size = 10**power
            seconds, _, memory, _ = apart(function, size)
            yield Point(task, size, seconds, memory, unit, size * work)


def chart(found: list[Point], path: Path) -> None:
    """Draw time and memory over size, both in powers of ten."""
    from arpad.publish.charts.style import PALETTE, altair, dressed, save

    alt = altair()
    table = pl.DataFrame(
        {
            "task": [p.task for p in found],
            "size": [p.size for p in found],
            "seconds": [max(p.seconds, 1e-5) for p in found],
            "GiB": [p.memory for p in found],
        }
    )
    powers = [10**power for power in range(3, 9)]
    x = alt.X("size:Q", title="games, or players", scale=alt.Scale(type="log"), axis=alt.Axis(values=powers, format="~s"))  # fmt: skip
    colour = alt.Color("task:N", title=None, sort=list(TASKS), scale=alt.Scale(domain=list(TASKS), range=PALETTE), legend=alt.Legend(orient="bottom", labelLimit=400, columns=3))  # fmt: skip
    sides = []
    marks = {"seconds": [10.0**power for power in range(-5, 4)], "GiB": [0.1, 0.2, 0.5, 1, 2, 5, 10]}
    for name, title in (("seconds", "seconds of the processor"), ("GiB", "most memory, GiB")):
        labels = alt.Axis(format="~g", values=marks[name])
        y = alt.Y(f"{name}:Q", title=title, scale=alt.Scale(type="log"), axis=labels)
        base = alt.Chart(table).encode(x=x, y=y, color=colour)
        both = base.mark_line(strokeWidth=2) + base.mark_circle(size=50, opacity=1)
        sides.append(both.properties(width=330, height=260))
    drawn = dressed(alt.hconcat(*sides, spacing=30), "How time and memory grow", "a line that rises by one step for each step to the right is linear growth", sized=False)  # fmt: skip
    path.parent.mkdir(exist_ok=True)
    save(drawn, path)


def section(found: list[Point]) -> str:
    """Return the section of the page, between its marks."""
    from benchmarks.measure import human

    lines = [
        BEGIN,
        "",
        "## Growth",
        "",
        f"Seconds of the processor, and the largest memory of the process, measured by\n`python -m benchmarks.growth` on {machine()}. Elo has a player\nfor every {GAMES_A_PLAYER} games, pools have {GAMES_A_PLAYER // 2} games for every player.",
        "",
        "Ratings of 10⁶ players no longer fit the processor's cache, so memory limits the speed there. For up\nto 1,500 players of a pool the errors come from the complete inverse of a matrix, above that from an\napproximation ([method](methods/pool.md#errors)). So 1,000 players take almost as long as 10,000.",
        "",
        f"![Time and memory by the number of games or players]({CHART})",
        "",
        "| task | size | time | speed | memory |",
        "|---|---|---|---|---|",
        *(
            f"| {p.task} | {p.size:,} | {p.seconds:.3g} s | {human(p.work / p.seconds, p.unit)} | {p.memory:.2f} GiB |"
            for p in found
        ),
        "",
        END,
    ]
    return "\n".join(lines)


def with_section(page: str, text: str) -> str:
    """Return the page with the section in the place of the one it has, or at its end."""
    if BEGIN in page and END in page:
        head, rest = page.split(BEGIN, 1)
        return head + text + rest.split(END, 1)[1]
    return page.rstrip("\n") + "\n\n" + text + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--most", type=int, help="no power of ten above this")
    parser.add_argument("--dry", action="store_true", help="print only")
    asked = parser.parse_args()
    found = []
    for point in points(most=asked.most):
        found.append(point)
        print(f"{point.task}: {point.size:,}  {point.seconds:.3g} s  {point.memory:.2f} GiB", flush=True)  # fmt: skip
    if not asked.dry:
        chart(found, PAGE.parent / CHART)
        PAGE.write_text(with_section(PAGE.read_text("utf-8"), section(found)), encoding="utf-8")


if __name__ == "__main__":
    main()
