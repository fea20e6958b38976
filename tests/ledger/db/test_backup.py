"""A backup holds every byte, goes back into either database, and never does half a thing."""

from __future__ import annotations

import shutil
import sqlite3
from pathlib import Path

import pytest
import sqlalchemy as sa
from hypothesis import given, settings
from hypothesis import strategies as st

from arpad.errors import BusyError, LedgerError, UsageError
from arpad.ledger.db import tables
from arpad.ledger.db.backup import back_up, check_ledger, digests, read_backup, restore
from arpad.ledger.db.bulk import frame
from arpad.ledger.db.ledger import Ledger
from tests.ledger.db.crash import killed_after, killed_at, points
from tests.ledger.db.sample import fill
from tests.ledger.db.test_troubles import add

pytestmark = pytest.mark.usefixtures("own_folder")


def held(place: str | Path) -> dict[str, tuple[int, str]]:
    with Ledger.open(place) as ledger, ledger.reading() as connection:
        return digests(connection)


GUARDS = {"sqlite": 26, "postgresql": 26}


def guarded(place: str | Path) -> bool:
    """Say whether every trigger is there, and awake."""
    with Ledger.open(place) as ledger, ledger.reading() as connection:
        query = {
            "sqlite": "SELECT count(*) FROM sqlite_master WHERE type = 'trigger'",
            "postgresql": "SELECT count(*) FROM pg_trigger WHERE left(tgname, 5) = 'guard' AND tgenabled = 'O'",
        }
        return connection.exec_driver_sql(query[ledger.dialect]).scalar() == GUARDS[ledger.dialect]


def forget(path: Path) -> Path:
    path.unlink(missing_ok=True)
    return path


def test_the_sample_has_something_in_every_table(ledger):
    fill(ledger)
    with ledger.reading() as connection:
        found = digests(connection)
    assert set(found) == set(tables.METADATA.tables) - {"identity", "sessions", "tokens", "uploads"}
    assert all(rows for rows, _ in found.values())


@settings(max_examples=3)
@given(seed=st.integers(0, 2**32), players=st.integers(3, 30), games=st.integers(1, 200))
def test_every_byte_comes_back_through_both_databases(seed, players, games, place, cluster, tmp_path):
    """Written here, kept in a file, restored into SQLite and into PostgreSQL, kept again."""
    with Ledger.open(place) as ledger:
        restore(_empty(tmp_path), place, replace=True)
        fill(ledger, seed=seed, players=players, games=games)
    was = held(place)
    with Ledger.open(place) as ledger:
        made = back_up(ledger, forget(tmp_path / "one.backup"))
    assert made.tables == was == read_backup(tmp_path / "one.backup").tables
    url = cluster.lend()
    for target in (forget(tmp_path / "new.db"), url):
        restore(tmp_path / "one.backup", target)
        assert held(target) == was
        with Ledger.open(target) as ledger:
            back_up(ledger, forget(tmp_path / "two.backup"))
        assert read_backup(tmp_path / "two.backup").tables == was
        assert guarded(target)
    cluster.take_back(url)


def _empty(folder: Path) -> Path:
    path = folder / "empty.backup"
    if not path.exists():
        with Ledger.open(folder / "empty.db", create=True) as ledger:
            back_up(ledger, path)
    return path


def test_check_sums_tell_values_apart(ledger, place):
    fill(ledger)
    seen = [held(place)["players"]]
    for value in ("''", "'a'", "NULL", "'b'"):
        with ledger.writing() as connection:
            connection.exec_driver_sql(f"UPDATE players SET title = {value} WHERE id = 3")
        seen.append(held(place)["players"])
    assert seen[0] == seen[3]  # null again
    assert len(set(seen)) == 4


def test_a_backup_is_a_ledger_that_can_be_looked_at(ledger, tmp_path):
    fill(ledger)
    back_up(ledger, tmp_path / "club.backup")
    with Ledger.open(tmp_path / "club.backup") as copy, copy.reading() as connection:
        assert frame(connection, tables.players).height == 12
    assert not list(tmp_path.glob("club.backup-*"))
    assert not list(tmp_path.glob(".*"))
    read_backup(tmp_path / "club.backup")  # looking has not changed it


def test_a_file_that_is_there_stays(ledger, tmp_path):
    path = tmp_path / "club.backup"
    path.write_text("precious")
    with pytest.raises(UsageError, match="there is a file of this name") as refused:
        back_up(ledger, path)
    assert refused.value.code == "file-exists"
    assert path.read_text() == "precious"
    back_up(ledger, path, replace=True)
    assert read_backup(path).rows() == 0


