from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arpad.errors import UsageError
from arpad.event.norms.checks import requirements
from arpad.event.norms.fide import JUDGES, Judge, judge_called, norms
from arpad.event.norms.rules import (
    TITLES,
    TODAY,
    Setting,
    at_least,
    at_most,
    average,
    norm_rules,
    percent,
    score_needed,
)
from arpad.model import Event, Games, Player
from tests.event.norm_events import everybody, field, of, opponent, swiss

SIX_AND_A_HALF = [1, 1, 1, 1, 0.5, 0.5, 0.5, 0.5, 0.5]


def first(games: Games, title: str = "GM", **setting):
    return norms(games, [0], [title], setting=Setting(**setting))[0]


def failed(games: Games, title: str = "GM", **setting) -> list[str]:
    return [r.article for r in first(games, title, **setting).failed()]


# The score that a norm takes


@pytest.mark.parametrize("title", TITLES)
def test_scores_by_hand(golden, title):
    level = TODAY.level(title)
    lower = 2600 - level.performance
    rows = [(int(r["games"]), float(r["score"]), int(r["average"])) for r in golden("fide_norm_scores.csv")]  # fmt: skip
    assert len(rows) == 44
    for games, score, limit in rows:
        R_a = limit - lower
        assert score_needed(R_a, games, level, TODAY) == score
        below = score_needed(R_a - 1, games, level, TODAY)
        assert below is None if limit == 2380 else below == score + 0.5


def test_scores_as_published(golden):
    for row in golden("fide_norm_cells.csv"):
        level = TODAY.level(row["title"])
        found = score_needed(int(row["average"]), int(row["games"]), level, TODAY)
        assert found == float(row["score"]), row


def test_uxbridge_averages_by_hand():
    # ten players of 2284.4 on average: who is rated 2301 meets (22844 - 2301) / 9 = 2282.6
    assert average([(22844 - 2301) / 9] * 9, 2050) == 2283
    assert average([(22844 - 2250) / 9] * 9, 2050) == 2288


@pytest.mark.parametrize(
    ("games", "titled", "holders", "own", "one"),
    [(7, 4, 3, 4, 4), (9, 5, 3, 5, 6), (10, 5, 4, 6, 6), (11, 6, 4, 6, 7), (13, 7, 5, 7, 8)],
)
def test_shares_by_hand(games, titled, holders, own, one):
    assert at_least(TODAY.titled_share, games) == titled
    assert max(TODAY.holder_least, at_least(TODAY.holder_share, games)) == holders
    assert at_most(TODAY.own_share, games) == own
    assert at_most(TODAY.one_share, games) == one


def test_rounding():
    assert percent(5, 8) == 63  # 62.5 upwards
    assert percent(4.5, 13) == 35  # 34.6
    assert average([2400, 2401], 2200) == 2401  # 2400.5 upwards
    assert average([2199, 2100, 2500], 2200) == 2300  # only the lowest is raised
    with pytest.raises(UsageError, match="at least one opponent"):
        average([], 2200)


# Requirements, one at a time


def test_a_norm_that_is_just_made():
    verdict = first(swiss(field(), SIX_AND_A_HALF))
    assert verdict.passed
    assert (verdict.score, verdict.games, verdict.points_needed) == (6.5, 9, 6.5)
    assert of(verdict, "performance").found == "2600"
    assert [r.article for r in verdict.requirements] == [
        "1.4.1", "1.4.3", "1.4.4", "1.4.4", "1.4.5a", "1.4.5b", "1.4.8a", "1.4.8b", "1.4.8",
    ]  # fmt: skip
    assert verdict.summary() == "Applicant: 6.5/9, GM norm made (2024-01)"


