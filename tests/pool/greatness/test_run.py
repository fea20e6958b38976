from __future__ import annotations

from dataclasses import asdict, replace
from datetime import date
from functools import cache

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arpad.errors import InputError
from arpad.event.tournament_app.app import tournament_app
from arpad.event.tournament_app.greatness import resistance
from arpad.event.tournament_app.repair import Repair
from arpad.model import Games
from arpad.pool.greatness.assessment import (
    AUTOMATIC,
    AppRules,
    EventRecord,
    caution,
    fingerprint,
    resistance_error,
)
from arpad.pool.greatness.groups import GroupRules, group_events
from arpad.pool.greatness.ratings import PublishedRatings, RankedNumberTwo, choose
from arpad.pool.greatness.run import GreatnessRules, find_greatness, played_events
from tests.pool.greatness.events import Database, history

TEXT = {"Steinitz": 2730.0, "Blackburne": 2648.0}


def published(groups):
    return [PublishedRatings(groups.published, groups.names)]


def run(games, **rules):
    app = {k: rules.pop(k) for k in ("repair", "least", "number_two", "number_twos", "enough") if k in rules}
    return find_greatness(games, published, GreatnessRules(app=AppRules(**app), **rules))


def test_the_match_of_1876(golden):
    made = Database()
    made.match("London", "Steinitz", "Blackburne", [1.0] * 7, day=date(1876, 1, 1), rating=TEXT)
    found = run(made.games())
    best = found.table().row(0, named=True)
    printed = next(r for r in golden("pra_greatness.csv") if r["rank"] == "1")
    assert (best["player"], best["year"], best["games"], best["score"]) == ("Steinitz", 1876, 7, 7.0)
    assert best["g_score"] == pytest.approx(float(printed["g"]), abs=0.005)
    assert best["category"] == "historically great"
    assert found.strengths()["strength"][0] == pytest.approx(101.4643, abs=5e-5)
    assert best["number_two_player"] == "Blackburne"
    assert best["verdict"] == "untested"  # two points always lie on a line
    assert found.to_inspect().is_empty()


def test_every_event_is_the_apps_own_report():
    games = history()
    found = run(games, least=-1000.0)
    assert len(found.records) == 60
    for record in found.records[:8]:
        number = next(i for i, e in enumerate(games.events) if e.name == record.event.split(":")[0]
                      and (games.table.filter(pl.col("event") == i)["date"].dt.year() == record.year).all())  # fmt: skip
        alone = games.keep(games.table["event"] == number)
        report = tournament_app(Games(alone.table, games.players, games.events), number_two=record.number_two)
        assert record.strength == report.strength
        assert (record.r, record.chi_square) == (
            (report.fit.r, report.fit.chi_square) if report.fit else (None, None)
        )
        theirs = {
            s.name: (s.g_score, s.p_zero, s.games, s.points, s.performance)
            for s in report.standings
            if s.games
        }
        assert {
            p.player: (p.g_score, p.p_zero, p.games, p.score, p.performance) for p in record.performances
        } == theirs


def test_the_lists():
    found = run(history())
    great = found.table()
    assert great["g_score"].to_list() == sorted(great["g_score"], reverse=True)
    assert great["rank"][0] == 1
    assert (great["g_score"] >= 100).all()
    assert found.table(3).height == 3
    strong = found.strengths()
    assert strong.height == sum(r.counts for r in found.records)
    assert strong["strength"].is_sorted(descending=True)
    counts = found.verdicts()
    assert sum(counts.values()) == 60
    assert counts["untested"] == 30
    assert "60 events" in found.summary()
    assert found._repr_html_().startswith("<p>greatness")


def failing():
    """A round robin in which every other rating is far off, the winner's among them."""
    made = Database()
    names = [f"P{i}" for i in range(8)]
    rating = {n: 2700.0 if i % 2 else 2400.0 for i, n in enumerate(names)}
    number = made.event("Upset")
    for i in range(8):
        for j in range(i):
            made.game(
                number,
                names[j],
                names[i],
                1.0,
                day=date(1990, 1, 1),
                precision="year",
                round=f"{i}.{j}",
                rating=rating,
                plies=10 * i + j,
            )
    return made.games()


