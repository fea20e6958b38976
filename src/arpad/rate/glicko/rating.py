"""From games to a list with a spread: what the Glicko family does alike, and its trace."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np
import polars as pl

from arpad.errors import UsageError
from arpad.model import Ratings, ranked
from arpad.rate.elo import openings
from arpad.rate.glicko.steps import (
    LEAST_ERROR,
    LEAST_INFORMATION,
    Q,
    begin_forms,
    days_of,
    enter,
    errors_on,
    expectation,
    g,
    later_by,
    moments,
    predicted,
    walk,
)
from arpad.rate.periods import Clock, clock_of, day, timeline
from arpad.rate.system import Rates, admit, both_sides, constants_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import date

    from numpy.typing import ArrayLike, NDArray

    from arpad.model import Games
    from arpad.rate.glicko.steps import Forms, GlickoGame, GlickoPlayer
    from arpad.rate.periods import Timeline
    from arpad.rate.system import State, Trace


# The steps of Glicko, Glicko-2 and Stephenson's system: what each game of a period added.
#
# All three change a rating by q RD′² Σ g (s − E), RD′ being the spread after the period: a sum over games,
# in which W − W_e of each is multiplied by K = q RD′² g. (Glicko-2 writes φ′² Σ g (s − E) on a scale of
# 1/q points.)


def form_steps(
    system: FormRates, line: Timeline, state: Forms, first: NDArray[np.float64], *, new: NDArray[np.bool_]
) -> pl.DataFrame:
    """Return what every game added.

    Parameters
    ----------
    line
        The periods; its games have the column `row`.
    state
        Everybody after them, with both sides of every game.
    first
        The ratings before them.
    new
        Who has not played before.
    """
    source = system.source
    bonus, pull = system.extras()
    assert state.sides is not None  # it was asked for
    played = line.played
    white, black, score = (played[c].to_numpy() for c in ("white", "black", "score"))
    rating, opponent, g, E, variance = state.sides.T
    k, points = Q * variance * g, both_sides(score, 1 - score)
    period = np.searchsorted(line.first, np.arange(played.height), side="right") - 1
    steps = pl.DataFrame(
        {
            "period": np.repeat(period, 2),
            "part": np.zeros(len(k), dtype=np.int64),
            "player": both_sides(white, black),
            "game": np.repeat(played["row"].to_numpy(), 2),
            "opponent": both_sides(black, white),
            "rating": rating,
            "opponent_rating": opponent,
            "score": points,
            "expected": E,
            "k": k,
            "change": k * (points - E),
            "rule": _rules(variance, g, source),
        },
        schema_overrides={"game": pl.Int64},
    )
    more = (
        [_by_period(steps, pl.col("k").sum() * bonus, f"for playing: K × {bonus:g} a game [{source}]", 1)]
        if bonus
        else []
    )
    if pull:
        way = (pl.col("opponent_rating").mean() - pl.col("rating").first()) * pull
        more.append(_by_period(steps, way, f"{pull:g} of the way to the opponents' average [{source}]", 2))
    if more:
        steps = pl.concat([steps, *more], how="diagonal").sort("period", "part", maintain_order=True)
    who = np.unique(both_sides(white, black))
    entered = openings(who[new[who]], first, known=state.known, listed=state.listed)
    return pl.concat([entered, steps.drop("period", "part")], how="diagonal")


def _by_period(steps: pl.DataFrame, change: pl.Expr, rule: str, part: int) -> pl.DataFrame:
    """Return a step a player and period."""
    return (
        steps.group_by("period", "player", maintain_order=True)
        .agg(change.alias("change"), pl.col("rating").first())
        .with_columns(pl.lit(rule).alias("rule"), pl.lit(part, dtype=pl.Int64).alias("part"))
    )


def _rules(variance: NDArray[np.float64], g: NDArray[np.float64], source: str) -> pl.Series:
    """Return why K is what it is: the spreads of both, in whole points."""
    own = np.rint(np.sqrt(variance)).astype(np.int64)
    theirs = np.sqrt(np.maximum(1 / np.maximum(g, 1e-9) ** 2 - 1, 0)) * math.pi / (Q * math.sqrt(3))
    return pl.select(
        pl.format(
            "K = q RD² g: RD {} after the period, the opponent's {} [{}]",
            pl.Series(own),
            pl.Series(np.rint(theirs).astype(np.int64)),
            pl.lit(source),
        )
    ).to_series()


# From games to a list with a spread: what Glicko, Glicko-2 and Stephenson's system do alike.

FARTHEST = 1e5
"""No constant in rating points is larger; squares of larger ones leave the range of numbers."""
KERNEL_FROM = 40_000
"""Games from which on the compiled kernel pays: loading it costs about half a second."""


class WithErrors(Rates):
    """What systems say of a game between two ratings with errors."""

    __slots__ = ()
    white_advantage: float | None

    def parameters(self) -> dict[str, object]:
        """Return every constant by name."""
        return constants_of(self)

    def expected_score(
        self,
        rating: ArrayLike,
        error: ArrayLike,
        opponent: ArrayLike,
        opponent_error: ArrayLike,
        *,
        colour: ArrayLike = 0,
    ) -> Any:
        """Return the expected score of a game to come; colour 1 is White, −1 Black, 0 not known.

        The doubt about both ratings draws it towards one half. An advantage that is to be learned counts as 0 here.

        Examples
        --------
        >>> from arpad.rate.glicko.systems import Glicko2, Stephenson
        >>> Glicko2().expected_score([1500, 1500], 50, [1400, 1700], 200).round(3).tolist()
        [0.618, 0.276]
        >>> round(Stephenson(white_advantage=30).expected_score(1400, 40, 1500, 150, colour=1), 4)
        0.4106
        """
        plus = (self.white_advantage or 0.0) * np.asarray(colour, dtype=np.float64)
        return predicted(rating, error, opponent, opponent_error, plus)


@dataclass(frozen=True, slots=True, kw_only=True)
class FormRates(WithErrors):
    """The four calls of the systems with a spread.

    Parameters
    ----------
    start, start_error
        First rating and RD of a player about whom nothing is known.
    given
        Start players from their first rating in the source, if there is one.
    given_error
        RD of a rating that comes without one; 200 is what Stephenson (2012) gives to FIDE's.
    max_error
        RD never grows beyond this.
    period
        "day", "month", "quarter", "year", a number of days, "event" or "game"; None: months, or one
        period where no game has a date. Between events, or games, time is counted in months.
    on
        Read the ratings on the morning of this day; None: at the end of the last period.
    white_advantage
        Rating points.
    """

    plain: ClassVar[bool] = True
    own_error: ClassVar[str | None] = "rd"
    reckons_time: ClassVar[bool] = True
    carries: ClassVar[tuple[str, ...]] = ("error", "volatility", "last", "on")
    name: ClassVar[str]
    source: ClassVar[str]
    """Source of a step's formula."""
    grows: ClassVar[Literal["before", "after"]] = "before"
    """Whether uncertainty grows before a period's games are rated, or after."""
    at_least_zero: ClassVar[tuple[str, ...]] = ()
    """Constants that are 0 or more."""
    start: float = 1500.0
    start_error: float = 350.0
    given: bool = True
    given_error: float = 200.0
    max_error: float = 350.0
    period: str | int | None = None
    on: date | str | None = None
    white_advantage: float = 0.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "on", day(self.on))
        clock_of(self.period)
        if not abs(self.start) <= FARTHEST:
            raise UsageError(f"expected a finite start rating, within ± {FARTHEST:g}, found {self.start!r}")
        for name in ("start_error", "given_error", "max_error"):
            if not 0 < getattr(self, name) <= FARTHEST:
                raise UsageError(
                    f"expected {name} above 0 and up to {FARTHEST:g}, found {getattr(self, name)!r}"
                )
        least = {name: getattr(self, name) for name in self.at_least_zero}
        for name, value in {**least, "|white_advantage|": abs(self.white_advantage)}.items():
            if not 0 <= value <= FARTHEST:
                raise UsageError(f"expected {name} of 0 or more, up to {FARTHEST:g}; found {value!r}")
        if self.start_error > self.max_error or self.given_error > self.max_error:
            raise UsageError(
                f"expected start_error and given_error up to max_error, found {self.start_error:g}, "
                f"{self.given_error:g} and {self.max_error:g}"
            )

    @property
    def usual_volatility(self) -> float | None:
        """A newcomer's volatility; None where the system has none."""
        return None

    def extras(self) -> tuple[float, float]:
        """Return what a game gives for playing, and the share of the way to the opponents' average."""
        return 0.0, 0.0

    def pace(self, volatility: Any) -> Any:
        """Return what one period adds to RD², in points²; for one player or for an array of them."""
        raise NotImplementedError

    def run(self, line: Timeline, state: Forms) -> None:
        """Rate all games with the compiled kernel."""
        raise NotImplementedError

    def said(
        self, form: GlickoPlayer, meetings: Sequence[GlickoGame]
    ) -> tuple[tuple[float, ...], tuple[float, ...], float]:
        """Return g and E of each game, and Σ g² E (1 − E)."""
        weights = tuple(g(m.error) for m in meetings)
        plus = self.white_advantage
        E = tuple(expectation(form.rating - m.rating + m.colour * plus, m.error) for m in meetings)
        information = sum(w * w * e * (1 - e) for w, e in zip(weights, E, strict=True))
        return weights, E, max(information, LEAST_INFORMATION)

    def updated(self, form: GlickoPlayer, meetings: Sequence[GlickoGame], length: float) -> GlickoPlayer:  # noqa: ARG002
        """Return a player's form after the games of a period."""
        return self.step(form, meetings).form  # type: ignore[attr-defined, no-any-return]

    def begin(self, players: pl.DataFrame, before: Ratings | None = None) -> State:
        """Return everybody's form: from an earlier list, from the source, or a newcomer's."""
        return begin_forms(self, players, before)

    def advance(self, state: State, games: Games, *, trace: Trace | None = None) -> State:
        """Return everybody's form after the games, period by period."""
        state = admit(self, state, games.players)
        on = day(self.on)
        if trace is not None:
            trace.divide()
        if state.shared["until"] is not None and on is not None and _none_before(games, on):
            later = state.shared["later"] + games.table.filter(pl.col("status") == "played").height
            return state.changed({}, later=later)
        line = timeline(games, period=self.period, on=on)
        forms, shared = enter(self, state, games, line)
        seen = state.shared["seen"] + line.played.height
        if trace is not None:
            forms.sides = np.zeros((2 * line.played.height, 5))
        first = forms.rating.copy()
        line = later_by(line, shared["since"])
        if state.volume + line.played.height >= KERNEL_FROM and line.played.height:
            self.run(line, forms)
        elif line.played.height:
            walk(self, line, forms)
        if not bool(np.isfinite(forms.rating).all() and np.isfinite(forms.error).all()):
            raise UsageError(f"{self.name} found no ratings for these constants: choose less extreme ones")
        if trace is not None:
            trace.add(form_steps(self, line, forms, first, new=state.array("games") == 0))
        later = int((games.table["status"] == "played").sum()) - line.played.height
        mine, last = _counts(line.played, state)
        return state.changed(
            {
                "rating": forms.rating,
                "error": forms.error,
                "volatility": forms.volatility,
                "at": forms.at,
                "first": np.where(forms.known, shared.pop("first"), np.nan),
                "games": mine,
                "last": last,
            },
            **shared,
            seen=seen,
            volume=state.volume + line.played.height,
            later=state.shared["later"] + later,
            until=line.until,
            on=line.on,
            period=line.period,
        )

    def ratings(self, state: State, on: date | None = None) -> Ratings:
        """Return the list of everybody who has played or is on an earlier list, as of a day."""
        shared, rows = state.shared, state.rows
        error = errors_on(self, state, on)
        own = () if self.usual_volatility is None else ("volatility",)
        on = shared["on"] if on is None else on
        rows = rows.select(
            "player",
            "id",
            "rating",
            pl.Series("error", error),
            *own,
            "games",
            pl.col("first").fill_nan(None).alias("before"),
            (pl.col("rating") - pl.col("first")).fill_nan(None).alias("change"),
            "last",
            pl.lit(on, dtype=pl.Date).alias("on"),
        ).filter((pl.col("games") > 0) | rows["listed"])
        later = shared["later"]
        left_out = [f"games of {on} and later, left out: {later:,}"] if later else []
        told = shared["notes"]
        notes = [*_time_told(self, shared), *left_out, *told["list"], *told["start"]]
        return Ratings(
            system=self.name,
            rows=ranked(rows),
            parameters={**self.parameters(), "period": shared["period"], "on": on},
            source={"notes": notes, **({"later": later} if later else {})},
        )

    def expected(
        self, state: State, white: NDArray[Any], black: NDArray[Any], on: date | None = None
    ) -> NDArray[np.float64]:
        """Return White's expected score of games to come between rows of the state."""
        rating, error = state.rows["rating"].to_numpy(), errors_on(self, state, on)
        return np.asarray(
            self.expected_score(rating[white], error[white], rating[black], error[black], colour=1)
        )


