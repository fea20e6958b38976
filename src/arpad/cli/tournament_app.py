"""The Tournament App of `arpad event`: options, tables, JSON."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from arpad.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    import polars as pl

    from arpad.event.report import EventReport
    from arpad.event.tournament_app.app import Conditions
    from arpad.event.tournament_app.fit import FitTest
    from arpad.event.tournament_app.repair import RatingRepair, Repair
    from arpad.event.tournament_app.report import AppReport
    from arpad.model import Games, Ratings
    from arpad.pool.rating_lists import DatedList, NumberTwo
    from arpad.publish.output import PageSection


WIDE = 400
"""Points between the strongest and the weakest of a Swiss from which on the test of fit says nothing."""
NO_NUMBER_TWO = "no rating of the world's number two is given"
"""Beginning of the library's note, to which the command adds a remedy."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OneApp:
    """The app's report on one event, and where the number-two rating comes from."""

    report: AppReport
    number_two: NumberTwo | None
    swiss: bool = False

    def notes(self) -> list[str]:
        """Return what is to be known beside the figures."""
        own = [
            f"{note}; give --number-two RATING, or --list FILE with the rating list in force"
            if note.startswith(NO_NUMBER_TWO)
            else note
            for note in _once(self.report.notes)
        ]
        notes = [*own, *(() if self.number_two is None else self.number_two.notes)]
        R2, given = self.report.number_two, [s.rating_given for s in self.report.standings if s.rating_given]
        above = 0 if R2 is None else sum(R > R2 for R in given)
        if above > 1:  # not a number two whom several of the event are rated above
            notes.append(f"{above} players are rated above {R2:g}: that was not the world's number two")
        # So few rounds cannot spread P-Zero scores as far as the ratings are.
        if self.swiss and given and max(given) - min(given) >= WIDE:
            wide = f"ratings from {min(given):.0f} to {max(given):.0f} in a Swiss: a field this wide"
            notes.append(
                f"{wide} fails this test by construction, and its flags mean nothing for single players"
            )
        return notes

    def why_not(self) -> list[str]:
        """Return the notes that tell why there is no test of fit, or what a repair left alone."""
        beside = (NO_NUMBER_TWO, "some players have no rating: no strength")
        return [n for n in _once(self.report.notes) if not n.startswith(beside)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Apps:
    """One report where the files hold one event, else one for each of them."""

    each: tuple[OneApp, ...]
    full: bool
    later: pl.DataFrame | None = None
    """Later lists beside the ratings after the event."""

    @property
    def single(self) -> OneApp | None:
        """The report, where there is but one."""
        return self.each[0] if len(self.each) == 1 else None


def run_app(games: Games, options: AppOptions, before: Ratings | None) -> Apps:
    """Run the app on an event; several events each have their own, as every match is its own event."""
    from arpad.event.field import kind_of
    from arpad.event.norms.field import one_event
    from arpad.event.tournament_app.app import followed, tournament_app
    from arpad.pool.rating_lists import number_two

    parts = [part.games for part in one_event(games)]
    if len(parts) > 1 and (options.repair is not None or options.pra_tie_break):
        what = "--repair" if options.repair is not None else "--tie-break pra"
        raise UsageError(
            f"{what} is for one event, and {len(parts)} are reported as one: name it with --only"
        )
    result = []
    for own in parts:
        two = number_two(own, given=options.number_two, lists=options.lists)
        report = tournament_app(
            own,
            number_two=None if two is None else two.rating,
            ratings=_listed(own, before),
            repair=options.repair,
            conditions=options.conditions,
        )
        result.append(OneApp(report=report, number_two=_moved(two, report), swiss=kind_of(own) == "Swiss"))
    later = None
    if options.later:
        if len(result) > 1:
            raise UsageError(f"--later is for one event, and there are {len(result)}: name it with --only")
        plain = result[0].report
        if options.repair is not None:
            given = _listed(parts[0], before)
            plain = tournament_app(parts[0], ratings=given, conditions=options.conditions)
        later = followed(parts[0].players, result[0].report, plain, options.later)
    return Apps(each=tuple(result), full=options.full, later=later)


def _moved(two: NumberTwo | None, report: AppReport) -> NumberTwo | None:
    """Return the number two as the report has it: a repair may have moved it."""
    from arpad.pool.rating_lists import NumberTwo

    if report.number_two is None or (two is not None and two.rating == report.number_two):
        return two
    was = "" if two is None else f", before it {two.rating:g} {two.source}"
    return NumberTwo(rating=report.number_two, source=f"by the repair{was}")


def _once(notes: Sequence[str]) -> list[str]:
    """Leave out what another note says, too."""
    return [n for n in notes if not any(n != other and n in other for other in notes)]


def _listed(games: Games, before: Ratings | None) -> dict[int, float]:
    if before is None:
        return {}
    ratings = before.lookup(games.players, "rating")
    return {row: float(R) for row, R in enumerate(ratings) if R is not None}


# The Tournament App of `arpad event`, for programs: columns of the players, and parts of the JSON.

OWN = ("mark", "p_zero", "z", "residual", "flag", "pressure", "resistance", "g_score", "g_category")
AFTER = ("pra_after", "elo_after", "elo_after_as_printed")
RENAMED = {"rank": "pra_rank", "rating": "rating_used", "performance": "pra_performance"}
COLUMNS = {
    name: RENAMED.get(name, name) for name in ("rank", "rating", *OWN[:3], "performance", *OWN[3:], *AFTER)
}
"""The app's columns, and what they are called beside those of the report."""


def with_app(found: EventReport, apps: Apps) -> pl.DataFrame:
    """Return the report's players with the app's columns, empty where several events have their own."""
    import polars as pl

    from arpad.event.tournament_app.report import COLUMNS as SCHEMA

    rows = found.players.with_columns(pl.Series("row", found.rows, dtype=pl.Int64))
    if apps.single is None:
        empty = [pl.lit(None, SCHEMA[old]).alias(new) for old, new in COLUMNS.items()]
        return rows.drop("row").with_columns(empty)
    theirs = apps.single.report.players.select("row", *(pl.col(a).alias(b) for a, b in COLUMNS.items()))
    return rows.join(theirs, on="row", how="left", maintain_order="left").drop("row")


def app_document(apps: Apps) -> dict[str, object]:
    """Return the parts of the JSON document: the fit, the strength and whatever belongs to them."""
    one = apps.single
    if one is not None:
        later = {} if apps.later is None else {"later": apps.later.to_dicts()}
        return _document(one) | later
    reason = f"{len(apps.each)} events: fit and strength of each are in events; --only names one of them"
    return {
        "fit": None,
        "strength": None,
        "notes": [reason],
        "events": [
            {"event": e.report.name, **_document(e), "players": e.report.players.drop("row").to_dicts()}
            for e in apps.each
        ],
    }


def _document(one: OneApp) -> dict[str, object]:
    report, two = one.report, one.number_two
    return {
        "fit": _fit(report.fit),
        "fit_before": _fit(report.fit_before),
        "certified": None if report.fit is None else report.certified,
        "withheld": list(report.withheld),
        "correlation": _correlation(report),
        "sweep": None if report.sweep is None else _without(asdict(report.sweep), "row"),
        "strength": report.strength,
        "number_two": None
        if two is None
        else {n: getattr(two, n) for n in ("rating", "source", "player", "date")},
        "conditions": report.conditions,
        "order_effect": report.order_effect,
        "decisions": [_without(asdict(d), "row") for d in report.decisions],
        "verdict": list(report.words()),
        "notes": one.notes(),
    }


def _fit(fit: FitTest | None) -> dict[str, object] | None:
    if fit is None:
        return None
    names = ("r", "intercept", "slope", "flipped", "n", "centroid", "passed", "can_fail", "low_warning")
    return {name: getattr(fit, name) for name in names} | _without(asdict(fit), "line")


def _correlation(report: AppReport) -> dict[str, object] | None:
    test = report.correlation
    if test is None:
        return None
    return {
        **asdict(test),
        "significant": test.significant,
        "favourite_won": report.favourite_won,
        "top_three_in_order": report.top_three_in_order,
    }


def _without(values: dict[str, object], name: str) -> dict[str, object]:
    return {key: value for key, value in values.items() if key != name}


# What `arpad event` can be told about the Tournament App.


@dataclass(frozen=True, slots=True, kw_only=True)
class AppOptions:
    """The options, checked."""

    number_two: float | None = None
    lists: tuple[DatedList, ...] = ()
    repair: Repair | None = None
    conditions: Conditions = "auto"
    pra_tie_break: bool = False
    full: bool = False
    later: tuple[tuple[str, Ratings], ...] = ()

    @property
    def needs_app(self) -> bool:
        """Say whether an option asks for what the app finds, so that its lines are printed."""
        return self.number_two is not None or any(
            (self.full, self.lists, self.repair, self.pra_tie_break, self.later)
        )


@dataclass(frozen=True, kw_only=True)
class AppSwitches:
    """Options of the Tournament App.

    number_two: Rating of the world's number two, for G-scores and tournament strength.
    list_: Take the number two from this rating list; repeatable: the list in force at the event counts.
    repair: What to do with ratings that do not fit.
    repair_players: With --repair: players to repair, separated by ;. NAME=RATING sets a rating. [all who are out of spec]
    repair_number_two: With --repair: also move the world's number two to this rating.
    pressure: With --repair: also repair ratings under pressure (75 to 100 points off).
    reason: With --repair: the reason, which the report prints.
    conditions: Conditions of the event; knock-out and time-controls (changed during the event) are never repaired.
    later: Test this later rating list against the ratings after the event; repeatable. With --chart arpad draws the test.
    """

    number_two: float | None = None
    list_: Annotated[list[str] | None, typer.Option("--list")] = None
    repair: Literal["adjusted", "corrected", "nothing"] | None = None
    repair_players: str | None = None
    repair_number_two: float | None = None
    pressure: bool = False
    reason: str | None = None
    conditions: Literal["auto", "usual", "knock-out", "time-controls"] = "auto"
    later: list[str] | None = None

    def checked(self, *, tie_break: str, full: bool) -> AppOptions:
        """Check the options, and read the rating lists."""
        from arpad.read.reading import read_list

        if self.number_two is not None and self.list_:
            raise UsageError(
                "--number-two and --list both give the number two's rating: leave one of them out"
            )
        return AppOptions(
            number_two=self.number_two,
            lists=_lists(self.list_ or []),
            repair=self._repair(),
            conditions=self.conditions,
            pra_tie_break=tie_break == "pra",
            full=full,
            later=tuple((Path(file).stem, read_list(file)) for file in self.later or []),
        )

    def _repair(self) -> Repair | None:
        from arpad.event.tournament_app.repair import Repair

        kind, players, moved_two = self.repair, self.repair_players, self.repair_number_two
        if kind is None:
            given = {"--repair-players": players, "--repair-number-two": moved_two}
            given |= {"--pressure": self.pressure or None, "--reason": self.reason}
            for option, value in given.items():
                if value is not None:
                    raise UsageError(f"{option} is for --repair: give both, as in --repair adjusted")
            return None
        if self.reason is None or not self.reason.strip():
            raise UsageError('--repair needs a reason, which is kept with it: --reason "…"')
        if kind == "nothing" and (players is not None or moved_two is not None or self.pressure):
            raise UsageError("--repair nothing changes nobody's rating: leave out whose")
        names, ratings = _names(players)
        return Repair(
            kind=kind,
            players=names,
            pressure=self.pressure,
            ratings=ratings,
            number_two=moved_two,
            reason=self.reason.strip(),
        )


def _lists(files: list[str]) -> tuple[DatedList, ...]:
    if not files:
        return ()
    from arpad.cli.output import explain_report
    from arpad.pool.rating_lists import list_of
    from arpad.read.reading import read_list
    from arpad.read.source import Report

    report = Report()
    result = tuple(list_of(read_list(file, report=report), file=file) for file in files)
    explain_report(report)
    return result


def _names(text: str | None) -> tuple[tuple[str, ...] | None, dict[str, float]]:
    """Return whose ratings are repaired, and the ratings that the administrator sets himself."""
    if text is None:
        return None, {}
    parts = [n.strip() for n in text.split(";") if n.strip()]  # a comma is part of many names
    names = tuple(part for part in parts if "=" not in part)
    ratings: dict[str, float] = {}
    for name, value in (part.split("=", 1) for part in parts if "=" in part):
        try:
            ratings[name.strip()] = float(value)
        except ValueError:
            raise UsageError(f"--repair-players: expected NAME=RATING, found {name}={value}") from None
    if not parts:
        raise UsageError(f"--repair-players: expected names, found {text!r}")
    return names, ratings


def only(games: Games, name: str | None) -> Games:
    """Return the games of the one event that is meant."""
    if name is None:
        return games
    from arpad.event.norms.field import one_event

    parts = one_event(games)
    wanted = name.strip().casefold()
    exact = [part for part in parts if part.name.casefold() == wanted]
    result = exact or [part for part in parts if wanted and wanted in part.name.casefold()]
    if len(result) == 1:
        return result[0].games
    some = result or parts
    names = ", ".join(repr(part.name) for part in some[:8]) + (", …" if len(some) > 8 else "")
    raise UsageError(
        f"--only: expected the name of one event, found {len(result) or 'none'} with {name!r}; there "
        f"{'are' if len(some) > 1 else 'is'} {names}"
    )


# The Tournament App of `arpad event`, for people: lines and tables, the section of the page, the chart.

HEADING = "Ratings and results (PRA)"
SHOWN = (
    *("rank", "name", "rating", "mark", "games", "points", "p_zero", "z", "performance", "residual"),
    *("flag", "g_score", "pra_after", "elo_after"),
)
SMALL = {"p_zero": 2, "z": 2, "residual": 1, "g_score": 2}
"""Decimals of what may be a little less than nothing: it is shown as 0."""
WHOLE = dict.fromkeys(("rating", "performance", "pra_after", "elo_after"), 0)
DIGITS = {**WHOLE, **SMALL, "r": 2, "chi_square": 3, "critical": 3, "strength": 4}
FIT = ("rank", "name", "rating", "mark", "points", "p_zero", "z", "performance", "residual", "flag")
GREATNESS = ("rank", "name", "games", "points", "g_score", "g_category", "pra_after", "elo_after")
"""The columns of the page's two tables."""
WORDS = "Ratings after by PRA's Basic System and by Elo's (K 10), game by game."


def app_parts(apps: Apps) -> list[object]:
    """Return what a person sees below the standings: a few lines, or everything with --fit."""
    from arpad.cli.output import width
    from arpad.publish.tables import fitted, rich_table

    one = apps.single
    if one is None:
        table = rich_table(_summaries(apps), title=HEADING, digits=DIGITS)
        return ["", table, "", "Each event by itself; --only NAME reports on one of them."]
    if not apps.full:
        notes = one.why_not() if one.report.fit_before is not None else []
        return ["", *_short(one), *_decisions(one), *(f"Note: {note}." for note in notes), *_later(apps)]
    table = rich_table(fitted(_columns(one, SHOWN), width(), DIGITS), title=HEADING, digits=DIGITS)
    return ["", table, "", *_sentences(one), *_later(apps)]


def _later(apps: Apps) -> list[object]:
    if apps.later is None:
        return []
    from arpad.publish.tables import rich_table

    digits = dict.fromkeys(apps.later.columns[2:], 2)
    words = "PRA: the ratings after the event by the Basic System, repaired if asked; Elo: unrepaired, K 10. A falling χ² agrees more and more."
    return ["", rich_table(apps.later, title="Later lists (χ²)", digits=digits), "", words]


def app_sections(apps: Apps) -> list[PageSection]:
    """Return the section of the page: the verdict, the chart and the table."""
    from arpad.publish.charts.event import fit_chart
    from arpad.publish.charts.style import svg
    from arpad.publish.output import PageSection

    one = apps.single
    if one is None:
        words = f"Each of the {len(apps.each)} events by itself."
        return [PageSection(HEADING, table=_summaries(apps), words=words, digits=DIGITS)]
    picture = None if one.report.fit is None else svg(fit_chart(one.report))
    points = tuple(_sentences(one))
    fit, after = _columns(one, FIT), _columns(one, GREATNESS)
    return [
        PageSection(HEADING, table=fit, picture=picture, points=points, digits=DIGITS),
        PageSection("Greatness, and ratings after", table=after, words=WORDS, digits=DIGITS),
    ]


def app_chart(apps: Apps, path: str | None) -> None:
    """Write the chart, if one is asked for."""
    if path is None:
        return
    one = apps.single
    if one is None:
        raise UsageError(f"--chart is for one event, and there are {len(apps.each)}: name it with --only")
    from arpad.publish.charts.event import fit_chart, later_chart
    from arpad.publish.charts.style import save

    if apps.later is not None:
        save(later_chart(apps.later), path)
        return
    if one.report.fit is None:
        raise UsageError(f"--chart: there is nothing to draw: {'; '.join(one.why_not())}")
    save(fit_chart(one.report), path)


def _columns(one: OneApp, names: Sequence[str]) -> pl.DataFrame:
    """Return columns for people, players best first, without empty ones."""
    import polars as pl

    rows = one.report.players.select(names).with_columns(
        pl.when(pl.col(c).round(d) == 0).then(0.0).otherwise(c).alias(c)
        for c, d in SMALL.items()
        if c in names
    )
    if "mark" in names:
        short = pl.col("mark").str.strip_prefix("PRA-").str.to_lowercase().replace("", None)
        rows = rows.with_columns(short.alias("mark")).rename({"mark": "PRA"})
    return rows.select(c for c in rows.columns if not rows[c].is_null().all())


def _sentences(one: OneApp) -> list[str]:
    from arpad.event.tournament_app.report import some

    lines = list(one.report.words())
    if any(s.flag for s in one.report.standings):
        lines.append(
            "LR: a large residual, the rating is more than 100 points off the line; up, down: pressure on it, 75 to 100."
        )
    if one.number_two is not None and one.report.strength is not None:
        two = one.number_two.summary()
        lines.append(f"{two[:1].upper()}{two[1:]}.")
    made = [d for d in one.report.decisions if d.kind == "estimated"]
    if made:
        lines.append(f"Estimated: {some([f'{d.player} {d.after:.0f}' for d in made])} ({made[0].reason}).")
    lines += _decisions(one)
    return [*lines, *(f"Note: {note}." for note in one.notes())]


def _short(one: OneApp) -> list[str]:
    from arpad.event.tournament_app.report import out_of_spec

    report = one.report
    if report.fit is None:
        lines = [f"Fit of ratings to results: not tested; {'; '.join(one.why_not())}."]
    else:
        made = sum(d.kind == "estimated" for d in report.decisions)
        some = f" ({made} of {report.fit.n} ratings estimated)" if made else ""
        lines = [f"Fit of ratings to results: {_tested(report.fit)}{some}; --fit says all about it."]
    lines += out_of_spec(report)
    if report.strength is not None and one.number_two is not None:
        great = "".join(f", {s.name} G {s.g_score:.2f}" for s in report.greatness()[:1])
        lines.append(f"Strength {report.strength:.4f}{great} ({one.number_two.summary()}).")
    return lines


def _tested(fit: FitTest) -> str:
    relation = "≤" if fit.passed else ">"
    outcome = "passed" if fit.passed else "failed"
    close = ", on a line that falls" if fit.flipped else ""
    if not fit.can_fail:
        close = ", as any results would have in so even a field"
    return (
        f"{outcome}{close}, χ² = {fit.chi_square:.3f} {relation} {fit.critical:.3f} with {fit.degrees} degrees of "
        f"freedom, r = {fit.r:.2f}"
    )


def _decisions(one: OneApp) -> list[str]:
    report = one.report
    lines = [_decision(d) for d in report.decisions if d.kind != "estimated"]
    if report.fit_before is not None and report.fit is not None and report.fit != report.fit_before:
        lines.append(f"Before the repair: {_tested(report.fit_before)}.")
        lines.append(f"After it: {_tested(report.fit)}.")
    return lines


def _decision(made: RatingRepair) -> str:
    if made.kind == "nothing":
        return f"Decision: no rating is changed. Reason: {made.reason}"
    before = "none" if made.before is None else f"{made.before:g}"
    moved = f"{before} → {made.after:g}"
    what = f"number two {moved}" if made.player is None else f"{made.player} {moved} ({made.kind})"
    return f"Decision: {what}. Reason: {made.reason}"


def _summaries(apps: Apps) -> pl.DataFrame:
    import polars as pl

    rows = []
    for one in apps.each:
        report, fit = one.report, one.report.fit
        best = max(
            (s for s in report.standings if s.g_score is not None),
            key=lambda s: s.g_score or 0.0,
            default=None,
        )
        rows.append(
            {
                "event": report.name,
                "players": len(report.standings),
                "games": report.games,
                "r": None if fit is None else fit.r,
                "chi_square": None if fit is None else fit.chi_square,
                "critical": None if fit is None else fit.critical,
                "fit": "not tested" if fit is None else "passed" if fit.passed else "failed",
                "strength": report.strength,
                "best": None if best is None else best.name,
                "g_score": None if best is None else best.g_score,
            }
        )
    frame = pl.DataFrame(rows, infer_schema_length=None)
    return frame.select(c for c in frame.columns if not frame[c].is_null().all())
