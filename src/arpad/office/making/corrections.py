"""What was published, and what it would be now: every figure that differs, and why.

A published list never changes. A correction stands beside it: the figures that are other ones now, each with
its cause; it is proposed by every making of a list, and frozen when it is published.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import polars as pl
import sqlalchemy as sa

from arpad.office.making.chain import standing_at
from arpad.office.making.changed_play import ChangedPlay, changed_play
from arpad.office.making.entering import list_entries, write_entries
from arpad.office.making.listing import ENTRIES
from arpad.office.making.lists import KeptList, corrections_of, entries_as_of, kept_lists
from arpad.office.making.runs import ancestry, runs_numbered
from arpad.office.records.merges import merged_ends
from arpad.store.ledger import tables
from arpad.store.ledger.bulk import insert
from arpad.store.ledger.column_types import document_text, now

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy.engine import Connection

    from arpad.office.making.chain import Chain
    from arpad.office.making.runs import KeptRun

__all__ = ["Correction", "corrections", "drop_proposals", "write_corrections"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Correction:
    """The figures of a published list that would be other ones now.

    Parameters
    ----------
    published
        The list.
    run
        What its figures would follow from now; None: from nothing.
    rows
        `ENTRIES` as they would be, `published` (the figure before), `difference`, `cause`; the largest
        differences first. No rating: the player would not be rated.
    changed
        What came, went or changed.
    """

    published: KeptList
    run: KeptRun | None
    rows: pl.DataFrame
    changed: ChangedPlay

    def summary(self) -> str:
        """Return one sentence."""
        n = self.rows.height
        largest = self.rows["difference"].abs().max()
        told = f", by up to {largest:g} points" if isinstance(largest, float) and largest else ""
        return (
            f"list {self.published.name}, published: {n:,} figure{'' if n == 1 else 's'} would differ now"
            f"{told} ({self.changed.summary()})"
        )


def corrections(connection: Connection, chain: Chain, runs: dict[str, KeptRun]) -> list[Correction]:
    """Compare every published list of the policy with what it would be now.

    Parameters
    ----------
    chain
        Up to the last closing date that is looked at: later lists are left alone.
    runs
        Its runs, by key.
    """
    found = []
    lists = [each for each in kept_lists(connection, chain.policy.name) if not each.number]
    merged = merged_ends(connection)
    for each in lists:
        if each.published is None or each.closing > chain.closing:
            continue
        key = chain.key_at(each.closing)
        run = runs[key] if key is not None else None
        before = _rests_on(connection, each)
        if before == (run.id if run else None):
            continue
        found.append(_compared(connection, chain, each, before, run, merged))
    return [each for each in found if each.rows.height]


def _rests_on(connection: Connection, kept: KeptList) -> int | None:
    """Return the run that a list follows from, with its published corrections."""
    later = [each for each in corrections_of(connection, kept) if each.published]
    return (later[-1] if later else kept).run_id


def _compared(
    connection: Connection,
    chain: Chain,
    kept: KeptList,
    before: int | None,
    run: KeptRun | None,
    merged: dict[int, int],
) -> Correction:
    old = runs_numbered(connection, ancestry(connection, before))
    new = runs_numbered(connection, ancestry(connection, run.id if run else None))
    changed = changed_play(connection, old, new, merged)
    standing = standing_at(connection, run, kept.closing)
    would_be = list_entries(connection, chain.policy, kept.closing, standing)
    rows = _differing(entries_as_of(connection, kept), would_be)
    causes = [changed.cause(player) for player in rows["player_id"]]
    rows = rows.with_columns(pl.Series("cause", causes, dtype=pl.String))
    return Correction(published=kept, run=run, rows=rows, changed=changed)


def _differing(published: pl.DataFrame, would_be: pl.DataFrame) -> pl.DataFrame:
    """Return the entries whose rating, or number of games, is another one."""
    was = published.select(
        "player_id",
        pl.col("rating").alias("published"),
        pl.col("total_games").alias("_games"),
        pl.col("name").alias("_name"),
        pl.lit(True).alias("_was"),
    )
    rows = would_be.with_columns(pl.lit(True).alias("_is")).join(
        was, on="player_id", how="full", coalesce=True
    )
    same = pl.col("rating").eq_missing(pl.col("published")) & pl.col("total_games").eq_missing(
        pl.col("_games")
    )
    gap = pl.col("rating") - pl.col("published")
    return (
        rows.filter(~(same & pl.col("_was") & pl.col("_is")).fill_null(False))
        .with_columns(pl.coalesce("name", "_name").alias("name"), gap.alias("difference"))
        .sort(gap.abs(), pl.col("name"), pl.col("player_id"), descending=[True, False, False], nulls_last=False)
        .select(*ENTRIES.names(), "published", "difference")
    )  # fmt: skip


def write_corrections(connection: Connection, found: Sequence[Correction]) -> None:
    """Write corrections as proposals."""
    t = tables.lists
    for each in found:
        kept = each.published
        number = 1 + max(
            [c.number for c in corrections_of(connection, kept) if c.published], default=0
        )
        row = insert(
            connection, t,
            policy_id=kept.policy_id, name=kept.name, number=number, closing=kept.closing,
            effective=kept.effective, state="correction", run_id=each.run.id if each.run else None,
            made=now(), corrects=kept.id,
            figures={"players": each.rows.height, "changed": each.changed.summary()},
        )  # fmt: skip
        told = [
            document_text({"published": published, "cause": cause, "change": change})
            for published, cause, change in each.rows.select(
                "published", "cause", "change"
            ).iter_rows()
        ]
        entries = each.rows.with_columns(
            pl.col("difference").alias("change"), pl.Series("document", told, dtype=pl.String)
        )
        write_entries(connection, row, entries.select(*ENTRIES.names(), "document"))


def drop_proposals(connection: Connection, policy: str) -> None:
    """Delete the corrections that were proposed and not published."""
    t = tables.lists
    for each in kept_lists(connection, policy):
        if each.number and each.published is None:
            connection.execute(sa.delete(t).where(t.c.id == each.id))
