"""Real files of every format into one ledger."""

from __future__ import annotations

import polars as pl
import pytest
import sqlalchemy as sa

from arpad.ledger.db import tables
from arpad.ledger.decisions.queue import queue
from arpad.ledger.imports.importing import import_files
from arpad.ledger.imports.staging import Settings
from tests.ledger.test_importing import done, everything

pytestmark = pytest.mark.data


def test_reports_lists_and_games_of_the_same_people(ledger, data, tmp_path):
    part = tmp_path / "twic.parquet"
    pl.read_parquet(data / "twic_results" / "results_2010_2016_fideid.parquet").head(8_000).write_parquet(part)  # fmt: skip
    (results,) = done(ledger, part)
    skipped = len(results.report.of("skipped"))
    assert results.games + skipped == 8_000
    assert results.by_id == results.by_name == results.doubtful == 0
    trf = data / "trf"
    (open_,) = done(ledger, trf / "py4swiss__javafo_example.trf")
    assert open_.count("new") == 1
    assert open_.by_id + open_.by_name + open_.new + open_.doubtful == 52
    found = everything(ledger)
    assert set(found["player_ids"]["scheme"]) == {"fide"}
    assert found["player_ids"]["value"].n_unique() == found["player_ids"].height
    assert found["events"]["start"].null_count() == found["events"]["end"].null_count() == 0
    assert (found["events"]["start"] <= found["events"]["end"]).all()
    assert found["events"]["time_control"].is_in(["standard", "rapid", "blitz"]).all()
    (again,) = done(ledger, trf / "py4swiss__javafo_example.trf")
    assert again.earlier is not None


def test_a_month_on_a_server_meets_the_next_one(ledger, data):
    first, second = done(
        ledger, *(data / "trf" / f"sklangen__{month}.trf" for month in ("2020_06", "2021_03"))
    )
    assert (first.new, second.by_name, second.new) == (13, 7, 2)
    # "Mai 5 Plus 0 Turnier" does not say what it is, "Juni Blitzschach 5 Plus 0" does.
    assert everything(ledger)["events"]["time_control"].to_list() == ["standard", "blitz"]
    assert (first.unsaid, second.unsaid) == (1, 0)


def test_a_crosstable_has_ids_of_its_federation(ledger, data):
    path = next(p for p in sorted((data / "uscf").iterdir()) if p.suffix in (".csv", ".txt"))
    (result,) = done(ledger, path, settings=Settings(date="2020-01-01"))
    assert (result.games, result.new) == (204 + 24, 64)  # and byes
    assert (everything(ledger)["games"]["status"] == "played").sum() == 204
    assert result.format == "uscf"


def test_events_of_the_papers_enter_once(ledger, data):
    folder = data / "paper_events" / "pgn"
    paths = [folder / name for name in ("AVRO1938.pgn", "Astana2001.pgn", "AstrakhanGP2010.pgn")]
    results = done(ledger, *paths)
    assert [r.games for r in results] == [56, 30, 91]
    found = everything(ledger)["events"]
    # AVRO has its rounds at two sites: the file names two events.
    assert found["end"].dt.year().to_list() == [1938, 1938, 2001, 2010]
    assert all(r.earlier is not None for r in done(ledger, *paths))


def test_a_list_of_fide_brings_players_and_given_ratings(ledger, data, tmp_path):
    import zstandard

    packed = (data / "fide_lists" / "APR04FRL.TXT.zst").read_bytes()
    text = zstandard.ZstdDecompressor().decompressobj().decompress(packed)
    short = tmp_path / "APR04FRL.TXT"
    short.write_bytes(b"\n".join(text.split(b"\n")[:1_500]))
    (result,) = done(ledger, short)
    assert result.format == "fide"
    assert result.listed == result.new > 1_400
    found = everything(ledger)
    assert found["lists"].select("name", "state", "published_by").rows() == [("2004-04", "published", "me")]
    assert found["entries"].height == result.listed
    assert found["players"]["birth"].null_count() < result.new
    with ledger.reading() as connection:
        rank = connection.execute(
            sa.select(tables.entries.c.rating).order_by(tables.entries.c.rank).limit(1)
        ).scalar_one()
        assert rank == found["entries"]["rating"].max()
        assert not queue(connection).doubts
    (again,) = import_files(ledger, [str(short)])
    assert again.earlier is not None
