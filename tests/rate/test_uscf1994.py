"""The procedure of the U.S. report of 1994, sections 1.3 to 1.5 and 1.7."""

from __future__ import annotations

import datetime as dt
import json
import math

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arpad.errors import InputError, UsageError
from arpad.model import Event, Games, Player, Ratings
from arpad.rate.list_system import decoded, encoded
from arpad.rate.registry import system
from arpad.rate.system import workings
from arpad.rate.uscf.performance import age_rating, closed_form, uscf_from_fide
from arpad.rate.uscf.players import MEMORY, UscfPlayer, imputed
from arpad.rate.uscf.systems import Uscf1994, by_k, provisional_k
from arpad.read import read_list
from tests.rate.uscf_events import against, field, pool, row

EXAMPLES = {
    "1": ([700, 850, 950, 1200, 1500], Player(name="Me")),
    "2": ([1040] * 5, Player(name="Me")),
    "3": ([900, 1100, 1350, 1400, 1450], Player(name="Me", rating=700.0, total_games=10)),
}


def example(number: str, score: float) -> Games:
    ratings, me = EXAMPLES[number]
    others = field(ratings)
    return pool([me, *others], against("Me", score, [p.name for p in others]))


def expectancy(difference: float) -> float:
    return 1 / (1 + 10 ** (-difference / 400))


def test_all_of_1_7(golden):
    rows = golden("uscf1994_1_7.csv")
    assert len(rows) == 33
    for each in rows:
        found = row(Uscf1994().rate(example(each["example"], float(each["score"]))), "Me")
        assert round(found["rating"]) == int(each["NewSys"]), each


def test_table_1(golden):
    rows = golden("uscf1994_table_1.csv")
    assert len(rows) == 100
    for each in rows:
        assert uscf_from_fide(int(each["fide"])) == int(each["uscf"])
    assert uscf_from_fide(2199) == 2214  # + 15 below 2200
    assert uscf_from_fide(900) == 915  # no such rating in 1994, but the rule has no end
    assert uscf_from_fide(2700) == 2730  # + 30 from 2700 on
    assert uscf_from_fide(2202.5) == 2218  # half-way from 2214 to 2222
    values = [uscf_from_fide(fide) for fide in range(2000, 2900)]
    assert values == sorted(values)
    for wrong in (0, -5, math.nan):
        with pytest.raises(UsageError, match="FIDE rating above 0"):
            uscf_from_fide(wrong)


def test_table_2(golden):
    rows = golden("uscf1994_table_2.csv")
    assert len(rows) == 76
    for each in rows:
        assert age_rating(int(each["age"])) == int(each["rating"])
    assert age_rating(4) == 543
    assert age_rating(100) == 1203
    for wrong in (0, -3, 130):
        with pytest.raises(UsageError, match="expected an age from 3 to 110"):
            age_rating(wrong)


def test_k_of_1_5_2():
    assert provisional_k(10, 5) == pytest.approx(600 / 14)  # the text rounds it to 43
    assert provisional_k(4, 1) == 150
    assert provisional_k(15, 5) == pytest.approx(31.58, abs=0.005)  # below the 32 that follows
    assert provisional_k(16, 5) == 32


@pytest.mark.parametrize(("rating", "k"), [(2099, 32), (2100, 24), (2399, 24), (2400, 16)])
def test_established_tiers(rating, k):
    games = pool([Player(name="A", rating=rating), Player(name="B", rating=rating)], [("A", "B", 1)])
    found = row(Uscf1994().rate(games), "A")
    assert found["k"] == k
    assert found["change"] == pytest.approx(k / 2)
    assert found["status"] == "established"


@pytest.mark.parametrize(("birth", "value", "by"), [
    ("1984", 743.0, "age"), ("1984-02", 703.0, "age"), ("1983-12-31", 743.0, "age"), ("1990", 543.0, "age"),
    ("1994", 1000.0, "nothing known"), ("1864", 1000.0, "nothing known"), (None, 1000.0, "nothing known"),
])  # fmt: skip
def test_ages(birth, value, by):
    """Ten years old in 1994; not yet ten in January; four years; no years; a hundred and thirty."""
    found = imputed(UscfPlayer(name="X", birth=birth), dt.date(1994, 1, 15), 1000.0)
    assert (found.rating, found.by) == (value, by)
    assert bool(found.note) == (birth in ("1994", "1864"))


