from __future__ import annotations

import random
from datetime import date, timedelta

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arpad.errors import InputError, UsageError
from arpad.model import Games
from arpad.pool.greatness.groups import GroupRules, group_events
from tests.pool.greatness.events import Database, history

FIVE = ["Alekhine", "Bogoljubow", "Capablanca", "Duras", "Euwe", "Flohr", "Grünfeld"]
LOOSE = GroupRules(fewest_games=1)


def told(groups):
    return groups.events.select("event", "kind", "players", "games").rows()


def test_one_name_place_and_year_is_one_event():
    made = Database()
    for year in (1904, 1905):
        made.round_robin("Town", FIVE, day=date(year, 1, 1), precision="year")
    groups = group_events(made.games())
    assert groups.events.select("event", "year", "kind", "games").rows() == [
        ("Town", 1904, "round robin", 21),
        ("Town", 1905, "round robin", 21),
    ]
    assert groups.first.tolist() == [0, 21, 42]
    assert groups.events["start"].to_list() == [None, None]


def test_other_places_and_names_are_other_events_whatever_their_case():
    made = Database()
    made.round_robin("Town", FIVE[:4], day=date(1904, 1, 1), precision="year", site="North")
    made.round_robin("Town", FIVE[:4], day=date(1904, 1, 1), precision="year", site="South")
    made.match("town ", "Alekhine", "Euwe", [1.0] * 6, day=date(1904, 1, 1), site="NORTH")
    groups = group_events(made.games(), LOOSE)
    assert sorted(groups.events["games"]) == [6, 12]


def test_the_new_year_does_not_end_an_event_but_a_pause_does():
    made = Database()
    number = made.event("Hastings")
    for i, day in enumerate([date(1999, 12, 28), date(2000, 1, 3), date(2000, 12, 28)]):
        for j in range(6):
            made.game(number, *FIVE[:2], 0.5, day=day + timedelta(days=j), round=str(6 * i + j), plies=j)
    groups = group_events(made.games())
    assert groups.events.select("start", "end", "games").rows() == [
        (date(1999, 12, 28), date(2000, 1, 8), 12),
        (date(2000, 12, 28), date(2001, 1, 2), 6),
    ]


def test_where_one_day_is_not_known_the_year_is_the_event():
    made = Database()
    number = made.event("Long")
    for month in (1, 6, 12):
        for j in range(3):
            made.game(number, *FIVE[:2], 0.5, day=date(1990, month, 1 + j), round=f"{month}{j}", plies=j)
    made.game(number, *FIVE[:2], 1.0, day=date(1990, 1, 1), precision="year", round="99", plies=7)
    assert told(group_events(made.games())) == [("Long: Alekhine – Bogoljubow", "match", 2, 10)]


def test_players_whom_no_game_links_are_not_in_one_event():
    made = Database()
    number = made.event("Quarter-finals")
    for one, other in (FIVE[:2], FIVE[2:4], FIVE[4:6]):
        for i in range(6):
            made.game(number, one, other, 0.5, day=date(1971, 1, 1), precision="year", round=str(i), plies=i)
    assert [e for e, *_ in told(group_events(made.games()))] == [
        "Quarter-finals: Alekhine – Bogoljubow",
        "Quarter-finals: Capablanca – Duras",
        "Quarter-finals: Euwe – Flohr",
    ]


def test_an_old_play_off_belongs_to_its_event_and_comes_last():
    made = Database()
    made.round_robin("Vienna", FIVE, day=date(1898, 1, 1), precision="year")
    made.match("Vienna playoff-1pl", *FIVE[:2], [1.0, 0.5, 0.0, 1.0], day=date(1898, 1, 1))
    groups = group_events(made.games())
    assert told(groups) == [("Vienna", "round robin", 7, 25)]
    assert groups.games["score"].tail(4).to_list() == [1.0, 0.5, 0.0, 0.0]
    made = Database()
    made.round_robin("Vienna", FIVE, day=date(1998, 1, 1), precision="year")
    made.match("Vienna playoff-1pl", *FIVE[:2], [1.0] * 6, day=date(1998, 1, 1))
    assert [n for *_, n in told(group_events(made.games()))] == [21, 6]


def test_a_game_that_is_there_twice_counts_once():
    made = Database()
    made.round_robin("Town", FIVE, day=date(1990, 5, 1))
    made.rows.append(dict(made.rows[3]))  # the same again
    made.rows.append({**made.rows[4], "round": "77"})  # numbered otherwise, on the same day
    made.rows.append({**made.rows[5], "plies": 99})  # a replay
    groups = group_events(made.games())
    assert groups.events["games"].to_list() == [22]
    assert groups.left_games == {"there twice": 2}


def test_one_day_for_a_whole_match_does_not_make_games_of_two_rounds_one():
    made = Database()
    number = made.event("Match")
    for r in range(1, 11):
        made.game(
            number, *FIVE[:2][:: 1 if r % 2 else -1], 0.5, day=date(1972, 7, 11), round=str(r), plies=40
        )
    assert told(group_events(made.games())) == [("Match: Alekhine – Bogoljubow", "match", 2, 10)]
    for row in made.rows:
        row["round"] = None  # now nothing tells them apart
    assert group_events(made.games()).left_games == {"there twice": 8}


