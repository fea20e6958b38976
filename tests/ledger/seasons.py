"""Made-up seasons: events of a few days, and the same games as periods of a policy."""

from __future__ import annotations

import datetime as dt

import polars as pl
from hypothesis import strategies as st

from arpad.ledger.period import PlayedPeriod, empty_state, rate_period
from arpad.model import Event, Games, Player

FIRST = dt.date(2025, 1, 5)


@st.composite
def seasons(draw, *, crossing=False, rated=True, most=6):
    """Games of one to `most` events, one after the other; with `crossing` some go over a month's end."""
    n = draw(st.integers(3, 7))
    day, columns, events = FIRST, {k: [] for k in ("white", "black", "score", "date", "event")}, []
    for number in range(draw(st.integers(1, most))):
        day += dt.timedelta(days=draw(st.integers(3, 40)))
        rounds = draw(st.integers(1, 5))
        if not crossing:
            day = day.replace(day=min(day.day, 20))
            if events and day <= events[-1].end:
                day = events[-1].end + dt.timedelta(days=1)
            if (day + dt.timedelta(days=rounds - 1)).month != day.month:
                day = (day.replace(day=28) + dt.timedelta(days=4)).replace(day=1)
        start = day
        for _ in range(rounds):
            order = draw(st.permutations(range(n)))
            for white, black in zip(order[::2], order[1::2], strict=False):
                row = (white, black, draw(st.sampled_from([0.0, 0.5, 1.0])), day, number)
                for key, value in zip(columns, row, strict=True):
                    columns[key].append(value)
            day += dt.timedelta(days=1)
        events.append(Event(name=f"E{number}", start=start, end=day - dt.timedelta(days=1)))
    people = [Player(name=f"P{i}", id=str(i + 1), birth=f"{1990 + 3 * i}") for i in range(n)]
    games = Games.assemble(columns, people, events)
    if rated:
        given = [draw(st.none() | st.integers(1500, 2500)) for _ in range(n)]
        given = pl.Series([None if g is None else float(g) for g in given], dtype=pl.Float64)
        sides = [given.gather(games.table[s]).alias(f"{s}_rating") for s in ("white", "black")]
        games = Games(games.table.with_columns(sides), games.players, games.events)
    return games


def periods_of(policy, games: Games) -> list[PlayedPeriod]:
    """Return the games as the chain sees them, period by period."""
    events = pl.DataFrame(
        {
            "event_id": range(len(games.events)),
            "name": [e.name for e in games.events],
            "start": [e.start for e in games.events],
            "end": [e.end for e in games.events],
        }
    )
    ids = games.players["id"].cast(pl.Int64)
    table = games.table.with_row_index("game_id").with_columns(
        pl.col("game_id").cast(pl.Int64),
        pl.col("event").cast(pl.Int64).alias("event_id"),
        ids.gather(games.table["white"]).alias("white_id"),
        ids.gather(games.table["black"]).alias("black_id"),
    )
    players = games.players.with_columns(ids.alias("player_id"))
    found = []
    closings = events["end"].map_elements(policy.schedule.closing_for, return_dtype=pl.Date)
    for closing in closings.unique().sort():
        mine = events.filter(closings == closing)
        found.append(
            PlayedPeriod(
                opens=policy.schedule.opens(closing),
                closing=closing,
                events=mine,
                games=table.join(mine, on="event_id", how="semi", maintain_order="left"),
                players=players,
            )
        )
    return found


def through(policy, games: Games):
    """Return everybody's state after all periods, its columns, and the runs."""
    state, columns, runs = empty_state(), {}, []
    for period in periods_of(policy, games):
        run = rate_period(policy, period, state, columns)
        state, columns = run.after(state), run.columns
        runs.append(run)
    return state, columns, runs
