"""Rating lists go out in six formats: readable, the same every time, and read back to the same figures."""

from __future__ import annotations

import io
import re
import tempfile
import zipfile
from datetime import date
from pathlib import Path
from xml.etree import ElementTree as ET

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arpad.errors import UsageError
from arpad.publish.export.rating_list import (
    COLUMNS,
    EXPORTS,
    ListSheet,
    export_bytes,
    export_format,
    export_list,
    period,
    plain_text,
)
from arpad.read.fide_list import read_fide_list
from arpad.read.source import Report, Source

NASTY = [
    'O\'Neil, "Bob"',
    "Robert'); DROP TABLE players;--",
    "=SUM(A1:A9)",
    "+49 cmd",
    "@home",
    "-1",
    "Ивановъ, Пётр",
    "山田 太郎",
    "عمر الخيام",
    "Ünal, Ömer <b>&amp;</b>",
    "x" * 300,
    "Anna de la Cruz y Santa Maria",
]
XLSX = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"


def sheet(names=NASTY, **more) -> ListSheet:
    n = len(names)
    rows = pl.DataFrame(
        {
            "rank": list(range(1, n + 1)),
            "number": list(range(1, n + 1)),
            "id": [str(1_000_000 + i) if i % 2 else None for i in range(n)],
            "name": names,
            "title": (["GM", "WIM", None, "Master"] * n)[:n],
            "federation": (["GER", None] * n)[:n],
            "sex": (["m", "w", None] * n)[:n],
            "birth": (["1980-05-12", "1991", None] * n)[:n],
            "rating": [2500.0 - i for i in range(n)],
            "change": [float(i - 2) for i in range(n)],
            "games": list(range(n)),
            "total_games": list(range(10, n + 10)),
            "k": ([10.0, 20.0, 40.0] * n)[:n],
            "status": (["established", "inactive"] * n)[:n],
        }
    )
    settings = {
        "name": "2026-11",
        "policy": "club",
        "system": "elo",
        "closing": date(2026, 10, 31),
        "effective": date(2026, 11, 10),
        "time_control": "standard",
    }
    return ListSheet(**{**settings, "rows": rows, **more})


def read(data: bytes):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "list"
        path.write_bytes(data)
        source = Source(str(path), Report())
        return read_fide_list(source), source.report


def cells(data: bytes, number: int = 1):
    """Every cell of a sheet by its place: (kind, text)."""
    with zipfile.ZipFile(io.BytesIO(data)) as book:
        strings = [
            "".join(t.text or "" for t in si.iter(f"{XLSX}t"))
            for si in ET.fromstring(book.read("xl/sharedStrings.xml"))
        ]
        root = ET.fromstring(book.read(f"xl/worksheets/sheet{number}.xml"))
    found = {}
    for c in root.iter(f"{XLSX}c"):
        assert c.find(f"{XLSX}f") is None, "a formula"
        value = c.find(f"{XLSX}v")
        text = "" if value is None else value.text
        found[c.get("r")] = ("s", strings[int(text)]) if c.get("t") == "s" else ("n", text)
    return found, root


@pytest.mark.parametrize("format", [f for f in EXPORTS if f != "pdf"])
def test_the_same_list_gives_the_same_bytes(format):
    once = export_bytes(sheet(), format)[0]
    shuffled = sheet(rows=sheet().rows.sample(fraction=1.0, shuffle=True, seed=3))
    assert export_bytes(shuffled, format)[0] == once
    assert export_bytes(sheet(NASTY[:3]), format)[0] != once


def test_a_pdf_is_the_same_to_the_byte():
    once = export_bytes(sheet(NASTY[:4]), "pdf")[0]
    assert once.startswith(b"%PDF")
    assert export_bytes(sheet(NASTY[:4]), "pdf")[0] == once


