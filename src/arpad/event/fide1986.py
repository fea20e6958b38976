"""Events and the rating list by FIDE's regulations of 1986 [Elo 3.2, 4.41–4.56]."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from datetime import date, timedelta
from typing import TYPE_CHECKING, Any, Literal

import polars as pl

from arpad.errors import UsageError
from arpad.event.field import cycles_of, days_taken, field_of, only_women, round_days, scoreless, without
from arpad.event.norms.rules import Checked, Requirement
from arpad.event.performance import Performance, performance, reliability, tournament_average
from arpad.event.unrated import adjusted_difference, expected_in_round_robin
from arpad.model import columns
from arpad.rate.k import K_POLICIES
from arpad.scale import Table, half_up

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from arpad.event.field import FieldEntry
    from arpad.model import Games


ARTICLE = "4.41 ¶3.1"
FEWEST = 4
"""Games against rated opponents below which nothing is calculated [4.41, 4.54]."""
LONGEST = 90
"""Days within which an event should be played [4.34, 4.41]."""
ROUNDS_A_DAY = 2
SMALL = 10
"""Players below which at least four must be rated."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rateability(Checked):
    """Whether an event can be rated: each requirement, and what the file does not say."""

    requirements: tuple[Requirement, ...]
    notes: tuple[str, ...] = ()

    def summary(self) -> str:
        """Return one sentence."""
        if self.passed:
            return "rateable by the regulations of 1986"
        why = "; ".join(r.describe() for r in self.failed())
        return f"not rateable by the regulations of 1986: {why}"


def rateable_1986(games: Games, *, national_championship: bool = False) -> Rateability:
    """Say whether FIDE would have rated an event in 1986, requirement by requirement.

    national_championship: A round robin for a national title needs three rated players, two among women.
    """
    field = field_of(games)
    gone = scoreless(field)
    counted = without(field, gone)
    cycles = cycles_of(games)
    if cycles:
        result = round_robin_requirements(
            counted, cycles, national_championship=national_championship, women=only_women(field)
        )
    else:
        enough = sum(
            sum(counted[o].rating is not None for o, _ in e.results) >= FEWEST for e in counted.values()
        )
        what = f"players with {FEWEST} games against rated opponents"
        result = [Requirement.least(ARTICLE, what, enough, 1)]
    notes = [f"not checked: speed of play, at most 46 moves in two hours; adjudications [{ARTICLE}]"]
    if days_taken(games) is None:
        notes.append("not checked, for the games have no dates: ninety days, two rounds a day")
    if elsewhere := int((games.table["status"] != "played").sum()):
        notes.append(f"{elsewhere} pairings not played or not rated are left out [{ARTICLE}]")
    if gone:
        names = ", ".join(field[r].name for r in gone)
        notes.append(f"unrated without a point, left out with their games: {names}")
    return Rateability(requirements=(*result, *time_requirements(games, ARTICLE)), notes=tuple(notes))


def round_robin_requirements(
    field: Mapping[int, FieldEntry], cycles: int, *, national_championship: bool, women: bool
) -> list[Requirement]:
    """Return how many players of a round robin must be rated, and how many are."""
    M = len(field)
    rated = sum(e.rating is not None for e in field.values())
    if national_championship:
        needed = 2 if women else 3
        return [Requirement.least(ARTICLE, "rated players in a national championship", rated, needed)]
    result = [Requirement.least(ARTICLE, f"rated players, a third of {M}", rated, math.ceil(M / 3))]
    if M < SMALL:
        result.append(
            Requirement.least(ARTICLE, f"rated players with fewer than {SMALL} in all", rated, FEWEST)
        )
    if cycles == 2 and rated < M:
        result.append(
            Requirement.least(ARTICLE, "rated players in a double round robin with unrated", rated, FEWEST)
        )
        result.append(Requirement.least(ARTICLE, "players in a double round robin with unrated", M, 6))
    return result


