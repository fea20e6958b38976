"""Bytes from a file, whatever it is packed in, and the report of what was skipped or repaired."""

from __future__ import annotations

import bz2
import codecs
import io
import re
import sys
import unicodedata
import zlib
from collections import Counter
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import chain, repeat
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, cast
from warnings import warn

from arpad.errors import DroppedRowsWarning, InputError, StrictError, counted, place
from arpad.files import input_file

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from arpad.read.fields import Selection


BLOCK = 1 << 22
PACKED_BLOCK, PACKED_PIECE = 1 << 18, 1 << 10
"""Smaller: what is packed well grows a hundredfold when it is unpacked."""
STDIN = "-"
TRUNCATED = "the compressed file ends too early: what could be unpacked was read, the rest is lost"
MOST_HELD = 1 << 30
"""Bytes that may come out of a packed file which is read as a whole: a few kilobytes can hold terabytes."""


class TooLargeError(InputError):
    """More than `most` bytes come out of a packed file: they may not be held in memory."""

    def __init__(self, file: str, most: int) -> None:
        self.most = most
        super().__init__(
            f"more than {most / (1 << 20):,.0f} MiB come out of this packed file: unpack it, or take it apart",
            file=file,
        )


@dataclass(slots=True)
class Source:
    """One input, opened once and read in blocks of unpacked bytes.

    Parameters
    ----------
    name
        A path, or ``-`` for standard input.
    report
        Where an early end is noted.
    """

    name: str
    report: Report
    data: bytes | None = None
    """The bytes themselves, where they come out of a file of files."""
    packed: bool = field(default=False, init=False)
    """Whether the bytes had to be unpacked; known after the first bytes."""
    _size: int = field(default=BLOCK, init=False)
    _waiting: bytes = field(default=b"", init=False)
    _blocks: Iterator[bytes] | None = field(default=None, init=False)

    @property
    def is_stream(self) -> bool:
        """Say whether this is standard input."""
        return self.name == STDIN

    @property
    def is_plain_file(self) -> bool:
        """Say whether the bytes stand in a file of this name as they are; known behind `peek`."""
        return self.data is None and not self.packed and not self.is_stream and Path(self.name).is_file()

    def peek(self, size: int = 1 << 16) -> bytes:
        """Return the first unpacked bytes without consuming them."""
        while len(self._waiting) < size:
            block = next(self._raw(), b"")
            if not block:
                break
            self._waiting += block
        return self._waiting[:size]

    def blocks(self, size: int = BLOCK) -> Iterator[bytes]:
        """Yield the unpacked bytes, block by block; of plain files, `size` bytes at once."""
        self._size = size
        if self._waiting:
            waiting, self._waiting = self._waiting, b""
            yield waiting
        yield from self._raw()

    def everything(self, most: int = MOST_HELD) -> bytes:
        """Return all unpacked bytes.

        `most`: So many may come out of a packed file; a plain one has the size that its owner sees.
        """
        parts, size = [], 0
        for block in self.blocks():
            parts.append(block)
            size += len(block)
            if size > most and not self.is_plain_file:
                raise TooLargeError(self.name, most)
        return b"".join(parts)

    def kept(self) -> Source:
        """Return the same input from its beginning: a spreadsheet is looked at more than once."""
        if self.data is None:
            self.data = self.everything()
        return Source(self.name, self.report, self.data)

    def _raw(self) -> Iterator[bytes]:
        if self._blocks is None:
            self._blocks = self._in_utf8(self._unpack())
        return self._blocks

    def _unpack(self) -> Iterator[bytes]:
        with read_failures(self.name), self._open() as handle:
            head = handle.read(4)  # standard input cannot seek back
            unpacker = next((make for magic, make in _UNPACKERS if head.startswith(magic)), None)
            if unpacker is None:
                yield from chain([head], iter(lambda: handle.read(self._size), b""))
                return
            self.packed = True
            some = False
            try:
                for block in _unpacked(chain([head], iter(lambda: handle.read(PACKED_BLOCK), b"")), unpacker):
                    some = True
                    yield block
            except EOFError:
                if not some:
                    raise InputError(
                        "the compressed file is damaged or ends too early: nothing could be unpacked",
                        file=self.name,
                    ) from None
                self.report.add(self.name, None, "repaired", TRUNCATED)

    def _in_utf8(self, blocks: Iterator[bytes]) -> Iterator[bytes]:
        """Yield text in letters of two or four bytes as UTF-8; anything else as it is."""
        first = b""
        while len(first) < 1 << 12 and (block := next(blocks, b"")):
            first += block
        encoding = wide_encoding(first)
        if encoding is None:
            yield from chain([first], blocks)
            return
        self.packed = True
        decoder = codecs.getincrementaldecoder(encoding)(errors="replace")
        for block in chain([first], blocks):
            yield decoder.decode(block).encode(errors="replace")

    def _open(self) -> io.BufferedIOBase:
        if self.data is not None:
            return io.BytesIO(self.data)
        if self.is_stream:
            if sys.stdin is None or sys.stdin.closed:
                raise InputError("standard input is closed, or was read already", file=self.name)
            return cast("io.BufferedReader", sys.stdin.buffer)
        return input_file(self.name).open("rb")


