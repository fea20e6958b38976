"""Plan of an import: what it would change, calculated before anything is written."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from arpad.errors import counted
from arpad.ledger.db.tables import document_text
from arpad.ledger.games import contents, event_document
from arpad.ledger.imports.duplicates import compare_reports, duplicate_doubts, find_duplicates
from arpad.ledger.imports.matching import PlayerMatches, match
from arpad.ledger.register import folds
from arpad.model import columns, schema
from arpad.read.collect import doubtful_names
from arpad.read.source import Note, Report

if TYPE_CHECKING:
    from arpad.ledger.imports.staging import StagedFile, StagedGames
    from arpad.ledger.register import Register


CHANGED = "a changed report of an event that is here: replace it, add this one, or leave it as it is"
"""Note in the queue on an event with the name and days of another, and other games."""
IN_FILE_SCORE = 0.9
"""Score of two spellings with the same words in one file."""
PROFILE = ("birth", "federation", "sex", "title")
DOUBTS = schema(columns("id:int kind:str about:str event_id:int player_id:int document:str"))
OUTCOMES = schema(
    {
        "event": pl.Int32,  # its number in the file
        "what": pl.String,  # new, here (in the ledger already), part (of another one), changed
        "id": pl.Int64,  # its number in the ledger; null: it does not enter
        "other": pl.Int64,  # the event that is in the ledger
    }
)
"""What becomes of each event of a file."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rows:
    """Frames ready to be written, one a table; `filled` completes players of the ledger."""

    players: pl.DataFrame
    player_ids: pl.DataFrame
    player_names: pl.DataFrame
    events: pl.DataFrame
    games: pl.DataFrame
    doubts: pl.DataFrame
    filled: pl.DataFrame
    unrated: list[int]  # games of the ledger that give way to their copies in this file


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """Plan of an import: the players, the outcome of each event, and the rows to write."""

    staged: StagedGames  # the file without the events that the ledger has with the same source
    matches: PlayerMatches
    people: pl.DataFrame  # `row`, `player`: the number in the ledger of each player of the file
    outcomes: pl.DataFrame
    rows: Rows
    duplicates: pl.DataFrame  # games of the file that are in the ledger already (`duplicates.DUPLICATES`)


def plan(staged: StagedGames, register: Register, *, renew: bool = False) -> Plan:
    """Work out what a file would change.

    `renew`: The file's titles and federations take the place of others: a federation's list.
    """
    outcomes = _outcomes_by_source(staged, register)
    known = outcomes.filter(pl.col("what") == "here")["event"]
    staged = staged.without(known) if len(known) else staged  # a list has players without games
    matches = match(_with_last_ratings(staged), register, scheme=staged.scheme)
    people = _people(matches, register)
    matches = _with_own_doubts(matches, staged, people)
    games = _with_player_numbers(staged.games, people)
    filled = _filled(staged, matches, register, renew=renew)
    births = _births(staged, people, register, filled)
    content = contents(games, births)
    outcomes, namesakes = _outcomes_by_name(staged, register, outcomes, content, games)
    enters = pl.col("what") != "here"
    games = games.filter(~pl.col("event").is_in(outcomes.filter(~enters)["event"].implode()))
    number = enters.cum_sum() + (register.numbers["events"] - 1)
    outcomes = outcomes.with_columns(pl.when(enters).then(number).cast(pl.Int64).alias("id"))
    events = _new_events(staged, outcomes, content, people)
    new_games = _new_games(games, outcomes, register.numbers["games"])
    numbers = outcomes.select("event", pl.col("id").alias("event_id"))
    parts = namesakes.join(numbers, on="event").select("event_id", event_id_2="other")
    duplicates = find_duplicates(_as_likeliest(new_games, matches, people), events, register, parts)
    if duplicates.height:
        new_games, events = _without_duplicates(new_games, events, duplicates, births)
    rows = Rows(
        players=_new_players(staged, people, matches),
        player_ids=_new_ids(staged, people, register),
        player_names=_new_names(staged, people, register),
        events=events,
        games=new_games,
        doubts=_doubts(staged, people, matches, outcomes, register, duplicates, new_games),
        filled=filled,
        unrated=duplicates.filter(~pl.col("id").is_in(new_games["id"].implode()))["id"].to_list(),
    )
    return Plan(
        staged=staged, matches=matches, people=people, outcomes=outcomes, rows=rows, duplicates=duplicates
    )


