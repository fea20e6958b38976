from __future__ import annotations

from dataclasses import replace

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arpad.event.norms.checks import outlook
from arpad.event.norms.fide import Judge
from arpad.event.norms.field import NormOpponent
from arpad.event.norms.rules import TODAY, Setting
from arpad.model import STATUS, Games, Player
from tests.event.norm_events import everybody, field, opponent, swiss


def ahead(games, title="GM", opponents=(), **setting):
    return outlook(Judge(games, TODAY, Setting(**setting)), 0, title, opponents=opponents)


def test_nothing_is_left_when_an_event_is_over():
    assert ahead(swiss(field(), [0.5] * 9)) is None


def test_by_hand():
    # 4 of 6 against 2434; three more such opponents: 6.5 of 9 are needed
    found = ahead(swiss(field(6), [1, 1, 0.5, 0.5, 0.5, 0.5], rounds=9))
    assert (found.left, found.games, found.score) == (3, 6, 4)
    assert found.assumed == (2434, 2434, 2434)
    assert found.assumption == "the average so far"
    assert (found.points_needed, found.within) == (2.5, 3)
    assert found.conditions == ()
    assert found.impossible == ()
    assert found.summary() == (
        "Applicant, GM norm, 4/6 with 3 to come: 2.5 of the next 3 against an average of 2434 "
        "(the average so far)"
    )
    # against 2600 on average: (6 * 2434 + 3 * 2600) / 9 = 2489.3: six points, two to come
    assert dict(found.by_average)[2600] == 2.0
    # against 2300: 2389.3, seven points, three to come; 2250 would be 2372.7, below 2380
    assert dict(found.by_average)[2300] == 3.0
    assert found.table().columns == ["average", "points_needed", "of"]


def test_opponents_who_are_known_count():
    games = swiss(field(6), [1, 1, 0.5, 0.5, 0.5, 0.5], rounds=9)
    given_ = [NormOpponent(rating=r) for r in (2600.0, 2600.0, 2600.0)]
    found = ahead(games, opponents=given_)
    assert (found.points_needed, found.assumption) == (2.0, "as given")
    paired = swiss(
        [*field(6), opponent(6, 2600)], [1, 1, 0.5, 0.5, 0.5, 0.5, None], rounds=7,
        status={7: "unplayed"},
    )  # fmt: skip
    found = ahead(paired, rounds=9)
    assert found.left == 3
    assert found.assumed == (2600, 2434, 2434)
    assert found.assumption == "as paired, then the average so far"


def test_conditions_on_opponents_to_come():
    games = swiss(field(6, titled=3, holders=1), [1, 1, 1, 1, 1, 1], rounds=9)
    found = ahead(games)
    assert found.conditions == ("at least 2 more titled opponents", "at least 2 more opponents who are GM")
    nearly = ahead(swiss(field(6, titled=4, holders=2), [1, 1, 1, 1, 1, 1], rounds=9))
    assert nearly.conditions == ("at least 1 more titled opponent", "at least 1 more opponent who is GM")
    home = [replace(p, federation="ESP") for p in field(5)]
    found = ahead(swiss(home, [1] * 5, rounds=9))
    assert found.conditions == ("at least 2 more federations beside ESP", "at most 0 more from ESP")


def test_what_can_no_longer_be_met():
    found = ahead(swiss(field(7, titled=3, holders=0), [1] * 7, rounds=9))
    assert [r.article for r in found.impossible] == ["1.4.5b"]
    assert found.impossible[0].found == "2 at most"
    assert "not possible" in found.summary()
    assert found.points_needed is None
    home = [replace(p, federation="ESP") for p in field(6)]
    assert [r.article for r in ahead(swiss(home, [1] * 6, rounds=9)).impossible] == ["1.4.4"]
    short = ahead(swiss(field(4), [1] * 4, rounds=8))
    assert [r.article for r in short.impossible] == ["1.4.1"]
    man = ahead(swiss(field(4), [1] * 4, rounds=9), "WGM")
    assert [r.article for r in man.impossible] == ["0.3.1"]


def test_out_of_reach():
    found = ahead(swiss(field(6), [0.0] * 6, rounds=9))
    assert found.points_needed is None
    assert found.impossible == ()
    assert "out of reach" in found.summary()


