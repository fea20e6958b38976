"""Lists with a spread: periods, inactivity, any day, continuing, and lists that say odd things."""

from __future__ import annotations

import datetime as dt
import math

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arpad.errors import UsageError
from arpad.model import Games, Player, Ratings
from arpad.rate.glicko.rating import list_on
from arpad.rate.glicko.steps import SCALE, GlickoGame, GlickoPlayer
from arpad.rate.glicko.systems import Glicko, Glicko2, Stephenson
from arpad.rate.registry import system

SPREAD = ["glicko", "glicko2", "stephenson"]
MAY, JUNE, SEPTEMBER = dt.date(2016, 5, 20), dt.date(2016, 6, 3), dt.date(2016, 9, 9)


def games(rows, names="ABCD", **ratings) -> Games:
    """Games from (white, black, score, date)."""
    columns = {
        "white": [names.index(r[0]) for r in rows],
        "black": [names.index(r[1]) for r in rows],
        "score": [r[2] for r in rows],
        "date": [r[3] for r in rows],
    }
    return Games.assemble(columns, [Player(name=n, rating=ratings.get(n)) for n in names])


def row(ratings: Ratings, player: str) -> dict:
    return ratings.rows.filter(pl.col("player") == player).row(0, named=True)


def given_list(**columns) -> Ratings:
    return Ratings(system="given", rows=pl.DataFrame(columns), parameters={})


def test_glickmans_example_as_games():
    """The same figures through a list and games: 1464 and 151.4, 1464.05 and 151.52."""
    before = given_list(
        player=["A", "B", "C", "D"], rating=[1500.0, 1400, 1550, 1700],
        error=[200.0, 30, 100, 300], volatility=[0.06] * 4,
    )  # fmt: skip
    played = games([("A", "B", 1, MAY), ("C", "A", 1, MAY), ("A", "D", 0, MAY)])
    one = row(Glicko().rate(played, before), "A")
    assert (round(one["rating"]), round(one["error"], 1)) == (1464, 151.4)
    assert (one["before"], one["games"], one["last"]) == (1500, 3, MAY)
    two = row(Glicko2().rate(played, before), "A")
    assert (round(two["rating"], 2), round(two["error"], 2)) == (1464.05, 151.52)
    assert two["volatility"] == pytest.approx(0.059996, abs=1e-6)


def test_time_widens_a_rating_period_by_period():
    """B plays in May only. On 1 June no time has passed, on 1 September three months."""
    played = games([("A", "B", 1, MAY), ("A", "C", 0.5, SEPTEMBER)])
    for chosen, pace in ((Glicko(c=40), 40**2), (Stephenson(c=40), 40**2)):
        name = chosen.name
        june = row(system(name, c=40, on="2016-06-01").rate(played), "B")
        after = row(system(name, c=40, on="2016-09-01").rate(played), "B")
        assert after["error"] ** 2 == pytest.approx(june["error"] ** 2 + 3 * pace)
        assert after["rating"] == june["rating"]
        whole = row(chosen.rate(played), "B")  # to the end of September
        assert whole["error"] ** 2 == pytest.approx(june["error"] ** 2 + 4 * pace)
        assert whole["on"] == dt.date(2016, 10, 1)
    june = row(Glicko2(on="2016-06-01").rate(played), "B")
    middle = row(Glicko2(on="2016-06-16").rate(played), "B")
    assert middle["error"] ** 2 == pytest.approx(june["error"] ** 2 + 0.5 * (SCALE * june["volatility"]) ** 2)


def test_nobody_is_less_known_than_a_newcomer():
    played = games([("A", "B", 1, dt.date(1900, 1, 1)), ("A", "C", 1, MAY)])
    assert row(Glicko().rate(played), "B")["error"] == 350
    assert row(Glicko2().rate(played), "B")["error"] < 500


