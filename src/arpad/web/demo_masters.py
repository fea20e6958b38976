"""The masters that the demo club invited: who came, how they scored, and the report of it.

The results are made up so that there is something to see: the club's first player makes a norm for International
Master, and the winner scores enough for Grandmaster but meets one Grandmaster too few.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["MASTERS", "RESULTS", "START", "Master", "masters_games"]

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
)  # fmt: skip
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
