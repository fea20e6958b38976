"""FIDE's rating regulations as constants with their articles, and the calendar of lists."""

from __future__ import annotations

import math
import re
from dataclasses import asdict, dataclass
from typing import Literal

import polars as pl

from arpad.errors import UsageError
from arpad.rate.k import KPolicy
from arpad.scale import Table

# FIDE's rating regulations, as constants with their articles.
#
# Articles are those of the FIDE Handbook, B.02, "FIDE Rating Regulations" in force from 1 March 2024,
# with the amendment of article 8.3.1 in force from 1 October 2025. Looked up in November 2026 in public
# transcriptions and not compared with the Handbook itself; no later change to the
# arithmetic was found. The tables 8.1.1 and 8.1.2 are in `arpad.scale`. Rapid and blitz have regulations of
# their own, in force from 1 March 2024 and amended from 1 December 2024; they are known from secondary sources only,
# two programs that agree on them.
#
# The functions here are the readable reference for one player; `fide` rates whole lists with arrays, and
# a property test says that the two agree.

_TABLE = Table()


@dataclass(frozen=True, slots=True, kw_only=True)
class FideRules:
    """One version of the regulations."""

    name: str
    since: str
    """The first day on which they hold, ISO."""
    k_new: int = 40
    """8.3.3: a player new to the list, until `new_games` games are completed."""
    new_games: int = 30
    k_junior: int = 40
    """8.3.3: until the end of the year of the 18th birthday, while below `junior_below`."""
    junior_age: int = 18
    junior_below: int = 2300
    k_normal: int = 20
    """8.3.3: as long as the rating stays below `top`."""
    k_top: int = 10
    """8.3.3: once a published rating has reached `top`, permanently."""
    top: int = 2400
    k_limit: int = 700
    """8.3.3: if K × n exceeds this, K is the largest whole number with K × n within it."""
    cap: int = 400
    """8.3.1: a larger difference counts as this one …"""
    cap_exempt: int | None = None
    """… except for a player rated this or more (each player by their own rating)."""
    cap_once: bool = False
    """Only one game an event is capped: the one with the greatest difference."""
    gap: int | None = None
    """Rapid and blitz 7.3.1: a game with this difference or more is not rated …"""
    gap_above: int = 2600
    """… if one of the two is rated above this."""
    min_games: int = 5
    """7.1.4: games against rated opponents that a first rating needs …"""
    window_months: int = 26
    """… within this many months."""
    initial: Literal["hypothetical draws", "20 per half point"] = "hypothetical draws"
    """8.2.2: how a first rating follows from the games."""
    hypothetical_rating: int = 1800
    hypothetical_draws: int = 2
    initial_max: int | None = 2200
    """8.2.3: the highest first rating."""
    floor: int = 1400
    """7.2.1: who falls below is unrated again."""

    @property
    def rapid(self) -> bool:
        """Say whether these are the regulations for rapid and blitz."""
        return self.name.startswith("rapid")

    def too_far(self, rating: float, opponent: float) -> bool:
        """Say whether a game is not rated, so far apart are the two."""
        apart = self.gap is not None and abs(rating - opponent) >= self.gap
        return apart and max(rating, opponent) > self.gap_above

    def k(self, *, age: int | None, games: int, topped: bool, reached_junior_bound: bool) -> int:
        """Return K.

        The text gives no order; this one fits FIDE's published lists: 10 permanently, then juniors, then
        newcomers, then everybody.
        """
        if topped:
            return self.k_top
        if age is not None and age <= self.junior_age and not reached_junior_bound:
            return self.k_junior
        if games < self.new_games:
            return self.k_new
        return self.k_normal

    @property
    def policy(self) -> KPolicy:
        """K of adults [8.3.3]."""
        tiers = ((float(self.top), float(self.k_normal)), (math.inf, float(self.k_top)))
        return KPolicy(tiers, float(self.k_new), self.new_games, permanent=True)

    @property
    def levels(self) -> tuple[tuple[int, str], ...]:
        """Every K with its reason, in the order in which `k` asks [8.3.3]."""
        return (
            (self.k_top, f"a list had {self.top}"),
            (self.k_junior, f"up to {self.junior_age} years and below {self.junior_below}"),
            (self.k_new, f"fewer than {self.new_games} games"),
            (self.k_normal, f"never {self.top} on a list"),
        )

    def parameters(self) -> dict[str, object]:
        """Return every constant by name."""
        return {"rules" if key == "name" else key: value for key, value in asdict(self).items()}


