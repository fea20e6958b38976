"""One rating period of a list: games and states in, states and steps out."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import polars as pl

from arpad.errors import InputError
from arpad.ledger.policy import floored, rounded
from arpad.model import Event, Games, Ratings, columns, schema
from arpad.rate.system import STEP_SCHEMA, workings

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import date

    from arpad.ledger.policy import Policy
    from arpad.rate.system import Workings


# Where everybody stands between two periods: rows of the ledger, and a system's `before`.
#
# A system's rows have columns of their own (K, volatility, games on file …). Those travel in one column of
# JSON, `state`; `columns` says what kind each is, so that they come back as they went.

STATE_SCHEMA = schema(
    {
        "player_id": pl.Int64,
        "rating": pl.Float64,  # null: not rated
        "games": pl.Int64,  # in the period
        "total_games": pl.Int64,
        "deviation": pl.Float64,
        "status": pl.String,  # as the system says
        "state": pl.String,  # JSON: whatever else the next period needs
    }
)
OWN = ("id", "rating", "games", "total_games", "error", "status")
"""Columns of a system's rows that have a column of their own in the ledger."""
FORGOTTEN = ("rank", "player", "before", "change", "score", "expected", "birth", "on_file")
"""Columns that no next period looks at: they are told again by the steps, or follow from the rest."""
LAST = "last"
"""Day of a player's last rated game; it tells who is active."""
_KINDS = {
    "Float64": pl.Float64,
    "Int64": pl.Int64,
    "String": pl.String,
    "Boolean": pl.Boolean,
    "Date": pl.Date,
}


def empty_state() -> pl.DataFrame:
    """Return the state before anything was played."""
    return pl.DataFrame(schema=STATE_SCHEMA)


def kinds(rows: pl.DataFrame) -> dict[str, str]:
    """Return the columns of a system's rows that travel in `state`, and what kind each is."""
    own = {name: _kind(kind) for name, kind in rows.schema.items() if name not in (*OWN, *FORGOTTEN)}
    return dict(sorted({LAST: "Date", **own}.items()))


def _kind(kind: pl.DataType) -> str:
    if kind.is_integer():
        return "Int64"
    if kind.is_float():
        return "Float64"
    return "Boolean" if kind == pl.Boolean else "Date" if kind == pl.Date else "String"


def carried(state: pl.DataFrame, columns: Mapping[str, str]) -> pl.DataFrame:
    """Return the state with what travels in JSON as columns again, and without the JSON."""
    days = [name for name, kind in columns.items() if kind == "Date"]
    fields = {name: pl.String if kind == "Date" else _KINDS[kind] for name, kind in columns.items()}
    if not fields:
        return state.drop("state")
    try:
        result = state["state"].str.json_decode(pl.Struct(fields)).struct.unnest()
    except pl.exceptions.PolarsError as error:
        raise InputError(f"the ledger holds a state that cannot be read: {error}") from None
    return state.drop("state").with_columns(result.with_columns(pl.col(days).str.to_date("%Y-%m-%d")))


def before_of(
    state: pl.DataFrame,
    players: pl.Series,
    columns: Mapping[str, str],
    *,
    system: str,
    whole_pool: bool = False,
) -> Ratings | None:
    """Return what a system takes as `before`, for these players; None if nobody has a state yet.

    `source` says as ``others`` how many more are rated, and with how many points. A system that looks at
    people who do not play (`whole_pool`) gets everybody: newcomers may start at the median [3.76].
    """
    if state.is_empty():
        return None
    mine = pl.col("player_id").is_in(players.implode())
    if whole_pool:
        mine = pl.lit(True)
    rows = carried(state.filter(mine), columns)
    rest = state.filter(~mine)["rating"].drop_nulls()
    rows = rows.select(
        pl.col("player_id").cast(pl.String).alias("player"),
        pl.col("player_id").cast(pl.String).alias("id"),
        "rating",
        pl.col("deviation").alias("error"),
        pl.exclude("player_id", "rating", "deviation"),
    )
    source = {"others": (len(rest), float(rest.sum()))}
    return Ratings(system=system, rows=rows, parameters={}, source=source)