def _none_before(games: Games, on: date) -> bool:
    dates = games.table["date"].drop_nulls()
    return bool(len(dates)) and bool((dates >= on).all())


def _counts(played: pl.DataFrame, state: State) -> tuple[NDArray[np.int64], pl.Series]:
    """Return everybody's games, and the day of the last one."""
    n = len(state)
    mine = state.array("games")
    for side in ("white", "black"):
        mine += np.bincount(played[side].to_numpy(), minlength=n)
    latest = state.rows["last"].to_numpy().astype("datetime64[D]")
    days = played["date"].to_numpy().astype("datetime64[D]")
    for side in ("white", "black"):
        # A day that is not known (NaT) is passed over.
        latest = _latest(latest, played[side].to_numpy(), days)
    return mine, pl.Series("last", latest)


def _latest(latest: NDArray[Any], player: NDArray[Any], days: NDArray[Any]) -> NDArray[Any]:
    """Return everybody's last day, of those known before and those of these games."""
    latest = latest.copy()
    np.fmax.at(latest, player, days)
    return latest


def _time_told(system: FormRates, shared: Mapping[str, Any]) -> list[str]:
    period = shared["period"]
    if period == "all" and shared["seen"]:
        return ["no game has a date: all of them are rated as one period"]
    if period in ("quarter", "year", "day") or period.endswith(" days"):
        return [
            (
                f"the constants of {system.name} are per period, and its usual ones are meant for months: "
                f"here the period is {period}"
            )
        ]
    return []


