"""PRA text, USCF crosstables, FIDE lists."""

from __future__ import annotations

import pytest

from arpad.errors import InputError
from arpad.publish.export.games import write_games
from arpad.read import read, read_list
from arpad.read.fide_list import read_fide_list
from arpad.read.source import Report, Source
from tests.read.samples import FIDE_TXT, FIDE_XML, PRA, USCF_TEXT


def test_pra(write):
    games = read(write(PRA)).games
    assert len(games) == 12
    assert games.players["name"].to_list() == ["Polgar", "Agdestein", "Motwani", "Short"]
    assert games.events[0].name == "Isle of Lewis 1995"
    assert games.events[0].number_two == 2807
    assert games.frame().select("white", "black", "score").row(0) == ("Motwani", "Agdestein", 0.5)


def test_pra_round_trip(write, tmp_path):
    games = read(write(PRA)).games
    assert write_games(games, tmp_path / "again.pra") == []
    again = read(tmp_path / "again.pra").games
    assert again.table.equals(games.table)
    assert again.players.equals(games.players)
    assert again.events == games.events


def test_pra_missing_ratings(write):
    games = read(write(PRA.replace("2499 Motwani", "- Motwani").replace("2807", "-"))).games
    assert games.players["rating"].to_list() == [2687.0, 2607.0, None, 2707.0]
    assert games.events[0].number_two is None


@pytest.mark.parametrize(("change", "line", "reason"), [
    (("4 3 1.0", "4 9 1.0"), 11, "player numbers from 1 to 4"),
    (("4 3 1.0", "4 4 1.0"), 11, "against himself"),
    (("4 3 1.0", "4 3 2.0"), 11, "score from 0 to 1"),
    (("4 3 1.0", "4 x 1.0"), 11, "expected 'white black score'"),
    (("4 3 1.0", "0 3 1.0"), 11, "player numbers from 1 to 4, found 0 and 3"),
    (("4 3 1.0", "4 5 1.0"), 11, "player numbers from 1 to 4, found 4 and 5"),
    (("4 3 1.0", "4 3 -0.5"), 11, "White's share of the point"),
    (("4 3 1.0", "4 3 1.5"), 11, "White's share of the point"),
    (("4 3 1.0", "4 3 nan"), 11, "White's share of the point"),
    (("4 3 1.0", "4 3"), 11, "expected 'white black score', found '4 3'"),
])  # fmt: skip
def test_pra_bad_games_are_reported(write, change, line, reason):
    reading = read(write(PRA.replace(*change)))
    (note,) = reading.report.of("skipped")
    assert note.line == line
    assert reason in note.reason
    assert len(reading.games) == 11


def test_pra_games_may_go_on_in_the_next_line(write):
    whole = read(write(PRA)).games
    words = PRA.split("2807\n")[1].split()
    for width in (1, 2, 4, 5, 7, 11):
        lines = [" ".join(words[at : at + width]) for at in range(0, len(words), width)]
        reading = read(write(PRA.split("2807\n")[0] + "2807\n" + "\n".join(lines) + "\n"), format="pra")
        assert reading.report.notes == []
        assert reading.games.table.equals(whole.table)


def test_pra_text_behind_its_end(write):
    for behind in ("-1 -1 -1.0 4 1 1.0\n", "-1 -1 -1.0\n4 1 1.0\n"):
        reading = read(write(PRA.replace("-1 -1 -1.0\n", behind)))
        (note,) = reading.report.notes
        assert "text behind the closing" in note.reason
        assert len(reading.games) == 12


def test_pra_without_its_end(write):
    reading = read(write(PRA.replace("-1 -1 -1.0\n", "")))
    assert "closing -1 -1 -1.0 is missing" in reading.report.notes[0].reason
    assert len(reading.games) == 12


