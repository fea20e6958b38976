"""Faults that a review found once; each has its input here so that it stays corrected."""

from __future__ import annotations

import datetime as dt
import os
import subprocess
import sys

import polars as pl
import pytest

from arpad.errors import ArpadError, InputError, UsageError
from arpad.files import input_text, write_text
from arpad.model import Games, Player, Ratings
from arpad.publish.export.games import write_games
from arpad.rate import Elo, Fide, k_policy
from arpad.rate.fide.rules import RULES
from arpad.read import read, read_list
from tests.read.samples import FIDE_TXT, PRA, TRF, USCF_TEXT


def row(ratings: Ratings, name: str) -> dict:
    return ratings.rows.filter(pl.col("player") == name).to_dicts()[0]


def csv_games(write, *lines: str) -> Games:
    head = "white,black,score,date,event,white_rating,black_rating\n"
    return read(write(head + "\n".join(lines) + "\n", "g.csv")).games


def test_without_a_date_nobody_is_a_junior():
    people = [Player(name="A", rating=2000.0, birth="1950"), Player(name="B", rating=2000.0, birth="2015")]
    games = Games.assemble({"white": [0], "black": [1], "score": [1.0]}, people)
    assert Fide().rate(games).rows["k"].to_list() == [20, 20]


def test_a_list_appears_even_in_a_month_in_which_nothing_closes(write):
    lines = [
        "A,B,1,2024-12-10,E1,2000,2000",
        "A,C,1,2025-01-30,E2,2000,2000",
        "A,D,1,2025-02-02,E2,2000,2000",
    ]
    alone = row(Fide().rate(csv_games(write, *lines)), "A")
    beside = row(Fide().rate(csv_games(write, *lines, "X,Y,1,2025-01-10,E3,2000,2000")), "A")
    # E2 begins in January: E1 is in that list, and A has 2010 there, .51 against 2000.
    assert alone["expected"] == pytest.approx(0.50 + 2 * 0.51)
    assert alone == beside | {"rank": alone["rank"]}


def test_k_is_that_of_the_start_of_the_event(write):
    people = [Player(name="J", rating=2000.0, birth="2006"), Player(name="B", rating=2000.0)]
    days = [dt.date(2024, 12, 29), dt.date(2025, 1, 3)]
    games = Games.assemble(
        {"white": [0, 0], "black": [1, 1], "score": [1.0, 1.0], "date": days, "event": [0, 0]}, people
    )
    assert row(Fide().rate(games), "J")["k"] == 40


def test_lists_can_be_chained(write, tmp_path):
    january = [f"N,O{i},0.5,2026-01-0{i + 1},E,,1900" for i in range(5)]
    february = ["N,P,1,2026-02-01,F,,1900"]
    first = Fide().rate(csv_games(write, *january))
    write_text(tmp_path / "before.csv", first.rows.write_csv())
    chained = row(Fide().rate(csv_games(write, *february), read_list(tmp_path / "before.csv")), "N")
    together = row(Fide().rate(csv_games(write, *january, *february)), "N")
    assert (chained["k"], chained["rating"]) == (together["k"], together["rating"])
    assert chained["k"] == 40


def test_games_of_a_published_list_are_no_career(write):
    listed = read_list(write(FIDE_TXT, "list.txt"))
    games = Games.assemble(
        {"white": [0], "black": [1], "score": [1.0]},
        [Player(name="Carlsen, Magnus", id="1503014"), Player(name="B", rating=2831.0)],
    )
    assert row(Elo(k=k_policy("fide")).rate(games, listed), "Carlsen, Magnus")["change"] == pytest.approx(5)


def test_namesakes_with_other_ids_are_other_people():
    listed = Ratings(
        system="x",
        rows=pl.DataFrame(
            {"player": ["Li", "Xu", "Xu"], "id": ["1", "2", "3"], "rating": [2500.0, 2100.0, 2200.0]}
        ),
        parameters={},
    )
    players = pl.DataFrame({"name": ["Li", "Li", "Li", "Xu", "Xu"], "id": ["999", "1", None, None, "3"]})
    assert listed.lookup(players).to_list() == [None, 2500.0, 2500.0, None, 2200.0]


