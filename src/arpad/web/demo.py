"""A club to look at: generated players, a season of events, lists, and something that waits for a decision."""

from __future__ import annotations

import csv
import io
import random
from datetime import date, timedelta
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

from arpad.office.intake.importing import import_files
from arpad.office.making.list_making import make_list, publish_list
from arpad.office.rules.policies import add_policy
from arpad.office.rules.presets import preset
from arpad.office.verdicts.inspecting import check_events
from arpad.store.ledger.ledger import Ledger

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["OFFICER", "fill_demo"]

OFFICER = "Anna Arbiter"
SEED = 1903
"""Elo's year of birth; any number would do, but the same one gives the same club."""

FIRST = [
    "Ida",
    "Jan",
    "Luz",
    "Wei",
    "Tom",
    "Lev",
    "Mia",
    "Noé",
    "Åse",
    "Zoë",
    "Ravi",
    "Sina",
    "Omar",
    "Elif",
    "Finn",
    "Yuki",
    "Ana",
    "Béla",
    "Cleo",
    "Dara",
    "Ewa",
    "Gus",
    "Hana",
    "Ivo",
]
LAST = [
    "Berg",
    "Novak",
    "Ortiz",
    "Chen",
    "Haas",
    "Petrov",
    "O'Neil",
    "Dubois",
    "Ødegård",
    "Kovács",
    "Iyer",
    "Okafor",
    "Haddad",
    "Demir",
    "Virtanen",
    "Sato",
    "Lima",
    "Szabó",
    "Rossi",
    "Nguyễn",
    "Wójcik",
    "Hall",
    "Mori",
    "Horvat",
]
FEDERATIONS = ["GER", "CZE", "ESP", "CHN", "USA", "FRA", "NOR", "HUN", "IND"]
STRONGEST, STEP = 2250.0, 38.0
"""Strength of the first player, and how far the next one is behind, in points."""

YOUNGEST = 2006
"""Year of birth of the youngest player."""

WHITE, DRAWN = 35.0, 0.34
"""White's advantage in points, and the share of draws among equals."""

EVENTS = (
    ("Winter Open", date(2026, 1, 10), 5), ("February League", date(2026, 2, 7), 5), ("Spring Cup", date(2026, 3, 14), 7),
    ("Easter Open", date(2026, 4, 4), 7), ("May League", date(2026, 5, 9), 5), ("Summer Open", date(2026, 7, 11), 9),
    ("September League", date(2026, 9, 5), 5), ("Autumn Cup", date(2026, 10, 3), 7),
)  # fmt: skip
LATE = 4
"""The event that is reported after later lists are published."""


def fill_demo(place: str, folder: Path) -> None:
    """Make a ledger with a club's season in it.

    Parameters
    ----------
    folder
        Where the files of the events are written before they are imported.
    """
    dice = random.Random(SEED)
    with Ledger.open(place, create=True) as ledger:
        with ledger.writing(OFFICER, "policies") as connection:
            add_policy(connection, preset("club"))
            add_policy(connection, preset("fide", provisional_games=5))
        reports = [_report(folder, number, dice) for number in range(len(EVENTS))]
        late = reports.pop(LATE)
        for path, month in zip(reports, _months(), strict=True):
            list(import_files(ledger, [str(path)], who=OFFICER))
            for policy in ("club", "fide"):
                make_list(ledger, policy=policy, name=month, who=OFFICER)
                publish_list(ledger, policy=policy, name=month, who=OFFICER)
        master = files("arpad") / "samples" / "game-of-the-century.pgn"
        old = folder / "game-of-the-century.pgn"
        old.write_bytes(master.read_bytes())
        list(import_files(ledger, [str(late), str(old)], who=OFFICER))
        make_list(ledger, policy="club", name="2026-12", who=OFFICER)
        check_events(ledger, policy="club")


def _months() -> Iterator[str]:
    """Give the list after each event that was reported in time."""
    for number, (_, start, _) in enumerate(EVENTS):
        if number != LATE:
            yield f"{start.year}-{start.month + 1:02}"


def _report(folder: Path, number: int, dice: random.Random) -> Path:
    """Write one event as CSV: everybody meets whoever stands near him, round by round."""
    name, start, rounds = EVENTS[number]
    people = sorted(dice.sample(range(len(LAST)), 16 if number != 6 else 10))
    points = dict.fromkeys(people, 0.0)
    met: set[tuple[int, int]] = set()
    out = io.StringIO()
    rows = csv.writer(out, lineterminator="\n")
    rows.writerow(
        [
            "event",
            "date",
            "round",
            "white",
            "black",
            "result",
            "white_federation",
            "black_federation",
            "white_birth",
            "black_birth",
        ]
    )
    for turn in range(1, rounds + 1):
        for white, black in _pairs(people, points, met, turn):
            score = _played(white, black, dice)
            points[white] += score
            points[black] += 1 - score
            result = {1.0: "1-0", 0.5: "1/2-1/2", 0.0: "0-1"}[score]
            day = start + timedelta(days=turn - 1)
            rows.writerow(
                [
                    name,
                    day,
                    turn,
                    _name(white, number),
                    _name(black, number),
                    result,
                    _flag(white),
                    _flag(black),
                    _born(white, number),
                    _born(black, number),
                ]
            )
    path = folder / f"{number + 1}-{name.lower().replace(' ', '-')}.csv"
    path.write_text(out.getvalue(), encoding="utf-8")
    return path


def _pairs(
    people: list[int], points: dict[int, float], met: set[tuple[int, int]], turn: int
) -> Iterator[tuple[int, int]]:
    free = sorted(people, key=lambda p: (-points[p], p))
    while len(free) > 1:
        first = free.pop(0)
        second = next((p for p in free if (min(first, p), max(first, p)) not in met), free[0])
        free.remove(second)
        met.add((min(first, second), max(first, second)))
        yield (first, second) if (first + second + turn) % 2 else (second, first)


def _played(white: int, black: int, dice: random.Random) -> float:
    D = STEP * (black - white) + WHITE
    expected = 1 / (1 + 10 ** (-D / 400))
    draw = DRAWN * 4 * expected * (1 - expected)
    roll = dice.random()
    return 1.0 if roll < expected - draw / 2 else 0.5 if roll < expected + draw / 2 else 0.0


def _name(player: int, event: int) -> str:
    """Return a name; in one event somebody wrote only the initial of one player."""
    first = FIRST[player] if (player, event) != (6, 7) else FIRST[player][0] + "."
    return f"{LAST[player]}, {first}"


def _flag(player: int) -> str:
    return FEDERATIONS[player % len(FEDERATIONS)]


def _born(player: int, event: int) -> int | None:
    """Return a year of birth: all are of age, so that nobody has a junior's K; who was misspelt has none there."""
    return None if (player, event) == (6, 7) else YOUNGEST - (player * 17) % 50
