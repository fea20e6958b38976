"""Letting systems foretell the ledger's games: at once where that is short work, else in the background."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from arpad.lab.entrants import PUBLISHED, entrant
from arpad.lab.predicting import predict
from arpad.rate.systems import SYSTEMS

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import date

    from arpad.lab.prediction import Prediction
    from arpad.office.showing.lab_games import LabGames

__all__ = [
    "ALL", "DRAWS", "LEAST", "USUAL", "FieldName", "LeastGames", "is_long_work", "least_of", "walked",
]  # fmt: skip

LeastGames = Literal["", "0", "5", "10", "20", "30"]
FieldName = Literal["usual", "all"]

USUAL = ("elo", "fide", "glicko2", "stephenson", "uscf1994", "pra", "whr", "arpad", PUBLISHED)
"""Systems that are compared unless all are asked for: all of them take four times as long."""
ALL = (*SYSTEMS, PUBLISHED)
LEAST = {"0": "none", "5": "5", "10": "10", "20": "20", "30": "30"}
MANY, FEW_LEAST, MANY_LEAST = 5000, "5", "20"
"""From so many games on only those between players with 20 earlier ones are scored: below, most systems guess."""
DRAWS = 500


def least_of(sample: LabGames, least: LeastGames) -> str:
    """Return how many earlier games are asked for: what somebody chose, else what the ledger allows."""
    return least or (MANY_LEAST if len(sample.games) >= MANY else FEW_LEAST)


def is_long_work(sample: LabGames, field: FieldName) -> bool:
    """Say whether nobody would wait for it: all systems, and many games."""
    return field == "all" and len(sample.games) >= MANY


def walked(
    sample: LabGames,
    least: str,
    *,
    given: bool,
    field: FieldName,
    watch: Callable[[str], None] | None = None,
) -> Prediction:
    """Let every system of a field walk through the games; a UsageError says that there is too little.

    Parameters
    ----------
    watch
        Told the label of each system when it has walked.
    """
    names = USUAL if field == "usual" else ALL
    return predict(
        sample.games,
        [entrant(name, given=given) for name in names],
        test_from=None if len(sample.games) >= MANY else _half(sample),
        least_games=int(least),
        draws=DRAWS,
        watch=watch,
    )


def _half(sample: LabGames) -> date | None:
    """Return the month by which half of the games are played: the last fifth of a small ledger is a handful."""
    days = sample.games.table["date"]
    return None if not days.len() else days.sort()[days.len() // 2].replace(day=1)
