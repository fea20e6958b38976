"""The whole report: its words, its table, and answers to bad input."""

from __future__ import annotations

import json
import random
from dataclasses import FrozenInstanceError, asdict
from importlib.resources import files
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arpad.errors import UsageError
from arpad.event.tournament_app.app import is_knock_out, report_on, tournament_app
from arpad.event.tournament_app.fit import field_of
from arpad.event.tournament_app.report import COLUMNS, AppReport
from arpad.model import Games
from arpad.read import read
from arpad.scale import PraCurve
from tests.conftest import GOLDEN
from tests.event.app.events import event, tournaments

FRANKFURT = read(files("arpad") / "samples" / "frankfurt-1997.pra").games
ROUND_ROBIN = [(0, 1, 0.5), (2, 3, 1.0), (0, 2, 1.0), (1, 3, 1.0), (0, 3, 1.0), (1, 2, 0.5)]


def test_table_is_named_after_the_rating_system():
    table = tournament_app(FRANKFURT).table()
    assert "Elo" in table.columns
    assert "flag" not in table.columns  # nobody has one
    assert table.height == 4


def test_players_have_all_columns_and_are_best_first():
    report = tournament_app(FRANKFURT)
    players = report.players
    assert players.schema == COLUMNS
    assert players["rank"].to_list() == [1, 2, 3, 4]
    assert players["name"].to_list() == ["Anand", "Karpov", "Topalov", "Lobron"]
    assert players["row"].to_list() == [0, 1, 2, 3]
    assert players["p_zero"].sum() == pytest.approx(0, abs=1e-9)


def test_words():
    words = " ".join(tournament_app(FRANKFURT).words())
    for part in (
        "critical value 7.815",
        "761.7 and 16918.4",
        "92.7409",
        "very good",
        "final and certified",
        "Anand, the favourite, had 0.012 % of winning all 6 games (2.770 % if none were drawn), and did not",
        "in other orders a P-Zero score moves by up to 0.21",
        "nobody was the clear favourite",
    ):
        assert part in words, part
    failed = " ".join(tournament_app(read(GOLDEN / "pra_isle_of_lewis_1995_chessmetrics.pra").games).words())
    assert "did not all perform as expected" in failed
    assert "Out of spec: Short 112 too high. Under pressure: Motwani (up)." in failed
    assert "certified" not in failed
    assert (
        tournament_app(FRANKFURT)
        .summary()
        .startswith("Frankfurt Chess Classics 1997: 4 players, 12 games, χ² 2.381 ≤ 7.815, passed")
    )
    assert "<table" in tournament_app(FRANKFURT)._repr_html_()


def test_words_warn_of_a_fit_too_good_and_of_a_slope_turned_round():
    scores = [(i, j, 1.0) for i in range(8) for j in range(i + 1, 8)]
    report = tournament_app(event(scores, [2500.0 + i for i in range(8)], number_two=None))
    words = " ".join(report.words())
    assert "below the lower threshold" in words
    assert "slope is negative: the higher rated did worse" in words
    assert "they rise with P-Zero" in words
    assert report.correlation.significant
    assert "is significant (p < 0.001): players finished against the order" in words
    assert report.fit.passed
    assert not report.certified
    assert report.withheld == (
        "the line falls: the higher rated did worse",
        "the ratings are so close that no results could have failed the test",
    )
    assert "certifies nothing: the line falls" in words
    assert "suspicion" not in words
    assert report.fit.flipped
    first = report.standings[0]
    assert first.performance > report.standings[-1].performance
    assert first.residual == pytest.approx(first.rating - report.fit.line.expected(first.p_zero))


def test_significant_correlation_and_the_favourite():
    scores = [(i, j, 1.0) for i in range(8) for j in range(i + 1, 8)]
    report = tournament_app(event(scores, [2600.0 - 20 * i for i in range(8)]))
    assert report.correlation.significant
    assert report.favourite_won
    assert report.top_three_in_order
    assert "and the favourite won" in " ".join(report.words())
    upset = tournament_app(event(scores, [2500.0, 2600.0, *(2480.0 - 20 * i for i in range(6))]))
    assert upset.correlation.significant
    assert not upset.favourite_won
    assert "but the favourite did not win" in " ".join(upset.words())