@pytest.mark.parametrize("ending", ["csv", "parquet", "pgn"])
def test_forfeits_and_rough_dates_survive(tmp_path, ending):
    columns = {
        "white": [0, 0, 1], "black": [1, 1, 0], "score": [1.0, 0.0, 0.5], "black_score": [0.0, 0.0, 0.5],
        "status": ["forfeit", "forfeit", "played"], "date": [dt.date(1960, 1, 1)] * 3, "precision": ["year", "month", "day"],
        "round": ["1", "2", "3"],
    }  # fmt: skip
    games = Games.assemble(columns, {"name": ["A", "B"]})
    write_games(games, tmp_path / f"g.{ending}")
    again = read(tmp_path / f"g.{ending}").games
    wanted = ["score", "black_score", "status", "date", "precision", "round"]
    assert again.table.select(wanted).equals(games.table.select(wanted))


@pytest.mark.parametrize(("text", "day", "precision", "notes"), [
    ("31/12/2020", dt.date(2020, 12, 31), "day", 0), ("12/31/2020", dt.date(2020, 12, 31), "day", 0),
    ("3.4.2020", dt.date(2020, 4, 3), "day", 0),
    ("2020-1-5", dt.date(2020, 1, 5), "day", 0), ("20200315", dt.date(2020, 3, 15), "day", 0),
    ("2020-03-15T12:00:00", dt.date(2020, 3, 15), "day", 0), ("garbage", None, None, 1), ("????.??.??", None, None, 0), ("", None, None, 0),
])  # fmt: skip
def test_dates_are_understood_or_reported(write, text, day, precision, notes):
    reading = read(write(f"white,black,result,date\nA,B,1-0,{text}\nA,B,1-0,1999\n", "d.csv"))
    assert reading.games.table.select("date", "precision").row(0) == (day, precision)
    assert len(reading.report.notes) == notes


def test_a_misspelt_status_is_reported(write):
    reading = read(write("white,black,result,status\nA,B,1,forfait\nA,B,1,Bye\nA,C,1,forfeit\n", "s.csv"))
    assert "found 'forfait'" in reading.report.of("skipped")[0].reason
    assert reading.games.table["status"].to_list() == ["bye", "forfeit"]


def test_no_score_means_unplayed(write):
    assert read(write("white,black,result,status\nA,B,,played\n", "s.csv")).games.table[
        "status"
    ].to_list() == ["unplayed"]


def test_players_against_themselves(write):
    trf = "001    1      A".ljust(91) + "   1 w =\n001    2      B\n"
    assert "against himself" in read(write(trf, "s.trf")).report.of("skipped")[0].reason
    uscf = "pair,points,pre,r1\n1,.5,1500,D1\n2,.5,1500,B\n"
    assert "against himself" in read(write(uscf, "u.csv")).report.of("skipped")[0].reason


def test_the_order_of_files_does_not_matter(write):
    one = write(TRF.replace("2026/03", "2026/01").replace("26/03", "26/01"), "1.trf")
    two = write(TRF.replace("2601", "2701"), "2.trf")
    ways = [
        row(Fide().rate(read(files).games), "Alpha, Anton")["before"] for files in ([one, two], [two, one])
    ]
    assert ways == [2601, 2601]


def test_the_same_file_twice_counts_once(write):
    path = write(TRF, "1.trf")
    reading = read([path, path])
    assert len(reading.games) == 6
    assert len(reading.report.of("skipped")) == 6


def test_one_id_for_two_players(write):
    trf = TRF.replace("1700022", "1500011")
    assert any("two players, or one twice?" in n.reason for n in read(write(trf, "1.trf")).report.notes)
    games = read([write(trf, "1.trf"), write(PRA, "2.pra")]).games
    assert (games.table["white"] != games.table["black"]).drop_nulls().all()


def test_uscf_faults(write):
    twice = "pair,points,pre,r1\n1,1,1500,W2\n2,0,1500,L1\n2,0,1400,L1\n"
    assert "is in line 3 already" in read(write(twice, "u.csv")).report.of("skipped")[0].reason
    prefix = "pair,points,pre,r1\n1,1,1500,W12\n2,1,1500,W1\n12,0,1500,L1\n"
    assert len(read(write(prefix, "u.csv")).games) == 2
    blank = read(write(USCF_TEXT.replace("|L   1|U    |L   2|", "|L   1|     |L   2|"), "u.txt"))
    assert blank.report.notes == []
    assert len(blank.games) == 6
    colours = "pair,points,pre,r1,colours\n1,1,1500,W2,-\n2,0,1500,L1,W\n"
    assert read(write(colours, "u.csv")).games.frame()["white"].to_list() == ["Player 2"]


