"""`arpad norms`: who made a title norm, and what the others still need."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Optional, cast, get_args

import typer

from arpad.cli.output import FormatOption, OutputOption, emit, say
from arpad.cli.reading import (
    ColumnsOption,
    FilesArgument,
    InputFormatOption,
    ReportOption,
    StrictOption,
    check_any_played,
    read_files,
    reading_document,
    write_report,
)
from arpad.errors import UsageError

if TYPE_CHECKING:
    from arpad.event.norm_field import Opponent
    from arpad.event.norm_outlook import Outlook
    from arpad.event.norm_rules import EventKind, Setting
    from arpad.event.verdict import Verdict
    from arpad.model import Games

__all__ = ["add_to"]

Text = Optional[str]  # noqa: UP045 - Typer reads the annotation


def add_to(app: typer.Typer) -> None:
    """Register the verb."""
    app.command()(norms)


def norms(
    files: FilesArgument,
    player: Annotated[
        Text, typer.Option(help="One player, by name, part of it, or id: every requirement.")
    ] = None,
    title: Annotated[
        Text,
        typer.Option(
            help="Only this title: GM, IM, WGM, WIM; uscf1994: 'Senior Master' … or a level, 2100."
        ),
    ] = None,
    rules: Annotated[
        str,
        typer.Option(help="The regulations: today (2024-01), 1986, 1957 or uscf1994 (the USCF's)."),
    ] = "today",
    event_kind: Annotated[
        str,
        typer.Option(
            "--event-kind",
            help="Exceptions: ordinary, team, world-cup, national, national-team or zonal.",
        ),
    ] = "ordinary",
    list_file: Annotated[
        Text,
        typer.Option(
            "--list",
            help="A FIDE rating list, or CSV with player, rating, title, federation, sex, for what the file does not say.",
        ),
    ] = None,
    rounds: Annotated[
        Optional[int],  # noqa: UP045
        typer.Option(help="Rounds in all, if the file does not say.", min=1, max=99),
    ] = None,
    next_opponents: Annotated[
        Text,
        typer.Option(
            "--next-opponents",
            help="Whom --player meets next: 2500,2480 or with title and federation, '2500 GM GER,2480'.",
        ),
    ] = None,
    everything: Annotated[
        bool,
        typer.Option("--all", help="Also titles that a player holds, and women's for anybody."),
    ] = False,
    columns: ColumnsOption = None,
    input_format: InputFormatOption = None,
    strict: StrictOption = False,
    report: ReportOption = None,
    format: FormatOption = None,
    output: OutputOption = None,
) -> None:
    """Judge title norms, requirement by requirement, and say what is still needed.

    arpad norms open.trf

    arpad norms open.trf --player Mirzoev --title GM --next-opponents 2500,2480

    arpad norms crosstable.csv --rules uscf1994
    """
    from arpad.cli import norm_views as views
    from arpad.event.norm_people import find_player, one_event
    from arpad.event.norm_registry import judge_called

    setting = _setting(event_kind, rounds)
    judge = judge_called(rules, setting)
    if next_opponents is not None and player is None:
        raise UsageError("--next-opponents: name the player with --player")
    reading = read_files(files, columns=columns, format=input_format, strict=strict)
    check_any_played(reading, forfeits=True)
    games = reading.games if list_file is None else _filled(reading.games, list_file, strict=strict)
    row = None if player is None else find_player(games, player)
    wanted = None if title is None else (title.upper(),)
    verdicts: list[tuple[str, Verdict]] = []
    outlooks: list[tuple[str, Outlook]] = []
    titles = wanted or (_all_titles(rules) if everything else None)
    for part in one_event(games):
        here = None if row is None else part.row(row)
        if row is not None and (here is None or not _took_part(part.games, here)):
            continue
        found = judge(part.games, None if here is None else [here], titles)
        verdicts += [(part.name, v) for v in found]
        ahead = _outlooks(rules, setting, part.games, here, titles, next_opponents)
        outlooks += [(part.name, o) for o in ahead]
    write_report(reading, report)
    if row is not None and not verdicts:
        say(_nothing_sought(games, row))
    emit(
        format,
        output,
        people=lambda: views.people(verdicts, outlooks, alone=row is not None),
        rows=lambda: views.rows(verdicts),
        document=lambda: (
            views.document(verdicts, outlooks, rules, setting) | reading_document(reading)
        ),
    )
    if row is not None and wanted is not None and not any(v.passed for _, v in verdicts):
        raise typer.Exit(1)


def _setting(kind: str, rounds: int | None) -> Setting:
    from arpad.event.norm_rules import EventKind, Setting

    if kind not in get_args(EventKind):
        raise UsageError(
            f"--event-kind: expected one of {', '.join(get_args(EventKind))}; found {kind!r}"
        )
    return Setting(event_kind=cast("EventKind", kind), rounds=rounds)


def _filled(games: Games, file: str, *, strict: bool) -> Games:
    from arpad.event.norm_people import with_list
    from arpad.read import Report, read_list

    filled, known = with_list(games, read_list(file, report=Report(strict=strict)))
    total = games.players.height
    if known < total:
        say(
            f"{total - known} of {total} players are not in {file}: of them only the file of games speaks"
        )
    return filled


def _took_part(games: Games, row: int) -> bool:
    table = games.table
    return bool(((table["white"] == row) | (table["black"] == row)).any())


def _all_titles(rules: str) -> tuple[str, ...] | None:
    from arpad.event import uscf_titles, uscf_verdicts
    from arpad.event.norm_rules import NORM_RULES, TITLES

    if rules == uscf_verdicts.RULES:
        return tuple(t.name for t in uscf_titles.TITLES)
    return TITLES if rules == "today" or rules in NORM_RULES else None


def _nothing_sought(games: Games, row: int) -> str:
    name, held = games.players["name"][row], games.players["title"][row]
    if held:
        return f"{name} holds the title {held}: there is none to seek (--all judges all the same)"
    return f"{name} has no pairings in these files"


def _outlooks(
    rules: str,
    setting: Setting,
    games: Games,
    row: int | None,
    titles: tuple[str, ...] | None,
    given: str | None,
) -> list[Outlook]:
    """Return what is still needed, where the event is not over and its rules are FIDE's."""
    from arpad.event.norm_outlook import outlook
    from arpad.event.norm_rules import NORM_RULES, norm_rules
    from arpad.event.norms import Judge, sought

    if rules != "today" and rules not in NORM_RULES:
        if given is not None:
            raise UsageError(f"--next-opponents: the rules {rules} give no outlook: leave it out")
        return []
    judge = Judge(games, norm_rules(rules), setting)
    opponents = _opponents(given) if given is not None and row is not None else ()
    if row is not None and len(opponents) > judge.field.left(row):
        raise UsageError(
            f"--next-opponents: expected at most {judge.field.left(row)}, for the rounds that are left of "
            f"{judge.field.rounds} (--rounds says otherwise); found {len(opponents)}"
        )
    found = [
        outlook(judge, p, title, opponents=opponents)
        for p in (judge.players() if row is None else [row])
        for title in titles or sought(judge.field, p)
    ]
    return [o for o in found if o is not None]


def _opponents(text: str) -> tuple[Opponent, ...]:
    from arpad.event.norm_field import Opponent

    found = []
    for part in text.split(","):
        words = part.split()
        if not words or not words[0].isdecimal() or len(words) > 3 or not int(words[0]):
            raise UsageError(
                f"--next-opponents: expected ratings such as 2500,2480 or '2500 GM GER', found {part!r}"
            )
        names = [w.upper() for w in words[1:]]
        known = [n for n in names if n in ("GM", "IM", "WGM", "WIM", "FM", "WFM", "CM", "WCM")]
        others = [n for n in names if n not in known]
        found.append(
            Opponent(
                rating=float(words[0]),
                title=known[0] if known else None,
                federation=others[0] if others else None,
            )
        )
    return tuple(found)
