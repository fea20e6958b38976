"""Rate games in one call: what `arpad.rate` is."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from arpad.errors import UsageError
from arpad.model import Ratings, ranked
from arpad.rate.bootstrap import bootstrap as bootstrapped
from arpad.rate.bootstrap import with_true_errors
from arpad.rate.registry import system as system_called
from arpad.rate.system import list_on, played_list, run
from arpad.read.reading import games_from, read_list

if TYPE_CHECKING:
    from pathlib import Path

    from arpad.rate.system import RatingSystem, State
    from arpad.read.reading import GamesLike

STATE = ("error", "carried", "on_file", "imputed", "imputed_by", "fide", "birth")
"""Columns of a list that the next one needs, where the system keeps games on file."""


def rate(
    games: GamesLike,
    system: str | RatingSystem = "elo",
    *,
    before: Ratings | str | Path | None = None,
    bootstrap: int | None = None,
    seed: int = 0,
    model_errors: bool | None = None,
    **options: Any,
) -> Ratings:
    """Rate games and return the list.

    Parameters
    ----------
    games
        A file, several files, a Polars or pandas frame, tuples ``(white, black, score)``, or games.
    system
        A rating system or its name.
    before
        An earlier list, or a file with one.
    bootstrap
        Number of random samples of the games from which errors are calculated.
    seed
        Of the bootstrap.
    model_errors
        Whether `error` is that of the rating by arpad's own model, with the method's own beside it under its own name;
        False: the method's own; None: the model's up to 1,000,000 games. A bootstrap has its own errors.
    options
        Constants of the system; an unknown name is an error.

    Examples
    --------
    >>> import arpad
    >>> arpad.rate([("Ann", "Bo", 1.0)], "elo", k=20).table()["rating"].to_list()
    [1510.0, 1490.0]
    """
    games = games_from(games)
    rules = system_called(system, **options) if isinstance(system, str) else system
    if options and not isinstance(system, str):
        raise TypeError(
            f"options {sorted(options)} belong to a system by name: give them to the system itself"
        )
    earlier = before if before is None or isinstance(before, Ratings) else read_list(before)
    state = run(rules, games, earlier)
    if bootstrap is None:
        ratings = played_list(rules, state, games)
        ratings = with_true_errors(rules, ratings, games, earlier, model=model_errors)
    else:
        ratings = bootstrapped(rules, games, earlier, draws=bootstrap, seed=seed)
    return replace(ratings, predictor=partial(_expected, rules, state))


def _expected(system: RatingSystem, state: State, white: str, black: str) -> float | None:
    """Return White's expected score; players by name or id, as the state has them."""
    rows = np.array([[_row(state, player)] for player in (white, black)], dtype=np.int64)
    score = float(system.expected(state, rows[0], rows[1])[0])
    return None if math.isnan(score) else score


def _row(state: State, player: str) -> int:
    """Return the row of a player by name or id."""
    rows = [i for i, known in enumerate(state.rows.select("player", "id").iter_rows()) if player in known]
    if len(rows) != 1:
        raise UsageError(
            f"expected the name or the id of one player, found {player!r}, which {len(rows)} players have",
            code="which-player",
            fields={"player": player, "players": len(rows)},
        )
    return rows[0]


def with_others(ratings: Ratings, earlier: Ratings, system: RatingSystem) -> Ratings:
    """Return the list with everybody of the earlier one who is not on it."""
    columns = ["player", "id", "rating", "k", "total_games", *getattr(system, "carries", ())]
    own = getattr(system, "own_error", None)
    if getattr(system, "reckons_time", False):  # less is known of the others by now
        on = ratings.parameters.get("on") or ratings.rows.select(pl.max("on")).item()
        aged = list_on(system, earlier, on)
        if own in ratings.rows.columns:
            aged = _both_errors(aged, earlier, str(own))
        columns.append(own or "error")
        earlier = aged
    if (moved := getattr(system, "moved", None)) is not None:  # an anchor moves everybody
        earlier = replace(earlier, rows=moved(earlier.rows, ratings))
    ids = ratings.rows["id"].drop_nulls().implode()
    names = ratings.rows["player"].implode()
    known = (
        earlier.rows if "id" in earlier.rows.columns else earlier.rows.with_columns(pl.lit(None).alias("id"))
    )
    if "carried" not in known.columns:  # games on file, as the U.S. systems keep them
        known = known.with_columns(pl.lit(None, dtype=pl.String).alias("carried"))
    rest = known.filter(
        (pl.col("rating").is_not_null() | pl.col("carried").is_not_null())
        & ~pl.col("id").is_in(ids).fill_null(False)
        & ~(pl.col("player").is_in(names) & pl.col("id").is_null())
    )
    if "carried" in ratings.rows.columns:  # so the U.S. systems go on with who did not play
        columns += STATE
    kept = [c for c in columns if c in rest.columns and c in ratings.rows.columns]
    others = rest.select(
        *(pl.col(c).cast(ratings.rows.schema[c]) for c in kept),
        pl.col("rating").alias("before"),
        pl.lit(0.0).alias("change"),
        pl.lit(0).cast(ratings.rows.schema["games"]).alias("games"),
    )
    rows = ranked(pl.concat([ratings.rows.drop("rank"), others], how="diagonal_relaxed"))
    return replace(ratings, rows=rows)


def _both_errors(aged: Ratings, earlier: Ratings, own: str) -> Ratings:
    """Return an aged list with the method's own error under its name; that of the rating has grown by as much."""
    players = aged.rows.select(pl.col("player").alias("name"), "id")
    error, before = (
        earlier.lookup(players, name if name in earlier.rows.columns else "error") for name in ("error", own)
    )
    more = (pl.col(own) ** 2 - before.cast(pl.Float64) ** 2).clip(0.0)  # a cap can only have lowered it
    grown = (error.cast(pl.Float64) ** 2 + more).sqrt()
    return replace(aged, rows=aged.rows.rename({"error": own}).with_columns(grown.alias("error")))
