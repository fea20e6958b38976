"""Where engines are found, and what is said when none is."""

from __future__ import annotations

import pytest

from arpad.errors import EngineError
from arpad.moves import engine as found
from arpad.moves.engine import engine_command, find_engines


@pytest.fixture
def program(tmp_path):
    def _program(name, folder="bin"):
        path = tmp_path / folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("#!/bin/sh\n")
        path.chmod(0o755)
        return path

    return _program


@pytest.fixture
def bare(monkeypatch, tmp_path):
    """A machine without engines."""
    (tmp_path / "bin").mkdir(exist_ok=True)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.setattr(found, "FOLDERS", (str(tmp_path / "games"),))
    monkeypatch.setattr(found, "_node_modules", lambda _: [tmp_path / "node_modules"])
    return tmp_path


def test_no_engine(bare):
    assert find_engines() == []
    with pytest.raises(EngineError, match=r"none called 'stockfish'\. Debian or Ubuntu: apt-get"):
        engine_command("stockfish")


def test_on_the_path_and_where_debian_puts_games(bare, program):
    debian = program("stockfish", "games")
    assert engine_command("stockfish") == (str(debian),)
    own = program("stockfish")
    assert engine_command("stockfish") == (str(own),)
    assert [e.name for e in find_engines()] == ["stockfish"]


def test_npm_under_node_is_the_second_way(bare, program):
    node = program("node")
    full = program("stockfish-18-single.js", "node_modules/stockfish/bin")
    newer = program("stockfish-19-single.js", "node_modules/stockfish/bin")
    lite = program("stockfish-19-lite-single.js", "node_modules/stockfish/bin")
    assert engine_command("stockfish") == (str(node), str(newer)) != (str(node), str(full))
    assert engine_command("stockfish-lite.js") == (str(node), str(lite))
    assert [e.name for e in find_engines()] == ["stockfish.js", "stockfish-lite.js"]
    program("stockfish", "games")
    assert next(e.name for e in find_engines()) == "stockfish"


def test_npms_own_command_is_passed_by(bare, program):
    """It starts the engine as a second process, which would outlive the first."""
    program("node")
    script = program("cli.js", "node_modules/stockfish/scripts")
    (bare / "bin" / "stockfish").symlink_to(script)
    build = program("stockfish-19-single.js", "node_modules/stockfish/bin")
    assert engine_command("stockfish")[-1] == str(build)
    debian = program("stockfish", "games")
    assert engine_command("stockfish") == (str(debian),)


def test_paths(bare, program):
    own = program("my-engine", "somewhere")
    assert engine_command(str(own)) == (str(own),)
    own.chmod(0o644)
    with pytest.raises(EngineError, match="not a program: chmod"):
        engine_command(str(own))
    with pytest.raises(EngineError, match="found nothing there"):
        engine_command("/no/such/engine")
    with pytest.raises(EngineError, match="found a folder"):
        engine_command(str(own.parent))
    script = program("engine.js", "somewhere")
    with pytest.raises(EngineError, match="needs Node"):
        engine_command(str(script))
    node = program("node")
    assert engine_command(str(script)) == (str(node), str(script))
