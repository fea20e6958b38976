"""Calibration: from rated players' moves to the line from average error to a rating."""

from __future__ import annotations

import hashlib
import json
import math
from collections import Counter
from dataclasses import asdict, dataclass, field
from importlib.resources import files
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from arpad.errors import InputError, UsageError
from arpad.moves.ipr.model import FitMethod, MoveChoices, fit, project

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import NDArray


# The line from projected average error to a rating, and the intervals around it [IPR (6)].

SIGMAS = 2.0
"""Standard deviations either side of a rating in its interval."""
ACTUAL_ERROR = 1.4
"""By how much the spread of the average error really is wider than projected: moves of one game are not
independent choices. The paper's trials."""
ACTUAL_MATCH = 1.15
"""The same for the match rate."""
LEAST_POINTS = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class CalibratedRating:
    """A rating with both intervals: as the model projects them, and as trials found them."""

    rating: float
    low: float
    high: float
    low_actual: float
    high_actual: float


@dataclass(frozen=True, slots=True, kw_only=True)
class IprLine:
    """IPR = intercept − slope · AE_e.

    `points` pairs of Elo and error made it; `r_squared` is of the regression, `residual` its standard
    deviation in Elo. Zero where they are not known.
    """

    intercept: float
    slope: float
    points: int = 0
    r_squared: float = 0.0
    residual: float = 0.0

    def rating(self, error: float, sigma: float = 0.0) -> CalibratedRating:
        """Return the rating of a projected average error, whose standard deviation is `sigma`.

        Examples
        --------
        >>> RYBKA = IprLine(intercept=3571, slope=15413)
        >>> round(RYBKA.rating(0.0572).rating)
        2689
        """
        middle = self.intercept - self.slope * error
        half = SIGMAS * self.slope * sigma
        return CalibratedRating(
            rating=middle,
            low=middle - half,
            high=middle + half,
            low_actual=middle - ACTUAL_ERROR * half,
            high_actual=middle + ACTUAL_ERROR * half,
        )

    def error(self, rating: float) -> float:
        """Return the average error that a rating stands for."""
        return (self.intercept - rating) / self.slope


def fitted_line(
    elo: Sequence[float], error: Sequence[float], weights: Sequence[float] | None = None
) -> IprLine:
    """Regress the error on Elo, and turn the line round.

    The error is what was measured with chance in it, so it is the regression's dependent side; this way gives the
    paper's own line, the other way does not.

    Parameters
    ----------
    weights
        Of each point: one over the variance of its error. All alike by default.
    """
    x, y = np.asarray(elo, dtype=np.float64), np.asarray(error, dtype=np.float64)
    w = np.ones_like(x) if weights is None else np.asarray(weights, dtype=np.float64)
    if len(x) < LEAST_POINTS or len(x) != len(y) or len(w) != len(x):
        raise UsageError(
            f"expected at least {LEAST_POINTS} pairs of rating and error, found {len(x)} and {len(y)}"
        )
    mean_x, mean_y = np.average(x, weights=w), np.average(y, weights=w)
    s_xx, s_yy = (w * (x - mean_x) ** 2).sum(), (w * (y - mean_y) ** 2).sum()
    s_xy = (w * (x - mean_x) * (y - mean_y)).sum()
    if s_xx <= 0 or s_xy >= 0:
        raise UsageError(
            "expected the error to fall as ratings rise, found "
            + ("one rating only" if s_xx <= 0 else "that it does not: no line can rate these moves")
        )
    gradient = s_xy / s_xx
    misses = (y - mean_y - gradient * (x - mean_x)) / gradient
    return IprLine(
        intercept=float(mean_x - mean_y / gradient),
        slope=float(-1.0 / gradient),
        points=len(x),
        r_squared=float(s_xy**2 / (s_xx * s_yy)),
        residual=float(np.sqrt((misses**2).sum() / max(len(x) - 2, 1))),
    )


# Calibration: rated players' moves in, the line from average error to a rating out.
#
# Skill (s, c) is fitted at every rating mark, projected on one set of reference positions, and the line is
# drawn through the projected errors. A calibration belongs to one engine, one limit and one number of lines; where it is
# weak, `weaknesses` says.

