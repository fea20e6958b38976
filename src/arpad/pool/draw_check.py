"""Draw models from files of games: the fit, how it agrees with the draws there were, and other forms beside it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, get_args

import numpy as np
import polars as pl

from arpad.errors import InputError
from arpad.model import Result
from arpad.pool.check import scored
from arpad.rate.draws import EDGE, DrawFit, DrawForm, TermsName, fit_draws, losses, room
from arpad.read.reading import games_from
from arpad.scale import Curve, Logistic

if TYPE_CHECKING:
    from datetime import date

    from numpy.typing import NDArray

    from arpad.model import Games, Ratings
    from arpad.rate.draws import DrawModel, Objective
    from arpad.read.reading import GamesLike

    Array = NDArray[np.float64]


LEVELS = 200.0
"""Width of a group of levels, in points."""
DIFFERENCES = 100.0
"""Width of a group of rating differences, in points."""
LARGE = 100
"""Games of a group whose share of draws says something."""
FULL = 0.95
"""The part of the room for draws that the plainest guess fills at most: some must stay for wins and losses."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawGames:
    """Games as a draw model needs them, one element for each, from White's side."""

    D: Array
    """White's rating less Black's; no advantage in it."""
    L: Array
    """The mean of both ratings."""
    score: Array
    left_out: int
    """Played games without two ratings or with a score other than 0, ½ and 1."""

    def __len__(self) -> int:
        return len(self.D)


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawCheck(Result):
    """A fitted draw model against the draws of games: those it was fitted on, or later ones."""

    fit: DrawFit
    curve: Curve
    games: int
    """Games that the model was tested on."""
    drawn: int
    later: bool
    """Whether the model was tested on other games than it was fitted to."""
    loss: float
    """Mean −ln of the probability of what happened in them: win, draw or loss."""
    draw_loss: float
    grid: pl.DataFrame
    """A row a group: `level`, `level_to`, `difference`, `difference_to`, `games`, `mean_difference`,
    `observed`, `predicted`, `sigma`, `z`."""
    others: pl.DataFrame | None
    """A row a form: `form`, `terms`, `constants`, `loss`, `draw_loss`, `predicted`; best first."""
    left_out: int

    def table(self) -> pl.DataFrame:
        """Return observed and predicted draw rates by level and difference."""
        return self.grid

    def by(self, what: str) -> pl.DataFrame:
        """Return the same by `level` or by `difference` alone."""
        return _rates(self.grid, [what, f"{what}_to"])

    @property
    def miss(self) -> float | None:
        """Root mean square of observed less predicted over groups of 100 games or more, chance taken off; None without any."""
        large = self.grid.filter(pl.col("games") >= LARGE)
        if not large.height:
            return None
        gap = (pl.col("observed") - pl.col("predicted")) ** 2 - pl.col("sigma") ** 2
        mean = large.select((gap * pl.col("games")).sum() / pl.col("games").sum()).item()
        return float(np.sqrt(max(mean, 0.0)))

    def rising(self) -> tuple[float, float] | None:
        """Return from which to which level the model draws more as the difference grows; None where it nowhere does."""
        model = self.fit.model
        D = np.arange(0.0, max(model.reach, 2 * DIFFERENCES))
        E = np.asarray(self.curve.expected(D))
        levels = np.linspace(model.low, model.high, 41)
        odd = [L for L in levels.tolist() if np.diff(model.rate(np.full_like(D, L), E)).max() > 1e-9]
        return (min(odd), max(odd)) if odd else None

    def to_dict(self) -> dict[str, Any]:
        """Return every figure."""
        return {
            "summary": self.summary(),
            "model": self.fit.document(),
            "constants": self.fit.table().to_dicts(),
            "test": {
                "games": self.games,
                "drawn": self.drawn,
                "later": self.later,
                "loss": self.loss,
                "draw_loss": self.draw_loss,
                "miss": self.miss,
            },
            "left_out": self.left_out,
            "groups": self.grid.to_dicts(),
            "forms": None if self.others is None else self.others.to_dicts(),
        }

    def summary(self) -> str:
        """Return what the test found."""
        which = f"{self.games:,} later games" if self.later else "the same games"
        off = (
            ""
            if self.miss is None
            else f", off by {100 * self.miss:.1f} points in a group (root mean square)"
        )
        predicted = float((self.grid["predicted"] * self.grid["games"]).sum()) / self.games
        return (
            f"{self.fit.summary()}. On {which}: drawn {self.drawn / self.games:.1%}, predicted {predicted:.1%}{off}; "
            f"log loss {self.loss:.4f}, {self.draw_loss:.4f} for drawn or not"
        )


def draw_games(games: Games, *, before: Ratings | None = None) -> DrawGames:
    """Return the played games whose players both have ratings."""
    result = scored(games, before=before)
    whole = np.isin(result.score, (0.0, 0.5, 1.0))
    return DrawGames(
        D=result.D[whole],
        L=result.level[whole],
        score=result.score[whole],
        left_out=result.left_out + int((~whole).sum()),
    )