def test_one_capped_game_is_the_one_with_the_greatest_difference(write):
    games = csv_games(write, "A,B,1,2023-01-01,E,2500,2050", "C,A,0,2023-01-02,E,1900,2500")
    # 2050: .94 (450 points), 1900: capped, .92
    assert row(Fide(rules=RULES["2022-01"]).rate(games), "A")["expected"] == pytest.approx(0.94 + 0.92)


def test_other_point_values(write, tmp_path):
    trf = (
        "XXS W=3 D=1 HPB=1\n"
        + "001    1      A".ljust(80)
        + " 4.0    1     2 w 1  0000 - H\n"
        + "001    2      B".ljust(80)
        + " 0.0    2     1 b 0\n"
    )
    games = read(write(trf, "s.trf")).games
    assert games.table.filter(pl.col("status") == "bye")["score"].to_list() == [0.5]
    write_games(games, tmp_path / "again.trf")
    assert read(tmp_path / "again.trf").report.notes == []


def test_named_columns_mean_a_table(write):
    path = write("player1,player2,res\nA,B,1\n", "c.csv")
    assert len(read(path, columns={"white": "player1", "black": "player2", "score": "res"}).games) == 1


def test_links_and_pipes_stay_what_they_are(tmp_path):
    target, link = tmp_path / "target", tmp_path / "link"
    target.write_text("old")
    link.symlink_to(target)
    write_text(link, "new")
    assert link.is_symlink()
    assert target.read_text() == "new"
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = subprocess.Popen(
        [sys.executable, "-c", f"print(open({str(pipe)!r}).read())"], stdout=subprocess.PIPE, text=True
    )
    write_text(pipe, "through")
    assert reader.communicate(timeout=20)[0] == "through\n"
    assert pipe.is_fifo()


def test_trf_from_other_formats(write, tmp_path):
    pgn = '[Event "E"]\n[Round "01.2"]\n[White "A"]\n[Black "B"]\n[Result "1-0"]\n[WhiteElo "2400"]\n\n1. e4 e5 1-0\n'
    lost = write_games(read(write(pgn, "g.pgn")).games, tmp_path / "g.trf")
    again = read(tmp_path / "g.trf").games
    assert again.players["rating"].to_list() == [2400.0, None]
    assert lost == []
    long = "X" * 40
    games = Games.assemble(
        {"white": [0], "black": [1], "score": [1.0], "round": ["1"]}, {"name": [long, "B"]}
    )
    assert "the end of the name" in write_games(games, tmp_path / "l.trf")[0]
    for rounds in ("20240101", "0"):
        games = Games.assemble(
            {"white": [0], "black": [1], "score": [1.0], "round": [rounds]}, {"name": ["A", "B"]}
        )
        with pytest.raises(UsageError, match="rounds from 1"):
            write_games(games, tmp_path / "l.trf")
    crowd = Games.assemble(
        {"white": [0], "black": [1], "score": [1.0], "round": ["1"]},
        {"name": [str(i) for i in range(10_000)]},
    )
    with pytest.raises(UsageError, match="9999 players"):
        write_games(crowd, tmp_path / "c.trf")


def test_files_without_games_keep_their_rounds(write, tmp_path):
    games = read(write("XXR 5\n001    1      A\n001    2      B\n", "s.trf")).games
    write_games(games, tmp_path / "again.trf")
    assert "XXR 5" in (tmp_path / "again.trf").read_text()


def test_names_with_line_breaks(tmp_path):
    games = Games.build([("A\nB", "C", 1.0)])
    write_games(games, tmp_path / "x.pgn")
    assert read(tmp_path / "x.pgn").games.players["name"].to_list() == ["A B", "C"]


