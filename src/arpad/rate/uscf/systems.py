"""The U.S. committee's proposal of 1994 and the system before it, event by event [USCF 1994, 1]."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal, get_args

import polars as pl

from arpad.errors import UsageError
from arpad.rate.k import K_POLICIES
from arpad.rate.system import GIVEN, NOISE, STEP_SCHEMA
from arpad.rate.uscf.performance import K_POINTS, guarded_rating, performance_variance, winning_expectancy
from arpad.rate.uscf.players import (
    FIRST_GAMES,
    MEMORY,
    Imputed,
    UscfGame,
    UscfLine,
    UscfPool,
    UscfRates,
    UscfState,
    check_uscf,
    imputed,
    one_sided,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from arpad.rate.list_system import Entrants
    from arpad.rate.system import Trace
    from arpad.rate.uscf.players import Repeated, Rule, Saved, UscfEvent, UscfSection


# One event as the report of 1994 proposes to rate it, in three steps [USCF 1994, 1.3–1.5].

PROVISIONAL_GAMES = 20
"""Games up to which a rating is provisional [1.5.2]."""
DIVIDEND = 600.0
"""K of a provisional player times (N + m − 1), in rating points [1.5.2]."""
LAST_K = 32.0
"""K in the event with which a player passes 20 games [1.5.2]."""
ESTABLISHED = K_POLICIES["uscf"]
"""32 below 2100, 24 below 2400, 16 above [1.5.1, 6.4]."""


def provisional_k(N: int, m: int) -> float:
    """Return K for m games after N: 600 / (N + m − 1) up to 20 in all, then 32 [1.5.2].

    Examples
    --------
    >>> round(provisional_k(10, 5), 2), provisional_k(15, 6)
    (42.86, 32.0)
    """
    return DIVIDEND / (N + m - 1) if N + m <= PROVISIONAL_GAMES else LAST_K


def by_k(rating: float, K: float, met: Saved, variance: float = 0.0) -> tuple[float, float, float]:
    """Return R_pre + K (W − W_e), W_e, and σ² of the new rating [1.5.1].

    What chance had put into the old rating shrinks by the slope of W_e, and K² times the variance of the
    score comes in.
    """
    p = [winning_expectancy(rating - opponent) for opponent, _ in met]
    W, W_e = math.fsum(score for _, score in met), math.fsum(p)
    pq = math.fsum(p_i * (1 - p_i) for p_i in p)
    kept = max(1 - K * pq / K_POINTS, 0.0)
    return rating + K * (W - W_e), W_e, kept**2 * variance + K * K * pq


class Event1994:
    """One event: its games, and the players' state before it."""

    def __init__(self, rules: Uscf1994, section: UscfSection, pool: UscfPool) -> None:
        self.rules = rules
        self.section = section
        self.old = {p: pool.grown(p, section.day) for p in section.sides}
        self.status = {p: s.status(PROVISIONAL_GAMES) for p, s in self.old.items()}
        self.imputed: dict[int, Imputed] = {}
        self.pre: dict[int, float] = {}
        for p, standing in self.old.items():
            if standing.rating is None:
                self.imputed[p] = imputed(pool.people[p], section.day, rules.start)
            known = standing.rating
            self.pre[p] = self.imputed[p].rating if known is None else known
        self.seen = dict(self.pre)
        """Ratings that the present step uses: new ones for players rated in earlier steps."""

    def rate(self) -> list[UscfLine]:
        """Rate the unrated, then the provisional, then the established players [1.3]."""
        lines: list[UscfLine] = []
        for group, rated_by in (
            ("unrated", self._by_performance),
            ("provisional", self._provisional),
            ("established", self._established),
        ):
            step = [rated_by(p) for p, status in self.status.items() if status == group]
            # All of a step from the ratings before it: nobody sees another's new rating within it.
            self.seen |= {x.player: x.after.rating for x in step if x.after.rating is not None}
            lines += step
        return lines

    def _met(self, player: int, ratings: dict[int, float]) -> Saved:
        return tuple((ratings[who], score) for who, score in self.section.sides[player])

    def _by_performance(self, player: int) -> UscfLine:
        """Rate by the games of this event and those on file together [1.4].

        Fewer than four games stay on file, and so do all wins or all losses, with a nominal rating.
        """
        old = self.old[player]
        file = old.saved + self._met(player, self.pre)
        if len(file) < FIRST_GAMES:
            after = UscfState(total=len(file), saved=file)
            return self._line(player, "on file", after, seen=self.pre)
        nominal = one_sided(file)
        rating, variance, guarded = self._performance(file)
        total = old.total + len(self.section.sides[player])
        kept = nominal or self._keeps(total)
        after = UscfState(rating=rating, total=total, saved=file if kept else (), variance=variance)
        rule: Rule = "nominal" if nominal else "performance"
        return self._line(player, rule, after, guarded=guarded, seen=self.pre)

    def _performance(self, file: Saved) -> tuple[float, float, bool]:
        opponents = [rating for rating, _ in file]
        rating, guarded = guarded_rating(math.fsum(score for _, score in file), opponents)
        return self._floored(rating), performance_variance(rating, opponents), guarded

    def _provisional(self, player: int) -> UscfLine:
        """Rate by K = 600 / (N + m − 1), or as the alternatives have it [1.5.2–1.5.4]."""
        old = self.old[player]
        assert old.rating is not None  # its status says so
        if one_sided(old.saved):
            return self._by_performance(player)
        met = self._met(player, self.seen)
        K, total = provisional_k(old.total, len(met)), old.total + len(met)
        rating, W_e, variance = by_k(old.rating, K, met, old.variance)
        after = UscfState(rating=self._floored(rating), total=total, variance=variance)
        line = self._line(player, "provisional", after, expected=W_e, k=K)
        if self.rules.provisional == "k":
            return line
        # Games that nobody has on file: as many draws with the rating that they led to.
        unknown = ((old.rating, 0.5),) * (old.total - len(old.saved))
        file = old.saved + unknown + self._met(player, self.pre)
        performance, spread, guarded = self._performance(file)
        kept = file if self._keeps(total) else ()
        if self.rules.provisional == "greater" and performance < self._floored(rating):
            after = UscfState(rating=after.rating, total=total, saved=kept, variance=variance)
            return self._line(player, "provisional", after, expected=W_e, k=K)
        after = UscfState(rating=performance, total=total, saved=kept, variance=spread)
        return self._line(player, "performance", after, guarded=guarded, seen=self.pre)

    def _established(self, player: int) -> UscfLine:
        old = self.old[player]
        assert old.rating is not None  # its status says so
        met = self._met(player, self.seen)
        K = ESTABLISHED.k(old.rating, old.total)
        rating, W_e, variance = by_k(old.rating, K, met, old.variance)
        total = old.total + len(met)
        after = UscfState(rating=self._floored(rating), total=total, variance=variance)
        return self._line(player, "established", after, expected=W_e, k=K)

    def _keeps(self, total: int) -> bool:
        """Say whether the alternatives need the games later [1.5.3, 1.5.4]."""
        return self.rules.provisional != "k" and total <= PROVISIONAL_GAMES

    def _floored(self, rating: float) -> float:
        return rating if self.rules.floor is None else max(rating, self.rules.floor)

    def _line(
        self,
        player: int,
        rule: Rule,
        after: UscfState,
        *,
        expected: float | None = None,
        k: float | None = None,
        guarded: bool = False,
        seen: dict[int, float] | None = None,
    ) -> UscfLine:
        sides = self.section.sides[player]
        scores = [score for _, score in sides]
        ratings = self.seen if seen is None else seen
        rows = self.section.rows.get(player, [None] * len(sides))
        return UscfLine(
            event=self.section.number,
            player=player,
            rule=rule,
            games=len(scores),
            score=math.fsum(scores),
            before=self.old[player],
            after=after,
            expected=expected,
            k=k,
            guarded=guarded,
            met=tuple(
                UscfGame(row, who, ratings[who], score) for row, (who, score) in zip(rows, sides, strict=True)
            ),
        )


