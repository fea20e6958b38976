"""A demonstration club: generated players, a season of events, lists, and a doubt that waits."""

from __future__ import annotations

import csv
import io
import random
from dataclasses import dataclass
from datetime import date, timedelta
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

from arpad.ledger.db.ledger import Ledger
from arpad.ledger.decisions.corrections import exclude_event
from arpad.ledger.imports.importing import import_files
from arpad.ledger.inspection import check_events
from arpad.ledger.list_making import make_list, publish_list
from arpad.ledger.lists import entries_kept, list_called
from arpad.ledger.policy import add_policy, preset
from arpad.ledger.titles import record_titles

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence


OFFICER = "Anna Arbiter"
POLICIES = ("club", "fide")
"""Whose lists there are."""
SEED = 1903
"""Elo's year of birth; any number would do, but the same one gives the same club."""
FIRST = [
    *("Ida", "Jan", "Luz", "Wei", "Tom", "Lev", "Mia", "Noé", "Åse", "Zoë", "Ravi", "Sina"),
    *("Omar", "Elif", "Finn", "Yuki", "Ana", "Béla", "Cleo", "Dara", "Ewa", "Gus", "Hana", "Ivo"),
]
LAST = [
    *("Berg", "Novak", "Ortiz", "Chen", "Haas", "Petrov", "O'Neil", "Dubois"),
    *("Ødegård", "Kovács", "Iyer", "Okafor", "Haddad", "Demir", "Virtanen", "Sato"),
    *("Lima", "Szabó", "Rossi", "Nguyễn", "Wójcik", "Hall", "Mori", "Horvat"),
]
FEDERATIONS = ["GER", "CZE", "ESP", "CHN", "USA", "FRA", "NOR", "HUN", "IND"]
STRONGEST, STEP = 2330.0, 38.0
"""Strength of the first player, and how far the next one is behind, in points."""
NEWCOMERS = (10, 18)
"""Players without a rating when they come: they earn their first one here."""
IMPROVED, BY = 3, 240.0
"""A player whose rating is years old, and by how many points it is too low."""
TITLES = {0: "FM", 2: "CM"}
"""What the first and the third player are called."""
YOUNGEST = 2006
"""Year of birth of the youngest player."""
WHITE, DRAWN = 35.0, 0.34
"""White's advantage in points, and the share of draws among equals."""
EVENTS = (
    ("Winter Open", date(2026, 1, 10), 5),
    ("February League", date(2026, 2, 7), 5),
    ("Spring Cup", date(2026, 3, 14), 7),
    ("Easter Open", date(2026, 4, 4), 7),
    ("May League", date(2026, 5, 9), 5),
    ("Summer Open", date(2026, 7, 11), 9),
    ("September League", date(2026, 9, 5), 5),
    ("Autumn Cup", date(2026, 10, 3), 7),
)
LATE = 4
"""The event that is reported after later lists are published."""
LOOKED_AT = (7, 10)
"""Numbers of the events that the officer has checked: the Autumn Cup and the masters. The rest waits."""
HEAD = ("event", "date", "round", "white", "black", "result")
ABOUT = ("federation", "birth", "rating", "title")
"""What a report says of a player, beside the name."""


def fill_demo(place: str, folder: Path) -> None:
    """Make a ledger with a club's season in it.

    Parameters
    ----------
    folder
        Where the files of the events are written before they are imported.
    """
    dice = random.Random(SEED)
    known: set[int] = set()
    with Ledger.open(place, create=True) as ledger:
        with ledger.writing(OFFICER, "policies") as connection:
            add_policy(connection, preset("club"))
            add_policy(connection, preset("fide", provisional_games=5))
        reports = [_report(folder, number, dice, known) for number in range(len(EVENTS))]
        late = reports.pop(LATE)
        for path, month in zip(reports, _months(), strict=True):
            list(import_files(ledger, [str(path)], who=OFFICER))
            for policy in POLICIES:
                make_list(ledger, policy=policy, name=month, who=OFFICER)
                publish_list(ledger, policy=policy, name=month, who=OFFICER)
        old = folder / "game-of-the-century.pgn"
        old.write_bytes((files("arpad") / "samples" / old.name).read_bytes())
        list(import_files(ledger, [str(late), str(old)], who=OFFICER))
        with ledger.writing(OFFICER, "A game to look at, not one of the club's") as connection:
            exclude_event(connection, len(EVENTS) + 1)
        with ledger.reading() as connection:
            listed = entries_kept(connection, list_called(connection, "fide", "2026-11"))
        ratings = dict(listed.select("name", "rating").iter_rows())
        list(import_files(ledger, [str(_masters(folder, ratings))], who=OFFICER))
        for policy in POLICIES:
            make_list(ledger, policy=policy, name="2026-12", who=OFFICER)
        check_events(ledger, LOOKED_AT, policy="club")
        with ledger.writing(OFFICER, "titles") as connection:
            record_titles(connection, policy="fide")


def _months() -> Iterator[str]:
    """Give the list after each event that was reported in time."""
    for number, (_, start, _) in enumerate(EVENTS):
        if number != LATE:
            yield f"{start.year}-{start.month + 1:02}"


