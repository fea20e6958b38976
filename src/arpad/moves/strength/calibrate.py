"""Calibrate strength from rated games, for any engine and number of nodes, and measure it on games left out."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from arpad.errors import InputError
from arpad.moves.evaluated_games import read_evaluated
from arpad.moves.positions import is_ordinary_chess, positions
from arpad.moves.strength.engine_values import (
    FIRST_PLY,
    LAST_PLY,
    NODES,
    EngineSource,
    engine_moves,
    read_values,
)
from arpad.moves.strength.features import (
    LOSS_SHAPE,
    SIGHT_SHAPE,
    engine_evidence,
    loss_features,
    loss_outcome,
    sight_features,
    sight_outcome,
)
from arpad.moves.strength.outcome_model import (
    OutcomeModel,
    StrengthCalibration,
    fit_outcomes,
    shipped_calibration,
)
from arpad.moves.strength.posterior import GRID, PAIRING, STEP, Era, GameEffect, Prior, blurred

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

GAMES = 600
"""Games of a calibration: about half an hour for Stockfish on one core."""

LEAST_GAMES, LEAST_PLIES = 60, 30
"""Games that a calibration takes at least, and half-moves that each of them must have."""

BAND = 100
"""Rating points of a band; the games of a calibration are taken evenly from all bands."""

RIDGE = 40.0
EFFECT = GameEffect(exponent=0.8, form=150.0)
FOLDS = 3
FIELD = (1500, 2750)
"""Ratings over which errors are measured, each part of it counting alike."""

SETS = (1, 5, 10, 20)

MARKS = (1500, 1900, 2100, 2200, 2350, 2450, 2600, 2750)
DRIFT = (12, 12, 12, 12, 12, 9, 5, 4)
"""Points a year by which players seem stronger than their ratings, at each mark: docs/methods/strength.md."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StrengthFit:
    """A new calibration, and its errors on games that were left out of the fit in turn."""

    calibration: StrengthCalibration
    errors: pl.DataFrame

    def summary(self) -> str:
        """Return one sentence."""
        about = self.calibration.about
        return (
            f"Calibration from {about['moves']:,} moves in {about['games']:,} games of players rated "
            f"{about['ratings'][0]} to {about['ratings'][1]}: {about['engine']}, {about['nodes']:,} nodes"
        )

    def table(self) -> pl.DataFrame:
        """Return the errors on games left out, a row a size of set; one column for the bias in each band."""
        bands = [f"bias_{a:.0f}" for a in np.linspace(*FIELD, 7)[:-1]]
        wide = pl.col("bias").list.to_struct(fields=bands)
        return self.errors.with_columns(wide).unnest("bias")

    def to_dict(self) -> dict[str, Any]:
        """Return the calibration as `read_calibration` reads it, with its errors."""
        return self.calibration.to_dict() | {"errors": self.errors.to_dicts()}


def calibrate_strength(
    files: str | Path | Sequence[str | Path], *, games: int = GAMES, engine: EngineSource | None = None
) -> StrengthFit:
    """Let an engine look at rated games, and fit how the losses of moves depend on the rating.

    Answers are stored, so that the next call continues where this one stopped. The models for values in the file
    are those that come with arpad.
    """
    source = engine or EngineSource()
    earlier = shipped_calibration()
    moves, who = _rated_moves(files, games, source)
    number = moves["game"].n_unique()
    if number < LEAST_GAMES:
        raise InputError(f"expected {LEAST_GAMES} rated games or more, found {number}")
    part = moves["game"].rank("dense").to_numpy() % FOLDS
    likelihood = np.zeros((len(moves), len(GRID)))
    for fold in range(FOLDS):
        mine = np.flatnonzero(part == fold)
        models = fit_engine(moves.filter(pl.Series(part != fold)))
        likelihood[mine] = engine_evidence(moves[mine], replace(earlier, engine=models))
    people, total = by_game(moves, likelihood)
    about = {
        "date": dt.date.today().isoformat(),
        "engine": who,
        "nodes": source.nodes or NODES,
        "games": number,
        "moves": len(moves),
        "ratings": [int(moves["rating"].min()), int(moves["rating"].max())],  # type: ignore[arg-type]
    }
    made = replace(
        earlier,
        engine=fit_engine(moves),
        engine_effect=EFFECT,
        engine_era=era_of(moves["rating"].to_numpy(), moves["year"].to_numpy()),
        about=about,
    )
    return StrengthFit(calibration=made, errors=errors_of(Evidence.of(people, EFFECT.apply(total))))


