"""Positions to calibrate on: even over rating marks, and over the games of a mark."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import PurePath
from typing import TYPE_CHECKING

import polars as pl

from arpad.errors import InputError, UsageError
from arpad.moves.positions import board_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


# Choose positions to calibrate on: even over rating marks, and over the games of a mark.
#
# What is chosen depends on the positions alone, not on a seed, so that anybody with the same games in the same order chooses
# the same. (The order counts only for a position that stood in two games: it belongs to the first.) A longer sample holds the
# shorter one.

FIRST_PLY = 16
"""Plies of the opening that are left out: turns 1 to 8 of both players."""
COLUMNS = ("game", "ply", "epd", "uci", "mark", "legal")


def sampled_positions(positions: pl.DataFrame, *, per_mark: int, first_ply: int = FIRST_PLY) -> pl.DataFrame:
    """Return up to `per_mark` positions of every rating mark.

    One position of every game comes first, then a second one of every game, and so on; within a game, and between
    games, the order is that of a hash of the position. A position that stood in two games is
    taken once, one that stood on the board before or leaves no choice never.

    Parameters
    ----------
    positions
        Columns `game`, `ply`, `epd`, `uci` (the move played, null at the end), `mark` (rating mark of the game)
        and `legal` (number of legal moves).
    """
    missing = [c for c in COLUMNS if c not in positions.columns]
    if missing:
        raise InputError(f"expected columns {', '.join(COLUMNS)}; missing: {', '.join(missing)}")
    rows = (
        positions.sort("game", "ply")
        .with_columns(pl.col("epd").is_first_distinct().over("game").alias("new"))
        .filter(pl.col("new"), pl.col("ply") >= first_ply, pl.col("uci").is_not_null(), pl.col("legal") > 1)
    )
    rows = rows.with_columns(pl.Series("order", _hashes(rows["epd"].to_list()), dtype=pl.String))
    rows = (
        rows.sort("order", "game", "ply")
        .unique("epd", keep="first", maintain_order=True)
        .with_columns(pl.int_range(pl.len()).over("game").alias("turn"))
        .sort("mark", "turn", "order")
        .with_columns(pl.int_range(pl.len()).over("mark").alias("rank"))
    )
    return rows.filter(pl.col("rank") < per_mark).sort("rank", "mark").drop("new", "order", "turn")


def _hashes(epds: Sequence[str]) -> list[str]:
    return [hashlib.blake2b(e.encode(), digest_size=8).hexdigest() for e in epds]


# A sample of positions from rated games: which games stand at a rating mark, and which of their positions are taken.

STEP = 50.0
"""Points between marks, as in the training sets of the paper's later work."""
WITHIN = 10.0
"""Points that both players may be away from the mark [IPR section 5]."""
UNCOUNTED = 99
"""Legal moves of a position in which nobody has counted them yet."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RatedSample:
    """Positions of rated games, evenly over marks and games, and what tells them from any other sample."""

    positions: pl.DataFrame
    """`game`, `ply`, `epd`, `uci`, `legal`, `mark`, and what else the positions had; in the order in which they are to be analysed."""
    games: int
    """Games that stand at a mark, of all that were given."""
    given: int
    per_mark: int
    step: float
    within: float

    def fingerprint(self) -> str:
        """Return a text that is another one for any other sample."""
        digest = hashlib.blake2b(digest_size=16)
        for row in self.positions.select("epd", "uci", "mark").sort("epd").iter_rows():
            digest.update("\t".join(map(str, row)).encode() + b"\n")
        return digest.hexdigest()

    def document(self, files: Mapping[str, int]) -> dict[str, object]:
        """Return it as a calibration keeps it, from how many games each file has."""
        return {
            "files": [{"file": PurePath(f).name, "games": n} for f, n in files.items()],
            "games": self.games,
            "games_taken": self.positions["game"].n_unique(),
            "positions": self.positions.height,
            "per_mark": self.per_mark,
            "step": self.step,
            "within": self.within,
            "fingerprint": self.fingerprint(),
        }


def game_marks(games: pl.DataFrame, *, step: float = STEP, within: float = WITHIN) -> pl.Series:
    """Return the rating mark of each game: the one that both players are near; null for no such mark.

    Examples
    --------
    >>> game_marks(pl.DataFrame({"white_rating": [2395.0, 2395.0], "black_rating": [2408.0, 2430.0]})).to_list()
    [2400.0, None]
    """
    if not (step > 0 and 0 <= within <= step / 2):
        raise UsageError(
            f"expected marks further apart than twice the distance to them, found a mark every {step:g} points "
            f"and players within {within:g}"
        )
    white, black = pl.col("white_rating"), pl.col("black_rating")
    mark = ((white + black) / (2 * step) + 0.5).floor() * step
    near = ((white - mark).abs() <= within) & ((black - mark).abs() <= within)
    return games.select(pl.when(near).then(mark).cast(pl.Float64).alias("mark")).to_series()


def rated_sample(
    positions: pl.DataFrame,
    games: pl.DataFrame,
    *,
    per_mark: int,
    first: float = 0.0,
    last: float = 4000.0,
    step: float = STEP,
    within: float = WITHIN,
    first_ply: int = FIRST_PLY,
) -> RatedSample:
    """Take up to `per_mark` positions of every rating mark, as `sampled_positions` chooses them.

    Parameters
    ----------
    positions
        Every position of the games: `game` (row of `games`), `ply`, `epd`, `uci`, and what else is to be kept.
    games
        `white_rating` and `black_rating` of each game.
    first, last
        The lowest and the highest mark that is taken.
    """
    if per_mark < 1:
        raise UsageError(f"expected 1 position a mark or more, found {per_mark}")
    marks = game_marks(games, step=step, within=within)
    numbered = pl.DataFrame(
        {"game": range(len(marks)), "mark": marks}, schema_overrides={"game": positions["game"].dtype}
    )
    at_mark = positions.drop("legal", strict=False).join(
        numbered.drop_nulls(), on="game", how="inner", maintain_order="left"
    )
    if not at_mark.height:
        raise InputError(
            f"expected games in which both players are rated within {within:g} points of a multiple of {step:g}, found none"
        )
    chosen = _with_a_choice(at_mark, per_mark, first_ply)
    chosen = chosen.filter(pl.col("mark").is_between(first, last))
    if not chosen.height:
        raise InputError(f"expected games at marks from {first:g} to {last:g}, found none")
    return RatedSample(
        positions=chosen.drop("rank"),
        games=int(marks.is_between(first, last).sum()),
        given=len(marks),
        per_mark=per_mark,
        step=step,
        within=within,
    )


def _with_a_choice(positions: pl.DataFrame, per_mark: int, first_ply: int) -> pl.DataFrame:
    """Sample, and count the legal moves of what was taken only; whatever was forced goes, and the sampling begins again.

    A position that was not taken cannot change what was: those behind it in its game only move up to where it stood.
    """
    counted: dict[str, int] = {}
    while True:
        known = pl.DataFrame(
            {"epd": counted.keys(), "legal": counted.values()}, schema={"epd": pl.String, "legal": pl.Int32}
        )
        told = positions.join(known, on="epd", how="left", maintain_order="left")
        told = told.with_columns(pl.col("legal").fill_null(UNCOUNTED))
        chosen = sampled_positions(told, per_mark=per_mark, first_ply=first_ply)
        new = [epd for epd in chosen["epd"] if epd not in counted]
        if not new:
            return chosen
        counted |= {epd: board_of(epd).legal_moves.count() for epd in new}
