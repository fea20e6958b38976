"""The pool: distribution, drift, exchange of points, deflation."""
