"""A page as PDF, for the notice board: made offline, whole or not at all."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from arpad.errors import ArpadError
from arpad.publish.atomic import write_bytes

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["pdf", "write_pdf"]


def pdf(html: str) -> bytes:
    """Return a page of `publish.page` as PDF."""
    # It warns of every line of CSS that is meant for screens only.
    logging.getLogger("weasyprint").setLevel(logging.ERROR)
    try:
        from weasyprint import HTML
        from weasyprint.urls import URLFetcher
    except (ImportError, OSError) as error:  # OSError: Pango, which Debian has as a package
        raise ArpadError(
            f"a PDF needs WeasyPrint and Pango (apt-get install libpangoft2-1.0-0): {error}; "
            "--html gives a page that a browser prints"
        ) from None
    # A report holds all it needs: whatever else a name in it might ask for is left out.
    nothing = URLFetcher(allowed_protocols=())
    return bytes(HTML(string=html, url_fetcher=nothing).write_pdf())


def write_pdf(path: str | Path, html: str) -> None:
    """Write a page as PDF."""
    write_bytes(path, pdf(html))
