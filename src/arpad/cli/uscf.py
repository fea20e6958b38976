"""`arpad uscf`: titles as the U.S. Chess Federation had them in 1994."""

from __future__ import annotations

import typer

from arpad.cli import uscf_odds, uscf_titles

__all__ = ["add_to"]


def add_to(app: typer.Typer) -> None:
    """Register the verbs under their common name."""
    group = typer.Typer(
        name="uscf",
        help="The USCF's titles of 1994 and their odds.",
        no_args_is_help=True,
        rich_markup_mode=None,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    for verb in (uscf_titles, uscf_odds):
        verb.add_to(group)
    app.add_typer(group)
