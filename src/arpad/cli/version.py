"""What ``--version`` says: arpad, and the engine it would use."""

from __future__ import annotations

from importlib.metadata import version

from arpad.errors import EngineError

__all__ = ["version_text"]

START = 5.0
"""Seconds the engine has to say who it is."""


def version_text() -> str:
    """Return two lines: arpad's version, the engine."""
    return f"arpad {version('arpad')}\nengine: {_engine()}"


def _engine() -> str:
    """Ask the engine itself."""
    from arpad.moves.engine import Engine, find_engines
    from arpad.moves.settings import EngineSettings

    found = find_engines()
    if not found:
        return "no engine found (Debian: apt-get install stockfish)"
    try:
        with Engine(EngineSettings(engine=found[0].name), start=START) as engine:
            return f"{engine.identity.name} ({found[0].path})"
    except EngineError as error:
        return f"{found[0].path} does not work: {error}"
