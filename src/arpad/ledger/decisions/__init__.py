"""Decisions of people: corrections, merges, exclusions, repairs, the queue; each can be undone."""

from __future__ import annotations
