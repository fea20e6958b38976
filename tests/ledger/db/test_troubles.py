"""What goes wrong with a database is said in a sentence, and nothing is damaged by it."""

from __future__ import annotations

import shutil
import sqlite3
import subprocess
import tempfile
from contextlib import contextmanager
from pathlib import Path

import polars as pl
import pytest

from arpad.errors import BusyError, LedgerError, UsageError
from arpad.ledger.db import tables
from arpad.ledger.db.bulk import bulk_insert, frame, next_id
from arpad.ledger.db.ledger import Ledger
from tests.ledger.db.crash import call
from tests.ledger.db.test_open import players


def add(place: str, *names: str) -> int:
    """Add players and return how many there are."""
    with Ledger.open(place, wait=1) as ledger, ledger.writing() as connection:
        first = next_id(connection, tables.players)
        bulk_insert(connection, tables.players, players(*names, first=first))
        return first - 1 + len(names)


def names(place: str) -> list[str]:
    with Ledger.open(place, wait=1) as ledger, ledger.reading() as connection:
        return frame(connection, tables.players)["name"].to_list()


def add_many(place: str, how_many: int) -> int:
    return add(place, *(f"A player with a name as long as number {i} needs" for i in range(how_many)))


@pytest.fixture
def file(tmp_path) -> Path:
    path = tmp_path / "club.db"
    Ledger.open(path, create=True).close()
    add(str(path), "Anna", "Bo")
    return path


@pytest.fixture
def open_folder(file):
    """A folder that everybody may enter, with a ledger in it."""
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o755)
    shutil.copy(file, folder)
    yield folder
    folder.chmod(0o755)
    shutil.rmtree(folder)


def test_no_such_file(tmp_path):
    with pytest.raises(LedgerError, match=r"club\.db: there is no ledger here"):
        Ledger.open(tmp_path / "club.db")
    assert not list(tmp_path.iterdir())


def test_a_folder(tmp_path):
    for create in (False, True):
        with pytest.raises(LedgerError, match="found a folder"):
            Ledger.open(tmp_path, create=create)


def test_no_such_folder(tmp_path):
    with pytest.raises(LedgerError, match="the folder must exist"):
        Ledger.open(tmp_path / "no" / "club.db", create=True)


@pytest.mark.parametrize("content", [b"x", b'[Event "Open"]\n' * 1000, bytes(4096), b"SQLite format 3\0" * 9])
def test_a_file_that_is_no_database(tmp_path, content):
    path = tmp_path / "games.pgn"
    path.write_bytes(content)
    for create in (False, True):
        with pytest.raises(LedgerError, match=r"games\.pgn: this is .*no ledger"):
            Ledger.open(path, create=create)
    assert path.read_bytes() == content
    assert list(tmp_path.iterdir()) == [path]


def test_a_database_that_is_no_ledger(tmp_path):
    path = tmp_path / "other.db"
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE games (id)")
    connection.close()
    before = path.read_bytes()
    for create in (False, True):
        with pytest.raises(LedgerError, match="but no ledger of arpad"):
            Ledger.open(path, create=create)
    assert path.read_bytes() == before


def test_an_empty_file_is_never_replaced_silently(tmp_path):
    path = tmp_path / "club.db"
    path.touch()
    for create in (False, True):
        with pytest.raises(LedgerError, match="the file is empty"):
            Ledger.open(path, create=create)
    assert path.stat().st_size == 0
    assert list(tmp_path.iterdir()) == [path]


