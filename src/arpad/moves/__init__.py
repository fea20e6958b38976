"""Moves to strength: engines, evaluations, and what they say about the players."""
