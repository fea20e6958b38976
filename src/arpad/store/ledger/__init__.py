"""The ledger: one database with what happened, what was decided, and every list that followed."""
