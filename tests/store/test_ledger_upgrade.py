"""A ledger of an older arpad is brought forward, and every figure is kept."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from arpad.errors import LedgerError, UsageError
from arpad.store.ledger import tables
from arpad.store.ledger.backup import back_up, copy_tables, read_backup
from arpad.store.ledger.creating import create_ledger
from arpad.store.ledger.digest import digests
from arpad.store.ledger.ledger import Ledger
from arpad.store.ledger.places import Place
from arpad.store.ledger.restore import restore, upgrade
from tests.store.crash import killed_at, points

OLD = Path(__file__).parent / "ledger_0001.sql"
FIGURE = "SELECT rating FROM entries WHERE list_id = 1 AND player_id = 3"


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
    new = {name: rows for name, (rows, _) in found.items() if name not in was}
    return {name: found[name] for name in was} == was and not any(new.values()) and now == steps


def test_it_is_said_that_it_is_old(old):
    for create in (False, True):
        with pytest.raises(
            LedgerError, match=r"older arpad \(revision 0001, .*run `arpad upgrade`"
        ):
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


def test_a_copy_that_is_there_stays(tmp_path):
    path = old_file(tmp_path / "club.db")
    (tmp_path / "club.db.revision-0001.backup").write_text("precious")
    with pytest.raises(UsageError, match="there is a file of this name"):
        upgrade(path)
    assert (tmp_path / "club.db.revision-0001.backup").read_text() == "precious"
    with pytest.raises(LedgerError, match="older"):
        Ledger.open(path)


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
