"""Which files an archive has, and of which month each is."""

from __future__ import annotations

import polars as pl
import pytest

from arpad.errors import InputError, UsageError
from arpad.read.archive import LARGEST_NUMBER, archive

TABLE = pl.DataFrame({"white": [1, 2], "black": [2, 3], "score": [1.0, 0.5]})


def put(folder, *names, table=TABLE):
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        table.write_parquet(path)
    return folder


@pytest.mark.parametrize(
    ("names", "months"),
    [
        (["month=2015-02/b.parquet", "month=2015-01/a.parquet"], ["2015-01", "2015-02"]),
        (["year=2014/month=12/a.parquet", "year=2015/month=1/a.parquet"], ["2014-12", "2015-01"]),
        (["lichess_db_standard_rated_2015-01.parquet", "lichess_db_standard_rated_2013-12.parquet"], ["2013-12", "2015-01"]),
        (["games201501.parquet"], ["2015-01"]),
        (["2015-01-30.parquet", "2015-01-31.parquet", "2015-02-01.parquet"], ["2015-01", "2015-02"]),
        (["month=2015-03/part-201201.parquet"], ["2015-03"]),
        (["part-000112.parquet", "part-000113.parquet"], ["part-000112.parquet", "part-000113.parquet"]),
    ],
)  # fmt: skip
def test_months_of_names(tmp_path, names, months):
    put(tmp_path, *names, "_temporary/x.parquet", ".hidden/2015-07.parquet")
    found = archive([tmp_path])
    assert [m.name for m in found.months] == months
    assert found.games == 2 * len(names)
    assert archive(sorted(str(tmp_path / n) for n in names)).games == found.games
    assert all((m.first is None) == m.name.startswith("part") for m in found.months)


def test_files_of_a_month_stand_together(tmp_path):
    put(tmp_path, "month=2015-01/b.parquet", "month=2015-01/a.parquet")
    (month,) = archive([tmp_path]).months
    assert [f[-9:] for f in month.files] == ["a.parquet", "b.parquet"]
    assert archive([tmp_path, tmp_path / "month=2015-01"]).games == 4  # a file named twice is one


@pytest.mark.parametrize(
    ("white", "kind"),
    [
        ([1, LARGEST_NUMBER - 1], "integers"),
        ([1, LARGEST_NUMBER], "names"),
        ([-1, 1], "names"),
        ([None, 1], "integers"),
        ([1.0, 2.0], "names"),
        (["1", "2"], "names"),
    ],
)
def test_small_integers_are_numbers_of_players(tmp_path, white, kind):
    put(tmp_path, "2015-01.parquet", table=TABLE.with_columns(pl.Series("white", white)))
    assert archive([tmp_path]).players == kind


def test_who_changes_a_file_changes_its_fingerprint(tmp_path):
    put(tmp_path, "2015-01.parquet", "2015-02.parquet")
    before = archive([tmp_path])
    assert before.fingerprint() == archive([tmp_path]).fingerprint()
    put(tmp_path, "2015-02.parquet", table=TABLE.with_columns(score=1.0))
    after = archive([tmp_path])
    assert after.months[0] == before.months[0]
    assert after.months[1].fingerprint != before.months[1].fingerprint


def test_what_is_no_archive_is_told(tmp_path):
    with pytest.raises(UsageError, match="a folder of Parquet files"):
        archive([])
    with pytest.raises(InputError, match="found none"):
        archive([tmp_path])
    with pytest.raises(InputError, match="no such file"):
        archive([tmp_path / "nothing"])
    (tmp_path / "2015-01.parquet").write_bytes(b"PAR1 is all that I have PAR1")
    with pytest.raises(InputError, match="expected Parquet"):
        archive([tmp_path])
    put(tmp_path, "2015-01.parquet", "games.parquet")
    with pytest.raises(InputError, match="1 of 2 have none"):
        archive([tmp_path])
    put(tmp_path / "other", "2015-01.parquet", table=TABLE.rename({"white": "left"}))
    with pytest.raises(InputError, match="expected a column for white"):
        archive([tmp_path / "other"])
    assert archive([tmp_path / "other"], columns={"white": "left"}).columns["white"] == "left"
