"""Files as clubs write them, each with the reading that is expected of it.

A game is a line ``White - Black score status [date] [round] [ratings]``; no Black is ``bye``.
"""

from __future__ import annotations

import datetime as dt
import io
import zipfile
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import xlsxwriter

if TYPE_CHECKING:
    from arpad.model import Games


@dataclass(frozen=True)
class Messy:
    """One file, the options that it is read with, and the games in it."""

    name: str
    content: bytes
    games: str
    skipped: tuple[int, ...] = ()
    options: dict[str, object] = field(default_factory=dict)


def text(name: str, content: str, games: str, *, encoding: str = "utf-8", **rest) -> Messy:
    return Messy(name, content.lstrip("\n").encode(encoding), games, **rest)


def xlsx(sheets: dict[str, list[list[object]]]) -> bytes:
    """Return a workbook with these cells; days have a format of their own, as spreadsheets give them."""
    out = io.BytesIO()
    book = xlsxwriter.Workbook(out, {"in_memory": True})
    day = book.add_format({"num_format": "dd.mm.yyyy"})
    clock = book.add_format({"num_format": "hh:mm"})
    for name, rows in sheets.items():
        sheet = book.add_worksheet(name)
        for r, row in enumerate(rows):
            for c, cell in enumerate(row):
                if isinstance(cell, dt.date):
                    sheet.write_datetime(r, c, cell, day)
                elif isinstance(cell, dt.time):
                    sheet.write_datetime(r, c, cell, clock)
                elif cell is not None:
                    sheet.write(r, c, cell)
    book.close()
    return out.getvalue()


ODS = """<?xml version="1.0" encoding="UTF-8"?>
<office:document-content xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0"
 xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0"
 xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" office:version="1.2"><office:body><office:spreadsheet>
{tables}</office:spreadsheet></office:body></office:document-content>"""


def ods(sheets: dict[str, list[list[str]]], more: str = "") -> bytes:
    """Return an OpenDocument spreadsheet of text cells; `more` stands behind the rows of each sheet."""

    def row(cells):
        inside = "".join(
            f'<table:table-cell office:value-type="string"><text:p>{c}</text:p></table:table-cell>'
            if c
            else "<table:table-cell/>"
            for c in cells
        )
        return f"<table:table-row>{inside}</table:table-row>"

    tables = "".join(
        f'<table:table table:name="{name}">{"".join(map(row, rows))}{more}</table:table>'
        for name, rows in sheets.items()
    )
    return zipped(
        {
            "mimetype": b"application/vnd.oasis.opendocument.spreadsheet",
            "content.xml": ODS.format(tables=tables).encode(),
            "META-INF/manifest.xml": b'<?xml version="1.0"?><manifest:manifest xmlns:manifest='
            b'"urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"/>',
        }
    )


