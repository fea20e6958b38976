"""An archive like Lichess's, generated month by month, and rated in one pass.

``make bench`` does it with a few million games; ``python -m benchmarks.archive 1e8`` with as many as it is told
(a gigabyte on the disk for 10⁸), in a temporary folder that is removed afterwards. ``--system glicko`` and
``--names`` take another system, and names in the place of integers.
"""

from __future__ import annotations

import argparse
import datetime as dt
import shutil
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from benchmarks.apart import apart
from benchmarks.measure import Result, human, machine

if TYPE_CHECKING:
    from collections.abc import Iterator

SEED = 1960
USUAL = 5_000_000
MONTHS = 100
GAMES_A_PLAYER = 50
"""2 million players for 10⁸ games."""
BYTES_A_GAME = 14
"""On the disk, about; with names three times as much."""
LEAST = 2e6
"""Games a second that a streaming pass of Elo over integers has to do."""


def generate(folder: Path, games: int, *, names: bool = False) -> int:
    """Write months of games between players who do not play equally often; return how many players there are."""
    rng = np.random.default_rng(SEED)
    players = max(100, games // GAMES_A_PLAYER)
    strength = rng.normal(1500, 250, players).astype(np.float32)
    bounds = np.linspace(0, games, MONTHS + 1).astype(np.int64)
    for number in range(MONTHS):
        first = dt.date(2015 + number // 12, number % 12 + 1, 1)
        n = int(bounds[number + 1] - bounds[number])
        # A site grows: in a month those play who have come so far, and the first most often.
        there = max(50, int(players * (number + 1) / MONTHS))
        white = (there * rng.random(n) ** 1.5).astype(np.int32)
        black = (there * rng.random(n) ** 1.5).astype(np.int32)
        black = np.where(black == white, (white + 1) % there, black).astype(np.int32)
        E = 1 / (1 + 10 ** ((strength[black] - strength[white] - 35) / 400))
        u = rng.random(n, dtype=np.float32)
        score = np.where(u < E - 0.025, 1.0, np.where(u < E + 0.025, 0.5, 0.0))
        day = np.datetime64(first) + np.sort(rng.integers(0, 28, n)).astype("timedelta64[D]")
        table = pl.DataFrame({"white": white, "black": black, "score": score, "date": day})
        table = table.with_columns(pl.col("date").cast(pl.Date))
        if names:
            table = table.with_columns(pl.format("player_{}", pl.col("white", "black")))
        where = folder / f"month={first:%Y-%m}"
        where.mkdir(parents=True)
        table.write_parquet(where / "games.parquet", compression="zstd", compression_level=1)
    return players


def streamed(folder: str, name: str, state: str | None) -> tuple[float, float]:
    """Rate an archive; seconds of the pass, kernels loaded."""
    from arpad.rate.archive import rate_archive
    from arpad.rate.elo_kernels import each_game_simple
    from arpad.rate.registry import system

    one = np.zeros(1, dtype=np.int32)
    each_game_simple(one, one, np.zeros(1), np.zeros(2), np.zeros(2, dtype=np.int64), 0.1, 1.0)
    begun, busy = time.perf_counter(), time.process_time()
    from arpad.read.archive import archive

    rate_archive(system(name), archive([folder]), state=Path(state) if state else None)
    return time.perf_counter() - begun, time.process_time() - busy


def measured(games: int, *, name: str = "elo", names: bool = False) -> dict[str, float]:
    """Generate an archive, rate it, and remove it."""
    with tempfile.TemporaryDirectory(prefix="arpad-archive-") as folder:
        room = shutil.disk_usage(folder).free
        needed = games * BYTES_A_GAME * (3 if names else 1)
        if needed * 1.5 > room:
            raise SystemExit(f"{games:,} games need about {needed / 1e9:.0f} GB, and {room / 1e9:.0f} are free")  # fmt: skip
        begun = time.perf_counter()
        *_, made = apart(generate_in, folder, games, names)
        generating = time.perf_counter() - begun
        size = sum(p.stat().st_size for p in Path(folder).rglob("*.parquet"))
        state = str(Path(folder) / "kept" / "run.standing")
        seconds, busy, memory, _ = apart(streamed, f"{folder}/games", name, state)
        kept = Path(state).stat().st_size
    return {
        "games": games, "players": made, "seconds": seconds, "busy": busy, "memory": memory,
        "disk": size / 2**30, "generating": generating, "kept": kept / 2**20,
    }  # fmt: skip


def generate_in(folder: str, games: int, names: bool) -> int:
    return generate(Path(folder) / "games", games, names=names)


def archives() -> Iterator[Result]:
    found = measured(USUAL)
    speed = found["games"] / found["seconds"]
    task = f"an archive of {USUAL:,} games in {MONTHS} months, rated in one pass"
    yield Result(task, "games/s", speed, bar=f"≥ {LEAST / 1e6:g} M games/s", met=speed >= LEAST)
    yield Result("the same: memory", "GiB", found["memory"], bar="< 1 GiB", met=found["memory"] < 1)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("games", nargs="?", type=float, default=float(USUAL), help="1e8")
    parser.add_argument("--system", default="elo")
    parser.add_argument("--names", action="store_true", help="names in the place of integers")
    asked = parser.parse_args()
    found = measured(int(asked.games), name=asked.system, names=asked.names)
    speed, busy = found["games"] / found["seconds"], found["games"] / found["busy"]
    print(f"{machine()}")
    print(f"{found['games']:,.0f} games, {found['players']:,.0f} players, {MONTHS} months, {found['disk']:.2f} GiB of Parquet, generated in {found['generating']:.0f} s")  # fmt: skip
    print(f"{asked.system}, {'names' if asked.names else 'integers'}: {found['seconds']:.1f} s by the clock, {human(speed, 'games/s')}; {found['busy']:.1f} s of the processor, {human(busy, 'games/s')}")  # fmt: skip
    print(f"most memory {found['memory']:.2f} GiB; kept after a month {found['kept']:.0f} MiB")


if __name__ == "__main__":
    main()
