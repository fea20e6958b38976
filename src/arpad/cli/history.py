"""`arpad history`, `whr` and `greatness`: all of chess history."""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_args

import polars as pl
import typer

from arpad.cli.options import GameFiles, anchors_given, lists_dated, number_or, span_given, system_names
from arpad.cli.output import Emission, emit_result, progress, say, width
from arpad.errors import UsageError
from arpad.pool.half_decades import Ageing

if TYPE_CHECKING:
    from datetime import date

    from arpad.pool.greatness.assessment import EventRecord
    from arpad.pool.greatness.run import SourceName
    from arpad.rate.whr.system import WholeHistory

TOP = 20
WHR_CURVES = 5
"""Players whose curves are drawn when nobody is named."""


def history(
    source: GameFiles,
    window: Annotated[int, typer.Option(min=1)] = 5,
    step: Annotated[int | None, typer.Option(min=1)] = None,
    players: str | None = None,
    top: Annotated[int, typer.Option(min=1)] = TOP,
    year: list[int] | None = None,
    crosstable: int | None = None,
    matches: str | None = None,
    match_play: bool = False,
    masters: bool = False,
    births: str | None = None,
    names: str | None = None,
    join: bool = True,
    ageing: Ageing = "peak",
    anchor: list[str] | None = None,
    anchor_years: str | None = None,
    fewest_players: Annotated[int, typer.Option(min=2)] = 20,
    fewest_games: Annotated[int, typer.Option(min=1)] = 10,
    enough: Annotated[int, typer.Option(min=1)] = 20,
    leave_out: str | None = None,
    ages: bool = False,
    chart: str | None = None,
) -> Emission:
    """Rate a century of games by five-year crosstables, linked through the players that they share.

    arpad history games.parquet --masters --players "Morphy,Lasker,Fischer" --chart lives.png

    arpad history games.parquet --anchor "Lasker, Emanuel=2720" --year 1910 --top 10

    window: Length of a crosstable in years.
    step: Years from one crosstable to the next; fewer than the window make them overlap. [the window]
    players: Show and draw only these players: "Morphy,Lasker" or "Lasker, Emanuel; Lasker, Edward".
    top: Show the N best.
    year: Show the best players of this year and their average instead; repeatable.
    crosstable: Show the crosstable of the half decade around this year instead, for the best --top players.
    matches: Predict the matches of this CSV instead: year and players (A-B), or player and opponent.
    match_play: Compare instead how players did in matches and in tournaments.
    masters: Use the years of birth in the book's lists, and other spellings of their names.
    births: A CSV file with the columns name and birth.
    names: A CSV file with the columns name (another spelling) and person.
    join: Join spellings that look like one person.
    ageing: How periods are linked (docs/methods/history.md).
    anchor: The best five-year average of a player, NAME=RATING, or a CSV file with name and best; repeatable.
    anchor_years: Without --anchor: use the published ratings of these years only, such as 1971-1985.
    fewest_players: Lengthen a period that has fewer players than this.
    fewest_games: Games that a player needs in a period to be in its crosstable.
    enough: Games that a player needs for a best average.
    leave_out: Leave out events that match this regular expression; '' leaves out none. [exhibitions, fast play, machines]
    ages: Also show strength by age.
    chart: Draw lifetime curves, .png or .svg.
    """
    from arpad.pool.half_decades import Linking, Periods, read_matches
    from arpad.pool.history import HistorySystem
    from arpad.pool.persons import EVENTS, known_persons

    if (crosstable is not None) + (matches is not None) + match_play > 1:
        raise UsageError("expected one of --crosstable, --matches and --match-play, found several")
    years = span_given(anchor_years, "--anchor-years", "FIRST-LAST such as 1971-1985")
    if years is not None and not 1000 <= years[0] <= years[1]:
        raise UsageError(f"--anchor-years: expected FIRST-LAST such as 1971-1985, found {anchor_years!r}")
    born, spelled = known_persons(masters=masters, names=names, births=births)
    system = HistorySystem(
        periods=Periods(
            window=window,
            step=window if step is None else step,
            fewest_players=fewest_players,
            fewest_games=fewest_games,
            longest=max(17, window),
        ),
        linking=Linking(ageing=ageing),
        anchors=anchors_given(anchor or [], files=True),
        anchor_years=years,
        births=born,
        spelled=spelled,
        guess=join,
        events=EVENTS if leave_out is None else leave_out,
        enough=enough,
    )
    reading = source.read()
    result = system.study(reading.games)
    source.tell(reading)
    if matches is not None:
        digits = {"D": 0, "error": 0, "likely": 0, "P": 2, "W_e": 1, "W": 1, "difference": 1, "given": 1}
        return partial(emit_result, result.matches(read_matches(matches)), digits=digits)
    if match_play:
        digits = {"match_above": 1, "tournament_above": 1, "difference": 0, "error": 0}
        return partial(emit_result, result.match_play(), digits=digits)
    if crosstable is not None:
        frame = result.crosstable(crosstable, top)
        return partial(
            emit_result,
            result,
            view={"crosstable": crosstable, "top": top},
            rows=lambda: frame,
            document=lambda: {"year": crosstable, "rows": frame.to_dicts()},
        )
    chosen = [result.find(p) for p in _named(players)]
    best = result.best(top, chosen)
    missing = [n for n in chosen if n not in best["player"]]
    if missing:
        say(f"too few games for a best average: {', '.join(missing)}")
    view: dict[str, Any] = {"top": top, "players": chosen, "years": year or [], "ages": ages}
    return partial(
        emit_result,
        result,
        view=view,
        rows=lambda: pl.concat(result.top(y, top) for y in year) if year else best,
        document=lambda: result.to_dict(**view),
        reading=reading,
        chart=chart,
        players=chosen,
    )


