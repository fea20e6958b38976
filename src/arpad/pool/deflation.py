"""Deflation: score against expectation by segments [USCF 1994, 5.1], and the exchange of points among them."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, cast

import numpy as np
import polars as pl

from arpad.errors import InputError, UsageError
from arpad.model import Result
from arpad.pool.check import two_sides
from arpad.pool.significance import clustered
from arpad.rate.elo_book.rules import excess_needed
from arpad.rate.k import KPolicy, k_policy
from arpad.rate.periods import in_events
from arpad.read.reading import games_from
from arpad.scale import CLASS_INTERVAL, Curve, Logistic, Table

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from arpad.model import Games, Ratings
    from arpad.read.reading import GamesLike


By = Literal["federation", "title", "sex", "age", "rating-band"]
JUNIOR = 18
"""Juniors are younger, in years [3.62]."""
UNKNOWN = "unknown"
MOST_CUTS = 40


def kind(by: By, *, age_cuts: Sequence[float], rating_cuts: Sequence[float]) -> pl.Expr:
    """Return the expression that names the segment of a row.

    Its columns are `federation`, `title`, `sex`, `born`, `year` and `rating`.
    """
    if by == "age":
        return bands(pl.col("year") - pl.col("born"), age_cuts)
    if by == "rating-band":
        return bands(pl.col("rating"), rating_cuts)
    if by == "sex":
        words = {"m": "men", "w": "women", "f": "women"}
        return pl.col("sex").str.to_lowercase().replace_strict(words, default=UNKNOWN)
    if by in ("federation", "title"):
        return pl.col(by).fill_null("none" if by == "title" else UNKNOWN)
    raise UsageError(f"expected federation, title, sex, age or rating-band to tell segments by, found {by!r}")


def bands(value: pl.Expr, cuts: Sequence[float]) -> pl.Expr:
    """Return the name of the band of a value: under 1700, 1700–1899, 1900 and over.

    Examples
    --------
    >>> frame = pl.DataFrame({"age": [12, 18, 60, None]})
    >>> frame.select(bands(pl.col("age"), (18, 50)))["band"].to_list()
    ['under 18', '18–49', '50 and over', 'unknown']
    """
    if not cuts or list(cuts) != sorted(set(cuts)):
        raise UsageError(f"expected rising bounds between bands, found {list(cuts)}")
    result: pl.Expr = pl.lit(f"{cuts[-1]:g} and over")
    for low, high in reversed(list(itertools.pairwise(cuts))):
        result = pl.when(value < high).then(pl.lit(f"{low:g}–{high - 1:g}")).otherwise(result)
    result = pl.when(value < cuts[0]).then(pl.lit(f"under {cuts[0]:g}")).otherwise(result)
    unknown = pl.when(value.is_null()).then(pl.lit(UNKNOWN))
    return unknown.otherwise(result).alias("band")


def classes(ratings: pl.Series) -> tuple[float, ...]:
    """Return bounds one class interval apart that cut these ratings."""
    low, high = float(ratings.to_numpy().min()), float(ratings.to_numpy().max())
    first = CLASS_INTERVAL * (low // CLASS_INTERVAL + 1)
    count = max(1, int((high - first) // CLASS_INTERVAL) + 1)
    if count > MOST_CUTS:
        raise UsageError(f"ratings from {low:g} to {high:g} need more than {MOST_CUTS} bands: give bounds")
    return tuple(first + CLASS_INTERVAL * i for i in range(count))


def described(games: Games, people: Ratings | None = None) -> pl.DataFrame:
    """Return what is known of each player, a row each, filled up from a rating list.

    people: A rating list that knows more than the games do; matched by id, else by a name that is there once.
    """
    players = games.players
    columns = []
    for name in ("federation", "title", "sex", "birth"):
        column = players[name]
        if people is not None and name in people.rows.columns:
            listed = people.lookup(players, name).cast(pl.String)
            column = column.zip_with(column.is_not_null(), listed)
        columns.append(column.alias(name))
    return pl.DataFrame(columns).select(
        "federation",
        "title",
        "sex",
        pl.col("birth").str.slice(0, 4).cast(pl.Int32, strict=False).alias("born"),
        player=pl.int_range(pl.len(), dtype=pl.Int32),
    )


# Who takes points from whom: exchange between the segments of a pool [Elo 3.83, table 3.84].

EVERYBODY = "all"
EXCHANGE_NOTE = (
    "errors count each player once, however many events he played; what one segment gains others lose, so that "
    "the segments' gains are not independent of each other"
)
TESTED_FROM = 5
"""Games from which on a performance is tested: where table 3.64 begins."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SegmentResult(Result):
    """A row a segment of a pool, the largest gain or the most underrated first."""

    rows: pl.DataFrame
    parameters: Mapping[str, object]
    games: int
    left_out: int
    """Games without the ratings of both."""
    notes: tuple[str, ...] = field(default=())

    def to_dict(self) -> dict[str, Any]:
        """Return every figure."""
        figures = Result.to_dict(self)
        return {"segments": figures.pop("rows"), **figures}

    @property
    def told(self) -> str:
        """The parameters, for a summary."""
        return ", ".join(f"{k} {v}" for k, v in self.parameters.items() if v is not None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange(SegmentResult):
    """Gains of each segment; a performance is one player in one event.

    rows: The segment's names, `players`, `performances`, `games`, `tested`, `exceptional`, `percent`, `gain` (points a
        performance), `error`, `p`.
    between: Segment against segment: `games`, `score`, `expected`, `points` won from the others, `per_game`.
    """

    between: pl.DataFrame

    def summary(self) -> str:
        """Return one sentence."""
        return f"{self.games:,} games rated, {self.left_out:,} left out: no rating ({self.told})"


def exchange(
    games: GamesLike,
    *,
    by: Sequence[By] = ("age",),
    k: str | float | KPolicy = 32.0,
    curve: Curve | None = None,
    level: float = 0.05,
    age_cuts: Sequence[float] = (JUNIOR,),
    rating_cuts: Sequence[float] | None = None,
    people: Ratings | None = None,
) -> Exchange:
    """Tabulate the normal gains, K (W − W_e) in every event, by segments of the pool.

    Parameters
    ----------
    games
        With the ratings of both players, as published at the time.
    by
        Properties that make the segments; several are crossed, with their margins, as in table 3.84.
    k
        By rating, if it has tiers; everybody counts as established. 32 as in the U.S. Opens of 3.84.
    level
        Of the z–M test that finds exceptional performances, in events of five games or more.
    age_cuts, rating_cuts
        Bounds between bands: 18 years [3.62]; rating classes of 200 points unless given.
    people
        A rating list with federation, title, sex or year of birth, for data that the games lack.
    """
    games = games_from(games)
    if not by or len(set(by)) < len(by):
        raise UsageError(f"expected one way or several to tell segments by, found {list(by)}")
    chosen, policy = curve or Table(), k_policy(k)
    sides, left_out, cuts = _rated_sides(games, described(games, people), chosen, by, rating_cuts)
    named = sides.with_columns(
        kind(way, age_cuts=tuple(age_cuts), rating_cuts=cuts).alias(way) for way in by
    ).with_columns(pl.concat_str(by, separator=", ").alias("segment"))
    performances = _performances(named, policy, by, level)
    return Exchange(
        rows=segment_table(performances, by),
        between=_between(named, policy),
        parameters={
            "k": str(policy),
            **chosen.parameters(),
            "level": level,
            "age_cuts": list(age_cuts) if "age" in by else None,
            "rating_cuts": list(cuts) if "rating-band" in by else None,
        },
        games=sides.height // 2,
        left_out=left_out,
        notes=_notes(EXCHANGE_NOTE, by, performances, by, "performances", "exchange points"),
    )


def _rated_sides(
    games: Games, people: pl.DataFrame, curve: Curve, by: Sequence[str], rating_cuts: Sequence[float] | None
) -> tuple[pl.DataFrame, int, tuple[float, ...]]:
    """Return both sides of the rated games, how many games were left out, and the bounds of rating bands."""
    played = in_events(games.rateable())
    sides = two_sides(played, games, people, curve)
    if not sides.height:
        raise InputError(
            f"expected games with the ratings of both players, found none in {played.height} games played"
        )
    cuts = tuple(rating_cuts or ())
    if "rating-band" in by and not cuts:
        cuts = classes(sides["rating"])
    return sides, played.height - sides.height // 2, cuts


def combined(parts: Sequence[tuple[int, float]]) -> tuple[int, float]:
    """Return number and mean of segments taken together, from the number and mean of each.

    Examples
    --------
    >>> players, gain = combined([(127, 30.8), (119, 5.0)])
    >>> players, round(gain, 1)
    (246, 18.3)
    """
    total = sum(n for n, _ in parts)
    if total <= 0:
        raise UsageError("expected at least one player in the segments to combine")
    return total, sum(n * mean for n, mean in parts) / total


def segment_table(performances: pl.DataFrame, by: Sequence[str]) -> pl.DataFrame:
    """Return a row for every combination of segments, margins included, most gained first.

    performances: A row a performance: `player`, `games`, `gain`, `tested`, `exceptional`, and a column a way
        of `by`.
    """
    rows = []
    margins = itertools.product(*((True, False) for _ in by))
    for fixed in margins:
        ways = [way for way, f in zip(by, fixed, strict=True) if f]
        parts = performances.group_by(ways) if ways else [((), performances)]
        for names, part in parts:
            segment = dict.fromkeys(by, EVERYBODY) | dict(zip(ways, names, strict=True))
            rows.append(segment | _segment(part))
    return pl.DataFrame(rows, infer_schema_length=None).sort(
        "gain", *by, descending=[True, *(False for _ in by)]
    )


def _segment(part: pl.DataFrame) -> dict[str, object]:
    mean, error, p, players = clustered(part["gain"].to_numpy(), part["player"].to_numpy())
    tested, exceptional = int(part["tested"].sum()), int(part["exceptional"].sum())
    return {
        "players": players,
        "performances": part.height,
        "games": int(part["games"].sum()),
        "tested": tested,
        "exceptional": exceptional,
        "percent": 100 * exceptional / tested if tested else None,
        "gain": mean,
        "error": error,
        "p": p,
    }


def _k(policy: KPolicy, ratings: pl.Series) -> pl.Series:
    bounds, values = (np.array(column) for column in zip(*policy.tiers, strict=True))
    return pl.Series("k", values[np.searchsorted(bounds[:-1], ratings.to_numpy(), side="right")])


def _performances(sides: pl.DataFrame, policy: KPolicy, by: Sequence[str], level: float) -> pl.DataFrame:
    """Return a row for each player in each event, with the rating and the kind of the first game there."""
    result = sides.group_by("part", "player", maintain_order=True).agg(
        pl.len().cast(pl.Int64).alias("games"),
        pl.col("rating").first(),
        (pl.col("score") - pl.col("expected")).sum().alias("excess"),
        *(pl.col(way).first() for way in by),
    )
    result = result.with_columns(_k(policy, result["rating"]))
    need = {n: excess_needed(n, level) for n in result["games"].unique()}
    needed = result["games"].replace_strict(need, return_dtype=pl.Float64)
    return result.with_columns(
        (pl.col("k") * pl.col("excess")).alias("gain"), (pl.col("games") >= TESTED_FROM).alias("tested")
    ).with_columns((pl.col("tested") & (pl.col("excess") >= needed)).alias("exceptional"))


def _between(sides: pl.DataFrame, policy: KPolicy) -> pl.DataFrame:
    named = sides.with_columns(_k(policy, sides["rating"]))
    others = named.select("game", opponent="player", opponents="segment")
    return (
        named.join(others, on=["game", "opponent"])
        .group_by("segment", "opponents")
        .agg(
            pl.len().cast(pl.Int64).alias("games"),
            pl.col("score").sum(),
            pl.col("expected").sum(),
            (pl.col("k") * (pl.col("score") - pl.col("expected"))).sum().alias("points"),
        )
        .with_columns((pl.col("points") / pl.col("games")).alias("per_game"))
        .sort("segment", "opponents")
    )


def _notes(
    first: str, by: Sequence[str], rows: pl.DataFrame, columns: Sequence[str], what: str, bands_do: str
) -> tuple[str, ...]:
    """Return what to keep in mind: the first note, the trap of rating bands, and what is not known."""
    notes = [first]
    if "rating-band" in by:
        notes.append(
            f"by chance alone high ratings are more often too high, and low ones too low: rating bands {bands_do} "
            "even in a pool without bias"
        )
    for way, column in zip(by, columns, strict=True):
        unknown = rows.filter(pl.col(column) == UNKNOWN).height
        if unknown:
            notes.append(f"{way} is not known for {unknown:,} of {rows.height:,} {what}")
    return tuple(notes)


CONFIDENCE = 0.95
STEP = 25.0
"""Points to each side over which the slope of a curve is taken: a table has steps of its own."""
DEFLATION_NOTE = (
    "a segment's difference is relative to the others: if one is ahead, others are behind; the games do not "
    "show which ratings are wrong"
)
FLATTEST = 1e-6
"""Score per point: where a curve is flatter, no number of points explains a score."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Deflation(SegmentResult):
    """Scores of each segment against the others, and the expected scores.

    rows: `segment`, `players`, `games`, `score`, `expected`, `difference` (these a game), `low`, `high` (95 %), `points`,
        `points_low`, `points_high` (by which ratings are too low), `p`; `as_published` is the difference without floor
        and ageing, where one is in force. `games` are those between segments.
    inside: Games within one segment: what one player is ahead the other is behind.
    """

    inside: int

    def summary(self) -> str:
        """Return one sentence."""
        return (
            f"{self.games:,} games compared, {self.inside:,} within one segment, {self.left_out:,} left out: no "
            f"rating ({self.told})"
        )


def deflation(
    games: GamesLike,
    *,
    by: By | str = "age",
    curve: Curve | None = None,
    age_cuts: Sequence[float] = (JUNIOR,),
    rating_cuts: Sequence[float] | None = None,
    people: Ratings | None = None,
    groups: Mapping[str, str] | None = None,
    known: bool = False,
    within: bool = False,
    floor: float | None = None,
    ageing: float | None = None,
    ageing_from: float = JUNIOR,
) -> Deflation:
    """Compare score and expected score of every segment in its games against the others.

    Where a pool is deflated by players who improved among themselves, they score more than expected against
    everybody else [5.1]. The mean difference a game has an error that adds up each player's deviations first.

    Parameters
    ----------
    games
        With the ratings of both players, as published at the time.
    by
        Property that makes the segments; any name with `groups`.
    groups
        The segment of each player, by name or id: a region, a club, a school.
    known
        Leave out games with a player of an unknown segment.
    within
        Count games within a segment too; their differences cancel, and dilute the rest.
    floor
        Raise lower ratings to this one [5.2].
    ageing
        Points a year that a rating is taken down for every year of age above `ageing_from`: a simple form of the
        adjustment in [5.2]. As only differences count, it is the same as raising the young. Who has no known age is left
        as he is.
    """
    games = games_from(games)
    for name, value in (("floor", floor), ("ageing", ageing), ("ageing_from", ageing_from)):
        if value is not None and not math.isfinite(value):
            raise UsageError(f"expected a number for {name}, found {value!r}")
    chosen = curve or Logistic()
    known_people = described(games, people)
    if groups is not None:
        own = games.players.select("name", "id").iter_rows()
        result = [groups.get(id_ or name, groups.get(name)) for name, id_ in own]
        known_people = known_people.with_columns(pl.Series("group", result, dtype=pl.String))
    sides, left_out, cuts = _rated_sides(games, known_people, chosen, (by,), rating_cuts)
    if groups is not None:
        segment = pl.col("group").fill_null(UNKNOWN)
    else:
        segment = kind(cast("By", by), age_cuts=tuple(age_cuts), rating_cuts=cuts)
    named = sides.with_columns(segment.alias("segment"))
    if (named["segment"] == UNKNOWN).all():
        raise InputError(
            f"expected the {by} of some players, found none in {sides.height // 2} games",
            code="unknown-players",
        )
    named, unknown_ages = _adjusted(named, chosen, floor, ageing, ageing_from)
    met = named.select(
        *("segment", "other", "player", "score", "expected", "slope"),
        excess=pl.col("score") - pl.col("expected"),
        before=pl.col("score") - pl.col("published"),
    )
    if known:
        met = met.filter((pl.col("segment") != UNKNOWN) & (pl.col("other") != UNKNOWN))
    between = met.filter(pl.col("segment") != pl.col("other"))
    used = met if within else between
    if not used.height:
        raise InputError(
            f"expected games between different segments by {by}, found none in {sides.height // 2} games with ratings"
        )
    adjusted = floor is not None or ageing is not None
    rows = [_row(str(name), part) for (name,), part in used.group_by("segment")]
    frame = pl.DataFrame(rows, infer_schema_length=None)
    frame = frame.sort("difference", "segment", descending=[True, False])
    return Deflation(
        rows=frame if adjusted else frame.drop("as_published"),
        parameters={
            "by": by,
            **chosen.parameters(),
            "age_cuts": list(age_cuts) if by == "age" else None,
            "rating_cuts": list(cuts) if by == "rating-band" else None,
            "floor": floor,
            "ageing": ageing,
            "ageing_from": ageing_from if ageing is not None else None,
            "confidence": CONFIDENCE,
        },
        games=between.height // 2,
        inside=(met.height - between.height) // 2,
        left_out=left_out,
        notes=(
            *_notes(DEFLATION_NOTE, (by,), named, ("segment",), "sides of games", "differ"),
            *(
                [f"without a known age {unknown_ages:,} sides of games are not aged"]
                if ageing is not None and unknown_ages
                else []
            ),
        ),
    )


def _adjusted(
    sides: pl.DataFrame, curve: Curve, floor: float | None, ageing: float | None, ageing_from: float
) -> tuple[pl.DataFrame, int]:
    """Return the sides with `used` and `used_against`, the ratings after ageing and floor, and what they promise."""
    age = pl.col("year") - pl.col("born")
    older = (age - ageing_from).clip(lower_bound=0).fill_null(0)
    used = pl.col("rating") - (ageing or 0.0) * older
    # Ageing comes first: a floor is what no adjustment passes.
    mine = sides.with_columns(
        (used if floor is None else used.clip(lower_bound=floor)).alias("used"),
        pl.col("expected").alias("published"),
    )
    theirs = mine.select("game", opponent="player", used_against="used", other="segment")
    both = mine.join(theirs, on=["game", "opponent"], maintain_order="left")
    D = (both["used"] - both["used_against"]).to_numpy()
    slope = (curve.expected(D + STEP) - curve.expected(D - STEP)) / (2 * STEP)
    return both.with_columns(
        pl.Series("expected", curve.expected(D), dtype=pl.Float64),
        pl.Series("slope", slope, dtype=pl.Float64),
    ), both.filter(age.is_null()).height


def _row(name: str, part: pl.DataFrame) -> dict[str, object]:
    from scipy import stats

    mean, error, p, players = clustered(part["excess"].to_numpy(), part["player"].to_numpy())
    difference = float(mean or 0.0)
    reach = None if error is None else error * float(stats.t.ppf((1 + CONFIDENCE) / 2, players - 1))
    slope = float(np.mean(part["slope"].to_numpy()))
    low, high = (None, None) if reach is None else (difference - reach, difference + reach)

    def points(value: float | None) -> float | None:
        return None if value is None or slope < FLATTEST else value / slope

    return {
        "segment": name,
        "players": players,
        "games": part.height,
        "score": float(np.mean(part["score"].to_numpy())),
        "expected": float(np.mean(part["expected"].to_numpy())),
        "difference": difference,
        "low": low,
        "high": high,
        "points": points(difference),
        "points_low": points(low),
        "points_high": points(high),
        "p": p,
        "as_published": float(np.mean(part["before"].to_numpy())),
    }
