"""Events out of files: which games belong together, when they were, what their hash is."""

from __future__ import annotations

from datetime import date

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arpad.errors import InputError, UsageError
from arpad.ledger.games import GAP, said_of
from arpad.ledger.imports.staging import Settings, limited_games, stage_games
from arpad.model import Event
from arpad.read.source import Report, Source
from arpad.read.table import from_frame
from arpad.read.trf import read_trf
from tests.read.samples import TRF

GAMES = [("2026-01-05", "A", "B", 1.0), ("2026-01-12", "B", "C", 0.5), ("2026-01-19", "C", "A", 0)]


def staged(rows, *, settings=None, **columns):
    frame = pl.DataFrame(rows, schema=["date", "white", "black", "score"], orient="row")
    games = from_frame(frame.with_columns(**{k: pl.lit(v) for k, v in columns.items()}))
    return stage_games(games, file="club", scheme="local", settings=settings or Settings())


def days(found):
    return found.events.select("name", "start", "end", "games").rows()


def test_games_without_an_event_are_one_event_of_the_file():
    assert days(staged(GAMES)) == [("club", date(2026, 1, 5), date(2026, 1, 19), 3)]


def test_or_one_a_month_or_a_day():
    rows = [*GAMES, ("2026-02-02", "A", "B", 1.0)]
    monthly = staged(rows, settings=Settings(split="month"))
    assert [(name, n) for name, _, _, n in days(monthly)] == [("club 2026-01", 3), ("club 2026-02", 1)]  # fmt: skip
    daily = staged(rows, settings=Settings(split="day", event_name=None))
    assert [name for name, *_ in days(daily)][:2] == ["club 2026-01-05", "club 2026-01-12"]


def test_the_next_edition_of_an_event_is_another_event():
    last = date(2026, 1, 19).toordinal()
    near, far = (date.fromordinal(last + GAP + more).isoformat() for more in (0, 1))
    assert len(days(staged([*GAMES, (near, "A", "B", 1.0)], event="Open"))) == 1
    two = days(staged([*GAMES, (far, "A", "B", 1.0)], event="Open"))
    assert [(name, n) for name, _, _, n in two] == [("Open", 3), ("Open", 1)]


def test_years_alone_say_only_that_they_follow_each_other():
    rows = [("1984", "A", "B", 1.0), ("1985", "A", "B", 0.5)]
    assert days(staged(rows)) == [("club", date(1984, 1, 1), date(1985, 12, 31), 2)]
    rows = [("1984", "A", "B", 1.0), ("1986", "A", "B", 0.5)]
    assert [end for _, _, end, _ in days(staged(rows))] == [date(1984, 12, 31), date(1986, 12, 31)]


def test_a_day_that_is_known_counts_before_a_month_that_is():
    rows = [("2026-01-05", "A", "B", 1.0), ("2026-01", "B", "C", 0.5)]
    assert days(staged(rows)) == [("club", date(2026, 1, 5), date(2026, 1, 5), 2)]


def test_an_event_without_a_date_needs_one():
    rows = [(None, "A", "B", 1.0), (None, "B", "C", 0.5)]
    with pytest.raises(InputError, match="a date in the past"):
        staged(rows)
    found = staged(rows, settings=Settings(date="2026-03"))
    assert days(found) == [("club", date(2026, 3, 1), date(2026, 3, 31), 2)]
    assert found.games["precision"].to_list() == ["month", "month"]
    with pytest.raises(UsageError, match="YYYY-MM-DD"):
        staged(rows, settings=Settings(date="last week"))


def test_one_event_can_be_named_two_cannot():
    assert days(staged(GAMES, settings=Settings(event_name="Spring")))[0][0] == "Spring"
    rows = [*GAMES, ("2024-01-05", "A", "B", 1.0)]
    with pytest.raises(UsageError, match="expected one event"):
        staged(rows, settings=Settings(event_name="Spring"), event="x")


@given(st.permutations(range(3)), st.booleans())
def test_the_hash_of_an_event_does_not_depend_on_order_name_or_file(order, named):
    other = staged([GAMES[i] for i in order], **({"event": "Named"} if named else {}))
    assert other.events["source"].to_list() == staged(GAMES).events["source"].to_list()


@given(st.integers(0, 2), st.sampled_from([0, 1, 2, 3]))
def test_anything_else_changes_it(row, column):
    changed = [list(game) for game in GAMES]
    changed[row][column] = {0: "2026-01-06", 1: "Z", 2: "Y", 3: 0.25}[column]
    other = staged([tuple(game) for game in changed])
    assert other.events["source"].to_list() != staged(GAMES).events["source"].to_list()


def test_the_same_id_twice_in_a_file_is_kept_once():
    frame = pl.DataFrame(
        {"white": ["A", "A"], "black": ["B", "B"], "white_id": ["7", "7"], "black_id": ["8", "0"],
         "score": [1.0, 0.5], "date": ["2026-01-01"] * 2, "round": ["1", "2"]}
    )  # fmt: skip
    found = stage_games(from_frame(frame), file="x", scheme="fide", settings=Settings())
    values = found.players["value"].drop_nulls().to_list()
    assert sorted(values) == ["7", "8"]


@pytest.mark.parametrize(
    ("event", "control"),
    [
        (Event(name="Open", time_control="G/5;d0"), None),
        (Event(name="Open", time_control="G/25"), "rapid"),
        (Event(name="Open", time_control="3+2"), "blitz"),
        (Event(name="Open", time_control="10 min"), "blitz"),
        (Event(name="Open", time_control="11 min"), "rapid"),
        (Event(name="Open", time_control="59'"), "rapid"),
        (Event(name="Open", time_control="60'"), "standard"),
        (Event(name="Open", time_control="30 min + 30 s"), "standard"),
        (Event(name="World Rapid 2014"), "rapid"),
        (Event(name="Open", kind="Individual: Swiss-System (Standard)"), "standard"),
        (Event(name="World Blitz", time_control="Standard"), "standard"),
        (Event(name="Open", time_control="40/120, 60"), None),
    ],
)
def test_time_controls_are_read_not_guessed(event, control):
    assert said_of(event) == control


def test_a_report_file_is_not_said_to_be_too_long():
    report = Report()
    games = read_trf(Source("open.trf", Report(), TRF.encode()))
    assert len(games.events[0].text or "") > 60
    limited_games(games, "open.trf", report)
    assert report.notes == []