# The steps of the U.S. procedure of 1994: game by game under K, else the performance in one step.

Step = dict[str, Any]
ON_FILE = f"on file: a first rating needs {FIRST_GAMES} games [1.4.3]"
OTHERS = "the list's rating is none of this system, or rests on too few games: it only places newcomers [1.4]"

OLDER = "older than at the last event, and young: as table 2 grows [5.2]"


def uscf_steps(
    system: Uscf1994, rows: pl.DataFrame, begun: Sequence[UscfState], lines: Sequence[UscfLine]
) -> pl.DataFrame:
    """Return all steps.

    Parameters
    ----------
    rows
        What the list says of the players.
    begun
        Everybody before the first game.
    lines
        Everybody's part in every event, in their order.
    """
    on_list = [
        rows[name].cast(pl.Float64).fill_nan(None) for name in ("rating", "on_list") if name in rows.columns
    ]
    earlier = rows.select(pl.coalesce(*on_list).alias("rating"))["rating"].to_list()
    now: dict[int, float] = {}
    steps: list[Step] = []
    for line in lines:
        if line.player not in now:
            steps += _opening(line.player, earlier[line.player], begun[line.player].rating)
            now[line.player] = begun[line.player].rating or 0.0
        older = (line.before.rating or 0.0) - now[line.player]
        if older:
            steps.append({"player": line.player, "change": older, "rule": OLDER})
        now[line.player] = line.after.rating or 0.0
        by_formula = line.k is not None
        steps += _by_k(line, line.k, system.floor) if by_formula else _by_performance(line)  # type: ignore[arg-type]
    schema = {name: kind for name, kind in STEP_SCHEMA.items() if name != "seq"}
    return pl.DataFrame(steps, schema=schema)


