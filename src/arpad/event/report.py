"""The report of one event: standings beside the official ranks, performances, rating changes."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import asdict, dataclass, field, fields, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import polars as pl

from arpad.errors import UsageError, counted
from arpad.event.fide1986 import fide_event_1986
from arpad.event.field import (
    ON_THE_BOARD,
    ROUND,
    Crosstable,
    category,
    crosstable,
    joined_parts,
    kind_of,
    known_ratings,
    sides,
)
from arpad.event.norms.fide import judge_called, norms
from arpad.event.norms.field import one_event
from arpad.event.norms.rules import Verdicts
from arpad.event.performance import Method, performance
from arpad.event.team_standings import TeamStandings, team_standings
from arpad.event.tiebreaks import (
    RULES,
    TEAM_NAMES,
    Ranking,
    TieBreakRules,
    event_field,
    rank_by,
    ranking,
    tie_break_order,
)
from arpad.event.tiebreaks import tie_breaks as usual_breaks
from arpad.model import Games, Ratings, Result
from arpad.rate.elo_reference import plain
from arpad.rate.fide.rules import RULES as FIDE_RULES
from arpad.rate.fide.system import Fide
from arpad.rate.system import rate
from arpad.read.reading import games_from
from arpad.scale import Curve

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from arpad.event.field import Side
    from arpad.event.norms.rules import Setting, Verdict
    from arpad.rate.system import RatingSystem
    from arpad.read.reading import GamesLike


CANDIDATES = (
    *("BH,SB", "BH-C1,BH,SB", "DE,BH-C1,BH,SB", "BH-C1,BH,ARO-C1", "BH-M1,BH,SB", "BH,PS"),
    *("SB,BH", "PS,BH", "DE,WIN,SB", "DE,SB,KS", "SB,WIN", "DE,BH,SB", "BH-C1,BH,DE", "ARO,BH"),
    *("WIN,BH-C1,BH", "RTNG", "TPN"),
)
"""Orders that events announce most often; tried one by one where a file does not say its own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OfficialPlace:
    """A player whose official place points and tie-breaks do not give."""

    row: int
    name: str
    official: int
    computed: int
    """The place here, among those who have an official one."""
    behind: str
    """Whom the file has directly in front."""
    tie_break: str
    """The first tie-break that puts this player before that one."""
    value: float | None
    value_in_front: float | None
    unplayed: bool
    """Whether one of the two players, or one of their opponents, has an unplayed round."""

    def describe(self) -> str:
        """Return one sentence."""
        figures = (
            ""
            if self.value is None or self.value_in_front is None
            else f" {self.value:g} against {self.value_in_front:g}"
        )
        why = "; an unplayed round is in these figures" if self.unplayed else ""
        return f"Place {self.official}, {self.name}: by {self.tie_break}{figures} before {self.behind}{why}."


@dataclass(frozen=True, slots=True, kw_only=True)
class OfficialRanks:
    """Comparison of the official places with a ranking."""

    order: tuple[str, ...]
    rules: TieBreakRules
    players: int
    """With an official place."""
    agreeing: int
    """Players whose official place is theirs here, or one of those that the level share."""
    undecided: int
    """Neighbours in the file who are level here."""
    contradictions: tuple[OfficialPlace, ...]
    """Players whom the file has behind somebody whom they are before here."""

    @property
    def explained(self) -> bool:
        """Whether the order agrees with every official place."""
        return not self.contradictions

    def describe(self) -> str:
        """Return one sentence."""
        by = f"{', '.join(self.order)} with unplayed rounds by the rules of {self.rules}"
        if self.explained:
            return f"The official places of {self.players} players agree with {by}."
        return (
            f"{self.agreeing} of {self.players} official places agree with {by}; "
            f"{len(self.contradictions)} {'contradicts' if len(self.contradictions) == 1 else 'contradict'} it."
        )


