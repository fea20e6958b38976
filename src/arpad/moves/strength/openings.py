"""Ratings from the first moves of a game: the openings and early habits of players of each strength.

The first fifteen moves of each side are a set of words: each move with its number or part of the game, with the move
that it answers, and with the side's own move before; which piece moved; and the game's beginning, longer and longer.
Every word has a weight, found by regression on ratings. The sum of a game's weights is normal around a curve of the
rating. A player's games have habits in common: n of them count as ``n / (1 + (n - 1) · habit)``.
"""

from __future__ import annotations

import base64
import json
import zlib
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

import chess
import numpy as np
import polars as pl

from arpad.errors import InputError
from arpad.moves.positions import board_of
from arpad.moves.strength.posterior import GRID

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import ArrayLike, NDArray

    Floats = NDArray[np.float64]

SHIPPED = "openings.json"
PLIES = 30
"""Plies from the beginning of the game that have words."""

BEGINNINGS = (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 14, 16)
"""Plies of the beginnings that are words."""

REACH = (1400.0, 2850.0)
"""Ratings between which the curve was fitted; outside it goes on level."""

FADE, FADE_TO, FADE_YEARS = 0.02, 2180.0, 6
"""Words lose this share of their power in each year after those of the fit, up to so many years: the mean of the sum
goes to that of this rating. Measured with words of the years to 2009, 2010 … 2014 on the games of later years."""

FADE_ERROR = 9.0
"""Points by which the sum of all players stands higher or lower in each year before or after those of the fit, one standard
deviation. It moved by 5 a year up to 2016; in one event of 2025 it stands 92 higher than expected, in one of 2023–24 58 lower.
All games have it in common."""

FITTED = 9
"""Years from the first to the last year of the games behind a table."""

UNIT = 0.7
"""Weights are stored as whole numbers from -127 to 127 of this many rating points."""

MOST = 8000
"""Words that a table keeps: those with the greatest weight times the root of their number."""


def move_name(epd: str, uci: str) -> str:
    """Return a move as a word: piece, `x` for a capture, and square, without what only tells two pieces apart.

    Examples
    --------
    >>> move_name("rnbqkbnr/ppp1pppp/8/3p4/4P3/8/PPPP1PPP/RNBQKBNR w KQkq -", "e4d5")
    'exd5'
    """
    board = board_of(epd)
    move = chess.Move.from_uci(uci)
    if board.is_castling(move):
        return "O-O" if chess.square_file(move.to_square) > chess.square_file(move.from_square) else "O-O-O"
    kind = board.piece_type_at(move.from_square) or chess.PAWN
    capture = "x" if board.is_capture(move) else ""
    square = chess.square_name(move.to_square)
    if kind != chess.PAWN:
        return f"{chess.piece_symbol(kind).upper()}{capture}{square}"
    promoted = f"={chess.piece_symbol(move.promotion).upper()}" if move.promotion else ""
    return f"{uci[0] + capture if capture else ''}{square}{promoted}"


def opening_words(names: Sequence[str], *, white: bool) -> set[str]:
    """Return the words of one side of a game, from the names of all moves of the game in order."""
    side, early = "w" if white else "b", names[:PLIES]
    words = {f"{side}{'_'.join(early[:n])}" for n in BEGINNINGS if n <= len(early)}
    own = ""
    for ply in range(0 if white else 1, len(early), 2):
        name, number = early[ply], ply // 2 + 1
        last = early[ply - 1] if ply else ""
        third, capture = ply // 6, "x" in name
        piece = name[0] if name[0] in "KQRBNO" else "P"
        words |= {
            f"{side}{number if number <= 6 else 'cde'[(number - 7) // 3]}{name}",
            f"P{third}{piece}{'x' if capture else ''}",
            f"{side}B{own}_{name}",
        }
        if last:
            words.add(f"R{last}_{name}")
        if "x" in last:
            again = capture and name.endswith(last[-2:])
            words.add(f"X{third}{'r' if again else 'x' if capture else '-'}")
        own = name
    return words


