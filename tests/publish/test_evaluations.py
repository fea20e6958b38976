"""Evaluated games written and read again are the same."""

from __future__ import annotations

import chess
import chess.pgn
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

from arpad.errors import InputError, UsageError
from arpad.model import Games
from arpad.moves.evaluated_games import EvaluatedGames, from_positions, read_evaluated
from arpad.moves.positions import positions
from arpad.publish.export.games import annotated, write_evaluations

FORMATS = ["pgn", "csv", "parquet"]
SANS = ["e4", "Nf3", "O-O", "exd6", "e8=Q+", "Qh4#", "--", "Ngxf3", "0-0-0"]
maybe = st.none() | st.integers(-50_000, 50_000)
seconds = st.none() | st.integers(0, 4_000_000).map(lambda n: n / 1000)


@st.composite
def tables(draw):
    rows = []
    for game in range(draw(st.integers(1, 3))):
        black = draw(st.booleans())
        for ply in range(draw(st.integers(1, 6))):
            cp = draw(maybe)
            mate = draw(st.none() | st.integers(-99, 99)) if cp is None else None
            rows.append({
                "game": game, "ply": ply, "turn": "wb"[(ply + black) % 2], "san": draw(st.sampled_from(SANS)) if ply else None,
                "cp": cp, "mate": mate, "depth": draw(st.none() | st.integers(0, 99)) if (cp, mate) != (None, None) else None,
                "clock": draw(seconds), "spent": draw(seconds), "best": draw(st.sampled_from([None, "e2e4", "a7a8q"])),
                "over": draw(st.sampled_from([None, "mate", "stalemate", "insufficient"])),
            })  # fmt: skip
    frame = pl.DataFrame(rows, infer_schema_length=None)
    count = rows[-1]["game"] + 1
    first = [frame.filter(pl.col("game") == g)["turn"][0] for g in range(count)]
    fens = [None if t == "w" else "4k3/8/8/8/8/8/4P3/4K3 b - - 0 7" for t in first]
    games = Games.build([(f"W{g}", 'Ä "x" \\ B', 0.5) for g in range(count)])
    return EvaluatedGames.build(games, frame, starts={"fen": fens}, source="Engine 1, depth 9")


@given(tables())
@pytest.mark.parametrize("format", FORMATS)
def test_written_and_read_again(tmp_path_factory, format, evaluated):
    path = tmp_path_factory.mktemp("written") / f"games.{format}"
    assert write_evaluations(evaluated, path) == []
    again = read_evaluated(path)
    assert_frame_equal(again.table, evaluated.table)
    assert again.starts["fen"].to_list() == evaluated.starts["fen"].to_list()
    assert again.games.frame()["white"].to_list() == evaluated.games.frame()["white"].to_list()
    assert again.games.frame()["black"].to_list() == evaluated.games.frame()["black"].to_list()
    assert again.games.table["score"].to_list() == evaluated.games.table["score"].to_list()
    if format != "pgn":
        assert again.source == "Engine 1, depth 9"


FILE = """[Event "Café \\"x\\""]
[Site "Oslo"]
[Date "2024.03.01"]
[Round "1"]
[White "Ås, Åse"]
[Black "Berg"]
[Result "0-1"]
[TimeControl "600+5"]
[ECO "A00"]

{Before. [%eval 0.5]} 1. f3! $6 {weak [%clk 0:09:58] [%eval -0.4,12]} (1. e4 {[%eval 0.3]} e5)
{later} 1... e5 ; rest [%eval 1.0]
2. g4?? {[%eval -9.9]} (2. e4) {behind} 2... Qh4# {[%clk 0:09:50.5]} 0-1

[Event "E"]
[White "A"]
[Black "B"]
[Round "2"]
[Result "1-0"]

1. e4 e5 2. Ke3 1-0

[Event "E"]
[White "A"]
[Black "C"]
[Round "3"]
[Result "1-0"]

1. e4 {never closed 1-0
"""


def analysed(path) -> EvaluatedGames:
    read = read_evaluated(path)
    places = positions(read)
    said = places.unique("epd", maintain_order=True).with_row_index("cp").select(
        "epd", "cp", pl.lit(1).alias("line"), pl.lit("a2a3").alias("move"), pl.lit(9).alias("depth")
    )  # fmt: skip
    return from_positions(places, said, read, source="Engine 1, depth 9")


def test_what_the_file_had_is_kept(write, tmp_path):
    evaluated = analysed(write(FILE, "in.pgn"))
    out = tmp_path / "out.pgn"
    assert write_evaluations(evaluated, out) == []
    text = out.read_text()
    first = text.split('[Event "E"]')[0]
    assert first.startswith(FILE.split("\n\n", maxsplit=1)[0])
    assert '[Annotator "Engine 1, depth 9"]' in first
    moves = first.split("\n\n")[1]
    assert moves == (
        "{[%eval 0.00,9] [%best a2a3] Before.} 1. f3! $6 {[%eval 0.01,9] [%best a2a3] weak [%clk 0:09:58]} (1. e4 {[%eval 0.3]} e5)\n"
        "{later} 1... e5 {[%eval 0.02,9] [%best a2a3]} ; rest\n"
        "2. g4?? {[%eval 0.03,9] [%best a2a3]} (2. e4) {behind} 2... Qh4# {[%eval #0] [%over mate] [%clk 0:09:50.5]} 0-1"
    )
    assert "1. e4 {[%eval 0.05,9] [%best a2a3] never closed 1-0}\n1-0" in text
    again = read_evaluated(out)
    # The moves behind an illegal one are in the file, but not among the positions.
    kept = again.table.join(
        evaluated.table.select("game", "ply"), on=["game", "ply"], how="semi", maintain_order="left"
    )
    assert_frame_equal(kept, evaluated.table)
    assert again.table.height == evaluated.table.height + 1


