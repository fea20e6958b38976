"""Five-year crosstables, solved and linked at one level, and the matches that they predict [Elo 5.41–5.55]."""

from __future__ import annotations

import csv
import io
import math
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np
import polars as pl

from arpad.errors import InputError, UsageError
from arpad.files import input_text
from arpad.model import Result, columns
from arpad.pool.lifetime import GAIN, PEAK_AGE, Additive, composite_curve, fit_additive
from arpad.pool.significance import p_text
from arpad.rate.pool import PoolPairs, add_up, find_groups, solve
from arpad.scale import Curve, Logistic, Normal

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from arpad.pool.history import History


WINDOW = 5
"""Years of a crosstable: fewer, and the data of some players mean nothing [5.43]."""
FEWEST_PLAYERS = 20
"""Players in the book's crosstables of the early years [5.43]."""
LONGEST = 17
"""Years of the book's longest crosstable, 1846 to 1862 [5.43]."""
FEWEST_GAMES = 10
"""Games, against others who have as many, that bring a player into a crosstable. Ours."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Periods:
    """Division of time into periods.

    window: Years of a crosstable.
    step: Years from the start of one to the start of the next; less than `window` makes them overlap.
    fewest_players, longest: A period that has fewer players grows year by year until it has them, but not
        beyond `longest` years; where that does not help, it starts a year later.
    fewest_games: In one period, against others in the crosstable.
    """

    window: int = WINDOW
    step: int = WINDOW
    fewest_players: int = FEWEST_PLAYERS
    fewest_games: int = FEWEST_GAMES
    longest: int = LONGEST

    def __post_init__(self) -> None:
        if not (1 <= self.step <= self.window <= self.longest):
            raise UsageError(
                f"expected 1 ≤ step ≤ window ≤ longest, found {self.step}, {self.window}, {self.longest}"
            )
        if self.fewest_players < 2 or self.fewest_games < 1:
            raise UsageError(
                f"expected at least 2 players and 1 game, found {self.fewest_players}, {self.fewest_games}"
            )

    @property
    def overlap(self) -> float:
        """In how many crosstables each game stands."""
        return self.window / self.step


@dataclass(frozen=True, slots=True, kw_only=True)
class Crosstables:
    """Solved periods: `periods` (first, last, players, games, …) and `rows`, a player a period.

    Ratings in `rows` have mean 0 in each period: they cannot be compared between periods yet.
    """

    periods: pl.DataFrame
    rows: pl.DataFrame


def solve_periods(
    table: pl.DataFrame, players: int, how: Periods, *, curve: Curve | None = None
) -> Crosstables:
    """Cut the games into periods and solve each.

    table: Games with `year`, `white`, `black`, `score`.
    players: Rows of players that `white` and `black` speak of.
    """
    table = table.select("year", "white", "black", "score").sort("year")
    years = table["year"].to_numpy()
    periods: list[dict[str, Any]] = []
    parts: list[pl.DataFrame] = []
    if len(years) == 0:
        return Crosstables(periods=pl.DataFrame([], schema=_PERIODS), rows=pl.DataFrame([], schema=_ROWS))
    start, end = int(years[0]), int(years[-1])
    while start <= end and not (how.step < how.window and start + how.window - 1 > end and periods):
        result = _grown(table, years, players, start, how)
        if result is None:
            start += 1
            continue
        last, pairs, games, drawn = result
        number = len(periods)
        ratings, errors, members = _solved(pairs, curve or Logistic(), drawn)
        played = pairs.played()[members]
        periods.append(
            {
                "period": number,
                "first": start,
                "last": last,
                "players": len(members),
                "games": int(pairs.games.sum()),
                "left_out": games - int(pairs.games.sum()),
            }
        )
        parts.append(
            pl.DataFrame(
                {
                    "period": np.full(len(members), number),
                    "player": members,
                    "rating": ratings,
                    "error": errors,
                    "games": played.astype(np.int64),
                },
                schema=_ROWS,
            )
        )
        start = start + how.step if how.step < how.window else last + 1
    rows = pl.concat(parts) if parts else pl.DataFrame([], schema=_ROWS)
    return Crosstables(periods=pl.DataFrame(periods, schema=_PERIODS), rows=rows)


_PERIODS = columns("period:int first:int last:int players:int games:int left_out:int")
_ROWS = {"period": pl.Int64, "player": pl.Int64, "rating": pl.Float64, "error": pl.Float64, "games": pl.Int64}


def _grown(
    table: pl.DataFrame, years: NDArray[Any], players: int, start: int, how: Periods
) -> tuple[int, PoolPairs, int, float] | None:
    """Return the last year, crosstable, games and share of draws of the period that starts here."""
    end = int(years[-1])
    first = int(np.searchsorted(years, start))
    seen = -1
    for last in range(start + how.window - 1, start + how.longest):
        stop = int(np.searchsorted(years, last, side="right"))
        if stop - first == seen and last <= end:
            continue  # nothing was played that year
        seen = stop - first
        part = table[first:stop]
        pairs = _core(add_up(part, players), how.fewest_games)
        if int((pairs.played() > 0).sum()) >= how.fewest_players:
            return min(last, end), pairs, part.height, float((part["score"] == 0.5).mean() or 0.0)  # type: ignore[arg-type]
        if last >= end:
            return None
    return None


def _core(pairs: PoolPairs, fewest: int) -> PoolPairs:
    """Keep the largest group in which everybody has this many games and all can be compared."""
    while True:
        before = len(pairs.games)
        enough = pairs.played() >= fewest
        pairs = pairs.take(enough[pairs.white] & enough[pairs.black])
        if len(pairs.games) == before:
            groups = find_groups(pairs)
            pairs = pairs.take((groups.group[pairs.white] == 0) & (groups.group[pairs.black] == 0))
            if len(pairs.games) == before:
                return pairs


def _solved(
    pairs: PoolPairs, curve: Curve, drawn: float
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.int64]]:
    members = np.flatnonzero(pairs.played() > 0)
    place = np.full(pairs.players, -1, dtype=np.int64)
    place[members] = np.arange(len(members))
    small = PoolPairs(len(members), place[pairs.white], place[pairs.black], pairs.games, pairs.points)
    solution = solve(small, curve)
    # pq a game counts draws as if they were chance; pq − r/4 does not [8.95].
    return solution.ratings, solution.errors * math.sqrt(max(0.0, 1 - drawn)), members


# Periods brought to one level through the players they share [Elo 5.41, 5.42].
#
# Results fix only differences within a period. A player who stands in several periods says how far
# their levels are apart, if his own strength did not change in between: that is the whole question.

Ageing = Literal["peak", "plateau", "curve", "none"]
"""Assumptions on players who appear in several periods.

