"""Kept evaluations: found again, never twice, whole after any kind of end."""

from __future__ import annotations

import json
import os
import resource
import signal
import sqlite3
import subprocess
import sys

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arpad.errors import InputError, UsageError
from arpad.evaluation import EngineLine, Evaluation, evaluation_frame, evaluation_schema
from arpad.moves.evaluation_store import (
    EvaluationStore,
    already_known,
    default_root,
    lookup,
    store_stamp,
    stores,
)

KEY = "engine=Fake 1.0; network=x; limit=depth 5; multipv=2; hash=1; options="


def evaluation(number: int, searchmoves: str = "", cp: int | None = None) -> Evaluation:
    lines = (
        EngineLine(move="e2e4", cp=number if cp is None else cp, mate=None, depth=5, nodes=10),
        EngineLine(move="d2d4", cp=None, mate=-3, depth=5, nodes=10),
    )
    return Evaluation(epd=f"position {number} w - -", lines=lines, searchmoves=searchmoves)


def epds(*numbers: int) -> list[str]:
    return [f"position {n} w - -" for n in numbers]


@pytest.fixture
def root(tmp_path):
    return tmp_path / "kept"


def test_what_is_kept_is_found_again(root):
    with EvaluationStore(root, KEY) as store:
        store.append([evaluation(1), evaluation(2)])
        assert store.known(epds(1, 2, 3)).tolist() == [True, True, False]
    rows = lookup(epds(2, 3), KEY, root=root)
    assert rows.schema == evaluation_schema()
    assert rows.select("line", "move", "cp", "mate").rows() == [(1, "e2e4", 2, None), (2, "d2d4", None, -3)]


def test_a_move_searched_alone_is_kept_apart(root):
    with EvaluationStore(root, KEY) as store:
        store.append([evaluation(1), evaluation(1, "a2a3", cp=-40)])
        assert store.known(epds(1), "a2a3").all()
        assert not store.known(epds(1), "a2a4").any()
        assert store.known(epds(1, 1, 1, 2), ["", "a2a3", "a2a4", ""]).tolist() == [True, True, False, False]
    assert lookup(epds(1), KEY, root=root)["cp"][0] == 1
    assert lookup(epds(1), KEY, root=root, searchmoves="a2a3")["cp"][0] == -40


def test_another_key_is_another_folder(root):
    with EvaluationStore(root, KEY) as store:
        store.append([evaluation(1)])
    assert lookup(epds(1), KEY.replace("depth 5", "depth 6"), root=root).is_empty()
    with EvaluationStore(root, KEY.replace("x;", "y;")) as other:
        assert not other.known(epds(1)).any()


def test_settings_are_written_down(root):
    with EvaluationStore(root, KEY, parameters={"depth": 5}) as store:
        about = json.loads((store.folder / "settings.json").read_text())
    assert about == {"format": 2, "key": KEY, "parameters": {"depth": 5}}


@pytest.mark.parametrize("text", ["", "{}", '{"format": 9, "key": "x"}', "[1]"])
def test_a_folder_that_is_not_ours_is_refused(root, text):
    with EvaluationStore(root, KEY) as store:
        pass
    (store.folder / "settings.json").write_text(text)
    with pytest.raises(InputError):
        EvaluationStore(root, KEY)
    with pytest.raises(InputError):
        lookup(epds(1), KEY, root=root)


def test_a_folder_in_which_nobody_has_kept_anything_yet(root):
    """A process was killed when it had made the folder and nothing else."""
    with EvaluationStore(root, KEY) as store:
        pass
    for path in store.folder.iterdir():
        path.unlink()
    assert lookup(epds(1), KEY, root=root).is_empty()
    EvaluationStore(root, KEY).close()


def test_a_database_that_another_process_has_just_made_has_nothing_yet(root):
    with EvaluationStore(root, KEY) as store:
        pass
    (store.folder / "evaluations.sqlite").write_bytes(b"")
    assert lookup(epds(1), KEY, root=root).is_empty()
    assert already_known(epds(1), [""], KEY, root).tolist() == [False]


@pytest.mark.parametrize("place", ["~nobody-has-this-name", "~nobody-has-this-name/kept"])
def test_a_user_without_a_home(monkeypatch, place):
    monkeypatch.delenv("ARPAD_STORE", raising=False)
    monkeypatch.setenv("XDG_DATA_HOME", place)
    with pytest.raises(UsageError, match="no home folder"):
        default_root()


numbers = st.integers(-32768, 32767)
lines = st.builds(
    EngineLine, move=st.sampled_from(["e2e4", "a7a8q"]), cp=numbers, mate=st.none(), depth=st.integers(0, 245), nodes=st.integers(0, 2**60)
) | st.builds(
    EngineLine, move=st.just("e1h1"), cp=st.none(), mate=numbers, depth=st.integers(0, 245), nodes=st.just(1)
)  # fmt: skip


