"""What an earlier list and the source say of the players before the U.S. procedures begin."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import polars as pl

from arpad.rate.start import first_given
from arpad.rate.uscf_standing import FEW_GAMES, read_saved

if TYPE_CHECKING:
    from arpad.model import Games, Ratings
    from arpad.rate.uscf_standing import Saved

__all__ = ["Known", "known_players"]

PUBLISHED = "published"
"""What `read_list` calls a list of FIDE's."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """What is known of one player; None: nothing."""

    name: str
    rating: float | None
    total_games: int | None
    saved: Saved
    error: float | None
    fide: float | None
    birth: str | None
    hint: float | None
    """A rating on fewer games than a rating needs, as an earlier list remembers it."""


def known_players(games: Games, before: Ratings | None, *, given: bool) -> list[Known]:
    """Return what is known of each player: by the earlier list, else by the source.

    A list of FIDE's has FIDE ratings: they place newcomers, they are nobody's U.S. rating.

    Parameters
    ----------
    given
        Take the first rating that the source gives a player, and the games it rests on.
    """
    players = games.players
    fides_own = before is not None and before.system == PUBLISHED
    source = first_given(games, games.rateable()).tolist() if given else [math.nan] * players.height
    columns = zip(
        players["name"],
        source,
        players["total_games"],
        players["birth"],
        [None] * players.height if fides_own else _column(games, before, "rating"),
        _column(games, before, "total_games"),
        _column(games, before, "carried"),
        _column(games, before, "error"),
        _column(games, before, "rating" if fides_own else "fide"),
        _column(games, before, "birth"),
        _column(games, before, "imputed"),
        _column(games, before, "imputed_by"),
        strict=True,
    )
    found = []
    for name, first, total, birth, *listed in columns:
        rating, list_total, carried, error, fide, list_birth, imputed, by = listed
        on_list = rating is not None or carried is not None
        if not on_list:
            rating, error = None if math.isnan(first) else first, None
        total = list_total if on_list else total
        found.append(
            Known(
                name=name,
                rating=rating,
                total_games=None if total is None else int(total),
                saved=read_saved(carried),
                error=error,
                fide=fide,
                birth=list_birth if birth is None else birth,
                hint=imputed if by == FEW_GAMES else None,
            )
        )
    return found


def _column(games: Games, before: Ratings | None, name: str) -> list[Any]:
    """Return a column of the list for every player, also for those on it without a rating."""
    if before is None:
        return [None] * games.players.height
    # Ratings.lookup passes over who has no rating: a number that is none stands for it.
    rows = before.rows.with_columns(pl.col("rating").cast(pl.Float64).fill_null(math.nan))
    found = replace(before, rows=rows).lookup(games.players, name)
    return [None if isinstance(v, float) and not math.isfinite(v) else v for v in found]
