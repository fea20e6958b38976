"""Team tie-breaks against the answers of Held's exercises 34 to 49, and matches put together from games."""

from __future__ import annotations

import pytest

from arpad.event.team_standings import TeamRound, rank_teams, team_standings
from arpad.event.tie_break_codes import tie_break_order
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
