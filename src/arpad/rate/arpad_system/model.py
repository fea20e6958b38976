"""arpad's own system as a rating system: from games to a list, its steps, and its forecasts."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, replace
from datetime import date, timedelta
from itertools import pairwise
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import polars as pl

from arpad.errors import UsageError
from arpad.rate.arpad_system.curves import (
    ROUGH,
    USUAL,
    YEAR,
    CurvePrior,
    Curves,
    Fixed,
    Learned,
    fit,
    improved,
    learn,
)
from arpad.rate.arpad_system.points import PlayedGames, fast_games, logistic
from arpad.rate.glicko.rating import WithErrors
from arpad.rate.glicko.steps import SCALE
from arpad.rate.list_system import ListRates, entrants
from arpad.rate.periods import figures, finite, first_given
from arpad.rate.system import GIVEN, START, Range, both_sides, numbered
from arpad.rate.whr.curves import waited, with_days
from arpad.scale import Curve, Logistic

if TYPE_CHECKING:
    from collections.abc import Mapping

    from arpad.model import Games
    from arpad.rate.arpad_system.points import Array, Rows
    from arpad.rate.list_system import Entrants
    from arpad.rate.system import State, Trace


SEEN = 5
"""Games of both players from which on a forecast teaches something."""
RECENT = 100_000
"""Forecasts, the latest, that teach."""
MORE = 1.01
"""Weights are learned again when forecasts are this many times as many."""
HOLD = 20.0
"""Weight of the usual forecast weights, as information of forecasts."""
EXPERIENCE, ACTIVE = 10.0, 5.0
"""Games added to a player's, of all time and of the last year, before the logarithm is taken."""
QUICK = 3.0
"""Information, of 1 a game of equals over 4, for which a mean result in fast games counts."""
COLUMNS = 12
"""Figures that a forecast weighs, without ratings of the source."""


def flattened(z: Array, variance: Array) -> Array:
    """Return a difference in logits as doubt about it draws it towards 0."""
    return np.asarray(z / np.sqrt(1 + 3 * variance / np.pi**2))


def _regression(
    columns: Array, score: Array, usual: Array, hold: float, *, begin: Array | None = None
) -> Array:
    """Return the weights of a logistic regression that are held to the usual ones."""
    weights = usual if begin is None else begin
    for _ in range(8):
        p = logistic(columns @ weights)
        bend = (columns * (p * (1 - p))[:, None]).T @ columns + hold * np.eye(len(usual))
        slope = columns.T @ (score - p) - hold * (weights - usual)
        step = np.linalg.solve(bend, slope)
        weights = weights + step
        if np.abs(step).max() < 1e-4:
            break
    return np.asarray(weights)


class ForecastState:
    """State of all players after the games of some curves, by row, on the natural scale."""

    def __init__(self, curves: Curves | None, start: CurvePrior, players: int) -> None:
        self.learned = USUAL if curves is None else curves.learned
        self.start = start
        new = np.isnan(start.held)
        error = start.errors(self.learned)
        self.x = np.where(new, start.level, start.held) / SCALE
        self.variance = (np.where(new, self.learned.spread, error) / SCALE) ** 2
        self.day = np.full(players, np.nan)
        self.games = np.zeros(players, dtype=np.int64)
        if curves is not None:
            own, last = curves.points.own, curves.points.last
            self.x[own], self.variance[own] = curves.x[last], curves.variance[last]
            self.day[own] = curves.points.middle(last)
            games = curves.games
            self.games += np.bincount(games.white, minlength=players)
            self.games += np.bincount(games.black, minlength=players)

    def place(self, games: PlayedGames) -> None:
        """Put the newcomers among these games where those whom they meet say."""
        new = (self.games == 0) & np.isnan(self.start.held)
        if not new.any() or new.all():
            return
        total, count = np.zeros(len(new)), np.zeros(len(new))
        for me, other in ((games.white, games.black), (games.black, games.white)):
            counts = new[me] & ~new[other]
            total += np.bincount(me[counts], self.x[other[counts]], len(new))
            count += np.bincount(me[counts], minlength=len(new))
        at = count > 0
        level = self.start.level / SCALE
        among = total[at] / count[at]
        self.x[at] = level + self.learned.follow * (among - level) - self.learned.below / SCALE

    def differences(self, games: PlayedGames, day: float) -> tuple[Array, Array, Array]:
        """Return White's advantage in logits, its variance, and ln of the ratio of both variances, on a day."""
        waited = np.nan_to_num(np.maximum(0.0, day - self.day))
        variance = self.variance + self.learned.w2 * waited
        plus = np.array(self.learned.advantage)[games.fast] / SCALE
        w, b = games.white, games.black
        doubt = np.log(variance[w] / variance[b])
        return self.x[w] - self.x[b] + plus, variance[w] + variance[b], doubt


