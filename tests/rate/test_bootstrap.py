from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from arpad.errors import UsageError
from arpad.model import Games
from arpad.rate import SYSTEMS
from arpad.rate import bootstrap as resampling
from arpad.rate.bootstrap import bootstrap, model_errors
from arpad.rate.rating import rate as rate_file
from arpad.rate.registry import system


def season(seed: int, games: int = 400, players: int = 6, k: float = 0.0) -> Games:
    rng = np.random.default_rng(seed)
    white = rng.integers(0, players, games)
    black = (white + 1 + rng.integers(0, players - 1, games)) % players
    columns = {"white": white, "black": black, "score": rng.choice([0.0, 0.5, 1.0], games)}
    return Games.assemble(columns, {"name": [f"P{i}" for i in range(players)]})


def test_errors_are_what_other_seasons_would_have_shown():
    """The spread over seasons that were never played is what the draws from one say."""
    others = [
        dict(system("elo").rate(season(s)).rows.select("player", "rating").iter_rows()) for s in range(1, 150)
    ]
    truth = np.mean([np.std([o[f"P{i}"] for o in others]) for i in range(6)])
    found = bootstrap(system("elo"), season(0), draws=150)
    assert found.rows["error"].mean() == pytest.approx(truth, rel=0.2)


def test_ratings_stay_and_settings_are_said():
    games = season(3)
    plain, found = system("elo").rate(games), bootstrap(system("elo"), games, draws=20, seed=5)
    assert found.rows["rating"].to_list() == plain.rows["rating"].to_list()
    assert (found.parameters["bootstrap"], found.parameters["seed"]) == (20, 5)
    again = bootstrap(system("elo"), games, draws=20, seed=5)
    assert again.rows.equals(found.rows)
    assert not bootstrap(system("elo"), games, draws=20, seed=6).rows.equals(found.rows)


@pytest.mark.parametrize("name", SYSTEMS)
def test_every_system(name):
    found = bootstrap(system(name), season(2, games=60), draws=10)
    assert {"rank", "player", "rating", "error"} <= set(found.rows.columns)
    assert found.rows.height == system(name).rate(season(2, games=60)).rows.height


def test_too_little():
    with pytest.raises(UsageError, match="at least 10 draws"):
        bootstrap(system("elo"), season(1), draws=2)
    nothing = Games.assemble({"white": [], "black": [], "score": []}, {"name": []})
    assert bootstrap(system("elo"), nothing, draws=10).rows.height == 0
    once = Games.build([("A", "B", 1.0)])
    assert bootstrap(system("elo"), once, draws=10).rows["error"].to_list() == [None, None]


def test_on_the_command_line(run, write):
    games = write("white,black,result\n" + "A,B,1-0\nB,A,1/2\nA,B,0-1\n" * 5, "g.csv")
    found = json.loads(run("rate", games, "--bootstrap", 30, "--seed", 1, "--format", "json").out)
    assert found["parameters"]["bootstrap"] == 30
    assert found["ratings"][0]["error"] > 0


def test_model_errors_hold_95_in_100_of_what_the_model_expects():
    games = season(3)
    model = system("arpad").rate(games)
    far = replace(
        model, rows=model.rows.with_columns(pl.col("rating") + pl.Series([120.0, -120, 0, 0, 0, 0]))
    )
    rows = model_errors(far, model).rows
    for off, s, error in zip((120, -120, 0), rows["error"], rows["model_error"], strict=False):
        strengths = np.random.default_rng(0).normal(-off, s, 200_000)
        assert np.mean(np.abs(strengths) <= 1.96 * error) == pytest.approx(0.95, abs=0.003)
    falling = replace(model, rows=model.rows.with_columns(-pl.col("rating")))
    assert model_errors(falling, model).rows["model_error"].null_count() == 6


def test_a_printed_error_is_that_of_the_rating_and_the_methods_own_has_its_name(run, tmp_path):
    path = tmp_path / "games.csv"
    path.write_text("white,black,score\nAnn,Bob,1\nBob,Cid,0.5\nCid,Ann,1\n", encoding="utf-8")

    def rows(*options):
        return json.loads(run("rate", path, *options, "--format", "json").out)["ratings"]

    both, own = rows("--system", "glicko"), rows("--system", "glicko", "--own-errors")
    assert [row["rd"] for row in both] == [row["error"] for row in own]
    assert "rd" not in own[0]
    assert all(row["error"] > 0 for row in both)
    assert [row["error"] for row in both] != [row["rd"] for row in both]
    assert "own_error" in rows("--system", "elo")[0]
    assert "own_error" not in rows("--system", "arpad")[0]


def test_a_system_continues_from_its_own_error():
    """The error of a rating by the model is for readers; RD is Glicko's, and the next list needs it."""
    games, later = season(3), season(4)
    printed, plain = rate_file(games, "glicko"), rate_file(games, "glicko", model_errors=False)
    assert printed.rows["rd"].to_list() == plain.rows["error"].to_list()
    one, two = (rate_file(later, "glicko", before=before, model_errors=False) for before in (printed, plain))
    assert one.rows.equals(two.rows)
    drawn = rate_file(later, "glicko", before=printed, bootstrap=10)
    assert drawn.rows["rating"].to_list() == one.rows["rating"].to_list()


def test_errors_of_players_who_did_not_play_never_shrink(run, tmp_path):
    games, before = tmp_path / "games.csv", tmp_path / "list.csv"
    games.write_text("white,black,score,date\nAnn,Bob,1,2020-01-02\n", encoding="utf-8")
    before.write_text("player,rating,error,rd\nAnn,2400,30,60\nZed,2100,40,400\n", encoding="utf-8")
    options = "--system", "glicko", "--before", before, "--whole-list", "--format", "json"
    rows = {row["player"]: row for row in json.loads(run("rate", games, *options).out)["ratings"]}
    assert rows["Zed"]["rd"] == 350  # the most that Glicko allows
    assert rows["Zed"]["error"] == 40


def test_arpads_own_list_shows_players_who_did_not_play_with_their_error(run, tmp_path):
    games, before = tmp_path / "games.csv", tmp_path / "list.csv"
    games.write_text("white,black,score,date\nAnn,Bob,1,2020-01-02\n", encoding="utf-8")
    before.write_text("player,rating,error\nAnn,2400,30\nZed,2100,80\n", encoding="utf-8")
    options = "--system", "arpad", "--before", before, "--whole-list", "--format", "json"
    rows = {row["player"]: row for row in json.loads(run("rate", games, *options).out)["ratings"]}
    assert rows["Zed"]["rating"] == 2100
    assert rows["Zed"]["error"] == pytest.approx(80, abs=1)


def test_one_kind_of_error_at_a_time(run, tmp_path):
    games = tmp_path / "games.csv"
    games.write_text("white,black,score\nAnn,Bob,1\n", encoding="utf-8")
    answer = run("rate", games, "--bootstrap", 10, "--model-errors")
    assert answer.code == 2
    assert "leave one out" in answer.err


def test_above_a_size_no_model_is_fitted_unless_it_is_wanted(monkeypatch):
    games = season(3)
    monkeypatch.setattr(resampling, "MOST_GAMES", 10)
    rows = rate_file(games, "elo")
    assert rows.rows["error"].null_count() == rows.rows.height
    assert rows.rows["own_error"].null_count() == 0
    assert "own_error" in rows.source["notes"][-1]
    assert rate_file(games, "elo", model_errors=True).rows["error"].null_count() == 0
