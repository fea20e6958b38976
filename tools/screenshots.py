"""Photograph every page of the web app over the demo club, in a big and in a phone window.

``make pictures`` runs it; the pictures are those of docs/web.md. Names of pages as arguments take only those. Whatever changes from run to run (the moment of a
decision) is written over first, so that a picture changes only where a page has.
"""

from __future__ import annotations

import io
import os
import socket
import sys
import tempfile
import threading
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any
from unittest import mock

import uvicorn
from PIL import Image, ImageChops

from arpad.ledger.accounts import add_account
from arpad.ledger.db.ledger import Ledger
from arpad.web.app import make_app
from arpad.web.auth import WebSettings
from arpad.web.first_start import fill_demo

if TYPE_CHECKING:
    from collections.abc import Iterator

FOLDER = Path(__file__).parent.parent / "docs" / "pictures" / "web"
CHROMIUM = Path("/usr/bin/chromium")
FLAGS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--force-color-profile=srgb", "--font-render-hinting=none",
    "--hide-scrollbars",
]  # fmt: skip
SIZES = {"big": {"width": 1280, "height": 900}, "phone": {"width": 390, "height": 844}}
COLOURS = 128
"""Of a picture's palette: pages are flat, and small files load fast."""
LARGEST = 120_000
"""Bytes of a picture."""
PLAYERS = "\n".join(
    f"{name}; {rating}"
    for name, rating in (
        ("Dahl, Nora", 2105), ("Eide, Jon", 1990), ("Novak, Jan", 1900), ("Berg, Ida", 1850),
        ("Ortiz, Luz", 1700), ("Lee, Kim", 1650), ("Holm, Kari", 1620),
    )
)  # fmt: skip
"""Players of an event that is run in the browser."""
NAME, PASSWORD = "Anna Arbiter", "correct horse battery"
DARK = ("home", "player")
"""Pages that are also shown as they look at night."""

PAGES = {
    "home": "/", "lists": "/lists", "list": "/lists/club/2026-12", "changes": "/lists/club/2026-12/changes",
    "players": "/players", "player": "/players/15", "explain": "/players/15/explain?policy=fide&list=2026-12",
    "compare": "/players/10/compare?with=15", "events": "/events", "event": "/events/10",
    "norms": "/events/10/norms", "fit": "/events/7/fit?policy=club", "forecast": "/events/5/forecast?policy=club",
    "decide": "/events/7/decide?policy=club", "games": "/games?q=berg", "game": "/games/{famous}?ply=20", "moves": "/events/11/moves", "history": "/history", "pool": "/pool", "drift": "/pool/drift",
    "exchange": "/pool/exchange?by=federation", "deflation": "/pool/deflation?by=age", "lab": "/lab", "worlds": "/lab/worlds",
    "search": "/search?q=kelelr", "imports": "/imports", "correct": "/players/15/decide", "standings": "/events/6?view=standings&after=5",
    "queue": "/queue", "doubt": "/queue/1", "log": "/log", "upload": "/upload", "preview": "/upload/{preview}", "work": "/jobs",
    "rounds": "/rounds/{event}?round=1",
}  # fmt: skip
"""What a picture is called, and its page."""

UPLOAD = """event,date,round,white,black,result
November Rapid,2026-11-14,1,"Berg, Ida","Novak, Jan",1-0
November Rapid,2026-11-14,1,"Ortiz, L.","Petrov, Lev",1/2-1/2
November Rapid,2026-11-14,2,"Novak, Jan","Ortiz, L.",0-1
November Rapid,2026-11-14,2,"Petrov, Lev","Weiss, Nora",1-0
November Rapid,2026-11-14,3,,"Berg, Ida",1-0
"""
"""An event with a name that may be another's, a newcomer, and a line without a name."""

STEADY = """() => { const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walk.nextNode()) walk.currentNode.data = walk.currentNode.data.replace(/\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d(:\\d\\d)?/g, '2026-12-01 18:00'); }"""


@contextmanager
def served(folder: Path) -> Iterator[tuple[str, dict[str, int]]]:
    """Give the address of an app over the demo club, and numbers that addresses need."""
    place = folder / "club.db"
    fill_demo(str(place), more=True)
    with Ledger.open(str(place)) as ledger:
        with ledger.writing("screenshots", "account") as connection:
            add_account(connection, NAME, PASSWORD, "administrator")
        with ledger.reading() as connection:
            numbers = {"master": _master(connection), "famous": _master(connection, last=True)}
    app = make_app(WebSettings(place=str(place), title="Demo club", open_reading=True))
    listening = socket.socket()
    listening.bind(("127.0.0.1", 0))
    server = uvicorn.Server(uvicorn.Config(app, log_level="error", timeout_graceful_shutdown=2))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
    thread.start()
    while not server.started:
        time.sleep(0.02)
    try:
        yield f"http://127.0.0.1:{listening.getsockname()[1]}", numbers
    finally:
        server.should_exit = True
        thread.join()
        listening.close()