def test_ragged_quoted_and_blank_lines(write):
    text = 'white,black,result\nA,B,1-0\nA,B,1-0,extra\n\n"C\nD",E,0-1\n,F,1-0\n'
    reading = read(write(text, "r.csv"))
    assert [(n.line, n.action) for n in reading.report.notes] == [(3, "skipped"), (7, "skipped")]
    assert len(reading.games) == 2


@pytest.mark.parametrize("name", ["g.csv", "g.pgn"])
def test_old_mac_line_ends(write, name):
    csv, pgn = (
        "white,black,result\nA,B,1-0\nC,D,1-0\n",
        '[Event "E"]\n[White "A"]\n[Black "B"]\n[Result "1-0"]\n\n1-0\n\n[Event "F"]\n[White "A"]\n[Black "B"]\n[Result "1-0"]\n\n1-0\n',
    )
    text = (csv if name == "g.csv" else pgn).replace("\n", "\r")
    assert len(read(write(text, name)).games) == 2


def test_packed_parquet_and_names_with_brackets(tmp_path):
    import gzip

    frame = pl.DataFrame({"white": ["A"], "black": ["B"], "score": [1.0]})
    odd = tmp_path / "g[1].parquet"
    frame.write_parquet(odd)
    assert len(read(odd).games) == 1
    packed = tmp_path / "g.parquet.gz"
    packed.write_bytes(gzip.compress(odd.read_bytes()))
    assert len(read(packed).games) == 1


def test_strict_reaches_the_list_too(run, write):
    listed = write(FIDE_TXT + "zz             Nobody\n", "list.txt")
    games = write(PRA, "e.pra")
    assert "expected an id number" in run("rate", games, "--before", listed).err
    assert run("rate", games, "--before", listed, "--strict").code == 2


@pytest.mark.parametrize(("name", "text"), [
    ("e.pra", PRA.replace("2687", "99999")), ("l.csv", "player,rating\nA,99999\n"), ("l.csv", "player,rating\nA,-5\n"),
    ("l.csv", "player,rating\nA,inf\n"), ("l.csv", "player,rating,total_games\nA,2000,inf\n"), ("e.pra", PRA.replace("\n4\n", "\n²\n", 1)),
])  # fmt: skip
def test_impossible_numbers_are_refused(write, name, text):
    path = write(text, name)
    with pytest.raises(InputError) as error:
        read(path, format="pra") if name == "e.pra" else read_list(path)
    assert error.value.line is not None


@pytest.mark.parametrize(
    "change",
    [
        ("XXR 3", "XXR ²"),
        ("XXR 3", "XXR " + "9" * 5000),
        ("XXR 3", "XXR 99999999999"),
        ("2601", "²601"),
        ("   3 w 1", "   ² w 1"),
    ],
)
def test_digits_that_are_none(write, change):
    try:
        read(write(TRF.replace(*change), "e.trf"))
    except ArpadError as error:
        pytest.fail(str(error))


def test_points_that_are_none_in_a_team_event(write):
    reading = read(write(TRF.replace("  2.0    1  ", "  abc    1  "), "e.trf"))
    assert any("expected points" in n.reason for n in reading.report.notes)


def test_a_start_in_the_future(write):
    reading = read(write(TRF.replace("2026/03/06", "2999/03/06"), "e.trf"))
    assert any("2999-03-06" in n.reason for n in reading.report.of("repaired"))


@pytest.mark.parametrize("command", ["rate - -", "rate - <&-", "rate - --before -"])
def test_standard_input_misused(command):
    done = subprocess.run(
        ["bash", "-c", f"{sys.executable} -m arpad.cli.main {command}"],
        capture_output=True,
        text=True,
        check=False,
        stdin=subprocess.DEVNULL,
    )
    assert done.returncode == 2
    assert "inside arpad" not in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_a_terminal_without_unicode(write):
    path = write(PRA, "e.pra")
    done = subprocess.run(
        [sys.executable, "-m", "arpad.cli.main", "rate", str(path)],
        capture_output=True,
        check=False,
        env={**os.environ, "PYTHONIOENCODING": "ascii"},
    )
    assert done.returncode == 0
    assert b"Polgar" in done.stdout


@pytest.mark.parametrize("curve", ["table", "pra", "logistic"])
def test_expect_nan(run, curve):
    assert run("expect", "nan", "--curve", curve).code == 2


