"""The ledger on both databases: open, read, write, all or nothing."""

from __future__ import annotations

from datetime import UTC, date, datetime

import polars as pl
import pytest
import sqlalchemy as sa

from arpad.errors import UsageError
from arpad.ledger.db import tables
from arpad.ledger.db.bulk import bulk_insert, frame, insert, next_id
from arpad.ledger.db.ledger import Ledger, script_directory


def players(*names: str, first: int = 1) -> pl.DataFrame:
    return pl.DataFrame({"id": range(first, first + len(names)), "name": names})


def test_a_new_ledger_is_empty_and_of_the_newest_revision(ledger):
    assert ledger.revision() == tables.HEAD
    with ledger.reading() as connection:
        assert {name: frame(connection, t).height for name, t in tables.METADATA.tables.items()} == (
            dict.fromkeys(tables.METADATA.tables, 0) | {"identity": 1}
        )


def test_revisions_are_known_in_order():
    scripts = script_directory()
    assert scripts.get_current_head() == tables.HEAD
    found = [s.revision for s in scripts.walk_revisions()]
    assert tuple(reversed(found)) == tables.REVISIONS


def test_tables_in_the_database_are_those_described(ledger):
    from alembic.autogenerate import compare_metadata
    from alembic.runtime.migration import MigrationContext

    with ledger.reading() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        assert compare_metadata(context, tables.METADATA) == []


def test_frames_go_in_and_come_out_the_same(ledger):
    rows = pl.DataFrame(
        {
            "id": [1, 2, 3],
            "number": [1, 2, 3],
            "name": ["Zürich", 'a "quoted", name\nin two lines', ""],
            "site": [None, "", "\\N"],
            "start": [date(1953, 8, 28), None, date(2026, 11, 16)],
            "end": [date(1953, 10, 24), None, None],
            "rounds": [30, None, 0],
            "source": ["a", "b", "c"],
            "content": ["a", "b", "c"],
            "excluded": [False, True, False],
            "document": ['{"a":1}', None, "[]"],
        }
    )
    with ledger.writing("anna", "test") as connection:
        assert bulk_insert(connection, tables.events, rows) == 3
    with ledger.reading() as connection:
        found = frame(connection, tables.events)
        assert found.select(rows.columns).equals(rows.with_columns(pl.col(pl.Int64)))
        one = connection.execute(sa.select(tables.events).where(tables.events.c.id == 1)).one()
    assert (one.start, one.excluded, one.document) == (date(1953, 8, 28), False, {"a": 1})


def test_moments_and_floats_come_out_as_they_went_in(ledger):
    moment = datetime(2026, 11, 16, 12, 30, 15, tzinfo=UTC)
    floats = [0.1 + 0.2, 1e-300, -2785.123456789012, 5e-324, 1.7976931348623157e308, -0.0]
    with ledger.writing() as connection:
        policy = insert(connection, tables.policies, name="club", version=1, document={}, created=moment)
        run = insert(
            connection, tables.runs,
            policy_id=policy, closing=date(2026, 11, 1), key="k", made=moment, figures={"½": [1, None]},
        )  # fmt: skip
        bulk_insert(
            connection,
            tables.states,
            pl.DataFrame({"run_id": run, "player_id": range(len(floats)), "rating": floats}),
        )
    with ledger.reading() as connection:
        assert frame(connection, tables.states)["rating"].to_list() == floats
        assert str(frame(connection, tables.states)["rating"][-1]) == "0.0"  # on both
        assert frame(connection, tables.runs)["made"].to_list() == [moment]
        row = connection.execute(sa.select(tables.runs)).one()
        assert (row.made, row.figures) == (moment, {"½": [1, None]})


def test_nothing_found_is_typed_too(ledger):
    with ledger.reading() as connection:
        found = frame(connection, tables.games, {"white_id": pl.Int32})
    assert found.schema["date"] == pl.Date
    assert found.schema["score"] == pl.Float64
    assert found.schema["white_id"] == pl.Int32
    assert found.height == 0


def test_a_read_without_an_order_is_refused(ledger):
    with ledger.reading() as connection, pytest.raises(UsageError, match="ORDER BY"):
        frame(connection, sa.select(tables.players.c.name))


def test_a_block_that_fails_leaves_nothing(ledger):
    def _fails():
        with ledger.writing() as connection:
            bulk_insert(connection, tables.players, players("Anna", "Bo"))
            raise KeyError("on purpose")

    with pytest.raises(KeyError):
        _fails()
    with ledger.writing() as connection:
        assert next_id(connection, tables.players) == 1


def test_a_reader_sees_one_moment(ledger, place):
    with ledger.reading() as early:
        assert frame(early, tables.players).height == 0
        with Ledger.open(place) as other, other.writing() as connection:
            bulk_insert(connection, tables.players, players("Anna"))
        assert frame(early, tables.players).height == 0
    with ledger.reading() as late:
        assert frame(late, tables.players)["name"].to_list() == ["Anna"]


def test_who_writes_is_known_to_those_who_log(ledger):
    with ledger.writing("anna", "late report") as connection:
        assert (connection.info["who"], connection.info["why"]) == ("anna", "late report")


def test_names_sort_by_code_points_on_both(ledger):
    names = ["a", "B", "Z", "Ä", "a b", "a-b", "ab", "А", "漢", "_", "ä", "𝔸"]
    with ledger.writing() as connection:
        bulk_insert(connection, tables.players, players(*names))
    query = sa.select(tables.players.c.name).order_by(tables.players.c.name)
    with ledger.reading() as connection:
        assert frame(connection, query)["name"].to_list() == sorted(names)


def test_sums_and_counts_are_numbers_on_both(ledger):
    with ledger.writing() as connection:
        bulk_insert(connection, tables.players, players("Anna", "Bo"))
    ids = tables.players.c.id
    query = sa.select(
        sa.func.count().label("n"), sa.func.sum(ids).label("sum"), sa.func.max(ids).label("max")
    ).order_by("n")
    with ledger.reading() as connection:
        found = frame(connection, query)
    assert found.row(0) == (2, 3, 2)
    assert set(found.dtypes) == {pl.Int64}
