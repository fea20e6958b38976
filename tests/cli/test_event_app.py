"""The Tournament App inside `arpad event`: figures, options, pages, and every bad input."""

from __future__ import annotations

import csv
import io
import json
from importlib.resources import files

import pytest

from tests.read.samples import PRA

FRANKFURT = str(files("arpad") / "samples" / "frankfurt-1997.pra")
OFF = """Off_the_line
6
Elo
2700 Ann
2650 Bob
2600 Cyd
2550 Dan
2300 Eve
2450 Fay
2700
1 2 1 3 4 1 5 6 1   1 3 1 2 5 .5 4 6 1   1 4 1 3 5 0 2 6 1
1 5 .5 3 6 1 2 4 1   1 6 1 2 3 1 4 5 0   2 1 0 4 3 0 6 5 0
3 1 0 5 2 .5 6 4 0   4 1 0 5 3 1 6 2 0   5 1 .5 6 3 0 4 2 0
6 1 0 3 2 0 5 4 1
-1 -1 -1.0
"""
"""Eve, rated last, comes second."""


def event(name: str, players: list[str], games: str, *, two: str = "2700", end: bool = True) -> str:
    head = [name, str(len(players)), "Elo", *players, two, games]
    return "\n".join([*head, *(["-1 -1 -1.0"] if end else [])]) + "\n"


THREE = ["2700 A", "2650 B", "2600 C"]
ROUND = "1 2 0.5\n2 3 0.5\n1 3 1.0"


@pytest.fixture
def told(run):
    """Run `arpad event … --format json` and return the document."""

    def _told(*arguments: object) -> dict[str, object]:
        done = run("event", *arguments, "--format", "json")
        assert done.code == 0, done.err
        return json.loads(done.out)

    return _told


def test_json_has_what_the_app_finds(told):
    found = told(FRANKFURT)
    # the text's own event: strength and interval as printed
    assert found["strength"] == pytest.approx(92.7409, abs=5e-5)
    low, high = found["fit"]["constant_interval"]
    assert (round(low, 1), round(high, 1)) == (761.7, 16918.4)
    first = found["players"][0]
    assert {"p_zero", "z", "residual", "flag", "g_score", "pra_after", "elo_after"} <= set(first)
    assert set(found["fit"]) >= {
        "r", "intercept", "slope", "chi_square", "critical", "lower", "passed", "constant_interval",
    }  # fmt: skip
    assert found["fit"]["passed"] is found["certified"] is True
    assert sum(p["p_zero"] for p in found["players"]) == pytest.approx(0)
    assert found["number_two"] == {
        "rating": 2765.0, "source": "of the event's own file", "player": None, "date": None,
    }  # fmt: skip
    assert found["decisions"] == []
    assert found["correlation"]["significant"] is False
    assert found["sweep"]["favourite"] == "Anand"


def test_isle_of_lewis_as_printed(told, run, write):
    """By Chessmetrics' ratings it fails, and Short is out of spec; by Elo's it passes."""
    failed = told(write(PRA))
    assert failed["fit"]["passed"] is False
    assert [p["name"] for p in failed["players"] if p["flag"] == "LR"] == ["Short"]
    assert "Out of spec: Short 112 too high." in run("event", write(PRA), "--number-two", 2807).out
    elo = PRA
    for theirs, ours in (("2687", "2630"), ("2607", "2600"), ("2499", "2510"), ("2707", "2655"), ("2807", "2765")):  # fmt: skip
        elo = elo.replace(theirs, ours)
    found = told(write(elo))
    P = [round(p["p_zero"], 2) for p in found["players"]]
    assert sorted(P, reverse=True) == [17.82, 4.49, -8.90, -13.40]
    fit = found["fit"]
    assert (round(fit["intercept"], 2), round(fit["slope"], 4)) == (2598.75, 2.0970)
    assert (round(fit["r"], 2), round(fit["chi_square"], 3)) == (0.47, 3.758)
    assert found["strength"] == pytest.approx(80.0321, abs=5e-5)
    best = max(found["players"], key=lambda p: p["g_score"])
    assert (best["name"], round(best["g_score"], 2)) == ("Polgar", 203.15)
    assert best["g_category"] == "dominating"


