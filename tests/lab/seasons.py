"""Small seasons for the tests of the lab."""

from __future__ import annotations

from arpad.lab.pairing import Random
from arpad.lab.season import Season, Start
from arpad.lab.worlds import Normal, World


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
