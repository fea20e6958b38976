"""A whole database cut into events: which games belong together, which stand there twice."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from datetime import date
from typing import TYPE_CHECKING, Literal

import numpy as np
import polars as pl

from arpad.errors import InputError, UsageError
from arpad.model import Event, Games
from arpad.pool.persons import EVENTS as SERIOUS
from arpad.pool.persons import NOBODY, Persons, folded, join_names, serious_games
from arpad.rate.periods import in_order

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray


EVENTS = (
    SERIOUS + r"|sportaccord|\bamber\b|intel[-/ ]gp|\bccas\b|corsica|eurotel|champions duel|kosmos m|\d'|"
    r"\bg/\d|\bg(5|15|20|25|30|45|60)\b|chess960|fischer ?random|shuffle|advanced|man-machine|mainz|giants|armageddon"
)
"""Names of events that are left out: exhibitions, fast play and series of it, correspondence, machines."""
FEWEST_GAMES = 6
"""Games of a player that his G-score rests on at least: with fewer the text leaves ratings alone, too."""
PAUSE = 45
"""Days without a game that end an event. Ours: the longest match, 1984–85, had none of more than 30."""
NAMELESS = r"^[\s?.\-*]*$|^casual|^offhand|^skittles|^game one$|^free game|^friendly|^exhib"
"""Names that name no event."""
PLAYOFF = r"^(.+?)[\s-]+play-?off.*$"
"""A play-off's name: that of its event comes before."""
FAST_PLAYOFFS = 1985
"""The year from which a play-off is an event of its own: earlier ones were played as the event was, and the
text counts that of Vienna 1898 in. Ours."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupRules:
    """Rules by which games become events.

    events, nobody: Patterns of events and of players that are left out; empty for none.
    join: Join names that look like one person.
    spelled: Other spellings of names, which no rule can find.
    knockouts: A knock-out is one event, as in the text, or each of its matches is.
    fewest_games: An event in which nobody has this many is left out.
    """

    events: str = EVENTS
    nobody: str = NOBODY
    join: bool = True
    spelled: Mapping[str, str] = field(default_factory=dict)
    knockouts: Literal["event", "matches"] = "event"
    fewest_games: int = FEWEST_GAMES

    def __post_init__(self) -> None:
        if self.fewest_games < 1:
            raise UsageError(f"expected one game or more, found {self.fewest_games}")
        if self.knockouts not in ("event", "matches"):
            raise UsageError(f"expected knock-outs as event or matches, found {self.knockouts!r}")

    def parameters(self) -> dict[str, object]:
        """Return every setting by name."""
        return {
            "left_out": self.events,
            "left_out_players": self.nobody,
            "joined_names": self.join,
            "knockouts": self.knockouts,
            "min_games": self.fewest_games,
            "pause": PAUSE,
        }


# People whom their games give away: two spellings that played the same game are one person.
#
# Collections made from the files of single players hold a game twice, once with each spelling. Where the
# names alone leave doubt (`persons`), the games do not.

GAMES = 2
"""Games that two spellings must share to be one person. Ours: one may be a slip."""


def renamed(table: pl.DataFrame, row: NDArray[np.int64]) -> pl.DataFrame:
    """Return the games with other numbers for `white` and `black`."""
    return table.with_columns(*(pl.Series(side, row[table[side].to_numpy()]) for side in ("white", "black")))


def joined_by_games(table: pl.DataFrame, persons: Persons, names: pl.Series) -> tuple[pl.DataFrame, Persons]:
    """Return the games, and who is who, after names were joined by their games, too."""
    again = same_people(table, names.to_list())
    moved = np.flatnonzero(again != np.arange(len(again)))
    more = pl.DataFrame(
        {
            "name": names.gather(moved),
            "person": names.gather(again[moved]),
            "games": [None] * len(moved),
            "why": ["the same games"] * len(moved),
        },
        schema=persons.joined.schema,
    )
    return renamed(table, again), Persons(
        row=again[persons.row], joined=pl.concat([persons.joined, more]), doubtful=persons.doubtful
    )


def same_people(table: pl.DataFrame, names: Sequence[str]) -> NDArray[np.int64]:
    """Return, for each number of a person, the number to use instead.

    Two people are one if their surnames are one and, in one event, they have the same games: the same
    opponent, colours, score, length and round or day.

    table: Games with `key` (of the event), `white`, `black`, `score`, `round`, `date`, `exact`, `plies`.
    """
    shared: Counter[tuple[int, int]] = Counter()
    known = table.filter(pl.col("plies").is_not_null() & (pl.col("round").is_not_null() | pl.col("exact")))
    for one, other in (("white", "black"), ("black", "white")):
        same = (
            known.group_by("key", "date", "round", "plies", "score", one)
            .agg(pl.col(other).unique().sort().alias("people"))
            .filter(pl.col("people").list.len() == 2)
        )
        shared.update((a, b) for a, b in same["people"].to_list())
    games = np.bincount(
        np.concatenate([table[side].to_numpy() for side in ("white", "black")]), minlength=len(names)
    )
    to = np.arange(len(names))
    for (a, b), n in sorted(shared.items()):
        if n >= GAMES and _surname(names[a]) == _surname(names[b]):
            one, other = to[a], to[b]
            most, least = (one, other) if games[one] >= games[other] else (other, one)
            to[to == least] = most
    return to


def _surname(name: str) -> str:
    return folded(name)[0].split(" ")[0]


# What stands in a database twice, and what only seems to belong together.

SHORTER = 0.05
"""The share of the moves by which two sources of one match differ at most."""


def once(table: pl.DataFrame) -> pl.DataFrame:
    """Mark games that the same event has already: the same players, score and length, and round or day.

    Collections put together from the games of single players hold a game of two of them twice, often
    under two spellings. Where no length is known nothing tells two games apart. One day for all games is
    the event's: then games of two rounds are two.
    """
    game = ("group", "white", "black", "score", "plies")
    by_round = pl.col("round").is_not_null() & ~pl.struct(*game, "round").is_first_distinct()
    told_by_day = pl.col("round").is_null() | (pl.col("date").n_unique().over("group") > 1)
    by_day = pl.col("exact") & told_by_day & ~pl.struct(*game, "date").is_first_distinct()
    return table.with_columns((pl.col("plies").is_not_null() & (by_round | by_day)).alias("again"))


def parts(table: pl.DataFrame) -> pl.DataFrame:
    """Give each part of an event whose players no game links a `group` of its own."""
    if table.is_empty():
        return table
    from scipy.sparse import coo_matrix
    from scipy.sparse.csgraph import connected_components

    people = int(table.select(pl.max_horizontal("white", "black").max()).item()) + 1
    white, black = (_node(table, side, people) for side in ("white", "black"))
    nodes, place = np.unique(np.concatenate([white, black]), return_inverse=True)
    one, other = np.split(place, 2)
    links = coo_matrix((np.ones(len(one), dtype=np.int8), (one, other)), shape=(len(nodes),) * 2)
    _, label = connected_components(links, directed=False)
    # Numbered as they first appear, so that the events of one name stay together.
    _, begins, number = np.unique(label[one], return_index=True, return_inverse=True)
    rank = np.argsort(np.argsort(begins))
    return table.with_columns(pl.Series("group", rank[number].astype(np.int64)))


def twins(table: pl.DataFrame) -> dict[int, int]:
    """Return which group has exactly the games of another one, under another name.

    The same results of the same players, at most a year (where days are known, a pause) and one move in
    twenty apart: two matches may end alike by chance. The one that has more ratings beside its games, then the one in which more days are
    known, is kept.
    """
    # A sum does not mind the order; sums of 64-bit marks are equal by chance once in a universe.
    marks = pl.Series("mark", table.select("white", "black", "score").hash_rows(seed=1))
    facts = (
        table.with_columns(marks.cast(pl.UInt64) % (1 << 40))
        .group_by("group")
        .agg(
            pl.col("mark").sum(),
            pl.len().alias("games"),
            pl.col("year").min(),
            pl.col("plies").sum(),
            pl.col("white_rating").is_not_null().sum().alias("rated"),
            pl.col("exact").sum(),
            pl.when(pl.col("exact").all()).then(pl.col("date").min()).alias("start"),
        )
        .sort("rated", "exact", "group", descending=[True, True, False])
    )
    result: dict[int, int] = {}
    kept: dict[tuple[int, int], list[tuple[int, int, date | None, int]]] = {}
    for group, mark, games, year, plies, _, _, start in facts.iter_rows():
        alike = kept.setdefault((mark, games), [])
        for other, then, began, length in alike:
            near = abs(then - year) <= 1
            if began is not None and start is not None:
                near = abs((began - start).days) <= PAUSE
            if near and abs(length - plies) <= SHORTER * max(length, plies):
                result[group] = other
                break
        else:
            alike.append((group, year, start, plies))
    return result


def _node(table: pl.DataFrame, side: str, people: int) -> NDArray[np.int64]:
    return np.asarray(table["group"].to_numpy() * people + table[side].to_numpy())


# A whole database cut into events: which games belong together.
#
# The rules, in their order:
#
# 1. Games that tell no strength are left out, as in a history: exhibitions, fast play, correspondence,
#    machines, several people at one board (`serious`). Names that are one person are joined (`persons`), as
#    are two spellings that played the same games (`same_games`).
# 2. One event has one name, one place and one time. Where days are known, a pause of more than 45 days ends
#    it, and the new year does not; else one year is one event.
#    Games without a date take the event's, or the year in its name. A play-off before 1985 belongs to its event, as in the text.
# 3. A game that stands there twice counts once.
# 4. Players whom no game links are not in one event: each part is its own. So matches that share a name are
#    told apart.
# 5. Two events with the same games are one.

NEVER = date(1, 1, 1)
"""Stands for a date that is not known."""
YEAR = r"(?<!\d)(1[5-9]\d\d|20\d\d)(?!\d)"
"""A year in the name of an event."""
UNKNOWN = -1
"""Stands for a year that is not known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EventGroups:
    """Games in events.

    games: A row a game, event after event, each in its order of play: `group`, `white`, `black` (numbers of
        people), `score`, `white_rating`, `black_rating`, `when`, `certain` (`rate.event_order`).
    first: The row where each event begins, and at last the number of rows.
    events: A row an event: `group`, `event`, `site`, `year`, `start`, `end` (null where only the year is
        known), `kind`, `players`, `games`, `coverage`, `longest` (the most games of one player), `number_two`
        (where the file says it).
    left_out: Events that are none, or too short: `event`, `site`, `year`, `games`, `reason`.
    left_games: Games that belong to no event, by reason.
    """

    games: pl.DataFrame
    first: NDArray[np.int64]
    events: pl.DataFrame
    left_out: pl.DataFrame
    left_games: Mapping[str, int]
    names: tuple[str, ...]
    person: NDArray[np.int64]
    """Number of the person for each row of the players."""
    published: pl.DataFrame
    """Ratings beside all games that count: `person`, `year`, `day`, `rating`."""
    joined: pl.DataFrame

    def __len__(self) -> int:
        """Return the number of events."""
        return self.events.height


