"""FIDE's rating system."""
