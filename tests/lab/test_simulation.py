"""Simulations: the text's figures, and what must be true of any of them."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arpad.errors import UsageError
from arpad.lab.pairing import Random, pairing
from arpad.lab.season import RatedByList, RunStart, player_name, rated
from arpad.lab.simulate import simulate
from arpad.lab.worlds import Given, NormalPopulation, World, population, world_curve
from arpad.rate import SYSTEMS
from arpad.rate.draws import PUBLISHED
from arpad.rate.registry import system
from tests.lab.seasons import season

FAST = ["pra", "pra-basic", "elo"]


@cache
def standard():
    """Four runs of the text's simulation, with five players of each rating of its table; 600 rounds."""
    watch = tuple(float(r) for r in range(900, 2101, 100) for _ in range(5))
    text = season(players=15_000, rounds=600, watch=watch)
    return simulate(text, {"pra": system("pra")}, runs=4)


@cache
def elite():
    watch = tuple(float(r) for r in range(1600, 2801, 100) for _ in range(5))
    text = season(players=15_000, rounds=600, population=population("elite"), watch=watch)
    return simulate(text, {"pra": system("pra")}, runs=4)


# The figures of the text. Spreads over seeds: 51 at the start, 47 at game 160, 25 at game 340 (200 seeds).


def test_standard_population_out_of_spec(golden):
    printed = figures(golden, "standard", "100")
    out = standard().systems[0].over_runs("out_of_spec")
    mean = out.mean(axis=0)
    # |N(0, 300)| ≥ 100 for .7389 of the players: 11,083 ± 54. The text's run had 11,039.
    assert mean[0] == pytest.approx(11_083, abs=4 * 54 / 2)
    assert abs(printed["0"] - 11_083) < 54
    # 472 ± 25 over 200 seeds of ours, 475 ± 24 over 40 of others; the text's one run had 463.
    assert mean[340] == pytest.approx(475, abs=4 * 25 / 2)
    assert (np.abs(out[:, 340] - 475) < 4 * 25).all()
    assert abs(printed["340"] - 475) < 24
    # 85 to 86 % are in spec at game 160; the text says 90. It had 85 with the fault that it describes there.
    assert 1 - mean[160] / 15_000 == pytest.approx(0.855, abs=0.01)
    assert printed["160"] == 90
    # "hovering around 99 %" at game 600
    assert 100 * (1 - mean[600] / 15_000) == pytest.approx(printed["600"], abs=0.5)


def test_standard_population_within_200_points(golden):
    printed = figures(golden, "standard", "200")
    found = simulate(season(players=15_000, rounds=400), {"pra": system("pra")}, tolerance=200.0)
    out = found.systems[0].courses[0].out_of_spec
    # Over ten seeds: 165 to 201 and 16 to 31.
    assert out[160] == pytest.approx(printed["160"], abs=4 * 10)
    assert out[400] == pytest.approx(printed["400"], abs=4 * 5)


def test_elite_population_out_of_spec(golden):
    printed = figures(golden, "elite", "100")
    out = elite().systems[0].over_runs("out_of_spec")
    # We get 570 to 633 over 14 seeds, others 586 to 621; the text's run had 620.
    assert (np.abs(out[:, 340] - 600) < 4 * 20).all()
    assert abs(printed["340"] - 600) < 4 * 20
    # 2,990 at the start: 14 % lie above 2358, 6 % between 2151 and 2158. Each point of the lower edge, which no
    # two draws of a million have alike, is 125 players: the text's 2646 has an edge 3 points higher.
    assert out[:, 0].mean() == pytest.approx(2990 + 65, abs=4 * 125 / 2)  # 65: those put in by hand
    assert abs(printed["0"] - 2990) < 3 * 125


def figures(golden, name, tolerance):
    rows = golden("pra_simulation.csv")
    return {
        r["game"]: float(r["printed"])
        for r in rows
        if r["population"] == name and r["tolerance"] == tolerance and "spec" in r["what"]
    }


@pytest.mark.parametrize("name", ["standard", "elite"])
def test_games_until_in_spec(golden, name):
    """The text's two tables, column by column: means within four standard errors of their difference."""
    table = golden(f"pra_until_{name}.csv")
    found = {"standard": standard, "elite": elite}[name]().until()
    for true, players, missed, mean, spread in found.select(
        "true", "players", "missed", "mean", "spread"
    ).iter_rows():
        theirs = np.array([float(row[f"{true:.0f}"]) for row in table])
        error = np.hypot(theirs.std(ddof=1) / len(theirs) ** 0.5, spread / players**0.5)
        assert missed <= 0.1 * players  # the text's longest took 480 games; ours may take more than 600
        assert abs(mean - theirs.mean()) <= max(4 * error, 1e-9), true


