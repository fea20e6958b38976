"""Positions handed out to the workers of a Ray cluster, some at a time: who has which."""

from __future__ import annotations

import time
from itertools import chain, islice
from typing import TYPE_CHECKING, Any

from arpad.errors import EngineError
from arpad.moves.worker import Failure

if TYPE_CHECKING:
    from collections.abc import Iterator

    from arpad.evaluation import Evaluation
    from arpad.moves.ray_workers import RayWorkers
    from arpad.moves.worker import Ask

__all__ = ["GATHER", "NO_WORKER", "TRIES", "Leases", "first_line"]

FIRST_LEASE = 10
"""Positions of a worker's first lease: how fast it is is not known yet."""

LEASE_SECONDS = 30.0
"""A lease is to last no longer than this: what a killed driver loses."""

TRIES = 3
"""How often a lease is given out before its positions are reported."""

GATHER = 120.0
"""Seconds a cluster has to give us the first worker."""

LOOK = 1.0
"""Seconds between two looks at what is there, so that Ctrl-C is heard."""

NO_WORKER = f"the Ray cluster gave no worker in {GATHER:g} seconds: are its CPUs taken?"


class Leases:
    """Who has which positions, and how fast each is.

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
        """Give a worker its next lease, if there is one."""
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
        """Take the answers of a lease; a dead worker's lease goes to another."""
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
