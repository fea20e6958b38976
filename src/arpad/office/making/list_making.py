"""Make a list, and publish it: one transaction each, all of it or nothing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import sqlalchemy as sa

from arpad.errors import UsageError
from arpad.office.making.chain import keep, planned, standing_at, worked_out
from arpad.office.making.corrections import corrections, drop_proposals, write_corrections
from arpad.office.making.entering import list_entries, write_entries
from arpad.office.making.lists import KeptList, entries_kept, kept_lists, list_called
from arpad.office.making.played import events_by_period
from arpad.office.rules.policies import policy_called
from arpad.store.ledger import tables
from arpad.store.ledger.bulk import insert
from arpad.store.ledger.column_types import now

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import date

    import polars as pl
    from sqlalchemy.engine import Connection

    from arpad.office.making.chain import Chain
    from arpad.office.making.corrections import Correction
    from arpad.office.making.played import LeftOut
    from arpad.office.rules.policies import KeptPolicy
    from arpad.store.ledger.ledger import Ledger

__all__ = ["Made", "Published", "make_list", "publish_list"]

ATTEMPTS = 5
"""Times that a list is worked out anew because somebody has changed the ledger meanwhile."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Made:
    """A list that was made, and what it says of those that were published before.

    Parameters
    ----------
    draft
        The list: a draft, or the published one if it is still what it would be now.
    computed
        Periods that were not known yet.
    """

    draft: KeptList
    entries: pl.DataFrame
    corrections: tuple[Correction, ...]
    periods: int
    computed: int
    left_out: LeftOut

    def summary(self) -> str:
        """Return one sentence."""
        listed = self.entries["rank"].drop_nulls().len()
        rated = self.entries.height
        unlisted = f", {rated - listed:,} rated but not listed" if rated > listed else ""
        left = self.left_out.words()
        return (
            f"{self.draft.words}: {listed:,} players{unlisted}; play to {self.draft.closing},"
            f" {self.periods:,} period{'' if self.periods == 1 else 's'} ({self.computed:,} computed)"
            + (f"; events left out: {left}" if left else "")
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Published:
    """What was frozen: the list, and corrections of earlier ones that it rests on."""

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

    Parameters
    ----------
    policy
        None: the only one that there is.
    name, closing
        Which list; neither: the one of the last event.
    progress
        Told how many of how many periods are computed.
    step
        Called before each part is written; crash tests stop here.
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
    raise UsageError("the ledger is changed all the time: try again when nobody else writes in it")


def _closing(
    connection: Connection, kept: KeptPolicy, name: str | None, closing: date | None
) -> date:
    """Return the closing date that is meant."""
    schedule = kept.policy.schedule
    if name is not None:
        named = schedule.closing_named(name)
        if closing not in (None, named):
            raise UsageError(
                f"list {name} closes on {named}, not on {closing}: give one of the two"
            )
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
    connection: Connection,
    kept: KeptPolicy,
    chain: Chain,
    closing: date,
    step: Callable[[str], None],
) -> Made:
    runs = keep(connection, kept, chain, step)
    key = chain.key_at(closing)
    run = runs[key] if key is not None else None
    step("corrections")
    drop_proposals(connection, kept.name)
    found = corrections(connection, chain, runs)
    write_corrections(connection, found)
    name = kept.policy.schedule.name(closing)
    here = [each for each in kept_lists(connection, kept.name) if each.name == name]
    published = [each for each in here if each.published and not each.number]
    if published:
        listed, entries = published[-1], entries_kept(connection, published[-1])
    else:
        standing = chain.standing if chain.closing == closing else None
        standing = standing or standing_at(connection, run, closing)
        entries = list_entries(connection, kept.policy, closing, standing)
        step("lists")
        for each in here:
            connection.execute(sa.delete(tables.lists).where(tables.lists.c.id == each.id))
        row = insert(
            connection, tables.lists,
            policy_id=kept.id, name=name, number=0, closing=closing,
            effective=kept.policy.schedule.effective(closing), state="draft",
            run_id=run.id if run else None, made=now(),
            figures={"rated": entries.height, "listed": entries["rank"].drop_nulls().len()},
        )  # fmt: skip
        step("entries")
        write_entries(connection, row, entries)
        listed = next(each for each in kept_lists(connection, kept.name) if each.id == row)
    step("done")
    return Made(
        draft=listed,
        entries=entries,
        corrections=tuple(found),
        periods=sum(link.closing <= closing for link in chain.links),
        computed=len(chain.computed),
        left_out=chain.left_out,
    )


def publish_list(
    ledger: Ledger,
    *,
    policy: str | None = None,
    name: str | None = None,
    who: str | None = None,
    step: Callable[[str], None] = lambda _: None,
) -> Published:
    """Freeze a draft; with it the proposed corrections of earlier lists, which it rests on.

    Of a list that is published already its proposed correction is published. A draft that is not what the
    ledger gives now is refused.
    """
    with ledger.writing(who, "publish") as connection:
        kept = policy_called(connection, policy)
        listed = _to_publish(connection, kept, name)
        wanted = [listed] if listed.published is None else []
        wanted += [
            each
            for each in kept_lists(connection, kept.name)
            if each.number and each.published is None and each.closing <= listed.closing
        ]
        if not wanted:
            raise UsageError(f"list {listed.name} is published already, and needs no correction")
        _check_fresh(connection, kept, listed, wanted)
        step("publish")
        moment, by = now(), str(connection.info["who"])
        t = tables.lists
        for each in sorted(wanted, key=lambda e: (e.closing, e.id)):
            values = {"published": moment, "published_by": by}
            if not each.number:
                values["state"] = "published"
            connection.execute(t.update().where(t.c.id == each.id).values(**values))
            step("published")
        frozen = {each.id for each in wanted}
        done = [each for each in kept_lists(connection, kept.name) if each.id in frozen]
    return Published(lists=tuple(done))


def _to_publish(connection: Connection, kept: KeptPolicy, name: str | None) -> KeptList:
    if name is not None:
        return list_called(connection, kept.name, name)
    return list_called(connection, kept.name, state="draft")


def _check_fresh(
    connection: Connection, kept: KeptPolicy, listed: KeptList, wanted: list[KeptList]
) -> None:
    """Refuse to publish what the ledger does not give any more."""
    chain = planned(connection, kept.policy, listed.closing)
    for each in wanted:
        key = chain.key_at(each.closing)
        run = chain.known.get(key) if key is not None else None
        if (key is not None and run is None) or each.run_id != (run.id if run else None):
            raise UsageError(
                f"the ledger, or the policy, has changed since {each.words} was made: make it again"
                f" (arpad list make {listed.name})"
            )
