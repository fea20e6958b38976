"""Systems whose state has the columns of their list: begin, ratings and expected are alike for all of them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import polars as pl

from arpad.errors import InputError
from arpad.model import Games, Ratings, ranked
from arpad.rate.glicko.rating import list_on
from arpad.rate.periods import figures, first_given, padded
from arpad.rate.system import Rates, State, admit, constants_of, list_rows
from arpad.scale import Curve, Logistic

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import date

    from numpy.typing import NDArray

    from arpad.rate.system import RatingSystem, Trace


INTERNAL = ("listed", "rated", "given", "on_list")
"""Columns of the state that no list has."""
CARRIED = "carried"
"""The column of a list that holds, as JSON, what the next list must know beyond figures and words."""


class ListRates(Rates):
    """The calls that are alike in all systems whose state has the columns of their list."""

    __slots__ = ()
    name: ClassVar[str]
    memory: ClassVar[Mapping[str, Any]] = {}
    """Columns of the state, and their kinds, that stand in the column `carried` of a list."""

    def parameters(self) -> dict[str, object]:
        """Return every constant by name: those of the system, and those of its curve."""
        mine = constants_of(self)
        mine.pop("curve", None)
        return {**mine, **self.curve.parameters()}  # type: ignore[attr-defined]

    def begin(self, players: pl.DataFrame, before: Ratings | None = None) -> State:
        """Return the list before the first game."""
        rows = list_rows(players, before)
        if "rating" not in rows.columns:
            rows = rows.with_columns(pl.lit(None, dtype=pl.Float64).alias("rating"))
        rows = rows.with_columns(
            pl.lit(0, dtype=pl.Int64).alias("games"),
            pl.lit(value=False).alias("rated"),
            pl.col("rating").cast(pl.Float64).alias("before"),
            *decoded(self.name, rows[CARRIED] if CARRIED in rows.columns else None, len(rows), self.memory),
        ).drop("rank", "change", *([CARRIED] if self.memory else []), strict=False)
        given = np.full(len(rows), np.nan)
        if getattr(self, "given", True):
            given[: players.height] = players["rating"].cast(pl.Float64).to_numpy()
        others = (0, 0.0) if before is None else before.source.get("others", (0, 0.0))
        rows = rows.with_columns(pl.Series("given", given).fill_nan(None))
        return State(self.name, rows, {"others": others})

    def advance(self, state: State, games: Games, *, trace: Trace | None = None) -> State:
        """Return the list after the games."""
        raise NotImplementedError

    def ratings(self, state: State, on: date | None = None) -> Ratings:
        """Return the list of everybody who has played or is on an earlier list."""
        rows = state.rows.filter(pl.col("rated") | pl.col("listed"))
        columns = state.shared.get("columns", [c for c in rows.columns if c not in INTERNAL])
        if self.memory:
            rows = rows.with_columns(encoded(self.memory))
            first = min(columns.index(name) for name in self.memory)
            columns = [c for c in [*columns[:first], CARRIED, *columns[first:]] if c not in self.memory]
        listed = Ratings(
            system=self.name,
            rows=ranked(rows.select(columns)),
            parameters=state.shared.get("parameters", self.parameters()),
            source=state.shared.get("source", {}),
        )
        return list_on(self, listed, on) if on is not None and self.reckons_time else listed  # type: ignore[arg-type]

    def expected(
        self,
        state: State,
        white: NDArray[Any],
        black: NDArray[Any],
        on: date | None = None,  # noqa: ARG002
    ) -> NDArray[np.float64]:
        """Return White's expected score by the system's own curve, or the logistic one; NaN for none."""
        rating = standing(self, state)
        D = rating[white] - rating[black]
        known, expected = ~np.isnan(D), np.full(len(D), np.nan)
        chance = getattr(self, "expected_score", None)
        if chance is not None:  # the system knows of errors
            error = self._errors(state)
            return np.asarray(chance(rating[white], error[white], rating[black], error[black], colour=1))
        curve = getattr(self, "curve", None)
        expected[known] = (curve if isinstance(curve, Curve) else Logistic()).expected(D[known])
        return expected

    def _errors(self, state: State) -> NDArray[np.float64]:
        """Return everybody's error: on the list, of a given rating, or a newcomer's."""
        rows = state.rows
        rated = ~np.isnan(figures(rows, "rating"))
        given = ~np.isnan(figures(rows, "given"))
        usual = getattr(self, "given_error", 0.0)
        error = np.where(given, usual, getattr(self, "start_error", usual))
        listed = figures(rows, "error")
        return np.where(rated, np.where(np.isnan(listed), usual, listed), error)


def standing(system: RatingSystem, state: State) -> NDArray[np.float64]:
    """Return everybody's rating, else what the source gives, else the system's start; NaN for none."""
    rating = figures(state.rows, "rating")
    rating = np.where(np.isnan(rating), figures(state.rows, "given"), rating)
    start = getattr(system, "start", None)
    return np.where(np.isnan(rating), np.nan if start is None else float(start), rating)


def with_given(state: State, games: Games) -> State:
    """Return the state with the ratings that the source gives beside these games to people without one.

    A state without a column `given` needs none: everybody has a rating from the first game on.
    """
    if "given" not in state.rows.columns:
        return state
    beside = padded(first_given(games, games.table), len(state))
    old = figures(state.rows, "given")
    return state.changed({"given": pl.Series(np.where(np.isnan(beside), old, beside)).fill_nan(None)})


@dataclass(frozen=True, slots=True, kw_only=True)
class Entrants:
    """Players with games: their games and their rows of the state, both numbered from 0.

    Parameters
    ----------
    state
        Of everybody.
    place
        Row of the state of each of those who play.
    games
        With only those players.
    rows
        Their rows of the state.
    """

    state: State
    place: NDArray[np.int64]
    games: Games
    rows: pl.DataFrame

    def figures(self, column: str) -> NDArray[np.float64]:
        """Return a column of their rows as numbers, NaN where there is none."""
        return figures(self.rows, column)

    def others(self) -> pl.Series:
        """Return the ratings of those in the state who do not play and have one."""
        rows = self.state.rows
        here = np.isin(np.arange(len(rows)), self.place)
        return rows["rating"].cast(pl.Float64).filter(pl.Series(~here)).drop_nulls().drop_nans()

    def steps(self, steps: pl.DataFrame) -> pl.DataFrame:
        """Return steps with the players' rows of the state."""
        place = pl.Series(self.place, dtype=pl.Int32)
        return steps.with_columns(
            place.gather(steps[side].cast(pl.UInt32)).alias(side)
            for side in ("player", "opponent")
            if side in steps.columns
        )

    def after(
        self,
        rows: pl.DataFrame,
        *,
        parameters: Mapping[str, object],
        rated: NDArray[np.bool_] | None = None,
        source: Mapping[str, object] | None = None,
        shift: float = 0.0,
    ) -> State:
        """Return everybody after the games.

        Parameters
        ----------
        rows
            The list of those who play, row by row, without `player` and `id`: `games` of these games,
            `before` them.
        rated
            Who is on it; None: everybody with games.
        shift
            Points by which those are moved who do not play.
        """
        state, n = self.state, len(self.state)
        mask = rows["games"].to_numpy() > 0 if rated is None else rated
        at = self.place[mask]
        own = ["player", "id", *rows.columns]
        old = self.rows.select(games_so_far="games", first="before")
        again = pl.col("games_so_far") > 0
        new = rows.with_columns(old).with_columns(
            pl.when(again).then("first").otherwise("before").alias("before"),
            pl.col("games") + pl.col("games_so_far"),
            pl.lit(value=True).alias("rated"),
        )
        if "change" in rows.columns:
            change = (pl.col("rating") - pl.col("before")).fill_nan(None)
            new = new.with_columns(pl.when(again).then(change).otherwise("change").alias("change"))
        new = new.drop("games_so_far", "first").filter(pl.Series(mask))
        new = pl.concat(
            [self.rows.select("player", "id", "listed", "given").filter(pl.Series(mask)), new],
            how="horizontal",
        )
        # A list from a text file has floats and texts of its own: the system says the kinds.
        rest = state.rows
        kinds = {
            c: k for c, k in new.schema.items() if c in rest.columns and k != pl.Null != rest.schema[c] != k
        }
        rest = rest.with_columns(
            pl.col(c).str.to_date(strict=False)
            if rest.schema[c] == pl.String and kind == pl.Date
            else pl.col(c).cast(kind, strict=False)
            for c, kind in kinds.items()
        )
        if shift:
            rest = rest.with_columns(pl.col("rating") + shift)
        place = np.arange(n)
        place[at] = n + np.arange(len(at))
        everybody = pl.concat([rest, new], how="diagonal_relaxed")[place]
        more, points = state.shared["others"]
        return State(
            state.system,
            everybody.select(*own, pl.exclude(own)),
            {
                "others": (more, points + more * shift),
                "columns": own,
                "parameters": dict(parameters),
                "source": dict(source or {}),
            },
        )

    def after_some(self, rows: pl.DataFrame, who: NDArray[np.int64], **more: Any) -> State:
        """Return everybody after the games, from the rows of those who are on the list."""
        place = np.full(len(self.place), -1)
        place[who] = np.arange(len(who))
        whole = rows[np.maximum(place, 0)] if len(who) else rows.clear(len(place))
        return self.after(whole, rated=place >= 0, **more)


