"""FIDE's months one by one, each from the list before, are the months in one call; and every step."""

from __future__ import annotations

import datetime as dt
import json

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arpad.errors import InputError
from arpad.model import Event, Games, Player, Ratings
from arpad.rate import Fide
from arpad.rate.fide.rules import RULES, by_list
from arpad.rate.system import workings

FIRST = dt.date(2023, 1, 1)


@st.composite
def seasons(draw):
    """Events of up to 31 days over 16 months; some players come unrated, some are young."""
    n = draw(st.integers(3, 9))
    people = [
        Player(
            name=f"P{i}",
            id=str(i),
            rating=draw(st.sampled_from([None, 1401.0, 1650.0, 2295.0, 2398.0, 2660.0])),
            birth=draw(st.sampled_from([None, "1980", "2006", "2012"])),
        )
        for i in range(n)
    ]
    rows = []
    for event in range(draw(st.integers(1, 9))):
        start = FIRST + dt.timedelta(days=draw(st.integers(0, 480)))
        days = draw(st.integers(0, 31))
        alone = draw(st.booleans())
        for _ in range(draw(st.integers(1, 12))):
            a, b = draw(st.integers(0, n - 1)), draw(st.integers(0, n - 2))
            day = start + dt.timedelta(days=draw(st.integers(0, days)))
            score = draw(st.sampled_from([0.0, 0.5, 1.0]))
            rows.append((a, b + (b >= a), score, day, None if alone else event))
    names = ("white", "black", "score", "date", "event")
    columns = {name: [row[i] for row in rows] for i, name in enumerate(names)}
    return Games.assemble(columns, people)


def month_by_month(games: Games, rate):
    """Rate each month from the list before; a player's row is the one of the last month with a row."""
    last = pl.col("date").max()
    whole = pl.when(pl.col("event").is_null()).then("date").otherwise(last.over("event"))
    month = games.table.select(whole.dt.truncate("1mo")).to_series()
    known: dict[str, dict] = {}
    for each in month.unique().sort():
        part = games.keep(month == each)
        before = Ratings(
            system="fide", rows=pl.DataFrame(list(known.values()), infer_schema_length=None), parameters={}
        )
        found = rate(part, before if known else None)
        known |= {row["id"]: row for row in found.rows.iter_rows(named=True)}
    return known


KEPT = ("rating", "total_games", "carried")


@settings(max_examples=60)
@given(games=seasons(), rules=st.sampled_from(sorted(RULES)), established=st.booleans())
def test_month_by_month_is_all_at_once(games, rules, established):
    fide = Fide(rules=RULES[rules], established=established)
    chained = month_by_month(games, fide.rate)
    once = {row["id"]: row for row in fide.rate(games).rows.iter_rows(named=True)}
    assert chained.keys() == once.keys()
    for who, row in once.items():
        assert chained[who]["rating"] == row["rating"]
        assert chained[who]["total_games"] == row["total_games"]
    # Whatever comes next finds the same state.
    final = Games.assemble(
        games.table.with_columns(
            pl.lit(dt.date(2024, 6, 15)).alias("date"), pl.lit(None).cast(pl.Int32).alias("event")
        ).to_dict(),
        games.players.to_dict(),
    )
    lists = [
        Ratings(
            system="fide", rows=pl.DataFrame(list(rows.values()), infer_schema_length=None), parameters={}
        )
        for rows in (chained, once)
    ]
    mine = ("player", "rating", "k", "games", "total_games")
    assert fide.rate(final, lists[0]).rows.select(mine).equals(fide.rate(final, lists[1]).rows.select(mine))


@settings(max_examples=40)
@given(games=seasons(), rules=st.sampled_from(sorted(RULES)))
def test_steps_month_by_month_add_up_exactly(games, rules):
    fide = Fide(rules=RULES[rules])

    def rate(part, before):
        ratings, shown = workings(fide, part, before)
        old = {} if before is None else dict(before.rows.select("id", "rating").iter_rows())
        for row in ratings.rows.iter_rows(named=True):
            who = part.players["id"].to_list().index(row["id"])
            now = old.get(row["id"]) or 0.0
            for step in shown.of(who).iter_rows(named=True):
                if step["k"] is not None:
                    assert step["change"] == pytest.approx(step["k"] * (step["score"] - step["expected"]))
                now += step["change"]
            assert now == (row["rating"] or 0.0)
        return ratings

    month_by_month(games, rate)


def one(people, games, before=None, rules="2025-10"):
    columns = {
        name: [g[i] for g in games] for i, name in enumerate(("white", "black", "score", "date", "event"))
    }
    table = Games.assemble(columns, people, [Event(name="First"), Event(name="Second")])
    return table, *workings(Fide(rules=RULES[rules]), table, before)