def test_people_see_the_verdict_and_with_fit_all_of_it(run):
    assert "Fit of ratings" not in run("event", FRANKFURT).out
    short = run("event", FRANKFURT, "--number-two", 2765).out
    assert "Fit of ratings to results: passed, χ² = 2.381 ≤ 7.815 with 3 degrees of freedom" in short
    assert "Strength 92.7409, Anand G 173.50 (number two 2765 as given)." in short
    assert "P-Zero" not in short
    full = run("event", FRANKFURT, "--fit").out
    for words in (
        "Ratings and results (PRA)",
        "Line: 2705.00 + 6.9841 · P-Zero",
        "lower threshold 0.352",
        "Constants between 761.7 and 16918.4",
        "r = 0.87 is not significant",
        "of winning all 6 games (2.770 % if none were drawn)",
        "in other orders a P-Zero score moves by up to",
    ):
        assert words in full


def test_csv_has_the_columns_too(run):
    rows = list(csv.DictReader(io.StringIO(run("event", FRANKFURT, "--format", "csv").out)))
    assert [r["name"] for r in rows] == ["Anand", "Karpov", "Topalov", "Lobron"]
    assert round(float(rows[0]["g_score"]), 2) == 173.50
    assert float(rows[0]["rating_used"]) == 2765


def test_a_field_too_even_to_fail_is_said_to_be(told, run, write):
    path = write(event("Even", ["2700 A", "2690 B", "2680 C"], ROUND))
    assert told(path)["fit"]["can_fail"] is False
    assert (
        "passed, as any results would have in so even a field" in run("event", path, "--number-two", 2700).out
    )


def test_a_repair_is_kept_with_its_reason(told, run, write):
    path = write(OFF)
    before = told(path)
    assert before["fit"]["passed"] is False
    assert {p["name"]: p["flag"] for p in before["players"]}["Eve"] == "LR"
    assert before["fit_before"] is None
    after = told(path, "--repair", "adjusted", "--repair-players", "Eve", "--reason", "a junior")
    assert after["fit_before"]["chi_square"] == before["fit"]["chi_square"]
    assert after["fit"]["chi_square"] < before["fit"]["chi_square"]
    (made,) = after["decisions"]
    assert (made["player"], made["kind"], made["reason"]) == ("Eve", "adjusted", "a junior")
    assert (made["before"], made["after"]) == (2300.0, round(made["after"]))
    (eve,) = (p for p in after["players"] if p["name"] == "Eve")
    assert (eve["mark"], eve["rating"], eve["rating_used"]) == ("PRA-Adjusted", 2300, made["after"])
    own = told(path, "--repair", "adjusted", "--repair-players", "Eve=2600", "--reason", "seen")
    assert [(d["kind"], d["after"]) for d in own["decisions"]] == [("set", 2600.0)]
    shown = run("event", path, "--repair", "corrected", "--reason", "a junior").out
    assert "Decision: Eve 2300 → " in shown
    assert "Reason: a junior" in shown
    assert "Before the repair: failed" in shown
    stood = told(path, "--repair", "nothing", "--reason", "it was so")
    assert stood["fit"] == before["fit"]
    assert stood["decisions"][0]["kind"] == "nothing"


def test_a_repair_moves_the_number_two_as_well(told, run, write):
    """The text's Hastings 1919: some ratings by hand, and Lasker, who did not play, 50 points down."""
    path = write(OFF)
    repair = ("--repair", "adjusted", "--reason", "an old list", "--repair-number-two", "2650")
    before, after = told(path), told(path, *repair, "--repair-players", "Eve=2500; Ann=2690")
    kinds = {d["player"]: (d["kind"], d["before"], d["after"]) for d in after["decisions"]}
    assert kinds == {"Eve": ("set", 2300, 2500), "Ann": ("set", 2700, 2690), None: ("number two", 2700, 2650)}
    assert after["strength"] > before["strength"]
    assert after["number_two"]["rating"] == 2650
    shown = run("event", path, "--fit", *repair).out
    assert "Decision: number two 2700 → 2650. Reason: an old list" in shown
    assert "Number two 2650 by the repair, before it 2700 of the event's own file." in shown
    unknown = write(OFF.replace("2700\n1 2 1 3", "-\n1 2 1 3"))
    found = told(unknown, *repair, "--repair-players", "Eve")
    assert (found["number_two"]["rating"], found["number_two"]["source"]) == (2650, "by the repair")
    assert found["strength"] is not None