def time_requirements(games: Games, article: str) -> list[Requirement]:
    """Return what an article asks of the days of play, as far as the file tells [4.34, 4.41]."""
    result = []
    days = days_taken(games)
    if days is not None:
        result.append(Requirement.most(article, "days from first to last game", days, LONGEST))
    if a_day := Counter(round_days(games).values()):
        result.append(Requirement.most(article, "rounds on one day", max(a_day.values()), ROUNDS_A_DAY))
    return result


# One event as FIDE rated it by the regulations of 1986 [Elo 4.51–4.56].
#
# Unrated players without a point are left out. Up to a fifth of unrated players stand at the nominal
# 2200 (1900 among women); with more of them the average comes from the rated ones by (7), and the unrated
# then enter at that average, or at their performance if they scored less than half.

NOMINAL, NOMINAL_WOMEN = 2200.0, 1900.0
"""R_U, what a player without a rating is entered at, in rating points [4.51]."""
MOST_UNRATED = 0.2
"""The share of unrated players up to which they stand at R_U [4.53]."""
GAMES_TIMES_K = 800.0
"""N_o K: 30 games at 25, 50 at 15, 80 at 10, roughly [4.55, 4.62]."""
Change = Literal["expected", "performance"]
"""Ways to change ratings: K (W − W_e) [(2), 4.55], or (R_p − R_o) N / N_o with N_o = 800 / K [(15), 4.53]."""
Route = Literal["all rated", "nominal", "formula 7", "game by game"]


@dataclass(frozen=True, slots=True, kw_only=True)
class FideEvent1986:
    """An event rated by the regulations of 1986."""

    route: Route
    """Method by which unrated players were rated; `game by game` for anything but a round robin."""
    first_average: float | None
    """R_a by (7), where the unrated are more than a fifth."""
    average: float | None
    """R_a, the mean of what everybody is entered at; None where there is no round robin."""
    rows: pl.DataFrame
    """Best score first: player, rating, entered, score and games that count, expected, performance,
    error, k, change, note."""
    rateability: Rateability
    parameters: dict[str, object]

    def table(self) -> pl.DataFrame:
        """Return one row a player who counts."""
        return self.rows

    def summary(self) -> str:
        """Return one sentence."""
        level = "" if self.average is None else f", R_a {self.average:.0f}"
        return (
            f"{self.rows.height} players, unrated entered: {self.route}{level}; {self.rateability.summary()}"
        )


def nominal_value(*, women: bool) -> float:
    """Return R_U: 2200, or 1900 in exclusively women's tournaments [4.51]."""
    return NOMINAL_WOMEN if women else NOMINAL


def fide_event_1986(
    games: Games,
    *,
    change: Change = "expected",
    national_championship: bool = False,
    rated_games: Mapping[int, int] | None = None,
) -> FideEvent1986:
    """Rate one event by the chain of 4.53–4.55.

    The book's 4.55 prints D_a = R_a − R_o; the expected score of the better player is the higher one only
    with D_a = R_o − R_a, which is taken here.

    rated_games: Games rated so far, by row of the players, for K [4.56]; other players are established. A K
        in the file goes before.
    """
    field = field_of(games)
    if not any(e.rating is not None for e in field.values()):
        raise UsageError("expected at least one rated player among the games, found none")
    women = only_women(field)
    counted = without(field, scoreless(field))
    cycles = cycles_of(games)
    if cycles and len(counted) > 1:
        route, first, entered = _entered(counted, women=women)
        average = half_up(math.fsum(entered.values()) / len(entered))
    else:
        route, first, average = "game by game", None, None
        entered = {r: _worth(e, women=women) for r, e in counted.items() if e.rating is not None}
    rows = []
    for row, entry in counted.items():
        k = _k(games, entry, rated_games or {})
        against_rated = sum(counted[o].rating is not None for o, _ in entry.results)
        if average is None:
            figures = _game_by_game(entry, entered)
        else:
            figures = _in_round_robin(entry, entered, average, len(counted), cycles)
        short = against_rated < FEWEST
        rows.append(_row(entry, figures, entered.get(row), k, change, short=short))
    rows.sort(key=lambda r: (-r["score"], -(r["rating"] or 0), r["player"]))
    return FideEvent1986(
        route=route,
        first_average=first,
        average=average,
        rows=pl.DataFrame(rows, schema=_SCHEMA),
        rateability=rateable_1986(games, national_championship=national_championship),
        parameters={"rules": "fide-1986", "change": change, "R_U": nominal_value(women=women)},
    )


