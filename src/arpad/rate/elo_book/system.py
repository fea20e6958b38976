"""Elo's whole procedure, event by event: groups in their order, exceptional performances."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Literal, get_args

import polars as pl

from arpad.errors import UsageError
from arpad.rate.elo_book.event import BookEvent, BookLine, BookPool
from arpad.rate.elo_book.rules import Entry
from arpad.rate.elo_reference import coded
from arpad.rate.k import K_POLICIES, BySample, KPolicy, event_k
from arpad.rate.list_system import ListRates, entrants
from arpad.rate.state import Range
from arpad.rate.trace import GIVEN, NOISE, STEP_SCHEMA, numbered
from arpad.scale import Curve, Table, curve

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from arpad.model import Games, Ratings
    from arpad.rate.elo_book.event import BookGame
    from arpad.rate.state import State
    from arpad.rate.trace import Trace


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
        Start players from the first rating that the source gives them, if it does.
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

    def parameters(self) -> dict[str, object]:
        """Return every constant by name."""
        mine = {name: getattr(self, name) for name in self.__slots__ if name not in ("curve", "k")}
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
        """Yield every player's part in every event: what went in, what came out."""
        rows, n = self.begin(games.players, before).rows, games.players.height
        others = rows["rating"][n:].cast(pl.Float64).drop_nulls().to_list()
        for lines in self._events(games, BookPool(self, games, rows.head(n), others)):
            yield from lines

    def _events(self, games: Games, pool: BookPool) -> Iterator[list[BookLine]]:
        played = in_events(games.rateable(), self.without_event)
        for part in played.partition_by("part", maintain_order=True):
            sides: dict[int, list[tuple[int, float]]] = {}
            for white, black, score in part.select("white", "black", "score").iter_rows():
                sides.setdefault(white, []).append((black, score))
                sides.setdefault(black, []).append((white, 1 - score))
            rows: dict[int, list[int]] = {}
            if "row" in part.columns:
                for white, black, row in part.select("white", "black", "row").iter_rows():
                    rows.setdefault(white, []).append(row)
                    rows.setdefault(black, []).append(row)
            day = part["date"].drop_nulls().min()
            year = getattr(day, "year", None)
            lines = BookEvent(int(part["part"][0]), sides, pool, year, rows).rate()
            pool.take(lines)
            yield lines


def in_events(played: pl.DataFrame, without_event: WithoutEvent) -> pl.DataFrame:
    """Return the games with the number of their event, `part`, in the order of the first games."""
    date = pl.col("date") if without_event == "date" else pl.lit(None, dtype=pl.Date)
    key = pl.struct("event", pl.when(pl.col("event").is_null()).then(date).alias("_day"))
    return (
        played.with_columns(key.alias("_key"), pl.int_range(pl.len()).alias("_at"))
        .with_columns(pl.col("_at").first().over("_key"))
        .with_columns((pl.col("_at").rank("dense").cast(pl.Int64) - 1).alias("part"))
        .sort("part", maintain_order=True)
        .drop("_key", "_at")
    )