def test_idle_months_count_before_the_next_game():
    """A waits from May to September: RD² grows by four c² before the second game is rated."""
    played = games([("A", "B", 1, MAY), ("A", "C", 0, SEPTEMBER)])
    first = Glicko(c=30).step(
        GlickoPlayer(rating=1500, error=350), [GlickoGame(rating=1500, error=350, score=1)]
    )
    waited = GlickoPlayer(rating=first.form.rating, error=math.sqrt(first.form.error**2 + 4 * 30**2))
    second = Glicko(c=30).step(waited, [GlickoGame(rating=1500, error=350, score=0)])
    after = row(Glicko(c=30).rate(played), "A")
    assert after["rating"] == pytest.approx(second.form.rating)
    assert after["error"] == pytest.approx(second.form.error)


def test_a_period_cut_short_counts_as_much_time_as_has_passed():
    played = games([("A", "B", 1, MAY), ("A", "B", 1, JUNE)])
    may = row(Glicko2(on="2016-06-01").rate(played), "A")
    other = row(Glicko2(on="2016-06-01").rate(played), "B")
    step = Glicko2().step(
        GlickoPlayer(rating=may["rating"], error=may["error"], volatility=may["volatility"]),
        [GlickoGame(rating=other["rating"], error=other["error"], score=1)],
        length=9 / 30,
    )
    cut = row(Glicko2(on="2016-06-10").rate(played), "A")
    assert cut["rating"] == pytest.approx(step.form.rating)
    assert cut["error"] == pytest.approx(step.form.error)


@st.composite
def histories(draw):
    pair = st.tuples(
        st.sampled_from("ABCD"), st.sampled_from("ABCD"), st.sampled_from([0, 0.5, 1]),
        st.dates(dt.date(2015, 1, 1), dt.date(2016, 12, 31)),
    )  # fmt: skip
    rows = [r for r in draw(st.lists(pair, min_size=2, max_size=30)) if r[0] != r[1]]
    return rows or [("A", "B", 1, MAY)]


@pytest.mark.parametrize("period", ["month", "quarter", "10"])
@pytest.mark.parametrize("name", SPREAD)
@settings(max_examples=20)
@given(rows=histories(), cut=st.dates(dt.date(2015, 2, 1), dt.date(2016, 12, 31)), data=st.data())
def test_a_list_is_continued_as_if_never_interrupted(name, period, rows, cut, data):
    """Rate up to the beginning of a period, write the list, go on from it: nothing is lost."""
    chosen = system(name, period=period)
    whole = chosen.rate(games(rows))
    from arpad.rate.periods import clock_of

    clock = clock_of(period)
    cut = clock.begins(int(clock.at(cut)))
    early, late = [r for r in rows if r[3] < cut], [r for r in rows if r[3] >= cut]
    if not early or not late:
        return
    first = chosen.rate(games(early))
    if data.draw(st.booleans(), label="through text"):
        first = Ratings(
            system="given", parameters={},
            rows=first.rows.with_columns(pl.col("last", "on").cast(pl.String)),
        )  # fmt: skip
    second = chosen.rate(games(late), first)
    for player in second.rows["player"]:
        a, b = row(second, player), row(whole, player)
        assert a["rating"] == pytest.approx(b["rating"], abs=1e-6)
        assert a["error"] == pytest.approx(b["error"], abs=1e-6)
    # and those who have not played since are found by reading the old list on the day of the new
    aged = list_on(chosen, first, second.parameters["on"])
    for player in set(first.rows["player"]) - set(second.rows["player"]):
        assert row(aged, player)["error"] == pytest.approx(row(whole, player)["error"], abs=1e-6)


@pytest.mark.parametrize("name", SPREAD)
@given(rows=histories(), seed=st.integers(0, 99))
def test_the_order_of_games_within_a_period_does_not_matter(name, rows, seed):
    shuffled = [rows[i] for i in np.random.default_rng(seed).permutation(len(rows))]
    one, two = system(name, period="year").rate(games(rows)), system(name, period="year").rate(games(shuffled))  # fmt: skip
    for player in one.rows["player"]:
        assert row(one, player)["rating"] == pytest.approx(row(two, player)["rating"])
        assert row(one, player)["error"] == pytest.approx(row(two, player)["error"])