def test_a_fide_rating_goes_before_an_age():
    found = imputed(UscfPlayer(name="X", birth="1984", fide=2400), dt.date(1994, 1, 15), 1000.0)
    assert (found.rating, found.by) == (2474.0, "FIDE rating")
    assert imputed(UscfPlayer(name="X", birth="1984"), None, 1000.0).rating == 1000  # no date, no age


def test_unrated_opponents_are_imputed_by_fide_rating_or_age():
    others = field([1200, 1300, 1400])
    people = [Player(name="Me"), Player(name="Boy", birth="1984"), Player(name="GM"), *others]
    met = ["Boy", "GM", *(p.name for p in others)]
    before = Ratings(
        system="given",
        rows=pl.DataFrame(
            {"player": ["GM"], "id": [None], "rating": [None], "fide": [2500.0]},
            schema={"player": pl.String, "id": pl.String, "rating": pl.Float64, "fide": pl.Float64},
        ),
        parameters={},
    )
    rated = Uscf1994().rate(pool(people, against("Me", 2.5, met)), before)
    by_hand = closed_form(2.5, [743, 2581, 1200, 1300, 1400]).rating
    assert row(rated, "Me")["rating"] == pytest.approx(by_hand)
    assert (row(rated, "Boy")["imputed"], row(rated, "Boy")["imputed_by"]) == (743.0, "age")
    assert (row(rated, "GM")["imputed"], row(rated, "GM")["imputed_by"]) == (2581.0, "FIDE rating")
    assert row(rated, "Boy")["status"] == "unrated"
    assert row(rated, "Boy")["rating"] is None


def test_a_list_of_fides_places_newcomers_and_rates_nobody():
    others = field([1200, 1300, 1400])
    people = [Player(name="GM"), Player(name="Me"), *others]
    rows = pl.DataFrame({"player": ["GM", "1200a"], "id": [None, None], "rating": [2500.0, 2000.0]})
    fide = Ratings(system="published", rows=rows, parameters={})
    games = pool(people, against("Me", 2, ["GM", *(p.name for p in others)]))
    rated = Uscf1994().rate(games, fide)
    assert row(rated, "GM")["imputed"] == 2581
    assert row(rated, "1200a")["before"] == 1200


def test_steps_see_the_new_ratings_of_the_steps_before():
    """New drew with Prov and beat Est; Prov lost to Est [1.3]."""
    help_ = field([1500, 1500])
    people = [
        Player(name="New", birth="1974"),
        Player(name="Prov", rating=1400.0, total_games=10),
        Player(name="Est", rating=1600.0),
        *help_,
    ]
    rows = [("New", "Prov", 0.5), ("New", "Est", 1), ("Est", "Prov", 1)]
    rows += [("New", p.name, 0) for p in help_]
    rated = Uscf1994().rate(pool(people, rows))
    new = closed_form(1.5, [1400, 1600, 1500, 1500]).rating  # from the ratings before the event
    assert row(rated, "New")["rating"] == pytest.approx(new)
    K = 600 / 11
    prov = 1400 + K * (0.5 - expectancy(1400 - new) - expectancy(1400 - 1600))
    assert row(rated, "Prov")["rating"] == pytest.approx(prov)
    est = 1600 + 32 * (1 - expectancy(1600 - new) - expectancy(1600 - prov))
    assert row(rated, "Est")["rating"] == pytest.approx(est)


def test_fewer_than_four_games_wait_for_the_next_event():
    others = field([1200, 1300, 1400, 1500])
    names = [p.name for p in others]
    people = [Player(name="Me", birth="1974"), *others]
    first = against("Me", 1.5, names[:3])
    rated = Uscf1994().rate(pool(people, first))
    me = row(rated, "Me")
    assert (me["rating"], me["status"], me["on_file"], me["total_games"]) == (None, "unrated", 3, 3)
    assert on_file(me["carried"]) == [(1200, 1), (1300, 0.5), (1400, 0)]
    # Opponents are rated against the twenty-year-old's 1109 all the same.
    change = 32 * (0 - expectancy(1200 - 1109))
    assert row(rated, names[0])["change"] == pytest.approx(change)
    both = Uscf1994().rate(pool(people, first, [("Me", names[3], 0)]))
    by_hand = closed_form(1.5, [1200, 1300, 1400, 1500]).rating
    assert row(both, "Me")["rating"] == pytest.approx(by_hand)
    assert row(both, "Me")["total_games"] == 4
    assert row(both, "Me")["status"] == "provisional"
    assert row(both, "Me")["carried"] is None


