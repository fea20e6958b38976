"""Win, draw and loss: models of how often two players draw, and their fit."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, fields, replace
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, get_args

import numpy as np
import polars as pl

from arpad.errors import InputError, UsageError
from arpad.scale import Curve, Logistic, Ratio, Table

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import ArrayLike, NDArray

    Array = NDArray[np.float64]

# Published forms of the draw rate, each pinned to an expected score.
#
# A form says how large a share r of the games is drawn at an expected score E, with one free number η. The published forms
# move E as well; here E is given, and r follows from the relation that each of them sets up between
#
#     P(win) = E − r/2,    P(draw) = r,    P(loss) = 1 − E − r/2.
#
# Whatever η is, 0 ≤ r ≤ 2 min(E, 1 − E), so that no probability leaves 0 … 1 and the expected score stays E.

DrawForm = Literal["rao-kupper", "davidson", "share"]
LARGEST = 20.0
"""|η| beyond this changes nothing that a float could hold: all or none of the room is drawn."""


class DrawRateForm(NamedTuple):
    """One form: the draw rate, and how it changes."""

    rate: Callable[[Array, Array], Array]
    """r from E and η."""
    slopes: Callable[[Array, Array, Array], tuple[Array, Array]]
    """∂r/∂η and ∂r/∂E from E, η and r."""


def room(E: Array) -> Array:
    """Return 2 min(E, 1 − E), the largest share of draws that an expected score leaves room for."""
    return np.asarray(2 * np.minimum(E, 1 - E))


def form_called(name: str) -> DrawRateForm:
    """Return the form called `name`."""
    if name not in FORMS:
        raise UsageError(f"expected a form of the draw rate, one of {', '.join(FORMS)}; found {name!r}")
    return FORMS[name]


def _held(eta: Array) -> Array:
    return np.asarray(np.clip(eta, -LARGEST, LARGEST))


def _rao_kupper(E: Array, eta: Array) -> Array:
    """Return r where logit P(win) + logit P(loss) = −2κ, κ = e^η [Rao and Kupper 1967].

    On the logistic scale a win means to be better by more than κ; 400 κ / ln 10 is BayesElo's drawElo. With
    τ = tanh κ the relation is τr²/4 − r/2 + τE(1 − E) = 0.
    """
    tau = np.tanh(np.exp(_held(eta)))
    q = E * (1 - E)
    # (1 − √…)/τ loses its digits for small τ; this is the same
    return np.asarray(4 * tau * q / (1 + np.sqrt(np.maximum(1 - 4 * tau**2 * q, 0.0))))


def _rao_kupper_slopes(E: Array, eta: Array, r: Array) -> tuple[Array, Array]:
    kappa = np.exp(_held(eta))
    tau = np.tanh(kappa)
    left = np.maximum(1 - tau * r, 1e-12)
    by_tau = 2 * (r**2 / 4 + E * (1 - E)) / left
    # 1 − τ² underflows to 0 where it should
    return by_tau * kappa * (1 - tau**2), 2 * tau * (1 - 2 * E) / left


def _davidson(E: Array, eta: Array) -> Array:
    """Return r where r = ν √(P(win) P(loss)), ν = e^η [Davidson 1970]."""
    nu = np.exp(_held(eta))
    q = E * (1 - E)
    # 1 − 4q is (2E − 1)², which cannot turn negative
    return np.asarray(4 * nu * q / (nu + np.sqrt((nu * (2 * E - 1)) ** 2 + 16 * q)))


def _davidson_slopes(E: Array, eta: Array, r: Array) -> tuple[Array, Array]:
    square = np.exp(2 * _held(eta))
    lost_and_won = np.maximum((E - r / 2) * (1 - E - r / 2), 0.0)
    left = np.maximum(2 * r + (square / 2) * (1 - r), 1e-300)
    return 2 * square * lost_and_won / left, square * (1 - 2 * E) / left


def _share(E: Array, eta: Array) -> Array:
    """Return r = 2 min(E, 1 − E) / (1 + e^−η): a share of the room there is."""
    return np.asarray(room(E) / (1 + np.exp(-_held(eta))))


def _share_slopes(E: Array, eta: Array, r: Array) -> tuple[Array, Array]:
    share = 1 / (1 + np.exp(-_held(eta)))
    return r * (1 - share), np.where(E < 0.5, 2.0, -2.0) * share


FORMS: dict[str, DrawRateForm] = dict(
    zip(
        get_args(DrawForm),
        (
            DrawRateForm(_rao_kupper, _rao_kupper_slopes),
            DrawRateForm(_davidson, _davidson_slopes),
            DrawRateForm(_share, _share_slopes),
        ),
        strict=True,
    )
)
"""The forms by the name that people use on the command line."""


# Win, draw and loss: how often two players draw, and what that makes of an expected score.
#
# The expected score E comes from a curve, as ever; the draw model only says how much of it are draws. So
# P(win) + P(draw)/2 = E whatever the constants, and no probability contradicts the ratings.

CENTRE = 2200.0
"""The level at which the constant is the whole of η between equals, in rating points: about the mean of published ratings."""
UNIT = 200.0
"""Levels are counted in class intervals C of this many points [Elo 1.31]."""
NODES = 41
"""Points of the Gauss–Hermite sum over the error of a rating difference."""
LARGEST_ERROR = 10_000.0
"""Rating points; a player known no better than this counts as unknown."""
KIND = "draw model"
"""Type of a model file."""
TERMS = ("constant", "level", "lead", "level_lead")
"""The constants that make η."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawModel:
    """Draw rates of two players, by level and expected score.

    η = constant + level·l + lead·m² + level_lead·l·m², with l = (L − 2200)/200, L the mean of both ratings, and
    m = 2E − 1, how one-sided the game is; `form` makes a draw rate of E and η. η has no unit.

    Parameters
    ----------
    white_advantage
        White's advantage in the games that the model was fitted on, in rating points. It is used only on request.
    low, high
        Lowest and highest level of nearly all of those games. Other levels count as the nearer of the two.
    reach
        Largest rating difference of nearly all of them; beyond it, the form is extrapolated.
    curve, class_interval
        The curve whose expected scores it was fitted on.
    games
        Number of those games; 0 for a model that was not fitted.
    """

    form: DrawForm = "rao-kupper"
    constant: float
    level: float = 0.0
    lead: float = 0.0
    level_lead: float = 0.0
    white_advantage: float = 0.0
    low: float = -math.inf
    high: float = math.inf
    reach: float = math.inf
    curve: str = "logistic"
    class_interval: float | None = None
    games: int = 0

    def __post_init__(self) -> None:
        form_called(self.form)
        for name in (*TERMS, "white_advantage"):
            value = getattr(self, name)
            if not math.isfinite(value):
                raise UsageError(f"expected a number for {name} of a draw model, found {value!r}")
        if not self.low <= self.high:
            raise UsageError(f"expected levels from low to high, found {self.low!r} to {self.high!r}")

    def levels(self, L: Array) -> Array:
        """Return l = (L − 2200)/200, held within the levels of the data."""
        return np.asarray((np.clip(L, self.low, self.high) - CENTRE) / UNIT)

    def eta(self, L: Array, E: Array) -> Array:
        """Return η for mean ratings L and expected scores E."""
        l, square = self.levels(L), (2 * E - 1) ** 2
        return np.asarray(self.constant + self.level * l + (self.lead + self.level_lead * l) * square)

    def rate(self, L: Array, E: Array) -> Array:
        """Return the share of draws, from 0 to 2 min(E, 1 − E)."""
        r = form_called(self.form).rate(E, self.eta(L, E))
        return np.asarray(np.clip(r, 0.0, room(E)))

    def document(self) -> dict[str, object]:
        """Return the model as in its file; a missing bound is null."""
        plain = asdict(self)
        for name in ("low", "high", "reach"):
            plain[name] = plain[name] if math.isfinite(plain[name]) else None
        return {"kind": KIND, **plain}

    @classmethod
    def from_document(cls, document: Mapping[str, Any], *, file: str | None = None) -> DrawModel:
        """Return the model from its file's content; other keys are ignored."""
        if not hasattr(document, "get") or document.get("kind") != KIND:
            raise InputError("expected a draw model, found something else", file=file, code="no-draw-model")
        given = {f.name: document[f.name] for f in fields(cls) if document.get(f.name) is not None}
        if "constant" not in given:
            raise InputError("expected a draw model with its constant, found none", file=file)
        for name, value in given.items():
            wanted = (str,) if name in ("form", "curve") else (int, float)
            if not isinstance(value, wanted) or isinstance(value, bool):
                raise InputError(
                    f"expected {'a name' if wanted == (str,) else 'a number'} for {name}, found {value!r}",
                    file=file,
                )
        try:
            return cls(**given)
        except UsageError as error:
            raise InputError(str(error), file=file) from None


