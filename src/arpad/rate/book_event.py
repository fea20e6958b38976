"""One event under Elo's procedure: who is rated when, from whose ratings [Elo 3.7]."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

from arpad.rate.book_pool import GROUPS, BookPool, Group
from arpad.rate.entry import fide_entry, first_performances, performance_rating
from arpad.rate.exceptional import bonus_points, feedback_points, raised_k, zm_test
from arpad.rate.expectancy import plain
from arpad.rate.sample_k import BySample, old_sample
from arpad.rate.segments import segments

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    Sides = Mapping[int, Sequence[tuple[int, float]]]

__all__ = ["BookEvent", "BookGame", "Line"]


class BookGame(NamedTuple):
    """One game of an event: its row where it is numbered, and what it did; K is None in a performance."""

    game: int | None
    opponent: int
    rating: float | None
    opponent_rating: float | None
    score: float
    expected: float | None = None
    k: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One player's part in one event: what went in, what came out."""

    event: int
    player: int
    group: Group
    games: int
    score: float
    before: float | None
    """R_o; None for a new player."""
    expected: float | None = None
    """W_e from R_o; None where a performance was averaged in."""
    k: float | None = None
    performance: float
    """R_p, with the factor F for few games."""
    z: float | None = None
    exceptional: bool = False
    bonus: float = 0.0
    feedback: float = 0.0
    after: float
    met: tuple[BookGame, ...] = ()
    """The games as formula (2), or the performance, saw them."""


