"""Players: rating over time, events, opponents, titles, explained figures, two side by side."""
