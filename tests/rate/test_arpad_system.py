"""arpad's own system."""

from __future__ import annotations

import datetime as dt

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arpad.errors import UsageError
from arpad.model import Games
from arpad.rate.arpad_constants import Constants
from arpad.rate.arpad_game import Standing, aged, forecast, played
from arpad.rate.arpad_run import by_kernel, by_reference
from arpad.rate.arpad_system import ArpadSystem


def season(seed: int, players: int = 12, games: int = 150, *, rated: bool = False) -> Games:
    dice = np.random.default_rng(seed)
    strength = dice.normal(2100, 150, players)
    rows = {
        "white": [],
        "black": [],
        "score": [],
        "date": [],
        "white_rating": [],
        "black_rating": [],
    }
    for i in range(games):
        w, b = dice.choice(players, 2, replace=False)
        E = 1 / (1 + 10 ** (-(strength[w] - strength[b] + 30) / 400))
        rows["white"].append(int(w))
        rows["black"].append(int(b))
        rows["score"].append(float(dice.choice([0, 0.5, 1], p=_chances(E))))
        rows["date"].append(dt.date(2024, 1, 1) + dt.timedelta(days=4 * i) if i % 9 else None)
        rows["white_rating"].append(float(round(strength[w])) if rated and w % 2 else None)
        rows["black_rating"].append(float(round(strength[b])) if rated and b % 2 else None)
    return Games.assemble(rows, {"name": [f"P{i}" for i in range(players)]})


def _chances(E: float) -> list[float]:
    draw = 0.4 * 4 * E * (1 - E) / 2
    return [1 - E - draw / 2, draw, E - draw / 2]


def test_one_game_by_hand():
    """Every figure of a game from the page's formulas, worked out apart from the code."""
    c = Constants(
        drift=0, drift_slope=0, least_error=1, white_advantage=40, white_slope=0, steepness=1,
        steepness_slope=0, doubt=0, draws=0.4, draws_slope=0, meeting=300, practice=2, practice_slope=0, practice_games=100,
    )  # fmt: skip
    white, black = Standing(2200.0, 100.0**2), Standing(2200.0, 50.0**2, games=100)
    one, two = played(c, white, black, 1.0, None)
    E = 1 / (1 + 10 ** (-40 / 400))
    q = np.log(10) / 400
    rise = q * E * (1 - E)
    total = E * (1 - E) * 0.6 + rise**2 * 12_500
    assert one.expected == pytest.approx(E)
    assert one.k == pytest.approx(10_000 * rise / total)
    assert two.k == pytest.approx(2_500 * rise / total)
    a, b = 2200 + one.k * (1 - E), 2200 - two.k * (1 - E)
    v, u = 10_000 * (1 - one.k * rise), 2_500 * (1 - two.k * rise)
    pull = (b - a) / (v + u + 90_000)
    assert white.rating == pytest.approx(a + v * pull + 2)
    assert black.rating == pytest.approx(b - u * pull + 2 / np.e)
    assert (white.variance, black.variance) == (pytest.approx(v), pytest.approx(u))
    assert (white.games, black.games) == (1, 101)


@given(seed=st.integers(0, 10**6), rated=st.booleans())
def test_kernel_and_reference_agree(seed, rated):
    games, system = season(seed, rated=rated), ArpadSystem()
    table = games.rateable()
    one, two = (system._people(games, table, None) for _ in range(2))
    sides = by_reference(system, table, one, told=True)
    assert by_kernel(system, table, two, told=True) == pytest.approx(sides)
    for name in ("rating", "variance", "games", "last"):
        assert getattr(one, name) == pytest.approx(getattr(two, name), nan_ok=True)


@given(seed=st.integers(0, 10**6))
def test_a_forecast_is_that_of_the_list_before(seed):
    """What the walk foretells is what `expected` says from the list that `rate` gives."""
    games, system = season(seed, rated=True), ArpadSystem(evidence=0.0)
    table = games.rateable().filter(pl.col("date").is_not_null())
    games = Games(table, games.players, games.events)
    cut = 100
    D, expected = system.foretell(games, np.array([0, cut, table.height]))
    listed = system.rate(Games(table.head(cut), games.players, games.events)).rows
    standing = {row["player"]: row for row in listed.to_dicts()}
    for i, row in enumerate(table[cut:].to_dicts(), start=cut):
        pair = [standing.get(f"P{row[side]}") for side in ("white", "black")]
        if None in pair:
            continue
        errors = [
            np.sqrt(aged(system, p["rating"], p["error"] ** 2, (row["date"] - p["last"]).days))
            for p in pair
        ]
        said = system.expected(pair[0]["rating"], errors[0], pair[1]["rating"], errors[1], colour=1)
        assert expected[i] == pytest.approx(float(said))
        assert D[i] == pytest.approx(pair[0]["rating"] - pair[1]["rating"])


