"""Files that clubs of two dozen countries have: tables side by side, marks, code pages, languages."""

from __future__ import annotations

import pytest

from arpad.errors import InputError
from arpad.read import read, read_list
from arpad.read.headings import HeadingsError
from tests.read.messy.files import told, xlsx, zipped

SIDE = """Runde 1;;;;Runde 2;;;
Brett;Weiß;Erg;Schwarz;Brett;Weiß;Erg;Schwarz
1;Alt;1-0;Bau;1;Alt;½-½;Cem
2;Cem;0-1;Dorn;2;Bau;1-0;Dorn
"""
SIDE_GAMES = """Alt - Bau 1 played r1
Cem - Dorn 0 played r1
Alt - Cem 0.5 played r2
Bau - Dorn 1 played r2"""
FILES = {
    "side.csv": (SIDE, SIDE_GAMES),
    "side-blank.csv": (
        "White,Black,Result,,White,Black,Result\nAnn,Bob,1-0,,Ann,Cy,1/2\nCy,Dan,0-1,,,,\n",
        "Ann - Bob 1 played\nCy - Dan 0 played\nAnn - Cy 0.5 played",
    ),
    "side-days.csv": (
        "Datum;3.10.2026;;;10.10.2026;;\n;Weiß;Schwarz;Erg;Weiß;Schwarz;Erg\n;Alt;Bau;1-0;Bau;Alt;0-1\n",
        "Alt - Bau 1 played 2026-10-03\nBau - Alt 0 played 2026-10-10",
    ),
    "marks.csv": (
        "Runde;Weiß;Schwarz;1-0;½;0-1\n1;Alt;Bau;x;;\n1;Cem;Dorn;;;x\n2;Alt;Cem;;x;\n2;Bau;Dorn;;;\n",
        "Alt - Bau 1 played r1\nCem - Dorn 0 played r1\nAlt - Cem 0.5 played r2\nBau - Dorn ? unplayed r2",
    ),
    "check-boxes.csv": (
        "White,Black,White won,Drawn,Black won\nAnn,Bob,TRUE,FALSE,FALSE\nCy,Dan,FALSE,TRUE,FALSE\n",
        "Ann - Bob 1 played\nCy - Dan 0.5 played",
    ),
    "ids-alone.csv": (
        "White ID,Black ID,Result\n1503014,4100018,1-0\n",
        "1503014 - 4100018 1 played",
    ),
    "names-by-letters.csv": (
        "Vorname W;Nachname W;Vorname S;Nachname S;Ergebnis\nJo;Alt;Bo;Bau;1-0\n",
        "Alt, Jo - Bau, Bo 1 played",
    ),
    "team-name.csv": (
        "SK Nord;3:1;SK Süd\nHeim;Ergebnis;Gast\nAlt;1:0;Bau\n",
        "Alt - Bau 1 played",
    ),
    "web-form.csv": (
        "Timestamp,White player,Black player,Result of the game\n10/3/2026 19:45:11,Ann,Bob,White won\n10/25/2026 19:45:11,Cy,Dan,Draw\n",
        "Ann - Bob 1 played 2026-10-03\nCy - Dan 0.5 played 2026-10-25",
    ),
    "days-once.csv": (
        "Datum;Weiß;Schwarz;Ergebnis\n03.10.2026;Alt;Bau;1-0\n;Cem;Dorn;0-1\n10.10.2026;Alt;Cem;½\n;Bau;Dorn;1-0\n",
        "Alt - Bau 1 played 2026-10-03\nCem - Dorn 0 played 2026-10-03\nAlt - Cem 0.5 played 2026-10-10\nBau - Dorn 1 played 2026-10-10",
    ),
    "a-day-unknown.csv": (
        "Datum;Weiß;Schwarz;Ergebnis\n03.10.2026;Alt;Bau;1-0\n;Cem;Dorn;0-1\n10.10.2026;Alt;Cem;½\n",
        "Alt - Bau 1 played 2026-10-03\nCem - Dorn 0 played\nAlt - Cem 0.5 played 2026-10-10",
    ),
    "points.csv": (
        "Weiß;Punkte;Schwarz;Punkte\nAlt;1;Bau;0\nCem;½;Dorn;½\n",
        "Alt - Bau 1 played\nCem - Dorn 0.5 played",
    ),
    "points-by-letters.csv": (
        "White;Black;W;B\nAnn;Bob;0;1\nCy;Dan;0,5;0,5\n",
        "Ann - Bob 0 played\nCy - Dan 0.5 played",
    ),
    "pairing-in-a-cell.csv": (
        "Runde;Paarung;Ergebnis\n1;Alt, Jo - Bau, Bo;1:0\n1;Cem gegen Dorn;½:½\n",
        "Alt, Jo - Bau, Bo 1 played r1\nCem - Dorn 0.5 played r1",
    ),
    "titles-in-names.csv": (
        "White,Black,Result\nGM Ann Alt,WIM Bea Bau,1-0\nAnn Alt,Cy Cem,1-0\n",
        "Ann Alt - Bea Bau 1 played\nAnn Alt - Cy Cem 1 played",
    ),
    "czech.csv": ("Kolo;Bílý;Černý;Výsledek\n1;Novák, Jiří;Malá, Eva;remíza\n", "Novák, Jiří - Malá, Eva 0.5 played r1"),
    "slovak.csv": ("Biely;Čierny;Výsledok\nKováč, Ján;Volno;1\n", "Kováč, Ján - bye 1 bye"),
    "hungarian.csv": (
        "Forduló;Világos;Sötét;Eredmény;Dátum\n3;Kovács Győző;Nagy Éva;1-0;2026. október 3.\n",
        "Kovács Győző - Nagy Éva 1 played 2026-10-03 r3",
    ),
    "croatian.csv": ("Bijeli;Crni;Rezultat;Kolo\nKovač, Đuro;Šimić, Ana;1:0;2\n", "Kovač, Đuro - Šimić, Ana 1 played r2"),
    "slovene.csv": ("Beli;Črni;Rezultat;Krog\nNovak, Ana;Zupan, Bor;remi;2\n", "Novak, Ana - Zupan, Bor 0.5 played r2"),
    "romanian.csv": ("Alb;Negru;Rezultat\nPop, Ion;Ionescu, Ștefan;remiză\n", "Pop, Ion - Ionescu, Ștefan 0.5 played"),
    "danish.csv": (
        "Runde;Hvid;Sort;Resultat;Dato\n1;Sørensen, Bo;Kjær, Åse;uafgjort;3. oktober 2026\n",
        "Sørensen, Bo - Kjær, Åse 0.5 played 2026-10-03 r1",
    ),
    "norwegian.csv": ("Hvit;Svart;Resultat\nÅs, Åse;Berg, Bo;uavgjort\n", "Ås, Åse - Berg, Bo 0.5 played"),
    "swedish.csv": ("Omgång;Vit;Svart;Resultat\n4;Öberg, Åsa;Ek, Bo;1-0\n", "Öberg, Åsa - Ek, Bo 1 played r4"),
    "finnish.csv": ("Kierros;Valkea;Musta;Tulos\n4;Mäki, Aatu;Aho, Ida;tasapeli\n", "Mäki, Aatu - Aho, Ida 0.5 played r4"),
    "turkish.csv": ("Tur;Beyaz;Siyah;Sonuç\n4;Yılmaz, Ayşe;Şahin, Can;berabere\n", "Yılmaz, Ayşe - Şahin, Can 0.5 played r4"),
    "greek.csv": ("Λευκά;Μαύρα;Αποτέλεσμα\nΝίκου, Άννα;Παππάς, Γιώργος;ισοπαλία\n", "Νίκου, Άννα - Παππάς, Γιώργος 0.5 played"),
    "ukrainian.csv": ("Білі;Чорні;Результат\nКоваль, Оля;Бойко, Іван;нічия\n", "Коваль, Оля - Бойко, Іван 0.5 played"),
    "catalan.csv": ("Blanques;Negres;Resultat\nPuig, Núria;Soler, Òscar;taules\n", "Puig, Núria - Soler, Òscar 0.5 played"),
}  # fmt: skip
"""Name, content, and the games in it."""