@pytest.mark.parametrize("title", TITLES)
def test_every_title_at_its_limits(title):
    level = TODAY.level(title)
    own = Player(name="Applicant", federation="ESP", sex="w")

    def found(rating: float, score: float) -> list[str]:
        people = field(rating=rating, title=level.holders[0])
        scores = [1] * int(score) + [0.5] * int(2 * (score % 1)) + [0] * (9 - int(score + 0.5))
        return failed(swiss(people, scores, own=own), title)

    assert found(level.average, 7) == []
    assert found(level.average - 1, 7) == ["1.4.8a", "1.4.8"]  # a point less, and R_p with it
    assert found(level.average - 1, 8) == ["1.4.8a"]
    assert found(level.average, 6.5) == ["1.4.8"]
    assert found(level.performance, 4.5) == []
    assert found(level.performance + 300, 3) == ["1.4.8b"]  # 33 % is too little against anybody


def swapped(people, rows, **changes):
    return [replace(p, **changes) if i in rows else p for i, p in enumerate(people)]


@pytest.mark.parametrize(("people", "articles"), [
    (field(8), ["1.4.1"]),
    (field(titled=4), ["1.4.5a"]),
    (field(holders=2), ["1.4.5b"]),
    (swapped(field(), [3, 4], title="CM"), ["1.4.5a"]),
    (swapped(field(), range(9), federation="FRA"), ["1.4.3", "1.4.4"]),
    (swapped(field(), range(7), federation="FRA"), ["1.4.4"]),
    (swapped(field(), [0, 1, 2, 3, 4, 6], federation="FRA"), []),
    (swapped(field(), range(6), federation="ESP"), ["1.4.4"]),
    (swapped(field(), range(5), federation="ESP"), []),
    (swapped(swapped(field(), range(5), federation="ESP"), range(5, 9), federation="FRA"), ["1.4.3"]),
])  # fmt: skip
def test_one_requirement_alone(people, articles):
    scores = [*SIX_AND_A_HALF[: len(people) - 1], 1]
    assert failed(swiss(people, scores)) == articles


def test_fide_players_have_no_federation():
    people = swapped(field(), range(7), federation="FID")
    verdict = first(swiss(people, SIX_AND_A_HALF))
    assert verdict.passed  # seven of one "federation" would be too many; two others are left
    people = swapped(field(), range(8), federation="FID")
    assert failed(swiss(people, SIX_AND_A_HALF)) == ["1.4.3"]


def test_the_lowest_is_raised_and_the_unrated_count_1400():
    strong = field(rating=2464)
    weak = swapped(strong, [8], rating=2000.0)  # counts as 2200: 8 * 2464 + 2200 = 9 * 2434.7
    assert of(first(swiss(weak, SIX_AND_A_HALF)), "opponents' average").found == "2435"
    none = swapped(strong, [8], rating=None)
    assert first(swiss(none, SIX_AND_A_HALF)).passed
    two = swapped(none, [7], rating=2000.0)  # the unrated is raised, 2000 stays: 2383
    assert of(first(swiss(two, SIX_AND_A_HALF)), "opponents' average").found == "2383"
    three = swapped(two, [6], rating=None)
    assert of(first(swiss(three, SIX_AND_A_HALF)), "opponents' average").found == "2265"


def test_many_unrated_opponents_are_remarked():
    people = swapped(field(), [7, 8], rating=None)
    assert any("2 of 9 opponents are unrated" in n for n in first(swiss(people, [1] * 9)).notes)


# Games that do not count


def test_a_forfeit_win_is_forgiven_in_nine_rounds():
    # 6 of 8 on the board against 2407 is 75 %: 2600
    people = field(rating=2407)
    scores = [1, 1, 1, 1, 1, 1, 0, 0, 1]
    verdict = first(swiss(people, scores, status={9: "forfeit"}, rounds=9))
    assert (verdict.games, verdict.score, verdict.passed) == (8, 6, True)
    assert "once in an application [1.4.1c]" in " ".join(verdict.notes)
    assert "counts as 9 games" in " ".join(verdict.notes)
    bye = first(swiss([*people[:8], None], scores))
    assert bye.passed
    half = first(swiss([*people[:8], None], [*scores[:8], 0.5]))
    assert [r.article for r in half.failed()] == ["1.4.1"]
    two = first(swiss(people, scores, status={8: "forfeit", 9: "forfeit"}))
    assert "1.4.1" in [r.article for r in two.failed()]
    longer = first(swiss(people, scores, status={9: "forfeit"}, rounds=10))
    assert [r.article for r in longer.failed()] == ["1.4.1"]


