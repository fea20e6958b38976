"""Title results by FIDE's regulations of 1986: GM, IM, WGM, IWM [Elo 4.3]."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from arpad.errors import UsageError
from arpad.event.kind import cycles_of
from arpad.event.title_chart_1986 import (
    LAST_PRINTED,
    NORMS,
    Title,
    category_name,
    percentage,
    points_needed,
    title_called,
)
from arpad.event.title_tournament_1986 import (
    ROUNDS,
    TitleTournament,
    Waiver,
    entered_value,
    title_tournament_1986,
)
from arpad.event.verdict import Requirement, Verdict

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from arpad.event.field import Entry
    from arpad.model import Games

__all__ = ["RULES", "verdicts"]

RULES = "1986"


def verdicts(
    games: Games,
    players: Sequence[int] | None = None,
    titles: Sequence[str] | None = None,
    *,
    waiver: Waiver = "none",
    non_members: Collection[int] = (),
) -> list[Verdict]:
    """Return a verdict for each player and title, all games being one event.

    Parameters
    ----------
    players
        Rows of the players; None: everybody, best score first.
    titles
        Names of titles; None: GM and IM, for women WGM and IWM too (in a women's tournament GM and IM only
        where its category offers them).
    waiver, non_members
        As in `title_tournament_1986`.
    """
    event = title_tournament_1986(games, waiver=waiver, non_members=non_members)
    entries = sorted(event.field.values(), key=lambda e: (-e.score, -(e.rating or 0), e.name))
    if players is not None:
        for row in players:
            if row not in event.field:
                raise UsageError(
                    f"expected rows of players with games that count, found {row!r}: "
                    f"there are {sorted(event.field)}"
                )
        entries = [event.field[row] for row in players]
    wanted = None if titles is None else [title_called(t) for t in titles]
    round_robin = cycles_of(games) > 0
    return [
        _verdict(entry, title, event, round_robin=round_robin)
        for entry in entries
        for title in (_usual(entry, event) if wanted is None else wanted)
    ]


def _usual(entry: Entry, event: TitleTournament) -> list[Title]:
    """Return the titles that somebody can play for here."""
    open_titles: list[Title] = ["GM", "IM"]
    if event.women and event.average is not None:
        average = event.average
        open_titles = [t for t in open_titles if percentage(t, average) is not None]
    return [*open_titles, *(["WGM", "IWM"] if entry.woman else [])]  # type: ignore[list-item]


def _verdict(entry: Entry, title: Title, event: TitleTournament, *, round_robin: bool) -> Verdict:
    notes = list(event.notes)
    score, games, average = entry.score, entry.games, event.average
    if not round_robin:
        score, games, average = _own_opponents(entry, event)
        notes.append(
            "no round robin: the average of the own rated opponents is taken [4.58; ¶4.51 is not in the book]"
        )
    if average is not None and average > LAST_PRINTED:
        notes.append("beyond category 16, where the chart ends, its rule is carried on")
    if entry.title == title or (entry.title == "WIM" and title == "IWM"):
        notes.append("holds the title already")
    needed = None
    if average is not None and games:
        needed = points_needed(title, average, games)
    requirements = (
        *event.requirements,
        _games(games),
        _category(title, average, women=event.women),
        *([_score(title, average, score, games, needed)] if needed is not None else []),
    )
    elsewhere = all(r.passed for r in requirements if r.what != "score")
    return Verdict(
        player=entry.name,
        title=title,
        rules=RULES,
        score=score,
        games=games,
        requirements=requirements,
        points_needed=needed if elsewhere and needed is not None and needed <= games else None,
        notes=tuple(notes),
    )


def _own_opponents(entry: Entry, event: TitleTournament) -> tuple[float, int, float | None]:
    """Return score, games and average against rated opponents only [4.58]."""
    met = [(event.field[o], s) for o, s in entry.results if event.field[o].rating is not None]
    if not met:
        return 0.0, 0, None
    total = math.fsum(entered_value(o, women=event.women) for o, _ in met)
    return math.fsum(s for _, s in met), len(met), float(math.floor(total / len(met) + 0.5))


def _category(title: Title, average: float | None, *, women: bool) -> Requirement:
    """Say whether the average is one for which the chart has this title."""
    found = "no average"
    if average is not None:
        name = category_name(average, women=women)
        found = f"{average:.0f}" + ("" if name is None else f", category {name}")
    norm = NORMS[title]
    return Requirement(
        article="4.34 ¶4.3",
        what="average rating",
        # fifteen categories of 25 points, from 76 % down to 30 %
        needed=f"{norm - 199:.0f} to {norm + 175:.0f}",
        found=found,
        passed=average is not None and percentage(title, average) is not None,
    )


def _games(games: int) -> Requirement:
    """Ask of the player what ¶4.1 asks of the event: nobody makes a norm in three games."""
    return Requirement(
        article="4.34 ¶4.1",
        what="games that count",
        needed=f"at least {ROUNDS}",
        found=str(games),
        passed=games >= ROUNDS,
    )


def _score(
    title: Title, average: float | None, score: float, games: int, needed: float
) -> Requirement:
    share = None if average is None else percentage(title, average)
    percent = "" if share is None else f", {100 * share:.0f} % of {games}"
    return Requirement(
        article="4.34 ¶4.3",
        what="score",
        needed=f"at least {needed:g}{percent}",
        found=f"{score:g}",
        passed=score >= needed,
    )
