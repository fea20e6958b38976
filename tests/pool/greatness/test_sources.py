from __future__ import annotations

from datetime import date

import numpy as np
import polars as pl
import pytest

from arpad.errors import InputError, UsageError
from arpad.model import Ratings
from arpad.pool.greatness.assessment import AppRules
from arpad.pool.greatness.groups import group_events
from arpad.pool.greatness.ratings import (
    EventQuery,
    HistoryRatings,
    ListedRatings,
    PublishedRatings,
    RankedNumberTwo,
    WalkedRatings,
    choose,
    second,
    yearly_ratings,
)
from arpad.pool.history import HistorySystem
from arpad.rate.registry import system
from tests.pool.greatness.events import Database, history
from tests.pool.lives import world

NAMES = ("A", "B", "C", "D")


def sides(*rows):
    schema = {"person": pl.Int64, "year": pl.Int32, "day": pl.Date, "rating": pl.Float64}
    return pl.DataFrame(rows, schema=schema, orient="row")


def many(person, year, rating, day=None, n=5):
    return [(person, year, day, rating)] * n


def test_second():
    assert second({}) is None
    assert second({1: 2700.0}) is None
    assert second({4: 2700.0, 2: 2700.0}) == (4, 2700.0)


def test_number_two_of_a_year_is_the_second_highest_median_of_the_active():
    source = PublishedRatings(
        sides(
            *many(0, 1972, 2785.0), *many(1, 1972, 2660.0), *many(2, 1972, 2640.0),
            *many(3, 1972, 2900.0, n=4),  # too few games: a slip
            (1, 1972, None, 2960.0),  # a slip, too: the median does not mind
        ),
        NAMES,
    )  # fmt: skip
    assert source.number_two(EventQuery(people=[0], year=1972, start=None)) == RankedNumberTwo(
        2660.0, "B", "file", among=3
    )
    # whoever plays counts with the rating he has there
    here = EventQuery(people=[0, 2], year=1972, start=None, beside={2: 2680.0})
    assert source.number_two(here) == RankedNumberTwo(2680.0, "C", "file", among=3)
    assert source.number_two(EventQuery(people=[0], year=1973, start=None)) is None
    assert source.ratings(here) == {2: 2680.0}
    assert source.errors(here) == {}


def test_where_days_are_known_the_nearest_rating_counts():
    spring, autumn = date(2009, 2, 1), date(2009, 11, 1)
    source = PublishedRatings(
        sides(
            *many(0, 2009, 2813.0, spring), *many(1, 2009, 2783.0, spring), *many(1, 2009, 2788.0, autumn),
            *many(2, 2009, 2770.0, spring), (1, 2009, date(2009, 9, 27), 2290.0),
        ),
        NAMES,
    )  # fmt: skip
    asked = {m: source.number_two(EventQuery(people=[], year=2009, start=date(2009, m, 28))) for m in (3, 9)}
    assert (asked[3].rating, asked[9].rating) == (2783.0, 2788.0)  # 2290 is a slip of the pen


def lists():
    rows = pl.DataFrame(
        {
            "player": ["A", "B", "X", "Y"],
            "id": [None] * 4,
            "rating": [2700.0, 2650.0, 2800.0, 2790.0],
            "flag": ["", "", "", "i"],
        },
        schema_overrides={"id": pl.String},
    )
    older = Ratings(system="list", rows=rows, parameters={})
    newer = Ratings(system="list", rows=rows.with_columns(pl.col("rating") + 5), parameters={})
    players = pl.DataFrame({"name": ["A", "B", "C"], "id": [None] * 3}, schema_overrides={"id": pl.String})
    return ListedRatings([(date(2004, 4, 1), newer), (date(2001, 7, 1), older)], players, np.array([0, 1, 2]))


def test_the_last_list_before_the_event_counts():
    source = lists()
    event = EventQuery(people=[0, 2], year=2002, start=date(2002, 3, 1))
    assert source.ratings(event) == {0: 2700.0}
    assert source.number_two(event) == RankedNumberTwo(2700.0, "A", "list", among=3)  # Y is inactive
    assert source.ratings(EventQuery(people=[1], year=2004, start=date(2004, 4, 1))) == {1: 2655.0}
    assert source.ratings(EventQuery(people=[1], year=2004, start=None)) == {
        1: 2655.0
    }  # the middle of the year
    for start in (date(2001, 6, 30), date(2003, 8, 1)):  # too early; and more than two years old
        assert source.ratings(EventQuery(people=[1], year=start.year, start=start)) == {}
        assert source.number_two(EventQuery(people=[1], year=start.year, start=start)) is None
    assert source.ratings(EventQuery(people=[1], year=None, start=None)) == {}


def test_two_lists_of_one_day_are_refused():
    nobody = Ratings(system="x", rows=pl.DataFrame({"player": [], "rating": []}), parameters={})
    with pytest.raises(UsageError, match="two of one day"):
        ListedRatings(
            [(date(2001, 1, 1), nobody)] * 2, pl.DataFrame({"name": [], "id": []}), np.array([], np.int64)
        )


