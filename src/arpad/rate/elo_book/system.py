"""Elo's whole procedure, event by event: groups in their order, exceptional performances."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple, get_args

import numpy as np
import polars as pl

from arpad.errors import UsageError
from arpad.rate.elo_book.rules import (
    Entry,
    bonus_points,
    feedback_points,
    fide_entry,
    first_performances,
    performance_rating,
    raised_k,
    zm_test,
)
from arpad.rate.elo_reference import chance_spread, coded, plain
from arpad.rate.k import K_POLICIES, BySample, KPolicy, event_k, k_by_precision, most_k, old_sample, sigma_p
from arpad.rate.list_system import ListRates, entrants
from arpad.rate.periods import NEWCOMER_SPREAD, figures, first_given, in_events, segments, sides_of
from arpad.rate.system import GIVEN, NOISE, STEP_SCHEMA, Range, constants_of, numbered
from arpad.scale import Curve, Table, curve

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from arpad.model import Games, Ratings
    from arpad.rate.system import State, Trace


if TYPE_CHECKING:
    Sides = Mapping[int, Sequence[tuple[int, float]]]

# Everybody's standing while Elo's procedure goes from event to event.

Group = Literal["unrated", "provisional", "early", "established"]
GROUPS: tuple[Group, ...] = ("unrated", "provisional", "early", "established")
"""In the order in which they are rated [3.71, 3.72]."""


class BookPool:
    """Ratings, games and what was given to whom."""

    def __init__(self, rules: EloBook, games: Games, rows: pl.DataFrame, elsewhere: Sequence[float]) -> None:
        """Begin with what a list says of the players, row by row; others on it are `elsewhere`."""
        played = games.rateable()
        given = figures(rows, "rating")
        if rules.given:
            given = np.where(np.isnan(given), first_given(games, played), given)
        n = len(given)
        self.rules = rules
        self.known = ~np.isnan(given)
        self.first = given
        begun = figures(rows, "so_far")
        self.rating: list[float] = np.where(self.known, given, begun).tolist()
        counts = figures(rows, "total_games")
        # Who comes with a rating, and nothing says how many games it rests on, is established.
        counts = np.where(np.isnan(counts), np.where(self.known, rules.established_games, 0), counts)
        self.total: list[int] = counts.astype(int).tolist()
        self.sure = self.known & (np.array(self.total) >= rules.established_games)
        self.topped = [r >= self._top for r in self.rating]
        years = games.players["birth"].str.slice(0, 4).cast(pl.Int32, strict=False)
        self.births: list[int | None] = years.to_list()
        self.games = [0] * n
        self.by_formula = [0] * n
        self.bonus = [0.0] * n
        self.feedback = [0.0] * n
        self.exceptional = [0] * n
        self.score = [0.0] * n
        self.k: list[float | None] = [None] * n
        self._elsewhere = elsewhere

    @property
    def _top(self) -> float:
        return math.inf if isinstance(self.rules.k, BySample) else self.rules.k.top

    def unrated(self, player: int) -> bool:
        """Say whether a player has no rating that would be listed."""
        return not self.known[player] and self.total[player] < self.rules.least_games

    def group(self, player: int, year: int | None) -> Group:
        """Return which group a player is rated with."""
        rules = self.rules
        if self.unrated(player):
            return "unrated"
        if self.total[player] < rules.established_games:
            return "provisional"
        born = self.births[player]
        young = year is not None and born is not None and year - born < rules.junior_age
        return "early" if young or self.rating[player] < rules.novice_below else "established"

    def level(self) -> float:
        """Return the median of the pool, or the start rating where there is no pool yet."""
        rating = np.array(self.rating)
        listed = self.known | (np.array(self.total) >= self.rules.least_games)
        everybody = np.append(rating[listed & ~np.isnan(rating)], self._elsewhere)
        return float(np.median(everybody)) if everybody.size else self.rules.start

    def k_of(self, player: int, rating: float, total: int, sample: int) -> float:
        """Return K for a player with this many games before, and this many to be rated."""
        policy = self.rules.k
        if isinstance(policy, BySample):
            return k_by_precision(sample, policy.old_games)
        if total < self.rules.established_games:
            return most_k(policy)  # the largest until the rating is established [3.76]
        return policy.k(rating, total, self.topped[player])

    def take(self, lines: Iterable[BookLine]) -> None:
        """Close an event."""
        for line in lines:
            p = line.player
            self.rating[p] = line.after
            self.total[p] += line.games
            self.games[p] += line.games
            self.score[p] += line.score
            self.by_formula[p] += 0 if line.k is None else line.games
            self.k[p] = line.k if line.k is not None else self.k[p]
            self.topped[p] = self.topped[p] or line.after >= self._top
            self.bonus[p] += line.bonus
            self.feedback[p] += line.feedback
            self.exceptional[p] += line.exceptional

    def rows(self) -> pl.DataFrame:
        """Return the list."""
        everybody = range(len(self.rating))
        hidden = [self.unrated(p) for p in everybody]
        shown = [None if h or math.isnan(r) else r for r, h in zip(self.rating, hidden, strict=True)]
        before = pl.Series(self.first, dtype=pl.Float64).fill_nan(None)
        ratings = pl.Series("rating", shown, dtype=pl.Float64)
        return pl.DataFrame(
            {
                "rating": ratings,
                "error": self._errors(),
                "games": pl.Series(self.games, dtype=pl.Int64),
                "before": before,
                "change": ratings - before,
                "status": pl.Series([self._status(p) for p in everybody], dtype=pl.String),
                "k": pl.Series(self.k, dtype=pl.Float64),
                "exceptional": pl.Series(self.exceptional, dtype=pl.Int64),
                "bonus": pl.Series(self.bonus, dtype=pl.Float64),
                "feedback": pl.Series(self.feedback, dtype=pl.Float64),
                "so_far": self._so_far(hidden),
                "total_games": pl.Series(self.total, dtype=pl.Int64),
            }
        )

    def _so_far(self, hidden: list[bool]) -> pl.Series:
        """Return what a next list goes on from where there are too few games for a rating."""
        begun = pl.Series(self.rating, dtype=pl.Float64).fill_nan(None)
        return begun.set(~pl.Series(hidden, dtype=pl.Boolean), None)

    def _status(self, player: int) -> str:
        if self.unrated(player):
            return "unrated"
        return "provisional" if self.total[player] < self.rules.established_games else "established"

    def _errors(self) -> pl.Series:
        """One standard deviation: σ_p of averaged games, that of chance under formula (2)."""
        if not self.rating:
            return pl.Series(dtype=pl.Float64)
        start = [
            self._at_entry(p, total - mine)
            for p, (total, mine) in enumerate(zip(self.total, self.by_formula, strict=True))
        ]
        K = np.array([k or 0.0 for k in self.k])
        mine = np.array(self.by_formula)
        return pl.Series(chance_spread(K, mine, np.array(start), self.rules.curve))

    def _at_entry(self, player: int, games: int) -> float:
        """Return σ where formula (2) took over: an established rating is taken as right."""
        if self.sure[player]:
            return 0.0
        return sigma_p(games) if games > 0 else NEWCOMER_SPREAD


# One event under Elo's procedure: who is rated when, from whose ratings [Elo 3.7].


class BookGame(NamedTuple):
    """One game of an event: its row where it is numbered, and what it did; K is None in a performance."""

    game: int | None
    opponent: int
    rating: float | None
    opponent_rating: float | None
    score: float
    expected: float | None = None
    k: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class BookLine:
    """One player's part in one event: what went in, what came out."""

    event: int
    player: int
    group: Group
    games: int
    score: float
    before: float | None
    """R_o; None for a new player."""
    expected: float | None = None
    """W_e from R_o; None where a performance was averaged in."""
    k: float | None = None
    performance: float
    """R_p, with the factor F for few games."""
    z: float | None = None
    exceptional: bool = False
    bonus: float = 0.0
    feedback: float = 0.0
    after: float
    met: tuple[BookGame, ...] = ()
    """The games as formula (2), or the performance, saw them."""


