"""Evaluated games: what a file says of its positions, and which tables are refused."""

from __future__ import annotations

import polars as pl
import pytest

from arpad.errors import InputError, UsageError
from arpad.model import Games
from arpad.moves.evaluated_games import EvaluatedGames, read_evaluated

HEAD = '[Event "E"]\n[White "A"]\n[Black "B"]\n[Round "{}"]\n[Result "{}"]\n{}\n'
MATED = (
    HEAD.format(1, "0-1", "")
    + "{[%eval 0.13]} 1. f3 {[%eval -0.7,20] [%clk 0:09:58.5]} e5 {[%eval -0.65]}\n"
    + "2. g4?? {[%eval #-1] [%emt 0:00:07]} (2. e4 {[%eval 9.0]} Qh4+) Qh4# {[%eval #0]} 0-1\n\n"
)
SET_UP = HEAD.format(2, "1-0", '[FEN "4k3/8/8/8/8/8/4P3/4K3 b - - 0 1"]\n') + "1... Kd7 2. e4 1-0\n\n"
GAMES = Games.build([("A", "B", 1.0), ("B", "A", 0.5)])


def test_what_a_file_says(write):
    found = read_evaluated(write(MATED + SET_UP))
    table = found.table
    assert table["game"].to_list() == [0] * 5 + [1] * 3
    assert table["ply"].to_list() == [0, 1, 2, 3, 4, 0, 1, 2]
    assert table["turn"].to_list() == [*"wbwbw", *"bwb"]
    assert table["san"].to_list() == [None, "f3", "e5", "g4", "Qh4#", None, "Kd7", "e4"]
    assert table["cp"].to_list() == [13, -70, -65, *[None] * 5]
    assert table["mate"].to_list() == [None, None, None, -1, 0, None, None, None]
    assert table["depth"].to_list() == [None, 20, *[None] * 6]
    assert table["clock"].to_list() == [None, 598.5, *[None] * 6]
    assert table["spent"].to_list() == [None, None, None, 7.0, *[None] * 4]
    assert found.values().to_list() == [13, -70, -65, -3900, -3900, None, None, None]
    assert found.starts["fen"].to_list() == [None, "4k3/8/8/8/8/8/4P3/4K3 b - - 0 1"]
    assert found.starts["line"].to_list() == [1, 10]
    assert found.coverage() == (5, 8)
    assert found.summary() == "2 games, 5 of 8 positions evaluated (PGN comments)"


def test_several_files_are_one_table(write):
    first, second = write(MATED, "a.pgn"), write(SET_UP, "b.pgn")
    both = read_evaluated([first, second])
    assert both.table.equals(read_evaluated(write(MATED + SET_UP)).table)
    assert both.starts["file"].to_list() == [str(first), str(second)]
    assert both.starts["line"].to_list() == [1, 1]


def test_a_game_in_two_files_is_there_once(write):
    dated = MATED.replace("[Round", '[Date "2020.01.02"]\n[Round')
    later = SET_UP.replace("[Round", '[Date "2020.01.03"]\n[Round')
    found = read_evaluated([write(dated, "a.pgn"), write(dated + later, "b.pgn")])
    assert len(found.games) == 2
    assert found.table["game"].to_list() == [0] * 5 + [1] * 3
    assert found.starts["line"].to_list() == [1, 11]
    assert len(found.report.of("skipped")) == 1


def test_games_that_are_skipped_have_no_rows(write):
    nameless = SET_UP.replace('[White "A"]', "")
    found = read_evaluated(write(nameless + MATED))
    assert found.table["game"].unique().to_list() == [0]
    assert found.table["san"][4] == "Qh4#"


def test_no_moves(write):
    found = read_evaluated(write(HEAD.format(1, "1-0", "") + "1-0\n"))
    assert found.table.select("game", "ply", "san").rows() == [(0, 0, None)]
    assert found.values().to_list() == [None]


def test_other_formats_have_no_moves(write):
    with pytest.raises(InputError, match="expected PGN, the format that has moves; found csv"):
        read_evaluated([write("white,black,result\nA,B,1-0\n", "a.csv"), write(MATED, "b.pgn")])
    with pytest.raises(UsageError, match="at least one file"):
        read_evaluated([])


@pytest.mark.parametrize(("rows", "words"), [
    ({"game": [2], "ply": [0]}, "rows of 2 games"),
    ({"game": [None], "ply": [0]}, "rows of 2 games"),
    ({"game": [0, 0], "ply": [0, 2]}, "plies 0, 1, 2"),
    ({"game": [0], "ply": [1]}, "plies 0, 1, 2"),
    ({"game": [1, 0], "ply": [0, 0]}, "plies 0, 1, 2"),
    ({"game": [0, 1, 0], "ply": [0, 0, 1]}, "plies 0, 1, 2"),
    ({"game": [0], "ply": [0], "cp": [1], "mate": [1]}, "found both"),
    ({"game": [0], "ply": [0], "san": ["e4"]}, "behind ply 0"),
    ({"game": [0], "ply": [0], "move": ["e4"]}, "found \\['move'\\]"),
])  # fmt: skip
def test_tables_that_cannot_be_meant(rows, words):
    with pytest.raises(UsageError, match=words):
        EvaluatedGames.build(GAMES, rows)


def test_starts_belong_to_games():
    with pytest.raises(UsageError, match="each of 2 games, found 1"):
        EvaluatedGames.build(GAMES, {"game": [0], "ply": [0]}, starts={"fen": [None]})


def test_values_by_rule():
    rows = {
        "game": [0] * 5, "ply": list(range(5)), "turn": list("wbwbw"),
        "cp": [9000, -9000, None, None, 50], "mate": [None, None, 3, 0, None],
        "over": [None, None, None, "mate", "stalemate"],
    }  # fmt: skip
    found = EvaluatedGames.build(GAMES, pl.DataFrame(rows, strict=False))
    assert found.values().to_list() == [3900, -3900, 3900, 3900, 0]
    assert found.values(1000).to_list() == [1000, -1000, 1000, 1000, 0]


def test_who_begins_in_the_fen_beside_a_table_begins():
    games = Games.build([("Ann", "Bob", 0.5), ("Bob", "Ann", 1.0)])
    rows = {"game": [0, 0, 1, 1], "ply": [0, 1, 0, 1], "san": [None, "e5", None, "e4"], "cp": [10, 10, 13, 13]}  # fmt: skip
    fen = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1"
    found = EvaluatedGames.build(games, rows, starts={"fen": [fen, None]})
    assert found.table["turn"].to_list() == ["b", "w", "w", "b"]