def _named(text: str | None) -> list[str]:
    if text is None:
        return []
    parts = [p.strip() for p in text.split(";" if ";" in text else ",")]
    # One `Surname, Given` alone is one player, not two.
    return (
        [text.strip()]
        if ";" not in text and re.fullmatch(r"[^,]+, [^,]+", text.strip())
        else [p for p in parts if p]
    )


def whr(
    source: GameFiles,
    player: list[str] | None = None,
    on: str | None = None,
    within: Annotated[int, typer.Option(min=0)] = 730,
    most_error: Annotated[float, typer.Option(min=0.0)] = 100.0,
    top: Annotated[int, typer.Option(min=1)] = TOP,
    w2: float = 7.0,
    prior: float = 2.0,
    start: str = "1500",
    given: bool = True,
    white_advantage: str = "0",
    before: str | None = None,
    join: bool = False,
    masters: bool = False,
    names: str | None = None,
    chart: str | None = None,
) -> Emission:
    """Fit a rating curve for every player to all games at once: a late result changes the past.

    arpad whr games.parquet --player Fischer --player Karpov --chart curves.png

    arpad whr games.parquet --join --on 1972-07-01 --top 10 --start mean

    player: Show the curve of this player, by name or id; for a surname, of its most active player; repeatable.
    on: Print the list of this day (1972-07-01), calculated from all games. [the last day]
    within: List only players who played in the N days before; 0 lists all.
    most_error: List only ratings with errors up to X points.
    top: Number of players to list.
    w2: How fast strengths change, in points² a day.
    prior: Virtual draws that a new player has against the start rating.
    start: Start rating of new players: a number, or mean for the mean of the given ratings.
    given: Take the ratings in the file as known before the first games.
    white_advantage: White's advantage in rating points, or fit.
    before: Ratings before the first games: a FIDE list, or a CSV file with player, rating and error.
    join: Join spellings that look like one person, as arpad history does.
    masters: With --join: also use the spellings in the book's lists.
    names: A CSV file with the columns name (another spelling) and person.
    chart: Draw the curves of the named players, or of the best, .png or .svg.
    """
    from arpad.pool.persons import joined_games, known_persons
    from arpad.rate.periods import day
    from arpad.rate.whr.system import Whr, whole_history

    listed_on = day(on)
    system = Whr(
        w2=w2,
        prior=prior,
        start=number_or(start, "--start", "mean"),
        given=given,
        white_advantage=number_or(white_advantage, "--white-advantage", "fit"),
    )
    earlier, reading = source.ratings(before), source.read()
    games, joined = reading.games, None
    if join or names:
        spelled = known_persons(masters=masters, names=names)[1]
        games, joined = joined_games(games, given=spelled, guess=join)
    result = whole_history(games, system=system, before=earlier)
    source.tell(reading)
    for note in result.source["notes"]:
        say(str(note))
    named = [_find(result, text) for text in player or []]
    best = _list(result, listed_on, within, most_error, top, asked_for=not named)
    return partial(
        emit_result,
        result,
        view={"table": best, "day": listed_on, "players": named},
        rows=lambda: (
            pl.concat(result.curve(n).select(pl.lit(n).alias("player"), pl.all()) for n in named)
            if named
            else best
        ),
        document=lambda: {
            **result.to_dict(day=listed_on, table=best),
            "curves": {name: result.curve(name).to_dicts() for name in named},
            "joined": joined.to_dicts() if joined is not None else [],
        },
        reading=reading,
        chart=chart,
        players=named or _keys(best.head(WHR_CURVES)),
    )