def compare_ranks(games: Games, found: Ranking, touched: set[int] | None = None) -> OfficialRanks | None:
    """Compare a ranking with the places in the event's file; None where the file has none.

    touched: Players whom unplayed rounds concern, where they are known already.
    """
    event = games.events[0] if len(games.events) == 1 else None
    official = {} if event is None else {p: r for p, r in event.ranks if p in found.ranks}
    if len(set(official.values())) < 2:
        return None
    order = sorted(official, key=lambda p: official[p])
    places = _places(official, found)
    level = Counter(places.values())
    agreeing = sum(places[p] <= official[p] < places[p] + level[places[p]] for p in order)
    names = games.players["name"].to_list()
    touched = _with_unplayed(games) if touched is None else touched
    wrong = []
    for front, p in pairwise(order):
        if places[p] < places[front]:
            own, front_own = found.values[p], found.values[front]
            code = next((c for c in found.codes if own[c] != front_own[c]), found.codes[-1])
            wrong.append(
                OfficialPlace(
                    row=p,
                    name=names[p],
                    official=official[p],
                    computed=places[p],
                    behind=names[front],
                    tie_break=code,
                    value=own[code],
                    value_in_front=front_own[code],
                    unplayed=p in touched or front in touched,
                )
            )
    return OfficialRanks(
        order=found.codes,
        rules=found.rules,
        players=len(order),
        agreeing=agreeing,
        undecided=sum(places[a] == places[b] for a, b in pairwise(order)),
        contradictions=tuple(wrong),
    )


def explain_ranks(games: Games, *, ratings: Mapping[int, float] | None = None) -> OfficialRanks | None:
    """Return the usual order and rules that leave the fewest official places contradicted or undecided."""
    tries: list[OfficialRanks] = []
    field = event_field(games, known_ratings(games) if ratings is None else ratings)
    touched = _with_unplayed(games)
    known: dict[tuple[str, str], Mapping[int, float | None]] = {}
    for rules in RULES:
        for text in CANDIDATES:
            order = tie_break_order(text)
            ranks, values = rank_by(field, order, rules, known)
            tried = Ranking(order=order, rules=rules, source="tried", ranks=ranks, values=values)
            result = compare_ranks(games, tried, touched)
            if result is None:
                return None
            tries.append(result)
    return min(tries, key=lambda r: (len(r.contradictions) + r.undecided, len(r.contradictions)))


def _places(official: Mapping[int, int], found: Ranking) -> dict[int, int]:
    """Return places among those who have an official one: others may have left the event."""
    order = sorted(official, key=lambda p: found.ranks[p])
    first: dict[int, int] = {}
    return {p: first.setdefault(found.ranks[p], at) for at, p in enumerate(order, start=1)}


def _with_unplayed(games: Games) -> set[int]:
    """Return who has an unplayed round, or an opponent with one."""
    own: set[int] = set()
    met: dict[int, set[int]] = defaultdict(set)
    count: Counter[int] = Counter()
    for side in sides(games):
        if side.status in ON_THE_BOARD:
            count[side.player] += 1
        else:
            own.add(side.player)
        if side.opponent is not None:
            met[side.player].add(side.opponent)
    most = max(count.values(), default=0)
    own |= {p for p, n in count.items() if n < most}
    return own | {p for p, others in met.items() if others & own}


# What any rating system makes of one event: expected scores, changes, new ratings.


@dataclass(frozen=True, slots=True, kw_only=True)
class RatingChange:
    """A system's rating change from one player's games; None if it gives none."""

    before: float | None = None
    score: float | None = None
    """Points in the games that the system rates, where it lists them."""
    expected: float | None = None
    change: float | None = None
    k: float | None = None
    after: float | None = None
    error: float | None = None
    status: str | None = None
    total_games: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RatingChanges:
    """Changes by row of the players, and what the system says of these games."""

    changes: Mapping[int, RatingChange] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    def of(self, player: int) -> RatingChange:
        """Return a player's change."""
        return self.changes.get(player, RatingChange())


