"""Small seasons for the tests of the lab."""

from __future__ import annotations

from arpad.lab.pairing import Random
from arpad.lab.season import RunStart, Season
from arpad.lab.worlds import NormalPopulation, World


def season(**changes) -> Season:
    usual = {
        "players": 60,
        "rounds": 30,
        "seed": 1,
        "population": NormalPopulation(),
        "world": World(),
        "pairing": Random(),
        "start": RunStart(),
    }
    return Season(**{**usual, **changes})
