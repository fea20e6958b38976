from __future__ import annotations

import base64
import itertools
import json
import math
import re
import struct
import zlib

import polars as pl
import pytest

from arpad.errors import UsageError
from arpad.files import new_file, write_text
from arpad.model import Games, Player
from arpad.publish import output as jsonout
from arpad.publish.charts import ratings as charts
from arpad.publish.charts import style
from arpad.publish.export.games import format_of, write_games
from arpad.publish.output import PageSection, page
from arpad.publish.pdf import pdf
from arpad.publish.tables import as_text, cell, rich_table
from arpad.rate import Elo


def test_files_are_whole_or_not_there(tmp_path):
    target = tmp_path / "a.txt"
    write_text(target, "old")
    with pytest.raises(RuntimeError), new_file(target) as beside:  # noqa: PT012
        beside.write_text("half")
        raise RuntimeError
    assert target.read_text() == "old"
    assert [p.name for p in tmp_path.iterdir()] == ["a.txt"]
    with new_file(target) as beside:
        beside.write_text("new")
    assert target.read_text() == "new"
    assert target.stat().st_mode & 0o777 in (0o644, 0o664, 0o600, 0o666)


@pytest.mark.parametrize(("name", "value", "text"), [
    ("rating", 2643.44, "2643.4"), ("change", 7.04, "+7.0"), ("change", -0.04, "0.0"), ("change", 0.04, "0.0"), ("rating", -0.0, "0.0"), ("change", -7.06, "-7.1"), ("points", 4.0, "4"),
    ("points", 4.5, "4.5"), ("points", 0.75, "0.75"), ("score", 2.0 + 1 / 3, "2.33"), ("points", 6.4, "6.4"), ("games", 12345, "12,345"), ("id", "1503014", "1503014"), ("player", None, ""), ("writes", True, "yes"),
])  # fmt: skip
def test_cells(name, value, text):
    assert cell(name, value) == text


def test_tables_do_not_lose_text_that_looks_like_markup():
    frame = pl.DataFrame({"player": ["[bold]Nobody[/bold]"], "rating": [1500.0]})
    assert "[bold]Nobody[/bold]" in as_text(rich_table(frame))


def test_json_has_no_numbers_that_json_has_not():
    text = jsonout.document({"a": math.nan, "rows": [{"x": math.inf, "y": 1.5}], "none": []})
    assert json.loads(text) == {"a": None, "rows": [{"x": None, "y": 1.5}], "none": []}


def test_pages_escape_what_people_are_called():
    frame = pl.DataFrame({"player": ["<script>alert(1)</script>"], "rating": [1500.0]})
    text = page("A & B", "sub", [PageSection("T", table=frame)])
    assert "<script>" not in text
    assert "A &amp; B" in text


def test_print_is_made_small_until_a_table_fits():
    def sheet(columns):
        frame = pl.DataFrame({f"column {i}": ["0123456789"] for i in range(columns)})
        return page("T", "", [PageSection("S", table=frame)])

    assert "#s1 table { font-size: 10.0pt; }" in sheet(3)
    assert "size: A4;" in sheet(10)
    assert "#s1 table { font-size: 10.0pt; }" not in sheet(10)
    assert "size: A4 landscape;" in sheet(14)


def pages_of(content: bytes) -> list[bytes]:
    """Return the box of every page, as the file has it."""
    return re.findall(rb"/MediaBox \[ ?([\d. ]+?) ?\]", content)


def streams(content: bytes) -> bytes:
    """Return what the pages draw."""
    packed = re.findall(
        rb"ASCII85Decode /FlateDecode \] /Length \d+\n>>\nstream\n(.*?)~>endstream", content, re.DOTALL
    )
    return b"\n".join(zlib.decompress(base64.a85decode(p)) for p in packed)


def texts_of(content: bytes) -> list[float]:
    """Return where every text begins, from the left."""
    return [float(x) for x in re.findall(rb"1 0 0 1 ([\d.]+) [\d.]+ Tm", streams(content))]


def drawn_words(content: bytes) -> set[str]:
    """Return every text of plain letters that is drawn, as a whole."""
    return {text.decode("latin-1") for text in re.findall(rb"\((.*?)\) Tj", streams(content))}


