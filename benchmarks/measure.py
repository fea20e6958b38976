"""How the benchmarks measure, and how they say it."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


@dataclass(frozen=True, slots=True)
class Result:
    """One line of the report: how fast arpad is, and a peer at the same task on the same data."""

    task: str
    unit: str
    arpad: float
    peer: str = ""
    theirs: float | None = None
    bar: str = ""
    met: bool | None = None

    @property
    def ratio(self) -> float | None:
        """How many times as fast as the peer."""
        if not self.theirs:
            return None
        return self.theirs / self.arpad if self.unit == "s" else self.arpad / self.theirs


def best(function: Callable[[], object], repeat: int = 3) -> float:
    """Return the shortest of several runs, in seconds: the machine is noisy."""
    times = []
    for _ in range(repeat):
        start = time.perf_counter()
        function()
        times.append(time.perf_counter() - start)
    return min(times)


def best_process(arguments: list[str], repeat: int = 5) -> float:
    """Return the shortest time of a whole command."""
    return best(
        lambda: subprocess.run(arguments, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL),
        repeat,
    )


def arpad_command() -> str:
    return str(Path(sys.executable).parent / "arpad")


def machine() -> str:
    model = platform.processor() or platform.machine()
    info = Path("/proc/cpuinfo")
    if info.exists():
        names = [
            line.split(":", 1)[1].strip() for line in info.read_text().splitlines() if "model name" in line
        ]
        model = names[0] if names else model
    return f"{os.cpu_count()} cores ({model}), Python {platform.python_version()}"


def human(value: float | None, unit: str) -> str:
    if value is None:
        return ""
    if unit == "s":
        return f"{value:.2f} s"
    for size, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if value >= size:
            return f"{value / size:.3g} {letter} {unit}"
    return f"{value:.3g} {unit}"
