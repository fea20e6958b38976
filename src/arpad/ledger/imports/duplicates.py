"""Games of a file that are in the ledger already, whatever their event is called there.

A game is there already if the same players had the same colours and the same result, with as many moves
where both sources know them, and

- on the same day, unless both sources name the round and the rounds differ;
- or in the same round of events whose days overlap, if a source does not know the day;
- or in such events, if at least two games and half of the smaller event agree: a source may give all games
  the first day of the event, and no rounds.

A duplicate enters, so that its event is complete, and does not count (`unrated`) until somebody decides
otherwise.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl
import sqlalchemy as sa

from arpad.ledger.db import tables
from arpad.model import schema

if TYPE_CHECKING:
    from arpad.ledger.register import Register

__all__ = ["DUPLICATES", "GAMES_HERE", "compare_reports", "find_duplicates"]

DUPLICATES = schema({"id": pl.Int64, "own": pl.Int64, "game": pl.Int64, "event": pl.Int64})
"""A game of the file and its event, the game that is there already and the event of that one."""
GAMES_HERE = schema(
    {
        "id": pl.Int64,
        "event_id": pl.Int64,
        "number": pl.Int64,
        "round": pl.String,
        "date": pl.Date,
        "precision": pl.String,
        "white_id": pl.Int64,
        "black_id": pl.Int64,
        "score": pl.Float64,
        "black_score": pl.Float64,
        "plies": pl.Int64,
        "status": pl.String,
    }
)
PAIR = ("white_id", "black_id", "score", "black_score")
FEWEST = 2
"""Games that must agree before a coincidence without day or round is believed."""
DAYS = schema({"event_id": pl.Int64, "start": pl.Date, "end": pl.Date, "counts": pl.Boolean})


def find_duplicates(rows: pl.DataFrame, events: pl.DataFrame, known: Register) -> pl.DataFrame:
    """Return which games of a file (`DUPLICATES`) are there already, in an event that counts.

    Parameters
    ----------
    rows
        The games that enter, as the ledger has them.
    events
        `id`, `start`, `end` and `excluded` of their events.
    """
    days = events.select(pl.col("id").alias("event_id"), "start", "end", counts=~pl.col("excluded"))
    counting = days.filter("counts")["event_id"].implode()
    mine = rows.select(pl.col(name).cast(kind) for name, kind in GAMES_HERE.items())
    mine = mine.filter(
        pl.col("event_id").is_in(counting) & (pl.col("status") == "played") & pl.col("black_id").is_not_null()
    )
    if mine.is_empty():
        return DUPLICATES.to_frame(eager=True)
    there = _played_between(mine, days, known)
    after = known.events(there["event_id"]).select(
        pl.col("id").alias("event_id"), "start", "end", counts=pl.lit(True)
    )
    every = pl.concat([days.cast(DAYS), after.cast(DAYS)]).unique("event_id", keep="first")
    pairs = _with_days(mine, every).join(_with_days(pl.concat([there, mine]), every), on=PAIR, suffix="_2")
    return (
        pairs.filter(pl.col("event_id_2") < pl.col("event_id"), _same("plies"))
        .with_columns(match=_match())
        .filter(pl.col("match") > 0)
        .sort("id", -pl.col("match"), (pl.col("round") != pl.col("round_2")).fill_null(True), "id_2")
        .unique("id", keep="first", maintain_order=True)
        .unique("id_2", keep="first", maintain_order=True)
        .pipe(_without_chance, mine, known)
        .select("id", own="event_id", game="id_2", event="event_id_2")
        .cast(DUPLICATES)
    )


def _without_chance(pairs: pl.DataFrame, mine: pl.DataFrame, known: Register) -> pl.DataFrame:
    """Leave out pairs of which neither day nor round is sure, unless their events agree in many games."""
    if (pairs["match"] > 1).all():
        return pairs
    g = tables.games
    others = pairs["event_id_2"].unique().to_list()
    query = sa.select(g.c.event_id, g.c.id).where(g.c.status == "played")
    there = known._rows("games", query, g.c.event_id, others, g.c.id).select("event_id", "id")
    games = pl.concat([mine.select("event_id", "id"), there.cast({"event_id": pl.Int64, "id": pl.Int64})])
    sizes = games.group_by("event_id").agg(size=pl.col("id").n_unique())
    agreed = pl.len().over("event_id", "event_id_2")
    smaller = pl.min_horizontal("size", "size_2")
    return (
        pairs.join(sizes, on="event_id", how="left", maintain_order="left")
        .join(
            sizes, left_on="event_id_2", right_on="event_id", how="left", maintain_order="left", suffix="_2"
        )
        .filter((pl.col("match") > 1) | ((agreed >= FEWEST) & (2 * agreed >= smaller)))
    )


def _played_between(mine: pl.DataFrame, days: pl.DataFrame, known: Register) -> pl.DataFrame:
    """Return the games of these players in the ledger that may be the same: played, and in their days."""
    g, e = tables.games, tables.events
    columns = [g.c[name] for name in GAMES_HERE]
    query = (
        sa.select(*columns)
        .join(e, e.c.id == g.c.event_id)
        .where(g.c.status == "played", e.c.excluded.is_(False))
        .where(g.c.black_id.is_not(None))
    )
    first, last = days["start"].min(), days["end"].max()
    if first is not None and last is not None:
        query = query.where(sa.or_(e.c.end.is_(None), e.c.end >= first))
        query = query.where(sa.or_(e.c.start.is_(None), e.c.start <= last))
    found = known._rows("games", query, g.c.white_id, known.everybody(mine["white_id"].unique()), g.c.id)
    found = found.select(pl.col(name).cast(kind) for name, kind in GAMES_HERE.items())
    return found.with_columns(pl.col("white_id", "black_id").replace(dict(known.merged())))


def _with_days(games: pl.DataFrame, days: pl.DataFrame) -> pl.DataFrame:
    return games.join(days.drop("counts"), on="event_id", how="left", maintain_order="left")


def _same(name: str) -> pl.Expr:
    return (pl.col(name) == pl.col(f"{name}_2")).fill_null(True)


def _number(name: str) -> pl.Expr:
    """Return the round without the board or the game behind its point."""
    return pl.col(name).str.extract(r"^\s*(\d+)")


def _match() -> pl.Expr:
    """Return 3 for the same day, 2 for the same round, 1 where only much agreement decides, else 0."""
    dotted = pl.all_horizontal(pl.col(name).str.contains(".", literal=True) for name in ("round", "round_2"))
    same_round = (
        pl.when(dotted)
        .then(pl.col("round") == pl.col("round_2"))
        .otherwise(_number("round") == _number("round_2"))
    )
    exact = pl.all_horizontal(
        pl.col(name).is_not_null() & (pl.col(p).fill_null("day") == "day")
        for name, p in (("date", "precision"), ("date_2", "precision_2"))
    )
    same_day = exact & (pl.col("date") == pl.col("date_2"))
    overlap = (pl.col("start") <= pl.col("end_2")) & (pl.col("start_2") <= pl.col("end"))
    return (
        pl.when(same_day & same_round.fill_null(True))
        .then(3)
        .when(overlap & same_round & ~exact)
        .then(2)
        .when(overlap & pl.when(exact).then(same_round).otherwise(same_round.is_null()))
        .then(1)
        .otherwise(0)
    )


def compare_reports(games: pl.DataFrame, pairs: pl.DataFrame, known: Register) -> pl.DataFrame:
    """Say of each pair of reports of one event whether the new one is another part of it.

    A part adds games and contradicts none: nobody of it has another opponent or result in the same round,
    or another result against the same opponent on the same day.

    Parameters
    ----------
    games
        Of the file: `event`, `white`, `black` (numbers in the ledger), and the columns of a game.
    pairs
        `event`, `there`.

    Returns
    -------
    `event`, `there`, `part`.
    """
    g = tables.games
    wanted = pairs["there"].unique().to_list()
    query = sa.select(*(g.c[name] for name in GAMES_HERE))
    here = known._rows("games", query, g.c.event_id, wanted, g.c.id)
    here = here.with_columns(pl.col("white_id", "black_id").cast(pl.Int64).replace(dict(known.merged())))
    old = _seats(pairs.join(here.drop("id"), left_on="there", right_on="event_id"))
    new = games.rename({"white": "white_id", "black": "black_id"}).join(pairs, on="event")
    seats = _seats(new)
    key = ["event", "there", "player"]
    met = seats.join(old, on=key, suffix="_2")
    same_round = (pl.col("round") == pl.col("round_2")).fill_null(False)
    same_day = (pl.col("date") == pl.col("date_2")).fill_null(False)
    equal = (
        pl.col("opponent").eq_missing(pl.col("opponent_2"))
        & pl.col("score").eq_missing(pl.col("score_2"))
        & pl.col("white").eq(pl.col("white_2"))
    )
    no_round = pl.col("round").is_null() | pl.col("round_2").is_null()
    against = (same_round & ~equal) | (
        no_round & same_day & (pl.col("opponent") == pl.col("opponent_2")).fill_null(False) & ~equal
    )
    again = equal & (same_round | (no_round & same_day))
    met = met.with_columns(against=against, again=again)
    judged = met.group_by("event", "there").agg(pl.col("against").any())
    repeated = met.filter("again").select("event", "there", "game").unique()
    sizes = new.group_by("event", "there").agg(pl.len().alias("games"))
    counted = repeated.group_by("event", "there").agg(pl.len().alias("repeated"))
    return (
        pairs.join(judged, on=["event", "there"], how="left")
        .join(sizes, on=["event", "there"], how="left")
        .join(counted, on=["event", "there"], how="left")
        .select(
            "event",
            "there",
            part=~pl.col("against").fill_null(False)
            & (pl.col("repeated").fill_null(0) < pl.col("games").fill_null(0)),
        )
        .sort("event", "there")
    )


def _seats(games: pl.DataFrame) -> pl.DataFrame:
    """Return each game twice: as each of its players sees it."""
    told = ("event", "there", "round", "date")
    games = games.with_row_index("game")
    sides = [
        games.select(
            *told,
            "game",
            player=pl.col(f"{side}_id").cast(pl.Int64),
            opponent=pl.col(f"{other}_id").cast(pl.Int64),
            score=pl.col("score" if side == "white" else "black_score"),
            white=pl.lit(side == "white"),
        )
        for side, other in (("white", "black"), ("black", "white"))
    ]
    return pl.concat(sides).filter(pl.col("player").is_not_null())
