"""How figures of lists came about: every step is there, and everything adds up, on both databases."""

from __future__ import annotations

import datetime as dt

import numpy as np
import polars as pl
import pytest
import sqlalchemy as sa

from arpad.errors import UsageError
from arpad.ledger.db import tables
from arpad.ledger.db.bulk import bulk_insert
from arpad.ledger.games import renew_contents
from arpad.ledger.list_making import make_list, publish_list
from arpad.ledger.lists import list_called
from arpad.ledger.policy import PRESETS, Policy, preset
from arpad.ledger.queries.explain import audited, explained, explained_games
from arpad.ledger.register import fold
from arpad.model import Event, Games, Player, Ratings
from arpad.rate.registry import system
from tests.ledger.ledgers import NAMES, day, put_event, put_policy, round_robin

ANN, BOB, CLEO, DORA, ERIC, FAY = NAMES


def name_everybody(ledger):
    """Write down what people are called, as an import does."""
    with ledger.writing("test", "test") as connection:
        known = connection.execute(sa.select(tables.players.c.id, tables.players.c.name)).all()
        connection.execute(tables.player_names.delete())
        rows = [(number, name, fold(name)) for number, name in known]
        names = pl.DataFrame(rows, schema=["player_id", "name", "fold"], orient="row")
        bulk_insert(connection, tables.player_names, names)


@pytest.fixture
def club(ledger):
    """Four players, an event in September and one in October."""
    put_policy(ledger, preset("club", listed=preset("club").listed.of({"min_games": 0})))
    put_event(ledger, "Autumn", "2026-09-12", round_robin([1, 0.5, 1, 0]), given={ANN: 1600.0})
    put_event(ledger, "October", "2026-10-10", round_robin([1, 1, 0.5]))
    name_everybody(ledger)
    return ledger


def ask(ledger, player, **options):
    with ledger.reading() as connection:
        return explained(connection, player, **options)


def test_every_game_behind_a_figure_is_told(club):
    made = make_list(club).entries
    found = ask(club, "ann adams").explanation
    assert found.rating == made.filter(name=ANN)["rating"][0]
    assert found.adds_up
    assert found.steps.filter(pl.col("colour").is_not_null()).select(
        "event", "date", "round", "opponent", "colour", "score"
    ).rows() == [
        ("Autumn", day("2026-09-12"), "1", BOB, "white", 1.0),
        ("Autumn", day("2026-09-12"), "2", CLEO, "white", 0.5),
        ("Autumn", day("2026-09-12"), "3", DORA, "white", 1.0),
        ("October", day("2026-10-10"), "1", BOB, "white", 1.0),
        ("October", day("2026-10-10"), "2", CLEO, "white", 1.0),
        ("October", day("2026-10-10"), "3", DORA, "white", 0.5),
    ]
    rules = found.steps["rule"].to_list()
    assert rules[0] == "the rating that the source gives"
    assert "K 24: for everybody; logistic curve" in rules[1]
    assert found.events().select("event", "games", "score").rows() == [
        ("Autumn", 3, 2.5),
        ("October", 3, 2.5),
    ]
    assert found.games == 6
    assert "6 games" in found.summary()


def test_ratings_then_are_those_of_the_list_before(club):
    first = dict(make_list(club, name="2026-10").entries.select("name", "rating").iter_rows())
    make_list(club, name="2026-11")
    found = ask(club, "Adams", name="2026-11").explanation
    october = found.steps.filter(pl.col("event") == "October")
    assert october["rating"].unique().to_list() == [first[ANN]]
    for name, rating in october.select("opponent", "opponent_rating").iter_rows():
        assert rating == first[name]
    assert found.periods()["after"].to_list() == [first[ANN], found.rating]
    earlier = ask(club, "Adams", name="2026-10").explanation
    assert earlier.rating == first[ANN]
    assert earlier.games == 3
    # In a month without play the figure stays, and so does its story.
    make_list(club, name="2026-12")
    assert ask(club, "Adams", name="2026-12").explanation.steps.equals(found.steps)


def test_later_periods_and_single_events_are_told_alone(club):
    make_list(club)
    whole = ask(club, "Adams").explanation
    late = whole.since(day("2026-10-01"))
    assert late.start == whole.periods()["after"][0]
    assert late.skipped + late.steps.height == whole.steps.height
    assert late.adds_up
    assert late.games == 3
    assert whole.since(day("2027-01-01")).adds_up
    some = whole.of_events(pl.col("event") == "Autumn")
    assert some.games == 3
    assert not some.whole
    assert "chosen events" in some.summary()


