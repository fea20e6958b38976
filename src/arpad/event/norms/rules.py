"""FIDE's title regulations on norms as constants, their arithmetic, and what a verdict holds."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Literal

from arpad.errors import UsageError
from arpad.model import Result, plain_value
from arpad.scale import TABLE_DP, half_up

if TYPE_CHECKING:
    from collections.abc import Sequence

    import polars as pl


# FIDE's title regulations on norms, as constants with their articles.
#
# Articles are those of the FIDE Handbook, B.01, "FIDE Title Regulations" in force from 1 January 2024.
# Looked up in November 2026 in public transcriptions and in programs that follow them, not in the
# Handbook itself: wording and numbers are second-hand. The paragraphs are
# lettered here (1.4.8a); some programs number them (1.4.8.1).

TITLES = ("GM", "IM", "WGM", "WIM")
"""The titles that norms lead to, highest first."""
TITLED = ("GM", "IM", "WGM", "WIM", "FM", "WFM")
"""1.4.5a: title holders; CM and WCM do not count."""


def above(held: str | None, titles: Sequence[str]) -> list[str]:
    """Return those of some titles that are above the one held; the WIM of today is the IWM of 1986.

    >>> above("IM", ["GM", "IM"]), above("WIM", ["GM", "IM", "WGM", "IWM"]), above("FM", ["GM", "IM"])
    (['GM'], ['GM', 'IM', 'WGM'], ['GM', 'IM'])
    """
    rank = {t: i for i, t in enumerate(TITLES)} | {"IWM": TITLES.index("WIM")}
    own = rank.get(held or "", len(TITLES))
    return [t for t in titles if rank[t] < own]


EventKind = Literal["ordinary", "team", "world-cup", "national", "national-team", "zonal"]
"""Kinds of event for which the articles make exceptions; no file names them.

team            World or continental team or club championship of 7 to 9 rounds: 7 games [1.4.1b];
world-cup       World Cup, Women's World Cup: 8 games [1.4.1b];
national        final stage of a national championship: no rule on federations for the
                host's own players [1.4.3a];
national-team   national team championship: the same [1.4.3b];
zonal           zonal or sub-zonal: no rule on federations for anybody [1.4.3c].
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class TitleLevel:
    """Requirements of one title."""

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
    levels: tuple[TitleLevel, ...]
    games: int = 9
    """1.4.1a."""
    team_games: int = 7
    """1.4.1b: World and continental team and club championships …"""
    team_rounds: tuple[int, ...] = (7, 8, 9)
    """… of this many rounds."""
    cup_games: int = 8
    """1.4.1b: World Cup and Women's World Cup; such a norm counts as 9 games."""
    spared_rounds: int = 9
    """1.4.1c: in an event of this many rounds one win by forfeit or pairing-allocated bye is forgiven."""
    longest: int = 13
    """1.7: a longer norm counts only as this many games."""
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
    """1.4.5f: a double round robin needs this many players …"""
    double_share: tuple[int, int] = (1, 2)
    """… of whom this share of the different opponents has the title; rounded up."""
    unrated: int = 1400
    """1.4.6d: rating of an unrated opponent."""
    least_percent: int = 35
    """1.4.8b."""
    long_days: int = 30
    """1.1.4: in a longer event opponents count with their ratings on the day of the game."""
    open_players: int = 20
    """1.4.3d: a Swiss with this many rated players from abroad in every round …"""
    open_federations: int = 3
    open_titled: int = 10
    """… this many of them holding one of `TITLES`; who missed more than one round does not count."""

    def level(self, title: str) -> TitleLevel:
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
    """Facts about an event that the user gives because the file has none."""

    event_kind: EventKind = "ordinary"
    rounds: int | None = None
    """Rounds in all; else as the file has it."""


