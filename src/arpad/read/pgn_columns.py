"""What the scanner found, as the typed columns that `Collector` takes; doubtful results settled."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import polars as pl

from arpad.read.fields import by_word, rating_number, split_date, split_result
from arpad.read.movetext import mainline
from arpad.read.pgn_scan import ENDINGS, FLAG_MATE, FLAG_OPEN_COMMENT
from arpad.schema import STATUS

if TYPE_CHECKING:
    from arpad.read.report import Report

__all__ = ["Scanned", "decoded", "raw_columns"]

NAMELESS = ("", "?")


@dataclass(frozen=True, slots=True)
class Scanned:
    """The games found in one piece of a file, as columns."""

    data: bytes
    columns: dict[str, pl.Series]
    tags: dict[str, pl.Series]
    lines: int
    escaped: set[str]
    """Tags in which a backslash occurs."""


def raw_columns(piece: Scanned, file: str, report: Report) -> pl.DataFrame:
    """Columns of text to the typed columns that `Collector` takes."""
    lines = piece.columns["line"]
    frame = pl.DataFrame(
        [_text(series, lines, file, report, piece.escaped) for series in piece.tags.values()]
    ).with_columns(piece.columns.values())
    strange = (pl.col("tags") == 0) & (pl.col("plies") == 0)
    for line in frame.filter(strange)["line"]:
        report.add(file, line, "skipped", "text that belongs to no game: no tags, no moves")
    frame = frame.filter(~strange)
    frame = _settle_results(frame, piece.data, file, report)
    frame = frame.with_columns(by_word(frame["Result"], _results))
    for line, result in frame.filter(pl.col("unread")).select("line", "Result").iter_rows():
        report.add(file, line, "skipped", f"expected a result such as 1-0, found {result!r}")
    frame = frame.filter(~pl.col("unread"))
    # "Time forfeit" is a game that was played; these words are what `arpad convert` writes.
    said = pl.col("Termination").str.to_lowercase()
    for word in ("forfeit", "unrated", "unplayed"):
        status = pl.when(said == word).then(pl.lit(word, dtype=STATUS)).otherwise("status")
        frame = frame.with_columns(status.alias("status"))
    frame = frame.with_columns(by_word(frame["Date"], split_date).rename({"unread": "no_date"}))
    for line, text in frame.filter(pl.col("no_date")).select("line", "Date").iter_rows():
        report.add(file, line, "repaired", f"expected a date, found {text!r}: taken as unknown")
    for tag in ("WhiteElo", "BlackElo"):
        text = frame[tag]
        frame = frame.with_columns(by_word(frame[tag], _rating))
        bad = frame[f"{tag}_unread"]
        for line, value in zip(frame["line"].filter(bad), text.filter(bad), strict=True):
            report.add(
                file,
                line,
                "repaired",
                f"expected a rating in {tag}, found {value!r}: taken as unrated",
            )
    return frame.select(
        *[pl.when(~pl.col(t).is_in(NAMELESS)).then(t).alias(t.lower()) for t in ("White", "Black")],
        *[_known("WhiteFideId", "white_id"), _known("BlackFideId", "black_id")],
        *[_known("WhiteTitle", "white_title"), _known("BlackTitle", "black_title")],
        *["score", "black_score", "status"],
        "date",
        "precision",
        *[_known("Event", "event"), _known("Site", "site"), _known("Round", "round")],
        *[pl.col("WhiteElo").alias("white_rating"), pl.col("BlackElo").alias("black_rating")],
        pl.col("plies").cast(pl.Int32),
        pl.when(pl.col("plies") > 0).then("moves").alias("moves"),
        "line",
    )


def _results(words: pl.Series) -> pl.DataFrame:
    return words.to_frame().select(*split_result(words.name))


def _rating(words: pl.Series) -> pl.DataFrame:
    return words.to_frame().select(*rating_number(words.name))


def _known(tag: str, name: str) -> pl.Expr:
    unknown = ("", "?", "-", "0") if name.endswith("_id") else ("", "?", "-")
    return pl.when(~pl.col(tag).is_in(unknown)).then(tag).alias(name)


def _text(
    series: pl.Series, lines: pl.Series, file: str, report: Report, escaped: set[str]
) -> pl.Series:
    """Decode one tag: UTF-8, or Latin-1 where it is not; undo the escapes."""
    try:
        text = series.cast(pl.String)
    except pl.exceptions.PolarsError:  # one value that is not UTF-8 is enough
        text = pl.Series(series.name, [decoded(value) for value in series], dtype=pl.String)
        for line, value, word in zip(lines, series, text, strict=True):
            if value != word.encode():
                why = f"{series.name} is not UTF-8: read as Latin-1, {word!r}"
                report.add(file, line, "noted", why)
    if series.name in escaped:
        text = text.str.replace_all(r'\\(["\\])', "$1")
    return text


def decoded(data: bytes) -> str:
    """Return text from UTF-8 or, if it is not, from Latin-1 (Windows-1252)."""
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return data.decode("cp1252", errors="replace")


def _settle_results(frame: pl.DataFrame, data: bytes, file: str, report: Report) -> pl.DataFrame:
    """Compare the Result tag with the end of the moves and with a mate on the board."""
    tag = pl.col("Result")
    open_tag = tag.is_in(("", "*", "?"))
    ending = pl.col("ending").replace_strict(range(len(ENDINGS)), ENDINGS, return_dtype=pl.String)
    doubtful = frame.with_columns(ending.alias("_end")).filter(
        (pl.col("_end").is_in(("1-0", "0-1", "1/2-1/2")) & (tag != pl.col("_end")))
        | ((pl.col("flags") & (FLAG_MATE | FLAG_OPEN_COMMENT)) > 0)
    )
    if doubtful.is_empty():
        return frame
    mended: dict[int, str] = {}
    for row in doubtful.with_columns(open_tag.alias("_open")).iter_rows(named=True):
        line, stated = row["line"], row["Result"]
        if row["flags"] & FLAG_OPEN_COMMENT:
            report.add(
                file, line, "noted", "a comment { is never closed: moves behind it are not read"
            )
        if row["flags"] & FLAG_MATE and (board := _mated(row, data)) is not None:
            if stated != board:
                why = f"the Result tag says {stated or 'nothing'!r}, but the board shows mate: {board}"
                report.add(file, line, "repaired", why)
                mended[line] = board
        elif row["_end"] in ENDINGS[1:4] and row["_end"] != stated:
            if row["_open"]:
                why = f"the Result tag says {stated or 'nothing'!r}: {row['_end']} taken from the end of the moves"
                report.add(file, line, "repaired", why)
                mended[line] = row["_end"]
            else:
                why = f"the Result tag says {stated!r}, the end of the moves {row['_end']}: the tag is taken"
                report.add(file, line, "noted", why)
    if not mended:
        return frame
    fixed = pl.col("line").replace_strict(
        list(mended), list(mended.values()), default=None, return_dtype=pl.String
    )
    return frame.with_columns(pl.coalesce(fixed, tag).alias("Result"))


def _mated(row: dict[str, Any], data: bytes) -> str | None:
    """Play the game over; return the result if it does end in mate, else None.

    Only games with a mate sign whose result says otherwise come here.
    """
    plies, fen = row["plies"], row["FEN"] or ""
    black_begins = len(fen.split()) > 1 and fen.split()[1] == "b"
    likely = "1-0" if (plies % 2 == 1) != black_begins else "0-1"
    if row["Result"] == likely:
        return likely
    import chess

    text = decoded(data[row["text"] : row["end"]])
    try:
        board = chess.Board(fen or chess.STARTING_FEN)
        for ply in mainline(text)[1]:
            board.push_san(ply.san)
    except ValueError:
        return None
    return board.result() if board.is_checkmate() else None
