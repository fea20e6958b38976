"""Everybody's standing while the U.S. procedures go from event to event, and the list of it."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import polars as pl

from arpad.rate.uscf_performance import K_POINTS
from arpad.rate.uscf_standing import FIRST_GAMES, Person, Standing, write_saved
from arpad.rate.uscf_start import known_players

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from arpad.model import Games, Ratings
    from arpad.rate.uscf_standing import Imputed, Line
    from arpad.rate.uscf_start import Known

__all__ = ["UscfPool"]

NAMED = 3
"""Players that a note names."""


class UscfPool:
    """Standings by row of the players, and what happened to each in these games."""

    def __init__(
        self, games: Games, before: Ratings | None, *, given: bool, provisional_games: int
    ) -> None:
        self.provisional_games = provisional_games
        self._players = games.players
        known = known_players(games, before, given=given)
        self.standings = [self._standing(player) for player in known]
        self.people = [
            Person(
                name=player.name,
                fide=player.fide,
                birth=player.birth,
                hint=player.hint if player.rating is None else player.rating,
            )
            for player in known
        ]
        self.first = [player.rating for player in known]
        n = len(self.standings)
        self.games = [0] * n
        self.score = [0.0] * n
        self.expected: list[float | None] = [None] * n
        self.k: list[float | None] = [None] * n
        self.imputed: dict[int, Imputed] = {}
        self.guarded: set[int] = set()

    def _standing(self, known: Known) -> Standing:
        """Return where a player begins; a rating on fewer than four games is none [1.4.3]."""
        rating, saved = known.rating, known.saved
        if rating is None:
            return Standing(total=len(saved), saved=saved)
        # Who comes with a rating, and nothing says how many games it rests on, is established.
        N = self.provisional_games + 1 if known.total_games is None else known.total_games
        N = max(N, len(saved))
        if N < FIRST_GAMES:
            # Games that are not known: as many draws with that rating stand for them.
            file = saved + ((rating, 0.5),) * (N - len(saved))
            return Standing(total=N, saved=file)
        established = self.provisional_games < N and not saved
        chance = 0.0 if established else 4 * K_POINTS**2 / N
        variance = chance if known.error is None else known.error**2
        return Standing(rating=rating, total=N, saved=saved, variance=variance)

    def take(self, lines: Iterable[Line], imputed: Mapping[int, Imputed]) -> None:
        """Close an event."""
        self.imputed |= imputed
        for line in lines:
            p = line.player
            self.standings[p] = line.after
            self.games[p] += line.games
            self.score[p] += line.score
            if line.expected is not None:
                self.expected[p] = (self.expected[p] or 0.0) + line.expected
            self.k[p] = line.k if line.k is not None else self.k[p]
            if line.guarded:
                self.guarded.add(p)

    def notes(self, start: float) -> list[str]:
        """Return what somebody should know about these ratings."""
        found = list(dict.fromkeys(each.note for each in self.imputed.values() if each.note))
        groups = {
            f"without rating, FIDE rating or age, counted as {start:g} until rated": [
                p for p, each in self.imputed.items() if each.by == "nothing known"
            ],
            "rated by the exact performance: the closed form is more than 100 points off": sorted(
                self.guarded
            ),
        }
        for words, who in groups.items():
            if who:
                names = ", ".join(self.people[p].name for p in who[:NAMED])
                more = ", …" if len(who) > NAMED else ""
                found.append(
                    f"{len(who):,} player{'' if len(who) == 1 else 's'} {words}: {names}{more}"
                )
        return found

    def rows(self) -> pl.DataFrame:
        """Return the list of everybody who played."""
        now = self.standings
        rating = pl.Series("rating", [s.rating for s in now], dtype=pl.Float64)
        before = pl.Series("before", self.first, dtype=pl.Float64)
        errors = [None if s.rating is None else math.sqrt(s.variance) for s in now]
        by = [self.imputed.get(p) for p in range(len(now))]
        columns = {
            "player": self._players["name"],
            "id": self._players["id"],
            "rating": rating,
            "error": pl.Series(errors, dtype=pl.Float64),
            "games": pl.Series(self.games, dtype=pl.Int64),
            "before": before,
            "change": rating - before,
            "status": pl.Series([s.status(self.provisional_games) for s in now], dtype=pl.String),
            "k": pl.Series(self.k, dtype=pl.Float64),
            "score": pl.Series(self.score, dtype=pl.Float64),
            "expected": pl.Series(self.expected, dtype=pl.Float64),
            "imputed": pl.Series([i and i.rating for i in by], dtype=pl.Float64),
            "imputed_by": pl.Series([i and i.by for i in by], dtype=pl.String),
            "on_file": pl.Series([len(s.saved) or None for s in now], dtype=pl.Int64),
            "carried": pl.Series([write_saved(s.saved) for s in now], dtype=pl.String),
            "fide": pl.Series([p.fide for p in self.people], dtype=pl.Float64),
            "birth": pl.Series([p.birth for p in self.people], dtype=pl.String),
            "total_games": pl.Series([s.total for s in now], dtype=pl.Int64),
        }
        return pl.DataFrame(columns).filter(pl.col("games") > 0)
