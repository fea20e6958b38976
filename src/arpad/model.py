"""The vocabulary: Player, Event, Games and Ratings.

`Games` is a column table. Its columns `white` and `black` are row numbers of `players`, `event` is a
row number of `events`; kernels see those integers, people see names (`Games.frame`).
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any, get_args

import polars as pl

from arpad.errors import UsageError
from arpad.schema import GAME_SCHEMA, PLAYER_SCHEMA, Status, filled

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import date

__all__ = ["Event", "Games", "Player", "Ratings", "ranked"]


SHOWN = 6
"""Parameters that a summary names; the result itself has all of them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Player:
    """One person."""

    name: str
    id: str | None = None
    federation: str | None = None
    title: str | None = None
    sex: str | None = None
    birth: str | None = None
    rating: float | None = None
    k: float | None = None
    total_games: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """One tournament, match or exhibition."""

    name: str
    site: str | None = None
    federation: str | None = None
    start: date | None = None
    end: date | None = None
    kind: str | None = None
    arbiter: str | None = None
    deputies: tuple[str, ...] = ()
    time_control: str | None = None
    rounds: int | None = None
    round_dates: tuple[str, ...] = ()
    rating_system: str | None = None
    number_two: float | None = None
    """Rating of the world's number two, which the PRA text format carries."""
    teams: tuple[tuple[str, tuple[int, ...]], ...] = ()
    """Team name and the rows of its players."""
    extra: tuple[str, ...] = ()
    """Lines that the reader keeps without understanding them."""


@dataclass(frozen=True, slots=True)
class Games:
    """A column table of games with the players and events it speaks of.

    Examples
    --------
    >>> games = Games.build([("Anand", "Karpov", 1.0), ("Karpov", "Anand", 0.5)])
    >>> len(games), games.players["name"].to_list()
    (2, ['Anand', 'Karpov'])
    """

    table: pl.DataFrame
    players: pl.DataFrame
    events: tuple[Event, ...] = ()

    @classmethod
    def assemble(
        cls,
        columns: Mapping[str, Any],
        players: Mapping[str, Any] | Iterable[Player],
        events: Sequence[Event] = (),
    ) -> Games:
        """Return games from columns whose `white` and `black` are already row numbers.

        Columns that are left out are filled with nulls, `status` with "played".
        """
        if not hasattr(players, "keys"):
            rows = list(players)
            players = {f.name: [getattr(p, f.name) for p in rows] for f in fields(Player)}
        table = filled(columns, GAME_SCHEMA).with_columns(
            pl.col("status").fill_null("played"),
            pl.when(pl.col("black").is_not_null())
            .then(pl.coalesce("black_score", 1 - pl.col("score")))
            .alias("black_score"),
        )
        return cls(table, filled(players, PLAYER_SCHEMA), tuple(events))  # type: ignore[arg-type]

    @classmethod
    def build(cls, games: Iterable[tuple[str, str, float]]) -> Games:
        """Return games from ``(white, black, white's score)``; players are who is named."""
        rows = list(games)
        for white, black, score in rows:
            if white == black or not 0 <= score <= 1:
                raise UsageError(
                    f"expected two players and a score from 0 to 1, found {white!r}, {black!r}, {score!r}"
                )
        names = list(dict.fromkeys(name for white, black, _ in rows for name in (white, black)))
        number = {name: i for i, name in enumerate(names)}
        columns = {
            "white": [number[white] for white, _, _ in rows],
            "black": [number[black] for _, black, _ in rows],
            "score": [score for _, _, score in rows],
        }
        return cls.assemble(columns, {"name": names})

    def __len__(self) -> int:
        """Return the number of pairings, played or not."""
        return self.table.height

    def player(self, row: int) -> Player:
        """Return the player in a row of `players`."""
        return Player(**self.players.row(row, named=True))

    def frame(self) -> pl.DataFrame:
        """Return the table as people read it: names instead of row numbers."""
        names = self.players["name"]
        events = pl.Series("event", [e.name for e in self.events], dtype=pl.String)
        sites = pl.Series("site", [e.site for e in self.events], dtype=pl.String)
        t = self.table
        return t.with_columns(
            names.gather(t["white"]).alias("white"),
            names.gather(t["black"]).alias("black"),
            events.gather(t["event"]),
            sites.gather(t["event"]),
            *(
                self.players[what].gather(t[side]).alias(f"{side}_{what}")
                for what in ("id", "title", "federation", "birth")
                for side in ("white", "black")
            ),
        )

    def rateable(self) -> pl.DataFrame:
        """Return the rows that were played, in the order in which they were played.

        By date, then event, then round, then as they stand in the file. A game without a date
        stays behind the one before it.
        """
        played = self.table.filter(pl.col("status") == "played")
        if _is_ordered(played):
            return played
        round_number = pl.col("round").str.extract(r"^(\d{1,6})").cast(pl.Int32)
        board = pl.col("round").str.extract(r"^\d{1,6}\.(\d{1,6})").cast(pl.Int32)
        order = played.select(
            pl.col("date").forward_fill(),
            pl.col("event"),
            round_number.alias("round"),
            board.alias("board"),
            pl.int_range(pl.len()).alias("row"),
        ).sort("date", "event", "round", "board", "row", nulls_last=False)
        return played[order["row"]]

    def keep(self, rows: pl.Series) -> Games:
        """Return the games in which the mask `rows` is true."""
        return Games(self.table.filter(rows), self.players, self.events)

    def fingerprint(self) -> str:
        """Return a short hash of players, pairings, scores, status and dates."""
        digest = hashlib.blake2b(digest_size=8)
        digest.update("\x1f".join(self.players["name"].fill_null("").to_list()).encode())
        for name in ("white", "black", "score", "status", "date"):
            column = self.table[name].to_physical()
            if column.null_count():
                column = column.cast(pl.Float64).fill_null(-1.0)
            digest.update(column.to_numpy().data)
        return digest.hexdigest()


