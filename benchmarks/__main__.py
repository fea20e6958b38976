"""Run every benchmark; print the table, and write it to docs/performance.md."""

from __future__ import annotations

import datetime as dt
import sys
from pathlib import Path

from rich.console import Console
from rich.table import Table

from benchmarks import (
    analysis,
    archive,
    gain,
    growth,
    histories,
    ledger,
    moves,
    pools,
    rating,
    reading,
    simulating,
    starting,
    web_load,
)
from benchmarks.measure import Result, human, machine

PAGE = Path(__file__).parent.parent / "docs" / "performance.md"
HEAD = ("task", "arpad", "peer", "its speed", "ratio", "bar", "met")


def cells(result: Result) -> list[str]:
    met = "" if result.met is None else "yes" if result.met else "NO"
    ratio = "" if result.ratio is None else f"{result.ratio:.3g} ×"
    return [
        result.task,
        human(result.arpad, result.unit),
        result.peer,
        human(result.theirs, result.unit),
        ratio,
        result.bar,
        met,
    ]


def page(results: list[Result]) -> str:
    lines = [
        "# Speed",
        "",
        f"Measured by `make bench` in one run on {dt.date.today()}: {machine()}.",
        "",
        "The data are generated with a fixed seed. Each other program (*peer*) gets the first part of the same",
        "data, as much as it can do in a few seconds. The best of several runs counts. A *bar* is a target;",
        "the table also shows the targets that arpad misses.",
        "",
        "| " + " | ".join(HEAD) + " |",
        "|" + "---|" * len(HEAD),
        *("| " + " | ".join(cells(r)) + " |" for r in results),
    ]
    return "\n".join(lines) + "\n"


def main() -> int:
    console = Console()
    results: list[Result] = []
    for part in (
        starting.start,
        reading.headers,
        moves.moves,
        moves.boards,
        rating.indexed,
        rating.spreads,
        pools.pools,
        histories.histories,
        simulating.simulations,
        rating.from_parquet,
        archive.archives,
        gain.statistics,
        analysis.analysis,
        ledger.ledgers,
        web_load.load,
    ):
        for result in part():
            results.append(result)
            console.print("  " + " · ".join(c for c in cells(result) if c), highlight=False)
    table = Table(*HEAD, title=machine())
    for result in results:
        table.add_row(*cells(result))
    console.print(table)
    found = list(growth.points())
    growth.chart(found, PAGE.parent / growth.CHART)
    text = growth.with_section(page(results), growth.section(found))
    PAGE.write_text(text, encoding="utf-8")
    console.print(f"Written to {PAGE.name}.")
    return int(any(r.met is False for r in results))


if __name__ == "__main__":
    sys.exit(main())
