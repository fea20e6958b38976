"""Names become integers here, and nowhere else."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from arpad.schema import PLAYER_SCHEMA

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["Roster", "Vocabulary"]

ID_MARK = "\x1f#"  # no name begins like this
PROFILE = ("federation", "title")


class Vocabulary:
    """Strings to numbers, in the order in which they first appear."""

    def __init__(self) -> None:
        self._categories = pl.Categories.random()
        # Polars forgets the mapping once no column uses it: hold an empty one.
        self._held = pl.Series([], dtype=pl.Categorical(self._categories))

    def index(self, words: pl.Series) -> pl.Series:
        """Return the number of every word; new words get new numbers, null stays null."""
        return words.cast(pl.Categorical(self._categories)).to_physical().cast(pl.Int32)

    def words(self) -> list[str]:
        """Return the words so far, by number."""
        words: list[str] = self._categories.to_series().to_list()
        return words


class Roster:
    """Players to numbers: by id where there is one, else by name.

    A player who appears with an id in one game and without in another is one person, provided that
    the name belongs to a single id.
    """

    def __init__(self) -> None:
        self._keys = Vocabulary()
        self._profiles: list[pl.DataFrame] = []

    def index(
        self, names: pl.Series, ids: pl.Series | None = None, **profile: pl.Series
    ) -> pl.Series:
        """Return a number for every row; rows with neither name nor id are null."""
        if ids is None and not profile:
            return self._keys.index(names)
        frame = pl.DataFrame({"name": names, **profile}).with_columns(
            (ids if ids is not None else pl.Series([None], dtype=pl.String)).alias("id")
        )
        keys = frame.select(
            pl.when(pl.col("id").is_not_null())
            .then(pl.concat_str(pl.lit(ID_MARK), "id"))
            .otherwise("name")
        ).to_series()
        numbers = self._keys.index(keys)
        seen = frame.with_columns(numbers.alias("number")).filter(pl.col("number").is_not_null())
        self._profiles.append(_digest(seen))
        return numbers

    def finish(self) -> tuple[pl.DataFrame, pl.Series]:
        """Return the players, and the row in it of every number given out."""
        keys = pl.DataFrame({"key": self._keys.words()}, schema={"key": pl.String}).with_columns(
            pl.int_range(pl.len(), dtype=pl.Int32).alias("number")
        )
        is_id = pl.col("key").str.starts_with(ID_MARK)
        players = keys.select(
            "number",
            pl.when(is_id).then(None).otherwise("key").alias("name"),
            pl.when(is_id).then(pl.col("key").str.strip_prefix(ID_MARK)).alias("id"),
        )
        if self._profiles:
            known = _digest(pl.concat(self._profiles, how="diagonal")).drop("id", strict=False)
            players = players.join(
                known, on="number", how="left", maintain_order="left"
            ).with_columns(
                pl.coalesce("name_right", "name", pl.concat_str(pl.lit("#"), "id")).alias("name")
            )
        return _unite(players)


def _digest(seen: pl.DataFrame) -> pl.DataFrame:
    """One row a number: the fullest name, the last known title and federation."""
    columns = [c for c in PROFILE if c in seen.columns]
    return seen.group_by("number", maintain_order=True).agg(
        _fullest(),
        *[pl.col(c).drop_nulls().last() for c in columns],
    )


def _fullest() -> pl.Expr:
    name = pl.col("name").filter(pl.col("name").is_not_null() & (pl.col("name") != ""))
    return name.get(name.str.len_chars().arg_max(), null_on_oob=True)


def _unite(players: pl.DataFrame) -> tuple[pl.DataFrame, pl.Series]:
    """Give a player without an id the row of the one player with an id and the same name."""
    with_id = players.filter(pl.col("id").is_not_null())
    namesakes = with_id.group_by("name").agg(pl.col("number").first(), pl.len().alias("people"))
    unique = namesakes.filter(pl.col("people") == 1).select("name", target="number")
    joined = players.join(unique, on="name", how="left", maintain_order="left")
    target = joined.select(
        pl.when(pl.col("id").is_null() & pl.col("target").is_not_null())
        .then("target")
        .otherwise("number")
    ).to_series()
    kept = players.filter(pl.Series(target == players["number"]))
    row_of = {number: row for row, number in enumerate(kept["number"])}
    rows = pl.Series("row", [row_of[n] for n in target], dtype=pl.Int32)
    return _conform(kept), rows


def _conform(players: pl.DataFrame, columns: Sequence[str] = tuple(PLAYER_SCHEMA)) -> pl.DataFrame:
    missing = [
        pl.lit(None, dtype=PLAYER_SCHEMA[c]).alias(c) for c in columns if c not in players.columns
    ]
    return players.with_columns(missing).select(pl.col(c).cast(PLAYER_SCHEMA[c]) for c in columns)