def group_events(games: Games, rules: GroupRules | None = None) -> EventGroups:
    """Cut games into events.

    Examples
    --------
    >>> played = Games.build([("Ann", "Ben", 1.0), ("Ben", "Ann", 0.5)] * 4)
    >>> from arpad.model import Event
    >>> match = Games(played.table.with_columns(event=pl.lit(0)), played.players, (Event(name="Match"),))
    >>> group_events(match).events.select("event", "kind", "players", "games").row(0)
    ('Match: Ann – Ben', 'match', 2, 8)
    """
    rules = rules or GroupRules()
    if not (games.table["status"] == "played").any():
        raise InputError("expected games of events, found none that were played")
    persons = join_names(games, given=rules.spelled, guess=rules.join)
    table, left = _counted(games, rules)
    table = renamed(table, persons.row)
    alone = table["white"] == table["black"]
    left["of a person against the same person"] = int(alone.sum())
    table = _keyed(table.filter(~alone), games)
    if rules.join:
        table, persons = joined_by_games(table, persons, games.players["name"])
    published = _published(table)
    left["of no event"] = int((table["key"] < 0).sum())
    table = once(_dated(table.filter(pl.col("key") >= 0)))
    left["there twice"] = int(table["again"].sum())
    table = parts(table.filter(~pl.col("again")).drop("again"))
    table, kinds = kinds_of(table, [e.name for e in games.events], split=rules.knockouts == "matches")
    return _told(in_order(table), kinds, games, rules, left, persons, published)


