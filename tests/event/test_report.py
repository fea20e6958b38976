from __future__ import annotations

import json
import re
from importlib.resources import files

import pytest

from arpad.errors import UsageError
from arpad.event.field import category, kind_of
from arpad.event.report import report
from arpad.event.tiebreaks import tie_breaks
from arpad.model import Event, Games
from arpad.read import read
from tests.read.samples import PRA, TRF, TRF26_TEAMS

FRANKFURT = files("arpad") / "samples" / "frankfurt-1997.pra"


def everybody(n: int, times: int = 1) -> list[tuple[str, str, float]]:
    return [(f"P{a}", f"P{b}", 0.5) for _ in range(times) for a in range(n) for b in range(a)]


@pytest.mark.parametrize(("rows", "kind"), [
    ([("A", "B", 1.0)] * 5, "match"),
    (everybody(5), "round robin"),
    (everybody(4, 2), "double round robin"),
    (everybody(3, 6), "6-fold round robin"),
    ([(f"A{i}", f"B{j}", 1.0) for i in range(3) for j in range(3)], "Scheveningen"),
    ([("A", "B", 1.0), ("B", "C", 1.0)], "other"),
    ([(f"A{i}", f"B{i}", 1.0) for i in range(8) for _ in range(6)], "8 matches"),
    ([*[("A", "B", 1.0), ("C", "D", 0.5)] * 2, ("D", "C", 1.0), ("A", "D", 1.0)], "knock-out"),
])  # fmt: skip
def test_kinds(rows, kind):
    assert kind_of(Games.build(rows)) == kind


def test_swiss_and_teams(write):
    games = read(write(TRF)).games
    assert kind_of(games) == "Swiss"  # record 092 says Individual, though it names a team
    assert kind_of(read(write(TRF26_TEAMS)).games) == "team event"
    plain = Games(games.table, games.players, (Event(name="X"),))
    assert kind_of(plain) == "Swiss"


@pytest.mark.parametrize(
    ("average", "number"),
    [(2250, None), (2251, 1), (2275, 1), (2276, 2), (2748.1, 20), (2750.4, 20), (2751, 21)],
)
def test_categories(average, number):
    assert category(average) == number


def test_tie_breaks_by_hand():
    # A beats B and C, B beats C, C draws with D, D beats nobody else
    rows = [
        ("A", "B", 1.0),
        ("A", "C", 1.0),
        ("B", "C", 1.0),
        ("C", "D", 0.5),
        ("A", "D", 0.5),
        ("B", "D", 1.0),
    ]
    games = Games.build(rows)
    found = {games.players["name"][p]: t for p, t in tie_breaks(games).items()}
    assert {n: t.points for n, t in found.items()} == {"A": 2.5, "B": 2.0, "C": 0.5, "D": 1.0}
    assert found["A"].sonneborn_berger == 2.0 + 0.5 + 0.5 * 1.0
    assert found["A"].buchholz == 2.0 + 0.5 + 1.0
    assert found["A"].buchholz_cut == 2.0 + 1.0
    assert (found["A"].wins, found["B"].wins) == (2, 2)


def test_direct_encounter_decides_first():
    rows = [("A", "B", 0.0), ("A", "C", 1.0), ("B", "C", 0.0)]
    games = Games.build([*rows, ("C", "D", 0.0), ("A", "D", 1.0), ("B", "D", 1.0)])
    found = report(games)
    assert found.players["points"].to_list() == [2.0, 2.0, 1.0, 1.0]
    assert found.players["name"].to_list()[:2] == ["B", "A"]


def test_direct_encounter_needs_everybody_to_have_met():
    rows = [("A", "B", 1.0), ("C", "D", 1.0), ("A", "D", 0.0), ("B", "C", 1.0)]
    breaks = tie_breaks(Games.build(rows))
    assert {t.points for t in breaks.values()} == {1.0}
    assert {t.direct for t in breaks.values()} == {0.0}