def test_who_is_not_there_is_said(club):
    make_list(club)
    with pytest.raises(UsageError, match="nobody called 'Nobody'"):
        ask(club, "Nobody")
    put_event(club, "Later", "2027-01-10", [(ERIC, FAY, 1.0)])
    name_everybody(club)
    with pytest.raises(UsageError, match=r"Evans, Eric .* has played nothing that counts"):
        ask(club, "Evans")
    with pytest.raises(UsageError, match="none called '1999-01'"):
        ask(club, "Adams", name="1999-01")


def test_a_doubtful_name_gets_candidates(club):
    put_event(club, "More", "2026-10-12", [("Adams, Abe", BOB, 1.0)])
    name_everybody(club)
    make_list(club)
    with pytest.raises(UsageError, match=r"found 2 called 'adams'.*Adams, Abe \(#5\)"):
        ask(club, "adams")
    assert ask(club, "#5").explanation.player == "Adams, Abe"


def test_a_corrected_figure_is_explained_as_corrected_or_as_published(club):
    before = dict(make_list(club, name="2026-10").entries.select("name", "rating").iter_rows())
    publish_list(club, name="2026-10")
    put_event(club, "Late open", "2026-09-20", [(ANN, ERIC, 0.0), (BOB, ERIC, 0.5)])
    name_everybody(club)
    make_list(club, name="2026-11")
    pending = ask(club, "Adams", name="2026-10")
    assert pending.correction is None
    assert pending.explanation.rating == before[ANN]
    publish_list(club)
    now = ask(club, "Adams", name="2026-10")
    assert now.correction is not None
    assert now.explanation.adds_up
    assert "Late open" in now.explanation.steps["event"].to_list()
    assert now.explanation.notes == (
        f"correction 1 of 2026-10 (club): {before[ANN]:g} became {now.explanation.rating:g}",
    )
    then = ask(club, "Adams", name="2026-10", as_published=True)
    assert then.explanation.rating == before[ANN]
    assert then.explanation.adds_up
    assert "Late open" not in then.explanation.steps["event"].to_list()
    # Eric came with the correction only.
    assert ask(club, "Evans", name="2026-10").explanation.adds_up


def test_a_merged_player_is_explained_on_lists_from_before(club):
    make_list(club, name="2026-10")
    publish_list(club, name="2026-10")
    with club.writing("test", "test") as connection:
        p = tables.players
        number = connection.execute(sa.select(p.c.id).where(p.c.name == DORA)).scalar_one()
        into = connection.execute(sa.select(p.c.id).where(p.c.name == CLEO)).scalar_one()
        connection.execute(p.update().where(p.c.id == number).values(merged_into=into))
        events = connection.execute(sa.select(tables.events.c.id)).scalars().all()
        connection.execute(
            tables.games.delete().where(tables.games.c.white_id == into, tables.games.c.black_id == number)
        )
        renew_contents(connection, list(events))
    then = ask(club, "Clark", name="2026-10").explanation
    assert then.adds_up
    assert then.games == 3
    make_list(club, name="2026-11")
    now = ask(club, "Davis", name="2026-11").explanation
    assert now.player == CLEO
    assert now.adds_up
    assert set(now.steps["colour"].drop_nulls()) == {"black"}  # Ann and Bob always had White


def test_what_is_rounded_for_the_list_alone_is_a_step(ledger):
    exact = Policy(name="exact", system="elo", options={"k": 17}, carries="exact")
    put_policy(ledger, exact)
    put_event(ledger, "Autumn", "2026-09-12", round_robin([1, 0.5, 1, 0]))
    put_event(ledger, "October", "2026-10-10", round_robin([1, 1, 0.5]))
    name_everybody(ledger)
    made = make_list(ledger).entries
    found = ask(ledger, "Adams").explanation
    assert found.rating == made.filter(name=ANN)["rating"][0] == round(found.rating)
    assert found.steps["rule"][-1] == "rounded for the list; the exact figure goes on"
    assert found.adds_up
    with ledger.reading() as connection:
        assert audited(connection, list_called(connection, "exact")).adds_up


