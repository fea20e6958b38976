"""Decisions: a player, a position, the engine's lines in it, and the move played."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from arpad.errors import InputError
from arpad.moves.average_error import Filters, kept_positions
from arpad.moves.evaluated_games import MATE
from arpad.moves.gain import CENTIPAWNS
from arpad.moves.ipr.model import MoveChoices
from arpad.moves.positions import legal_moves, white_to_move

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from arpad.model import Games


MODEL_FILTERS = Filters(judged="here", forced=False)
"""Default filters of a calibration: turns from 9, values within ±3.00 in the position itself (its
positions are a sample, and the ones before them are unknown), no repetitions, no forced moves.
"""
Positions = pl.DataFrame
"""Positions with their games: `game`, `ply`, `epd`, `uci`, `legal`, and who moved (`with_players`)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Decisions:
    """The moves that count, each with the choices its player had; row t of `rows` belongs to `choices[t]`.

    `rows` has `game` (row of `games.table`), `ply`, `turn` (number of the move), `white`, `player`, `opponent` (rows of
    `games.players`), `rating` (of the player, in the source), `event` (row of `games.events`), `year`, `epd`,
    `uci`, `legal`, `value` (pawns, from the player's side), `lost` (pawns), and whatever else stood in the positions.
    """

    choices: MoveChoices
    rows: pl.DataFrame
    left_out: Mapping[str, int]
    """Number of moves that each filter removed, and of moves without lines or without a value."""
    filters: Filters
    engine: Mapping[str, object]
    """Engine and settings of the evaluations, as `EngineSettings.parameters` gives them; empty if unknown."""

    def __len__(self) -> int:
        """Return how many moves count."""
        return len(self.choices)

    def column(self, name: str) -> NDArray[Any]:
        """Return a column as an array."""
        return self.rows[name].to_numpy()

    @property
    def years(self) -> pl.Series | None:
        """The year of each move; None where the positions have none."""
        return self.rows["year"] if "year" in self.rows.columns else None

    def where(self, mask: pl.Series) -> Decisions:
        """Return some of the decisions."""
        keep = np.flatnonzero(mask.fill_null(False).to_numpy())
        return replace(self, choices=self.choices[keep], rows=self.rows[keep])


def filters_document(filters: Filters) -> dict[str, Any]:
    """Return filters as plain values, as a calibration keeps them."""
    return asdict(filters)


def filters_of(document: Mapping[str, Any]) -> Filters:
    """Return the filters that a calibration was made with; those it does not name are the model's own."""
    known = {f.name for f in fields(Filters)}
    return Filters(**{**asdict(MODEL_FILTERS), **{k: v for k, v in document.items() if k in known}})


def with_players(positions: pl.DataFrame, games: Games) -> Positions:
    """Return the positions of `moves.positions.positions` with who is to move in them, rating, event and year.

    The number of legal moves is counted unless there is a column `legal` already.
    """
    table = games.table.with_row_index("game").select(
        pl.col("game").cast(pl.Int32),
        "white",
        "black",
        "white_rating",
        "black_rating",
        "event",
        pl.col("date").dt.year().alias("year"),
    )
    joined = positions.join(table, on="game", how="left", maintain_order="left")
    if "legal" not in joined.columns:
        joined = joined.with_columns(legal_moves(joined["epd"]))
    first = pl.col("turn") == "w"

    def side(mine: str, theirs: str) -> pl.Expr:
        return pl.when(first).then(pl.col(mine)).otherwise(pl.col(theirs))

    return joined.with_columns(
        white=first,
        player=side("white", "black"),
        opponent=side("black", "white"),
        rating=side("white_rating", "black_rating"),
    ).drop("turn", "black", "white_rating", "black_rating")


def played_outside(positions: Positions, lines: pl.DataFrame, filters: Filters) -> pl.DataFrame:
    """Return `epd` and `uci` of the moves that count and stand in none of the engine's lines, each once."""
    kept = positions.filter(_kept(positions, lines, filters)[0])
    return (
        kept.select("epd", "uci")
        .unique(maintain_order=True)
        .join(lines.select("epd", uci="move"), on=["epd", "uci"], how="anti", maintain_order="left")
    )