def test_an_event_that_fails_waits_for_a_person():
    found = run(failing(), number_two=2800.0)
    record = found.records[0]
    assert record.verdict == "failed"
    assert record.flipped
    assert not record.counts
    assert found.table().is_empty()
    assert found.strengths().is_empty()
    assert found.table(failed=True).height == len(record.performances) > 0
    assert found.hidden() == found.to_dict()["hidden"] == len(record.performances)
    assert found.to_dict(failed=True)["hidden"] == 0
    reasons = found.to_inspect()["reasons"][0]
    assert "the ratings do not fit: χ²" in reasons
    assert "the line falls" in reasons


def test_the_automatic_repair_says_that_nobody_looked():
    games = failing().keep(pl.Series([True] * 28))
    usual = dict.fromkeys(games.players["name"], 2600.0) | {"P0": 2350.0}
    rated = games.table.with_columns(
        *(
            games.players["name"].gather(games.table[s]).replace_strict(usual).alias(f"{s}_rating")
            for s in ("white", "black")
        )
    )
    rated = rated.with_columns(
        pl.col("white_rating") + 10 * pl.col("white"), pl.col("black_rating") + 10 * pl.col("black")
    )
    games = Games(rated, games.players, games.events)
    plain = run(games, number_two=2800.0)
    assert plain.records[0].verdict == "failed"
    again = run(games, number_two=2800.0, repair="adjusted")
    report = tournament_app(games, number_two=2800.0, repair=Repair(reason=AUTOMATIC))
    assert again.records[0].repaired == "adjusted"
    assert again.records[0].chi_square == report.fit.chi_square < plain.records[0].chi_square


def test_a_knock_out_is_ranked_by_g_and_never_repaired():
    made = Database()
    number = made.event("Cup KO")
    rating = {"P0": 2700.0, "P1": 2450.0, "P2": 2700.0, "P3": 2400.0}
    for r, (one, other) in enumerate([("P3", "P0"), ("P2", "P1"), ("P3", "P2")]):
        for j in range(3):
            made.game(
                number,
                one,
                other,
                1.0,
                day=date(1990, 1, 1),
                precision="year",
                round=f"{r + 1}.{j}",
                rating=rating,
                plies=10 * r + j,
            )
    found = run(made.games(), number_two=2750.0, repair="adjusted")
    record = found.records[0]
    assert (record.kind, record.verdict, record.repaired) == ("knock-out", "failed", None)
    assert record.counts
    assert "a knock-out: not repaired, ranked by G" in record.reasons
    assert found.table()["player"][0] == "P3"


def test_missing_ratings_come_from_the_line():
    games = history().keep(history().table["event"] == 0)
    some = pl.col("white_rating").is_in([2750.0, 2650.0, 2600.0, 2550.0, 2525.0])
    other = pl.col("black_rating").is_in([2750.0, 2650.0, 2600.0, 2550.0, 2525.0])
    fewer = games.table.with_columns(
        pl.when(some).then("white_rating").alias("white_rating"),
        pl.when(other).then("black_rating").alias("black_rating"),
    )
    games = Games(fewer, games.players, games.events)
    found = run(games, number_two=2800.0, least=-1000.0)
    record = found.records[0]
    assert (record.rated, record.players) == (5, 10)
    assert sum(p.estimated for p in record.performances) == 5
    report = tournament_app(games, number_two=2800.0)
    assert record.strength == report.strength is not None


def test_the_rating_beside_the_first_game_counts():
    """Not the one beside the first game with White: lists change during long events."""
    made = Database()
    number = made.event("Long")
    for i in range(8):
        late = {"Ann": 2600.0 + 10 * (i > 3), "Ben": 2700.0}
        pair = ("Ben", "Ann") if i % 2 == 0 or i < 4 else ("Ann", "Ben")
        made.game(number, *pair, 0.5, day=date(1990, 1, 1 + i), rating=late, plies=i)
    record = run(made.games(), number_two=2700.0, least=-1000.0).records[0]
    assert {p.player: p.rating for p in record.performances} == {"Ann": 2600.0, "Ben": 2700.0}


