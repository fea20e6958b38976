"""The types of the ledger's columns: they hold the same values on SQLite and on PostgreSQL.

What only one of the two databases would take is refused before it gets there: NaN (SQLite makes it a
null), a NUL inside a text (PostgreSQL refuses it), a moment without a time zone.
"""

from __future__ import annotations

import json
import math
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa
from sqlalchemy.types import TypeDecorator

from arpad.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sqlalchemy.engine import Dialect

__all__ = ["Document", "Moment", "Number", "Words", "document_text", "now", "row_number"]

LARGEST = 2**31
"""Numbers of rows are smaller, on both databases."""


def now() -> datetime:
    """Return the present moment in UTC, whole seconds: finer ones mean nothing to a rating officer."""
    return datetime.now(UTC).replace(microsecond=0)


def document_text(value: Mapping[str, Any] | Sequence[Any]) -> str:
    """Return a document as the one JSON text that stands for it on both databases.

    Examples
    --------
    >>> document_text({"b": 1, "a": "½"})
    '{"a":"½","b":1}'
    """
    try:
        return json.dumps(
            value, sort_keys=True, ensure_ascii=False, allow_nan=False, separators=(",", ":")
        )
    except (TypeError, ValueError) as error:
        raise UsageError(f"expected a document that JSON can hold: {error}") from None


TEXT = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")
"""Sorted by code points on both databases, whatever the language of the server."""


class Words(TypeDecorator[str]):
    """Text of any length in any script; without NUL, which PostgreSQL cannot hold."""

    impl = TEXT
    cache_ok = True

    def process_bind_param(self, value: str | None, _dialect: Dialect) -> str | None:
        """Return the text, or say what cannot be kept."""
        if value is None:
            return None
        if "\0" in value:
            raise UsageError(f"expected text, found a NUL character in {value[:80]!r}: take it out")
        try:
            value.encode()
        except UnicodeEncodeError:
            raise UsageError(
                f"expected text, found half a character in {value[:80]!r}: take it out"
            ) from None
        return value


class Number(TypeDecorator[float]):
    """A double, the same bits on both databases; never NaN, never infinite, never −0."""

    impl = sa.Double
    cache_ok = True

    def process_bind_param(self, value: float | None, _dialect: Dialect) -> float | None:
        """Return the number, or say that it is none."""
        if value is None:
            return None
        if not math.isfinite(value):
            raise UsageError(f"expected a number, found {value!r}: what is not known is null")
        return float(value) + 0.0  # SQLite drops the sign of −0


class Moment(TypeDecorator[datetime]):
    """A moment in UTC; goes in and comes out with its time zone."""

    impl = sa.DateTime
    cache_ok = True

    def process_bind_param(self, value: datetime | None, _dialect: Dialect) -> datetime | None:
        """Return the moment in UTC without its zone, as it is kept."""
        if value is None:
            return None
        if value.tzinfo is None:
            raise UsageError(f"expected a moment with its time zone, found {value.isoformat()}")
        return value.astimezone(UTC).replace(tzinfo=None)

    def process_result_value(self, value: datetime | None, _dialect: Dialect) -> datetime | None:
        """Return the moment with its zone."""
        return None if value is None else value.replace(tzinfo=UTC)


class Document(TypeDecorator[Any]):
    """A JSON document, kept as text with sorted keys: equal documents are equal bytes."""

    impl = TEXT
    cache_ok = True

    def process_bind_param(self, value: Any, _dialect: Dialect) -> str | None:
        """Return the text of a document."""
        return None if value is None else document_text(value)

    def process_result_value(self, value: str | None, _dialect: Dialect) -> Any:
        """Return the document of a text."""
        return None if value is None else json.loads(value)


def row_number(number: int) -> int:
    """Return a number to look a row up by; 0, which no row has, for one that is too large for a column.

    Examples
    --------
    >>> row_number(7), row_number(10**30)
    (7, 0)
    """
    return number if 0 < number < LARGEST else 0
