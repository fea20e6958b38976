"""Standard, rapid or blitz: what a report says of the time its players had."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from arpad.model import Event

__all__ = ["TimeControl", "said_of"]

TimeControl = Literal["standard", "rapid", "blitz"]
"""FIDE rates the three apart; three time controls are three policies over one ledger."""

MOVES = 60
"""Moves for which an increment is counted [Laws of Chess, A.1 and B.1]."""

RAPID_FROM, RAPID_UNTIL = 10.0, 60.0
"""Minutes: 10 or less is blitz, less than 60 is rapid [Laws of Chess, A.1 and B.1]."""

_WORDS: tuple[tuple[TimeControl, str], ...] = (
    ("blitz", r"blitz|bullet|lightning"),
    ("rapid", r"rapid|quick|schnellschach|\bactive"),
    ("standard", r"standard|classic|\bslow\b"),
)
_BASE = r"(\d{1,3})\s*(?:'|′|min(?:utes?)?\.?|m\b)?"
_MORE = (
    r"(?:\s*(?:\+|plus|;|,)\s*(\d{1,3})\s*(?:''|″|\"|'|s(?:ec(?:onds?)?)?\.?(?:\s*/\s*move)?)?)?"
)
_MINUTES = re.compile(rf"\s*(?:G/)?{_BASE}{_MORE}\s*", re.IGNORECASE)


def said_of(event: Event) -> TimeControl | None:
    """Return the time control that a report states, by its figures or in a word; None if neither.

    Examples
    --------
    >>> from arpad.model import Event
    >>> said_of(Event(name="Open", time_control="15 min + 10 s")), said_of(Event(name="Juni-Blitzschach"))
    ('rapid', 'blitz')
    >>> said_of(Event(name="Open", time_control="90'+30''")), said_of(Event(name="Open"))
    ('standard', None)
    """
    for text in (event.time_control, event.kind, event.name):
        for control, words in _WORDS:
            if text and re.search(words, text, re.IGNORECASE):
                return control
    found = _MINUTES.fullmatch(event.time_control or "")
    if not found:
        return None
    minutes = int(found[1]) + int(found[2] or 0) * MOVES / 60
    if minutes <= RAPID_FROM:
        return "blitz"
    return "rapid" if minutes < RAPID_UNTIL else "standard"