def test_marks_of_caution():
    games = history()
    few = run(games.keep(games.table["event"] == 1))  # a match alone: number two is one of the two
    assert few.records[0].number_two_among == 2
    assert few.strengths()["caution"].to_list() == ["few"]
    assert set(few.table()["caution"]) == {"few"}
    given = run(games.keep(games.table["event"] == 1), number_two=2800.0)
    assert (given.records[0].number_two_among, given.strengths()["caution"][0]) == (None, "")
    whole = run(games)
    assert whole.records[0].number_two_among == 10
    assert set(whole.strengths()["caution"]) == {""}
    record = whole.records[0]
    best = replace(record.performances[0], p_zero=40.0)
    assert caution(record, best) == ""
    for effect, mark in ((2.0, ""), (2.1, "order")):
        assert caution(replace(record, order_effect=effect), best) == mark
        assert caution(replace(record, order_effect=effect)) == ""
    for rated, mark in ((5, ""), (4, "line")):
        assert caution(replace(record, rated=rated)) == mark
    assert caution(replace(record, rated=4, number_two_among=9, order_effect=9.0), best) == "few, line, order"


def test_another_knowledge_of_the_order_is_another_key():
    """The record says how much the order matters, which follows from rounds and days, too."""
    groups = group_events(history())
    event = next(iter(played_events(groups, [0])))
    chosen = choose(event.asked(), published(groups), AppRules())
    known, other, certain = (
        fingerprint(e, chosen, groups.names, AppRules())
        for e in (event, replace(event, when=[0] * len(event.when)), replace(event, certain=not event.certain))
    )  # fmt: skip
    assert len({known, other, certain}) == 3
    later = replace(event, when=[w + 7 for w in event.when])  # after other events of the file
    assert fingerprint(later, chosen, groups.names, AppRules()) == known


@pytest.mark.parametrize(
    ("gap", "said"),
    [
        (3.0, "the estimator line is not plausible: it gives Master"),
        (300.0, "ratings of 3 of 10 players are known; no estimator line for missing ratings"),
    ],
)
def test_a_line_that_goes_through_the_roof_is_not_believed(gap, said):
    games = history().keep(history().table["event"] == 0)
    # Three who finished side by side, with a gap in rating: the line is steep, and the winner far off.
    order = {s.row: s for s in tournament_app(games, number_two=2800.0).standings}
    middle = sorted(order, key=lambda row: abs(order[row].p_zero))[:3]
    steep = dict(
        zip(
            sorted(middle, key=lambda row: order[row].p_zero),
            (2400.0 - gap, 2400.0, 2400.0 + gap),
            strict=True,
        )
    )
    rated = games.table.with_columns(
        *(
            games.table[s].replace_strict(steep, default=None, return_dtype=pl.Float64).alias(f"{s}_rating")
            for s in ("white", "black")
        )
    )
    found = run(Games(rated, games.players, games.events), number_two=2750.0)
    record = found.records[0]
    assert (record.verdict, record.strength, record.performances) == ("unrated", None, ())
    assert record.reasons[0].startswith(said)
    assert record.rated == 3


def test_without_ratings_or_number_two_there_is_no_g():
    made = Database()
    made.match("A", "Ann", "Ben", [1.0] * 6)
    made.match("B", "Ann", "Cid", [1.0] * 6, rating={"Ann": 2000.0})
    found = run(made.games(), number_two=2500.0)
    assert found.verdicts()["unrated"] == 2
    assert found.table().is_empty()
    assert found.to_inspect()["reasons"][0] == "no ratings are known"
    assert found.to_inspect()["reasons"][1].startswith("ratings of 1 of 2 players are known")
    made = Database()
    made.match("A", "Ann", "Ben", [1.0] * 6, day=None, rating={"Ann": 2000.0, "Ben": 1990.0})
    games = made.games()
    found = run(games)  # the file itself has a number two, of games of no known year
    assert found.records[0].number_two == 1990.0
    assert found.records[0].year is None

    class Nobody(PublishedRatings):
        def number_two(self, event):  # noqa: ARG002
            return None

    found = find_greatness(games, lambda g: [Nobody(g.published, g.names)])
    assert found.to_inspect()["reasons"].to_list() == ["no number two is known for that time"]


