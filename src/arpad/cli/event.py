"""`arpad event`: one event file to its report."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Annotated, Literal, cast, get_args

import typer

from arpad.cli.options import GameFiles, check_any_played, system_names
from arpad.cli.output import (
    FormatOption,
    OutputFormat,
    OutputOption,
    emit,
    no_longer_working,
    reading_document,
    say,
    width,
)
from arpad.cli.tournament_app import AppSwitches
from arpad.cli.tournament_app import only as chosen_event
from arpad.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    import polars as pl

    from arpad.cli.tournament_app import Apps
    from arpad.event.forecast import Finish, Race
    from arpad.event.handicap import HandicapStandings
    from arpad.event.performance import Method
    from arpad.event.report import EventReport
    from arpad.model import Games
    from arpad.publish.output import PageSection


FORECAST_DIGITS = {
    "rating": 0,
    "expected": 1,
    "sigma": 1,
    "first": 3,
    "second": 3,
    "third": 3,
    "place": 1,
    "points_for_first": 1,
}
MOST_PLACES = 5
"""Places that are said to differ; the JSON has all of them."""
PRA_LEVEL = "Players level on points are ordered by P-Zero performance, then by G-score (PRA)"
SHOWN = (
    *("rank", "name", "rating", "points", "games", "performance", "performance_error", "score"),
    *("expected", "change"),
)
AFTER = ("after", "status")
"""Columns of systems other than FIDE's."""
MOST_EVENTS = 30
"""Events in the files that are each reported; more are reported as one."""


