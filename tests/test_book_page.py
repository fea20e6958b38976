"""The page that lists every section of the five documents: no empty row, and nothing named that is not there."""

from __future__ import annotations

import json
import re
import shlex

import pytest

from arpad.cli.verbs import VERBS, Verbs
from tests.conftest import GOLDEN

ROOT = GOLDEN.parent.parent
PAGE = (ROOT / "docs" / "book.md").read_text("utf-8")
HEAD = "section"


def rows(text):
    """Return the cells of every row of a part of the page."""
    lines = [line for line in text.splitlines() if line.startswith("|") and not set(line) <= set("|- ")]
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    return [row for row in cells if row[0] != HEAD]


ROWS = rows(PAGE)
PARAGRAPHS = {
    1: (5, 8, 9, 6, 5, 7, 5, 4, 3), 2: (4, 0, 0, 9, 9, 6, 8, 1), 3: (3, 1, 6, 7, 5, 5, 6, 5, 9),
    4: (1, 8, 6, 4, 9, 4, 5), 5: (4, 4, 5, 4, 5, 9, 7), 6: (1, 3, 5, 5, 6, 2, 3), 7: (6, 4, 9, 3, 9, 5, 3),
    8: (3, 8, 6, 6, 7, 5, 5, 7, 6), 9: (9, 4, 0, 0, 0, 0, 0),
}  # fmt: skip
"""The last paragraph of each section of Elo's book: 1.1 goes to 1.15, 1.2 to 1.28."""
ELO = PAGE[: PAGE.index("## Report of the USCF")]


def numbers(cell):
    """`1.5, 1.53–1.55` → 1.5, 1.53, 1.54, 1.55."""
    for part in cell.split(", "):
        first, _, last = part.partition("–")
        if last:
            yield from (f"{first[:3]}{i}" for i in range(int(first[3:]), int(last[3:]) + 1))
        else:
            yield first


NAMED = {n for row in ROWS for n in numbers(row[0])}


def test_no_row_has_an_empty_cell():
    assert len(ROWS) > 180
    assert [row for row in ROWS if len(row) != 4 or not all(row)] == []
    said = ("`arpad ", "none needed: ")
    assert [row for row in ROWS if not row[2].startswith(said)] == []
    assert [row for row in ROWS if not row[3].startswith(("`tests/", "none needed: "))] == []


COMMANDS = sorted(set(re.findall(r"`(arpad [^`]+)`", PAGE)))


@pytest.mark.parametrize("verb", sorted({c.split()[1] for c in COMMANDS}))
def test_every_command_is_there_with_its_options(verb):
    """Parse the commands without running them: no unknown verb, option or choice."""
    for line in COMMANDS:
        _, name, *rest = shlex.split(line)
        if name == verb:
            assert verb in VERBS, line
            command = Verbs(name="arpad").get_command(None, verb)
            if rest and rest[0] in getattr(command, "commands", {}):
                command = command.commands[rest.pop(0)]
            if rest:
                command.make_context(name, rest)


OF_THE_READER = re.compile(r"GAMES|LIST|--chart|material-odds")
"""Commands that need files of one's own, an engine, or draw a picture; other tests have these."""


@pytest.mark.parametrize("verb", sorted({c.split()[1] for c in COMMANDS if not OF_THE_READER.search(c)}))
def test_every_command_that_needs_no_file_runs(verb, run, monkeypatch, tmp_path):
    monkeypatch.chdir(ROOT)
    failed = {}
    for line in COMMANDS:
        words = shlex.split(line.replace("club.db", str(tmp_path / "club.db")))[1:]
        if words[0] == verb and not OF_THE_READER.search(line):
            done = run(*words)
            if done.code or not done.out.strip():
                failed[line] = done.err
    assert failed == {}


def test_options_of_the_report_change_ratings(run, monkeypatch):
    """A row must show what its section says: ratings that are the same without the option show nothing."""
    monkeypatch.chdir(ROOT)
    rows_with = [row[2].strip("`") for row in ROWS if "--system uscf1994 --option" in row[2]]
    assert len(rows_with) == 3
    for line in rows_with:
        words = [*shlex.split(line)[1:], "--format", "json"]
        at = words.index("--option")
        plain = [*words[:at], *words[at + 2 :]]
        ratings = [[r["rating"] for r in json.loads(run(*each).out)["ratings"]] for each in (words, plain)]
        assert ratings[0] != ratings[1], line