class BookEvent:
    """One event: the games, and everybody's rating before it."""

    def __init__(
        self,
        number: int,
        sides: Sides,
        pool: BookPool,
        year: int | None,
        rows: Mapping[int, Sequence[int]] | None = None,
    ) -> None:
        self.number = number
        self.sides = sides
        self.rows = rows
        self.pool = pool
        self.rules = pool.rules
        self.groups = {p: pool.group(p, year) for p in sides}
        self.order = {p: GROUPS.index(g) for p, g in self.groups.items()}
        self.before = {p: pool.rating[p] for p in sides if self.groups[p] != "unrated"}
        self.lines: dict[int, BookLine] = {}
        self.raised: frozenset[int] = frozenset()
        self._expected = plain(self.rules.curve)

    def rate(self) -> list[BookLine]:
        """Rate the groups in their order, then feed back what exceptional performers took."""
        for group in GROUPS:
            members = [p for p, g in self.groups.items() if g == group]
            if not members:
                continue
            if group == "unrated":
                self._enter(members)
            if group != "unrated" or self.rules.entry == "median":
                # All of a group from the ratings before it: nothing is stored until all are done.
                self.lines |= {p: self._line(p) for p in members}
        self.raised = frozenset(p for p, line in self.lines.items() if line.exceptional)
        if self.raised and self.rules.feedback != "none":
            self.lines |= {p: self._fed_back(p) for p in self._victims()}
        return list(self.lines.values())

    def _seen(self, opponent: int, by: int) -> float:
        """Return an opponent's rating as a player of a later group, or of the second cycle, sees it."""
        if self.order[opponent] < self.order[by] or opponent in self.raised:
            return self.lines[opponent].after
        return self.before[opponent]

    def _enter(self, new: list[int]) -> None:
        """Give new players their rating: the event's own for the median rule comes after it."""
        rules = self.rules
        if rules.entry == "median":
            level = self.pool.level()
            # Who has begun already goes on from there.
            now = {p: self.pool.rating[p] for p in new}
            self.before |= {p: level if math.isnan(r) else r for p, r in now.items()}
            return
        result = first_performances(
            new,
            self.sides,
            self.before,
            level=self.pool.level,
            curve=rules.curve,
            small_samples=rules.small_samples,
            second_cycle=rules.second_cycle,
        )
        average = math.fsum([*self.before.values(), *result.values()]) / len(self.sides)
        self.lines |= {p: self._entered(p, result[p], average) for p in new}

    def _entered(self, player: int, performance: float, average: float) -> BookLine:
        games, score = self._points(player)
        value = performance
        if self.rules.entry == "fide":
            value = fide_entry(score, games, average=average, performance=performance)
        return self._averaged(player, performance, value)

    def _averaged(self, player: int, performance: float, value: float) -> BookLine:
        """Average a performance with those before, by the games of each."""
        games, score = self._points(player)
        old, R_t = self.pool.total[player], self.pool.rating[player]
        began = not math.isnan(R_t)
        return BookLine(
            event=self.number,
            player=player,
            group=self.groups[player],
            games=games,
            score=score,
            before=R_t if began else None,
            performance=performance,
            after=(old * R_t + games * value) / (old + games) if began else value,
            met=self._games(player, R_t if began else None),
        )

    def _games(self, player: int, R_o: float | None) -> tuple[BookGame, ...]:
        """Return a player's games; nothing of formula (2) is in them."""
        sides = self.sides[player]
        rows = self.rows[player] if self.rows else [None] * len(sides)
        return tuple(
            BookGame(row, who, R_o, self.before.get(who), score)
            for row, (who, score) in zip(rows, sides, strict=True)
        )

    def _points(self, player: int) -> tuple[int, float]:
        mine = self.sides[player]
        return len(mine), math.fsum(s for _, s in mine)

    def _line(self, player: int, *, test: bool = True) -> BookLine:
        opponents = [self._seen(who, player) for who, _ in self.sides[player]]
        games, score = self._points(player)
        performance = performance_rating(
            score, opponents, curve=self.rules.curve, small_samples=self.rules.small_samples
        )
        if self.groups[player] == "provisional" and self.rules.entry == "performance":
            return self._averaged(player, performance, performance)
        R_o = self.before[player]
        if len({who for who, _ in self.sides[player]}) == 1:
            # In a match the winner outperforms the loser, whatever their ratings [(9), 1.75].
            R_c = opponents[0]
            performance = (R_o + R_c) / 2 + (performance - R_c) / 2
        after, K, met = self._formula(player, R_o, opponents)
        W_e = math.fsum(self._expected(R_o - R) for R in opponents)
        line = BookLine(
            event=self.number,
            player=player,
            group=self.groups[player],
            games=games,
            score=score,
            before=R_o,
            expected=W_e,
            k=K,
            performance=performance,
            after=after,
            met=met,
        )
        return self._tested(line) if test else line

    def _formula(
        self, player: int, R_o: float, opponents: list[float]
    ) -> tuple[float, float, tuple[BookGame, ...]]:
        """Return R_n by formula (2), K, and the games; long events go in parts [1.62]."""
        pool, scores = self.pool, [s for _, s in self.sides[player]]
        rating, total, at = R_o, pool.total[player], 0
        first = K = pool.k_of(player, rating, total, len(scores))
        games, met = self._games(player, R_o), list[BookGame]()
        parts = segments(len(scores), self._sample(player, first)) if self.rules.split else None
        for size in parts or [len(scores)]:
            K = pool.k_of(player, rating, total, size)
            W = math.fsum(scores[at : at + size])
            p = [self._expected(rating - R) for R in opponents[at : at + size]]
            met += [
                game._replace(rating=rating, opponent_rating=R, expected=p_i, k=K)
                for game, R, p_i in zip(games[at : at + size], opponents[at : at + size], p, strict=True)
            ]
            rating += K * (W - math.fsum(p))
            total, at = total + size, at + size
        return rating, K, tuple(met)

    def _sample(self, player: int, K: float) -> int:
        # A provisional rating is meant to move: only what K keeps limits it.
        games = max(self.pool.total[player], self.rules.established_games)
        if isinstance(self.rules.k, BySample):
            return max(1, int(min(games, self.rules.k.old_games)))
        return old_sample(K, games)

    def _tested(self, line: BookLine) -> BookLine:
        """Apply the z–M test, and what follows from it [3.74]."""
        rules, K, R_o = self.rules, line.k, line.before
        if line.expected is None or K is None or R_o is None or line.games < rules.test_games:
            return line
        result = zm_test(line.score, line.expected, line.games, level=rules.level)
        line = replace(line, z=result.z, exceptional=result.exceptional)
        if not result.exceptional or rules.exceptional == "none":
            return line
        R_p, near = line.performance, rules.tolerance
        if rules.exceptional == "bonus":
            bonus = bonus_points(line.after, R_p, line.games, tolerance=near)
        else:
            K = raised_k(K, R_o, R_p, result.excess, line.games, tolerance=near)
            bonus = max(0.0, R_o + K * result.excess - line.after)
        return replace(line, k=K, bonus=bonus, after=line.after + bonus)

    def _victims(self) -> list[int]:
        """Return those who met an exceptional performer, and are not one."""
        return [
            p
            for p, line in self.lines.items()
            if line.group != "unrated"
            and p not in self.raised
            and any(who in self.raised for who, _ in self.sides[p])
        ]

    def _fed_back(self, player: int) -> BookLine:
        """Return a victim's line with the feedback in it [3.75]."""
        line = self.lines[player]
        if self.rules.feedback == "cycle":
            after = self._line(player, test=False).after
        else:
            after = line.after
            for who, _ in self.sides[player]:
                if who in self.raised:
                    his = self.lines[who]
                    after += feedback_points(line.k or 0.0, his.score, his.expected or 0.0, his.games)
        return replace(line, feedback=after - line.after, after=after)


