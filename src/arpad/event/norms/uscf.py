"""Norms and titles of the USCF as its committee proposed them in 1994 [USCF 1994, 2]."""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from dataclasses import asdict, dataclass, field
from statistics import NormalDist
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from arpad.errors import UsageError, counted
from arpad.event.field import entries_of, field_of, known_ratings
from arpad.event.norms.field import one_event
from arpad.event.norms.rules import Requirement, Verdict
from arpad.model import Result, columns
from arpad.scale import Logistic

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from datetime import date

    from arpad.event.field import FieldEntry
    from arpad.event.norms.field import Part
    from arpad.model import Games


# Norms of the U.S. Chess Federation as its committee proposed them in 1994 [USCF 1994, 2.2, 2.3].
#
# A score makes a norm for a rating level when it exceeds what a player of that level is expected to score by
# Δ, which grows with the root of the number of games.

FEWEST_GAMES = 4
"""Games of an event in which norms can be earned [2.2, 2.3 rule 1]."""
MOST_AT_ONCE = 5
"""Norms that one event can earn: the schedule ends with the whole title [2.2]."""
RECOMMENDED_P = 27.0
"""P, in per cent [2.2]."""
DIGITS = 3
"""Decimals that the report gives of Δ / √n."""
LEAST_P, GREATEST_P = 0.001, 99.999


@dataclass(frozen=True, slots=True)
class NormSchedule:
    """Margin by which a score must exceed the expected one: Δ = z √n / 2, z = Φ⁻¹(1 − (P/100)^k) [2.2].

    k norms at once are as unlikely for a player of just that level as k events with one norm each. A game is
    given the greatest variance that it can have, 1/4.

    P: In per cent: how often a player of just the level makes a norm by chance.
    exact: Take z as it is. The report rounds z / 2 to three decimals and computes its figures from that.

    >>> NormSchedule().coefficients
    (0.306, 0.727, 1.03, 1.277, 1.491)
    >>> [round(NormSchedule().delta(n), 3) for n in (4, 9)]
    [0.612, 0.918]
    """

    P: float = RECOMMENDED_P
    exact: bool = False
    coefficients: tuple[float, ...] = field(init=False)
    """Δ / √n for one norm, two, … five."""

    def __post_init__(self) -> None:
        if not LEAST_P <= self.P <= GREATEST_P:
            raise UsageError(
                f"expected P from {LEAST_P:g} to {GREATEST_P:g} per cent, found {self.P!r}: 27 is the report's"
            )
        z = [-NormalDist().inv_cdf((self.P / 100) ** k) for k in range(1, MOST_AT_ONCE + 1)]
        result = tuple(x / 2 if self.exact else round(x / 2, DIGITS) for x in z)
        object.__setattr__(self, "coefficients", result)

    def delta(self, games: int, norms: int = 1) -> float:
        """Return Δ, in points, for this many norms at once in an event of this many games."""
        if games < 1 or not 1 <= norms <= MOST_AT_ONCE:
            raise UsageError(
                f"expected at least one game and 1 to {MOST_AT_ONCE} norms, found {games} and {norms}"
            )
        return self.coefficients[norms - 1] * math.sqrt(games)

    def parameters(self) -> dict[str, object]:
        """Return the constants by name."""
        return {"P": self.P, "exact": self.exact, "coefficients": list(self.coefficients)}


def expected_score(level: float, opponents: Sequence[float]) -> float:
    """Return what a player of some rating is expected to score, by the USCF's winning expectancy.

    >>> round(expected_score(1500, [1800, 1900, 2000, 2100]), 3)
    0.326
    """
    if not opponents:
        raise UsageError("expected at least one opponent")
    if not all(math.isfinite(rating) for rating in (level, *opponents)):
        raise UsageError(f"expected ratings, found {level!r} against {list(opponents)!r}")
    return math.fsum(Logistic().expected(level - np.array(opponents, dtype=np.float64)))


def thresholds(
    opponents: Sequence[float], level: float, schedule: NormSchedule | None = None
) -> tuple[float, ...]:
    """Return what a score must exceed for one norm, two, … five: the expected score and Δ.

    >>> [round(x, 3) for x in thresholds([1800, 1900, 2000, 2100], 1500)]
    [0.938, 1.78, 2.386, 2.88, 3.308]
    """
    chosen, expected = schedule or NormSchedule(), expected_score(level, opponents)
    return tuple(expected + chosen.delta(len(opponents), norms) for norms in range(1, MOST_AT_ONCE + 1))