def test_the_source_counts_as_evidence_only_where_it_may():
    games = season(1, rated=True)
    table = games.rateable().filter(pl.col("date").is_not_null())
    games = Games(table, games.players, games.events)
    first = np.array([0, 80, table.height])
    blind = ArpadSystem(given=False).foretell(games, first)[1]
    assert blind == pytest.approx(ArpadSystem(given=False, evidence=0.0).foretell(games, first)[1])
    bare = Games(
        table.with_columns(
            pl.lit(None, pl.Float64).alias("white_rating"),
            pl.lit(None, pl.Float64).alias("black_rating"),
        ),
        games.players,
        games.events,
    )
    assert blind == pytest.approx(ArpadSystem().foretell(bare, first)[1])
    assert blind != pytest.approx(ArpadSystem().foretell(games, first)[1])


def test_what_comes_later_changes_no_forecast():
    games = season(7)
    table = games.rateable().filter(pl.col("date").is_not_null())
    first = np.array([0, 50, 100, table.height])
    one = ArpadSystem().foretell(Games(table, games.players, games.events), first)[1]
    turned = table.with_columns(
        pl.when(pl.int_range(pl.len()) >= 100)
        .then(1 - pl.col("score"))
        .otherwise("score")
        .alias("score")
    )
    two = ArpadSystem().foretell(Games(turned, games.players, games.events), first)[1]
    assert one == pytest.approx(two)


def test_simulated_players_are_found_within_their_errors():
    dice = np.random.default_rng(5)
    strength = dice.normal(2200, 120, 40)
    rows = [dice.choice(40, 2, replace=False) for _ in range(4000)]
    # Constants of the world that is simulated: nobody learns or drifts, and pairings say nothing.
    system = ArpadSystem(
        white_advantage=0, white_slope=0, steepness=1, steepness_slope=0, practice=0, drift=0, least_error=1,
        meeting=1e4, draws=0.4, draws_slope=0, doubt=1, start=2200, start_error=120, below=0,
    )  # fmt: skip
    E = [1 / (1 + 10 ** (-(strength[w] - strength[b]) / 400)) for w, b in rows]
    columns = {
        "white": [int(w) for w, _ in rows],
        "black": [int(b) for _, b in rows],
        "score": [float(dice.choice([0, 0.5, 1], p=_chances(e))) for e in E],
    }
    found = system.rate(Games.assemble(columns, {"name": [f"P{i}" for i in range(40)]})).rows
    truth = np.array([strength[int(p[1:])] for p in found["player"]])
    off = found["rating"].to_numpy() - truth
    z = (off - off.mean()) / found["error"].to_numpy()
    assert 0.75 < z.std() < 1.35
    assert np.abs(off - off.mean()).max() < 100


def test_time_widens_and_play_narrows():
    c = Constants()
    assert aged(c, 2200, 40**2, 365) > 40**2
    assert aged(c, 2200, 0.0, 0) == c.least_error**2
    white, black = Standing(2200.0, 200.0**2), Standing(2200.0, 200.0**2)
    played(c, white, black, 0.5, None)
    assert white.variance < 200**2
    assert black.variance < 200**2


@given(st.floats(-1e4, 1e4), st.floats(-1e4, 1e4), st.floats(0, 1e6))
def test_a_forecast_is_a_share(white, black, variance):
    E, steep = forecast(Constants(), white, black, variance)
    assert 0 <= E <= 1
    assert steep > 0


@pytest.mark.parametrize(
    "options",
    [{"least_error": 0}, {"meeting": -1}, {"drift": -1}, {"draws": 1.0}, {"evidence": 2}, {"start_error": 0},
     {"start": float("nan")}, {"practice": float("inf")}],
)  # fmt: skip
def test_constants_that_cannot_be(options):
    with pytest.raises(UsageError, match="expected"):
        ArpadSystem(**options)


@pytest.mark.parametrize(("by_lot", "meeting"), [(True, 415.0), (True, 1600.0), (False, 415.0)])
def test_a_note_where_players_do_not_meet_their_equals(by_lot, meeting):
    rng = np.random.default_rng(5)
    truth = np.sort(rng.normal(2000, 250, 40))
    white = rng.integers(0, 40, 1500)
    near = rng.choice([-2, -1, 1, 2], 1500)
    black = (white + (rng.integers(1, 40, 1500) if by_lot else near)) % 40
    keep = abs(white - black) < 40 if by_lot else abs(white - black) < 3
    white, black = white[keep], black[keep]
    score = rng.binomial(2, 1 / (1 + 10 ** ((truth[black] - truth[white]) / 400))) / 2
    columns = {"white": white, "black": black, "score": score}
    games = Games.assemble(columns, {"name": [f"P{i}" for i in range(40)]})
    notes = ArpadSystem(meeting=meeting).rate(games).source.get("notes", [])
    assert len(notes) == (by_lot and meeting == 415.0)
    assert all("whatever their strength" in note for note in notes)
