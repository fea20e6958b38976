"""Players by name, although sources spell names as they like; years of birth for them."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from arpad.pool.persons import folded

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["OLDEST", "YOUNGEST", "Directory"]

YOUNGEST, OLDEST = 5, 55
"""Ages, in years, between which somebody may appear for the first time."""

EXACT = 99
"""Letters that count as shared where the whole name is the same."""


@dataclass(frozen=True, slots=True)
class Directory:
    """The players of a collection, to be found under other spellings of their names.

    Examples
    --------
    >>> who = Directory.of(["Lasker, Edward", "Lasker, Emanuel"], [104, 893])
    >>> who.find("lasker"), who.find("Lasker, Ed"), who.find("Laskerova")
    ('Lasker, Emanuel', 'Lasker, Edward', None)
    """

    names: tuple[str, ...]
    games: tuple[int, ...]
    spelled: Mapping[str, str]
    place: Mapping[str, int]
    by_surname: Mapping[str, list[tuple[str, int]]]

    @classmethod
    def of(
        cls, names: Sequence[str], games: Sequence[int], spelled: Mapping[str, str] | None = None
    ) -> Directory:
        """Return the directory of names with their numbers of games.

        Parameters
        ----------
        spelled
            Another name to the name here, for what no rule can know.
        """
        by_surname: dict[str, list[tuple[str, int]]] = defaultdict(list)
        for i, name in enumerate(names):
            surname, given = folded(name)
            by_surname[surname].append((given, i))
            if not given and " " in surname:  # `Hou Yifan` answers to `Hou` too
                by_surname[surname.split(" ", 1)[0]].append((surname.split(" ", 1)[1], i))
        place = {name: i for i, name in enumerate(names)}
        return cls(tuple(names), tuple(games), dict(spelled or {}), place, dict(by_surname))

    def find(self, asked: str) -> str | None:
        """Return who is meant: the very name, else the likest given name, else the most games."""
        fits = self._fits(asked)
        return self.names[max(fits)[2]] if fits else None

    def _fits(self, asked: str) -> list[tuple[int, int, int]]:
        """Return (letters shared, games, row) of everybody who may be meant."""
        asked = self.spelled.get(asked, asked)
        if asked in self.place:
            return [(EXACT, 0, self.place[asked])]
        surname, given = folded(asked)
        return [
            (_alike(given, other), self.games[i], i)
            for other, i in self.by_surname.get(surname, ())
            if other.startswith(given[:1])
        ]

    def births(self, given: Mapping[str, float], first: Sequence[float]) -> dict[str, float]:
        """Return the year of birth of each player for whom one is given.

        The surname must be the same without accents, the given names must begin with the same letter,
        and the age at the first game must be possible. Two births for one player, equally well
        spelled: none.

        Parameters
        ----------
        given
            Year of birth by name.
        first
            First year of play of each of `names`.
        """
        claims: dict[int, list[tuple[int, float]]] = defaultdict(list)
        for name, year in given.items():
            fits = [
                fit
                for fit in self._fits(name)
                if fit[0] and YOUNGEST <= first[fit[2]] - year <= OLDEST
            ]
            if fits:
                alike, _, i = max(fits)
                claims[i].append((alike, year))
        found = {}
        for i, those in claims.items():
            best = max(alike for alike, _ in those)
            years = {year for alike, year in those if alike == best}
            if len(years) == 1:
                found[self.names[i]] = years.pop()
        return found


def _alike(a: str, b: str) -> int:
    """Return how many letters two given names share at the beginning."""
    n = 0
    for x, y in zip(a, b, strict=False):
        if x != y:
            break
        n += 1
    return n
