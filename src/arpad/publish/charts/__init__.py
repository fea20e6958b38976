"""Charts, one grammar for web, PNG and SVG."""
