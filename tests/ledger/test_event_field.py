"""Events looked for, with the ratings that held, and what a decision about them would change."""

from __future__ import annotations

import datetime as dt

import pytest

from arpad.errors import UsageError
from arpad.ledger.db.ledger import Ledger
from arpad.ledger.decisions.corrections import exclude_event, merge
from arpad.ledger.decisions.decisions import deciders, found_decisions
from arpad.ledger.games import listed_ratings, recorded_games
from arpad.ledger.list_making import make_list, publish_list
from arpad.ledger.policy import preset
from arpad.ledger.queries.effect import effect_of, trial
from arpad.ledger.queries.events import event_field, event_index, event_lines, fitting_policies
from tests.ledger.club import same, snapshot
from tests.ledger.ledgers import NAMES, put_event, put_policy, round_robin

ANN, BOB = NAMES[:2]


@pytest.fixture
def ledger(tmp_path):
    with Ledger.open(tmp_path / "club.db", create=True) as made:
        put_policy(made, preset("club", listed=preset("club").listed.__class__(min_games=1)))
        put_policy(made, preset("fide", name="blitz", time_control="blitz"))
        put_event(made, "Größter Preis", "2026-01-10", round_robin([1.0, 0.5, 0.0]))
        make_list(made, policy="club", name="2026-02", who="t")
        publish_list(made, policy="club", name="2026-02", who="t")
        put_event(made, "Blitz Night", "2026-03-01", round_robin([1.0]), time_control="blitz")
        put_event(made, "Second", "2026-03-05", round_robin([0.0, 1.0]), given={ANN: 2345.0})
        make_list(made, policy="club", name="2026-04", who="t")
        yield made


def test_events_are_found_without_case_and_accents(ledger):
    with ledger.reading() as connection:
        index = event_index(connection)
        lines = event_lines(connection, index.found())
    assert [line.name for line in lines] == ["Second", "Blitz Night", "Größter Preis"]
    assert index.found("GROESSTER") == index.found("größter preis 2026") == [1]
    assert index.found("grosster night") == []
    assert index.found(time_control="blitz") == [2]
    assert index.found("#3") == [3]
    assert index.found(year=2025) == []
    assert index.years() == [2026]


def test_ratings_are_those_of_the_list_that_held(ledger):
    with ledger.reading() as connection:
        field = event_field(connection, 3, "club")
        listed = listed_ratings(connection, "club", dt.date(2026, 3, 5))
        plain = recorded_games(connection, [3], ratings=listed)
        assert field.held.name == "2026-02"
        assert field.recorded.games.players.equals(plain.games.players)
        assert field.rated == 3  # the report gives the rating of one
        assert field.recorded.games.players["rating"][0] is None
        assert event_field(connection, 1, "club").held is None
        assert [held.policy for held in fitting_policies(connection, 3)] == ["club"]
        assert fitting_policies(connection, 2) == []
        with pytest.raises(UsageError, match="a policy of the ledger"):
            event_field(connection, 3, "other")


def test_a_list_knows_who_was_merged_by_an_earlier_number(ledger):
    with ledger.writing("t", "one person") as connection:
        put = connection.execute  # a second number of Ann, who never played
        from arpad.ledger.db import tables

        put(tables.players.insert().values(id=9, name="Adams, A."))
        merge(connection, 1, 9)
    with ledger.reading() as connection:
        field = event_field(connection, 1, None)
        assert 9 in field.recorded.players
        put_event_ratings = event_field(connection, 3, "club").recorded
        listed = listed_ratings(connection, "club", dt.date(2026, 3, 5))
        plain = recorded_games(connection, [3], ratings=listed)
        assert put_event_ratings.games.players.equals(plain.games.players)


def test_a_trial_leaves_nothing_behind(ledger):
    before = snapshot(ledger)
    with trial(ledger, "ann", "why not") as connection:
        effect = effect_of(connection, lambda c: exclude_event(c, 3))
    assert effect.decision.words().startswith("Second")
    with pytest.raises(UsageError), trial(ledger, "ann", "again") as connection:
        exclude_event(connection, 77)
    assert same(before, snapshot(ledger)) == []
    with ledger.reading() as connection:
        assert found_decisions(connection).total == 0


@pytest.mark.parametrize("fresh", [True, False])
def test_an_effect_is_what_the_next_list_says(ledger, fresh):
    if not fresh:  # the draft does not know this event yet, and is no part of what changes
        put_event(ledger, "Third", "2026-03-20", round_robin([0.5, 1.0]))
    with trial(ledger, "ann", "test") as connection:
        (effect,) = effect_of(connection, lambda c: exclude_event(c, 1)).lists
    was = make_list(ledger, policy="club", name="2026-04", who="t").entries
    with ledger.writing("ann", "test") as connection:
        exclude_event(connection, 1)
    now = make_list(ledger, policy="club", name="2026-04", who="t").entries
    ratings = [dict(each.select("player_id", "rating").iter_rows()) for each in (was, now)]
    changed = {
        p: tuple(each.get(p) for each in ratings)
        for p in {*ratings[0], *ratings[1]}
        if ratings[0].get(p) != ratings[1].get(p)
    }
    assert changed
    assert {r["player_id"]: (r["before"], r["after"]) for r in effect.rows.to_dicts()} == changed
    assert f"{len(changed)} figure" in effect.summary()


def test_too_many_games_are_not_rated_for_a_look(ledger):
    with trial(ledger, "ann", "test") as connection:
        (effect,) = effect_of(connection, lambda c: exclude_event(c, 1), most_games=1).lists
    assert effect.rows is None
    assert "too many for a preview" in effect.summary()


def test_what_no_list_rates_changes_none(ledger):
    with trial(ledger, "ann", "test") as connection:
        (effect,) = effect_of(connection, lambda c: exclude_event(c, 2)).lists
    assert effect.rows.is_empty()
    assert effect.summary() == "list 2026-04 of club: no figure changes"


def test_the_log_is_found_by_words_that_could_be_patterns(ledger):
    for number, (who, why) in enumerate((("Ann", "100 % sure"), ("Östen", "a_b")), start=1):
        with ledger.writing(who, why) as connection:
            exclude_event(connection, number)
    with ledger.reading() as connection:
        assert deciders(connection) == ["Ann", "Östen"]

        def numbers(**asked):
            return [d.id for d in found_decisions(connection, **asked).decisions]

        assert numbers(text="%") == [1]
        assert numbers(text="a_b") == [2]
        assert numbers(text="östen BLITZ") == [2]
        assert numbers(about=["event 1"]) == [1]
        assert numbers(who="Ann", kind="include") == []
        assert found_decisions(connection, limit=1, offset=1).decisions[0].id == 1
        assert found_decisions(connection, limit=1).total == 2
