"""The column `carried` of a list: what is written is read again, and older versions' texts are understood."""

import polars as pl
import pytest

from arpad.errors import InputError
from arpad.rate.list_system import decoded, encoded
from arpad.rate.registry import system

APRIL = 2026 * 12 + 4
OLDER = {
    "fide": (
        "L - 2090.0 - 30;L 2026-04 2104.5 tr 41;G 2026-04 1800.0 0.5 0;G - 1750.0 1 -",
        {
            "lists": [
                {"month": None, "rating": 2090.0, "topped": False, "reached": False, "total": 30},
                {"month": APRIL, "rating": 2104.5, "topped": True, "reached": True, "total": 41},
            ],
            "waiting": [
                {"month": APRIL, "opponent_rating": 1800.0, "score": 0.5, "event": 0},
                {"month": None, "opponent_rating": 1750.0, "score": 1.0, "event": None},
            ],
        },
    ),
    "bcf": (
        "2025 31 46120.5;2026 30 45000.0",
        {
            "periods": [
                {"period": 2025, "games": 31.0, "points": 46120.5},
                {"period": 2026, "games": 30.0, "points": 45000.0},
            ]
        },
    ),
    "pra": (
        "1 4.5 -11.2 -40.1,-12.5,4.5,0.0",
        {"direction": 1, "peak": 4.5, "trough": -11.2, "sums": [-40.1, -12.5, 4.5, 0.0]},
    ),
    "uscf1993": ("1200=0.5", {"games_on_file": [{"rating": 1200.0, "score": 0.5}]}),
}
WRONG = {
    "fide": ("1200=0.5", "L 2026-04", "G 2026-04 x 0.5 0"),
    "bcf": ("2026 x 3", "2026 31", "2026 0 5.0", "2026 3 nan"),
    "pra": ("1200=1", "1 4.5", "2", "1 4.5 -11.2 1,2,3", "1 4.5 inf 1,2,3,4"),
    "uscf1993": ("nonsense", "1200=2"),
}


def read(name, *texts):
    memory = system(name).memory
    return pl.DataFrame(decoded(name, pl.Series(texts, dtype=pl.String), len(texts), memory))


@pytest.mark.parametrize("name", OLDER)
def test_older_texts_are_read_and_written_as_json(name):
    old, values = OLDER[name]
    memory = system(name).memory
    rows = read(name, None, old)
    assert rows.row(0) == (None,) * len(memory)
    assert rows.row(1, named=True) == values
    texts = rows.select(encoded(memory)).to_series()
    assert texts[0] is None
    assert read(name, *texts).equals(rows)
    assert read(name, old, texts[1]).rows()[0] == read(name, old, texts[1]).rows()[1]


@pytest.mark.parametrize(("name", "text"), [(name, text) for name in WRONG for text in WRONG[name]])
def test_texts_that_no_version_wrote_are_refused(name, text):
    with pytest.raises(InputError, match="in the column carried"):
        read(name, text)
