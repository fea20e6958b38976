"""`arpad import` and `arpad queue` as people give them."""

from __future__ import annotations

import json

import pytest

from tests.ledger.test_importing import FEBRUARY, HEAD, JANUARY


@pytest.fixture
def book(run, write, place):
    """Two months in a ledger: run(verb, …) with --db."""

    def _run(verb, *words):
        return run(verb, *words, "--db", place)

    done = _run("import", write(JANUARY, "jan.csv"), write(FEBRUARY, "feb.csv"))
    assert done.code == 0, done.err
    _run.first = done
    return _run


def test_it_says_what_became_of_each_file(book, write):
    lines = book.first.out.splitlines()
    assert lines[0] == "jan.csv: 1 event and 4 games; players: 0 by id, 0 by name, 4 new, 0 doubtful"  # fmt: skip
    assert any(line.startswith("feb.csv: 1 event and 2 games; players: 0 by id, 3 by name, 0 new, 1 doubtful") for line in lines)  # fmt: skip
    assert "Fox, Fay" in book.first.out
    assert lines[-1] == "arpad queue shows what waits for a decision"
    again = book("import", write(JANUARY, "jan.csv"))
    assert again.out == "jan.csv: here already (import 1, jan.csv): nothing changes\n"


def test_a_pipe_is_read_once(run, tmp_path):
    import os
    import threading

    pipe = tmp_path / "games"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_text, args=[JANUARY])
    writer.start()
    done = run("import", pipe, "--db", tmp_path / "club.db")
    writer.join()
    assert done.out.startswith("games: 1 event and 4 games")


def test_a_row_that_is_too_long_is_a_lost_game(run, write, tmp_path):
    path = write("white,black,result,date\nA,B,1-0,2026-01-05\nC,D,1-0,2026-01-05,x\n", "g.csv")
    done = run("import", path, "--db", tmp_path / "club.db")
    assert (done.code, "--accept-skipped" in done.err) == (2, True)


def test_a_preview_writes_nothing(run, write, tmp_path):
    place = tmp_path / "new.db"
    done = run("import", write(JANUARY, "jan.csv"), "--db", place, "--dry-run")
    assert done.code == 0
    assert done.out.startswith("Nothing was written. This would change:\njan.csv: 1 event")
    assert "Winter Open" in done.out
    assert not place.exists()
    foreseen = run("import", write(JANUARY, "jan.csv"), "--db", place, "--dry-run", "--format", "json")  # fmt: skip
    real = run("import", write(JANUARY, "jan.csv"), "--db", place, "--format", "json")
    one, two = json.loads(foreseen.out), json.loads(real.out)
    assert (one.pop("dry_run"), two.pop("dry_run")) == (True, False)
    assert one == two
    assert two["files"][0]["event_list"][0]["name"] == "Winter Open"


def test_csv_has_a_row_a_file(book, write):
    march = JANUARY.replace("2026-01", "2026-03").replace("Winter", "Spring")
    done = book("import", write(march, "mar.csv"), "--format", "csv")
    assert done.out.splitlines()[1] == "mar.csv,csv,3,1,0,0,4,0,4,0,0"


def test_the_queue_lists_and_settles(book):
    shown = book("queue")
    assert "1 waits for a decision: 1 player" in shown.out
    assert "0.91" in shown.out
    document = json.loads(book("queue", "--format", "json").out)
    (doubt,) = document["doubts"]
    assert (doubt["about"], doubt["candidates"][0]["player"]) == ("Fox,F", 3)
    wrong = book("queue", "settle", 1, "--choose", "perhaps", "--why", "x")
    assert wrong.code == 2
    assert "expected the number of a player, or new" in wrong.err
    done = book("queue", "settle", 1, "--choose", "3", "--why", "asked her", "--who", "Eva")
    assert done.out.startswith("decision 1. Fox,F (#5) is Fox, Fay (#3): asked her (Eva,")
    assert book("queue").out == "nothing waits for a decision\n"
    assert "was settled already, by decision 1" in book("queue", "settle", 1, "--choose", "3", "--why", "x").err  # fmt: skip
    assert "Fox,F" in book("queue", "--all").out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["nowhere.csv"], "expected a file, found nothing there"),
        (["NAMELESS"], "--date"),
        (["NAMELESS", "--date", "soon"], "expected YYYY-MM-DD"),
        (["JANUARY", "--ids", "x y"], "--ids: expected a word"),
        (["BAD", "--strict"], "expected a result"),
        (["EMPTY"], "the file is empty"),
        (["ONLYBAD"], "expected games, found none; first skipped"),
    ],
)
def test_what_cannot_be_is_one_sentence(run, write, tmp_path, words, said):
    texts = {
        "NAMELESS": "white,black,result\nA,B,1-0\n",
        "JANUARY": JANUARY,
        "BAD": JANUARY + "2026-01-19,Winter Open,3,A,B,5-5,,\n",
        "EMPTY": "",
        "ONLYBAD": HEAD + "2026-01-19,Winter Open,3,A,B,5-5,,\n",
    }
    place = tmp_path / "x.db"
    given = [write(texts[w], "file.csv") if w in texts else w for w in words]
    done = run("import", *given, "--db", place)
    assert done.code == 2
    assert said in done.err
    assert "Traceback" not in done.err
    if place.exists():
        assert run("queue", "--db", place).out == "nothing waits for a decision\n"


