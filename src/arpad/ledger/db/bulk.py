"""Whole frames in and out of the database: as fast as each one takes and gives them."""

from __future__ import annotations

import io
from contextlib import contextmanager
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import polars as pl
import sqlalchemy as sa

from arpad.errors import LedgerError, UsageError
from arpad.ledger.db.tables import Document, Moment, Number, Words

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from sqlalchemy.engine import Connection


CHUNK = 50_000
"""Rows that are handed over at once: enough to be fast, few enough to be small."""
IN_ONE = 500
"""Values in one IN (…): SQLite takes more, but not without end."""
AT_ONCE = 25
"""Rows of one INSERT: SQLite takes them in half the time that single ones need."""
MOMENT = pl.Datetime("us", "UTC")
TYPES: tuple[tuple[tuple[type, ...], Any], ...] = (
    ((Words, Document, sa.String), pl.String),
    ((Number, sa.Float, sa.Numeric), pl.Float64),
    ((Moment, sa.DateTime), MOMENT),
    ((sa.Boolean,), pl.Boolean),
    ((sa.Integer,), pl.Int64),
    ((sa.Date,), pl.Date),
    ((sa.LargeBinary,), pl.Binary),
)
"""Types of the ledger's columns, and of frames'."""


def polars_type(kind: sa.types.TypeEngine[Any]) -> Any:
    """Return the type of a frame's column for one of the ledger."""
    for ours, theirs in TYPES:
        if isinstance(kind, ours):
            return theirs
    raise UsageError(f"expected a schema for a column of type {kind!r}: give one to frame()")


def next_id(connection: Connection, table: sa.Table) -> int:
    """Return the number of the next row; only a writer may rely on it."""
    return int(connection.execute(sa.select(sa.func.max(table.c.id))).scalar() or 0) + 1


def insert(connection: Connection, table: sa.Table, **values: object) -> int:
    """Write one row with the next number and return that number."""
    row = next_id(connection, table)
    connection.execute(table.insert().values(id=row, **values))
    return row


def bulk_insert(connection: Connection, table: sa.Table, rows: pl.DataFrame) -> int:
    """Write a frame into a table, whose column names it has, and return how many rows there were.

    Columns that are left out are null. A document is given as JSON text (`document_text`). NaN, NUL
    characters and columns that the table does not have are refused before anything is written.
    """
    unknown = [name for name in rows.columns if name not in table.c]
    if unknown:
        raise UsageError(f"expected columns of {table.name}, found {', '.join(unknown)}")
    kept = rows.select(_checked(table.c[name], rows[name]) for name in rows.columns)
    if kept.height:
        (_into_sqlite if connection.dialect.name == "sqlite" else _into_postgresql)(connection, table, kept)
    return kept.height


def _checked(column: sa.Column[Any], values: pl.Series) -> pl.Series:
    """Return values as both databases take them."""
    name, kind = f"{column.table.name}.{column.name}", polars_type(column.type)
    try:
        values = values if values.dtype == kind else values.cast(kind)
    except pl.exceptions.PolarsError:
        raise UsageError(f"{name}: expected {kind}, found {values.dtype}") from None
    if not column.nullable and values.null_count():
        raise UsageError(f"{name}: expected a value in every row, found {values.null_count()} null")
    if kind == pl.Float64:
        if not values.is_finite().all():
            raise UsageError(f"{name}: expected numbers, found NaN: write null for an unknown value")
        return values.set(values == 0.0, 0.0)  # SQLite drops the sign of −0
    if kind == pl.String and values.str.contains("\0", literal=True).any():
        raise UsageError(f"{name}: expected text, found a NUL character: take it out")
    return values


def _statement(connection: Connection, table: sa.Table, columns: list[str]) -> tuple[str, str]:
    quote = connection.dialect.identifier_preparer.quote
    return quote(table.name), ", ".join(map(quote, columns))


def _into_sqlite(connection: Connection, table: sa.Table, rows: pl.DataFrame) -> None:
    stored = rows.with_columns(
        pl.col(pl.Date).dt.strftime("%Y-%m-%d"),
        pl.col(MOMENT).dt.strftime("%Y-%m-%d %H:%M:%S%.6f"),
        pl.col(pl.Boolean).cast(pl.Int8),
    )
    where, columns = _statement(connection, table, rows.columns)
    row = f"({', '.join('?' * rows.width)})"
    cursor: Any = connection.connection.cursor()
    try:
        for part in stored.iter_slices(CHUNK):
            rest = part.height % AT_ONCE
            for count, some in ((AT_ONCE, part.slice(0, part.height - rest)), (1, part.tail(rest))):
                statement = f"INSERT INTO {where} ({columns}) VALUES {', '.join([row] * count)}"
                cursor.executemany(statement, _side_by_side(some, count))
    finally:
        cursor.close()


def _side_by_side(rows: pl.DataFrame, count: int) -> Iterator[list[Any]]:
    """Give the values of this many rows at a time, row after row."""
    flat: list[Any] = [None] * (rows.height * rows.width)
    for at, column in enumerate(rows.get_columns()):
        flat[at :: rows.width] = column.to_list()
    size = count * rows.width
    return (flat[at : at + size] for at in range(0, len(flat), size))


