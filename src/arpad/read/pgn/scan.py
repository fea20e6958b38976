"""Headers of a PGN stream, cut into pieces of whole games: the readable reference."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from arpad.errors import InputError
from arpad.files import input_file
from arpad.model import STATUS
from arpad.read.fields import rating_column, read_dates
from arpad.read.pgn.movetext import mainline
from arpad.read.result_words import read_results
from arpad.read.source import read_failures

if TYPE_CHECKING:
    from collections.abc import Iterator

    from arpad.read.source import Report, Source


# Where the games are in a piece of PGN, and what their headers say: the readable reference.
#
# `scan` looks at one piece of a file and finds, for every game in it, the places of the tags that
# arpad uses, about how many plies the main line has, a hash of it, and how it ends. `pgn_kernel.scan`
# does the same at the memory's speed; a property test says that they agree.
#
# The rules, which both follow:
#
# - A tag stands at the start of a line: ``[Name "value"]``. Its value runs to the last quote of the line.
# - A tag begins a new game when moves have come since the last tag, or when it is there already and
#   is `Event` or comes after a blank line. A second copy of a tag within one game is ignored.
# - ``{…}`` comments may span lines; within one, only ``[Event "`` at the start of a line ends the game
#   (the comment was never closed). ``;`` comments run to the end of the line, ``%`` lines are skipped.
# - The main line is what is left without comments, variations (in parentheses) and NAGs. A ply is a
#   word of it that begins with a file or a piece, behind white space or the dot of a move number.
# - The last word says how the game ends; a mate sign just before it, that the board does.

TAGS = (
    *("Event", "Site", "Date", "Round", "White", "Black", "Result", "WhiteElo", "BlackElo"),
    *("WhiteFideId", "BlackFideId", "WhiteTitle", "BlackTitle", "FEN", "Termination"),
    *("Variant", "TimeControl", "BroadcastName", "UTCDate"),
)
ENDINGS = ("", "1-0", "0-1", "1/2-1/2", "*")
FLAG_MATE = 1
FLAG_OPEN_COMMENT = 2
MATE_SUFFIX = 2
"""Letters that may follow the mate sign: ``#!!``."""
WEIGHTS = np.random.default_rng(1960).integers(1, 1 << 57, 256, dtype=np.uint64)
"""The hash of a main line is the sum of the weights of its letters, white space left out.

Two games with the same letters in another order share a hash: as they also share players, date, event,
round and result, they are hardly two games.
"""
TAG_LINE = re.compile(rb'\[([A-Za-z][A-Za-z0-9_]*)[ \t]*"(.*)"')
_TAG_NUMBER = {name.encode(): number for number, name in enumerate(TAGS)}
_SPECIAL = re.compile(rb"\{[^}]*\}?|;[^\n]*|[()]|\$\d*|[^{}();$]+|\}")
_PLY = re.compile(rb"(?<![^\s.])[abcdefghKQRBNPO]")
_ENDING_NUMBER = {text.encode(): number for number, text in enumerate(ENDINGS)}


@dataclass(slots=True)
class Found:
    """One game in a piece of PGN; offsets count from the start of the piece."""

    begin: int
    line: int
    values: list[tuple[int, int]] = field(default_factory=lambda: [(-1, -1)] * len(TAGS))
    text: int = -1
    end: int = 0
    plies: int = 0
    moves: int = 0
    ending: int = 0
    flags: int = 0
    tags: int = 0
    lines: list[bytes] = field(default_factory=list, repr=False)


def scan(data: bytes, line: int = 1) -> list[Found]:
    """Return the games in a piece of PGN that begins and ends where a game does.

    `line`: The number of its first line.
    """
    games: list[Found] = []
    game: Found | None = None
    blank = False
    comment = False
    start = 0
    while start < len(data):
        newline = data.find(b"\n", start)
        stop = len(data) if newline < 0 else newline
        text = data[start:stop]
        tag = TAG_LINE.match(text) if text[:1] == b"[" else None
        if comment and tag is not None and tag[1] == b"Event":
            comment = False
        if tag is not None and not comment:
            number = _TAG_NUMBER.get(tag[1], -1)
            present = game is not None and number >= 0 and game.values[number][0] >= 0
            if game is None or game.text >= 0 or (present and (blank or number == 0)):
                _close(games, game, start)
                game = Found(start, line)
                present = False
            game.tags += 1
            if number >= 0 and not present:
                game.values[number] = (start + tag.start(2), start + tag.end(2))
            blank = False
        elif not comment and text[:1] == b"%":
            pass
        elif not text.strip(b" \t\r\x0b\x0c"):
            blank = True
        else:
            if game is None:
                game = Found(start, line)
            if game.text < 0:
                game.text = start
            game.lines.append(text)
            comment = comment_open(text, comment)
        start = stop + 1
        line += 1
    _close(games, game, len(data))
    return games