peak      constant, but the farther from the peak age the less sure: what the composite curve is
          below its peak at that age counts as an error;
plateau   constant around the peak age, and only those years link;
curve     follows the composite curve, at every age;
none      constant for life.
"""
PLATEAU = 7.5
"""Years to each side of the peak age: performance is stable for ten to fifteen years [5.41]."""
FIRST_AGE = 20.0
"""Years of age at the first appearance of who has no year of birth, where nobody has one."""
KNOWN = 20
"""Players with a year of birth from whom the usual age at first appearance is taken."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Linking:
    """Ways to link periods."""

    ageing: Ageing = "peak"
    youngest: float = PEAK_AGE - PLATEAU
    oldest: float = PEAK_AGE + PLATEAU

    def __post_init__(self) -> None:
        if self.ageing not in get_args(Ageing):
            raise UsageError(f"ageing: expected {', '.join(get_args(Ageing))}, found {self.ageing!r}")
        if not 0 <= self.youngest < self.oldest:
            raise UsageError(
                f"expected a plateau from younger to older, found {self.youngest} to {self.oldest}"
            )


def link_periods(
    tables: Crosstables, how: Linking, *, birth: NDArray[np.float64], first: NDArray[np.float64]
) -> Additive:
    """Return the effect of every period: what has to be taken off its ratings.

    birth, first: Of each player: year of birth (NaN where unknown), first year of play. Who has no year of
        birth is taken to have appeared first at the median age of those who have one.
    """
    rows = tables.rows
    player, period = rows["player"].to_numpy(), rows["period"].to_numpy()
    values, error = rows["rating"].to_numpy(), rows["error"].to_numpy()
    middle = ((tables.periods["first"] + tables.periods["last"] + 1) / 2).to_numpy()
    born = np.where(np.isnan(birth), first - usual_first_age(birth, first), birth)
    age = middle[period] - born[player]
    if how.ageing == "curve":
        values = values - composite_curve(age)
    used = np.ones(len(values), dtype=bool)
    if how.ageing == "plateau":
        used = (age >= how.youngest) & (age <= how.oldest)
    # Nobody's error is 0, but two players who only drew may come near it.
    variance = np.maximum(error, 1.0) ** 2
    if how.ageing == "peak":
        variance = variance + (GAIN - composite_curve(age)) ** 2
    weight = 1 / variance
    return fit_additive(player[used], period[used], values[used], weight[used], tables.periods.height)


