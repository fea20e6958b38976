"""Moves, evaluations and clocks out of files: the same by both readers, however they are written."""

from __future__ import annotations

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from arpad.errors import InputError, StrictError
from arpad.read.pgn.games import iterate
from arpad.read.pgn.movetext import mainline, tokens
from arpad.read.reading import read_moves
from arpad.read.source import Report
from tests.read.samples import PGN

KERNEL = pytest.mark.parametrize("kernel", [False, True])


def game(moves, **tags) -> str:
    head = {"Event": "E", "White": "A", "Black": "B", "Result": "1-0", **tags}
    return "".join(f'[{k} "{v}"]\n' for k, v in head.items()) + f"\n{moves}\n\n"


def sans(moves) -> list[list[str]]:
    found = moves.plies.filter(pl.col("ply") > 0).group_by("game", maintain_order=True).agg("san")
    return found["san"].to_list()


@KERNEL
@pytest.mark.parametrize("change", [
    str.encode,
    lambda t: t.replace("\n", "\r\n").encode(),
    lambda t: b"\xef\xbb\xbf" + t.encode(),
    lambda t: t.encode("latin-1"),
    lambda t: t.replace("e5", "\n% an escaped line { (\ne5").encode(),
    lambda t: t.replace(" 2. ", " ; the rest of the line\n2. ").encode(),
    lambda t: t.replace("1. e4", "1. e4 (1. d4 d5 (1... Nf6 {why} 2. c4)) (1. c4)").encode(),
    lambda t: t.replace("e5", "$6 e5").encode(),
], ids=["UTF-8", "CRLF", "BOM", "Latin-1", "escape", "rest", "variations", "NAG"])  # fmt: skip
def test_other_ways_to_write_the_same(write, change, kernel):
    text = game("1. e4 e5 2. Nf3 Nc6 {Zürich} 1-0", White="Jörg") + game("1. d4 {[%eval 0.2]} 1-0")
    moves = read_moves(write(change(text)), kernel=kernel)
    assert sans(moves) == [["e4", "e5", "Nf3", "Nc6"], ["d4"]]
    assert moves.plies["cp"].to_list() == [*[None] * 6, 20]
    assert moves.games.players["name"].to_list() == ["Jörg", "A", "B"]


@KERNEL
@pytest.mark.parametrize(("moves", "expected", "note"), [
    ("1. e4 e5 {never closed 2. Nf3 1-0", ["e4", "e5"], "a comment { is never closed"),
    ("1. e4 e5 (1... c5 2. Nf3 1-0", ["e4", "e5"], "a variation ( is never closed"),
    ("1. e4 e5 1-0 2. Nf3 Nc6", ["e4", "e5"], "moves stand behind the result"),
    ("1. e4 e5 1-0 thank you", ["e4", "e5"], None),
    ("1. e4 e5 2. Nf3", ["e4", "e5", "Nf3"], None),
    ("1. e4 e5 ) 2. Nf3 } Nc6 1-0", ["e4", "e5", "Nf3", "Nc6"], None),
    ("1. e4 " + "(" * 5000 + "d4" + ")" * 5000 + " e5 1-0", ["e4", "e5"], None),
    ("1. e4 {" + "x" * 1_000_000 + "} e5 1-0", ["e4", "e5"], None),
    ("1.e4 e5 2.-- Z0 3. 0-0 0-0-0 4.exd6 e.p. e8=Q+!? 1-0",
     ["e4", "e5", "--", "Z0", "0-0", "0-0-0", "exd6", "e8=Q+"], None),
    ("1.e8(Q)+ (1. e8(R)) bxa1(N)! 2. h8(Q (no) b1(X) 1-0", ["e8(Q)+", "bxa1(N)", "h8"], "( is never"),
    ("1. e4! $1 e5?? $4 2. Nf3!? 1-0", ["e4", "e5", "Nf3"], None),
    ("1-0", [], "no move made"),
], ids=lambda v: str(v)[:20])  # fmt: skip
def test_damaged_moves(write, moves, expected, note, kernel):
    texts = ["1. d4 d5 1-0", moves, "1. c4 c5 1-0"]
    text = "".join(game(text, Round=str(number)) for number, text in enumerate(texts))
    found = read_moves(write(text), kernel=kernel)
    assert sans(found)[1:-1] == ([expected] if expected else [])
    assert sans(found)[-1] == ["c4", "c5"]
    reasons = [n.reason for n in found.report.notes if n.line == 9]
    assert len(reasons) == (note is not None)
    if note is not None:
        assert note in reasons[0]


