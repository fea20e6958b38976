"""Moves to strength: engine, evaluations, gain, average error, intrinsic ratings."""

from __future__ import annotations