def test_the_first_byte_may_come_alone():
    code = "import gzip,sys,time; d=gzip.compress(b'white,black,result\\nA,B,1-0\\n'); o=sys.stdout.buffer; o.write(d[:1]); o.flush(); time.sleep(.3); o.write(d[1:])"
    command = f'{sys.executable} -c "{code}" | {sys.executable} -m arpad.cli.main rate - --format csv'
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_matches_of_several_games_fit_into_trf(tmp_path):
    columns = {
        "white": [0, 1, 2, 3, 0, 1],
        "black": [1, 0, 3, 2, 2, 3],
        "score": [1.0] * 6,
        "round": ["1.1", "1.2", "1.1", "1.2", "2.1", "2.1"],
    }
    games = Games.assemble(columns, {"name": ["A", "B", "C", "D"]})
    assert write_games(games, tmp_path / "m.trf") == []
    assert sorted(read(tmp_path / "m.trf").games.table["round"].to_list()) == ["1", "1", "2", "2", "3", "3"]
    crowded = Games.assemble(
        {"white": [0, 0], "black": [1, 1], "score": [1.0, 1.0], "round": ["1", "1"]}, {"name": ["A", "B"]}
    )
    with pytest.raises(UsageError, match="one game a player and round"):
        write_games(crowded, tmp_path / "c.trf")


def test_birth_dates_survive_tables(write, tmp_path):
    games = read(write(TRF, "e.trf")).games
    for ending in ("csv", "parquet"):
        write_games(games, tmp_path / f"e.{ending}")
        again = read(tmp_path / f"e.{ending}").games
        for column in ("birth", "title", "federation"):
            known = dict(again.players.select("name", column).iter_rows())
            assert known == dict(games.players.select("name", column).iter_rows())
    assert "of the players: title, federation, birth" in write_games(games, tmp_path / "e.pgn")


def test_periods_need_dates(write):
    games = read(write(PRA, "e.pra")).games
    with pytest.raises(UsageError, match="needs the date"):
        Elo(period="month").rate(games)


def test_remarks(run, write):
    games = write(PRA, "e.pra")
    listed = write("player,rating\nPolgaar,2500\n", "l.csv")
    assert "4 of 4 players are not in" in run("rate", games, "--before", listed).err
    assert "ratings overshoot" in run("rate", games, "--period", "event", "--k", "200").err
    unrated = write("white,black,result\nA,B,1-0\n", "u.csv")
    done = run("rate", unrated, "--system", "fide")
    assert done.code == 2
    assert "nobody here has a rating" in done.err
    old = write("white,black,result,date,white_elo,black_elo\nA,B,1-0,2005-01-01,2000,2000\n", "o.csv")
    assert "--rules names older ones" in run("rate", old, "--system", "fide").err


def test_the_whole_list(run, write):
    listed = write("player,rating\nPolgar,2500\nFischer,2780\n", "l.csv")
    rows = run(
        "rate", write(PRA, "e.pra"), "--before", listed, "--whole-list", "--format", "csv"
    ).out.splitlines()
    assert rows[1].startswith("1,Fischer,2780.0,")
    assert len(rows) == 6


def test_output_by_ending(run, write, tmp_path):
    for ending, start in (("csv", "rank,player"), ("json", "{"), ("txt", "#")):
        run("rate", write(PRA, "e.pra"), "-o", tmp_path / f"o.{ending}")
        assert (tmp_path / f"o.{ending}").read_text().startswith(start)
    again = run(
        "rate", write(PRA, "e.pra"), "--before", tmp_path / "o.json", "--k", "0", "--format", "csv"
    ).out
    assert (
        again.splitlines()[1].split(",")[2] == (tmp_path / "o.csv").read_text().splitlines()[1].split(",")[2]
    )


def test_arpad_alone_is_help(run):
    done = run()
    assert done.code == 0
    assert done.out.startswith("arpad measures")
    assert "arpad --help" in done.out


def test_convert_onto_itself(run, write):
    path = write("white,black,result\nA,B,1-0\n", "u.csv")
    assert run("convert", path, path).code == 2


