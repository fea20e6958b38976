"""Lists over a ledger: made, published, corrected, on both databases."""

from __future__ import annotations

import polars as pl
import pytest

from arpad.errors import UsageError
from arpad.ledger.list_making import make_list, publish_list
from arpad.ledger.lists import corrections_of, entries_as_of, entries_kept, list_called
from arpad.ledger.policy import Policy, preset
from tests.ledger.ledgers import NAMES, day, put_event, put_policy, round_robin, table

ANN, BOB, CLEO, DORA, ERIC, FAY = NAMES


@pytest.fixture
def club(ledger):
    """Four players, an event in September and one in October."""
    put_policy(ledger, preset("club", listed=preset("club").listed.of({"min_games": 0})))
    put_event(ledger, "Autumn", "2026-09-12", round_robin([1, 0.5, 1, 0]))
    put_event(ledger, "October", "2026-10-10", round_robin([1, 1, 0.5]))
    return ledger


def ratings(entries):
    return dict(entries.select("name", "rating").iter_rows())


def test_a_draft_is_made_and_made_again(club):
    made = make_list(club)
    assert (made.draft.name, made.draft.state, made.computed) == ("2026-11", "draft", 2)
    assert made.draft.closing == day("2026-10-31")
    assert made.draft.effective == day("2026-11-01")
    assert made.entries["rating"].sum() == pytest.approx(4 * 1500, abs=2)
    again = make_list(club, name="2026-11")
    assert again.computed == 0
    assert again.entries.equals(made.entries)
    assert table(club, "lists").height == 1
    assert table(club, "runs").height == 2


def test_change_is_since_the_closing_date_before(club):
    first = ratings(make_list(club, name="2026-10").entries)
    made = make_list(club, name="2026-11").entries
    for name, rating, change in made.select("name", "rating", "change").iter_rows():
        assert change == rating - first[name]
    idle = make_list(club, name="2026-12").entries
    assert ratings(idle) == ratings(made)
    assert idle["change"].unique().to_list() == [0.0]
    assert idle["games"].unique().to_list() == [0]


def test_before_anything_was_played_a_list_is_empty(club):
    made = make_list(club, name="2026-09")
    assert made.entries.height == 0
    publish_list(club, name="2026-09")
    with club.reading() as connection:
        assert list_called(connection, "club", "2026-09").published is not None


def test_a_published_list_is_frozen(club):
    make_list(club, name="2026-10")
    done = publish_list(club, name="2026-10", who="anna")
    assert [(e.state, e.published_by) for e in done.lists] == [("published", "anna")]
    made = make_list(club, name="2026-10")
    assert made.draft.state == "published"
    with pytest.raises(UsageError, match="published already, and needs no correction"):
        publish_list(club, name="2026-10")
    with pytest.raises(UsageError, match="frozen"), club.writing() as connection:
        connection.exec_driver_sql("DELETE FROM entries")


def test_a_draft_that_is_out_of_date_is_not_published(club):
    make_list(club)
    put_event(club, "Late", "2026-09-20", round_robin([0], (ANN, ERIC)))
    with pytest.raises(UsageError, match="has changed since 2026-11"):
        publish_list(club)
    make_list(club)
    publish_list(club)


def test_a_late_event_corrects_what_was_published_and_the_next_list_goes_on_from_there(club):
    before = ratings(make_list(club, name="2026-10").entries)
    publish_list(club, name="2026-10")
    put_event(club, "Late open", "2026-09-20", [(ANN, ERIC, 0.0), (BOB, ERIC, 0.5)])
    made = make_list(club, name="2026-11")
    assert [c.published.name for c in made.corrections] == ["2026-10"]
    rows = made.corrections[0].rows
    causes = dict(rows.select("name", "cause").iter_rows())
    assert causes[ANN] == "played in Late open (counts now)"
    assert "Late open" in made.corrections[0].summary()
    new = dict(rows.select("name", "published").iter_rows())
    assert new[ERIC] is None
    assert new[ANN] == before[ANN]
    # the draft already rests on the late event
    with club.reading() as connection:
        published = list_called(connection, "club", "2026-10")
        assert ratings(entries_kept(connection, published)) == before
        assert ratings(entries_as_of(connection, published)) == before
    done = publish_list(club)
    assert [e.words for e in done.lists] == ["correction 1 of 2026-10 (club)", "2026-11 (club, published)"]
    with club.reading() as connection:
        corrected = ratings(entries_as_of(connection, published))
        assert ratings(entries_kept(connection, published)) == before
        assert len(corrections_of(connection, published)) == 1
    assert corrected[ERIC] > 1500
    assert corrected[CLEO] == before[CLEO]
    after = make_list(club, name="2026-12")
    assert after.corrections == ()
    for name, rating, change in made.entries.select("name", "rating", "change").iter_rows():
        assert change == rating - corrected[name]  # the correction is published with the list


def test_change_is_against_the_list_before_as_corrected(club):
    """Of corrections that are published together, and of the draft on top of them."""
    for name in ("2026-10", "2026-11"):
        make_list(club, name=name)
        publish_list(club, name=name)
    with club.reading() as connection:
        frozen = entries_kept(connection, list_called(connection, "club", "2026-11"))
    put_event(club, "Late open", "2026-09-20", [(ANN, BOB, 0.0), (ANN, CLEO, 0.0)])
    made = make_list(club, name="2026-12")
    assert [c.published.name for c in made.corrections] == ["2026-10", "2026-11"]
    publish_list(club)
    after = make_list(club, name="2027-01").entries
    assert after["change"].unique().to_list() == [0.0]
    with club.reading() as connection:
        kept = [list_called(connection, "club", name) for name in ("2026-10", "2026-11", "2026-12")]
        assert entries_kept(connection, kept[1]).equals(frozen)
        october, *later = (entries_as_of(connection, each) for each in kept)
    before = ratings(october)
    for entries in later:
        now = ratings(entries)
        assert dict(entries.select("name", "change").iter_rows()) == {n: now[n] - before[n] for n in now}
        before = now


