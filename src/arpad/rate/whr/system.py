"""Whole-history rating: a curve for every player, all games at once."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import polars as pl

from arpad.errors import UsageError
from arpad.model import Result, ranked
from arpad.rate.glicko.rating import WithErrors
from arpad.rate.list_system import Entrants, ListRates, entrants
from arpad.rate.periods import day
from arpad.rate.system import Range, list_rows
from arpad.rate.whr.curves import EPOCH, WhrRun, predict_games, run
from arpad.scale import Curve, Logistic

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import date

    from numpy.typing import NDArray

    from arpad.model import Games, Ratings
    from arpad.rate.system import State, Trace


# Whole-history rating: a curve for every player, all games at once.
#
# Source: R. Coulom, *Whole-History Rating: A Bayesian Rating System for Players of Time-Varying Strength*,
# Computers and Games 2008, LNCS 5131, 113–124. The curves themselves are in `whole_history`.

FARTHEST = 1e5
"""No constant in rating points is larger."""
LEAST_W2 = 1e-4
"""Points² a day: below this a curve does not move in a lifetime, and 1/(w² Δt) leaves the range of numbers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Whr(WithErrors, ListRates):
    """Whole-history rating as a set of constants.

    Parameters
    ----------
    w2
        Rating points² a day: how fast strengths change. In Δt days a rating wanders by √(w² Δt) points. 7
        predicted the games of 2014 best of those tried (docs/methods/whr.md); Glicko's 15 points a month
        are 7.4.
    prior
        Virtual draws on a newcomer's first day against somebody of the rating `start`: two are
        Coulom's one win and one loss, a standard deviation of about 246 points.
    start
        The rating of that opponent; None: the mean of the ratings that are given, 1500 without any.
        Who comes without a rating among the rated is weaker than they are, as a rule.
    given
        Hold a rating that the source gives beside a player's first game, or in the player's own entry,
        for what is known before: normal, with the standard deviation `given_error`.
    given_error
        Rating points; of a listed rating without an error, too.
    white_advantage
        Rating points; None: estimated.
    on
        Read the ratings on the morning of this day, from the games before it; None: the morning after
        the last game.
    tolerance
        Rating points: iterate until no rating changes by more.

    Examples
    --------
    >>> from arpad.model import Games
    >>> ratings = Whr().rate(Games.build([("Anand", "Karpov", 1.0)]))
    >>> ratings.rows["rating"].round(1).to_list()
    [1591.7, 1408.3]
    """

    name: ClassVar[str] = "whr"
    whole_past: ClassVar[bool] = True
    reckons_time: ClassVar[bool] = True
    tunable: ClassVar[Mapping[str, Range]] = {"w2": Range(1, 60, log=True), "prior": Range(0.5, 8, log=True)}
    curve: ClassVar[Curve] = Logistic()
    # What a list needs to know to let errors grow with time, as those of Glicko do (`form_list`).
    period: ClassVar[str] = "day"
    max_error: ClassVar[float] = FARTHEST
    usual_volatility: ClassVar[float | None] = None
    w2: float = 7.0
    prior: float = 2.0
    start: float | None = 1500.0
    given: bool = True
    given_error: float = 200.0
    white_advantage: float | None = 0.0
    on: date | str | None = None
    tolerance: float = 0.01

    def __post_init__(self) -> None:
        object.__setattr__(self, "on", day(self.on))
        if not LEAST_W2 <= self.w2 <= FARTHEST:
            raise UsageError(
                f"expected w2 from {LEAST_W2:g} to {FARTHEST:g} points² a day, found {self.w2!r}"
            )
        for name in ("prior", "given_error", "tolerance"):
            if not 0 < getattr(self, name) <= FARTHEST:
                raise UsageError(
                    f"expected {name} above 0 and up to {FARTHEST:g}, found {getattr(self, name)!r}"
                )
        for name in ("start", "white_advantage"):
            value = getattr(self, name)
            if value is not None and not abs(value) <= FARTHEST:
                raise UsageError(f"expected {name} within ± {FARTHEST:g}, found {value!r}")

    def advance(self, state: State, games: Games, *, trace: Trace | None = None) -> State:  # noqa: ARG002
        """Fit everybody's curve to all games and read it on the day of the list.

        An earlier list holds what is known of its players before the first of these games: normal, with
        the list's errors, which have grown by w² a day since its day. Nothing that comes later changes what
        the list knew: for a late result to change the past, the past's games must be here, too.
        """
        here = entrants(self, state, games)
        return _after(self, here, run(self, here.games, here.rows))

    def pace(self, volatility: Any) -> Any:
        """Return w², what one day adds to the square of an error."""
        return self.w2 + 0 * volatility

    def predict_games(
        self, games: Games, first: NDArray[np.int64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return difference and White's expected score of games in order, from the periods before their own.

        A period begins at each row of `first`, whose last is the number of games.
        """
        return predict_games(self, games, first)


def _after(system: Whr, here: Entrants, found: WhrRun) -> State:
    points, fit = found.points, found.fit
    last = points.first[1:] - 1
    own = points.player[last]
    waited = 0 if found.on is None else found.morning - points.day[last]
    rating, first = fit.rating[last], found.priors.held[own]
    mine = np.add.reduceat(points.played(), points.first[:-1]) if len(points) else last
    rows = pl.DataFrame(
        {
            "rating": rating,
            "error": np.sqrt(fit.variance[last] + system.w2 * np.maximum(waited, 0)),
            "games": mine,
            "before": first,
            "change": rating - first,
            "last": _dates(points.day[last]) if found.dated else pl.Series([None] * len(own), dtype=pl.Date),
        }
    ).with_columns(pl.col("before", "change").fill_nan(None), pl.lit(found.on, dtype=pl.Date).alias("on"))
    later = {"later": found.later} if found.later else {}
    return here.after_some(
        rows,
        own,
        parameters={**system.parameters(), **found.settled()},
        source={"notes": list(found.notes), "fit": found.told(), **later},
    )


# Rating curves of all players over all of time, each point with its error.
#
# A late result changes the past as well as the present: the third wish of the report of 1994.


@dataclass(frozen=True, slots=True, kw_only=True)
class WholeHistory(Result):
    """A curve for every player.

    Parameters
    ----------
    rows
        A row for each day on which a player played: `player`, `id`, `date`, `rating`, `error` (one standard
        deviation), `games` (of that day); by player, then date.
    parameters
        Every constant, as given or as estimated.
    source
        `games`, `players`, `groups` (of players who never met anybody of another), `fingerprint`; `fit`: how
        it converged; `notes`.
    """

    rows: pl.DataFrame
    parameters: Mapping[str, Any]
    source: Mapping[str, Any]
    run: WhrRun

    @property
    def last(self) -> date | None:
        """The day of the last game."""
        days = self.run.points.day
        return EPOCH + timedelta(days=int(days.max())) if len(days) else None

    def curve(self, player: str, *, step: int | None = None) -> pl.DataFrame:
        """Return one player's curve: `date`, `rating`, `error`, `games`.

        Parameters
        ----------
        player
            A name, or an id where several have the name.
        step
            Days: a row at least so often, in between what the games say there.
        """
        a, b = self._span(player)
        if step is None:
            return self.rows[a:b].select("date", "rating", "error", "games")
        if step < 1:
            raise UsageError(f"expected a step of one day or more, found {step!r}")
        days = self.run.points.day[a:b]
        wanted = np.unique(np.r_[np.arange(days[0], days[-1], step), days])
        rating, error = self._between(a + np.searchsorted(days, wanted, side="right") - 1, wanted)
        games = np.zeros(len(wanted), dtype=np.int64)
        games[np.searchsorted(wanted, days)] = self.rows["games"][a:b].to_numpy()
        return pl.DataFrame({"date": _dates(wanted), "rating": rating, "error": error, "games": games})

    def on(self, day: date | None = None, *, within: int | None = 730) -> pl.DataFrame:
        """Return the list of a day, as all games, earlier and later, tell it now.

        `rank`, `player`, `id`, `rating`, `error`, `games` until then, `last` of them, and the highest point
        of the whole curve: `peak`, `peak_error`, `peak_date`.

        Parameters
        ----------
        day
            None: the day of the last game.
        within
            Only players who have played in this many days until then; None: all who ever had.
        """
        points = self.run.points
        day = day or self.last or EPOCH
        at = (day - EPOCH).days
        begins, ends = points.first[:-1], points.first[1:]
        inside = np.r_[0, np.cumsum(points.day <= at)]
        last = begins + inside[ends] - inside[begins] - 1
        here = last >= begins
        if within is not None:
            here &= at - points.day[last] <= within
        last, begins, ends = last[here], begins[here], ends[here]
        rating, error = self._between(last, np.full(len(last), at))
        total = np.r_[0, np.cumsum(self.rows["games"].to_numpy())]
        best = _highest(self.run.fit.rating, points.first)[here]
        result = pl.DataFrame(
            {
                "player": self.rows["player"].gather(last),
                "id": self.rows["id"].gather(last),
                "rating": rating,
                "error": error,
                "games": total[last + 1] - total[begins],
                "last": self.rows["date"].gather(last),
                "peak": self.rows["rating"].gather(best),
                "peak_error": self.rows["error"].gather(best),
                "peak_date": self.rows["date"].gather(best),
            }
        )
        return ranked(result)

    def table(self, top: int | None = None) -> pl.DataFrame:
        """Return the list of the last day, best first; only the first `top` rows when given."""
        result = self.on()
        return result if top is None else result.head(top)

    def to_dict(self, *, day: date | None = None, table: pl.DataFrame | None = None) -> dict[str, Any]:
        """Return the constants, what was fitted, and the list of a day, or of the last."""
        return {
            "system": "whr",
            "parameters": dict(self.parameters),
            "source": dict(self.source),
            "on": day,
            "ratings": (self.on(day) if table is None else table).to_dicts(),
        }

    def summary(self) -> str:
        """Return one sentence on what was fitted, and how well."""
        fit, p = self.run.fit, self.parameters
        end = f"no rating changed by more than {fit.change:.2g} points in the last of {fit.steps} steps"
        if not fit.converged:
            end = f"not settled: a rating still changed by {fit.change:.2g} points in step {fit.steps}"
        groups = int(self.source["groups"])
        apart = f", {groups:,} groups that never met" if groups > 1 else ""
        return (
            f"whr: {self.source['games']:,} games, {self.source['players']:,} players{apart}, "
            f"{self.rows.height:,} points (w² {p['w2']:g} a day, prior {p['prior']:g} draws against "
            f"{p['start']:.0f}, White {p['white_advantage']:+.1f}); {end}"
        )

    def _span(self, player: str) -> tuple[int, int]:
        """Return where a player's points begin and end."""
        points = self.run.points
        heads = self.rows[points.first[:-1]].select("player", "id")
        mine = heads["player"] == player
        if mine.sum() != 1:
            mine = (heads["id"] == player).fill_null(False) if not mine.sum() > 1 else mine
        result = mine.arg_true().to_list()
        if len(result) > 1:
            ids = ", ".join(str(i) for i in heads["id"].filter(mine).drop_nulls())
            raise UsageError(
                f"several players are called {player!r}: " + (f"ask by id, {ids}" if ids else "give them ids")
            )
        if not result:
            raise UsageError(f"expected a player who has played a game here, found {player!r}")
        return int(points.first[result[0]]), int(points.first[result[0] + 1])

    def _between(
        self, at: NDArray[np.int64], day: NDArray[np.int64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return rating and error on days at or after points, and before the next of the same curve.

        Between two points a Wiener process is a bridge: the rating lies on the line, and with f the part of
        the way, V = (1 − f)² V_i + f² V_(i+1) + 2 f (1 − f) C + w² Δt f (1 − f). After the last it wanders.
        """
        points, fit, w2 = self.run.points, self.run.fit, float(self.parameters["w2"])
        after = np.minimum(at + 1, len(points) - 1)
        inner = (after > at) & (points.player[after] == points.player[at])
        length = np.where(inner, points.day[after] - points.day[at], 1)
        gone = (day - points.day[at]).astype(np.float64)
        f = np.where(inner, gone / length, 0.0)
        rating = (1 - f) * fit.rating[at] + f * fit.rating[after]
        variance = (
            (1 - f) ** 2 * fit.variance[at]
            + f**2 * np.where(inner, fit.variance[after], 0.0)
            + 2 * f * (1 - f) * fit.covariance[at]
            + w2 * np.where(inner, length * f * (1 - f), gone)
        )
        return rating, np.sqrt(variance)


def whole_history(games: Games, *, system: Whr | None = None, before: Ratings | None = None) -> WholeHistory:
    """Fit a rating curve for every player to all games at once.

    Parameters
    ----------
    system
        The constants; its `on` leaves out games of that day and later.
    before
        A list that holds what is known before the first of these games.

    Examples
    --------
    >>> import datetime as dt
    >>> from arpad.model import Games
    >>> days = [dt.date(2020, 1, 1), dt.date(2022, 1, 1)]
    >>> columns = {"white": [0, 0], "black": [1, 1], "score": [1.0, 1.0], "date": days}
    >>> found = whole_history(Games.assemble(columns, {"name": ["Ann", "Bob"]}))
    >>> found.curve("Ann", step=400)["rating"].round().to_list()
    [1630.0, 1633.0, 1635.0]
    """
    chosen = Whr() if system is None else system
    result = run(chosen, games, list_rows(games.players, before).head(games.players.height))
    points, fit = result.points, result.fit
    if len(points) and not result.dated:
        raise UsageError(
            "a rating curve needs games with dates, and found none: rate them as of one day with the "
            "system whr, or with pool"
        )
    rows = pl.DataFrame(
        {
            "player": games.players["name"].gather(points.player),
            "id": games.players["id"].gather(points.player),
            "date": _dates(points.day),
            "rating": fit.rating,
            "error": np.sqrt(fit.variance),
            "games": points.played(),
        }
    )
    source = {
        "games": len(points.white),
        "players": len(points.first) - 1,
        "groups": len(np.unique(points.groups())) if len(points) else 0,
        "fingerprint": games.fingerprint(),
        "fit": result.told(),
        "notes": result.notes,
    }
    return WholeHistory(
        rows=rows, parameters={**chosen.parameters(), **result.settled()}, source=source, run=result
    )


def _dates(days: NDArray[np.int64]) -> pl.Series:
    return pl.Series("date", days.astype(np.int32)).cast(pl.Date)


def _highest(rating: NDArray[np.float64], first: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the point at which each curve is highest, the first of them if it is so twice."""
    if not len(rating):
        return np.zeros(0, dtype=np.int64)
    top = np.repeat(np.maximum.reduceat(rating, first[:-1]), np.diff(first))
    at = np.flatnonzero(rating == top)
    return np.asarray(at[np.searchsorted(at, first[:-1])])
