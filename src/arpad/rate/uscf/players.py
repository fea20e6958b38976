"""State of the U.S. procedures for each player, and events in their order."""

from __future__ import annotations

import math
import re
from collections import Counter
from dataclasses import dataclass, field, replace
from datetime import date
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple, get_args

import polars as pl

from arpad.errors import UsageError
from arpad.rate.k import K_POLICIES
from arpad.rate.list_system import ListRates, entrants
from arpad.rate.periods import first_given, in_events, sides_of
from arpad.rate.system import Range, numbered
from arpad.rate.uscf.performance import AGES, K_POINTS, age_rating, uscf_from_fide
from arpad.scale import Logistic

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from arpad.model import Games, Ratings
    from arpad.rate.k import KPolicy
    from arpad.rate.list_system import Entrants
    from arpad.rate.system import State, Trace
    from arpad.rate.uscf.systems import UscfEvent


# What the U.S. federation keeps of a player: rating, games, and games on file [USCF 1994, 1.4.3, 1.5].

Status = Literal["unrated", "provisional", "established"]
Rule = Literal["on file", "performance", "nominal", "provisional", "established"]
"""Rules by which a player is rated: too few games, kept on file; by performance; by the nominal
performance of all wins or all losses; by the provisional formula; by the established one.
"""
Saved = tuple[tuple[float, float], ...]
"""Games on file: the opponent's rating before the event, real or imputed, and the score."""
FIRST_GAMES = 4
"""Games that a first rating needs [1.4.3]."""
Basis = Literal["FIDE rating", "age", "rating on few games", "nothing known", "fixed"]
"""Bases of an imputed rating: the first that is known [1.4.2; the third and fourth are arpad's]; in the
system before, always the same rating [1.2].
"""
FEW_GAMES: Basis = "rating on few games"


@dataclass(frozen=True, slots=True, kw_only=True)
class UscfState:
    """State of a player between two events."""

    rating: float | None = None
    total: int = 0
    """N: games that the rating rests on; of an unrated player, games on file."""
    saved: Saved = ()
    variance: float = 0.0
    """σ² of the rating from chance in the results, in points²."""

    def status(self, provisional_games: int) -> Status:
        """Say what the rating is; games on file keep a rating provisional."""
        if self.rating is None:
            return "unrated"
        sure = self.total > provisional_games and not self.saved
        return "established" if sure else "provisional"


@dataclass(frozen=True, slots=True, kw_only=True)
class UscfPlayer:
    """Facts about a player apart from results."""

    name: str
    fide: float | None = None
    birth: str | None = None
    hint: float | None = None
    """A rating on fewer games than a rating needs: not one, but better than nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Imputed:
    """A rating for somebody who has none."""

    rating: float
    by: Basis
    note: str = ""


class UscfGame(NamedTuple):
    """One game of an event: its row where it is numbered, the opponent, that one's rating, the score."""

    game: int | None
    opponent: int
    rating: float
    score: float


@dataclass(frozen=True, slots=True, kw_only=True)
class UscfLine:
    """One player's part in one event: what went in, what came out."""

    event: int
    player: int
    rule: Rule
    games: int
    score: float
    before: UscfState
    after: UscfState
    expected: float | None = None
    """W_e, where a formula with K was used."""
    k: float | None = None
    guarded: bool = False
    """The closed form was of no use, and the exact performance was taken."""
    met: tuple[UscfGame, ...] = ()
    """The games of the event as the rule saw them."""


def imputed(person: UscfPlayer, day: date | None, start: float) -> Imputed:
    """Return a rating for an unrated player: by FIDE rating, else by age, else `start` [1.4.2].

    An age below 3 or above 110 years is not believed. Without a date nobody has an age.

    Examples
    --------
    >>> from datetime import date
    >>> imputed(UscfPlayer(name="Ann", birth="1984"), date(1994, 8, 1), 1000.0).rating
    743.0
    """
    if person.fide is not None and person.fide > 0:
        return Imputed(rating=uscf_from_fide(person.fide), by="FIDE rating")
    note = ""
    years = _age(person.birth, day)
    if years is not None:
        try:
            return Imputed(rating=age_rating(years), by="age")
        except UsageError:
            note = (
                f"{person.name}: born {person.birth}, {years} years old at the event, which is not believed"
            )
    if person.hint is not None:
        return Imputed(rating=person.hint, by=FEW_GAMES, note=note)
    return Imputed(rating=start, by="nothing known", note=note)