def test_every_step_of_a_month_is_told_with_its_article():
    people = [
        Player(name="Ann", rating=2390.0),
        Player(name="Bob", rating=2800.0),
        Player(name="Cay", rating=2000.0, birth="2012"),
        Player(name="Dan"),
    ]
    day = dt.date(2026, 1, 5)
    table, _, shown = one(
        people, [(0, 1, 0.5, day, 0), (0, 2, 1.0, day, 0), (0, 3, 1.0, day, 0), (1, 2, 1.0, day, 0)]
    )
    assert shown.of(0).select("score", "expected", "k", "change").rows() == [
        (None, None, None, 2390.0),
        (0.5, pytest.approx(0.08), 20.0, pytest.approx(8.4)),
        (1.0, pytest.approx(0.91), 20.0, pytest.approx(1.8)),
        (1.0, None, None, 0.0),
        (None, None, None, pytest.approx(-0.2)),
    ]  # fmt: skip
    rules = shown.of(0)["rule"].to_list()
    assert rules == [
        "the rating that the source gives",
        "K 20: never 2400 on a list [8.3.3]; table [8.1.2]; difference counted as 400 [8.3.1]; list of 2026-01",
        "K 20: never 2400 on a list [8.3.3]; table [8.1.2]; list of 2026-01",
        "the opponent is unrated: not counted [8.2, 8.3.1]",
        "rounding: the sum of the month to a whole number, halves away from zero [8.3.4]",
    ]
    assert "K 40: up to 18 years and below 2300 [8.3.3]" in shown.of(2)["rule"][1]
    bob = shown.of(1)["rule"].to_list()
    assert "K 10: a list had 2400 [8.3.3]" in bob[1]
    assert "counted as" not in bob[2]  # 800 points, but 2650 and more are not capped
    assert shown.table(table)["opponent"].to_list()[:3] == [None, "Bob", "Cay"]


def test_many_games_floor_and_first_rating_are_told():
    people = [
        Player(name="Ann", rating=2000.0),
        Player(name="Bob", rating=1402.0),
        Player(name="New"),
        Player(name="Eve", rating=1800.0),
    ]
    day = dt.date(2026, 1, 5)
    games = [(0, 1, 1.0, day, 0)] * 36 + [(2, 3, 0.5, day, 1)] * 5
    _, ratings, shown = one(people, games)
    assert "K 19: 20 × 36 games exceed 700 [8.3.3]" in shown.of(0)["rule"][1]
    assert shown.of(1)["rule"][-1] == "below 1400: unrated [7.2.1]"
    assert shown.of(1)["change"].sum() == pytest.approx(0)
    new = shown.of(2)
    assert new["rule"][0] == "unrated: counts towards the 5 games in 26 months of a first rating [7.1.4]"
    assert (
        new["rule"][-1]
        == "first rating: 2.5 points from 5 games and 2 draws with 1800, R_a 1800.0 + d_p +0 [8.2.2]"
    )
    assert new["change"].to_list() == [0.0] * 5 + [1800.0]
    assert ratings.rows.filter(player="Bob")["rating"].to_list() == [None]


def test_a_zero_in_the_first_event_is_told():
    people = [Player(name="New"), Player(name="Eve", rating=1800.0)]
    games = [(0, 1, 0.0, dt.date(2026, 1, 5), 0)] * 2 + [(0, 1, 0.5, dt.date(2026, 1, 9), 1)] * 5
    _, _, shown = one(people, games)
    assert shown.of(0)["rule"][-1].endswith(", 2 of a first event without a point disregarded [8.2.1]")


def test_games_reported_after_their_list_go_into_the_next_one():
    people = [Player(name="Ann", id="1", rating=2000.0), Player(name="Bob", id="2", rating=2000.0)]
    _, february, _ = one(people, [(0, 1, 1.0, dt.date(2026, 2, 5), 0)])
    assert february.rows["rating"].to_list() == [2010.0, 1990.0]
    # Played in January, reported now: rated from January's list, 2000 each, not from 2010 and 1990.
    _, late, shown = one(people, [(0, 1, 1.0, dt.date(2026, 1, 5), 0)], february)
    assert shown.of(0)["rating"].to_list() == [2000.0]
    assert late.rows["rating"].to_list() == [2020.0, 1980.0]


