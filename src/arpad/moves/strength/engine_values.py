"""Engine values of played moves: three searches for each position, kept in the store of evaluations.

1. a search of 12,000 nodes gives the best move and its value;
2. the same, of the move played alone, gives its value where it is another;
3. looks of depth 1 and depth 3 at every legal move say how the choice seems at first sight.

A game of 40 moves costs about three seconds on one core. The calibration holds for these limits.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import chess
import numpy as np
import polars as pl

from arpad.errors import EngineError
from arpad.evaluation import evaluation_schema
from arpad.model import schema
from arpad.moves.analysis import Ask, LocalWorkers, analyse
from arpad.moves.engine import EngineSettings
from arpad.moves.evaluation_store import EvaluationStore, default_root, lookup
from arpad.moves.positions import board_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path
    from typing import Any

    from numpy.typing import ArrayLike, NDArray

    from arpad.evaluation import Evaluation
    from arpad.moves.engine import EngineIdentity

    Progress = Callable[[int, int], None]

NODES = 12_000
"""Nodes of a search; the shipped calibration was made with this many."""

ALL_MOVES = 256
"""Lines of a look: more than any position has legal moves."""

DEPTHS = (1, 3)
"""Plies of the two looks."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineSource:
    """Engine, number of engines at once, and place of the answers.

    Parameters
    ----------
    nodes
        Nodes of a search; None: those of the calibration, which holds for one number.
    on_progress
        Called with the number of positions done and of all.
    on_wait
        Called with the number of a process that analyses already, before waiting for it.
    """

    engine: str = "stockfish"
    nodes: int | None = None
    workers: int | None = None
    store: str | Path | None = None
    patience: float = 60.0
    on_progress: Progress | None = None
    on_wait: Callable[[str], object] | None = None

    def settings(self) -> tuple[EngineSettings, EngineSettings, EngineSettings]:
        """Return how the engine is asked: the search, the look of depth 1, the look of depth 3."""
        search = EngineSettings(engine=self.engine, nodes=self.nodes or NODES)
        first, third = (
            EngineSettings(engine=self.engine, depth=depth, multipv=ALL_MOVES) for depth in DEPTHS
        )
        return search, first, third


@dataclass(frozen=True, slots=True, kw_only=True)
class PositionValues:
    """Answers by position: tables of lines as the store has them, from White's side."""

    search: pl.DataFrame
    played: pl.DataFrame
    first: pl.DataFrame
    third: pl.DataFrame
    engine: str


def read_values(asked: pl.DataFrame, source: EngineSource) -> PositionValues:
    """Return what the engine says of positions (`epd`) and of the moves played in them (`uci`).

    What the store has is not asked again.
    """
    rows = asked.select("epd", "uci").unique(maintain_order=True)
    epds = rows["epd"].unique(maintain_order=True).to_list()
    search, first, third = source.settings()
    step = _Steps(source, 4 * len(epds))
    best = step.lines([Ask(e) for e in epds], search)
    top = best.filter(pl.col("line") == 1).select("epd", best="move")
    other = rows.join(top, on="epd", maintain_order="left").filter(pl.col("best") != pl.col("uci"))
    alone = [Ask(e, (m,)) for e, m in other.select("epd", "uci").iter_rows()]
    played = step.lines(alone, search)
    looks = [step.lines([Ask(e) for e in epds], how) for how in (first, third)]
    return PositionValues(search=best, played=played, first=looks[0], third=looks[1], engine=step.engine)


