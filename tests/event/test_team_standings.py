"""Team tie-breaks against the answers of Held's exercises 34 to 49, and matches put together from games."""

from __future__ import annotations

import pytest

from arpad.event.team_standings import TeamRound, rank_teams, team_standings
from arpad.event.tiebreaks import tie_break_order
from arpad.read import read

# Opponent, colour and game points of 14 teams on four boards, the crosstable of the exercises.
TEAMS = """\
1 8w2.5 4b1.5 7w3 2b2.5 5w1.5 +F 3b2.5
2 9b3 3w4 5b0 1w1.5 13w3 4b2.5 10b3
3 10w2.5 2b0 9w3 6b2.5 4w3 5b3.5 1w1.5
4 11b3 1w2.5 13b3 5w3.5 3b1 2w1.5 9b2.5
5 12w4 6b3 2w4 4b0.5 1b2.5 3w0.5 13b3.5
6 13b2 5w1 8b3 3w1.5 11b2.5 -F 12w2.5
7 14w2 8b2 1b1 10w2.5 9b2 13w2 ZPB
8 1b1.5 7w2 6w1 12b3.5 10b2 9w2 11w3
9 2w1 12b4 3b1 14w3 7w2 8b2 4w1.5
10 3b1.5 11w1.5 12b2.5 7b1.5 8w2 14b3 2w1
11 4w1 10b2.5 14w2 13b1.5 6w1.5 12w2 8b1
12 5b0 9w0 10w1.5 8w0.5 PAB 11b2 6b1.5
13 6w2 14b2.5 4w1 11w2.5 2b1 7b2 5w0.5
14 7b2 13w1.5 11b2 9b1 HPB 10w1 PAB
"""
FREE = {"+F": (2.0, 4.0, False), "-F": (0.0, 0.0, True), "ZPB": (0.0, 0.0, True), "PAB": (1.0, 2.0, False), "HPB": (1.0, 2.0, True)}  # fmt: skip


def boards(points: float) -> tuple[float, ...]:
    return tuple(min(1.0, max(0.0, points - at)) for at in range(4))


def crosstable() -> list[TeamRound]:
    found = []
    for line in TEAMS.splitlines():
        number, *cells = line.split()
        team = int(number)
        for at, cell in enumerate(cells, start=1):
            if cell in FREE:
                match, game, voluntary = FREE[cell]
                found.append(TeamRound(at, team, None, match, game, False, voluntary))
                continue
            opponent, _, points = cell.replace("b", "w").partition("w")
            game = float(points)
            match = 2.0 if game > 2 else 1.0 if game == 2 else 0.0
            own = boards(game)
            if (team, opponent) == (11, "14"):
                own = (1.0, 0.5, 0.5, 0.0)
            if (team, opponent) == (14, "11"):
                own = (0.0, 0.5, 0.5, 1.0)
            found.append(TeamRound(at, team, int(opponent), match, game, True, False, own))
    return found


def found_for(codes: str, rules: str = "2024-08"):
    order = tie_break_order(codes, teams=True)
    return rank_teams(crosstable(), order, rules, planned=7, boards=4)


def values(code: str, rules: str = "2024-08") -> dict[int, float]:
    return {p: own[code] for p, own in found_for(code, rules)[1].items()}


def test_exercise_34_points():
    match = [10, 10, 10, 10, 10, 7, 6, 7, 6, 5, 4, 2, 6, 4]
    game = [17.5, 17, 16, 17, 18, 12.5, 11.5, 15, 14.5, 13, 11.5, 7.5, 11.5, 11.5]
    assert list(values("MPTS").values()) == match
    assert list(values("GPTS").values()) == game
    ranks, _ = found_for("MPTS,GPTS")
    assert sorted(ranks, key=lambda p: (ranks[p], p)) == [5, 1, 2, 4, 3, 8, 6, 9, 7, 13, 10, 11, 14, 12]  # fmt: skip
    ranks, _ = found_for("GPTS,MPTS")
    assert sorted(ranks, key=lambda p: (ranks[p], p)) == [5, 1, 2, 4, 3, 8, 9, 10, 6, 7, 13, 11, 14, 12]  # fmt: skip


