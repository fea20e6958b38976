"""Files into the ledger, on both databases."""

from __future__ import annotations

from importlib.resources import files
from itertools import pairwise
from typing import TYPE_CHECKING

import pytest
import sqlalchemy as sa
from hypothesis import given, settings
from hypothesis import strategies as st

from arpad.errors import InputError, StrictError, UsageError
from arpad.ledger.db import tables
from arpad.ledger.db.bulk import frame
from arpad.ledger.decisions.queue import queue, settle
from arpad.ledger.games import contents_of
from arpad.ledger.imports.importing import import_files, preview_files
from arpad.ledger.imports.staging import LONGEST_NAME, Settings
from arpad.ledger.register import fold

if TYPE_CHECKING:
    import polars as pl

HEAD = "date,event,round,white,black,result,white_rating,black_rating\n"
JANUARY = (
    HEAD
    + """\
2026-01-05,Winter Open,1,"Berger, Anna","Fox, Fay",1-0,1800,1650
2026-01-05,Winter Open,1,"Müller, Jörg","O'Neil, Bob",1/2-1/2,1720,1700
2026-01-12,Winter Open,2,"Fox, Fay","Müller, Jörg",0-1,1650,1720
2026-01-12,Winter Open,2,"O'Neil, Bob","Berger, Anna",0-1,1700,1800
"""
)
FEBRUARY = (
    HEAD
    + """\
2026-02-05,February Rapid,1,Anna Berger,"Fox,F",1-0,1805,1640
2026-02-05,February Rapid,1,"Mueller, Joerg",Bob O'Neil,1/2-1/2,1722,1690
"""
)
COUNTED = ("imports", "players", "player_ids", "player_names", "events", "games", "doubts")


def done(ledger, *paths, **options):
    return list(import_files(ledger, [str(p) for p in paths], who="me", **options))


def everything(ledger) -> dict[str, pl.DataFrame]:
    """Every row of every table, apart from when it was written."""
    with ledger.reading() as connection:
        return {
            table.name: frame(connection, table).drop("when", "opened", "made", "published", "created", strict=False)
            for table in tables.METADATA.sorted_tables
            if table.name != "identity"  # no two ledgers have the same
        }  # fmt: skip


def same(one, other) -> bool:
    return one.keys() == other.keys() and all(one[t].equals(other[t]) for t in one)


def test_players_are_found_by_name_and_doubtful_ones_are_new(ledger, write):
    first, second = done(ledger, write(JANUARY, "jan.csv"), write(FEBRUARY, "feb.csv"))
    assert (first.new, first.by_name, first.doubtful, first.games) == (4, 0, 0, 4)
    assert (second.new, second.by_name, second.doubtful) == (0, 3, 1)
    assert second.doubts.select("name", "score").rows() == [("Fox, Fay", 0.91)]
    found = everything(ledger)
    assert found["players"]["name"].to_list() == [
        "Berger, Anna", "Müller, Jörg", "Fox, Fay", "O'Neil, Bob", "Fox,F",
    ]  # fmt: skip
    assert found["events"]["time_control"].to_list() == ["standard", "rapid"]
    assert found["games"]["white_id"].to_list()[-2:] == [1, 2]
    assert "Anna Berger" not in found["player_names"]["name"]  # the same words
    assert found["imports"].select("file", "who", "games", "events", "players_new", "doubtful").rows() == [
        ("jan.csv", "me", 4, 1, 4, 0), ("feb.csv", "me", 2, 1, 1, 1),
    ]  # fmt: skip


def test_the_same_file_twice_changes_nothing_and_says_so(ledger, write):
    path = write(JANUARY, "jan.csv")
    done(ledger, path)
    before = everything(ledger)
    (again,) = done(ledger, write(JANUARY, "copy.csv"))
    assert again.earlier == (1, "jan.csv")
    assert "here already (import 1, jan.csv): nothing changes" in again.summary()
    assert same(everything(ledger), before)


