"""Games to evaluations: the engines, the store and the progress bar brought together."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from arpad.cli.output import say
from arpad.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    import polars as pl

    from arpad.evaluation import Evaluation
    from arpad.moves.analysis import Analysis, Ask, Workers
    from arpad.moves.settings import EngineSettings

__all__ = ["Analysed", "analysed_positions"]

SHOWN = 5
"""Failed positions that are named."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Analysed:
    """What an analysis did, and where its evaluations are."""

    analysis: Analysis
    key: str
    root: Path
    folder: Path
    settled: bool
    """Whether all went into segments; False: the disk is full, the journal has it."""

    def warn(self, where: str = "") -> None:
        """Say which positions failed (and `where` all of them stand), and whether the disk is full."""
        failures = self.analysis.failures
        for failure in failures[:SHOWN]:
            say(f"{failure.ask.epd}: {failure.reason}")
        if len(failures) > SHOWN:
            say(f"… and {len(failures) - SHOWN:,} more positions failed{where}")
        if not self.settled:
            kept = f"everything is kept in the journal in {self.folder}, but not packed"
            say(f"The disk is full: {kept}.")

    def lookup(
        self, epds: Sequence[str] | pl.Series, searchmoves: str | Sequence[str] = ""
    ) -> pl.DataFrame:
        """Return what is known of positions, one row a line; with `searchmoves`, of those moves alone."""
        from arpad.store.evaluations import lookup

        return lookup(epds, self.key, root=self.root, searchmoves=searchmoves)


def analysed_positions(
    positions: Sequence[str | Ask],
    settings: EngineSettings,
    *,
    workers: Workers,
    root: str | None = None,
    wait: bool = True,
) -> Analysed:
    """Evaluate those of the positions that are not known yet, and keep what comes.

    Parameters
    ----------
    positions
        EPDs, each once, or `Ask` with the only moves to look at.
    root
        The folder of evaluations; None: the usual one.
    wait
        Wait for another analysis with the same settings; False: raise.
    """
    from dataclasses import replace

    from arpad.moves.analysis import Ask, analyse
    from arpad.store.evaluations import EvaluationStore
    from arpad.store.shelf import default_root, folder_of

    place = folder_of(root) if root else default_root()
    if place.exists() and not place.is_dir():
        raise UsageError(f"--store {place}: expected a folder, found a file")
    identity = workers.identity()
    key = settings.key(identity)
    store = EvaluationStore(
        place,
        key,
        parameters=settings.parameters(identity),
        on_wait=_waiting if wait else None,
    )
    with store:
        asks = [Ask(p) if isinstance(p, str) else p for p in positions]
        known = store.known([a.epd for a in asks], [" ".join(a.searchmoves) for a in asks])
        left = [ask for ask, done in zip(asks, known, strict=True) if not done]
        with progress(len(left)) as advance:

            def keep(evaluations: list[Evaluation]) -> None:
                store.append(evaluations)
                advance(len(evaluations), sum(e.nodes for e in evaluations))

            try:
                done = analyse(
                    left,
                    settings,
                    workers=workers,
                    on_results=keep,
                    on_failure=lambda _: advance(1, 0),
                )
            except KeyboardInterrupt:
                say("\nWhat was analysed is kept: the same command goes on from there.")
                raise
        settled = store.compact()
        folder = store.folder
    whole = replace(done, asked=len(asks), known=int(known.sum()))
    return Analysed(analysis=whole, key=key, root=place, folder=folder, settled=settled)


def _waiting(process: str) -> None:
    say(
        f"Another analysis (process {process}) is at work with the same settings: waiting for it. "
        "What it finds need not be done again."
    )


@contextmanager
def progress(total: int) -> Iterator[Callable[[int, int], None]]:
    """Show a bar with positions/s, nodes/s and the time left, if a person is looking."""
    if not sys.stderr.isatty() or not total:
        yield lambda *_: None
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    bar = Progress(
        TextColumn("positions"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[pace]}"),
        TimeRemainingColumn(),
        TextColumn("left"),
        console=Console(stderr=True),
        refresh_per_second=2,  # drawing it takes time from the engines
    )
    with bar:
        task = bar.add_task("", total=total, pace="")
        visited = 0

        def advance(positions: int, nodes: int) -> None:
            nonlocal visited
            visited += nodes
            bar.advance(task, positions)
            now = bar.tasks[0]
            passed = max(now.elapsed or 0.0, 1e-9)
            pace = f"{now.completed / passed:,.1f}/s · {visited / passed:,.0f} nodes/s ·"
            bar.update(task, pace=pace)

        yield advance
