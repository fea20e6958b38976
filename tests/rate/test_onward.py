"""Rating on, month after month, is rating all games at once."""

from __future__ import annotations

import datetime as dt

import polars as pl
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from arpad.errors import DroppedRowsWarning, InputError, StrictError, UsageError
from arpad.rate.archive import rate_archive
from arpad.rate.registry import system
from arpad.read import from_frame
from arpad.read.archive import MonthReader, archive
from tests.read.archives import lay_down, months, numbered

few = settings(max_examples=6, deadline=None, phases=[Phase.explicit, Phase.reuse, Phase.generate], suppress_health_check=[HealthCheck.function_scoped_fixture])  # fmt: skip

EXACT = [
    ("elo", {}),
    ("elo", {"k": "fide"}),
    ("elo", {"curve": "normal", "period": "day"}),
    ("elo", {"period": "month"}),
    ("glicko", {}),
    ("glicko", {"period": "day"}),
    ("glicko2", {}),
    ("stephenson", {}),
    ("uscf1994", {}),
    ("pra-basic", {}),
]


def same(ours: pl.DataFrame, theirs: pl.DataFrame, *, close: float = 1e-9) -> None:
    kept = [c for c in ("player", "rating", "games", "before", "change", "last", "on", "volatility") if c in theirs.columns and c in ours.columns]  # fmt: skip
    assert {"player", "rating", "games", "before"} <= set(kept)
    left, right = (f.select(kept).sort("player") for f in (ours, theirs))
    assert left["player"].to_list() == right["player"].to_list()
    for name in kept[1:]:
        if right.schema[name].is_float():
            assert left[name].to_list() == pytest.approx(right[name].to_list(), abs=close)
        else:
            assert left[name].to_list() == right[name].to_list()


@pytest.mark.parametrize(("name", "options"), EXACT, ids=str)
@few
@given(parts=months(ratings=True), hive=st.booleans(), pieces=st.integers(1, 3))
def test_month_by_month_is_all_at_once(tmp_path_factory, name, options, parts, hive, pieces):
    folder = lay_down(tmp_path_factory.mktemp("archive"), parts, hive=hive, pieces=pieces)
    made = system(name, **options)
    found = rate_archive(made, archive([folder]))
    once = made.rate(from_frame(pl.concat(table for _, table in parts)))
    arrays = name in ("elo", "glicko", "glicko2", "stephenson")
    # A list carries games on file as text, with so many digits.
    same(found.ratings.rows, once.rows, close=1e-9 if arrays else 1e-6)
    if arrays:
        assert set(found.ratings.rows.columns) == set(once.rows.columns)
        errors = [f.rows.sort("player")["error"].to_list() for f in (found.ratings, once)]
        assert errors[0] == pytest.approx(errors[1], abs=1e-9)
    assert found.ratings.source["status"] == once.source["status"]


@few
@given(parts=months(), rows=st.integers(1, 20), name=st.sampled_from(["elo", "glicko"]))
def test_integers_are_players_as_they_are(tmp_path_factory, parts, rows, name):
    folder = lay_down(tmp_path_factory.mktemp("archive"), [(f, numbered(t)) for f, t in parts])
    found = archive([folder])
    assert found.players == "integers"
    once = system(name).rate(from_frame(pl.concat(numbered(t) for _, t in parts)))
    same(rate_archive(system(name), found).ratings.rows, once.rows)
    # the size of the pieces changes nothing
    reader = MonthReader(archive=found, rows=rows)
    sizes = [len(b) for m in found.months for b in reader.batches(m)]
    assert sum(sizes) == sum(t.height for _, t in parts)


@pytest.mark.parametrize(("name", "options"), EXACT, ids=str)
@few
@given(parts=months(ratings=True), data=st.data())
def test_a_run_goes_on_where_it_was(tmp_path_factory, name, options, parts, data):
    folder, made = tmp_path_factory.mktemp("archive"), system(name, **options)
    state = folder / "kept" / "run.standing"
    cut = data.draw(st.integers(1, len(parts)))
    lay_down(folder / "games", parts[:cut])
    first = rate_archive(made, archive([folder / "games"]), state=state)
    assert first.taken_up == 0
    lay_down(folder / "games", parts[cut:])
    whole = archive([folder / "games"])
    on = rate_archive(made, whole, state=state)
    assert (on.taken_up, on.note) == (cut, "")
    anew = rate_archive(made, whole)
    assert on.ratings.rows.equals(anew.ratings.rows)
    assert on.tally.document() == anew.tally.document()
    again = rate_archive(made, whole, state=state)  # nothing is left to do
    assert again.taken_up == len(parts)
    assert again.ratings.rows.equals(anew.ratings.rows)


TABLE = pl.DataFrame({"white": ["Ann", "Bob"], "black": ["Bob", "Cid"], "score": [1.0, 0.5]})
JANUARY, FEBRUARY = dt.date(2015, 1, 1), dt.date(2015, 2, 1)


