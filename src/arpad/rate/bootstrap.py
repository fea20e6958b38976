"""Errors for any rating system: from random samples of the games, drawn with replacement, or from arpad's own model.

A system's own `error` rests on its formulae; this one on nothing but the games. What was not known at
the start stays unknown in every draw, and is not in it.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from arpad.errors import UsageError
from arpad.model import Games
from arpad.parallel import HERE
from arpad.rate.arpad_system import ArpadSystem
from arpad.rate.periods import figures, first_given
from arpad.rate.system import list_on, played_list, rate, with_own_errors
from arpad.read.reading import games_from

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from numpy.typing import NDArray

    from arpad.model import Ratings
    from arpad.parallel import Workers
    from arpad.rate.k import KPolicy
    from arpad.rate.system import RatingSystem, State
    from arpad.read.reading import GamesLike


FEWEST = 10
"""Draws below which a standard deviation says little: it is itself uncertain by a quarter."""
FEWEST_GAMES = 5


def bootstrap(
    system: RatingSystem,
    games: GamesLike,
    before: Ratings | None = None,
    *,
    draws: int = 200,
    seed: int = 0,
    workers: Workers = HERE,
) -> Ratings:
    """Rate the games, with errors from random samples of the games.

    Each set has as many played games as there are, each drawn with replacement and left at its place in
    time. Who has a rating in fewer than half of the sets, or fewer than five games, has no error: drawing
    one game again and again says nothing of chance. The sets, and so the errors, do not depend on the workers.

    Examples
    --------
    >>> from arpad.rate import system
    >>> games = Games.build([("Ann", "Bob", 1.0), ("Bob", "Ann", 0.5), ("Ann", "Bob", 0.0)] * 10)
    >>> found = bootstrap(system("elo"), games, draws=50)
    >>> [round(e) for e in found.rows["error"]]
    [25, 25]
    """
    games = games_from(games)
    if draws < FEWEST:
        raise UsageError(f"expected at least {FEWEST} draws, found {draws}")
    state = system.begin(games.players, with_own_errors(system, before))
    rated = played_list(system, system.advance(state, games), games)
    games = _until(games, getattr(system, "on", None))
    rng = np.random.default_rng(seed)
    sets = _states(rng, int((games.table["status"] == "played").sum()), draws)
    result = list(workers.map(_rated, sets, shared=(system, games, state)))
    spread = (
        pl.concat(result)
        .group_by(_WHO)
        .agg(pl.col("rating").std().alias("bootstrapped"), pl.col("rating").count().alias("times"))
    )
    told = (pl.col("times") >= draws / 2) & (pl.col("games") >= FEWEST_GAMES)
    enough = pl.when(told).then("bootstrapped")
    rows = rated.rows.join(spread, on=_WHO, how="left", nulls_equal=True, maintain_order="left")
    rows = rows.with_columns(enough.alias("error")).drop("bootstrapped", "times")
    parameters = {**rated.parameters, "bootstrap": draws, "seed": seed}
    return replace(rated, rows=rows, parameters=parameters)


_WHO = ["player", "id"]


def _until(games: Games, on: date | None) -> Games:
    """Return the games that count for a list of some day: a set of only later ones has no ratings."""
    if on is None:
        return games
    kept = games.table.filter(pl.col("date").is_null() | (pl.col("date") < on))
    return Games(kept, games.players, games.events)


def _states(rng: np.random.Generator, played: int, draws: int) -> Iterator[Any]:
    """Yield the state of the generator before each draw: smaller than what it draws, and all that a worker needs."""
    for _ in range(draws):
        yield rng.bit_generator.state
        rng.integers(0, max(played, 1), played)


def _rated(shared: tuple[RatingSystem, Games, State], seed: Mapping[str, Any]) -> pl.DataFrame:
    """Return the ratings of one set."""
    system, games, begun = shared
    rng = np.random.default_rng()
    rng.bit_generator.state = seed
    drawn = _drawn(games, rng)
    return played_list(system, system.advance(begun, drawn), drawn).rows.select(*_WHO, "rating")


def _drawn(games: Games, rng: np.random.Generator) -> Games:
    """Return the games with those that were played drawn again."""
    played = (games.table["status"] == "played").to_numpy().nonzero()[0]
    others = (games.table["status"] != "played").to_numpy().nonzero()[0]
    chosen = played[rng.integers(0, max(len(played), 1), len(played))] if len(played) else played
    rows = np.sort(np.r_[chosen, others])
    return Games(games.table[rows], games.players, games.events)


# Errors by arpad's own model: what the games say of how far each rating is from the strength.

SIGMAS = 1.96
"""Errors on either side of a rating between which 95 % of true strengths should be."""


MOST_GAMES = 1_000_000
"""Games up to which every list has errors by the model: two or three seconds of processor time."""
KNOWN = ("player", "id", "rating", "error", "games", "total_games", "k", "last", "on")
"""Columns of an earlier list that the model looks at."""


def with_true_errors(
    system: RatingSystem,
    ratings: Ratings,
    games: Games,
    before: Ratings | None = None,
    *,
    model: bool | None = None,
) -> Ratings:
    """Return a list with the errors of the ratings themselves as `error`, and the method's own under its name.

    Parameters
    ----------
    ratings
        The list that was made from these games, and from an earlier list.
    model
        False: leave the method's own as `error`; None: look for others up to `MOST_GAMES`, beyond leave `error` empty.
    """
    own = getattr(system, "own_error", "own_error")
    if model is False or own is None:
        return ratings
    rows = ratings.rows.rename({"error": own})
    place = rows.columns.index(own)
    if model is None and len(games) > MOST_GAMES:
        note = f"± is not known without arpad's model of all games, which is left out above {MOST_GAMES:,}; {own} is the method's own"
        source = {**ratings.source, "notes": [*ratings.source.get("notes", ()), note]}
        rows = rows.insert_column(place, pl.lit(None, dtype=pl.Float64).alias("error"))
        return replace(ratings, rows=rows, source=source)
    if before is not None:  # what another system keeps on file is not for this one
        before = replace(
            before, rows=before.rows.select(pl.col(c) for c in KNOWN if c in before.rows.columns)
        )
    on = ratings.parameters.get("on")
    on = date.fromisoformat(on) if isinstance(on, str) else on
    fit = rate(ArpadSystem(), *_with_k(system, _until(games, on), before))
    if on is not None:
        fit = list_on(ArpadSystem(), fit, on)
    error = model_errors(ratings, fit).rows["model_error"].alias("error")
    return replace(ratings, rows=rows.insert_column(place, error))


def _with_k(system: RatingSystem, games: Games, before: Ratings | None) -> tuple[Games, Ratings | None]:
    """Return games and an earlier list with K and games behind ratings, as the system's rules tell them."""
    policy = getattr(system, "given_policy", None)
    if policy is None:
        return games, before
    given = first_given(games, games.rateable())
    games = Games(games.table, _filled(games.players, policy, given), games.events)
    if before is not None:
        before = replace(before, rows=_filled(before.rows, policy, figures(before.rows, "rating")))
    return games, before


