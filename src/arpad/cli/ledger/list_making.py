"""`arpad list make`, `publish`, `policy`."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated, Any

import typer

from arpad.cli.ledger.options import (
    DbOption,
    ListOptionsWhoOption,
    NameArgument,
    PolicyOption,
    list_document,
    list_options_day_given,
    opened,
)
from arpad.cli.options import ColumnsOption, SheetOption, column_mapping
from arpad.cli.output import FormatOption, OutputOption, emit, explain_report
from arpad.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from arpad.ledger.list_making import Correction, Made


# `arpad list make`: a draft from what the ledger holds, and what it says of published lists.

SHOWN = 20
"""Lines of a list, and of a correction, that are shown when it is made."""


def add_list_make(app: typer.Typer) -> None:
    """Register the verb."""
    app.command("make")(make)


def make(
    name: NameArgument = None,
    policy: PolicyOption = None,
    closing: Annotated[
        str | None, typer.Option(metavar="DATE", help="The list that closes on this day instead.")
    ] = None,
    top: Annotated[int, typer.Option(help="Players to show.", min=0)] = SHOWN,
    db: DbOption = None,
    who: ListOptionsWhoOption = None,
    format: FormatOption = None,
    output: OutputOption = None,
) -> None:
    """Make a draft of a list; the next making replaces it.

    Without a name: the list of the period in which the last event ended. Published lists are compared with
    what they would be now; the figures that differ, each with its cause, are kept as proposed corrections.

    arpad list make 2026-11 --policy club
    """
    from arpad.cli.output import progress
    from arpad.ledger.list_making import make_list

    day = list_options_day_given(closing, "--closing")
    with opened(db) as ledger, progress("periods") as tell:
        made = make_list(ledger, policy=policy, name=name, closing=day, who=who, progress=tell)
    emit(
        format,
        output,
        people=lambda: _people(made, top),
        rows=lambda: made.entries,
        document=lambda: _document(made),
    )


def _people(made: Made, top: int) -> list[object]:
    from arpad.cli.ledger.options import list_table

    listed = made.entries.filter(made.entries["rank"].is_not_null()).drop("player_id")
    shown = listed.head(top)
    rest = listed.height - shown.height
    parts: list[object] = [list_table(shown)] if shown.height else []
    parts += [f"… and {rest:,} more"] if rest and top else []
    return [*parts, *correction_parts(made.corrections), "", made.summary()]


def correction_parts(corrections: Sequence[Correction]) -> list[object]:
    """Return what published lists would say now, the first figures of each."""
    parts: list[object] = []
    for correction in corrections:
        parts += ["", correction.summary(), _table(correction)]
        more = correction.rows.height - SHOWN
        if more > 0:
            parts.append(f"… and {more:,} more (arpad list show {correction.published.name} --correction)")
    return parts


def _table(correction: Correction) -> object:
    from arpad.cli.ledger.options import list_table

    rows = correction.rows.head(SHOWN)
    return list_table(rows.select("name", "published", "rating", "difference", "cause"))


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


def add_list_start(app: typer.Typer) -> None:
    """Register the verb."""
    app.command("start")(start)


def start(
    file: Annotated[
        str, typer.Argument(metavar="FILE", help="The list: CSV, a spreadsheet, FIDE's layouts.")
    ],
    date: Annotated[str, typer.Option(metavar="DATE", help="The day from which on the list was valid.")],
    policy: PolicyOption = None,
    ids: Annotated[
        str | None, typer.Option(help="Whose ids the players have: fide, local, … [local]")
    ] = None,
    sheet: SheetOption = None,
    columns: ColumnsOption = None,
    why: Annotated[str, typer.Option(help="The reason, for the log.")] = "starting list",
    db: DbOption = None,
    who: ListOptionsWhoOption = None,
    format: FormatOption = None,
    output: OutputOption = None,
) -> None:
    """Start from the list that the club has: ratings and games, also of members who have not played yet.

    The ratings hold before the games of the period in which the day lies.

    arpad list start members.xlsx --date 2026-09-01 --policy club
    """
    import polars as pl

    from arpad.ledger.db.ledger import Ledger
    from arpad.ledger.imports.importing import start_list

    day = list_options_day_given(date, "--date")
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
    emit(
        format,
        output,
        people=lambda: [done.summary()],
        rows=lambda: pl.DataFrame([done.to_dict()]),
        document=done.to_dict,
    )


# `arpad list policy` and `arpad list policies`: by which rules lists are made.


def add_list_policy(app: typer.Typer) -> None:
    """Register the verbs."""
    app.command("policy")(policy)
    app.command("policies")(policies)


def policy(
    name: Annotated[str, typer.Argument(help="Name of the policy.")],
    preset: Annotated[str | None, typer.Option(help="Begin with fide, club, uscf1994 or book.")] = None,
    file: Annotated[str | None, typer.Option(metavar="FILE", help="Begin with a policy in JSON.")] = None,
    set_: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="KEY=VALUE",
            help="Change a setting, such as options.k=20, schedule.period=quarter, listed.min_games=9; repeatable.",
        ),
    ] = None,
    db: DbOption = None,
    who: ListOptionsWhoOption = None,
    format: FormatOption = None,
    output: OutputOption = None,
) -> None:
    """Make a policy, or a new version of one; without options show it.

    arpad list policy club --preset club --set options.k=32

    arpad list policy rapid --preset fide --set time_control=rapid
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

    emit(format, output, people=people, rows=rows, document=lambda: document)


