"""Estimated, corrected and adjusted ratings: each with a reason, and once."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import assume, given

from arpad.errors import UsageError
from arpad.event.tournament_app.app import report_on, tournament_app
from arpad.event.tournament_app.fit import Estimator, PlainEvent, estimator_line, regress, whole
from arpad.event.tournament_app.repair import Repair
from tests.event.app.events import event, tournaments

NAMES = ["Ann", "Bob", "Cy", "Dee", "Eve", "Flo"]
RESULTS = {(i, j): 1.0 if j > i + 1 else 0.5 for i in range(6) for j in range(i + 1, 6)}
PAIRS = [(i, j, s) for (i, j), s in RESULTS.items()] + [(j, i, 1 - s) for (i, j), s in RESULTS.items()]
"""A double round robin, ten games each, which ends in the order of the names."""
RATINGS = [2650.0, 2600.0, 2500.0, 2440.0, 2380.0, 2600.0]
"""Flo's is wrong: she came last."""


def app(ratings=RATINGS, repair=None, **options):
    games = event(PAIRS, ratings, names=NAMES, number_two=2700.0)
    return tournament_app(games, repair=repair, **options)


def row(report, name):
    return next(s for s in report.standings if s.name == name)


def test_the_event_fails_and_flo_is_why():
    report = app()
    assert not report.fit.passed
    assert [(s.name, s.flag, s.pressure) for s in report.standings if s.flag == "LR"] == [
        ("Flo", "LR", "down")
    ]
    assert report.decisions == ()


def test_adjusted_to_the_original_line_rounded():
    before = app()
    after = app(repair=Repair(reason="was ill for a year"))
    flo = row(after, "Flo")
    assert flo.rating == whole(before.fit.line.expected(row(before, "Flo").p_zero))
    assert (flo.rating_given, flo.mark) == (2600.0, "PRA-Adjusted")
    (decision,) = after.decisions
    assert (decision.player, decision.kind, decision.before, decision.after) == (
        "Flo",
        "adjusted",
        2600.0,
        flo.rating,
    )
    assert decision.reason == "was ill for a year"
    assert after.fit_before == before.fit
    assert after.fit.chi_square < before.fit.chi_square
    assert after.rating_label == "Elo (PRA-Adjusted)"
    assert row(after, "Ann").mark == ""
    # P-Zero, and all that follows from it alone, are as they were.
    assert [s.p_zero for s in after.standings] == [s.p_zero for s in before.standings]


def test_corrected_comes_back_from_a_line_made_without_it():
    after = app(repair=Repair(reason="x", kind="corrected"))
    flo = row(after, "Flo")
    known = [s for s in app().standings if s.name != "Flo"]
    line = regress([s.p_zero for s in known], [s.rating for s in known])
    assert flo.rating == whole(line.expected(flo.p_zero))
    assert flo.mark == "PRA-Corrected"
    assert after.fit.passed
    # The adjusted rating is dragged up by the wrong one, the corrected is not.
    assert flo.rating < row(app(repair=Repair(reason="x")), "Flo").rating


def test_nothing_is_a_decision_too():
    report = app(repair=Repair(reason="time controls changed", kind="nothing"))
    (decision,) = report.decisions
    assert (decision.kind, decision.reason, decision.player) == ("nothing", "time controls changed", None)
    assert [s.rating for s in report.standings] == [s.rating for s in app().standings]


def test_a_chosen_subset_and_pressure():
    flags = {s.name: s.flag for s in app().standings}
    assert flags["Eve"] == "up"
    everybody = app(repair=Repair(reason="x", pressure=True))
    assert {d.player for d in everybody.decisions} == {n for n, flag in flags.items() if flag}
    one = app(repair=Repair(reason="x", players=("eve",)))
    assert [d.player for d in one.decisions] == ["Eve"]
    assert row(one, "Flo").flag == "LR"
    other = app(repair=Repair(reason="x", players=("Ann",)))
    assert any("Ann is in spec" in note for note in other.notes) == (flags["Ann"] is None)


def test_administrators_own_ratings_and_number_two():
    repair = Repair(reason="from 1899", players=(), ratings={"Flo": 2350.0}, number_two=2650.0)
    report = app(repair=repair)
    assert [(d.player, d.kind, d.before, d.after) for d in report.decisions] == [
        ("Flo", "set", 2600.0, 2350.0), (None, "number two", 2700.0, 2650.0),
    ]  # fmt: skip
    assert report.number_two == 2650.0
    assert report.strength > app(repair=replace(repair, number_two=None)).strength


