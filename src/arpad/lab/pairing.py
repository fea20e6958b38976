"""Pairings: who meets whom in a round."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, ClassVar, Literal, NamedTuple, Protocol, get_args

import numpy as np

from arpad.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    Array = NDArray[np.float64]
    Rows = NDArray[np.int32]


PairingName = Literal["random", "strength", "swiss"]


class RoundPairs(NamedTuple):
    """One round: rows of White, rows of Black, and who has no opponent."""

    white: Rows
    black: Rows
    byes: Rows


class RandomSources(NamedTuple):
    """The two sources of chance that pairings use."""

    dice: NDArray[np.uint64]
    rng: np.random.Generator


class Pairer:
    """Pairs one run round by round; it may remember what was played."""

    def pairs(self, here: Rows, true: Array) -> RoundPairs:
        """Return who meets whom among the players who are here."""
        raise NotImplementedError

    def played(self, pairs: RoundPairs, score: Array) -> None:
        """Take note of the results of the round."""


class PairingRule(Protocol):
    """A way to pair, as a frozen dataclass of constants; `name` is what users write."""

    name: ClassVar[PairingName]

    def begin(self, chance: RandomSources) -> Pairer:
        """Return what pairs a run."""
        ...

    def parameters(self) -> dict[str, object]:
        """Return every constant by name."""
        constants = asdict(self)  # type: ignore[call-overload]
        # A season has rounds of its own.
        own = {"event_rounds" if name == "rounds" else name: value for name, value in constants.items()}
        return {"pairing": self.name, **own}


@dataclass(frozen=True, slots=True, kw_only=True)
class Random(PairingRule):
    """Random pairing: every way to pair the players is equally likely."""

    name: ClassVar[PairingName] = "random"

    def begin(self, chance: RandomSources) -> Pairer:
        """Return what pairs a run."""
        return _Shuffled(chance)


class _Shuffled(Pairer):
    def __init__(self, chance: RandomSources) -> None:
        self.dice = chance.dice
        self.order = np.empty(0, dtype=np.int32)
        self.spare = np.empty(0, dtype=np.int32)
        self.here: Rows | None = None

    def pairs(self, here: Rows, true: Array) -> RoundPairs:  # noqa: ARG002
        from arpad.lab.kernels import shuffle

        if self.here is not here:  # others than in the last round
            self.here, self.order, self.spare = here, here.copy(), np.empty_like(here)
        shuffle(self.order, self.spare, self.dice)
        return _split(self.order)


@dataclass(frozen=True, slots=True, kw_only=True)
class ByStrength(PairingRule):
    """Neighbours meet: players in the order of true strength + N(0, spread), drawn again each round.

    Without a spread the same two would meet in every round, and no rating could travel further than
    from one to the other.

    Parameters
    ----------
    spread
        Rating points.
    """

    name: ClassVar[PairingName] = "strength"
    spread: float = 100.0

    def __post_init__(self) -> None:
        if not (math.isfinite(self.spread) and self.spread >= 0):
            raise UsageError(f"expected a spread of 0 or more points, found {self.spread!r}")

    def begin(self, chance: RandomSources) -> Pairer:
        """Return what pairs a run."""
        return _Neighbours(self.spread, chance)


class _Neighbours(Pairer):
    def __init__(self, spread: float, chance: RandomSources) -> None:
        self.spread, self.rng = spread, chance.rng

    def pairs(self, here: Rows, true: Array) -> RoundPairs:
        about = true[here] + self.rng.normal(0.0, self.spread, len(here))
        order = here[np.argsort(about, kind="stable")]
        if len(order) % 2:  # anybody may be the one too many, or the strongest always would be
            order = np.append(np.delete(order, out := self.rng.integers(len(order))), order[out])
        return coloured(_split(order), self.rng)


def coloured(pairs: RoundPairs, rng: np.random.Generator) -> RoundPairs:
    """Draw lots for White, which else would always be the stronger player, or the weaker."""
    turned = rng.random(len(pairs.white)) < 0.5
    return RoundPairs(
        np.where(turned, pairs.black, pairs.white), np.where(turned, pairs.white, pairs.black), pairs.byes
    )


def _split(order: Rows) -> RoundPairs:
    even = len(order) - len(order) % 2
    return RoundPairs(order[0:even:2].copy(), order[1:even:2].copy(), order[even:].copy())


def pairing(name: str, **constants: float | int | None) -> PairingRule:
    """Return the pairing called `name`; constants that are None are left as they are.

    Examples
    --------
    >>> pairing("strength", spread=50).parameters()
    {'pairing': 'strength', 'spread': 50}
    """
    kinds: dict[str, Callable[..., PairingRule]] = {"random": Random, "strength": ByStrength, "swiss": Swiss}
    if name not in kinds:
        raise UsageError(f"expected a pairing, one of {', '.join(get_args(PairingName))}; found {name!r}")
    given = {key: value for key, value in constants.items() if value is not None}
    try:
        return kinds[name](**given)
    except TypeError:
        raise UsageError(f"the pairing {name} has nothing called {' or '.join(given)}") from None


# Swiss events: players with equal scores meet, and nobody meets the same opponent twice if it can be avoided.

LARGEST_FIELD = 2000
"""Players in an event; more would take for ever."""
SMALLEST_FIELD = 4
"""A rest of fewer players joins another section."""
TRIES = 20_000
"""Steps of the search for a round without a repeated game, before a game is repeated."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Swiss(PairingRule):
    """Events one after another: at the start of each everybody is put into a section by lot.

    In a round a score group is folded, the upper half against the lower, by true strength: no rating
    system has a say in it, so that all of them see the same games. Who is one too many in a group meets
    somebody of the next. Who enters in the middle of an event waits for the next one.

    Parameters
    ----------
    rounds
        Of an event.
    field
        Players in a section, at most.
    """

    name: ClassVar[PairingName] = "swiss"
    rounds: int = 9
    field: int = 100

    def __post_init__(self) -> None:
        if self.rounds < 1:
            raise UsageError(f"expected an event of 1 round or more, found {self.rounds!r}")
        if not SMALLEST_FIELD <= self.field <= LARGEST_FIELD:
            raise UsageError(
                f"expected a field of {SMALLEST_FIELD} to {LARGEST_FIELD:,} players, found {self.field!r}"
            )

    def begin(self, chance: RandomSources) -> Pairer:
        """Return what pairs a run."""
        return _Events(self, chance)