@dataclass(slots=True)
class Lessons:
    """Forecasts that were made, and how they came out."""

    usual: Array
    columns: list[Array] = field(default_factory=list)
    scores: list[Array] = field(default_factory=list)
    latest: Array | None = None
    count: int = 0
    taught: int = 0

    def add(self, columns: Array, score: Array) -> None:
        """Take in forecasts."""
        self.columns.append(columns)
        self.scores.append(score)
        self.count += len(score)

    def weights(self) -> Array:
        """Return the weights that would have forecast the latest of them best."""
        if not self.scores:
            return self.usual
        if self.latest is not None and self.count < MORE * self.taught:
            return self.latest
        self.taught = self.count
        columns, score = np.concatenate(self.columns)[-RECENT:], np.concatenate(self.scores)[-RECENT:]
        self.columns, self.scores = [columns], [score]
        self.latest = _regression(columns, score, self.usual, HOLD, begin=self.latest)
        return self.latest


class Filter:
    """Strengths that go forward only: each period changes them once, and no later game looks back.

    Where they differ from the curves, other people's later games have changed what earlier ones said.
    """

    def __init__(self, players: int, learned: Learned, level: float) -> None:
        self.x = np.full(players, level / SCALE)
        self.most = (learned.spread / SCALE) ** 2
        self.variance = np.full(players, self.most)
        self.day = np.nan

    def take(self, games: PlayedGames, learned: Learned) -> None:
        """Rate the games of a period, all from what was known before it (Glickman 1999)."""
        if not len(games):
            return
        waited = float(np.nan_to_num(games.day[0] - self.day))
        self.day = float(games.day[0])
        self.variance = np.minimum(self.variance + learned.w2 * max(waited, 0.0), self.most)
        plus = np.array(learned.advantage)[games.fast] / SCALE
        slope, information = np.zeros(len(self.x)), np.zeros(len(self.x))
        for me, other, sign in ((games.white, games.black, 1.0), (games.black, games.white, -1.0)):
            g = 1 / np.sqrt(1 + 3 * self.variance[other] / np.pi**2)
            p = logistic(g * (self.x[me] - self.x[other] + sign * plus))
            score = games.score if sign > 0 else 1 - games.score
            slope += np.bincount(me, g * (score - p), len(slope))
            information += np.bincount(me, g * g * p * (1 - p), len(slope))
        self.variance = 1 / (1 / self.variance + information)
        self.x = self.x + self.variance * slope


