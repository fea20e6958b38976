"""A whole database cut into events: which games belong together.

The rules, in their order:

1. Games that tell no strength are left out, as in a history: exhibitions, fast play, correspondence,
   machines, several people at one board (`serious`). Names that are one person are joined (`persons`), as
   are two spellings that played the same games (`same_games`).
2. One event has one name, one place and one time. Where days are known, a pause of more than 45 days ends
   it, and the new year does not; else one year is one event.
   Games without a date take the event's, or the year in its name. A play-off before 1985 belongs to its event, as in the text.
3. A game that stands there twice counts once.
4. Players whom no game links are not in one event: each part is its own. So matches that share a name are
   told apart.
5. Two events with the same games are one.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from arpad.errors import InputError
from arpad.model import Event, Games
from arpad.pool.greatness.group_rules import FAST_PLAYOFFS, NAMELESS, PAUSE, PLAYOFF, GroupRules
from arpad.pool.greatness.kinds import kinds_of
from arpad.pool.greatness.same_games import joined_by_games, renamed
from arpad.pool.greatness.twins import once, parts, twins
from arpad.pool.persons import Persons, join_names
from arpad.pool.serious import serious_games
from arpad.rate.event_order import in_order

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

__all__ = ["EventGroups", "group_events"]

NEVER = date(1, 1, 1)
"""Stands for a date that is not known."""

YEAR = r"(?<!\d)(1[5-9]\d\d|20\d\d)(?!\d)"
"""A year in the name of an event."""

UNKNOWN = -1
"""Stands for a year that is not known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EventGroups:
    """Games in events.

    Attributes
    ----------
    games
        A row a game, event after event, each in its order of play: `group`, `white`, `black` (numbers of
        people), `score`, `white_rating`, `black_rating`, `when`, `certain` (`rate.event_order`).
    first
        The row where each event begins, and at last the number of rows.
    events
        A row an event: `group`, `event`, `site`, `year`, `start`, `end` (null where only the year is known),
        `kind`, `players`, `games`, `coverage`, `longest` (the most games of one player),
        `number_two` (where the file says it).
    left_out
        Events that are none, or too short: `event`, `site`, `year`, `games`, `reason`.
    left_games
        Games that belong to no event, by reason.
    """

    games: pl.DataFrame
    first: NDArray[np.int64]
    events: pl.DataFrame
    left_out: pl.DataFrame
    left_games: Mapping[str, int]
    names: tuple[str, ...]
    person: NDArray[np.int64]
    """For each row of the players the number of the person."""
    published: pl.DataFrame
    """Ratings beside all games that count: `person`, `year`, `day`, `rating`."""
    joined: pl.DataFrame

    def __len__(self) -> int:
        """Return the number of events."""
        return self.events.height


def group_events(games: Games, rules: GroupRules | None = None) -> EventGroups:
    """Cut games into events.

    Examples
    --------
    >>> played = Games.build([("Ann", "Ben", 1.0), ("Ben", "Ann", 0.5)] * 4)
    >>> from arpad.model import Event
    >>> match = Games(played.table.with_columns(event=pl.lit(0)), played.players, (Event(name="Match"),))
    >>> group_events(match).events.select("event", "kind", "players", "games").row(0)
    ('Match: Ann – Ben', 'match', 2, 8)
    """
    rules = rules or GroupRules()
    if not (games.table["status"] == "played").any():
        raise InputError("expected games of events, found none that were played")
    persons = join_names(games, given=rules.spelled, guess=rules.join)
    table, left = _counted(games, rules)
    table = renamed(table, persons.row)
    alone = table["white"] == table["black"]
    left["of one person with himself"] = int(alone.sum())
    table = _keyed(table.filter(~alone), games)
    if rules.join:
        table, persons = joined_by_games(table, persons, games.players["name"])
    published = _published(table)
    left["of no event"] = int((table["key"] < 0).sum())
    table = once(_dated(table.filter(pl.col("key") >= 0)))
    left["there twice"] = int(table["again"].sum())
    table = parts(table.filter(~pl.col("again")).drop("again"))
    table, kinds = kinds_of(
        table, [e.name for e in games.events], split=rules.knockouts == "matches"
    )
    return _told(in_order(table), kinds, games, rules, left, persons, published)


