"""The compiled reader of moves finds what the readable one finds, in any text."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

from arpad.read.pgn.games import by_reference, iterate, look_by_kernel, look_by_reference
from arpad.read.source import Report, Source

PIECES = [
    '[Event "E"]\n', '[FEN "8/8/8/8/8/8/8/K1k5 b - - 0 1"]\n', '[Variant "Chess960"]\n', "\n", "\r\n", " ", " ",
    "1. e4 ", "1...e5 ", "2.Nf3!? ", "3.Sf3 ", "Txe1+ ", "Lb1xd2 ", "S:f3! ", "D-d4 ", "C42 ", "Diagram ", "Sf", "Txxxxe4 ", "12.13.e4", "...", "e.p. ", "ep ", "exd6e.p. ", "0-0 ", "0-0-0+ ", "O-O-O# ", "-- ", "Z0 ",
    "@@@@ ", "e8=Q+!! ", "e ", "a!", "0-", "{", "}", "(", ")", "; rest [%eval 1.0]\n", "\n% escaped } ( {\n", " %", "$1 ", "$", "$$12e4",
    "1-0 ", "0-1\n", "1/2-1/2", "* ", "1-0x", "é", "\u00a0", "♘f3 ", "\x0b", "\x1c", "\0",
    "{[%eval 0.13]} ", "{[%eval #-3]}", "{ [%eval -1.255,24] [%clk 1:02:03.45] }", "[%eval 1]", "[%eval .5]", "[%eval -.5 ]",
    "[%eval +7.]", "[%eval 1234567]", "[%eval 0.1234567,12345]", "[%eval #+12,9]", "[%eval #]", "[%eval .]", "[%eval\n0.3\r\n]", "[%eval0.3]",
    "[%clk 0:00:59]", "[%clk 12345:00:00]", "[%clk 1:2:3.1234567890]", "[%clk 1:2:3.]", "[%clk 1:2]", "[%emt 0:00:07.5]", "[%emt  0:00:08 ]", "[%clk\t9:99:99]",
    "[%best e2e4]", "[%best e7e8q ]", "[%best e9e4]", "[%best e2e4x]", "[%over mate]", "[%over Mate]", "[%over stalemate ]", "[%[%eval 0.3]",
    "[%eva", "[%", "[%clk", "[%cal Gc8g4]", "[%csl Rd4]",
]  # fmt: skip
words = st.sampled_from(PIECES)
evals = st.from_regex(r"\{\[%eval #?[-+]?[0-9]{0,7}(\.[0-9]{0,4})?(,[0-9]{0,5})?\]\}", fullmatch=True)
clocks = st.from_regex(r"\{\[%(clk|emt) [0-9]{0,5}:[0-9]{0,3}:[0-9]{0,3}(\.[0-9]{0,11})?\]\}", fullmatch=True)
scraps = st.text(alphabet="[]{}();$%#.,:- \n\re4N0Oeval", max_size=8)
texts = st.lists(words | evals | clocks | scraps, max_size=60).map("".join)


def compare(data: bytes) -> None:
    piece = by_reference(data, len(data))
    mine, theirs = Report(), Report()
    reference = look_by_reference(piece, "file", mine)
    kernel = look_by_kernel(piece, "file", theirs)
    for one, other in zip(reference, kernel, strict=True):
        assert_frame_equal(one, other, check_exact=True)
    assert sorted(mine.notes, key=str) == sorted(theirs.notes, key=str)


@settings(max_examples=500)
@given(texts)
@example("e4 {[%eval} {0.3]}")
@example("1. e4 é e5 {[%eval 0.3]} 1-0 e4")
@example("1. e4 ({[%eval 0.3]} e5")
@example("{[%eval 0.125]} e4 {[%eval 0.145]} e5 {[%eval -0.005]}")
@example("{open\n\n% e4 } e5")
@example("; a\n%b\ne4")
def test_kernel_agrees_with_reference(text):
    compare(text.encode())


@settings(max_examples=150)
@given(st.binary(max_size=300))
def test_on_any_bytes(data):
    compare(data)


@pytest.mark.parametrize("text", [
    "1. e4 " + "{" + "x" * 1_000_000 + "[%eval 0.3]} e5 1-0",
    "1. e4 " + "(" * 100_000 + " d4 " + ")" * 100_000 + " e5 {[%eval 0.1]} *",
    "1. e4 " + "(" * 100_000 + " d4 *",
    "1. " + "e4" * 500_000,
    " ".join(f"{i}. Nf3 Nf6" for i in range(20_000)),
    "1. e4 {" + "\0" * 1000 + "[%eval 0.5]} e5",
], ids=["long comment", "deep", "deep and open", "long word", "many moves", "NUL"])  # fmt: skip
def test_extremes(text):
    compare(text.encode())


@pytest.mark.data
@pytest.mark.parametrize("name", [
    "engine_evals/cct_finals_2023_2024.pgn.zst",
    "engine_evals/lichess_broadcast_2025.pgn.zst",
])  # fmt: skip
def test_on_annotated_games(data, name):
    path = data / name
    compare(Source(str(path), Report()).everything())
    assert all(any(ply.eval is not None for ply in g.mainline()[1]) for g in iterate(path))


@pytest.mark.data
def test_on_paper_events(data):
    for path in sorted((data / "paper_events" / "pgn").iterdir())[::10]:
        compare(path.read_bytes())