def test_incomplete_events_are_run_only_when_asked():
    made = Database()
    number = made.event("Open")
    rating = {f"P{i}": 2700.0 - 50 * i for i in range(8)}
    for i in range(1, 8):
        made.game(
            number,
            "P0",
            f"P{i}",
            1.0,
            day=date(1990, 1, 1),
            precision="year",
            round=str(i),
            rating=rating,
            plies=i,
        )
    games = made.games()
    found = run(games, number_two=2700.0)
    assert not found.records
    assert found.left_out["reason"].to_list() == ["only one player's games are here"]
    found = run(games, number_two=2700.0, incomplete=True)
    assert found.records[0].kind == "one player's games"
    assert any(
        "not all games are here: 25 %" in reason.replace("\N{NO-BREAK SPACE}", " ") or "25%" in reason
        for reason in found.records[0].reasons
    )


def test_years():
    found = run(history(), first=1980, last=1981)
    assert {r.year for r in found.records} == {1980, 1981}
    assert len(found.records) == 4


def test_what_is_done_is_not_done_again():
    games = history()
    first = run(games)
    done = {r.key: replace(r, event="kept") for r in first.records}
    second = find_greatness(games, published, done=done)
    assert second.again == len(first.records) == len(done)
    assert {r.event for r in second.records} == {"kept"}
    other = find_greatness(games, published, GreatnessRules(app=AppRules(least=150.0)), done=done)
    assert other.again == 0
    moved = find_greatness(
        games, published, GreatnessRules(app=AppRules(number_twos={1980: 2800.0})), done=done
    )
    assert moved.again == len(done) - 2
    changed = games.table.with_columns(
        pl.when(pl.int_range(pl.len()) == 5).then(0.25).otherwise("score").alias("score")
    )
    assert (
        find_greatness(Games(changed, games.players, games.events), published, done=done).again
        == len(done) - 1
    )


def test_records_survive_the_way_to_a_file_and_back():
    import json

    for record in run(history()).records + run(failing(), number_two=2800.0).records:
        assert EventRecord.from_dict(json.loads(json.dumps(asdict(record)))) == record


@given(st.floats(1200, 2900), st.floats(2600, 2900), st.floats(1, 60))
def test_the_error_of_g_is_what_an_error_of_the_ratings_moves(rating, two, error):
    met = resistance(rating, two)
    moved = (resistance(rating + error, two) - resistance(rating - error, two)) / 2
    assert resistance_error(met, error) == pytest.approx(moved, rel=1e-6, abs=1e-9)


def test_the_error_of_g_does_not_jump_beside_number_two():
    one, other = (resistance_error(resistance(2700.0 + d, 2700.0), 30.0) for d in (-1e-9, 1e-9))
    assert one == pytest.approx(other, rel=1e-6)


def test_the_error_of_g_comes_from_the_sources():
    games = history()

    class Unsure(PublishedRatings):
        def errors(self, event):
            return dict.fromkeys(event.people, 40.0)

        def number_two(self, event):  # noqa: ARG002
            return RankedNumberTwo(2750.0, "X", "unsure", 30.0)

    found = find_greatness(games, lambda g: [Unsure(g.published, g.names)])
    record = next(r for r in found.records if r.players == 10 and r.performances)
    assert record.rating_error == pytest.approx((30**2 + 40**2 / 10) ** 0.5)
    assert 0 < record.performances[0].g_error < 0.1 * record.performances[0].g_score


@cache
def _two_events():
    games = history()
    games = games.keep(games.table["event"] < 2)
    return games, run(games)


@given(st.permutations(range(10)))
def test_names_do_not_matter(order):
    games, one = _two_events()
    swapped = Games(
        games.table, games.players.with_columns(games.players["name"].gather(list(order))), games.events
    )
    other = run(swapped)
    assert one.table()["g_score"].to_list() == pytest.approx(other.table()["g_score"].to_list())
    assert one.strengths()["strength"].to_list() == pytest.approx(other.strengths()["strength"].to_list())


@given(st.integers(-400, 400))
def test_a_level_that_moves_everybody_moves_no_g(points):
    games, one = _two_events()
    moved = games.table.with_columns(pl.col("white_rating", "black_rating") + points)
    other = run(Games(moved, games.players, games.events))
    assert other.table()["g_score"].to_list() == pytest.approx(one.table()["g_score"].to_list())


def test_no_events():
    made = Database()
    made.match("Blitz", "Ann", "Ben", [1.0] * 9)
    with pytest.raises(InputError, match="9 games left out by the event's name"):
        run(made.games())
    found = find_greatness(made.games(), published, GreatnessRules(groups=GroupRules(events="")))
    assert len(found.records) == 1
