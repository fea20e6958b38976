"""The line, the Ratings Goodness of Fit Test, flags, and the test on r, against the text's tables."""

from __future__ import annotations

from importlib.resources import files

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from arpad.errors import UsageError
from arpad.event.tournament_app.app import follow_up, tournament_app
from arpad.event.tournament_app.fit import correlation_test, fit_line, goodness, quantiles, regress
from arpad.event.tournament_app.repair import direction_of, flag_of
from arpad.read import read
from tests.conftest import GOLDEN

FRANKFURT = files("arpad") / "samples" / "frankfurt-1997.pra"

LOOKED_UP = {"7.810": 7.8147, "19.680": 19.6751, "154.300": 154.3015}
"""Critical values as the text has them from a table, and exact ones."""


def lewis(system="elo"):
    return tournament_app(read(GOLDEN / f"pra_isle_of_lewis_1995_{system}.pra").games)


def printed_pairs(golden, name, rating="rating"):
    rows = golden(name)
    return rows, fit_line([float(r["p_zero"]) for r in rows], [float(r[rating]) for r in rows])


def row(golden, name):
    (found,) = [r for r in golden("pra_fit.csv") if r["event"] == name]
    return found


def test_isle_of_lewis(golden):
    report, wanted = lewis(), row(golden, "Isle of Lewis 1995")
    fit = report.fit
    assert f"{fit.r:.2f}" == wanted["r"]
    assert f"{fit.intercept:.2f}" == wanted["intercept"]
    assert f"{fit.slope:.4f}" == wanted["slope"]
    assert f"{fit.centroid[1]:.2f}" == wanted["centroid_y"]
    assert fit.centroid[0] == pytest.approx(0, abs=1e-9)
    assert f"{fit.chi_square:.3f}" == wanted["chi_square"]
    assert fit.critical == pytest.approx(LOOKED_UP[wanted["critical"]], abs=1e-4)
    assert (fit.degrees, fit.passed, fit.low_warning, fit.flipped) == (3, True, False, False)
    assert not fit.can_fail  # 3 · 63.1² / 2500 = 4.8 at most
    assert not report.certified
    for r, s in zip(golden("pra_isle_of_lewis_1995.csv"), report.standings, strict=True):
        assert (s.rank, s.name) == (int(r["rank"]), r["name"])
        assert f"{s.performance:.2f}" == r["performance"]
        assert f"{s.residual:.2f}" == r["residual"]
        assert s.flag is None  # Short's 74.92 is just below pressure


def test_isle_of_lewis_fails_on_chessmetrics():
    report = lewis("chessmetrics")
    assert not report.fit.passed
    assert not report.certified
    assert [s.name for s in report.standings if s.flag == "LR"] == ["Short"]


def test_frankfurt_s_constants(golden):
    wanted = row(golden, "Frankfurt 1997")
    low, high = tournament_app(read(FRANKFURT).games).fit.constant_interval
    assert (f"{low:.1f}", f"{high:.1f}") == (wanted["low"], wanted["high"])


@pytest.mark.parametrize(
    ("file", "rating", "event", "within"),
    [
        ("pra_hastings_1919.csv", "rating", "Hastings 1919", 0.001),
        ("pra_world_cup_2013.csv", "rating", "World Cup 2013", 0.03),
        ("pra_thessaloniki_2013.csv", "rating", "Thessaloniki 2013", 0.001),
    ],
)
def test_printed_pairs(golden, file, rating, event, within):
    """Pairs are printed to hundredths of P-Zero, so that the last digits may differ."""
    rows, fit = printed_pairs(golden, file, rating)
    wanted = row(golden, event)
    if wanted["r"]:
        assert f"{fit.r:.2f}" == wanted["r"]
        assert fit.intercept == pytest.approx(float(wanted["intercept"]), abs=0.01)
        assert fit.slope == pytest.approx(float(wanted["slope"]), abs=2e-4)
    assert fit.chi_square == pytest.approx(float(wanted["chi_square"]), abs=within)
    assert fit.passed == (wanted["passed"] == "yes")
    assert fit.critical == pytest.approx(LOOKED_UP[wanted["critical"]], abs=1e-4)
    assert f"{fit.lower:.3f}" == wanted["lower"]
    # The reports' intervals come from look-up quantiles, .03 % off.
    squares = fit.chi_square * 2500
    low, high = float(wanted["low"]), float(wanted["high"])
    assert squares / float(wanted["critical"]) == pytest.approx(low, rel=1e-4, abs=0.06)
    assert fit.constant_interval == pytest.approx((low, high), rel=4e-4)
    expected = "expected" if "expected" in rows[0] else "performance"
    for r in rows:
        E = fit.line.expected(float(r["p_zero"]))
        # Half a hundredth of P-Zero is up to .032 points on the World Cup's line.
        assert pytest.approx(float(r[expected]), abs=0.035) == E
        assert float(r["rating"]) - E == pytest.approx(float(r["residual"]), abs=0.035)
        assert (flag_of(float(r["residual"])) == "LR") == (r["flag"] == "LR")
        assert (flag_of(float(r["rating"]) - E) == "LR") == (r["flag"] == "LR")


