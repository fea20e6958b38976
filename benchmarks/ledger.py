"""The rating officer's work, in one process and as commands: a big ledger and a club's."""

from __future__ import annotations

import random
import tempfile
import time
from pathlib import Path
from subprocess import DEVNULL, run
from typing import TYPE_CHECKING

from arpad.cli.ledger.explain import explained_people
from arpad.ledger.db.ledger import Ledger
from arpad.ledger.imports.importing import import_files
from arpad.ledger.list_making import make_list, publish_list
from arpad.ledger.lists import list_called
from arpad.ledger.policy import add_policy, preset
from arpad.ledger.queries.explain import explained
from arpad.publish.tables import as_text
from benchmarks.explaining import GAMES
from benchmarks.measure import Result, arpad_command, best, best_process

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlalchemy.engine import Connection

    from arpad.ledger.queries.explain import Explanation

SEED = 1952
PEOPLE, CLUB_GAMES, EVENTS = 200, 3_000, 30
EXPLAINED = "Kramnik,V"
"""Somebody with a thousand games behind his figure."""
EVENT = """event,date,round,white,white_fide_id,black,black_fide_id,result
Coffee house,2016-12-30,1,"So,W",5202213,"Kramnik,V",4101588,1-0
Coffee house,2016-12-30,2,"Kramnik,V",4101588,"Nakamura,Hi",2016192,1/2-1/2
Coffee house,2016-12-31,3,"Nakamura,Hi",2016192,"So,W",5202213,0-1
"""


def ledgers() -> Iterator[Result]:
    """Measure the big ledger where its games are there, and a club's."""
    with tempfile.TemporaryDirectory() as folder:
        if GAMES.exists():
            yield from _big(Path(folder))
        yield from _club(Path(folder))


def _timed(*arguments: str | Path) -> float:
    start = time.perf_counter()
    run([arpad_command(), *map(str, arguments)], check=True, stdout=DEVNULL, stderr=DEVNULL)
    return time.perf_counter() - start


def _below(task: str, took: float, bar: float) -> Result:
    return Result(task, "s", took, bar=f"< {bar:g} s", met=took < bar)


def _big(folder: Path) -> Iterator[Result]:
    place = ("--db", folder / "big.db")
    yield _below("import of 748,444 games into a ledger", _timed("import", GAMES, *place), 60)
    _timed("list", "policy", "fide", "--preset", "fide", *place)
    yield _below("a full list of them, 75 periods", _timed("list", "make", "--policy", "fide", *place), 15)
    (folder / "late.csv").write_text(EVENT)
    (folder / "later.csv").write_text(EVENT.replace("Coffee house", "Tea house"))
    with Ledger.open(folder / "big.db") as ledger:
        start = time.perf_counter()
        list(import_files(ledger, [str(folder / "late.csv")]))
        make_list(ledger, policy="fide")
        yield _below("one event more and the list again", time.perf_counter() - start, 2)
        with ledger.reading() as connection:
            kept = list_called(connection, "fide")
            took = best(lambda: as_text(*explained_people(_explained(connection), kept.words)))
        yield _below("a figure explained", took, 0.3)
    took = _timed("import", folder / "later.csv", *place)
    took += _timed("list", "make", "--policy", "fide", *place)
    yield Result("one event more and the list again, as two commands", "s", took)
    explain = [arpad_command(), "explain", EXPLAINED, "--policy", "fide", *map(str, place)]
    yield Result("a figure explained, as a command", "s", best_process(explain))


def _explained(connection: Connection) -> Explanation:
    return explained(connection, EXPLAINED, policy="fide").explanation


def _club(folder: Path) -> Iterator[Result]:
    place = ("--db", folder / "club.db")
    dice = random.Random(SEED)
    lines = ["event,date,round,white,black,result"]
    for number in range(CLUB_GAMES):
        event, of = number * EVENTS // CLUB_GAMES, CLUB_GAMES // EVENTS
        white, black = dice.sample(range(PEOPLE), 2)
        result = dice.choice(["1-0", "0-1", "1/2-1/2"])
        day = f"{2024 + event // 12}-{event % 12 + 1:02}-{1 + number % of // 4:02}"
        lines.append(f"Event {event},{day},{number % of // 20 + 1},Player {white},Player {black},{result}")  # fmt: skip
    (folder / "club.csv").write_text("\n".join(lines) + "\n")
    rounds = [_tasks(folder / f"{name}.db", folder / "club.csv") for name in ("one", "two", "club")]
    took = {what: min(each[what] for each in rounds) for what in rounds[0]}
    slowest = max(took, key=lambda what: took[what])
    yield _below(f"a club of 200 players, 3,000 games in 30 months: the slowest task ({slowest})", took[slowest], 1)  # fmt: skip
    for verb in ("make", "show"):
        run_ = [arpad_command(), "list", verb, "--policy", "club", *map(str, place)]
        yield Result(f"arpad list {verb}, of that club", "s", best_process(run_))


def _tasks(place: Path, games: Path) -> dict[str, float]:
    """Return how long the tasks of a club take with a new ledger."""
    with Ledger.open(place, create=True) as ledger:
        took = {
            "import": best(lambda: list(import_files(ledger, [str(games)])), 1),
            "policy": best(lambda: _policy(ledger), 1),
            "list": best(lambda: make_list(ledger, policy="club"), 1),
            "publishing": best(lambda: publish_list(ledger, policy="club", who="benchmark"), 1),
        }
        with ledger.reading() as connection:
            took["explaining"] = best(lambda: explained(connection, "Player 7", policy="club"))
    return took


def _policy(ledger: Ledger) -> None:
    with ledger.writing("benchmark", "policy") as connection:
        add_policy(connection, preset("club"))
