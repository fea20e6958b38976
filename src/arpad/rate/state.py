"""The state of a rating system: one row a player, one codec; the ranges of tunable constants."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, field, replace
from datetime import date
from io import BytesIO
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from arpad.errors import InputError, UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from arpad.model import Ratings


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