PUBLISHED = DrawModel(
    form="rao-kupper",
    constant=-0.1451,
    level=0.2321,
    lead=-0.2654,
    level_lead=-0.2466,
    white_advantage=34.4,
    low=1413.0,
    high=2780.0,
    reach=846.0,
    curve="logistic",
    class_interval=200.0,
    games=448_073,
)
"""Fitted on some 450,000 rated games over the board, October 2010 to 2014, with the ratings published at the time.

One standard deviation of the constants: .0042, .0032, .017, .015; of White's advantage .45 points. No units but that.
"""


class Probabilities(NamedTuple):
    """The three ends of a game, from the first player's side: floats, or arrays of one shape."""

    win: Any
    draw: Any
    loss: Any

    @property
    def expected(self) -> Any:
        """The expected score, P(win) + P(draw)/2."""
        return self.win + self.draw / 2


def probabilities(
    rating: ArrayLike,
    opponent: ArrayLike,
    *,
    curve: Curve | None = None,
    advantage: ArrayLike = 0.0,
    model: DrawModel | None = None,
    error: ArrayLike = 0.0,
    opponent_error: ArrayLike = 0.0,
) -> Probabilities:
    """Return P(win), P(draw) and P(loss) of a player against an opponent.

    Parameters
    ----------
    rating, opponent
        Numbers or arrays, of any system whose differences `curve` reads. The levels of the model that comes
        with arpad are those of published ratings.
    curve
        Logistic unless another is given.
    advantage
        Points that the first player's colour is worth: White's advantage with White, less than 0 with Black,
        0 where colours are not known.
    model
        `PUBLISHED` unless another is given.
    error, opponent_error
        One standard deviation of each rating. The probabilities are averaged over a normal distribution of the
        difference, of variance σ² + σ_o²; that takes the expected score towards one half. The level moves
        with the difference as far as the errors tie it to it.

    Examples
    --------
    >>> [round(p, 3) for p in probabilities(2700, 2650)]
    [0.268, 0.607, 0.125]
    """
    chosen, draws = curve or Logistic(), model or PUBLISHED
    if isinstance(chosen, Ratio):
        raise UsageError("the ratio curve measures ratios: choose another for win, draw and loss")
    R, R_c, plus, s, s_c = np.broadcast_arrays(
        *(np.asarray(v, dtype=np.float64) for v in (rating, opponent, advantage, error, opponent_error))
    )
    _check(R, R_c, plus, s, s_c)
    D, L = R - R_c + plus, (R + R_c) / 2
    variance = s**2 + s_c**2
    ends = _ends(D, L, chosen, draws)
    if variance.any():
        ends = _averaged(D, L, np.sqrt(variance), _tie(s, s_c, variance), chosen, draws)
    return Probabilities(*(float(p) for p in ends)) if D.ndim == 0 else Probabilities(*ends)


