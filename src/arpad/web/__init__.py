"""The web app: lists, players, events, games and the pool in a browser, on this machine."""