def moved_on(ratings: Ratings, games: Games, state: pl.DataFrame, columns: Mapping[str, str]) -> pl.DataFrame:
    """Return the new state of everybody in the system's rows.

    `state`: Everybody's before: total games are counted on from there where the system does not count.
    `columns`: What travels in `state`: `kinds` of the rows.
    """
    rows = ratings.rows.with_columns(pl.col("id").cast(pl.Int64).alias("player_id"))
    earlier = state.select("player_id", pl.col("total_games").alias("_earlier"))
    rows = rows.join(earlier, on="player_id", how="left", maintain_order="left")
    if LAST not in rows.columns:
        rows = rows.join(_last_played(games), on="id", how="left", maintain_order="left")
    total = pl.col("_earlier").fill_null(0) + pl.col("games")
    if "total_games" in rows.columns:
        total = pl.coalesce("total_games", total)
    deviation = pl.col("error") if "error" in rows.columns else pl.lit(None)
    status = pl.col("status").cast(pl.String) if "status" in rows.columns else pl.lit(None)
    return (
        rows.select(
            "player_id",
            pl.col("rating").cast(pl.Float64).fill_nan(None),
            "games",
            total.alias("total_games"),
            deviation.cast(pl.Float64).fill_nan(None).alias("deviation"),
            status.alias("status"),
            _json(columns).alias("state"),
        )
        .cast(STATE_SCHEMA)
        .sort("player_id")
    )


def _json(columns: Mapping[str, str]) -> pl.Expr:
    fields = [
        pl.col(name).dt.strftime("%Y-%m-%d")
        if kind == "Date"
        else pl.col(name).fill_nan(None)
        if kind == "Float64"
        else pl.col(name).cast(_KINDS[kind])
        for name, kind in columns.items()
    ]
    return pl.struct(fields).struct.json_encode()


def _last_played(games: Games) -> pl.DataFrame:
    """Return the day of everybody's last game; of an undated game the last day of its event."""
    ends = pl.Series([e.end or e.start for e in games.events], dtype=pl.Date)
    day = pl.coalesce("date", pl.Series("_end", ends.gather(games.table["event"])))
    sides = [games.table.select(pl.col(side).alias("player"), day.alias(LAST)) for side in ("white", "black")]
    latest = pl.concat(sides).group_by("player").agg(pl.col(LAST).max())
    return latest.select(games.players["id"].gather(latest["player"]).alias("id"), LAST)


# What an administrator set by hand: it holds before the games of the period in which it was set.

ADJUSTMENTS = schema(
    {
        "player_id": pl.Int64,
        "rating": pl.Float64,  # set to this; null: it stays
        "settings": pl.String,  # JSON: other columns of the state that are set; null: none
        "rule": pl.String,  # why
    }
)
PLAIN = ("total_games", "deviation")
"""Settings that have a column of their own."""


def no_adjustments() -> pl.DataFrame:
    """Return what was set by hand where nothing was."""
    return pl.DataFrame(schema=ADJUSTMENTS)


