"""Notes, progress and exports of the verbs that evaluate games."""

from __future__ import annotations

import sys
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from arpad.cli.output import explain_report, say
from arpad.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    import polars as pl

    from arpad.moves.evaluate import EvaluatedPositions, Listener
    from arpad.moves.evaluated_games import EvaluatedGames


def listener() -> Listener:
    """Return what prints notes and reports on stderr and shows a progress bar."""
    from arpad.moves.evaluate import Listener

    return Listener(note=say, report=explain_report, progress=progress)


ANNOUNCED = 20
"""Positions from which something is said before the engine begins."""
SOON, EVERY = 5.0, 30.0
"""Seconds after which the first line of progress is printed into a file, and between two lines."""


class _ProgressLines:
    """Prints progress as lines: the time left after a few seconds, then every half minute."""

    def __init__(self, total: int) -> None:
        self.total, self.done = total, 0
        self.begun = time.monotonic()
        self.next = self.begun + SOON

    def __call__(self, positions: int, _: int) -> None:
        self.done += positions
        now = time.monotonic()
        if now < self.next or self.done >= self.total or not self.done:
            return
        self.next = now + EVERY
        left = (now - self.begun) / self.done * (self.total - self.done)
        share = 100 * self.done // self.total
        say(f"Analysed: {self.done:,} of {self.total:,} positions ({share} %), about {_duration(left)} left.")


def _duration(seconds: float) -> str:
    """Return a time in words.

    Examples
    --------
    >>> _duration(42), _duration(400), _duration(9000)
    ('42 s', '7 min', '2.5 h')
    """
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


@contextmanager
def progress(total: int) -> Iterator[Callable[[int, int], None]]:
    """Say how much there is to do; then show a bar with positions/s, nodes/s and the time left, or print lines into a file."""
    if not total:
        yield lambda *_: None
        return
    if total >= ANNOUNCED:
        say(f"To be analysed now: {total:,} positions.")
    if not sys.stderr.isatty():
        yield _ProgressLines(total)
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

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


def check_export(path: str | None, files: Sequence[str]) -> None:
    """Raise before hours of work if the file could not be written after them."""
    if path is None:
        return
    from arpad.files import check_output, input_file
    from arpad.publish.export.games import evaluations_format

    evaluations_format(path)
    for file in files:
        input_file(file)
    check_output(path)
    folder = Path(path).resolve().parent
    if not folder.is_dir():
        raise UsageError(f"--export {path}: the folder {folder} is not there: make it first")


def export(
    path: str, games: EvaluatedGames, places: pl.DataFrame, done: EvaluatedPositions, *, own: bool
) -> None:
    """Write the games with what the engine, or on request the file itself, says of every position."""
    from arpad.moves.evaluate import engine_in_words
    from arpad.moves.evaluated_games import from_positions
    from arpad.publish.export.games import write_evaluations

    said = done.lookup(places["epd"].unique())
    source = engine_in_words(done.analysis.parameters) + ("; evaluations of the file first" if own else "")
    evaluated = from_positions(places, said, games, source=source, own=own)
    lost = write_evaluations(evaluated, path)
    known, positions = evaluated.coverage()
    say(f"{path}: {len(evaluated.games):,} games, {known:,} of {positions:,} positions evaluated.")
    for words in lost:
        say(f"  not in {path}: {words}")