def test_a_ledger_is_not_its_own_backup(tmp_path):
    path = tmp_path / "club.db"
    with Ledger.open(path, create=True) as ledger:
        with pytest.raises(UsageError, match="the ledger itself"):
            back_up(ledger, path, replace=True)
        back_up(ledger, tmp_path / "one")
    with pytest.raises(UsageError, match="the backup itself"):
        restore(tmp_path / "one", tmp_path / "one", replace=True)


def test_a_ledger_with_something_in_it_stays(ledger, place, tmp_path):
    back_up(ledger, tmp_path / "empty.backup")
    fill(ledger)
    was = held(place)
    with pytest.raises(UsageError, match="not empty"):
        restore(tmp_path / "empty.backup", place)
    assert held(place) == was
    restore(tmp_path / "empty.backup", place, replace=True)
    assert all(rows == 0 for rows, _ in held(place).values())


@pytest.mark.parametrize("what", ["players", "games", "steps", "backup"])
def test_a_backup_that_was_changed(ledger, place, tmp_path, what):
    fill(ledger)
    path = tmp_path / "club.backup"
    back_up(ledger, path)
    connection = sqlite3.connect(path)
    connection.executescript(
        {
            "players": "UPDATE players SET name = name || ' ' WHERE id = 3",
            "games": "DELETE FROM games WHERE id = 3",
            "steps": "DROP TRIGGER guard_steps_update; UPDATE steps SET change = change + 1e-9 WHERE player_id = 3",
            "backup": "UPDATE backup SET document = replace(document, '2026', '2025')",
        }[what]
    )
    connection.close()
    was = held(place)
    with pytest.raises(LedgerError, match=f"the checksum of {what} differs"):
        restore(path, place, replace=True)
    assert held(place) == was


def test_files_that_are_no_backup(place, tmp_path):
    with pytest.raises(LedgerError, match="there is no"):
        restore(tmp_path / "no", place)
    (tmp_path / "text").write_text("x" * 5000)
    with pytest.raises(LedgerError, match="no SQLite database"):
        restore(tmp_path / "text", place)
    Ledger.open(tmp_path / "club.db", create=True).close()
    with pytest.raises(LedgerError, match="this is no backup"):
        restore(tmp_path / "club.db", place)


