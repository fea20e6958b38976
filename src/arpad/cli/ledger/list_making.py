"""`arpad list start`, `make`, `publish`, `policy`, and `arpad club month`."""

from __future__ import annotations

import json
import sys
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from arpad.cli.ledger.imports import TimeControl
from arpad.cli.ledger.imports import people as import_people
from arpad.cli.ledger.options import (
    DbOption,
    LetterheadOptions,
    ListOptionsWhoOption,
    NameArgument,
    PolicyOption,
    first_rows,
    list_document,
    opened,
)
from arpad.cli.options import TableOptions, column_mapping, day_given, json_given
from arpad.cli.output import (
    Emission,
    FormatOption,
    OutputFormat,
    OutputOption,
    emit,
    explain_report,
    no_longer_working,
    say,
)
from arpad.cli.verbs import verb_group
from arpad.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from arpad.ledger.list_making import Correction, Made
    from arpad.publish.club_month import ClubMonth


# `arpad list make`: a draft from what the ledger holds, and what it says of published lists.

SHOWN = 20
"""Lines of a list, and of a correction, that are shown when it is made."""


def make(
    name: NameArgument = None,
    policy: PolicyOption = None,
    closing: Annotated[str | None, typer.Option(metavar="DATE")] = None,
    top: Annotated[int, typer.Option(min=0)] = SHOWN,
    db: DbOption = None,
    who: ListOptionsWhoOption = None,
) -> Emission:
    """Make a draft of a list; it replaces an earlier draft.

    Without a name: the list of the period in which the last event ended. arpad also compares the
    published lists with the present data, and proposes a correction for each figure that differs, with its cause.

    arpad list make 2026-11 --policy club

    closing: Make the list that closes on this day.
    top: Number of players to show.
    """
    from arpad.cli.output import progress
    from arpad.ledger.list_making import make_list

    day = day_given(closing, "--closing")
    with opened(db) as ledger, progress("periods") as tell:
        made = make_list(ledger, policy=policy, name=name, closing=day, who=who, progress=tell)
    return partial(
        emit,
        people=lambda: [*_listed(made, top), *_corrections(made.corrections), "", made.summary()],
        rows=lambda: made.entries,
        document=lambda: _document(made),
    )


def _listed(made: Made, top: int) -> list[object]:
    listed = made.entries.filter(made.entries["rank"].is_not_null()).drop("player_id")
    return first_rows(listed, top)


def _corrections(corrections: Sequence[Correction]) -> list[object]:
    """Return what published lists would say now, the first figures of each."""
    parts: list[object] = []
    for correction in corrections:
        rows = correction.rows.select("name", "published", "rating", "difference", "cause")
        where = f" (arpad list show {correction.published.name} --correction)"
        parts += ["", correction.summary(), *first_rows(rows, SHOWN, where)]
    return parts


def _document(made: Made) -> dict[str, Any]:
    return {
        "list": list_document(made.draft),
        "periods": made.periods,
        "computed": made.computed,
        "without_list": list(made.without_list),
        "left_out": {n: getattr(made.left_out, n) for n in made.left_out.__slots__},
        "entries": made.entries.to_dicts(),
        "corrections": [
            {
                **list_document(each.published),
                "because": each.changed.summary(),
                "figures": each.rows.to_dicts(),
            }
            for each in made.corrections
        ],
    }


# `arpad list start`: the list that a club has already.


