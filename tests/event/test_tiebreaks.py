"""FIDE's tie-breaks against published figures, and the rules that the figures do not reach."""

from __future__ import annotations

from datetime import date

import pytest

from arpad.errors import UsageError
from arpad.event.field import joined_parts
from arpad.event.report import compare_ranks, explain_ranks, report
from arpad.event.tiebreaks import ranking, tie_break_code, tie_break_order, tie_break_rules, tie_break_values
from arpad.event.unplayed_rounds import (
    PlayedField,
    RoundEntrant,
    RoundScore,
    contributions,
    cut,
    direct_encounter,
)
from arpad.model import Event, Games, Player
from arpad.read import read
from tests.event.held import (
    FORE,
    FORE_EARLIER,
    KOYA,
    LAPEYRE,
    MANY_UNPLAYED,
    ROUND_ROBIN,
    SWISS,
    SWISS_NINE,
    TWO_BYES,
    absences,
    held_trf,
)

EVENTS = {"swiss-5": (SWISS, 5), "swiss-9": (SWISS_NINE, 9), "round-robin": (ROUND_ROBIN, 5)}


@pytest.fixture
def held(write):
    """Return one of Held's events as games with the ratings by row."""

    def _held(event: str):
        table, rounds = EVENTS[event]
        games = read(write(held_trf(table, start="2024-08-01", rounds=rounds))).games
        return games, dict(enumerate(games.players["rating"].to_list()))

    return _held


def number(games, row: int) -> int:
    return int(games.players["name"][row].split()[1])


def test_held_exercises(held, golden):
    """Every printed value of the exercises on players, by the rules of 2024 and as changed in 2026."""
    rows = golden("held_tie_breaks.csv")
    assert len(rows) > 300
    for event in ("swiss-5", "round-robin"):
        games, ratings = held(event)
        for rules in ("2024-08", "2026-03"):
            wanted = [r for r in rows if (r["event"], r["rules"]) == (event, rules)]
            if not wanted:
                continue
            codes = ",".join(dict.fromkeys(r["code"] for r in wanted))
            found = ranking(games, tie_breaks=codes, rules=rules, ratings=ratings)
            values = {number(games, p): own for p, own in found.values.items()}
            for row in wanted:
                value = values[int(row["player"])][row["code"]]
                assert value == (float(row["value"]) if row["value"] else None), row


def test_held_direct_encounters(held, golden):
    for event in EVENTS:
        games, _ = held(event)
        found = ranking(games, tie_breaks="PTS,DE")
        ranks = {number(games, p): rank for p, rank in found.ranks.items()}
        for row in golden("held_direct_encounter.csv"):
            if row["event"] == event:
                assert ranks[int(row["player"])] == int(row["rank"]), row


@pytest.mark.parametrize(("start", "rules"), [("2026/02/28", "2024-08"), ("2026/03/01", "2026-03")])
def test_a_swiss_with_many_unplayed_rounds(write, golden, start, rules):
    """The figures of the technical commission's tie-break server, the rules chosen by the first day."""
    games = read(write(held_trf(MANY_UNPLAYED, start=start, rounds=7, head="092 Swiss"))).games
    rows = [r for r in golden("unplayed_rounds_swiss.csv") if r["rules"] == rules]
    codes = [c for c in rows[0] if c not in ("rules", "player")]
    found = ranking(games, tie_breaks=codes)
    assert found.rules == rules
    for p, own in found.values.items():
        row = rows[number(games, p) - 1]
        assert {c: own[c] for c in codes} == {c: float(row[c]) for c in codes}, row["player"]