def event(  # noqa: C901, PLR0912, PLR0915
    source: GameFiles,
    method: Literal["fide", "exact", "table", "normal", "linear", "small-sample", "uscf1994"] | None = None,
    system: Annotated[str, typer.Option(autocompletion=system_names)] = "fide",
    rules: str | None = None,
    option: list[str] | None = None,
    before: str | None = None,
    handicap: Literal["auto", "brasket", "expected", "round-robin", "swiss"] | None = None,
    scratch: str | None = None,
    only: Annotated[str | None, typer.Option(metavar="NAME")] = None,
    tie_break: str = "usual",
    tie_break_rules: str | None = None,
    after: Annotated[int | None, typer.Option(min=1)] = None,
    forecast: bool = False,
    fit: bool = False,
    chart: str | None = None,
    sections: str | None = None,
    pair: str | None = None,
    results: str | None = None,
    html: str | None = None,
    pdf: str | None = None,
    *,
    app: AppSwitches,
    format: FormatOption = None,
    output: OutputOption = None,
) -> None:
    """Report on one event: crosstable, standings, performances, rating changes, norms.

    arpad event open.trf

    arpad event open.trf --tie-break BH-C1,BH,SB,DE --after 5

    arpad event open.trf -o wall.pdf --sections standings,pairings --after 5

    arpad event crosstable.csv --system uscf1994 --before list.csv

    arpad event LasPalmas1996.pgn --fit --number-two 2775 --chart fit.png

    method: Method of the performance ratings. [fide; uscf1994 with --system uscf1994]
    system: The rating system for W_e and rating changes, such as fide, uscf1994 or elo; arpad rate --help lists all.
    rules: fide: today, 2025-10, 2024-03, 2022-01, 2014-07, 1986; rapid is for rapid and blitz. [today, and 1986 for events before July 2014]
    option: Any other option of the system, NAME=VALUE (provisional=greater); repeatable.
    before: Ratings before the event: a FIDE list, or a CSV file with player and rating.
    handicap: Also print standings with handicaps by this method.
    scratch: For --handicap, the rating that gets no handicap: a number, top or top-three.
    only: If the files have several events: the one whose name contains this.
    tie_break: FIDE's tie-breaks in order, such as BH-C1,BH,SB,DE; usual (the file's own, otherwise the common ones); or pra (performance by P-Zero scores, then G-score).
    tie_break_rules: Rules for unplayed rounds: 2026-03, 2024-08, 2009, 2005 or plain. [by the event's first day]
    after: Report on the event as it was after round N.
    forecast: Forecast the final places and what each player needs; for an event that is over, show what the ratings predicted.
    fit: Print PRA's Tournament App: P-Zero scores, fit of the ratings, G-scores.
    chart: Write a chart of ratings over P-Zero scores, .png or .svg.
    sections: Sections of the page or PDF, in your order: standings, teams, crosstable, pairings, performances, tie-breaks, norms, fit, handicap, forecast, cards.
    pair: Pair the next round by FIDE's Dutch system, print the pairings, and write the event with them to this .trf file.
    results: With --pair: results of the open round, board by board: 1 0 = for White, + - x for forfeits.
    html: Write a report for the browser, .html.
    pdf: Write sheets to print, .pdf: standings first.
    """
    from arpad.cli.options import given_options
    from arpad.cli.tournament_app import app_chart, run_app, with_app
    from arpad.event.norms.field import one_event
    from arpad.event.performance import Method
    from arpad.event.report import RULES_1986, until_round, with_ratings
    from arpad.event.report import report as make
    from arpad.event.tiebreaks import RULES
    from arpad.rate.registry import system as system_called
    from arpad.read.reading import read_list

    if tie_break_rules is not None and tie_break_rules not in RULES:
        raise UsageError(f"--tie-break-rules: expected one of {', '.join(RULES)}; found {tie_break_rules!r}")
    method = method or ("uscf1994" if system == "uscf1994" else "fide")
    if method not in get_args(Method):
        raise UsageError(f"--method: expected one of {', '.join(get_args(Method))}; found {method!r}")
    wanted = _section_names(sections)
    fit = fit or "fit" in wanted
    forecast = forecast or "forecast" in wanted
    old = system == "fide" and rules == RULES_1986
    options = given_options(system, option or []) | ({} if rules is None or old else {"rules": rules})
    chosen = system_called(system, **options)
    by_day = system == "fide" and not options
    earlier = None if before is None else read_list(before)
    app_settings = app.checked(tie_break=tie_break, full=fit)
    if output is not None and output.lower().endswith((".pdf", ".html")):
        pdf, html = (pdf, output) if output.lower().endswith(".html") else (output, html)
        quiet, output = True, None
    else:
        quiet = False
    reading = source.read_files(source.files)
    if results is not None and pair is None:
        raise UsageError("--results: expected --pair FILE too, which says where to write the event")
    if pair is not None:
        _pair(chosen_event(reading.games, only), after, pair, results, html, pdf)
        return
    check_any_played(reading, forfeits=True)
    games = chosen_event(reading.games, only)
    as_json = (
        format is OutputFormat.json
        or (output or "").lower().endswith((".json", ".csv"))
        or format is OutputFormat.csv
    )
    with_fit = fit or as_json or app_settings.needs_app or chart is not None
    say_fit = fit or app_settings.needs_app

    def one(part: Games) -> OneEvent:
        so_far = part if after is None else until_round(part, after)
        apps = run_app(so_far, app_settings, earlier) if with_fit else None
        single = None if apps is None else apps.single
        places = None
        if single is not None and app_settings.pra_tie_break:
            places = {s.row: s.rank for s in single.report.standings}
        made = make(
            part,
            method=method,
            tie_breaks=None if tie_break in ("usual", "pra") else tie_break,
            tie_break_rules=tie_break_rules,
            after=after,
            system=RULES_1986 if old else None if by_day else chosen,
            before=earlier,
            places=places,
        )
        own = dict(zip(made.rows, made.players["rating"], strict=True))
        level = part if earlier is None else with_ratings(part, own)
        return OneEvent(
            report=made,
            games=so_far,
            whole=part,
            after=after,
            apps=apps if say_fit else None,
            level=PRA_LEVEL if places is not None else "",
            official=tuple(_official(made, part)),
            handicap=_handicap(level, handicap, scratch, made.method),
            finish=_forecast(part, after, own) if forecast else None,
        )

    parts = one_event(games)
    games = parts[0].games if len(parts) == 1 else games
    several = 1 < len(parts) <= MOST_EVENTS
    if len(parts) > 1:
        how = "each is reported by itself" if several else "they are reported as one"
        say(f"{len(parts)} events: {how}; --only NAME reports on one of them")
    whole = None if several and not as_json else one(games)
    events = [one(part.games) for part in parts] if several else [cast("OneEvent", whole)]
    source.tell(reading)
    for note in dict.fromkeys(note for e in events for note in e.report.notes):
        say(note)
    if by_day and not old:
        _propose_rules(games, chosen.parameters().get("rules"))
    apps = None
    if as_json or chart is not None or len(parts) > 1:
        apps = run_app(games if after is None else until_round(games, after), app_settings, earlier)
    if chart is not None and apps is not None:
        app_chart(apps, chart)
    if html is not None or pdf is not None:
        _write_sheets(events, wanted, html, pdf)
    if quiet:
        return
    emit(
        format,
        output,
        people=lambda: [line for e in events for line in _lines(e, blank=e is not events[0])],
        rows=lambda: with_app(cast("OneEvent", whole).report, cast("Apps", apps)),
        document=lambda: (
            _document(cast("OneEvent", whole), cast("Apps", apps), events if several else [])
            | reading_document(reading)
        ),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class OneEvent:
    """One event with everything that was asked of it."""

    report: EventReport
    games: Games
    """Up to the round of the report."""
    whole: Games
    after: int | None
    apps: Apps | None
    level: str
    official: tuple[str, ...]
    handicap: HandicapStandings | None
    finish: Finish | Race | None


def _pair(
    games: Games, after: int | None, path: str, results: str | None, html: str | None, pdf: str | None
) -> None:
    """Enter results and pair the next round, if there is one: write the file and print the sheet."""
    from arpad.event.field import known_ratings
    from arpad.event.report import until_round
    from arpad.event.tiebreaks import event_field
    from arpad.files import write_text
    from arpad.publish.event_sheets import pairing_sheet
    from arpad.publish.export.trf import enter_results, pair_next_round, trf_text
    from arpad.publish.output import page
    from arpad.publish.tables import as_text, fitted, rich_table

    if pdf is not None:  # a part that is not installed is named before anything is written
        from arpad.publish.pdf import pdf as print_pdf
        from arpad.publish.pdf import write_pdf

    games = games if after is None else until_round(games, after)
    if results is not None:
        games = enter_results(games, results)
        planned = games.events[0].rounds if games.events else None
        if planned is not None and event_field(games).rounds >= planned:
            write_text(path, trf_text(games)[0])
            say(f"{path}: all {planned} rounds are played")
            return
    paired, number = pair_next_round(games)
    (sheet,) = pairing_sheet(paired, known_ratings(paired), only=number)
    title = paired.events[0].name if paired.events else "Event"
    write_text(path, trf_text(paired)[0])
    if html is not None:
        write_text(html, page(title, "", [sheet]))
    if pdf is not None:
        write_pdf(pdf, print_pdf(title, [], [sheet]))
    assert sheet.table is not None
    table = rich_table(fitted(sheet.table, width(), sheet.digits), title=sheet.heading, digits=sheet.digits)
    no_longer_working()
    typer.echo(as_text(table), nl=False)


def _section_names(text: str | None) -> tuple[str, ...]:
    from arpad.publish.event_sheets import SECTIONS

    names = tuple(n.strip().casefold() for n in (text or "").split(",") if n.strip())
    for name in names:
        if name not in SECTIONS:
            raise UsageError(f"--sections: expected some of {', '.join(SECTIONS)}; found {name!r}")
    return names


def _propose_rules(games: Games, used: object) -> None:
    """Say which rules held when the event began, where those used are younger."""
    from arpad.rate.fide.rules import RULES

    starts = [e.start for e in games.events if e.start is not None]
    day = min(starts) if starts else games.table["date"].min()
    rules = RULES.get(str(used))
    if day is None or rules is None or str(day) >= rules.since:
        return
    classical = sorted((r for r in RULES.values() if "rapid" not in r.name), key=lambda r: r.since)
    older = [r.name for r in classical if r.since <= str(day)]
    if older:
        said = f"before the rules of {rules.name} held: --rules {older[-1]} gives those of its day"
    else:
        said = "before FIDE's rules of 2014: W_e and change are by those of 1986, the oldest known here"
    say(f"the event began on {day!s}, {said}")


def _write_sheets(
    events: Sequence[OneEvent], wanted: tuple[str, ...], html: str | None, pdf: str | None
) -> None:
    """Write the sections as a page and as PDF; of several events one after another."""
    from arpad.files import write_text
    from arpad.publish.event_sheets import PAGE, PRINT, event_details
    from arpad.publish.output import page

    first = events[0]
    title = first.report.name if len(events) == 1 else f"{len(events)} events"

    def details(e: OneEvent) -> list[str]:
        return event_details(e.report, e.games, after=e.after)

    for path, usual in ((html, PAGE), (pdf, PRINT)):
        if path is None:
            continue
        sections = []
        for e in events:
            # What a comparison with the file's own places says is no news for the wall.
            shown = e if path == html else replace(e, official=())
            own = [s for name in wanted or _usual(usual, e) for s in _section(shown, name)]
            if len(events) > 1 and own:
                own[0] = replace(
                    own[0], heading=f"{e.report.name}: {own[0].heading}", points=(*own[0].points, *details(e))
                )
            sections += own
        lines = details(first) if len(events) == 1 else []
        if path == html:
            write_text(path, page(title, "; ".join(lines), sections))
        else:
            from arpad.publish.pdf import pdf as print_pdf
            from arpad.publish.pdf import write_pdf

            write_pdf(path, print_pdf(title, lines, sections))


def _usual(names: tuple[str, ...], e: OneEvent) -> tuple[str, ...]:
    """Return the sections that nobody named: the usual ones, and what an option asks for."""
    more = {"fit": e.apps, "handicap": e.handicap, "forecast": e.finish}
    return (*names, *(name for name, value in more.items() if value is not None))


def _section(e: OneEvent, name: str) -> list[PageSection]:
    from arpad.cli.tournament_app import app_sections
    from arpad.publish.event_sheets import event_section, pairing_sheet
    from arpad.publish.output import PageSection

    if name == "fit" and e.apps is not None:
        return app_sections(e.apps)
    if name == "handicap" and e.handicap is not None:
        words, digits = " ".join(_handicap_sentences(e.handicap)), _handicap_digits(e.handicap)
        return [PageSection("Handicap standings", table=e.handicap.table(), words=words, digits=digits)]
    if name == "forecast" and e.finish is not None:
        words = f"{e.finish.summary()}."
        return [PageSection("Forecast", table=e.finish.table(), words=words, digits=FORECAST_DIGITS)]
    if name == "pairings" and e.after is not None:
        ratings = dict(zip(e.report.rows, e.report.players["rating"], strict=True))
        ahead = pairing_sheet(e.whole, ratings, only=e.after + 1)
        if ahead:
            return ahead
    return event_section(name, e.report, e.games, level=e.level, official=e.official)


def _lines(e: OneEvent, *, blank: bool) -> list[object]:
    """Return what a person sees of one event."""
    from arpad.cli.tournament_app import app_parts
    from arpad.publish.event_sheets import DIGITS, performance_words, system_words
    from arpad.publish.tables import fitted, rich_table

    made = e.report
    square = fitted(made.crosstable.table(), width(), DIGITS)
    standings = fitted(_standings(made), width(), DIGITS)
    lines: list[object] = [
        *([""] if blank else []),
        made.summary(),
        "",
        rich_table(square, title="Crosstable", digits=DIGITS),
        "",
        rich_table(standings, title="Standings", digits=DIGITS),
        "",
        f"{performance_words(made)} W_e and change by {system_words(made)}.",
        f"{e.level}." if e.level else made.tie_break_words(),
        *e.official,
    ]
    if made.teams is not None:
        lines += ["", rich_table(made.teams.table(), title="Teams"), "", made.teams.describe()]
    if e.finish is not None:
        table = rich_table(
            fitted(e.finish.table(), width(), FORECAST_DIGITS), title="Forecast", digits=FORECAST_DIGITS
        )
        lines += ["", table, "", f"{e.finish.summary()}.", *(f"{note}." for note in e.finish.notes)]
    lines += [*_forfeits(made), *_norm_line(made)]
    if e.handicap is not None:
        digits = _handicap_digits(e.handicap)
        table = rich_table(
            fitted(e.handicap.table(), width(), digits), title="Handicap standings", digits=digits
        )
        lines += ["", table, "", *_handicap_sentences(e.handicap)]
    return lines if e.apps is None else [*lines, *app_parts(e.apps)]


def _standings(report: EventReport) -> pl.DataFrame:
    """Return the standings with the tie-breaks that decide behind the points."""
    wanted: tuple[str, ...] = SHOWN if report.system == "fide" else (*SHOWN, *AFTER)
    own = ("rank", "title", "federation", "name", "rating", "points", "performance", "k", "change")
    codes = report.standings_table().drop(own, strict=False)
    shown = report.table().hstack(codes)
    at = wanted.index("points") + 1
    wanted = (*wanted[:at], *codes.columns, *wanted[at:])
    return shown.select(c for c in wanted if c in shown.columns)


def _forecast(games: Games, after: int | None, ratings: dict[int, float | None]) -> Finish | Race:
    """Return the chances before the rounds to come, or of an event that is over what was to be expected."""
    from arpad.event.forecast import finish, race

    return race(games, after=after, ratings=ratings) or finish(games)


def _official(report: EventReport, games: Games) -> list[str]:
    """Compare with the places in the file, and say which order explains them where this one does not."""
    if report.official is None:
        return []
    if report.official.explained:
        return [report.official.describe()]
    from arpad.event.report import explain_ranks

    ratings = {p: R for p, R in zip(report.rows, report.players["rating"], strict=True) if R is not None}
    best = explain_ranks(games, ratings=ratings)
    lines = [report.official.describe()]
    shown = report.official
    if best is not None and len(best.contradictions) < len(shown.contradictions):
        lines.append(f"Closest to the file: {best.describe()}")
        shown = best
    return lines + [place.describe() for place in shown.contradictions[:MOST_PLACES]]


def _norm_line(report: EventReport) -> list[object]:
    """Return the norms on one line; nothing where nobody can know."""
    if report.norms_made is None:
        return []
    made = ", ".join(f"{v.player} {v.title} ({v.score:g}/{v.games})" for v in report.norms_made)
    return [f"Norms: {made or 'nobody made one'} (arpad norms says why)."]


def _forfeits(report: EventReport) -> list[str]:
    """Say what the marks of forfeits mean, where there are some."""
    rows = report.crosstable.rows
    cells = [
        str(v) for c in rows.columns if str(rows.schema[c]) == "String" and c != "player" for v in rows[c]
    ]
    if report.crosstable.square:
        return ["* by forfeit."] if any("*" in c for c in cells) else []
    marked = any(c.startswith(("+", "-")) or ", +" in c or ", -" in c for c in cells)
    return ["+n and -n: won and lost by forfeit against number n."] if marked else []


def _document(e: OneEvent, apps: Apps, several: Sequence[OneEvent]) -> dict[str, object]:
    """Return everything for JSON; of several events the whole, and in `events` each by itself."""
    from arpad.cli.tournament_app import app_document, with_app

    app = app_document(apps)
    made = _event_document(e.report)
    each = cast("list[dict[str, object]]", app.get("events") or [])
    for own, one in zip(each, several, strict=False):
        own |= {k: v for k, v in _event_document(one.report).items() if k not in own}
    return {
        **made,
        **app,
        "notes": [*e.report.notes, *cast("list[str]", app["notes"])],
        "players": with_app(e.report, apps).to_dicts(),
        **_handicap_document(e.handicap),
        **({} if e.finish is None else {"forecast": e.finish.as_rows()}),
    }


def _event_document(report: EventReport) -> dict[str, object]:
    from arpad.cli.norms import norm_document

    return {
        "event": report.name,
        "site": report.site,
        "kind": report.kind,
        "games": report.games,
        "average": report.average,
        "category": report.category,
        "system": report.system,
        "parameters": report.parameters,
        "tie_break_order": list(report.tie_break_order),
        "tie_break_rules": None if report.ranking is None else report.ranking.rules,
        "tie_break_source": "pra" if report.ranking is None else report.ranking.source,
        "standings": report.standings(),
        "teams": None if report.teams is None else report.teams.rows(),
        "team_tie_break_order": [] if report.teams is None else list(report.teams.codes),
        "official_ranks": None if report.official is None else asdict(report.official),
        "crosstable": report.crosstable.rows.to_dicts(),
        "norms": None if report.norms_made is None else [norm_document(v) for v in report.norms_made],
    }


def _handicap(
    games: Games, handicap: str | None, scratch: str | None, method: Method
) -> HandicapStandings | None:
    """Return the handicap standings, where --handicap is given."""
    if handicap is None:
        if scratch is not None:
            raise UsageError("--scratch is for --handicap: give both, as in --handicap auto")
        return None
    from arpad.cli.performance import scratch_of
    from arpad.event.handicap import HandicapMethod, handicap_standings

    if handicap not in get_args(HandicapMethod):
        raise UsageError(
            f"--handicap: expected one of {', '.join(get_args(HandicapMethod))}; found {handicap!r}"
        )
    return handicap_standings(
        games,
        method=handicap,  # type: ignore[arg-type]
        scratch=scratch_of(scratch),
        performance_method=method,
    )


def _handicap_document(standings: HandicapStandings | None) -> dict[str, object]:
    if standings is None:
        return {}
    advice = standings.advice
    return {
        "handicap": {
            "method": standings.method,
            "scratch": standings.scratch,
            "parameters": standings.parameters,
            "worth_it": None if advice is None else advice.handicap,
            "notes": list(standings.notes),
            "players": standings.players.to_dicts(),
        }
    }


def _handicap_sentences(standings: HandicapStandings) -> list[str]:
    lines = [f"{standings.summary()}.", *(f"Note: {note}." for note in standings.notes)]
    if standings.advice is not None:
        text = standings.advice.summary()
        lines.append(f"{text[:1].upper()}{text[1:]}.")
    return lines


def _handicap_digits(standings: HandicapStandings) -> dict[str, int]:
    digits = {"brasket": 0, "expected": 2}.get(standings.method, 1)
    whole = ("rating", "performance", "performance_error", "level")
    return {**dict.fromkeys(whole, 0), "handicap": digits, "total": digits}