@pytest.mark.parametrize("name", FILES)
def test_files_of_clubs(tmp_path, name):
    content, games = FILES[name]
    path = tmp_path / name
    path.write_text(content)
    reading = read(path)
    assert told(reading.games) == games
    assert not reading.report.of("skipped")


def test_tables_side_by_side_in_a_sheet(tmp_path):
    rows = [line.split(";") for line in SIDE.strip().split("\n")]
    path = tmp_path / "side.xlsx"
    path.write_bytes(xlsx({"Vereinsturnier": rows}))
    reading = read(path)
    assert told(reading.games) == SIDE_GAMES
    assert any("2 tables side by side" in n.reason for n in reading.report.of("noted"))


def test_two_marks_are_no_result(tmp_path):
    path = tmp_path / "two.csv"
    path.write_text("White,Black,1-0,0-1\nA,B,x,x\nC,D,x,\n")
    reading = read(path)
    assert told(reading.games) == "C - D 1 played"
    assert [(n.line, n.named) for n in reading.report.of("skipped")] == [(2, True)]


PAGES = {
    "Müller, Jörg - Großmann, Käthe": ["cp1252", "cp850", "mac_roman"],
    "Lefèvre, François - Bélanger, Noël": ["cp1252", "cp850", "mac_roman"],
    "Muñoz, José - Peña, Ángel": ["cp1252", "cp850", "mac_roman"],
    "Åkesson, Örjan - Öberg, Åsa": ["cp1252", "cp850", "mac_roman"],
    "Strañger, Åsa - Sørensen, Hélène": ["cp1252"],
    "Sánchez, Bjørn - Østergård, Lefèvre": ["cp1252"],
    "Räikkönen, Mårten - Muñoz, Antônio": ["cp1252"],
    "Żółkiewski, Łukasz - Wiśniewska, Grażyna": ["cp1250", "iso8859-2", "cp852"],
    "Dvořák, Jiří - Šťastný, Zdeněk": ["cp1250", "iso8859-2", "cp852"],
    "Szűcs, Győző - Tóth, Éva": ["cp1250", "iso8859-2", "cp852"],
    "Yılmaz, Ayşe - Şahin, Çağlar": ["cp1254"],
    "Šķēle, Jānis - Bērziņš, Kārlis": ["cp1257"],
    "Иванов, Пётр - Кузнецов, Олег": ["cp1251", "koi8-r", "cp866", "mac_cyrillic", "iso8859-5"],
    "Шевченко, Інна - Їжак, Євген": ["cp1251", "koi8-u"],
    "Παπαδόπουλος, Γιώργος - Νικολάου, Άννα": ["cp1253", "iso8859-7"],
}


