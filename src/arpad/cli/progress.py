"""A progress bar on stderr, at a terminal only."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["Tell", "progress"]


class Tell(Protocol):
    """What a bar is told: how many of how many are done, and what was last."""

    def __call__(self, done: int, total: int, last: str = "") -> None:
        """Move the bar."""
        ...


@contextmanager
def progress(words: str) -> Iterator[Tell]:
    """Give a function that is told how many of how many are done, and, if it likes, what was last.

    Where stderr is no terminal it does nothing.
    """
    if not sys.stderr.isatty():
        yield _nothing
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    columns = (
        TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn(),
        TextColumn("{task.fields[last]}", style="dim"),
    )  # fmt: skip
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(words, total=None, last="")

        def tell(done: int, total: int, last: str = "") -> None:
            bar.update(task, completed=done, total=total, last=last[:40])

        yield tell


def _nothing(done: int, total: int, last: str = "") -> None:
    """Nobody is looking."""
