"""A rating system advances a state: the four calls, and what is made of them for every system.

Rating a file, explaining a rating, archives, prediction and simulation are loops over the four calls. What
a system can do beyond them it declares itself (`RatingSystem`): no other module lists systems.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, field, fields, replace
from datetime import date
from io import BytesIO
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Protocol, runtime_checkable

import numpy as np
import polars as pl

from arpad.errors import InputError, UsageError
from arpad.model import PLAYER_SCHEMA, Games, filled, schema, source_of
from arpad.read.reading import games_from

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from numpy.typing import NDArray

    from arpad.model import Ratings
    from arpad.rate.elo_reference import EloStep
    from arpad.rate.k import KPolicy
    from arpad.read.reading import GamesLike


# The state of a rating system: one row a player, and what belongs to all of them.
#
# Row numbers are those of `Games.players`: the games that a state is advanced by have the state's players
# first, in the same order, and new players behind them. People on an earlier list who are not among the
# players stand behind the players.

SHARED = "arpad.shared"
"""Key of the metadata of a Parquet file in which `State.shared` stands as JSON."""
_KINDS: dict[str, Any] = {
    "Boolean": pl.Boolean,
    "Date": pl.Date,
    "Float64": pl.Float64,
    "Int16": pl.Int16,
    "Int32": pl.Int32,
    "Int64": pl.Int64,
    "String": pl.String,
}


@dataclass(frozen=True, slots=True, eq=False)
class State:
    """State of a rating system; it is immutable, and every change makes a new one.

    Parameters
    ----------
    system
        The name of the rating system.
    rows
        One row a player: `player`, `id`, and the columns of the system.
    shared
        What belongs to all players, as plain values that JSON can keep.

    Examples
    --------
    >>> from arpad.rate.elo import Elo
    >>> from arpad.model import Games
    >>> games = Games.build([("Anand", "Karpov", 1.0)])
    >>> state = Elo(k=10).advance(Elo(k=10).begin(games.players), games)
    >>> State.from_parquet(state.to_parquet()).rows["rating"].to_list()
    [1505.0, 1495.0]
    """

    system: str
    rows: pl.DataFrame
    shared: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))

    def __len__(self) -> int:
        """Return the number of players."""
        return self.rows.height

    def array(self, column: str) -> NDArray[Any]:
        """Return a copy of a column that may be changed; null is NaN."""
        return self.rows[column].to_numpy().copy()

    def changed(self, columns: Mapping[str, NDArray[Any] | pl.Series], **shared: object) -> State:
        """Return the state with other values in some columns, and other shared values."""
        # Not `with_columns`: it goes through the query engine, which costs more than a month of games.
        values = {column.name: column for column in self.rows.get_columns()}
        values |= {
            name: column.alias(name) if isinstance(column, pl.Series) else pl.Series(name, column)
            for name, column in columns.items()
        }
        return replace(self, rows=pl.DataFrame(list(values.values())), shared={**self.shared, **shared})

    def joined(self, newcomers: State) -> State:
        """Return the state with more players behind those who are here."""
        return replace(self, rows=pl.concat([self.rows, newcomers.rows], how="diagonal_relaxed"))

    def to_parquet(self) -> bytes:
        """Return the state as a Parquet file."""
        file = BytesIO()
        meta = {SHARED: json.dumps({"system": self.system, "shared": dict(self.shared)}, default=_plain)}
        self.rows.write_parquet(file, metadata=meta)
        return file.getvalue()

    @property
    def volume(self) -> int:
        """The games that it has seen, or is told that it will: many pay for loading a compiled kernel."""
        return int(self.shared.get("volume", 0))

    def expecting(self, games: int) -> State:
        """Return the state, told that this many games are still to come."""
        return replace(self, shared={**self.shared, "volume": self.volume + games})

    @classmethod
    def from_parquet(cls, data: bytes) -> State:
        """Return what `to_parquet` wrote."""
        try:
            meta = json.loads(pl.read_parquet_metadata(BytesIO(data))[SHARED])
            return cls(meta["system"], pl.read_parquet(BytesIO(data)), shared_of(meta["shared"]))
        except (pl.exceptions.PolarsError, KeyError, ValueError) as error:
            raise InputError(f"expected a state that arpad has written, found {error}") from None

    def to_json(self) -> str:
        """Return the state as JSON, with the kind of every column."""
        document = {
            "system": self.system,
            "shared": dict(self.shared),
            "columns": {name: _kind_name(kind) for name, kind in self.rows.schema.items()},
            "rows": {name: self.rows[name].to_list() for name in self.rows.columns},
        }
        return json.dumps(document, default=_plain, ensure_ascii=False)

    @classmethod
    def from_json(cls, text: str) -> State:
        """Return what `to_json` wrote."""
        try:
            document = json.loads(text)
            columns = {name: _kind_of(kind) for name, kind in document["columns"].items()}
            series = [_column(name, document["rows"][name], kind) for name, kind in columns.items()]
            return cls(document["system"], pl.DataFrame(series), shared_of(document["shared"]))
        except (pl.exceptions.PolarsError, KeyError, ValueError, TypeError) as error:
            raise InputError(f"expected a state that arpad has written, found {error}") from None


def shared_values(shared: Mapping[str, Any]) -> dict[str, Any]:
    """Return shared values as JSON can keep them."""
    result: dict[str, Any] = json.loads(json.dumps(dict(shared), default=_plain))
    return result


def shared_of(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return what `shared_values` made plain."""
    return {name: _revived(value) for name, value in values.items()}


