"""Glicko, Glicko-2 and Stephenson's system: ratings with a spread."""
