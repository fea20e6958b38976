"""``--option NAME=VALUE``: whatever a rating system can be told and no option of its own says."""

from __future__ import annotations

from arpad.errors import UsageError

__all__ = ["told"]

_WORDS = {"yes": True, "true": True, "no": False, "false": False}


def told(system: str, texts: list[str]) -> dict[str, object]:
    """Return options by name, each of the kind of the system's own default."""
    from arpad.rate import SYSTEMS

    make = SYSTEMS.get(system)
    known: dict[str, object] = dict(make.__kwdefaults__ or {}) if make else {}
    found: dict[str, object] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        name = name.strip().replace("-", "_")
        if not equals or not name:
            raise UsageError(f"--option: expected NAME=VALUE, found {text!r}")
        found[name] = _as(known.get(name), value.strip(), text)
    return found


def _as(default: object, value: str, text: str) -> object:
    if isinstance(default, bool):
        if value.lower() not in _WORDS:
            raise UsageError(f"--option: expected yes or no, found {text!r}")
        return _WORDS[value.lower()]
    if not isinstance(default, int | float):
        return value
    try:
        return type(default)(value)
    except ValueError:
        raise UsageError(f"--option: expected a number, found {text!r}") from None
