"""What any rating system makes of one event: expected scores, changes, new ratings."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import polars as pl

from arpad.event.crosstable import known_ratings
from arpad.model import Games, Ratings
from arpad.rate.arpad_system import ArpadSystem
from arpad.rate.expectancy import plain
from arpad.rate.glicko import Glicko
from arpad.rate.glicko2 import Glicko2
from arpad.rate.stephenson import Stephenson
from arpad.scale import Curve

if TYPE_CHECKING:
    from collections.abc import Mapping

    from arpad.rate import RatingSystem

__all__ = ["Change", "RatingChanges", "rating_changes"]

FORMS = (Glicko, Glicko2, Stephenson, ArpadSystem)
"""Systems whose expected score depends on how sure the ratings are."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """What a system makes of one player's games; None: nothing to say."""

    before: float | None = None
    score: float | None = None
    """Points in the games that the system rates, where it lists them."""
    expected: float | None = None
    change: float | None = None
    k: float | None = None
    after: float | None = None
    error: float | None = None
    status: str | None = None
    total_games: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RatingChanges:
    """Changes by row of the players, and what the system says of these games."""

    changes: Mapping[int, Change] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    def of(self, player: int) -> Change:
        """Return a player's change."""
        return self.changes.get(player, Change())


def rating_changes(
    games: Games, system: RatingSystem, before: Ratings | None = None
) -> RatingChanges:
    """Rate all games as one file, and return what changes for whom.

    A system that does not list expected scores has them from its curve, from the ratings before the event.
    """
    earlier = _renumbered(before, games)
    rated = system.rate(_numbered(games), earlier)
    share = _share(system, earlier)
    expected: Mapping[int, float] = {}
    if "expected" not in rated.rows.columns and share is not None:
        expected = _expected(games, share, rated)
    found: dict[int, Change] = {}
    for row in rated.rows.to_dicts():
        player = int(row["id"])
        listed = {
            name: row.get(column)
            for name, column in (
                ("before", "before"), ("score", "score"), ("expected", "expected"), ("change", "change"), ("k", "k"), ("after", "rating"),
                ("error", "error"), ("status", "status"), ("total_games", "total_games"),
            )
        }  # fmt: skip
        found[player] = Change(**{"expected": expected.get(player), **_without_none(listed)})
    return RatingChanges(changes=found, notes=tuple(rated.source.get("notes", ())))


def _without_none(values: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value is not None}


def _numbered(games: Games) -> Games:
    """Give everybody the row as id: two people may share a name, or an id."""
    row = pl.int_range(pl.len()).cast(pl.String).alias("id")
    return Games(games.table, games.players.with_columns(row), games.events)


def _renumbered(before: Ratings | None, games: Games) -> Ratings | None:
    """Return the part of a list that speaks of these players, by the same ids."""
    if before is None:
        return None
    whole = before.rows
    # Ratings.lookup passes over who has no rating: a number that is none stands for it.
    seen = Ratings(
        system=before.system,
        rows=whole.with_columns(pl.col("rating").cast(pl.Float64).fill_null(math.nan)),
        parameters=before.parameters,
        source=before.source,
    )
    columns = {c: seen.lookup(games.players, c) for c in whole.columns if c not in ("player", "id")}
    rows = pl.DataFrame(
        {
            "player": games.players["name"],
            "id": pl.int_range(games.players.height, eager=True).cast(pl.String),
            **columns,
        }
    ).filter(~pl.all_horizontal(pl.exclude("player", "id").is_null()))
    rows = rows.with_columns(pl.col("rating").fill_nan(None))
    return Ratings(
        system=before.system, rows=rows, parameters=before.parameters, source=before.source
    )


Share = Callable[[float, float, int, int], float]
"""What a system expects of a player, from the ratings and the rows of both."""


def _share(system: RatingSystem, before: Ratings | None) -> Share | None:
    """Return what a system expects; where it knows of spreads, by those of the list, else of given ratings."""
    if isinstance(system, FORMS):
        own, most = system.given_error, getattr(system, "max_error", math.inf)
        listed: dict[int, float] = {}
        if before is not None and "error" in before.rows.columns:
            pairs = before.rows.select("id", pl.col("error").cast(pl.Float64)).iter_rows()
            listed = {int(who): min(e, most) for who, e in pairs if e is not None and e >= 0}
        return lambda R, R_c, a, b: float(
            system.expected(R, listed.get(a, own), R_c, listed.get(b, own))
        )
    curve = getattr(system, "curve", None)
    if not isinstance(curve, Curve):
        return None
    by_difference = plain(curve)
    return lambda R, R_c, _a, _b: by_difference(R - R_c)


def _expected(games: Games, share: Share, rated: Ratings) -> dict[int, float]:
    """Return W_e against everybody who came with a rating."""
    known = known_ratings(games)
    if "before" in rated.rows.columns:
        listed = rated.rows.filter(pl.col("before").is_not_null()).select("id", "before")
        known |= {int(player): float(rating) for player, rating in listed.iter_rows()}
    found: dict[int, list[float]] = {}
    for white, black in games.rateable().select("white", "black").iter_rows():
        if white in known and black in known:
            p = share(known[white], known[black], white, black)
            found.setdefault(white, []).append(p)
            found.setdefault(black, []).append(1 - p)
    return {player: math.fsum(shares) for player, shares in found.items()}
