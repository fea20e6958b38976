from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from arpad.errors import InputError, UsageError
from arpad.model import Games
from arpad.pool.check import from_games
from arpad.pool.demography import best, in_proportion, players_above, rating_of_best
from arpad.pool.distribution import (
    MAXWELL_SKEWNESS,
    MEAN_TO_MODE,
    RMS_TO_MODE,
    Histogram,
    MaxwellShape,
    NormalShape,
    _gain,
    distribution,
    grouped_distribution,
    histogram,
    read_histogram,
)
from arpad.pool.significance import chi_square
from tests.conftest import GOLDEN


def pool_7_33(golden, name):
    rows = [r for r in golden("elo_7_33.csv") if r[name]]
    figures = next(r for r in golden("elo_7_33_figures.csv") if r["pool"] == name)
    players = int(figures["players"])
    edges = [float(r["low"]) for r in rows]
    counts = tuple(float(r[name]) / 100 * players for r in rows)
    return Histogram(edges=(*edges, edges[-1] + 100), counts=counts), figures


def pool_7_38(golden, name):
    counts = tuple(int(r[name]) for r in golden("elo_7_38.csv"))
    return Histogram(edges=tuple(500.0 + 100 * i for i in range(23)), counts=counts)


@pytest.mark.parametrize("name", ["all", "established", "belgian"])
def test_7_33_cumulative_percentages(golden, name):
    h, _ = pool_7_33(golden, name)
    cumulative = h.table()["cumulative"].to_list()
    for r, found in zip([r for r in golden("elo_7_33.csv") if r[name]], cumulative, strict=True):
        printed = float(r[f"{name}_cumulative"])
        if (name, r["low"]) == ("all", "1200"):
            assert printed == 36.58  # misprint
            printed = 38.58
        # sums of rounded percentages
        assert found == pytest.approx(printed, abs=0.035)


def test_printed_tables_are_read(golden):
    """Open ends, `range` or `low`, percentages, rows without a count."""
    h = read_histogram(GOLDEN / "elo_7_38.csv", "Established")
    assert (h.edges[:3], h.edges[-1], h.counts[-1]) == ((500, 600, 700), 2700, 11)
    assert h == pool_7_38(golden, "established")
    h = read_histogram(GOLDEN / "elo_7_33.csv", "belgian", players=1857)
    assert (h.edges[0], h.edges[-1]) == (700, 2400)
    assert h.total == pytest.approx(1857)
    h = read_histogram(GOLDEN / "elo_2_71.csv", "number")
    assert (h.edges[0], h.edges[1], h.edges[-1], h.counts[0]) == (-5, -4.5, 5, 4)


def test_a_table_may_go_downwards(write):
    lines = "range,f_o\nOver 7.25,8\n6.75-7.25,16\n6.25-6.75,33\nBelow 6.25,59\n"
    h = read_histogram(write(lines, "swiss.csv"), "f_o")
    assert h == Histogram(edges=(5.75, 6.25, 6.75, 7.25, 7.75), counts=(59, 33, 16, 8))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("range,n\n1-2,3\n", "three intervals"),
        ("range,n\n0-9,3\n10-19,4\n50-59,5\n60-69,1\n", "one width"),
        ("range,n\n0-9,3\n10-19,x\n20-29,5\n", "a count in n"),
        ("kind,n\n0-9,3\n", "low"),
    ],
)
def test_a_table_that_is_none(write, text, expected):
    with pytest.raises(InputError, match=expected):
        read_histogram(write(text, "table.csv"), "n")


def test_7_33_means_and_deviations(golden):
    found = {name: pool_7_33(golden, name) for name in ("all", "established", "belgian")}
    for name, mean in (("all", 1390), ("established", 1547), ("belgian", 1474)):
        h, figures = found[name]
        assert int(figures["mean"]) == mean
        assert h.mean() == pytest.approx(mean, abs=0.6)
    # The USCF's are corrected for the width of the intervals, the Belgian one is not.
    assert found["all"][0].sd() == pytest.approx(311.9, abs=0.06)
    assert found["established"][0].sd() == pytest.approx(251.6, abs=0.06)
    assert found["belgian"][0].sd(sheppard=False) == pytest.approx(271, abs=0.5)
    assert found["belgian"][0].sd() == pytest.approx(269.1, abs=0.05)


