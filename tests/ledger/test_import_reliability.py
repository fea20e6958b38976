"""An import that is killed, and two at once: no half event, nothing lost, nothing twice."""

from __future__ import annotations

import polars as pl

from arpad.ledger.db.ledger import Ledger
from arpad.ledger.imports.importing import import_files
from tests.ledger.db.crash import Child, killed_at, points
from tests.ledger.test_importing import COUNTED, FEBRUARY, JANUARY, everything


def work(place: str, *paths: str) -> None:
    """Import files, one transaction each."""
    with Ledger.open(place, wait=60) as ledger:
        for _ in import_files(ledger, paths, who="me"):
            pass


def counts(place: str) -> dict[str, int]:
    with Ledger.open(place) as ledger:
        found = everything(ledger)
        for game in found["games"].iter_rows(named=True):  # every game has its event and players
            assert game["event_id"] in found["events"]["id"]
            assert game["white_id"] in found["players"]["id"]
        sizes = found["games"].group_by("event_id").len().sort("event_id")
        assert sizes["len"].to_list() == [4, 2][: sizes.height]
        assert found["imports"]["events"].sum() == found["events"].height
        return {name: found[name].height for name in COUNTED}


def test_killed_anywhere_the_ledger_holds_whole_files(new_place, write):
    paths = [str(write(JANUARY, "jan.csv")), str(write(FEBRUARY, "feb.csv"))]
    whole = new_place()
    last = points(work, whole, *paths)
    states = [dict.fromkeys(COUNTED, 0), None, counts(whole)]
    first = new_place()
    work(first, paths[0])
    states[1] = counts(first)
    seen = []
    for point in sorted({1, *range(2, last, max(1, last // 4)), last}):
        place = new_place()
        assert killed_at(point, work, place, *paths)
        found = counts(place)
        assert found in states, f"half an import at point {point} of {last}"
        seen.append(states.index(found))
        work(place, *paths)  # the same command again finishes it
        assert counts(place) == states[2]
    assert seen == sorted(seen)
    assert {0, 1} <= set(seen)


def test_two_imports_at_once_lose_nothing_and_write_nothing_twice(new_place, write):
    place, other = new_place(), new_place()
    paths = [str(write(JANUARY, "jan.csv")), str(write(FEBRUARY, "feb.csv"))]
    children = [Child({}, work, (place, *order)) for order in (paths, paths[::-1], paths[:1])]
    for child in children:
        child.started()
    assert [child.result()[0] for child in children] == ["done"] * 3
    with Ledger.open(place) as ledger:
        found = everything(ledger)
    work(other, *paths)
    with Ledger.open(other) as ledger:
        alone = everything(ledger)
    assert found["games"].height == alone["games"].height
    assert sorted(found["events"]["source"]) == sorted(alone["events"]["source"])
    assert found["imports"]["file"].sort().to_list() == ["feb.csv", "jan.csv"]
    assert found["players"]["id"].to_list() == list(range(1, found["players"].height + 1))


def test_both_databases_hold_the_same_bytes(cluster, tmp_path, write):
    """The same files in the same order: the same numbers, hashes and documents."""
    paths = [str(write(FEBRUARY, "feb.csv")), str(write(JANUARY, "jan.csv"))]
    places = [str(tmp_path / "one.db"), cluster.new()]
    Ledger.open(places[0], create=True).close()
    found = []
    for place in places:
        work(place, *paths)
        with Ledger.open(place) as ledger:
            found.append(everything(ledger))
    cluster.drop(places[1])
    for table in COUNTED:
        assert found[0][table].equals(found[1][table]), table
    assert isinstance(found[0]["games"], pl.DataFrame)