@pytest.mark.parametrize(("code", "wanted"), [
    ("BH", [64, 57, 58, 56, 55, 46, 44, 41, 50, 44, 41, 41, 52, 36]),
    ("BH-C1", [57, 52, 53, 52, 53, 39, 38, 39, 48, 42, 39, 39, 48, 32]),
    ("BH:GP", [114, 107.5, 109.5, 106, 99, 92, 94.5, 90, 97.5, 92, 88, 92, 101, 87]),
    ("BH:GP-C1", [100.5, 96, 97, 94.5, 91.5, 79.5, 83, 82.5, 90, 84.5, 80.5, 84.5, 89.5, 75.5]),
    ("SSSC", [38.83, 36, 35.33, 35.67, 36.33, 27.83, 26.17, 28.67, 31.17, 27.67, 25.17, 21.17, 28.83, 23.5]),
])  # fmt: skip
def test_exercises_35_to_37_and_49(code, wanted):
    assert list(values(code).values()) == wanted


@pytest.mark.parametrize(("code", "rules", "wanted"), [
    ("EMMSB-C1", "2024-08", {1: 74, 2: 64, 3: 66, 4: 64, 5: 66}),
    ("EGMSB", "2024-08", {1: 158, 2: 144, 3: 150, 4: 146, 5: 132}),
    ("EMGSB", "2024-08", {7: 68.5, 9: 83, 13: 73}),
    ("EGGSB", "2024-08", {6: 157.5, 8: 181.5}),
    ("BH", "2026-03", {1: 61, 2: 57}),
    ("BH-C1", "2026-03", {1: 54, 2: 52}),
    ("BH:GP", "2026-03", {1: 110.5, 2: 107.5}),
    ("EMMSB-C1", "2026-03", {1: 68, 2: 64}),
    ("EGMSB", "2026-03", {1: 151, 2: 144}),
    ("EMGSB", "2026-03", {1: 146.5, 2: 131}),
    ("EGGSB", "2026-03", {1: 269, 2: 249.75}),
    ("SSSC", "2026-03", {1: 37.83, 2: 36}),
])  # fmt: skip
def test_exercises_38_to_41_and_the_rules_of_2026(code, rules, wanted):
    found = values(code, rules)
    assert {p: found[p] for p in wanted} == wanted


def test_exercises_42_to_45_direct_encounters():
    ranks, _ = found_for("MPTS,EDE")
    assert ranks[11] == ranks[14]
    assert ranks[6] < ranks[8]
    assert ranks[7] == ranks[9] == ranks[13]
    assert sorted(range(1, 6), key=ranks.__getitem__) == [4, 2, 1, 3, 5]


@pytest.mark.parametrize("code", ["EDEC", "EDET", "EDEB", "EDEBT", "EDEBB"])
def test_exercises_46_to_48_boards(code):
    ranks, _ = found_for(f"MPTS,{code}")
    assert ranks[11] < ranks[14]


FILE = """\
012 Four teams
042 2026/03/01
092 Team: Swiss-System
XXR 2
{record}
001    1 m    One                               2400 NOR           0 1990/01/01  1.5    1     5 w 1     7 w =
001    2 m    Two                               2300 NOR           0 1990/01/01  1.0    2     6 b 1     8 b 0
001    3 m    Three                             2200 NOR           0 1990/01/01  0.5    3     7 b 0     5 b =
001    4 m    Four                              2100 NOR           0 1990/01/01  1.5    4     8 w =     6 w 1
001    5 m    Five                              2000 NOR           0 1990/01/01  0.5    5     1 b 0     3 w =
001    6 m    Six                               1900 NOR           0 1990/01/01  0.0    6     2 w 0     4 b 0
001    7 m    Seven                             1800 NOR           0 1990/01/01  1.5    7     3 w 1     1 b =
001    8 m    Eight                             1700 NOR           0 1990/01/01  1.5    8     4 b =     2 w 1
013 Team One                        {members}    1    2
013 Team Two                           3    4
013 Team Three                         5    6
013 Team Four                          7    8
"""