def test_python_chess_reads_it(write, tmp_path):
    evaluated = analysed(write(FILE, "in.pgn"))
    out = tmp_path / "out.pgn"
    write_evaluations(evaluated, out)
    with out.open(encoding="utf-8") as handle:
        game = chess.pgn.read_game(handle)
    values = [node.eval() for node in game.mainline()]
    assert game.eval().white().score() == 0
    assert [v and v.white().score() for v in values[:3]] == [1, 2, 3]
    assert [node.clock() for node in game.mainline()] == [598, None, None, 590.5]
    assert game.headers["TimeControl"] == "600+5"


def test_a_file_that_is_gone(write, tmp_path):
    path = write(FILE, "in.pgn")
    evaluated = analysed(path)
    path.unlink()
    out = tmp_path / "out.pgn"
    (words,) = write_evaluations(evaluated, out)
    assert "tags of 3 games: their file cannot be read again" in words
    assert_frame_equal(read_evaluated(out).table, evaluated.table)
    assert '[White "Ås, Åse"]' in out.read_text()
    assert "1. f3 {[%eval 0.01,9] [%best a2a3] [%clk 0:09:58]} 1... e5" in out.read_text().replace("\n", " ")


def test_a_file_that_has_changed(write, tmp_path):
    path = write(FILE, "in.pgn")
    evaluated = analysed(path)
    write(FILE.replace("1. f3!", "1. a3"), "in.pgn")
    (words,) = write_evaluations(evaluated, tmp_path / "out.pgn")
    assert "of 1 games" in words


def test_moves_that_are_others():
    row = {"san": None, "cp": 1, "mate": None, "depth": None, "best": None, "over": None}
    assert annotated("1. e4", [row, {**row, "san": "d4"}]) is None
    assert annotated("1. e4", [row, {**row, "san": "e4"}, {**row, "san": "e5"}]) is None
    assert annotated("1. e4", []) is None


def test_rules_decide_at_the_end(write):
    stalemate = "1. e3 a5 2. Qh5 Ra6 3. Qxa5 h5 4. h4 Rah6 5. Qxc7 f6 6. Qxd7+ Kf7 7. Qxb7 Qd3 8. Qxb8 Qh7 9. Qxc8 Kg6 10. Qe6"
    text = f'[White "A"]\n[Black "B"]\n\n{stalemate} 1/2-1/2\n'
    read = read_evaluated(write(text))
    places = positions(read)
    said = pl.DataFrame(
        {"epd": places["epd"], "line": 1, "move": "a1a2", "cp": 700, "mate": None, "depth": 5}
    )
    last = from_positions(places, said, read, source="x").table.row(-1, named=True)
    assert (last["cp"], last["mate"], last["over"], last["best"], last["depth"]) == (
        0,
        None,
        "stalemate",
        None,
        None,
    )


def test_own_evaluations_come_first(write):
    read = read_evaluated(
        write('[White "A"]\n[Black "B"]\n\n1. e4 {[%eval 0.5,30]} e5 {[%eval #3]} 2. Nf3 1-0\n')
    )
    places = positions(read)
    said = pl.DataFrame({"epd": places["epd"], "line": 1, "move": "a2a3", "cp": 7, "depth": 9})
    mixed = from_positions(places, said, read, source="x", own=True).table
    assert mixed["cp"].to_list() == [7, 50, None, 7]
    assert mixed["mate"].to_list() == [None, None, 3, None]
    assert mixed["depth"].to_list() == [9, 30, None, 9]
    assert mixed["best"].to_list() == ["a2a3", None, None, "a2a3"]
    alone = from_positions(places, said.head(1), read, source="x").table
    assert alone["cp"].to_list() == [7, None, None, None]


def test_only_the_first_line_counts(write):
    read = read_evaluated(write('[White "A"]\n[Black "B"]\n\n1. e4 1-0\n'))
    places = positions(read)
    epd = places["epd"][0]
    said = pl.DataFrame({
        "epd": [epd] * 3, "searchmoves": ["", "", "a2a3"], "line": [2, 1, 1], "move": ["d2d4", "e2e4", "a2a3"], "cp": [1, 2, 3],
    })  # fmt: skip
    found = from_positions(places, said, read, source="x").table
    assert (found["cp"].to_list(), found["best"].to_list()) == ([2, None], ["e2e4", None])


@pytest.mark.parametrize("name", ["out.txt", "out", "out.xlsx"])
def test_other_endings_are_refused(tmp_path, name):
    evaluated = EvaluatedGames.build(Games.build([("A", "B", 1.0)]), {"game": [0], "ply": [0]})
    with pytest.raises(UsageError, match=r"ends in \.pgn, \.csv"):
        write_evaluations(evaluated, tmp_path / name)
    with pytest.raises(UsageError, match="found 'xml'"):
        write_evaluations(evaluated, tmp_path / "out.pgn", "xml")


def test_other_tables_are_refused(write):
    with pytest.raises(InputError, match="no column game, ply, san"):
        read_evaluated(write("white,black,result\nA,B,1-0\n"))
    with pytest.raises(InputError, match="expected positions"):
        read_evaluated(write("game,white,black,result,ply,san\n0,A,B,1-0,zero,\n"))


@pytest.mark.data
@pytest.mark.parametrize("format", FORMATS)
def test_annotated_games(data, tmp_path, format):
    read = read_evaluated(sorted((data / "engine_evals").glob("*.pgn.zst")))
    out = tmp_path / f"games.{format}"
    assert write_evaluations(read, out) == []
    again = read_evaluated(out)
    assert_frame_equal(again.table, read.table)
    assert again.games.frame()["white"].to_list() == read.games.frame()["white"].to_list()
