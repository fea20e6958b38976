"""Lists and reports in the language of a club, with its name and logo."""

from __future__ import annotations

import io
import re
import struct
import zlib
from datetime import date

import polars as pl
import pytest
from babel.messages.pofile import read_po
from python_calamine import CalamineWorkbook

from arpad.errors import InputError, UsageError
from arpad.publish.export.rating_list import ListSheet, export_bytes
from arpad.publish.language import CATALOGUES, Language, Letterhead, languages
from arpad.publish.output import PageSection, page

ROWS = pl.DataFrame(
    {
        "rank": [1, 2],
        "name": ["Müller, Hans", "Weber, Jan"],
        "rating": [1650.5, 1428.0],
        "change": [-3.5, 8.0],
        "total_games": [1200, 9],
        "status": ["established", "unlisted: fewer than 4 games"],
    }
)
HEADINGS = {
    "de": ["#", "Name", "Wertungszahl", "Änderung", "insgesamt", "Status"],
    "es": ["#", "Nombre", "Elo", "Variación", "en total", "Estado"],
    "fr": ["#", "Nom", "Elo", "Variation", "au total", "Statut"],
}


def png() -> bytes:
    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    size = struct.pack(">IIBBBBB", 2, 2, 8, 0, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", size)
        + chunk(b"IDAT", zlib.compress(b"\0\0\xff" * 2))
        + chunk(b"IEND", b"")
    )


def sheet(**head) -> ListSheet:
    return ListSheet(
        name="2026-11",
        policy="club",
        time_control="rapid",
        closing=date(2026, 10, 31),
        effective=date(2026, 11, 1),
        face="with corrections 1, 2",
        rows=ROWS,
        letterhead=Letterhead(**head),
    )


def catalogue(code):
    with (CATALOGUES / f"{code}.po").open("rb") as file:
        return read_po(file, locale=code)


@pytest.mark.parametrize("code", [c for c in languages() if c != "en"])
def test_catalogues_are_complete_and_keep_the_values(code):
    own = catalogue(code)
    assert {str(m.id) for m in own if m.id} == {str(m.id) for m in catalogue("de") if m.id}
    for message in own:
        if message.id:
            for text in message.string if isinstance(message.string, tuple) else (message.string,):
                assert text
                pattern = message.id if isinstance(message.id, str) else message.id[1]
                assert set(re.findall(r"{\w+}", text)) == set(re.findall(r"{\w+}", pattern))


@pytest.mark.parametrize("code", HEADINGS)
def test_a_list_in_another_language(code):
    text = export_bytes(sheet(language=Language(code)), "html")[0].decode()
    assert f'<html lang="{code}">' in text
    assert re.findall(r"<th [^>]*>([^<]*)", text) == HEADINGS[code]
    assert "1650,5" in text
    assert "1650.5" not in text
    assert "provisional" not in text
    assert "corrections 1" not in text.replace("les corrections 1", "")


def test_the_words_of_a_german_list():
    german = sheet(language=Language("de"))
    assert german.heading() == "Wertungsliste 2026-11"
    assert (
        german.subtitle()
        == "club · Schnellschach · Turniere bis 31.10.2026 · gültig ab 01.11.2026 · 2 Spieler"
    )
    assert german.mark() == "Zahlen mit den Berichtigungen 1, 2."
    assert "nicht gelistet: weniger als 4 Partien" in export_bytes(german, "html")[0].decode()


@pytest.mark.parametrize("format", ["xlsx", "ods"])
def test_spreadsheets_have_numbers_and_words(format):
    data = export_bytes(sheet(language=Language("fr"), club="Échecs <Lyon>"), format)[0]
    book = CalamineWorkbook.from_filelike(io.BytesIO(data))
    assert book.sheet_names == ["Liste", "Détails"]
    head, first, _ = book.get_sheet_by_index(0).to_python()
    assert head[:4] == ["#", "Nom", "Elo", "Variation"]
    assert first == [1.0, "Müller, Hans", 1650.5, -3.5, 1200.0, "établi"]
    assert ["Club", "Échecs <Lyon>"] in book.get_sheet_by_index(1).to_python()


@pytest.mark.parametrize("format", ["html", "pdf", "xlsx"])
def test_a_logo_and_the_club_stand_on_the_list(format):
    plain = export_bytes(sheet(), format)[0]
    dressed, lost = export_bytes(sheet(club="SK <Muster>", logo=png(), title="Unsere Liste"), format)
    assert len(dressed) > len(plain)
    assert lost == []
    if format == "html":
        text = dressed.decode()
        assert "SK &lt;Muster&gt;" in text
        assert "<h1>Unsere Liste</h1>" in text
        assert 'src="data:image/png;base64,' in text


def test_a_logo_that_is_no_picture(tmp_path):
    with pytest.raises(UsageError):
        Letterhead(logo=b"<svg onload=alert(1)>")
    with pytest.raises(UsageError):
        Letterhead(logo=png() + b"\0" * 2_000_000)
    with pytest.raises(UsageError):
        export_bytes(sheet(logo=png()[:20]), "pdf")
    with pytest.raises(InputError):
        Letterhead.of(logo=str(tmp_path / "none.png"))


def test_a_catalogue_of_ones_own(tmp_path):
    path = tmp_path / "nl.po"
    path.write_text(
        'msgid ""\nmsgstr "Content-Type: text/plain; charset=UTF-8\\n"\n\nmsgid "name"\nmsgstr "Naam"\n',
        "utf-8",
    )
    dutch = Language(str(path))
    assert (dutch("name"), dutch("rating"), dutch.tag) == ("Naam", "rating", "nl")
    for wrong in ("nl", str(tmp_path / "klingonisch.po"), str(tmp_path / "it.po")):
        with pytest.raises((UsageError, InputError)):
            Language(wrong)


def test_letters_that_the_font_lacks_are_named():
    rows = ROWS.with_columns(name=pl.Series(["山田 太郎", "Müller, Hans"]))
    lost = export_bytes(ListSheet(name="a", policy="b", closing=date(2026, 1, 1), rows=rows), "pdf")[1]
    assert len(lost) == 1
    assert "山" in lost[0]
    assert "ü" not in lost[0]


def test_headings_of_a_report():
    table = pl.DataFrame({"name": ["Ann"], "rating": [1650.5]})
    text = page("Open", "", [PageSection("Round 3", table=table)], Language("de"))
    assert "Runde 3" in text
    assert "Wertungszahl" in text
    assert "1650,5" in text
