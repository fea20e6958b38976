"""Parts of a list, found by the database, are those that the whole list has; on both databases."""

from __future__ import annotations

from itertools import product
from typing import get_args

import pytest
import sqlalchemy as sa

from arpad.ledger.db import tables
from arpad.ledger.list_making import make_list, publish_list
from arpad.ledger.lists import entries_as_of, entries_kept, list_called
from arpad.ledger.policy import Listed, preset
from arpad.ledger.queries.lists import Sort, Wanted, choices, entries_at, how_many, known_of_players, places
from arpad.ledger.register import fold
from tests.ledger.ledgers import NAMES, put_event, put_policy, round_robin

ANN, BOB, CLEO, DORA, ERIC, FAY = NAMES
FEDERATIONS = {ANN: "NOR", BOB: "NOR", CLEO: "CZE", DORA: None, ERIC: "CZE", FAY: "NOR"}
TITLES = {ANN: "WGM", ERIC: "FM"}
SEX = {ANN: "w", BOB: "m", CLEO: "F", DORA: "w", ERIC: "m"}
BORN = {ANN: "1990-05-01", BOB: "2001", CLEO: "2001-12", ERIC: "1960"}


@pytest.fixture(params=[False, True], ids=["together", "women apart"])
def corrected(ledger, request):
    """A published list with a published correction, and what is known of its players."""
    rules = Listed(min_games=2, women_apart=request.param)
    put_policy(ledger, preset("club", listed=rules))
    put_event(ledger, "August", "2026-08-12", round_robin([1, 1, 0]))
    put_event(ledger, "Autumn", "2026-09-12", round_robin([1, 0.5, 1, 0, 0], NAMES[:5]))
    put_event(ledger, "Blitz", "2026-09-20", [(FAY, ANN, 0.0)])
    with ledger.writing("test", "people") as connection:
        p, n = tables.players, tables.player_names
        for number, name in connection.execute(sa.select(p.c.id, p.c.name)).all():
            connection.execute(
                p.update().where(p.c.id == number).values(
                    federation=FEDERATIONS[name], title=TITLES.get(name), sex=SEX.get(name),
                    birth=BORN.get(name),
                )
            )  # fmt: skip
            connection.execute(n.insert().values(player_id=number, name=name, fold=fold(name)))
    make_list(ledger, name="2026-10")
    publish_list(ledger, name="2026-10")
    put_event(ledger, "Late", "2026-09-25", [(DORA, ANN, 1.0), (FAY, BOB, 1.0)])
    make_list(ledger, name="2026-10")
    publish_list(ledger, name="2026-10")
    return ledger


def found(connection, kept, wanted, **options):
    return entries_at(connection, kept, places(connection, kept, wanted, **options), **options)


@pytest.mark.parametrize("as_published", [False, True])
def test_the_whole_list_is_the_one_that_the_ledger_has(corrected, as_published):
    with corrected.reading() as connection:
        kept = list_called(connection, "club", "2026-10")
        whole = (entries_kept if as_published else entries_as_of)(connection, kept)
        rows = found(connection, kept, Wanted(standing="all"), as_published=as_published)
    wanted = whole.to_dicts()
    assert [{name: row[name] for name in whole.columns} for row in rows] == wanted
    assert any(row["corrected"] for row in rows) is not as_published


def test_a_corrected_figure_says_what_was_published_and_why(corrected):
    with corrected.reading() as connection:
        kept = list_called(connection, "club", "2026-10")
        before = dict(entries_kept(connection, kept).select("name", "rating").iter_rows())
        rows = {row["name"]: row for row in found(connection, kept, Wanted(standing="all"))}
    assert rows[DORA]["published"] == before[DORA] != rows[DORA]["rating"]
    assert "Late" in rows[DORA]["cause"]


CASES = {
    "federation": (Wanted(federation="NOR"), lambda r: r["federation"] == "NOR"),
    "title": (Wanted(title="FM"), lambda r: r["title"] == "FM"),
    "any title": (Wanted(title="any"), lambda r: r["title"] is not None),
    "women": (Wanted(sex="w"), lambda r: SEX.get(r["name"], "").lower() in ("w", "f")),
    "men": (Wanted(sex="m"), lambda r: SEX.get(r["name"]) == "m"),
    "25": (Wanted(age_from=25, age_to=25), lambda r: BORN.get(r["name"], "")[:4] == "2001"),
    "young": (Wanted(age_to=36), lambda r: BORN.get(r["name"], "0")[:4] >= "1990"),
    "old": (Wanted(age_from=36), lambda r: "0" < BORN.get(r["name"], "")[:4] <= "1990"),
    "name": (Wanted(text="eric EV"), lambda r: r["name"] == ERIC),
    "nobody": (Wanted(text="100%"), lambda _: False),
    "number": (Wanted(text="#2"), lambda r: r["player_id"] == 2),
    "provisional": (Wanted(standing="provisional"), lambda r: r["status"] == "provisional"),
    "played": (Wanted(standing="played"), lambda r: r["games"] > 0),
}


def test_what_is_asked_for_is_found(corrected):
    with corrected.reading() as connection:
        kept = list_called(connection, "club", "2026-10")
        whole = entries_as_of(connection, kept).to_dicts()
        for what, (wanted, fits) in CASES.items():
            expected = [r["player_id"] for r in whole if r["rank"] is not None and fits(r)]
            rows = found(connection, kept, wanted)
            assert [row["player_id"] for row in rows] == expected, what
            assert how_many(connection, kept, wanted) == len(expected), what


def test_every_column_sorts_both_ways_and_what_is_unknown_comes_last(corrected):
    with corrected.reading() as connection:
        kept = list_called(connection, "club", "2026-10")
        for sort, backwards in product(get_args(Sort), (False, True)):
            wanted = Wanted(sort=sort, backwards=backwards, standing="all")
            values = [row[sort] for row in found(connection, kept, wanted)]
            known = [value for value in values if value is not None]
            assert values[: len(known)] == known, sort
            if sort == "birth":  # the day is for administrators: it does not order a public list
                known = [value[:4] for value in known]
            down = (sort in ("rating", "change", "games", "total_games")) != backwards
            assert known == sorted(known, reverse=down), sort
            assert len(set(known)) > 1, sort


def test_pages_together_are_the_list(corrected):
    with corrected.reading() as connection:
        kept = list_called(connection, "club", "2026-10")
        whole = places(connection, kept, Wanted())
        parts = [whole.part(first, 2) for first in range(0, 10, 2)]
        top = places(connection, kept, Wanted(), most=2)
    assert [n for part in parts for n in part.players] == list(whole.players)
    assert list(top.players) == list(parts[0].players)


def test_choices_are_what_stands_on_the_list(corrected):
    with corrected.reading() as connection:
        kept = list_called(connection, "club", "2026-10")
        offered = choices(connection, kept)
        known = known_of_players(connection)
    assert offered.federations == {"CZE": 2, "NOR": 3}
    assert offered.titles == {"FM": 1, "WGM": 1}
    assert sum(offered.statuses.values()) == 6
    assert known == {"sex", "birth"}
