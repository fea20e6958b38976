"""Many ratings to the health of the pool: distributions, drift, history."""
