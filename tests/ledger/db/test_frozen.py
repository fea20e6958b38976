"""What is published, logged or computed stays as it is: the databases themselves say so."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from datetime import date

import pytest

from arpad.errors import UsageError
from arpad.ledger.db import tables
from arpad.ledger.db.backup import GUARDS, check_ledger, digests, guards, without_guards
from arpad.ledger.db.bulk import frame
from arpad.ledger.decisions.corrections import correct_event, correct_player
from arpad.ledger.decisions.decisions import undo
from arpad.ledger.decisions.ratings import set_rating
from arpad.ledger.list_making import make_list
from arpad.ledger.policy import preset
from tests.ledger.club import fill as fill_club
from tests.ledger.db.sample import fill
from tests.ledger.ledgers import put_policy

FROZEN = "a published list is frozen"
KEPT = "workings of a run never change"


@pytest.fixture
def filled(ledger):
    """A ledger in which list 1 is published and list 2 a draft of the same run."""
    fill(ledger)
    return ledger


@pytest.mark.parametrize(
    ("statement", "said"),
    [
        ("UPDATE lists SET name = 'x' WHERE id = 1", FROZEN),
        ("UPDATE lists SET state = 'draft', published = NULL WHERE id = 1", FROZEN),
        ("DELETE FROM lists WHERE id = 1", FROZEN),
        ("UPDATE entries SET rating = 3000 WHERE list_id = 1 AND player_id = 2", FROZEN),
        ("UPDATE entries SET list_id = 2, player_id = 99 WHERE list_id = 1 AND player_id = 2", FROZEN),
        ("UPDATE entries SET list_id = 1, player_id = 99 WHERE list_id = 2 AND player_id = 2", FROZEN),
        ("DELETE FROM entries WHERE list_id = 1 AND player_id = 2", FROZEN),
        ("DELETE FROM entries", FROZEN),
        ("INSERT INTO entries (list_id, player_id, name) VALUES (1, 13, 'late')", FROZEN),
        ("UPDATE policies SET document = '{}'", "a policy never changes"),
        ("UPDATE runs SET key = 'x'", KEPT),
        ("UPDATE states SET rating = 0", KEPT),
        ("DELETE FROM states WHERE player_id = 2", KEPT),
        ("UPDATE steps SET change = 0", KEPT),
        ("DELETE FROM steps WHERE player_id = 2", KEPT),
        ("UPDATE rules SET text = 'whim'", KEPT),
        ("DELETE FROM rules", KEPT),
        ("DELETE FROM decisions WHERE id = 2", "stays in the log"),
        ("UPDATE decisions SET why = 'x'", "stays as it was taken"),
        ("UPDATE decisions SET who = 'x'", "stays as it was taken"),
        ('UPDATE decisions SET "after" = NULL', "stays as it was taken"),
    ],
)
def test_what_is_frozen(filled, statement, said):
    def _try():
        with filled.writing() as connection:
            connection.exec_driver_sql(statement)

    with filled.reading() as connection:
        was = digests(connection)
    with pytest.raises(UsageError, match=said):
        _try()
    with filled.reading() as connection:
        assert digests(connection) == was


def test_what_only_one_database_knows(filled):
    """SQLite replaces rows without a DELETE, PostgreSQL empties tables without asking the rows."""
    statements = {
        "sqlite": [
            "REPLACE INTO lists (id, policy_id, name, number, closing, state, made) VALUES (1, 1, 'x', 9, '2026-01-01', 'draft', '2026-01-01')",
            "REPLACE INTO lists SELECT 9, policy_id, name, number, closing, effective, 'draft', run_id, made, NULL, NULL, NULL, NULL FROM lists WHERE id = 1",
            "REPLACE INTO decisions (id, \"when\", who, why, kind, subject) VALUES (1, '2026-01-01', 'x', 'x', 'x', 'x')",
        ],
        "postgresql": [f"TRUNCATE {t} CASCADE" for t in ("lists", "entries", "steps", "players")],
    }

    def _try(statement):
        with filled.writing() as connection:
            connection.exec_driver_sql(statement)

    for statement in statements[filled.dialect]:
        with pytest.raises(UsageError, match=r"frozen|stays in the log|not thrown away"):
            _try(statement)


def test_what_a_published_list_rests_on_stays(filled):
    from sqlalchemy.exc import IntegrityError

    def _try(statement):
        with filled.writing() as connection:
            connection.exec_driver_sql(statement)

    for statement in ("DELETE FROM runs", "DELETE FROM policies", "DELETE FROM players WHERE id = 2"):
        with pytest.raises(IntegrityError):
            _try(statement)


def test_a_draft_is_free(filled):
    with filled.writing() as connection:
        connection.exec_driver_sql("UPDATE entries SET rating = 1 WHERE list_id = 2 AND player_id = 2")
        connection.exec_driver_sql("DELETE FROM entries WHERE list_id = 2 AND player_id = 3")
        connection.exec_driver_sql("INSERT INTO entries (list_id, player_id, name) VALUES (2, 3, 'x')")
        connection.exec_driver_sql("DELETE FROM lists WHERE id = 2")
        assert frame(connection, tables.entries)["list_id"].unique().to_list() == [1]


def test_a_run_that_nothing_rests_on_goes_with_its_workings(filled):
    with filled.writing() as connection:
        connection.exec_driver_sql(
            "INSERT INTO runs (id, policy_id, closing, previous_id, key, made)"
            " SELECT 2, policy_id, closing, 1, 'k2', made FROM runs WHERE id = 1"
        )
        connection.exec_driver_sql("INSERT INTO states (run_id, player_id) VALUES (2, 2)")
        connection.exec_driver_sql("INSERT INTO steps (run_id, player_id, seq) VALUES (2, 2, 1)")
        connection.exec_driver_sql("INSERT INTO rules (run_id, number, text) VALUES (2, 1, 'x')")
        connection.exec_driver_sql("DELETE FROM runs WHERE id = 2")
        assert frame(connection, tables.states)["run_id"].unique().to_list() == [1]
        assert frame(connection, tables.steps)["run_id"].unique().to_list() == [1]
        assert frame(connection, tables.rules)["run_id"].unique().to_list() == [1]


def test_a_decision_is_undone_once_it_is(filled):
    with filled.writing() as connection:
        connection.exec_driver_sql("UPDATE decisions SET undone_by = NULL WHERE id = 1")
        connection.exec_driver_sql("UPDATE decisions SET undone_by = 2 WHERE id = 1")


def _from_outside(place, *statements):
    """Run statements as another program would: without arpad's settings of the connection."""
    with closing(sqlite3.connect(place)) as connection, connection:
        for statement in statements:
            connection.execute(statement)


