"""The file formats, which one a file is in by its content, and the files in a zip file."""

from __future__ import annotations

import io
import re
import zipfile
import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from arpad.errors import FormatError, InputError
from arpad.read.fide_list import HEADING, is_headless
from arpad.read.plain_text import is_written_out
from arpad.read.source import MOST_HELD, Report, Source, TooLargeError, wide_encoding
from arpad.read.text_table import aligned, is_headings

if TYPE_CHECKING:
    from collections.abc import Iterator


FormatName = Literal[
    "pgn", "trf", "csv", "parquet", "xlsx", "ods", "xls", "html", "docx", "zip", "fide", "pra", "uscf"
]


@dataclass(frozen=True, slots=True)
class FileFormat:
    """One file format."""

    name: FormatName
    title: str
    endings: tuple[str, ...]
    writes: bool
    note: str


_FORMATS = """
pgn|Portable Game Notation|.pgn|writes|games with headers and moves; written without moves
trf|FIDE tournament report|.trf .trfx .trf16 .trf26|writes|TRF16 and TRF26; written as it was read, or as trf16 or trf26
csv|Table of games, text|.csv .tsv|writes|columns named as below, or mapped with --columns
parquet|Table of games, Parquet|.parquet .pq|writes|the same columns
xlsx|Spreadsheet, Excel|.xlsx .xlsm||every sheet with games, or one (--sheet)
ods|Spreadsheet, OpenDocument|.ods||the same
xls|Spreadsheet, Excel 97|.xls||the same; Excel's XML of 2003, too
html|Web page|.html .htm||every table with games
docx|Text document, Word|.docx||the same
zip|Files in a zip file|.zip||each file inside is read by itself
fide|FIDE rating list|.txt .xml||fixed-width TXT of any year, XML; given with --before
pra|PRA Tournament App text|.pra|writes|one event; a missing rating is written -
uscf|USCF crosstable|.txt .csv||the federation's text, or CSV with pair, pre, r1, …
"""
FORMATS: dict[str, FileFormat] = {
    name: FileFormat(name, title, tuple(endings.split()), writes=bool(writes), note=note)  # type: ignore[arg-type]
    for name, title, endings, writes, note in (row.split("|") for row in _FORMATS.strip().splitlines())
}
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
    if wide := wide_encoding(head):
        head = head.decode(wide, errors="replace").encode(errors="replace")
    if head[:4] == b"PAR1":
        return "parquet"
    for mark, why in _USELESS.items():
        if re.match(mark, head, re.DOTALL):
            raise FormatError(why, file=name)
    if (folder := _folder(head)) is not None:
        return folder
    text = _text(head, name)
    lines = [line.strip() for line in text.split("\n") if line.strip()]
    if not lines:
        raise FormatError(f"the file has only blanks; {_HELP}", file=name)
    by_content = _by_content(lines, text)
    if by_content:
        return by_content
    ending = "." + _PACKED.sub("", name.lower()).rsplit(".", 1)[-1]
    if ending in _ENDINGS:
        return _ENDINGS[ending]
    raise FormatError(
        f"the content is in no known format (it begins {lines[0][:40]!r}); {_HELP}; arpad formats lists them",
        file=name,
    )


def _folder(head: bytes) -> FormatName | None:
    """Return what a file of files is, from its first bytes."""
    if head[:8] == b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1":
        return "xls"
    if head[:4] not in (b"PK\x03\x04", b"PK\x05\x06"):
        return None
    if b"mimetypeapplication/vnd.oasis.opendocument.spreadsheet" in head[:200]:
        return "ods"
    first = head[30 : 30 + int.from_bytes(head[26:28], "little")]
    if not first.startswith((b"[Content_Types].xml", b"_rels/", b"xl/", b"docProps/", b"word/")):
        return "zip"
    return "docx" if b"word/" in head and b"xl/" not in head else "xlsx"


def _text(head: bytes, name: str) -> str:
    odd = sum(byte < 9 or 13 < byte < 26 or 27 < byte < 32 for byte in head)
    if b"\0" in head or odd > len(head) // 50:
        raise FormatError(
            f"expected text or Parquet, found binary data (first bytes {head[:8].hex(' ')}); {_HELP}",
            file=name,
        )
    return head.decode("utf-8", errors="replace").lstrip("\ufeff").replace("\r\n", "\n").replace("\r", "\n")


_TAGS: dict[FormatName, str] = {
    "xls": r"urn:schemas-microsoft-com:office:spreadsheet",
    "html": r"<table\b",
    "fide": r"<(playerslist|player|fideid)\b",
}
_USELESS = {
    rb"%PDF-": "a PDF: ask for the table itself, as Excel, CSV or a web page",
    rb"PK.*Index/.*\.iwa": "a document of Apple Numbers: export it as Excel or as CSV",
}