def _counted(games: Games, rules: GroupRules) -> tuple[pl.DataFrame, dict[str, int]]:
    """Return the games that count; those without a year stay, with the year −1."""
    when = pl.Series([*(_when(event) for event in games.events), NEVER], dtype=pl.Date)
    at = games.table["event"].fill_null(len(games.events))
    never = games.table.with_columns(
        pl.col("date").fill_null(when.gather(at)),
        pl.when(pl.col("date").is_null())
        .then(pl.lit("year"))
        .otherwise(pl.col("precision"))
        .cast(games.table.schema["precision"])
        .alias("precision"),
    )
    known = Games(never, games.players, games.events)
    table, left = serious_games(known, events=rules.events, nobody=rules.nobody)
    left = {
        "left out by the event's name": left["event"],
        "left out by a player's name": left["player"],
    }
    left["not played"] = int((games.table["status"] != "played").sum())
    dated = pl.col("date") != NEVER
    return table.with_columns(
        pl.when(dated).then("year").otherwise(UNKNOWN).cast(pl.Int32).alias("year"),
        (dated & (pl.col("precision").fill_null("day") == "day")).alias("exact"),
        row=pl.int_range(pl.len(), dtype=pl.Int64),
    ), left


def _when(event: Event) -> date:
    """Return the day of an event whose games have none: its own, or the year in its name."""
    if event.start is not None:
        return event.start
    year = re.search(YEAR, event.name or "")
    return date(int(year[1]), 1, 1) if year else NEVER


def _keyed(table: pl.DataFrame, games: Games) -> pl.DataFrame:
    """Give each game the number of its event's name and place, −1 where none is named."""
    nameless, playoff = re.compile(NAMELESS, re.IGNORECASE), re.compile(PLAYOFF, re.IGNORECASE)
    number: dict[tuple[str, str], int] = {}
    keys, whole = [], []
    for event in games.events:
        name, site = (" ".join((t or "").casefold().split()) for t in (event.name, event.site))
        base = playoff.sub(r"\1", name)
        keys.append(-1 if nameless.search(name) else number.setdefault((name, site), len(number)))
        whole.append(keys[-1] if base == name else number.setdefault((base, site), len(number)))
    at = table["event"].fill_null(len(keys)).to_numpy()
    own, joined = (pl.Series(np.array([*k, -1], dtype=np.int64)[at]) for k in (keys, whole))
    old = pl.col("year").is_between(1, FAST_PLAYOFFS - 1)
    return table.with_columns(
        pl.when(old).then(joined).otherwise(own).alias("key"),
        (old & (own != joined)).alias("late"),
    )


def _dated(table: pl.DataFrame) -> pl.DataFrame:
    """Give each game the number of its event: by year, or by pauses where every day of the year's games is known."""
    table = table.with_columns((~pl.col("exact").all().over("key", "year")).alias("loose")).sort(
        "key", "year", "date", "row", maintain_order=True
    )
    loose = pl.col("loose") | pl.col("loose").shift(1)
    pause = (pl.col("date") - pl.col("date").shift(1)).dt.total_days() > PAUSE
    other = pl.when(loose).then(pl.col("year") != pl.col("year").shift(1)).otherwise(pause)
    begins = (pl.col("key") != pl.col("key").shift(1)) | other
    return table.with_columns(begins.fill_null(False).cast(pl.Int64).cum_sum().alias("group")).drop(
        "loose"
    )