def test_all_losses_are_rated_together_until_the_streak_breaks():
    first, second = field([1200, 1250, 1300, 1350]), field([1400, 1450, 1500, 1550, 1600])
    people = [Player(name="Me"), *first, *second]
    zero = against("Me", 0, [p.name for p in first])
    once = Uscf1994().rate(pool(people, zero))
    nominal = closed_form(0, [1200, 1250, 1300, 1350]).rating
    me = row(once, "Me")
    assert me["rating"] == pytest.approx(nominal)
    assert (me["status"], me["on_file"]) == ("provisional", 4)
    # opponents are updated with the nominal rating
    change = 32 * (1 - expectancy(1200 - nominal))
    assert row(once, first[0].name)["change"] == pytest.approx(change)
    again = against("Me", 1.5, [p.name for p in second])
    both = Uscf1994().rate(pool(people, zero, again))
    by_hand = closed_form(1.5, [1200, 1250, 1300, 1350, 1400, 1450, 1500, 1550, 1600]).rating
    me = row(both, "Me")
    assert me["rating"] == pytest.approx(by_hand)
    assert (me["total_games"], me["on_file"], me["carried"]) == (9, None, None)
    # an established opponent of the second event sees the new rating
    change = 32 * (0 - expectancy(1400 - by_hand))
    assert row(both, second[0].name)["change"] == pytest.approx(change)


def test_a_nominal_rating_serves_unrated_and_provisional_opponents():
    first = field([1200, 1250, 1300, 1350])
    people = [Player(name="Me"), Player(name="Prov", rating=1000.0, total_games=8), *first]
    zero = against("Me", 0, [p.name for p in first])
    both = Uscf1994().rate(pool(people, zero, [("Me", "Prov", 1)]))
    nominal = closed_form(0, [1200, 1250, 1300, 1350]).rating
    change = 600 / 8 * (0 - expectancy(1000 - nominal))
    assert row(both, "Prov")["change"] == pytest.approx(change)


def test_who_only_loses_over_ten_events():
    others = field([1200] * 4)
    people = [Player(name="Me"), *others]
    events = [against("Me", 0, [p.name for p in others])] * 10
    rated = Uscf1994().rate(pool(people, *events))
    me = row(rated, "Me")
    assert (me["total_games"], me["on_file"], me["status"]) == (40, 40, "provisional")
    assert me["k"] is None
    assert 500 < me["rating"] < 700  # 588 against a constant 1200; the opponents gain a little each time
    assert all(row(rated, p.name)["change"] > 0 for p in others)
    # one draw, and the streak is over: forty-one games make an established rating
    over = Uscf1994().rate(pool(people, *events, [("Me", others[0].name, 0.5)]))
    assert (row(over, "Me")["status"], row(over, "Me")["total_games"]) == ("established", 41)
    assert row(over, "Me")["carried"] is None


def test_an_event_of_unrated_players_only():
    people = [Player(name=f"P{i}", birth=str(1940 + 10 * i)) for i in range(5)]
    rows = [(a.name, b.name, 0.5) for i, a in enumerate(people) for b in people[:i]]
    rated = Uscf1994().rate(pool(people, rows))
    assert rated.rows["status"].to_list() == ["provisional"] * 5
    assert rated.source["notes"] == []
    unknown = Uscf1994().rate(pool([Player(name=p.name) for p in people], rows))
    assert unknown.rows["rating"].to_list() == pytest.approx([1000.0] * 5)
    assert "5 players without rating, FIDE rating or age, counted as 1000" in unknown.source["notes"][0]


def test_an_event_reported_twice_is_rated_once():
    others = field([1200, 1300])
    event = [(others[0].name, others[1].name, 1.0)] * 3
    games = pool(others, event, event)
    same_day = Games(
        games.table.with_columns(pl.lit(dt.date(1994, 1, 1)).alias("date")), games.players, games.events
    )
    once, twice = (
        Uscf1994(repeated=how).rate(same_day)
        for how in ("skip", "rate")  # type: ignore[arg-type]
    )
    assert once.rows["games"].to_list() == [3, 3]
    assert once.source["notes"] == ["Open 2 has the same games (3) as Open 1, reported twice: rated once"]
    assert twice.rows["games"].to_list() == [6, 6]
    assert Uscf1994().rate(games).rows["games"].to_list() == [6, 6]  # on another day it is another event