def start(
    file: str,
    date: Annotated[str, typer.Option(metavar="DATE")],
    policy: PolicyOption = None,
    ids: str | None = None,
    sheet: str | None = None,
    columns: str | None = None,
    why: str = "starting list",
    db: DbOption = None,
    who: ListOptionsWhoOption = None,
) -> Emission:
    """Start from the club's own list: ratings and games, also of members who have not played yet.

    The ratings apply before the games of the period that contains the day.

    arpad list start members.xlsx --date 2026-09-01 --policy club

    file: The list: a CSV file, a spreadsheet or a FIDE list.
    date: The first day on which the list was valid.
    ids: The organisation that issued the players' ids: fide, local, … [local]
    sheet: Sheet of a spreadsheet, by name or number. [all with games]
    columns: Names of the columns of a table: white=home_team,black=away_team,…
    why: The reason, for the log.
    """
    import polars as pl

    from arpad.ledger.db.ledger import Ledger
    from arpad.ledger.imports.importing import start_list

    day = day_given(date, "--date")
    assert day is not None
    with Ledger.open(db, create=True) as ledger:
        done = start_list(
            ledger,
            file,
            on=day,
            policy=policy,
            ids=ids,
            sheet=sheet,
            columns=column_mapping(columns),
            who=who,
            why=why,
        )
    explain_report(done.report)
    return partial(
        emit,
        people=lambda: [done.summary()],
        rows=lambda: pl.DataFrame([done.to_dict()]),
        document=done.to_dict,
    )


# `arpad list policy` and `arpad list policies`: by which rules lists are made.


def policy(
    name: str,
    preset: Literal["fide", "club", "uscf1994", "book"] | None = None,
    file: Annotated[str | None, typer.Option(metavar="FILE")] = None,
    set_: Annotated[list[str] | None, typer.Option("--set", metavar="KEY=VALUE")] = None,
    db: DbOption = None,
    who: ListOptionsWhoOption = None,
) -> Emission:
    """Make a policy, or a new version of one. Without options, show it.

    arpad list policy club --preset club --set options.k=32

    arpad list policy rapid --preset fide --set time_control=rapid

    name: Name of the policy.
    preset: Begin with one of the ready-made policies.
    file: Begin with a policy in JSON.
    set_: Change a setting, such as options.k=20, schedule.period=quarter, listed.min_games=9; repeatable.
    """
    from arpad.ledger.db.ledger import Ledger
    from arpad.ledger.policy import add_policy, policy_called

    changed = preset is not None or file is not None or bool(set_)
    with Ledger.open(db, create=changed) as ledger:
        if changed:
            with ledger.reading() as connection:
                begun = _begun(connection, name, preset, file)
            wanted = _with(begun, set_ or [], name)
            with ledger.writing(who, f"policy {name}") as connection:
                kept = add_policy(connection, wanted)
        else:
            with ledger.reading() as connection:
                kept = policy_called(connection, name)
    import polars as pl

    document = {
        "name": kept.name,
        "version": kept.version,
        "created": kept.created,
        "policy": dict(kept.document),
    }

    def people() -> list[object]:
        from arpad.ledger.policy import Policy
        from arpad.publish.tables import rich_table

        usual = dict(_leaves(Policy(name=kept.name).document()))
        own = [(key, value) for key, value in _leaves(dict(kept.document)) if usual.get(key, ...) != value]
        shown = pl.DataFrame(own, schema={"key": pl.String, "value": pl.String}, orient="row")
        rest = "(--format json has every key; keys not shown have their defaults)"
        return [f"{kept.name}, version {kept.version}: {kept.policy.summary()}", rich_table(shown), rest]

    def rows() -> Any:
        return pl.DataFrame(
            {"key": list(kept.document), "value": [json.dumps(v) for v in kept.document.values()]}
        )

    return partial(emit, people=people, rows=rows, document=lambda: document)


def _leaves(document: dict[str, Any], path: str = "") -> list[tuple[str, str]]:
    """Return every value of a policy with its key, as `--set` names it."""
    result: list[tuple[str, str]] = []
    for key, value in document.items():
        if isinstance(value, dict) and value:
            result += _leaves(value, f"{path}{key}.")
        else:
            result.append((f"{path}{key}", json.dumps(value, ensure_ascii=False)))
    return result


