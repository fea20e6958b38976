"""`arpad club month`: a secretary's month in one command."""

from __future__ import annotations

import io
import json
import sys

import pytest

MEMBERS = "Name;Elo;Partien\nMüller, Hans;1854;120\nSchmidt, Eva;1650,5;45\nWeber, Jan;1420;28\n"
OCTOBER = """Datum;Runde;Weiß;Schwarz;Ergebnis
03.10.2026;1;Müller, Hans;Schmidt, Eva;1:0
17.10.2026;2;Schmidt, Eva;Weber, Jan;0,5:0,5
17.10.2026;2;Müller, Hans;spielfrei;1
"""
LATE = "Datum;Weiß;Schwarz;Ergebnis\n24.10.2026;Weber, Jan;Müller, Hans;1-0\n"
NOVEMBER = "Datum;Weiß;Schwarz;Ergebnis\n07.11.2026;Schmidt, Eva;Müller, Hans;remis\n"


@pytest.fixture
def club(run, write, place):
    def _run(*words):
        return run(*words, "--db", place)

    assert _run("list", "policy", "club", "--preset", "club").code == 0
    assert _run("list", "start", write(MEMBERS, "members.csv"), "--date", "2026-09-01").code == 0
    return _run


def state(club) -> list[tuple[str, str]]:
    told = json.loads(club("list", "names", "--format", "json").out)["lists"]
    return [(each["name"], each["state"]) for each in told]


def test_a_month_from_the_file_to_the_page(club, write, tmp_path):
    words = ("club", "month", write(OCTOBER, "oct.csv"), "--folder", tmp_path / "web", "--yes")
    done = club(*words, "--club", "SK Musterstadt", "--language", "de")
    assert done.code == 0, done.err
    assert state(club) == [("2026-11", "published")]
    page = (tmp_path / "web" / "club-2026-11.html").read_text("utf-8")
    assert "SK Musterstadt" in page
    assert "Wertungsliste 2026-11" in page
    assert (tmp_path / "web" / "club-2026-11.pdf").read_bytes().startswith(b"%PDF")
    again = club(*words, "--format", "json")
    assert again.code == 0
    assert json.loads(again.out)["published"] == []
    assert "Rating list 2026-11" in (tmp_path / "web" / "club-2026-11.html").read_text("utf-8")


def test_without_the_part_for_pdf_the_page_is_written(club, write, tmp_path, monkeypatch):
    words = ("club", "month", write(OCTOBER, "oct.csv"), "--folder", tmp_path / "web", "--yes")
    with monkeypatch.context() as without:
        without.setitem(sys.modules, "reportlab", None)
        done = club(*words)
    assert done.code == 0, done.err
    assert state(club) == [("2026-11", "published")]
    assert [path.name for path in (tmp_path / "web").iterdir()] == ["club-2026-11.html"]
    assert (done.out + done.err).count("pip install 'arpad[pdf]', then give the same command again") == 1
    assert club(*words).code == 0
    assert (tmp_path / "web" / "club-2026-11.pdf").read_bytes().startswith(b"%PDF")


@pytest.mark.parametrize(
    ("answer", "code", "now"), [("", 1, "draft"), ("n\n", 1, "draft"), ("y\n", 0, "published")]
)
def test_the_question(club, write, tmp_path, monkeypatch, answer, code, now):
    monkeypatch.setattr("sys.stdin", io.StringIO(answer))
    done = club("club", "month", write(OCTOBER, "oct.csv"), "--folder", tmp_path / "web")
    assert done.code == code
    assert state(club) == [("2026-11", now)]
    assert (tmp_path / "web").exists() == (code == 0)


def test_differences_and_corrections_are_shown_and_published(club, write, tmp_path):
    folder = ("--folder", tmp_path, "--yes", "--format", "json")
    assert club("club", "month", write(OCTOBER, "oct.csv"), *folder).code == 0
    done = club("club", "month", write(LATE, "late.csv"), write(NOVEMBER, "nov.csv"), *folder)
    told = json.loads(done.out)
    assert told["published"] == ["correction 1 of 2026-11 (club)", "2026-12 (club, published)"]
    assert {row["name"] for row in told["differences"]} == {"Müller, Hans", "Schmidt, Eva"}
    change = {row["name"]: row["change"] for row in told["entries"]}
    assert all(row["difference"] == change[row["name"]] for row in told["differences"])
    assert {path.name for path in tmp_path.glob("club-*")} == {
        f"club-2026-{month}.{kind}" for month in (11, 12) for kind in ("html", "pdf")
    }


def test_a_doubt_comes_before_the_list(club, write, tmp_path):
    path = write(OCTOBER.replace("Schmidt, Eva;Weber", "E. Schmidt;Weber"), "oct.csv")
    words = ("club", "month", path, "--folder", tmp_path / "web", "--yes")
    done = club(*words)
    assert done.code == 1
    assert "E. Schmidt" in done.out
    assert state(club) == [("2026-11", "draft")]
    numbers = [d["number"] for d in json.loads(club("queue", "--format", "json").out)["doubts"]]
    assert club("queue", "settle", *numbers, "--choose", "likeliest", "--why", "she").code == 0
    assert club(*words).code == 0
    assert state(club) == [("2026-11", "published")]


def test_a_file_that_would_lose_games_enters_nothing(club, write):
    done = club("club", "month", write(OCTOBER.replace("1:0", "-"), "oct.csv"), "--yes")
    assert done.code == 2
    assert "--accept-skipped" in done.err
    assert state(club) == []


def test_a_language_that_is_not_there(club, write):
    path = write(OCTOBER, "oct.csv")
    assert club("club", "month", path, "--yes", "--language", "xx").code == 2
    assert state(club) == []


def test_a_table_without_dates_gets_its_day(club, write, tmp_path):
    table = "Weiß;Schwarz;Ergebnis\n" + "".join(
        f'"{a}";"{b}";1:0\n' for a, b in (("Alt, Anna", "Bau, Bert"), ("Can, Cem", "Dor, Dora"))
    )
    words = ("club", "month", write(table, "oct.csv"), "--folder", tmp_path / "web", "--yes")
    assert "--date" in club(*words).err
    assert "2026-11" in club(*words, "--date", "2026-10-10").out
