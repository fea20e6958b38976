"""How skill is fitted, as an option."""

from __future__ import annotations

from enum import StrEnum

__all__ = ["Method"]


class Method(StrEnum):
    """How (s, c) is fitted."""

    equate = "equate"
    likelihood = "likelihood"
    percentile = "percentile"
