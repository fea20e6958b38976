"""The report of one event: standings, performances, expected against actual, rating changes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import polars as pl

from arpad.errors import UsageError
from arpad.event.crosstable import Crosstable, crosstable
from arpad.event.kind import category, kind_of
from arpad.event.performance import Method, performance
from arpad.event.tiebreaks import tie_breaks
from arpad.rate import Fide

if TYPE_CHECKING:
    from arpad.model import Games

__all__ = ["EventReport", "report"]


@dataclass(frozen=True, slots=True, kw_only=True)
class EventReport:
    """Everything about one event."""

    name: str
    site: str | None
    kind: str
    games: int
    average: float | None
    category: int | None
    method: Method
    players: pl.DataFrame
    """Best first: rank, name, rating, points, games, performance, expected, change, tie-breaks."""
    crosstable: Crosstable
    parameters: dict[str, object]

    def table(self) -> pl.DataFrame:
        """Return the standings."""
        return self.players.select(
            c for c in self.players.columns if not self.players[c].is_null().all()
        )

    def summary(self) -> str:
        """Return one sentence on the event."""
        level = "" if self.average is None else f", average {self.average:.0f}"
        step = "" if self.category is None else f" (category {self.category})"
        return f"{self.name}: {self.kind}, {self.players.height} players, {self.games} games{level}{step}"


def report(games: Games, *, method: Method = "exact", system: Fide | None = None) -> EventReport:
    """Report on all `games` as one event.

    Parameters
    ----------
    method
        Of the performance ratings.
    system
        FIDE's rules, which give the expected scores and the rating changes; today's by default.
    """
    if not len(games):
        raise UsageError("expected an event with games, found none")
    rules = system or Fide()
    breaks = tie_breaks(games)
    ratings = _ratings(games)
    rated = rules.rate(games).rows
    columns = ("player", "id", "expected", "change", "k")
    change = {(name, id_): rest for name, id_, *rest in rated.select(columns).iter_rows()}
    order = sorted(
        breaks, key=lambda p: (*breaks[p].key(), -(ratings.get(p) or 0), games.players["name"][p])
    )
    keys = [breaks[p].key() for p in order]
    rows = []
    for p in order:
        name = games.players["name"][p]
        expected, gain, k = change.get((name, games.players["id"][p]), (None, None, None))
        opponents, score = _against_rated(games, p, ratings)
        found = performance(score, opponents, method=method) if opponents else None
        own = breaks[p]
        rows.append(
            {
                "rank": keys.index(own.key()) + 1,
                "name": name,
                "title": games.players["title"][p],
                "federation": games.players["federation"][p],
                "rating": ratings.get(p),
                "points": own.points,
                "games": _played(games, p),
                "performance": None if found is None else found.rating,
                "performance_error": None if found is None else found.error,
                "expected": expected,
                "change": gain,
                "k": k,
                "direct": own.direct,
                "wins": own.wins,
                "sonneborn_berger": own.sonneborn_berger,
                "buchholz": own.buchholz,
                "buchholz_cut": own.buchholz_cut,
                "progressive": own.progressive,
            }
        )
    known = [r for p, r in ratings.items() if p in breaks]
    average = sum(known) / len(known) if known and len(known) == len(breaks) else None
    event = games.events[0] if games.events else None
    return EventReport(
        name=" / ".join(dict.fromkeys(e.name for e in games.events)) or "Event",
        site=event.site if event else None,
        kind=kind_of(games),
        games=int((games.table["status"] == "played").sum()),
        average=average,
        category=None if average is None else category(average),
        method=method,
        players=pl.DataFrame(rows, infer_schema_length=None),
        crosstable=crosstable(games),
        parameters={"performance": method, **rules.parameters()},
    )


def _ratings(games: Games) -> dict[int, float]:
    """Return the rating before the event: the player's own, or the one beside the first game."""
    found: dict[int, float] = {
        p: rating for p, rating in enumerate(games.players["rating"]) if rating is not None
    }
    for side in ("white", "black"):
        for player, rating in games.table.select(side, f"{side}_rating").drop_nulls().iter_rows():
            found.setdefault(player, rating)
    return found


def _sides(games: Games, player: int) -> pl.DataFrame:
    played = games.table.filter(pl.col("status") == "played")
    white = played.filter(pl.col("white") == player).select(opponent="black", share="score")
    black = played.filter(pl.col("black") == player).select(opponent="white", share="black_score")
    return pl.concat([white, black])


def _played(games: Games, player: int) -> int:
    return _sides(games, player).height


def _against_rated(
    games: Games, player: int, ratings: dict[int, float]
) -> tuple[list[float], float]:
    opponents, score = [], 0.0
    for opponent, share in _sides(games, player).iter_rows():
        if opponent in ratings:
            opponents.append(ratings[opponent])
            score += share
    return opponents, score
