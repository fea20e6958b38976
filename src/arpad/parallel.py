"""Many pieces of work at once: processes of this machine, or a Ray cluster."""

from __future__ import annotations

import multiprocessing
import os
import re
import signal
import threading
import time
import warnings
from collections import deque
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from arpad.errors import ArpadError, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from concurrent.futures import ProcessPoolExecutor

    S = TypeVar("S")
    T = TypeVar("T")
    R = TypeVar("R")

# A function is called with what all pieces share and with one piece; results come in the order of the pieces,
# by any worker and any number of times, so that nothing depends on how many workers there are. A piece must carry
# all its randomness (a seed, or the state of a generator) with it.
#
# `multiprocessing` and Ray do the work; arpad only repeats a piece that hangs or kills its worker.

TRIES = 3
"""Number of attempts at a piece of work before it is reported."""
PATIENCE = 3600.0
"""Seconds after which a piece counts as hanging."""
MOST = 1024
"""Workers that may be asked for: more is a slip of the finger."""


class WorkerError(ArpadError):
    """A piece of work killed its workers, or did not end in time."""


class Workers(Protocol):
    """The processes, or the cluster, that do the work."""

    def map(self, function: Callable[[S, T], R], pieces: Iterable[T], *, shared: S = ...) -> Iterator[R]:
        """Yield ``function(shared, piece)`` for every piece, in their order."""
        ...


@dataclass(frozen=True, slots=True)
class Here:
    """Work in the calling process, one piece after the other.

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
        with suppress(OSError):  # it died at once: the wait for its first answer says so
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
            raise UsageError(f"expected 1 to {MOST} processes, found {self.count}")

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
        left = min((w.job.since + self.patience - time.monotonic() for w in busy if w.job), default=0.0)
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


class Helper:
    """A process that computes for this one, a call at a time; it ends when nobody has called it for a while.

    What a call loads and keeps takes no memory here.
    """

    def __init__(self, *, idle: float = 60.0) -> None:
        self._idle = idle
        self._lock = threading.Lock()
        self._pool: ProcessPoolExecutor | None = None
        self._timer: threading.Timer | None = None

    def __call__(self, function: Callable[..., R], *arguments: Any) -> R:
        """Call a function there and return its result; errors are raised here."""
        from concurrent.futures import ProcessPoolExecutor
        from concurrent.futures.process import BrokenProcessPool

        with self._lock:
            if self._timer is not None:
                self._timer.cancel()
            if self._pool is None:
                spawn = multiprocessing.get_context("spawn")
                self._pool = ProcessPoolExecutor(1, mp_context=spawn, initializer=_end_with_parent)
            try:
                return self._pool.submit(function, *arguments).result()
            except BrokenProcessPool:
                self._pool = None  # the next call starts another process
                raise
            finally:
                self._timer = threading.Timer(self._idle, self.close)
                self._timer.daemon = True
                self._timer.start()

    def close(self) -> None:
        """End the process; the next call starts another one."""
        with self._lock:
            if self._pool is not None:
                self._pool.shutdown()
                self._pool = None


def _end_with_parent() -> None:
    """End this process when the one that started it is gone; a key pressed there is not meant for this one."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_exit_after, args=(parent,), daemon=True).start()


def _exit_after(process: Any) -> None:
    process.join()
    os._exit(1)


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
        raise UsageError(f"expected workers: a number, ray, ray:N or ray://HOST:PORT, found {text!r}")

    return RayCluster(
        address=text if "//" in text else None,
        count=int(cluster[1]) if cluster[1] else None,
        patience=patience,
    )


# Many pieces of work at once on a Ray cluster: the same order, the same results.

LOOK = 1.0
"""Seconds between two looks at what is there, so that Ctrl-C is heard."""


def _call(function: Any, shared: Any, piece: Any) -> tuple[bool, Any]:
    """Do a piece on the cluster; an error is returned, not raised: Ray would print it and try again."""
    try:
        return True, function(shared, piece)
    except Exception as error:
        return False, error


