"""What a registered system may rely on: nothing depends on its class or its name."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from importlib.metadata import EntryPoint
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

import polars as pl
import pytest

from arpad.errors import PromiseError, UsageError
from arpad.lab import pairing, season
from arpad.lab import season as start
from arpad.lab import worlds as population
from arpad.lab import worlds as world
from arpad.lab.entrants import entrant
from arpad.lab.simulate import simulate
from arpad.lab.tuning import tune_all
from arpad.lab.walk import course, walk, windows
from arpad.ledger.policy import Policy
from arpad.ledger.schedule import Schedule
from arpad.rate import SYSTEMS, register, registry
from arpad.rate.archive import rate_archive
from arpad.rate.glicko import systems as glicko
from arpad.rate.rating import with_others
from arpad.rate.registry import system
from arpad.read.archive import archive
from arpad.testing import check_system, example_games
from tests.ledger.seasons import through

if TYPE_CHECKING:
    from arpad.model import Games


@pytest.fixture
def twin(monkeypatch):
    """Register a copy of Glicko, byte for byte but for its name."""
    text = Path(glicko.__file__).read_text(encoding="utf-8")
    module = ModuleType("twin_glicko")
    monkeypatch.setitem(sys.modules, "twin_glicko", module)
    exec(text.replace('"glicko"', '"twin"'), module.__dict__)
    monkeypatch.setitem(SYSTEMS, "twin", module.Glicko)
    return module.Glicko


@pytest.mark.parametrize("name", SYSTEMS)
def test_every_system_passes_the_check(name):
    check_system(system(name))


def same(one: pl.DataFrame, other: pl.DataFrame) -> None:
    assert one.columns == other.columns
    assert one.equals(other.select(one.columns))


def both(make):
    return [make(system(name)) for name in ("glicko", "twin")]


def halves() -> tuple[Games, Games]:
    games = example_games()
    first = games.table["date"].dt.month() <= 3
    few = (games.table["white"] < 5) & (games.table["black"] < 5)
    return games.keep(first), games.keep(~first & few)


@pytest.mark.usefixtures("twin")
def test_a_copy_rates_and_lists_the_same():
    first, later = halves()

    def whole_list(made):
        before = made.rate(first)
        return with_others(made.rate(later, before), before, made).rows

    one, other = both(whole_list)
    assert one.height == first.players.height
    same(one, other)
    assert one["error"].null_count() == 0


@pytest.mark.usefixtures("twin")
def test_a_copy_rates_an_archive_the_same(tmp_path):
    frame = example_games().frame().select("white", "black", "score", "date")
    for (month,), part in frame.group_by(pl.col("date").dt.strftime("%Y-%m"), maintain_order=True):
        part.write_parquet(tmp_path / f"games-{month}.parquet")
    same(*both(lambda made: rate_archive(made, archive([tmp_path])).ratings.rows))


@pytest.mark.usefixtures("twin")
def test_a_copy_predicts_the_same_and_can_be_tuned():
    way = course(example_games())
    same(*both(lambda made: walk(made, way).rows))
    split = windows(way.days, validation_from="2024-03-01")
    before = way.before(split.test_from)
    one, other = tune_all([entrant("glicko"), entrant("twin")], before, split, least_games=1, budget=5)
    assert one is not None
    assert other is not None
    assert one.trials == other.trials


@pytest.mark.usefixtures("twin")
def test_a_copy_is_simulated_the_same():
    small = season.Season(
        players=20, rounds=6, population=population.NormalPopulation(), world=world.World(),
        pairing=pairing.Random(), start=start.RunStart(), seed=1,
    )  # fmt: skip
    found = simulate(small, {name: system(name) for name in ("glicko", "twin")})
    one, other = (result.courses[0].mean_error for result in found.systems)
    assert list(one) == list(other)


@pytest.mark.usefixtures("twin")
def test_a_copy_makes_the_same_lists_in_a_ledger():
    games = example_games()
    found = [
        through(
            Policy(name=name, system=name, schedule=Schedule(period="month"), round_to=None, carries="exact"),
            games,
        )[0]
        for name in ("glicko", "twin")
    ]
    same(*found)


def test_a_name_is_given_once(monkeypatch):
    monkeypatch.setitem(SYSTEMS, "new", SYSTEMS["glicko"])
    register("new", SYSTEMS["glicko"])
    with pytest.raises(UsageError):
        register("elo", SYSTEMS["glicko"])


def test_installed_packages_bring_systems(monkeypatch):
    points = [
        EntryPoint("borrowed", "arpad.rate.glicko.systems:Glicko", registry.PLUGINS),
        EntryPoint("broken", "arpad.nowhere:Nothing", registry.PLUGINS),
    ]
    monkeypatch.setattr(registry, "entry_points", lambda **_: points)
    monkeypatch.setattr(registry, "SYSTEMS", dict(SYSTEMS))
    with pytest.warns(UserWarning, match="broken"):
        registry._load_plugins()
    assert registry.SYSTEMS["borrowed"] is SYSTEMS["glicko"]
    assert "broken" not in registry.SYSTEMS


@dataclass(frozen=True)
class Forgetful(glicko.Glicko):
    def expected(self, state, white, black, on=None):
        return super().expected(state, white, black, on) + 1


def test_a_broken_promise_is_named():
    with pytest.raises(PromiseError, match="from 0 to 1"):
        check_system(Forgetful())
