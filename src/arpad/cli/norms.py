"""`arpad norms`: who made a title norm, and what the others still need."""

from __future__ import annotations

from dataclasses import asdict, astuple
from functools import partial
from typing import TYPE_CHECKING, Annotated, Literal, cast, get_args

import typer

from arpad.cli.options import GameFiles
from arpad.cli.output import Emission, emit, ending, reading_document, say, width
from arpad.errors import UsageError
from arpad.event.norms.rules import TITLES

if TYPE_CHECKING:
    from collections.abc import Sequence

    import polars as pl

    from arpad.event.norms.checks import Outlook
    from arpad.event.norms.field import NormOpponent
    from arpad.event.norms.rules import Setting, Verdict
    from arpad.model import Games


def norms(
    source: GameFiles,
    player: str | None = None,
    title: str | None = None,
    rules: Literal["today", "2024-01", "1986", "1957", "uscf1994"] = "today",
    event_kind: Literal["ordinary", "team", "world-cup", "national", "national-team", "zonal"] = "ordinary",
    list_file: Annotated[str | None, typer.Option("--list")] = None,
    rounds: Annotated[int | None, typer.Option(min=1, max=99)] = None,
    after: Annotated[int | None, typer.Option(min=1)] = None,
    next_opponents: str | None = None,
    everything: Annotated[bool, typer.Option("--all")] = False,
    it1: str | None = None,
    it3: str | None = None,
) -> Emission:
    """Check title norms, requirement by requirement, and show what is still needed.

    arpad norms open.trf

    arpad norms open.trf --player Mirzoev --title GM --next-opponents 2500,2480

    arpad norms open.trf --after 6

    arpad norms open.trf --it1 certificates.pdf --it3 report.pdf

    arpad norms crosstable.csv --rules uscf1994

    player: Show every requirement for one player: a name, a part of it, or an id.
    title: Only this title: GM, IM, WGM, WIM; uscf1994: 'Senior Master' … or a level, 2100.
    rules: The regulations; today means those of 2024-01.
    event_kind: The kind of event, which decides about exceptions.
    list_file: A FIDE list, or a CSV file with player, rating, title, federation and sex, for data that the file lacks.
    rounds: Number of rounds, if the file lacks it.
    after: Report on the event as it was after round N.
    next_opponents: The next opponents of --player: 2500,2480, or with title and federation '2500 GM GER,2480'.
    everything: Also check titles that a player already holds, and women's titles for everybody.
    it1: Write FIDE's certificate of title result for every norm made, .pdf.
    it3: Write the tournament report on norms, .pdf.
    """
    from arpad.event.field import rounds_of
    from arpad.event.norms.fide import judge_called
    from arpad.event.norms.field import find_player, one_event
    from arpad.event.report import until_round

    if next_opponents is not None and player is None:
        raise UsageError("--next-opponents: name the player with --player")
    setting = _setting(event_kind, rounds)
    judge = judge_called(rules, setting)
    reading = source.read(forfeits=True)
    games = reading.games if list_file is None else _filled(reading.games, list_file, strict=source.strict)
    if after is not None:
        if rounds is None and len(one_event(games)) == 1:
            setting = _setting(event_kind, rounds_of(games))
            judge = judge_called(rules, setting)
        games = until_round(games, after)
    _say_if_older(games, rules)
    row = None if player is None else find_player(games, player)
    wanted = None if title is None else (title.upper(),)
    verdicts: list[tuple[str, Verdict]] = []
    outlooks: list[tuple[str, Outlook]] = []
    titles = wanted or (_all_titles(rules) if everything else None)
    for part in one_event(games):
        here = None if row is None else part.row(row)
        if row is not None and (here is None or not _took_part(part.games, here)):
            continue
        result = judge(part.games, None if here is None else [here], titles)
        verdicts += [(part.name, v) for v in result]
        ahead = _outlooks(rules, setting, part.games, here, titles, next_opponents)
        outlooks += [(part.name, o) for o in ahead]
    source.tell(reading)
    if it1 is not None or it3 is not None:
        _write_forms(games, row, setting, rules, title, it1, it3)
    if row is not None and not verdicts:
        say(_nothing_sought(games, row))
    emission = partial(
        emit,
        people=lambda: people(verdicts, outlooks, alone=row is not None),
        rows=lambda: rows(verdicts),
        document=lambda: document(verdicts, outlooks, rules, setting) | reading_document(reading),
    )
    alone = row is not None and wanted is not None
    return ending(emission, no=alone and not any(v.passed for _, v in verdicts))


