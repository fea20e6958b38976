"""Title norms by the rules of FIDE and the U.S. Chess Federation."""
