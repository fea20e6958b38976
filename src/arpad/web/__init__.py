"""The web app: lists, players, events, games and the pool in a browser, on this machine."""

from __future__ import annotations
