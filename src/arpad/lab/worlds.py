"""Worlds: true strengths, how they change, and what a difference does to a game."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, field
from pathlib import Path
from statistics import NormalDist
from typing import TYPE_CHECKING, ClassVar, Protocol

import numpy as np

from arpad.errors import UsageError
from arpad.rate.elo_reference import coded
from arpad.read.rating_list import read_strengths
from arpad.scale import Curve, Linear, Logistic, PraCurve, Ratio, Table
from arpad.scale import Normal as scale_Normal

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from arpad.rate.draws import DrawModel

    Array = NDArray[np.float64]
    Rows = NDArray[np.int32]


# PRA's chart: the steps by which its author's simulation decided who won a game.

CUTOFFS = (
    (0, 0.5),
    (100, 0.4),
    (200, 0.3),
    (300, 0.2),
    (400, 0.1),
    (500, 0.0640),
    (750, 0.0473),
    (1000, 0.0255),
    (1400, 0.0077),
)
"""From this many points of difference on, the weaker player's chance of the game [PRA, "Some Words about the Simulation"]."""
LARGEST = 1800
"""Points beyond which the weaker player never wins [the same]."""


def cutoff_table() -> NDArray[np.float64]:
    """Return the weaker player's chance for every whole difference from 0 to 1800 points."""
    table = np.empty(LARGEST + 1)
    for low, cutoff in CUTOFFS:
        table[low:] = cutoff
    return table


@dataclass(frozen=True, slots=True)
class CutoffChart(Curve):
    """The stronger player wins with 1 − cutoff; no game is drawn.

    A chart of steps has no inverse.

    Examples
    --------
    >>> CutoffChart().expected(130), CutoffChart().expected(-1750), CutoffChart().expected(99)
    (0.6, 0.0077, 0.5)
    """

    name: ClassVar[str] = "pra-chart"

    def _expected(self, D: NDArray[np.float64]) -> NDArray[np.float64]:
        size = np.abs(D)
        row = np.minimum(size, LARGEST).astype(np.int64)
        weaker = np.where(size > LARGEST, 0.0, cutoff_table()[row])
        return np.where(D < 0, weaker, 1 - weaker)

    def _difference(self, P: NDArray[np.float64]) -> NDArray[np.float64]:  # noqa: ARG002
        raise UsageError(
            "PRA's chart has steps, and no difference belongs to a score: choose the curve pra instead"
        )


# Worlds: what a difference in true strength does to a game, and how strengths and players change.

WORLDS: dict[str, Callable[[], Curve]] = {
    "pra": CutoffChart,
    "pra-curve": PraCurve,
    "logistic": Logistic,
    "normal": scale_Normal,
    "linear": Linear,
    "table": lambda: Table(interpolate=True),
}
"""The expected score by difference in true strength, by the name that people use on the command line.

pra         the chart of PRA's own simulation, in steps;
pra-curve   PRA's function E;
logistic, normal, linear, table   as in `scale`.
"""
MOST = 1_000_000.0
"""Points a round, or players a round: more is a slip."""


def world_curve(name: str) -> Curve:
    """Return the curve of the world called `name`.

    Examples
    --------
    >>> world_curve("pra").expected(130), round(world_curve("logistic").expected(130), 3)
    (0.6, 0.679)
    """
    if name not in WORLDS:
        raise UsageError(f"expected a world, one of {', '.join(WORLDS)}; found {name!r}")
    return WORLDS[name]()


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    """Rules of a simulated world: the curve of the games, and the change of players between rounds.

    Parameters
    ----------
    curve
        From a difference in true strength to White's expected score. Colours are worth nothing.
    draws
        The draw model; without it every game is decided.
    drift
        Standard deviation of the change of every true strength before each round but the
        first, in rating points.
    enter, leave
        Players who enter and leave before each round but the first; fractions add up.
    """

    curve: Curve = field(default_factory=CutoffChart)
    draws: DrawModel | None = None
    drift: float = 0.0
    enter: float = 0.0
    leave: float = 0.0

    def __post_init__(self) -> None:
        for name in ("drift", "enter", "leave"):
            value = getattr(self, name)
            if not (math.isfinite(value) and 0 <= value <= MOST):
                raise UsageError(f"expected {name} of 0 or more a round, found {value!r}")
        if isinstance(self.curve, Ratio):
            raise UsageError("the ratio curve measures ratios: choose another world")

    @property
    def name(self) -> str:
        """Return the name of the curve among the worlds."""
        names = {"pra-chart": "pra", "pra": "pra-curve"}
        return names.get(self.curve.name, self.curve.name)

    def parameters(self) -> dict[str, object]:
        """Return every constant by name."""
        interval = getattr(self.curve, "class_interval", None)
        return {
            "world": self.name,
            "class_interval": interval,
            "draws": None if self.draws is None else self.draws.document(),
            "drift": self.drift,
            "enter": self.enter,
            "leave": self.leave,
        }

    def play(self, white: Rows, black: Rows, true: Array, dice: NDArray[np.uint64]) -> Array:
        """Return White's score in every game of a round."""
        from arpad.lab import kernels

        score = np.empty(len(white))
        if self.draws is None:
            code, constants = self.coded()
            kernels.decide(white, black, true, score, dice, code, constants)
            return score
        kernels.uniforms(score, dice)
        return self.scores(true[white], true[black], score)

    def scores(self, white: Array, black: Array, u: Array) -> Array:
        """Return White's score for strengths and random numbers: 1 below P(win), ½ below P(win) + P(draw)."""
        E = np.asarray(self.curve.expected(white - black))
        if self.draws is None:
            return (u < E).astype(np.float64)
        r = self.draws.rate((white + black) / 2, E)
        return 0.5 * ((u < E - r / 2).astype(np.float64) + (u < E + r / 2))

    def coded(self) -> tuple[int, Array]:
        """Return the curve as the kernels need it: its number and constants."""
        if isinstance(self.curve, CutoffChart):
            from arpad.lab.kernels import CHART

            return CHART, cutoff_table()
        return coded(self.curve)


