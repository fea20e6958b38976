"""Write an import plan into the ledger: all of a file, or nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl
import sqlalchemy as sa

from arpad.errors import InputError
from arpad.ledger.db import tables
from arpad.ledger.db.bulk import bulk_insert, chunks, insert, rows_in
from arpad.ledger.db.tables import now
from arpad.ledger.decisions.decisions import events_of, persons
from arpad.ledger.games import renew_contents
from arpad.ledger.imports.staging import Settings
from arpad.ledger.register import among
from arpad.model import Status, schema
from arpad.moves.positions import starting_board
from arpad.read.pgn.games import LONGEST_TEXT, movetexts

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from sqlalchemy.engine import Connection

    from arpad.ledger.imports.plan import Plan
    from arpad.ledger.imports.staging import Incoming, StagedFile
    from arpad.ledger.register import Register


_FIELDS = ("birth", "federation", "sex", "title")


def write_plan(
    connection: Connection,
    plan: Plan,
    *,
    file: str,
    sha256: str,
    format: str,
    options: dict[str, str],
    who: str,
    step: Callable[[str], None] = lambda _: None,
) -> int:
    """Write what an import changes and return its number.

    `step`: Called before each table with its name: crash tests stop here.
    """
    rows, when = plan.rows, now()
    step("imports")
    number = insert(
        connection,
        tables.imports,
        file=file,
        sha256=sha256,
        format=format,
        options=options or None,
        when=when,
        who=who,
        games=rows.games.height,
        events=rows.events.height,
        players_new=rows.players.height,
        doubtful=rows.doubts.height,
    )
    ours = pl.lit(number, dtype=pl.Int64).alias("import_id")
    opened = pl.lit(when, dtype=pl.Datetime("us", "UTC")).alias("opened")
    for table, frame in (
        (tables.players, rows.players.with_columns(ours)),
        (tables.player_ids, rows.player_ids),
        (tables.player_names, rows.player_names),
        (tables.events, rows.events.with_columns(ours)),
        (tables.games, rows.games),
        (tables.doubts, rows.doubts.with_columns(ours, opened)),
    ):
        step(table.name)
        bulk_insert(connection, table, frame)
    step("filled")
    _fill(connection, rows.filled)
    set_status(connection, rows.unrated, "unrated")
    return number


def set_status(connection: Connection, games: Sequence[int], status: Status) -> None:
    """Let games that are there count from now on, or no more."""
    g = tables.games
    for some in chunks(games):
        connection.execute(g.update().where(g.c.id.in_(some)).values(status=status))
    events = {row[0] for row in rows_in(connection, sa.select(g.c.event_id).distinct(), g.c.id, games)}
    renew_contents(connection, sorted(events))


def _fill(connection: Connection, filled: pl.DataFrame) -> None:
    """Complete players; where a birth is new, the content of the events they played in is, too."""
    p = tables.players
    if filled.is_empty():
        return
    better: dict[str, Any] = {
        name: sa.func.coalesce(sa.bindparam(f"new_{name}"), p.c[name]) for name in _FIELDS
    }
    connection.execute(
        p.update().where(p.c.id == sa.bindparam("player")).values(**better),
        filled.rename({name: f"new_{name}" for name in _FIELDS}).to_dicts(),
    )
    born = filled.filter(pl.col("birth").is_not_null())["player"].to_list()
    renew_contents(connection, events_of(connection, persons(connection, born)))


# Moves into the ledger: of games that enter, and of games that are here without them.

WANTED = schema(
    {
        "line": pl.Int64,  # at which the game begins in its file
        "game": pl.Int64,  # its number in the ledger
        "here": pl.Boolean,  # it was there already, without moves
    }
)
KEY = ["event_id", "white", "black", "round", "date", "nth"]
"""Columns that identify a game of an event: players, date, and number of their game."""


def moves_wanted(one: Incoming, planned: Plan, known: Register) -> pl.DataFrame:
    """Return which games of a file get moves: those that enter, and those here that have none."""
    if "line" not in one.batch.games.columns:  # no format but PGN has moves
        return WANTED.to_frame(eager=True)
    games = one.batch.games.filter((pl.col("plies") > 0) & pl.col("black").is_not_null())
    numbered = planned.judged.select("event", pl.col("id").alias("event_id")).drop_nulls()
    rows = planned.rows.games.select("event_id", "number", pl.col("id").alias("game"))
    new = (
        games.select("event", "number", "line")
        .join(numbered, on="event")
        .join(rows, on=["event_id", "number"])
    )
    here = planned.judged.filter(pl.col("what") == "here").select("event", event_id="other")
    result = _without_moves(one.batch, games, here.drop_nulls(), known)
    return pl.concat(
        part.select("line", "game", pl.lit(there).alias("here")).cast(WANTED)
        for part, there in ((new, False), (result, True))
    ).sort("line")


def write_moves(connection: Connection, path: str, one: Incoming, wanted: pl.DataFrame) -> tuple[int, int]:
    """Write the moves that are wanted out of a file, piece by piece; return of how many games, new and here."""
    written = here = 0
    for texts in movetexts(path, wanted["line"]) if wanted.height else ():
        result = texts.join(wanted, on="line", maintain_order="left")
        _note(one, result)
        result = result.filter(pl.col("text") != "")
        result = result.filter(_is_chess(result["variant"]))
        start = pl.col("fen").str.replace_all("\0", "", literal=True)
        rows = result.select(pl.col("game").alias("game_id"), start.alias("start"), "text")
        written += bulk_insert(connection, tables.moves, rows.sort("game_id"))
        here += int(result["here"].sum())
    return written - here, here


def settings_of(connection: Connection, number: int) -> Settings:
    """Return what was said of a file when it was imported: read again, it gives the same events."""
    f = tables.imports.c
    said = connection.execute(sa.select(f.options).where(f.id == number)).scalar()
    return Settings(**(said or {}))


def _note(one: Incoming, found: pl.DataFrame) -> None:
    """Say which games have more text than is kept."""
    for line in found.filter(pl.col("text").is_null())["line"]:
        most = f"expected moves of at most {LONGEST_TEXT >> 10:,} KiB, found more"
        one.report.add(one.file, line, "noted", f"{most}: the game is entered without its moves")


def _is_chess(variants: pl.Series) -> pl.Series:
    """Say which games follow the rules of chess, or of Chess960."""
    known = {}
    for variant in variants.unique():
        try:
            starting_board(None, variant)
            known[variant] = True
        except InputError:
            known[variant] = False
    return pl.Series([known[v] for v in variants], dtype=pl.Boolean)


def _without_moves(
    batch: StagedFile, games: pl.DataFrame, here: pl.DataFrame, known: Register
) -> pl.DataFrame:
    """Return `line` and `game` of games in events that are here, where the ledger has no moves."""
    nothing = WANTED.to_frame(eager=True).drop("here")
    if known.connection is None or here.is_empty():
        return nothing
    there = _bare(known, here["event_id"].unique().sort().to_list())
    if there.is_empty():
        return nothing
    file = games.join(here, on="event", maintain_order="left")
    file = file.select("event_id", "number", "line", "white", "black", "round", "date")
    return _counted(_named(batch, file, there, known)).join(
        _counted(there), on=KEY, nulls_equal=True, maintain_order="left"
    )


def _bare(known: Register, events: list[int]) -> pl.DataFrame:
    """Return the games of events that have no moves, with who the players are today."""
    assert known.connection is not None
    g, m = tables.games, tables.moves
    query = sa.select(
        g.c.id.label("game"),
        g.c.event_id,
        g.c.number,
        g.c.white_id.label("white"),
        g.c.black_id.label("black"),
        g.c.round,
        g.c.date,
    ).where(~sa.exists().where(m.c.game_id == g.c.id))
    result = among(known.connection, query, g.c.event_id, events, g.c.id)
    return result.with_columns(pl.col("white", "black").replace(dict(known.merged())))


def _named(batch: StagedFile, games: pl.DataFrame, there: pl.DataFrame, known: Register) -> pl.DataFrame:
    """Put the numbers of players in the ledger in the place of rows of the file: by id, by name."""
    people = batch.players.select("row", "value", "fold")
    ids = known.ids(batch.scheme, people["value"].drop_nulls().to_list())
    people = people.join(ids.rename({"player": "by_id"}), on="value", how="left", maintain_order="left")
    sides = [
        there.select("event_id", pl.col(side).alias("player")).drop_nulls() for side in ("white", "black")
    ]
    present = pl.concat(sides).unique()
    spelled = present.join(known.spellings(present["player"]).select("player", "fold"), on="player").filter(
        pl.len().over("event_id", "fold") == 1
    )
    for side in ("white", "black"):
        games = (
            games.join(people, left_on=side, right_on="row", how="left", maintain_order="left")
            .join(spelled, on=["event_id", "fold"], how="left", maintain_order="left")
            .with_columns(pl.coalesce("by_id", "player").alias(side))
            .drop("by_id", "player", "value", "fold")
        )
    return games.drop_nulls(["white", "black"])


def _counted(games: pl.DataFrame) -> pl.DataFrame:
    """Give numbers to the games that the same players had on one day in one round."""
    own = [name for name in KEY if name != "nth"]
    return games.sort("event_id", "number").with_columns(pl.int_range(pl.len()).over(own).alias("nth"))
