"""What one distribution of gain is made of, and who is compared with whom.

A sheet is a player's moves in everything that was read, in one event, in one match or in one game.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np
import polars as pl

from arpad.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from arpad.moves.measured import Gains

__all__ = ["Sheets", "View", "sheets_of"]

View = Literal["players", "event", "events", "matches", "games"]
"""players    each player's moves in all that was read; who met is compared [4, 5];
event      the same, event by event, with perceived ratings [table 1];
events     each player's moves in each event; everybody is compared with everybody of other events [table 2];
matches    each player's moves in each match: the games of one event between the same two [table 3];
games      each player's moves in each game [2–4].
"""

MOST_PAIRS = 20_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Sheets:
    """The sheets of a view, the sheet of every move, and the pairs to be compared.

    `rows` has a line a sheet: `player` (row of the players), `event`, `game` (rows, null where the view does
    not tell them apart) and `opponent`.
    """

    view: View
    rows: pl.DataFrame
    sheet: NDArray[np.int64]
    stratum: NDArray[np.int64]
    pairs: pl.DataFrame
    """`first`, `second` (sheets), `games` between them here, `score` of the first in those."""

    def pair_array(self) -> NDArray[np.int64]:
        """Return the pairs as an array."""
        return self.pairs.select("first", "second").to_numpy().astype(np.int64).reshape(-1, 2)


def sheets_of(gains: Gains, view: View) -> Sheets:
    """Return the sheets of a view."""
    if view not in get_args(View):
        raise UsageError(f"expected one of {', '.join(get_args(View))}, found {view!r}")
    moves = _moves(gains)
    keys = _KEYS[view]
    # White first, also where the first move has no gain, as in files that do not evaluate the starting position.
    seated = moves.sort("game", "white", descending=[False, True], maintain_order=True)
    rows = seated.select(keys).unique(maintain_order=True).with_row_index("sheet")
    sheet = _numbers(moves, rows, keys)
    pairs = _across(rows) if view == "events" else _met(gains, moves, rows, keys)
    stratum = _stratum(moves, view)
    blank = [c for c in ("event", "game", "opponent") if c not in keys]
    shown = rows.with_columns(pl.lit(None, dtype=pl.Int32).alias(c) for c in blank)
    return Sheets(
        view=view,
        rows=shown.select(
            "player", "opponent", "event", "game", *(["white"] if view == "games" else [])
        ),
        sheet=sheet,
        stratum=stratum,
        pairs=pairs,
    )


_KEYS: dict[View, list[str]] = {
    "players": ["player"],
    "event": ["player"],
    "events": ["event", "player"],
    "matches": ["event", "player", "opponent"],
    "games": ["game", "white", "player", "opponent"],
}


def _moves(gains: Gains) -> pl.DataFrame:
    """Return each move's game, colour, player, opponent and event."""
    table = gains.games.table
    game = gains.table["game"]
    white = gains.table["white"]
    sides = {s: table[s].gather(game) for s in ("white", "black", "event")}
    return pl.DataFrame(
        {
            "game": game,
            "white": white,
            "player": gains.table["player"],
            "opponent": pl.select(
                pl.when(white).then(sides["black"]).otherwise(sides["white"])
            ).to_series(),
            "event": sides["event"],
        }
    )


def _numbers(moves: pl.DataFrame, rows: pl.DataFrame, keys: Sequence[str]) -> NDArray[np.int64]:
    found = moves.select(keys).join(
        rows, on=list(keys), how="left", nulls_equal=True, maintain_order="left"
    )
    return found["sheet"].to_numpy().astype(np.int64)


def _stratum(moves: pl.DataFrame, view: View) -> NDArray[np.int64]:
    """Return the set of games among which each move's game is drawn."""
    if view in ("players", "event"):
        return np.zeros(moves.height, dtype=np.int64)
    if view == "matches":
        low = pl.min_horizontal("player", "opponent")
        high = pl.max_horizontal("player", "opponent")
        key = moves.select(pl.struct("event", low.alias("low"), high.alias("high")).rank("dense"))
    else:
        key = moves.select(
            pl.col("event" if view == "events" else "game").fill_null(-1).rank("dense")
        )
    return key.to_series().to_numpy().astype(np.int64)


def _met(
    gains: Gains, moves: pl.DataFrame, rows: pl.DataFrame, keys: Sequence[str]
) -> pl.DataFrame:
    """Return the pairs of sheets that played each other, with games and score of the first."""
    table = gains.games.table.with_row_index("game").with_columns(pl.col("game").cast(pl.Int32))
    seen = moves.select("game").unique(maintain_order=True)
    games = table.join(seen, on="game", how="semi", maintain_order="left").filter(
        pl.col("black").is_not_null()
    )
    both = {}
    for side, other in (("white", "black"), ("black", "white")):
        who = games.select(
            "game", "event", pl.col(side).alias("player"), pl.col(other).alias("opponent"),
            pl.lit(side == "white").alias("white"),
        )  # fmt: skip
        both[side] = who.select(keys).join(
            rows, on=list(keys), how="left", nulls_equal=True, maintain_order="left"
        )["sheet"]
    paired = pl.DataFrame(
        {"white": both["white"], "black": both["black"], "score": games["score"]}
    ).drop_nulls(["white", "black"])
    first = pl.min_horizontal("white", "black")
    return (
        paired.filter(pl.col("white") != pl.col("black"))
        .with_columns(
            first.alias("first"),
            pl.max_horizontal("white", "black").alias("second"),
            pl.when(pl.col("white") == first)
            .then("score")
            .otherwise(1 - pl.col("score"))
            .alias("score"),
        )
        .group_by("first", "second", maintain_order=True)
        .agg(pl.len().cast(pl.Int64).alias("games"), pl.col("score").sum().alias("score"))
        .select("first", "second", "games", "score")
    )


def _across(rows: pl.DataFrame) -> pl.DataFrame:
    """Return all pairs of sheets from different events."""
    if rows["event"].n_unique() < 2:
        raise UsageError(
            "expected games of at least two events to compare players across them, found one: "
            "give more files, or choose another view"
        )
    event = rows["event"].fill_null(-1).to_numpy()
    i, j = np.triu_indices(len(event), 1)
    apart = event[i] != event[j]
    if int(apart.sum()) > MOST_PAIRS:
        raise UsageError(
            f"expected at most {MOST_PAIRS:,} pairs of players across events, found {int(apart.sum()):,}: "
            "name the players"
        )
    n = int(apart.sum())
    return pl.DataFrame(
        {
            "first": i[apart],
            "second": j[apart],
            "games": [None] * n,
            "score": [None] * n,
        },
        schema={"first": pl.UInt32, "second": pl.UInt32, "games": pl.Int64, "score": pl.Float64},
    )
