"""Title results and awards by FIDE's regulations of 1986 [Elo 4.3]."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import asdict, dataclass
from functools import partial
from typing import TYPE_CHECKING, Literal, get_args

import polars as pl

from arpad.errors import UsageError
from arpad.event.fide1986 import NOMINAL, nominal_value, time_requirements
from arpad.event.field import (
    WIDTH,
    category,
    cycles_of,
    entries_of,
    field_of,
    kind_of,
    only_women,
    round_days,
    rounds_of,
    scoreless,
    without,
)
from arpad.event.norms.rules import Checked, Requirement, Verdict, above
from arpad.scale import Table, half_up

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from datetime import date

    from arpad.event.field import FieldEntry
    from arpad.model import Games


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
    """Smallest numbers of foreign, rated and titled players in a title tournament [4.34]."""

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


def category_name(average: float, *, women: bool = False) -> str | None:
    """Return the category as the chart names it: `7`, or `4W` in a women's tournament, which has 1W from 1951.

    >>> category_name(2026, women=True), category_name(1950, women=True)
    ('4W', None)
    """
    number = category(average, LOWEST_WOMEN) if women else category(average)
    return None if number is None else f"{number}{'W' if women else ''}"


def percentage(title: Title, average: float) -> float | None:
    """Return the share of the points that is a title result, or None where the chart has none.

    That is table 2.11 at norm − (floor of the category − 1), so that one figure holds for the 25 points of
    a category. The chart ends at category 16; beyond it the same rule goes on.

    >>> percentage("GM", 2551), percentage("IM", 2251), percentage("GM", 2390)
    (0.57, 0.76, None)
    """
    if not math.isfinite(average):
        raise UsageError(f"expected an average rating, found {average!r}")
    below = WIDTH * math.floor((half_up(average) - 1) / WIDTH)  # the floor of the category less 1
    share = Table().expected(NORMS[title_called(title)] - below)
    return share if LEAST <= share <= MOST else None


def points_needed(title: Title, average: float, games: int) -> float | None:
    """Return the score that is a title result: the smallest half-point ≥ games × percentage − .05.

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
    """Return the minima for this many players: a third foreign, four in five rated, half titled [¶4.1].

    >>> minima(16)
    Minima(players=16, foreign=6, rated=13, titled=8)
    """
    if players < 2:
        raise UsageError(f"expected at least two players, found {players}")
    return Minima(
        players=players, foreign=-(-players // 3), rated=players - players // 5, titled=-(-players // 2)
    )


def points_chart(*, women: bool = False, fewest: int = 10, most: int = 20) -> pl.DataFrame:
    """Return the chart of points: a row for each number of players and title, a column a category.

    women: Categories 1W to 16W with WGM and IWM, instead of 1 to 16 with GM and IM.
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
            rows.append({"players": players, "games": players - 1, **asdict(least), "title": title, **cells})
    return pl.DataFrame(rows, infer_schema_length=None)


# Whether an event is an International Title Tournament of 1986, and its average [Elo 4.34 ¶4.1–4.4, 4.52].

ARTICLE = "4.34 ¶4.1"
TITLES = frozenset({"GM", "IM", "FM", "WGM", "IWM", "WIM", "WFM"})
"""Titles over the board in 1986 [4.31 ¶1.11]; files write WIM for the IWM."""
ROUNDS = 9
"""Rounds of a title tournament, and games that a player must have in it."""
FEDERATIONS = 3
STRONG, STRONG_WOMEN = 2300.0, 2000.0
"""Above this rating somebody counts like a titleholder [¶4.1]."""
LISTED_FROM = 2205.0
"""Women with less than this among men are entered at the nominal 2200 [¶4.4]."""
LAST_ROUNDS = 3
DOUBLE_DAYS = 2
Waiver = Literal["none", "national championship", "zonal"]
"""Requirements that do not apply: federations for a championship registered in advance [¶4.14] or a
zonal of one federation [¶4.12]; for a zonal also the limit on unrated players [¶4.13].
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class TitleTournament(Checked):
    """An event as a title tournament: its field, its average R_f, and each requirement."""

    field: dict[int, FieldEntry]
    """Everybody, with the games that count for titles."""
    women: bool
    average: float | None
    """R_f, rounded with halves upwards; None without anybody who counts."""
    category: str | None
    requirements: tuple[Requirement, ...]
    notes: tuple[str, ...]


def entered_value(entry: FieldEntry, *, women: bool) -> float:
    """Return at what somebody enters R_f: the listed rating, or the nominal 2200 or 1900 [¶4.4]."""
    R_U = nominal_value(women=women)
    rating = entry.rating or 0.0
    if not women and entry.woman and rating < LISTED_FROM:
        return NOMINAL
    return max(R_U, rating)


def title_tournament_1986(
    games: Games, *, waiver: Waiver = "none", non_members: Collection[int] = ()
) -> TitleTournament:
    """Check an event against the requirements of a title tournament.

    What the file does not tell (federations, dates) is not checked, and a note says so.

    non_members: Rows of players whose federation is not in FIDE: they and the games against them do not count
        for titles [3.2, 4.52].
    """
    field = field_of(games)
    if not field:
        raise UsageError("expected an event with games that were played, found none")
    women = only_women(field)
    gone = scoreless(field) | (set(non_members) & set(field))
    counted = without(field, gone)
    average = None
    if counted:
        total = math.fsum(entered_value(e, women=women) for e in counted.values())
        average = half_up(total / len(counted))
    result, notes = _composition(field, women=women, waiver=waiver, kind=kind_of(games))
    rounds = rounds_of(games)
    # Three federations need three players: a match is no tournament, whatever the file tells.
    result[:0] = [_at_least("rounds", rounds, ROUNDS), _at_least("players", len(field), FEDERATIONS)]
    late, unknown = _time(games, rounds)
    if gone:
        names = ", ".join(field[r].name for r in sorted(gone))
        notes.append(f"left out with their games (no point, or not a member): {names} [4.41, 4.52]")
    elsewhere = int((games.table["status"] != "played").sum())
    if elsewhere:
        notes.append(f"{elsewhere} pairings not decided over the board are not counted [{ARTICLE}]")
    if len(games.events) > 1:
        notes.append(f"{len(games.events)} events are taken as one")
    return TitleTournament(
        field=counted,
        women=women,
        average=average,
        category=None if average is None else category_name(average, women=women),
        requirements=(*result, *late),
        notes=(*notes, *unknown),
    )


def _composition(
    field: Mapping[int, FieldEntry], *, women: bool, waiver: Waiver, kind: str
) -> tuple[list[Requirement], list[str]]:
    M, R_U = len(field), nominal_value(women=women)
    least = minima(M)
    strong = STRONG_WOMEN if women else STRONG
    rated = sum((e.rating or 0) > R_U for e in field.values())
    titled = sum(e.title in TITLES or (e.rating or 0) > strong for e in field.values())
    result, notes = [], []
    if waiver == "zonal":
        notes.append("the limit on unrated players is waived for a zonal [4.34 ¶4.13]")
    else:
        result.append(_at_least(f"rated players of {M}", rated, least.rated))
    result.append(_at_least(f"titleholders or rated over {strong:g}", titled, least.titled))
    known = Counter(e.federation for e in field.values() if e.federation)
    if waiver != "none":
        article = "¶4.12" if waiver == "zonal" else "¶4.14"
        notes.append(f"federations are waived for a {waiver} [4.34 {article}]")
    elif not known:
        notes.append(f"not checked, for the file names none: federations [{ARTICLE}]")
    else:
        needed = 2 if kind == "Scheveningen" else FEDERATIONS
        largest = max(known.values()) + M - known.total()
        result.append(_at_least("federations", len(known), needed))
        result.append(_at_least("players not of one federation", M - largest, least.foreign))
        if known.total() < M:
            notes.append(f"{M - known.total()} without a federation count as members of the largest one")
    return result, notes


def _time(games: Games, rounds: int) -> tuple[list[Requirement], list[str]]:
    """Check when it was played, as far as the file tells."""
    result = time_requirements(games, ARTICLE)
    when = round_days(games)
    if when:
        a_day: Counter[date] = Counter(when.values())
        last = {day for number, day in when.items() if number > rounds - LAST_ROUNDS}
        result += [
            _at_most("days with two rounds", sum(n > 1 for n in a_day.values()), DOUBLE_DAYS),
            _at_most(
                f"days with two rounds in the last {LAST_ROUNDS}", sum(a_day[day] > 1 for day in last), 0
            ),
        ]
    notes = [f"not checked: speed of play, at most 46 moves in two hours [{ARTICLE}]"]
    if not when:
        notes.append(f"not checked, for the file lacks rounds or dates: rounds a day [{ARTICLE}]")
    return result, notes


_at_least, _at_most = partial(Requirement.least, ARTICLE), partial(Requirement.most, ARTICLE)


# Title results by FIDE's regulations of 1986: GM, IM, WGM, IWM [Elo 4.3].

RULES = "1986"


def verdicts(
    games: Games,
    players: Sequence[int] | None = None,
    titles: Sequence[str] | None = None,
    *,
    waiver: Waiver = "none",
    non_members: Collection[int] = (),
) -> list[Verdict]:
    """Return a verdict for each player and title, all games being one event.

    players: Rows of the players; None: everybody, best score first.
    titles: Names of titles; None: those above the title held, of GM and IM, for women WGM and IWM too (in a
        women's tournament GM and IM only where its category offers them).
    waiver, non_members: As in `title_tournament_1986`.
    """
    event = title_tournament_1986(games, waiver=waiver, non_members=non_members)
    wanted = None if titles is None else [title_called(t) for t in titles]
    round_robin = cycles_of(games) > 0
    return [
        _verdict(entry, title, event, round_robin=round_robin)
        for entry in entries_of(event.field, players)
        for title in (_usual(entry, event) if wanted is None else wanted)
    ]


def _usual(entry: FieldEntry, event: TitleTournament) -> list[Title]:
    """Return the titles above the one held that somebody can play for here."""
    open_titles: list[Title] = ["GM", "IM"]
    if event.women and event.average is not None:
        average = event.average
        open_titles = [t for t in open_titles if percentage(t, average) is not None]
    offered = [*open_titles, *(["WGM", "IWM"] if entry.woman else [])]
    return above(entry.title, offered)  # type: ignore[return-value]


def _verdict(entry: FieldEntry, title: Title, event: TitleTournament, *, round_robin: bool) -> Verdict:
    notes = list(event.notes)
    score, games, average = entry.score, entry.games, event.average
    if not round_robin:
        score, games, average = _own_opponents(entry, event)
        notes.append(
            "no round robin: the average of the player's rated opponents is used [4.58; ¶4.51 is not in the book]"
        )
    if average is not None and average > LAST_PRINTED:
        notes.append("the chart ends at category 16; above it, its rule is extended")
    if entry.title == title or (entry.title == "WIM" and title == "IWM"):
        notes.append("holds the title already")
    needed = None
    if average is not None and games:
        needed = points_needed(title, average, games)
    requirements = [
        *event.requirements,
        # What ¶4.1 asks of the event, asked of the player: nobody makes a norm in three games.
        _at_least("games that count", games, ROUNDS),
        _category(title, average, women=event.women),
    ]
    share = None if average is None else percentage(title, average)
    if needed is not None and share is not None:
        enough = f"at least {needed:g}, {100 * share:.0f} % of {games}"
        requirements.append(Requirement("4.34 ¶4.3", "score", enough, f"{score:g}", score >= needed))
    elsewhere = all(r.passed for r in requirements if r.what != "score")
    return Verdict(
        player=entry.name,
        title=title,
        rules=RULES,
        score=score,
        games=games,
        requirements=tuple(requirements),
        points_needed=needed if elsewhere and needed is not None and needed <= games else None,
        notes=tuple(notes),
    )


def _own_opponents(entry: FieldEntry, event: TitleTournament) -> tuple[float, int, float | None]:
    """Return score, games and average against rated opponents only [4.58]."""
    met = [(event.field[o], s) for o, s in entry.results if event.field[o].rating is not None]
    if not met:
        return 0.0, 0, None
    total = math.fsum(entered_value(o, women=event.women) for o, _ in met)
    return math.fsum(s for _, s in met), len(met), half_up(total / len(met))


def _category(title: Title, average: float | None, *, women: bool) -> Requirement:
    """Say whether the average is one for which the chart has this title."""
    result = "no average"
    if average is not None:
        name = category_name(average, women=women)
        result = f"{average:.0f}" + ("" if name is None else f", category {name}")
    norm = NORMS[title]
    return Requirement(
        "4.34 ¶4.3",
        "average rating",
        # fifteen categories of 25 points, from 76 % down to 30 %
        f"{norm - 199:.0f} to {norm + 175:.0f}",
        result,
        average is not None and percentage(title, average) is not None,
    )


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

    norms: Title results in any order.
    ratings: Published ratings in any order.
    direct: Championships won, or qualified from.
    woman: Whether women's titles are open.

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
    given = [  # the World Junior Champion is given a result for the GM title [4.35]
        Norm(title="GM", ended=d.ended, games=d.games, event=d.championship)
        for d in direct
        if DIRECT[d.championship][0] == "GM result"
    ]
    result: list[Award] = []
    for ladder in LADDERS if woman else LADDERS[:1]:
        earned: list[Award] = []
        for title in ladder:
            ways = [
                *_direct(title, direct),
                *_by_rating(title, ratings),
                *_by_norms(title, [*norms, *given], ratings),
            ]
            first = min(ways, key=lambda a: a.on, default=None)
            if first is not None and all(first.on < higher.on for higher in earned):
                earned.append(first)
        result += earned
    return sorted(result, key=lambda a: a.on)


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
    worth = sorted(
        (n for n in norms if NORMS[title_called(n.title)] >= NORMS[title_called(title)]),
        key=lambda n: n.ended,
    )
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
