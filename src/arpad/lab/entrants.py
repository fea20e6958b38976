"""Who enters a comparison: systems by name, with constants of their own, and other libraries where they are installed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from importlib import import_module
from importlib.util import find_spec
from inspect import signature
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from arpad.errors import UsageError
from arpad.lab.walk import PublishedSystem
from arpad.rate.glicko.steps import SCALE
from arpad.rate.registry import SYSTEMS, system
from arpad.rate.system import Range

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from arpad.model import Games
    from arpad.rate.system import RatingSystem

    Array = NDArray[np.float64]
    Rows = NDArray[np.int64]

PUBLISHED = PublishedSystem.name
Constants = Literal["as published", "as told", "tuned"]
"""Origins of an entrant's constants: the system's defaults, the user, or the validation window."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entrant:
    """A system under the label that its row has."""

    label: str
    name: str
    system: RatingSystem
    constants: Constants = "as published"
    options: Mapping[str, Any] = field(default_factory=dict)
    """Options of the system that differ from its defaults."""

    def tuned(self, options: Mapping[str, Any]) -> Entrant:
        """Return the same system with constants that were chosen on the validation window."""
        told = {**self.options, **options}
        made = _made(self.name, told)
        return replace(self, label=tuned_label(self.label), system=made, constants="tuned", options=told)


def tuned_label(label: str) -> str:
    """Return the label of the row with tuned constants."""
    return f"{label} tuned"


def entrant(
    name: str,
    options: Mapping[str, Any] | None = None,
    *,
    label: str | None = None,
    given: bool | None = False,
) -> Entrant:
    """Return one system.

    Parameters
    ----------
    options
        Constants that are not the system's own defaults.
    label
        Its name in tables; None: the name of the system.
    given
        Whether players start from the ratings in the source, for systems that can be told. False: all
        start alike, and results say the rest. None: as the system does by itself.

    Examples
    --------
    >>> entrant("elo", {"k": 32}).constants
    'as told'
    """
    told = dict(options or {})
    if name == PUBLISHED:
        if told:
            raise UsageError(f"published ratings have no option {next(iter(told))!r}")
        return Entrant(label=label or name, name=name, system=PublishedSystem())  # type: ignore[arg-type]
    takes_given = name in SYSTEMS and "given" in signature(SYSTEMS[name]).parameters
    own = {} if given is None or not takes_given else {"given": given}
    return Entrant(
        label=label or name,
        name=name,
        system=_made(name, {**own, **told}),
        constants="as told" if told else "as published",
        options={**own, **told},
    )


def _made(name: str, options: Mapping[str, Any]) -> RatingSystem:
    return peer(name, options) if name in PEERS else system(name, **options)  # type: ignore[return-value]


def everybody(*, given: bool | None = False) -> list[Entrant]:
    """Return every registered system, the ratings in the data, and the peers that are installed."""
    return [entrant(name, given=given) for name in (*SYSTEMS, PUBLISHED, *installed())]


def check_labels(entrants: Sequence[Entrant]) -> None:
    """Refuse two rows of one name."""
    labels = [each.label for each in entrants]
    twice = next((label for label in labels if labels.count(label) > 1), None)
    if twice:
        raise UsageError(f"expected every system once, found {twice!r} twice")


# Peers: other libraries, each called as its own documentation says, a period at a time.

Period = tuple["Rows", "Array", int]
"""The two players of each game of a period, the first one's score, and the day of the first game."""
Told = Mapping[str, Any]
SIGMA, TAU = Range(2, 16, log=True), Range(0.005, 2, log=True)
"""On the usual scale of Weng and Lin, on which newcomers are 25 ± 25/3."""
DRAWN = Range(0.01, 0.6)
WINDOW, SMOOTHED = 730, 2
"""TrueSkill Through Time smooths the games of so many days, in so many rounds: all of them would take hours."""


def _riix(model: str, players: int, periods: Iterator[Period], told: Told) -> Iterator[Array]:
    module, _, name = model.partition(":")
    made = getattr(import_module(f"riix.models.{module}"), name)(competitors=list(range(players)), **told)
    for number, (pairs, score, _) in enumerate(periods):
        yield np.asarray(made.predict(pairs, time_step=number), dtype=np.float64)
        made.update(pairs, score, time_step=number)


def _openskill(model: str, players: int, periods: Iterator[Period], told: Told) -> Iterator[Array]:
    made = getattr(import_module("openskill.models"), model)(**told)
    rated = [made.rating() for _ in range(players)]
    for pairs, score, _ in periods:
        sides = pairs.tolist()
        yield np.array([made.predict_win([[rated[a]], [rated[b]]])[0] for a, b in sides])
        for (a, b), s in zip(sides, score.tolist(), strict=True):
            (rated[a],), (rated[b],) = made.rate([[rated[a]], [rated[b]]], scores=[s, 1 - s])