def test_the_alternatives_1_5_3_and_1_5_4():
    first, second = field([1200, 1250, 1300, 1350]), field([1400, 1450])
    people = [Player(name="Me"), *first, *second]
    for score in (0, 0.5, 1, 1.5, 2):
        games = pool(
            people, against("Me", 2, [p.name for p in first]), against("Me", score, [p.name for p in second])
        )
        plain, greater, whole = (
            row(Uscf1994(provisional=how).rate(games), "Me")  # type: ignore[arg-type]
            for how in ("k", "greater", "performance")
        )
        by_hand = closed_form(2 + score, [1200, 1250, 1300, 1350, 1400, 1450]).rating
        assert whole["rating"] == pytest.approx(by_hand)
        assert greater["rating"] == pytest.approx(max(by_hand, plain["rating"]))
        assert whole["on_file"] == 6
        assert plain["on_file"] is None


def test_performance_alone_ends_at_twenty_games():
    first, second, third = field([1200] * 12), field([1300] * 9), field([1300])
    people = [Player(name="Me"), *first, *second, *third]
    events = [against("Me", 6, [p.name for p in first]), against("Me", 4.5, [p.name for p in second])]
    rules = Uscf1994(provisional="performance")
    me = row(rules.rate(pool(people, *events)), "Me")
    by_hand = closed_form(10.5, [1200] * 12 + [1300] * 9).rating
    assert me["rating"] == pytest.approx(by_hand)  # the event that passes twenty is still in it
    assert (me["status"], me["on_file"]) == ("established", None)
    after = row(rules.rate(pool(people, *events, [("Me", third[0].name, 1)])), "Me")
    assert after["k"] == 32


def test_a_provisional_rating_of_unknown_games_stands_for_draws():
    others = field([1400, 1500])
    people = [Player(name="Me", rating=1300.0, total_games=6), *others]
    games = pool(people, against("Me", 1.5, [p.name for p in others]))
    me = row(Uscf1994(provisional="performance").rate(games), "Me")
    assert me["rating"] == pytest.approx(closed_form(4.5, [1300] * 6 + [1400, 1500]).rating)


def test_a_rating_on_three_games_is_none():
    others = field([1200, 1300])
    people = [Player(name="Me", rating=900.0, total_games=3), *others]
    rated = Uscf1994().rate(pool(people, against("Me", 1, [p.name for p in others])))
    by_hand = closed_form(1.5 + 1, [900] * 3 + [1200, 1300]).rating
    assert row(rated, "Me")["rating"] == pytest.approx(by_hand)
    assert (row(rated, "Me")["imputed"], row(rated, "Me")["imputed_by"]) == (900, "rating on few games")


def test_floors_are_an_option():
    games = example("1", 0)
    assert row(Uscf1994(floor=300).rate(games), "Me")["rating"] == 300
    for wrong in ({"floor": math.inf}, {"start": math.nan}, {"provisional": "x"}, {"repeated": "x"}):
        with pytest.raises(UsageError, match="expected"):
            system("uscf1994", **wrong)


def test_every_part_is_told_line_by_line():
    lines = Uscf1994().lines(example("3", 2))
    mine = next(x for x in lines if x.player == 0)
    assert (mine.rule, mine.games, mine.score) == ("provisional", 5, 2)
    assert mine.k == pytest.approx(600 / 14)
    assert mine.before.total == 10
    assert mine.after.total == 15


def test_the_spread_follows_the_formula():
    """σ² = (1 − K Σpq / k)² σ_o² + K² Σpq; simulated, it is what it says."""
    import random

    seeded = random.Random(94)
    opponents = [1400.0, 1500.0, 1650.0]
    truth, found = 1500.0, []
    for _ in range(4000):
        met = tuple((r, float(seeded.random() < expectancy(truth - r))) for r in opponents)
        found.append(by_k(seeded.gauss(truth, 60), 32.0, met)[0])
    mean = math.fsum(found) / len(found)
    spread = math.sqrt(math.fsum((x - mean) ** 2 for x in found) / len(found))
    promised = math.sqrt(by_k(truth, 32.0, tuple((r, 0.5) for r in opponents), 60.0**2)[2])
    assert spread == pytest.approx(promised, rel=0.05)


scores = st.sampled_from([0.0, 0.5, 1.0])


