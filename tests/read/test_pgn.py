from __future__ import annotations

import datetime as dt
from pathlib import Path

import pytest

from arpad.read import iterate_pgn, read
from arpad.read.pgn.games import read_pgn
from arpad.read.source import Report, Source
from tests.read.samples import PGN


def game(result="1-0", moves="1. e4 e5 2. Nf3 Nc6 1-0", **tags) -> str:
    head = {
        "Event": "E",
        "Date": "2020.01.02",
        "Round": "1",
        "White": "A",
        "Black": "B",
        "Result": result,
        **tags,
    }
    return "".join(f'[{k} "{v}"]\n' for k, v in head.items()) + f"\n{moves}\n\n"


@pytest.mark.parametrize("kernel", [False, True])
def test_headers(write, kernel):
    report = Report()
    games = read_pgn(Source(str(write(PGN)), report), kernel=kernel)
    table = games.frame()
    assert table["white"].to_list() == ["Ås, Åse", "Berg, Bo", "Ås, Åse"]
    assert table["score"].to_list() == [1.0, 0.5, None]
    assert table["status"].to_list() == ["played", "played", "unplayed"]
    assert table["date"].to_list() == [dt.date(2024, 3, 1), dt.date(2024, 3, 1), None]
    assert table["precision"].to_list() == ["day", "month", None]
    assert table["white_rating"].to_list() == [2100.0, None, None]
    assert table["plies"].to_list() == [7, 4, 0]
    assert games.events[0].name == "Club night"
    assert games.events[0].site == "Oslo NOR"
    # One person, with an id in one game and without in the others.
    assert games.players["name"].to_list() == ["Ås, Åse", "Berg, Bo", "Dahl, Dan"]
    assert games.players["id"].to_list() == ["1500011", None, None]
    assert report.notes == []


def test_with_moves(write):
    first, second, third = iterate_pgn(write(PGN))
    before, plies = first.mainline()
    assert before.startswith("opening words")
    assert [p.san for p in plies] == ["e4", "e5", "Qh5", "Nc6", "Bc4", "Nf6", "Qxf7#"]
    assert (plies[0].eval, plies[0].clock, plies[1].nags) == (0.2, 600.0, (1,))
    assert first.tags["White"] == "Ås, Åse"
    assert (first.line, second.line) == (1, 16)
    assert third.mainline() == ("", [])


@pytest.mark.parametrize("kernel", [False, True])
@pytest.mark.parametrize("change", [
    lambda t: t.replace("\n", "\r\n").encode(),
    lambda t: b"\xef\xbb\xbf" + t.encode(),
    lambda t: t.encode("latin-1"),
    lambda t: ("\n\n; a comment\n% escaped\n" + t).encode(),
], ids=["CRLF", "BOM", "Latin-1", "comments"])  # fmt: skip
def test_other_ways_to_write_the_same(write, change, kernel):
    games = read_pgn(Source(str(write(change(PGN))), Report()), kernel=kernel)
    assert games.frame()["white"].to_list() == ["Ås, Åse", "Berg, Bo", "Ås, Åse"]
    assert games.table["plies"].to_list() == [7, 4, 0]


def test_headers_only_file(write):
    text = "".join(game(moves="", White=f"W{i}") for i in range(3))
    reading = read(write(text))
    assert len(reading.games) == 3
    # No game of this file has moves: then none of them was decided without play.
    assert reading.games.table["status"].to_list() == ["played"] * 3


def test_unplayed_games_are_marked(write):
    text = game() + game("0-1", "1. d4 0-1", Round="2") + game("1/2-1/2", "1/2-1/2", Round="3")
    reading = read(write(text))
    assert reading.games.table["status"].to_list() == ["played", "forfeit", "unrated"]
    assert [n.action for n in reading.report.notes] == ["noted", "noted"]


def test_mate_on_the_board_beats_the_tag(write):
    mate = "1. f3 e5 2. g4 Qh4# 1-0"
    reading = read(write(game("1-0", mate)))
    assert reading.games.table["score"].to_list() == [0.0]
    (note,) = reading.report.notes
    assert note.action == "repaired"
    assert "board shows mate: 0-1" in note.reason
    assert note.line == 1


def test_a_wrong_mate_sign_changes_nothing(write):
    reading = read(write(game("1-0", "1. e4 e5 2. Nf3 Nc6# 1-0")))
    assert reading.games.table["score"].to_list() == [1.0]


def test_result_from_the_end_of_the_moves(write):
    reading = read(write(game("*", "1. e4 e5 0-1")))
    assert reading.games.table["score"].to_list() == [0.0]
    assert "taken from the end of the moves" in reading.report.notes[0].reason


def test_tag_and_end_of_moves_disagree(write):
    reading = read(write(game("1-0", "1. e4 e5 0-1")))
    assert reading.games.table["score"].to_list() == [1.0]
    assert "the tag is taken" in reading.report.notes[0].reason


def test_the_same_game_twice(write):
    long = " ".join(f"{i}. Nf3 Nf6" for i in range(1, 12)) + " 1-0"
    reading = read(write(game(moves=long) + game(moves=long)))
    assert len(reading.games) == 1
    assert "A - B: the same game as in line 1" in reading.report.of("skipped")[0].reason


def test_two_games_of_a_match_without_rounds_are_two(write):
    games = [game(moves=f"1. e4 e5 2. {m} Nc6 1-0", Date="1886.??.??", Round="?") for m in ("Nf3", "Nc3")]
    assert len(read(write("".join(games))).games) == 2


