"""FIDE's forms on norms as PDF, filled in: the certificate of title result (IT1), the tournament report (IT3).

The forms ask for what article 1.8 and the appendices of the title regulations [B.01] name; their layout is
ours. What no file says (place of birth, signatures) is left as a line to write on.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import polars as pl

from arpad.event.field import kind_of
from arpad.event.norms.fide import Judge, norms
from arpad.event.norms.rules import TITLED, TODAY, Setting
from arpad.publish.pdf import LEADING, MARGIN, PdfSheet, table_grid
from arpad.publish.report_page import PageSection

if TYPE_CHECKING:
    from collections.abc import Sequence

    from arpad.event.norms.rules import NormRules, Verdict
    from arpad.model import Games, Player


LABEL, FIELD = 7.5, 9.5
"""Points of print of a field's name and of what stands in it."""
LINE = "_" * 34


def certificates(
    games: Games,
    *,
    setting: Setting | None = None,
    titles: Sequence[str] | None = None,
    rules: NormRules = TODAY,
) -> tuple[bytes, int]:
    """Return a PDF with a certificate (IT1) for every norm that was made, a page each, and their number.

    Of several titles that a player's games are a norm for, each has its certificate.
    """
    setting = setting or Setting()
    made = [v for v in norms(games, titles=titles, rules=rules, setting=setting) if v.passed]
    judge = Judge(games, rules, setting)
    sheet = PdfSheet("IT1 Certificate of title result")
    for number, verdict in enumerate(made):
        if number:
            sheet.new_page()
        _certificate(sheet, games, judge, verdict)
    return sheet.finish(), len(made)


def tournament_report(games: Games, *, setting: Setting | None = None, rules: NormRules = TODAY) -> bytes:
    """Return the tournament report (IT3) as PDF: the event, its field by federation and title, norms made."""
    setting = setting or Setting()
    made = [v for v in norms(games, rules=rules, setting=setting) if v.passed]
    sheet = PdfSheet("IT3 Tournament report form")
    sheet.write("IT3  Tournament report", 15, bold=True)
    sheet.space(4)
    _event_fields(sheet, games)
    playing = sorted(set(games.table["white"]) | set(games.table["black"].drop_nulls()))
    people = [games.player(p) for p in playing]
    rated = sum(p.rating is not None for p in people)
    held = Counter(p.title for p in people if p.title)
    _fields(
        sheet,
        ("Players", str(len(people))),
        ("Rated", str(rated)),
        ("Unrated", str(len(people) - rated)),
        ("Title holders", str(sum(held[t] for t in TITLED))),
    )
    _fields(sheet, *((t, str(held[t])) for t in TITLED))
    lands = Counter(p.federation or "unknown" for p in people)
    table = pl.DataFrame(
        {
            "federation": list(dict(lands.most_common())),
            "players": [n for _, n in lands.most_common()],
            "title holders": [
                sum(p.title in TITLED for p in people if (p.federation or "unknown") == land)
                for land, _ in lands.most_common()
            ],
        }
    )
    _table(sheet, "Federations", table)
    rows = [
        {
            "player": v.player,
            "federation": games.players["federation"][v.row],
            "ID": games.players["id"][v.row],
            "norm": v.title,
            "points": f"{v.score:g}",
            "games": str(v.games),
            "score needed": "" if v.points_needed is None else f"{v.points_needed:g}",
        }
        for v in made
        if v.row is not None
    ]
    if rows:
        _table(sheet, "Norms made", pl.DataFrame(rows, infer_schema_length=None))
    else:
        sheet.space(8)
        sheet.write("Norms made: none", FIELD, bold=True)
    _signatures(sheet, "Chief arbiter", "Organiser", "Rating officer of the federation")
    return sheet.finish()


