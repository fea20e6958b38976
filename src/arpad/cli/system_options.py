"""``--option NAME=VALUE``: whatever a rating system can be told and no option of its own says."""

from __future__ import annotations

from typing import TYPE_CHECKING

from arpad.errors import UsageError

if TYPE_CHECKING:
    from inspect import Parameter

__all__ = ["told"]

_WORDS = {"yes": True, "true": True, "no": False, "false": False}


def told(system: str, texts: list[str]) -> dict[str, object]:
    """Return options by name, each of the kind of the system's own default."""
    from inspect import signature

    from arpad.rate import SYSTEMS

    make = SYSTEMS.get(system)
    known = signature(make).parameters if make else {}
    found: dict[str, object] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        name = name.strip().replace("-", "_")
        if not equals or not name:
            raise UsageError(f"--option: expected NAME=VALUE, found {text!r}")
        # A name that is not known is refused, with those that are, where the system is made.
        found[name] = _as(known[name], value.strip(), text) if name in known else value
    return found


def _as(option: Parameter, value: str, text: str) -> object:
    default, kind = option.default, str(option.annotation)
    if isinstance(default, bool):
        if value.lower() not in _WORDS:
            raise UsageError(f"--option: expected yes or no, found {text!r}")
        return _WORDS[value.lower()]
    if value.lower() == "none" and "None" in kind:
        return None
    if not isinstance(default, int | float) and "float" not in kind:
        return value
    if "str" in kind:  # a number, or the name of a policy
        return value
    try:
        return (type(default) if default is not None else float)(value)
    except ValueError:
        raise UsageError(f"--option: expected a number, found {text!r}") from None