@pytest.mark.parametrize(
    ("names", "page"), [(names, page) for names, pages in PAGES.items() for page in pages]
)
def test_code_pages(tmp_path, names, page):
    path = tmp_path / "page.csv"
    white, black = names.split(" - ")
    path.write_bytes(f"White;Black;Result\n{white};{black};1-0\n{black};{white};0-1\n".encode(page))
    reading = read(path)
    assert told(reading.games) == f"{names} 1 played\n{black} - {white} 0 played"
    assert [n.action for n in reading.report.notes] == ["noted"]


PAGE = """<!DOCTYPE html><html><head><meta charset="utf-8"><title>Open</title></head><body>
<table><tr><td>Menu</td><td>Home</td></tr></table><h2>Runde 1</h2>
<table><tr><th>Tisch<th>Wei&szlig;<th>Elo<th>Ergebnis<th>Schwarz<th>Elo</tr>
<tr><td rowspan="2">A</td><td><a href="x">M&uuml;ller,&nbsp;Hans</a></td><td>1850</td><td>1 - 0</td><td>Schmidt, Eva</td><td>1700</td></tr>
<tr><td>Alt, Jo</td><td>1600</td><td>&frac12; - &frac12;</td><td>Bau, Bo</td><td>1500</td></tr></table>
<h2>Runde 2</h2><table><tr><td>Tisch<td>Weiß<td>Elo<td>Ergebnis<td>Schwarz<td>Elo</tr>
<tr><td>A<td>Bau, Bo<td>1500<td>0 - 1<td>Müller, Hans<td>1850</table></body></html>"""
PAGE_GAMES = """Müller, Hans - Schmidt, Eva 1 played r1 1850/1700
Alt, Jo - Bau, Bo 0.5 played r1 1600/1500
Bau, Bo - Müller, Hans 0 played r2 1500/1850"""
W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'