def _certificate(sheet: PdfSheet, games: Games, judge: Judge, verdict: Verdict) -> None:
    assert verdict.row is not None
    player: Player = games.player(verdict.row)
    sheet.write(f"IT1  Certificate of title result: {verdict.title}", 15, bold=True)
    sheet.space(4)
    _fields(
        sheet, ("Name", player.name), ("Federation", player.federation or ""), ("FIDE ID", player.id or "")
    )
    _fields(
        sheet,
        ("Date of birth", player.birth or ""),
        ("Place of birth", ""),
        ("Title", player.title or ""),
        ("Rating", f"{player.rating:.0f}" if player.rating is not None else ""),
    )
    _event_fields(sheet, games)
    counted = [m for m in judge.field.meetings[verdict.row] if m.round in verdict.rounds]
    ids = games.players["id"]
    table = pl.DataFrame(
        [
            {
                "round": str(m.round),
                "opponent": m.opponent.name,
                "ID": None if m.opponent.row is None else ids[m.opponent.row],
                "federation": m.opponent.federation,
                "title": m.opponent.title,
                "rating": m.opponent.rating,
                "result": {1.0: "1", 0.5: "½", 0.0: "0"}.get(m.score, f"{m.score:g}"),
            }
            for m in counted
        ],
        schema_overrides={"rating": pl.Float64},
        infer_schema_length=None,
    )
    _table(sheet, "Games that count", table)
    _fields(
        sheet,
        ("Points", f"{verdict.score:g}"),
        ("Games", str(verdict.games)),
        ("Score needed", "" if verdict.points_needed is None else f"{verdict.points_needed:g}"),
    )
    checks = pl.DataFrame(
        {
            "article": [r.article for r in verdict.requirements],
            "requirement": [r.what for r in verdict.requirements],
            "needed": [r.needed for r in verdict.requirements],
            "found": [r.found for r in verdict.requirements],
        }
    )
    _table(sheet, f"Requirements of the title regulations of {verdict.rules}", checks)
    for note in verdict.notes:
        sheet.write(f"{note[:1].upper()}{note[1:]}.", LABEL)
    _signatures(sheet, "Chief arbiter", "Federation official")


def _event_fields(sheet: PdfSheet, games: Games) -> None:
    event = games.events[0] if games.events else None
    if event is None:
        return
    start, end = (d.isoformat() if d is not None else "" for d in (event.start, event.end))
    _fields(sheet, ("Tournament", event.name))
    _fields(
        sheet,
        ("Place", event.site or ""),
        ("Federation", event.federation or ""),
        ("Begin", start),
        ("End", end),
    )
    _fields(
        sheet,
        ("Kind", event.kind or kind_of(games)),
        ("Rounds", str(event.rounds or "")),
        ("Time control", event.time_control or ""),
    )
    _fields(sheet, ("Chief arbiter", event.arbiter or ""), ("Deputies", ", ".join(event.deputies)))


def _fields(sheet: PdfSheet, *pairs: tuple[str, str]) -> None:
    """Write fields beside one another: the name of each above what stands in it, and a line below."""
    high = (LABEL + FIELD) * LEADING + 4
    if sheet.left < high:
        sheet.new_page()
    width = sheet.room / len(pairs)
    canvas = sheet.canvas
    for column, (name, value) in enumerate(pairs):
        x = MARGIN + column * width
        canvas.setFont(sheet.plain, LABEL)
        canvas.setFillGray(0.4)
        canvas.drawString(x, sheet.y - LABEL * LEADING, name)
        canvas.setFillGray(0.1)
        canvas.setFont(sheet.bold, FIELD)
        text = sheet.shortened(value, FIELD, width - 8)
        canvas.drawString(x, sheet.y - (LABEL + FIELD) * LEADING, text)
        canvas.setStrokeGray(0.75)
        canvas.line(x, sheet.y - high + 1, x + width - 8, sheet.y - high + 1)
    sheet.y -= high + 3


def _table(sheet: PdfSheet, heading: str, table: pl.DataFrame) -> None:
    sheet.space(6)
    sheet.write(heading, FIELD, bold=True)
    sheet.table(table_grid(PageSection("", table=table, digits={"rating": 0}), sheet), largest=8.5)
    sheet.space(6)


def _signatures(sheet: PdfSheet, *people: str) -> None:
    sheet.space(22)
    for one in people:
        sheet.write(f"{one}: {LINE}   Date: {'_' * 14}", FIELD)
        sheet.space(14)
