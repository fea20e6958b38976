"""An event whose results do not fit the ratings: the last of the club wins it, and one lies far off."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import sqlalchemy as sa

from arpad.ledger.db import tables
from arpad.ledger.db.ledger import Ledger
from arpad.ledger.imports.importing import import_files
from arpad.ledger.inspection import check_events
from arpad.ledger.lists import entries_kept, list_called

if TYPE_CHECKING:
    from pathlib import Path

NAME = 'Upset "Cup" <script>alert(1)</script>'


def add_upset(place: str, folder: Path) -> int:
    """Import the event, look through it, and return its number."""
    with Ledger.open(place) as ledger:
        with ledger.reading() as connection:
            listed = entries_kept(connection, list_called(connection, "club", "2026-11"))
        names = listed["name"].to_list()
        people = [names[-1], *names[2:9]]  # the last one beats everybody, the others play to form
        games = [(a, b, "1-0") for a, b in itertools.combinations(people, 2)]
        rows = [
            f'"{NAME.replace(chr(34), chr(34) * 2)}",2026-11-14,{n // 4 + 1},"{a}","{b}",{r}'
            for n, (a, b, r) in enumerate(games)
        ]
        path = folder / "upset.csv"
        path.write_text("\n".join(["event,date,round,white,black,result", *rows]) + "\n")
        list(import_files(ledger, [str(path)], who="Anna Arbiter"))
        e = tables.events.c
        with ledger.reading() as connection:
            number = int(connection.execute(sa.select(e.id).where(e.name == NAME)).scalar_one())
        check_events(ledger, [number], policy="club")
    return number