def test_a_name_may_hold_a_comma(told, write):
    path = write(OFF.replace("Eve", "Low, Eve").replace("Fay", "Low, Fay"))
    found = told(path, "--repair", "adjusted", "--repair-players", "Low, Eve", "--reason", "x")
    assert [d["player"] for d in found["decisions"]] == ["Low, Eve"]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--repair", "adjusted"], "--repair needs a reason"),
        (["--repair", "adjusted", "--reason", "  "], "--repair needs a reason"),
        (["--reason", "x"], "--reason is for --repair"),
        (["--repair-players", "Eve"], "--repair-players is for --repair"),
        (["--repair-number-two", "2650"], "--repair-number-two is for --repair"),
        (["--repair", "nothing", "--reason", "x", "--repair-number-two", "2650"], "changes nobody's rating"),
        (["--repair", "adjusted", "--reason", "x", "--repair-number-two", "nan"], "expected a rating above 0, found nan"),
        (["--repair", "adjusted", "--reason", "x", "--repair-number-two", "99999"], "number-two rating as a number"),
        (["--repair", "adjusted", "--reason", "x", "--repair-players", "Eve, Ann"], "nobody called 'Eve, Ann': give one name"),
        (["--pressure"], "--pressure is for --repair"),
        (["--repair", "mended", "--reason", "x"], "is not one of 'adjusted', 'corrected', 'nothing'"),
        (["--repair", "adjusted", "--reason", "x", "--repair-players", "Zoe"], "nobody called 'Zoe'"),
        (["--repair", "adjusted", "--reason", "x", "--repair-players", " ;"], "expected names"),
        (["--repair", "adjusted", "--reason", "x", "--repair-players", "Eve=high"], "NAME=RATING, found Eve=high"),
        (["--repair", "nothing", "--reason", "x", "--pressure"], "changes nobody's rating"),
        (["--conditions", "time-controls", "--repair", "adjusted", "--reason", "x"], "is not repaired"),
        (["--conditions", "stormy"], "is not one of 'auto', 'usual'"),
        (["--tie-break", "coin"], "found 'coin'"),
        (["--number-two", "nan"], "number-two rating as a number"),
        (["--number-two", "-5"], "number-two rating as a number"),
        (["--number-two", "2700", "--list", "x.csv"], "leave one of them out"),
        (["--list", "no-such-list.csv"], "expected a file, found nothing there"),
        (["--only", "Linares"], "found none with 'Linares'; there is 'Off the line'"),
        (["--chart", "fit.gif"], "to end in .png or .svg"),
    ],
)  # fmt: skip
def test_options_that_make_no_sense(run, write, arguments, sentence):
    done = run("event", write(OFF), *arguments)
    assert done.code == 2
    last = done.err.splitlines()[-1]
    assert last.startswith("arpad: ")
    assert sentence in last
    assert "inside arpad" not in done.err


@pytest.mark.parametrize(
    ("text", "note", "has_fit", "has_strength"),
    [
        (event("Two", THREE[:2], "1 2 1.0\n2 1 0.5"), "at least 3 rated players who played, found 2", False, True),
        (event("Equal", ["2700 A", "2700 B", "2700 C"], ROUND), "all ratings are equal", False, True),
        (event("Level", THREE, "1 2 .5 2 3 .5 1 3 .5"), "all P-Zero scores are equal", False, True),
        (event("One", ["2700 A", "- B", "- C"], ROUND), "found one rated player", False, False),
        (event("None", ["- A", "- B", "- C"], ROUND), "found no rated players", False, False),
        (event("World", THREE, ROUND, two="-"), "give --number-two RATING, or --list FILE", True, False),
    ],
)  # fmt: skip
def test_what_cannot_be_told_is_null_with_a_reason(run, told, write, text, note, has_fit, has_strength):
    path = write(text)
    found = told(path)
    assert any(note in each for each in found["notes"]), found["notes"]
    assert (found["fit"] is not None) == has_fit
    assert (found["strength"] is not None) == has_strength
    assert all(p["p_zero"] is not None for p in found["players"])
    assert all((p["g_score"] is not None) == has_strength for p in found["players"])
    done = run("event", path, "--fit")
    assert done.code == 0
    assert note in done.out
    if not has_fit:
        assert "Fit of ratings to results: not tested" in run("event", path, "--number-two", 2700).out
        refused = run("event", path, "--chart", path.with_suffix(".png"))
        assert refused.code == 2
        assert "there is nothing to draw" in refused.err
        assert run("event", path, "--html", path.with_suffix(".html")).code == 0