def _entered(field: Mapping[int, FieldEntry], *, women: bool) -> tuple[Route, float | None, dict[int, float]]:
    """Return how the unrated are entered, R_a by (7) where it is needed, and everybody's value [4.53]."""
    R_U, M = nominal_value(women=women), len(field)
    known = {r: _worth(e, women=women) for r, e in field.items() if e.rating is not None}
    unrated = [e for r, e in field.items() if r not in known]
    if not unrated:
        return "all rated", None, known
    if len(unrated) <= MOST_UNRATED * M:
        return "nominal", None, known | {e.row: R_U for e in unrated}
    standards = [
        (float(e.rating), e.share * (M - 1))
        for e in field.values()
        if e.rating is not None and _stands(e, women=women) and 0 < e.share < 1
    ]
    if not standards:
        raise UsageError(
            "expected a rated player with a score between 0 % and 100 %: with more than a fifth unrated "
            "the average needs one [4.53]"
        )
    R_a = half_up(tournament_average(standards, M))
    for e in unrated:  # R_a for half of the points or more, R_p below
        below = 0.0 if e.share >= 0.5 else adjusted_difference(Table().difference(e.share), M)
        known[e.row] = R_a + below
    return "formula 7", R_a, known


def _stands(entry: FieldEntry, *, women: bool) -> bool:
    """Say whether somebody is entered at the own rating: a woman among men only above 2200 [4.41]."""
    return entry.rating is not None and (women or not entry.woman or entry.rating > NOMINAL)


def _worth(entry: FieldEntry, *, women: bool) -> float:
    return float(entry.rating or NOMINAL) if _stands(entry, women=women) else NOMINAL


@dataclass(frozen=True, slots=True)
class _Figures:
    """The figures of one player's games that count: W, N, W_e and R_p."""

    score: float
    games: int
    expected: float | None = None
    performance: float | None = None


def _in_round_robin(
    entry: FieldEntry, entered: Mapping[int, float], R_a: float, M: int, cycles: int
) -> _Figures:
    """Take W_e and R_p from the average of all; who missed games, game by game."""
    if entry.games != cycles * (M - 1):
        return _game_by_game(entry, entered)
    R_p = None
    if 0 < entry.share < 1:
        R_p = R_a + adjusted_difference(Table().difference(entry.share), M)
    W_e = None
    if entry.rating is not None and M == 2:  # a match is predicted by the difference of the two [2.62, 5.55]
        W_e = _game_by_game(entry, entered).expected
    elif entry.rating is not None:
        W_e = expected_in_round_robin(entry.rating - R_a, M, cycles=cycles)
    return _Figures(entry.score, entry.games, W_e, R_p)


def _game_by_game(entry: FieldEntry, entered: Mapping[int, float]) -> _Figures:
    """Take W_e and R_p from the games against players who are entered [(3), (1)]."""
    met = [(entered[o], share) for o, share in entry.results if o in entered]
    if not met:
        return _Figures(0.0, 0)
    W = math.fsum(share for _, share in met)
    R_p = performance(W, [R for R, _ in met], method="table").rating
    R_o = entry.rating
    W_e = None if R_o is None else math.fsum(Table().expected(R_o - R) for R, _ in met)
    return _Figures(W, len(met), W_e, R_p)


