"""What is published is what was shown: a stale or changed draft is refused, with a button that makes it again."""

from __future__ import annotations

import pytest

from arpad.ledger.db.ledger import Ledger
from arpad.ledger.decisions.corrections import correct_game
from arpad.ledger.list_making import make_list
from arpad.ledger.lists import kept_lists
from tests.web.conftest import token

DRAFT = "/lists/club/2026-12"


def seen_by(client) -> dict[str, str]:
    return {"token": token(client), "seen": client.get(f"/api{DRAFT}/publish").json()["seen"]}


def published(place: str) -> list[str]:
    with Ledger.open(place) as ledger, ledger.reading() as connection:
        return [each.words for each in kept_lists(connection, "club") if each.published]


def change_a_game(place: str) -> None:
    """Correct a game of the last event, so that the draft is another one."""
    with Ledger.open(place) as ledger, ledger.writing("ann", "the sheet says so") as connection:
        number = connection.exec_driver_sql(
            "SELECT g.id FROM games g JOIN events e ON e.id = g.event_id WHERE g.status = 'played'"
            ' AND g.score = 1 AND NOT e.excluded ORDER BY e."end" DESC, g.id LIMIT 1'
        ).scalar()
        correct_game(connection, number, score=0.0, black_score=1.0)


@pytest.mark.parametrize("again", [False, True])
def test_a_draft_that_changed_since_it_was_shown_is_not_published(officer, club, again):
    form, before = seen_by(officer), published(club)
    change_a_game(club)
    if again:  # somebody made the draft again meanwhile: it is fresh, and not what was shown
        with Ledger.open(club) as ledger:
            make_list(ledger, policy="club", name="2026-12")
    answer = officer.post(f"{DRAFT}/publish", data=form)
    assert answer.status_code == 409
    assert published(club) == before
    assert 'action="/jobs/list"' in answer.text
    assert 'name="name" value="2026-12"' in answer.text


def test_a_form_without_a_hash_publishes_nothing(officer, club):
    before = published(club)
    for seen in ({}, {"seen": ""}, {"seen": "0" * 64}):
        assert officer.post(f"{DRAFT}/publish", data={"token": token(officer), **seen}).status_code == 409
    assert published(club) == before


def test_what_was_shown_is_published(officer, club):
    answer = officer.post(f"{DRAFT}/publish", data=seen_by(officer))
    assert answer.status_code == 303
    assert any("2026-12" in words for words in published(club))
