"""Does every figure of the real ledger add up, and how long does one take to explain?

``python -m benchmarks.explaining [LEDGER]``: a ledger that is there, else one made from the 748,444 games of
``../shared/data`` (a minute and a half). It must have, or gets, the policy ``fide``.
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

from arpad.cli.ledger.explain import explained_people
from arpad.ledger.db.ledger import Ledger
from arpad.ledger.imports.importing import import_files
from arpad.ledger.list_making import make_list
from arpad.ledger.lists import kept_lists, list_called
from arpad.ledger.policy import add_policy, preset
from arpad.ledger.queries.explain import audited, explained
from arpad.publish.tables import as_text

GAMES = Path(__file__).parents[2] / "shared/data/twic_results/results_2010_2016_fideid.parquet"
BAR = 0.3
"""Seconds in which one figure is to be explained."""


def made(place: Path) -> None:
    """Import the games and make a list."""
    with Ledger.open(place, create=True) as ledger:
        list(import_files(ledger, [str(GAMES)]))
        with ledger.writing("benchmark", "policy") as connection:
            add_policy(connection, preset("fide"))
        make_list(ledger, policy="fide")


def main(place: Path) -> int:
    with Ledger.open(place) as ledger, ledger.reading() as connection:
        if not kept_lists(connection, "fide"):
            raise SystemExit("this ledger has no list of the policy fide")
        kept = list_called(connection, "fide")
        start = time.process_time()
        found = audited(connection, kept)
        print(found.summary())
        print(f"looked at in {time.process_time() - start:.1f} s (CPU)")
        slowest, who = 0.0, ""
        for name in ("Carlsen,M", "So,W", "Kramnik,V", "#77"):
            start = time.process_time()
            mine = explained(connection, name, policy="fide").explanation
            as_text(*explained_people(mine, kept.words))
            took = time.process_time() - start
            print(f"{mine.summary()}: {took:.3f} s (CPU)")
            slowest, who = max((slowest, who), (took, name))
    print(f"slowest: {who}, {slowest:.3f} s; the bar is {BAR} s")
    return int(not found.adds_up or slowest > BAR)


if __name__ == "__main__":
    if len(sys.argv) > 1:
        sys.exit(main(Path(sys.argv[1])))
    with tempfile.TemporaryDirectory() as folder:
        made(Path(folder) / "big.db")
        sys.exit(main(Path(folder) / "big.db"))
