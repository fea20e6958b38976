from __future__ import annotations

import datetime as dt

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arpad.errors import InputError, UsageError
from arpad.model import Games, Player, Ratings
from arpad.pool.deflation import bands, combined, exchange, segment_table
from arpad.scale import Logistic

CELLS = {  # the four groups of 3.84 that do not overlap
    "Juniors rated under 1700": ("junior", "under"),
    "Juniors over 1700": ("junior", "over"),
    "Adults under 1700": ("adult", "under"),
    "Adults over 1700": ("adult", "over"),
}
MARGINS = {
    "All juniors": ("junior", "all"),
    "All adults": ("adult", "all"),
    "All players under 1700": ("all", "under"),
    "All players over 1700": ("all", "over"),
    "All players": ("all", "all"),
}


def test_3_84_means_combine(golden):
    rows = {r["group"]: r for r in golden("elo_3_84.csv")}
    for name, (who, where) in MARGINS.items():
        parts = [rows[cell] for cell, (w, h) in CELLS.items() if who in (w, "all") and where in (h, "all")]
        players, gain = combined([(int(r["players"]), float(r["gain"])) for r in parts])
        assert players == int(rows[name]["players"])
        assert gain == pytest.approx(float(rows[name]["gain"]), abs=0.06)
        assert sum(int(r["bonus"]) for r in parts) == int(rows[name]["bonus"])


def test_3_84_whole_from_its_four_groups(golden):
    """Everybody given the group's mean, and as many bonuses as printed: the nine rows come out."""
    printed = {r["group"]: r for r in golden("elo_3_84.csv")}
    parts = []
    for name, (who, where) in CELLS.items():
        row = printed[name]
        n, bonus = int(row["players"]), int(row["bonus"])
        parts.append(
            pl.DataFrame(
                {
                    "games": [12] * n,
                    "gain": [float(row["gain"])] * n,
                    "tested": [True] * n,
                    "exceptional": [i < bonus for i in range(n)],
                    "age": [who] * n,
                    "rating": [where] * n,
                }
            )
        )
    frame = pl.concat(parts).with_row_index("player")
    rows = {(r["age"], r["rating"]): r for r in segment_table(frame, ("age", "rating")).iter_rows(named=True)}
    assert len(rows) == 9
    for name, key in (CELLS | MARGINS).items():
        found, row = rows[key], printed[name]
        assert found["performances"] == found["players"] == int(row["players"])
        assert found["exceptional"] == int(row["bonus"])
        assert round(found["percent"], 1) == pytest.approx(float(row["percent"]), abs=0.051)
        assert found["gain"] == pytest.approx(float(row["gain"]), abs=0.06)
    order = [float(r["gain"]) for r in golden("elo_3_84.csv")]
    assert order == sorted(order, reverse=True)  # most gained first, as we have it


def world(bias: float, seed: int = 0, events: int = 6) -> Games:
    """Sixty players with exact ratings, except that juniors are rated `bias` below their strength."""
    rng = np.random.default_rng(seed)
    true = rng.normal(1700, 120, 60)
    young = np.arange(60) < 20
    people = [
        Player(name=f"P{i}", rating=float(true[i] - bias * young[i]), birth="1965" if young[i] else "1940")
        for i in range(60)
    ]
    rows = []
    for e in range(events):
        for _ in range(10):
            for a, b in rng.permutation(60).reshape(-1, 2):
                won = rng.random() < Logistic().expected(true[a] - true[b])
                rows.append((int(a), int(b), float(won), e))
    white, black, score, event = zip(*rows, strict=True)
    columns = {"white": white, "black": black, "score": score, "event": event,
               "date": [dt.date(1973, 8, 1)] * len(rows)}  # fmt: skip
    return Games.assemble(columns, people)


def by_name(found) -> dict[str, dict]:
    return {row["age"]: row for row in found.rows.iter_rows(named=True)}


def test_underrated_juniors_are_found():
    found = by_name(exchange(world(bias=60), curve=Logistic()))
    assert found["under 18"]["gain"] > 5
    assert found["under 18"]["p"] < 0.01
    assert found["18 and over"]["gain"] < -3
    assert found["under 18"]["percent"] > found["18 and over"]["percent"]
    fair = by_name(exchange(world(bias=0), curve=Logistic()))
    assert fair["under 18"]["p"] > 0.01
    assert 1 < fair["all"]["percent"] < 9  # about the level, 5 %


def test_errors_are_as_large_as_the_gains_vary():
    gains = [by_name(exchange(world(0, seed, events=2), curve=Logistic()))["under 18"] for seed in range(40)]
    spread = np.std([g["gain"] for g in gains], ddof=1)
    assert np.mean([g["error"] for g in gains]) == pytest.approx(spread, rel=0.35)