# The steps of Elo's whole procedure: games by formula (2), performances, bonuses, feedback [Elo 3.7].
#
# Where a rating is an average of performances, or where a second cycle rates a player again, the rules do
# not divide the change among games: that is one step beside the games.

Step = dict[str, Any]
SO_FAR = "from the games so far: not yet a rating [3.2, 4.54]"
AVERAGED = "counts for the performance rating [1.53, 3.71]"


def book_steps(
    system: EloBook, rows: pl.DataFrame, begun: Sequence[float], pool: BookPool, lines: Sequence[BookLine]
) -> pl.DataFrame:
    """Return all steps.

    Parameters
    ----------
    rows
        What the list says of the players.
    begun
        Everybody's rating before the first game, also where there are too few games for one; NaN: none.
    pool
        After the last game.
    lines
        Everybody's part in every event, in their order.
    """
    earlier = rows["rating"].cast(pl.Float64).fill_nan(None).to_list()
    now: dict[int, float] = {}
    steps: list[Step] = []
    for line in lines:
        p = line.player
        if p not in now:
            now[p] = 0.0 if math.isnan(begun[p]) else begun[p]
            rule = GIVEN if pool.known[p] else SO_FAR
            steps += _leap(p, now[p] - (earlier[p] or 0.0), rule)
        steps += _steps(system, line, now[p])
        now[p] = line.after
    for p, rating in now.items():
        if pool.unrated(p):
            least = f"fewer than {system.least_games} games: no rating yet [3.2, 4.54]"
            steps += _leap(p, -rating, least)
    schema = {name: kind for name, kind in STEP_SCHEMA.items() if name != "seq"}
    return pl.DataFrame(steps, schema=schema)


