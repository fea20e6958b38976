"""After a published correction every page and every file shows the corrected rating of a player."""

from __future__ import annotations

import csv
import io
import json
import re

import polars as pl
import pytest

from arpad.ledger.db.ledger import Ledger
from arpad.ledger.games import ratings_on
from arpad.ledger.list_making import publish_list
from arpad.ledger.lists import entries_kept, kept_lists


@pytest.fixture
def corrected(club):
    """A corrected list, and by player the figure that was published and the one that counts."""
    with Ledger.open(club) as ledger:
        with ledger.reading() as connection:
            found = kept_lists(connection, "club")
            (correction,) = [each for each in found if each.number and each.name == "2026-11"]
            name = correction.name
        publish_list(ledger, policy="club", name=name, who="ann")
        with ledger.reading() as connection:
            rows = entries_kept(connection, correction)
            rows = rows.filter(
                pl.col("published").is_not_null()
                & pl.col("rating").is_not_null()
                & (pl.col("rating").round() != pl.col("published").round())
            )
            (base,) = [each for each in found if each.id == correction.corrects]
    figures = {r["player_id"]: (r["published"], r["rating"]) for r in rows.to_dicts()}
    assert figures
    return base, figures


def test_the_one_answer_has_corrections_put_in(club, corrected):
    base, figures = corrected
    with Ledger.open(club) as ledger, ledger.reading() as connection:
        found = ratings_on(connection, [base.id], figures)
    assert found == {(base.id, player): new for player, (_, new) in figures.items()}


def test_every_page_and_file_shows_the_corrected_rating(make_client, corrected):
    base, figures = corrected
    client = make_client("ann")
    get = lambda path: client.get(f"/api{path}").json()  # noqa: E731 - short, used twenty times
    href = f"/lists/{base.policy}/{base.name}"
    whole = {row["id"]: row["rating"] for n in (1, 2) for row in get(f"{href}?page={n}")["rows"]}
    files = {
        "csv": {int(r["number"]): float(r["rating"]) for r in csv.DictReader(io.StringIO(client.get(f"{href}/files/csv").text))},
        "json": {r["number"]: r["rating"] for r in json.loads(client.get(f"{href}/files/json").text)["players"]},
    }  # fmt: skip
    home = get("/home")
    leaders = {p["id"]: p["rating"] for each in home["lists"] if each["policy"] == base.policy and each["name"] == base.name for p in each["leaders"]}  # fmt: skip
    wrong = []

    def look(what: str, player: int, found: float | None, new: float) -> None:
        if found is None or abs(found - new) > 0.5:
            wrong.append((what, player, found, new))

    for player, (_, new) in figures.items():
        look("list", player, whole.get(player), new)
        for kind, told in files.items():
            look(kind, player, told.get(player), new)
        if player in leaders:
            look("first page", player, leaders[player], new)
        page = get(f"/players/{player}")
        course = next(c for c in page["courses"] if c["policy"] == base.policy)
        points = {p["day"]: p["rating"] for p in course["points"]}
        if base.closing.isoformat() in points:  # no point where nothing was played
            look("course", player, points[base.closing.isoformat()], new)
        highest = next((f for f in page["feats"] if f["what"] == "Highest rating"), None)
        if highest is not None:
            assert highest["figure"] <= max(points.values()) + 1e-9
        chart = get_chart(client, player, base)
        if base.closing.isoformat() in chart:
            look("chart", player, chart[base.closing.isoformat()], new)
        told = get(f"/players/{player}/explain?policy={base.policy}&list={base.name}")["explained"]
        assert told is not None
        for number in [n for n in figures if n != player][:1]:
            both = get(f"/players/{player}/compare?with={number}&policy={base.policy}")
            for side in (both["first"], both["second"]):
                for each in side.get("ratings", []):
                    if each.get("list_name") == base.name:
                        look("compare", side["id"], each["rating"], figures[side["id"]][1])
    assert not wrong


def get_chart(client, player: int, base) -> dict[str, float]:
    spec = client.get(f"/charts/players/{player}/ratings").json()
    found = {}
    for rows in spec.get("datasets", {}).values():
        for row in rows:
            day = next((str(v)[:10] for v in row.values() if re.match(r"\d{4}-\d\d-\d\d", str(v))), None)  # fmt: skip
            if day and "rating" in row and base.policy in row.values():
                found[day] = row["rating"]
    return found


def test_the_search_and_the_first_page_agree_with_the_last_list(make_client, club, corrected):
    base, _ = corrected
    client = make_client("ann")
    with Ledger.open(club) as ledger, ledger.reading() as connection:
        last = [e for e in kept_lists(connection, base.policy) if e.published and not e.number][-1]
        figures = corrected[1] if last.id == base.id else {}
    rows = client.get("/api/players").json()
    at = rows["policies"].index(base.policy)
    told = {row["id"]: row["figures"][at] for row in rows["rows"]}
    with Ledger.open(club) as ledger, ledger.reading() as connection:
        right = ratings_on(connection, [last.id], told)
    assert {p: r for p, r in told.items() if r is not None} == {p: r for (_, p), r in right.items()}
    assert all(told[p] == new for p, (_, new) in figures.items() if p in told)
