"""`arpad ipr FILES`: intrinsic performance ratings of players, events and years."""

from __future__ import annotations

from typing import Annotated

import typer

from arpad.cli.default_group import DEFAULT

__all__ = ["add_to"]


def add_to(group: typer.Typer) -> None:
    """Register the verb as what the group does itself."""
    group.command(DEFAULT, hidden=True)(rate_files)


def rate_files(
    files: Annotated[
        list[str], typer.Argument(help="PGN files; - is standard input.", metavar="FILES")
    ],
) -> None:
    """Rate players by their choice of moves."""
