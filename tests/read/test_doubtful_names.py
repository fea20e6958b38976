"""Names of one file that may be one person: said, never merged."""

from __future__ import annotations

import polars as pl
import pytest

from arpad.read import read
from arpad.read.collect import doubtful_names


@pytest.mark.parametrize(
    "other",
    [
        "Hans Mueller",
        "Dr. Müller, Hans",
        "MULLER, Hans",
        "Müller Hans",
        "GM Hans Müller",
        "Müller, Hans (GER)",
        "Müller, H.",
    ],
)
def test_spellings_of_one_name(tmp_path, other):
    path = tmp_path / "games.csv"
    path.write_text(f'White;Black;Result\n"Müller, Hans";Eva;1-0\n"{other}";Ute;1-0\n', "utf-8")
    reading = read(path)
    assert reading.games.players.height == 4
    bare = other.removeprefix("GM ")  # a title before a name is no part of it
    assert [(n.action, bare in n.reason) for n in reading.report.notes] == [("noted", True)]


def test_particles_and_ids():
    people = [
        ("Ute v. d. Heide", None),
        ("von der Heide, Ute", None),
        ("Kim, A", "1"),
        ("A Kim", "2"),
        ("Bo", None),
    ]
    frame = pl.DataFrame(people, schema={"name": pl.String, "id": pl.String}, orient="row")
    assert doubtful_names(frame) == [("Ute v. d. Heide", "von der Heide, Ute")]
