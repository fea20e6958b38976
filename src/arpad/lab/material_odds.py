"""Material odds in rating points, from games that an engine plays against itself from odds positions [Elo 3.92]."""

from __future__ import annotations

import math
import random
from dataclasses import dataclass
from itertools import combinations, product
from typing import TYPE_CHECKING, Any

import polars as pl

from arpad.errors import UsageError
from arpad.model import Games, Result
from arpad.rate.pool import PoolSystem

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from arpad.evaluation import Evaluation

    Search = Callable[[str], Evaluation]
    """A player: from a position (EPD) to its lines, the best first."""

START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
ODDS = {
    "pawn and move": "rnbqkbnr/ppppp1pp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "pawn and two moves": "rnbqkbnr/ppppp1pp/8/8/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 1",
    "knight": "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/R1BQKBNR w KQkq - 0 1",
    "rook": "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/1NBQKBNR w Kkq - 0 1",
    "queen": "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNB1KBNR w KQkq - 0 1",
}
"""Where the games begin: Black gives the king's bishop's pawn, White the queen's knight or rook or the queen."""
GIVEN_BY_BLACK = {"pawn and move", "pawn and two moves"}
OPENING = 6
"""Plies that are drawn by lot, so that no game is played twice. Ours."""
CLOSE = 40
"""Centipawns below the best within which the lot chooses. Ours."""
DECIDED = 1500
"""Centipawns of advantage that end a game. Ours."""
AGREED = 4
"""Evaluations in a row, two of each player, that must say so. Ours."""
LONGEST = 300
"""Plies after which a game is drawn. Ours."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MaterialOdds(Result):
    """What each odds are worth to each player who gives them.

    `rows` has `level`, `rating` (of the level without odds, in points of this pool), then for each odds `worth` (points
    lost by giving them), `error` (one standard deviation) and the `games` and `score` of who gave them.
    """

    rows: pl.DataFrame
    games: int
    draw_rate: float
    parameters: Mapping[str, Any]

    def summary(self) -> str:
        """Return one sentence."""
        return (
            f"{self.games:,} games ({self.draw_rate:.0%} drawn) between {self.rows['level'].n_unique()} levels; worth: points "
            "between the same player with and without the odds, ± one standard deviation; none: no win or no loss"
        )


def play(white: Search, black: Search, opening: Search, start: str, lot: random.Random) -> float:
    """Play one game and return White's score.

    The first plies are drawn by lot among the moves of `opening` that are nearly the best.
    """
    import chess

    from arpad.moves.positions import epd_of

    board, winning = chess.Board(start), 0
    while not board.is_game_over() and not board.is_repetition(3) and board.halfmove_clock < 100:
        if len(board.move_stack) >= LONGEST:
            return 0.5
        epd = epd_of(board)
        if len(board.move_stack) < OPENING:
            move = _by_lot(opening(epd), white=board.turn, lot=lot)
        else:
            line = (white if board.turn else black)(epd).lines[0]
            value = line.mate * DECIDED if line.mate else line.cp or 0
            side = 0 if abs(value) < DECIDED else 1 if value > 0 else -1
            winning = winning + side if side * winning > 0 else side
            if abs(winning) == AGREED:
                return 1.0 if winning > 0 else 0.0
            move = line.move
        board.push(chess.Move.from_uci(move))
    winner = None if (end := board.outcome()) is None else end.winner
    return 0.5 if winner is None else float(winner)


def _by_lot(found: Evaluation, *, white: bool, lot: random.Random) -> str:
    worth = [(line.cp or 0) * (1 if white else -1) for line in found.lines]
    near = [line.move for line, w in zip(found.lines, worth, strict=True) if worth[0] - w <= CLOSE]
    return lot.choice(near)


def material_odds(
    players: Mapping[str, Search],
    opening: Search,
    *,
    odds: Sequence[str] = tuple(ODDS),
    games: int = 20,
    seed: int = 0,
    tell: Callable[[int, int], None] | None = None,
    parameters: Mapping[str, Any] | None = None,
) -> MaterialOdds:
    """Rate players with and without odds in one pool; the difference is what the odds are worth.

    Everybody plays everybody on level terms, with both colours, and gives each of the odds to everybody and to itself.
    A player who gives odds is another player of the pool.

    Parameters
    ----------
    players
        By name, in any order: such as the engine at several numbers of nodes.
    opening
        Who plays the first plies, several lines a position.
    games
        Of each pair.
    """
    unknown = [name for name in odds if name not in ODDS]
    if unknown or len(players) < 2 or games < 2:
        raise UsageError(
            f"expected two players or more, two games or more, and odds from {', '.join(ODDS)}; "
            f"found {len(players)}, {games} and {', '.join(odds)}"
        )
    plan = list(_pairings(list(players), odds, games))
    lot = random.Random(seed)
    rows: list[tuple[str, str, float]] = []
    for white, black, given in plan:
        names = [player if not side else f"{player}, {given}" for player, side in (white, black)]
        start = ODDS.get(given, START)
        rows.append((names[0], names[1], play(players[white[0]], players[black[0]], opening, start, lot)))
        if tell is not None:
            tell(len(rows), len(plan))
    return _worths(rows, list(players), odds, dict(parameters or {}) | {"games": games, "seed": seed})


def _pairings(
    names: list[str], odds: Sequence[str], games: int
) -> Iterator[tuple[tuple[str, bool], tuple[str, bool], str]]:
    """Yield White, Black, each with whether he gives odds, and the odds."""
    for first, second in combinations(names, 2):
        for i in range(games):
            a, b = (first, second) if i % 2 else (second, first)
            yield (a, False), (b, False), ""
    for name, giver, taker, _ in product(odds, names, names, range(games)):
        sides = (giver, True), (taker, False)
        yield (sides[1], sides[0], name) if name in GIVEN_BY_BLACK else (*sides, name)


def _worths(
    rows: list[tuple[str, str, float]], names: list[str], odds: Sequence[str], parameters: dict[str, Any]
) -> MaterialOdds:
    solved = PoolSystem().solve(Games.build(rows)).ratings.rows
    rated = {row["player"]: row for row in solved.to_dicts()}
    result = []
    for name, each in product(names, odds):
        level, lower = rated[name], rated[f"{name}, {each}"]
        scores = [
            score if white == lower["player"] else 1 - score
            for white, black, score in rows
            if lower["player"] in (white, black)
        ]
        known = level["group"] == lower["group"] and None not in (level["rating"], lower["rating"])
        result.append(
            {
                "level": name,
                "rating": level["rating"],
                "odds": each,
                "worth": level["rating"] - lower["rating"] if known else None,
                "error": math.hypot(level["error"], lower["error"]) if known else None,
                "games": len(scores),
                "score": sum(scores) / len(scores),
            }
        )
    drawn = sum(score == 0.5 for *_, score in rows) / len(rows)
    frame = pl.DataFrame(result, schema_overrides=dict.fromkeys(("rating", "worth", "error"), pl.Float64))
    return MaterialOdds(rows=frame, games=len(rows), draw_rate=drawn, parameters=parameters)
