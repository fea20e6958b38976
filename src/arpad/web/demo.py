"""A demonstration club: a season of made-up events, lists, and a doubt that waits.

The events are files in `samples`. The masters' results are made up so that there is something to see: the club's first
player makes a norm for International Master, and the winner scores enough for Grandmaster but meets one Grandmaster
too few. In the Autumn Cup somebody wrote only the initial of one player.
"""

from __future__ import annotations

from importlib.resources import files
from typing import TYPE_CHECKING

from arpad.ledger.db.ledger import Ledger
from arpad.ledger.decisions.corrections import exclude_event
from arpad.ledger.imports.importing import import_files
from arpad.ledger.inspection import check_events
from arpad.ledger.list_making import make_list, publish_list
from arpad.ledger.policy import add_policy, preset
from arpad.ledger.queries.events import events_table
from arpad.ledger.titles import record_titles

if TYPE_CHECKING:
    from collections.abc import Iterable

OFFICER = "Anna Arbiter"
POLICIES = ("club", "fide")  # whose lists there are
SEASON = {
    "1-winter-open.csv": "2026-02",
    "2-february-league.csv": "2026-03",
    "3-spring-cup.csv": "2026-04",
    "4-easter-open.csv": "2026-05",
    "6-summer-open.csv": "2026-08",
    "7-september-league.csv": "2026-10",
    "8-autumn-cup.csv": "2026-11",
}
"""Events that were reported in time, and the list after each."""
LATE = "5-may-league.csv"  # the event that is reported after later lists are published
MASTERS = "9-autumn-masters.csv"
OLD, FAMOUS = "game-of-the-century.pgn", "famous-games.pgn"
"""Games to look at, not the club's: no list counts them."""
LOOKED_AT = (7, 10)
"""Numbers of the events that the officer has checked: the Autumn Cup and the masters. The rest waits."""


def fill_demo(place: str, *, more: bool = False) -> None:
    """Make a ledger with a club's season in it.

    Parameters
    ----------
    more
        Also famous games with evaluations, and a correction that was published.
    """
    samples = files("arpad") / "samples"
    with Ledger.open(place, create=True) as ledger:

        def report(*names: str) -> None:
            list(import_files(ledger, [str(samples / name) for name in names], who=OFFICER))

        def leave_out(numbers: Iterable[int]) -> None:
            with ledger.writing(OFFICER, "A game to look at, not one of the club's") as connection:
                for number in numbers:
                    exclude_event(connection, number)

        with ledger.writing(OFFICER, "policies") as connection:
            add_policy(connection, preset("club"))
            add_policy(connection, preset("fide", provisional_games=5))
        for name, month in SEASON.items():
            report(name)
            for policy in POLICIES:
                make_list(ledger, policy=policy, name=month, who=OFFICER)
                publish_list(ledger, policy=policy, name=month, who=OFFICER)
        report(LATE, OLD)
        leave_out([len(SEASON) + 2])
        report(MASTERS)
        if more:
            report(FAMOUS)
            with ledger.reading() as connection:
                famous = events_table(connection, "Famous games")["event"].to_list()
            leave_out(famous)
        for policy in POLICIES:
            make_list(ledger, policy=policy, name="2026-12", who=OFFICER)
        if more:
            publish_list(ledger, policy="fide", name="2026-08", who=OFFICER)
        check_events(ledger, LOOKED_AT, policy="club")
        with ledger.writing(OFFICER, "titles") as connection:
            record_titles(connection, policy="fide")
