"""The process of a worker: identity, progress, exit codes."""

from __future__ import annotations

import json
import multiprocessing
import os
import socket
import sys
import threading
import time
from concurrent.futures import ProcessPoolExecutor
from typing import TYPE_CHECKING, Any, TypeVar

import psutil

from arpad.errors import ArpadError
from arpad.ledger.db.ledger import Ledger
from arpad.web.jobs import records

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from types import TracebackType


T = TypeVar("T")


def apart(function: Callable[..., T], *arguments: Any) -> T:
    """Call a function in a process of its own: Numba and SciPy, which it loads, take no memory in the server."""
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        return pool.submit(function, *arguments).result()


# The identity of a worker process, and whether it still runs.


CLOCK = 1.0  # seconds by which two readings of the start of one process may differ


def myself() -> dict[str, Any]:
    """Return the identity of this process: machine, process id and moment of its start."""
    process = psutil.Process()
    return {"host": socket.gethostname(), "pid": process.pid, "born": process.create_time()}


def is_alive(worker: Mapping[str, Any]) -> bool | None:
    """Say whether a worker runs; None: it is on another machine."""
    if worker.get("host") != socket.gethostname():
        return None
    try:
        process = psutil.Process(int(worker["pid"]))
        same = abs(process.create_time() - float(worker["born"])) < CLOCK
        return same and process.status() != psutil.STATUS_ZOMBIE
    except psutil.Error:
        return False


# Exit codes of a worker; the state of its job says the rest.

SERVER_GONE = 3  # the server has ended
NOT_MINE = 4  # another worker has the job, or it was stopped
STOPPED = 5  # somebody has stopped the job


# Progress of a job: every report goes to the server, one a second into the ledger.

EVERY = 1.0  # seconds between two writes of the progress into the ledger
BEAT = 5.0  # seconds between two heartbeats
PATIENCE = 0.1
"""Seconds that a report waits for another writer, which may be this very job: the server has it anyway."""


class ProgressReporter:
    """Reports the progress of a job; ends the process if somebody has stopped the job."""

    def __init__(self, place: str, number: int) -> None:
        self._number = number
        self._ledger = Ledger.open(place, wait=PATIENCE)
        self._lock = threading.Lock()
        self._now: tuple[int, int | None, str | None] = (0, None, None)
        self._kept = 0.0
        self._over = threading.Event()
        self._beat = threading.Thread(target=self._beats, daemon=True)

    def __enter__(self) -> ProgressReporter:
        self._beat.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._over.set()
        self._beat.join()
        self._ledger.close()

    def __call__(self, says: str | None, done: int = 0, total: int | None = None) -> None:
        """Report the present step of the job, and how much of it is done."""
        self._now = (done, total, says)
        print(json.dumps({"done": done, "total": total, "says": says}), flush=True)
        if time.monotonic() - self._kept >= EVERY:
            self._keep()

    def _keep(self) -> None:
        done, total, says = self._now
        with self._lock:
            self._kept = time.monotonic()
            try:
                with self._ledger.writing("worker", "progress") as connection:
                    stop = records.progress(connection, self._number, done=done, total=total, says=says)
            except ArpadError:  # somebody writes, most likely this job itself
                return
        if stop:
            sys.stdout.flush()
            os._exit(STOPPED)  # the ledger drops what was not finished

    def _beats(self) -> None:
        while not self._over.wait(BEAT):
            self._keep()
