"""Jobs in the ledger: what is to be done, how far it is, what became of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import sqlalchemy as sa

from arpad.ledger.db import tables
from arpad.ledger.db.bulk import insert
from arpad.ledger.db.tables import now

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from sqlalchemy.engine import Connection


JobKind = Literal["import", "list", "analyse", "inspect", "compare"]
JobState = Literal["waiting", "running", "done", "failed", "stopped"]
OPEN = ("waiting", "running")  # states of jobs that are not over
PREVIEW, ROUNDS = "preview", "rounds"
"""An uploaded file that waits for somebody to confirm, and an event that is run here."""
KEPT = (PREVIEW, ROUNDS)
"""Kinds that are no work, but are kept beside it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class QueuedJob:
    """A row of the table; `result` of a running job names its worker."""

    id: int
    kind: str
    arguments: Mapping[str, Any]
    state: JobState
    who: str
    created: datetime
    started: datetime | None
    finished: datetime | None
    seen: datetime | None
    done: int
    total: int | None
    says: str | None
    result: Mapping[str, Any] | None
    stop: bool

    @property
    def is_open(self) -> bool:
        """Whether the job waits or runs."""
        return self.state in OPEN

    @property
    def attempts(self) -> int:
        """Number of workers that died while doing it."""
        return int((self.result or {}).get("attempts", 0)) if self.is_open else 0


def add_job(
    connection: Connection,
    kind: str,
    arguments: Mapping[str, Any],
    who: str,
    *,
    state: JobState = "waiting",
    says: str | None = None,
    result: Mapping[str, Any] | None = None,
) -> int:
    """Enter a job and return its number."""
    return insert(
        connection,
        tables.jobs,
        kind=kind,
        arguments=dict(arguments),
        state=state,
        who=who,
        created=now(),
        done=0,
        says=says,
        result=None if result is None else dict(result),
        stop=False,
        finished=None if state in OPEN else now(),
    )


def job_numbered(connection: Connection, number: int) -> QueuedJob | None:
    """Return a job by its number."""
    row = connection.execute(_query().where(tables.jobs.c.id == number)).one_or_none()
    return None if row is None else QueuedJob(**row._mapping)


def jobs_in(connection: Connection, states: Sequence[str]) -> list[QueuedJob]:
    """Return the jobs in some states, the oldest first."""
    t = tables.jobs.c
    query = _query().where(t.state.in_(states), t.kind.not_in(KEPT)).order_by(t.id)
    return [QueuedJob(**row._mapping) for row in connection.execute(query)]


def last_jobs(connection: Connection, most: int, kind: str | None = None) -> list[QueuedJob]:
    """Return the last jobs, the newest first; of all kinds of work, if none is named."""
    t = tables.jobs.c
    where = t.kind.not_in(KEPT) if kind is None else t.kind == kind
    query = _query().where(where).order_by(t.id.desc()).limit(most)
    return [QueuedJob(**row._mapping) for row in connection.execute(query)]


def claim(connection: Connection, number: int, worker: Mapping[str, Any]) -> QueuedJob | None:
    """Let a worker have a job that waits; None: it does not wait any more."""
    job = job_numbered(connection, number)
    if job is None or job.state != "waiting" or job.stop:
        return None
    told = {"attempts": job.attempts, "worker": dict(worker)}
    _change(
        connection, number, ("waiting",), state="running", started=now(), seen=now(), result=told, says=None
    )
    return job_numbered(connection, number)


def progress(connection: Connection, number: int, *, done: int, total: int | None, says: str | None) -> bool:
    """Keep how far a running job is; return whether somebody wants it to stop."""
    _change(connection, number, ("running",), done=done, total=total, says=says, seen=now())
    t = tables.jobs.c
    return bool(connection.execute(sa.select(t.stop).where(t.id == number)).scalar())


def finish(
    connection: Connection,
    number: int,
    state: JobState,
    *,
    says: str | None,
    result: Mapping[str, Any] | None = None,
) -> None:
    """Keep what became of a job that is not over yet."""
    kept = None if result is None else dict(result)
    _change(connection, number, OPEN, state=state, says=says, finished=now(), result=kept)


def put_back(connection: Connection, number: int, attempts: int) -> None:
    """Let a job whose worker is gone wait for another one."""
    result = {"attempts": attempts}
    _change(connection, number, OPEN, state="waiting", result=result, done=0, total=None, says=None)


def ask_to_stop(connection: Connection, number: int) -> None:
    """Stop a job; a waiting job is over at once."""
    _change(connection, number, OPEN, stop=True)
    says = "stopped before it began"
    _change(connection, number, ("waiting",), state="stopped", finished=now(), says=says)


def remove_job(connection: Connection, number: int) -> None:
    """Forget a job."""
    connection.execute(sa.delete(tables.jobs).where(tables.jobs.c.id == number))


def _query() -> sa.Select[tuple[Any, ...]]:
    return sa.select(*(tables.jobs.c[name] for name in QueuedJob.__slots__))


def _change(connection: Connection, number: int, states: Sequence[str], **values: object) -> None:
    """Change a job that is in one of some states."""
    t = tables.jobs.c
    here = sa.update(tables.jobs).where(t.id == number, t.state.in_(states))
    connection.execute(here.values(**values))
