"""The handicap standings of `arpad event`: for the terminal, as JSON, as a section of the page."""

from __future__ import annotations

from typing import TYPE_CHECKING, get_args

from arpad.errors import UsageError

if TYPE_CHECKING:
    from arpad.event.handicap_standings import HandicapStandings
    from arpad.event.performance import Method
    from arpad.model import Games
    from arpad.publish.page import Section

__all__ = ["document", "made", "parts", "section"]


def made(
    games: Games, handicap: str | None, scratch: str | None, method: Method
) -> HandicapStandings | None:
    """Return the handicap standings that were asked for, or None."""
    if handicap is None:
        if scratch is not None:
            raise UsageError("--scratch is for --handicap: give both, as in --handicap auto")
        return None
    from arpad.cli.handicap import scratch_of
    from arpad.event.handicap_standings import HandicapMethod, handicap_standings

    if handicap not in get_args(HandicapMethod):
        raise UsageError(
            f"--handicap: expected one of {', '.join(get_args(HandicapMethod))}; found {handicap!r}"
        )
    return handicap_standings(
        games,
        method=handicap,  # type: ignore[arg-type]
        scratch=scratch_of(scratch),
        performance_method=method,
    )


def parts(found: HandicapStandings | None) -> list[object]:
    """Return what a person sees below the standings."""
    if found is None:
        return []
    from arpad.cli.output import width
    from arpad.publish.tables import fitted, rich_table

    digits = _digits(found)
    table = rich_table(
        fitted(found.table(), width(), digits), title="Handicap standings", digits=digits
    )
    return ["", table, "", *_sentences(found)]


def document(found: HandicapStandings | None) -> dict[str, object]:
    """Return the key `handicap` of the JSON document."""
    if found is None:
        return {}
    advice = found.advice
    return {
        "handicap": {
            "method": found.method,
            "scratch": found.scratch,
            "parameters": found.parameters,
            "worth_it": None if advice is None else advice.handicap,
            "notes": list(found.notes),
            "players": found.players.to_dicts(),
        }
    }


def section(found: HandicapStandings | None) -> list[Section]:
    """Return the section of the HTML page."""
    if found is None:
        return []
    from arpad.publish.page import Section

    words = " ".join(_sentences(found))
    return [Section("Handicap standings", table=found.table(), words=words, digits=_digits(found))]


def _sentences(found: HandicapStandings) -> list[str]:
    lines = [f"{found.summary()}.", *(f"Note: {note}." for note in found.notes)]
    if found.advice is not None:
        text = found.advice.summary()
        lines.append(f"{text[:1].upper()}{text[1:]}.")
    return lines


def _digits(found: HandicapStandings) -> dict[str, int]:
    digits = {"brasket": 0, "expected": 2}.get(found.method, 1)
    return {
        "rating": 0,
        "performance": 0,
        "performance_error": 0,
        "level": 0,
        "handicap": digits,
        "total": digits,
    }
