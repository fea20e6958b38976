"""What the docs show is run, and prints what they print."""

from __future__ import annotations

import doctest
import importlib.util
import os
import re
import subprocess
import sys
import unicodedata
from functools import cache
from pathlib import Path

import pytest

from arpad.rate import SYSTEMS

ROOT = Path(__file__).parent.parent
DOCS = sorted((ROOT / "docs").rglob("*.md"))
PAGES = [ROOT / "README.md", *DOCS]


def blocks(page: Path, kind: str) -> list[str]:
    return re.findall(rf"^```{kind}\n(.*?)^```", page.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)


def module(name: str, path: Path):
    """Import a script that belongs to no package."""
    spec = importlib.util.spec_from_file_location(name, path)
    loaded = importlib.util.module_from_spec(spec)
    sys.modules[name] = loaded
    spec.loader.exec_module(loaded)
    return loaded


def without_code(text: str) -> str:
    text = re.sub(r"^ *(```|~~~).*?^ *\1", "", text, flags=re.DOTALL | re.MULTILINE)
    return re.sub(r"`[^`\n]*`", lambda m: m[0].strip("`"), text)


@cache
def anchors(page: Path) -> set[str]:
    """Return the anchors that the site makes of a page's headings."""
    found: set[str] = set()
    for heading in re.findall(r"^#+ (.+)$", without_code(page.read_text("utf-8")), re.MULTILINE):
        plain = unicodedata.normalize("NFKD", heading).encode("ascii", "ignore").decode()
        found.add(re.sub(r"[\s-]+", "-", re.sub(r"[^\w\s-]", "", plain).strip().lower()))
    return found


SESSIONS = module("docs_sessions", ROOT / "tools" / "docs_sessions.py")


@pytest.mark.parametrize("page", SESSIONS.pages(), ids=lambda p: str(p.relative_to(ROOT)))
def test_sessions_print_what_they_show(page, tmp_path):
    for block in blocks(page, "console"):
        for command, shown in SESSIONS.commands(block):
            expected = SESSIONS.tidy(shown)
            assert SESSIONS.run(command, tmp_path) == expected, "python tools/docs_sessions.py"


@pytest.mark.parametrize("page", PAGES, ids=lambda p: str(p.relative_to(ROOT)))
def test_python_sessions(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for block in blocks(page, "console") if page.name == "tutorial.md" else []:
        for command, _ in SESSIONS.commands(block):
            if command.startswith("cat >"):
                subprocess.run(["bash", "-c", command], check=True)
    text = "\n".join(blocks(page, "pycon"))
    if not text:
        return
    example = doctest.DocTestParser().get_doctest(text, {}, page.name, str(page), 0)
    runner = doctest.DocTestRunner(verbose=False, optionflags=doctest.NORMALIZE_WHITESPACE)
    registered = dict(SYSTEMS)
    runner.run(example)
    for name in set(SYSTEMS) - set(registered):
        del SYSTEMS[name]
    assert runner.failures == 0


def test_the_command_reference_is_up_to_date():
    reference = module("command_reference", ROOT / "tools" / "command_reference.py")
    assert reference.PAGE.read_text(encoding="utf-8") == reference.page(), "run make docs"
    manual = reference.man_page()
    assert manual.startswith(".TH ARPAD 1 ")
    sections = re.findall(r'^\.SH "?(.*?)"?$', manual, re.MULTILINE)
    assert [f"arpad {' '.join(v)}" for v in reference.verbs()] == [
        s for s in sections if s.startswith("arpad")
    ]
    assert not [
        line for line in manual.splitlines() if line.startswith(("'", ".")) and line[1:2] not in "TSBInf"
    ]


@pytest.mark.parametrize("page", [*PAGES, ROOT / "CONTRIBUTING.md"], ids=lambda p: str(p.relative_to(ROOT)))
def test_links_lead_somewhere(page):
    text = without_code(page.read_text(encoding="utf-8"))
    for target in re.findall(r"\]\(([^)\s]+)\)|src=\"([^\"]+)\"", text):
        target = target[0] or target[1]
        if "://" in target:
            continue
        name, _, anchor = target.partition("#")
        there = (page.parent / name).resolve() if name else page
        assert there.is_file(), target
        if anchor:
            assert anchor in anchors(there), target


def test_the_site_builds_and_loads_nothing_from_other_hosts(tmp_path):
    pytest.importorskip("mkdocs")
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(tmp_path / "site")],
        cwd=ROOT,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    for page in (tmp_path / "site").rglob("*.html"):
        text = page.read_text(encoding="utf-8")
        assert not re.findall(r'<(?:script|img|iframe)[^>]+src="https?://[^"]+', text), page
        assert not re.findall(r'<link[^>]+rel="stylesheet"[^>]+href="https?://[^"]+', text), page
    api = (tmp_path / "site" / "api.html").read_text(encoding="utf-8")
    import arpad

    for name in set(arpad.__all__) - {"__version__"}:
        assert f'id="arpad.{name}"' in api, f"{name} has no docstring"


def test_words_are_in_common_use():
    words = module("word_check", ROOT / "tools" / "word_check.py")
    found = words.check()
    assert not found, "\n".join(map(str, found))


def test_the_word_check_reads_text_and_not_code():
    words = module("word_check", ROOT / "tools" / "word_check.py")
    text = "# Title\n\nWe foretell `whence`.\n\n```text\nanew\n```\n\nAs it stands.\n"
    assert [(f.line, f.word) for f in words.check_text(text)] == [(3, "foretell"), (9, "As it stands")]
    code = 'anew = 1  # made anew\nraise Error(f"{anew} found\\nas it stands")\n'
    assert [(f.line, f.instead) for f in words.check_text(code, Path("x.py"))] == [
        (1, "again"),
        (2, "unchanged"),
    ]
    assert [p.name for p in words.files(["README.md"])] == ["README.md"]


def test_the_package_description_has_no_relative_links():
    setup = module("setup", ROOT / "setup.py")
    readme = '![A](docs/a.png)<img src="docs/e.png">\n\n[B](docs/b.md#c) [D](https://d.example)'
    assert setup.description(readme, None) == "\n\nB [D](https://d.example)"
    assert setup.description(readme, "https://host.example/arpad/") == (
        "![A](https://host.example/arpad/raw/main/docs/a.png)"
        '<img src="https://host.example/arpad/raw/main/docs/e.png">\n\n'
        "[B](https://host.example/arpad/blob/main/docs/b.md#c) [D](https://d.example)"
    )
    whole = setup.description((ROOT / "README.md").read_text(encoding="utf-8"), None)
    assert not re.search(r"\]\((?!https?://)|<img", without_code(whole))


def test_every_system_has_its_page():
    assert {p.stem for p in (ROOT / "docs" / "methods").glob("*.md")} >= set(SYSTEMS)
