from __future__ import annotations

from tests.engines import fake, stockfish  # noqa: F401 - fixtures
