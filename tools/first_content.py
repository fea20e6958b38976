"""Measure what a browser fetches before a page of the web app shows its content, over the demo club.

``python tools/first_content.py`` prints requests and bytes, as they come over the wire, of home, a list, a player and a
game, at 1280 pixels; exit 1 if one of them has more than 150 kB without the board's code.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from screenshots import CHROMIUM, FLAGS, SIZES, served

MOST = 150_000
"""Bytes to first content, without the board's code."""
PAGES = {"home": "/", "list": "/lists/fide/2026-11", "player": "/players/1", "game": "/games/{famous}"}
BOARD = "/board.js"


def main() -> int:
    """Measure, print and compare with the bar."""
    from playwright.sync_api import sync_playwright

    if not CHROMIUM.exists():
        print("no browser: apt-get install chromium")
        return 0
    heavy = False
    with (
        tempfile.TemporaryDirectory() as folder,
        served(Path(folder)) as (base, numbers),
        sync_playwright() as p,
    ):
        browser = p.chromium.launch(executable_path=str(CHROMIUM), args=FLAGS)
        for name, address in PAGES.items():
            context = browser.new_context(viewport=SIZES["big"], base_url=base)
            page, sizes = context.new_page(), {}
            wire = context.new_cdp_session(page)
            wire.send("Network.enable")
            urls: dict[str, str] = {}
            wire.on(
                "Network.requestWillBeSent",
                lambda e, urls=urls: urls.update({e["requestId"]: e["request"]["url"]}),
            )
            wire.on(
                "Network.loadingFinished",
                lambda e, s=sizes: s.update({e["requestId"]: int(e["encodedDataLength"])}),
            )
            page.goto(address.format(**numbers), wait_until="load")
            page.wait_for_load_state("networkidle")
            counted = {key: size for key, size in sizes.items() if not urls.get(key, "").endswith(BOARD)}
            total = sum(counted.values())
            heavy = heavy or total > MOST
            print(f"{name:8} {len(counted):3} requests {total:8,} bytes")
            context.close()
        browser.close()
    return int(heavy)


if __name__ == "__main__":
    sys.exit(main())