GROWN, MASTER = 21.0, 2200.0
"""Until this age a rating grows between events; nobody's from this rating on."""


def growth(birth: str | None, rating: float, last: date | None, day: date | None) -> float:
    """Return the points by which a young player improves between two events [5.2].

    The report names no figures. Ratings follow table 2 from one age to the other, up to 21 years: in full
    at the table's own rating or below, and the less, the nearer a rating is to 2200.

    Examples
    --------
    >>> from datetime import date
    >>> round(growth("1984-01-01", 700.0, date(1994, 1, 1), date(1996, 1, 1)), 1)
    78.9
    """
    digits = re.match(r"(\d{4})(?:-(\d{2})-(\d{2}))?", birth or "")
    if digits is None or last is None or day is None or day <= last:
        return 0.0
    born = date(int(digits[1]), int(digits[2] or 7), int(digits[3] or 1))
    ages = [min((when - born).days / 365.25, GROWN) for when in (last, day)]
    if ages[0] < AGES[0]:
        return 0.0
    at, until = (_on_table_2(age) for age in ages)
    share = min(max((MASTER - rating) / (MASTER - at), 0.0), 1.0)
    return share * (until - at)


def _on_table_2(age: float) -> float:
    low = math.floor(age)
    return age_rating(low) + (age - low) * (age_rating(low + 1) - age_rating(low))


def one_sided(saved: Sequence[tuple[float, float]]) -> bool:
    """Say whether all games were won, or all lost [1.4.3]."""
    return bool(saved) and {score for _, score in saved} in ({0.0}, {1.0})


def read_saved(games: list[dict[str, float]] | None) -> Saved:
    """Return the games on file that a state has."""
    return tuple((game["rating"], game["score"]) for game in games or ())


def _age(birth: str | None, day: date | None) -> int | None:
    """Return completed years; with the year of birth alone, the difference of the years."""
    digits = re.match(r"(\d{4})(?:-(\d{2}))?(?:-(\d{2}))?", birth or "")
    if digits is None or day is None:
        return None
    year, month, dom = (int(value) if value else None for value in digits.groups())
    assert year is not None  # the pattern has it
    early = month is not None and (day.month, day.day) < (month, dom or 1)
    return day.year - year - early


MEMORY: dict[str, Any] = {"games_on_file": pl.List(pl.Struct({"rating": pl.Float64, "score": pl.Float64}))}
"""Columns of a list beside figures and words."""
PUBLISHED = "published"
"""Format name of FIDE's lists in `read_list`."""


def _known(value: Any) -> Any:
    """Return a value of a list, None for a number that is none."""
    return None if isinstance(value, float) and not math.isfinite(value) else value


# Everybody's standing while the U.S. procedures go from event to event, and the list of it.

NAMED = 3
"""Players that a note names."""


