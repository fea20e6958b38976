"""Every layout in which FIDE has published its list, generated: the same player comes out of each."""

from __future__ import annotations

import pytest

from arpad.errors import FormatError
from arpad.read import Report, read_list
from arpad.read.fide_list import read_fide_list
from arpad.read.source import Source

PEOPLE = [
    # id, name, short title, title, federation, rating, games, day, year, short flag
    ("1503014", "Carlsen, Magnus", "g", "GM", "NOR", 2552, 9, "30.11.1990", "1990", ""),
    ("700001", "Newcomer, Nina", "", "", "DEN", 2010, 0, "01.02.1995", "1995", "wi"),
    ("7900139", "Veteran, Vera de la", "wf", "WFM", "ALG", 2005, 0, "", "", "w"),
]  # fmt: skip


def of_2001(p):
    day = p[7] or "  .  .    "
    return f"{p[0]:>11} {p[1]:<33}{p[2]:<6}{p[4]:<9}{p[5]:<6}{p[6]:>4} {day:<11}M   {p[9]}".rstrip()


def of_2003(p):
    day = f"{p[7][:6]}{p[7][8:]}" if p[7] else "  .  .  "
    return f"{p[0]:>8}  {p[1]:<34}{p[2]:<4}{p[4]:<5}{p[5]:<5}{p[6]:>4}  {day}  {p[9]}".rstrip()


def of_2011(p):
    return f"{p[0]:>8}  {p[1]:<34}{p[2]:<4}{p[4]:<5}{p[5]:<5}{p[6]:>4}  {p[8]:<6}{p[9]}".rstrip()


def of_2014(p):
    return f"{p[0]:<15}{p[1]:<61}{p[4]:<4}{'M':<4}{p[3]:<5}{'':<5}{'':<15}{p[5]:<6}{p[6]:<4}{20:<3}{p[8]:<6}{p[9]}".rstrip()


LAYOUTS = {
    "JUL01FRL.TXT": ("  ID_NUMBER NAME                             TITLE COUNTRY  JUL01 GAMES BIRTHDAY   SEX FLAG", of_2001, "JUL01"),
    "APR03FRL.TXT": ("   CODE   NAME                              TITLE COUNTRY APR03 GAMES BIRTHDAY   FLAG", of_2003, "APR03"),
    "jul03frl.txt": ("", of_2003, "JUL03"),
    "OCT03FRL.TXT": (None, of_2003, "OCT03"),
    "JAN04FRL.TXT": (None, of_2003, "JAN04"),
    "SEP11FRL.TXT": ("ID number Name                              TitlFed  Sep11 GamesBorn  Flag", of_2011, "SEP11"),
    "FEB14FRL.TXT": ("ID Number      Name                                                         Fed Sex Tit  WTit OTit           FEB14 Gms K  B-day Flag", of_2014, "FEB14"),
}  # fmt: skip


@pytest.mark.parametrize("name", LAYOUTS)
def test_layouts(tmp_path, name):
    heading, line, period = LAYOUTS[name]
    path = tmp_path / name
    lines = ([] if heading is None else [heading]) + [line(p) for p in PEOPLE]
    path.write_text("\r\n".join(lines) + "\r\n", "ascii")
    report = Report()
    found = read_fide_list(Source(str(path), report))
    assert found.period == period
    assert not report.of("skipped")
    rows = found.rows
    assert rows["id"].to_list() == [p[0] for p in PEOPLE]
    assert rows["name"].to_list() == [p[1] for p in PEOPLE]
    assert rows["title"].to_list() == [p[3] or None for p in PEOPLE]
    assert rows["federation"].to_list() == [p[4] for p in PEOPLE]
    assert rows["rating"].to_list() == [p[5] for p in PEOPLE]
    assert rows["games"].to_list() == [p[6] for p in PEOPLE]
    assert [b and b[:4] for b in rows["birth"]] == [p[8] or None for p in PEOPLE]
    assert rows["flag"].to_list() == [p[9] or None for p in PEOPLE]
    assert read_list(path).rows.height == len(PEOPLE)


def test_a_column_that_is_not_known_is_noted(tmp_path):
    path = tmp_path / "l.txt"
    path.write_text(
        "ID number Name           Fed  Sep11 Zodiac\n  1503014 Carlsen, M     NOR  2552  leo\n", "ascii"
    )
    report = Report()
    read_list(path, report=report)
    assert any("Zodiac" in n.reason for n in report.of("noted"))


def test_columns_that_do_not_stand_below_their_headings(tmp_path):
    path = tmp_path / "l.txt"
    heading = f"{'ID Number':<15}{'Name':<61}Fed Sex Tit  WTit OTit           FOA SEP24 Gms K  B-day Flag"
    row = f"{1503014:<15}{'Carlsen, Magnus':<61}NOR M   GM{2832:>27}{0:>3}{10:>5}{1990:>5}"
    path.write_text(f"{heading}\n{row}\n", "ascii")
    with pytest.raises(FormatError) as error:
        read_list(path)
    assert error.value.line == 1
