"""A comparison of systems as the JSON that the docs describe."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

from arpad.cli.reading import reading_document

if TYPE_CHECKING:
    from arpad.lab.prediction import Prediction
    from arpad.read import Reading

__all__ = ["prediction_document"]


def prediction_document(found: Prediction, reading: Reading) -> dict[str, object]:
    """Return everything: settings, counts, a row a system, calibration curves, parts, trials."""
    windows = found.windows
    return {
        "settings": {
            "period": found.period,
            "validation_from": windows.validation_from,
            "test_from": windows.test_from,
            "test_to": windows.end,
            "least_games": found.least_games,
            "draws": found.draws,
            "seed": found.seed,
            "levels": found.levels,
        },
        "counts": {**asdict(found.counts), "dropped": found.counts.dropped},
        "reference": found.reference,
        "systems": [
            {**each.row(), "parameters": dict(each.parameters)} for each in found.standings
        ],
        "calibration": found.curves.to_dicts(),
        "parts": found.parts.to_dicts(),
        "tuning": [
            {
                "system": each.system,
                "games": each.n,
                "seed": each.seed,
                "chosen": dict(each.best.options),
                "log_loss": each.best.log_loss,
                "log_loss_published": each.published.log_loss,
                "trials": [{**trial.options, "log_loss": trial.log_loss} for trial in each.trials],
            }
            for each in found.tuned
        ],
        "notes": list(found.notes),
        **reading_document(reading),
    }
