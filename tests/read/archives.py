"""Archives for tests: a few players, a few months, in any order and spelling."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING

import polars as pl
from hypothesis import strategies as st

if TYPE_CHECKING:
    from pathlib import Path

NAMES = ["Ann", "Bob", "Cid", "Dora", "Eva", "Finn"]


@st.composite
def months(draw, *, ratings: bool = False, most: int = 4):
    """Return frames of months in the order of time; games of a month stand in any order of days."""
    found = []
    for number in draw(st.lists(st.integers(0, 30), min_size=1, max_size=most, unique=True).map(sorted)):  # fmt: skip
        first = dt.date(2014 + number // 12, number % 12 + 1, 1)
        rows = draw(
            st.lists(
                st.tuples(
                    st.permutations(range(len(NAMES))).map(lambda p: p[:2]),
                    st.sampled_from([0.0, 0.5, 1.0]),
                    st.integers(0, 27),
                ),
                min_size=1,
                max_size=15,
            )
        )
        table = {
            "white": [NAMES[pair[0]] for pair, _, _ in rows],
            "black": [NAMES[pair[1]] for pair, _, _ in rows],
            "score": [score for _, score, _ in rows],
            "date": [first + dt.timedelta(days=day) for _, _, day in rows],
        }
        if ratings:  # the same beside every game, so that it does not matter which is the first
            for side in ("white", "black"):
                table[f"{side}_rating"] = [1400.0 + 150 * NAMES.index(n) if NAMES.index(n) % 2 else None for n in table[side]]  # fmt: skip
        floats = {f"{side}_rating": pl.Float64 for side in ("white", "black") if ratings}
        found.append((first, pl.DataFrame(table, schema_overrides=floats)))
    return found


def lay_down(folder: Path, parts, *, hive: bool = True, pieces: int = 1) -> Path:
    """Write months as an archive: a folder a month, or a file a month."""
    for first, table in parts:
        where = folder / f"month={first:%Y-%m}" if hive else folder
        where.mkdir(parents=True, exist_ok=True)
        step = -(-table.height // pieces)
        for piece in range(pieces):
            part = table.slice(piece * step, step)
            part.write_parquet(where / f"games_{first:%Y-%m}_{piece}.parquet", row_group_size=3)
    return folder


def numbered(table: pl.DataFrame) -> pl.DataFrame:
    """The same games with small integers for players."""
    place = pl.col("white", "black").replace_strict(NAMES, list(range(len(NAMES))), return_dtype=pl.Int32)  # fmt: skip
    return table.with_columns(place)
