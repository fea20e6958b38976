"""What is kept from one run to the next: evaluations of positions."""
