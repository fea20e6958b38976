"""Chains of runs: when an event comes in does not matter, nor on which database; nothing is made twice."""

from __future__ import annotations

import pytest
import sqlalchemy as sa
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from arpad.ledger.db import tables
from arpad.ledger.decisions.corrections import exclude_event, include_event
from arpad.ledger.list_making import make_list, publish_list
from arpad.ledger.policy import Policy
from tests.ledger.ledgers import NAMES, put_event, put_policy, round_robin, table

DAYS = ("2026-01-10", "2026-01-31", "2026-02-11", "2026-03-01", "2026-03-20", "2026-05-05")
UNSHRUNK = (Phase.explicit, Phase.reuse, Phase.generate)
"""Examples are small as they are, and each makes databases."""

SYSTEMS = ("elo", "fide", "glicko2", "uscf1994", "pra")

scores = st.lists(st.sampled_from([0.0, 0.5, 1.0]), min_size=3, max_size=7)
seasons = st.lists(st.tuples(st.sampled_from(DAYS), scores), min_size=2, max_size=4, unique_by=lambda e: e[0])  # fmt: skip


def games(number, points):
    """Everybody meets somebody, one more newcomer in each event."""
    return round_robin(points, NAMES[: 3 + number % 4])


def given_ratings():
    return {name: 1500.0 + 60 * i for i, name in enumerate(NAMES[:4])}


def fill(ledger, season, order):
    for number in order:
        when, points = season[number]
        put_event(ledger, f"Event {number}", when, games(number, points), given=given_ratings())


def by_name(made):
    columns = ("name", "rank", "rating", "games", "total_games", "status", "change", "deviation")
    return made.entries.sort("name").select(columns)


@pytest.mark.parametrize("system", SYSTEMS)
@settings(max_examples=5, phases=UNSHRUNK)
@given(season=seasons, data=st.data())
def test_a_late_event_gives_what_it_would_have_given_in_time(new_ledger, system, season, data):
    order = data.draw(st.permutations(range(len(season))))
    policy = Policy(name="club", system=system)
    in_time, late = new_ledger(), new_ledger()
    for ledger in (in_time, late):
        put_policy(ledger, policy)
    fill(in_time, season, range(len(season)))
    for number in order:  # a list is made, and sometimes published, after every event
        fill(late, season, [number])
        made = make_list(late)
        if data.draw(st.booleans()) and (made.corrections or made.draft.state == "draft"):
            publish_list(late, name=made.draft.name)
    # Change and games are counted since the last published list, and these ledgers published other lists.
    since = ("change", "games")
    expected = by_name(make_list(in_time, name="2026-07")).drop(since)
    found = by_name(make_list(late, name="2026-07")).drop(since)
    assert found.equals(expected)
    assert make_list(late, name="2026-07").computed == 0


@settings(max_examples=5, phases=UNSHRUNK)
@given(season=seasons, data=st.data())
def test_what_is_left_out_and_taken_in_again_leaves_no_trace(new_ledger, season, data):
    ledger = new_ledger()
    put_policy(ledger, Policy(name="club", system="elo"))
    fill(ledger, season, range(len(season)))
    before = make_list(ledger, name="2026-07")
    keys = table(ledger, "runs")["key"].to_list()
    event = data.draw(st.integers(1, len(season)))
    with ledger.writing("test", "a doubt") as connection:
        exclude_event(connection, event)
    without = make_list(ledger, name="2026-07")
    assert without.left_out.excluded == 1
    with ledger.writing("test", "no doubt") as connection:
        include_event(connection, event)
    again = make_list(ledger, name="2026-07")
    assert again.computed == 0
    assert again.entries.equals(before.entries)
    assert again.draft.run_id == before.draft.run_id
    assert set(keys) <= set(table(ledger, "runs")["key"])


@pytest.mark.postgresql
@pytest.mark.parametrize("system", SYSTEMS)
def test_both_databases_have_the_same_lists_to_the_byte(system, tmp_path, cluster):
    from arpad.ledger.db.ledger import Ledger

    season = list(zip(DAYS, ([1, 0.5, 0], [0.5, 1], [1, 1, 0, 0.5], [0], [1, 0], [0.5, 0, 0]), strict=True))
    places = [str(tmp_path / "a.db"), cluster.new()]
    kept = []
    for place in places:
        with Ledger.open(place, create=True) as ledger:
            put_policy(ledger, Policy(name="club", system=system))
            fill(ledger, season[:4], range(4))
            make_list(ledger)
            publish_list(ledger)
            fill(ledger, season, [5, 4])
            make_list(ledger)
            names = ("runs", "states", "steps", "lists", "entries")
            frames = {name: table(ledger, name) for name in names}
            kept.append({n: f.drop("made", "published", strict=False).write_csv(float_precision=None) for n, f in frames.items()})  # fmt: skip
    assert kept[0] == kept[1]
    assert kept[0]["steps"].count("\n") > 50


def test_the_order_of_import_does_not_matter_for_events_of_one_day(new_ledger):
    results = []
    for order in ((0, 1), (1, 0)):
        ledger = new_ledger()
        put_policy(ledger, Policy(name="club", system="elo"))
        fill(ledger, [("2026-01-10", [1, 0]), ("2026-01-10", [0, 0.5])], order)
        results.append(by_name(make_list(ledger)))
    assert results[0].equals(results[1])


def test_a_run_is_never_written_twice_by_two_policies_with_the_same_rules(ledger):
    put_policy(ledger, Policy(name="club", system="elo"))
    put_policy(ledger, Policy(name="twin", system="elo"))
    fill(ledger, [("2026-01-10", [1, 0])], [0])
    make_list(ledger, policy="club")
    assert make_list(ledger, policy="twin").computed == 0
    with ledger.reading() as connection:
        assert connection.execute(sa.select(sa.func.count()).select_from(tables.runs)).scalar() == 1
