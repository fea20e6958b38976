"""Evaluated games for tests: the bundled one, and made-up events whose truth is known."""

from __future__ import annotations

from importlib.resources import files

import numpy as np

from arpad.model import Games
from arpad.moves.evaluated_games import EvaluatedGames, read_evaluated
from arpad.moves.gain import measure

CENTURY = str(files("arpad") / "samples" / "game-of-the-century.pgn")


def century():
    return measure(read_evaluated(CENTURY))


def evaluated(games, values, **columns):
    """Games [(white, black, score)] with a list of centipawns each, the starting position first."""
    rows = {
        "game": [g for g, line in enumerate(values) for _ in line],
        "ply": [p for line in values for p in range(len(line))],
        "cp": [v for line in values for v in line],
    }
    return EvaluatedGames.build(Games.build(games), {**rows, **columns})


def made_up(rng, *, players=4, rounds=1, moves=40, mean=(-10, -15, -20, -25), between=8.0):
    """A round robin in which each player's gains are known: a mean of the player's, another of the game's."""
    games, values = [], []
    for again in range(rounds):
        for i in range(players):
            for j in range(i):
                white, black = (i, j) if (i + j + again) % 2 else (j, i)
                level = [mean[p] + between * rng.standard_normal() for p in (white, black)]
                line = [20]
                for ply in range(2 * moves):
                    gain = round(level[ply % 2] + 20 * rng.standard_normal())
                    line.append(line[-1] + (gain if ply % 2 == 0 else -gain))
                games.append((f"P{white}", f"P{black}", 0.5))
                values.append([int(np.clip(v, -3900, 3900)) for v in line])
    return measure(evaluated(games, values))
