"""Build the verb that was asked for and no other: eighty of them take a tenth of a second.

Typer makes every command out of its function's signature before it looks at what was asked.
"""

from __future__ import annotations

from functools import cache
from itertools import takewhile
from typing import TYPE_CHECKING, Any

import typer
from typer.main import get_command, get_command_name

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["asked_command"]


def asked_command(app: typer.Typer, arguments: Sequence[str]) -> Any:
    """Return the command line with the verb of the arguments alone, or whole where they name none."""
    before = list(takewhile(lambda text: text.startswith("-"), arguments))
    verb = next(iter(arguments[len(before) :]), None)
    alone = verb in _names(app) and not {"-h", "--help"} & set(before)
    return _built(app, verb if alone else None)


@cache
def _names(app: typer.Typer) -> frozenset[str]:
    return frozenset(_name(each) for each in (*app.registered_commands, *app.registered_groups))


def _name(each: Any) -> str:
    """Return what a verb is called: its own name, else that of its function."""
    if isinstance(each.name, str):
        return each.name
    inner = getattr(each, "typer_instance", None)
    if inner is not None:
        return str(inner.info.name)
    return get_command_name(each.callback.__name__)


@cache
def _built(app: typer.Typer, verb: str | None) -> Any:
    if verb is None:
        return get_command(app)
    small = typer.Typer(
        name=app.info.name, help=app.info.help, no_args_is_help=True, rich_markup_mode=None,
        pretty_exceptions_enable=False, context_settings=app.info.context_settings,
    )  # fmt: skip
    small.registered_callback = app.registered_callback
    small.registered_commands = [each for each in app.registered_commands if _name(each) == verb]
    small.registered_groups = [each for each in app.registered_groups if _name(each) == verb]
    return get_command(small)
