"""Made-up seasons of players with true strengths, for tests of walks."""

from __future__ import annotations

import datetime as dt

import numpy as np

from arpad.model import Games

__all__ = ["season"]


def season(
    *,
    players: int = 20,
    months: int = 24,
    games: int = 60,
    spread: float = 250.0,
    advantage: float = 40.0,
    rated: bool = False,
    seed: int = 1,
) -> Games:
    """Return games of players whose strength does not change; `rated`: the truth stands beside each game."""
    rng = np.random.default_rng(seed)
    truth = rng.normal(1500, spread, players)
    n = months * games
    white = rng.integers(0, players, n)
    black = (white + rng.integers(1, players, n)) % players
    E = 1 / (1 + 10 ** (-(truth[white] - truth[black] + advantage) / 400))
    score = rng.binomial(2, E) / 2
    month = np.repeat(np.arange(months), games)
    columns = {
        "white": white,
        "black": black,
        "score": score,
        "date": [dt.date(2020 + m // 12, m % 12 + 1, 1 + i % 28) for i, m in enumerate(month.tolist())],
        **({"white_rating": truth[white], "black_rating": truth[black]} if rated else {}),
    }  # fmt: skip
    return Games.assemble(columns, {"name": [f"P{i}" for i in range(players)]})
