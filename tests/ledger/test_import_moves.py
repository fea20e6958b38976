"""Moves in the ledger: as they stand in the source, with the game, on both databases."""

from __future__ import annotations

import gzip

import pytest
import sqlalchemy as sa

from arpad.ledger.db import tables
from arpad.ledger.decisions.corrections import merge
from arpad.ledger.games import moves_of
from arpad.ledger.imports import write as import_moves
from arpad.ledger.imports.importing import import_files, preview_files
from arpad.ledger.imports.staging import Settings
from arpad.read.pgn import games as pgn_texts
from tests.ledger.test_importing import done, everything, same

FIRST = """[Event "Club"]
[Date "2026.01.05"]
[Round "1"]
[White "Berger, Anna"]
[Black "Fox, Fay"]
[Result "1-0"]

{ [%eval 0.13] } 1. e4 $1 { [%eval 0.2] [%clk 0:01:02] good } (1. d4 d5 (1... Nf6))
1... e5 ; to the end of the line
% escaped: not a move
2. Qh5 Nc6 3. Bc4 Nf6?? 4. Qxf7# 1-0
"""
SECOND = """
[Event "Club"]
[Date "2026.01.06"]
[Round "2"]
[White "Fox, Fay"]
[Black "Berger, Anna"]
[Result "1/2-1/2"]
[FEN "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1"]
[SetUp "1"]

1. e4 Ke7 1/2-1/2
"""
THIRD = """
[Event "Club"]
[Date "2026.01.06"]
[Round "2"]
[White "Müller, Jörg"]
[Black "O'Neil, Bob"]
[Result "1-0"]

1-0
"""
PGN = FIRST + SECOND + THIRD
HEAD = 1 << 16
"""Bytes by which the format is known: what is no text there is refused as a whole."""


def seasons(count: int) -> list[str]:
    """The same games in other years."""
    return [PGN.replace("2026", str(1990 + n)) for n in range(count)]


def texts(ledger) -> dict[int, tuple[str, str | None]]:
    with ledger.reading() as connection:
        rows = connection.execute(sa.select(tables.moves).order_by(tables.moves.c.game_id))
        return {row.game_id: (row.text, row.start) for row in rows}


def forget_moves(ledger) -> None:
    """Make a ledger of the time before moves were kept."""
    with ledger.writing("test", "") as connection:
        connection.execute(sa.delete(tables.moves))


def test_moves_come_in_with_their_game_as_they_stand_in_the_source(ledger, write):
    (one,) = done(ledger, write(PGN, "club.pgn"))
    assert (one.games, one.moves, one.moves_added) == (3, 2, 0)
    found = texts(ledger)
    assert list(found) == [1, 2]  # the third was decided without a move
    assert "[%eval 0.2] [%clk 0:01:02] good } (1. d4 d5 (1... Nf6))\n1... e5 ; to the end" in found[1][0]  # fmt: skip
    assert "escaped" not in found[1][0]
    assert found[1][0].endswith("4. Qxf7# 1-0")
    assert found[2] == ("1. e4 Ke7 1/2-1/2", "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1")
    with ledger.reading() as connection:
        kept = moves_of(connection, 2)
        assert (kept.text, kept.start) == found[2]
        assert moves_of(connection, 3) is None


def test_the_same_file_again_changes_nothing(ledger, write):
    path = write(PGN, "club.pgn")
    done(ledger, path)
    before = everything(ledger)
    (again,) = done(ledger, path)
    assert "nothing changes" in again.summary()
    assert same(everything(ledger), before)


def test_a_file_that_was_imported_without_moves_gets_them(ledger, write):
    path = write(PGN.replace('[Date "2026.01.05"]\n', ""), "club.pgn")
    said = {"settings": Settings(time_control="rapid")}
    done(ledger, path, **said)
    whole = texts(ledger)
    forget_moves(ledger)
    (seen,) = preview_files(ledger, [str(path)])
    assert (seen.moves_added, texts(ledger)) == (2, {})
    (again,) = done(ledger, path)
    assert again.summary() == "club.pgn: here already (import 1, club.pgn): moves of 2 games added"
    assert again.as_dict()["moves_added"] == 2
    assert texts(ledger) == whole
    assert done(ledger, path)[0].moves_added == 0
    assert len(everything(ledger)["imports"]) == 1


def test_the_same_event_in_another_order_gives_moves_to_the_right_games(ledger, write):
    done(ledger, write(PGN, "club.pgn"))
    right = texts(ledger)
    forget_moves(ledger)
    (other,) = done(ledger, write(THIRD.lstrip() + SECOND + "\n" + FIRST, "other.pgn"))
    assert other.events["what"].to_list() == ["here"]
    assert "moves of 2 games that were here added" in other.summary()
    assert texts(ledger) == right


