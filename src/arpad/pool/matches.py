"""Matches: predicted from lifetime curves, and compared with play in tournaments [Elo 5.55, 5.62]."""

from __future__ import annotations

import csv
import io
import math
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from arpad.errors import InputError, UsageError
from arpad.files import input_file
from arpad.model import Result, columns
from arpad.pool.significance import p_text
from arpad.scale import Logistic, Normal

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from arpad.pool.history import History


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
    text = input_file(path).read_text("utf-8-sig")
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

    def table(self) -> pl.DataFrame:
        """Return a row a match."""
        return self.rows

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

    Attributes
    ----------
    rows
        `player`, games and points above expectation of each kind, `difference` (rating points in matches less those in
        tournaments) and its `error`; the largest first.
    mean, error
        The mean difference over players.
    chi_square, p
        Whether the players differ from each other by more than chance.
    spread, low, high
        Standard deviation of the true differences, in points, with its 95 % interval.
    """

    rows: pl.DataFrame
    mean: float
    error: float
    chi_square: float
    p: float
    spread: float
    low: float
    high: float

    def table(self) -> pl.DataFrame:
        """Return a row a player."""
        return self.rows

    def summary(self) -> str:
        """Return one sentence."""
        return (
            f"{self.rows.height} players: matches less tournaments {round(self.mean):+d} ± {self.error:.0f} points; χ² of the players "
            f"{self.chi_square:.1f} with {self.rows.height - 1} degrees of freedom, p {p_text(self.p)}; the true differences have "
            f"a standard deviation of {self.spread:.0f} points ({self.low:.0f} to {self.high:.0f} with 95 %)"
        )


def match_play(history: History, *, fewest: int = FEWEST) -> MatchPlay:
    """Compare scores in matches and in tournaments with what the curves of both players expect.

    Parameters
    ----------
    fewest
        Games of each kind that a player needs.
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