def norms_earned(
    score: float, opponents: Sequence[float], level: float, schedule: NormSchedule | None = None
) -> int:
    """Return how many norms a score is worth toward the title of a level: 0 to 5, and 5 are the title.

    Fewer than four games earn nothing.

    >>> norms_earned(3.5, [1800, 1900, 2000, 2100], 1700)
    4
    """
    games = len(opponents)
    if not 0 <= score <= games:
        raise UsageError(f"expected a score from 0 to {games} in {games} games, found {score!r}")
    if games < FEWEST_GAMES:
        return 0
    return sum(score > limit for limit in thresholds(opponents, level, schedule))


def score_needed(
    opponents: Sequence[float], level: float, norms: int = 1, schedule: NormSchedule | None = None
) -> float | None:
    """Return the smallest score, in half-points, that earns this many norms; None where none does.

    >>> score_needed([1800, 1900, 2000, 2100], 2100), score_needed([1800, 1900, 2000, 2100], 2200)
    (3.5, 4.0)
    """
    games = len(opponents)
    if not 1 <= norms <= MOST_AT_ONCE:
        raise UsageError(f"expected 1 to {MOST_AT_ONCE} norms, found {norms}")
    if games < FEWEST_GAMES:
        return None
    above = thresholds(opponents, level, schedule)[norms - 1]
    if above < 0:
        return 0.0
    half_points = math.floor(2 * above) + 1  # strictly more than `above`
    return half_points / 2 if half_points <= 2 * games else None


def expected_table(
    opponents: Sequence[float],
    levels: Sequence[int],
    *,
    score: float | None = None,
    schedule: NormSchedule | None = None,
) -> pl.DataFrame:
    """Return each level's expected score and the scores that earn one norm to five [2.5].

    `norms_1` to `norms_5` are the least scores, null where none would do; with a score, `norms` is what it
    earns.
    """
    rows = []
    for level in levels:
        row: dict[str, object] = {"level": level, "expected": expected_score(level, opponents)}
        row |= {f"norms_{k}": score_needed(opponents, level, k, schedule) for k in range(1, MOST_AT_ONCE + 1)}
        if score is not None:
            row["norms"] = norms_earned(score, opponents, level, schedule)
        rows.append(row)
    return pl.DataFrame(rows, infer_schema_length=None)


# Titles of the USCF by norms: the levels, their names, and who holds what [USCF 1994, 2.6].

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


ROMAN = ("I", "II", "III", "IV", "V", "VI", "VII", "VIII")
TITLES: tuple[UscfTitle, ...] = (
    UscfTitle(name="Advanced Senior Master", level=2600),
    UscfTitle(name="Senior Master", level=2400),
    UscfTitle(name="Master", level=2200),
    UscfTitle(name="Expert", level=2000),
    *(UscfTitle(name=f"Category {roman}", level=1800 - 200 * at) for at, roman in enumerate(ROMAN)),
    UscfTitle(name="Life Senior Master", level=2400, norms=LIFE_NORMS, life=True),
    UscfTitle(name="Life Master", level=2200, norms=LIFE_NORMS, life=True),
)
"""As in the table of 2.6, from the highest down, the life titles behind them."""
LEVELS: tuple[int, ...] = tuple(t.level for t in TITLES if not t.life)


def title_called(name: str | int | UscfTitle) -> UscfTitle:
    """Return a title by itself, its name, or its level.

    >>> title_called("senior master").level, title_called("2400").name, title_called("2100").name
    (2400, 'Senior Master', '2100-title')
    """
    if isinstance(name, UscfTitle):
        return name
    wanted = " ".join(str(name).casefold().split())
    if category := re.fullmatch(r"category ([1-8])", wanted):
        wanted = f"category {ROMAN[int(category[1]) - 1].lower()}"
    level = re.fullmatch(r"(\d{3,4})(-title)?", wanted)
    for title in TITLES:
        by_level = level is not None and int(level[1]) == title.level and not title.life
        if by_level or title.name.casefold() == wanted:
            return title
    if level is not None and LOWEST <= int(level[1]) <= HIGHEST:
        return UscfTitle(name=f"{int(level[1])}-title", level=int(level[1]))
    names = ", ".join(t.name for t in TITLES)
    raise UsageError(f"expected a title, one of {names}, or a level such as 2100; found {name!r}")


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
        under_way = [f"{self.toward(t)} of {t.norms} {t.name}" for t in self.sought() if self.toward(t)]
        return f"{', '.join([on_card, *life])}; norms: {', '.join(under_way) or 'none'}"