def comment_open(text: bytes, comment: bool) -> bool:
    """Say whether a ``{`` comment is open at the end of a line of moves."""
    while True:
        if comment:
            closing = text.find(b"}")
            if closing < 0:
                return True
            text, comment = text[closing + 1 :], False
        opening, rest = text.find(b"{"), text.find(b";")
        if opening < 0 or 0 <= rest < opening:
            return False
        text, comment = text[opening + 1 :], True


def _close(games: list[Found], game: Found | None, end: int) -> None:
    if game is None:
        return
    game.end = end
    if game.lines:
        _read_moves(game)
    games.append(game)


def _read_moves(game: Found) -> None:
    text = b"\n".join(game.lines)
    if any(sign in text for sign in (b"{", b";", b"(", b")", b"$", b"}")):
        text, comment = _main_line(text)
        game.flags |= FLAG_OPEN_COMMENT if comment else 0
    game.plies = len(_PLY.findall(text))
    words = text.split()
    game.ending = _ENDING_NUMBER.get(words[-1], 0) if words else 0
    letters = b"".join(words)
    behind = len(letters) - letters.rfind(b"#") - 1 - len(ENDINGS[game.ending])
    if b"#" in letters and behind <= MATE_SUFFIX:
        game.flags |= FLAG_MATE
    if game.plies:
        game.moves = int(WEIGHTS[np.frombuffer(letters, dtype=np.uint8)].sum())


def _main_line(text: bytes) -> tuple[bytes, bool]:
    """Return the text without comments, variations and NAGs, and whether a comment stays open."""
    depth = 0
    kept: list[bytes] = []
    comment = False
    for token in _SPECIAL.findall(text):
        first = token[:1]
        if first == b"(":
            depth += 1
        elif first == b")":
            depth = max(0, depth - 1)
        elif first == b"{":
            comment = token[-1:] != b"}"
        elif depth == 0 and first not in b";$}":
            kept.append(token)
            continue
        kept.append(b" ")
    return b"".join(kept), comment


# A stream of PGN cut into pieces that begin and end where a game does.

PIECE = 1 << 25
"""Bytes that are scanned at once; a longer game makes a longer piece."""
LONGEST = 1 << 28
"""Bytes in which at least one game has to end."""
BOM = b"\xef\xbb\xbf"
EVENT = b'\n[Event "'
_TAG_BEFORE = re.compile(rb"(?:^|\n)\[[^\n]*\s*$")
_ANY_TAG = re.compile(rb'\n[ \t\r]*\n\[[A-Za-z][A-Za-z0-9_]*[ \t]*"')


def pieces(source: Source, size: int | None = None) -> Iterator[tuple[bytes, int]]:
    """Yield bytes and how many of them are whole games; a byte-order mark is dropped.

    What is behind the whole games comes again at the beginning of the next piece.
    """
    size = PIECE if size is None else size
    head = source.peek()
    old_mac = b"\n" not in head and b"\r" in head
    if source.packed or old_mac or not Path(source.name).is_file():
        yield from _from_stream(source, size, old_mac)
    else:
        yield from _from_file(source.name, size, len(head) - len(head.removeprefix(BOM)))


def _from_file(name: str, size: int, at: int) -> Iterator[tuple[bytes, int]]:
    """Go back to where the first game begins that is not whole: nothing needs to be put together."""
    wanted = size
    with read_failures(name), input_file(name).open("rb", buffering=0) as handle:
        while True:
            handle.seek(at)
            data = handle.read(wanted)
            if len(data) < wanted:
                yield data, len(data)
                return
            end = _boundary(data, size)
            if end:
                yield data, end
            at, wanted = at + end, (size if end else 2 * wanted)
            _check_length(wanted, name)


def _from_stream(source: Source, size: int, old_mac: bool) -> Iterator[tuple[bytes, int]]:
    rest = b""
    first = True
    for block in _filled(source, size):
        if first:
            block, first = block.removeprefix(BOM), False
        data = rest + (block.replace(b"\r", b"\n") if old_mac else block)
        at = _boundary(data, size)
        if at:
            yield data, at
        rest = data[at:]
        _check_length(len(rest), source.name)
    yield rest, len(rest)


def _check_length(length: int, name: str) -> None:
    if length > LONGEST:
        raise InputError(f"expected games, found none that ends within {LONGEST >> 20} MB", file=name)


def _filled(source: Source, size: int) -> Iterator[bytes]:
    """Yield blocks of at least `size` bytes, the last one shorter."""
    waiting: list[bytes] = []
    for block in source.blocks(size):
        waiting.append(block)
        if sum(map(len, waiting)) >= size:
            yield b"".join(waiting)
            waiting = []
    yield b"".join(waiting)