def _opening(player: int, listed: float | None, rating: float | None) -> Iterator[Step]:
    """Give the step from what the list before says to what a player begins with."""
    change = (rating or 0.0) - (listed or 0.0)
    if change:
        yield {"player": player, "change": change, "rule": GIVEN if listed is None else OTHERS}


def _by_k(line: UscfLine, K: float, floor: float | None) -> Iterator[Step]:
    """Give the steps of R + K (W − W_e) [1.5.1]."""
    R = line.before.rating
    assert R is not None and line.after.rating is not None  # noqa: PT018 - K needs a rating
    rule = f"{_why(line, K)}; logistic curve [1.5.1]"
    total = 0.0
    for game in line.met:
        expected = winning_expectancy(R - game.rating)
        change = K * (game.score - expected)
        total += change
        yield {**_game(line, game), "rating": R, "expected": expected, "k": K, "change": change, "rule": rule}
    rest = line.after.rating - (R + total)
    if abs(rest) > NOISE:
        yield {"player": line.player, "change": rest, "rule": f"floor of {floor:g} [5.2]"}


def _why(line: UscfLine, K: float) -> str:
    N, m = line.before.total, line.games
    if line.rule == "established":
        assert line.before.rating is not None  # its status says so
        return ESTABLISHED.reasons[ESTABLISHED.level(line.before.rating, N)]
    if N + m > PROVISIONAL_GAMES:
        return f"K {LAST_K:g}: more than {PROVISIONAL_GAMES} games with this event [1.5.2]"
    return f"K {K:.2f} = 600 / ({N} + {m} − 1), provisional [1.5.2]"


def _by_performance(line: UscfLine) -> Iterator[Step]:
    """Give the games, which change nothing by themselves, and what they change together [1.4]."""
    on_file = line.rule == "on file"
    rule = ON_FILE if on_file else "counts for the performance over the event and the games on file [1.4]"
    for game in line.met:
        yield {**_game(line, game), "rating": line.before.rating, "change": 0.0, "rule": rule}
    change = (line.after.rating or 0.0) - (line.before.rating or 0.0)
    if on_file and not change:
        return
    exact = ", exact, as the closed form is more than 100 points off" if line.guarded else ""
    nominal = " of all wins or all losses, nominal" if line.rule == "nominal" else ""
    yield {
        "player": line.player,
        "rating": line.before.rating,
        "change": change,
        "rule": f"performance{nominal}, {line.after.total} games in all{exact} [1.4.3]",
    }


def _game(line: UscfLine, game: Any) -> Step:
    return {
        "player": line.player,
        "game": game.game,
        "opponent": game.opponent,
        "opponent_rating": game.rating,
        "score": game.score,
    }


# The U.S. committee's proposal of 1994, event by event, with what is kept between events [USCF 1994, 1].

