"""The crosstable: who scored what against whom, best first."""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from arpad.model import Result
from arpad.rate.periods import first_given

if TYPE_CHECKING:
    from collections.abc import Mapping

    from arpad.model import Games


WIDEST = 24
"""Players that a square table has room for; larger fields are shown round by round."""
HALVES = {0.0: "0", 0.5: "½", 1.0: "1"}


@dataclass(frozen=True, slots=True)
class Crosstable(Result):
    """Standings with the results behind them.

    `rows` has `number` (1, 2, … from the top: what cells and columns mean), `rank` (equals share it), `player`, `rating`, `points`, `games`, then a column an opponent (square) or a
    round.
    """

    rows: pl.DataFrame
    square: bool

    def table(self) -> pl.DataFrame:
        """Return the crosstable for people, under the numbers that its cells speak of."""
        rows = self.rows.drop("rank").rename({"number": "#"})
        return rows.select(c for c in rows.columns if not rows[c].is_null().all())


def crosstable(
    games: Games,
    ranks: Mapping[int, int] | None = None,
    ratings: Mapping[int, float] | None = None,
    totals: Mapping[int, float] | None = None,
) -> Crosstable:
    """Return the crosstable of all `games`; every pairing counts for points, played or not.

    Parameters
    ----------
    ranks
        Each player's place in the standings, best first; without it players with equal points
        share a place.
    ratings
        What `known_ratings` has found already.
    totals
        Everybody's points where the event counts other than 1, ½, 0.
    """
    points: dict[int, float] = defaultdict(float)
    count: dict[int, int] = defaultdict(int)
    for row in games.table.select("white", "black", "score", "black_score", "status").iter_rows():
        white, black, score, black_score, status = row
        for player, share in ((white, score), (black, black_score)):
            if player is not None:
                points[player] += share or 0.0
                count[player] += status in ("played", "unrated")
    points.update(totals or {})
    names = games.players["name"].to_list()
    ratings = known_ratings(games) if ratings is None else ratings
    order = list(ranks or sorted(points, key=lambda p: (-points[p], -ratings.get(p, 0), names[p])))
    places = pl.Series([points[p] for p in order]).rank("min", descending=True)
    square = len(order) <= WIDEST and games.table["black"].null_count() == 0
    place = {player: i + 1 for i, player in enumerate(order)}
    cells = _square(games, place) if square else _rounds(games, place)
    rows = pl.DataFrame(
        {
            "number": pl.int_range(1, len(order) + 1, eager=True),
            "rank": (pl.Series(list(ranks.values())) if ranks else places).cast(pl.Int64),
            "player": [names[p] for p in order],
            "rating": pl.Series([ratings.get(p) for p in order], dtype=pl.Float64),
            **{name: [column.get(p, "") for p in order] for name, column in cells.items()},
            "points": pl.Series([points[p] for p in order], dtype=pl.Float64),
            "games": pl.Series([count[p] for p in order], dtype=pl.Int64),
        }
    )
    return Crosstable(rows, square)


def known_ratings(games: Games) -> dict[int, float]:
    """Return the ratings before the event: a player's own, or the one beside the earliest game.

    A player who did not play has the rating beside a forfeit or a bye.
    """
    played = games.rateable()
    result = first_given(games, played)
    if played.height < games.table.height:
        result = np.where(np.isnan(result), first_given(games, games.table), result)
    return {p: float(rating) for p, rating in enumerate(result) if not math.isnan(rating)}


def _square(games: Games, place: dict[int, int]) -> dict[str, dict[int, str]]:
    """Give a column to each opponent; several games against one stand behind one another."""
    cells: dict[str, dict[int, str]] = {str(i): {} for i in range(1, len(place) + 1)}
    for row in games.table.iter_rows(named=True):
        mark = "*" if row["status"] == "forfeit" else ""
        for player, opponent, share in (
            (row["white"], row["black"], row["score"]),
            (row["black"], row["white"], row["black_score"]),
        ):
            column = cells[str(place[opponent])]
            column[player] = column.get(player, "") + _share(share) + mark
    for player, own in place.items():
        cells[str(own)][player] = "—"
    return cells


def _rounds(games: Games, place: dict[int, int]) -> dict[str, dict[int, str]]:
    """Give a column to each round: the result, the opponent's place, the colour."""
    cells: dict[str, dict[int, str]] = {}
    for row in games.table.iter_rows(named=True):
        column = cells.setdefault(f"r{str(row['round'] or '?').split('.')[0]}", {})
        sides = [(row["white"], row["black"], row["score"], "w")]
        if row["black"] is not None:
            sides.append((row["black"], row["white"], row["black_score"], "b"))
        for player, opponent, share, colour in sides:
            if opponent is None:
                text = f"{_share(share)} bye" if share else "–"
            elif row["status"] == "forfeit":
                text = f"{'+' if share else '-'}{place[opponent]}"
            else:
                text = f"{_share(share)} {place[opponent]}{colour}"
            column[player] = f"{column[player]}, {text}" if player in column else text
    return dict(sorted(cells.items(), key=lambda item: _round_order(item[0])))


def _round_order(name: str) -> tuple[int, str]:
    return (int(name[1:]) if name[1:].isdigit() else 10**6, name)


def _share(share: float | None) -> str:
    if share is None:
        return "·"
    return HALVES.get(share, f"{share:g}")
