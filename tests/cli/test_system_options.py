from __future__ import annotations

import json

RESULTS = "white,black,score\n" + "".join(f"Ann,Bob,{s}\n" for s in (1, 1, 0.5, 0, 1))


def test_elo_book_on_the_command_line(run, write):
    done = run("rate", write(RESULTS), "--system", "elo-book", "--format", "json")
    assert done.code == 0
    answer = json.loads(done.out)
    assert answer["parameters"]["entry"] == "performance"
    rows = {row["player"]: row for row in answer["ratings"]}
    assert rows["Ann"]["status"] == "provisional"
    assert rows["Ann"]["rating"] + rows["Bob"]["rating"] == 3000
    assert {"bonus", "feedback", "exceptional"} <= set(rows["Ann"])


def test_options_reach_the_system(run, write):
    options = ["--option", "entry=median", "--option", "level=0.1", "--option", "second-cycle=no"]
    done = run("rate", write(RESULTS), "--system", "elo-book", *options, "--k", "32", "--format", "json")
    told = json.loads(done.out)["parameters"]
    assert (told["entry"], told["level"], told["second_cycle"], told["k"]) == ("median", 0.1, False, "32")


def test_options_work_for_every_system(run, write):
    done = run("rate", write(RESULTS), "--option", "start=2000", "--format", "json")
    assert json.loads(done.out)["parameters"]["start"] == 2000


def test_bad_options_are_one_line(run, write):
    for text, words in {
        "entry": "NAME=VALUE", "level=high": "a number", "split=perhaps": "yes or no", "speed=1": "no option 'speed'",
        "entry=mean": "performance, median, fide", "least_games=0": "least_games",
    }.items():  # fmt: skip
        done = run("rate", write(RESULTS), "--system", "elo-book", "--option", text)
        assert done.code == 2
        assert words in done.err
        assert done.err.count("\n") == 1


def test_too_few_games_for_anybody(run, write):
    done = run("rate", write("white,black,score\nAnn,Bob,1\n"), "--system", "elo-book")
    assert done.code == 2
    assert "least_games=1" in done.err


def test_numbers_that_may_be_none(run, write):
    games = write("white,black,result,white_elo,black_elo\nA,B,1-0,2000,1500\n", "g.csv")
    for system, option in (("harkness", "limit=5"), ("harkness", "limit=none"), ("ingo", "limit=None")):
        assert run("rate", games, "--system", system, "--option", option).code == 0
    for system, option in (("harkness", "limit=x"), ("elo-book", "level=none"), ("ccla", "schedule=none")):
        done = run("rate", games, "--system", system, "--option", option)
        assert done.code == 2
        assert "something went wrong" not in done.err
