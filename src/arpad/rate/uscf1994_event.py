"""One event as the report of 1994 proposes to rate it, in three steps [USCF 1994, 1.3–1.5]."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from arpad.rate.kpolicy import K_POLICIES
from arpad.rate.uscf_performance import (
    K_POINTS,
    guarded_rating,
    performance_variance,
    winning_expectancy,
)
from arpad.rate.uscf_standing import FIRST_GAMES, Imputed, Line, Met, Standing, imputed, one_sided

if TYPE_CHECKING:
    from arpad.rate.uscf1994 import Uscf1994
    from arpad.rate.uscf_sections import Section
    from arpad.rate.uscf_standing import Rule, Saved
    from arpad.rate.uscf_state import UscfPool

__all__ = ["PROVISIONAL_GAMES", "Event1994", "by_k", "provisional_k"]

PROVISIONAL_GAMES = 20
"""Games up to which a rating is provisional [1.5.2]."""

DIVIDEND = 600.0
"""K of a provisional player times (N + m − 1), in rating points [1.5.2]."""

LAST_K = 32.0
"""K in the event with which a player passes 20 games [1.5.2]."""

ESTABLISHED = K_POLICIES["uscf"]
"""32 below 2100, 24 below 2400, 16 above [1.5.1, 6.4]."""


def provisional_k(N: int, m: int) -> float:
    """Return K for m games after N: 600 / (N + m − 1) up to 20 in all, then 32 [1.5.2].

    Examples
    --------
    >>> round(provisional_k(10, 5), 2), provisional_k(15, 6)
    (42.86, 32.0)
    """
    return DIVIDEND / (N + m - 1) if N + m <= PROVISIONAL_GAMES else LAST_K


def by_k(rating: float, K: float, met: Saved, variance: float = 0.0) -> tuple[float, float, float]:
    """Return R_pre + K (W − W_e), W_e, and σ² of the new rating [1.5.1].

    What chance had put into the old rating shrinks by the slope of W_e, and K² times the variance of the
    score comes in.
    """
    p = [winning_expectancy(rating - opponent) for opponent, _ in met]
    W, W_e = math.fsum(score for _, score in met), math.fsum(p)
    pq = math.fsum(p_i * (1 - p_i) for p_i in p)
    kept = max(1 - K * pq / K_POINTS, 0.0)
    return rating + K * (W - W_e), W_e, kept**2 * variance + K * K * pq


class Event1994:
    """One event: the games, and everybody's standing before it."""

    def __init__(self, rules: Uscf1994, section: Section, pool: UscfPool) -> None:
        self.rules = rules
        self.section = section
        self.old = {p: pool.standings[p] for p in section.sides}
        self.status = {p: s.status(PROVISIONAL_GAMES) for p, s in self.old.items()}
        self.imputed: dict[int, Imputed] = {}
        self.pre: dict[int, float] = {}
        for p, standing in self.old.items():
            if standing.rating is None:
                self.imputed[p] = imputed(pool.people[p], section.day, rules.start)
            known = standing.rating
            self.pre[p] = self.imputed[p].rating if known is None else known
        self.seen = dict(self.pre)
        """What the present step sees: the new ratings of those rated in the steps before it."""

    def rate(self) -> list[Line]:
        """Rate the unrated, then the provisional, then the established players [1.3]."""
        lines: list[Line] = []
        for group, rated_by in (
            ("unrated", self._by_performance),
            ("provisional", self._provisional),
            ("established", self._established),
        ):
            step = [rated_by(p) for p, status in self.status.items() if status == group]
            # All of a step from the ratings before it: nobody sees another's new rating within it.
            self.seen |= {x.player: x.after.rating for x in step if x.after.rating is not None}
            lines += step
        return lines

    def _met(self, player: int, ratings: dict[int, float]) -> Saved:
        return tuple((ratings[who], score) for who, score in self.section.sides[player])

    def _by_performance(self, player: int) -> Line:
        """Rate by the games of this event and those on file together [1.4].

        Fewer than four games stay on file, and so do all wins or all losses, with a nominal rating.
        """
        old = self.old[player]
        file = old.saved + self._met(player, self.pre)
        if len(file) < FIRST_GAMES:
            after = Standing(total=len(file), saved=file)
            return self._line(player, "on file", after, seen=self.pre)
        nominal = one_sided(file)
        rating, variance, guarded = self._performance(file)
        total = old.total + len(self.section.sides[player])
        kept = nominal or self._keeps(total)
        after = Standing(rating=rating, total=total, saved=file if kept else (), variance=variance)
        rule: Rule = "nominal" if nominal else "performance"
        return self._line(player, rule, after, guarded=guarded, seen=self.pre)

    def _performance(self, file: Saved) -> tuple[float, float, bool]:
        opponents = [rating for rating, _ in file]
        rating, guarded = guarded_rating(math.fsum(score for _, score in file), opponents)
        return self._floored(rating), performance_variance(rating, opponents), guarded

    def _provisional(self, player: int) -> Line:
        """Rate by K = 600 / (N + m − 1), or as the alternatives have it [1.5.2–1.5.4]."""
        old = self.old[player]
        assert old.rating is not None  # its status says so
        if one_sided(old.saved):
            return self._by_performance(player)
        met = self._met(player, self.seen)
        K, total = provisional_k(old.total, len(met)), old.total + len(met)
        rating, W_e, variance = by_k(old.rating, K, met, old.variance)
        after = Standing(rating=self._floored(rating), total=total, variance=variance)
        line = self._line(player, "provisional", after, expected=W_e, k=K)
        if self.rules.provisional == "k":
            return line
        # Games that nobody has on file: as many draws with the rating that they led to.
        unknown = ((old.rating, 0.5),) * (old.total - len(old.saved))
        file = old.saved + unknown + self._met(player, self.pre)
        performance, spread, guarded = self._performance(file)
        kept = file if self._keeps(total) else ()
        if self.rules.provisional == "greater" and performance < self._floored(rating):
            after = Standing(rating=after.rating, total=total, saved=kept, variance=variance)
            return self._line(player, "provisional", after, expected=W_e, k=K)
        after = Standing(rating=performance, total=total, saved=kept, variance=spread)
        return self._line(player, "performance", after, guarded=guarded, seen=self.pre)

    def _established(self, player: int) -> Line:
        old = self.old[player]
        assert old.rating is not None  # its status says so
        met = self._met(player, self.seen)
        K = ESTABLISHED.k(old.rating, old.total)
        rating, W_e, variance = by_k(old.rating, K, met, old.variance)
        total = old.total + len(met)
        after = Standing(rating=self._floored(rating), total=total, variance=variance)
        return self._line(player, "established", after, expected=W_e, k=K)

    def _keeps(self, total: int) -> bool:
        """Say whether the alternatives need the games later [1.5.3, 1.5.4]."""
        return self.rules.provisional != "k" and total <= PROVISIONAL_GAMES

    def _floored(self, rating: float) -> float:
        return rating if self.rules.floor is None else max(rating, self.rules.floor)

    def _line(
        self,
        player: int,
        rule: Rule,
        after: Standing,
        *,
        expected: float | None = None,
        k: float | None = None,
        guarded: bool = False,
        seen: dict[int, float] | None = None,
    ) -> Line:
        sides = self.section.sides[player]
        scores = [score for _, score in sides]
        ratings = self.seen if seen is None else seen
        rows = self.section.rows.get(player, [None] * len(sides))
        return Line(
            event=self.section.number,
            player=player,
            rule=rule,
            games=len(scores),
            score=math.fsum(scores),
            before=self.old[player],
            after=after,
            expected=expected,
            k=k,
            guarded=guarded,
            met=tuple(
                Met(row, who, ratings[who], score)
                for row, (who, score) in zip(rows, sides, strict=True)
            ),
        )