def _plain(value: object) -> object:
    if isinstance(value, date):
        return {"date": value.isoformat()}
    if isinstance(value, np.generic):
        return value.item()
    return str(value)


def _revived(value: Any) -> Any:
    if isinstance(value, dict):
        if set(value) == {"date"}:
            return date.fromisoformat(value["date"])
        return shared_of(value)
    return value


def _kind_name(kind: pl.DataType) -> object:
    if isinstance(kind, pl.List):
        return [_kind_name(kind.inner)]  # type: ignore[arg-type]
    if isinstance(kind, pl.Struct):
        return {each.name: _kind_name(each.dtype) for each in kind.fields}  # type: ignore[arg-type]
    return "String" if isinstance(kind, pl.Categorical | pl.Enum) else str(kind)


def _kind_of(kind: Any) -> Any:
    if isinstance(kind, list):
        return pl.List(_kind_of(kind[0]))
    if isinstance(kind, dict):
        return pl.Struct({name: _kind_of(each) for name, each in kind.items()})
    return getattr(pl, kind) if kind not in _KINDS else _KINDS[kind]


def _column(name: str, values: list[Any], kind: Any) -> pl.Series:
    if kind == pl.Date:
        days = [None if v is None else date.fromisoformat(v["date"]) for v in values]
        return pl.Series(name, days, dtype=pl.Date)
    return pl.Series(name, values, dtype=kind)


def list_rows(players: pl.DataFrame, before: Ratings | None) -> pl.DataFrame:
    """Return the players with their columns of an earlier list, and behind them the others of the list.

    `listed` says who has a row of the list. A player is found by id, else by a name that stands there once.
    """
    people = players.select(pl.col("name").alias("player"), "id")
    if before is None:
        return people.with_columns(pl.lit(value=False).alias("listed"))
    rows = before.rows
    needed = {"player": pl.String, "id": pl.String, "rating": pl.Float64}
    missing = [pl.lit(None, dtype=t).alias(c) for c, t in needed.items() if c not in rows.columns]
    rows = rows.with_columns(missing)
    number = pl.int_range(pl.len(), dtype=pl.Int64)
    place = _places(before, rows.with_columns(number.alias("_place")), players)
    columns = [c for c in rows.columns if c not in ("player", "id")]
    listed = pl.Series("listed", place.is_not_null())
    here = people.with_columns(*(rows[c].gather(place) for c in columns), listed)
    others = rows.filter(~pl.Series(np.isin(np.arange(rows.height), place.drop_nulls().to_numpy())))
    others = others.select("player", "id", *columns, pl.lit(value=True).alias("listed"))
    return pl.concat([here, others], how="diagonal_relaxed")


