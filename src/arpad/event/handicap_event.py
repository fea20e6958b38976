"""Handicaps and handicap standings of a whole event [Elo 3.93–3.99]."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any, Literal, get_args

import polars as pl

from arpad.errors import UsageError
from arpad.event.crosstable import known_ratings
from arpad.event.field import cycles_of, kind_of, rounds_of
from arpad.event.handicap import (
    ROUND_ROBIN_PLAYERS,
    ROUND_ROBIN_TOP,
    SHARE,
    SWISS_ROUNDS,
    Advice,
    Scratch,
    round_robin_points,
    scratch_rating,
    swiss_points,
    worth_a_handicap,
)
from arpad.event.performance import Method, Performance, performance
from arpad.event.tiebreaks import tie_breaks
from arpad.model import Result
from arpad.scale import Table

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from arpad.model import Games


# The handicaps of a whole field, set before the first move [Elo 3.93–3.99].

FieldMethod = Literal["brasket", "expected", "round-robin", "swiss"]
"""brasket: rating points on top of the performance rating [3.93]; expected: game points from expected scores, as in a match [3.94];
round-robin and swiss: game points by tables 3.96 and 3.99."""
USUAL: dict[str, Scratch] = {"brasket": "top", "round-robin": "top", "swiss": "top-three"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Handicaps(Result):
    """Everybody's handicap, in the order of the ratings that were given."""

    method: FieldMethod
    scratch: float | None
    """The rating that gets nothing; None for `expected`, which measures from the best expected score."""
    levels: tuple[float | None, ...]
    """Rating points below scratch (for `expected`: below the highest rating), 0 at or above it."""
    points: tuple[float | None, ...]
    """Handicaps: rating points for `brasket`, game points for the others; None without a rating."""
    parameters: dict[str, object]
    notes: tuple[str, ...] = ()

    def table(self, ratings: Sequence[float] = (), performance: float | None = None) -> pl.DataFrame:
        """Return everybody's handicap, beside the ratings and a performance if they are given, best first."""
        given = {"rating": ratings} if ratings else {}
        table = pl.DataFrame({**given, "level": self.levels, "handicap": self.points})
        if ratings:
            table = table.sort("rating", descending=True, maintain_order=True)
        if performance is None:
            return table
        total = (pl.col("handicap") + performance).alias("total")
        return table.with_columns(pl.lit(performance).alias("performance"), total)

    def to_dict(self) -> dict[str, Any]:
        """Return method, parameters and everybody's handicap; `notes` are beside it."""
        return {
            "method": self.method,
            "scratch": self.scratch,
            "parameters": self.parameters,
            "players": self.table().to_dicts(),
        }


def field_handicaps(  # noqa: C901
    ratings: Sequence[float | None],
    *,
    method: FieldMethod,
    scratch: float | Scratch | None = None,
    players: int | None = None,
    rounds: int | None = None,
    share: float = SHARE,
    pairings: Iterable[tuple[int, int]] | None = None,
) -> Handicaps:
    """Return the handicap of everybody in a field.

    Parameters
    ----------
    ratings
        One a player; None where there is none.
    scratch
        A rating, or the rule that gives it: the highest for `brasket` and `round-robin`, the average of the
        three highest for `swiss` unless another is chosen.
    players
        For `round-robin`: the number of participants; by default all of `ratings`.
    rounds
        For `swiss`: how many; for `expected`: how often everybody meets everybody, once by default.
    share
        For `brasket`: of the way to scratch.
    pairings
        For `expected`: who meets whom, as places in `ratings`; by default everybody everybody.

    Examples
    --------
    >>> field_handicaps([2635, 2510, None], method="round-robin", players=16).points
    (0.0, 0.6, None)
    """
    if method not in get_args(FieldMethod):
        raise UsageError(f"expected a handicap, one of {', '.join(get_args(FieldMethod))}; found {method!r}")
    known = [r for r in ratings if r is not None]
    if not all(math.isfinite(r) for r in known):
        raise UsageError("expected ratings that are numbers, found one that is not")
    if method == "expected":
        return _by_expectation(ratings, scratch, rounds or 1, pairings)
    if method == "swiss" and rounds is None:
        raise UsageError("expected the number of rounds for a Swiss handicap, found none")
    if not 0 <= share <= 1:
        raise UsageError(f"expected a share from 0 to 1 of the way to scratch, found {share!r}")
    level_0 = _scratch(known, scratch, USUAL[method])
    levels = tuple(None if r is None else max(level_0 - r, 0.0) for r in ratings)
    M = len(ratings) if players is None else players
    notes = []

    def points(level: float) -> float:
        if method == "brasket":
            return share * level
        return round_robin_points(level, M) if method == "round-robin" else swiss_points(level, rounds or 0)

    settings: dict[str, object] = {"scratch": level_0}
    if method == "brasket":
        settings["share"] = share
    elif method == "round-robin":
        settings["players"] = M
        far = sum(level is not None and level > ROUND_ROBIN_TOP for level in levels)
        if far:
            notes.append(
                f"{far} more than 350 points below scratch: table 3.96 ends there, its last row holds"
            )
    else:
        settings["rounds"] = rounds
    return Handicaps(
        method=method,
        scratch=level_0,
        levels=levels,
        points=tuple(None if level is None else points(level) for level in levels),
        parameters={"handicap": method, **settings},
        notes=tuple(notes),
    )


