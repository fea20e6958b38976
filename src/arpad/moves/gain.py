"""Gain per move: its distribution, and the rating difference it stands for [Ferreira 2012, 4, 5]."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, overload

import numpy as np
import polars as pl

from arpad.errors import InputError, UsageError
from arpad.event.field import known_ratings
from arpad.model import schema
from arpad.moves.evaluated_games import MATE, evaluated_from, game_title, told_apart
from arpad.read.pgn.games import turn_numbers
from arpad.scale import Normal

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from arpad.model import Games
    from arpad.moves.evaluated_games import EvaluatedGames, GamesWithValues


# The gain of a move: by how much it changed the evaluation, from the mover's side.
#
# Source: Ferreira, *Determining the strength of chess players based on actual play*, ICGA Journal 35 (2012),
# sections 2–4. Values are centipawns from White's side; everything here works on plain arrays.

CENTIPAWNS = 100
"""Centipawns in a pawn, the unit of the paper's averages."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MoveGains:
    """The moves whose gain is known, and those whose gain is not, as rows of the positions after them."""

    row: NDArray[np.int64]
    gain: NDArray[np.int32]
    """In centipawns, from the mover's side, one for each of `row`."""
    before_unknown: NDArray[np.int64]
    """Rows whose own value is known and the one before is not."""
    unknown: NDArray[np.int64]
    """Rows without a value."""

    def __len__(self) -> int:
        """Return how many moves have a gain."""
        return len(self.gain)


def move_gains(game: ArrayLike, ply: ArrayLike, value: ArrayLike, white: ArrayLike) -> MoveGains:
    """Return the gain of every move: g_k = ±(s_k − s_(k−1)), + for White and − for Black [4, Algorithm 1].

    A move needs the value before and after it; the first one needs that of the starting position. What is
    missing is never taken for 0: the move is left out and named.

    Parameters
    ----------
    game, ply, value
        Position by position, in order of game and ply; ply 0 is the starting position. Values are
        centipawns from White's side, NaN where unknown.
    white
        Whether White made the move that led to the position.

    Examples
    --------
    >>> found = move_gains([0, 0, 0], [0, 1, 2], [13, 12, 23], [False, True, False])
    >>> found.row.tolist(), found.gain.tolist()
    ([1, 2], [-1, -11])
    >>> move_gains([0, 0, 0], [0, 1, 2], [np.nan, 12, 23], [False, True, False]).gain.tolist()
    [-11]
    """
    game, ply = np.asarray(game), np.asarray(ply)
    value, mover = np.asarray(value, dtype=np.float64), np.asarray(white, dtype=np.bool_)
    if not len(game) == len(ply) == len(value) == len(mover):
        raise UsageError(
            "expected as many games, plies, values and movers, found "
            f"{len(game)}, {len(ply)}, {len(value)}, {len(mover)}"
        )
    _check_order(game, ply)
    before = np.full(len(game), np.nan)
    follows = (game[1:] == game[:-1]) & (ply[1:] == ply[:-1] + 1)
    before[1:] = np.where(follows, value[:-1], np.nan)
    moved = ply > 0
    after_known, before_known = np.isfinite(value), np.isfinite(before)
    row = np.flatnonzero(moved & after_known & before_known)
    change = np.rint(value[row] - before[row]).astype(np.int32)
    return MoveGains(
        row=row,
        gain=np.where(mover[row], change, -change).astype(np.int32),
        before_unknown=np.flatnonzero(moved & after_known & ~before_known),
        unknown=np.flatnonzero(moved & ~after_known),
    )


def _check_order(game: NDArray[np.int64], ply: NDArray[np.int64]) -> None:
    same = game[1:] == game[:-1]
    if bool(np.any(same & (ply[1:] <= ply[:-1]))) or bool(np.any(game[1:] < game[:-1])):
        raise UsageError("expected positions in order of game and ply, found one out of order")


# The gain of every move of evaluated games, by player; and which moves have none, and why.

