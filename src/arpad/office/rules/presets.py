"""Policies to begin with: FIDE's of today, a club's, the U.S. proposal of 1994, and the book's."""

from __future__ import annotations

from typing import Any

from arpad.errors import UsageError
from arpad.office.rules.listed import Listed
from arpad.office.rules.policy import Policy
from arpad.office.rules.schedule import Schedule

__all__ = ["PRESETS", "preset"]

PRESETS: dict[str, Policy] = {
    # FIDE Handbook B.02: a list on the first of every month; whoever has not played a rated game for a
    # year is inactive, and marked. First ratings, floor and rounding are the system's own.
    "fide": Policy(
        name="fide",
        system="fide",
        schedule=Schedule(period="month"),
        listed=Listed(active_months=12, inactive="marked"),
    ),
    # Event by event with one K; ratings on fewer than 25 games are marked, those on fewer than four
    # are not listed: what the book tells of the USCF [3.2 (D)(b)].
    "club": Policy(
        name="club",
        system="elo",
        options={"k": 24, "period": "event"},
        schedule=Schedule(period="month"),
        provisional_games=25,
        listed=Listed(min_games=4),
    ),
    # The report rates event by event, and says itself who is provisional; the USCF published every
    # three or four months [3.2 (D)(a)] and listed from four games on.
    "uscf1994": Policy(
        name="uscf1994",
        system="uscf1994",
        schedule=Schedule(period="quarter"),
        listed=Listed(min_games=4),
    ),
    # FIDE in 1986: play to 31 May is on the list of 1 July, play to 30 November on that of 1 January
    # [4.42]; nine games, three years, above 2200 or 1900, women apart [3.2, 4.42, 4.54]; an asterisk
    # below thirty games [2.59].
    "book": Policy(
        name="book",
        system="elo-book",
        schedule=Schedule(period="half", closing_month=5, effective_months=1),
        provisional_games=30,
        listed=Listed(
            min_games=9,
            active_months=36,
            inactive="left out",
            above=2200.0,
            above_women=1900.0,
            women_apart=True,
        ),
    ),
}
"""Name → policy."""


def preset(name: str, /, **values: Any) -> Policy:
    """Return one of the policies to begin with, with other values where some are given.

    Examples
    --------
    >>> preset("fide", name="rapid", time_control="rapid").time_control
    'rapid'
    """
    if name not in PRESETS:
        raise UsageError(f"expected a preset, one of {', '.join(PRESETS)}; found {name!r}")
    return PRESETS[name].changed(**values)