def _by_content(lines: list[str], text: str) -> FormatName | None:  # noqa: C901, PLR0911 - one a format
    first = lines[0]
    for kind, mark in _TAGS.items():
        if first.startswith("<") and re.search(mark, text, re.IGNORECASE):
            return kind
    if any(HEADING.match(line) for line in lines[:20]) or is_headless(lines[:20]):
        return "fide"
    if any(re.match(r"(001 [ \d]{4}|012 |XX[CR] |###)", line) for line in lines[:200]):
        return "trf"
    if any(re.match(r'\[[A-Za-z]\w*\s*"', line) for line in lines[:200]):
        return "pgn"
    if re.match(r"pair,(.*,)?(pre|r1)(,|$)", first.lower()) or re.search(
        r"\n\s*\d+ \|[^|\n]*\|\s*\d", "\n" + text
    ):
        return "uscf"
    if len(lines) > 4 and re.fullmatch(r"\d+", lines[1]) and re.match(r"(\d+(\.\d+)?|-)\s+\S", lines[3]):
        return "pra"
    if re.search(r"[,;\t|]", first) and re.search(r"white|black|score|result", first, re.IGNORECASE):
        return "csv"
    if any(is_headings(re.split(r"\s*[,;\t|]\s*", line)) for line in lines[:20]) or aligned(text):
        return "csv"
    if is_written_out(lines[:60]):
        return "csv"
    return "pgn" if re.match(r"\s*1\.\s*[a-hKQRBNO]", first) else None


# Files in a zip file: each is read as if it stood alone; bombs are refused on the way.

MOST_MEMBERS = 10_000
"""Files in one zip file; a spreadsheet has some dozens, a season some hundreds."""
_ZIP_BLOCK = 1 << 18
_ZIP_MAGIC = b"PK"
_ZIP_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA)


def opened(name: str, report: Report, *, every: bool = True) -> Iterator[Source]:
    """Yield the source of a file, or those of the files in a zip file, in the order of their names.

    `every`: Yield files in no known format, too; else they are noted, unless there are no others.
    """
    source = Source(name, report)
    head = source.peek()
    if head[:2] != _ZIP_MAGIC or guess(head, name) != "zip":
        yield source
        return
    left = MOST_HELD
    some = False
    unknown: FormatError | None = None
    with members(source.everything(), name) as folder:
        for member in sorted(folder.infolist(), key=lambda m: m.filename):
            if member.is_dir() or _is_litter(member.filename):
                continue
            data = b"".join(unpacked(folder, member, name, left))
            left -= len(data)
            inside = f"{name}/{member.filename}"
            if data[:2] == _ZIP_MAGIC and guess(data, inside) == "zip":
                raise InputError("a zip file in a zip file: take the inner one out", file=inside)
            if not every:
                try:
                    guess(Source(inside, Report(), data).peek(), inside)
                except FormatError as error:
                    report.add(inside, None, "noted", f"not read: {error.reason.split(';')[0]}")
                    unknown = unknown or error
                    continue
            some = True
            yield Source(inside, report, data)
    if unknown is not None and not some:
        raise unknown
    if not some:
        raise InputError("expected files in the zip file, found none", file=name)


def members(data: bytes, name: str) -> zipfile.ZipFile:
    """Return a zip file that is whole and has not too many files."""
    try:
        folder = zipfile.ZipFile(io.BytesIO(data))
        count = len(folder.infolist())
    except (zipfile.BadZipFile, ValueError, OSError, NotImplementedError, IndexError) as error:
        raise InputError(f"the file is damaged or ends too early ({error})", file=name) from None
    if count > MOST_MEMBERS:
        raise InputError(f"expected at most {MOST_MEMBERS:,} files inside, found {count:,}", file=name)
    return folder


def unpacked(folder: zipfile.ZipFile, member: zipfile.ZipInfo, name: str, most: int) -> Iterator[bytes]:
    """Yield the bytes of one file in a zip file; more than `most` are refused, whatever it says of itself."""
    inside = f"{name}/{member.filename}"
    if member.flag_bits & 1:
        raise InputError("the file is encrypted: save it without a password", file=inside)
    if member.compress_type not in _ZIP_METHODS:
        raise InputError("the file is packed in a way that is not known: pack it again", file=inside)
    size = 0
    try:
        with folder.open(member) as handle:
            while block := handle.read(_ZIP_BLOCK):
                size += len(block)
                if size > most:
                    raise TooLargeError(name, MOST_HELD)
                yield block
    except (zipfile.BadZipFile, zlib.error, OSError, EOFError, ValueError, NotImplementedError) as error:
        raise InputError(f"the file is damaged ({error})", file=inside) from None


def _is_litter(name: str) -> bool:
    """Say whether a file inside is one that a system puts beside the files of people."""
    last = name.rsplit("/", 1)[-1]
    return name.startswith("__MACOSX/") or last.startswith(".") or last in ("Thumbs.db", "desktop.ini")