def test_a_backup_cut_off_or_damaged(ledger, place, tmp_path):
    fill(ledger, players=300, games=3000)
    path = tmp_path / "club.backup"
    back_up(ledger, path)
    whole, was = path.read_bytes(), held(place)
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(LedgerError, match="damaged"):
        restore(path, place, replace=True)
    for at in range(4096 * 3 + 100, len(whole), len(whole) // 12):
        path.write_bytes(whole[:at] + bytes(b ^ 0x55 for b in whole[at : at + 8]) + whole[at + 8 :])
        try:
            restore(path, place, replace=True)
        except LedgerError:
            assert held(place) == was
        else:
            assert held(place) == was  # the bytes belong to nothing that is kept


def test_a_damaged_ledger_does_not_replace_a_good_backup(tmp_path):
    path, kept = tmp_path / "club.db", tmp_path / "club.backup"
    with Ledger.open(path, create=True) as ledger:
        fill(ledger, players=300, games=3000)
        back_up(ledger, kept)
    good = kept.read_bytes()
    whole = bytearray(path.read_bytes())
    at = len(whole) // 2 // 4096 * 4096
    whole[at : at + 4096] = b"\xa5" * 4096
    path.write_bytes(whole)
    with Ledger.open(path) as ledger, pytest.raises(LedgerError, match="damaged"):
        back_up(ledger, kept, replace=True)
    assert kept.read_bytes() == good


def test_a_backup_of_a_newer_arpad(tmp_path, place):
    path = tmp_path / "club.db"
    with Ledger.open(path, create=True) as ledger:
        with ledger.writing() as connection:
            connection.exec_driver_sql("UPDATE alembic_version SET version_num = '9999'")
        back_up(ledger, tmp_path / "newer.backup")
    with pytest.raises(LedgerError, match=r"newer arpad \(revision 9999"):
        restore(tmp_path / "newer.backup", place)


def test_others_read_on_and_a_writer_is_waited_for(ledger, place, tmp_path):
    back_up(ledger, tmp_path / "empty.backup")
    fill(ledger)
    with Ledger.open(place) as other:
        with other.reading() as connection:
            before = frame(connection, tables.players)
            restore(tmp_path / "empty.backup", place, replace=True)
            assert frame(connection, tables.players).equals(before)  # as it stood
        with other.reading() as connection:
            assert frame(connection, tables.players).height == 0
        with other.writing(), pytest.raises(BusyError):
            restore(tmp_path / "empty.backup", place, replace=True, wait=0.3)


def test_a_backup_during_a_write_is_of_before(ledger, place, tmp_path):
    fill(ledger)
    was = held(place)
    with ledger.writing() as connection:
        connection.execute(sa.delete(tables.doubts))
        with Ledger.open(place) as other:
            assert back_up(other, tmp_path / "club.backup").tables == was


def bring_back(backup: str, place: str) -> None:
    restore(backup, place, replace=True)


@settings(max_examples=6)
@given(share=st.floats(0, 1), by_point=st.booleans())
def test_killed_in_the_middle_of_a_restore(share, by_point, crash_scene):
    backup, place, old, new, last = crash_scene
    if by_point:
        killed_at(1 + round(share * last), bring_back, backup, place)
    else:
        killed_after(share * 0.2, bring_back, backup, place)
    found = held(place)
    assert found in (old, new)
    assert guarded(place)
    if found == new:  # from the start again
        restore(Path(backup).with_name("old.backup"), place, replace=True)


@pytest.fixture
def crash_scene(ledger, place, tmp_path):
    """A ledger, and a backup of another state of it."""
    fill(ledger, seed=1, players=200, games=2000)
    new = held(place)
    back_up(ledger, tmp_path / "new.backup")
    last = points(bring_back, str(tmp_path / "new.backup"), place)
    assert held(place) == new
    restore(_empty(tmp_path), place, replace=True)
    fill(ledger, seed=2)
    back_up(ledger, tmp_path / "old.backup")
    return str(tmp_path / "new.backup"), place, held(place), new, last


def test_killed_in_the_middle_of_a_backup(ledger, place, tmp_path):
    fill(ledger, players=200, games=2000)
    was = held(place)
    for thousandths in range(0, 300, 60):
        path = tmp_path / "club.backup"
        if not killed_after(thousandths / 1000, keep, place, str(path)):
            assert read_backup(path).tables == was
            path.unlink()
        assert not path.exists() or read_backup(path).tables == was
        assert held(place) == was
        forget(path)


def keep(place: str, path: str) -> None:
    with Ledger.open(place) as ledger:
        back_up(ledger, path)


def test_a_full_disk(tmp_path):
    from tests.ledger.db.crash import call

    path = tmp_path / "club.db"
    with Ledger.open(path, create=True) as ledger:
        fill(ledger, players=200, games=2000)
        back_up(ledger, tmp_path / "club.backup")
    outcome, said = call(keep, str(path), str(tmp_path / "two.backup"), file_size=100_000)
    assert (outcome, "the disk is full" in said) == ("error", True)
    outcome, said = call(
        bring_back, str(tmp_path / "club.backup"), str(tmp_path / "new.db"), file_size=100_000
    )
    assert (outcome, "the disk is full" in said) == ("error", True)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["club.backup", "club.db"]


def test_a_copy_of_the_file_alone_is_a_ledger(tmp_path):
    """After the last reader has gone, everything is in the one file."""
    with Ledger.open(tmp_path / "club.db", create=True):
        pass
    add(str(tmp_path / "club.db"), "Anna")
    assert [p.name for p in tmp_path.iterdir()] == ["club.db"]
    shutil.copy(tmp_path / "club.db", tmp_path / "copy.db")
    assert held(tmp_path / "copy.db") == held(tmp_path / "club.db")


def test_a_restore_names_the_published_lists_that_it_drops_and_keeps_a_copy(ledger, place, tmp_path):
    back_up(ledger, tmp_path / "empty.backup")
    fill(ledger)
    back_up(ledger, tmp_path / "full.backup")
    again = restore(tmp_path / "full.backup", place, replace=True)
    assert (again.dropped, again.copy) == ((), None)
    with Ledger.open(place) as now, now.reading() as connection:
        was = digests(connection)
    held = restore(tmp_path / "empty.backup", place, replace=True)
    assert held.dropped == ("2026-10 (club)",)
    assert read_backup(held.copy).tables == was
    assert held.copy.is_absolute()
    assert held.copy.parent == tmp_path


def test_an_empty_file_is_replaced_only_when_that_is_wanted(tmp_path):
    with Ledger.open(tmp_path / "one.db", create=True) as ledger:
        fill(ledger)
        back_up(ledger, tmp_path / "one.backup")
    lost = tmp_path / "lost.db"
    lost.touch()
    with pytest.raises(LedgerError, match="the file is empty"):
        restore(tmp_path / "one.backup", lost)
    assert lost.stat().st_size == 0
    restore(tmp_path / "one.backup", lost, replace=True)
    with Ledger.open(lost) as ledger:
        assert check_ledger(ledger) == []
