"""Walk an officer's way from an empty ledger to a corrected second list, in Chromium: by mouse, by keyboard and on a phone.

``python tools/officer_stories.py`` prints how many clicks, taps or keys each job takes; docs/web.md has the table.
"""

from __future__ import annotations

import os
import socket
import sys
import tempfile
import threading
import time
from collections import Counter
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal
from unittest import mock

import uvicorn
from screenshots import CHROMIUM, FLAGS, SIZES

from arpad.ledger.db.ledger import Ledger
from arpad.web.app import make_app, settings_for

if TYPE_CHECKING:
    from collections.abc import Iterator

Way = Literal["mouse", "keyboard", "phone"]
MEMBERS = 'name,rating,games\n"Berg, Ida",1810,40\n"Novak, Jan",1650,12\n"Ortiz, Luz",1720,30\n'
HEAD = "event,date,round,white,black,result\n"
FILES = {
    "members.csv": MEMBERS,
    "september.csv": f'{HEAD}September Cup,2026-09-05,1,"Berg, Ida","Novak, Jan",0-1\nSeptember Cup,2026-09-06,2,"Novak, Jan","Ortiz, Luz",1-0\n',
    "october.csv": f'{HEAD}October Cup,2026-10-03,1,"Berg, I.","Ortiz, Luz",1-0\nOctober Cup,2026-10-04,2,"Novak, Jan","Berg, I.",1/2-1/2\n',
    "late.csv": f'{HEAD}Late Cup,2026-09-12,1,"Ortiz, Luz","Berg, Ida",1-0\n',
}
LISTS = [("2026-11", 0, "published"), ("2026-10", 0, "published"), ("2026-10", 1, "correction")]
"""The lists at the end, each with the number of its correction."""
MOST_TABS = 80
FOCUS = """place => { const e = document.activeElement, s = getComputedStyle(e), box = e.getBoundingClientRect();
  return {here: e === place, page: e === document.body || e.id === "main" || e.autofocus, text: e.outerHTML.slice(0, 80),
          shows: s.outlineStyle !== "none" && parseFloat(s.outlineWidth) >= 2,
          inside: box.bottom > 0 && box.top < innerHeight && box.right > 0 && box.left < innerWidth}; }"""
"""Where the focus is, and whether it can be seen."""


@contextmanager
def served_empty(folder: Path) -> Iterator[str]:
    """Give the address, with its code, of an app over a ledger that is empty."""
    place = str(folder / "new.db")
    Ledger.open(place, create=True).close()
    settings = settings_for(place, host="127.0.0.1")
    listening = socket.socket()
    listening.bind(("127.0.0.1", 0))
    server = uvicorn.Server(
        uvicorn.Config(make_app(settings), log_level="error", timeout_graceful_shutdown=2)
    )
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
    thread.start()
    while not server.started:
        time.sleep(0.02)
    try:
        yield f"http://127.0.0.1:{listening.getsockname()[1]}/first-start?code={settings.first_code}"
    finally:
        server.should_exit = True
        thread.join()
        listening.close()


class Officer:
    """Somebody who uses the pages in one way only, and counts."""

    def __init__(self, page: Any, folder: Path, way: Way) -> None:
        self.page, self.folder, self.way = page, folder, way
        self.job, self.counts = "", Counter[str]()

    def _reach(self, place: Any) -> None:
        """Press Tab until a place has the focus, which shows at every stop."""
        place.wait_for()
        for _ in range(MOST_TABS):
            focus = place.evaluate(FOCUS)
            if not focus["page"] and not (focus["shows"] and focus["inside"]):
                raise AssertionError(f"the focus on {focus['text']!r} is not seen on {self.page.url}")
            if focus["here"]:
                return
            self.page.keyboard.press("Tab")
            self.counts[self.job] += 1
        raise AssertionError(f"{place} is not reached with {MOST_TABS} Tabs on {self.page.url}")

    def press(self, role: str, name: str) -> None:
        """Press a button or follow a link."""
        place = self.page.get_by_role(role, name=name).first
        self.counts[self.job] += 1
        if self.way == "mouse":
            place.click()
        elif self.way == "phone":
            place.tap()
        else:
            self._reach(place)
            self.page.keyboard.press("Enter")

    def write(self, label: str, text: str) -> None:
        """Write into a field."""
        place = self.page.get_by_label(label, exact=True)
        if self.way == "keyboard":
            self._reach(place)
        else:
            self.counts[self.job] += 1
            place.click() if self.way == "mouse" else place.tap()
        place.press_sequentially(text) if place.get_attribute("type") != "date" else place.fill(text)

    def choose(self, label: str, file: str) -> None:
        """Choose a file."""
        path = self.folder / file
        path.write_text(FILES[file], encoding="utf-8")
        place = self.page.get_by_label(label, exact=True)
        self.counts[self.job] += 1
        if self.way == "keyboard":
            self._reach(place)
        with self.page.expect_file_chooser() as chosen:
            if self.way == "keyboard":
                self.page.keyboard.press("Space")
            else:
                place.click() if self.way == "mouse" else place.tap()
        chosen.value.set_files(path)


