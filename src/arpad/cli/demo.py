"""`arpad demo`: the main job on a bundled tournament, from file to report."""

from __future__ import annotations

import os
import shutil
import sys
from importlib.resources import as_file, files
from pathlib import Path
from typing import Annotated

import typer

from arpad.errors import UsageError

__all__ = ["add_to"]

SAMPLE = "frankfurt-1997.pra"
GAME = "game-of-the-century.pgn"


def add_to(app: typer.Typer) -> None:
    """Register the verb."""
    app.command()(demo)


def demo(
    folder: Annotated[
        str, typer.Argument(help="Where to put the chart and the report.")
    ] = "arpad-demo",
) -> None:
    """Rate a bundled tournament, from file to report."""
    from arpad.event import crosstable
    from arpad.publish import charts
    from arpad.publish.atomic import write_text
    from arpad.publish.page import Section, page
    from arpad.publish.tables import plain_console, rich_table
    from arpad.rate import Elo, k_policy
    from arpad.read import read

    place = Path(folder)
    try:
        place.mkdir(parents=True, exist_ok=True)
        for name in (SAMPLE, GAME):
            with as_file(files("arpad") / "samples" / name) as sample:
                write_text(place / name, sample.read_text("utf-8"))
    except OSError as error:
        raise UsageError(f"{place}: expected a folder to write in: {error.strerror}") from None
    reading = read(place / SAMPLE)
    games, event = reading.games, reading.games.events[0]
    system = Elo(k=k_policy(10))
    ratings = system.rate(games)
    table = crosstable(games).table()
    shown = ratings.table().drop("total_games", "id", strict=False)
    subtitle = f"{len(games)} games, {games.players.height} players; Elo, logistic curve, K = 10"
    picture = charts.rating_paths(charts.paths(system, games), title=event.name, subtitle=subtitle)
    charts.save(picture, place / "ratings.png")
    words = "± is one standard deviation of chance alone over these games; the ratings before them are taken as given."
    sections = [
        Section("Crosstable", table=table, digits={"rating": 0}),
        Section("Ratings", table=shown, words=words),
        Section("Game by game", picture=charts.svg(picture)),
        Section("How it came about", words=ratings.summary()),
    ]
    write_text(place / "report.html", page(event.name, subtitle, sections))
    console = plain_console()
    console.print(f"\n{event.name}: {subtitle}\n")
    console.print(rich_table(table, title="Crosstable", digits={"rating": 0}))
    console.print()
    console.print(rich_table(shown, title="Ratings"))
    console.print(f"\n{words}")
    console.print(f"\nLook at  {place / 'ratings.png'}  and  {place / 'report.html'}")
    console.print("Try next:")
    for words in (
        f"rate {place / SAMPLE} --curve normal --k 20",
        f"event {place / SAMPLE} --fit",
        f"gain {place / GAME} --engine-rating 2860",
        f"convert {place / SAMPLE} {place / 'frankfurt.csv'}",
        "expect 2765 2570",
    ):
        console.print(f"  {_own_name()} {words}", soft_wrap=True)


def _own_name() -> str:
    """Return how this program is called from here: by its name if the PATH knows it."""
    here, found = Path(sys.argv[0]), shutil.which("arpad")
    if here.name != "arpad" or (found and Path(found).resolve() == here.resolve()):
        return "arpad"
    return os.path.relpath(here)