def _leaves(document: dict[str, Any], path: str = "") -> list[tuple[str, str]]:
    """Return every value of a policy with its key, as `--set` names it."""
    found: list[tuple[str, str]] = []
    for key, value in document.items():
        if isinstance(value, dict) and value:
            found += _leaves(value, f"{path}{key}.")
        else:
            found.append((f"{path}{key}", json.dumps(value, ensure_ascii=False)))
    return found


def _begun(connection: Any, name: str, preset: str | None, file: str | None) -> dict[str, Any]:
    """Return the document to begin with."""
    from arpad.ledger.policy import kept_policies
    from arpad.ledger.policy import preset as preset_called

    if preset is not None and file is not None:
        raise UsageError("expected --preset or --file, found both")
    if preset is not None:
        return preset_called(preset).document()
    if file is not None:
        return _read(file)
    versions = [each for each in kept_policies(connection) if each.name == name]
    if not versions:
        raise UsageError(f"there is no policy {name!r} to change: begin with --preset or --file")
    return versions[-1].policy.document()


def _read(file: str) -> dict[str, Any]:
    from arpad.errors import InputError
    from arpad.files import input_file

    try:
        found = json.loads(input_file(file).read_text("utf-8-sig"))
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", file=file) from None
    except ValueError as error:
        raise InputError(f"expected a policy in JSON: {error}", file=file) from None
    if not isinstance(found, dict):
        raise InputError("expected a policy as an object of JSON", file=file)
    return found.get("policy", found) if "schedule" not in found else found


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


def policies(db: DbOption = None, format: FormatOption = None, output: OutputOption = None) -> None:
    """Show which policies the ledger has, and those to begin with."""
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

    emit(
        format,
        output,
        people=people,
        rows=rows,
        document=lambda: {"policies": documents, "presets": list(PRESETS)},
    )


# `arpad list publish`: freeze a draft, and the corrections that it rests on.


def add_list_publish(app: typer.Typer) -> None:
    """Register the verb."""
    app.command("publish")(publish)


def publish(
    name: NameArgument = None,
    policy: PolicyOption = None,
    db: DbOption = None,
    who: ListOptionsWhoOption = None,
    format: FormatOption = None,
    output: OutputOption = None,
) -> None:
    """Publish a draft: it is frozen from then on.

    Without a name: the last draft. Proposed corrections of lists up to it are published with it; of a list
    that is published already, its proposed correction alone.

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

    emit(
        format,
        output,
        people=people,
        rows=rows,  # type: ignore[arg-type]
        document=lambda: {"published": documents},
    )
