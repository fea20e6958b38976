"""Conversions between scales, and ratings by age, fitted by robust loess [USCF 1994, A and B]."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from arpad.errors import InputError, UsageError
from arpad.model import Result
from arpad.rate.uscf.performance import AGES, YOUNGEST

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import date

    from numpy.typing import NDArray

    from arpad.model import Ratings


SPAN = 0.75
"""Share of the players that each local fit looks at [A]."""
MOST = 5000
"""Players that are fitted at most: the intervals take time and room as the square of their number."""
AT_ONCE = 500
"""Places that are asked for at once: the errors take room as places times players."""
LEAST = 20
"""Players without whom nothing is fitted."""
LEAST_VALUES = 5
"""Different values of each predictor without which no local parabola is determined."""
NEAR: Mapping[str, float] = {"rating": 25.0, "age": 1.0, "games": 3.0}
"""Distance, to each side, at which a player still counts as near: points, years, games."""
STEPS = {"rating": 50.0, "age": 1.0}
"""Distance of round places: points, years."""
MOST_PLACES = 500
HALF_YEAR = 0.5
CONFIDENCE = 0.95
SEED = 1994


@dataclass(frozen=True, slots=True, kw_only=True)
class ConvertedRating:
    """Value of the fit at one place."""

    value: float
    error: float
    """One standard deviation of the curve, not of one player."""
    low: float
    high: float
    near: int
    """Players of the data near this place, by `NEAR` for every predictor."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScaleFit:
    """A rating as a smooth function of another rating, of age, or of age and number of games."""

    on: tuple[str, ...]
    """The predictors: `rating`, `age`, `games`."""
    points: pl.DataFrame
    """Whom it was fitted on: a column a predictor, and `value`."""
    n: int
    """Players fitted."""
    available: int
    """Players there were; more than `n` where a sample was drawn."""
    spread: float
    """Robust standard deviation of one player from the curve, in points."""
    span: float
    parameters: Mapping[str, object]
    model: Any = field(repr=False, compare=False)

    def convert(self, *at: float) -> ConvertedRating:
        """Return the fitted rating at one place, with its interval; never beyond the data.

        at: One number for each predictor, in the order of `on`.
        """
        if len(at) != len(self.on):
            raise UsageError(f"expected {' and '.join(self.on)}, found {len(at)} numbers")
        row = self.table([at]).row(0, named=True)
        return ConvertedRating(**{name: row[name] for name in ConvertedRating.__dataclass_fields__})

    def table(self, at: Sequence[Sequence[float]]) -> pl.DataFrame:
        """Return the fit at several places: the predictors, `value`, `error`, `low`, `high`, `near`."""
        X = np.array(at, dtype=np.float64).reshape(-1, len(self.on))
        self._within(X)
        alpha = 1 - float(str(self.parameters["confidence"]))
        parts = [_predicted(self.model, X[i : i + AT_ONCE], alpha) for i in range(0, len(X), AT_ONCE)]
        figures = np.concatenate(parts or [np.empty((0, 4))])
        return pl.DataFrame(
            {
                **{name: X[:, i] for i, name in enumerate(self.on)},
                **{name: figures[:, i] for i, name in enumerate(("value", "error", "low", "high"))},
                "near": pl.Series([self._near(row) for row in X], dtype=pl.Int64),
            }
        )

    chart = Result.chart

    def conversions(
        self, places: Sequence[float] | None = None, *, step: float | None = None, games: float = 6
    ) -> pl.DataFrame:
        """Return the fit at places, else at round ones `step` apart; with `difference` between ratings.

        A player said to be 12 is read at 12½, the middle of that year, unless places are given [USCF 1994, B].
        """
        name = self.on[0]
        shift = HALF_YEAR if name == "age" and places is None else 0.0
        chosen = self._round(name, shift, step) if places is None else places
        more = [games] if "games" in self.on else []
        table = self.table([[place + shift, *more] for place in chosen])
        if name == "age":
            return table.with_columns(pl.Series("age", chosen, dtype=pl.Float64))
        gap = (pl.col("value") - pl.col("rating")).alias("difference")
        return table.with_columns(gap).select("rating", "value", "difference", "error", "low", "high", "near")

    def _round(self, name: str, shift: float, step: float | None) -> list[float]:
        apart = STEPS[name] if step is None else step
        low, high = self.reach(name)
        if not (math.isfinite(apart) and apart > 0 and (high - low) / apart <= MOST_PLACES):
            raise UsageError(
                f"expected a step above 0 that makes {MOST_PLACES} lines at most, found {apart:g}",
                code="scale-step",
            )
        first, last = math.ceil((low - shift) / apart), math.floor((high - shift) / apart)
        if last < first:
            raise UsageError(
                f"expected round {name}s from {low:g} to {high:g}, found none", code="scale-places"
            )
        return [apart * i for i in range(first, last + 1)]

    def reach(self, name: str) -> tuple[float, float]:
        """Return the lowest and highest value of a predictor in the data."""
        column = self.points[name].to_numpy()
        return float(column.min()), float(column.max())

    def summary(self) -> str:
        """Return one sentence."""
        drawn = "" if self.n == self.available else f", drawn from {self.available:,} by seed {SEED}"
        return (
            f"robust loess on {' and '.join(self.on)}: {self.n:,} players{drawn}, span {self.span:g}; "
            f"one player is ± {self.spread:.0f} points from the curve (one standard deviation)"
        )

    def _within(self, X: NDArray[np.float64]) -> None:
        for i, name in enumerate(self.on):
            low, high = self.reach(name)
            out = [v for v in X[:, i] if not low <= v <= high]
            if out:
                raise UsageError(
                    f"expected {name} from {low:g} to {high:g}, where the data are, found {out[0]:g}: nothing is "
                    "extrapolated"
                )

    def _near(self, row: NDArray[np.float64]) -> int:
        close = [
            np.abs(self.points[name].to_numpy() - row[i]) <= NEAR[name] for i, name in enumerate(self.on)
        ]
        return int(np.all(close, axis=0).sum())


