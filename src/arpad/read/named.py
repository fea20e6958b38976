"""Small tables that say one thing of each name: a year of birth, a rating, another spelling."""

from __future__ import annotations

import csv
import io
import math
from pathlib import Path
from typing import TYPE_CHECKING

from arpad.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["named_numbers", "named_texts"]


def named_texts(path: str, columns: Sequence[str]) -> dict[str, str]:
    """Return name → text from a CSV file with a column `name` and one of `columns`; empty cells are passed over."""
    try:
        text = Path(path).read_text("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"expected a CSV file in UTF-8, found {error}", file=path) from None
    rows = csv.DictReader(io.StringIO(text))
    heading = [h.strip().casefold() for h in rows.fieldnames or []]
    column = next((c for c in columns if c in heading), None)
    if "name" not in heading or column is None:
        raise InputError(
            f"expected the columns name and {' or '.join(columns)}, found {', '.join(heading) or 'nothing'}",
            file=path,
            line=1,
        )
    at, what = heading.index("name"), heading.index(column)
    found: dict[str, str] = {}
    rows.fieldnames = [str(i) for i in range(len(heading))]
    for row in rows:
        name, value = (row[str(at)] or "").strip(), (row[str(what)] or "").strip()
        if name and value:
            if found.get(name, value) != value:
                raise InputError(
                    f"expected each name once, found {name!r} with {found[name]} and {value}",
                    file=path,
                    line=rows.line_num,
                )
            found[name] = value
    if not found:
        raise InputError(f"expected rows with name and {column}, found none", file=path)
    return found


def named_numbers(path: str, columns: Sequence[str], *, year: bool = False) -> dict[str, float]:
    """Return name → number, as `named_texts`; of a date such as 1943-03-09 the year if asked."""
    found = {}
    for name, text in named_texts(path, columns).items():
        try:
            number = float(text[:4] if year else text)
        except ValueError:
            number = math.nan
        if not math.isfinite(number):
            raise InputError(f"expected a number for {name!r}, found {text!r}", file=path)
        found[name] = number
    return found
