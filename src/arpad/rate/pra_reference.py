"""PRA game by game, line by line after the text: the readable reference.

`pra_kernels` does the same on arrays; a property test says that they agree exactly. Small inputs are
rated here, so that nobody waits for a compiler.

Source: T. Berard, *The Performance Rating Algorithm (PRA) and the Tournament App*, part 1; equations in
brackets.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from arpad.errors import UsageError
from arpad.rate.expectancy import plain
from arpad.scale import Pra

__all__ = ["BOOSTING", "PARTS", "START", "Boosting", "PraPlayer", "basic", "boost", "expected"]

K = 9.0
"""Rating points that a game is worth [2]."""

START = 1500.0
"""Rating points that everybody brings into the system [1]."""

PARTS = 4
"""Parts of a block whose means are compared [4, 5]."""

MOST = 10_000
"""No constant of the Boosting System is larger; a block's games must fit into 16 bits."""

expected = plain(Pra())
"""E, the expected score for a rating difference [3]."""


class Boosting(NamedTuple):
    """The constants of the Boosting System [11, 12].

    A named tuple, because the compiled kernels take it as it stands.

    Parameters
    ----------
    steady, fresh, turning
        Coefficients of peak − trough: for a trend the way of the block before, for one after a block
        without a trend, for one against it.
    block, until
        Games in a block, and the game with which the last of these blocks ends.
    late_block, late_until
        The same for the reduced boosting that follows; after `late_until` there is none.
    omega, late_omega
        By what the coefficients are multiplied in the two stretches.
    """

    steady: float = 2.625
    fresh: float = 0.875
    turning: float = 0.5
    block: int = 20
    until: int = 160
    late_block: int = 40
    late_until: int = 320
    omega: float = 1.0
    late_omega: float = 0.15

    def span(self, ctr: int) -> tuple[int, int, float]:
        """Return the size of the block that a game is in, its place there and ω; games count from 0.

        The text's ``if(ctr < 319) omega = 0.0`` is a slip: it means after 319.

        Examples
        --------
        >>> Boosting().span(19), Boosting().span(160), Boosting().span(320)
        ((20, 19, 1.0), (40, 0, 0.15), (0, 0, 0.0))
        """
        if ctr < self.until:
            return self.block, ctr % self.block, self.omega
        if ctr < self.late_until:
            return self.late_block, (ctr - self.until) % self.late_block, self.late_omega
        return 0, 0, 0.0

    def check(self) -> None:
        """Refuse blocks that do not divide into four parts, stretches that do not divide into blocks."""
        stretches = ((self.block, self.until), (self.late_block, self.late_until - self.until))
        for name, value in self._asdict().items():
            if not 0 <= value <= MOST:
                raise UsageError(f"{name}: expected a number from 0 to {MOST:,}, found {value!r}")
        for size, games in stretches:
            if size != int(size) or size < PARTS or size % PARTS or games < 0 or games % size:
                raise UsageError(
                    f"expected blocks of 4, 8, 12, … games, and stretches of whole blocks; found blocks of "
                    f"{size} in {games} games"
                )


BOOSTING = Boosting()
"""As the text has it."""


@dataclass(slots=True, kw_only=True)
class PraPlayer:
    """One player as the text's program sees him.

    `sums` are those of the ratings in the four parts of the block under way, `measured` the games in
    it; `boosting` is off after a correction.
    """

    rating: float = START
    games: int = 0
    direction: int = 0
    sums: list[float] = field(default_factory=lambda: [0.0] * PARTS)
    peak: float = 0.0
    trough: float = 0.0
    measured: int = 0
    boosting: bool = True


def basic(rating: float, opponent: float, score: float, *, k: float = K) -> tuple[float, float]:
    """Return both ratings after a game: R′ = R + 9 (S − E) [2].

    Examples
    --------
    >>> basic(1500, 1500, 1.0)
    (1504.5, 1495.5)
    """
    change = k * (score - expected(rating - opponent))
    return rating + change, opponent - change


def boost(player: PraPlayer, rating: float, constants: Boosting = BOOSTING) -> float:
    """Take the rating after a game into the player's block; return it, boosted where the block ends.

    A block has the ratings *after* each of its games: a boosted value is in none.

    Examples
    --------
    >>> rising, rating = PraPlayer(), 1500.0
    >>> for _ in range(20):
    ...     rating = boost(rising, rating + 1)
    >>> rating, rising.direction  # peak 1520, trough 1501: 1520 + 2.625 × 19
    (1569.875, 1)
    """
    ctr = player.games
    player.games += 1
    size, place, omega = constants.span(ctr)
    if not player.boosting or not size:
        return rating
    if place == 0:
        player.sums, player.measured = [0.0] * PARTS, 0
    part = size // PARTS
    player.peak = max(player.peak, rating) if player.measured else rating
    player.trough = min(player.trough, rating) if player.measured else rating
    player.sums[place // part] += rating
    player.measured += 1
    if place + 1 < size:
        return rating
    return _end_of_block(player, rating, part, omega, constants, first=ctr < constants.block)


def _end_of_block(
    player: PraPlayer, rating: float, part: int, omega: float, constants: Boosting, *, first: bool
) -> float:
    Rbar1, Rbar2, Rbar3, Rbar4 = (total / part for total in player.sums)
    V1, V2, V3 = Rbar2 - Rbar1, Rbar3 - Rbar2, Rbar4 - Rbar3
    span = player.peak - player.trough
    if player.measured < part * PARTS:
        player.direction = 0  # who joined in the middle of a block is measured from the next one on
    elif V1 > 0 and V2 > 0 and V3 > 0:
        return player.peak + omega * _coefficient(player, 1, constants, first=first) * span
    elif V1 < 0 and V2 < 0 and V3 < 0:
        return player.trough - omega * _coefficient(player, -1, constants, first=first) * span
    else:
        player.direction = 0
    return rating


def _coefficient(player: PraPlayer, way: int, constants: Boosting, *, first: bool) -> float:
    """Return the coefficient for a trend this way (1 up, −1 down), and move the direction a step."""
    if first:
        player.direction = way  # as if there were a block before, and it had gone the same way
    before = player.direction
    player.direction = max(-1, min(1, before + way))
    if before == way:
        return constants.steady
    return constants.fresh if before == 0 else constants.turning