def test_the_crosstable_stands_in_the_order_of_the_standings():
    found = report(
        Games.build(
            [
                ("A", "B", 0.5),
                ("B", "C", 1.0),
                ("A", "C", 0.5),
                ("A", "D", 0.5),
                ("C", "D", 0.5),
                ("B", "D", 0.0),
            ]
        )
    )
    assert found.crosstable.rows["player"].to_list() == found.players["name"].to_list()
    assert found.crosstable.rows["rank"].to_list() == found.players["rank"].to_list()


def test_progressive_scores():
    columns = {"white": [0, 0, 0], "black": [1, 1, 1], "score": [1.0, 0.5, 0.0], "round": ["1", "2", "3"]}
    games = Games.assemble(columns, {"name": ["A", "B"]})
    breaks = tie_breaks(games)
    assert breaks[0].progressive == 1.0 + 1.5 + 1.5
    assert breaks[1].progressive == 0.0 + 0.5 + 1.5


def test_a_round_without_a_game_adds_the_score_so_far():
    """Seven players: each is free once, and keeps what there is."""
    columns = {"white": [0, 1, 2], "black": [1, 2, 0], "score": [1.0, 0.5, 0.0], "round": ["1", "2", "3"]}
    breaks = tie_breaks(Games.assemble(columns, {"name": ["A", "B", "C"]}))
    assert [breaks[p].progressive for p in range(3)] == [1 + 1 + 2, 0 + 0.5 + 0.5, 0 + 0.5 + 0.5]


def test_a_drawn_match_is_drawn():
    rows = {"white": [0, 1], "black": [1, 0], "score": [1.0, 1.0], "round": ["1", "2"]}
    found = report(Games.assemble(rows, {"name": ["A", "B"], "rating": [3900.0, 900.0]}))
    assert found.players["rank"].to_list() == [1, 1]
    assert found.category is None


def test_places_may_be_given():
    games = Games.build([("A", "B", 0.5), ("B", "C", 0.5), ("A", "C", 0.5)])
    found = report(games, places={0: 3, 1: 1, 2: 2})
    assert found.players.select("rank", "name").rows() == [(1, "B"), (2, "C"), (3, "A")]
    assert found.rows == (1, 2, 0)
    assert found.crosstable.rows["player"].to_list() == ["B", "C", "A"]
    match = report(Games.build([("A", "B", 1.0), ("B", "A", 1.0)]), places={0: 2, 1: 1})
    assert match.players["rank"].to_list() == [1, 1]


def test_draws_that_were_replayed_do_not_change_the_kind():
    pairs = [(a, b) for a in range(4) for b in range(a + 1, 4)] * 2 + [(0, 1)] * 3
    columns = {"white": [a for a, _ in pairs], "black": [b for _, b in pairs], "score": [0.5] * len(pairs)}
    assert kind_of(Games.assemble(columns, {"name": list("ABCD")})) == "double round robin"


def test_who_only_forfeited_keeps_a_rating():
    columns = {
        "white": [0, 0], "black": [1, 2], "score": [1.0, 1.0], "status": ["played", "forfeit"],
        "white_rating": [2000.0, 2000.0], "black_rating": [1900.0, 1500.0],
    }  # fmt: skip
    found = report(Games.assemble(columns, {"name": ["A", "B", "C"]}))
    assert dict(found.players.select("name", "rating").iter_rows())["C"] == 1500


def test_points_in_rated_games_stand_beside_what_was_expected():
    columns = {"white": [0, 0], "black": [1, 2], "score": [1.0, 1.0]}
    games = Games.assemble(columns, {"name": ["A", "B", "C"], "rating": [2000.0, 1900.0, None]})
    row = report(games).players.row(0, named=True)
    assert (row["points"], row["score"]) == (2.0, 1.0)
    assert "score" in report(games).table().columns


def test_frankfurt():
    found = report(read(str(FRANKFURT)).games)
    assert found.kind == "double round robin"
    assert found.players["name"].to_list() == ["Anand", "Karpov", "Topalov", "Lobron"]
    assert found.players["games"].to_list() == [6] * 4
    # W_e by table 2.11: Anand against 2760, 2725, 2570, twice each: 2 (.51 + .56 + .75)
    assert found.players["expected"].to_list()[0] == pytest.approx(2 * (0.51 + 0.56 + 0.75))
    assert found.players["change"].to_list()[0] == round(10 * (4.5 - 3.64))
    assert found.players["points"].sum() == found.games


