"""The pool in the browser: what the pages say is what the monitors say."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
import sqlalchemy as sa

from arpad.ledger.db import tables
from arpad.ledger.db.ledger import Ledger
from arpad.ledger.imports.importing import import_files
from arpad.ledger.list_making import make_list
from arpad.ledger.lists import entries_kept, list_called
from arpad.ledger.policy import add_policy, preset
from arpad.ledger.queries.pool import counted_games, lists_until, spread_out
from arpad.pool.deflation import deflation, exchange
from arpad.pool.distribution import distribution
from arpad.pool.monitors import shape
from tests.web.conftest import counting_games

PAGES = ["/pool", "/pool/drift", "/pool/exchange", "/pool/deflation"]


def reading(place):
    return Ledger.open(place)


def born(place) -> None:
    """Give everybody a year of birth: every third is a junior, the rest are of age."""
    with Ledger.open(place) as ledger, ledger.writing("test", "births") as connection:
        p = tables.players
        for (number,) in connection.execute(sa.select(p.c.id)).all():
            year = 2012 if number % 3 == 0 else 1975 + number
            connection.execute(sa.update(p).where(p.c.id == number).values(birth=str(year)))


def test_the_distribution_is_that_of_the_list(client, club):
    with reading(club) as ledger, ledger.reading() as connection:
        rows = entries_kept(connection, list_called(connection, "club"))
    ratings = rows.filter(pl.col("rank").is_not_null())["rating"].to_numpy()
    found = distribution(ratings, width=50)
    twin = client.get("/api/pool").json()
    assert twin["players"] == len(ratings)
    assert twin["mean"] == pytest.approx(ratings.mean())
    assert twin["mean_error"] == pytest.approx(ratings.std(ddof=1) / np.sqrt(len(ratings)))
    assert [fit["chi_square"] for fit in twin["fits"]] == pytest.approx(
        [fit.chi_square.statistic for fit in found.fits]
    )
    assert sum(i["players"] for i in twin["histogram"]) == len(ratings)
    page = client.get("/pool").text
    assert f"{len(ratings)} players on" in page
    assert f"mean {ratings.mean():,.1f} ± {twin['mean_error']:.1f}" in page


def test_another_list_can_be_chosen(client):
    old = client.get("/api/pool", params={"policy": "fide", "list": "2026-03"}).json()
    assert (old["picked"]["policy"], old["picked"]["list"]) == ("fide", "2026-03")
    assert old["picked"]["policies"] == ["club", "fide"]
    assert client.get("/pool", params={"policy": "fide"}).status_code == 200


@pytest.mark.parametrize("path", PAGES)
def test_what_is_not_there(client, path):
    assert client.get(path, params={"policy": "nothing"}).status_code == 404
    answer = client.get(path, params={"list": "<script>alert(1)</script>"})
    assert answer.status_code == 404
    assert "<script>alert" not in answer.text
    assert client.get(path, params={"policy": "x" * 101}).status_code == 422


def test_drift_compares_all_lists_of_the_policy(client, club):
    with reading(club) as ledger, ledger.reading() as connection:
        lists = lists_until(connection, list_called(connection, "club"))
    found = shape(lists.lists)
    twin = client.get("/api/pool/drift").json()
    assert twin["published"]
    assert [row["list"] for row in twin["lists"]] == found.rows["list"].to_list()
    assert [row["mean"] for row in twin["lists"]] == pytest.approx(found.rows["mean"].to_list())
    assert [test["p"] for test in twin["tests"]] == pytest.approx([t.p for t in found.tests])
    for row, after in zip(twin["accounts"], twin["accounts"][1:], strict=False):
        assert row["closing_players"] == after["opening_players"]
        assert row["opening_players"] + row["entered"] - row["left"] == row["closing_players"]
    assert "too short" in twin["no_growth"]
    page = client.get("/pool/drift").text
    assert all(row["list"] in page for row in twin["lists"])


def test_drift_stops_at_the_chosen_list(client):
    twin = client.get("/api/pool/drift", params={"list": "2026-04"}).json()
    assert [row["list"] for row in twin["lists"]] == ["2026-02", "2026-03", "2026-04"]
    first = client.get("/pool/drift", params={"list": "2026-02"})
    assert first.status_code == 200


def test_a_single_list_is_followed_through_its_own_periods(tmp_path):
    games = ["event,date,round,white,black,result"]
    for month in (1, 2, 3):
        for game, (white, black) in enumerate([("Ann", "Bob"), ("Bob", "Cem"), ("Cem", "Ann")] * 2):
            games.append(f"E{month},2026-0{month}-05,{game},{white},{black},1-0")
    (tmp_path / "games.csv").write_text("\n".join(games) + "\n", encoding="utf-8")
    with Ledger.open(str(tmp_path / "one.db"), create=True) as ledger:
        with ledger.writing("test", "policy") as connection:
            add_policy(connection, preset("club"))
        list(import_files(ledger, [str(tmp_path / "games.csv")], who="test"))
        make_list(ledger, policy="club", who="test")
        with ledger.reading() as connection:
            kept = list_called(connection, "club")
            found = lists_until(connection, kept)
            listed = entries_kept(connection, kept)
    assert not found.published
    assert [each.date.month for each in found.lists] == [1, 2, 3]
    # The last closing date is where the list comes from; the list is rounded.
    last = dict(found.lists[-1].rows.select("id", "rating").iter_rows())
    said = dict(listed.select(pl.col("player_id").cast(pl.String), "rating").iter_rows())
    assert {player: round(rating) for player, rating in last.items()} == said


def test_lists_in_between_are_left_out_evenly():
    assert spread_out(list(range(75)), 13)[0] == 0
    assert spread_out(list(range(75)), 13)[-1] == 74
    assert len(set(spread_out(list(range(75)), 13))) == 13
    assert spread_out([1, 2], 13) == [1, 2]


def test_games_have_the_ratings_that_they_were_counted_by(club):
    with reading(club) as ledger, ledger.reading() as connection:
        kept = list_called(connection, "club")
        counted = counted_games(connection, kept)
        some = counted_games(connection, kept, most=60)
        s = tables.steps.c
        steps = connection.execute(sa.select(s.rating, s.opponent_rating).where(s.game_id.is_not(None))).all()
    table = counted.games.table
    pairs = {tuple(sorted(pair)) for pair in steps if None not in pair}
    assert {tuple(sorted(row)) for row in table.select("white_rating", "black_rating").rows()} <= pairs  # fmt: skip
    assert table.height == counting_games(club)
    assert (counted.K, counted.bounded, counted.since) == (24.0, False, None)
    assert some.bounded
    assert 0 < len(some.games) <= 60
    assert some.since is not None


def test_exchange_is_what_the_monitor_finds(client, club):
    with reading(club) as ledger, ledger.reading() as connection:
        games = counted_games(connection, list_called(connection, "club")).games
    found = exchange(games, by=("federation",), k=24.0)
    twin = client.get("/api/pool/exchange", params={"by": "federation", "months": 0}).json()
    shown = found.rows.filter((pl.col("performances") >= 10) & (pl.col("federation") != "all"))
    assert [row["group"] for row in twin["rows"]] == shown["federation"].to_list()
    assert [row["gain"] for row in twin["rows"]] == pytest.approx(shown["gain"].to_list())
    assert [row["error"] for row in twin["rows"]] == pytest.approx(shown["error"].to_list())
    assert twin["K"] == 24
    page = client.get("/pool/exchange", params={"by": "federation", "months": 0}).text
    assert "with K 24 for everybody" in page


def test_fewer_months_are_fewer_games(client, club):
    games = [
        client.get("/api/pool/exchange", params={"months": m}).json()["window"]["games"] for m in (3, 12, 0)
    ]
    assert 0 < games[0] < games[1] == games[2] == counting_games(club)  # the club is a year old


def test_without_years_of_birth_deflation_says_what_to_do(make_client, club):
    with Ledger.open(club) as ledger, ledger.writing("test", "births") as connection:
        connection.execute(sa.update(tables.players).values(birth=None))
    client = make_client()
    page = client.get("/pool/deflation").text
    assert "No year of birth is known" in page
    assert "white_birth" in page
    assert client.get("/charts/pool/deflation").status_code == 404
    assert "known on every one" in client.get("/api/pool/drift").json()["no_cohort"]


def test_deflation_by_age_is_what_the_monitor_finds(make_client, club):
    born(club)
    client = make_client()
    with reading(club) as ledger, ledger.reading() as connection:
        games = counted_games(connection, list_called(connection, "club")).games
    found = deflation(games, by="age", age_cuts=(12, 18, 30, 50, 65))
    twin = client.get("/api/pool/deflation", params={"months": 0}).json()
    shown = found.rows.filter(pl.col("games") >= 10)
    assert [row["group"] for row in twin["rows"]] == shown["segment"].to_list()
    assert [row["points"] for row in twin["rows"]] == pytest.approx(shown["points"].to_list())
    assert [row["low"] for row in twin["rows"]] == pytest.approx(shown["points_low"].to_list())
    assert (twin["crossing"]["between"], twin["crossing"]["within"]) == (found.games, found.inside)
    assert client.get("/charts/pool/deflation").status_code == 200
    drift = client.get("/api/pool/drift").json()
    assert drift["cohort"]["who"] == "aged 25–40"
    assert client.get("/charts/pool/cohort").json()["$schema"].startswith("https://vega")


@pytest.mark.parametrize(
    "path", ["distribution", "means", "shapes", "account", "exchange", "deflation?by=rating-band"]
)
def test_charts_are_as_wide_as_the_page(client, path):
    chart = client.get(f"/charts/pool/{path}").json()
    assert chart["width"] == "container"
    assert chart["layer"]


def test_a_hostile_federation_is_only_text(make_client, club):
    evil = "<script>alert(1)</script>"
    with Ledger.open(club) as ledger, ledger.writing("test", "evil") as connection:
        p = tables.players
        connection.execute(sa.update(p).where(p.c.federation == "GER").values(federation=evil))
    page = make_client().get("/pool/exchange", params={"by": "federation", "months": 0}).text
    assert evil not in page
    assert "&lt;script&gt;alert(1)" in page


def test_an_empty_ledger_says_what_to_do(tmp_path):
    from starlette.testclient import TestClient

    from arpad.web.app import make_app
    from arpad.web.auth import WebSettings

    place = str(tmp_path / "empty.db")
    Ledger.open(place, create=True).close()
    app = make_app(WebSettings(place=place, open_reading=True, work=False))
    with TestClient(app, base_url="http://127.0.0.1") as client:
        for path in PAGES:
            page = client.get(path)
            assert page.status_code == 200
            assert "There is no rating list in this ledger yet" in page.text
        assert client.get("/charts/pool/distribution").status_code == 404
        assert "there is none in this ledger yet" in client.get("/lab").text


@pytest.mark.chromium
def test_from_the_distribution_to_who_takes_points_from_whom(served, page):
    page.goto(f"{served()}/pool")
    page.locator(".chart .picture img").first.wait_for()
    page.get_by_label("List").select_option("2026-05")
    page.get_by_role("button", name="Show").click()
    page.get_by_role("link", name="Exchange").click()
    page.get_by_label("Groups by").select_option("federation")
    page.get_by_role("button", name="Show").click()
    page.locator(".chart .picture img").first.wait_for()
    assert "list=2026-05" in page.url
    assert page.get_by_role("cell", name="GER").or_(page.get_by_role("rowheader", name="GER")).count()  # fmt: skip
