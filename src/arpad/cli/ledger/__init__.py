"""Verbs that work on the club ledger."""
