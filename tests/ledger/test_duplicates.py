"""Nothing counts twice without a decision, and the order of imports changes no list."""

from __future__ import annotations

import itertools
import re
from datetime import date

import pytest
import sqlalchemy as sa

from arpad.errors import UsageError
from arpad.ledger.db import tables
from arpad.ledger.db.backup import check_ledger
from arpad.ledger.db.bulk import frame
from arpad.ledger.decisions.corrections import merge, unmerge
from arpad.ledger.decisions.decisions import undo
from arpad.ledger.decisions.queue import queue, settle
from arpad.ledger.imports.importing import import_files, preview_files, undo_import
from arpad.ledger.list_making import make_list, publish_list
from arpad.ledger.policy import preset
from arpad.ledger.queries.events import event_lines, events_table
from tests.ledger.ledgers import put_policy

PEOPLE = [("Adams, Ann", 101), ("Brown, Bob", 102), ("Clark, Cleo", 103), ("Davis, Dora", 104)]
PAIRS = [(0, 1, "1-0"), (2, 3, "1/2-1/2"), (0, 2, "0-1"), (1, 3, "1-0"), (3, 0, "1-0"), (1, 2, "1/2-1/2")]


def pgn(event, games, *, site="Here"):
    return "\n".join(
        f'[Event "{event}"]\n[Site "{site}"]\n[Date "2026.10.{3 + number // 2:02}"]\n[Round "{1 + number // 2}"]\n'
        f'[White "{PEOPLE[w][0]}"]\n[Black "{PEOPLE[b][0]}"]\n[Result "{result}"]\n'
        f'[WhiteFideId "{PEOPLE[w][1]}"]\n[BlackFideId "{PEOPLE[b][1]}"]\n\n{result}\n'
        for number, (w, b, result) in ((n, PAIRS[n]) for n in games)
    )  # fmt: skip


def enter(ledger, *paths):
    return list(import_files(ledger, [str(p) for p in paths], who="me"))


def counted(ledger):
    """The games that count: in an event that does, and played."""
    g, e = tables.games.c, tables.events.c
    with ledger.reading() as connection:
        query = sa.select(g.white_id, g.black_id, g.date, g.score).join(tables.events, e.id == g.event_id)
        rows = frame(connection, query.where(g.status == "played", e.excluded.is_(False)).order_by(g.id))
    return sorted(rows.rows())


def the_doubt(ledger):
    with ledger.reading() as connection:
        (one,) = queue(connection).doubts
    return one


def list_bytes(ledger):
    made = make_list(ledger, policy="club", closing=date(2026, 10, 31))
    assert made.entries.height == 4
    return made.entries.drop("player_id").write_csv()


@pytest.mark.parametrize("event", ["Open", "Championship"])
@pytest.mark.parametrize(
    ("first", "second", "smaller", "larger"), [(range(6), range(2, 5), 2, 1), (range(2, 5), range(6), 1, 2)]
)
def test_games_that_are_here_count_once_whatever_their_event_is_called(
    ledger, write, event, first, second, smaller, larger
):
    enter(ledger, write(pgn("Open", first, site="A"), "first.pgn"))
    (result,) = enter(ledger, write(pgn(event, second, site="B"), "second.pgn"))
    assert result.duplicates == 3
    assert result.as_dict()["duplicates"] == 3
    assert len(counted(ledger)) == 6
    doubt = the_doubt(ledger)
    assert (doubt.kind, doubt.event) == ("event", smaller)
    with ledger.reading() as connection:
        events = events_table(connection).select("event", "games", "rated", "counts").rows()
        lines = event_lines(connection, [smaller, larger])
    assert sorted(events) == sorted([(smaller, 3, 0, False), (larger, 6, 6, True)])
    assert [(line.rated, line.unrated, line.counts) for line in lines] == [(0, 3, False), (6, 0, True)]
    assert [(c["event"], c["games"]) for c in doubt.candidates] == [(larger, 3)]


@pytest.mark.parametrize(
    ("choice", "games"), [("merge", 6), ("replace", 6), ("add", 9), ("leave", 6)]
)  # fmt: skip
def test_somebody_decides_about_duplicates_and_takes_it_back(ledger, write, choice, games):
    enter(ledger, write(pgn("Open", range(6)), "a.pgn"), write(pgn("Club", range(3)), "b.pgn"))
    before = counted(ledger)
    with ledger.writing("Ann", "seen the score sheets") as connection:
        settled = settle(connection, 1, choice)
    assert len(counted(ledger)) == games
    with ledger.writing("Ann", "not so") as connection:
        undo(connection, settled.id)
    assert counted(ledger) == before


def test_two_events_of_one_file_with_the_same_games_count_once(ledger, write):
    (result,) = enter(ledger, write(pgn("Open", range(6)) + "\n" + pgn("Other", range(5)), "both.pgn"))
    assert result.duplicates == 5
    assert len(counted(ledger)) == 6