def fit_scale(
    points: pl.DataFrame,
    *,
    on: Sequence[str] = ("rating",),
    span: float = SPAN,
    confidence: float = CONFIDENCE,
    most: int = MOST,
    seed: int = SEED,
) -> ScaleFit:
    """Fit `value` on one predictor or two by Cleveland's robust loess.

    Parabolas are fitted locally, with tricube weights, to the share `span` of the players that are nearest, four
    times over, and players far from the curve lose their weight (bisquare).

    Parameters
    ----------
    points
        A row a player: the predictors and `value`.
    on
        Columns of `points`: `rating`, `age` or `games`.
    confidence
        Of the interval for the curve.
    most
        Players at most; of more a sample is drawn with `seed`.

    Examples
    --------
    >>> import polars as pl
    >>> R = [2000.0 + 4 * i for i in range(100)]
    >>> points = pl.DataFrame({"rating": R, "value": [r + 30 + (i % 5 - 2) for i, r in enumerate(R)]})
    >>> found = fit_scale(points).convert(2200)
    >>> round(found.value), found.near
    (2230, 13)
    """
    _check(on, span, confidence, most)
    names = [*on, "value"]
    known = points.select(pl.col(names).cast(pl.Float64).fill_nan(None)).drop_nulls()
    known = known.filter(pl.all_horizontal(pl.all().is_finite()))
    available = known.height
    if available > most:
        known = known.sample(most, seed=seed)
    _check_points(known, on, span)
    model = _loess(known, on, span)
    spread = float(model.outputs.residual_scale)
    return ScaleFit(
        on=tuple(on),
        points=known,
        n=known.height,
        available=available,
        spread=spread,
        span=span,
        parameters={
            "method": "loess",
            "family": "symmetric",
            "degree": 2,
            "span": span,
            "confidence": confidence,
            "most": most,
            "seed": seed if available > most else None,
        },
        model=model,
    )


def _loess(known: pl.DataFrame, on: Sequence[str], span: float) -> Any:
    from skmisc.loess import loess

    X = known.select(on).to_numpy()
    try:
        model = loess(_laid_out(X), known["value"].to_numpy(), span=span, degree=2, family="symmetric")
        model.fit()
        # The error of a fit that stands on too few different values shows only here.
        sound = bool(np.isfinite(_predicted(model, X[:1], 1 - CONFIDENCE)).all())
    except ValueError:
        sound = False
    if not sound:
        raise InputError(
            f"expected {' and '.join(on)} spread widely enough for a local fit, found too many equal ones: take a wider "
            "span or more players"
        )
    return model


