"""Games: a board to step through, evaluations, gain."""
