"""`arpad list`: rating lists that are made, published, shown, compared and put right."""

from __future__ import annotations

import typer

from arpad.cli import list_diff, list_export, list_make, list_policy, list_publish, list_show

__all__ = ["add_to"]


def add_to(app: typer.Typer) -> None:
    """Register the verbs under their common name."""
    lists = typer.Typer(
        name="list",
        help="Make rating lists from the ledger, publish them, show, compare and correct them.",
        no_args_is_help=True,
        rich_markup_mode=None,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    for verb in (list_make, list_publish, list_show, list_diff, list_export, list_policy):
        verb.add_to(lists)
    app.add_typer(lists)
