"""Names that are kept and searched in memory find whom the database finds; on both databases."""

from __future__ import annotations

import pytest
import sqlalchemy as sa
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from arpad.ledger.db import tables
from arpad.ledger.decisions.corrections import correct_player, merge
from arpad.ledger.queries.players import found_people, name_index, named
from arpad.ledger.register import fold

SPELLED = [
    "Kovács, Zoë", "Nguyễn, Dara", "O'Neil, Pat", "Novak, Jan", "Nowak, Jan", "Jan", "de la Cruz, A.", "%", "Łoś, B",
    "Novák, Janek Kovács", "X", "李, 明", "Smith-Jones, Anna", "anna\nsmith", "4711",
]  # fmt: skip
TEXTS = ["", " ", "a", "an", "jan", "novak jan", "jan novak", "kov", "ovac", "zz", "#1", "#99", "#3", "4711", "fide:4711", "uscf:4711", "%", "o'neil", "la cruz", "li", "smith"]  # fmt: skip


@pytest.fixture
def people(ledger):
    """Players with strange names, an id, another spelling, and two who are one."""
    p, n = tables.players, tables.player_names
    with ledger.writing("test", "people") as connection:
        for number, name in enumerate(SPELLED, start=1):
            connection.execute(p.insert().values(id=number, name=name))
            connection.execute(n.insert().values(player_id=number, name=name, fold=fold(name)))
    with ledger.writing("test", "because") as connection:
        correct_player(connection, 3, ids={"fide": "4711"})
        correct_player(connection, 6, name="Zzyzx, Jan")
        merge(connection, 5, 4)
    return ledger


def check(connection, text) -> None:
    index = name_index(connection)
    wanted = sorted(connection.execute(named(text)).scalars()) if text.strip() else []
    if text.strip():
        assert index.found(connection, text).tolist() == wanted
    found = found_people(connection, text, most=5, first=1)
    among = index.people(connection, text)
    assert found_people(connection, text, most=5, first=1, among=among) == found


@pytest.mark.parametrize("text", TEXTS)
def test_who_is_found_is_whom_the_database_finds(people, text):
    with people.reading() as connection:
        check(connection, text)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(words=st.lists(st.text(alphabet="aknovjzsmith \n#:47łé", max_size=5), max_size=4))
def test_any_words_find_whom_the_database_finds(people, words):
    with people.reading() as connection:
        check(connection, " ".join(words))


def test_a_ledger_without_players_has_nobody(ledger):
    with ledger.reading() as connection:
        index = name_index(connection)
        assert index.people(connection, "") == index.people(connection, "a") == []
        assert connection.execute(sa.select(tables.players.c.id)).first() is None
