"""Where everybody stands before the first game: from an earlier list, from the source, or as a newcomer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from arpad.rate.pra_reference import BOOSTING
from arpad.rate.pra_state import newcomers, take_carried
from arpad.rate.start import first_given, known_before

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from arpad.model import Games, Ratings
    from arpad.rate.pra_rating import PraSystem

__all__ = ["Start", "starting"]

NAMED = 3
"""Players that a note names."""

MOST_GAMES = 2_000_000_000
"""More games than anybody plays; they fit into 32 bits."""

_NO = ("no", "false", "off", "0")


@dataclass(slots=True, kw_only=True)
class Start:
    """Everybody's state, and the population that a list brings along.

    Parameters
    ----------
    known
        Who comes with a rating.
    doubt
        Standard deviation, in points, of what is not known of everybody: a newcomer's, that of the
        list, or 0.
    inside
        Who is on the list, and so in the population before the first game.
    population, points
        Of the whole list, also of those who do not play now.
    """

    state: NDArray[np.void]
    known: NDArray[np.bool_]
    doubt: NDArray[np.float64]
    inside: NDArray[np.bool_]
    population: int
    points: float
    notes: list[str]


def starting(
    system: PraSystem, games: Games, played: pl.DataFrame, before: Ratings | None
) -> Start:
    """Return where everybody starts."""
    listed = _finite(known_before(games, before, "rating"))
    rating = listed
    total = _finite(known_before(games, before, "total_games"))
    if system.given:
        given = _finite(first_given(games, played))
        own = games.players["total_games"].cast(pl.Float64).to_numpy()
        total = np.where(np.isnan(listed) & ~np.isnan(given), own, total)
        rating = np.where(np.isnan(listed), given, listed)
    error = np.abs(_finite(known_before(games, before, "error")))
    known, counted = ~np.isnan(rating), ~np.isnan(total)
    # Who has played no game is a newcomer, whatever rating he was given.
    settled = known & ~((total == 0) & np.isnan(error))
    state = newcomers(len(rating), start=system.start)
    state["rating"][known] = rating[known]
    state["games"][counted] = np.clip(total[counted], 0, MOST_GAMES).astype(np.int32)
    notes: list[str] = []
    if system.boosting is None:
        state["boosting"] = 0
    else:
        # Who comes with a rating, and nothing says how many games it rests on, is no newcomer.
        foreign = known & ~counted & (not system.boost_given)
        state["boosting"][foreign] = 0
        notes = [*_foreign_told(int(foreign.sum())), *_correct(system, games, state)]
        _go_on(system, games, before, state)
    population, points = _population(before)
    return Start(
        state=state,
        known=known,
        doubt=np.where(settled, np.nan_to_num(error), system.newcomer_spread),
        inside=~np.isnan(listed),
        population=population,
        points=points,
        notes=notes,
    )


def _population(before: Ratings | None) -> tuple[int, float]:
    """Return how many are on the list, and their points.

    A list may be a part of a longer one: then its source says as `others` how many more there are, and
    with how many points.
    """
    if before is None:
        return 0, 0.0
    ratings = before.rows["rating"].cast(pl.Float64).drop_nulls().drop_nans()
    more, theirs = before.source.get("others", (0, 0.0))
    return len(ratings) + int(more), float(ratings.sum()) + float(theirs)


def _go_on(
    system: PraSystem, games: Games, before: Ratings | None, state: NDArray[np.void]
) -> None:
    """Take switches and blocks under way from the list."""
    if before is None:
        return
    constants = system.boosting or BOOSTING
    if "boosting" in before.rows.columns:
        switch = before.lookup(games.players, "boosting").cast(pl.String).str.to_lowercase()
        state["boosting"][switch.is_in(_NO).fill_null(False).to_numpy()] = 0
    if "carried" in before.rows.columns:
        texts = before.lookup(games.players, "carried").cast(pl.String)
        for p, text in enumerate(texts):
            if state["boosting"][p]:
                take_carried(state[p : p + 1], text, constants)


def _correct(system: PraSystem, games: Games, state: NDArray[np.void]) -> list[str]:
    """Switch boosting off for those who had a correction; say who is not here."""
    missing = []
    for who in system.corrected:
        rows = games.players.select(
            ((pl.col("name") == who) | (pl.col("id") == who)).fill_null(False)
        )
        mask = rows.to_series().to_numpy()
        state["boosting"][mask] = 0
        missing += [] if mask.any() else [who]
    if not missing:
        return []
    some = ", ".join(missing[:NAMED]) + (", …" if len(missing) > NAMED else "")
    return [f"corrected: nobody in these games is called {some}"]


def _foreign_told(count: int) -> list[str]:
    if not count:
        return []
    return [
        (
            f"not boosted, because their ratings do not say on how many games they rest: {count:,} "
            f"player{'' if count == 1 else 's'} (boost_given=yes boosts them)"
        )
    ]


def _finite(values: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.where(np.isfinite(values), values, np.nan)
