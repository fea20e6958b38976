"""arpad's own system as a rating system: from games to a list, its steps, and forecasts."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from datetime import date, timedelta
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import polars as pl

from arpad.errors import UsageError
from arpad.model import Ratings
from arpad.rate.arpad_system.curves import USUAL, YEAR, CurvePrior, Curves, Fixed, fit, learn
from arpad.rate.arpad_system.forecast import Forecaster, forecasts
from arpad.rate.arpad_system.points import PlayedGames, fast_games
from arpad.rate.glicko.rating import WithErrors
from arpad.rate.glicko.steps import SCALE, days_of
from arpad.rate.list_system import FromLists
from arpad.rate.periods import first_given, known_before
from arpad.rate.state import Range
from arpad.rate.trace import GIVEN, START, Workings, both_sides, numbered
from arpad.scale import Curve, Logistic

if TYPE_CHECKING:
    from collections.abc import Mapping

    from arpad.model import Games
    from arpad.rate.arpad_system.points import Array, Rows

EPOCH = date(1970, 1, 1)
FARTHEST = 1e5
"""No constant is larger."""
LEAST_DRIFT = 1.0
"""Points a year: below this a strength does not move in a lifetime."""
RESULT = "K (W − We): We from both curves on that day, K from what was not known before [arpad, 4]"


@dataclass(frozen=True, slots=True, kw_only=True)
class ArpadSystem(WithErrors, FromLists):
    """The system as a set of constants; those that are None are learned from the games.

    Parameters
    ----------
    spread
        Points: newcomers about the place where they are put, as one standard deviation.
    drift
        Points that a strength moves in a year, as one standard deviation.
    white_advantage
        Points that the first side is ahead.
    start
        The rating of newcomers among newcomers; None: the mean of the ratings that are given, 1500 without any.
    given
        Start players from the first rating that the source gives them; forecasts weigh the one beside the game.
    given_error
        Points: the error of such a rating; at its usual value the games may tell another.

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

    def rate_list(self, games: Games, before: Ratings | None) -> Ratings:
        """Fit everybody's curve to the games and read it on the morning after the last one.

        An earlier list says what is known of its players before the first of these games: a rating and its
        error, which has grown since.
        """
        return self._rated(games, before)[0]

    def list_steps(self, games: Games, before: Ratings | None) -> tuple[Ratings, Workings]:
        """Return what `rate_list` returns, and what every game added."""
        return self._rated(numbered(games), before, told=True)

    def pace(self, volatility: Any) -> Any:
        """Return what one day adds to the square of an error."""
        return (USUAL.drift if self.drift is None else self.drift) ** 2 / YEAR + 0 * volatility

    def predict_games(self, games: Games, first: Rows) -> tuple[Array, Array]:
        """Return each game's rating difference and White's expected score, from what was before its period.

        `games.table` is in the order of play; a period begins at each row of `first`.
        """
        table, n = games.table, games.players.height
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

    def _start(self, games: Games, table: pl.DataFrame, before: Ratings | None) -> CurvePrior:
        held = _finite(known_before(games, before, "rating"))
        error = np.where(np.isnan(held), np.nan, _finite(known_before(games, before, "error")))
        if before is not None:
            error = np.sqrt(error**2 + float(self.pace(0.0)) * _waited(games, table, before))
        if self.given:
            held = np.where(np.isnan(held), _finite(first_given(games, table)), held)
        level = self.start
        if level is None:
            known = held[~np.isnan(held)]
            level = float(known.mean()) if len(known) else 1500.0
        return CurvePrior(held, np.maximum(error, 1.0), level)

    def _rated(self, games: Games, before: Ratings | None, *, told: bool = False) -> tuple[Ratings, Workings]:
        table = games.rateable()
        played = _played(games, table)
        start = self._start(games, table, before)
        order = played.order()
        played = played.part(order)
        learned = learn(played, start, self._fixed())
        curves = fit(played, start, learned, exact=True)
        ratings = self._listed(games, table, before, curves)
        steps = _steps(table[order], curves, start, known_before(games, before, "rating")) if told else None
        return ratings, Workings.build(self.name, _NO_STEPS if steps is None else steps)

    def _listed(self, games: Games, table: pl.DataFrame, before: Ratings | None, curves: Curves) -> Ratings:
        points, last, own = curves.points, curves.points.last, curves.points.own
        n = games.players.height
        mine = np.bincount(curves.games.white, minlength=n) + np.bincount(curves.games.black, minlength=n)
        dated = table["date"].null_count() < table.height
        when = np.zeros(n, dtype=np.int64)
        for side in (curves.games.white, curves.games.black):
            np.maximum.at(when, side, curves.games.day)
        day = int(curves.games.day.max(initial=0)) + 1
        on = min(EPOCH + timedelta(days=day), date.max) if dated and len(own) else None
        waited = np.maximum(0.0, day - points.middle(last)) if on is not None else 0.0
        variance = curves.variance[last] + curves.learned.w2 * waited
        rating, first = curves.x[last] * SCALE, curves.mean * SCALE
        total = np.nan_to_num(known_before(games, before, "total_games"))[own] + mine[own]
        days = pl.Series(when[own] if dated else [None] * len(own), dtype=pl.Int32).cast(pl.Date)
        rows = pl.DataFrame(
            {
                "player": games.players["name"].gather(own),
                "id": games.players["id"].gather(own),
                "rating": rating,
                "error": np.sqrt(variance) * SCALE,
                "games": mine[own],
                "before": first,
                "change": rating - first,
                "total_games": total.astype(np.int64),
                "last": days,
            }
        ).with_columns(pl.lit(on, dtype=pl.Date).alias("on"))
        ratings = Ratings.rank(rows, system=self.name, parameters=self.parameters(), games=games)
        learned = {k: list(v) if isinstance(v, tuple) else v for k, v in asdict(curves.learned).items()}
        return replace(ratings, source={**ratings.source, "learned": learned})


