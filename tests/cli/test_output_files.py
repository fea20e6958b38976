"""`-o`: the ending of a file is the format that stands in it, or the file is not written."""

from __future__ import annotations

import io

import pytest
from python_calamine import CalamineWorkbook

GAMES = "White,Black,Result\nAnn,=Bob,1-0\nCem,Ann,1-0\n"


@pytest.fixture
def games(tmp_path):
    path = tmp_path / "games.csv"
    path.write_text(GAMES, "utf-8")
    return path


@pytest.mark.parametrize("ending", ["xlsx", "ods"])
def test_a_spreadsheet(run, games, tmp_path, ending):
    assert run("rate", games, "-o", tmp_path / f"list.{ending}").code == 0
    data = (tmp_path / f"list.{ending}").read_bytes()
    rows = CalamineWorkbook.from_filelike(io.BytesIO(data)).get_sheet_by_index(0).to_python()
    assert rows[0][:3] == ["rank", "player", "rating"]
    assert {row[1] for row in rows[1:]} == {"Ann", "=Bob", "Cem"}
    assert all(isinstance(row[2], float) for row in rows[1:])


@pytest.mark.parametrize(("ending", "head"), [("html", b"<!DOCTYPE html"), ("pdf", b"%PDF-")])
def test_pages(run, games, tmp_path, ending, head):
    path = tmp_path / f"list.{ending}"
    assert run("rate", games, "-o", path).code == 0
    assert path.read_bytes()[: len(head)].lower() == head.lower()


@pytest.mark.parametrize("ending", ["odt", "xls", "docx", "parquet", "png", "zip"])
def test_formats_that_are_not_written_are_refused(run, games, tmp_path, ending):
    path = tmp_path / f"list.{ending}"
    done = run("rate", games, "-o", path)
    assert done.code == 2
    assert "xlsx, ods, html, pdf" in done.err
    assert not path.exists()


def test_another_format_than_the_ending_says_is_refused(run, games, tmp_path):
    assert run("rate", games, "--format", "csv", "-o", tmp_path / "list.xlsx").code == 2
    assert run("rate", games, "--format", "csv", "-o", tmp_path / "list.txt").code == 0
