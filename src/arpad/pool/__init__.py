"""Many ratings to the health of the pool: distributions, drift, history."""

from __future__ import annotations

from arpad import make_callable

make_callable(__name__)
