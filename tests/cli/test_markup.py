"""Names that look like markup of the terminal are printed as they are, by every verb of the ledger."""

from __future__ import annotations

import pytest

EVENT, POLICY = "[/] Open :one:", "[b]"
ANN, BOB, CY = "[/] Ahn, Ann", "[bold]Bob[/bold], B", "Cy :smile:, Cyrus"
GAMES = f"""event,date,round,white,black,result
"{EVENT}",2026-09-05,1,"{ANN}","{BOB}",1-0
"{EVENT}",2026-09-06,2,"{BOB}","{CY}",0-1
"{EVENT}",2026-09-07,3,"{CY}","{ANN}",1-0
"""
NEXT = f"""event,date,round,white,black,result
"[/red]",2026-10-05,1,"[/] Ahn, A.","{CY}",1-0
"[/red]",2026-10-06,2,"{BOB}","[/] Ahn, A.",0-1
"""


@pytest.fixture
def club(run, write, place, monkeypatch):
    monkeypatch.setenv("ARPAD_DB", place)
    steps = [
        ("import", write(GAMES, "a.csv"), "--time-control", "standard"),
        ("list", "policy", POLICY, "--preset", "club", "--set", "listed.min_games=1"),
        ("list", "make", "2026-10"),
        ("list", "publish"),
        ("import", write(NEXT, "b.csv"), "--time-control", "standard"),
    ]
    for words in steps:
        done = run(*words)
        assert done.code == 0, done.err
    return run


SAID = [
    (("queue",), ("[/] Ahn, A.", ANN)),
    (("list", "show", "--unlisted"), (ANN, BOB, CY, f"2026-10 ({POLICY}, published)")),
    (("list", "names"), (POLICY,)),
    (("list", "policies"), (POLICY,)),
    (("list", "policy", POLICY), (f"version 1: {POLICY}:",)),
    (("explain", ANN), (f"{EVENT}, 2 games", BOB, CY, f"({POLICY}, published)")),
    (("ledger", "events"), (EVENT, "[/red]")),
    (("ledger", "events", "[/nothing]"), ("no event is called '[/nothing]'",)),
    (("player", "rating", ANN, 1700, "--on", "2026-10-01", "--why", "[/i]"), (ANN, "[/i]")),
    (("queue", "settle", 1, "--choose", 1, "--why", "[/] says so"), ("[/] Ahn, A.", "[/] says so")),
    (("player", "show", ANN), (f"{ANN} (#", EVENT, POLICY, "[/] says so")),
    (("ledger", "exclude", 1, "--why", "[/b]"), (EVENT, ": [/b] (")),
    (("ledger", "show", 1), (EVENT, ANN, BOB, CY, "[/b]")),
    (("log",), ("[/i]", "[/] says so", "[/b]")),
    (("log", "undo", 2, "--why", "[/u]"), ("[/u]",)),
]  # fmt: skip


def test_a_name_is_a_name(club):
    for words, parts in SAID:
        done = club(*words)
        assert done.code == 0, done.err
        for part in parts:
            assert part in done.out, words


def test_a_late_event_with_such_a_name(club, write):
    late = f'event,date,round,white,black,result\n"[/late]",2026-09-20,1,"{ANN}","{CY}",1-0\n'
    assert club("import", write(late, "late.csv")).code == 0
    made = club("list", "make", "2026-11").out
    assert "list 2026-10, published: 2 figures would differ now, by up to 13 points ([/late] (counts now))" in made  # fmt: skip
    published = club("list", "publish").out
    assert f"correction 1 of 2026-10 ({POLICY}); 2026-11 ({POLICY}, published)" in published
    shown = club("list", "diff", "2026-10", "2026-11").out
    assert "[/red]" in shown
    assert f"2026-10 ({POLICY}, published) → 2026-11 ({POLICY}, published)" in shown
    assert "played in [/late] (counts now)" in club("list", "show", "2026-10", "--correction").out


def test_a_name_gives_the_terminal_no_orders(run, write, tmp_path):
    file = write('white,black,result,date\n"\x1b[31mRed\x07","Two\tlines",1-0,2026-01-01\n', "x.csv")
    place = tmp_path / "x.db"
    assert run("import", file, "--db", place).code == 0
    shown = run("ledger", "show", 1, "--db", place).out + run("player", "show", "#1", "--db", place).out  # fmt: skip
    assert "Two lines" in shown
    assert "\x1b" not in shown
    assert "\x07" not in shown


def test_on_a_terminal(capsys, monkeypatch):
    from arpad.cli.output import emit

    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    emit(None, None, people=lambda: ["[/] of [bold] :one:"], rows=None, document=None)  # type: ignore[arg-type]
    assert capsys.readouterr().out == "[/] of [bold] :one:\n"
