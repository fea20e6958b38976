"""Forecasts period by period: each from the games before it, and what earlier forecasts taught."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from arpad.rate.arpad_system.curves import ROUGH, USUAL, Curves, Fixed, Learned, Start, fit, improved, learn
from arpad.rate.glicko.steps import SCALE

if TYPE_CHECKING:
    from arpad.rate.arpad_system.points import Array, Played, Rows

HOLD_OUT_FROM = 8_000
"""Games from which on the spread is chosen by what forecasts best, and the drift stays."""
WINDOW = 120_000
"""Games, the latest, on which constants are chosen."""
KEPT_BACK = 0.15
"""Share of them that is forecast from the others."""
FACTOR = 1.5
"""A spread is tried this many times larger and smaller."""
BOUNDS = (120.0, 700.0)
"""Points: whatever forecasts best, the spread stays within."""

SEEN = 5
"""Games of both players from which on a forecast teaches something."""
RECENT = 100_000
"""Forecasts, the latest, that teach."""
HOLD = 20.0
"""What the usual weights count for, in the information of forecasts."""
EXPERIENCE = 10.0
"""Games added to a player's before the logarithm is taken."""


def logistic(z: Array) -> Array:
    """Return 1/(1 + e^−z)."""
    return np.asarray(0.5 + 0.5 * np.tanh(z / 2))


def flattened(z: Array, variance: Array) -> Array:
    """Return a difference in logits as doubt about it draws it towards 0."""
    return np.asarray(z / np.sqrt(1 + 3 * variance / np.pi**2))


def constants_of(games: Played, start: Start, fixed: Fixed) -> Learned:
    """Return the constants that games tell, by likelihood where they are few, else by what forecasts best."""
    if len(games) < HOLD_OUT_FROM:
        return learn(games, start, fixed)
    window = games.part(slice(max(0, len(games) - WINDOW), None))
    learned = learn(window, start, fixed, rounds=6, walk=False)
    return choose(window, start, fixed, learned)


def choose(games: Played, start: Start, fixed: Fixed, learned: Learned) -> Learned:
    """Return the constants with that spread which forecasts the latest of the games best."""
    games = games.part(slice(max(0, len(games) - WINDOW), None))
    day = games.day[int(len(games) * (1 - KEPT_BACK))]
    cut = int(np.searchsorted(games.day, day))
    earlier, later = games.part(slice(0, cut)), games.part(slice(cut, None))
    if not cut or not len(later) or fixed.spread is not None:
        return learned
    curves = fit(earlier, start, learned, tolerance=ROUGH)
    best, loss = learned, _loss(curves, start, later)
    for factor in (FACTOR, 1 / FACTOR):
        went = False
        while BOUNDS[0] <= best.spread * factor <= BOUNDS[1]:
            tried = replace(best, spread=best.spread * factor)
            curves = fit(earlier, start, tried, before=curves, tolerance=ROUGH)
            found = _loss(curves, start, later)
            if found >= loss:
                break
            best, loss, went = tried, found, True
        if went:
            break
    return best


def _loss(curves: Curves, start: Start, later: Played) -> float:
    """Return the log loss of games, with the scale that suits them best."""
    standing = Standing(curves, start, len(start.held))
    counted = standing.games >= SEEN
    part = later.part(np.flatnonzero(counted[later.white] & counted[later.black]))
    if not len(part):
        return np.inf
    z, variance, _ = standing.differences(part, float(later.day[0]))
    columns = np.stack([np.ones(len(z)), flattened(z, variance)], axis=1)
    weights = _regression(columns, part.score, np.array([0.0, 1.0]), 1e-6)
    p = np.clip(logistic(columns @ weights), 0.001, 0.999)
    return float(-(part.score * np.log(p) + (1 - part.score) * np.log(1 - p)).mean())


def _regression(columns: Array, score: Array, usual: Array, hold: float) -> Array:
    """Return the weights of a logistic regression that are held to the usual ones."""
    weights = usual.copy()
    for _ in range(6):
        p = logistic(columns @ weights)
        bend = (columns * (p * (1 - p))[:, None]).T @ columns + hold * np.eye(len(usual))
        slope = columns.T @ (score - p) - hold * (weights - usual)
        weights = weights + np.linalg.solve(bend, slope)
    return np.asarray(weights)


