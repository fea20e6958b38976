"""The vocabulary: Player, Event, Games and Ratings, and the columns of their tables."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, is_dataclass, replace
from html import escape
from importlib import import_module
from inspect import signature
from typing import TYPE_CHECKING, Any, Literal, get_args

import polars as pl

from arpad.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from datetime import date


# The columns of the tables that `model` speaks of.

Status = Literal["played", "unrated", "forfeit", "bye", "unplayed"]
"""Kinds of pairings: played, forfeited, bye and so on.

played     on the board: counts for points and for ratings;
unrated    on the board, or split so that the scores are not one point: counts for points only;
forfeit    decided without play: points only;
bye        no opponent: points only;
unplayed   no result (yet, or known): neither.
"""


def schema(columns: Mapping[str, Any]) -> pl.Schema:
    """Return a schema; Polars' own type for this does not take `Enum` beside plain types."""
    return pl.Schema(columns)


STATUS = pl.Enum(get_args(Status))
PRECISION = pl.Enum(["day", "month", "year"])


def columns(text: str) -> dict[str, Any]:
    """Return the columns that a text names: `name:kind` with spaces between; kinds are str, int, float, bool and date.

    Examples
    --------
    >>> columns("player:str games:int")
    {'player': String, 'games': Int64}
    """
    kinds = {"str": pl.String, "int": pl.Int64, "float": pl.Float64, "bool": pl.Boolean, "date": pl.Date}
    return {name: kinds[kind] for name, _, kind in (word.partition(":") for word in text.split())}


GAME_SCHEMA = schema(
    {
        "white": pl.Int32,  # row of `players`
        "black": pl.Int32,  # null: a bye
        "score": pl.Float64,  # white's share of the point; null: unplayed
        "black_score": pl.Float64,  # 1 - score, except where the point was not shared out whole
        "status": STATUS,
        "date": pl.Date,  # the first day of what is known
        "precision": PRECISION,  # how much of the date is known
        "event": pl.Int32,  # row of `events`
        "round": pl.String,
        "white_rating": pl.Float64,  # as given in the source, at the time of the game
        "black_rating": pl.Float64,
        "plies": pl.Int32,
    }
)
PLAYER_SCHEMA = schema(
    {
        "name": pl.String,
        "id": pl.String,
        "federation": pl.String,
        "title": pl.String,
        "sex": pl.String,
        "birth": pl.String,  # YYYY, YYYY-MM or YYYY-MM-DD
        "rating": pl.Float64,  # as given in the source, before its first game
        "k": pl.Float64,  # as given by a rating list
        "total_games": pl.Int32,  # that the rating in the source rests on; null: enough, or not known
    }
)


def filled(columns: Mapping[str, Any], schema: pl.Schema) -> pl.DataFrame:
    """Return a frame with every column of a schema; what is not given is null."""
    unknown = set(columns) - set(schema)
    if unknown:
        raise UsageError(f"expected columns among {', '.join(schema)}; found {sorted(unknown)}")
    given = pl.DataFrame(
        {
            k: v if isinstance(v, pl.Series) else pl.Series(k, v, dtype=schema[k], strict=False)
            for k, v in columns.items()
        }
    )
    missing = [pl.lit(None, dtype=kind).alias(k) for k, kind in schema.items() if k not in columns]
    return given.with_columns(missing).select(pl.col(k).cast(t) for k, t in schema.items())


# The vocabulary: Player, Event, Games and Ratings.
#
# `Games` is a column table. Its columns `white` and `black` are row numbers of `players`, `event` is a
# row number of `events`; kernels see those integers, people see names (`Games.frame`).