def test_games_until_in_spec_as_others_found_them():
    """Means of the elite table in the errata; columns near the start are always found at once."""
    others = [217, 90, 57, 49, 40, 49, 1, 1, 44, 38, 43, 56, 92]
    found = elite().until()
    # Two means of about 20 players each; their spread is our own.
    error = 4 * np.sqrt(2) * found["spread"].to_numpy() / 20**0.5
    assert (np.abs(found["mean"].to_numpy() - others) <= np.maximum(error, 1e-9)).all()


def test_basic_alone_is_far_slower_and_boosting_jumps():
    text = season(players=15_000, rounds=170)
    found = simulate(text, {name: system(name) for name in ("pra", "pra-basic")})
    pra, basic = (result.courses[0].out_of_spec for result in found.systems)
    assert np.array_equal(pra[:20], basic[:20])  # before the first boost they are one
    assert pra[19] - pra[20] > 1000 > 200 > basic[19] - basic[20]
    assert basic[160] > 2 * pra[160]


# What must be true of any simulation.


@pytest.mark.parametrize("name", FAST)
@settings(max_examples=8)
@given(seed=st.integers(0, 10_000), moves=st.booleans(), drift=st.sampled_from([0.0, 5.0]))
def test_the_fast_loops_do_what_the_systems_do(name, seed, moves, drift):
    """Everybody plays in every round, so that a list after each of them has everybody."""
    # Whom a list has no more PRA does not know to have left: then only an anchor that is a number is the same.
    leave = 2 * moves * (name == "elo")
    world = World(drift=drift, enter=2 * moves, leave=leave, draws=PUBLISHED if moves else None)
    small = season(players=20, rounds=25, seed=seed, world=world)
    opening = small.opening()
    one = system(name)
    fast, slow = rated(one, opening), RatedByList(one, opening, 1)
    for r in small.play(opening):
        fast.play(r)
        slow.play(r)
    assert fast.ratings[r.here] + fast.shift == pytest.approx(slow.ratings[r.here], abs=1e-6)


@pytest.mark.parametrize("anchor", [1500.0, 1600.0, None])
def test_the_fast_loop_anchors_as_pra_does(anchor):
    small = season(players=30, rounds=50, world=World(enter=2, leave=2))
    opening = small.opening()
    one = system("pra", anchor=anchor)
    fast, slow = rated(one, opening), RatedByList(one, opening, 1)
    for r in small.play(opening):
        fast.play(r)
        slow.play(r)
        if anchor is not None:
            assert (fast.ratings[r.here] + fast.shift).mean() == pytest.approx(anchor)
    assert fast.ratings[r.here] + fast.shift == pytest.approx(slow.ratings[r.here], abs=1e-6)


@pytest.mark.parametrize("name", ["pra", "pra-basic"])
@given(seed=st.integers(0, 10_000), kind=st.sampled_from(["mean", "true"]))
def test_pra_keeps_what_those_who_are_here_brought(name, seed, kind):
    """The text's adj makes good what those who leave take away, or leave behind [2]."""
    small = season(players=30, rounds=45, seed=seed, start=RunStart(kind=kind), world=World(enter=0.3, leave=0.5))  # fmt: skip
    opening = small.opening()
    found = rated(system(name), opening)
    for r in small.play(opening):
        found.play(r)
        mean = (found.ratings[r.here] + found.shift).mean()
        assert mean == pytest.approx(opening.start[r.here].mean())


def test_who_leaves_within_a_period_played_with_a_rating():
    """Games before the leaving are rated by the list's rating of who left, not by a newcomer's."""
    start = RunStart(kind="true", established=True)
    strong = season(players=40, rounds=6, population=NormalPopulation(mean=2300, sd=50), start=start, world=World(leave=3, enter=3))  # fmt: skip
    opening = strong.opening()
    found = RatedByList(system("elo"), opening, 6)
    for r in strong.play(opening):
        found.play(r)
    # Six games of K = 20 between players who are all near 2300: a win against 1500 would be worth nothing.
    assert found.ratings[r.here] - opening.start[r.here] == pytest.approx(0, abs=6 * 10 + 15)
    assert found.ratings[r.here].mean() == pytest.approx(opening.start[r.here].mean(), abs=5)
    assert set(found.list["player"]) == {player_name(i) for i in np.flatnonzero(r.here)}


