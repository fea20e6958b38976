"""Who stands in one row: the sides of games, taken together by player, event, year, colour or game."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, get_args

import polars as pl

from arpad.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from arpad.model import Games

__all__ = ["By", "Groups", "groups_of", "players_called"]

By = Literal["player", "event", "year", "side", "game"]
"""player   a row a player;
event    a row an event, all its players together [tables 3, 4];
year     a row a year;
side     White and Black;
game     a row a game.

Several of them tell rows apart by each: player and event give a player's row in every event [table 5]."""

COLOURS = ("White", "Black")
_KEYS: dict[By, str] = {
    "player": "player",
    "event": "event",
    "year": "year",
    "side": "white",
    "game": "game",
}
"""The column of `sides` that tells rows apart."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Groups:
    """The rows of a table, and the sides of games that belong to each.

    `rows` has `group` and a column for each of `by`, in words. `sides` has a row for each side of each game that was
    played: `group`, `game`, `white`, `player`, `rating`, `opponent_rating`, `score`.
    """

    by: tuple[By, ...]
    rows: pl.DataFrame
    sides: pl.DataFrame
    everybody: bool
    """Whether both sides of every game are in it."""

    def of(self, frame: pl.DataFrame) -> pl.Series:
        """Return the group of each row of a frame that has `game` and `white`; null for a row of none."""
        seat = self.sides.select(pl.col("game").cast(frame["game"].dtype), "white", "group")
        return frame.select("game", "white").join(
            seat, on=["game", "white"], how="left", maintain_order="left"
        )["group"]


def groups_of(games: Games, by: Sequence[By], *, players: Collection[int] | None = None) -> Groups:
    """Return the rows of a table; forfeits and byes belong to none.

    Parameters
    ----------
    players
        Rows of `games.players`: only their sides. None: everybody's.
    """
    wanted = tuple(dict.fromkeys(by))
    unknown = [b for b in wanted if b not in get_args(By)]
    if unknown or not wanted:
        raise UsageError(
            f"expected some of {', '.join(get_args(By))}; found {', '.join(unknown) or 'nothing'}"
        )
    sides = _sides(games)
    if players is not None:
        sides = sides.filter(pl.col("player").is_in(list(players)))
    keys = [_KEYS[b] for b in wanted]
    rows = sides.select(keys).unique(maintain_order=True)
    # Years stand in their order, whatever the order of the files; all else as it is met first.
    rows = (rows.sort("year") if wanted == ("year",) else rows).with_row_index("group")
    seated = sides.join(rows, on=keys, how="left", nulls_equal=True, maintain_order="left")
    words = [_words(games, b, rows) for b in wanted]
    return Groups(
        by=wanted,
        rows=rows.select("group", *words),
        sides=seated,
        everybody=players is None,
    )


def _sides(games: Games) -> pl.DataFrame:
    """Return both sides of every game that was played, White first."""
    table = games.table.with_row_index("game").filter(
        ~pl.col("status").is_in(["forfeit", "bye"]) & pl.col("black").is_not_null()
    )
    both = [
        table.select(
            "game", "event",
            pl.col("date").dt.year().alias("year"),
            pl.lit(white).alias("white"),
            pl.col(mine).alias("player"),
            pl.col(theirs).alias("opponent"),
            pl.col(f"{mine}_rating").alias("rating"),
            pl.col(f"{theirs}_rating").alias("opponent_rating"),
            pl.col(score).alias("score"),
            (pl.col("status") == "played").alias("counts"),
        )
        for white, mine, theirs, score in (
            (True, "white", "black", "score"), (False, "black", "white", "black_score"),
        )
    ]  # fmt: skip
    return pl.concat(both).sort("game", "white", descending=[False, True])


def _words(games: Games, by: By, rows: pl.DataFrame) -> pl.Series:
    """Return what each row is called; two of the same name stay two rows."""
    if by == "player":
        found = games.players["name"].gather(rows["player"]).to_list()
    elif by == "event":
        events = [e.name for e in games.events]
        found = ["no event" if e is None else events[e] for e in rows["event"]]
    elif by == "year":
        found = ["no date" if y is None else str(y) for y in rows["year"]]
    elif by == "side":
        found = [COLOURS[0] if white else COLOURS[1] for white in rows["white"]]
    else:
        found = [_title(games, game) for game in rows["game"]]
    return pl.Series(by, found, dtype=pl.String)


def _title(games: Games, game: int) -> str:
    names, row = games.players["name"], games.table.row(game, named=True)
    where = f", round {row['round']}" if row["round"] else ""
    return f"{game + 1}. {names[row['white']]} – {names[row['black']]}{where}"


def players_called(games: Games, parts: Sequence[str]) -> list[int]:
    """Return the rows of players whose names contain one of some texts.

    Raises
    ------
    UsageError
        If a text is in no name.
    """
    names = [n or "" for n in games.players["name"].to_list()]
    found: list[int] = []
    for part in parts:
        mine = [i for i, n in enumerate(names) if part.strip().casefold() in n.casefold()]
        if not mine or not part.strip():
            some = ", ".join(names[:5])
            raise UsageError(
                f"expected part of a player's name, found {part!r}; there are {some}"
                + (", …" if len(names) > 5 else "")
            )
        found += mine
    return sorted(set(found))