def test_7_35_chi_square_of_both_pools(golden):
    """734 follows from the printed mean and the uncorrected σ; 990 does not: 979 at best."""
    h, _ = pool_7_33(golden, "all")
    shape = NormalShape(mean=1390, sd=h.sd(sheppard=False))
    found = chi_square(h.counts, h.expected(shape), fitted=2, least=5)
    assert found.statistic == pytest.approx(734, abs=0.5)
    h, _ = pool_7_33(golden, "established")
    found = chi_square(h.counts, h.expected(NormalShape(mean=1547, sd=251.6)), least=5)
    assert found.statistic == pytest.approx(979, abs=0.5)


def test_7_38_numbers_and_percentages(golden):
    rows = golden("elo_7_38.csv")
    for name, players in (("all", 48954), ("established", 28988)):
        h = pool_7_38(golden, name)
        assert h.total == players
        table = h.table()
        for r, percent in zip(rows, table["percent"], strict=True):
            digits = len(r[f"{name}_percent"].split(".")[1])
            assert percent == pytest.approx(float(r[f"{name}_percent"]), abs=0.55 * 10**-digits)
        # summed from rounded percentages, so up to .02 off
        printed = [float(r[f"{name}_cumulative"]) for r in rows]
        assert table["cumulative"].to_list() == pytest.approx(printed, abs=0.021)


def test_7_38_means(golden):
    h = pool_7_38(golden, "all")
    assert h.mean() == pytest.approx(1505, abs=0.5)
    assert h.sd() < 335 < h.sd(sheppard=False)
    h = pool_7_38(golden, "established")
    assert h.sd() < 288 < h.sd(sheppard=False)
    # Printed 1649; the printed numbers give 1654, and no place within intervals takes off 4 points.
    assert h.mean() == pytest.approx(1653.7, abs=0.05)


def test_7_39_players_above_a_rating(golden):
    h = pool_7_38(golden, "established")
    assert h.above(2300) == 366
    assert 100 * h.above(2300) / h.total == pytest.approx(1.26, abs=5e-3)
    # 92 were counted; half of an interval spread evenly makes 102
    assert h.above(2450) == pytest.approx(102.5)
    h, _ = pool_7_33(golden, "established")
    assert 100 * h.above(2200) / h.total == pytest.approx(1.15)
    assert 100 * h.above(2400) / h.total == pytest.approx(0.20)


def test_9_14_relations():
    assert pytest.approx(1.1284, abs=5e-5) == MEAN_TO_MODE  # printed 1.1287
    assert pytest.approx(0.9213, abs=5e-5) == MEAN_TO_MODE / RMS_TO_MODE


def test_9_16(golden):
    rows = {r["pool"]: {k: float(v) for k, v in r.items() if k != "pool"} for r in golden("elo_9_16.csv")}  # fmt: skip
    uscf, belgian = (
        MaxwellShape.through_mean(zero=rows[n]["zero"], mean=pool_7_33(golden, n)[0].mean())
        for n in ("established", "belgian")
    )
    assert uscf.mode == pytest.approx(rows["established"]["R_m_expected"], abs=0.2)
    assert belgian.mode == pytest.approx(rows["belgian"]["R_m_expected"], abs=0.9)  # cut off
    # Expected R_r is printed otherwise; (75) gives 1598.5 and 1528.1.
    assert [rows[n]["R_r_expected"] for n in ("established", "belgian")] == [1597.0, 1525]
    modes = [rows[n]["R_m_observed"] for n in ("established", "belgian")]
    assert modes == [float(pool_7_33(golden, n)[1]["mode"]) for n in ("established", "belgian")]
    assert uscf.rms == pytest.approx(1598.5, abs=0.05)
    assert belgian.rms == pytest.approx(1528.1, abs=0.05)
    for name in ("established", "belgian"):
        h, zero = pool_7_33(golden, name)[0], rows[name]["zero"]
        observed = zero + math.hypot(h.mean() - zero, h.sd(sheppard=False))
        assert observed == pytest.approx(rows[name]["R_r_observed"], abs=0.75)


