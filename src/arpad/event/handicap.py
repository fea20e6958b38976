"""Handicaps from ratings, and the handicap prizes of an event [Elo 3.92–3.99]."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections import defaultdict
from dataclasses import dataclass
from importlib.resources import files
from itertools import combinations
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np
import polars as pl

from arpad.errors import UsageError
from arpad.event.field import cycles_of, kind_of, known_ratings, rounds_of, sides
from arpad.event.match import score_distribution
from arpad.event.performance import Method, Performance, performance
from arpad.event.tiebreaks import tie_breaks
from arpad.event.unrated import expected_in_round_robin
from arpad.model import Result
from arpad.scale import CLASS_INTERVAL, Curve, Table, half_up

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from arpad.model import Games


# Handicap points by rating level: tables 3.96 and 3.99 of Elo's book, as printed.
#
# No formula gives them, so they are kept as data files. In the source the header of 3.96 stands one column too far to the right and its
# rows hold a value too many: the twelfth of rows 101 to 201 and the last of rows 226 to 326 repeat their neighbours and are left out
# here. The handicap event at 3.97 follows from column 16 then.


def _printed(name: str) -> tuple[tuple[int, ...], tuple[int, ...], tuple[tuple[float, ...], ...]]:
    """Return the columns, the lower limits of the rows, and the points of a table."""
    head, *lines = files("arpad").joinpath("samples", name).read_text("utf-8").splitlines()
    rows = [line.split(",") for line in lines]
    points = tuple(tuple(float(cell) for cell in row[1:]) for row in rows)
    return tuple(int(cell) for cell in head.split(",")[1:]), tuple(int(row[0]) for row in rows), points


ROUND_ROBIN_PLAYERS, ROUND_ROBIN_LEVELS, ROUND_ROBIN = _printed("handicap-3.96.csv")
"""Participants, rating points below scratch, and game points of table 3.96."""
ROUND_ROBIN_TOP = 350
"""The last level that table 3.96 speaks of."""
SWISS_ROUNDS, SWISS_LEVELS, SWISS = _printed("handicap-3.99.csv")
"""Rounds, rating points below scratch (below the first 0), and game points of table 3.99."""


# Handicaps from ratings: Brasket's rating points, the tables for tournaments, whether to handicap at all [Elo 3.9].
#
# A handicap brings players of unequal strength within reach of each other. `match_handicap` has that of a match, `handicap_field` that of
# whole fields, and `handicap_standings` ranks an event with it.

Scratch = Literal["top", "top-three"]
"""The rating that gets no handicap: the highest, or the average of the three highest [3.95, 3.98]."""
SHARE = 0.8
"""The share of the distance to scratch that Brasket's handicap gives [3.93]."""


def brasket(rating: float, performance: float, scratch: float, *, share: float = SHARE) -> float:
    """Return Brasket's handicap score: the performance rating plus a share of the way to scratch [3.93].

    R_p + share (scratch − R); a player rated above scratch gets nothing and gives nothing.

    >>> brasket(1900, 2050, 2200)
    2290.0
    """
    _check_ratings((rating, performance, scratch))
    if not 0 <= share <= 1:
        raise UsageError(f"expected a share from 0 to 1 of the way to scratch, found {share!r}")
    return performance + share * max(scratch - rating, 0.0)


def round_robin_points(level: float, players: int) -> float:
    """Return the handicap points of table 3.96 for somebody `level` points below scratch.

    The printed values belong to the lower limits of the rows; between them, and between 20 and 22 players, it is
    interpolated and rounded to a tenth [3.95]. From 326 points on the last row holds.

    >>> round_robin_points(165, 16), round_robin_points(225, 16)
    (1.6, 2.9)
    """
    _check_ratings((level,))
    if not ROUND_ROBIN_PLAYERS[0] <= players <= ROUND_ROBIN_PLAYERS[-1]:
        raise UsageError(
            f"expected 10 to 22 participants, as table 3.96 has them, found {players}: "
            "the method 'expected' needs no table"
        )
    if level < ROUND_ROBIN_LEVELS[0]:
        return 0.0
    column = [float(np.interp(players, ROUND_ROBIN_PLAYERS, row)) for row in ROUND_ROBIN]
    return half_up(float(np.interp(level, ROUND_ROBIN_LEVELS, column)), 1)