def tamper(ledger, statement):
    """Change what never changes, as another program might."""
    with ledger.writing("somebody", "else") as connection:
        if ledger.dialect == "sqlite":
            query = "SELECT name FROM sqlite_master WHERE type = 'trigger'"
            for (name,) in connection.exec_driver_sql(query).all():
                connection.exec_driver_sql(f"DROP TRIGGER {name}")
        else:
            for name in ("steps", "states", "entries"):
                connection.exec_driver_sql(f"ALTER TABLE {name} DISABLE TRIGGER USER")
        connection.exec_driver_sql(statement)


@pytest.mark.parametrize(
    ("statement", "what"),
    [
        ("UPDATE steps SET change = change + 1 WHERE game_id = 1", "after a period"),
        ("UPDATE steps SET k = k + 1 WHERE game_id = 1", "K (W − W_e)"),
        ("UPDATE states SET rating = rating + 1 WHERE player_id = 1", "after a period"),
        ("UPDATE entries SET rating = rating + 1 WHERE player_id = 1", "on the list"),
    ],
)
def test_a_figure_that_was_tampered_with_is_found(club, statement, what):
    make_list(club)
    with club.reading() as connection:
        assert audited(connection, list_called(connection, "club")).adds_up
    tamper(club, statement)
    with club.reading() as connection:
        found = audited(connection, list_called(connection, "club"))
    assert not found.adds_up
    assert what in found.wrong["what"].to_list()
    assert "do not add up" in found.summary()
    whole = ask(club, "#1").explanation
    assert whole.adds_up == (what == "K (W − W_e)" or "states" in statement)


