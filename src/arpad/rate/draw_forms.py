"""Published forms of the draw rate, each pinned to an expected score.

A form says how large a share r of the games is drawn at an expected score E, with one free number η. The published forms
move E as well; here E is given, and r follows from the relation that each of them sets up between

    P(win) = E − r/2,    P(draw) = r,    P(loss) = 1 − E − r/2.

Whatever η is, 0 ≤ r ≤ 2 min(E, 1 − E), so that no probability leaves 0 … 1 and the expected score stays E.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple, get_args

import numpy as np

from arpad.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    Array = NDArray[np.float64]

__all__ = ["FORMS", "DrawForm", "Form", "form_called", "room"]

DrawForm = Literal["rao-kupper", "davidson", "share"]

LARGEST = 20.0
"""|η| beyond this changes nothing that a float could hold: all or none of the room is drawn."""


class Form(NamedTuple):
    """One form: the draw rate, and how it changes."""

    rate: Callable[[Array, Array], Array]
    """r from E and η."""
    slopes: Callable[[Array, Array, Array], tuple[Array, Array]]
    """∂r/∂η and ∂r/∂E from E, η and r."""


def room(E: Array) -> Array:
    """Return 2 min(E, 1 − E), the largest share of draws that an expected score leaves room for."""
    return np.asarray(2 * np.minimum(E, 1 - E))


def form_called(name: str) -> Form:
    """Return the form called `name`."""
    if name not in FORMS:
        raise UsageError(f"expected a form of the draw rate, one of {', '.join(FORMS)}; found {name!r}")  # fmt: skip
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


FORMS: dict[str, Form] = dict(
    zip(
        get_args(DrawForm),
        (
            Form(_rao_kupper, _rao_kupper_slopes),
            Form(_davidson, _davidson_slopes),
            Form(_share, _share_slopes),
        ),
        strict=True,
    )
)
"""The forms by the name that people use on the command line."""
