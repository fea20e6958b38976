"""Errors carry codes and fields; what to do about them is said by the command line alone."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

import arpad
from arpad.cli.main import REMEDIES, with_remedy
from arpad.cli.output import HINTS
from arpad.errors import InputError, OverwriteError, UsageError

SOURCE = Path(arpad.__file__).parent
EDGES = {"cli", "web"}
"""All other packages name no option of the command line in errors and notes."""
TOLD = {"read/formats.py", "read/rating_list.py"}
"""What `arpad formats` prints."""
OPTION = re.compile(r"(^|[\s(:'`])--[a-z]")


def strings(path: Path) -> list[str]:
    tree = ast.parse(path.read_text("utf-8"))
    bodies = [
        n.body[0]
        for n in ast.walk(tree)
        if isinstance(n, ast.Module | ast.ClassDef | ast.FunctionDef) and n.body
    ]
    docs = {id(b.value) for b in bodies if isinstance(b, ast.Expr)}
    return [
        n.value
        for n in ast.walk(tree)
        if isinstance(n, ast.Constant) and isinstance(n.value, str) and id(n) not in docs
    ]


def modules() -> list[Path]:
    return [p for p in sorted(SOURCE.rglob("*.py")) if p.relative_to(SOURCE).parts[0] not in EDGES]


def test_the_library_names_no_option():
    wrong = [
        f"{path.relative_to(SOURCE)}: {text}"
        for path in modules()
        if str(path.relative_to(SOURCE)) not in TOLD
        for text in strings(path)
        if OPTION.search(text)
    ]
    assert wrong == []


def test_every_remedy_has_an_error():
    text = "".join(
        p.read_text("utf-8") for p in SOURCE.rglob("*.py") if p.relative_to(SOURCE).parts[0] != "cli"
    )
    assert [code for code in REMEDIES if f'"{code}"' not in text] == []


def test_every_hint_has_a_remark():
    text = "".join(p.read_text("utf-8") for p in (SOURCE / "publish" / "reports").glob("*.py"))
    assert [code for code in HINTS if f'"{code}"' not in text] == []


@pytest.mark.parametrize(
    ("error", "line"),
    [
        (OverwriteError("x.csv", "this file was read"), "x.csv: this file was read: give another name"),
        (UsageError("too many", code="too-many-for-pdf", fields={"most": 5}), "too many: --top 5 gives"),
        (InputError("wrong", file="x", line=3), "x:3: wrong"),
    ],
)
def test_the_command_line_adds_the_remedy(error, line):
    assert with_remedy(error).startswith(line)


def test_errors_are_plain_values():
    error = InputError("wrong", file="x", line=3, code="a-code", fields={"n": 1})
    assert (error.reason, error.file, error.line, error.code, error.fields) == (
        "wrong",
        "x",
        3,
        "a-code",
        {"n": 1},
    )
