"""The server's thread that starts a process for each waiting job, and those processes' ends."""

from __future__ import annotations

import contextlib
import json
import logging
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from dataclasses import dataclass, field
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import psutil

from arpad.errors import ArpadError
from arpad.ledger.db.ledger import Ledger
from arpad.ledger.db.tables import now
from arpad.web.jobs import records
from arpad.web.jobs.uploads import sweep

if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import TracebackType

    from arpad.web.auth import WebSettings


# The identity of a worker process, and whether it still runs.


CLOCK = 1.0  # seconds by which two readings of the start of one process may differ


def myself() -> dict[str, Any]:
    """Return the identity of this process: machine, process id and moment of its start."""
    process = psutil.Process()
    return {"host": socket.gethostname(), "pid": process.pid, "born": process.create_time()}


def is_alive(worker: Mapping[str, Any]) -> bool | None:
    """Say whether a worker runs; None: it is on another machine."""
    if worker.get("host") != socket.gethostname():
        return None
    try:
        process = psutil.Process(int(worker["pid"]))
        same = abs(process.create_time() - float(worker["born"])) < CLOCK
        return same and process.status() != psutil.STATUS_ZOMBIE
    except psutil.Error:
        return False


# Exit codes of a worker; the state of its job says the rest.

SERVER_GONE = 3  # the server has ended
NOT_MINE = 4  # another worker has the job, or it was stopped
STOPPED = 5  # somebody has stopped the job


# Progress of a job: every report goes to the server, one a second into the ledger.

EVERY = 1.0  # seconds between two writes of the progress into the ledger
BEAT = 5.0  # seconds between two heartbeats
PROCESS_PATIENCE = 0.1
"""Seconds that a report waits for another writer, which may be this very job: the server has it anyway."""


class ProgressReporter:
    """Reports the progress of a job; ends the process if somebody has stopped the job."""

    def __init__(self, place: str, number: int) -> None:
        self._number = number
        self._ledger = Ledger.open(place, wait=PROCESS_PATIENCE)
        self._lock = threading.Lock()
        self._now: tuple[int, int | None, str | None] = (0, None, None)
        self._kept = 0.0
        self._over = threading.Event()
        self._beat = threading.Thread(target=self._beats, daemon=True)

    def __enter__(self) -> ProgressReporter:
        self._beat.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._over.set()
        self._beat.join()
        self._ledger.close()

    def __call__(self, says: str | None, done: int = 0, total: int | None = None) -> None:
        """Report the present step of the job, and how much of it is done."""
        self._now = (done, total, says)
        print(json.dumps({"done": done, "total": total, "says": says}), flush=True)
        if time.monotonic() - self._kept >= EVERY:
            self._keep()

    def _keep(self) -> None:
        done, total, says = self._now
        with self._lock:
            self._kept = time.monotonic()
            try:
                with self._ledger.writing("worker", "progress") as connection:
                    stop = records.progress(connection, self._number, done=done, total=total, says=says)
            except ArpadError:  # somebody writes, most likely this job itself
                return
        if stop:
            sys.stdout.flush()
            os._exit(STOPPED)  # the ledger drops what was not finished

    def _beats(self) -> None:
        while not self._over.wait(BEAT):
            self._keep()


log = logging.getLogger("arpad.web")
AT_ONCE = 2  # jobs that run side by side; writers take turns anyway
LOOK = 0.5  # seconds between two looks at what waits
STALE = timedelta(minutes=5)  # a worker on another machine that was not heard of for so long is gone
ATTEMPTS = 3  # workers that may die over a job before it has failed
GRACE = 5.0  # seconds that a worker has to end when it is told to
PATIENCE = 5.0  # seconds that the supervisor waits for other writers before it looks again
HOUR = 7200  # seconds between two removals of earlier uploads


@dataclass(slots=True)
class _Child:
    process: subprocess.Popen[str]
    stopping: bool = False
    heard: dict[str, Any] = field(default_factory=dict)


