from __future__ import annotations

import datetime as dt
import math

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arpad.errors import UsageError
from arpad.model import Games, Player, Ratings
from arpad.rate import Elo, k_policy
from arpad.rate.elo_book.rules import performance_rating
from arpad.rate.elo_book.system import EloBook
from arpad.rate.k import k_by_precision, sigma_p
from arpad.rate.registry import system
from arpad.scale import Logistic, Table

PLAIN = {"exceptional": "none", "feedback": "none"}


def event(rows, people, **columns) -> Games:
    white, black, score = zip(*rows, strict=True)
    return Games.assemble({"white": white, "black": black, "score": score} | columns, people)


def rated(*ratings: float | None) -> list[Player]:
    return [Player(name=f"P{i}", rating=None if r is None else float(r)) for i, r in enumerate(ratings)]


def after(games: Games, before: Ratings | None = None, **options) -> dict[str, float | None]:
    rows = EloBook(**options).rate(games, before).rows
    return dict(rows.select("player", "rating").iter_rows())


def earlier(**players: tuple[float, int]) -> Ratings:
    rows = pl.DataFrame(
        {
            "player": list(players),
            "id": [None] * len(players),
            "rating": [r for r, _ in players.values()],
            "total_games": [n for _, n in players.values()],
        },
        schema={"player": pl.String, "id": pl.String, "rating": pl.Float64, "total_games": pl.Int64},
    )
    return Ratings(system="x", rows=rows, parameters={})


NINE = [(0, i, s) for i, s in enumerate([1, 1, 1, 1, 1, 1, 1, 0.5, 0], start=1)]  # 7½ of 9


def test_groups_are_rated_in_order_each_from_the_one_before():
    # P0 is new, P1 has ten games, P2 and P3 are established; all meet all.
    rows = [(0, 1, 1.0), (0, 2, 0.5), (0, 3, 0.5), (1, 2, 0.0), (1, 3, 1.0), (2, 3, 0.5)]
    games = event(rows, rated(None, None, None, None))
    before = earlier(P1=(1700.0, 10), P2=(1900.0, 50), P3=(1600.0, 50))
    book = EloBook(k=k_policy(20), curve=Logistic(), least_games=1, small_samples=False, **PLAIN)
    lines = {line.player: line for line in book.lines(games, before)}
    P = Logistic().expected
    assert [lines[p].group for p in range(4)] == ["unrated", "provisional", "established", "established"]
    new = (1700 + 1900 + 1600) / 3 + Logistic().difference(2 / 3)  # old ratings of the others
    assert lines[0].after == pytest.approx(new)
    R_p = (new + 1900 + 1600) / 3 + Logistic().difference(1 / 3)  # the newcomer's new one
    second = (10 * 1700 + 3 * R_p) / 13
    assert lines[1].after == pytest.approx(second)
    W_e = P(1900 - new) + P(1900 - second) + P(1900 - 1600)  # both new, the equal's old
    assert lines[2].expected == pytest.approx(W_e)
    assert lines[2].after == pytest.approx(1900 + 20 * (2 - W_e))


@given(
    scores=st.lists(st.sampled_from([0.0, 0.5, 1.0]), min_size=2, max_size=12).filter(
        lambda s: 0 < sum(s) < len(s)
    )
)
def test_new_players_do_not_move_their_opponents_as_a_group(scores):
    """3.71: what opponents win from a newcomer and what they lose to him comes to nothing."""
    rows = [(0, i, s) for i, s in enumerate(scores, start=1)]
    games = event(rows, rated(None, *([1800.0] * len(scores))))
    found = after(games, curve=Logistic(), small_samples=False, k=k_policy(20), **PLAIN)
    total = sum(found[f"P{i}"] - 1800 for i in range(1, len(scores) + 1))
    assert total == pytest.approx(0, abs=1e-6)


