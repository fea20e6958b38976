"""Register of players, names, events and files: what an import is compared with."""

from __future__ import annotations

import json
import re
import unicodedata
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import polars as pl
import sqlalchemy as sa

from arpad.ledger.db import tables
from arpad.ledger.db.bulk import frame, frame_in, next_id, polars_type
from arpad.model import columns, schema

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from datetime import date

    from sqlalchemy.engine import Connection


# Who is who today: merges followed to their end, for those few who were merged.

_p = tables.players.c
MERGED = (
    sa.select(_p.merged_into, _p.id)
    .where(_p.merged_into.is_not(None))
    .order_by(_p.merged_into, _p.id)  # as the index has them: else all players are looked at
)


def merged_ends(connection: Connection) -> dict[int, int]:
    """Return the player of today for every player who was merged into another."""
    into = dict(sorted((player, to) for to, player in connection.execute(MERGED)))
    return {player: end_of(player, into) for player in into}


def end_of(player: int, into: Mapping[int, int]) -> int:
    """Return the end of a chain of merges."""
    seen = {player}
    while (further := into.get(player)) is not None and further not in seen:
        seen.add(player := further)
    return player


def people_today(players: pl.Series, ends: dict[int, int]) -> pl.Series:
    """Return who these players are today.

    Examples
    --------
    >>> people_today(pl.Series([1, 2, None]), {2: 1}).to_list()
    [1, 1, None]
    """
    return players.cast(pl.Int64).replace(ends) if ends else players.cast(pl.Int64)


def renamed_players(connection: Connection) -> Iterator[str]:
    """Say which players have a name that is none of their spellings: arpad keeps every spelling of a name."""
    p, n = tables.players.c, tables.player_names.c
    spelled = (
        sa.select(p.id, p.name, sa.func.max(sa.case((n.name == p.name, 1), else_=0)))
        .join_from(tables.players, tables.player_names, n.player_id == p.id)
        .group_by(p.id, p.name)
        .order_by(p.id)
    )
    for number, name, known in connection.execute(spelled):
        if not known:
            yield f"player {number} is called {name!r}, which no import and no decision wrote"


# What the ledger knows already of players, events and files: what an import is compared with.
#
# Questions are asked for the few rows that matter: one more event in a ledger of a million games looks
# at its own players only. Rows that a preview would have written are known beside those of the database.

FEW = 4_000
"""Values up to which rows are looked up by them; above, the whole table is read."""
COUNTED = ("imports", "players", "events", "games", "doubts")
"""Tables whose rows an import numbers."""
IDS = schema({"player": pl.Int64, "value": pl.String})
SPELLINGS = schema({"player": pl.Int64, "name": pl.String, "fold": pl.String, "settled": pl.Boolean})
PROFILES = schema(columns("player:int name:str birth:str federation:str sex:str title:str"))
EVENTS = schema(columns("id:int name:str site:str start:date end:date source:str content:str"))
RATINGS = schema({"player": pl.Int64, "rating": pl.Float64, "day": pl.Date})


def among(
    connection: Connection,
    query: sa.Select[Any],
    column: sa.Column[Any],
    values: list[Any],
    order: sa.Column[Any],
) -> pl.DataFrame:
    """Return the rows whose column has one of these values."""
    if len(values) > FEW:
        every = frame(connection, query.order_by(order))
        return every.filter(pl.col(_called(query, column)).is_in(pl.Series(values).implode()))
    return frame_in(connection, query.order_by(order), column, values)


