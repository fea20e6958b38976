"""Do some outscore what their ratings predict? Score against expectation by segments [USCF 1994, 5.1]."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import polars as pl

from arpad.errors import InputError, UsageError
from arpad.model import Result
from arpad.pool.check import two_sides
from arpad.pool.exchange import JUNIOR, UNKNOWN, By, classes, described, kind
from arpad.pool.significance import clustered
from arpad.rate.elo_book.system import in_events
from arpad.scale import Curve, Logistic

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from arpad.model import Games, Ratings


CONFIDENCE = 0.95
STEP = 25.0
"""Points to each side over which the slope of a curve is taken: a table has steps of its own."""
FLATTEST = 1e-6
"""Score per point: where a curve is flatter, no number of points explains a score."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Deflation(Result):
    """Scores of each segment against the others, and the expected scores."""

    rows: pl.DataFrame
    """A row a segment, most underrated first: `segment`, `players`, `games`, `score`, `expected`, `difference` (these a
    game), `low`, `high` (95 %), `points`, `points_low`, `points_high` (by which ratings are too low), `p`; `as_published`
    is the difference without floor and ageing, where one is in force."""
    parameters: Mapping[str, object]
    games: int
    """Games between segments."""
    inside: int
    """Games within one segment: what one player is ahead the other is behind."""
    left_out: int
    """Games without the ratings of both."""
    notes: tuple[str, ...] = field(default=())

    def table(self) -> pl.DataFrame:
        """Return the segments, most underrated first."""
        return self.rows

    def to_dict(self) -> dict[str, Any]:
        """Return every figure."""
        figures = Result.to_dict(self)
        return {"segments": figures.pop("rows"), **figures}

    def summary(self) -> str:
        """Return one sentence."""
        told = ", ".join(f"{k} {v}" for k, v in self.parameters.items() if v is not None)
        return (
            f"{self.games:,} games compared, {self.inside:,} within one segment, {self.left_out:,} left out: no "
            f"rating ({told})"
        )


def deflation(
    games: Games,
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
        What tells segments apart; any name for what `groups` tell.
    groups
        The segment of each player, by name or id: a region, a club, a school.
    known
        Leave out games with somebody whose segment is not known.
    within
        Count games within a segment too; their differences cancel, and dilute the rest.
    floor
        Take ratings below as this one [5.2].
    ageing
        Points a year that a rating is taken down for every year of age above `ageing_from`: a simple form of the
        adjustment in [5.2]. As only differences count, it is the same as raising the young. Who has no known age is left
        as he is.
    """
    _check(floor, ageing, ageing_from)
    chosen = curve or Logistic()
    played = in_events(games.rateable(), "date")
    known_people = described(games, people)
    if groups is not None:
        own = games.players.select("name", "id").iter_rows()
        result = [groups.get(id_ or name, groups.get(name)) for name, id_ in own]
        known_people = known_people.with_columns(pl.Series("group", result, dtype=pl.String))
    sides = two_sides(played, games, known_people, chosen)
    if not sides.height:
        raise InputError(
            f"expected games with the ratings of both players, found none in {played.height} games played"
        )
    cuts = tuple(rating_cuts or ())
    if by == "rating-band" and not cuts:
        cuts = classes(sides["rating"])
    if groups is not None:
        segment = pl.col("group").fill_null(UNKNOWN)
    else:
        segment = kind(cast("By", by), age_cuts=tuple(age_cuts), rating_cuts=cuts)
    named = sides.with_columns(segment.alias("segment"))
    if (named["segment"] == UNKNOWN).all():
        raise InputError(
            f"expected to know the {by} of some players, found that of none in {sides.height // 2} games",
            code="unknown-players",
        )
    named, unknown_ages = _adjusted(named, chosen, floor, ageing, ageing_from)
    met = _met(named)
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
        left_out=played.height - sides.height // 2,
        notes=_notes(by, named, unknown_ages if ageing is not None else 0),
    )


def _check(floor: float | None, ageing: float | None, ageing_from: float) -> None:
    for name, value in (("floor", floor), ("ageing", ageing), ("ageing_from", ageing_from)):
        if value is not None and not math.isfinite(value):
            raise UsageError(f"expected a number for {name}, found {value!r}")


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


def _met(sides: pl.DataFrame) -> pl.DataFrame:
    return sides.select(
        *("segment", "other", "player", "score", "expected", "slope"),
        excess=pl.col("score") - pl.col("expected"),
        before=pl.col("score") - pl.col("published"),
    )


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


def _notes(by: By | str, sides: pl.DataFrame, unknown_ages: int) -> tuple[str, ...]:
    notes = [
        (
            "a segment's difference is against the others only: one that is ahead puts others behind, and which of the two "
            "ratings is wrong the games do not say"
        )
    ]
    if by == "rating-band":
        notes.append(
            "high ratings are too high and low ones too low more often than not, by chance alone: bands of rating differ "
            "even in a pool without bias"
        )
    unknown = sides.filter(pl.col("segment") == UNKNOWN).height
    if unknown:
        notes.append(f"{by} is not known for {unknown:,} of {sides.height:,} sides of games")
    if unknown_ages:
        notes.append(f"without a known age {unknown_ages:,} sides of games are not aged")
    return tuple(notes)
