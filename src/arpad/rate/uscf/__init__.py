"""The U.S. Chess Federation's rating systems of 1994 and before."""