def _begun(connection: Any, name: str, preset: str | None, file: str | None) -> dict[str, Any]:
    """Return the document to begin with."""
    from arpad.ledger.policy import kept_policies
    from arpad.ledger.policy import preset as preset_called

    if preset is not None and file is not None:
        raise UsageError("expected --preset or --file, found both")
    if preset is not None:
        return preset_called(preset).document()
    if file is not None:
        document: dict[str, Any] = json_given(file, "a policy as an object")
        return document if "schedule" in document else document.get("policy", document)
    versions = [each for each in kept_policies(connection) if each.name == name]
    if not versions:
        raise UsageError(f"there is no policy {name!r} to change: begin with --preset or --file")
    return versions[-1].policy.document()


def _with(document: dict[str, Any], texts: list[str], name: str) -> Any:
    """Return the policy with what --set says."""
    from arpad.ledger.policy import Policy

    for text in texts:
        key, equals, value = text.partition("=")
        if not equals or not key.strip():
            raise UsageError(f"--set: expected KEY=VALUE, found {text!r}")
        *path, last = key.strip().split(".")
        place: Any = document
        for part in path:
            place = place.setdefault(part, {}) if isinstance(place, dict) else None
        if not isinstance(place, dict):
            raise UsageError(f"--set: {key.strip()!r} is not a place in a policy")
        try:
            place[last] = json.loads(value)
        except ValueError:  # a word
            place[last] = None if value == "none" else value
    return Policy.of({**document, "name": name})


def policies(db: DbOption = None) -> Emission:
    """Show the policies of the ledger, and the ready-made ones."""
    from arpad.ledger.policy import PRESETS, kept_policies

    with opened(db) as ledger, ledger.reading() as connection:
        kept = kept_policies(connection)
    documents = [
        {
            "name": each.name,
            "version": each.version,
            "summary": each.policy.summary() if each.computed else "lists made by others",
        }
        for each in kept
    ]

    def rows() -> Any:
        import polars as pl

        kinds = {"name": pl.String, "version": pl.Int64, "summary": pl.String}
        return pl.DataFrame(documents, schema=kinds)

    def people() -> list[object]:
        from arpad.publish.tables import rich_table

        table = [rich_table(rows())] if documents else ["no policy yet"]
        return [*table, "", f"to begin with: {', '.join(PRESETS)} (arpad list policy NAME --preset …)"]

    return partial(
        emit, people=people, rows=rows, document=lambda: {"policies": documents, "presets": list(PRESETS)}
    )


# `arpad list publish`: freeze a draft, and the corrections that it rests on.


def publish(
    name: NameArgument = None,
    policy: PolicyOption = None,
    db: DbOption = None,
    who: ListOptionsWhoOption = None,
) -> Emission:
    """Publish a draft: it is frozen from then on.

    Without a name: the last draft. This also publishes the proposed corrections of earlier lists. For
    a list that is published already, it publishes only the proposed correction.

    arpad list publish 2026-11 --policy club --who "Anna Arbiter"
    """
    from arpad.ledger.list_making import publish_list

    with opened(db) as ledger:
        done = publish_list(ledger, policy=policy, name=name, who=who)
    documents = [list_document(each) for each in done.lists]

    def people() -> list[object]:
        return [done.summary()]

    def rows() -> object:
        import polars as pl

        return pl.DataFrame(documents)

    return partial(
        emit,
        people=people,
        rows=rows,  # type: ignore[arg-type]
        document=lambda: {"published": documents},
    )


# `arpad club month`: the monthly job of a club's secretary in one command.

NAMED = 5
"""Doubts that the last line names."""