def test_a_rating_put_right_by_hand_holds():
    people = [Player(name="Ann", id="1", rating=2000.0), Player(name="Bob", id="2", rating=2000.0)]
    _, list_, _ = one(people, [(0, 1, 1.0, dt.date(2026, 2, 5), 0)])
    rows = list_.rows.with_columns(
        pl.when(pl.col("id") == "1").then(2410.0).otherwise("rating").alias("rating")
    )
    _, _after, shown = one(
        people, [(0, 1, 0.5, dt.date(2026, 3, 5), 0)], Ratings(system="fide", rows=rows, parameters={})
    )
    assert shown.of(0)["rating"].to_list()[0] == 2410.0
    assert "a list had 2400" in shown.of(0)["rule"][0]


def test_a_carried_text_of_another_system_is_refused():
    people = [Player(name="Ann", id="1", rating=2000.0), Player(name="Bob", id="2", rating=2000.0)]
    rows = pl.DataFrame({"player": ["Ann"], "id": ["1"], "rating": [2000.0], "carried": ["1200=0.5"]})
    with pytest.raises(InputError, match="column carried"):
        one(people, [(0, 1, 1.0, dt.date(2026, 2, 5), 0)], Ratings(system="fide", rows=rows, parameters={}))


def test_who_is_rated_since_an_event_began_is_rated_with_that_rating():
    people = [Player(name="New", id="1"), Player(name="Eve", id="2", rating=1800.0)]
    march = [(0, 1, 0.5, dt.date(2026, 3, 5), 0)] * 5
    over = [(0, 1, 1.0, dt.date(2026, 3, 28), 1), (0, 1, 1.0, dt.date(2026, 4, 3), 1)]
    _, ratings, shown = one(people, [*march, *over])
    mine = shown.of(0)
    assert mine["change"].to_list()[5] == 1800.0  # March
    assert mine["rating"].to_list()[6:8] == [1800.0, 1800.0]
    assert mine["rule"][6].endswith("unrated there, but rated since [8.2.4]")
    assert mine["rule"][6].startswith("K 40: fewer than 30 games")
    assert ratings.rows.filter(player="New")["rating"].to_list() == [1840.0]
    # Eve's games in that event are against somebody unrated.
    assert ratings.rows.filter(player="Eve")["rating"].to_list() == [1800.0]


def test_who_has_fallen_below_the_floor_since_an_event_began_is_unrated():
    people = [Player(name="Low", id="1", rating=1401.0), Player(name="Eve", id="2", rating=1401.0)]
    march = [(0, 1, 0.0, dt.date(2026, 3, 5), 0)] * 5
    over = [(0, 1, 0.5, dt.date(2026, 3, 28), 1), (0, 1, 0.5, dt.date(2026, 4, 3), 1)]
    _, ratings, shown = one(people, [*march, *over])
    assert shown.of(0)["rule"][-1].startswith("unrated: counts towards")
    row = ratings.rows.filter(player="Low").row(0, named=True)
    assert row["rating"] is None
    game = {"month": 2026 * 12 + 4, "opponent_rating": 1401.0, "score": 0.5, "event": 0}
    assert json.loads(row["carried"])["waiting"] == [game, game]


def test_play_without_dates_goes_on_from_the_list_before():
    """The same event three times, each from the list before: every change counts."""
    people = [Player(name=n, id=n, rating=r) for n, r in (("Ann", 2000.0), ("Bob", 1900.0), ("Cy", 1800.0))]  # fmt: skip
    columns = {"white": [0, 1, 2], "black": [1, 2, 0], "score": [1.0, 0.5, 0.0], "event": [0, 0, 0]}
    games = Games.assemble(columns, {f: [getattr(p, f) for p in people] for f in ("name", "id", "rating")}, [Event(name="Cup")])  # fmt: skip
    listed, seen = None, []
    for _ in range(3):
        listed = Fide().rate(games, listed)
        seen.append(listed.rows.row(by_predicate=pl.col("player") == "Ann", named=True))
    assert [row["before"] for row in seen[1:]] == [row["rating"] for row in seen[:-1]]
    assert seen[0]["rating"] < seen[1]["rating"] < seen[2]["rating"]


def test_a_game_without_a_date_is_of_its_event():
    """Behind an event of 2024 one of January 2026 whose first game has no date: it is all of January 2026."""
    played = pl.DataFrame(
        {
            "event": [0, 1, 1, 1, None],
            "date": [dt.date(2024, 6, 1), None, dt.date(2026, 1, 5), dt.date(2026, 1, 6), None],
        },
        schema={"event": pl.Int32, "date": pl.Date},
    )
    found = by_list(played)
    assert found["list"].to_list() == found["close"].to_list() == [2024 * 12 + 6, *[2026 * 12 + 1] * 4]
