"""What the ledger says today: players after merges, events with their hashes, games, doubts."""