def rating_changes(
    games: Games,
    system: RatingSystem,
    before: Ratings | None = None,
    *,
    given: dict[int, float] | None = None,
) -> RatingChanges:
    """Rate all games as one file, and return what changes for whom.

    A system that does not list expected scores has them from its curve and `given`, what `known_ratings` returns.
    """
    earlier = _renumbered(before, games)
    rated = rate(system, _numbered(games), earlier)
    share = _share(system, earlier)
    expected: Mapping[int, float] = {}
    if "expected" not in rated.rows.columns and share is not None:
        expected = _expected(games, share, rated, known_ratings(games) if given is None else given)
    result: dict[int, RatingChange] = {}
    for row in rated.rows.to_dicts():
        player = int(row["id"])
        listed = {f.name: row.get("rating" if f.name == "after" else f.name) for f in fields(RatingChange)}
        known = {name: value for name, value in listed.items() if value is not None}
        result[player] = RatingChange(**{"expected": expected.get(player), **known})
    return RatingChanges(changes=result, notes=tuple(rated.source.get("notes", ())))


RULES_1986 = "1986"
"""The name of FIDE's regulations of 1986, the oldest known here [Elo 4.5]."""


def changes_of_1986(games: Games) -> RatingChanges:
    """Return W_e, K and K (W − W_e) by FIDE's regulations of 1986 [Elo 4.53–4.56]."""
    if not known_ratings(games):
        return RatingChanges()
    row = pl.int_range(pl.len()).cast(pl.String).alias("name")
    try:
        event = fide_event_1986(Games(games.table, games.players.with_columns(row), games.events))
    except UsageError as error:
        return RatingChanges(notes=(f"no rating changes by the regulations of 1986: {error}",))
    changes = {}
    for line in event.rows.to_dicts():
        figures = {name: line[name] for name in ("score", "expected", "change", "k")}
        after = None if line["change"] is None else line["rating"] + line["change"]
        changes[int(line["player"])] = RatingChange(before=line["rating"], after=after, **figures)
    return RatingChanges(changes=changes)


def older_than_rules(games: Games) -> bool:
    """Say whether an event began before FIDE's oldest rules but those of 1986."""
    starts = [e.start for e in games.events if e.start is not None]
    day = min(starts) if starts else games.table["date"].min()
    return day is not None and str(day) < min(r.since for r in FIDE_RULES.values())


def _numbered(games: Games) -> Games:
    """Give everybody the row as id: two people may share a name, or an id."""
    row = pl.int_range(pl.len()).cast(pl.String).alias("id")
    return Games(games.table, games.players.with_columns(row), games.events)


def _renumbered(before: Ratings | None, games: Games) -> Ratings | None:
    """Return the part of a list that speaks of these players, by the same ids."""
    if before is None:
        return None
    whole = before.rows
    # Ratings.lookup passes over who has no rating: a number that is none stands for it.
    seen = Ratings(
        system=before.system,
        rows=whole.with_columns(pl.col("rating").cast(pl.Float64).fill_null(math.nan)),
        parameters=before.parameters,
        source=before.source,
    )
    columns = {c: seen.lookup(games.players, c) for c in whole.columns if c not in ("player", "id")}
    rows = pl.DataFrame(
        {
            "player": games.players["name"],
            "id": pl.int_range(games.players.height, eager=True).cast(pl.String),
            **columns,
        }
    ).filter(~pl.all_horizontal(pl.exclude("player", "id").is_null()))
    rows = rows.with_columns(pl.col("rating").fill_nan(None))
    return Ratings(system=before.system, rows=rows, parameters=before.parameters, source=before.source)


Share = Callable[[float, float, int, int], float]
"""Function that gives a player's expected score from the ratings and the rows of both players."""


def _share(system: RatingSystem, before: Ratings | None) -> Share | None:
    """Return what a system expects; where it knows of spreads, by those of the list, else of given ratings."""
    chance = getattr(system, "expected_score", None)
    if chance is not None and not getattr(system, "whole_past", False):
        own, most = getattr(system, "given_error", 0.0), getattr(system, "max_error", math.inf)
        listed: dict[int, float] = {}
        if before is not None and "error" in before.rows.columns:
            pairs = before.rows.select("id", pl.col("error").cast(pl.Float64)).iter_rows()
            listed = {int(who): min(e, most) for who, e in pairs if e is not None and e >= 0}
        return lambda R, R_c, a, b: float(chance(R, listed.get(a, own), R_c, listed.get(b, own)))
    curve = getattr(system, "curve", None)
    if not isinstance(curve, Curve):
        return None
    by_difference = plain(curve)
    return lambda R, R_c, _a, _b: by_difference(R - R_c)