def _filled(rows: pl.DataFrame, policy: KPolicy, ratings: NDArray[np.float64]) -> pl.DataFrame:
    """Return rows with `k` and `total_games` for those that have neither."""
    own = pl.Series(np.isnan(figures(rows, "k")) & np.isnan(figures(rows, "total_games")))
    told = dict(zip(("k", "total_games"), policy.behind(ratings), strict=True))
    return rows.with_columns(
        pl.when(own)
        .then(pl.Series(values).fill_nan(None))
        .otherwise(rows[name].cast(pl.Float64) if name in rows.columns else None)
        .alias(name)
        for name, values in told.items()
    )


def model_errors(ratings: Ratings, model: Ratings) -> Ratings:
    """Return a list of any system with errors that arpad's own system finds for it, `model_error`.

    Given the games, a strength is normal about the curve of arpad's system, m ± s. A rating r that is d = r − m off has
    an interval of ± 1.96 errors about it that holds 95 % of that: Φ((c − d)/s) − Φ((−c − d)/s) = .95, c = 1.96 error.
    Levels of the two lists are agreed, not known: means are taken off. Scales that fall have none.

    Parameters
    ----------
    model
        The list of arpad's own system from the same games.
    """
    names = ["player", "id"]
    own = model.rows.select(*names, pl.col("rating").alias("m"), pl.col("error").alias("s"))
    rows = ratings.rows.select(*names, pl.col("rating").cast(pl.Float64)).join(
        own.unique(names), on=names, how="left", nulls_equal=True, maintain_order="left"
    )
    rating, m, s = (rows[name].fill_null(np.nan).to_numpy() for name in ("rating", "m", "s"))
    known = np.isfinite(rating) & np.isfinite(m)
    error = np.full(len(rating), np.nan)
    if known.sum() > 1 and not (rating[known].std() > 0 and np.corrcoef(rating[known], m[known])[0, 1] < 0):
        d = rating[known] - m[known]
        error[known] = _half_width(d - d.mean(), s[known]) / SIGMAS
    return replace(ratings, rows=ratings.rows.with_columns(pl.Series("model_error", error).fill_nan(None)))


def _half_width(d: NDArray[np.float64], s: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return c so that a normal value with mean d and deviation s is within ± c in 95 of 100 cases.

    Examples
    --------
    >>> _half_width(np.array([0.0, 100.0]), np.array([10.0, 10.0])).round(1).tolist()
    [19.6, 116.4]
    """
    from scipy.special import ndtr

    low, high = np.zeros(len(d)), np.abs(d) + 2 * s
    for _ in range(50):
        middle = (low + high) / 2
        holds = ndtr((middle - d) / s) - ndtr((-middle - d) / s) >= 0.95
        low, high = np.where(holds, low, middle), np.where(holds, middle, high)
    return high
