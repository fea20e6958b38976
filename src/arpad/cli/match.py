"""`arpad match`: the chances of a match between two ratings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from arpad.cli.draw_options import DrawModelOption, draw_model, model_words
from arpad.cli.output import FormatOption, OutputOption, emit
from arpad.errors import UsageError

if TYPE_CHECKING:
    import polars as pl

    from arpad.event.match_forecast import Forecast
    from arpad.rate.draw_model import DrawModel

__all__ = ["add_to"]

DIGITS = {"probability": 4, "this or better": 4}
SHOWN = 0.00005
"""Scores less probable than this are left out of the table for people: they would be shown as 0."""


def add_to(app: typer.Typer) -> None:
    """Register the verb."""
    app.command()(match)


def match(
    rating: Annotated[float, typer.Argument(help="The first player's rating.")],
    opponent: Annotated[float, typer.Argument(help="The opponent's rating.")],
    games: Annotated[int | None, typer.Option(help="Games that are played at most.")] = None,
    first_to: Annotated[
        float | None, typer.Option(help="Points that end the match at once, such as 6.5.")
    ] = None,
    wins: Annotated[
        int | None, typer.Option(help="Wins that end it, draws not counting; without limit.")
    ] = None,
    drawn_at: Annotated[
        int | None, typer.Option(help="With --wins: drawn when both have so many.")
    ] = None,
    draws: Annotated[
        str | None,
        typer.Option(
            help="The probability of a draw, 0 to 1; or model: by level and difference. [0]"
        ),
    ] = None,
    draw_model_file: DrawModelOption = None,
    white_advantage: Annotated[
        float | None,
        typer.Option(
            help="Points that the first move is worth; colours alternate. [0, or the draw model's]"
        ),
    ] = None,
    curve: Annotated[str, typer.Option(help="table, logistic, normal, linear or pra.")] = "table",
    chart: Annotated[
        str | None, typer.Option(help="Draw the scores into this file, .png or .svg.")
    ] = None,
    format: FormatOption = None,
    output: OutputOption = None,
) -> None:
    """Give the chances of a match: won, drawn, lost, every score, how long it lasts.

    arpad match 2700 2650 --games 12 --draws 0.5

    arpad match 2780 2710 --wins 10 --drawn-at 9

    arpad match 2843 2773 --games 14 --draws model --curve logistic
    """
    from arpad.event.match_forecast import forecast
    from arpad.scale import curve as curve_called

    chosen = _draws(draws, draw_model_file)
    own = 0.0 if isinstance(chosen, float) else chosen.white_advantage
    found = forecast(
        rating - opponent,
        games=games,
        first_to=first_to,
        wins=wins,
        drawn_at=drawn_at,
        draws=chosen,
        level=(rating + opponent) / 2,
        white_advantage=own if white_advantage is None else white_advantage,
        curve=curve_called(curve),
    )
    title = f"{rating:g} – {opponent:g}, {_kind(games, first_to, wins)}"
    if chart is not None:
        _draw(found, title, chart)

    def people() -> list[object]:
        from arpad.publish.tables import rich_table

        shown = _shown(found)
        left_out = found.scores.height - shown.height
        rest = [f"… and {left_out:,} scores below .00005"] if left_out else []
        return [
            f"{title}: won {found.won:.1%}, drawn {found.drawn:.1%}, lost {found.lost:.1%}.", "",
            rich_table(shown, digits=DIGITS), *rest, "",
            *_words(found),
            *([] if isinstance(chosen, float) else model_words(chosen, draw_model_file, curve_called(curve), rating, opponent)),
        ]  # fmt: skip

    emit(
        format,
        output,
        people=people,
        rows=lambda: found.scores,
        document=lambda: _document(found, rating, opponent),
    )


def _draws(text: str | None, path: str | None) -> float | DrawModel:
    """Return a share of draws, or the model that is asked for."""
    if text == "model" or (text is None and path is not None):
        return draw_model(path)
    if path is not None:
        raise UsageError(f"expected --draws model beside --draw-model, found --draws {text}: choose one")  # fmt: skip
    try:
        return float(text or 0.0)
    except ValueError:
        raise UsageError(f"--draws: expected a probability from 0 to 1, or model; found {text!r}") from None  # fmt: skip


def _kind(games: int | None, first_to: float | None, wins: int | None) -> str:
    limit = "" if games is None else f"{games} game{'s' if games > 1 else ''}"
    if wins is not None:
        return f"to {wins} win{'s' if wins > 1 else ''}" + (f" in at most {limit}" if limit else "")
    if first_to is not None:
        return f"to {first_to:g} points" + (f" in at most {limit}" if limit else "")
    return limit


def _shown(found: Forecast) -> pl.DataFrame:
    import polars as pl

    from arpad.publish.match_chart import final_score

    likely = found.scores.filter(pl.col("probability") >= SHOWN)
    final = pl.Series(map(final_score, likely["score"], likely["opponent"]), dtype=pl.String)
    return likely.select(
        final.alias("final score"),
        "probability",
        pl.col("or_more").alias("this or better"),
        "result",
    )


def _words(found: Forecast) -> list[str]:
    what = "wins" if found.parameters["wins"] is not None else "points"
    return [
        f"Expected {found.expected_score:.2f} ± {found.sigma:.2f} {what}; decided after {found.length:.1f} games on average.",
        f"Expected score of a game {found.expected:.3f} ({_settings(found)}). Ratings are taken as exact.",
    ]


def _settings(found: Forecast) -> str:
    settings = found.parameters
    parts = [f"{settings['curve']} curve"]
    white, black = found.draw_rates
    if white == black:
        parts.append(f"{white:.0%} draws" if white else "no draws")
    else:
        parts.append(f"{white:.1%} draws with White, {black:.1%} with Black")
    if settings["white_advantage"]:
        parts.append(f"White's advantage {settings['white_advantage']:g} points")
    return ", ".join(parts)


def _document(found: Forecast, rating: float, opponent: float) -> dict[str, object]:
    return {
        "rating": rating,
        "opponent": opponent,
        "difference": found.D,
        "parameters": found.parameters,
        "expected": found.expected,
        "won": found.won,
        "drawn": found.drawn,
        "lost": found.lost,
        "draw_rates": list(found.draw_rates),
        "expected_score": found.expected_score,
        "sigma": found.sigma,
        "length": found.length,
        "rough_length": found.rough_length,
        "scores": found.scores.to_dicts(),
        "lengths": [{"games": n, "probability": p} for n, p in found.lengths.items()],
    }


def _draw(found: Forecast, title: str, path: str) -> None:
    from arpad.publish.chart_style import save
    from arpad.publish.match_chart import match_scores

    subtitle = (
        f"won {found.won:.1%}, drawn {found.drawn:.1%}, lost {found.lost:.1%} ({_settings(found)})"
    )
    save(match_scores(found, title=title, subtitle=subtitle), path)
