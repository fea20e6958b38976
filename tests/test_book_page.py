"""The page that lists every section of the five documents: no empty row, and nothing named that is not there."""

from __future__ import annotations

import re

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


@pytest.mark.parametrize("command", sorted(set(re.findall(r"`(arpad [^`]+)`", PAGE))))
def test_every_command_is_there(command):
    _, verb, *rest = command.split()
    assert verb in VERBS
    if rest:
        assert rest[0] in Verbs(name="arpad").get_command(None, verb).commands


def test_every_test_is_there():
    files = set(re.findall(r"`(tests/[^`]+)`", PAGE))
    assert {f for f in files if not (ROOT / f).is_file()} == set()


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
