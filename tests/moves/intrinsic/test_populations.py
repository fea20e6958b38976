"""Groups of players compared through their moves."""

import numpy as np
import polars as pl
import pytest
from tests.moves.intrinsic.test_calibration import calibration  # noqa: F401
from tests.moves.intrinsic.test_performances import decisions

from arpad.errors import InputError
from arpad.moves.ipr.inputs import generated_positions, simulated
from arpad.moves.ipr.surprise import compare_populations, skill_of


def federations(calibration, first, second, *, seed=0, rated=2200.0):  # noqa: F811
    """Ten players of each of two federations, 100 moves each, all rated alike."""
    players, choices = [], []
    skills = [skill_of(rating, calibration) for rating in (first, second)]
    for number in range(20):
        skill = skills[number // 10]
        positions = generated_positions(100, seed=1000 * seed + number)
        choices.append(simulated(positions, *skill, seed=seed + number))
        players.append(number)
    made = decisions(players, [rated] * 20, choices)
    return made, pl.Series(["HUN" if p < 10 else "ISR" for p in made.rows["player"]])


def test_two_federations_of_one_rating_and_two_strengths(calibration):  # noqa: F811
    found = compare_populations(*federations(calibration, 2500, 2000), calibration)
    (difference,) = found.differences
    row = difference.row()
    assert row["low_players"] < 500 < row["high_players"]
    assert row["low_actual"] > 0
    assert difference.beyond_elo == difference.ipr_difference
    assert difference.z > 2
    assert [g.players for g in found.groups] == [10, 10]
    assert found.table()["ipr_minus_elo"][0] == pytest.approx(found.groups[0].ipr - 2200)
    assert found.summary().startswith("HUN − ISR: +")


def test_the_interval_of_the_difference_holds_it(calibration):  # noqa: F811
    held = 0
    for seed in range(25):
        made, groups = federations(calibration, 2300, 2100, seed=seed)
        (row,) = compare_populations(made, groups, calibration).pairs().to_dicts()
        held += row["low_actual"] <= 200 <= row["high_actual"]
    assert held >= 22


def test_turned_round_the_difference_changes_its_sign(calibration):  # noqa: F811
    made, groups = federations(calibration, 2300, 2100)
    one = compare_populations(made, groups, calibration, only=["HUN", "ISR"]).differences[0]
    other = compare_populations(made, groups, calibration, only=["ISR", "HUN"]).differences[0]
    assert one.ipr_difference == pytest.approx(-other.ipr_difference)
    assert one.sigma == pytest.approx(other.sigma)


def test_who_belongs_nowhere_is_counted(calibration):  # noqa: F811
    made, groups = federations(calibration, 2300, 2100)
    some = pl.select(pl.when(pl.Series(np.arange(len(groups)) % 4 == 0)).then(None).otherwise(groups)).to_series()  # fmt: skip
    assert compare_populations(made, some, calibration).ungrouped == 500
    thin = pl.Series(["HUN"] * 10 + ["ISR"] * 10 + [None] * (len(groups) - 20))
    found = compare_populations(made, thin, calibration)
    assert found.differences == ()
    assert "too few moves" in found.summary()
    assert found.groups[0].note


def test_one_group_is_refused(calibration):  # noqa: F811
    made, groups = federations(calibration, 2300, 2100)
    with pytest.raises(InputError, match="two groups or more"):
        compare_populations(made, pl.Series(["HUN"] * len(groups)), calibration)
    with pytest.raises(InputError, match="no move of FRA; there are"):
        compare_populations(made, groups, calibration, only=["HUN", "FRA"])