def _expected(games: Games, share: Share, rated: Ratings, given: Mapping[int, float]) -> dict[int, float]:
    """Return W_e against everybody who came with a rating."""
    known = {**given}
    if "before" in rated.rows.columns:
        listed = rated.rows[["id", "before"]].iter_rows()
        known |= {int(player): float(rating) for player, rating in listed if rating is not None}
    result: dict[int, list[float]] = defaultdict(list)
    for white, black, status in games.table[["white", "black", "status"]].iter_rows():
        if status == "played" and white in known and black in known:
            p = share(known[white], known[black], white, black)
            result[white].append(p)
            result[black].append(1 - p)
    return {player: math.fsum(shares) for player, shares in result.items()}


# The report of one event: standings, performances, expected against actual, rating changes.


@dataclass(frozen=True, slots=True, kw_only=True)
class EventReport(Result):
    """Full report on one event."""

    name: str
    site: str | None
    kind: str
    games: int
    average: float | None
    category: int | None
    method: Method
    players: pl.DataFrame
    """Best first: rank, name, rating, points, games, performance, the exact one with its error, the average
    rating of the opponents, score (W in games that are rated), expected, change, new rating, tie-breaks."""
    crosstable: Crosstable
    parameters: dict[str, object]
    system: str = "fide"
    """The rating system of `expected`, `change`, `k`, `after` and `status`."""
    notes: tuple[str, ...] = ()
    """Notes of that system about these games."""
    rows: tuple[int, ...] = ()
    """The row that each of `players` has in the players of the games."""
    ranking: Ranking | None = None
    """The tie-breaks that decide, their order and rules."""
    teams: TeamStandings | None = None
    """Standings of the teams; None where the file names none."""
    official: OfficialRanks | None = None
    """Comparison with the places in the file; None if the file has none."""
    source: Games | None = field(default=None, repr=False, compare=False)
    """The games themselves."""
    norms_made: tuple[Verdict, ...] | None = None
    """Title norms that were made; None where the file knows no titles or federations, or nobody looked."""

    def table(self) -> pl.DataFrame:
        """Return the standings: without empty columns, and without W where it is just the points."""
        rows = self.players
        same = (rows["score"] == rows["points"]).fill_null(True).all()
        leave = [c for c in rows.columns if rows[c].is_null().all() or (c == "score" and same)]
        return rows.drop(leave)

    @property
    def tie_break_order(self) -> tuple[str, ...]:
        """FIDE's codes of the tie-breaks, in order."""
        return () if self.ranking is None else self.ranking.codes

    def tie_break_words(self) -> str:
        """Return a sentence on the order of the standings."""
        return "" if self.ranking is None else self.ranking.describe()

    def standings(self) -> list[dict[str, object]]:
        """Return the standings for programs: rank, name, points, tie-breaks by code, performance, change."""
        values = {} if self.ranking is None else self.ranking.values
        wanted = (
            *("rank", "name", "title", "federation", "rating", "points", "performance"),
            *("performance_exact", "average_opponent", "k", "change"),
        )
        return [
            {**{name: one[name] for name in wanted}, "tie_breaks": dict(values.get(row, {}))}
            for row, one in zip(self.rows, self.players.to_dicts(), strict=True)
        ]

    def standings_table(self) -> pl.DataFrame:
        """Return the standings for people, with the deciding tie-breaks behind the points."""
        values = {} if self.ranking is None else self.ranking.values
        codes = [c for c in self.tie_break_order if c not in ("PTS", "RTNG", "TPN")]
        columns = {c: [values.get(row, {}).get(c) for row in self.rows] for c in codes}
        rows = self.players.select("rank", "title", "name", "federation", "rating", "points").with_columns(
            pl.Series(c, v, dtype=pl.Float64) for c, v in columns.items()
        )
        rows = rows.hstack(self.players.select("performance", "k", "change"))
        return rows.select(c for c in rows.columns if not rows[c].is_null().all())

    def norms(self, rules: str = "today", *, setting: Setting | None = None) -> Verdicts:
        """Return a verdict for every title that a player can earn, requirement by requirement.

        rules: The regulations by name: today, 2024-01, 1986, 1957, uscf1994.
        setting: The kind of the event and its rounds, where they are not the usual ones.
        """
        if self.source is None:
            raise UsageError("this report has no games to look for norms in", code="no-games")
        judge = judge_called(rules, setting)
        return Verdicts(v for part in one_event(self.source) for v in judge(part.games, None, None))

    def summary(self) -> str:
        """Return one sentence on the event."""
        level = "" if self.average is None else f", average {self.average:.0f}"
        step = "" if self.category is None else f" (category {self.category})"
        size = f"{counted(self.players.height, 'player')}, {counted(self.games, 'game')}"
        return f"{self.name}: {self.kind}, {size}{level}{step}"


