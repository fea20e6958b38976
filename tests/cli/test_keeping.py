"""`arpad backup`, `restore`, `upgrade`, `ledger info` and `ledger check`, on both databases."""

from __future__ import annotations

import json
import re
import sqlite3
from contextlib import closing

import pytest

from arpad.ledger.db.ledger import Ledger
from arpad.ledger.db.tables import HEAD
from tests.ledger.db.sample import fill
from tests.ledger.db.test_upgrade import old_file

pytestmark = pytest.mark.usefixtures("own_folder")


@pytest.fixture
def filled(ledger, place):
    fill(ledger)
    return place


def test_there_and_back(run, filled, new_place, tmp_path):
    file = tmp_path / "club.backup"
    made = run("backup", file, "--db", filled, "--format", "json")
    assert made.code == 0
    document = json.loads(made.out)
    assert (document["file"], document["revision"]) == (str(file), HEAD)
    assert {t["table"]: t["rows"] for t in document["tables"]}["games"] == 40
    assert all(len(t["sha256"]) == 64 for t in document["tables"])

    other = new_place()
    assert run("restore", file, "--db", other).code == 0
    again = run("backup", tmp_path / "again", "--db", other, "--format", "json")
    assert json.loads(again.out)["tables"] == document["tables"]


def test_what_people_see(run, filled, tmp_path):
    made = run("backup", tmp_path / "club.backup", "--db", filled)
    assert re.search(r"^games +40$", made.out, re.MULTILINE)
    assert f"is kept in {tmp_path / 'club.backup'} (made " in made.out
    back = run("restore", tmp_path / "club.backup", "--db", filled, "--replace")
    assert f"{tmp_path / 'club.backup'} is back in " in back.out
    assert run("backup", tmp_path / "b", "--db", filled, "--format", "csv").out.startswith(
        "table,rows,sha256\n"
    )


def test_nothing_is_overwritten_by_a_slip(run, filled, tmp_path):
    file = tmp_path / "club.backup"
    assert run("backup", file, "--db", filled).code == 0
    refused = run("backup", file, "--db", filled)
    assert (refused.code, "--replace" in refused.err) == (2, True)
    refused = run("restore", file, "--db", filled)
    assert (refused.code, "this ledger is not empty" in refused.err) == (2, True)
    assert run("backup", file, "--db", filled, "--replace").code == 0


def test_an_empty_ledger_is_kept_too(run, place, tmp_path):
    made = run("backup", tmp_path / "club.backup", "--db", place)
    assert made.code == 0
    assert "0 rows)." in made.out


def test_the_place_may_come_from_the_environment(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    refused = run("backup", "x")
    assert (refused.code, "arpad.db: there is no ledger here" in refused.err) == (2, True)
    Ledger.open("club.db", create=True).close()
    monkeypatch.setenv("ARPAD_DB", "club.db")
    assert run("backup", "x").code == 0


def test_upgrade(run, tmp_path):
    path = old_file(tmp_path / "club.db")
    refused = run("ledger", "info", "--db", path, "--format", "json")
    assert json.loads(refused.out)["revision"] == "0001"  # it can be looked at
    done = run("upgrade", "--db", path)
    assert done.code == 0
    assert f"revision {HEAD} now; as it was (0001), it is kept in" in done.err
    assert "nothing to do" in run("upgrade", "--db", path).err
    assert json.loads(run("ledger", "info", "--db", path, "--format", "json").out)["revision"] == HEAD


def test_info(run, filled, ledger):
    shown = run("ledger", "info", "--db", filled)
    assert shown.code == 0
    assert f"revision {HEAD}" in shown.out
    document = json.loads(run("ledger", "info", "--db", filled, "--format", "json").out)
    assert document["rows"]["players"] == 12
    assert document["size"] > 4096
    assert document["database"].lower().startswith(ledger.dialect)
    assert "games,40" in run("ledger", "info", "--db", filled, "--format", "csv").out


def test_check(run, filled):
    sound = run("ledger", "check", "--db", filled)
    assert (sound.code, sound.out.endswith(": sound\n")) == (0, True)


def test_check_finds_what_is_wrong(run, tmp_path):
    path = tmp_path / "club.db"
    with Ledger.open(path, create=True) as ledger:
        fill(ledger)
    with closing(sqlite3.connect(path)) as connection, connection:  # foreign keys are off here
        connection.execute("UPDATE games SET white_id = 99 WHERE id = 3")
        connection.execute("UPDATE events SET start = 'soon' WHERE id = 1")
    found = run("ledger", "check", "--db", path)
    assert found.code == 1
    assert "row 3 of games refers to a row of players that is not there" in found.out
    assert "has data that arpad did not write" in found.out
    assert "not sound" in found.out
    document = json.loads(run("ledger", "check", "--db", path, "--format", "json").out)
    assert (document["sound"], len(document["faults"])) == (False, 2)


def test_a_password_is_never_shown(run, tmp_path):
    refused = run("ledger", "info", "--db", "postgresql://anna:secret@127.0.0.1:1/club")
    assert refused.code == 2
    assert "secret" not in refused.err
    assert "the server does not answer" in refused.err
    assert refused.err.count("\n") == 1
