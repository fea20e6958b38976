"""One event as FIDE rated it by the regulations of 1986 [Elo 4.51–4.56].

Unrated players without a point are left out. Up to a fifth of unrated players stand at the nominal
2200 (1900 among women); with more of them the average comes from the rated ones by (7), and the unrated
then enter at that average, or at their performance if they scored less than half.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import polars as pl

from arpad.errors import UsageError
from arpad.event.field import field_of, only_women, scoreless, without
from arpad.event.kind import cycles_of
from arpad.event.performance import performance, tournament_average
from arpad.event.rateable_1986 import FEWEST, Rateability, rateable_1986
from arpad.event.reliability import reliability
from arpad.event.unrated import adjusted_difference, expected_in_round_robin
from arpad.rate.kpolicy import K_POLICIES
from arpad.scale import Table

if TYPE_CHECKING:
    from collections.abc import Mapping

    from arpad.event.field import Entry
    from arpad.model import Games

__all__ = [
    "NOMINAL",
    "NOMINAL_WOMEN",
    "Change",
    "FideEvent1986",
    "fide_event_1986",
    "nominal_value",
]

NOMINAL, NOMINAL_WOMEN = 2200.0, 1900.0
"""R_U, what a player without a rating is entered at, in rating points [4.51]."""
MOST_UNRATED = 0.2
"""The share of unrated players up to which they stand at R_U [4.53]."""
GAMES_TIMES_K = 800.0
"""N_o K: 30 games at 25, 50 at 15, 80 at 10, roughly [4.55, 4.62]."""

Change = Literal["expected", "performance"]
"""How ratings change: K (W − W_e) [(2), 4.55], or (R_p − R_o) N / N_o with N_o = 800 / K [(15), 4.53]."""
Route = Literal["all rated", "nominal", "formula 7", "game by game"]


@dataclass(frozen=True, slots=True, kw_only=True)
class FideEvent1986:
    """An event rated by the regulations of 1986."""

    route: Route
    """How unrated players were entered; `game by game` for anything but a round robin."""
    first_average: float | None
    """R_a by (7), where the unrated are more than a fifth."""
    average: float | None
    """R_a, the mean of what everybody is entered at; None where there is no round robin."""
    rows: pl.DataFrame
    """Best score first: player, rating, entered, score and games that count, expected, performance,
    error, k, change, note."""
    rateability: Rateability
    parameters: dict[str, object]

    def table(self) -> pl.DataFrame:
        """Return one row a player who counts."""
        return self.rows

    def summary(self) -> str:
        """Return one sentence."""
        level = "" if self.average is None else f", R_a {self.average:.0f}"
        return f"{self.rows.height} players, unrated entered: {self.route}{level}; {self.rateability.summary()}"


def nominal_value(*, women: bool) -> float:
    """Return R_U: 2200, or 1900 in exclusively women's tournaments [4.51]."""
    return NOMINAL_WOMEN if women else NOMINAL


def fide_event_1986(
    games: Games,
    *,
    change: Change = "expected",
    national_championship: bool = False,
    rated_games: Mapping[int, int] | None = None,
) -> FideEvent1986:
    """Rate one event by the chain of 4.53–4.55.

    The book's 4.55 prints D_a = R_a − R_o; the expected score of the better player is the higher one only
    with D_a = R_o − R_a, which is taken here.

    Parameters
    ----------
    rated_games
        Games rated so far, by row of the players, for K [4.56]; whoever is not named is established.
        A K in the file goes before.
    """
    field = field_of(games)
    if not any(e.rating is not None for e in field.values()):
        raise UsageError("expected at least one rated player among the games, found none")
    women = only_women(field)
    counted = without(field, scoreless(field))
    cycles = cycles_of(games)
    if cycles and len(counted) > 1:
        route, first, entered = _entered(counted, women=women)
        average = _half_up(math.fsum(entered.values()) / len(entered))
    else:
        route, first, average = "game by game", None, None
        entered = {r: _worth(e, women=women) for r, e in counted.items() if e.rating is not None}
    rows = []
    for row, entry in counted.items():
        k = _k(games, entry, rated_games or {})
        against_rated = sum(counted[o].rating is not None for o, _ in entry.results)
        if average is None:
            figures = _game_by_game(entry, entered)
        else:
            figures = _in_round_robin(entry, entered, average, len(counted), cycles)
        short = against_rated < FEWEST
        rows.append(_row(entry, figures, entered.get(row), k, change, short=short))
    rows.sort(key=lambda r: (-r["score"], -(r["rating"] or 0), r["player"]))
    return FideEvent1986(
        route=route,
        first_average=first,
        average=average,
        rows=pl.DataFrame(rows, schema=_SCHEMA),
        rateability=rateable_1986(games, national_championship=national_championship),
        parameters={"rules": "fide-1986", "change": change, "R_U": nominal_value(women=women)},
    )


