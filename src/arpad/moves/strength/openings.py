"""What the choice of opening says of a rating: which moves of the first plies who plays.

The table was counted in rated games. Each move of a known position has, at a few ratings, the logarithm of how
much more often players of that rating choose it than all players. Any other move has the entry ``*``.
"""

from __future__ import annotations

import json
import zlib
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from arpad.errors import InputError
from arpad.moves.strength.posterior import GRID

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

SHIPPED = "openings.json"
KNOTS = (1500.0, 1800.0, 2100.0, 2400.0, 2700.0)
"""Ratings at which the table has figures; straight lines between them, flat outside."""

WIDTH = 200.0
"""Rating points within which games inform a knot, one standard deviation."""

DOUBT = 10.0
"""Games of the overall mixture that are added to what was counted at a knot."""

UNIT = 50
"""Figures are whole numbers: this many make 1."""

OTHER = "*"


@dataclass(frozen=True, slots=True)
class OpeningTable:
    """Figures by position and move.

    Parameters
    ----------
    plies
        Plies from the beginning that the table covers.
    exponent
        How much of the likelihood counts, as games of later years have shown.
    """

    plies: int
    exponent: float
    figures: Mapping[str, Mapping[str, list[int]]] = field(repr=False)

    def evidence(self, places: pl.DataFrame) -> dict[tuple[int, bool], Floats]:
        """Return the log-likelihood on the grid of each game and side (`True`: White) that made a known move.

        Parameters
        ----------
        places
            Rows with `game`, `ply`, `epd` and `uci`, as `positions` gives them.
        """
        found: dict[tuple[int, bool], Floats] = {}
        early = places.filter((pl.col("ply") < self.plies) & pl.col("uci").is_not_null())
        for game, epd, uci in early.select("game", "epd", "uci").iter_rows():
            known = self.figures.get(_key(epd))
            if known is not None:
                row = np.array(known.get(uci, known[OTHER]), dtype=np.float64)
                side = (int(game), epd.split(" ")[1] == "w")
                found[side] = found.get(side, 0.0) + row
        scale = self.exponent / UNIT
        return {side: scale * np.interp(GRID, KNOTS, row) for side, row in found.items()}

    def to_dict(self) -> dict[str, Any]:
        """Return the table as plain values."""
        return {"form": 1, "plies": self.plies, "exponent": self.exponent, "positions": dict(self.figures)}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> OpeningTable:
        """Return the table that `to_dict` described."""
        try:
            return cls(int(values["plies"]), float(values["exponent"]), values["positions"])
        except (KeyError, TypeError, ValueError) as error:
            raise InputError(f"expected a table of openings, found {error!r}") from None


@cache
def shipped_openings() -> OpeningTable:
    """Return the table that comes with arpad."""
    text = files("arpad.moves.strength").joinpath(SHIPPED).read_text(encoding="utf-8")
    return OpeningTable.from_dict(json.loads(text))


def count_openings(
    places: pl.DataFrame, *, plies: int = 16, visits: int = 25, least: int = 6, exponent: float = 0.7
) -> OpeningTable:
    """Return the table of rated games.

    Parameters
    ----------
    places
        Rows with `ply`, `epd`, `uci` and `rating` (of who moves).
    visits, least
        Games in which a position, and a move of it, must have been played.
    """
    early = places.filter((pl.col("ply") < plies) & pl.col("uci").is_not_null())
    weight = np.exp(-0.5 * ((early["rating"].to_numpy()[:, None] - np.array(KNOTS)) / WIDTH) ** 2)
    weight /= weight.sum(axis=1, keepdims=True)
    at = [f"k{i}" for i in range(len(KNOTS))]
    moves = early.select("epd", "uci", *(pl.Series(name, weight[:, i]) for i, name in enumerate(at)))
    seen = moves.group_by("epd").agg(pl.len().alias("visits")).filter(pl.col("visits") >= visits)
    counts = (
        moves.join(seen, on="epd")
        .group_by("epd", "uci")
        .agg(pl.len().alias("played"), *(pl.col(name).sum() for name in at))
        .sort("epd", "uci")
    )
    figures: dict[str, dict[str, list[int]]] = {}
    for (epd,), rows in counts.group_by(["epd"], maintain_order=True):
        here = rows.select(at).to_numpy()
        played = rows["played"].to_numpy()
        often = played >= least
        numbers = np.vstack([here[often], here[~often].sum(axis=0)])
        total = np.append(played[often], played[~often].sum())
        share = (total + 0.5) / (total.sum() + 0.5 * len(total))
        chance = (numbers + DOUBT * share[:, None]) / (numbers.sum(axis=0) + DOUBT)
        figure = np.rint(UNIT * np.log(chance / share[:, None])).astype(int)
        names = [*rows["uci"].to_numpy()[often], OTHER]
        figures[_key(str(epd))] = {name: row.tolist() for name, row in zip(names, figure, strict=True)}
    return OpeningTable(plies, exponent, figures)


def _key(epd: str) -> str:
    return f"{zlib.crc32(epd.encode()):08x}"