@pytest.mark.parametrize(
    ("text", "score"),
    [("1:0", 1.0), ("draw", 0.5), ("0,5", 0.5), ("½-½", 0.5), ("1 - 0", 1.0), ("Remis", 0.5)],
)
def test_results_as_people_write_them(write, text, score):
    assert read(write(f"white;black;result\nA;B;{text}\n", "r.csv")).games.table["score"].to_list() == [score]


def test_dotted_dates_alone(write):
    games = read(write("white,black,result,date\nA,B,1-0,02.10.2025\nA,B,1-0,03.10.2025\n", "d.csv")).games
    assert games.table["date"].to_list() == [dt.date(2025, 10, 2), dt.date(2025, 10, 3)]


def test_the_library_takes_plain_words():
    assert Elo(k=10, curve="normal").k.k(1500, 0) == 10
    assert Fide(rules="2022-01").rules.floor == 1000
    with pytest.raises(UsageError):
        Fide(rules="2020")
    for bad in (("A", "A", 1.0), ("A", "B", 2.0)):
        with pytest.raises(UsageError):
            Games.build([bad])


def test_narrow_tables_lose_columns_not_digits(write):
    from arpad.publish.tables import as_text, fitted, rich_table

    ratings = Fide().rate(read(write(TRF, "e.trf")).games)
    text = as_text(rich_table(fitted(ratings.table().drop("total_games"), 70)), width=70)
    assert "…" not in text
    assert "2601" in text
    assert "1500011" not in text


def test_teams_follow_their_people(write):
    games = read([write(PRA, "1.pra"), write(TRF, "2.trf")]).games
    ((_, members),) = games.events[1].teams
    assert [games.players["name"][m] for m in members] == ["Alpha, Anton", "Gamma, Gustav"]


def test_numbers_with_fractions_stay_apart(tmp_path):
    pl.DataFrame(
        {
            "white": [1.2, 1.7, 3.0],
            "black": [5.0, 5.0, None],
            "score": [1.0, 1.0, 1.0],
            "round": [2.5, 2.0, 1.0],
        }
    ).write_parquet(tmp_path / "f.parquet")
    reading = read(tmp_path / "f.parquet")
    assert reading.games.players["name"].to_list() == ["1.2", "1.7", "3", "5"]
    assert reading.games.table["round"].to_list() == ["2.5", "2", "1"]
    assert reading.games.table["status"].to_list() == ["played", "played", "bye"]


@pytest.mark.parametrize(("column", "values"), [
    ("date", pl.Series([None, None])), ("date", pl.Series([float("nan"), 2020.0])), ("date", pl.Series([True, False])),
    ("white_rating", pl.Series(["2000", "-"], dtype=pl.Categorical)), ("score", pl.Series(["1", "0.5"], dtype=pl.Categorical)),
    ("event", pl.Series([b"x", b"y"])), ("plies", pl.Series(["12", "many"])), ("black_score", pl.Series(["0", "x"])),
])  # fmt: skip
def test_columns_of_other_types(tmp_path, column, values):
    columns = {"white": ["A", "B"], "black": ["B", "C"], "score": [1.0, 0.5], column: values}
    pl.DataFrame(columns).write_parquet(tmp_path / "t.parquet")
    assert len(read(tmp_path / "t.parquet").games) == 2


def test_columns_that_cannot_be_used_are_named(tmp_path):
    pl.DataFrame({"white": ["A"], "black": ["B"], "score": [1.0], "round": [[1, 2]]}).write_parquet(
        tmp_path / "t.parquet"
    )
    with pytest.raises(InputError, match="column round"):
        read(tmp_path / "t.parquet")


def test_control_characters(write):
    pgn = '[Event "a\x1fb"]\n[White "\x1f#5"]\n[Black "B"]\n[Result "1-0"]\n\n1. e4 e5 1-0\n'
    games = read(write(pgn + "\n; " + "words " * 50, "c.pgn")).games
    assert games.events[0].name == "a b"
    assert games.players["name"].to_list() == ["#5", "B"]


def test_a_quote_that_is_never_closed(write):
    text = 'white,black,result\nA,B,1-0\n\n"C,D,1-0\nE,F,1-0\nG,H,1-0\n'
    reading = read(write(text, "q.csv"))
    assert [(n.line, n.reason) for n in reading.report.notes] == [
        (4, "a quote that opens here is never closed")
    ]
    assert len(reading.games) == 3


