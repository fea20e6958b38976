"""Files for other programs and for people: rating lists, games, evaluations."""
