"""`arpad ipr`: how strong the choice of moves was, on the rating scale; with its calibration, its test and its errors."""

from __future__ import annotations

import typer

from arpad.cli import ipr_calibrate, ipr_compare, ipr_errors, ipr_files, ipr_test
from arpad.cli.default_group import DefaultGroup

__all__ = ["add_to"]


def add_to(app: typer.Typer) -> None:
    """Register `arpad ipr FILES` and the verbs under the same name."""
    group = typer.Typer(
        name="ipr",
        cls=DefaultGroup,
        help="Rate players by their choice of moves: intrinsic performance ratings.",
        no_args_is_help=True,
        rich_markup_mode=None,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    ipr_files.add_to(group)
    ipr_calibrate.add_to(group)
    ipr_test.add_to(group)
    ipr_errors.add_to(group)
    ipr_compare.add_to(group)
    app.add_typer(group)