def test_a_forfeit_in_the_last_round_counts_as_lost_where_it_is_needed():
    # two absences: 8 games on the board are too few, but the last opponent stayed away.
    people = field(10, rating=2434, titled=5, holders=4)
    scores = [1, 1, 1, 1, 1, 1, 0.5, 0, 0, 1]
    games = swiss(people, scores, status={9: "forfeit", 10: "forfeit"})
    verdict = first(games)
    assert (verdict.games, verdict.score, verdict.passed) == (9, 6.5, True)
    assert any("counts as lost" in n for n in verdict.notes)
    scores[0] = 0.5  # six points are not enough to afford the loss
    verdict = first(swiss(people, scores, status={9: "forfeit", 10: "forfeit"}))
    assert not verdict.passed
    assert verdict.games == 8


def test_strangers_do_not_count():
    people = swapped(field(10, titled=6, holders=4), [9], federation="NON")
    verdict = first(swiss(people, [*SIX_AND_A_HALF, 1]))
    assert verdict.passed
    assert verdict.games == 9
    assert "1.4.2a" in verdict.notes[0]


def test_an_unrated_player_without_a_point_leaves_a_round_robin():
    people = [Player(name="Applicant", federation="ESP", title="IM", rating=2500.0)]
    people += field(10, rating=2434, titled=6, holders=4)
    people[10] = opponent(10, None, None)

    def scores(a: int, b: int) -> float:
        if b == 10:
            return 1
        return SIX_AND_A_HALF[b - 1] if a == 0 else 0.5

    verdict = first(everybody(people, scores))
    assert verdict.games == 9
    assert any("1.4.2b" in n for n in verdict.notes)
    assert verdict.passed


def test_a_game_that_is_not_rated_counts():
    games = swiss(field(), SIX_AND_A_HALF, status={1: "unrated"})
    assert first(games).passed


# Games that may be left out


def test_a_win_against_a_weak_opponent_is_ignored():
    people = [*field(holders=4), opponent(9, 1500, None)]
    scores = [*SIX_AND_A_HALF, 1]  # 7.5 of 10 against 2434 and one raised to 2200: 2411 + 193
    assert first(swiss(people, scores)).games == 10
    people = [opponent(9, 1500, None), *field(rating=2437), opponent(10, 1500, None)]
    verdict = first(swiss(people, [1, *SIX_AND_A_HALF, 1], rounds=11))
    assert verdict.passed
    assert verdict.games < 11
    assert any("1.4.1f" in n or "1.4.1e" in n for n in verdict.notes)


def test_what_comes_after_the_norm_is_ignored():
    people = [*field(), *field(2, 2434, 0, 0)]
    verdict = first(swiss(people, [*SIX_AND_A_HALF, 0, 0]))
    assert verdict.passed
    assert verdict.games == 9
    assert next(n for n in verdict.notes if "1.4.1e" in n).startswith("round 10,")


def test_a_round_robin_is_judged_whole():
    people = [Player(name="Applicant", federation="ESP", title="IM", rating=2500.0)]
    people += [*field(9, 2434), *field(2, 2434, 2, 2)]
    last = {10: 0.0, 11: 0.0}

    def scores(a: int, b: int) -> float:
        return 0.5 if a else last.get(b, SIX_AND_A_HALF[min(b, 9) - 1])

    verdict = first(everybody(people, scores))
    assert not verdict.passed
    assert verdict.games == 11


@given(
    ratings=st.lists(st.integers(2050, 2700), min_size=11, max_size=11),
    scores=st.lists(st.sampled_from([0.0, 0.5, 1.0, 1.0]), min_size=11, max_size=11),
    titles=st.lists(st.sampled_from(["GM", "IM", "FM", None]), min_size=11, max_size=11),
)
def test_the_search_finds_what_trying_everything_finds(ratings, scores, titles):
    people = [opponent(i, r, t) for i, (r, t) in enumerate(zip(ratings, titles, strict=True))]
    games = swiss(people, scores)
    judge = Judge(games)
    case = judge.case(0, "IM")
    met = judge.counted(0)[0]
    possible = False
    for size in (9, 10, 11):
        for kept in combinations(range(11), size):
            out = set(range(11)) - set(kept)
            tail = 11
            while tail - 1 in out:
                tail -= 1
            if all(scores[i] == 1 or i >= tail for i in out):
                possible |= all(r.passed for r in requirements(case, tuple(met[i] for i in kept)))
    assert judge.verdict(0, "IM").passed == possible


