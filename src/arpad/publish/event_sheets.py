"""The sheets of an event: standings for the wall, crosstable, pairings, norms, player cards, FIDE's certificates."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import polars as pl

from arpad.event.field import kind_of, known_ratings, rounds_of
from arpad.event.norms.fide import Judge, norms, sought
from arpad.event.norms.rules import TITLED, TODAY, Setting
from arpad.event.tiebreaks import board_order, event_field
from arpad.publish.output import PageSection
from arpad.publish.tables import cell

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from arpad.event.norms.rules import NormRules, Verdict
    from arpad.event.report import EventReport
    from arpad.event.unplayed_rounds import RoundEntrant, RoundScore
    from arpad.model import Games, Player
    from arpad.publish.pdf import PdfSheet


SECTIONS = (
    *("standings", "teams", "crosstable", "pairings", "performances", "tie-breaks", "norms", "fit"),
    *("handicap", "forecast", "cards"),
)
"""All that there are, in the order in which they stand."""
PRINT = ("standings", "teams", "crosstable", "norms")
"""Sections of a printed report."""
PAGE = ("standings", "teams", "crosstable", "performances", "tie-breaks", "norms")
"""… what a page for the browser has, where nothing else is asked for."""
DIGITS = {
    "rating": 0,
    "after": 0,
    "performance": 0,
    "performance_exact": 0,
    "performance_error": 0,
    "average_opponent": 0,
    "change": 0,
    "enough": 1,
}
FIGURES = ("direct", "wins", "sonneborn_berger", "buchholz_cut", "buchholz", "progressive")
"""Further tie-breaks that every report has, whether or not they decide."""
STATE = ("after_error", "total_games")
"""Columns for programs: a system's state of a player after the event."""
OTHER_SYSTEM = ("after", "status")
NAMES = {"federation": "fed", "performance": "Rp"}
RESULTS = {1.0: "1", 0.5: "½", 0.0: "0"}


def event_details(report: EventReport, games: Games, *, after: int | None = None) -> list[str]:
    """Return what stands below the name of an event: venue, dates, arbiter, time control, kind."""
    event = games.events[0] if games.events else None
    lines = []
    if event is not None:
        days = [d.isoformat() for d in dict.fromkeys((event.start, event.end)) if d is not None]
        lines.append(", ".join(p for p in (event.site, event.federation, " to ".join(days)) if p))
        people = [f"Arbiter: {event.arbiter}"] if event.arbiter else []
        people += [f"deputies: {', '.join(event.deputies)}"] if event.deputies else []
        lines.append("; ".join(people))
        lines.append(f"Time control: {event.time_control}" if event.time_control else "")
    words = report.summary().removeprefix(f"{report.name}: ")
    played = event_field(games).rounds if after is None else after
    planned = (event.rounds if event else None) or played
    rounds = f", after round {played}" if after is not None or played < planned else ""
    rounds += f" of {planned}" if rounds and played < planned else ""
    lines.append(f"{words[:1].upper()}{words[1:]}{rounds}")
    return [line for line in lines if line]


def event_section(
    name: str, report: EventReport, games: Games, *, level: str = "", official: Sequence[str] = ()
) -> list[PageSection]:
    """Return one of the sections that need nothing but the report and its games; empty where there is nothing.

    Parameters
    ----------
    level
        What decides between players who are level on points, where it is not FIDE's tie-breaks.
    official
        How the places in the file compare.
    """
    rows = report.table().drop(STATE, strict=False)
    table, words = None, ""
    if name == "standings":
        order = f"{level}." if level else report.tie_break_words()
        return [_standings(report.standings_table(), " ".join([order, *official]))]
    if name in ("pairings", "cards"):
        return pairing_sheet(games, _ratings(report)) if name == "pairings" else player_cards(report, games)
    if name == "norms":
        return [] if report.norms_made is None else [_norm_section(report.norms_made)]
    if name == "teams" and report.teams is not None:
        table, words = report.teams.table(), report.teams.describe()
    elif name == "crosstable":
        table = report.crosstable.table()
        first = [c for c in ("#", "player", "rating", "points") if c in table.columns]
        table = table.select(*first, pl.exclude(first))
    elif name == "performances":
        words = f"{performance_words(report)} Expected scores and changes by {system_words(report)}."
        table = rows.drop(FIGURES, strict=False)
        table = table.drop(OTHER_SYSTEM, strict=False) if report.system == "fide" else table
    elif name == "tie-breaks":
        table = rows.select("rank", "name", "points", *(c for c in FIGURES if c in rows.columns))
    heading = {"tie-breaks": "Further tie-breaks"}.get(name, name.capitalize())
    return [] if table is None else [PageSection(heading, table=table, words=words, digits=DIGITS)]