def test_our_own_ratings_are_those_of_the_lifetime_curves():
    games, births, _ = world(7, people=30, games=60)
    study = HistorySystem(births=births).study(games)
    names = tuple(games.players["name"].to_list())
    source = HistoryRatings(lambda: yearly_ratings(study), names)
    name = study.table()["player"][0]
    life = study.lifetime(name)
    row = life.row(life.height // 2, named=True)
    person = names.index(name)
    event = EventQuery(people=[person, 10**6], year=row["year"], start=None)
    assert source.ratings(event) == {person: row["rating"]}
    assert 0 < source.errors(event)[person] <= row["error"]
    two = source.number_two(event)
    better = [n for n, p in ((n, study.lifetime(n)) for n in study.lives)
              if p.filter((pl.col("year") == row["year"]) & (pl.col("rating") > two.rating)).height]  # fmt: skip
    assert 1 <= len(better) <= 8  # those above it have too few games, but for one
    assert 2 <= two.among <= 30
    assert source.number_two(EventQuery(people=[], year=1700, start=None)) is None


def test_the_study_is_made_only_when_asked_and_its_failure_is_told_once():
    asked, said = [], []

    def study():
        asked.append(1)
        raise InputError("too few games")

    source = HistoryRatings(study, NAMES, said.append)
    assert not asked
    for _ in range(2):
        event = EventQuery(people=[0], year=1900, start=None)
        assert (source.ratings(event), source.errors(event), source.number_two(event)) == ({}, {}, None)
    assert len(asked) == 1
    assert said == ["no ratings of our own over time: too few games"]


def test_a_system_that_walks_knows_only_the_years_before():
    games = history()
    groups = group_events(games)
    walk = WalkedRatings(system("elo", given=False), games)
    assert walk.name == "elo"
    everybody = list(range(games.players.height))

    def at(year):
        return EventQuery(people=everybody, year=year, start=None)

    assert walk.ratings(at(1970)) == {}
    before = system("elo", given=False).rate(games.keep(games.table["date"].dt.year() < 1990))
    known = dict(before.rows.select("player", "rating").iter_rows())
    assert walk.ratings(at(1990)) == pytest.approx({p: known[groups.names[p]] for p in everybody})
    assert walk.number_two(at(1990)).rating == sorted(known.values())[-2]
    assert walk.number_two(at(1990)).among == len(everybody)
    assert walk.ratings(at(2050)) == {}


class Fixed:
    def __init__(self, name, ratings, two=2700.0, errors=None):
        self.name, self._ratings, self._errors = name, ratings, errors or {}
        self._two = RankedNumberTwo(two, "Z", name, 30.0)

    def ratings(self, event):
        return {p: r for p, r in self._ratings.items() if p in event.people}

    def errors(self, event):  # noqa: ARG002
        return self._errors

    def number_two(self, event):  # noqa: ARG002
        return self._two


def test_the_first_source_that_knows_enough_counts():
    field = list(range(8))
    event = EventQuery(people=field, year=1900, start=None)
    one = Fixed("one", dict.fromkeys(field[:3], 2500.0))
    two = Fixed("two", dict.fromkeys(field[:4], 2400.0), errors=dict.fromkeys(field[:4], 30.0))
    chosen = choose(event, [one, two], AppRules())
    assert (chosen.source, chosen.ratings) == ("two", dict.fromkeys(field[:4], 2400.0))
    assert chosen.error == pytest.approx((30**2 + 4 * 30**2 / 16) ** 0.5)
    assert choose(event, [one, two], AppRules(enough=0.3)).source == "one"
    # the one that knows most
    assert choose(event, [two, one], AppRules(enough=1.0)).source == "two"
    nothing = choose(event, [Fixed("none", {})], AppRules())
    assert (nothing.source, nothing.ratings, nothing.number_two) == (None, {}, None)


@pytest.mark.parametrize(
    ("players", "known", "first"), [(2, 1, "two"), (2, 2, "one"), (4, 2, "two"), (4, 3, "one")]
)
def test_a_source_is_not_enough_if_no_line_can_be_drawn(players, known, first):
    """One rating of a match is half of the field, but nothing can be done with it."""
    event = EventQuery(people=list(range(players)), year=1900, start=None)
    one = Fixed("one", dict.fromkeys(range(known), 2500.0))
    two = Fixed("two", dict.fromkeys(range(players), 2400.0))
    assert choose(event, [one, two], AppRules()).source == first


def test_two_ratings_of_one_day_are_taken_as_they_stand():
    day = date(2009, 2, 1)
    rows = [*many(0, 2009, 2800.0, day), *many(1, 2009, 2783.0, day), (1, 2009, day, 2790.0)]
    source = PublishedRatings(sides(*rows), NAMES)
    assert source.number_two(EventQuery(people=[], year=2009, start=day)).rating == 2790.0


def test_who_is_number_two():
    event = EventQuery(people=[0], year=1900, start=None)
    source = [Fixed("one", {0: 2500.0})]
    assert choose(event, source, AppRules()).number_two.rating == 2700.0
    own = EventQuery(people=[0], year=1900, start=None, number_two=2765.0)
    assert choose(own, source, AppRules()).number_two == RankedNumberTwo(2765.0, None, "event")
    by_year = AppRules(number_twos={1900: 2650.0})
    assert choose(own, source, by_year).number_two == RankedNumberTwo(2650.0, None, "given")
    assert (
        choose(own, source, AppRules(number_two=2600.0, number_twos={1900: 2650.0})).number_two.rating
        == 2600.0
    )


@pytest.mark.parametrize(
    "options",
    [{"repair": "all"}, {"enough": 0}, {"enough": 1.1}, {"number_two": -1.0}, {"number_two": float("nan")},
     {"number_twos": {1900: 0.0}}],
)  # fmt: skip
def test_bad_rules(options):
    with pytest.raises(UsageError, match="expected"):
        AppRules(**options)


def test_ratings_beside_games_that_are_none_are_passed_over():
    made = Database()
    made.match("M", "A", "B", [1.0] * 6, rating={"A": float("nan"), "B": 0.0})
    assert group_events(made.games()).published.is_empty()
