"""Pages of the people who run a club's ratings."""
