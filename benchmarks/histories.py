"""Whole-history rating: curves of thousands of players, and the same curves as a peer finds them."""

from __future__ import annotations

import datetime as dt
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from arpad.model import Games
from arpad.rate.glicko.steps import SCALE
from arpad.rate.whr.system import WholeHistory, Whr, whole_history
from benchmarks.measure import Result, best

if TYPE_CHECKING:
    from collections.abc import Iterator

SEED = 2008
FIRST = dt.date(2010, 1, 1)
W2, PRIOR = 7.0, 2.0
TEN = 10
"""Iterations at which peers are measured, as they measure themselves; they are not settled by then."""

SETTLED = 1e-6
"""Largest slope of the log posterior at which a peer stops. At its usual 1e-3 it is a point or two off."""


def games(players: int, n: int, days: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Decisive games of players whose strengths wander; who meets whom goes by strength, roughly."""
    rng = np.random.default_rng(SEED)
    true = np.sort(rng.normal(0, 300, players))
    white = rng.integers(0, players, n)
    reach = max(2, players // 5)
    black = (white + rng.integers(1, reach, n) * rng.choice([-1, 1], n)) % players
    black = np.where(black == white, (white + 1) % players, black)
    day = np.sort(rng.integers(0, days, n))
    drift = rng.normal(0, (W2 * days) ** 0.5, players)  # where a walk of so many days may lead
    D = true[white] - true[black] + (drift[white] - drift[black]) * day / days
    score = (rng.random(n) < 1 / (1 + np.exp(-D / SCALE))).astype(float)
    return white, black, score, day


def table(players: int, n: int, days: int) -> Games:
    white, black, score, day = games(players, n, days)
    dates = np.datetime64(FIRST) + day
    columns = {"white": white, "black": black, "score": score, "date": dates}
    return Games.assemble(columns, {"name": [f"P{i}" for i in range(players)]})


def peer(players: int, n: int, days: int) -> object:
    """The same games as whole-history-rating takes them: one win and one loss before the first."""
    from whr import WHR

    model = WHR({"w2": W2, "initial_prior_wins": PRIOR / 2})
    for w, b, s, d in zip(*(x.tolist() for x in games(players, n, days)), strict=True):
        model.create_game(f"P{b}", f"P{w}", "W" if s else "B", d, 0)
    return model


def _apart(found: WholeHistory, model: object) -> float:
    """Return the largest difference between two histories, in points."""
    apart = 0.0
    for (name,), mine in found.rows.group_by("player"):
        theirs = [day.elo for day in model.players[name].days]  # type: ignore[attr-defined]
        ours = mine.sort("date")["rating"].to_numpy()
        apart = max(apart, float(np.abs(ours - np.array(theirs)).max()))
    return apart


def histories() -> Iterator[Result]:
    system = Whr(w2=W2, prior=PRIOR, start=0.0)
    large = table(20_000, 300_000, 2_000)
    whole_history(large, system=system)
    seconds = best(lambda: whole_history(large, system=system), 2)
    yield Result(
        "whole-history ratings of 300,000 games, to .01 point, with errors", "s", seconds,
        bar="< 60 s", met=seconds < 60,
    )  # fmt: skip

    size = (300, 4_000, 1_000)
    model = peer(*size)
    theirs = size[1] / best(lambda: model.iterate(TEN), 1)  # type: ignore[attr-defined]
    early = _apart(whole_history(table(*size), system=system), model)
    yield Result(
        f"the same; the peer does {TEN} iterations of {size[1]:,} games, and is up to {early:.0f} points off then",
        "games/s", 300_000 / seconds, "whole-history-rating", theirs,
    )  # fmt: skip

    size = (100, 1_000, 1_000)
    model, small = peer(*size), table(*size)
    ours = best(lambda: whole_history(small, system=system), 3)
    settled = best(lambda: model.auto_iterate(precision=SETTLED), 1)  # type: ignore[attr-defined]
    yield Result(
        f"whole-history ratings of {size[1]:,} games until both are settled", "games/s", size[1] / ours,
        "whole-history-rating", size[1] / settled,
    )  # fmt: skip
    apart = _apart(whole_history(small, system=replace(system, tolerance=1e-4)), model)
    yield Result(
        "largest difference of any rating between the two", "points", apart, bar="< 0.1", met=apart < 0.1
    )  # fmt: skip
