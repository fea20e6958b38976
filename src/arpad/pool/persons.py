"""Persons behind several spellings, and the games of a collection that show strength."""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import as_file, files
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from arpad.errors import UsageError
from arpad.model import Games
from arpad.read.collect import named_numbers, named_texts

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray


# One person under several spellings: which names of a source belong together.
#
# Old collections write `Kasparov, Gary`, newer ones `Kasparov,G`. Unless these are joined, nobody
# lives on from one period to the next, and the periods have no link.

SHORT = 3
"""Letters up to which a given name is an abbreviation, and that two spellings of one share."""
APART = 10
"""Years between two spans of activity beyond which they are not one career."""
RATINGS_APART = 150.0
"""Published ratings at the same time, in points, beyond which two names are not one person."""
SOON = 3
"""Years within which published ratings are those of the same time."""
OUTNUMBERED = 10
"""A name stands for a longer one that has so many times its games."""
TIMES = 5
"""A short name that fits several people goes to one who has this many times the others' games."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Persons:
    """Row of the person for each row of `games.players`, and the joined names.

    `joined` has `name`, `person`, `games`, `why`; `doubtful` the short names that fit several people.
    """

    row: NDArray[np.int64]
    joined: pl.DataFrame
    doubtful: tuple[str, ...]


@lru_cache(maxsize=100_000)
def folded(name: str) -> tuple[str, str]:
    """Return surname and given name without accents, punctuation, particles, country codes.

    Examples
    --------
    >>> folded("Kasparov,G"), folded("Grünfeld, Ernst"), folded("Von Bardeleben, Curt")
    (('kasparov', 'g'), ('grunfeld', 'ernst'), ('bardeleben', 'curt'))
    >>> folded("Anand V"), folded("Ivanov,AV USA"), folded("Wang Yue")
    (('anand', 'v'), ('ivanov', 'av'), ('wang yue', ''))
    """
    plain = unicodedata.normalize("NFKD", name.strip())
    plain = "".join(c for c in plain if not unicodedata.combining(c))
    plain = _COUNTRY.sub("", plain) if "," in plain else plain
    if "," not in plain:
        plain = _INITIALS.sub(r",\1", plain)
    surname, _, given = plain.partition(",")
    return _UMLAUT.sub(r"\1", _letters(surname)), _letters(given)


_COUNTRY = re.compile(r"\s+\(?[A-Z]{3}\)?\s*$")
_INITIALS = re.compile(r"\s+([A-Z]{1,2})\.?$")
_UMLAUT = re.compile(r"([aou])e(?=[a-z])")
_PARTICLES = {"da", "de", "den", "der", "di", "du", "la", "van", "von"}


def _letters(text: str) -> str:
    words = re.sub(r"[^a-z0-9]+", " ", text.casefold()).split()
    return " ".join(w for w in words if w not in _PARTICLES) or " ".join(words)


def known_persons(
    *, masters: bool = False, names: str | None = None, births: str | None = None
) -> tuple[dict[str, float], dict[str, str]]:
    """Return years of birth by name, and the name of the person by other spellings.

    masters: Whether the bundled list of masters is taken.
    names, births: CSV files of one's own; they go before the bundled list.
    """
    born: dict[str, float] = {}
    spelled: dict[str, str] = {}
    if masters:
        samples = files("arpad") / "samples"
        with as_file(samples / "masters.csv") as one, as_file(samples / "master-names.csv") as two:
            born, spelled = named_numbers(str(one), ["birth"]), named_texts(str(two), ["person"])
    if births:
        born |= named_numbers(births, ["birth", "born", "birthday"], year=True)
    if names:
        spelled |= named_texts(names, ["person"])
    return born, spelled


def join_names(games: Games, *, given: Mapping[str, str] | None = None, guess: bool = True) -> Persons:
    """Find out which names are one person.

    given: Name to name of the person, for what no rule can know; a name that is mapped to itself is left
        alone; a person whom the games do not know is passed over.
    guess: Also join names that differ only in accents and punctuation, and a short name with the one full
        name that it abbreviates, if the years of play and the published ratings agree.
    """
    names = games.players["name"].to_list()
    place = {name: i for i, name in enumerate(names)}
    facts = _Facts.of(games)
    told = {name: person for name, person in (given or {}).items() if person in place}
    to = np.arange(len(names))
    why = [""] * len(names)
    for name, person in told.items():
        if name in place and name != person:
            to[place[name]], why[place[name]] = place[person], "given"
    doubtful = _guessed(names, facts, set(told), to, why) if guess else ()
    row = _followed(to)
    moved = np.flatnonzero(row != np.arange(len(names)))
    joined = pl.DataFrame(
        {
            "name": [names[i] for i in moved],
            "person": [names[row[i]] for i in moved],
            "games": facts.games[moved],
            "why": [why[i] for i in moved],
        },
        schema={"name": pl.String, "person": pl.String, "games": pl.Int64, "why": pl.String},
    )
    return Persons(row=row, joined=joined.sort("games", "name", descending=[True, False]), doubtful=doubtful)


def player_meant(rows: pl.DataFrame, asked: str) -> tuple[str | None, int, int]:
    """Return the player who is meant: the very name or id, else the most active bearer of the surname.

    A name stands for a longer one that has so many times its games: `Fischer` for `Fischer, Robert James`.

    rows: With `player`, `id` and `games`.

    Returns
    -------
    player, games, exact
        Name or id, None for nobody; the games of a longer name, and those under the name as it was given.
    """
    if asked in rows["id"].drop_nulls():
        return asked, 0, 0
    exact = int(rows.filter(rows["player"] == asked)["games"].sum())
    others = rows.filter(rows["player"] != asked)
    longer = Directory.of(others["player"].to_list(), others["games"].to_list()).find(asked)
    games = 0 if longer is None else int(others.filter(others["player"] == longer)["games"].sum())
    if longer is not None and games >= OUTNUMBERED * exact:
        return longer, games, exact
    return asked if exact else None, games, exact


def joined_games(
    games: Games, *, given: Mapping[str, str] | None = None, guess: bool = True
) -> tuple[Games, pl.DataFrame]:
    """Return the games with one row a person, and which names were joined."""
    persons = join_names(games, given=given, guess=guess)
    table = games.table.with_columns(
        pl.Series(side, persons.row[games.table[side].fill_null(0).to_numpy()], dtype=pl.Int32)
        for side in ("white", "black")
    ).with_columns(pl.when(games.table["black"].is_not_null()).then("black").alias("black"))
    # Two names that met are not one person after all, whatever they look like: such games do not count.
    apart = (table["white"] != table["black"]).fill_null(True)
    return Games(table.filter(apart), games.players, games.events), persons.joined


@dataclass(frozen=True, slots=True)
class _Facts:
    """Facts about each name: games, first and last year, published ratings by year."""

    games: NDArray[np.int64]
    first: NDArray[np.float64]
    last: NDArray[np.float64]
    ratings: dict[int, dict[int, float]]

    @classmethod
    def of(cls, games: Games) -> _Facts:
        table = games.table.filter(pl.col("status") == "played")
        sides = pl.concat(
            table.select(
                pl.col(side).alias("player"),
                pl.col("date").dt.year().alias("year"),
                pl.col(f"{side}_rating").alias("rating"),
            )
            for side in ("white", "black")
        )
        known = sides.group_by("player").agg(
            pl.len().alias("games"), pl.col("year").min().alias("first"), pl.col("year").max().alias("last")
        )
        rows = known["player"].to_numpy()

        def column(name: str, empty: float) -> NDArray[np.float64]:
            values = np.full(games.players.height, empty)
            values[rows] = known[name].cast(pl.Float64).fill_null(np.nan).to_numpy()
            return values

        ratings: dict[int, dict[int, float]] = defaultdict(dict)
        rated = sides.drop_nulls().group_by("player", "year").agg(pl.col("rating").mean())
        for player, year, rating in rated.iter_rows():
            ratings[player][year] = rating
        return cls(
            column("games", 0).astype(np.int64), column("first", np.nan), column("last", np.nan), ratings
        )

    def agree(self, a: int, b: int) -> bool:
        """Say whether two names may be one career: years near, ratings near, where known."""
        gap = max(self.first[a], self.first[b]) - min(self.last[a], self.last[b])
        return not gap > APART and not self.apart(a, b) > RATINGS_APART

    def apart(self, a: int, b: int) -> float:
        """Return how far published ratings of the same time are apart, 0 where there are none."""
        mine, theirs = self.ratings.get(a, {}), self.ratings.get(b, {})
        both = mine.keys() & theirs.keys()
        if both:
            return abs(float(np.mean([mine[y] - theirs[y] for y in both])))
        near = [(abs(y - z), y, z) for y in mine for z in theirs if abs(y - z) <= SOON]
        if not near:
            return 0.0
        _, y, z = min(near)
        return abs(mine[y] - theirs[z])


def _guessed(  # noqa: C901, PLR0912
    names: list[str], facts: _Facts, told: set[str], to: NDArray[np.int64], why: list[str]
) -> tuple[str, ...]:
    """Join what the rules join, in place; return the short names that fit several people."""
    by_surname: dict[str, dict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
    for i, name in enumerate(names):
        if name not in told and facts.games[i]:
            surname, first = folded(name)
            if not first and " " in surname:  # `Hou Yifan` is `Hou, Yifan`
                surname, first = surname.split(" ", 1)
            by_surname[surname][first].append(i)
    doubtful = []
    for people in by_surname.values():
        heads: dict[str, int] = {}
        for first, rows in people.items():
            head = max(rows, key=lambda i: (facts.games[i], -i))
            heads[first] = head
            for i in rows:
                if i != head and facts.agree(i, head):
                    to[i], why[i] = head, "same letters"
        # The longest first: `Karpov,An` fits `Karpov,Ana`, which is already `Karpov, Anatoly`.
        for first in sorted(heads, key=len, reverse=True):
            i = heads[first]
            fits = {
                int(to[j])
                for other, j in heads.items()
                if _abbreviates(first, other, names[i]) and facts.agree(i, j)
            }
            if not fits:
                continue
            best = max(fits, key=lambda j: (facts.games[j], -j))
            others = sum(int(facts.games[j]) for j in fits if j != best)
            if facts.games[best] >= TIMES * others:
                to[i], why[i] = best, "abbreviated"
            elif len({folded(names[j])[1][:SHORT] for j in fits}) == 1:
                # `Shahriar` and `Shakhriyar`, and `S` at the same time as both.
                for j in fits - {best}:
                    to[j], why[j] = best, "spelled alike"
                to[i], why[i] = best, "abbreviated"
            else:
                doubtful.append(names[i])
    return tuple(sorted(doubtful))


def _abbreviates(short: str, full: str, name: str) -> bool:
    """Say whether one folded given name stands for another: its beginning, or its initials."""
    if not short.isalpha() or len(full) <= len(short):
        return False
    if len(short) > SHORT and ", " in name:  # `Fischer, Robert` need not be `Fischer, Robert James`
        return False
    initials = "".join(word[0] for word in full.split())
    return full.startswith(short) or (len(short) > 1 and initials.startswith(short))


def _followed(to: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return where each chain of joins ends."""
    for _ in range(len(to)):
        further = to[to]
        if (further == to).all():
            break
        to = further
    return to