def upload(officer: Officer, job: str, file: str) -> None:
    """Upload an event, and import what the preview shows."""
    officer.job = job
    officer.press("link", "Upload")
    officer.choose("Files", file)
    officer.press("button", "Preview")
    officer.press("button", "Import it")
    officer.page.get_by_text("finished").or_(officer.page.get_by_role("link", name="Cup")).first.wait_for()


def make_and_publish(officer: Officer, job: str, name: str, button: str) -> None:
    """Make the draft of a list, look at it, and publish it."""
    officer.job = f"{job}: draft"
    officer.press("link", "Lists")
    officer.press("button", "Make the draft")
    officer.page.get_by_role("link", name=f"club, {name}").first.wait_for()
    officer.job = f"{job}: publish"
    officer.press("link", f"club, {name}")
    officer.press("link", "Look at what publishing would freeze")
    officer.press("button", button)
    officer.page.get_by_role("status").first.wait_for()


def story(page: Any, folder: Path, address: str, way: Way) -> Counter[str]:
    """Do every job once; return how many clicks, taps or keys each took."""
    officer = Officer(page, folder, way)
    page.goto(address)
    officer.job = "first account"
    officer.write("Your name", "Anna Arbiter")
    officer.write("Password, at least 10 characters", "correct horse battery")
    officer.press("button", "Make the account and sign in")
    officer.job = "rules"
    officer.press("link", "Choose the rules club")
    officer.press("button", "Take these rules")
    officer.job = "the club's list"
    officer.choose("File of the list", "members.csv")
    officer.write("Day from which on the list was valid", "2026-09-01")
    officer.press("button", "Start with these ratings")
    page.get_by_text("3 players of members.csv").wait_for()
    upload(officer, "upload an event", "september.csv")
    make_and_publish(officer, "first list", "2026-10", "Publish")
    upload(officer, "upload with a doubt, answered at the preview", "october.csv")
    upload(officer, "upload a late event", "late.csv")
    make_and_publish(officer, "second list with a correction", "2026-11", "Publish")
    base = address.partition("/first")[0]
    lists = page.request.get(f"{base}/api/lists").json()["policies"][0]["lists"]
    if [(each["name"], each["number"], each["state"]) for each in lists] != LISTS:
        raise AssertionError(f"the lists are {lists}")
    if page.request.get(f"{base}/api/queue").json()["doubts"]:
        raise AssertionError("a doubt still waits")
    return officer.counts


def main() -> int:
    """Tell the story in each way, and print the table."""
    from playwright.sync_api import sync_playwright

    if not CHROMIUM.exists():
        print("no browser: apt-get install chromium")
        return 0
    told: dict[Way, Counter[str]] = {}
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=str(CHROMIUM), args=FLAGS)
        for way in ("mouse", "keyboard", "phone"):
            with (
                tempfile.TemporaryDirectory() as folder,
                mock.patch.dict(os.environ, XDG_STATE_HOME=folder),
                served_empty(Path(folder)) as address,
            ):
                phone = way == "phone"
                page = browser.new_page(
                    base_url=address.partition("/first")[0],
                    viewport=SIZES["phone" if phone else "big"],
                    has_touch=phone,
                )
                try:
                    told[way] = story(page, Path(folder), address, way)
                except Exception:
                    page.screenshot(path="story-failed.png", full_page=True)
                    raise
                page.close()
        browser.close()
    print("| job | clicks | taps on a phone | keys |\n|---|---|---|---|")
    for job in told["mouse"]:
        print(f"| {job} | {told['mouse'][job]} | {told['phone'][job]} | {told['keyboard'][job]} |")
    return 0


if __name__ == "__main__":
    sys.exit(main())
