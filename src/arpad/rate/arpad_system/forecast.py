"""Forecasts period by period: each from the games before it, and what earlier forecasts taught."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from arpad.rate.arpad_system.curves import (
    ROUGH,
    USUAL,
    YEAR,
    CurvePrior,
    Curves,
    Fixed,
    Learned,
    fit,
    improved,
)
from arpad.rate.arpad_system.reference import logistic
from arpad.rate.glicko.steps import SCALE

if TYPE_CHECKING:
    from arpad.rate.arpad_system.points import Array, PlayedGames, Rows

SEEN = 5
"""Games of both players from which on a forecast teaches something."""
RECENT = 100_000
"""Forecasts, the latest, that teach."""
MORE = 1.01
"""Weights are learned again when forecasts are this many times as many."""
HOLD = 20.0
"""Weight of the usual forecast weights, as information of forecasts."""
EXPERIENCE, ACTIVE = 10.0, 5.0
"""Games added to a player's, of all time and of the last year, before the logarithm is taken."""
QUICK = 3.0
"""Information, of 1 a game of equals over 4, for which a mean result in fast games counts."""
COLUMNS = 12
"""Figures that a forecast weighs, without ratings of the source."""


def flattened(z: Array, variance: Array) -> Array:
    """Return a difference in logits as doubt about it draws it towards 0."""
    return np.asarray(z / np.sqrt(1 + 3 * variance / np.pi**2))


def _regression(
    columns: Array, score: Array, usual: Array, hold: float, *, begin: Array | None = None
) -> Array:
    """Return the weights of a logistic regression that are held to the usual ones."""
    weights = usual if begin is None else begin
    for _ in range(8):
        p = logistic(columns @ weights)
        bend = (columns * (p * (1 - p))[:, None]).T @ columns + hold * np.eye(len(usual))
        slope = columns.T @ (score - p) - hold * (weights - usual)
        step = np.linalg.solve(bend, slope)
        weights = weights + step
        if np.abs(step).max() < 1e-4:
            break
    return np.asarray(weights)


class ForecastState:
    """State of all players after the games of some curves, by row, on the natural scale."""

    def __init__(self, curves: Curves | None, start: CurvePrior, players: int) -> None:
        self.learned = USUAL if curves is None else curves.learned
        self.start = start
        new = np.isnan(start.held)
        error = np.where(np.isnan(start.error), self.learned.given_error, start.error)
        self.x = np.where(new, start.level, start.held) / SCALE
        self.variance = (np.where(new, self.learned.spread, error) / SCALE) ** 2
        self.day = np.full(players, np.nan)
        self.games = np.zeros(players, dtype=np.int64)
        if curves is not None:
            own, last = curves.points.own, curves.points.last
            self.x[own], self.variance[own] = curves.x[last], curves.variance[last]
            self.day[own] = curves.points.middle(last)
            games = curves.games
            self.games += np.bincount(games.white, minlength=players)
            self.games += np.bincount(games.black, minlength=players)

    def place(self, games: PlayedGames) -> None:
        """Put the newcomers among these games where those whom they meet say."""
        new = (self.games == 0) & np.isnan(self.start.held)
        if not new.any() or new.all():
            return
        total, count = np.zeros(len(new)), np.zeros(len(new))
        for me, other in ((games.white, games.black), (games.black, games.white)):
            counts = new[me] & ~new[other]
            total += np.bincount(me[counts], self.x[other[counts]], len(new))
            count += np.bincount(me[counts], minlength=len(new))
        at = count > 0
        level = self.start.level / SCALE
        among = total[at] / count[at]
        self.x[at] = level + self.learned.follow * (among - level) - self.learned.below / SCALE

    def differences(self, games: PlayedGames, day: float) -> tuple[Array, Array, Array]:
        """Return White's advantage in logits, its variance, and ln of the ratio of both variances, on a day."""
        waited = np.nan_to_num(np.maximum(0.0, day - self.day))
        variance = self.variance + self.learned.w2 * waited
        plus = np.array(self.learned.advantage)[games.fast] / SCALE
        w, b = games.white, games.black
        doubt = np.log(variance[w] / variance[b])
        return self.x[w] - self.x[b] + plus, variance[w] + variance[b], doubt