def test_pages_overwritten(file):
    add_many(str(file), 2000)
    whole = file.read_bytes()
    for page in range(1, len(whole) // 4096):
        damaged = bytearray(whole)
        damaged[page * 4096 : page * 4096 + 64] = b"\xa5" * 64
        file.write_bytes(damaged)
        try:
            assert len(names(str(file))) == 2002  # the page belongs to another table
        except LedgerError as error:
            assert "damaged" in str(error)  # noqa: PT017 - every page, and only some of them matter
        file.with_name("club.db-wal").unlink(missing_ok=True)
        file.with_name("club.db-shm").unlink(missing_ok=True)


def test_a_table_overwritten(file):
    add_many(str(file), 2000)
    whole = bytearray(file.read_bytes())
    name = b"A player with a name as long as number 1000 "
    while (at := whole.find(name)) >= 0:  # in the table, and in the index of names
        at = at // 4096 * 4096
        whole[at : at + 4096] = b"\xa5" * 4096
    file.write_bytes(whole)
    with pytest.raises(LedgerError, match="damaged: move it away and restore the last backup"):
        names(str(file))
    assert file.read_bytes() == bytes(whole)


def test_a_file_cut_off(file):
    add_many(str(file), 2000)
    whole = file.read_bytes()
    file.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(LedgerError, match="damaged"):
        names(str(file))


def test_text_that_is_none(file):
    connection = sqlite3.connect(file)
    connection.execute("UPDATE players SET name = CAST(x'ff00fe' AS TEXT) WHERE id = 1")
    connection.commit()
    connection.close()
    with pytest.raises(LedgerError, match="damaged"):
        names(str(file))


def test_a_day_that_is_none(file):
    with Ledger.open(file) as ledger, ledger.writing() as connection:
        connection.exec_driver_sql(
            "INSERT INTO memberships (id, player_id, kind, \"from\") VALUES (1, 1, 'club', 'soon')"
        )
    with (
        Ledger.open(file) as ledger,
        ledger.reading() as connection,
        pytest.raises(LedgerError, match="has data that arpad did not write"),
    ):
        frame(connection, tables.memberships)


def test_a_file_that_is_read_only(open_folder):
    place = str(open_folder / "club.db")
    for nothing_to_write in (open_folder / "club.db", open_folder):
        nothing_to_write.chmod(0o555 if nothing_to_write.is_dir() else 0o444)
        assert call(names, place, nobody=True) == ("done", ["Anna", "Bo"])
        outcome, said = call(add, place, "Cleo", nobody=True)
        assert outcome == "error"
        assert "cannot be written: its file or its folder is read-only" in said
    open_folder.chmod(0o755)
    assert names(place) == ["Anna", "Bo"]


def test_a_file_that_others_may_not_see(open_folder):
    (open_folder / "club.db").chmod(0o600)
    outcome, said = call(names, str(open_folder / "club.db"), nobody=True)
    assert outcome == "error"
    assert "cannot be opened" in said


def test_a_folder_in_which_nothing_can_be_made(open_folder):
    outcome, said = call(_create, str(open_folder / "new.db"), nobody=True)
    assert outcome == "error"
    assert "cannot be made: Permission denied" in said


def _create(place: str) -> None:
    Ledger.open(place, create=True).close()


def test_a_disk_that_is_full(file):
    """The system refuses to let files grow: what a quota or a full disk do."""
    outcome, said = call(add_many, str(file), 50_000, file_size=1_000_000)
    assert outcome == "error"
    assert "the disk is full. Nothing was changed" in said
    assert names(str(file)) == ["Anna", "Bo"]
    assert add(str(file), "Cleo") == 3


def test_a_disk_that_is_full_for_a_new_ledger(tmp_path):
    outcome, said = call(_create, str(tmp_path / "club.db"), file_size=20_000)
    assert outcome == "error"
    assert "the disk is full" in said
    assert not list(tmp_path.iterdir())


@contextmanager
def _small_disk(folder: Path, size: str):
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(folder)]
    if subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("only root may make a small disk")
    try:
        yield
    finally:
        subprocess.run(["umount", str(folder)], check=True)