@pytest.mark.parametrize("format", ["txt", "xml"])
def test_fide_layouts_read_back(format):
    given = sheet()
    data, lost = export_bytes(given, format)
    back, report = read(data)
    assert not report.notes
    want = given.rows.with_columns(
        pl.coalesce("id", pl.col("number").cast(pl.String)).alias("id"),
        pl.col("name").str.slice(0, 60 if format == "txt" else 999),
    ).sort("id")
    got = back.rows.sort("id")
    for name in ("id", "name", "federation", "sex", "rating", "games", "k"):
        assert got[name].to_list() == want[name].to_list(), name
    assert got["birth"].to_list() == [b and b[:4] for b in want["birth"]]
    assert set(got["title"]) == {"GM", "WIM", None}
    assert any("does not give" in words for words in lost)
    assert any("cut" in words for words in lost) == (format == "txt")
    assert back.period == ("NOV26" if format == "txt" else None)
    assert got.filter(pl.col("flag").str.contains("i")).height == 6


words = st.text(
    st.characters(exclude_categories=["Cs"], max_codepoint=0x1F6FF), min_size=1, max_size=70
).filter(lambda t: plain_text(t) != "")


@settings(max_examples=80)
@given(
    st.lists(
        st.tuples(words, st.integers(1, 3500), st.integers(0, 999), st.sampled_from([None, "GER"])),
        min_size=1,
        max_size=6,
    ),
    st.sampled_from(["txt", "xml"]),
)
def test_any_names_read_back(people, format):
    rows = pl.DataFrame(
        {
            "number": list(range(7, 7 + len(people))),
            "name": [p[0] for p in people],
            "rating": [float(p[1]) for p in people],
            "games": [p[2] for p in people],
            "federation": [p[3] for p in people],
        },
        schema_overrides={"federation": pl.String},
    )
    back, _ = read(export_bytes(sheet(rows=rows), format)[0])
    got = {r["id"]: r for r in back.rows.iter_rows(named=True)}
    assert len(got) == len(people)
    for number, (name, rating, games, federation) in enumerate(people, start=7):
        row = got[str(number)]
        assert (row["rating"], row["games"], row["federation"]) == (rating, games, federation)
        room = 60 if format == "txt" else 999
        assert row["name"] == (plain_text(name)[:room].strip() or None)


def test_a_short_list_with_long_names_is_not_read_by_its_blanks():
    # four words in a name and four empty columns: as many blocks as headings
    people = sheet(["Anna de la Cruz"]).rows.with_columns(pl.lit("w").alias("sex"))
    back, _ = read(export_bytes(sheet(rows=people), "txt")[0])
    assert back.rows["name"].to_list() == ["Anna de la Cruz"]
    assert back.rows["rating"].to_list() == [2500.0]


def test_ids_are_never_shared():
    rows = sheet(["Al", "Bo"]).rows.with_columns(pl.Series("id", [None, "1"]))
    with pytest.raises(UsageError, match="ids that are unlike"):
        export_bytes(sheet(rows=rows), "txt")
    back, _ = read(export_bytes(sheet(rows=rows), "txt", ids="ledger")[0])
    assert sorted(back.rows["id"]) == ["1", "2"]


def test_what_does_not_fit_is_said():
    rows = pl.DataFrame({"number": [1, 2], "name": ["Al", "Bo"], "rating": [1500.5, -20.0]})
    data, lost = export_bytes(sheet(rows=rows), "txt")
    assert any("rounded" in w for w in lost)
    assert any("too small" in w for w in lost)
    assert read(data)[0].rows["rating"].to_list() == [1501.0, None]


def test_a_workbook_has_typed_cells_and_no_formulas():
    found, root = cells(export_bytes(sheet(), "xlsx")[0])
    heading = {text: place for place, (_, text) in found.items() if place.endswith("1")}
    assert {"name", "rating", "change"} <= set(heading)
    names = re.sub(r"\d", "", heading["name"])
    assert [found[f"{names}{i + 2}"] for i in range(len(NASTY))] == [("s", n) for n in NASTY]
    ratings = re.sub(r"\d", "", heading["rating"])
    assert found[f"{ratings}2"] == ("n", "2500")
    pane = root.find(f".//{XLSX}pane")
    assert pane.get("state") == "frozen"
    assert pane.get("ySplit") == "1"
    about, _ = cells(export_bytes(sheet(), "xlsx")[0], 2)
    assert ("s", "2026-10-31") in about.values()