@pytest.mark.parametrize(("table", "rounds", "start", "code", "wanted"), [
    # The games of the last round as draws, forfeits too, which are no absences then [8.3, 16.5.1].
    (FORE, 3, "2026-03-01", "FB", {3: 3.5, 4: 6.5}),
    (FORE, 3, "2026-03-01", "FB/C1", {4: 5.0}),
    # The cut takes a bye's dummy, the median the highest of all [16.5]; from March 2026 it has 2.5 at most.
    (TWO_BYES, 5, "2026-03-01", "BH,BH/C1,BH/M1", {1: (8.0, 5.5, 3.0)}),
    (TWO_BYES, 5, "2026-02-28", "BH,BH/C1,BH/M1", {1: (10.0, 6.5, 3.0)}),
    (LAPEYRE, 5, "2026-04-26", "PS", dict(zip(range(1, 15), (11, 12.5, 9.5, 9.5, 12.5, 10.5, 8, 3, 4.5, 5.5, 8.5, 1.5, 2.5, 6), strict=True))),
    (LAPEYRE, 5, "2026-04-26", "BH", dict(zip(range(1, 15), (14.5, 15, 14, 14.5, 13.5, 13.5, 13.5, 10.5, 11.5, 11, 13, 10, 9, 11), strict=True))),
    (LAPEYRE, 5, "2026-04-26", "BH-C1", {9: 10.0, 12: 9.5}),
    # The higher of the lowest absence and the least significant value is cut, and so on [16.5.1, 16.5.2].
    (absences("-"), 4, "2026-03-01", "SB,SB/C1,SB/C2", {2: (3.0, 2.5, 1.0)}),
    (absences("0"), 4, "2026-03-01", "SB,SB/C1,SB/C2", {2: (3.0, 2.0, 1.5)}),
    (absences("-"), 4, "2026-02-28", "SB,SB/C1,SB/C2", {2: (3.25, 2.75, 1.25)}),
])  # fmt: skip
def test_figures_of_other_programs(write, table, rounds, start, code, wanted):
    """Expected values in the tests of Sharly Chess and of the technical commission's tie-break server."""
    games = read(write(held_trf(table, start=start, rounds=rounds, head="092 Swiss"))).games
    found = ranking(games, tie_breaks=code)
    values = {number(games, p): tuple(own.values())[1:] for p, own in found.values.items()}
    for player, value in wanted.items():
        assert values[player] == (value if isinstance(value, tuple) else (value,)), player


def test_koya_where_opponents_have_just_half_of_the_points(write):
    """An event of 2026 in the tests of Sharly Chess: 3½ of 7 is enough, 3 is not [9.2]."""
    games = read(write(held_trf(KOYA, start="2026-04-04", rounds=7, head="092 Round Robin"))).games
    found = ranking(games, tie_breaks="KS")
    values = {number(games, p): own["KS"] for p, own in found.values.items()}
    assert values == {1: 0.5, 2: 2.0, 3: 0.0, 4: 2.0, 5: 1.5, 6: 0.5, 7: 2.0, 8: 0.0}


def test_fore_buchholz_counts_forfeits_of_a_round_robin(write):
    """With pre-determined pairings a forfeit is a game, as `/P` makes it in a Swiss [15.2]."""

    def of_four(head: str, code: str) -> float | None:
        games = read(write(held_trf(FORE_EARLIER, start="2026-03-01", rounds=3, head=head))).games
        return tuple(ranking(games, tie_breaks=code).values[3].values())[1]

    assert of_four("092 Individual: Round-Robin", "FB") == of_four("092 Swiss", "FB/P")
    assert of_four("092 Swiss", "FB") != of_four("092 Swiss", "FB/P")


def test_a_dummy_between_rounds_may_have_half_of_all_rounds(write):
    """After 5 of 9 rounds the limit of 16.4.2 is 4½, the draws of the tournament: Held's 15.0 of player 4 stands."""
    games = read(write(held_trf(SWISS, start="2026-03-01", rounds=9))).games
    for event, value in (
        (games, 15.0),
        (read(write(held_trf(SWISS, start="2026-03-01", rounds=5))).games, 14.0),
    ):
        found = ranking(event, tie_breaks="BH", after=5)
        assert {number(event, p): own["BH"] for p, own in found.values.items()}[4] == value


WITHDRAWN = """\
1 2400 4.5  U 2w1 3b1 4w= U
2 2300 3.0  5w1 1b0 U 3w1 4b0
3 2200 2.5  4w= U 1w0 2b0 U
4 2100 4.0  3b= U U 1b= 2w1
5 2000 0.0  2b0 Z Z Z Z
"""


@pytest.mark.parametrize(("code", "values"), [
    ("BH", [9.5, 11.0, 11.5, 10.0, 3.0]),
    ("BH-C1", [7.0, 11.0, 8.5, 7.5, 0.0]),
    ("BH-C2", [4.0, 8.5, 4.5, 4.5, 0.0]),
    ("BH-M1", [3.0, 6.5, 4.0, 3.0, 0.0]),
    ("SB-C2", [2.0, 0.0, 0.0, 2.25, 0.0]),
    ("SB-M1", [3.0, 2.5, 2.0, 3.0, 0.0]),
    ("BH-C5", [0.0] * 5),
])  # fmt: skip
def test_a_withdrawal_from_a_round_robin(write, code, values):
    """Unplayed rounds of a round robin have no dummy, and a cut may leave nothing."""
    head = "092 Individual: Round-Robin"
    games = read(write(held_trf(WITHDRAWN, start="2026-03-01", rounds=5, head=head))).games
    found = ranking(games, tie_breaks=code)
    assert [found.values[p][code] for p in range(5)] == values


