from __future__ import annotations

import json
from dataclasses import replace

import pytest

from arpad.errors import InputError, UsageError
from arpad.pool.greatness import run as greatness_state
from arpad.pool.greatness.ratings import PublishedRatings, YearlyRatings
from arpad.pool.greatness.run import RunState, find_greatness
from tests.pool.greatness.events import history

SETTINGS = {"least": 100.0, "repair": "none"}


@pytest.fixture(scope="module")
def records():
    games = history()
    return find_greatness(games, lambda g: [PublishedRatings(g.published, g.names)]).records[:6]


@pytest.fixture
def state(tmp_path, records):
    kept = RunState(tmp_path / "state", SETTINGS)
    for record in records:
        kept.add(record)
    kept.save()
    return tmp_path / "state"


def test_what_is_kept_comes_back(state, records):
    again = RunState(state, SETTINGS)
    assert list(again.done.values()) == list(records)
    before = state.read_bytes()
    for record in records:
        again.add(record)
    again.save()
    assert state.read_bytes() == before


def test_the_study_is_kept_and_made_once(tmp_path, records):
    lives = {"Morphy\u2028, Paul\x85": YearlyRatings(years=(1857, 1858), ratings=(2600.1, 2 / 3), errors=(30.0, 31.0), games=(20, 40))}  # fmt: skip
    asked = []

    def study():
        asked.append(1)
        return lives

    kept = RunState(tmp_path / "state", SETTINGS)
    kept.add(records[0])
    assert kept.studied("key", study) == lives
    kept.save()
    again = RunState(tmp_path / "state", SETTINGS)
    assert again.done == {records[0].key: records[0]}
    assert again.studied("key", study) == lives
    assert len(asked) == 1
    assert again.studied("other games", study) == lives
    assert len(asked) == 2
    again.save()
    assert RunState(tmp_path / "state", SETTINGS).studied("other games", study) == lives
    assert len(asked) == 2
    nowhere = RunState(None, SETTINGS)
    assert nowhere.studied("key", study) == lives
    nowhere.save()
    assert len(asked) == 3


def test_names_with_strange_ends_of_line_come_back(tmp_path, records):
    strange = replace(records[0], event="Hastings\u2028\x85\r\n1895", key="strange")
    kept = RunState(tmp_path / "state", SETTINGS)
    kept.add(strange)
    kept.save()
    assert RunState(tmp_path / "state", SETTINGS).done == {"strange": strange}


@pytest.mark.parametrize(
    "study", ['{"key": {"Ann": {"years": 3}}}', '{"key": []}', "[]", '{"key": {"Ann": {"colour": []}}}']
)
def test_a_strange_study_is_refused(tmp_path, study):
    body = study + "\n"
    head = {"format": greatness_state.FORMAT, "settings": SETTINGS, "records": 0, "study": True,
            "checksum": greatness_state._checksum(body)}  # fmt: skip
    (tmp_path / "state").write_text(json.dumps(head) + "\n" + body)
    with pytest.raises(InputError, match="not one of this version"):
        RunState(tmp_path / "state", SETTINGS)


def test_nothing_is_kept_without_a_file(records):
    kept = RunState(None, SETTINGS)
    kept.add(records[0])
    kept.save()
    assert kept.done == {}


def test_every_few_seconds_the_file_is_written(tmp_path, records, monkeypatch):
    monkeypatch.setattr(greatness_state, "EVERY", -1.0)
    kept = RunState(tmp_path / "state", SETTINGS)
    for number, record in enumerate(records, start=1):  # what kill -9 would leave
        kept.add(record)
        assert len(RunState(tmp_path / "state", SETTINGS).done) == number
    assert [p.name for p in tmp_path.iterdir()] == ["state"]


def test_other_settings_are_named(state):
    with pytest.raises(UsageError, match=r"other settings \(least 100.0 there, 150.0 here\)"):
        RunState(state, {**SETTINGS, "least": 150.0})


def damaged(text):
    lines = text.splitlines(keepends=True)
    yield "cut short", "".join(lines)[:-20]
    yield "a line missing", "".join(lines[:-1])
    yield "a digit changed", text.replace('"games": 45', '"games": 46', 1)
    yield "two lines swapped", "".join([lines[0], lines[2], lines[1], *lines[3:]])
    yield "no records", lines[0]


def test_a_damaged_state_is_not_trusted_at_all(state):
    whole = state.read_text("utf-8")
    seen = 0
    for what, text in damaged(whole):
        assert text != whole, what
        state.write_text(text, "utf-8")
        with pytest.raises(InputError, match="the state is damaged"):
            RunState(state, SETTINGS)
        seen += 1
    assert seen == 5


def test_a_record_of_another_version_is_refused(state):
    lines = state.read_text("utf-8").splitlines()
    record = json.loads(lines[1])
    record["colour"] = "blue"
    body = json.dumps(record) + "\n"
    head = {**json.loads(lines[0]), "records": 1, "checksum": greatness_state._checksum(body)}
    state.write_text(json.dumps(head) + "\n" + body)
    with pytest.raises(InputError, match="not one of this version"):
        RunState(state, SETTINGS)


@pytest.mark.parametrize("text", ["", "white,black,score\n", "[1]\n", '{"format": "other"}\n'])
def test_another_file_is_not_a_state(tmp_path, text):
    (tmp_path / "state").write_text(text)
    with pytest.raises(InputError, match="expected the state of a greatness run"):
        RunState(tmp_path / "state", SETTINGS)


def test_a_state_that_is_no_text(tmp_path):
    (tmp_path / "state").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InputError, match="cannot be read"):
        RunState(tmp_path / "state", SETTINGS)
    with pytest.raises(InputError, match="cannot be read"):
        RunState(tmp_path, SETTINGS)
