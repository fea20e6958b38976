"""An import can be taken out as a whole, while nothing published rests on it."""

from __future__ import annotations

from datetime import date

import pytest

from arpad.errors import UsageError
from arpad.ledger.db.backup import check_ledger
from arpad.ledger.decisions.corrections import exclude_event
from arpad.ledger.decisions.decisions import undo
from arpad.ledger.imports.importing import undo_import
from arpad.ledger.list_making import make_list, publish_list
from arpad.ledger.policy import preset
from tests.ledger.ledgers import put_policy
from tests.ledger.test_importing import FEBRUARY, JANUARY, done, everything


def take_out(ledger, number):
    with ledger.writing("Ann", "the wrong file") as connection:
        return undo_import(connection, number)


def test_an_import_is_taken_out_with_everything_that_only_it_brought(ledger, write):
    done(ledger, write(JANUARY, "jan.csv"))
    before = everything(ledger)
    paths = write(FEBRUARY, "feb.csv"), write(FEBRUARY, "again.csv")
    first = done(ledger, paths[0])[0].as_dict()
    decision = take_out(ledger, 2)
    assert (decision.kind, decision.facts["file"], decision.facts["games"]) == ("withdraw", "feb.csv", 2)
    after = everything(ledger)
    assert {name for name in before if not before[name].equals(after[name])} == {"decisions"}
    assert check_ledger(ledger) == []
    again = done(ledger, paths[0])[0].as_dict()
    assert again == first  # the file can be entered again
    with pytest.raises(UsageError, match=r"import feb\.csv again"), ledger.writing("Ann", "x") as connection:
        undo(connection, decision.id)


def test_a_draft_goes_and_a_published_list_holds(ledger, write):
    put_policy(ledger, preset("club"))
    done(ledger, write(JANUARY, "jan.csv"), write(FEBRUARY, "feb.csv"))
    january, february = date(2026, 1, 31), date(2026, 2, 28)
    name = make_list(ledger, policy="club", closing=january).draft.name
    publish_list(ledger, policy="club", name=name)
    make_list(ledger, policy="club", closing=february)
    with pytest.raises(UsageError, match=r"a published list rests on jan\.csv"):
        take_out(ledger, 1)
    take_out(ledger, 2)
    lists = everything(ledger)["lists"]
    assert lists["name"].to_list() == [name]
    made = make_list(ledger, policy="club", closing=february)
    assert made.corrections == ()
    assert check_ledger(ledger) == []


def test_refused_where_somebody_has_decided_or_a_later_file_rests_on_it(ledger, write):
    done(ledger, write(JANUARY, "jan.csv"))
    with ledger.writing("Ann", "blitz") as connection:
        exclude_event(connection, 1)
    with pytest.raises(UsageError, match="decision 1 rests on this import"):
        take_out(ledger, 1)
    with ledger.writing("Ann", "no blitz") as connection:
        undo(connection, 1)
    done(ledger, write(JANUARY.replace("Winter Open", "Club").replace(",0-1,1700", ",1-0,1700"), "b.csv"))
    with pytest.raises(UsageError, match="a later file holds games"):
        take_out(ledger, 1)
    with pytest.raises(UsageError, match="there is none with it"):
        take_out(ledger, 9)
