"""``python -m arpad``: the command line, where the command itself is not on the path."""

from __future__ import annotations

from arpad.cli.main import main

if __name__ == "__main__":
    main()
