"""Kept evaluations: found again, never twice, whole after any kind of end."""

from __future__ import annotations

import errno
import json
import os
import resource
import subprocess
import sys

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arpad.errors import InputError, UsageError
from arpad.evaluation import Evaluation, Line, evaluation_schema
from arpad.store import evaluations as kept
from arpad.store.evaluations import EvaluationStore, default_root, lookup
from arpad.store.journal import Journal, read_journal
from arpad.store.segments import hashes, segments

KEY = "engine=Fake 1.0; network=x; limit=depth 5; multipv=2; hash=1; options="


def evaluation(number: int, searchmoves: str = "", cp: int | None = None) -> Evaluation:
    lines = (
        Line(move="e2e4", cp=number if cp is None else cp, mate=None, depth=5, nodes=10),
        Line(move="d2d4", cp=None, mate=-3, depth=5, nodes=10),
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
    assert rows.select("line", "move", "cp", "mate").rows() == [
        (1, "e2e4", 2, None),
        (2, "d2d4", None, -3),
    ]


def test_after_it_was_put_into_segments_too(root):
    with EvaluationStore(root, KEY) as store:
        store.append(map(evaluation, range(50)))
        assert store.compact()
        store.append([evaluation(50)])
        assert len(store) == 51
    with EvaluationStore(root, KEY) as store:
        assert store.known(epds(*range(52))).sum() == 51
    assert lookup(epds(*range(60)), KEY, root=root)["epd"].n_unique() == 51


def test_nothing_is_kept_twice(root):
    with EvaluationStore(root, KEY) as store:
        store.append([evaluation(1), evaluation(1, cp=99)])
        store.append([evaluation(1, cp=98)])
        store.compact()
        store.append([evaluation(1, cp=97), evaluation(2)])
        store.compact()
    rows = pl.concat([pl.read_parquet(p) for p in segments(store.folder)])
    assert rows.filter(pl.col("line") == 1)["cp"].sort().to_list() == [1, 2]


def test_a_move_searched_alone_is_kept_apart(root):
    with EvaluationStore(root, KEY) as store:
        store.append([evaluation(1), evaluation(1, "a2a3", cp=-40)])
        store.compact()
        assert store.known(epds(1), "a2a3").all()
        assert not store.known(epds(1), "a2a4").any()
        assert store.known(epds(1, 1, 1, 2), ["", "a2a3", "a2a4", ""]).tolist() == [
            True,
            True,
            False,
            False,
        ]
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
    assert about == {"format": 1, "key": KEY, "parameters": {"depth": 5}}


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


def test_what_a_killed_process_had_begun_is_swept_away(root):
    with EvaluationStore(root, KEY) as store:
        (store.folder / ".segment-000001.parquet.99").write_bytes(b"half")
    EvaluationStore(root, KEY).close()
    assert not list(store.folder.glob(".*"))


def test_a_journal_that_cannot_be_read(root):
    with EvaluationStore(root, KEY) as store:
        pass
    (store.folder / "journal.log").unlink()
    (store.folder / "journal.log").mkdir()
    with pytest.raises(InputError, match=r"journal\.log: cannot be read"):
        lookup(epds(1), KEY, root=root)
    with pytest.raises(InputError, match=r"journal\.log: cannot be read"):
        EvaluationStore(root, KEY)


@pytest.mark.parametrize("place", ["~nobody-has-this-name", "~nobody-has-this-name/kept"])
def test_a_user_without_a_home(monkeypatch, place):
    monkeypatch.delenv("ARPAD_STORE", raising=False)
    monkeypatch.setenv("XDG_DATA_HOME", place)
    with pytest.raises(UsageError, match="no home folder: name another with --store"):
        default_root()


@given(st.integers(0, 400))
def test_a_torn_end_is_cut_off(tmp_path_factory, cut):
    path = tmp_path_factory.mktemp("torn") / "journal"
    journal = Journal(path)
    journal.append(map(evaluation, range(5)))
    journal.close()
    data = path.read_bytes()
    path.write_bytes(data[: max(0, len(data) - cut)])
    whole = data[: max(0, len(data) - cut)].count(b"\n")
    again = Journal(path)
    assert [e.epd for e in again.evaluations] == epds(*range(whole))
    again.append([evaluation(9)])
    again.close()
    assert [e.epd for e in read_journal(path)[0]] == epds(*range(whole), 9)


@given(st.binary(max_size=60))
def test_noise_at_the_end_is_no_evaluation(tmp_path_factory, noise):
    path = tmp_path_factory.mktemp("noise") / "journal"
    journal = Journal(path)
    journal.append([evaluation(1)])
    journal.close()
    path.write_bytes(path.read_bytes() + noise)
    assert [e.epd for e in read_journal(path)[0]] == epds(1)


def test_a_damaged_line_does_not_take_the_rest_with_it(tmp_path):
    journal = Journal(tmp_path / "journal")
    journal.append(map(evaluation, range(3)))
    journal.close()
    rows = journal.path.read_bytes().splitlines(keepends=True)
    journal.path.write_bytes(rows[0] + rows[1].replace(b"position", b"pasition") + rows[2])
    assert [e.epd for e in read_journal(journal.path)[0]] == epds(0, 2)


numbers = st.integers(-32768, 32767)
lines = st.builds(
    Line, move=st.sampled_from(["e2e4", "a7a8q"]), cp=numbers, mate=st.none(), depth=st.integers(0, 245), nodes=st.integers(0, 2**60)
) | st.builds(
    Line, move=st.just("e1h1"), cp=st.none(), mate=numbers, depth=st.integers(0, 245), nodes=st.just(1)
)  # fmt: skip


@given(st.lists(lines, min_size=1, max_size=9))
def test_the_journal_gives_back_what_it_was_given(tmp_path_factory, some):
    path = tmp_path_factory.mktemp("same") / "journal"
    given_ = Evaluation(epd="8/8 w HAha e3", lines=tuple(some), searchmoves="e2e4 e7e5")
    journal = Journal(path)
    journal.append([given_])
    journal.close()
    assert read_journal(path)[0] == [given_]


def test_a_full_disk(root, monkeypatch):
    """The write stops half-way: nothing of the batch is kept, everything before it is."""
    with EvaluationStore(root, KEY) as store:
        store.append([evaluation(1)])
        write = os.pwrite

        def full(file, data, at):
            if at > 150:
                raise OSError(errno.ENOSPC, "No space left on device")
            return write(file, data[:50], at)

        monkeypatch.setattr(os, "pwrite", full)
        with pytest.raises(InputError, match=r"disk is full\. What was analysed before is kept"):
            store.append(map(evaluation, range(2, 9)))
        monkeypatch.undo()
        assert store.known(epds(1, 2)).tolist() == [True, False]
        store.append([evaluation(2)])
    assert lookup(epds(*range(9)), KEY, root=root)["epd"].n_unique() == 2


def test_a_disk_full_for_real(root):
    """A process that may write files of 2,000 bytes at most."""
    code = (
        "import resource, sys; resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))\n"
        "from tests.store.test_evaluations import *\n"
        "store = EvaluationStore(sys.argv[1], KEY)\n"
        "try:\n"
        "    [store.append([evaluation(n)]) for n in range(100)]\n"
        "except InputError as error: print(error)\n"
        "print(len(store), store.compact(), store.known(epds(0)).all())\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(root)], capture_output=True, text=True, check=True
    )
    said, count = done.stdout.splitlines()
    assert "the disk is full" in said
    number, packed, known = count.split()
    assert 0 < int(number) < 100
    assert (packed, known) == ("False", "True")
    with EvaluationStore(root, KEY) as store:
        assert len(store) == int(number)
        assert store.compact()
        assert len(store) == int(number)
    assert not list(store.folder.glob(".*"))
    assert resource.getrlimit(resource.RLIMIT_FSIZE)[0] == resource.RLIM_INFINITY


def test_one_process_writes_at_a_time(root):
    with EvaluationStore(root, KEY) as store:
        store.append([evaluation(1)])
        with pytest.raises(InputError, match=f"process {os.getpid()}.* is at work"):
            EvaluationStore(root, KEY)
        other = EvaluationStore(
            root, KEY.replace("depth 5", "depth 6")
        )  # other settings: no matter
        other.close()
        assert lookup(epds(1), KEY, root=root).height == 2  # reading needs no leave
    EvaluationStore(root, KEY).close()


def test_small_segments_are_joined(root, monkeypatch):
    monkeypatch.setattr(kept, "MOST_SEGMENTS", 3)
    with EvaluationStore(root, KEY) as store:
        for number in range(9):
            store.append([evaluation(number)])
            store.compact()
            assert len(segments(store.folder)) <= 3
        assert store.known(epds(*range(10))).sum() == 9
    assert lookup(epds(*range(9)), KEY, root=root).height == 18


def test_segments_that_are_joined_while_they_are_read(root, monkeypatch):
    with EvaluationStore(root, KEY) as store:
        store.append([evaluation(1)])
        store.compact()
    there, seen = segments(store.folder), []

    def too_late(folder):
        seen.append(folder)
        return [folder / "segment-000000.parquet"] if len(seen) < 4 else there

    monkeypatch.setattr(kept, "segments", too_late)
    assert lookup(epds(1), KEY, root=root).height == 2


def test_a_long_journal_is_put_away_while_the_work_goes_on(root, monkeypatch):
    monkeypatch.setattr(kept, "ROLL", 10)
    with EvaluationStore(root, KEY) as store:
        for number in range(35):
            store.append([evaluation(number)])
        assert len(segments(store.folder)) == 3
        assert len(read_journal(store.folder / "journal.log")[0]) == 5
        assert len(store) == 35


def test_a_damaged_segment_gets_a_sentence(root):
    with EvaluationStore(root, KEY) as store:
        store.append([evaluation(1)])
        store.compact()
    segments(store.folder)[0].write_bytes(b"no parquet")
    with pytest.raises(InputError, match="a segment is damaged"):
        lookup(epds(1), KEY, root=root)
    with pytest.raises(InputError, match="a segment is damaged"):
        EvaluationStore(root, KEY)


def test_a_place_that_cannot_be_used(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="Name another folder with --store"):
        EvaluationStore(tmp_path / "file" / "kept", KEY)


def test_hashes_are_for_ever():
    """They are written into files: another function would make known positions unknown."""
    start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -"
    assert hashes([start]).dtype == np.uint64
    assert hashes([start]).tolist() == [
        11459075423218364477
    ]  # b2sum -l 64, read from its last byte
    assert hashes([]).tolist() == []


def test_moves_searched_alone_are_looked_up_together(root):
    with EvaluationStore(root, KEY) as store:
        store.append([evaluation(1), evaluation(1, searchmoves="a2a3", cp=-40)])
        store.compact()
        store.append([evaluation(2, searchmoves="b2b3", cp=-50)])
        found = lookup(epds(1, 2, 1), KEY, root=root, searchmoves=["a2a3", "b2b3", "h2h3"])
    assert set(found["cp"].drop_nulls()) == {-40, -50}
