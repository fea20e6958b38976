"""`arpad site`: the public part of a ledger as files; links, sizes, what is written again, what is not public."""

from __future__ import annotations

import json
import re
import shutil
from typing import TYPE_CHECKING
from urllib.parse import unquote

import pytest

from arpad.errors import UsageError
from arpad.ledger.db.ledger import Ledger
from arpad.ledger.decisions.corrections import correct_player, exclude_event, merge, unmerge
from arpad.ledger.imports.importing import import_files
from arpad.ledger.list_making import make_list, publish_list
from arpad.ledger.lists import entries_as_of, kept_lists
from arpad.publish.site import STATE, chart, player_path, write_site
from arpad.web.first_start import fill_demo

if TYPE_CHECKING:
    from pathlib import Path

LARGEST = 200_000
EVENT = """event,date,round,white,black,result
Late Open,2026-11-10,1,"Berg, Ida","<b>Novák</b>, =Jan",1-0
Late Open,2026-11-11,2,"<b>Novák</b>, =Jan","Berg, Ida",1/2-1/2
"""


@pytest.fixture(scope="module")
def made(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    fill_demo(str(folder / "club.db"))
    with Ledger.open(str(folder / "club.db")) as ledger:
        write_site(ledger, folder / "site", title="Club", url="https://club.example")
    return folder


@pytest.fixture
def club(made, tmp_path) -> Path:
    """A folder with the club's ledger and its site, which a test may change."""
    shutil.copytree(made / "site", tmp_path / "site")
    shutil.copy(made / "club.db", tmp_path / "club.db")
    return tmp_path


def files_of(folder: Path) -> dict[str, bytes]:
    return {p.relative_to(folder).as_posix(): p.read_bytes() for p in folder.rglob("*") if p.is_file() and p.name != STATE}  # fmt: skip


def again(club: Path, **options):
    with Ledger.open(club / "club.db") as ledger:
        return write_site(ledger, club / "site", title="Club", url="https://club.example", **options)


def same_as_new(club: Path) -> None:
    """What a second run leaves is what a first run would write."""
    with Ledger.open(club / "club.db") as ledger:
        write_site(ledger, club / "new", title="Club", url="https://club.example")
    assert files_of(club / "site") == files_of(club / "new")


def test_every_link_leads_to_a_file_and_no_page_is_large(made):
    site, found = made / "site", 0
    for page in site.rglob("*.html"):
        text = page.read_text("utf-8")
        assert page.stat().st_size <= LARGEST
        ids = set(re.findall(r' id="([^"]+)"', text))
        assert text.count("<h1") == 1
        for link in re.findall(r'(?:href|src)="([^"]*)"', text):
            path, _, part = unquote(link).partition("#")
            assert not path.startswith(("/", "http")), link
            target = (page.parent / path) if path else page
            assert target.is_file(), f"{page}: {link}"
            assert not part or f'id="{part}"' in target.read_text("utf-8") or part in ids
            found += 1
    assert found > 500


def test_the_figures_are_those_of_the_lists_with_corrections_put_in(made):
    with Ledger.open(made / "club.db") as ledger, ledger.reading() as connection:
        for kept in [k for k in kept_lists(connection) if k.published and not k.number]:
            right = {r["player_id"]: r["rating"] for r in entries_as_of(connection, kept).to_dicts()}
            for player, rating in right.items():
                told = json.loads((made / "site" / player_path(player, "json")).read_text("utf-8"))
                (row,) = [r for r in told["ratings"] if (r["policy"], r["list"]) == (kept.policy, kept.name)]
                assert row["rating"] == rating
    found = json.loads((made / "site" / "search" / "62-65.json").read_text("utf-8"))  # be
    (berg,) = [line for line in found if line[0] == "Berg, Ida"]
    told = json.loads((made / "site" / berg[1].replace(".html", ".json")).read_text("utf-8"))["ratings"]
    newest = max(row["closing"] for row in told)
    last = next(row for row in told if row["closing"] == newest)
    assert berg[3] == f"{last['rating']:.0f} ({last['policy']})"  # ratings of two policies are not mixed


def test_a_forfeit_and_a_game_that_both_lost_are_written_as_such(club):
    with Ledger.open(club / "club.db") as ledger, ledger.writing("ann", "the sheet says so") as connection:
        for game, score, black in ((1, 1.0, 0.0), (2, 0.0, 0.0)):
            connection.exec_driver_sql(
                f"UPDATE games SET status = 'forfeit', score = {score}, black_score = {black} WHERE id = {game}"
            )
    again(club, whole=True)
    event = json.loads((club / "site" / "events" / "0" / "1.json").read_text("utf-8"))
    results = {game["id"]: game["result"] for game in event["played"]}
    assert (results[1], results[2]) == ("+:-", "-:-")
    assert "-:-" in (club / "site" / "events" / "0" / "1.html").read_text("utf-8")


def test_nothing_that_is_not_public_is_written(made):
    whole = b"".join(files_of(made / "site").values()).decode()
    with Ledger.open(made / "club.db") as ledger, ledger.reading() as connection:
        drafts = [k.name for k in kept_lists(connection, "club") if not k.published and not k.number]
        names = [k.name for k in kept_lists(connection, "club") if k.published]
    for name in set(drafts) - set(names):
        assert f'"{name}"' not in whole
    assert not re.search(r'"(birth|born)":"\d{4}-', whole)
    assert "<script>" not in whole


def test_a_second_run_writes_what_has_changed_and_nothing_else(club):
    first = files_of(club / "site")
    done = again(club)
    assert files_of(club / "site") == first
    assert done.written < 10
    (club / "late.csv").write_text(EVENT)
    with Ledger.open(club / "club.db") as ledger:
        list(import_files(ledger, [str(club / "late.csv")]))
    done = again(club)
    assert done.written < 40
    same_as_new(club)
    whole = b"".join(files_of(club / "site").values())
    assert b"Late Open" in whole
    assert b"<b>Nov" not in b"".join(v for k, v in files_of(club / "site").items() if k.endswith(".html"))


@pytest.mark.parametrize("what", ["rename", "merge", "exclude", "publish"])
def test_after_a_decision_the_site_is_what_a_new_one_is(club, what):
    with Ledger.open(club / "club.db") as ledger:
        if what == "publish":
            make_list(ledger, policy="club", name="2026-12")
            publish_list(ledger, policy="club", name="2026-12", who="ann")
        else:
            with ledger.writing("ann", "x") as connection:
                if what == "rename":
                    correct_player(connection, 1, name="Zz, Renamed")
                elif what == "merge":
                    merge(connection, 25, 24)
                else:
                    exclude_event(connection, 2)
    again(club)
    same_as_new(club)
    if what == "merge":
        with Ledger.open(club / "club.db") as ledger, ledger.writing("ann", "not so") as connection:
            unmerge(connection, 25)
        again(club)
        shutil.rmtree(club / "new")
        same_as_new(club)


def test_another_folder_is_left_alone(club):
    (club / "mine").mkdir()
    (club / "mine" / "diary.txt").write_text("x")
    with Ledger.open(club / "club.db") as ledger, pytest.raises(UsageError, match="other files"):
        write_site(ledger, club / "mine")


def test_a_chart_says_its_figures():
    course = [{"rating": 1500.0, "closing": "2026-01-01"}, {"rating": 1525.0, "closing": "2026-02-01"}]
    drawn = chart("club", [{**row, "policy": "club"} for row in course])
    assert 'aria-label="Ratings from 2026-01-01 to 2026-02-01: lowest 1500, highest 1525"' in drawn