@pytest.mark.parametrize(("text", "code"), [
    ("bh/c1", "BH-C1"), ("BH#M2", "BH-M2"), ("GE", "REP"), ("KS/L60", "KS-L60"), ("DE-P", "DE-P"),
    ("ARO/C1/U1400", "ARO-C1-U1400"), ("AOB-F", "AOB-F"), ("RTG", "RTNG"), ("tpn/r", "TPN-R"), ("KS/L-2", "KS-L-2"),
    ("KS-L+1", "KS-L+1"), ("std", "STD"),
])  # fmt: skip
def test_codes_as_files_write_them(text, code):
    assert tie_break_code(text).text == code


def test_the_limit_of_koya_goes_both_ways():
    assert [tie_break_code(t).limit_points for t in ("KS/L-2", "KS/L+1", "KS/L+1.0")] == [-1.0, 0.5, 1.0]
    assert tie_break_code("KS/L40").limit == 40


@pytest.mark.parametrize("name", ["EDE", "EDEC", "EDET", "EDEB", "EDEBT", "EDEBB"])
def test_extended_direct_encounters_may_count_forfeits(name):
    assert tie_break_code(f"{name}/P", teams=True).forfeits_played


@pytest.mark.parametrize("text", ["XX", "BH-C", "WIN-C1", "BH-L60", "BH:MP", "MPTS", "KS/L", "TPN/R1"])
def test_codes_that_are_none(text):
    with pytest.raises(UsageError):
        tie_break_code(text)


def test_points_go_first_unless_the_list_places_them():
    assert [c.text for c in tie_break_order("BH, SB")] == ["PTS", "BH", "SB"]
    assert [c.text for c in tie_break_order("BH SB", complete=True)] == ["BH", "SB"]


@pytest.mark.parametrize(
    ("day", "rules"),
    [("2026-03-01", "2026-03"), ("2026-02-28", "2024-08"), ("2005-07-28", "2005"), ("2012-01-01", "2009")],
)
def test_rules_by_the_day(day, rules):
    assert tie_break_rules(date.fromisoformat(day)) == rules


@pytest.mark.parametrize(("record", "order", "ranks"), [
    ("202 BH", ["PTS", "BH"], [1, 1, 3, 3]),
    ("202 BH,SB", ["PTS", "BH", "SB"], [1, 1, 3, 3]),
    ("212 PTS  BH", ["PTS", "BH"], [1, 1, 3, 3]),
    ("212 BH", ["BH"], [3, 3, 1, 1]),
])  # fmt: skip
def test_the_file_says_the_order(write, record, order, ranks):
    """Record 202 follows the points, record 212 is the whole order [TRF26]; Buchholz reverses this table."""
    table = "1 2400 2 4w1 3b1\n2 2300 2 3w1 4w1\n3 2200 0 2b0 1w0\n4 2100 0 1b0 2b0\n"
    text = held_trf(table, start="2026-03-01", rounds=2, head=f"092 Swiss\n{record}")
    found = ranking(read(write(text)).games)
    assert list(found.codes) == order
    assert found.source == "file"
    assert [found.ranks[p] for p in range(4)] == ranks


def test_record_212_goes_before_202(write):
    table = "1 2400 1 2w1\n2 2300 0 1b0\n"
    for head in ("202 BH\n212 PTS SB", "212 PTS SB\n202 BH"):
        games = read(write(held_trf(table, start="2026-03-01", rounds=1, head=head))).games
        assert games.events[0].tie_breaks == ("PTS", "SB")


def test_football_points_decide(write):
    """With 3, 1, 0 a win and a loss are more than two draws [TRF26 162]."""
    table = "1 2400 0 2w1 3b0\n2 2300 0 1b0 4w=\n3 2200 0 4b= 1w1\n4 2100 0 3w= 2b=\n"
    head = "092 Swiss\n162  W 3.0    D 1.0    L 0.0    A 0.0    P 3.0"
    games = read(write(held_trf(table, start="2026-03-01", rounds=2, head=head))).games
    found = ranking(games, tie_breaks="SB")
    assert [found.values[p]["PTS"] for p in range(4)] == [3.0, 1.0, 4.0, 2.0]
    assert [found.ranks[p] for p in range(4)] == [2, 4, 1, 3]