def _say_if_older(games: Games, rules: str) -> None:
    """Say that an event is older than the regulations, and which older ones there are."""
    from arpad.event.norms.rules import NORM_RULES, TODAY

    chosen = TODAY if rules == "today" else NORM_RULES.get(rules)
    starts = [e.start for e in games.events if e.start is not None]
    day = min(starts) if starts else games.table["date"].min()
    began = str(day or "")
    if chosen is None or not began or began >= chosen.since:
        return
    older = "1957" if began < "1971" else "1986"
    say(
        f"the event began on {began}, before the regulations of {chosen.name} held, by which these norms are "
        f"checked: --rules {older} has the nearest that are known here"
    )


def _write_forms(
    games: Games,
    row: int | None,
    setting: Setting,
    rules: str,
    title: str | None,
    it1: str | None,
    it3: str | None,
) -> None:
    """Write the certificates and the tournament report that FIDE wants beside the rating report."""
    from arpad.event.norms.field import one_event
    from arpad.event.norms.rules import NORM_RULES
    from arpad.publish.event_sheets import certificates, tournament_report
    from arpad.publish.pdf import write_pdf

    if rules != "today" and rules not in NORM_RULES:
        raise UsageError(f"--it1 and --it3 are FIDE's forms: leave --rules {rules} out")
    parts = one_event(games)
    if len(parts) > 1:
        raise UsageError(f"--it1 and --it3 are for one event, and the files have {len(parts)}")
    titles = None if title is None else (title.upper(),)
    if it3 is not None:
        write_pdf(it3, tournament_report(parts[0].games, setting=setting))
    if it1 is not None:
        here = None if row is None else parts[0].row(row)
        players = None if here is None else [here]
        content, count = certificates(parts[0].games, setting=setting, titles=titles, players=players)
        if not count:
            raise UsageError(
                "--it1: nobody made a norm for a title to come, so there is no certificate to write"
            )
        write_pdf(it1, content)


def _setting(kind: str, rounds: int | None) -> Setting:
    from arpad.event.norms.rules import EventKind, Setting

    if kind not in get_args(EventKind):
        raise UsageError(f"--event-kind: expected one of {', '.join(get_args(EventKind))}; found {kind!r}")
    return Setting(event_kind=cast("EventKind", kind), rounds=rounds)


def _filled(games: Games, file: str, *, strict: bool) -> Games:
    from arpad.event.norms.field import with_list
    from arpad.read.reading import read_list
    from arpad.read.source import Report

    filled, known = with_list(games, read_list(file, report=Report(strict=strict)))
    total = games.players.height
    if known < total:
        say(
            f"{total - known} of {total} players are not in {file}: the file of games alone says their titles and federations"
        )
    return filled


def _took_part(games: Games, row: int) -> bool:
    table = games.table
    return bool(((table["white"] == row) | (table["black"] == row)).any())


def _all_titles(rules: str) -> tuple[str, ...]:
    from arpad.event.norms import uscf
    from arpad.event.norms import uscf as uscf_titles
    from arpad.event.norms.rules import NORM_RULES, TITLES

    if rules == uscf.RULES:
        return tuple(t.name for t in uscf_titles.TITLES)
    if rules == "1957":
        return ("GM", "IM")
    return TITLES if rules == "today" or rules in NORM_RULES else ("GM", "IM", "WGM", "IWM")