@st.composite
def seasons(draw):
    n = draw(st.integers(2, 6))
    people = []
    for i in range(n):
        kind = draw(st.sampled_from(["unrated", "provisional", "established"]))
        rating = None if kind == "unrated" else float(draw(st.integers(900, 2300)))
        total = draw(st.integers(1, 20)) if kind == "provisional" else None
        birth = draw(st.sampled_from([None, "1984", "1950"]))
        people.append(Player(name=f"P{i}", rating=rating, total_games=total, birth=birth))
    pair = st.tuples(st.integers(0, n - 1), st.integers(0, n - 1), scores)
    events = draw(st.lists(st.lists(pair, min_size=1, max_size=8), min_size=2, max_size=4))
    return people, [
        [(f"P{a}", f"P{b}", s) for a, b, s in event if a != b] or [("P0", "P1", 0.5)] for event in events
    ]


@pytest.mark.parametrize("options", [{}, {"provisional": "greater"}, {"provisional": "performance"}])
@given(season=seasons(), cut=st.integers(1, 3))
def test_a_list_carries_the_state_on(options, season, cut):
    """Rate all events at once, or in two parts with the list between them: it is the same."""
    people, events = season
    cut = min(cut, len(events) - 1)
    rules = Uscf1994(**options)
    whole = rules.rate(pool(people, *events))
    played = {name for event in events[:cut] for white, black, _ in event for name in (white, black)}
    half = rules.rate(pool(people, *events[:cut]))
    rest = rules.rate(pool(people, *events[cut:], first=cut), half)
    assert played == set(half.rows["player"])
    again = dict(rest.rows.select("player", "rating").iter_rows())
    totals = dict(rest.rows.select("player", "total_games").iter_rows())
    for player, rating, total, status, error in whole.rows.select(
        "player", "rating", "total_games", "status", "error"
    ).iter_rows():
        if player in again:
            assert again[player] == pytest.approx(rating, abs=1e-4)
            assert totals[player] == total
            assert row(rest, player)["status"] == status
            assert row(rest, player)["error"] == pytest.approx(error, abs=1e-4)


@given(season=seasons())
def test_established_players_alone_keep_their_points(season):
    """With one K for everybody nothing is lost or won in all."""
    people, events = season
    sure = [Player(name=p.name, rating=1500.0 + i) for i, p in enumerate(people)]
    rated = Uscf1994().rate(pool(sure, events[0]))
    assert rated.rows["change"].sum() == pytest.approx(0, abs=1e-6)


def on_file(text):
    """Return the games on file that a list has: the opponent's rating and the score."""
    return [(game["rating"], game["score"]) for game in json.loads(text)["games_on_file"]]


def test_games_on_file_as_older_versions_wrote_them():
    def read(*texts):
        return decoded("uscf1994", pl.Series(texts, dtype=pl.String), len(texts), MEMORY)[0].to_list()

    saved = [
        {"rating": 1200.0, "score": 0.5},
        {"rating": -69.25, "score": 0.0},
        {"rating": 1043.2718, "score": 1.0},
    ]
    assert read("1200=0.5 -69.25=0 1043.2718=1", None) == [saved, None]
    again = pl.DataFrame([pl.Series("games_on_file", [saved], dtype=MEMORY["games_on_file"])]).select(
        encoded(MEMORY)
    )
    assert read(*again["carried"]) == [saved]
    for wrong in ("1200", "x=1", "1200=2", "1200=0.5;1300=1", "1.2.3=1", "inf=1", '{"games_on_file": 3}'):
        with pytest.raises(InputError, match="in the column carried"):
            read(wrong)


def test_lists_are_written_and_read_back(run, write, tmp_path):
    table = "white,black,score,date,event,white_rating,black_rating\n"
    first = write(
        table
        + "New,A,0,1994-01-01,One,,700\nNew,B,0,1994-01-01,One,,650\n"
        + "New,C,0,1994-01-01,One,,600\nNew,D,0,1994-01-01,One,,610\nTwo,A,1,1994-01-01,One,,700\n",
        "one.csv",
    )
    second = write(table + "New,A,0.5,1994-02-01,Two,,\nTwo,B,1,1994-02-01,Two,,\n", "two.csv")
    for ending in ("csv", "json"):
        listed = tmp_path / f"list.{ending}"
        assert run("rate", first, "--system", "uscf1994", "-o", listed).code == 0
        done = run(
            "rate", second, "--system", "uscf1994", "--before", listed, "--whole-list", "--format", "json"
        )  # fmt: skip
        assert done.code == 0
        now = {each["player"]: each for each in json.loads(done.out)["ratings"]}
        whole = json.loads(run("rate", first, second, "--system", "uscf1994", "--format", "json").out)
        for each in whole["ratings"]:
            assert now[each["player"]]["rating"] == pytest.approx(each["rating"], abs=1e-4)
            assert now[each["player"]]["carried"] == each["carried"]
        assert now["New"]["total_games"] == 5
        assert now["Two"]["on_file"] == 2
        assert now["C"]["games"] == 0


