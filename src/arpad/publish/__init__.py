"""Results to people: tables, charts, HTML, files."""