def test_an_allocated_bye_counts_what_the_event_gives(write):
    table = "1 2400 0 2w1 3w1\n2 2300 0 1b0 U\n3 2200 0 U 1b0\n"
    head = "092 Swiss\nXXR 2\nBBU  0.5"
    games = read(write(held_trf(table, start="2026-03-01", rounds=2, head=head))).games
    found = ranking(games)
    assert [found.values[p]["PTS"] for p in range(3)] == [2.0, 0.5, 0.5]


def test_after_a_round(held, write):
    games = read(write(held_trf(SWISS, start="2024-08-01", rounds=9))).games
    five, _ = held("swiss-5")
    assert ranking(games, tie_breaks="BH", after=5).values == ranking(five, tie_breaks="BH").values


@pytest.mark.data
def test_the_official_places_of_the_large_open(data):
    """284 players of 2005: points, Buchholz and Sonneborn-Berger give all places but one."""
    games = read(data / "trf" / "sklangen__example1.trf").games
    found = explain_ranks(games)
    assert found is not None
    assert (found.order, found.rules) == (("PTS", "BH", "SB"), "2005")
    assert (found.players, found.agreeing) == (276, 273)
    (place,) = found.contradictions
    assert (place.official, place.tie_break, place.value, place.value_in_front) == (219, "SB", 7.25, 6.5)  # fmt: skip
    assert place.unplayed


RAPID = """\
[Event "Women's World Rapid Championship 2024"]
[Site "{site}"]
[Date "2024.12.26"]
[Round "{round}.{board}"]
[White "{white[name]}"]
[Black "{black[name]}"]
[WhiteElo "{white[rating]}"]
[BlackElo "{black[rating]}"]
[WhiteFideId "{white[id]}"]
[BlackFideId "{black[id]}"]
[Result "{result}"]

"""


@pytest.fixture
def rapid(golden, write):
    """The 605 games of the Women's World Rapid Championship 2024, and the official table by name."""
    players = {row["rank"]: row for row in golden("womens_world_rapid_2024.csv")}
    results = {"1": "1-0", "0": "0-1", "0.5": "1/2-1/2"}
    board: dict[str, int] = {}
    text = ""
    for game in golden("womens_world_rapid_2024_games.csv"):
        at = board[game["round"]] = board.get(game["round"], 0) + 1
        # Two halls: the boards of each are counted from one.
        site, number = ("New York", at) if at <= 27 else ("48 Wall Street", at - 27)
        text += RAPID.format(
            site=site,
            round=game["round"],
            board=number,
            white=players[game["white"]],
            black=players[game["black"]],
            result=results[game["score"]],
        )
    return read(write(text, "rapid.pgn")).games, {row["name"]: row for row in players.values()}


def test_the_official_table_of_a_world_championship(rapid):
    """All 110 places and tie-breaks; the file has the event under two sites."""
    games, official = rapid
    assert len(games.events) == 2
    made = report(games, tie_breaks="BH-C1,BH,ARO-C1", judged=False)
    assert (made.ranking.rules, made.kind, made.players.height) == ("2024-08", "Swiss", 110)
    for row in made.standings():
        wanted = official[row["name"]]
        assert row["rank"] == int(wanted["rank"]), row["name"]
        assert row["tie_breaks"] == {c: float(wanted[c]) for c in ("PTS", "BH-C1", "BH", "ARO-C1")}
    made = report(games, tie_breaks="SB,AOB", judged=False)
    for row in made.standings():
        wanted = official[row["name"]]
        assert row["tie_breaks"]["SB"] == float(wanted["SB"])
        assert row["tie_breaks"]["AOB"] == pytest.approx(float(wanted["AOB"]), abs=0.0006)


@pytest.mark.parametrize(("other", "days"), [("Another", 0), ("Same", 40)])
def test_parts_of_other_events_stay_apart(write, other, days):
    """Another name, or another month: two events; so is a match that goes over the same rounds again."""
    text = ""
    for name, site, day, rounds in (("Same", "One", 1, "1"), (other, "Two", 1 + days, "2")):
        date = f"2024.{1 + day // 31:02d}.{1 + day % 31:02d}"
        text += f'[Event "{name}"]\n[Site "{site}"]\n[Date "{date}"]\n[Round "{rounds}"]\n'
        text += '[White "A"]\n[Black "B"]\n[Result "1-0"]\n\n'
    assert len(joined_parts(read(write(text, "two.pgn")).games).events) == 2


