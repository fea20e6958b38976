"""The options that say how hard a USCF norm is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from arpad.event.uscf_norms import Schedule

__all__ = ["ChanceOption", "ExactOption", "schedule_of"]

ChanceOption = Annotated[
    float,
    typer.Option(
        "--norm-chance", help="P: how often a player of just the level makes a norm, in per cent."
    ),
]
ExactOption = Annotated[
    bool, typer.Option("--exact", help="Do not round Δ/√n to three decimals, as the report does.")
]


def schedule_of(norm_chance: float, exact: bool) -> Schedule:
    """Return the schedule that the options ask for."""
    from arpad.event.uscf_norms import Schedule

    return Schedule(norm_chance, exact)