@KERNEL
@pytest.mark.parametrize(("comment", "column", "value"), [
    ("[%eval 0.13]", "cp", 13), ("[%eval -1.5]", "cp", -150), ("[%eval +2]", "cp", 200), ("[%eval .5]", "cp", 50),
    ("[%eval 0.125]", "cp", 13), ("[%eval -0.0]", "cp", 0), ("[%eval 0.13,24]", "depth", 24), ("[%eval 0.13,24]", "cp", 13),
    ("[%eval #-3]", "mate", -3), ("[%eval #3]", "mate", 3), ("[%eval #+3]", "mate", 3), ("[%eval #0]", "mate", 0),
    ("[%eval #-3,12]", "depth", 12), ("[%eval #3]", "cp", None), ("[%eval x] [%eval 1.0]", "cp", 100), ("[%eval 1.0] [%eval 2.0]", "cp", 100),
    ("[%eval 9999999]", "cp", None), ("[%eval ]", "cp", None), ("[%evaluation 1.0]", "cp", None), ("eval 1.0", "cp", None),
    ("[%clk 1:02:03]", "clock", 3723.0), ("[%clk 0:00:09.75]", "clock", 9.75), ("[%clk 0:09]", "clock", None), ("[%emt 0:01:00]", "spent", 60.0),
    ("[%best g1f3]", "best", "g1f3"), ("[%best e7e8q]", "best", "e7e8q"), ("[%best Nf3]", "best", None), ("[%over stalemate]", "over", "stalemate"),
    ("so-so [%eval\n0.3] really", "cp", 30),
])  # fmt: skip
def test_commands(write, comment, column, value, kernel):
    text = game(f"{{{comment}}} 1. e4 {{{comment}}} (1. d4 {{[%eval 7.0] [%clk 0:00:01]}}) e5 ;{comment}\n*")
    plies = read_moves(write(text), kernel=kernel).plies
    rest = value if "\n" not in comment else None
    assert plies[column].to_list() == [value, value, rest]


def test_pieces_and_chunks_give_the_same(write, monkeypatch):
    text = "".join(
        game(f"1. e4 {{[%eval 0.{i % 10}]}} e5 {i % 7}. Nf3 1-0", Round=str(i), White=f"W{i % 7}")
        for i in range(300)
    )
    path = write(text + game("1. e4 1-0", White="?"))
    whole = read_moves(path, kernel=False)
    for kernel in (False, True):
        with monkeypatch.context() as patch:
            patch.setattr("arpad.read.pgn.scan.PIECE", 3000)
            patch.setattr("arpad.read.source.BLOCK", 64)
            again = read_moves(path, kernel=kernel)
        assert_frame_equal(again.plies, whole.plies)
        assert_frame_equal(again.starts, whole.starts)
        assert again.starts["line"].to_list() == [1 + 8 * i for i in range(300)]


def test_a_stream_and_a_packed_file(write, monkeypatch):
    import gzip
    import io
    import sys

    path = write(PGN)
    plain = read_moves(path)
    packed = read_moves(write(gzip.compress(PGN.encode()), "packed.pgn.gz"))
    assert_frame_equal(plain.plies, packed.plies)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(PGN.encode())))
    assert_frame_equal(plain.plies, read_moves("-").plies)


@KERNEL
def test_nul_bytes(write, kernel):
    with pytest.raises(InputError, match="found binary data"):
        read_moves(write(game("1. e4 \0 e5 1-0")), kernel=kernel)
    text = game("1. e4 {" + "x" * 70_000 + "} 1-0", Round="1") + game("1. e4 \0 {\0} e5 1-0", Round="2")
    assert sans(read_moves(write(text), kernel=kernel)) == [["e4"], ["e4", "e5"]]


def test_what_cannot_be_read(write, tmp_path):
    with pytest.raises(InputError, match="found nothing there"):
        read_moves(tmp_path / "none.pgn")
    with pytest.raises(InputError, match="expected PGN"):
        read_moves(write("white,black,result\nA,B,1-0\n"))
    with pytest.raises(StrictError, match="expected the name of White"):
        read_moves(write(game("1. e4 1-0", White="?")), strict=True)


def test_tokens_know_where_they_stand():
    text = "{first} 12...Nf3!? $1 {why} (d4) 1-0 e4"
    found = [(t.kind, text[t.start : t.stop]) for t in tokens(text)]
    assert found[:5] == [
        ("comment", "{first}"), ("san", "Nf3!?"), ("nag", "$1"), ("comment", "{why}"), ("end", "1-0"),
    ]  # fmt: skip


@pytest.mark.data
@KERNEL
def test_annotated_games(data, kernel):
    cct = data / "engine_evals" / "cct_finals_2023_2024.pgn.zst"
    broadcast = data / "engine_evals" / "lichess_broadcast_2025.pgn.zst"
    moves = read_moves([cct, broadcast], kernel=kernel)
    # `data/README.md` says so: 115 + 45 games with %eval comments.
    files = moves.starts.group_by("file", maintain_order=True).len()
    assert files["len"].to_list() == [115, 45]
    known = pl.col("cp").is_not_null() | pl.col("mate").is_not_null()
    later = moves.plies.filter(pl.col("ply") > 0)
    assert later.group_by("game").agg(known.any())["cp"].all()
    assert later.select(known).to_series().mean() > 0.99
    report = Report()
    rows = zip(moves.games.table.iter_rows(named=True), moves.plies.partition_by("game"), strict=True)
    texts = [g for path in (cct, broadcast) for g in iterate(path, report=report)]
    for (_, plies), original in zip(rows, texts, strict=True):
        reference = mainline(original.movetext)[1]
        assert plies["san"].to_list()[1:] == [p.san for p in reference]
        assert plies["cp"].to_list()[1:] == [p.marks.cp for p in reference]
        assert plies["mate"].to_list()[1:] == [p.mate for p in reference]
        assert plies["clock"].to_list()[1:] == [p.clock for p in reference]


@pytest.mark.data
def test_games_that_were_not_played(data):
    folder = data / "paper_events" / "pgn"
    moves = read_moves([folder / "WCh1972.pgn", folder / "WCh2006.pgn"])
    counts = moves.plies.group_by("game", maintain_order=True).agg(pl.len())["len"]
    unplayed = moves.games.table["status"] != "played"
    assert counts.filter(unplayed).to_list() == [2, 1]
    assert moves.games.table["plies"].filter(unplayed).to_list() == [1, 0]
