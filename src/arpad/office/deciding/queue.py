"""The inspection queue: what somebody must look at, with the candidates; `settling` settles it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, get_args

import polars as pl
import sqlalchemy as sa

from arpad.errors import UsageError
from arpad.store.ledger import tables
from arpad.store.ledger.bulk import frame

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sqlalchemy.engine import Connection

__all__ = ["Doubt", "DoubtKind", "Queue", "queue"]

DoubtKind = Literal["player", "event", "fit", "norm"]
"""What may be doubtful.

player   a player of a file who may be one that is here;
event    a changed report of an event that is here;
fit      an event whose results do not fit its ratings;
norm     a norm that fails one requirement.
"""

ANSWERS: Mapping[str, str] = {
    "player": "the number of a player, or new",
    "event": "replace, add or leave",
    "fit": "leave, adjust, correct or exclude",
    "norm": "grant or leave",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Doubt:
    """One thing that waits for a decision."""

    number: int
    kind: str
    about: str
    reason: str
    candidates: tuple[Mapping[str, Any], ...]
    opened: Any
    file: str | None
    player: int | None
    event: int | None
    settled_by: int | None

    def answers(self) -> str:
        """Return what may be chosen."""
        return ANSWERS.get(self.kind, "leave")

    def as_dict(self) -> dict[str, Any]:
        """Return everything as plain values."""
        return {
            "number": self.number,
            "kind": self.kind,
            "about": self.about,
            "reason": self.reason,
            "opened": f"{self.opened:%Y-%m-%dT%H:%M:%SZ}",
            "file": self.file,
            "player": self.player,
            "event": self.event,
            "settled_by": self.settled_by,
            "answers": self.answers(),
            "candidates": [dict(one) for one in self.candidates],
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Queue:
    """What is open, oldest first; `waiting` is how many there are of each kind."""

    doubts: tuple[Doubt, ...]
    waiting: Mapping[str, int]

    def table(self) -> pl.DataFrame:
        """Return a row for each candidate of each doubt."""
        rows = [
            {
                "number": doubt.number,
                "kind": doubt.kind,
                "about": doubt.about,
                "as": doubt.player or doubt.event,
                "candidate": one.get("player") or one.get("event"),
                "name": one.get("name"),
                "score": one.get("score"),
                "reason": one.get("reason") or doubt.reason,
            }
            for doubt in self.doubts
            for one in (doubt.candidates or ({},))
        ]
        return pl.DataFrame(
            rows,
            schema={
                "number": pl.Int64, "kind": pl.String, "about": pl.String, "as": pl.Int64,
                "candidate": pl.Int64, "name": pl.String, "score": pl.Float64, "reason": pl.String,
            },
        )  # fmt: skip

    def summary(self) -> str:
        """Return in a sentence how much is open."""
        total = sum(self.waiting.values())
        if not total:
            return "nothing waits for a decision"
        each = ", ".join(f"{n:,} {kind}" for kind, n in self.waiting.items() if n)
        return f"{total:,} wait{'s' if total == 1 else ''} for a decision: {each}"


def queue(
    connection: Connection,
    *,
    kind: DoubtKind | None = None,
    settled: bool = False,
    limit: int | None = None,
    number: int | None = None,
) -> Queue:
    """Return what waits for a decision.

    Parameters
    ----------
    settled
        Also what was settled.
    limit
        How many are returned at most.
    number
        Only this one.
    """
    if kind is not None and kind not in get_args(DoubtKind):
        raise UsageError(f"expected one of {', '.join(get_args(DoubtKind))}; found {kind!r}")
    d, i = tables.doubts, tables.imports
    query = (
        sa.select(
            d.c.id, d.c.kind, d.c.about, d.c.document, d.c.opened, i.c.file, d.c.player_id,
            d.c.event_id, d.c.settled_by,
        )
        .join(i, i.c.id == d.c.import_id, isouter=True)
        .order_by(d.c.id)
    )  # fmt: skip
    if kind is not None:
        query = query.where(d.c.kind == kind)
    if number is not None:
        query = query.where(d.c.id == number)
    elif not settled:
        query = query.where(d.c.settled_by.is_(None))
    if limit is not None:
        query = query.limit(limit)
    counted = connection.execute(
        sa.select(d.c.kind, sa.func.count())
        .where(d.c.settled_by.is_(None))
        .group_by(d.c.kind)
        .order_by(d.c.kind)
    ).all()
    found = frame(connection, query)
    return Queue(
        doubts=tuple(_doubt(row) for row in found.iter_rows(named=True)),
        waiting={str(name): int(count) for name, count in counted},
    )


def _doubt(row: Mapping[str, Any]) -> Doubt:
    told = json.loads(row["document"] or "{}")
    candidates = told.get("candidates", [])
    return Doubt(
        number=row["id"],
        kind=row["kind"],
        about=row["about"],
        reason=str(told.get("reason") or ""),
        candidates=tuple(one for one in candidates if isinstance(one, dict)),
        opened=row["opened"],
        file=row["file"],
        player=row["player_id"],
        event=row["event_id"],
        settled_by=row["settled_by"],
    )
