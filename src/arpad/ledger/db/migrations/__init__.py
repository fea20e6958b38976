"""How the schema came about, one revision a file."""

from __future__ import annotations
