"""Charts of comparisons: every system has its row, every bin its bar."""

from __future__ import annotations

import json

import pytest

from arpad.errors import UsageError
from arpad.lab.entrants import entrant
from arpad.lab.predict import predict
from arpad.publish.charts.lab import FEWEST, MOST_PANELS, calibration_curves, systems_side_by_side
from arpad.publish.charts.style import save
from tests.lab.walks import season


@pytest.fixture(scope="module")
def found():
    entrants = [entrant("elo"), entrant("glicko"), entrant("published")]
    return predict(season(games=200, rated=True), entrants, test_from="2021-06", draws=20, budget=2)


def rows_of(chart):
    return [row for rows in json.loads(chart.to_json())["datasets"].values() for row in rows]


def test_every_system_has_its_row(found):
    rows = {row["system"]: row for row in rows_of(systems_side_by_side(found)) if "system" in row}
    assert set(rows) == {"elo", "elo tuned", "glicko", "glicko tuned", "published"}
    for each in found.standings:
        assert rows[each.system]["low"] == each.gap.low
        assert rows[each.system]["headline"] == each.headline


def test_curves_are_what_was_scored_beyond_what_was_expected(found):
    rows = [row for row in rows_of(calibration_curves(found)) if "off" in row]
    assert {row["curve"] for row in rows} == {"own", "recalibrated"}
    fewest = max(few for least, few in FEWEST.items() if found.counts.scored >= least)
    for row in rows:
        assert row["n"] >= fewest
        assert row["off"] == pytest.approx(row["score"] - row["expected"])
        assert row["off_low"] <= row["off"] <= row["off_high"]


def test_bins_that_are_left_out_are_told():
    """The fewer the games, the smaller the bins that are shown; none at all is an error and no empty picture."""
    games = season(players=12, months=24, games=30)
    few = predict(games, [entrant("elo")], test_from="2021-10", draws=10)
    told = calibration_curves(few).to_json()
    assert few.counts.scored < 500
    assert f"fewer than {FEWEST[0]} games are left out" in told
    nearly_none = predict(games, [entrant("elo")], test_from="2021-12-28", draws=10)
    assert 0 < nearly_none.counts.scored < FEWEST[0]
    with pytest.raises(UsageError, match="too few for a calibration curve"):
        calibration_curves(nearly_none)


def test_more_systems_than_panels_are_told():
    entrants = [entrant("elo", {"k": float(k)}, label=f"K {k}") for k in range(10, 20)]
    found = predict(season(), entrants, test_from="2021-06", draws=10)
    assert f"the best {MOST_PANELS} of 10 systems" in calibration_curves(found).to_json()


def test_both_can_be_written(found, tmp_path):
    for name, chart in (("a.svg", systems_side_by_side(found)), ("b.png", calibration_curves(found))):  # fmt: skip
        save(chart, tmp_path / name)
        assert (tmp_path / name).stat().st_size > 1000


def test_nothing_scored_nothing_charted():
    none = predict(season(), [entrant("published")], test_from="2021-06", draws=10)
    with pytest.raises(UsageError, match="nothing to chart"):
        systems_side_by_side(none)


def test_the_command_draws_both_or_refuses_at_once(run, tmp_path):
    file = tmp_path / "s.csv"
    season(games=60).frame().select("white", "black", "score", "date").write_csv(file)
    a, b = tmp_path / "a.png", tmp_path / "b.svg"
    assert run("predict", file, "--systems", "elo,glicko", "--chart", a, "--calibration-chart", b).code == 0  # fmt: skip
    assert a.exists()
    assert b.exists()
    ran = run("predict", file, "--chart", tmp_path / "a.jpg")
    assert ran.code == 2
    assert "to end in .png or .svg" in ran.err
