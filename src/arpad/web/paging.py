"""Long tables, a page at a time."""

from __future__ import annotations

from typing import Annotated, Any, TypeVar

from fastapi import Query

from arpad.web.contexts import Context

__all__ = ["MOST", "Page", "Pager", "paged", "pager"]

MOST = 2**31 - 1
Page = Annotated[int, Query(ge=1, le=100_000)]
"""Give a page's function a parameter of this type: which page of a table."""
Row = TypeVar("Row", bound=Any)


class Pager(Context):
    """Where a page stands among its neighbours; rows are counted from 1."""

    page: int
    pages: int
    first: int
    last: int
    total: int


def pager(total: int, page: int, per: int) -> Pager:
    """Return where a page stands; one behind the last is the last.

    Examples
    --------
    >>> found = pager(101, 9, 50)
    >>> found.page, found.first, found.last
    (3, 101, 101)
    """
    pages = max(1, -(-total // per))
    page = min(page, pages)
    first = (page - 1) * per
    return Pager(
        page=page,
        pages=pages,
        first=min(first + 1, total),
        last=min(first + per, total),
        total=total,
    )


def paged(rows: list[Row], page: int, per: int) -> tuple[list[Row], Pager]:
    """Return the rows of a page, and where it stands."""
    found = pager(len(rows), page, per)
    return rows[max(found.first - 1, 0) : found.last], found
