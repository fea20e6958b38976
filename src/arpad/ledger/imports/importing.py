"""Files into the ledger: each whole or not at all, each only once, nobody guessed at."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import polars as pl

from arpad.errors import InputError
from arpad.ledger.db import tables
from arpad.ledger.db.bulk import next_id
from arpad.ledger.db.ledger import user_name
from arpad.ledger.decisions.queue import queue, settle_all
from arpad.ledger.games import lacks_moves
from arpad.ledger.imports.duplicates import GAMES_HERE
from arpad.ledger.imports.plan import Imported, Plan, plan
from arpad.ledger.imports.staging import Incoming, Settings, incoming, sha256_of, write_given_list
from arpad.ledger.imports.write import moves_wanted, settings_of, write_moves, write_plan
from arpad.ledger.register import COUNTED, EVENTS, PROFILES, RATINGS, Register

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from sqlalchemy.engine import Connection

    from arpad.ledger.db.ledger import Ledger
    from arpad.read.date_words import DateOrder
    from arpad.read.formats import FormatName


def import_files(
    ledger: Ledger,
    files: Sequence[str],
    *,
    who: str | None = None,
    settings: Settings | None = None,
    format: FormatName | None = None,
    columns: Mapping[str, str] | None = None,
    dates: DateOrder | None = None,
    sheet: str | None = None,
    strict: bool = False,
    accept_skipped: bool = True,
    answers: Mapping[str, str] | None = None,
    names: Mapping[str, str] | None = None,
    step: Callable[[str], None] = lambda _: None,
) -> Iterator[Imported]:
    """Import files one by one, each in a transaction of its own, and say what each has changed.

    Parameters
    ----------
    who
        Who does it; the name of the user if it is not given.
    settings
        What the officer says of the files beyond what stands in them.
    format, columns, dates, sheet, strict
        As `arpad.read.read` takes them.
    accept_skipped
        Enter a file although games in it that name two players cannot be used; else `SkippedGamesError`.
    answers
        What was chosen at the preview for doubtful players and events, by their names in the file, as
        `settle` takes it: the doubts are settled together with the import, or nothing is written.
    names
        What files are called whose paths do not say it: uploads.
    step
        Called before each table is written, with its name; crash tests stop here.
    """
    settings, who, names = settings or Settings(), who or user_name(), names or {}
    kept: tuple[tuple[int, ...], pl.DataFrame | None] = ((), None)
    for path in files:
        digest = sha256_of(path)
        with ledger.reading() as connection:
            earlier = Register.of(connection).file(digest)
            bare = earlier is not None and lacks_moves(connection, earlier[0])
        if earlier is not None:
            added = _moves_alone(ledger, path, earlier[0], who, step) if bare else 0
            yield Imported.again(names.get(path, path), earlier, moves_added=added)
            continue
        one = incoming(
            path,
            settings=settings,
            format=format,
            columns=columns,
            dates=dates,
            sheet=sheet,
            strict=strict,
            called=names.get(path),
        )
        if not accept_skipped:
            _refuse_skipped(one)
        with ledger.writing(who, f"import of {one.file}") as connection:
            known = Register.of(connection)
            if kept[0] == _stamp(connection):
                known.all_spellings = kept[1]
            done = _one(path, one, known, connection, settings, who, step)
            if answers and done.number is not None:
                done = replace(done, settled=_settled(connection, done.number, answers))
            spellings = known.all_spellings
            if spellings is not None and done.plan is not None:
                spellings = pl.concat([spellings, _spelled(done.plan)])
            kept = (_stamp(connection), spellings)
        yield done


def _settled(connection: Connection, number: int, answers: Mapping[str, str]) -> int:
    """Settle the doubts of an import that were answered at its preview; return how many."""
    asked = queue(connection, imported=number).doubts
    return len(settle_all(connection, {d.number: answers[d.about] for d in asked if d.about in answers}))


class SkippedGamesError(InputError):
    """A file has games that name two players and cannot be used: entering it would lose them."""


def _refuse_skipped(one: Incoming) -> None:
    lost = [note for note in one.report.of("skipped") if note.named and one.given is None]
    if lost:
        count = f"{len(lost):,} game{' that names' if len(lost) == 1 else 's that name'} two players"
        raise SkippedGamesError(
            f"{count} would be skipped, the first: {lost[0].reason}", file=one.file, line=lost[0].line
        )


def _stamp(connection: Connection) -> tuple[int, ...]:
    """Return numbers that change whenever somebody has written."""
    return tuple(next_id(connection, table) for table in (tables.imports, tables.decisions, tables.players))


def _spelled(planned: Plan) -> pl.DataFrame:
    return planned.rows.player_names.select(
        pl.col("player_id").alias("player"), "name", "fold", pl.lit(False).alias("settled")
    )


def preview_files(
    ledger: Ledger | None,
    files: Sequence[str],
    *,
    settings: Settings | None = None,
    format: FormatName | None = None,
    columns: Mapping[str, str] | None = None,
    dates: DateOrder | None = None,
    sheet: str | None = None,
    strict: bool = False,
    names: Mapping[str, str] | None = None,
) -> Iterator[Imported]:
    """Say what importing files would change; nothing is written.

    Parameters
    ----------
    ledger
        None: there is none yet.
    names
        What files are called whose paths do not say it: uploads.
    """
    settings, names = settings or Settings(), names or {}
    read = partial(
        incoming, settings=settings, format=format, columns=columns, dates=dates, sheet=sheet, strict=strict
    )
    if ledger is None:
        yield from _previewed(files, names, read, Register(None))
        return
    with ledger.reading() as connection:
        yield from _previewed(files, names, read, Register.of(connection))


def _previewed(
    files: Sequence[str], names: Mapping[str, str], read: Callable[..., Incoming], known: Register
) -> Iterator[Imported]:
    for path in files:
        earlier = known.file(sha256_of(path))
        if earlier is not None:
            added = _lacking(path, earlier[0], known)
            yield Imported.again(names.get(path, path), earlier, moves_added=added)
            continue
        one = read(path, called=names.get(path))
        planned = plan(one.batch, known, renew=one.given is not None)
        wanted = moves_wanted(one, planned, known)
        done = Imported.of(one, planned, known, number=known.numbers["imports"])
        here = int(wanted["here"].sum())
        yield replace(done, moves=wanted.height - here, moves_added=here)
        _add(known, one, planned)


def _lacking(path: str, number: int, known: Register) -> int:
    """Return how many games of an earlier import would get their moves."""
    if known.connection is None or not lacks_moves(known.connection, number):
        return 0
    one = incoming(path, settings=settings_of(known.connection, number))
    return moves_wanted(one, plan(one.batch, known), known).height


def _moves_alone(ledger: Ledger, path: str, number: int, who: str, step: Callable[[str], None]) -> int:
    """Add moves to games of an import that was made when the ledger kept none."""
    with ledger.reading() as connection:
        one = incoming(path, settings=settings_of(connection, number))
    with ledger.writing(who, f"moves of {one.file}") as connection:
        known = Register.of(connection)
        wanted = moves_wanted(one, plan(one.batch, known), known)
        step("moves")
        return write_moves(connection, path, one, wanted.filter("here"))[1]


def _one(
    path: str,
    one: Incoming,
    known: Register,
    connection: Connection,
    settings: Settings,
    who: str,
    step: Callable[[str], None],
) -> Imported:
    earlier = known.file(one.sha256)
    if earlier is not None:
        return Imported.again(one.file, earlier)
    planned = plan(one.batch, known, renew=one.given is not None)
    done = Imported.of(one, planned, known, number=known.numbers["imports"])
    wanted = moves_wanted(one, planned, known)
    write_plan(
        connection,
        planned,
        file=one.file,
        sha256=one.sha256,
        format=one.format,
        options=settings.as_dict(),
        who=who,
        step=step,
    )
    if one.given is not None:
        write_given_list(connection, one.given, planned.people, who=who)
    step("moves")
    moves, added = write_moves(connection, path, one, wanted)
    return replace(done, moves=moves, moves_added=added)


def _add(known: Register, one: Incoming, planned: Plan) -> None:
    """Let a preview know what this file would have written."""
    rows, spelled = planned.rows, known.all_spellings
    frames = {
        "imports": pl.DataFrame(
            {"id": [known.numbers["imports"]], "file": [one.file], "sha256": [one.sha256]}
        ),
        "players": pl.concat(
            [
                rows.players.rename({"id": "player"}).select(PROFILES.names()),
                rows.filled.with_columns(pl.lit(None, pl.String).alias("name")).select(PROFILES.names()),
            ]
        ),
        "player_ids": rows.player_ids.select(pl.col("player_id").alias("player"), "scheme", "value"),
        "player_names": rows.player_names.select(pl.col("player_id").alias("id"), "name", "fold"),
        "events": rows.events.select(pl.col(name).cast(kind) for name, kind in EVENTS.items()),
        "games": rows.games.select(pl.col(name).cast(kind) for name, kind in GAMES_HERE.items()),
        "ratings": _given(planned),
        "doubts": rows.doubts.filter(pl.col("kind") == "player").select("player_id", "document"),
    }
    for name, frame in frames.items():
        known.added.setdefault(name, []).append(frame)
    known.all_spellings = None if spelled is None else pl.concat([spelled, _spelled(planned)])
    known.numbers["imports"] += 1
    for name in COUNTED[1:]:
        known.numbers[name] += getattr(rows, name).height


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