def test_csv_has_every_column_and_every_digit():
    rows = pl.DataFrame({"name": ['Al, "x"'], "rating": [1500.123456789]})
    data, _ = export_bytes(sheet(rows=rows), "csv")
    back = pl.read_csv(data)
    assert back.columns == list(COLUMNS)
    assert back.row(0, named=True)["rating"] == 1500.123456789
    assert back["name"].to_list() == ['Al, "x"']


def test_a_page_shows_names_as_they_are_and_says_what_it_is():
    page = export_bytes(sheet(state="draft"), "html")[0].decode()
    assert "Draft: not published" in page
    assert "in force from 2026-11-10" in page
    assert "<b>" not in page
    assert "&lt;b&gt;&amp;amp;" in page
    assert "1980-05-12" not in page  # a year is enough for everybody
    assert "<script" not in page
    assert page.index("O&#39;Neil") < page.index("SUM(A1")
    assert "Draft" not in export_bytes(sheet(), "html")[0].decode()


@pytest.mark.parametrize("format", EXPORTS)
def test_nobody_on_the_list(format):
    data, lost = export_bytes(sheet([]), format)
    assert data
    assert not lost


def test_the_top_keeps_equal_ranks_together():
    rows = sheet(["Al", "Bo", "Cy", "Di"]).rows.with_columns(pl.Series("rank", [1, 2, 2, 4]))
    top = sheet(rows=rows).top(2)
    assert top.rows["name"].to_list() == ["Al", "Bo", "Cy"]
    assert "the first 3 of 4 players" in top.subtitle()
    assert sheet(rows=rows).top(9).rows.height == 4


def test_a_long_pdf_is_refused():
    rows = pl.DataFrame({"name": ["x"] * 2001, "rating": [1.0] * 2001})
    with pytest.raises(UsageError, match="at most 2,000") as refused:
        export_bytes(sheet(rows=rows), "pdf")
    assert refused.value.fields == {"most": 2000}


def test_formats_by_name(tmp_path):
    assert export_format("a/b.HTM") == "html"
    with pytest.raises(UsageError, match="ends in"):
        export_format("list")
    with pytest.raises(UsageError, match="one of csv"):
        export_bytes(sheet(), "odt")
    export_list(sheet(), tmp_path / "x.xml")
    assert ET.parse(tmp_path / "x.xml").getroot().tag == "playerslist"
    assert [p.name for p in tmp_path.iterdir()] == ["x.xml"]


def test_the_month_of_a_list():
    assert period(sheet()) == "NOV26"
    assert period(sheet(effective=None)) == "OCT26"


def test_rows_need_a_name_and_a_rating():
    with pytest.raises(UsageError, match="name and rating"):
        sheet(rows=pl.DataFrame({"player": ["Al"]}))


@pytest.mark.data
@pytest.mark.parametrize("file", ["JUL01FRL.TXT.zst", "APR04FRL.TXT.zst"])
@pytest.mark.parametrize("format", ["txt", "xml"])
def test_a_real_list_goes_out_and_comes_back(data, file, format):
    listed = read_fide_list(Source(str(data / "fide_lists" / file), Report())).rows.head(8000)
    listed = listed.unique("id", keep="first", maintain_order=True)
    rows = listed.select("id", "name", "title", "federation", "sex", "birth", "rating", "games")
    back, report = read(export_bytes(sheet(rows=rows), format)[0])
    assert not report.notes
    want = rows.with_columns(pl.col("birth").str.slice(0, 4), pl.col("games").fill_null(0)).sort("id")
    got = back.rows.select(rows.columns).sort("id")
    for name in rows.columns:
        assert [(a, b) for a, b in zip(got[name], want[name], strict=True) if a != b] == [], name