def month(
    files: list[str],
    name: Annotated[str | None, typer.Option("--list", metavar="LIST")] = None,
    yes: Annotated[bool, typer.Option("--yes", "-y")] = False,
    folder: Annotated[str, typer.Option(metavar="DIR")] = ".",
    policy: PolicyOption = None,
    time_control: TimeControl | None = None,
    event_name: str | None = None,
    date: Annotated[str | None, typer.Option(metavar="DATE")] = None,
    accept_skipped: bool = False,
    db: DbOption = None,
    who: ListOptionsWhoOption = None,
    *,
    head: LetterheadOptions,
    tables: TableOptions,
    format: FormatOption = None,
    output: OutputOption = None,
) -> None:
    """Import a month's events, make the list, show what changed, ask, publish, write page and PDF.

    Names in doubt come first: settle them (arpad queue), then give the command again. Exit 1: not published.

    arpad club month october.xlsx --club "Chess Club" --logo logo.png --language de

    files: The month's events, in any format.
    name: Name of the list. [that of the last event]
    yes: Publish without asking, for scripts.
    folder: The folder for the page and the PDF.
    time_control: Time control of every event. [as each report says, otherwise standard]
    event_name: Name of the only event in the file.
    date: Date of events that have none (YYYY-MM-DD, YYYY-MM or YYYY).
    accept_skipped: Enter a file even if some of its games are skipped.
    """
    from arpad.cli.ledger.imports import import_failures
    from arpad.ledger.imports.staging import Settings
    from arpad.publish.club_month import club_month

    above = head.letterhead()
    at_once = format in (None, OutputFormat.table) and output is None

    def show(found: ClubMonth) -> None:
        for one in found.imported:
            explain_report(one.report)
        if at_once:
            emit(
                format,
                output,
                people=lambda: _month_people(found),
                rows=lambda: found.made.entries,
                document=dict,
            )

    def agree(found: ClubMonth) -> bool:
        show(found)
        return yes or _asked(f"Publish {found.made.draft.name}?")

    with opened(db) as ledger, import_failures():
        done = club_month(
            ledger,
            files,
            agree=agree,
            folder=folder,
            letterhead=above,
            policy=policy,
            name=name,
            who=who,
            settings=Settings(time_control=time_control, event_name=event_name, date=date),
            **tables.reading(),
            accept_skipped=accept_skipped,
        )
    if done.doubts or not done.to_publish:
        show(done)
    if not at_once:
        emit(
            format,
            output,
            people=lambda: _month_people(done),
            rows=lambda: done.made.entries,
            document=done.to_dict,
        )
    _tell(done, typer.echo if at_once else say)
    if not done.files:
        raise typer.Exit(1)


def _asked(question: str) -> bool:
    """Ask at the terminal; where nobody answers it is no."""
    no_longer_working()
    sys.stdout.flush()
    try:
        return typer.confirm(question, err=True)
    except typer.Abort:
        return False


def _month_people(found: ClubMonth) -> list[object]:
    """Return the imports, the list, and what changed since the last published one."""
    parts: list[object] = [*import_people(found.imported, dry_run=False), ""]
    parts += _listed(found.made, SHOWN)
    if found.diff is not None and found.diff.rows.height:
        changed = found.diff.rows.drop("player_id")
        first = found.diff.first
        corrected = any(each.published.id == first.id for each in found.made.corrections)
        since = f"Since {first.name}{' as it is corrected below' if corrected else ''}:"
        parts += ["", since, *first_rows(changed, SHOWN)]
    return [*parts, *_corrections(found.made.corrections), "", found.made.summary()]


def _tell(done: ClubMonth, tell: object) -> None:
    """Say what was published and written, or why nothing was."""
    name = done.made.draft.name
    if done.doubts:
        more = f" and {len(done.doubts) - NAMED:,} more" if len(done.doubts) > NAMED else ""
        lines = [
            f"{name} is not published yet. Settle first: {'; '.join(done.doubts[:NAMED])}{more}",
            "(arpad queue shows them, arpad queue settle N decides; then give the same command again)",
        ]
    elif not done.files:
        lines = [f"{name} stays a draft: arpad list publish {name} publishes it"]
    else:
        lines = [done.published.summary() if done.published else f"{name} is published already"]
        lines += [f"written: {', '.join(done.files)}", *(f"  {note}" for note in done.notes)]
    for line in lines:
        tell(line)  # type: ignore[operator]


club = verb_group("The monthly job of a club in one command.", {"month": month})
