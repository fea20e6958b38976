"""The rating officer's work: what the ledger holds, rated, published, explained and put right."""
