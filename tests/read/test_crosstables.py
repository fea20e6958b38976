"""Crosstables as clubs write them: the same games from every shape, and questions instead of guesses."""

from __future__ import annotations

import pytest

from arpad.read import read
from arpad.read.crosstables import CrosstableError
from arpad.read.headings import HeadingsError
from tests.read.messy.files import told, xlsx

# Three rounds of six players, typed by hand; every shape below says the same.
COLOURED = """
1 Meier, Anna - Lang, Dora 1-0
1 Neu, Emil - Müller, Bert 0-1
1 Kurz, Carl - Alt, Fritz 1-0
2 Müller, Bert - Meier, Anna 0.5-0.5
2 Lang, Dora - Alt, Fritz 1-0
2 Kurz, Carl bye 1
3 Meier, Anna - Kurz, Carl 1-0
3 Lang, Dora - Müller, Bert 0-1 forfeit
3 Neu, Emil - Alt, Fritz 0.5-0.5
"""
PEOPLE = ("Meier, Anna", "Müller, Bert", "Kurz, Carl", "Lang, Dora", "Neu, Emil", "Alt, Fritz")
DIGITS = [
    ("4w1", "2s½", "3w1"),
    ("5s1", "1w½", "4s+"),
    ("6w1", "spielfrei", "1s0"),
    ("1s0", "6w1", "2w-"),
    ("2w0", "-", "6w½"),
    ("3s0", "4s0", "5s½"),
]
SWISS = {
    "12w1": DIGITS,
    "1w12": [
        ("1w4", "½s2", "1w3"), ("1s5", "½w1", "+s4"), ("1w6", "1 bye", "0s1"),
        ("0s1", "1w6", "-w2"), ("0w2", "", "½w6"), ("0s3", "0s4", "½s5"),
    ],
    "w12 1": [
        ("W4 1", "B2 ½", "W3 1"), ("B5 1", "W1 ½", "B4 +"), ("W6 1", "bye", "B1 0"),
        ("B1 0", "W6 1", "W2 -"), ("W2 0", "--", "W6 ½"), ("B3 0", "B4 0", "B5 ½"),
    ],
    "+w12 and a marked forfeit": [
        ("+w4", "=b2", "+w3"), ("+b5", "=w1", "+b4F"), ("+w6", "+bye", "-b1"),
        ("-b1", "+w6", "-w2F"), ("-w2", "", "=w6"), ("-b3", "-b4", "=b5"),
    ],
    "w12+": [
        ("w4+", "b2=", "w3+"), ("b5+", "w1=", "b4+k"), ("w6+", "+", "b1-"),
        ("b1-", "w6+", "w2-k"), ("w2-", "", "w6="), ("b3-", "b4-", "b5="),
    ],
    "+12w": [
        ("+4b", "=2n", "+3b"), ("+5n", "=1b", "+4n F"), ("+6b", "exempt", "-1n"),
        ("-1n", "+6b", "-2b F"), ("-2b", "", "=6b"), ("-3n", "-4n", "=5n"),
    ],
}  # fmt: skip
# The same without colours; the table cannot say who had White.
BLIND = {
    "+12": [("+4", "=2", "+3"), ("+5", "=1", "+4"), ("+6", "bye", "-1"), ("-1", "+6", "-2"), ("-2", "", "=6"), ("-3", "-4", "=5")],
    "1-12": [("1-4", "½-2", "1-3"), ("1-5", "½-1", "1-4"), ("1-6", "bye", "0-1"), ("0-1", "1-6", "0-2"), ("0-2", "", "½-6"), ("0-3", "0-4", "½-5")],
    "12+": [("4+", "2=", "3+"), ("5+", "1=", "4+"), ("6+", "bye", "1-"), ("1-", "6+", "2-"), ("2-", "", "6="), ("3-", "4-", "5=")],
    "12 (1)": [("4 (1)", "2 (½)", "3 (1)"), ("5 (1)", "1 (½)", "4 (1)"), ("6 (1)", "bye", "1 (0)"), ("1 (0)", "6 (1)", "2 (0)"), ("2 (0)", "", "6 (½)"), ("3 (0)", "4 (0)", "5 (½)")],
    "W12": [("W4", "D2", "W3"), ("W5", "D1", "W4"), ("W6", "B---", "L1"), ("L1", "W6", "L2"), ("L2", "U---", "D6"), ("L3", "L4", "D5")],
    "G12": [("G4", "R2", "G3"), ("G5", "R1", "G4"), ("G6", "spielfrei", "V1"), ("V1", "G6", "V2"), ("V2", "", "R6"), ("V3", "V4", "R5")],
}  # fmt: skip


