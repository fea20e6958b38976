"""Engines on this machine: a thread beside each, which mostly sleeps."""

from __future__ import annotations

import os
import queue
import threading
import time
from itertools import chain
from typing import TYPE_CHECKING

from arpad.errors import EngineError, UsageError
from arpad.moves.engine import PATIENCE, Engine
from arpad.moves.worker import Failure, Worker, seconds_to_start

if TYPE_CHECKING:
    from collections.abc import Iterator

    from arpad.evaluation import Evaluation
    from arpad.moves.settings import EngineIdentity, EngineSettings
    from arpad.moves.worker import Ask

__all__ = ["LocalWorkers", "cores"]

HAND_OVER = 0.5
"""Seconds after which a worker hands over what it has."""

MOST = 1024
"""Engines that may be asked for: more is a slip of the finger."""


def cores() -> int:
    """Return how many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class LocalWorkers:
    """As many engines as there are cores, each with one thread of its own.

    Parameters
    ----------
    settings
        Which engine, and how it is asked.
    engines
        How many; None: one for each core.
    patience
        Seconds of silence after which an engine counts as hanging.
    """

    def __init__(
        self,
        settings: EngineSettings,
        *,
        engines: int | None = None,
        patience: float = PATIENCE,
    ) -> None:
        count = cores() if engines is None else engines
        if not 1 <= count <= MOST:
            raise UsageError(f"workers: expected 1 to {MOST} engines, found {count}")
        self.settings, self.engines, self.patience = settings, count, patience
        self._identity: EngineIdentity | None = None
        self._workers: list[Worker] = []
        self._stop = threading.Event()

    @property
    def restarts(self) -> int:
        """How often an engine had to be started again."""
        return sum(w.restarts for w in self._workers)

    def identity(self) -> EngineIdentity:
        """Return who the engine says that it is, asking one if none was started yet."""
        if self._identity is None:
            start = seconds_to_start(self.patience)
            with Engine(self.settings, patience=self.patience, start=start) as engine:
                self._identity = engine.identity
        return self._identity

    def run(self, asks: Iterator[Ask]) -> Iterator[list[Evaluation | Failure]]:
        """Give answers in batches, as they come."""
        asks = _shared(asks)
        results: queue.SimpleQueue[list[Evaluation | Failure] | BaseException | None]
        results = queue.SimpleQueue()
        self._stop.clear()
        threads = [
            threading.Thread(target=self._work, args=(asks, results), daemon=True)
            for _ in range(self.engines)
        ]
        for thread in threads:
            thread.start()
        running = len(threads)
        trouble: BaseException | None = None
        try:
            while running and trouble is None:
                batch = results.get()
                if batch is None:
                    running -= 1
                elif isinstance(batch, BaseException):
                    trouble = batch
                else:
                    yield batch
        except KeyboardInterrupt as error:
            trouble = error
        finally:
            self._stop.set()
            for worker in self._workers:
                worker.stop()
            for thread in threads:
                thread.join()
        while not results.empty():  # what was done before the trouble is not lost
            if isinstance(batch := results.get(), list) and batch:
                yield batch
        if trouble is not None:
            raise trouble

    def _work(
        self,
        asks: Iterator[Ask],
        results: queue.SimpleQueue[list[Evaluation | Failure] | BaseException | None],
    ) -> None:
        worker = None
        batch: list[Evaluation | Failure] = []
        try:
            first = next(asks, None)
            if first is not None:  # no engine is started for nothing
                worker = self._begin()
                since = time.monotonic()
                for answer in worker.answers(chain([first], asks)):
                    if self._stop.is_set() and isinstance(answer, Failure):
                        break  # we broke it off ourselves
                    batch.append(answer)
                    if time.monotonic() - since >= HAND_OVER:
                        results.put(batch)
                        batch, since = [], time.monotonic()
        except BaseException as error:
            results.put(batch)
            batch = []
            results.put(error)
        finally:
            if worker is not None:
                worker.close()
            if batch:
                results.put(batch)
            results.put(None)

    def _begin(self) -> Worker:
        worker = Worker(self.settings, patience=self.patience, expect=self._identity)
        self._workers.append(worker)
        if self._identity is None:
            self._identity = worker.engine.identity
        if self._stop.is_set():
            worker.close()
            raise EngineError("stopped")
        return worker


class _shared:  # noqa: N801 - it stands where a function would
    """An iterator that several threads may ask."""

    def __init__(self, asks: Iterator[Ask]) -> None:
        self._asks, self._lock = asks, threading.Lock()

    def __iter__(self) -> Iterator[Ask]:
        return self

    def __next__(self) -> Ask:
        with self._lock:
            return next(self._asks)