Provisional = Literal["k", "greater", "performance"]
"""Ways to rate provisional players: by K = 600 / (N + m − 1) [1.5.2]; by the greater of that and the
performance over all their games [1.5.3]; by that performance alone [1.5.4].
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Uscf1994(UscfRates):
    """The procedure as a set of constants.

    Parameters
    ----------
    provisional
        The rule for provisional players.
    start
        Rating of an unrated opponent of whom neither FIDE rating nor age is known. The report names none:
        1000 is that of the system it replaces [1.2].
    given
        Start players from their first rating in the source, if there is one.
    floor
        No rating falls below this one [5.2]; None: no floor.
    ageing
        Let the ratings of players under 21 grow between events with table 2 [5.2]; it needs births and days.
    repeated
        What to do with an event that is reported twice.

    Examples
    --------
    >>> from arpad.model import Games, Player
    >>> rated = [Player(name=f"{r}", rating=float(r)) for r in (900, 1100, 1350, 1400, 1450)]
    >>> people = [Player(name="Ann", rating=700.0, total_games=10), *rated]
    >>> games = Games.assemble({"white": [0] * 5, "black": [1, 2, 3, 4, 5], "score": [1, 1, 1, 0.5, 0]}, people)
    >>> rows = Uscf1994().rate(games).rows.filter(player="Ann").to_dicts()
    >>> round(rows[0]["rating"]), rows[0]["status"], rows[0]["total_games"]
    (834, 'provisional', 15)
    """

    name: ClassVar[str] = "uscf1994"
    memory: ClassVar[Mapping[str, Any]] = MEMORY | {"last_event": pl.String}
    event: ClassVar[type[UscfEvent]] = Event1994
    provisional_games: ClassVar[int] = PROVISIONAL_GAMES
    provisional: Provisional = "k"
    start: float = 1000.0
    given: bool = True
    floor: float | None = None
    ageing: bool = False
    repeated: Repeated = "skip"

    def __post_init__(self) -> None:
        check_uscf(self.start, self.floor, self.repeated)
        if self.provisional not in get_args(Provisional):
            raise UsageError(
                f"provisional: expected one of {', '.join(get_args(Provisional))}; found {self.provisional!r}"
            )

    def explain(self, trace: Trace, here: Entrants, begun: list[UscfState], lines: list[UscfLine]) -> None:
        """Give the trace every player's side of every game."""
        trace.add(here.steps(uscf_steps(self, here.rows, begun, lines)))


# One event as the U.S. federation's program rated it before 1994, in four passes [USCF 1994, 1.2].

USCF1993_EVENT_PROVISIONAL_GAMES = 19
"""Games up to which a rating is provisional: 14 and an event of six rounds end it [1.2]."""
PER_GAME = 400.0
"""Points above a beaten opponent, or below a victor, that one game counts [1.2, 4]."""
WEAKEST = 601.0
"""Rating of an opponent rated 600 or less, for an unrated player who won [1.2]."""
FAR, NEARER = 400.0, 399.0
"""An opponent this far below a provisional player who won counts as one point nearer [1.2]."""
SOON_GAMES, SOON_ROUNDS = 14, 6
"""Games, and rounds of an event, from which on the established formula serves a provisional player [1.2]."""


def averaged(met: Iterable[tuple[float, float]], *, own: float | None = None, N: int = 0) -> float:
    """Return the average of opponents ± 400, with N games at the player's own rating [1.2].

    A beaten opponent counts at least 601 for an unrated player, and at least R − 399 where he is 400
    points or more below a rated one.

    Examples
    --------
    >>> averaged([(1040.0, 1.0)] * 5)
    1440.0
    >>> met = [(900, 0), (1100, 0), (1350, 0), (1400, 0), (1450, 0)]
    >>> round(averaged(met, own=700, N=10))
    747
    """
    worth = []
    for opponent, score in met:
        counted = opponent
        if score == 1 and own is None and opponent < WEAKEST:
            counted = WEAKEST
        elif score == 1 and own is not None and opponent <= own - FAR:
            counted = own - NEARER
        worth.append(counted + PER_GAME * (2 * score - 1))
    return (N * (own or 0.0) + math.fsum(worth)) / (N + len(worth))


