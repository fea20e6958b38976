"""Where a calibration fails."""

from dataclasses import replace

import pytest
from tests.moves.intrinsic.test_calibration import calibration  # noqa: F401

from arpad.moves.intrinsic.weaknesses import steps, weaknesses


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
        marks=tuple(
            replace(m, projected=2 * m.projected - line.error(m.rating)) for m in calibration.marks
        ),
    )
    assert worse.line_sigma(2300) == pytest.approx(2 * calibration.line_sigma(2300))