@pytest.mark.parametrize(
    ("games", "end", "said"),
    [
        (f"0 2 1.0\n{ROUND}", True, "expected player numbers from 1 to 3, found 0 and 2"),
        (f"{ROUND}\n4 1 0.5", True, "expected player numbers from 1 to 3, found 4 and 1"),
        (ROUND, False, "the closing -1 -1 -1.0 is missing"),
        (f"{ROUND}\n1 2 1.5", True, "a score from 0 to 1, found 1.5"),
        (f"{ROUND}\n1 2 nan", True, "a score from 0 to 1, found nan"),
        (f"{ROUND}\n0_1 2 1.0", True, "expected 'white black score', found '0_1 2 1.0'"),
    ],
)
def test_mistakes_in_the_text_format(run, write, games, end, said):
    path = write(event("Typed", THREE, games, end=end))
    done = run("event", path, "--number-two", 2700)
    assert done.code == 0
    assert said in done.err
    assert "Fit of ratings to results" in done.out
    strict = run("event", path, "--strict")
    assert strict.code == 2
    assert said in strict.err


def test_a_rating_with_an_underscore_is_none(run, write):
    done = run("event", write(event("Typed", ["2_700 A", *THREE[1:]], ROUND), "typed.pra"))
    assert done.code == 2
    assert "expected a rating, up to 4000, found '2_700'" in done.err


def test_a_point_that_is_split_finer_has_hundredths(run, write):
    shown = run("event", write(event("Split", THREE, "1 2 0.75\n2 3 0.5\n1 3 1.0")), "--fit").out
    first, *_ = (line for line in shown.splitlines() if line.startswith("1   A "))
    assert "1.75" in first
    assert " 1.8" not in shown


def test_scores_that_are_not_one_point_do_not_enter_the_fit(told, write):
    table = "white,black,result,white_rating,black_rating\nA,B,1-0,2000,1900\nB,C,1-0,1900,1800\n"
    plain = told(write(table, "plain.csv"))
    both_lost = told(write(table + "C,A,0-0,1800,2000\n", "lost.csv"))
    assert both_lost["fit"] == plain["fit"]
    assert [p["p_zero"] for p in both_lost["players"]] == [p["p_zero"] for p in plain["players"]]


def test_some_ratings_are_missing(told, run, write):
    text = OFF.replace("2300 Eve", "- Eve").replace("2450 Fay", "- Fay")
    found = told(write(text))
    kinds = {d["player"]: d["kind"] for d in found["decisions"]}
    assert kinds == {"Eve": "estimated", "Fay": "estimated"}
    marked = {p["name"]: (p["rating"], p["mark"]) for p in found["players"]}
    assert marked["Eve"] == (None, "PRA-Corrected")
    assert marked["Ann"] == (2700, "")
    shown = run("event", write(text), "--fit").out
    assert "Estimated: " in shown
    assert "(2 of 6 ratings estimated)" in run("event", write(text), "--number-two", 2700).out


def test_the_number_two_comes_from_a_list_in_force(told, write):
    pgn = "\n".join(
        f'[Event "E"]\n[Site "S"]\n[Date "1996.12.0{r}"]\n[Round "{r}"]\n[White "{w}"]\n[Black "{b}"]\n'
        f'[Result "{s}"]\n[WhiteElo "{2700 + ord(w)}"]\n[BlackElo "{2700 + ord(b)}"]\n\n1. e4 e5 2. Nf3 {s}\n'
        for r, (w, b, s) in enumerate([("A", "B", "1-0"), ("B", "C", "1-0"), ("C", "A", "1/2-1/2")], start=1)
    )
    games = write(pgn, "e.pgn")
    lists = [
        write(f"player,rating\nOne,{top}\nTwo,{top - 10}\n", f"world-{month}.csv")
        for month, top in (("1996-01", 2775), ("1996-07", 2785), ("1997-01", 2795))
    ]
    arguments = [each for path in lists for each in ("--list", path)]
    found = told(games, *arguments)
    assert found["number_two"]["rating"] == 2775
    assert found["number_two"]["source"] == "from world-1996-07.csv (Two)"
    assert found["number_two"]["date"] == "1996-07-01"
    assert found["strength"] == told(games, "--number-two", 2775)["strength"]
    assert any("2 players are rated above 2765" in n for n in told(games, "--number-two", 2765)["notes"])