def performance_words(report: EventReport) -> str:
    """Say what the performance ratings are."""
    if report.method == "fide":
        return "Performance: FIDE's R_p; beside it the exact one, ± one standard deviation."
    return f"Performance: {report.method}, ± one standard deviation; beside it the exact one."


def system_words(report: EventReport) -> str:
    """Say by which system the expected scores and changes are."""
    if report.system == "fide":
        return f"FIDE's rules of {report.parameters['rules']}"
    return f"the system {report.system}"


def norm_table(verdicts: Sequence[tuple[str, Verdict]]) -> pl.DataFrame:
    """Return a row for every verdict: who, which title, the score and what would have been enough."""
    several = len({event for event, _ in verdicts}) > 1
    rows = [
        {
            **({"event": event} if several else {}),
            "player": v.player,
            "norm": v.title,
            "points": v.score,
            "games": v.games,
            "score needed": v.points_needed,
            "left out": "; ".join(n for n in v.notes if "ignored" in n),
        }
        for event, v in verdicts
    ]
    frame = pl.DataFrame(rows, infer_schema_length=None)
    return frame.drop("left out") if not any(row["left out"] for row in rows) else frame


def pairing_sheet(games: Games, ratings: Mapping[int, Any], only: int | None = None) -> list[PageSection]:
    """Return a section for every round, or for one: board, players with their points so far, result."""
    names = games.players["name"].to_list()
    titles = games.players["title"].to_list()
    before = {p: {r.round: r.points for r in e.rounds} for p, e in event_field(games).entrants.items()}
    rounds: dict[int, list[tuple[int, int | None, str]]] = {}
    number = pl.col("round").str.extract(r"^(\d{1,6})").cast(pl.Int64)
    columns = games.table.select("white", "black", "score", "black_score", "status")
    for at in sorted(games.table.select(number).to_series().drop_nulls().unique()):
        if only in (None, at):
            rows = columns[board_order(games, at)].iter_rows()
            rounds[at] = [(white, black, _result(*more)) for white, black, *more in rows]

    def so_far(p: int | None, at: int) -> float | None:
        return None if p is None else sum(points for r, points in before.get(p, {}).items() if r < at)

    def called(p: int | None) -> str:
        return "" if p is None else f"{titles[p] or ''} {names[p]}".strip()

    sections = []
    for at, pairs in sorted(rounds.items()):
        table = pl.DataFrame(
            {
                "board": [str(i) if b is not None else "" for i, (_, b, _) in enumerate(pairs, start=1)],
                "white": [called(w) for w, _, _ in pairs],
                "rating": pl.Series([ratings.get(w) for w, _, _ in pairs], dtype=pl.Float64),
                "points": pl.Series([so_far(w, at) for w, _, _ in pairs], dtype=pl.Float64),
                "result": [text for _, _, text in pairs],
                "points ": pl.Series([so_far(b, at) for _, b, _ in pairs], dtype=pl.Float64),
                "black": [called(b) for _, b, _ in pairs],
                "rating ": pl.Series(
                    [None if b is None else ratings.get(b) for _, b, _ in pairs], dtype=pl.Float64
                ),
            }
        )
        digits = {"rating": 0, "rating ": 0, "points": 1, "points ": 1}
        sections.append(PageSection(f"Round {at}", table=table, digits=digits))
    return sections


def player_cards(report: EventReport, games: Games) -> list[PageSection]:
    """Return a section for every player, best first: every round with opponent, rating, result and running score."""
    entrants = event_field(games).entrants
    ratings = _ratings(report)
    names = games.players["name"].to_list()
    result = []
    for row, one in zip(report.rows, report.players.to_dicts(), strict=True):
        entrant: RoundEntrant = entrants[row]
        running = 0.0
        lines = []
        for r in entrant.rounds:
            running += r.points
            lines.append(
                {
                    "round": str(r.round),
                    "colour": r.colour,
                    "opponent": names[r.opponent] if r.opponent is not None else "",
                    "rating": ratings.get(r.opponent) if r.opponent is not None else None,
                    "result": _card_result(r),
                    "sum": f"{running:g}",
                }
            )
        facts = [
            f"place {one['rank']}",
            f"{one['points']:g} points",
            f"rating {one['rating']:.0f}" if one["rating"] is not None else "unrated",
            f"performance {one['performance']:.0f}" if one["performance"] is not None else "",
            f"change {cell('change', one['change'], DIGITS)}" if one["change"] is not None else "",
        ]
        heading = " ".join(str(p) for p in (one["title"], one["name"], one["federation"]) if p)
        words = "; ".join(f for f in facts if f) + "."
        schema = {"rating": pl.Float64}
        table = pl.DataFrame(lines, schema_overrides=schema, infer_schema_length=None)
        result.append(PageSection(heading, table=table, words=words, digits={"rating": 0}))
    return result


