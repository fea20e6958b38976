"""Title norms under FIDE's regulations: one verdict for every player and title, every requirement in it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from itertools import combinations, islice
from typing import TYPE_CHECKING

from arpad.errors import UsageError
from arpad.event.norms import fide1957 as titles_1957
from arpad.event.norms import fide1986 as titles_1986
from arpad.event.norms import uscf
from arpad.event.norms.checks import UNKNOWN, Case, ratings_of, requirements, tally
from arpad.event.norms.field import OUTSIDE, NormField, NormGame, field_of, large_open
from arpad.event.norms.rules import (
    NORM_RULES,
    TITLES,
    TODAY,
    NormRules,
    Requirement,
    Setting,
    Verdict,
    above,
    average,
    norm_rules,
    score_needed,
)
from arpad.model import Games

if TYPE_CHECKING:
    from collections.abc import Iterator


SEARCHED = 5000
"""Choices of games that are tried for one player and title, fewest left out first."""
MANY = 12
"""Games more than a norm needs, above which none is left out: no event for norms is so long."""
SCORED = ("1.4.8", "1.4.8b")
"""The requirements that another score would meet."""
Choice = tuple[tuple[NormGame, ...], tuple[str, ...]]
"""Games that might count, and what is to be said of the others."""


def norms(
    games: Games,
    players: Sequence[int] | None = None,
    titles: Sequence[str] | None = None,
    *,
    rules: NormRules = TODAY,
    setting: Setting | None = None,
) -> list[Verdict]:
    """Judge the games of one event.

    players: Rows of `games.players`; everybody who has a pairing by default.
    titles: Which titles to judge; by default those that each player still seeks (see `sought`).

    >>> from arpad.model import Games
    >>> verdict = norms(Games.build([("Ann", "Bob", 1.0)]), titles=["GM"])[0]
    >>> verdict.passed, [r.what for r in verdict.failed()][:2]
    (False, ['games', "federations beside the player's"])
    """
    judge = Judge(games, rules, setting or Setting())
    who = judge.players() if players is None else players
    wanted = {p: sought(judge.field, p) if titles is None else tuple(titles) for p in who}
    return [judge.verdict(p, title) for p in who for title in wanted[p]]


def sought(field: NormField, player: int) -> tuple[str, ...]:
    """Return the titles above the one that a player holds; women's titles for women."""
    held = field.people[player].title or ""
    woman = field.sexes[player] == "w" or held.startswith("W")
    return tuple(t for t in above(held, TITLES) if woman or not t.startswith("W"))