def test_skipped_lines_are_said_and_can_be_written(run, write, tmp_path):
    path = write(JANUARY + "2026-01-19,Winter Open,3,A,B,5-5,,\n", "broken.csv")
    done = run("import", path, "--db", tmp_path / "x.db", "--accept-skipped")
    assert done.code == 0
    assert "broken.csv:6: skipped: expected a result" in done.err
    report = tmp_path / "report.csv"
    run("import", path, "--db", tmp_path / "y.db", "--report", report, "--accept-skipped")
    assert report.read_text().splitlines()[0] == "file,line,action,reason"
    assert len(report.read_text().splitlines()) == 2


def test_a_file_in_the_middle_that_cannot_be(run, write, tmp_path):
    """What came before it is done, and said; what comes after it is not looked at, and said, too."""
    place = tmp_path / "club.db"
    head = "event,date,round,white,black,result\n"
    one = write(f"{head}One,2026-01-05,1,Ann Adams,Bob Brown,1-0\n", "one.csv")
    bad = write(f"{head}Two,,1,Ann Adams,Bob Brown,1-0\n", "two.csv")
    last = write(f"{head}Three,2026-03-05,1,Ann Adams,Bob Brown,1-0\n", "three.csv")
    done = run("import", one, bad, last, "--db", place)
    assert done.code == 2
    assert "one.csv: 1 event and 1 game" in done.err
    assert f"(not checked: {last})" in done.err
    assert "two.csv: expected a date in the past, found none in 'Two': say with --date" in done.err
    assert [e["name"] for e in json.loads(run("ledger", "events", "--db", place, "--format", "json").out)["events"]] == ["One"]  # fmt: skip
    again = run("import", one, bad, last, "--db", place, "--date", "2026-02-05")
    assert again.code == 0, again.err
    assert "one.csv: here already" in again.out


def test_options_say_what_the_file_does_not(run, write, tmp_path):
    path = write("white,black,result\nA Bc,B Cd,1-0\n", "night.csv")
    options = ["--date", "2026-03-05", "--event-name", "Club night", "--time-control", "blitz"]
    done = run("import", path, "--db", tmp_path / "x.db", *options, "--format", "json")
    (event,) = json.loads(done.out)["files"][0]["event_list"]
    assert (event["name"], event["end"], event["time_control"]) == ("Club night", "2026-03-05", "blitz")  # fmt: skip


def test_no_ledger_no_queue(run, tmp_path):
    done = run("queue", "--db", tmp_path / "none.db")
    assert done.code == 2
    assert "there is no ledger here" in done.err


SECRETARY = HEAD + "".join(
    f'2026-03-05,Club,1,"{w}","{b}",{result},,\n'
    for w, b, result in [
        ("Adams, Ann", "Brown, Bob", "1-0"),
        ("Clark, Cleo", "bye", "1"),
        ("Davis, Dora", "Evans, Eric", "1-0F"),
        ("Foster, Fay", "Green, Gus", "??!"),
    ]
)


def test_it_says_what_was_understood_and_refuses_half_an_event(run, write, place, tmp_path):
    path, notes = write(SECRETARY, "club.csv"), tmp_path / "notes.csv"
    seen = run("import", path, "--db", place, "--dry-run")
    assert "4 rows: 1 game, 1 bye, 1 forfeit, 1 not understood (row 5: '??!'" in seen.out
    refused = run("import", path, "--db", place)
    assert refused.code == 2
    assert "--accept-skipped" in refused.err
    assert "1 game that names two players" in refused.err
    done = run("import", path, "--db", place, "--accept-skipped", "--report", notes, "--format", "json")
    assert done.code == 0
    assert f"(1 skipped, 1 noted: in {notes})" in done.err
    (one,) = json.loads(done.out)["files"]
    assert one["understood"] == {"games": 1, "byes": 1, "forfeits": 1, "not_understood": 1}


def test_an_import_is_undone_as_a_whole(book):
    assert "feb.csv" in book("ledger", "imports").out
    done = book("ledger", "undo-import", 2, "--why", "wrong month", "--who", "Eva")
    assert done.code == 0
    assert "import 2 (feb.csv) is taken out: 1 event, 2 games, 1 player" in done.out
    assert "(import feb.csv again to have it back)" in done.out
    assert [row["file"] for row in json.loads(book("ledger", "imports", "--format", "json").out)["imports"]] == ["jan.csv"]  # fmt: skip
    assert "wrong month" in book("log").out


def test_spellings_of_one_name_in_a_file_wait_for_a_decision(run, write, place):
    games = 'White,Black,Result,Date\n"Müller, Hans",Ute,1-0,2026-10-03\nHans Mueller,Bo,0-1,2026-10-03\nBo,"Ute, A",1-0,2026-10-03\n"A Ute",Bo,1-0,2026-10-03\nBo Ek,Ek Bo,1-0,2026-10-03\n'
    done = run("import", write(games, "one.csv"), "--format", "json", "--db", place)
    (one,) = json.loads(done.out)["files"]
    assert one["doubtful"] == 2  # two who met are two people
    queue = json.loads(run("queue", "--format", "json", "--db", place).out)
    assert len(queue["doubts"]) == 2
    assert (
        run("queue", "settle", 1, 2, "--choose", "likeliest", "--why", "one person", "--db", place).code == 0
    )
