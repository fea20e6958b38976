"""The page of `arpad event`: for the browser, and the same to print."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from arpad.event.report import EventReport
    from arpad.event.verdict import Verdict
    from arpad.publish.page import Section

__all__ = ["AFTER", "DIGITS", "STATE", "event_page", "system_words", "write_pages"]

DIGITS = {"rating": 0, "after": 0, "performance": 0, "performance_error": 0, "change": 0}
TIE_BREAKS = ("direct", "wins", "sonneborn_berger", "buchholz_cut", "buchholz", "progressive")
USUAL = "In the order in which they decide"
AFTER = ("after", "status")
STATE = ("after_error", "total_games")
"""For programs: what a system keeps of a player after the event."""


def system_words(found: EventReport) -> str:
    """Say by which system the expected scores and changes are."""
    if found.system == "fide":
        return f"FIDE's rules of {found.parameters['rules']}"
    return f"the system {found.system}"


def write_pages(page: str, html: str | None, pdf: str | None) -> None:
    """Write a page as HTML and as PDF, as asked for."""
    from arpad.publish.atomic import write_text
    from arpad.publish.pdf import write_pdf

    if html is not None:
        write_text(html, page)
    if pdf is not None:
        write_pdf(pdf, page)


def event_page(found: EventReport, more: list[Section], *, level: str = "") -> str:
    """Return the report as a page, with further sections before the norms.

    Parameters
    ----------
    level
        What decides between players who are level on points, where it is not the usual tie-breaks.
    """
    from arpad.publish.page import Section, page

    words = (
        f"Performance ratings: {found.method}, with one standard deviation. Expected scores and changes "
        f"by {system_words(found)}."
    )
    rows = found.table().drop(*AFTER, *STATE, strict=False)
    if found.system != "fide":
        rows = found.table().drop(STATE, strict=False)
    breaks = rows.select("rank", "name", "points", *(c for c in TIE_BREAKS if c in rows.columns))
    sections = [
        Section("Crosstable", table=found.crosstable.table(), digits=DIGITS),
        Section("Standings", table=rows.drop(TIE_BREAKS, strict=False), words=words, digits=DIGITS),
        Section(
            "Tie-breaks",
            table=breaks,
            words=f"{level or USUAL}; byes and forfeits count only for the progressive score.",
        ),
        *more,
    ]
    if found.norms is not None:
        sections.append(_norm_section(found.norms))
    subtitle = found.summary().removeprefix(f"{found.name}: ")
    return page(found.name, subtitle[:1].upper() + subtitle[1:], sections)


def _norm_section(made: tuple[Verdict, ...]) -> Section:
    from arpad.cli.norm_views import norm_table
    from arpad.publish.page import Section

    if not made:
        return Section("Norms", words="Nobody made a title norm.")
    table = norm_table([("", v) for v in made])
    words = f"By FIDE's title regulations of {made[0].rules}; enough: the points that would have sufficed."
    return Section("Norms", table=table, words=words, digits={"enough": 1})
