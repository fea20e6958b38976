"""`arpad coverage`: how often the printed errors of rating systems hold the truth."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer

from arpad.cli.output import Emission, emit_result, emits, progress, table_of
from arpad.cli.predict import systems_asked

if TYPE_CHECKING:
    from arpad.lab.coverage import Coverage


DIGITS = {
    "covered": 2,
    "least": 2,
    "most": 2,
    "width": 0,
    "error": 0,
    "rmse": 0,
    "ratio": 2,
    "bias": 1,
    "spread": 2,
}


def add_coverage(app: typer.Typer) -> None:
    """Register the verb."""
    app.command()(coverage)


@emits
def coverage(
    systems: Annotated[
        str, typer.Option(help="all, or names with commas: elo,glicko2; constants after colons: elo:k=32.")
    ] = "all",
    worlds: Annotated[
        str,
        typer.Option(
            help="all, or names with commas: lot, neighbours, neighbours-10, neighbours-100, drift, swiss, divisions, closed-club, islands, juniors, returning, given."
        ),
    ] = "all",
    seeds: Annotated[int, typer.Option(help="Draw each world so many times.", min=1)] = 2,
    seed: Annotated[int, typer.Option(help="The first of the seeds.", min=0)] = 0,
    players: Annotated[int | None, typer.Option(help="Players of each world. [200]", min=4)] = None,
    every: Annotated[
        bool, typer.Option("--every", help="Print a row for each system and world, not only a row a system.")
    ] = False,
) -> Emission:
    """Test the printed errors of rating systems in simulated worlds where every strength is known.

    A 95 % interval is right if it holds 92 to 97 of 100 true strengths. Without options the command takes about half a minute; more seeds take longer and say more.

    arpad coverage

    arpad coverage --systems arpad,whr,glicko --seeds 8 --every

    arpad coverage --systems elo:k=32 --worlds lot,neighbours --format json
    """
    from arpad.lab.coverage import coverage as covered
    from arpad.rate.registry import SYSTEMS

    chosen = "all" if systems == "all" else {e.label: e.system for e in systems_asked(systems, given=None)}
    names = None if worlds == "all" else [name.strip() for name in worlds.split(",")]
    total = len(SYSTEMS) if chosen == "all" else len(chosen)
    with progress("rating") as tell:
        done = iter(range(1, total + 1))
        found = covered(
            chosen,
            names,
            seeds=seeds,
            seed=seed,
            players=players,
            watch=lambda label: tell(next(done), total, label),
        )
    single = found.rows["system"].n_unique() == 1
    return partial(
        emit_result, found, digits=DIGITS, parts=None if every or single else lambda: _parts(found)
    )


def _parts(found: Coverage) -> list[object]:
    table = found.by_system()
    silent = table.filter(table["covered"].is_null())["system"].to_list()
    none = [f"No error is printed by {', '.join(silent)}."] if silent else []
    return [
        table_of(table.filter(table["covered"].is_not_null()), DIGITS),
        "",
        "covered: share of true strengths inside the 95 % interval, over all worlds; least, most: of one world.",
        "width: of the interval; rmse: how wrong ratings are; ratio: printed error over rmse, 1 is right.",
        "below, within, above: worlds in which coverage is below .92, from .92 to .97, above .97.",
        *none,
        f"{found.summary()}. --every shows each world.",
    ]
