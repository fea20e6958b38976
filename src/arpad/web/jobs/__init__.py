"""Long work in the background: it shows how far it is, can be stopped, and survives the server."""

from __future__ import annotations
