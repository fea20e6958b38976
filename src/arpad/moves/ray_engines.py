"""Engines on a Ray cluster, and which worker has which positions."""

from __future__ import annotations

import os
import time
import warnings
from itertools import chain, islice
from typing import TYPE_CHECKING, Any

from arpad.errors import EngineError, UsageError
from arpad.moves.analysis import Failure, Worker
from arpad.moves.engine import PATIENCE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from arpad.evaluation import Evaluation
    from arpad.moves.analysis import Ask
    from arpad.moves.engine import EngineIdentity, EngineSettings


# Positions handed out to the workers of a Ray cluster, some at a time: who has which.

FIRST_LEASE = 10
"""Positions of a worker's first lease: how fast it is is not known yet."""
LEASE_SECONDS = 30.0
"""A lease is to last no longer than this: what a killed driver loses."""
TRIES = 3
"""Number of attempts at a lease before its positions are reported."""
GATHER = 120.0
"""Seconds a cluster has to give us the first worker."""
LOOK = 1.0
"""Seconds between two looks at what is there, so that Ctrl-C is heard."""
NO_WORKER = f"the Ray cluster gave no worker in {GATHER:g} seconds: are its CPUs taken?"


class Leases:
    """Leases of positions to workers, and the speed of each worker.

    A worker gets its first lease when its engine runs: while others hold the CPUs of a cluster, it may
    never do so, and what it had been given would never be done.
    """

    def __init__(self, team: RayWorkers, ray: Any, asks: Iterator[Ask]) -> None:
        self.team, self.ray, self.asks = team, ray, asks
        self.back: list[tuple[list[Ask], int]] = []  # leases of the dead, and how often given out
        self.coming: dict[Any, Any] = {}  # workers that do not run yet
        self.out: dict[Any, tuple[Any, list[Ask], int]] = {}
        self.size: dict[Any, int] = {}

    def run(self) -> Iterator[list[Evaluation | Failure]]:
        """Hand out leases and give what comes back, until nothing is left."""
        for actor in self.team.actors:
            self._expect(actor)
        heard = time.monotonic()
        while self.out or (self.coming and self._left()):
            done, _ = self.ray.wait([*self.coming, *self.out], num_returns=1, timeout=LOOK)
            for future in done:
                if future in self.coming:
                    self.team.begun(future)
                    self._give(self.coming.pop(future))
                else:
                    yield from self._done(future, *self.out.pop(future))
            if done or self.out:
                heard = time.monotonic()
            elif time.monotonic() - heard > GATHER:
                raise EngineError(NO_WORKER)

    def _expect(self, actor: Any) -> None:
        self.coming[actor.identity.remote()] = actor

    def _left(self) -> bool:
        """Say whether there is anything to hand out."""
        if self.back:
            return True
        some = list(islice(self.asks, 1))
        self.asks = chain(some, self.asks)
        return bool(some)

    def _give(self, actor: Any) -> None:
        if self.back:
            asks, tries = self.back.pop()
        else:
            size = self.size.get(actor, min(FIRST_LEASE, self.team.lease))
            asks, tries = list(islice(self.asks, size)), 0
        if asks:
            self.out[actor.answer.remote(asks)] = (actor, asks, tries + 1)

    def _give_idle(self) -> None:
        """Give a lease that came back to a worker that had nothing left to do."""
        busy = [*(actor for actor, _, _ in self.out.values()), *self.coming.values()]
        idle = next((a for a in self.team.actors if a not in busy), None)
        if idle is not None:
            self._give(idle)

    def _done(
        self, future: Any, actor: Any, asks: list[Ask], tries: int
    ) -> Iterator[list[Evaluation | Failure]]:
        try:
            said = self.ray.get(future)
        except self.ray.exceptions.RayError as error:
            why = f"its worker died: {first_line(error)}"
            if tries < TRIES:
                self.back.append((asks, tries))
            else:
                yield [Failure(ask=ask, reason=why) for ask in asks]
            self._expect(self.team.replace(actor))
            return
        if isinstance(said, str):  # its engine does not start any more: the others go on without it
            self.back.append((asks, tries - 1))
            self.team.drop(actor)
            if not self.team.actors:
                raise EngineError(said)
            self._give_idle()
            return
        answers, restarts, seconds = said
        self.team.restarts += restarts
        pace = LEASE_SECONDS * len(asks) / max(seconds, 1e-3)
        self.size[actor] = max(1, min(self.team.lease, round(pace)))
        self._give(actor)
        yield answers


def first_line(error: BaseException) -> str:
    r"""Return the first line of what Ray says, with the last where it only announces it.

    Examples
    --------
    >>> first_line(RuntimeError("Failure from server:\nTraceback\nTimeoutError: too late"))
    'Failure from server: TimeoutError: too late'
    """
    rows = str(error).strip().splitlines() or [type(error).__name__]
    return f"{rows[0]} {rows[-1].strip()}" if rows[0].endswith(":") and rows[1:] else rows[0]


# Engines on a Ray cluster: the same queue, handed out in leases; a dead worker's lease is taken over.

LEASE = 50
"""Positions that a worker takes at a time, at most."""
RESTARTS = 10
"""Number of times that Ray restarts a dead worker before we take another."""


