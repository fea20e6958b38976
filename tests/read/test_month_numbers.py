"""Tables that count months, and tables of football."""

from __future__ import annotations

import datetime as dt

import pytest

from arpad.read import read


def test_months_are_counted_from_the_first(write):
    file = write("Month #,White Player #,Black Player #,Score\n1,73,1246,0.5\n12,73,5,1\n95,5,73,0\n", "k.csv")  # fmt: skip
    games = read(file).games
    assert games.table["date"].to_list() == [dt.date(1, 1, 1), dt.date(1, 12, 1), dt.date(8, 11, 1)]
    assert set(games.table["precision"]) == {"month"}
    assert sorted(games.players["name"]) == ["1246", "5", "73"]
    assert games.table["score"].to_list() == [0.5, 1, 0]


def test_a_month_that_is_none_has_no_date(write):
    reading = read(write("month,white,black,result\n0,A,B,1-0\n2.5,A,B,1-0\nx,A,B,1-0\n,A,B,1-0\n7,A,B,1-0\n", "m.csv"))  # fmt: skip
    assert reading.games.table["date"].to_list() == [None] * 4 + [dt.date(1, 7, 1)]
    reasons = [note.reason for note in reading.report.notes if note.action == "repaired"]
    assert len(reasons) == 3
    assert any("expected the number of a month, 1 or more, found 2.5" in why for why in reasons)


@pytest.mark.parametrize(("head", "row"), [("month,date", "7,2024-03-01"), ("year,month", "2024,7")])
def test_a_month_beside_a_date_or_a_year_is_none_of_these(write, head, row):
    games = read(write(f"{head},white,black,result\n{row},A,B,1-0\n", "m.csv")).games
    assert games.table["date"].to_list() in ([dt.date(2024, 3, 1)], [None])


def test_the_home_side_is_white(write):
    file = write("date,home_team,away_team,home_score,away_score,neutral\n2024-01-01,Wales,Malta,3,1,FALSE\n2024-01-02,Malta,Wales,0,0,TRUE\n", "f.csv")  # fmt: skip
    games = read(file).games
    assert games.frame().select("white", "score").rows() == [("Wales", 1.0), ("Malta", 0.5)]