def _find(result: WholeHistory, asked: str) -> str:
    """Return the player who is meant, and say so if it is another name."""
    from arpad.pool.persons import player_meant

    player, games, exact = player_meant(result.on(within=None), asked)
    if player is None:
        raise UsageError(f"--player: expected somebody who has played a game here, found {asked!r}")
    if player != asked:
        say(f"{asked} is taken for {player}, with {games:,} games{f' to {exact:,}' if exact else ''}")
    return player


def _list(
    result: WholeHistory, day: date | None, within: int, most_error: float, top: int, *, asked_for: bool
) -> pl.DataFrame:
    """Return the list of a day; where it is not what was asked for, without a word if it is empty."""
    from arpad.model import ranked

    listed = result.on(day, within=within or None)
    if not listed.height and asked_for:
        raise UsageError(
            f"nobody has played in the {within:,} days until {day}: ask for another --on, or more days --within"
            if within
            else f"nobody has played until {day}: the first game is of {result.rows['date'].min()!s}"
        )
    sure = listed.filter(listed["error"] <= most_error)
    if not sure.height:
        sure = listed
        if asked_for:
            say(f"nobody has an error of {most_error:g} points or less (--most-error): all are listed")
    sure = ranked(sure).head(top)
    return sure.drop("id") if sure["id"].null_count() == sure.height else sure


def _keys(best: pl.DataFrame) -> list[str]:
    """Return the names of a list, or the ids of those who share a name."""
    twice = best["player"].is_duplicated()
    own = best["id"] if "id" in best.columns else best["player"]
    return [str(i if d else n) for n, i, d in zip(best["player"], own, twice, strict=True)]