class BookEvent:
    """One event: the games, and everybody's rating before it."""

    def __init__(
        self,
        number: int,
        sides: Sides,
        pool: BookPool,
        year: int | None,
        rows: Mapping[int, Sequence[int]] | None = None,
    ) -> None:
        self.number = number
        self.sides = sides
        self.rows = rows
        self.pool = pool
        self.rules = pool.rules
        self.groups = {p: pool.group(p, year) for p in sides}
        self.order = {p: GROUPS.index(g) for p, g in self.groups.items()}
        self.before = {p: pool.rating[p] for p in sides if self.groups[p] != "unrated"}
        self.lines: dict[int, Line] = {}
        self.raised: frozenset[int] = frozenset()
        self._expected = plain(self.rules.curve)

    def rate(self) -> list[Line]:
        """Rate the groups in their order, then feed back what exceptional performers took."""
        for group in GROUPS:
            members = [p for p, g in self.groups.items() if g == group]
            if not members:
                continue
            if group == "unrated":
                self._enter(members)
            if group != "unrated" or self.rules.entry == "median":
                # All of a group from the ratings before it: nothing is stored until all are done.
                self.lines |= {p: self._line(p) for p in members}
        self.raised = frozenset(p for p, line in self.lines.items() if line.exceptional)
        if self.raised and self.rules.feedback != "none":
            self.lines |= {p: self._fed_back(p) for p in self._victims()}
        return list(self.lines.values())

    def _seen(self, opponent: int, by: int) -> float:
        """Return an opponent's rating as a player of a later group, or of the second cycle, sees it."""
        if self.order[opponent] < self.order[by] or opponent in self.raised:
            return self.lines[opponent].after
        return self.before[opponent]

    def _enter(self, new: list[int]) -> None:
        """Give new players their rating: the event's own for the median rule comes after it."""
        rules = self.rules
        if rules.entry == "median":
            level = self.pool.level()
            # Who has begun already goes on from there.
            now = {p: self.pool.rating[p] for p in new}
            self.before |= {p: level if math.isnan(r) else r for p, r in now.items()}
            return
        found = first_performances(
            new,
            self.sides,
            self.before,
            level=self.pool.level,
            curve=rules.curve,
            small_samples=rules.small_samples,
            second_cycle=rules.second_cycle,
        )
        average = math.fsum([*self.before.values(), *found.values()]) / len(self.sides)
        self.lines |= {p: self._entered(p, found[p], average) for p in new}

    def _entered(self, player: int, performance: float, average: float) -> Line:
        games, score = self._points(player)
        value = performance
        if self.rules.entry == "fide":
            value = fide_entry(score, games, average=average, performance=performance)
        return self._averaged(player, performance, value)

    def _averaged(self, player: int, performance: float, value: float) -> Line:
        """Average a performance with those before, by the games of each."""
        games, score = self._points(player)
        old, R_t = self.pool.total[player], self.pool.rating[player]
        began = not math.isnan(R_t)
        return Line(
            event=self.number,
            player=player,
            group=self.groups[player],
            games=games,
            score=score,
            before=R_t if began else None,
            performance=performance,
            after=(old * R_t + games * value) / (old + games) if began else value,
            met=self._games(player, R_t if began else None),
        )

    def _games(self, player: int, R_o: float | None) -> tuple[BookGame, ...]:
        """Return a player's games; nothing of formula (2) is in them."""
        sides = self.sides[player]
        rows = self.rows[player] if self.rows else [None] * len(sides)
        return tuple(
            BookGame(row, who, R_o, self.before.get(who), score)
            for row, (who, score) in zip(rows, sides, strict=True)
        )

    def _points(self, player: int) -> tuple[int, float]:
        mine = self.sides[player]
        return len(mine), math.fsum(s for _, s in mine)

    def _line(self, player: int, *, test: bool = True) -> Line:
        opponents = [self._seen(who, player) for who, _ in self.sides[player]]
        games, score = self._points(player)
        performance = performance_rating(
            score, opponents, curve=self.rules.curve, small_samples=self.rules.small_samples
        )
        if self.groups[player] == "provisional" and self.rules.entry == "performance":
            return self._averaged(player, performance, performance)
        R_o = self.before[player]
        if len({who for who, _ in self.sides[player]}) == 1:
            # In a match the winner outperforms the loser, whatever their ratings [(9), 1.75].
            R_c = opponents[0]
            performance = (R_o + R_c) / 2 + (performance - R_c) / 2
        after, K, met = self._formula(player, R_o, opponents)
        W_e = math.fsum(self._expected(R_o - R) for R in opponents)
        line = Line(
            event=self.number,
            player=player,
            group=self.groups[player],
            games=games,
            score=score,
            before=R_o,
            expected=W_e,
            k=K,
            performance=performance,
            after=after,
            met=met,
        )
        return self._tested(line) if test else line

    def _formula(
        self, player: int, R_o: float, opponents: list[float]
    ) -> tuple[float, float, tuple[BookGame, ...]]:
        """Return R_n by formula (2), K, and the games; long events go in parts [1.62]."""
        pool, scores = self.pool, [s for _, s in self.sides[player]]
        rating, total, at = R_o, pool.total[player], 0
        first = K = pool.k_of(player, rating, total, len(scores))
        games, met = self._games(player, R_o), list[BookGame]()
        parts = segments(len(scores), self._sample(player, first)) if self.rules.split else None
        for size in parts or [len(scores)]:
            K = pool.k_of(player, rating, total, size)
            W = math.fsum(scores[at : at + size])
            p = [self._expected(rating - R) for R in opponents[at : at + size]]
            met += [
                game._replace(rating=rating, opponent_rating=R, expected=p_i, k=K)
                for game, R, p_i in zip(
                    games[at : at + size], opponents[at : at + size], p, strict=True
                )
            ]
            rating += K * (W - math.fsum(p))
            total, at = total + size, at + size
        return rating, K, tuple(met)

    def _sample(self, player: int, K: float) -> int:
        # A provisional rating is meant to move: only what K keeps limits it.
        games = max(self.pool.total[player], self.rules.established_games)
        if isinstance(self.rules.k, BySample):
            return max(1, int(min(games, self.rules.k.old_games)))
        return old_sample(K, games)

    def _tested(self, line: Line) -> Line:
        """Apply the z–M test, and what follows from it [3.74]."""
        rules, K, R_o = self.rules, line.k, line.before
        if line.expected is None or K is None or R_o is None or line.games < rules.test_games:
            return line
        found = zm_test(line.score, line.expected, line.games, level=rules.level)
        line = replace(line, z=found.z, exceptional=found.exceptional)
        if not found.exceptional or rules.exceptional == "none":
            return line
        R_p, near = line.performance, rules.tolerance
        if rules.exceptional == "bonus":
            bonus = bonus_points(line.after, R_p, line.games, tolerance=near)
        else:
            K = raised_k(K, R_o, R_p, found.excess, line.games, tolerance=near)
            bonus = max(0.0, R_o + K * found.excess - line.after)
        return replace(line, k=K, bonus=bonus, after=line.after + bonus)

    def _victims(self) -> list[int]:
        """Return those who met an exceptional performer, and are not one."""
        return [
            p
            for p, line in self.lines.items()
            if line.group != "unrated"
            and p not in self.raised
            and any(who in self.raised for who, _ in self.sides[p])
        ]

    def _fed_back(self, player: int) -> Line:
        """Return a victim's line with the feedback in it [3.75]."""
        line = self.lines[player]
        if self.rules.feedback == "cycle":
            after = self._line(player, test=False).after
        else:
            after = line.after
            for who, _ in self.sides[player]:
                if who in self.raised:
                    his = self.lines[who]
                    after += feedback_points(
                        line.k or 0.0, his.score, his.expected or 0.0, his.games
                    )
        return replace(line, feedback=after - line.after, after=after)