class _Remote:
    """A worker with one engine on the cluster.

    What goes wrong with the engine is returned, not raised: Ray would print it and try again.
    """

    def __init__(self, settings: EngineSettings, patience: float, expect: EngineIdentity | None) -> None:
        self.settings, self.patience, self.expect = settings, patience, expect
        self.worker: Worker | None = None

    def identity(self) -> EngineIdentity | str:
        """Return who the engine says that it is, or what is wrong with it."""
        try:
            return self._begun().engine.identity
        except EngineError as error:
            return str(error)

    def pids(self) -> tuple[int, int]:
        """Return the numbers of this process and of its engine."""
        return os.getpid(), self._begun().engine.pid

    def answer(self, asks: list[Ask]) -> tuple[list[Evaluation | Failure], int, float] | str:
        """Return the answers to a lease, how often the engine was started again, and seconds.

        Or, where the engine cannot be started, what is wrong with it.
        """
        try:
            worker = self._begun()
            before, began = worker.restarts, time.monotonic()
            answers = list(worker.answers(iter(asks)))
            return answers, worker.restarts - before, time.monotonic() - began
        except EngineError as error:
            return str(error)

    def _begun(self) -> Worker:
        if self.worker is None:
            self.worker = Worker(self.settings, patience=self.patience, expect=self.expect)
        return self.worker


class RayWorkers:
    """Engines on a Ray cluster, one for each of its CPUs.

    Parameters
    ----------
    address
        ``ray://host:port``; None: a cluster of this machine alone, ended with the analysis.
    engines
        How many; None: one for each CPU of the cluster.
    lease
        Positions that a worker takes at a time, at most.
    """

    def __init__(
        self,
        settings: EngineSettings,
        *,
        address: str | None = None,
        engines: int | None = None,
        patience: float = PATIENCE,
        lease: int = LEASE,
    ) -> None:
        if engines is not None and engines < 1:
            raise UsageError(f"workers: expected at least 1 engine, found {engines}")
        self.settings, self.address, self.engines = settings, address, engines
        self.patience, self.lease = patience, lease
        self.restarts = 0
        self._ray: Any = None
        self._ours = False
        self._identity: EngineIdentity | None = None
        self.actors: list[Any] = []

    def identity(self) -> EngineIdentity:
        """Return who the engine of the first worker says that it is."""
        if self._identity is None:
            ray = self._join()
            try:
                self._identity = self.begun(self._actor().identity.remote(), GATHER)
            except ray.exceptions.GetTimeoutError:
                self.close()
                raise EngineError(NO_WORKER) from None
            except BaseException:
                self.close()
                raise
        return self._identity

    def begun(self, future: Any, seconds: float | None = None) -> EngineIdentity:
        """Return who the engine of a worker says that it is; one that cannot be used is an error."""
        try:
            said: EngineIdentity | str = self._ray.get(future, timeout=seconds)
        except self._ray.exceptions.RayActorError as error:
            said = f"the Ray cluster cannot run arpad: {first_line(error)}"
        if isinstance(said, str):
            raise EngineError(said)
        return said

    def run(self, asks: Iterator[Ask]) -> Iterator[list[Evaluation | Failure]]:
        """Give answers lease by lease, as they come."""
        try:
            self.identity()
            while len(self.actors) < self._count():
                self._actor()
            yield from Leases(self, self._ray, asks).run()
        finally:
            self.close()

    def close(self) -> None:
        """Let the workers go, and the cluster if it is ours."""
        if self._ray is None:
            return
        for actor in self.actors:
            self._ray.kill(actor)
        self.actors = []
        if self._ours:
            self._ray.shutdown()
        self._ray = None

    def replace(self, actor: Any) -> Any:
        """Take another worker in the place of one that is gone."""
        self.drop(actor)
        self.restarts += 1
        return self._actor()

    def drop(self, actor: Any) -> None:
        """Let a worker go: it must not keep its CPU."""
        self.actors.remove(actor)
        self._ray.kill(actor)

    def _count(self) -> int:
        cpus = int(self._ray.cluster_resources().get("CPU", 1))
        return max(1, min(cpus, self.engines or cpus))

    def _join(self) -> Any:
        if self._ray is not None:
            return self._ray
        try:
            import ray
        except ImportError:
            raise UsageError("Ray is not installed: pip install 'arpad[ray]'") from None
        if not ray.is_initialized():
            quiet = {"log_to_driver": False, "logging_level": "ERROR"}
            try:
                if self.address:
                    with warnings.catch_warnings(action="ignore"):  # it raises what it warns of
                        ray.init(address=self.address, **quiet)
                else:
                    ray.init(
                        num_cpus=self.engines, include_dashboard=False, _node_ip_address="127.0.0.1", **quiet
                    )
            except Exception as error:  # Ray raises many kinds
                raise EngineError(
                    f"the Ray cluster {self.address or 'of this machine'} cannot be joined: {first_line(error)}. "
                    "Is the address right? A cluster that asks for a token wants RAY_AUTH_MODE=token here, too"
                ) from None
            self._ours = True
        self._ray = ray
        return ray

    def _actor(self) -> Any:
        made = self._ray.remote(_Remote).options(num_cpus=1, max_restarts=RESTARTS, max_task_retries=TRIES)
        actor = made.remote(self.settings, self.patience, self._identity)
        self.actors.append(actor)
        return actor
