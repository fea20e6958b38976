"""`arpad uscf`: what the U.S. Chess Federation's report of 1994 has beside ratings."""

from __future__ import annotations

import typer

from arpad.cli import uscf_fide, uscf_odds, uscf_titles

__all__ = ["add_to"]


def add_to(app: typer.Typer) -> None:
    """Register the verbs under their common name."""
    group = typer.Typer(
        name="uscf",
        help="The USCF's titles of 1994 and their odds; FIDE results into a USCF rating.",
        no_args_is_help=True,
        rich_markup_mode=None,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    for verb in (uscf_titles, uscf_odds, uscf_fide):
        verb.add_to(group)
    app.add_typer(group)
