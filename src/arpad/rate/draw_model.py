"""Win, draw and loss: how often two players draw, and what that makes of an expected score.

The expected score E comes from a curve, as ever; the draw model only says how much of it are draws. So
P(win) + P(draw)/2 = E whatever the constants, and no probability contradicts the ratings.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, fields
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from arpad.errors import InputError, UsageError
from arpad.rate.draw_forms import DrawForm, form_called, room
from arpad.scale import Curve, Logistic, Ratio

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import ArrayLike, NDArray

    Array = NDArray[np.float64]

__all__ = ["CENTRE", "KIND", "PUBLISHED", "TERMS", "UNIT", "DrawModel", "Probabilities", "probabilities"]  # fmt: skip

CENTRE = 2200.0
"""The level at which the constant is the whole of η between equals, in rating points: about the mean of published ratings."""
UNIT = 200.0
"""Levels are counted in class intervals C of so many points [Elo 1.31]."""
NODES = 41
"""Points of the Gauss–Hermite sum over the error of a rating difference."""
LARGEST_ERROR = 10_000.0
"""Rating points; whoever is known no better is not known at all."""
KIND = "draw model"
"""How the file of a model calls itself."""
TERMS = ("constant", "level", "lead", "level_lead")
"""The constants that make η."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawModel:
    """How often two players draw, by level and expected score.

    η = constant + level·l + lead·m² + level_lead·l·m², with l = (L − 2200)/200, L the mean of both ratings, and
    m = 2E − 1, how one-sided the game is; `form` makes a draw rate of E and η. η has no unit.

    Parameters
    ----------
    white_advantage
        What the first move was worth in the games that the model was fitted on, in rating points. Nothing uses it unasked.
    low, high
        The levels of all but a few of those games. Other levels are taken as the nearer of the two: no more is known.
    reach
        The largest rating difference of all but a few of them; beyond, the form goes on alone.
    curve, class_interval
        The curve whose expected scores it was fitted on.
    games
        How many they were; 0 for a model that was not fitted.
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
            raise UsageError(f"expected levels from low to high, found {self.low!r} to {self.high!r}")  # fmt: skip

    def levels(self, L: Array) -> Array:
        """Return l = (L − 2200)/200, held within the levels of the data."""
        return np.asarray((np.clip(L, self.low, self.high) - CENTRE) / UNIT)

    def eta(self, L: Array, E: Array) -> Array:
        """Return η for mean ratings L and expected scores E."""
        l, square = self.levels(L), (2 * E - 1) ** 2
        return np.asarray(
            self.constant + self.level * l + (self.lead + self.level_lead * l) * square
        )

    def rate(self, L: Array, E: Array) -> Array:
        """Return the share of draws, from 0 to 2 min(E, 1 − E)."""
        r = form_called(self.form).rate(E, self.eta(L, E))
        return np.asarray(np.clip(r, 0.0, room(E)))

    def document(self) -> dict[str, object]:
        """Return the model as its file has it; what has no bound is null."""
        plain = asdict(self)
        for name in ("low", "high", "reach"):
            plain[name] = plain[name] if math.isfinite(plain[name]) else None
        return {"kind": KIND, **plain}

    @classmethod
    def from_document(cls, document: Mapping[str, Any], *, file: str | None = None) -> DrawModel:
        """Return the model that a document describes; what else stands there is not looked at."""
        if not hasattr(document, "get") or document.get("kind") != KIND:
            raise InputError("expected a draw model, as `arpad draws FILES --model FILE` writes it, found something else", file=file)  # fmt: skip
        given = {f.name: document[f.name] for f in fields(cls) if document.get(f.name) is not None}
        if "constant" not in given:
            raise InputError("expected a draw model with its constant, found none", file=file)
        for name, value in given.items():
            wanted = (str,) if name in ("form", "curve") else (int, float)
            if not isinstance(value, wanted) or isinstance(value, bool):
                raise InputError(f"expected {'a name' if wanted == (str,) else 'a number'} for {name}, found {value!r}", file=file)  # fmt: skip
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
    )  # fmt: skip
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
            raise UsageError(f"expected {what} that is a number, found one that is none (NaN or infinite)")  # fmt: skip
    for values in (s, s_c):
        if not bool(((values >= 0) & (values <= LARGEST_ERROR)).all()):
            raise UsageError(f"expected the error of a rating to be 0 to {LARGEST_ERROR:,.0f} points, found one that is not")  # fmt: skip
