"""The progress bar of `arpad simulate`: on stderr, at a terminal only."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["bar"]


@contextmanager
def bar(words: str) -> Iterator[Callable[[int, int], None]]:
    """Give a function that is told how many of how many are done; without a terminal it does nothing."""
    if not sys.stderr.isatty():
        yield lambda _done, _all: None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as shown:
        task = shown.add_task(words, total=None)
        yield lambda done, total: shown.update(task, completed=done, total=total)