def test_nobody_has_four_games_yet(run, write, tmp_path):
    path = write("white,black,score,event\nA,B,1,One\nB,C,0,One\n", "club.csv")
    listed = tmp_path / "list.csv"
    done = run("rate", path, "--system", "uscf1994", "-o", listed)
    assert done.code == 0
    assert "3 unrated with fewer than four games" in done.err
    assert read_list(listed).rows["carried"].n_unique() == 2
    assert run("rate", path, "--system", "uscf1994", "--before", listed).code == 0


def test_a_list_with_a_bad_column_is_refused(run, write):
    path = write("white,black,score\nA,B,1\n", "games.csv")
    listed = write("player,rating,carried\nA,,nonsense\n", "list.csv")
    done = run("rate", path, "--system", "uscf1994", "--before", listed)
    assert done.code == 2
    assert "in the column carried" in done.err


def test_bad_input_is_told_beside_the_list(run, write):
    games = write(
        "white,black,score,date,event,white_birth\n"
        "Kid,Old,0,1994-03-01,E,1990\nBaby,Old,0,1994-03-01,E,1994\nMoses,Old,1,1994-03-01,E,1864\n"
        "Kid,Baby,1,1994-03-01,E,1990\nKid,Moses,1,1994-03-01,E,1990\nKid,GM,0,1994-03-01,E,1990\n",
        "ages.csv",
    )
    listed = write("player,rating,fide\nGM,,900\n", "list.csv")
    done = run("rate", games, "--system", "uscf1994", "--before", listed, "--format", "json")
    assert done.code == 0
    assert "Baby: born 1994, 0 years old at the event, which is not believed" in done.err
    assert "Moses: born 1864, 130 years old" in done.err
    assert "4 of 5 players are not in" in done.err
    answer = json.loads(done.out)
    assert len(answer["notes"]) == 3
    who = {each["player"]: each["imputed"] for each in answer["ratings"]}
    assert who == {"Kid": 543, "Old": 1000, "Baby": 1000, "Moses": 1000, "GM": 915}


def test_a_file_given_twice_is_rated_once(run, write):
    path = write("white,black,score,event,white_rating,black_rating\nA,B,1,E,1500,1500\n", "a.csv")
    done = run("rate", path, path, "--system", "uscf1994", "--format", "json")
    assert "E has the same games (1) as E, reported twice: rated once" in done.err
    assert json.loads(done.out)["ratings"][0]["change"] == 16


@pytest.mark.data
def test_the_real_crosstable_beside_the_published_ratings(data):
    """The figures of docs/methods/uscf1994.md."""
    from arpad.read import read

    path = data / "uscf" / "crosstable_anon.csv"
    published = pl.read_csv(path).select(
        pl.format("Player {}", "pair").alias("player"), "pre", "pre_prov_games", "post"
    )
    games = read(path).games
    assert games.players["total_games"].drop_nulls().sort().to_list() == [
        3, 5, 6, 11, 12, 12, 13, 17, 22, 23,
    ]  # fmt: skip
    both = published.join(Uscf1994().rate(games).rows, on="player").with_columns(
        (pl.col("rating") - pl.col("post")).alias("gap")
    )
    sure = both.filter(pl.col("pre_prov_games").is_null() | (pl.col("pre_prov_games") > 20))
    few = both.filter(pl.col("pre_prov_games") <= 20)
    assert (sure.height, few.height) == (56, 8)
    assert sure["gap"].abs().mean() == pytest.approx(14.2, abs=0.05)
    assert few["gap"].abs().mean() == pytest.approx(32.3, abs=0.05)
    assert both["gap"].mean() == pytest.approx(-9.8, abs=0.05)
    by_player = {each["player"]: each for each in both.to_dicts()}
    assert round(by_player["Player 46"]["rating"]) == 1084
    assert round(by_player["Player 29"]["k"], 1) == 54.5
    assert by_player["Player 8"]["k"] == 32
    assert by_player["Player 21"]["status"] == "established"


