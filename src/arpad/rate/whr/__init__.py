"""Whole-history rating: a curve for every player, from all games at once."""
