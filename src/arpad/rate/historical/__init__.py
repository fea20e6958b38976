"""Rating systems before Elo: Ingo, Harkness, the British grades, the CCLA and Berkin."""