@dataclass(frozen=True, slots=True)
class RayCluster:
    """Workers of a Ray cluster, one for each of its CPUs.

    Parameters
    ----------
    address
        ``ray://host:port``; None: a cluster of this machine alone, ended with the work.
    count
        How many; None: one for each CPU of the cluster.
    patience
        Seconds after which a piece counts as hanging.
    """

    address: str | None = None
    count: int | None = None
    patience: float = PATIENCE

    def __post_init__(self) -> None:
        if self.count is not None and not 1 <= self.count <= MOST:
            raise UsageError(f"expected 1 to {MOST} workers, found {self.count}")

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
        ray, ours = self._joined()
        try:
            yield from self._run(ray, function, todo, shared)
        finally:
            if ours:
                ray.shutdown()

    def _run(self, ray: Any, function: Any, todo: list[Any], shared: Any) -> Iterator[Any]:
        task = ray.remote(_call).options(num_cpus=1, max_retries=0)
        together = ray.put(shared)
        room = self._room(ray)
        waiting = deque(Job(number, 1) for number in range(len(todo)))
        out: dict[Any, Job] = {}
        done: dict[int, Any] = {}
        following = 0
        try:
            while following < len(todo):
                while waiting and len(out) < room:
                    job = waiting.popleft()
                    job.since = time.monotonic()
                    out[task.remote(function, together, todo[job.number])] = job
                ready, _ = ray.wait(list(out), num_returns=1, timeout=LOOK)
                for future in ready:
                    job = out.pop(future)
                    if (again := self._taken(ray, future, job, done)) is not None:
                        waiting.appendleft(again)
                self._end_late(ray, out, waiting)
                while following in done:
                    yield done.pop(following)
                    following += 1
        finally:
            for future in out:
                ray.cancel(future, force=True)

    def _taken(self, ray: Any, future: Any, job: Job, done: dict[int, Any]) -> Job | None:
        """Take an answer; return the job for another try where its worker died."""
        try:
            well, answer = ray.get(future)
        except ray.exceptions.RayError as error:
            return next_try(job, f"killed its worker: {(str(error).splitlines() or ['?'])[0]}")
        if not well:
            raise answer
        done[job.number] = answer
        return None

    def _end_late(self, ray: Any, out: dict[Any, Job], waiting: deque[Job]) -> None:
        for future, job in list(out.items()):
            if time.monotonic() - job.since >= self.patience:
                ray.cancel(future, force=True)
                del out[future]
                why = f"did not end in {self.patience:g} seconds on the cluster (are its CPUs taken?)"
                waiting.appendleft(next_try(job, why))

    def _room(self, ray: Any) -> int:
        cpus = int(ray.cluster_resources().get("CPU", 1))
        return max(1, min(cpus, self.count or cpus))

    def _joined(self) -> tuple[Any, bool]:
        """Join the cluster, or make one; say whether it is ours to end."""
        try:
            import ray
        except ImportError:
            raise UsageError("Ray is not installed: pip install 'arpad[ray]'") from None
        if ray.is_initialized():
            return ray, False
        quiet = {"log_to_driver": False, "logging_level": "ERROR"}
        try:
            if self.address:
                with warnings.catch_warnings(action="ignore"):  # it raises what it warns of
                    ray.init(address=self.address, **quiet)
            else:
                ray.init(num_cpus=self.count, include_dashboard=False, _node_ip_address="127.0.0.1", **quiet)
        except Exception as error:  # Ray raises many kinds
            why = (str(error).splitlines() or [type(error).__name__])[0]
            raise WorkerError(
                f"the Ray cluster {self.address or 'of this machine'} cannot be joined: {why}. "
                "Is the address right? A cluster that asks for a token wants RAY_AUTH_MODE=token here, too"
            ) from None
        return ray, True