# Norms and titles of the system before, carried over to titles every 200 points [USCF 1994, 2.6 item 2].

OLD_LEVELS = range(1000, 3000, 100)
"""From Certified Class E to 7-star life master, in rating points [2.1]."""
NORMS_FOR_A_TITLE = 3
"""Norms toward the next higher title for an old title that there is no more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ConvertedStatus:
    """A status in the new levels, and how it came about."""

    status: Status
    steps: tuple[str, ...]


def converted(norms: Mapping[int, float], titles: Collection[int] = ()) -> ConvertedStatus:
    """Return the new status of a player who had norms and titles in the old system.

    1. an old title of a level that is gone gives three norms toward the next higher level;
    2. x norms of such a level give x/2, rounded upward, likewise;
    3. the norms of the highest level are then given to every lower one whose title is not held.

    Norms and titles of levels that stay are kept; half norms (an odd number of norm points) are rounded
    upward. The old system awarded lower titles with every title [2.4], so a player who holds one is taken to hold
    all below it. What is awarded in steps 1 and 2 is added to what is there, and five make the title.

    norms: By old level; halves are single norm points.
    titles: Old levels whose title is held; the highest is enough.

    >>> converted({1600: 3}, [1200]).status.summary()
    'Category IV; norms: 3 of 5 Category II, 3 of 5 Category III'
    >>> converted({1700: 3}, [1500]).status.norms[1800]
    2
    """
    _check(norms, titles)
    steps: list[str] = []
    top = max(titles, default=0)
    held = {level for level in LEVELS if level <= top}
    count = dict.fromkeys(LEVELS, 0)
    for level, x in sorted(norms.items()):
        if level in count and level not in held and x:
            count[level] = math.ceil(x)
    # Lower titles came with the highest one: they are worth nothing beside it.
    gains = [(top, NORMS_FOR_A_TITLE, "title")] if top and top not in LEVELS else []
    gains += [
        (level, math.ceil(x / 2), f"{x:g} norms")
        for level, x in sorted(norms.items())
        if level not in LEVELS and level > top and x
    ]
    for level, gain, what in gains:
        above = min((new for new in LEVELS if new > level), default=None)
        if above is None:
            steps.append(f"{what} at {level}: there is no higher title any more")
            continue
        count[above] += gain
        steps.append(f"{what} at {level}: {gain} norms at {above}")
    held |= {level for level in LEVELS if count[level] >= NORMS}
    held |= {level for level in LEVELS if level <= max(held, default=0)}
    highest = max((level for level in LEVELS if count[level] or level in held), default=0)
    for level in LEVELS:
        if level < highest and level not in held and count[level] < count[highest]:
            steps.append(f"{level}: {count[highest]} norms, as at {highest}")
            count[level] = count[highest]
    final = {lv: NORMS if lv in held else n for lv, n in count.items() if n or lv in held}
    names = tuple(title_called(level).name for level in LEVELS if level in held)
    return ConvertedStatus(status=Status(norms=final, titles=names), steps=tuple(steps))


def _check(norms: Mapping[int, float], titles: Collection[int]) -> None:
    for level in (*norms, *titles):
        if level not in OLD_LEVELS:
            raise UsageError(f"expected levels of the old system, 1000 to 2900 in hundreds; found {level!r}")
    for level, x in norms.items():
        if not 0 <= x < NORMS or 2 * x != int(2 * x):
            raise UsageError(
                f"expected norms at {level} from 0 to {NORMS - 0.5} in halves, found {x!r}: {NORMS} are a title"
            )


# Each player's norms and titles over time, from dated results [USCF 1994, 2.3].


@dataclass(frozen=True, slots=True, kw_only=True)
class EventResult:
    """One player's score in one event, and whom it was made against."""

    event: str
    on: date | None
    """Last day of the event; None if unknown."""
    score: float
    opponents: tuple[float, ...]
    """Their ratings before the event."""
    left_out: int = 0
    """Games that do not count: the opponent has no rating."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EarnedNorms:
    """The norms of one event toward one level."""

    event: str
    on: date | None
    level: int
    norms: int
    total: int
    """With those before."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TitleAward:
    """A title, when it was earned and in which event."""

    title: str
    level: int
    on: date | None
    event: str
    norms: int
    """Of its level, at the end of that event."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TitleHistory:
    """Norms and titles of a player, event by event."""

    before: Status
    earned: tuple[EarnedNorms, ...]
    titles: tuple[TitleAward, ...]
    """In the order of time, of one event the highest first."""
    status: Status
    """After the last event."""
    events: int
    left_out: int
    """Games that do not count, the opponent having no rating."""
    notes: tuple[str, ...]
    parameters: dict[str, object]

    def card(self, on: date | None = None) -> str | None:
        """Return the title that the card shows, now or at the end of some day."""
        if on is None:
            return self.status.card()
        then = [a.title for a in self.titles if a.on is not None and a.on <= on]
        return Status(titles=(*self.before.titles, *then)).card()

    def table(self) -> pl.DataFrame:
        """Return one row for every event and level with norms: on, event, level, norms, total, title."""
        won = defaultdict(list)
        for award in self.titles:
            won[award.event, award.on, award.level].append(award.title)
        schema = columns("on:date event:str level:int norms:int total:int title:str")
        rows = [
            (e.on, e.event, e.level, e.norms, e.total, ", ".join(won[e.event, e.on, e.level]))
            for e in self.earned
        ]
        return pl.DataFrame(rows, schema=schema, orient="row")

    def summary(self) -> str:
        """Return one sentence."""
        return f"{counted(self.events, 'event')}: {self.status.summary()}"


def title_history(
    results: Sequence[EventResult],
    *,
    before: Status | None = None,
    titles: Sequence[UscfTitle] = TITLES,
    schedule: NormSchedule | None = None,
) -> TitleHistory:
    """Return a player's norms and titles from results in events.

    Results count toward every title that is not held yet, all at once; norms of a level go on counting
    while a life title is open there [2.3 rule 3, 2.6 item 1].

    results: In any order if all have dates, else in the order of play.
    before: What the player had already, as from `uscf_old_status.converted`.
    titles: Those that there are to earn.

    >>> from datetime import date
    >>> good = EventResult(event="Open", on=date(1994, 9, 3), score=3.5, opponents=(1800, 1900, 2000, 2100))
    >>> print(title_history([good]).status.summary())
    Category III; norms: 1 of 5 Expert, 3 of 5 Category I, 4 of 5 Category II
    """
    first, chosen = before or Status(), schedule or NormSchedule()
    _uscf_history_check(results)
    norms, held = dict(first.norms), list(first.titles)
    for title in map(title_called, held):
        norms[title.level] = first.toward(title)
    earned: list[EarnedNorms] = []
    awards: list[TitleAward] = []
    ordered = list(results)
    if all(r.on is not None for r in results):
        ordered.sort(key=lambda r: str(r.on))
    for r in ordered:
        for level in sorted({t.level for t in titles}, reverse=True):
            open_titles = [t for t in titles if t.level == level and t.name not in held]
            count = norms_earned(r.score, r.opponents, level, chosen) if open_titles else 0
            if not count:
                continue
            total = norms[level] = norms.get(level, 0) + count
            earned.append(EarnedNorms(event=r.event, on=r.on, level=level, norms=count, total=total))
            for title in open_titles:
                if total >= title.norms:
                    held.append(title.name)
                    awards.append(
                        TitleAward(title=title.name, level=level, on=r.on, event=r.event, norms=total)
                    )
    return TitleHistory(
        before=first,
        earned=tuple(earned),
        titles=tuple(awards),
        status=Status(norms=norms, titles=tuple(held)),
        events=len(results),
        left_out=sum(r.left_out for r in results),
        notes=_notes(results),
        parameters={"rules": "uscf1994", **chosen.parameters(), "titles": [t.name for t in titles]},
    )


def title_histories(
    games: Games, *, before: Mapping[int, Status] | None = None, schedule: NormSchedule | None = None
) -> dict[int, TitleHistory]:
    """Return everybody's history from the games of one or more events, by row of the players.

    Games that were not played do not count, nor those against players without a rating.
    """
    results: dict[int, list[EventResult]] = defaultdict(list)
    seen: dict[frozenset[tuple[object, int]], str] = {}
    for part in one_event(games):
        _check_once(part, seen)
        ratings, event = known_ratings(part.games), part.games.events[:1]
        on = next((e.end or e.start for e in event), None) or part.games.table["date"].max()
        for row, entry in field_of(part.games).items():
            rated = [(ratings[o], share) for o, share in entry.results if o in ratings]
            results[part.rows[row]].append(
                EventResult(
                    event=part.name,
                    on=on,  # type: ignore[arg-type]
                    score=math.fsum(share for _, share in rated),
                    opponents=tuple(rating for rating, _ in rated),
                    left_out=entry.games - len(rated),
                )
            )
    given = before or {}
    return {
        row: title_history(result, before=given.get(row), schedule=schedule)
        for row, result in sorted(results.items())
    }


def _check_once(part: Part, seen: dict[frozenset[tuple[object, int]], str]) -> None:
    """Refuse an event with the very games of another, under whatever name; without dates nobody can tell."""
    played = part.games.rateable().select("date", "round", "score", "white", "black")
    if not played.height or played["date"].null_count():
        return
    key = [(*rest, part.rows[w], part.rows[b]) for *rest, w, b in played.iter_rows()]
    games_of = frozenset(Counter(key).items())
    if games_of in seen:
        raise UsageError(
            f"{part.name}: expected every event once, found the same {len(key)} games, dates and results as in "
            f"{seen[games_of]}: leave one out"
        )
    seen[games_of] = part.name


def _notes(results: Sequence[EventResult]) -> tuple[str, ...]:
    notes = []
    undated = sum(r.on is None for r in results)
    if undated and len(results) > 1:
        notes.append(f"{undated} of {len(results)} events have no date: all are taken in the order given")
    for r in results:
        if r.left_out:
            notes.append(f"{r.event}: {counted(r.left_out, 'game')} against unrated players left out")
        if len(r.opponents) < FEWEST_GAMES:
            notes.append(f"{r.event}: {counted(len(r.opponents), 'game')}; norms take {FEWEST_GAMES}")
    return tuple(notes)


def _uscf_history_check(results: Sequence[EventResult]) -> None:
    for r in results:
        games = len(r.opponents)
        if not 0 <= r.score <= games or not all(math.isfinite(x) for x in r.opponents):
            raise UsageError(
                f"{r.event}: expected a score from 0 to {games} against {games} ratings, found {r.score!r} "
                f"against {list(r.opponents)!r}"
            )
    seen = set()
    for r in results:
        key = (r.event, r.on, r.score, r.opponents)
        if key in seen and r.opponents:
            raise UsageError(
                f"{r.event}: expected every event once, found it twice with the same date, score and opponents: "
                "leave one out, or give it another name if there were two"
            )
        seen.add(key)


@dataclass(frozen=True, slots=True, kw_only=True)
class NormRegister(Result):
    """Norms and titles of everybody, or of one player, after some events."""

    games: Games
    histories: Mapping[int, TitleHistory]
    schedule: NormSchedule
    row: int | None = None
    """The only player, where one was asked for."""

    def table(self) -> pl.DataFrame:
        """Return a row a player, the highest title first."""
        names = self.games.players["name"]

        def order(item: tuple[int, TitleHistory]) -> tuple[int, str]:
            highest = max((title_called(t).level for t in item[1].status.titles), default=0)
            return -highest, names[item[0]] or ""

        players = sorted(self.histories.items(), key=order)
        life = [", ".join(t for t in h.status.titles if title_called(t).life) for _, h in players]
        return pl.DataFrame(
            {
                "player": [names[r] for r, _ in players],
                "id": [self.games.players["id"][r] for r, _ in players],
                "events": [h.events for _, h in players],
                "card": [h.card() for _, h in players],
                **({"life": life} if any(life) else {}),
                "norms": [
                    ", ".join(f"{n} of {t.norms} {t.name}" for t, n in _under_way(h.status))
                    for _, h in players
                ],
            },
            schema_overrides={"id": pl.String, "card": pl.String},
        )

    def summary(self) -> str:
        """Return one sentence."""
        titled = sum(bool(h.status.titles) for h in self.histories.values())
        return f"{len(self.histories)} players after {len(self.games.events)} events, {titled} with a title"

    def to_dict(self) -> dict[str, Any]:
        """Return the rules, and every player's norms and titles."""
        players = [
            {
                "player": self.games.players["name"][row],
                "id": self.games.players["id"][row],
                "events": history.events,
                "left_out": history.left_out,
                "card": history.card(),
                "titles": [asdict(award) for award in history.titles],
                "norms": [
                    {"title": t.name, "level": t.level, "norms": norms, "needed": t.norms}
                    for t, norms in _under_way(history.status)
                ],
                "earned": [asdict(one) for one in history.earned],
                "notes": list(history.notes),
            }
            for row, history in self.histories.items()
        ]
        return {"parameters": {"rules": "uscf1994", **self.schedule.parameters()}, "players": players}