def test_world_cup_s_residuals_give_its_chi_square(golden):
    residuals = [float(r["residual"]) for r in golden("pra_world_cup_2013.csv")]
    assert sum(x * x for x in residuals) / 2500 == pytest.approx(352.556, abs=0.006)
    assert sum(flag_of(x) == "LR" for x in residuals) == 23


def test_thessaloniki_is_turned_round_and_suspicious(golden):
    rows, fit = printed_pairs(golden, "pra_thessaloniki_2013.csv")
    assert fit.flipped
    assert fit.low_warning
    for r in rows:
        if r["performance"]:  # Svidler's row is not in the text
            ours = fit.line.performance(float(r["p_zero"]))
            assert ours == pytest.approx(float(r["performance"]), abs=0.011)


def test_hastings_1919_first_fails(golden):
    rows, fit = printed_pairs(golden, "pra_hastings_1919.csv", "rating_first")
    assert fit.passed == (row(golden, "Hastings 1919 first")["passed"] == "yes")
    for r in rows:
        residual = float(r["rating_first"]) - fit.line.expected(float(r["p_zero"]))
        assert residual == pytest.approx(float(r["residual_first"]), abs=0.03)
        assert (flag_of(residual) == "LR") == (r["flag_first"] == "LR")


@pytest.mark.parametrize(("event", "after"), [("Hastings 1895", ""), ("Hastings 1895 adjusted", "_after")])
def test_hastings_1895_rows_lie_on_its_printed_lines(golden, event, after):
    wanted = row(golden, event)
    for r in golden("pra_hastings_1895.csv"):
        E = float(wanted["intercept"]) + float(wanted["slope"]) * float(r["p_zero"])
        assert pytest.approx(E, abs=0.025) == float(r["performance" + after])
        residual = float(r["rating" + after]) - E
        assert residual == pytest.approx(float(r["residual" + after]), abs=0.025)
        assert (flag_of(residual) == "LR") == (r["flag" + after] == "LR")


def test_flags_at_their_bounds():
    assert [flag_of(x) for x in (100.01, 100, 75, 74.99, -75, -100, -100.01)] == [
        "LR", "down", "down", None, "up", "up", "LR",
    ]  # fmt: skip
    assert [direction_of(x) for x in (165.0, -165.0, 0.0)] == ["down", "up", None]


def test_quantiles_are_exact():
    for degrees, printed in ((3, "7.810"), (11, "19.680"), (127, "154.300")):
        lower, critical = quantiles(degrees)
        assert critical == pytest.approx(LOOKED_UP[printed], abs=1e-4)
        assert lower < degrees < critical


def test_line_by_hand():
    line = regress([0.0, 1.0, 2.0], [10.0, 10.0, 16.0])
    assert (line.intercept, line.slope) == pytest.approx((9.0, 3.0))
    assert line.r == pytest.approx(0.8660254)
    assert line.performance(1.0) == 12.0


points = st.lists(st.tuples(st.floats(-60, 60), st.floats(1000, 3000)), min_size=3, max_size=20)


def spread(pairs):
    x, y = zip(*pairs, strict=True)
    assume(max(x) - min(x) > 1 and max(y) - min(y) > 1)
    return list(x), list(y)