@dataclass(slots=True)
class Register:
    """Answers of a ledger (`connection` is None: there is none yet), and what comes on top of them.

    `added` holds rows of a preview by their table, as `among` would return them.
    """

    connection: Connection | None
    numbers: dict[str, int] = field(default_factory=lambda: dict.fromkeys(COUNTED, 1))
    added: dict[str, list[pl.DataFrame]] = field(default_factory=dict)
    all_spellings: pl.DataFrame | None = None
    unrated: set[int] = field(default_factory=set)  # games that would not count after a preview
    _merged: dict[int, int] | None = None

    @classmethod
    def of(cls, connection: Connection) -> Register:
        """Return the register of a ledger."""
        return cls(connection, {name: next_id(connection, getattr(tables, name)) for name in COUNTED})

    def merged(self) -> Mapping[int, int]:
        """Return who each player that was merged is today."""
        if self._merged is None:
            self._merged = {} if self.connection is None else merged_ends(self.connection)
        return self._merged

    def likeliest(self) -> Mapping[int, int]:
        """Return who each player is today, and each doubtful one as the likeliest candidate of the queue."""
        d, ends = tables.doubts, dict(self.merged())
        query = sa.select(d.c.player_id, d.c.document).where(d.c.kind == "player", d.c.settled_by.is_(None))
        result = self._all("doubts", query, d.c.id).drop_nulls()
        for player, document in result.select("player_id", "document").iter_rows():
            candidates = json.loads(document).get("candidates", [])
            best = max(candidates, key=lambda one: one.get("score") or 0.0, default=None)
            if best is not None:
                ends.setdefault(player, ends.get(best["player"], best["player"]))
        return ends

    def file(self, sha256: str) -> tuple[int, str] | None:
        """Return number and name of the import that had this content."""
        f = tables.imports
        query = sa.select(f.c.id, f.c.file, f.c.sha256)
        result = self._rows("imports", query, f.c.sha256, [sha256], f.c.id)
        return None if result.is_empty() else result.sort("id").select("id", "file").row(0)

    def ids(self, scheme: str, values: list[str]) -> pl.DataFrame:
        """Return the players that have these ids of a scheme."""
        return self._ids(scheme, tables.player_ids.c.value, values)

    def ids_of(self, scheme: str, players: pl.Series) -> pl.DataFrame:
        """Return the ids of a scheme that these players have."""
        return self._ids(scheme, tables.player_ids.c.player_id, self.everybody(players))

    def _ids(self, scheme: str, column: sa.Column[Any], wanted: list[Any]) -> pl.DataFrame:
        i = tables.player_ids.c
        query = sa.select(i.player_id.label("player"), i.scheme, i.value).where(i.scheme == scheme)
        result = self._rows("player_ids", query, column, wanted, i.value)
        return self._today(result.filter(pl.col("scheme") == scheme)).select(IDS.names())

    def spellings(self, players: pl.Series | None = None) -> pl.DataFrame:
        """Return every spelling of these players (of all); first those that somebody decided on."""
        if players is None and self.all_spellings is not None:
            return self.all_spellings
        n = tables.player_names
        query = sa.select(n.c.player_id.label("id"), n.c.name, n.c.fold)
        if players is None:
            result = self._all("player_names", query, n.c.player_id)
        else:
            result = self._rows("player_names", query, n.c.player_id, self.everybody(players), n.c.player_id)
        result = self._today(result.with_columns(pl.col("id").alias("player")))
        result = (
            result.with_columns((pl.col("id") != pl.col("player")).alias("settled"))
            .sort("player", pl.col("settled").not_(), "id", "name")
            .unique(["player", "fold"], keep="first", maintain_order=True)
            .select(SPELLINGS.names())
        )
        if players is None:
            self.all_spellings = result
        return result

    def profiles(self, players: pl.Series) -> pl.DataFrame:
        """Return what is known of these players of today."""
        p = tables.players
        fields = [p.c[name] for name in PROFILES if name != "player"]
        query = sa.select(p.c.id.label("player"), *fields)
        result = self._rows("players", query, p.c.id, players.unique().sort().to_list(), p.c.id)
        # A preview knows more of a player than the database: the last word counts.
        return (
            result.group_by("player", maintain_order=True)
            .agg(pl.col(c).drop_nulls().last() for c in PROFILES if c != "player")
            .sort("player")
        )

    def events_by_source(self, sources: list[str]) -> pl.DataFrame:
        """Return `id` and `source` of the events with these sources."""
        e = tables.events
        return self._rows("events", self._events(), e.c.source, sources, e.c.id)

    def events(self, numbers: pl.Series) -> pl.DataFrame:
        """Return events by their numbers."""
        e = tables.events
        return self._rows("events", self._events(), e.c.id, numbers.unique().to_list(), e.c.id)

    def events_between(self, start: date, end: date) -> pl.DataFrame:
        """Return the events that have a day in common with a span of time."""
        e = tables.events
        query = self._events().where(e.c.start <= end, e.c.end >= start)
        result = self._all("events", query, e.c.id)
        return result.filter((pl.col("start") <= end) & (pl.col("end") >= start))

    def event_sizes(self, events: pl.Series, entering: pl.DataFrame) -> pl.DataFrame:
        """Return `event_id` and `games` (of two players) of events, some of whose games only enter."""
        g = tables.games
        query = sa.select(g.c.id, g.c.event_id).where(g.c.black_id.is_not(None))
        there = self._rows("games", query, g.c.event_id, events.unique().to_list(), g.c.id)
        new = entering.filter(pl.col("black_id").is_not_null())
        rows = [frame.select(pl.col("id", "event_id").cast(pl.Int64)) for frame in (there, new)]
        return pl.concat(rows).unique("id").group_by("event_id").agg(games=pl.len().cast(pl.Int64))

    def ratings(self, players: pl.Series) -> pl.DataFrame:
        """Return the last rating that a file gave to each of these players, and its day."""
        wanted = self.everybody(players)
        parts = [rows.select(RATINGS.names()) for rows in self.added.get("ratings", [])]
        if self.connection is not None:
            parts += [among(self.connection, query, who, wanted, order) for query, who, order in _given()]
        every = self._today(pl.concat(parts) if parts else RATINGS.to_frame(eager=True))
        return (
            every.filter(pl.col("player").is_in(players.implode()))
            .drop_nulls()
            .sort("player", "day", "rating")
            .unique("player", keep="last", maintain_order=True)
        )

    def everybody(self, players: pl.Series, ends: Mapping[int, int] | None = None) -> list[int]:
        """Return these players and all that were merged into them, or that `ends` says to be them."""
        wanted = set(players.to_list())
        ends = self.merged() if ends is None else ends
        return sorted(wanted | {old for old, today in ends.items() if today in wanted})

    def _events(self) -> sa.Select[Any]:
        return sa.select(*(tables.events.c[name] for name in EVENTS))

    def _today(self, rows: pl.DataFrame) -> pl.DataFrame:
        """Put who a player is today in the place of who it was."""
        return rows.with_columns(pl.col("player").replace(dict(self.merged())))

    def _all(self, name: str, query: sa.Select[Any], order: sa.Column[Any]) -> pl.DataFrame:
        parts = list(self.added.get(name, []))
        if self.connection is not None:
            parts.insert(0, frame(self.connection, query.order_by(order)))
        return pl.concat(parts) if parts else _empty(query)

    def _rows(
        self,
        name: str,
        query: sa.Select[Any],
        column: sa.Column[Any],
        values: list[Any],
        order: sa.Column[Any],
    ) -> pl.DataFrame:
        kept, named = _called(query, column), [c.name for c in query.selected_columns]
        parts = [
            rows.select(pl.col(name) for name in rows.columns if name in named).filter(
                pl.col(kept).is_in(pl.Series(values, dtype=rows.schema[kept]).implode())
            )
            for rows in self.added.get(name, [])
        ]
        if self.connection is not None:
            parts.insert(0, among(self.connection, query, column, values, order))
        return pl.concat(parts) if parts else _empty(query)