@dataclass(slots=True)
class Lessons:
    """Forecasts that were made, and how they came out."""

    usual: Array
    columns: list[Array] = field(default_factory=list)
    scores: list[Array] = field(default_factory=list)
    latest: Array | None = None
    count: int = 0
    taught: int = 0

    def add(self, columns: Array, score: Array) -> None:
        """Take in forecasts."""
        self.columns.append(columns)
        self.scores.append(score)
        self.count += len(score)

    def weights(self) -> Array:
        """Return the weights that would have forecast the latest of them best."""
        if not self.scores:
            return self.usual
        if self.latest is not None and self.count < MORE * self.taught:
            return self.latest
        self.taught = self.count
        columns, score = np.concatenate(self.columns)[-RECENT:], np.concatenate(self.scores)[-RECENT:]
        self.columns, self.scores = [columns], [score]
        self.latest = _regression(columns, score, self.usual, HOLD, begin=self.latest)
        return self.latest


class Filter:
    """Strengths that go forward only: each period changes them once, and no later game looks back.

    Where they differ from the curves, other people's later games have changed what earlier ones said.
    """

    def __init__(self, players: int, learned: Learned, level: float) -> None:
        self.x = np.full(players, level / SCALE)
        self.most = (learned.spread / SCALE) ** 2
        self.variance = np.full(players, self.most)
        self.day = np.nan

    def take(self, games: PlayedGames, learned: Learned) -> None:
        """Rate the games of a period, all from what was known before it (Glickman 1999)."""
        if not len(games):
            return
        waited = float(np.nan_to_num(games.day[0] - self.day))
        self.day = float(games.day[0])
        self.variance = np.minimum(self.variance + learned.w2 * max(waited, 0.0), self.most)
        plus = np.array(learned.advantage)[games.fast] / SCALE
        slope, information = np.zeros(len(self.x)), np.zeros(len(self.x))
        for me, other, sign in ((games.white, games.black, 1.0), (games.black, games.white, -1.0)):
            g = 1 / np.sqrt(1 + 3 * self.variance[other] / np.pi**2)
            p = logistic(g * (self.x[me] - self.x[other] + sign * plus))
            score = games.score if sign > 0 else 1 - games.score
            slope += np.bincount(me, g * (score - p), len(slope))
            information += np.bincount(me, g * g * p * (1 - p), len(slope))
        self.variance = 1 / (1 / self.variance + information)
        self.x = self.x + self.variance * slope