def test_a_real_disk_that_is_full(file, tmp_path):
    disk = tmp_path / "disk"
    with _small_disk(disk, "2m"):
        shutil.copy(file, disk)
        with pytest.raises(LedgerError, match="the disk is full"):
            add_many(str(disk / "club.db"), 50_000)
        assert names(str(disk / "club.db")) == ["Anna", "Bo"]
        assert add(str(disk / "club.db"), "Cleo") == 3


def test_a_real_disk_that_is_read_only(file, tmp_path):
    disk = tmp_path / "disk"
    with _small_disk(disk, "2m"):
        shutil.copy(file, disk)
        subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True)
        assert names(str(disk / "club.db")) == ["Anna", "Bo"]
        with pytest.raises(LedgerError, match="read-only"):
            add(str(disk / "club.db"), "Cleo")


def test_a_ledger_of_a_newer_arpad(ledger, place):
    with ledger.writing() as connection:
        connection.exec_driver_sql("UPDATE alembic_version SET version_num = '9999'")
    for create in (False, True):
        with pytest.raises(LedgerError, match=r"newer arpad \(revision 9999"):
            Ledger.open(place, create=create)


def test_another_writer_is_waited_for_so_long(ledger, place):
    waited = []
    with ledger.writing(), Ledger.open(place, wait=0.3, on_wait=waited.append) as other:
        with pytest.raises(BusyError, match="another writer is at work"), other.writing():
            pass
        with other.reading() as connection:  # readers never wait
            assert frame(connection, tables.players).height == 0
    assert len(waited) == 1
    with Ledger.open(place) as other, other.writing():
        pass


@pytest.mark.postgresql
class TestServer:
    def test_not_there(self):
        from tests.databases import _free_port

        place = f"postgresql://postgres:secret@127.0.0.1:{_free_port()}/club"
        with pytest.raises(LedgerError, match="the server does not answer") as found:
            Ledger.open(place)
        assert "secret" not in str(found.value)

    def test_no_such_host(self):
        with pytest.raises(LedgerError, match="the server does not answer"):
            Ledger.open("postgresql://postgres@no-such-host.invalid/club")

    def test_no_such_database(self, cluster):
        with pytest.raises(LedgerError, match="no such database on the server"):
            Ledger.open(cluster.url("nowhere"))

    def test_no_such_user(self, cluster):
        with pytest.raises(LedgerError, match="refuses this user"):
            Ledger.open(cluster.url("postgres").replace("postgres@", "nobody@"))

    def test_wrong_password(self, cluster):
        cluster.execute("DROP ROLE IF EXISTS locked; CREATE ROLE locked LOGIN PASSWORD 'right'")
        for who in ("locked", "locked:wrong"):
            with pytest.raises(LedgerError, match="check the name and the password") as found:
                Ledger.open(cluster.url("postgres").replace("postgres@", f"{who}@"))
            assert "wrong@" not in str(found.value)

    def test_a_user_who_may_not_make_tables(self, cluster):
        cluster.execute("DROP ROLE IF EXISTS guest; CREATE ROLE guest LOGIN")
        url = cluster.new(template="template0")
        with pytest.raises(LedgerError, match="its owner must grant it"):
            Ledger.open(url.replace("postgres@", "guest@"), create=True)
        cluster.drop(url)

    def test_a_user_who_may_only_read(self, cluster):
        url = cluster.new()
        cluster.execute("DROP ROLE IF EXISTS reader; CREATE ROLE reader LOGIN")
        cluster.execute("GRANT SELECT ON ALL TABLES IN SCHEMA public TO reader", url.rpartition("/")[2])
        reader = url.replace("postgres@", "reader@")
        assert names(reader) == []
        with pytest.raises(LedgerError, match="its owner must grant it"):
            add(reader, "Anna")
        cluster.execute(
            "GRANT INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO reader", url.rpartition("/")[2]
        )
        assert add(reader, "Anna") == 1  # now an officer, who need not own the database
        cluster.drop(url)

    def test_a_database_that_holds_other_tables(self, cluster):
        url = cluster.new(template="template0")
        cluster.execute("CREATE TABLE games (id int)", url.rpartition("/")[2])
        with pytest.raises(LedgerError, match="but no ledger of arpad"):
            Ledger.open(url)
        with pytest.raises(LedgerError, match=r"holds other tables \(games"):
            Ledger.open(url, create=True)
        cluster.drop(url)

    def test_a_connection_that_is_lost(self, cluster):
        url = cluster.new()
        name = url.rpartition("/")[2]
        others = f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{name}'"

        def _cut_off(ledger):
            with ledger.writing() as connection:
                bulk_insert(connection, tables.players, players("Anna"))
                cluster.execute(others)
                bulk_insert(connection, tables.players, players("Bo", first=2))

        with Ledger.open(url) as ledger, pytest.raises(LedgerError, match="unfinished work was not saved"):
            _cut_off(ledger)
        assert names(url) == []
        cluster.drop(url)