def _places(before: Ratings, rows: pl.DataFrame, players: pl.DataFrame) -> pl.Series:
    """Return the row of the list that each player has; one with a rating goes before one without."""
    rated = pl.col("rating").is_not_null()
    result = replace(before, rows=rows.filter(rated)).lookup(players, "_place")
    if result.null_count() and rows["rating"].null_count():
        named = rows.with_columns(pl.col("rating").cast(pl.Float64).fill_null(np.nan))
        result = result.fill_null(replace(before, rows=named).lookup(players, "_place"))
    return result.cast(pl.Int64).alias("_place")


# Ranges of constants that are there to be chosen; every system declares its own as `tunable`.
#
# Ranges are wide on purpose: about a quarter to four times what was published. Rules that define a system
# (its curve, its periods, its entry rules) have none; nor has White's advantage, which is fitted to every
# system alike.


@dataclass(frozen=True, slots=True)
class Range:
    """Range of a constant."""

    low: float
    high: float
    log: bool = False
    """Steps are factors, not differences."""
    whole: bool = False
    """Whole numbers only."""

    def __post_init__(self) -> None:
        if not self.low < self.high or (self.log and self.low <= 0):
            raise UsageError(f"expected a range that rises, found {self.low!r} to {self.high!r}")

    def at(self, share: float) -> float:
        """Return the value at a share of the range, 0 to 1.

        Examples
        --------
        >>> Range(10, 1000, log=True).at(0.5), Range(0, 10).at(0.5)
        (100.0, 5.0)
        """
        share = min(1.0, max(0.0, share))
        if self.log:
            low, high = math.log(self.low), math.log(self.high)
            value = round(math.exp(low + share * (high - low)), 10)
        else:
            value = self.low + share * (self.high - self.low)
        return round(value) if self.whole else value

    def share(self, value: float) -> float:
        """Return where in the range a value lies, 0 to 1."""
        if self.log:
            value = max(value, self.low)
            place = math.log(value / self.low) / math.log(self.high / self.low)
        else:
            place = (value - self.low) / (self.high - self.low)
        return min(1.0, max(0.0, place))


STEP_SCHEMA = schema(
    {
        "player": pl.Int32,  # row of `players`
        "seq": pl.Int32,  # place among the player's steps, from 0
        "game": pl.Int64,  # row of `games.table`; null: a step without a game
        "opponent": pl.Int32,  # row of `players`
        "rating": pl.Float64,  # the one that the step was taken from; null: none
        "opponent_rating": pl.Float64,  # as the rule sees it
        "score": pl.Float64,  # W
        "expected": pl.Float64,  # W_e
        "k": pl.Float64,  # what W − W_e is multiplied by
        "change": pl.Float64,  # in rating points
        "rule": pl.String,  # why, with the section
    }
)
GIVEN = "the rating that the source gives"
START = "the start rating of a newcomer"
NOISE = 1e-9
"""Points: what binary fractions leave of a sum, and no more."""
UNDIVIDED = "this system does not divide its change among games"


@dataclass(slots=True)
class Trace:
    """Collects the steps of a run: the columns of `STEP_SCHEMA`, in their order.

    `divided` is set by a system that divides its changes among games.
    """

    parts: list[pl.DataFrame] = field(default_factory=list)
    divided: bool = False

    def divide(self) -> None:
        """Note that the system divides its changes among games, also where there are none."""
        self.divided = True

    def add(self, steps: pl.DataFrame) -> None:
        """Take steps of a system that divides its changes among games."""
        self.divide()
        self.parts.append(steps)

    def steps(self) -> pl.DataFrame:
        """Return all steps in their order."""
        none = pl.DataFrame(schema={"player": pl.Int32, "change": pl.Float64, "rule": pl.String})
        return pl.concat([none, *self.parts], how="diagonal_relaxed")