def expected_points(ratings: Sequence[float], pairings: Iterable[tuple[int, int]]) -> tuple[float, ...]:
    """Return game points that bring everybody within one standard deviation of the best expected score.

    The principle of 3.94 for any pairings: W_e of the best less W_e less √Σpq, never below 0. In a match these are
    the book's points.

    Examples
    --------
    >>> [round(p, 2) for p in expected_points([2100, 1900], [(0, 1)] * 20)]
    [0.0, 8.49]
    """
    W_e, variance = [0.0] * len(ratings), [0.0] * len(ratings)
    table = Table()
    for i, j in pairings:
        p = float(table.expected(ratings[i] - ratings[j]))
        W_e[i] += p
        W_e[j] += 1 - p
        variance[i] += p * (1 - p)
        variance[j] += p * (1 - p)
    best = max(W_e, default=0.0)
    return tuple(max(best - w - math.sqrt(v), 0.0) for w, v in zip(W_e, variance, strict=True))


def _by_expectation(
    ratings: Sequence[float | None],
    scratch: float | Scratch | None,
    times: int,
    pairings: Iterable[tuple[int, int]] | None,
) -> Handicaps:
    if scratch is not None:
        raise UsageError("expected no scratch: this handicap measures from the best expected score")
    known = [r for r in ratings if r is not None]
    if len(known) < len(ratings) or len(known) < 2:
        raise UsageError(
            f"expected a rating of every player for a handicap by expected scores, found {len(known)} of {len(ratings)}: "
            "the other methods leave unrated players out"
        )
    top = scratch_rating(known)
    met = list(combinations(range(len(known)), 2)) * times if pairings is None else pairings
    return Handicaps(
        method="expected",
        scratch=None,
        levels=tuple(top - r for r in known),
        points=tuple(round(p, 2) for p in expected_points(known, met)),
        parameters={"handicap": "expected", **Table().parameters()},
    )


def _scratch(known: Sequence[float], scratch: float | Scratch | None, usual: Scratch) -> float:
    if isinstance(scratch, int | float):
        if not math.isfinite(scratch):
            raise UsageError("expected a scratch rating that is a number, found one that is not")
        return float(scratch)
    if scratch is not None and scratch not in get_args(Scratch):
        raise UsageError(f"expected scratch to be a rating, top or top-three; found {scratch!r}")
    return scratch_rating(known, scratch or usual)


# The standings of an event with handicaps: a second set of prizes [Elo 3.93, 3.97].

