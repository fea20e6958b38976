"""How the schema came about, one revision a file."""
