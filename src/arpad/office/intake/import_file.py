"""One file on its way into the ledger: its bytes' hash, its format, whose ids it has, its content."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

from arpad.errors import InputError
from arpad.office.intake.batch import batch_of
from arpad.office.intake.given_list import GivenList, given_list
from arpad.read import read
from arpad.read.fide_list import ROWS, RatingList, read_fide_list
from arpad.read.formats import FormatName, guess
from arpad.read.pgn import read_pgn_and
from arpad.read.rating_list import ratings_csv
from arpad.read.report import Report
from arpad.read.source import Source, read_failures

if TYPE_CHECKING:
    from collections.abc import Mapping

    from arpad.office.intake.batch import Batch, Settings

__all__ = ["Incoming", "incoming", "sha256_of"]

BLOCK = 1 << 22
SCHEMES = {"pgn": "fide", "trf": "fide", "fide": "fide", "uscf": "uscf"}
"""Whose ids a format has; tables and the PRA text have the club's own, unless a column says fide."""

LOCAL = "local"


@dataclass(frozen=True, slots=True, kw_only=True)
class Incoming:
    """What was read of one file."""

    file: str
    """Its name, without folder."""
    sha256: str
    format: str
    batch: Batch
    given: GivenList | None
    """The list, if the file is one: players, and no games."""
    report: Report


def incoming(
    path: str,
    *,
    settings: Settings,
    format: FormatName | None = None,
    columns: Mapping[str, str] | None = None,
    strict: bool = False,
    called: str | None = None,
) -> Incoming:
    """Read one file; what cannot be used is in the report, and refused if `strict`.

    Parameters
    ----------
    called
        The file's name, where its path does not say it: an upload.
    """
    report = Report(strict=strict)
    file = called or Path(path).name
    digest = sha256_of(path)
    source = Source(path, report)
    head = source.peek()
    if format is None and columns is None and _is_list(head):
        kind, rows = "list", _list_rows(source)
        given = given_list(rows, scheme=settings.ids or LOCAL, settings=settings)
        return Incoming(
            file=file, sha256=digest, format=kind, batch=given.batch, given=given, report=report
        )
    known = format or (None if columns else guess(head, path))
    if known == "fide":
        given = given_list(read_fide_list(source), scheme=settings.ids or "fide", settings=settings)
        return Incoming(
            file=file, sha256=digest, format="fide", batch=given.batch, given=given, report=report
        )
    lines = None
    if known == "pgn":
        games, lines, _ = read_pgn_and(source, None)
        kind = "pgn"
    else:
        reading = read([path], format=known, columns=columns, strict=strict)
        games, kind, report = reading.games, reading.files[0][1], reading.report
    if not len(games):
        skipped = report.of("skipped")
        first = f"; first skipped: {skipped[0]}" if skipped else ""
        raise InputError(f"expected games, found none{first}", file=path)
    scheme = settings.ids or SCHEMES.get(kind) or _scheme(path, head, columns)
    batch = batch_of(games, file=file, scheme=scheme, settings=settings)
    if lines is not None:  # where the moves of a game are found again; rows are in the file's order
        batch = replace(batch, games=batch.games.with_columns(lines.alias("line")))
    return Incoming(file=file, sha256=digest, format=kind, batch=batch, given=None, report=report)


def sha256_of(path: str) -> str:
    """Return the hash of a file's bytes."""
    digest = hashlib.sha256()
    with read_failures(path), Path(path).open("rb") as handle:
        while block := handle.read(BLOCK):
            digest.update(block)
    return digest.hexdigest()


def _is_list(head: bytes) -> bool:
    """Say whether a table holds ratings of players, not games."""
    first = head.decode("utf-8", errors="replace").lstrip("\ufeff").split("\n", 1)[0].lower()
    names = {cell.strip() for cell in first.split(",")}
    return "rating" in names and bool({"player", "name"} & names) and "white" not in names


def _list_rows(source: Source) -> RatingList:
    rows = ratings_csv(source).rows.rename({"player": "name"})
    rows = rows.filter(pl.col("name").is_not_null() | pl.col("id").is_not_null())
    named = pl.coalesce("name", pl.format("#{}", "id"))
    missing = [pl.lit(None).alias(name) for name in ROWS if name not in rows.columns]
    return RatingList(
        rows.with_columns(named.alias("name"), *missing).select(
            pl.col(name).cast(kind, strict=False) for name, kind in ROWS.items()
        )
    )


def _scheme(path: str, head: bytes, columns: Mapping[str, str] | None) -> str:
    """Return whose ids a table has: FIDE's, if the name of their column says so."""
    if head[:4] == b"PAR1":
        try:
            names = pl.scan_parquet(path, glob=False).collect_schema().names()
        except (pl.exceptions.PolarsError, OSError):
            names = []
    else:
        names = [head.decode("utf-8", errors="replace").split("\n", 1)[0]]
    told = columns or {}
    asked = [told[c] for c in ("white_id", "black_id") if c in told]
    text = " ".join(asked or names).lower()
    return "fide" if re.search(r"fide[_ ]?id", text) else LOCAL