def test_official_places_that_differ(write):
    """The file has the loser first: the tie-break that says otherwise is named."""
    table = "1 2400 1 2w1\n2 2300 0 1b0\n3 2200 .5 4w=\n4 2100 .5 3b=\n"
    text = held_trf(table, start="2026-03-01", rounds=1, head="092 Swiss")
    lines = text.splitlines()
    for at, rank in enumerate((2, 1, 3, 4)):
        row = len(lines) - 4 + at
        lines[row] = lines[row][:85] + f"{rank:4d}" + lines[row][89:]
    games = read(write("\n".join(lines))).games
    found = compare_ranks(games, ranking(games))
    assert found is not None
    assert not found.explained
    assert [(p.name, p.tie_break, p.behind) for p in found.contradictions] == [
        ("Player 1", "PTS", "Player 2")
    ]


def test_a_file_without_places_is_not_compared(held):
    games, _ = held("swiss-5")
    assert compare_ranks(games, ranking(games)) is None


LAXMAN = ((5.0, 1), (5.0, 1), (6.5, 0), None, (4.5, 1), (6.0, 0.5), (5.0, 1), (6.5, 0.5), (5.5, 1), (6.0, 1))
"""Opponents' points and results, round 4 not played: an example of FIDE's Arbiters' Manual 2026, pages 258 to 261."""


@pytest.mark.parametrize(
    ("rules", "code", "value"),
    [("2024-08", "BH", 57), ("2024-08", "BH-C1", 50), ("2024-08", "SB", 37.25),
     ("2026-03", "BH", 55), ("2026-03", "BH-C1", 50), ("2026-03", "SB", 37.25)],
)  # fmt: skip
def test_the_worked_example_of_the_arbiters_manual(rules, code, value):
    rounds = [
        RoundScore(at, None, "", 0.0, 0.0, False, True) if one is None
        else RoundScore(at, at, "w", one[1], one[1], True, False)
        for at, one in enumerate(LAXMAN, start=1)
    ]  # fmt: skip
    entrant = RoundEntrant(0, None, rounds)
    field = PlayedField(entrants={0: entrant}, rounds=10, planned=10, round_robin=False)
    adjusted = {at: one[0] for at, one in enumerate(LAXMAN, start=1) if one is not None}
    parsed = tie_break_code(code)
    parts = contributions(entrant, field, adjusted, parsed, rules, weighted=parsed.name == "SB")
    assert sum(c.value for c in cut(parts, parsed.cut_low, parsed.cut_high, 10)) == value


@pytest.mark.parametrize(
    ("opponent", "others", "old", "new"),
    # Own points, rounds, the sum of the other rounds, and the points of who did not come (None: a bye).
    [((7.0, 9, 5.5), 44.0, 51.0, 49.5), ((9.5, 10, 4.5), 64.5, 74.0, 69.0), ((6.5, 10, None), 58.0, 64.5, 63.0)],
)  # fmt: skip
def test_the_dummies_of_the_arbiters_manual(opponent, others, old, new):
    """Examples 1 and 4, a forfeit won, and the bye of example 3: the limits of 16.4.1 and 16.4.2."""
    points, rounds, theirs = opponent
    free = RoundScore(1, None if theirs is None else 1, "w", 0.0, 0.0, False, theirs is None)
    entrant = RoundEntrant(0, None, [free], points)
    field = PlayedField(entrants={0: entrant}, rounds=rounds, planned=rounds, round_robin=False)
    for rules, total in (("2024-08", old), ("2026-03", new)):
        adjusted = {} if theirs is None else {1: theirs}
        (dummy,) = contributions(entrant, field, adjusted, tie_break_code("BH"), rules)
        assert dummy.score + others == total