@dataclass(frozen=True, slots=True, kw_only=True)
class Workings:
    """The steps behind ratings.

    Parameters
    ----------
    steps
        The columns of `STEP_SCHEMA`, by player, and each player's in the order in which they were taken.
    divided
        Whether the system divides its change among games; False: one step a player.
    """

    system: str
    steps: pl.DataFrame
    divided: bool = True

    @classmethod
    def build(cls, system: str, steps: pl.DataFrame, *, divided: bool = True) -> Workings:
        """Return workings from steps in the order in which they were taken; columns left out are null."""
        missing = [
            pl.lit(None, dtype=kind).alias(name)
            for name, kind in STEP_SCHEMA.items()
            if name not in steps.columns
        ]
        if not steps["player"].is_sorted():
            steps = steps.sort("player", maintain_order=True)
        numbers = pl.int_range(pl.len(), dtype=pl.Int32).over("player").alias("seq")
        steps = steps.with_columns(*missing).with_columns(numbers)
        return cls(
            system=system,
            steps=steps.select(pl.col(c).cast(kind) for c, kind in STEP_SCHEMA.items()),
            divided=divided,
        )

    def of(self, player: int) -> pl.DataFrame:
        """Return the steps of one player, a row of `players`."""
        return self.steps.filter(pl.col("player") == player)

    def table(self, games: Games) -> pl.DataFrame:
        """Return the steps as people read them: names instead of row numbers, event and date."""
        names = games.players["name"]
        played = games.frame().select("event", "date", "round")
        at = self.steps["game"]
        return self.steps.select(
            names.gather(self.steps["player"]).alias("player"),
            *(played[c].gather(at).alias(c) for c in played.columns),
            names.gather(self.steps["opponent"]).alias("opponent"),
            *STEP_SCHEMA.names()[STEP_SCHEMA.names().index("rating") :],
        )

    def summary(self) -> str:
        """Return one sentence on what is here."""
        played, people = self.steps["game"].drop_nulls(), self.steps["player"].n_unique()
        whole = "" if self.divided else f"; {UNDIVIDED}"
        return (
            f"{self.system}: {self.steps.height:,} steps of {people:,} players, "
            f"{played.len():,} of them games{whole}"
        )


def settled(steps: pl.DataFrame, games: Games, before: Ratings | None, ratings: Ratings) -> pl.DataFrame:
    """Let every player's last step end exactly at the rating: sums in another order differ by a bit."""
    if not steps.height:
        return steps
    figures = pl.DataFrame(
        {
            "player": player_rows(games, ratings),
            "first": _earlier(before, ratings).fill_null(0.0),
            "after": ratings.rows["rating"].cast(pl.Float64).fill_nan(None).fill_null(0.0),
        }
    )
    on_the_way = steps.select("player", "seq", "change").join(
        figures, on="player", how="left", maintain_order="left"
    )
    # The rating before is added first, as a reader would do it.
    first = pl.when(pl.col("seq") == 0).then(pl.col("first") + pl.col("change"))
    sums = on_the_way.with_columns(first.otherwise("change").cum_sum().over("player").alias("now"))
    last = pl.col("seq") == pl.len().over("player") - 1
    earlier = pl.col("now").shift(1).over("player").fill_null(pl.col("first"))
    miss = (pl.col("after") - pl.col("now")).abs()
    change = pl.when(last & (miss > 0) & (miss <= NOISE)).then(pl.col("after") - earlier).otherwise("change")
    return steps.with_columns(sums.select(change.alias("change")).to_series())


def whole_steps(games: Games, before: Ratings | None, ratings: Ratings) -> pl.DataFrame:
    """Return one step a player."""
    return (
        pl.DataFrame(
            {
                "player": player_rows(games, ratings),
                "rating": _earlier(before, ratings),
                "after": ratings.rows["rating"].cast(pl.Float64).fill_nan(None),
            }
        )
        .with_columns(
            (pl.col("after").fill_null(0.0) - pl.col("rating").fill_null(0.0)).alias("change"),
            pl.when(pl.col("rating").is_null() & pl.col("after").is_not_null())
            .then(pl.lit(f"first rating; {UNDIVIDED}"))
            .otherwise(pl.lit(UNDIVIDED))
            .alias("rule"),
        )
        .drop("after")
    )


