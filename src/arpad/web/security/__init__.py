"""Who may do what: accounts, sessions, forms that were asked for here, limits."""