# Players by name, although sources spell names as they like; years of birth for them.

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

        spelled: Another name to the name here, for what no rule can know.
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

        given: Year of birth by name.
        first: First year of play of each of `names`.
        """
        claims: dict[int, list[tuple[int, float]]] = defaultdict(list)
        for name, year in given.items():
            fits = [fit for fit in self._fits(name) if fit[0] and YOUNGEST <= first[fit[2]] - year <= OLDEST]
            if fits:
                alike, _, i = max(fits)
                claims[i].append((alike, year))
        result = {}
        for i, those in claims.items():
            best = max(alike for alike, _ in those)
            years = {year for alike, year in those if alike == best}
            if len(years) == 1:
                result[self.names[i]] = years.pop()
        return result


def _alike(a: str, b: str) -> int:
    """Return how many letters two given names share at the beginning."""
    n = 0
    for x, y in zip(a, b, strict=False):
        if x != y:
            break
        n += 1
    return n


# Which games of a collection tell strength: over the board, one against one, with time to think.

EVENTS = (
    r"\bsim\b|simul|blind|consult|\bcg\b|handicap|\bodds\b|\bcorr\b|rapid|blitz|bullet|\bspeed|"
    r"internet|\bICC\b|chess\.|comput|\bcomp\b"
)
"""Names of events that are left out: exhibitions, fast play, correspondence, machines."""
NOBODY = (
    r"[/&+]|^NN\b|^Allies|^Amateur|^(Comp|Deep|Fritz|Junior|Shredder|Hiarcs|Rebel|Mephisto|Greenblatt)\b(?!,)|"
    r"^(DEEP |X3D |HYDRA|JUNIOR|FRITZ|SHREDDER|REBEL|RYBKA|CM9000)"
)
"""Names that are not one person: several together, the unnamed, machines."""


def serious_games(
    games: Games, *, events: str = EVENTS, nobody: str = NOBODY
) -> tuple[pl.DataFrame, dict[str, int]]:
    """Return the games that count, with their `year`, and how many were left out, by reason.

    events: Pattern in the name or place of an event that leaves its games out; empty for none.
    nobody: The same for the names of players.
    """
    table = games.table.filter(pl.col("status") == "played").with_columns(
        pl.col("date").dt.year().alias("year")
    )
    left: dict[str, int] = {}

    def drop(reason: str, rows: pl.Series) -> None:
        nonlocal table
        left[reason] = int(rows.sum())
        table = table.filter(~rows)

    drop("no year", table["year"].is_null())
    at = _pattern(events)
    odd = np.array(
        [bool(at and (at.search(e.name) or at.search(e.site or ""))) for e in games.events] + [False]
    )
    drop("event", pl.Series(odd[table["event"].fill_null(len(odd) - 1).to_numpy()]))
    who = _pattern(nobody, 0)
    none = np.array([bool(who and who.search(name)) for name in games.players["name"]], dtype=bool)
    drop("player", pl.Series(none[table["white"].to_numpy()] | none[table["black"].to_numpy()]))
    return table, left


def _pattern(text: str, flags: int = re.IGNORECASE) -> re.Pattern[str] | None:
    if not text:
        return None
    try:
        return re.compile(text, flags)
    except re.error as error:
        raise UsageError(
            f"expected a regular expression of what to leave out, found {text!r}: {error}"
        ) from None