def _ends(D: Array, L: Array, curve: Curve, model: DrawModel) -> tuple[Array, Array, Array]:
    E = np.asarray(curve.expected(D))
    r = model.rate(L, E)
    return np.maximum(E - r / 2, 0.0), r, np.maximum(1 - E - r / 2, 0.0)


def _tie(s: Array, s_c: Array, variance: Array) -> Array:
    """Return how far the level moves with a point of the difference: cov(L, D) / var(D)."""
    return np.asarray((s**2 - s_c**2) / (2 * np.where(variance > 0, variance, 1.0)))


def _averaged(
    D: Array, L: Array, sigma: Array, tie: Array, curve: Curve, model: DrawModel
) -> tuple[Array, Array, Array]:
    """Return the ends averaged over D ± σ, by a Gauss–Hermite sum."""
    z, weight = np.polynomial.hermite_e.hermegauss(NODES)
    win, draw, loss = np.zeros_like(D), np.zeros_like(D), np.zeros_like(D)
    for z_i, share in zip(z, weight / weight.sum(), strict=True):
        off = z_i * sigma
        w, r, l = _ends(D + off, L + tie * off, curve, model)
        win, draw, loss = win + share * w, draw + share * r, loss + share * l
    return win, draw, loss


def _check(R: Array, R_c: Array, plus: Array, s: Array, s_c: Array) -> None:
    for values, what in ((R, "a rating"), (R_c, "an opponent's rating"), (plus, "an advantage")):
        if not bool(np.isfinite(values).all()):
            raise UsageError(f"expected {what} that is a number, found one that is not (NaN or infinite)")
    for values in (s, s_c):
        if not bool(((values >= 0) & (values <= LARGEST_ERROR)).all()):
            raise UsageError(
                f"expected the error of a rating to be 0 to {LARGEST_ERROR:,.0f} points, found one that is not"
            )