def test_set_ratings_are_known_to_the_estimator():
    repair = Repair(reason="x", kind="corrected", players=("Flo",), ratings={"Ann": 2700.0})
    flo = row(app(repair=repair), "Flo").rating
    assert flo < row(app(repair=replace(repair, ratings={})), "Flo").rating  # a steeper line


def test_hastings_1919_as_the_administrator_decided(golden):
    """From the printed pairs: the first roster, and three decisions, give the final one."""
    rows = golden("pra_hastings_1919.csv")
    line = regress([float(r["p_zero"]) for r in rows], [float(r["rating_first"]) for r in rows])
    yates = rows[2]
    assert whole(line.expected(float(yates["p_zero"]))) == float(yates["rating"]) == 2602
    moved = {r["name"]: float(r["rating"]) - float(r["rating_first"]) for r in rows}
    assert {n: d for n, d in moved.items() if d} == {"Capablanca": -50, "Yates": 105, "Winter": -75}


def test_hastings_1895_estimates_lie_on_one_line(golden):
    rows = golden("pra_hastings_1895_estimated.csv")
    line = regress([float(r["p_zero"]) for r in rows], [float(r["rating"]) for r in rows])
    assert [whole(line.expected(float(r["p_zero"]))) for r in rows] == [float(r["rating"]) for r in rows]


def test_hastings_1895_adjusted_to_the_printed_line(golden):
    before = next(r for r in golden("pra_fit.csv") if r["event"] == "Hastings 1895")
    for r in golden("pra_hastings_1895.csv"):
        target = whole(float(before["intercept"]) + float(before["slope"]) * float(r["p_zero"]))
        assert float(r["rating_after"]) == (target if r["flag"] == "LR" else float(r["rating"]))


def test_missing_ratings_come_from_the_estimator_line():
    ratings = [2650.0, None, 2550.0, 2500.0, 2460.0, None]
    report = app(ratings)
    assert [(d.player, d.kind) for d in report.decisions] == [("Bob", "estimated"), ("Flo", "estimated")]
    assert all("no rating is given" in d.reason for d in report.decisions)
    assert row(report, "Bob").mark == "PRA-Corrected"
    assert row(report, "Bob").rating_given is None
    assert row(report, "Ann").rating > row(report, "Bob").rating > row(report, "Cy").rating
    assert report.strength is not None
    assert report.rating_label == "Elo (PRA-Corrected)"


def test_estimating_leaves_the_worst_rating_out_but_does_not_touch_it():
    report = app([2650.0, 2600.0, None, 2440.0, 2380.0, 2700.0])
    assert any("without the ratings of Flo" in note for note in report.notes)
    assert row(report, "Flo").rating == 2700.0
    corrected = app([2650.0, 2600.0, None, 2440.0, 2380.0, 2700.0], Repair(reason="x", kind="corrected"))
    assert row(corrected, "Cy").rating == row(report, "Cy").rating
    assert row(corrected, "Flo").mark == "PRA-Corrected"
    assert [d.kind for d in corrected.decisions] == ["estimated", "corrected"]


def test_estimator_deletes_until_it_passes():
    scores = [40.0, 20.0, 0.0, -20.0, -40.0, 10.0, -10.0]
    known = {p: 2500 + 2 * x for p, x in enumerate(scores)}
    known[5], known[6] = 1900.0, 3000.0
    found = estimator_line(scores, known)
    assert isinstance(found, Estimator)
    assert set(found.left_out) == {5, 6}
    assert found.estimate(scores[5]) == 2520.0
    assert "needs at least 3" in estimator_line(scores, {0: 2500.0, 1: 2600.0})


def test_an_estimator_line_that_falls_is_said_to():
    report = app([2400.0, 2450.0, None, 2500.0, 2550.0, None])
    assert any("estimator line falls" in note for note in report.notes)
    assert row(report, "Flo").rating > row(report, "Cy").rating


def test_an_estimator_line_through_the_roof_gives_nobody_a_rating():
    """Three who scored alike and whose ratings differ: the line is as steep as a wall."""
    three = [(0, 1, 0.5), (1, 2, 0.45), (0, 2, 0.5)]
    others = [(3, p, 1.0) for p in (0, 1, 2)] + [(4, p, 0.0) for p in (0, 1, 2)] + [(3, 4, 1.0)]
    games = event([*three, *others] * 2, [2300.0, 2305.0, 2550.0, None, None])
    for repair in (None, Repair(reason="x", kind="corrected")):
        report = tournament_app(games, repair=repair)
        assert [s.rating for s in report.standings if s.name in ("P3", "P4")] == [None, None]
        assert report.strength is None
        assert not report.decisions
        (said,) = (note for note in report.notes if "which is no rating" in note)
        assert said.startswith("no estimator line for missing ratings: that of 3 others would give")