def _evalica(model: str, players: int, periods: Iterator[Period], told: Told) -> Iterator[Array]:
    evalica = import_module("evalica")
    results = {1.0: evalica.Winner.X, 0.0: evalica.Winner.Y, 0.5: evalica.Winner.Draw}
    white, black, winners, rating = list[int](), list[int](), list[Any](), np.zeros(players)
    for pairs, score, _ in periods:
        yield 1 / (1 + 10 ** ((rating[pairs[:, 1]] - rating[pairs[:, 0]]) / 400))
        white += pairs[:, 0].tolist()
        black += pairs[:, 1].tolist()
        winners += [results[s] for s in score.tolist()]
        scores = getattr(evalica, model)(white, black, winners, **told).scores
        rating[scores.index] = scores.to_numpy()


def _through_time(model: str, players: int, periods: Iterator[Period], told: Told) -> Iterator[Array]:
    from scipy.special import ndtr

    made, seen = getattr(import_module("trueskillthroughtime"), model), list[tuple[int, int, float, int]]()
    mean, variance = np.zeros(players), np.full(players, told["sigma"] ** 2)
    for pairs, score, day in periods:
        a, b = pairs[:, 0], pairs[:, 1]
        yield np.asarray(ndtr((mean[a] - mean[b]) / np.sqrt(2 + variance[a] + variance[b])))
        seen = [game for game in seen if game[3] >= day - WINDOW]
        seen += [(x, y, s, day) for (x, y), s in zip(pairs.tolist(), score.tolist(), strict=True)]
        sides, scores = [[[x], [y]] for x, y, *_ in seen], [[s, 1 - s] for *_, s, _ in seen]
        history = made(sides, scores, [when for *_, when in seen], mu=0.0, beta=1.0, **told)
        history.convergence(epsilon=1e-2, iterations=SMOOTHED, verbose=False)
        for player, curve in history.learning_curves().items():
            mean[player], variance[player] = curve[-1][1].mu, curve[-1][1].sigma ** 2


Line = tuple[str, Any, str, dict[str, Any], dict[str, Range]]
_BT = {"initial_sigma": SIGMA, "tau": TAU}
_TIME = {"sigma": Range(0.5, 6, log=True), "gamma": Range(0.003, 0.1, log=True), "p_draw": DRAWN}
_SLOW: Line = (
    "trueskillthroughtime",
    _through_time,
    "History",
    {"sigma": 1.6, "gamma": 0.03, "p_draw": 0.3},
    _TIME,
)
_DRAWS = {**_BT, "draw_probability": DRAWN}
PEERS: dict[str, Line] = {
    "riix-glicko": ("riix", _riix, "glicko:Glicko", {"c": 63.2}, {"c": Range(3, 120, log=True)}),
    "riix-trueskill": ("riix", _riix, "trueskill:TrueSkill", {"draw_probability": 0.3}, _DRAWS),
    "riix-weng-lin": ("riix", _riix, "weng_lin:WengLin", {"model": "bt"}, _BT),
    "openskill": ("openskill", _openskill, "PlackettLuce", {}, {"sigma": SIGMA, "tau": TAU}),
    "evalica": ("evalica", _evalica, "elo", {"k": 20.0}, {"k": Range(4, 80, log=True)}),
    "trueskillthroughtime": _SLOW,
}
"""Name → package, how it is called, its class or function, its constants, and those that may be tuned."""


def installed() -> list[str]:
    """Return the names of the peers whose packages are installed."""
    return [name for name, (package, *_) in PEERS.items() if _there(package)]


def _there(package: str) -> bool:
    try:
        return find_spec(package) is not None
    except ValueError:  # something set it aside
        return False


@dataclass(frozen=True, slots=True, kw_only=True)
class Peer:
    """A system of another library."""

    name: str
    constants: Mapping[str, Any]
    tunable: Mapping[str, Range]

    def parameters(self) -> dict[str, object]:
        """Return the constants that are not the library's own defaults."""
        return dict(self.constants)

    def predict_games(self, games: Games, first: Rows) -> tuple[Array, Array]:
        """Return White's expected score of each game from the periods before its own, and the difference that says so."""
        _, make, model, *_ = PEERS[self.name]
        pairs = np.stack([games.table[side].to_numpy() for side in ("white", "black")], axis=1).astype(
            np.int64
        )
        score = games.table["score"].cast(float).to_numpy()
        day = games.table["date"].to_physical().to_numpy()
        periods = ((pairs[a:b], score[a:b], int(day[a])) for a, b in pairwise(first.tolist()))
        said = [np.zeros(0), *make(model, games.players.height, periods, self.constants)]
        expected = np.clip(np.concatenate(said), 1e-6, 1 - 1e-6)
        return SCALE * np.log(expected / (1 - expected)), expected


def peer(name: str, options: Mapping[str, Any]) -> Peer:
    """Return the system of another library, with constants beside the usual ones."""
    package, _, _, usual, tunable = PEERS[name]
    if not _there(package):
        raise UsageError(f"{name} needs the package {package}, which is not installed")
    unknown = [option for option in options if option not in {*usual, *tunable}]
    if unknown:
        raise UsageError(f"{name} has no option {unknown[0]!r}; it has {', '.join({**usual, **tunable})}")
    told = {option: float(value) if option in tunable else value for option, value in options.items()}
    return Peer(name=name, constants={**usual, **told}, tunable=tunable)
