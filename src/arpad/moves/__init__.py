"""Moves to strength: evaluated games, positions, engines, gain."""