def test_a_pdf_fits_the_page():
    """A wide table is turned on its side; nothing begins beyond the margin."""
    wide = [f"column {i}" for i in range(14)]
    rows = {"name": ["N" * 200, "B"], "1": ["—", "½1" * 24], "2": ["½0" * 24, "—"]}
    frames = [pl.DataFrame({c: ["0123456789"] for c in wide[:n]}) for n in (3, 10, 14)]
    for frame, landscape in zip([*frames, pl.DataFrame(rows)], (False, False, True, False), strict=True):
        content = pdf("T", ["below"], [PageSection("First", words="w"), PageSection("S", table=frame)])
        (*_, last) = pages_of(content)
        width, height = (float(x) for x in last.split()[2:])
        assert (width > height) is landscape
        assert len(texts_of(content)) > 4
        assert all(39 <= x <= width - 39 for x in texts_of(content))


def test_forty_players_fit_a_page_and_more_go_on():
    def count(n):
        frame = pl.DataFrame({"rank": list(range(n)), "name": [f"Łukasz Žižka {i}" for i in range(n)]})
        return len(pages_of(pdf("T", [], [PageSection("Standings", table=frame)])))

    assert [count(n) for n in (1, 40, 60, 400)] == [1, 1, 1, 8]


def test_the_same_pdf_twice_and_letters_that_no_font_has():
    frame = pl.DataFrame({"name": ["Ann \U0001f600", "\ue000"]})
    sections = [PageSection("S", table=frame)]
    assert pdf("T", [], sections) == pdf("T", [], sections)


def test_tables_are_split_where_the_screen_is_narrow():
    frame = pl.DataFrame({"rank": [1], "name": ["Ann"], **{f"column {i}": [i] for i in range(12)}})
    text = as_text(rich_table(frame), width=60)
    assert max(map(len, text.splitlines())) <= 60
    assert all(f"column {i}" in text for i in range(12))
    assert text.count("Ann") > 1
    assert "…" not in text


def test_what_was_read_is_not_overwritten(run, write, tmp_path):
    games = write("white,black,result\nA,B,1-0\n", "g.csv")
    for option in ("-o", "--report"):
        done = run("rate", games, option, games)
        assert done.code == 2
        assert "this file was read" in done.err
    assert games.read_text().startswith("white,black")
    both = run("event", games, "--html", tmp_path / "x", "--pdf", tmp_path / "x")
    assert "has just written it" in both.err
    full = run("rate", games, "-o", "/dev/full")
    assert full.code == 2
    assert "No space left" in full.err


def games_of(n: int) -> Games:
    people = [Player(name=f"Player {i}", rating=1500.0 + i) for i in range(n)]
    pairs = [(i, (i + 1) % n) for i in range(n)]
    return Games.assemble(
        {
            "white": [a for a, _ in pairs],
            "black": [b for _, b in pairs],
            "score": [0.5] * n,
            "round": ["1"] * n,
        },
        people,
    )


def test_chart_of_paths_names_every_player():
    frame = charts.paths(Elo(), games_of(8))
    assert frame.group_by("player").len()["len"].to_list() == [3] * 8
    picture = style.svg(charts.rating_paths(frame, title="T"))
    for i in range(8):
        assert f"Player {i}  " in picture or f"Player {i} " in picture


def test_labels_do_not_cover_each_other():
    ends = pl.DataFrame(
        {
            "player": list("abcdef"),
            "game": [1] * 6,
            "rating": [1500.0, 1500.1, 1500.2, 1499.9, 1700.0, 1400.0],
        }
    )
    domain = (1390.0, 1710.0)
    places = sorted(charts._apart(ends, domain)["place"])
    gap = charts.LABEL_HEIGHT * (domain[1] - domain[0]) / style.HEIGHT
    assert all(b - a >= gap - 1e-9 for a, b in itertools.pairwise(places))


def test_charts_are_pictures(tmp_path):
    ratings = Elo().rate(games_of(30))
    style.save(charts.top_ratings(ratings, title="T"), tmp_path / "t.png")
    data = (tmp_path / "t.png").read_bytes()
    width, height = struct.unpack(">II", data[16:24])
    assert width > 800
    assert height > 600
    with pytest.raises(UsageError, match=r"\.png or \.svg"):
        style.save(charts.top_ratings(ratings, title="T"), tmp_path / "t.gif")


def test_what_cannot_be_written_is_said(tmp_path):
    with pytest.raises(UsageError, match="ends in one of"):
        format_of("x.doc")
    with pytest.raises(UsageError, match="round"):
        write_games(Games.build([("A", "B", 1.0)]), tmp_path / "x.trf")
    lost = write_games(Games.build([("A", "B", 0.25)]), tmp_path / "x.pgn")
    assert lost == ["1 scores that are no win, draw or loss are written as *"]
