"""Names that are kept and searched in memory find whom the database finds; on both databases."""

from __future__ import annotations

import re

import pytest
import sqlalchemy as sa
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from arpad.ledger.db import tables
from arpad.ledger.decisions.corrections import correct_player, merge
from arpad.ledger.queries.players import WORDS, found_people, name_index
from arpad.ledger.register import fold

SPELLED = [
    "Kovács, Zoë", "Nguyễn, Dara", "O'Neil, Pat", "Novak, Jan", "Nowak, Jan", "Jan", "de la Cruz, A.", "%", "Łoś, B",
    "Novák, Janek Kovács", "X", "李, 明", "Smith-Jones, Anna", "anna\nsmith", "4711",
]  # fmt: skip
TEXTS = ["", " ", "a", "an", "jan", "novak jan", "jan novak", "kov", "ovac", "zz", "#1", "#99", "#3", "4711", "fide:4711", "uscf:4711", "%", "o'neil", "la cruz", "li", "smith"]  # fmt: skip


def named(text: str):
    """A query for the numbers of the players whom a text may mean, merged ones too: the readable reference.

    Every word has to be in one and the same spelling of the name, wherever; `#12` is the ledger's number,
    and whatever has no blank in it may be an id.
    """
    p, i, n = tables.players, tables.player_ids, tables.player_names
    wanted = text.strip()
    marked = re.fullmatch(r"#(\d{1,9})", wanted)
    if marked:
        return sa.select(p.c.id).where(p.c.id == int(marked[1]))
    scheme, _, value = wanted.rpartition(":")
    by_id = sa.select(i.c.player_id).where(i.c.value == value.strip())
    if scheme:
        by_id = by_id.where(i.c.scheme == scheme.strip().lower())
    words = fold(wanted).split()[:WORDS]
    if not words:
        return by_id
    holds = [n.c.fold.contains(word, autoescape=True) for word in words]
    return sa.union(by_id, sa.select(n.c.player_id).where(*holds))


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


def today(connection) -> dict[int, int]:
    """The number of today by number, by name."""
    p = tables.players.c
    rows = connection.execute(sa.select(p.id, p.merged_into).order_by(p.name, p.id)).all()
    into = dict(rows)
    return {number: into[number] or number for number, _ in rows}  # nobody is merged twice here


def check(connection, text) -> None:
    index, now = name_index(connection), today(connection)
    wanted = sorted(connection.execute(named(text)).scalars()) if text.strip() else sorted(now)
    if text.strip():
        assert index.found(connection, text).tolist() == wanted
    among = list(dict.fromkeys(now[n] for n in now if n in wanted))
    assert index.people(connection, text) == among
    found = found_people(connection, text, most=5, first=1)
    assert [p.id for p in found.people] == among[1:6]
    assert found.total == len(among)


def test_the_best_fit_comes_first(people):
    with people.reading() as connection:
        index = name_index(connection)
        ranked = [
            index.ranked(connection, text) for text in ("jan", "novak j", "janek", "novka", "smiht", "zzz")
        ]
    assert next(iter(ranked[0].items())) == (6, 0)  # whose whole name it is
    assert ranked[0][10] == 2  # Janek begins so
    assert set(ranked[1]) >= {4, 10}
    assert ranked[2] == {10: 1}
    assert ranked[3] == {4: 4, 10: 4}  # two letters changed places
    assert ranked[4] == {13: 4, 14: 4}
    assert ranked[5] == {}


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