class Forecaster:
    """Everybody's curves, which grow period by period; no later game is ever looked at."""

    def __init__(self, fixed: Fixed, level: float | None, players: int, *, usual_level: float) -> None:
        self.fixed, self.level, self.usual_level = fixed, level, usual_level
        self.held = np.full(players, np.nan)
        self.learned = fixed.apply(USUAL)
        self.curves: Curves | None = None
        self.games: PlayedGames | None = None
        self.forward = Filter(players, self.learned, usual_level if level is None else level)
        self.plain = Lessons(np.r_[0.0, 1.0, np.zeros(COLUMNS - 2)])
        self.with_given = Lessons(np.r_[0.0, 0.6, np.zeros(COLUMNS - 2), 0.3, 0.0, 0.0])

    def _start(self) -> CurvePrior:
        level = self.level
        if level is None:
            known = self.held[~np.isnan(self.held)]
            level = float(known.mean()) if len(known) else self.usual_level
        return CurvePrior(self.held, np.full(len(self.held), np.nan), level)

    def period(self, games: PlayedGames, held: Array, given: Array) -> tuple[Array, Array]:
        """Return rating differences and White's expected scores of a period, then take its games in.

        Parameters
        ----------
        held
            The rating that newcomers of this period come with, by row of the players, NaN for none.
        given
            The difference of the ratings beside each game in points, NaN where one is missing.
        """
        there = np.zeros(len(self.held), dtype=np.bool_)
        there[games.white] = there[games.black] = True
        seen = np.zeros(len(self.held), dtype=np.bool_)
        if self.curves is not None:
            seen[self.curves.points.own] = True
        self.held = np.where(there & ~seen, held, self.held)
        standing = ForecastState(self.curves, self._start(), len(self.held))
        standing.place(games)
        columns, variance = self._columns(standing, games)
        expected = logistic(columns @ self.plain.weights())
        both = ~np.isnan(given)
        rated = given[both] / SCALE
        more = np.column_stack([columns[both], rated, rated * variance[both], rated * games.fast[both]])
        if both.any():
            expected[both] = logistic(more @ self.with_given.weights())
        teaches = np.minimum(standing.games[games.white], standing.games[games.black]) >= SEEN
        self.plain.add(columns[teaches], games.score[teaches])
        self.with_given.add(more[teaches[both]], games.score[both][teaches[both]])
        self.rate(games)
        return (standing.x[games.white] - standing.x[games.black]) * SCALE, expected

    def _columns(self, standing: ForecastState, games: PlayedGames) -> tuple[Array, Array]:
        """Return what a forecast weighs, a row a game, and the variance of each difference."""
        day = float(games.day[0]) if len(games) else 0.0
        z, variance, doubt = standing.differences(games, day)
        w, b = games.white, games.black
        flat, fast = flattened(z, variance), games.fast.astype(np.float64)
        known = standing.games > 0
        level = (standing.x[w] + standing.x[b]) / 2 - (standing.x[known].mean() if known.any() else 0.0)
        level = np.where(known[w] & known[b], level, 0.0)
        active, quick = self._recent(day)
        experience = np.log(standing.games + EXPERIENCE)
        columns = [
            np.ones(len(z)),
            flat,
            z * variance,
            experience[w] - experience[b],
            doubt,
            active[w] - active[b],
            self.forward.x[w] - self.forward.x[b],
            level,
            level * flat,
            fast,
            fast * flat,
            fast * (quick[w] - quick[b]),
        ]
        return np.stack(columns, axis=1), variance

    def _recent(self, day: float) -> tuple[Array, Array]:
        """Return ln of everybody's games in the last year, and how much better than expected fast games went."""
        n = len(self.held)
        if self.curves is None:
            return np.full(n, np.log(ACTIVE)), np.zeros(n)
        games, points, x = self.curves.games, self.curves.points, self.curves.x
        begin = int(np.searchsorted(games.day, day - YEAR))
        active = np.bincount(games.white[begin:], minlength=n) + np.bincount(games.black[begin:], minlength=n)
        of = np.flatnonzero(games.fast)
        p = logistic(x[points.white[of]] - x[points.black[of]] + self.curves.plus()[of])
        rest, h = games.score[of] - p, p * (1 - p)
        w, b = games.white[of], games.black[of]
        better = np.bincount(w, rest, n) - np.bincount(b, rest, n)
        return np.log(active + ACTIVE), better / (np.bincount(w, h, n) + np.bincount(b, h, n) + QUICK)

    def rate(self, games: PlayedGames) -> None:
        """Take in the games of a period: fit all curves again, and learn what rests on single games."""
        games = games.part(games.order())
        self.forward.take(games, self.learned)
        self.games = games if self.games is None else self.games.and_(games)
        start = self._start()
        self.curves = fit(self.games, start, self.learned, before=self.curves, tolerance=ROUGH)
        after = self.fixed.apply(improved(self.curves, start))
        self.learned = replace(after, spread=self.learned.spread, drift=self.learned.drift)


def forecasts(
    forecaster: Forecaster, games: PlayedGames, first: Rows, held: Array, given: Array
) -> tuple[Array, Array]:
    """Return rating differences and White's expected scores of games, each period from those before it.

    Parameters
    ----------
    first
        The row where each period begins, and at last the number of games.
    held
        The rating of both players that stands beside each game, in two columns, NaN for none.
    """
    difference, expected = np.zeros(len(games)), np.zeros(len(games))
    players = len(forecaster.held)
    for a, b in pairwise(first.tolist()):
        part = games.part(slice(a, b))
        brought = np.full(players, np.nan)
        sides = np.stack([part.white, part.black], axis=1).ravel()[::-1]
        ratings = held[a:b].ravel()[::-1]
        known = ~np.isnan(ratings)
        brought[sides[known]] = ratings[known]
        difference[a:b], expected[a:b] = forecaster.period(part, brought, given[a:b])
    return difference, expected