def event(games: GamesLike, **options: Any) -> EventReport:
    """Report on one event: standings, crosstable, performances, rating changes.

    Parameters
    ----------
    games
        A file, several files, a Polars or pandas frame, tuples ``(white, black, score)``, or games.
    options
        Options of `report`; an unknown name is an error.
    """
    return report(games_from(games), **options)


def report(
    games: Games,
    *,
    method: Method = "fide",
    tie_breaks: str | Iterable[str] | None = None,
    tie_break_rules: TieBreakRules | None = None,
    after: int | None = None,
    system: RatingSystem | str | None = None,
    before: Ratings | None = None,
    places: Mapping[int, int] | None = None,
    judged: bool = True,
) -> EventReport:
    """Report on all `games` as one event.

    Parameters
    ----------
    method
        Of the performance ratings: FIDE's by default, and the exact one stands beside it.
    tie_breaks
        FIDE's codes in their order, as `BH-C1,BH,SB,DE`; by default those that the file announces.
    tie_break_rules
        For unplayed rounds; by default those in force when the event began.
    after
        Rank as after this round.
    system
        Any rating system: it gives the expected scores and the rating changes. FIDE's of today by default;
        `"1986"`, FIDE's regulations of that year, for events older than FIDE's other rules known here.
    before
        An earlier list; what it says of a player goes before the ratings in the file.
    places
        Places by row of the players, in the stead of those by points and tie-breaks; a drawn match is drawn
        all the same.
    judged
        Look for title norms, too.
    """
    if not len(games):
        raise UsageError("expected an event with games, found none")
    games = joined_parts(games)
    if isinstance(system, str) and system != RULES_1986:
        raise UsageError(f"expected a rating system or {RULES_1986!r}, found {system!r}")
    old = system == RULES_1986 if system is not None else older_than_rules(games)
    rules = Fide() if system is None or isinstance(system, str) else system
    if after is not None:
        games = until_round(games, after)
    given = known_ratings(games)
    ratings = dict(given)
    if old:
        listed = {} if before is None else dict(enumerate(before.lookup(games.players, "rating").to_list()))
        own = given | {p: float(rating) for p, rating in listed.items() if rating is not None}
        change = changes_of_1986(games if before is None else with_ratings(games, own))
    else:
        change = rating_changes(games, rules, before, given=given)
    if before is not None:
        ratings |= {p: c.before for p, c in change.changes.items() if c.before is not None}
    breaks = usual_breaks(games, rules=tie_break_rules)
    asked, team_order = _whose(games, tie_breaks)
    ranked = ranking(games, tie_breaks=asked, rules=tie_break_rules, ratings=ratings)
    people = {name: games.players[name].to_list() for name in ("name", "title", "federation")}
    played: dict[int, list[Side]] = defaultdict(list)
    for side in sides(games):
        if side.status in ON_THE_BOARD:
            played[side.player].append(side)
    kind = kind_of(games)
    standing = dict(ranked.ranks)
    if places is not None and kind != "match":
        standing = {p: places[p] for p in breaks}
    order = sorted(breaks, key=lambda p: (standing[p], -(ratings.get(p) or 0), people["name"][p]))
    first: dict[int, int] = {}
    ranks = {p: first.setdefault(standing[p], place) for place, p in enumerate(order, start=1)}
    rows = []
    for p in order:
        changed = change.of(p)
        met = [side for side in played[p] if side.status == "played" and side.opponent in ratings]
        opponents = [ratings[side.opponent] for side in met if side.opponent is not None]
        score = sum(side.share or 0.0 for side in met)
        result = performance(score, opponents, method=method) if opponents else None
        exact = performance(score, opponents, method="exact") if opponents else None
        error = exact if result is None or method == "fide" else result
        standing_of = breaks[p]
        rows.append(
            {
                "rank": ranks[p],
                **{name: values[p] for name, values in people.items()},
                "rating": ratings.get(p),
                "points": standing_of.points,
                "games": len(played[p]),
                "performance": None if result is None else result.rating,
                "performance_exact": None if exact is None else exact.rating,
                "performance_error": None if error is None else error.error,
                "average_opponent": None if result is None else result.average,
                **{name: getattr(changed, name) for name in ("score", "expected", "change", "k", "after")},
                "after_error": changed.error,
                **{name: getattr(changed, name) for name in ("status", "total_games")},
                **{name: value for name, value in asdict(standing_of).items() if name != "points"},
            }
        )
    known = [r for p, r in ratings.items() if p in breaks]
    average = sum(known) / len(known) if known and len(known) == len(breaks) else None
    step = None if average is None or kind == "match" else category(average)
    event = games.events[0] if games.events else None
    return EventReport(
        name=" / ".join(dict.fromkeys(e.name for e in games.events)) or "Event",
        site=event.site if event else None,
        kind=kind,
        games=int((games.table["status"] == "played").sum()),
        average=average,
        category=step,
        method=method,
        players=pl.DataFrame(rows, infer_schema_length=None),
        crosstable=crosstable(games, ranks, ratings, {p: b.points for p, b in breaks.items()}),
        parameters={"performance": method, **({"rules": RULES_1986} if old else rules.parameters())},
        system=rules.name,
        notes=(*ranked.notes, *change.notes),
        ranking=None if places is not None else ranked,
        teams=team_standings(games, tie_breaks=team_order, rules=tie_break_rules),
        official=None if places is not None else compare_ranks(games, ranked),
        rows=tuple(order),
        source=games,
        norms_made=_norms(games if before is None else with_ratings(games, ratings)) if judged else None,
    )