class Result:
    """Base of every result, which renders itself as a table, a sentence, plain values, a chart or HTML.

    A result is a frozen dataclass; it has its own `table` and `summary` where the general ones say too little.
    """

    __slots__ = ()

    def table(self) -> pl.DataFrame:
        """Return the result's `rows`; without any, one row with the plain figures."""
        rows = getattr(self, "rows", None)
        if isinstance(rows, pl.DataFrame):
            return rows
        kinds = int | float | str | bool
        return pl.DataFrame([{k: v for k, v in self.to_dict().items() if v is None or isinstance(v, kinds)}])

    def summary(self) -> str:
        """Return one line with the plain figures of the first row."""
        row = next(iter(self.table().head(1).to_dicts()), {})
        known = {k: v for k, v in row.items() if v is not None}
        return ", ".join(f"{k} {v:g}" if isinstance(v, float) else f"{k} {v}" for k, v in known.items())

    def to_dict(self) -> dict[str, Any]:
        """Return every figure as plain values that JSON can hold."""
        return {f.name: plain_value(getattr(self, f.name)) for f in fields(self) if f.repr}  # type: ignore[arg-type]

    def to_pandas(self) -> Any:
        """Return the table as a pandas frame."""
        try:
            return self.table().to_pandas()
        except ModuleNotFoundError as error:
            raise ModuleNotFoundError(f"{error}: pip install pandas pyarrow", name=error.name) from None

    def chart(self, **options: Any) -> Any:
        """Return a chart (Altair), where there is one for this result."""
        from arpad import CHARTS

        name = type(self).__name__
        if name not in CHARTS:
            raise UsageError(f"there is no chart of a result of the kind {name}", code="no-chart")
        module, _, function = CHARTS[name].partition(":")
        draw = getattr(import_module(f"arpad.publish.charts.{module}"), function)
        if "title" in signature(draw).parameters:
            options.setdefault("title", name)
        return draw(self, **options)

    def plot(self, **options: Any) -> Any:
        """Return the chart; the name that pandas and Polars have for it."""
        return self.chart(**options)

    def _repr_html_(self) -> str:
        return f"<p>{escape(self.summary())}</p>{self.table().head(50)._repr_html_()}"


