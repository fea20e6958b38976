"""Engines on a Ray cluster: the same queue, handed out in leases; a dead worker's lease is taken over."""

from __future__ import annotations

import os
import time
import warnings
from typing import TYPE_CHECKING, Any

from arpad.errors import EngineError, UsageError
from arpad.moves.engine import PATIENCE
from arpad.moves.ray_leases import GATHER, NO_WORKER, TRIES, Leases, first_line
from arpad.moves.worker import Worker

if TYPE_CHECKING:
    from collections.abc import Iterator

    from arpad.evaluation import Evaluation
    from arpad.moves.settings import EngineIdentity, EngineSettings
    from arpad.moves.worker import Ask, Failure

__all__ = ["RayWorkers"]

LEASE = 50
"""Positions that a worker takes at a time, at most."""

RESTARTS = 10
"""How often Ray starts a worker again that died, before we take another."""


class _Remote:
    """What runs on the cluster: a worker with one engine.

    What goes wrong with the engine is returned, not raised: Ray would print it and try again.
    """

    def __init__(
        self, settings: EngineSettings, patience: float, expect: EngineIdentity | None
    ) -> None:
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
    settings
        Which engine, and how it is asked; every machine must have the same.
    address
        ``ray://host:port``; None: a cluster of this machine alone, ended with the analysis.
    engines
        How many; None: one for each CPU of the cluster.
    patience
        Seconds of silence after which an engine counts as hanging.
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
        """Join the cluster, or make one."""
        if self._ray is not None:
            return self._ray
        try:
            import ray
        except ImportError:
            raise UsageError(
                "--workers ray: Ray is not installed: pip install 'arpad[ray]'"
            ) from None
        if not ray.is_initialized():
            quiet = {"log_to_driver": False, "logging_level": "ERROR"}
            try:
                if self.address:
                    with warnings.catch_warnings(action="ignore"):  # it raises what it warns of
                        ray.init(address=self.address, **quiet)
                else:
                    ray.init(
                        num_cpus=self.engines,
                        include_dashboard=False,
                        _node_ip_address="127.0.0.1",
                        **quiet,
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
        made = self._ray.remote(_Remote).options(
            num_cpus=1, max_restarts=RESTARTS, max_task_retries=TRIES
        )
        actor = made.remote(self.settings, self.patience, self._identity)
        self.actors.append(actor)
        return actor