def swiss_points(level: float, rounds: int) -> float:
    """Return the handicap points of table 3.99, as printed, for somebody `level` points below scratch.

    >>> swiss_points(200, 9), swiss_points(433, 9), swiss_points(1200, 9)
    (0.0, 1.6, 3.9)
    """
    _check_ratings((level,))
    if rounds not in SWISS_ROUNDS:
        raise UsageError(
            f"expected 5 to 12 rounds, as table 3.99 has them, found {rounds}: "
            "the method 'brasket' needs no table"
        )
    row = bisect_right(SWISS_LEVELS, half_up(level)) - 1
    return SWISS[row][SWISS_ROUNDS.index(rounds)] if row >= 0 else 0.0


def scratch_rating(ratings: Sequence[float], rule: Scratch = "top") -> float:
    """Return the rating that gets no handicap.

    >>> scratch_rating([2470, 2635, 2600, 2615]), scratch_rating([2470, 2635, 2600, 2615], "top-three")
    (2635.0, 2616.6666666666665)
    """
    if not ratings:
        raise UsageError("expected at least one rating to measure a handicap from, found none")
    _check_ratings(ratings)
    best = sorted(ratings, reverse=True)[: 3 if rule == "top-three" else 1]
    return math.fsum(best) / len(best)


@dataclass(frozen=True, slots=True, kw_only=True)
class Advice:
    """Advice whether a round robin of given ratings needs a handicap, and why."""

    players: int
    games: int
    """Of each player."""
    average: float
    top: float
    lowest: float
    expected_top: float
    expected_lowest: float
    sigma: float
    """Standard deviation of a score in this many games between equals, ½√N."""

    @property
    def difference(self) -> float:
        """The expected score of the highest rated less that of the lowest rated."""
        return self.expected_top - self.expected_lowest

    @property
    def handicap(self) -> bool:
        """Say whether the expected scores differ by more than one standard deviation."""
        return self.difference > self.sigma

    def summary(self) -> str:
        """Return one sentence."""
        word = "a handicap is worth considering" if self.handicap else "no handicap is needed"
        span = self.top - self.lowest
        return (
            f"{word}: ratings from {self.lowest:.0f} to {self.top:.0f} ({span / CLASS_INTERVAL:.1f} class intervals), "
            f"expected scores from {self.expected_lowest:.2f} to {self.expected_top:.2f} of {self.games}, "
            f"{self.difference:.2f} apart; one standard deviation is {self.sigma:.2f}"
        )


def worth_a_handicap(ratings: Sequence[float], *, times: int = 1) -> Advice:
    """Say whether a round robin, played this many times over, calls for a handicap [3.95].

    It does where the expected scores of the highest and the lowest rated, W_e = k(PM − ½) by (8) and table 2.11,
    differ by more than the standard deviation of a score.

    >>> worth_a_handicap([2100, 2090, 2080, 2070]).handicap
    False
    """
    _check_ratings(ratings)
    M = len(ratings)
    if M < 2 or times < 1:
        raise UsageError(f"expected two ratings or more, found {M}, to compare in {times} rounds")
    R_a = half_up(math.fsum(ratings) / M)
    N = times * (M - 1)

    def expected(rating: float) -> float:
        return min(max(expected_in_round_robin(rating - R_a, M, cycles=times), 0.0), float(N))

    top, lowest = max(ratings), min(ratings)
    return Advice(
        players=M,
        games=N,
        average=math.fsum(ratings) / M,
        top=top,
        lowest=lowest,
        expected_top=expected(top),
        expected_lowest=expected(lowest),
        sigma=math.sqrt(N) / 2,
    )


def _check_ratings(values: Sequence[float]) -> None:
    if not all(math.isfinite(value) for value in values):
        raise UsageError("expected ratings that are numbers, found one that is not")


