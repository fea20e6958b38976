from __future__ import annotations

from collections import Counter
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from arpad.errors import UsageError
from arpad.lab import kernels
from arpad.lab.pairing import PairingSection, RandomSources, pairing


def pairer(name, seed=1, **constants):
    dice = np.array([seed], dtype=np.uint64)
    return pairing(name, **constants).begin(RandomSources(dice, np.random.default_rng(seed)))


@pytest.mark.parametrize("name", ["random", "strength", "swiss"])
@given(n=st.integers(3, 40), seed=st.integers(0, 1000))
def test_everybody_plays_once_or_has_the_bye(name, n, seed):
    here = (np.arange(n) * 3).astype(np.int32)
    true = np.random.default_rng(seed).normal(1500, 300, 3 * n)
    pairs = pairer(name, seed).pairs(here, true)
    assert sorted([*pairs.white, *pairs.black, *pairs.byes]) == here.tolist()
    assert len(pairs.byes) == n % 2


def test_every_opponent_is_as_likely_as_any_other():
    """χ² of the fifteen ways to pair six players; and of everybody's opponents among nine."""
    six, ways = pairer("random"), Counter()
    here = np.arange(6, dtype=np.int32)
    for _ in range(6000):
        white, black, _ = six.pairs(here, np.zeros(6))
        ways[frozenset(frozenset(p) for p in zip(white.tolist(), black.tolist(), strict=True))] += 1
    assert len(ways) == 15
    assert stats.chisquare(list(ways.values())).pvalue > 0.001


def test_large_fields_are_paired_as_evenly_as_small_ones():
    """Beyond 131,072 players the shuffle deals them into parts first: nobody's partner is nearer for that."""
    n = kernels.WHOLE + 60_001
    order, spare = np.arange(n, dtype=np.int32), np.empty(n, dtype=np.int32)
    dice = np.array([7], dtype=np.uint64)
    kernels.shuffle(order, spare, dice)
    assert np.array_equal(np.sort(order), np.arange(n))
    # Where a row ends up does not depend on where it began: 20 × 20 cells, 361 degrees of freedom.
    cells = np.histogram2d(np.arange(n), order, bins=20)[0]
    assert stats.chi2.sf(((cells - n / 400) ** 2 / (n / 400)).sum(), 361) > 0.001
    # Partners: the distance of two random rows is triangular, 1 − (1 − d)² up to d.
    d = np.abs(order[0 : n - 1 : 2] - order[1:n:2]) / n
    assert stats.kstest(d, lambda x: 1 - (1 - x) ** 2).pvalue > 0.001
    # No partner comes back more often than chance lets him: about half a pair a round.
    pairs = [_pairs(order)]
    for _ in range(4):
        kernels.shuffle(order, spare, dice)
        pairs.append(_pairs(order))
    repeated = sum(len(a & b) for a, b in combinations(pairs, 2))
    assert repeated <= stats.poisson(10 * 0.5).ppf(0.999)


