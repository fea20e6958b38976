"""A demonstration club: players who do not exist, a season of events, lists, and a doubt that waits."""

from __future__ import annotations

from importlib.resources import files
from itertools import groupby
from typing import TYPE_CHECKING

from arpad.ledger.db.ledger import Ledger
from arpad.ledger.decisions.corrections import exclude_event
from arpad.ledger.imports.importing import import_files
from arpad.ledger.inspection import check_events
from arpad.ledger.list_making import make_list, publish_list
from arpad.ledger.policy import add_policy, preset
from arpad.ledger.titles import record_titles

if TYPE_CHECKING:
    from pathlib import Path


OFFICER = "Anna Arbiter"
POLICIES = ("club", "fide")
"""Whose lists there are."""
SEASON, GAME = "demo-season.csv", "game-of-the-century.pgn"
"""Made-up events, one after the other, and a game to look at. In the masters' event Berg makes a norm for International
Master; the winner scores enough for Grandmaster and meets one Grandmaster too few. One club player is misspelt once."""
LATE = "May League"
"""The event that is reported after later lists are published."""
MASTERS = "Autumn Masters"
LOOKED_AT = (7, 10)
"""Numbers of the events that the officer has checked: the Autumn Cup and the masters. The rest waits."""


def fill_demo(place: str, folder: Path) -> None:
    """Make a ledger with a club's season in it.

    Parameters
    ----------
    folder
        Where the files of the events are written before they are imported.
    """
    reports = season(folder)
    late, masters = reports.pop(LATE)[1], reports.pop(MASTERS)[1]
    game = folder / GAME
    game.write_bytes((files("arpad") / "samples" / GAME).read_bytes())
    with Ledger.open(place, create=True) as ledger:
        with ledger.writing(OFFICER, "policies") as connection:
            add_policy(connection, preset("club"))
            add_policy(connection, preset("fide", provisional_games=5))
        for month, path in reports.values():
            list(import_files(ledger, [str(path)], who=OFFICER))
            for policy in POLICIES:
                make_list(ledger, policy=policy, name=month, who=OFFICER)
                publish_list(ledger, policy=policy, name=month, who=OFFICER)
        (_, old) = import_files(ledger, [str(late), str(game)], who=OFFICER)
        with ledger.writing(OFFICER, "A game to look at, not one of the club's") as connection:
            exclude_event(connection, old.as_dict()["event_list"][0]["event"])
        list(import_files(ledger, [str(masters)], who=OFFICER))
        for policy in POLICIES:
            make_list(ledger, policy=policy, name="2026-12", who=OFFICER)
        check_events(ledger, LOOKED_AT, policy="club")
        with ledger.writing(OFFICER, "titles") as connection:
            record_titles(connection, policy="fide")


def season(folder: Path) -> dict[str, tuple[str, Path]]:
    """Write each event into a file of its own; return the month of the list after it, and the file, by event."""
    head, *rows = (files("arpad") / "samples" / SEASON).read_text("utf-8").splitlines(keepends=True)
    written = {}
    for number, (name, games) in enumerate(groupby(rows, lambda row: row.partition(",")[0]), start=1):
        text = head + "".join(games)
        path = folder / f"{number}-{name.lower().replace(' ', '-')}.csv"
        path.write_text(text, encoding="utf-8")
        year, month = text.rstrip().splitlines()[-1].split(",")[1].split("-")[:2]
        written[name] = (f"{year}-{int(month) + 1:02}", path)
    return written