class Judge:
    """The regulations, with one event before them."""

    def __init__(self, games: Games, rules: NormRules = TODAY, setting: Setting | None = None):
        self.rules = rules
        self.setting = setting or Setting()
        self.field = field_of(games, rules, self.setting.rounds)
        self.large = large_open(self.field)

    def players(self) -> list[int]:
        """Return everybody who has a pairing or a bye."""
        return sorted({*self.field.meetings, *self.field.byes})

    def case(self, player: int, title: str) -> Case:
        """Return what one player is measured by for one title."""
        if not 0 <= player < len(self.field.people):
            raise UsageError(
                f"expected a row of the players, 0 to {len(self.field.people) - 1}; found {player}"
            )
        return Case(
            field=self.field,
            player=player,
            level=self.rules.level(title),
            rules=self.rules,
            least_games=self.least_games(),
            spared=self._spared(player),
            exempt=self._exempt(player),
        )

    def least_games(self) -> int:
        """Return how many games a norm needs in this event [1.4.1a, b]."""
        if self.setting.event_kind == "world-cup":
            return self.rules.cup_games
        if self.setting.event_kind == "team" and self.field.rounds in self.rules.team_rounds:
            return self.rules.team_games
        return self.rules.games

    def counted(self, player: int) -> Choice:
        """Return the games that count, and what is said of those that do not [1.4.2]."""
        kept, notes = [], []
        for m in self.field.meetings.get(player, ()):
            why = self._left_out(m)
            if why:
                notes.append(f"round {m.round} against {m.opponent.name} does not count: {why}")
            elif m.status != "unplayed":
                kept.append(m)
        for number, points in self.field.byes.get(player, {}).items():
            notes.append(f"round {number} was a bye ({points:g}) and does not count [1.4.2c]")
        return tuple(kept), tuple(notes)

    def choices(self, player: int) -> Iterator[Choice]:
        """Yield the games that the articles allow to be taken, all of them first."""
        kept, notes = self.counted(player)
        starts = [(kept, notes)]
        forfeit = self._last_forfeit(player)
        if forfeit is not None and len(kept) < self.least_games():
            words = f"round {forfeit.round} counts as lost: the opponent stayed away [1.4.2c]"
            others = [n for n in notes if not n.startswith(f"round {forfeit.round} against")]
            starts.append(((*kept, forfeit), (*others, words)))
        yield from starts
        for meetings, said in starts:
            yield from self._shorter(meetings, said)

    def verdict(self, player: int, title: str) -> Verdict:
        """Return the verdict on the best permitted choice of games, or on all of them."""
        case = self.case(player, title)
        first: tuple[Choice, tuple[Requirement, ...]] | None = None
        for choice in islice(self.choices(player), SEARCHED):
            if first is not None and len(choice[0]) < len(first[0][0]) and not self._fair(first[1]):
                break
            used = case
            if any(m.status == "forfeit" for m in choice[0]):  # not forgiven as well as counted
                used = replace(case, spared=False)
            result = requirements(used, choice[0])
            if all(r.passed for r in result):
                return self._told(used, choice, result)
            first = first or (choice, result)
        assert first is not None
        return self._told(case, *first)

    def _fair(self, whole: tuple[Requirement, ...]) -> bool:
        """Say whether leaving games out may help.

        A round robin must allow the norm as a whole [1.4.1f]; and what is not known, or a title for
        women, does not depend on the games.
        """
        if any(r.found == UNKNOWN or r.article == "0.3.1" for r in whole if not r.passed):
            return False
        return not self.field.predetermined or all(r.passed for r in whole if r.article not in SCORED)

    def _shorter(self, meetings: tuple[NormGame, ...], said: tuple[str, ...]) -> Iterator[Choice]:
        """Leave out the last rounds [1.4.1e] and games that were won [1.4.1f]."""
        least, n = self.least_games(), len(meetings)
        if n - least > MANY:
            return
        for less in range(1, n - least + 1):
            for tail in range(0 if self.field.predetermined else less, -1, -1):
                head = meetings[: n - tail]
                wins = [m for m in head if m.score == 1]
                wins.sort(key=lambda m: ratings_of(m, self.rules))
                for dropped in combinations(wins, less - tail):
                    rest = tuple(m for m in head if m not in dropped)
                    late = [
                        f"round {m.round}, after the norm was made, is ignored [1.4.1e]"
                        for m in meetings[n - tail :]
                    ]
                    won = [
                        f"round {m.round}, the win against {m.opponent.name}, is ignored [1.4.1f]"
                        for m in dropped
                    ]
                    yield rest, (*said, *late, *won)

    def _left_out(self, m: NormGame) -> str:
        if m.status == "forfeit":
            return "decided by forfeit [1.4.2c]"
        if m.opponent.federation == OUTSIDE:
            return "the opponent belongs to no federation of FIDE [1.4.2a]"
        if m.opponent.rating is None and "round robin" in self.field.kind and self._zero(m):
            return "unrated, without a point against rated players in a round robin [1.4.2b]"
        return ""

    def _zero(self, m: NormGame) -> bool:
        if m.opponent.row is None or not self.field.knows_ratings:
            return False
        theirs = self.field.meetings.get(m.opponent.row, ())
        rated = [x for x in theirs if x.opponent.rating is not None and x.status == "played"]
        return bool(rated) and not any(x.score for x in rated)

    def _last_forfeit(self, player: int) -> NormGame | None:
        """Return the game of the last round, won because the opponent stayed away, as a loss."""
        for m in self.field.meetings.get(player, ()):
            if m.round == self.field.rounds and m.status == "forfeit" and m.score == 1:
                return NormGame(round=m.round, opponent=m.opponent, score=0.0, status="forfeit")
        return None

    def _spared(self, player: int) -> bool:
        if self.field.rounds != self.rules.spared_rounds or self.least_games() < self.rules.games:
            return False
        forfeits = sum(m.status == "forfeit" and m.score == 1 for m in self.field.meetings.get(player, ()))
        byes = sum(points == 1 for points in self.field.byes.get(player, {}).values())
        return forfeits + byes == 1

    def _exempt(self, player: int) -> str:
        kind = self.setting.event_kind
        if kind == "zonal":
            return "1.4.3c"
        own = self.field.people[player].federation
        if kind in ("national", "national-team") and own is not None and own == self.field.host:
            return "1.4.3a" if kind == "national" else "1.4.3b"
        return "1.4.3d" if self.large.exempt(self.rules) else ""

    def _told(self, case: Case, choice: Choice, found: tuple[Requirement, ...]) -> Verdict:
        meetings, notes = choice
        score, n = sum(m.score for m in meetings), len(meetings)
        enough = None
        if self.field.knows_ratings and meetings:
            R_a = average([ratings_of(m, self.rules) for m in meetings], case.level.floor)
            enough = score_needed(R_a, n, case.level, self.rules)
        possible = all(r.passed for r in found if r.article not in SCORED)
        passed = all(r.passed for r in found)
        return Verdict(
            player=self.field.people[case.player].name,
            title=case.level.title,
            rules=self.rules.name,
            score=score,
            games=n,
            requirements=found,
            points_needed=enough if possible else None,
            notes=(*notes, *self._remarks(case, meetings, enough if passed else None)),
            row=case.player,
            rounds=tuple(m.round for m in meetings),
        )

    def _remarks(self, case: Case, meetings: tuple[NormGame, ...], enough: float | None) -> Iterator[str]:
        held = self.field.people[case.player].title
        if held in TITLES and TITLES.index(held) <= TITLES.index(case.level.title):
            yield f"holds the title {held} already"
        if not self.field.knows_titles:
            yield "no player has a title in this file: a rating list may have titles"
        result = tally(meetings, case.level)
        if self.field.knows_ratings and 5 * result.unrated > result.games:
            yield (
                f"{result.unrated} of {result.games} opponents are unrated: older regulations allowed 20 %"
            )
        if enough is None:
            return
        score, n = sum(m.score for m in meetings), len(meetings)
        length = n + int(score - enough)
        if case.spared and n < case.least_games:
            length += 1
            yield "a win by forfeit or a bye is forgiven; once in an application [1.4.1c]"
        if self.setting.event_kind == "world-cup" and n == self.rules.cup_games:
            length += 1
        if n > self.rules.longest:
            length = self.rules.longest
        if length != n:
            yield f"counts as {length} games of the 27 [1.4.1, 1.7]"
        if case.exempt:
            yield "one norm of the application must meet 1.4.3 and 1.4.4 without exemption [1.4.3e]"


# Every set of rules for norms by the name it has on the command line.

JudgeFunction = Callable[[Games, Sequence[int] | None, Sequence[str] | None], list[Verdict]]
"""Games of one event, rows of players (None: all), titles (None: those sought) → verdicts."""
JUDGES: dict[str, JudgeFunction] = {
    **{name: partial(norms, rules=rules) for name, rules in NORM_RULES.items()},
    titles_1986.RULES: titles_1986.verdicts,
    titles_1957.RULES: titles_1957.verdicts,
    uscf.RULES: uscf.verdicts,
}


def judge_called(name: str, setting: Setting | None = None) -> JudgeFunction:
    """Return the function that judges by some rules.

    setting: What the file does not say of the event; only FIDE's present rules ask for it.
    """
    chosen = TODAY.name if name == "today" else name
    if chosen not in JUDGES:
        raise UsageError(f"expected rules, one of today, {', '.join(JUDGES)}; found {name!r}")
    if chosen in NORM_RULES:
        return partial(norms, rules=norm_rules(chosen), setting=setting)
    if setting is not None and setting.event_kind != "ordinary":
        raise UsageError(
            f"the rules {chosen} know no events of the kind {setting.event_kind}", code="event-kind"
        )
    return JUDGES[chosen]
