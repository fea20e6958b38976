"""Average error by player, game, event, year, category, turn number or advantage: the result behind `arpad ipr errors`.

After Regan, Macieja and Haworth (2012), section 4. The moves of one game hang together, so standard errors come from the
spread between games.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from arpad.moves.clustered import clustered_means
from arpad.moves.error_labels import STEP, By, era_labels, labels_of
from arpad.moves.resampling import CONFIDENCE, FEWEST

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from arpad.moves.clustered import ClusteredMeans
    from arpad.moves.game_errors import GameErrors

__all__ = ["MEASURES", "ErrorGroups", "figures", "group_errors"]

MEASURES = ("raw", "scaled")
"""Average error in pawns (the paper's R3) and scaled (its SC3)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorGroups:
    """Average error, group by group.

    `rows` has `key` and `label` of each group, with eras also `era`; `games`, `moves`; `raw` and `scaled`, each with its
    standard error and limits (`raw_error`, `raw_low`, `raw_high`); `matched`, the share of moves that were the engine's
    choice; `error_by`, whether the spread between games or, for fewer than five, between moves gave the errors.
    `total` is the same for all moves together, in one row.
    """

    by: By
    rows: pl.DataFrame
    total: pl.DataFrame
    parameters: Mapping[str, Any]
    notes: tuple[str, ...]
    errors: GameErrors

    def table(self) -> pl.DataFrame:
        """Return the groups."""
        return self.rows

    def summary(self) -> str:
        """Return one sentence on what was measured and how."""
        all_ = self.total.row(0, named=True)
        people = self.errors.table["player"].n_unique()
        sure = "" if all_["raw_error"] is None else f" ± {all_['raw_error']:.3f}"
        scaled = "" if all_["scaled_error"] is None else f" ± {all_['scaled_error']:.4f}"
        return (
            f"Average error {all_['raw']:.3f}{sure} pawns, scaled {all_['scaled']:.4f}{scaled}: {all_['moves']:,} "
            f"move{'' if all_['moves'] == 1 else 's'} in {all_['games']:,} game{'' if all_['games'] == 1 else 's'} by "
            f"{people:,} player{'' if people == 1 else 's'} ({self.errors.method}, {self.errors.source})"
        )


def group_errors(
    errors: GameErrors,
    by: By = "player",
    *,
    step: float = STEP,
    eras: Sequence[int] | None = None,
    confidence: float = CONFIDENCE,
) -> ErrorGroups:
    """Return the average error of each group of moves.

    Parameters
    ----------
    by
        What a group is: see `error_labels.By`.
    step
        Pawns of advantage that are taken together.
    eras
        First years of eras, to be told apart in each group; the paper's are `error_labels.ERAS`.

    Examples
    --------
    >>> from arpad.model import Games
    >>> from arpad.moves.average_error import Filters
    >>> from arpad.moves.evaluated import EvaluatedGames
    >>> from arpad.moves.game_errors import measure_errors
    >>> rows = {"game": [0] * 3, "ply": [0, 1, 2], "san": [None, "f3", "e5"], "cp": [13, -60, -50]}
    >>> games = EvaluatedGames.build(Games.build([("A", "B", 0.0)]), rows)
    >>> found = group_errors(measure_errors(games, filters=Filters(first_turn=1)))
    >>> found.rows.select("label", "moves", pl.col("raw").round(2)).rows()
    [('B', 1, 0.1), ('A', 1, 0.73)]
    """
    labels = labels_of(errors, by, step=step)
    keys = ["key", "label"]
    if eras is not None:
        era = era_labels(errors, eras)
        labels = labels.with_columns(era=era["label"], era_key=era["key"])
        keys = ["era_key", "era", *keys]
    filed = labels.select(pl.all_horizontal(pl.col(keys).is_not_null())).to_series()
    inside = errors.table.filter(filed)
    rows = figures(inside, labels.filter(filed).select(keys), confidence=confidence)
    order = ["scaled", "label"] if by == "player" else [k for k in keys if k.endswith("key")]
    return ErrorGroups(
        by=by,
        rows=rows.sort(order, nulls_last=True, maintain_order=True).drop("era_key", strict=False),
        total=figures(errors.table, None, confidence=confidence),
        parameters={
            "by": by,
            **errors.parameters(),
            **({"step": step} if by == "advantage" else {}),
            **({"eras": list(eras)} if eras is not None else {}),
            "confidence": confidence,
        },
        notes=(*errors.notes(), *_notes(rows, by, int((~filed).sum()))),
        errors=errors,
    )


def figures(
    moves: pl.DataFrame, groups: pl.DataFrame | None, *, confidence: float = CONFIDENCE
) -> pl.DataFrame:
    """Return a row a different row of `groups`, with the figures of its moves; None: all moves are one group.

    Parameters
    ----------
    moves, groups
        A row a move each: columns `game`, `raw`, `scaled`, `matched`; and whatever names the groups.
    """
    if groups is None:
        named, code = pl.DataFrame(), np.zeros(moves.height, dtype=np.int64)
    else:
        named = groups.unique(maintain_order=True)
        numbered = named.with_columns(code=pl.int_range(pl.len()))
        joined = groups.join(
            numbered, on=groups.columns, how="left", nulls_equal=True, maintain_order="left"
        )
        code = joined["code"].to_numpy()
    count = 1 if groups is None else named.height
    game = moves["game"].to_numpy()
    means = {
        name: clustered_means(
            moves[name].to_numpy(), code, game, groups=count, confidence=confidence
        )
        for name in MEASURES
    }
    told = moves["matched"].is_not_null().to_numpy()
    share = clustered_means(
        moves["matched"].drop_nulls().to_numpy(), code[told], game[told], groups=count, confidence=confidence
    )  # fmt: skip
    of_all = means["raw"]
    found = pl.DataFrame(
        {
            "games": of_all.games,
            "moves": of_all.moves,
            **{k: v for name, m in means.items() for k, v in _columns(name, m).items()},
            "error_by": pl.Series(
                np.where(of_all.by_games, "games", "moves").tolist(), dtype=pl.String
            ),
            **_columns("matched", share, most=1.0),
        }
    ).with_columns(pl.selectors.float().fill_nan(None))
    return found if groups is None else pl.concat([named, found], how="horizontal")


def _columns(
    name: str, means: ClusteredMeans, *, most: float = np.inf
) -> dict[str, NDArray[np.float64]]:
    """Return a mean with its error and limits; none of these figures can be below 0."""
    return {
        name: means.mean,
        f"{name}_error": means.error,
        f"{name}_low": np.maximum(means.low, 0.0),
        f"{name}_high": np.minimum(means.high, most),
    }


def _notes(rows: pl.DataFrame, by: By, outside: int) -> list[str]:
    """Say what groups leave out, and where errors are too small."""
    notes = []
    if outside:
        why = {"year": "no date", "category": "too few ratings"}.get(by, "no date, or before the first era")  # fmt: skip
        notes.append(f"{outside:,} moves are in no group ({why}): they count in the total only")
    few = int((rows["error_by"] == "moves").sum())
    if few:
        who = "each group" if few == rows.height else f"{few:,} of {rows.height:,} groups"
        notes.append(
            f"fewer than {FEWEST} games in {who}: the error is that of single moves, and what differs from game to game "
            "is not in it"
        )
    return notes