def test_three_spellings_of_one_person_become_one():
    made = Database()
    spelled = ["Adams,M", "Adams, Michael", "Adams, Mick"]
    for a, b in ((0, 1), (1, 2)):
        number = made.event(f"Event {a}")
        for who in (a, b):
            for r in range(3):
                made.game(
                    number, spelled[who], FIVE[r], 1.0, day=date(1990 + a, 1, 1 + r), round=str(r), plies=r
                )
    groups = group_events(made.games(), GroupRules(fewest_games=1))
    assert len({int(groups.person[made.names[n]]) for n in spelled}) == 1
    assert groups.events["games"].to_list() == [3, 3]


def test_two_spellings_that_played_the_same_games_are_one_person():
    made = Database()
    made.round_robin("Town", ["Dominguez Perez,L", *FIVE], day=date(2012, 5, 1))
    made.round_robin("Village", ["Dominguez Perez,L", *FIVE], day=date(2013, 5, 1), cycles=2)
    own = made.names["Dominguez Perez,L"]
    twice = [dict(row) for row in made.rows if row["event"] == 0 and own in (row["white"], row["black"])]
    made.names["Dominguez, Leinier Xavier"] = len(made.names)
    other = made.names["Dominguez, Leinier Xavier"]
    for row in twice:
        row.update({side: other for side in ("white", "black") if row[side] == own})
    made.rows += twice
    groups = group_events(made.games())
    assert groups.events["players"].to_list() == [8, 8]
    assert groups.joined.row(0) == ("Dominguez, Leinier Xavier", "Dominguez Perez,L", None, "the same games")
    assert groups.person[other] == own
    assert groups.left_games == {"there twice": 7}
    apart = group_events(made.games(), GroupRules(join=False))
    assert apart.events["players"].to_list() == [9, 8]
    made.names = {("Duda" if n.startswith("Dominguez, L") else n): i for n, i in made.names.items()}
    assert group_events(made.games()).events["players"].to_list() == [9, 8]  # another surname


def test_two_events_with_the_same_games_are_one():
    made = Database()
    made.match("Championship", *FIVE[:2], [1.0, 0.0, 0.5] * 4, rating={FIVE[0]: 2700.0, FIVE[1]: 2700.0})
    made.match("wcc", *FIVE[:2], [1.0, 0.0, 0.5] * 4)
    groups = group_events(made.games())
    assert [e for e, *_ in told(groups)] == ["Championship: Alekhine – Bogoljubow"]  # it has ratings
    assert groups.left_out["reason"].to_list() == ["the same games as Championship: Alekhine – Bogoljubow"]


@pytest.mark.parametrize(("year", "plies"), [(1903, 0), (1900, 7)])
def test_two_matches_that_end_alike_stay_two(year, plies):
    made = Database()
    made.match("First", *FIVE[:2], [0.5] * 8)
    made.match("Second", *FIVE[:2], [0.5] * 8, day=date(year, 1, 1))
    for row in made.rows[8:]:
        row["plies"] += plies
    assert len(group_events(made.games())) == 2


