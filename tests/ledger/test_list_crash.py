"""`kill -9` while a list is made or published: afterwards all of it is there, or nothing."""

from __future__ import annotations

import pytest

from arpad.ledger.db import tables
from arpad.ledger.db.bulk import frame
from arpad.ledger.db.ledger import Ledger
from arpad.ledger.list_making import make_list, publish_list
from arpad.ledger.lists import kept_lists
from arpad.ledger.policy import Policy
from tests.ledger.db.crash import killed_at, points
from tests.ledger.ledgers import NAMES, put_event, put_policy, round_robin

MADE = ("runs", "states", "steps", "lists", "entries")


def make(place: str) -> None:
    with Ledger.open(place) as ledger:
        make_list(ledger, name="2026-11")


def publish(place: str) -> None:
    with Ledger.open(place) as ledger:
        publish_list(ledger, name="2026-11")


def club(place: str) -> None:
    """A published list, an event that came too late for it, and one after it."""
    with Ledger.open(place) as ledger:
        put_policy(ledger, Policy(name="club", system="elo"))
        put_event(ledger, "September", "2026-09-12", round_robin([1, 0.5, 0], NAMES))
        make_list(ledger)
        publish_list(ledger)
        put_event(ledger, "Late", "2026-09-20", round_robin([0, 1], NAMES[:3]))
        put_event(ledger, "October", "2026-10-10", round_robin([1, 1, 0.5], NAMES))


def held(place: str) -> dict[str, str]:
    """Return what the ledger holds, less the moments of the clock."""
    with Ledger.open(place) as ledger, ledger.reading() as connection:
        if ledger.dialect == "sqlite":
            assert connection.exec_driver_sql("PRAGMA integrity_check").scalar() == "ok"
            assert not connection.exec_driver_sql("PRAGMA foreign_key_check").fetchall()
        found = {n: frame(connection, tables.METADATA.tables[n]) for n in MADE}
        published = [(e.name, e.number, bool(e.published)) for e in kept_lists(connection)]
    texts = {n: f.drop("made", "published", strict=False).write_csv() for n, f in found.items()}
    return {**texts, "published": repr(published)}


@pytest.mark.parametrize(("work", "before"), [(make, club), (publish, make)])
def test_a_killed_writer_leaves_no_half_list(new_place, work, before):
    def ready() -> str:
        place = new_place()
        club(place)
        if before is make:
            make(place)
        return place

    whole = ready()
    nothing = held(whole)
    last = points(work, whole)
    done = held(whole)
    assert nothing != done
    assert last > 10

    for share in (0, 0.35, 0.75, 1):
        place = ready()
        killed_at(max(1, round(share * last)), work, place)
        left = held(place)
        assert left in (nothing, done)
        work(place) if left == nothing else None
        assert held(place) == done