def test_one_process_writes_at_a_time(root):
    with EvaluationStore(root, KEY) as store:
        store.append([evaluation(1)])
        with pytest.raises(InputError, match=f"process {os.getpid()}.* is at work"):
            EvaluationStore(root, KEY)
        other = EvaluationStore(root, KEY.replace("depth 5", "depth 6"))  # other settings: no matter
        other.close()
        assert lookup(epds(1), KEY, root=root).height == 2  # reading needs no leave
    EvaluationStore(root, KEY).close()


def test_a_place_that_cannot_be_used(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="cannot be kept here"):
        EvaluationStore(tmp_path / "file" / "kept", KEY)


def test_moves_searched_alone_are_looked_up_together(root):
    with EvaluationStore(root, KEY) as store:
        store.append([evaluation(1), evaluation(1, searchmoves="a2a3", cp=-40)])
        store.append([evaluation(2, searchmoves="b2b3", cp=-50)])
        found = lookup(epds(1, 2, 1), KEY, root=root, searchmoves=["a2a3", "b2b3", "h2h3"])
    assert set(found["cp"].drop_nulls()) == {-40, -50}


def test_nothing_is_kept_twice(root):
    with EvaluationStore(root, KEY) as store:
        store.append([evaluation(1), evaluation(1, cp=99)])
        store.append([evaluation(1, cp=98)])
    with EvaluationStore(root, KEY) as store:
        store.append([evaluation(1, cp=97), evaluation(2)])
        assert len(store) == 2
    assert lookup(epds(1, 2), KEY, root=root).filter(pl.col("line") == 1)["cp"].to_list() == [1, 2]


@given(st.lists(lines, min_size=1, max_size=9))
def test_the_store_gives_back_what_it_was_given(tmp_path_factory, some):
    root = tmp_path_factory.mktemp("same")
    whole = Evaluation(epd="8/8 w HAha e3", lines=tuple(some), searchmoves="e2e4 e7e5")
    with EvaluationStore(root, KEY) as store:
        store.append([whole])
    assert lookup([whole.epd], KEY, root=root, searchmoves="e2e4 e7e5").equals(evaluation_frame([whole]))


def test_killed_between_batches_and_within_one(root):
    """Whole batches are kept, however the process ends."""
    code = (
        "import sys; from tests.moves.test_evaluation_store import *\n"
        "store = EvaluationStore(sys.argv[1], KEY)\n"
        "for n in range(0, 10**6, 5):\n"
        "    store.append(map(evaluation, range(n, n + 5))); print(n, flush=True)\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code, str(root)], stdout=subprocess.PIPE, text=True
    ) as child:
        seen = [int(child.stdout.readline()) for _ in range(3)]
        child.send_signal(signal.SIGKILL)
    with EvaluationStore(root, KEY) as store:
        assert len(store) >= seen[-1] + 5
        assert len(store) % 5 == 0


def test_a_full_disk(root):
    """A process that may write files of 60,000 bytes at most."""
    code = (
        "import resource, sys; resource.setrlimit(resource.RLIMIT_FSIZE, (60_000, 60_000))\n"
        "from tests.moves.test_evaluation_store import *\n"
        "store = EvaluationStore(sys.argv[1], KEY)\n"
        "try:\n"
        "    [store.append([evaluation(n)]) for n in range(10_000)]\n"
        "except InputError as error: print(error)\n"
        "print(len(store), store.known(epds(0)).all())\n"
    )
    done = subprocess.run([sys.executable, "-c", code, str(root)], capture_output=True, text=True, check=True)
    message, count = done.stdout.splitlines()
    assert "the disk is full" in message
    number, known = count.split()
    assert 0 < int(number) < 10_000
    assert known == "True"
    with EvaluationStore(root, KEY) as store:
        assert len(store) == int(number)
        store.append([evaluation(10_001)])
    assert resource.getrlimit(resource.RLIMIT_FSIZE)[0] == resource.RLIM_INFINITY


def test_a_damaged_database_is_refused(root):
    with EvaluationStore(root, KEY) as store:
        store.append([evaluation(1)])
    (store.folder / "evaluations.sqlite").write_bytes(b"no database at all" * 100)
    with pytest.raises(InputError, match="damaged"):
        lookup(epds(1), KEY, root=root)
    with pytest.raises(InputError, match="damaged"):
        EvaluationStore(root, KEY)


def test_readers_go_on_while_another_process_writes(root):
    with EvaluationStore(root, KEY) as store:
        store.append([evaluation(1)])
        with sqlite3.connect(store.folder / "evaluations.sqlite") as writer:
            writer.execute("BEGIN IMMEDIATE")
            assert lookup(epds(1), KEY, root=root).height == 2
            writer.rollback()


def test_stores_by_engine_and_limit(root):
    before = store_stamp(root)
    with EvaluationStore(root, KEY, parameters={"engine": "Fake", "depth": 5}) as store:
        store.append([evaluation(1)])
    assert list(stores(root)) == [(KEY, "Fake, depth 5")]
    assert store_stamp(root) != before