def usual_first_age(birth: NDArray[np.float64], first: NDArray[np.float64]) -> float:
    """Return the median age at the first game of those whose year of birth is known."""
    ages = (first - birth)[np.isfinite(first - birth)]
    return float(np.median(ages)) if len(ages) >= KNOWN else FIRST_AGE


# The level of a linked history: one number, which no result can tell [Elo 5.42].

NOWHERE = 1500.0
"""Mean of all, in points, where neither anchors nor published ratings say anything."""


@dataclass(frozen=True, slots=True)
class ScaleLevel:
    """The shift of each period, the players that it rests on, and its error."""

    added: float
    basis: str
    errors: NDArray[np.float64]


def find_level(
    rows: pl.DataFrame, anchors: pl.DataFrame, link: Additive, *, years: tuple[int, int] | None
) -> ScaleLevel:
    """Find the level: from anchors, else from published ratings, else 1500 on average.

    rows: A player a period: `player`, `period`, `first`, `last`, `rating`, `published`, `games`.
    anchors: Best averages that are right on average: `period`, `rating`, `given`.
    years: Periods within which published ratings count.
    """
    if anchors.height:
        known, given = anchors, anchors["given"].to_numpy()
        weight, basis = (
            np.ones(known.height),
            f"best averages of {known.height} anchor{'' if known.height == 1 else 's'}",
        )
    else:
        low, high = years or (-9999, 9999)
        known = rows.filter(
            pl.col("published").is_not_null() & (pl.col("first") >= low) & (pl.col("last") <= high)
        )
        if known.is_empty() and years:
            raise UsageError(f"expected published ratings in periods within {low}–{high}, found none")
        given = known["published"].to_numpy()
        weight, basis = (known["games"].to_numpy().astype(float), f"{known.height:,} published ratings")
        if known.is_empty():
            known, basis = rows, "1500 on average"
            given, weight = np.full(rows.height, NOWHERE), np.ones(rows.height)
    weight = weight / weight.sum()
    added = float(weight @ (given - known["rating"].to_numpy()))
    share = np.bincount(known["period"].to_numpy(), weight, len(link.effects))
    V = np.nan_to_num(link.covariance)
    variance = np.diag(V) - 2 * V @ share + share @ V @ share
    return ScaleLevel(added, basis, np.sqrt(np.maximum(variance, 0.0)))


CLOSE = 76.0
"""Points by which the two of a match usually differ: the root mean square of D in table 5.55."""


def likely_difference(D: float, error: float) -> float:
    """Return the most likely difference of the two of a match whose curves differ by D ± error.

    Curves have errors, and who plays a match is usually of the same class: of two explanations for a large D, part of
    each. The mean of the normal posterior, D · τ²/(τ² + error²) with τ = `CLOSE`.

    Examples
    --------
    >>> likely_difference(100.0, 0.0), likely_difference(100.0, 76.0)
    (100.0, 50.0)
    """
    return D * CLOSE**2 / (CLOSE**2 + error**2)


