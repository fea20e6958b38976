"""Made-up histories whose truth is known."""

from __future__ import annotations

from datetime import date

import numpy as np

from arpad.model import Games
from arpad.pool.lifetime import composite_curve


def world(
    seed: int,
    *,
    people: int = 60,
    years: tuple[int, int] = (1900, 1940),
    games: int = 120,
    ageing: bool = True,
    career: tuple[int, int] = (18, 55),
):
    """Return games, birth by name, and true strength by (name, year): careers of the given ages."""
    random = np.random.default_rng(seed)
    names = [f"Player {i:02d}" for i in range(people)]
    births = {
        n: float(b)
        for n, b in zip(names, np.linspace(years[0] - 50, years[1] - 20, people).astype(int), strict=True)
    }
    own = dict(zip(names, random.normal(2300, 120, people), strict=True))
    truth, rows = {}, []
    for year in range(years[0], years[1] + 1):
        active = [n for n in names if career[0] <= year - births[n] <= career[1]]
        now = {n: own[n] + (float(composite_curve(year - births[n])) if ageing else 0.0) for n in active}
        truth |= {(n, year): r for n, r in now.items()}
        for _ in range(games):
            a, b = random.choice(len(active), 2, replace=False)
            white, black = active[a], active[b]
            P = 1 / (1 + 10 ** ((now[black] - now[white]) / 400))
            draw = 0.6 * min(P, 1 - P)
            u = random.random()
            score = 1.0 if u < P - draw / 2 else 0.5 if u < P + draw / 2 else 0.0
            rows.append((white, black, score, date(year, 1, 1)))
    return made(rows), births, truth


def made(rows):
    """Return games from (white, black, score, date or year)."""
    names = list(dict.fromkeys(n for w, b, _, _ in rows for n in (w, b)))
    place = {n: i for i, n in enumerate(names)}
    return Games.assemble(
        {
            "white": [place[w] for w, _, _, _ in rows],
            "black": [place[b] for _, b, _, _ in rows],
            "score": [s for _, _, s, _ in rows],
            "date": [d if isinstance(d, date) or d is None else date(d, 1, 1) for _, _, _, d in rows],
        },
        {"name": names},
    )
