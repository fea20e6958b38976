"""Large tables are read piece by piece: the same games, notes and lines as when they are read whole."""

from __future__ import annotations

import gzip
import io
import random
import subprocess
import sys

import pytest

from arpad.read import read, table
from arpad.read.fields import DateOrderError
from arpad.read.source import TooLargeError

PEOPLE = [f"Player {i}" for i in range(40)]


def text(rows=3000, *, quoted=False, seed=1):
    rng = random.Random(seed)
    out = ["A title above\n", "Weiß;Schwarz;Ergebnis;Datum;Runde;Elo Weiß\n"]
    for i in range(rows):
        white, black = rng.sample(PEOPLE, 2)
        if quoted:
            white = f'"{white}; {rng.choice(["Jr", "x" + chr(10) + "y"]) if i % 97 == 0 else "Sr"}"'
        result = rng.choice(["1-0", "=", "+", "-", "0-1", "½"])
        out.append(
            f"{white};{black};{result};{rng.randint(1, 12)}/{rng.randint(1, 12)}/2024;{i % 9};{rng.randint(1000, 2000)}\n"
        )
    out.insert(
        2000, "Ann;Bob;what;1/1/2024;1;1500\nAnn;Bob;1-0;13/1/2024;1;1500\n"
    )  # the only date that tells the order, far down
    out.insert(2500, "Ann;Bob\n")
    return "".join(out)


@pytest.mark.parametrize("quoted", [False, True])
@pytest.mark.parametrize("coding", ["utf-8", "cp1252", "utf-8-sig"])
def test_pieces_are_the_same_as_the_whole(tmp_path, monkeypatch, quoted, coding):
    path = tmp_path / "games.csv"
    path.write_bytes(text(quoted=quoted).encode(coding))
    whole = read(path)
    monkeypatch.setattr(table, "PIECES_FROM", 1000)
    monkeypatch.setattr(table, "PIECE", 10_000)
    pieces = read(path)
    assert pieces.games.table.equals(whole.games.table)
    assert pieces.games.players.equals(whole.games.players)
    notes = [{(n.line, n.reason) for n in r.report.of("skipped")} for r in (whole, pieces)]
    assert notes[0] == notes[1]  # those of pieces come in the order of the file


def test_standard_input_and_packed_files_are_read_in_pieces(tmp_path, monkeypatch):
    data = text().encode()
    path = tmp_path / "games.csv"
    path.write_bytes(data)
    whole = read(path).games.fingerprint()
    packed = tmp_path / "games.csv.gz"
    packed.write_bytes(gzip.compress(data))
    monkeypatch.setattr(table, "PIECES_FROM", 1000)
    monkeypatch.setattr(table, "PIECE", 10_000)
    assert read(packed).games.fingerprint() == whole
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
    assert read("-", format="csv").games.fingerprint() == whole
    monkeypatch.setattr(table, "MOST_HELD", 50_000)
    with pytest.raises(TooLargeError):
        read(packed)


def test_doubtful_dates_are_asked_about_with_their_line(tmp_path, monkeypatch):
    rows = "".join(f"A;B;1-0;2024-05-{i % 28 + 1:02}\n" for i in range(900))
    path = tmp_path / "games.csv"
    path.write_text("White;Black;Result;Date\n" + rows + "A;B;1-0;3/4/2024\n")
    monkeypatch.setattr(table, "PIECES_FROM", 1000)
    monkeypatch.setattr(table, "PIECE", 1000)
    with pytest.raises(DateOrderError) as error:
        read(path)
    assert error.value.line == 902


def test_a_large_table_takes_a_fraction_of_the_memory(tmp_path):
    path = tmp_path / "games.csv"
    row = "Player {:05},Player {:05},1-0,20{:02}-05-17,1,1500,1600,A club evening of a long name {}\n"
    with path.open("w") as out:
        out.write("White,Black,Result,Date,Round,WhiteElo,BlackElo,Event\n")
        out.writelines(row.format(i % 9973, 1 + i % 9967, i % 24, i // 1000) for i in range(500_000))
    code = "import resource,sys; from arpad.read import read; read(sys.argv[1]); print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)"
    small = tmp_path / "small.csv"
    small.write_text("White,Black,Result\nA,B,1-0\n")
    used = [int(subprocess.check_output([sys.executable, "-c", code, file])) for file in (small, path)]
    unit = 1 if sys.platform == "darwin" else 1024
    assert (used[1] - used[0]) * unit < 6 * path.stat().st_size
