"""Every set of rules for norms by the name it has on the command line."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from arpad.errors import UsageError
from arpad.event.norms import fide1957 as titles_1957
from arpad.event.norms import fide1986 as titles_1986
from arpad.event.norms import uscf_verdicts
from arpad.event.norms.fide import norms
from arpad.event.norms.rules import NORM_RULES, TODAY, Setting, Verdict, norm_rules
from arpad.model import Games

JudgeFunction = Callable[[Games, Sequence[int] | None, Sequence[str] | None], list[Verdict]]
"""Games of one event, rows of players (None: all), titles (None: those sought) → verdicts."""
JUDGES: dict[str, JudgeFunction] = {
    **{name: partial(norms, rules=rules) for name, rules in NORM_RULES.items()},
    titles_1986.RULES: titles_1986.verdicts,
    titles_1957.RULES: titles_1957.verdicts,
    uscf_verdicts.RULES: uscf_verdicts.verdicts,
}


def judge_called(name: str, setting: Setting | None = None) -> JudgeFunction:
    """Return the function that judges by some rules.

    Parameters
    ----------
    setting
        What the file does not say of the event; only FIDE's present rules ask for it.
    """
    chosen = TODAY.name if name == "today" else name
    if chosen not in JUDGES:
        raise UsageError(f"expected rules, one of today, {', '.join(JUDGES)}; found {name!r}")
    if chosen in NORM_RULES:
        return partial(norms, rules=norm_rules(chosen), setting=setting)
    if setting is not None and setting.event_kind != "ordinary":
        raise UsageError(
            f"the rules {chosen} know no events of the kind {setting.event_kind}: leave --event-kind out"
        )
    return JUDGES[chosen]
