"""Training, validation and test windows, and the recalibration of a system's scale."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from datetime import date, timedelta
from typing import TYPE_CHECKING

import numpy as np

from arpad.errors import UsageError
from arpad.lab.metrics import SUREST, log_losses
from arpad.rate.periods import Clock

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from arpad.lab.walk import GamePeriods

    Array = NDArray[np.float64]


# The split of time: what a system may learn from, what its constants are chosen on, what it is judged by.
#
# Games before the validation window only rate; those of the validation window choose (constants, White's
# advantage, scale); those of the test window judge, and never choose anything.

LAST_SHARE = 5
"""Default test window, as a share of the periods: the last fifth."""
LARGEST_MONTH = 999
"""A number up to this is a month counted from 1; a larger one is a year."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Windows:
    """First days: validation goes up to the day before the test, the test to the day before `end`."""

    validation_from: date
    test_from: date
    end: date | None = None

    def __post_init__(self) -> None:
        later = self.end is not None and self.end <= self.test_from
        if self.validation_from >= self.test_from or later:
            raise UsageError(
                "expected the validation window before the test window, and both before the end; found "
                f"validation from {day_called(self.validation_from)}, test from {day_called(self.test_from)}"
                + (f", end {day_called(self.end)}" if self.end else "")
            )

    def validation(self, way: GamePeriods) -> NDArray[np.bool_]:
        """Say of each game whether it is in the validation window, by its day."""
        return _between(way, self.validation_from, self.test_from)

    def test(self, way: GamePeriods) -> NDArray[np.bool_]:
        """Say of each game whether it is in the test window, by its day."""
        return _between(way, self.test_from, self.end)

    def words(self) -> str:
        """Return the split as people say it."""
        validation, test = day_called(self.validation_from), day_called(self.test_from)
        until = "" if self.end is None else f" until before {day_called(self.end)}"
        return f"validation from {validation}, test from {test}{until}"


def _between(way: GamePeriods, since: date, until: date | None) -> NDArray[np.bool_]:
    """Say it by the day of the game: a period may begin in one window and end in the next."""
    days = way.games.table["date"]
    inside = days >= since
    return (inside if until is None else inside & (days < until)).to_numpy()


def moment(text: str | date) -> date:
    """Return a day from 2015-01-01, 2015-01 or 2015, or from the number of a month such as 85.

    Examples
    --------
    >>> [str(moment(text)) for text in ("2015-01-01", "2015-07", "2015", "85")]
    ['2015-01-01', '2015-07-01', '2015-01-01', '0008-01-01']
    """
    if isinstance(text, date):
        return text
    plain = text.strip()
    try:
        if re.fullmatch(r"\d+", plain) and 1 <= int(plain) <= LARGEST_MONTH:
            year, month = divmod(int(plain) - 1, 12)
            return date(year + 1, month + 1, 1)
        if result := re.fullmatch(r"(\d{4})(?:-(\d{1,2})(?:-(\d{1,2}))?)?", plain):
            return date(*(int(part or 1) for part in result.groups()))
    except ValueError:
        pass
    raise UsageError(
        f"expected a day (2015-01-01), a month (2015-01), a year (2015) or the number of a month up to "
        f"{LARGEST_MONTH}; found {text!r}"
    )


def day_called(day: date) -> str:
    """Return a day as people write it; of months that are only counted, their number.

    Examples
    --------
    >>> day_called(date(2015, 1, 1)), day_called(date(8, 1, 1))
    ('2015-01-01', 'month 85')
    """
    number = 12 * (day.year - 1) + day.month
    return f"month {number}" if number <= LARGEST_MONTH else str(day)