class UscfPool:
    """Standings by row of the players, and what happened to each in these games."""

    def __init__(
        self, games: Games, rows: pl.DataFrame, *, given: bool, provisional_games: int, ageing: bool = False
    ) -> None:
        """Begin with what a list says of the players, row by row, else with what the source gives."""
        self.ageing = ageing
        self.provisional_games = provisional_games
        players, n = games.players, games.players.height
        source = first_given(games, games.rateable()).tolist() if given else [math.nan] * n
        self.standings: list[UscfState] = []
        self.people: list[UscfPlayer] = []
        self.first: list[float | None] = []
        columns = [
            [None] * n if name not in rows.columns else rows[name].to_list()
            for name in (
                *("rating", "games_on_file", "total_games", "error", "fide", "birth", "imputed"),
                *("imputed_by",),
            )
        ]
        people = zip(players["name"], source, players["total_games"], players["birth"], *columns, strict=True)
        for name, first, total, birth, *listed in people:
            rating, saved, list_total, error, fide, list_birth, imputed, by = map(_known, listed)
            if rating is None and saved is None:  # not on the list
                rating, error = _known(first), None
            else:
                total = list_total
            self.first.append(rating)
            self.standings.append(self._standing(rating, total, read_saved(saved), error))
            hint = rating if rating is not None else imputed if by == FEW_GAMES else None
            born = list_birth if birth is None else birth
            self.people.append(UscfPlayer(name=name, fide=fide, birth=born, hint=hint))
        self.games = [0] * n
        self.score = [0.0] * n
        self.expected: list[float | None] = [None] * n
        self.k: list[float | None] = [None] * n
        self.imputed: dict[int, Imputed] = {}
        self.guarded: set[int] = set()
        self.last: list[str | None] | None = None
        if "last_event" in rows.columns:
            self.last = rows["last_event"].to_list()

    def _standing(
        self, rating: float | None, total: float | None, saved: Saved, error: float | None
    ) -> UscfState:
        """Return where a player begins; a rating on fewer than four games is none [1.4.3]."""
        if rating is None:
            return UscfState(total=len(saved), saved=saved)
        # Who comes with a rating, and nothing says how many games it rests on, is established.
        N = self.provisional_games + 1 if total is None else int(total)
        N = max(N, len(saved))
        if N < FIRST_GAMES:
            # Games that are not known: as many draws with that rating stand for them.
            file = saved + ((rating, 0.5),) * (N - len(saved))
            return UscfState(total=N, saved=file)
        established = self.provisional_games < N and not saved
        chance = 0.0 if established else 4 * K_POINTS**2 / N
        variance = chance if error is None else error**2
        return UscfState(rating=rating, total=N, saved=saved, variance=variance)

    def grown(self, player: int, day: date | None) -> UscfState:
        """Return a player's standing on the day of an event, older than at the last one [5.2]."""
        standing, last = self.standings[player], self.last[player] if self.last else None
        if standing.rating is None or last is None:
            return standing
        more = growth(self.people[player].birth, standing.rating, date.fromisoformat(last), day)
        return replace(standing, rating=standing.rating + more)

    def take(self, lines: Iterable[UscfLine], event: UscfEvent, day: date | None) -> None:
        """Close an event; its day is kept where ratings grow."""
        self.imputed |= event.imputed
        for line in lines:
            p = line.player
            if self.ageing and day is not None and self.last is not None:
                self.last[p] = day.isoformat()
            self.standings[p] = line.after
            self.games[p] += line.games
            self.score[p] += line.score
            if line.expected is not None:
                self.expected[p] = (self.expected[p] or 0.0) + line.expected
            self.k[p] = line.k if line.k is not None else self.k[p]
            if line.guarded:
                self.guarded.add(p)

    def notes(self, start: float) -> list[str]:
        """Return what somebody should know about these ratings."""
        result = list(dict.fromkeys(each.note for each in self.imputed.values() if each.note))
        groups = {
            f"without rating, FIDE rating or age, counted as {start:g} until rated": [
                p for p, each in self.imputed.items() if each.by == "nothing known"
            ],
            "rated by the exact performance: the closed form is more than 100 points off": sorted(
                self.guarded
            ),
        }
        for words, who in groups.items():
            if who:
                names = ", ".join(self.people[p].name for p in who[:NAMED])
                more = ", …" if len(who) > NAMED else ""
                result.append(f"{len(who):,} player{'' if len(who) == 1 else 's'} {words}: {names}{more}")
        return result

    def rows(self) -> pl.DataFrame:
        """Return the list of everybody in the games, played or not."""
        now = self.standings
        rating = pl.Series("rating", [s.rating for s in now], dtype=pl.Float64)
        before = pl.Series("before", self.first, dtype=pl.Float64)
        errors = [None if s.rating is None else math.sqrt(s.variance) for s in now]
        by = [self.imputed.get(p) for p in range(len(now))]
        columns = {
            "rating": rating,
            "error": pl.Series(errors, dtype=pl.Float64),
            "games": pl.Series(self.games, dtype=pl.Int64),
            "before": before,
            "change": rating - before,
            "status": pl.Series([s.status(self.provisional_games) for s in now], dtype=pl.String),
            "k": pl.Series(self.k, dtype=pl.Float64),
            "score": pl.Series(self.score, dtype=pl.Float64),
            "expected": pl.Series(self.expected, dtype=pl.Float64),
            "imputed": pl.Series([i and i.rating for i in by], dtype=pl.Float64),
            "imputed_by": pl.Series([i and i.by for i in by], dtype=pl.String),
            "on_file": pl.Series([len(s.saved) or None for s in now], dtype=pl.Int64),
            "games_on_file": pl.Series(
                [[{"rating": R, "score": score} for R, score in s.saved] or None for s in now],
                dtype=MEMORY["games_on_file"],
            ),
            "fide": pl.Series([p.fide for p in self.people], dtype=pl.Float64),
            "birth": pl.Series([p.birth for p in self.people], dtype=pl.String),
            "total_games": pl.Series([s.total for s in now], dtype=pl.Int64),
        }
        if self.last is not None:
            columns["last_event"] = pl.Series(self.last, dtype=pl.String)
        return pl.DataFrame(columns)


