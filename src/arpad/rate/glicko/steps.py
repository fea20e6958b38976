"""The Glicko family in plain steps: state, one period, volatility; the readable reference of the kernels."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from arpad.errors import UsageError
from arpad.rate.periods import Clock, clock_of, figures, finite, first_given, padded
from arpad.rate.system import State, list_rows

if TYPE_CHECKING:
    from datetime import date

    from numpy.typing import ArrayLike, NDArray

    from arpad.model import Games, Ratings
    from arpad.rate.glicko.rating import FormRates
    from arpad.rate.periods import Timeline


# What a rating with a spread knows of a player, and what one game says of it.
#
# Glicko, Glicko-2 and Stephenson's system share these: a rating, its standard deviation RD (`error` in a
# list), perhaps a volatility; and the formulas g and E, by which an opponent of whom little is known
# counts for less.

Q = math.log(10) / 400
"""q of the papers, per rating point: .0057565 as printed."""
SCALE = 400 / math.log(10)
"""Rating points in one unit of Glicko-2's own scale: 173.7178 as printed."""
LEAST_INFORMATION = 1e-12
"""Below this Σ g² E (1 − E) a player's games, all of them foregone conclusions, say nothing; without a
floor 1/v would be 1/0."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GlickoPlayer:
    """A player as a system sees him: rating, RD (rating points), volatility (Glicko-2's own scale)."""

    rating: float
    error: float
    volatility: float = 0.0

    def aged(self, pace: float, t: float, most: float) -> GlickoPlayer:
        """Return the form after t periods without a game: RD² + pace · t, never above `most`.

        Parameters
        ----------
        pace
            What one period adds to RD², in points².
        """
        return replace(self, error=min(math.sqrt(self.error**2 + pace * t), most))


@dataclass(frozen=True, slots=True, kw_only=True)
class GlickoGame:
    """One game seen from one side: the opponent's rating and RD, the points, the colour.

    `colour` is 1 with White, −1 with Black, 0 where it is not known.
    """

    rating: float
    error: float
    score: float
    colour: int = 0


def g(error: float) -> float:
    """Return how much a result against somebody with this RD counts: 1/√(1 + 3q² RD²/π²).

    Examples
    --------
    >>> [round(g(error), 4) for error in (30, 100, 300)]
    [0.9955, 0.9531, 0.7242]
    """
    return 1 / math.sqrt(1 + 3 * (Q * error / math.pi) ** 2)


def expectation(D: float, error: float) -> float:
    """Return E = 1/(1 + 10^(−g(RD) D/400)): D is the difference, RD the opponent's.

    Examples
    --------
    >>> round(expectation(1500 - 1400, 30), 3)
    0.639
    """
    return 0.5 + 0.5 * math.tanh(g(error) * D * Q / 2)


def predicted(
    rating: ArrayLike,
    error: ArrayLike,
    opponent: ArrayLike,
    opponent_error: ArrayLike,
    advantage: ArrayLike = 0.0,
) -> Any:
    """Return the expected score of games to come, where both ratings are uncertain.

    1/(1 + 10^(−g(√(RD² + RD_j²)) (r − r_j + advantage)/400)): a float for numbers, an array for arrays.

    Examples
    --------
    >>> round(predicted(1400, 40, 1500, 150), 4)
    0.3737
    """
    r, RD, r_j, RD_j, plus = (
        np.asarray(value, dtype=np.float64) for value in (rating, error, opponent, opponent_error, advantage)
    )
    if not all(bool(np.isfinite(value).all()) for value in (r, RD, r_j, RD_j, plus)):
        raise UsageError("expected ratings and errors that are numbers, found one that is not")
    if bool((RD < 0).any()) or bool((RD_j < 0).any()):
        raise UsageError("expected errors of 0 or more, found one below 0")
    weight = 1 / np.sqrt(1 + 3 * (Q / math.pi) ** 2 * (RD**2 + RD_j**2))
    result: NDArray[np.float64] = 0.5 + 0.5 * np.tanh(weight * (r - r_j + plus) * Q / 2)
    return float(result) if result.ndim == 0 else result


# The new volatility of Glicko-2: a root found by regula falsi, the Illinois way [step 5].

LEAST, MOST = 1e-4, 1.0
"""Volatilities that are believed, per √period: .02 to 174 rating points."""
TOLERANCE = 1e-12
"""ε, on the logarithm of σ². The paper's 1e-6 lets rounding decide after how many steps it is met, and so
shows in the rating's sixth decimal; the few steps more cost little."""
MOST_STEPS = 100
"""Far more than ever needed; constants that lead here make no sense."""


def new_volatility(sigma: float, *, phi: float, v: float, delta: float, tau: float) -> float:
    """Return σ′, where f(ln σ′²) = 0 for

        f(x) = e^x (Δ² − φ² − v − e^x) / (2 (φ² + v + e^x)²) − (x − ln σ²)/τ².

    At most `MOST`: a certain win that is lost has a root beyond all bounds, and would throw a rating
    away by as much. NaN if the iteration does not settle.

    Examples
    --------
    >>> round(new_volatility(0.06, phi=1.1513, v=1.7785, delta=-0.4834, tau=0.5), 6)
    0.059996
    """  # noqa: D400 - the formula is part of the sentence
    a = math.log(sigma**2)
    spread = phi**2 + v

    def f(x: float) -> float:
        e = math.exp(x)
        return e * (delta**2 - spread - e) / (2 * (spread + e) ** 2) - (x - a) / tau**2

    A = a
    if delta**2 > spread:
        B = math.log(delta**2 - spread)
    else:
        k = 1
        while f(a - k * tau) < 0:
            k += 1
        B = a - k * tau
    f_A, f_B = f(A), f(B)
    for _ in range(MOST_STEPS):
        if abs(B - A) <= TOLERANCE:
            return min(math.exp(A / 2), MOST)
        C = A + (A - B) * f_A / (f_B - f_A)
        f_C = f(C)
        if f_C * f_B <= 0:
            A, f_A = B, f_B
        else:
            f_A /= 2
        B, f_B = C, f_C
    return math.nan


# Where everybody stands before the first game: rating, RD, volatility, and of when that is.

LEAST_ERROR = 1.0
"""Smallest RD of a list, in rating points: nobody is known better, and 1/RD² stays finite."""


@dataclass(slots=True)
class Forms:
    """Everybody's form, in arrays that change as games are rated.

    `at` is the time that each form is of, NaN for newcomers and for ratings without a date: for them no
    time passes before their first period.
    """

    rating: NDArray[np.float64]
    error: NDArray[np.float64]
    volatility: NDArray[np.float64]
    at: NDArray[np.float64]
    known: NDArray[np.bool_]
    listed: NDArray[np.bool_] = field(default_factory=lambda: np.zeros(0, dtype=np.bool_))
    """Players whose rating comes from an earlier list."""
    sides: NDArray[np.float64] | None = None
    """Two rows a game where the way is to be told: rating, opponent's rating, g, E, RD² after it."""

    def form(self, player: int) -> GlickoPlayer:
        """Return one player's form."""
        return GlickoPlayer(
            rating=float(self.rating[player]),
            error=float(self.error[player]),
            volatility=float(self.volatility[player]),
        )

    def put(self, player: int, form: GlickoPlayer, at: float) -> None:
        """Set one player's form."""
        self.rating[player], self.error[player] = form.rating, form.error
        self.volatility[player], self.at[player] = form.volatility, at


def begin_forms(system: FormRates, players: pl.DataFrame, before: Ratings | None) -> State:
    """Return everybody's form: from an earlier list, from the source, or a newcomer's."""
    rows = list_rows(players, before)
    n, here = len(rows), players.height
    listed = finite(figures(rows, "rating"))
    rating = listed
    if system.given:
        own = players["rating"].cast(pl.Float64).to_numpy()
        rating = np.where(np.isnan(listed), padded(finite(own), n), listed)
    known = ~np.isnan(rating)
    error, volatility = finite(figures(rows, "error")), finite(figures(rows, "volatility"))
    days = [rows[name] for name in ("last", "on") if name in rows.columns]
    unread = sum(days_of(c[:here]).null_count() - c[:here].null_count() for c in days)
    clock = clock_of(system.period)
    at = (
        moments(pl.DataFrame(days), clock or Clock(), whole=clock is not None) if days else np.full(n, np.nan)
    )
    notes = _list_notes(system, listed[:here], error[:here], volatility[:here])
    error = np.where(np.isnan(error), system.given_error, error)
    usual = 0.0 if system.usual_volatility is None else system.usual_volatility
    sound = (volatility >= LEAST) & (volatility <= MOST)
    last = days_of(rows["last"]) if "last" in rows.columns else pl.Series([None] * n, dtype=pl.Date)
    columns = rows.select("player", "id", pl.Series("listed", ~np.isnan(listed))).with_columns(
        pl.Series("rating", np.where(known, rating, system.start)),
        pl.Series(
            "error", np.where(known, np.clip(error, LEAST_ERROR, system.max_error), system.start_error)
        ),
        pl.Series("volatility", np.where(sound, volatility, usual)),
        pl.Series("at", np.where(np.isnan(listed), np.nan, at)),
        pl.Series("first", rating),
        pl.Series("games", np.zeros(n, dtype=np.int64)),
        last.alias("last"),
    )
    shared = {
        "seen": 0,
        "later": 0,
        "until": None,
        "on": None,
        "period": "all",
        "dated": None,
        "since": 0.0,
        "unread": unread,
        "notes": {"list": notes, "start": []},
    }
    return State(system.name, columns, shared)


def enter(system: FormRates, state: State, games: Games, line: Timeline) -> tuple[Forms, dict[str, Any]]:
    """Return everybody's form before these games, and what is to be known of the state after them."""
    rating, error, volatility, at, first = (
        state.array(name) for name in ("rating", "error", "volatility", "at", "first")
    )
    shared, dated = state.shared, line.on is not None
    if system.given:
        new = np.isnan(first) & (state.rows["games"].to_numpy() == 0)
        given = padded(finite(first_given(games, line.played)), len(state))
        new &= ~np.isnan(given)
        rating[new] = first[new] = given[new]
        error[new] = min(max(system.given_error, LEAST_ERROR), system.max_error)
    if shared["dated"] not in (None, dated) or not (dated or shared["seen"]):
        at[:] = np.nan  # times with and without dates are no line
    since = 0.0 if dated or shared["until"] is None or shared["dated"] else float(shared["until"])
    notes = shared["notes"]
    listed = state.rows["listed"].to_numpy()
    if not shared["seen"]:
        here = games.players.height
        result = []
        if len(line.end) and dated and bool((at[:here][listed[:here]] > line.end[0]).any()):
            result.append(LATER_LIST)
        if shared["unread"] and dated:
            result.append(
                f"dates on the list that do not look like 2016-07-01, left out: {shared['unread']:,}"
            )
        notes = {**notes, "start": [*result, *_far_start(system, first[:here])]}
    forms = Forms(
        rating=rating, error=error, volatility=volatility, at=at, known=~np.isnan(first), listed=listed
    )
    return forms, {"first": first, "dated": dated, "since": since, "notes": notes}


def later_by(line: Timeline, since: float) -> Timeline:
    """Return games without dates behind those that were rated before."""
    if not since:
        return line
    return replace(line, start=line.start + since, end=line.end + since, until=line.until + since)


def errors_on(system: FormRates, state: State, on: date | None) -> NDArray[np.float64]:
    """Return everybody's RD on the morning of a day; None: when the last period ended."""
    until = state.shared["until"]
    if on is not None:
        until = (clock_of(system.period) or Clock()).at(on)
    rows = state.rows
    at = rows["at"].to_numpy()
    t = np.zeros(len(rows)) if until is None else np.nan_to_num(np.maximum(0.0, until - at))
    volatility = rows["volatility"].to_numpy()
    grown = np.sqrt(rows["error"].to_numpy() ** 2 + system.pace(volatility) * t)
    return np.asarray(np.minimum(grown, system.max_error))


def moments(rows: pl.DataFrame, clock: Clock, *, whole: bool) -> NDArray[np.float64]:
    """Return the time that each rating of a list is of.

    Its column `on`; else the end of the period of the player's `last` game; else NaN.

    Parameters
    ----------
    whole
        Periods are of the calendar: what was played in one counts at its end.
    """
    at = np.full(rows.height, np.nan)
    if "last" in rows.columns:
        at = clock.position(days_of(rows["last"]))
        at = np.floor(at) + 1 if whole else at
    if "on" in rows.columns:
        on = clock.position(days_of(rows["on"]))
        at = np.where(np.isnan(on), at, on)
    return at


def days_of(values: pl.Series) -> pl.Series:
    """Return a column of days from a list, null where it is none."""
    if values.dtype == pl.String:
        return values.str.to_date("%Y-%m-%d", strict=False)
    return values.cast(pl.Date, strict=False)


LATER_LIST = (
    "the list is of a later day than the first of these games: no time passes for its players until then"
)


def _list_notes(
    system: FormRates,
    listed: NDArray[np.float64],
    error: NDArray[np.float64],
    volatility: NDArray[np.float64],
) -> list[str]:
    """Return what a list leaves out or says too much of, in words."""
    result = []
    rated = ~np.isnan(listed)
    if count := int((rated & (error > system.max_error)).sum()):
        most = f"{system.max_error:g}"
        result.append(f"errors on the list above {most} points, taken as {most}: {count:,}")
    if count := int((rated & np.isnan(error)).sum()):
        result.append(
            f"ratings on the list without an error, taken as {system.given_error:g} points: {count:,}"
        )
    sound = (volatility >= LEAST) & (volatility <= MOST)
    if system.usual_volatility is not None and (count := int((rated & ~sound).sum())):
        result.append(
            f"volatilities on the list that are missing or not from {LEAST:g} to {MOST:g}, taken as "
            f"{system.usual_volatility:g}: {count:,}"
        )
    return result


def _far_start(system: FormRates, rating: NDArray[np.float64]) -> tuple[str, ...]:
    """Say when newcomers start so far from the others that one period may throw them anywhere."""
    known = rating[~np.isnan(rating)]
    if not 0 < len(known) < len(rating):
        return ()
    mean = float(known.mean())
    if abs(mean - system.start) <= system.start_error:
        return ()
    return (
        (
            f"newcomers start at {system.start:g} ± {system.start_error:g}, and players with a given rating "
            f"have {mean:.0f} on average: a start of {mean:.0f} (or the strength of new players) avoids large jumps"
        ),
    )


# Period by period, player by player: the readable reference of the compiled loops.
#
# `glicko_kernels` does the same on arrays; a property test says that they agree. Small inputs are rated
# here, so that nobody waits for a compiler.


def walk(system: FormRates, line: Timeline, state: Forms) -> None:
    """Rate the games; `state` changes along the way."""
    white, black = line.played["white"].to_list(), line.played["black"].to_list()
    score = line.played["score"].to_list()
    for period, (a, b) in enumerate(pairwise(line.first.tolist())):
        start, end = float(line.start[period]), float(line.end[period])
        met: dict[int, list[tuple[int, float, int]]] = {}
        rows: dict[int, list[int]] = {}
        for game in range(a, b):
            met.setdefault(white[game], []).append((black[game], score[game], 1))
            met.setdefault(black[game], []).append((white[game], 1 - score[game], -1))
            rows.setdefault(white[game], []).append(2 * game)
            rows.setdefault(black[game], []).append(2 * game + 1)
        # Everybody enters the period before anybody's games are looked at.
        until = end if system.grows == "before" else start
        entering = {}
        for player in met:
            form, at = state.form(player), state.at[player]
            t = 0.0 if math.isnan(at) else max(0.0, until - at)
            entering[player] = form.aged(system.pace(form.volatility), t, system.max_error)
        for player, games in met.items():
            at = state.at[player]
            length = end - (start if math.isnan(at) else max(start, at))
            meetings = [
                GlickoGame(
                    rating=entering[opponent].rating,
                    error=entering[opponent].error,
                    score=points,
                    colour=colour,
                )
                for opponent, points, colour in games
            ]
            form = system.updated(entering[player], meetings, max(0.0, length))
            if state.sides is not None:
                old = entering[player].rating
                plus = system.white_advantage
                state.sides[rows[player]] = [
                    (old, m.rating, g(m.error), _expected(old, m, plus), form.error**2) for m in meetings
                ]
            state.put(player, form, max(end, at) if at == at else end)  # noqa: PLR0124 - not NaN


def _expected(rating: float, game: GlickoGame, advantage: float) -> float:
    return expectation(rating - game.rating + game.colour * advantage, game.error)