def test_the_same_event_inside_another_file_is_skipped(ledger, write):
    done(ledger, write(JANUARY, "jan.csv"))
    body = JANUARY.removeprefix(HEAD).splitlines(keepends=True)
    mixed = HEAD + "".join([*reversed(body), *FEBRUARY.removeprefix(HEAD).splitlines(keepends=True)])  # fmt: skip
    (both,) = done(ledger, write(mixed, "both.csv"))
    assert (both.count("here"), both.count("new"), both.games) == (1, 1, 2)
    assert "1 event here already" in both.summary()
    assert everything(ledger)["events"].height == 2


def test_the_same_games_with_fewer_words_are_the_same_event(ledger, write):
    """Another format spells and numbers otherwise: the players are found, the games are equal."""
    done(ledger, write(JANUARY, "jan.csv"))
    other = JANUARY.replace('"Berger, Anna"', "Anna Berger").replace('"Fox, Fay"', "Fay Fox")
    other = other.replace("Müller, Jörg", "Mueller,Joerg")
    (again,) = done(ledger, write(other, "other.csv"))
    assert again.events["what"].to_list() == ["here"]


def test_doubts_are_answered_at_the_preview(ledger, write):
    paths = write(JANUARY, "jan.csv"), write(FEBRUARY, "feb.csv")
    done(ledger, paths[0])
    (asked,) = preview_files(ledger, [str(paths[1])])
    answers = {one["name"]: str(one["candidates"][0]["player"]) for one in asked.as_dict()["doubts"]}
    assert answers == {"Fox,F": "3"}
    with pytest.raises(UsageError):
        done(ledger, paths[1], answers={"Fox,F": "nobody"})
    assert everything(ledger)["imports"].height == 1
    (entered,) = done(ledger, paths[1], answers=answers)
    assert entered.settled == 1
    with ledger.reading() as connection:
        assert not queue(connection).doubts


def test_a_changed_report_waits_for_a_decision_and_does_not_count(ledger, write):
    done(ledger, write(JANUARY, "jan.csv"))
    changed = JANUARY.replace("0-1,1700,1800", "1-0,1700,1800")
    (result,) = done(ledger, write(changed, "jan2.csv"))
    assert result.events.select("event", "what").rows() == [(2, "changed")]
    events = everything(ledger)["events"]
    assert events["excluded"].to_list() == [False, True]
    with ledger.reading() as connection:
        (doubt,) = queue(connection).doubts
    assert (doubt.kind, doubt.event, doubt.candidates[0]["event"]) == ("event", 2, 1)
    assert "changed report" in doubt.reason
    (again,) = done(ledger, write(changed, "jan3.csv"))
    assert again.earlier is not None


@pytest.mark.parametrize(
    ("choose", "excluded"), [("replace", [True, False]), ("add", [False, False]), ("leave", [False, True])]
)
def test_a_changed_report_is_settled(ledger, write, choose, excluded):
    changed = JANUARY.replace("0-1,1700,1800", "1-0,1700,1800")
    done(ledger, write(JANUARY, "jan.csv"), write(changed, "jan2.csv"))
    with ledger.writing("me", "the arbiter says so") as connection:
        settle(connection, 1, choose)
    assert everything(ledger)["events"]["excluded"].to_list() == excluded
    with ledger.reading() as connection:
        assert not queue(connection).doubts
        assert queue(connection, settled=True).doubts[0].settled_by == 1


def test_a_settled_player_is_known_from_then_on(ledger, write):
    done(ledger, write(JANUARY, "jan.csv"), write(FEBRUARY, "feb.csv"))
    with ledger.writing("me", "asked her") as connection:
        decision = settle(connection, 1, "3")
    assert decision.kind == "match"
    assert everything(ledger)["players"]["merged_into"].to_list() == [None] * 4 + [3]
    march = FEBRUARY.replace("2026-02", "2026-03").replace("February", "March")
    (third,) = done(ledger, write(march, "mar.csv"))
    assert (third.by_name, third.new, third.doubtful) == (4, 0, 0)
    assert everything(ledger)["games"]["black_id"].to_list()[-2] == 3