def _standings(table: pl.DataFrame, words: str) -> PageSection:
    """Return the standings; points and tie-breaks in halves have one decimal, other tie-breaks two."""
    codes = [c for c in table.columns if c.isupper() or c == "points"]
    halves = {c: 1 for c in codes if (table[c] * 2 == (table[c] * 2).round(0)).fill_null(True).all()}
    return PageSection(
        "Standings",
        table=table.rename(NAMES, strict=False),
        words=words,
        digits={**DIGITS, "Rp": 0, **halves},
    )


def _ratings(report: EventReport) -> dict[int, float | None]:
    return dict(zip(report.rows, report.players["rating"], strict=True))


def _result(score: float | None, black_score: float | None, status: str) -> str:
    if status == "bye":
        return f"bye {RESULTS.get(score or 0.0, score)}"
    if status == "unplayed" or score is None:
        return ""
    own, theirs = (RESULTS.get(s, f"{s:g}") for s in (score, black_score or 0.0))
    if status == "forfeit":
        own, theirs = ("+" if s else "-" for s in (score, black_score))
    return f"{own} : {theirs}"


def _card_result(r: RoundScore) -> str:
    if r.opponent is None:
        return "bye" if r.points else ""
    return RESULTS.get(r.share, f"{r.share:g}") if r.played else "+" if r.points else "-"


def _norm_section(made: tuple[Verdict, ...]) -> PageSection:
    if not made:
        return PageSection("Norms", words="Nobody made a title norm.")
    words = (
        f"By FIDE's title regulations of {made[0].rules}; score needed: the points that would have sufficed."
    )
    return PageSection(
        "Norms", table=norm_table([("", v) for v in made]), words=words, digits={"score needed": 1}
    )


LABEL, FIELD = 7.5, 9.5
"""Points of print of a field's name and of what stands in it."""
LINE = "_" * 34


def certificates(
    games: Games,
    *,
    setting: Setting | None = None,
    titles: Sequence[str] | None = None,
    players: Sequence[int] | None = None,
    rules: NormRules = TODAY,
) -> tuple[bytes, int]:
    """Return a PDF with a certificate (IT1) for every norm that was made, a page each, and their number.

    Of several titles that a player's games are a norm for, each has its certificate; who holds a title needs
    none for it.
    """
    judge = Judge(games, rules, setting or Setting())
    verdicts = norms(games, players, titles, rules=rules, setting=setting)
    made = [v for v in verdicts if v.passed and v.row is not None and v.title in sought(judge.field, v.row)]
    from arpad.publish.pdf import PdfSheet

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
    from arpad.publish.pdf import PdfSheet

    sheet = PdfSheet("IT3 Tournament report form")
    sheet.write("IT3  Tournament report", 15, bold=True)
    sheet.space(4)
    _event_fields(sheet, games)
    playing = sorted(set(games.table["white"]) | set(games.table["black"].drop_nulls()))
    people = [games.player(p) for p in playing]
    rated = len(known_ratings(games).keys() & set(playing))
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
    rating = known_ratings(games).get(verdict.row, player.rating)
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
        ("Rating", "" if rating is None else f"{rating:.0f}"),
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
    days = games.table.filter(pl.col("precision") == "day")["date"]
    first, last = event.start or days.min(), event.end or days.max()
    _fields(sheet, ("Tournament", event.name))
    _fields(
        sheet,
        ("Place", event.site or ""),
        ("Federation", event.federation or ""),
        ("Begin", str(first or "")),
        ("End", str(last or "")),
    )
    _fields(
        sheet,
        ("Kind", event.kind or kind_of(games)),
        ("Rounds", str(rounds_of(games) or "")),
        ("Time control", event.time_control or ""),
    )
    _fields(sheet, ("Chief arbiter", event.arbiter or ""), ("Deputies", ", ".join(event.deputies)))


def _fields(sheet: PdfSheet, *pairs: tuple[str, str]) -> None:
    """Write fields beside one another: the name of each above what stands in it, and a line below."""
    from arpad.publish.pdf import LEADING, MARGIN

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
    from arpad.publish.pdf import table_grid

    sheet.table(table_grid(PageSection("", table=table, digits={"rating": 0}), sheet), largest=8.5)
    sheet.space(6)


def _signatures(sheet: PdfSheet, *people: str) -> None:
    sheet.space(22)
    for one in people:
        sheet.write(f"{one}: {LINE}   Date: {'_' * 14}", FIELD)
        sheet.space(14)
