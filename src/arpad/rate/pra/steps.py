"""PRA game by game after the text: the readable reference, day by day."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import polars as pl

from arpad.errors import UsageError
from arpad.rate.elo_reference import plain
from arpad.rate.periods import has_rounds, one_event_in_order, period_numbers
from arpad.scale import PraCurve

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from arpad.model import Games


# PRA game by game, line by line after the text: the readable reference.
#
# `pra_kernels` does the same on arrays; a property test says that they agree exactly. Small inputs are
# rated here, so that nobody waits for a compiler.
#
# Source: T. Berard, *The Performance Rating Algorithm (PRA) and the Tournament App*, part 1; equations in
# brackets.

K = 9.0
"""Rating points that a game is worth [2]."""
START = 1500.0
"""Rating points that everybody brings into the system [1]."""
PARTS = 4
"""Parts of a block whose means are compared [4, 5]."""
MOST = 10_000
"""No constant of the Boosting System is larger; a block's games must fit into 16 bits."""
expected = plain(PraCurve())
"""E, the expected score for a rating difference [3]."""


class Boosting(NamedTuple):
    """The constants of the Boosting System [11, 12].

    A named tuple, because the compiled kernels take it directly.

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


# PRA day by day: games in their order, and the population's mean put right every night.
#
# `pra_kernels.rate_days` does the same on arrays; a property test says that they agree exactly.


@dataclass(slots=True, kw_only=True)
class Anchor:
    """The population's points [PRA (1, 2)].

    Parameters
    ----------
    target
        What the mean is brought back to; NaN: to what everybody brought.
    surplus
        Points that the population has beyond that.
    population
        How many are in it.
    shift
        By how much everybody was moved so far. Ratings are kept without it, so that a night costs
        nothing, however many they are; and a shift is no trend.
    """

    target: float
    surplus: float = 0.0
    population: float = 0.0
    shift: float = 0.0

    def enter(self, player: PraPlayer) -> None:
        """Take in somebody with the rating that he brings."""
        self.population += 1
        if not math.isnan(self.target):
            self.surplus += player.rating - self.target
        player.rating -= self.shift

    def night(self) -> None:
        """Add adj = −surplus/N to everybody's rating [2]."""
        self.shift -= self.surplus / self.population
        self.surplus = 0.0


def walk(
    games: Iterable[tuple[int, int, float, int]],
    players: Sequence[PraPlayer],
    inside: list[bool],
    anchor: Anchor | None,
    *,
    k: float,
    constants: Boosting,
    told: list[tuple[float, ...]] | None = None,
) -> list[float]:
    """Rate the games; return the points that each player was boosted by.

    Players change along the way; at the end `anchor.shift` is to be added to all who are inside.

    Parameters
    ----------
    games
        White, Black, White's score and the number of the day, in order.
    inside
        Who is in the population already; everybody else enters with the first game.
    anchor
        None: the mean goes where it goes.
    told
        Gets a row a game: the shift so far, both ratings before it (without the shift), both boosts.
    """
    leaps = [0.0] * len(players)
    today: int | None = None
    for white, black, score, day in games:
        if anchor and today is not None and day != today:
            anchor.night()
        today = day
        for p in (white, black):
            if anchor and not inside[p]:
                anchor.enter(players[p])
            inside[p] = True
        one, other = players[white], players[black]
        before = (one.rating, other.rating)
        R_w, R_b = basic(*before, score, k=k)
        one.rating, other.rating = boost(one, R_w, constants), boost(other, R_b, constants)
        leaps[white] += one.rating - R_w
        leaps[black] += other.rating - R_b
        if anchor:
            anchor.surplus += (one.rating - R_w) + (other.rating - R_b)
        if told is not None:
            shift = anchor.shift if anchor else 0.0
            told.append((shift, *before, one.rating - R_w, other.rating - R_b))
    if anchor and today is not None:
        anchor.night()
    return leaps


def in_order(games: Games) -> tuple[pl.DataFrame, pl.Series]:
    """Return the games that were played in the order that PRA takes them, and the number of each one's day.

    One event all of whose games have a round: by round, then by board. Otherwise by date, event, round
    and board: also where dates are known and somebody has two games in a round, as rounds do that begin
    again every season. Games without a date stay in the day of those before them.
    """
    played = games.rateable()
    if not has_rounds(played) or _begin_anew(played):
        played, days = period_numbers(played, "day")
        return played, days.fill_null(0)  # no dates at all: one day
    played = one_event_in_order(played).drop("when", "certain")
    # A game of round 3 that was played early belongs to the days of round 3.
    latest = played.select(pl.col("date").forward_fill().cum_max()).to_series().cast(pl.Int32)
    return played, latest.fill_null(-(2**31)).rank("dense").cast(pl.Int64)


