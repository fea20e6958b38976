"""Files into the ledger: each whole or not at all, each only once; starting lists; imports undone."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import polars as pl
import sqlalchemy as sa

from arpad.errors import InputError, UsageError, counted
from arpad.ledger.db import tables
from arpad.ledger.db.bulk import chunks, next_id
from arpad.ledger.db.ledger import user_name
from arpad.ledger.decisions.decisions import decide
from arpad.ledger.decisions.queue import queue, settle_all
from arpad.ledger.decisions.ratings import check_policy
from arpad.ledger.games import lacks_moves
from arpad.ledger.imports.duplicates import GAMES
from arpad.ledger.imports.plan import Imported, Plan, plan
from arpad.ledger.imports.staging import Settings, StagedFile, sha256_of, stage_file, write_given_list
from arpad.ledger.imports.write import moves_wanted, set_status, settings_of, write_moves, write_plan
from arpad.ledger.policy import kept_policies
from arpad.ledger.register import COUNTED, EVENTS, PROFILES, RATINGS, Register
from arpad.ledger.runs import published_runs, runs_numbered

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from datetime import date

    from sqlalchemy.engine import Connection

    from arpad.ledger.db.ledger import Ledger
    from arpad.ledger.decisions.decisions import Decision
    from arpad.read.fields import DateOrder
    from arpad.read.formats import FormatName
    from arpad.read.source import Report


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

    `who`: Who does it; the name of the user if it is not given.
    `settings`: What the officer says of the files beyond what stands in them.
    `format`, `columns`, `dates`, `sheet`, `strict`: As `arpad.read.read` takes them.
    `accept_skipped`: Enter a file although games in it that name two players cannot be used; else
    `SkippedGamesError`.
    `answers`: What was chosen at the preview for doubtful players and events, by their names in the file, as
    `settle` takes it: the doubts are settled together with the import, or nothing is written.
    `names`: What files are called whose paths do not say it: uploads.
    `step`: Called before each table is written, with its name; crash tests stop here.
    """
    settings, who, names = settings or Settings(), who or user_name(), names or {}
    stage = partial(
        stage_file, settings=settings, format=format, columns=columns, dates=dates, sheet=sheet, strict=strict
    )
    kept: tuple[tuple[int, ...], pl.DataFrame | None] = ((), None)
    for path in files:
        digest = sha256_of(path)
        with ledger.reading() as connection:
            earlier = Register.of(connection).file(digest)
            bare = earlier is not None and lacks_moves(connection, earlier[0])
        if earlier is not None:
            added = _add_moves(ledger, path, earlier[0], who, step) if bare else 0
            yield Imported.unchanged(names.get(path, path), earlier, moves_added=added)
            continue
        file = stage(path, called=names.get(path))
        if not accept_skipped:
            _refuse_skipped(file)
        with ledger.writing(who, f"import of {file.file}") as connection:
            register = Register.of(connection)
            if kept[0] == _stamp(connection):
                register.all_spellings = kept[1]
            done = _write(path, file, register, connection, settings, who, step)
            if answers and done.number is not None:
                doubts = queue(connection, imported=done.number).doubts
                chosen = {d.number: answers[d.about] for d in doubts if d.about in answers}
                done = replace(done, settled=len(settle_all(connection, chosen)))
            kept = (_stamp(connection), _all_spellings(register, done.plan))
        yield done


class SkippedGamesError(InputError):
    """A file has games that name two players and cannot be used: entering it would lose them."""


def _refuse_skipped(file: StagedFile) -> None:
    lost = [note for note in file.report.of("skipped") if note.named and file.given is None]
    if lost:
        count = f"{counted(len(lost), 'game')} that {'names' if len(lost) == 1 else 'name'} two players"
        raise SkippedGamesError(
            f"{count} would be skipped, the first: {lost[0].reason}", file=file.file, line=lost[0].line
        )


def _stamp(connection: Connection) -> tuple[int, ...]:
    """Return numbers that change whenever somebody has written."""
    return tuple(next_id(connection, table) for table in (tables.imports, tables.decisions, tables.players))