@pytest.mark.parametrize(
    ("place", "said"),
    [
        ("mysql://host/club", "found mysql://"),
        ("postgresql://host:port/club", "cannot be read as a URL"),
        ("sqlite://", "expected a file"),
    ],
)
def test_places_that_are_none(place, said):
    with pytest.raises(UsageError, match=said):
        Ledger.open(place)


HOSTILE = [
    "O'Neill", '"quoted"', "Robert'); DROP TABLE players;--", "%s %(name)s ? :name $1 {x}", "\\", "\\N",
    "Каспаров", "謝軍", "عمر", "𝔸 🏆", "e\u0301", "x" * 300, " ", "", "tab\tnew\nline\rreturn", "NULL", "a,b;c",
    "\u2028\u202e\ufeff", "\x01\x1f\x7f",
]  # fmt: skip


def test_names_that_look_like_something_else(ledger):
    with ledger.writing() as connection:
        bulk_insert(connection, tables.players, players(*HOSTILE))
        for i, name in enumerate(HOSTILE, start=101):
            connection.execute(tables.players.insert().values(id=i, name=name))
    with ledger.reading() as connection:
        assert frame(connection, tables.players)["name"].to_list() == HOSTILE * 2
        for name in HOSTILE:
            query = tables.players.select().where(tables.players.c.name == name)
            assert frame(connection, query.order_by("id")).height == 2


@pytest.mark.parametrize(
    ("table", "values", "said"),
    [
        ("players", {"id": 1, "name": "a\0b"}, "NUL"),
        ("players", {"id": 1, "name": None}, "a value in every row"),
        ("players", {"id": "one", "name": "a"}, "players.id: expected Int64"),
        ("players", {"id": 1, "name": "a", "elo": 2}, "expected columns of players, found elo"),
        ("states", {"run_id": 1, "player_id": 1, "rating": float("nan")}, "NaN"),
        ("states", {"run_id": 1, "player_id": 1, "rating": float("-inf")}, "NaN"),
    ],
)
def test_what_is_never_stored(ledger, table, values, said):
    table = tables.METADATA.tables[table]
    with ledger.writing() as connection, pytest.raises(UsageError, match=said):
        bulk_insert(connection, table, pl.DataFrame([values]))


@pytest.mark.parametrize(
    ("table", "values", "said"),
    [
        ("players", {"id": 1, "name": "a\0b"}, "NUL"),
        ("players", {"id": 1, "name": "half \ud800"}, "half a character"),
        ("states", {"run_id": 1, "player_id": 1, "rating": float("nan")}, "found nan"),
        ("states", {"run_id": 1, "player_id": 1, "state": {"x": float("inf")}}, "JSON"),
    ],
)
def test_what_is_never_stored_in_one_row(ledger, table, values, said):
    table = tables.METADATA.tables[table]
    with pytest.raises(UsageError, match=said), ledger.writing() as connection:
        connection.execute(table.insert().values(**values))