def entrants(system: RatingSystem, state: State, games: Games) -> Entrants:
    """Return those who play in these games, new players with them."""
    state = admit(system, state, games.players)
    table = games.table
    there = np.zeros(games.players.height, dtype=np.bool_)
    for side in ("white", "black"):
        there[table[side].drop_nulls().to_numpy()] = True
    place = np.flatnonzero(there)
    number = np.zeros(len(there), dtype=np.int32)
    number[place] = np.arange(len(place), dtype=np.int32)
    table = table.with_columns(
        pl.Series(side, number).gather(table[side]).alias(side) for side in ("white", "black")
    )
    return Entrants(
        state=state,
        place=place,
        games=Games(table, games.players[place], games.events),
        rows=state.rows[place],
    )


def by_player(rows: pl.DataFrame, kind: pl.List, n: int) -> pl.Series:
    """Return the rows of each of n players, told by the number `player`, as one list of structs; null for none."""
    fields = [field.name for field in kind.inner.fields]  # type: ignore[union-attr]
    everybody = pl.DataFrame({"player": np.arange(n, dtype=np.int32)})
    grouped = rows.group_by("player", maintain_order=True).agg(pl.struct(fields).alias("of"))
    return everybody.join(grouped, on="player", how="left", maintain_order="left")["of"].cast(kind)


