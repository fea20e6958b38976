"""P-Zero scores, and ratings after the event [PRA, The P-Zero Scores]."""

from __future__ import annotations

import math
import random
from dataclasses import dataclass
from typing import TYPE_CHECKING

import polars as pl

from arpad.errors import UsageError
from arpad.rate.elo_reference import plain
from arpad.rate.periods import one_event_in_order
from arpad.scale import Logistic, PraCurve

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from arpad.model import Games


# P-Zero scores: the Basic System of PRA, run over one event from zero [PRA, The P-Zero Scores].
#
# ``P′ = P + 9 (S − E(P − P_opponent))`` for either player, game by game, everybody starting at 0. What one
# gains the other loses, so that the scores add up to nothing.

K_BASIC = 9.0
"""Points of the Basic System for a whole point above expectation [PRA (1)]."""
SHUFFLES = 20
"""Other orders of the same games that are tried, to see how much the order matters."""
EXPECTED = plain(PraCurve())


def basic_run(
    white: Sequence[int], black: Sequence[int], score: Sequence[float], start: Sequence[float]
) -> list[float]:
    """Return everybody's rating after the games, by R′ = R + 9 (S − E) in the order given [PRA (1)].

    Examples
    --------
    >>> [round(r, 2) for r in basic_run([0], [1], [1.0], [2785.0, 2660.0])]
    [2788.97, 2656.03]
    """
    R = list(start)
    for i, j, S in zip(white, black, score, strict=True):
        change = K_BASIC * (S - EXPECTED(R[i] - R[j]))
        R[i] += change
        R[j] -= change
    return R


def p_zero(white: Sequence[int], black: Sequence[int], score: Sequence[float], players: int) -> list[float]:
    """Return the P-Zero score of every player: the Basic System from zero, in the order of the games.

    Examples
    --------
    >>> p_zero([0, 1], [1, 2], [1.0, 0.5], 3)[0]
    4.5
    """
    return basic_run(white, black, score, [0.0] * players)


def z_scores(scores: Sequence[float]) -> list[float | None]:
    """Return (P − mean) / s, with s over n − 1; nothing where all scores are equal.

    Examples
    --------
    >>> z_scores([1.0, 0.0, -1.0])
    [1.0, 0.0, -1.0]
    """
    n = len(scores)
    mean = math.fsum(scores) / n if n else 0.0
    spread = math.sqrt(math.fsum((p - mean) ** 2 for p in scores) / (n - 1)) if n > 1 else 0.0
    return [(p - mean) / spread if spread > 1e-9 else None for p in scores]


def order_effect(
    white: Sequence[int],
    black: Sequence[int],
    score: Sequence[float],
    players: int,
    *,
    groups: Sequence[object] | None = None,
    shuffles: int = SHUFFLES,
    seed: int = 0,
) -> float:
    """Return by how much any P-Zero score moves, at most, when the games are played in other orders.

    Parameters
    ----------
    groups
        What is known of the order, such as the day of each game: games are shuffled within a group only.
    shuffles
        Orders tried; the games backwards are tried, too.
    """
    known = list(groups) if groups is not None else [0] * len(white)
    places: dict[object, list[int]] = {}
    for place, group in enumerate(known):
        places.setdefault(group, []).append(place)
    first = p_zero(white, black, score, players)
    draw = random.Random(seed)
    most = 0.0
    for turn in range(shuffles):
        order: list[int] = []
        for block in places.values():
            mixed = block[::-1] if turn == 0 else draw.sample(block, len(block))
            order += mixed
        other = p_zero(
            [white[g] for g in order], [black[g] for g in order], [score[g] for g in order], players
        )
        most = max(most, *(abs(a - b) for a, b in zip(first, other, strict=True)), 0.0)
    return most


# What the app needs of an event: plain lists, the games in the order in which they were played.


