"""What importing a file would change: worked out before anything is written."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import polars as pl

from arpad.office.intake.import_rows import doubt_rows, event_rows, new_names, player_rows
from arpad.office.intake.matching import Matches, match
from arpad.office.records.event_hash import contents
from arpad.office.records.names import folds
from arpad.schema import schema

if TYPE_CHECKING:
    from arpad.office.intake.batch import Batch
    from arpad.office.records.register import Register

__all__ = ["JUDGED", "Plan", "Rows", "plan"]

JUDGED = schema(
    {
        "event": pl.Int32,  # its number in the file
        "what": pl.String,  # new, here, changed
        "id": pl.Int64,  # its number in the ledger; null: it is there already
        "other": pl.Int64,  # the event that is there
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rows:
    """Frames ready to be written, one a table; `filled` completes players that are there."""

    players: pl.DataFrame
    player_ids: pl.DataFrame
    player_names: pl.DataFrame
    events: pl.DataFrame
    games: pl.DataFrame
    doubts: pl.DataFrame
    filled: pl.DataFrame


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """Who the players of a file are, what becomes of its events, and the rows that say so."""

    batch: Batch
    """What is left of the file when the events that are here are left out."""
    matches: Matches
    people: pl.DataFrame
    """`row`, `player`: the number in the ledger of each player of the batch."""
    judged: pl.DataFrame
    rows: Rows


def plan(
    batch: Batch,
    known: Register,
    *,
    renew: bool = False,
) -> Plan:
    """Work out what a file would change.

    Parameters
    ----------
    renew
        Whether the file's titles and federations take the place of others: a federation's list.
    """
    judged = _by_source(batch, known)
    here = judged.filter(pl.col("what") == "here")["event"]
    left = batch.without(here) if len(here) else batch
    incoming = _with_ratings(left)
    matches = match(incoming, known, scheme=batch.scheme)
    people = _people(matches, known)
    games = _numbered(left.games, people)
    filled = _filled(left, matches, known, renew=renew)
    births = _births(left, people, known, filled)
    now = contents(games, births)
    judged = _by_name(left, known, judged, now)
    same = judged.filter(pl.col("what") == "here")["event"]
    games = games.filter(~pl.col("event").is_in(same.implode()))
    judged = _with_ids(judged, known.numbers["events"])
    rows = Rows(
        players=player_rows(left, people, matches),
        player_ids=_new_ids(left, people, known),
        player_names=new_names(left, people, known),
        events=event_rows(left, judged, now, people),
        games=_game_rows(games, judged, known.numbers["games"]),
        doubts=doubt_rows(left, people, matches, judged, known),
        filled=filled,
    )
    return Plan(batch=left, matches=matches, people=people, judged=judged, rows=rows)


def _by_source(batch: Batch, known: Register) -> pl.DataFrame:
    """Say which events are in the ledger as they stand in the file, or stand in it twice."""
    sources = batch.events["source"].to_list()
    there = known.events_by_source(sources).select("source", other="id")
    first = pl.col("event") == pl.col("event").min().over("source")
    return (
        batch.events.select("event", "source")
        .join(there, on="source", how="left", maintain_order="left")
        .with_columns(
            pl.when(pl.col("other").is_not_null() | ~first)
            .then(pl.lit("here"))
            .otherwise(pl.lit("new"))
            .alias("what"),
            pl.lit(None, dtype=pl.Int64).alias("id"),
        )
        .select(pl.col(name).cast(kind) for name, kind in JUDGED.items())
    )


def _with_ratings(batch: Batch) -> pl.DataFrame:
    """Return the players with the last rating that the file gives them."""
    sides = pl.concat(
        batch.games.select(
            pl.col(side).alias("row"),
            pl.col("date").alias("day"),
            pl.col(f"{side}_rating").alias("rating"),
        )
        for side in ("white", "black")
    ).drop_nulls()
    last = (
        sides.sort("row", "day", "rating")
        .group_by("row", maintain_order=True)
        .agg(pl.col("rating").last().alias("rated"), pl.col("day").last().alias("on"))
    )
    joined = batch.players.join(last, on="row", how="left", maintain_order="left")
    return joined.with_columns(
        pl.coalesce("rated", "rating").alias("rating"), pl.coalesce("on", "day").alias("day")
    ).drop("rated", "on")


def _people(matches: Matches, known: Register) -> pl.DataFrame:
    """Give a number to everybody: that of the player found, or the next free one."""
    new = pl.col("player").is_null()
    number = new.cum_sum() + (known.numbers["players"] - 1)
    return matches.rows.select(
        "row", pl.when(new).then(number).otherwise("player").cast(pl.Int64).alias("player")
    )


def _numbered(games: pl.DataFrame, people: pl.DataFrame) -> pl.DataFrame:
    """Return the games with the numbers of their players in the ledger."""
    highest = int(people["row"].max() or 0) if people.height else 0  # type: ignore[arg-type]
    at = (
        pl.DataFrame({"row": pl.int_range(highest + 1, dtype=pl.Int32, eager=True)})
        .join(people, on="row", how="left", maintain_order="left")["player"]
    )  # fmt: skip
    return games.with_columns(at.gather(games[side]).alias(side) for side in ("white", "black"))


def _filled(batch: Batch, matches: Matches, known: Register, *, renew: bool) -> pl.DataFrame:
    """Return what the file knows of players that are there and the ledger does not."""
    fields = ("birth", "federation", "sex", "title")
    found = matches.rows.filter(pl.col("player").is_not_null()).select("row", "player")
    before = known.profiles(found["player"]).drop("name")
    known_of = before.rename({c: f"{c}_known" for c in fields})
    pairs = (
        batch.players.join(found, on="row", maintain_order="left")
        .join(known_of, on="player", how="left", maintain_order="left")
    )  # fmt: skip

    def better(name: str) -> pl.Expr:
        value, before = pl.col(name), pl.col(f"{name}_known")
        wanted = before.is_null()
        if name == "birth":  # a day says more than its year
            wanted |= value.str.starts_with(before) & (value != before)
        if renew and name in ("federation", "title"):
            wanted |= value != before
        return pl.when(value.is_not_null() & wanted).then(value).alias(name)

    pairs = pairs.select("player", *(better(name) for name in fields))
    return pairs.filter(pl.any_horizontal(pl.col(name).is_not_null() for name in fields)).sort(
        "player"
    )


def _births(
    batch: Batch, people: pl.DataFrame, known: Register, filled: pl.DataFrame
) -> pl.DataFrame:
    before = known.profiles(people["player"]).select("player", "birth")
    new = batch.players.select("row", "birth").join(people, on="row", maintain_order="left")
    new = new.join(before, on="player", how="anti", maintain_order="left")
    every = pl.concat([before, new.select("player", "birth")])
    return every.update(filled.select("player", "birth"), on="player")


def _by_name(
    batch: Batch, known: Register, judged: pl.DataFrame, now: pl.DataFrame
) -> pl.DataFrame:
    """Find new events whose name and days are here already, with the same games or with others."""
    named = batch.events.select("event", "site", "start", "end", folds(batch.events["name"]))
    if batch.events.is_empty():
        return judged
    near = known.events_between(batch.events["start"].min(), batch.events["end"].max())  # type: ignore[arg-type]
    there = near.select(
        pl.col("id").alias("there"), folds(near["name"]), "content",
        pl.col("site").alias("site_2"), pl.col("start").alias("start_2"), pl.col("end").alias("end_2"),
    )  # fmt: skip
    pairs = (
        named.join(there, on="fold", maintain_order="left")
        .filter(
            (pl.col("start") <= pl.col("end_2")) & (pl.col("start_2") <= pl.col("end")),
            (pl.col("site") == pl.col("site_2")).fill_null(value=True),
        )
        .join(now, on="event", maintain_order="left")
        .with_columns((pl.col("hash") == pl.col("content")).alias("same"))
        .sort("event", pl.col("same").not_(), "there")
        .unique("event", keep="first", maintain_order=True)
        .select("event", "there", pl.when("same").then(pl.lit("here")).otherwise(pl.lit("changed")).alias("word"))
    )  # fmt: skip
    return judged.join(pairs, on="event", how="left", maintain_order="left").select(
        "event",
        pl.coalesce("word", "what").alias("what"),
        "id",
        pl.coalesce("there", "other").alias("other"),
    )


def _with_ids(judged: pl.DataFrame, first: int) -> pl.DataFrame:
    entered = pl.col("what") != "here"
    number = entered.cum_sum() + (first - 1)
    return judged.with_columns(pl.when(entered).then(number).cast(pl.Int64).alias("id"))


def _new_ids(batch: Batch, people: pl.DataFrame, known: Register) -> pl.DataFrame:
    """Return the ids that the ledger does not have: of new players, and of those found by name."""
    values = batch.players["value"].drop_nulls().to_list()
    taken = known.ids(batch.scheme, values)["value"].implode()
    found = (
        batch.players.select("row", "value")
        .filter(pl.col("value").is_not_null() & ~pl.col("value").is_in(taken))
        .join(people, on="row", maintain_order="left")
    )
    return found.select(
        pl.col("player").alias("player_id"), pl.lit(batch.scheme).alias("scheme"), "value"
    )


def _game_rows(games: pl.DataFrame, judged: pl.DataFrame, first: int) -> pl.DataFrame:
    numbered = judged.select("event", pl.col("id").alias("event_id"))
    rows = games.join(numbered, on="event", maintain_order="left").sort("event_id", "number")
    return rows.select(
        (pl.int_range(pl.len(), dtype=pl.Int64) + first).alias("id"),
        "event_id", "number", "round", "board", "date", pl.col("precision").cast(pl.String),
        pl.col("white").alias("white_id"), pl.col("black").alias("black_id"),
        "score", "black_score", pl.col("status").cast(pl.String),
        "white_rating", "black_rating", "plies",
    )  # fmt: skip