@pytest.mark.parametrize("name", FAST)
@given(seed=st.integers(0, 10_000), n=st.integers(3, 40))
def test_points_are_only_passed_on_in_a_closed_population(name, seed, n):
    closed = season(players=n, rounds=25, seed=seed)
    opening = closed.opening()
    found = rated(system(name), opening)
    for r in closed.play(opening):
        found.play(r)
        total = (found.ratings + found.shift).sum()
        assert total == pytest.approx(opening.start.sum(), abs=1e-6)


@pytest.mark.parametrize("name", FAST)
@given(seed=st.integers(0, 10_000), n=st.integers(4, 30))
def test_rows_are_only_names(name, seed, n):
    """Relabelling: the same games between other rows give the same ratings in other rows."""
    one = season(players=n, rounds=25, seed=seed)
    opening = one.opening()
    place = np.random.default_rng(seed).permutation(n).astype(np.int32)
    moved = opening._replace(start=opening.start[np.argsort(place)])
    here, there = rated(system(name), opening), rated(system(name), moved)
    for r in one.play(opening):
        here.play(r)
        there.play(r._replace(white=place[r.white], black=place[r.black]))
    assert there.ratings[place] + there.shift == pytest.approx(here.ratings + here.shift, abs=1e-9)


def test_the_same_seed_is_the_same_run_and_another_is_not():
    one, again, other = (
        simulate(season(seed=s, players=300), {"pra": system("pra")}).table() for s in (1, 1, 2)
    )
    assert one.equals(again)
    assert not one.equals(other)


def test_several_systems_at_once_are_each_alone():
    several = season(players=41, rounds=24, world=World(enter=0.5, leave=0.3, drift=2))
    systems = {name: system(name) for name in ("pra", "elo", "glicko2")}
    together = simulate(several, systems, period=4)
    for result in together.systems:
        alone = simulate(several, {result.label: systems[result.label]}, period=4)
        for what in ("out_of_spec", "rms_error", "players"):
            ours = getattr(alone.systems[0].courses[0], what)
            assert np.array_equal(ours, getattr(result.courses[0], what), equal_nan=True)


def test_runs_are_the_runs_of_their_seeds():
    several = simulate(season(), {"pra": system("pra")}, runs=3)
    assert several.seeds == [1, 2, 3]
    for course in several.systems[0].courses:
        alone = simulate(season(seed=course.seed), {"pra": system("pra")}).systems[0].courses[0]
        assert np.array_equal(alone.out_of_spec, course.out_of_spec)
    out = several.systems[0].over_runs("out_of_spec")
    assert several.table()["spread"].to_list() == pytest.approx(out.std(axis=0, ddof=1).tolist())


def test_a_change_of_world_leaves_the_pairings_alone():
    one, other = (
        [(r.white.tolist(), r.black.tolist()) for r in s.play()]
        for s in (season(), season(world=World(curve=world_curve("normal"), draws=PUBLISHED, drift=9)))
    )  # fmt: skip
    assert one == other


@pytest.mark.parametrize("name", SYSTEMS)
def test_every_registered_system_can_be_simulated(name):
    kind = season(players=13, rounds=6, world=World(enter=0.5, leave=0.4))
    found = simulate(kind, {name: system(name)}, period=2)
    course = found.systems[0].courses[0]
    assert len(course.out_of_spec) == 7
    assert np.isfinite(course.rms_error[-1])
    assert (course.out_of_spec <= course.players).all()


@pytest.mark.parametrize("how", ["random", "strength", "swiss"])
def test_systems_find_strengths_whoever_meets_whom(how):
    near = season(players=200, rounds=120, pairing=pairing(how), world=World(curve=world_curve("logistic")))  # fmt: skip
    found = simulate(near, {"elo": system("elo")})
    error = found.systems[0].courses[0].rms_error
    assert error[-1] < 0.8 * error[0]  # neighbours need longest: points travel in small steps


def test_in_its_own_world_a_system_finds_the_truth():
    """A logistic Elo in a logistic world stays where it is right, on average; in PRA's world it does not."""
    strengths = Given(values=np.repeat([1300.0, 1500.0, 1700.0], 700))
    for name in ("logistic", "pra"):
        one = season(players=2100, rounds=150, population=strengths, start=RunStart(kind="true"), world=World(curve=world_curve(name)))  # fmt: skip
        opening = one.opening()
        found = rated(system("elo", k=10), opening)
        for r in one.play(opening):
            found.play(r)
        off = [found.ratings[opening.true == t].mean() - t for t in (1300.0, 1500.0, 1700.0)]
        # σ of an Elo with K = 10 is about 40 points, a mean of 700 players 1.5.
        if name == "logistic":
            assert np.abs(off).max() < 4 * 1.5
        else:  # 200 points make .3 there, where the logistic has .24; 400 make .1 and .09
            assert off[0] > 4 * 1.5 < -off[2]


