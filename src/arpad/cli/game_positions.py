"""The positions of games, by python-chess."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

if TYPE_CHECKING:
    from arpad.moves.evaluated import EvaluatedGames

__all__ = ["game_positions"]


def game_positions(games: EvaluatedGames) -> pl.DataFrame:
    """Return game, ply, epd, uci, over of every position."""
    import chess

    from arpad.moves.position import epd_of

    rows: list[tuple[int, int, str, str | None, str | None]] = []
    for (game,), plies in games.table.group_by("game", maintain_order=True):
        start = games.starts.row(int(str(game)), named=True)
        chess960 = (
            "960" in (start["variant"] or "") or "fischer" in (start["variant"] or "").lower()
        )
        try:
            board = chess.Board(start["fen"] or chess.STARTING_FEN, chess960=chess960)
        except ValueError as error:
            games.report.add(start["file"], start["line"], "skipped", f"no position: {error}")
            continue
        mine: list[tuple[int, int, str, str | None, str | None]] = []
        for ply, san in plies.select("ply", "san").iter_rows():
            if san is not None:
                try:
                    move = board.parse_san(san)
                except ValueError as error:
                    games.report.add(start["file"], start["line"], "repaired", str(error))
                    break
                mine[-1] = (*mine[-1][:3], board.uci(move), None)
                board.push(move)
            over = "mate" if board.is_checkmate() else "stalemate" if board.is_stalemate() else None
            mine.append((int(str(game)), ply, epd_of(board), None, over))
        rows += mine
    schema = {
        "game": pl.Int32(),
        "ply": pl.Int32(),
        "epd": pl.String(),
        "uci": pl.String(),
        "over": pl.String(),
    }
    return pl.DataFrame(rows, schema=schema, orient="row")
