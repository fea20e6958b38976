"""The format is guessed from content; packed files are unpacked; early ends are said."""

from __future__ import annotations

import bz2
import gzip
import io
import sys

import polars as pl
import pytest
import zstandard

from arpad.errors import FormatError, InputError
from arpad.read import read
from arpad.read.formats import guess
from tests.read.samples import FIDE_TXT, FIDE_XML, PGN, PRA, TRF, TRF26_TEAMS, USCF_TEXT

CSV = "white,black,result\nAnn,Bob,1-0\nBob,Cleo,0-1\n"
PARQUET = io.BytesIO()
pl.DataFrame({"white": ["Ann"], "black": ["Bob"], "score": [1.0]}).write_parquet(PARQUET)

SAMPLES = {
    "pgn": PGN.encode(),
    "trf": TRF.encode(),
    "trf26": TRF26_TEAMS.encode(),
    "csv": CSV.encode(),
    "parquet": PARQUET.getvalue(),
    "fide": FIDE_TXT.encode(),
    "fide-xml": FIDE_XML.encode(),
    "pra": PRA.encode(),
    "uscf": USCF_TEXT.encode(),
    "uscf-csv": b"pair,points,pre,r1\n1,1.0,1500,W2\n2,0.0,1400,L1\n",
}
PACK = {
    "plain": lambda b: b,
    "gz": gzip.compress,
    "bz2": bz2.compress,
    "zst": zstandard.compress,
    "zst, two frames": lambda b: zstandard.compress(b[: len(b) // 2]) + zstandard.compress(b[len(b) // 2 :]),
}


@pytest.mark.parametrize("name", SAMPLES)
def test_content_decides_whatever_the_name(name):
    assert guess(SAMPLES[name], "file.dat") == name.split("-")[0].removesuffix("26")
    assert guess(SAMPLES[name], "file.pgn") == name.split("-")[0].removesuffix("26")


@pytest.mark.parametrize("how", PACK)
@pytest.mark.parametrize("name", ["pgn", "trf", "csv", "pra", "uscf"])
def test_packed_files(tmp_path, name, how):
    path = tmp_path / "file"
    path.write_bytes(PACK[how](SAMPLES[name]))
    plain = tmp_path / "plain"
    plain.write_bytes(SAMPLES[name])
    assert read(path).games.table.equals(read(plain).games.table)


@pytest.mark.parametrize("how", ["gz", "bz2", "zst"])
def test_truncated_files_give_what_they_hold_and_say_so(tmp_path, how):
    text = "".join(PGN.replace("Club night", f"Club night {i} {hash(str(i))}") for i in range(3000))
    packed = PACK[how](text.encode())
    path = tmp_path / "cut"
    path.write_bytes(packed[: len(packed) * 2 // 3])
    reading = read(path)
    assert 100 < len(reading.games) < 9000
    assert any("ends too early" in n.reason for n in reading.report.of("repaired"))
    with pytest.raises(InputError, match="ends too early"):
        read(path, strict=True)


@pytest.mark.parametrize("name", ["pgn", "csv", "parquet"])
def test_standard_input(monkeypatch, name):
    class Stdin:
        closed = False
        buffer = io.BufferedReader(io.BytesIO(SAMPLES[name]))

    monkeypatch.setattr(sys, "stdin", Stdin)
    assert len(read("-").games) >= 1


def test_utf_16():
    assert guess(PGN.encode("utf-16"), "x") == "pgn"


@pytest.mark.parametrize(("content", "words"), [
    (b"", "the file is empty"),
    (b" \n\t\n", "only blanks"),
    (bytes(range(256)) * 20, "binary data"),
    (b"\x89PNG\r\n\x1a\n" + b"\0" * 100, "binary data"),
    (b"Dear reader,\nthis is a letter.\n", "no known format"),
])  # fmt: skip
def test_what_is_in_no_format_is_refused(content, words):
    with pytest.raises(FormatError, match=words):
        guess(content, "letter.doc")


def test_the_format_may_be_said():
    with pytest.raises(InputError):
        read("tests/conftest.py", format="trf")