class Forecaster:
    """Everybody's curves, which grow period by period; no later game is ever looked at."""

    def __init__(self, fixed: Fixed, level: float | None, players: int, *, usual_level: float) -> None:
        self.fixed, self.level, self.usual_level = fixed, level, usual_level
        self.held = np.full(players, np.nan)
        self.learned = fixed.apply(USUAL)
        self.curves: Curves | None = None
        self.games: PlayedGames | None = None
        self.forward = Filter(players, self.learned, usual_level if level is None else level)
        self.plain = Lessons(np.r_[0.0, 1.0, np.zeros(COLUMNS - 2)])
        # Where somebody has hardly played here, the rating beside the game says nearly all.
        seen, unseen = ((0.6, 0.3), (0.1, 0.8))
        self.with_given, self.with_given_new = (
            Lessons(np.r_[0.0, own, np.zeros(COLUMNS - 2), given, 0.0, 0.0]) for own, given in (seen, unseen)
        )

    def _start(self) -> CurvePrior:
        level = self.level
        if level is None:
            known = self.held[~np.isnan(self.held)]
            level = float(known.mean()) if len(known) else self.usual_level
        return CurvePrior(self.held, np.full(len(self.held), np.nan), level)

    def period(self, games: PlayedGames, held: Array, given: Array) -> tuple[Array, Array]:
        """Return rating differences and White's expected scores of a period, then take its games in.

        Parameters
        ----------
        held
            The rating that newcomers of this period come with, by row of the players, NaN for none.
        given
            The difference of the ratings beside each game in points, NaN where one is missing.
        """
        there = np.zeros(len(self.held), dtype=np.bool_)
        there[games.white] = there[games.black] = True
        seen = np.zeros(len(self.held), dtype=np.bool_)
        if self.curves is not None:
            seen[self.curves.points.own] = True
        self.held = np.where(there & ~seen, held, self.held)
        standing = ForecastState(self.curves, self._start(), len(self.held))
        standing.place(games)
        columns, variance = self._columns(standing, games)
        expected = logistic(columns @ self.plain.weights())
        both = ~np.isnan(given)
        rated = given[both] / SCALE
        more = np.column_stack([columns[both], rated, rated * variance[both], rated * games.fast[both]])
        teaches = np.minimum(standing.games[games.white], standing.games[games.black]) >= SEEN
        for lessons, of in ((self.with_given, teaches), (self.with_given_new, ~teaches)):
            mine = of[both]
            if mine.any():
                expected[both & of] = logistic(more[mine] @ lessons.weights())
                lessons.add(more[mine], games.score[both][mine])
        self.plain.add(columns[teaches], games.score[teaches])
        self.rate(games)
        return (standing.x[games.white] - standing.x[games.black]) * SCALE, expected

    def _columns(self, standing: ForecastState, games: PlayedGames) -> tuple[Array, Array]:
        """Return what a forecast weighs, a row a game, and the variance of each difference."""
        day = float(games.day[0]) if len(games) else 0.0
        z, variance, doubt = standing.differences(games, day)
        w, b = games.white, games.black
        flat, fast = flattened(z, variance), games.fast.astype(np.float64)
        known = standing.games > 0
        level = (standing.x[w] + standing.x[b]) / 2 - (standing.x[known].mean() if known.any() else 0.0)
        level = np.where(known[w] & known[b], level, 0.0)
        active, quick = self._recent(day)
        experience = np.log(standing.games + EXPERIENCE)
        columns = [
            np.ones(len(z)),
            flat,
            z * variance,
            experience[w] - experience[b],
            doubt,
            active[w] - active[b],
            self.forward.x[w] - self.forward.x[b],
            level,
            level * flat,
            fast,
            fast * flat,
            fast * (quick[w] - quick[b]),
        ]
        return np.stack(columns, axis=1), variance

    def _recent(self, day: float) -> tuple[Array, Array]:
        """Return ln of everybody's games in the last year, and how much better than expected fast games went."""
        n = len(self.held)
        if self.curves is None:
            return np.full(n, np.log(ACTIVE)), np.zeros(n)
        games = self.curves.games
        begin = int(np.searchsorted(games.day, day - YEAR))
        active = np.bincount(games.white[begin:], minlength=n) + np.bincount(games.black[begin:], minlength=n)
        of = np.flatnonzero(games.fast)
        p = logistic(self.curves.differences()[of])
        rest, h = games.score[of] - p, p * (1 - p)
        w, b = games.white[of], games.black[of]
        better = np.bincount(w, rest, n) - np.bincount(b, rest, n)
        return np.log(active + ACTIVE), better / (np.bincount(w, h, n) + np.bincount(b, h, n) + QUICK)

    def rate(self, games: PlayedGames) -> None:
        """Take in the games of a period: fit all curves again, and learn what rests on single games."""
        games = games.part(games.order())
        self.forward.take(games, self.learned)
        self.games = games if self.games is None else self.games.and_(games)
        start = self._start()
        self.curves = fit(self.games, start, self.learned, before=self.curves, tolerance=ROUGH)
        after = self.fixed.apply(improved(self.curves, start))
        self.learned = replace(after, spread=self.learned.spread, drift=self.learned.drift)


