"""Text fields of files as typed columns: results, dates, months, numbers, ratings."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import polars as pl

from arpad.errors import InputError
from arpad.model import PRECISION
from arpad.read.text_table import LINE, finite_number, small_table

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Callable, Iterator

    from arpad.read.source import Report


def by_word(column: pl.Series, function: Callable[[pl.Series], pl.DataFrame]) -> pl.DataFrame:
    """Apply `function` to every different word once: millions of games share a few thousand dates."""
    words = column.unique(maintain_order=True)
    if 2 * len(words) > len(column):
        return function(column)
    result = function(words).with_columns(words.alias("_word"))
    joined = pl.DataFrame({"_word": column}).join(
        result, on="_word", how="left", maintain_order="left", nulls_equal=True
    )
    return joined.drop("_word")


# One column of numbers out of a table: ratings without names.


def read_numbers(file: str, column: str, *, report: Report | None = None) -> list[float]:
    """Read the numbers in one column of a CSV file; empty cells are left out.

    Parameters
    ----------
    column
        Its name in the first line, in capitals or not.
    """
    wanted = column.strip().casefold()
    frame = small_table(file, {wanted}, report)
    if wanted not in frame.columns:
        names = ", ".join(frame.columns[:-1])[:200]
        raise InputError(f"expected a column {column!r}, found {names or 'nothing'}", file=file)
    cells = frame.select(wanted, LINE).iter_rows()
    return [
        finite_number(cell, file, line, f"a number in {column}")
        for cell, line in cells
        if cell and cell.strip()
    ]


# Months that are only counted: Kaggle's contests of 2010 and 2011 say month 1 to 100, and not of what year.

MONTH = "month"
LAST = 12 * 9999
"""The last month of the year 9999."""


def dates_of_months(raw: pl.DataFrame, file: str, report: Report) -> pl.DataFrame:
    """Turn the column `month` into dates: month 1 is January of the year 1, month 13 of the year 2.

    So months keep their distance, and nobody takes them for dates that somebody wrote down.
    """
    if MONTH not in raw.columns:
        return raw
    if "date" in raw.columns:
        return raw.drop(MONTH)
    number = pl.col(MONTH).cast(pl.Float64)
    whole = number.is_between(1, LAST) & (number == number.floor())
    for line, value in raw.filter(number.is_not_null() & ~whole).select("line", MONTH).iter_rows():
        why = f"expected the number of a month, 1 or more, found {value:g}: left without a date"
        report.add(file, line, "repaired", why)
    month = pl.when(whole).then(number).cast(pl.Int32) - 1
    return raw.with_columns(
        pl.date(month // 12 + 1, month % 12 + 1, 1).alias("date"),
        pl.when(whole).then(pl.lit("month", dtype=PRECISION)).alias("precision"),
    ).drop(MONTH)


# Numbers as people write them: ``1650,5``, ``1 650``, ``1.650``, ``1650P``, ``1650/12``.

_NO_RATING = (
    "- -- --- – — ? 0 u ur unr unr. unrated none null n/a na nan #n/a ohne keine k.a. o.w. nc nonclassé sans sin sinelo sinrating s/r "
    "s/e nuevo new neu nieuw geen brak nowy senza nuovo б/р нет"
)
NO_RATING = ("", *_NO_RATING.split())
"""Signs for a missing rating."""
_RATING_WORDS = r"(?:elo|fide|dwz|nwz|twz|ecf|knsb|rating|rtg|pts|ca\.?|est\.?|prov\.?|pkt\.?|points|punkte)"
_BLANKS = r"[\s\u00a0\u2007\u2009\u202f'’]"
_PLAIN = r"^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$"


def plain_number(text: pl.Expr) -> pl.Expr:
    """Return the number in a text with a decimal point or comma, and blanks between thousands; else null."""
    bare = text.str.replace_all(_BLANKS, "").str.replace_all("\u2212", "-", literal=True)
    return bare.str.replace(r"^([+-]?\d*),(\d+)$", "$1.$2").cast(pl.Float64, strict=False)


def rating_number(column: str) -> list[pl.Expr]:
    """Return the rating as a number, and ``<column>_unread`` where the text is none.

    ``1650P``, ``1650/12`` and ``1650-12`` are provisional or carry a count of games or an index; only
    the rating is taken. One figure, a point or comma, and three figures are thousands.
    """
    text = pl.col(column).str.strip_chars().str.to_lowercase().fill_null("")
    bare = text.str.replace_all(_BLANKS, "").str.replace_all(r"[\u200b-\u200f\u2060\ufeff]", "")
    bare = bare.str.replace(r"±.*$", "").str.replace_all(r"^[(\[~≈<]+|[)\]*?+!;=]+$", "")
    bare = bare.str.replace(rf"^(?:{_RATING_WORDS}|p)[:=.]?(\d)", "$1")
    bare = bare.str.replace(r"^(\d)[.,](\d{3})([^\d].*)?$", "$1$2$3")
    bare = bare.str.replace(
        rf"^(\d{{3,4}}(?:[.,]\d+)?)(?:[(\[/]?p\d*|[/(\[|-]p?\d{{1,4}}p?|[(\[]?[a-z]|[(\[]?{_RATING_WORDS})$",
        "$1",
    )
    number = (
        pl.when(text.str.contains(_PLAIN) & ~text.str.contains(r"^\d\.\d{3}$"))
        .then(text.cast(pl.Float64, strict=False))
        .otherwise(bare.str.replace(",", ".", literal=True).cast(pl.Float64, strict=False))
    )
    number = pl.when(number.is_finite()).then(number)
    bad = number.is_null() & ~text.str.replace_all(_BLANKS, "").is_in(NO_RATING)
    return [number.alias(column), bad.alias(f"{column}_unread")]


# Which games are wanted: time controls, variants, casual games, games of programs.

TimeControl = Literal["standard", "rapid", "blitz"]
"""FIDE rates the three apart."""
MOVES = 60
"""Moves for which an increment is counted [Laws of Chess, A.1 and B.1]."""
RAPID_FROM, RAPID_UNTIL = 10.0, 60.0
"""Minutes: 10 or less is blitz, less than 60 is rapid [Laws of Chess, A.1 and B.1]."""
_TIME_WORDS: tuple[tuple[TimeControl, str], ...] = (
    ("blitz", r"blitz|bullet|lightning|éclair|relámpago|relampago|lampo|snelschaak|błyskawiczn|блиц"),
    ("rapid", r"rapid|rápid|quick|schnellschach|\bschnell|\bactive|semilampo|szybki|быстры"),
    ("standard", r"standard|classi[cq]|klassi|\bslow\b|langzeit|langpartie|correspondence"),
)
_BASE = r"(\d{1,3})\s*(?:'|′|min(?:utes?)?\.?|m\b)?"
_MORE = r"(?:\s*(?:\+|plus|;|,)\s*(\d{1,3})\s*(?:\'\'|″|\"|\'|s(?:ec(?:onds?)?)?\.?(?:\s*/\s*move)?)?)?"
_MINUTES = re.compile(rf"\s*(?:G/)?{_BASE}{_MORE}\s*", re.IGNORECASE)
_SECONDS = re.compile(r"(?:\d+/)?(\d+)(?:\+(\d+))?(?::.*)?")
_STANDARD_CHESS = frozenset(
    ["", "standard", "chess", "normal", "regular", "fromposition", "schach", "classical"]
)
_NO_TEXT = "false no 0 casual unrated n nein non não nao nee nie нет ungewertet freundschaft amical amistoso"
_YES_TEXT = "true yes 1 rated y ja j oui sí si sì sim tak да gewertet"
_NO, _YES = _NO_TEXT.split(), _YES_TEXT.split()


def time_control_of(
    *texts: str | None, figures: str | None = None, seconds: bool = False
) -> TimeControl | None:
    """Return the time control that words, or else the figures, state; None if neither does.

    Parameters
    ----------
    figures
        As reports write them: ``90 min + 30 s``, ``15+10``.
    seconds
        The figures are seconds, as in PGN: ``300+3``, ``40/7200:3600``.

    Examples
    --------
    >>> time_control_of("Juni-Schnellturnier"), time_control_of(figures="15+10"), time_control_of("Open")
    ('rapid', 'rapid', None)
    >>> time_control_of(figures="180+2", seconds=True)
    'blitz'
    """
    for text in (figures, *texts):
        for control, words in _TIME_WORDS:
            if text and re.search(words, text, re.IGNORECASE):
                return control
    result = (_SECONDS if seconds else _MINUTES).fullmatch(figures or "")
    if not result:
        return None
    minutes = int(result[1]) / (60 if seconds else 1) + int(result[2] or 0) * MOVES / 60
    if minutes <= RAPID_FROM:
        return "blitz"
    return "rapid" if minutes < RAPID_UNTIL else "standard"


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """Filter of the games to read.

    Parameters
    ----------
    time_control
        Only games of this time control; games that state none are standard. None: all.
    variant
        Only games of this variant; games that state none are chess. None: all.
    rated
        True leaves out games that are said to be casual, False takes only these; None: all.
    bots
        Take games in which a side has the title BOT.
    """

    time_control: TimeControl | None = None
    variant: str | None = "chess"
    rated: bool | None = True
    bots: bool = False

    def take(self, raw: pl.DataFrame, left_out: Counter[str]) -> pl.DataFrame:
        """Return the rows that are wanted; `left_out` counts the others by reason."""
        for reason, wanted in self._conditions(raw):
            left = int((~wanted).sum())
            if left:
                left_out[reason] += left
                return self.take(raw.filter(wanted), left_out)
        return raw

    def _conditions(self, raw: pl.DataFrame) -> Iterator[tuple[str, pl.Series]]:
        def said(column: str) -> pl.Series:
            given = raw.get_column(column, default=pl.repeat(None, raw.height, dtype=pl.String, eager=True))
            return given.cast(pl.String).fill_null("").str.to_lowercase()

        if self.variant is not None:
            wanted, names = _variant_key(self.variant), said("variant")
            keys = {name: _variant_key(name) for name in names.unique()}
            for name, key in sorted(keys.items()):
                if key != wanted:
                    yield name or "chess", names != name
        if self.rated is not None:
            word, event = said("rated"), said("event")
            casual = word.is_in(_NO)
            casual |= ~word.is_in(_YES) & event.str.contains(r"^casual\b|\bunrated\b")
            yield ("casual", ~casual) if self.rated else ("rated", casual)
        if not self.bots:
            yield "games of bots", ~((said("white_title") == "bot") | (said("black_title") == "bot"))
        if self.time_control is not None:
            pairs = raw.select(said("event").alias("event"), said("time_control").alias("figures"))
            states = {
                (event, figures): time_control_of(event, figures=figures, seconds=True) or "standard"
                for event, figures in pairs.unique().iter_rows()
            }
            controls = pl.Series([states[pair] for pair in pairs.iter_rows()], dtype=pl.String)
            for other in sorted(set(states.values()) - {self.time_control}):
                yield other, controls != other


_NAMES_OF_960 = dict.fromkeys(
    ("fischerandom", "fischerrandom", "freestyle", "960", "schach960", "c960"), "chess960"
)


def _variant_key(name: str) -> str:
    plain = re.sub(r"[\W_]+", "", name.casefold())
    return "chess" if plain in _STANDARD_CHESS else _NAMES_OF_960.get(plain, plain)