@pytest.mark.parametrize(
    "statement",
    [
        "INSERT OR REPLACE INTO lists SELECT * FROM lists WHERE id = 1",
        (
            "INSERT OR REPLACE INTO lists (id, policy_id, name, number, closing, state, made)"
            " SELECT 9, policy_id, name, number, closing, 'draft', made FROM lists WHERE id = 1"
        ),
        "UPDATE OR REPLACE lists SET id = 1 WHERE id = 2",
        "UPDATE OR REPLACE lists SET name = '2026-10' WHERE id = 2",
        "INSERT OR REPLACE INTO entries (list_id, player_id, name, rating) VALUES (1, 2, 'x', 3000)",
        "UPDATE OR REPLACE entries SET list_id = 1 WHERE list_id = 2",
        "REPLACE INTO list_hashes VALUES (1, 0, 'x')",
        "UPDATE list_hashes SET sha256 = 'x'",
        "DELETE FROM list_hashes",
        "REPLACE INTO policies SELECT id, name, version, '{}', created FROM policies",
        "REPLACE INTO runs SELECT id, policy_id, closing, previous_id, 'x', made, figures FROM runs",
        "REPLACE INTO states (run_id, player_id, rating) VALUES (1, 2, 3000)",
        "REPLACE INTO steps (run_id, player_id, seq, change) SELECT run_id, player_id, seq, 3000 FROM steps",
        (
            "REPLACE INTO decisions SELECT id, \"when\", 'x', why, kind, subject, before, after, undoes, undone_by"
            " FROM decisions"
        ),
    ],
)
def test_replace_from_another_program_is_refused(filled, statement):
    if filled.dialect != "sqlite":
        pytest.skip("PostgreSQL has no REPLACE")
    with filled.reading() as connection:
        was = digests(connection)
    with pytest.raises(sqlite3.IntegrityError, match=r"frozen|never change|stays in the log"):
        _from_outside(filled.place.file, statement)
    with filled.reading() as connection:
        assert digests(connection) == was