def forecasts(
    forecaster: Forecaster, games: PlayedGames, first: Rows, held: Array, given: Array
) -> tuple[Array, Array]:
    """Return rating differences and White's expected scores of games, each period from those before it.

    Parameters
    ----------
    first
        The row where each period begins, and at last the number of games.
    held
        The rating of both players that stands beside each game, in two columns, NaN for none.
    """
    difference, expected = np.zeros(len(games)), np.zeros(len(games))
    players = len(forecaster.held)
    for a, b in pairwise(first.tolist()):
        part = games.part(slice(a, b))
        brought = np.full(players, np.nan)
        sides = np.stack([part.white, part.black], axis=1).ravel()[::-1]
        ratings = held[a:b].ravel()[::-1]
        known = ~np.isnan(ratings)
        brought[sides[known]] = ratings[known]
        difference[a:b], expected[a:b] = forecaster.period(part, brought, given[a:b])
    return difference, expected


EPOCH = date(1970, 1, 1)
FARTHEST = 1e5
"""No constant is larger."""
LISTED_GAMES = 30.0
"""Games of a listed player where the list does not say."""
FIRST_ERROR = 150.0
"""Points: error of the rating with which Elo's formula began."""
LEAST_DRIFT = 1.0
"""Points a year: below this a strength does not move in a lifetime."""
RESULT = "K (W − We): We from both curves on that day, K from what was not known before [arpad, 4]"


