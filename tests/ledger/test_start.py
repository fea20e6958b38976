"""The club's own list is where its lists here start."""

from __future__ import annotations

from datetime import date

import polars as pl
import pytest

from arpad.errors import InputError
from arpad.ledger.decisions.decisions import undo
from arpad.ledger.imports.importing import import_files, start_list
from arpad.ledger.imports.staging import Settings
from arpad.ledger.list_making import make_list
from arpad.ledger.policy import preset
from tests.ledger.ledgers import put_policy
from tests.ledger.test_importing import JANUARY, done
from tests.read.messy.files import xlsx

MEMBERS = (
    'Name,Rating,Games\n"Berger, Anna",1854,120\n"Zaal, Zoe",1711,31\n"New, Nora",,\n"Fox, Fay",1650,40\n'
)
JANUARY_ENDS = date(2026, 1, 31)


def listed(ledger, policy, closing=JANUARY_ENDS):
    rows = make_list(ledger, policy=policy, closing=closing).entries
    return {r["name"]: r for r in rows.filter(pl.col("rank").is_not_null()).iter_rows(named=True)}


@pytest.mark.parametrize("name", ["club", "fide"])
def test_members_start_with_their_ratings_and_games(ledger, write, name):
    put_policy(ledger, preset(name))
    started = start_list(ledger, str(write(MEMBERS, "members.csv")), on=date(2026, 1, 1))
    assert (started.players, started.new, started.unrated) == (3, 4, 1)
    rows = listed(ledger, name)
    assert {n: (r["rating"], r["total_games"]) for n, r in rows.items()} == {
        "Berger, Anna": (1854.0, 120), "Zaal, Zoe": (1711.0, 31), "Fox, Fay": (1650.0, 40),
    }  # fmt: skip


def test_games_move_members_on_from_their_ratings_and_the_start_can_be_undone(ledger, write):
    put_policy(ledger, preset("club"))
    path = str(write(MEMBERS, "members.csv"))
    started = start_list(ledger, path, on=date(2026, 1, 1), policy="club")
    text = "\n".join(line.rsplit(",", 2)[0] + ",," for line in JANUARY.splitlines()[1:])
    done(ledger, write(JANUARY.splitlines()[0] + "\n" + text + "\n", "jan.csv"))
    rows = listed(ledger, "club")
    assert rows["Berger, Anna"]["total_games"] == 122
    assert rows["Berger, Anna"]["rating"] > 1854
    assert rows["Zaal, Zoe"]["rating"] == 1711
    with ledger.writing("Ann", "the wrong year") as connection:
        undo(connection, started.decision.id)
    assert "Zaal, Zoe" not in listed(ledger, "club")


def test_a_file_of_games_is_no_list(ledger, write):
    with pytest.raises(InputError, match="expected a list of players"):
        start_list(ledger, str(write(JANUARY, "jan.csv")), on=JANUARY_ENDS)


CROSSTABLES = {
    "swiss.csv": "Nr;Name;Elo;1;2;Pkt\n1;Alt;1800;2w1;3s1;2\n2;Bau;1700;1s0;4w1;1\n3;Can;1600;4w½;1w0;½\n4;Dor;1500;3s½;2s0;½\n",
    "columns.csv": "Nr;Name;Elo;R1 Geg;R1 F;R1 Erg;R2 Geg;R2 F;R2 Erg\n1;Alt;1800;2;w;1;3;s;1\n2;Bau;1700;1;s;0;4;w;1\n3;Can;1600;4;w;½;1;w;0\n4;Dor;1500;3;s;½;2;s;0\n",
    "grid.csv": "Name;Elo;Alt;Bau;Can\nAlt;1800;x;1;½\nBau;1700;0;x;1\nCan;1600;½;0;x\n",
}


@pytest.mark.parametrize("name", CROSSTABLES)
@pytest.mark.parametrize("kind", ["csv", "xlsx"])
def test_a_crosstable_with_ratings_is_an_event_and_no_rating_list(ledger, tmp_path, name, kind):
    path = tmp_path / name.replace("csv", kind)
    rows = [line.split(";") for line in CROSSTABLES[name].splitlines()]
    path.write_bytes(CROSSTABLES[name].encode() if kind == "csv" else xlsx({"A": rows}))
    settings = Settings(date="2026-10-03")
    (result,) = import_files(ledger, [str(path)], who="me", settings=settings)
    assert (result.listed, result.games) == (None, 3 if "grid" in name else 4)
