"""Title awards over time: from dated results and ratings to titles, each with its reason [Elo 4.32–4.35]."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, get_args

from arpad.errors import UsageError
from arpad.event.norms.fide1986 import NORMS, title_called

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import date


FEWEST_GAMES = 24
"""Games that the results for one title must have together [4.32]."""
FEWEST_NORMS = 2
"""Two or three performances [4.32]: two, if they have the games."""
YEARS = 5
"""Within which they must lie."""
MINIMUM_RATING: dict[str, float] = {"GM": 2450.0, "IM": 2350.0, "WGM": 2200.0, "IWM": 2100.0}
"""A published rating that the holder of a title must have had, in points [4.34]."""
BY_RATING: dict[str, float] = {"FM": 2300.0, "WFM": 2050.0}
"""Titles for a rating alone, resting on at least 24 games [4.34]."""
LADDERS = (("GM", "IM", "FM"), ("WGM", "IWM", "WFM"))
"""Titles from the highest down, open to all and women's; a higher one makes a lower one needless."""
Championship = Literal[
    "men's interzonal",
    "world junior",
    "women's world",
    "continental junior",
    "men's zonal",
    "women's interzonal",
    "world under 16",
]
DIRECT: dict[Championship, tuple[str, str]] = {
    "men's interzonal": ("GM", "qualified for the Candidates"),
    "world junior": ("GM result", "first place"),
    "women's world": ("IM", "first place"),
    "continental junior": ("IM", "first place"),
    "men's zonal": ("IM", "qualified for the Interzonal"),
    "women's interzonal": ("WGM", "qualified for the Candidates"),
    "world under 16": ("FM", "first place"),
}
"""Titles for a single performance, without a minimum rating [4.31, 4.35]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Norm:
    """A title result: for which title, when, in how many games."""

    title: str
    ended: date
    games: int
    event: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedRating:
    """A published rating: from when, how high, resting on how many games."""

    on: date
    rating: float
    games: int


@dataclass(frozen=True, slots=True, kw_only=True)
class DirectResult:
    """The winner of a championship, or a qualifier from it."""

    championship: Championship
    ended: date
    games: int = 0
    """Games played, which a result for a title needs to be counted with others."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Award:
    """A title, the day on which everything for it was there, and why."""

    title: str
    on: date
    reason: str
    norms: tuple[Norm, ...] = ()
    """The results that it rests on, where there are any."""

    def summary(self) -> str:
        """Return one sentence."""
        return f"{self.title} on {self.on}: {self.reason}"


def awards(
    norms: Sequence[Norm],
    ratings: Sequence[PublishedRating] = (),
    direct: Sequence[DirectResult] = (),
    *,
    woman: bool = False,
) -> list[Award]:
    """Return the titles that somebody has earned, in the order of time.

    A title needs two or more results within five years with 24 games together, and a published rating of
    the minimum at any time; it is due on the first day on which it has both. A result for a higher title
    counts for a lower one: a performance of 2600 is also one of 2450. A direct title needs nothing else,
    and an FM only the rating. Below a title that is held, lower ones of its ladder are not awarded.

    Parameters
    ----------
    norms
        Title results in any order.
    ratings
        Published ratings in any order.
    direct
        Championships won, or qualified from.
    woman
        Whether women's titles are open.

    Examples
    --------
    >>> from datetime import date
    >>> results = [
    ...     Norm(title="IM", ended=date(1984, 5, 1), games=13),
    ...     Norm(title="IM", ended=date(1985, 8, 1), games=11),
    ... ]
    >>> list_of_1986 = [PublishedRating(on=date(1986, 1, 1), rating=2390, games=60)]
    >>> awards(results, list_of_1986)[-1].summary()
    'IM on 1986-01-01: 2 results with 24 games within 5 years, and a rating of 2390'
    """
    _check(norms, ratings, direct)
    if not woman and any(n.title in LADDERS[1] for n in norms):
        raise UsageError("expected norms of a man's titles, found a woman's: give woman=True")
    all_norms = [*norms, *_statutory(direct)]
    result: list[Award] = []
    for title in [t for ladder in (LADDERS if woman else LADDERS[:1]) for t in ladder]:
        ways = [*_direct(title, direct), *_by_rating(title, ratings), *_by_norms(title, all_norms, ratings)]
        if ways:
            result.append(min(ways, key=lambda a: a.on))
    kept = [a for a in result if not _held(a, result)]
    return sorted(kept, key=lambda a: a.on)