def test_a_player_against_himself(write):
    reading = read(write(game(Black="A") + game()))
    assert len(reading.games) == 1
    assert "same player" in reading.report.of("skipped")[0].reason


@pytest.mark.parametrize(("elo", "rating", "notes"), [
    ("0", None, 0), ("-", None, 0), ("?", None, 0), ("", None, 0), ("2500", 2500.0, 0),
    ("99999", None, 1), ("-5", None, 1), ("strong", None, 1),
])  # fmt: skip
def test_strange_ratings(write, elo, rating, notes):
    reading = read(write(game(WhiteElo=elo)))
    assert reading.games.table["white_rating"].to_list() == [rating]
    assert len(reading.report.of("repaired")) == notes


def test_a_date_in_the_future(write):
    reading = read(write(game(Date="2999.01.01")))
    assert reading.games.table["date"].to_list() == [None]
    assert "2999-01-01" in reading.report.of("repaired")[0].reason


@pytest.mark.parametrize("kernel", [False, True])
def test_a_study_has_its_day_in_another_tag(write, kernel):
    """Lichess writes studies with UTCDate and without Date; where both stand, Date is the day of play."""
    text = "".join(
        game(UTCDate="2024.06.09", Date=said, Round=said) for said in ("2024.06.08", "2024.??.??", "no")
    )
    text = text.replace('[Date "no"]\n', "")
    table = read_pgn(Source(str(write(text)), Report()), kernel=kernel).frame()
    assert table["date"].to_list() == [dt.date(2024, 6, 8), dt.date(2024, 1, 1), dt.date(2024, 6, 9)]
    assert table["precision"].to_list() == ["day", "year", "day"]


def test_days_that_do_not_exist(write):
    reading = read(write(game(Date="2023.02.31") + game(Date="2023.13.01", Round="2")))
    assert reading.games.table["precision"].to_list() == ["month", "year"]


def test_an_open_comment_does_not_swallow_the_next_game(write):
    reading = read(write(game(moves="1. e4 e5 {never closed 1-0") + game(Round="2")))
    assert len(reading.games) == 2
    assert any("never closed" in n.reason for n in reading.report.notes)


def test_tags_inside_comments_are_no_tags(write):
    text = game(moves='1. e4 {\n[White "Nobody"]\n} e5 1-0')
    assert read(write(text)).games.frame()["white"].to_list() == ["A"]


def test_escapes_and_quotes(write):
    text = game(White='O\\"Brien \\\\ Sons', Black='B "the" C')
    assert read(write(text)).games.players["name"].to_list() == ['O"Brien \\ Sons', 'B "the" C']


def test_a_million_characters_on_one_line(write):
    moves = " ".join(f"{i}. Nf3 Nf6 {i}. Ng1 Ng8" for i in range(1, 40_000)) + " 1-0"
    assert len(moves) > 1_000_000
    reading = read(write(game(moves=moves) + game(Round="2")))
    assert reading.games.table["plies"].to_list() == [159_996, 4]


def test_a_truncated_file_is_said(write):
    text = (game() + game(Round="2", moves="1. e4 e5 2. Nf3")).rstrip()
    reading = read(write(text))
    assert len(reading.games) == 2
    assert "cut off?" in reading.report.notes[-1].reason


def test_cut_in_the_headers(write):
    text = game() + '[Event "E"]\n[White "A"]\n[Bla'
    reading = read(write(text))
    assert len(reading.games) == 1
    assert "name of Black" in reading.report.of("skipped")[0].reason


def test_mixed_encodings(write):
    text = game(White="Jörg").encode("utf-8") + game(White="Jörg", Round="2").encode("latin-1")
    reading = read(write(text))
    assert reading.games.players["name"].to_list() == ["Jörg", "B"]
    assert reading.report.of("noted")[0].line == 10


def test_pieces_are_cut_where_games_begin(write, monkeypatch):
    monkeypatch.setattr("arpad.read.pgn.scan.PIECE", 200)
    monkeypatch.setattr("arpad.read.source.BLOCK", 64)
    text = "".join(game(Round=str(i), White=f"W{i % 7}") for i in range(200))
    path = write(text)
    games = read(path).games
    assert games.table["round"].to_list() == [str(i) for i in range(200)]
    assert [g.line for g in iterate_pgn(path)] == [1 + 9 * i for i in range(200)]


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="reads memory from /proc")
def test_memory_stays_flat(tmp_path):
    import subprocess
    import sys

    path = tmp_path / "big.pgn"
    piece = "".join(
        game(Round=str(i), White=f"W{i % 90}", moves="1. e4 {" + "x" * 900 + "} e5 1-0") for i in range(1000)
    )
    with path.open("w") as handle:
        for _ in range(200):
            handle.write(piece)
    assert path.stat().st_size > 200_000_000
    # VmHWM, not ru_maxrss: that one counts what the process that started this one held
    code = (
        "import sys; from arpad.read import iterate_pgn\n"
        "n = sum(1 for _ in iterate_pgn(sys.argv[1]))\n"
        "peak = next(l for l in open('/proc/self/status') if l.startswith('VmHWM')).split()[1]\n"
        "print(n, int(peak) // 1024)"
    )
    done = subprocess.run([sys.executable, "-c", code, str(path)], capture_output=True, text=True, check=True)
    count, megabytes = map(int, done.stdout.split())
    assert count == 200_000
    assert megabytes < 400
