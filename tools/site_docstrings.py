"""Show the examples in docstrings as code on the API page.

Examples of arpad's docstrings stand between sentences, without a heading. Markdown would take their
``>>>`` for quotations, so that each example becomes a fenced block here.
"""

from __future__ import annotations

import re
from importlib import import_module
from typing import Any

import griffe

EXAMPLE = re.compile(r"^(?P<indent> *)>>> .*(?:\n(?! *$).+)*", re.MULTILINE)


def fence(text: str) -> str:
    """Return a docstring with a fence around each of its examples."""
    return EXAMPLE.sub(lambda match: f"{match['indent']}```pycon\n{match[0]}\n{match['indent']}```", text)


class FencedExamples(griffe.Extension):
    """Put a fence around the examples of every docstring."""

    def on_package(self, *, pkg: griffe.Module, **_: Any) -> None:
        """Change the docstrings of a package once it is loaded."""
        todo: list[griffe.Object] = [pkg]
        while todo:
            each = todo.pop()
            if each.docstring:
                each.docstring.value = fence(each.docstring.value)
            todo += [member for member in each.members.values() if not member.is_alias]
        self.add_public_names(pkg)

    def add_public_names(self, pkg: griffe.Module) -> None:
        """Put every name of ``arpad.__all__`` on the package: Python loads them when they are first used."""
        package = import_module(pkg.path)
        found = {}
        for name in package.__all__:
            value = getattr(package, name)
            if name in package.CALLABLE:
                value = getattr(import_module(package.CALLABLE[name].partition(":")[0]), name)
            if place := getattr(value, "__qualname__", None):
                module = value.__module__.removeprefix(f"{pkg.path}.")
                found[name] = griffe.Alias(name, pkg[f"{module}.{place}"], parent=pkg)
        for name in [
            each for each in pkg.members if pkg.members[each].is_alias or not pkg.members[each].is_module
        ]:
            del pkg.members[name]
        pkg.members.update(found)
        pkg.exports = list(found)