# What the documents print, typed from them; 2.13 is rounded to 90 there, 3.64 to 2.46 and 9.17 to .0316.
PRINTED = {
    "Elo": {
        "1.2": ["76.0 %"], "1.4": ["71.4 %"], "1.73": ["2144"], "2.1": ["60.0 %"], "2.11": ["70.0 %"],
        "2.13": ["+91"], "2.14": ["14.40", "21 games"], "2.41": ["2676"], "2.42": ["2674"], "2.43": ["9.75", "2642.50"],
        "2.44": ["9.66", "2643.40"], "2.45": ["9.74", "6.06", "4.78", "5.90"], "2.46": ["2687"], "2.47": ["2644.75"],
        "2.48": ["2144"], "2.49": ["2687"], "2.55": ["126.5", "106.9", "94.3", "44.7"], "2.56": ["1.46"],
        "2.62": ["13.40"], "2.63": ["14.40 ± 2.40"], "2.71": ["1.65", "198"], "3.35": ["2216", "2399", "1978"],
        "3.64": ["2.47"], "3.93": ["2290"], "3.94": ["8.49"], "3.96": ["1.6"], "3.97": ["2.9"], "3.99": ["1.9"],
        "4.34": ["11.5", "14.5"], "6.32": ["1640", "2255", "2445"], "7.33": ["1474", "271"],
        "7.38": ["28,988", "7.77", "0.33"], "7.39": ["366.0", "1.26"], "7.42": ["31.7"], "8.28": ["94", "220", "79", "0.98"],
        "8.71": ["6.91", "12.66", "16.69"], "8.73": ["0.638", "0.849", "5.62", "7.00", "0.938"],
        "8.82": ["0.3164", "0.4219", "0.2109", "0.0469", "0.0039"], "8.84": ["0.2272"], "8.87": ["0.1284"],
        "8.91": ["0.2734"], "8.92": ["15 ways", "9 scores", "2.50", "0.1875", "0.0938", "0.0234"], "8.93": ["+50"], "8.95": ["1.94"],
        "8.96": ["8.843", "12.592", "16.812"], "9.16": ["840", "1401"], "9.17": ["0.0235", "0.0315"],
    },
    "Report": {
        "table 1": ["2701", "2214"], "table 2": ["822", "1203"], "1.4.1": ["1896"], "1.4.3": ["256"], "1.5": ["683.50"], "1.5.2": ["790.64"], "1.7": ["1652"],
        "2.2": ["11.1%"], "6.3": ["2757"],
    },
    "Berard": {
        "The Expectation Function": ["0.5327"], "table of simultaneous exhibitions": ["1185.14", "172.94"],
        "Resistance Coefficient": ["92.7409", "761.7", "16918.4"],
    },
    "Ferreira": {"figure 4": [".345", "−113"], "table 4": ["−185", "−43", "2675", "2817"]},
}  # fmt: skip


@pytest.mark.parametrize("document", PRINTED)
def test_the_commands_print_what_the_documents_print(document, run, monkeypatch):
    monkeypatch.chdir(ROOT)
    part = PAGE[PAGE.index(f"## {document}") :].split("\n## ", 1)[0]
    commands = {number: row[2].strip("`") for row in rows(part) for number in numbers(row[0])}
    wrong = {}
    for section, figures in PRINTED[document].items():
        done = run(*shlex.split(commands[section])[1:])
        missing = [f for f in figures if not re.search(rf"(?<![\d.]){re.escape(f)}(?!\d)", done.out)]
        if done.code or missing:
            wrong[section] = (commands[section], missing, done.err)
    assert wrong == {}


def test_every_test_is_there():
    files = set(re.findall(r"`(tests/[^`]+\.py)`", PAGE))
    assert len(files) > 60
    assert {f for f in files if not (ROOT / f).is_file()} == set()
    calls = re.compile(r"^(from|import) arpad|^ +from arpad|\brun\(|\(run\b|, run\b", re.MULTILINE)
    assert {f for f in files if not calls.search((ROOT / f).read_text("utf-8"))} == set()


def test_every_numbered_paragraph_of_elo_has_one_row():
    every = [
        f"{chapter}.{section}{i or ''}"
        for chapter, sections in PARAGRAPHS.items()
        for section, last in enumerate(sections, 1)
        for i in range(last + 1)
    ]
    here = [n for row in rows(ELO) for n in numbers(row[0])]
    assert sorted(here) == sorted(every)


def test_every_golden_table_of_elo_has_a_row():
    """`elo_3_45.csv` holds table 3.45: a row of the page names it."""
    tables = {
        f"{found[1]}.{part}"
        for path in GOLDEN.glob("elo_*.csv")
        for found in [re.match(r"elo_(\d)_(\d+)", path.name)]
        if found
        for part in [found[2]]
    }
    assert {t for t in tables if t not in NAMED} == set()


@pytest.mark.parametrize(
    ("document", "sections", "tables", "figures"), [("Ferreira", 10, 6, 6), ("Regan", 7, 5, 5)]
)
def test_every_section_table_and_figure_of_the_papers_has_a_row(document, sections, tables, figures):
    cells = [row[0] for row in rows(PAGE[PAGE.index(f"## {document}") :].split("\n## ", 1)[0])]
    for what, last in ((r"^(\d+)", sections), (r"table (\d)", tables), (r"figure (\d)", figures)):
        assert {int(n) for cell in cells for n in re.findall(what, cell)} == set(range(1, last + 1))


REPORT = "1 1.1 1.2 1.3 1.4 1.4.1 1.4.2 1.4.3 1.5 1.5.1 1.5.2 1.5.3 1.5.4 1.6 1.7 2 2.1 2.2 2.3 2.4 2.5 2.6 3 4 5 5.1 5.2"
REPORT += " 6 6.1 6.2 6.3 6.4 A B"


def test_every_section_of_the_report_has_a_row():
    part = PAGE[PAGE.index("## Report of the USCF") : PAGE.index("## Berard")]
    cells = [row[0] for row in rows(part)]
    assert {n for cell in cells for n in numbers(cell)} >= {*REPORT.split(), "table 1", "table 2"}