def decisions(
    positions: Positions,
    lines: pl.DataFrame,
    own: pl.DataFrame,
    *,
    filters: Filters = MODEL_FILTERS,
    engine: Mapping[str, object] | None = None,
) -> Decisions:
    """Return the decisions that count.

    Parameters
    ----------
    positions
        From `with_players`, in order of game and ply; every position of a game, or a sample.
    lines
        What an engine says of them, a row a line, as the store keeps it: `epd`, `line`, `move`, `cp`, `mate` from
        White's side.
    own
        The same for moves searched alone (`searchmoves`), which stand in none of the lines.

    A position without lines is left out, and a move without a value: `left_out` says how many of each.
    """
    kept, taken, value = _kept(positions, lines, filters)
    rows = positions.filter(kept).with_columns(pl.Series("value", value[kept.to_numpy()]))
    alone = own.select("epd", uci="searchmoves", own=_pawns())
    rows = rows.join(alone.unique(["epd", "uci"]), on=["epd", "uci"], how="left", maintain_order="left")
    wide = _wide(rows, lines)
    outside = wide.played < 0
    unknown = outside & np.isnan(wide.own)
    taken["not_searched"] = int(unknown.sum())
    there = np.flatnonzero(~unknown)
    choices = (
        MoveChoices.from_lines(
            wide.values[there], legal=wide.legal[there], played=wide.played[there], own=wide.own[there]
        )
        if len(there)
        else _none(wide.values.shape[1])
    )
    chosen = np.where(outside, wide.own, wide.values[np.arange(len(outside)), wide.played])[there]
    sign = np.where(rows["white"].to_numpy()[there], 1.0, -1.0)
    worth = rows["value"].to_numpy()[there] * sign
    result = (
        rows[there]
        .drop("over", "own")
        .with_columns(
            pl.col("number").cast(pl.Int64).alias("turn"),
            pl.Series("value", worth),
            pl.Series("lost", np.maximum(worth - chosen, 0.0)),
        )
    )
    return Decisions(choices=choices, rows=result, left_out=taken, filters=filters, engine=dict(engine or {}))


def _kept(
    positions: Positions, lines: pl.DataFrame, filters: Filters
) -> tuple[pl.Series, dict[str, int], NDArray[np.float64]]:
    """Say of each position whether its move counts, how many were taken, and each one's value from White's side."""
    first = lines.filter(pl.col("line") == 1).select("epd", value=_pawns()).unique("epd")
    told = positions.join(first, on="epd", how="left", maintain_order="left")
    value = told["value"].cast(pl.Float64).fill_null(np.nan).to_numpy()
    moved = ((positions["uci"] != "0000") & positions["uci"].is_not_null()).to_numpy()
    known = ~np.isnan(value)
    # A position without a move is the last of its game: nothing is counted there, and none comes after it.
    counts, taken = kept_positions(
        positions["game"].to_numpy()[moved],
        positions["ply"].to_numpy()[moved],
        value[moved],
        filters=filters,
        position=positions["epd"].to_numpy()[moved],
        legal=positions["legal"].to_numpy()[moved],
        number=positions["number"].to_numpy()[moved],
    )
    kept = np.zeros(positions.height, dtype=np.bool_)
    kept[moved] = counts
    taken["failed"] = int((kept & ~known).sum())
    return pl.Series(kept & known), taken, value


@dataclass(frozen=True, slots=True)
class _Wide:
    """Lines side by side, a row a position, in pawns from the mover's side."""

    values: NDArray[np.float64]
    played: NDArray[np.int64]
    own: NDArray[np.float64]
    legal: NDArray[np.int64]


def _wide(rows: pl.DataFrame, lines: pl.DataFrame) -> _Wide:
    epds = rows["epd"].unique(maintain_order=True)
    place = pl.DataFrame({"epd": epds, "at": np.arange(len(epds))})
    here = lines.join(place, on="epd", how="inner").with_columns(pawns=_pawns())
    most = int(here["line"].max() or 1) if here.height else 1  # type: ignore[arg-type]
    at, line = here["at"].to_numpy(), here["line"].to_numpy() - 1
    values = np.full((len(epds), most), np.nan)
    values[at, line] = here["pawns"].to_numpy()
    sign = np.array([1.0 if white_to_move(e) else -1.0 for e in epds])
    values *= sign[:, None]
    numbers = rows.select("epd", "uci", "own").join(place, on="epd", how="left", maintain_order="left")
    listed = numbers.join(
        here.select("epd", pl.col("line").cast(pl.Int64) - 1, uci="move"),
        on=["epd", "uci"],
        how="left",
        maintain_order="left",
    )
    of = numbers["at"].to_numpy()
    own = numbers["own"].cast(pl.Float64).fill_null(np.nan).to_numpy() * sign[of] if len(of) else np.empty(0)
    played = listed["line"].fill_null(-1).to_numpy()
    legal = rows["legal"].to_numpy()
    if (legal < 1).any():
        raise InputError("expected positions in which a move was made, found one without a legal move")
    return _Wide(values=values[of], played=played, own=own, legal=legal)


def _pawns() -> pl.Expr:
    """Return a line's value in pawns from White's side; a mate, and what is beyond it, is ±39.00."""
    most = MATE / CENTIPAWNS
    mate = pl.col("mate").cast(pl.Float64).sign() * most
    return pl.coalesce(mate, (pl.col("cp") / CENTIPAWNS).clip(-most, most))


def _none(lines: int) -> MoveChoices:
    nothing = np.zeros((0, lines + 2))
    return MoveChoices(delta=nothing, count=nothing, played=np.zeros(0, dtype=np.int64))
