"""Rated games out of nothing: agents of known skill choose among an engine's lines, the better the higher their rating."""

from __future__ import annotations

import io
import math
import random

import chess
import chess.pgn

from arpad.moves.engine import Engine, EngineSettings
from arpad.moves.ipr.model import move_probabilities, scaled_loss
from arpad.moves.positions import epd_of

SKILLS = {1800: 0.50, 2000: 0.34, 2200: 0.22, 2400: 0.13, 2600: 0.07}
"""s of each mark; c is .5."""
DECIDED = 3.0
LONGEST = 90


def rated_games(per_mark: int = 170, seed: int = 1) -> str:
    """Return PGN with so many moves behind turn 8 at each mark, both players rated alike."""
    rng = random.Random(seed)
    text = io.StringIO()
    with Engine(EngineSettings(depth=3, multipv=6)) as engine:
        for mark, s in SKILLS.items():
            moves = number = 0
            while moves < per_mark:
                number += 1
                board = _played(engine, s, rng)
                moves += max(len(board.move_stack) - 16, 0)
                game = chess.pgn.Game.from_board(board)
                game.headers.update(
                    Event="Agents", Round=str(number), White=f"White{mark}", Black=f"Black{mark}", WhiteElo=str(mark + 4),
                    BlackElo=str(mark - 3), Result="1/2-1/2",
                )  # fmt: skip
                print(game, file=text, end="\n\n")
    return text.getvalue()


def _played(engine: Engine, s: float, rng: random.Random) -> chess.Board:
    board = chess.Board()
    for _ in range(16):  # a quiet beginning of any moves, but never losing at once
        lines = engine.search(epd_of(board)).lines
        board.push_uci(rng.choice(lines[:4]).move)
    while not board.is_game_over() and len(board.move_stack) < LONGEST:
        lines = engine.search(epd_of(board)).lines
        sign = 1 if board.turn else -1
        values = [sign * (x.cp / 100 if x.cp is not None else math.copysign(39, x.mate)) for x in lines]  # fmt: skip
        if abs(values[0]) > DECIDED:
            break
        delta = [float(scaled_loss(values[0], v)) for v in values]
        chances = move_probabilities(delta, s, 0.5) if len(delta) > 1 else [1.0]
        board.push_uci(rng.choices(lines, chances)[0].move)
    return board