def _counted(games: Games, rules: GroupRules) -> tuple[pl.DataFrame, dict[str, int]]:
    """Return the games that count; those without a year stay, with the year −1."""
    when = pl.Series([*(_when(event) for event in games.events), NEVER], dtype=pl.Date)
    at = games.table["event"].fill_null(len(games.events))
    never = games.table.with_columns(
        pl.col("date").fill_null(when.gather(at)),
        pl.when(pl.col("date").is_null())
        .then(pl.lit("year"))
        .otherwise(pl.col("precision"))
        .cast(games.table.schema["precision"])
        .alias("precision"),
    )
    known = Games(never, games.players, games.events)
    table, left = serious_games(known, events=rules.events, nobody=rules.nobody)
    left = {"left out by the event's name": left["event"], "left out by a player's name": left["player"]}
    left["not played"] = int((games.table["status"] != "played").sum())
    dated = pl.col("date") != NEVER
    return table.with_columns(
        pl.when(dated).then("year").otherwise(UNKNOWN).cast(pl.Int32).alias("year"),
        (dated & (pl.col("precision").fill_null("day") == "day")).alias("exact"),
        row=pl.int_range(pl.len(), dtype=pl.Int64),
    ), left


def _when(event: Event) -> date:
    """Return the day of an event whose games have none: its own, or the year in its name."""
    if event.start is not None:
        return event.start
    year = re.search(YEAR, event.name or "")
    return date(int(year[1]), 1, 1) if year else NEVER