# Double round robins, exceptions


def double(holders: int, players: int = 6):
    people = [Player(name="Applicant", federation="ESP", title="IM", rating=2400.0)]
    people += field(players - 1, 2451, players - 1, holders)
    return everybody(people, lambda a, _: 0.7 if a == 0 else 0.5, 2)


def test_double_round_robins_count_different_opponents():
    games = double(3)
    games = Games.assemble(
        {
            **{c: games.table[c] for c in ("white", "black", "round", "event")},
            "score": [
                s if w else (1.0 if r != "10" and int(r) <= 4 else 0.5)
                for w, s, r in games.table.select("white", "score", "round").iter_rows()
            ],
        },
        [Player(**row) for row in games.players.iter_rows(named=True)],
        games.events,
    )
    verdict = first(games)
    assert verdict.passed  # 4 wins, 6 draws: 7 of 10 against 2451
    assert (verdict.score, verdict.games) == (7, 10)
    assert of(verdict, "opponents who are GM").needed == "at least 3 of 5 different opponents"
    assert "1.4.5f" in failed(double(2))
    assert of(first(double(3, 5)), "players in a double").passed is False


def large(n: int, titled: int, missing: int = 0) -> Games:
    """A Swiss of two rounds in which n foreigners play each other; `missing` skip both rounds."""
    people = [
        Player(name=f"F{i}", rating=2300.0, federation=("FRA", "GER", "ITA")[i % 3],
               title="IM" if i < titled else None)
        for i in range(n)
    ]  # fmt: skip
    rows: dict[str, list[object]] = {k: [] for k in ("white", "black", "score", "round")}
    here = list(range(n - missing))
    for r in (1, 2):
        turned = here[::2] + here[1::2] if r == 2 else here
        for a, b in zip(turned[::2], turned[1::2], strict=True):
            for key, value in zip(rows, (a, b, 0.5, str(r)), strict=True):
                rows[key].append(value)
    return Games.assemble(rows, people, [Event(name="X", federation="ESP")])


def test_large_opens_are_exempt():
    assert Judge(large(20, 10)).large.exempt(TODAY)
    assert not Judge(large(18, 10)).large.exempt(TODAY)
    assert not Judge(large(20, 9)).large.exempt(TODAY)
    assert not Judge(large(24, 12, missing=6)).large.exempt(TODAY)
    games = large(20, 10)
    home = Games(games.table, games.players, (replace(games.events[0], federation=None),))
    assert not Judge(home).large.exempt(TODAY)
    verdict = norms(games, [0], ["GM"])[0]
    assert "1.4.3" not in [r.article for r in verdict.failed()]
    assert "exempt by 1.4.3d" in of(verdict, "federations").found


def test_kinds_of_event():
    home = swapped(field(), range(9), federation="ESP")
    assert failed(swiss(home, SIX_AND_A_HALF)) == ["1.4.3", "1.4.4", "1.4.4"]
    for kind in ("national", "national-team", "zonal"):
        verdict = first(swiss(home, SIX_AND_A_HALF), event_kind=kind)
        assert verdict.passed
        assert any("1.4.3e" in n for n in verdict.notes)
    guest = Player(name="Applicant", federation="POR", title="IM")
    assert failed(swiss(home, SIX_AND_A_HALF, own=guest), event_kind="national") != []
    seven = swiss(field(7, 2442, 4, 3), [1, 1, 1, 1, 0.5, 0.5, 0], rounds=7)
    assert failed(seven) == ["1.4.1"]
    assert first(seven, event_kind="team").passed
    eight = swiss(field(8, 2459), [1, 1, 1, 1, 0.5, 0.5, 0.5, 0], rounds=16)
    assert failed(eight, event_kind="team") == ["1.4.1"]
    cup = first(eight, event_kind="world-cup")
    assert cup.passed
    assert any("counts as 9 games" in n for n in cup.notes)


