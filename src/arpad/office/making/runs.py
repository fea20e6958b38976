"""Runs in the ledger: found by their keys, read back along their chain, written whole."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import polars as pl
import sqlalchemy as sa

from arpad.office.making.state import STATE_SCHEMA, empty_state
from arpad.office.making.steps import steps_by_number
from arpad.store.ledger import tables
from arpad.store.ledger.bulk import bulk_insert, frame, next_id
from arpad.store.ledger.column_types import now

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import date

    from sqlalchemy.engine import Connection

    from arpad.office.making.period import PeriodRun

__all__ = [
    "KeptRun",
    "ancestry",
    "chain_states",
    "runs_by_key",
    "runs_numbered",
    "state_at",
    "states_of",
    "write_run",
]

CHUNK = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptRun:
    """One run as the ledger has it."""

    id: int
    key: str
    closing: date
    previous_id: int | None
    figures: Mapping[str, Any]

    @property
    def columns(self) -> dict[str, str]:
        """What travels in the states, and of which kind."""
        return dict(self.figures.get("columns", {}))

    @property
    def events(self) -> dict[int, str]:
        """The events of its period, and what each held."""
        return {int(event): content for event, content in self.figures.get("events", ())}

    @property
    def by_hand(self) -> dict[int, str]:
        """Whose ratings were set by hand in its period, and why."""
        return {int(player): rule for player, rule in self.figures.get("by_hand", ())}


def runs_by_key(connection: Connection, keys: Sequence[str]) -> dict[str, KeptRun]:
    """Return the runs that have one of these keys."""
    r = tables.runs
    found: dict[str, KeptRun] = {}
    for at in range(0, len(keys), CHUNK):
        query = sa.select(r).where(r.c.key.in_(keys[at : at + CHUNK])).order_by(r.c.id)
        for row in connection.execute(query):
            found.setdefault(row.key, _kept(row))
    return found


def runs_numbered(connection: Connection, numbers: Sequence[int]) -> list[KeptRun]:
    """Return runs by their numbers, in the order of these."""
    r = tables.runs
    found: list[KeptRun] = []
    for at in range(0, len(numbers), CHUNK):
        query = sa.select(r).where(r.c.id.in_(numbers[at : at + CHUNK])).order_by(r.c.id)
        found += [_kept(row) for row in connection.execute(query)]
    return found


def _kept(row: Any) -> KeptRun:
    return KeptRun(
        id=row.id,
        key=row.key,
        closing=row.closing,
        previous_id=row.previous_id,
        figures=row.figures or {},
    )


def ancestry(connection: Connection, number: int | None) -> list[int]:
    """Return a run and all before it, the first one first."""
    r = tables.runs
    before = dict(connection.execute(sa.select(r.c.id, r.c.previous_id).order_by(r.c.id)).all())
    found = []
    while number is not None:
        found.append(number)
        number = before[number]
    return found[::-1]


def state_at(connection: Connection, number: int | None) -> pl.DataFrame:
    """Return where everybody stands after a run: the last row of each player along its chain."""
    if number is None:
        return empty_state()
    return chain_states(connection, ancestry(connection, number)).drop("run_id")


def states_of(connection: Connection, runs: Sequence[int]) -> pl.DataFrame:
    """Return every row of these runs, run by run."""
    s = tables.states
    columns = [s.c[name] for name in STATE_SCHEMA]
    query = (
        sa.select(s.c.run_id, *columns)
        .where(s.c.run_id.in_(runs))
        .order_by(s.c.run_id, s.c.player_id)
    )
    return frame(connection, query)


def chain_states(
    connection: Connection, runs: Sequence[int], *, of_run: int | None = None
) -> pl.DataFrame:
    """Return the last row of each player among these runs, and which run that is.

    A run is always written after the one before it, so that the last along a chain is the one with
    the greatest number.

    Parameters
    ----------
    of_run
        Only of those players who have a row in this run.
    """
    s = tables.states
    if not runs:
        return empty_state().with_columns(pl.lit(None, dtype=pl.Int64).alias("run_id"))
    those = sa.select(s.c.player_id, sa.func.max(s.c.run_id).label("run_id")).where(
        s.c.run_id.in_(runs)
    )
    if of_run is not None:
        o = s.alias("o")
        those = those.where(s.c.player_id.in_(sa.select(o.c.player_id).where(o.c.run_id == of_run)))
    last = those.group_by(s.c.player_id).subquery()
    columns = [s.c[name] for name in STATE_SCHEMA]
    query = (
        sa.select(*columns, s.c.run_id)
        .join(last, sa.and_(s.c.player_id == last.c.player_id, s.c.run_id == last.c.run_id))
        .order_by(s.c.run_id, s.c.player_id)
    )
    return frame(connection, query).sort("player_id")


def write_run(
    connection: Connection,
    *,
    policy_id: int,
    key: str,
    closing: date,
    previous_id: int | None,
    run: PeriodRun,
    events: pl.DataFrame,
    by_hand: pl.DataFrame,
    rules: Mapping[str, Any],
) -> KeptRun:
    """Write a run with its states and steps."""
    number = next_id(connection, tables.runs)
    figures = {
        "columns": dict(run.columns),
        "events": events.select("event_id", "content").rows(),
        "by_hand": by_hand.select("player_id", "rule").rows(),
        "rules": rules,
        "players": run.states.height,
        "games": run.steps["game_id"].n_unique() - int(run.steps["game_id"].has_nulls()),
        "notes": list(run.notes),
    }
    connection.execute(
        tables.runs.insert().values(
            id=number, policy_id=policy_id, closing=closing, previous_id=previous_id,
            key=key, made=now(), figures=figures,
        )
    )  # fmt: skip
    of_run = pl.lit(number, dtype=pl.Int64).alias("run_id")
    steps, ruled = steps_by_number(run.steps)
    bulk_insert(connection, tables.states, run.states.select(of_run, pl.all()))
    bulk_insert(connection, tables.rules, ruled.select(of_run, "number", "text"))
    bulk_insert(connection, tables.steps, steps.select(of_run, pl.all()))
    return KeptRun(
        id=number, key=key, closing=closing, previous_id=previous_id,
        figures=json.loads(json.dumps(figures)),
    )  # fmt: skip
