"""From games to a list with a spread: what Glicko, Glicko-2 and Stephenson's system do alike."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal, Protocol

import numpy as np
import polars as pl

from arpad.errors import UsageError
from arpad.model import Ratings
from arpad.rate.form_state import Forms, forms
from arpad.rate.form_walk import walk
from arpad.rate.timeline import Timeline, clock_of, day, timeline

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import date

    from numpy.typing import NDArray

    from arpad.model import Games
    from arpad.rate.form import Form, Meeting

__all__ = ["FormSystem", "check", "rate_forms", "run_forms"]

FARTHEST = 1e5
"""No constant in rating points is larger; squares of larger ones leave the range of numbers."""

KERNEL_FROM = 40_000
"""Games from which on the compiled kernel pays: loading it costs about half a second."""


class FormSystem(Protocol):
    """A system that keeps a rating and an RD, and does so period by period."""

    @property
    def name(self) -> str: ...  # noqa: D102
    @property
    def grows(self) -> Literal["before", "after"]:
        """Whether a period's own uncertainty is added before its games are rated, or after."""
        ...

    @property
    def start(self) -> float: ...  # noqa: D102
    @property
    def start_error(self) -> float: ...  # noqa: D102
    @property
    def given_error(self) -> float: ...  # noqa: D102
    @property
    def max_error(self) -> float: ...  # noqa: D102
    @property
    def given(self) -> bool: ...  # noqa: D102
    @property
    def period(self) -> str | int | None: ...  # noqa: D102
    @property
    def on(self) -> date | str | None: ...  # noqa: D102
    @property
    def white_advantage(self) -> float: ...  # noqa: D102
    @property
    def usual_volatility(self) -> float | None:
        """A newcomer's volatility; None where the system has none."""
        ...

    def parameters(self) -> dict[str, object]:
        """Return every constant by name."""
        ...

    def pace(self, volatility: Any) -> Any:
        """Return what one period adds to RD², in points²; for one player or for an array of them."""
        ...

    def updated(self, form: Form, meetings: Sequence[Meeting], length: float) -> Form:
        """Return a player's form after the games of a period."""
        ...

    def run(self, line: Timeline, state: Forms) -> None:
        """Rate all games with the compiled kernel."""
        ...


def check(
    system: FormSystem, *, least: Mapping[str, float], above: Mapping[str, float] | None = None
) -> None:
    """Refuse constants that no rating can be computed with."""
    clock_of(system.period)
    if not abs(system.start) <= FARTHEST:
        raise UsageError(
            f"expected a finite start rating, within ± {FARTHEST:g}, found {system.start!r}"
        )
    errors = {name: getattr(system, name) for name in ("start_error", "given_error", "max_error")}
    for name, value in {**errors, **(above or {})}.items():
        if not 0 < value <= FARTHEST:
            raise UsageError(f"expected {name} above 0 and up to {FARTHEST:g}, found {value!r}")
    for name, value in least.items():
        if not 0 <= value <= FARTHEST:
            raise UsageError(f"expected {name} of 0 or more, up to {FARTHEST:g}; found {value!r}")
    if system.start_error > system.max_error or system.given_error > system.max_error:
        raise UsageError(
            f"expected start_error and given_error up to max_error, found {system.start_error:g}, "
            f"{system.given_error:g} and {system.max_error:g}"
        )


def rate_forms(system: FormSystem, games: Games, before: Ratings | None) -> Ratings:
    """Rate the games that were played, and read everybody's form on the day asked for."""
    return run_forms(system, games, before)[0]


def run_forms(
    system: FormSystem, games: Games, before: Ratings | None, *, told: bool = False
) -> tuple[Ratings, Timeline, Forms, NDArray[np.float64]]:
    """Return the ratings, the periods, everybody's form at the end, and the ratings at first.

    Parameters
    ----------
    told
        Write down both sides of every game, in `sides` of the forms.
    """
    line = timeline(games, period=system.period, on=day(system.on))
    state = forms(system, games, line, before)
    first = state.rating.copy()
    if told:
        state.sides = np.zeros((2 * line.played.height, 5))
    if line.played.height >= KERNEL_FROM:
        system.run(line, state)
    elif line.played.height:
        walk(system, line, state)
    if not bool(np.isfinite(state.rating).all() and np.isfinite(state.error).all()):
        raise UsageError(f"{system.name} found no ratings for these constants: take milder ones")
    parameters = {**system.parameters(), "period": line.period, "on": line.on}
    rows = _rows(system, games, line, state, first)
    ratings = Ratings.rank(rows, system=system.name, parameters=parameters, games=games)
    status, later = dict(ratings.source["status"]), 0
    if status.get("played", 0) > line.played.height:
        later = status["played"] - line.played.height
        status = {**status, "played": line.played.height, "later": later}
    left_out = [f"games of {line.on} and later, left out: {later:,}"] if later else []
    notes = [*_time_told(system, line), *left_out, *state.notes]
    rated = replace(ratings, source={**ratings.source, "status": status, "notes": notes})
    return rated, line, state, first


def _rows(
    system: FormSystem, games: Games, line: Timeline, state: Forms, first: np.ndarray
) -> pl.DataFrame:
    n = games.players.height
    white, black = (line.played[side].to_numpy() for side in ("white", "black"))
    mine = np.bincount(white, minlength=n) + np.bincount(black, minlength=n)
    t = np.maximum(0.0, np.where(np.isnan(state.at), 0.0, line.until - state.at))
    error = np.sqrt(state.error**2 + system.pace(state.volatility) * t)
    own = {} if system.usual_volatility is None else {"volatility": state.volatility}
    rows = pl.DataFrame(
        {
            "player": games.players["name"],
            "id": games.players["id"],
            "rating": state.rating,
            "error": np.minimum(error, system.max_error),
            **own,
            "games": mine,
            "before": np.where(state.known, first, np.nan),
            "change": np.where(state.known, state.rating - first, np.nan),
            "last": _last(line.played, n),
        }
    ).with_columns(
        pl.col("before", "change").fill_nan(None), pl.lit(line.on, dtype=pl.Date).alias("on")
    )
    return rows.filter(pl.col("games") > 0)


def _last(played: pl.DataFrame, n: int) -> pl.Series:
    """Return the day of everybody's last game."""
    latest = np.full(n, np.iinfo(np.int32).min, dtype=np.int64)
    days = played["date"].to_physical().cast(pl.Int64)
    known = days.is_not_null()
    for side in ("white", "black"):
        np.maximum.at(latest, played[side].filter(known).to_numpy(), days.filter(known).to_numpy())
    return (
        pl.Series("last", latest)
        .set(pl.Series(latest == np.iinfo(np.int32).min), None)
        .cast(pl.Int32)
        .cast(pl.Date)
    )


def _time_told(system: FormSystem, line: Timeline) -> list[str]:
    if line.period == "all" and line.played.height:
        return ["no game has a date: all of them are rated as one period"]
    if line.period in ("quarter", "year", "day") or line.period.endswith(" days"):
        return [
            (
                f"the constants of {system.name} are per period, and its usual ones are meant for months: "
                f"here the period is {line.period}"
            )
        ]
    return []