def test_fewer_than_six_games_are_left_alone():
    pairs = [g for g in PAIRS if 5 not in g[:2]] + [g for g in PAIRS if 5 in g[:2]][:5]
    games = event(pairs, [2650.0, 2600.0, 2500.0, 2440.0, 2380.0, 2900.0], names=NAMES)
    assert row(tournament_app(games), "Flo").flag == "LR"
    for kind in ("adjusted", "corrected"):
        report = tournament_app(games, repair=Repair(reason="x", kind=kind))
        assert row(report, "Flo").rating == 2900.0
        assert any("Flo is left alone: 5 games" in note for note in report.notes)


def test_ratings_are_repaired_once():
    report = app(repair=Repair(reason="x"))
    field = PlainEvent(
        name="Again", names=NAMES, rows=range(6), points=[0.0] * 6,
        ratings=[row(report, n).rating for n in NAMES],
        white=[g[0] for g in PAIRS], black=[g[1] for g in PAIRS], score=[g[2] for g in PAIRS],
        rating_system=report.rating_label,
    )  # fmt: skip
    report_on(field)
    with pytest.raises(UsageError, match="once"):
        report_on(field, repair=Repair(reason="again"))


@given(tournaments(least=4))
def test_a_repair_is_the_same_every_time_and_moves_only_the_flagged(drawn):
    pairs, ratings = drawn
    games = event(pairs, ratings)
    first = tournament_app(games, conditions="usual", shuffles=0)
    assume(first.fit is not None)
    repair = Repair(reason="x")
    one = tournament_app(games, repair=repair, conditions="usual", shuffles=0)
    two = tournament_app(games, repair=repair, conditions="usual", shuffles=0)
    assert one == two
    large = {s.name for s in first.standings if s.flag == "LR" and s.games >= 6}
    assert {d.player for d in one.decisions} <= large
    for s in one.standings:
        assert (s.rating == s.rating_given) == (s.mark == "")
    if one.fit is not None and large:
        # Moving points onto a line leaves no worse line than that one.
        assert one.fit.chi_square <= first.fit.chi_square + len(large) * 0.25 / 2500 + 1e-6


@pytest.mark.parametrize(("made", "reason"), [
    ({"reason": "  "}, "reason"),
    ({"reason": "x", "kind": "improved"}, "adjusted, corrected or nothing"),
    ({"reason": "x", "kind": "nothing", "players": ("Ann",)}, "moves no rating"),
    ({"reason": "x", "ratings": {"Ann": float("nan")}}, "rating above 0"),
    ({"reason": "x", "number_two": -5.0}, "rating above 0"),
])  # fmt: skip
def test_repairs_that_are_none(made, reason):
    with pytest.raises(UsageError, match=reason):
        Repair(**made)


def test_repairs_of_nobody():
    with pytest.raises(UsageError, match="nobody called 'Zoe'"):
        app(repair=Repair(reason="x", players=("Zoe",)))
    with pytest.raises(UsageError, match="called 'e'"):
        app(repair=Repair(reason="x", players=("e",)))
    fine = app([2650.0, 2600.0, 2550.0, 2500.0, 2460.0, 2400.0], Repair(reason="x"))
    assert "the event passes the test without the repair" in fine.notes
    assert "the repair found no rating to change" in fine.notes
    level = tournament_app(event([(0, 1, 1.0)], [2000.0, 2000.0]), repair=Repair(reason="x"))
    assert "there is no line to repair ratings by" in level.notes


def test_knock_outs_and_changed_time_controls_are_not_repaired():
    with pytest.raises(UsageError, match="time controls changed"):
        app(repair=Repair(reason="x"), conditions="time-controls")
    report = app(repair=Repair(reason="x", kind="nothing"), conditions="time-controls")
    assert any("ranked by G" in note for note in report.notes)
    best = sorted(report.standings, key=lambda s: -s.g_score)
    assert [s.rank for s in best] == list(range(1, 7))
    knock_out = event([(0, 1, 1.0), (2, 3, 1.0), (0, 2, 1.0)], RATINGS[:4])
    assert tournament_app(knock_out).conditions == "knock-out"
    with pytest.raises(UsageError, match="a knock-out is not repaired"):
        tournament_app(knock_out, repair=Repair(reason="x"))
    tournament_app(knock_out, repair=Repair(reason="x"), conditions="usual")
    with pytest.raises(UsageError, match="expected conditions"):
        app(conditions="windy")