def test_what_was_kept_is_of_these_files_and_settings(tmp_path):
    folder = lay_down(tmp_path / "games", [(JANUARY, TABLE), (FEBRUARY, TABLE)])
    state = tmp_path / "run"
    rate_archive(system("elo"), archive([folder]), state=state)
    other = rate_archive(system("elo", k=10), archive([folder]), state=state)
    assert (other.taken_up, other.note) == (0, "the stored progress has other settings")
    lay_down(folder, [(JANUARY, TABLE.head(1))])
    changed = rate_archive(system("elo", k=10), archive([folder]), state=state)
    assert (changed.taken_up, changed.note) == (0, "2015-01 has changed since it was rated")
    whole = state.read_bytes()
    for damaged in (b"", b"rubbish", whole[: len(whole) // 2]):
        state.write_bytes(damaged)
        assert rate_archive(system("elo", k=10), archive([folder]), state=state).taken_up == 0


def test_the_months_of_folders_are_dates(tmp_path):
    folder = lay_down(tmp_path, [(JANUARY, TABLE), (FEBRUARY, TABLE)])
    found = rate_archive(system("glicko"), archive([folder])).ratings
    assert found.parameters["on"] == dt.date(2015, 3, 1)
    assert found.rows["last"].unique().to_list() == [FEBRUARY]


def test_glicko_on_a_day(tmp_path):
    days = [dt.date(2015, 1, 3), dt.date(2015, 1, 20)]
    parts = [(JANUARY, TABLE.with_columns(pl.Series("date", days))), (FEBRUARY, TABLE.with_columns(pl.lit(FEBRUARY).alias("date")))]  # fmt: skip
    made = system("glicko", on="2015-01-15")
    once = made.rate(from_frame(pl.concat(t for _, t in parts)))
    same(rate_archive(made, archive([lay_down(tmp_path, parts)])).ratings.rows, once.rows)


def test_what_is_not_taken_is_counted(tmp_path):
    strange = pl.DataFrame(
        {
            "white": ["Ann", None, "Ann", " Ann ", "Bob", "Cid", "Bob"],
            "black": ["Bob", "Bob", "Ann", "Cid", "", "Bob", "Ann"],
            "result": ["1-0", "1-0", "1-0", "1/2-1/2", "0-1", "*", "dunno"],
            "date": ["2015.01.??", "2015.01.02", None, "2015.01.03", "", "2015.01.04", "2015.01.05"],
        }
    )
    found = rate_archive(system("elo"), archive([lay_down(tmp_path, [(JANUARY, strange)])]))
    with pytest.warns(DroppedRowsWarning):
        once = system("elo").rate(from_frame(strange))
    same(found.ratings.rows, once.rows)
    assert found.ratings.source["status"] == once.source["status"] == {"played": 2, "unplayed": 1}
    assert dict(found.tally.notes) == {
        ("skipped", "a player without a name"): 2,
        ("skipped", "White and Black are the same player"): 1,
        ("skipped", "a result that cannot be read"): 1,
    }
    with pytest.raises(StrictError, match="a player without a name"):
        rate_archive(system("elo"), archive([tmp_path]), strict=True)


def test_rounds_and_ids_are_read_as_anywhere(tmp_path):
    rows = {
        "white": ["Ann", "Ann", "Bob"],
        "black": ["Bob", "Bob", "Ann B."],
        "white_id": ["7", "7", None],
        "black_id": [None, None, "7"],
        "score": [1.0, 1.0, 0.0],
        "date": [JANUARY] * 3,
        "round": ["2", "2", "1"],
    }
    table = pl.DataFrame(rows)
    found = rate_archive(system("elo"), archive([lay_down(tmp_path, [(JANUARY, table)])]))
    with pytest.warns(DroppedRowsWarning):
        once = system("elo").rate(from_frame(table))
    same(found.ratings.rows, once.rows)  # the game that stands there twice is one
    assert dict(found.ratings.rows.select("player", "id").iter_rows()) == {"Ann B.": "7", "Bob": None}  # fmt: skip


@pytest.mark.parametrize(
    ("parts", "name", "words"),
    [
        ([(JANUARY, TABLE.with_columns(pl.lit(FEBRUARY).alias("date")))], "elo", "put every game into its own month"),
        ([(FEBRUARY, TABLE.with_columns(pl.lit(JANUARY).alias("date")))], "elo", "expected games of .*, found one of"),
        ([(JANUARY, TABLE.with_columns(pl.lit(JANUARY).alias("date"))), (FEBRUARY, TABLE.with_columns(pl.lit(dt.date(2014, 1, 1)).alias("date")))], "elo", "must not hold games of an earlier one"),
        ([(JANUARY, TABLE), (FEBRUARY, TABLE.rename({"white": "home_team"}))], "elo", "expected the columns of"),
        ([(JANUARY, TABLE.with_columns(pl.Series("score", [[1.0], [2.0]])))], "elo", "expected results or numbers"),
        ([(JANUARY, TABLE)], "whr", "needs all games at once"),
        ([(JANUARY, TABLE)], "bcf", "a period of 'year'"),
    ],
)  # fmt: skip
def test_what_cannot_be_rated_is_told(tmp_path, parts, name, words):
    folder = lay_down(tmp_path, parts)
    with pytest.raises((InputError, UsageError), match=words):
        rate_archive(system(name), archive([folder]))
