"""Norms and titles, kept in the ledger with what they rest on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import polars as pl
import sqlalchemy as sa

from arpad.event.norm_rules import norm_rules
from arpad.event.uscf_verdicts import RULES as USCF
from arpad.office.verdicts.titles import titles_over_time
from arpad.store.ledger import tables
from arpad.store.ledger.bulk import bulk_insert, frame, next_id
from arpad.store.ledger.column_types import document_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy.engine import Connection

    from arpad.office.verdicts.titles import TitleRules, TitleStanding

__all__ = ["RecordedTitles", "record_titles"]

NORM = ("player_id", "event_id", "title", "rules", "verdict")
TITLE = ("player_id", "title", "date", "rules", "because")


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedTitles:
    """What the ledger holds now, and how many rows of it are new."""

    standings: tuple[TitleStanding, ...]
    norms: int
    titles: int
    new_norms: int
    new_titles: int


def record_titles(
    connection: Connection, rules: TitleRules = "fide", *, policy: str | None = None
) -> RecordedTitles:
    """Judge all events anew and keep the norms and titles that follow; what is as it was is not touched."""
    found = titles_over_time(connection, rules, policy=policy)
    name = USCF if rules == "uscf" else norm_rules("today").name
    before = [
        _kept(connection, tables.norms, NORM, name),
        _kept(connection, tables.titles, TITLE, name),
    ]
    norms = _norm_rows(found)
    numbers, new_norms = _replace(connection, tables.norms, NORM, norms, before[0], name)
    titles = _title_rows(found, numbers)
    _, new_titles = _replace(connection, tables.titles, TITLE, titles, before[1], name)
    return RecordedTitles(
        standings=tuple(found),
        norms=len(norms),
        titles=len(titles),
        new_norms=new_norms,
        new_titles=new_titles,
    )


def _norm_rows(found: Sequence[TitleStanding]) -> list[dict[str, Any]]:
    return [
        {
            "player_id": norm.player,
            "event_id": norm.event,
            "title": norm.title,
            "rules": norm.rules,
            "verdict": document_text(
                {
                    **norm.verdict,
                    "counts": norm.games or norm.norms,
                    **({"granted_by": norm.granted_by} if norm.granted_by else {}),
                }
            ),
        }
        for one in found
        for norm in one.norms
    ]


def _title_rows(
    found: Sequence[TitleStanding], numbers: dict[tuple[int, int, str], int]
) -> list[dict[str, Any]]:
    rows = []
    for one in found:
        if not one.complete:
            continue
        because: dict[str, Any] = {
            "norms": [numbers[n.player, n.event, n.title] for n in one.norms],
            "words": one.because(),
        }
        if one.reached is not None:
            because |= {"rating": one.reached.rating, "where": one.reached.where}
        rows.append(
            {
                "player_id": one.player,
                "title": one.title,
                "date": one.awarded,
                "rules": one.rules,
                "because": document_text(because),
            }
        )
    return rows


def _kept(
    connection: Connection, table: sa.Table, columns: tuple[str, ...], rules: str
) -> pl.DataFrame:
    chosen = [table.c.id, *(table.c[name] for name in columns)]
    return frame(connection, sa.select(*chosen).where(table.c.rules == rules).order_by(table.c.id))


def _replace(
    connection: Connection,
    table: sa.Table,
    columns: tuple[str, ...],
    rows: list[dict[str, Any]],
    before: pl.DataFrame,
    rules: str,
) -> tuple[dict[tuple[int, int, str], int], int]:
    """Write the rows of some rules; return their numbers, and how many were not there before."""
    kinds = {name: before.schema[name] for name in columns}
    wanted = pl.DataFrame(rows, schema=kinds)
    old = set(before.select(columns).iter_rows())
    new = sum(row not in old for row in wanted.iter_rows())
    if new or wanted.height != before.height:
        connection.execute(table.delete().where(table.c.rules == rules))
        first = next_id(connection, table)
        numbered = wanted.with_columns(
            pl.int_range(first, first + wanted.height, dtype=pl.Int64).alias("id")
        )
        bulk_insert(connection, table, numbered)
    else:
        numbered = before
    if table is not tables.norms:
        return {}, new
    keys = numbered.select("player_id", "event_id", "title", "id").iter_rows()
    return {(player, event, title): number for player, event, title, number in keys}, new
