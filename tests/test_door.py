"""The public names of arpad: all there, typed, loaded late; games in any shape; results that render themselves."""

from __future__ import annotations

import ast
import inspect
import json
import pickle
import re
import subprocess
import sys
from datetime import date
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest

import arpad
from arpad.model import Result
from arpad.read.reading import games_from

TUPLES = [("Ann", "Bo", 1.0), ("Bo", "Cy", 0.5), ("Cy", "Ann", 0.0)]
ROWS = {"white": ["Ann", "Bo", "Cy"], "black": ["Bo", "Cy", "Ann"], "result": ["1-0", "1/2-1/2", "0-1"]}
SAMPLE = Path(arpad.__file__).parent / "samples" / "frankfurt-1997.pra"


def test_every_name_is_there_and_shown():
    assert [name for name in arpad.__all__ if getattr(arpad, name) is None] == []
    assert set(arpad.__all__) <= set(dir(arpad))
    assert arpad.__version__.count(".") >= 1
    with pytest.raises(AttributeError):
        arpad.nonsense  # noqa: B018


def test_type_checkers_see_the_same_names():
    stub = ast.parse(Path(arpad.__file__).with_suffix(".pyi").read_text("utf-8"))
    named = {
        str(alias.asname).removeprefix("_"): (node.module, alias.name)
        for node in stub.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    homes = arpad._HOMES | {name: tuple(place.split(":")) for name, place in arpad.CALLABLE.items()}
    assert named == homes


def test_nothing_is_loaded_before_it_is_used():
    code = "import sys, arpad; dir(arpad); print(sorted(m for m in sys.modules if m.startswith('arpad')))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ast.literal_eval(done.stdout) == ["arpad"]


@pytest.mark.parametrize("order", ["import arpad.rate.elo, arpad", "import arpad"])
def test_packages_can_be_called_whatever_was_imported_before(order):
    code = f"{order}; print(arpad.rate([('A', 'B', 1.0)], k=20).table()['rating'].to_list())"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ast.literal_eval(done.stdout) == [1510.0, 1490.0]


def test_a_package_has_the_signature_of_its_function():
    assert list(inspect.signature(arpad.rate).parameters)[:2] == ["games", "system"]
    assert next(iter(inspect.signature(arpad.pool).parameters)) == "games"


@pytest.mark.parametrize(
    "kind", ["tuples", "pandas", "polars", "lazy", "file", "files", "path", "reading", "games"]
)
def test_games_in_any_shape(tmp_path, kind):
    path = tmp_path / "games.csv"
    frame = pl.DataFrame(ROWS)
    frame.write_csv(path)
    shapes = {
        "tuples": TUPLES,
        "pandas": pd.DataFrame(ROWS),
        "polars": frame,
        "lazy": frame.lazy(),
        "file": str(path),
        "files": [path],
        "path": path,
        "reading": arpad.read(path),
        "games": games_from(TUPLES),
    }
    assert games_from(shapes[kind]).fingerprint() == games_from(TUPLES).fingerprint()
    assert arpad.rate(shapes[kind]).rows["player"].to_list() == ["Ann", "Bo", "Cy"]


@pytest.mark.parametrize(
    "bad", [{}, 5, [], [("Ann", "Bo")], [("Ann", "Ann", 1.0)], [("Ann", "Bo", 2.0)], None]
)
def test_what_is_no_games(bad):
    with pytest.raises(arpad.UsageError):
        games_from(bad)


def test_dropped_rows_are_named(tmp_path):
    frame = pl.DataFrame(ROWS | {"result": ["1-0", "??", "x"]})
    path = tmp_path / "games.csv"
    frame.write_csv(path)
    for games in (frame, path):
        with pytest.warns(arpad.DroppedRowsWarning) as raised:
            assert len(games_from(games)) == 1
        notes = raised[0].message.notes
        assert [n.line for n in notes] in ([2, 3], [3, 4])
        assert str(raised[0].message).startswith("2 rows left out")
        assert "'??'" in str(raised[0].message)


@pytest.mark.parametrize(
    "system", ["elo", "glicko", "glicko2", "stephenson", "pra", "arpad", "uscf1994", "whr"]
)
def test_expected_scores_are_those_of_the_system(system):
    ratings = arpad.rate(TUPLES * 4, system)
    ahead, behind = ratings.expected("Ann", "Bo"), ratings.expected("Bo", "Ann")
    assert 0 < behind < ahead < 1
    assert pickle.loads(pickle.dumps(ratings)).expected("Ann", "Bo") == ahead


def test_nothing_is_expected_of_people_without_a_rating():
    assert arpad.rate(TUPLES, "fide").expected("Ann", "Bo") is None


def test_expected_needs_known_players_and_a_system(tmp_path):
    ratings = arpad.rate(TUPLES)
    with pytest.raises(arpad.UsageError) as error:
        ratings.expected("Ann", "Zoe")
    assert (error.value.code, error.value.fields["player"]) == ("which-player", "Zoe")
    ratings.table().write_csv(tmp_path / "list.csv")
    with pytest.raises(arpad.UsageError) as error:
        arpad.read_list(tmp_path / "list.csv").expected("Ann", "Bo")
    assert error.value.code == "no-system"


def test_rating_goes_on_from_a_list(tmp_path):
    first = arpad.rate(TUPLES)
    first.table().write_csv(tmp_path / "list.csv")
    again = arpad.rate(TUPLES, before=first)
    assert again.rows.equals(arpad.rate(TUPLES, before=tmp_path / "list.csv").rows)
    assert again.rows["before"].to_list() == first.rows["rating"].to_list()
    with pytest.raises(arpad.UsageError):
        arpad.rate(TUPLES, "elo", kk=3)
    with pytest.raises(TypeError):
        arpad.rate(TUPLES, arpad.Elo(), k=3)


@pytest.fixture(scope="module")
def season(tmp_path_factory):
    """A file of 900 games of 20 players with ratings, dates, federations and years of birth; two lists."""
    folder = tmp_path_factory.mktemp("season")
    rng = np.random.default_rng(3)
    strength = rng.normal(2200, 150, 20)
    white = rng.integers(0, 20, 900)
    black = (white + rng.integers(1, 20, 900)) % 20
    expected = 1 / (1 + 10 ** ((strength[black] - strength[white]) / 400))
    columns = {
        "score": rng.binomial(2, expected) / 2,
        "date": [date(2022, 1 + i // 75, 1) for i in range(900)],
    }
    for colour, rows in (("white", white), ("black", black)):
        columns[colour] = [f"P{i}" for i in rows]
        columns[f"{colour}_elo"] = strength[rows].round().astype(int)
        columns[f"{colour}_federation"] = [("GER", "FRA")[i % 2] for i in rows]
        columns[f"{colour}_birth"] = [str(1950 + i) for i in rows]
    pl.DataFrame(columns).write_csv(folder / "games.csv")
    for year in (2022, 2023):
        rows = {"player": [f"P{i}" for i in range(20)], "rating": strength.round() + year - 2022}
        pl.DataFrame(rows | {"birth": [1990] * 20}).write_csv(folder / f"{year}-01.csv")
    return folder


TAKING_GAMES = {
    "bootstrap": lambda file: arpad.bootstrap(arpad.Elo(), file, draws=10),
    "check": arpad.check,
    "check_draws": arpad.check_draws,
    "crosstable": arpad.crosstable,
    "deflation": lambda file: arpad.deflation(file, by="federation"),
    "exchange": lambda file: arpad.exchange(file, by=["federation"]),
    "find_greatness": lambda _: arpad.find_greatness(SAMPLE),
    "finish": lambda file: arpad.finish(file, trials=20),
    "predict": lambda file: arpad.predict(file, ["elo"], least_games=5),
    "system": lambda file: arpad.Glicko2().rate(file),
    "tune": lambda file: arpad.tune(file, ["elo"], budget=2, least_games=5),
    "distribution": lambda file: arpad.distribution(arpad.rate(file)),
}
TAKING_LISTS = {
    "account": arpad.account,
    "cohort": lambda files: arpad.cohort(files, born=(1980, 2000)),
    "shape": lambda files: arpad.shape([files[0], arpad.read_list(files[1])]),
    "list": lambda files: arpad.read_list(files[0]),
}
TAKING_MOVES = {
    "gain_report": arpad.gain_report,
    "group_errors": lambda file: arpad.group_errors(file, by="player"),
    "strength": lambda file: arpad.strength(file, values="file"),
}


def renders(result):
    assert isinstance(result, Result)
    assert result.to_pandas().shape == result.table().shape
    assert result.summary()
    assert "<table" in result._repr_html_()
    assert json.dumps(result.to_dict(), allow_nan=False)
    if type(result).__name__ in arpad.CHARTS:
        assert result.chart().to_dict()["$schema"]


@pytest.mark.parametrize("name", TAKING_GAMES)
def test_a_function_of_games_takes_a_file(season, name):
    renders(TAKING_GAMES[name](season / "games.csv"))


@pytest.mark.parametrize("name", TAKING_LISTS)
def test_a_function_of_lists_takes_files(season, name):
    renders(TAKING_LISTS[name]([season / "2022-01.csv", season / "2023-01.csv"]))


@pytest.mark.parametrize("name", TAKING_MOVES)
def test_a_function_of_moves_takes_a_file(name):
    renders(TAKING_MOVES[name](SAMPLE.with_name("game-of-the-century.pgn")))


def test_games_in_any_shape_are_written(tmp_path):
    assert arpad.write_games(TUPLES, tmp_path / "games.pgn") == []
    assert arpad.write_games(tmp_path / "games.pgn", tmp_path / "games.csv") == []


def test_a_curve_of_growth_draws_itself():
    growth = arpad.growth([1975, 1985, 1995, 2005], [100, 200, 380, 600])
    assert growth.chart().to_dict()["$schema"]


def test_the_help_of_a_package_is_that_of_its_function():
    assert arpad.rate.__doc__.startswith("Rate games and return the list.")


def results():
    event = arpad.event(SAMPLE)
    ratings = arpad.rate(SAMPLE)
    return {
        "ratings": ratings,
        "pool": arpad.pool(SAMPLE, prior=1.0),
        "event": event,
        "performance": arpad.performance(6, [2400] * 9),
        "distribution": arpad.distribution([2000.0 + 7 * i % 331 for i in range(60)]),
        "finish": arpad.finish(games_from(SAMPLE), trials=50),
    }


@pytest.mark.parametrize("name", ["ratings", "pool", "event", "performance", "distribution", "finish"])
def test_results_render_themselves(name):
    result = results()[name]
    assert isinstance(result, Result)
    assert isinstance(result.table(), pl.DataFrame)
    assert result.table().height
    assert isinstance(result.to_pandas(), pd.DataFrame)
    assert result.summary()
    assert "<table" in result._repr_html_()
    document = result.to_dict()
    assert json.loads(json.dumps(document, allow_nan=False)) == document


def test_every_chart_exists():
    from importlib import import_module

    for place in arpad.CHARTS.values():
        module, _, function = place.partition(":")
        assert callable(getattr(import_module(f"arpad.publish.charts.{module}"), function))
    assert arpad.rate(SAMPLE).plot().to_dict()["$schema"]
    with pytest.raises(arpad.UsageError) as error:
        arpad.performance(6, [2400] * 9).chart()
    assert error.value.code == "no-chart"


def test_every_report_exists():
    from importlib import import_module

    from arpad.publish.reports import REPORTS

    for place in REPORTS.values():
        module, _, function = place.partition(":")
        assert callable(getattr(import_module(f"arpad.publish.reports.{module}"), function))


@pytest.mark.parametrize("name", ["ratings", "pool", "event", "performance", "distribution", "finish"])
def test_results_write_their_report(name):
    from arpad.publish.reports import report
    from arpad.publish.tables import as_text

    assert as_text(*report(results()[name])).strip()


def test_norms_of_an_event():
    verdicts = arpad.event(SAMPLE).norms()
    assert verdicts
    assert not any(v.passed for v in verdicts)
    assert arpad.event(SAMPLE).norms("1986") != verdicts
    assert verdicts.table()["passed"].to_list() == [v.passed for v in verdicts]
    assert len(verdicts.to_dict()["verdicts"]) == len(verdicts)
    assert verdicts.summary() == "nobody made a norm"


def test_completion_shows_public_names_only():
    assert not [name for name in dir(arpad) if name.startswith("_") and not name.startswith("__")]
    assert "os" not in dir(arpad)


def test_the_docs_import_no_command_line_and_no_web_app():
    root = Path(__file__).parent.parent
    pages = [root / "README.md", *(root / "docs").rglob("*.md")]
    edges = re.compile(r"(from|import) arpad\.(cli|web)\b")
    assert [str(p.relative_to(root)) for p in pages if edges.search(p.read_text("utf-8"))] == []
