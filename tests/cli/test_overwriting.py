"""No command replaces a file that it has read: input is never lost to a slip of the pen."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
from typer.main import get_command

import arpad
from arpad.cli.main import app
from arpad.errors import OverwriteError
from arpad.files import READ, begin_run, end_run, expect_output, input_file, write_text
from arpad.ledger.db.ledger import Ledger

NOTHING_TO_READ = {
    "performance", "expect", "match", "handicap", "engines", "simulate", "uscf odds", "formats", "coverage",
    "book above", "book age", "book award", "book curves", "book exceptional", "book exhibition", "book k", "book list-for",
    "book new-rating", "book performance", "book points-chart", "book reliability", "book scales", "book title-odds",
    "book titleholders", "book trinomial", "book material-odds", "book goodness", "uscf initial",
}  # fmt: skip
"""Commands that can do without a file."""
GAMES = {
    "rate", "event", "norms", "import", "analyse", "gain", "ipr FILES", "ipr calibrate", "ipr test", "ipr errors",
    "ipr compare", "predict", "tune", "pool", "whr", "check", "draws", "monitor exchange", "monitor deflation", "monitor growth",
    "strength", "calibrate", "uscf titles", "history", "greatness", "book fide-event", "book unrated",
}  # fmt: skip
LISTS = {"distribution", "monitor cohort", "monitor shape", "monitor account", "scales"}
BESIDE = [
    ("rate", "games", "--before", "list"),
    ("event", "games", "--before", "list"),
    ("norms", "games", "--list", "list"),
    ("check", "games", "--before", "list"),
    ("monitor deflation", "games", "--list", "list"),
    ("match", "2600", "2500", "--draw-model", "list"),
    ("simulate", "--population", "list"),
    ("uscf fide", "2400", "list"),
    ("greatness", "games", "--list", "list"),
    ("explain", "A", "games"),
    ("compare", "A", "B", "games"),
    ("book potential", "2000", "12", "list"),
    ("book round-robin", "list"),
    ("book demography", "list", "--population", "list"),
]
"""Commands with files that they read beside their games, the one that -o names last."""
WORDS = {
    "--choose": "another",
    "--how": "leave",
    "--on": "2020-01-01",
    "--end": "2020-01-01",
    "--date": "2020-01-01",
}


def commands(group, path=()):
    if not hasattr(group, "commands"):
        yield " ".join(path), group
        return
    for name in list(group.commands):
        yield from commands(group.get_command(None, name), (*path, name))


ALL = {name: c for name, c in commands(get_command(app)) if any("-o" in p.opts for p in c.params)}
LEDGER = {name for name, c in ALL.items() if any("--db" in p.opts for p in c.params)}


@pytest.fixture
def files(tmp_path):
    (tmp_path / "games").write_text("white,black,result\nA,B,1-0\nB,A,1/2-1/2\n")
    (tmp_path / "list").write_text("player,rating\nA,2400\nB,2300\n")
    return tmp_path


def refuses(run, words, path, output=None):
    before = path.read_bytes()
    refused = run(*words, "-o", output or path)
    assert (refused.code, refused.out, path.read_bytes()) == (2, "", before), refused.err
    assert READ in refused.err


def test_every_command_is_looked_at():
    beside = {name for name, *_ in BESIDE}
    assert set(ALL) - GAMES - LISTS - LEDGER - NOTHING_TO_READ - beside == set()


@pytest.mark.parametrize("name", sorted(GAMES))
def test_games(run, files, name):
    words = [w for w in name.split() if w != "FILES"]
    refuses(run, [*words, files / "games"], files / "games")


@pytest.mark.parametrize("name", sorted(LISTS))
def test_lists(run, files, name):
    refuses(
        run, [*name.split(), files / "list", *(["--on", "age"] if name == "scales" else [])], files / "list"
    )


@pytest.mark.parametrize("words", BESIDE, ids=" ".join)
def test_files_beside(run, files, words):
    name, *rest = words
    refuses(
        run, [*name.split(), *(files / w if w in ("games", "list") else w for w in rest)], files / rest[-1]
    )


@pytest.mark.parametrize("name", sorted(LEDGER - {"import", "restore"}))
def test_ledgers(run, tmp_path, name):
    path = tmp_path / "club.csv"
    Ledger.open(path, create=True).close()
    words = [*name.split(), *(["1"] if name == "explain" else [])]
    for parameter in ALL[name].params:
        if parameter.required and parameter.name != "output":
            words += ["1"] if parameter.param_type_name == "argument" else [
                parameter.opts[0], WORDS.get(parameter.opts[0], "1")
            ]  # fmt: skip
    refuses(run, [*words, "--db", path], path)


@pytest.mark.parametrize("link", [os.link, os.symlink])
def test_other_names_of_the_file(run, files, link):
    link(files / "list", files / "other")
    refuses(run, ["distribution", files / "list"], files / "list", files / "other")
    refuses(run, ["distribution", files / "other"], files / "list")


@pytest.mark.parametrize("option", ["--report", "--chart"])
def test_other_results(run, files, option):
    before = (files / "games").read_bytes()
    (files / "games").rename(files / "games.svg")
    assert run("rate", files / "games.svg", option, files / "games.svg").code == 2
    assert (files / "games.svg").read_bytes() == before


def test_a_result_does_not_replace_another(run, files):
    assert run("rate", files / "games", "-o", files / "new", "--report", files / "new").code == 2


def test_the_guard(tmp_path):
    path = tmp_path / "x"
    write_text(path, "1")  # no run: a notebook may do as it likes
    input_file(path)
    write_text(path, "2")
    begin_run()
    try:
        write_text(path, "3")
        with pytest.raises(OverwriteError) as error:
            write_text(path, "4")
        assert (error.value.code, error.value.fields["file"]) == ("overwrite", str(path))
        write_text(path, "5", again=True)
        expect_output(tmp_path / "y")
        with pytest.raises(OverwriteError):
            input_file(tmp_path / "y")
        write_text(tmp_path / "y", "6")
    finally:
        end_run()
    assert path.read_text() == "5"


def test_every_reader_says_what_it_opens():
    readers = re.compile(r"\.read_text\(|\.read_bytes\(|\.open\(\"r|\.open\(\)")
    source = Path(arpad.__file__).parent
    wrong = [
        f"{path.relative_to(source)}: {line.strip()}"
        for package in ("read", "rate", "event", "pool", "lab", "cli")
        for path in (source / package).rglob("*.py")
        for line in path.read_text("utf-8").splitlines()
        if readers.search(line) and "input_file(" not in line and not re.search(r">>>|sample\.|files\(", line)
    ]
    assert wrong == []
