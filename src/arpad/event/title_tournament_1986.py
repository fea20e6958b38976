"""Whether an event is an International Title Tournament of 1986, and its average [Elo 4.34 ¶4.1–4.4, 4.52]."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from arpad.errors import UsageError
from arpad.event.fide1986_event import NOMINAL, nominal_value
from arpad.event.field import field_of, only_women, scoreless, without
from arpad.event.kind import kind_of
from arpad.event.rateable_1986 import LONGEST
from arpad.event.timing import days_taken, round_days, rounds_of
from arpad.event.title_chart_1986 import category_name, minima
from arpad.event.verdict import Requirement

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping
    from datetime import date

    from arpad.event.field import Entry
    from arpad.model import Games

__all__ = [
    "ROUNDS",
    "TITLES",
    "TitleTournament",
    "Waiver",
    "entered_value",
    "title_tournament_1986",
]

ARTICLE = "4.34 ¶4.1"
TITLES = frozenset({"GM", "IM", "FM", "WGM", "IWM", "WIM", "WFM"})
"""Titles over the board in 1986 [4.31 ¶1.11]; files write WIM for the IWM."""
ROUNDS = 9
"""Rounds of a title tournament, and games that a player must have in it."""
FEDERATIONS = 3
STRONG, STRONG_WOMEN = 2300.0, 2000.0
"""Above this rating somebody counts like a titleholder [¶4.1]."""
LISTED_FROM = 2205.0
"""Women with less than this among men are entered at the nominal 2200 [¶4.4]."""
LAST_ROUNDS = 3
DOUBLE_DAYS = 2

Waiver = Literal["none", "national championship", "zonal"]
"""What is waived: federations for a championship registered in advance [¶4.14] or a zonal of one
federation [¶4.12]; for a zonal also the limit on unrated players [¶4.13]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TitleTournament:
    """An event as a title tournament: its field, its average R_f, and each requirement."""

    field: dict[int, Entry]
    """Everybody, with the games that count for titles."""
    women: bool
    average: float | None
    """R_f, rounded with halves upwards; None without anybody who counts."""
    category: str | None
    requirements: tuple[Requirement, ...]
    notes: tuple[str, ...]

    @property
    def passed(self) -> bool:
        """Say whether every requirement is met."""
        return all(r.passed for r in self.requirements)


def entered_value(entry: Entry, *, women: bool) -> float:
    """Return at what somebody enters R_f: the listed rating, or the nominal 2200 or 1900 [¶4.4]."""
    R_U = nominal_value(women=women)
    rating = entry.rating or 0.0
    if not women and entry.woman and rating < LISTED_FROM:
        return NOMINAL
    return max(R_U, rating)


def title_tournament_1986(
    games: Games, *, waiver: Waiver = "none", non_members: Collection[int] = ()
) -> TitleTournament:
    """Check an event against the requirements of a title tournament.

    What the file does not tell (federations, dates) is not checked, and a note says so.

    Parameters
    ----------
    non_members
        Rows of players whose federation is not in FIDE: they and the games against them do not count for
        titles [3.2, 4.52].
    """
    field = field_of(games)
    if not field:
        raise UsageError("expected an event with games that were played, found none")
    women = only_women(field)
    gone = scoreless(field) | (set(non_members) & set(field))
    counted = without(field, gone)
    average = None
    if counted:
        total = math.fsum(entered_value(e, women=women) for e in counted.values())
        average = float(math.floor(total / len(counted) + 0.5))
    found, notes = _composition(field, women=women, waiver=waiver, kind=kind_of(games))
    rounds = rounds_of(games)
    # Three federations need three players: a match is no tournament, whatever the file tells.
    found[:0] = [_at_least("rounds", rounds, ROUNDS), _at_least("players", len(field), FEDERATIONS)]
    late, unknown = _time(games, rounds)
    if gone:
        names = ", ".join(field[r].name for r in sorted(gone))
        notes.append(f"left out with their games, no point or no member: {names} [4.41, 4.52]")
    elsewhere = int((games.table["status"] != "played").sum())
    if elsewhere:
        notes.append(f"{elsewhere} pairings not decided over the board are not counted [{ARTICLE}]")
    if len(games.events) > 1:
        notes.append(f"{len(games.events)} events are taken as one")
    return TitleTournament(
        field=counted,
        women=women,
        average=average,
        category=None if average is None else category_name(average, women=women),
        requirements=(*found, *late),
        notes=(*notes, *unknown),
    )


def _composition(
    field: Mapping[int, Entry], *, women: bool, waiver: Waiver, kind: str
) -> tuple[list[Requirement], list[str]]:
    """Check who plays: rated, titled, foreign."""
    M, R_U = len(field), nominal_value(women=women)
    least = minima(M)
    strong = STRONG_WOMEN if women else STRONG
    rated = sum((e.rating or 0) > R_U for e in field.values())
    titled = sum(e.title in TITLES or (e.rating or 0) > strong for e in field.values())
    found, notes = [], []
    if waiver == "zonal":
        notes.append("the limit on unrated players is waived for a zonal [4.34 ¶4.13]")
    else:
        found.append(_at_least(f"rated players of {M}", rated, least.rated))
    found.append(_at_least(f"titleholders or rated over {strong:g}", titled, least.titled))
    known = Counter(e.federation for e in field.values() if e.federation)
    if waiver != "none":
        article = "¶4.12" if waiver == "zonal" else "¶4.14"
        notes.append(f"federations are waived for a {waiver} [4.34 {article}]")
    elif not known:
        notes.append(f"not checked, for the file names none: federations [{ARTICLE}]")
    else:
        needed = 2 if kind == "Scheveningen" else FEDERATIONS
        largest = max(known.values()) + M - known.total()
        found.append(_at_least("federations", len(known), needed))
        found.append(_at_least("players not of one federation", M - largest, least.foreign))
        if known.total() < M:
            notes.append(f"{M - known.total()} without federation are taken as of the largest")
    return found, notes


def _time(games: Games, rounds: int) -> tuple[list[Requirement], list[str]]:
    """Check when it was played, as far as the file tells."""
    found = []
    days = days_taken(games)
    if days is not None:
        found.append(_at_most("days from first to last game", days, LONGEST))
    when = round_days(games)
    if when:
        a_day: Counter[date] = Counter(when.values())
        found += [
            _at_most("rounds on one day", max(a_day.values()), 2),
            _at_most("days with two rounds", sum(n > 1 for n in a_day.values()), DOUBLE_DAYS),
        ]
        last = [day for number, day in when.items() if number > rounds - LAST_ROUNDS]
        doubled = sum(a_day[day] > 1 for day in set(last))
        found.append(_at_most(f"days with two rounds in the last {LAST_ROUNDS}", doubled, 0))
    notes = [f"not checked: speed of play, at most 46 moves in two hours [{ARTICLE}]"]
    if days is None or not when:
        notes.append(f"not checked, for the file lacks rounds or dates: rounds a day [{ARTICLE}]")
    return found, notes


def _at_least(what: str, found: int, needed: int) -> Requirement:
    return Requirement(
        article=ARTICLE,
        what=what,
        needed=f"at least {needed}",
        found=str(found),
        passed=found >= needed,
    )


def _at_most(what: str, found: int, needed: int) -> Requirement:
    return Requirement(
        article=ARTICLE,
        what=what,
        needed=f"at most {needed}",
        found=str(found),
        passed=found <= needed,
    )