def test_what_is_left_out_has_a_reason():
    made = Database()
    made.match("One", *FIVE[:2], [1.0])
    made.match("Five", *FIVE[:2], [1.0] * 5)
    made.match("Simul", *FIVE[:2], [1.0] * 9)
    made.match("?", *FIVE[:2], [1.0] * 9)
    made.match("Deep", FIVE[0], "Comp Deep", [1.0] * 5)
    made.match("Brains in Bahrain", FIVE[0], "DEEP FRITZ", [1.0] * 4)
    made.match("Ten a day", *FIVE[:2], [1.0] * 10, day=date(2001, 1, 1), precision="day")
    for row in made.rows[-10:]:
        row["date"] = date(2001, 1, 1 + row["plies"] // 35)  # five games on each of two days
    made.match("All on the day it began", *FIVE[2:4], [1.0] * 6, day=date(2001, 1, 1), precision="day")
    for row in made.rows[-6:]:
        row["date"] = date(2001, 1, 1)
    made.match("Good", *FIVE[:2], [1.0] * 6)
    groups = group_events(made.games())
    assert sorted(e for e, *_ in told(groups)) == [
        "All on the day it began: Capablanca – Duras",
        "Good: Alekhine – Bogoljubow",
    ]
    assert dict(groups.left_out.select("event", "reason").rows()) == {
        "One: Alekhine – Bogoljubow": "no player has more than 1 game; 6 are needed",
        "Five: Alekhine – Bogoljubow": "no player has more than 5 games; 6 are needed",
        "Ten a day: Alekhine – Bogoljubow": "fast play: more than two games a day",
    }
    assert groups.left_games == {
        "left out by the event's name": 9, "left out by a player's name": 9, "of no event": 9,
    }  # fmt: skip


def test_kinds():
    made = Database()
    day = {"day": date(1950, 1, 1), "precision": "year"}
    number = made.event("One man's games")
    for i, other in enumerate(FIVE[1:]):
        made.game(number, FIVE[0], other, 1.0, round=str(i), plies=i, **day)
    number = made.event("Cup")
    for i, (one, other) in enumerate(
        [FIVE[:2], FIVE[2:4], FIVE[4:6], (FIVE[0], FIVE[2]), (FIVE[0], FIVE[4])]
    ):
        for j in range(2):
            made.game(number, one, other, 1.0, round=f"{i}.{j}", plies=10 * i + j, **day)
    made.round_robin("Bundesliga", FIVE, **day)
    number = made.event("Some of an open")
    for i, other in enumerate([*FIVE[1:], "Hort", "Ivkov"]):
        made.game(number, FIVE[0], other, 1.0, round=str(i), plies=i, **day)
    made.game(number, "Hort", "Ivkov", 0.5, round="9", plies=9, **day)
    assert {e: k for e, k, *_ in told(group_events(made.games()))} == {
        "One man's games": "one player's games",
        "Cup": "knock-out",
        "Bundesliga": "team event",
        "Some of an open": "incomplete",
    }


def test_each_match_of_a_knock_out_can_be_an_event():
    made = Database()
    number = made.event("Cup KO")
    for i, (one, other) in enumerate([FIVE[:2], FIVE[2:4], (FIVE[0], FIVE[2])]):
        for j in range(6):
            made.game(
                number,
                one,
                other,
                0.5,
                round=f"{i + 1}.{j}",
                plies=10 * i + j,
                day=date(1950, 1, 1),
                precision="year",
            )
    games = made.games()
    assert told(group_events(games)) == [("Cup KO", "knock-out", 4, 18)]
    apart = group_events(games, GroupRules(knockouts="matches"))
    assert [(k, n) for _, k, _, n in told(apart)] == [("match", 6)] * 3


def test_games_without_dates_take_the_events_or_the_year_in_its_name():
    made = Database()
    made.match("Final 1997", *FIVE[:2], [1.0] * 6, day=None)
    made.match("Final", *FIVE[2:4], [1.0] * 6, day=None)
    number = made.event("Start", start=date(2003, 4, 5))
    for i in range(6):
        made.game(number, *FIVE[4:6], 0.5, round=str(i), plies=i)
    groups = group_events(made.games())
    assert dict(groups.events.select("event", "year").rows()) == {
        "Final 1997: Alekhine – Bogoljubow": 1997,
        "Final: Capablanca – Duras": None,
        "Start: Euwe – Flohr": 2003,
    }


def test_the_order_is_by_round_then_by_day_then_as_it_stands():
    made = Database()
    number = made.event("Rounds")
    for r, day in ((10, 1), (2, 3), (1, 2)):
        made.game(number, *FIVE[:2], r / 16, round=str(r), day=date(1990, 1, day), plies=r)
    number = made.event("Days")
    for day in (3, 1, 2):
        made.game(number, *FIVE[:2], day / 16, day=date(1990, 1, day), plies=day)
    number = made.event("Neither")
    for i in (3, 1, 2):
        made.game(number, *FIVE[1::-1], i / 16, day=date(1990, 1, 1), precision="year", plies=i)
    groups = group_events(made.games(), LOOSE)
    order = {
        e: [16 * s for s in groups.games.filter(pl.col("group") == g)["score"]]
        for g, e in groups.events.select("group", "event").rows()
    }
    assert [order[n] for n in ("Rounds: Alekhine – Bogoljubow", "Days: Alekhine – Bogoljubow", "Neither: Bogoljubow – Alekhine")] == [
        [1, 2, 10], [1, 2, 3], [3, 1, 2],
    ]  # fmt: skip
    assert (
        groups.games.group_by("group", maintain_order=True)
        .agg(pl.col("certain").first())["certain"]
        .to_list()
        .count(True)
        == 1
    )


@given(st.integers(0, 10**6))
def test_shuffled_rows_make_the_same_events(seed):
    games = history()
    order = list(range(len(games)))
    random.Random(seed).shuffle(order)
    mixed = Games(games.table[order], games.players, games.events)
    one, other = group_events(games), group_events(mixed)
    key = ["event", "year"]
    assert one.events.drop("group").sort(key).equals(other.events.drop("group").sort(key))
    assert one.games.height + sum(one.left_games.values()) + int(one.left_out["games"].sum()) == len(games)


def test_nothing_played():
    with pytest.raises(InputError, match="found none that were played"):
        group_events(Games.build([]))


def test_bad_rules():
    with pytest.raises(UsageError, match="one game or more"):
        GroupRules(fewest_games=0)
    with pytest.raises(UsageError, match="event or matches"):
        GroupRules(knockouts="pairs")
    with pytest.raises(UsageError, match="regular expression"):
        group_events(history(), GroupRules(events="("))
