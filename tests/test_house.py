"""The shape of the code base: packages in one order, no cycles, small folders, light start."""

from __future__ import annotations

import ast
import importlib
import subprocess
import sys
from collections import Counter, defaultdict
from functools import cache
from pathlib import Path

SOURCE = Path(__file__).parent.parent / "src" / "arpad"
ORDER = [
    "errors", "scale", "model", "evaluation", "files", "parallel", "read", "rate", "event", "pool", "moves", "lab",
    "ledger", "publish", "testing", "cli", "web", "__main__",
]  # fmt: skip
"""Packages in the order in which data flows: a package imports only those before it."""
EDGES = {"cli", "web"}
"""Packages that only parse, call and render: nothing imports them."""
SERVER = {("arpad.cli.housekeeping", "web")}
"""`arpad serve` starts the web app, and `arpad demo` shows it."""
MOST_MODULES, MOST_LINES, MOST_IN_A_FOLDER, MOST_SINGLE_IMPORTERS = 321, 112_500, 20, 25
HEAVY = ("polars", "numpy", "numba", "scipy", "altair", "chess", "rich.table")


def name_of(path: Path) -> str:
    parts = ["arpad", *path.relative_to(SOURCE).with_suffix("").parts]
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@cache
def modules() -> dict[str, ast.Module]:
    return {name_of(p): ast.parse(p.read_text("utf-8")) for p in sorted(SOURCE.rglob("*.py"))}


def for_types(tree: ast.Module) -> set[ast.AST]:
    """Return the imports under ``if TYPE_CHECKING``."""
    blocks = [n for n in ast.walk(tree) if isinstance(n, ast.If)]
    named = [n for n in blocks if isinstance(n.test, ast.Name) and n.test.id == "TYPE_CHECKING"]
    return {inner for block in named for inner in ast.walk(block)}


@cache
def imports() -> dict[str, set[str]]:
    """Return the modules that each module imports, inside functions too."""
    known = modules()
    graph: dict[str, set[str]] = defaultdict(set)
    for here, tree in known.items():
        types = for_types(tree)
        for node in ast.walk(tree):
            if node in types:
                continue
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("arpad"):
                for alias in node.names:
                    inner = f"{node.module}.{alias.name}"
                    graph[here].add(inner if inner in known else str(node.module))
            elif isinstance(node, ast.Import):
                graph[here].update(a.name for a in node.names if a.name in known)
    return graph


def place(module: str) -> int:
    parts = module.split(".")
    return ORDER.index(parts[1]) if len(parts) > 1 else -1


def test_imports_point_one_way():
    wrong = [
        f"{here} must not import {there}"
        for here, others in imports().items()
        for there in others
        if here != "arpad" and place(there) > place(here) and (here, there.split(".")[1]) not in SERVER
    ]
    assert not wrong


def test_nothing_imports_the_command_line_or_the_web_app():
    wrong = [
        f"{here} must not import {there}"
        for here, others in imports().items()
        for there in others
        if there.split(".")[1:2]
        and there.split(".")[1] in EDGES
        and here.split(".")[1:2] != there.split(".")[1:2]
        and here != "arpad.__main__"
        and (here, there.split(".")[1]) not in SERVER
    ]
    assert not wrong


SCIENCE = {"numpy", "scipy", "numba", "statistics"}
FIGURES = {"group_by", "agg", "pivot", "rank", "over", "cum_sum", "std", "corr", "quantile"}
"""What turns rows into figures: the work of the library."""
STILL_IN_VERBS = {("arpad.cli.ledger.players", "group_by")}
"""Rows that it cuts into parts to print them."""


def test_the_command_line_computes_nothing():
    """No array, statistic, power or grouping of rows in a verb: it parses, calls and renders."""
    wrong = set()
    for name, tree in modules().items():
        if not name.startswith("arpad.cli."):
            continue
        types = for_types(tree)
        for node in ast.walk(tree):
            if isinstance(node, ast.Import | ast.ImportFrom) and node not in types:
                names = (
                    [node.module or ""] if isinstance(node, ast.ImportFrom) else [a.name for a in node.names]
                )
                wrong |= {(name, n) for n in names if n.partition(".")[0] in SCIENCE}
            elif (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Attribute)
                and node.func.attr in FIGURES
            ):
                wrong.add((name, node.func.attr))
            elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow | ast.MatMult):
                if not isinstance(node.left, ast.Constant):
                    wrong.add((name, ast.unparse(node)))
    assert wrong - STILL_IN_VERBS == set()


def test_no_module_imports_itself_in_a_circle():
    graph, done, path = imports(), set(), []

    def visit(module: str) -> None:
        assert module not in path, " -> ".join([*path[path.index(module) :], module])
        if module in done or module in DOORS:
            return
        path.append(module)
        for other in sorted(graph.get(module, ())):
            if other != module:
                visit(other)
        path.pop()
        done.add(module)

    DOORS = {name_of(p) for p in SOURCE.rglob("__init__.py")}
    for module in sorted(modules()):
        visit(module)


def test_folders_and_modules_stay_few():
    paths = list(SOURCE.rglob("*.py"))
    folders = Counter(p.parent for p in paths if p.name != "__init__.py")
    assert {str(f): n for f, n in folders.items() if n > MOST_IN_A_FOLDER} == {}
    assert len(paths) <= MOST_MODULES
    assert sum(len(p.read_text("utf-8").splitlines()) for p in paths) <= MOST_LINES


def test_few_modules_have_a_single_importer_beside_them():
    users = defaultdict(set)
    for here, others in imports().items():
        for there in others:
            users[there].add(here)
    lonely = [
        m for m, who in users.items()
        if len(who) == 1 and next(iter(who)).rpartition(".")[0] == m.rpartition(".")[0]
    ]  # fmt: skip
    assert len(lonely) <= MOST_SINGLE_IMPORTERS, sorted(lonely)


def test_a_class_name_is_used_once():
    classes = Counter(
        node.name for tree in modules().values() for node in ast.walk(tree) if isinstance(node, ast.ClassDef)
    )
    assert [name for name, n in classes.items() if n > 1] == []


def test_the_formatter_formats():
    marked = [name_of(p) for p in SOURCE.rglob("*.py") if "# fmt: skip" in p.read_text("utf-8")]
    assert marked == []


def test_only_packages_declare_their_names():
    """A name is private when it begins with an underscore; a list in every module would say it twice."""
    declared = [
        name_of(p)
        for p in SOURCE.rglob("*.py")
        if p.name != "__init__.py" and "\n__all__" in p.read_text("utf-8")
    ]
    assert declared == []


def test_every_module_can_be_imported():
    for name in modules():
        if name not in ("arpad.__main__", "arpad.web.jobs.preview", "arpad.web.jobs.worker"):
            importlib.import_module(name)


def _loaded(statement: str) -> str:
    code = f"import sys, {statement}; print([m for m in {HEAVY!r} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout.strip()


def test_the_door_and_help_import_nothing_heavy():
    assert _loaded("arpad") == "[]"
    assert _loaded("arpad.cli.main") == "[]"