def windows(
    days: Sequence[date],
    *,
    validation_from: str | date | None = None,
    test_from: str | date | None = None,
    end: str | date | None = None,
) -> Windows:
    """Return the split: what is not said is the last fifth of the periods, and the year before it.

    Parameters
    ----------
    days
        The first day of each period.
    """
    if test_from is None:
        if len(days) < 3:
            raise UsageError(
                f"a walk needs periods to learn from, to choose on and to judge by: found {len(days)}",
                code="too-few-periods",
            )
        tested = days[-max(1, len(days) // LAST_SHARE)]
    else:
        tested = moment(test_from)
    validated = _year_before(tested) if validation_from is None else moment(validation_from)
    last = None if end is None else moment(end)
    return Windows(validation_from=validated, test_from=tested, end=last)


def _year_before(day: date) -> date:
    if day.year == 1:
        return date.min
    return (
        Clock("month").begins(int(Clock("month").at(day)) - 12) if day.day == 1 else day - timedelta(days=365)
    )


# White's advantage and the scale of a system, fitted to an earlier window: the same for every system.
#
#     logit E′ = a + b · logit E
#
# b stretches the scale of ratings and a is White's advantage on it. It is asked of the expected score and not
# of the rating difference, so that systems whose expectation rests on more (an RD, an age) keep it: their
# logit is g · D · ln 10 / 400. For a logistic curve it is exactly a scale and an advantage in points. Two
# figures for everybody, whatever the curve.

POINTS = 400 / math.log(10)
"""Rating points for one unit of the logit [Elo 8.43]."""
MOST_STEPS = 60
TOLERANCE = 1e-9
STEEPEST = 20.0
"""No fit stretches a scale more than this many times, nor moves it by more than this many logits."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recalibration:
    """The two figures, what they were fitted to, and how well."""

    a: float
    """White's advantage, in logits."""
    b: float
    """Scale: above 1 the system was too timid, below 1 too sure."""
    n: int
    """Games that it was fitted to."""
    log_loss: float
    """Of those games, with the figures."""

    @property
    def white_advantage(self) -> float:
        """White's advantage in points of the scale on which 200 points are .76; NaN where b is 0."""
        return POINTS * self.a / self.b if self.b else math.nan

    def apply(self, E: Array) -> Array:
        """Return recalibrated expected scores."""
        return _expit(self.a + self.b * _logit(E))


def recalibration(S: Array, E: Array) -> Recalibration:
    """Fit a and b by least log loss (Newton's steps; the loss is convex, so that there is one answer).

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> E = rng.uniform(0.1, 0.9, 50_000)
    >>> truth = 1 / (1 + np.exp(-0.2 - 0.8 * np.log(E / (1 - E))))
    >>> found = recalibration((rng.random(50_000) < truth).astype(float), E)
    >>> round(found.a, 1), round(found.b, 1)
    (0.2, 0.8)
    """
    if not len(S):
        raise UsageError("White's advantage and the scale are fitted to games, and there are none")
    x = _logit(E)
    at = np.array([0.0, 1.0])
    value = _loss(at, S, x)
    for _ in range(MOST_STEPS):
        fitted = _expit(at[0] + at[1] * x)
        miss, weight = fitted - S, fitted * (1 - fitted)
        slope = np.array([miss.mean(), (miss * x).mean()])
        bend = np.array(
            [[weight.mean(), (weight * x).mean()], [(weight * x).mean(), (weight * x * x).mean()]]
        )
        # A touch of ridge: all expectations equal, or all results alike, have no second figure.
        step = np.linalg.solve(bend + 1e-9 * np.eye(2), slope)
        moved, best = _descended(at, step, value, S, x)
        done = value - best < TOLERANCE and float(np.abs(moved - at).max()) < 1e-7
        at, value = moved, best
        if done:
            break
    a, b = (float(figure) for figure in at)
    return Recalibration(a=a, b=b, n=len(S), log_loss=value)


def _descended(at: Array, step: Array, value: float, S: Array, x: Array) -> tuple[Array, float]:
    """Go the step, or a half, a quarter … of it, so that the loss does not grow."""
    for half in range(30):
        moved = np.clip(at - step / 2**half, -STEEPEST, STEEPEST)
        result = _loss(moved, S, x)
        if result <= value:
            return moved, result
    return at, value


def _loss(at: Array, S: Array, x: Array) -> float:
    return float(log_losses(S, _expit(at[0] + at[1] * x)).mean())


def _logit(E: Array) -> Array:
    E = np.clip(E, SUREST, 1 - SUREST)
    return np.asarray(np.log(E) - np.log1p(-E))


def _expit(x: Array) -> Array:
    return np.asarray(1 / (1 + np.exp(-x)))