def test_without_new_players_and_devices_it_is_elo_by_events():
    rng = np.random.default_rng(3)
    rows = [(int(a), int(b), float(rng.integers(3)) / 2) for a, b in rng.integers(0, 8, (60, 2)) if a != b]
    games = event(rows, rated(*range(1500, 2300, 100)), event=[i // 10 for i in range(len(rows))])
    plain = Elo(curve=Table(), k=k_policy(10), period="event").rate(games).rows
    book = after(games, k=k_policy(10), **PLAIN)
    assert book == pytest.approx(dict(plain.select("player", "rating").iter_rows()))


def test_exceptional_performers_get_a_bonus_up_to_one_sigma():
    games = event(NINE, rated(*([1800] * 10)))
    line = next(line for line in EloBook(feedback="none").lines(games) if line.player == 0)
    R_p = performance_rating(7.5, [1800.0] * 9)
    assert (line.z, line.exceptional, line.k) == (2.0, True, 15)
    assert line.after == pytest.approx(R_p - sigma_p(9))
    assert line.bonus == pytest.approx(line.after - (1800 + 15 * 3))
    assert after(games, exceptional="none")["P0"] == pytest.approx(1845)
    assert after(games, level=0.01)["P0"] == pytest.approx(1845)
    raised = next(line for line in EloBook(exceptional="k").lines(games) if line.player == 0)
    assert raised.k == pytest.approx((R_p - sigma_p(9) - 1800) / 3)
    assert raised.after == pytest.approx(line.after)
    wider = next(line for line in EloBook(tolerance=1.5).lines(games) if line.player == 0)
    assert wider.after == pytest.approx(R_p - 1.5 * sigma_p(9))


def test_short_events_are_not_tested():
    four = event(NINE[:4], rated(*([1800] * 5)))
    assert all(line.z is None for line in EloBook().lines(four))
    assert any(line.exceptional for line in EloBook(test_games=4).lines(four))


def test_feedback_by_a_second_cycle():
    games = event(NINE, rated(*([1800] * 10)))
    lines = {line.player: line for line in EloBook().lines(games)}
    top = lines[0].after
    P = float(Table().expected(1800 - top))
    assert lines[1].after == pytest.approx(1800 + 15 * (0 - P))
    assert lines[1].feedback == pytest.approx(15 * (0.5 - P))
    assert lines[0].feedback == 0


def test_feedback_by_percentages():
    games = event(NINE, rated(*([1800] * 10)))
    rows = EloBook(feedback="points").rate(games).rows
    assert rows.filter(pl.col("player") != "P0")["feedback"].to_list() == pytest.approx([15 * 3 / 9] * 9)


def test_nobody_loses_by_feedback():
    games = event(NINE, rated(1500, *range(1600, 2500, 100)))
    lines = list(EloBook().lines(games))
    assert any(line.feedback > 0 for line in lines)
    assert all(line.feedback >= 0 for line in lines)


def test_a_match_is_measured_from_its_middle():
    # (9): R_a + D_p/2, not R_c + D_p
    games = event([(0, 1, 1.0)] * 9, rated(1800, 2000))
    line = next(line for line in EloBook(small_samples=False).lines(games) if line.player == 0)
    assert line.performance == pytest.approx(1900 + 800 / 2)


def test_long_events_go_in_parts():
    games = event([(0, 1, 1.0)] * 60, rated(1800, 1800), event=[0] * 60)
    whole = after(games, split=False, k=k_policy(32), **PLAIN)["P0"]
    parts = after(games, split=True, k=k_policy(32), **PLAIN)["P0"]
    assert whole == 1800 + 32 * 60 * 0.5  # absurd: far beyond any performance
    R = 1800.0
    for size in (20, 20, 20):  # 4C/K = 25 games is what the old rating keeps
        R += 32 * size * (1 - float(Table().expected(R - 1800)))
    assert parts == pytest.approx(R)


def test_k_by_sample():
    games = event(NINE, rated(*([1800] * 10)))
    assert after(games, k="by-sample", **PLAIN)["P0"] == pytest.approx(1800 + k_by_precision(9) * 3)


def test_median_entry():
    games = event([(0, i, 1.0) for i in (1, 2, 3, 4)], rated(None, 1900, 1900, 1900, 1900))
    before = earlier(X=(1500.0, 40), Y=(1500.0, 40), Z=(1510.0, 40), W=(1490.0, 40), V=(1505.0, 40))
    lines = {line.player: line for line in EloBook(entry="median", **PLAIN).lines(games, before)}
    level = float(np.median([1900] * 4 + [1500, 1500, 1510, 1490, 1505]))
    assert lines[0].before == level == 1510
    assert lines[0].k == 25  # the largest of fide-1986
    expected = 4 * float(Table().expected(level - 1900))
    assert lines[0].after == pytest.approx(level + 25 * (4 - expected))
    # the others see the newcomer's new rating
    seen = float(Table().expected(1900 - lines[0].after))
    assert lines[1].expected == pytest.approx(seen)


def test_fide_entry():
    people = rated(None, None, 2200, 2300, 2400, 2300)
    rows = [(p, q, s) for p, s in ((0, 1.0), (1, 0.0)) for q in (2, 3, 4, 5)]
    rows[-1] = (1, 5, 0.5)
    found = EloBook(entry="fide", small_samples=False, least_games=1, **PLAIN)
    lines = {line.player: line for line in found.lines(event(rows, people))}
    low = 2300 - float(Table().difference(0.875))  # one size for both players [2.13]
    assert lines[1].after == pytest.approx(low)
    assert lines[0].after == pytest.approx((2200 + 2300 + 2400 + 2300 + 2300 + 800 + low) / 6)


def test_few_games_are_kept_until_there_are_enough():
    people = rated(None, 1800, 1800, 1900, 1900)
    rows = [(0, 1, 1.0), (0, 2, 0.0), (0, 3, 1.0), (0, 4, 0.0)]
    first = event(rows[:2], people)
    row = EloBook().rate(first).rows.filter(pl.col("player") == "P0").row(0, named=True)
    assert (row["rating"], row["status"], row["games"]) == (None, "unrated", 2)
    both = event(rows, people, event=[0, 0, 1, 1])
    row = EloBook().rate(both).rows.filter(pl.col("player") == "P0").row(0, named=True)
    assert (row["rating"], row["status"]) == (pytest.approx(1850), "provisional")
    assert row["error"] == pytest.approx(sigma_p(4))


def test_provisional_becomes_established_after_thirty_games():
    rows = [(0, i % 6 + 1, 0.5) for i in range(42)]
    games = event(rows, rated(None, *([1800] * 6)), event=[i // 6 for i in range(42)])
    kinds = [line.group for line in EloBook().lines(games) if line.player == 0]
    assert kinds == ["unrated"] + ["provisional"] * 4 + ["established"] * 2
    row = EloBook().rate(games).rows.filter(pl.col("player") == "P0").row(0, named=True)
    assert (row["status"], row["total_games"]) == ("established", 42)
    assert row["error"] > 0


def test_juniors_and_novices_can_be_rated_before_the_others():
    people = [
        Player(name="Kid", rating=1700.0, birth="2012"),
        Player(name="Old", rating=1700.0, birth="1950"),
    ]
    games = event([(0, 1, 1.0)] * 3, people, date=[dt.date(2025, 5, 1)] * 3, event=[0] * 3)
    plain = after(games, **PLAIN)
    first = after(games, junior_age=18, **PLAIN)
    assert first["Kid"] == plain["Kid"]
    assert first["Old"] > plain["Old"]  # the kid's new rating explains part of the losses
    assert after(games, junior_age=13, **PLAIN) == plain
    novices = event([(0, 1, 1.0)] * 3, rated(1100, 1300))
    assert after(novices, novice_below=1200, **PLAIN)["P1"] > after(novices, **PLAIN)["P1"]


def test_games_without_an_event():
    days = [dt.date(2025, 1, 1), dt.date(2025, 1, 1), dt.date(2025, 1, 8)]
    games = event([(0, 1, 1.0)] * 3, rated(1800, 1800), date=days)
    assert {line.event for line in EloBook().lines(games)} == {0, 1}
    assert {line.event for line in EloBook(without_event="one").lines(games)} == {0}
    undated = event([(0, 1, 1.0)] * 3, rated(1800, 1800))
    assert {line.event for line in EloBook().lines(undated)} == {0}


def test_two_halves_with_the_list_between_are_the_whole():
    rng = np.random.default_rng(5)
    rows = [(int(a), int(b), float(rng.integers(3)) / 2) for a, b in rng.integers(0, 9, (90, 2)) if a != b]
    number = [i // 15 for i in range(len(rows))]
    people = rated(*range(1400, 2300, 100))
    half = next(i for i, n in enumerate(number) if n == 3)
    whole = after(event(rows, people, event=number))
    first = EloBook().rate(event(rows[:half], people, event=number[:half]))
    second = after(event(rows[half:], people, event=number[half:]), first)
    assert second == pytest.approx(whole)


def world(seed: int, growth: float) -> tuple[Games, np.ndarray, np.ndarray]:
    """Forty adults who stay as they are, twenty juniors who improve by `growth` points an event."""
    rng = np.random.default_rng(seed)
    adults, juniors, rounds, events = 40, 20, 8, 16
    true = np.concatenate([rng.normal(1800, 150, adults), rng.normal(1500, 150, juniors)])
    given_ratings = true.copy()
    rows, number = [], []
    for e in range(events):
        for _ in range(rounds):
            order = rng.permutation(adults + juniors)
            for a, b in order.reshape(-1, 2):
                won = rng.random() < Logistic().expected(true[a] - true[b])
                rows.append((int(a), int(b), float(won)))
                number.append(e)
        true[adults:] += growth
    games = event(rows, rated(*given_ratings), event=number)
    return games, true, np.arange(adults + juniors) < adults


def test_the_devices_work_against_deflation():
    """3.6: improving players take points from those who do not change; the procedure gives some back."""
    lost = {}
    for name, options in {"without": PLAIN, "with": {}}.items():
        totals = []
        for seed in range(3):
            games, true, adult = world(seed, growth=25.0)
            found = after(games, curve=Logistic(), k=k_policy(16), **options)
            error = np.array([found[f"P{i}"] for i in range(len(true))]) - true
            totals.append(error[adult].mean())
        lost[name] = float(np.mean(totals))
    assert lost["without"] < -15
    assert lost["with"] > lost["without"] + 10


def test_the_devices_inflate_a_pool_that_does_not_change():
    """The cost, as the docs tell it: chance alone makes performances exceptional."""
    drift = {}
    for level in (0.05, 0.01):
        games, true, _ = world(1, growth=0.0)
        found = after(games, curve=Logistic(), k=k_policy(16), level=level)
        drift[level] = float(np.mean([found[f"P{i}"] for i in range(len(true))]) - true.mean())
    assert drift[0.05] > drift[0.01] > 0


def test_unrated_pools_find_their_order():
    games, true, _ = world(4, growth=0.0)
    nobody = Games(games.table, games.players.with_columns(pl.lit(None, dtype=pl.Float64).alias("rating")))
    found = after(nobody, start=1700.0)
    mine = np.array([found[f"P{i}"] for i in range(len(true))])
    assert np.corrcoef(mine, true)[0, 1] > 0.93
    assert abs(mine.mean() - 1700) < 60


def test_wild_ratings_and_odd_pools_have_an_answer():
    wild = event(NINE, rated(100, *range(0, 9000, 1000)))
    assert all(math.isfinite(r) for r in after(wild).values())
    drawn = event([(0, 1, 0.5)], rated(None, None))
    assert after(drawn, least_games=1) == {"P0": 1500.0, "P1": 1500.0}


@pytest.mark.parametrize(
    "wrong",
    [
        {"entry": "mean"}, {"exceptional": "prize"}, {"feedback": "all"}, {"without_event": "week"}, {"level": 0.6},
        {"tolerance": -1.0}, {"start": math.nan}, {"least_games": 0}, {"least_games": 31}, {"k": "quick"},
        {"curve": "ratio"},
    ],
)  # fmt: skip
def test_bad_options(wrong):
    with pytest.raises(UsageError):
        system("elo-book", **wrong)


def test_every_parameter_is_told():
    told = system("elo-book", k=10, entry="median").parameters()
    assert (told["k"], told["entry"], told["curve"], told["level"]) == ("10", "median", "table", 0.05)


@pytest.mark.data
def test_a_month_of_twic(data):
    frame = pl.read_parquet(data / "twic_results" / "results_2010_2016_fideid.parquet").filter(
        pl.col("date").is_between(dt.date(2012, 3, 1), dt.date(2012, 3, 31)), ~pl.col("fast_or_online")
    )
    from arpad.read import from_frame

    rows = EloBook().rate(from_frame(frame)).rows
    assert set(rows["status"]) == {"unrated", "provisional", "established"}
    assert (
        rows.filter(pl.col("status") == "unrated")["rating"].null_count()
        == (rows["status"] == "unrated").sum()
    )
    tested = rows.filter(pl.col("exceptional") > 0)
    assert tested.height > 10
    assert (rows["feedback"] >= 0).all()