def _under_way(status: Status) -> list[tuple[UscfTitle, int]]:
    """Return the titles that somebody has norms toward, with their number."""
    return [(title, norms) for title in status.sought() if (norms := status.toward(title))]


def norm_register(
    games: Games, *, schedule: NormSchedule | None = None, row: int | None = None
) -> NormRegister:
    """Return everybody's norms and titles, or those of one row of the players."""
    schedule = schedule or NormSchedule()
    histories = title_histories(games, schedule=schedule)
    if row is not None:
        histories = {r: h for r, h in histories.items() if r == row}
    return NormRegister(games=games, histories=histories, schedule=schedule, row=row)


# Verdicts in one event, for `arpad norms --rules uscf1994` [2.3].

RULES = "uscf1994"
"""The name of these rules on the command line."""


def verdicts(
    games: Games,
    players: Sequence[int] | None = None,
    titles: Sequence[str] | None = None,
    *,
    schedule: NormSchedule | None = None,
) -> list[Verdict]:
    """Return a verdict for each player and title, all games being one event.

    players: Rows of the players; None: everybody who played, best score first.
    titles: Names or levels; None: those that the file does not say a player holds, the life title of a level
        only where its other title is held.

    >>> from arpad.model import Games, Player
    >>> people = [Player(name="Ann"), *(Player(name=n, rating=r) for n, r in
    ...     [("Bob", 1800), ("Cal", 1900), ("Dan", 2000), ("Eve", 2100)])]
    >>> pairs = {"white": [0] * 4, "black": [1, 2, 3, 4], "score": [1, 1, 1, 0.5]}
    >>> for verdict in verdicts(Games.assemble(pairs, people), [0], ["Expert", "Master"]):
    ...     print(verdict.summary())
    Ann: 3.5/4, Expert norm made (uscf1994)
    Ann: 3.5/4, Master norm not made: score 3.5, needed more than 3.77: 3.158 + Δ .612 [2.3 rule 2] (uscf1994)
    """
    field = field_of(games)
    if not field:
        raise UsageError("expected an event with games that were played, found none")
    wanted = None if titles is None else [title_called(name) for name in titles]
    chosen = schedule or NormSchedule()
    return [
        _verdict_on(entry, title, field, chosen)
        for entry in entries_of(field, players)
        for title in (Status(titles=_held(entry)).sought() if wanted is None else wanted)
    ]