def plain_value(value: Any) -> Any:
    """Return a value as JSON can hold it: frames as rows, results as objects, dates as text."""
    if isinstance(value, pl.DataFrame):
        value = value.to_dicts()
    elif hasattr(value, "tolist"):  # arrays and numbers of NumPy
        value = value.tolist()
    elif is_dataclass(value) and not isinstance(value, type):
        value = {f.name: getattr(value, f.name) for f in fields(value) if f.repr}
    if isinstance(value, Mapping):
        return {str(k): plain_value(v) for k, v in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [plain_value(v) for v in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value if value is None or isinstance(value, bool | int | float | str) else str(value)


@dataclass(frozen=True, slots=True, kw_only=True)
class Player:
    """One person."""

    name: str
    id: str | None = None
    federation: str | None = None
    title: str | None = None
    sex: str | None = None
    birth: str | None = None
    rating: float | None = None
    k: float | None = None
    total_games: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """One tournament, match or exhibition."""

    name: str
    site: str | None = None
    federation: str | None = None
    start: date | None = None
    end: date | None = None
    kind: str | None = None
    arbiter: str | None = None
    deputies: tuple[str, ...] = ()
    time_control: str | None = None
    rounds: int | None = None
    round_dates: tuple[str, ...] = ()
    rating_system: str | None = None
    number_two: float | None = None
    """Rating of the world's number two, which the PRA text format carries."""
    teams: tuple[tuple[str, tuple[int, ...]], ...] = ()
    """Team name and the rows of its players."""
    points: tuple[tuple[str, float], ...] = ()
    """Points that differ from the usual ones: W, D, L, A (absent), P (pairing-allocated bye) [TRF26 162]."""
    team_points: tuple[tuple[str, float], ...] = ()
    """The same for matches of teams [TRF26 362]."""
    tie_breaks: tuple[str, ...] = ()
    """FIDE's codes in the order in which the event's rules have them [TRF26 202, 212]."""
    ranks: tuple[tuple[int, int], ...] = ()
    """The official place of players, by row, where the source has it."""
    byes: tuple[tuple[int, int, str], ...] = ()
    """Row, round and letter of a bye that its points alone do not tell (F is a full-point bye)."""
    adjustments: tuple[tuple[int, int, str, float], ...] = ()
    """Row, round, letter and points that an arbiter gave [TRF26 299]: without a letter added to the total,
    else in the place of the round's."""
    numbers: tuple[tuple[int, int], ...] = ()
    """The starting number of players, by row, where the source has it."""
    extra: tuple[str, ...] = ()
    """Lines that the reader keeps without understanding them."""
    text: str = field(default="", repr=False, compare=False)
    """The report file as it was read: what did not change is written as it was."""

    def moved(self, place: Mapping[int, int | None]) -> Event:
        """Return the event with new row numbers of its players; players without one are left out."""

        def own(rows: Iterable[tuple[Any, ...]]) -> tuple[Any, ...]:
            return tuple((at, *more) for row, *more in rows if (at := place.get(row)) is not None)

        return replace(
            self,
            teams=tuple(
                (name, tuple(at for m in rows if (at := place.get(m)) is not None))
                for name, rows in self.teams
            ),
            ranks=own(self.ranks),
            byes=own(self.byes),
            adjustments=own(self.adjustments),
            numbers=own(self.numbers),
        )


@dataclass(frozen=True, slots=True)
class Games:
    """Games as a table, with their players and events.

    Examples
    --------
    >>> games = Games.build([("Anand", "Karpov", 1.0), ("Karpov", "Anand", 0.5)])
    >>> len(games), games.players["name"].to_list()
    (2, ['Anand', 'Karpov'])
    """

    table: pl.DataFrame
    players: pl.DataFrame
    events: tuple[Event, ...] = ()

    @classmethod
    def assemble(
        cls,
        columns: Mapping[str, Any],
        players: Mapping[str, Any] | Iterable[Player],
        events: Sequence[Event] = (),
    ) -> Games:
        """Return games from columns whose `white` and `black` are already row numbers.

        Columns that are left out are filled with nulls, `status` with "played".
        """
        if not hasattr(players, "keys"):
            rows = list(players)
            players = {f.name: [getattr(p, f.name) for p in rows] for f in fields(Player)}
        table = filled(columns, GAME_SCHEMA).with_columns(
            pl.col("status").fill_null("played"),
            pl.when(pl.col("black").is_not_null())
            .then(pl.coalesce("black_score", 1 - pl.col("score")))
            .alias("black_score"),
        )
        return cls(table, filled(players, PLAYER_SCHEMA), tuple(events))  # type: ignore[arg-type]

    @classmethod
    def build(cls, games: Iterable[tuple[str, str, float]]) -> Games:
        """Return games from tuples ``(white, black, White's score)``; each name is a player."""
        rows = list(games)
        for white, black, score in rows:
            if white == black or not 0 <= score <= 1:
                raise UsageError(
                    f"expected two players and a score from 0 to 1, found {white!r}, {black!r}, {score!r}"
                )
        names = list(dict.fromkeys(name for white, black, _ in rows for name in (white, black)))
        number = {name: i for i, name in enumerate(names)}
        columns = {
            "white": [number[white] for white, _, _ in rows],
            "black": [number[black] for _, black, _ in rows],
            "score": [score for _, _, score in rows],
        }
        return cls.assemble(columns, {"name": names})

    def __len__(self) -> int:
        """Return the number of pairings, played or not."""
        return self.table.height

    def player(self, row: int) -> Player:
        """Return the player in a row of `players`."""
        return Player(**self.players.row(row, named=True))

    def frame(self) -> pl.DataFrame:
        """Return the table as people read it: names instead of row numbers."""
        names = self.players["name"]
        events = pl.Series("event", [e.name for e in self.events], dtype=pl.String)
        sites = pl.Series("site", [e.site for e in self.events], dtype=pl.String)
        t = self.table
        return t.with_columns(
            names.gather(t["white"]).alias("white"),
            names.gather(t["black"]).alias("black"),
            events.gather(t["event"]),
            sites.gather(t["event"]),
            *(
                self.players[what].gather(t[side]).alias(f"{side}_{what}")
                for what in ("id", "title", "federation", "birth")
                for side in ("white", "black")
            ),
        )

    def rateable(self) -> pl.DataFrame:
        """Return the rows that were played, in the order in which they were played.

        By date, then event, then round, then as they stand in the file. A game without a date
        stays behind the one before it. Events of the same day go by name, so that the order of the
        rows says nothing; where days are not known they go as they come in the file.
        """
        played = self.table
        if played["status"].n_unique() != 1 or played["status"][0] != "played":
            played = played.filter(pl.col("status") == "played")
        if _is_ordered(played):
            return played
        round_number = pl.col("round").str.extract(r"^(\d{1,6})").cast(pl.Int32)
        board = pl.col("round").str.extract(r"^\d{1,6}\.(\d{1,6})").cast(pl.Int32)
        order = played.select(
            pl.col("date").forward_fill(),
            self._event_places(played),
            round_number.alias("round"),
            board.alias("board"),
            pl.int_range(pl.len()).alias("row"),
        ).sort("date", "event", "round", "board", "row", nulls_last=False)
        return played[order["row"]]

    def _event_places(self, played: pl.DataFrame) -> pl.Series:
        """Return the place of each game's event: by name where all days are known, else by number."""
        event = played["event"]
        if len(self.events) < 2 or played["date"].has_nulls():
            return event
        exact = played["precision"].cast(pl.String).fill_null("day") == "day"
        if not exact.all():
            return event
        named = sorted((e.name, e.site or "", i) for i, e in enumerate(self.events))
        places = {number: place for place, (*_, number) in enumerate(named)}
        return event.replace_strict(places, default=None, return_dtype=pl.Int64)

    def keep(self, rows: pl.Series) -> Games:
        """Return the games in which the mask `rows` is true."""
        return Games(self.table.filter(rows), self.players, self.events)

    def fingerprint(self) -> str:
        """Return a short hash of players, pairings, scores, status and dates."""
        digest = hashlib.blake2b(digest_size=8)
        digest.update("\x1f".join(name or "" for name in self.players["name"].to_list()).encode())
        for name in ("white", "black", "score", "status", "date"):
            column = self.table[name].to_physical()
            if column.null_count():
                column = column.cast(pl.Float64).fill_null(-1.0)
            digest.update(column.to_numpy().data)
        return digest.hexdigest()


@dataclass(frozen=True, slots=True, kw_only=True)
class Ratings(Result):
    """Ratings of all players by one system, and how they were calculated.

    `rows` has one row a player, best first: `rank`, `player`, `id`, `rating`, `games`, and whatever
    else the system knows (`before`, `change`, `k`, `error`, …).
    """

    system: str
    rows: pl.DataFrame
    parameters: Mapping[str, Any]
    source: Mapping[str, Any] = field(default_factory=dict)
    predictor: Callable[[str, str], float | None] | None = field(default=None, repr=False, compare=False)
    """White's expected score between two players; there where the system that made the list is at hand."""

    def expected(self, white: str, black: str) -> float | None:
        """Return White's expected score against Black, by name or id; None where one has no rating."""
        if self.predictor is None:
            raise UsageError("this list does not come with the system that made it", code="no-system")
        return self.predictor(white, black)

    @classmethod
    def rank(cls, rows: pl.DataFrame, *, system: str, parameters: Mapping[str, Any], games: Games) -> Ratings:
        """Return ratings sorted and ranked: equal ratings share a rank, unrated players have none."""
        for name in ("player", "rating", "games"):
            if name not in rows.columns:
                raise UsageError(f"expected a column {name!r} in the rows of {system}")
        return cls(system=system, rows=ranked(rows), parameters=dict(parameters), source=source_of(games))

    def table(self, top: int | None = None) -> pl.DataFrame:
        """Return the list, best first; only the first `top` rows when given."""
        shown = self.rows.select(
            [c for c in self.rows.columns if c == "rating" or not self.rows[c].is_null().all()]
        )
        return shown if top is None else shown.head(top)

    def summary(self) -> str:
        """Return one sentence on the games and the system."""
        status = dict(self.source.get("status", {}))
        played = int(status.pop("played", 0))
        rest = ", ".join(f"{n:,} {word}" for word, n in status.items())
        players = self.rows.height
        return (
            f"{self.system}: {played:,} game{'' if played == 1 else 's'},"
            f" {players:,} player{'' if players == 1 else 's'}" + (f"; not rated: {rest}" if rest else "")
        )

    def strangers(self, players: pl.DataFrame) -> list[str]:
        """Return the names of those who are not on the list, with or without a rating."""
        rated = replace(self, rows=self.rows.with_columns(pl.col("rating").fill_null(0)))
        return players.filter(rated.lookup(players).is_null())["name"].to_list()

    def lookup(self, players: pl.DataFrame, column: str = "rating") -> pl.Series:
        """Return `column` for each of `players`, null where unknown.

        Matched by id; by name only if one side has no id and the name stands here once.
        """
        if column not in self.rows.columns:
            return pl.Series(column, [None] * players.height, dtype=pl.Float64)
        if _each_once(self.rows) and not players["id"].null_count():
            return _by_id(self.rows, players, column)
        known = self.rows.filter(pl.col("rating").is_not_null() | pl.col(column).is_not_null())
        if "id" not in known.columns:
            known = known.with_columns(pl.lit(None, dtype=pl.String).alias("id"))
        if not known["id"].null_count() and not players["id"].null_count():
            return _by_id(known.unique("id", keep="last"), players, column)
        by_id = dict(known.filter(pl.col("id").is_not_null()).select("id", column).iter_rows())
        alone = known.filter(~pl.col("player").is_duplicated())
        by_name = {n: (i, v) for n, i, v in alone.select("player", "id", column).iter_rows()}
        values = []
        for name, id_ in players.select("name", "id").iter_rows():
            theirs, value = by_name.get(name, (None, None))
            strangers = id_ is not None and theirs is not None and id_ != theirs
            values.append(by_id.get(id_, None if strangers else value))
        return pl.Series(column, values, dtype=self.rows.schema[column])


def source_of(games: Games) -> dict[str, Any]:
    """Return what a list says of the games that it comes from."""
    return {
        "games": len(games),
        "status": _counts(games.table["status"]),
        "players": games.players.height,
        "fingerprint": games.fingerprint(),
    }


def _each_once(rows: pl.DataFrame) -> bool:
    """Say whether everybody has an id and stands here once: no row need be left out before a look."""
    ids = rows["id"] if "id" in rows.columns else None
    return ids is not None and not ids.null_count() and ids.n_unique() == len(ids)


def _by_id(known: pl.DataFrame, players: pl.DataFrame, column: str) -> pl.Series:
    """Return `column` for each of `players`, where everybody has an id and stands once among the known."""
    ids = players["id"].to_frame()
    theirs = pl.DataFrame([known["id"], known[column].alias("_found")])
    return ids.join(theirs, on="id", how="left", maintain_order="left")["_found"].alias(column)


def ranked(rows: pl.DataFrame) -> pl.DataFrame:
    """Return rows best first with their `rank`; equal ratings share it, no rating has none."""
    rank = pl.col("rating").rank("min", descending=True).cast(pl.Int64).alias("rank")
    best_first = rows.sort("rating", "player", descending=[True, False], nulls_last=True)
    return best_first.select(rank, pl.exclude("rank"))


def _is_ordered(played: pl.DataFrame) -> bool:
    """Say whether file order is already the order of play (or no other order is known)."""
    dates = played["date"]
    if dates.null_count() == played.height and played["round"].null_count() == played.height:
        return True
    unknown_round = played["round"].null_count() == played.height
    return unknown_round and dates.null_count() == 0 and dates.is_sorted()


def _counts(status: pl.Series) -> dict[str, int]:
    result = dict(status.value_counts().iter_rows())
    return {name: int(result[name]) for name in get_args(Status) if result.get(name)}