def test_events_without_this_or_that(write):
    unrated = report(Games.build([("A", "B", 0.5), ("B", "C", 0.5), ("A", "C", 0.5)]))
    assert unrated.average is None
    assert unrated.players["performance"].to_list() == [None] * 3
    assert unrated.players["rank"].to_list() == [1, 1, 1]
    forfeited = Games.assemble(
        {"white": [0], "black": [1], "score": [1.0], "status": ["forfeit"]},
        {"name": ["A", "B"], "rating": [2000.0, 2000.0]},
    )
    assert report(forfeited).players.select("points", "games").rows() == [(1.0, 0), (0.0, 0)]
    with pytest.raises(UsageError, match="found none"):
        report(Games.assemble({"white": [], "black": [], "score": []}, {"name": []}))
    far = Games.assemble(
        {"white": [0], "black": [1], "score": [0.5]}, {"name": ["A", "B"], "rating": [3500.0, 500.0]}
    )
    assert report(far).players.height == 2


def test_on_the_command_line(run, write, tmp_path):
    done = run("event", write(PRA), "--html", tmp_path / "e.html", "--pdf", tmp_path / "e.pdf")
    assert (
        "Isle of Lewis 1995: double round robin, 4 players, 12 games, average 2625 (category 15)" in done.out
    )
    html = (tmp_path / "e.html").read_text()
    assert "Agdestein" in html
    assert "−" in html  # a minus sign, as on the pages of the web app
    assert not re.search(r">[-][0-9]", html)
    assert (tmp_path / "e.pdf").read_bytes().startswith(b"%PDF-")
    assert run("event", write(PRA), "--method", "m").code == 2
    assert run("event", write(PRA), "--rules", "1900").code == 2


@pytest.mark.data
def test_london_2011(run, data):
    found = json.loads(
        run("event", data / "paper_events" / "pgn" / "LondonClassic2011.pgn", "--format", "json").out
    )
    assert found["category"] == 20
    assert found["kind"] == "round robin"
    assert {"name", "rating", "points", "games", "performance", "expected", "change"} <= set(
        found["players"][0]
    )
    assert found["players"][0]["name"] == "Kramnik,V"
    assert found["players"][0]["points"] == 6


@pytest.mark.data
def test_the_large_open(run, data):
    found = json.loads(run("event", data / "trf" / "sklangen__example1.trf", "--format", "json").out)
    assert len(found["players"]) == 283  # the file's line 284 is "spielfrei", a word for a bye
    assert found["players"][0]["name"] == "Mikhaletz,Lubomir"


def test_an_earlier_list_goes_before_the_file_everywhere(run, write):
    """In standings, crosstable, norms and handicaps alike."""
    people = [f"P{i}" for i in range(10)]
    rows = ["event,white,black,score,round,white_title,black_title,white_federation,black_federation"]
    for a in range(10):
        for b in range(a + 1, 10):
            score = (1 if b > 2 else 0.5) if a == 0 else 0.5
            lands = [("GER", "FRA", "ITA", "ESP", "NOR")[n % 5] for n in (a, b)]
            rows.append(f"Cup,{people[a]},{people[b]},{score},{b - a},{'IM' if a == 0 else 'GM'},GM,{lands[0]},{lands[1]}")  # fmt: skip
    games = write("\n".join(rows), "cup.csv")
    listed = write("player,rating\n" + "".join(f"{p},2500\n" for p in people), "list.csv")
    without, told = (json.loads(run("event", games, *more, "--format", "json").out) for more in ((), ("--before", listed)))  # fmt: skip
    assert {row["rating"] for row in without["crosstable"]} == {None}
    assert {row["rating"] for row in told["crosstable"]} == {2500.0}
    assert {row["rating"] for row in told["players"]} == {2500.0}
    assert not without["norms"]
    assert {v["player"] for v in told["norms"]} == {"P0"}
    ran = run("event", games, "--before", listed, "--handicap", "auto")
    assert ran.code == 0, ran.err