# Games as the U.S. procedures see them: event by event, in time order; none of them twice.

Repeated = Literal["skip", "rate"]
"""An event that is there twice: rate it once, or each time."""
TOO_ALIKE = 10
"""Games from which two events without dates and rounds, equal in all results, are one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class UscfSection:
    """One event: who met whom."""

    number: int
    name: str
    day: date | None
    """Its first day; None where nothing says."""
    rounds: int
    sides: Mapping[int, Sequence[tuple[int, float]]]
    """Each player's ``(opponent, score)`` pairs."""
    rows: Mapping[int, Sequence[int]] = field(default_factory=dict)
    """The rows of those games, where they are numbered."""


def sections(games: Games, repeated: Repeated) -> tuple[list[UscfSection], list[str]]:
    """Return the events in the order of their first games, and what to know about them.

    Games that name no event go together by date. An event repeats another if it has the same games: the
    same players and colours, results, rounds and dates.
    """
    result: list[UscfSection] = []
    notes: list[str] = []
    seen: dict[frozenset[tuple[object, int]], str] = {}
    for part in in_events(games.rateable()).partition_by("part", maintain_order=True):
        section = _section(len(result), part, games)
        key = part.select("white", "black", "score", "round", "date").iter_rows()
        games_of = frozenset(Counter(key).items())
        # Four undated losses to the same four may well happen twice; ten equal results do not.
        dated = part["date"].null_count() < part.height or part["round"].null_count() < part.height
        same = dated or part.height >= TOO_ALIKE or seen.get(games_of) == section.name
        if games_of in seen and same:
            words = f"{section.name} has the same games ({part.height}) as {seen[games_of]}, reported twice"
            notes.append(f"{words}: rated {'once' if repeated == 'skip' else 'each time'}")
            if repeated == "skip":
                continue
        seen.setdefault(games_of, section.name)
        result.append(section)
    return result, notes


def _section(number: int, part: pl.DataFrame, games: Games) -> UscfSection:
    sides, rows = sides_of(part)
    at = part["event"][0]
    event = None if at is None or at >= len(games.events) else games.events[at]
    days: list[date] = part["date"].drop_nulls().to_list()
    day = min(days) if days else event.start if event else None
    named = event.name if event else f"the event of {day}" if day else f"event {number + 1}"
    numbers = part["round"].str.extract(r"^(\d{1,4})").cast(pl.Int64).drop_nulls().to_list()
    announced = (event.rounds or 0) if event else 0
    rounds = max(announced, *numbers, *(len(met) for met in sides.values()))
    return UscfSection(number=number, name=named, day=day, rounds=rounds, sides=sides, rows=rows)


# What the two U.S. procedures share: events in their order, the list at the end.