HandicapMethod = Literal["auto", "brasket", "expected", "round-robin", "swiss"]
"""auto: by the kind of event and its size; the others as `FieldMethod` has them."""
NAMED = 5
"""Players that a note names."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HandicapStandings:
    """An event as a handicap event."""

    method: FieldMethod
    kind: str
    scratch: float | None
    players: pl.DataFrame
    """Best first: rank, name, rating, points, place (by points), performance and its error (Brasket only), level, handicap, total."""
    advice: Advice | None
    """Advice whether a round robin of these ratings needs a handicap; None for other kinds of event."""
    parameters: dict[str, object]
    notes: tuple[str, ...]

    def table(self) -> pl.DataFrame:
        """Return the standings without columns that say nothing."""
        return self.players.select(c for c in self.players.columns if not self.players[c].is_null().all())

    def summary(self) -> str:
        """Return one sentence on the handicap."""
        how = {
            "brasket": f"performance rating plus {self.parameters.get('share', SHARE):.0%} of the way to scratch [Elo 3.93]",
            "expected": "game points to within one standard deviation of the best expected score [Elo 3.94]",
            "round-robin": f"game points by table 3.96 for {self.parameters.get('players')} players",
            "swiss": f"game points by table 3.99 for {self.parameters.get('rounds')} rounds",
        }[self.method]
        scratch = "" if self.scratch is None else f", scratch {self.scratch:.0f}"
        return f"Handicap: {how}{scratch}"


def handicap_standings(
    games: Games,
    *,
    method: HandicapMethod = "auto",
    scratch: float | Scratch | None = None,
    rounds: int | None = None,
    share: float = SHARE,
    performance_method: Method = "exact",
) -> HandicapStandings:
    """Rank the players of an event by score and handicap.

    Parameters
    ----------
    method
        `auto` takes table 3.96 for a round robin of 10 to 22, table 3.99 for other tournaments of 5 to 12 rounds, expected scores
        for matches and the remaining round robins, and else Brasket's.
    scratch
        A rating, or `top` or `top-three`; by default as the book has it for the method.
    rounds
        Of a Swiss; by default those of the file, or the most that anybody was paired for.
    share
        Of the way to scratch, in Brasket's handicap.
    performance_method
        Of the performance ratings in Brasket's handicap.
    """
    if not len(games):
        raise UsageError("expected an event with games, found none")
    if method not in get_args(HandicapMethod):
        raise UsageError(
            f"expected a handicap, one of {', '.join(get_args(HandicapMethod))}; found {method!r}"
        )
    kind = kind_of(games)
    points = {p: breaks.points for p, breaks in tie_breaks(games).items()}
    ratings = {p: r for p, r in known_ratings(games).items() if p in points}
    if not ratings:
        raise UsageError("expected ratings to measure handicaps from, found nobody with one")
    order = list(points)
    length = rounds or rounds_of(games)
    chosen = _chosen(kind, order, ratings, length) if method == "auto" else method
    _check_kind(chosen, kind)
    place = {p: i for i, p in enumerate(order)}
    pairs = games.table.select("white", "black").drop_nulls().iter_rows()
    given = field_handicaps(
        [ratings.get(p) for p in order],
        method=chosen,
        scratch=scratch,
        rounds=length if chosen == "swiss" else None,
        share=share,
        pairings=[(place[a], place[b]) for a, b in pairs] if chosen == "expected" else None,
    )
    notes, played = list(given.notes), None
    if chosen == "brasket":
        played = _performances(games, ratings, order, performance_method)
        perfect = [p for p, own in played.items() if own.score in (0, own.games)]
        notes += _named("0 % or 100 %, half a point taken as won or conceded", perfect, games)
    unrated = [p for p in order if p not in ratings]
    notes += _named("without a rating, so without a handicap", unrated, games)
    round_robin = kind.endswith("round robin") and not unrated
    return HandicapStandings(
        method=chosen,
        kind=kind,
        scratch=given.scratch,
        players=_ranked(games, order, ratings, points, played, given),
        advice=worth_a_handicap([ratings[p] for p in order], times=cycles_of(games)) if round_robin else None,
        parameters=given.parameters | ({"performance": performance_method} if chosen == "brasket" else {}),
        notes=tuple(notes),
    )


def _chosen(kind: str, order: list[int], ratings: dict[int, float], rounds: int) -> FieldMethod:
    M = len(order)
    if kind == "round robin" and ROUND_ROBIN_PLAYERS[0] <= M <= ROUND_ROBIN_PLAYERS[-1]:
        return "round-robin"
    if kind == "match" or kind.endswith("round robin"):
        return "expected" if len(ratings) == M > 1 else "brasket"
    return "swiss" if rounds in SWISS_ROUNDS else "brasket"


def _check_kind(method: FieldMethod, kind: str) -> None:
    """Refuse a table that was made for another kind of event."""
    if method == "round-robin" and (kind in ("match", "Swiss") or kind.endswith(" round robin")):
        raise UsageError(
            f"expected a single round robin for table 3.96, found a {kind}: choose auto, expected, swiss or brasket"
        )
    if method == "swiss" and (kind == "match" or kind.endswith("round robin")):
        raise UsageError(
            f"expected a Swiss for table 3.99, found a {kind}: choose auto, expected, round-robin or brasket"
        )


def _performances(
    games: Games, ratings: dict[int, float], order: list[int], method: Method
) -> dict[int, Performance]:
    """Return performance ratings against rated opponents; who met none has none."""
    met: dict[int, list[tuple[float, float]]] = {p: [] for p in order}
    played = games.rateable().select("white", "black", "score", "black_score")
    for white, black, score, black_score in played.iter_rows():
        if black in ratings:
            met[white].append((ratings[black], score))
        if white in ratings:
            met[black].append((ratings[white], black_score))
    return {
        p: performance(
            sum(share for _, share in results), [r for r, _ in results], method=method, bound="half-point"
        )
        for p, results in met.items()
        if results
    }


def _ranked(
    games: Games,
    order: list[int],
    ratings: dict[int, float],
    points: dict[int, float],
    played: dict[int, Performance] | None,
    given: Handicaps,
) -> pl.DataFrame:
    names = games.players["name"].to_list()
    rows = []
    for i, p in enumerate(order):
        own = None if played is None else played.get(p)
        performed, error = (None, None) if own is None else (own.rating, own.error)
        handicap, base = given.points[i], points[p] if played is None else performed
        total = None if handicap is None or base is None else round(base + handicap, 9)
        rows.append((names[p], ratings.get(p), points[p], performed, error, given.levels[i], handicap, total))
    numbers = ("rating", "points", "performance", "performance_error", "level", "handicap", "total")
    schema = {"name": pl.String, **dict.fromkeys(numbers, pl.Float64)}
    frame = pl.DataFrame(rows, schema=schema, orient="row")
    rank = pl.col("total").rank("min", descending=True).cast(pl.Int64)
    place = pl.col("points").rank("min", descending=True).cast(pl.Int64)
    by = ("total", "points", "name")
    ranked = frame.with_columns(rank=rank, place=place).sort(
        by, descending=[True, True, False], nulls_last=True
    )
    return ranked.select("rank", "name", "rating", "points", "place", *numbers[2:])


def _named(what: str, rows: list[int], games: Games) -> list[str]:
    if not rows:
        return []
    names = games.players["name"]
    some = ", ".join(str(names[p]) for p in rows[:NAMED])
    return [f"{len(rows)} {what}: {some}{', …' if len(rows) > NAMED else ''}"]
