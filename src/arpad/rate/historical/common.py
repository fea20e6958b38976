"""Common parts of the systems before Elo: start ratings, groups of games, scales."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, get_args

import numpy as np
import polars as pl

from arpad.errors import UsageError
from arpad.rate.periods import Period, first_given, period_numbers

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from arpad.rate.list_system import Entrants
    from arpad.rate.system import State


# What the systems before Elo's share: where players start, which games go together, the list.
#
# The five of them are Ingo, Harkness, the British grades, the CCLA's and Berkin's [8.5, 8.6].


def check(
    *,
    period: Period | None = None,
    choices: Mapping[str, tuple[str, tuple[str, ...]]] | None = None,
    positive: Mapping[str, float | None] | None = None,
    start: float = 0.0,
) -> None:
    """Refuse constants that no rating can be computed with."""
    if period is not None and period not in get_args(Period):
        raise UsageError(f"expected a period, one of {', '.join(get_args(Period))}; found {period!r}")
    for name, (value, known) in (choices or {}).items():
        if value not in known:
            raise UsageError(f"expected {name} to be one of {', '.join(known)}; found {value!r}")
    for name, number in (positive or {}).items():
        if number is not None and not (math.isfinite(number) and number > 0):
            raise UsageError(f"expected {name} above 0, found {number!r}")
    if not math.isfinite(start):
        raise UsageError(f"expected a finite start rating, found {start!r}")


def starting(
    here: Entrants,
    played: pl.DataFrame,
    *,
    given: bool,
    native: Native | None = None,
    in_native: bool = False,
) -> NDArray[np.float64]:
    """Return everybody's rating before the first game, NaN for newcomers.

    From an earlier list, else from the source.

    Parameters
    ----------
    native
        The system's own numbers. A list that has them is read by them.
    in_native
        Ratings in the source, and in a list without that column, are such numbers.
    """

    def points(numbers: NDArray[np.float64]) -> NDArray[np.float64]:
        known, ratings = np.isfinite(numbers), np.full(len(numbers), np.nan)
        ratings[known] = numbers[known] if native is None else native.rating(numbers[known])
        return ratings

    def read(numbers: NDArray[np.float64]) -> NDArray[np.float64]:
        return points(numbers) if in_native else np.where(np.isfinite(numbers), numbers, np.nan)

    ratings = np.full(len(here.place), np.nan)
    if native is not None:
        ratings = points(here.figures(native.column))
    ratings = np.where(np.isnan(ratings), read(here.figures("rating")), ratings)
    if given:
        ratings = np.where(np.isnan(ratings), read(first_given(here.games, played)), ratings)
    return ratings


def in_periods(
    played: pl.DataFrame, period: Period | None, *, usual: Period, gaps: bool = False
) -> tuple[pl.DataFrame, NDArray[np.int64], str]:
    """Return the games in the order of their periods, their numbers, and what a period was.

    Parameters
    ----------
    period
        None: the system's `usual` one if the games tell it; for games that name no event their months;
        for games without dates all of them together ("all").
    gaps
        Number the periods of the calendar without games too.
    """
    known = {name: played[name].null_count() < played.height for name in ("event", "date")}
    chosen: str = period or usual
    if period is None and chosen == "event" and not known["event"]:
        chosen = "month"
    if period is None and chosen != "event" and not known["date"]:
        chosen = "all"
    if chosen in ("all", "game"):
        each = np.zeros if chosen == "all" else np.arange
        return played, np.asarray(each(played.height), dtype=np.int64), chosen
    needed = "event" if chosen == "event" else "date"
    if played.height and not known[needed]:
        raise UsageError(f"the period {chosen!r} needs the {needed} of the games, and none is given")
    played, numbers = period_numbers(played, chosen, gaps=gaps)  # type: ignore[arg-type]
    return played, numbers.to_numpy(), chosen


def after(
    here: Entrants,
    played: pl.DataFrame,
    *,
    parameters: Mapping[str, object],
    before: NDArray[np.float64],
    ratings: NDArray[np.float64],
    error: NDArray[np.float64],
    native: Native | None = None,
    more: Mapping[str, NDArray[np.generic] | pl.Series] | None = None,
) -> State:
    """Return the state after the games; NaN is nobody's rating."""
    n = len(here.place)
    mine = sum(np.bincount(played[side].to_numpy(), minlength=n) for side in ("white", "black"))
    own: dict[str, NDArray[np.float64]] = {}
    if native is not None:
        own[native.column] = np.full(n, np.nan)
        rated = ~np.isnan(ratings)
        own[native.column][rated] = native.number(ratings[rated])
    rows = pl.DataFrame(
        {
            "rating": ratings,
            "error": np.where(np.isnan(ratings), np.nan, error),
            **own,
            "games": np.asarray(mine, dtype=np.int64),
            "before": before,
            "change": ratings - before,
            **(more or {}),
        }
    )
    return here.after(rows.with_columns(pl.col(pl.Float64).fill_nan(None)), parameters=parameters)


# A system's own numbers beside the rating points that all systems here share.
#
# Ingo numbers fall as strength rises, British grades stop at about 250, Berkin's ratios run to millions.
# `rating` is always in Elo's points, best highest, so that lists and predictions can be compared; the
# number that the system itself prints stands in a column of its own.