def _earlier(before: Ratings | None, ratings: Ratings) -> pl.Series:
    """Return the rating that each of the rated players had on the earlier list."""
    if before is None:
        return pl.Series("rating", [None] * ratings.rows.height, dtype=pl.Float64)
    who = ratings.rows.select(pl.col("player").alias("name"), "id")
    return before.lookup(who, "rating").cast(pl.Float64).fill_nan(None)


def player_rows(games: Games, ratings: Ratings) -> pl.Series:
    """Return the row in `games.players` of every row of ratings; namesakes without an id in turn."""
    ids = games.players["id"]
    if not ids.null_count() and ids.n_unique() == len(ids):
        here = games.players.select("id").with_row_index("player")
        result = ratings.rows.select("id").join(here, on="id", how="left", maintain_order="left")
        return result["player"].cast(pl.Int32)
    waiting: dict[tuple[str, str | None], list[int]] = {}
    for row, who in enumerate(games.players.select("name", "id").iter_rows()):
        waiting.setdefault(who, []).append(row)
    numbers = [
        rows.pop(0) if len(rows := waiting[who]) > 1 else rows[0]
        for who in ratings.rows.select("player", "id").iter_rows()
    ]
    return pl.Series("player", numbers, dtype=pl.Int32)


def both_sides(white: NDArray[Any], black: NDArray[Any]) -> NDArray[Any]:
    """Return White's and Black's values in turn: two a game."""
    return np.stack([white, black], axis=1).ravel()


def numbered(games: Games) -> Games:
    """Return the games with their row numbers in a further column, `row`, that survives reordering."""
    if "row" in games.table.columns:
        return games
    return Games(games.table.with_row_index("row"), games.players, games.events)


if TYPE_CHECKING:
    Array = NDArray[np.float64]

SeasonLoop = Literal["each game", "anchored", "boosted"]
"""Rounds on arrays: Elo's formula game by game (`curve`, `k`); with the mean held (`k`, `anchor`); with boosts too."""


@runtime_checkable
class RatingSystem(Protocol):
    """A frozen set of constants that advances a state; it never changes, prints or opens anything."""

    name: ClassVar[str]

    def parameters(self) -> dict[str, object]:
        """Return every constant by name."""
        ...

    def begin(self, players: pl.DataFrame, before: Ratings | None = None) -> State:
        """Return the state before the first game, from an earlier list if there is one."""
        ...

    def advance(self, state: State, games: Games, *, trace: Trace | None = None) -> State:
        """Return the state after the games, whose players are those of the state and perhaps new ones."""
        ...

    def ratings(self, state: State, on: date | None = None) -> Ratings:
        """Return the list of everybody who has played or is on an earlier list; `on` a day, if it matters."""
        ...

    def expected(
        self, state: State, white: NDArray[Any], black: NDArray[Any], on: date | None = None
    ) -> Array:
        """Return White's expected score of games to come between rows of the state, NaN for none."""
        ...


@runtime_checkable
class StepByStep(Protocol):
    """A system that can say what every game does, one side after the other."""

    def steps(self, games: Games, before: Ratings | None = None) -> Iterator[EloStep]:
        """Yield every player's side of every game."""
        ...


class Rates:
    """Mixin of the built-in systems: `rate` and `workings`, made of the four calls."""

    __slots__ = ()
    tunable: ClassVar[Mapping[str, Range]] = {}
    """The constants that `tune` may choose, and between what."""
    whole_past: ClassVar[bool] = False
    """Whether later games change earlier ratings, so that the system needs all games at once."""
    plain: ClassVar[bool] = False
    """Whether the system needs only White, Black, score, date and given ratings."""
    reckons_time: ClassVar[bool] = False
    """Whether uncertainty grows as time passes without a game."""
    carries: ClassVar[tuple[str, ...]] = ()
    """Columns of a list, beside the usual ones, that the next list needs of people who do not play."""
    keeps_unrated: ClassVar[bool] = False
    """Whether unrated players are on the list, with their games on file."""
    whole_pool: ClassVar[bool] = False
    """Whether the system needs players of the list who do not play."""
    season_loop: ClassVar[SeasonLoop | None] = None
    """The arithmetic of a round, where it is one of those that simulations have on arrays; None: lists."""
    own_error: ClassVar[str | None] = "own_error"
    """Column of the method's own error where `error` is that of the rating; None: the method's is that."""
    usual_period: ClassVar[str | None] = None
    """The period where none is told; None: the system's own constant `period` says it."""

    @property
    def given_policy(self) -> KPolicy | None:
        """K of the ratings that a source gives, as far as the rules of the system tell it."""
        return None

    def rate(self, games: GamesLike, before: Ratings | None = None) -> Ratings:
        """Rate the games that were played, starting from an earlier list if there is one."""
        return rate(self, games_from(games), before)  # type: ignore[arg-type]

    def workings(self, games: GamesLike, before: Ratings | None = None) -> tuple[Ratings, Workings]:
        """Return what `rate` returns, and every step to it."""
        return workings(self, games_from(games), before)  # type: ignore[arg-type]


