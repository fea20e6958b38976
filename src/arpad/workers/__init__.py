"""Many pieces of work at once: here, in processes of this machine, or on a Ray cluster.

A function is called with what all pieces share and with one piece; results come in the order of the pieces,
whoever did them and however often, so that nothing depends on how many workers there are. A piece must carry
all its randomness (a seed, or the state of a generator) with it.
"""

from __future__ import annotations

import re
import time
from collections import deque
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from arpad.errors import ArpadError, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    S = TypeVar("S")
    T = TypeVar("T")
    R = TypeVar("R")

__all__ = [
    "HERE",
    "MOST",
    "PATIENCE",
    "TRIES",
    "Here",
    "Job",
    "Processes",
    "WorkerError",
    "Workers",
    "next_try",
    "workers_called",
]

TRIES = 3
"""How often a piece is given out before it is reported."""

PATIENCE = 3600.0
"""Seconds after which a piece counts as hanging."""

MOST = 1024
"""Workers that may be asked for: more is a slip of the finger."""


class WorkerError(ArpadError):
    """A piece of work killed its workers, or did not end in time."""


class Workers(Protocol):
    """Who does the work."""

    def map(
        self, function: Callable[[S, T], R], pieces: Iterable[T], *, shared: S = ...
    ) -> Iterator[R]:
        """Yield ``function(shared, piece)`` for every piece, in their order."""
        ...


@dataclass(frozen=True, slots=True)
class Here:
    """Nobody but the process that asks, one piece after the other.

    Examples
    --------
    >>> list(Here().map(lambda base, piece: base + piece, [1, 2], shared=10))
    [11, 12]
    """

    def map(
        self,
        function: Callable[[S, T], R],
        pieces: Iterable[T],
        *,
        shared: S = None,  # type: ignore[assignment]
    ) -> Iterator[R]:
        """Yield ``function(shared, piece)`` for every piece."""
        for piece in pieces:
            yield function(shared, piece)


HERE = Here()


@dataclass(slots=True)
class Job:
    """A piece under way."""

    number: int
    tries: int
    since: float = 0.0


class _Worker:
    """A process with a pipe to it."""

    def __init__(self, function: Any, shared: Any) -> None:
        import multiprocessing

        context = multiprocessing.get_context("spawn")  # threads of others do not survive a fork
        self.pipe, theirs = context.Pipe()
        self.process = context.Process(target=_work, args=(theirs,), daemon=True)
        self.process.start()
        theirs.close()
        self.job: Job | None = None
        with suppress(OSError):  # it died at once: whoever waits for its first answer finds out
            self.pipe.send((function, shared))

    def give(self, job: Job, piece: Any) -> None:
        self.job = job
        job.since = time.monotonic()
        self.pipe.send((job.number, piece))

    def end(self) -> None:
        self.process.kill()
        self.process.join()
        self.pipe.close()


def _work(pipe: Any) -> None:
    """Do pieces until the other end is gone."""
    try:
        function, shared = pipe.recv()
        while True:
            number, piece = pipe.recv()
            try:
                answer = (number, True, function(shared, piece))
            except Exception as error:
                answer = (number, False, error)
            pipe.send(answer)
    except (EOFError, OSError, KeyboardInterrupt):
        return


@dataclass(frozen=True, slots=True)
class Processes:
    """So many processes of this machine.

    Parameters
    ----------
    count
        How many.
    patience
        Seconds after which a piece counts as hanging: its process is ended, and another one tries.
    """

    count: int
    patience: float = PATIENCE

    def __post_init__(self) -> None:
        if not 1 <= self.count <= MOST:
            raise UsageError(f"--workers: expected 1 to {MOST} processes, found {self.count}")

    def map(
        self,
        function: Callable[[S, T], R],
        pieces: Iterable[T],
        *,
        shared: S = None,  # type: ignore[assignment]
    ) -> Iterator[R]:
        """Yield ``function(shared, piece)`` for every piece, in their order."""
        todo = list(pieces)
        if not todo:
            return
        waiting = deque(Job(number, 1) for number in range(len(todo)))
        team: list[_Worker] = []
        done: dict[int, Any] = {}
        following = 0
        try:
            while following < len(todo):
                while waiting and len(team) < min(self.count, len(todo)):
                    team.append(_Worker(function, shared))
                self._hand_out(team, waiting, todo)
                for worker in self._heard(team):
                    if (lost := self._collect(worker, done)) is not None:
                        team.remove(worker)
                        waiting.appendleft(lost)
                while following in done:
                    yield done.pop(following)
                    following += 1
        finally:
            for worker in team:
                worker.end()

    def _hand_out(self, team: list[_Worker], waiting: deque[Job], todo: list[Any]) -> None:
        for worker in team:
            if worker.job is None and waiting:
                job = waiting.popleft()
                try:
                    worker.give(job, todo[job.number])
                except OSError:  # it is gone: `_collect` finds out
                    worker.job = job

    def _heard(self, team: list[_Worker]) -> list[_Worker]:
        """Return who has said something, is gone, or takes too long."""
        from multiprocessing.connection import wait

        busy = [worker for worker in team if worker.job is not None]
        left = min((w.job.since + self.patience - time.monotonic() for w in busy if w.job), default=0.0)  # fmt: skip
        by_pipe = {worker.pipe: worker for worker in busy}
        heard = [by_pipe[pipe] for pipe in wait(list(by_pipe), timeout=max(0.0, left))]  # type: ignore[index]
        late = [w for w in busy if w.job and time.monotonic() - w.job.since >= self.patience]
        return list(dict.fromkeys([*heard, *late]))

    def _collect(self, worker: _Worker, done: dict[int, Any]) -> Job | None:
        """Take a worker's answer; where there is none, end it and return its job for another."""
        job = worker.job
        if job is None:
            return None
        why, said = f"did not end in {self.patience:g} seconds", None
        try:
            if worker.pipe.poll():
                said = worker.pipe.recv()
        except (EOFError, OSError):
            why = "killed its process: is there enough memory?"
        if said is None:
            worker.end()
            return next_try(job, why)
        number, well, answer = said
        if not well:
            raise answer
        worker.job = None
        done[number] = answer
        return None


def next_try(job: Job, why: str) -> Job:
    """Return a job to be done again; after too many tries it is an error."""
    if job.tries >= TRIES:
        raise WorkerError(f"piece {job.number + 1} of the work {why} ({TRIES} tries)")
    return Job(job.number, job.tries + 1)


def workers_called(text: str | None, *, patience: float = PATIENCE) -> Workers:
    """Return the workers that an option names: a number, ``ray``, ``ray:N`` or ``ray://HOST:PORT``.

    Examples
    --------
    >>> workers_called(None), workers_called("4").count
    (Here(), 4)
    """
    if text is None or text.strip() == "1":
        return HERE
    if re.fullmatch(r"[0-9]{1,9}", text):
        return Processes(int(text), patience)
    cluster = re.fullmatch(r"ray(?::([0-9]{1,9})|://[^/].*)?", text)
    if cluster is None:
        raise UsageError(
            f"--workers: expected a number, ray, ray:N or ray://HOST:PORT, found {text!r}"
        )
    from arpad.workers.cluster import RayCluster

    return RayCluster(
        address=text if "//" in text else None,
        count=int(cluster[1]) if cluster[1] else None,
        patience=patience,
    )
