"""Damaged files of every format: an answer, or an error that is ours; nothing else, and no hang.

``ARPAD_MUTANTS=5000`` makes more of them; the same number makes the same files each time.
"""

from __future__ import annotations

import os
import random
import zlib

import pytest

from arpad.errors import ArpadError
from arpad.read import read, read_list
from tests.read.messy.files import MESSY, ods, trf, xlsx, zipped
from tests.read.messy.test_clubs import BARE, EXCEL_2003, FREE, PAGE, SIDE, WORD
from tests.read.samples import FIDE_TXT, PGN, PRA, TRF, USCF_TEXT

MUTANTS = int(os.environ.get("ARPAD_MUTANTS", "500"))
SHEET = [["Weiß", "Schwarz", "Ergebnis", "Datum"], ["Anna", "Bert", "1:0", "03.10.2026"]]
BY_NAME = {m.name: m.content for m in MESSY}
SEEDS = {
    "games.csv": BY_NAME["headings-de.csv"] + BY_NAME["byes-en.csv"],
    "quotes.csv": BY_NAME["line-ends-mixed.csv"],
    "results.csv": BY_NAME["results-words.csv"],
    "dates.csv": BY_NAME["dates-words.csv"],
    "utf-16.csv": BY_NAME["utf-16.csv"],
    "list.csv": "Name;Elo;Geburtsjahr\nMüller;1650,5;1985\nMeier;1 700;1.2.1990\n".encode("cp1252"),
    "uscf.csv": b"pair,points,pre,r1\n1,1.0,1500,W2\n2,0.0,1400,L1\n",
    "swiss.csv": "Nr;Name;Elo;1;2;Pkt\n1;Ann;1650,5;2w1;3s½;1½\n2;Bob;;1s0;bye;1\n3;Cem;;-;1w½;½\n".encode(),
    "grid.csv": "Name,1,2,3\nAnn,x,1,½½\nBob,0,x,+\nCem,½½,-,x\n".encode(),
    "uscf.txt": USCF_TEXT.encode(),
    "event.trf": TRF.encode() + trf(9, "spielfrei", 0, "0.0", "   1 b 0").encode(),
    "event.pgn": PGN.encode() + BY_NAME["byes.pgn"],
    "event.pra": PRA.encode(),
    "fide.txt": FIDE_TXT.encode(),
    "book.xlsx": xlsx({"A": SHEET, "B": SHEET}),
    "book.ods": ods({"A": SHEET}),
    "page.html": PAGE.encode(),
    "night.docx": zipped({"[Content_Types].xml": b"<x/>", "word/document.xml": WORD.encode()}),
    "old.xml": EXCEL_2003.encode(),
    "free.txt": FREE.encode("cp1252"),
    "bare.csv": "\n".join(";".join(row) for row in BARE).encode(),
    "side.csv": SIDE.encode(),
    "marks.csv": "Weiß;Schwarz;1-0;½;0-1\nAlt;Bau;x;;\nCem;Dorn;;;x\n".encode("cp850"),
    "files.zip": zipped({"a.csv": BY_NAME["cr-only.csv"], "b.xlsx": xlsx({"A": SHEET})}),
}
BITS = (b"\r", b"\n", b'"', b"\0", b";", b",", b"\t", b"-", b"9" * 30, b"\xff", b"\x1a", "½".encode(), b"1/2", b"BYE", b"<", b"=")  # fmt: skip


def mutant(data: bytes, rng: random.Random) -> bytes:
    """Return a file with some of its bytes replaced, cut out, doubled or put in."""
    out = bytearray(data)
    for _ in range(rng.randint(1, 6)):
        at, size = rng.randrange(len(out) + 1), rng.randint(0, 12)
        kind = rng.randrange(5)
        if kind == 0:
            out[at : at + size] = rng.randbytes(size)
        elif kind == 1:
            out[at:at] = rng.choice(BITS)
        elif kind == 2:
            del out[at : at + 5 * size]
        elif kind == 3:
            out[at:at] = out[rng.randrange(len(out) + 1) :][: 10 * size]
        else:
            out[at : at + 1] = rng.choice(BITS)
    return bytes(out)


@pytest.mark.parametrize("name", SEEDS)
def test_mutants(tmp_path, name):
    rng = random.Random(zlib.crc32(name.encode()))
    path = tmp_path / name
    for number in range(MUTANTS // len(SEEDS)):
        data = mutant(SEEDS[name], rng)
        path.write_bytes(data)
        for reader in (read, read_list):
            try:
                found = reader(path)
            except ArpadError as error:
                assert "\n" not in str(error)  # noqa: PT017 - either outcome is right, this not
                continue
            except BaseException as error:
                error.add_note(f"mutant {number} of {name}: {data[:300]!r}")
                raise
            if reader is read:
                table = found.games.table
                played = table.filter(table["status"] == "played")
                assert played["black"].null_count() == 0
                assert (played["white"] != played["black"]).all()