def _changed(ledger, *statements):
    """Change the ledger although it is frozen, as whoever takes its triggers away can."""
    with ledger.writing() as connection, without_guards(connection):
        for statement in statements:
            connection.exec_driver_sql(statement)
    return check_ledger(ledger)


def test_the_check_finds_a_published_figure_that_was_changed(filled):
    assert check_ledger(filled) == []
    (fault,) = _changed(filled, "UPDATE entries SET rating = 3000 WHERE list_id = 1 AND player_id = 2")
    assert "of club" in fault
    assert "hash differs" in fault


def test_the_check_finds_a_list_of_another_size_or_without_its_hash(filled):
    (fault,) = _changed(filled, "DELETE FROM entries WHERE list_id = 1 AND player_id = 2")
    assert "it was published with" in fault
    (fault,) = _changed(filled, "DELETE FROM list_hashes")
    assert "its hash is missing" in fault


def test_the_check_finds_a_list_that_is_a_draft_again(filled):
    (fault,) = _changed(filled, "UPDATE lists SET state = 'draft', published = NULL WHERE id = 1")
    assert "not published any more" in fault


def test_the_check_finds_a_game_that_was_changed(ledger):
    fill_club(ledger)
    assert check_ledger(ledger) == []
    (fault,) = _changed(ledger, "UPDATE games SET score = 0, black_score = 1 WHERE id = 1")
    assert "event 1" in fault


def test_the_check_finds_games_that_were_deleted(ledger):
    fill_club(ledger)
    (fault,) = _changed(ledger, "DELETE FROM games WHERE event_id = 1")
    assert "event 1" in fault


@pytest.mark.parametrize(
    "statement",
    [
        "INSERT INTO steps (run_id, player_id, seq, change) VALUES (1, 2, 99, 50)",
        "INSERT INTO steps (run_id, player_id, seq, change) VALUES (1, 13, 0, 50)",
    ],
)
def test_the_check_finds_a_step_that_was_added(filled, statement):
    assert "run 1" in _changed(filled, statement)[0]


def test_a_guard_that_is_gone_is_found(filled):
    with filled.reading() as connection:
        assert guards(connection) == GUARDS[filled.dialect][1]
    assert check_ledger(filled) == []
    name = "guard_entries_update"
    with filled.writing() as connection:
        connection.exec_driver_sql(
            f"DROP TRIGGER {name}"
            if filled.dialect == "sqlite"
            else f"ALTER TABLE entries DISABLE TRIGGER {name}"
        )
    (said,) = check_ledger(filled)
    assert "triggers that freeze published lists" in said


@pytest.fixture
def made(ledger):
    """A ledger with two decisions, and a list that was made after them."""
    put_policy(ledger, preset("club"))
    fill_club(ledger)
    with ledger.writing("Ann", "her passport") as connection:
        correct_player(connection, 1, name="Lee, Ann")
        set_rating(connection, 2, 1600, on=date(2025, 1, 1))
    make_list(ledger)
    assert check_ledger(ledger) == []
    return ledger


@pytest.mark.parametrize(
    ("statement", "fault"),
    [
        ("UPDATE events SET \"end\" = '2026-01-01', start = '2025-12-31' WHERE id = 1", "days of its events"),
        ("UPDATE runs SET key = 'other' WHERE id = 1", "another run before it"),
        ("DELETE FROM decisions WHERE id = 1", "decision 1 is missing"),
        ("DELETE FROM decisions WHERE id = 2", "the log ends with decision 1"),
        ("UPDATE players SET name = 'Other, Name' WHERE id = 3", "player 3 is called 'Other, Name'"),
    ],
)
def test_the_check_finds_days_keys_decisions_and_names_that_were_changed(made, statement, fault):
    assert any(fault in each for each in _changed(made, statement))


def test_the_check_knows_what_was_decided(made):
    with made.writing("Ann", "the report was wrong") as connection:
        correct_event(connection, 1, name="Spring", start=date(2025, 12, 30))
        correct_player(connection, 3, name="Other, Name")
        undo(connection, 1)
    assert check_ledger(made) == []
