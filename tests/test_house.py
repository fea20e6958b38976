"""The shape of the house: imports point one way, names are sorted, nothing heavy is pulled in."""

from __future__ import annotations

import ast
import importlib
import subprocess
import sys
from pathlib import Path

import pytest

SOURCE = Path(__file__).parent.parent / "src" / "arpad"
ROOMS = [
    "errors", "evaluation", "expectancy_table", "scale", "scale_conversion", "scale_family", "schema", "model", "workers", "read", "store", "rate", "event", "pool", "moves", "lab", "office",
    "publish", "web", "cli", "__main__",
]  # fmt: skip
NEVER = {room: {"store"} for room in ("rate", "event", "pool", "moves")}
MODULES = sorted(SOURCE.rglob("*.py"))
OFFICE = ["rules", "records", "intake", "deciding", "making", "verdicts", "showing"]
"""The desks of the rating officer, in the order in which work goes over them."""


def room_of(module: str) -> str:
    return module.split(".")[1] if "." in module else ""


def imports(path):
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("arpad"):
            yield node.module if node.module != "arpad" else f"arpad.{node.names[0].name}"
        elif isinstance(node, ast.Import):
            yield from (a.name for a in node.names if a.name.startswith("arpad."))


@pytest.mark.parametrize("path", MODULES, ids=lambda p: str(p.relative_to(SOURCE)))
def test_imports_point_one_way(path):
    here = path.relative_to(SOURCE).with_suffix("").parts[0]
    if here == "__init__":
        return  # the front door names everything
    for module in imports(path):
        there = room_of(module)
        assert ROOMS.index(there) <= ROOMS.index(here), f"{here} must not import {module}"
        assert there not in NEVER.get(here, set())


@pytest.mark.parametrize("desk", OFFICE)
def test_work_in_the_office_goes_one_way(desk):
    later = set(OFFICE[OFFICE.index(desk) + 1 :])
    for path in (SOURCE / "office" / desk).glob("*.py"):
        office = [m.split(".")[2] for m in imports(path) if m.startswith("arpad.office.")]
        assert not later & set(office), (
            f"{path.stem} of {desk} must not import {later & set(office)}"
        )


def test_every_module_of_the_office_is_on_a_desk():
    found = sorted(p.name for p in (SOURCE / "office").iterdir() if p.name != "__pycache__")
    assert found == sorted(["__init__.py", *OFFICE])


@pytest.mark.parametrize("path", MODULES, ids=lambda p: str(p.relative_to(SOURCE)))
def test_modules_stay_small(path):
    assert len(path.read_text(encoding="utf-8").splitlines()) <= 300


@pytest.mark.parametrize("path", MODULES, ids=lambda p: str(p.relative_to(SOURCE)))
def test_all_is_sorted_and_true(path):
    parts = path.relative_to(SOURCE.parent).with_suffix("").parts
    module = importlib.import_module(".".join(p for p in parts if p != "__init__"))
    names = getattr(module, "__all__", [])
    order = sorted(names, key=lambda n: (not n.isupper(), not n[:1].isupper(), n))
    assert list(names) == order or list(names) == sorted(names)
    for name in names:
        assert getattr(module, name) is not None


def test_front_door_knows_where_everything_lives():
    import arpad

    assert sorted(arpad._HOMES) == sorted(arpad.__all__)
    # No room has the name of something at the door: importing the room would hide it.
    assert not {p.stem for p in SOURCE.iterdir()} & set(arpad.__all__)


def test_import_arpad_pulls_in_nothing_heavy():
    code = "import sys, arpad; print([m for m in ('polars','numpy','numba','scipy','altair','chess') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_help_imports_nothing_heavy():
    code = "import sys, arpad.cli.main; print([m for m in ('polars','numpy','numba','scipy','altair','chess','rich.table') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
