"""Hashes of events: the same games give the same hash, in whatever order and file they stand.

`source` is the hash of a report as it came: it makes importing idempotent. `content` is the hash of
what counts today, players merged and games corrected: it tells a list whether its period has changed.
"""

from __future__ import annotations

import hashlib

import polars as pl

__all__ = ["GAME_FIELDS", "contents", "hashes"]

DIGEST = 16
"""Bytes of a hash: 128 bits, enough for any number of events that a database holds."""

UNIT = "\x1f"
"""Stands between fields, and in no field."""

THOUSANDTHS = 1000
"""Scores and ratings are compared to three decimals."""

GAME_FIELDS = (
    "score", "black_score", "status", "date", "precision", "round", "white_rating", "black_rating",
)  # fmt: skip


def hashes(games: pl.DataFrame, white: pl.Series, black: pl.Series) -> pl.DataFrame:
    """Return `event` and `hash` of every event.

    Parameters
    ----------
    games
        `event` and the columns of a game.
    white, black
        Who played: text that says it, the same in every file.
    """
    fields = [
        white.cast(pl.String).fill_null("").alias("_white"),
        black.cast(pl.String).fill_null("").alias("_black"),
        *(_text(games[name]) for name in GAME_FIELDS),
    ]
    lines = pl.DataFrame(
        [games["event"], pl.select(pl.concat_str(fields, separator=UNIT)).to_series().alias("line")]
    )
    texts = lines.group_by("event").agg(pl.col("line").sort().str.join("\n")).sort("event")
    found = [
        hashlib.blake2b(text.encode(), digest_size=DIGEST).hexdigest() for text in texts["line"]
    ]
    return texts.select("event", pl.Series("hash", found, dtype=pl.String))


def _text(column: pl.Series) -> pl.Series:
    """Return a column as text that no version of a library writes otherwise."""
    if column.dtype.is_float():
        column = (column * THOUSANDTHS).round(0).cast(pl.Int64)
    return column.cast(pl.String).fill_null("")


def contents(games: pl.DataFrame, births: pl.DataFrame) -> pl.DataFrame:
    """Return `event` and `hash` of what counts in every event today.

    Parameters
    ----------
    games
        `event`, `white` and `black` (players, merges applied) and the columns of a game.
    births
        `player`, `birth`: an age may decide on a K.
    """
    born = births.filter(pl.col("birth").is_not_null()).select(
        "player", pl.concat_str("player", "birth", separator="*").alias("who")
    )
    sides = (
        games.select(pl.col(side).cast(pl.Int64).alias("player"))
        .join(born, on="player", how="left", maintain_order="left")
        .select(pl.coalesce("who", pl.col("player").cast(pl.String)))
        .to_series()
        for side in ("white", "black")
    )
    return hashes(games, *sides)