def table(cells, heads=("1. Rd", "2. Rd", "3. Rd")):
    rows = [["Nr", "Name", "Elo", *heads]]
    return rows + [
        [str(i), name, "", *row] for i, (name, row) in enumerate(zip(PEOPLE, cells, strict=True), 1)
    ]


def csv(rows, above=""):
    return above + "".join(";".join(row) + "\n" for row in rows)


def reading_of(tmp_path, text, **options):
    path = tmp_path / "table.csv"
    path.write_text(text, "utf-8")
    return read(path, **options)


def lines(games):
    names = games.players["name"]
    for row in games.table.iter_rows(named=True):
        head = f"{row['round'] or '?'} {names[row['white']]}"
        tail = " forfeit" if row["status"] == "forfeit" else ""
        if row["black"] is None:
            yield f"{head} bye {row['score']:g}"
        else:
            yield f"{head} - {names[row['black']]} {row['score']:g}-{row['black_score']:g}{tail}"


@pytest.mark.parametrize("way", SWISS)
def test_swiss_tables_with_colours(tmp_path, way):
    reading = reading_of(tmp_path, csv(table(SWISS[way])))
    assert sorted(lines(reading.games)) == sorted(COLOURED.strip().split("\n"))
    assert not reading.report.of("skipped")
    assert reading.report.of("noted")[0].line == 1


@pytest.mark.parametrize("way", BLIND)
def test_swiss_tables_without_colours(tmp_path, way):
    games = reading_of(tmp_path, csv(table(BLIND[way], ("R1", "R2", "R3")))).games

    def pairs(text):
        for line in text:
            number, rest = line.removesuffix(" forfeit").split(" ", 1)
            if " - " not in rest:
                yield number, rest
                continue
            white, other = rest.split(" - ")
            black, score = other.rsplit(" ", 1)
            mine, theirs = score.split("-")
            yield number, frozenset({(white, mine), (black, theirs)})

    assert set(pairs(lines(games))) == set(pairs(COLOURED.strip().split("\n")))


def test_opponents_are_numbered_by_the_column_that_the_cells_confirm(tmp_path):
    rows = [
        ["Rank", "SNo", "Name", "1", "2", "3"],
        ["1", "3", "Cem", "1w1", "2b1", ""],
        ["2", "1", "Ann", "3b0", "", "2w1"],
        ["3", "2", "Bob", "", "3w0", "1b0"],
    ]
    games = reading_of(tmp_path, csv(rows)).games
    assert sorted(lines(games)) == ["1 Cem - Ann 1-0", "2 Bob - Cem 0-1", "3 Ann - Bob 1-0"]


def test_a_grid(tmp_path):
    rows = [
        ["No", "Name", "Rating", "1", "2", "3", "4", "Pts"],
        ["1", "Ann", "1900", "x", "1", "½", "1", "2½"],
        ["2", "Bob", "1800", "0", "x", "1", "+", "2"],
        ["3", "Cem", "1700", "1/2", "0", "x", "1", "1,5"],
        ["4", "Dan", "1650,5", "0", "-", "0", "x", "0"],
    ]
    reading = reading_of(tmp_path, csv(rows, "Club championship\n\n"))
    assert list(lines(reading.games)) == [
        "? Ann - Bob 1-0", "? Ann - Cem 0.5-0.5", "? Ann - Dan 1-0",
        "? Bob - Cem 1-0", "? Bob - Dan 1-0 forfeit", "? Cem - Dan 1-0",
    ]  # fmt: skip
    assert reading.games.table["black_rating"].to_list() == [1800, 1700, 1650.5, 1700, 1650.5, 1650.5]
    assert len(reading.report) == 1  # what was understood


