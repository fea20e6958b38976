"""`arpad rate` and `arpad event` with PRA: through the registry, and lists that go on."""

from __future__ import annotations

import csv
import io
import json
import random

import pytest

SAMPLE = "src/arpad/samples/frankfurt-1997.pra"


def season(days, players="Ann Bob Cid Dot Eva", seed=1):
    """Return results of some days of February 2024 as CSV; the first player is the best."""
    rng, names = random.Random(seed), players.split()
    lines = ["white,black,score,date"]
    for day in range(1, 29):
        for _ in range(6):
            a, b = rng.sample(range(5), 2)
            won = rng.random() < 1 / (1 + 10 ** ((a - b) * 0.6))
            if day in days and max(a, b) < len(names):
                lines.append(f"{names[a]},{names[b]},{int(won)},2024-02-{day:02d}")
    return "\n".join(lines) + "\n"


def listed(text):
    return {row["player"]: row for row in csv.DictReader(io.StringIO(text))}


@pytest.mark.parametrize("system", ["pra", "pra-basic"])
def test_an_event_of_rated_players(run, system):
    done = run("rate", SAMPLE, "--system", system, "--format", "json")
    assert done.code == 0
    found = {row["player"]: row["rating"] for row in json.loads(done.out)["ratings"]}
    assert sum(found.values()) == pytest.approx(2765 + 2760 + 2725 + 2570)
    assert max(found, key=found.get) == "Anand"
    event = run("event", SAMPLE, "--system", system)
    assert event.code == 0
    assert "W_e and change by the system " + system in event.out


@pytest.mark.parametrize("kind", ["csv", "json"])
def test_a_list_goes_on_exactly(run, write, tmp_path, kind):
    whole = write(season(range(1, 29)), "whole.csv")
    first, second = write(season(range(1, 15)), "1.csv"), write(season(range(15, 29)), "2.csv")
    once = listed(run("rate", whole, "--system", "pra", "--format", "csv").out)
    half = tmp_path / f"half.{kind}"
    assert run("rate", first, "--system", "pra", "-o", half).code == 0
    again = listed(run("rate", second, "--system", "pra", "--before", half, "--format", "csv").out)
    assert {p: float(r["rating"]) for p, r in again.items()} == pytest.approx(
        {p: float(r["rating"]) for p, r in once.items()}, abs=1e-6
    )
    assert {p: (r["total_games"], r["boosting"]) for p, r in again.items()} == {
        p: (r["total_games"], r["boosting"]) for p, r in once.items()
    }


def test_those_who_rest_move_with_the_others(run, write, tmp_path):
    first = write(season(range(1, 15)), "1.csv")
    second = write(season(range(15, 29), players="Ann Bob Cid"), "2.csv")
    half = tmp_path / "half.csv"
    run("rate", first, "--system", "pra", "-o", half)
    done = run("rate", second, "--system", "pra", "--before", half, "--whole-list", "--format", "csv")
    found, before = listed(done.out), listed(half.read_text(encoding="utf-8"))
    assert sum(float(r["rating"]) for r in found.values()) == pytest.approx(5 * 1500)
    moved = {float(found[p]["rating"]) - float(before[p]["rating"]) for p in ("Dot", "Eva")}
    assert max(moved) == pytest.approx(min(moved))
    assert f"{max(moved):+.1f} points" in done.err


def test_options(run, write):
    games = write(season(range(1, 29)), "games.csv")
    for options in (["anchor=none"], ["anchor=1600"], ["corrected=Ann;Eva"], ["steady=0", "omega=0.5"]):
        asked = [word for option in options for word in ("--option", option)]
        assert run("rate", games, "--system", "pra", *asked).code == 0
    off = listed(
        run("rate", games, "--system", "pra", "--option", "corrected=Ann;Eva", "--format", "csv").out
    )
    assert [off[p]["boosting"] for p in ("Ann", "Bob", "Eva")] == ["off", "on", "off"]


@pytest.mark.parametrize(
    ("option", "words"),
    [
        ("anchor=mean", "anchor (or brought, or none): expected a number"),
        ("block=10", "expected blocks of 4, 8, 12"),
        ("block=many", "expected a number"),
        ("speed=2", "no option 'speed'"),
    ],
)
def test_options_that_make_no_sense_get_a_sentence(run, option, words):
    done = run("rate", SAMPLE, "--system", "pra", "--option", option)
    assert done.code == 2
    assert words in done.err
    assert "Traceback" not in done.err


def test_a_damaged_list_gets_a_sentence(run, write):
    games = write("white,black,score\nAnn,Bob,1\n", "games.csv")
    bad = write("player,rating,total_games,carried\nAnn,1500,3,1200=1\n", "list.csv")
    done = run("rate", games, "--system", "pra", "--before", bad)
    assert done.code == 2
    assert "in the column carried" in done.err
