"""How long people wait before anything happens."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.measure import Result, arpad_command, best_process

if TYPE_CHECKING:
    from collections.abc import Iterator


def start() -> Iterator[Result]:
    seconds = best_process([arpad_command(), "--help"])
    yield Result("arpad --help", "s", seconds, bar="< 0.4 s", met=seconds < 0.4)
    seconds = best_process([arpad_command(), "expect", "82", "--curve", "pra"])
    yield Result("arpad expect 82", "s", seconds)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "small.csv"
        path.write_text("white,black,result\nAnn,Bob,1-0\nBob,Cleo,1/2-1/2\n")
        seconds = best_process([arpad_command(), "rate", str(path)])
    yield Result("arpad rate, two games", "s", seconds)