def _nothing_sought(games: Games, row: int) -> str:
    name, held = games.players["name"][row], games.players["title"][row]
    if held:
        return f"{name} holds the title {held}: there is none above it to check (--all checks it anyway)"
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
    from arpad.event.norms.checks import outlook
    from arpad.event.norms.fide import Judge, sought
    from arpad.event.norms.rules import NORM_RULES, norm_rules

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
    result = [
        outlook(judge, p, title, opponents=opponents)
        for p in (judge.players() if row is None else [row])
        for title in titles or sought(judge.field, p)
    ]
    return [o for o in result if o is not None]


def _opponents(text: str) -> tuple[NormOpponent, ...]:
    from arpad.event.norms.field import NormOpponent

    result = []
    for part in text.split(","):
        words = part.split()
        if not words or not words[0].isdecimal() or len(words) > 3 or not int(words[0]):
            raise UsageError(
                f"--next-opponents: expected ratings such as 2500,2480 or '2500 GM GER', found {part!r}"
            )
        names = [w.upper() for w in words[1:]]
        known = [n for n in names if n in ("GM", "IM", "WGM", "WIM", "FM", "WFM", "CM", "WCM")]
        others = [n for n in names if n not in known]
        result.append(
            NormOpponent(
                rating=float(words[0]),
                title=known[0] if known else None,
                federation=others[0] if others else None,
            )
        )
    return tuple(result)


# USCF norms as people see them: a row a player, a column a level.

TITLE_AT_ONCE = "T"


def by_level(made: Sequence[tuple[str, Verdict]]) -> list[object]:
    """Return how many norms everybody made at every level."""
    import polars as pl

    from arpad.event.norms.uscf import title_called
    from arpad.publish.tables import rich_table

    levels = sorted({title_called(v.title).level for _, v in made}, reverse=True)
    several = len({event for event, _ in made}) > 1
    rows: list[dict[str, object]] = []
    current, seen = None, set[str]()
    for event, v in made:
        who = (event, v.player, v.score, v.games)
        if who != current or v.title in seen:  # the same title again: a namesake with the same score
            start = {"event": event} if several else {}
            cells = dict.fromkeys(map(str, levels), "")
            rows.append({**start, "player": v.player, "points": v.score, "games": v.games, **cells})
            current, seen = who, set()
        seen.add(v.title)
        rows[-1][str(title_called(v.title).level)] = _count(v)
    frame = pl.DataFrame(rows)
    shown = _narrowed(frame, [str(level) for level in reversed(levels)])
    hidden = [level for level in levels if str(level) not in shown.columns]
    more = f"; levels below {min(set(levels) - set(hidden))} are in --format csv" if hidden else ""
    notes = dict.fromkeys(n for _, v in made for n in v.notes)
    return [
        rich_table(shown, title="Norms made, by the level of their title"),
        "",
        f"By the rules of {made[0][1].rules}: five norms of a level make its title; {TITLE_AT_ONCE}: the title at once{more}.",
        *(f"  {n}" for n in notes),
    ]


def one_player(verdicts: Sequence[tuple[str, Verdict]]) -> list[object]:
    """Return one player's verdicts, a row a title, each event by itself."""
    import polars as pl

    from arpad.publish.tables import rich_table

    parts: list[object] = []
    for event in dict.fromkeys(event for event, _ in verdicts):
        own = [v for name, v in verdicts if name == event]
        first = own[0]
        frame = pl.DataFrame(
            {
                "title": [v.title for v in own],
                "score needed": [
                    next((r.needed for r in v.requirements if r.what == "score"), "") for v in own
                ],
                "enough": pl.Series([v.points_needed for v in own], dtype=pl.Float64),
                "norms": [_count(v).replace(TITLE_AT_ONCE, "title") if v.passed else "" for v in own],
            }
        )
        failed = [r for r in first.failed() if r.what != "score"]
        parts += [
            f"{first.player}: {first.score:g}/{first.games} in {event} ({first.rules})",
            rich_table(frame, digits={"enough": 1}),
            *(f"  {r.what}: {r.found}, needed {r.needed} [{r.article}]" for r in failed),
            *(f"  {n}" for n in dict.fromkeys(n for v in own for n in v.notes)),
            "",
        ]
    return parts