def _row(
    entry: FieldEntry, found: _Figures, entered: float | None, k: float, change: Change, *, short: bool
) -> dict[str, Any]:
    gain, R_p = None, found.performance
    if not short and entry.rating is not None and found.expected is not None:
        if change == "expected":
            gain = k * (found.score - found.expected)
        elif R_p is not None:
            gain = (R_p - entry.rating) * found.games * k / GAMES_TIMES_K
    return {
        "player": entry.name,
        "rating": entry.rating,
        "entered": entered,
        "score": found.score,
        "games": found.games,
        "expected": found.expected,
        "performance": R_p,
        "error": None if R_p is None else reliability(found.games).sigma_rating,
        "k": k if entry.rating is not None else None,
        "change": gain,
        "note": f"fewer than {FEWEST} games against rated players: to be pooled" if short else "",
    }


_SCHEMA = columns(
    "player:str rating:float entered:float score:float games:int expected:float performance:float "
    "error:float k:float change:float note:str"
)


def _k(games: Games, entry: FieldEntry, rated_games: Mapping[int, int]) -> float:
    if (given := games.players["k"][entry.row]) is not None:
        return float(given)
    policy, rating = K_POLICIES["fide-1986"], entry.rating or 0.0
    so_far = rated_games.get(entry.row, policy.new_games)
    return policy.k(rating, so_far, topped=rating >= policy.top)


# FIDE's rating list by the regulations of 1986: its calendar and who stands on it [Elo 3.2, 4.42, 4.54].

ESTABLISHED = 30
"""Games below which a rating is provisional and carries an asterisk [2.59]."""
PUBLISHED = 9
"""Games below which no rating is published [3.2, 4.54]."""
ACTIVE = 3
"""Years within which somebody on the list has played [3.2]."""
REPORT = timedelta(weeks=4)
"""Time after an event within which its report is due [4.41]."""


@dataclass(frozen=True, slots=True, order=True)
class Issue:
    """One list: in force from 1 January or 1 July for half a year [4.42]."""

    effective: date

    @property
    def until(self) -> date:
        """The last day on which it is in force."""
        return self.following().effective - timedelta(days=1)

    @property
    def closing(self) -> date:
        """Play completed before this day enters it: 1 December or 1 June."""
        year, month = self.effective.year, self.effective.month
        return date(year - 1, 12, 1) if month == 1 else date(year, 6, 1)

    def following(self) -> Issue:
        """Return the next list."""
        year = self.effective.year
        return Issue(date(year, 7, 1) if self.effective.month == 1 else date(year + 1, 1, 1))

    def __str__(self) -> str:
        return f"{self.effective:%B %Y}"


def issue_in_force(day: date) -> Issue:
    """Return the list in force on a day; an event is rated from the one in force at its end [3.2].

    >>> str(issue_in_force(date(1986, 6, 30)))
    'January 1986'
    """
    return Issue(date(day.year, 1 if day.month < 7 else 7, 1))


def issue_for(ended: date, received: date | None = None) -> Issue | None:
    """Return the list that takes an event which ended on a day [4.41, 4.42].

    received: When the report arrived. After four weeks it waits for the list that is being made then; more
        than one list late it is not calculated: None.

    >>> str(issue_for(date(1986, 5, 31))), str(issue_for(date(1986, 6, 1)))
    ('July 1986', 'January 1987')
    """
    if received is not None and received < ended:
        raise UsageError(f"expected a report after {ended}, found one of {received}")
    due = _closing_after(ended)
    if received is None or received <= ended + REPORT:
        return due
    made = _closing_after(received)
    if made <= due.following():
        return max(due, made)
    return None


def _closing_after(day: date) -> Issue:
    issue = issue_in_force(day)
    while issue.closing <= day:
        issue = issue.following()
    return issue


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """One player's games in one event against rated opponents."""

    event: str
    ended: date
    score: float
    opponents: tuple[float, ...]
    """Their ratings, game by game."""

    @property
    def games(self) -> int:
        """Games against rated opponents."""
        return len(self.opponents)


