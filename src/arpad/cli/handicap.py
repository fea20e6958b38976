"""`arpad handicap`: what the weaker player gets, before a match or a tournament."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Optional, cast, get_args

import typer

from arpad.cli.output import FormatOption, OutputOption, emit
from arpad.errors import UsageError

if TYPE_CHECKING:
    from arpad.event.handicap import Scratch
    from arpad.event.handicap_field import FieldMethod, Handicaps

__all__ = ["add_to", "scratch_of"]

DIGITS = {"rating": 0, "level": 0}


def add_to(app: typer.Typer) -> None:
    """Register the verb."""
    app.command()(handicap)


def handicap(
    ratings: Annotated[
        list[float], typer.Argument(help="Two for a match, all of them for a tournament, or one.")
    ],
    games: Annotated[int | None, typer.Option(help="Of a match.")] = None,
    method: Annotated[
        str | None, typer.Option(help="Of a tournament: brasket, expected, round-robin or swiss.")
    ] = None,
    scratch: Annotated[
        str | None, typer.Option(help="Who gets nothing: a rating, top or top-three.")
    ] = None,
    players: Annotated[
        int | None, typer.Option(help="Of a round robin, if not all are named.")
    ] = None,
    rounds: Annotated[int | None, typer.Option(help="Of a Swiss.")] = None,
    performance: Annotated[
        float | None, typer.Option(help="One player's, for Brasket's handicap score.")
    ] = None,
    share: Annotated[float, typer.Option(help="Brasket's, of the way to scratch.")] = 0.8,
    fraction: Annotated[
        Optional[float],  # noqa: UP045 - Typer reads the annotation
        typer.Option(help="Of a match's expected difference; else all of it less one σ."),
    ] = None,
    draws: Annotated[float, typer.Option(help="The share of drawn games in a match.")] = 0.0,
    format: FormatOption = None,
    output: OutputOption = None,
) -> None:
    """Say what handicap makes a match or a tournament an even one.

    arpad handicap 2100 1900 --games 20

    arpad handicap 1900 --scratch 2200 --performance 2050

    arpad handicap 2470 --scratch 2635 --players 16
    """
    if games is not None:
        _only_a_match(ratings, method=method, scratch=scratch, players=players, rounds=rounds, performance=performance)  # fmt: skip
        _match(ratings, games, fraction, draws, format, output)
        return
    if len(ratings) == 2 and method is None and players is None and rounds is None:
        raise UsageError("expected --games with two ratings, as in 'arpad handicap 2100 1900 --games 20'")  # fmt: skip
    if fraction is not None or draws:
        raise UsageError("--fraction and --draws are for a match: give --games too")
    if len(ratings) == 1 and scratch_of(scratch) in (None, "top", "top-three"):
        raise UsageError("expected --scratch with one rating, as in 'arpad handicap 1900 --scratch 2200 --rounds 9'")  # fmt: skip
    chosen = _method(method, len(ratings), players, rounds, performance)
    if rounds is not None and chosen not in ("swiss", "expected"):
        raise UsageError(f"--rounds means nothing to the handicap {chosen}: leave it out")
    if players is not None and chosen != "round-robin":
        raise UsageError(f"--players means nothing to the handicap {chosen}: leave it out")
    from arpad.event.handicap_field import field_handicaps

    found = field_handicaps(
        ratings,
        method=chosen,
        scratch=scratch_of(scratch),
        players=players,
        rounds=rounds,
        share=share,
    )
    _field(ratings, found, performance, format, output)


def scratch_of(text: str | None) -> float | Scratch | None:
    """Return a scratch rating or rule from what stands on the command line."""
    if text is None or text in ("top", "top-three"):
        return cast("Scratch | None", text)
    try:
        return float(text)
    except ValueError:
        raise UsageError(f"--scratch: expected a rating, top or top-three; found {text!r}") from None  # fmt: skip


def _only_a_match(ratings: list[float], **others: object) -> None:
    named = [f"--{name}" for name, value in others.items() if value is not None]
    if named:
        raise UsageError(f"--games is for a match, {named[0]} for a tournament: leave one out")
    if len(ratings) != 2:
        raise UsageError(f"expected two ratings for a match, found {len(ratings)}")


def _method(
    method: str | None,
    count: int,
    players: int | None,
    rounds: int | None,
    performance: float | None,
) -> FieldMethod:
    from arpad.event.handicap_field import FieldMethod

    if method is not None:
        if method not in get_args(FieldMethod):
            raise UsageError(f"--method: expected one of {', '.join(get_args(FieldMethod))}; found {method!r}")  # fmt: skip
        chosen = method
    elif performance is not None:
        chosen = "brasket"
    elif rounds is not None:
        chosen = "swiss"
    elif players is not None or 10 <= count <= 22:
        chosen = "round-robin"
    elif count == 1:
        raise UsageError("expected --performance, --players or --rounds, which say what sort of handicap is meant")  # fmt: skip
    else:
        chosen = "expected"
    if performance is not None and (chosen != "brasket" or count != 1):
        raise UsageError("--performance belongs to one player and Brasket's handicap")
    return cast("FieldMethod", chosen)


def _match(
    ratings: list[float], games: int, fraction: float | None, draws: float, format: object, output: str | None
) -> None:  # fmt: skip
    from arpad.event.match_handicap import match_handicap

    found = match_handicap(ratings[0] - ratings[1], games, fraction=fraction, draws=draws)
    high, low = max(ratings), min(ratings)
    W_high, W_low = found.expected_scores
    won, drawn, lost = found.chances()
    result: dict[str, object] = {
        "higher": high,
        "lower": low,
        "games": games,
        "handicap": round(found.points, 2),
        "expected_higher": W_high,
        "expected_lower": W_low,
        "sigma": found.sigma,
        "higher_wins": won,
        "drawn": drawn,
        "lower_wins": lost,
    }

    def people() -> list[object]:
        if high == low:
            first = f"Nobody gets anything: both are rated {high:g}."
        elif not result["handicap"]:
            first = f"Nobody gets anything: {W_high:.1f} and {W_low:.1f} are within one standard deviation."
        else:
            first = f"{low:g} gets {found.points:.2f} points in {games} games against {high:g}."
        return [
            first,
            f"Expected scores {W_high:.1f} and {W_low:.1f}, standard deviation {found.sigma:.2f}.",
            f"With the handicap {high:g} wins {won:.0%}, draws {drawn:.0%}, loses {lost:.0%} of such matches.",
        ]

    def rows() -> object:
        import polars as pl

        return pl.DataFrame([result])

    document = result | {"parameters": found.parameters}
    emit(format, output, people=people, rows=rows, document=lambda: document, one_line=True)  # type: ignore[arg-type]


def _field(
    ratings: list[float], found: Handicaps, performance: float | None, format: object, output: str | None
) -> None:  # fmt: skip
    import polars as pl

    from arpad.event.handicap import worth_a_handicap

    frame = pl.DataFrame({"rating": ratings, "level": found.levels, "handicap": found.points}).sort(
        "rating", descending=True, maintain_order=True
    )
    if performance is not None:
        frame = frame.with_columns(
            pl.lit(performance).alias("performance"),
            (pl.col("handicap") + performance).alias("total"),
        )
    whole = len(ratings) > 2 and found.method in ("round-robin", "expected")
    advice = worth_a_handicap(ratings) if whole else None

    def people() -> list[object]:
        from arpad.publish.tables import rich_table

        unit = (
            "rating points on top of the performance"
            if found.method == "brasket"
            else "game points"
        )
        scratch = "" if found.scratch is None else f", scratch {found.scratch:.0f}"
        digits = DIGITS | ({"handicap": 0, "performance": 0, "total": 0} if found.method == "brasket" else {"handicap": 2 if found.method == "expected" else 1})  # fmt: skip
        return [
            rich_table(frame, digits=digits), "",
            f"Handicap: {found.method}, {unit}{scratch}.",
            *([f"Note: {note}." for note in found.notes]),
            *([] if advice is None else [advice.summary().capitalize() + "."]),
        ]  # fmt: skip

    def document() -> dict[str, object]:
        return {
            "method": found.method,
            "scratch": found.scratch,
            "parameters": found.parameters,
            "players": frame.to_dicts(),
            "worth_it": None if advice is None else advice.handicap,
            "notes": list(found.notes),
        }

    emit(format, output, people=people, rows=lambda: frame, document=document)  # type: ignore[arg-type]