def test_scores_of_black_are_looked_at_too(write):
    reading = read(write("white,black,result,black_score\nA,B,1-0,7\nA,C,1-0,0\n", "b.csv"))
    assert "for Black, found 7" in reading.report.of("skipped")[0].reason


def test_namesakes_in_one_event(write):
    from arpad.event.report import report

    lines = [
        "001    1      Smith, John                       2000",
        "001    2      Smith, John                       1800",
        "001    3      Brown, Bob                        1900",
    ]
    rounds = ["     3 w 1     2 b 1", "               1 w 0", "     1 b 0"]
    text = "\n".join(f"{line:<89}{r}" for line, r in zip(lines, rounds, strict=True)) + "\n"
    found = report(read(write(text, "s.trf")).games)
    assert found.players["change"].to_list() == [12, -7, -5]


def test_white_advantage_with_uneven_colours():
    import numpy as np

    from arpad.rate.pool import PoolSystem

    rng = np.random.default_rng(4)
    n, m = 60, 3000
    true = rng.normal(0, 200, n)
    white = rng.integers(0, n, m)
    black = (white + 1 + rng.integers(0, n - 1, m)) % n
    swap = (rng.random(m) < 0.7) & (true[black] > true[white])  # the stronger mostly have White
    white, black = np.where(swap, black, white), np.where(swap, white, black)
    P = 1 / (1 + 10 ** ((true[black] - true[white] - 50) / 400))
    games = Games.assemble(
        {"white": white, "black": black, "score": (rng.random(m) < P).astype(float)},
        {"name": [str(i) for i in range(n)]},
    )
    groups = PoolSystem(advantage=None).solve(games).groups
    assert groups["white_advantage"][0] == pytest.approx(50, abs=25)
    always = Games.build([("A", "B", 1.0), ("A", "B", 1.0), ("A", "B", 0.0)])
    assert PoolSystem(advantage=None).solve(always).groups["white_advantage"].to_list() == [None]
    never = Games.build([("A", "B", 1.0), ("B", "A", 1.0)])
    assert PoolSystem(advantage=None).solve(never).groups["white_advantage"].to_list() == [None]


def test_a_lopsided_chain_and_bad_numbers(run, write):
    from arpad.rate.pool import PoolSystem

    rows = [(f"P{i}", f"P{i + 1}", s) for i in range(40) for s in [1.0] * 200 + [0.0]]
    ratings = PoolSystem().solve(Games.build(rows)).ratings.rows["rating"].to_list()
    assert ratings[0] - ratings[1] == pytest.approx(920.4, abs=0.1)
    path = write("white,black,result\nA,B,1-0\nB,A,1-0\nB,C,1-0\n", "p.csv")
    for bad in (
        ["--average", "nan"],
        ["--anchor", "A=inf"],
        ["--prior", "inf"],
        ["--white-advantage", "1e9"],
        ["--method", "approximations", "--prior", "1"],
    ):
        done = run("pool", path, *bad)
        assert done.code == 2, bad
        assert "inside arpad" not in done.err
    assert "lost every game" in run("pool", path).err


def test_a_million_rows_that_are_skipped_keep_few_notes(monkeypatch, write):
    monkeypatch.setattr("arpad.read.source.MOST_NOTES", 3)
    reading = read(write("white,black,result,date,round\n" + "A,B,1-0,2026-10-03,1\n" * 10, "same.csv"))
    assert (len(reading.games), len(reading.report.notes), reading.records) == (1, 3, 10)
    assert reading.report.counts() == {"skipped": 9, "repaired": 0, "noted": 0}
    assert reading.summary() == "10 rows: 1 game, 3 repeated, 6 skipped besides"


def test_a_pipe_without_end_is_refused(monkeypatch, tmp_path):
    monkeypatch.setattr("arpad.files.LARGEST_TEXT", 1 << 16)
    pipe = tmp_path / "policy.json"
    os.mkfifo(pipe)
    writer = subprocess.Popen(["sh", "-c", f"yes > {pipe}"], stderr=subprocess.DEVNULL)
    with pytest.raises(InputError, match="a small file"):
        input_text(pipe)
    writer.wait(timeout=20)
