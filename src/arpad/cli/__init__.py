"""The command line: one file a verb group."""

from __future__ import annotations