def _told(
    table: pl.DataFrame,
    kinds: pl.DataFrame,
    games: Games,
    rules: GroupRules,
    left: dict[str, int],
    persons: Persons,
    published: pl.DataFrame,
) -> EventGroups:
    """Describe every event, and say which are left out and why."""
    exact = pl.col("date").filter(pl.col("exact"))
    events = (
        table.group_by("group", maintain_order=True)
        .agg(
            pl.col("event").mode(maintain_order=True).first().alias("number"),
            pl.col("key").first(),
            pl.col("year").min(),
            pl.when(pl.col("exact").all()).then(exact.min()).alias("start"),
            pl.when(pl.col("exact").all()).then(exact.max()).alias("end"),
            pl.col("white").first().alias("one"),
            pl.col("black").first().alias("other"),
            pl.len().cast(pl.Int64).alias("games"),
        )
        .join(kinds, on="group", how="left", maintain_order="left")
        .with_columns(pl.when(pl.col("year") != UNKNOWN).then("year").alias("year"))
    )
    names = games.players["name"]
    events = events.with_columns(
        _labels(events, names, [e.name for e in games.events]),
        pl.Series("site", [games.events[i].site for i in events["number"]], dtype=pl.String),
        pl.Series(
            "number_two", [games.events[i].number_two for i in events["number"]], dtype=pl.Float64
        ),
    )
    events = events.with_columns(_reasons(events, table, rules).alias("reason"))
    good = events.filter(pl.col("reason").is_null())
    kept = table.filter(pl.col("group").is_in(good["group"].implode()))
    where = {g: i for i, g in enumerate(good["group"])}
    group = np.array([where[g] for g in kept["group"]], dtype=np.int64)
    shown = ("event", "site", "year")
    return EventGroups(
        games=kept.select(
            pl.Series("group", group), "white", "black", "score", "white_rating", "black_rating",
            "when", "certain",
        ),
        first=np.searchsorted(group, np.arange(good.height + 1)).astype(np.int64),
        events=good.select(
            pl.int_range(pl.len(), dtype=pl.Int64).alias("group"), *shown, "start", "end", "kind",
            "players", "games", "coverage", "longest", "number_two",
        ),
        left_out=events.filter(pl.col("reason").is_not_null())
        .select(*shown, "games", "reason")
        .sort("year", "event", "site", nulls_last=True),
        left_games={reason: n for reason, n in left.items() if n},
        names=tuple(names.to_list()),
        person=persons.row,
        published=published,
        joined=persons.joined,
    )  # fmt: skip


def _published(table: pl.DataFrame) -> pl.DataFrame:
    """Return the ratings that stand beside the games, a row a player a game."""
    return pl.concat(
        table.select(
            pl.col(side).alias("person"), pl.when(pl.col("year") != UNKNOWN).then("year").alias("year"),
            pl.when("exact").then("date").alias("day"), pl.col(f"{side}_rating").alias("rating"),
        )
        for side in ("white", "black")
    ).filter(pl.col("rating").is_finite() & (pl.col("rating") > 0))  # fmt: skip


def _labels(events: pl.DataFrame, names: pl.Series, titles: list[str]) -> pl.Series:
    """Return the name of each event; of a match with the surnames of the two, as the text has them."""
    labels = []
    for row in events.iter_rows(named=True):
        label = titles[row["number"]]
        if row["kind"] == "match":
            one, other = (str(names[row[side]]).split(",")[0] for side in ("one", "other"))
            label = f"{label}: {one} – {other}"
        labels.append(label)
    return pl.Series("event", labels, dtype=pl.String)


def _reasons(events: pl.DataFrame, table: pl.DataFrame, rules: GroupRules) -> pl.Series:
    """Return why an event is left out, null where it is not."""
    same = twins(table)
    title = dict(events.select("group", "event").iter_rows())
    found: list[str | None] = []
    for group, longest, fast in events.select("group", "longest", "fast").iter_rows():
        if longest < rules.fewest_games:
            most = f"{longest} game" + ("" if longest == 1 else "s")
            found.append(f"nobody has more than {most}; {rules.fewest_games} are needed")
        elif fast and rules.events:
            found.append("fast play: more than two games a day")
        elif group in same:
            found.append(f"the same games as {title[same[group]]}")
        else:
            found.append(None)
    return pl.Series("reason", found, dtype=pl.String)
