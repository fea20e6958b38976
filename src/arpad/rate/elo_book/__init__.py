"""Elo's whole procedure, event by event."""