def _leap(player: int, change: float, rule: str) -> Iterator[Step]:
    if change:
        yield {"player": player, "change": change, "rule": rule}


def _steps(system: EloBook, line: BookLine, now: float) -> Iterator[Step]:
    """Give one player's steps in one event."""
    p, total = line.player, 0.0
    for game in line.met:
        change = 0.0
        if game.k is not None and game.expected is not None:
            change = game.k * (game.score - game.expected)
        total += change
        yield {
            "player": p,
            "game": game.game,
            "opponent": game.opponent,
            "rating": game.rating,
            "opponent_rating": game.opponent_rating,
            "score": game.score,
            "expected": game.expected,
            "k": game.k,
            "change": change,
            "rule": _why(system, line, game),
        }
    rest = line.after - line.feedback - line.bonus - (now + total)
    if line.k is None:
        yield {"player": p, "change": rest, "rule": _performance(line)}
    elif abs(rest) > NOISE:
        yield {"player": p, "change": rest, "rule": "the entry rating of a newcomer [3.76]"}
    yield from _leap(p, line.bonus, "bonus for an exceptional performance [3.74]")
    yield from _leap(p, line.feedback, "feedback from an exceptional opponent [3.75]")


def _performance(line: BookLine) -> str:
    average = "averaged in" if line.before is not None else "the first one"
    return f"performance {line.performance:.1f} over {line.games} games, {average} [1.53, 2.59, 3.71]"


