"""Unrated players in an event, rated by the rated ones [Elo 1.67, 1.73–1.75, 2.48, 3.34, 3.35]."""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import stdev
from typing import TYPE_CHECKING, Any, Literal

import polars as pl

from arpad.errors import InputError, UsageError, counted
from arpad.event.field import FieldEntry, cycles_of, field_of
from arpad.event.performance import performance, reliability
from arpad.model import columns
from arpad.read.text_table import LINE, small_table
from arpad.scale import Table, half_up, indicated_difference

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from arpad.model import Games


FEW = 3
"""Rated players below which R_a is a poor estimate [1.73]."""
N_O = 50.0
"""Games on which a rating is taken to rest, in (15) [3.35]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Participant:
    """A player of a round robin: points, played games, and the rating if there is one."""

    name: str
    score: float
    games: int
    rating: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RatedRoundRobin:
    """A round robin with its average from the rated players, and everybody's R_p."""

    average: float
    """R_a, rounded as the book does."""
    average_error: float | None
    """Standard error of R_a, from how far the rated players disagree; None with fewer than two."""
    rated_average: float
    """R_ar, the mean rating of the rated players."""
    rated_difference: float
    """D_ar, the mean of their D_a."""
    rated: int
    rows: pl.DataFrame
    """In the order given: player, rating, score, games, share, D_p, D_a, performance, error, change."""
    parameters: dict[str, object]
    notes: tuple[str, ...] = ()

    def table(self) -> pl.DataFrame:
        """Return one row a player."""
        return self.rows

    def summary(self) -> str:
        """Return one sentence."""
        error = "" if self.average_error is None else f" ± {self.average_error:.0f}"
        return (
            f"{self.rows.height} players, {self.rated} of them rated: R_a {self.average:.0f}{error}"
            + "".join(f"; {note}" for note in self.notes)
        )


def adjusted_difference(D_p: float, players: int) -> float:
    """Return D_a = D_p (M − 1) / M, rounded to whole points as in 3.35 [(5)].

    >>> adjusted_difference(220, 19), adjusted_difference(-251, 19)
    (208.0, -238.0)
    """
    _check_players(players)
    return half_up(D_p * (players - 1) / players)


def expected_in_round_robin(D: float, players: int, *, cycles: int = 1) -> float:
    """Return W_e = k (P M − ½) for a player D = R − R_a above the average of all [(8), 1.75].

    cycles: k, how often everybody meets everybody.

    >>> round(expected_in_round_robin(2635 - 2534, 16), 2)
    9.74
    """
    _check_players(players)
    if cycles < 1:
        raise UsageError(f"expected at least one cycle, found {cycles}")
    return cycles * (Table().expected(D) * players - 0.5)


def participants(games: Games) -> list[Participant]:
    """Return the participants of a round robin, best score first, from the games played."""
    if not cycles_of(games):
        raise UsageError(
            "expected a round robin, in which everybody meets everybody: rate other events with "
            "`second_cycle`"
        )
    entries = sorted(field_of(games).values(), key=lambda e: (-e.score, -(e.rating or 0), e.name))
    return [Participant(name=e.name, score=e.score, games=e.games, rating=e.rating) for e in entries]


def read_totals(path: str, *, players: int | None = None) -> list[Participant]:
    """Return the participants of a round robin from a CSV of totals.

    Columns `player` (or `name`), `rating` (`R_o`, `R`; empty or a word: unrated) and `score` (`points`, `W`); games
    are those of `games`, else `W` and `L` together, else one against everybody.

    players: M, where the file has only some of them.
    """
    frame = small_table(path, {"player", "name"})
    who, points, before = (
        next((name for name in wanted if name in frame.columns), None)
        for wanted in (("player", "name"), ("score", "points", "w"), ("rating", "r_o", "r"))
    )
    if who is None or points is None:
        names = ", ".join(frame.columns[:-1]) or "nothing"
        raise InputError(f"expected the columns player and score, found {names}", file=path, line=1)
    rows = [row for row in frame.to_dicts() if (row[who] or "").strip()]
    everybody = float((players or len(rows)) - 1)
    result = []
    for row in rows:
        score, lost = _number(row[points]), _number(row.get("l"))
        games = _number(row.get("games"))
        if games is None:
            games = everybody if score is None or lost is None else score + lost
        if score is None or not games.is_integer():
            line = row.pop(LINE)
            raise InputError(f"expected a score for {row}, found {row[points]!r}", file=path, line=line)
        rating = None if before is None else _number(row[before])
        result.append(Participant(name=row[who].strip(), score=score, games=int(games), rating=rating))
    return result