def _keyed(table: pl.DataFrame, games: Games) -> pl.DataFrame:
    """Give each game the number of its event's name and place, −1 where none is named."""
    nameless, playoff = re.compile(NAMELESS, re.IGNORECASE), re.compile(PLAYOFF, re.IGNORECASE)
    number: dict[tuple[str, str], int] = {}
    keys, whole = [], []
    for event in games.events:
        name, site = (" ".join((t or "").casefold().split()) for t in (event.name, event.site))
        base = playoff.sub(r"\1", name)
        keys.append(-1 if nameless.search(name) else number.setdefault((name, site), len(number)))
        whole.append(keys[-1] if base == name else number.setdefault((base, site), len(number)))
    at = table["event"].fill_null(len(keys)).to_numpy()
    own, joined = (pl.Series(np.array([*k, -1], dtype=np.int64)[at]) for k in (keys, whole))
    old = pl.col("year").is_between(1, FAST_PLAYOFFS - 1)
    return table.with_columns(
        pl.when(old).then(joined).otherwise(own).alias("key"), (old & (own != joined)).alias("late")
    )


def _dated(table: pl.DataFrame) -> pl.DataFrame:
    """Give each game the number of its event: by year, or by pauses where every day of the year's games is known."""
    table = table.with_columns((~pl.col("exact").all().over("key", "year")).alias("loose")).sort(
        "key", "year", "date", "row", maintain_order=True
    )
    loose = pl.col("loose") | pl.col("loose").shift(1)
    pause = (pl.col("date") - pl.col("date").shift(1)).dt.total_days() > PAUSE
    other = pl.when(loose).then(pl.col("year") != pl.col("year").shift(1)).otherwise(pause)
    begins = (pl.col("key") != pl.col("key").shift(1)) | other
    return table.with_columns(begins.fill_null(False).cast(pl.Int64).cum_sum().alias("group")).drop("loose")


