"""`arpad list publish`: freeze a draft, and the corrections that it rests on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from arpad.cli.ledger_place import opened
from arpad.cli.list_options import DbOption, NameArgument, PolicyOption, WhoOption, list_document
from arpad.cli.output import FormatOption, OutputOption, emit

if TYPE_CHECKING:
    import typer


__all__ = ["add_to"]


def add_to(app: typer.Typer) -> None:
    """Register the verb."""
    app.command("publish")(publish)


def publish(
    name: NameArgument = None,
    policy: PolicyOption = None,
    db: DbOption = None,
    who: WhoOption = None,
    format: FormatOption = None,
    output: OutputOption = None,
) -> None:
    """Publish a draft: it is frozen from then on.

    Without a name: the last draft. Proposed corrections of lists up to it are published with it; of a list
    that is published already, its proposed correction alone.

    arpad list publish 2026-11 --policy club --who "Anna Arbiter"
    """
    from arpad.office.making.list_making import publish_list

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