def _number(text: str | None) -> float | None:
    try:
        number = float(text or "")
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def rate_round_robin(
    field: Sequence[Participant], *, N_o: float = N_O, players: int | None = None
) -> RatedRoundRobin:
    """Rate everybody in a round robin from its rated players.

    R_a = R_ar − D_ar [(6a), which is (7)], then R_p = R_a + D_a for everybody [(6)], and for the rated
    ΔR = (R_p − R_o) N / N_o [(15)]. A score of 0 % or 100 % indicates no difference [1.54]: a rated
    player with one is left out of R_a, an unrated one gets no rating.

    field: All participants; how often they met follows from their games.
    N_o: The games on which old ratings are taken to rest.
    players: M, where `field` has only some of them [2.48].
    """
    _check(field, N_o)
    M = len(field) if players is None else players
    if len(field) > M:
        raise UsageError(f"expected at most {M} players in the table, found {len(field)}")
    D_p = [None if p.score in (0, p.games) else indicated_difference(p.score / p.games) for p in field]
    D_a = [None if D is None else adjusted_difference(D, M) for D in D_p]
    known = [(p.rating, D) for p, D in zip(field, D_a, strict=True) if p.rating is not None and D is not None]
    if not known:
        raise UsageError(
            "expected at least one rated player with a score between 0 % and 100 %: without one the level of "
            "this round robin is unknown"
        )
    R_ar = math.fsum(R for R, _ in known) / len(known)
    D_ar = math.fsum(D for _, D in known) / len(known)
    R_a = half_up(R_ar - D_ar)
    return RatedRoundRobin(
        average=R_a,
        average_error=stdev(R - D for R, D in known) / math.sqrt(len(known)) if len(known) > 1 else None,
        rated_average=R_ar,
        rated_difference=D_ar,
        rated=sum(p.rating is not None for p in field),
        rows=_rows(field, D_p, D_a, R_a, N_o),
        parameters={"curve": "table", "rounding": "P, D_a and R_a, halves up", "N_o": N_o},
        notes=_notes(field, D_a, M),
    )


def _rows(
    field: Sequence[Participant], D_p: list[float | None], D_a: list[float | None], R_a: float, N_o: float
) -> pl.DataFrame:
    rows = []
    for p, own, adjusted in zip(field, D_p, D_a, strict=True):
        R_p = None if adjusted is None else R_a + adjusted
        error = None if R_p is None else reliability(p.games).sigma_rating
        change = None if p.rating is None or R_p is None else (R_p - p.rating) * p.games / N_o
        share = p.score / p.games
        rows.append((p.name, p.rating, p.score, p.games, share, own, adjusted, R_p, error, change))
    schema = columns(
        "player:str rating:float score:float games:int share:float D_p:float D_a:float performance:float "
        "error:float change:float"
    )
    return pl.DataFrame(rows, schema=schema, orient="row")


def _notes(field: Sequence[Participant], D_a: list[float | None], M: int) -> tuple[str, ...]:
    rated = sum(p.rating is not None for p in field)
    notes = []
    if rated < FEW:
        notes.append(f"fewer than {FEW} rated players give a poor estimate of R_a [1.73]")
    if 3 * rated < M or (M < 10 and rated < 4):
        notes.append("fewer than FIDE asks for, but for a national championship [1.73, 4.41]")
    extreme = [p.name for p, D in zip(field, D_a, strict=True) if D is None]
    if extreme:
        notes.append(f"0 % or 100 %, so there is no rating [1.54]: {', '.join(extreme)}")
    return tuple(notes)