FARTHEST = 1e5
"""No rating that is given as a constant is farther from 0."""


def run(system: UscfRates, games: Games, pool: UscfPool) -> tuple[list[UscfLine], list[str]]:
    """Rate event by event; return everybody's part in each, and what to know."""
    events, notes = sections(games, system.repeated)
    lines: list[UscfLine] = []
    for section in events:
        event = type(system).event(system, section, pool)
        result = event.rate()
        pool.take(result, event, section.day)
        lines += result
    return lines, notes


@dataclass(frozen=True, slots=True, kw_only=True)
class UscfRates(ListRates):
    """The calls that are alike in both procedures.

    Parameters
    ----------
    start
        Rating of an unrated opponent of whom nothing else is known. The report of 1994 names none: 1000 is
        that of the system it replaces [1.2].
    given
        Start players from their first rating in the source, if there is one.
    floor
        No rating falls below this one [5.2]; None: no floor.
    repeated
        What to do with an event that is reported twice.
    """

    keeps_unrated: ClassVar[bool] = True
    memory: ClassVar[Mapping[str, Any]] = MEMORY
    tunable: ClassVar[Mapping[str, Range]] = {"start": Range(800, 2400)}
    event: ClassVar[Callable[..., UscfEvent]]
    """What rates one event."""
    provisional_games: ClassVar[int]
    start: float = 1000.0
    given: bool = True
    floor: float | None = None
    repeated: Repeated = "skip"

    def __post_init__(self) -> None:
        if not abs(self.start) <= FARTHEST or (self.floor is not None and not abs(self.floor) <= FARTHEST):
            raise UsageError(
                f"expected a finite start and floor, within ± {FARTHEST:g}; found {self.start!r} and {self.floor!r}"
            )
        if self.repeated not in get_args(Repeated):
            raise UsageError(
                f"repeated: expected one of {', '.join(get_args(Repeated))}; found {self.repeated!r}"
            )

    @property
    def curve(self) -> Logistic:
        """The winning expectancy of the established formula [1.5.1]."""
        return Logistic()

    @property
    def given_policy(self) -> KPolicy:
        """K of the ratings that a source gives: that of established players [1.5.1]."""
        return K_POLICIES["uscf"]

    def begin(self, players: pl.DataFrame, before: Ratings | None = None) -> State:
        """Return the list before the first game.

        A list of FIDE's has FIDE ratings: they place newcomers, they are nobody's U.S. rating.
        """
        state = ListRates.begin(self, players, before)
        if before is None or before.system != PUBLISHED:
            return state
        fide = state.rows["rating"].cast(pl.Float64)
        nobody = fide.clear(len(fide))
        return state.changed({"fide": fide, "on_list": fide, "rating": nobody, "before": nobody})

    def advance(self, state: State, games: Games, *, trace: Trace | None = None) -> State:
        """Return everybody's standing after the games, event by event."""
        here = entrants(self, state, numbered(games) if trace is not None else games)
        pool = self.pool(here.games, here.rows)
        begun = list(pool.standings)
        lines, notes = run(self, here.games, pool)
        if trace is not None:
            self.explain(trace, here, begun, lines)
        notes += pool.notes(self.start)
        return here.after(pool.rows(), parameters=self.parameters(), source={"notes": notes})

    def explain(self, trace: Trace, here: Entrants, begun: list[UscfState], lines: list[UscfLine]) -> None:
        """Give the trace the steps, where the procedure divides its changes among games."""

    def lines(self, games: Games, before: Ratings | None = None) -> list[UscfLine]:
        """Return every player's part in every event: what went in, what came out, by which rule."""
        state = self.begin(games.players, before)
        return run(self, games, self.pool(games, state.rows.head(games.players.height)))[0]

    def pool(self, games: Games, rows: pl.DataFrame) -> UscfPool:
        """Return everybody's standing before the games."""
        return UscfPool(
            games,
            rows,
            given=self.given,
            provisional_games=self.provisional_games,
            ageing=getattr(self, "ageing", False),
        )