def test_a_player_who_was_settled_as_new_stays_himself(ledger, write):
    done(ledger, write(JANUARY, "jan.csv"), write(FEBRUARY, "feb.csv"))
    with ledger.writing("me", "her brother") as connection:
        settle(connection, 1, "new")
    assert everything(ledger)["players"]["merged_into"].null_count() == 5
    with ledger.reading() as connection:
        assert queue(connection).summary() == "nothing waits for a decision"


def test_a_preview_says_exactly_what_the_import_does_and_writes_nothing(ledger, write):
    changed = JANUARY.replace("0-1,1700,1800", "1-0,1700,1800")
    paths = [write(JANUARY, "a"), write(FEBRUARY, "b"), write(changed, "c"), write(JANUARY, "d")]
    names = [str(p) for p in paths]
    none = everything(ledger)
    foreseen = [one.as_dict() for one in preview_files(ledger, names)]
    nowhere = [one.as_dict() for one in preview_files(None, names)]
    assert same(everything(ledger), none)
    real = [one.as_dict() for one in done(ledger, *paths)]
    assert foreseen == real == nowhere


def test_content_is_what_the_ledger_holds(ledger, write):
    done(ledger, write(JANUARY, "jan.csv"), write(FEBRUARY, "feb.csv"))
    with ledger.reading() as connection:
        assert dict(contents_of(connection, [1, 2]).iter_rows()) == dict(
            frame(connection, sa.select(tables.events.c.id, tables.events.c.content).order_by(tables.events.c.id)).iter_rows()
        )  # fmt: skip


def test_a_birth_that_becomes_known_changes_the_content_of_earlier_events(ledger, write):
    done(ledger, write(JANUARY, "jan.csv"))
    before = everything(ledger)["events"]["content"][0]
    text = 'name,rating,birth,federation,title\n"Berger, Anna",1810,2004-05-06,AUT,WCM\n'
    (result,) = done(ledger, write(text, "list.csv"), settings=Settings(date="2026-03-01"))
    assert (result.by_name, result.completed, result.listed) == (1, 1, 1)
    found = everything(ledger)
    assert found["players"].row(0, named=True)["birth"] == "2004-05-06"
    assert found["events"]["content"][0] != before
    with ledger.reading() as connection:
        assert contents_of(connection, [1])["hash"][0] == found["events"]["content"][0]


NAMES = [
    "Robert'); DROP TABLE players;--",
    'O\'Neil, "Bob"',
    "Ивановъ, Пётр",
    "山田 太郎",
    "ابن سينا",
    "x" * 300 + ", Yves",
    "a\\b%_, cde",
    "\N{GRINNING FACE} Emoji",
]


def test_any_name_is_kept_as_it_is_and_found_again(ledger, write):
    def text(day, turn):
        rows = [
            f'{day},Open,{i},"{a.replace(chr(34), chr(34) * 2)}","{b.replace(chr(34), chr(34) * 2)}",1-0,,'
            for i, (a, b) in enumerate(pairwise(NAMES[turn:] + NAMES[:turn]))
        ]
        return HEAD + "\n".join(rows)

    first, second = done(ledger, write(text("2026-01-01", 0), "a.csv"), write(text("2025-01-01", 3), "b.csv"))
    assert (first.new, second.by_name, second.new, second.doubtful) == (8, 8, 0, 0)
    assert sorted(everything(ledger)["players"]["name"]) == sorted(name[:LONGEST_NAME] for name in NAMES)
    assert everything(ledger)["player_names"]["fold"].to_list() == [
        fold(name) for name in everything(ledger)["player_names"]["name"]
    ]