def _begin_anew(played: pl.DataFrame) -> bool:
    """Say whether dates are known and somebody plays twice in a round, as where seasons share a table."""
    if not played["date"].is_not_null().any():
        return False
    number = pl.col("round").str.extract(r"^\s*(\d{1,6})")
    sides = (played.select(pl.col(side).alias("player"), number) for side in ("white", "black"))
    return bool(pl.concat(sides).is_duplicated().any())


# Everybody's PRA before, while and after games are rated: one row a player, and the text of a list.

STATE = np.dtype(
    [
        ("rating", np.float64),
        ("sums", np.float64, PARTS),  # of the ratings in each part of the block under way
        ("peak", np.float64),
        ("trough", np.float64),
        ("games", np.int32),  # in all
        ("measured", np.int16),  # games in the block under way
        ("direction", np.int8),  # of the block before: 1, 0, −1
        ("boosting", np.int8),  # 0 after a correction
    ],
    align=True,
)
"""One player, 64 bytes; ratings in points. The fields are those of `pra_reference.PraPlayer`."""


def newcomers(n: int, *, start: float = START) -> NDArray[np.void]:
    """Return the state of n players of whom nothing is known."""
    state = np.zeros(n, dtype=STATE)
    state["rating"] = start
    state["boosting"] = 1
    return state


def people(state: NDArray[np.void]) -> list[PraPlayer]:
    """Return the players as the reference takes them."""
    return [
        PraPlayer(
            rating=float(row["rating"]),
            games=int(row["games"]),
            direction=int(row["direction"]),
            sums=row["sums"].tolist(),
            peak=float(row["peak"]),
            trough=float(row["trough"]),
            measured=int(row["measured"]),
            boosting=bool(row["boosting"]),
        )
        for row in state
    ]


def write(state: NDArray[np.void], players: Iterable[PraPlayer]) -> None:
    """Put what the reference made of the players back into their rows."""
    for row, player in zip(state, players, strict=True):
        for name in STATE.names or ():
            row[name] = getattr(player, name)


def moved(state: NDArray[np.void], points: float, constants: Boosting) -> None:
    """Move ratings by the same number of points, and the blocks under way with them.

    A shift of everybody is no trend of anybody's.
    """
    state["rating"] += points
    state["peak"] += points
    state["trough"] += points
    state["sums"] += points * _filled(state, constants)


MEMORY: dict[str, Any] = {
    "direction": pl.Int64,
    "peak": pl.Float64,
    "trough": pl.Float64,
    "sums": pl.List(pl.Float64),
}
"""Columns that the next list needs: direction, peak, trough and sums of the current block.

All of it less the rating, so that it stays true when the whole list is moved. Null where boosting is over.
"""


def remembered(state: NDArray[np.void], constants: Boosting) -> dict[str, pl.Series]:
    """Return the columns of `MEMORY`."""
    R = state["rating"]
    boosted = (state["boosting"] == 1) & (state["games"] < constants.late_until)
    place = np.array([constants.span(games)[1] for games in state["games"].tolist()], dtype=np.int64)
    # Nothing but the direction between blocks, or in one that was not seen whole.
    whole = boosted & (place > 0) & (state["measured"] == place)
    sums = (state["sums"] - R[:, None] * _filled(state, constants)).tolist()
    figures = {"peak": state["peak"] - R, "trough": state["trough"] - R}
    return {
        "direction": pl.Series(state["direction"].astype(np.int64)).set(pl.Series(~boosted), None),
        **{
            name: pl.Series(np.where(whole, values, np.nan)).fill_nan(None)
            for name, values in figures.items()
        },
        "sums": pl.Series([s if w else None for s, w in zip(sums, whole, strict=True)], dtype=MEMORY["sums"]),
    }


def remember(state: NDArray[np.void], rows: pl.DataFrame, constants: Boosting) -> None:
    """Go on with the blocks that a list has; `state` has rating, games and switch already."""
    known = rows["direction"].is_not_null().to_numpy() & (state["boosting"] == 1)
    for p in np.flatnonzero(known).tolist():
        row = state[p : p + 1]
        direction, peak, trough, sums = rows.select(list(MEMORY)).row(p)
        row["direction"] = direction
        place = constants.span(int(row["games"][0]))[1]
        if peak is not None and place and len(sums) == PARTS:
            R = row["rating"]
            row["measured"] = place
            row["peak"], row["trough"] = R + peak, R + trough
            row["sums"] = R[:, None] * _filled(row, constants) + np.array(sums)


def _filled(state: NDArray[np.void], constants: Boosting) -> NDArray[np.int64]:
    """Return how many ratings are in each part of the block under way."""
    late = state["games"] > constants.until
    part = np.where(late, constants.late_block, constants.block)[:, None] // PARTS
    filled = state["measured"][:, None].astype(np.int64) - part * np.arange(PARTS)
    return np.asarray(np.clip(filled, 0, part))