@dataclass(frozen=True, slots=True, kw_only=True)
class ArpadSystem(WithErrors, ListRates):
    """The system as a set of constants; those that are None are learned from the games.

    Parameters
    ----------
    spread
        Standard deviation of a new player's strength around the start rating, in points.
    drift
        Standard deviation of the change of a strength in a year, in points.
    white_advantage
        Points that the first side is ahead.
    start
        Rating of new players who meet only new players; None: the mean of the ratings that are given, 1500 without any.
    given
        Start players from their first rating in the source; forecasts weigh the one beside the game.
    given_error
        Error of such a rating, in points; at its usual value the games may change it.

    Examples
    --------
    >>> from arpad.model import Games
    >>> rated = ArpadSystem().rate(Games.build([("Ann", "Bob", 1.0), ("Ann", "Cid", 0.5)]))
    >>> rated.rows["player"].to_list()
    ['Ann', 'Cid', 'Bob']
    """

    name: ClassVar[str] = "arpad"
    curve: ClassVar[Curve] = Logistic()
    reckons_time: ClassVar[bool] = True
    own_error: ClassVar[str | None] = None
    # What a list needs to know to let errors grow with time, as those of Glicko do.
    period: ClassVar[str] = "day"
    max_error: ClassVar[float] = FARTHEST
    usual_volatility: ClassVar[float | None] = None
    tunable: ClassVar[Mapping[str, Range]] = {
        "spread": Range(80, 1000, log=True),
        "drift": Range(5, 200, log=True),
    }
    spread: float | None = None
    drift: float | None = None
    white_advantage: float | None = None
    start: float | None = 1500.0
    given: bool = True
    given_error: float = USUAL.given_error

    def __post_init__(self) -> None:
        for name, least in (("spread", 1.0), ("drift", LEAST_DRIFT), ("given_error", 1.0)):
            value = getattr(self, name)
            if value is not None and not least <= value <= FARTHEST:
                raise UsageError(f"expected {name} from {least:g} to {FARTHEST:g} points, found {value!r}")
        for name in ("start", "white_advantage"):
            value = getattr(self, name)
            if value is not None and not abs(value) <= FARTHEST:
                raise UsageError(f"expected {name} within ± {FARTHEST:g}, found {value!r}")

    def advance(self, state: State, games: Games, *, trace: Trace | None = None) -> State:
        """Fit everybody's curve to the games and read it on the morning after the last one.

        An earlier list says what is known of its players before the first of these games: a rating and its
        error, which has grown since.
        """
        here = entrants(self, state, games if trace is None else numbered(games))
        table = with_days(here.games.rateable())
        played = _played(here.games, table)
        start = self._start(here, table)
        order = played.order()
        played = played.part(order)
        curves = fit(played, start, learn(played, start, self._fixed()), exact=True)
        if trace is not None:
            trace.add(here.steps(_steps(table[order], curves, start, here.figures("rating"))))
        return self._after(here, table, curves)

    def pace(self, volatility: Any) -> Any:
        """Return what one day adds to the square of an error."""
        return (USUAL.drift if self.drift is None else self.drift) ** 2 / YEAR + 0 * volatility

    def predict_games(self, games: Games, first: Rows) -> tuple[Array, Array]:
        """Return each game's rating difference and White's expected score, from what was before its period.

        `games.table` is in the order of play; a period begins at each row of `first`.
        """
        table, n = with_days(games.table), games.players.height
        forecaster = Forecaster(self._fixed(), self.start, n, usual_level=1500.0)
        played = _played(games, table)
        ratings = np.full((table.height, 2), np.nan)
        if self.given:
            sides = ("white_rating", "black_rating")
            ratings = np.stack(
                [table[s].cast(pl.Float64).fill_null(np.nan).to_numpy() for s in sides], axis=1
            )
        held = np.full(ratings.shape, np.nan)
        if self.given:  # a player's own entry starts the curve; ratings beside games are weighed game by game
            own = games.players["rating"].cast(pl.Float64).fill_null(np.nan).to_numpy()
            held = own[np.stack([played.white, played.black], axis=1)]
        return forecasts(forecaster, played, first, held, ratings[:, 0] - ratings[:, 1])

    def _fixed(self) -> Fixed:
        told = None if self.given_error == USUAL.given_error else self.given_error
        return Fixed(self.spread, self.drift, self.white_advantage, told)

    def _start(self, here: Entrants, table: pl.DataFrame) -> CurvePrior:
        held, error = finite(here.figures("rating")), finite(here.figures("error"))
        listed = _error_by_k(here.figures("k"), here.figures("total_games"))
        error = np.where(np.isnan(error), listed, error)
        error = np.where(
            np.isnan(held), np.nan, np.sqrt(error**2 + self.pace(0.0) * waited(table, here.rows))
        )
        if self.given:
            held = np.where(np.isnan(held), finite(first_given(here.games, table)), held)
        level = self.start
        if level is None:
            known = held[~np.isnan(held)]
            level = float(known.mean()) if len(known) else 1500.0
        usual = None
        if self.given_error == USUAL.given_error:
            people = here.games.players
            usual = _error_by_k(figures(people, "k"), figures(people, "total_games"))
            usual = np.where(np.isnan(usual), self.given_error, usual)
        return CurvePrior(held, np.maximum(error, 1.0), level, usual)

    def _after(self, here: Entrants, table: pl.DataFrame, curves: Curves) -> State:
        points, last, own = curves.points, curves.points.last, curves.points.own
        n = len(here.place)
        mine = np.bincount(curves.games.white, minlength=n) + np.bincount(curves.games.black, minlength=n)
        dated = table["date"].null_count() < table.height
        when = np.zeros(n, dtype=np.int64)
        for side in (curves.games.white, curves.games.black):
            np.maximum.at(when, side, curves.games.day)
        day = int(curves.games.day.max(initial=0)) + 1
        on = min(EPOCH + timedelta(days=day), date.max) if dated and len(own) else None
        passed = np.maximum(0.0, day - points.middle(last)) if on is not None else 0.0
        variance = curves.variance[last] + curves.learned.w2 * passed
        rating, first = curves.x[last] * SCALE, curves.mean * SCALE
        total = np.nan_to_num(here.figures("total_games"))[own] + mine[own]
        days = pl.Series(when[own] if dated else [None] * len(own), dtype=pl.Int32).cast(pl.Date)
        rows = pl.DataFrame(
            {
                "rating": rating,
                "error": np.sqrt(variance) * SCALE,
                "games": mine[own],
                "before": first,
                "change": rating - first,
                "total_games": total.astype(np.int64),
                "last": days,
            }
        ).with_columns(pl.lit(on, dtype=pl.Date).alias("on"))
        learned = {k: list(v) if isinstance(v, tuple) else v for k, v in asdict(curves.learned).items()}
        return here.after_some(rows, own, parameters=self.parameters(), source={"learned": learned})