def adjusted(
    state: pl.DataFrame, adjustments: pl.DataFrame, columns: Mapping[str, str]
) -> tuple[pl.DataFrame, pl.DataFrame, dict[str, str]]:
    """Return everybody's state, who was adjusted (`player_id`, `earlier`, `rating`, `rule`), the columns.

    The last word on a player counts.
    """
    if adjustments.is_empty():
        return state, adjustments.with_columns(pl.col("rating").alias("earlier")), dict(columns)
    who = adjustments.unique("player_id", keep="last", maintain_order=True).sort("player_id")
    was = state.select("player_id", pl.col("rating").alias("earlier"))
    who = who.join(was, on="player_id", how="left", maintain_order="left").with_columns(
        pl.coalesce("rating", "earlier").alias("rating")
    )
    rows = state.join(who, on="player_id", how="semi", maintain_order="left")
    new = who.join(state, on="player_id", how="anti").select("player_id")
    missing = [pl.lit(None, dtype=k).alias(n) for n, k in STATE_SCHEMA.items() if n != "player_id"]
    rows = pl.concat([rows, new.with_columns(missing).select(state.columns)]).sort("player_id")
    texts, named = _set(rows["state"], who["settings"], columns)
    rows = rows.with_columns(
        who["rating"],
        *(_plain(rows[name], who["settings"]) for name in PLAIN),
        texts.alias("state"),
        pl.lit(0, dtype=pl.Int64).alias("games"),
    )
    rest = state.join(who, on="player_id", how="anti", maintain_order="left")
    return pl.concat([rest, rows]).sort("player_id"), who, named


def _set(
    states: pl.Series, settings: pl.Series, columns: Mapping[str, str]
) -> tuple[pl.Series, dict[str, str]]:
    """Put what was set beside the rating into the JSON of the states."""
    texts: list[str | None] = []
    named = dict(columns)
    for text, setting in zip(states, settings, strict=True):
        values: dict[str, Any] = json.loads(text) if text else {}
        for name, value in (json.loads(setting) if setting else {}).items():
            if name in PLAIN:
                continue
            values[name] = value
            named.setdefault(name, "String")
        texts.append(json.dumps(values, sort_keys=True, ensure_ascii=False, separators=(",", ":")))
    return pl.Series("state", texts, dtype=pl.String), dict(sorted(named.items()))


def _plain(values: pl.Series, settings: pl.Series) -> pl.Series:
    """Return a column with what was set of it."""
    result = [
        json.loads(setting).get(values.name, value) if setting else value
        for value, setting in zip(values, settings, strict=True)
    ]
    return pl.Series(values.name, result, dtype=values.dtype, strict=False)


# Steps as the ledger keeps them, and those without a game: set by hand, floors, rounding.

_FIGURES = [n for n in STEP_SCHEMA.names() if n not in ("player", "seq", "game", "opponent")]
STEPS = schema(
    {
        **columns("player_id:int seq:int game_id:int event_id:int opponent_id:int"),
        **{name: STEP_SCHEMA[name] for name in _FIGURES},
    }
)
"""The steps of a run; the rating before and all changes, added up in their order, are the rating after."""


def kept(shown: Workings, games: Games, table: pl.DataFrame) -> pl.DataFrame:
    """Return a system's steps with the numbers that players, games and events have in the ledger.

    `table`: `game_id` and `event_id` of the games, row by row.
    """
    ids = games.players["id"].cast(pl.Int64)
    steps = shown.steps
    return steps.select(
        ids.gather(steps["player"]).alias("player_id"),
        pl.col("seq").cast(pl.Int64),
        table["game_id"].gather(steps["game"]).alias("game_id"),
        table["event_id"].gather(steps["game"]).alias("event_id"),
        ids.gather(steps["opponent"]).alias("opponent_id"),
        *_FIGURES,
    )