def word_row(*cells):
    return "<w:tr>" + "".join(f"<w:tc><w:p><w:r><w:t>{c}</w:t></w:r></w:p></w:tc>" for c in cells) + "</w:tr>"


WORD = (
    f"<w:document {W}><w:body><w:p><w:r><w:t>2. Runde</w:t></w:r></w:p><w:tbl>"
    + word_row("Weiß", "Schwarz", "Ergebnis")
    + word_row("Alt", "Bau", "1:0")
    + "</w:tbl></w:body></w:document>"
)
EXCEL_2003 = """<?xml version="1.0"?><?mso-application progid="Excel.Sheet"?>
<Workbook xmlns="urn:schemas-microsoft-com:office:spreadsheet" xmlns:ss="urn:schemas-microsoft-com:office:spreadsheet">
<Worksheet ss:Name="Games"><Table>
<Row><Cell><Data>Datum</Data></Cell><Cell><Data>Weiß</Data></Cell><Cell><Data>Schwarz</Data></Cell><Cell><Data>Ergebnis</Data></Cell></Row>
<Row ss:Index="3"><Cell><Data ss:Type="DateTime">2026-10-03T00:00:00.000</Data></Cell><Cell><Data>Alt</Data></Cell>
<Cell ss:Index="4"><Data>1-0</Data></Cell></Row></Table></Worksheet></Workbook>"""


@pytest.mark.parametrize(
    ("name", "content", "kind", "games"),
    [
        ("page.html", PAGE.encode(), "html", PAGE_GAMES),
        ("page.xls", PAGE.encode("cp1252"), "html", PAGE_GAMES),
        ("night.docx", zipped({"[Content_Types].xml": b"<x/>", "word/document.xml": WORD.encode()}), "docx", "Alt - Bau 1 played r2"),
        ("old.xml", EXCEL_2003.encode(), "xls", "Alt - bye 1 bye 2026-10-03"),
    ],
)  # fmt: skip
def test_documents_with_tables(tmp_path, name, content, kind, games):
    path = tmp_path / name
    path.write_bytes(content)
    reading = read(path)
    assert reading.files[0][1] == kind
    assert told(reading.games) == games


def test_a_list_of_members_in_a_web_page(tmp_path):
    path = tmp_path / "members.html"
    path.write_text("<table><tr><th>Name<th>DWZ<tr><td>Alt, Jo<td>1712<tr><td>Bau, Bo<td>1655</table>")
    assert read_list(path).rows.select("player", "rating").rows() == [
        ("Alt, Jo", 1712.0),
        ("Bau, Bo", 1655.0),
    ]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("list.pdf", b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj\n"),
        ("list.numbers", zipped({"Index/Document.iwa": b"\0\1", "preview.jpg": b"\xff\xd8"})),
        ("wide.html", b"<table><tr><td colspan=999>a<td colspan=999>b<td colspan=999>c</table>"),
        ("bad.docx", zipped({"[Content_Types].xml": b"<x/>", "word/document.xml": b"<w:document"})),
        ("none.docx", zipped({"[Content_Types].xml": b"<x/>", "word/styles.xml": b"<x/>"})),
        ("open.html", b"<table><table><tr><td>"),
    ],
)
def test_documents_without_games(tmp_path, name, content):
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(InputError) as error:
        read(path)
    assert name in str(error.value)


