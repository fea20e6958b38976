"""The gain of every move of evaluated games, by player; and which moves have none, and why."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from arpad.errors import InputError
from arpad.event.crosstable import known_ratings
from arpad.moves.evaluated import MATE
from arpad.moves.gain import move_gains
from arpad.moves.namesakes import told_apart
from arpad.schema import schema

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from arpad.model import Games
    from arpad.moves.evaluated import EvaluatedGames

__all__ = ["NO_AFTER", "NO_BEFORE", "Gains", "measure", "move_number", "position_values"]

NO_BEFORE, NO_AFTER = "no evaluation before it", "no evaluation after it"
"""Why a move has no gain."""

MOVES = schema(
    {
        "game": pl.Int32,  # row of `games.table`
        "ply": pl.Int32,
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

    `table` has a row a move: `game`, `ply`, `white`, `player`, `san`, `before`, `after`, `gain` in centipawns.
    `left_out` has a row for each move whose gain is not known: `game`, `ply`, `san`, `reason`.
    """

    games: Games
    table: pl.DataFrame
    left_out: pl.DataFrame
    source: str
    """Who evaluated the positions, and how."""
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
            where = (
                f"{move_number(first['ply'], bool(first['white']))} {first['san'] or ''}".strip()
            )
            which = where if rows.height == 1 else f"{rows.height} moves, first {where}"
            said.append(f"{self.title(int(game))}: left out {which} ({first['reason']})")
        return said

    def unopened(self) -> list[int]:
        """Return the games in which nothing is missing but the starting position's evaluation."""
        lost = self.left_out.group_by("game", maintain_order=True).agg(
            pl.len().alias("missing"), pl.col("ply").max(), pl.col("reason").first()
        )
        first_only = (
            (pl.col("missing") == 1) & (pl.col("ply") == 1) & (pl.col("reason") == NO_BEFORE)
        )
        return lost.filter(first_only)["game"].to_list()

    def title(self, game: int) -> str:
        """Return who played whom, with the round where it is known."""
        names = self.games.players["name"]
        row = self.games.table.row(game, named=True)
        white, black = (names[row[s]] if row[s] is not None else "?" for s in ("white", "black"))
        return f"{white} – {black}" + (f", round {row['round']}" if row["round"] else "")


def measure(evaluated: EvaluatedGames) -> Gains:
    """Return the gain of every move that has an evaluation before and after it.

    A game that was decided without play (a result before both have moved) does not count.

    Raises
    ------
    InputError
        If no move has.

    Examples
    --------
    >>> from arpad.model import Games
    >>> from arpad.moves.evaluated import EvaluatedGames
    >>> rows = {"game": [0] * 3, "ply": [0, 1, 2], "san": [None, "Nf3", "Nf6"], "cp": [13, 12, 12]}
    >>> measure(EvaluatedGames.build(Games.build([("Byrne", "Fischer", 0.0)]), rows)).table["gain"].to_list()
    [-1, 0]
    """
    games = evaluated.games
    played = (games.table["status"] != "forfeit").to_numpy()
    evaluated = replace(
        evaluated, table=evaluated.table.filter(played[evaluated.table["game"].to_numpy()])
    )
    table = evaluated.table
    value = position_values(evaluated)
    white = (table["turn"] == "b").to_numpy()  # who is to move now did not make the move
    found = move_gains(table["game"].to_numpy(), table["ply"].to_numpy(), value, white)
    left_out = _left_out(table, found.before_unknown, found.unknown)
    moves = _table(table, games, found.row, white, value, found.gain)
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


def move_number(ply: int, white: bool) -> str:
    """Return the number of a move as people write it, counted from the start of the game.

    Examples
    --------
    >>> move_number(1, True), move_number(82, False)
    ('1.', '41...')
    >>> move_number(1, False), move_number(2, True)
    ('1...', '2.')
    """
    return f"{ply // 2 + 1}." if white else f"{(ply + 1) // 2}..."


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
    game = table["game"].to_numpy()[row]
    mover = white[row]
    sides = [games.table[s].fill_null(-1).to_numpy()[game] for s in ("white", "black")]
    moves = pl.DataFrame(
        {
            "game": game,
            "ply": table["ply"].to_numpy()[row],
            "white": mover,
            "player": np.where(mover, sides[0], sides[1]),
            "san": table["san"].gather(row),
            "before": value[row - 1].astype(np.int32) if len(row) else np.empty(0, np.int32),
            "after": value[row].astype(np.int32),
            "gain": gain,
        }
    )
    return moves.select(pl.col(name).cast(kind) for name, kind in MOVES.items())


def _left_out(
    table: pl.DataFrame, before: NDArray[np.int64], after: NDArray[np.int64]
) -> pl.DataFrame:
    rows = np.r_[before, after]
    reasons = [NO_BEFORE] * len(before) + [NO_AFTER] * len(after)
    found: pl.DataFrame = table[rows].select(
        "game", "ply", (pl.col("turn") == "b").alias("white"), "san",
        pl.Series("reason", reasons, dtype=pl.String),
    )  # fmt: skip
    return found.sort("game", "ply")


def _nothing(evaluated: EvaluatedGames, value: NDArray[np.float64]) -> str:
    moves = int((evaluated.table["ply"] > 0).sum())
    if not moves:
        skipped = len(evaluated.report.of("skipped"))
        forfeits = int((evaluated.games.table["status"] == "forfeit").sum())
        kinds = [
            f"{n} {what}"
            for n, what in ((forfeits, "decided without play"), (skipped, "skipped"))
            if n
        ]
        return f"expected games with moves, found none among {len(evaluated.games)}" + (
            f" ({', '.join(kinds)})" if kinds else ""
        )
    known = int(np.isfinite(value).sum())
    found = f"{moves:,} moves and {known:,} evaluation{'' if known == 1 else 's'}"
    return (
        f"expected an evaluation before and after some move, such as {{ [%eval 0.13] }}, found {found}: "
        "let an engine analyse the games"
    )