def leaps(player: pl.Series, before: pl.Series, after: pl.Series, rule: pl.Series | str) -> pl.DataFrame:
    """Return the steps that lead exactly from one figure to another, of those whose figure changes.

    No rating counts as 0. Where no single change leads there to the last bit, the old figure is taken away
    and the new one given.

    Examples
    --------
    >>> leaps(pl.Series([7, 8]), pl.Series([1499.6, 1500.0]), pl.Series([1500.0, 1500.0]), "rounding")[
    ...     "player_id"
    ... ].to_list()
    [7]
    """
    rows = pl.DataFrame(
        {"player_id": player, "before": before.cast(pl.Float64), "after": after.cast(pl.Float64)}
    ).with_columns(
        pl.lit(rule).alias("rule") if isinstance(rule, str) else rule.alias("rule"),
        pl.col("before").alias("rating"),
        pl.col("before", "after").fill_null(0.0),
    )
    rows = rows.filter(pl.col("before") != pl.col("after")).with_columns(
        (pl.col("after") - pl.col("before")).alias("change")
    )
    exact = pl.col("before") + pl.col("change") == pl.col("after")
    given = rows.filter(~exact).with_columns(
        pl.lit(None, dtype=pl.Float64).alias("rating"), pl.col("after").alias("change")
    )
    taken = rows.with_columns(pl.when(exact).then("change").otherwise(-pl.col("before")).alias("change"))
    return _with_every_column(pl.concat([taken, given]).sort("player_id", maintain_order=True))


def _with_every_column(steps: pl.DataFrame) -> pl.DataFrame:
    missing = [
        pl.lit(None, dtype=kind).alias(name) for name, kind in STEPS.items() if name not in steps.columns
    ]
    return steps.with_columns(missing).select(pl.col(c).cast(k) for c, k in STEPS.items())


def numbered_steps(parts: list[pl.DataFrame]) -> pl.DataFrame:
    """Return steps of several kinds, one after the other, by player and numbered from 0."""
    some = [part for part in parts if part.height]
    if not some:
        return pl.DataFrame(schema=STEPS)
    if len(some) == 1 and not some[0]["seq"].has_nulls():  # a system numbers its own
        return some[0].cast(STEPS)
    whole = pl.concat(some).cast(STEPS).sort("player_id", maintain_order=True)
    return whole.with_columns(pl.int_range(pl.len(), dtype=pl.Int64).over("player_id").alias("seq"))


