"""Files as clubs write them: what each holds, and what the broken ones are refused for."""

from __future__ import annotations

import importlib
import io

import pytest
import xlsxwriter

from arpad.errors import FormatError, InputError, UsageError
from arpad.read import Report, read, read_list
from arpad.read.fields import DateOrderError
from arpad.read.headings import HeadingsError
from arpad.read.source import TooLargeError
from tests.read.messy.files import MESSY, ods, told, xlsx, zipped


@pytest.mark.parametrize("messy", MESSY, ids=lambda m: m.name)
def test_messy_files(tmp_path, messy):
    path = tmp_path / messy.name
    path.write_bytes(messy.content)
    reading = read(path, **messy.options)
    assert told(reading.games) == messy.games.strip()
    assert tuple(n.line for n in reading.report.of("skipped")) == messy.skipped


def test_there_are_forty():
    assert len({m.name for m in MESSY}) == len(MESSY) >= 40


def refused(tmp_path, name, content, kind=InputError, **options):
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(kind) as error:
        read(path, **options)
    return error.value


def test_dates_that_may_be_two_days_are_asked_about(tmp_path):
    table = "White,Black,Result,Game Day\nA,B,1,\nA,B,1,03/10/2026\nA,B,1,04/10/2026\n"
    found = refused(tmp_path, "d.csv", table, DateOrderError, columns={"date": "Game Day"}, format="csv")
    assert (found.line, found.column, found.orders) == (3, "Game Day", ("dmy", "mdy"))
    assert found.examples == ["03/10/2026", "04/10/2026"]


def test_dates_of_both_orders_are_asked_about(tmp_path):
    table = "White,Black,Result,Date\nA,B,1,03/10/2026\nA,B,1,25/10/2026\nA,B,1,10/25/2026\n"
    assert refused(tmp_path, "d.csv", table, DateOrderError).line == 2


def test_dates_that_may_begin_with_a_year_are_asked_about(tmp_path):
    table = "White,Black,Result,Date\nA,B,1,26-10-03\nA,B,1,26-10-25\n"
    found = refused(tmp_path, "d.csv", table, DateOrderError)
    assert (found.line, found.orders) == (2, ("dmy", "ymd"))
    assert str(read(tmp_path / "d.csv", dates="ymd").games.table["date"][0]) == "2026-10-03"


def test_two_columns_for_one_thing_are_asked_about(tmp_path):
    table = "Weiß;Schwarz;Ergebnis;Elo Weiß;DWZ Weiß\nA;B;1-0;1800;1750\n"
    found = refused(tmp_path, "e.csv", table, HeadingsError)
    assert found.choices == {"white_rating": ("Elo Weiß", "DWZ Weiß")}
    assert found.proposal == {
        "white": "Weiß",
        "black": "Schwarz",
        "result": "Ergebnis",
        "white_rating": "Elo Weiß",
    }


def test_a_player_and_an_opponent_are_asked_about(tmp_path):
    found = refused(tmp_path, "p.csv", "Spieler;Gegner;Punkte\nA;B;1\n", HeadingsError)
    assert found.missing == ("white", "black", "result")
    assert found.proposal == {"white": "Spieler", "black": "Gegner", "result": "Punkte"}


def test_the_line_to_copy_works(run, tmp_path):
    import shlex

    path = tmp_path / "p.csv"
    path.write_text("Spieler, Name;Gegner;Punkte\nA;B;1\n", "utf-8")
    done = run("rate", path)
    assert done.code == 2
    line = done.err[done.err.index("--columns") :].split(" (arpad")[0]
    assert run("rate", path, *shlex.split(line)).code == 0


def test_the_order_of_dates_is_an_option(run, tmp_path):
    path = tmp_path / "d.csv"
    path.write_text("White,Black,Result,Date\nA,B,1,03/10/2026\n", "utf-8")
    done = run("rate", path)
    assert done.code == 2
    assert "--dates dmy" in done.err
    assert run("rate", path, "--dates", "dmy").code == 0