def _check(field: Sequence[Participant], N_o: float) -> None:
    _check_players(len(field))
    if not (math.isfinite(N_o) and N_o > 0):
        raise UsageError(f"expected N_o above 0 games, found {N_o!r}")
    for p in field:
        if p.games < 1 or not 0 <= p.score <= p.games:
            raise UsageError(
                f"expected games ≥ 1 and a score within them for {p.name}, found {p.score:g} of {p.games}"
            )
        if p.rating is not None and not math.isfinite(p.rating):
            raise UsageError(f"expected a rating or None for {p.name}, found {p.rating!r}")


def _check_players(players: int) -> None:
    if players < 2:
        raise UsageError(f"expected a round robin of at least two players, found {players}")


# A second cycle of calculations where unrated players were paired with each other [Elo 1.67].

Difference = Literal["table", "small-sample"]
"""Ways to find D_p: unchanged, or with the factor F for fewer than thirty games [2.59]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SecondCycle:
    """The unrated players of an event, cycle by cycle."""

    rows: pl.DataFrame
    """player, score and games in all, games against rated players, R_p by cycle, error, note."""
    parameters: dict[str, object]

    def table(self) -> pl.DataFrame:
        """Return one row an unrated player, best first."""
        return self.rows

    def summary(self) -> str:
        """Return one sentence."""
        done = self.rows.filter(pl.col("performance").is_not_null()).height
        return f"{counted(self.rows.height, 'unrated player')}, {done} of them with a rating ({self.parameters['cycles']} cycles)"


def second_cycle(games: Games, *, cycles: int = 2, method: Difference = "table") -> SecondCycle:
    """Rate the unrated players of an event, first by the rated ones, then by each other too.

    Cycle 1 takes R_p = R_c + D_p from the games against rated players alone [(1)]. Every further cycle
    takes all games against anybody who has a rating by then: the rated at theirs, the unrated at the
    R_p of the cycle before. Rated players keep their ratings throughout.

    cycles: How many; the book speaks of two.
    method: `small-sample` applies F of table 8.85 to D_p, as 2.59 asks below thirty games.
    """
    if cycles < 1:
        raise UsageError(f"expected at least one cycle, found {cycles}")
    field = field_of(games)
    given = {row: e.rating for row, e in field.items() if e.rating is not None}
    unrated = [e for e in field.values() if e.rating is None]
    if unrated and not given:
        raise UsageError("expected at least one rated player among the games, found none")
    history: list[dict[int, float]] = []
    for _ in range(cycles):
        standards = {**(history[-1] if history else {}), **given}
        result = {e.row: _performance(e, standards, method) for e in unrated}
        history.append({row: rating for row, (rating, _) in result.items() if rating is not None})
    standards = {**(history[-2] if cycles > 1 else {}), **given}
    rows = [_row(e, history, standards, given, method) for e in unrated]
    rows.sort(key=lambda r: (r["performance"] is None, -(r["performance"] or 0), r["player"]))
    parameters: dict[str, object] = {"method": method, "cycles": cycles}
    return SecondCycle(rows=pl.DataFrame(rows, schema=_SCHEMA), parameters=parameters)


_SCHEMA = columns(
    "player:str score:float games:int against_rated:int first:float performance:float error:float note:str"
)


def _performance(
    entry: FieldEntry, standards: Mapping[int, float], method: Difference
) -> tuple[float | None, float | None]:
    met = [(standards[o], share) for o, share in entry.results if o in standards]
    if not met:
        return None, None
    result = performance(sum(s for _, s in met), [R for R, _ in met], method=method)
    return result.rating, result.error


def _row(
    entry: FieldEntry,
    history: list[dict[int, float]],
    standards: Mapping[int, float],
    given: Mapping[int, float],
    method: Difference,
) -> dict[str, Any]:
    rating, error = _performance(entry, standards, method)
    met = [share for o, share in entry.results if o in standards]
    note = ""
    if not met:
        note = "met nobody with a rating"
    elif rating is None:
        note = "0 % or 100 % against those with a rating"
    return {
        "player": entry.name,
        "score": entry.score,
        "games": entry.games,
        "against_rated": sum(o in given for o, _ in entry.results),
        "first": history[0].get(entry.row),
        "performance": rating,
        "error": error,
        "note": note,
    }
