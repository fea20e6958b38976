"""What a file says officially survives being written: places, points, byes, tie-breaks."""

from __future__ import annotations

import pytest

from arpad.event.official_ranks import compare_ranks
from arpad.event.tiebreaks import ranking
from arpad.publish.export.trf import trf16
from arpad.read import read
from tests.event.held import held_trf

TABLE = """\
1 2400 2.0  2w1 F H
2 2300 1.5  1b0 U H
3 2200 1.0  U 4b0 Z
4 2100 2.5  H 3w1 U
"""


def placed(text: str, *ranks: int) -> str:
    lines = text.splitlines()
    for at, rank in enumerate(ranks, start=len(lines) - len(ranks)):
        lines[at] = f"{lines[at][:85]}{rank:4d}{lines[at][89:]}"
    return "\n".join(lines) + "\n"


def again(path, write):
    text, lost = trf16(read(path).games)
    return read(write(text, "again.trf")).games, text, lost


def test_official_places_and_byes_are_kept(write):
    head = "092 Swiss\nXXS PAB=0.5\n202 BH SB"
    path = write(placed(held_trf(TABLE, start="2026-03-01", rounds=3, head=head), 2, 1, 4, 3))
    before = read(path).games
    after, text, lost = again(path, write)
    one, two = before.events[0], after.events[0]
    assert (two.ranks, two.byes, two.points, two.tie_breaks) == (one.ranks, one.byes, one.points, one.tie_breaks)  # fmt: skip
    assert dict(two.ranks) == {0: 2, 1: 1, 2: 4, 3: 3}
    assert two.byes == ((0, 2, "F"),)
    assert ranking(after).values == ranking(before).values
    # A pairing-allocated bye is worth half a point here, a full-point bye a whole one.
    assert [line[80:84].strip() for line in text.splitlines() if line.startswith("001")] == ["2.5", "1.0", "0.5", "2.0"]  # fmt: skip
    assert lost == []


def test_who_has_no_place_gets_none(write):
    path = write(placed(held_trf(TABLE, start="2026-03-01", rounds=3), 2, 1, 0, 3))
    _, text, _ = again(path, write)
    assert [line[85:89].strip() for line in text.splitlines() if line.startswith("001")] == ["2", "1", "", "3"]  # fmt: skip


@pytest.mark.data
@pytest.mark.parametrize("name", ["sklangen__example1", "py4swiss__javafo_example"])
def test_every_place_of_the_real_opens_is_kept(data, write, name):
    path = data / "trf" / f"{name}.trf"
    before = read(path).games
    after, _, _ = again(path, write)
    assert after.events[0].ranks == before.events[0].ranks
    assert after.events[0].byes == before.events[0].byes
    assert compare_ranks(after, ranking(after)) == compare_ranks(before, ranking(before))
    assert after.table.equals(before.table)