def _played(games: Games, table: pl.DataFrame) -> PlayedGames:
    """Return games as arrays; one without a date stays with the one before it."""
    event = table["event"].fill_null(-1).to_numpy().astype(np.int64)
    return PlayedGames(
        white=table["white"].to_numpy().astype(np.int64),
        black=table["black"].to_numpy().astype(np.int64),
        score=table["score"].to_numpy().astype(np.float64),
        day=table["_day"].to_numpy().astype(np.int64),
        fast=fast_games(games, event),
        turns=_turns(table),
    )


def _turns(table: pl.DataFrame) -> Rows:
    """Return the rounds in their order: by day and number, or by row where nothing says it."""
    number = pl.col("round").str.extract(r"^(\d{1,6})").cast(pl.Int64).fill_null(0)
    turn = (
        table.select((pl.col("_day").cast(pl.Int64) * 1_000_000 + number).rank("dense"))
        .to_series()
        .to_numpy()
        .astype(np.int64)
    )
    return turn if turn.max(initial=0) > 1 else np.arange(len(turn))


def _error_by_k(K: Array, games: Array) -> Array:
    """Return the error of ratings that Elo's formula made with a K in so many games, in points.

    A rating that follows its strength with K for ever has a variance of K (400/ln 10)/2; what the first rating did not
    know is less by 1 − K/4 (ln 10/400) a game, squared. A list that does not count games stands for 30.

    Examples
    --------
    >>> _error_by_k(np.array([10.0, 20.0]), np.array([10_000, np.nan])).round().tolist()
    [29.0, 75.0]
    """
    n = np.nan_to_num(games, nan=LISTED_GAMES)
    left = np.clip(1 - K / (4 * SCALE), 0.0, 1.0) ** (2 * n)
    return np.asarray(np.sqrt(K * SCALE / 2 + FIRST_ERROR**2 * left))


def _steps(table: pl.DataFrame, curves: Curves, start: CurvePrior, listed: Array) -> pl.DataFrame:
    """Return a step a side of a game, behind what everybody starts from.

    At the mode a strength is θ = m + Σ φ (σ² + w² t) (W − W_e): K is what was not known of it on the day of
    the game, before all games.
    """
    points, x, own = curves.points, curves.x, curves.points.own
    unknown = 1 / curves.hold[points.curve] + curves.learned.w2 * points.months_after_first()
    weight, expected = curves.weight(), logistic(curves.differences())
    score = curves.games.score
    white, black = curves.games.white, curves.games.black
    k = both_sides(weight * unknown[points.white], weight * unknown[points.black]) * SCALE
    W, E = both_sides(score, 1 - score), both_sides(expected, 1 - expected)
    player = both_sides(white, black)
    change = k * (W - E)
    # What the fit leaves, a hundredth of a point, goes to each player's last game.
    place = np.zeros(len(start.held), dtype=np.int64)
    place[own] = np.arange(len(own))
    begun = np.zeros(len(listed))
    begun[own] = curves.mean * SCALE
    base = np.where(np.isnan(listed), begun, listed)
    total = np.bincount(player, change, len(listed))
    rating = np.zeros(len(listed))
    rating[own] = x[points.last] * SCALE
    last = np.zeros(len(listed), dtype=np.int64)
    last[player] = np.arange(len(player))
    change[last[own]] += rating[own] - base[own] - total[own]
    games = pl.DataFrame(
        {
            "player": player,
            "game": np.repeat(table["row"].to_numpy(), 2),
            "opponent": both_sides(black, white),
            "rating": both_sides(x[points.white], x[points.black]) * SCALE,
            "opponent_rating": both_sides(x[points.black], x[points.white]) * SCALE,
            "score": W,
            "expected": E,
            "k": k,
            "change": change,
            "rule": np.full(len(player), RESULT),
        },
        schema_overrides={"player": pl.Int32, "opponent": pl.Int32, "game": pl.Int64, "rule": pl.String},
    )
    new = own[np.isnan(listed[own])]
    rule = np.where(np.isnan(start.held[new]), START, GIVEN)
    openings = pl.DataFrame(
        {"player": new, "change": base[new], "rule": rule},
        schema_overrides={"player": pl.Int32, "rule": pl.String},
    )
    return pl.concat([openings, games], how="diagonal").sort("player", maintain_order=True)
