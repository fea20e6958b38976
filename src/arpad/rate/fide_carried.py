"""What FIDE's next list must know of a player beyond rating and games, as one text a player.

``L 2026-02 2104.0 t 41`` is what a list had: its month, the rating, `t` if some list had reached the bound
of K 10 and `r` if some list had reached the juniors' bound, the games so far. An event that began before the
newest list is rated from an older one, so up to three lists are kept. ``G 2025-11 1800.0 0.5 0`` is a game
that waits for a first rating: its month, the opponent's rating, the score, the number of the event.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from arpad.errors import InputError
from arpad.rate.fide_calendar import NEVER
from arpad.schema import schema

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["WAITING", "Carried", "PublishedList", "month_text", "read_carried", "write_carried"]

WAITING = schema(
    {
        "player": pl.Int32,
        "opponent_rating": pl.Float64,
        "score": pl.Float64,
        "month": pl.Int32,
        "event": pl.Int32,  # below 0: of an earlier call
        "here": pl.Boolean,  # played in the games that are being rated
    }
)
"""Games that wait for a first rating."""

EVER = NEVER - 1
"""The month of a list that was in force from the first."""

_ENTRY = (
    r"^(?<kind>[LG]) (?<month>\d{4}-\d\d|-) (?<rating>-|-?\d+(?:\.\d+)?(?:e[+-]?\d+)?) "
    r"(?<what>-|tr?|r|[01](?:\.\d+)?) (?<number>-|\d+)$"
)


@dataclass(frozen=True, slots=True)
class PublishedList:
    """What is in force from the first of a month on: the ratings, and what K depends on."""

    month: int
    ratings: NDArray[np.float64]
    topped: NDArray[np.bool_]
    reached: NDArray[np.bool_]
    total: NDArray[np.int64]

    def words(self) -> pl.Series:
        """Return everybody's entry without its month."""
        flags = pl.Series(["-", "t", "r", "tr"]).gather(self.topped + 2 * self.reached)
        shown = pl.Series(self.ratings).fill_nan(None).cast(pl.String).fill_null("-")
        return pl.select(pl.format("{} {} {}", shown, flags, pl.Series(self.total))).to_series()


@dataclass(frozen=True, slots=True, kw_only=True)
class Carried:
    """What earlier lists and waiting games an earlier call has left.

    Parameters
    ----------
    lists
        `player`, `month`, `rating` (null: none), `topped`, `reached`, `total`; a player's in their order.
    waiting
        The columns of `WAITING`.
    """

    lists: pl.DataFrame
    waiting: pl.DataFrame


def month_text(month: int) -> str:
    """Return a month, counted from the year 0, as 2026-02; a hyphen for none."""
    return "-" if month < 0 else f"{(month - 1) // 12:04d}-{(month - 1) % 12 + 1:02d}"


def write_carried(lists: list[PublishedList], waiting: pl.DataFrame) -> pl.Series:
    """Return what the next call must know of everybody; `lists` in their order, the newest last."""
    newest = lists[-1]
    old = [each for each in lists if each.month <= newest.month - 2][-1:]
    kept = old + [each for each in lists if each.month > newest.month - 2]
    words = [each.words() for each in kept]
    parts = []
    for i, (each, text) in enumerate(zip(kept, words, strict=True)):
        label = month_text(each.month if i or len(kept) == 1 else EVER)
        entry = pl.select(pl.format("L {} {}", pl.lit(label), text)).to_series()
        if i + 1 < len(kept):
            # Said already by the entry before it, or by all the later ones.
            same = words[i - 1] == text if i else _all_same(words)
            entry = entry.set(same, None)
        parts.append(entry)
    return pl.select(
        pl.concat_str(
            *parts, _games_text(waiting, len(newest.ratings)), separator=";", ignore_nulls=True
        )
    ).to_series()


def _all_same(words: list[pl.Series]) -> pl.Series:
    same = pl.repeat(True, len(words[0]), dtype=pl.Boolean, eager=True)
    for other in words[1:]:
        same &= other == words[0]
    return same


def _games_text(waiting: pl.DataFrame, n: int) -> pl.Series:
    """Return everybody's waiting games; events are numbered anew for each player, in their order."""
    if waiting.is_empty():
        return pl.Series([None] * n, dtype=pl.String)
    months = {month: month_text(month) for month in waiting["month"].unique()}
    texts = (
        waiting.with_columns(pl.int_range(pl.len()).alias("at"))
        .with_columns(pl.col("at").first().over("player", "event").alias("first"))
        .with_columns(
            pl.when(pl.col("event").is_not_null())
            .then(pl.col("first").rank("dense").over("player") - 1)
            .cast(pl.String)
            .fill_null("-")
            .alias("number"),
            pl.col("month").replace_strict(months, return_dtype=pl.String).alias("when"),
        )
        .group_by("player", maintain_order=True)
        .agg(pl.format("G {} {} {} {}", "when", "opponent_rating", "score", "number").alias("text"))
        .with_columns(pl.col("text").list.join(";"))
    )
    found: list[str | None] = [None] * n
    for player, text in texts.iter_rows():
        found[player] = text
    return pl.Series(found, dtype=pl.String)


def read_carried(texts: pl.Series) -> Carried:
    """Return what an earlier call has left; `texts` has one entry a player."""
    if texts.null_count() == len(texts):
        return _nothing()
    return _read(texts)


@cache
def _nothing() -> Carried:
    """Return what is left where there was no earlier call: most events are rated alone."""
    return _read(pl.Series([], dtype=pl.String))


def _read(texts: pl.Series) -> Carried:
    entries = (
        pl.DataFrame(
            {"player": np.arange(len(texts), dtype=np.int32), "text": texts.cast(pl.String)}
        )
        .drop_nulls()
        .with_columns(pl.col("text").str.strip_chars().str.split(";"))
        .explode("text")
        .with_columns(pl.col("text").str.extract_groups(_ENTRY).alias("found"))
        .unnest("found")
    )
    strange = entries.filter(pl.col("kind").is_null())["text"]
    if len(strange):
        raise InputError(
            "expected lists and games (L 2026-02 2104.0 t 41;G 2025-11 1800.0 0.5 0) in the column carried, "
            f"as arpad rate --system fide writes it; found {strange[0]!r}"
        )
    year, month = (
        pl.col("month").str.slice(*part).cast(pl.Int32, strict=False) for part in ((0, 4), (5, 2))
    )
    entries = entries.with_columns(
        (year * 12 + month).alias("month"), pl.col("rating").cast(pl.Float64, strict=False)
    )
    lists = entries.filter(pl.col("kind") == "L").select(
        "player",
        pl.col("month").fill_null(EVER),
        "rating",
        pl.col("what").str.contains("t").alias("topped"),
        pl.col("what").str.contains("r").alias("reached"),
        pl.col("number").cast(pl.Int64, strict=False).fill_null(0).alias("total"),
    )
    waiting = entries.filter((pl.col("kind") == "G") & pl.col("rating").is_not_null()).select(
        "player",
        pl.col("rating").alias("opponent_rating"),
        pl.col("what").cast(pl.Float64, strict=False).fill_null(0.0).alias("score"),
        pl.col("month").fill_null(NEVER),
        (-2 - pl.col("number").cast(pl.Int32, strict=False)).alias("event"),
        pl.lit(value=False).alias("here"),
    )
    return Carried(lists=lists, waiting=waiting.cast(WAITING))
