"""Plan of an import: what it would change, calculated before anything is written."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from arpad.errors import counted
from arpad.ledger.db.tables import document_text
from arpad.ledger.games import contents
from arpad.ledger.imports.duplicates import compare_reports, duplicate_doubts, find_duplicates
from arpad.ledger.imports.matching import PlayerMatches, match
from arpad.ledger.register import folds
from arpad.model import schema
from arpad.read.collect import doubtful_names
from arpad.read.source import Note, Report

if TYPE_CHECKING:
    from arpad.ledger.imports.staging import Incoming, StagedFile
    from arpad.ledger.register import Register
    from arpad.model import Event


# The rows that an import writes beside games: players, spellings, events, doubts.

CHANGED = "a changed report of an event that is here: replace it, add this one, or leave it as it is"
"""Note in the queue on an event with the name and days of another, and other games."""
IN_FILE_SCORE = 0.9
"""Score of two spellings with the same words in one file."""
_DOUBT = {
    "id": pl.Int64,
    "kind": pl.String,
    "about": pl.String,
    "event_id": pl.Int64,
    "player_id": pl.Int64,
    "document": pl.String,
}


def player_rows(batch: StagedFile, people: pl.DataFrame, matches: PlayerMatches) -> pl.DataFrame:
    """Return the players that are new."""
    new = matches.rows.filter(pl.col("player").is_null()).select("row")
    return (
        batch.players.join(new, on="row", how="semi", maintain_order="left")
        .join(people, on="row", maintain_order="left")
        .select(pl.col("player").alias("id"), "name", "birth", "federation", "sex", "title")
        .sort("id")
    )


def new_names(batch: StagedFile, people: pl.DataFrame, known: Register) -> pl.DataFrame:
    """Return the spellings that the ledger does not have of these players."""
    mine = batch.players.select("row", "name", "fold").join(people, on="row", maintain_order="left")
    return mine.join(
        known.spellings(people["player"]), on=["player", "fold"], how="anti", maintain_order="left"
    ).select(pl.col("player").alias("player_id"), "name", "fold")


def event_rows(
    batch: StagedFile, judged: pl.DataFrame, now: pl.DataFrame, people: pl.DataFrame
) -> pl.DataFrame:
    """Return the events that enter; a changed report does not count until somebody decides."""
    entered = judged.filter(pl.col("what") != "here").select("event", "id", "what")
    rows = (
        batch.events.join(entered, on="event", maintain_order="left")
        .join(now, on="event", maintain_order="left")
        .sort("id")
    )
    person = dict(people.iter_rows())
    documents = [_document(batch.reports[event], person) for event in rows["event"]]
    return rows.select(
        "id",
        (pl.col("event") + 1).alias("number"),
        "name",
        "site",
        "federation",
        "start",
        "end",
        "kind",
        "time_control",
        "rounds",
        "source",
        pl.col("hash").alias("content"),
        (pl.col("what") == "changed").alias("excluded"),
        pl.Series("document", documents, dtype=pl.String),
    )


def _document(event: Event, person: dict[int, int]) -> str | None:
    """Return what a report says beyond the columns of the table."""
    told: dict[str, Any] = {
        "arbiter": event.arbiter,
        "deputies": list(event.deputies),
        "time_control": event.time_control,
        "round_dates": list(event.round_dates),
        "rating_system": event.rating_system,
        "number_two": event.number_two,
        "teams": [[name, [person[m] for m in members if m in person]] for name, members in event.teams],
        "points": [list(pair) for pair in event.points],
        "team_points": [list(pair) for pair in event.team_points],
        "tie_breaks": list(event.tie_breaks),
        "ranks": [[person[row], rank] for row, rank in event.ranks if row in person],
        "byes": [[person[row], *bye] for row, *bye in event.byes if row in person],
        "extra": list(event.extra),
    }
    told = {name: value for name, value in told.items() if value not in (None, [])}
    return document_text(told).replace("\\u0000", "") if told else None


def doubt_rows(
    batch: StagedFile,
    people: pl.DataFrame,
    matches: PlayerMatches,
    judged: pl.DataFrame,
    known: Register,
    duplicates: pl.DataFrame,
    entering: pl.DataFrame,
) -> pl.DataFrame:
    """Return what somebody must look at: doubtful players, changed reports, games that are here already."""
    rows = [
        *_players(batch, people, matches),
        *_events(batch, judged, known),
        *_repeated(batch, judged, known, duplicates, entering),
    ]
    return pl.DataFrame(
        [
            {"id": known.numbers["doubts"] + at, **row, "document": document_text(row["document"])}
            for at, row in enumerate(rows)
        ],
        schema=_DOUBT,
    )


def _players(batch: StagedFile, people: pl.DataFrame, matches: PlayerMatches) -> list[dict[str, Any]]:
    doubtful = matches.doubts.sort("row", maintain_order=True)
    if doubtful.is_empty():
        return []
    person = dict(people.iter_rows())
    names = dict(batch.players.join(doubtful, on="row", how="semi").select("row", "name").iter_rows())
    result: dict[int, list[dict[str, Any]]] = {}
    for row, player, name, score, reason in doubtful.iter_rows():
        result.setdefault(row, []).append({"player": player, "name": name, "score": score, "reason": reason})
    return [
        {
            "kind": "player",
            "about": names[row],
            "event_id": None,
            "player_id": person[row],
            "document": {"reason": "may be a player who is here already", "candidates": candidates},
        }
        for row, candidates in result.items()
    ]


def _events(batch: StagedFile, judged: pl.DataFrame, known: Register) -> list[dict[str, Any]]:
    changed = judged.filter(pl.col("what") == "changed")
    if changed.is_empty():
        return []
    there = known.events(changed["other"])
    pairs = changed.join(batch.events, on="event", maintain_order="left").join(
        there.select(other="id", name_2="name", start_2="start", end_2="end"),
        on="other",
        maintain_order="left",
    )
    return [
        {
            "kind": "event",
            "about": row["name"],
            "event_id": row["id"],
            "player_id": None,
            "document": {
                "reason": CHANGED,
                "candidates": [
                    {
                        "event": row["other"],
                        "name": row["name_2"],
                        "start": str(row["start_2"]),
                        "end": str(row["end_2"]),
                    }
                ],
            },
        }
        for row in pairs.iter_rows(named=True)
    ]


def _repeated(
    batch: StagedFile, judged: pl.DataFrame, known: Register, duplicates: pl.DataFrame, entering: pl.DataFrame
) -> list[dict[str, Any]]:
    """Return a doubt for each event with games that are in another one, too."""
    if duplicates.is_empty():
        return []
    told = ("id", "name", "start", "end")
    mine = judged.drop_nulls("id").join(batch.events, on="event", maintain_order="left").select(told)
    events = pl.concat([duplicates["own"], duplicates["event"]])
    every = pl.concat([mine, known.events(events).select(told)]).unique("id", keep="first")
    sized = every.join(known.event_sizes(events, entering), left_on="id", right_on="event_id")
    return duplicate_doubts(duplicates, {row["id"]: row for row in sized.iter_rows(named=True)})


# What importing a file would change: worked out before anything is written.

JUDGED = schema(
    {
        "event": pl.Int32,  # its number in the file
        "what": pl.String,  # new, here, part (of one that is there), changed
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
    unrated: list[int]  # games that are there and give way to their copies in this file


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """Plan of an import: the players, the fate of each event, and the rows to write."""

    batch: StagedFile  # rest of the file, without the events that are already in the ledger
    matches: PlayerMatches
    people: pl.DataFrame  # `row`, `player`: the number in the ledger of each player of the batch
    judged: pl.DataFrame
    rows: Rows
    duplicates: pl.DataFrame  # games of the file that are in the ledger already (`duplicates.DUPLICATES`)


def plan(batch: StagedFile, known: Register, *, renew: bool = False) -> Plan:
    """Work out what a file would change.

    `renew`: Whether the file's titles and federations take the place of others: a federation's list.
    """
    judged = _by_source(batch, known)
    here = judged.filter(pl.col("what") == "here")["event"]
    left = batch.without(here) if len(here) else batch
    incoming = _with_ratings(left)
    matches = match(incoming, known, scheme=batch.scheme)
    people = _people(matches, known)
    matches = _with_own_doubts(matches, left, people)
    games = _numbered(left.games, people)
    filled = _filled(left, matches, known, renew=renew)
    births = _births(left, people, known, filled)
    now = contents(games, births)
    judged, one_event = _by_name(left, known, judged, now, games)
    same = judged.filter(pl.col("what") == "here")["event"]
    games = games.filter(~pl.col("event").is_in(same.implode()))
    judged = _with_ids(judged, known.numbers["events"])
    events = event_rows(left, judged, now, people)
    entering = _game_rows(games, judged, known.numbers["games"])
    numbers = judged.select("event", pl.col("id").alias("event_id"))
    parts = one_event.join(numbers, on="event").select("event_id", pl.col("there").alias("event_id_2"))
    duplicates = find_duplicates(_as_likeliest(entering, matches, people), events, known, parts)
    if duplicates.height:
        entering, events = _without_duplicates(entering, events, duplicates, births)
    rows = Rows(
        players=player_rows(left, people, matches),
        player_ids=_new_ids(left, people, known),
        player_names=new_names(left, people, known),
        events=events,
        games=entering,
        doubts=doubt_rows(left, people, matches, judged, known, duplicates, entering),
        filled=filled,
        unrated=duplicates.filter(~pl.col("id").is_in(entering["id"].implode()))["id"].to_list(),
    )
    return Plan(batch=left, matches=matches, people=people, judged=judged, rows=rows, duplicates=duplicates)


def _as_likeliest(games: pl.DataFrame, matches: PlayerMatches, people: pl.DataFrame) -> pl.DataFrame:
    """Return the games with each doubtful player as the likeliest candidate: so are they compared."""
    best = matches.doubts.sort("row", -pl.col("score"), "player").unique("row", keep="first")
    pairs = best.join(people, on="row", suffix="_new").select("player_new", "player").rows()
    return games.with_columns(pl.col("white_id", "black_id").replace(dict(pairs))) if pairs else games


def _with_own_doubts(matches: PlayerMatches, batch: StagedFile, people: pl.DataFrame) -> PlayerMatches:
    """Put new players whose name is another spelling of one in the same file among the doubts.

    Two who met are two people.
    """
    new = set(matches.rows.filter(pl.col("how") == "new")["row"])
    named = batch.players.filter(~pl.col("name").is_duplicated()).select("name", "row", id="value")
    row_of = dict(named.select("name", "row").iter_rows())
    pairs = [(row_of[a], row_of[b], a) for a, b in doubtful_names(named) if row_of[b] in new]
    if not pairs:
        return matches
    met = batch.games.select("white", "black").drop_nulls()
    seen = {frozenset(pair) for pair in met.unique().iter_rows()}
    player = dict(people.iter_rows())
    rows = [
        (row, player[earlier], name, IN_FILE_SCORE, "another spelling in the same file")
        for earlier, row, name in pairs
        if frozenset((earlier, row)) not in seen
    ]
    doubts = pl.DataFrame(rows, schema=matches.doubts.schema, orient="row")
    here = pl.col("row").is_in(doubts["row"].implode())
    how = pl.when(here).then(pl.lit("doubtful", dtype=matches.rows.schema["how"])).otherwise("how")
    return replace(
        matches, rows=matches.rows.with_columns(how.alias("how")), doubts=pl.concat([matches.doubts, doubts])
    )


def _without_duplicates(
    games: pl.DataFrame, events: pl.DataFrame, duplicates: pl.DataFrame, births: pl.DataFrame
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Let games that are in the ledger already not count, and make the hashes of their events again."""
    again = pl.col("id").is_in(duplicates["id"].implode())
    games = games.with_columns(pl.when(again).then(pl.lit("unrated")).otherwise("status").alias("status"))
    told = games.rename({"event_id": "event", "white_id": "white", "black_id": "black"})
    hashed = contents(told, births).select(pl.col("event").cast(pl.Int64).alias("id"), "hash")
    events = (
        events.join(hashed, on="id", how="left", maintain_order="left")
        .with_columns(pl.coalesce("hash", "content").alias("content"))
        .drop("hash")
    )
    return games, events


