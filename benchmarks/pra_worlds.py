"""PRA, Elo and Glicko-2 in three simulated worlds, for docs/methods/pra.md; run by hand, some minutes.

    python -m benchmarks.pra_worlds

In each world 2,000 players with true strengths N(1500, 300), everybody at 1500, random pairings, 340 rounds;
all systems on the same games, ten seeds. Glicko-2 rates ten rounds at a time. Two hundred of the players are
the population's own quantiles: through their ratings a straight line is laid, which takes the scale away.
"""

from __future__ import annotations

import numpy as np
from scipy.stats import norm

from arpad.lab.pairing import Random
from arpad.lab.season import RunStart, Season
from arpad.lab.simulate import Simulation, SystemResult, simulate
from arpad.lab.worlds import NormalPopulation, World, world_curve
from arpad.rate.draws import PUBLISHED
from arpad.rate.registry import system

PLAYERS, ROUNDS, RUNS, PERIOD = 2000, 340, 10, 10
LOOKS = (100, 340)
WATCHED = 200
SYSTEMS = {
    "PRA": system("pra"),
    "PRA, Basic alone": system("pra-basic"),
    "Basic alone, K = 30": system("pra-basic", k=30),
    "Elo, K = 40": system("elo", k=40),
    "Elo, K = 20": system("elo", k=20),
    "Elo, K = 10": system("elo", k=10),
    "Glicko-2": system("glicko2"),
}
WORLDS = {
    "PRA's chart": World(curve=world_curve("pra")),
    "normal": World(curve=world_curve("normal")),
    "logistic, draws": World(curve=world_curve("logistic"), draws=PUBLISHED),
}


def played(world: World) -> Simulation:
    """Return what every system made of the world."""
    truths = norm.ppf((np.arange(WATCHED) + 0.5) / WATCHED, 1500, 300)
    season = Season(
        players=PLAYERS,
        rounds=ROUNDS,
        population=NormalPopulation(),
        world=world,
        pairing=Random(),
        start=RunStart(),
        watch=tuple(float(true) for true in truths),
    )
    return simulate(season, SYSTEMS, runs=RUNS, period=PERIOD)


def told(values: np.ndarray, digits: int = 0) -> str:
    """Return mean and spread over the runs."""
    return f"{values.mean():.{digits}f} ± {values.std(ddof=1):.{digits}f}"


def line_fits(result: SystemResult) -> tuple[np.ndarray, np.ndarray]:
    """Return, run by run, the slope of the line through rating against truth, and what is left beside it in true points."""
    slopes, rests = [], []
    for course in result.courses:
        true, rating = course.truths[-1], course.paths[-1]
        slope, level = np.polyfit(true, rating, 1)
        slopes.append(slope)
        rests.append(np.std((rating - level) / slope - true))
    return np.array(slopes), np.array(rests)


def main() -> None:
    """Print the table of the page."""
    looks = " | ".join(f"out of spec after {n}, %" for n in LOOKS)
    print(f"| world | system | {looks} | RMS error after {ROUNDS} | slope | RMS beside the line |")
    print("|---|---|" + "---|" * (len(LOOKS) + 3))
    for name, world in WORLDS.items():
        for result in played(world).systems:
            share = 100 * result.over_runs("out_of_spec") / PLAYERS
            slopes, rests = line_fits(result)
            out = " | ".join(told(share[:, n], 1) for n in LOOKS)
            rms = told(result.over_runs("rms_error")[:, -1])
            print(
                f"| {name} | {result.label} | {out} | {rms} | {slopes.mean():.2f} | {told(rests)} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
