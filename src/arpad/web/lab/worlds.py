"""Simulated worlds: small ones, seeded, so that the same page shows the same figures."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Literal
from urllib.parse import urlencode

import polars as pl

from arpad.lab.pairing import pairing as pairing_called
from arpad.lab.population import Normal
from arpad.lab.season import Season
from arpad.lab.simulation import simulate
from arpad.lab.start import Start
from arpad.lab.world import World, world_curve
from arpad.rate.systems import system
from arpad.web.contexts import Chart
from arpad.web.lab.contexts import Choice, WorldLine, WorldRow, Worlds

if TYPE_CHECKING:
    from arpad.lab.simulation import Simulation

__all__ = ["Drift", "PairingName", "StartName", "WorldName", "simulated", "worlds_page"]

StartName = Literal["mean", "high", "low", "true"]
WorldName = Literal["logistic", "normal", "linear"]
Drift = Literal["0", "5", "15"]
PairingName = Literal["random", "strength"]

PLAYERS, ROUNDS, RUNS, PERIOD, SEED = 300, 100, 3, 10, 1903
"""Small enough to be played while somebody waits."""
KEPT = 24
"""Worlds that are remembered."""
WATCHED = (1200.0, 1500.0, 1800.0, 2100.0)
"""True ratings of players whose way can be followed."""
AFTER = (0, 10, 25, 50, ROUNDS)
"""Rounds whose figures the table has."""
SYSTEMS = {
    "elo, K 10": ("elo", {"k": 10}), "elo, K 32": ("elo", {"k": 32}), "glicko2": ("glicko2", {}), "pra": ("pra", {}),
}  # fmt: skip
WORDS = {
    "start": {
        "mean": "everybody at the mean", "high": "everybody 200 too high", "low": "everybody 200 too low",
        "true": "everybody right",
    },
    "world": {"logistic": "the logistic curve", "normal": "the normal curve", "linear": "a straight line"},
    "drift": {"0": "stay as they are", "5": "change a little (5 points a round)", "15": "change a lot (15 points a round)"},
    "pairing": {"random": "at random", "strength": "against neighbours"},
}  # fmt: skip


@lru_cache(maxsize=KEPT)
def simulated(start: StartName, world: WorldName, drift: Drift, pairing: PairingName) -> Simulation:
    """Return a simulation: played once, as it has nothing to do with the ledger."""
    season = Season(
        players=PLAYERS, rounds=ROUNDS, seed=SEED, population=Normal(), watch=WATCHED, start=Start(kind=start),
        pairing=pairing_called(pairing), world=World(curve=world_curve(world), drift=float(drift)),
    )  # fmt: skip
    entrants = {label: system(name, **options) for label, (name, options) in SYSTEMS.items()}
    return simulate(season, entrants, runs=RUNS, period=PERIOD)


def worlds_page(start: StartName, world: WorldName, drift: Drift, pairing: PairingName) -> Worlds:
    """Return the page."""
    found = simulated(start, world, drift, pairing)
    asked_for = {"start": start, "world": world, "drift": drift, "pairing": pairing}
    query = urlencode(asked_for)
    rows = found.table().filter(pl.col("round").is_in(AFTER))
    chosen = {
        name: [Choice(value=v, text=text, chosen=v == asked_for[name]) for v, text in words.items()]
        for name, words in WORDS.items()
    }
    return Worlds(
        summary=found.summary(),
        players=PLAYERS,
        rounds=ROUNDS,
        runs=RUNS,
        seed=SEED,
        tolerance=float(str(found.parameters["tolerance"])),
        period=PERIOD,
        **chosen,
        after=AFTER,
        rows=[
            WorldLine(
                system=label,
                after=[
                    WorldRow(**{name: row[name] for name in WorldRow.model_fields})
                    for row in rows.filter(pl.col("system") == label).iter_rows(named=True)
                ],
            )
            for label in SYSTEMS
        ],
        chart=Chart(
            title="Players whose rating is 100 points or more from the truth",
            href=f"/charts/lab/world?{query}",
            says=f"Players out of spec after every round, a line for each system. {found.summary()}",
        ),
        path=Chart(
            title=f"The way of a player whose true rating is {WATCHED[-1]:.0f}, in the first run",
            href=f"/charts/lab/path?{query}",
            says="The rating by each system after every round, beside the true strength and a band of 100 points around it.",
        ),
        watched=WATCHED,
    )