def _given() -> list[tuple[sa.Select[Any], sa.Column[Any], sa.Column[Any]]]:
    """Return queries for the ratings that files gave: beside games, and in lists of others."""
    g, e, li = tables.games, tables.entries, tables.lists
    result = []
    for side in ("white", "black"):
        who, rating = g.c[f"{side}_id"], g.c[f"{side}_rating"]
        query = sa.select(who.label("player"), rating.label("rating"), g.c.date.label("day"))
        result.append((query.where(rating.is_not(None)), who, g.c.id))
    listed = (
        sa.select(e.c.player_id.label("player"), e.c.rating, li.c.closing.label("day"))
        .join(li, li.c.id == e.c.list_id)
        .where(li.c.run_id.is_(None), li.c.published.is_not(None))
    )
    return [*result, (listed, e.c.player_id, e.c.list_id)]


def _called(query: sa.Select[Any], column: sa.Column[Any]) -> str:
    for result in query.selected_columns:
        if result is column or getattr(result, "element", None) is column:
            return str(result.name)
    raise KeyError(column.name)


def _empty(query: sa.Select[Any]) -> pl.DataFrame:
    return pl.DataFrame(schema={c.name: polars_type(c.type) for c in query.selected_columns})


# Names as the matching of players sees them: folded, taken apart, or nobody's at all.