def test_lines_that_cannot_be_read_are_said_with_their_place(ledger, write):
    broken = JANUARY + "2026-01-19,Winter Open,3,A,B,5-5,,\n"
    path = write(broken, "broken.csv")
    with pytest.raises(StrictError, match="6"):
        done(ledger, path, strict=True)
    assert not everything(ledger)["imports"].height
    (result,) = done(ledger, path)
    assert [(n.line, n.action) for n in result.report.notes] == [(6, "skipped")]
    assert result.games == 4


def test_a_file_that_cannot_be_used_leaves_nothing_and_the_ones_before_it_stay(ledger, write):
    good, bad = write(JANUARY, "good.csv"), write("white,black,result\nA,B,1-0\n", "bad.csv")
    with pytest.raises(InputError, match="a date in the past"):
        done(ledger, good, bad, good)
    assert everything(ledger)["imports"]["file"].to_list() == ["good.csv"]


@pytest.mark.parametrize("name", ["frankfurt-1997.pra", "game-of-the-century.pgn"])
def test_samples_of_the_package_enter(ledger, name):
    path = str(files("arpad") / "samples" / name)
    (result,) = import_files(ledger, [path], settings=Settings(date="1997-06-01"))
    assert result.count("new") == 1
    assert result.games >= 1
    (again,) = import_files(ledger, [path])
    assert again.earlier is not None


def test_the_document_of_an_event_keeps_what_has_no_column(ledger):
    path = str(files("arpad") / "samples" / "frankfurt-1997.pra")
    list(import_files(ledger, [path], settings=Settings(date="1997-06-01")))
    with ledger.reading() as connection:
        document = connection.execute(sa.select(tables.events.c.document)).scalar_one()
    assert document["number_two"] == 2765.0
    assert document["rating_system"]


@pytest.mark.parametrize("split", [1, 2, 3])
def test_the_same_games_in_other_portions_give_the_same_ledger(new_ledger, write, split):
    """Determinism: files in the same order give the same numbers; a second ledger is equal."""
    paths = [write(JANUARY, "a.csv"), write(FEBRUARY, "b.csv")][:split]
    one, other = new_ledger(), new_ledger()
    done(one, *paths)
    for path in paths:
        done(other, path)
    assert same(everything(one), everything(other))


ROW = st.tuples(
    st.sampled_from(["2026-01-05", "2026-02-05", "2026-01", "2025"]),
    st.sampled_from(["Open", "Rapid", ""]),
    st.sampled_from(["Berger, Anna", "Fox, Fay", "Fox,F", "Morphy", "Иван"]),
    st.sampled_from(["Anna Berger", "F. Fox", "NN", "O'Neil", "Li, A"]),
    st.sampled_from(["1-0", "0-1", "1/2-1/2", "*", "+/-", "zz"]),
    st.sampled_from(["", "1500", "2100"]),
)


def test_whatever_comes_the_second_time_changes_nothing(spare_ledger, few, write):
    @settings(max_examples=few(12))
    @given(st.lists(st.lists(ROW, min_size=1, max_size=5), min_size=1, max_size=3))
    def enter_twice(portions):
        entered = []
        with spare_ledger() as ledger:
            for number, rows in enumerate(portions):
                lines = [f'{d},{e},{i},"{w}","{b}",{r},{x},{x}' for i, (d, e, w, b, r, x) in enumerate(rows)]  # fmt: skip
                path = write(HEAD + "\n".join(lines), f"{number}.csv")
                try:
                    done(ledger, path)
                except InputError:  # nothing in it can be used
                    assert all(row[4] == "zz" for row in rows)
                else:
                    entered.append(path)
            before = everything(ledger)
            assert (before["games"]["white_id"] != before["games"]["black_id"]).all()
            for path in entered:
                assert done(ledger, path)[0].earlier is not None
            assert same(everything(ledger), before)
            with ledger.reading() as connection:
                found = contents_of(connection, before["events"]["id"].to_list())
            assert found["hash"].to_list() == before["events"]["content"].to_list()

    enter_twice()