@contextmanager
def read_failures(name: str) -> Iterator[None]:
    """Turn what the operating system says of a file into one clear sentence."""
    try:
        yield
    except FileNotFoundError:
        raise InputError("expected a file, found nothing there: check the name", file=name) from None
    except IsADirectoryError:
        raise InputError(
            f"expected a file, found a folder: name the files in it, for example {name.rstrip('/')}/*.pgn",
            file=name,
        ) from None
    except PermissionError:
        raise InputError(
            "no permission to read this file: change its mode, or run as its owner", file=name
        ) from None
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror or error}", file=name) from None


def _unpacked(chunks: Iterable[bytes], make: Callable[[], Any]) -> Iterator[bytes]:
    """Unpack member after member; EOFError where the last one has no end, or is damaged.

    The libraries' own file objects would lose what came before an early end, or say nothing of it.
    """
    unpacker = make()
    for packed in (
        chunk[at : at + PACKED_PIECE] for chunk in chunks for at in range(0, len(chunk), PACKED_PIECE)
    ):
        while packed:
            if unpacker.eof:
                unpacker = make()
            try:
                for block in _blocks(unpacker, packed):
                    if block:
                        yield block
            except Exception as error:  # each library has its own; all mean the same
                raise EOFError(str(error)) from error
            packed = unpacker.unused_data if unpacker.eof else b""
    if not unpacker.eof:
        raise EOFError


def _blocks(unpacker: Any, packed: bytes) -> Iterator[bytes]:
    """Unpack a few kilobytes into blocks that are never huge; of these libraries only bz2 needs a limit."""
    if not isinstance(unpacker, bz2.BZ2Decompressor):
        yield unpacker.decompress(packed)
        return
    yield unpacker.decompress(packed, PACKED_BLOCK)
    while not (unpacker.eof or unpacker.needs_input):
        yield unpacker.decompress(b"", PACKED_BLOCK)


def _gzip() -> Any:
    return zlib.decompressobj(wbits=31)


def _zstd() -> Any:
    import zstandard

    return zstandard.ZstdDecompressor().decompressobj()


_UNPACKERS: tuple[tuple[bytes, Callable[[], Any]], ...] = (
    (b"\x1f\x8b", _gzip),
    (b"BZh", bz2.BZ2Decompressor),
    (b"\x28\xb5\x2f\xfd", _zstd),
)


def decode(data: bytes, name: str, report: Report) -> str:
    """Return text from UTF-8 (with or without BOM) or, line by line, from a code page.

    Every line ends in a line feed, whatever it ends in in the file.
    """
    return _decoded(data, name, report).replace("\r\n", "\n").replace("\r", "\n")


def _decoded(data: bytes, name: str, report: Report) -> str:
    data = data.removeprefix(b"\xef\xbb\xbf").removesuffix(b"\x1a")  # BOM; the end mark of DOS
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        pass
    lines = data.splitlines(keepends=True)
    odd = [n for n, line in enumerate(lines, start=1) if not _is_utf8(line)]
    page = _code_page(lines[n - 1] for n in odd)
    for n in odd:
        lines[n - 1] = lines[n - 1].decode(page, errors="replace").encode()
    more = f", and {counted(len(odd) - 1, 'more line')}" if len(odd) > 1 else ""
    report.add(name, odd[0], "noted", f"not UTF-8: read as {_PAGES[page]}{more}")
    return b"".join(lines).decode()