@dataclass(slots=True)
class PairingSection:
    """One event under way: scores, who met whom, who had a bye."""

    players: list[int]
    score: dict[int, float] = field(default_factory=dict)
    met: dict[int, set[int]] = field(default_factory=dict)
    byes: set[int] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.score = dict.fromkeys(self.players, 0.0)
        self.met = {p: set() for p in self.players}

    def pair(self, strength: Array) -> tuple[list[tuple[int, int]], int | None]:
        """Return the pairs of the next round, and who has the bye; `strength` is by row."""
        order = sorted(self.players, key=lambda p: (-self.score[p], -strength[p], p))
        bye = None
        if len(order) % 2:
            # the last without one; after a bye for everybody, the last
            bye = next((p for p in reversed(order) if p not in self.byes), order[-1])
            order.remove(bye)
        return self._search(order), bye

    def take(self, a: int, b: int, score: float) -> None:
        """Enter a result; `score` is the first player's."""
        self.score[a] += score
        self.score[b] += 1 - score
        self.met[a].add(b)
        self.met[b].add(a)

    def rest(self, p: int) -> None:
        """Enter a bye: a point, and no second one soon."""
        self.score[p] += 1.0
        self.byes.add(p)

    def _search(self, order: list[int]) -> list[tuple[int, int]]:
        """Go back where no opponent is left; a set of players that has failed is not tried again."""
        result: list[tuple[int, int]] = []
        rests: list[list[int]] = [order]
        options: list[Iterator[int]] = [self._opponents(order)] if order else []
        failed: set[frozenset[int]] = set()
        steps = 0
        while rests[-1] and steps < TRIES:
            steps += 1
            rest = rests[-1]
            b = next(options[-1], None)
            if b is None:
                failed.add(frozenset(rest))
                if len(rests) == 1:
                    break
                rests.pop()
                options.pop()
                result.pop()
                continue
            left = [p for p in rest[1:] if p != b]
            if failed and frozenset(left) in failed:
                continue
            result.append((rest[0], b))
            rests.append(left)
            options.append(self._opponents(left))
        if rests[-1]:
            return list(zip(order[0::2], order[1::2], strict=True))  # it cannot be avoided
        return result

    def _opponents(self, rest: list[int]) -> Iterator[int]:
        """Yield whom the first of `rest` may meet: the other half of the group, then all others, the nearest first."""
        if not rest:
            return
        a = rest[0]
        group = 1
        while group < len(rest) and self.score[rest[group]] == self.score[a]:
            group += 1
        half = max(1, group // 2)
        for places in (range(half, group), range(half - 1, 0, -1), range(max(half, group), len(rest))):
            for i in places:
                if rest[i] not in self.met[a]:
                    yield rest[i]


class _Events(Pairer):
    def __init__(self, swiss: Swiss, chance: RandomSources) -> None:
        self.swiss, self.rng = swiss, chance.rng
        self.sections: list[PairingSection] = []
        self.round = 0

    def pairs(self, here: Rows, true: Array) -> RoundPairs:
        if self.round % self.swiss.rounds == 0:
            self.sections = self._drawn(here)
        else:
            present = set(here.tolist())
            for section in self.sections:
                section.players = [p for p in section.players if p in present]
        self.round += 1
        pairs: list[tuple[int, int]] = []
        for section in self.sections:
            result, bye = section.pair(true)
            pairs += result
            if bye is not None:
                section.rest(bye)
        both = np.array(pairs, dtype=np.int32).reshape(-1, 2)
        idle = here[~np.isin(here, both)]
        return coloured(RoundPairs(both[:, 0].copy(), both[:, 1].copy(), idle), self.rng)

    def played(self, pairs: RoundPairs, score: Array) -> None:
        where = {p: section for section in self.sections for p in section.players}
        rows = zip(pairs.white.tolist(), pairs.black.tolist(), score.tolist(), strict=True)
        for white, black, points in rows:
            where[white].take(white, black, points)

    def _drawn(self, here: Rows) -> list[PairingSection]:
        order = self.rng.permutation(here)
        cuts = list(range(self.swiss.field, len(order), self.swiss.field))
        if cuts and len(order) - cuts[-1] < SMALLEST_FIELD:
            cuts.pop()
        return [PairingSection(part.tolist()) for part in np.split(order, cuts)]
