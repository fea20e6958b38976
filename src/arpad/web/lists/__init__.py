"""Rating lists: search, filters, earlier ones, changes, downloads."""
