"""Tables as result servers and pairing programs export them; typed after their public formats."""

from __future__ import annotations

import pytest
import xlsxwriter

from arpad.event.field import known_ratings
from arpad.event.report import report
from arpad.read.reading import games_from

CHESS_RESULTS = """\
From the Tournament-Database of Chess-Results http://chess-results.com;;;;;;;;;;;;
;;;;;;;;;;;;
Autumn Open 2025;;;;;;;;;;;;
Last update 05.10.2025 18:02:11, Creator/Last Upload: Example;;;;;;;;;;;;
Final Ranking crosstable after 3 Rounds;;;;;;;;;;;;
Rk.;;Name;Rtg;FED;1.Rd;2.Rd;3.Rd;Pts.; TB1; TB2; TB3;
1;FM;Adler, Anna;2210;GER;4w1;2b½;3w1;2,5;0;3,5;4,5;
2;;Cruz, Clara;1980;ESP;6w1;1w½;4b0;1,5;0;4;4,5;
3;;Berg, Bruno;2105;AUT;5b1;-0;1b0;1;0;3,5;4;
4;;Dorn, Dirk;1890;GER;1b0;6w+;2w1;2;0;5;5,5;
5;;Egger, Eva;1750;SUI;3w0;-1;6b½;1,5;0;2;2;
6;;Fink, Fritz;1600;GER;2b0;4b-;5w½;0,5;0;4;4;
"""
"""Excel and text exports of chess-results.com and Swiss-Manager: opponent, colour, result."""
SWISS_CHESS = """\
Autumn Open 2025

Fortschrittstabelle: Stand nach der 3. Runde  (nach Rangliste)

Nr. Teilnehmer          NWZ   1    2    3   Punkte Buchh SoBe
 1. Adler, Anna         2210  4w1  2s½  3w1   2.5   4.5  3.75
 2. Cruz, Clara         1980  6w1  1w½  4s0   1.5   4.0  1.50
 3. Berg, Bruno         2105  5s1  -    1s0   1.0   4.0  2.75
 4. Dorn, Dirk          1890  1s0  6w+  2w1   2.0   5.0  0.50
 5. Egger, Eva          1750  3w0  +    6s½   1.5   2.0  0.25
 6. Fink, Fritz         1600  2s0  4s-  5w½   0.5   4.5  0.75
"""
"""Swiss-Chess: `s` is Black."""
VEGA = """\
Autumn Open 2025
Crosstable after round 3

 Pos  ID   NAME               Rtg   Fed  1      2      3      Pts   BucT
-------------------------------------------------------------------------
   1   1   Adler, Anna        2210  GER  +W4    =B2    +W3    2.5   4.5
   2   2   Cruz, Clara        1980  ESP  +W6    =W1    -B4    1.5   4.0
   3   3   Berg, Bruno        2105  AUT  +B5           -B1    1.0   4.0
   4   4   Dorn, Dirk         1890  GER  -B1    >W6    +W2    2.0   5.0
   5   5   Egger, Eva         1750  SUI  -W3    +BYE   =B6    1.5   2.0
   6   6   Fink, Fritz        1600  GER  -B2    <B4    =W5    0.5   4.5
"""
"""Vega: result, colour, opponent; > and < are games won and lost by forfeit."""
GAMES = {
    ("1", "Adler, Anna", "Dorn, Dirk", 1.0, "played"),
    ("1", "Cruz, Clara", "Fink, Fritz", 1.0, "played"),
    ("1", "Egger, Eva", "Berg, Bruno", 0.0, "played"),
    ("2", "Cruz, Clara", "Adler, Anna", 0.5, "played"),
    ("2", "Dorn, Dirk", "Fink, Fritz", 1.0, "forfeit"),
    ("2", "Egger, Eva", None, 1.0, "bye"),
    ("3", "Adler, Anna", "Berg, Bruno", 1.0, "played"),
    ("3", "Dorn, Dirk", "Cruz, Clara", 1.0, "played"),
    ("3", "Fink, Fritz", "Egger, Eva", 0.5, "played"),
}
POINTS = {"Adler, Anna": 2.5, "Dorn, Dirk": 2.0, "Cruz, Clara": 1.5, "Egger, Eva": 1.5, "Berg, Bruno": 1.0, "Fink, Fritz": 0.5}  # fmt: skip


@pytest.mark.parametrize(("name", "text"), [
    ("chess_results.csv", CHESS_RESULTS), ("swiss_chess.txt", SWISS_CHESS), ("vega.txt", VEGA),
])  # fmt: skip
def test_a_crosstable_gives_its_games_and_points(write, name, text):
    games = games_from(write(text, name))
    people = games.players["name"].to_list()
    columns = ("round", "white", "black", "score", "status")
    found = {
        (at, people[white], None if black is None else people[black], score, status)
        for at, white, black, score, status in games.table.select(columns).iter_rows()
        if black is not None or score
    }
    assert found == GAMES
    assert known_ratings(games)[people.index("Egger, Eva")] == 1750
    assert [event.name for event in games.events] == ["Autumn Open 2025"]
    standings = report(games).players
    assert dict(standings.select("name", "points").iter_rows()) == POINTS


PAIRINGS = """\
From the Tournament-Database of Chess-Results http://chess-results.com
Autumn Open 2025
Round 1 on 2025/10/03 at 18:00
Bo.;No.;;Name;Rtg;Pts.;Result;Pts.;;Name;Rtg;No.
1;1;FM;Adler, Anna;2210;0;1 - 0;0;;Dorn, Dirk;1890;4
2;5;;Egger, Eva;1750;0;0 - 1;0;;Berg, Bruno;2105;3
3;2;;Cruz, Clara;1980;0;½ - ½;0;;Fink, Fritz;1600;6
4;7;;Gold, Gina;1500;0;1;;;bye;;
"""


def test_titles_stand_under_an_empty_heading(write):
    for name, text in (("t.csv", CHESS_RESULTS), ("t.xlsx", CHESS_RESULTS)):
        file = write(text, name) if name.endswith("csv") else sheet_of(text, write("", name))
        games = games_from(file)
        assert [event.name for event in games.events] == ["Autumn Open 2025"]
        assert games.players.filter(name="Adler, Anna").select("title", "federation").row(0) == ("FM", "GER")


def sheet_of(text: str, path: str) -> str:
    book = xlsxwriter.Workbook(path)
    sheet = book.add_worksheet()
    for at, line in enumerate(text.splitlines()):
        sheet.write_row(at, 0, line.split(";"))
    book.close()
    return path


def test_a_list_of_pairings_gives_round_day_and_results(write):
    games = games_from(write(PAIRINGS, "pairings.csv"))
    assert games.table["round"].str.extract(r"^(\d+)").to_list() == ["1"] * 4
    assert {str(day) for day in games.table["date"]} == {"2025-10-03"}
    assert [event.name for event in games.events] == ["Autumn Open 2025"]
    assert games.table["score"].to_list() == [1.0, 0.0, 0.5, 1.0]
    assert games.table["status"].to_list() == ["played", "played", "played", "bye"]
    assert known_ratings(games)[games.players["name"].to_list().index("Adler, Anna")] == 2210
