"""A report's rows: every player's figures from P-Zero, ratings and the line."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from arpad.event.app.after import ratings_after
from arpad.event.app.flags import direction_of, flag_of
from arpad.event.app.greatness import g_category, g_score, resistance
from arpad.event.app.p_zero import z_scores
from arpad.event.app.repair import MARKS, Decision
from arpad.event.app.report import Standing
from arpad.event.app.strength import tournament_strength
from arpad.event.app.sweep import Sweep, sweep_probability
from arpad.event.app.tie_break import pra_ranks

if TYPE_CHECKING:
    from arpad.event.app.field import Field
    from arpad.event.app.fit import Fit

__all__ = ["Body", "favourite_won", "top_three_in_order"]


@dataclass(frozen=True, slots=True)
class Body:
    """All that a row of the report needs."""

    event: Field
    count: list[int]
    scores: list[float]
    ratings: list[float | None]
    decisions: list[Decision]
    fit: Fit | None
    number_two: float | None
    by_g: bool

    def standings(self) -> list[Standing]:
        """Return everybody's row, best first."""
        event, count = self.event, self.count
        active = [p for p, n in enumerate(count) if n]
        z = dict(zip(active, z_scores([self.scores[p] for p in active]), strict=True))
        P = [self.scores[p] if n else None for p, n in enumerate(count)]
        met, G = self._great()
        ranks = pra_ranks(event.points, P, G, by_g=self.by_g)
        by_p_zero = pra_ranks([0.0] * len(P), P, [None] * len(P))
        after = ratings_after(event.white, event.black, event.score, self.ratings)
        marks = {d.row: MARKS[d.kind] for d in self.decisions if d.row is not None}
        rows = []
        for p, name in enumerate(event.names):
            R, line = self.ratings[p], self.fit.line if self.fit and count[p] else None
            residual = None if line is None or R is None else R - line.expected(self.scores[p])
            rows.append(
                Standing(
                    rank=ranks[p],
                    row=event.rows[p],
                    name=name,
                    rating=R,
                    rating_given=event.ratings[p],
                    mark=marks.get(event.rows[p], ""),
                    games=count[p],
                    points=event.points[p],
                    p_zero=P[p],
                    p_zero_rank=by_p_zero[p] if count[p] else None,
                    z=z.get(p),
                    performance=None if line is None else line.performance(self.scores[p]),
                    residual=residual,
                    flag=None if residual is None else flag_of(residual),
                    pressure=None if residual is None else direction_of(residual),
                    resistance=met[p],
                    g_score=G[p],
                    g_category=None if G[p] is None else g_category(G[p] or 0.0),
                    pra_after=after.pra[p],
                    elo_after=after.elo[p],
                    elo_after_as_printed=after.elo_as_printed[p],
                )
            )
        return sorted(rows, key=lambda s: (s.rank, s.name, s.row))

    def _great(self) -> tuple[list[float | None], list[float | None]]:
        """Return the mean resistance that everybody met, and G."""
        offered = [
            None if R is None or self.number_two is None else resistance(R, self.number_two)
            for R in self.ratings
        ]
        mean: list[float | None] = []
        G: list[float | None] = []
        for p, opponents in enumerate(self.event.opponents()):
            met = [value for o in opponents if (value := offered[o]) is not None]
            whole = bool(met) and len(met) == len(opponents)
            mean.append(math.fsum(met) / len(met) if whole else None)
            G.append(g_score(self.scores[p], met) if whole else None)
        return mean, G

    def sweep(self) -> Sweep | None:
        """Return how likely the highest rated was to win every game; of equals, who is first by name."""
        rated = [
            (-R, self.event.names[p], p)
            for p, R in enumerate(self.ratings)
            if R is not None and self.count[p]
        ]
        if len(rated) < 2:
            return None
        rating, name, p = min(rated)
        opponents = self.event.opponents()[p]
        theirs = [R for o in opponents if (R := self.ratings[o]) is not None]
        if len(theirs) < len(opponents):
            return None
        won = all(
            (1.0 if i == p else 0.0) == S
            for i, j, S in zip(self.event.white, self.event.black, self.event.score, strict=True)
            if p in (i, j)
        )
        return Sweep(
            favourite=name,
            row=self.event.rows[p],
            rating=-rating,
            games=len(opponents),
            probability=sweep_probability(-rating, theirs),
            happened=won,
        )

    def strength(self, notes: list[str]) -> float | None:
        """Return the tournament strength, or note why there is none."""
        if self.number_two is None:
            return None
        active = [p for p, n in enumerate(self.count) if n]
        known = [R for p in active if (R := self.ratings[p]) is not None]
        if len(known) < len(active):
            notes.append(
                "some players have no rating: no strength, and no G-score for who met them"
            )
            return None
        return tournament_strength(known, [self.count[p] for p in active], self.number_two)


def favourite_won(standings: list[Standing]) -> bool | None:
    """Say whether the highest rated player came first alone; None where that cannot be said."""
    rated = [s for s in standings if s.rating is not None and s.games]
    if len(rated) < 2:
        return None
    best = max(s.rating or 0.0 for s in rated)
    favourites = [s for s in rated if s.rating == best]
    first = [s for s in standings if s.rank == 1]
    return None if len(favourites) > 1 or len(first) > 1 else favourites[0] is first[0]


def top_three_in_order(standings: list[Standing]) -> bool | None:
    """Say whether the three highest rated came first, second and third."""
    rated = sorted(
        (s for s in standings if s.rating is not None and s.games), key=lambda s: -(s.rating or 0.0)
    )
    if len(rated) < 3:
        return None
    return [s.rank for s in rated[:3]] == [1, 2, 3]