class _Steps:
    """One search after the other, with the progress of all of them."""

    def __init__(self, source: EngineSource, total: int) -> None:
        self.source, self.total, self.done = source, total, 0
        self.root = source.store if source.store is not None else default_root()
        self.identity: EngineIdentity | None = None

    @property
    def engine(self) -> str:
        """The engine's own name."""
        return "" if self.identity is None else str(self.identity)

    def lines(self, asks: list[Ask], settings: EngineSettings) -> pl.DataFrame:
        team = LocalWorkers(settings, engines=self.source.workers, patience=self.source.patience)
        identity = self.identity = self.identity or team.identity()
        if not asks:
            return pl.DataFrame(schema=evaluation_schema())
        store = EvaluationStore(
            self.root,
            settings.key(identity),
            parameters=settings.parameters(identity),
            on_wait=self.source.on_wait or (lambda _: None),
        )
        with store:
            only = [" ".join(a.searchmoves) for a in asks]
            known = store.known([a.epd for a in asks], only)
            left = [ask for ask, kept in zip(asks, known, strict=True) if not kept]
            self.done += len(asks) - len(left)

            def keep(found: list[Evaluation]) -> None:
                store.append(found)
                self._advance(len(found))

            if left:
                done = analyse(left, settings, workers=team, on_results=keep, patience=self.source.patience)
                self._advance(len(done.failures) + done.over)
                if done.failures and not done.analysed:
                    raise EngineError(done.failures[0].reason)
        return _lookup(asks, settings.key(identity), self.root)

    def _advance(self, positions: int) -> None:
        self.done += positions
        if self.source.on_progress is not None:
            self.source.on_progress(min(self.done, self.total), self.total)


def _lookup(asks: Iterable[Ask], key: str, root: str | Path) -> pl.DataFrame:
    rows = list(asks)
    return lookup([a.epd for a in rows], key, root=root, searchmoves=[" ".join(a.searchmoves) for a in rows])


# Moves with what an engine saw of them: one row a move, the values scaled and from the mover's side.
#
# A value of v centipawns counts as ``100 · ln(1 + |v| / 100)`` with its sign: a pawn means less where a side is far
# ahead. A loss is a difference of such values.

FIRST_PLY, LAST_PLY = 12, 111
"""Plies played before the first and the last move that counts: moves 7 to 56."""

MOST_CP = 1500
"""Centipawns at which values are cut off."""

MATE_CP, MATE_STEP, MATE_MOVES = 2000, 5, 20
"""Value of a mate: 2000, less 5 for each move that it takes, up to 20 moves."""

SIGHT = 40.0
"""Scaled centipawns over which a worse move at first sight becomes unlikely, for the spread of a choice."""

NEAR = 60.0
"""Scaled centipawns within which a move is close to the best."""

WORTH = ((chess.KNIGHT, 3), (chess.BISHOP, 3), (chess.ROOK, 5), (chess.QUEEN, 9))

ENGINE_MOVES = schema(
    {
        "game": pl.Int32,
        "ply": pl.Int32,  # plies played before the move
        "white": pl.Boolean,
        "best": pl.Float64,  # centipawns from the mover's side
        "loss": pl.Float64,  # scaled, not below 0
        "chose_best": pl.Boolean,
        "first_played": pl.Float64,  # scaled loss of the move played in the look of depth 1
        "first_best": pl.Float64,  # the same of the engine's choice: how hidden it is
        "third_played": pl.Float64,  # and at depth 3
        "third_best": pl.Float64,
        "third_top": pl.Float64,  # scaled value of the best move of that look
        "legal": pl.Int32,
        "close": pl.Int32,  # moves close to the best at depth 3
        "gap": pl.Float64,  # from the best to the second there
        "spread": pl.Float64,  # entropy of the choice there
        "pieces": pl.Int32,  # worth of all pieces on the board, without pawns
        "check": pl.Boolean,
        "capture": pl.Boolean,
        "recapture": pl.Boolean,
        "best_capture": pl.Boolean,
        "best_recapture": pl.Boolean,
        "best_check": pl.Boolean,
        "given": pl.Float64,  # scaled loss of the opponent's move before; 0 where it is not known
    }
)


def scaled(cp: ArrayLike) -> NDArray[np.float64]:
    """Return values on the logarithmic scale.

    Examples
    --------
    >>> scaled([0, 100, -300]).round(1).tolist()
    [0.0, 69.3, -138.6]
    """
    v = np.asarray(cp, dtype=np.float64)
    return np.asarray(np.sign(v) * 100 * np.log1p(np.abs(v) / 100))


