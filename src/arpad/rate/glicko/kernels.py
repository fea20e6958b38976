"""`form_walk.walk` on arrays, compiled by Numba: millions of games a second.

Everything is on Glicko-2's own scale, on which Glicko and Stephenson's system are the same formulas with
q = 1. A period is three passes: everybody enters it, its games are added up, everybody leaves it.
No explicit signatures: those compile at import.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from numba import njit

from arpad.rate.glicko.steps import LEAST_INFORMATION, MOST, MOST_STEPS, SCALE, TOLERANCE

if TYPE_CHECKING:
    from arpad.rate.glicko.steps import Forms
    from arpad.rate.periods import Timeline


RATING, VARIANCE, WEIGHT, INFORMATION, GAIN, OPPONENTS, GAMES, AT = range(8)
"""Columns of the work table: eight numbers a player, one line of the processor's cache."""
PI_SQUARED = math.pi**2
LARGEST = 2.0 * math.log(MOST)
"""ln σ² of the largest volatility."""


@njit(cache=True, nogil=True)
def _enter(white, black, a, b, pace, until, most, work, active):
    """Let everybody into the period: RD² grows with the time since `AT`; return how many play."""
    n = 0
    for i in range(a, b):
        for side in range(2):
            p = white[i] if side == 0 else black[i]
            if work[p, GAMES] == 0.0:
                active[n] = p
                n += 1
                t = until - work[p, AT]
                if t > 0.0:  # false for NaN: a newcomer
                    work[p, VARIANCE] = work[p, VARIANCE] + pace[p] * t
                work[p, VARIANCE] = min(work[p, VARIANCE], most)
                work[p, WEIGHT] = 1.0 / math.sqrt(1.0 + 3.0 * work[p, VARIANCE] / PI_SQUARED)
                work[p, INFORMATION] = 0.0
                work[p, GAIN] = 0.0
                work[p, OPPONENTS] = 0.0
            work[p, GAMES] += 1.0
    return n


@njit(cache=True, nogil=True, inline="always")
def _tell(sides, row, rating, opponent, weight, E):
    sides[row, 0], sides[row, 1], sides[row, 2], sides[row, 3] = rating, opponent, weight, E


@njit(cache=True, nogil=True)
def _tell_variances(white, black, a, b, work, sides):
    """Write down RD² after a period, beside every game of it."""
    if sides.shape[0] > 0:
        for i in range(a, b):
            sides[2 * i, 4] = work[white[i], VARIANCE]
            sides[2 * i + 1, 4] = work[black[i], VARIANCE]


@njit(cache=True, nogil=True)
def _meet(white, black, score, a, b, advantage, bonus, work, sides):
    """Add up what each game says of both players; write it down where `sides` has room."""
    told = sides.shape[0] > 0
    for i in range(a, b):
        w, l = white[i], black[i]
        D = work[w, RATING] - work[l, RATING]
        g_w, g_l = work[w, WEIGHT], work[l, WEIGHT]
        E = 1.0 / (1.0 + math.exp(-g_l * (D + advantage)))
        if told:
            _tell(sides, 2 * i, work[w, RATING], work[l, RATING], g_l, E)
        work[w, INFORMATION] += g_l * g_l * E * (1.0 - E)
        work[w, GAIN] += g_l * (score[i] - E + bonus)
        work[w, OPPONENTS] -= D
        E = 1.0 / (1.0 + math.exp(g_w * (D + advantage)))
        if told:
            _tell(sides, 2 * i + 1, work[l, RATING], work[w, RATING], g_w, E)
        work[l, INFORMATION] += g_w * g_w * E * (1.0 - E)
        work[l, GAIN] += g_w * (1.0 - score[i] - E + bonus)
        work[l, OPPONENTS] += D


@njit(cache=True, nogil=True)
def _plain(white, black, score, first, end, pace, most, h, bonus, pull, advantage, work, sides):
    active = np.empty(work.shape[0], dtype=np.int64)
    for period in range(first.shape[0] - 1):
        a, b, now = first[period], first[period + 1], end[period]
        n = _enter(white, black, a, b, pace, now, most, work, active)
        _meet(white, black, score, a, b, advantage, bonus, work, sides)
        for j in range(n):
            p = active[j]
            games = work[p, GAMES]
            information = max(work[p, INFORMATION], LEAST_INFORMATION)
            variance = 1.0 / (1.0 / (work[p, VARIANCE] + games * h) + information)
            work[p, VARIANCE] = variance
            work[p, RATING] += variance * work[p, GAIN] + pull * work[p, OPPONENTS] / games
            work[p, GAMES] = 0.0
            work[p, AT] = now if not work[p, AT] > now else work[p, AT]
        _tell_variances(white, black, a, b, work, sides)


