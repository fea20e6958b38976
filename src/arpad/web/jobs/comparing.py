"""A job that lets every system foretell the ledger's games; the lab shows what it found."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast
from urllib.parse import urlencode

from arpad.office.showing.lab_games import lab_games
from arpad.web.jobs.kinds import Finished
from arpad.web.lab.keeping import document_of, forget_older
from arpad.web.lab.walking import ALL, least_of, walked
from arpad.web.marks import marks_of

if TYPE_CHECKING:
    from arpad.web.jobs.kinds import Work
    from arpad.web.lab.walking import LeastGames

__all__ = ["compare_systems"]


def compare_systems(work: Work) -> Finished:
    """Compare all systems on the ledger's games, one after the other."""
    said = work.job.arguments
    given = bool(said["given"])
    work.tell("reading the games", 0, len(ALL) + 1)
    with work.ledger.reading() as connection:  # the stamp is that of what was read
        now, sample = marks_of(connection), lab_games(connection)
    least = least_of(sample, cast("LeastGames", said["least"]))
    done = 0

    def watch(label: str) -> None:
        nonlocal done
        done += 1
        work.tell(f"{label} has foretold {len(sample.games):,} games", done, len(ALL) + 1)

    work.tell(f"{ALL[0]} foretells {len(sample.games):,} games", 0, len(ALL) + 1)
    found = walked(sample, least, given=given, field="all", watch=watch)
    with work.ledger.writing(work.job.who, "comparison") as connection:
        forget_older(connection, work.job.id, said)
    query = urlencode({"field": "all", "least": said["least"], "given": str(given).lower()})
    return Finished(
        says=found.summary(),
        figures={"games": len(sample.games), "scored": found.counts.scored, "systems": len(found.standings)},
        links=(("The comparison", f"/lab?{query}"),),
        document=document_of(found, sample, now),
    )  # fmt: skip
