"""Evaluations laid down for good: Parquet files, sorted by a hash of the position."""

from __future__ import annotations

import io
import os
from hashlib import blake2b
from itertools import repeat
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from arpad.errors import InputError
from arpad.evaluation import evaluation_schema

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from numpy.typing import NDArray

__all__ = ["hashes", "read_hashes", "read_rows", "segments", "with_hashes", "write_segment"]

KEY = ["epd", "searchmoves", "line"]
"""What a row is known by."""


def hashes(epds: Iterable[str], searchmoves: str | Iterable[str] = "") -> NDArray[np.uint64]:
    """Return 64 bits for each position, the same on every machine and for ever.

    Parameters
    ----------
    searchmoves
        The only moves that were looked at: for all of the positions, or for each.

    Examples
    --------
    >>> start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -"
    >>> hashes([start]).tolist() == hashes([start], "e2e4").tolist()
    False
    """
    each = repeat(searchmoves) if isinstance(searchmoves, str) else searchmoves
    digests = [
        blake2b((f"{epd}\t{only}" if only else epd).encode(), digest_size=8).digest()
        for epd, only in zip(epds, each, strict=False)  # one text is repeated without end
    ]
    return np.frombuffer(b"".join(digests), dtype="<u8").astype(np.uint64)


def segments(folder: Path) -> list[Path]:
    """Return the segments of a folder, in the order they were written."""
    return sorted(folder.glob("segment-*.parquet"))


def read_hashes(paths: list[Path]) -> NDArray[np.uint64]:
    """Return the hashes of every position in some segments, sorted, each once."""
    if not paths:
        return np.empty(0, dtype=np.uint64)
    column = _scan(paths).filter(pl.col("line") == 1).select("hash")
    return np.unique(_collect(column, paths)["hash"].to_numpy())


def read_rows(paths: list[Path], wanted: pl.DataFrame) -> pl.DataFrame:
    """Return the rows of what is in `wanted` (hash, epd, searchmoves), in no particular order of positions."""
    if not paths:
        return pl.DataFrame(schema=evaluation_schema())
    asked = wanted.lazy().select(
        "hash", pl.col("epd").alias("asked"), pl.col("searchmoves").alias("only")
    )
    near = _scan(paths).join(asked, on="hash", how="inner", maintain_order="left")
    # A hash alone may deceive.
    same = near.filter(pl.col("epd") == pl.col("asked"), pl.col("searchmoves") == pl.col("only"))
    return _collect(same.drop("hash", "asked", "only"), paths)


def write_segment(folder: Path, rows: pl.DataFrame, replaces: Iterable[Path] = ()) -> Path:
    """Write a segment: there whole or not at all; those it replaces go only then."""
    numbers = [int(p.stem.rpartition("-")[2]) for p in segments(folder)]
    path = folder / f"segment-{max(numbers, default=0) + 1:06d}.parquet"
    beside = folder / f".{path.name}.{os.getpid()}"
    try:
        data = io.BytesIO()  # so that a full disk is said by the system, not by Polars
        rows.write_parquet(data, compression="zstd", statistics=True, row_group_size=1 << 18)
        with beside.open("wb") as file:
            file.write(data.getbuffer())
            file.flush()
            os.fsync(file.fileno())
        beside.replace(path)
        _sync(folder)
    finally:
        beside.unlink(missing_ok=True)
    for old in replaces:
        old.unlink(missing_ok=True)
    return path


def with_hashes(rows: pl.DataFrame) -> pl.DataFrame:
    """Return rows with their hash in front, sorted by it, each row once."""
    keys = rows.select("epd", "searchmoves").unique(maintain_order=True)
    values = hashes(keys["epd"], keys["searchmoves"])
    hashed = keys.with_columns(pl.Series("hash", values, dtype=pl.UInt64))
    joined = rows.join(hashed, on=["epd", "searchmoves"], how="left")
    return (
        joined.select("hash", *evaluation_schema().names())
        .unique(KEY, keep="first", maintain_order=True)
        .sort("hash", "searchmoves", "line", maintain_order=True)
    )


def _scan(paths: list[Path]) -> pl.LazyFrame:
    return pl.scan_parquet([str(p) for p in paths])


def _collect(frame: pl.LazyFrame, paths: list[Path]) -> pl.DataFrame:
    try:
        return frame.collect()
    except pl.exceptions.ComputeError as error:
        raise InputError(
            f"expected evaluations as Parquet; a segment is damaged ({str(error).splitlines()[0]}): move it away and analyse again",
            file=str(paths[0].parent),
        ) from None


def _sync(folder: Path) -> None:
    """Make the name of a new file last, too."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
