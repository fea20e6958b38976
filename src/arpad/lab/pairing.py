"""Pairings: who meets whom in a round."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple, Protocol, get_args

import numpy as np

from arpad.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    Array = NDArray[np.float64]
    Rows = NDArray[np.int32]

__all__ = [
    "ByStrength",
    "Chance",
    "Pairer",
    "Pairing",
    "PairingName",
    "Pairs",
    "Random",
    "coloured",
    "pairing",
]

PairingName = Literal["random", "strength", "swiss"]


class Pairs(NamedTuple):
    """One round: rows of White, rows of Black, and who has no opponent."""

    white: Rows
    black: Rows
    byes: Rows


class Chance(NamedTuple):
    """The two sources of chance that pairings use."""

    dice: NDArray[np.uint64]
    rng: np.random.Generator


class Pairer(Protocol):
    """Pairs one run round by round; it may remember what was played."""

    def pairs(self, here: Rows, true: Array) -> Pairs:
        """Return who meets whom among the players who are here."""
        ...

    def played(self, pairs: Pairs, score: Array) -> None:
        """Hear how the round ended."""
        ...


class Pairing(Protocol):
    """A way to pair, as constants."""

    @property
    def name(self) -> str:
        """What people call it."""
        ...

    def begin(self, chance: Chance) -> Pairer:
        """Return what pairs a run."""
        ...

    def parameters(self) -> dict[str, object]:
        """Return every constant by name."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Random:
    """Everybody against anybody: each way to pair the players is as likely as any other."""

    name: str = "random"

    def begin(self, chance: Chance) -> Pairer:
        """Return what pairs a run."""
        return _Shuffled(chance)

    def parameters(self) -> dict[str, object]:
        """Return the name."""
        return {"pairing": self.name}


class _Shuffled:
    def __init__(self, chance: Chance) -> None:
        self.dice = chance.dice
        self.order = np.empty(0, dtype=np.int32)
        self.spare = np.empty(0, dtype=np.int32)
        self.here: Rows | None = None

    def pairs(self, here: Rows, true: Array) -> Pairs:  # noqa: ARG002
        from arpad.lab.kernels import shuffle

        if self.here is not here:  # others than in the last round
            self.here, self.order, self.spare = here, here.copy(), np.empty_like(here)
        shuffle(self.order, self.spare, self.dice)
        return _split(self.order)

    def played(self, pairs: Pairs, score: Array) -> None:
        """Random pairings remember nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ByStrength:
    """Neighbours meet: players in the order of true strength + N(0, spread), anew each round.

    Without a spread the same two would meet in every round, and no rating could travel further than
    from one to the other.

    Parameters
    ----------
    spread
        Rating points.
    """

    spread: float = 100.0
    name: str = "strength"

    def __post_init__(self) -> None:
        if not (math.isfinite(self.spread) and self.spread >= 0):
            raise UsageError(f"expected a spread of 0 or more points, found {self.spread!r}")

    def begin(self, chance: Chance) -> Pairer:
        """Return what pairs a run."""
        return _Neighbours(self.spread, chance)

    def parameters(self) -> dict[str, object]:
        """Return the name and the spread."""
        return {"pairing": self.name, "spread": self.spread}


class _Neighbours:
    def __init__(self, spread: float, chance: Chance) -> None:
        self.spread, self.rng = spread, chance.rng

    def pairs(self, here: Rows, true: Array) -> Pairs:
        about = true[here] + self.rng.normal(0.0, self.spread, len(here))
        order = here[np.argsort(about, kind="stable")]
        if len(order) % 2:  # anybody may be the one too many, or the strongest always would be
            order = np.append(np.delete(order, out := self.rng.integers(len(order))), order[out])
        return coloured(_split(order), self.rng)

    def played(self, pairs: Pairs, score: Array) -> None:
        """Neighbours remember nothing."""


def coloured(pairs: Pairs, rng: np.random.Generator) -> Pairs:
    """Draw lots for White, which else would always be the stronger player, or the weaker."""
    turned = rng.random(len(pairs.white)) < 0.5
    return Pairs(
        np.where(turned, pairs.black, pairs.white),
        np.where(turned, pairs.white, pairs.black),
        pairs.byes,
    )


def _split(order: Rows) -> Pairs:
    even = len(order) - len(order) % 2
    return Pairs(order[0:even:2].copy(), order[1:even:2].copy(), order[even:].copy())


def pairing(name: str, **constants: float | int | None) -> Pairing:
    """Return the pairing called `name`; constants that are None are left as they are.

    Examples
    --------
    >>> pairing("strength", spread=50).parameters()
    {'pairing': 'strength', 'spread': 50}
    """
    from arpad.lab.swiss import Swiss

    kinds: dict[str, Callable[..., Pairing]] = {
        "random": Random,
        "strength": ByStrength,
        "swiss": Swiss,
    }
    if name not in kinds:
        raise UsageError(f"expected a pairing, one of {', '.join(get_args(PairingName))}; found {name!r}")  # fmt: skip
    given = {key: value for key, value in constants.items() if value is not None}
    try:
        return kinds[name](**given)
    except TypeError:
        raise UsageError(f"the pairing {name} has nothing called {' or '.join(given)}") from None