RULES = {
    r.name: r
    for r in (
        FideRules(name="2025-10", since="2025-10-01", cap_exempt=2650),
        FideRules(name="2024-03", since="2024-03-01"),
        FideRules(
            name="2022-01",
            since="2022-01-01",
            cap_once=True,
            initial="20 per half point",
            initial_max=None,
            floor=1000,
        ),
        FideRules(
            name="2014-07", since="2014-07-01", initial="20 per half point", initial_max=None, floor=1000
        ),
        # The same K, tables, floor and first ratings; everybody is capped, and great gaps are not rated.
        FideRules(name="rapid-2024-12", since="2024-12-01", gap=600),
    )
}
"""The versions by name, newest first, then those for rapid and blitz; of 2014 no full text was seen, and
older ones are left out."""
TODAY = next(iter(RULES.values()))
RAPID = next(r for r in RULES.values() if r.rapid)


def rules(name: str) -> FideRules:
    """Return a version of the regulations."""
    known = {"today": TODAY, "rapid": RAPID, **RULES}
    if name not in known:
        raise UsageError(f"expected rules, one of {', '.join(known)}; found {name!r}")
    return known[name]


def half_away(value: float) -> int:
    """Round to a whole number, halves away from zero [8.3.4]: −2.50 → −3.

    The inner rounding removes the noise of binary fractions.
    """
    size = math.floor(round(abs(value), 9) + 0.5)
    return size if value >= 0 else -size


def expected(rating: float, opponent: float, rules: FideRules, *, capped: bool = True) -> float:
    """Return P_D by table 8.1.2, the difference capped as 8.3.1 says."""
    D = rating - opponent
    exempt = rules.cap_exempt is not None and rating >= rules.cap_exempt
    if capped and not exempt:
        D = max(-rules.cap, min(rules.cap, D))
    return float(_TABLE.expected(D))


def change(rating: float, k: int, results: list[tuple[float, float]], rules: FideRules = TODAY) -> float:
    """Return the change of a rating, not yet rounded, over ``(opponent's rating, score)`` results.

    All results of a list period go in together: K shrinks when they are many. (Where one game an
    event is capped, they are taken as one event.)

    Examples
    --------
    >>> round(change(2813, 10, [(1787, 1), (2025, 1), (2310, 1), (2400, 1), (2505, 0.5)]), 2)
    -2.5
    """
    results = [(R, score) for R, score in results if not rules.too_far(rating, R)]
    if k * len(results) > rules.k_limit:
        k = rules.k_limit // len(results)
    gaps = [abs(rating - opponent) for opponent, _ in results]
    total = 0.0
    for number, (opponent, score) in enumerate(results):
        capped = not rules.cap_once or number == gaps.index(max(gaps))
        total += score - expected(rating, opponent, rules, capped=capped)
    return k * total


@dataclass(frozen=True, slots=True, kw_only=True)
class FirstRating:
    """A first rating with the figures on the way [8.2]."""

    games: int
    score: float
    R_a: float
    """Average of the opponents, with the hypothetical ones."""
    d_p: float
    """Points above or below that average."""
    rules: FideRules
    rating: int | None
    """R_u as it is published; None: below the floor."""

    def words(self) -> str:
        """Return the formula with its figures."""
        m = self.rules.hypothetical_draws
        draws = (
            f" and {m} draws with {self.rules.hypothetical_rating}"
            if self.rules.initial == "hypothetical draws"
            else ""
        )
        most, raw = self.rules.initial_max, self.R_a + self.d_p
        cap = f", at most {most} [8.2.3]" if most is not None and raw > most else ""
        return (
            f"{self.score:g} points from {self.games} games{draws}, "
            f"R_a {self.R_a:.1f} + d_p {self.d_p:+.0f} [8.2.2]{cap}"
        )


