"""Scores for title results by the regulations of 1986: categories, percentages, points [Elo 4.32–4.34]."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import polars as pl

from arpad.errors import UsageError
from arpad.event.kind import WIDTH, category
from arpad.scale import Table

__all__ = [
    "NORMS",
    "Minima",
    "Title",
    "category_name",
    "category_of_women",
    "minima",
    "percentage",
    "points_chart",
    "points_needed",
    "title_called",
]

Title = Literal["GM", "IM", "WGM", "IWM"]

NORMS: dict[Title, float] = {"GM": 2600.0, "IM": 2450.0, "WGM": 2300.0, "IWM": 2150.0}
"""The performance that makes a title result, in rating points [4.32]."""

MOST, LEAST = 0.76, 0.30
"""The highest and lowest percentage in the chart; beyond them a tournament gives no such result [4.34]."""

LOWEST_WOMEN = 1950.0
"""Category 1W is an average from 1951 to 1975 [4.34]."""

LAST_PRINTED = 2650.0
"""The end of category 16, the last in the chart."""

TOLERANCE = 0.05
"""Points by which games × percentage may exceed the score: 5.05 asks for 5 [4.34, from the chart]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Minima:
    """How many of the players of a title tournament must be foreign, rated, titled [4.34]."""

    players: int
    foreign: int
    rated: int
    titled: int


def title_called(name: str) -> Title:
    """Return the title of that name; the WIM of today is the IWM of 1986."""
    wanted = name.strip().upper()
    wanted = "IWM" if wanted == "WIM" else wanted
    for title in NORMS:
        if title == wanted:
            return title
    raise UsageError(f"expected a title, one of {', '.join(NORMS)}; found {name!r}")


def category_of_women(average: float) -> int | None:
    """Return the category of a women's tournament, 1W from 1951 on, or None below.

    Examples
    --------
    >>> category_of_women(2026), category_of_women(1950)
    (4, None)
    """
    above = math.floor(average + 0.5) - LOWEST_WOMEN
    return int(-(-above // WIDTH)) if above > 0 else None


def category_name(average: float, *, women: bool = False) -> str | None:
    """Return the category as the chart names it: `7`, or `4W` in a women's tournament."""
    number = category_of_women(average) if women else category(average)
    return None if number is None else f"{number}{'W' if women else ''}"


def percentage(title: Title, average: float) -> float | None:
    """Return the share of the points that is a title result, or None where the chart has none.

    That is table 2.11 at norm − (floor of the category − 1), so that one figure holds for the 25 points of
    a category. The chart ends at category 16; beyond it the same rule goes on.

    Examples
    --------
    >>> percentage("GM", 2551), percentage("IM", 2251), percentage("GM", 2390)
    (0.57, 0.76, None)
    """
    if not math.isfinite(average):
        raise UsageError(f"expected an average rating, found {average!r}")
    whole = math.floor(average + 0.5)
    below = WIDTH * math.floor((whole - 1) / WIDTH)  # the floor of the category less 1
    share = Table().expected(NORMS[title_called(title)] - below)
    return share if LEAST <= share <= MOST else None


def points_needed(title: Title, average: float, games: int) -> float | None:
    """Return the score that is a title result: the smallest half-point ≥ games × percentage − .05.

    Examples
    --------
    >>> points_needed("GM", 2551, 15), points_needed("IWM", 2026, 9)
    (8.5, 6.0)
    """
    if games < 1:
        raise UsageError(f"expected at least one game, found {games}")
    share = percentage(title, average)
    if share is None:
        return None
    # In hundredths: games × percentage is exact there.
    hundredths = games * round(100 * share) - round(100 * TOLERANCE)
    return max(0, -(-hundredths // 50)) / 2


def minima(players: int) -> Minima:
    """Return the minima for so many players: a third foreign, four in five rated, half titled [¶4.1].

    Examples
    --------
    >>> minima(16)
    Minima(players=16, foreign=6, rated=13, titled=8)
    """
    if players < 2:
        raise UsageError(f"expected at least two players, found {players}")
    return Minima(
        players=players,
        foreign=-(-players // 3),
        rated=players - players // 5,
        titled=-(-players // 2),
    )


def points_chart(*, women: bool = False, fewest: int = 10, most: int = 20) -> pl.DataFrame:
    """Return the chart of points: a row for each number of players and title, a column a category.

    Parameters
    ----------
    women
        Categories 1W to 16W with WGM and IWM, instead of 1 to 16 with GM and IM.
    """
    first = LOWEST_WOMEN if women else LAST_PRINTED - 16 * WIDTH
    titles: tuple[Title, ...] = ("WGM", "IWM") if women else ("GM", "IM")
    rows = []
    for players in range(fewest, most + 1):
        least = minima(players)
        for title in titles:
            cells = {
                f"{number}{'W' if women else ''}": points_needed(
                    title, first + WIDTH * (number - 1) + 1, players - 1
                )
                for number in range(1, 17)
            }
            rows.append(
                {
                    "players": players,
                    "games": players - 1,
                    "foreign": least.foreign,
                    "rated": least.rated,
                    "titled": least.titled,
                    "title": title,
                    **cells,
                }
            )
    return pl.DataFrame(rows, infer_schema_length=None)
