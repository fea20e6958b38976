"""Performances of several players tested: who, against which rating, and how many were looked at."""

from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from scipy.stats import norm
from tests.moves.intrinsic.test_calibration import ENGINE, calibration, joined  # noqa: F401

from arpad.errors import InputError, UsageError
from arpad.model import Games
from arpad.moves.ipr.calibration import Decade
from arpad.moves.ipr.calibration import calibration as shipped
from arpad.moves.ipr.decisions import MODEL_FILTERS, Decisions
from arpad.moves.ipr.inputs import generated_positions, simulated
from arpad.moves.ipr.surprise import CAUTION, performances, skill_of, surprise
from arpad.moves.strength import Posterior, Prior

GAMES = Games.build([("Adams", "Baker", 1.0), ("Cole", "Adams", 0.5)])


def decisions(players, ratings, choices, engine=ENGINE):
    """One block of choices for each player, 30 moves a game."""
    sizes = [len(c) for c in choices]
    rows = pl.DataFrame(
        {
            "player": np.repeat(players, sizes),
            "rating": np.repeat(np.array(ratings, dtype=float), sizes),
            "game": np.arange(sum(sizes)) // 30,
        }
    ).with_columns(pl.col("rating").fill_nan(None))
    return Decisions(choices=joined(choices), rows=rows, left_out={}, filters=MODEL_FILTERS, engine=engine)


@pytest.fixture(scope="module")
def found(calibration):  # noqa: F811
    honest = simulated(generated_positions(600, seed=3), *skill_of(2200, calibration), seed=1)
    strong = simulated(generated_positions(600, seed=4), *skill_of(2550, calibration), seed=2)
    unrated = simulated(generated_positions(60, seed=5), 0.1, 0.5, seed=3)
    return performances(
        decisions([0, 1, 2], [2200, 2000, np.nan], [honest, strong, unrated]), GAMES, calibration
    )


def test_each_is_tested_against_the_rating_in_the_file(found):
    adams, baker, cole = found.tested
    assert (adams.name, adams.rating, adams.games, adams.moves) == ("Adams", 2200, 20, 600)
    assert max(abs(adams.surprise.z_match), abs(adams.surprise.z_error)) < 2
    assert min(baker.surprise.z_match, baker.surprise.z_error) > 2
    # A line that is higher by two standard errors leaves less to wonder at.
    assert baker.cautious.z_error < baker.surprise.z_error
    assert cole.surprise is None
    assert cole.note == "no rating in the file: give one"
    assert found.looked_at == 2
    assert "Baker" in found.summary()
    assert "Adams" not in found.summary()


def test_the_posterior_counts_alone_where_there_is_one(calibration):  # noqa: F811
    """Baker's moves are far above the rating by the paper's measures; the strength that they show is not, and counts."""
    strong = simulated(generated_positions(600, seed=4), *skill_of(2550, calibration), seed=2)
    asked = (decisions([1], [2000], [strong]), GAMES, calibration)
    told = {r: {"Baker": Posterior.of(Prior(rating=r, error=80).log_density)} for r in (2100, 2400)}
    usual, unusual = (performances(*asked, strengths=s) for s in told.values())
    one, other = usual.tested[0].surprise, unusual.tested[0].surprise
    assert one.best == pytest.approx(100 / np.hypot(80, 60), abs=0.03)
    assert "Nothing here is unusual" in one.words()
    assert other.best == pytest.approx(400 / np.hypot(80, 60), abs=0.05)
    assert other.one_in == pytest.approx(1 / norm.sf(other.best))
    assert (usual.measures, performances(*asked).measures) == (1, 2)
    assert "nobody" in usual.summary()
    assert "Baker" in unusual.summary()
    row = unusual.table().row(0, named=True)
    assert row["strength"] == pytest.approx(2400, abs=1)
    assert row["z_strength"] == other.best


def test_the_line_is_moved_for_the_years_of_the_games(calibration):  # noqa: F811
    """A line that is 120 points too high for games of 2015: who plays 120 points above the rating there is honest."""
    decades = (
        Decade(first=2000, last=2009, shift=0, sigma=0),
        Decade(first=2010, last=2019, shift=-120, sigma=30),
    )
    moved = replace(calibration, decades=decades)
    played = simulated(generated_positions(600, seed=3), *skill_of(2320, calibration), seed=1)
    made = decisions([0], [2200], [played])
    scores = {}
    for year in (2005, 2015):
        dated = replace(made, rows=made.rows.with_columns(year=pl.lit(year)))
        (scores[year],) = performances(dated, GAMES, moved).tested
    early, late = (scores[y].surprise for y in (2005, 2015))
    assert (late.s, late.c) == skill_of(2320, calibration)
    assert late.rating == early.rating == 2200
    assert late.z_error < early.z_error
    assert scores[2015].line_sigma == pytest.approx(np.hypot(scores[2005].line_sigma, 30))