def zipped(files: dict[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as folder:
        for name, data in files.items():
            folder.writestr(name, data, zipfile.ZIP_STORED if name == "mimetype" else zipfile.ZIP_DEFLATED)
    return out.getvalue()


def told(games: Games) -> str:
    """Return the games as the cases below write them."""
    form = {"day": "%Y-%m-%d", "month": "%Y-%m", "year": "%Y"}
    lines = []
    for row in games.frame().iter_rows(named=True):
        words = [row["white"], "-", row["black"] or "bye"]
        words.append("?" if row["score"] is None else f"{row['score']:g}")
        words.append(row["status"])
        if row["date"]:
            words.append(row["date"].strftime(form[row["precision"]]))
        if row["round"]:
            words.append(f"r{row['round']}")
        ratings = [row["white_rating"], row["black_rating"]]
        if any(r is not None for r in ratings):
            words.append("/".join("-" if r is None else f"{r:g}" for r in ratings))
        lines.append(" ".join(words))
    return "\n".join(lines)


def trf(number: int, name: str, rating: int, points: str, rounds: str) -> str:
    """Return one player's line of a tournament report."""
    head = f"001 {number:4}      {name:<33} {rating:4}"
    return f"{head:<80}{points:>4}{number:5}  {rounds}"


def all_of(*words: str) -> str:
    return "White,Black,Result\n" + "".join(f'A,B,"{word}"\n' for word in words)


def scored(*outcomes: str) -> str:
    return "\n".join(f"A - B {outcome}" for outcome in outcomes)


ONE = "Anna - Bert 1 played"
DAY = dt.date(2026, 10, 3)

MESSY = [
    # byes
    text("byes-en.csv", """
White,Black,Result,Round
Anna,BYE,1-0,1
bye,Bert,0-1,1
Cleo,(bye),½,2
Dora,,1,2
,Emil,0-1,3
Finn,NN,+,3
""", """
Anna - bye 1 bye r1
Bert - bye 1 bye r1
Cleo - bye 0.5 bye r2
Dora - bye 1 bye r2
Emil - bye 1 bye r3
Finn - bye 1 bye r3
"""),
    text("byes-of-all-countries.csv", "white;black;result\n" + "".join(
        f"A;{word};1\n" for word in ("spielfrei", "Freilos", "exempt", "descansa", "libre", "riposo", "vrij", "N.N.", "BYE 1", "Spielfrei 2")
    ), "\n".join(["A - bye 1 bye"] * 10)),
    text("bye-as-result.csv", "White,Black,Result\nAnna,,bye\nBert,BYE,1 bye\nCleo,bye,½ bye\nDora,Emil,1-0\n", """
Anna - bye 1 bye
Bert - bye 1 bye
Cleo - bye 0.5 bye
Dora - Emil 1 played
"""),
    text("people-called-bye.csv", 'White,Black,Result,White FIDE ID\n"Bye, Thomas",Anna,1-0,\nLibre,Anna,0-1,5200012\n', """
Bye, Thomas - Anna 1 played
Libre - Anna 0 played
"""),
    text("byes.pgn", """
[Event "Club"]
[Date "2026.10.03"]
[Round "1"]
[White "Anna"]
[Black "BYE"]
[Result "1-0"]

1-0

[Event "Club"]
[Date "2026.10.03"]
[Round "1"]
[White "Bert"]
[Black "NN"]
[Result "1-0"]

1. e4 e5 2. Qh5 Ke7 3. Qxe5# 1-0
""", "Anna - bye 1 bye 2026-10-03 r1\nBert - NN 1 played 2026-10-03 r1"),
    text("byes.trf", "\n".join(["012 Club", trf(1, "Anna", 1800, "1.0", "   3 w 1"), trf(2, "Bert", 1700, "0.5", "   4 w ="),
                                 trf(3, "spielfrei", 0, "0.0", "   1 b 0"), trf(4, "Cleo", 1600, "0.5", "   2 b =")]),
         "Anna - bye 1 bye r1 1800/-\nBert - Cleo 0.5 played r1 1700/1600"),
    # results
    text("results-numbers.csv", all_of("1", "0", "0.5", "0,5", "½", "1/2", "1.0", ".5", "1,0"),
         scored("1 played", "0 played", *["0.5 played"] * 4, "1 played", "0.5 played", "1 played")),
    text("results-pairs.csv", all_of("1-0", "0-1", "1/2-1/2", "½-½", "0.5-0.5", "0,5:0,5", "1 : 0", "1–0", "0 — 1", "½ : ½", "01:00", "1.0-0.0"),
         scored("1 played", "0 played", *["0.5 played"] * 4, "1 played", "1 played", "0 played", "0.5 played", "1 played", "1 played")),
    text("results-words.csv", all_of("tablas", "nulle", "patta", "remis", "Remise", "empate", "draw", "ничья", "=", "Gewonnen", "perdu", "won"),
         scored(*["0.5 played"] * 9, "1 played", "0 played", "1 played")),
    text("results-forfeits.csv", all_of("+-", "-+", "+/-", "-/+", "1-0F", "1F-0", "F-1", "1-F", "1-0 ff", "1k", "0k", "1-0K", "+:-", "1 kampflos", "1-0 (f)", "1-0 wo"),
         scored(*("1 forfeit", "0 forfeit") * 2, "1 forfeit", "1 forfeit", "0 forfeit", "1 forfeit", "1 forfeit", "1 forfeit", "0 forfeit", *["1 forfeit"] * 5)),
    text("results-nobody-came.csv", all_of("---", "-:-", "0-0F", "F-F", "0-0", "½-0"),
         scored(*["0 forfeit"] * 4, "0 unrated", "0.5 unrated")),
    text("results-plus-beside-numbers.csv", all_of("1-0", "+", "-", "="),
         scored("1 played", "1 forfeit", "0 forfeit", "0.5 played")),
    text("results-plus-alone.csv", all_of("+", "-", "="), scored("1 played", "0 played", "0.5 played")),
    text("results-english-letters.csv", all_of("W", "L", "D"), scored("1 played", "0 played", "0.5 played")),
    text("results-german-letters.csv", "Weiß;Schwarz;Ergebnis\nA;B;G\nA;B;R\nA;B;V\n", scored("1 played", "0.5 played", "0 played")),
    text("results-french-letters.csv", "Blancs;Noirs;Résultat\nA;B;G\nA;B;N\nA;B;P\n", scored("1 played", "0.5 played", "0 played")),
    text("results-french-letters-2.csv", "Blancs;Noirs;Résultat\nA;B;V\nA;B;N\nA;B;D\n", scored("1 played", "0.5 played", "0 played")),
    text("results-spoiled-by-a-spreadsheet.csv", all_of("01. Feb", "2-Jan", "1. Feb.", "1-0"), scored(*["0.5 played"] * 3, "1 played")),
    text("results-not-understood.csv", all_of("1-0", "-", "2-0", "V", "abc"), scored("1 played"), skipped=(3, 4, 5, 6)),
    # dates
    text("dates-dots.csv", "White,Black,Result,Date\nA,B,1,03.10.26\nA,B,1,3.4.2020\nA,B,1,31.06.2024\n",
         scored("1 played 2026-10-03", "1 played 2020-04-03", "1 played 2024-06")),
    text("dates-day-first.csv", "White,Black,Result,Date\nA,B,1,03/10/2026\nA,B,1,25/10/2026\n",
         scored("1 played 2026-10-03", "1 played 2026-10-25")),
    text("dates-month-first.csv", "White,Black,Result,Date\nA,B,1,03/10/26\nA,B,1,10/25/26\n",
         scored("1 played 2026-03-10", "1 played 2026-10-25")),
    text("dates-said.csv", "White,Black,Result,Date\nA,B,1,03/10/2026\n", scored("1 played 2026-03-10"), options={"dates": "mdy"}),
    text("dates-words.csv", 'White,Black,Result,Date\nA,B,1,3-Oct-2026\nA,B,1,"October 3, 2026"\nA,B,1,3. Oktober 2026\nA,B,1,3 de octubre de 2026\nA,B,1,3 мая 2026\nA,B,1,1er mars 2026\n',
         scored(*["1 played 2026-10-03"] * 4, "1 played 2026-05-03", "1 played 2026-03-01")),
    text("dates-serial.csv", "White,Black,Result,Date\nA,B,1,46298\nA,B,1,2026/10/3\nA,B,1,20261003\nA,B,1,2026-10-03 19:30\n",
         scored(*["1 played 2026-10-03"] * 4)),
    text("dates-rough.csv", "White,Black,Result,Date\nA,B,1,2026\nA,B,1,2026-10\nA,B,1,Oct 2026\nA,B,1,10/2026\nA,B,1,2026.??.??\nA,B,1,\n",
         scored("1 played 2026", *["1 played 2026-10"] * 3, "1 played 2026", "1 played")),
    # numbers
    text("ratings.csv", "White;Black;Result;White Elo;Black Elo\nA;B;1;1650,5;1 650\nA;B;1;1650P;1650/12\nA;B;1;1.650;1650-34\nA;B;1;;unrated\n",
         scored("1 played 1650.5/1650", "1 played 1650/1650", "1 played 1650/1650", "1 played")),
    # headings
    text("headings-de.csv", "Runde;Weiß;Elo Weiß;Schwarz;DWZ Schwarz;Ergebnis;Datum\n1;Anna;1800;Bert;1700;1:0;03.10.2026\n", f"{ONE} 2026-10-03 r1 1800/1700"),
    text("headings-fr.csv", "Ronde;Blancs;Elo blancs;Noirs;Elo noirs;Résultat;Date\n1;Anna;1800;Bert;1700;1-0;03.10.2026\n", f"{ONE} 2026-10-03 r1 1800/1700"),
    text("headings-es.csv", "Ronda;Blancas;Elo blancas;Negras;Elo negras;Resultado;Fecha\n1;Anna;1800;Bert;1700;1-0;03.10.2026\n", f"{ONE} 2026-10-03 r1 1800/1700"),
    text("headings-it.csv", "Turno;Bianco;Elo Bianco;Nero;Elo Nero;Risultato;Data\n1;Anna;1800;Bert;1700;1-0;03.10.2026\n", f"{ONE} 2026-10-03 r1 1800/1700"),
    text("headings-nl.csv", "Ronde;Wit;Rating wit;Zwart;Rating zwart;Uitslag;Datum\n1;Anna;1800;Bert;1700;1-0;03.10.2026\n", f"{ONE} 2026-10-03 r1 1800/1700"),
    text("headings-pt.csv", "Rodada;Brancas;Rating brancas;Pretas;Rating pretas;Resultado;Data\n1;Anna;1800;Bert;1700;1-0;03.10.2026\n", f"{ONE} 2026-10-03 r1 1800/1700"),
    text("headings-pl.csv", "Runda;Białe;Ranking białych;Czarne;Ranking czarnych;Wynik;Data\n1;Anna;1800;Bert;1700;1-0;03.10.2026\n", f"{ONE} 2026-10-03 r1 1800/1700"),
    text("headings-ru.csv", "Тур;Белые;Рейтинг белых;Чёрные;Рейтинг чёрных;Результат;Дата\n1;Anna;1800;Bert;1700;1-0;03.10.2026\n", f"{ONE} 2026-10-03 r1 1800/1700"),
    text("headings-twice.csv", "Bo.,White,Rtg,Pts.,Result,Pts.,Black,Rtg\n1,Anna,1800,0,1 - 0,0,Bert,1700\n", f"{ONE} 1800/1700"),
    text("a-match-day-beside-the-round.csv", "Rd.;Heim;Gast;Ergebnis;Spieltag\n1;Anna;Bert;1:0;03.10.2026\n", f"{ONE} 2026-10-03 r1"),
    text("short-rows.csv", "White;Black;Result;Date;Remark\nAnna;Bert;1-0\nCleo;Dora;0-1;03.10.2026;late\nEmil;Finn;1-0;03.10.2026;a;b\n",
         f"{ONE}\nCleo - Dora 0 played 2026-10-03", skipped=(4,)),
    text("dates-with-weekdays.csv", 'White,Black,Result,Date\nA,B,1,"Saturday, October 3, 2026"\nA,B,1,"Sa, 03.10.26"\nA,B,1,3.X.2026\nA,B,1,3 IX 2026\n',
         scored(*["1 played 2026-10-03"] * 3, "1 played 2026-09-03")),
    text("headings-of-nobody.csv", "Name;Elo;Ergebnis;Name;Elo\nAnna;1800;1-0;Bert;1700\n", f"{ONE} 1800/1700"),
    text("title-lines-above.csv", "Schachklub Musterstadt;;;\nVereinsturnier 2026;;;\n;;;\nWeiß;Schwarz;Ergebnis;\nAnna;Bert;1-0;\n", ONE),
    text("sep-line.csv", "sep=;\nWhite;Black;Result\nAnna;Bert;1-0\n", ONE),
    text("headings-of-one-letter.csv", "W;S;Erg;W Elo;S.Elo\nAnna;Bert;1-0;1800;\n", f"{ONE} 1800/-"),
    text("headings-of-compounds.csv", "Weißspieler;Schwarzspieler;Ergebnis;WeißElo;Elo S\nAnna;Bert;1-0;1800;\n", f"{ONE} 1800/-"),
    text("a-dash-for-nobody.csv", "White,Black,Result\nAnna,-,1-0\nBert,--,+\n", "Anna - bye 1 bye\nBert - bye 1 bye"),
    text("results-half-a-forfeit.csv", all_of("1:-", "-:1", "+F", "-k", "Zwycięstwo", "porażka", "partie nulle", "victoria"),
         scored("1 forfeit", "0 forfeit", "1 forfeit", "0 forfeit", "1 played", "0 played", "0.5 played", "1 played")),
    text("ratings-with-words.csv", "White;Black;Result;White Elo;Black Elo\nA;B;1;1650 DWZ;1650 (12)\nA;B;1;FIDE 1650;P1650\nA;B;1;U;o.w.\n",
         scored("1 played 1650/1650", "1 played 1650/1650", "1 played")),
    text("grid-of-names.csv", "Name;Elo;Alt;Bau;Can;Summe\nAlt;1800;x;1;½;1½\nBau;1700;0;x;+;1\nCan;;½;-;x;½\nSumme;;½;1;1½;\n",
         "Alt - Bau 1 played 1800/1700\nAlt - Can 0.5 played 1800/-\nBau - Can 1 forfeit 1700/-"),
    text("grid-of-scores.csv", "Name;1;2;3\nAlt;;1:0;½:½\nBau;0:1;;1:0\nCan;½:½;0:1;\n", "Alt - Bau 1 played\nAlt - Can 0.5 played\nBau - Can 1 played"),
    text("wall-sheet.txt", """
Rangliste nach der 2. Runde

Rang Teilnehmer         TWZ  Verein    1    2    Punkte Buchh
-------------------------------------------------------------
  1. Alt, Anna         1800  SK Eins   3w1  2s½   1.5   4.0
  2. Bau, Bert         1700  SK Zwei   4w1  1w½   1.5   4.5
  3. Can, Cem          1600  SK Eins   1s0  4s1   1.0   5.0
  4. Dill, Dora        1500            2s0  3w0   0.0   6.0

Ende
""", """
Alt, Anna - Can, Cem 1 played r1 1800/1600
Bau, Bert - Alt, Anna 0.5 played r2 1700/1800
Bau, Bert - Dill, Dora 1 played r1 1700/1500
Dill, Dora - Can, Cem 0 played r2 1500/1600
"""),
    text("columns-below-each-other.txt", "Weiß         Schwarz     Ergebnis\nAnna         Bert        1-0\n", ONE),
    # encodings and line ends
    text("utf-16.csv", "Weiß\tSchwarz\tErgebnis\nAnna\tBert\t1-0\n", ONE, encoding="utf-16"),
    text("utf-8-bom.csv", "Weiß;Schwarz;Ergebnis\nAnna;Bert;1-0\n", ONE, encoding="utf-8-sig"),
    text("cp1252.csv", "Weiß;Schwarz;Ergebnis\nMüller;Bert;½-½\n", "Müller - Bert 0.5 played", encoding="cp1252"),
    text("cr-only.csv", "White,Black,Result\rAnna,Bert,1-0\rCleo,Dora,0-1\r", f"{ONE}\nCleo - Dora 0 played"),
    text("cr-and-quotes.csv", 'White,Black,Result\r"Anna",Bert,1-0\r\r"Cleo",Dora,0-1', f"{ONE}\nCleo - Dora 0 played"),
    text("line-ends-mixed.csv", 'White,Black,Result\r\n"Anna",Bert,1-0\r\n\n"Cleo",Dora,0-1\r', f"{ONE}\nCleo - Dora 0 played"),
    # spreadsheets and files of files
    Messy("list.xlsx", xlsx({"Tabelle1": [["SK Musterstadt"], [], ["Runde", "Weiß", "Elo", "Schwarz", "Elo", "Ergebnis", "Datum"], [1, "Anna", 1800, "Bert", 1700.5, "1:0", DAY], [1, "Cleo", None, "spielfrei", None, 1, DAY]]}),
          f"{ONE} 2026-10-03 r1 1800/1700.5\nCleo - bye 1 bye 2026-10-03 r1"),
    Messy("results-became-times.xlsx", xlsx({"A": [["White", "Black", "Result"], ["Anna", "Bert", dt.time(1, 0)], ["Cleo", "Dora", dt.time(0, 1)], ["Emil", "Finn", dt.date(2026, 2, 1)]]}),
          f"{ONE}\nCleo - Dora 0 played\nEmil - Finn 0.5 played"),
    Messy("a-sheet-a-round.xlsx", xlsx({"Runde 1": [["Weiß", "Schwarz", "Ergebnis"], ["Anna", "Bert", "1:0"]], "Runde 2": [["Weiß", "Schwarz", "Ergebnis"], ["Bert", "Cleo", 0.5]], "Notizen": [["Bitte pünktlich"]]}),
          f"{ONE} r1\nBert - Cleo 0.5 played r2"),
    Messy("chosen-sheet.xlsx", xlsx({"2025": [["White", "Black", "Result"], ["X", "Y", "1-0"]], "2026": [["White", "Black", "Result"], ["Anna", "Bert", "1-0"]]}), ONE, options={"sheet": "2026"}),
    Messy("list.ods", ods({"Tabelle1": [["Weiß", "Schwarz", "Ergebnis", "Datum"], ["Anna", "Bert", "1:0", "03.10.2026"]]},
          '<table:table-row table:number-rows-repeated="1048570"><table:table-cell table:number-columns-repeated="16384"/></table:table-row>'), f"{ONE} 2026-10-03"),
    Messy("events.zip", zipped({"b.csv": b"White;Black;Result\nCleo;Anna;0-1\n", "a.csv": b"White,Black,Result\nAnna,Bert,1-0\n", "__MACOSX/._a.csv": b"\0\1"}),
          f"{ONE}\nCleo - Anna 0 played"),
    Messy("zipped-sheet.zip", zipped({"x/list.xlsx": xlsx({"A": [["White", "Black", "Result"], ["Anna", "Bert", "1-0"]]})}), ONE),
    # the same in other words
    text("byes-in-sentences.csv", "white;black;result\n" + "".join(
        f"A;{word};1\n" for word in ("no opponent", "ohne Gegner", "sans adversaire", "sin rival", "senza avversario", "geen tegenstander", "без соперника", "Bye descanso", "BYE,", "Bye, Bye", "unpaired", "absent", "N/A", "none", "?", "…", "Half-point bye 2")
    ), "\n".join(["A - bye 1 bye"] * 17)),
    text("byes-with-letters.csv", "White,Black,Result\nA,,H\nA,BYE,F\nA,BYE,Z\nA,BYE,-\nBYE,A,bye\nBYE,A,½ bye\nA,,1-0 bye\nA,,U\nA,HPB,½\nA,B,HPB\n", """
A - bye 0.5 bye
A - bye 1 bye
A - bye 0 bye
A - bye ? bye
A - bye 1 bye
A - bye 0.5 bye
A - bye 1 bye
A - bye 1 bye
A - bye 0.5 bye
A - B 0.5 bye
"""),
    text("results-in-sentences.csv", all_of("Weiß gewinnt", "gana blancas", "les noirs gagnent", "vince il bianco", "Zwart wint", "победа белых", "draw agreed", "пат", "выиграл"),
         scored("1 played", "1 played", "0 played", "1 played", "0 played", "1 played", "0.5 played", "0.5 played", "1 played")),
    text("results-spaced.csv", all_of("1 0", "0 1", "½ ½", "1x0", "1_0", "0,5/0,5"), scored("1 played", "0 played", "0.5 played", "1 played", "1 played", "0.5 played")),
    text("results-more-forfeits.csv", all_of("1-0 by forfeit", "1-0 forf.", "0-1 w/o", "1-0 walkover", "1:0 (ф)", "1-0 incomparecencia", "adj.", "ausgefallen"),
         scored("1 forfeit", "1 forfeit", "0 forfeit", *["1 forfeit"] * 3, "? unplayed", "? unplayed")),
    text("results-of-nobody-known.csv", all_of("1-0", "kampflos", "walkover", "01", "F"), scored("1 played"), skipped=(3, 4, 5, 6)),
    text("dates-year-first.csv", "White,Black,Result,Date\nA,B,1,2026 Oct 3\nA,B,1,2026-Oct-03\nA,B,1,2026 October\nA,B,1,3 октября 2026 года\nA,B,1,KW 40/2026\nA,B,1,2025/26\nA,B,1,2026-13-01\n",
         scored("1 played 2026-10-03", "1 played 2026-10-03", "1 played 2026-10", "1 played 2026-10-03", "1 played 2026", "1 played 2025", "1 played 2026")),
    text("dates-of-eight-figures.csv", "White,Black,Result,Date\nA,B,1,03102026\nA,B,1,25102026\n", scored("1 played 2026-10-03", "1 played 2026-10-25")),
    text("ratings-with-more-words.csv", "White;Black;Result;White Elo;Black Elo\nA;B;1;1650 (prov.);1650±30\nA;B;1;est. 1650;1650+\nA;B;1;sin elo;non classé\n",
         scored("1 played 1650/1650", "1 played 1650/1650", "1 played")),
    text("headings-with-small-words.csv", "N° ronde;Joueur avec les blancs;Joueur avec les noirs;Rés. (B:N);Elo B;Elo N;Date partie\n1;Anna;Bert;1-0;1800;1700;03.10.2026\n", f"{ONE} 2026-10-03 r1 1800/1700"),
    text("headings-es-initials.csv", "Nº ronda;Jugador blancas;Jugador negras;Marcador;Elo B;Elo N;Fecha de la partida\n1;Anna;Bert;1-0;1800;1700;03.10.2026\n", f"{ONE} 2026-10-03 r1 1800/1700"),
    text("headings-pl-more.csv", "Nr rundy;Gracz białymi;Gracz czarnymi;Wynik partii;Data partii\n1;Anna;Bert;1-0;03.10.2026\n", f"{ONE} 2026-10-03 r1"),
    text("headings-numbered.csv", "Round No.;Player1;Player2;Game result;Date played\n1;Anna;Bert;1-0;03.10.2026\n", f"{ONE} 2026-10-03 r1"),
    # one below the other
    text("rounds-below-each-other.csv", "Runde 1;;\nWeiß;Schwarz;Ergebnis\nA;B;1:0\nC;D;½:½\n;;\nRunde 2 (10.10.2026);;\nWeiß;Schwarz;Ergebnis\nA;C;0:1\n", """
A - B 1 played r1
C - D 0.5 played r1
A - C 0 played 2026-10-10 r2
"""),
    text("rounds-between-the-games.csv", "Weiß;Schwarz;Ergebnis\n1. Runde;;\nA;B;1:0\n2. Runde;;\nA;C;0:1\n", "A - B 1 played r1\nA - C 0 played r2"),
    text("round-above.csv", "3. Runde am 03.10.2026\nWeiß;Schwarz;Ergebnis\nAnna;Bert;1:0\n", f"{ONE} 2026-10-03 r3"),
    text("a-table-after-a-round.csv", "Stand nach der 3. Runde\nWeiß;Schwarz;Ergebnis\nAnna;Bert;1:0\n", ONE),
    Messy("rounds-in-one-sheet.xlsx", xlsx({"A": [["Runde 1"], ["Weiß", "Schwarz", "Erg."], ["A", "B", "1-0"], [], ["Runde 2"], ["Weiß", "Schwarz", "Erg."], ["A", "C", "1-0"]]}),
          "A - B 1 played r1\nA - C 1 played r2"),
    Messy("a-sheet-a-day.xlsx", xlsx({"26.09.2026": [["Weiß", "Schwarz", "Erg."], ["A", "B", "1-0"]], "03.10.2026": [["Weiß", "Schwarz", "Erg."], ["C", "D", "1-0"]]}),
          "A - B 1 played 2026-09-26\nC - D 1 played 2026-10-03"),
    text("swiss-of-france.csv", "Pl;Nom;Elo;R 1;R 2;R 3;Pts\n1;Alt;1900;+ 4B;+ 2N;= 3B;2½\n2;Bau;1850;+ 3B;- 1B;EXE;2\n3;Can;1800;- 2N;> 4B;= 1N;1½\n4;Dor;1750;- 1N;< 3N;0 -;0\n", """
Alt - Dor 1 played r1 1900/1750
Bau - Alt 0 played r2 1850/1900
Alt - Can 0.5 played r3 1900/1800
Bau - Can 1 played r1 1850/1800
Bau - bye 1 bye r3 1850/-
Can - Dor 1 forfeit r2 1800/1750
"""),
    text("cp1251.csv", "Белые;Чёрные;Результат\nИванов;Петров;1:0\n", "Иванов - Петров 1 played", encoding="cp1251"),
    text("koi8.csv", "Белые;Чёрные;Результат\nИванов;Петров;1:0\n", "Иванов - Петров 1 played", encoding="koi8-r"),
    text("cp1250.csv", "Białe;Czarne;Wynik\nŁukasz Żak;Święs;1:0\n", "Łukasz Żak - Święs 1 played", encoding="cp1250"),
    text("names-with-odd-blanks.csv", 'White,Black,Result\n"Anna\u00a0Alt",Bo,1\n"Anna  Alt",Bo,0\n"\x0cAnna Alt\u200b",Bo,1\nMu\u0308ller,Bo,1\n',
         "Anna Alt - Bo 1 played\nAnna Alt - Bo 0 played\nAnna Alt - Bo 1 played\nMüller - Bo 1 played"),
    text("ids-that-are-none.csv", "White,Black,Result,White ID,Black ID\nAnna,BYE,1-0,123,-\nAnna,Bo,1-0,123,n/a\nAnna,Cy,1-0,123,N/A\n", "Anna - bye 1 bye\nAnna - Bo 1 played\nAnna - Cy 1 played"),
    Messy("a-letter-beside-the-games.zip", zipped({"a.csv": b"White,Black,Result\nAnna,Bert,1-0\n", "readme.txt": b"Dear reader\n", "photo.jpg": b"\xff\xd8\0\0\0"}), ONE),
    # of club secretaries in ten countries
    Messy("de1.xlsx", xlsx({"Vereinsmeisterschaft":[["SV Turm Lüneburg e.V."],["Vereinsmeisterschaft 2026"],["Spielleiter: K. Müller"],[],["Rd.","Datum","Br.","Weiß","DWZ","Erg.","Schwarz","DWZ"],[1,dt.date(2026,9,4),1,"Kühn, Jörg",1812,"1 : 0","Ahlers, Ute",1650],[1,dt.date(2026,9,4),2,"Öztürk, Can",1543,"½ : ½","Groß, Petra",1601],[1,dt.date(2026,9,4),3,"Zander, Ole",None,"kl.","spielfrei",None],[None,None,None,None,None,None,None,None],["","","","Summe Partien:",3,"","",""]]}),
"""Kühn, Jörg - Ahlers, Ute 1 played 2026-09-04 r1 1812/1650
Öztürk, Can - Groß, Petra 0.5 played 2026-09-04 r1 1543/1601
Zander, Ole - bye 1 bye 2026-09-04 r1"""),
    text("de2.csv","Spieltag;Heim;Gast;Ergebnis\n05.09.2026;Kühn;Ahlers;1:0\n05.09.2026;Öztürk;Groß;0,5:0,5\n12.09.2026;Groß;Kühn;0:1 kl\n","""Kühn - Ahlers 1 played 2026-09-05
Öztürk - Groß 0.5 played 2026-09-05
Groß - Kühn 0 forfeit 2026-09-12""",encoding="cp1252"),
    text("fr1.csv","Ronde;Date;Table;Blancs;Cat;Elo;Score;Noirs;Elo\n1;04/09/2026;1;LEFÈVRE Luc;SEM;1712;1 - 0;PETIT Zoé;1499\n1;04/09/2026;2;NGUYEN Théo;MIN;1320;X - X;DUPONT Léa;1410\n2;18/09/2026;1;PETIT Zoé;;1499;F - 1;NGUYEN Théo;1320\n","""LEFÈVRE Luc - PETIT Zoé 1 played 2026-09-04 r1 1712/1499
NGUYEN Théo - DUPONT Léa 0.5 played 2026-09-04 r1 1320/1410
PETIT Zoé - NGUYEN Théo 0 forfeit 2026-09-18 r2 1499/1320"""),
    text("es1.csv","Fecha;Ronda;Blancas;Negras;Resultado\n3 de septiembre de 2026;1;García Pérez, Luis;Ruiz, Ana;1-0\n3 de septiembre de 2026;1;Soto, Iván;Vila, Marc;Tablas\n10 de septiembre de 2026;2;Ruiz, Ana;Soto, Iván;0-1 (incomparecencia)\n","""García Pérez, Luis - Ruiz, Ana 1 played 2026-09-03 r1
Soto, Iván - Vila, Marc 0.5 played 2026-09-03 r1
Ruiz, Ana - Soto, Iván 0 forfeit 2026-09-10 r2"""),
    text("it1.csv","Turno,Scacchiera,Bianco,Nero,Risultato,Data\n1,1,Rossi Mario,Bianchi Lia,1-0,12/9/2026\n1,2,Verdi Ugo,Neri Pia,½-½,12/9/2026\n1,3,Galli Eva,RIPOSA,1-F,13/9/2026\n","""Rossi Mario - Bianchi Lia 1 played 2026-09-12 r1
Verdi Ugo - Neri Pia 0.5 played 2026-09-12 r1
Galli Eva - bye 1 bye 2026-09-13 r1"""),
    text("nl1.csv","ronde;wit;rating wit;zwart;rating zwart;uitslag\n1;Jan de Vries;1745;Kees van Dam;1502;1-0\n1;Piet Bakker;1388;Ans Smit;;½-½\n1;Tom Mol;1290;oneven;;1-0\n2;Kees van Dam;1502;Piet Bakker;1388;0-1R\n","""Jan de Vries - Kees van Dam 1 played r1 1745/1502
Piet Bakker - Ans Smit 0.5 played r1 1388/-
Tom Mol - bye 1 bye r1 1290/-
Kees van Dam - Piet Bakker 0 forfeit r2 1502/1388"""),
    text("pt1.csv","Rodada;Brancas;Rating;Pretas;Rating;Resultado;Data\n1;João Silva;1650;Inês Costa;1580;1-0;05-09-2026\n1;Rui Lopes;1400;folga;;1;05-09-2026\n2;Inês Costa;1580;Rui Lopes;1400;W.O.;26-09-2026\n","""João Silva - Inês Costa 1 played 2026-09-05 r1 1650/1580
Rui Lopes - bye 1 bye 2026-09-05 r1 1400/-""", skipped=(4,)),
    text("ru1.csv","№;Тур;Дата;Белые;Рейтинг;Результат;Чёрные;Рейтинг\n1;1;12.09.2026;Иванов Иван;1900;1:0;Петров Пётр;1800\n2;1;12.09.2026;Сидоров С.;1700;½:½;Кузнецов К.;1650\n3;1;12.09.2026;Орлов О.;1500;+;свободен;\n4;2;19.09.2026;Петров Пётр;1800;-:+;Орлов О.;1500\n","""Иванов Иван - Петров Пётр 1 played 2026-09-12 r1 1900/1800
Сидоров С. - Кузнецов К. 0.5 played 2026-09-12 r1 1700/1650
Орлов О. - bye 1 bye 2026-09-12 r1 1500/-
Петров Пётр - Орлов О. 0 forfeit 2026-09-19 r2 1800/1500""",encoding="utf-16-le"),
    text("us1.csv",'Round,Board,White,White Rtg,Black,Black Rtg,Result,Date\n1,1,"Smith, John",1850,"Doe, Jane",1722P12,1-0,9/4/2026\n1,2,"Lee, Kim",1601,"Park, Jin",unr.,1/2-1/2,9/4/2026\n2,1,"Doe, Jane",1722P12,"Lee, Kim",1601,0-1X,9/18/2026\n2,2,"Park, Jin",unr.,FULL BYE,,1,9/18/2026\n',"""Smith, John - Doe, Jane 1 played 2026-09-04 r1 1850/1722
Lee, Kim - Park, Jin 0.5 played 2026-09-04 r1 1601/-
Doe, Jane - Lee, Kim 0 forfeit 2026-09-18 r2 1722/1601
Park, Jin - bye 1 bye 2026-09-18 r2"""),
    Messy("formulas.xlsx", xlsx({"S":[["Weiß","Schwarz","Weiß Pkt","Schwarz Pkt","Datum"],["A","B",1,0,dt.date(2026,3,1)],["C","D",0.5,0.5,dt.date(2026,3,1)],["Summe",None,1.5,0.5,None]]}),"A - B 1 played 2026-03-01\nC - D 0.5 played 2026-03-01"),
    Messy("emptycols.xlsx", xlsx({"S":[[None,None,"White",None,"Black",None,"Result"],[None,None,"A",None,"B",None,"1-0"],[None,None,"C",None,"D",None,"0-1"]]}),"A - B 1 played\nC - D 0 played"),
    Messy("grid-half.xlsx", xlsx({"S":[["Club championship"],["","Name",1,2,3,4,"Total","Place"],[1,"Ann",None,"½",1,1,2.5,1],[2,"Bob","½",None,"½",1,2,2],[3,"Cy",0,"½",None,0,0.5,4],[4,"Di",0,0,1,None,1,3]]}),"Ann - Bob 0.5 played\nAnn - Cy 1 played\nAnn - Di 1 played\nBob - Cy 0.5 played\nBob - Di 1 played\nCy - Di 0 played"),
    Messy("grid-05.xlsx", xlsx({"S":[["Name",1,2,3],["Ann","X",0.5,1],["Bob",0.5,"X",0],["Cy",0,1,"X"]]}),"Ann - Bob 0.5 played\nAnn - Cy 1 played\nBob - Cy 0 played"),
    text("grid-double.csv","Nr;Name;1;2;3;Pkt\n1;Ann;;1½;10;2½\n2;Bob;0½;;11;2½\n3;Cy;01;00;;1\n","Ann - Bob 1 played\nAnn - Bob 0.5 played\nAnn - Cy 1 played\nAnn - Cy 0 played\nBob - Cy 1 played\nBob - Cy 1 played"),
    text("grid-names-full.csv",";Ann Alt;Bob Bau;Cy Can;Punkte\nAnn Alt;X;1;½;1,5\nBob Bau;0;X;1;1\nCy Can;½;0;X;0,5\n","Ann Alt - Bob Bau 1 played\nAnn Alt - Cy Can 0.5 played\nBob Bau - Cy Can 1 played"),
    text("grid-letters.csv","Player;A;B;C\nAnn;-;W;D\nBob;L;-;W\nCy;D;L;-\n","Ann - Bob 1 played\nAnn - Cy 0.5 played\nBob - Cy 1 played"),
    text("two-grids.csv","Gruppe A;;;;\nNr;Name;1;2;3\n1;Ann;x;1;½\n2;Bob;0;x;1\n3;Cy;½;0;x\n;;;;\nGruppe B;;;;\nNr;Name;1;2;3\n1;Dan;x;0;0\n2;Eve;1;x;½\n3;Fox;1;½;x\n","Ann - Bob 1 played\nAnn - Cy 0.5 played\nBob - Cy 1 played\nDan - Eve 0 played\nDan - Fox 0 played\nEve - Fox 0.5 played"),
    Messy("two-grids.xlsx",xlsx({"Gruppe A":[["Nr","Name",1,2,3],[1,"Ann","x",1,"½"],[2,"Bob",0,"x",1],[3,"Cy","½",0,"x"]],"Gruppe B":[["Nr","Name",1,2,3],[1,"Dan","x",0,0],[2,"Eve",1,"x","½"],[3,"Fox",1,"½","x"]]}),"Ann - Bob 1 played\nAnn - Cy 0.5 played\nBob - Cy 1 played\nDan - Eve 0 played\nDan - Fox 0 played\nEve - Fox 0.5 played"),
    text("vnd.csv","Joueur blancs;Joueur noirs;Res\nA;B;V\nA;C;N\nB;C;D\n","A - B 1 played\nA - C 0.5 played\nB - C 0 played"),
    text("vn-de.csv","Weiß;Schwarz;Erg\nA;B;V\nA;C;1\nB;C;0\n","A - B 0 played\nA - C 1 played\nB - C 0 played"),
    text("v-fr.csv","Blancs;Noirs;Résultat\nA;B;V\nA;C;V\nB;C;N\n","A - B 1 played\nA - C 1 played\nB - C 0.5 played"),
    text("v-it.csv","Bianco;Nero;Ris\nA;B;V\nA;C;P\n","A - B 1 played\nA - C 0.5 played"),
    text("vn-only.csv","White;Black;Result\nA;B;V\nA;C;N\n","A - B 1 played\nA - C 0.5 played"),
    text("nlwrv.csv","Wit;Zwart;Uitslag\nA;B;W\nA;C;R\nB;C;V\n","A - B 1 played\nA - C 0.5 played\nB - C 0 played"),
    text("es-gtp.csv","Blancas;Negras;Res.\nA;B;G\nA;C;T\nB;C;P\n","A - B 1 played\nA - C 0.5 played\nB - C 0 played"),
    text("winner-col.csv","White,Black,Winner\nAnn,Bob,Ann\nCy,Di,Di\nEd,Flo,Draw\n","Ann - Bob 1 played\nCy - Di 0 played\nEd - Flo 0.5 played"),
    text("winner-wb.csv","White,Black,Winner\nAnn,Bob,White\nCy,Di,Black\nEd,Flo,draw\n","Ann - Bob 1 played\nCy - Di 0 played\nEd - Flo 0.5 played"),
    text("vs-col.csv","Round,White,vs,Black,Result\n1,Ann,vs,Bob,1-0\n1,Cy,vs,Di,0-1\n","Ann - Bob 1 played r1\nCy - Di 0 played r1"),
    text("quotes.csv",'"White";"Black";"Result"\n"Alt ""Ali"", A.";"Bau; Bo";"1-0"\n','Alt "Ali", A. - Bau; Bo 1 played'),
    text("md.txt","| White | Black | Result |\n|---|---|---|\n| Ann | Bob | 1-0 |\n| Cy | Di | ½-½ |\n","Ann - Bob 1 played\nCy - Di 0.5 played"),
    text("utf16be.csv","Weiß;Schwarz;Ergebnis\r\nMüller;Groß;1:0\r\n","Müller - Groß 1 played",encoding="utf-16-be"),
    text("utf16le-tab.txt","White\tBlack\tResult\r\nAnn\tBob\t1-0\r\n","Ann - Bob 1 played",encoding="utf-16-le"),
    text("utf32.csv","White\tBlack\tResult\r\nAnn\tBob\t1-0\r\n","Ann - Bob 1 played",encoding="utf-32"),
    text("utf16.pgn",'[Event "Club"]\n[White "Müller"]\n[Black "Bo"]\n[Result "1-0"]\n[Date "2026.10.03"]\n\n1. e4 e5 1-0\n',"Müller - Bo 1 played 2026-10-03",encoding="utf-16"),
    text("utf16le.pgn",'[Event "Club"]\n[White "Müller"]\n[Black "Bo"]\n[Result "1-0"]\n[Date "2026.10.03"]\n\n1. e4 e5 1-0\n',"Müller - Bo 1 played 2026-10-03",encoding="utf-16-le"),
    text("dates-mixed.csv","White,Black,Result,Date\nA,B,1,2026-09-04\nA,C,1,4.9.26\nB,C,1,4 Sep 2026\n","A - B 1 played 2026-09-04\nA - C 1 played 2026-09-04\nB - C 1 played 2026-09-04"),
    text("dates-month.csv","White,Black,Result,Date\nA,B,1,Sept. 2026\nA,C,1,09/2026\nB,C,1,2026\n","A - B 1 played 2026-09\nA - C 1 played 2026-09\nB - C 1 played 2026"),
    text("dates-timestamp.csv","White,Black,Result,Date\nA,B,1,2026-09-04T19:30:00Z\nA,C,1,2026-09-04 19:30:00\n","A - B 1 played 2026-09-04\nA - C 1 played 2026-09-04"),
    text("dates-no-year.csv","White,Black,Result,Date\nA,B,1,4.9.\nA,C,1,11.9.\n","A - B 1 played\nA - C 1 played"),
    text("dates-apostrophe.csv","White,Black,Result,Date\nA,B,1,'04.09.2026\nA,C,1,04.09.'26\n","A - B 1 played 2026-09-04\nA - C 1 played 2026-09-04"),
    text("halfspaces.csv","White,Black,Result\nA,B,1/2 - 1/2\nA,C, ½ - ½ \nB,C,0 - 1\n","A - B 0.5 played\nA - C 0.5 played\nB - C 0 played"),
    text("names-two-cols.csv","Vorname Weiß;Nachname Weiß;Vorname Schwarz;Nachname Schwarz;Ergebnis\nAnna;Alt;Bert;Bau;1:0\n","Alt, Anna - Bau, Bert 1 played"),
    text("names-two-cols-en.csv","White First,White Last,Black First,Black Last,Result\nAnna,Alt,Bert,Bau,1-0\n","Alt, Anna - Bau, Bert 1 played"),
    text("totals.csv","White,Black,Result\nA,B,1-0\nC,D,0-1\nTotal games:,2,\n","A - B 1 played\nC - D 0 played"),
    text("totals2.csv","Weiß;Schwarz;Ergebnis\nA;B;1-0\nSumme;;1\n","A - B 1 played"),
    text("repeat-header.csv","White,Black,Result\nA,B,1-0\nWhite,Black,Result\nC,D,0-1\n","A - B 1 played\nC - D 0 played"),
    Messy("blank-round.xlsx", xlsx({"S":[["Rd","White","Black","Res"],[1,"A","B","1-0"],[None,"C","D","0-1"],[2,"A","C","1-0"],[None,"B","D","½"]]}),"A - B 1 played r1\nC - D 0 played r1\nA - C 1 played r2\nB - D 0.5 played r2"),
    text("res-between.csv", "Weiss;;Schwarz\nAnn;1:0;Bob\nCy;½;Di\n", "Ann - Bob 1 played\nCy - Di 0.5 played"),
    text("grid-upper-half.csv", "Nr;Name;1;2;3;Pkt\n1;Ann;;1;½;1½\n2;Bob;;;1;1\n3;Cy;;;;½\n", "Ann - Bob 1 played\nAnn - Cy 0.5 played\nBob - Cy 1 played"),
    text("numbers-and-ratings-in-names.csv", "Weiß;Schwarz;Ergebnis\n1 Alt, Anna (1800);5 Bau, Bert (1650);1:0\n", "Alt, Anna - Bau, Bert 1 played 1800/1650"),
    text("football-pools.csv", "White,Black,Result\nA,B,1\nA,C,X\nB,C,2\n", "A - B 1 played\nA - C 0.5 played\nB - C 0 played"),
    text("dates-of-skipped-rows-count.csv", "White,Black,Result,Date\nA,B,1-0,05/09/2026\nA,C,w.o.,26/09/2026\n", "A - B 1 played 2026-09-05", skipped=(3,)),
    text("points-of-both.csv", "White,White points,Black,Black points\nAnn,1,Bob,0\nCy,½,Di,½\nEd,0,Flo,0\n", "Ann - Bob 1 played\nCy - Di 0.5 played\nEd - Flo 0 unrated"),
    text("letters-and-colours.csv", "Rank;Name;Round 1;Round 2;Score\n1;Ann;W3(w);W2(b);2\n2;Bob;W4(w);L1(w);1\n3;Cy;L1(b);D4(w);0.5\n4;Di;L2(b);D3(b);0.5\n",
         "Ann - Cy 1 played r1\nBob - Ann 0 played r2\nBob - Di 1 played r1\nCy - Di 0.5 played r2"),
    text("days-in-headings.csv", "Nr;Name;1. Rd (4.9.);2. Rd (11.9.);Pkt\n1;Ann;2w1;3s1;2\n2;Bob;1s0;4w1;1\n3;Cy;4w½;1w0;½\n4;Di;3s½;2s0;½\n",
         "Ann - Bob 1 played r1\nCy - Ann 0 played r2\nBob - Di 1 played r2\nCy - Di 0.5 played r1"),
    text("rounds-in-blocks.csv", "Runde;Weiß;Schwarz;Erg.\n1;A;B;1:0\n;C;D;0:1\n2;A;C;1:0\n", "A - B 1 played r1\nC - D 0 played r1\nA - C 1 played r2"),
    text("rounds-with-holes.csv", "Runde;Weiß;Schwarz;Erg.\n1;A;B;1:0\n;C;D;0:1\n1;E;F;½\n", "A - B 1 played r1\nC - D 0 played\nE - F 0.5 played r1"),
]  # fmt: skip