def _predicted(model: Any, X: NDArray[np.float64], alpha: float) -> NDArray[np.float64]:
    told = model.predict(_laid_out(X), stderror=True)
    band = told.confidence(alpha=alpha)
    return np.column_stack([told.values, told.stderr, band.lower, band.upper])


def _laid_out(X: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the predictors in the order in which loess reads them."""
    return np.ascontiguousarray(X.T).reshape(X.shape) if _by_columns() else np.ascontiguousarray(X)


@cache
def _by_columns() -> bool:
    """Say whether loess reads the numbers of a matrix column by column, whatever its rows are.

    scikit-misc 0.5 hands them on as they lie, row by row, to code that expects columns: two predictors are mixed
    up. A plane, which every loess fits exactly, shows whether the version at hand does.
    """
    from skmisc.loess import loess

    X = np.random.default_rng(SEED).uniform(0, 1, (50, 2))
    plane = loess(np.ascontiguousarray(X), X[:, 0])
    plane.fit()
    return bool(np.abs(plane.outputs.fitted_values - X[:, 0]).max() > 1e-6)


def _check(on: Sequence[str], span: float, confidence: float, most: int) -> None:
    if not on or len(set(on)) < len(on) or set(on) - set(NEAR):
        raise UsageError(f"expected some of {', '.join(NEAR)} to fit on, found {list(on)}")
    if not 0 < span <= 1:
        raise UsageError(f"expected a span above 0 and up to 1, found {span!r}: .75 is usual")
    if not 0 < confidence < 1:
        raise UsageError(f"expected a confidence between 0 and 1, found {confidence!r}")
    if not LEAST <= most <= MOST:
        raise UsageError(f"expected {LEAST} to {MOST} players to fit at most, found {most!r}")


def _check_points(known: pl.DataFrame, on: Sequence[str], span: float) -> None:
    # A parabola in p predictors has (p + 1)(p + 2)/2 coefficients, and needs some players more.
    local = 2 * (len(on) + 1) * (len(on) + 2) // 2
    if known.height < LEAST or span * known.height < local:
        raise InputError(
            f"expected {max(LEAST, math.ceil(local / span))} players or more with {', '.join(on)} and a rating, found "
            f"{known.height}"
        )
    for name in on:
        values = known[name].n_unique()
        if values < LEAST_VALUES:
            raise InputError(
                f"expected {LEAST_VALUES} different values of {name} or more, found {values} in {known.height} players"
            )


# Who is fitted: the players common to two lists, or those of a list whose age is known [USCF 1994, A and B].

GAMES = ("total_games", "games", "period_games")
"""Columns that may say how many games a rating stands on; the first that is filled is taken."""
YEAR = 365.25
"""Days."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScaleData:
    """Players to fit on, and how they were chosen."""

    points: pl.DataFrame
    """`rating`, or `age` and perhaps `games`; and `value`, the rating to be explained."""
    counts: Mapping[str, int]
    """Number of matched players, and of those left out, by reason."""
    parameters: Mapping[str, object]


def common(
    first: Ratings, second: Ratings, *, least: float | None = None, least_games: tuple[int, int] = (0, 0)
) -> ScaleData:
    """Return the players who are on both lists: `rating` of the first, `value` of the second.

    Matched by id; who is left, by name, if the name stands once on each list and one of them gives no id. Who
    stands on a list twice under one id is on neither.

    least: Lowest rating on the first list; 2200 in the report.
    least_games: Games on the first list and on the second; 10 and an established rating in the report.
    """
    sides: list[pl.DataFrame] = []
    parameters: dict[str, object] = {}
    for place, (ratings, fewest) in enumerate(zip((first, second), least_games, strict=True)):
        word = ("first", "second")[place]
        rows, column = _rows(ratings, f"the {word} list", asked=fewest > 0)
        sides.append(rows.filter(pl.col("games") >= fewest) if fewest else rows)
        parameters[f"least_games_{word}"] = fewest
        if fewest:
            parameters[f"games_of_{word}"] = column
    if least is not None:
        sides[0] = sides[0].filter(pl.col("rating") >= least)
    by_id, by_name = _pairs(*sides)
    points = pl.concat([by_id, by_name])
    if not points.height:
        raise InputError(
            f"expected players who are on both lists, found none among {sides[0].height:,} and {sides[1].height:,}: "
            "they are matched by id, then by name"
        )
    return ScaleData(
        points=points,
        counts={
            "first": sides[0].height,
            "second": sides[1].height,
            "by_id": by_id.height,
            "by_name": by_name.height,
        },
        parameters={"least": least, **parameters},
    )


def aged(
    ratings: Ratings, day: date, *, with_games: bool = False, least: float | None = None, least_games: int = 0
) -> ScaleData:
    """Return the players of a list with their `age` in years on a day; `value` is their rating.

    Who is younger than five [B] or older than 110 is left out: such births are mistakes. A birth that is only a
    year or a month is taken in its middle.
    """
    rows, column = _rows(ratings, "the list", asked=with_games or least_games > 0)
    if "birth" not in ratings.rows.columns or not rows["birth"].str.len_chars().sum():
        raise InputError("expected a list with a column birth, found none: ages are not known")
    kept = rows.filter(pl.col("games") >= least_games) if least_games else rows
    if least is not None:
        kept = kept.filter(pl.col("rating") >= least)
    with_age = kept.with_columns(((pl.lit(day) - _born()).dt.total_days() / YEAR).alias("age"))
    told = with_age.filter(pl.col("age").is_not_null())
    if with_games:
        told = told.filter(pl.col("games").is_not_null())
    possible = told.filter(pl.col("age").is_between(YOUNGEST, AGES[1]))
    names = ["age", "games"] if with_games else ["age"]
    return ScaleData(
        points=possible.select(*names, value="rating"),
        counts={
            "listed": kept.height,
            "unknown": kept.height - told.height,
            "impossible": told.height - possible.height,
        },
        parameters={
            "date": day.isoformat(),
            "least": least,
            "least_games": least_games,
            "games_of": column,
            "ages": [YOUNGEST, AGES[1]],
        },
    )


def _rows(ratings: Ratings, called: str, *, asked: bool) -> tuple[pl.DataFrame, str | None]:
    """Return the rated rows with `player`, `id`, `birth`, `rating`, `games`, and whose column games are."""
    rows = ratings.rows
    filled = [c for c in GAMES if c in rows.columns and rows[c].null_count() < rows.height]
    if asked and not filled:
        raise UsageError(
            f"expected {called} with a column total_games, the number of games behind a rating; found none"
        )
    text = [
        (pl.col(c) if c in rows.columns else pl.lit(None)).cast(pl.String).alias(c)
        for c in ("player", "id", "birth")
    ]
    games = (pl.col(filled[0]) if filled else pl.lit(None)).cast(pl.Float64).alias("games")
    rating = pl.col("rating").cast(pl.Float64).fill_nan(None)
    known = rows.select(*text, games, rating).filter(pl.col("rating").is_finite())
    if not known.height:
        raise InputError(f"expected ratings on {called}, found none in {rows.height:,} rows")
    return known, filled[0] if asked else None


def _pairs(first: pl.DataFrame, second: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame]:
    number = [side.with_row_index("row") for side in (first, second)]
    once = [side.filter(pl.col("id").is_not_null() & ~pl.col("id").is_duplicated()) for side in number]
    same_id = once[0].join(once[1], on="id", suffix="_2")
    left = [
        side.filter(
            ~pl.col("row").is_in(same_id[row].implode())
            & pl.col("player").is_not_null()
            & ~pl.col("player").is_duplicated()
        )
        for side, row in zip(number, ("row", "row_2"), strict=True)
    ]
    same_name = left[0].join(left[1], on="player", suffix="_2")
    strangers = pl.col("id").is_not_null() & pl.col("id_2").is_not_null()
    chosen = (same_id, same_name.filter(~strangers))
    a, b = (result.select("rating", value="rating_2") for result in chosen)
    return a, b


def _born() -> pl.Expr:
    """Return the day of birth: of a month the 15th, of a year 1 July."""
    text = pl.col("birth").str.slice(0, 10)
    length = text.str.len_chars()
    day = (pl.when(length == 4).then(text + "-07-01").when(length == 7).then(text + "-15")).otherwise(text)
    return day.str.to_date("%Y-%m-%d", strict=False)