def _why(system: EloBook, line: BookLine, game: BookGame) -> str:
    if game.k is None:
        return AVERAGED
    if isinstance(system.k, BySample):
        why = f"K {game.k:.2f}: by the size of the samples [(36)]"
    elif line.group == "provisional":
        why = f"K {game.k:g}: the largest, until the rating is established [3.76]"
    else:
        # Two levels with the same K are the last tier and having reached it.
        why = system.k.reasons[system.k.levels.index(game.k)]
    return f"{why}; {system.curve.name} curve; R + K (W − We) [(2), 3.71]"


# Elo's whole procedure, event by event: groups in their order, exceptional performances, feedback.

Exceptional = Literal["bonus", "k", "none"]
"""Treatments of an exceptional performance [3.74]: bonus points; a raised K; nothing."""
Feedback = Literal["cycle", "points", "none"]
"""Points for the opponents [3.75]: a second cycle with the performer's new rating; K times the
difference of percentages; nothing.
"""
WithoutEvent = Literal["date", "one"]
"""Games without an event: one event a date, or all of them one event."""
MANY = 10_000
"""No number of games, no age and no rating is meant to be larger."""
_CHOICES = {
    "entry": get_args(Entry),
    "exceptional": get_args(Exceptional),
    "feedback": get_args(Feedback),
    "without_event": get_args(WithoutEvent),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class EloBook(ListRates):
    """Elo's procedure as a set of constants.

    Parameters
    ----------
    curve
        From rating difference to expected score: table 2.11 unless another is given.
    k
        How much one game counts: 25/15/10 as FIDE had it [4.56] unless another is given; `by-sample`
        is formula (36).
    start
        The average of a pool in which nobody has a rating [3.33].
    given
        Start players from their first rating in the source, if there is one.
    entry
        Where a new player enters.
    second_cycle
        Rate new players again from their games with each other [1.67].
    established_games
        Games from which on a rating is established [2.59].
    least_games
        Games that a first rating needs [3.2, 4.54]; until then a player is unrated, and games count on.
    small_samples
        Apply the factor F of table 8.85 below thirty games [2.59].
    exceptional, level, tolerance
        What follows from the z–M test, its level, and how many σ_p may remain [3.63, 3.74].
    test_games
        Shorter events are not tested: table 3.64 begins with five games.
    feedback
        What the opponents of an exceptional performer get back.
    split
        Rate long events in parts [1.62].
    junior_age, novice_below
        Rate players below this age, or this rating, before the other established ones [3.72]; 0: nobody.
    without_event
        How games without an event are grouped.

    Examples
    --------
    >>> from arpad.model import Games, Player
    >>> people = [Player(name="New"), *(Player(name=n, rating=1800.0) for n in "ABCDE")]
    >>> columns = {"white": [0] * 5, "black": [1, 2, 3, 4, 5], "score": [1, 1, 0.5, 0.5, 0]}
    >>> rated = EloBook().rate(Games.assemble(columns, people)).rows
    >>> rated.select("player", pl.col("rating").round(1), "status").row(0)
    ('New', 1867.5, 'provisional')
    """

    name: ClassVar[str] = "elo-book"
    whole_pool: ClassVar[bool] = True
    tunable: ClassVar[Mapping[str, Range]] = {"k": Range(5, 80, log=True)}
    curve: Curve = field(default_factory=Table)
    k: KPolicy | BySample = K_POLICIES["fide-1986"]
    start: float = 1500.0
    given: bool = True
    entry: Entry = "performance"
    second_cycle: bool = True
    established_games: int = 30
    least_games: int = 4
    small_samples: bool = True
    exceptional: Exceptional = "bonus"
    level: float = 0.05
    tolerance: float = 1.0
    test_games: int = 5
    feedback: Feedback = "cycle"
    split: bool = True
    junior_age: int = 0
    novice_below: float = 0.0
    without_event: WithoutEvent = "date"

    def __post_init__(self) -> None:
        object.__setattr__(self, "k", event_k(self.k))
        if isinstance(self.curve, str):
            object.__setattr__(self, "curve", curve(self.curve))
        for option, choices in _CHOICES.items():
            if getattr(self, option) not in choices:
                raise UsageError(
                    f"{option}: expected one of {', '.join(choices)}; found {getattr(self, option)!r}"
                )
        if not (math.isfinite(self.start) and 0 < self.level < 0.5 and self.tolerance >= 0):
            raise UsageError(
                f"expected a finite start, a level between 0 and .5 and a tolerance of 0 or more; found "
                f"{self.start!r}, {self.level!r}, {self.tolerance!r}"
            )
        if not MANY >= self.established_games >= self.least_games >= 1:
            raise UsageError(
                f"expected 1 ≤ least_games ≤ established_games ≤ {MANY}, found "
                f"{self.least_games!r} and {self.established_games!r}"
            )
        counts = (self.test_games, self.junior_age, self.novice_below)
        if not all(0 <= n <= MANY for n in counts):
            raise UsageError(
                f"expected test_games, junior_age and novice_below from 0 to {MANY}, found {counts}"
            )
        coded(self.curve)  # a curve that measures ratios is refused here

    @property
    def given_policy(self) -> KPolicy | None:
        """K of the ratings that a source gives, where it does not depend on the length of an event."""
        return None if isinstance(self.k, BySample) else self.k

    def parameters(self) -> dict[str, object]:
        """Return every constant by name."""
        mine = {n: v for n, v in constants_of(self).items() if n not in ("curve", "k")}
        return {**self.curve.parameters(), "k": str(self.k), **mine}

    def advance(self, state: State, games: Games, *, trace: Trace | None = None) -> State:
        """Return everybody after the games, event by event."""
        here = entrants(self, state, numbered(games) if trace is not None else games)
        pool = BookPool(self, here.games, here.rows, here.others().to_list())
        begun = list(pool.rating)
        lines = [line for lines in self._events(here.games, pool) for line in lines]
        if trace is not None:
            trace.add(here.steps(book_steps(self, here.rows, begun, pool, lines)))
        return here.after(pool.rows(), parameters=self.parameters())

    def lines(self, games: Games, before: Ratings | None = None) -> Iterator[BookLine]:
        """Yield each player's part in each event: ratings, expected score and change."""
        rows, n = self.begin(games.players, before).rows, games.players.height
        others = rows["rating"][n:].cast(pl.Float64).drop_nulls().to_list()
        for lines in self._events(games, BookPool(self, games, rows.head(n), others)):
            yield from lines

    def _events(self, games: Games, pool: BookPool) -> Iterator[list[BookLine]]:
        played = in_events(games.rateable(), by_date=self.without_event == "date")
        for part in played.partition_by("part", maintain_order=True):
            sides, rows = sides_of(part)
            day = part["date"].drop_nulls().min()
            year = getattr(day, "year", None)
            lines = BookEvent(int(part["part"][0]), sides, pool, year, rows).rate()
            pool.take(lines)
            yield lines
