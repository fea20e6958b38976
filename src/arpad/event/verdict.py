"""A verdict on a title norm: every requirement with its article, what was found, pass or fail."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Requirement", "Verdict"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Requirement:
    """One line of the rules, and what one player's games say to it."""

    article: str
    """As the rules number it, such as `1.4.8` or `4.34 ¶4.2`."""
    what: str
    """In a few words: `games played`, `opponents' average`."""
    needed: str
    """As a person reads it: `at least 9`."""
    found: str
    passed: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """Whether one player's games in one event are a norm for one title."""

    player: str
    title: str
    rules: str
    """The regulations by name and date, as in `--rules`."""
    score: float
    games: int
    """Games that count."""
    requirements: tuple[Requirement, ...]
    points_needed: float | None = None
    """The score that would have been enough, everything else as it was; None where no score would."""
    notes: tuple[str, ...] = ()
    """What a person should know beside the requirements: games left out and why."""
    norms_at_once: int = 1
    """Norms that it is worth where it is made: one, but for the USCF's rules of 1994."""

    @property
    def passed(self) -> bool:
        """Say whether every requirement is met."""
        return all(r.passed for r in self.requirements)

    def failed(self) -> tuple[Requirement, ...]:
        """Return the requirements that are not met."""
        return tuple(r for r in self.requirements if not r.passed)

    def summary(self) -> str:
        """Return one sentence."""
        head = f"{self.player}: {self.score:g}/{self.games}, {self.title} norm"
        if self.passed:
            return f"{head} made ({self.rules})"
        reasons = "; ".join(
            f"{r.what} {r.found}, needed {r.needed} [{r.article}]" for r in self.failed()
        )
        return f"{head} not made: {reasons} ({self.rules})"
