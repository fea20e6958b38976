"""One period: what was played, and where everybody stood, gives where everybody stands, and every step.

This is a pure function: frames in, frames out. `chain` strings periods together and keeps them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import polars as pl

from arpad.model import Event, Games
from arpad.office.making.adjusted import adjusted, no_adjustments
from arpad.office.making.state import before_of, empty_state, kinds, moved_on
from arpad.office.making.steps import kept, leaps, numbered_steps
from arpad.office.rules.rounding import floored, rounded
from arpad.rate.workings import workings

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import date

    from arpad.office.rules.policy import Policy

__all__ = ["PeriodRun", "PlayedPeriod", "rate_period"]

FLOOR, ROUNDING = "floor of the policy", "rounding"


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayedPeriod:
    """What was played in one period, as the ledger tells it.

    Parameters
    ----------
    opens, closing
        First and last day.
    events
        `event_id`, `name`, `start`, `end`, in their order.
    games
        `game_id`, `event_id`, `white_id`, `black_id` and columns of the model's games; played ones only.
    players
        `player_id`, `name`, `birth`, `sex`, `federation`, `title` of everybody, or of more people.
    adjustments
        What was set by hand.
    """

    opens: date
    closing: date
    events: pl.DataFrame
    games: pl.DataFrame
    players: pl.DataFrame
    adjustments: pl.DataFrame = field(default_factory=no_adjustments)


@dataclass(frozen=True, slots=True, kw_only=True)
class PeriodRun:
    """Where everybody stands after a period, and how that came about.

    Parameters
    ----------
    states
        Only of those whose state changed.
    columns
        What travels in everybody's `state`, and of which kind.
    """

    states: pl.DataFrame
    steps: pl.DataFrame
    columns: Mapping[str, str]
    notes: tuple[str, ...] = ()

    def after(self, state: pl.DataFrame) -> pl.DataFrame:
        """Return everybody's state after the period, from everybody's before."""
        rest = state.join(self.states, on="player_id", how="anti", maintain_order="left")
        return pl.concat([rest, self.states]).sort("player_id")


def rate_period(
    policy: Policy, period: PlayedPeriod, state: pl.DataFrame, columns: Mapping[str, str]
) -> PeriodRun:
    """Rate one period.

    Parameters
    ----------
    state
        Everybody's before.
    columns
        What travels in it.
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
        games = games_of(period, given=policy.given, from_opening=hasattr(system, "pace"))
        who = games.players["id"].cast(pl.Int64)
        before = before_of(state, who, columns, system=system.name)
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
    found = []
    if policy.floor is not None:
        figure = floored(figure, policy.floor)
        found.append((FLOOR, figure))
    if policy.round_to is not None and policy.carries == "published":
        found.append((ROUNDING, rounded(figure, policy.round_to)))
    return found


def games_of(period: PlayedPeriod, *, given: bool, from_opening: bool) -> Games:
    """Return the games as the model has them, row by row those of the period.

    Parameters
    ----------
    given
        Keep the ratings that the source gives.
    from_opening
        Play before the first day of the period counts as of that day: for systems that reckon time, a
        period that is over is over.
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
    numbers = table.select("event_id").join(
        event_of, on="event_id", how="left", maintain_order="left"
    )
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
