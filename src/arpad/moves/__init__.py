"""Moves to strength: engine, evaluations, gain."""
