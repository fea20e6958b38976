"""Intrinsic performance ratings: fit the moves, project on the reference, read the line."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np
import polars as pl
from scipy.optimize import brentq
from scipy.stats import norm

from arpad.errors import ArpadError, UsageError
from arpad.moves.ipr.calibration import ACTUAL_ERROR, SIGMAS
from arpad.moves.ipr.model import RANGE_C, RANGE_S, FitMethod, fit, probabilities, project

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from arpad.model import Games
    from arpad.moves.ipr.calibration import Calibration
    from arpad.moves.ipr.model import ChoiceFit, MoveChoices


LEAST_MOVES = 20
"""Moves below which nothing is fitted."""
RATED_MOVES = 150
"""Moves below which no rating is printed unless somebody asks for it: its interval would span most of the scale."""


RatingMethod = FitMethod | Literal["artery"]
"""Ways to fit skill: s and c freely, or s alone with c from the calibration's central artery [IPR table 2, C_fit]."""
ARTERY_STEPS = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class Intrinsic:
    """An intrinsic performance rating with all that it rests on.

    `low` … `high` is ±2σ, where σ has two parts: that of the moves as the model projects it, and the standard error of the line
    (`line_sigma`). In `low_actual` … `high_actual` the part of the moves is 1.4 times as wide, as trials found.
    """

    ipr: float
    low: float
    high: float
    low_actual: float
    high_actual: float
    moves: int
    match_rate: float
    error: float
    projected: float
    fit: ChoiceFit
    calibration: str
    line_sigma: float
    outside: bool
    """Whether the rating lies beyond the marks of the line."""
    note: str = ""


def intrinsic_rating(
    choices: MoveChoices,
    calibration: Calibration,
    *,
    method: RatingMethod | None = None,
    c: float | None = None,
    years: Sequence[int | None] | pl.Series | None = None,
) -> Intrinsic:
    """Rate the choices of a player, a side or a whole event.

    Parameters
    ----------
    method
        Method of fitting; default: the calibration's own. The line was
        not made for.
    c
        A fixed c, as on the calibration's artery, where the moves are too few to find both; None: find it.
    years
        When each move was played, for the decades of the calibration.
    """
    if len(choices) < LEAST_MOVES:
        needed = moves_needed(calibration, 100.0)
        raise UsageError(
            f"expected at least {LEAST_MOVES} moves for a rating, found {len(choices)}; "
            f"for ±100 points it takes about {needed:,}"
        )
    shift, shift_sigma = calibration.shift(years)

    def rated(c: float | None) -> tuple[ChoiceFit, float, float]:
        how = "equate" if method == "artery" else method or calibration.method
        result = fit(choices, method=how, c=c)
        projected = project(calibration.standing(choices), result.s, result.c).error
        return result, projected, calibration.line.rating(projected).rating + shift

    if method == "artery" and c is None:
        # The c of the rating that comes out of it: along the artery the rating hardly depends on it.
        c = _middle_c(calibration)
        for _ in range(ARTERY_STEPS):
            c = max(calibration.artery.c(rated(c)[2]), RANGE_C[0])
    result, projected, ipr = rated(c)
    sigma = project(choices, result.s, result.c).error_sigma
    own = calibration.line_sigma(ipr)
    line_sigma = math.hypot(shift_sigma, 0.0 if math.isnan(own) else own)
    narrow, wide = (
        SIGMAS * math.hypot(k * calibration.line.slope * sigma, line_sigma) for k in (1.0, ACTUAL_ERROR)
    )
    first, last = calibration.ends
    return Intrinsic(
        ipr=ipr,
        low=ipr - narrow,
        high=ipr + narrow,
        low_actual=ipr - wide,
        high_actual=ipr + wide,
        moves=len(choices),
        match_rate=choices.match_rate,
        error=choices.scaled_error,
        projected=projected,
        fit=result,
        calibration=calibration.name,
        line_sigma=line_sigma,
        outside=not first <= ipr <= last,
        note=result.note,
    )


