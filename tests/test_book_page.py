"""The page that lists every section of the five documents: no empty row, and nothing named that is not there."""

from __future__ import annotations

import re

import pytest

from arpad.cli.verbs import VERBS, Verbs
from tests.conftest import GOLDEN

ROOT = GOLDEN.parent.parent
PAGE = (ROOT / "docs" / "book.md").read_text("utf-8")
HEAD = "section"
ROWS = [
    [cell.strip() for cell in line.strip("|").split("|")]
    for line in PAGE.splitlines()
    if line.startswith("|") and not set(line) <= set("|- ")
]
ROWS = [row for row in ROWS if row[0] != HEAD]
SECTIONS = {1: 9, 2: 8, 3: 9, 4: 7, 5: 7, 6: 7, 7: 7, 8: 9, 9: 7}
"""Numbered sections of each chapter of Elo's book, 1.1 to 1.9 and so on."""
ELO = PAGE[: PAGE.index("## Report of the USCF")]
NAMED = {row[0] for row in ROWS}


def test_no_row_has_an_empty_cell():
    assert len(ROWS) > 180
    assert [row for row in ROWS if len(row) != 4 or not all(row)] == []
    said = ("`arpad ", "none needed: ", "not built")
    assert [row for row in ROWS if not row[2].startswith(said)] == []
    assert [
        row
        for row in ROWS
        if not row[3].startswith(("`tests/", "none needed: ", "none yet: ", "not tested: "))
    ] == []


@pytest.mark.parametrize("command", sorted(set(re.findall(r"`(arpad [^`]+)`", PAGE))))
def test_every_command_is_there(command):
    _, verb, *rest = command.split()
    assert verb in VERBS
    if rest:
        assert rest[0] in Verbs(name="arpad").get_command(None, verb).commands


def test_every_test_is_there():
    files = set(re.findall(r"`(tests/[^`]+)`", PAGE))
    assert {f for f in files if not (ROOT / f).is_file()} == set()


def test_every_numbered_section_of_elo_has_a_row():
    every = {f"{chapter}.{n}" for chapter, last in SECTIONS.items() for n in range(1, last + 1)}
    assert every - NAMED == set()


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


@pytest.mark.parametrize(("document", "tables"), [("Ferreira", 6), ("Regan", 5)])
def test_every_table_of_the_papers_has_a_row(document, tables):
    part = PAGE[PAGE.index(f"## {document}") :].split("\n## ", 1)[0]
    assert {int(n) for n in re.findall(r"table (\d)", part)} == set(range(1, tables + 1))
