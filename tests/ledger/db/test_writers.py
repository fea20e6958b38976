"""Two writers at once: both succeed, nothing is lost, nothing is there twice; readers see one moment."""

from __future__ import annotations

import time

import pytest

from arpad.ledger.db import tables
from arpad.ledger.db.bulk import bulk_insert, frame, next_id
from arpad.ledger.db.ledger import Ledger
from tests.ledger.db.crash import Child
from tests.ledger.db.test_open import players

ROUNDS, EACH = 6, 5


def write_rounds(place: str, who: str) -> int:
    """Add players in several transactions, each numbered from the last one that is there."""
    with Ledger.open(place, wait=60) as ledger:
        for at in range(ROUNDS):
            with ledger.writing(who) as connection:
                first = next_id(connection, tables.players)
                time.sleep(0.01)  # a writer who did not hold the lock would be overtaken here
                names = [f"{who} {at} {i}" for i in range(EACH)]
                bulk_insert(connection, tables.players, players(*names, first=first))
    return ROUNDS


def make(place: str) -> str | None:
    with Ledger.open(place, create=True, wait=60) as ledger:
        return ledger.revision()


def write_at_last(place: str, wait: float) -> str:
    with Ledger.open(place, wait=wait) as ledger, ledger.writing() as connection:
        bulk_insert(connection, tables.players, players("late", first=next_id(connection, tables.players)))
    return "written"


def names(place: str) -> list[str]:
    with Ledger.open(place) as ledger, ledger.reading() as connection:
        return frame(connection, tables.players)["name"].to_list()


def test_nothing_is_lost_and_nothing_is_twice(place):
    children = [Child({}, write_rounds, (place, who)) for who in ("anna", "bo", "cleo")]
    for child in children:
        child.started()
    assert [child.result() for child in children] == [("done", ROUNDS)] * 3
    found = names(place)
    assert sorted(found) == sorted(
        f"{who} {at} {i}" for who in ("anna", "bo", "cleo") for at in range(ROUNDS) for i in range(EACH)
    )
    for start in range(0, len(found), EACH):  # every transaction is in one piece
        assert len({name.rsplit(" ", 1)[0] for name in found[start : start + EACH]}) == 1


def test_one_is_told_to_wait(ledger, place):
    with ledger.writing() as connection:
        bulk_insert(connection, tables.players, players("early"))
        child = Child({}, write_at_last, (place, 0.2))
        child.started()
        outcome, said = child.result()
        assert outcome == "error"
        assert "another writer is at work in this ledger: wait until it is done and try again" in said
    assert names(place) == ["early"]


def test_one_waits_and_then_writes(ledger, place):
    with ledger.writing() as connection:
        child = Child({}, write_at_last, (place, 60))
        child.started()
        time.sleep(0.3)
        bulk_insert(connection, tables.players, players("early"))
    assert child.result() == ("done", "written")
    assert names(place) == ["early", "late"]


def test_readers_see_the_state_before_a_long_write(ledger, place):
    with ledger.writing() as connection:
        bulk_insert(connection, tables.players, players(*map(str, range(5000))))
        child = Child({}, names, (place,))
        child.started()
        assert child.result() == ("done", [])
    assert len(names(place)) == 5000


@pytest.mark.parametrize("how", ["sqlite", pytest.param("postgresql", marks=pytest.mark.postgresql)])
def test_two_make_the_same_ledger(how, tmp_path, request):
    if how == "sqlite":
        place = str(tmp_path / "club.db")
    else:
        server = request.getfixturevalue("cluster")
        place = server.new(template="template0")
    children = [Child({}, make, (place,)) for _ in range(3)]
    for child in children:
        child.started()
    assert [child.result() for child in children] == [("done", tables.HEAD)] * 3
    if how == "sqlite":
        assert [p.name for p in tmp_path.iterdir()] == ["club.db"]
    else:
        server.drop(place)