@pytest.mark.parametrize(("name", "content"), [
    ("empty.xlsx", xlsx({"A": []})),
    ("words.xlsx", xlsx({"A": [["Dear reader"], ["this is", "a letter"]]})),
    ("cut.xlsx", xlsx({"A": [["White", "Black", "Result"], ["A", "B", "1-0"]]})[:-200]),
    ("nothing.zip", zipped({"__MACOSX/x": b"1"})),
    ("letter.zip", zipped({"letter.txt": b"Dear reader,\nthis is a letter.\n"})),
    ("twice.zip", zipped({"in.zip": zipped({"a.csv": b"white,black,result\nA,B,1-0\n"})})),
    ("cut.zip", zipped({"a.csv": b"white,black,result\nA,B,1-0\n" * 99})[:-30]),
    ("bad.ods", ods({"A": [["White", "Black", "Result"]]}).replace(b"content.xml", b"kontent.xml")),
])  # fmt: skip
def test_broken_files_are_refused(tmp_path, name, content):
    found = refused(tmp_path, name, content)
    assert name in str(found.file)
    assert "\n" not in str(found)


def test_a_sheet_that_is_not_there(tmp_path):
    book = xlsx({"A": [["White", "Black", "Result"], ["A", "B", "1-0"]]})
    refused(tmp_path, "s.xlsx", book, UsageError, sheet="B")
    refused(tmp_path, "s.csv", "White,Black,Result\nA,B,1-0\n", UsageError, sheet="B")


def test_a_sheet_that_spans_billions_of_cells(tmp_path):
    out = io.BytesIO()
    book = xlsxwriter.Workbook(out)
    sheet = book.add_worksheet()
    sheet.write(0, 0, "White")
    sheet.write(1_048_575, 16_383, "Black")
    book.close()
    assert "cells" in refused(tmp_path, "wide.xlsx", out.getvalue()).reason
    row = '<table:table-row table:number-rows-repeated="1000000"><table:table-cell office:value-type="string" table:number-columns-repeated="16000"><text:p>x</text:p></table:table-cell></table:table-row>'
    assert "cells" in refused(tmp_path, "wide.ods", ods({"A": [["White"]]}, row)).reason


def test_a_file_that_unpacks_to_too_much(tmp_path, monkeypatch):
    import gzip

    import arpad.read.formats
    import arpad.read.source

    monkeypatch.setattr(arpad.read.formats, "MOST_HELD", 1 << 20)
    monkeypatch.setattr(arpad.read.source.Source.everything, "__defaults__", (1 << 20,))
    much = b"White,Black,Result\n" + b"Anna,Bert,1-0\n" * 100_000
    assert refused(tmp_path, "bomb.zip", zipped({"a.csv": much}), TooLargeError).most == 1 << 20
    assert refused(tmp_path, "bomb.csv.gz", gzip.compress(much), TooLargeError).most == 1 << 20
    path = tmp_path / "plain.csv"
    path.write_bytes(much)
    assert len(read(path).games) == 100_000


@pytest.mark.parametrize("packer", ["gzip", "bz2", "zstandard"])
def test_no_block_of_a_bomb_is_huge(packer):
    """A few kilobytes that unpack to gigabytes must not be unpacked at once."""
    from arpad.read.source import Source

    packed = importlib.import_module(packer).compress(bytes(200 << 20))
    source = Source("bomb", Report(), data=packed)
    assert max(map(len, source.blocks())) < 64 << 20


