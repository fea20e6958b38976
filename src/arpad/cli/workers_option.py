"""``--workers``: where much work is done, for every verb that has much of it."""

from __future__ import annotations

from typing import Annotated, Optional

import typer

__all__ = ["PatienceOption", "WorkersOption"]

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