MAX_FOLD = 400
"""Characters of a folded name that are kept: more than any name has, fewer than an index takes."""
ANONYMOUS = frozenset(
    [
        *("?", "-", "nn", "anonymous", "anonym", "unknown", "unbekannt", "bye", "noname", "player"),
        *("spieler", "guest", "gast"),
    ]
)
"""Words that stand where nobody's name is known."""
_PLAIN = str.maketrans(
    {"ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "æ": "ae", "œ": "oe", "ı": "i", "ŋ": "n"}
)
"""Letters that Unicode does not take apart into a plain one and an accent."""
_UMLAUT = re.compile(r"(?<=[aou])e(?=[a-z])")
_NUMBERED = re.compile(r"(?:player|spieler|guest|gast|#)?\s*#?\s*\d+")
_WORD = re.compile(r"[^\W_]+")
_BRACKETS = re.compile(r"\([^)]*\)|\[[^\]]*\]")


@lru_cache(maxsize=200_000)
def fold(name: str) -> str:
    """Return the words of a name in alphabetical order, without case, accents and punctuation.

    So the order of surname and given name does not matter, nor do `ü`, `ue` and `u`. Any script
    keeps its letters. What stands in brackets (a country, a number) is left out.

    Examples
    --------
    >>> fold("Carlsen, Magnus") == fold("MAGNUS CARLSEN"), fold("Müller, Jörg") == fold("Mueller,Joerg")
    (True, True)
    >>> fold("Carlsen,M."), fold("O'Kelly de Galway, Albéric"), fold("Иванов, Пётр")
    ('carlsen m', 'alberic de galway okelly', 'иванов петр')
    """
    return " ".join(sorted(parts(name)[2]))[:MAX_FOLD].rstrip()


@lru_cache(maxsize=200_000)
def parts(name: str) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
    """Return surname, given names and all words of a name, folded.

    Without a comma nobody knows which word is the surname: then the first two are empty.

    Examples
    --------
    >>> parts("van der Berg, Ana")
    (('van', 'der', 'berg'), ('ana',), ('van', 'der', 'berg', 'ana'))
    >>> parts("Ana van der Berg")
    ((), (), ('ana', 'van', 'der', 'berg'))
    """
    text = _BRACKETS.sub(" ", name) if _BRACKETS.sub("", name).strip() else name
    surname, comma, given = text.partition(",")
    before, after = _words(surname), _words(given)
    if not comma or not before or not after:
        return (), (), before + after
    return before, after, before + after


def _words(text: str) -> tuple[str, ...]:
    # Decomposed first: a mathematical 𝗔 has no small letter of its own.
    plain = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", text).casefold())
    plain = "".join(c for c in plain if not unicodedata.combining(c)).translate(_PLAIN)
    plain = plain.replace("'", "").replace("’", "").replace("`", "")
    return tuple(_UMLAUT.sub("", word) for word in _WORD.findall(plain))


def is_nobody(name: str) -> bool:
    """Say whether a name names nobody: no letters, `NN`, `Player 7`, `#1234`.

    Such a player is somebody else in every event, unless an id tells.

    Examples
    --------
    >>> [is_nobody(n) for n in ("NN", "N.N.", "Player 7", "#1503014", "?", "Nunn, John")]
    [True, True, True, True, True, False]
    """
    words = parts(name)[2]
    text = " ".join(words)
    return (
        not words
        or "".join(words) in ANONYMOUS
        or _NUMBERED.fullmatch(text) is not None
        or all(w in ANONYMOUS or w.isdecimal() for w in words)
    )


def folds(names: pl.Series) -> pl.Series:
    """Return the folded form of every name; null stays null."""
    known = [None if name is None else fold(name) for name in names]
    return pl.Series("fold", known, dtype=pl.String)