# Populations: the true strengths of the players in a simulated world.

PLAYERS = 15_000
"""Players of the text's two populations."""
MEAN, SD = 1500.0, 300.0
"""Of the text's standard population, in rating points."""
ELITE_MEAN = 2258.0
"""Mean start rating of the text's elite."""
ELITE_SHARE = 0.015
"""The elite are the strongest 15,000 of a million."""
FARTHEST = 1e6
"""Rating points; a strength beyond is a slip."""


class Population(Protocol):
    """A distribution of true strengths, as a frozen dataclass of its constants and the `name` that users write."""

    @property
    def name(self) -> str:
        """Name of the population, as users write it."""
        ...

    @property
    def centre(self) -> float:
        """Its mean: where everybody starts, and what an anchored system holds on to."""
        ...

    def draw(self, n: int, rng: np.random.Generator) -> Array:
        """Return n true strengths, in rating points."""
        ...

    def parameters(self) -> dict[str, object]:
        """Return every constant by name."""
        constants = asdict(self)  # type: ignore[call-overload]
        return {"population": constants.pop("name"), **constants}


@dataclass(frozen=True, slots=True, kw_only=True)
class NormalPopulation(Population):
    """A bell: the text's standard population is N(1500, 300)."""

    mean: float = MEAN
    sd: float = SD
    name: str = "normal"

    def __post_init__(self) -> None:
        _finite(self.name, mean=self.mean, sd=self.sd)
        if self.sd < 0:
            raise UsageError(f"expected an sd of 0 or more, found {self.sd!r}")

    @property
    def centre(self) -> float:
        """The mean."""
        return self.mean

    def draw(self, n: int, rng: np.random.Generator) -> Array:
        """Return n draws."""
        return rng.normal(self.mean, self.sd, n)


@dataclass(frozen=True, slots=True, kw_only=True)
class Elite(Population):
    """The strongest of a bell: of a million draws from N(1500, 300) the first 15,000."""

    mean: float = MEAN
    sd: float = SD
    share: float = ELITE_SHARE
    name: str = "elite"

    def __post_init__(self) -> None:
        _finite(self.name, mean=self.mean, sd=self.sd)
        if not (self.sd >= 0 and 0 < self.share < 1):
            raise UsageError(
                f"expected an sd of 0 or more and a share between 0 and 1, found {self.sd!r} and {self.share!r}"
            )

    @property
    def centre(self) -> float:
        """The text's 2258, which the mean of the strongest 1.5 % is; of another bell, or share, theirs."""
        if (self.mean, self.sd, self.share) == (MEAN, SD, ELITE_SHARE):
            return ELITE_MEAN
        bell = NormalDist()
        edge = bell.inv_cdf(1 - self.share)
        return self.mean + self.sd * bell.pdf(edge) / self.share

    def draw(self, n: int, rng: np.random.Generator) -> Array:
        """Return the strongest n of n / .015 draws, in no order."""
        everybody = rng.normal(self.mean, self.sd, max(n, round(n / self.share)))
        best = np.partition(everybody, len(everybody) - n)[len(everybody) - n :]
        return rng.permutation(best)


@dataclass(frozen=True, slots=True, kw_only=True)
class Uniform(Population):
    """Every strength from low to high alike."""

    low: float = 1000.0
    high: float = 2000.0
    name: str = "uniform"

    def __post_init__(self) -> None:
        _finite(self.name, low=self.low, high=self.high)
        if self.low > self.high:
            raise UsageError(f"expected low below high, found {self.low:g} and {self.high:g}")

    @property
    def centre(self) -> float:
        """The middle."""
        return (self.low + self.high) / 2

    def draw(self, n: int, rng: np.random.Generator) -> Array:
        """Return n draws."""
        return rng.uniform(self.low, self.high, n)