def test_another_result_or_another_round_is_another_game(ledger, write):
    enter(ledger, write(pgn("Open", range(2)), "a.pgn"))
    text = pgn("Match", range(2)).replace('Round "1"', 'Round "2"')
    (result,) = enter(ledger, write(text, "b.pgn"))
    assert result.duplicates == 0
    assert len(counted(ledger)) == 4


@pytest.mark.parametrize(
    ("old", "new", "found"),
    [
        ('Date "2026.10.0.', 'Date "2026.10.05', 4),  # all games have the day of the last round
        ('Date "2026.10.0.', 'Date "2026.10.??', 4),
        ('Round "."', 'Round "?"', 4),
        ('(Date "2026.10.)0.(.*\n.Round ").', r"\1??\2?", 4),  # neither day nor round, and all games agree
        ('Date "2026.10.0.', 'Date "2026.11.05', 0),
    ],
)  # fmt: skip
def test_the_day_or_the_round_is_enough(ledger, write, old, new, found):
    enter(ledger, write(pgn("Open", range(6)), "a.pgn"))
    (result,) = enter(ledger, write(re.sub(old, new, pgn("Club", range(4))), "b.pgn"))
    assert result.duplicates == found
    assert len(counted(ledger)) == 10 - found


def test_a_wrong_result_in_a_report_of_the_same_games_does_not_count_beside_the_other(ledger, write):
    enter(ledger, write(pgn("Open", range(6)), "a.pgn"))
    text = pgn("Club", range(5)).replace('"1/2-1/2"', '"1-0"')
    assert enter(ledger, write(text, "b.pgn"))[0].duplicates == 5
    assert len(counted(ledger)) == 6


def short(text):
    """The same games with initials, and no ids."""
    return re.sub(r"\[.*Id .*\n", "", re.sub(r", (.)\w+", r", \1.", text))


def test_games_of_doubtful_players_wait_with_them(ledger, write):
    enter(ledger, write(pgn("Open", range(6)), "a.pgn"))
    (result,) = enter(ledger, write(short(pgn("Club", range(4))), "b.pgn"))
    assert (result.doubtful, result.duplicates) == (4, 4)
    with ledger.writing("Ann", "they said so") as connection:
        for doubt in queue(connection, kind="player").doubts:
            settle(connection, doubt.number, doubt.likeliest())
    assert len(counted(ledger)) == 6
    assert the_doubt(ledger).likeliest() == "merge"


def test_a_merge_makes_no_game_count_twice_and_is_taken_back(ledger, write):
    enter(ledger, write(pgn("Open", range(6)), "a.pgn"))
    text = short(pgn("Club", range(4)).replace("Adams, Ann", "Zola, Zoe").replace("101", "105"))
    assert enter(ledger, write(text, "b.pgn"))[0].duplicates == 2  # without her
    (zoe,) = [n for n, name in players(ledger) if name.startswith("Zola")]
    before = counted(ledger)
    assert len(before) == 6 + 2
    with ledger.writing("Ann", "her new name") as connection:
        merged = merge(connection, zoe, 1)
        assert "2 games are in two events" in merged.facts["notes"][-1]
        assert queue(connection, kind="event").waiting["event"] == 2
    assert len(counted(ledger)) == 6
    for back in (lambda c: undo(c, merged.id), lambda c: unmerge(c, zoe)):
        with ledger.writing("Ann", "not so") as connection:
            back(connection)
            assert queue(connection, kind="event").waiting["event"] == 1
        assert counted(ledger) == before
        with ledger.writing("Ann", "after all") as connection:
            merge(connection, zoe, 1)


def players(ledger):
    with ledger.reading() as connection:
        return frame(connection, sa.select(tables.players.c.id, tables.players.c.name).order_by("id")).rows()


def test_one_game_without_day_and_round_is_no_duplicate(ledger, write):
    enter(ledger, write(pgn("Open", range(6)), "a.pgn"))
    text = pgn("Club", [0]).replace("2026.10.03", "2026.10.??").replace('Round "1"', 'Round "?"')
    assert enter(ledger, write(text, "b.pgn"))[0].duplicates == 0


def test_a_preview_says_what_the_import_does(ledger, write):
    paths = [str(write(pgn("Open", range(6)), "a.pgn")), str(write(pgn("Club", range(3)), "b.pgn"))]
    previewed = [one.as_dict() for one in preview_files(ledger, paths)]
    assert previewed == [one.as_dict() for one in enter(ledger, *paths)]