def _report(folder: Path, number: int, dice: random.Random, known: set[int]) -> Path:
    """Write one event as CSV: every round pairs players with similar scores.

    Parameters
    ----------
    known
        Players who were here before: FIDE's rating and title are told of the others, once.
    """
    name, start, rounds = EVENTS[number]
    people = sorted(dice.sample(range(len(LAST)), 16 if number != 6 else 10))
    points = dict.fromkeys(people, 0.0)
    met: set[tuple[int, int]] = set()
    new = set() if number == LATE else set(people) - known
    rows = []
    for turn in range(1, rounds + 1):
        for white, black in _pairs(people, points, met, turn):
            score = _played(white, black, dice)
            points[white] += score
            points[black] += 1 - score
            result = {1.0: "1-0", 0.5: "1/2-1/2", 0.0: "0-1"}[score]
            day = start + timedelta(days=turn - 1)
            rows.append(
                [
                    name,
                    day,
                    turn,
                    _name(white, number),
                    _name(black, number),
                    result,
                    *_about(white, number, told=white in new),
                    *_about(black, number, told=black in new),
                ]
            )
    known |= new
    return _written(folder / f"{number + 1}-{name.lower().replace(' ', '-')}.csv", rows)


def _masters(folder: Path, ratings: Mapping[str, float]) -> Path:
    """Write the event of the masters; two of the club play among them, with their ratings of the month."""

    def about(one: Master) -> tuple[object, ...]:
        return one.federation, one.birth, one.rating or f"{ratings[one.name]:.0f}", one.title

    rows = [
        [NAME, day, turn, white.name, black.name, result, *about(white), *about(black)]
        for day, turn, white, black, result in masters_games()
    ]
    return _written(folder / "9-autumn-masters.csv", rows)


def _written(path: Path, rows: Sequence[Sequence[object]]) -> Path:
    out = io.StringIO()
    table = csv.writer(out, lineterminator="\n")
    table.writerow([*HEAD, *(f"{side}_{what}" for side in ("white", "black") for what in ABOUT)])
    table.writerows(rows)
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


def _about(player: int, event: int, *, told: bool) -> list[object]:
    """Return what the report says of a player, in the order of `ABOUT`."""
    flag = FEDERATIONS[player % len(FEDERATIONS)]
    rated = told and player not in NEWCOMERS
    return [
        flag,
        _born(player, event),
        _rating(player) if rated else None,
        TITLES.get(player) if told else None,
    ]


def _rating(player: int) -> int:
    """Return FIDE's rating: the player's strength within some points, but for one who has improved."""
    strength = STRONGEST - STEP * player - (BY if player == IMPROVED else 0.0)
    return round(strength + (player * 29) % 61 - 30)


def _born(player: int, event: int) -> int | None:
    """Return a year of birth: all are of age, so that nobody has a junior's K; who was misspelt has none there."""
    return None if (player, event) == (6, 7) else YOUNGEST - (player * 17) % 50


# The masters that the demo club invited: who came, how they scored, and the report of it.
#
# The results are made up so that there is something to see: the club's first player makes a norm for International
# Master, and the winner scores enough for Grandmaster but meets one Grandmaster too few.

NAME, START = "Autumn Masters", date(2026, 11, 7)


@dataclass(frozen=True, slots=True, kw_only=True)
class Master:
    """One of the ten, as the report has them."""

    name: str
    title: str | None
    federation: str
    birth: int
    rating: int | None
    """FIDE's; None: the list of the month has it, as the player is one of the club's."""


MASTERS = (
    Master(name="Keller, Jonas", title="IM", federation="AUT", birth=1998, rating=2471),
    Master(name="Aronsson, Nils", title="GM", federation="SWE", birth=1985, rating=2518),
    Master(name="Duarte, Rui", title="GM", federation="POR", birth=1979, rating=2492),
    Master(name="Berg, Ida", title="FM", federation="GER", birth=2006, rating=None),
    Master(name="Zhou, Lan", title="IM", federation="CHN", birth=2001, rating=2448),
    Master(name="Fabbri, Marta", title="IM", federation="ITA", birth=1994, rating=2430),
    Master(name="Eriksen, Odd", title="IM", federation="NOR", birth=1972, rating=2417),
    Master(name="Baker, Tim", title="FM", federation="ENG", birth=1990, rating=2361),
    Master(name="Costa, Nuno", title="FM", federation="POR", birth=2003, rating=2344),
    Master(name="Novak, Jan", title=None, federation="CZE", birth=1989, rating=None),
)
"""In the order in which they finished."""
RESULTS = (
    "-1===11=11",
    "0-1===1=11",
    "=0-==1=1=1",
    "===-110==1",
    "===0-==101",
    "0=00=-1==1",
    "00=1=0-=1=",
    "==0=0==-==",
    "00==1=0=-0",
    "000000==1-",
)
"""What each scored against each: 1, = or 0."""


def masters_games() -> Iterator[tuple[date, int, Master, Master, str]]:
    """Give day, round, White, Black and result: everybody meets everybody, by turns around a table.

    Examples
    --------
    >>> len({frozenset((w.name, b.name)) for _, _, w, b, _ in masters_games()})
    45
    """
    last = len(MASTERS) - 1
    for turn in range(last):
        day = START + timedelta(days=turn)
        for board in range(len(MASTERS) // 2):
            one = last if board == 0 else (turn + board) % last
            two = (turn - board) % last
            white, black = (one, two) if (board or turn) % 2 else (two, one)
            won = {"1": "1-0", "=": "1/2-1/2", "0": "0-1"}[RESULTS[white][black]]
            yield day, turn + 1, MASTERS[white], MASTERS[black], won