def _narrowed(frame: pl.DataFrame, lowest_first: Sequence[str]) -> pl.DataFrame:
    """Leave the lowest levels out, all but one, where there is no room for them."""
    from arpad.publish.tables import GAP, cell

    room = width()
    for name in lowest_first[:-1]:
        widths = [max(len(c), *(len(cell(c, v)) for v in frame[c])) + GAP for c in frame.columns]
        if sum(widths) <= room:
            break
        frame = frame.drop(name)
    return frame


def _count(verdict: Verdict) -> str:
    from arpad.event.norms.uscf import MOST_AT_ONCE

    count = verdict.norms_at_once
    return TITLE_AT_ONCE if count == MOST_AT_ONCE else str(count)


# Norms as people, spreadsheets and programs see them.

CLOSEST = 5
"""Players named when nobody made a norm, or who may still make one."""
NAMED = 2
"""Requirements named of each of them."""
NEVER = 1e9


def rows(verdicts: Sequence[tuple[str, Verdict]]) -> pl.DataFrame:
    """Return a row for every verdict, for CSV."""
    import polars as pl

    schema = {
        **dict.fromkeys(("event", "player", "title", "rules"), pl.String),
        "score": pl.Float64,
        "games": pl.Int64,
        "passed": pl.Boolean,
        "norms": pl.Int64,
        "points_needed": pl.Float64,
        "failed": pl.String,
    }
    result = [
        {
            "event": event,
            **{k: getattr(v, k) for k in ("player", "title", "rules", "score", "games", "passed")},
            "norms": v.norms_at_once if v.passed else 0,
            "points_needed": v.points_needed,
            "failed": "; ".join(f"{r.article} {r.what} {r.found}" for r in v.failed()),
        }
        for event, v in verdicts
    ]
    return pl.DataFrame(result, schema=schema)


def norm_document(verdict: Verdict) -> dict[str, object]:
    """Return one verdict for JSON."""
    return {
        **{k: v for k, v in asdict(verdict).items() if k not in ("requirements", "notes", "row")},
        "passed": verdict.passed,
        "requirements": [asdict(r) for r in verdict.requirements],
        "notes": list(verdict.notes),
    }


def document(
    verdicts: Sequence[tuple[str, Verdict]],
    outlooks: Sequence[tuple[str, Outlook]],
    rules: str,
    setting: Setting,
) -> dict[str, object]:
    """Return everything for JSON."""
    from arpad.event.norms import uscf
    from arpad.event.norms.rules import NORM_RULES, norm_rules
    from arpad.event.norms.uscf import NormSchedule

    known = rules == "today" or rules in NORM_RULES
    parameters = norm_rules(rules).parameters() if known else {"rules": rules}
    if rules == uscf.RULES:
        parameters |= NormSchedule().parameters()
    return {
        "parameters": {**parameters, **asdict(setting)},
        "verdicts": [{"event": event, **norm_document(v)} for event, v in verdicts],
        "outlook": [
            {
                "event": event,
                **asdict(o),
                "by_average": [
                    {"average": average, "points_needed": points} for average, points in o.by_average
                ],
            }
            for event, o in outlooks
        ],
    }


def people(
    verdicts: Sequence[tuple[str, Verdict]], outlooks: Sequence[tuple[str, Outlook]], *, alone: bool
) -> list[object]:
    """Return what a person reads; with `alone` every requirement."""
    from arpad.event.norms.uscf import RULES as USCF

    by_levels = bool(verdicts) and verdicts[0][1].rules == USCF
    if alone and by_levels:
        return one_player(verdicts)
    if alone:
        return [
            *(part for event, v in verdicts for part in _whole(event, v)),
            *(part for _, o in outlooks for part in _ahead(o)),
        ]
    made = [(event, v) for event, v in verdicts if v.passed]
    if made and by_levels:
        return by_level(made)
    parts: list[object] = _made(made) if made else _nobody(verdicts)
    return [*parts, *_still(outlooks)]