WIDEST = 50_000.0
"""Rating points beyond which a direct ratio no longer fits into a number."""


class Native(Protocol):
    """From rating points to a system's own number, and back."""

    @property
    def column(self) -> str:
        """Name of the number on a list."""
        ...

    def number(self, rating: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the system's own numbers for rating points."""
        ...

    def rating(self, number: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return rating points for the system's own numbers."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Straight:
    """Rating = zero + unit × number.

    Parameters
    ----------
    zero
        The rating of somebody whose number is 0.
    unit
        Rating points in one point of the number; below 0 if small numbers are good.
    """

    column: str
    zero: float
    unit: float

    def number(self, rating: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the system's own numbers for rating points."""
        return (rating - self.zero) / self.unit

    def rating(self, number: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return rating points for the system's own numbers."""
        return self.zero + self.unit * number


@dataclass(frozen=True, slots=True, kw_only=True)
class Direct:
    """The direct ratio scale: the ratio of two numbers is the odds [8.71].

    The book's table sets 1000 beside 1,000, 2000 beside 316,200 and 2700 beside 17,780,000: 400 points
    are a factor of ten, and 1000 is the same on both scales.

    Examples
    --------
    >>> Direct().number(np.array([1000.0, 2000.0, 2700.0])).round().astype(int).tolist()
    [1000, 316228, 17782794]
    """

    column: str = "ratio"
    same: float = 1000.0
    tenfold: float = 400.0

    def number(self, rating: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return ratios for rating points."""
        if bool(np.any(np.abs(rating) > WIDEST)):
            raise UsageError(f"expected ratings within {WIDEST:g} points: a direct ratio holds no more")
        return np.asarray(self.same * 10 ** ((rating - self.same) / self.tenfold))

    def rating(self, number: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return rating points for ratios."""
        if bool(np.any(number <= 0)):
            raise UsageError("expected ratings above 0 on a ratio scale")
        return np.asarray(self.same + self.tenfold * np.log10(number / self.same))


INGO_NUMBER = Straight(column="ingo", zero=2840.0, unit=-8.0)
"""Elo = 2840 − 8 × Ingo, as the German federation converted its numbers in 1991."""
BCF_GRADE = Straight(column="grade", zero=600.0, unit=8.0)
"""Elo = 600 + 8 × grade, as the British federation converted until about 2003."""
DIRECT_RATIO = Direct()


# The periods whose games still count, in systems that look back over several.

CALENDAR = ("day", "month", "quarter", "year")
"""Periods whose numbers mean the same in every call."""


class RatingWindow:
    """Everybody's figures in the last periods, the latest in the first column; the first figure is the games."""

    def __init__(self, names: Sequence[str], players: int, periods: int) -> None:
        self.names = names
        self.figures = np.zeros((len(names), players, periods))
        self.last: int | None = None

    def enter(self, period: int, players: NDArray[np.int64], *values: NDArray[np.float64]) -> None:
        """Put a period in front; an earlier one, of a late report, takes its own place."""
        at = self._move(period)
        if at < self.figures.shape[2]:
            self.figures[:, players, at] += np.stack(values)

    def latest(self, players: NDArray[np.int64], enough: float = math.inf) -> NDArray[np.float64]:
        """Return the sums over the latest periods that have enough games, or over all there are."""
        sums = self.figures[:, players].cumsum(axis=2)
        full = sums[0] >= enough
        columns = np.where(full.any(axis=1), full.argmax(axis=1), sums.shape[2] - 1)
        return np.asarray(sums[:, np.arange(len(players)), columns])

    def _move(self, period: int) -> int:
        """Make room for a period and return its column."""
        periods = self.figures.shape[2]
        by = 0 if self.last is None else min(period - self.last, periods)
        if by < 0:
            return -by
        if by:
            self.figures[:, :, by:] = self.figures[:, :, : periods - by].copy()
            self.figures[:, :, :by] = 0
        self.last = period
        return 0

    def read(self, kept: pl.Series) -> None:
        """Take each player's periods from an earlier list."""
        known = pl.DataFrame({"player": np.arange(len(kept)), "of": kept}).explode("of").drop_nulls()
        if not known.height:
            return
        known = known.unnest("of").filter(pl.col("games") > 0)
        self.last = int(known["period"].max())  # type: ignore[arg-type]
        at = self.last - known["period"].to_numpy()
        near = at < self.figures.shape[2]
        values = known.select(self.names).to_numpy().T
        self.figures[:, known["player"].to_numpy()[near], at[near]] = values[:, near]

    def written(self) -> pl.Series:
        """Return everybody's periods for the next list; null for nothing."""
        result: list[list[dict[str, float]] | None] = []
        for player in range(self.figures.shape[1]):
            own = self.figures[:, player]
            rows = [
                {"period": (self.last or 0) - at, **dict(zip(self.names, own[:, at].tolist(), strict=True))}
                for at in np.flatnonzero(own[0])[::-1].tolist()
            ]
            result.append(rows or None)
        kind = pl.List(pl.Struct({"period": pl.Int64, **dict.fromkeys(self.names, pl.Float64)}))
        return pl.Series(result, dtype=kind)
