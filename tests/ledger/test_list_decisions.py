"""What an officer decides is in the next list: ratings by hand, merges, exclusions; and undone without a trace."""

from __future__ import annotations

import polars as pl
import pytest

from arpad.ledger.decisions.corrections import exclude_event, merge
from arpad.ledger.decisions.decisions import undo
from arpad.ledger.decisions.ratings import set_rating
from arpad.ledger.list_making import make_list, publish_list
from arpad.ledger.lists import list_called
from arpad.ledger.policy import Policy
from arpad.ledger.queries.explain import audited, explained
from arpad.ledger.schedule import Schedule
from tests.ledger.ledgers import NAMES, day, put_event, put_policy, round_robin, table

ANN, BOB, CLEO, DORA, ERIC, FAY = NAMES


@pytest.fixture
def club(ledger):
    put_policy(ledger, Policy(name="club", system="elo"))
    put_event(ledger, "September", "2026-09-12", round_robin([1, 0.5, 0]))
    put_event(ledger, "October", "2026-10-10", round_robin([0, 1], (ANN, BOB)))
    return ledger


def ratings(made):
    return dict(made.entries.select("name", "rating").iter_rows())


def decide(ledger, function, *arguments, **options):
    with ledger.writing("anna", "a good reason") as connection:
        return function(connection, *arguments, **options)


def test_a_rating_set_by_hand_holds_before_the_games_of_its_period(club):
    before = make_list(club, name="2026-11")
    decision = decide(club, set_rating, 4, 1800.0, on=day("2026-10-20"))
    after = make_list(club, name="2026-11")
    assert ratings(after)[DORA] == 1800.0
    assert ratings(after)[ANN] == ratings(before)[ANN]
    assert after.computed == 1
    steps = table(club, "steps").filter(pl.col("run_id") == after.draft.run_id, pl.col("player_id") == 4)
    texts = steps.join(table(club, "rules"), left_on=["run_id", "rule"], right_on=["run_id", "number"])
    assert texts["text"].to_list() == [f"set by hand: a good reason (decision {decision.id})"]
    decide(club, undo, decision.id)
    again = make_list(club, name="2026-11")
    assert again.computed == 0
    assert again.entries.equals(before.entries)


def test_a_rating_set_by_hand_for_somebody_who_plays(club):
    decide(club, set_rating, 1, 2001.3, on=day("2026-10-01"), settings={"total_games": 44})
    made = make_list(club, name="2026-11")
    row = made.entries.filter(pl.col("name") == ANN).to_dicts()[0]
    assert row["total_games"] == 45
    steps = table(club, "steps").filter(pl.col("player_id") == 1)
    total = 0.0
    for change in steps.sort("run_id", "seq")["change"]:
        total += change
    assert total == row["rating"]
    game = steps.filter(pl.col("game_id").is_not_null()).sort("run_id").row(-1, named=True)
    assert game["rating"] == 2001.3


def test_ratings_set_by_hand_where_nobody_plays(club):
    """Before the first game, in a month between two, and after the last: each is a period of its own."""
    put_event(club, "December", "2026-12-05", [(ANN, CLEO, 0.5)])
    put_event(club, "A year later", "2027-12-05", [(ERIC, FAY, 1.0)])
    for player, rating, when in ((5, 1700.0, "2026-01-10"), (5, 1710.4, "2026-11-11"), (1, 1600.0, "2027-02-02")):  # fmt: skip
        decide(club, set_rating, player, rating, on=day(when))
    made = make_list(club, name="2027-03")
    assert made.periods == 6
    assert (ratings(made)[ERIC], ratings(made)[ANN]) == (1710.0, 1600.0)
    publish_list(club, who="anna")
    with club.reading() as connection:
        kept = list_called(connection, "club", "2027-03")
        assert audited(connection, kept).adds_up
        found = explained(connection, "#5").explanation
    assert found.steps["change"].to_list() == pytest.approx([1700.0, 10.4, -0.4])


def test_a_rating_set_by_hand_for_another_policy_is_none_of_ours(club):
    put_policy(club, Policy(name="other", system="elo"))
    before = make_list(club, policy="club")
    decide(club, set_rating, 1, 2000.0, on=day("2026-10-01"), policy="other")
    assert make_list(club, policy="club").computed == 0
    assert ratings(make_list(club, policy="other"))[ANN] > 1900
    assert ratings(before)[ANN] < 1900


def test_a_rating_set_by_hand_corrects_what_was_published(club):
    make_list(club)
    publish_list(club)
    decide(club, set_rating, 1, 1700.0, on=day("2026-10-01"))
    rows = make_list(club).corrections[0].rows
    causes = dict(rows.select("name", "cause").iter_rows())
    assert causes[ANN].startswith("set by hand: a good reason")
    assert causes[BOB] == "through opponents: ratings set by hand"


def test_two_who_are_one(club):
    put_event(club, "Open", "2026-10-12", [("Adams, A", CLEO, 1.0)])
    before = make_list(club)
    publish_list(club)
    merged = decide(club, merge, 5, 1)
    made = make_list(club, name="2026-12")
    assert set(ratings(made)) == {ANN, BOB, CLEO, DORA}
    rows = made.corrections[0].rows
    causes = dict(rows.select("name", "cause").iter_rows())
    assert causes["Adams, A"] == "is player 1 now"
    assert "Open (changed)" in causes[ANN]
    assert rows.filter(pl.col("name") == "Adams, A")["rating"].to_list() == [None]
    decide(club, undo, merged.id)
    again = make_list(club, name="2026-12")
    assert again.corrections == ()
    assert ratings(again) == ratings(before)


def test_an_event_that_counts_no_more(club):
    make_list(club)
    publish_list(club)
    decide(club, exclude_event, 2)
    made = make_list(club, name="2026-11")
    causes = dict(made.corrections[0].rows.select("name", "cause").iter_rows())
    assert causes[ANN] == "played in October (counts no more)"
    assert "1 excluded" in make_list(club, name="2026-12").summary()


def test_what_ended_before_the_first_period_is_not_rated(club):
    schedule = Schedule(first_closing=day("2026-10-31"))
    put_policy(club, Policy(name="new", system="elo", schedule=schedule))
    made = make_list(club, policy="new")
    assert set(ratings(made)) == {ANN, BOB}
    assert made.left_out.too_early == 1
    with pytest.raises(Exception, match="the first list of new closes on 2026-10-31"):
        make_list(club, policy="new", name="2026-10")


def test_a_correction_of_everything_that_was_published(club):
    """Lists of three months; an event before all of them comes in."""
    put_event(club, "November", "2026-11-10", round_robin([0.5, 0]))
    for name in ("2026-10", "2026-11", "2026-12"):
        make_list(club, name=name)
        publish_list(club, name=name)
    put_event(club, "Early", "2026-08-10", [(ANN, FAY, 0.0)])
    found = make_list(club, name="2026-10").corrections
    assert [c.published.name for c in found] == ["2026-10", "2026-11", "2026-12"]
    done = publish_list(club, name="2026-12").lists
    assert [e.name for e in done] == ["2026-10", "2026-11", "2026-12"]
    assert make_list(club, name="2026-12").corrections == ()