FREE = """Vereinsmeisterschaft 2026

Runde 1 (03.10.2026)
1. Müller-Lüdenscheidt, Hans (1850) – Schmidt, Eva (1700) 1:0
2. Alt, Jo - Bau, Bo  ½
Runde 2 (10.10.2026)
Schmidt, Eva 0-1 Alt, Jo
Bau, Bo gegen Müller-Lüdenscheidt, Hans: remis
Dorn, Dan - spielfrei 1-0
Das Turnier war schön.
"""


def test_games_written_line_by_line(tmp_path):
    path = tmp_path / "night.txt"
    path.write_text(FREE)
    reading = read(path)
    assert told(reading.games) == (
        "Müller-Lüdenscheidt, Hans - Schmidt, Eva 1 played 2026-10-03 r1 1850/1700\n"
        "Alt, Jo - Bau, Bo 0.5 played 2026-10-03 r1\n"
        "Schmidt, Eva - Alt, Jo 0 played 2026-10-10 r2\n"
        "Bau, Bo - Müller-Lüdenscheidt, Hans 0.5 played 2026-10-10 r2\n"
        "Dorn, Dan - bye 1 bye 2026-10-10 r2"
    )
    assert [(n.line, n.named) for n in reading.report.of("skipped")] == [(10, True)]
    assert "White first" in reading.report.of("noted")[0].reason


BARE = [
    ["1", "03.10.2026", "Alt, Jo", "Bau, Bo", "1-0"],
    ["1", "03.10.2026", "Cem", "spielfrei", "1-0"],
    ["2", "10.10.2026", "Cem", "Alt, Jo", "½-½"],
]
BARE_GAMES = """Alt, Jo - Bau, Bo 1 played 2026-10-03
Cem - bye 1 bye 2026-10-03
Cem - Alt, Jo 0.5 played 2026-10-10"""


@pytest.mark.parametrize("name", ["bare.csv", "bare.xlsx", "bare.tsv"])
def test_tables_without_headings(tmp_path, name):
    path = tmp_path / name
    separator = ";" if name == "bare.csv" else "\t"
    text = "\n".join(separator.join(row) for row in BARE).encode()
    path.write_bytes(xlsx({"Games": BARE}) if name.endswith("xlsx") else text)
    reading = read(path)
    assert told(reading.games) == BARE_GAMES
    assert "columns 3 white, 4 black, 5 result, 2 date; not read: 1" in reading.report.notes[0].reason


@pytest.mark.parametrize(
    "content",
    [
        "Ann;Bob;SK Nord;1-0\nCy;Dan;SK Süd;0-1\n",  # three columns of words
        "Ann;Bob;1\nCy;Dan;0\n",  # points of whom?
        "Ann beat Bob\nCy drew with Dan\n",
        "We met at eight - it rained 1-0\nNobody came.\nNobody stayed.\nNobody left.\n",
        "Winner;Loser\nAnn;Bob\nCy;Dan\n",  # who had White?
        "White;Pts;Black;Pts\nAnn;1;Bob;1\nCy;0;Dan;1\n",  # points before the round
    ],
)
def test_what_does_not_say_who_is_who_is_asked_about(tmp_path, content):
    path = tmp_path / "games.csv"
    path.write_text(content)
    with pytest.raises(HeadingsError):
        read(path)


def test_documents_that_are_too_large(monkeypatch, tmp_path):
    monkeypatch.setattr("arpad.read.documents.MOST_CELLS", 1000)
    path = tmp_path / "large.html"
    path.write_text("<table><tr><td rowspan=999 colspan=999>White" + "<tr><td>Black" * 50 + "</table>")
    with pytest.raises(InputError, match="1,000 cells"):
        read(path)


def test_entities_that_grow_are_refused(tmp_path):
    grow = "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10}">' for n in range(1, 12))
    path = tmp_path / "grow.xml"
    path.write_text(
        f'<?xml version="1.0"?><!DOCTYPE w [<!ENTITY e0 "ha">{grow}]>'
        '<Workbook xmlns="urn:schemas-microsoft-com:office:spreadsheet">&e11;</Workbook>'
    )
    with pytest.raises(InputError, match="a mistake in it"):
        read(path)