def _master(connection: Any, *, last: bool = False) -> int:
    """Return the number of the first game that has moves, or of the last one."""
    import sqlalchemy as sa

    from arpad.ledger.db import tables

    return int(
        connection.execute(sa.select((sa.func.max if last else sa.func.min)(tables.moves.c.game_id))).scalar()
        or 1
    )


def keep(shot: bytes, path: Path) -> bool:
    """Write a picture with a palette unless the one that is there shows the same; say whether it was written."""
    fresh = Image.open(io.BytesIO(shot)).convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE)
    if path.exists():
        old = Image.open(path).convert("RGB")
        new = fresh.convert("RGB")
        if old.size == new.size and ImageChops.difference(old, new).getbbox() is None:
            return False
    fresh.save(path, optimize=True)
    if path.stat().st_size > LARGEST:
        raise SystemExit(f"{path.name} has {path.stat().st_size:,} bytes: at most {LARGEST:,}")
    return True


def settled(page: Any) -> None:
    """Wait until charts are drawn and nothing moves, and write over what differs from run to run."""
    page.wait_for_load_state("networkidle")
    page.wait_for_function(
        "() => [...document.querySelectorAll('.picture img')].every(p => { p.loading = 'eager'; return p.complete; })"
    )
    page.evaluate(STEADY)


def at_work(page: Any, folder: Path) -> dict[str, int]:
    """Upload an event and let a list be made, so that there is something to see; give what addresses need."""
    event = folder / "november-rapid.csv"
    event.write_text(UPLOAD, encoding="utf-8")
    page.goto("/upload")
    page.get_by_label("File").set_input_files(event)
    page.get_by_role("button", name="Preview").click()
    page.get_by_role("button", name="Import it").wait_for()
    number = int(page.url.rpartition("/")[2])
    page.goto("/jobs")
    page.get_by_role("button", name="Make it").click()
    page.get_by_role("link", name="club, 2026-12").wait_for()
    page.goto("/rounds")
    page.get_by_label("Name", exact=True).fill("Thursday Open")
    page.get_by_label("Players", exact=True).fill(PLAYERS)
    page.get_by_role("button", name="Begin").click()
    page.get_by_role("button", name="Pair round 1").click()
    page.get_by_role("button", name="Save the results").wait_for()
    for result, mark in zip(page.locator("select").all(), "1=0", strict=False):
        result.select_option(mark)
    page.get_by_role("button", name="Save the results").click()
    page.get_by_text("Saved.").wait_for()
    return {"preview": number, "event": int(page.url.partition("?")[0].rpartition("/")[2])}


def photographed(
    browser: Any, base: str, numbers: dict[str, int], folder: Path, only: list[str]
) -> Iterator[tuple[str, bytes]]:
    """Give every page, or only some, in every window."""
    for size, viewport in SIZES.items():
        for scheme in ("light", "dark"):
            context = browser.new_context(
                viewport=viewport, base_url=base, color_scheme=scheme, reduced_motion="reduce"
            )
            context.set_default_timeout(120_000)
            page = context.new_page()
            page.goto("/sign-in")
            if scheme == "light":
                settled(page)
                yield f"sign-in-{size}", page.screenshot()
            page.get_by_label("Name").fill(NAME)
            page.get_by_label("Password").fill(PASSWORD)
            page.get_by_role("button", name="Sign in").click()
            if "preview" not in numbers:
                numbers |= at_work(page, folder)
            for name, address in PAGES.items():
                if (scheme == "dark" and name not in DARK) or (only and name not in only):
                    continue
                answer = page.goto(address.format(**numbers))
                if answer is None or answer.status != 200:
                    raise SystemExit(f"{address}: {answer and answer.status}")
                settled(page)
                night = "-dark" if scheme == "dark" else ""
                yield f"{name}-{size}{night}", page.screenshot()
            context.close()


def main() -> int:
    """Take the pictures."""
    from playwright.sync_api import sync_playwright

    if not CHROMIUM.exists():
        print("no browser: apt-get install chromium; the pictures stay as they are")
        return 0
    FOLDER.mkdir(parents=True, exist_ok=True)
    taken = written = 0
    with (
        tempfile.TemporaryDirectory() as folder,
        mock.patch.dict(os.environ, XDG_STATE_HOME=folder),  # uploads lie there
        served(Path(folder)) as (base, numbers),
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(executable_path=str(CHROMIUM), args=FLAGS)
        for name, shot in photographed(browser, base, numbers, Path(folder), sys.argv[1:]):
            taken += 1
            written += keep(shot, FOLDER / f"{name}.png")
        browser.close()
    print(f"{taken} pictures of the web app, {written} of them new")
    return 0


if __name__ == "__main__":
    sys.exit(main())