def test_starts_of_a_run():
    usual = season(players=2000, rounds=5)
    assert first(usual, kind="true") == 0
    assert first(usual, kind="high") == first(usual, kind="low") == 2000
    assert first(usual, kind="high", by=99) == 0
    one = replace(usual, start=RunStart(kind="one"), watch=(2200.0,))
    found = simulate(one, {"pra": system("pra")})
    assert found.systems[0].courses[0].out_of_spec[0] == 1
    assert found.path(0)["rating"][0] == 1500


def first(usual, **start):
    found = simulate(replace(usual, start=RunStart(**start)), {"pra": system("pra")})
    return found.systems[0].courses[0].out_of_spec[0]


def test_established_ratings_are_taken_at_their_word():
    """A system with rules for newcomers follows them, unless the start is said to be established."""
    usual = season(players=40, rounds=3, start=RunStart(kind="true"))
    settled = replace(usual, start=RunStart(kind="true", established=True))
    for name, options in (("glicko2", {}), ("uscf1994", {}), ("elo", {"k": "fide"}), ("fide", {})):
        new, known = (
            simulate(s, {name: system(name, **options)}).systems[0].courses[0].rms_error[-1]
            for s in (usual, settled)
        )
        assert known < new or np.isnan(new)
    pra = simulate(replace(settled, rounds=20), {name: system(name) for name in ("pra", "pra-basic")})
    boosted, basic = (result.courses[0].rms_error for result in pra.systems)
    assert np.array_equal(boosted, basic)  # whose rating is established is not boosted
    assert basic[-1] > basic[0] == 0


def test_an_anchor_at_the_true_mean_repairs_what_is_wrong_for_everybody():
    """All too high: an anchor that knows the mean needs one night, one that keeps what was brought never ends."""
    high = season(players=2000, rounds=2, start=RunStart(kind="high"))
    found = simulate(high, {"kept": system("pra"), "known": system("pra", anchor=1500.0)})
    kept, known = (result.courses[0] for result in found.systems)
    assert kept.mean_error[-1] == pytest.approx(200)
    assert kept.out_of_spec[-1] == 2000
    assert abs(known.mean_error[1]) < 4 * 300 / 2000**0.5
    assert known.out_of_spec[1] < 20


def test_the_games_of_a_watched_player_are_counted():
    """Seven players: a bye now and then is no game."""
    odd = season(players=7, rounds=80, watch=(1500.0, 1700.0))
    found = simulate(odd, {"elo": system("elo", k=60)}, tolerance=60.0)
    course = found.systems[0].courses[0]
    assert course.until[0] == 1
    inside = np.abs(course.paths[1:, 1] - 1700) < 60
    when = int(np.argmax(inside))
    played = sum(1 not in r.byes for r in list(odd.play())[: when + 1])
    assert inside.any()
    assert course.until[1] == played < when + 1


def test_nobody_is_in_spec_who_has_no_rating():
    glicko = system("glicko")

    class Silent:
        name = "silent"

        def parameters(self):
            return {}

        begin, advance, expected = glicko.begin, glicko.advance, glicko.expected

        def ratings(self, state, on=None):
            listed = glicko.ratings(state, on)
            return replace(listed, rows=listed.rows.with_columns(rating=pl.lit(None, pl.Float64)))

    found = simulate(season(players=10, rounds=1), {"silent": Silent()})
    course = found.systems[0].courses[0]
    assert course.out_of_spec[-1] == 10
    assert np.isnan(course.rms_error[-1])


def test_no_rounds_are_an_answer_too():
    found = simulate(season(rounds=0), {"pra": system("pra")})
    assert found.table().height == 1
    assert "at the end" in found.summary()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"tolerance": 0.0}, "tolerance above 0"),
        ({"tolerance": float("nan")}, "tolerance above 0"),
        ({"runs": 0}, "1 run or more"),
        ({"period": 0}, "period of 1 round or more"),
    ],
)
def test_options_that_mean_nothing(options, words):
    with pytest.raises(UsageError, match=words):
        simulate(season(), {"pra": system("pra")}, **options)


def test_more_players_than_memory():
    huge = season(players=10**13, rounds=1, population=NormalPopulation(), pairing=Random())
    with pytest.raises(UsageError, match=r"10,000,000,000,000 players need about [\d,]+ GiB"):
        simulate(huge, {"pra": system("pra")})