@given(points, st.floats(-500, 500))
def test_a_constant_added_to_all_ratings_changes_only_the_height(pairs, more):
    x, y = spread(pairs)
    one, two = fit_line(x, y), fit_line(x, [b + more for b in y])
    assert two.chi_square == pytest.approx(one.chi_square, abs=1e-6, rel=1e-6)
    assert two.slope == pytest.approx(one.slope, abs=1e-6)
    assert two.intercept - one.intercept == pytest.approx(more, abs=1e-6)
    assert two.line.performance(5.0) - one.line.performance(5.0) == pytest.approx(more, abs=1e-6)


@given(points)
def test_residuals_add_up_to_nothing_and_the_line_goes_through_the_centroid(pairs):
    x, y = spread(pairs)
    line = regress(x, y)
    assert sum(b - line.expected(a) for a, b in pairs) == pytest.approx(0, abs=1e-6)
    assert line.expected(line.centroid[0]) == pytest.approx(line.centroid[1])
    assert line.performance(line.centroid[0]) == line.centroid[1]


@given(points)
def test_chi_square_has_a_ceiling_that_close_ratings_never_break(pairs):
    """χ² = (n − 1) s² (1 − r²) / 2500: the spread of the field decides whether it can fail at all."""
    x, y = spread(pairs)
    fit = fit_line(x, y)
    s = fit.line.spread[1]
    assert fit.chi_square == pytest.approx(fit.degrees * s * s * (1 - fit.r**2) / 2500, abs=1e-6)
    assert fit.passed or fit.can_fail


def test_close_fields_cannot_fail():
    assert not fit_line([3.0, 1.0, -1.0, -3.0], [2500.0, 2560.0, 2520.0, 2540.0]).can_fail
    assert fit_line([3.0, 1.0, -1.0, -3.0], [2300.0, 2560.0, 2520.0, 2540.0]).can_fail


@given(points)
def test_constants_within_the_interval_pass_and_no_others(pairs):
    x, y = spread(pairs)
    fit = fit_line(x, y)
    assume(fit.chi_square > 1e-6)
    E = [fit.line.expected(a) for a in x]
    low, high = fit.constant_interval
    assert goodness(y, E, constant=low * 1.001).passed
    assert not goodness(y, E, constant=low * 0.999).passed
    assert goodness(y, E, constant=high * 1.001).low_warning
    assert not goodness(y, E, constant=high * 0.999).low_warning


def test_correlation_of_hastings_and_lewis():
    # Elementary tables: .576 for 12 pairs, .950 for 4, at .05 on two sides.
    assert correlation_test(0.87, 12).significant
    assert f"{correlation_test(0.87, 12).critical:.3f}" == "0.576"
    assert not correlation_test(0.47, 4).significant
    assert f"{correlation_test(0.47, 4).critical:.3f}" == "0.950"
    assert correlation_test(-0.17, 12).p_value > 0.5
    assert correlation_test(1.0, 3).p_value == pytest.approx(0, abs=1e-9)
    assert correlation_test(0.9, 2) is None


@given(st.floats(-0.999, 0.999), st.integers(3, 50))
def test_correlation_agrees_with_its_critical_value(r, n):
    test = correlation_test(r, n)
    assume(abs(abs(r) - test.critical) > 1e-9)
    assert test.significant == (test.p_value < 0.05)


@pytest.mark.parametrize(("O", "E"), [([1.0], [1.0]), ([1.0, 2.0], [1.0]), ([1.0, float("nan")], [1.0, 2.0])])
def test_goodness_refuses(O, E):
    with pytest.raises(UsageError):
        goodness(O, E)


def test_later_lists():
    given_ = {"a": 2500.0, "b": 2600.0, "c": 2400.0}
    lists = [
        ("1", {"a": 2400.0, "b": 2700.0}),
        ("2", {"a": 2450.0, "b": 2650.0, "c": 2400.0}),
        ("3", {"a": 1.0}),
    ]
    first, second, third = follow_up(given_, lists)
    assert (first.players, first.goodness.chi_square, first.goodness.degrees) == (2, 8.0, 1)
    assert (second.players, second.goodness.chi_square) == (3, 2.0)
    assert (third.players, third.goodness) == (1, None)
