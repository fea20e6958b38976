from __future__ import annotations

import datetime as dt

import pandas as pd
import polars as pl
import pytest

from arpad.errors import InputError, UsageError
from arpad.read import from_frame, read
from arpad.read.headings import HeadingsError

CSV = """date,white,black,result,white_elo,round
2024-01-02,Ann,Bob,1-0,2100,1
2024.01.03,Bob,Cleo,1/2-1/2,-,2
2024-01,Cleo,Ann,0.25,,3
2023,Ann,Cleo,+/-,1900,4
"""


def test_csv(write):
    games = read(write(CSV)).games
    assert games.table["score"].to_list() == [1.0, 0.5, 0.25, 1.0]
    assert games.table["black_score"].to_list() == [0.0, 0.5, 0.75, 0.0]
    assert games.table["status"].to_list() == ["played", "played", "played", "forfeit"]
    assert games.table["precision"].to_list() == ["day", "day", "month", "year"]
    assert games.table["white_rating"].to_list() == [2100.0, None, None, 1900.0]


@pytest.mark.parametrize("separator", [";", "\t", "|"])
def test_other_separators(write, separator):
    games = read(write(CSV.replace(",", separator))).games
    assert len(games) == 4


def test_parquet_polars_and_pandas_agree(write, tmp_path):
    games = read(write(CSV)).games
    frame = pl.read_csv(write(CSV), infer_schema=False)
    frame.write_parquet(tmp_path / "g.parquet")
    assert read(tmp_path / "g.parquet").games.table.equals(games.table)
    assert from_frame(frame).table.equals(games.table)
    assert from_frame(pd.DataFrame(frame.to_dict(as_series=False))).table.equals(games.table)


def test_columns_are_mapped(write):
    text = "home,away,hg,ag\nA,B,2,1\nB,A,0,0\n"
    columns = {"white": "home", "black": "away", "white_goals": "hg", "black_goals": "ag"}
    assert read(write(text), columns=columns, format="csv").games.table["score"].to_list() == [1.0, 0.5]


def test_columns_that_are_not_there(write):
    with pytest.raises(UsageError, match="has no column 'guest'"):
        read(write(CSV), columns={"black": "guest"})
    with pytest.raises(UsageError, match="expected one of"):
        read(write(CSV), columns={"blue": "black"})


def test_missing_columns_say_what_to_do(write):
    with pytest.raises(HeadingsError) as error:
        read(write("white,blue,result\nA,B,1-0\n"))
    assert error.value.missing == ("black",)
    assert error.value.proposal == {"white": "white", "black": "blue", "result": "result"}


def test_bad_rows_are_reported_with_their_line(write):
    text = (
        CSV
        + "2024-01-05,Ann,,1-0,2100,5\n2024-01-05,Ann,Bob,9-0,2100,5\n2024-01-05,Ann,Ann,1-0,2100,5\n2024-01-05,Ann,Bob,2.5,,6\n"
    )
    reading = read(write(text))
    notes = {n.line: n.reason for n in reading.report.of("skipped")}
    assert set(notes) == {7, 8, 9}
    assert reading.games.table["status"].to_list()[4] == "bye"  # a point against nobody
    assert reading.records == 8


def test_numbers_as_names_ids_and_dates():
    frame = pl.DataFrame(
        {"white": [1, 2], "black": [2, 3], "score": [1, 0], "white_id": [11, 0], "date": [20240131, 1999]}
    )
    games = from_frame(frame)
    assert games.players["name"].to_list() == ["1", "2", "3"]
    assert games.table["date"].to_list() == [dt.date(2024, 1, 31), dt.date(1999, 1, 1)]


def test_repeated_rows(write):
    text = CSV + CSV.split("\n")[1] + "\n"
    reading = read(write(text))
    assert "the same game as in line 2" in reading.report.of("skipped")[0].reason
    # Without a round, two games of one day may well be two games.
    undated = "white,black,result\nA,B,1-0\nA,B,1-0\n"
    assert len(read(write(undated)).games) == 2


def test_several_files_are_one(write):
    one = write("white,black,result\nAnn,Bob,1-0\n", "1.csv")
    two = write("white,black,result\nBob,Cleo,1-0\n", "2.csv")
    games = read([one, two]).games
    assert games.players["name"].to_list() == ["Ann", "Bob", "Cleo"]
    assert games.table["white"].to_list() == [0, 1]


def test_other_things_are_refused():
    with pytest.raises(UsageError, match="Polars or pandas"):
        from_frame([1, 2])


@pytest.mark.data
def test_the_large_parquet_accounts_for_every_row(data):
    reading = read(data / "twic_results" / "results_2010_2016_fideid.parquet")
    assert reading.records == 748_444
    reasons = [n.reason for n in reading.report.of("skipped")]
    assert sum("same player" in r for r in reasons) == 5
    assert sum("the same game" in r for r in reasons) == 25
    assert len(reasons) == 30
    status = dict(reading.games.table["status"].value_counts().iter_rows())
    assert status == {"played": 747_886, "forfeit": 512, "unrated": 16}
    assert reading.games.players.height == 55_813


@pytest.mark.data
def test_football_is_read_too(data):
    columns = {
        "white": "home_team",
        "black": "away_team",
        "white_goals": "home_score",
        "black_goals": "away_score",
    }
    reading = read(data / "other_results" / "football_international.parquet", columns=columns)
    assert len(reading.games) == 49_520


def test_damaged_parquet_is_refused_in_silence(tmp_path, capfd):
    path = tmp_path / "bad.parquet"
    rows = 200
    pl.DataFrame(
        {"white": ["A", "B"] * rows, "black": ["B", "C"] * rows, "result": ["1-0"] * 2 * rows}
    ).write_parquet(path)
    data = path.read_bytes()
    refused = 0
    for at in range(8, len(data) - 8, 29):
        path.write_bytes(data[:at] + b"\xff\x00" + data[at + 2 :])
        try:
            read(path)
        except InputError:
            refused += 1
    assert refused
    assert capfd.readouterr().err == ""


def test_dates_of_which_only_a_part_is_known_stay_so(run, tmp_path):
    first, second = tmp_path / "a.csv", tmp_path / "b.csv"
    first.write_text("White,Black,Result,Date\nA,B,1-0,2026\nB,C,1-0,2025-05\nC,A,1-0,2025-05-17\n")
    assert run("convert", first, second).code == 0
    assert [row["date"] for row in pl.read_csv(second, infer_schema=False).iter_rows(named=True)] == [
        "2026",
        "2025-05",
        "2025-05-17",
    ]
    assert read(second).games.fingerprint() == read(first).games.fingerprint()
