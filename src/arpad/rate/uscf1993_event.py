"""One event as the U.S. federation's program rated it before 1994, in four passes [USCF 1994, 1.2]."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from arpad.rate.uscf1994_event import ESTABLISHED, by_k
from arpad.rate.uscf_standing import FIRST_GAMES, Imputed, Line, Standing

if TYPE_CHECKING:
    from collections.abc import Iterable

    from arpad.rate.uscf1993 import Uscf1993
    from arpad.rate.uscf_sections import Section
    from arpad.rate.uscf_standing import Rule, Saved
    from arpad.rate.uscf_state import UscfPool

__all__ = ["PROVISIONAL_GAMES", "Event1993", "averaged"]

PROVISIONAL_GAMES = 19
"""Games up to which a rating is provisional: 14 and an event of six rounds end it [1.2]."""

PER_GAME = 400.0
"""Points above a beaten opponent, or below a victor, that one game counts [1.2, 4]."""

WEAKEST = 601.0
"""What an opponent rated 600 or less counts for an unrated player who won [1.2]."""

FAR, NEARER = 400.0, 399.0
"""An opponent this far below a provisional player who won counts as one point nearer [1.2]."""

SOON_GAMES, SOON_ROUNDS = 14, 6
"""Games, and rounds of an event, from which on the established formula serves a provisional player [1.2]."""


def averaged(met: Iterable[tuple[float, float]], *, own: float | None = None, N: int = 0) -> float:
    """Return the average of opponents ± 400, with N games at the player's own rating [1.2].

    A beaten opponent counts at least 601 for an unrated player, and at least R − 399 where he is 400
    points or more below a rated one.

    Examples
    --------
    >>> averaged([(1040.0, 1.0)] * 5)
    1440.0
    >>> met = [(900, 0), (1100, 0), (1350, 0), (1400, 0), (1450, 0)]
    >>> round(averaged(met, own=700, N=10))
    747
    """
    worth = []
    for opponent, score in met:
        counted = opponent
        if score == 1 and own is None and opponent < WEAKEST:
            counted = WEAKEST
        elif score == 1 and own is not None and opponent <= own - FAR:
            counted = own - NEARER
        worth.append(counted + PER_GAME * (2 * score - 1))
    return (N * (own or 0.0) + math.fsum(worth)) / (N + len(worth))


class Event1993:
    """One event: the games, and everybody's standing before it."""

    def __init__(self, rules: Uscf1993, section: Section, pool: UscfPool) -> None:
        self.rules = rules
        self.section = section
        self.old = {p: pool.standings[p] for p in section.sides}
        self.status = {p: s.status(PROVISIONAL_GAMES) for p, s in self.old.items()}
        unrated = [p for p, status in self.status.items() if status == "unrated"]
        self.imputed = {p: Imputed(rating=rules.start, by="fixed") for p in unrated}
        self.pre: dict[int, float] = {
            p: rules.start if s.rating is None else s.rating for p, s in self.old.items()
        }
        self.seen = dict(self.pre)

    def rate(self) -> list[Line]:
        """Rate the unrated, the provisional, the unrated again, then the established [1.2]."""
        self._see(self._pass("unrated"))
        provisional = self._pass("provisional")
        self._see(provisional)
        unrated = self._pass("unrated")
        self._see(unrated)
        return unrated + provisional + self._pass("established")

    def _pass(self, group: str) -> list[Line]:
        rated_by = {
            "unrated": self._first,
            "provisional": self._provisional,
            "established": self._established,
        }[group]
        return [rated_by(p) for p, status in self.status.items() if status == group]

    def _see(self, lines: list[Line]) -> None:
        self.seen |= {x.player: x.after.rating for x in lines if x.after.rating is not None}

    def _met(self, player: int, ratings: dict[int, float]) -> Saved:
        return tuple((ratings[who], score) for who, score in self.section.sides[player])

    def _first(self, player: int) -> Line:
        old = self.old[player]
        file = old.saved + self._met(player, self.seen)
        if len(file) < FIRST_GAMES:
            saved = old.saved + self._met(player, self.pre)
            return self._line(player, "on file", Standing(total=len(saved), saved=saved))
        spread = PER_GAME**2 / len(file)
        after = self._after(averaged(file), len(file), spread)
        return self._line(player, "performance", after)

    def _provisional(self, player: int) -> Line:
        old = self.old[player]
        assert old.rating is not None  # its status says so
        if old.total >= SOON_GAMES and self.section.rounds >= SOON_ROUNDS:
            return self._established(player)
        met = self._met(player, self.seen)
        N, m = old.total, len(met)
        spread = (N * N * old.variance + m * PER_GAME**2) / (N + m) ** 2
        after = self._after(averaged(met, own=old.rating, N=N), N + m, spread)
        return self._line(player, "provisional", after)

    def _established(self, player: int) -> Line:
        old = self.old[player]
        assert old.rating is not None  # its status says so
        met = self._met(player, self.seen)
        K = ESTABLISHED.k(old.rating, old.total)
        rating, W_e, variance = by_k(old.rating, K, met, old.variance)
        after = self._after(rating, old.total + len(met), variance)
        return self._line(player, "established", after, expected=W_e, k=K)

    def _after(self, rating: float, total: int, variance: float) -> Standing:
        floor = self.rules.floor
        kept = rating if floor is None else max(rating, floor)
        return Standing(rating=kept, total=total, variance=variance)

    def _line(
        self,
        player: int,
        rule: Rule,
        after: Standing,
        *,
        expected: float | None = None,
        k: float | None = None,
    ) -> Line:
        scores = [score for _, score in self.section.sides[player]]
        return Line(
            event=self.section.number,
            player=player,
            rule=rule,
            games=len(scores),
            score=math.fsum(scores),
            before=self.old[player],
            after=after,
            expected=expected,
            k=k,
        )
