"""A player's games and ratings as his page tells them, on both databases."""

from __future__ import annotations

import pytest
import sqlalchemy as sa

from arpad.event.performance import performance
from arpad.ledger.db import tables
from arpad.ledger.decisions.corrections import merge
from arpad.ledger.decisions.decisions import decisions_about, undo
from arpad.ledger.list_making import make_list, publish_list
from arpad.ledger.policy import Listed, preset
from arpad.ledger.queries.career import career, games_played
from arpad.ledger.queries.explain import explained
from arpad.ledger.queries.players import courses, found_people, list_facts, standings
from arpad.ledger.register import fold
from tests.ledger.ledgers import NAMES, day, put_event, put_policy, round_robin

ANN, BOB, CLEO, DORA, ERIC, FAY = NAMES


@pytest.fixture
def club(ledger):
    put_policy(ledger, preset("club", listed=Listed(min_games=0)))
    put_event(ledger, "Autumn", "2026-09-12", round_robin([1, 0.5, 1, 0]))
    put_event(ledger, "October", "2026-10-10", [(BOB, ANN, 0.5), (ANN, CLEO, 1.0), (ERIC, ANN, 1.0)])
    make_list(ledger, name="2026-10")
    publish_list(ledger, name="2026-10")
    make_list(ledger, name="2026-11")
    with ledger.writing("test", "names") as connection:
        for row in connection.execute(sa.select(tables.players)).all():
            values = {"player_id": row.id, "name": row.name, "fold": fold(row.name)}
            connection.execute(tables.player_names.insert().values(**values))
    return ledger


def ann(connection, **options):
    facts = list_facts(connection)
    return career(connection, [1], facts.chain(facts.lists[-1].run_id), **options)


def test_scores_by_colour_and_opponent_are_those_of_the_games(club):
    with club.reading() as connection:
        played = ann(connection)
        count = games_played(connection, [1])
    assert [g.score for g in played.games] == [1, 0.5, 1, 0.5, 1, 0]
    colours = played.by_colour()
    assert (colours["white"].games, colours["white"].score) == (4, 3.5)
    assert (colours["black"].wins, colours["black"].draws, colours["black"].losses) == (0, 1, 1)
    assert count == played.total().games == 6
    met = {m.name: (m.tally.games, m.tally.score) for m in played.opponents()}
    assert met == {BOB: (2, 1.5), CLEO: (2, 1.5), DORA: (1, 1), ERIC: (1, 0)}
    assert played.opponents()[0].tally.games == 2


def test_performances_are_those_of_the_library(club):
    with club.reading() as connection:
        played = ann(connection)
        steps = explained(connection, "#1").explanation.steps.drop_nulls("opponent_id")
    whole = performance(steps["score"].sum(), steps["opponent_rating"].to_list())
    assert played.total().performance.rating == pytest.approx(whole.rating)
    assert played.total().performance.error == pytest.approx(whole.error)
    for event in played.events:
        own = steps.filter(steps["event_id"] == event.id)
        assert event.change == pytest.approx(own["change"].sum())
        exact = performance(own["score"].sum(), own["opponent_rating"].to_list())
        assert event.performance.rating == pytest.approx(exact.rating)


def test_best_and_worst(club):
    with club.reading() as connection:
        played = ann(connection)
    won = [g for g in played.played if g.score == 1]
    assert played.best_win().opponent_rating == max(g.opponent_rating for g in won)
    assert played.worst_loss().opponent == ERIC
    best, worst = played.strongest(3)
    assert best.performance.rating > worst.performance.rating
    assert played.strongest(99) is None


def test_only_the_games_against_somebody(club):
    with club.reading() as connection:
        head = ann(connection, against=[2])
    assert [(g.event, g.colour, g.score) for g in head.games] == [
        ("Autumn", "white", 1.0), ("October", "black", 0.5),
    ]  # fmt: skip


def test_nobody_has_a_career(club):
    with club.reading() as connection:
        empty = career(connection, [99])
    assert (empty.games, empty.events, empty.opponents()) == ((), (), [])
    assert empty.best_win() is empty.worst_loss() is empty.strongest(1) is None
    assert empty.total().performance is None


def test_ratings_now_and_over_time_are_those_of_the_lists(club):
    with club.reading() as connection:
        facts = list_facts(connection)
        now = standings(connection, [1], facts)
        (course,) = courses(connection, [1], facts)
        last = explained(connection, "#1").explanation
    assert [(s.list.name, s.list.state) for s in now] == [("2026-10", "published"), ("2026-11", "draft")]  # fmt: skip
    assert now[1].rating == course.points[-1].rating == last.rating
    assert [p.day for p in course.points] == [day("2026-09-30"), day("2026-10-31")]
    assert [p.rating for p in course.points] == last.periods()["after"].to_list()


def test_a_published_correction_is_the_rating_now(club):
    put_event(club, "Late", "2026-09-20", [(ANN, DORA, 0.0), (ANN, ERIC, 0.0)])
    make_list(club, name="2026-10")
    publish_list(club, name="2026-10")
    with club.reading() as connection:
        now = standings(connection, [1], list_facts(connection))[0]
        figure = explained(connection, "#1", name="2026-10").explanation
    assert now.corrected
    assert now.rating == figure.rating
    assert now.change is None  # his first list


def test_who_was_merged_is_met_under_the_number_of_today(club):
    put_event(club, "Party", "2026-10-20", [(ANN, FAY, 1.0)])
    with club.writing("test", "the same person") as connection:
        fay = {"player_id": 6, "name": FAY, "fold": fold(FAY)}
        connection.execute(tables.player_names.insert().values(**fay))
        taken = merge(connection, 6, 5)  # Fay is Eric
    with club.reading() as connection:
        met = {m.id: m.tally.games for m in career(connection, [1]).opponents()}
        by_old_name = [p.id for p in found_people(connection, "fay").people]
        log = decisions_about(connection, ["player 6"])
    assert met[5] == 2
    assert 6 not in met
    assert by_old_name == [5]
    assert [d.id for d in log] == [taken.id]
    with club.writing("test", "no") as connection:
        undo(connection, taken.id)
    with club.reading() as connection:
        assert len(decisions_about(connection, ["player 6"], most=1)) == 1
        assert decisions_about(connection, ["player 60"]) == []


def test_people_are_found_by_parts_of_names_numbers_and_ids(club):
    with club.writing("test", "an id") as connection:
        connection.execute(tables.player_ids.insert().values(player_id=4, scheme="fide", value="77"))  # fmt: skip
    with club.reading() as connection:

        def names(text, **options):
            return [p.name for p in found_people(connection, text, **options).people]

        assert names("dora da") == names("DÁVIS") == names("#4") == names("77") == names("fide:77") == [DORA]  # fmt: skip
        assert names("uscf:77") == names("nobody at all") == names("%") == []
        assert names("", first=1, most=2) == [BOB, CLEO]
        assert found_people(connection).total == 5