@pytest.mark.parametrize(
    ("change", "line"),
    [
        (("\n4\n", "\nfour\n"), 2), (("2607 Agdestein", "2607"), 5), (("2607 Agd", "x Agd"), 5),
        (("\n4\n", "\n3\n"), 7), (("\n4\n", "\n5\n"), 8), (("2807\n", ""), 8),
    ],
)  # fmt: skip
def test_pra_broken_heads(write, change, line):
    with pytest.raises(InputError) as error:
        read(write(PRA.replace(*change, 1)), format="pra")
    assert error.value.line == line


def test_uscf_text(write):
    reading = read(write(USCF_TEXT))
    assert reading.files[0][1] == "uscf"
    assert reading.report.notes == []
    rows = reading.games.frame().select("round", "white", "black", "score", "status").rows()
    assert rows == [
        ("1", "Anna Example", "Carl Example", 1.0, "played"),
        ("1", "Bob Example", None, 0.5, "bye"),
        ("1", "Dora Example", None, 1.0, "bye"),
        ("2", "Bob Example", "Anna Example", 0.5, "played"),
        ("3", "Anna Example", "Dora Example", 1.0, "forfeit"),
        ("3", "Carl Example", "Bob Example", 0.0, "played"),
    ]
    assert reading.games.players["rating"].to_list() == [1794.0, 1553.0, 1210.0, 1000.0]
    assert reading.games.players["id"].to_list()[0] == "12345678"


def test_uscf_disagreement(write):
    reading = read(write(USCF_TEXT.replace("|L   1|U    |", "|W   1|U    |")))
    assert any("here, but" in n.reason for n in reading.report.of("repaired"))


@pytest.mark.data
def test_real_uscf_crosstable(data):
    reading = read(data / "uscf" / "crosstable_anon.csv")
    status = dict(reading.games.table["status"].value_counts().iter_rows())
    assert status["played"] == 204
    assert reading.games.players.height == 64
    assert reading.report.notes == []


@pytest.mark.parametrize(("text", "name"), [(FIDE_TXT, "list.txt"), (FIDE_XML, "list.xml")])
def test_fide_lists(write, text, name):
    listed = read_fide_list(Source(str(write(text, name)), Report()))
    carlsen, newcomer = listed.rows.to_dicts()
    assert (carlsen["id"], carlsen["name"], carlsen["rating"], carlsen["k"]) == (
        "1503014",
        "Carlsen, Magnus",
        2831,
        10,
    )
    assert (carlsen["title"], carlsen["federation"], carlsen["birth"]) == ("GM", "NOR", "1990")
    assert (newcomer["games"], newcomer["k"], newcomer["flag"]) == (5, 40, "w")
    assert newcomer["rating"] == (1450 if name == "list.txt" else None)
    assert listed.period == ("NOV24" if name == "list.txt" else None)


def test_xml_that_breaks_off(write):
    report = Report()
    path = write(FIDE_XML[:-60], "list.xml")
    assert read_fide_list(Source(str(path), report)).rows.height == 1
    assert "breaks off" in report.notes[0].reason


def test_a_rating_list_is_no_file_of_games(write):
    with pytest.raises(InputError, match="not a file of games"):
        read(write(FIDE_TXT))


def test_ratings_from_csv(write):
    ratings = read_list(write("player,rating,games\nAnn,2100,12\nBob,,\n", "before.csv"))
    assert ratings.rows["rating"].to_list() == [2100.0, None]


@pytest.mark.data
@pytest.mark.parametrize(
    ("name", "players", "kasparov"), [("JUL01FRL", 38622, 2838), ("APR04FRL", 51907, 2817)]
)
def test_real_fide_lists(data, name, players, kasparov):
    report = Report()
    listed = read_fide_list(Source(str(data / "fide_lists" / f"{name}.TXT.zst"), report))
    assert listed.rows.height == players
    assert report.of("skipped") == []
    row = listed.rows.filter(listed.rows["id"] == "4100018").to_dicts()[0]
    assert (row["name"], row["rating"], row["federation"], row["title"]) == (
        "Kasparov, Garry",
        kasparov,
        "RUS",
        "GM",
    )
    assert row["birth"] == "1963-04-13"
    assert listed.rows["rating"].null_count() == 0
