"""Which formats there are, and which one a file is in: judged by content, not only by name."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from arpad.errors import FormatError

__all__ = ["FORMATS", "Format", "FormatName", "guess"]

FormatName = Literal["pgn", "trf", "csv", "parquet", "fide", "pra", "uscf"]


@dataclass(frozen=True, slots=True)
class Format:
    """One file format."""

    name: FormatName
    title: str
    endings: tuple[str, ...]
    writes: bool
    note: str


FORMATS: dict[str, Format] = {
    f.name: f
    for f in (
        Format("pgn", "Portable Game Notation", (".pgn",), True, "games with headers and moves; written without moves"),
        Format("trf", "FIDE tournament report", (".trf", ".trfx", ".trf16", ".trf26"), True, "TRF16 and TRF26 read, TRF16 written"),
        Format("csv", "Table of games, text", (".csv", ".tsv"), True, "columns named as below, or mapped with --columns"),
        Format("parquet", "Table of games, Parquet", (".parquet", ".pq"), True, "the same columns"),
        Format("fide", "FIDE rating list", (".txt", ".xml"), False, "fixed-width TXT of any year, XML; given with --before"),
        Format("pra", "PRA Tournament App text", (".pra",), True, "one event; a missing rating is written -"),
        Format("uscf", "USCF crosstable", (".txt", ".csv"), False, "the federation's text, or CSV with pair, pre, r1, …"),
    )
}  # fmt: skip

_ENDINGS: dict[str, FormatName] = {}
for _format in FORMATS.values():
    for _ending in _format.endings:
        _ENDINGS.setdefault(_ending, _format.name)  # .csv is a table before it is a crosstable
del _ENDINGS[".txt"]
_PACKED = re.compile(r"\.(gz|bz2|zst)$")
_HELP = "expected one of: " + ", ".join(f.title for f in FORMATS.values())


def guess(head: bytes, name: str) -> FormatName:
    """Return the format of a file from its first bytes.

    Parameters
    ----------
    head
        The first 64 kB, unpacked.
    name
        The file's name; it decides only where the content leaves a choice.
    """
    if not head:
        raise FormatError(f"the file is empty; {_HELP}", file=name)
    if head[:4] == b"PAR1":
        return "parquet"
    text = _text(head, name)
    lines = [line.strip() for line in text.split("\n") if line.strip()]
    if not lines:
        raise FormatError(f"the file holds nothing but blanks; {_HELP}", file=name)
    by_content = _by_content(lines, text)
    if by_content:
        return by_content
    ending = "." + _PACKED.sub("", name.lower()).rsplit(".", 1)[-1]
    if ending in _ENDINGS:
        return _ENDINGS[ending]
    raise FormatError(
        f"the content is in no known format (it begins {lines[0][:40]!r}); {_HELP}; "
        "arpad formats tells more",
        file=name,
    )


def _text(head: bytes, name: str) -> str:
    if odd_text := _odd_text(head):
        raise FormatError(f"expected text in UTF-8, found {odd_text}: save it as UTF-8", file=name)
    if head[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return head.decode("utf-16", errors="replace").lstrip("\ufeff")
    odd = sum(byte < 9 or 13 < byte < 26 or 27 < byte < 32 for byte in head)
    if b"\0" in head or odd > len(head) // 50:
        raise FormatError(
            f"expected text or Parquet, found binary data (first bytes {head[:8].hex(' ')}); {_HELP}",
            file=name,
        )
    return (
        head.decode("utf-8", errors="replace")
        .lstrip("\ufeff")
        .replace("\r\n", "\n")
        .replace("\r", "\n")
    )


def _odd_text(head: bytes) -> str | None:
    """Return what text is in if no reader takes it: letters as four bytes each, or as two without a mark."""
    if head[:4] in (b"\xff\xfe\0\0", b"\0\0\xfe\xff"):
        return "UTF-32"
    pairs = head[: len(head) // 2 * 2]
    for zeros, letters in ((pairs[1::2], pairs[::2]), (pairs[::2], pairs[1::2])):
        if len(zeros) > 1 and not any(zeros) and all(letters):
            return "UTF-16 without its mark"
    return None


def _by_content(lines: list[str], text: str) -> FormatName | None:  # noqa: PLR0911 - one a format
    first = lines[0]
    if first.startswith("<") and re.search(r"<(playerslist|player|fideid)\b", text, re.IGNORECASE):
        return "fide"
    if any(re.search(r"\bID[ _]NUMBER\b.*\bNAME\b", line, re.IGNORECASE) for line in lines[:20]):
        return "fide"
    if any(re.match(r"(001 [ \d]{4}|012 |XX[CR] |###)", line) for line in lines[:200]):
        return "trf"
    if any(re.match(r'\[[A-Za-z]\w*\s*"', line) for line in lines[:200]):
        return "pgn"
    if first.lower().startswith("pair,") or re.search(r"\n\s*\d+ \|[^|\n]*\|\s*\d", "\n" + text):
        return "uscf"
    if (
        len(lines) > 4
        and re.fullmatch(r"\d+", lines[1])
        and re.match(r"(\d+(\.\d+)?|-)\s+\S", lines[3])
    ):
        return "pra"
    if re.search(r"[,;\t|]", first) and re.search(
        r"white|black|score|result", first, re.IGNORECASE
    ):
        return "csv"
    if re.match(r"\s*1\.\s*[a-hKQRBNO]", first):
        return "pgn"
    return None
