"""`arpad explain`: every event and game behind a player's rating."""

from __future__ import annotations

import re
from datetime import date
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

import polars as pl
import typer

from arpad.cli.ledger.options import CorrectedOption, DbOption, PolicyOption, list_document, opened
from arpad.cli.options import ReadOptions, check_any_played, system_names
from arpad.cli.output import Emission, emit, ending, reading_document, say
from arpad.errors import UsageError, counted

if TYPE_CHECKING:
    from arpad.ledger.queries.explain import Explanation
    from arpad.model import Games

    Told = tuple[Explanation, dict[str, object], str]
    """The steps, what JSON says besides, and what the figure is, for people."""

SHOWN = 20
"""Lines of what does not add up that people see."""


def explain(
    player: Annotated[str | None, typer.Argument()] = None,
    files: Annotated[list[str] | None, typer.Argument(metavar="[FILES]")] = None,
    list_name: Annotated[str | None, typer.Option("--list", "-l")] = None,
    policy: PolicyOption = None,
    event: str | None = None,
    since: Annotated[str | None, typer.Option(metavar="DATE|LIST")] = None,
    corrected: CorrectedOption = True,
    everybody: Annotated[bool, typer.Option("--all")] = False,
    chart: str | None = None,
    system: Annotated[str, typer.Option(autocompletion=system_names)] = "elo",
    option: list[str] | None = None,
    before: str | None = None,
    db: DbOption = None,
    *,
    how: ReadOptions,
) -> Emission:
    """Explain a rating: every game with W, W_e, K and the rule, until it adds up.

    arpad explain "Adams, Ann" --list 2026-11

    arpad explain Adams --since 2026-10-01

    arpad explain Adams club-night.trf --system fide

    arpad explain --all --list 2026-11

    player: A name, a part of one, an id, or #NUMBER.
    files: Explain the ratings of these files instead of a list of the ledger.
    list_name: The list, such as 2026-11. [the last one]
    event: Only events whose name contains this, or #NUMBER.
    since: Only changes from this day on, or after this list.
    everybody: Check that every figure of the list adds up.
    chart: Draw the rating from list to list, .png or .svg.
    system: With FILES: the rating system, as in arpad rate.
    option: With FILES: an option of the system, NAME=VALUE (k=10); repeatable.
    before: With FILES: ratings to start from, as in arpad rate.
    """
    if everybody:
        if player or event or since or chart:
            raise UsageError("--all checks a whole list: give --list, --policy and --db only")
        return _audit(db, policy, list_name)
    if player is None:
        raise UsageError("expected a player (arpad explain PLAYER), or --all")

    if files:
        if list_name or policy or not corrected:
            raise UsageError("--list, --policy and --as-published go with a ledger, not with FILES")
        told = _from_files(player, files, system, option, before, how)
    else:
        told = _from_ledger(player, db, policy, list_name, since, as_published=not corrected)
    whole, besides, figure = told
    shown = chosen(whole, event=event, since=_day(besides, since))
    if chart is not None:
        _draw(chart, whole, figure)
    emission = partial(
        emit,
        people=lambda: explained_people(shown, figure),
        rows=lambda: shown.steps,
        document=lambda: {**explained_document(shown), **besides},
    )
    if not whole.adds_up:
        say(
            f"the steps lead to {whole.total!r}, the figure is {whole.rating!r}: the ledger was changed by "
            "another program, or is damaged"
        )
    return ending(emission, no=not whole.adds_up)


def _audit(db: str | None, policy: str | None, name: str | None) -> Emission:
    """Add up everybody's steps; exit 1 if they are not the figures of the list."""
    from arpad.ledger.lists import list_called
    from arpad.ledger.policy import policy_called
    from arpad.ledger.queries.explain import audited
    from arpad.publish.tables import rich_table

    with opened(db) as ledger, ledger.reading() as connection:
        kept = list_called(connection, policy_called(connection, policy).name, name)
        result = audited(connection, kept)
    wrong = result.wrong
    emission = partial(
        emit,
        people=lambda: [*([] if result.adds_up else [rich_table(wrong.head(SHOWN))]), result.summary()],
        rows=lambda: wrong,
        document=lambda: {
            "list": list_document(kept),
            **{name: getattr(result, name) for name in ("adds_up", "figures", "periods", "steps", "games")},
            "wrong": wrong.to_dicts(),
        },
    )
    return ending(emission, no=not result.adds_up)


