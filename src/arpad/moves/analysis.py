"""Many positions, several engines on this machine: each position once, failures reported, engines restarted."""

from __future__ import annotations

import os
import queue
import threading
import time
from dataclasses import dataclass, field
from itertools import chain
from typing import TYPE_CHECKING, Any, Protocol

from arpad.errors import EngineError, InputError, UsageError
from arpad.evaluation import Evaluation
from arpad.moves.engine import PATIENCE, START, Engine, Question, prepare

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable, Iterator

    from arpad.moves.engine import EngineIdentity, EngineSettings


# One engine that answers questions: started again when it fails, so that the rest goes on.

TRIES = 2
"""Number of attempts at a position before it is reported; the second goes to a new engine."""
STARTS = 3
"""Number of attempts to start an engine before the analysis gives up."""
STARTING = 5
"""An engine may take this many times the patience to start: it reads its network first."""
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
    expect
        Who the engine must say that it is: two machines may have two versions.
    """

    def __init__(
        self, settings: EngineSettings, *, patience: float = PATIENCE, expect: EngineIdentity | None = None
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


# Engines on this machine: a thread beside each, which mostly sleeps.

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
    engines
        How many; None: one for each core.
    """

    def __init__(
        self, settings: EngineSettings, *, engines: int | None = None, patience: float = PATIENCE
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
        """Number of engine restarts."""
        return sum(w.restarts for w in self._workers)

    def identity(self) -> EngineIdentity:
        """Return who the engine says that it is, asking one if none was started yet."""
        if self._identity is None:
            start = seconds_to_start(self.patience)
            with Engine(self.settings, patience=self.patience, start=start) as engine:
                self._identity = engine.identity
        return self._identity

    def run(self, asks: Iterator[Ask]) -> Iterator[list[Evaluation | Failure]]:  # noqa: C901
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


# Many positions, several engines: each position once, what fails reported, the rest done.

HOPELESS = 20
"""Positions that fail one after another, none having been answered, before the analysis gives up."""


class EngineWorkers(Protocol):
    """The engines that evaluate positions: here, or on a cluster."""

    @property
    def restarts(self) -> int:
        """Number of engine restarts."""

    def identity(self) -> EngineIdentity:
        """Return who the engines say that they are."""

    def run(self, asks: Iterator[Ask]) -> Iterator[list[Evaluation | Failure]]:
        """Give answers in batches, as they come; what is asked is taken when it is needed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Analysis:
    """Summary of an analysis.

    Parameters
    ----------
    known
        Of those, how many were known already.
    analysed
        How many the engines evaluated now.
    over
        How many had no legal move: mate or stalemate, nothing to search.
    """

    asked: int
    known: int
    analysed: int
    over: int
    failures: tuple[Failure, ...]
    nodes: int
    seconds: float
    restarts: int
    parameters: dict[str, object] = field(default_factory=dict)

    @property
    def nodes_per_second(self) -> float:
        """Positions visited a second, by all engines together."""
        return self.nodes / self.seconds if self.seconds > 0 else 0.0

    @property
    def positions_per_second(self) -> float:
        """Positions evaluated a second, by all engines together."""
        return self.analysed / self.seconds if self.seconds > 0 else 0.0

    def summary(self) -> str:
        """Return one sentence."""
        parts = [f"{self.asked:,} positions", f"{self.known:,} known", f"{self.analysed:,} analysed"]
        if self.over:
            parts.append(f"{self.over:,} over")
        if self.failures:
            parts.append(f"{len(self.failures):,} failed")
        if self.analysed:
            parts.append(
                f"{self.seconds:,.1f} s, {self.positions_per_second:,.1f} positions/s, "
                f"{self.nodes_per_second:,.0f} nodes/s"
            )
        return "; ".join(parts)


def analyse(
    positions: Iterable[str | Ask],
    settings: EngineSettings,
    *,
    workers: EngineWorkers | int | None = None,
    known: Container[Ask] = frozenset(),
    on_results: Callable[[list[Evaluation]], Any] | None = None,
    on_failure: Callable[[Failure], Any] | None = None,
    patience: float = PATIENCE,
) -> Analysis:
    """Evaluate every position once.

    Results come in batches about twice a second, in the calling thread: what `on_results` has
    written is safe whatever happens then.

    Parameters
    ----------
    positions
        EPDs (`arpad.moves.position.epd_of`), or `Ask` with the only moves to look at.
    workers
        Number of engines, or the workers; None: one for each core.

    Examples
    --------
    >>> from arpad.moves.engine import EngineSettings
    >>> kept = []
    >>> start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -"
    >>> done = analyse([start, start], EngineSettings(depth=3), workers=1, on_results=kept.extend)  # doctest: +SKIP
    >>> done.asked, done.analysed, kept[0].lines[0].depth  # doctest: +SKIP
    (1, 1, 3)
    """
    pool = (
        workers
        if workers is not None and not isinstance(workers, int)
        else LocalWorkers(settings, engines=workers, patience=patience)
    )
    started = time.perf_counter()
    queue = _Queue(positions, known)
    nodes = analysed = over = 0
    failures: list[Failure] = []
    for batch in pool.run(iter(queue)):
        done = [x for x in batch if isinstance(x, Evaluation)]
        evaluations = [x for x in done if x.lines]
        analysed += len(evaluations)
        over += len(done) - len(evaluations)
        nodes += sum(x.nodes for x in done)
        if evaluations and on_results is not None:
            on_results(evaluations)
        for failure in (x for x in batch if isinstance(x, Failure)):
            failures.append(failure)
            if on_failure is not None:
                on_failure(failure)
        if not analysed and len(failures) >= HOPELESS:
            raise EngineError(
                f"the first {len(failures)} positions all failed; the last because {failures[-1].reason}"
            )
    return Analysis(
        asked=queue.asked,
        known=queue.known,
        analysed=analysed,
        over=over,
        failures=tuple(failures),
        nodes=nodes,
        seconds=time.perf_counter() - started,
        restarts=pool.restarts,
        parameters=settings.parameters(pool.identity()),
    )


class _Queue:
    """The positions that are left: each once, without those that are known."""

    def __init__(self, positions: Iterable[str | Ask], known: Container[Ask]) -> None:
        self.positions, self.done = positions, known
        self.asked = self.known = 0

    def __iter__(self) -> Iterator[Ask]:
        seen: set[Ask] = set()
        for position in self.positions:
            ask = Ask(position) if isinstance(position, str) else position
            if ask in seen:
                continue
            seen.add(ask)
            self.asked += 1
            if ask in self.done:
                self.known += 1
            else:
                yield ask
