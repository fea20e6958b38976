"""What the docs show is run, and prints what they print."""

from __future__ import annotations

import doctest
import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
DOCS = sorted((ROOT / "docs").rglob("*.md"))
PAGES = [ROOT / "README.md", *DOCS]


def blocks(page: Path, kind: str) -> list[str]:
    return re.findall(
        rf"^```{kind}\n(.*?)^```", page.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE
    )


def commands(block: str) -> list[tuple[str, str]]:
    """Split a console block into commands (with their here-documents) and what they print."""
    found: list[tuple[str, str]] = []
    for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
        first, _, rest = part.partition("\n")
        if "<< 'END'" in first:
            inside, _, rest = rest.partition("END\n")
            first = f"{first}\n{inside}END\n"
        found.append((first, rest))
    return found


def tidy(text: str) -> str:
    return "\n".join(line.rstrip() for line in text.strip().split("\n"))


@pytest.mark.parametrize("name", ["README.md", "docs/tutorial.md", "docs/club.md"])
def test_sessions_print_what_they_show(name, tmp_path):
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    environment = {**os.environ, "PATH": path, "COLUMNS": "80"}
    count = 0
    for block in blocks(ROOT / name, "console"):
        for command, shown in commands(block):
            done = subprocess.run(
                ["bash", "-c", command],
                cwd=tmp_path,
                env=environment,
                capture_output=True,
                text=True,
                check=False,
            )
            said = done.stdout + done.stderr
            today = __import__("datetime").date.today().isoformat()
            assert tidy(said) == tidy(shown.replace("2026-11-15", today)), command
            count += 1
    assert count >= (1 if name == "README.md" else 15)


@pytest.mark.parametrize("page", PAGES, ids=lambda p: str(p.relative_to(ROOT)))
def test_python_sessions(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for block in blocks(page, "console") if page.name == "tutorial.md" else []:
        for command, _ in commands(block):
            if command.startswith("cat >"):
                subprocess.run(["bash", "-c", command], check=True)
    text = "\n".join(blocks(page, "pycon"))
    if not text:
        return
    example = doctest.DocTestParser().get_doctest(text, {}, page.name, str(page), 0)
    runner = doctest.DocTestRunner(verbose=False, optionflags=doctest.NORMALIZE_WHITESPACE)
    runner.run(example)
    assert runner.failures == 0


def test_the_command_reference_is_up_to_date():
    spec = importlib.util.spec_from_file_location(
        "reference", ROOT / "tools" / "command_reference.py"
    )
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert module.PAGE.read_text(encoding="utf-8") == module.page(), "run make docs"


@pytest.mark.parametrize("page", PAGES, ids=lambda p: str(p.relative_to(ROOT)))
def test_links_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)#]+)\)", page.read_text(encoding="utf-8")):
        if "://" not in target:
            assert (page.parent / target).exists(), target


def test_every_system_has_its_page():
    from arpad.rate import SYSTEMS

    assert {p.stem for p in (ROOT / "docs" / "methods").glob("*.md")} >= set(SYSTEMS)