LEAST_MARKS = 3
LEAST_MOVES = 100
"""Moves below which a mark is too thin to enter the line."""
GOOD = 0.8
"""R² below which a line is refused: one made at depth 4 (R² .5) rated Kramnik 4948."""
REFERENCE = 1000
"""Reference positions that are kept. The line is drawn through errors on the same ones, so that more of them change ratings by
a few points only; docs/methods/ipr.md has the figures."""
PLACES = 4
"""Decimal places of their scaled losses: a hundredth of a centipawn in a level position. Rounded before anything rests on
them, so that the file gives the same figures."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """Result of the fit at one rating mark.

    `elo` is its name, `rating` the mean rating of those who made its moves. `error` is the scaled average error of the moves played, `error_sigma` its standard error, by games; `projected` is AE_e, the
    error that (s, c) gives on the reference positions, `sigma` its standard deviation on the mark's own.
    """

    elo: float
    rating: float
    games: int
    moves: int
    match_rate: float
    error: float
    error_sigma: float
    s: float
    c: float
    projected: float
    sigma: float
    in_line: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Artery:
    """The paper's "central artery": c grows evenly with Elo."""

    intercept: float
    slope: float

    def c(self, elo: float) -> float:
        """Return the c of a rating."""
        return self.intercept + self.slope * elo