def _whose(
    games: Games, asked: str | Iterable[str] | None
) -> tuple[str | Iterable[str] | None, str | Iterable[str] | None]:
    """Return the tie-breaks of players and of teams: in a team event an order with team codes is for teams."""
    if asked is None or not any(e.teams for e in games.events):
        return asked, None
    order = tie_break_order(asked, teams=True, complete=True)
    own = any(c.points or c.name in TEAM_NAMES for c in order)
    return (None if own else asked), asked


def until_round(games: Games, after: int) -> Games:
    """Return the rounds up to one of them; the places of the file are of its end, and left out."""
    kept = games.keep(games.table.select(after >= ROUND).to_series().fill_null(False))
    if not len(kept):
        raise UsageError(f"expected rounds up to {after}, found none")
    return Games(kept.table, kept.players, tuple(replace(e, ranks=()) for e in games.events))


def with_ratings(games: Games, ratings: Mapping[int, float | None]) -> Games:
    """Return the games with these ratings as the players' own, by row; nobody else has one."""
    own = pl.Series("rating", [ratings.get(p) for p in range(games.players.height)], dtype=pl.Float64)
    return Games(games.table, games.players.with_columns(own), games.events)


def _norms(games: Games) -> tuple[Verdict, ...] | None:
    if any(games.players[c].is_null().all() for c in ("title", "federation")):
        return None
    return tuple(v for part in one_event(games) for v in norms(part.games) if v.passed)