def test_a_double_grid(tmp_path):
    rows = [
        ["Name", "1", "2", "3"],
        ["Ann", "", "1½", "0 1"],
        ["Bob", "0½", "", "11"],
        ["Cem", "1 0", "00", ""],
    ]
    games = reading_of(tmp_path, csv(rows)).games
    assert list(lines(games)) == [
        "? Ann - Bob 1-0", "? Ann - Bob 0.5-0.5", "? Ann - Cem 0-1", "? Ann - Cem 1-0",
        "? Bob - Cem 1-0", "? Bob - Cem 1-0",
    ]  # fmt: skip


def test_a_total_that_is_not_the_sum_is_noted(tmp_path):
    rows = [
        ["Name", "1", "2", "3", "Punkte"],
        ["A", "x", "1", "1", "2"],
        ["B", "0", "x", "1", "2"],
        ["C", "0", "0", "x", "0"],
    ]
    notes = reading_of(tmp_path, csv(rows)).report.of("noted")
    assert [n.line for n in notes] == [1, 3]


def test_cells_that_contradict_are_left_out(tmp_path):
    cells = [list(row) for row in DIGITS]
    cells[0][0] = "4w½"
    reading = reading_of(tmp_path, csv(table(cells)))
    assert [n.line for n in reading.report.of("skipped")] == [2, 5]
    assert sorted(lines(reading.games)) == sorted(COLOURED.strip().split("\n")[1:])


def test_a_table_that_contradicts_itself_is_refused(tmp_path):
    cells = [[cell.replace("1", "0") for cell in row] for row in DIGITS]
    with pytest.raises(CrosstableError) as error:
        reading_of(tmp_path, csv(table(cells)))
    assert error.value.line == 2
    assert len(error.value.cells) == 3


def test_a_table_with_two_readings_is_refused(tmp_path):
    # by the first column of numbers A beats C, by the second A beats D
    rows = [["Nr", "No", "Name", "R1", "R2"]]
    for nr, no, name, cell in (
        ("1", "2", "A", "+3"),
        ("2", "1", "B", "+4"),
        ("3", "4", "C", "-1"),
        ("4", "3", "D", "-2"),
    ):
        rows.append([nr, no, name, cell, cell])
    with pytest.raises(CrosstableError) as error:
        reading_of(tmp_path, csv(rows))
    assert len(error.value.readings) == 2


def test_two_columns_of_ratings_are_asked_about(tmp_path):
    rows = [
        ["Name", "Elo", "DWZ", "1", "2", "3"],
        ["A", "1900", "1800", "x", "1", "1"],
        ["B", "", "", "0", "x", "1"],
        ["C", "", "", "0", "0", "x"],
    ]
    with pytest.raises(HeadingsError) as error:
        reading_of(tmp_path, csv(rows))
    assert error.value.choices == {"white_rating": ("Elo", "DWZ")}
    games = reading_of(tmp_path, csv(rows), columns={"white_rating": "DWZ"}).games
    assert games.table["white_rating"].to_list() == [1800, 1800, None]


def test_crosstables_in_spreadsheets(tmp_path):
    path = tmp_path / "open.xlsx"
    path.write_bytes(xlsx({"Notes": [["Dear reader"]], "Table": [["Autumn open"], *table(DIGITS)]}))
    reading = read(path)
    assert sorted(lines(reading.games)) == sorted(COLOURED.strip().split("\n"))
    assert told(reading.games)


def test_a_sheet_for_each_round(tmp_path):
    head = ["Brett", "Weiß", "Ergebnis", "Schwarz"]
    path = tmp_path / "rounds.xlsx"
    path.write_bytes(
        xlsx({"Runde 1": [head, ["1", "A", "1:0", "B"]], "Runde 2": [head, ["1", "B", "½:½", "A"]]})
    )
    assert list(lines(read(path).games)) == ["1 A - B 1-0", "2 B - A 0.5-0.5"]
