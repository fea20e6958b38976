"""PGN files: headers, games, moves, evaluations and clocks."""
