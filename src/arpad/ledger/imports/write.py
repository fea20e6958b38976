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
from arpad.ledger.imports.plan import PROFILE
from arpad.ledger.imports.staging import Settings
from arpad.ledger.register import among
from arpad.model import Status, schema
from arpad.moves.positions import starting_board
from arpad.read.pgn.games import LONGEST_TEXT, movetexts

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from sqlalchemy.engine import Connection

    from arpad.ledger.imports.plan import Plan
    from arpad.ledger.imports.staging import StagedFile, StagedGames
    from arpad.ledger.register import Register


def write_plan(
    connection: Connection,
    file: StagedFile,
    plan: Plan,
    *,
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
        file=file.file,
        sha256=file.sha256,
        format=file.format,
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
    """Let games of the ledger count from now on, or no more."""
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
        name: sa.func.coalesce(sa.bindparam(f"new_{name}"), p.c[name]) for name in PROFILE
    }
    connection.execute(
        p.update().where(p.c.id == sa.bindparam("player")).values(**better),
        filled.rename({name: f"new_{name}" for name in PROFILE}).to_dicts(),
    )
    born = filled.filter(pl.col("birth").is_not_null())["player"].to_list()
    renew_contents(connection, events_of(connection, persons(connection, born)))


# Moves into the ledger: of games that enter, and of games that the ledger has without them.

WANTED = schema(
    {
        "line": pl.Int64,  # at which the game begins in its file
        "game": pl.Int64,  # its number in the ledger
        "known": pl.Boolean,  # the ledger has it already, without moves
    }
)
KEY = ["event_id", "white", "black", "round", "date", "nth"]
"""Columns that identify a game of an event: players, date, and number of their game."""


def moves_wanted(file: StagedFile, plan: Plan, register: Register) -> pl.DataFrame:
    """Return which games of a file get moves: those that enter, and those of the ledger that have none."""
    staged = file.staged
    if "line" not in staged.games.columns:  # no format but PGN has moves
        return WANTED.to_frame(eager=True)
    games = staged.games.filter((pl.col("plies") > 0) & pl.col("black").is_not_null())
    numbered = plan.outcomes.select("event", pl.col("id").alias("event_id")).drop_nulls()
    rows = plan.rows.games.select("event_id", "number", pl.col("id").alias("game"))
    new = (
        games.select("event", "number", "line")
        .join(numbered, on="event")
        .join(rows, on=["event_id", "number"])
    )
    events = plan.outcomes.filter(pl.col("what") == "here").select("event", event_id="other").drop_nulls()
    known = _without_moves(staged, games, events, register)
    return pl.concat(
        part.select("line", "game", pl.lit(value).alias("known")).cast(WANTED)
        for part, value in ((new, False), (known, True))
    ).sort("line")


def write_moves(connection: Connection, path: str, file: StagedFile, wanted: pl.DataFrame) -> tuple[int, int]:
    """Write the moves that are wanted out of a file, piece by piece; return of how many games, new and known."""
    written = known = 0
    for texts in movetexts(path, wanted["line"]) if wanted.height else ():
        rows = texts.join(wanted, on="line", maintain_order="left")
        for line in rows.filter(pl.col("text").is_null())["line"]:
            most = f"expected moves of at most {LONGEST_TEXT >> 10:,} KiB, found more"
            file.report.add(file.file, line, "noted", f"{most}: the game is entered without its moves")
        rows = rows.filter(pl.col("text") != "")
        rows = rows.filter(_is_chess(rows["variant"]))
        start = pl.col("fen").str.replace_all("\0", "", literal=True)
        moves = rows.select(pl.col("game").alias("game_id"), start.alias("start"), "text")
        written += bulk_insert(connection, tables.moves, moves.sort("game_id"))
        known += int(rows["known"].sum())
    return written - known, known


def settings_of(connection: Connection, number: int) -> Settings:
    """Return what was said of a file when it was imported: read again, it gives the same events."""
    f = tables.imports.c
    return Settings(**(connection.execute(sa.select(f.options).where(f.id == number)).scalar() or {}))


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
    staged: StagedGames, games: pl.DataFrame, events: pl.DataFrame, register: Register
) -> pl.DataFrame:
    """Return `line` and `game` of games in known events where the ledger has no moves."""
    nothing = WANTED.to_frame(eager=True).drop("known")
    if register.connection is None or events.is_empty():
        return nothing
    g, m = tables.games.c, tables.moves
    query = sa.select(
        *(g.id.label("game"), g.event_id, g.number, g.white_id.label("white"), g.black_id.label("black")),
        *(g.round, g.date),
    ).where(~sa.exists().where(m.c.game_id == g.id))
    wanted = events["event_id"].unique().sort().to_list()
    bare = among(register.connection, query, g.event_id, wanted, g.id)
    if bare.is_empty():
        return nothing
    bare = bare.with_columns(pl.col("white", "black").replace(dict(register.merged())))
    mine = games.join(events, on="event", maintain_order="left")
    mine = mine.select("event_id", "number", "line", "white", "black", "round", "date")
    return _counted(_with_players(staged, mine, bare, register)).join(
        _counted(bare), on=KEY, nulls_equal=True, maintain_order="left"
    )


def _with_players(
    staged: StagedGames, games: pl.DataFrame, bare: pl.DataFrame, register: Register
) -> pl.DataFrame:
    """Put the numbers of players in the ledger in the place of rows of the file: by id, by name."""
    people = staged.players.select("row", "value", "fold")
    ids = register.ids(staged.scheme, people["value"].drop_nulls().to_list())
    people = people.join(ids.rename({"player": "by_id"}), on="value", how="left", maintain_order="left")
    sides = [
        bare.select("event_id", pl.col(side).alias("player")).drop_nulls() for side in ("white", "black")
    ]
    present = pl.concat(sides).unique()
    spellings = register.spellings(present["player"]).select("player", "fold")
    spelled = present.join(spellings, on="player").filter(pl.len().over("event_id", "fold") == 1)
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