def _by_source(batch: StagedFile, known: Register) -> pl.DataFrame:
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


def _with_ratings(batch: StagedFile) -> pl.DataFrame:
    """Return the players with the last rating that the file gives them."""
    sides = pl.concat(
        batch.games.select(
            pl.col(side).alias("row"), pl.col("date").alias("day"), pl.col(f"{side}_rating").alias("rating")
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


def _people(matches: PlayerMatches, known: Register) -> pl.DataFrame:
    """Give a number to everybody: that of the player found, or the next free one."""
    new = pl.col("player").is_null()
    number = new.cum_sum() + (known.numbers["players"] - 1)
    return matches.rows.select(
        "row", pl.when(new).then(number).otherwise("player").cast(pl.Int64).alias("player")
    )


def _numbered(games: pl.DataFrame, people: pl.DataFrame) -> pl.DataFrame:
    """Return the games with the numbers of their players in the ledger."""
    highest = int(people["row"].max() or 0) if people.height else 0  # type: ignore[arg-type]
    at = pl.DataFrame({"row": pl.int_range(highest + 1, dtype=pl.Int32, eager=True)}).join(
        people, on="row", how="left", maintain_order="left"
    )["player"]
    return games.with_columns(at.gather(games[side]).alias(side) for side in ("white", "black"))


def _filled(batch: StagedFile, matches: PlayerMatches, known: Register, *, renew: bool) -> pl.DataFrame:
    """Return what the file knows of players that are there and the ledger does not."""
    fields = ("birth", "federation", "sex", "title")
    result = matches.rows.filter(pl.col("player").is_not_null()).select("row", "player")
    before = known.profiles(result["player"]).drop("name")
    known_of = before.rename({c: f"{c}_known" for c in fields})
    pairs = batch.players.join(result, on="row", maintain_order="left").join(
        known_of, on="player", how="left", maintain_order="left"
    )

    def better(name: str) -> pl.Expr:
        value, before = pl.col(name), pl.col(f"{name}_known")
        wanted = before.is_null()
        if name == "birth":  # a day says more than its year
            wanted |= value.str.starts_with(before) & (value != before)
        if renew and name in ("federation", "title"):
            wanted |= value != before
        return pl.when(value.is_not_null() & wanted).then(value).alias(name)

    pairs = pairs.select("player", *(better(name) for name in fields))
    return pairs.filter(pl.any_horizontal(pl.col(name).is_not_null() for name in fields)).sort("player")


def _births(batch: StagedFile, people: pl.DataFrame, known: Register, filled: pl.DataFrame) -> pl.DataFrame:
    before = known.profiles(people["player"]).select("player", "birth")
    new = batch.players.select("row", "birth").join(people, on="row", maintain_order="left")
    new = new.join(before, on="player", how="anti", maintain_order="left")
    every = pl.concat([before, new.select("player", "birth")])
    return every.update(filled.select("player", "birth"), on="player")


def _by_name(
    batch: StagedFile, known: Register, judged: pl.DataFrame, now: pl.DataFrame, games: pl.DataFrame
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Find new events whose name and days are here already: the same games, a part, or a changed report.

    Return what is thought of each event, and all pairs (`event`, `there`) with one name and common days.
    """
    none = pl.DataFrame(schema={"event": pl.Int32, "there": pl.Int64})
    named = batch.events.select("event", "site", "start", "end", folds(batch.events["name"]))
    if batch.events.is_empty():
        return judged, none
    near = known.events_between(batch.events["start"].min(), batch.events["end"].max())  # type: ignore[arg-type]
    there = near.select(
        pl.col("id").alias("there"),
        folds(near["name"]),
        "content",
        pl.col("site").alias("site_2"),
        pl.col("start").alias("start_2"),
        pl.col("end").alias("end_2"),
    )
    pairs = (
        named.join(there, on="fold", maintain_order="left")
        .filter(
            (pl.col("start") <= pl.col("end_2")) & (pl.col("start_2") <= pl.col("end")),
            (pl.col("site") == pl.col("site_2")).fill_null(value=True),
        )
        .join(now, on="event", maintain_order="left")
        .with_columns((pl.col("hash") == pl.col("content")).alias("same"))
    )
    if pairs.is_empty():
        return judged, none
    one_event = pairs.select("event", "there")
    pairs = (
        pairs.join(compare_reports(games, one_event, known), on=["event", "there"], how="left")
        .sort("event", pl.col("same").not_(), "part", "there")
        .unique("event", keep="first", maintain_order=True)
        .select(
            "event",
            "there",
            pl.when("same")
            .then(pl.lit("here"))
            .when("part")
            .then(pl.lit("part"))
            .otherwise(pl.lit("changed"))
            .alias("word"),
        )
    )
    judged = judged.join(pairs, on="event", how="left", maintain_order="left").select(
        "event", pl.coalesce("word", "what").alias("what"), "id", pl.coalesce("there", "other").alias("other")
    )
    return judged, one_event


def _with_ids(judged: pl.DataFrame, first: int) -> pl.DataFrame:
    entered = pl.col("what") != "here"
    number = entered.cum_sum() + (first - 1)
    return judged.with_columns(pl.when(entered).then(number).cast(pl.Int64).alias("id"))


def _new_ids(batch: StagedFile, people: pl.DataFrame, known: Register) -> pl.DataFrame:
    """Return the ids that the ledger does not have: of new players, and of those found by name."""
    values = batch.players["value"].drop_nulls().to_list()
    taken = known.ids(batch.scheme, values)["value"].implode()
    result = (
        batch.players.select("row", "value")
        .filter(pl.col("value").is_not_null() & ~pl.col("value").is_in(taken))
        .join(people, on="row", maintain_order="left")
    )
    return result.select(pl.col("player").alias("player_id"), pl.lit(batch.scheme).alias("scheme"), "value")


def _game_rows(games: pl.DataFrame, judged: pl.DataFrame, first: int) -> pl.DataFrame:
    numbered = judged.select("event", pl.col("id").alias("event_id"))
    rows = games.join(numbered, on="event", maintain_order="left").sort("event_id", "number")
    return rows.select(
        (pl.int_range(pl.len(), dtype=pl.Int64) + first).alias("id"),
        "event_id",
        "number",
        "round",
        "board",
        "date",
        pl.col("precision").cast(pl.String),
        pl.col("white").alias("white_id"),
        pl.col("black").alias("black_id"),
        "score",
        "black_score",
        pl.col("status").cast(pl.String),
        "white_rating",
        "black_rating",
        "plies",
    )


# What an import has changed, or would change: in figures, as a table, in a sentence.

EVENTS = schema(
    {
        "event": pl.Int64,  # its number in the ledger
        "name": pl.String,
        "start": pl.Date,
        "end": pl.Date,
        "games": pl.Int64,
        "time_control": pl.String,
        "what": pl.String,  # new, here, part, changed
    }
)
PEOPLE = schema(
    {"name": pl.String, "player": pl.Int64, "how": pl.String, "score": pl.Float64, "known": pl.String}
)


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
    def again(cls, path: str, earlier: tuple[int, str], *, moves_added: int = 0) -> Imported:
        """Return the result for a file whose content is here: it is not even read, unless for its moves."""
        return cls(
            file=Path(path).name,
            format=None,
            number=None,
            earlier=earlier,
            report=Report(),
            moves_added=moves_added,
        )

    @classmethod
    def of(cls, one: Incoming, plan: Plan, known: Register, *, number: int) -> Imported:
        """Return the result of a plan."""
        m, given = plan.matches, one.given
        listed = None
        if given is not None and given.closing is not None:
            listed = given.batch.players["rating"].drop_nulls().len()
        new = plan.judged.filter(pl.col("what") != "here").select("event")
        said = plan.batch.events.join(new, on="event", how="semi")["said"]
        whole = one.batch.events.join(plan.judged, on="event", maintain_order="left")
        at = plan.people.rename({"player": "at"})
        return cls(
            file=one.file,
            format=one.format,
            number=number,
            earlier=None,
            report=one.report,
            games=plan.rows.games.height,
            by_id=m.count("id"),
            by_name=m.count("name"),
            new=m.count("new"),
            doubtful=m.count("doubtful"),
            completed=plan.rows.filled.height,
            listed=listed,
            unsaid=int((~said).sum()),
            duplicates=plan.duplicates.height,
            **_understood(one),
            events=whole.select(pl.coalesce("id", "other").alias("event"), *list(EVENTS)[1:]),
            people=_import_result_people(plan, known),
            doubts=plan.matches.doubts.join(at, on="row", maintain_order="left").drop("row"),
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
                "not_understood": len(self.report.of("skipped")),
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


def _understood(one: Incoming) -> dict[str, int]:
    """Return how many of a file's rows are games, byes and forfeits."""
    status = one.batch.games["status"].cast(pl.String)
    bye = one.batch.games["black"].is_null() | (status == "bye")
    forfeit = ~bye & (status == "forfeit")
    return {"byes": int(bye.sum()), "forfeits": int(forfeit.sum()), "read": int((~bye & ~forfeit).sum())}


def _place_of(note: Note) -> str:
    """Return where a record that was not understood stands, and what stands there."""
    said = re.search(r"found (.{1,60})", note.reason)
    where = f"row {note.line}: " if note.line is not None else ""
    return where + (said[1] if said else note.reason)


def _import_result_people(plan: Plan, known: Register) -> pl.DataFrame:
    m = plan.matches.rows.filter(pl.col("how").is_in(["name", "doubtful"]))
    result = (
        m.select("row", "how", "score")
        .join(plan.batch.players.select("row", "name"), on="row", maintain_order="left")
        .join(plan.people, on="row", maintain_order="left")
    )
    named = known.profiles(result.filter(pl.col("how") == "name")["player"])
    today = named.select("player", pl.col("name").alias("known"))
    return result.join(today, on="player", how="left", maintain_order="left").select(
        pl.col(name).cast(kind) for name, kind in PEOPLE.items()
    )