def big_ledger(ledger, *, players, games, events, seed=8):
    """Write events of ten to forty players over three years, straight into the tables."""
    random = np.random.default_rng(seed)
    strength = random.normal(1800, 250, players)
    day0 = dt.date(2023, 1, 1)
    each = games // events
    rows: dict[str, list] = {
        name: [] for name in ("event_id", "number", "white_id", "black_id", "score", "date")
    }
    starts = sorted(random.integers(0, 1070, events).tolist())
    for event in range(events):
        field = random.choice(players, int(random.integers(10, 40)), replace=False)
        length = int(random.integers(0, 20))
        for number in range(each):
            white, black = random.choice(field, 2, replace=False)
            expected = 1 / (1 + 10 ** ((strength[black] - strength[white]) / 400))
            score = float(random.choice([0.0, 0.5, 1.0], p=[(1 - expected) * 0.7, 0.3, expected * 0.7]))
            when = day0 + dt.timedelta(days=starts[event] + number * length // each)
            for name, value in zip(rows, (event + 1, number, white + 1, black + 1, score, when), strict=True):
                rows[name].append(value)
    table = pl.DataFrame(rows).with_columns(pl.int_range(1, pl.len() + 1).alias("id"))
    # Half of the players come with a rating.
    known = pl.Series(np.where(random.random(players) < 0.5, np.round(strength), np.nan)).fill_nan(None)
    table = table.with_columns(
        (1 - pl.col("score")).alias("black_score"),
        pl.lit("played").alias("status"),
        known.gather(table["white_id"] - 1).alias("white_rating"),
        known.gather(table["black_id"] - 1).alias("black_rating"),
    )
    ends = (
        table.group_by("event_id")
        .agg(pl.col("date").min().alias("start"), pl.col("date").max().alias("end"))
        .sort("event_id")
    )
    numbers = list(range(1, players + 1))
    births = [str(int(y)) for y in random.integers(1950, 2014, players)]
    with ledger.writing("test", "test") as connection:
        names = [f"Player {n}" for n in numbers]
        bulk_insert(connection, tables.players, pl.DataFrame({"id": numbers, "name": names, "birth": births}))
        spelled = {"player_id": numbers, "name": names, "fold": [fold(n) for n in names]}
        bulk_insert(connection, tables.player_names, pl.DataFrame(spelled))
        events_table = ends.select(
            pl.col("event_id").alias("id"), pl.col("event_id").alias("number"),
            pl.format("Event {}", "event_id").alias("name"), "start", "end",
            pl.lit("standard").alias("time_control"), pl.format("source {}", "event_id").alias("source"),
            pl.lit("").alias("content"), pl.lit(False).alias("excluded"),
        )  # fmt: skip
        bulk_insert(connection, tables.events, events_table)
        bulk_insert(connection, tables.games, table)
        renew_contents(connection, list(range(1, events + 1)))


def test_every_figure_of_a_big_ledger_adds_up(ledger):
    """2,000 players, 30,000 games, three years: every figure is its earlier figure and its steps."""
    part = 1 if ledger.dialect == "sqlite" else 5  # of what a server takes its time for
    big_ledger(ledger, players=2000 // part, games=30_000 // part, events=300 // part)
    for policy in (preset("fide"), preset("club")):
        put_policy(ledger, policy)
        made = make_list(ledger, policy=policy.name)
        with ledger.reading() as connection:
            found = audited(connection, made.draft)
            assert found.wrong.rows() == []
            assert found.figures == made.entries.height > 1000 // part
            assert found.games > 30_000 // part
            for row in made.entries.sample(12, seed=1).iter_rows(named=True):
                mine = explained(connection, f"#{row['player_id']}", policy=policy.name).explanation
                assert mine.rating == row["rating"]
                assert mine.adds_up


@pytest.mark.parametrize("name", [*PRESETS, "glicko2", "stephenson", "pra", "harkness", "ingo"])
def test_every_figure_adds_up_under_any_system(ledger, name):
    big_ledger(ledger, players=60, games=900, events=30)
    policy = PRESETS.get(name) or Policy(name=name, system=name)
    put_policy(ledger, policy)
    made = make_list(ledger, policy=policy.name)
    with ledger.reading() as connection:
        found = audited(connection, made.draft)
        assert found.wrong.rows() == []
        assert found.figures > 20
        who = f"#{made.entries['player_id'][0]}"
        assert explained(connection, who, policy=policy.name).explanation.adds_up


def test_games_of_no_ledger_are_explained_too():
    people = [Player(name="Ann", id="a"), Player(name="Bob", id="b"), Player(name="Cay")]
    columns = {
        "white": [0, 1, 2],
        "black": [1, 0, 1],
        "score": [1.0, 0.5, 0.0],
        "event": [0, 0, None],
        "date": [day("2026-01-01"), day("2026-02-01"), None],
    }
    games = Games.assemble(columns, people, [Event(name="Cup")])
    before = Ratings(
        system="elo", rows=pl.DataFrame({"player": ["Ann"], "id": ["a"], "rating": [1600.0]}), parameters={}
    )
    ann = explained_games(system("elo"), games, before, 0)
    assert ann.start == 1600.0
    assert ann.adds_up
    assert ann.steps.select("event", "colour", "opponent").rows() == [
        ("Cup", "white", "Bob"),
        ("Cup", "black", "Bob"),
    ]
    assert ann.since(day("2026-01-15")).games == 1
    assert ann.course()["day"].to_list() == [day("2026-01-01"), day("2026-02-01")]
    cay = explained_games(system("elo"), games, None, 2)
    assert cay.steps["rule"][0] == "the start rating of a newcomer"
    assert cay.course()["day"].to_list() == [1]
    assert cay.adds_up


def test_what_else_a_game_did_is_no_second_game():
    """arpad's own system divides its change among games; some systems do not."""
    games = Games.assemble(
        {
            "white": [0, 1, 0],
            "black": [1, 0, 1],
            "score": [1.0, 0.5, 0.0],
            "event": [0, 0, 0],
            "date": [day("2026-01-01"), day("2026-02-01"), day("2026-02-03")],
        },
        {"name": ["Ann", "Bob"]},
        [Event(name="Cup")],
    )
    ann = explained_games(system("arpad"), games, None, 0)
    assert ann.steps["opponent_id"].count() == 3
    assert ann.games == 3
    assert ann.adds_up
    assert ann.periods()["games"].to_list() == [3]
    event = ann.events().row(0, named=True)
    assert (event["games"], event["rated"], event["score"]) == (3, 3, 1.5)
    assert event["expected"] == pytest.approx(ann.steps["expected"].sum())
    assert ann.course()["day"].to_list() == [day("2026-01-01"), day("2026-02-01"), day("2026-02-03")]
    assert ann.course()["rating"][-1] == pytest.approx(ann.rating)
    assert ann.summary().startswith("Ann: 3 games, all changes together")
    assert explained_games(system("ccla"), games, None, 0).summary().startswith("Ann: all changes")