def engine_moves(positions: pl.DataFrame, values: PositionValues) -> pl.DataFrame:
    """Return the moves of games with the columns of `ENGINE_MOVES`.

    Parameters
    ----------
    positions
        Rows with `game`, `ply`, `epd` and `uci`, in order; the moves at the borders of what is counted may be among them.
    values
        What the engine says of them. Moves that it said nothing of, and moves without a choice, are left out.
    """
    search = {epd: lines[0] for epd, lines in _lines(values.search)}
    alone = {
        (epd, move): _worth(cp, mate)
        for epd, move, cp, mate in values.played.select("epd", "move", "cp", "mate").iter_rows()
    }
    first = {epd: dict(lines) for epd, lines in _lines(values.first)}
    third = {epd: dict(lines) for epd, lines in _lines(values.third)}
    rows: list[dict[str, Any]] = []
    before: dict[str, Any] = {}
    for game, ply, epd, uci in positions.select("game", "ply", "epd", "uci").iter_rows():
        follows = before.get("game") == game and before.get("ply") == ply - 1
        last = before if follows else {}
        before = {"game": game, "ply": ply}
        if uci is None or epd not in search:
            continue
        board = board_of(epd)
        move = chess.Move.from_uci(uci)
        before |= {"to": move.to_square, "capture": board.is_capture(move)}
        choice, value = search[epd]
        sign = 1 if board.turn else -1
        mine = sign * value
        played = mine if choice == uci else sign * alone.get((epd, uci), sign * np.nan)
        looks = [_look(table.get(epd, {}), sign, uci, choice) for table in (first, third)]
        if np.isnan(played) or None in looks or not FIRST_PLY <= ply <= LAST_PLY:
            continue
        shallow, deeper = looks
        assert shallow is not None
        assert deeper is not None
        losses = deeper["losses"]
        if len(losses) < 2:
            continue  # no choice
        loss = max(float(scaled(mine) - scaled(played)), 0.0)
        chosen = chess.Move.from_uci(choice)
        again = last["to"] if last.get("capture") else None
        chances = np.exp(-losses / SIGHT)
        chances /= chances.sum()
        rows.append(
            {
                "game": game,
                "ply": ply,
                "white": board.turn,
                "best": mine,
                "loss": loss,
                "chose_best": choice == uci,
                "first_played": shallow["played"],
                "first_best": shallow["best"],
                "third_played": deeper["played"],
                "third_best": deeper["best"],
                "third_top": deeper["top"],
                "legal": len(losses),
                "close": int((losses < NEAR).sum()),
                "gap": float(losses[1]),
                "spread": float(-(chances * np.log(chances + 1e-12)).sum()),
                "pieces": sum(
                    len(board.pieces(kind, side)) * worth
                    for kind, worth in WORTH
                    for side in (chess.WHITE, chess.BLACK)
                ),
                "check": board.is_check(),
                "capture": before["capture"],
                "recapture": before["capture"] and again == move.to_square,
                "best_capture": board.is_capture(chosen),
                "best_recapture": board.is_capture(chosen) and again == chosen.to_square,
                "best_check": board.gives_check(chosen),
                "given": last.get("loss", 0.0),
            }
        )
        before["loss"] = loss
    return pl.DataFrame(rows, schema=ENGINE_MOVES)


def _lines(table: pl.DataFrame) -> Iterator[tuple[str, list[tuple[str, float]]]]:
    ordered = table.sort("epd", "line", maintain_order=True)
    for (epd,), rows in ordered.group_by(["epd"], maintain_order=True):
        lines = rows.select("move", "cp", "mate").iter_rows()
        yield str(epd), [(move, _worth(cp, mate)) for move, cp, mate in lines]


def _worth(cp: int | None, mate: int | None) -> float:
    """Return centipawns from White's side."""
    if mate is None:
        return float(np.clip(cp or 0, -MOST_CP, MOST_CP))
    worth = MATE_CP - MATE_STEP * min(abs(mate), MATE_MOVES)
    return float(worth if mate > 0 else -worth)


def _look(lines: dict[str, float], sign: int, played: str, choice: str) -> dict[str, Any] | None:
    """Return what a look says of two moves, and the losses of all in order; None where one is not there."""
    if played not in lines or choice not in lines:
        return None
    worth = scaled(sign * np.array(list(lines.values())))
    at = {move: float(v) for move, v in zip(lines, worth, strict=True)}
    top = float(worth.max())
    return {"played": top - at[played], "best": top - at[choice], "top": top, "losses": np.sort(top - worth)}