def _made(made: Sequence[tuple[str, Verdict]]) -> list[object]:
    from arpad.publish.event_sheets import norm_table
    from arpad.publish.tables import fitted, rich_table

    shown = fitted(norm_table(made), width())
    table = rich_table(shown, title="Norms made", digits={"score needed": 1})
    # The table has what was left out; what could not be checked must stand beside it.
    doubts = dict.fromkeys(n for _, v in made for n in v.notes if "ignored" not in n)
    return [table, "", f"By the rules of {made[0][1].rules}.", *(f"  {n}" for n in doubts)]


def _nobody(verdicts: Sequence[tuple[str, Verdict]]) -> list[object]:
    if not verdicts:
        return ["No player here can earn another title by norms."]
    played = [(event, v) for event, v in verdicts if v.games]
    parts: list[object] = [f"Nobody made a norm ({verdicts[0][1].rules})."]
    if not played:
        return [*parts, "There are no games that count."]
    nearest: dict[tuple[str, str], Verdict] = {}
    for event, v in sorted(played, key=lambda pair: _distance(pair[1])):
        nearest.setdefault((event, v.player), v)
    several = len({event for event, _ in played}) > 1
    closest = [f"  {f'{event}: ' if several else ''}{_short(v)}" for (event, _), v in nearest.items()]
    blind = any(r.found.startswith("unknown") for _, v in played for r in v.requirements)
    hint = ["", "Titles, federations or ratings are unknown here: --list FILE gives them."]
    return [*parts, "", "Closest:", *closest[:CLOSEST], *(hint if blind else [])]


def _distance(verdict: Verdict) -> tuple[int, float, int, float, str]:
    """Order by requirements not met, then by points missing, the lower title first, then by points."""
    missing = NEVER if verdict.points_needed is None else verdict.points_needed - verdict.score
    rank = -TITLES.index(verdict.title) if verdict.title in TITLES else 0
    return (len(verdict.failed()), missing, rank, -verdict.score, verdict.player)


def _short(verdict: Verdict) -> str:
    failed = verdict.failed()
    reasons = "; ".join(f"{r.what} {r.found} ({r.needed}) [{r.article}]" for r in failed[:NAMED])
    if len(failed) > NAMED:
        reasons += f"; and {len(failed) - NAMED} more, which --player shows"
    return f"{verdict.player}, {verdict.title}, {verdict.score:g}/{verdict.games}: {reasons}"


def _whole(event: str, verdict: Verdict) -> list[object]:
    import polars as pl

    from arpad.publish.tables import rich_table

    columns = ("article", "requirement", "needed", "found", "met")
    frame = pl.DataFrame([astuple(r) for r in verdict.requirements], schema=columns, orient="row")
    answer = "made" if verdict.passed else "not made"
    head = (
        f"{verdict.player}: {verdict.title} norm {answer}, {verdict.score:g}/{verdict.games} "
        f"in {event} ({verdict.rules})"
    )
    return [rich_table(frame, title=head), *(f"  {note}" for note in verdict.notes), ""]


def _ahead(found: Outlook) -> list[object]:
    from arpad.publish.tables import rich_table

    parts: list[object] = [found.summary()]
    if found.made or found.impossible or all(p is None for _, p in found.by_average):
        return [*parts, ""]
    words = f"Points for a {found.title} norm by the average of the opponents to come:"
    shown = found.table().rename({"points_needed": "points"})
    digits = {"average": 0}
    return [*parts, "", words, rich_table(shown, digits=digits), ""]


def _still(outlooks: Sequence[tuple[str, Outlook]]) -> list[object]:
    """Return who may still make a norm; nothing where the event is over."""
    if not outlooks:
        return []
    able = [o for _, o in outlooks if o.points_needed is not None and not o.impossible]
    able.sort(key=lambda o: ((o.points_needed or 0) / max(o.within, 1), o.player))
    if able:
        more = [f"  … and {len(able) - CLOSEST} more"] if len(able) > CLOSEST else []
        return ["", "Still possible:", *(f"  {o.summary()}" for o in able[:CLOSEST]), *more]
    return ["", "The event is not over; no norm is possible against opponents like those so far."]
