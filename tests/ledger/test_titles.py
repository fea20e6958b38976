"""Titles over time: norms of the ledger's events, the rating, the day on which all was met."""

from __future__ import annotations

from datetime import date

import polars as pl
import pytest
import sqlalchemy as sa

from arpad.errors import UsageError
from arpad.ledger.db import tables
from arpad.ledger.db.bulk import bulk_insert, frame
from arpad.ledger.db.tables import now
from arpad.ledger.decisions.corrections import exclude_event, merge
from arpad.ledger.decisions.decisions import undo
from arpad.ledger.decisions.queue import queue, settle
from arpad.ledger.games import renew_contents
from arpad.ledger.inspection import MadeNorm, check_events, inspect_event, made_norms
from arpad.ledger.titles import (
    Reaches,
    TitleStanding,
    ratings_reached,
    record_titles,
    standing,
    titles_over_time,
)

GM, HERO = "GM", 1
FEDERATIONS = ["GER", "FRA", "ITA", "ESP", "POL", "USA", "CHN", "IND", "HUN", "NED"]
TITLES = ["IM", "GM", "GM", "GM", "IM", "IM", "FM", "FM", "GM", "IM"]


def round_robin(players):
    """Berger's pairings of an even number of players, round by round."""
    ring = list(players)
    for number in range(len(ring) - 1):
        pairs = [(ring[i], ring[-1 - i]) for i in range(len(ring) // 2)]
        yield number + 1, pairs
        ring = [ring[0], ring[-1], *ring[1:-1]]


def write_people(connection, count=10, titles=TITLES, federations=FEDERATIONS, twin=False):
    names = ["Hero, Hanna", *(f"Player {i}" for i in range(2, count + 1))]
    if twin:
        names.append("Hero, H.")
    n = len(names)
    bulk_insert(
        connection,
        tables.players,
        pl.DataFrame(
            {
                "id": list(range(1, n + 1)),
                "name": names,
                "title": [titles[i % 10] if i != 10 else None for i in range(n)],
                "federation": [federations[i % 10] for i in range(n)],
                "sex": ["m"] * n,
            }
        ),
    )


def write_event(connection, number, day, *, points=6.5, ratings=None, hero=HERO, people=range(1, 11)):
    """A round robin of ten; the hero makes so many points, the others draw."""
    given = ratings or dict.fromkeys(people, 2500.0)
    field = [hero if p == HERO else p for p in people]
    left = points
    rows, at = [], 0
    for round_, pairs in round_robin(field):
        for white, black in pairs:
            score = 0.5
            if hero in (white, black):
                mine = min(1.0, left) if left >= 1 else left
                left -= mine
                score = mine if white == hero else 1 - mine
            rows.append(
                {
                    "id": number * 1000 + at,
                    "event_id": number,
                    "number": at,
                    "round": str(round_),
                    "date": day,
                    "precision": "day",
                    "white_id": white,
                    "black_id": black,
                    "score": float(score),
                    "black_score": 1.0 - score,
                    "status": "played",
                    "white_rating": given.get(white, given.get(HERO)),
                    "black_rating": given.get(black, given.get(HERO)),
                }
            )
            at += 1
    bulk_insert(
        connection,
        tables.events,
        pl.DataFrame(
            {
                "id": [number], "number": [number], "name": [f"Masters {number}"],
                "start": [day], "end": [day], "time_control": ["standard"],
                "source": [f"s{number}"], "content": ["?"], "excluded": [False], "rounds": [9],
            }
        ),
    )  # fmt: skip
    bulk_insert(connection, tables.games, pl.DataFrame(rows))
    renew_contents(connection, [number])


DAYS = [date(2025, 3, 1), date(2025, 9, 1), date(2026, 2, 1)]


def season(ledger, *, points=(6.5, 6.5, 6.5), ratings=None, **people):
    with ledger.writing("test", "test") as connection:
        write_people(connection, **people)
        for number, (day, won) in enumerate(zip(DAYS, points, strict=False), start=1):
            write_event(connection, number, day, points=won, ratings=ratings)


def ask(ledger, verb, *arguments, **more):
    with ledger.reading() as connection:
        return verb(connection, *arguments, **more)


def did(ledger, verb, *arguments, **more):
    with ledger.writing("anna", "a good reason") as connection:
        return verb(connection, *arguments, **more)


def gm(ledger, player=HERO, **more):
    found = ask(ledger, titles_over_time, "fide", players=[player], **more)
    return next(s for s in found if s.title == GM)


def test_norms_of_27_games_and_the_rating_make_a_title(ledger):
    season(ledger)
    norms = ask(ledger, made_norms)
    assert [(n.player, n.title, n.event, n.games) for n in norms if n.player == HERO] == [
        (HERO, GM, 1, 9), (HERO, GM, 2, 9), (HERO, GM, 3, 9),
    ]  # fmt: skip
    found = gm(ledger)
    assert found.complete
    assert found.awarded == DAYS[2]
    assert found.counted == 27
    assert found.reached.on == DAYS[0]
    assert found.reached.where == "report of Masters 1"


def test_full_points_more_make_a_norm_longer(ledger):
    season(ledger, points=(8.0, 8.0))  # 6 of 9 are enough: each counts as 11 [1.4.1d]
    found = gm(ledger)
    assert [n.games for n in found.norms] == [11, 11]
    assert found.missing == ("norms of 5 more games (22 of 27, 2 norms)",)
    assert not found.complete


def test_without_the_rating_there_is_no_title(ledger):
    season(ledger, ratings={HERO: 2480.0, **dict.fromkeys(range(2, 11), 2500.0)})
    found = gm(ledger)
    assert not found.complete
    assert found.awarded is None
    assert found.missing == ("a rating of 2500 (best 2480)",)
    with ledger.writing("test", "test") as connection:
        bulk_insert(
            connection,
            tables.policies,
            pl.DataFrame(
                {"id": [1], "name": ["fide"], "version": [1], "document": ["{}"], "created": [now()]}
            ),
        )
        for number, (published, rating) in enumerate([(now(), 2501.0), (None, 2600.0)], start=1):
            connection.execute(
                tables.runs.insert().values(
                    id=number, policy_id=1, closing=date(2026, 1, 31), key=f"k{number}", made=now()
                )
            )
            connection.execute(
                tables.lists.insert().values(
                    id=number, policy_id=1, name=f"2026-0{5 - number}", number=0, run_id=number,
                    closing=date(2026, 5 - number, 1), effective=date(2026, 5 - number, 10),
                    state="draft", made=now(),
                )
            )  # fmt: skip
            connection.execute(
                tables.entries.insert().values(
                    list_id=number, player_id=HERO, rank=1, name="Hero", rating=rating
                )
            )
            if published:
                connection.execute(
                    tables.lists.update()
                    .where(tables.lists.c.id == number)
                    .values(published=published, state="published")
                )
    found = gm(ledger, policy="fide")  # the draft of 2600 is no rating
    assert found.complete
    assert found.awarded == date(2026, 4, 10)
    assert found.reached.where == "list 2026-04 (fide)"
    assert gm(ledger).missing


def test_an_excluded_event_gives_no_norm(ledger):
    season(ledger)
    did(ledger, exclude_event, 2)
    assert gm(ledger).missing == ("norms of 9 more games (18 of 27, 2 norms)",)
    did(ledger, undo, 1)
    assert gm(ledger).complete


def test_a_merged_player_has_the_norms_of_both(ledger):
    with ledger.writing("test", "test") as connection:
        write_people(connection, twin=True)
        for number, (day, hero) in enumerate(zip(DAYS, (1, 1, 11), strict=True), start=1):
            write_event(connection, number, day, hero=hero)
    assert not gm(ledger).complete
    did(ledger, merge, 11, 1)
    assert gm(ledger).complete


def norm(**more):
    base = {
        "player": 1, "event": 1, "event_name": "A", "on": date(2025, 1, 1), "title": GM,
        "rules": "2024-01", "verdict": {}, "games": 9,
    }  # fmt: skip
    return MadeNorm(**{**base, **more})


REACHES = Reaches(
    pl.DataFrame(
        {"player": [1], "rating": [2500.0], "on": [date(2024, 1, 1)], "where": ["x"], "games": [None]},
        schema_overrides={"games": pl.Int64},
    )
)


@pytest.mark.parametrize(
    ("norms", "missing", "awarded"),
    [
        ([norm()] * 3, "", date(2025, 1, 1)),
        ([norm(games=13), norm(games=14, on=date(2025, 5, 5))], "", date(2025, 5, 5)),
        ([norm(games=27)], "2 norms", None),
        ([norm(exempt=True)] * 3, "without exemption", None),
        ([norm(exempt=True)] * 3 + [norm(on=date(2026, 1, 1))], "", date(2026, 1, 1)),
        ([norm(forgiven=True)] * 3, "18 more games", None),
        ([norm(forgiven=True), norm(forgiven=True), norm(), norm(on=date(2026, 1, 1))], "", date(2026, 1, 1)),
        ([], "27 more games", None),
    ],
)  # fmt: skip
def test_what_norms_must_be(norms, missing, awarded):
    base = TitleStanding(player=1, title=GM, rules="2024-01", rating_needed=2500.0)
    found = standing(base, norms, REACHES, 100)
    assert found.complete == (missing == "")
    assert missing in "; ".join(found.missing)
    assert found.awarded == awarded


def test_the_title_waits_for_the_rating():
    later = Reaches(REACHES.rows.with_columns(pl.lit(date(2027, 1, 1)).alias("on")))
    base = TitleStanding(player=1, title=GM, rules="2024-01", rating_needed=2500.0)
    assert standing(base, [norm()] * 3, later, 100).awarded == date(2027, 1, 1)


def test_titles_by_rating(ledger):
    with ledger.writing("test", "test") as connection:
        write_people(connection, titles=[None] * 10)
        for number, day in enumerate([*DAYS, date(2026, 6, 1)], start=1):
            write_event(connection, number, day, ratings=dict.fromkeys(range(1, 11), 2250.0))
    found = ask(ledger, titles_over_time, "fide", players=[1])
    assert {s.title: s.complete for s in found} == {"GM": False, "IM": False, "FM": False, "CM": True}
    master = next(s for s in found if s.title == "CM")
    assert master.awarded == DAYS[0]
    with ledger.writing("x", "y") as connection:
        for number in (3, 4):
            connection.execute(tables.games.delete().where(tables.games.c.event_id == number))
    short = ask(ledger, titles_over_time, "fide", players=[1])
    assert next(s for s in short if s.title == "CM").missing == ("30 rated games (18 are known)",)


def test_everybody_who_has_something_is_shown(ledger):
    season(ledger)
    found = ask(ledger, titles_over_time, "fide")
    # FIDE masters who draw with everybody perform 2490: IM norms
    assert {(s.player, s.title) for s in found if s.norms} == {(HERO, GM), (7, "IM"), (8, "IM")}
    with pytest.raises(UsageError, match="fide or uscf"):
        ask(ledger, titles_over_time, "bcf")


def test_norms_and_titles_are_kept(ledger):
    season(ledger)
    first = did(ledger, record_titles)
    assert (first.new_norms, first.new_titles, first.titles) == (9, 3, 3)
    again = did(ledger, record_titles)
    assert (again.new_norms, again.new_titles, again.norms) == (0, 0, 9)
    with ledger.reading() as connection:
        norms, titles = frame(connection, tables.norms), frame(connection, tables.titles)
        verdict = connection.execute(sa.select(tables.norms.c.verdict).limit(1)).scalar_one()
        because = connection.execute(
            sa.select(tables.titles.c.because).where(tables.titles.c.title == GM)
        ).scalar_one()
    assert norms["id"].to_list() == list(range(1, 10))
    assert verdict["score"] == 6.5
    assert verdict["counts"] == 9
    assert all(r["passed"] for r in verdict["requirements"])
    assert titles.filter(pl.col("title") == GM)["date"].to_list() == [DAYS[2]]
    assert because["norms"] == [1, 2, 3]
    did(ledger, exclude_event, 3)
    after = did(ledger, record_titles)
    assert (after.norms, after.titles) == (6, 0)
    with ledger.reading() as connection:
        assert frame(connection, tables.titles).is_empty()


def test_uscf_titles_from_the_ledger(ledger):
    season(ledger)
    found = ask(ledger, titles_over_time, "uscf", players=[HERO])
    by = {s.title: s for s in found}
    assert by["Category VIII"].complete
    assert by["Category VIII"].awarded == DAYS[0]
    open_ = [s for s in found if not s.complete]
    assert open_
    assert all("more norm" in s.missing[0] for s in open_)
    did(ledger, record_titles, "uscf")
    with ledger.reading() as connection:
        rows = frame(connection, tables.norms)
    assert set(rows["rules"]) == {"uscf1994"}
    assert rows.filter(pl.col("player_id") == HERO).height == sum(len(s.norms) for s in found)


def test_uscf_agrees_with_the_history_of_one_player(ledger):
    from arpad.event.norms.uscf import title_histories
    from arpad.ledger.games import recorded_games

    season(ledger, points=(5.0, 3.0, 7.0))
    recorded = ask(ledger, recorded_games, [1, 2, 3])
    histories = title_histories(recorded.games)
    for row, history in histories.items():
        found = ask(ledger, titles_over_time, "uscf", players=[recorded.players[row]])
        assert {s.title for s in found if s.complete} == set(history.status.titles)
        assert {s.title: s.counted for s in found if not s.complete} == {
            t.name: history.status.toward(t) for t in history.status.sought() if history.status.toward(t)
        }


def test_an_empty_ledger_has_no_titles(ledger):
    assert ask(ledger, titles_over_time, "fide") == []
    assert ask(ledger, titles_over_time, "uscf") == []
    assert did(ledger, record_titles).norms == 0
    assert ask(ledger, ratings_reached).rows.height == 0


def test_a_norm_that_lacks_one_requirement_is_granted_or_not(ledger):
    # the opponents are of one federation beside his own: two are needed, and no more than six of one
    season(ledger, federations=["GER", *["FRA", "ITA"] * 4, "FRA"])
    assert gm(ledger).complete
    with ledger.writing("x", "y") as connection:
        connection.execute(tables.players.update().values(federation="GER"))
        connection.execute(tables.players.update().where(tables.players.c.id > 4).values(federation="FRA"))
        connection.execute(tables.players.update().where(tables.players.c.id == 1).values(federation="ITA"))
    assert gm(ledger).complete
    with ledger.writing("x", "y") as connection:
        connection.execute(tables.players.update().where(tables.players.c.id == 1).values(federation="GER"))
    assert not gm(ledger).complete
    opened = check_events(ledger)
    waiting = [d for d in ask(ledger, queue).doubts if d.kind == "norm" and d.player == HERO]
    assert len(waiting) == 3
    assert opened
    assert "federations beside" in waiting[0].document["reason"]
    assert check_events(ledger) == []  # looked at once
    for one in waiting[:2]:
        did(ledger, settle, one.number, "grant")
    did(ledger, settle, waiting[2].number, "leave")
    found = gm(ledger)
    assert [n.granted_by for n in found.norms] == [1, 2]
    assert found.counted == 18
    did(ledger, undo, 3)
    did(ledger, settle, waiting[2].number, "grant")
    assert gm(ledger).complete
    with pytest.raises(UsageError, match="settled already"):
        did(ledger, settle, waiting[2].number, "leave")


def test_an_event_is_inspected_again_when_it_changes(ledger):
    season(ledger, points=(6.5,))
    with ledger.writing("x", "y") as connection:
        connection.execute(tables.players.update().values(federation="GER"))
        connection.execute(tables.players.update().where(tables.players.c.id > 5).values(federation="FRA"))
    first = did(ledger, inspect_event, 1)
    assert first
    with ledger.writing("x", "y") as connection:
        connection.execute(tables.players.update().values(federation="USA"))
        connection.execute(tables.events.update().where(tables.events.c.id == 1).values(content="changed"))
    did(ledger, inspect_event, 1)
    left = [d.number for d in ask(ledger, queue, kind="norm").doubts if d.player == HERO]
    assert not set(left) & set(first)  # three requirements are not met now: nothing to look at
