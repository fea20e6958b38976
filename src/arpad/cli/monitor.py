"""`arpad monitor`: the health of a rating pool, from its lists and its games."""

from __future__ import annotations

import typer

from arpad.cli import monitor_deflation, monitor_exchange, monitor_growth, monitor_lists

__all__ = ["add_to"]


def add_to(app: typer.Typer) -> None:
    """Register the verbs under their common name."""
    monitors = typer.Typer(
        name="monitor",
        help="Watch a rating pool: deflation, its shape, its growth, who takes points from whom.",
        no_args_is_help=True,
        rich_markup_mode=None,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    monitor_lists.add_to(monitors)
    monitor_exchange.add_to(monitors)
    monitor_deflation.add_to(monitors)
    monitor_growth.add_to(monitors)
    app.add_typer(monitors)