def _told(
    table: pl.DataFrame,
    kinds: pl.DataFrame,
    games: Games,
    rules: GroupRules,
    left: dict[str, int],
    persons: Persons,
    published: pl.DataFrame,
) -> EventGroups:
    """Describe every event, and say which are left out and why."""
    exact = pl.col("date").filter(pl.col("exact"))
    events = (
        table.group_by("group", maintain_order=True)
        .agg(
            pl.col("event").mode(maintain_order=True).first().alias("number"),
            pl.col("key").first(),
            pl.col("year").min(),
            pl.when(pl.col("exact").all()).then(exact.min()).alias("start"),
            pl.when(pl.col("exact").all()).then(exact.max()).alias("end"),
            pl.col("white").first().alias("one"),
            pl.col("black").first().alias("other"),
            pl.len().cast(pl.Int64).alias("games"),
        )
        .join(kinds, on="group", how="left", maintain_order="left")
        .with_columns(pl.when(pl.col("year") != UNKNOWN).then("year").alias("year"))
    )
    names = games.players["name"]
    events = events.with_columns(
        _labels(events, names, [e.name for e in games.events]),
        pl.Series("site", [games.events[i].site for i in events["number"]], dtype=pl.String),
        pl.Series("number_two", [games.events[i].number_two for i in events["number"]], dtype=pl.Float64),
    )
    events = events.with_columns(_reasons(events, table, rules).alias("reason"))
    good = events.filter(pl.col("reason").is_null())
    kept = table.filter(pl.col("group").is_in(good["group"].implode()))
    where = {g: i for i, g in enumerate(good["group"])}
    group = np.array([where[g] for g in kept["group"]], dtype=np.int64)
    shown = ("event", "site", "year")
    return EventGroups(
        games=kept.select(
            pl.Series("group", group),
            *("white", "black", "score", "white_rating", "black_rating", "when", "certain"),
        ),
        first=np.searchsorted(group, np.arange(good.height + 1)).astype(np.int64),
        events=good.select(
            pl.int_range(pl.len(), dtype=pl.Int64).alias("group"),
            *shown,
            *("start", "end", "kind", "players", "games", "coverage", "longest", "number_two"),
        ),
        left_out=events.filter(pl.col("reason").is_not_null())
        .select(*shown, "games", "reason")
        .sort("year", "event", "site", nulls_last=True),
        left_games={reason: n for reason, n in left.items() if n},
        names=tuple(names.to_list()),
        person=persons.row,
        published=published,
        joined=persons.joined,
    )


def _published(table: pl.DataFrame) -> pl.DataFrame:
    """Return the ratings that stand beside the games, a row a player a game."""
    return pl.concat(
        table.select(
            pl.col(side).alias("person"),
            pl.when(pl.col("year") != UNKNOWN).then("year").alias("year"),
            pl.when("exact").then("date").alias("day"),
            pl.col(f"{side}_rating").alias("rating"),
        )
        for side in ("white", "black")
    ).filter(pl.col("rating").is_finite() & (pl.col("rating") > 0))


def _labels(events: pl.DataFrame, names: pl.Series, titles: list[str]) -> pl.Series:
    """Return the name of each event; of a match with the surnames of the two, as the text has them."""
    labels = []
    for row in events.iter_rows(named=True):
        label = titles[row["number"]]
        if row["kind"] == "match":
            one, other = (str(names[row[side]]).split(",")[0] for side in ("one", "other"))
            label = f"{label}: {one} – {other}"
        labels.append(label)
    return pl.Series("event", labels, dtype=pl.String)


def _reasons(events: pl.DataFrame, table: pl.DataFrame, rules: GroupRules) -> pl.Series:
    """Return why an event is left out, null where it is not."""
    same = twins(table)
    title = dict(events.select("group", "event").iter_rows())
    result: list[str | None] = []
    for group, longest, fast in events.select("group", "longest", "fast").iter_rows():
        if longest < rules.fewest_games:
            most = f"{longest} game" + ("" if longest == 1 else "s")
            result.append(f"no player has more than {most}; {rules.fewest_games} are needed")
        elif fast and rules.events:
            result.append("fast play: more than two games a day")
        elif group in same:
            result.append(f"the same games as {title[same[group]]}")
        else:
            result.append(None)
    return pl.Series("reason", result, dtype=pl.String)


# What sort of event many groups of games are, all at once, and how much of each there is.

KINDS = ("match", "round robin", "tournament", "knock-out", "team event", "one player's games", "incomplete")
"""Kinds of events.

match               two players;
round robin         nineteen pairs in twenty met, or more;
knock-out           who lost is out: as many pairs as players, or one less, and mini-matches;
team event          so its name says;
one player's games  one stands in every game, and the others hardly in any other;
tournament          anything else of which most games are there: a Swiss, a round robin with gaps;
incomplete          anything else.
"""
MET = 0.95
"""The share of all pairs that a round robin has at least."""
WHOLE = 0.6
"""Coverage from which an event counts as whole. Ours: withdrawals and byes cost a Swiss a tenth, a
collection of some players' games has less than half."""
MINI_MATCH = 1.5
"""Games a pair, on average, from which a tree of pairs is a knock-out."""
SPARE = 1.05
"""Pairs a player that a knock-out has at most: n − 1, a play-off for third place, and names spelled twice."""
TEAMS = (
    r"\bolm?\b|olympiad|\bteams?\b|\bt?ch-?t\b|-chT|\bTCh|bundesliga|\bleague|\bliga\b|\bECC|\bIECC|\bEuTCh|"
    r"club cup|clubs?\b|mitropa|4NCL|nationenturnier|\bEU-Cup|\bEUR?-ch[tT]|chT\b|\bEuroTeam"
)
"""Names of events that teams played."""
FAST_DAY = 2.0
"""Games that a player has on a day he plays, on average, beyond which an event was fast play. Ours."""
KNOCKOUT = re.compile(r"\bk\.?\s?o\.?(\b|$)|knock", re.IGNORECASE)


