"""The ratings that stand beside the games, as a system: what a federation published at the time."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

import numpy as np
import polars as pl

from arpad.errors import UsageError
from arpad.model import Ratings
from arpad.scale import Curve, Logistic

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from arpad.model import Games

    Array = NDArray[np.float64]

__all__ = ["Published"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Published:
    """Ratings as published: nothing is computed, a game is foretold from the two beside it.

    A game without both is not foretold.
    """

    name: ClassVar[str] = "published"
    curve: Curve = field(default_factory=Logistic)

    def parameters(self) -> dict[str, object]:
        """Return every constant by name."""
        return self.curve.parameters()

    def rate(self, games: Games, before: Ratings | None = None) -> Ratings:  # noqa: ARG002
        """Return the last rating beside a game of each player."""
        played = games.rateable()
        sides = [
            played.select(pl.col(s).alias("row"), pl.col(f"{s}_rating").alias("rating"))
            for s in ("white", "black")
        ]
        both = pl.concat([side.with_row_index("at") for side in sides]).sort("at")
        last = both.group_by("row").agg(pl.col("rating").drop_nulls().last(), pl.len().alias("games"))  # fmt: skip
        names = games.players.with_row_index("row").select(pl.col("row").cast(pl.Int32), player="name", id="id")  # fmt: skip
        rows = names.join(last, on="row", maintain_order="left").drop("row")
        return Ratings.rank(rows, system=self.name, parameters=self.parameters(), games=games)

    def foretell(self, games: Games, first: NDArray[np.int64]) -> tuple[Array, Array]:  # noqa: ARG002
        """Return the difference of the two ratings beside each game, and what the curve makes of it."""
        white, black = (
            games.table[f"{side}_rating"].cast(pl.Float64).fill_null(np.nan).to_numpy()
            for side in ("white", "black")
        )
        D = np.where(np.isfinite(white) & np.isfinite(black), white - black, np.nan)
        known = ~np.isnan(D)
        if not known.any():
            raise UsageError("no game has the ratings of both players beside it")
        expected = np.full(len(D), np.nan)
        expected[known] = self.curve.expected(D[known])
        return D, expected