@dataclass(frozen=True, slots=True, kw_only=True)
class Scipy(Population):
    """Any continuous distribution of `scipy.stats`, by its name and parameters there."""

    name: str
    constants: dict[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not (math.isfinite(self.centre) and abs(self.centre) < FARTHEST):
            raise UsageError(
                f"expected a distribution with a mean, found {self.name} with {self.constants}: give other parameters (loc, scale, …)"
            )

    def _frozen(self) -> object:
        from scipy import stats  # costs a second: only for those who ask

        kind = getattr(stats, self.name, None)
        if not isinstance(kind, stats.rv_continuous):
            raise UsageError(
                f"expected a population: standard, elite, normal:mean=1500,sd=300, uniform:low=1000,high=2000, a distribution of scipy.stats or a file; found {self.name!r}"
            )
        known = [s.strip() for s in (kind.shapes or "").split(",") if s.strip()]
        for name in self.constants:
            if name not in (*known, "loc", "scale"):
                raise UsageError(
                    f"the distribution {self.name} has no parameter {name!r}; it has {', '.join([*known, 'loc', 'scale'])}"
                )
        missing = [name for name in known if name not in self.constants]
        if missing:
            raise UsageError(
                f"the distribution {self.name} wants {' and '.join(missing)}: {self.name}:{missing[0]}=2,loc=1500,scale=300"
            )
        return kind(**self.constants)

    @property
    def centre(self) -> float:
        """Its mean."""
        return float(self._frozen().mean())  # type: ignore[attr-defined]

    def draw(self, n: int, rng: np.random.Generator) -> Array:
        """Return n draws."""
        return np.asarray(self._frozen().rvs(n, random_state=rng), dtype=np.float64)  # type: ignore[attr-defined]

    def parameters(self) -> dict[str, object]:
        """Return its name and parameters."""
        return {"population": self.name, **self.constants}


@dataclass(frozen=True, slots=True, kw_only=True)
class Given(Population):
    """Strengths that somebody brought.

    As many players as there are strengths get them as they stand; fewer are a sample, more are drawn
    with repetition.
    """

    values: Array
    name: str = "given"

    def __post_init__(self) -> None:
        if not len(self.values) or not bool(np.isfinite(self.values).all()):
            raise UsageError("expected true strengths that are numbers, found none or one that is not")
        if float(np.abs(self.values).max()) > FARTHEST:
            raise UsageError(
                f"expected true strengths within ±{FARTHEST:,.0f} points, found {self.values[np.abs(self.values).argmax()]:g}"
            )

    @classmethod
    def from_file(cls, path: str) -> tuple[Given, Array | None]:
        """Read true strengths, and the ratings to start from where the file has them."""
        true, start = read_strengths(path)
        return cls(values=np.array(true), name=Path(path).name), None if start is None else np.array(start)

    @property
    def centre(self) -> float:
        """Their mean."""
        return float(self.values.mean())

    def draw(self, n: int, rng: np.random.Generator) -> Array:
        """Return the strengths, or n of them."""
        if n == len(self.values):
            return self.values.copy()
        return rng.choice(self.values, n, replace=n > len(self.values))

    def parameters(self) -> dict[str, object]:
        """Return how many there are."""
        return {"population": self.name, "strengths": len(self.values)}


def population(text: str) -> Population:
    """Return the population that a text names: ``standard``, ``elite``, ``NAME:PARAMETER=VALUE,…``.

    Examples
    --------
    >>> population("standard").centre, population("uniform:low=1200,high=1400").centre
    (1500.0, 1300.0)
    >>> population("gamma:a=4,loc=900,scale=150").centre
    1500.0
    """
    name, _, rest = text.strip().partition(":")
    constants = _constants(text, rest)
    if name in ("standard", "elite") and constants:
        raise UsageError(
            f"the {name} population has no parameters: write normal:mean=1500,sd=300 for another"
        )
    if name == "standard":
        return NormalPopulation(name="standard")
    if name == "elite":
        return Elite()
    try:
        if name == "normal":
            return NormalPopulation(**constants)  # type: ignore[arg-type]
        if name == "uniform":
            return Uniform(**constants)  # type: ignore[arg-type]
    except TypeError:
        wanted = "mean and sd" if name == "normal" else "low and high"
        raise UsageError(f"the {name} population has {wanted}; found {', '.join(constants)}") from None
    return Scipy(name=name, constants=constants)


def _constants(text: str, rest: str) -> dict[str, float]:
    result = {}
    for part in filter(None, rest.split(",")):
        key, _, value = part.partition("=")
        try:
            result[key.strip()] = float(value)
        except ValueError:
            raise UsageError(f"expected NAME:PARAMETER=NUMBER,… for a population, found {text!r}") from None
    return result


def _finite(name: str, **values: float) -> None:
    for what, value in values.items():
        if not (math.isfinite(value) and abs(value) <= FARTHEST):
            raise UsageError(
                f"expected a number within ±{FARTHEST:,.0f} for {what} of the {name} population, found {value!r}"
            )