def _from_ledger(
    player: str,
    db: str | None,
    policy: str | None,
    name: str | None,
    since: str | None,
    *,
    as_published: bool,
) -> Told:
    from arpad.ledger.lists import list_called
    from arpad.ledger.queries.explain import explained

    with opened(db) as ledger, ledger.reading() as connection:
        result = explained(connection, player, policy=policy, name=name, as_published=as_published)
        after = None
        if since is not None and not _is_day(since):
            after = list_called(connection, result.list.policy, since).closing
    correction = None if result.correction is None else list_document(result.correction)
    besides: dict[str, object] = {"list": list_document(result.list), "correction": correction}
    if after is not None:
        besides["since"] = after
    source = result.correction or result.list
    return result.explanation, besides, source.words


def _from_files(
    player: str, files: list[str], system: str, option: list[str] | None, before: str | None, how: ReadOptions
) -> Told:
    from arpad.cli.options import given_options
    from arpad.ledger.queries.explain import explained_games
    from arpad.rate.registry import system as system_called
    from arpad.read.reading import read_list
    from arpad.read.source import Report

    rating_system = system_called(system, **given_options(system, option or []))
    earlier = None if before is None else read_list(before, report=Report(strict=how.strict))
    reading = how.read_files(files)
    check_any_played(reading)
    row = player_row(reading.games, player)
    result = explained_games(rating_system, reading.games, earlier, row)
    besides = {"system": system, "parameters": rating_system.parameters(), **reading_document(reading)}
    return result, besides, f"{system}, {', '.join(files)}"


def _is_day(text: str) -> bool:
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True


def _day(besides: dict[str, object], since: str | None) -> date | None:
    """Return the first day that is shown; after a list, that is the day after its closing date."""
    from datetime import timedelta

    closing = besides.pop("since", None)
    if isinstance(closing, date):
        return closing + timedelta(days=1)
    if since is not None and not _is_day(since):
        raise UsageError(f"--since: expected a day such as 2026-10-01, found {since!r}")
    return None if since is None else date.fromisoformat(since)


def _draw(path: str, whole: Explanation, figure: str) -> None:
    from arpad.publish.charts.ratings import rating_course
    from arpad.publish.charts.style import save

    save(rating_course(whole.course(), title=whole.player, subtitle=figure), path)


# What `arpad explain` shows: events and games in their order, the rules below them.

LONGEST = 44
"""Letters of an event's name that the table has room for."""
NAMED = 5
"""Candidates that a sentence names."""
_ROW = {
    "date": pl.String,
    "event, opponent": pl.String,
    "their rating": pl.Float64,
    "score": pl.Float64,
    "expected": pl.Float64,
    "k": pl.Float64,
    "change": pl.Float64,
    "rating": pl.Float64,
    "rule": pl.String,
}


def chosen(whole: Explanation, *, event: str | None, since: date | None) -> Explanation:
    """Return the part that was asked for."""
    shown = whole if since is None else whole.since(since)
    if event is None:
        return shown
    number = event.removeprefix("#")
    wanted = pl.col("event").str.to_lowercase().str.contains(event.lower(), literal=True)
    if event.startswith("#") and number.isdecimal():
        wanted = pl.col("event_id") == int(number)
    result = shown.of_events(wanted.fill_null(value=False))
    if result.steps.is_empty():
        names = shown.steps["event"].drop_nulls().unique(maintain_order=True).to_list()
        some = ", ".join(names[-NAMED:]) or "no event"
        raise UsageError(f"--event: expected one of the player's events ({some}), found {event!r}")
    return result


def player_row(games: Games, text: str) -> int:
    """Return the row of the player who is called so: by id, by name, by a part of one."""
    from arpad.ledger.register import fold

    wanted, folded = text.strip(), fold(text)
    names = [name or "" for name in games.players["name"]]
    folds = [fold(name) for name in names]
    tests = (
        [wanted in (number, f"#{number}") for number in games.players["id"]],
        [name == wanted for name in names],
        [each == folded != "" for each in folds],
        [folded in each if folded else wanted in each for each in folds],
        [wanted.lower() in name.lower() for name in names],
    )
    for test in tests:
        result = [row for row, fits in enumerate(test) if fits]
        if len(result) == 1:
            return result[0]
        if result:
            some = "; ".join(_called(names[row], games.players["id"][row]) for row in result[:NAMED])
            more = "; …" if len(result) > NAMED else ""
            raise UsageError(f"expected one player, found {len(result)} called {text!r}: {some}{more}")
    raise UsageError(f"expected a player of these games, found nobody called {text!r}")


def _called(name: str, number: str | None) -> str:
    return name if number is None else f"{name} ({number})"


def explained_document(shown: Explanation) -> dict[str, Any]:
    """Return an explanation as the JSON that the docs describe."""
    return {
        "player": shown.player,
        "number": shown.number,
        "rating": shown.rating,
        "start": shown.start,
        "left_out": shown.skipped,
        "adds_up": shown.adds_up if shown.whole else None,
        "notes": list(shown.notes),
        "periods": shown.periods().to_dicts() if shown.whole else [],
        "events": shown.events().drop("rated", "rated_score").to_dicts(),
        "steps": shown.steps.to_dicts(),
    }