def test_pra_breaks_ties_by_performance(told, run, write):
    # A and C are level on points, against each other and in wins
    games = "1 2 1 1 3 0 2 3 .5 1 2 .5 1 3 1 2 3 0"
    path = write(event("Tie", ["2600 A", "2500 B", "2550 C"], games))
    usual, pra = told(path), told(path, "--tie-break", "pra")
    assert [(p["rank"], p["name"], p["points"]) for p in usual["players"]] == [
        (1, "A", 2.5), (1, "C", 2.5), (3, "B", 1.0),
    ]  # fmt: skip
    assert [(p["rank"], p["name"], p["points"]) for p in pra["players"]] == [
        (1, "A", 2.5), (2, "C", 2.5), (3, "B", 1.0),
    ]  # fmt: skip
    first, second, _ = pra["players"]
    assert first["p_zero"] > second["p_zero"]
    assert first["pra_performance"] > second["pra_performance"]
    assert [p["pra_rank"] for p in usual["players"]] == [1, 2, 3]
    assert [row["player"] for row in pra["crosstable"]] == ["A", "C", "B"]
    html = path.with_suffix(".html")
    shown = run("event", path, "--tie-break", "pra", "--html", html).out
    assert "ordered by P-Zero performance, then by G-score (PRA)." in shown
    assert "In the order in which they decide" not in html.read_text()


def two_matches() -> str:
    return "white,black,result,event,white_rating,black_rating\n" + "".join(
        f"{w},{b},{s},{e},{2700 + d},{2650}\n"
        for w, b, s, e, d in (
            ("Fischer", "Larsen", "1-0", "semi-final", 20),
            ("Larsen", "Fischer", "0-1", "semi-final", -50),
            ("Fischer", "Petrosian", "1-0", "final", 60),
            ("Petrosian", "Fischer", "1-0", "final", -50),
        )
    )


def test_every_match_is_its_own_event(run, told, write):
    path = write(two_matches(), "two.csv")
    found = told(path, "--number-two", 2690)
    assert found["fit"] is found["strength"] is None
    assert "2 events: fit and strength of each are in events" in found["notes"][0]
    assert [e["event"] for e in found["events"]] == ["semi-final", "final"]
    assert all(e["strength"] > 90 for e in found["events"])
    assert {p["p_zero"] for p in found["players"]} == {None}
    done = run("event", path, "--number-two", 2690)
    assert "2 events: each is reported by itself; --only NAME" in done.err
    assert [line.split(":")[0] for line in done.out.splitlines() if ": match, " in line] == [
        "semi-final",
        "final",
    ]
    assert [e["standings"][0]["points"] for e in found["events"]] == [2, 1]
    one = told(path, "--number-two", 2690, "--only", "semi")
    assert one["strength"] == found["events"][0]["strength"]
    assert {p["name"] for p in one["players"]} == {"Fischer", "Larsen"}
    assert told(path, "--only", "FINAL")["event"] == "final"
    for arguments in (["--repair", "adjusted", "--reason", "x"], ["--tie-break", "pra"], ["--chart", "x.png"]):  # fmt: skip
        refused = run("event", path, *arguments)
        assert refused.code == 2
        assert "name it with --only" in refused.err
    both = run("event", path, "--only", "fin")
    assert both.code == 2
    assert "found 2 with 'fin'; there are 'semi-final', 'final'" in both.err


def test_pages_and_chart(run, write, tmp_path):
    html, pdf, chart = (tmp_path / f"e.{end}" for end in ("html", "pdf", "svg"))
    done = run("event", write(OFF), "--fit", "--html", html, "--pdf", pdf, "--chart", chart)
    assert done.code == 0
    page = html.read_text()
    assert "<h2>Ratings and results (PRA)</h2>" in page
    assert "<li>The ratings do not fit the results: an administrator should find out why.</li>" in page
    assert page.count("<svg") == 1
    assert "Eve" in chart.read_text()
    assert pdf.read_bytes().startswith(b"%PDF-")


