"""Printed errors in worlds with known strengths."""

from __future__ import annotations

import csv
import io
import json

import numpy as np
import pytest

import arpad
from arpad.errors import UsageError
from arpad.lab.coverage import AIM, WORLDS, KnownWorld, coverage, world_games
from arpad.rate import SYSTEMS, system

SMALL = {"lot": KnownWorld(players=40, rounds=12)}


@pytest.mark.parametrize("name", SYSTEMS)
def test_every_system_has_a_row(name):
    row = coverage([name], SMALL, seeds=1).rows.row(0, named=True)
    assert row["system"] == name
    assert row["covered"] is None or 0 <= row["covered"] <= 1
    assert (row["covered"] is None) == (row["rmse"] is None) == (row["ratings"] == 0)


@pytest.mark.parametrize("name", ["arpad", "whr", "glicko", "glicko2"])
def test_where_players_meet_by_lot_errors_hold_the_truth(name):
    row = coverage([system(name)], SMALL, seeds=2).rows.row(0, named=True)
    assert row["covered"] >= 0.9
    assert row["ratio"] == pytest.approx(row["width"] / 3.92 / row["rmse"], rel=0.1)


def test_errors_by_the_model_hold_for_ratings_of_every_kind():
    worlds = {"small": KnownWorld(pairing="neighbours", players=60)}
    rows = coverage(["elo", "glicko", "whr", "harkness"], worlds, seeds=2).rows
    assert rows["own_covered"].min() < 0.8
    assert (rows["covered"] >= 0.91).all()


@pytest.mark.parametrize("title", WORLDS)
def test_worlds_are_whole_and_the_same_again(title):
    games, strength = world_games(WORLDS[title], 1)
    again, same = world_games(WORLDS[title], 1)
    assert games.fingerprint() == again.fingerprint()
    assert np.array_equal(strength, same)
    assert (games.table["white"] != games.table["black"]).all()


def test_unknown_pairings_worlds_and_numbers_are_named():
    with pytest.raises(UsageError, match="neighbours"):
        KnownWorld(pairing="fate")
    with pytest.raises(UsageError, match="closed-club"):
        coverage(["elo"], ["fate"])
    with pytest.raises(UsageError, match="seeds"):
        coverage(["elo"], seeds=0)


def test_names_systems_and_rows_of_ones_own():
    labels = []
    found = arpad.coverage(
        {"slow": system("elo", k=10), "fast": system("elo", k=40)},
        ["lot", "given"],
        seeds=1,
        players=20,
        watch=labels.append,
    )
    assert labels == ["slow", "fast"]
    assert found.rows.select("system", "world").rows() == [
        ("slow", "lot"), ("slow", "given"), ("fast", "lot"), ("fast", "given"),
    ]  # fmt: skip
    assert found.rows["ratings"].to_list() == [20] * 4
    each = found.by_system()
    assert (each["below"] + each["within"] + each["above"]).to_list() == [2, 2]
    assert found.to_dict()["parameters"] == {"seeds": 1, "seed": 0, "players": 20}
    assert AIM == (0.92, 0.97)


def test_the_verb_prints_tables_csv_and_json(run):
    told = ("--worlds", "lot,closed-club", "--seeds", 1, "--players", 20)
    people = run("coverage", "--systems", "elo:k=32,fide", *told)
    assert people.code == 0
    assert people.out.count("elo:k=32") == 1
    assert "fide" in people.out
    every = run("coverage", "--systems", "elo,glicko", *told, "--every")
    assert every.out.count("closed-club") == 2
    rows = list(
        csv.DictReader(io.StringIO(run("coverage", "--systems", "elo", *told, "--format", "csv").out))
    )
    assert [row["world"] for row in rows] == ["lot", "closed-club"]
    document = json.loads(run("coverage", "--systems", "elo", *told, "--format", "json").out)
    assert set(document["rows"][0]) == {
        "system", "world", "covered", "width", "error", "rmse", "ratio", "bias", "spread", "ratings",
        "own_covered", "own_width", "own_ratio",
    }  # fmt: skip
    assert run("coverage", "--worlds", "fate").code == 2
