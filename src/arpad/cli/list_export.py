"""`arpad list export`: a list as a file for people and for programs."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from arpad.cli.ledger_place import opened
from arpad.cli.list_options import (  # noqa: TC001 - Typer reads the annotations
    CorrectedOption,
    DbOption,
    PolicyOption,
)
from arpad.cli.output import say

__all__ = ["add_to"]


class As(StrEnum):
    """What a list may be written as."""

    csv = "csv"
    xlsx = "xlsx"
    txt = "txt"
    xml = "xml"
    html = "html"
    pdf = "pdf"


class Ids(StrEnum):
    """Whose ids FIDE's layouts carry."""

    fide = "fide"
    ledger = "ledger"


def add_to(group: typer.Typer) -> None:
    """Register the verb."""
    group.command()(export)


def export(
    output: Annotated[
        list[str],
        typer.Option(
            "--output", "-o", help="The file; its ending says which format. May be repeated."
        ),
    ],
    name: Annotated[
        str | None, typer.Argument(metavar="[LIST]", help="Its name, such as 2026-11. [the last]")
    ] = None,
    policy: PolicyOption = None,
    format: Annotated[
        As | None, typer.Option("--as", help="The format, where the file's name does not say it.")
    ] = None,
    top: Annotated[int | None, typer.Option(min=1, help="Only the first so many.")] = None,
    corrected: CorrectedOption = True,
    everybody: Annotated[
        bool, typer.Option("--all", help="Also those who are rated but not listed.")
    ] = False,
    ids: Annotated[
        Ids,
        typer.Option(help="Ids in FIDE's layouts: FIDE's where known, or the ledger's numbers."),
    ] = Ids.fide,
    db: DbOption = None,
) -> None:
    """Write a list as CSV, XLSX, FIDE's TXT or XML, HTML or PDF.

    As `arpad list show` has it: with the corrections published since, or --as-published. The same list
    gives the same file, to the byte.

    arpad list export 2026-11 -o list.xlsx -o list.txt -o list.pdf
    """
    from arpad.office.making.lists import corrections_of, face_of, list_called
    from arpad.office.rules.policies import policy_called
    from arpad.office.showing.list_rows import list_rows
    from arpad.publish.list_export import export_format, export_list
    from arpad.publish.list_sheet import ListSheet

    kinds = [format.value if format else export_format(path) for path in output]
    with opened(db) as ledger, ledger.reading() as connection:
        rules = policy_called(connection, policy)
        kept = list_called(connection, rules.name, name)
        face = face_of(corrections_of(connection, kept), corrected=corrected)
        rows = list_rows(connection, kept, corrected=corrected, everybody=everybody)
    sheet = ListSheet(
        name=kept.name,
        policy=kept.policy,
        system=str(rules.document.get("system") or "") or None,
        time_control=rules.document.get("time_control"),
        closing=kept.closing,
        effective=kept.effective,
        state=kept.state,
        face=face,
        rows=rows,
    ).top(top)
    rated = int(kept.figures.get("rated") or 0)
    hint = "" if rows.height or not rated else f"; {rated:,} are rated but not listed (--all)"
    for path, kind in zip(output, kinds, strict=True):
        lost = export_list(sheet, path, format=kind, ids=ids.value)
        count = sheet.rows.height
        say(
            f"{path}: {count:,} player{'' if count == 1 else 's'} of {kept.words}{f', {face}' if face else ''}{hint}"
        )
        for words in lost:
            say(f"  {words}")