def test_how_many_were_looked_at_is_said(found):
    assert found.one_unusual_by_chance == pytest.approx(1 - norm.cdf(2) ** 4)
    # In half of such tables the highest of four is above this.
    assert norm.cdf(found.highest_by_chance) ** 4 == pytest.approx(0.5)
    assert found.multiplicity().startswith("2 performances of 2 measures each")
    more = replace(found, tested=found.tested * 10)
    assert more.highest_by_chance > found.highest_by_chance


def test_the_table_holds_every_figure(found):
    rows = found.table().to_dicts()
    assert [r["player"] for r in rows] == ["Adams", "Baker", "Cole"]
    adams, _, cole = rows
    assert adams["z_match"] == pytest.approx(
        (adams["mm"] - adams["mm_expected"]) / (1.15 * adams["mm_sigma"])
    )
    assert adams["z_error"] == pytest.approx((adams["ae_expected"] - adams["ae"]) / (1.4 * adams["ae_sigma"]))
    assert cole["z_match"] is None


def test_a_rating_may_be_given_for_one_player(calibration, found):  # noqa: F811
    strong = simulated(generated_positions(600, seed=4), *skill_of(2550, calibration), seed=2)
    one = decisions([1], [2000], [strong])
    (told,) = performances(one, GAMES, calibration, rating=2550).tested
    assert told.rating == 2550
    assert told.surprise.z_error < 2 < found.tested[1].surprise.z_error
    two = decisions([0, 1], [2000, 2000], [strong, strong])
    with pytest.raises(UsageError, match="one rating for 2 players"):
        performances(two, GAMES, calibration, rating=2500)
    assert len(performances(two, GAMES, calibration, rating=2500, players=[1]).tested) == 1


def test_bad_input_has_an_answer(calibration):  # noqa: F811
    few = simulated(generated_positions(10, seed=4), 0.1, 0.5, seed=2)
    (told,) = performances(decisions([0], [2200], [few]), GAMES, calibration).tested
    assert told.note == "10 moves: at least 20 are needed"
    many = simulated(generated_positions(40, seed=4), 0.1, 0.5, seed=2)
    (told,) = performances(decisions([0], [9000], [many]), GAMES, calibration).tested
    assert "outside the range of the calibration" in told.note
    (told,) = performances(decisions([0], [2750], [many]), GAMES, calibration).tested
    assert "beyond the marks of the line, 1800 to 2600" in told.note
    with pytest.raises(UsageError, match="prior odds"):
        performances(decisions([0], [2200], [many]), GAMES, calibration, prior=0.5)
    with pytest.raises(InputError, match="found none"):
        performances(decisions([0], [2200], [many]), GAMES, calibration, players=[2])
    other = decisions([0], [2200], [many], engine={"engine": "another"})
    with pytest.raises(UsageError, match="does not fit these evaluations"):
        performances(other, GAMES, calibration)


def test_every_move_best_is_a_high_score_and_no_crash(calibration):  # noqa: F811
    best = generated_positions(100, seed=1)  # the first line everywhere
    (told,) = performances(decisions([0], [2200], [best]), GAMES, calibration).tested
    assert told.surprise.match.seen == 1
    assert told.surprise.z_match > 3


def test_the_words_never_accuse(found):
    everything = " ".join([CAUTION, found.multiplicity(), found.summary(), *(t.surprise.words() for t in found.tested[:2])])  # fmt: skip
    for word in ("cheat", "fraud", "guilt", "suspect", "suspicious", "accus"):
        assert word not in everything.casefold()


def test_honest_agents_under_the_shipped_calibration_have_plain_z_scores():
    """Mean 0 and a spread of one over the multipliers: agents choose independently, people do not."""
    made = shipped()
    skill = skill_of(2300, made)
    rows = np.arange(len(made.reference))
    z = np.array(
        [
            (x.z_match, x.z_error)
            for k in range(200)
            for x in [surprise(simulated(made.reference[rows[k % 2 :: 2]], *skill, seed=k), 2300, made, skill=skill)]
        ]
    )  # fmt: skip
    assert np.abs(z.mean(axis=0)).max() < 0.2
    assert z.std(axis=0) == pytest.approx([1 / 1.15, 1 / 1.4], abs=0.12)
