"""Engines for tests: bad ones by behaviour, and the real one."""

from __future__ import annotations

import shlex
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

FAKE = Path(__file__).parent / "moves" / "fakes" / "engine.py"

START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -"
AFTER_E4 = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq -"
MATED = "rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq -"
STALEMATE = "7k/5Q2/6K1/8/8/8/8/8 b - -"


@dataclass(frozen=True)
class Fake:
    """A fake engine: its path, and the positions it was asked."""

    path: str
    log: Path

    def asked(self) -> list[str]:
        return self.log.read_text().splitlines() if self.log.exists() else []


@pytest.fixture
def fake(tmp_path):
    """Make an engine that behaves badly: fake("crashes") → its path, and what it was asked."""

    def _fake(how: str) -> Fake:
        path, log = tmp_path / f"engine-{how}", tmp_path / f"asked-{how}"
        command = shlex.join([sys.executable, str(FAKE), how, str(log)])
        path.write_text(f"#!/bin/sh\nexec {command}\n")
        path.chmod(0o755)
        return Fake(str(path), log)

    return _fake


@pytest.fixture
def stockfish() -> str:
    """The real engine; a test that asks for it is marked `stockfish`."""
    from arpad.moves.engine import find_engines

    found = [e for e in find_engines() if e.name == "stockfish"]
    if not found:
        pytest.skip("Stockfish is not installed (Debian: apt-get install stockfish)")
    return found[0].path