def first_rating(results: list[tuple[float, float]], rules: FideRules = TODAY) -> FirstRating | None:
    """Return a first rating from ``(opponent's rating, score)`` results; None: too few games.

    R_u = R_a + d_p, with two draws against 1800 added to the results [8.2.2, 8.2.3].

    Examples
    --------
    >>> found = first_rating([(1902, 0.5), (1877, 0.5), (1884, 1), (2012, 0), (1832, 1)])
    >>> found.words()
    '3 points from 5 games and 2 draws with 1800, R_a 1872.4 + d_p +50 [8.2.2]'
    """
    n = len(results)
    if n < rules.min_games:
        return None
    total = sum(opponent for opponent, _ in results)
    points = sum(score for _, score in results)
    if rules.initial == "hypothetical draws":
        m = rules.hypothetical_draws
        R_a = (total + m * rules.hypothetical_rating) / (n + m)
        d_p = float(_TABLE.difference((points + m / 2) / (n + m)))
    else:
        R_a = total / n
        above = points - n / 2
        d_p = 40 * above if above > 0 else float(_TABLE.difference(points / n))
    R_u = R_a + d_p
    if rules.initial_max is not None:
        R_u = min(R_u, rules.initial_max)
    rounded = math.floor(round(R_u, 9) + 0.5)
    return FirstRating(
        games=n,
        score=points,
        R_a=R_a,
        d_p=d_p,
        rules=rules,
        rating=rounded if rounded >= rules.floor else None,
    )


def initial_rating(results: list[tuple[float, float]], rules: FideRules = TODAY) -> int | None:
    """Return the first rating that is published, or None if there is none.

    Examples
    --------
    >>> initial_rating([(1902, 0.5), (1877, 0.5), (1884, 1), (2012, 0), (1832, 1)])
    1922
    """
    result = first_rating(results, rules)
    return None if result is None else result.rating


# From which list an event is rated, and which list takes its changes.
#
# A list appears on the first of every month. An event is rated as a whole, from the list in force when it
# begins, and its changes go into the list after the month in which it ends. An event that lasts longer
# than `LONGEST_EVENT` days is rated month by month [article 4], and so are games without an event.

LONGEST_EVENT = 31
NEVER = -(10**6)
"""The month of games without any date."""


def by_list(played: pl.DataFrame) -> pl.DataFrame:
    """Add `list` (the month whose list is used) and `close` (the month that takes the changes)."""
    month = pl.col("date").dt.year().cast(pl.Int32) * 12 + pl.col("date").dt.month()
    # A game without a date is of its event's; only where that has none, of the play before it.
    inside = month.forward_fill().backward_fill().over("event")
    inside = pl.when(pl.col("event").is_null()).then(month).otherwise(inside)
    dated = played.with_columns(inside.forward_fill().fill_null(NEVER).alias("month"))
    if dated["event"].null_count() == dated.height:
        return dated.with_columns(pl.col("month").alias("list"), pl.col("month").alias("close")).sort(
            "close", maintain_order=True
        )
    days = (pl.col("date").max() - pl.col("date").min()).dt.total_days().fill_null(0).over("event")
    whole = pl.col("event").is_not_null() & (days <= LONGEST_EVENT)
    first, last = pl.col("month").min().over("event"), pl.col("month").max().over("event")
    return dated.with_columns(
        pl.when(whole).then(first).otherwise("month").alias("list"),
        pl.when(whole).then(last).otherwise("month").alias("close"),
    ).sort("close", maintain_order=True)


# Articles of FIDE's regulations for standard chess, as those for rapid and blitz number them.

FIDE_ARTICLES_RAPID = {
    "7.1.4": "6.1.4",
    "7.2.1": "6.2.1",
    "8.1.2": "7.1.2",
    "8.2": "7.2",
    "8.2.1": "7.2.2",
    "8.2.2": "7.2.3",
    "8.2.3": "7.2.4",
    "8.2.4": "7.2.5",
    "8.3.1": "7.3.1",
    "8.3.3": "7.3.3",
    "8.3.4": "7.3.4",
}
"""Chapters are one less; 7.2 begins with an article of its own, on players who have a standard rating."""
_ARTICLE = re.compile(r"[78](?:\.\d)+")
_CITED = re.compile(rf"\[{_ARTICLE.pattern}(?:, {_ARTICLE.pattern})*\]")


def rapid_articles(text: str) -> str:
    """Return a text whose articles, in brackets, are those of the regulations for rapid and blitz.

    Examples
    --------
    >>> rapid_articles("K 20 [8.3.3]; R_a 1878.2 + d_p +50 [8.2, 8.3.1]")
    'K 20 [7.3.3]; R_a 1878.2 + d_p +50 [7.2, 7.3.1]'
    """
    return _CITED.sub(lambda m: _ARTICLE.sub(lambda a: FIDE_ARTICLES_RAPID[a[0]], m[0]), text)