def _held(award: Award, others: Sequence[Award]) -> bool:
    """Say whether a higher title of the same ladder was there no later."""
    ladder = next(ladder for ladder in LADDERS if award.title in ladder)
    higher = ladder[: ladder.index(award.title)]
    return any(o.title in higher and o.on <= award.on for o in others)


def _statutory(direct: Sequence[DirectResult]) -> list[Norm]:
    """Return the GM result that the World Junior Champion is given [4.35]."""
    return [
        Norm(title="GM", ended=d.ended, games=d.games, event=d.championship)
        for d in direct
        if DIRECT[d.championship][0] == "GM result"
    ]


def _direct(title: str, direct: Sequence[DirectResult]) -> list[Award]:
    return [
        Award(title=title, on=d.ended, reason=f"{d.championship}: {DIRECT[d.championship][1]}")
        for d in direct
        if DIRECT[d.championship][0] == title
    ]


def _by_rating(title: str, ratings: Sequence[PublishedRating]) -> list[Award]:
    if title not in BY_RATING:
        return []
    return [
        Award(title=title, on=p.on, reason=f"a rating of {p.rating:g} on {p.games} games")
        for p in ratings
        if p.rating >= BY_RATING[title] and p.games >= FEWEST_GAMES
    ]


def _by_norms(title: str, norms: Sequence[Norm], ratings: Sequence[PublishedRating]) -> list[Award]:
    if title not in MINIMUM_RATING:
        return []
    good = sorted((p for p in ratings if p.rating >= MINIMUM_RATING[title]), key=lambda p: p.on)
    worth = sorted((n for n in norms if _counts(n, title)), key=lambda n: n.ended)
    if not good:
        return []
    for last in range(len(worth)):
        start = _years_before(worth[last].ended)
        window = [n for n in worth[: last + 1] if n.ended > start]
        games = sum(n.games for n in window)
        if len(window) >= FEWEST_NORMS and games >= FEWEST_GAMES:
            reason = (
                f"{len(window)} results with {games} games within {YEARS} years, "
                f"and a rating of {good[0].rating:g}"
            )
            on = max(worth[last].ended, good[0].on)
            return [Award(title=title, on=on, reason=reason, norms=tuple(window))]
    return []


def _counts(norm: Norm, title: str) -> bool:
    return NORMS[title_called(norm.title)] >= NORMS[title_called(title)]


def _years_before(day: date) -> date:
    """Return the same day five years earlier: results after it are within five years."""
    try:
        return day.replace(year=day.year - YEARS)
    except ValueError:  # 29 February
        return day.replace(year=day.year - YEARS, day=28)


def _check(norms: Sequence[Norm], ratings: Sequence[PublishedRating], direct: Sequence[DirectResult]) -> None:
    for norm in norms:
        title_called(norm.title)
        if norm.games < 1:
            raise UsageError(f"expected a result of at least one game, found {norm.games}")
    for published in ratings:
        if not published.rating > 0 or published.games < 0:
            raise UsageError(
                f"expected a rating above 0 on 0 games or more, found {published.rating!r}, {published.games}"
            )
    for result in direct:
        if result.championship not in get_args(Championship):
            raise UsageError(
                f"expected a championship, one of {', '.join(DIRECT)}; found {result.championship!r}"
            )
