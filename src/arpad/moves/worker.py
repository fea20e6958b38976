"""One engine that answers questions: started again when it fails, so that the rest goes on."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from arpad.errors import EngineError, InputError
from arpad.moves.engine import PATIENCE, START, Engine, Question, prepare

if TYPE_CHECKING:
    from collections.abc import Iterator

    from arpad.evaluation import Evaluation
    from arpad.moves.settings import EngineIdentity, EngineSettings

__all__ = ["Ask", "Failure", "Worker", "seconds_to_start"]

TRIES = 2
"""How often a position is given to an engine before it is reported: the second time to a new one."""

STARTS = 3
"""How often starting an engine is tried before the analysis gives up."""

STARTING = 5
"""An engine may take so many times the patience to start: it reads its network first."""

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


def seconds_to_start(patience: float) -> float:
    """Return how long an engine may take until it says who it is.

    Examples
    --------
    >>> seconds_to_start(60.0), seconds_to_start(2.0)
    (30.0, 10.0)
    """
    return min(START, STARTING * patience)


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
        self.patience, self.start = patience, seconds_to_start(patience)
        self.expect = expect
        self.restarts = 0
        self.stopped = False
        self._unsent = ""
        self.engine = self._begin()

    def answers(self, asks: Iterator[Ask]) -> Iterator[Evaluation | Failure]:
        """Give an evaluation of each position, or why there is none.

        The next question is made ready while the engine thinks and sent as soon as it has answered;
        only then is the answer read: an engine that waits is lost time.
        """
        coming = self._next(asks)
        self._ask(coming)
        while coming is not None:
            (ask, question), coming = coming, self._next(asks)
            if isinstance(question, Failure):
                self._ask(coming)
                yield question
                continue
            try:
                said = self._hear()
                self._ask(coming)
                answer: Evaluation | Failure = self.engine.read(question, said)
            except EngineError as error:
                answer = self._again(ask, question, str(error))
                self._ask(coming)
            yield answer

    def _next(self, asks: Iterator[Ask]) -> tuple[Ask, Question | Failure] | None:
        """Make the next question ready."""
        ask = None if self.stopped else next(asks, None)
        if ask is None:
            return None
        try:
            return ask, prepare(ask.epd, ask.searchmoves)
        except InputError as error:  # no engine can help here
            return ask, Failure(ask=ask, reason=error.reason)

    def _ask(self, coming: tuple[Ask, Question | Failure] | None) -> None:
        """Send a question; should the engine be gone, that is noticed when its answer is awaited."""
        self._unsent = ""
        if coming is None or isinstance(coming[1], Failure):
            return
        try:
            self.engine.ask(coming[1])
        except EngineError as error:
            self._unsent = str(error)

    def _hear(self) -> bytes:
        if self._unsent:
            raise EngineError(self._unsent)
        return self.engine.hear()

    def _again(self, ask: Ask, question: Question, reason: str) -> Evaluation | Failure:
        """Ask a new engine once more; report what fails there, too."""
        for _ in range(TRIES - 1):
            if self.stopped:
                break
            self._renew()
            try:
                self.engine.ask(question)
                return self.engine.read(question, self.engine.hear())
            except EngineError as error:
                reason = str(error)
        if not self.stopped:
            self._renew()
        return Failure(ask=ask, reason=reason)

    def _renew(self) -> None:
        self.engine.close()
        self.restarts += 1
        self.engine = self._begin()
        if self.stopped:  # meanwhile
            self.engine.kill()

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
