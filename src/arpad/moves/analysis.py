"""Many positions, several engines: each position once, what fails reported, the rest done."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from arpad.errors import EngineError
from arpad.evaluation import Evaluation
from arpad.moves.engine import PATIENCE
from arpad.moves.local_workers import LocalWorkers
from arpad.moves.worker import Ask, Failure

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable, Iterator

    from arpad.moves.settings import EngineIdentity, EngineSettings

__all__ = ["Analysis", "Ask", "Failure", "Workers", "analyse"]

HOPELESS = 20
"""Positions that fail one after another, none having been answered, before the analysis gives up."""


class Workers(Protocol):
    """Who does the work: engines here, or on a cluster."""

    @property
    def restarts(self) -> int:
        """How often an engine had to be started again."""

    def identity(self) -> EngineIdentity:
        """Return who the engines say that they are."""

    def run(self, asks: Iterator[Ask]) -> Iterator[list[Evaluation | Failure]]:
        """Give answers in batches, as they come; what is asked is taken when it is needed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Analysis:
    """What an analysis did.

    Parameters
    ----------
    asked
        Positions given, each counted once.
    known
        Of those, how many were known already.
    analysed
        How many the engines evaluated now.
    over
        How many had no legal move: mate or stalemate, nothing to search.
    failures
        Those that no engine would evaluate.
    nodes, seconds
        Positions visited in all searches, and how long it all took.
    restarts
        How often an engine had to be started again.
    parameters
        The engine and how it was asked.
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
        parts = [
            f"{self.asked:,} positions",
            f"{self.known:,} known",
            f"{self.analysed:,} analysed",
        ]
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
    workers: Workers | int | None = None,
    known: Container[Ask] = frozenset(),
    on_results: Callable[[list[Evaluation]], Any] | None = None,
    on_failure: Callable[[Failure], Any] | None = None,
    patience: float = PATIENCE,
) -> Analysis:
    """Evaluate every position once.

    Results come in batches about twice a second, in the thread that calls: what `on_results` has
    written is safe whatever happens then.

    Parameters
    ----------
    positions
        EPDs (`arpad.moves.position.epd_of`), or `Ask` with the only moves to look at.
    workers
        How many engines, or who else does it; None: one for each core.
    known
        What need not be asked.
    on_results, on_failure
        What is to be done with evaluations, and with a position that has none.
    patience
        Seconds of silence after which an engine counts as hanging.

    Examples
    --------
    >>> from arpad.moves.settings import EngineSettings
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
