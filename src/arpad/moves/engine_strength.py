"""Algorithm 3: the strength of the engine itself, from players whose ratings are known.

``r_e = r_i − d_i`` for each player, and the average [Ferreira 2012, 6]. The paper takes an engine that gains
nothing, ever; the engine's own measured distribution of gain may be given instead, which the paper leaves as
future work.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from arpad.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

__all__ = ["EngineStrength", "engine_strength"]


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineStrength:
    """The engine's strength by known ratings and by perceived ones.

    `rows` has a line a player: `player`, `rating`, `perceived`, `difference`, `by_rating`, `by_perceived`.
    """

    rows: pl.DataFrame
    by_rating: float | None
    by_perceived: float | None
    players: int
    """Players with a known rating and a finite difference: those that `by_rating` is the average of."""

    def table(self) -> pl.DataFrame:
        """Return the lines [table 4]."""
        return self.rows


def engine_strength(
    names: Sequence[str],
    rating: ArrayLike,
    difference: ArrayLike,
    *,
    perceived: ArrayLike | None = None,
) -> EngineStrength:
    """Return the engine's strength for players' ratings (NaN: unknown) and differences to the engine.

    Examples
    --------
    >>> found = engine_strength(["Kramnik", "Carlsen"], [2800, 2826], [-69, -74], perceived=[2790, 2774])
    >>> found.by_rating, found.by_perceived
    (2884.5, 2853.5)
    """
    r = np.asarray(rating, dtype=np.float64)
    d = np.asarray(difference, dtype=np.float64)
    own = np.full(len(r), np.nan) if perceived is None else np.asarray(perceived, dtype=np.float64)
    if not len(names) == len(r) == len(d) == len(own):
        raise UsageError("expected as many names, ratings, differences and perceived ratings")
    by_rating, by_perceived = r - d, own - d
    rows = pl.DataFrame(
        {
            "player": list(names),
            "rating": r,
            "perceived": own,
            "difference": d,
            "by_rating": by_rating,
            "by_perceived": by_perceived,
        },
        schema_overrides={"player": pl.String},
    ).with_columns(pl.selectors.float().fill_nan(None))
    return EngineStrength(
        rows=rows,
        by_rating=_mean(by_rating),
        by_perceived=_mean(by_perceived),
        players=int(np.isfinite(by_rating).sum()),
    )


def _mean(values: NDArray[np.float64]) -> float | None:
    finite = values[np.isfinite(values)]
    return float(finite.mean()) if len(finite) else None
