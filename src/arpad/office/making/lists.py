"""Lists in the ledger: found by name, read with their corrections."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import polars as pl
import sqlalchemy as sa

from arpad.errors import UsageError
from arpad.office.making.listing import ENTRIES, WOMEN, in_order, placed
from arpad.office.rules.policies import policy_numbers
from arpad.store.ledger import tables
from arpad.store.ledger.bulk import frame

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import date, datetime

    from sqlalchemy.engine import Connection

__all__ = [
    "KeptList",
    "corrections_of",
    "entries_as_of",
    "entries_kept",
    "face_of",
    "kept_lists",
    "list_called",
]

ListState = Literal["draft", "published", "correction"]


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptList:
    """One list as the ledger has it: a draft, a published one, or a correction of a published one."""

    id: int
    policy_id: int
    policy: str
    version: int
    name: str
    number: int
    """0: the list itself; 1, 2, …: its corrections."""
    closing: date
    effective: date | None
    state: ListState
    run_id: int | None
    made: datetime
    published: datetime | None
    published_by: str | None
    corrects: int | None
    figures: Mapping[str, Any]

    @property
    def words(self) -> str:
        """Return what it is, for people."""
        if self.number:
            pending = "" if self.published else ", not published"
            return f"correction {self.number} of {self.name} ({self.policy}{pending})"
        return f"{self.name} ({self.policy}, {self.state})"


def kept_lists(connection: Connection, policy: str | None = None) -> list[KeptList]:
    """Return the lists, by policy, closing date, name and number; those of one policy if it is named."""
    t, p = tables.lists, tables.policies
    query = (
        sa.select(t, p.c.name.label("policy"), p.c.version)
        .join(p, p.c.id == t.c.policy_id)
        .order_by(p.c.name, t.c.closing, t.c.name, p.c.version, t.c.number, t.c.id)
    )
    if policy is not None:
        query = query.where(t.c.policy_id.in_(policy_numbers(connection, policy)))
    return [
        KeptList(**{**dict(row._mapping), "figures": row.figures or {}})
        for row in connection.execute(query)
    ]


def list_called(
    connection: Connection, policy: str, name: str | None = None, *, state: ListState | None = None
) -> KeptList:
    """Return a list by its name: a published one rather than a draft, of the newest version that has it.

    Parameters
    ----------
    name
        None: the last one.
    state
        Only a draft, or only a published one.
    """
    found = [each for each in kept_lists(connection, policy) if not each.number]
    fitting = [
        each
        for each in found
        if name in (None, each.name) and (state is None or each.state == state)
    ]
    if fitting:
        return max(fitting, key=lambda e: (e.closing, e.state == "published", e.version, e.id))
    names = ", ".join(dict.fromkeys(each.name for each in found[-5:]))
    there = f"there are {names}" if names else "there is none yet"
    if state == "draft" or not names:
        there += f" (arpad list make {name or ''}".rstrip() + " makes a draft)"
    wanted = "a list" if state is None else f"a {state} list" if state == "published" else "a draft"
    raise UsageError(
        f"expected {wanted} of {policy}{'' if name is None else f', found none called {name!r}'}: {there}"
    )


def corrections_of(connection: Connection, kept: KeptList) -> list[KeptList]:
    """Return the corrections of a list, the first one first."""
    return [each for each in kept_lists(connection, kept.policy) if each.corrects == kept.id]


def face_of(later: Sequence[KeptList], *, corrected: bool) -> str:
    """Say which figures of a list are meant, where it was corrected since; nothing where it was not.

    Parameters
    ----------
    later
        Its corrections; those that are only proposed change nothing.
    """
    numbers = [str(each.number) for each in later if each.published]
    if not numbers:
        return ""
    named = f"correction{'' if len(numbers) == 1 else 's'} {', '.join(numbers)}"
    return f"with {named}" if corrected else f"as first published, without {named}"


def entries_kept(connection: Connection, kept: KeptList) -> pl.DataFrame:
    """Return the entries of one list as they stand there; of a correction only what it changes.

    The columns of `listing.ENTRIES`; of a correction `change` is the difference to the figure that was
    published, and there are also `published`, `cause`, and `since` (change since the closing date before).
    """
    n = tables.entries
    columns = [n.c[name] for name in ENTRIES]
    query = sa.select(*columns, n.c.document).where(n.c.list_id == kept.id).order_by(n.c.player_id)
    rows = frame(connection, query)
    if not kept.number:
        return in_order(rows.drop("document").cast(ENTRIES))
    told = [json.loads(text) if text else {} for text in rows["document"]]
    more = [
        pl.Series("published", [t.get("published") for t in told], dtype=pl.Float64),
        pl.Series("cause", [t.get("cause") for t in told], dtype=pl.String),
        pl.Series("since", [t.get("change") for t in told], dtype=pl.Float64),
    ]
    rows = rows.drop("document").cast(ENTRIES).with_columns(more)
    gap = (pl.col("rating").fill_null(0) - pl.col("published").fill_null(0)).abs()
    return rows.sort(gap, pl.col("name"), pl.col("player_id"), descending=[True, False, False])


def entries_as_of(connection: Connection, kept: KeptList) -> pl.DataFrame:
    """Return the entries of a list with its published corrections put in, ranked anew."""
    rows = entries_kept(connection, kept)
    published = [each for each in corrections_of(connection, kept) if each.published]
    for correction in published:
        new = entries_kept(connection, correction).drop("change").rename({"since": "change"})
        new = new.select(ENTRIES.names())
        rows = pl.concat([rows.join(new, on="player_id", how="anti"), new])
    if not published:
        return rows
    rows = rows.filter(pl.col("rating").is_not_null())
    woman = pl.col("player_id").is_in(_ranked_apart(connection, kept).implode())
    return in_order(rows.with_columns(placed(woman).alias("rank")))


def _ranked_apart(connection: Connection, kept: KeptList) -> pl.Series:
    """Return the women, where the policy ranks them apart; else nobody."""
    p, o = tables.players, tables.policies
    said = connection.execute(sa.select(o.c.document).where(o.c.id == kept.policy_id)).scalar_one()
    if not said.get("listed", {}).get("women_apart"):
        return pl.Series("player_id", [], dtype=pl.Int64)
    query = sa.select(p.c.id).where(sa.func.lower(p.c.sex).in_(WOMEN)).order_by(p.c.id)
    return frame(connection, query)["id"]
