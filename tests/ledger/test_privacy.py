"""Personal data of one player: exported whole, erased everywhere, games and ratings kept."""

from __future__ import annotations

import pytest
import sqlalchemy as sa

from arpad.errors import UsageError
from arpad.ledger.db import tables
from arpad.ledger.db.ledger import Ledger
from arpad.ledger.decisions.corrections import correct_player
from arpad.ledger.decisions.decisions import decisions, undo
from arpad.ledger.decisions.privacy import erase_person, export_person
from arpad.ledger.decisions.subjects import person, person_called
from arpad.ledger.imports.importing import import_files
from arpad.ledger.list_making import make_list, publish_list
from arpad.ledger.policy import add_policy, preset

ROWS = """event,date,round,white,black,result,white_birth,black_birth,white_rating,black_rating
Open,2026-01-10,1,"Secretname, Sam","Berg, Ida",1-0,2012-03-04,1990,1500,1600
Open,2026-01-11,2,"Novak, Jan","Secretname, Sam",0-1,1980,2012-03-04,1700,1500
"""
SECRETS = ("Secretname", "Zapotocky", "2012-03-04", "1503014")


@pytest.fixture
def ledger(tmp_path):
    (tmp_path / "open.csv").write_text(ROWS)
    with Ledger.open(str(tmp_path / "x.db"), create=True) as ledger:
        list(import_files(ledger, [str(tmp_path / "open.csv")], who="ann"))
        with ledger.writing("ann", "rules") as connection:
            add_policy(connection, preset("club"))
        make_list(ledger, policy="club", name="2026-02", who="ann")
        publish_list(ledger, policy="club", name="2026-02", who="ann")
        with ledger.writing("ann", "Secretname, Sam showed a passport") as connection:
            number = person_called(connection, "Secretname, Sam").id
            correct_player(connection, number, name="Zapotocky, Sam", ids={"fide": "1503014"}, sex="m")
        yield ledger


def whole_text(ledger) -> str:
    with ledger.reading() as connection:
        return "\n".join(
            str(tuple(row))
            for table in tables.METADATA.sorted_tables
            for row in connection.execute(sa.select(table))
        )


def rating_columns(ledger):
    n, g = tables.entries.c, tables.games.c
    with ledger.reading() as connection:
        entries = connection.execute(
            sa.select(n.list_id, n.player_id, n.rating, n.rank).order_by(n.player_id)
        ).all()
        games = connection.execute(sa.select(g.id, g.white_id, g.black_id, g.score).order_by(g.id)).all()
    return entries, games


def test_export_has_every_row_about_the_person(ledger):
    with ledger.reading() as connection:
        data = export_person(connection, person_called(connection, "Zapotocky, Sam").id)
    assert [row["name"] for row in data["players"]] == ["Zapotocky, Sam"]
    assert {row["name"] for row in data["names"]} == {"Secretname, Sam", "Zapotocky, Sam"}
    assert [(row["scheme"], row["value"]) for row in data["ids"]] == [("fide", "1503014")]
    assert len(data["games"]) == 2
    assert {row["list"] for row in data["entries"]} == {"2026-02"}
    assert [row["kind"] for row in data["decisions"]] == ["correct"]


def test_after_erasure_no_table_has_the_data_and_games_and_ratings_are_as_before(ledger):
    before = rating_columns(ledger)
    assert all(secret in whole_text(ledger) for secret in SECRETS)
    with ledger.writing("ann", "request by letter of Sam Zapotocky") as connection:
        number = person_called(connection, "Zapotocky, Sam").id
        made = erase_person(connection, number)
    text = whole_text(ledger).lower()
    assert [secret for secret in SECRETS if secret.lower() in text] == []
    assert rating_columns(ledger) == before
    with ledger.reading() as connection:
        who = person(connection, number)
        assert (who.name, who.birth, who.sex) == (f"Erased player {number}", "2012", None)
        assert person_called(connection, f"Erased player {number}").id == number
        last = decisions(connection)[-1]
    assert (last.id, last.kind, last.subject, last.why) == (
        made.id,
        "erase",
        f"player {number}",
        f"request by letter of Erased player {number}",
    )
    assert make_list(ledger, policy="club", name="2026-03", who="ann").corrections == ()


PGN = """[Event "Sam Zapotocky Memorial"]
[Site "Hall of ZAPOTOCKY, SAM"]
[Date "2026.01.17"]
[White "Zapotocky, Sam"]
[Black "Berg, Ida"]
[Result "1-0"]

1. e4 {Zapotocky plays the best move} e5 {as Sam  Zapotocky says} 2. Nf3 1-0

[Event "Club evening"]
[Date "2026.01.18"]
[White "Berg, Ida"]
[Black "Novak, Jan"]
[Result "1-0"]

1. d4 {shown by Sam Zapotocky to Sam Zapotockyson} d5 1-0
"""


def test_a_name_is_erased_from_names_of_files_and_events_and_from_comments(ledger, tmp_path):
    path = tmp_path / "Zapotocky_Sam.pgn"
    path.write_text(PGN)
    list(import_files(ledger, [str(path)], who="ann"))
    with ledger.writing("ann", "Zapotocky sent a letter") as connection:
        number = person_called(connection, "Zapotocky, Sam").id
        correct_player(connection, number, title="FM")
    with ledger.writing("ann", "request") as connection:
        erase_person(connection, number)
    text = whole_text(ledger)
    assert [secret for secret in SECRETS if secret.lower() in text.lower().replace("zapotockyson", "")] == []
    erased = f"Erased player {number}"
    for kept in (
        f"{erased} Memorial", f"Hall of {erased}", f"{{{erased} plays the best move}} e5", f"{erased}.pgn",
        f"{{shown by {erased} to Sam Zapotockyson}}", f"{erased} sent a letter",
    ):  # fmt: skip
        assert kept in text


def test_a_surname_that_others_have_stays_where_it_may_be_theirs(ledger):
    with ledger.writing("ann", "two of them") as connection:
        correct_player(connection, person_called(connection, "Berg, Ida").id, name="Zapotocky, Ida")
        number = person_called(connection, "Zapotocky, Sam").id
        correct_player(connection, number, title="FM")
    with ledger.writing("ann", "request") as connection:
        erase_person(connection, number)
        assert person_called(connection, "Zapotocky, Ida").id != number
    text = whole_text(ledger)
    assert "Zapotocky, Ida" in text
    assert "Sam" not in text


def test_an_erasure_is_not_undone_and_not_repeated(ledger):
    with ledger.writing("ann", "request") as connection:
        number = person_called(connection, "Zapotocky, Sam").id
        made = erase_person(connection, number)
    with ledger.writing("ann", "second thoughts") as connection:
        with pytest.raises(UsageError):
            undo(connection, made.id)
        with pytest.raises(UsageError):
            undo(connection, made.id - 1)
        with pytest.raises(UsageError):
            erase_person(connection, number)