def pooled(samples: Sequence[Sample]) -> tuple[Sample, ...]:
    """Return the samples that are calculated: those of four games or more, and the rest together.

    Nothing is calculated on fewer than four games, but short events may be pooled [4.41, 4.54]. Whatever is
    still shorter than four games together is left out.
    """
    long = [s for s in samples if s.games >= FEWEST]
    short = [s for s in samples if 0 < s.games < FEWEST]
    if sum(s.games for s in short) >= FEWEST:
        pool = Sample(
            event=" + ".join(s.event for s in short),
            ended=max(s.ended for s in short),
            score=sum(s.score for s in short),
            opponents=tuple(R for s in short for R in s.opponents),
        )
        long.append(pool)
    return tuple(sorted(long, key=lambda s: s.ended))


def first_rating(
    samples: Sequence[Sample], *, method: Literal["table", "small-sample"] = "table"
) -> Performance | None:
    """Return R_p on all of a newcomer's play that is calculated, or None without any [(1), 4.55].

    method: `small-sample` applies the factor F to D_p below thirty games [2.59]; FIDE did not.
    """
    taken = pooled(samples)
    if not taken:
        return None
    opponents = [R for s in taken for R in s.opponents]
    return performance(sum(s.score for s in taken), opponents, method=method)


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing(Checked):
    """Requirements for a place on the list, one by one, for one player."""

    player: str
    rating: float | None
    games: int
    issue: Issue
    requirements: tuple[Requirement, ...]

    @property
    def status(self) -> Literal["listed", "rated but not listed", "not rated"]:
        """Return the player's status; a player who is not listed may still be rated [3.2]."""
        if self.rating is None:
            return "not rated"
        return "listed" if self.passed else "rated but not listed"

    @property
    def shown(self) -> str:
        """The rating as a list shows it, with an asterisk while it is provisional [2.59]."""
        if self.rating is None:
            return ""
        return f"{self.rating:.0f}{'*' if self.games < ESTABLISHED else ''}"

    def summary(self) -> str:
        """Return one sentence."""
        why = "; ".join(r.describe() for r in self.failed())
        head = f"{self.player} {self.shown}".rstrip()
        return f"{head}: {self.status}, {self.issue}" + (f" ({why})" if why else "")


def listing(
    player: str,
    rating: float | None,
    *,
    issue: Issue,
    games: int,
    last_played: date | None = None,
    best: float | None = None,
    woman: bool = False,
    member: bool = True,
) -> Listing:
    """Say whether a player is published on a list.

    games: Games against rated players, all told.
    last_played: The last rated game; None: not checked.
    best: The best R_p of a newcomer, who needs one above R_U; None for a player who was listed before.
    woman: Women are listed apart, above 1900.
    member: Whether the own federation is a member of FIDE; if not, opponents are rated but the player is not
        listed, and games against the player do not count for titles.
    """
    R_U = nominal_value(women=woman)
    result = [
        _line("3.2, 4.54", "games against rated players", f"at least {PUBLISHED}", games, games >= PUBLISHED),
        _line("4.42", "rating", f"above {R_U:g}", rating, rating is not None and rating > R_U),
        _line("3.2", "federation", "a member of FIDE", "a member" if member else "no member", member),
    ]
    if best is not None:
        result.append(_line("4.54", "best performance", f"above {R_U:g}", best, best > R_U))
    if last_played is not None:
        start = issue.closing.replace(year=issue.closing.year - ACTIVE)
        good = last_played >= start
        result.append(_line("3.2", "last rated game", f"{start} or later", last_played, good))
    return Listing(player=player, rating=rating, games=games, issue=issue, requirements=tuple(result))


def _line(article: str, what: str, needed: str, found: object, passed: bool) -> Requirement:
    text = "none" if found is None else f"{found:g}" if isinstance(found, float) else str(found)
    return Requirement(article, what, needed, text, passed)