def _boundary(data: bytes, size: int) -> int:
    """Return where the last game begins that surely begins there, or 0.

    That is an Event tag with no other tag just before it: such a line ends even a comment that was
    never closed. Files without Event tags are cut at a tag behind a blank line, once they get long.
    """
    at = data.rfind(EVENT)
    while at > 0:
        if not _TAG_BEFORE.search(data[max(0, at - 2000) : at + 1]):
            return at + 1
        at = data.rfind(EVENT, 0, at)
    if len(data) < 4 * size:
        return 0
    last = 0
    for result in _ANY_TAG.finditer(data, len(data) - size):
        if not _TAG_BEFORE.search(data[max(0, result.start() - 2000) : result.start() + 1]):
            last = data.index(b"[", result.start())
    return last


# What the scanner found, as the typed columns that `Collector` takes; doubtful results settled.

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
    why = "text that belongs to no game: no tags, no moves"
    report.each(file, "skipped", frame.filter(strange)["line"], why)
    frame = frame.filter(~strange)
    frame = _settle_results(frame, piece.data, file, report)
    frame = frame.with_columns(read_results(frame["Result"]))
    unread = frame.filter(pl.col("unread"))
    whys = (f"expected a result such as 1-0, found {result!r}" for result in unread["Result"])
    report.each(file, "skipped", unread["line"], whys, named=True)
    frame = frame.filter(~pl.col("unread"))
    # "Time forfeit" is a game that was played; these words are what `arpad convert` writes.
    said = pl.col("Termination").str.to_lowercase()
    for word in ("forfeit", "unrated", "unplayed"):
        status = pl.when(said == word).then(pl.lit(word, dtype=STATUS)).otherwise("status")
        frame = frame.with_columns(status.alias("status"))
    # Studies by Lichess have no Date tag, only this one.
    frame = frame.with_columns(pl.when(pl.col("Date") == "").then("UTCDate").otherwise("Date").alias("Date"))
    frame = frame.with_columns(read_dates(frame["Date"]).rename({"unread": "no_date"}))
    unread = frame.filter(pl.col("no_date"))
    whys = (f"expected a date, found {text!r}: taken as unknown" for text in unread["Date"])
    report.each(file, "repaired", unread["line"], whys)
    for tag in ("WhiteElo", "BlackElo"):
        frame = rating_column(frame, tag, file, report)
    frame = _broadcasts(frame)
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
        pl.col("Variant").alias("variant"),
        pl.col("TimeControl").alias("time_control"),
        "line",
    )


def _broadcasts(frame: pl.DataFrame) -> pl.DataFrame:
    """Make one event of a broadcast by Lichess, whose Event and Site tags name each game or round."""
    slug = pl.col("Site").str.extract(r"^https?://lichess\.org/broadcast/([^/]+)")
    said = pl.when(pl.col("BroadcastName") != "").then("BroadcastName")
    worded = slug.str.replace_all("-+", " ").str.to_titlecase()
    by_round = pl.when(pl.col("Event").str.contains(r"^Round \d")).then(worded)
    place = pl.when(
        slug.is_not_null() | (said.is_not_null() & pl.col("Site").str.contains(r"^https?://lichess\.org/"))
    )
    return frame.with_columns(
        pl.coalesce(said, by_round, "Event").alias("Event"),
        place.then(pl.coalesce(pl.lit("https://lichess.org/broadcast/") + slug, pl.lit("")))
        .otherwise("Site")
        .alias("Site"),
    )


def _known(tag: str, name: str) -> pl.Expr:
    unknown = ("", "?", "-", "0") if name.endswith("_id") else ("", "?", "-")
    return pl.when(~pl.col(tag).is_in(unknown)).then(tag).alias(name)


def _text(series: pl.Series, lines: pl.Series, file: str, report: Report, escaped: set[str]) -> pl.Series:
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
    repaired: dict[int, str] = {}
    for row in doubtful.with_columns(open_tag.alias("_open")).iter_rows(named=True):
        line, stated = row["line"], row["Result"]
        if row["flags"] & FLAG_OPEN_COMMENT:
            report.add(file, line, "noted", "a comment { is never closed: moves behind it are not read")
        if row["flags"] & FLAG_MATE and (board := _mated(row, data)) is not None:
            if stated != board:
                why = f"the Result tag says {stated or 'nothing'!r}, but the board shows mate: {board}"
                report.add(file, line, "repaired", why)
                repaired[line] = board
        elif row["_end"] in ENDINGS[1:4] and row["_end"] != stated:
            if row["_open"]:
                why = f"the Result tag says {stated or 'nothing'!r}: {row['_end']} taken from the end of the moves"
                report.add(file, line, "repaired", why)
                repaired[line] = row["_end"]
            else:
                why = f"the Result tag says {stated!r}, the end of the moves {row['_end']}: the tag is taken"
                report.add(file, line, "noted", why)
    if not repaired:
        return frame
    fixed = pl.col("line").replace_strict(
        list(repaired), list(repaired.values()), default=None, return_dtype=pl.String
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