class Supervisor:
    """Starts, watches and stops workers; `start` it with the server, `close` it at the end."""

    def __init__(self, settings: WebSettings) -> None:
        self._settings = settings
        self._ledger = Ledger.open(settings.place, wait=PATIENCE)
        self._children: dict[int, _Child] = {}
        self._lock = threading.RLock()
        self._closing = threading.Event()
        self._wake = threading.Event()
        self._thread = threading.Thread(target=self._run, name="jobs", daemon=True)

    def start(self) -> None:
        """Begin to do what waits."""
        self._thread.start()

    def wake(self) -> None:
        """Look at once: a job was added."""
        self._wake.set()

    def close(self) -> None:
        """End all workers; their jobs wait for the next server."""
        self._closing.set()
        self._wake.set()
        if self._thread.is_alive():
            self._thread.join()
        with self._lock:
            for number, child in list(self._children.items()):
                self._end(child)
                try:
                    self._settle(number, child)
                except (
                    ArpadError
                ) as error:  # the database is gone: another server sees that the job has no worker
                    log.warning("jobs: %s", error)
        self._ledger.close()

    def heard(self, number: int) -> dict[str, Any]:
        """Return the last word of a worker of this server: the ledger may have an older one."""
        with self._lock:
            child = self._children.get(number)
            return dict(child.heard) if child else {}

    def stop(self, number: int) -> None:
        """End the worker of a job, if it is one of this server's."""
        with self._lock:
            child = self._children.get(number)
            if child is not None:
                child.stopping = True
                self._end(child)

    def _run(self) -> None:
        looks = 0
        while not self._closing.is_set():
            try:
                self._look()
                if looks % HOUR == 0:
                    sweep(self._ledger)
            except ArpadError as error:  # another writer, a server that restarts: look again
                log.warning("jobs: %s", error)
            except Exception:
                log.exception("jobs")
            looks += 1
            self._wake.wait(LOOK)
            self._wake.clear()

    def _look(self) -> None:
        with self._lock:
            for number, child in list(self._children.items()):
                if child.process.poll() is not None:
                    self._settle(number, child)
            with self._ledger.reading() as connection:
                jobs = records.jobs_in(connection, records.OPEN)
            for job in jobs:
                if job.state == "running" and job.id not in self._children and _is_gone(job):
                    self._again(job, "the server ended")
            free = AT_ONCE - len(self._children)
            waiting = [j for j in jobs if j.state == "waiting" and j.id not in self._children]
            for job in waiting[: max(0, free)]:
                self._begin(job.id)

    def _begin(self, number: int) -> None:
        process = subprocess.Popen(
            [sys.executable, "-m", "arpad.web.jobs.worker", str(number)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,  # so that engines end with their worker
            env={**os.environ, "PYTHONUNBUFFERED": "1"},
        )
        child = _Child(process)
        self._children[number] = child
        store = self._settings.store
        told = {"place": str(self._settings.place), "store": None if store is None else str(store)}
        threading.Thread(target=_listen, args=(child,), daemon=True).start()
        try:
            assert process.stdin is not None
            process.stdin.write(json.dumps(told) + "\n")
            process.stdin.flush()
        except OSError:  # dead already: the next look sees it
            pass

    def _settle(self, number: int, child: _Child) -> None:
        """See what a worker that has ended has left."""
        code = child.process.wait()
        with self._ledger.reading() as connection:
            job = records.job_numbered(connection, number)
        if job is not None and job.is_open and _is_mine(job, child, code):
            if child.stopping or job.stop:
                with self._ledger.writing(job.who, "stop") as connection:
                    records.finish(connection, number, "stopped", says="stopped: nothing was left half done")
            elif self._closing.is_set():
                with self._ledger.writing(job.who, "put back") as connection:
                    records.put_back(connection, number, job.attempts)
            else:
                self._again(job, f"signal {-code}" if code < 0 else f"exit code {code}")
        for pipe in (child.process.stdin, child.process.stdout):
            if pipe is not None:
                pipe.close()
        del self._children[number]

    def _again(self, job: records.QueuedJob, why: str) -> None:
        """Let a job whose worker has died wait again, unless that has happened too often."""
        attempts = job.attempts + 1
        with self._ledger.writing(job.who, "put back") as connection:
            if job.stop:
                records.finish(connection, job.id, "stopped", says="stopped: nothing was left half done")
            elif attempts < ATTEMPTS:
                records.put_back(connection, job.id, attempts)
            else:
                says = (
                    f"its worker has died {attempts} times (the last time: {why}): look at the server's log"
                )
                records.finish(connection, job.id, "failed", says=says)

    def _end(self, child: _Child) -> None:
        for sign in (signal.SIGTERM, signal.SIGKILL):
            with contextlib.suppress(ProcessLookupError):
                os.killpg(child.process.pid, sign)
            try:
                child.process.wait(GRACE)
                return
            except subprocess.TimeoutExpired:
                continue


def _is_mine(job: records.QueuedJob, child: _Child, code: int) -> bool:
    """Say whether a job was this worker's: another server may have been quicker."""
    worker = (job.result or {}).get("worker")
    if worker is None:  # it had not begun
        return code != NOT_MINE or job.stop
    return bool(worker.get("pid") == child.process.pid)


def _is_gone(job: records.QueuedJob) -> bool:
    """Say whether the worker of a running job is there no more."""
    worker = (job.result or {}).get("worker")
    alive = None if worker is None else is_alive(worker)
    if alive is None:
        return job.seen is None or now() - job.seen > STALE
    return not alive


def _listen(child: _Child) -> None:
    """Keep the last line that a worker says."""
    assert child.process.stdout is not None
    try:
        for line in child.process.stdout:
            said = json.loads(line)
            child.heard = {name: said[name] for name in ("done", "total", "says")}
    except (ValueError, KeyError, TypeError):
        return
