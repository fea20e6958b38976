"""Results to people: tables, charts, HTML, files."""

from __future__ import annotations