LISTS = {
    "de.csv": "Name;Elo;Geburtsjahr;Titel;Verband\nMüller, Hans;1650,5;1985;g;GER\n".encode("cp1252"),
    "two-names.csv": "Nachname\tVorname\tDWZ\tGeb.-Datum\tTitel\tFed\nMüller\tHans\t1650,5\t03.10.1985\tGM\tGER\n".encode("utf-16"),
    "cr.csv": 'player,rating,birth,title,federation\r"Müller, Hans",1650.5,1985,GM,GER\r'.encode(),
    "ru.csv": "Имя;Рейтинг;Год рождения;Звание;Страна\nMüller, Hans;1650,5;1985;GM;GER\n".encode("utf-8-sig"),
    "members.xlsx": xlsx({"Mitglieder": [["SK Musterstadt"], ["Nr", "Name", "Elo", "Jahrgang", "Titel", "Land"], [1, "Müller, Hans", 1650.5, 1985, "GM", "GER"]]}),
    "list.zip": zipped({"list.csv": "Name;Elo;Jahrgang;Titel;Land\nMüller, Hans;1650,5;1985;GM;GER\n".encode()}),
}  # fmt: skip


NAMES = {
    "es.csv": "Apellidos,Nombre,Elo,Sexo\nGarcía,Luz,1650,F\n",
    "it.csv": "Nome;Cognome;Elo;Sesso\nLuz;García;1650;F\n",
    "fr.csv": "Nom;Prénom;Elo;Sexe\nGarcía;Luz;1650;Femme\n",
    "columns.txt": "Name            Rating   Sex\nGarcía, Luz     1650     w\n",
}


@pytest.mark.parametrize("name", NAMES)
def test_names_in_two_columns(tmp_path, name):
    path = tmp_path / name
    path.write_text(NAMES[name], "utf-8")
    assert read_list(path).rows.select("player", "rating", "sex").rows() == [("García, Luz", 1650.0, "w")]


def test_two_columns_of_ratings_in_a_members_list_are_asked_about(run, tmp_path):
    path, place = tmp_path / "members.csv", tmp_path / "club.db"
    path.write_text("Name;Elo;DWZ\nAnna;1650;1600\n", "utf-8")
    start = ("list", "start", path, "--date", "2026-09-01", "--db", place)
    done = run(*start)
    assert done.code == 2
    assert "'Elo', 'DWZ'" in done.err
    assert run(*start, "--columns", "rating=DWZ,player=Name").code == 0


@pytest.mark.parametrize("name", LISTS)
def test_lists(tmp_path, name):
    path = tmp_path / name
    path.write_bytes(LISTS[name])
    report = Report()
    (row,) = read_list(path, report=report).rows.to_dicts()
    assert (row["player"], row["rating"], row["title"], row["federation"]) == (
        "Müller, Hans",
        1650.5,
        "GM",
        "GER",
    )
    assert row["birth"] in ("1985", "1985-10-03")
    assert not report.of("skipped")


def test_a_list_with_byes_and_holes(tmp_path):
    path = tmp_path / "l.csv"
    path.write_text("Name;Elo\nAnna;1 650\nspielfrei;\nBert;\n;1700\n", "utf-8")
    report = Report()
    rows = read_list(path, report=report).rows
    assert rows.select("player", "rating").rows() == [("Anna", 1650.0), ("Bert", None)]
    assert [n.line for n in report.of("skipped")] == [5, 3]


def test_ids_of_a_club_are_not_those_of_its_members(tmp_path):
    path = tmp_path / "l.csv"
    path.write_text("ZPS;Name;DWZ;FIDE-ID;Titel\n10101;Müller;1650;4600001;MF\n10101;Meier;1600;;\n", "utf-8")
    rows = read_list(path).rows
    assert rows.select("id", "title").rows() == [("4600001", "FM"), (None, None)]
    path.write_text("ZPS;Name;DWZ\n10101;Müller;1650\n10101;Meier;1600\n", "utf-8")
    report = Report()
    assert read_list(path, report=report).rows["id"].null_count() == 2
    assert len(report.of("noted")) == 1


def test_a_list_that_is_none(tmp_path):
    path = tmp_path / "l.csv"
    path.write_text("Жуков;x\n", "utf-8")
    with pytest.raises(FormatError):
        read_list(path)
    path.write_text("Name;Elo\nAnna;1650\nBert;abc\n", "utf-8")
    with pytest.raises(InputError) as error:
        read_list(path)
    assert error.value.line == 3
