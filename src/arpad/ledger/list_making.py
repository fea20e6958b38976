"""Make a list, publish it, and find what differs from what was published."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

import polars as pl
import sqlalchemy as sa

from arpad.errors import UsageError, counted
from arpad.ledger.db import tables
from arpad.ledger.db.backup import freeze_list
from arpad.ledger.db.bulk import insert, next_id
from arpad.ledger.db.tables import document_text, now
from arpad.ledger.lists import (
    ENTRIES,
    RESTATED,
    KeptList,
    corrections_of,
    entries_as_of,
    entries_kept,
    kept_lists,
    last_published,
    list_called,
    list_entries,
    run_of,
    with_errors,
    write_entries,
)
from arpad.ledger.policy import policy_called
from arpad.ledger.register import merged_ends
from arpad.ledger.runs import (
    ChangedPlay,
    ancestry,
    changed_play,
    events_by_period,
    keep,
    planned,
    runs_numbered,
    standing_at,
    worked_out,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import date

    from sqlalchemy.engine import Connection

    from arpad.ledger.db.ledger import Ledger
    from arpad.ledger.policy import KeptPolicy
    from arpad.ledger.runs import Chain, KeptRun, LeftOut


# What was published, and what it would be now: every figure that differs, and why.
#
# A published list never changes. A correction stands beside it: the figures that are other ones now, each with
# its cause; it is proposed by every making of a list, and frozen when it is published.


@dataclass(frozen=True, slots=True, kw_only=True)
class Correction:
    """The figures of a published list that would be other ones now."""

    published: KeptList  # the list
    run: KeptRun | None  # what its figures would follow from now; None: from nothing
    rows: pl.DataFrame
    """`ENTRIES` as they would be, `published` (the figure before), `difference`, `cause`; the largest
    differences first. No rating: the player would not be rated."""
    restated: pl.DataFrame  # entries with the published figure, whose Change is another one
    changed: ChangedPlay  # what came, went or changed

    def summary(self) -> str:
        """Return one sentence."""
        n = self.rows.height
        largest = self.rows["difference"].abs().max()
        told = f", by up to {largest:g} points" if isinstance(largest, float) and largest else ""
        return (
            f"list {self.published.name}, published: {counted(n, 'figure')} would differ now"
            f"{told} ({self.changed.summary()})"
        )


def propose_corrections(connection: Connection, chain: Chain, runs: dict[str, KeptRun]) -> list[Correction]:
    """Compare every published list of the policy with what it would be now; write what differs as proposals.

    The first list comes first: the changes of each are against the one before, as it is corrected.
    Lists that close after the chain are left alone.
    """
    result = []
    lists = [each for each in kept_lists(connection, chain.policy.name) if not each.number]
    merged = merged_ends(connection)
    for each in lists:
        if each.published is None or each.closing > chain.closing:
            continue
        key = chain.key_at(each.closing)
        run = runs[key] if key is not None else None
        before = run_of(connection, each)
        if before == (run.id if run else None):
            continue
        found = _compared(connection, chain, each, before, run, merged)
        if found.rows.height:
            _propose(connection, found)
            result.append(found)
    return result


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
    if not rows["restated"].all():
        whole = with_errors(connection, chain, kept.closing, would_be).select("player_id", "deviation")
        errors = rows.drop("deviation").join(whole, on="player_id", how="left", maintain_order="left")
        rows = errors.select(rows.columns)
    causes = [changed.cause(player) for player in rows["player_id"]]
    cause = pl.when("restated").then(pl.lit(RESTATED)).otherwise(pl.Series(causes, dtype=pl.String))
    rows = rows.with_columns(cause.alias("cause"))
    other, restated = (rows.filter(pl.col("restated") == each).drop("restated") for each in (False, True))
    return Correction(published=kept, run=run, rows=other, restated=restated, changed=changed)


def _differing(published: pl.DataFrame, would_be: pl.DataFrame) -> pl.DataFrame:
    """Return the entries whose rating or number of games is another one, or only Change (`restated`)."""
    was = published.select(
        "player_id",
        pl.col("rating").alias("published"),
        pl.col("total_games").alias("_games"),
        pl.col("change").alias("_change"),
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
    kept = (same & pl.col("_was") & pl.col("_is")).fill_null(False)
    steady = pl.col("change").round(6).eq_missing(pl.col("_change").round(6))
    return (
        rows.with_columns(restated=kept)
        .filter(~(kept & steady))
        .with_columns(pl.coalesce("name", "_name").alias("name"), gap.alias("difference"))
        .sort(
            gap.abs(), pl.col("name"), pl.col("player_id"), descending=[True, False, False], nulls_last=False
        )
        .select(*ENTRIES.names(), "published", "difference", "restated")
    )


def _propose(connection: Connection, found: Correction) -> None:
    kept = found.published
    number = 1 + max([c.number for c in corrections_of(connection, kept) if c.published], default=0)
    row = insert(
        connection,
        tables.lists,
        policy_id=kept.policy_id,
        name=kept.name,
        number=number,
        closing=kept.closing,
        effective=kept.effective,
        state="correction",
        run_id=found.run.id if found.run else None,
        made=now(),
        corrects=kept.id,
        figures={"players": found.rows.height, "changed": found.changed.summary()},
    )
    rows = pl.concat([found.rows, found.restated])
    documents = [document_text(each) for each in rows.select("published", "cause", "change").to_dicts()]
    entries = rows.with_columns(
        pl.col("difference").alias("change"), pl.Series("document", documents, dtype=pl.String)
    )
    write_entries(connection, row, entries.select(*ENTRIES.names(), "document"))


def drop_proposals(connection: Connection, policy: str) -> None:
    """Delete the corrections that were proposed and not published."""
    for each in kept_lists(connection, policy):
        if each.number and each.published is None:
            connection.execute(sa.delete(tables.lists).where(tables.lists.c.id == each.id))


# Make a list, and publish it: one transaction each, all of it or nothing.

ATTEMPTS = 5
"""Number of attempts to calculate a list while others change the ledger."""


class StaleDraftError(UsageError):
    """A draft is not what the ledger gives now, or not what was looked at: it has to be made again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Made:
    """A list that was made, and what it says of those that were published before."""

    draft: KeptList  # the list: a draft, or the published one if it is still what it would be now
    entries: pl.DataFrame
    corrections: tuple[Correction, ...]
    periods: int
    computed: int  # periods that were not known yet
    left_out: LeftOut
    without_list: tuple[str, ...] = ()
    """Periods with play since the last published list of which no list was published."""

    def summary(self) -> str:
        """Return one sentence."""
        listed = self.entries["rank"].drop_nulls().len()
        rated = self.entries.height
        unlisted = f", {rated - listed:,} rated but not listed" if rated > listed else ""
        left = self.left_out.words()
        return (
            f"{self.draft.words}: {listed:,} players{unlisted}; play to {self.draft.closing},"
            f" {counted(self.periods, 'period')} ({self.computed:,} computed)"
            + (f"; events left out: {left}" if left else "")
            + (
                f"; play without a published list: {', '.join(self.without_list)}"
                if self.without_list
                else ""
            )
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class FrozenList:
    """A published list, and the corrections of earlier lists that it depends on."""

    lists: tuple[KeptList, ...]

    def summary(self) -> str:
        """Return one sentence."""
        return "published: " + "; ".join(each.words for each in self.lists)


def make_list(
    ledger: Ledger,
    *,
    policy: str | None = None,
    name: str | None = None,
    closing: date | None = None,
    who: str | None = None,
    progress: Callable[[int, int], None] = lambda *_: None,
    step: Callable[[str], None] = lambda _: None,
) -> Made:
    """Make a draft from what the ledger holds; the next making replaces it.

    Published lists are compared with what they would be now, and corrections of them are proposed.

    `policy`: None: the only one that there is.
    `name`, `closing`: Which list; neither: the one of the last event.
    `progress`: Told how many of how many periods are computed.
    `step`: Called before each part is written; crash tests stop here.
    """
    for _ in range(ATTEMPTS):
        with ledger.reading() as connection:
            kept = policy_called(connection, policy)
            day = _closing(connection, kept, name, closing)
            until = _until(connection, kept, day)
            chain = worked_out(connection, planned(connection, kept.policy, until), progress)
        with ledger.writing(who, f"list {kept.name}") as connection:
            if planned(connection, kept.policy, until).keys != chain.keys:
                continue  # somebody wrote between our reading and our writing
            return _written(connection, kept, chain, day, step)
    raise UsageError("other programs keep changing the ledger: try again later")


def _closing(connection: Connection, kept: KeptPolicy, name: str | None, closing: date | None) -> date:
    schedule = kept.policy.schedule
    if name is not None:
        named = schedule.closing_named(name)
        if closing not in (None, named):
            raise UsageError(f"list {name} closes on {named}, not on {closing}: give one of the two")
        closing = named
    if closing is None:
        events, _ = events_by_period(connection, kept.policy, None)
        closing = events["closing"].max()  # type: ignore[assignment]
        if closing is None:
            raise UsageError(
                f"nothing that {kept.name} rates is in the ledger: import events first (arpad import), "
                "or name a list"
            )
    if schedule.closing_for(closing) != closing:
        raise UsageError(
            f"expected a closing date of {kept.name}, found {closing}: {schedule.nearby(closing)}"
        )
    first = schedule.first_closing
    if first is not None and closing < first:
        raise UsageError(f"the first list of {kept.name} closes on {first}, after {closing}")
    return closing


def _until(connection: Connection, kept: KeptPolicy, closing: date) -> date:
    """Return how far the chain is looked at: later lists that were published are compared, too."""
    published = [each.closing for each in kept_lists(connection, kept.name) if each.published]
    return max([closing, *published])


def _written(
    connection: Connection, kept: KeptPolicy, chain: Chain, closing: date, step: Callable[[str], None]
) -> Made:
    runs = keep(connection, kept, chain, step)
    key = chain.key_at(closing)
    run = runs[key] if key is not None else None
    step("corrections")
    drop_proposals(connection, kept.name)
    result = propose_corrections(connection, chain, runs)
    name = kept.policy.schedule.name(closing)
    here = [each for each in kept_lists(connection, kept.name) if each.name == name]
    published = [each for each in here if each.published and not each.number]
    base = last_published(connection, kept.name, closing)
    if published:
        listed, entries = published[-1], entries_as_of(connection, published[-1])
    else:
        standing = chain.standing if chain.closing == closing else None
        standing = standing or standing_at(connection, run, closing)
        entries = list_entries(connection, kept.policy, closing, standing)
        entries = with_errors(connection, chain, closing, entries)
        step("lists")
        for each in here:
            connection.execute(sa.delete(tables.lists).where(tables.lists.c.id == each.id))
        row = insert(
            connection,
            tables.lists,
            policy_id=kept.id,
            name=name,
            number=0,
            closing=closing,
            effective=kept.policy.schedule.effective(closing),
            state="draft",
            run_id=run.id if run else None,
            made=now(),
            figures={
                "rated": entries.height,
                "listed": entries["rank"].drop_nulls().len(),
                "since": None if base is None else base.id,
                "decisions": next_id(connection, tables.decisions) - 1,
            },
        )
        step("entries")
        write_entries(connection, row, entries)
        listed = next(each for each in kept_lists(connection, kept.name) if each.id == row)
    step("done")
    return Made(
        draft=listed,
        entries=entries,
        corrections=tuple(result),
        periods=sum(link.closing <= closing for link in chain.links),
        computed=len(chain.computed),
        left_out=chain.left_out,
        without_list=tuple(
            kept.policy.schedule.name(link.closing)
            for link in chain.links
            if base is not None and base.closing < link.closing < closing and link.events.height
        ),
    )


def publish_list(
    ledger: Ledger,
    *,
    policy: str | None = None,
    name: str | None = None,
    who: str | None = None,
    seen: str | None = None,
    step: Callable[[str], None] = lambda _: None,
) -> FrozenList:
    """Freeze a draft; with it the proposed corrections of earlier lists, which it rests on.

    Of a list that is published already its proposed correction is published. A draft that is not what the
    ledger gives now is refused.

    `seen`: The `publication_hash` of what somebody has looked at; something else is refused.
    """
    with ledger.writing(who, "publish") as connection:
        kept = policy_called(connection, policy)
        listed = _to_publish(connection, kept, name)
        wanted = to_be_published(connection, listed)
        if not wanted:
            raise UsageError(f"list {listed.name} is published already, and needs no correction")
        if seen is not None and seen != publication_hash(connection, wanted):
            raise StaleDraftError(f"the draft of {listed.name} has changed since you saw it: check it again")
        _check_fresh(connection, kept, listed, wanted)
        step("publish")
        by = str(connection.info["who"])
        for each in sorted(wanted, key=lambda e: (e.closing, e.id)):
            freeze_list(connection, each.id, by, state=None if each.number else "published")
            step("published")
        frozen = {each.id for each in wanted}
        done = [each for each in kept_lists(connection, kept.name) if each.id in frozen]
    return FrozenList(lists=tuple(done))


def to_be_published(connection: Connection, listed: KeptList) -> list[KeptList]:
    """Return what publishing a list freezes: its draft, and the proposed corrections up to its closing date."""
    return [
        *([listed] if listed.published is None else []),
        *(
            each
            for each in kept_lists(connection, listed.policy)
            if each.number and each.published is None and each.closing <= listed.closing
        ),
    ]


def publication_hash(connection: Connection, wanted: Sequence[KeptList]) -> str:
    """Return a hash of every figure that publishing some lists would freeze."""
    sha = hashlib.sha256()
    for each in wanted:
        sha.update(repr((each.policy, each.version, each.name, each.number, each.closing)).encode())
        sha.update(entries_kept(connection, each).write_ndjson().encode())
    return sha.hexdigest()


def _to_publish(connection: Connection, kept: KeptPolicy, name: str | None) -> KeptList:
    if name is not None:
        return list_called(connection, kept.name, name)
    every = kept_lists(connection, kept.name)
    drafts = [each for each in every if each.state == "draft"]
    proposed = {each.corrects for each in every if each.number and each.published is None}
    waiting = drafts or [each for each in every if each.id in proposed]
    if not waiting and any(each.published for each in every):
        raise UsageError(f"there is nothing to publish: no draft of {kept.name}, and no proposed correction")
    if not waiting:
        return list_called(connection, kept.name, state="draft")
    return max(waiting, key=lambda e: (e.closing, e.version, e.id))


def _check_fresh(connection: Connection, kept: KeptPolicy, listed: KeptList, wanted: list[KeptList]) -> None:
    """Refuse to publish what the ledger does not give any more."""
    base = last_published(connection, kept.name, listed.closing)
    if (
        listed.published is None
        and "since" in listed.figures
        and listed.figures["since"] != (base and base.id)
    ):
        raise StaleDraftError(
            f"another list was published before {listed.words}: make it again (arpad list make {listed.name}),"
            " so that its changes are against that one"
        )
    chain = planned(connection, kept.policy, listed.closing)
    for each in wanted:
        key = chain.key_at(each.closing)
        run = chain.known.get(key) if key is not None else None
        if (key is not None and run is None) or each.run_id != (run.id if run else None):
            raise StaleDraftError(
                f"the ledger, or the policy, has changed since {each.words} was made: make it again"
                f" (arpad list make {listed.name})"
            )