def test_points_above_the_norm_lengthen_it():
    verdict = first(swiss(field(), [1] * 9))
    assert (verdict.score, verdict.points_needed) == (9, 6.5)
    assert any("counts as 11 games" in n for n in verdict.notes)


# What nobody knows


def test_unknown_titles_ratings_federations():
    nothing = swapped(field(), range(9), title=None)
    own = Player(name="Applicant", federation="ESP")
    verdict = first(swiss(nothing, SIX_AND_A_HALF, own=own))
    assert [(r.article, r.found) for r in verdict.failed()] == [("1.4.5a", "unknown"), ("1.4.5b", "unknown")]
    assert any("a rating list may have titles" in n for n in verdict.notes)
    unrated = first(swiss(swapped(field(), range(9), rating=None), SIX_AND_A_HALF, own=own))
    assert [r.found for r in unrated.failed()] == ["unknown", "unknown"]
    assert unrated.points_needed is None
    bare = first(swiss(swapped(field(), range(9), federation=None), SIX_AND_A_HALF))
    assert [r.article for r in bare.failed()] == ["1.4.3", "1.4.4", "1.4.4"]
    assert all("unknown" in r.found for r in bare.failed())


def test_a_gap_that_cannot_matter_does_not():
    people = swapped(field(), [0, 1], federation=None)  # 7 of three federations, at most 3 of one
    assert first(swiss(people, SIX_AND_A_HALF)).passed
    stateless = Player(name="Applicant", title="IM")
    assert first(swiss(field(), SIX_AND_A_HALF, own=stateless)).passed  # three: two are not his


def test_titles_for_women():
    people = field(rating=2234, title="WGM")
    for sex, found in (("w", "a woman"), ("m", "a man"), (None, "unknown")):
        own = Player(name="Applicant", federation="ESP", sex=sex)
        verdict = first(swiss(people, SIX_AND_A_HALF, own=own), "WGM")
        assert of(verdict, "women's title").found == found
        assert verdict.passed == (sex == "w")


@pytest.mark.parametrize(("held", "sex", "titles"), [
    ("GM", "m", []), ("IM", "m", ["GM"]), ("FM", "m", ["GM", "IM"]), (None, None, ["GM", "IM"]),
    ("WIM", None, ["GM", "IM", "WGM"]), ("WGM", "w", ["GM", "IM"]), ("IM", "w", ["GM"]),
    (None, "w", ["GM", "IM", "WGM", "WIM"]),
])  # fmt: skip
def test_titles_sought(held, sex, titles):
    own = Player(name="Applicant", federation="ESP", sex=sex, title=held)
    found = norms(swiss(field(), SIX_AND_A_HALF, own=own), [0])
    assert [v.title for v in found] == titles


def test_a_title_that_is_held_is_remarked():
    own = Player(name="Applicant", federation="ESP", title="GM")
    assert "holds the title GM already" in first(swiss(field(), SIX_AND_A_HALF, own=own)).notes


def test_events_of_nothing():
    empty = Games.assemble({"white": [], "black": [], "score": []}, {"name": []})
    assert norms(empty) == []
    byes = swiss([None, None], [1, 0.5])
    assert not first(byes).passed
    absent = first(swiss(field(), [1] * 9, status=dict.fromkeys(range(1, 10), "forfeit")))
    assert (absent.games, absent.passed) == (0, False)
    with pytest.raises(UsageError, match="expected a title"):
        norms(byes, [0], ["FM"])
    with pytest.raises(UsageError, match="expected a row"):
        norms(byes, [7], ["GM"])


# Properties


@given(data=st.data())
def test_colours_and_the_order_of_rounds_do_not_matter(data):
    ratings = data.draw(st.lists(st.integers(2300, 2600), min_size=9, max_size=9))
    scores = data.draw(st.lists(st.sampled_from([0.0, 0.5, 1.0]), min_size=9, max_size=9))
    order = data.draw(st.permutations(range(9)))
    people = [replace(p, rating=r) for p, r in zip(field(), ratings, strict=True)]
    plain = first(swiss(people, scores))
    turned = first(swiss([people[i] for i in order], [scores[i] for i in order], white=False))
    assert (plain.passed, plain.points_needed) == (turned.passed, turned.points_needed)