_LEVELS = (
    TitleLevel(title="GM", performance=2600, average=2380, floor=2200, holders=("GM",), article="1.4.5b"),
    TitleLevel(
        title="IM", performance=2450, average=2230, floor=2050, holders=("IM", "GM"), article="1.4.5c"
    ),
    TitleLevel(
        title="WGM",
        performance=2400,
        average=2180,
        floor=2000,
        holders=("WGM", "IM", "GM"),
        article="1.4.5d",
        women=True,
    ),
    TitleLevel(
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


# The arithmetic of a norm: averages, percentages, performance, and the score it takes [1.4.6 to 1.4.9].


def at_least(share: tuple[int, int], games: int) -> int:
    """Return a share of the opponents as the least number, rounded up [1.4.4].

    >>> at_least((1, 2), 9), at_least((1, 3), 10), at_most((3, 5), 9), at_most((2, 3), 10)
    (5, 4, 5, 6)
    """
    part, whole = share
    return -(-part * games // whole)


def at_most(share: tuple[int, int], games: int) -> int:
    """Return a share of the opponents as the largest number, rounded down [1.4.4]."""
    part, whole = share
    return part * games // whole


def average(ratings: Sequence[float], floor: float) -> int:
    """Return R_a, the lowest rating alone raised to the floor [1.4.6c, 1.4.7].

    >>> average([2500, 2400, 2000, 2100], 2200)
    2300
    """
    if not ratings:
        raise UsageError("expected at least one opponent")
    ordered = sorted(ratings)
    ordered[0] = max(ordered[0], floor)
    return int(half_up(math.fsum(ordered) / len(ordered)))


def percent(score: float, games: int) -> int:
    """Return a score in whole per cent, halves upwards [1.4.9].

    >>> percent(6.5, 9), percent(5, 8)
    (72, 63)
    """
    return int(half_up(100 * score / games))


def performance(R_a: int, score: float, games: int) -> int:
    """Return R_p = R_a + d_p [1.4.8, 1.4.9].

    >>> performance(2434, 6.5, 9), performance(2600, 3.5, 9)
    (2600, 2520)
    """
    p = percent(score, games)
    return R_a + (TABLE_DP[p - 50] if p >= 50 else -TABLE_DP[50 - p])


def enough(R_a: int, score: float, games: int, level: TitleLevel, rules: NormRules) -> bool:
    """Say whether a score is enough: the performance [1.4.8] and the least score [1.4.8b]."""
    return (
        performance(R_a, score, games) >= level.performance and percent(score, games) >= rules.least_percent
    )


def score_needed(R_a: int, games: int, level: TitleLevel, rules: NormRules) -> float | None:
    """Return the smallest score for a norm against an average, or None if there is none.

    >>> from arpad.event.norms.rules import TODAY
    >>> score_needed(2460, 9, TODAY.level("GM"), TODAY)
    6.5
    >>> score_needed(2379, 9, TODAY.level("GM"), TODAY)
    """
    if R_a < level.average:
        return None
    for halves in range(2 * games + 1):
        if enough(R_a, halves / 2, games, level, rules):
            return halves / 2
    return None


# A verdict on a title norm: every requirement with its article, what was found, pass or fail.


@dataclass(frozen=True, slots=True)
class Requirement:
    """One line of the rules, and what one player's games say to it."""

    article: str
    """As the rules number it, such as `1.4.8` or `4.34 ¶4.2`."""
    what: str
    """In a few words: `games played`, `opponents' average`."""
    needed: str
    """As a person reads it: `at least 9`."""
    found: str
    passed: bool

    def describe(self) -> str:
        """Return what was found beside what was needed."""
        return f"{self.what} {self.found}, needed {self.needed} [{self.article}]"

    @classmethod
    def least(cls, article: str, what: str, found: int, needed: int, of: str = "") -> Requirement:
        """Return the requirement that a number is so large."""
        return cls(article, what, f"at least {needed}{of}", str(found), found >= needed)

    @classmethod
    def most(cls, article: str, what: str, found: int, allowed: int) -> Requirement:
        """Return the requirement that a number is no larger."""
        return cls(article, what, f"at most {allowed}", str(found), found <= allowed)


class Checked:
    """Base of whatever is checked requirement by requirement."""

    __slots__ = ()
    requirements: tuple[Requirement, ...]

    @property
    def passed(self) -> bool:
        """Say whether every requirement is met."""
        return all(r.passed for r in self.requirements)

    def failed(self) -> tuple[Requirement, ...]:
        """Return the requirements that are not met."""
        return tuple(r for r in self.requirements if not r.passed)


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict(Checked):
    """Result of a norm check: whether one player's games in one event are a norm for one title."""

    player: str
    title: str
    rules: str
    """The regulations by name and date."""
    score: float
    games: int
    """Games that count."""
    requirements: tuple[Requirement, ...]
    points_needed: float | None = None
    """The score that would have been enough, everything else as it was; None where no score would."""
    notes: tuple[str, ...] = ()
    """Remarks beside the requirements: games that were left out, and why."""
    norms_at_once: int = 1
    """Norms that it is worth where it is made: one, but for the USCF's rules of 1994."""

    row: int | None = None
    """The player's row, where the rules judge by FIDE's regulations of today."""
    rounds: tuple[int, ...] = ()
    """Rounds of the games that count, by the same."""

    def summary(self) -> str:
        """Return one sentence."""
        head = f"{self.player}: {self.score:g}/{self.games}, {self.title} norm"
        if self.passed:
            return f"{head} made ({self.rules})"
        reasons = "; ".join(r.describe() for r in self.failed())
        return f"{head} not made: {reasons} ({self.rules})"


class Verdicts(tuple[Verdict, ...], Result):
    """Verdicts on every title that players of an event may seek: a tuple that renders itself."""

    __slots__ = ()

    def table(self) -> pl.DataFrame:
        """Return one row for each verdict, with the articles that are not met."""
        import polars as pl

        own = ("player", "title", "rules", "score", "games", "points_needed", "passed")
        rows = [
            {name: getattr(v, name) for name in own} | {"not_met": ", ".join(r.article for r in v.failed())}
            for v in self
        ]
        return pl.DataFrame(rows, infer_schema_length=None)

    def to_dict(self) -> dict[str, Any]:
        """Return every verdict with its requirements."""
        return {"verdicts": [{**plain_value(v), "passed": v.passed} for v in self]}

    def summary(self) -> str:
        """Return one sentence: who made which norm."""
        made = [f"{v.player} ({v.title})" for v in self if v.passed]
        return f"norms made: {', '.join(made)}" if made else "nobody made a norm"