def _held(entry: FieldEntry) -> tuple[str, ...]:
    """Return the USCF title that the file gives a player; FIDE's are no matter here."""
    named = (entry.title or "").casefold()
    return tuple(t.name for t in TITLES if t.name.casefold() == named)


def _verdict_on(
    entry: FieldEntry, title: UscfTitle, field: Mapping[int, FieldEntry], schedule: NormSchedule
) -> Verdict:
    met = [(field[o].rating, share) for o, share in entry.results]
    rated = [(rating, share) for rating, share in met if rating is not None]
    opponents, score = [r for r, _ in rated], math.fsum(s for _, s in rated)
    notes = []
    if len(rated) < len(met):
        notes.append(
            f"{len(met) - len(rated)} of {len(met)} games were against unrated players and do not count (a rating list gives ratings)"
        )
    if title.name in _held(entry):
        notes.append("holds the title already")
    if title.life:
        notes.append(f"{title.norms} norms at {title.level} make a {title.name} [2.6 item 1]")
    result = norms_earned(score, opponents, title.level, schedule)
    enough = score_needed(opponents, title.level, 1, schedule)
    score_lines = []
    if rated:
        expected, delta = expected_score(title.level, opponents), schedule.delta(len(opponents))
        needed = f"more than {expected + delta:.2f}: {expected:.3f} + Δ {f'{delta:.3f}'.removeprefix('0')}"
        score_lines.append(Requirement("2.3 rule 2", "score", needed, f"{score:g}", score > expected + delta))
    return Verdict(
        player=entry.name,
        title=title.name,
        rules=RULES,
        score=score,
        games=len(rated),
        requirements=(
            Requirement.least("2.3 rule 1", "games against rated players", len(rated), FEWEST_GAMES),
            *score_lines,
        ),
        points_needed=enough,
        notes=tuple(notes),
        norms_at_once=max(result, 1),
    )
