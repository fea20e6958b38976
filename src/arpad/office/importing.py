"""Files into the ledger: each whole or not at all, each only once, nobody guessed at."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import polars as pl

from arpad.office.batch import Settings
from arpad.office.given_list import write_given_list
from arpad.office.import_file import Incoming, incoming
from arpad.office.import_plan import Plan, plan
from arpad.office.import_result import Imported
from arpad.office.import_write import write_plan
from arpad.office.known import RATINGS, Known, Numbers, given_ratings, stamp
from arpad.office.names import folds
from arpad.store.ledger.ledger import user_name

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from sqlalchemy.engine import Connection

    from arpad.read.formats import FormatName
    from arpad.store.ledger.ledger import Ledger

__all__ = ["import_files", "preview_files"]


def import_files(
    ledger: Ledger,
    files: Sequence[str],
    *,
    who: str | None = None,
    settings: Settings | None = None,
    format: FormatName | None = None,
    columns: Mapping[str, str] | None = None,
    strict: bool = False,
    step: Callable[[str], None] = lambda _: None,
) -> Iterator[Imported]:
    """Import files one by one, each in a transaction of its own, and say what each has changed.

    Parameters
    ----------
    who
        Who does it; the name of the user if it is not given.
    settings
        What the officer says of the files beyond what stands in them.
    format, columns, strict
        As `arpad.read.read` takes them.
    step
        Called before each table is written, with its name; crash tests stop here.
    """
    settings, who = settings or Settings(), who or user_name()
    kept: tuple[tuple[int, ...], Known] | None = None
    for path in files:
        one = incoming(path, settings=settings, format=format, columns=columns, strict=strict)
        with ledger.writing(who, f"import of {one.file}") as connection:
            seen = stamp(connection)
            known = kept[1] if kept and kept[0] == seen else Known.of(connection)
            done, after = _one(one, known, connection, settings, who, step)
            fresh = done.plan is None or done.plan.rows.filled["birth"].null_count() == (
                done.plan.rows.filled.height
            )
            kept = (stamp(connection), after) if fresh else None
        yield done


def preview_files(
    ledger: Ledger | None,
    files: Sequence[str],
    *,
    settings: Settings | None = None,
    format: FormatName | None = None,
    columns: Mapping[str, str] | None = None,
    strict: bool = False,
) -> Iterator[Imported]:
    """Say what importing files would change; nothing is written.

    Parameters
    ----------
    ledger
        None: there is none yet.
    """
    settings = settings or Settings()
    read = partial(incoming, settings=settings, format=format, columns=columns, strict=strict)
    if ledger is None:
        yield from _previewed(files, read, Known.nothing(), None)
        return
    with ledger.reading() as connection:
        yield from _previewed(files, read, Known.of(connection), connection)


def _previewed(
    files: Sequence[str],
    read: Callable[[str], Incoming],
    known: Known,
    connection: Connection | None,
) -> Iterator[Imported]:
    for path in files:
        one = read(path)
        here = known.file(one.sha256)
        if here is not None:
            yield Imported.again(one, here)
            continue
        planned = _planned(one, known, connection)
        number = known.numbers.imports
        yield Imported.of(one, planned, known, number=number)
        known = _after(known, one, planned)


def _one(
    one: Incoming,
    known: Known,
    connection: Connection,
    settings: Settings,
    who: str,
    step: Callable[[str], None],
) -> tuple[Imported, Known]:
    here = known.file(one.sha256)
    if here is not None:
        return Imported.again(one, here), known
    planned = _planned(one, known, connection)
    number = write_plan(
        connection, planned, file=one.file, sha256=one.sha256, format=one.format,
        options=settings.as_dict(), who=who, step=step,
    )  # fmt: skip
    if one.given is not None:
        write_given_list(connection, one.given, planned.people, who=who)
    done = Imported.of(one, planned, known, number=number)
    return done, _after(known, one, planned)


def _planned(one: Incoming, known: Known, connection: Connection | None) -> Plan:
    today = known.players.select("id", "player")

    def ratings(players: pl.Series) -> pl.DataFrame:
        found = [known.ratings.filter(pl.col("player").is_in(players.implode()))]
        if connection is not None:
            found.append(given_ratings(connection, players, today))
        every = pl.concat(part.select(RATINGS.names()) for part in found)
        return every.sort("player", "day").unique("player", keep="last", maintain_order=True)

    return plan(one.batch, known, ratings=ratings, renew=one.given is not None)


def _after(known: Known, one: Incoming, planned: Plan) -> Known:
    """Return what is known when this file is in, too."""
    rows, n = planned.rows, known.numbers
    players = rows.players.with_columns(pl.col("id").alias("player")).select(known.players.columns)
    spellings = rows.player_names.select(
        pl.col("player_id").alias("player"), "name", "fold", pl.lit(False).alias("settled")
    )
    events = rows.events.with_columns(folds(rows.events["name"])).select(known.events.columns)
    ids = rows.player_ids.select(pl.col("player_id").alias("player"), "scheme", "value")
    files = pl.DataFrame(
        {"id": [n.imports], "file": [one.file], "sha256": [one.sha256]}, schema=known.files.schema
    )
    fields = ["birth", "federation", "sex", "title"]
    filled = rows.filled.select(pl.col("player").alias("id"), *fields)
    completed = replace(known, players=known.players.update(filled, on="id"))
    return completed.more(
        numbers=Numbers(
            imports=n.imports + 1,
            players=n.players + rows.players.height,
            events=n.events + rows.events.height,
            games=n.games + rows.games.height,
            doubts=n.doubts + rows.doubts.height,
        ),
        files=files,
        players=players,
        spellings=spellings,
        ids=ids,
        events=events,
        ratings=_given(planned),
    )


def _given(planned: Plan) -> pl.DataFrame:
    """Return the last rating that this file gives to each of its players."""
    listed = planned.batch.players.join(planned.people, on="row", maintain_order="left")
    sides = [
        planned.rows.games.select(
            pl.col(f"{side}_id").alias("player"),
            pl.col(f"{side}_rating").alias("rating"),
            pl.col("date").alias("day"),
        )
        for side in ("white", "black")
    ]
    every = pl.concat([listed.select(RATINGS.names()), *sides]).drop_nulls()
    return (
        every.sort("player", "day", "rating")
        .unique("player", keep="last", maintain_order=True)
        .select(pl.col(name).cast(kind) for name, kind in RATINGS.items())
    )
