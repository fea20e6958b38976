"""Berard's PRA, with and without boosting."""
