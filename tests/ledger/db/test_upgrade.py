"""A ledger of an older arpad is brought forward, and every figure is kept."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from arpad.errors import LedgerError
from arpad.ledger.db import tables
from arpad.ledger.db.backup import back_up, check_ledger, copy_tables, digests, read_backup, restore, upgrade
from arpad.ledger.db.ledger import Ledger, Place, create_ledger
from tests.ledger.db.crash import killed_at, points

OLD = Path(__file__).parent / "ledger_0001.sql"
FIGURE = "SELECT rating FROM entries WHERE list_id = 1 AND player_id = 3"

pytestmark = pytest.mark.usefixtures("own_folder")


def old_file(path: Path) -> Path:
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(OLD.read_text(encoding="utf-8"))
        connection.execute("PRAGMA journal_mode = WAL")
    return path


@pytest.fixture
def old(new_place, cluster, request, tmp_path):
    """Where a ledger of revision 0001 is, on both databases."""
    made = old_file(tmp_path / "old.db")
    if not new_place().startswith("postgresql"):
        yield str(made)
        return
    url = cluster.new(template="template0")
    create_ledger(Place.of(url), wait=5, revision="0001")
    with (
        Ledger.at_any_revision(made) as source,
        source.reading() as ours,
        Ledger.at_any_revision(url) as target,
        target.writing() as theirs,
    ):
        copy_tables(ours, theirs)
    yield url
    cluster.drop(url)


def held(place: str | Path) -> dict[str, tuple[int, str]]:
    with Ledger.at_any_revision(place) as ledger, ledger.reading() as connection:
        return digests(connection)


def told(place: str | Path) -> tuple[dict[str, tuple[int, str]], list[tuple[object, ...]]]:
    """Return what every table holds but the steps, and the steps with the texts of their rules."""
    found = held(place)
    figures = {name: each for name, each in found.items() if name not in ("steps", "rules")}
    columns = "s.run_id, player_id, seq, game_id, event_id, opponent_id, rating, opponent_rating, score, expected, k, change"
    query = f"SELECT {columns}, rule FROM steps AS s"
    if "rules" in found:  # since revision 0004
        on = "r.run_id = s.run_id AND r.number = s.rule"
        query = f"SELECT {columns}, text FROM steps AS s LEFT JOIN rules AS r ON {on}"
    with Ledger.at_any_revision(place) as ledger, ledger.reading() as connection:
        steps = connection.exec_driver_sql(f"{query} ORDER BY s.run_id, player_id, seq").fetchall()
    return figures, [tuple(row) for row in steps]


def still_held(place: str | Path, before: tuple[dict[str, tuple[int, str]], list]) -> bool:
    """Is everything there that was, and nothing in tables that are new?"""
    (was, steps), (found, now) = before, told(place)
    new = {name: rows for name, (rows, _) in found.items() if name not in was and name != "list_hashes"}
    return {name: found[name] for name in was} == was and not any(new.values()) and now == steps


def test_it_is_said_that_it_is_old(old):
    for create in (False, True):
        with pytest.raises(LedgerError, match=r"older arpad \(revision 0001, .*run `arpad upgrade`"):
            Ledger.open(old, create=create)


def test_every_figure_is_kept(old, tmp_path):
    was, whole = told(old), held(old)
    assert all(rows for rows, _ in whole.values())
    assert any(row[-1] for row in was[1])  # a rule has a text
    with Ledger.at_any_revision(old) as ledger, ledger.reading() as connection:
        assert connection.exec_driver_sql(FIGURE).scalar() == 1868.0
    revision, kept = upgrade(old, copy=tmp_path / "before.backup")
    assert (revision, kept) == ("0001", tmp_path / "before.backup")
    assert still_held(old, was)
    with Ledger.open(old) as ledger, ledger.reading() as connection:
        assert connection.exec_driver_sql(FIGURE).scalar() == 1868.0
        assert _differences(connection) == []
    assert read_backup(kept).tables == whole
    assert read_backup(kept).revision == "0001"
    assert upgrade(old) == (tables.HEAD, None)  # nothing more to do


def _differences(connection):
    from alembic.autogenerate import compare_metadata
    from alembic.runtime.migration import MigrationContext

    return compare_metadata(MigrationContext.configure(connection), tables.METADATA)


def test_the_copy_brings_back_what_was(old, new_place, tmp_path):
    was = told(old)
    upgrade(old, copy=tmp_path / "before.backup")
    place = new_place()
    restore(tmp_path / "before.backup", place)  # of an older arpad: brought forward on the way
    with Ledger.open(place) as ledger:
        assert ledger.revision() == tables.HEAD
    assert still_held(place, was)


def test_the_copy_lies_beside_the_file(tmp_path):
    upgrade(old_file(tmp_path / "club.db"))
    assert sorted(p.name for p in tmp_path.iterdir()) == ["club.db", "club.db.revision-0001.backup"]


def test_another_file_with_the_name_of_the_copy_stays(tmp_path):
    path = old_file(tmp_path / "club.db")
    (tmp_path / "club.db.revision-0001.backup").write_text("precious")
    _, kept = upgrade(path)
    assert kept.name == "club.db.revision-0001.2.backup"
    assert read_backup(kept).revision == "0001"
    assert (tmp_path / "club.db.revision-0001.backup").read_text() == "precious"


def test_after_a_crash_the_upgrade_takes_its_own_copy(tmp_path):
    path, copy = old_file(tmp_path / "club.db"), tmp_path / "club.db.revision-0001.backup"
    with Ledger.at_any_revision(path) as ledger:
        back_up(ledger, copy)  # and then it was killed
    made = copy.read_bytes()
    assert upgrade(path) == ("0001", copy)
    assert copy.read_bytes() == made
    assert sorted(p.name for p in tmp_path.iterdir()) == ["club.db", copy.name]


def test_published_lists_of_an_old_ledger_get_their_hashes(old, tmp_path):
    upgrade(old, copy=tmp_path / "before.backup")
    with Ledger.open(old) as ledger:
        assert [fault for fault in check_ledger(ledger) if not fault.startswith("event")] == []
        with ledger.reading() as connection:
            query = (
                "SELECT count(*) FROM lists LEFT JOIN list_hashes ON list_id = id WHERE published IS NOT NULL"
            )
            assert connection.exec_driver_sql(query).scalar() == held(old)["list_hashes"][0] > 0


def test_a_newer_one_is_left_alone(ledger, place):
    with ledger.writing() as connection:
        connection.exec_driver_sql("UPDATE alembic_version SET version_num = '9999'")
    with pytest.raises(LedgerError, match="newer"):
        upgrade(place)


def bring_forward(place: str, copy: str) -> None:
    upgrade(place, copy=copy)


def test_killed_in_the_middle(old, tmp_path):
    was = told(old)
    with Ledger.at_any_revision(old) as ledger:
        back_up(ledger, tmp_path / "safe")
    last = points(bring_forward, str(old_file(tmp_path / "other.db")), str(tmp_path / "other"))
    for point in range(1, last, max(1, last // 5)):
        killed_at(point, bring_forward, old, str(tmp_path / f"copy{point}"))
        assert still_held(old, was)
        with Ledger.at_any_revision(old) as ledger:
            if ledger.revision() == tables.HEAD:
                return
    upgrade(old, copy=tmp_path / "last")
    assert still_held(old, was)
