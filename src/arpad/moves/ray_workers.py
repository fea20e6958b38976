"""Engines on a Ray cluster: the same queue, handed out in leases; a dead worker's lease is taken over."""

from __future__ import annotations

import os
import time
import warnings
from itertools import islice
from typing import TYPE_CHECKING, Any

from arpad.errors import EngineError, UsageError
from arpad.moves.engine import PATIENCE
from arpad.moves.worker import Failure, Worker

if TYPE_CHECKING:
    from collections.abc import Iterator

    from arpad.evaluation import Evaluation
    from arpad.moves.settings import EngineIdentity, EngineSettings
    from arpad.moves.worker import Ask

__all__ = ["RayWorkers"]

LEASE = 50
"""Positions that a worker takes at a time, at most."""

FIRST_LEASE = 10
"""Positions of a worker's first lease: how fast it is is not known yet."""

LEASE_SECONDS = 30.0
"""A lease is to last no longer than this: what a killed driver loses."""

TRIES = 3
"""How often a lease is given out before its positions are reported."""

RESTARTS = 10
"""How often Ray starts a worker again that died, before we take another."""

GATHER = 120.0
"""Seconds a cluster has to give us the first worker."""

LOOK = 1.0
"""Seconds between two looks at what is there, so that Ctrl-C is heard."""


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
            first = self._actor()
            try:
                said = ray.get(first.identity.remote(), timeout=GATHER)
            except ray.exceptions.GetTimeoutError:
                said = f"the Ray cluster gave no worker in {GATHER:g} seconds: are its CPUs taken?"
            except ray.exceptions.RayActorError as error:
                said = f"the Ray cluster cannot run arpad: {_first(error)}"
            if isinstance(said, str):
                self.close()
                raise EngineError(said)
            self._identity = said
        assert self._identity is not None
        return self._identity

    def run(self, asks: Iterator[Ask]) -> Iterator[list[Evaluation | Failure]]:
        """Give answers lease by lease, as they come."""
        try:
            self.identity()
            while len(self.actors) < self._count():
                self._actor()
            yield from _Leases(self, asks).run()
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
        self.actors.remove(actor)
        self.restarts += 1
        return self._actor()

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
                    f"the Ray cluster {self.address or 'of this machine'} cannot be joined: {_first(error)}. "
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


class _Leases:
    """Who has which positions, and how fast each is."""

    def __init__(self, team: RayWorkers, asks: Iterator[Ask]) -> None:
        self.team, self.asks = team, asks
        self.ray = team._ray
        self.back: list[tuple[list[Ask], int]] = []  # leases of the dead, and how often given out
        self.out: dict[Any, tuple[Any, list[Ask], int]] = {}
        self.size: dict[Any, int] = {}

    def run(self) -> Iterator[list[Evaluation | Failure]]:
        """Hand out leases and give what comes back, until nothing is left."""
        for actor in list(self.team.actors):
            self._give(actor)
        while self.out:
            done, _ = self.ray.wait(list(self.out), num_returns=1, timeout=LOOK)
            for future in done:
                actor, asks, tries = self.out.pop(future)
                try:
                    said = self.ray.get(future)
                except self.ray.exceptions.RayActorError as error:
                    said = f"its worker died: {_first(error)}"
                if isinstance(said, str):
                    yield from self._lost(actor, asks, tries, said)
                    continue
                answers, restarts, seconds = said
                self.team.restarts += restarts
                pace = LEASE_SECONDS * len(asks) / max(seconds, 1e-3)
                self.size[actor] = max(1, min(self.team.lease, round(pace)))
                self._give(actor)
                yield answers

    def _give(self, actor: Any) -> None:
        """Give a worker its next lease, if there is one."""
        if self.back:
            asks, tries = self.back.pop()
        else:
            size = self.size.get(actor, min(FIRST_LEASE, self.team.lease))
            asks, tries = list(islice(self.asks, size)), 0
        if asks:
            self.out[actor.answer.remote(asks)] = (actor, asks, tries + 1)

    def _lost(
        self, actor: Any, asks: list[Ask], tries: int, why: str
    ) -> Iterator[list[Evaluation | Failure]]:
        """Put a dead worker's lease back, and take another worker."""
        if tries < TRIES:
            self.back.append((asks, tries))
        else:
            yield [Failure(ask=ask, reason=why) for ask in asks]
        self._give(self.team.replace(actor))


def _first(error: BaseException) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0]