def explained_people(shown: Explanation, figure: str) -> list[object]:
    """Return the table for people, the rules below it, and the figure."""
    texts = shown.steps["rule"].unique(maintain_order=True)
    numbers = {rule: str(i + 1) for i, rule in enumerate(texts)}
    rows = _rows(shown, numbers)
    table = pl.DataFrame(rows, schema=_ROW, orient="row")
    table = table.select(c for c in table.columns if c == "change" or not table[c].is_null().all())
    whole = all(row[7] is None or row[7] == round(row[7]) for row in rows)
    digits = {"rating": 0 if whole else 1, "their rating": 0, "change": 2, "k": _k_digits(table)}
    rules = [f"{number:>3}  {rule}" for rule, number in numbers.items()]
    below = ["", *rules, "", *shown.notes, f"{shown.summary()} ({figure})"]
    return [_table(table, digits), "\n".join(below)]


def _table(table: pl.DataFrame, digits: dict[str, int]) -> object:
    """Return a table; as plain text where it fits, which is ten times as fast for a long career."""
    from rich.cells import cell_len, set_cell_size
    from rich.text import Text

    from arpad.cli.output import width
    from arpad.publish.tables import DIGITS, HEADINGS, cell, rich_table

    columns = []
    for name, values in table.to_dict(as_series=False).items():
        texts = [HEADINGS.get(name, name), *(cell(name, v, {**DIGITS, **digits}) for v in values)]
        wide = max(map(cell_len, texts))
        if table.schema[name].is_numeric():
            columns.append([text.rjust(wide) for text in texts])
        else:
            columns.append([set_cell_size(text, wide) for text in texts])
    lines = ["   ".join(row) for row in zip(*columns, strict=True)]
    if len(lines[0]) > width():
        return rich_table(table, digits=digits)
    lines.insert(1, "─" * cell_len(lines[0]))
    return Text("\n".join(lines), no_wrap=True)


def _k_digits(table: pl.DataFrame) -> int:
    K = table["k"].drop_nulls() if "k" in table.columns else pl.Series([], dtype=pl.Float64)
    return 0 if (K.round() == K).all() else 1


def _rows(shown: Explanation, numbers: dict[str, str]) -> list[tuple[Any, ...]]:
    """Return the lines: an event with its sums, its games, what has no game, and where the period ends."""
    sums = {(e["closing"], e["event_id"], e["event"]): e for e in shown.events().iter_rows(named=True)}
    ends = {p["closing"]: p for p in shown.periods().iter_rows(named=True)}
    rows: list[tuple[Any, ...]] = []
    if shown.start:
        what = f"{shown.skipped:,} earlier steps" if shown.skipped else "the earlier list"
        rows.append((None, what, None, None, None, None, None, shown.start, None))
    at: tuple[Any, ...] | None = None
    steps = shown.steps.to_dicts()
    for i, step in enumerate(steps):
        key = (step["closing"], step["event_id"], step["event"])
        is_game = step["opponent_id"] is not None
        if is_game and key != at:
            rows.append(_event_row(sums[key]))
        at = key if is_game else None
        rows.append(_step_row(step, numbers))
        last = i + 1 == len(steps) or steps[i + 1]["closing"] != step["closing"]
        if last and shown.whole:
            rows.append(_end_row(ends[step["closing"]]))
    return rows


def _event_row(event: dict[str, Any]) -> tuple[Any, ...]:
    name = event["event"] or "games of no event"
    name = name if len(name) <= LONGEST else f"{name[: LONGEST - 1]}…"
    day = None if event["first"] is None else str(event["first"])
    count = counted(event["games"], "game")
    return (
        day,
        f"{name}, {count}",
        None,
        event["score"],
        event["expected"],
        None,
        event["change"],
        None,
        None,
    )


def _step_row(step: dict[str, Any], numbers: dict[str, str]) -> tuple[Any, ...]:
    rule = numbers[step["rule"]]
    if step["opponent_id"] is None:
        change = step["change"]
        rule_name = re.split(r" \[|:|;", step["rule"])[0]
        return None, f"      {rule_name}"[:LONGEST], None, None, None, None, change, None, rule
    # A round of a file may be 3.12: round and board.
    name = f"{step['round'] or '':>4}  {'○' if step['colour'] == 'white' else '●'} {step['opponent']}"
    return (
        None,
        name[:LONGEST],
        step["opponent_rating"],
        step["score"],
        step["expected"],
        step["k"],
        step["change"],
        None,
        rule,
    )


def _end_row(period: dict[str, Any]) -> tuple[Any, ...]:
    closing = period["closing"]
    what = "all together" if closing is None else f"play to {closing}"
    return None, what, None, None, None, None, period["change"], period["after"], None