@dataclass(frozen=True, slots=True, kw_only=True)
class Decade:
    """Games of some years: the line is moved by `shift` points for them, ± `sigma`."""

    first: int
    last: int
    shift: float
    sigma: float

    def away(self, year: int) -> int:
        """Return how many years lie between a year and this decade."""
        return max(self.first - year, year - self.last, 0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Unseen:
    """Errors of the line on games that it was not fitted to, for players of one level."""

    first: float
    last: float
    moves: int
    games: int
    bias: float
    """The rating that the line gives less the players' mean rating."""
    sigma: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """A line with all that it rests on."""

    name: str
    engine: Mapping[str, object]
    """Engine, network, limit, lines, hash and options, as `EngineSettings.parameters` gives them."""
    filters: Mapping[str, object]
    method: FitMethod
    line: IprLine
    artery: Artery
    marks: tuple[Mark, ...]
    reference: MoveChoices
    games: str
    """Origin of the games, in words."""
    date: str
    sample: Mapping[str, object] = field(default_factory=dict)
    """Files, games and positions of the sample, and their fingerprint."""
    arpad: str = ""
    """The version of arpad that made it."""
    decades: tuple[Decade, ...] = ()
    """By how much the line is moved for games of a decade; empty: the line holds for all."""
    unseen: tuple[Unseen, ...] = ()
    """Errors of the line on games that were not used."""

    @property
    def ends(self) -> tuple[float, float]:
        """The lowest and the highest mark of the line."""
        inside = [m.elo for m in self.marks if m.in_line]
        return min(inside), max(inside)

    def shift(self, years: Iterable[int | None] | None) -> tuple[float, float]:
        """Return by how much the line is moved for moves of these years, and the standard error of that.

        A year outside the decades counts with the nearest one; a year that is not known with the last. Without years
        the line stays where it is.
        """
        if not self.decades or years is None:
            return 0.0, 0.0
        last = self.decades[-1]
        known = Counter(years)
        total = sum(known.values()) or 1
        parts = [
            (n / total, last if y is None else min(self.decades, key=lambda d: (d.away(y), -d.first)))
            for y, n in known.items()
        ]
        return sum(w * d.shift for w, d in parts), sum(w * d.sigma for w, d in parts)

    def standing(self, choices: MoveChoices) -> MoveChoices:
        """Return what errors are projected on: the reference, or these positions where there is none (the paper's own line)."""
        return self.reference if len(self.reference) else choices

    def table(self) -> pl.DataFrame:
        """Return the marks, each with the rating that the line gives it and the residual."""
        names = {"error": "ae", "error_sigma": "ae_sigma", "projected": "ae_e"}
        marks = pl.DataFrame([asdict(m) for m in self.marks]).rename(names)
        ipr = self.line.intercept - self.line.slope * pl.col("ae_e")
        return marks.with_columns(
            ipr=ipr, residual=ipr - pl.col("rating"), sigma=self.line.slope * pl.col("sigma")
        ).select(pl.exclude("sigma", "in_line"), "sigma", "in_line")

    def line_sigma(self, rating: float) -> float:
        """Return the standard error of the line itself at a rating, in Elo, from how its marks scatter around it.

        s √(1/n + (R − R̄)²/Σ(R_i − R̄)²), every mark weighed by one over its variance.
        """
        inside = [m for m in self.marks if m.in_line]
        if len(inside) < 3:
            return math.nan
        x = np.array([m.rating for m in inside])
        w = np.array([1 / m.sigma**2 for m in inside])
        w *= len(w) / w.sum()
        off = np.array([self.line.rating(m.projected).rating for m in inside]) - x
        middle = np.average(x, weights=w)
        spread = (w * (x - middle) ** 2).sum()
        residual = (w * off**2).sum() / (len(x) - 2)
        return float(np.sqrt(residual * (1 / len(x) + (rating - middle) ** 2 / spread)))

    def summary(self) -> str:
        """Return one sentence."""
        inside = [m for m in self.marks if m.in_line]
        return (
            f"IPR = {self.line.intercept:.0f} − {self.line.slope:.0f}·AE_e from "
            f"{sum(m.moves for m in inside):,} moves at {len(inside)} marks "
            f"{inside[0].elo:.0f}–{inside[-1].elo:.0f}, R² {self.line.r_squared:.3f}, "
            f"residual {self.line.residual:.0f} points"
        )


def calibrate(
    choices: MoveChoices,
    elo: NDArray[np.float64],
    game: NDArray[np.int64],
    *,
    name: str,
    engine: Mapping[str, object],
    filters: Mapping[str, object],
    games: str,
    date: str,
    method: FitMethod = "equate",
    step: float = 100.0,
    first: float = 1800.0,
    last: float = 2700.0,
    reference: int = REFERENCE,
    reference_from: MoveChoices | None = None,
    sample: Mapping[str, object] | None = None,
    arpad: str = "",
    least_r_squared: float = GOOD,
) -> Calibration:
    """Make a calibration from the choices of rated players.

    Parameters
    ----------
    choices, elo, game
        Positions with the move played, the rating of the player, and the game they come from.
    step
        Width of a mark: 100 for the century marks of the paper.
    first, last
        The marks that the line goes through. The paper takes 2200 to 2700.
    reference
        How many positions are kept, evenly from all of them, to project errors on.
    reference_from
        Take these positions instead: the paper has those of three world championships.
    sample, arpad
        What is kept with it: which games and positions, and arpad's version.
    least_r_squared
        A line that follows its marks less closely is an error.
    """
    elo = np.asarray(elo, dtype=np.float64)
    if not len(choices) == len(elo) == len(game):
        raise InputError(
            f"expected a rating and a game for each of {len(choices)} moves, found {len(elo)} and {len(game)}"
        )
    standing = _reference(choices if reference_from is None else reference_from, reference)
    marks = []
    for mark in np.unique(marks_of(elo, step)):
        here = marks_of(elo, step) == mark
        if here.sum() >= LEAST_MOVES:
            marks.append(
                _mark(
                    choices[here],
                    elo[here],
                    game[here],
                    standing,
                    float(mark),
                    method,
                    bool(first <= mark <= last),
                )
            )
    inside = [m for m in marks if m.in_line]
    if len(inside) < LEAST_MARKS:
        raise InputError(
            f"expected at least {LEAST_MARKS} marks between {first:.0f} and {last:.0f} with {LEAST_MOVES} moves "
            f"each, found {len(inside)}: give more games"
        )
    points = [m.rating for m in inside]
    line = fitted_line(points, [m.projected for m in inside], [1 / m.sigma**2 for m in inside])
    if line.r_squared < least_r_squared:
        raise InputError(
            f"the line follows its marks with an R² of {line.r_squared:.2f}; expected {least_r_squared:g} or more: ratings from it "
            "would be far off. Take more games, or a deeper search",
            code="weak-calibration",
        )
    gradient, start = np.polyfit(points, [m.c for m in inside], 1, w=[m.moves**0.5 for m in inside])
    return Calibration(
        name=name,
        engine=engine,
        filters=filters,
        method=method,
        line=line,
        artery=Artery(intercept=float(start), slope=float(gradient)),
        marks=tuple(marks),
        reference=standing,
        games=games,
        date=date,
        sample=sample or {},
        arpad=arpad,
    )


def _reference(choices: MoveChoices, wanted: int) -> MoveChoices:
    """Return this many of the positions, evenly from all, their losses rounded as a file holds them."""
    if wanted < 1:
        raise UsageError(f"expected a reference of 1 position or more, found {wanted}")
    rows = np.unique(np.linspace(0, len(choices) - 1, min(wanted, len(choices))).astype(int))
    kept = choices[rows]
    return MoveChoices(delta=np.round(kept.delta, PLACES), count=kept.count, played=kept.played)


def marks_of(elo: NDArray[np.float64], step: float) -> NDArray[np.float64]:
    """Return the mark of each rating: the nearest one, halves upwards."""
    return np.asarray(np.floor(elo / step + 0.5) * step)


def _mark(
    choices: MoveChoices,
    rating: NDArray[np.float64],
    game: NDArray[np.int64],
    reference: MoveChoices,
    elo: float,
    method: FitMethod,
    in_line: bool,
) -> Mark:
    result = fit(choices, method=method)
    return Mark(
        elo=elo,
        rating=float(rating.mean()),
        games=len(np.unique(game)),
        moves=len(choices),
        match_rate=choices.match_rate,
        error=choices.scaled_error,
        error_sigma=by_games(choices.loss, game),
        s=result.s,
        c=result.c,
        projected=project(reference, result.s, result.c).error,
        sigma=project(choices, result.s, result.c).error_sigma,
        in_line=in_line and result.converged,  # no line goes through what no (s, c) gives
    )


def by_games(loss: NDArray[np.float64], game: Sequence[int] | NDArray[np.int64]) -> float:
    """Return the standard error of the mean loss, moves of a game taken together."""
    _, code = np.unique(game, return_inverse=True)
    off = np.bincount(code, weights=loss - loss.mean())
    n = len(off)
    return float(np.sqrt((off**2).sum() * n / max(n - 1, 1)) / len(loss))


# A calibration as plain values, for a small file that says where it comes from and shows if it was edited.

FORMAT = "arpad calibration 1"
PLAIN = ("name", "date", "arpad", "games", "sample", "engine", "filters", "method")
"""Fields that stand in the file as they are."""


def to_document(calibration: Calibration) -> dict[str, Any]:
    """Return the calibration as plain values with a checksum over all of them."""
    document: dict[str, Any] = {"format": FORMAT} | {name: getattr(calibration, name) for name in PLAIN}
    document |= {name: dict(document[name]) for name in ("sample", "engine", "filters")}
    document |= {"line": asdict(calibration.line), "artery": asdict(calibration.artery)}
    for name in ("marks", "decades", "unseen"):
        if parts := getattr(calibration, name):
            document[name] = [asdict(part) for part in parts]
    document["reference"] = _positions(calibration.reference)
    return {**document, "checksum": _checksum(document)}


def from_document(document: Mapping[str, Any], *, file: str | None = None) -> Calibration:
    """Return the calibration in a document; one that was edited is an error."""
    if document.get("format") != FORMAT:
        raise InputError(f"expected a calibration ({FORMAT!r}), found {document.get('format')!r}", file=file)
    content = {key: value for key, value in document.items() if key != "checksum"}
    if _checksum(content) != document.get("checksum"):
        raise InputError(
            "the calibration was changed after it was made: its checksum does not fit; "
            "make it again with arpad ipr calibrate",
            file=file,
        )
    try:
        plain = {name: content[name] for name in PLAIN}
        parts: dict[str, Any] = {
            name: tuple(kind(**part) for part in content.get(name, ()))
            for name, kind in (("marks", Mark), ("decades", Decade), ("unseen", Unseen))
        }
        return Calibration(
            **plain,
            line=IprLine(**content["line"]),
            artery=Artery(**content["artery"]),
            reference=_choices(content["reference"]),
            **parts,
        )
    except (KeyError, TypeError) as error:
        raise InputError(f"the calibration lacks {error}: make it again", file=file) from None


def _positions(choices: MoveChoices) -> list[dict[str, Any]]:
    """Return each position's lines, without those that no move stands at.

    One move stands at each, but for the last, where all stand that nobody looked at (`behind`); what is otherwise says so (`moves`).
    """
    return [
        _position(delta[count > 0], count[count > 0])
        for delta, count in zip(choices.delta, choices.count, strict=True)
    ]


def _position(delta: NDArray[np.float64], count: NDArray[np.float64]) -> dict[str, Any]:
    loss = {"loss": [round(float(d), PLACES) for d in delta]}
    if (count[:-1] != 1).any():
        return {**loss, "moves": [int(n) for n in count]}
    return {**loss, "behind": int(count[-1])} if count[-1] > 1 else loss


def _choices(positions: list[dict[str, Any]]) -> MoveChoices:
    width = max((len(p["loss"]) for p in positions), default=1)
    delta, count = np.zeros((2, len(positions), width))
    for row, position in enumerate(positions):
        lines = len(position["loss"])
        delta[row, :lines] = position["loss"]
        count[row, :lines] = position.get("moves", 1)
        count[row, lines - 1] = position.get("behind", count[row, lines - 1])
    return MoveChoices(delta=delta, count=count, played=np.zeros(len(positions), dtype=np.int64))


def _checksum(content: Mapping[str, Any]) -> str:
    text = json.dumps(content, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


# Where a calibration fails: marks off the line, errors that do not fall, thin marks.

FAR = 2.0
"""Standard errors beyond which something is said."""
THIN_GAMES = 50
"""Games below which a mark is called thin: moves of one game are no independent witnesses."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MarkStep:
    """From one mark to the next: by how much the average error fell, in standard errors of the difference."""

    lower: float
    upper: float
    fall: float
    sigma: float

    @property
    def z(self) -> float:
        """The fall in standard errors; below −2 the error rises, beyond what chance gives."""
        return self.fall / self.sigma

    @property
    def falls(self) -> bool:
        """Whether the error falls, or rises by less than two standard errors."""
        return self.z >= -FAR


def steps(calibration: Calibration) -> tuple[MarkStep, ...]:
    """Return the steps between the marks that the line goes through, lowest first."""
    inside = [m for m in calibration.marks if m.in_line]
    return tuple(
        MarkStep(
            lower=a.elo, upper=b.elo, fall=a.error - b.error, sigma=math.hypot(a.error_sigma, b.error_sigma)
        )
        for a, b in pairwise(inside)
    )


def weaknesses(calibration: Calibration) -> tuple[str, ...]:
    """Say in words where the calibration is not to be trusted; empty where nothing was found."""
    inside = [m for m in calibration.marks if m.in_line]
    said = [
        f"{m.elo:.0f}: the line gives {_rating(calibration, m):.0f}, {_off(calibration, m):+.0f} points "
        f"({_z(calibration, m):+.1f} standard errors)"
        for m in inside
        if abs(_z(calibration, m)) > FAR
    ]
    outside = [m for m in calibration.marks if not m.in_line and abs(_z(calibration, m)) > FAR]
    for words, marks in (
        ("below", [m for m in outside if m.elo < inside[0].elo]),
        ("above", [m for m in outside if m.elo > inside[-1].elo]),
    ):
        if marks:
            shown = ", ".join(f"{m.elo:.0f} is rated {_rating(calibration, m):.0f}" for m in marks)
            said.append(f"{words} the line's marks it does not hold: {shown}")
    between = [m for m in calibration.marks if not m.in_line and inside[0].elo < m.elo < inside[-1].elo]
    if between:
        said.append(
            "no sensitivity and consistency explain the moves, left out of the line: "
            + ", ".join(f"{m.elo:.0f}" for m in between)
        )
    said += [
        f"from {step.lower:.0f} to {step.upper:.0f} the average error rises, by {-step.z:.1f} standard errors"
        for step in steps(calibration)
        if not step.falls
    ]
    thin = [m for m in calibration.marks if m.games < THIN_GAMES]
    if thin:
        said.append("few games: " + ", ".join(f"{m.elo:.0f} ({m.games})" for m in thin))
    return tuple(said)


def _rating(calibration: Calibration, mark: Mark) -> float:
    return calibration.line.rating(mark.projected).rating


def _off(calibration: Calibration, mark: Mark) -> float:
    return _rating(calibration, mark) - mark.rating


def _z(calibration: Calibration, mark: Mark) -> float:
    """Return the residual in standard errors: those of the mark's error, by games, on the rating scale."""
    return _off(calibration, mark) / (calibration.line.slope * mark.error_sigma)


# The paper's own calibration: Rybka 3 at depth 13, for evaluations of that engine only [IPR tables 1 and 2, (6)].

PAPER = "rybka3-depth13"
"""Its name."""
LINE = IprLine(intercept=3571.0, slope=15413.0, points=6)
"""Equation (6)."""
ARTERY = Artery(intercept=0.324, slope=0.00007)
"""c of the "central artery", from the column C_fit of table 2."""
ROWS = (
    (1900, 0.159, 0.474, 16_195, 1790, 1878, None),
    (2000, 0.139, 0.454, 9_471, 1853, 1966, None),
    (2100, 0.134, 0.486, 9_728, 2048, 2150, None),
    (2200, 0.123, 0.490, 11_386, 2170, 2257, 0.0883),
    (2300, 0.108, 0.475, 17_632, 2257, 2328, 0.0843),
    (2400, 0.098, 0.483, 20_277, 2393, 2452, 0.0749),
    (2500, 0.092, 0.491, 16_773, 2480, 2541, 0.0689),
    (2600, 0.092, 0.523, 7_807, 2570, 2652, 0.0624),
    (2700, 0.078, 0.502, 7_032, 2648, 2731, 0.0572),
)
"""2006–2009: Elo, s, c, moves, ends of the ±2σ range in Elo [table 2], AE_e [table 1]."""


def paper_calibration() -> Calibration:
    """Return the paper's line under its name.

    Its reference positions were never published with their evaluations, so there are none here: errors are projected on the
    positions that are rated. Match rates, games and actual errors of its marks are not in the paper.

    Examples
    --------
    >>> round(paper_calibration().line.rating(0.0572).rating)
    2689
    """
    unknown = dict.fromkeys(("match_rate", "error", "error_sigma"), math.nan)
    marks = tuple(
        Mark(
            **unknown,
            elo=elo,
            rating=elo,
            games=0,
            moves=moves,
            s=s,
            c=c,
            projected=LINE.error((low + high) / 2) if error is None else error,
            sigma=(high - low) / (2 * SIGMAS) / LINE.slope,
            in_line=error is not None,
        )
        for elo, s, c, moves, low, high, error in ROWS
    )
    nothing = np.zeros((0, 1))
    return Calibration(
        name=PAPER,
        engine={"engine": "Rybka 3", "network": "", "depth": 13, "multipv": 50, "hash_mb": 16, "options": {}},
        filters={"first_turn": 9, "window": 3.0, "judged": "previous", "repeated": True, "forced": True},
        method="percentile",
        line=LINE,
        artery=ARTERY,
        marks=marks,
        reference=MoveChoices(delta=nothing, count=nothing, played=np.zeros(0, dtype=np.int64)),
        games="both players within 10 points of a century mark, 2006–2009 [table 2]",
        date="2012",
    )


# The calibrations that come with arpad, by name.

SHIPPED = "stockfish-15.1-depth10"
"""The one that is used unless another is named: Debian's Stockfish, 10 plies, 16 lines."""
PREFIX, SUFFIX = "calibration-", ".json"


def calibration_names() -> tuple[str, ...]:
    """Return the names, the usual one first.

    Examples
    --------
    >>> calibration_names()[0], "rybka3-depth13" in calibration_names()
    ('stockfish-15.1-depth10', True)
    """
    return tuple(sorted([*_files(), PAPER], key=lambda name: (name != SHIPPED, name)))


def calibration(name: str = SHIPPED) -> Calibration:
    """Return a calibration that comes with arpad.

    Examples
    --------
    >>> calibration().engine["depth"]
    10
    """
    if name == PAPER:
        return paper_calibration()
    result = _files()
    if name not in result:
        there = ", ".join(calibration_names())
        raise UsageError(f"expected a calibration that comes with arpad ({there}), found {name!r}")
    return from_document(json.loads(result[name].read_text(encoding="utf-8")), file=name)


def _files() -> dict[str, Any]:
    room = files("arpad") / "samples"
    return {
        f.name.removeprefix(PREFIX).removesuffix(SUFFIX): f
        for f in room.iterdir()
        if f.name.startswith(PREFIX) and f.name.endswith(SUFFIX)
    }