@pytest.mark.parametrize("name", SPREAD)
def test_strengths_are_recovered_within_their_errors(name):
    """Players drawn as the system thinks of newcomers; 95 in 100 are within two errors."""
    rng = np.random.default_rng(1960)
    n, rounds, months = 600, 8, 6
    options = {"stephenson": {"neighbourhood": 0.0, "h": 0.0, "c": 0.0}, "glicko": {"c": 0.0}}
    chosen = system(name, start=1500.0, start_error=200.0, **options.get(name, {}))
    truth = rng.normal(1500, 200, n)
    white, black, date = [], [], []
    for month in range(1, months + 1):
        for _ in range(rounds):
            order = rng.permutation(n)
            white.append(order[: n // 2])
            black.append(order[n // 2 :])
            date += [dt.date(2016, month, 1)] * (n // 2)
    white, black = np.concatenate(white), np.concatenate(black)
    score = (rng.random(len(white)) < 1 / (1 + 10 ** ((truth[black] - truth[white]) / 400))) * 1.0
    played = Games.assemble(
        {"white": white, "black": black, "score": score, "date": date}, {"name": [f"{i}" for i in range(n)]}
    )
    rows = chosen.rate(played).rows
    z = (rows["rating"].to_numpy() - truth[rows["player"].cast(pl.Int64)]) / rows["error"].to_numpy()
    assert 0.92 <= float((abs(z) <= 2).mean()) <= 0.98
    assert abs(float(z.mean())) < 0.15
    assert 0.85 < float(z.std()) < 1.15
    assert rows["error"].mean() < 60


def test_white_advantage_takes_from_white():
    played = games([("A", "B", 0.5, MAY)] * 10)
    for name in SPREAD:
        ratings = system(name, white_advantage=50.0).rate(played)
        assert row(ratings, "A")["rating"] < row(ratings, "B")["rating"]


def test_the_bonus_inflates_and_the_neighbourhood_draws_together():
    played = games([("A", "B", 1, MAY), ("C", "D", 1, MAY)], A=2400.0, B=2000.0, C=2400.0, D=2000.0)
    plain = Stephenson(neighbourhood=0).rate(played).rows["rating"]
    assert Stephenson(neighbourhood=0, bonus=10).rate(played).rows["rating"].mean() > plain.mean()
    pulled = Stephenson(neighbourhood=5).rate(played).rows["rating"]
    assert pulled.max() - pulled.min() == pytest.approx(plain.max() - plain.min() - 2 * 0.05 * 400)


def test_given_ratings_have_a_spread_of_their_own():
    played = games([("A", "B", 1, MAY)], A=1600.0)
    ratings = Glicko(given_error=80).rate(played)
    assert row(ratings, "A")["before"] == 1600
    assert row(ratings, "A")["error"] < 80
    assert row(ratings, "B")["before"] is None
    assert row(Glicko(given=False).rate(played), "A")["before"] is None


def notes(ratings: Ratings) -> str:
    return " | ".join(ratings.source["notes"])


def test_a_list_that_says_too_little_or_too_much_is_answered():
    played = games([("A", "B", 1, MAY), ("C", "D", 1, MAY)])
    before = given_list(
        player=["A", "B", "C"], rating=[1500.0, 1600, math.nan], error=[900.0, None, 50],
        volatility=[0.0, None, 0.05],
    )  # fmt: skip
    ratings = Glicko2().rate(played, before)
    told = notes(ratings)
    assert "errors on the list above 500 points, taken as 500: 1" in told
    assert "without an error, taken as 200 points: 1" in told
    assert "missing or not from 0.0001 to 1, taken as 0.06: 2" in told
    assert row(ratings, "A")["error"] < 500
    assert row(ratings, "C")["before"] is None
    assert "volatility" not in notes(Glicko().rate(played, before))


def test_a_list_that_is_sure_beyond_reason_stays_finite():
    before = given_list(player=["A", "B"], rating=[1500.0, 1600], error=[0.0, 0.0])
    for name in SPREAD:
        ratings = system(name).rate(games([("A", "B", 1, MAY)]), before)
        assert 0 < row(ratings, "A")["error"] < 20


def test_a_list_from_the_future_is_named():
    before = given_list(player=["A"], rating=[1500.0], error=[60.0], on=[dt.date(2020, 1, 1)])
    played = games([("A", "B", 1, MAY), ("A", "B", 1, SEPTEMBER)])
    ratings = Glicko().rate(played, before)
    assert "of a later day than the first of these games" in notes(ratings)
    assert row(ratings, "A")["error"] < 60


def test_the_last_game_of_a_foreign_list_says_how_old_it_is():
    """No `on`, but the day of the last game: its period is over, four months have passed since."""
    before = given_list(player=["A"], rating=[1500.0], error=[60.0], last=["2016-05-20"])
    played = games([("A", "B", 1, SEPTEMBER)])
    aged = GlickoPlayer(rating=1500, error=math.sqrt(60**2 + 4 * 15**2))
    step = Glicko().step(aged, [GlickoGame(rating=1500, error=350, score=1)])
    assert row(Glicko().rate(played, before), "A")["error"] == pytest.approx(step.form.error)


def test_days_that_are_none_are_counted():
    before = given_list(player=["A", "B"], rating=[1500.0, 1500.0], last=["yesterday", "2016-04-01"])
    ratings = Glicko().rate(games([("A", "B", 1, MAY)]), before)
    assert "not look like 2016-07-01, left out: 1" in notes(ratings)


def test_newcomers_far_from_everybody_are_named():
    played = games([("A", "B", 1, MAY)], A=2400.0)
    assert "a start of 2400" in notes(Glicko().rate(played))
    assert notes(Glicko(start=2300).rate(played)) == ""


def test_games_without_dates_are_one_period_and_that_is_said():
    ratings = Glicko2().rate(Games.build([("A", "B", 1.0), ("B", "A", 1.0)]))
    assert "all of them are rated as one period" in notes(ratings)
    assert ratings.parameters["period"] == "all"
    assert row(ratings, "A")["rating"] == pytest.approx(1500)
    assert row(ratings, "A")["last"] is None
    with pytest.raises(UsageError, match="needs the date"):
        Glicko2(period="month").rate(Games.build([("A", "B", 1.0)]))


def test_other_periods_than_months_are_named():
    played = games([("A", "B", 1, MAY)])
    assert "here the period is year" in notes(Glicko(period="year").rate(played))
    assert "here the period is 7 days" in notes(Glicko(period=7).rate(played))
    assert notes(Glicko(period="event").rate(Games.assemble(
        {"white": [0], "black": [1], "score": [1.0], "event": [0]}, {"name": ["A", "B"]}
    ))) == ""  # fmt: skip


def test_ten_thousand_games_of_one_player_in_one_period():
    rows = [("A", "BCD"[i % 3], (i % 2) / 1, MAY) for i in range(10_000)]
    for name in SPREAD:
        ratings = system(name).rate(games(rows))
        assert row(ratings, "A")["games"] == 10_000
        assert row(ratings, "A")["error"] < 15
        assert abs(row(ratings, "A")["rating"] - system(name).start) < 60


def test_a_list_read_later_knows_less():
    ratings = Glicko().rate(games([("A", "B", 1, MAY)]))
    later = list_on(Glicko(), ratings, "2017-06-01")
    assert row(later, "A")["error"] ** 2 == pytest.approx(row(ratings, "A")["error"] ** 2 + 12 * 225)
    assert list_on(Glicko(), ratings, "2010-01-01").rows["error"].equals(ratings.rows["error"])
    bare = list_on(Glicko2(), given_list(player=["A"], rating=[1500.0]), None)
    assert row(bare, "A")["error"] == 200


@pytest.mark.data
def test_months_of_real_games_with_their_fide_ids(data):
    from arpad.read import read

    played = read(data / "twic_results" / "results_2010_2016_fideid.parquet").games
    ratings = system("glicko2", start=2100.0, on="2016-07-01").rate(played)
    best = ratings.rows.filter((pl.col("error") < 50) & (pl.col("games") > 100))
    assert best["player"][0].startswith("Carlsen")
    assert ratings.rows["last"].max() < dt.date(2016, 7, 1)