@dataclass(frozen=True, slots=True, kw_only=True)
class Ratings:
    """What a rating system says of every player, and how it came about.

    `rows` has one row a player, best first: `rank`, `player`, `id`, `rating`, `games`, and whatever
    else the system knows (`before`, `change`, `k`, `error`, …).
    """

    system: str
    rows: pl.DataFrame
    parameters: Mapping[str, Any]
    source: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def rank(
        cls, rows: pl.DataFrame, *, system: str, parameters: Mapping[str, Any], games: Games
    ) -> Ratings:
        """Return ratings sorted and ranked: equal ratings share a rank, unrated players have none."""
        for name in ("player", "rating", "games"):
            if name not in rows.columns:
                raise UsageError(f"expected a column {name!r} in the rows of {system}")
        source = {
            "games": len(games),
            "status": _counts(games.table["status"]),
            "players": games.players.height,
            "fingerprint": games.fingerprint(),
        }
        return cls(system=system, rows=ranked(rows), parameters=dict(parameters), source=source)

    def table(self, top: int | None = None) -> pl.DataFrame:
        """Return the list, best first; only the first `top` rows when given."""
        shown = self.rows.select(
            [c for c in self.rows.columns if c == "rating" or not self.rows[c].is_null().all()]
        )
        return shown if top is None else shown.head(top)

    def summary(self) -> str:
        """Return one sentence on what was rated and how."""
        status = dict(self.source.get("status", {}))
        played = int(status.pop("played", 0))
        known = [f"{k} {v}" for k, v in self.parameters.items() if v is not None]
        settings = ", ".join(known[:SHOWN]) + (", …" if len(known) > SHOWN else "")
        rest = ", ".join(f"{n:,} {word}" for word, n in status.items())
        return (
            f"{self.system}: {played:,} game{'' if played == 1 else 's'},"
            f" {self.rows.height:,} players ({settings})"
            + (f"; not rated: {rest}" if rest else "")
            + f"; input {self.source.get('fingerprint', '?')}"
        )

    def lookup(self, players: pl.DataFrame, column: str = "rating") -> pl.Series:
        """Return `column` for each of `players`, null where unknown.

        Matched by id; by name only if one side has no id and the name stands here once.
        """
        if column not in self.rows.columns:
            return pl.Series(column, [None] * players.height, dtype=pl.Float64)
        if _each_once(self.rows) and not players["id"].null_count():
            return _by_id(self.rows, players, column)
        known = self.rows.filter(pl.col("rating").is_not_null() | pl.col(column).is_not_null())
        if "id" not in known.columns:
            known = known.with_columns(pl.lit(None, dtype=pl.String).alias("id"))
        if not known["id"].null_count() and not players["id"].null_count():
            return _by_id(known.unique("id", keep="last"), players, column)
        by_id = dict(known.filter(pl.col("id").is_not_null()).select("id", column).iter_rows())
        alone = known.filter(~pl.col("player").is_duplicated())
        by_name = {n: (i, v) for n, i, v in alone.select("player", "id", column).iter_rows()}
        values = []
        for name, id_ in players.select("name", "id").iter_rows():
            theirs, value = by_name.get(name, (None, None))
            strangers = id_ is not None and theirs is not None and id_ != theirs
            values.append(by_id.get(id_, None if strangers else value))
        return pl.Series(column, values, dtype=self.rows.schema[column])

    def _repr_html_(self) -> str:
        return f"<p>{self.summary()}</p>{self.table(50)._repr_html_()}"


def _each_once(rows: pl.DataFrame) -> bool:
    """Say whether everybody has an id and stands here once: no row need be left out before a look."""
    ids = rows["id"] if "id" in rows.columns else None
    return ids is not None and not ids.null_count() and ids.n_unique() == len(ids)


def _by_id(known: pl.DataFrame, players: pl.DataFrame, column: str) -> pl.Series:
    """Return `column` for each of `players`, where everybody has an id and stands once among the known."""
    ids = players["id"].to_frame()
    theirs = pl.DataFrame([known["id"], known[column].alias("_found")])
    return ids.join(theirs, on="id", how="left", maintain_order="left")["_found"].alias(column)


def ranked(rows: pl.DataFrame) -> pl.DataFrame:
    """Return rows best first with their `rank`; equal ratings share it, no rating has none."""
    rank = pl.col("rating").rank("min", descending=True).cast(pl.Int64).alias("rank")
    best_first = rows.sort("rating", "player", descending=[True, False], nulls_last=True)
    return best_first.select(rank, pl.exclude("rank"))


def _is_ordered(played: pl.DataFrame) -> bool:
    """Say whether file order is already the order of play (or no other order is known)."""
    dates = played["date"]
    if dates.null_count() == played.height and played["round"].null_count() == played.height:
        return True
    unknown_round = played["round"].null_count() == played.height
    return unknown_round and dates.null_count() == 0 and dates.is_sorted()


def _counts(status: pl.Series) -> dict[str, int]:
    found = dict(status.value_counts().iter_rows())
    return {name: int(found[name]) for name in get_args(Status) if found.get(name)}
