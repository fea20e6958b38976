from __future__ import annotations

import datetime as dt

import pytest

from arpad.errors import FormatError
from arpad.publish.export.games import write_games
from arpad.read import read
from tests.read.samples import TRF, TRF26_TEAMS


def summary(games) -> list[tuple]:
    return sorted(
        games.frame().select("round", "white", "black", "score", "black_score", "status").rows(), key=str
    )


EXPECTED = [
    ("1", "Alpha, Anton", "Gamma, Gustav", 1.0, 0.0, "played"),
    ("1", "Delta, Dag", "Beta, Berit", 0.5, 0.5, "played"),
    ("1", "Epsilon, Even", None, 1.0, None, "bye"),
    ("2", "Beta, Berit", "Gamma, Gustav", 1.0, 0.0, "forfeit"),
    ("2", "Delta, Dag", None, 0.5, None, "bye"),
    ("2", "Epsilon, Even", "Alpha, Anton", 0.0, 1.0, "played"),
]


def test_everything_in_a_trf16(write):
    reading = read(write(TRF))
    games = reading.games
    assert summary(games) == EXPECTED
    assert reading.report.notes == []
    first = games.player(0)
    assert (first.name, first.title, first.sex, first.federation, first.id) == (
        "Alpha, Anton",
        "GM",
        "m",
        "NOR",
        "1500011",
    )
    assert (first.birth, first.rating) == ("1990-01-31", 2601.0)
    assert games.player(2).birth == "2001"
    assert games.player(4).rating is None
    event = games.events[0]
    assert (event.name, event.site, event.federation, event.rounds) == ("Sample Open", "Oslo", "NOR", 3)
    assert event.deputies == ("FA Berg, Kari", "FA Berg, Kim")
    assert event.teams == (("Blue team", (0, 2)),)
    assert games.table.filter(games.table["round"] == "2")["date"].to_list() == [dt.date(2026, 3, 7)] * 3


def test_trf26_with_teams(write):
    reading = read(write(TRF26_TEAMS))
    games = reading.games
    assert reading.report.notes == []
    assert len(games) == 4
    assert set(games.table["status"].to_list()) == {"played"}
    assert [name for name, _ in games.events[0].teams] == ["Oslo SK", "Bergen SK", "Tromso SK"]
    assert games.events[0].teams[0][1] == (0, 3)
    assert games.events[0].time_control == "5400+30"


@pytest.mark.parametrize("change", [
    lambda t: t.replace("\n", "\r\n"),
    lambda t: t.replace("\n", "\r"),
    lambda t: t.replace("Alpha", "Älpha").encode("latin-1"),
    lambda t: t.replace("Alpha", "Älpha"),
    lambda t: "\ufeff" + t,
    lambda t: t.upper().replace("XXR", "XXR"),
], ids=["CRLF", "CR", "Latin-1", "UTF-8", "BOM", "upper case"])  # fmt: skip
def test_other_ways_to_write_it(write, change):
    games = read(write(change(TRF))).games
    assert [r[3:] for r in sorted(summary(games), key=lambda r: (r[0], r[5], str(r[3])))] == [
        r[3:] for r in sorted(EXPECTED, key=lambda r: (r[0], r[5], str(r[3])))
    ]


def test_columns_counted_in_bytes(write):
    """Some programs pad to bytes of UTF-8: the rounds then stand one column to the left."""
    text = TRF.replace("Alpha, Anton ", "Älphä, Anton")[:0] + TRF.replace("Alpha, Anton  ", "Älphä, Anton")
    games = read(write(text)).games
    assert games.player(0).name == "Älphä, Anton"
    assert games.player(0).rating == 2601.0
    assert len(games) == 6


def test_writing_trf16_and_reading_it_again(write, tmp_path):
    games = read(write(TRF)).games
    target = tmp_path / "again.trf"
    assert write_games(games, target) == []
    again = read(target)
    assert again.report.notes == []
    assert summary(again.games) == EXPECTED
    assert again.games.players.equals(games.players)
    assert again.games.events[0].teams == games.events[0].teams
    assert again.games.events[0].deputies == games.events[0].deputies
    assert target.read_text() == TRF
    assert write_games(games, target, "trf16") == []
    assert summary(read(target).games) == EXPECTED
    assert b"\r\n" in target.read_bytes()


def line(number: int, points: str, *rounds: str) -> str:
    head = f"001 {number:4d}      Player {number}"
    return f"{head:<80}{points:>4} {number:4d}  " + "  ".join(rounds)


def test_points_that_do_not_add_up_are_reported_with_their_line(write):
    text = "012 X\n" + line(1, "2.0", "   2 w 1") + "\n" + line(2, "0.0", "   1 b 0") + "\n"
    reading = read(write(text))
    (note,) = reading.report.notes
    assert (note.line, note.action) == (2, "noted")
    assert "says 2.0, its results give 1" in note.reason
    assert len(reading.games) == 1


