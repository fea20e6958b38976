"""Norms and titles over time, and what in an event somebody ought to look at."""