def constants_of(system: Any) -> dict[str, Any]:
    """Return every constant of a system by name: its own, then those that its family shares."""
    names = dict.fromkeys([*system.__slots__, *(constant.name for constant in fields(system))])
    return {name: getattr(system, name) for name in names}


def admit(system: RatingSystem, state: State, players: pl.DataFrame) -> State:
    """Return the state with those of the players who are not in it yet."""
    if players.height <= len(state):
        return state
    return state.joined(system.begin(players.slice(len(state))))


def list_on(system: RatingSystem, ratings: Ratings, on: date | None) -> Ratings:
    """Return the list on the morning of a later day, if nobody plays in between."""
    return system.ratings(system.begin(filled({}, PLAYER_SCHEMA), with_own_errors(system, ratings)), on)


def with_own_errors(system: RatingSystem, before: Ratings | None) -> Ratings | None:
    """Return a list with the method's own errors as `error`, as the system continues from them."""
    own = getattr(system, "own_error", Rates.own_error)
    names = [] if before is None else [n for n in ("rd", "own_error") if n in before.rows.columns]
    if before is None or not names:
        return before
    error = pl.coalesce(*([own] if own in names else []), "error").alias("error")
    return replace(before, rows=before.rows.with_columns(error).drop(names))


def run(
    system: RatingSystem, games: Games, before: Ratings | None = None, *, trace: Trace | None = None
) -> State:
    """Return the state after games that are all there is."""
    return system.advance(system.begin(games.players, with_own_errors(system, before)), games, trace=trace)


def rate(system: RatingSystem, games: Games, before: Ratings | None = None) -> Ratings:
    """Rate games: begin, advance, and the ratings of those who played."""
    return played_list(system, run(system, games, before), games)


def played_list(system: RatingSystem, state: State, games: Games) -> Ratings:
    """Return the ratings of those who were rated, with the games that they come from as source.

    A state may say who that is in a column `rated`; else it is who has played.
    """
    rows = state.rows
    rated = rows["rated"] if "rated" in rows.columns else rows["games"] > 0
    ratings = system.ratings(replace(state, rows=rows.filter(rated)))
    source = source_of(games)
    own = dict(ratings.source)
    later = own.pop("later", 0)
    if later:
        status = {**source["status"], "played": source["status"]["played"] - later, "later": later}
        source = {**source, "status": status}
    return replace(ratings, source={**source, **own})


def workings(system: RatingSystem, games: Games, before: Ratings | None = None) -> tuple[Ratings, Workings]:
    """Rate games and return every step on the way.

    The ratings are those of ``rate(system, games, before)``, bit for bit. A system that does not divide
    its change among games gives one step a player.

    Examples
    --------
    >>> from arpad.model import Games
    >>> from arpad.rate.elo import Elo
    >>> ratings, steps = workings(Elo(k=10), Games.build([("Anand", "Karpov", 1.0)]))
    >>> steps.of(0)["change"].sum()
    1505.0
    """
    games = numbered(games)
    trace = Trace()
    ratings = played_list(system, run(system, games, before, trace=trace), games)
    steps = trace.steps() if trace.divided else whole_steps(games, before, ratings)
    shown = Workings.build(system.name, steps, divided=trace.divided)
    return ratings, replace(shown, steps=settled(shown.steps, games, before, ratings))
