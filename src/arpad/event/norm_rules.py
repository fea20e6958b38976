"""FIDE's title regulations on norms, as constants with their articles.

Articles are those of the FIDE Handbook, B.01, "FIDE Title Regulations" in force from 1 January 2024.
Looked up in November 2026 in public transcriptions and in programs that follow them, not in the
Handbook itself: wording and numbers are second-hand. The paragraphs are
lettered here (1.4.8a); some programs number them (1.4.8.1).
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Literal

from arpad.errors import UsageError

__all__ = [
    "NORM_RULES",
    "TITLED",
    "TITLES",
    "TODAY",
    "EventKind",
    "Level",
    "NormRules",
    "Setting",
    "norm_rules",
]

TITLES = ("GM", "IM", "WGM", "WIM")
"""The titles that norms lead to, highest first."""

TITLED = ("GM", "IM", "WGM", "WIM", "FM", "WFM")
"""1.4.5a: title holders; CM and WCM do not count."""

EventKind = Literal["ordinary", "team", "world-cup", "national", "national-team", "zonal"]
"""What the articles make exceptions for, which no file says.

team            World or continental team or club championship of 7 to 9 rounds: 7 games [1.4.1b];
world-cup       World Cup, Women's World Cup: 8 games [1.4.1b];
national        final stage of a national championship: no rule on federations for the
                host's own players [1.4.3a];
national-team   national team championship: the same [1.4.3b];
zonal           zonal or sub-zonal: no rule on federations for anybody [1.4.3c].
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Level:
    """What one title asks for."""

    title: str
    performance: int
    """1.4.8: R_p, after rounding."""
    average: int
    """1.4.8a: the opponents' average rating."""
    floor: int
    """1.4.6b: the lowest-rated opponent counts as at least this."""
    holders: tuple[str, ...]
    """1.4.5b to e: opponents of this title or a higher one."""
    article: str
    women: bool = False
    """0.3.1: for women only."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NormRules:
    """One version of the regulations."""

    name: str
    since: str
    """The first day on which they hold, ISO."""
    levels: tuple[Level, ...]
    games: int = 9
    """1.4.1a."""
    team_games: int = 7
    """1.4.1b: World and continental team and club championships …"""
    team_rounds: tuple[int, ...] = (7, 8, 9)
    """… of so many rounds."""
    cup_games: int = 8
    """1.4.1b: World Cup and Women's World Cup; such a norm counts as 9 games."""
    spared_rounds: int = 9
    """1.4.1c: in an event of so many rounds one win by forfeit or pairing-allocated bye is forgiven."""
    longest: int = 13
    """1.7: a longer norm counts only as so many games."""
    foreign: int = 2
    """1.4.3: federations other than the player's own."""
    own_share: tuple[int, int] = (3, 5)
    """1.4.4: of the opponents, at most from the player's federation; rounded down."""
    one_share: tuple[int, int] = (2, 3)
    """1.4.4: of the opponents, at most from any one federation; rounded down."""
    titled_share: tuple[int, int] = (1, 2)
    """1.4.5a: of the opponents, at least title holders; rounded up."""
    holder_share: tuple[int, int] = (1, 3)
    """1.4.5b to e: of the opponents, at least of the title sought or higher; rounded up …"""
    holder_least: int = 3
    """… and never fewer than this."""
    double_players: int = 6
    """1.4.5f: a double round robin needs so many players …"""
    double_share: tuple[int, int] = (1, 2)
    """… of whom this share of the different opponents has the title; rounded up."""
    unrated: int = 1400
    """1.4.6d: rating of an unrated opponent."""
    least_percent: int = 35
    """1.4.8b."""
    long_days: int = 30
    """1.1.4: in a longer event opponents count with their ratings on the day of the game."""
    open_players: int = 20
    """1.4.3d: a Swiss with so many rated players from abroad in every round …"""
    open_federations: int = 3
    open_titled: int = 10
    """… so many of them holding one of `TITLES`; who missed more than one round does not count."""

    def level(self, title: str) -> Level:
        """Return what a title asks for."""
        for level in self.levels:
            if level.title == title:
                return level
        names = ", ".join(level.title for level in self.levels)
        raise UsageError(f"expected a title, one of {names}; found {title!r}")

    def parameters(self) -> dict[str, object]:
        """Return every constant by name."""
        return {"rules" if key == "name" else key: value for key, value in asdict(self).items()}


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """What a person knows of an event and the file does not say."""

    event_kind: EventKind = "ordinary"
    rounds: int | None = None
    """Rounds in all; else as the file has it."""


_LEVELS = (
    Level(
        title="GM", performance=2600, average=2380, floor=2200, holders=("GM",), article="1.4.5b"
    ),
    Level(
        title="IM",
        performance=2450,
        average=2230,
        floor=2050,
        holders=("IM", "GM"),
        article="1.4.5c",
    ),
    Level(
        title="WGM",
        performance=2400,
        average=2180,
        floor=2000,
        holders=("WGM", "IM", "GM"),
        article="1.4.5d",
        women=True,
    ),
    Level(
        title="WIM",
        performance=2250,
        average=2030,
        floor=1850,
        holders=("WIM", "WGM", "IM", "GM"),
        article="1.4.5e",
        women=True,
    ),
)

NORM_RULES = {r.name: r for r in (NormRules(name="2024-01", since="2024-01-01", levels=_LEVELS),)}
"""The versions by name, newest first."""

TODAY = next(iter(NORM_RULES.values()))


def norm_rules(name: str) -> NormRules:
    """Return a version of the regulations."""
    if name == "today":
        return TODAY
    if name not in NORM_RULES:
        raise UsageError(f"expected rules, one of today, {', '.join(NORM_RULES)}; found {name!r}")
    return NORM_RULES[name]
