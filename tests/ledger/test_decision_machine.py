"""Random decisions and undos: whoever takes back everything has the ledger as it was."""

from __future__ import annotations

from datetime import date

from hypothesis import given, settings
from hypothesis import strategies as st

from arpad.errors import UsageError
from arpad.ledger.decisions.corrections import (
    correct_event,
    correct_game,
    correct_player,
    exclude_event,
    exclude_game,
    include_event,
    include_game,
    merge,
    unmerge,
)
from arpad.ledger.decisions.decisions import decisions, undo
from arpad.ledger.decisions.queue import settle
from arpad.ledger.decisions.ratings import manual_ratings, set_rating
from tests.ledger.club import contents, doubt, fill, same, snapshot

players, games, events = st.integers(1, 8), st.integers(1, 12), st.integers(1, 2)
names = st.sampled_from(["Ö'Brien, \"Q\"", "Ли Сы", "y" * 300, "Ahmed, Anna", "'; DELETE FROM games; --"])  # fmt: skip
days = st.dates(date(2026, 1, 1), date(2026, 12, 31))
steps = st.one_of(
    st.tuples(st.just(merge), players, players),
    st.tuples(st.just(unmerge), players),
    st.tuples(st.just(correct_player), players, st.fixed_dictionaries({"name": names})),
    st.tuples(
        st.just(correct_player),
        players,
        st.fixed_dictionaries({"birth": st.sampled_from([None, "1970", "2010-01-02"])}),
    ),
    st.tuples(
        st.just(correct_player),
        players,
        st.fixed_dictionaries(
            {"ids": st.fixed_dictionaries({"fide": st.sampled_from([None, "101", "7", "8"])})}
        ),
    ),
    st.tuples(
        st.just(correct_game),
        games,
        st.fixed_dictionaries({"score": st.sampled_from([0.0, 0.5, 1.0])}),
    ),
    st.tuples(st.just(correct_game), games, st.fixed_dictionaries({"white_id": players})),
    st.tuples(st.just(correct_game), games, st.fixed_dictionaries({"date": days})),
    st.tuples(st.just(correct_game), games, st.just({"swap": True})),
    st.tuples(st.just(correct_event), events, st.fixed_dictionaries({"end": days})),
    st.tuples(st.just(exclude_event), events),
    st.tuples(st.just(include_event), events),
    st.tuples(st.just(exclude_game), games),
    st.tuples(st.just(include_game), games),
    st.tuples(st.just(set_rating), players, st.just({"rating": 1500.0, "on": date(2026, 5, 1)})),
    st.tuples(st.just(settle), st.integers(1, 2), st.sampled_from(["same", "new", "replace", "add", "leave"])),
    st.tuples(st.just(undo), st.integers(1, 12)),
    st.tuples(st.just(undo), st.integers(1, 12)),
)  # fmt: skip


def attempt(ledger, step) -> bool:
    """Take a step; a refusal leaves no trace."""
    verb, *rest = step
    more = rest.pop() if isinstance(rest[-1], dict) else {}
    try:
        with ledger.writing("anna", "because") as connection:
            verb(connection, *rest, **more)
    except UsageError:
        return False
    return True


def log(ledger):
    with ledger.reading() as connection:
        return decisions(connection)


def start(ledger) -> None:
    fill(ledger)
    doubt(ledger, "player", "Ahmed, A.", {"candidates": [{"player": 1}]}, player_id=7)
    doubt(ledger, "event", "Autumn Open", {"candidates": [{"event": 1}]}, event_id=2)


def test_taking_everything_back_gives_the_same_ledger(spare_ledger, few):
    @settings(max_examples=few(25))
    @given(st.lists(steps, min_size=1, max_size=12))
    def decide(plan):
        with spare_ledger() as ledger:
            start(ledger)
            before = last = snapshot(ledger), contents(ledger), len(log(ledger))
            for step in plan:
                taken = attempt(ledger, step)
                now = snapshot(ledger), contents(ledger), len(log(ledger))  # no hash is ever stale
                if not taken:
                    assert same(last[0], now[0]) == []
                    assert last[2] == now[2]
                last = now
            with ledger.reading() as connection:
                held = manual_ratings(connection).height
            assert held == sum(d.kind == "rating" and d.in_effect for d in log(ledger))
            # whatever holds is taken back, the last first; what an undo did is no longer in the way
            while open_ := [d for d in log(ledger) if d.in_effect and d.kind != "undo"]:
                assert attempt(ledger, (undo, open_[-1].id)), open_[-1].summary()
            assert same(before[0], snapshot(ledger)) == []
            assert contents(ledger) == before[1]

    decide()


def test_an_undo_of_an_undo_changes_nothing(spare_ledger, few):
    @settings(max_examples=few(15))
    @given(st.lists(steps, min_size=1, max_size=8))
    def undo_twice(plan):
        with spare_ledger() as ledger:
            start(ledger)
            for step in plan:
                attempt(ledger, step)
            last = [d for d in log(ledger) if d.in_effect]
            if not last:
                return
            now = snapshot(ledger)
            if attempt(ledger, (undo, last[-1].id)):
                assert attempt(ledger, (undo, log(ledger)[-1].id))
                assert same(now, snapshot(ledger)) == []

    undo_twice()
