from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import polars as pl
import pytest

from arpad.errors import UsageError
from arpad.pool.half_decades import likely_difference, match_play, read_matches, with_kind
from arpad.scale import Logistic
from tests.conftest import GOLDEN


def life(rating, years=(1950,)):
    frame = pl.DataFrame({"year": years, "rating": [float(rating)] * len(years)})
    return SimpleNamespace(frame=lambda: frame)


def played(seed, spread, *, players=30, games=120):
    """Return a history in which everybody's curve is true, and whose matches are better or worse by `spread`."""
    random = np.random.default_rng(seed)
    own = random.normal(2500, 60, players)
    effect = random.normal(0, spread, players)
    parts = []
    for kind in ("match", "tournament"):
        white = np.repeat(np.arange(players), games)
        black = (white + random.integers(1, players, len(white))) % players
        shift = effect if kind == "match" else np.zeros(players)
        P = Logistic().expected(own[white] + shift[white] - own[black] - shift[black])
        drawn = random.random(len(P)) < 0.5
        odds = np.clip((P - 0.25) / 0.5, 0, 1)
        score = np.where(drawn, 0.5, random.random(len(P)) < odds)
        names = [[f"P{i}" for i in side] for side in (white, black)]
        parts.append(
            pl.DataFrame({"year": 1950, "kind": kind, "white": names[0], "black": names[1], "score": score})
        )
    lives = {f"P{i}": life(r) for i, r in enumerate(own)}
    return SimpleNamespace(lives=lives, results=pl.concat(parts))


@pytest.mark.parametrize("spread", [0, 60])
def test_the_interval_holds_the_true_spread(spread):
    held, found = 0, []
    for seed in range(15):
        result = match_play(played(seed, spread))
        held += result.low <= spread <= result.high
        found.append(result.spread)
        assert abs(result.mean) < 25
    assert held >= 13
    assert abs(np.mean(found) - spread) < 15


def test_everybody_s_figures():
    result = match_play(played(1, 0, players=4))
    assert result.rows["difference"].is_sorted(descending=True)
    assert set(result.rows["player"]) == {"P0", "P1", "P2", "P3"}
    assert result.rows["match_above"].sum() == pytest.approx(0, abs=1e-9)
    assert "-0 " not in result.summary()
    assert result.to_dict()["rows"][0]["player"] == result.rows["player"][0]


def test_who_is_better_than_his_curve_everywhere_does_not_differ():
    """A curve 150 points too low is so in matches and in tournaments, which cancels."""
    history = played(5, 0, players=12, games=400)
    low = SimpleNamespace(lives=dict(history.lives), results=history.results)
    own = float(history.lives["P0"].frame()["rating"][0])
    low.lives["P0"] = life(own - 150)
    row = match_play(low).rows.filter(pl.col("player") == "P0").row(0, named=True)
    assert row["match_above"] > 30
    assert row["tournament_above"] > 30
    assert abs(row["difference"]) < 60


def test_too_few_players():
    with pytest.raises(UsageError, match="three players with 30 games"):
        match_play(played(1, 0, players=4, games=3))


def test_two_players_are_a_match_and_four_a_tournament():
    games = [(0, 1, 2)] * 4 + [(0, 3, 4)] * 3 + [(1, 1, 2), (1, 2, 3), (1, 3, 5), (2, 1, 2), (2, 2, 3)]
    table = pl.DataFrame(games, schema=["event", "white", "black"], orient="row").with_columns(
        year=pl.lit(1900)
    )
    # Five games a match of four, three games too short, four players, three players.
    assert with_kind(table)["kind"].to_list() == ["match"] * 4 + [None] * 3 + ["tournament"] * 3 + [None] * 2
    unknown = table.with_columns(event=pl.lit(None, dtype=pl.Int64))
    assert with_kind(unknown)["kind"].null_count() == table.height


def test_a_sure_difference_stays_and_an_unsure_one_shrinks():
    assert likely_difference(150.0, 0.0) == 150
    assert 0 < likely_difference(150.0, 60.0) < likely_difference(150.0, 30.0) < 150
    assert likely_difference(-40.0, 50.0) == -likely_difference(40.0, 50.0)


def test_matches_of_5_55_are_read():
    """`1860-61` are two years; the asterisk of the match that was halted is dropped."""
    matches = read_matches(str(GOLDEN / "elo_5_55.csv"))
    assert len(matches) == 114
    first = matches[0]
    assert (first.first, first.last, first.white, first.black) == (1860, 1861, "Anderssen", "Kolisch")
    assert (first.games, first.score, first.difference) == (21, 11.0, 20.0)
    halted = next(m for m in matches if m.first == 1984 and m.last == 1985)
    assert (halted.white, halted.black, halted.games) == ("Kasparov", "Karpov", 48)
