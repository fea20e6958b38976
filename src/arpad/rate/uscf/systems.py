"""The U.S. committee's proposal of 1994 and the system before it, event by event [USCF 1994, 1]."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
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
    imputed,
    one_sided,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from arpad.rate.list_system import Entrants
    from arpad.rate.system import Trace
    from arpad.rate.uscf.players import Rule, Saved, UscfPlayer, UscfSection


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


class UscfEvent:
    """One event under one of the procedures: its games, and the players' state before it."""

    def __init__(self, rules: Uscf1994 | Uscf1993, section: UscfSection, pool: UscfPool) -> None:
        self.rules = rules
        self.section = section
        self.old = {p: pool.grown(p, section.day) for p in section.sides}
        self.status = {p: s.status(pool.provisional_games) for p, s in self.old.items()}
        self.imputed = {
            p: self.impute(pool.people[p]) for p, status in self.status.items() if status == "unrated"
        }
        """The ratings of those who have none."""
        self.pre: dict[int, float] = {
            p: self.imputed[p].rating if s.rating is None else s.rating for p, s in self.old.items()
        }
        self.seen = dict(self.pre)
        """Ratings that the present step uses: new ones for players rated in earlier steps."""

    def impute(self, person: UscfPlayer) -> Imputed:
        """Return a rating for somebody who has none."""
        raise NotImplementedError

    def rate(self) -> list[UscfLine]:
        """Rate everybody who played."""
        raise NotImplementedError

    def see(self, lines: list[UscfLine]) -> None:
        """Let later steps use the new ratings: within a step nobody sees another's new one."""
        self.seen |= {x.player: x.after.rating for x in lines if x.after.rating is not None}

    def met(self, player: int, ratings: dict[int, float]) -> Saved:
        """Return the rating of each opponent, and the score."""
        return tuple((ratings[who], score) for who, score in self.section.sides[player])

    def by_k(self, player: int, rule: Rule, K: float | None = None) -> UscfLine:
        """Rate by K (W − W_e), K of an established player unless it is given."""
        old, met = self.old[player], self.met(player, self.seen)
        assert old.rating is not None  # its status says so
        K = ESTABLISHED.k(old.rating, old.total) if K is None else K
        rating, W_e, variance = by_k(old.rating, K, met, old.variance)
        after = UscfState(rating=self.floored(rating), total=old.total + len(met), variance=variance)
        return self.line(player, rule, after, expected=W_e, k=K)

    def floored(self, rating: float) -> float:
        """Return a rating, or the floor where it is lower."""
        return rating if self.rules.floor is None else max(rating, self.rules.floor)

    def line(
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
        """Return a player's part in the event; the opponents' ratings as `seen`, else as of now."""
        sides = self.section.sides[player]
        ratings = self.seen if seen is None else seen
        rows = self.section.rows.get(player, [None] * len(sides))
        return UscfLine(
            event=self.section.number,
            player=player,
            rule=rule,
            games=len(sides),
            score=math.fsum(score for _, score in sides),
            before=self.old[player],
            after=after,
            expected=expected,
            k=k,
            guarded=guarded,
            met=tuple(
                UscfGame(row, who, ratings[who], score) for row, (who, score) in zip(rows, sides, strict=True)
            ),
        )


class Event1994(UscfEvent):
    """One event by the procedure of 1994."""

    rules: Uscf1994

    def impute(self, person: UscfPlayer) -> Imputed:
        """Return a rating by FIDE rating, else by age, else the start [1.4.2]."""
        return imputed(person, self.section.day, self.rules.start)

    def rate(self) -> list[UscfLine]:
        """Rate the unrated, then the provisional, then the established players [1.3]."""
        lines: list[UscfLine] = []
        for group, rated_by in (
            ("unrated", self._by_performance),
            ("provisional", self._provisional),
            ("established", self._established),
        ):
            step = [rated_by(p) for p, status in self.status.items() if status == group]
            self.see(step)
            lines += step
        return lines

    def _by_performance(self, player: int) -> UscfLine:
        """Rate by the games of this event and those on file together [1.4].

        Fewer than four games stay on file, and so do all wins or all losses, with a nominal rating.
        """
        old = self.old[player]
        file = old.saved + self.met(player, self.pre)
        if len(file) < FIRST_GAMES:
            after = UscfState(total=len(file), saved=file)
            return self.line(player, "on file", after, seen=self.pre)
        nominal = one_sided(file)
        rating, variance, guarded = self._performance(file)
        total = old.total + len(self.section.sides[player])
        kept = nominal or self._keeps(total)
        after = UscfState(rating=rating, total=total, saved=file if kept else (), variance=variance)
        rule: Rule = "nominal" if nominal else "performance"
        return self.line(player, rule, after, guarded=guarded, seen=self.pre)

    def _performance(self, file: Saved) -> tuple[float, float, bool]:
        opponents = [rating for rating, _ in file]
        rating, guarded = guarded_rating(math.fsum(score for _, score in file), opponents)
        return self.floored(rating), performance_variance(rating, opponents), guarded

    def _provisional(self, player: int) -> UscfLine:
        """Rate by K = 600 / (N + m − 1), or as the alternatives have it [1.5.2–1.5.4]."""
        old = self.old[player]
        assert old.rating is not None  # its status says so
        if one_sided(old.saved):
            return self._by_performance(player)
        m = len(self.section.sides[player])
        line, total = self.by_k(player, "provisional", provisional_k(old.total, m)), old.total + m
        if self.rules.provisional == "k":
            return line
        # Games that nobody has on file: as many draws with the rating that they led to.
        unknown = ((old.rating, 0.5),) * (old.total - len(old.saved))
        file = old.saved + unknown + self.met(player, self.pre)
        performance, spread, guarded = self._performance(file)
        kept = file if self._keeps(total) else ()
        if self.rules.provisional == "greater" and performance < (line.after.rating or 0.0):
            return replace(line, after=replace(line.after, saved=kept))
        after = UscfState(rating=performance, total=total, saved=kept, variance=spread)
        return self.line(player, "performance", after, guarded=guarded, seen=self.pre)

    def _established(self, player: int) -> UscfLine:
        return self.by_k(player, "established")

    def _keeps(self, total: int) -> bool:
        """Say whether the alternatives need the games later [1.5.3, 1.5.4]."""
        return self.rules.provisional != "k" and total <= PROVISIONAL_GAMES


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
    ageing
        Let the ratings of players under 21 grow between events with table 2 [5.2]; it needs births and days.

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
    ageing: bool = False

    def __post_init__(self) -> None:
        UscfRates.__post_init__(self)
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


class Event1993(UscfEvent):
    """One event by the system before 1994."""

    rules: Uscf1993

    def impute(self, person: UscfPlayer) -> Imputed:  # noqa: ARG002
        """Return the start: the same for everybody."""
        return Imputed(rating=self.rules.start, by="fixed")

    def rate(self) -> list[UscfLine]:
        """Rate the unrated, the provisional, the unrated again, then the established [1.2]."""
        self.see(self._pass("unrated"))
        provisional = self._pass("provisional")
        self.see(provisional)
        unrated = self._pass("unrated")
        self.see(unrated)
        return unrated + provisional + self._pass("established")

    def _pass(self, group: str) -> list[UscfLine]:
        return [self._rated(p, group) for p, status in self.status.items() if status == group]

    def _rated(self, player: int, group: str) -> UscfLine:
        old, met = self.old[player], self.met(player, self.seen)
        if group == "unrated":
            file = old.saved + met
            if len(file) < FIRST_GAMES:
                saved = old.saved + self.met(player, self.pre)
                return self.line(player, "on file", UscfState(total=len(saved), saved=saved))
            return self._averaged(player, "performance", averaged(file), len(file), PER_GAME**2 / len(file))
        assert old.rating is not None  # its status says so
        N, m = old.total, len(met)
        if group == "established" or (N >= SOON_GAMES and self.section.rounds >= SOON_ROUNDS):
            return self.by_k(player, "established")
        spread = (N * N * old.variance + m * PER_GAME**2) / (N + m) ** 2
        return self._averaged(player, "provisional", averaged(met, own=old.rating, N=N), N + m, spread)

    def _averaged(self, player: int, rule: Rule, rating: float, total: int, variance: float) -> UscfLine:
        after = UscfState(rating=self.floored(rating), total=total, variance=variance)
        return self.line(player, rule, after)


# The U.S. federation's system that the report of 1994 was to replace [USCF 1994, 1.2].


@dataclass(frozen=True, slots=True, kw_only=True)
class Uscf1993(UscfRates):
    """The procedure as a set of constants.

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
