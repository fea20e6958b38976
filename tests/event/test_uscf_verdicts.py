from __future__ import annotations

import pytest

from arpad.errors import UsageError
from arpad.event.norms.fide import JUDGES, judge_called
from arpad.event.norms.rules import Setting
from arpad.event.norms.uscf import NormSchedule, verdicts
from arpad.model import Games, Player


def event(shares, ratings=(1800, 1900, 2000, 2100), title=None, status="played"):
    """Ann (row 0) meets everybody once."""
    people = [Player(name="Ann", rating=1750, title=title)]
    people += [Player(name=f"P{i}", rating=r) for i, r in enumerate(ratings, start=1)]
    n = len(shares)
    rows = {"white": [0] * n, "black": [1 + i % len(ratings) for i in range(n)], "score": shares}
    return Games.assemble(rows | {"status": [status] * n}, people)


def test_the_first_example_of_2_5():
    found = {v.title: v for v in verdicts(event([1, 1, 1, 0.5]), [0])}
    assert len(found) == 12  # life titles are for those who hold the other one
    worth = {t: v.norms_at_once for t, v in found.items() if v.passed}
    assert worth == {
        "Expert": 1, "Category I": 3, "Category II": 4, "Category III": 5, "Category IV": 5,
        "Category V": 5, "Category VI": 5, "Category VII": 5, "Category VIII": 5,
    }  # fmt: skip
    master = found["Master"]
    assert not master.passed
    assert master.points_needed == 4
    assert [(r.article, r.found, r.passed) for r in master.requirements] == [
        ("2.3 rule 1", "4", True), ("2.3 rule 2", "3.5", False),
    ]  # fmt: skip
    assert master.failed()[0].needed == "more than 3.77: 3.158 + Δ .612"
    assert found["Senior Master"].points_needed is None


def test_levels_and_names_of_titles():
    games = event([1, 1, 1, 0.5])
    assert [v.title for v in verdicts(games, [0], ["2100", "life master", "CATEGORY 2"])] == [
        "2100-title", "Life Master", "Category II",
    ]  # fmt: skip
    assert verdicts(games, [0], ["2100"])[0].passed
    with pytest.raises(UsageError, match="expected a title, one of Advanced Senior Master"):
        verdicts(games, [0], ["GM"])


def test_a_master_works_at_the_life_title():
    found = [v.title for v in verdicts(event([1] * 4, title="Master"), [0])]
    assert "Life Master" in found
    assert "Master" not in found
    asked = verdicts(event([1] * 4, title="Master"), [0], ["Master"])[0]
    assert "holds the title already" in asked.notes
    assert verdicts(event([1] * 4, title="GM"), [0])[0].title == "Advanced Senior Master"


def test_what_does_not_count():
    unrated = verdicts(event([1] * 4, ratings=(1800, 1900, None, 2000)), [0], ["Expert"])[0]
    assert (unrated.score, unrated.games, unrated.passed) == (3, 3, False)
    assert [r.article for r in unrated.failed()] == ["2.3 rule 1"]
    assert unrated.points_needed is None
    assert "1 of 4 games were against unrated players" in unrated.notes[0]
    nobody = verdicts(event([1] * 4, ratings=(None,)), [0], ["Expert"])[0]
    assert (nobody.games, nobody.passed) == (0, False)
    for status in ("forfeit", "unplayed", "bye"):
        with pytest.raises(UsageError, match="found none"):
            verdicts(event([1] * 4, status=status))
    with pytest.raises(UsageError, match="expected rows"):
        verdicts(event([1] * 4), [9])


def test_the_registry_knows_them_and_P_can_be_another():
    assert JUDGES["uscf1994"] is verdicts
    judged = judge_called("uscf1994", Setting())(event([1, 1, 1, 0.5]), [0], ["Expert"])
    assert judged[0].summary() == "Ann: 3.5/4, Expert norm made (uscf1994)"
    with pytest.raises(UsageError, match="no events of the kind"):
        judge_called("uscf1994", Setting(event_kind="team"))
    hard = verdicts(event([1, 1, 1, 0.5]), [0], ["Expert"], schedule=NormSchedule(5))[0]
    assert not hard.passed
    assert hard.points_needed == 4
