from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arpad.errors import UsageError
from arpad.event.norms.fide1957 import PERCENT, points_1957, tournament_class, verdicts
from arpad.model import Games, Player


def event(titles, own):
    """Player 0 scores `own` of the points, all other games are drawn."""
    n = len(titles)
    pairs = [(i, j) for i in range(n) for j in range(i + 1, n)]
    left = iter(own)
    shares = [next(left) if i == 0 else 0.5 for i, _ in pairs]
    return Games.assemble(
        {"white": [i for i, _ in pairs], "black": [j for _, j in pairs], "score": shares},
        [Player(name=f"P{i}", title=t, federation="AB"[i % 2]) for i, t in enumerate(titles)],
    )


EXAMPLE = [None, *["GM"] * 5, *["IM"] * 7, *[None] * 3]


def test_the_example_of_4_24():
    # 2.75 + 5.25 + 2.55 = 10.55; 1.75 + 3.85 + 2.25 = 7.85
    for title, parts, total, points in (
        ("GM", (2.75, 5.25, 2.55), 10.55, 11),
        ("IM", (1.75, 3.85, 2.25), 7.85, 8),
    ):
        groups = (5, 7, 3)
        assert tuple(p * n / 100 for p, n in zip(PERCENT[title], groups, strict=True)) == pytest.approx(parts)
        assert sum(parts) == pytest.approx(total)
        assert points_1957(title, *groups) == points


def test_verdicts_on_the_example():
    # 5 GM and 7 IM among the 15 opponents: a third and four fifths, so class 1b; 11½ points are enough
    good = {v.title: v for v in verdicts(event(EXAMPLE, [1.0] * 8 + [0.5] * 7), [0])}
    assert good["GM"].passed
    assert (good["GM"].score, good["GM"].points_needed) == (11.5, 11)
    assert good["GM"].requirements[1].found == "1b: 16 players; 5 GM, 7 IM among 15 opponents"
    assert good["IM"].passed
    assert good["IM"].points_needed == 8
    four = [None, *["GM"] * 4, *["IM"] * 8, *[None] * 3]
    weak = verdicts(event(four, [1.0] * 8 + [0.5] * 7), [0], ["GM"])[0]
    assert [r.what for r in weak.failed()] == ["class of tournament"]
    assert weak.points_needed is None
    six = [None, *["GM"] * 6, *["IM"] * 6, *[None] * 3]
    found = verdicts(event(six, [1.0] * 7 + [0.5] * 8), [0], ["GM"])[0]
    # .55 × 6 + .75 × 6 + .85 × 3 = 10.35: 10½ will do
    assert found.passed
    assert found.points_needed == 10.5
    low = verdicts(event(six, [1.0] * 5 + [0.5] * 10), [0], ["GM"])[0]
    assert low.summary() == (
        "P0: 10/15, GM norm not made: score 10, needed at least 10.5 against 6 GM, 6 IM, 3 others [4.24] (1957)"
    )


@pytest.mark.parametrize(
    ("players", "gm", "im", "name"),
    [
        (16, 8, 4, "1a"), (16, 7, 5, "1b"), (15, 8, 3, "1b"), (10, 4, 3, "1b"), (10, 3, 4, "2b"),
        (15, 0, 8, "2a"), (14, 0, 7, "2b"), (16, 8, 3, "2a"), (15, 0, 7, None), (9, 9, 0, None),
        (23, 12, 4, "2a"),  # 69.6 % titled are not 70
    ],
)  # fmt: skip
def test_classes_of_tournament(players, gm, im, name):
    found = tournament_class(players, gm, im)
    assert (found.name if found else None) == name


@given(gm=st.integers(0, 20), im=st.integers(0, 20), others=st.integers(0, 20))
def test_the_score_exceeds_the_sum_by_at_most_half_a_point(gm, im, others):
    if gm + im + others == 0:
        return
    for title, percents in PERCENT.items():
        total = sum(Fraction(p, 100) * n for p, n in zip(percents, (gm, im, others), strict=True))
        needed = Fraction(points_1957(title, gm, im, others))
        assert total < needed <= total + Fraction(1, 2)
    assert points_1957("IM", gm, im, others) <= points_1957("GM", gm, im, others)


def test_bad_questions():
    games = event(EXAMPLE, [0.5] * 15)
    with pytest.raises(UsageError, match="1975"):
        verdicts(games, None, ["WGM"])
    with pytest.raises(UsageError, match="expected rows"):
        verdicts(games, [16])
    with pytest.raises(UsageError, match="found none"):
        verdicts(Games.assemble({"white": [], "black": [], "score": []}, []))
    for groups in ((0, 0, 0), (-1, 5, 5)):
        with pytest.raises(UsageError):
            points_1957("GM", *groups)
    swiss = Games.build([("A", "B", 1.0), ("C", "D", 1.0), ("A", "C", 1.0), ("B", "D", 1.0)])
    found = verdicts(swiss)[0]
    assert {r.what for r in found.failed()} >= {"kind of event", "class of tournament"}
    assert any("names no GM" in note for note in found.notes)
    # GM and IM for the four without a title, GM for seven IM, nothing for five GM
    assert len(verdicts(games)) == 15
    assert len(verdicts(games, None, ["GM", "IM"])) == 32
