"""``--workers``: where much work is done, for every verb that has much of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Optional

import typer

from arpad.workers import PATIENCE, workers_called

if TYPE_CHECKING:
    from arpad.workers import Workers

__all__ = ["PATIENCE", "PatienceOption", "WorkersOption", "team"]

WorkersOption = Annotated[
    Optional[str],  # noqa: UP045 - Typer reads the annotation
    typer.Option(
        "--workers",
        help="How many processes share the work; ray, ray:N or ray://HOST:PORT for a Ray cluster. Figures are the same. [1]",
    ),
]
PatienceOption = Annotated[
    float,
    typer.Option(
        help="With --workers: seconds after which a piece of the work counts as hanging and is tried again.",
        min=1.0,
    ),
]


def team(workers: str | None, patience: float) -> Workers:
    """Return who does the work, as the options say."""
    return workers_called(workers, patience=patience)