def moves_needed(calibration: Calibration, half_width: float) -> int:
    """Return how many moves an interval of ± `half_width` points takes, at the calibration's middle mark."""
    if not half_width > 0:
        raise UsageError(f"expected a half-width above 0 points, found {half_width!r}")
    marks = [m for m in calibration.marks if m.in_line]
    middle = marks[len(marks) // 2]
    one = middle.sigma * math.sqrt(middle.moves) * calibration.line.slope
    return math.ceil((SIGMAS * one / half_width) ** 2)


def same_settings(calibration: Calibration, engine: Mapping[str, object]) -> None:
    """Raise unless moves were analysed as the calibration's were; name both."""
    ours = dict(calibration.engine)
    theirs = dict(engine)
    if ours != theirs:
        different = sorted(k for k in ours.keys() | theirs.keys() if ours.get(k) != theirs.get(k))
        told = "; ".join(f"{k}: {theirs.get(k)!r}, not {ours.get(k)!r}" for k in different)
        raise UsageError(
            f"the calibration {calibration.name!r} does not fit these evaluations ({told}): "
            "a rating from them would mean nothing; analyse with its settings, or make a calibration"
        )


# A rating where there can be one, a bound where there is only that, and words where there is neither.

TAIL = float(norm.sf(SIGMAS))
"""The chance beyond one end of an interval of ±2σ: a bound leaves out as much."""
HALF_WIDTH = 100.0
"""Points either side for which the number of moves is said when there are too few."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """Figures of a player that some moves give.

    `rating` is None where they say too little; `note` then says why. `at_least` is the rating below which moves without any
    error would be rarer than 2.3 in 100.
    """

    moves: int
    match_rate: float
    error: float
    rating: Intrinsic | None = None
    at_least: float | None = None
    note: str = ""


def estimated(
    choices: MoveChoices,
    calibration: Calibration,
    *,
    method: RatingMethod | None = None,
    least: int = LEAST_MOVES,
    years: Sequence[int | None] | pl.Series | None = None,
) -> Estimate:
    """Rate some choices; never raises for what the moves are.

    Where s and c cannot both be found, c is taken from the calibration's artery and s alone is fitted. Fewer than
    `least` moves get no rating: the note says which ratings they fit.
    """
    result = Estimate(moves=len(choices), match_rate=choices.match_rate, error=choices.scaled_error)
    if why := _too_few(choices, calibration):
        return _said(result, why)
    if not (choices.loss > 0).any():
        bound = _bound(choices, calibration)
        why = f"all {len(choices)} moves are as good as the engine's first: no finite rating explains that"
        if bound is None:
            return _said(result, why)
        return _said(result, f"{why}, and a player below {bound:.0f} is unlikely to play like this", bound)
    if not choices.matched.any():
        return _said(result, f"none of the {len(choices)} moves is the engine's first: more are needed")
    try:
        fitted = _fitted(result, choices, calibration, method, years)
    except ArpadError as error:
        return _said(result, str(error))
    rated = fitted.rating
    return _said(result, _fitting(rated, calibration, least)) if rated and rated.moves < least else fitted


def _fitting(rated: Intrinsic, calibration: Calibration, least: int) -> str:
    few = f"{rated.moves} moves are too few for a rating, which takes {least}: they fit"
    low, high = (round(v, -1) for v in (rated.low_actual, rated.high_actual))
    first, last = calibration.ends
    if low < first and high > last:
        return f"{few} any strength from {first:.0f} to {last:.0f}"
    if low > last or high < first:
        return f"{few} a strength {rating_words(low, calibration)}"
    return f"{few} a strength from {rating_words(low, calibration)} to {rating_words(high, calibration)}"


def rating_words(rating: float, calibration: Calibration) -> str:
    """Return a rating as people read it: a number between the marks of the line, words outside.

    Examples
    --------
    >>> from arpad.moves.ipr.calibration import paper_calibration
    >>> [rating_words(r, paper_calibration()) for r in (2199, 2345.6, 2790)]
    ['below 2200', '2346', 'above 2700']
    """
    first, last = calibration.ends
    return (
        f"below {first:.0f}" if rating < first else f"above {last:.0f}" if rating > last else f"{rating:.0f}"
    )


def _fitted(
    found: Estimate,
    choices: MoveChoices,
    calibration: Calibration,
    method: RatingMethod | None,
    years: Sequence[int | None] | pl.Series | None,
) -> Estimate:
    rated = intrinsic_rating(choices, calibration, method=method, years=years)
    note = rated.note
    if not rated.fit.converged:
        c = _middle_c(calibration)
        again = intrinsic_rating(choices, calibration, method=method, c=c, years=years)
        if not again.fit.converged:
            why = f"no skill explains {100 * found.match_rate:.0f} % first moves together with an average error of {found.error:.3f}"
            return _said(found, f"{why}: no rating is given")
        rated = again
        note = f"s and c cannot both be found in {len(choices)} moves: c = {c:.3f}, the artery's"
    return replace(found, rating=rated, note=note)


def _said(found: Estimate, note: str, bound: float | None = None) -> Estimate:
    return replace(found, at_least=bound, note=note)


def _too_few(choices: MoveChoices, calibration: Calibration) -> str:
    if len(choices) and not (choices.count.sum(axis=1) > 1).any():
        return "every move was forced: the moves say nothing about the player"
    if len(choices) >= LEAST_MOVES:
        return ""
    many = "1 move" if len(choices) == 1 else f"{len(choices)} moves"
    needed = moves_needed(calibration, HALF_WIDTH)
    return f"{many}: a rating takes {LEAST_MOVES} at least, and one of ±{HALF_WIDTH:.0f} about {needed:,}"


def _middle_c(calibration: Calibration) -> float:
    marks = [m.elo for m in calibration.marks if m.in_line]
    return calibration.artery.c(marks[len(marks) // 2])


def _bound(choices: MoveChoices, calibration: Calibration) -> float | None:
    """Return the rating whose player would make no error in these positions with a chance of `TAIL`."""
    c = _middle_c(calibration)
    free = choices.count * (choices.delta == 0)

    def surplus(log_s: float) -> float:
        share = probabilities(choices, math.exp(log_s), c)
        flawless = np.minimum((share * free).sum(axis=1), 1.0)
        return float(np.log(np.maximum(flawless, 1e-300)).sum()) - math.log(TAIL)

    low, high = (math.log(s) for s in RANGE_S)
    if surplus(low) <= 0 or surplus(high) >= 0:
        return None  # these positions tempt nobody, or anybody
    s = math.exp(brentq(surplus, low, high, xtol=1e-8))
    return calibration.line.rating(project(calibration.standing(choices), s, c).error).rating


# Who stands in one row: the sides of games, taken together by player, event, year, colour or game.

By = Literal["player", "event", "year", "side", "game", "turn", "advantage"]
"""player   a row a player;
event    a row an event, all its players together [tables 3, 4];
year     a row a year;
side     White and Black;
game     a row a game;
turn     a row for moves 9–16, 17–24, …;
advantage  a row for each pawn by which the player to move was ahead or behind.

Several of them tell rows apart by each: player and event give a player's row in every event [table 5]."""
MOVE_KEYS: tuple[By, ...] = ("turn", "advantage")
"""Columns that identify a move within a game."""
TURNS = (9, 17, 25, 33, 41, 61)
"""The first moves of the rows by turn."""
ADVANTAGES = (-2.5, -1.5, -0.5, 0.5, 1.5, 2.5)
"""Pawns between the rows by advantage, from the side of the player to move."""
COLOURS = ("White", "Black")
_KEYS: dict[By, str] = {"player": "player", "event": "event", "year": "year", "side": "white", "game": "game"}
"""The column of `sides` that tells rows apart."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RowGroups:
    """The rows of a table, and the sides of games that belong to each.

    `rows` has `group` and a column for each of `by`, in words. `sides` has a row for each side of each game that was
    played: `group`, `game`, `white`, `player`, `rating`, `opponent_rating`, `score`.
    """

    by: tuple[By, ...]
    rows: pl.DataFrame
    sides: pl.DataFrame
    everybody: bool
    """Whether both sides of every game are included."""

    def of(self, frame: pl.DataFrame) -> pl.Series:
        """Return the group of each row of a frame that has `game` and `white`; null for a row of none."""
        seat = self.sides.select(pl.col("game").cast(frame["game"].dtype), "white", "group")
        return frame.select("game", "white").join(
            seat, on=["game", "white"], how="left", maintain_order="left"
        )["group"]


def groups_of(games: Games, by: Sequence[By], *, players: Collection[int] | None = None) -> RowGroups:
    """Return the rows of a table; forfeits and byes belong to none."""
    wanted = tuple(dict.fromkeys(by))
    unknown = [b for b in wanted if b not in get_args(By)]
    if unknown or not wanted:
        raise UsageError(
            f"expected some of {', '.join(get_args(By))}; found {', '.join(unknown) or 'nothing'}"
        )
    sides = _sides(games)
    if players is not None:
        sides = sides.filter(pl.col("player").is_in(list(players)))
    keys = [_KEYS[b] for b in wanted if b not in MOVE_KEYS]
    if not keys:  # everything is one group, whose moves are told apart later
        whole = pl.DataFrame({"group": [0]}, schema={"group": pl.UInt32})
        seated = sides.with_columns(group=pl.lit(0, pl.UInt32))
        return RowGroups(by=wanted, rows=whole, sides=seated, everybody=players is None)
    rows = sides.select(keys).unique(maintain_order=True)
    # Years stand in their order, whatever the order of the files; all else as it is met first.
    rows = (rows.sort("year") if wanted == ("year",) else rows).with_row_index("group")
    seated = sides.join(rows, on=keys, how="left", nulls_equal=True, maintain_order="left")
    words = [_words(games, b, rows) for b in wanted if b not in MOVE_KEYS]
    return RowGroups(by=wanted, rows=rows.select("group", *words), sides=seated, everybody=players is None)


def moves_apart(groups: RowGroups, of: pl.Series, rows: pl.DataFrame) -> tuple[pl.DataFrame, pl.Series]:
    """Tell moves of one group apart by turn or advantage, where that is asked for.

    Parameters
    ----------
    of
        The group of each decision.
    rows
        The decisions, with `turn` and `value`.

    Returns
    -------
    rows, of
        `cell`, `group` and a column in words for each of `by`; and the cell of each decision.
    """
    keys = [b for b in groups.by if b in MOVE_KEYS]
    if not keys:
        return groups.rows.with_columns(cell=pl.col("group")), of
    banded = {"turn": ("turn", TURNS, _turn_words), "advantage": ("value", ADVANTAGES, _advantage_words)}
    cells = pl.DataFrame({"group": of})
    for key in keys:
        column, edges, _ = banded[key]
        at = np.searchsorted(np.asarray(edges), rows[column].to_numpy(), side="right")
        cells = cells.with_columns(pl.Series(key, at))
    every = cells.unique().sort("group", *keys).with_row_index("cell")
    result = cells.join(every, on=["group", *keys], how="left", maintain_order="left")["cell"]
    named = every.with_columns(
        pl.Series(key, [banded[key][2](i) for i in every[key]], dtype=pl.String) for key in keys
    )
    table = named.join(groups.rows, on="group", how="left", maintain_order="left")
    return table.select("cell", "group", *groups.by), result


def _turn_words(band: int) -> str:
    if band in (0, len(TURNS)):
        return f"moves 1–{TURNS[0] - 1}" if not band else f"moves {TURNS[-1]}–"
    return f"moves {TURNS[band - 1]}–{TURNS[band] - 1}"


def _advantage_words(band: int) -> str:
    if band in (0, len(ADVANTAGES)):
        return f"below {ADVANTAGES[0]:+.1f}" if not band else f"above {ADVANTAGES[-1]:+.1f}"
    return f"{ADVANTAGES[band - 1]:+.1f} to {ADVANTAGES[band]:+.1f}"


def _sides(games: Games) -> pl.DataFrame:
    table = games.table.with_row_index("game").filter(
        ~pl.col("status").is_in(["forfeit", "bye"]) & pl.col("black").is_not_null()
    )
    both = [
        table.select(
            "game",
            "event",
            pl.col("date").dt.year().alias("year"),
            pl.lit(white).alias("white"),
            pl.col(mine).alias("player"),
            pl.col(theirs).alias("opponent"),
            pl.col(f"{mine}_rating").alias("rating"),
            pl.col(f"{theirs}_rating").alias("opponent_rating"),
            pl.col(score).alias("score"),
            (pl.col("status") == "played").alias("counts"),
        )
        for white, mine, theirs, score in (
            (True, "white", "black", "score"),
            (False, "black", "white", "black_score"),
        )
    ]
    return pl.concat(both).sort("game", "white", descending=[False, True])


def _words(games: Games, by: By, rows: pl.DataFrame) -> pl.Series:
    if by == "player":
        result = games.players["name"].gather(rows["player"]).to_list()
    elif by == "event":
        events = [e.name for e in games.events]
        result = ["no event" if e is None else events[e] for e in rows["event"]]
    elif by == "year":
        result = ["no date" if y is None else str(y) for y in rows["year"]]
    elif by == "side":
        result = [COLOURS[0] if white else COLOURS[1] for white in rows["white"]]
    else:
        result = [_title(games, game) for game in rows["game"]]
    return pl.Series(by, result, dtype=pl.String)


def _title(games: Games, game: int) -> str:
    names, row = games.players["name"], games.table.row(game, named=True)
    where = f", round {row['round']}" if row["round"] else ""
    return f"{game + 1}. {names[row['white']]} – {names[row['black']]}{where}"


def players_called(games: Games, parts: Sequence[str]) -> list[int]:
    """Return the rows of players whose names contain one of some texts."""
    names = [n or "" for n in games.players["name"].to_list()]
    result: list[int] = []
    for part in parts:
        mine = [i for i, n in enumerate(names) if part.strip().casefold() in n.casefold()]
        if not mine or not part.strip():
            some = ", ".join(names[:5])
            raise UsageError(
                f"expected part of a player's name, found {part!r}; there are {some}"
                + (", …" if len(names) > 5 else "")
            )
        result += mine
    return sorted(set(result))