@dataclass(frozen=True, slots=True, kw_only=True)
class OpeningTable:
    """The weights of words, and what their sum says of a rating.

    Parameters
    ----------
    keys, weights
        Hash codes of words in order, and the weight of each.
    curve
        The mean of the sum: coefficients of a polynomial in thousands of rating points, highest power first.
    spread
        The standard deviation around it.
    habit
        The correlation of two games of one player.
    year
        The last year of the games that were fitted.
    """

    keys: NDArray[np.uint32] = field(repr=False)
    weights: Floats = field(repr=False)
    curve: tuple[float, ...]
    spread: float
    habit: float
    year: int = 9999

    def score(self, words: set[str]) -> float:
        """Return the sum of the weights of words."""
        codes = _codes(sorted(words))
        at = np.minimum(np.searchsorted(self.keys, codes), len(self.keys) - 1)
        return float(self.weights[at][self.keys[at] == codes].sum())

    def evidence(
        self, places: pl.DataFrame, years: Mapping[int, int | None] | None = None
    ) -> dict[tuple[int, bool], Floats]:
        """Return the log-likelihood on the grid of each game and side (`True`: White) that moved.

        Parameters
        ----------
        places
            Rows with `game`, `ply`, `epd` and `uci`, as `positions` gives them. Games that begin elsewhere say nothing.
        years
            In which year each game was played, where it is known.
        """
        when = years or {}
        return {
            (game, white): self.says(self.score(opening_words(names, white=white)), when.get(game))
            for game, names in named_openings(places)
            for white in (True, False)[: len(names)]
        }

    def says(self, score: float, year: int | None = None) -> Floats:
        """Return the log-likelihood of a score on the grid, in a game of this year."""
        mean = np.polyval(self.curve, np.clip(GRID, *REACH) / 1000)
        lag = 0 if year is None else min(self.lag(year), FADE_YEARS)
        mean += FADE * lag * (np.polyval(self.curve, FADE_TO / 1000) - mean)
        return np.asarray(-0.5 * ((score - mean) / self.spread) ** 2, dtype=np.float64)

    def lag(self, year: int) -> int:
        """Return how many years lie between a game and those of the fit."""
        return max(year - self.year, self.year - FITTED - year, 0)

    def share(self, games: int, lag: float = 0.0, *, among: int = 0) -> float:
        """Return how much each of so many games of one player counts, so many years away from those of the fit.

        Games of others that count beside them (`among` is the number of all) have the error of the year in common.
        """
        common = (FADE_ERROR * max(lag, 0.0) / self.spread) ** 2
        return 1 / (1 + max(games - 1, 0) * self.habit + max(games, among) * common)

    def to_dict(self) -> dict[str, Any]:
        """Return the table as plain values."""
        whole = np.clip(np.rint(self.weights / UNIT), -127, 127).astype(np.int8)
        return {
            "form": 2,
            "curve": [float(f"{c:.6g}") for c in self.curve],
            "spread": round(self.spread, 2),
            "habit": self.habit,
            "year": self.year,
            "keys": _packed(self.keys.astype("<u4")),
            "weights": _packed(whole),
        }

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> OpeningTable:
        """Return the table that `to_dict` described."""
        try:
            keys = np.frombuffer(base64.b64decode(values["keys"]), dtype="<u4").astype(np.uint32)
            whole = np.frombuffer(base64.b64decode(values["weights"]), dtype=np.int8)
            curve = tuple(float(c) for c in values["curve"])
            spread, habit, year = float(values["spread"]), float(values["habit"]), int(values["year"])
        except (KeyError, TypeError, ValueError) as error:
            raise InputError(f"expected a table of openings, found {error!r}") from None
        if len(keys) != len(whole) or not len(keys) or spread <= 0:
            raise InputError("expected a table of openings with as many keys as weights")
        return cls(
            keys=keys,
            weights=np.asarray(whole * UNIT, dtype=np.float64),
            curve=curve,
            spread=spread,
            habit=habit,
            year=year,
        )


@cache
def shipped_openings() -> OpeningTable:
    """Return the table that comes with arpad."""
    text = files("arpad.moves.strength").joinpath(SHIPPED).read_text(encoding="utf-8")
    return OpeningTable.from_dict(json.loads(text))


def named_openings(places: pl.DataFrame) -> Iterator[tuple[int, list[str]]]:
    """Yield each game that begins at the beginning, and the names of its first moves."""
    early = places.filter((pl.col("ply") < PLIES) & pl.col("uci").is_not_null() & (pl.col("uci") != "0000"))
    for (game,), rows in early.group_by(["game"], maintain_order=True):
        moves = rows.sort("ply").select("ply", "epd", "uci").rows()
        if moves[0][0] == 0 and moves[0][1].startswith(chess.STARTING_BOARD_FEN):
            yield int(str(game)), [move_name(epd, uci) for _, epd, uci in moves]


def weigh_words(
    words: Sequence[set[str]], ratings: ArrayLike, groups: ArrayLike, *, least: int = 15, ridge: float = 300.0
) -> tuple[NDArray[np.uint32], Floats]:
    """Return the keys and weights of words by regression of ratings on them; the field of ratings counts as flat.

    Parameters
    ----------
    groups
        What else may explain a rating, such as the year: each group has a level of its own that is not kept.
    least
        Games of one side that a word must be in.
    ridge
        The penalty on the square of a weight.
    """
    from scipy.sparse import csr_matrix, diags, hstack
    from scipy.sparse.linalg import lsqr

    rating = np.asarray(ratings, dtype=np.float64)
    lengths = [len(w) for w in words]
    code = _codes([word for w in words for word in sorted(w)])
    keys, column, count = np.unique(code, return_inverse=True, return_counts=True)
    row = np.repeat(np.arange(len(words)), lengths)
    often = count >= least
    place = np.cumsum(often) - 1
    kept = often[column]
    entries = (np.ones(int(kept.sum())), (row[kept], place[column[kept]]))
    table = csr_matrix(entries, shape=(len(words), int(often.sum())))
    keys, count = keys[often], count[often]
    _, group = np.unique(np.asarray(groups), return_inverse=True)
    level = csr_matrix((np.full(len(words), 30.0), (np.arange(len(words)), group)))
    bucket = np.clip(rating // 100, 14, 28).astype(int)
    weight = 1 / np.bincount(bucket)[bucket]
    root = np.sqrt(weight / weight.mean())

    def solved(columns: Any) -> Floats:
        made = diags(root) @ hstack([columns, level]).tocsr()
        return np.asarray(lsqr(made, root * (rating - 2100), damp=np.sqrt(ridge), iter_lim=150)[0])

    first = solved(table)[: len(keys)]
    best = np.sort(np.argsort(-np.abs(first) * np.sqrt(count), kind="stable")[:MOST])
    return keys[best].astype(np.uint32), solved(table[:, best])[: len(best)]


def _codes(words: Sequence[str]) -> NDArray[np.uint32]:
    return np.array([zlib.crc32(word.encode()) for word in words], dtype=np.uint32)


def _packed(values: NDArray[Any]) -> str:
    return base64.b64encode(values.tobytes()).decode()