def wide_encoding(data: bytes) -> str | None:
    """Return the encoding of text in letters of two or four bytes, with its mark or without; None for other text.

    Examples
    --------
    >>> wide_encoding("Белые;Чёрные".encode("utf-16-be")), wide_encoding("Белые".encode())
    ('utf-16-be', None)
    """
    if data[:4] in (b"\xff\xfe\0\0", b"\0\0\xfe\xff"):
        return "utf-32"
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return "utf-16"
    head = data[: min(len(data), 1 << 12) // 2 * 2]
    even, odd = head[::2].count(0), head[1::2].count(0)
    for zeros, others, name in ((odd, even, "utf-16-le"), (even, odd, "utf-16-be")):
        if zeros > len(head) // 40 and not others:  # separators and digits have one in any language
            return name
    return None


_PAGES = {
    "cp1252": "Latin-1 (Windows-1252)",
    "cp1250": "Windows-1250",
    "cp1254": "Windows-1254 (Turkish)",
    "cp850": "code page 850 (DOS)",
    "mac_roman": "Mac Roman",
    "iso8859-2": "Latin-2 (ISO 8859-2)",
    "cp852": "code page 852 (DOS)",
    "cp1257": "Windows-1257 (Baltic)",
    "cp1251": "Windows-1251 (Cyrillic)",
    "koi8-r": "KOI8-R (Cyrillic)",
    "koi8-u": "KOI8-U (Cyrillic)",
    "cp866": "code page 866 (DOS, Cyrillic)",
    "mac_cyrillic": "Mac Cyrillic",
    "cp1253": "Windows-1253 (Greek)",
    "iso8859-7": "ISO 8859-7 (Greek)",
    "iso8859-5": "ISO 8859-5 (Cyrillic)",
}
"""Code pages that clubs have; where two fit equally well, the first of them is taken."""
_ALPHABETS = [
    frozenset(letters + letters.upper())
    for letters in (
        *("äöüßé", "àâçéèêëîïôùûüœæ", "áéíñóúüºª", "ãáâàçéêíóôõú", "àèéìòùí", "éëïöüè", "æøåéöü", "åäöéü"),
        *("ąćęłńóśźż", "áčďéěíňóřšťúůýžäľĺŕô", "áéíóöőúüű", "čćđšž", "ăâîșțşţ", "çğıöşüâî", "áðéíóúýþæö"),
        *("āčēģīķļņšūž", "ąčęėįšųūž", "äöõüšž", "абвгдежзийклмнопрстуфхцчшщъыьэюяё"),
        *("абвгдежзийклмнопрстуфхцчшщьюяєіїґ'", "абвгдђежзијклљмнњопрстћуфхцчџш"),
        "αβγδεζηθικλμνξοπρσςτυφχψωάέήίόύώϊϋ",
    )
]
"""Letters beyond ASCII that the names of one language have."""
_SIGNS = frozenset("½¼¾–—„“”‚‘’«»‹›°§€£…·•\u00a0")
_SAMPLE = 1000
"""Words by which a code page is recognised."""


def _code_page(lines: Iterable[bytes]) -> str:
    """Return the code page in which the words of some lines look most like those of one language."""
    words = re.findall(rb"[A-Za-z]*[\x80-\xff][A-Za-z\x80-\xff]*", b"\n".join(lines))[:_SAMPLE]
    data = b"\n".join(words)
    return max(_PAGES, key=lambda page: _likeness(data.decode(page, errors="replace")))


def _likeness(text: str) -> float:
    """Return how many letters belong to the language that has most of them, less what no language has.

    An international event has names of many languages: half of the count is made word by word.
    """
    words = text.split("\n")
    foreign = [[letter for letter in word if not letter.isascii()] for word in words]
    seen = Counter(chain.from_iterable(foreign))
    by_word = sum(max(sum(map(own.__contains__, word)) for own in _ALPHABETS) for word in foreign)
    at_once = max(sum(n for letter, n in seen.items() if letter in own) for own in _ALPHABETS)
    known = 0.5 * (by_word + at_once)
    letters = sum(n for letter, n in seen.items() if letter.isalpha())
    signs = sum(n for letter, n in seen.items() if letter in _SIGNS)
    capitals = len(re.findall(r"(?<=[^\W\d_A-ZÀ-ÞŠŽŒЀ-Я])[A-ZÀ-ÞŠŽŒЀ-Я]", text))
    inside = len(re.findall(r"(?<=[^\W\d_])[^\w\s](?=[^\W\d_])", text))
    mixed = len(re.findall(r"[A-Za-z][Ͱ-ӿ]|[Ͱ-ӿ][A-Za-z]", text))  # Greek, Cyrillic
    small = len(re.findall(r"(?m)^[à-ÿ]", text))  # names begin with capitals
    return (
        known
        + seen["½"]
        + 0.5 * (letters - known)
        - 2 * (seen.total() - letters - signs)
        - 2 * (capitals + inside + mixed)
        - small / 2
        - 0.5 * sum(map(_hard_to_say, words))
    )


_VOWELS = frozenset("aeiouyæœøıаеёиоуыэюяєіїαεηιουω")


def _hard_to_say(word: str) -> int:
    """Return how many letters beyond ASCII are a vowel between vowels, or a consonant between consonants."""
    plain = [unicodedata.normalize("NFD", letter)[0] for letter in word.lower()]
    kinds = [letter in _VOWELS if letter.isalpha() else None for letter in plain]
    return sum(
        not word[at].isascii() and kinds[at - 1] == kinds[at] == kinds[at + 1] and kinds[at] is not None
        for at in range(1, len(word) - 1)
    )


def _is_utf8(line: bytes) -> bool:
    try:
        line.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


# What was skipped or repaired while reading, where and why.

REPEATED = "the same game as"
"""Beginning of the reason for a game that the file has already."""
Action = Literal["skipped", "repaired", "noted"]
MOST_NOTES = 200_000
"""Notes that are listed: nobody reads more, and the rows of a gigabyte may all be skipped."""


@dataclass(frozen=True, slots=True)
class Note:
    """One record that was skipped, repaired or doubtful.

    skipped    the record is not among the games;
    repaired   it is, with one field put right or left out;
    noted      it is, unchanged, but somebody should look.
    """

    file: str
    line: int | None
    action: Action
    reason: str
    named: bool = False
    """A skipped record that names two players: a game is lost."""

    def __str__(self) -> str:
        return f"{place(self.file, self.line)}{self.action}: {self.reason}"

    def as_dict(self) -> dict[str, object]:
        """Return the note as plain values."""
        return {"file": self.file, "line": self.line, "action": self.action, "reason": self.reason}


@dataclass(slots=True)
class Report:
    """A growing list of notes; with `strict`, the first skip or repair is an error."""

    strict: bool = False
    notes: list[Note] = field(default_factory=list)
    selection: Selection | None = None
    """Filter of games; None for all."""
    left_out: Counter[str] = field(default_factory=Counter)
    """Number of games that were filtered out, by reason."""
    unlisted: Counter[Action] = field(default_factory=Counter)
    """Number of notes beyond the first `MOST_NOTES`, which are only counted."""

    def add(self, file: str, line: int | None, action: Action, reason: str, *, named: bool = False) -> None:
        """Keep one note, or raise it when `strict`."""
        if self.strict and action != "noted":
            raise StrictError(f"{reason} ({action} unless strict)", file=file, line=line)
        if len(self.notes) < MOST_NOTES:
            self.notes.append(Note(file, line, action, reason, named))
        else:
            self.unlisted[action] += 1

    def each(
        self,
        file: str,
        action: Action,
        lines: Iterable[int | None],
        reasons: str | Iterable[str],
        *,
        named: Iterable[bool] | bool = False,
    ) -> None:
        """Keep a note for each of some lines."""
        whys = repeat(reasons) if isinstance(reasons, str) else reasons
        told = repeat(named) if isinstance(named, bool) else named
        for line, why, lost in zip(lines, whys, told, strict=False):
            self.add(file, line, action, why, named=lost)

    def of(self, action: Action) -> list[Note]:
        """Return the notes of one kind."""
        return [n for n in self.notes if n.action == action]

    def counts(self) -> dict[str, int]:
        """Return how many records were skipped, repaired and noted."""
        result = Counter(n.action for n in self.notes) + self.unlisted
        return {kind: result[kind] for kind in ("skipped", "repaired", "noted")}

    def by_action(self) -> dict[str, list[dict[str, object]]]:
        """Return the notes by kind as JSON has them."""
        kinds: tuple[Action, ...] = ("skipped", "repaired", "noted")
        return {kind: [note.as_dict() for note in self.of(kind)] for kind in kinds}

    def warn(self) -> None:
        """Raise a Python warning for the records that were skipped."""
        if skipped := self.of("skipped"):
            warn(DroppedRowsWarning(skipped), stacklevel=3)

    def __len__(self) -> int:
        return len(self.notes) + self.unlisted.total()
