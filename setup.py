"""Build arpad: the board of the web app comes out of its npm package, the description out of README.md.

Lichess's board, chessground, is on npm only. A build puts it into ``src/arpad/web/static`` with the
client ``npm``, so that installed copies work without a network; a build without npm or a network goes
on without the board.

A package index shows only README.md, so that its relative links lead nowhere. They become absolute
as soon as ``Source`` stands in ``[project.urls]`` of pyproject.toml. Until then the names of the
pages stay as plain text and the pictures are left out.
"""

import hashlib
import io
import re
import subprocess
import sys
import tarfile
import tempfile
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


BOARD = "@lichess-org/chessground@10.4.1"
BOARD_SHA256 = "8bc1167bc62a2b69d8bbca425d28a30f4d29e5733fc8bb29281ab06086f9e9a7"
BOARD_FOLDER = ROOT / "src" / "arpad" / "web" / "static"
BOARD_FILES = {
    "chessground.js": ("dist/chessground.min.js",),
    "chessground.css": tuple(f"assets/chessground.{part}.css" for part in ("base", "brown", "cburnett")),
    "chessground-LICENSE.txt": ("LICENSE",),
}
BOARD_STYLE = b'style:"color-scheme:light only"', b'class:"cg-light"'
"""The one inline style, which our Content-Security-Policy forbids, becomes a class of our stylesheet."""
BUILDS = {"sdist", "build", "build_py", "bdist_wheel", "editable_wheel"}


def fetch_board() -> None:
    """Put the board of the web app beside our own scripts, unless it is there."""
    if all((BOARD_FOLDER / name).exists() for name in BOARD_FILES):
        return
    with tempfile.TemporaryDirectory() as folder:
        command = ["npm", "pack", "--silent", "--pack-destination", folder, BOARD]
        try:
            subprocess.run(command, check=True, capture_output=True, timeout=60)
            packed = next(Path(folder).glob("*.tgz")).read_bytes()
        except (OSError, subprocess.SubprocessError, StopIteration) as error:
            print(f"no board for the web app ({error}): it draws positions as pictures", file=sys.stderr)
            return
    if hashlib.sha256(packed).hexdigest() != BOARD_SHA256:
        raise SystemExit(f"{BOARD} is not the file that it was: expected SHA-256 {BOARD_SHA256}")
    with tarfile.open(fileobj=io.BytesIO(packed)) as archive:
        for name, parts in BOARD_FILES.items():
            members = [archive.extractfile(f"package/{part}") for part in parts]
            content = b"\n".join(member.read() for member in members if member is not None)
            content = content.replace(*BOARD_STYLE)
            (BOARD_FOLDER / name).write_bytes(content)


if __name__ == "__main__":
    if BUILDS & set(sys.argv):
        fetch_board()
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    setup(
        long_description=description(
            (ROOT / "README.md").read_text(encoding="utf-8"), project.get("urls", {}).get("Source")
        ),
        long_description_content_type="text/markdown",
    )