class Event1993:
    """One event: its games, and the players' state before it."""

    def __init__(self, rules: Uscf1993, section: UscfSection, pool: UscfPool) -> None:
        self.rules = rules
        self.section = section
        self.old = {p: pool.standings[p] for p in section.sides}
        self.status = {p: s.status(USCF1993_EVENT_PROVISIONAL_GAMES) for p, s in self.old.items()}
        unrated = [p for p, status in self.status.items() if status == "unrated"]
        self.imputed = {p: Imputed(rating=rules.start, by="fixed") for p in unrated}
        self.pre: dict[int, float] = {
            p: rules.start if s.rating is None else s.rating for p, s in self.old.items()
        }
        self.seen = dict(self.pre)

    def rate(self) -> list[UscfLine]:
        """Rate the unrated, the provisional, the unrated again, then the established [1.2]."""
        self._see(self._pass("unrated"))
        provisional = self._pass("provisional")
        self._see(provisional)
        unrated = self._pass("unrated")
        self._see(unrated)
        return unrated + provisional + self._pass("established")

    def _pass(self, group: str) -> list[UscfLine]:
        rated_by = {
            "unrated": self._first,
            "provisional": self._provisional,
            "established": self._established,
        }[group]
        return [rated_by(p) for p, status in self.status.items() if status == group]

    def _see(self, lines: list[UscfLine]) -> None:
        self.seen |= {x.player: x.after.rating for x in lines if x.after.rating is not None}

    def _met(self, player: int, ratings: dict[int, float]) -> Saved:
        return tuple((ratings[who], score) for who, score in self.section.sides[player])

    def _first(self, player: int) -> UscfLine:
        old = self.old[player]
        file = old.saved + self._met(player, self.seen)
        if len(file) < FIRST_GAMES:
            saved = old.saved + self._met(player, self.pre)
            return self._line(player, "on file", UscfState(total=len(saved), saved=saved))
        spread = PER_GAME**2 / len(file)
        after = self._after(averaged(file), len(file), spread)
        return self._line(player, "performance", after)

    def _provisional(self, player: int) -> UscfLine:
        old = self.old[player]
        assert old.rating is not None  # its status says so
        if old.total >= SOON_GAMES and self.section.rounds >= SOON_ROUNDS:
            return self._established(player)
        met = self._met(player, self.seen)
        N, m = old.total, len(met)
        spread = (N * N * old.variance + m * PER_GAME**2) / (N + m) ** 2
        after = self._after(averaged(met, own=old.rating, N=N), N + m, spread)
        return self._line(player, "provisional", after)

    def _established(self, player: int) -> UscfLine:
        old = self.old[player]
        assert old.rating is not None  # its status says so
        met = self._met(player, self.seen)
        K = ESTABLISHED.k(old.rating, old.total)
        rating, W_e, variance = by_k(old.rating, K, met, old.variance)
        after = self._after(rating, old.total + len(met), variance)
        return self._line(player, "established", after, expected=W_e, k=K)

    def _after(self, rating: float, total: int, variance: float) -> UscfState:
        floor = self.rules.floor
        kept = rating if floor is None else max(rating, floor)
        return UscfState(rating=kept, total=total, variance=variance)

    def _line(
        self,
        player: int,
        rule: Rule,
        after: UscfState,
        *,
        expected: float | None = None,
        k: float | None = None,
    ) -> UscfLine:
        scores = [score for _, score in self.section.sides[player]]
        return UscfLine(
            event=self.section.number,
            player=player,
            rule=rule,
            games=len(scores),
            score=math.fsum(scores),
            before=self.old[player],
            after=after,
            expected=expected,
            k=k,
        )


# The U.S. federation's system that the report of 1994 was to replace [USCF 1994, 1.2].


@dataclass(frozen=True, slots=True, kw_only=True)
class Uscf1993(UscfRates):
    """The procedure as a set of constants.

    Parameters
    ----------
    start
        Rating of an unrated opponent [1.2].
    given
        Start players from their first rating in the source, if there is one.
    floor
        No rating falls below this one [5.2]; None: no floor.
    repeated
        What to do with an event that is reported twice.

    Examples
    --------
    >>> from arpad.model import Games, Player
    >>> people = [Player(name="New"), *(Player(name=f"{i}", rating=1040.0) for i in range(5))]
    >>> games = Games.assemble({"white": [0] * 5, "black": [1, 2, 3, 4, 5], "score": [1, 1, 1, 1, 1]}, people)
    >>> Uscf1993().rate(games).rows.select("player", "rating", "status").row(0)
    ('New', 1440.0, 'provisional')
    """

    name: ClassVar[str] = "uscf1993"
    event: ClassVar[type[UscfEvent]] = Event1993
    provisional_games: ClassVar[int] = USCF1993_EVENT_PROVISIONAL_GAMES
    start: float = 1000.0
    given: bool = True
    floor: float | None = None
    repeated: Repeated = "skip"

    def __post_init__(self) -> None:
        check_uscf(self.start, self.floor, self.repeated)