def test_parts_of_one_event_count_in_any_order_and_give_the_same_list(new_ledger, write):
    parts = [write(pgn("Open", games), f"{k}.pgn") for k, games in enumerate([(0, 3), (1, 2, 5), (4,)])]
    again = pgn("Open", (5,)).replace("Clark, Cleo", "Davis, Dora").replace("103", "104")
    parts.append(write(again, "two games in one round.pgn"))
    found = set()
    for order in list(itertools.permutations(parts))[::3]:  # each before and after each, first and last
        with new_ledger() as ledger:
            put_policy(ledger, preset("club"))
            done = enter(ledger, *order)
            assert sum(one.count("new") for one in done) == 4
            assert all(one.count("changed") == one.duplicates == 0 for one in done)
            assert len(counted(ledger)) == 7
            found.add(list_bytes(ledger))
    assert len(found) == 1


REPORTS = {"all.pgn": range(6), "early.pgn": range(4), "late.pgn": (2, 3, 4, 5), "two.pgn": (1, 4)}


def reports(write):
    """Reports of the same games under four names, each with some of them."""
    return [write(pgn(name, games), name) for name, games in REPORTS.items()]


def test_overlapping_reports_in_any_order_give_the_same_list(new_ledger, write):
    found = set()
    paths = reports(write)
    for order in (paths, paths[::-1], paths[2:] + paths[:2]):
        with new_ledger() as ledger:
            put_policy(ledger, preset("club"))
            enter(ledger, *order)
            assert len(counted(ledger)) == 6
            found.add(list_bytes(ledger))
    assert len(found) == 1


def test_two_reports_that_cannot_be_compared_both_give_way_to_a_third(ledger, write):
    days = pgn("Days", range(3)).replace('Round "1"', 'Round "?"').replace('Round "2"', 'Round "?"')
    rounds = re.sub(r"2026\.10\.\d\d", "2026.10.??", pgn("Rounds", (2, 3, 4, 5)))
    enter(ledger, write(days, "days.pgn"), write(rounds, "rounds.pgn"))
    assert len(counted(ledger)) == 7  # one game in both: nobody can know
    enter(ledger, write(pgn("Open", range(6)), "all.pgn"))
    assert len(counted(ledger)) == 6


def test_a_preview_of_overlapping_reports_says_what_the_import_does(ledger, write):
    paths = [str(path) for path in reports(write)[::-1]]
    previewed = [one.as_dict() for one in preview_files(ledger, paths)]
    assert previewed == [one.as_dict() for one in enter(ledger, *paths)]


def test_games_that_gave_way_count_again_when_the_fuller_report_is_taken_out(ledger, write):
    every, early, _, _ = reports(write)
    enter(ledger, early)
    before = counted(ledger)
    enter(ledger, every)
    with (
        pytest.raises(UsageError, match="undo that import first"),
        ledger.writing("Ann", "why") as connection,
    ):
        undo_import(connection, 1)
    with ledger.writing("Ann", "the wrong file") as connection:
        undo_import(connection, 2)
    assert counted(ledger) == before
    assert check_ledger(ledger) == []


def test_what_a_published_list_rests_on_does_not_give_way(ledger, write):
    every, early, _, _ = reports(write)
    put_policy(ledger, preset("club"))
    enter(ledger, early)
    make_list(ledger, policy="club", closing=date(2026, 10, 31))
    publish_list(ledger, policy="club", who="Ann")
    enter(ledger, every)
    assert (the_doubt(ledger).event, len(counted(ledger))) == (2, 6)


@pytest.mark.parametrize("choice", ["replace", "leave"])
def test_of_three_copies_one_counts_whatever_is_decided(ledger, write, choice):
    enter(ledger, *reports(write)[::-1])
    for number in (1, 2, 3):
        with ledger.writing("Ann", "seen the score sheets") as connection:
            asked = [d.number for d in queue(connection).doubts]
            if number in asked:
                settle(connection, number, choice)
        assert len(counted(ledger)) == 6


def test_a_crosstable_without_colours_has_the_games_of_its_event(ledger, write):
    enter(ledger, write(pgn("Open", range(6)), "a.pgn"))
    table = "Event,Date,Round,White,Black,Result\n" + "".join(
        f'Crosstable,2026.10.{3 + n // 2:02},{1 + n // 2},"{PEOPLE[b][0]}","{PEOPLE[w][0]}",{r[::-1] if "/" not in r else r}\n'
        for n, (w, b, r) in enumerate(PAIRS)
    )
    (result,) = enter(ledger, write(table, "b.csv"))
    assert result.duplicates == 6
    assert len(counted(ledger)) == 6


def test_a_return_game_of_the_same_day_is_no_duplicate(ledger, write):
    enter(ledger, write(pgn("Leg 1", (0, 1)), "a.pgn"))
    table = "Event,Date,White,Black,Result\n" + "".join(
        f'Leg 2,2026.10.03,"{PEOPLE[b][0]}","{PEOPLE[w][0]}",{r[::-1] if "/" not in r else r}\n'
        for w, b, r in PAIRS[:2]
    )
    assert enter(ledger, write(table, "b.csv"))[0].duplicates == 0