@dataclass(frozen=True, slots=True)
class HistoricMatch:
    """A match to predict: its years, the players, and, where known, score, games and a difference of ratings given elsewhere."""

    first: int
    last: int
    white: str
    black: str
    games: int | None = None
    score: float | None = None
    difference: float | None = None


def read_matches(path: str) -> list[HistoricMatch]:
    """Read matches from CSV: `year` (1860 or 1860-61) and `players` (`Anderssen-Kolisch`), or `player` and `opponent`.

    Optional columns: `games` or `N`, `score` or `W` of the first player, `D` for a difference to compare with.
    """
    text = input_text(path)
    result = []
    for line, raw in enumerate(csv.DictReader(io.StringIO(text)), 2):
        row = {str(k).strip(): (v or "").strip() for k, v in raw.items() if isinstance(v, str)}
        years = re.fullmatch(r"(\d{4})(?:\D(\d{2}|\d{4}))?", row.get("year", ""))
        white, _, black = row.get("players", "").rpartition("-")
        white, black = row.get("player") or white, row.get("opponent") or black
        numbers = [row.get(a) or row.get(b) or None for a, b in (("games", "N"), ("score", "W"), ("D", "D"))]
        try:
            games, score, D = (None if text is None else float(text) for text in numbers)
            if not years or not white or not black:
                raise ValueError
        except ValueError:
            wanted = "expected year, players such as Anderssen-Kolisch, and numbers"
            raise InputError(f"{wanted}; found {','.join(row.values())!r}", file=path, line=line) from None
        first = int(years[1])
        last = int(years[1][: 4 - len(years[2])] + years[2]) if years[2] else first
        whole = None if games is None else int(games)
        result.append(
            HistoricMatch(
                first, last, white.strip(), black.strip(" *"), games=whole, score=score, difference=D
            )
        )
    return result


