"""Decisions of people: corrections, merges, exclusions, repairs, the queue; each can be undone."""
