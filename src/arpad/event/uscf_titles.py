"""Titles of the USCF by norms: the levels, their names, and who holds what [USCF 1994, 2.6]."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from arpad.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

__all__ = [
    "CERTIFICATES",
    "LEVELS",
    "LIFE_NORMS",
    "NORMS",
    "TITLES",
    "Status",
    "UscfTitle",
    "title_called",
    "titles_at",
]

NORMS = 5
"""Norms that make a title [2.2]."""
LIFE_NORMS = 20
"""Norms that make a life title; about 300 games, says the report [2.6 item 1]."""
LOWEST, HIGHEST = 100, 4000
"""Levels that a title of no name may have."""


@dataclass(frozen=True, slots=True, kw_only=True)
class UscfTitle:
    """A title, the rating level whose norms lead to it, and how many it takes."""

    name: str
    level: int
    norms: int = NORMS
    life: bool = False


TITLES: tuple[UscfTitle, ...] = (
    UscfTitle(name="Advanced Senior Master", level=2600),
    UscfTitle(name="Senior Master", level=2400),
    UscfTitle(name="Master", level=2200),
    UscfTitle(name="Expert", level=2000),
    UscfTitle(name="Category I", level=1800),
    UscfTitle(name="Category II", level=1600),
    UscfTitle(name="Category III", level=1400),
    UscfTitle(name="Category IV", level=1200),
    UscfTitle(name="Category V", level=1000),
    UscfTitle(name="Category VI", level=800),
    UscfTitle(name="Category VII", level=600),
    UscfTitle(name="Category VIII", level=400),
    UscfTitle(name="Life Senior Master", level=2400, norms=LIFE_NORMS, life=True),
    UscfTitle(name="Life Master", level=2200, norms=LIFE_NORMS, life=True),
)
"""As in the table of 2.6, from the highest down, the life titles behind them."""
LEVELS: tuple[int, ...] = tuple(t.level for t in TITLES if not t.life)
CERTIFICATES = frozenset(t.name for t in TITLES if t.level >= 2000)
"""Titles that come with a certificate [2.6 item 5]."""
ROMAN = {"1": "i", "2": "ii", "3": "iii", "4": "iv", "5": "v", "6": "vi", "7": "vii", "8": "viii"}


def title_called(name: str) -> UscfTitle:
    """Return a title by its name, or by its level.

    Examples
    --------
    >>> title_called("senior master").level, title_called("2400").name, title_called("2100").name
    (2400, 'Senior Master', '2100-title')
    """
    wanted = " ".join(name.casefold().split())
    category = re.fullmatch(r"category ([1-8])", wanted)
    if category:
        wanted = f"category {ROMAN[category[1]]}"
    level = re.fullmatch(r"(\d{3,4})(-title)?", wanted)
    for title in TITLES:
        by_level = level is not None and int(level[1]) == title.level and not title.life
        if by_level or title.name.casefold() == wanted:
            return title
    if level is not None and LOWEST <= int(level[1]) <= HIGHEST:
        return UscfTitle(name=f"{int(level[1])}-title", level=int(level[1]))
    names = ", ".join(t.name for t in TITLES)
    raise UsageError(f"expected a title, one of {names}, or a level such as 2100; found {name!r}")


def titles_at(levels: Iterable[int]) -> tuple[UscfTitle, ...]:
    """Return the titles of some levels, as of the example in 2.5, which has one every 100 points."""
    return tuple(title_called(str(level)) for level in levels)


@dataclass(frozen=True, slots=True, kw_only=True)
class Status:
    """The norms and titles that somebody has."""

    norms: dict[int, int] = field(default_factory=dict)
    """By level, titles included: who was given a title for five norms has five."""
    titles: tuple[str, ...] = ()
    """Names of titles held."""

    def __post_init__(self) -> None:
        for name in self.titles:
            title_called(name)
        if any(count < 0 for count in self.norms.values()):
            raise UsageError(f"expected norms by level, 0 or more; found {self.norms}")

    def card(self) -> str | None:
        """Return what the membership card shows, the highest non-life title; None without one [2.6 item 5]."""
        held = [t for t in map(title_called, self.titles) if not t.life]
        return max(held, key=lambda t: t.level).name if held else None

    def toward(self, title: UscfTitle) -> int:
        """Return the norms toward a title; at least as many as the other title of its level took."""
        held = [t.norms for t in map(title_called, self.titles) if t.level == title.level]
        return max([self.norms.get(title.level, 0), *held])

    def sought(self, titles: Sequence[UscfTitle] = TITLES) -> tuple[UscfTitle, ...]:
        """Return the titles that are not held, the nearest one of each level."""
        open_titles = [t for t in titles if t.name not in self.titles]
        nearest: dict[int, UscfTitle] = {}
        for title in sorted(open_titles, key=lambda t: t.norms):
            nearest.setdefault(title.level, title)
        return tuple(sorted(nearest.values(), key=lambda t: -t.level))

    def summary(self) -> str:
        """Return one sentence."""
        on_card = self.card() or "no title"
        life = [n for n in self.titles if title_called(n).life]
        under_way = [
            f"{self.toward(t)} of {t.norms} {t.name}" for t in self.sought() if self.toward(t)
        ]
        return f"{', '.join([on_card, *life])}; norms: {', '.join(under_way) or 'none'}"
