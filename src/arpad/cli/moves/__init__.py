"""Verbs that measure moves."""