# The column `carried` of a list: what the next list must know, as JSON; and the texts of older versions.


def encoded(memory: Mapping[str, Any]) -> pl.Expr:
    """Return columns of a state as JSON, null where all of them are."""
    known = pl.any_horizontal(pl.col(name).is_not_null() for name in memory)
    return pl.when(known).then(pl.struct(list(memory)).struct.json_encode()).alias("carried")


def decoded(system: str, texts: pl.Series | None, n: int, memory: Mapping[str, Any]) -> list[pl.Series]:
    """Return the columns of the state that `encoded` made JSON of, for n players."""
    kind = pl.Struct(dict(memory))
    if texts is None or texts.null_count() == n:
        return [pl.Series(name, [None] * n, dtype=each) for name, each in memory.items()]
    texts = texts.cast(pl.String)
    first = next(iter(memory), "")
    old = ~texts.str.starts_with(f'{{"{first}":').fill_null(value=True)
    try:
        values = texts.set(old, None).str.json_decode(kind)
        if old.any():
            told = [
                _old_text(first, text) if is_old else None for text, is_old in zip(texts, old, strict=True)
            ]
            values = pl.select(pl.when(old).then(pl.Series(told, dtype=kind)).otherwise(values)).to_series()
    except (pl.exceptions.PolarsError, ValueError, IndexError, TypeError):
        some = next(t for t in [*texts.filter(old), *texts.drop_nulls()])
        raise InputError(
            f"expected in the column carried what arpad writes with the system {system}, found {some!r}"
        ) from None
    return [values.struct.field(name).alias(name) for name in memory]


def _old_text(first: str, text: str) -> dict[str, Any]:
    """Return what versions before JSON wrote into the column; ValueError for anything else."""
    if first == "games_on_file":  # 1200=0.5 1350=1
        pairs = [map(_number, part.split("=")) for part in text.split()]
        return {first: [{"rating": R, "score": _checked(score, 0 <= score <= 1)} for R, score in pairs]}
    if first == "periods":  # 2026 31 46120.5;2027 30 45000.0
        parts = [(int(p), _number(n), _number(s)) for p, n, s in (part.split() for part in text.split(";"))]
        return {first: [{"period": p, "games": _checked(n, n > 0), "points": s} for p, n, s in parts]}
    if first == "direction":  # 1 4.5 -11.2 -40.1,-12.5,4.5,0.0
        direction, *block = text.replace(",", " ").split()
        values: list[Any] = [_number(value) for value in block] or [None, None]
        peak, trough, *sums = values
        way = _checked(int(direction), abs(int(direction)) <= 1 and len(block) in (0, 6))
        return {first: way, "peak": peak, "trough": trough, "sums": sums or None}
    entries = [part.split(" ") for part in text.strip().split(";")]
    lists = [entry for entry in entries if entry[0] == "L"]  # L 2026-02 2104.0 t 41
    waiting = [entry for entry in entries if entry[0] == "G"]  # G 2025-11 1800.0 0.5 0
    _checked(text, len(lists) + len(waiting) == len(entries))
    return {
        "lists": [
            {
                "month": _month(month),
                "rating": None if R == "-" else _number(R),
                "topped": "t" in flags,
                "reached": "r" in flags,
                "total": int(total),
            }
            for _, month, R, flags, total in lists
        ],
        "waiting": [
            {
                "month": _month(month),
                "opponent_rating": _number(R),
                "score": _number(score),
                "event": None if event == "-" else int(event),
            }
            for _, month, R, score, event in waiting
        ],
    }


def _checked(value: Any, sound: bool) -> Any:
    if not sound:
        raise ValueError(value)
    return value


def _number(text: str) -> float:
    return float(_checked(text, math.isfinite(float(text))))


def _month(text: str) -> int | None:
    """Return a month, counted from the year 0."""
    return None if text == "-" else int(text[:4]) * 12 + int(text[5:])