def test_ratings_of_an_earlier_list_go_first(told, write):
    listed = write("player,rating\nEve,2600\n", "list.csv")
    found = told(write(OFF), "--before", listed)
    assert {p["name"]: p["rating_used"] for p in found["players"]}["Eve"] == 2600
    assert found["fit"]["passed"] is True


@pytest.mark.data
@pytest.mark.parametrize(
    ("file", "arguments", "strength", "who", "G"),
    [
        ("Linares1993", ["--number-two", 2725], 93.4691, "Kasparov", 244.06),
        ("Nanjing2009", ["--number-two", 2788], 96.5359, "Carlsen", 255.46),
        ("LasPalmas1996", ["--number-two", 2775], 97.5214, None, None),
        ("WCh1972", ["--number-two", 2660], 102.2321, None, None),
        ("Candidates1971", ["--number-two", 2690, "--only", "sf1"], 99.3421, "Fischer", 369.38),
        ("Candidates1971", ["--number-two", 2690, "--only", "qf3"], 96.5054, "Fischer", 350.33),
    ],
)
def test_real_events_as_printed(told, data, file, arguments, strength, who, G):
    found = told(data / "paper_events" / "pgn" / f"{file}.pgn", *arguments)
    assert found["strength"] == pytest.approx(strength, abs=5e-5)
    if who is not None:
        (best,) = (p for p in found["players"] if p["name"].startswith(who))
        assert best["g_score"] == pytest.approx(G, abs=5e-3)


@pytest.mark.data
def test_fischer_petrosian_with_the_rating_of_the_text(told, data, write):
    listed = write('player,rating\n"Petrosian, Tigran V",2645\n', "list.csv")
    path = data / "paper_events" / "pgn" / "Candidates1971.pgn"
    found = told(path, "--only", "final", "--number-two", 2690, "--before", listed)
    assert found["strength"] == pytest.approx(98.4036, abs=5e-5)
    assert max(p["g_score"] for p in found["players"]) == pytest.approx(180.46, abs=5e-3)


@pytest.mark.data
def test_the_number_two_of_a_fide_list(told, data):
    folder = data / "fide_lists"
    lists = [e for f in ("JUL01", "APR04") for e in ("--list", folder / f"{f}FRL.TXT.zst")]
    found = told(data / "paper_events" / "pgn" / "Linares2002.pgn", *lists)
    assert found["number_two"]["rating"] == 2802
    assert found["number_two"]["player"] == "Kramnik, Vladimir"


@pytest.mark.data
def test_an_open_of_284_players(told, data):
    found = told(data / "trf" / "sklangen__example1.trf")
    assert found["fit"]["passed"] is False
    estimated = [d for d in found["decisions"] if d["kind"] == "estimated"]
    assert len(estimated) > 100
    assert sum(p["p_zero"] or 0.0 for p in found["players"]) == pytest.approx(0, abs=1e-6)


def test_later_lists_agree_more_and_more(run, tmp_path):
    """χ² = Σ (O − E)² / 2500 of each list against the ratings after the event."""
    after = {
        p["name"]: p for p in json.loads(run("event", FRANKFURT, "--fit", "--format", "json").out)["players"]
    }
    arguments = ["event", FRANKFURT, "--fit", "--chart", tmp_path / "later.svg"]
    for label, off in (("may", 100.0), ("june", 50.0)):
        lines = [f"{name},{p['pra_after'] + off}" for name, p in after.items()]
        (tmp_path / f"{label}.csv").write_text("\n".join(["player,rating", *lines]))
        arguments += ["--later", tmp_path / f"{label}.csv"]
    rows = json.loads(run(*arguments, "--format", "json").out)["later"]
    assert [(r["list"], r["players"]) for r in rows] == [("may", 4), ("june", 4)]
    assert [r["chi_square_pra"] for r in rows] == pytest.approx([4 * 100**2 / 2500, 4 * 50**2 / 2500])
    moved = [
        sum((p["pra_after"] + off - p["elo_after"]) ** 2 for p in after.values()) / 2500 for off in (100, 50)
    ]
    assert [r["chi_square_elo"] for r in rows] == pytest.approx(moved)
    assert "critical value" in (tmp_path / "later.svg").read_text()
    assert "Later lists" in run(*arguments).out