# The likelihood of win, draw and loss under a draw model, and the equations whose solution is the best one.

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
    """Target of a fit, and its terms."""

    D: Array
    """White's rating less Black's."""
    L: Array
    """The mean of both."""
    score: Array
    """White's: 0, ½ or 1."""
    curve: Curve
    number: int
    """Number of constants in η."""
    objective: Objective
    free: bool
    """Whether White's advantage is fitted."""


class Equations(NamedTuple):
    """Likelihood, the terms of the equations for each game, and their expected slope, at one place."""

    value: tuple[float, float]
    """Quantity to maximise, for White's advantage and for the rest."""
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


# Fit a draw model by maximum likelihood, with errors that do not take the model as right.

TermsName = Literal["constant", "level", "full"]
NUMBER = {"constant": 1, "level": 2, "full": len(TERMS)}
"""Number of `TERMS` in each set."""
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
    _draw_fit_check(D, L, score, form, terms, objective)
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


def _climb_block(task: Task, model: DrawModel, theta: Array, block: slice) -> tuple[int, Array]:
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
    raise InputError(
        f"expected games that a draw model can be fitted on, found no best one in {STEPS} steps",
        code="fewer-terms",
    )


def _solid(A: Array) -> Array:
    """Return A if its equations can be told apart."""
    scale = np.sqrt(np.diag(A))
    if not (np.isfinite(A).all() and (scale > 0).all() and np.linalg.cond(A / np.outer(scale, scale)) < 1e8):
        raise InputError(
            "expected games that differ enough in level and in rating difference, found too little to tell the constants apart",
            code="fewer-terms",
        )
    return A


def _errors(task: Task, model: DrawModel) -> dict[str, float]:
    result = equations(task, model)
    kept = slice(0 if task.free else 1, None)
    psi, inverse = result.psi[:, kept], np.linalg.inv(_solid(result.A[kept, kept]))
    covariance = inverse @ (psi.T @ psi) @ inverse.T
    names = ("white_advantage", *TERMS[: task.number])[kept]
    return {n: math.sqrt(max(v, 0.0)) for n, v in zip(names, np.diag(covariance), strict=True)}


def _draw_fit_check(D: Array, L: Array, score: Array, form: str, terms: str, objective: str) -> None:
    form_called(form)
    for value, choices, what in (
        (terms, get_args(TermsName), "terms"),
        (objective, get_args(Objective), "an objective"),
    ):
        if value not in choices:
            raise UsageError(f"expected {what}, one of {', '.join(choices)}; found {value!r}")
    if not (np.isfinite(D).all() and np.isfinite(L).all() and np.isin(score, (0.0, 0.5, 1.0)).all()):
        raise UsageError("expected ratings that are numbers and scores of 0, ½ and 1, found others")
    needed, drawn = LEAST * NUMBER[terms], int((score == 0.5).sum())
    if len(D) < needed:
        raise InputError(
            f"expected at least {needed} games between rated players for terms {terms!r}, found {len(D)}",
            code="few-drawn-games",
            fields={"least": LEAST},
        )
    if drawn in (0, len(D)):
        raise InputError(
            f"expected some games to be drawn and some not, found {drawn:,} draws in {len(D):,} games: there is no draw model to fit"
        )