def test_a_list_with_games_on_file_and_a_wrong_total():
    """`total_games` below the number of games carried: the games themselves count."""
    people = [Player(name="Me"), *field([1200, 1300, 1400, 1500])]
    rows = pl.DataFrame(
        {"player": ["Me"], "id": [None], "rating": [1500.0], "total_games": [0], "carried": ["1200=1"]},
        schema_overrides={"id": pl.String},
    )  # fmt: skip
    before = Ratings(system="uscf1994", rows=rows, parameters={})
    games = pool(people, against("Me", 2, [p.name for p in people[1:]]))
    found = row(Uscf1994().rate(games, before), "Me")
    assert found["rating"] == pytest.approx(closed_form(3, [1200, 1200, 1300, 1400, 1500]).rating)
    assert found["total_games"] == 5


@pytest.mark.parametrize("wrong", [{"start": 1e308}, {"floor": -1e200}, {"start": math.nan}])
def test_constants_beyond_all_ratings(wrong):
    with pytest.raises(UsageError, match="finite start and floor"):
        Uscf1994(**wrong)


def test_a_few_equal_results_without_dates_are_no_repeat():
    """Somebody who loses to the same four in ten undated events has lost forty games."""
    rows = [(e, 0, b, 0.0) for e in range(10) for b in range(1, 5)]
    columns = {
        "event": [r[0] for r in rows], "white": [r[1] for r in rows], "black": [r[2] for r in rows], "score": [r[3] for r in rows],
    }  # fmt: skip
    people = [Player(name=f"P{i}", rating=1500.0 if i else None) for i in range(5)]
    games = Games.assemble(columns, people, [Event(name=f"Night {e}") for e in range(10)])
    rated = Uscf1994().rate(games)
    assert dict(rated.rows.select("player", "games").iter_rows())["P0"] == 40


def test_ratings_of_the_young_grow_between_events():
    """Two years from 10 to 12 are 79 points of table 2 (743 to 822) [5.2]; 2200 and adults stay."""
    people = [
        Player(name="Boy", rating=700.0, birth="1984-01-01", total_games=30),
        Player(name="Star", rating=1471.5, birth="1984-01-01", total_games=30),
        Player(name="Adult", rating=700.0, birth="1950-01-01", total_games=30),
        *field([900, 900]),
    ]
    columns = {
        "white": [0, 1, 2] * 2,
        "black": [3, 4, 3] * 2,
        "score": [0.5] * 6,
        "event": [0] * 3 + [1] * 3,
        "date": [dt.date(1994, 1, 1)] * 3 + [dt.date(1996, 1, 1)] * 3,
    }
    games = Games.assemble(columns, people, [Event(name="A"), Event(name="B")])
    second = {
        (ageing, x.player): x for ageing in (False, True) for x in Uscf1994(ageing=ageing).lines(games)[-5:]
    }
    grown = [second[True, p].before.rating - second[False, p].before.rating for p in range(3)]
    star = second[False, 1].before.rating
    assert grown == pytest.approx([79.0, 79.0 * (2200 - star) / (2200 - 743), 0.0], abs=0.1)
    system_ = Uscf1994(ageing=True)
    told, steps = workings(system_, games)
    sums = dict(steps.steps.group_by("player").agg(pl.col("change").sum()).iter_rows())
    assert sums[0] == pytest.approx(row(told, "Boy")["rating"])
    assert sum("as table 2 grows" in rule for rule in steps.steps["rule"]) == 2
    parts = [Games(games.table.filter(pl.col("event") == e), games.players, games.events) for e in (0, 1)]
    chain = system_.rate(parts[1], system_.rate(parts[0]))
    assert row(chain, "Boy")["rating"] == pytest.approx(row(told, "Boy")["rating"])


@pytest.mark.parametrize("name", ["uscf1993", "uscf1994"])
def test_players_whose_only_game_is_a_forfeit_are_not_rated(run, write, name):
    games = write("white,black,result\nAnn,Bob,1-0\nCid,Dan,+:-\n", "games.csv")
    result = run("rate", games, "--system", name, "--format", "json")
    assert (result.code, [row["player"] for row in json.loads(result.out)["ratings"]]) == (0, ["Ann", "Bob"])
