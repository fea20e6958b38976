"""Small seasons for the tests of the lab."""

from __future__ import annotations

from arpad.lab.pairing import Random
from arpad.lab.population import Normal
from arpad.lab.season import Season
from arpad.lab.start import Start
from arpad.lab.world import World


def season(**changes) -> Season:
    usual = {
        "players": 60,
        "rounds": 30,
        "seed": 1,
        "population": Normal(),
        "world": World(),
        "pairing": Random(),
        "start": Start(),
    }
    return Season(**{**usual, **changes})