def test_games_that_came_as_a_table_get_their_moves_from_pgn(ledger, write):
    table = "event,date,round,white,black,result\n" + "".join(
        f'Match,2026-01-0{n},{n},"Berger, Anna","Fox, Fay",1-0\n' for n in (1, 2, 3)
    )
    done(ledger, write(table, "match.csv"))
    games = "\n\n".join(
        f'[Event "Match"]\n[Date "2026.01.0{n}"]\n[Round "{n}"]\n[White "Berger, Anna"]\n[Black "Fox, Fay"]\n[Result "1-0"]\n\n1. {m} e5 2. Nf3 1-0'
        for n, m in ((2, "d4"), (1, "e4"), (3, "c4"))
    )
    (one,) = done(ledger, write(games, "match.pgn"))
    assert (one.count("here"), one.games, one.moves_added) == (1, 0, 3)
    assert [text[3:5] for text, _ in texts(ledger).values()] == ["e4", "d4", "c4"]


def test_merged_players_keep_their_games(ledger, write):
    done(ledger, write(PGN, "club.pgn"))
    right = texts(ledger)
    forget_moves(ledger)
    names = everything(ledger)["players"].select("name", "id").rows()
    numbers = dict(names)
    with ledger.writing("me", "one person") as connection:
        merge(connection, numbers["Müller, Jörg"], numbers["Fox, Fay"])
    done(ledger, write(PGN, "club.pgn"))
    assert texts(ledger) == right


@pytest.mark.parametrize("kernel", [False, True])
def test_pieces_and_packing_make_no_difference(write, kernel, monkeypatch):
    import polars as pl

    from arpad.read.pgn.games import read_pgn_and
    from arpad.read.source import Report, Source

    whole = "\n".join(pgn.replace("\n", "\r\n" if n % 2 else "\n") for n, pgn in enumerate(seasons(9)))
    path = write(gzip.compress(whole.encode()), "club.pgn.gz")
    _, lines, _ = read_pgn_and(Source(str(path), Report()), None)
    at_once = pl.concat(pgn_texts.movetexts(str(path), lines, kernel=kernel))
    monkeypatch.setattr("arpad.read.pgn.scan.PIECE", 1000)
    plain = write(whole, "club.pgn")
    in_pieces = list(pgn_texts.movetexts(str(plain), lines, kernel=kernel))
    assert len(in_pieces) > 2
    assert pl.concat(in_pieces).equals(at_once)
    assert at_once["line"].to_list() == lines.to_list()
    assert at_once["text"].str.contains("\r").sum() == 0
    assert at_once["text"].to_list()[3] == at_once["text"].to_list()[0]


def test_what_is_no_game_is_entered_without_moves_and_said(ledger, write, monkeypatch):
    monkeypatch.setattr(pgn_texts, "LONGEST_TEXT", 200)
    hostile = FIRST.replace("good", "z" * 300) + SECOND + SECOND.replace(
        '[FEN "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1"]', '[Variant "Crazyhouse"]').replace('Round "2', 'Round "3')  # fmt: skip
    (one,) = done(ledger, write(hostile, "club.pgn"))
    assert (one.games, one.moves) == (3, 1)
    assert list(texts(ledger)) == [2]
    assert any("without its moves" in note.reason for note in one.report.notes)


def test_null_characters_do_not_reach_the_database(ledger, write):
    long = FIRST.replace("good", "z" * HEAD)
    (one,) = done(ledger, write(long + SECOND.replace("Ke7", "Ke7 {a\0b}"), "club.pgn"))
    assert one.moves == 2
    assert texts(ledger)[2][0] == "1. e4 Ke7 {ab} 1/2-1/2"


def test_moves_are_written_with_the_file_or_not_at_all(ledger, write):
    def stop(name: str) -> None:
        if name == "moves":
            raise RuntimeError("killed here")

    path = str(write(PGN, "club.pgn"))
    with pytest.raises(RuntimeError):
        list(import_files(ledger, [path], who="me", step=stop))
    assert everything(ledger)["games"].is_empty()
    assert done(ledger, path)[0].moves == 2


def test_other_formats_have_no_moves(ledger, write):
    table = "event,date,white,black,result,plies\nMatch,2026-01-01,Ann,Bob,1-0,40\n"
    path = write(table, "match.csv")
    (one,) = done(ledger, path)
    assert (one.moves, texts(ledger)) == (0, {})
    assert "nothing changes" in done(ledger, path)[0].summary()


def test_only_so_much_is_in_memory_at_once(ledger, write, monkeypatch):
    """Moves are written piece by piece."""
    sizes = []
    insert = import_moves.bulk_insert

    def counted(connection, table, rows, *rest):
        if table.name == "moves":
            sizes.append(rows.height)
        return insert(connection, table, rows, *rest)

    monkeypatch.setattr(import_moves, "bulk_insert", counted)
    monkeypatch.setattr("arpad.read.pgn.scan.PIECE", 2000)
    whole = "\n".join(seasons(20))
    (one,) = done(ledger, write(whole, "club.pgn"))
    assert one.moves == sum(sizes) == 40
    assert len(sizes) > 5
