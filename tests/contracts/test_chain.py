"""What every registered system promises to a chain of lists: nothing is lost between two periods."""

from __future__ import annotations

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arpad.ledger.period import games_of
from arpad.ledger.policy import Policy
from arpad.ledger.schedule import Schedule
from arpad.model import Ratings
from arpad.rate import SYSTEMS
from arpad.rate.registry import system
from tests.ledger.seasons import periods_of, seasons, through

systems = pytest.mark.parametrize("name", SYSTEMS)
LOOKS_BACK = {"whr", "arpad"}
"""Systems in which later games change the past: a list says where everybody stands, not by which games, so
that a chain of lists knows less than all games at once. What it still promises: tests/rate/test_whr.py."""


def policy(name: str) -> Policy:
    """Lists every month; grades are reckoned by the year, and so are their lists."""
    schedule = Schedule(period={"bcf": "year", "periodic": "quarter"}.get(name, "month"))
    return Policy(name=name, system=name, schedule=schedule, round_to=None, carries="exact")


def directly(name: str, games):
    """Call the system with one period after the other, each from the lists before it."""
    made, rows = system(name), None
    for period in periods_of(policy(name), games):
        part = games_of(period, given=True, from_opening=hasattr(made, "pace"))
        before = None if rows is None else Ratings(system=name, rows=rows, parameters={})
        new = made.rate(part, before).rows
        rest = [] if rows is None else [rows.join(new, on="id", how="anti")]
        rows = pl.concat([*rest, new], how="diagonal_relaxed")
    return rows


def figures(rows: pl.DataFrame, number: str, error: str) -> dict[str, float | None]:
    key = pl.col(number).cast(pl.String)
    each = rows.select(key.alias("key"), "rating", pl.col(error).alias("error"))
    return {
        f"{k} {what}": row[what]
        for row in each.to_dicts()
        for what in ("rating", "error")
        for k in [row["key"]]
    }


@systems
@settings(max_examples=15)
@given(games=seasons(crossing=True))
def test_a_chain_is_the_system_called_period_by_period(name, games):
    state, _, _ = through(policy(name), games)
    expected = figures(directly(name, games), "id", "error")
    assert figures(state, "player_id", "deviation") == pytest.approx(expected, nan_ok=True)


@pytest.mark.parametrize("name", [name for name in SYSTEMS if name not in LOOKS_BACK])
@settings(max_examples=15)
@given(data=st.data())
def test_a_chain_is_the_system_called_once(name, data):
    # In one call, elo-book's median of the pool has ratings of people who come only later.
    games = data.draw(seasons(most=9, rated=name != "elo-book", crossing=name == "fide"))
    state, _, _ = through(policy(name), games)
    once = dict(system(name).rate(games).rows.select("id", "rating").iter_rows())
    assert {str(k): v for k, v in state.select("player_id", "rating").iter_rows()} == pytest.approx(once)


@systems
@settings(max_examples=15)
@given(games=seasons(crossing=True))
def test_steps_lead_exactly_from_state_to_state(name, games):
    rules = Policy(name=name, system=name, floor=1510.0)
    at: dict[int, float] = {}
    for run in through(rules, games)[2]:
        for player, change in run.steps.select("player_id", "change").iter_rows():
            at[player] = at.get(player, 0.0) + change
        now = dict(run.states.select("player_id", "rating").iter_rows())
        assert {p: at.get(p, 0.0) for p in now} == {p: r or 0.0 for p, r in now.items()}
        assert all(r is None or (r >= 1510 and r == round(r)) for r in now.values())
        assert run.steps["seq"].to_list() == [
            n for part in run.steps.partition_by("player_id") for n in range(part.height)
        ]