def test_9_16_zero_points_follow_from_mean_and_deviation(golden):
    """Read off a graph: 945 and 840."""
    for name, zero in (("established", 945), ("belgian", 840)):
        h, figures = pool_7_33(golden, name)
        fitted = MaxwellShape.of_moments(mean=h.mean(), sd=h.sd())
        assert fitted.zero == pytest.approx(zero, abs=10)
        assert fitted.mode == pytest.approx(float(figures["mode"]), abs=10)


def test_9_17_and_9_18_maxwell_fits_better_than_normal(golden):
    """Not 83.09 for the USCF: with zero at 945 it is 465, mostly players below 1100."""
    h, _ = pool_7_33(golden, "established")
    uscf = grouped_distribution(h, zero=945)
    assert uscf.maxwell.chi_square.statistic == pytest.approx(465, abs=1)
    assert uscf.best is uscf.maxwell
    # The nearest reading: everybody below 1100 in one interval.
    f_e = h.expected(uscf.maxwell.shape)
    below = [(sum(h.counts[:5]), sum(f_e[:5])), *zip(h.counts[5:], f_e[5:], strict=True)]
    assert chi_square(*zip(*below, strict=True)).statistic == pytest.approx(82.5, abs=0.1)
    h, _ = pool_7_33(golden, "belgian")
    belgian = grouped_distribution(h, zero=840)
    assert belgian.best is belgian.maxwell
    ks = belgian.maxwell.kolmogorov_smirnov
    assert ks.difference < ks.limit(0.05)
    # The test has little power here: the normal, which χ² rejects, passes it too.
    assert belgian.normal.kolmogorov_smirnov.difference < ks.limit(0.05)
    assert belgian.normal.chi_square.p_fitted < 0.001


def test_5_73_samples_of_the_best(golden):
    rows = golden("elo_5_73.csv")
    # A population that grows about threefold in a century: our samples beside the printed ones.
    samples = [in_proportion(15, population=1, then=1 + 2 * (int(r["year"]) - 1860) / 100) for r in rows]
    assert samples == [15, 23, 30, 38, 45]
    assert samples == pytest.approx([int(r["players"]) for r in rows], abs=5)
    assert best([2400, 2600, 2500, 2550], 2).average == 2575
    assert best([2400, 2600], 2).lowest == 2400


@given(zero=st.floats(-500, 1500), R_m=st.floats(50, 1000))
def test_maxwell_is_scipys_and_its_three_ways_agree(zero, R_m):
    shape = MaxwellShape(zero=zero, R_m=R_m)
    theirs = stats.maxwell(zero, R_m / math.sqrt(2))
    x = zero + R_m * np.array([-1.0, 0.2, 1.0, 2.5])
    assert shape.below(x) == pytest.approx(theirs.cdf(x), abs=1e-9)
    assert shape.density(x) == pytest.approx(theirs.pdf(x), abs=1e-9)
    assert (shape.mean, shape.sd) == pytest.approx((theirs.mean(), theirs.std()))
    assert float(theirs.stats("s")) == pytest.approx(MAXWELL_SKEWNESS)
    for other in (
        MaxwellShape.of_moments(mean=shape.mean, sd=shape.sd),
        MaxwellShape.through_mean(zero=zero, mean=shape.mean),
        MaxwellShape.of_mean_and_mode(mean=shape.mean, mode=shape.mode),
    ):
        assert (other.zero, other.R_m) == pytest.approx((zero, R_m), abs=1e-5)