@njit(cache=True, nogil=True)
def _f(x, a, excess, spread, per_tau):
    e = math.exp(x)
    below = spread + e
    return e * (excess - e) / (2.0 * below * below) - (x - a) * per_tau


@njit(cache=True, nogil=True)
def _variance_of_change(log_variance, phi_squared, v, delta, tau):
    """`volatility.new_volatility` on the logarithm of σ²: return that of σ′²."""
    a, per_tau = log_variance, 1.0 / (tau * tau)
    spread = phi_squared + v
    excess = delta * delta - spread
    A = a
    if excess > 0.0:
        B = math.log(excess)
    else:
        B = a - tau
        while _f(B, a, excess, spread, per_tau) < 0.0:
            B -= tau
    f_A, f_B = _f(A, a, excess, spread, per_tau), _f(B, a, excess, spread, per_tau)
    for _ in range(MOST_STEPS):
        if abs(B - A) <= TOLERANCE:
            return min(A, LARGEST)
        C = A + (A - B) * f_A / (f_B - f_A)
        f_C = _f(C, a, excess, spread, per_tau)
        if f_C * f_B <= 0.0:
            A, f_A = B, f_B
        else:
            f_A /= 2.0
        B, f_B = C, f_C
    return math.nan


@njit(cache=True, nogil=True)
def _volatile(white, black, score, first, start, end, pace, most, advantage, tau, work, sides):
    active = np.empty(work.shape[0], dtype=np.int64)
    for period in range(first.shape[0] - 1):
        a, b, now = first[period], first[period + 1], end[period]
        n = _enter(white, black, a, b, pace, start[period], most, work, active)
        _meet(white, black, score, a, b, advantage, 0.0, work, sides)
        for j in range(n):
            p = active[j]
            information = max(work[p, INFORMATION], LEAST_INFORMATION)
            v = 1.0 / information
            before, gain, at = work[p, VARIANCE], work[p, GAIN], work[p, AT]
            change = math.exp(_variance_of_change(math.log(pace[p]), before, v, v * gain, tau))
            length = now - (max(start[period], at))
            variance = 1.0 / (1.0 / (before + change * max(length, 0.0)) + information)
            pace[p] = change
            work[p, VARIANCE] = variance
            work[p, RATING] += variance * gain
            work[p, GAMES] = 0.0
            work[p, AT] = now if not at > now else at
        _tell_variances(white, black, a, b, work, sides)


def rate_plain(
    line: Timeline,
    state: Forms,
    *,
    c: float,
    most: float,
    advantage: float,
    h: float = 0.0,
    bonus: float = 0.0,
    pull: float = 0.0,
) -> None:
    """Rate with Glicko or Stephenson's system; c, h, `most` and `advantage` are in rating points."""
    work = _table(state)
    _plain(
        *_games(line),
        line.first,
        line.end,
        np.full(len(state.rating), (c / SCALE) ** 2),
        (most / SCALE) ** 2,
        (h / SCALE) ** 2,
        bonus,
        pull,
        advantage / SCALE,
        work,
        told := _sides(line, state),
    )
    _store(work, state, told)


def rate_volatile(line: Timeline, state: Forms, *, most: float, advantage: float, tau: float) -> None:
    """Rate with Glicko-2; `most` and `advantage` are in rating points."""
    work, pace = _table(state), state.volatility**2
    _volatile(
        *_games(line),
        line.first,
        line.start,
        line.end,
        pace,
        (most / SCALE) ** 2,
        advantage / SCALE,
        tau,
        work,
        told := _sides(line, state),
    )
    _store(work, state, told)
    state.volatility = np.sqrt(pace)


def _games(line):
    return tuple(line.played[name].to_numpy() for name in ("white", "black", "score"))


def _table(state):
    work = np.zeros((len(state.rating), 8))
    work[:, RATING] = state.rating / SCALE
    work[:, VARIANCE] = (state.error / SCALE) ** 2
    work[:, AT] = state.at
    return work


def _sides(line, state):
    """Return room for both sides of every game, or none where nobody asks for it."""
    return np.zeros((0 if state.sides is None else 2 * line.played.height, 5))


def _store(work, state, told):
    state.rating = work[:, RATING] * SCALE
    state.error = np.sqrt(work[:, VARIANCE]) * SCALE
    state.at = work[:, AT].copy()
    if state.sides is not None:
        state.sides = told * np.array([SCALE, SCALE, 1.0, 1.0, SCALE**2])