def test_a_correction_is_published_alone(club):
    make_list(club)
    publish_list(club)
    put_event(club, "Late", "2026-10-20", [(ANN, BOB, 0.0)])
    made = make_list(club)
    assert made.draft.state == "published"
    assert made.corrections[0].rows.select("name", "difference").height == 2
    done = publish_list(club, name="2026-11")
    assert [e.number for e in done.lists] == [1]
    put_event(club, "Later", "2026-10-21", [(ANN, BOB, 0.0)])
    make_list(club)
    assert [e.number for e in publish_list(club, name="2026-11").lists] == [2]
    with club.reading() as connection:
        kept = list_called(connection, "club", "2026-11")
        now = ratings(entries_as_of(connection, kept))
    fresh = make_list(club, name="2026-12").entries
    assert ratings(fresh) == now


def test_through_opponents(club):
    make_list(club)
    publish_list(club)
    put_event(club, "Late", "2026-09-13", [(ANN, ERIC, 0.0)] * 8)
    rows = make_list(club).corrections[0].rows
    causes = dict(rows.select("name", "cause").iter_rows())
    assert causes[CLEO] == "through opponents: Late (counts now)"


def test_three_time_controls_are_three_policies(ledger):
    games = {"standard": [(ANN, BOB, 1.0)], "rapid": [(BOB, CLEO, 1.0)], "blitz": [(CLEO, ANN, 1.0)]}
    for control, played in games.items():
        put_policy(ledger, Policy(name=control, system="elo", time_control=control))
        put_event(ledger, f"{control} event", "2026-10-10", played, time_control=control)
    put_event(ledger, "unsaid", "2026-10-12", [(DORA, ANN, 1.0)])
    lists = {control: ratings(make_list(ledger, policy=control).entries) for control in games}
    assert lists["rapid"] == {BOB: 1510.0, CLEO: 1490.0}
    assert lists["blitz"] == {CLEO: 1510.0, ANN: 1490.0}
    assert set(lists["standard"]) == {ANN, BOB, DORA}
    with pytest.raises(UsageError, match="expected one policy"):
        make_list(ledger)


@pytest.mark.parametrize(
    ("wanted", "rules"),
    [
        ({"time_control": "standard"}, None),
        ({"time_control": None}, None),
        ({"time_control": "rapid"}, "rapid-2024-12"),
        ({"time_control": "blitz"}, "rapid-2024-12"),
        ({"time_control": "rapid", "options": {"rules": "2024-03"}}, "2024-03"),
        ({"time_control": "rapid", "system": "elo"}, None),
    ],
)
def test_rapid_and_blitz_are_rated_by_their_own_regulations(ledger, wanted, rules):
    kept = put_policy(ledger, preset("fide", **wanted))
    assert kept.document["options"].get("rules") == rules
    assert put_policy(ledger, preset("fide", **wanted)).version == 1


def test_a_new_version_of_a_policy_leaves_the_past_alone(club):
    make_list(club)
    publish_list(club)
    old = table(club, "runs")
    rules = preset("club", listed=preset("club").listed.of({"min_games": 0}))
    later = {"since": "2026-11-01", "system": "elo", "options": {"k": 10}}
    put_policy(club, Policy.of({**rules.document(), "amendments": [later]}))
    put_event(club, "November", "2026-11-10", [(ANN, BOB, 0.5)])
    made = make_list(club)
    assert (made.corrections, made.computed, made.draft.version) == ((), 1, 2)
    assert table(club, "runs").height == old.height + 1
    put_policy(club, Policy.of({**rules.document(), "options": {"k": 40}}))
    rows = make_list(club).corrections[0].rows
    assert rows["cause"].unique().to_list() == ["other rules of the policy"]


def test_what_is_not_there_is_said(ledger):
    with pytest.raises(UsageError, match="there is no policy yet"):
        make_list(ledger)
    with pytest.raises(UsageError, match="expected a policy, found 'fide'"):
        make_list(ledger, policy="fide")
    put_policy(ledger, preset("club"))
    with pytest.raises(UsageError, match="import events first"):
        make_list(ledger)
    with pytest.raises(UsageError, match=r"closing dates are .*2026-09-30 \(list 2026-10\)"):
        make_list(ledger, closing=day("2026-10-15"))
    with pytest.raises(UsageError, match="expected the name of a list"):
        make_list(ledger, name="next week")
    with pytest.raises(UsageError, match="expected a draft of club"):
        publish_list(ledger)


def test_names_of_any_kind(ledger):
    strange = ["O'Neil; DROP TABLE players;--", "Ёлкин, Пётр", "名" * 300, 'a "quoted" name']
    put_policy(ledger, Policy(name='club\'s "own"', system="elo"))
    put_event(ledger, "E'); --", "2026-10-10", round_robin([1, 0], strange))
    entries = make_list(ledger).entries
    assert set(entries["name"]) == set(strange)
    publish_list(ledger)


def test_steps_add_up_along_the_chain(club):
    put_event(club, "November", "2026-11-10", round_robin([0.5, 0], NAMES))
    make_list(club)
    steps = table(club, "steps").sort("run_id", "player_id", "seq")
    last = table(club, "states").sort("run_id").unique("player_id", keep="last")
    for player, rating in last.select("player_id", "rating").iter_rows():
        total = 0.0
        for change in steps.filter(pl.col("player_id") == player)["change"]:
            total += change
        assert total == rating
    assert steps["event_id"].drop_nulls().unique().sort().to_list() == [1, 2, 3]