def test_matches_are_put_together_from_games(write):
    """Two wins for team four, one each for one and two; the file may count three points for a match."""
    games = read(write(FILE.format(record="XXC white1", members=""))).games
    found = team_standings(games)
    assert found is not None
    assert [(one["name"], one["match_points"], one["game_points"]) for one in found.rows()] == [
        ("Team Four", 4.0, 3.0), ("Team One", 2.0, 2.5), ("Team Two", 2.0, 2.0), ("Team Three", 0.0, 0.5),
    ]  # fmt: skip
    record = "362  W 3.0    D 1.0    L 0.0"
    three = team_standings(read(write(FILE.format(record=record, members=""))).games)
    assert three is not None
    assert [one["match_points"] for one in three.rows()] == [6.0, 3.0, 3.0, 0.0]


def test_an_event_without_teams(write):
    text = "\n".join(line for line in FILE.splitlines() if not line.startswith("013"))
    assert team_standings(read(write(text.format(record="XXR 2"))).games) is None


TEAM_EVENT = """\
142 7
192 FIDE_TEAM_MP_GP
212 PTS,BC,BBE
{teams}
001    1      T1B1                              2266                             7.0    1     9 w 1     5 b 1     7 b 1     3 w 1    11 b 1    15 w 1    13 b 1
001    2      T1B2                              2261                             6.5    3    10 b 1     6 w 1     8 w 1     4 b 1    12 w =    16 b 1    14 w 1
001    3      T2B1                              2049                             5.0    4    11 b 1     7 w 0     9 b 1     1 b 0    17 w 1     5 w 1  0000 - U
001    4      T2B2                              2041                             5.5    2    12 w 1     8 b =    10 w 1     2 w 0    18 b 1     6 b 1  0000 - U
001    5      T3B1                              2001                             3.0    4    13 w 1     1 w 0    11 b 0     7 b 0  0000 - U     3 b 0    17 w 1
001    6      T3B2                              1990                             5.0    6    14 b 1     2 b 0    12 w 1     8 w 1  0000 - U     4 w 0    18 b 1
001    7      T4B1                              1981                             5.0    8    15 b =     3 b 1     1 w 0     5 w 1     9 w 1    17 b 1    11 w =
001    8      T4B2                              1974                             4.0    7    16 w 1     4 w =     2 b 0     6 b 0    10 b =    18 w 1    12 b 1
001    9      T5B1                              1895                             4.0    9     1 b 0    17 w 1     3 w 0  0000 - U     7 b 0    13 w 1    15 b 1
001   10      T5B2                              1881                             4.5    0     2 w 0    18 b 1     4 b 0  0000 - U     8 w =    14 b 1    16 w 1
001   11      T6B1                              1878                             4.5    0     3 w 0    13 b 1     5 w 1    15 b 1     1 w 0  0000 - U     7 b =
001   12      T6B2                              1856                             3.0    0     4 b 0    14 w =     6 b 0    16 w 1     2 b =  0000 - U     8 w 0
001   13      T7B1                              1629                             2.0    0     5 b 0    11 w 0  0000 - U    17 b 1    15 w 0     9 b 0     1 w 0
001   14      T7B2                              1594                             2.5    0     6 w 0    12 b =  0000 - U    18 w 1    16 b 0    10 w 0     2 b 0
001   15      T8B1                              1609                             3.5    0     7 w =  0000 - U    17 b 1    11 w 0    13 b 1     1 b 0     9 w 0
001   16      T8B2                              1609                             3.0    0     8 b 0  0000 - U    18 w 1    12 b 0    14 w 1     2 w 0    10 b 0
001   17      T9B1                              1376                             1.0    0  0000 - U     9 b 0    15 w 0    13 w 0     3 b 0     7 w 0     5 b 0
001   18      T9B2                              1356                             1.0    0  0000 - U    10 w 0    16 b 0    14 b 0     4 w 0     8 b 0     6 w 0
"""
"""The public TieBreakServer's fixture of a team event by TRF26 [tests/golden/SOURCE.md]."""
DECLARED = [(14, 13.5, 1), (9, 10.5, 3), (7, 8, 5), (11, 9, 2), (7, 8.5, 4), (6, 7.5, 6), (3, 4.5, 8), (5, 6.5, 7), (1, 2, 9)]  # fmt: skip
"""Match points, game points and place of teams 1 to 9, as its records 310 have them."""


