"""One engine that answers questions: started again when it fails, so that the rest goes on."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from arpad.errors import EngineError, InputError
from arpad.moves.engine import PATIENCE, START, Engine

if TYPE_CHECKING:
    from arpad.evaluation import Evaluation
    from arpad.moves.settings import EngineIdentity, EngineSettings

__all__ = ["Ask", "Failure", "Worker"]

TRIES = 2
"""How often a position is given to an engine before it is reported: the second time to a new one."""

STARTS = 3
"""How often starting an engine is tried before the analysis gives up."""

BREATH = 0.2
"""Seconds between two attempts to start an engine."""


@dataclass(frozen=True, slots=True)
class Ask:
    """A position to be evaluated, and perhaps the only moves to look at.

    Examples
    --------
    >>> Ask("8/8/8/8/8/8/8/K1k5 w - -", ("a1a2",)).searchmoves
    ('a1a2',)
    """

    epd: str
    searchmoves: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """A position that no engine would evaluate, and why."""

    ask: Ask
    reason: str


class Worker:
    """An engine with a spare: it crashes, hangs or talks nonsense, and another takes its place.

    Parameters
    ----------
    settings
        Which engine, and how it is asked.
    patience
        Seconds of silence after which the engine counts as hanging.
    expect
        Who the engine must say that it is: two machines may have two versions.
    """

    def __init__(
        self,
        settings: EngineSettings,
        *,
        patience: float = PATIENCE,
        expect: EngineIdentity | None = None,
    ) -> None:
        self.settings = settings
        self.patience, self.start = patience, min(START, patience)
        self.expect = expect
        self.restarts = 0
        self.stopped = False
        self.engine = self._begin()

    def answer(self, ask: Ask) -> Evaluation | Failure:
        """Return an evaluation, or why there is none."""
        reason = ""
        for _ in range(TRIES):
            try:
                return self.engine.search(ask.epd, searchmoves=ask.searchmoves)
            except InputError as error:  # no engine can help here
                return Failure(ask=ask, reason=error.reason)
            except EngineError as error:
                reason = str(error)
            if self.stopped:
                break
            self.engine.close()
            self.restarts += 1
            self.engine = self._begin()
        return Failure(ask=ask, reason=reason)

    def stop(self) -> None:
        """Break off what the engine is doing; from any thread."""
        self.stopped = True
        self.engine.kill()

    def close(self) -> None:
        """End the engine."""
        self.engine.close()

    def _begin(self) -> Engine:
        for attempt in range(1, STARTS + 1):
            try:
                engine = Engine(self.settings, patience=self.patience, start=self.start)
            except EngineError:
                if attempt == STARTS or self.restarts == 0:  # it never ran: nothing to wait for
                    raise
                time.sleep(BREATH)
                continue
            if self.expect is not None and engine.identity != self.expect:
                engine.close()
                raise EngineError(
                    f"expected {self.expect} on every machine, found {engine.identity} ({engine.command[-1]})"
                )
            return engine
        raise AssertionError  # the loop returns or raises