def steps_by_number(steps: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return steps with numbers instead of rules, and the texts of the numbers in their order.

    Examples
    --------
    >>> steps, texts = steps_by_number(pl.DataFrame({"rule": ["floor", None, "K = 20", "floor"]}))
    >>> steps["rule"].to_list(), texts.rows()
    ([2, None, 1, 2], [(1, 'K = 20'), (2, 'floor')])
    """
    texts = steps["rule"].drop_nulls().unique().sort()
    numbered = pl.DataFrame(
        {"number": pl.int_range(1, len(texts) + 1, dtype=pl.Int64, eager=True), "text": texts}
    )
    number = pl.col("rule").replace_strict(numbered["text"], numbered["number"], return_dtype=pl.Int64)
    return steps.with_columns(number), numbered


# One period: what was played, and where everybody stood, gives where everybody stands, and every step.
#
# This is a pure function: frames in, frames out. `chain` strings periods together and keeps them.

FLOOR, ROUNDING = "floor of the policy", "rounding"


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayedPeriod:
    """Games of one period, as the ledger has them.

    `opens`, `closing`: First and last day.
    """

    opens: date
    closing: date
    events: pl.DataFrame  # `event_id`, `name`, `start`, `end`, in their order
    games: pl.DataFrame
    """`game_id`, `event_id`, `white_id`, `black_id` and columns of the model's games; played ones only."""
    players: pl.DataFrame
    """`player_id`, `name`, `birth`, `sex`, `federation`, `title` of everybody, or of more people."""
    adjustments: pl.DataFrame = field(default_factory=no_adjustments)  # what was set by hand


@dataclass(frozen=True, slots=True, kw_only=True)
class PeriodRun:
    """States after a period, with the steps that led to them."""

    states: pl.DataFrame  # only of those whose state changed
    steps: pl.DataFrame
    columns: Mapping[str, str]  # what travels in everybody's `state`, and of which kind
    notes: tuple[str, ...] = ()

    def after(self, state: pl.DataFrame) -> pl.DataFrame:
        """Return everybody's state after the period, from everybody's before."""
        rest = state.join(self.states, on="player_id", how="anti", maintain_order="left")
        return pl.concat([rest, self.states]).sort("player_id")


def rate_period(
    policy: Policy, period: PlayedPeriod, state: pl.DataFrame, columns: Mapping[str, str]
) -> PeriodRun:
    """Rate one period.

    `state`: Everybody's before.
    `columns`: What travels in it.
    """
    system = policy.made(period.closing)
    state, by_hand, columns = adjusted(state, period.adjustments, columns)
    parts: list[pl.DataFrame] = []
    if by_hand.height:
        figures = (by_hand[name] for name in ("player_id", "earlier", "rating", "rule"))
        parts.append(leaps(*figures))
    states = empty_state()
    notes: tuple[str, ...] = ()
    if period.games.height:
        timed = bool(getattr(system, "reckons_time", False))
        games = games_of(period, given=policy.given, from_opening=timed)
        who = games.players["id"].cast(pl.Int64)
        before = before_of(
            state, who, columns, system=system.name, whole_pool=getattr(system, "whole_pool", False)
        )
        ratings, shown = workings(system, games, before)
        own = kinds(ratings.rows)
        columns = dict(sorted({**columns, **own}.items()))
        states = moved_on(ratings, games, state, own)
        parts.append(kept(shown, games, period.games))
        notes = tuple(str(note) for note in ratings.source.get("notes", ()))
    if by_hand.height:
        set_only = by_hand.join(states, on="player_id", how="anti")
        idle = state.join(set_only, on="player_id", how="semi")
        states = pl.concat([states, idle]).sort("player_id")
    for rule, figure in _figures(policy, states["rating"]):
        parts.append(leaps(states["player_id"], states["rating"], figure, rule))
        states = states.with_columns(figure.alias("rating"))
    return PeriodRun(states=states, steps=numbered_steps(parts), columns=columns, notes=notes)


def _figures(policy: Policy, figure: pl.Series) -> list[tuple[str, pl.Series]]:
    """Return what floor and rounding make of the ratings, one after the other."""
    result = []
    if policy.floor is not None:
        figure = floored(figure, policy.floor)
        result.append((FLOOR, figure))
    if policy.round_to is not None and policy.carries == "published":
        result.append((ROUNDING, rounded(figure, policy.round_to)))
    return result


def games_of(period: PlayedPeriod, *, given: bool, from_opening: bool) -> Games:
    """Return the games as the model has them, row by row those of the period.

    `given`: Keep the ratings that the source gives.
    `from_opening`: Play before the first day of the period counts as of that day: for systems that count
    time, a period that is over is over.
    """
    table = period.games
    who = pl.concat([table["white_id"], table["black_id"].rename("white_id")]).unique().sort()
    ids = who.drop_nulls().rename("player_id").to_frame()
    people = ids.join(period.players, on="player_id", how="left", maintain_order="left")
    rows = {
        "white": ids["player_id"].search_sorted(table["white_id"]),
        "black": ids["player_id"].search_sorted(table["black_id"]),
    }
    event_of = period.events.select("event_id").with_row_index("event")
    numbers = table.select("event_id").join(event_of, on="event_id", how="left", maintain_order="left")
    day = pl.max_horizontal("date", pl.lit(period.opens)) if from_opening else pl.col("date")
    ratings = ("white_rating", "black_rating") if given else ()
    names = ("score", "black_score", "round", "plies", *ratings)
    about = ("birth", "sex", "federation", "title")
    return Games.assemble(
        {
            **rows,
            **{name: table[name] for name in names if name in table.columns},
            "date": table.select(day.alias("date"))["date"],
            "event": numbers["event"],
        },
        {
            "name": people["name"].fill_null(""),
            "id": people["player_id"].cast(pl.String),
            **{name: people[name] for name in about if name in people.columns},
        },
        [
            Event(name=name or "", start=start, end=end)
            for name, start, end in period.events.select("name", "start", "end").iter_rows()
        ],
    )
