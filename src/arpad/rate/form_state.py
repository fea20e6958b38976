"""Where everybody stands before the first game: rating, RD, volatility, and of when that is."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from arpad.rate.form import Form
from arpad.rate.start import first_given, known_before
from arpad.rate.volatility import LEAST, MOST

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from arpad.model import Games, Ratings
    from arpad.rate.form_rating import FormSystem
    from arpad.rate.timeline import Clock, Timeline

__all__ = ["LEAST_ERROR", "Forms", "days_of", "forms", "moments"]

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
    notes: tuple[str, ...] = ()
    listed: NDArray[np.bool_] = field(default_factory=lambda: np.zeros(0, dtype=np.bool_))
    """Who has the rating from an earlier list."""
    sides: NDArray[np.float64] | None = None
    """Two rows a game where the way is to be told: rating, opponent's rating, g, E, RD² after it."""

    def form(self, player: int) -> Form:
        """Return one player's form."""
        return Form(
            rating=float(self.rating[player]),
            error=float(self.error[player]),
            volatility=float(self.volatility[player]),
        )

    def put(self, player: int, form: Form, at: float) -> None:
        """Set one player's form."""
        self.rating[player], self.error[player] = form.rating, form.error
        self.volatility[player], self.at[player] = form.volatility, at


def forms(system: FormSystem, games: Games, line: Timeline, before: Ratings | None) -> Forms:
    """Return everybody's form: from an earlier list, from the source, or a newcomer's."""
    listed = _finite(known_before(games, before, "rating"))
    rating = listed
    if system.given:
        rating = np.where(np.isnan(listed), _finite(first_given(games, line.played)), listed)
    known = ~np.isnan(rating)
    error = _finite(known_before(games, before, "error"))
    volatility = _finite(known_before(games, before, "volatility"))
    at, unread = np.full(len(rating), np.nan), 0
    if before is not None and line.on is not None:
        days = [before.lookup(games.players, name) for name in ("last", "on")]
        unread = sum(days_of(column).null_count() - column.null_count() for column in days)
        at = moments(pl.DataFrame(days), line.clock, whole=line.period not in ("event", "game"))
    notes = (
        *_notes(system, line, listed, error, volatility, at),
        *([f"days on the list that are not as 2016-07-01, left out: {unread:,}"] if unread else []),
        *_far_start(system, rating),
    )
    error = np.where(np.isnan(error), system.given_error, error)
    usual = 0.0 if system.usual_volatility is None else system.usual_volatility
    sound = (volatility >= LEAST) & (volatility <= MOST)
    return Forms(
        rating=np.where(known, rating, system.start),
        error=np.where(known, np.clip(error, LEAST_ERROR, system.max_error), system.start_error),
        volatility=np.where(sound, volatility, usual),
        at=np.where(np.isnan(listed), np.nan, at),
        known=known,
        notes=notes,
        listed=~np.isnan(listed),
    )


def _finite(values: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.where(np.isfinite(values), values, np.nan)


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


def _notes(
    system: FormSystem,
    line: Timeline,
    listed: NDArray[np.float64],
    error: NDArray[np.float64],
    volatility: NDArray[np.float64],
    at: NDArray[np.float64],
) -> tuple[str, ...]:
    """Return what a list leaves out or says too much of, in words."""
    found = []
    rated = ~np.isnan(listed)
    if count := int((rated & (error > system.max_error)).sum()):
        most = f"{system.max_error:g}"
        found.append(f"errors on the list above {most} points, taken as {most}: {count:,}")
    if count := int((rated & np.isnan(error)).sum()):
        found.append(
            f"ratings on the list without an error, taken as {system.given_error:g} points: {count:,}"
        )
    sound = (volatility >= LEAST) & (volatility <= MOST)
    if system.usual_volatility is not None and (count := int((rated & ~sound).sum())):
        found.append(
            f"volatilities on the list that are missing or not from {LEAST:g} to {MOST:g}, taken as "
            f"{system.usual_volatility:g}: {count:,}"
        )
    if len(line.end) and bool((at[rated] > line.end[0]).any()):
        found.append(
            "the list is of a later day than the first of these games: no time passes for its players "
            "until then"
        )
    return tuple(found)


def _far_start(system: FormSystem, rating: NDArray[np.float64]) -> tuple[str, ...]:
    """Say when newcomers start so far from the others that one period may throw them anywhere."""
    known = rating[~np.isnan(rating)]
    if not 0 < len(known) < len(rating):
        return ()
    mean = float(known.mean())
    if abs(mean - system.start) <= system.start_error:
        return ()
    return (
        (
            f"newcomers start at {system.start:g} ± {system.start_error:g}, and those who come with a rating "
            f"have {mean:.0f} on average: --start {mean:.0f} (or what newcomers are worth) spares them wild leaps"
        ),
    )