class Standing:
    """Where everybody stands after the games of some curves, by row of the players, on the natural scale."""

    def __init__(self, curves: Curves | None, start: Start, players: int) -> None:
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

    def place(self, games: Played) -> None:
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

    def differences(self, games: Played, day: float) -> tuple[Array, Array, Array]:
        """Return White's advantage in logits, its variance, and that of experience, of games on a day."""
        waited = np.nan_to_num(np.maximum(0.0, day - self.day))
        variance = self.variance + self.learned.w2 * waited
        plus = np.array(self.learned.advantage)[games.fast] / SCALE
        w, b = games.white, games.black
        known = np.log(self.games + EXPERIENCE)
        return self.x[w] - self.x[b] + plus, variance[w] + variance[b], known[w] - known[b]


@dataclass(slots=True)
class Lessons:
    """Forecasts that were made, and how they came out."""

    usual: Array
    columns: list[Array] = field(default_factory=list)
    scores: list[Array] = field(default_factory=list)

    def add(self, columns: Array, score: Array) -> None:
        """Take in forecasts."""
        self.columns.append(columns)
        self.scores.append(score)

    def weights(self) -> Array:
        """Return the weights that would have forecast the latest of them best."""
        if not self.scores:
            return self.usual
        columns, score = np.concatenate(self.columns)[-RECENT:], np.concatenate(self.scores)[-RECENT:]
        self.columns, self.scores = [columns], [score]
        return _regression(columns, score, self.usual, HOLD)


class Forecaster:
    """Everybody's curves, which grow period by period; no later game is ever looked at."""

    def __init__(self, fixed: Fixed, level: float | None, players: int, *, usual_level: float) -> None:
        self.fixed, self.level, self.usual_level = fixed, level, usual_level
        self.held = np.full(players, np.nan)
        self.learned = fixed.apply(USUAL)
        self.curves: Curves | None = None
        self.games: Played | None = None
        self.chosen = HOLD_OUT_FROM / 2
        self.taught = 0
        # Of a constant, the forecast, doubt, experience, and the first and the second where games are fast.
        self.plain = Lessons(np.array([0.0, 1.0, 0.0, 0.0, 0.0, 0.0]))
        # The same with the difference of given ratings, by itself and with doubt.
        self.with_given = Lessons(np.array([0.0, 0.6, 0.0, 0.0, 0.0, 0.0, 0.3, 0.0]))

    def _start(self) -> Start:
        level = self.level
        if level is None:
            known = self.held[~np.isnan(self.held)]
            level = float(known.mean()) if len(known) else self.usual_level
        return Start(self.held, np.full(len(self.held), np.nan), level)

    def period(self, games: Played, held: Array, given: Array) -> tuple[Array, Array]:
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
        standing = Standing(self.curves, self._start(), len(self.held))
        standing.place(games)
        z, variance, known = standing.differences(games, float(games.day[0]) if len(games) else 0.0)
        flat, fast = flattened(z, variance), games.fast.astype(np.float64)
        columns = np.stack([np.ones(len(z)), flat, z * variance, known, fast, fast * flat], axis=1)
        expected = logistic(columns @ self.plain.weights())
        both = ~np.isnan(given)
        rated = given[both] / SCALE
        more = np.column_stack([columns[both], rated, rated * variance[both]])
        if both.any():
            expected[both] = logistic(more @ self.with_given.weights())
        teaches = np.minimum(standing.games[games.white], standing.games[games.black]) >= SEEN
        self.plain.add(columns[teaches], games.score[teaches])
        self.with_given.add(more[teaches[both]], games.score[both][teaches[both]])
        self.rate(games)
        return (standing.x[games.white] - standing.x[games.black]) * SCALE, expected

    def rate(self, games: Played) -> None:
        """Take in the games of a period: learn, and fit all curves again."""
        games = games.part(games.order())
        self.games = games if self.games is None else self.games.and_(games)
        start, n = self._start(), len(self.games)
        if n >= 2 * self.chosen:
            self.chosen = n
            self.learned = choose(self.games, start, self.fixed, self.learned)
        elif n < HOLD_OUT_FROM and n >= 1.3 * self.taught:
            self.taught = n
            self.learned = learn(self.games, start, self.fixed, rounds=4, learned=self.learned)
        self.curves = fit(self.games, start, self.learned, before=self.curves, tolerance=ROUGH)
        after = self.fixed.apply(improved(self.curves, start))
        self.learned = replace(after, spread=self.learned.spread, drift=self.learned.drift)


def forecasts(
    forecaster: Forecaster, games: Played, first: Rows, held: Array, given: Array
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