def greatness(
    source: GameFiles,
    top: Annotated[int, typer.Option(min=1)] = TOP,
    first: Annotated[int | None, typer.Option("--from")] = None,
    last: Annotated[int | None, typer.Option("--to")] = None,
    min_games: Annotated[int, typer.Option(min=1)] = 6,
    least: float = 100.0,
    ratings: str | None = None,
    lists: Annotated[list[str] | None, typer.Option("--list")] = None,
    dates: str | None = None,
    system: Annotated[str | None, typer.Option(autocompletion=system_names)] = None,
    number_two: str | None = None,
    repair: Literal["none", "adjusted", "corrected"] = "none",
    failed: bool = False,
    incomplete: bool = False,
    knockouts: Literal["event", "matches"] = "event",
    leave_out: str | None = None,
    leave_out_players: str | None = None,
    join: bool = True,
    names: str | None = None,
    masters: bool = False,
    state: str | None = None,
    strengths: bool = False,
    inspect: bool = False,
    chart: str | None = None,
) -> Emission:
    """Find the greatest performances and the strongest events of a whole database.

    arpad greatness games.parquet --state run.state --chart greatness.png

    arpad greatness events/*.pgn --from 1970 --number-two 2800 --format csv -o great.csv

    top: Show N rows of each list; csv and json have all.
    first: Only events of this year and later.
    last: Only events of this year and earlier.
    min_games: Games that a player needs for a listed G-score.
    least: List G-scores from this value on.
    ratings: Sources of ratings, in order of preference: file, list, own, system. [file, list, own]
    lists: A rating list; repeatable. arpad takes the last one before an event.
    dates: The date of each list, in their order: 2001-07-01,2004-04-01.
    system: A rating system that rates the years one by one, for events without ratings.
    number_two: Rating of the world's number two: a number, or a CSV file with year and rating. [from the ratings]
    repair: What to do with events that fail the test of fit (docs/methods/greatness.md).
    failed: Also list performances in events that failed the test.
    incomplete: Include events that lack some of their games.
    knockouts: Treat a knock-out as one event, or each of its matches as one.
    leave_out: Leave out events that match this regular expression; '' leaves out none. [exhibitions, fast play, machines]
    leave_out_players: Leave out players who match this regular expression; '' leaves out none. [teams, NN, programs]
    join: Join spellings that look like one person.
    names: A CSV file with the columns name (another spelling) and person.
    masters: Use the years of birth and the spellings of the book's lists for arpad's own ratings.
    state: Keep events and arpad's own ratings in this file. An interrupted run continues from it, and a later run adds only new events.
    strengths: With --format csv: print the list of tournament strengths.
    inspect: With --format csv: print the events that somebody should check.
    chart: Draw G-scores and strengths over the years, .png or .svg.
    """
    from arpad.pool.greatness.assessment import AppRules
    from arpad.pool.greatness.groups import EVENTS, GroupRules
    from arpad.pool.greatness.run import GreatnessRules, RunState, find_greatness, rating_sources
    from arpad.pool.persons import NOBODY, known_persons
    from arpad.rate.registry import system as system_called

    if first is not None and last is not None and first > last:
        raise UsageError(f"expected years from … to …, found --from {first} --to {last}")
    if strengths and inspect:
        raise UsageError("expected --strengths or --inspect, found both: one CSV has one list")
    born, spelled = known_persons(masters=masters, names=names)
    two, by_year = _number_twos(number_two)
    rules = GreatnessRules(
        groups=GroupRules(
            events=EVENTS if leave_out is None else leave_out,
            nobody=NOBODY if leave_out_players is None else leave_out_players,
            join=join,
            spelled=spelled,
            knockouts=knockouts,
            fewest_games=min_games,
        ),
        app=AppRules(repair=repair, least=least, fewest_games=min_games, number_two=two, number_twos=by_year),
        incomplete=incomplete,
        first=first,
        last=last,
    )
    days = lists_dated(lists or [], dates)
    wanted = _sources(ratings, lists=bool(days), system=system is not None)
    kept = RunState(state, rules.app.parameters())
    reading = source.read()
    sources = rating_sources(
        reading.games,
        wanted,
        lists=days,
        system=None if system is None else system_called(system),
        births=born,
        spelled=spelled,
        join=join,
        kept=kept,
        tell=say,
    )
    with progress("events") as show:

        def tell(record: EventRecord, done: int, total: int) -> None:
            kept.add(record)
            show(done, total, record.event)

        try:
            result = find_greatness(reading.games, sources, rules, done=kept.done, tell=tell)
        finally:
            kept.save()
    source.tell(reading)
    if not any(r.strength is not None for r in result.records):
        say(
            result.why_nothing()
            or "no event has ratings and a number two, so there are no G-scores: give ratings with --list, "
            "or number two with --number-two"
        )

    def rows() -> pl.DataFrame:
        if strengths:
            return result.strengths(failed=failed)
        return result.to_inspect() if inspect else result.table(failed=failed)

    return partial(
        emit_result,
        result,
        view={"top": top, "failed": failed, "width": width()},
        rows=rows,
        document=lambda: result.to_dict(failed=failed),
        reading=reading,
        chart=chart,
        failed=failed,
    )


def _sources(text: str | None, *, lists: bool, system: bool) -> list[SourceName]:
    from arpad.pool.greatness.run import SourceName

    if text is None:
        return ["file", *(["list"] if lists else []), "system" if system else "own"]  # type: ignore[list-item]
    names = [name.strip() for name in text.split(",") if name.strip()]
    if not names or not set(names) <= set(get_args(SourceName)):
        raise UsageError(
            f"--ratings: expected some of {', '.join(get_args(SourceName))}, with commas; found {text!r}"
        )
    if "list" in names and not lists:
        raise UsageError("--ratings list needs rating lists: name them with --list")
    if "system" in names and not system:
        raise UsageError("--ratings system needs a rating system: name it with --system")
    return list(dict.fromkeys(names))  # type: ignore[arg-type]


def _number_twos(text: str | None) -> tuple[float | None, dict[int, float]]:
    """Return the rating of number two, or ratings by year from a CSV file."""
    from arpad.pool.greatness.run import read_number_twos

    if text is None:
        return None, {}
    try:
        return float(text), {}
    except ValueError:
        pass
    try:
        return None, read_number_twos(text)
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(
            f"--number-two: expected a rating, or a CSV file with year and rating; found {text!r} ({error})"
        ) from None