def _rated_moves(
    files: str | Path | Sequence[str | Path], most: int, source: EngineSource
) -> tuple[pl.DataFrame, str]:
    """Return the moves of games with what the engine saw, the mover's `rating` and the `year`; and the engine's name."""
    evaluated = read_evaluated(files)
    plies = dict(evaluated.table.group_by("game").agg(pl.col("ply").max()).iter_rows())
    variants = evaluated.starts["variant"].to_list()
    table = evaluated.games.table.with_row_index("game").with_columns(pl.col("game").cast(pl.Int32))
    rated = table.filter(
        pl.col("white_rating").is_not_null()
        & pl.col("black_rating").is_not_null()
        & (pl.col("status") == "played")
    )
    usable = [g for g in rated["game"] if plies.get(g, 0) >= LEAST_PLIES and is_ordinary_chess(variants[g])]
    rated = rated.filter(pl.col("game").is_in(usable))
    if not rated.height:
        raise InputError("expected games with moves and both ratings, found none")
    band = (pl.min_horizontal("white_rating", "black_rating") // BAND).alias("band")
    taken = evenly(rated.with_columns(band), most)
    places = positions(evaluated).filter(
        pl.col("game").is_in(taken)
        & pl.col("ply").is_between(FIRST_PLY, LAST_PLY)
        & pl.col("uci").is_not_null()
        & pl.col("over").is_null()
    )
    values = read_values(places, source)
    rating = pl.when("white").then("white_rating").otherwise("black_rating").cast(pl.Float64).alias("rating")
    known = rated.select(
        "game", "white_rating", "black_rating", pl.col("date").dt.year().cast(pl.Float64).alias("year")
    )
    moves = engine_moves(places, values).join(known, on="game", how="left", maintain_order="left")
    return moves.with_columns(rating).drop("white_rating", "black_rating"), values.engine


def evenly(games: pl.DataFrame, most: int) -> list[int]:
    """Return games, as many of each `band` as there are, and of each evenly over the file."""
    bands = [rows["game"].to_list() for _, rows in games.group_by("band", maintain_order=True)]
    share, left, taken = 0, most, []
    for number, rows in enumerate(sorted(bands, key=len)):
        share = min(len(rows), left // (len(bands) - number))
        left -= share
        taken += [rows[i] for i in np.linspace(0, len(rows) - 1, share).astype(int)] if share else []
    return sorted(taken)


def fit_engine(
    moves: pl.DataFrame, known: StrengthCalibration | None = None, known_moves: float = 0.0
) -> dict[str, OutcomeModel]:
    """Return the models with an engine; an earlier calibration counts as so many moves."""
    rest = moves.filter(~pl.col("chose_best"))
    earlier = dict(known.engine) if known else {}
    parts = {
        "loss": (moves, loss_features(moves), loss_outcome(moves), LOSS_SHAPE),
        "third_played": (rest, sight_features(rest), sight_outcome(rest, "third_played"), SIGHT_SHAPE),
    }
    return {
        name: fit_outcomes(
            features,
            outcome,
            rows["rating"].to_numpy(),
            shape,
            ridge=RIDGE,
            known=earlier.get(name),
            known_moves=known_moves * len(rows) / len(moves),
        )
        for name, (rows, features, outcome, shape) in parts.items()
    }


def era_of(ratings: Floats, years: Floats) -> Era:
    """Return the correction for years of a calibration that was fitted to these moves or games.

    Parameters
    ----------
    years
        NaN where a year is not known. Without any year there is no correction.
    """
    there = np.isfinite(years)
    if not there.any():
        return Era()
    near = np.exp(-0.5 * ((ratings[there, None] - np.array(MARKS)) / 100) ** 2) + 1e-9
    mean = tuple(round(float(y), 1) for y in (near * years[there, None]).sum(axis=0) / near.sum(axis=0))
    return Era(marks=MARKS, years=mean, drift=DRIFT, error=4.0, level=20.0, first=2006, last=2025)


# Errors on games whose players' ratings are known: sets of 1, 5, 10 and 20 games of players of about one rating.


def by_game(moves: pl.DataFrame, likelihood: Floats) -> tuple[pl.DataFrame, Floats]:
    """Return a row a player and game (`game`, `white`, `rating`, `moves`), and its log-likelihood."""
    groups = (
        moves.select("game", "white", "rating")
        .with_row_index("row")
        .group_by("game", "white", maintain_order=True)
        .agg(pl.col("rating").first(), pl.col("row"), pl.len().alias("moves"))
    )
    total = np.array([likelihood[rows.to_numpy()].sum(axis=0) for rows in groups["row"]])
    return groups.drop("row"), total


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """What is known of player-games, a row each: their moves, and, if they count, openings and the opponents' moves.

    Parameters
    ----------
    other
        The row of the opponent; −1 where there is none.
    common
        The standard deviation of what all games have in common.
    """

    rating: Floats
    moves: Floats
    openings: Floats | None = None
    habit: float = 0.0
    other: NDArray[np.int64] | None = None
    common: float = 0.0

    @classmethod
    def of(cls, people: pl.DataFrame, moves: Floats) -> Evidence:
        """Return the evidence of rows from `by_game`, with the opponents' moves."""
        rows = {key: i for i, key in enumerate(people.select("game", "white").iter_rows())}
        other = np.array([rows.get((game, not white), -1) for game, white in rows])
        return cls(rating=people["rating"].to_numpy(), moves=moves, other=other)

    def total(self, members: NDArray[np.int64]) -> Floats:
        """Return the log-likelihood of sets of games (rows), as `arpad.strength` puts it together."""
        total = self.moves[members].sum(axis=1)
        one = self.moves
        if self.openings is not None:
            total += self.openings[members].sum(axis=1) / (1 + (members.shape[1] - 1) * self.habit)
            one = one + self.openings
        if self.other is not None:
            apart, together = PAIRING
            field = Prior().log_density
            said = np.vstack([blurred(one + field, apart) - blurred(field, apart), np.zeros(len(GRID))])
            total += blurred(said[self.other[members]].sum(axis=1), together)
        return blurred(total, self.common) if self.common else total


def draw_sets(
    ratings: Floats, size: int, *, seed: int = 1, count: int = 60
) -> tuple[NDArray[np.int64], Floats]:
    """Return sets of games of players of about one rating, and weights that make the field flat.

    A set of one game is each game by itself; of larger ones `count` are drawn for each fifty points of the field.
    """
    rng = np.random.default_rng(seed)
    reach = 0 if size == 1 else 35
    members, weight = [np.empty((0, size), dtype=np.int64)], [np.empty(0)]
    for low in range(*FIELD, 50):
        near = np.flatnonzero((ratings >= low - reach) & (ratings < low + 50 + reach))
        if not len(near):
            continue
        drawn = [rng.choice(near, size, replace=len(near) < size) for _ in range(count)]
        members.append(near[:, None] if size == 1 else np.array(drawn))
        weight.append(np.full(len(members[-1]), 1 / len(members[-1])))
    w = np.concatenate(weight)
    return np.concatenate(members), w / w.sum()


def errors_of(evidence: Evidence, *, seed: int = 1, sizes: Sequence[int] = SETS) -> pl.DataFrame:
    """Return a row a size of set: `games`, `sets`, `rmse`, `prior_rmse`, `cover80`, `cover95`, `log_score` and `bias` in six bands."""
    rows = []
    for size in sizes:
        members, weight = draw_sets(evidence.rating, size, seed=seed)
        if not len(members):
            raise InputError(f"expected players rated {FIELD[0]} to {FIELD[1]}, found none")
        truth = evidence.rating[members].mean(axis=1)
        log = evidence.total(members) + Prior().log_density
        p = np.exp(log - log.max(axis=1, keepdims=True))
        p /= p.sum(axis=1, keepdims=True)
        error = p @ GRID - truth
        below = np.array(
            [np.interp(t, GRID + STEP / 2, c) for t, c in zip(truth, p.cumsum(axis=1), strict=True)]
        )
        likely = np.array([np.interp(t, GRID, row) for t, row in zip(truth, p, strict=True)])
        inside = [(truth >= a) & (truth < b) for a, b in pairwise(np.linspace(*FIELD, 7))]
        rows.append(
            {
                "games": size,
                "sets": len(truth),
                "rmse": float(np.sqrt(weight @ error**2)),
                "prior_rmse": float(np.sqrt(weight @ (Prior().mean - truth) ** 2)),
                **{
                    f"cover{level}": float(weight @ (np.abs(below - 0.5) <= level / 200))
                    for level in (80, 95)
                },
                "log_score": float(weight @ np.log(likely / STEP + 1e-12)),
                "bias": [float(np.average(error[m], weights=weight[m])) if m.any() else None for m in inside],
            }
        )
    return pl.DataFrame(rows, schema_overrides={"bias": pl.List(pl.Float64)})
