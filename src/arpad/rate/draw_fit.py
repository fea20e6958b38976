"""Fit a draw model by maximum likelihood, with errors that do not take the model as right."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np
import polars as pl

from arpad.errors import InputError, UsageError
from arpad.rate.draw_forms import DrawForm, form_called
from arpad.rate.draw_likelihood import Objective, Task, equations, losses, smooth
from arpad.rate.draw_model import TERMS, DrawModel
from arpad.scale import Curve, Logistic, Ratio

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

__all__ = ["LEAST", "DrawFit", "TermsName", "fit_draws"]

TermsName = Literal["constant", "level", "full"]
NUMBER = {"constant": 1, "level": 2, "full": len(TERMS)}
"""How many of `TERMS` each of them has."""

LEAST = 25
"""Games that each constant needs at least."""
STEPS = 60
ENOUGH = 1e-6
"""A step whose square, in standard deviations of the constants, is less than this is the last."""
SMALLEST = 1e-4
"""The smallest part of a step that is tried."""
EDGE_SHARE = 0.001
"""The share of games beyond each of the levels, and beyond the difference, that the model says it knows."""
Z_95 = 1.959964
"""Standard deviations to each side of a 95 % interval."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawFit:
    """A fitted model, its errors, and what it was fitted on."""

    model: DrawModel
    errors: dict[str, float]
    """One standard deviation of each fitted constant. Games are taken as independent."""
    games: int
    drawn: int
    loss: float
    """Mean −ln of the probability of what happened: win, draw or loss."""
    draw_loss: float
    """The same of drawn or not."""
    iterations: int
    objective: Objective
    terms: TermsName

    def table(self) -> pl.DataFrame:
        """Return each constant with its error and 95 % interval; one that was given has neither."""
        names = (*TERMS[: NUMBER[self.terms]], "white_advantage")
        rows = [(name, getattr(self.model, name), self.errors.get(name)) for name in names]
        schema = {"constant": pl.String, "value": pl.Float64, "error": pl.Float64}
        half, value = Z_95 * pl.col("error"), pl.col("value")
        return pl.DataFrame(rows, schema=schema, orient="row").with_columns(
            low=value - half, high=value + half
        )

    def summary(self) -> str:
        """Return one sentence."""
        return (
            f"{self.model.form} draw model on {self.games:,} games, {self.drawn / self.games:.1%} drawn, levels "
            f"{self.model.low:.0f} to {self.model.high:.0f}: log loss {self.loss:.4f} a game, {self.draw_loss:.4f} for drawn or not"
        )

    def document(self) -> dict[str, object]:
        """Return the model's file: what others need, and how it came about."""
        return {
            **self.model.document(),
            "errors": self.errors,
            "drawn": self.drawn,
            "loss": self.loss,
            "draw_loss": self.draw_loss,
            "iterations": self.iterations,
            "objective": self.objective,
            "terms": self.terms,
        }


def fit_draws(
    D: Array,
    L: Array,
    score: Array,
    *,
    curve: Curve | None = None,
    form: DrawForm = "rao-kupper",
    terms: TermsName = "full",
    objective: Objective = "results",
    white_advantage: float | None = None,
) -> DrawFit:
    """Return the draw model that explains games best.

    Fisher scoring; the errors are A⁻¹ B A⁻ᵀ, A the expected slope of the equations, B the sum of squares of their terms, so
    that they hold even where the curve does not.

    Parameters
    ----------
    D
        White's rating less Black's, one element a game.
    L
        The mean of both ratings.
    score
        White's: 0, ½ or 1.
    curve
        Logistic unless another is given; the table is read between its points here.
    objective
        For `draws`, White's advantage is the one that explains the scores (Σ (s − E) E′/E(1 − E) = 0).
    white_advantage
        Points; fitted where None.

    Raises
    ------
    InputError
        Where the games do not hold enough to fit the constants.
    """
    chosen = smooth(curve or Logistic())
    if isinstance(chosen, Ratio):
        raise UsageError("the ratio curve measures ratios: choose another to fit draws")
    _check(D, L, score, form, terms, objective)
    low, high = (float(v) for v in np.quantile(L, [EDGE_SHARE, 1 - EDGE_SHARE]))
    at = DrawModel(
        form=form,
        constant=0.0,
        white_advantage=white_advantage or 0.0,
        low=low,
        high=high,
        reach=float(np.quantile(np.abs(D), 1 - EDGE_SHARE)),
        curve=chosen.name,
        class_interval=getattr(chosen, "class_interval", None),
        games=len(D),
    )
    number = NUMBER[terms]
    task = Task(D, L, score, chosen, number, objective, white_advantage is None)
    theta = np.zeros(1 + number)
    theta[0] = at.white_advantage
    iterations, theta = _climb(task, at, theta)
    model = _with(at, theta)
    return DrawFit(
        model=model,
        errors=_errors(task, model),
        games=len(D),
        drawn=int((score == 0.5).sum()),
        **dict(zip(("loss", "draw_loss"), losses(model, D, L, score, curve=chosen), strict=True)),
        iterations=iterations,
        objective=objective,
        terms=terms,
    )