def predict_matches(history: History, wanted: Sequence[HistoricMatch]) -> MatchPredictions:
    """Predict matches from the lifetime curves in the middle of their years.

    Without a score of its own, a match takes the games between the two in its years.
    """
    rows, missing, draws, games = [], [], 0, 0
    curve = Normal()
    for match in wanted:
        where, middle = f"{match.white} – {match.black}, {match.first}", (match.first + match.last) / 2
        try:
            pair = [history.find(match.white), history.find(match.black)]
        except UsageError:
            missing.append(where)
            continue
        between = history.results.filter(
            pl.col("white").is_in(pair)
            & pl.col("black").is_in(pair)
            & pl.col("year").is_between(match.first, match.last)
        )
        draws += int((between["score"] == 0.5).sum())
        games += between.height
        mine = pl.when(pl.col("white") == pair[0]).then("score").otherwise(1 - pl.col("score"))
        W = between.select(mine.sum()).item() if match.score is None else match.score
        N = between.height if match.games is None else match.games
        own, other = (history.lives[name].near(middle) for name in pair)
        if own is None or other is None or not N:
            missing.append(where)
            continue
        D, error = own - other, math.hypot(*(history.lives[name].own_error(middle) for name in pair))
        likely = likely_difference(D, error)
        P = float(curve.expected(likely))
        given = None if match.difference is None else N * float(curve.expected(match.difference))
        rows.append((f"{match.first}", *pair, D, error, likely, N, P, N * P, W, W - N * P, given))
    table = pl.DataFrame(rows, schema=_MATCHES, orient="row")
    return MatchPredictions(rows=table, missing=tuple(missing), draw_rate=draws / games if games else 0.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchPredictions(Result):
    """Matches with their predicted and actual scores [5.55].

    `rows` has `year`, `player`, `opponent`, `D` and its `error`, the `likely` difference (`likely_difference`), `N`, `P`,
    `W_e`, `W`, `difference` (W − W_e) and `given` (W_e by the difference in the file); `missing` are matches whose players
    have no curve at the time.
    """

    rows: pl.DataFrame
    missing: tuple[str, ...]
    draw_rate: float

    @property
    def rms(self) -> float | None:
        """Root mean square of W − W_e, in points."""
        return None if self.rows.is_empty() else math.sqrt(float((self.rows["difference"] ** 2).mean()))  # type: ignore[arg-type]

    @property
    def rms_given(self) -> float | None:
        """The same by the differences in the file, where every match has one."""
        off = self.rows["W"] - self.rows["given"]
        return None if off.null_count() or off.is_empty() else math.sqrt(float((off**2).mean()))  # type: ignore[arg-type]

    @property
    def rms_by_chance(self) -> float | None:
        """Root mean square by chance alone, if the predictions were perfect and knew no result: √(N(pq − r/4)) [8.95]."""
        if self.rows.is_empty():
            return None
        variance = pl.col("N") * (pl.col("P") * (1 - pl.col("P")) - self.draw_rate / 4)
        return math.sqrt(float(self.rows.select(variance.mean()).item()))

    def summary(self) -> str:
        """Return one sentence."""
        if self.rows.is_empty():
            return "no match could be predicted: its players have no curve at the time"
        given = f", {self.rms_given:.2f} by the differences given" if self.rms_given is not None else ""
        left = f"; {len(self.missing)} without a curve at the time" if self.missing else ""
        return (
            f"{self.rows.height} matches: W − W_e has the root mean square {self.rms:.2f} points{given}; chance alone would "
            f"make it {self.rms_by_chance:.2f} with {self.draw_rate:.0%} draws{left}"
        )

    def to_dict(self) -> dict[str, Any]:
        """Return every figure."""
        names = ("rms", "rms_given", "rms_by_chance", "draw_rate", "missing")
        return {
            "summary": self.summary(),
            **{n: getattr(self, n) for n in names},
            "matches": self.rows.to_dicts(),
        }


_MATCHES = columns(
    "year:str player:str opponent:str D:float error:float likely:float N:int P:float W_e:float "
    "W:float difference:float given:float"
)


# Match players and tournament players [5.62].

FEWEST = 30
"""Games of each kind that a player needs to be compared: as many as a rating needs [1.52]."""
SHORTEST = 4
"""Games of a match."""


def with_kind(table: pl.DataFrame) -> pl.DataFrame:
    """Return games with their `kind`: match or tournament; null where the event says neither.

    Games of one event and year belong together as far as players met, directly or through others. Two players with four
    games or more are a match, four players or more a tournament.
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    known = table["event"].is_not_null().to_numpy()
    places = pl.concat(
        [table.select("event", "year", player=side) for side in ("white", "black")], rechunk=True
    )
    seat = places.select(pl.struct("event", "year", "player").rank("dense")).to_series().to_numpy() - 1
    white, black = seat[: table.height].astype(np.int64), seat[table.height :].astype(np.int64)
    size = int(seat.max()) + 1 if len(seat) else 0
    _, part = connected_components(
        coo_array((np.ones(len(white)), (white, black)), shape=(size, size)), directed=False
    )
    players, games = np.bincount(part), np.bincount(part[white], minlength=int(part.max()) + 1 if size else 0)
    mine = part[white]
    match = known & (players[mine] == 2) & (games[mine] >= SHORTEST)
    kind = np.where(match, "match", np.where(known & (players[mine] >= 4), "tournament", ""))
    return table.with_columns(pl.Series("kind", kind, dtype=pl.String).replace("", None))


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchPlay(Result):
    """How much better or worse players did in matches than in tournaments, against their own curves.

    rows: `player`, games and points above expectation of each kind, `difference` (rating points in matches
        less those in tournaments) and its `error`; the largest first.
    mean, error: The mean difference over players.
    chi_square, p: Whether the players differ from each other by more than chance.
    spread, low, high: Standard deviation of the true differences, in points, with its 95 % interval.
    """

    rows: pl.DataFrame
    mean: float
    error: float
    chi_square: float
    p: float
    spread: float
    low: float
    high: float

    def summary(self) -> str:
        """Return one sentence."""
        return (
            f"{self.rows.height} players: matches less tournaments {round(self.mean):+d} ± {self.error:.0f} points; χ² of the players "
            f"{self.chi_square:.1f} with {self.rows.height - 1} degrees of freedom, p {p_text(self.p)}; the true differences have "
            f"a standard deviation of {self.spread:.0f} points ({self.low:.0f} to {self.high:.0f} with 95 %)"
        )


def match_play(history: History, *, fewest: int = FEWEST) -> MatchPlay:
    """Compare scores in matches and in tournaments with what the curves of both players expect.

    fewest: Games of each kind that a player needs.
    """
    sides = _residuals(history)
    slope = math.log(10) / 400
    sums = sides.group_by("player", "kind").agg(
        pl.len().alias("games"),
        (pl.col("points") - pl.col("P")).sum().alias("above"),
        (slope * pl.col("P") * (1 - pl.col("P"))).sum().alias("pull"),
        ((pl.col("points") - pl.col("P")) ** 2).sum().alias("square"),
    )
    both = (
        sums.filter(pl.col("kind") == "match")
        .join(sums.filter(pl.col("kind") == "tournament"), on="player", suffix="_t")
        .filter((pl.col("games") >= fewest) & (pl.col("games_t") >= fewest))
    )
    if both.height < 3:
        raise UsageError(
            f"expected three players with {fewest} games in matches and in tournaments, found {both.height}"
        )
    rows = both.select(
        "player",
        match_games="games",
        match_above="above",
        tournament_games="games_t",
        tournament_above="above_t",
        difference=pl.col("above") / pl.col("pull") - pl.col("above_t") / pl.col("pull_t"),
        error=(pl.col("square") / pl.col("pull") ** 2 + pl.col("square_t") / pl.col("pull_t") ** 2).sqrt(),
    ).sort("difference", "player", descending=[True, False])
    return MatchPlay(rows=rows, **_between_players(rows["difference"].to_numpy(), rows["error"].to_numpy()))


def _residuals(history: History) -> pl.DataFrame:
    """Return each game of a known kind from both sides: `player`, `kind`, `points`, `P`."""
    curves = pl.concat(
        life.frame().select(pl.lit(name).alias("player"), pl.col("year").cast(pl.Int64), "rating")
        for name, life in history.lives.items()
    )
    games = history.results.drop_nulls("kind").with_columns(pl.col("year").cast(pl.Int64))
    for side in ("white", "black"):
        own = curves.rename({"player": side, "rating": f"{side}_rating"})
        games = games.join(own, on=[side, "year"])
    P = Logistic().expected((games["white_rating"] - games["black_rating"]).to_numpy())
    games = games.with_columns(pl.Series("P", P))
    black = games.select(player="black", kind="kind", points=1 - pl.col("score"), P=1 - pl.col("P"))
    return pl.concat([games.select(player="white", kind="kind", points="score", P="P"), black])


def _between_players(found: NDArray[np.float64], error: NDArray[np.float64]) -> dict[str, float]:
    """Return the mean of what was found and how much the truth varies: moments, and the Q-profile interval."""
    from scipy import optimize, stats

    freedom = len(found) - 1

    def mean(tau: float) -> tuple[float, float]:
        weight = 1 / (error**2 + tau**2)
        return float((weight * found).sum() / weight.sum()), float(weight.sum() ** -0.5)

    def Q(tau: float) -> float:
        return float(((found - mean(tau)[0]) ** 2 / (error**2 + tau**2)).sum())

    def spread(level: float) -> float:
        """Return the spread at which Q is this large; it falls as the spread grows."""
        return 0.0 if Q(0.0) <= level else float(optimize.brentq(lambda tau: Q(tau) - level, 0.0, 1e4))

    tau = spread(freedom)
    centre, wide = mean(tau)
    return {
        "mean": centre,
        "error": wide,
        "chi_square": Q(0.0),
        "p": float(stats.chi2.sf(Q(0.0), freedom)),
        "spread": tau,
        "low": spread(stats.chi2.ppf(0.975, freedom)),
        "high": spread(stats.chi2.ppf(0.025, freedom)),
    }