# Which events are new, which the ledger has, and which are parts or changed reports of one that it has.


def _outcomes_by_source(staged: StagedGames, register: Register) -> pl.DataFrame:
    """Find the events that are in the ledger as they stand in the file, or stand in it twice."""
    known = register.events_by_source(staged.events["source"].to_list()).select("source", other="id")
    first = pl.col("event") == pl.col("event").min().over("source")
    known_or_repeated = pl.col("other").is_not_null() | ~first
    return (
        staged.events.select("event", "source")
        .join(known, on="source", how="left", maintain_order="left")
        .with_columns(
            pl.when(known_or_repeated).then(pl.lit("here")).otherwise(pl.lit("new")).alias("what"),
            pl.lit(None, dtype=pl.Int64).alias("id"),
        )
        .select(pl.col(name).cast(kind) for name, kind in OUTCOMES.items())
    )


def _outcomes_by_name(
    staged: StagedGames,
    register: Register,
    outcomes: pl.DataFrame,
    content: pl.DataFrame,
    games: pl.DataFrame,
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Find new events whose name and days the ledger has: the same games, a part, or a changed report.

    Return the outcomes, and all pairs (`event`, `other`) with one name and common days.
    """
    events = staged.events
    if events.is_empty():
        return outcomes, pl.DataFrame(schema={"event": pl.Int32, "other": pl.Int64})
    known = register.events_between(events["start"].min(), events["end"].max())  # type: ignore[arg-type]
    days = ("site", "start", "end")
    pairs = (
        events.select("event", *days, folds(events["name"]))
        .join(
            known.select(folds(known["name"]), "content", *days, other="id"),
            on="fold",
            maintain_order="left",
            suffix="_2",
        )
        .filter(
            (pl.col("start") <= pl.col("end_2")) & (pl.col("start_2") <= pl.col("end")),
            (pl.col("site") == pl.col("site_2")).fill_null(value=True),
        )
        .join(content, on="event", maintain_order="left")
        .with_columns((pl.col("hash") == pl.col("content")).alias("same"))
    )
    namesakes = pairs.select("event", "other")
    if pairs.is_empty():
        return outcomes, namesakes
    best = (
        pairs.join(compare_reports(games, namesakes, register), on=["event", "other"], how="left")
        .sort("event", pl.col("same").not_(), "part", "other")
        .unique("event", keep="first", maintain_order=True)
        .select(
            "event",
            pl.when("same")
            .then(pl.lit("here"))
            .when("part")
            .then(pl.lit("part"))
            .otherwise(pl.lit("changed"))
            .alias("what"),
            "other",
        )
    )
    return outcomes.update(best, on="event"), namesakes


# The players: with which ratings they are compared, which numbers they get, who may be another one.


def _with_last_ratings(staged: StagedGames) -> pl.DataFrame:
    """Return the players with the last rating that the file gives them."""
    sides = pl.concat(
        staged.games.select(
            pl.col(side).alias("row"), pl.col("date").alias("day"), pl.col(f"{side}_rating").alias("rating")
        )
        for side in ("white", "black")
    ).drop_nulls()
    last = sides.sort("row", "day", "rating").unique("row", keep="last", maintain_order=True)
    return staged.players.update(last, on="row")


def _people(matches: PlayerMatches, register: Register) -> pl.DataFrame:
    """Give a number to everybody: that of the player found, or the next free one."""
    new = pl.col("player").is_null()
    number = new.cum_sum() + (register.numbers["players"] - 1)
    return matches.rows.select(
        "row", pl.when(new).then(number).otherwise("player").cast(pl.Int64).alias("player")
    )


def _with_own_doubts(matches: PlayerMatches, staged: StagedGames, people: pl.DataFrame) -> PlayerMatches:
    """Put new players whose name is another spelling of one in the same file among the doubts.

    Two who met are two people.
    """
    new = set(matches.rows.filter(pl.col("how") == "new")["row"])
    named = staged.players.filter(~pl.col("name").is_duplicated()).select("name", "row", id="value")
    row_of = dict(named.select("name", "row").iter_rows())
    pairs = [(row_of[a], row_of[b], a) for a, b in doubtful_names(named) if row_of[b] in new]
    if not pairs:
        return matches
    met = {
        frozenset(pair) for pair in staged.games.select("white", "black").drop_nulls().unique().iter_rows()
    }
    player = dict(people.iter_rows())
    rows = [
        (row, player[earlier], name, IN_FILE_SCORE, "another spelling in the same file")
        for earlier, row, name in pairs
        if frozenset((earlier, row)) not in met
    ]
    doubts = pl.DataFrame(rows, schema=matches.doubts.schema, orient="row")
    doubtful = pl.col("row").is_in(doubts["row"].implode())
    how = pl.when(doubtful).then(pl.lit("doubtful", dtype=matches.rows.schema["how"])).otherwise("how")
    return replace(
        matches, rows=matches.rows.with_columns(how.alias("how")), doubts=pl.concat([matches.doubts, doubts])
    )


def _filled(staged: StagedGames, matches: PlayerMatches, register: Register, *, renew: bool) -> pl.DataFrame:
    """Return what the file knows of players of the ledger and the ledger does not."""
    found = matches.rows.filter(pl.col("player").is_not_null()).select("row", "player")
    pairs = staged.players.join(found, on="row", maintain_order="left").join(
        register.profiles(found["player"]), on="player", how="left", maintain_order="left", suffix="_known"
    )

    def better(name: str) -> pl.Expr:
        value, known = pl.col(name), pl.col(f"{name}_known")
        wanted = known.is_null()
        if name == "birth":  # a day says more than its year
            wanted |= value.str.starts_with(known) & (value != known)
        if renew and name in ("federation", "title"):
            wanted |= value != known
        return pl.when(value.is_not_null() & wanted).then(value).alias(name)

    pairs = pairs.select("player", *(better(name) for name in PROFILE))
    return pairs.filter(pl.any_horizontal(pl.col(PROFILE).is_not_null())).sort("player")


def _births(
    staged: StagedGames, people: pl.DataFrame, register: Register, filled: pl.DataFrame
) -> pl.DataFrame:
    known = register.profiles(people["player"]).select("player", "birth")
    new = staged.players.select("row", "birth").join(people, on="row", maintain_order="left")
    new = new.join(known, on="player", how="anti", maintain_order="left").select("player", "birth")
    return pl.concat([known, new]).update(filled.select("player", "birth"), on="player")


# The rows that enter.


def _new_players(staged: StagedGames, people: pl.DataFrame, matches: PlayerMatches) -> pl.DataFrame:
    new = matches.rows.filter(pl.col("player").is_null()).select("row")
    return (
        staged.players.join(new, on="row", how="semi", maintain_order="left")
        .join(people, on="row", maintain_order="left")
        .select(pl.col("player").alias("id"), "name", *PROFILE)
        .sort("id")
    )


def _new_ids(staged: StagedGames, people: pl.DataFrame, register: Register) -> pl.DataFrame:
    """Return the ids that the ledger does not have: of new players, and of those found by name."""
    mine = staged.players.select("row", "value").drop_nulls()
    known = register.ids(staged.scheme, mine["value"].to_list())["value"].implode()
    new = mine.filter(~pl.col("value").is_in(known)).join(people, on="row", maintain_order="left")
    return new.select(pl.col("player").alias("player_id"), pl.lit(staged.scheme).alias("scheme"), "value")


def _new_names(staged: StagedGames, people: pl.DataFrame, register: Register) -> pl.DataFrame:
    """Return the spellings that the ledger does not have of these players."""
    mine = staged.players.select("row", "name", "fold").join(people, on="row", maintain_order="left")
    known = register.spellings(people["player"])
    new = mine.join(known, on=["player", "fold"], how="anti", maintain_order="left")
    return new.select(pl.col("player").alias("player_id"), "name", "fold")


def _new_events(
    staged: StagedGames, outcomes: pl.DataFrame, content: pl.DataFrame, people: pl.DataFrame
) -> pl.DataFrame:
    """Return the events that enter; a changed report does not count until somebody decides."""
    new = outcomes.filter(pl.col("what") != "here").select("event", "id", "what")
    rows = (
        staged.events.join(new, on="event", maintain_order="left")
        .join(content, on="event", maintain_order="left")
        .sort("id")
    )
    person = dict(people.iter_rows())
    documents = [event_document(staged.reports[event], person) for event in rows["event"]]
    return rows.select(
        "id",
        (pl.col("event") + 1).alias("number"),
        *("name", "site", "federation", "start", "end", "kind", "time_control", "rounds", "source"),
        pl.col("hash").alias("content"),
        (pl.col("what") == "changed").alias("excluded"),
        pl.Series("document", documents, dtype=pl.String),
    )


def _with_player_numbers(games: pl.DataFrame, people: pl.DataFrame) -> pl.DataFrame:
    """Return the games with the numbers of their players in the ledger."""
    highest = int(people["row"].max() or 0) if people.height else 0  # type: ignore[arg-type]
    every = pl.DataFrame({"row": pl.int_range(highest + 1, dtype=pl.Int32, eager=True)})
    number = every.join(people, on="row", how="left", maintain_order="left")["player"]
    return games.with_columns(number.gather(games[side]).alias(side) for side in ("white", "black"))


def _new_games(games: pl.DataFrame, outcomes: pl.DataFrame, first: int) -> pl.DataFrame:
    numbered = outcomes.select("event", pl.col("id").alias("event_id"))
    rows = games.join(numbered, on="event", maintain_order="left").sort("event_id", "number")
    return rows.select(
        (pl.int_range(pl.len(), dtype=pl.Int64) + first).alias("id"),
        *("event_id", "number", "round", "board", "date"),
        pl.col("precision").cast(pl.String),
        pl.col("white").alias("white_id"),
        pl.col("black").alias("black_id"),
        *("score", "black_score"),
        pl.col("status").cast(pl.String),
        *("white_rating", "black_rating", "plies"),
    )


def _as_likeliest(games: pl.DataFrame, matches: PlayerMatches, people: pl.DataFrame) -> pl.DataFrame:
    """Return the games with each doubtful player as the likeliest candidate: so are they compared."""
    best = matches.doubts.sort("row", -pl.col("score"), "player").unique("row", keep="first")
    pairs = best.join(people, on="row", suffix="_new").select("player_new", "player").rows()
    return games.with_columns(pl.col("white_id", "black_id").replace(dict(pairs))) if pairs else games


def _without_duplicates(
    games: pl.DataFrame, events: pl.DataFrame, duplicates: pl.DataFrame, births: pl.DataFrame
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Let games that are in the ledger already not count, and make the hashes of their events again."""
    duplicate = pl.col("id").is_in(duplicates["id"].implode())
    games = games.with_columns(pl.when(duplicate).then(pl.lit("unrated")).otherwise("status").alias("status"))
    named = games.rename({"event_id": "event", "white_id": "white", "black_id": "black"})
    hashes = contents(named, births).select(pl.col("event").cast(pl.Int64).alias("id"), content="hash")
    return games, events.update(hashes, on="id")


# What somebody must look at: doubtful players, changed reports, games that the ledger has already.


def _doubts(
    staged: StagedGames,
    people: pl.DataFrame,
    matches: PlayerMatches,
    outcomes: pl.DataFrame,
    register: Register,
    duplicates: pl.DataFrame,
    new_games: pl.DataFrame,
) -> pl.DataFrame:
    rows = [
        *_doubtful_players(staged, people, matches),
        *_changed_reports(staged, outcomes, register),
        *_duplicate_games(staged, outcomes, register, duplicates, new_games),
    ]
    first = register.numbers["doubts"]
    return pl.DataFrame(
        [
            {"id": first + at, **row, "document": document_text(row["document"])}
            for at, row in enumerate(rows)
        ],
        schema=DOUBTS,
    )


def _doubtful_players(
    staged: StagedGames, people: pl.DataFrame, matches: PlayerMatches
) -> list[dict[str, Any]]:
    person = dict(people.iter_rows())
    names = dict(staged.players.select("row", "name").iter_rows())
    doubts = matches.doubts.sort("row", maintain_order=True)
    return [
        {
            "kind": "player",
            "about": names[row],
            "event_id": None,
            "player_id": person[row],
            "document": {
                "reason": "may be a player who is here already",
                "candidates": part.drop("row").to_dicts(),
            },
        }
        for (row,), part in doubts.group_by("row", maintain_order=True)
    ]


def _changed_reports(staged: StagedGames, outcomes: pl.DataFrame, register: Register) -> list[dict[str, Any]]:
    changed = outcomes.filter(pl.col("what") == "changed")
    if changed.is_empty():
        return []
    known = {row["id"]: row for row in register.events(changed["other"]).iter_rows(named=True)}
    names = dict(staged.events.select("event", "name").iter_rows())
    return [
        {
            "kind": "event",
            "about": names[event],
            "event_id": number,
            "player_id": None,
            "document": {
                "reason": CHANGED,
                "candidates": [
                    {"event": other, **{n: str(known[other][n]) for n in ("name", "start", "end")}}
                ],
            },
        }
        for event, number, other in changed.select("event", "id", "other").iter_rows()
    ]


def _duplicate_games(
    staged: StagedGames,
    outcomes: pl.DataFrame,
    register: Register,
    duplicates: pl.DataFrame,
    new_games: pl.DataFrame,
) -> list[dict[str, Any]]:
    """Return a doubt for each event with games that are in another one, too."""
    if duplicates.is_empty():
        return []
    wanted = ("id", "name", "start", "end")
    new = outcomes.drop_nulls("id").join(staged.events, on="event", maintain_order="left").select(wanted)
    events = pl.concat([duplicates["own"], duplicates["event"]])
    every = pl.concat([new, register.events(events).select(wanted)]).unique("id", keep="first")
    sized = every.join(register.event_sizes(events, new_games), left_on="id", right_on="event_id")
    return duplicate_doubts(duplicates, {row["id"]: row for row in sized.iter_rows(named=True)})


# What an import has changed, or would change: in figures, as a table, in a sentence.

EVENTS = schema(columns("event:int name:str start:date end:date games:int time_control:str what:str"))
"""The events of a file by their numbers in the ledger; `what` is that of `OUTCOMES`."""
PEOPLE = schema(columns("name:str player:int how:str score:float known:str"))
NAMED = 3
"""Records that were not understood and are named in the sentence."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Imported:
    """One file: what was in it, who its players are, what became of its events.

    `earlier` is the number and the file's name of the import that had the same content: then nothing
    has changed. `events` has one row an event of the file; `people` the players found by name or in
    doubt; `doubts` the candidates of the latter.
    """

    file: str
    format: str | None
    number: int | None
    earlier: tuple[int, str] | None
    report: Report
    games: int = 0
    by_id: int = 0
    by_name: int = 0
    new: int = 0
    doubtful: int = 0
    completed: int = 0  # players that were here and of whom the file knew more
    listed: int | None = None  # ratings of a list; None: the file is none, or has no date
    unsaid: int = 0  # new events whose time control stands nowhere: taken as standard
    byes: int = 0
    forfeits: int = 0
    read: int = 0  # games of the file with two players, played or not, without forfeits
    duplicates: int = 0  # games that are in the ledger already, in whatever event: they do not count again
    settled: int = 0  # doubts that were answered at the preview, and are settled
    moves: int = 0  # games that enter with their moves
    moves_added: int = 0  # games that were here without moves, and got them
    events: pl.DataFrame = field(default_factory=lambda: EVENTS.to_frame(eager=True))
    people: pl.DataFrame = field(default_factory=lambda: PEOPLE.to_frame(eager=True))
    doubts: pl.DataFrame = field(default_factory=pl.DataFrame)
    plan: Plan | None = None

    @classmethod
    def unchanged(cls, path: str, earlier: tuple[int, str], *, moves_added: int = 0) -> Imported:
        """Return the result for a file whose content is in the ledger: it is read for its moves only."""
        return cls(
            file=Path(path).name,
            format=None,
            number=None,
            earlier=earlier,
            report=Report(),
            moves_added=moves_added,
        )

    @classmethod
    def of(cls, file: StagedFile, plan: Plan, register: Register) -> Imported:
        """Return the result of a plan."""
        matches, given, staged = plan.matches, file.given, file.staged
        listed = None
        if given is not None and given.closing is not None:
            listed = staged.players["rating"].drop_nulls().len()
        new = plan.outcomes.filter(pl.col("what") != "here").select("event")
        said = plan.staged.events.join(new, on="event", how="semi")["said"]
        events = staged.events.join(plan.outcomes, on="event", maintain_order="left")
        player = plan.people.rename({"player": "at"})
        status = staged.games["status"].cast(pl.String)
        bye = staged.games["black"].is_null() | (status == "bye")
        forfeit = ~bye & (status == "forfeit")
        return cls(
            file=file.file,
            format=file.format,
            number=register.numbers["imports"],
            earlier=None,
            report=file.report,
            games=plan.rows.games.height,
            by_id=matches.count("id"),
            by_name=matches.count("name"),
            new=matches.count("new"),
            doubtful=matches.count("doubtful"),
            completed=plan.rows.filled.height,
            listed=listed,
            unsaid=int((~said).sum()),
            duplicates=plan.duplicates.height,
            byes=int(bye.sum()),
            forfeits=int(forfeit.sum()),
            read=int((~bye & ~forfeit).sum()),
            events=events.select(pl.coalesce("id", "other").alias("event"), *list(EVENTS)[1:]),
            people=_named_people(plan, register),
            doubts=matches.doubts.join(player, on="row", maintain_order="left").drop("row"),
            plan=plan,
        )

    def count(self, what: str) -> int:
        """Return how many events are new (also as a part of another), here already, or changed reports."""
        return self.events.filter(self._is(what)).height

    @staticmethod
    def _is(what: str) -> pl.Expr:
        return pl.col("what").is_in(["new", "part"] if what == "new" else [what])

    def understood(self) -> str:
        """Return in a sentence what was understood of the file, as in "15 rows: 11 games, 3 byes"."""
        lost = self.report.of("skipped")
        parts = [(self.read, "game"), (self.byes, "bye"), (self.forfeits, "forfeit")]
        words = [counted(count, noun) for count, noun in parts if count]
        if lost:
            some = ", ".join([*map(_place_of, lost[:NAMED]), *(["…"] if len(lost) > NAMED else [])])
            words.append(f"{len(lost):,} not understood ({some})")
        return f"{counted(self.read + self.byes + self.forfeits + len(lost), 'row')}: {', '.join(words)}"

    def _games(self, what: str) -> int:
        return int(self.events.filter(self._is(what))["games"].sum())

    def table(self) -> pl.DataFrame:
        """Return the events of the file: number, name, days, games, time control, what they are."""
        return self.events

    def row(self) -> dict[str, Any]:
        """Return the figures in one row."""
        return {
            "file": self.file,
            "format": self.format,
            "import": self.number,
            "events": self.count("new"),
            "here": self.count("here"),
            "changed": self.count("changed"),
            "games": self.games,
            "by_id": self.by_id,
            "by_name": self.by_name,
            "new": self.new,
            "doubtful": self.doubtful,
        }

    def summary(self) -> str:
        """Return in a sentence what has changed."""
        if self.earlier is not None:
            added = f"{self._added()} added" if self.moves_added else "nothing changes"
            return f"{self.file}: here already (import {self.earlier[0]}, {self.earlier[1]}): {added}"
        if self.format in ("fide", "list"):
            parts = [f"{counted(self.listed or 0, 'rating')} of a list"]
        else:
            parts = [f"{counted(self.count('new'), 'event')} and {counted(self._games('new'), 'game')}"]
        if here := self.count("here"):
            parts.append(f"{counted(here, 'event')} here already")
        if changed := self.count("changed"):
            parts.append(
                f"{counted(changed, 'changed report')} ({counted(self._games('changed'), 'game')}) in the queue"
            )
        if parted := self.events.filter(pl.col("what") == "part").height:
            parts.append(
                f"{parted:,} of them {'is a part' if parted == 1 else 'are parts'} of events that are here"
            )
        if repeated := self.duplicates:
            verbs = ("is", "does") if repeated == 1 else ("are", "do")
            parts.append(
                f"{counted(repeated, 'game')} {verbs[0]} here already and {verbs[1]} not count twice: in the queue"
            )
        if self.moves_added:
            parts.append(f"{self._added()} that {'was' if self.moves_added == 1 else 'were'} here added")
        parts.append(
            f"players: {self.by_id:,} by id, {self.by_name:,} by name, {self.new:,} new, {self.doubtful:,} doubtful"
        )
        return f"{self.file}: {'; '.join(parts)}"

    def _added(self) -> str:
        return f"moves of {counted(self.moves_added, 'game')}"

    def as_dict(self) -> dict[str, Any]:
        """Return everything as plain values."""
        result: dict[int, list[dict[str, Any]]] = {}
        for row in self.doubts.iter_rows(named=True):
            result.setdefault(row.pop("at"), []).append(row)
        return {
            **self.row(),
            "earlier": None if self.earlier is None else self.earlier[0],
            "completed": self.completed,
            "listed": self.listed,
            "time_control_unsaid": self.unsaid,
            "duplicates": self.duplicates,
            "settled": self.settled,
            "understood": {
                "games": self.read,
                "byes": self.byes,
                "forfeits": self.forfeits,
                "not_understood": self.report.counts()["skipped"],
            },
            "moves": self.moves,
            "moves_added": self.moves_added,
            "event_list": self.events.to_dicts(),
            "found_by_name": self.people.filter(pl.col("how") == "name").drop("how").to_dicts(),
            "doubts": [
                {"name": row["name"], "player": row["player"], "candidates": result[row["player"]]}
                for row in self.people.filter(pl.col("how") == "doubtful").iter_rows(named=True)
            ],
            **{
                action: [n.as_dict() for n in self.report.notes if n.action == action]
                for action in ("skipped", "repaired", "noted")
            },
        }


def _place_of(note: Note) -> str:
    """Return where a record that was not understood stands, and what stands there."""
    said = re.search(r"found (.{1,60})", note.reason)
    where = f"row {note.line}: " if note.line is not None else ""
    return where + (said[1] if said else note.reason)


def _named_people(plan: Plan, register: Register) -> pl.DataFrame:
    """Return the players that were found by name, or are in doubt (`PEOPLE`)."""
    rows = (
        plan.matches.rows.filter(pl.col("how").is_in(["name", "doubtful"]))
        .select("row", "how", "score")
        .join(plan.staged.players.select("row", "name"), on="row", maintain_order="left")
        .join(plan.people, on="row", maintain_order="left")
    )
    profiles = register.profiles(rows.filter(pl.col("how") == "name")["player"])
    known = profiles.select("player", pl.col("name").alias("known"))
    return rows.join(known, on="player", how="left", maintain_order="left").select(
        pl.col(name).cast(kind) for name, kind in PEOPLE.items()
    )
