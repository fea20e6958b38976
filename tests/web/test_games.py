"""A game in the browser: board, moves, evaluations, gain."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from importlib.resources import files

import pytest

from arpad.ledger.db.ledger import Ledger
from arpad.ledger.imports.importing import import_files
from arpad.web import page as pages
from arpad.web.metrics import has_board

CENTURY = files("arpad") / "samples" / "game-of-the-century.pgn"
HOSTILE = """[Event "<script>alert(1)</script>"]
[Date "2026.01.05"]
[Round "1"]
[White "<img src=x onerror=alert(1)>"]
[Black "O'Neil \\"<b>"]
[Result "1-0"]

1. e4 {<script>alert("x")</script> [%clk 0:01:02]} e5 (1... c5) 2. Qh5 Nc6 3. Bc4 Nf6 4. Qxf7# 1-0
"""


@pytest.fixture
def century(client) -> int:
    """The number of Byrne against Fischer."""
    (game,) = client.get("/api/games").json()["games"]
    return game["id"]


def brought(club: str, write, text: str) -> int:
    """Import a game and return its number."""
    with Ledger.open(club) as ledger:
        (one,) = import_files(ledger, [str(write(text, "games.pgn"))], who="test")
        return int(one.plan.rows.games["id"][0])


def test_a_game_has_the_figures_of_the_command_line(client, century, run):
    page = client.get(f"/api/games/{century}").json()
    said = json.loads(run("gain", CENTURY, "--view", "games", "--format", "json").out)
    for side, row in zip(("white", "black"), said["players"], strict=True):
        mine = page[side]
        assert mine["name"] == row["name"]
        assert mine["moves"] == row["moves"] == 41
        for ours, theirs in (("gain", "mean_gain"), ("points", "difference_vs_engine")):
            for end in ("", "_low", "_high"):
                assert mine[ours + end] == pytest.approx(row[theirs + end], abs=5e-4)
        assert mine["loss"] == pytest.approx(row["average_centipawn_loss"], abs=5e-4)
    assert page["expected"] == pytest.approx(said["pairs"][0]["expected"], abs=1e-5)
    errors = json.loads(run("ipr", "errors", CENTURY, "--format", "json").out)
    raw = {row["label"]: row["raw"] for row in errors["groups"]}
    for side in ("white", "black"):
        assert page[side]["error"] == pytest.approx(raw[page[side]["name"]], abs=5e-4)
    assert page["white"]["error"] == pytest.approx(0.769, abs=5e-4)
    assert page["black"]["error"] == pytest.approx(0.092, abs=5e-4)


def test_every_move_says_what_is_known_of_it(client, century):
    page = client.get(f"/api/games/{century}").json()
    assert (page["plies"], page["result"], page["date"]) == (82, "0-1", "1956-10-17")
    seventeenth = page["moves"][16]["black"]
    assert (seventeenth["number"], seventeenth["san"]) == ("17…", "Be6")
    assert (seventeenth["evaluation"], seventeenth["gain"]) == (-1.15, -0.11)
    last = page["moves"][-1]["black"]
    assert (last["san"], last["over"]) == ("Rc2#", "mate")
    text = client.get(f"/games/{century}?ply=34").text
    assert "17… Be6: evaluation −1.15; gain −0.11" in text
    assert f'href="/games/{century}?ply=35#board"' in text


def test_the_board_is_a_picture_that_needs_no_style(client, century):
    answer = client.get(f"/games/{century}/board/34.svg")
    assert answer.headers["content-type"] == "image/svg+xml"
    root = ET.fromstring(answer.text)
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    assert not [e for e in root.iter() if "style" in e.attrib or e.tag.endswith(("style", "script"))]  # fmt: skip
    turned = client.get(f"/games/{century}/board/34.svg?side=black").text
    assert turned != answer.text
    assert client.get(f"/games/{century}/board/82.svg").status_code == 200
    for ply, status in ((83, 404), (1200, 404), (1201, 422), (-1, 422), ("x", 422)):
        assert client.get(f"/games/{century}/board/{ply}.svg").status_code == status


def test_charts_are_vega_lite_and_only_where_there_are_evaluations(client, century):
    page = client.get(f"/api/games/{century}").json()
    for chart in (page["evaluation_chart"], page["gain_chart"], page["strength_chart"]):
        spec = client.get(chart["href"]).json()
        assert "vega-lite" in spec["$schema"]
    assert "35. Kg1: −11.18" in page["gain_chart"]["says"]
    assert client.get("/charts/games/1/evaluation").status_code == 404
    assert client.get(f"/charts/games/{century}/nothing").status_code == 422


def test_a_game_without_moves_says_what_to_do(client):
    text = client.get("/games/1").text
    assert "The ledger has no moves of this game. Upload the PGN" in text
    assert client.get("/api/games/1").json()["has_moves"] is False
    assert client.get("/games/1/pgn").status_code == 404


def test_ratings_then_are_those_of_the_lists_that_held(client):
    """Game 1 of a later event: both stand on the lists before it."""
    events = client.get("/api/home").json()["last_events"]
    assert "Autumn Cup" in [each["name"] for each in events]
    for number in range(1, 400):
        page = client.get(f"/api/games/{number}").json()
        if page["event"]["text"] == "Autumn Cup":
            break
    listed = {each["policy"]: each for each in page["white"]["listed"]}
    assert listed["club"]["list"] == "2026-10"
    assert listed["club"]["rating"] > 1000


@pytest.mark.parametrize("number", [0, 999999, 2**31, "x", -1])
def test_what_is_no_game_is_not_there(client, number):
    assert client.get(f"/games/{number}").status_code in (404, 422)
    assert client.get(f"/api/games/{number}").status_code in (404, 422)


def test_names_comments_and_moves_are_never_trusted(client, club, write):
    number = brought(club, write, HOSTILE)
    for path in (f"/games/{number}?ply=1", "/games"):
        text = client.get(path).text
        assert "<script>alert" not in text
        assert "<img src=x" not in text
        assert "&lt;img src=x onerror=alert(1)&gt;" in text
    assert "&lt;script&gt;alert" in client.get(f"/games/{number}?ply=1").text
    pgn = client.get(f"/games/{number}/pgn")
    assert pgn.headers["content-type"].startswith("application/x-chess-pgn")
    assert "attachment" in pgn.headers["content-disposition"]
    assert '[Black "O\'Neil \\"<b>"]' in pgn.text


def test_moves_that_cannot_be_are_left_out_and_said(client, club, write):
    number = brought(club, write, HOSTILE.replace("2. Qh5", "2. Ke5"))
    page = client.get(f"/api/games/{number}").json()
    assert page["plies"] == 2
    assert any("is not legal" in note for note in page["notes"])


def test_a_position_that_cannot_be_has_no_board(client, club, write):
    number = brought(club, write, HOSTILE.replace("[Result", '[FEN "8/8/8/8/8/8/8/K7 w - - 0 1"]\n[Result'))  # fmt: skip
    page = client.get(f"/api/games/{number}").json()
    assert page["plies"] == 0
    assert any("Black has no king" in note for note in page["notes"])
    assert client.get(f"/games/{number}").status_code == 200
    assert client.get(f"/games/{number}/board/0.svg").status_code == 404


def test_black_may_begin(client, club, write):
    start = '[FEN "4k3/4p3/8/8/8/8/4P3/4K3 b - - 0 7"]\n[Result'
    text = HOSTILE.replace("[Result", start).replace(HOSTILE[HOSTILE.index("1. e4") :], "7... e5 {[%eval 0.1]} 8. e4 {[%eval 0.0]} Ke7 1-0\n")  # fmt: skip
    number = brought(club, write, text)
    page = client.get(f"/api/games/{number}").json()
    assert [m["number"] for m in page["moves"]] == [7, 8]
    assert page["moves"][0]["white"] is None
    assert page["moves"][1]["white"]["gain"] == pytest.approx(-0.1)


def test_reading_needs_an_account_where_it_is_not_open(make_client, century):
    outside = make_client(open_reading=False)
    for path in (f"/api/games/{century}", f"/games/{century}/board/1.svg", f"/charts/games/{century}/strength", f"/games/{century}/pgn"):  # fmt: skip
        assert outside.get(path).status_code in (303, 401)


@pytest.mark.chromium
@pytest.mark.parametrize("board", ["chessground", "picture"])
def test_stepping_through_a_game_by_keyboard(served, page, century, monkeypatch, board):
    if board == "picture":
        monkeypatch.setattr(pages, "has_board", lambda: False)
    elif not has_board():
        pytest.skip(
            "this copy was built without npm or a network, so it has no chessground: install again with both"
        )
    complaints = []
    page.on("console", lambda said: said.type == "error" and complaints.append(said.text))
    page.goto(f"{served(work=False)}/games/{century}?ply=0")
    page.wait_for_function("document.querySelector('[data-at]').textContent.includes('starting')")
    page.wait_for_load_state("networkidle")
    said = page.locator("[data-at]")
    page.keyboard.press("ArrowRight")
    assert said.inner_text().startswith("1. Nf3: evaluation +0.12")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowLeft")
    assert said.inner_text().startswith("1. Nf3")
    page.keyboard.press("End")
    assert said.inner_text().startswith("41… Rc2#")
    last = "Position after 82 half-moves: 1Q6/5pk1/2p3p1/1p2N2p/1b5P/1bn5/2r3P1/2K5 w"
    page.get_by_role("img", name=last).wait_for()
    page.keyboard.press("f")
    if board == "picture":
        assert "board/82.svg?side=black" in page.locator("img.board").get_attribute("src")
    else:
        assert page.locator(".cg-wrap.orientation-black square.check").count() == 1
        assert page.locator(".cg-wrap piece").count() == 15
    assert page.locator("#fen").input_value().startswith("1Q6/5pk1/2p3p1/1p2N2p/")
    page.get_by_role("link", name="Bxb6").first.click()
    assert said.inner_text().startswith("18. Bxb6")
    assert "ply=35" in page.url
    page.reload()
    assert said.inner_text().startswith("18. Bxb6")
    assert not complaints
