"""The chart of ratings over P-Zero scores, and where its names go."""

from __future__ import annotations

import itertools
from importlib.resources import files

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arpad.event.tournament_app.app import tournament_app
from arpad.model import Games
from arpad.publish.charts.event import fit_chart
from arpad.publish.charts.style import placed, surnames, svg
from arpad.read import read

FRANKFURT = files("arpad") / "samples" / "frankfurt-1997.pra"
place = st.tuples(st.floats(0, 600), st.floats(0, 300))


def field(n: int, *, turned: bool = False) -> Games:
    """Return a round robin in which the lower number wins, rated in that order or against it."""
    pairs = list(itertools.combinations(range(n), 2))
    ratings = [2000.0 + 40 * (i if turned else n - i) for i in range(n)]
    columns = {"white": [a for a, _ in pairs], "black": [b for _, b in pairs], "score": [1.0] * len(pairs)}
    return Games.assemble(columns, {"name": [f"Player {i}" for i in range(n)], "rating": ratings})


def test_a_small_event_names_everybody():
    picture = svg(fit_chart(tournament_app(read(str(FRANKFURT)).games)))
    for words in ("Anand", "Karpov", "Topalov", "Lobron", "in spec", "χ² = 2.381 ≤ 7.815", "passed"):
        assert words in picture
    assert "LR, large residual" not in picture


def test_a_large_one_names_the_flagged_only():
    games = field(30)
    ratings = games.players["rating"].to_list()
    ratings[20] += 300
    off = Games(games.table, games.players.with_columns(pl.Series("rating", ratings)), games.events)
    found = tournament_app(off)
    flagged = {s.name for s in found.standings if s.flag}
    assert "Player 20" in flagged
    picture = svg(fit_chart(found))
    assert "Player 20" in picture
    assert not any(f">Player {i}<" in picture for i in range(30) if f"Player {i}" not in flagged)


def test_a_slope_that_was_turned_round_is_said_and_drawn():
    chart = fit_chart(tournament_app(field(6, turned=True)))
    assert "turned round" in chart.to_dict()["title"]["subtitle"]
    assert len(chart.to_dict()["layer"]) == 1 + len(fit_chart(tournament_app(field(6))).to_dict()["layer"])


def test_who_did_not_play_is_not_drawn():
    games = field(5)
    columns = {c: games.table[c].to_list() for c in ("white", "black", "score")}
    columns["white"].append(5)
    columns["black"].append(0)
    columns["score"].append(0.0)
    columns["status"] = ["played"] * 10 + ["forfeit"]
    people = {"name": list("ABCDEF"), "rating": [2200.0, 2160.0, 2120.0, 2080.0, 2040.0, 2500.0]}
    found = tournament_app(Games.assemble(columns, people))
    assert {s.name for s in found.standings} == set("ABCDEF")
    assert ">F<" not in svg(fit_chart(found))


@given(points=st.lists(place, min_size=1, max_size=25))
def test_no_name_covers_another_or_a_point(points):
    texts = [(i, f"Player {i}") for i in range(len(points))]
    labels = placed(points, texts, width=600, height=300)
    boxes = [label.box() for label in labels]
    for left, right, low, high in boxes:
        assert left >= 0
        assert right <= 600
        assert low >= 0
        assert high <= 300
    for (a, b, c, d), (e, f, g, h) in itertools.combinations(boxes, 2):
        assert b <= e or f <= a or d <= g or h <= c
    for label, (left, right, low, high) in zip(labels, boxes, strict=True):
        others = [p for i, p in enumerate(points) if i != label.point]
        assert not any(left < x < right and low < y < high for x, y in others)


def test_the_first_named_has_the_first_choice_and_lines_are_left_free():
    two = [(100.0, 100.0), (130.0, 100.0)]
    first = placed(two, [(0, "Abcdefgh"), (1, "Ijklmnop")], width=300, height=200)
    assert [label.align for label in first] == ["right", "left"]
    beside = placed([(100.0, 100.0)], [(0, "Ann")], width=300, height=200, lines=[(101, 140, 95, 105)])
    assert beside[0].align == "right"
    assert placed([(5.0, 5.0)], [(0, "Ann")], width=20, height=10) == []


@pytest.mark.parametrize(
    ("names", "short"),
    [
        (["Polgar, Judit", "Polgar, Sofia", "Short"], ["Polgar, Judit", "Polgar, Sofia", "Short"]),
        (["Fischer, Robert James", "Larsen, Bent"], ["Fischer", "Larsen"]),
        ([", X"], [", X"]),
    ],
)
def test_surnames(names, short):
    assert surnames(names) == short