def test_scoring_system_is_respected(write):
    text = "XXS W=3 D=1\n" + line(1, "3.0", "   2 w 1") + "\n" + line(2, "0.0", "   1 b 0") + "\n"
    assert read(write(text)).report.notes == []


@pytest.mark.parametrize(("first", "second", "reason"), [
    ("   2 w 1", "   1 w 0", "both lines say colour"),
    ("   2 w 1", "   1 b 1", "do not agree"),
    ("   2 w 1", "        ", "this line is taken"),
    ("   9 w 1", "        ", "no line of its own"),
    ("   2 w ?", "   1 b ?", "expected a result"),
    ("  x2 w 1", "        ", "expected an opponent"),
])  # fmt: skip
def test_lines_that_disagree(write, first, second, reason):
    text = line(1, "", first) + "\n" + line(2, "", second) + "\n"
    notes = read(write(text)).report.notes
    assert any(reason in n.reason for n in notes), notes


def test_results_that_do_not_agree_are_kept_for_points_only(write):
    text = line(1, "1.0", "   2 w 1") + "\n" + line(2, "1.0", "   1 b 1") + "\n"
    games = read(write(text)).games
    assert games.table.select("score", "black_score", "status").rows() == [(1.0, 1.0, "unrated")]


def test_double_forfeit(write):
    text = line(1, "0.0", "   2 w -") + "\n" + line(2, "0.0", "   1 b -") + "\n"
    games = read(write(text)).games
    assert games.table.select("score", "black_score", "status").rows() == [(0.0, 0.0, "forfeit")]


def test_repeated_and_unreadable_numbers(write):
    text = line(1, "0.0") + "\n" + line(1, "0.0") + "\n" + line(2, "0.0").replace("   2 ", "   x ") + "\n"
    reasons = [n.reason for n in read(write(text)).report.of("skipped")]
    assert "is in line 1 already" in reasons[0]
    assert "expected a starting number" in reasons[1]


def test_no_players(write):
    with pytest.raises(FormatError, match="player lines"):
        read(write("012 Nothing here\n042 2020/01/01\n"))


@pytest.mark.data
def test_every_real_trf_is_read(data):
    seen = {}
    for path in sorted((data / "trf").glob("*.trf")):
        reading = read(path)
        seen[path.stem] = (reading.games.players.height, (reading.games.table["status"] == "played").sum())
    assert len(seen) == 20
    assert seen["sklangen__example1"] == (283, 970)  # the 284th line is "spielfrei"
    assert seen["py4swiss__javafo_example"] == (52, 89)


@pytest.mark.data
@pytest.mark.parametrize(("name", "line", "reason"), [
    ("incorrect_points", 2, "points do not add up: the line says 4.0, its results give 3"),
    ("incompatible_color", 2, "both lines say colour"),
    ("incompatible_result", 2, "do not agree"),
    ("missing_result", 2, "line 3 says nothing"),
    ("too_many_results", 2, "a result in round 6, but the event has 5 rounds"),
    ("invalid_code", 7, "found '101'"),
])  # fmt: skip
def test_deliberately_invalid_files_are_named(data, name, line, reason):
    notes = read(data / "trf" / f"py4swiss__{name}.trf").report.notes
    assert any(n.line == line and reason in n.reason for n in notes), notes


@pytest.mark.data
@pytest.mark.parametrize("name", ["sklangen__example1", "py4swiss__javafo_example", "sklangen__2020_06"])
def test_real_files_survive_a_round_trip(data, tmp_path, name):
    games = read(data / "trf" / f"{name}.trf").games
    write_games(games, tmp_path / "again.trf")
    again = read(tmp_path / "again.trf")
    assert summary(again.games) == summary(games)
    assert again.games.players.equals(games.players)


def test_places_and_byes_stay_with_their_players_where_a_word_for_a_bye_is_left_out(write):
    lines = [
        f"001 {n:4d} m    {name:<33} {rating:>4} GER {'':>11} {'':>10} {points:>4} {rank:>4}  0000 - {letter}"
        for n, name, rating, points, rank, letter in (
            (1, "spielfrei", "", "0.0", "", "-"), (2, "Ann", 2000, "1.0", 1, "+"), (3, "Bob", 1900, "1.0", 2, "U"),
        )
    ]  # fmt: skip
    games = read(write("012 Small\n" + "\n".join(lines) + "\n", "small.trf")).games
    assert games.players["name"].to_list() == ["Ann", "Bob"]
    assert games.events[0].ranks == ((0, 1), (1, 2))
    assert games.events[0].byes == ((0, 1, "+"),)
