"""Run a function in a process of its own, and end that process by `kill -9` where it hurts.

A *point* is a moment that matters to a database: before a statement, before each row that SQLite takes,
before each piece that goes to PostgreSQL, before a commit. ::

    n = points(work, place)                   # how many points the work passes, unharmed
    killed_at(k, work, other_place)           # the same work, killed at its k-th point
    killed_after(0.05, work, other_place)     # killed when so many seconds have passed

`work` is a function of a module that can be imported (not a lambda, not inside a test); its arguments
are plain values. Look at the ledger afterwards: all of the work is there, or nothing.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import resource
import signal
import sqlite3
import sys
import time
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

PRELOADED = [
    "__main__",
    "pytest",
    "tests.ledger.db.crash",
    "psycopg",
    "sqlalchemy.dialects.postgresql.psycopg",
    "arpad.ledger.imports.importing",
    "arpad.ledger.list_making",
]
NOBODY = 65_534


class Child:
    """What a child may do, and what became of it."""

    def __init__(self, limits: dict[str, Any], function: Callable[..., Any], arguments: tuple) -> None:
        context = multiprocessing.get_context("forkserver")
        context.set_forkserver_preload(PRELOADED)
        self._ours, theirs = context.Pipe(duplex=False)
        self.process = context.Process(target=_work, args=(theirs, limits, function, arguments), daemon=True)
        self.process.start()
        theirs.close()

    def started(self) -> None:
        """Wait until the child is about to call the function."""
        assert self._ours.recv() == "started"

    def result(self) -> tuple[str, Any]:
        """Return ("done", value), ("error", sentence) or ("killed", None)."""
        try:
            outcome = self._ours.recv()
        except EOFError:
            outcome = ("killed", None)
        self.process.join()
        self._ours.close()
        return outcome


def call(function: Callable[..., Any], *arguments: object, **limits: Any) -> tuple[str, Any]:
    """Run a function in a child.

    Limits: ``nobody=True`` (as a user without rights), ``file_size=N`` (a full disk), ``point=K``.
    """
    child = Child(limits, function, arguments)
    child.started()
    return child.result()


def points(function: Callable[..., Any], *arguments: object) -> int:
    """Return how many points a function passes."""
    outcome, value = call(_counted, function, arguments)
    assert outcome == "done", value
    return int(value)


def killed_at(point: int, function: Callable[..., Any], *arguments: object) -> bool:
    """Run a function and kill it at a point; say whether it was reached."""
    outcome, value = call(function, *arguments, point=point)
    assert outcome != "error", value
    return outcome == "killed"


def killed_after(seconds: float, function: Callable[..., Any], *arguments: object) -> bool:
    """Run a function and kill it after so long; say whether it was still at work."""
    child = Child({}, function, arguments)
    child.started()
    time.sleep(seconds)
    with contextlib.suppress(ProcessLookupError):  # it was quicker
        os.kill(child.process.pid, signal.SIGKILL)
    outcome, value = child.result()
    assert outcome != "error", value
    return outcome == "killed"


def _counted(function: Callable[..., Any], arguments: tuple) -> int:
    counter = _Points(None)
    function(*arguments)
    return counter.passed


def _work(pipe: Any, limits: dict[str, Any], function: Callable[..., Any], arguments: tuple) -> None:
    if "file_size" in limits:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (limits["file_size"],) * 2)
    if limits.get("nobody") and os.getuid() == 0:
        os.setgroups([])
        os.setgid(NOBODY)
        os.setuid(NOBODY)
    if "point" in limits:
        _Points(limits["point"])
    pipe.send("started")
    try:
        outcome = ("done", function(*arguments))
    except Exception as error:
        outcome = ("error", f"{type(error).__name__}: {error}")
    pipe.send(outcome)
    pipe.close()
    sys.stdout.flush()


class _Points:
    """Count points in this process, from now on; at number `last` the process is no more."""

    def __init__(self, last: int | None) -> None:
        import psycopg
        from sqlalchemy import Engine, event

        self.passed, self._last = 0, last

        @event.listens_for(Engine, "connect")
        def _connected(connection: Any, _: object) -> None:
            if isinstance(connection, sqlite3.Connection):
                connection.set_trace_callback(self._reached)

        @event.listens_for(Engine, "before_cursor_execute")
        def _statement(connection: Any, *_: object) -> None:
            if connection.dialect.name != "sqlite":  # whose own trace knows every row
                self._reached()

        @event.listens_for(Engine, "commit")
        def _commit(connection: Any) -> None:
            self._reached()

        plain = psycopg.Copy.write

        def _piece(copy: Any, data: Any) -> None:
            self._reached()
            half = len(data) // 2
            plain(copy, data[:half])
            self._reached()
            plain(copy, data[half:])

        psycopg.Copy.write = _piece

    def _reached(self, _: object = None) -> None:
        self.passed += 1
        if self.passed == self._last:
            os.kill(os.getpid(), signal.SIGKILL)