def _all_spellings(register: Register, plan: Plan | None) -> pl.DataFrame | None:
    """Return all spellings, if they are known, with those that a plan adds."""
    known = register.all_spellings
    if known is None or plan is None:
        return known
    new = plan.rows.player_names.select(
        pl.col("player_id").alias("player"), "name", "fold", pl.lit(False).alias("settled")
    )
    return pl.concat([known, new])


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

    `ledger`: None: there is none yet.
    `names`: What files are called whose paths do not say it: uploads.
    """
    settings, names = settings or Settings(), names or {}
    stage = partial(
        stage_file, settings=settings, format=format, columns=columns, dates=dates, sheet=sheet, strict=strict
    )
    with nullcontext() if ledger is None else ledger.reading() as connection:
        register = Register(None) if connection is None else Register.of(connection)
        for path in files:
            earlier = register.file(sha256_of(path))
            if earlier is not None:
                added = _count_missing_moves(path, earlier[0], register)
                yield Imported.unchanged(names.get(path, path), earlier, moves_added=added)
                continue
            file = stage(path, called=names.get(path))
            planned = plan(file.staged, register, renew=file.given is not None)
            wanted = moves_wanted(file, planned, register)
            done = Imported.of(file, planned, register)
            added = int(wanted["known"].sum())
            yield replace(done, moves=wanted.height - added, moves_added=added)
            _add_to_preview(register, file, planned)


def _count_missing_moves(path: str, number: int, register: Register) -> int:
    """Return how many games of an earlier import would get their moves."""
    if register.connection is None or not lacks_moves(register.connection, number):
        return 0
    file = stage_file(path, settings=settings_of(register.connection, number))
    return moves_wanted(file, plan(file.staged, register), register).height


def _add_moves(ledger: Ledger, path: str, number: int, who: str, step: Callable[[str], None]) -> int:
    """Add moves to games of an import that was made when the ledger kept none."""
    with ledger.reading() as connection:
        file = stage_file(path, settings=settings_of(connection, number))
    with ledger.writing(who, f"moves of {file.file}") as connection:
        register = Register.of(connection)
        wanted = moves_wanted(file, plan(file.staged, register), register)
        step("moves")
        return write_moves(connection, path, file, wanted.filter("known"))[1]


def _write(
    path: str,
    file: StagedFile,
    register: Register,
    connection: Connection,
    settings: Settings,
    who: str,
    step: Callable[[str], None],
) -> Imported:
    earlier = register.file(file.sha256)
    if earlier is not None:
        return Imported.unchanged(file.file, earlier)
    planned = plan(file.staged, register, renew=file.given is not None)
    done = Imported.of(file, planned, register)
    wanted = moves_wanted(file, planned, register)
    write_plan(connection, file, planned, options=settings.as_dict(), who=who, step=step)
    write_given_list(connection, file, planned.people, who=who)
    step("moves")
    moves, added = write_moves(connection, path, file, wanted)
    return replace(done, moves=moves, moves_added=added)


def _add_to_preview(register: Register, file: StagedFile, planned: Plan) -> None:
    """Let a preview know what this file would have written."""
    rows = planned.rows
    number = register.numbers["imports"]
    frames = {
        "imports": pl.DataFrame({"id": [number], "file": [file.file], "sha256": [file.sha256]}),
        "players": pl.concat(
            [
                rows.players.rename({"id": "player"}).select(PROFILES.names()),
                rows.filled.with_columns(pl.lit(None, pl.String).alias("name")).select(PROFILES.names()),
            ]
        ),
        "player_ids": rows.player_ids.select(pl.col("player_id").alias("player"), "scheme", "value"),
        "player_names": rows.player_names.select(pl.col("player_id").alias("id"), "name", "fold"),
        "events": rows.events.select(pl.col(name).cast(kind) for name, kind in EVENTS.items()),
        "games": rows.games.select(pl.col(name).cast(kind) for name, kind in GAMES.items()),
        "ratings": _given_ratings(planned),
        "doubts": rows.doubts.filter(pl.col("kind") == "player").select("player_id", "document"),
    }
    for name, frame in frames.items():
        register.added.setdefault(name, []).append(frame)
    register.all_spellings = _all_spellings(register, planned)
    register.numbers["imports"] += 1
    register.unrated.update(rows.unrated)
    for name in COUNTED[1:]:
        register.numbers[name] += getattr(rows, name).height


def _given_ratings(planned: Plan) -> pl.DataFrame:
    """Return the last rating that this file gives to each of its players."""
    listed = planned.staged.players.join(planned.people, on="row", maintain_order="left")
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


# Take an import out of the ledger again, as a whole, while nothing published rests on it.


def undo_import(connection: Connection, number: int) -> Decision:
    """Take out what an import brought: its events, games, doubts, and players who are nowhere else.

    The log keeps who did it and why. What the file added to players who were here before (an id, a
    spelling, a birth) stays. Refused once a published list, a title or a decision rests on the import: from
    then on it is a correction.

    `connection`: Of `Ledger.writing(who, why)`.
    `number`: Of the import.
    """
    i, e, g, d = tables.imports, tables.events, tables.games, tables.doubts
    row = connection.execute(sa.select(i).where(i.c.id == number)).one_or_none()
    if row is None:
        raise UsageError(f"expected the number of an import, found {number}: there is none with it")
    events = _numbers(connection, sa.select(e.c.id).where(e.c.import_id == number))
    games = _numbers(
        connection, sa.select(g.c.id).join(e, e.c.id == g.c.event_id).where(e.c.import_id == number)
    )
    _refuse_lists(connection, row.file, events)
    _refuse_decisions(connection, number, events, games)
    _refuse_later(connection, row.file, number, events)
    _drop_drafts(connection)
    counting_again = _games_that_gave_way(connection, number, set(games))
    connection.execute(sa.delete(d).where(d.c.import_id == number))
    for table, column, values in (
        (tables.moves, tables.moves.c.game_id, games),
        (tables.norms, tables.norms.c.event_id, events),
        (d, d.c.event_id, events),
        (g, g.c.event_id, events),
        (e, e.c.id, events),
    ):
        _delete(connection, table, column, values)
    set_status(connection, counting_again, "played")
    players = _alone(connection, number)
    p = tables.players
    for table in (tables.player_ids, tables.player_names):
        _delete(connection, table, table.c.player_id, players)
    connection.execute(
        p.update().where(p.c.import_id == number, p.c.id.not_in(players)).values(import_id=None)
    )
    _delete(connection, p, p.c.id, players)
    connection.execute(sa.delete(i).where(i.c.id == number))
    return decide(
        connection,
        "withdraw",
        f"import {number}",
        f"import {number} ({row.file}) is taken out: {counted(len(events), 'event')},"
        f" {counted(len(games), 'game')}, {counted(len(players), 'player')}",
        file=row.file,
        sha256=row.sha256,
        events=len(events),
        games=len(games),
        players=len(players),
    )


def _numbers(connection: Connection, query: sa.Select[Any]) -> list[int]:
    return sorted(connection.execute(query).scalars())


def _delete(connection: Connection, table: sa.Table, column: sa.Column[int], values: Sequence[int]) -> None:
    for some in chunks(values):
        connection.execute(sa.delete(table).where(column.in_(some)))


def _refuse_lists(connection: Connection, file: str, events: Iterable[int]) -> None:
    mine = set(events)
    runs = runs_numbered(connection, sorted(published_runs(connection)))
    used = sorted({run.closing for run in runs if mine & run.events.keys()})
    if used:
        raise UsageError(
            f"a published list rests on {file} (play to {used[0]}): correct or exclude its events instead"
        )


def _refuse_decisions(
    connection: Connection, number: int, events: Sequence[int], games: Sequence[int]
) -> None:
    """Refuse where somebody has decided about what came with the import, and that still holds."""
    c = tables.decisions.c
    p = tables.players.c
    players = _numbers(connection, sa.select(p.id).where(p.import_id == number))
    subjects = (
        {f"event {n}" for n in events} | {f"game {n}" for n in games} | {f"player {n}" for n in players}
    )
    rows = connection.execute(
        sa.select(c.id, c.subject, c.after).where(c.undone_by.is_(None), c.undoes.is_(None)).order_by(c.id)
    )
    for row in rows:
        about = {row.subject, *(row.after or {}).get("about", ())}
        if about & subjects:
            raise UsageError(
                f"decision {row.id} rests on this import ({min(about & subjects)}): undo it first"
            )


def _games_that_gave_way(connection: Connection, number: int, own: set[int]) -> list[int]:
    """Return the games of other files that do not count because an import has them, too."""
    d = tables.doubts.c
    query = sa.select(d.document).where(d.import_id == number, d.kind == "event")
    pairs = [pair for doubt in connection.execute(query).scalars() for pair in doubt.get("duplicates", ())]
    return sorted({game for game, _ in pairs if game not in own})


def _refuse_later(connection: Connection, file: str, number: int, events: Sequence[int]) -> None:
    """Refuse where a later file holds games of this one: one of the two does not count."""
    d = tables.doubts.c
    mine = set(events)
    rows = connection.execute(sa.select(d.id, d.document, d.event_id, d.import_id).where(d.kind == "event"))
    for row in rows:
        named = {row.event_id, *(one.get("event") for one in (row.document or {}).get("candidates", ()))}
        if row.import_id != number and mine & named:
            raise UsageError(
                f"a later file holds games of {file}, too (queue {row.id}): undo that import first"
            )


def _drop_drafts(connection: Connection) -> None:
    """Delete drafts and the runs that no published list rests on: the next making computes them again."""
    t, r = tables.lists, tables.runs
    connection.execute(sa.delete(t).where(t.c.published.is_(None)))
    kept = published_runs(connection)
    for run in sorted(set(_numbers(connection, sa.select(r.c.id))) - kept, reverse=True):
        connection.execute(sa.delete(r).where(r.c.id == run))


def _alone(connection: Connection, number: int) -> list[int]:
    """Return the players of an import whom nothing else names."""
    p, g, t = tables.players, tables.games, tables
    mine = set(_numbers(connection, sa.select(p.c.id).where(p.c.import_id == number)))
    columns = (
        g.c.white_id,
        g.c.black_id,
        p.c.merged_into,
        t.entries.c.player_id,
        t.memberships.c.player_id,
        t.norms.c.player_id,
        t.titles.c.player_id,
        t.doubts.c.player_id,
        t.states.c.player_id,
    )
    for column in columns:
        mine -= set(connection.execute(sa.select(column).where(column.is_not(None)).distinct()).scalars())
    return sorted(mine)


# The list that a club has already: the starting point of its lists here.


@dataclass(frozen=True, slots=True, kw_only=True)
class Started:
    """Result of a starting list: the decision in the log, and the number of players."""

    decision: Decision
    players: int
    new: int
    doubtful: int
    unrated: int
    report: Report  # the records that were skipped or repaired
    uncounted: int = 0
    """Games that everybody starts with because the list tells nobody's: enough to be listed."""

    def summary(self) -> str:
        """Return one sentence."""
        unrated = f", {self.unrated:,} without a rating" if self.unrated else ""
        doubtful = f", {self.doubtful:,} doubtful (arpad queue)" if self.doubtful else ""
        return (
            f"{self.players:,} members start with their ratings: {self.new:,} new players{doubtful}{unrated}"
            f" (decision {self.decision.id})"
            + (f"; no column of games: {self.uncounted} each, enough to be listed" if self.uncounted else "")
        )

    def to_dict(self) -> dict[str, int]:
        """Return the figures."""
        return {
            "decision": self.decision.id,
            "players": self.players,
            "new": self.new,
            "doubtful": self.doubtful,
            "unrated": self.unrated,
        }


