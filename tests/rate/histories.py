"""Made-up histories: games of a few players on many days, and strengths that are known."""

from __future__ import annotations

import datetime as dt

import numpy as np
from hypothesis import strategies as st

from arpad.model import Games
from arpad.rate.glicko.steps import SCALE

FIRST = dt.date(2000, 1, 1)


@st.composite
def histories(draw, *, rated=True, most=60):
    """Games of two to eight players within four years; some players with ratings."""
    n, count = draw(st.integers(2, 8)), draw(st.integers(1, most))
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    white = rng.integers(0, n, count)
    black = (white + rng.integers(1, n, count)) % n
    days = np.sort(rng.integers(0, draw(st.sampled_from([1, 20, 1500])), count))
    given = [draw(st.none() | st.floats(1200, 2600)) if rated else None for _ in range(n)]
    columns = {
        "white": white,
        "black": black,
        "score": rng.choice([0.0, 0.5, 1.0], count),
        "date": [FIRST + dt.timedelta(days=int(d)) for d in days],
    }
    return Games.assemble(columns, {"name": [f"P{i}" for i in range(n)], "rating": given})


def world(seed, *, players=60, games=2500, days=1500, w2=7.0, prior=2.0, draws=0.0):
    """Return games and everybody's true strength on every day: what the model says, to the letter.

    First strengths are what so many virtual draws against 1500 mean: ln p/(1 − p) of a beta distribution.
    """
    rng = np.random.default_rng(seed)
    p = rng.beta(prior / 2, prior / 2, size=players)
    first = 1500 + SCALE * np.log(p / (1 - p))
    steps = rng.normal(0, w2**0.5, (players, days))
    steps[:, 0] = 0.0
    true = first[:, None] + steps.cumsum(axis=1)
    day = np.sort(rng.integers(0, days, games))
    # Nobody's first strength is of another day than the first game: the walk before it is left out.
    white = rng.integers(0, players, games)
    black = (white + rng.integers(1, players, games)) % players
    for player in range(players):
        mine = np.flatnonzero((white == player) | (black == player))
        if len(mine):
            true[player] += first[player] - true[player, day[mine[0]]]
    p = 1 / (1 + np.exp((true[black, day] - true[white, day]) / SCALE))
    u = rng.random(games)
    half = draws * np.minimum(p, 1 - p)  # a draw instead of so much of a win, and of a loss
    score = np.where(u < p - half, 1.0, np.where(u < p + half, 0.5, 0.0))
    columns = {
        "white": white,
        "black": black,
        "score": score,
        "date": [FIRST + dt.timedelta(days=int(d)) for d in day],
    }
    return Games.assemble(columns, {"name": [f"P{i}" for i in range(players)]}), true