# A list with a spread, read on another day.


def list_on(system: FormRates, ratings: Ratings, on: date | str | None) -> Ratings:
    """Return the list on the morning of a later day, if nobody plays in between.

    Ratings stay; `error` grows from the day that each is of (`on`, or the period of the `last` game) as
    the system says. Where neither is known it stays, and where it is missing it is `given_error`.
    """
    on = day(on)
    clock = clock_of(system.period)
    at = moments(ratings.rows, clock or Clock(), whole=clock is not None)
    error = _column(ratings.rows, "error", system.given_error)
    volatility = _column(ratings.rows, "volatility", system.usual_volatility or 0.0)
    until = np.nan if on is None else (clock or Clock()).at(on)
    t = np.nan_to_num(np.maximum(0.0, until - at))
    grown = np.sqrt(error**2 + system.pace(volatility) * t)
    last = [days_of(ratings.rows["last"])] if "last" in ratings.rows.columns else []
    rows = ratings.rows.with_columns(
        *last,
        pl.Series("error", np.clip(grown, LEAST_ERROR, system.max_error)),
        pl.lit(on, dtype=pl.Date).alias("on"),
    )
    return replace(ratings, rows=rows, parameters={**ratings.parameters, "on": on})


def _column(rows: pl.DataFrame, name: str, usual: float) -> np.ndarray:
    if name not in rows.columns:
        return np.full(rows.height, usual)
    return rows[name].cast(pl.Float64).fill_null(usual).fill_nan(usual).to_numpy()