def check_draws(
    games: GamesLike,
    *,
    curve: Curve | None = None,
    form: DrawForm = "rao-kupper",
    terms: TermsName = "full",
    objective: Objective = "results",
    white_advantage: float | None = None,
    before: Ratings | None = None,
    validate_from: date | None = None,
    compare: bool = False,
) -> DrawCheck:
    """Fit a draw model on games and test it, on the same games or on later ones.

    Parameters
    ----------
    validate_from
        Fit on games before this day, test on those from it on; a game without a date takes no part.
    compare
        Fit every form with every set of terms, and test them too.
    """
    games = games_from(games)
    chosen = curve or Logistic()
    for_fit, for_test = games, games
    if validate_from is not None:
        day = games.table["date"]
        for_fit, for_test = games.keep(day < validate_from), games.keep(day >= validate_from)
        for part, when in ((for_fit, "before"), (for_test, "from")):
            if not len(part):
                raise InputError(
                    f"expected games {when} {validate_from}, found none with such a date",
                    code="no-games-in-window",
                )
    one = draw_games(for_fit, before=before)
    two = one if validate_from is None else draw_games(for_test, before=before)

    def fitted(form: DrawForm, terms: TermsName) -> DrawFit:
        return fit_draws(
            one.D,
            one.L,
            one.score,
            curve=chosen,
            form=form,
            terms=terms,
            objective=objective,
            white_advantage=white_advantage,
        )

    fit = fitted(form, terms)
    loss, draw_loss = losses(fit.model, two.D, two.L, two.score, curve=chosen)
    return DrawCheck(
        fit=fit,
        curve=chosen,
        games=len(two),
        drawn=int((two.score == 0.5).sum()),
        later=validate_from is not None,
        loss=loss,
        draw_loss=draw_loss,
        grid=_grid(fit.model, two, chosen),
        others=_others(
            [fitted(f, t) for f in get_args(DrawForm) for t in get_args(TermsName)], one, two, chosen
        )
        if compare
        else None,
        left_out=one.left_out + (two.left_out if two is not one else 0),
    )


def _grid(model: DrawModel, games: DrawGames, curve: Curve) -> pl.DataFrame:
    D = games.D + model.white_advantage
    r = model.rate(games.L, np.asarray(curve.expected(D)))
    frame = pl.DataFrame(
        {
            "level": np.floor(games.L / LEVELS) * LEVELS,
            "difference": np.floor(np.abs(D) / DIFFERENCES) * DIFFERENCES,
            "mean_difference": np.abs(D),
            "drawn": games.score == 0.5,
            "r": r,
        }
    )
    groups = frame.group_by("level", "difference").agg(
        games=pl.len(),
        mean_difference=pl.col("mean_difference").mean(),
        observed=pl.col("drawn").mean(),
        predicted=pl.col("r").mean(),
        sigma=(pl.col("r") * (1 - pl.col("r"))).sum().sqrt() / pl.len(),
    )
    ends = groups.with_columns(
        level_to=pl.col("level") + LEVELS, difference_to=pl.col("difference") + DIFFERENCES
    )
    return _rates(ends, ["level", "level_to", "difference", "difference_to"])


def _rates(groups: pl.DataFrame, by: list[str]) -> pl.DataFrame:
    n = pl.col("games")
    mean = {name: (pl.col(name) * n).sum() / n.sum() for name in ("mean_difference", "observed", "predicted")}
    sigma = ((pl.col("sigma") * n) ** 2).sum().sqrt() / n.sum()
    result = groups.group_by(by).agg(games=n.sum().cast(pl.Int64), **mean, sigma=sigma).sort(by)
    gap = pl.col("observed") - pl.col("predicted")
    return result.with_columns(z=pl.when(pl.col("sigma") > 0).then(gap / pl.col("sigma")))


def _others(fits: list[DrawFit], one: DrawGames, two: DrawGames, curve: Curve) -> pl.DataFrame:
    """Return every form beside the plainest guess: the same share of draws in every game, where there is room."""
    rows: list[tuple[object, ...]] = []
    for fit in fits:
        loss, draw_loss = losses(fit.model, two.D, two.L, two.score, curve=curve)
        E = np.asarray(curve.expected(two.D + fit.model.white_advantage))
        predicted = float(fit.model.rate(two.L, E).mean())
        rows.append((fit.model.form, fit.terms, len(fit.errors), loss, draw_loss, predicted))
    share = float((one.score == 0.5).mean())
    advantage = fits[0].model.white_advantage
    E = np.clip(np.asarray(curve.expected(two.D + advantage)), EDGE, 1 - EDGE)
    r = np.minimum(share, FULL * room(E))
    p = np.select([two.score == 1.0, two.score == 0.0], [E - r / 2, 1 - E - r / 2], r)
    drawn = np.where(two.score == 0.5, r, 1 - r)
    rows.append(
        ("one share for all", "—", 2, -float(np.log(p).mean()), -float(np.log(drawn).mean()), float(r.mean()))
    )
    names = ["form", "terms", "constants", "loss", "draw_loss", "predicted"]
    return pl.DataFrame(rows, schema=names, orient="row").sort("loss")