def _with(model: DrawModel, theta: Array) -> DrawModel:
    values = dict(zip(TERMS, (float(v) for v in theta[1:]), strict=False))
    return replace(model, white_advantage=float(theta[0]), **values)  # type: ignore[arg-type]


def _climb(task: Task, model: DrawModel, theta: Array) -> tuple[int, Array]:
    """Return the steps taken and the best constants: the advantage first where draws do not decide on it."""
    blocks = [slice(0 if task.free else 1, None)]
    if task.objective == "draws" and task.free:
        blocks = [slice(0, 1), slice(1, None)]
    taken = 0
    for block in blocks:
        steps, theta = _climb_block(task, model, theta, block)
        taken += steps
    return taken, theta


def _climb_block(
    task: Task, model: DrawModel, theta: Array, block: slice
) -> tuple[int, Array]:  # fmt: skip
    of = 0 if block.start == 0 else 1
    now = equations(task, _with(model, theta))
    for iteration in range(1, STEPS + 1):
        gradient = now.psi[:, block].sum(axis=0)
        step = np.zeros_like(theta)
        step[block] = np.linalg.solve(_solid(now.A[block, block]), gradient)
        if float(gradient @ step[block]) < ENOUGH:
            return iteration, theta
        size = 1.0
        while True:
            after = equations(task, _with(model, theta + size * step))
            if after.value[of] >= now.value[of] or size < SMALLEST:
                break
            size /= 2
        if size < SMALLEST:  # as near as the slopes allow
            return iteration, theta
        theta, now = theta + size * step, after
    raise InputError(f"expected games that a draw model can be fitted on, found no best one in {STEPS} steps: choose fewer terms (--terms level or constant)")  # fmt: skip


def _solid(A: Array) -> Array:
    """Return A if its equations can be told apart."""
    scale = np.sqrt(np.diag(A))
    if not (np.isfinite(A).all() and (scale > 0).all() and np.linalg.cond(A / np.outer(scale, scale)) < 1e8):  # fmt: skip
        raise InputError("expected games that differ enough in level and in rating difference, found too little to tell the constants apart: choose fewer terms (--terms level or constant)")  # fmt: skip
    return A


def _errors(task: Task, model: DrawModel) -> dict[str, float]:
    found = equations(task, model)
    kept = slice(0 if task.free else 1, None)
    psi, inverse = found.psi[:, kept], np.linalg.inv(_solid(found.A[kept, kept]))
    covariance = inverse @ (psi.T @ psi) @ inverse.T
    names = ("white_advantage", *TERMS[: task.number])[kept]
    return {n: math.sqrt(max(v, 0.0)) for n, v in zip(names, np.diag(covariance), strict=True)}


def _check(D: Array, L: Array, score: Array, form: str, terms: str, objective: str) -> None:
    form_called(form)
    for value, choices, what in ((terms, get_args(TermsName), "terms"), (objective, get_args(Objective), "an objective")):  # fmt: skip
        if value not in choices:
            raise UsageError(f"expected {what}, one of {', '.join(choices)}; found {value!r}")
    if not (np.isfinite(D).all() and np.isfinite(L).all() and np.isin(score, (0.0, 0.5, 1.0)).all()):  # fmt: skip
        raise UsageError("expected ratings that are numbers and scores of 0, ½ and 1, found others")
    needed, drawn = LEAST * NUMBER[terms], int((score == 0.5).sum())
    if len(D) < needed:
        raise InputError(f"expected at least {needed} games between rated players for terms {terms!r}, found {len(D)}: give more, or --terms constant ({LEAST} games), or use the model that comes with arpad")  # fmt: skip
    if drawn in (0, len(D)):
        raise InputError(f"expected some games to be drawn and some not, found {drawn:,} draws in {len(D):,} games: there is no draw model to fit")  # fmt: skip
