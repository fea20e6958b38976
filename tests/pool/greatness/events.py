"""Small databases of made-up events."""

from __future__ import annotations

import random
from datetime import date, timedelta
from functools import cache

import polars as pl

from arpad.model import Event, Games

COLUMNS = {
    "white": pl.Int32, "black": pl.Int32, "score": pl.Float64, "event": pl.Int32, "round": pl.String,
    "date": pl.Date, "precision": pl.String, "white_rating": pl.Float64, "black_rating": pl.Float64,
    "plies": pl.Int32,
}  # fmt: skip


class Database:
    """Games put together event by event."""

    def __init__(self, seed: int = 1) -> None:
        self.rows: list[dict] = []
        self.events: list[Event] = []
        self.names: dict[str, int] = {}
        self.random = random.Random(seed)

    def event(self, name, site="Town", **more) -> int:
        self.events.append(Event(name=name, site=site, **more))
        return len(self.events) - 1

    def game(
        self, event, white, black, score, *, day=None, precision="day", round=None, rating=None, plies=None
    ):
        rating = rating or {}
        rows = [self.names.setdefault(n, len(self.names)) for n in (white, black)]
        self.rows.append(
            {
                "white": rows[0], "black": rows[1], "score": score, "event": event, "round": round,
                "date": day, "precision": precision if day else None, "white_rating": rating.get(white),
                "black_rating": rating.get(black), "plies": plies,
            }
        )  # fmt: skip

    def round_robin(self, name, players, *, day=None, precision="day", rating=None, cycles=1, site="Town"):
        """Everybody meets everybody; the earlier in the list, the likelier to win."""
        number = self.event(name, site)
        order = 0
        for cycle in range(cycles):
            for i, one in enumerate(players):
                for j, other in enumerate(players[:i]):
                    white, black = (one, other) if (i + j + cycle) % 2 else (other, one)
                    likely = 0.5 + 0.4 * (players.index(black) - players.index(white)) / len(players)
                    score = (
                        1.0 if self.random.random() < likely else 0.0 if self.random.random() < 0.6 else 0.5
                    )
                    when = day + timedelta(days=order // 4) if day and precision == "day" else day
                    self.game(
                        number, white, black, score, day=when, precision=precision, rating=rating,
                        round=str(order // 4 + 1), plies=40 + order,
                    )  # fmt: skip
                    order += 1
        return number

    def match(
        self, name, one, other, scores, *, day=date(1900, 1, 1), precision="year", rating=None, site="Town"
    ):
        """The scores are of the first player, who has White in every other game, one a day."""
        number = self.event(name, site)
        for i, score in enumerate(scores):
            when = day + timedelta(days=i) if day and precision == "day" else day
            white, black = (one, other) if i % 2 == 0 else (other, one)
            self.game(
                number, white, black, score if i % 2 == 0 else 1 - score, day=when, precision=precision,
                rating=rating, round=str(i + 1), plies=30 + i,
            )  # fmt: skip
        return number

    def games(self) -> Games:
        columns = {c: pl.Series(c, [r[c] for r in self.rows], dtype=t) for c, t in COLUMNS.items()}
        return Games.assemble(columns, {"name": list(self.names)}, self.events)


@cache
def history(seed: int = 1) -> Games:
    """Thirty years of yearly round robins of rated masters, and a match in each year."""
    made = Database(seed)
    masters = [f"Master {chr(65 + i)}" for i in range(10)]
    for year in range(1970, 2000):
        rating = {name: 2750.0 - 25 * i + (year - 1970) for i, name in enumerate(masters)}
        made.round_robin(f"Town {year}", masters, day=date(year, 3, 1), rating=rating)
        made.match(
            "Final", masters[0], masters[1], [1.0, 0.5, 1.0, 0.0, 0.5, 1.0, 0.5, 1.0],
            day=date(year, 9, 1), precision="day", rating=rating,
        )  # fmt: skip
    return made.games()