@pytest.mark.parametrize(
    "shape", [NormalShape(mean=1500, sd=200), MaxwellShape(zero=900, R_m=500)], ids=lambda s: s.name
)
@given(share=st.floats(0.001, 0.999))
def test_at_is_the_inverse_of_below(shape, share):
    assert float(shape.below([shape.at(share)])[0]) == pytest.approx(share)
    rating = rating_of_best(1000 * share, players=1000, shape=shape)
    assert players_above(rating, players=1000, shape=shape) == pytest.approx(1000 * share)


@pytest.mark.parametrize("name", ["normal", "maxwell"])
def test_the_true_shape_is_found(name):
    rng = np.random.default_rng(3)
    drawn = (
        rng.normal(1500, 250, 20_000)
        if name == "normal"
        else stats.maxwell.rvs(900, 400, size=20_000, random_state=rng)
    )
    found = distribution(drawn)
    assert found.best.shape.name == name
    assert found.best.chi_square.p_fitted > 0.01
    other = found.maxwell if name == "normal" else found.normal
    assert other.chi_square.p_fitted < 1e-6
    if name == "maxwell":
        assert found.maxwell.shape.zero == pytest.approx(900, abs=15)
        assert found.skewness == pytest.approx(MAXWELL_SKEWNESS, abs=0.05)


@given(ratings=st.lists(st.integers(0, 3000), min_size=1, max_size=80), shift=st.integers(-30, 30))
def test_a_shifted_pool_is_the_same_pool(ratings, shift):
    a, b = distribution(ratings), distribution([r + 100 * shift for r in ratings])
    assert sum(a.histogram.counts) == len(ratings)
    assert a.histogram.counts == b.histogram.counts
    assert b.mean - a.mean == pytest.approx(100 * shift)
    assert (a.normal is None) == (len(set(ratings)) == 1)
    if a.maxwell is not None:
        assert b.maxwell.shape.zero - a.maxwell.shape.zero == pytest.approx(100 * shift, abs=1e-6)
        assert b.maxwell.chi_square.statistic == pytest.approx(
            a.maxwell.chi_square.statistic, rel=1e-6, abs=1e-6
        )
    assert str(len(ratings)) in a.summary()


@given(
    values=st.lists(st.floats(-1e4, 1e4, allow_subnormal=False), min_size=1, max_size=50),
    width=st.floats(5, 500),
)
def test_histograms_lose_nobody(values, width):
    h = histogram(values, width)
    assert h.total == len(values)
    assert h.edges[0] <= min(values)
    assert max(values) <= h.edges[-1]
    ends = histogram(values, width, limits=(-width, width))
    assert ends.total == len(values)
    assert len(ends.counts) == 2
    assert h.mean() == pytest.approx(np.mean(values), abs=width / 2 + 1e-6)


def test_ratings_of_games_are_the_last_ones():
    games = Games.assemble(
        {
            "white": [0, 1, 0],
            "black": [1, 2, 2],
            "score": [1.0, 0.5, 0.0],
            "white_rating": [1500.0, 1600.0, 1510.0],
            "black_rating": [1600.0, None, None],
        },
        {"name": ["A", "B", "C"], "rating": [None, None, 1700.0]},
    )
    assert from_games(games).tolist() == [1510.0, 1600.0, 1700.0]
    with pytest.raises(InputError, match="found none beside 2 players"):
        from_games(Games.build([("A", "B", 1.0)]))


@pytest.mark.parametrize(
    "call",
    [
        lambda: distribution([]),
        lambda: distribution([1500, float("nan")]),
        lambda: distribution([1500, 1600], width=0),
        lambda: distribution([1500, 1600], zero=1700),
        lambda: distribution([0, 1e9], width=1),
        lambda: Histogram(edges=(0, 1), counts=(0,)),
        lambda: Histogram(edges=(0, 1, 3), counts=(1, 1)),
        lambda: Histogram(edges=(0, 1), counts=(1, 2)),
        lambda: MaxwellShape(zero=0, R_m=-1),
        lambda: best([1500], 2),
        lambda: in_proportion(10, population=0, then=1),
        lambda: rating_of_best(10, players=5, shape=NormalShape(mean=0, sd=1)),
    ],
)
def test_misuse(call):
    with pytest.raises(UsageError):
        call()


