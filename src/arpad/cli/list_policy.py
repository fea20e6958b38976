"""`arpad list policy` and `arpad list policies`: by which rules lists are made."""

from __future__ import annotations

import json
from typing import Annotated, Any

import typer

from arpad.cli.ledger_place import opened
from arpad.cli.list_options import DbOption, WhoOption  # noqa: TC001 - Typer reads them
from arpad.cli.output import FormatOption, OutputOption, emit
from arpad.errors import UsageError

__all__ = ["add_to"]


def add_to(app: typer.Typer) -> None:
    """Register the verbs."""
    app.command("policy")(policy)
    app.command("policies")(policies)


def policy(
    name: Annotated[str, typer.Argument(help="What the policy is called.")],
    preset: Annotated[
        str | None, typer.Option(help="Begin with fide, club, uscf1994 or book.")
    ] = None,
    file: Annotated[
        str | None, typer.Option(metavar="FILE", help="Begin with a policy in JSON.")
    ] = None,
    set_: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="KEY=VALUE",
            help="Say something else, such as options.k=20, schedule.period=quarter, listed.min_games=9; repeatable.",
        ),
    ] = None,
    db: DbOption = None,
    who: WhoOption = None,
    format: FormatOption = None,
    output: OutputOption = None,
) -> None:
    """Make a policy, or a new version of one; without options show it.

    arpad list policy club --preset club --set options.k=32

    arpad list policy rapid --preset fide --set time_control=rapid
    """
    from arpad.office.rules.policies import add_policy, policy_called
    from arpad.store.ledger.ledger import Ledger

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
    document = {
        "name": kept.name,
        "version": kept.version,
        "created": kept.created,
        "policy": dict(kept.document),
    }

    def people() -> list[object]:
        text = json.dumps(dict(kept.document), indent=1, ensure_ascii=False)
        return [text, "", f"version {kept.version}: {kept.policy.summary()}"]

    def rows() -> Any:
        import polars as pl

        return pl.DataFrame({"key": list(kept.document), "value": [json.dumps(v) for v in kept.document.values()]})  # fmt: skip

    emit(format, output, people=people, rows=rows, document=lambda: document)


def _begun(connection: Any, name: str, preset: str | None, file: str | None) -> dict[str, Any]:
    """Return the document to begin with."""
    from arpad.office.rules.policies import kept_policies
    from arpad.office.rules.presets import preset as preset_called

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
    from pathlib import Path

    from arpad.errors import InputError

    try:
        found = json.loads(Path(file).read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", file=file) from None
    except ValueError as error:
        raise InputError(f"expected a policy in JSON: {error}", file=file) from None
    if not isinstance(found, dict):
        raise InputError("expected a policy as an object of JSON", file=file)
    return found.get("policy", found) if "schedule" not in found else found


def _with(document: dict[str, Any], texts: list[str], name: str) -> Any:
    """Return the policy with what --set says."""
    from arpad.office.rules.policy import Policy

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
    from arpad.office.rules.policies import kept_policies
    from arpad.office.rules.presets import PRESETS

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
        return [
            *table,
            "",
            f"to begin with: {', '.join(PRESETS)} (arpad list policy NAME --preset …)",
        ]

    emit(format, output, people=people, rows=rows, document=lambda: {"policies": documents, "presets": list(PRESETS)})  # fmt: skip
