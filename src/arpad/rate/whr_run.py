"""From games to fitted curves: which games count, what is held before them, what is worth saying."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from arpad.errors import UsageError
from arpad.rate.form_state import LEAST_ERROR, days_of
from arpad.rate.start import known_before
from arpad.rate.whr_fit import Fit, fit
from arpad.rate.whr_points import Points, Priors, lay_out

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from arpad.model import Games, Ratings
    from arpad.rate.whr import Whr

__all__ = ["USUAL_START", "Run", "beside_first", "hold", "run"]

USUAL_START = 1500.0
"""Where newcomers start when nobody comes with a rating."""

MOST_ERROR = 1000.0
"""Points: of a rating with a larger error nothing is known."""

EPOCH = date(1970, 1, 1)
NO_DATES = "no game has a date: all of them are rated as of one day"


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """Fitted curves and where they come from.

    Parameters
    ----------
    priors
        What was held of everybody before the first game.
    later
        Games left out because they are of the day of the list or later.
    """

    points: Points
    fit: Fit
    priors: Priors
    dated: bool
    on: date | None
    later: int
    notes: tuple[str, ...]

    @property
    def morning(self) -> int:
        """The day of the list, counted from 1970."""
        return 0 if self.on is None else (self.on - EPOCH).days

    def settled(self) -> dict[str, object]:
        """Return the constants that were found on the way."""
        return {
            "start": self.priors.level,
            "white_advantage": self.fit.white_advantage,
            "on": self.on,
        }

    def told(self) -> dict[str, object]:
        """Return how the fit went."""
        return {
            "points": len(self.points),
            "steps": self.fit.steps,
            "passes": self.fit.passes,
            "change": self.fit.change,
            "converged": self.fit.converged,
        }


def run(system: Whr, games: Games, before: Ratings | None = None) -> Run:
    """Fit all curves to the games that were played."""
    on = system.on if not isinstance(system.on, str) else None
    played, dated, later = _played(games, on)
    days = played["_day"].to_numpy().astype(np.int64)
    if on is None and dated and len(days):
        last = EPOCH + timedelta(days=int(days.max()))
        on = last + timedelta(days=1) if last < date.max else last
    priors, notes = _priors(system, games, played, before)
    white, black = (played[side].to_numpy().astype(np.int64) for side in ("white", "black"))
    points = lay_out(white, black, played["score"].to_numpy(), days, priors, w2=system.w2)
    fitted = fit(points, white_advantage=system.white_advantage, tolerance=system.tolerance)
    if not fitted.converged:
        notes.append(
            f"the ratings did not settle: the last of {fitted.steps} steps still changed one by "
            f"{fitted.change:.3g} points"
        )
    if later:
        notes.append(f"games of {on} and later, left out: {later:,}")
    if played.height and not dated:
        notes.append(NO_DATES)
    return Run(
        points=points,
        fit=fitted,
        priors=priors,
        dated=dated,
        on=on,
        later=later,
        notes=tuple(notes),
    )


def _played(games: Games, on: date | None) -> tuple[pl.DataFrame, bool, int]:
    """Return the games before a day with their own, whether they have dates, and how many are later."""
    played = games.rateable()
    dated = played["date"].null_count() < played.height
    # A game without a date stays with the one before it; the first ones with the first that has one.
    filled = pl.col("date").forward_fill().backward_fill()
    played = played.with_columns(filled.to_physical().fill_null(0).alias("_day"))
    if on is None or not played.height:
        return played, dated, 0
    if not dated:
        raise UsageError(f"ratings on {on} need the dates of the games, and none is given")
    kept = played.filter(pl.col("_day") < (on - EPOCH).days)
    if not kept.height:
        first = EPOCH + timedelta(days=int(played["_day"].min()))  # type: ignore[arg-type]
        raise UsageError(f"nobody has played before {on}: the first game is of {first}")
    return kept, dated, played.height - kept.height


def _priors(
    system: Whr, games: Games, played: pl.DataFrame, before: Ratings | None
) -> tuple[Priors, list[str]]:
    """Return what is held of everybody, and what is worth saying of it."""
    listed = _finite(known_before(games, before, "rating"))
    error = _finite(known_before(games, before, "error"))
    notes = []
    if count := int((~np.isnan(listed) & np.isnan(error)).sum()):
        notes.append(
            f"ratings on the list without an error, taken as {system.given_error:g} points: {count:,}"
        )
    error = np.where(np.isnan(error), system.given_error, error)
    if before is not None:
        error = np.sqrt(error**2 + system.w2 * _waited(games, played, before))
    given = beside_first(games, played) if system.given else np.full(len(listed), np.nan)
    own = np.where(np.isnan(listed), system.given_error, error)
    held = np.where(np.isnan(listed), given, listed)
    return hold(system, held, own), notes


def hold(system: Whr, held: NDArray[np.float64], error: NDArray[np.float64]) -> Priors:
    """Return what is held of everybody; newcomers start where the system says, or at the others' mean."""
    known = ~np.isnan(held)
    level = system.start
    if level is None:
        level = float(held[known].mean()) if known.any() else USUAL_START
    error = np.where(known, np.clip(error, LEAST_ERROR, MOST_ERROR), np.nan)
    return Priors(held=held, error=error, level=level, draws=system.prior)


def beside_first(games: Games, played: pl.DataFrame) -> NDArray[np.float64]:
    """Return the rating that the source gives each player before the first game, NaN for none.

    That is the player's own entry (an event file has one), else what stands beside the first game. A
    rating that comes only later says nothing of the strength at first.
    """
    own = _finite(games.players["rating"].to_numpy().astype(np.float64))
    if played["white_rating"].null_count() == played.height == played["black_rating"].null_count():
        return own
    sides = [
        played.select(pl.col(side).alias("player"), pl.col(f"{side}_rating").alias("rating"), at=pl.int_range(pl.len()))
        for side in ("white", "black")
    ]  # fmt: skip
    earliest = pl.concat(sides).sort("at").unique("player", keep="first", maintain_order=True)
    found = np.full(games.players.height, np.nan)
    found[earliest["player"].to_numpy()] = earliest["rating"].fill_null(np.nan).to_numpy()
    return np.where(np.isnan(own), _finite(found), own)


def _waited(games: Games, played: pl.DataFrame, before: Ratings) -> NDArray[np.float64]:
    """Return the days from an earlier list to everybody's first game; 0 where either is not known."""
    listed = np.full(games.players.height, np.nan)
    for name in ("last", "on"):
        days = days_of(before.lookup(games.players, name)).to_physical().cast(pl.Float64)
        listed = np.where(days.is_null().to_numpy(), listed, days.fill_null(np.nan).to_numpy())
    first = np.full(games.players.height, np.inf)
    if played["date"].null_count() < played.height:
        for side in ("white", "black"):
            np.minimum.at(first, played[side].to_numpy(), played["_day"].to_numpy())
    waited = first - listed
    return np.where(np.isfinite(waited), np.maximum(waited, 0.0), 0.0)


def _finite(values: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.where(np.isfinite(values), values, np.nan)