def _entered(
    field: Mapping[int, Entry], *, women: bool
) -> tuple[Route, float | None, dict[int, float]]:
    """Return how the unrated are entered, R_a by (7) where it is needed, and everybody's value [4.53]."""
    R_U, M = nominal_value(women=women), len(field)
    known = {r: _worth(e, women=women) for r, e in field.items() if e.rating is not None}
    unrated = [e for r, e in field.items() if r not in known]
    if not unrated:
        return "all rated", None, _floats(known)
    if len(unrated) <= MOST_UNRATED * M:
        return "nominal", None, _floats(known) | {e.row: R_U for e in unrated}
    standards = [
        (float(e.rating), e.share * (M - 1))
        for e in field.values()
        if e.rating is not None and _stands(e, women=women) and 0 < e.share < 1
    ]
    if not standards:
        raise UsageError(
            "expected a rated player who neither won nor lost every game: with more than a fifth unrated "
            "nothing else tells the average [4.53]"
        )
    R_a = _half_up(tournament_average(standards, M))
    return "formula 7", R_a, _floats(known) | {e.row: _unrated(e, R_a, M) for e in unrated}


def _unrated(entry: Entry, R_a: float, M: int) -> float:
    """Return R_a for half of the points or more, R_p below [4.53]."""
    if entry.share >= 0.5:
        return R_a
    return R_a + adjusted_difference(Table().difference(entry.share), M)


def _stands(entry: Entry, *, women: bool) -> bool:
    """Say whether somebody is entered at the own rating: a woman among men only above 2200 [4.41]."""
    return entry.rating is not None and (women or not entry.woman or entry.rating > NOMINAL)


def _worth(entry: Entry, *, women: bool) -> float:
    rating = NOMINAL if entry.rating is None else entry.rating
    return rating if _stands(entry, women=women) else NOMINAL


@dataclass(frozen=True, slots=True)
class _Figures:
    """What counts of one player's games: W, N, W_e and R_p."""

    score: float
    games: int
    expected: float | None = None
    performance: float | None = None


def _in_round_robin(
    entry: Entry, entered: Mapping[int, float], R_a: float, M: int, cycles: int
) -> _Figures:
    """Take W_e and R_p from the average of all; who missed games, game by game."""
    if entry.games != cycles * (M - 1):
        return _game_by_game(entry, entered)
    R_p = None
    if 0 < entry.share < 1:
        R_p = R_a + adjusted_difference(Table().difference(entry.share), M)
    W_e = None
    if entry.rating is not None:
        W_e = expected_in_round_robin(entry.rating - R_a, M, cycles=cycles)
    return _Figures(entry.score, entry.games, W_e, R_p)


def _game_by_game(entry: Entry, entered: Mapping[int, float]) -> _Figures:
    """Take W_e and R_p from the games against whoever is entered [(3), (1)]."""
    met = [(entered[o], share) for o, share in entry.results if o in entered]
    if not met:
        return _Figures(0.0, 0)
    W = math.fsum(share for _, share in met)
    R_p = performance(W, [R for R, _ in met], method="table").rating
    R_o = entry.rating
    W_e = None if R_o is None else math.fsum(Table().expected(R_o - R) for R, _ in met)
    return _Figures(W, len(met), W_e, R_p)


def _row(
    entry: Entry, found: _Figures, entered: float | None, k: float, change: Change, *, short: bool
) -> dict[str, Any]:
    gain, R_p = None, found.performance
    if not short and entry.rating is not None and found.expected is not None:
        if change == "expected":
            gain = k * (found.score - found.expected)
        elif R_p is not None:
            gain = (R_p - entry.rating) * found.games * k / GAMES_TIMES_K
    return {
        "player": entry.name,
        "rating": entry.rating,
        "entered": entered,
        "score": found.score,
        "games": found.games,
        "expected": found.expected,
        "performance": R_p,
        "error": None if R_p is None else reliability(found.games).sigma_rating,
        "k": k if entry.rating is not None else None,
        "change": gain,
        "note": f"fewer than {FEWEST} games against rated players: to be pooled" if short else "",
    }


_SCHEMA = pl.Schema(
    {
        "player": pl.String(),
        "rating": pl.Float64(),
        "entered": pl.Float64(),
        "score": pl.Float64(),
        "games": pl.Int64(),
        "expected": pl.Float64(),
        "performance": pl.Float64(),
        "error": pl.Float64(),
        "k": pl.Float64(),
        "change": pl.Float64(),
        "note": pl.String(),
    }
)


def _k(games: Games, entry: Entry, rated_games: Mapping[int, int]) -> float:
    given = games.players["k"][entry.row]
    if given is not None:
        return float(given)
    policy, rating = K_POLICIES["fide-1986"], entry.rating or 0.0
    so_far = rated_games.get(entry.row, policy.new_games)
    return policy.k(rating, so_far, topped=rating >= policy.top)


def _floats(known: Mapping[int, float | None]) -> dict[int, float]:
    return {row: float(rating) for row, rating in known.items() if rating is not None}


def _half_up(value: float) -> float:
    return float(math.floor(value + 0.5))
