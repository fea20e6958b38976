"""How a worker says how far it is: at once to its server, now and then to the ledger."""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from typing import TYPE_CHECKING

from arpad.errors import ArpadError
from arpad.store.ledger.ledger import Ledger
from arpad.web.jobs import records
from arpad.web.jobs.exits import ASKED_TO_STOP

if TYPE_CHECKING:
    from types import TracebackType

__all__ = ["Teller"]

EVERY = 1.0
"""Seconds between what is kept in the ledger."""

BEAT = 5.0
"""Seconds after which a worker that has nothing to tell says that it lives."""

PATIENCE = 0.1
"""Seconds that a word waits for another writer, which may be this very job: the server has heard it anyway."""


class Teller:
    """Tells how far a job is; ends the process if somebody has asked it to stop."""

    def __init__(self, place: str, number: int) -> None:
        self._number = number
        self._ledger = Ledger.open(place, wait=PATIENCE)
        self._lock = threading.Lock()
        self._now: tuple[int, int | None, str | None] = (0, None, None)
        self._kept = 0.0
        self._over = threading.Event()
        self._beat = threading.Thread(target=self._beats, daemon=True)

    def __enter__(self) -> Teller:
        self._beat.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._over.set()
        self._beat.join()
        self._ledger.close()

    def __call__(self, says: str | None, done: int = 0, total: int | None = None) -> None:
        """Say what the job is at, and how much is done of how much."""
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
                    stop = records.progress(
                        connection, self._number, done=done, total=total, says=says
                    )
            except ArpadError:  # somebody writes, most likely this job itself
                return
        if stop:
            sys.stdout.flush()
            os._exit(ASKED_TO_STOP)  # the ledger drops what was not finished

    def _beats(self) -> None:
        while not self._over.wait(BEAT):
            self._keep()