def test_one_rating_and_equal_ratings_are_answered():
    one = distribution([1500])
    assert (one.sd, one.fits, one.best) == (None, (), None)
    same = distribution([1500] * 40)
    assert same.sd == 0
    assert not same.fits
    assert "do not differ" in one.summary() + same.summary()


@pytest.mark.data
@pytest.mark.parametrize(("name", "players", "mean"), [("JUL01", 38622, 2200.4), ("APR04", 51907, 2165.6)])  # fmt: skip
def test_fides_lists(data, run, name, players, mean):
    import json

    path = data / "fide_lists" / f"{name}FRL.TXT.zst"
    found = json.loads(run("distribution", path, "--format", "json").out)
    assert found["players"] == players
    assert found["mean"] == pytest.approx(mean, abs=0.05)
    assert found["input"]["source"] == "list"
    assert max(fit["p_fitted"] for fit in found["fits"]) < 0.001


def test_a_list_with_a_floor_is_fitted_above_it():
    """The whole pool is found again from its upper half, by both shapes."""
    rng = np.random.default_rng(919)
    normal = rng.normal(1900, 200, 40_000)
    found = distribution(normal, floor=1950)
    assert found.normal.shape.parameters()["mean"] == pytest.approx(1900, abs=25)
    assert found.normal.shape.parameters()["sd"] == pytest.approx(200, abs=10)
    assert found.normal.shape.listed == pytest.approx(0.40, abs=0.05)
    assert found.normal.chi_square.p_fitted > 0.001
    maxwell = 1000 + 300 * np.sqrt(2 * rng.gamma(1.5, 1, 40_000))
    shape = distribution(maxwell, floor=1400).maxwell.shape
    assert shape.parameters()["zero"] == pytest.approx(1000, abs=60)
    assert shape.below([1400.0, 9000.0]).tolist() == [0, 1]
    assert shape.at(0.5) == pytest.approx(np.median(maxwell[maxwell >= 1400]), abs=10)
    with pytest.raises(UsageError):
        distribution(normal, floor=9999)


def test_2_77_and_9_15_probability_paper():
    """On the paper of its own shape a pool is a straight line."""
    found = distribution(np.random.default_rng(1).normal(1600, 150, 20_000))
    chart = found.chart(paper=True).to_dict()
    assert len(chart["hconcat"]) == 2
    dots = next(iter(chart["datasets"][layer["data"]["name"]] for layer in chart["hconcat"][0]["layer"][1:]))
    assert max(abs(d["at"] - d["place"]) for d in dots) < 40


def test_the_gain_of_one_shape_over_the_other():
    """Its sign says which shape the ratings have, and its interval holds the true gain as often as it says."""
    normal, maxwell = NormalShape(mean=1500, sd=250), MaxwellShape.of_moments(mean=1500, sd=250)
    at = np.linspace(1500 - 1250, 1500 + 1250, 20_001)[1:-1]
    at = at[maxwell.density(at) > 0]
    apart = np.log(maxwell.density(at)) - np.log(normal.density(at))
    true = 1000 * float((apart * maxwell.density(at)).sum() / maxwell.density(at).sum())
    rng = np.random.default_rng(919)
    theirs = stats.maxwell(loc=maxwell.zero, scale=maxwell.R_m / math.sqrt(2))
    held = 0
    for _ in range(200):
        gain, half = _gain(theirs.rvs(300, random_state=rng), normal, maxwell)
        held += abs(gain - true) <= half
    assert 0.9 <= held / 200 <= 0.99
    found = distribution(theirs.ppf((np.arange(4000) + 0.5) / 4000), zero=maxwell.zero)
    assert found.gain[0] > found.gain[1] > 0
    found = distribution(stats.norm(1500, 250).ppf((np.arange(30_000) + 0.5) / 30_000), floor=1300)
    assert found.gain[0] + found.gain[1] < 0
    # somebody below the zero point: the shape gives no chance, and there is no figure
    assert distribution([*range(1000, 2000, 10), 100], zero=900).gain is None