def test_unknown_titles_are_a_condition():
    own = Player(name="Applicant", federation="ESP")
    people = [replace(p, title=None) for p in field(6)]
    found = ahead(swiss(people, [1, 1, 0.5, 0.5, 0.5, 0.5], rounds=9, own=own))
    assert found.points_needed == 2.5
    assert "unknown" in found.conditions[0]


def test_a_norm_that_is_made_may_rest():
    found = ahead(swiss(field(9), [1, 1, 1, 1, 0.5, 0.5, 0.5, 0.5, 0.5], rounds=11))
    assert found.made
    assert (found.points_needed, found.within) == (0, 0)
    assert "made already" in found.summary()


def test_stopping_early_may_be_cheaper():
    # after 8 of 11 rounds a draw completes 6.5 of 9; the rest may be ignored
    found = ahead(swiss(field(8), [1, 1, 1, 1, 0.5, 0.5, 0.5, 0.5], rounds=11))
    assert (found.points_needed, found.within) == (0.5, 1)


def test_the_first_round_and_round_robins():
    people = [Player(name="Applicant", federation="ESP", title="IM"), *field(9)]
    robin = everybody(people, lambda *_: 0.5)
    assert ahead(robin) is None
    before = swiss(field(1), [None], status={1: "unplayed"}, rounds=9)
    found = ahead(before)
    assert (found.left, found.games) == (9, 0)
    assert found.assumption == "as paired, then the least average"


@given(
    ratings=st.lists(st.integers(2300, 2600), min_size=9, max_size=9),
    scores=st.lists(st.sampled_from([0.0, 0.5, 1.0]), min_size=9, max_size=9),
    played=st.integers(1, 8),
)
def test_the_points_needed_are_the_border(ratings, scores, played):
    people = [replace(p, rating=float(r)) for p, r in zip(field(), ratings, strict=True)]
    games = swiss(people[:played], scores[:played], rounds=9)
    coming = [NormOpponent(rating=p.rating, title=p.title, federation=p.federation) for p in people[played:]]  # fmt: skip
    found = ahead(games, opponents=coming)
    left = 9 - played

    def makes(points: float) -> bool:
        rest = [1.0] * int(points) + [0.5] * int(2 * points % 2)
        done = [*scores[:played], *rest, *[0.0] * (left - len(rest))]
        return Judge(swiss(people, done)).verdict(0, "GM").passed

    if found.points_needed is None:
        assert not makes(left)
    else:
        assert makes(found.points_needed)
        assert not found.points_needed or not makes(found.points_needed - 0.5)


def test_rounds_as_a_person_knows_them():
    assert ahead(swiss(field(6), [1] * 6), rounds=9).left == 3


@pytest.mark.parametrize("rounds", [1, 6])
def test_fewer_rounds_than_were_played(rounds):
    assert ahead(swiss(field(6), [1] * 6), rounds=rounds) is None


def test_one_full_point_bye_in_nine_rounds_leaves_eight_games():
    """1.4.1c: eight games are enough beside one bye."""
    found = outlook(Judge(swiss([None, *field(5)], [1.0] * 6, rounds=9)), 0, "GM")
    assert not found.impossible
    assert found.points_needed is not None


@pytest.mark.parametrize(("masters", "possible"), [(2, False), (3, True)])
def test_a_double_round_robin_counts_different_opponents(masters, possible):
    """Six players, eight of ten rounds played: nobody comes who is not there already [1.4.5f]."""
    kinds = ["GM"] * masters + ["IM"] * (5 - masters)
    people = [Player(name="Applicant", rating=2500.0, federation="ESP", title="IM"), *(opponent(i, 2450, kind) for i, kind in enumerate(kinds))]  # fmt: skip
    whole = everybody(people, lambda *_: 1.0, times=2)
    late = (pl.col("round").cast(pl.Int32) > 8) & (pl.col("white") == 0)
    open_ = Games(whole.table.with_columns(pl.when(~late).then("score").alias("score"), pl.when(~late).then("black_score").alias("black_score"), pl.when(late).then(pl.lit("unplayed", dtype=STATUS)).otherwise("status").alias("status")), whole.players, (replace(whole.events[0], kind="double round robin"),))  # fmt: skip
    found = ahead(open_)
    assert found.left == 2
    words = [c.what for c in found.impossible]
    assert ("different opponents who are GM" in words) is not possible
    assert not any("more opponents who are GM" in c for c in found.conditions)
