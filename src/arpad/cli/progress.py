"""A progress bar on stderr, at a terminal only."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["progress"]


@contextmanager
def progress(words: str) -> Iterator[Callable[[int, int, str], None]]:
    """Give a function that is told how many of how many are done, and what was last.

    Where stderr is no terminal it does nothing.
    """
    if not sys.stderr.isatty():
        yield lambda _done, _all, _last: None
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

        def tell(done: int, total: int, last: str) -> None:
            bar.update(task, completed=done, total=total, last=last[:40])

        yield tell
