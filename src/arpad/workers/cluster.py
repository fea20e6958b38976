"""Many pieces of work at once on a Ray cluster: the same order, the same results."""

from __future__ import annotations

import time
import warnings
from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from arpad.errors import UsageError
from arpad.workers import MOST, PATIENCE, Job, WorkerError, next_try

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from arpad.workers import R, S, T

__all__ = ["RayCluster"]

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
            raise UsageError(f"--workers: expected 1 to {MOST} workers, found {self.count}")

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
                why = (
                    f"did not end in {self.patience:g} seconds on the cluster (are its CPUs taken?)"
                )
                waiting.appendleft(next_try(job, why))

    def _room(self, ray: Any) -> int:
        cpus = int(ray.cluster_resources().get("CPU", 1))
        return max(1, min(cpus, self.count or cpus))

    def _joined(self) -> tuple[Any, bool]:
        """Join the cluster, or make one; say whether it is ours to end."""
        try:
            import ray
        except ImportError:
            raise UsageError("--workers ray: Ray is not installed: pip install 'arpad[ray]'") from None  # fmt: skip
        if ray.is_initialized():
            return ray, False
        quiet = {"log_to_driver": False, "logging_level": "ERROR"}
        try:
            if self.address:
                with warnings.catch_warnings(action="ignore"):  # it raises what it warns of
                    ray.init(address=self.address, **quiet)
            else:
                ray.init(num_cpus=self.count, include_dashboard=False, _node_ip_address="127.0.0.1", **quiet)  # fmt: skip
        except Exception as error:  # Ray raises many kinds
            why = (str(error).splitlines() or [type(error).__name__])[0]
            raise WorkerError(
                f"the Ray cluster {self.address or 'of this machine'} cannot be joined: {why}. "
                "Is the address right? A cluster that asks for a token wants RAY_AUTH_MODE=token here, too"
            ) from None
        return ray, True
