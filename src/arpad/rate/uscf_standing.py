"""What the U.S. federation keeps of a player: rating, games, and games on file [USCF 1994, 1.4.3, 1.5]."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple

from arpad.errors import InputError, UsageError
from arpad.rate.uscf_tables import age_rating, uscf_from_fide

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import date

__all__ = [
    "FEW_GAMES",
    "FIRST_GAMES",
    "Basis",
    "Imputed",
    "Line",
    "Met",
    "Person",
    "Rule",
    "Saved",
    "Standing",
    "Status",
    "imputed",
    "one_sided",
    "read_saved",
    "write_saved",
]

Status = Literal["unrated", "provisional", "established"]

Rule = Literal["on file", "performance", "nominal", "provisional", "established"]
"""How a player was rated: too few games, kept on file; by performance; by the nominal performance of
all wins or all losses; by the provisional formula; by the established one."""

Saved = tuple[tuple[float, float], ...]
"""Games on file: the opponent's rating before the event, real or imputed, and the score."""

FIRST_GAMES = 4
"""Games that a first rating needs [1.4.3]."""

Basis = Literal["FIDE rating", "age", "rating on few games", "nothing known", "fixed"]
"""What an imputed rating rests on: the first that is known [1.4.2; the third and fourth are arpad's]; in
the system before, always the same rating [1.2]."""

FEW_GAMES: Basis = "rating on few games"


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """Where a player stands between two events."""

    rating: float | None = None
    total: int = 0
    """N: games that the rating rests on; of an unrated player, games on file."""
    saved: Saved = ()
    variance: float = 0.0
    """σ² of the rating from chance in the results, in points²."""

    def status(self, provisional_games: int) -> Status:
        """Say what the rating is; games on file keep a rating provisional."""
        if self.rating is None:
            return "unrated"
        sure = self.total > provisional_games and not self.saved
        return "established" if sure else "provisional"


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """What is known of a player apart from results."""

    name: str
    fide: float | None = None
    birth: str | None = None
    hint: float | None = None
    """A rating on fewer games than a rating needs: not one, but better than nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Imputed:
    """A rating for somebody who has none."""

    rating: float
    by: Basis
    note: str = ""


class Met(NamedTuple):
    """One game of an event: its row where it is numbered, the opponent, that one's rating, the score."""

    game: int | None
    opponent: int
    rating: float
    score: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One player's part in one event: what went in, what came out."""

    event: int
    player: int
    rule: Rule
    games: int
    score: float
    before: Standing
    after: Standing
    expected: float | None = None
    """W_e, where a formula with K was used."""
    k: float | None = None
    guarded: bool = False
    """The closed form was of no use, and the exact performance was taken."""
    met: tuple[Met, ...] = ()
    """The games of the event as the rule saw them."""


def imputed(person: Person, day: date | None, start: float) -> Imputed:
    """Return a rating for an unrated player: by FIDE rating, else by age, else `start` [1.4.2].

    An age below 3 or above 110 years is not believed. Without a date nobody has an age.

    Examples
    --------
    >>> from datetime import date
    >>> imputed(Person(name="Ann", birth="1984"), date(1994, 8, 1), 1000.0).rating
    743.0
    """
    if person.fide is not None and person.fide > 0:
        return Imputed(rating=uscf_from_fide(person.fide), by="FIDE rating")
    note = ""
    years = _age(person.birth, day)
    if years is not None:
        try:
            return Imputed(rating=age_rating(years), by="age")
        except UsageError:
            note = f"{person.name}: born {person.birth}, {years} years old at the event, which is not believed"
    if person.hint is not None:
        return Imputed(rating=person.hint, by=FEW_GAMES, note=note)
    return Imputed(rating=start, by="nothing known", note=note)


def one_sided(saved: Sequence[tuple[float, float]]) -> bool:
    """Say whether all games were won, or all lost [1.4.3]."""
    return bool(saved) and {score for _, score in saved} in ({0.0}, {1.0})


def write_saved(saved: Saved) -> str | None:
    """Return games on file as text for a list: ``1200=0.5 1350=1``.

    Examples
    --------
    >>> write_saved(((1200.0, 0.5), (1350.25, 1.0)))
    '1200=0.5 1350.25=1'
    """
    return " ".join(f"{rating:.10g}={score:g}" for rating, score in saved) or None


def read_saved(text: str | None) -> Saved:
    """Return the games on file that a list has.

    Examples
    --------
    >>> read_saved("1200=0.5 1350.25=1")
    ((1200.0, 0.5), (1350.25, 1.0))
    """
    found = []
    for part in (text or "").split():
        pair = re.fullmatch(r"(-?[0-9.]+(?:e[+-]?[0-9]+)?)=([0-9.]+)", part)
        try:
            rating, score = (float(value) for value in pair.groups()) if pair else (math.nan, 0.0)
        except ValueError:
            rating = score = math.nan
        if not (math.isfinite(rating) and 0 <= score <= 1):
            raise InputError(
                f"expected games on file such as 1200=0.5 1350=1 in the column carried, found {part!r}"
            )
        found.append((rating, score))
    return tuple(found)


def _age(birth: str | None, day: date | None) -> int | None:
    """Return completed years; with the year of birth alone, the difference of the years."""
    digits = re.match(r"(\d{4})(?:-(\d{2}))?(?:-(\d{2}))?", birth or "")
    if digits is None or day is None:
        return None
    year, month, dom = (int(value) if value else None for value in digits.groups())
    assert year is not None  # the pattern has it
    early = month is not None and (day.month, day.day) < (month, dom or 1)
    return day.year - year - early
