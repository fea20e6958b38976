"""Which events FIDE rated by the regulations of 1986 [Elo 4.41, ¶3.1]."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from arpad.event.field import field_of, only_women, scoreless, without
from arpad.event.kind import cycles_of
from arpad.event.timing import days_taken, round_days
from arpad.event.verdict import Requirement

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import date

    from arpad.event.field import Entry
    from arpad.model import Games

__all__ = ["FEWEST", "LONGEST", "Rateability", "rateable_1986", "round_robin_requirements"]

ARTICLE = "4.41 ¶3.1"
FEWEST = 4
"""Games against rated opponents below which nothing is calculated [4.41, 4.54]."""
LONGEST = 90
"""Days within which an event should be played [4.34, 4.41]."""
ROUNDS_A_DAY = 2
SMALL = 10
"""Players below which at least four must be rated."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rateability:
    """Whether an event is rated: each requirement, and what the file does not tell."""

    requirements: tuple[Requirement, ...]
    notes: tuple[str, ...] = ()

    @property
    def passed(self) -> bool:
        """Say whether every requirement is met."""
        return all(r.passed for r in self.requirements)

    def failed(self) -> tuple[Requirement, ...]:
        """Return the requirements that are not met."""
        return tuple(r for r in self.requirements if not r.passed)

    def summary(self) -> str:
        """Return one sentence."""
        if self.passed:
            return "rateable by the regulations of 1986"
        why = "; ".join(
            f"{r.what} {r.found}, needed {r.needed} [{r.article}]" for r in self.failed()
        )
        return f"not rateable by the regulations of 1986: {why}"


def rateable_1986(games: Games, *, national_championship: bool = False) -> Rateability:
    """Say whether FIDE would have rated an event in 1986, requirement by requirement.

    Parameters
    ----------
    national_championship
        A round robin for a national title needs three rated players, two among women.
    """
    field = field_of(games)
    gone = scoreless(field)
    counted = without(field, gone)
    cycles = cycles_of(games)
    if cycles:
        found = round_robin_requirements(
            counted, cycles, national_championship=national_championship, women=only_women(field)
        )
    else:
        enough = sum(_against_rated(e, counted) >= FEWEST for e in counted.values())
        found = [
            Requirement(
                article=ARTICLE,
                what=f"players with {FEWEST} games against rated opponents",
                needed="at least 1",
                found=str(enough),
                passed=enough > 0,
            )
        ]
    return Rateability(
        requirements=(*found, *_time(games)), notes=_notes(games, [field[r].name for r in gone])
    )


def round_robin_requirements(
    field: Mapping[int, Entry], cycles: int, *, national_championship: bool, women: bool
) -> list[Requirement]:
    """Return how many players of a round robin must be rated, and how many are."""
    M = len(field)
    rated = sum(e.rating is not None for e in field.values())
    if national_championship:
        needed = 2 if women else 3
        return [_rated(rated, needed, "rated players in a national championship")]
    found = [_rated(rated, math.ceil(M / 3), f"rated players, a third of {M}")]
    if M < SMALL:
        found.append(_rated(rated, FEWEST, f"rated players with fewer than {SMALL} in all"))
    if cycles == 2 and rated < M:
        found.append(_rated(rated, FEWEST, "rated players in a double round robin with unrated"))
        found.append(
            Requirement(
                article=ARTICLE,
                what="players in a double round robin with unrated",
                needed="at least 6",
                found=str(M),
                passed=M >= 6,
            )
        )
    return found


def _rated(found: int, needed: int, what: str) -> Requirement:
    return Requirement(
        article=ARTICLE,
        what=what,
        needed=f"at least {needed}",
        found=str(found),
        passed=found >= needed,
    )


def _against_rated(entry: Entry, field: Mapping[int, Entry]) -> int:
    return sum(field[o].rating is not None for o, _ in entry.results)


def _time(games: Games) -> list[Requirement]:
    found = []
    days = days_taken(games)
    if days is not None:
        found.append(
            Requirement(
                article=ARTICLE,
                what="days from first to last game",
                needed=f"at most {LONGEST}",
                found=str(days),
                passed=days <= LONGEST,
            )
        )
    a_day: Counter[date] = Counter(round_days(games).values())
    if a_day:
        most = max(a_day.values())
        found.append(
            Requirement(
                article=ARTICLE,
                what="rounds on one day",
                needed=f"at most {ROUNDS_A_DAY}",
                found=str(most),
                passed=most <= ROUNDS_A_DAY,
            )
        )
    return found


def _notes(games: Games, gone: list[str]) -> tuple[str, ...]:
    notes = [
        f"not checked: speed of play, at most 46 moves in two hours; adjudications [{ARTICLE}]"
    ]
    if days_taken(games) is None:
        notes.append("not checked, for the games have no dates: ninety days, two rounds a day")
    elsewhere = int((games.table["status"] != "played").sum())
    if elsewhere:
        notes.append(f"{elsewhere} pairings not played or not rated are left out [{ARTICLE}]")
    if gone:
        notes.append(f"unrated without a point, left out with their games: {', '.join(gone)}")
    return tuple(notes)