def test_of_equal_favourites_none_is_blamed():
    report = tournament_app(event(ROUND_ROBIN, [2600.0, 2600.0, 2500.0, 2400.0]))
    assert report.favourite_won is None
    assert report.sweep.favourite == "P0"
    scores = [(i, j, 1.0) for i in range(8) for j in range(i + 1, 8)]
    equals = tournament_app(event(scores, [2600.0, 2600.0, *(2580.0 - 20 * i for i in range(6))]))
    words = " ".join(equals.words())
    assert "in the order of their ratings, with no single favourite" in words
    assert "P0, one of 2 favourites, had" in words
    even = [(0, 1, 0.5), (0, 2, 1.0), (1, 3, 1.0), (2, 3, 0.5)]
    shared = tournament_app(event(even, [2600.0, 2595.0, 2400.0, 2395.0], number_two=None))
    assert [s.rank for s in shared.standings[:2]] == [1, 1]
    assert "with no single winner" in " ".join(shared.words())


def test_a_sweep_of_one_game():
    words = " ".join(tournament_app(event([(0, 1, 1.0)], [2600.0, 2500.0])).words())
    assert "of winning the only game (54.226 % if none were drawn), and did so." in words


def test_of_many_flagged_players_the_worst_are_named():
    n = 20
    ring = [(i, (i + k) % n, 1.0 if i < n // 2 else 0.0) for i in range(n) for k in (1, 2, 3)]
    report = tournament_app(event(ring, [2000.0 + 40 * ((7 * i) % n) for i in range(n)]))
    flagged = sorted((s for s in report.standings if s.flag == "LR"), key=lambda s: -abs(s.residual))
    assert len(flagged) > 6
    line = next(w for w in report.words() if w.startswith("Out of spec: "))
    assert line.endswith(f" and {len(flagged) - 6} more.")
    places = [line.index(f"{s.name} {abs(s.residual):.0f} too ") for s in flagged[:6]]
    assert places == sorted(places)


def test_report_is_frozen_and_its_figures_can_be_written():
    report = tournament_app(FRANKFURT)
    with pytest.raises(FrozenInstanceError):
        report.name = "x"
    json.dumps([asdict(s) for s in report.standings], allow_nan=False)
    json.dumps(asdict(report.fit), allow_nan=False)


@given(tournaments(), st.floats(-400, 400))
def test_a_constant_on_all_ratings_changes_no_verdict(drawn, more):
    pairs, ratings = drawn
    one = tournament_app(event(pairs, ratings), shuffles=0)
    two = tournament_app(event(pairs, [R + more for R in ratings], number_two=2800 + more), shuffles=0)
    assert (one.fit is None) == (two.fit is None)
    assert one.strength == pytest.approx(two.strength)
    for a, b in zip(one.standings, two.standings, strict=True):
        assert (a.name, a.p_zero) == (b.name, b.p_zero)
        assert a.g_score == pytest.approx(b.g_score, abs=1e-6)
        assert b.pra_after - a.pra_after == pytest.approx(more)
        if one.fit is not None:
            assert a.residual == pytest.approx(b.residual, abs=1e-6)
            assert b.performance - a.performance == pytest.approx(more, abs=1e-6)


@given(tournaments(), st.randoms())
def test_relabelling(drawn, chance):
    pairs, ratings = drawn
    new = list(range(len(ratings)))
    chance.shuffle(new)
    names = [f"P{i}" for i in range(len(ratings))]
    old = [new.index(p) for p in range(len(new))]
    one = tournament_app(event(pairs, ratings), shuffles=0)
    moved = [(new[w], new[b], s) for w, b, s in pairs]
    two = tournament_app(event(moved, [ratings[o] for o in old], names=[names[o] for o in old]), shuffles=0)
    assert [s.name for s in two.standings] == [s.name for s in one.standings]
    assert two.sweep.favourite == one.sweep.favourite
    for a, b in zip(one.standings, two.standings, strict=True):
        assert a.g_score == pytest.approx(b.g_score)
        assert a.pra_after == pytest.approx(b.pra_after)


@given(tournaments())
def test_colours_do_not_matter(drawn):
    pairs, ratings = drawn
    one = tournament_app(event(pairs, ratings), shuffles=0)
    two = tournament_app(event([(b, w, 1 - s) for w, b, s in pairs], ratings), shuffles=0)
    assert [s.rank for s in two.standings] == [s.rank for s in one.standings]
    for a, b in zip(one.standings, two.standings, strict=True):
        assert (a.name, a.points) == (b.name, pytest.approx(b.points))
        assert a.g_score == pytest.approx(b.g_score, abs=1e-6)


# Bad input: each has an answer, and the rest of the report stands.


def stands(report: AppReport, *, fit: bool = False) -> None:
    assert (report.fit is not None) == fit
    assert all(s.p_zero is not None for s in report.standings if s.games)
    assert report.words() is not None
    assert report.summary()
    assert report.table().height == len(report.standings)


def test_two_players():
    report = tournament_app(event([(0, 1, 1.0), (1, 0, 0.5)], [2500.0, 2400.0]))
    stands(report)
    assert "needs at least 3 rated players who played, found 2" in report.notes[0]
    assert report.standings[0].g_score is not None
    assert report.strength is not None


def test_all_ratings_equal():
    report = tournament_app(event(ROUND_ROBIN, [2500.0] * 4))
    stands(report)
    assert report.notes == (
        "all ratings are equal: there is no line of them on P-Zero scores, and no correlation",
    )
    assert report.standings[0].performance is None
    assert report.standings[0].g_score is not None


def test_all_p_zero_equal():
    report = tournament_app(event([(w, b, 0.5) for w, b, _ in ROUND_ROBIN], [2500.0, 2400.0, 2300.0, 2200.0]))
    stands(report)
    assert "all P-Zero scores are equal" in report.notes[0]
    assert [s.z for s in report.standings] == [None] * 4
    assert {(s.rank, s.g_score) for s in report.standings} == {(1, 0.0)}  # nothing breaks that tie


def test_one_rating_only():
    report = tournament_app(event(ROUND_ROBIN, [2500.0, None, None, None]))
    stands(report)
    assert any("found one rated player" in note for note in report.notes)
    assert report.strength is None
    assert report.sweep is None
    assert any("no strength" in note for note in report.notes)


def test_no_ratings_at_all():
    report = tournament_app(event(ROUND_ROBIN, [None] * 4))
    stands(report)
    assert any("found no rated players" in note for note in report.notes)
    assert all(s.pra_after is None for s in report.standings)


def test_no_number_two():
    report = tournament_app(event(ROUND_ROBIN, [2600.0, 2500.0, 2450.0, 2400.0], number_two=None))
    stands(report, fit=True)
    assert report.strength is None
    assert all(s.g_score is None for s in report.standings)
    assert any("number two" in note for note in report.notes)
    with pytest.raises(UsageError, match="number two"):
        tournament_app(FRANKFURT, number_two=float("nan"))


def test_all_forfeits():
    games = event(ROUND_ROBIN, [2600.0, 2500.0, 2450.0, 2400.0], status=["forfeit"] * 6)
    report = tournament_app(games)
    assert report.games == 0
    assert report.fit is None
    assert report.standings[0].points == 2.5
    assert report.standings[0].p_zero is None
    assert any("without a game on the board" in note for note in report.notes)


def test_nothing():
    with pytest.raises(UsageError, match="event with games"):
        tournament_app(Games.build([]))


def test_a_rating_that_is_none():
    with pytest.raises(UsageError, match="expected a rating of player 1"):
        tournament_app(FRANKFURT, ratings={0: float("nan")})


def test_ratings_given_go_first():
    report = tournament_app(FRANKFURT, ratings={3: 2700.0})
    lobron = report.standings[3]
    assert (lobron.name, lobron.rating, lobron.rating_given, lobron.mark) == ("Lobron", 2700.0, 2700.0, "")


def test_wildly_spread_ratings_and_names_twice():
    report = tournament_app(event(ROUND_ROBIN, [3900.0, 100.0, 2000.0, 2500.0], names=["A", "A", "B", None]))
    stands(report, fit=True)
    assert sorted(s.name for s in report.standings) == ["A", "A", "B", "player 4"]
    # E(3800) = E(1900) = 1, E(1400) = .9 + √(950/135000)
    assert report.sweep.probability == pytest.approx(0.9838870, abs=1e-6)


def test_several_events_are_said():
    games = Games.assemble(
        {"white": [0, 0], "black": [1, 2], "score": [1.0, 0.5], "event": [0, 1]},
        {"name": ["a", "b", "c"], "rating": [2500.0, 2400.0, 2300.0]},
    )
    assert any("come from 2 events" in note for note in tournament_app(games).notes)


def test_unfinished_and_unrated_games():
    games = event(
        [*ROUND_ROBIN, (0, 1, None), (2, 0, 1.0)], [2600.0, 2500.0, 2450.0, 2400.0],
        status=["played"] * 6 + ["unplayed", "unrated"],
    )  # fmt: skip
    report = tournament_app(games)
    assert report.games == 6
    assert {s.name: s.points for s in report.standings}["P2"] == 2.5


@pytest.mark.parametrize(("pairs", "yes"), [
    ([(0, 1), (2, 3), (0, 2)], True),
    ([(0, 1), (2, 3), (4, 5), (6, 7), (0, 2), (4, 6), (0, 4), (2, 6)], True),  # with third place
    ([(0, 1), (2, 3), (0, 2), (1, 3)], False),  # may as well be two rounds of a Swiss
    ([(0, 1), (1, 2), (0, 2)], False),
    ([(0, p) for p in range(1, 9)], False),  # an exhibition
    ([(0, 1)], False),
    ([(i, j) for i in range(6) for j in range(i)], False),
])  # fmt: skip
def test_knock_outs_are_recognised(pairs, yes):
    assert is_knock_out([w for w, _ in pairs], [b for _, b in pairs]) == yes


def test_field_without_tables():
    field = field_of(FRANKFURT)
    assert report_on(field) == tournament_app(FRANKFURT)


def simulated(chance, cycles):
    """Ten players of known strength, everybody against everybody, by PRA's own chart."""
    ratings = [2700.0 - 33 * i for i in range(10)]
    pairs = [
        (i, j, float(chance.random() < PraCurve().expected(ratings[i] - ratings[j])))
        for _ in range(cycles)
        for i in range(10)
        for j in range(i)
    ]
    return tournament_app(event(pairs, ratings), shuffles=0).fit.r


def test_longer_events_find_the_true_order_better():
    """The Ratings Law of Large Numbers: r rises with the number of games."""
    chance = random.Random(7)
    short = [simulated(chance, 1) for _ in range(20)]
    long = [simulated(chance, 10) for _ in range(20)]
    assert sum(long) / 20 > 0.7 > 0.6 > sum(short) / 20 > 0.2


def test_a_note_counts_those_without_a_rating_beside_the_line():
    """Ratings that no line fits leave a player unrated, and the line rests on the others."""
    games = Games.build([(a, b, 1.0) for a, b in combinations("ABCDE", 2)])
    odd = {0: 1500.0, 1: 2900.0, 2: 1500.0, 3: 2900.0}
    report = tournament_app(games, ratings=odd)
    assert report.fit.n == 4
    assert "1 without a rating: the line rests on the others" in report.notes
    full = tournament_app(games, ratings=odd | {4: 1400.0})
    assert not any("without a rating" in note for note in full.notes)
