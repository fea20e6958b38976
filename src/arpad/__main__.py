"""``python -m arpad``: the command line, where the command itself is not on the path."""

from arpad.cli.main import main

if __name__ == "__main__":
    main()