def _into_postgresql(connection: Connection, table: sa.Table, rows: pl.DataFrame) -> None:
    # A null is an empty field without quotes, an empty text one with quotes: both sides agree.
    stored = rows.with_columns(pl.col(MOMENT).dt.strftime("%Y-%m-%d %H:%M:%S%.6f"))
    where, columns = _statement(connection, table, rows.columns)
    raw: Any = connection.connection.driver_connection
    with raw.cursor() as cursor, cursor.copy(f"COPY {where} ({columns}) FROM STDIN (FORMAT csv)") as copy:
        for part in stored.iter_slices(CHUNK):
            text = io.BytesIO()
            part.write_csv(text, include_header=False, quote_style="non_numeric")
            copy.write(text.getvalue())


def frame(
    connection: Connection, query: sa.Select[Any] | sa.Table, schema: Mapping[str, Any] | None = None
) -> pl.DataFrame:
    """Return what a query finds as a frame, typed also when it finds nothing.

    `query`: A select with an order (what comes in no order differs between databases), or a whole table,
    which comes in the order of its key. Documents come as JSON text.
    `schema`: Types for columns that shall have others than the ledger's.
    """
    return pl.concat(frames(connection, query, schema), rechunk=True)


def chunks(values: Sequence[Any]) -> Iterator[Sequence[Any]]:
    """Cut values into pieces that one IN (…) takes."""
    return (values[at : at + IN_ONE] for at in range(0, len(values), IN_ONE))


def rows_in(
    connection: Connection, query: sa.Select[Any], column: sa.ColumnElement[Any], values: Sequence[Any]
) -> Iterator[Any]:
    """Return the rows whose column has one of these values."""
    for some in chunks(values):
        yield from connection.execute(query.where(column.in_(some)))


def frame_in(
    connection: Connection, query: sa.Select[Any], column: sa.ColumnElement[Any], values: Sequence[Any]
) -> pl.DataFrame:
    """Return the rows whose column has one of these values as a frame."""
    return pl.concat(frame(connection, query.where(column.in_(some))) for some in [*chunks(values)] or [[]])


def frames(
    connection: Connection,
    query: sa.Select[Any] | sa.Table,
    schema: Mapping[str, Any] | None = None,
    *,
    rows: int = CHUNK,
    stream: bool = False,
) -> Iterator[pl.DataFrame]:
    """Give what a query finds in frames of this many rows: at least one, if need be an empty one.

    With `stream`, PostgreSQL keeps the rest until it is asked for: for what does not fit in memory.
    """
    if isinstance(query, sa.Table):
        query = sa.select(query).order_by(*query.primary_key.columns)
    if not query._order_by_clauses:
        raise UsageError("expected a query with an ORDER BY: without one the order of rows is random")
    types = _types(query, dict(schema or {}))
    with _found(connection, query, stream=stream) as cursor:
        result = cursor.fetchmany(rows)
        while True:
            yield _typed(result, types)
            result = cursor.fetchmany(rows)
            if not result:
                return


@contextmanager
def _found(connection: Connection, query: sa.Select[Any], *, stream: bool) -> Iterator[Any]:
    """Give the driver's own cursor: the frame is typed as a whole, not value by value."""
    if stream and connection.dialect.name == "postgresql":
        raw: Any = connection.connection.driver_connection
        compiled = query.compile(dialect=connection.dialect)
        with raw.cursor(name=f"arpad_{id(compiled)}") as cursor:
            cursor.execute(str(compiled), compiled.params or None)
            yield cursor
        return
    with connection.execute(query) as result:
        yield result.cursor


def _types(query: sa.Select[Any], given: dict[str, Any]) -> dict[str, Any]:
    types = {c.name: given.get(c.name) or polars_type(c.type) for c in query.selected_columns}
    if unknown := [name for name in given if name not in types]:
        raise UsageError(f"the query has no columns {', '.join(unknown)}")
    return types


def _typed(found: Sequence[tuple[Any, ...]], types: dict[str, Any]) -> pl.DataFrame:
    columns = zip(*found, strict=True) if found else ([] for _ in types)
    try:
        return pl.DataFrame(
            [_series(*typed, values) for typed, values in zip(types.items(), columns, strict=True)]
        )
    except (pl.exceptions.PolarsError, TypeError, ValueError, OverflowError) as error:
        raise LedgerError(
            f"the ledger has data that arpad did not write: {error}. It is damaged, or another program changed it: use the last backup (arpad restore)"
        ) from None


def _series(name: str, kind: Any, values: Sequence[Any]) -> pl.Series:
    first = next((v for v in values if v is not None), None)  # a driver gives one type a column
    if kind == pl.Boolean:  # SQLite keeps 0 and 1
        return pl.Series(name, [None if v is None else bool(v) for v in values], dtype=kind)
    if kind in (pl.Date, MOMENT) and isinstance(first, str):  # SQLite keeps text
        text = pl.Series(name, values, dtype=pl.String)
        if kind == pl.Date:
            return text.str.to_date("%Y-%m-%d")
        moments = text.str.to_datetime("%Y-%m-%d %H:%M:%S%.f", time_unit="us")
        return moments.dt.replace_time_zone("UTC")
    if kind == MOMENT:
        return pl.Series(name, values, dtype=pl.Datetime("us")).dt.replace_time_zone("UTC")
    if isinstance(first, Decimal):  # PostgreSQL's sums
        values = [None if v is None else float(v) for v in values]
        return pl.Series(name, values, dtype=pl.Float64).cast(kind)
    return pl.Series(name, values, dtype=kind)
