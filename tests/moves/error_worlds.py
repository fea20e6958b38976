"""Made-up errors whose truth is known, for tests of groups, trends and charts."""

from __future__ import annotations

from datetime import date

import numpy as np
import polars as pl

from arpad.model import Event, Games
from arpad.moves.average_error import CAP, ERRORS, Filters, GameErrors


def made_up(
    seed=1, *, years=range(1990, 2000), categories=(11, 14), games=6, moves=20, level=None, dated=True, rated=True
):  # fmt: skip
    """Events of given categories, one a year each; a game's level is drawn around `level(year, category)`."""
    rng = np.random.default_rng(seed)
    events, rows, table = [], [], []
    for year in years:
        for number in categories:
            events.append(Event(name=f"{year}, {number}"))
            for game in range(games):
                rows.append((len(events) - 1, 2250.0 + 25 * number - 5, date(year, 7, 1), game % 4))
                mean = level(year, number) if level else 0.2 - number / 200
                own = mean * np.exp(0.2 * rng.standard_normal() - 0.02)
                for k in range(moves):
                    advantage = round(float(rng.normal(0, 0.7)), 2)
                    scaled = own * rng.exponential()
                    raw = scaled * (1 + abs(advantage))
                    table.append((len(rows) - 1, 16 + k, 9 + k // 2, k % 2 == 0, (game + k % 2) % 4, raw, scaled, bool(rng.random() < 0.5), advantage))  # fmt: skip
    event, rating, day, white = zip(*rows, strict=True)
    columns = {
        "white": white,
        "black": [(w + 1) % 4 for w in white],
        "score": [0.5] * len(rows),
        "event": event,
        **({"white_rating": rating, "black_rating": rating} if rated else {}),
        **({"date": day} if dated else {}),
    }
    return GameErrors(
        games=Games.assemble(columns, {"name": ["Ann", "Bob", "Cem", "Dee"]}, events),
        table=pl.DataFrame(table, schema=ERRORS, orient="row"),
        filters=Filters(),
        cap=CAP,
        method="Single-PV",
        source="made up",
        left_out={},
    )
