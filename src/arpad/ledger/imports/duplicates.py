"""Games of a file that are in the ledger already, whatever their event is called there.

A game is there already if the same players had the same colours and the same result, with as many moves
where both sources know them, and

- on the same day, unless both sources name the round and the rounds differ;
- or in the same round of events whose days overlap, if a source does not know the day;
- or in such events, if at least two games and half of the smaller event agree: a source may give all games
  the first day of the event, and no rounds.

Where two events agree so much, a game with White and Black exchanged in the same round is one game, too: a
crosstable may not know the colours. Where two events agree so much, or are parts of one event, the same
pairing on the same day or in the same round with another result is one game, too: one of the sources is wrong.

A duplicate enters, so that its event is complete. Of the copies one counts until somebody decides otherwise:
that of the event with the most games (of equal ones that which ended first). So the order of imports changes
no list. An event that a published list rests on keeps its games. The other copies are `unrated`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl
import sqlalchemy as sa

from arpad.ledger.db import tables
from arpad.ledger.register import Register, among, end_of
from arpad.ledger.runs import published_runs, runs_numbered
from arpad.model import columns, schema

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sqlalchemy.engine import Connection

DUPLICATES = schema({"id": pl.Int64, "own": pl.Int64, "game": pl.Int64, "event": pl.Int64})
"""A game that does not count and its event, the copy of it that counts and the event of that one."""
GAMES = schema(
    columns(
        "id:int event_id:int number:int round:str date:date precision:str white_id:int black_id:int "
        "score:float black_score:float plies:int status:str"
    )
)
DUPLICATE = "merge them (they count once), let this report replace those, add them, or leave all of it out"
"""Proposal in the queue for games that are in another event, too."""
PAIR = ("white_id", "black_id")
FEWEST = 2
"""Games that must agree before a coincidence without day or round is believed."""
DAYS = schema({"event_id": pl.Int64, "start": pl.Date, "end": pl.Date, "counts": pl.Boolean})


def find_duplicates(
    rows: pl.DataFrame, events: pl.DataFrame, register: Register, parts: pl.DataFrame | None = None
) -> pl.DataFrame:
    """Return which games (`DUPLICATES`) must not count because a file and the ledger both have them.

    `rows`: The games that enter, as the ledger has them.
    `events`: `id`, `name`, `start`, `end`, `source` and `excluded` of their events.
    `parts`: `event_id`, `event_id_2`: events that are parts of one that is there.
    """
    days = events.select(pl.col("id").alias("event_id"), "start", "end", counts=~pl.col("excluded"))
    counting = days.filter("counts")["event_id"].implode()
    ends = dict(register.likeliest())
    mine = rows.select(pl.col(name).cast(kind) for name, kind in GAMES.items())
    mine = mine.with_columns(pl.col("white_id", "black_id").replace(ends)).filter(
        pl.col("event_id").is_in(counting) & (pl.col("status") == "played") & pl.col("black_id").is_not_null()
    )
    if mine.is_empty():
        return DUPLICATES.to_frame(eager=True)
    known = _played_between(mine, days, register, ends)
    after = register.events(known["event_id"]).select(
        pl.col("id").alias("event_id"), "start", "end", counts=pl.lit(True)
    )
    every = pl.concat([days.cast(DAYS), after.cast(DAYS)]).unique("event_id", keep="first")
    others = pl.concat([known, mine]).unique("id", keep="first", maintain_order=True)
    both = pl.concat([others.with_columns(turned=pl.lit(False)), _turned(others)])
    pairs = _with_days(mine, every).join(_with_days(both, every), on=PAIR, suffix="_2")
    equal = pl.all_horizontal(pl.col(n).eq_missing(pl.col(f"{n}_2")) for n in ("score", "black_score"))
    return (
        pairs.filter(pl.col("event_id_2") < pl.col("event_id"), _same("plies"))
        .with_columns(match=_match(), equal=equal)
        .filter(pl.col("match") > pl.when("equal").then(0).otherwise(1))
        .filter(~pl.col("turned") | (_number("round") == _number("round_2")))
        .sort(
            "id",
            "turned",
            ~pl.col("equal"),
            -pl.col("match"),
            (pl.col("round") != pl.col("round_2")).fill_null(True),
            "id_2",
        )
        .unique(["id", "event_id_2"], keep="first", maintain_order=True)
        .unique(["id_2", "event_id"], keep="first", maintain_order=True)
        .pipe(_without_chance, mine, register, parts)
        .pipe(_which_counts, rows, events, register)
    )


def _turned(games: pl.DataFrame) -> pl.DataFrame:
    """Return games with White and Black exchanged: a crosstable without colours guesses them."""
    theirs = pl.coalesce("black_score", 1 - pl.col("score"))
    return games.with_columns(
        white_id="black_id",
        black_id="white_id",
        score=theirs,
        black_score=pl.when(pl.col("black_score").is_not_null()).then("score"),
        turned=pl.lit(True),
    )


def _which_counts(
    pairs: pl.DataFrame, rows: pl.DataFrame, events: pl.DataFrame, register: Register
) -> pl.DataFrame:
    """Return `DUPLICATES`: of all copies of a game that of the first event counts."""
    if pairs.is_empty():
        return DUPLICATES.to_frame(eager=True)
    numbers = pl.concat([pairs["event_id"], pairs["event_id_2"]])
    wanted = ("id", "name", "start", "end", "source")
    every = pl.concat([events.select(wanted), register.events(numbers).select(wanted)]).unique(
        "id", keep="first"
    )
    sizes = register.event_sizes(numbers, rows)
    published: set[int] = set()
    if register.connection is not None:
        runs = runs_numbered(register.connection, sorted(published_runs(register.connection)))
        published.update(event for run in runs for event in run.events)
    kept = pl.col("id").is_in(sorted(published))
    order = (
        every.join(sizes, left_on="id", right_on="event_id")
        .sort(~kept, -pl.col("games"), "end", "start", "name", "source", "id")
        .select(pl.col("id").alias("event_id"), place=pl.int_range(pl.len()))
    )
    first: dict[int, int] = {}
    for game, other in pairs.sort("id").select("id", "id_2").iter_rows():
        ends = {end_of(game, first), end_of(other, first)}  # a copy of a copy
        first |= dict.fromkeys(ends - {min(ends)}, min(ends))
    first = {game: end_of(game, first) for game in first}
    sides = [pairs.select("id", "event_id"), pairs.select(id="id_2", event_id="event_id_2")]
    copies = (
        pl.concat(sides)
        .unique(maintain_order=True)
        .join(order, on="event_id", maintain_order="left")
        .with_columns(copy_of=pl.col("id").replace(first))
        .sort("place", "id")
    )
    counting = copies.unique("copy_of", keep="first").select("copy_of", game="id", event="event_id")
    return (
        copies.join(counting, on="copy_of")
        .filter(pl.col("event_id") != pl.col("event"))
        .sort("id")
        .select("id", own="event_id", game="game", event="event")
        .cast(DUPLICATES)
    )


def duplicates_of_merge(connection: Connection, gone: int, stays: int) -> pl.DataFrame:
    """Return which games of two players (`DUPLICATES`) are one game, if the two are one person."""
    register = Register.of(connection)
    ends = register.merged()
    register._merged = {**{old: stays if to == gone else to for old, to in ends.items()}, gone: stays}
    g = tables.games
    rows = []
    for person in (gone, stays):
        names = [person, *(old for old, to in ends.items() if to == person)]
        parts = [
            among(connection, sa.select(g), side, names, g.c.id) for side in (g.c.white_id, g.c.black_id)
        ]
        rows.append(pl.concat(parts).unique("id", maintain_order=True))
    if any(part.is_empty() for part in rows):
        return DUPLICATES.to_frame(eager=True)
    games = pl.concat(rows).sort("id")
    e = tables.events
    numbers = games["event_id"].unique().to_list()
    query = sa.select(e.c.id, e.c.name, e.c.start, e.c.end, e.c.source, e.c.excluded)
    result = find_duplicates(games, among(connection, query, e.c.id, numbers, e.c.id), register)
    of_gone = rows[0]["id"].implode()
    return result.filter(pl.col("id").is_in(of_gone) != pl.col("game").is_in(of_gone))


def duplicate_doubts(
    duplicates: pl.DataFrame, events: Mapping[int, Mapping[str, Any]]
) -> list[dict[str, Any]]:
    """Return what the queue asks of each event with games that count in another one.

    `events`: `name`, `start`, `end` and `games` of each event that `duplicates` names.
    """
    result = []
    for (event,), part in duplicates.group_by("own", maintain_order=True):
        counted = part.group_by("event", maintain_order=True).len()
        candidates = [
            {"event": other, "games": count, **{n: str(events[other][n]) for n in ("name", "start", "end")}}
            for other, count in counted.iter_rows()
        ]
        own = events[event]
        result.append(
            {
                "kind": "event",
                "about": own["name"],
                "event_id": event,
                "player_id": None,
                "document": {
                    "reason": f"{part.height:,} of its {own['games']:,} games are here already: {DUPLICATE}",
                    "candidates": candidates,
                    "duplicates": [list(pair) for pair in part.select("id", "game").rows()],
                },
            }
        )
    return result


def _without_chance(
    pairs: pl.DataFrame, mine: pl.DataFrame, register: Register, parts: pl.DataFrame | None
) -> pl.DataFrame:
    """Leave out pairs that may be different games, unless their events agree in many games or are one event.

    They may be different where neither day nor round is sure, and where the results differ.
    """
    sure = pl.col("equal") & (pl.col("match") > 1) & ~pl.col("turned")
    if pairs.select(sure.all()).item():
        return pairs
    g = tables.games
    others = pairs["event_id_2"].unique().to_list()
    query = sa.select(g.c.event_id, g.c.id).where(g.c.status == "played")
    known = register._rows("games", query, g.c.event_id, others, g.c.id).select("event_id", "id")
    games = pl.concat([mine.select("event_id", "id"), known.cast({"event_id": pl.Int64, "id": pl.Int64})])
    sizes = games.group_by("event_id").agg(size=pl.col("id").n_unique())
    agreed = pl.col("equal").sum().over("event_id", "event_id_2")
    smaller = pl.min_horizontal("size", "size_2")
    same = pl.struct("event_id", "event_id_2").is_in([] if parts is None else parts.rows(named=True))
    return (
        pairs.join(sizes, on="event_id", how="left", maintain_order="left")
        .join(
            sizes, left_on="event_id_2", right_on="event_id", how="left", maintain_order="left", suffix="_2"
        )
        .filter(sure | ((agreed >= FEWEST) & (2 * agreed >= smaller)) | ((pl.col("match") > 1) & same))
    )


def _played_between(
    mine: pl.DataFrame, days: pl.DataFrame, register: Register, ends: dict[int, int]
) -> pl.DataFrame:
    """Return the games of these players in the ledger that may be the same: played, and in their days."""
    g, e = tables.games, tables.events
    columns = [g.c[name] for name in GAMES]
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
    white = register.everybody(pl.concat([mine["white_id"], mine["black_id"]]).unique(), ends)
    result = register._rows("games", query, g.c.white_id, white, g.c.id).filter(pl.col("status") == "played")
    result = result.select(pl.col(name).cast(kind) for name, kind in GAMES.items())
    result = result.filter(~pl.col("id").is_in(sorted(register.unrated)))
    return result.with_columns(pl.col("white_id", "black_id").replace(ends))


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


def compare_reports(games: pl.DataFrame, pairs: pl.DataFrame, register: Register) -> pl.DataFrame:
    """Say of each pair of reports of one event whether the new one is another part of it.

    A part adds games. It has no pairing of the other one; or it contradicts none of its games (another
    opponent or result in the same round, another result against the same opponent on the same day); or most
    of its games are not touched at all: in a corrected report most games are there already.

    `games`: Of the file: `event`, `white`, `black` (numbers in the ledger), and the columns of a game.
    `pairs`: `event`, `other`.

    Returns
    -------
    `event`, `other`, `part`.
    """
    g = tables.games
    wanted = pairs["other"].unique().to_list()
    query = sa.select(*(g.c[name] for name in GAMES))
    known = register._rows("games", query, g.c.event_id, wanted, g.c.id)
    known = known.with_columns(pl.col("white_id", "black_id").cast(pl.Int64).replace(dict(register.merged())))
    old = _seats(pairs.join(known.drop("id"), left_on="other", right_on="event_id"))
    new = games.rename({"white": "white_id", "black": "black_id"}).join(pairs, on="event")
    seats = _seats(new)
    key = ["event", "other", "player"]
    met = seats.join(old, on=key, suffix="_2")
    same_round = (pl.col("round") == pl.col("round_2")).fill_null(False)
    same_day = (pl.col("date") == pl.col("date_2")).fill_null(False)
    pairing = pl.col("opponent").eq_missing(pl.col("opponent_2"))
    equal = pairing & pl.col("score").eq_missing(pl.col("score_2")) & pl.col("white").eq(pl.col("white_2"))
    no_round = pl.col("round").is_null() | pl.col("round_2").is_null()
    at_once = same_round | (no_round & same_day & pairing)
    key = ["event", "other", "game"]
    touched = met.group_by(key).agg(
        against=(at_once & ~equal).any(), repeated=(at_once & equal).any(), shared=(at_once & pairing).any()
    )
    counted = new.with_row_index("game").join(touched, on=key, how="left").group_by("event", "other")
    return (
        pairs.join(
            counted.agg(
                games=pl.len(),
                against=pl.col("against").sum(),
                repeated=pl.col("repeated").sum(),
                shared=pl.col("shared").sum(),
                touched=(pl.col("against") | pl.col("repeated")).sum(),
            ),
            on=["event", "other"],
            how="left",
        )
        .select(
            "event",
            "other",
            part=(
                (pl.col("shared") == 0)
                | ((pl.col("against") == 0) & (pl.col("repeated") < pl.col("games")))
                | (2 * pl.col("touched") < pl.col("games"))
            ).fill_null(False),
        )
        .sort("event", "other")
    )


def _seats(games: pl.DataFrame) -> pl.DataFrame:
    """Return each game twice: as each of its players sees it."""
    columns = ("event", "other", "round", "date")
    games = games.with_row_index("game")
    sides = [
        games.select(
            *columns,
            "game",
            player=pl.col(f"{side}_id").cast(pl.Int64),
            opponent=pl.col(f"{other}_id").cast(pl.Int64),
            score=pl.col("score" if side == "white" else "black_score"),
            white=pl.lit(side == "white"),
        )
        for side, other in (("white", "black"), ("black", "white"))
    ]
    return pl.concat(sides).filter(pl.col("player").is_not_null())
