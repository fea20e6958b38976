"""History of the schema, one revision in each file."""

from __future__ import annotations