def _pairs(order):
    both = order[: len(order) // 2 * 2].reshape(-1, 2)
    return set(map(tuple, np.sort(both, axis=1).tolist()))


def test_neighbours_meet():
    true = np.random.default_rng(2).normal(1500, 300, 2000)  # another seed than the lots
    here = np.arange(2000, dtype=np.int32)
    near = pairer("strength", spread=0).pairs(here, true)
    usual = pairer("strength").pairs(here, true)
    anybody = pairer("random").pairs(here, true)
    gaps = [np.abs(true[p.white] - true[p.black]).mean() for p in (near, usual, anybody)]
    # Two of N(0, σ) lie 2σ/√π apart; neighbours by strength + N(0, 100) differ by two noises: about 200/√π.
    assert gaps[0] < 3
    assert gaps[1] == pytest.approx(200 / np.pi**0.5, rel=0.1)
    assert gaps[2] == pytest.approx(600 / np.pi**0.5, rel=0.1)
    assert 0.4 < (true[usual.white] > true[usual.black]).mean() < 0.6


def test_with_a_spread_neighbours_change():
    true = np.random.default_rng(2).normal(1500, 300, 200)
    here = np.arange(200, dtype=np.int32)
    one = pairer("strength")
    seen = {
        frozenset(p)
        for _ in range(10)
        for p in zip(*(rows.tolist() for rows in one.pairs(here, true)[:2]), strict=True)
    }
    assert len(seen) > 800  # of 1,000 games


def play(section: PairingSection, strength, rng) -> list[tuple[int, int]]:
    pairs, bye = section.pair(strength)
    for a, b in pairs:
        section.take(a, b, float(rng.integers(0, 3)) / 2)
    if bye is not None:
        section.rest(bye)
    return pairs


@settings(max_examples=40)
@given(n=st.integers(4, 9), rounds=st.integers(1, 8), seed=st.integers(0, 10_000))
def test_swiss_repeats_a_game_only_where_it_must(n, rounds, seed):
    rng = np.random.default_rng(seed)
    strength = rng.normal(1500, 300, n)
    section = PairingSection(list(range(n)))
    for _ in range(rounds):
        met = {p: set(others) for p, others in section.met.items()}
        byes = set(section.byes)
        pairs, bye = section.pair(strength)
        repeated = any(b in met[a] for a, b in pairs)
        assert repeated == (not _can_be_paired(set(range(n)) - {bye}, met))
        assert bye is None or bye not in byes or len(byes) == n
        for a, b in pairs:
            section.take(a, b, float(rng.integers(0, 3)) / 2)
        if bye is not None:
            section.rest(bye)


def _can_be_paired(rest, met):
    if not rest:
        return True
    a = min(rest)
    return any(_can_be_paired(rest - {a, b}, met) for b in rest - {a} if b not in met[a])


def test_a_large_swiss_repeats_nothing_and_pairs_equals():
    rng = np.random.default_rng(1)
    strength = rng.normal(1500, 300, 101)
    section = PairingSection(list(range(101)))
    games = Counter()
    for number in range(9):
        scores = dict(section.score)
        pairs = play(section, strength, rng)
        games.update(frozenset(p) for p in pairs)
        if number == 0:  # everybody has 0: the upper half meets the lower
            order = sorted(range(101), key=lambda p: -strength[p])[:100]
            assert pairs == [(order[i], order[i + 50]) for i in range(50)]
        else:
            assert np.mean([abs(scores[a] - scores[b]) for a, b in pairs]) < 0.3
    assert max(games.values()) == 1
    assert len(section.byes) == 9


def test_swiss_sections_change_from_event_to_event():
    swiss = pairer("swiss", rounds=3, field=10)
    here, true = np.arange(43, dtype=np.int32), np.linspace(1000, 2000, 43)
    groups = []
    for _ in range(6):
        pairs = swiss.pairs(here, true)
        swiss.played(pairs, np.ones(len(pairs.white)))
        groups.append({frozenset(s.players) for s in swiss.sections})
    assert groups[0] == groups[2] != groups[3]
    assert sorted(len(g) for g in groups[0]) == [10, 10, 10, 13]  # three would be too few


def test_who_leaves_a_swiss_is_not_paired_and_who_enters_waits():
    swiss = pairer("swiss", rounds=3, field=10)
    true = np.linspace(1000, 2000, 12)
    swiss.played(p := swiss.pairs(np.arange(10, dtype=np.int32), true), np.ones(len(p.white)))
    later = np.array([0, 1, 2, 3, 4, 5, 10, 11], dtype=np.int32)
    pairs = swiss.pairs(later, true)
    assert set(pairs.white) | set(pairs.black) == set(range(6))
    assert set(pairs.byes) == {10, 11}


@pytest.mark.parametrize(
    ("name", "constants", "words"),
    [
        ("knockout", {}, "expected a pairing, one of random, strength, swiss"),
        ("random", {"spread": 3.0}, "has nothing called spread"),
        ("strength", {"spread": -1.0}, "spread of 0 or more"),
        ("swiss", {"rounds": 0}, "1 round or more"),
        ("swiss", {"field": 3}, "field of 4 to 2,000"),
    ],
)
def test_what_is_no_pairing_is_refused(name, constants, words):
    with pytest.raises(UsageError, match=words):
        pairing(name, **constants)