# The handicap of a match: game points for the lower rated player [Elo 3.94].


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchHandicap(Result):
    """Handicap of the lower rated player of a match, and the chances of the match with it."""

    D: float
    """The higher rating less the lower."""
    games: int
    expected: float
    """The higher rated player's expected score in one game."""
    sigma: float
    """Standard deviation of the score, √(N(pq − r/4))."""
    points: float
    """Game points that are added to the lower rated player's score."""
    draws: float
    parameters: dict[str, object]

    @property
    def expected_scores(self) -> tuple[float, float]:
        """The expected scores without a handicap, the higher rated player's first."""
        return self.games * self.expected, self.games * (1 - self.expected)

    def chances(self) -> tuple[float, float, float]:
        """Return how often the higher rated player wins, draws and loses with the handicap."""
        scores = score_distribution(self.games, self.expected - self.draws / 2, self.draws)
        level = (self.games + self.points) / 2
        won = math.fsum(p for s, p in scores.items() if s > level + 1e-9)
        lost = math.fsum(p for s, p in scores.items() if s < level - 1e-9)
        return won, max(1 - won - lost, 0.0), lost

    def to_dict(self) -> dict[str, Any]:
        """Return every figure."""
        return {
            "games": self.games,
            "handicap": round(self.points, 2),
            **dict(zip(("expected_higher", "expected_lower"), self.expected_scores, strict=True)),
            "sigma": self.sigma,
            **dict(zip(("higher_wins", "drawn", "lower_wins"), self.chances(), strict=True)),
            "parameters": self.parameters,
        }


def match_handicap(
    D: float, games: int, *, fraction: float | None = None, draws: float = 0.0, curve: Curve | None = None
) -> MatchHandicap:
    """Return the game points that the lower rated player gets in a match [3.94].

    The difference of the expected scores less one standard deviation, N(p − q) − √(Npq), or a `fraction` of the
    difference; never below 0.

    Parameters
    ----------
    D
        The difference of the ratings, of either sign.
    draws
        The share of drawn games, r: the variance of a game is pq − r/4 instead of the book's pq.

    Examples
    --------
    >>> round(match_handicap(200, 20).points, 2)
    8.49
    """
    chosen = curve or Table()
    if not math.isfinite(D):
        raise UsageError("expected a rating difference that is a number, found one that is not")
    p = float(chosen.expected(abs(D)))
    if games < 1:
        raise UsageError(f"expected a match of 1 game or more, found {games}")
    if not 0 <= draws <= 2 * (1 - p) + 1e-12:
        raise UsageError(
            f"expected a share of draws from 0 to {2 * (1 - p):.3g}, which {abs(D):g} points leave room for; found {draws!r}"
        )
    if fraction is not None and not 0 <= fraction <= 1:
        raise UsageError(f"expected a fraction of the expected difference from 0 to 1, found {fraction!r}")
    sigma = math.sqrt(max(games * (p * (1 - p) - draws / 4), 0.0))
    gap = games * (2 * p - 1)
    return MatchHandicap(
        D=abs(D),
        games=games,
        expected=p,
        sigma=sigma,
        points=max(gap - sigma, 0.0) if fraction is None else fraction * gap,
        draws=draws,
        parameters={**chosen.parameters(), "fraction": fraction, "draws": draws},
    )


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


def field_handicaps(
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

    ratings: One a player; None where there is none.
    scratch: A rating, or the rule that gives it: the highest for `brasket` and `round-robin`, the average of
        the three highest for `swiss` unless another is chosen.
    players: For `round-robin`: the number of participants; by default all of `ratings`.
    rounds: For `swiss`: how many; for `expected`: how often everybody meets everybody, once by default.
    share: For `brasket`: of the way to scratch.
    pairings: For `expected`: who meets whom, as places in `ratings`; by default everybody everybody.

    >>> field_handicaps([2635, 2510, None], method="round-robin", players=16).points
    (0.0, 0.6, None)
    """
    if method not in get_args(FieldMethod):
        raise UsageError(f"expected a handicap, one of {', '.join(get_args(FieldMethod))}; found {method!r}")
    known = [r for r in ratings if r is not None]
    _check_ratings(known)
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

    method: `auto` takes table 3.96 for a round robin of 10 to 22, table 3.99 for other tournaments of 5 to 12
        rounds, expected scores for matches and the remaining round robins, and else Brasket's.
    scratch: A rating, or `top` or `top-three`; by default as the book has it for the method.
    rounds: Of a Swiss; by default those of the file, or the most that anybody was paired for.
    share: Of the way to scratch, in Brasket's handicap.
    performance_method: Of the performance ratings in Brasket's handicap.
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
    met: dict[int, list[tuple[float, float]]] = defaultdict(list)
    for side in sides(games):
        if side.status == "played" and side.opponent in ratings:
            met[side.player].append((ratings[side.opponent], side.share or 0.0))
    return {
        p: performance(
            sum(share for _, share in met[p]), [r for r, _ in met[p]], method=method, bound="half-point"
        )
        for p in order
        if p in met
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