@pytest.mark.parametrize(
    ("games", "places"),
    [("A1B A1C B=C", "1 2 2"), ("A1B A1C B=C C=D", "1 1 1 1"), ("A1B A1C B=C B1D C1D", "1 2 2 4"),
     ("A1B A1C B1D C=B C=D", "1 2 3 4"), ("A=B", "1 1")],
)  # fmt: skip
def test_direct_encounters_of_some(games, places):
    """The cases that Sharly Chess tests for article 6: missing games, and who is left is compared again [6.3]."""
    share = {"1": 1.0, "=": 0.5}
    rounds: dict[str, list[RoundScore]] = {}
    for at, (white, result, black) in enumerate(games.split(), start=1):
        for own, other, points in ((white, black, share[result]), (black, white, 1 - share[result])):
            rounds.setdefault(own, []).append(RoundScore(at, ord(other), "w", points, points, True, False))
    entrants = {ord(name): RoundEntrant(ord(name), None, own) for name, own in rounds.items()}
    field = PlayedField(entrants=entrants, rounds=5, planned=5, round_robin=False)
    groups = direct_encounter(sorted(entrants), field)
    found = {p: 1 + sum(map(len, groups[:at])) for at, group in enumerate(groups) for p in group}
    assert [found[p] for p in sorted(found)] == [int(n) for n in places.split()]


FOOTBALL = """\
1 2400 0 2w1 3b+ 4w=
2 2300 0 1b0 4w= H
3 2200 0 4b= 1w- U
4 2100 0 3w= 2b= 1b=
"""


def test_standard_points_and_ratings(write):
    """Whatever a win counts: 1 for more points than the opponent, ½ for as many [7.7]; 2026 has RTNG and TPN."""
    head = "092 Swiss\n162  W 3.0    D 1.0    L 0.0    A 0.0    P 3.0"
    games = read(write(held_trf(FOOTBALL, start="2026-03-01", rounds=3, head=head))).games
    ratings = dict(enumerate(games.players["rating"].to_list()))
    found = ranking(games, tie_breaks="STD,RTNG/R,TPN/R", ratings=ratings)
    assert [found.values[p]["PTS"] for p in range(4)] == [7, 2, 4, 3]
    assert [found.values[p]["STD"] for p in range(4)] == [2.5, 1, 1.5, 1.5]
    assert [ranking(games, tie_breaks="RTNG", ratings=ratings).values[p]["RTNG"] for p in (0, 3)] == [
        2400,
        2100,
    ]
    level = ranking(games, tie_breaks=["PTS", "RTNG-R"], ratings=ratings)
    assert level.codes == ("PTS", "RTNG-R")


@pytest.mark.parametrize(
    ("rules", "won", "lost"), [("2024-08", (1, 3, 1), 4), ("2026-03", (1, 3, 1), 3), ("plain", (0, 2, 0), 3)]
)
def test_forfeits_in_a_round_robin_are_games(rules, won, lost):
    """WON, BPG and BWG of 6, who won by forfeit with Black; BPG of 5 had she lost so; since 2026 lost ones stay out [15.2]."""

    def values(table: str, number: int) -> tuple[float | None, ...]:
        entrants = {}
        for line in table.splitlines():
            n, _, _, *cells = line.split()
            points = [{"1": 1.0, "+": 1.0, "=": 0.5}.get(c[2], 0.0) for c in cells]
            own = [
                RoundScore(at, int(c[0]), c[1], p, p, c[2] in "10=", c[2] == "-")
                for at, (c, p) in enumerate(zip(cells, points, strict=True), start=1)
            ]
            entrants[int(n)] = RoundEntrant(int(n), None, own)
        field = PlayedField(entrants=entrants, rounds=5, planned=5, round_robin=True)
        found = tie_break_values(field, [tie_break_code(c) for c in ("WON", "BPG", "BWG")], rules)
        return tuple(found[number].values())

    assert values(ROUND_ROBIN, 6) == won
    assert values(ROUND_ROBIN.replace("6w-", "6b-").replace("5b+", "5w+"), 5)[1] == lost


def test_fore_buchholz_before_the_last_round(write):
    """The last round is paired: its games count as draws, for the opponents and for oneself [8.3]."""
    table = "1 2400 1 2w1 3w \n2 2300 0 1b0 4w \n3 2200 1 4w1 1b \n4 2100 0 3b0 2b \n"
    lines = held_trf(table.replace(" \n", "= \n"), start="2026-03-01", rounds=2, head="092 Swiss")
    games = read(write(lines.replace("w =", "w  ").replace("b =", "b  "))).games
    found = ranking(games, tie_breaks="FB,BH")
    assert [found.values[p]["PTS"] for p in range(4)] == [1, 0, 1, 0]
    assert [found.values[p]["BH"] for p in range(4)] == [0, 1, 0, 1]
    assert [found.values[p]["FB"] for p in range(4)] == [2, 2, 2, 2]


