"""Small things of lists that were wrong once."""

from __future__ import annotations

from datetime import date

import pytest

from arpad.errors import InputError, UsageError
from arpad.ledger.list_making import make_list, publish_list
from arpad.ledger.lists import list_called
from arpad.ledger.policy import preset
from arpad.ledger.queries.lists import list_diff
from tests.ledger.ledgers import put_event, put_policy, round_robin
from tests.ledger.test_importing import HEAD, done

CLOSING, NEXT = date(2026, 1, 31), date(2026, 2, 28)


@pytest.fixture
def published(ledger):
    put_policy(ledger, preset("club"))
    put_event(ledger, "Blitz-Cup", "2026-01-10", round_robin([1, 0.5, 0]), time_control="standard")
    name = make_list(ledger, policy="club", closing=CLOSING).draft.name
    publish_list(ledger, policy="club", name=name)
    return ledger, name


def late_event(ledger):
    put_event(ledger, "Late", "2026-01-20", round_robin([0, 1, 1]), time_control="standard")


def test_making_a_corrected_list_gives_the_corrected_figures(published):
    ledger, name = published
    late_event(ledger)
    correction = make_list(ledger, policy="club", name=name).corrections[0]
    publish_list(ledger, policy="club", name=name)
    made = make_list(ledger, policy="club", name=name)
    assert made.corrections == ()
    figures = dict(made.entries.select("player_id", "rating").iter_rows())
    wanted = dict(correction.rows.select("player_id", "rating").iter_rows())
    assert wanted
    assert {player: figures[player] for player in wanted} == wanted


def test_publishing_without_a_name_takes_the_proposed_correction_or_says_that_there_is_nothing(published):
    ledger, name = published
    with pytest.raises(UsageError, match="nothing to publish"):
        publish_list(ledger, policy="club")
    late_event(ledger)
    make_list(ledger, policy="club", name=name)
    done = publish_list(ledger, policy="club")
    assert [(each.name, each.number) for each in done.lists] == [(name, 1)]


def test_the_hyphen_of_an_event_stays_a_hyphen(published):
    ledger, name = published
    put_event(ledger, "Rapid-Cup", "2026-02-10", round_robin([0, 0.5, 1]), time_control="standard")
    second = make_list(ledger, policy="club", closing=NEXT).draft.name
    with ledger.reading() as connection:
        found = list_diff(connection, *(list_called(connection, "club", each) for each in (name, second)))
    because = " ".join(found.rows["because"].drop_nulls())
    assert "Rapid-Cup" in because
    assert "Rapid−Cup" not in because
    assert "−" in because


def test_a_date_in_the_future_is_said_to_be_one(ledger, write):
    from arpad.ledger.imports.staging import Settings

    path = write(HEAD + '2996-01-05,Open,1,"Berger, Anna","Fox, Fay",1-0,,\n', "future.csv")
    with pytest.raises(InputError, match=r"expected a date up to .*2996-01-05"):
        done(ledger, path)
    text = HEAD + ',Open,1,"Berger, Anna","Fox, Fay",1-0,,\n'
    with pytest.raises(UsageError, match="in the future"):
        done(ledger, write(text, "none.csv"), settings=Settings(date="2996"))