def start_list(
    ledger: Ledger,
    path: str,
    *,
    on: date,
    policy: str | None = None,
    ids: str | None = None,
    sheet: str | None = None,
    columns: Mapping[str, str] | None = None,
    who: str | None = None,
    why: str = "starting list",
) -> Started:
    """Let players start with the ratings, and the numbers of games, of a list that others made.

    Everybody on the list enters, also who has not played yet. Where the list tells nobody's games, everybody
    starts with as many as the policy asks of who is listed. The ratings hold before the games of the
    period in which the day lies. It is one decision of the log, and can be undone.

    `path`: A list of players with ratings: CSV, a spreadsheet, FIDE's layouts.
    `on`: The day from which on the list was valid.
    `policy`: The policy whose lists start there; None: all of them.
    `ids`, `sheet`, `columns`: Whose ids the players have, which sheet of a workbook, which column is what; as
    for an import.
    """
    file = stage_file(path, settings=Settings(ids=ids), sheet=sheet, columns=columns)
    given, staged = file.given, file.staged
    if given is None or staged.players["rating"].is_null().all():
        raise InputError("expected a list of players with ratings, found none", file=path)
    uncounted = 0
    with ledger.writing(who, why) as connection:
        check_policy(connection, policy)
        register = Register.of(connection)
        planned = plan(staged, register)
        if register.file(file.sha256) is None:
            options = {} if ids is None else {"ids": ids}
            write_plan(connection, file, planned, options=options, who=str(connection.info["who"]))
        elif planned.rows.players.height:
            raise UsageError(
                f"{file.file} was imported, and some of its names are in doubt since: settle those first"
            )
        games = given.games
        if games is None or games.is_null().all():
            policies = [each for each in kept_policies(connection) if policy in (None, each.name)]
            enough = max((each.policy.listed.min_games for each in policies), default=0) or None
            games = pl.Series([enough], dtype=pl.Int64).new_from_index(0, staged.players.height)
            uncounted = enough or 0
        listed = (
            staged.players.with_columns(games.cast(pl.Int64).alias("games"))
            .join(planned.people, on="row", maintain_order="left")
            .sort("player", "rating", descending=[False, True])
            .unique("player", keep="first", maintain_order=True)
        )
        rated = listed.filter(pl.col("rating").is_not_null())
        decision = decide(
            connection,
            "rating",
            f"list {file.file}",
            f"{rated.height:,} players of {file.file} start with their ratings in the period of {on.isoformat()}",
            about=[f"player {player}" for player in rated["player"]],
            policy=policy,
            on=on.isoformat(),
            ratings=[
                {"player": player, "rating": rating}
                | ({} if count is None else {"settings": {"total_games": count}})
                for player, rating, count in rated.select("player", "rating", "games").iter_rows()
            ],
        )
    return Started(
        decision=replace(decision, changes=()),
        players=rated.height,
        new=planned.matches.count("new"),
        doubtful=planned.matches.count("doubtful"),
        unrated=listed.height - rated.height,
        report=file.report,
        uncounted=uncounted,
    )