@given(seed=st.integers(0, 10**6))
def test_what_one_wins_the_other_loses(seed):
    rng = np.random.default_rng(seed)
    people = [Player(name=f"P{i}", rating=float(r), title=t) for i, (r, t) in
              enumerate(zip(rng.integers(1500, 2500, 8), rng.choice(["GM", "IM"], 8), strict=True))]  # fmt: skip
    pairs = [(int(a), int(b)) for a, b in rng.integers(0, 8, (20, 2)) if a != b]
    columns = {
        "white": [a for a, _ in pairs],
        "black": [b for _, b in pairs],
        "score": rng.integers(0, 3, len(pairs)) / 2,
    }
    found = exchange(Games.assemble(columns, people), by=("title",), curve=Logistic())
    flow = {(a, b): p for a, b, p in found.between.select("segment", "opponents", "points").iter_rows()}
    for (a, b), points in flow.items():
        assert points == pytest.approx(-flow[b, a], abs=1e-9)
    total = (
        found.rows.filter(pl.col("title") != "all").select((pl.col("gain") * pl.col("performances")).sum())
    ).item()
    assert total == pytest.approx(0, abs=1e-9)


def test_a_list_tells_what_the_games_do_not():
    games = Games.assemble(
        {"white": [0], "black": [1], "score": [1.0], "white_rating": [2000.0], "black_rating": [2000.0]},
        [Player(name="A", id="1"), Player(name="B", id="2")],
    )
    rows = pl.DataFrame(
        {
            "player": ["A", "B"],
            "id": ["1", "2"],
            "rating": [1.0, 1.0],
            "sex": ["w", "m"],
            "federation": ["GEO", None],
        }
    )
    people = Ratings(system="x", rows=rows, parameters={})
    found = exchange(games, by=("sex",), people=people)
    assert set(found.rows["sex"]) == {"women", "men", "all"}
    federations = exchange(games, by=("federation",), people=people)
    assert set(federations.rows["federation"]) == {"GEO", "unknown", "all"}
    assert any("federation is not known for 1 of 2" in note for note in federations.notes)
    assert set(exchange(games, by=("rating-band",)).rows["rating-band"]) == {"under 2200", "all"}


def test_one_person_is_one_fact_however_often_he_plays():
    games = world(0, events=1)
    many = Games(
        pl.concat([games.table.with_columns(event=pl.lit(i, dtype=pl.Int32)) for i in range(4)]),
        games.players,
    )
    once, four = (by_name(exchange(g, curve=Logistic()))["under 18"] for g in (games, many))
    assert four["performances"] == 4 * once["performances"]
    assert four["players"] == once["players"]
    assert four["error"] == pytest.approx(once["error"])


def test_games_without_ratings_are_left_out():
    people = [Player(name="A", rating=2000.0), Player(name="B", rating=2000.0), Player(name="C")]
    games = Games.assemble({"white": [0, 0], "black": [1, 2], "score": [1.0, 1.0]}, people)
    found = exchange(games, by=("title",))
    assert (found.games, found.left_out) == (1, 1)
    with pytest.raises(InputError, match="none in 1 games"):
        exchange(Games.build([("A", "B", 1.0)]))


def test_tiers_of_k_go_by_rating():
    people = [Player(name="A", rating=2050.0, title="GM"), Player(name="B", rating=2250.0)]
    games = Games.assemble({"white": [0], "black": [1], "score": [0.5]}, people)
    found = exchange(games, by=("title",), k="32@2100,16", curve=Logistic())
    gains = dict(found.rows.select("title", "gain").iter_rows())
    assert gains["GM"] == pytest.approx(-2 * gains["none"])


@pytest.mark.parametrize("wrong", [{"by": ()}, {"by": ("age", "age")}, {"by": ("shoe",)}, {"age_cuts": (30, 20)}, {"age_cuts": ()}, {"k": "x"}, {"level": 0.7}])  # fmt: skip
def test_bad_options(wrong):
    with pytest.raises(UsageError):
        exchange(world(0, events=1), **wrong)


def test_bands():
    frame = pl.DataFrame({"r": [1699.5, 1700.0, 1899.0, 1900.0, None]})
    assert frame.select(bands(pl.col("r"), (1700, 1900)))["band"].to_list() == [
        "under 1700", "1700–1899", "1700–1899", "1900 and over", "unknown",
    ]  # fmt: skip


def test_nothing_to_combine():
    with pytest.raises(UsageError):
        combined([])
