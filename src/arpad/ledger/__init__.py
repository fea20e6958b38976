"""The ledger: what happened, what was decided, and the rating lists that follow."""