def kinds_of(
    table: pl.DataFrame, titles: list[str], *, split: bool = False
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return the games and, for each `group`, `kind`, `players`, `coverage`, `longest` and `fast`.

    `coverage` is the mean number of a player's games over the most that anybody has, `longest`; `fast` says
    that, where several days are known, players had more than two games a day. With
    `split` each pair of a knock-out becomes a group of its own, and the games say so.
    """
    kinds = _kinds(table, titles)
    if not split or "knock-out" not in kinds["kind"]:
        return table, kinds
    knocked = table["group"].is_in(kinds.filter(pl.col("kind") == "knock-out")["group"].implode())
    pair = pl.struct(
        "group",
        pl.when(knocked).then(pl.min_horizontal("white", "black")).alias("a"),
        pl.when(knocked).then(pl.max_horizontal("white", "black")).alias("b"),
    )
    table = table.with_columns(pair.rank("dense").cast(pl.Int64).alias("group"))
    return table, _kinds(table, titles)


def _kinds(table: pl.DataFrame, titles: list[str]) -> pl.DataFrame:
    sides = pl.concat(
        table.select("group", pl.col(side).alias("player"), pl.col(other).alias("opponent"))
        for side, other in (("white", "black"), ("black", "white"))
    )
    people = sides.group_by("group", "player").agg(
        pl.len().alias("n"), pl.col("opponent").n_unique().alias("met")
    )
    facts = (
        people.group_by("group")
        .agg(
            pl.len().cast(pl.Int64).alias("players"),
            pl.col("n").sum().alias("sum"),
            pl.col("n").max().cast(pl.Int64).alias("longest"),
            pl.col("met").sum().alias("met"),
        )
        .join(table.group_by("group").agg(pl.col("event").first()), on="group")
        .join(_per_day(table), on="group")
        .sort("group")
    )
    team = np.array([bool(re.search(TEAMS, t, re.IGNORECASE)) for t in [*titles, ""]])
    out = np.array([bool(KNOCKOUT.search(t)) for t in [*titles, ""]])
    at = facts["event"].fill_null(len(titles)).to_numpy()
    n, games, pairs = pl.col("players"), pl.col("sum") / 2, pl.col("met") / 2
    coverage = pl.col("sum") / (n * pl.col("longest"))
    tree = (pairs <= SPARE * n) & (games >= MINI_MATCH * pairs) & (coverage < WHOLE)
    return facts.with_columns(pl.Series("team", team[at]), pl.Series("out", out[at])).select(
        "group",
        pl.when(n == 2)
        .then(pl.lit("match"))
        .when(games == pl.col("longest"))
        .then(pl.lit("one player's games"))
        .when(pl.col("team"))
        .then(pl.lit("team event"))
        .when((n >= 4) & (pl.col("out") | tree))
        .then(pl.lit("knock-out"))
        .when(pairs >= MET * n * (n - 1) / 2)
        .then(pl.lit("round robin"))
        .when(coverage >= WHOLE)
        .then(pl.lit("tournament"))
        .otherwise(pl.lit("incomplete"))
        .alias("kind"),
        "players",
        coverage.alias("coverage"),
        "longest",
        (pl.col("day") > FAST_DAY).alias("fast"),
    )


def _per_day(table: pl.DataFrame) -> pl.DataFrame:
    """Return the mean number of a player's games on a day, 0 where days are not known.

    One day for all games is the event's, not the games'.
    """
    days = (
        pl.concat(
            table.select("group", pl.col(side).alias("player"), "date", "exact")
            for side in ("white", "black")
        )
        .group_by("group", "player", "date")
        .agg(pl.len(), pl.col("exact").all())
    )
    return days.group_by("group").agg(
        pl.when(pl.col("exact").all() & (pl.col("date").n_unique() > 1))
        .then(pl.col("len").mean())
        .otherwise(0.0)
        .alias("day")
    )
