"""The compiled PGN scanner finds what the readable one finds, in any text."""

from __future__ import annotations

import numpy as np
from hypothesis import example, given, settings
from hypothesis import strategies as st

from arpad.read.pgn import header_kernel as pgn_kernel
from arpad.read.pgn import scan as pgn_scan
from arpad.read.pgn.header_kernel import gather

PIECES = [
    '[Event "E"]\n', '[White "A"]\n', '[Black "B \\"x\\" "]\r\n', '[Result "1-0"]\n', '[Foo "bar"]\n',
    "[%eval 0.3]\n", "[White]\n", '[Date "2024.06.08"]\n', '[UTCDate "2024.06.09"]\n', '[ "x"]\n', "\n", "\r\n", "  \n", "1. e4 e5 ", "2.Nf3 Nc6", "e.p. ", "0-0 ", "O-O-O# ",
    "{comment} ", "{open\n", "}", "; rest\n", "% escaped }\n", "(var (nested) ", ") ", "$12 ", "1-0", "0-1\n", "1/2-1/2",
    "*\n", "Qxf7#!! ", "Qh4#", "1-0 trailing", "é\n", "\x0b", "12...", '{ [Event "inside"] }\n',
]  # fmt: skip
texts = st.lists(
    st.sampled_from(PIECES) | st.text(alphabet='[]{}();$%"# \n\rEvent1-0a', max_size=6), max_size=60
).map("".join)


def compare(data: bytes) -> None:
    reference = pgn_scan.scan(data)
    rows, values, moves, lines = pgn_kernel.scan(np.frombuffer(data, dtype=np.uint8))
    assert lines == data.count(b"\n") + (not data.endswith(b"\n") and bool(data))
    assert len(rows) == len(reference)
    for game, row, places, digest in zip(reference, rows, values, moves, strict=True):
        for at, name in enumerate(pgn_kernel.COLUMNS):
            assert getattr(game, name) == row[at], (name, data)
        assert game.values == [tuple(p) for p in places.tolist()]
        assert game.moves == digest


@settings(max_examples=400)
@given(texts)
@example("$0*\n")
@example("1-0;")
@example('1-0{open\n[Event "E"]\n')
def test_kernel_agrees_with_reference(text):
    compare(text.encode())


@settings(max_examples=150)
@given(st.binary(max_size=300))
def test_on_any_bytes(data):
    compare(data)


def test_on_a_whole_file():
    from tests.read.samples import PGN

    compare(PGN.encode())


def test_games_shorter_than_there_was_room_for():
    """Ten thousand games of 13 bytes: room for 1,024 was made at first."""
    compare(b'[Event ""]\n*\n' * 10_000)


@given(st.lists(st.lists(st.binary(max_size=20), min_size=3, max_size=3), max_size=20))
def test_gather_copies_what_it_is_told(games):
    data = np.frombuffer(b"".join(part for game in games for part in game) or b"x", dtype=np.uint8)
    places = np.full((len(games) + 1, 3, 2), -1, dtype=np.int32)
    at = 0
    for g, game in enumerate(games):
        for t, part in enumerate(game):
            places[g, t] = at, at + len(part)
            at += len(part)
    values, starts, offsets, escaped = gather(data, places)
    for t in range(3):
        own = values[starts[t] :]
        found = [bytes(own[a:b]) for a, b in zip(offsets[t], offsets[t][1:], strict=False)]
        assert found == [*(game[t].strip(b" \t") for game in games), b""]
        assert escaped[t] == any(b"\\" in game[t] for game in games)
