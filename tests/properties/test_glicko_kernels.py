"""The compiled periods of Glicko, Glicko-2 and Stephenson's system agree with the readable reference."""

from __future__ import annotations

import datetime as dt

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arpad.model import Games, Ratings
from arpad.rate.glicko import rating as form_rating
from arpad.rate.registry import system

SYSTEMS = [
    ("glicko", {}),
    ("glicko", {"c": 63.2, "white_advantage": 35.0}),
    ("glicko2", {}),
    ("glicko2", {"tau": 1.2, "volatility": 0.3, "max_error": 360.0, "white_advantage": 35.0}),
    ("stephenson", {}),
    ("stephenson", {"bonus": 5.0, "neighbourhood": 10.0, "h": 40.0, "white_advantage": 35.0}),
]


@st.composite
def pools(draw):
    n = draw(st.integers(2, 8))
    pair = st.tuples(st.integers(0, n - 1), st.integers(0, n - 1), st.sampled_from([0.0, 0.5, 1.0, 0.25]))
    rows = [(a, b, s) for a, b, s in draw(st.lists(pair, min_size=1, max_size=60)) if a != b]
    days = st.integers(0, 1500)
    columns = {
        "white": [r[0] for r in rows],
        "black": [r[1] for r in rows],
        "score": [r[2] for r in rows],
        "event": draw(st.lists(st.integers(0, 4), min_size=len(rows), max_size=len(rows))),
        "date": [dt.date(2020, 1, 1) + dt.timedelta(days=draw(days)) for _ in rows],
    }
    start = draw(st.lists(st.none() | st.floats(1000, 2600), min_size=n, max_size=n))
    return Games.assemble(columns, {"name": [f"P{i}" for i in range(n)], "rating": start})


@st.composite
def lists(draw):
    """An earlier list with gaps, errors too large, and days in the middle of a period."""
    rows = {
        "player": [f"P{i}" for i in range(5)],
        "rating": draw(st.lists(st.floats(1000, 2600), min_size=5, max_size=5)),
        "error": draw(st.lists(st.none() | st.floats(0, 900), min_size=5, max_size=5)),
        "volatility": draw(st.lists(st.none() | st.floats(0, 1.5), min_size=5, max_size=5)),
        "on": [draw(st.dates(dt.date(2019, 1, 1), dt.date(2021, 1, 1)))] * 5,
    }
    return Ratings(system="given", rows=pl.DataFrame(rows, strict=False), parameters={})


@pytest.mark.parametrize("period", ["month", "event", "game", "45"])
@pytest.mark.parametrize(("name", "options"), SYSTEMS)
@settings(max_examples=12)
@given(games=pools(), before=st.none() | lists(), on=st.sampled_from([None, "2021-05-17"]))
def test_kernel_agrees_with_reference(name, options, period, games, before, on):
    if games.table.height == 0 or games.table["date"].min() >= dt.date(2021, 5, 17):
        on = None
    chosen = system(name, period=period, on=on, **options)
    slow = chosen.rate(games, before).rows.sort("player")
    usual, form_rating.KERNEL_FROM = form_rating.KERNEL_FROM, 1
    try:
        fast = chosen.rate(games, before).rows.sort("player")
    finally:
        form_rating.KERNEL_FROM = usual
    np.testing.assert_allclose(fast["rating"], slow["rating"], rtol=1e-9, atol=1e-6)
    np.testing.assert_allclose(fast["error"], slow["error"], rtol=1e-9)
    if name == "glicko2":
        np.testing.assert_allclose(fast["volatility"], slow["volatility"], rtol=1e-6)
    assert fast.drop("rank", "rating", "error", "change", "volatility", strict=False).equals(
        slow.drop("rank", "rating", "error", "change", "volatility", strict=False)
    )
