"""Files into the ledger: each whole or not at all, each only once; starting lists; imports undone."""

from __future__ import annotations

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
from arpad.ledger.imports.duplicates import GAMES_HERE
from arpad.ledger.imports.plan import Imported, Plan, plan
from arpad.ledger.imports.staging import Incoming, Settings, incoming, sha256_of, write_given_list
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
        count = f"{counted(len(lost), 'game')} that {'names' if len(lost) == 1 else 'name'} two players"
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

    `ledger`: None: there is none yet.
    `names`: What files are called whose paths do not say it: uploads.
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
    known.unrated.update(rows.unrated)
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
    again = _games_that_gave_way(connection, number, set(games))
    connection.execute(sa.delete(d).where(d.c.import_id == number))
    for table, column, values in (
        (tables.moves, tables.moves.c.game_id, games),
        (tables.norms, tables.norms.c.event_id, events),
        (d, d.c.event_id, events),
        (g, g.c.event_id, events),
        (e, e.c.id, events),
    ):
        _delete(connection, table, column, values)
    set_status(connection, again, "played")
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
    told = connection.execute(sa.select(d.document).where(d.import_id == number, d.kind == "event")).scalars()
    return sorted({game for one in told for game, _ in one.get("duplicates", ()) if game not in own})


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
    one = incoming(path, settings=Settings(ids=ids), sheet=sheet, columns=columns)
    given = one.given
    if given is None or given.batch.players["rating"].is_null().all():
        raise InputError("expected a list of players with ratings, found none", file=path)
    uncounted = 0
    with ledger.writing(who, why) as connection:
        check_policy(connection, policy)
        known = Register.of(connection)
        planned = plan(one.batch, known)
        if known.file(one.sha256) is None:
            write_plan(
                connection,
                planned,
                file=one.file,
                sha256=one.sha256,
                format=one.format,
                options={} if ids is None else {"ids": ids},
                who=str(connection.info["who"]),
            )
        elif planned.rows.players.height:
            raise UsageError(
                f"{one.file} was imported, and some of its names are in doubt since: settle those first"
            )
        games = given.games
        if games is None or games.is_null().all():
            kept = [one for one in kept_policies(connection) if policy in (None, one.name)]
            enough = max((one.policy.listed.min_games for one in kept), default=0) or None
            games = pl.Series([enough], dtype=pl.Int64).new_from_index(0, given.batch.players.height)
            uncounted = enough or 0
        listed = (
            given.batch.players.with_columns(games.cast(pl.Int64).alias("games"))
            .join(planned.people, on="row", maintain_order="left")
            .sort("player", "rating", descending=[False, True])
            .unique("player", keep="first", maintain_order=True)
        )
        rated = listed.filter(pl.col("rating").is_not_null())
        decision = decide(
            connection,
            "rating",
            f"list {one.file}",
            f"{rated.height:,} players of {one.file} start with their ratings in the period of {on.isoformat()}",
            about=[f"player {player}" for player in rated["player"]],
            policy=policy,
            on=on.isoformat(),
            ratings=[
                {"player": player, "rating": rating}
                | ({} if games is None else {"settings": {"total_games": games}})
                for player, rating, games in rated.select("player", "rating", "games").iter_rows()
            ],
        )
    return Started(
        decision=replace(decision, changes=()),
        players=rated.height,
        new=planned.matches.count("new"),
        doubtful=planned.matches.count("doubtful"),
        unrated=listed.height - rated.height,
        report=one.report,
        uncounted=uncounted,
    )
