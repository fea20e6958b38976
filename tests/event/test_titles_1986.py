from __future__ import annotations

import itertools
from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arpad.errors import UsageError
from arpad.event.field import category
from arpad.event.norms.fide1986 import (
    NORMS,
    category_name,
    minima,
    percentage,
    points_chart,
    points_needed,
    title_called,
    title_tournament_1986,
    verdicts,
)
from arpad.model import Event, Games, Player

FEDERATIONS = ("YUG", "HUN", "USA", "ENG")


def people(ratings, titles=None, *, federations=FEDERATIONS, sex=None):
    return [
        Player(
            name=f"P{i}",
            rating=r,
            title=titles[i] if titles else None,
            federation=federations[i % len(federations)] if federations else None,
            sex=sex,
        )
        for i, r in enumerate(ratings)
    ]


def circle(n):
    """Pairings of a round robin of n players, n even, round by round."""
    order = list(range(n))
    for number in range(1, n):
        for i in range(n // 2):
            yield str(number), order[i], order[n - 1 - i]
        order = [order[0], order[-1], *order[1:-1]]


def tournament(field, scores, *, days=1, **columns):
    """A round robin in which player 0 scores `scores` of it, all else drawn; a round every `days` days."""
    rows = list(circle(len(field)))
    left = iter(scores)
    shares = []
    for _, i, j in rows:
        if 0 in (i, j):
            own = next(left)
            shares.append(own if i == 0 else 1 - own)
        else:
            shares.append(0.5)
    return Games.assemble(
        {
            "white": [i for _, i, _ in rows],
            "black": [j for _, _, j in rows],
            "score": shares,
            "round": [r for r, _, _ in rows],
            "date": [date(1986, 1, 1) + timedelta(days=int(days * (int(r) - 1))) for r, _, _ in rows],
            **columns,
        },
        field,
        [Event(name="Title")],
    )  # fmt: skip


def points(wins, draws, losses=0):
    return [1.0] * wins + [0.5] * draws + [0.0] * losses


# --- the charts


def test_percentages_of_4_34_whole(golden):
    rows = golden("elo_4_34_percentages.csv")
    assert len(rows) == 28
    for row in rows:
        low, high = float(row["from"]), float(row["to"])
        women = row["category"].endswith("W")
        for average in (low, high, low - 0.5, high + 0.49):
            assert category_name(average, women=women) == row["category"]
            for title in NORMS:
                share = percentage(title, average)
                assert (None if share is None else round(100 * share)) == (
                    int(row[title]) if row[title] else None
                )


# The text of the women's chart has lost cells: of WGM rows, which run over ten categories, nine are left, of
# IWM rows, which run over fifteen, thirteen; IWM is printed as WGM, and 20 players have two such rows.
# These WGM rows lost the last cell, so that the others stand in their columns:
WHOLE = {15, 17, 18, 19, 20}
# These cells, counted from 0, fit nowhere in their IWM row; all but two repeat or go beyond the last cell.
NO_PLACE = {
    10: [(12, 3.0)], 11: [(12, 3.0)], 12: [(11, 4.0)], 13: [(12, 4.0)], 14: [(12, 4.0)],
    15: [(7, 6.5), (9, 5.5), (12, 4.0)], 20: [(12, 5.5)],
}  # fmt: skip


def in_order(printed, computed):
    """Return which printed cells can be found in the computed row, from left to right."""
    best = {(len(printed), j): () for j in range(len(computed) + 1)}
    best |= {(i, len(computed)): () for i in range(len(printed) + 1)}
    for i in reversed(range(len(printed))):
        for j in reversed(range(len(computed))):
            if printed[i] == computed[j]:
                best[i, j] = (i, *best[i + 1, j + 1])
            else:
                best[i, j] = max(best[i + 1, j], best[i, j + 1], key=len)
    return set(best[0, 0])


def test_points_of_4_34_as_far_as_they_can_be_read(golden):
    chart = {(r["players"], r["title"]): r for r in points_chart(women=True).to_dicts()}
    read = unread = 0
    for row in golden("elo_4_34_points.csv"):
        M, title = int(row["players"]), row["title"]
        printed = [float(cell) for cell in row["cells"].split()]
        first, last = (7, 16) if title == "WGM" else (1, 15)
        computed = [chart[M, title][f"{n}W"] for n in range(first, last + 1)]
        assert None not in computed
        if title == "WGM" and M in WHOLE:
            assert printed == computed[:9]
        found = in_order(printed, computed)
        lost = [(i, cell) for i, cell in enumerate(printed) if i not in found]
        if title == "WGM":
            assert not lost
        elif lost:
            assert lost == NO_PLACE[M]
        read += len(found)
        unread += len(lost)
    assert (read, unread) == (246, 9)


def test_the_chart_is_the_percentages(golden):
    """Where no percentage is printed, no points are; the chart of men and of women agree."""
    men, women = points_chart(), points_chart(women=True)
    for row in men.to_dicts() + women.to_dicts():
        for row2 in golden("elo_4_34_percentages.csv"):
            if row2["category"] in row:
                assert (row[row2["category"]] is None) is not bool(row2[row["title"]])
    im = [r["1"] for r in men.to_dicts() if r["title"] == "IM"]
    iwm = [r["1W"] for r in women.to_dicts() if r["title"] == "IWM"]
    assert im == iwm


def test_minima_of_4_34_whole(golden):
    rows = golden("elo_4_34_minima.csv")
    assert [int(r["players"]) for r in rows] == list(range(10, 21))
    for row in rows:
        found = minima(int(row["players"]))
        assert (found.foreign, found.rated, found.titled) == (int(row["foreign"]), int(row["rated"]), int(row["titled"]))  # fmt: skip
        assert points_chart().filter(players=int(row["players"]))["games"][0] == int(row["games"])


@given(title=st.sampled_from(list(NORMS)), average=st.integers(1900, 2800), games=st.integers(1, 30))
def test_points_are_the_least_that_will_do(title, average, games):
    share, needed = percentage(title, average), points_needed(title, average, games)
    assert (share is None) is (needed is None)
    if share is not None:
        assert needed >= games * share - 0.05 - 1e-9
        assert needed - 0.5 < games * share - 0.05 or needed == 0
        more = points_needed(title, average + 25, games)
        assert more is None or more <= needed  # a stronger field asks for less


def test_categories():
    women = [category_name(a, women=True) for a in (1950, 1951, 1975.4, 1975.5, 2251)]
    assert women == [None, "1W", "1W", "2W", "13W"]
    assert [category(a) for a in (2250, 2251, 2650)] == [None, 1, 16]
    assert category_name(2200) is None
    assert title_called("wim") == "IWM"
    for bad in ("CM", "", "grandmaster"):
        with pytest.raises(UsageError, match="expected a title"):
            title_called(bad)
    with pytest.raises(UsageError):
        points_needed("GM", 2500, 0)
    with pytest.raises(UsageError):
        minima(1)


# --- verdicts


def test_a_norm_made_and_missed_by_half_a_point():
    # sixteen players of 2476 to 2500: category 10, GM 67 %, 15 games: 10.05 − .05, so 10 points
    field = people([2490.0] * 16, ["GM"] * 8 + [None] * 8)
    made = verdicts(tournament(field, points(5, 10)), [0], ["GM"])[0]
    assert made.passed
    assert made.summary() == "P0: 10/15, GM norm made (1986)"
    assert made.points_needed == 10
    assert "holds the title already" in made.notes
    missed = verdicts(tournament(field, points(4, 11)), [0], ["GM"])[0]
    assert not missed.passed
    assert missed.points_needed == 10
    assert [r.what for r in missed.failed()] == ["score"]
    assert missed.summary() == (
        "P0: 9.5/15, GM norm not made: score 9.5, needed at least 10, 67 % of 15 [4.34 ¶4.3] (1986)"
    )
    # 47 % of 15 is 7.05: seven will do for an IM
    assert verdicts(tournament(field, points(0, 14, 1)), [0], ["IM"])[0].passed


def names(found):
    return {r.what for r in found.failed()}


def test_every_requirement_can_fail_and_is_named():
    good = people([2490.0] * 10)
    win = points(9, 0)
    assert verdicts(tournament(good, win), [0], ["GM"])[0].passed
    cases = {
        "rounds": tournament(people([2490.0] * 8), points(7, 0)),
        "games that count": tournament(people([2490.0] * 8), points(7, 0)),
        "rated players of 10": tournament(people([2600.0] * 7 + [None] * 3), win),
        "titleholders or rated over 2300": tournament(people([2290.0] * 10), win),
        "federations": tournament(people([2490.0] * 10, federations=("YUG", "HUN")), win),
        "players not of one federation": tournament(people([2490.0] * 10, federations=("YUG", "YUG", "YUG", "HUN", "YUG", "YUG", "USA")), win),
        "days from first to last game": tournament(good, win, days=12),
        "rounds on one day": tournament(good, win, days=1 / 3),
        "days with two rounds": tournament(good, win, days=0.5),
        "days with two rounds in the last 3": tournament(good, win, days=0.5),
        "average rating": tournament(people([2390.0] * 10), win),
        "score": tournament(good, points(2, 7)),
    }  # fmt: skip
    for what, games in cases.items():
        found = verdicts(games, [0], ["GM"])[0]
        assert what in names(found), what
        assert not found.passed
        assert all(r.article.startswith("4.34 ¶4.") for r in found.failed())
        if what != "score":
            assert found.points_needed is None


def test_two_double_days_are_allowed_but_not_at_the_end():
    rows = [(int(r), i, j) for r, i, j in circle(10)]
    early = {1: 1, 2: 1, 3: 2, 4: 2}  # rounds 1–2 and 3–4 on one day each
    dates = [date(1986, 1, early.get(r, r)) for r, _, _ in rows]
    games = tournament(people([2490.0] * 10), points(9, 0), date=dates)
    assert verdicts(games, [0], ["GM"])[0].passed
    late = [date(1986, 1, 8 if r == 9 else r) for r, _, _ in rows]
    games = tournament(people([2490.0] * 10), points(9, 0), date=late)
    assert names(verdicts(games, [0], ["GM"])[0]) == {"days with two rounds in the last 3"}


def test_one_game_played_later_is_no_double_round():
    rows = [(int(r), i, j) for r, i, j in circle(10)]
    dates = [date(1986, 1, 9 if n == 0 else r) for n, (r, _, _) in enumerate(rows)]
    games = tournament(people([2490.0] * 10), points(9, 0), date=dates)
    assert verdicts(games, [0], ["GM"])[0].passed


def test_waivers():
    field = people([2490.0] * 10, federations=("YUG",))
    games = tournament(field, points(9, 0))
    assert names(verdicts(games, [0], ["GM"])[0]) == {"federations", "players not of one federation"}
    assert verdicts(games, [0], ["GM"], waiver="national championship")[0].passed
    unrated = tournament(people([2600.0] * 7 + [None] * 3, federations=("YUG",)), points(9, 0))
    assert verdicts(unrated, [0], ["GM"], waiver="zonal")[0].passed
    assert names(verdicts(unrated, [0], ["GM"], waiver="national championship")[0]) == {"rated players of 10"}


def test_what_the_file_does_not_tell_is_a_note():
    games = tournament(people([2490.0] * 10, federations=None), points(9, 0), date=[None] * 45)
    found = verdicts(games, [0], ["GM"])[0]
    assert found.passed
    assert sum("not checked" in note for note in found.notes) == 3
    some = people([2490.0] * 10)
    some[1] = Player(name="P1", rating=2490.0)
    assert any("without a federation" in n for n in verdicts(tournament(some, points(9, 0)), [0])[0].notes)


def test_the_average_for_titles():
    mixed = [*people([2500.0] * 8), Player(name="W", rating=2190.0, sex="w"), Player(name="U")]
    event = title_tournament_1986(tournament(mixed, points(0, 9)))
    assert event.average == (8 * 2500 + 2 * 2200) / 10 == 2440
    assert event.category == "8"
    ladies = [*people([2100.0] * 8, sex="w"), *people([None] * 2, sex="w")]
    event = title_tournament_1986(tournament(ladies, points(0, 9)))
    assert event.women
    assert event.average == (8 * 2100 + 2 * 1900) / 10 == 2060
    assert event.category == "5W"
    # rated at 2205 a woman stands at her own; halves are rounded upwards
    her = [*people([2200.0 + 5] * 9), Player(name="W", rating=2210.0, sex="w")]
    assert title_tournament_1986(tournament(her, points(0, 9))).average == 2206


def test_who_does_not_score_and_who_is_no_member_are_left_out():
    field = people([2490.0] * 11 + [None])
    rows = list(circle(12))
    score = [0.0 if i == 11 else 1.0 if j == 11 else 0.5 for _, i, j in rows]
    games = tournament(field, [0.5] * 11, score=score, black_score=[1 - s for s in score])
    event = title_tournament_1986(games)
    assert event.average == 2490
    assert {e.games for e in event.field.values()} == {10}
    found = verdicts(games, [0], ["IM"])[0]
    assert (found.score, found.games) == (5, 10)
    assert any("P11" in note for note in found.notes)
    without = verdicts(games, [0], ["IM"], non_members=[1])[0]
    assert (without.score, without.games) == (4.5, 9)


def test_womens_titles():
    field = people([2110.0] * 10, ["WGM"] * 10, sex="w")
    event = tournament(field, points(5, 4))
    assert not verdicts(event)  # 7W: no GM, no IM in reach, and nobody seeks the title held
    found = {(v.player, v.title): v for v in verdicts(event, titles=["WGM", "IWM"])}
    best = found["P0", "WGM"]
    assert best.passed  # 76 % of 9 is 6.84: seven points
    assert best.points_needed == 7
    assert not found["P1", "WGM"].passed
    strong = people([2300.0] * 10, sex="w")
    titles = {v.title for v in verdicts(tournament(strong, points(5, 4)))}
    assert titles == {"IM", "WGM", "IWM"}
    mixed = [*people([2490.0] * 9), Player(name="W", rating=2400.0, sex="w", federation="USA")]
    found = verdicts(tournament(mixed, points(5, 4)))
    assert {v.title for v in found if v.player == "W"} == {"GM", "IM", "WGM", "IWM"}
    assert {v.title for v in found if v.player == "P0"} == {"GM", "IM"}


def test_a_swiss_takes_the_own_rated_opponents():
    field = people([2500.0 + 10 * i for i in range(24)] + [None])
    rows = [(r, i, j) for r, i, j in circle(24) if int(r) <= 9]
    games = Games.assemble(
        {
            "white": [*(i for _, i, _ in rows), 0],
            "black": [*(j for _, _, j in rows), 24],
            "score": [*(1.0 if i == 0 else 0.0 if j == 0 else 0.5 for _, i, j in rows), 0.5],
            "round": [*(r for r, _, _ in rows), "10"],
        },
        field,
    )
    found = verdicts(games, [0], ["GM"])[0]
    assert (found.score, found.games) == (9, 9)  # the draw with an unrated player does not count
    assert found.passed
    assert any("no round robin" in note for note in found.notes)
    met = [j if i == 0 else i for _, i, j in rows if 0 in (i, j)]
    average = sum(2500 + 10 * m for m in met) / 9
    line = next(r for r in found.requirements if r.what == "average rating")
    assert line.found.startswith(f"{average:.0f},")


@given(seed=st.integers(0, 10**6))
def test_relabelling_and_colours_change_no_verdict(seed):
    import random

    rng = random.Random(seed)
    field = people([float(rng.randrange(2350, 2600)) for _ in range(10)])
    pairs = list(itertools.combinations(range(10), 2))
    shares = [rng.choice([0.0, 0.5, 1.0]) for _ in pairs]
    one = Games.assemble(
        {"white": [i for i, _ in pairs], "black": [j for _, j in pairs], "score": shares}, field
    )
    order = rng.sample(range(10), 10)
    place = {old: new for new, old in enumerate(order)}
    other = Games.assemble(
        {"white": [place[j] for _, j in pairs], "black": [place[i] for i, _ in pairs], "score": [1 - s for s in shares]},
        [field[i] for i in order],
    )  # fmt: skip
    assert verdicts(one) == verdicts(other)


def test_bad_questions():
    games = tournament(people([2490.0] * 10), points(9, 0))
    with pytest.raises(UsageError, match="expected a title"):
        verdicts(games, None, ["XM"])
    with pytest.raises(UsageError, match="expected rows"):
        verdicts(games, [99])
    with pytest.raises(UsageError, match="found none"):
        verdicts(Games.assemble({"white": [], "black": [], "score": []}, []))
    forfeits = tournament(people([2490.0] * 10), points(9, 0), status=["forfeit"] * 45)
    with pytest.raises(UsageError, match="found none"):
        verdicts(forfeits)
    nobody = verdicts(tournament(people([None] * 10), points(5, 4)), [0])
    assert not any(v.passed for v in nobody)
    assert "average rating" in names(nobody[0])


def test_beyond_category_16_the_rule_goes_on():
    found = verdicts(tournament(people([2760.0] * 10), points(9, 0)), [0], ["GM"])[0]
    assert found.passed
    assert found.points_needed == 3  # 30 % of 9
    assert any("category 16" in note for note in found.notes)


@pytest.mark.parametrize("rules", ["1986", "1957"])
@pytest.mark.parametrize(
    "ratings", [[2600.0, 2600.0], [None, 2600.0], [1.0, 4000.0], [float("nan"), 2500.0], [2500.0] * 3]
)
def test_odd_events_have_an_answer(rules, ratings):
    """A match, a newcomer, ratings worlds apart, names twice: verdicts, and no norm in a match."""
    from arpad.event.norms import fide1957 as titles_1957
    from arpad.event.norms import fide1986 as titles_1986

    field = [Player(name="Twin", rating=r) for r in ratings]
    pairs = [(i, j) for i in range(len(field)) for j in range(i + 1, len(field))] * 12
    games = Games.assemble(
        {"white": [i for i, _ in pairs], "black": [j for _, j in pairs], "score": [0.5] * len(pairs)},
        field,
    )  # fmt: skip
    found = (titles_1986 if rules == "1986" else titles_1957).verdicts(games)
    assert len(found) == 2 * len(field)
    assert not any(v.passed for v in found if rules == "1957" or len(field) == 2)
    assert all(v.summary() for v in found)