NO_BEFORE, NO_AFTER = "no evaluation before it", "no evaluation after it"
"""Why a move has no gain."""
MOVES = schema(
    {
        "game": pl.Int32,  # row of `games.table`
        "ply": pl.Int32,
        "number": pl.Int32,  # of the move, as a score sheet counts
        "white": pl.Boolean,  # whether White made the move
        "player": pl.Int32,  # row of `games.players`
        "san": pl.String,
        "before": pl.Int32,  # centipawns from White's side
        "after": pl.Int32,
        "gain": pl.Int32,  # centipawns from the mover's side
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Gains:
    """Moves with their gain, in order of game and ply.

    `table` has a row a move: `game`, `ply`, `number`, `white`, `player`, `san`, `before`, `after`, `gain` in centipawns.
    `left_out` has a row for each move whose gain is not known: `game`, `ply`, `number`, `san`, `reason`.
    """

    games: Games
    table: pl.DataFrame
    left_out: pl.DataFrame
    source: str
    """Engine and settings behind the evaluations."""
    whole: pl.DataFrame
    """All moves of the games, where `table` is a part of them."""
    forfeits: int = 0
    """Games decided without play, whose move or two do not count."""

    def __len__(self) -> int:
        """Return how many moves have a gain."""
        return self.table.height

    def column(self, name: str) -> NDArray[np.int64]:
        """Return a column of whole numbers as an array."""
        return self.table[name].to_numpy().astype(np.int64, copy=False)

    def part(self, moves: pl.Series, left_out: pl.DataFrame, forfeits: int = 0) -> Gains:
        """Return the moves for which a mask is true, and what belongs to them of those left out."""
        return replace(self, table=self.table.filter(moves), left_out=left_out, forfeits=forfeits)

    def ratings(self, event: int | None = None) -> dict[int, float]:
        """Return the ratings that players had in the games whose moves are here, in one event if one is named."""
        rows = np.zeros(len(self.games), dtype=np.bool_)
        rows[self.column("game")] = True
        inside = pl.Series(rows)
        if event is not None:
            inside &= self.games.table["event"].eq_missing(event)
        return known_ratings(self.games.keep(inside))

    def notes(self) -> list[str]:
        """Say in words what was left out: games decided without play, and moves, game by game."""
        said = []
        if self.forfeits:
            many = "games" if self.forfeits > 1 else "game"
            said.append(f"{self.forfeits} {many} decided without play left out")
        unopened = self.unopened()
        together = unopened if len(unopened) > 1 else []
        if together:
            said.append(
                f"the starting position of {len(unopened):,} games has no evaluation: their first moves are left out"
            )
        named = self.left_out.filter(~pl.col("game").is_in(together))
        for (game,), rows in named.group_by(["game"], maintain_order=True):
            first = rows.row(0, named=True)
            where = f"{move_number(first['number'], bool(first['white']))} {first['san'] or ''}".strip()
            which = where if rows.height == 1 else f"{rows.height} moves, first {where}"
            said.append(f"{self.title(int(game))}: left out {which} ({first['reason']})")
        return said

    def unopened(self) -> list[int]:
        """Return the games in which nothing is missing but the starting position's evaluation."""
        lost = self.left_out.group_by("game", maintain_order=True).agg(
            pl.len().alias("missing"), pl.col("ply").max(), pl.col("reason").first()
        )
        first_only = (pl.col("missing") == 1) & (pl.col("ply") == 1) & (pl.col("reason") == NO_BEFORE)
        return lost.filter(first_only)["game"].to_list()

    def title(self, game: int) -> str:
        """Return who played whom, with the round where it is known."""
        return game_title(self.games, game)


def measure(evaluated: GamesWithValues) -> Gains:
    """Return the gain of every move that has an evaluation before and after it.

    A game that was decided without play (a result before both have moved) does not count.

    Examples
    --------
    >>> from arpad.model import Games
    >>> from arpad.moves.evaluated_games import EvaluatedGames
    >>> rows = {"game": [0] * 3, "ply": [0, 1, 2], "san": [None, "Nf3", "Nf6"], "cp": [13, 12, 12]}
    >>> measure(EvaluatedGames.build(Games.build([("Byrne", "Fischer", 0.0)]), rows)).table["gain"].to_list()
    [-1, 0]
    """
    evaluated = evaluated_from(evaluated)
    games = evaluated.games
    played = (games.table["status"] != "forfeit").to_numpy()
    evaluated = replace(evaluated, table=evaluated.table.filter(played[evaluated.table["game"].to_numpy()]))
    places = evaluated.table.select("game", pl.col("ply") - 1).to_numpy().T
    number = turn_numbers(evaluated.starts["fen"], *places).astype(np.int32)
    table = evaluated.table.with_columns(pl.Series("number", number))
    value = position_values(evaluated)
    white = (table["turn"] == "b").to_numpy()  # who is to move now did not make the move
    result = move_gains(table["game"].to_numpy(), table["ply"].to_numpy(), value, white)
    left_out = _left_out(table, result.before_unknown, result.unknown)
    moves = _table(table, games, result.row, white, value, result.gain)
    gains = Gains(
        games=told_apart(games),
        table=moves,
        left_out=left_out,
        source=evaluated.source,
        whole=moves,
        forfeits=int((~played).sum()),
    )
    if not len(gains):
        raise InputError(_nothing(evaluated, value))
    return gains


def move_number(number: int, white: bool) -> str:
    """Return the number of a move as people write it.

    Examples
    --------
    >>> move_number(1, True), move_number(41, False)
    ('1.', '41...')
    """
    return f"{number}{'.' if white else '...'}"


def position_values(evaluated: EvaluatedGames, mate: int = MATE) -> NDArray[np.float64]:
    """Return each position's value in centipawns, cut off at `mate`, NaN where unknown.

    A move written with # ends the game by mate, evaluated or not; the sign, or an evaluation #0, says nothing of a
    position in which the game went on.
    """
    table = evaluated.table
    mated = table["san"].str.ends_with("#").fill_null(False)
    goes_on = (table["game"] == table["game"].shift(-1)).fill_null(False)
    nonsense = (table["mate"] == 0).fill_null(False) & goes_on
    against = pl.when(table["turn"] == "w").then(-mate).otherwise(mate)
    value = evaluated.values(mate)
    filled = pl.when(mated & ~goes_on & value.is_null()).then(against).when(~nonsense).then(value)
    return pl.select(filled.cast(pl.Float64).fill_null(np.nan)).to_series().to_numpy()


def _table(
    table: pl.DataFrame,
    games: Games,
    row: NDArray[np.int64],
    white: NDArray[np.bool_],
    value: NDArray[np.float64],
    gain: NDArray[np.int32],
) -> pl.DataFrame:
    moves = table[row].with_columns(
        white=white[row],
        player=movers(games, table["game"].to_numpy()[row], white[row]),
        before=value[row - 1].astype(np.int32) if len(row) else np.empty(0, np.int32),
        after=value[row].astype(np.int32),
        gain=gain,
    )
    return moves.select(pl.col(name).cast(kind) for name, kind in MOVES.items())


def movers(games: Games, game: NDArray[np.int64], white: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Return who moved for White or Black in these games: rows of the players, −1 where nobody is known."""
    sides = [games.table[s].fill_null(-1).to_numpy()[game] for s in ("white", "black")]
    return np.where(white, *sides)


def _left_out(table: pl.DataFrame, before: NDArray[np.int64], after: NDArray[np.int64]) -> pl.DataFrame:
    rows = np.r_[before, after]
    reasons = [NO_BEFORE] * len(before) + [NO_AFTER] * len(after)
    result: pl.DataFrame = table[rows].select(
        "game",
        "ply",
        "number",
        (pl.col("turn") == "b").alias("white"),
        "san",
        pl.Series("reason", reasons, dtype=pl.String),
    )
    return result.sort("game", "ply")


def _nothing(evaluated: EvaluatedGames, value: NDArray[np.float64]) -> str:
    moves = int((evaluated.table["ply"] > 0).sum())
    if not moves:
        skipped = len(evaluated.report.of("skipped"))
        forfeits = int((evaluated.games.table["status"] == "forfeit").sum())
        kinds = [f"{n} {what}" for n, what in ((forfeits, "decided without play"), (skipped, "skipped")) if n]
        return f"expected games with moves, found none among {len(evaluated.games)}" + (
            f" ({', '.join(kinds)})" if kinds else ""
        )
    known = int(np.isfinite(value).sum())
    result = f"{moves:,} moves and {known:,} evaluation{'' if known == 1 else 's'}"
    return (
        f"expected an evaluation before and after some move, such as {{ [%eval 0.13] }}, found {result}: "
        "let an engine analyse the games"
    )


# The distribution of gain: a normalised histogram, one bin a centipawn [Ferreira 2012, 4].


@dataclass(frozen=True, slots=True)
class GainDistribution:
    """Frequencies of gains.

    `gain` holds the centipawns that occur, rising; `count` how many moves had them.

    Examples
    --------
    >>> byrne = GainDistribution.of([0, -5, 0, -137])
    >>> byrne.gain.tolist(), byrne.count.tolist(), byrne.mean, byrne.share(0)
    ([-137, -5, 0], [1.0, 1.0, 2.0], -0.355, 0.5)
    """

    gain: NDArray[np.int32]
    count: NDArray[np.float64]

    @classmethod
    def of(cls, gains: ArrayLike) -> GainDistribution:
        """Return the distribution of gains in centipawns."""
        values = np.asarray(gains)
        if values.size == 0:
            raise UsageError("expected the gain of at least one move, found none")
        if not bool(np.all(np.isfinite(values))):
            raise UsageError("expected gains in centipawns, found one that is not a number")
        gain, count = np.unique(np.rint(values).astype(np.int32), return_counts=True)
        return cls(gain, count.astype(np.float64))

    @property
    def moves(self) -> float:
        """Number of moves."""
        return float(self.count.sum())

    @property
    def mean(self) -> float:
        """The average gain a move, in pawns."""
        return float(self.gain @ self.count) / self.moves / CENTIPAWNS

    @property
    def frequency(self) -> NDArray[np.float64]:
        """The normalised frequencies f, which add up to 1."""
        return np.asarray(self.count / self.count.sum())

    def share(self, gain: int) -> float:
        """Return the share of moves with this very gain, in centipawns."""
        at = np.searchsorted(self.gain, gain)
        return float(self.frequency[at]) if at < len(self.gain) and self.gain[at] == gain else 0.0

    def middle(self, gain: ArrayLike) -> NDArray[np.float64]:
        """Return P(X < gain) + ½ P(X = gain) for each gain: what it scores against this distribution."""
        below = np.r_[0.0, np.cumsum(self.frequency)]
        left = np.searchsorted(self.gain, gain, side="left")
        right = np.searchsorted(self.gain, gain, side="right")
        return np.asarray((below[left] + below[right]) / 2)

    def table(self) -> pl.DataFrame:
        """Return the histogram: `gain` in centipawns, `count`, `frequency`."""
        return pl.DataFrame({"gain": self.gain, "count": self.count, "frequency": self.frequency})


ZERO_GAIN = GainDistribution(np.zeros(1, dtype=np.int32), np.ones(1))
"""A player who agrees with the engine on every move and evaluation: a single peak at 0 [6]."""


# Algorithm 1: the expected score between two distributions of gain, and the rating difference it stands for.
#
# ``p = ½ P(X = Y) + P(X > Y)`` and ``d = 200√2 Φ⁻¹(p)`` [Ferreira 2012, (2), 4].

CURVE = Normal()
"""Φ(d / 200√2), Elo's normal curve, as the paper has it [4]."""


def expected(X: GainDistribution, Y: GainDistribution) -> float:
    """Return the expected score of X against Y, exactly, from sorted histograms.

    Examples
    --------
    >>> from arpad.moves.gain import ZERO_GAIN, GainDistribution
    >>> expected(GainDistribution.of([-10, 0, 0, 5]), ZERO_GAIN)
    0.5
    """
    return min(float(X.frequency @ Y.middle(X.gain)), 1.0)  # shares may add up to a bit more


def expected_reference(X: GainDistribution, Y: GainDistribution) -> float:
    """Return the same by the paper's cross-correlation, term by term [(1), (2)].

    Examples
    --------
    >>> from arpad.moves.gain import GainDistribution
    >>> expected_reference(GainDistribution.of([0, 7]), GainDistribution.of([0, 3]))
    0.625
    """
    f_Y = dict(zip(Y.gain.tolist(), Y.frequency.tolist(), strict=True))
    equal = above = 0.0
    for x, f_x in zip(X.gain.tolist(), X.frequency.tolist(), strict=True):
        for y, f_y in f_Y.items():
            n = x - y
            equal += f_x * f_y if n == 0 else 0.0
            above += f_x * f_y if n > 0 else 0.0
    return min(0.5 * equal + above, 1.0)


@overload
def difference(p: float) -> float: ...


@overload
def difference(p: NDArray[np.float64]) -> NDArray[np.float64]: ...


def difference(p: float | NDArray[np.float64]) -> float | NDArray[np.float64]:
    """Return d = 200√2 Φ⁻¹(p); −∞ for 0 and +∞ for 1.

    Examples
    --------
    >>> round(difference(0.655)), difference(0.0)
    (113, -inf)
    """
    return CURVE.difference(p)


def differences(p: ArrayLike) -> NDArray[np.float64]:
    """Return the same for many expected scores, NaN where there is none."""
    given = np.asarray(p, dtype=np.float64)
    d = np.full(given.shape, np.nan)
    known = ~np.isnan(given)
    d[known] = difference(np.clip(given[known], 0.0, 1.0))
    return d


# Scaled differences: half a pawn weighs more in a level position than in a decided one.


def scaled_value(v: NDArray[Any] | float) -> NDArray[np.float64]:
    """Return the integral of 1/(1+|z|) from 0 to v: ±ln(1+|v|) of a value in pawns.

    Examples
    --------
    >>> scaled_value(np.array([-1.0, 0.0, 1.0])).round(4).tolist()
    [-0.6931, 0.0, 0.6931]
    """
    v = np.asarray(v, dtype=np.float64)
    return np.asarray(np.sign(v) * np.log1p(np.abs(v)))


def scaled_loss(best: NDArray[Any] | float, value: NDArray[Any] | float) -> NDArray[np.float64]:
    """Return δ, the integral of 1/(1+|z|) from a move's value to the best one [IPR section 4].

    Both are in pawns from the side of the player to move. A move that comes out above the best one (two
    searches never agree in full) loses nothing.

    Examples
    --------
    >>> float(scaled_loss(0.5, -0.5).round(4)), float(scaled_loss(3.5, 2.5).round(4))
    (0.8109, 0.2513)
    """
    return np.maximum(scaled_value(best) - scaled_value(value), 0.0)
