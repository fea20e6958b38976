"""Where a calibration fails."""

from dataclasses import replace

import numpy as np
import pytest
from tests.moves.intrinsic.test_calibration import (  # noqa: F401
    ENGINE,
    POSITIONS,
    SKILLS,
    calibration,
    joined,
)

from arpad.moves.ipr.calibration import calibrate, steps, weaknesses
from arpad.moves.ipr.inputs import simulated


def changed(calibration, at, **values):  # noqa: F811
    marks = list(calibration.marks)
    marks[at] = replace(marks[at], **values)
    return replace(calibration, marks=tuple(marks))


def test_agents_leave_nothing_to_say(calibration):  # noqa: F811
    assert weaknesses(calibration) == ()
    assert all(step.falls for step in steps(calibration))
    assert next((x.lower, x.upper) for x in steps(calibration)) == (1800, 2000)


def test_a_mark_off_the_line_is_named(calibration):  # noqa: F811
    mark = calibration.marks[2]
    off = changed(calibration, 2, projected=mark.projected + 5 * mark.error_sigma)
    (said,) = weaknesses(off)
    assert said.startswith("2200: the line gives")
    below = changed(calibration, 0, projected=calibration.marks[0].projected * 2, in_line=False)
    assert any("below the line's marks it does not hold: 1800 is rated" in x for x in weaknesses(below))  # fmt: skip


def test_an_error_that_rises_is_named(calibration):  # noqa: F811
    lower, upper = calibration.marks[1], calibration.marks[2]
    higher = lower.error + 3 * (lower.error_sigma**2 + upper.error_sigma**2) ** 0.5
    risen = changed(calibration, 2, error=higher)
    assert any("from 2000 to 2200 the average error rises, by 3.0 standard errors" in x for x in weaknesses(risen))  # fmt: skip


def test_few_games_are_named(calibration):  # noqa: F811
    assert "few games: 1800 (13)" in weaknesses(changed(calibration, 0, games=13))


def test_the_line_is_surest_in_the_middle(calibration):  # noqa: F811
    middle, end = calibration.line_sigma(2200), calibration.line_sigma(2700)
    assert 0 < middle < end
    # Marks twice as far off the line make it twice as uncertain.
    line = calibration.line
    worse = replace(
        calibration,
        marks=tuple(replace(m, projected=2 * m.projected - line.error(m.rating)) for m in calibration.marks),
    )
    assert worse.line_sigma(2300) == pytest.approx(2 * calibration.line_sigma(2300))


def test_a_mark_that_no_fit_gives_is_left_out_and_named():
    """At 2200 nine moves of ten are the best, the tenth the worst of all: no (s, c) plays so."""
    parts = [simulated(POSITIONS, s, 0.5, seed=e) for e, s in SKILLS.items()]
    at = list(SKILLS).index(2200)
    odd = np.where(np.arange(len(parts[at])) % 10 == 0, parts[at].delta.shape[1] - 1, 0)
    parts[at] = replace(parts[at], played=odd.astype(parts[at].played.dtype))
    elo = np.repeat(list(SKILLS), len(POSITIONS)).astype(float)
    found = calibrate(
        joined(parts), elo, np.arange(len(elo)) // 30, name="odd", engine=ENGINE,
        filters={"first_turn": 9}, games="simulated", date="2026-11-16",
    )  # fmt: skip
    assert [m.elo for m in found.marks if not m.in_line] == [2200]
    assert any("left out of the line: 2200" in said for said in weaknesses(found))
