"""A measurement in a process of its own: seconds and the most memory, undisturbed by what was before."""

from __future__ import annotations

import multiprocessing
import resource
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

GIBIBYTE = 2**20
"""In the kibibytes in which the system counts memory."""


def apart(function: Callable[..., Any], *arguments: Any) -> tuple[float, float, float, Any]:
    """Return seconds by the clock, seconds of the processor, GiB, and what the function returned."""
    context = multiprocessing.get_context("spawn")
    theirs, mine = context.Pipe()
    process = context.Process(target=_measure, args=(function, arguments, mine))
    process.start()
    mine.close()
    found: tuple[float, float, float, Any] = theirs.recv()
    process.join()
    return found


def _measure(function: Callable[..., Any], arguments: tuple[Any, ...], pipe: Any) -> None:
    wall, processor = time.perf_counter(), time.process_time()
    returned = function(*arguments)
    if isinstance(returned, tuple) and len(returned) == 2:  # it measured itself
        seconds, busy = returned
    else:
        seconds, busy = time.perf_counter() - wall, time.process_time() - processor
    memory = _most_memory() / GIBIBYTE
    pipe.send((seconds, busy, memory, None if isinstance(returned, tuple) else returned))


def _most_memory() -> float:
    """Return the most memory that this process ever had, in kibibytes.

    What getrusage says begins with what the parent had when it started this process; Linux knows better.
    """
    status = Path("/proc/self/status")
    if status.exists():
        for line in status.read_text().splitlines():
            if line.startswith("VmHWM:"):
                return float(line.split()[1])
    return float(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