def test_an_unfinished_round_robin_is_known_by_its_rounds(write):
    """Two of three rounds of four players: a file that does not say what it is has everybody meet everybody.

    The win by forfeit of number 3 is a game then [15.2].
    """
    table = "1 2400 1 2w1 3b-\n2 2300 1 1b0 4w1\n3 2200 1 4w0 1w+\n4 2100 1 3b1 2b0\n"
    for rounds, head, won in (
        (3, "", 1),
        (6, "", 1),
        (3, "092 Swiss", 0),
        (5, "", 0),
        (5, "092 Berger", 1),
        (3, "192 FIDE_DUTCH_2025", 0),
    ):
        games = read(write(held_trf(table, start="2026-03-01", rounds=rounds, head=head))).games
        assert ranking(games, tie_breaks="WON").values[2]["WON"] == won, (rounds, head)


def pairings(*rows: str):
    """Return a Swiss from lines such as `1 A B 1 forfeit`: round, White, Black (- for a bye), White's score."""
    lines = [row.split() for row in rows]
    names = list(
        dict.fromkeys(name for _, white, black, *_ in lines for name in (white, black) if name != "-")
    )
    columns = {
        "white": [names.index(white) for _, white, *_ in lines],
        "black": [None if black == "-" else names.index(black) for _, _, black, *_ in lines],
        "score": [float(score) for *_, score, _ in lines],
        "status": [status for *_, status in lines],
        "round": [at for at, *_ in lines],
        "event": [0] * len(lines),
    }
    event = Event(name="Open", kind="Individual: Swiss-System", rounds=int(lines[-1][0]))
    return Games.assemble(columns, [Player(name=name) for name in names], [event]), names


def test_forfeits_and_byes_of_a_small_swiss():
    """The expected ranking of the public marceljuenemann/tiebreak: D stays away, C is free in round 2."""
    games, names = pairings("1 C A .5 played", "1 B D 1 forfeit", "2 A B 0 played", "2 C - 1 bye")
    found = ranking(games, tie_breaks="BH", rules="2024-08")
    wanted = {"B": (1, 2.0, 2.5), "C": (2, 1.5, 2.0), "A": (3, 0.5, 3.5), "D": (4, 0.0, 0.0)}
    for name, (place, points, buchholz) in wanted.items():
        row = names.index(name)
        assert (found.ranks[row], found.values[row]) == (place, {"PTS": points, "BH": buchholz})


@pytest.mark.parametrize(
    ("after", "buchholz"), [(1, 0), (2, 1 * 0.5 + 1 * 1), (3, 2 * 0.5 + 2 * 2), (4, 3 * 0.5 + 3 * 3)]
)
def test_opponents_unplayed_games_were_draws_in_2009(after, buchholz):
    """The same program's expected values: B wins and loses by forfeit, the other opponents win all else."""
    games, _ = pairings(
        *("1 A B 1 played", "1 C C1 1 played", "1 D D1 1 played", "1 E E1 1 played"),
        *("2 B X 1 forfeit", "2 A C 1 played", "2 D D2 1 played", "2 E E2 1 played"),
        *("3 A D 1 played", "3 C C2 1 played", "3 E E3 1 played"),
        *("4 B Y 0 forfeit", "4 A E 1 played", "4 C C3 1 played", "4 D D3 1 played"),
    )
    assert ranking(games, tie_breaks="BH", rules="2009", after=after).values[0]["BH"] == buchholz


@pytest.mark.parametrize(("after", "first", "second"), [
    (2, 0.5 + 1, 1.5 + 1),
    (3, 0 + 2 * 0.5 + (1 + 0 + 0.5) + (2 + 1), 1 + 2 * 0.5 + (0 + 1 + 0.5) + (0 + 1)),
])  # fmt: skip
def test_virtual_opponents_of_2009(after, first, second):
    """The same: A beats B, then by forfeit; in round 3 neither is paired."""
    others = [f"{at} Y Z 1 played" for at in (1, 2, 3)]
    games, _ = pairings("1 A B 1 played", "2 A B 1 forfeit", *others)
    found = ranking(games, tie_breaks="BH", rules="2009", after=after)
    assert [found.values[row]["BH"] for row in (0, 1)] == [first, second]
