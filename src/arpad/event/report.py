"""The report of one event: standings, performances, expected against actual, rating changes."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

import polars as pl

from arpad.errors import UsageError
from arpad.event.crosstable import Crosstable, crosstable, known_ratings
from arpad.event.kind import category, kind_of
from arpad.event.norm_people import one_event
from arpad.event.norms import norms
from arpad.event.performance import Method, performance
from arpad.event.rating_changes import rating_changes
from arpad.event.tiebreaks import tie_breaks
from arpad.model import Games
from arpad.rate import Fide

if TYPE_CHECKING:
    from collections.abc import Mapping

    from arpad.event.verdict import Verdict
    from arpad.model import Ratings
    from arpad.rate import RatingSystem

__all__ = ["EventReport", "report", "with_ratings"]


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
    """Best first: rank, name, rating, points, games, performance, score (W in games that are rated),
    expected, change, new rating, tie-breaks."""
    crosstable: Crosstable
    parameters: dict[str, object]
    system: str = "fide"
    """The rating system of `expected`, `change`, `k`, `after` and `status`."""
    notes: tuple[str, ...] = ()
    """What that system says of these games."""
    rows: tuple[int, ...] = ()
    """The row that each of `players` has in the players of the games."""
    norms: tuple[Verdict, ...] | None = None
    """Title norms that were made; None where the file knows no titles or federations, or nobody looked."""

    def table(self) -> pl.DataFrame:
        """Return the standings: without empty columns, and without W where it is just the points."""
        rows = self.players
        same = (rows["score"] == rows["points"]).fill_null(True).all()
        leave = [c for c in rows.columns if rows[c].is_null().all() or (c == "score" and same)]
        return rows.drop(leave)

    def summary(self) -> str:
        """Return one sentence on the event."""
        level = "" if self.average is None else f", average {self.average:.0f}"
        step = "" if self.category is None else f" (category {self.category})"
        return f"{self.name}: {self.kind}, {self.players.height} players, {self.games} game{'' if self.games == 1 else 's'}{level}{step}"


def report(
    games: Games,
    *,
    method: Method = "exact",
    system: RatingSystem | None = None,
    before: Ratings | None = None,
    places: Mapping[int, int] | None = None,
    judged: bool = True,
) -> EventReport:
    """Report on all `games` as one event.

    Parameters
    ----------
    method
        Of the performance ratings.
    system
        Any rating system: it gives the expected scores and the rating changes. FIDE's of today by default.
    before
        An earlier list; what it says of a player goes before the ratings in the file.
    places
        Places by row of the players, in the stead of those by points and the usual tie-breaks; a drawn
        match is drawn all the same.
    judged
        Look for title norms, too.
    """
    if not len(games):
        raise UsageError("expected an event with games, found none")
    rules = system or Fide()
    breaks = tie_breaks(games)
    given = known_ratings(games)
    ratings = dict(given)
    people = {name: games.players[name].to_list() for name in ("name", "title", "federation")}
    change = rating_changes(games, rules, before)
    if before is not None:
        ratings |= {p: c.before for p, c in change.changes.items() if c.before is not None}
    sides = _sides(games)
    kind = kind_of(games)
    standing = {p: own.key() for p, own in breaks.items()}
    if kind == "match":  # a drawn match is drawn: no tie-break decides it
        standing = {p: key[:1] for p, key in standing.items()}
    elif places is not None:
        standing = {p: (float(places[p]),) for p in breaks}
    order = sorted(
        breaks,
        key=lambda p: (
            standing[p],
            breaks[p].key(),
            -(ratings.get(p) or 0),
            people["name"][p],
        ),
    )
    first: dict[tuple[float, ...], int] = {}
    ranks = {p: first.setdefault(standing[p], place) for place, p in enumerate(order, start=1)}
    rows = []
    for p in order:
        changed = change.of(p)
        met = [
            (ratings[o], share)
            for o, share, status in sides[p]
            if status == "played" and o in ratings
        ]
        opponents, score = [rating for rating, _ in met], sum(share for _, share in met)
        found = performance(score, opponents, method=method) if opponents else None
        own = breaks[p]
        rows.append(
            {
                "rank": ranks[p],
                **{name: values[p] for name, values in people.items()},
                "rating": ratings.get(p),
                "points": own.points,
                "games": len(sides[p]),
                "performance": None if found is None else found.rating,
                "performance_error": None if found is None else found.error,
                "score": changed.score,
                "expected": changed.expected,
                "change": changed.change,
                "k": changed.k,
                "after": changed.after,
                "after_error": changed.error,
                "status": changed.status,
                "total_games": changed.total_games,
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
    step = None if average is None or kind == "match" else category(average)
    event = games.events[0] if games.events else None
    return EventReport(
        name=" / ".join(dict.fromkeys(e.name for e in games.events)) or "Event",
        site=event.site if event else None,
        kind=kind,
        games=int((games.table["status"] == "played").sum()),
        average=average,
        category=step,
        method=method,
        players=pl.DataFrame(rows, infer_schema_length=None),
        crosstable=crosstable(games, ranks, ratings),
        parameters={"performance": method, **rules.parameters()},
        system=rules.name,
        notes=change.notes,
        rows=tuple(order),
        norms=_norms(games if before is None else with_ratings(games, ratings)) if judged else None,
    )


def with_ratings(games: Games, ratings: Mapping[int, float | None]) -> Games:
    """Return the games with these ratings as the players' own, by row; nobody else has one."""
    own = pl.Series("rating", [ratings.get(p) for p in range(games.players.height)], dtype=pl.Float64)  # fmt: skip
    return Games(games.table, games.players.with_columns(own), games.events)


def _norms(games: Games) -> tuple[Verdict, ...] | None:
    if any(games.players[c].is_null().all() for c in ("title", "federation")):
        return None
    return tuple(v for part in one_event(games) for v in norms(part.games) if v.passed)


def _sides(games: Games) -> dict[int, list[tuple[int, float, str]]]:
    """Return everybody's games on the board: opponent, share of the point, status."""
    found: dict[int, list[tuple[int, float, str]]] = defaultdict(list)
    columns = ("white", "black", "score", "black_score", "status")
    for white, black, score, black_score, status in games.table.select(columns).iter_rows():
        if status in ("played", "unrated"):
            found[white].append((black, score, status))
            found[black].append((white, black_score, status))
    return found