@given(
    st.lists(st.integers(2300, 2600), min_size=9, max_size=9),
    st.lists(st.sampled_from([0.0, 0.5, 1.0]), min_size=9, max_size=9),
)
def test_points_needed_is_the_border(ratings, scores):
    people = [replace(p, rating=r) for p, r in zip(field(), ratings, strict=True)]
    verdict = first(swiss(people, scores))
    if verdict.points_needed is not None:
        assert verdict.passed == (verdict.score >= verdict.points_needed)
    else:
        assert not verdict.passed


# A real field


def test_st_louis(golden):
    people = [
        Player(name=r["name"], title=r["title"], federation=r["federation"], rating=float(r["rating"]))
        for r in golden("st_louis_field.csv")
    ]  # fmt: skip
    drawn = everybody(people, lambda *_: 0.5)
    found = {v.player: v for v in norms(drawn, titles=["GM"])}
    # The ratings add up to 24777. Arnold meets (24777 - 2502) / 9 = 2475.0: six points are just enough.
    assert of(found["Arnold Marc T"], "opponents' average").found == "2475"
    assert of(found["Young Angelo"], "opponents' average").found == "2495"
    wanted = [v.points_needed for n, v in found.items() if v.player not in {p.name for p in people[:3]}]
    assert wanted == [6.0] * 7
    # An American meets 5 Americans (5 are allowed), a guest 6 (6 are allowed), everybody three GMs
    assert of(found["Arnold Marc T"], "opponents of the player's").found == "5"
    assert of(found["Gerzhoy Leonid"], "opponents of one federation").found == "6"
    assert of(found["Yang Darwin"], "opponents who are GM").found == "3"
    assert all(r.article == "1.4.8" for n, v in found.items() if n not in {p.name for p in people[:3]} for r in v.failed())  # fmt: skip


# Rules by name


def test_rules_by_name():
    assert norm_rules("today") is TODAY
    assert TODAY.parameters()["rules"] == "2024-01"
    assert set(JUDGES) >= {"2024-01"}
    games = swiss(field(), SIX_AND_A_HALF)
    assert JUDGES["2024-01"](games, [0], ["GM"]) == judge_called("today")(games, [0], ["GM"])
    for bad in (norm_rules, judge_called):
        with pytest.raises(UsageError, match="expected rules"):
            bad("1066")


def test_a_round_robin_with_a_game_missing_is_still_one():
    """Files leave forfeits out; the last rounds of a round robin cannot be ignored all the same [1.4.1e]."""
    people = [Player(name="Applicant", federation="ESP", title="IM", rating=2500.0)]
    people += [*field(9, 2434), *field(2, 2434, 2, 2)]
    last = {10: 0.0, 11: 0.0}

    def scores(a: int, b: int) -> float:
        return 0.5 if a else last.get(b, SIX_AND_A_HALF[min(b, 9) - 1])

    games = everybody(people, scores)
    missing = games.keep(~((games.table["white"] == 5) & (games.table["black"] == 6)))
    assert len(missing) == len(games) - 1
    assert not first(missing).passed


def test_byes_without_a_round_and_byes_to_come():
    rows = {"white": [0, 2], "black": [1, None], "score": [1.0, 1.0], "status": ["played", "bye"]}
    people = [opponent(i, 2500 - 100 * i, None) for i in range(3)]
    assert norms(Games.assemble(rows, people))
    # Somebody else's announced absence in round 8 does not end the event after six rounds.
    games = swiss(field(6), SIX_AND_A_HALF[:6], rounds=9)
    absent = Games.assemble(
        {"white": [1], "black": [None], "score": [0.0], "status": ["bye"], "round": ["8"], "event": [0]}, []
    )
    later = Games(pl.concat([games.table, absent.table]), games.players, games.events)
    assert Judge(later).field.left(0) == Judge(games).field.left(0) == 3
    assert Judge(later).field.left(1) == 2
