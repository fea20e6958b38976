"""Addresses of lists: names come from the ledger, and are quoted."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import quote, urlencode

from arpad.web.lists.contexts import Pager

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["PAGE", "list_href", "paged", "with_query"]

PAGE = 50
"""Rows of a page."""


def list_href(policy: str, name: str, part: str = "") -> str:
    """Return the address of a list, or of a part of its pages.

    Examples
    --------
    >>> list_href("club & friends", "2026-11", "changes")
    '/lists/club%20%26%20friends/2026-11/changes'
    """
    return f"/lists/{quote(policy)}/{quote(name, safe='')}{f'/{part}' if part else ''}"


def with_query(path: str, values: Mapping[str, object]) -> str:
    """Return an address with what is asked for; what is empty is left out.

    Examples
    --------
    >>> with_query("/players", {"q": "O'Neil", "page": None, "sort": ""})
    '/players?q=O%27Neil'
    """
    said = {k: str(v).lower() if isinstance(v, bool) else v for k, v in values.items()}
    query = urlencode({k: v for k, v in said.items() if v not in (None, "", "false")})
    return f"{path}?{query}" if query else path


def paged(path: str, values: Mapping[str, object], page: int, found: int, size: int = PAGE) -> Pager:  # fmt: skip
    """Return which part of so many rows a page is, and the addresses of its neighbours."""
    pages = max(1, -(-found // size))
    here = min(page, pages)

    def at(number: int) -> str | None:
        if number == here or not 1 <= number <= pages:
            return None
        return with_query(path, {**values, "page": number if number > 1 else None})

    return Pager(
        found=found, first=min(found, (here - 1) * size + 1), last=min(found, here * size), page=here, pages=pages,
        before=at(here - 1), after=at(here + 1), start=at(1), end=at(pages),
    )  # fmt: skip
