"""Settings: one limit, options that may be set, a key that tells what answers depend on."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arpad.errors import UsageError
from arpad.moves.engine import EngineIdentity, EngineSettings

ME = EngineIdentity(name="Fake 1", network="x.nnue")


@pytest.mark.parametrize(
    ("given_", "go"),
    [
        ({}, "go depth 13"),
        ({"depth": 5}, "go depth 5"),
        ({"nodes": 9}, "go nodes 9"),
        ({"movetime": 70}, "go movetime 70"),
    ],
)
def test_one_limit(given_, go):
    assert EngineSettings(**given_).go() == go


@pytest.mark.parametrize(
    ("bad", "words"),
    [
        ({"depth": 3, "nodes": 3}, "one limit, found depth and nodes"),
        ({"depth": 0}, "depth: expected 1 to 32767, found 0"),
        ({"movetime": -1}, "movetime: expected 1 to"),
        ({"nodes": 2**63}, "nodes: expected 1 to"),
        ({"multipv": 0}, "1 to 500, found 0"),
        ({"hash_mb": 0}, "hash_mb"),
        ({"options": (("Threads", "2"),)}, "one thread an engine"),
        ({"options": (("multipv", "2"),)}, "option multipv is not to be set"),
        ({"options": (("A", "2"), ("a", "3"))}, "set twice"),
    ],
)
def test_what_cannot_be_meant(bad, words):
    with pytest.raises(UsageError, match=words):
        EngineSettings(**bad)


different = st.fixed_dictionaries(
    {"depth": st.integers(1, 40), "multipv": st.integers(1, 500), "hash_mb": st.integers(1, 4096)}
)


@given(different, different)
def test_keys_are_equal_when_settings_are(one, other):
    keys = [EngineSettings(**s).key(ME) for s in (one, other)]
    assert (keys[0] == keys[1]) == (one == other)


def test_the_key_knows_the_engine_and_not_its_path():
    here, there = (EngineSettings(engine=e).key(ME) for e in ("stockfish", "/opt/stockfish"))
    assert here == there
    assert here != EngineSettings().key(EngineIdentity(name="Fake 2", network="x.nnue"))
    assert here != EngineSettings().key(EngineIdentity(name="Fake 1", network="y.nnue"))


def test_the_order_of_options_does_not_matter():
    one = EngineSettings(options=(("A", "1"), ("B", "2")))
    assert one.key(ME) == EngineSettings(options=(("B", "2"), ("A", "1"))).key(ME)
    assert one.key(ME) != EngineSettings(options=(("A", "1"), ("B", "3"))).key(ME)
    assert one.key(ME) != EngineSettings(depth=13).key(ME)


def test_a_value_is_not_taken_for_another_option():
    one = EngineSettings(options=(("A", "1, B=2"),))
    assert one.key(ME) != EngineSettings(options=(("A", "1"), ("B", "2"))).key(ME)


def test_depth_and_nodes_are_told_apart():
    assert EngineSettings(depth=20).key(ME) != EngineSettings(nodes=20).key(ME)
