"""The likelihood of win, draw and loss under a draw model, and the equations whose solution is the best one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from arpad.rate.draw_forms import form_called
from arpad.scale import Curve, Logistic, Table

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from arpad.rate.draw_model import DrawModel

    Array = NDArray[np.float64]

__all__ = ["EDGE", "Equations", "Objective", "Task", "equations", "losses", "smooth"]

Objective = Literal["results", "draws"]
"""results: win, draw or loss, the trinomial likelihood. draws: drawn or not; who wins the others is left to the curve."""

EDGE = 1e-3
"""Expected scores are taken as no nearer than this to 0 and 1 while fitting: a curve that ends at a certain win
would call some real results impossible."""
STEP = 5.0
"""Points to each side over which the slope of a curve is taken."""


def losses(
    model: DrawModel, D: Array, L: Array, score: Array, *, curve: Curve | None = None
) -> tuple[float, float]:
    """Return the mean −ln p of the three ends, and of drawn or not, under a model with its White's advantage."""
    E = _expected(smooth(curve or Logistic()), D + model.white_advantage)
    r = model.rate(L, E)
    return -float(_log_ends(E, r, score).mean()), -float(_log_drawn(r, score).mean())


class Task(NamedTuple):
    """What is to be explained, and by what."""

    D: Array
    """White's rating less Black's."""
    L: Array
    """The mean of both."""
    score: Array
    """White's: 0, ½ or 1."""
    curve: Curve
    number: int
    """How many constants make η."""
    objective: Objective
    free: bool
    """Whether White's advantage is fitted."""


class Equations(NamedTuple):
    """What the fit looks at, at one place: likelihood, the terms of the equations game by game, their expected slope."""

    value: tuple[float, float]
    """What is to be as large as can be, for White's advantage and for the rest."""
    psi: Array
    A: Array


def equations(task: Task, model: DrawModel) -> Equations:
    """Return the equations at the constants of a model; White's advantage is the first of them."""
    E = _expected(task.curve, task.D + model.white_advantage)
    rise = _slope(task.curve, task.D + model.white_advantage)
    l, m = model.levels(task.L), 2 * E - 1
    X = np.stack([np.ones_like(l), l, m**2, l * m**2][: task.number], axis=1)
    r = model.rate(task.L, E)
    by_eta, by_E = form_called(model.form).slopes(E, model.eta(task.L, E), r)
    by_advantage = (by_E + by_eta * 4 * m * (model.lead + model.level_lead * l)) * rise
    G = np.concatenate([by_advantage[:, None], by_eta[:, None] * X], axis=1)
    parts = _by_draws if task.objective == "draws" else _by_results
    return parts(task.score, E, rise, r, G)


def _by_draws(s: Array, E: Array, rise: Array, r: Array, G: Array) -> Equations:
    """Return the equations of White's advantage by scores and of the others by draws."""
    spread = np.maximum(r * (1 - r), 1e-12)
    psi = G * (((s == 0.5) - r) / spread)[:, None]
    A = (G / spread[:, None]).T @ G
    q = E * (1 - E)
    psi[:, 0] = (s - E) * rise / q
    A[0, :] = 0.0  # the draws do not move the advantage
    A[0, 0] = float((rise**2 / q).sum())
    scores = s * np.log(E) + (1 - s) * np.log(1 - E)
    return Equations((float(scores.sum()), float(_log_drawn(r, s).sum())), psi, A)


def _by_results(s: Array, E: Array, rise: Array, r: Array, G: Array) -> Equations:
    """Return the equations of the trinomial likelihood."""
    win, loss = np.maximum(E - r / 2, 1e-12), np.maximum(1 - E - r / 2, 1e-12)
    r = np.maximum(r, 1e-12)
    by_E = np.zeros_like(G)
    by_E[:, 0] = rise
    of_win, of_loss = by_E - G / 2, -by_E - G / 2
    won, lost, drawn = (s == 1.0) / win, (s == 0.0) / loss, (s == 0.5) / r
    psi = of_win * won[:, None] + G * drawn[:, None] + of_loss * lost[:, None]
    A = sum((part / p[:, None]).T @ part for part, p in ((of_win, win), (G, r), (of_loss, loss)))
    value = float(_log_ends(E, r, s).sum())
    return Equations((value, value), psi, np.asarray(A))


def smooth(curve: Curve) -> Curve:
    """Return a curve without steps: the table is read between its points."""
    return Table(interpolate=True) if isinstance(curve, Table) else curve


def _expected(curve: Curve, D: Array) -> Array:
    return np.clip(np.asarray(curve.expected(D)), EDGE, 1 - EDGE)


def _slope(curve: Curve, D: Array) -> Array:
    return np.asarray((curve.expected(D + STEP) - curve.expected(D - STEP)) / (2 * STEP))


def _log_ends(E: Array, r: Array, score: Array) -> Array:
    p = np.where(score == 1.0, E - r / 2, np.where(score == 0.0, 1 - E - r / 2, r))
    return np.asarray(np.log(np.maximum(p, 1e-12)))


def _log_drawn(r: Array, score: Array) -> Array:
    return np.asarray(np.log(np.maximum(np.where(score == 0.5, r, 1 - r), 1e-12)))