@dataclass(frozen=True, slots=True, kw_only=True)
class PlainEvent:
    """One event in plain lists; players are numbered from 0 as they stand here."""

    name: str
    names: Sequence[str]
    rows: Sequence[int]
    """Each player's row in the list of players that the event was taken from."""
    ratings: Sequence[float | None]
    """As given, before the event."""
    points: Sequence[float]
    """All points, those of forfeits and byes too."""
    white: Sequence[int]
    """Games that were played on the board, in order."""
    black: Sequence[int]
    score: Sequence[float]
    rating_system: str | None = None
    number_two: float | None = None
    groups: Sequence[object] | None = None
    """Round or day of each game, within which the order is not known; None: no order is known at all."""
    by_round: bool = False
    """Whether the order follows from rounds, with one game in each round for everybody, and is not in doubt."""
    notes: tuple[str, ...] = ()

    def games(self) -> list[int]:
        """Return how many games each player played."""
        count = [0] * len(self.names)
        for side in (self.white, self.black):
            for player in side:
                count[player] += 1
        return count

    def opponents(self) -> list[list[int]]:
        """Return whom each player met on the board, in order."""
        met: list[list[int]] = [[] for _ in self.names]
        for i, j in zip(self.white, self.black, strict=True):
            met[i].append(j)
            met[j].append(i)
        return met


def field_of(games: Games, ratings: Mapping[int, float] | None = None) -> PlainEvent:
    """Return the field of an event.

    Parameters
    ----------
    ratings
        Initial ratings by row of `games.players`; they go before those that the source gives.
    """
    table = games.table
    sides = ("white", "black", "score", "black_score")
    rows = list(zip(*(table[c].to_list() for c in sides), strict=True))
    here = sorted({p for row in rows for p in row[:2] if p is not None})
    if not here:
        raise UsageError("expected an event with games, found none")
    number = {row: i for i, row in enumerate(here)}
    points = [0.0] * len(here)
    for white, black, score, black_score in rows:
        points[number[white]] += score or 0.0
        if black is not None:
            points[number[black]] += black_score or 0.0
    played = one_event_in_order(table.filter(pl.col("status") == "played"))
    event = games.events[0] if games.events else None
    several = table["event"].n_unique()
    names = games.players["name"].to_list()
    return PlainEvent(
        name=" / ".join(dict.fromkeys(e.name for e in games.events)) or "Event",
        names=[names[row] or f"player {row + 1}" for row in here],
        rows=here,
        ratings=_ratings(games, here, ratings or {}),
        points=points,
        white=[number[row] for row in played["white"]],
        black=[number[row] for row in played["black"]],
        score=played["score"].to_list(),
        rating_system=event.rating_system if event else None,
        number_two=event.number_two if event else None,
        groups=played["when"].to_list(),
        by_round=played.height > 0 and bool(played["certain"].all()),
        notes=(f"these games come from {several} events: each should have its own report",)
        if several > 1
        else (),
    )


def _ratings(games: Games, here: list[int], given: Mapping[int, float]) -> list[float | None]:
    from arpad.event.crosstable import known_ratings

    for row, rating in given.items():
        if not math.isfinite(rating):
            raise UsageError(f"expected a rating of player {row + 1}, found {rating!r}")
    known = known_ratings(games)
    return [given.get(row, known.get(row)) for row in here]


# Ratings after the event: by PRA's Basic System, and by Elo.
#
# The text's column "Elo After" is not quite Elo: its changes are K (S − P) with K = 10 and the logistic P,
# but P comes from the running *PRA* ratings. All its printed values follow so, and none otherwise. Both are
# given here.

K_ELO = 10.0
"""K of the text's Elo."""
LOGISTIC = plain(Logistic())


@dataclass(frozen=True, slots=True)
class After:
    """Everybody's rating after the games, three times."""

    pra: list[float | None]
    elo: list[float | None]
    elo_as_printed: list[float | None]


def ratings_after(
    white: Sequence[int], black: Sequence[int], score: Sequence[float], start: Sequence[float | None]
) -> After:
    """Rate the games one by one, in their order; a player without a rating has none afterwards.

    A game with somebody unrated rates nobody.
    """
    pra = [0.0 if R is None else R for R in start]
    elo, printed = list(pra), list(pra)
    for i, j, S in zip(white, black, score, strict=True):
        if start[i] is None or start[j] is None:
            continue
        by_accident = K_ELO * (S - LOGISTIC(pra[i] - pra[j]))
        printed[i] += by_accident
        printed[j] -= by_accident
        true = K_ELO * (S - LOGISTIC(elo[i] - elo[j]))
        elo[i] += true
        elo[j] -= true
        change = K_BASIC * (S - EXPECTED(pra[i] - pra[j]))
        pra[i] += change
        pra[j] -= change
    known = [R is not None for R in start]
    return After(
        *(
            [value if here else None for value, here in zip(values, known, strict=True)]
            for values in (pra, elo, printed)
        )
    )