def team_event(write, *records):
    teams = [f"310 {n:3d} Team {n:<61d}   {2 * n - 1:4d} {2 * n:4d}" for n in range(1, 10)]
    text = TEAM_EVENT.format(teams="\n".join([*teams, *records]))
    return read(write(text)).games


def test_the_points_and_places_that_a_file_declares(write):
    """A free round counts a drawn match and the players' points; in board counts it is a win on each board."""
    found = team_standings(team_event(write))
    assert found is not None
    rows = {one["name"]: one for one in found.rows()}
    for number, declared in enumerate(DECLARED, start=1):
        one = rows[f"Team {number}"]
        assert (one["match_points"], one["game_points"], one["rank"]) == declared
    assert (rows["Team 5"]["tie_breaks"]["BC"], rows["Team 9"]["tie_breaks"]["BC"]) == (13, 3)


def test_the_file_says_what_a_free_round_is_worth(write):
    """Record 320: match points, game points, and who had it round by round [TRF26]."""
    found = team_standings(team_event(write, "320  2.0  0.5    9   8   7   5   3   6   2"))
    assert found is not None
    row = {one["name"]: one for one in found.rows()}["Team 9"]
    assert (row["match_points"], row["game_points"]) == (2.0, 0.5)


@pytest.mark.parametrize(
    ("code", "first"),
    [("FIDE_TEAM_MP_GP", "MPTS"), ("FIDE_TEAM_TYPEA_GP_MP_BAKU", "GPTS"), ("FIDE_TEAM_GP", "GPTS")],
)
@pytest.mark.parametrize("record", ["202 BH", "212 PTS BH"])
def test_record_192_names_the_points_that_come_first(write, code, first, record):
    """`PTS` of a team event is its primary score: the first of MP and GP in the code of its type [TRF26]."""
    text = TEAM_EVENT.format(
        teams="\n".join(f"310 {n:3d} Team {n:<61d}   {2 * n - 1:4d} {2 * n:4d}" for n in range(1, 10))
    )
    lines = [line for line in text.splitlines() if line[:3] not in ("192", "202", "212")]
    games = read(write("\n".join([f"192 {code}", record, *lines]) + "\n")).games
    found = team_standings(games)
    assert found is not None
    assert found.codes == (first, "BH")
    points = "match_points" if first == "MPTS" else "game_points"
    shown = [row[points] for row in found.rows()]
    assert shown == sorted(shown, reverse=True)


def test_wins_of_teams(write):
    games = team_event(write)
    found = team_standings(games, tie_breaks="WIN,WON,BH:MP,MPvGP,EDE/P")
    assert found is not None
    wins = {found.names[p]: (own["WIN"], own["WON"]) for p, own in found.values.items()}
    assert (wins["Team 1"], wins["Team 2"], wins["Team 9"]) == ((7, 7), (4, 4), (0, 0))
    assert found.codes == ("MPTS", "WIN", "WON", "BH:MP", "MPvGP", "EDE-P")


def test_a_forfeited_match(write):
    """Record 330: type, round and the two teams [TRF26]."""
    record = "XXC white1\n330 +-   3   1   4"
    found = team_standings(read(write(FILE.format(record=record, members=""))).games)
    assert found is not None
    rows = {one["name"]: (one["match_points"], one["game_points"]) for one in found.rows()}
    assert (rows["Team One"], rows["Team Four"]) == ((4.0, 4.5), (4.0, 3.0))
