"""What a person should know about a list beside the list: who was not found, what is doubtful."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import polars as pl

from arpad.errors import InputError
from arpad.model import Ratings, ranked
from arpad.rate.form_list import list_on
from arpad.rate.glicko import Glicko
from arpad.rate.glicko2 import Glicko2
from arpad.rate.pra import Pra, PraBasic
from arpad.rate.pra_list import list_moved
from arpad.rate.stephenson import Stephenson

if TYPE_CHECKING:
    from collections.abc import Iterator

    from arpad.rate import RatingSystem
    from arpad.read import Reading

__all__ = ["remarks", "with_others"]

NAMED = 5
STATE = ("error", "carried", "on_file", "imputed", "imputed_by", "fide", "birth")
TOO_MUCH = 700.0
"""K × games in a period above which a rating overshoots [FIDE B.02 8.3.3]."""


def remarks(
    system: RatingSystem,
    reading: Reading,
    earlier: Ratings | None,
    before: str | None,
    ratings: Ratings,
) -> Iterator[str]:
    """Yield sentences for stderr; refuse a list on which nobody has a rating."""
    from arpad.rate import Elo, Fide
    from arpad.rate.bcf import Bcf
    from arpad.rate.elo_book import EloBook
    from arpad.rate.uscf1993 import Uscf1993
    from arpad.rate.uscf1994 import Uscf1994

    games = reading.games
    yield from ratings.source.get("notes", ())
    if isinstance(system, Uscf1994 | Uscf1993):
        unrated = int((ratings.rows["status"] == "unrated").sum())
        if unrated:
            yield f"{unrated:,} unrated with fewer than four games: kept on file, in the column carried of CSV and JSON"
    elif ratings.rows["rating"].null_count() == ratings.rows.height:
        files = ", ".join(file for file, _ in reading.files)
        if isinstance(system, EloBook):
            raise InputError(
                f"nobody here has played the {system.least_games} games that a first rating needs: "
                "--option least_games=1 rates everybody",
                file=files,
            )
        raise InputError(
            f"nobody here has a rating, so that nobody can be rated by {system.name}"
            + (f" without {system.minimum} games" if isinstance(system, Bcf) else "")
            + ": give a list with --before, or use --system elo",
            file=files,
        )
    if earlier is not None:
        # Ratings.lookup passes over who has no rating; that one is on the list all the same.
        listed = replace(earlier, rows=earlier.rows.with_columns(pl.col("rating").fill_null(0)))
        unknown = games.players.filter(listed.lookup(games.players).is_null())["name"].to_list()
        if unknown:
            some = ", ".join(unknown[:NAMED]) + (", …" if len(unknown) > NAMED else "")
            yield f"{len(unknown):,} of {games.players.height:,} players are not in {before}: {some}"
    if isinstance(system, Elo):
        strain, who = system.strain(games)
        if strain > TOO_MUCH:
            yield (
                f"K × games in one {system.period} comes to {strain:,.0f} for {who}: above about "
                f"{TOO_MUCH:g} ratings overshoot; take a smaller --k or a shorter --period"
            )
    days = games.table["date"].drop_nulls().to_list()
    last = max(days).isoformat() if days else None
    if isinstance(system, Fide) and last is not None and last < system.rules.since:
        yield (
            f"the rules in force since {system.rules.since} are applied to games up to {last}: --rules names "
            "older ones"
        )


def with_others(ratings: Ratings, earlier: Ratings, system: RatingSystem) -> Ratings:
    """Return the list with everybody of the earlier one who is not on it."""
    columns = ["player", "id", "rating", "k", "total_games"]
    if isinstance(system, Glicko | Glicko2 | Stephenson):  # less is known of the others by now
        earlier = list_on(system, earlier, ratings.parameters["on"])
        columns += ["error", "volatility", "last", "on"]
    if isinstance(system, Pra | PraBasic):  # the anchor moves everybody
        earlier = list_moved(earlier, ratings)
        columns += ["boosting"]
    ids = ratings.rows["id"].drop_nulls().implode()
    names = ratings.rows["player"].implode()
    known = (
        earlier.rows
        if "id" in earlier.rows.columns
        else earlier.rows.with_columns(pl.lit(None).alias("id"))
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