_NO_STEPS = pl.DataFrame(schema={"player": pl.Int32})


def _played(games: Games, table: pl.DataFrame) -> PlayedGames:
    """Return games as arrays; one without a date stays with the one before it."""
    filled = pl.col("date").forward_fill().backward_fill().to_physical().fill_null(0)
    event = table["event"].fill_null(-1).to_numpy().astype(np.int64)
    return PlayedGames(
        white=table["white"].to_numpy().astype(np.int64),
        black=table["black"].to_numpy().astype(np.int64),
        score=table["score"].to_numpy().astype(np.float64),
        day=table.select(filled).to_series().to_numpy().astype(np.int64),
        fast=fast_games(games, event),
    )


def _waited(games: Games, table: pl.DataFrame, before: Ratings) -> Array:
    """Return the days from an earlier list to everybody's first game; 0 where either is not known."""
    n = games.players.height
    listed, first = np.full(n, np.nan), np.full(n, np.inf)
    for name in ("last", "on"):
        days = days_of(before.lookup(games.players, name)).to_physical().cast(pl.Float64)
        listed = np.where(days.is_null().to_numpy(), listed, days.fill_null(np.nan).to_numpy())
    dated = table.filter(pl.col("date").is_not_null())
    for side in ("white", "black"):
        np.minimum.at(first, dated[side].to_numpy(), dated["date"].to_physical().to_numpy())
    waited = first - listed
    return np.where(np.isfinite(waited), np.maximum(waited, 0.0), 0.0)


def _steps(table: pl.DataFrame, curves: Curves, start: CurvePrior, listed: Array) -> pl.DataFrame:
    """Return a step a side of a game, behind what everybody starts from.

    At the mode a strength is θ = m + Σ φ (σ² + w² t) (W − W_e): K is what was not known of it on the day of
    the game, before all games.
    """
    points, x, own = curves.points, curves.x, curves.points.own
    curve = np.repeat(np.arange(len(own)), points.counts)
    unknown = 1 / curves.hold[curve] + curves.learned.w2 * points.months_after_first()
    weight = np.array(curves.learned.information)[curves.games.fast]
    z = x[points.white] - x[points.black] + curves.plus()
    expected = 0.5 + 0.5 * np.tanh(z / 2)
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


def _finite(values: Array) -> Array:
    return np.where(np.isfinite(values), values, np.nan)
