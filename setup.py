"""Write the project description for package indexes: README.md with links that work there.

A package index shows only README.md, so that its relative links lead nowhere. They become absolute
as soon as ``Source`` stands in ``[project.urls]`` of pyproject.toml. Until then the names of the
pages stay as plain text and the pictures are left out.
"""

import re
import tomllib
from pathlib import Path

from setuptools import setup

ROOT = Path(__file__).parent
LINK = re.compile(r"(?P<picture>!?)\[(?P<text>[^\]\[]*)\]\((?!https?://|#)(?P<target>[^)\s]+)\)")

IMAGE = re.compile(r'<img src="(?!https?://)(?P<target>[^"]+)"(?P<rest>[^>]*)>')


def description(readme: str, source: str | None) -> str:
    """Return the README with absolute links, or without links where the address is not known."""

    def absolute(match: re.Match[str]) -> str:
        if source:
            kind = "raw" if match["picture"] else "blob"
            address = f"{source.rstrip('/')}/{kind}/main/{match['target']}"
            return f"{match['picture']}[{match['text']}]({address})"
        return "" if match["picture"] else match["text"]

    image = rf'<img src="{source.rstrip("/")}/raw/main/\g<target>"\g<rest>>' if source else ""
    return re.sub(r"\n{3,}", "\n\n", IMAGE.sub(image, LINK.sub(absolute, readme)))


if __name__ == "__main__":
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    setup(
        long_description=description(
            (ROOT / "README.md").read_text(encoding="utf-8"), project.get("urls", {}).get("Source")
        ),
        long_description_content_type="text/markdown",
    )
