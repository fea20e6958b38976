"""Text fields of files as typed columns: results, dates, months, numbers, ratings."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date, timedelta
from typing import TYPE_CHECKING, Literal, NamedTuple

import polars as pl

from arpad.errors import InputError
from arpad.model import PRECISION
from arpad.read.headings import WORDS
from arpad.read.text_table import LINE, finite_number, looked_up, small_table

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Callable, Iterator

    from arpad.read.source import Report


def by_word(column: pl.Series, function: Callable[[pl.Series], pl.DataFrame]) -> pl.DataFrame:
    """Apply `function` to every different word once: millions of games share a few thousand dates."""
    words = column.unique(maintain_order=True)
    if 2 * len(words) > len(column):
        return function(column)
    return looked_up(column, words, function(words))


# One column of numbers out of a table: ratings without names.


def read_numbers(file: str, column: str, *, report: Report | None = None) -> list[float]:
    """Read the numbers in one column of a CSV file; empty cells are left out.

    `column`: Its name in the first line, in capitals or not.
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
    lines, values = raw.filter(number.is_not_null() & ~whole).select("line", MONTH)
    whys = (
        f"expected the number of a month, 1 or more, found {value:g}: left without a date" for value in values
    )
    report.each(file, "repaired", lines, whys)
    month = pl.when(whole).then(number).cast(pl.Int32) - 1
    return raw.with_columns(
        pl.date(month // 12 + 1, month % 12 + 1, 1).alias("date"),
        pl.when(whole).then(pl.lit("month", dtype=PRECISION)).alias("precision"),
    ).drop(MONTH)


# Numbers as people write them: ``1650,5``, ``1 650``, ``1.650``, ``1650P``, ``1650/12``.

NO_RATING = ("", *WORDS["lists"]["no_rating"].split())
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


def rating_column(raw: pl.DataFrame, column: str, file: str, report: Report) -> pl.DataFrame:
    """Make numbers of a column of ratings; what is none is left out, with a note."""
    read = by_word(raw[column], lambda words: words.to_frame().select(*rating_number(column)))
    lines, values = raw.filter(read[f"{column}_unread"]).select("line", column)
    whys = (f"expected a rating in {column}, found {value!r}: taken as unrated" for value in values)
    report.each(file, "repaired", lines, whys)
    return raw.with_columns(read[column])


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
_GAME_WORDS = {name: words.split() for name, words in WORDS["games"].items()}


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
            casual = word.is_in(_GAME_WORDS["casual"])
            casual |= ~word.is_in(_GAME_WORDS["rated"]) & event.str.contains(r"^casual\b|\bunrated\b")
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


def _variant_key(name: str) -> str:
    plain = re.sub(r"[\W_]+", "", name.casefold())
    if not plain or plain in _GAME_WORDS["standard_chess"]:
        return "chess"
    return "chess960" if plain in _GAME_WORDS["chess960"] else plain


DateOrder = Literal["dmy", "mdy", "ymd"]
"""In which order day, month and year stand."""
DATE_ORDERS: tuple[DateOrder, ...] = ("dmy", "mdy", "ymd")
_MONTH_OF = {word: number for number, words in enumerate(WORDS["months"], start=1) for word in words.split()}
_EPOCH, _FIRST_SERIAL, _LAST_SERIAL = date(1899, 12, 30), 10_000, 80_000
"""Spreadsheets count days; five figures are the years 1927 to 2119."""
_CENTURY = 70
"""Two figures from here on are a year of the last century."""
_UNKNOWN = re.compile(r"[?.\-/ ]*")
_TIME = re.compile(
    r"(?:T|\s+|,\s*)\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)?\s*(?:[ap]\.?m\.?|h|uhr|z|utc|[+-]\d\d:?\d\d)?$",
    re.IGNORECASE,
)
_WEEKDAY = re.compile(r"^[^\W\d]{2,10}\.?,?\s+(?=\w)")
_YEAR_FIRST = re.compile(
    r"(\d{4}|\?{4})(?:\s*[-./]\s*(\d{1,2}|\?+)(?:\s*[-./]\s*(\d{1,2}|\?+))?)?(?:T.*|[-./])?"
)
_COMPACT = re.compile(r"((?:1[4-9]|20)\d\d)(0\d|1[0-2])([0-3]\d)")
_COMPACT_LAST = re.compile(r"(\d{2})(\d{2})((?:1[4-9]|20)\d{2})")
_SERIAL = re.compile(r"(\d{5})(?:[.,]\d*)?")
_THREE = re.compile(r"(\d{1,2}|\?+)\s*([-./])\s*(\d{1,2}|\?+)\s*\2\s*(\d{4}|\d{2})\.?")
_MONTH_YEAR = re.compile(r"(\d{1,2})\s*[-./]\s*(\d{4})")
_DAY_NAME_YEAR = re.compile(
    r"(\d{1,2})(?:\.|st|nd|rd|th|er|º|ª)?[\s\-/.]*(?:de\s+|of\s+)?([^\W\d]+)\.?,?[\s\-/.]*(?:de\s+|del\s+)?(\d{4}|\d{2})\.?(?:\s*(?:года|год|г|r)\.?)?"
)
_NAME_DAY_YEAR = re.compile(r"([^\W\d]+)\.?[\s\-/.]*(\d{1,2})(?:st|nd|rd|th)?(?:,\s*|[\s\-/.]+)(\d{4})")
_YEAR_NAME_DAY = re.compile(r"(\d{4})[\s\-/.]+([^\W\d]+)\.?(?:[\s\-/.]+(\d{1,2})\.?)?")
_ANY_YEAR = re.compile(r"(?<!\d)(?:1[4-9]|20)\d\d(?!\d)")
_NAME_YEAR = re.compile(r"([^\W\d]+)\.?[\s\-/.]*(?:de\s+|del\s+)?(\d{4})")


class DateOrderError(InputError):
    """Day and month of a column of dates could change places, and nothing in it says which is which.

    `examples` are a few of the dates that can be read in two ways, `orders` those that they allow.
    """

    def __init__(
        self, *, file: str, line: int | None, column: str, examples: list[str], orders: tuple[DateOrder, ...]
    ) -> None:
        self.column = column
        self.examples = examples
        self.orders = orders
        super().__init__(
            f"expected dates that say which number is the day, found {', '.join(map(repr, examples))} in the"
            f" column {column}: day or month first?",
            file=file,
            line=line,
        )


class _Parts(NamedTuple):
    year: int | None
    month: int | None = None
    day: int | None = None


def month_number(word: str) -> int | None:
    """Return the month of a name in any of nine languages, short or whole, from 1."""
    return _MONTH_OF.get(word.casefold().strip("."))


def parse_day(text: str) -> date | None:
    """Return the day in any of the ways in which event files write it, or None; two figures first are a year.

    Examples
    --------
    >>> parse_day("28. 07. 2005"), parse_day("May 29, 2020"), parse_day("99/09/24")
    (datetime.date(2005, 7, 28), datetime.date(2020, 5, 29), datetime.date(1999, 9, 24))
    """
    text = _bare(text)
    short = _THREE.fullmatch(text)
    day, precision, unread, _ = _row(text, "ymd" if short and len(short[4]) == 2 else "dmy")
    return day if precision == "day" and not unread else None


def read_dates(
    dates: pl.Series, order: DateOrder | None = None, words: pl.Series | None = None
) -> pl.DataFrame:
    """Return `date`, `precision`, `unread` (not understood) and `doubtful` (two readings) of text.

    The whole column decides whether the day or the month comes first; with dots it is the day
    unless the column says otherwise.

    Parameters
    ----------
    order
        What the caller knows; then nothing is doubtful.
    words
        All dates of the file, where the column is a piece of it.

    Examples
    --------
    >>> read_dates(pl.Series(["03/10/26", "25/10/26"])).rows()[0]
    (datetime.date(2026, 10, 3), 'day', False, False)
    >>> read_dates(pl.Series(["03/10/2026"]))["doubtful"].to_list()
    [True]
    """
    plain = dates.str.strip_chars().fill_null("")
    every = plain if words is None else words.str.strip_chars().fill_null("")
    words = every.unique(maintain_order=True)
    texts = [_bare(word) for word in words]
    orders = {dotted: _order_of(texts, dotted=dotted) if order is None else order for dotted in (True, False)}
    years_first = order is None and _may_begin_with_years(texts)
    rows = [_row(text, None if years_first else orders[_is_dotted(text)], years_first) for text in texts]
    days, precisions, unread, doubtful = zip(*rows, strict=True) if rows else ((), (), (), ())
    return looked_up(
        plain,
        words,
        {
            "date": pl.Series(days, dtype=pl.Date),
            "precision": pl.Series(precisions, dtype=PRECISION),
            "unread": pl.Series(unread, dtype=pl.Boolean),
            "doubtful": pl.Series(doubtful, dtype=pl.Boolean),
        },
    )


def _bare(text: str) -> str:
    """Return a date without the time of the day and the day of the week."""
    text = _TIME.sub("", " ".join(text.split())).strip('"').replace("'", "")
    if (digits := _COMPACT_LAST.fullmatch(text)) and not _COMPACT.fullmatch(text):
        return "/".join(digits.groups())
    named = _WEEKDAY.match(text)
    return text[named.end() :] if named and month_number(named[0].strip(" .,")) is None else text


def _is_dotted(text: str) -> bool:
    return "." in text


def _may_begin_with_years(texts: list[str]) -> bool:
    """Say whether dates such as 26-10-03 and 26-10-25 vary at their end as days do, not as years."""
    result = [_THREE.fullmatch(text) for text in texts if not _is_dotted(text)]
    short = [m for m in result if m and len(m[4]) == 2 and _fits(m, "ymd")]
    if len(short) < max(2, sum(m is not None for m in result)):
        return False
    first, last = ({int(m[at]) for m in short} for at in (1, 4))
    return max(last) - min(last) > 2 and max(first) - min(first) < max(last) - min(last)


def _order_of(texts: list[str], *, dotted: bool) -> DateOrder | None:
    """Return the order that every date of three short numbers allows, None where there are two."""
    allowed: set[DateOrder] = {"dmy", "mdy"}
    seen = False
    for text in texts:
        if _is_dotted(text) is not dotted or not (result := _THREE.fullmatch(text)):
            continue
        seen = True
        here = {order for order in ("dmy", "mdy") if _fits(result, order)}
        if here:
            allowed &= here
    if len(allowed) == 1:
        return allowed.pop()
    return "dmy" if allowed and dotted and seen else None


def _fits(found: re.Match[str], order: DateOrder) -> bool:
    return _whole(_in_order(found, order)) is not None


def _in_order(found: re.Match[str], order: DateOrder) -> _Parts:
    one, two, three = found[1], found[3], found[4]
    if order == "ymd":
        return _Parts(_year(one), _number(two), _number(three))
    day, month = (one, two) if order == "dmy" else (two, one)
    return _Parts(_year(three), _number(month), _number(day))


def _year(text: str) -> int | None:
    number = _number(text)
    if number is None or len(text) > 2:
        return number
    return number + (1900 if number >= _CENTURY else 2000)


def _number(text: str | None) -> int | None:
    return int(text) if text and text.isdecimal() else None


def orders_of(examples: list[str]) -> tuple[DateOrder, ...]:
    """Return the orders in which all of some doubtful dates can be read; two at least."""
    result = [m for text in examples if (m := _THREE.fullmatch(_bare(text)))]
    common = [o for o in DATE_ORDERS[:2] if all(_fits(m, o) for m in result)]
    return (*common,) if len(common) == 2 else (*common, "ymd")


def _whole(parts: _Parts) -> date | None:
    if parts.year is None or parts.month is None or parts.day is None:
        return None
    try:
        return date(parts.year, parts.month, parts.day)
    except ValueError:
        return None


def _row(
    text: str, order: DateOrder | None, years_first: bool = False
) -> tuple[date | None, str | None, bool, bool]:
    """Return day, precision, and whether the text is not understood or can be read in two ways."""
    if _UNKNOWN.fullmatch(text):
        return None, None, False, False
    if result := _THREE.fullmatch(text):
        options = {_in_order(result, o) for o in ("dmy", "mdy") if _fits(result, o)}
        if years_first and _fits(result, "ymd"):
            options.add(_in_order(result, "ymd"))
        if order is not None and _fits(result, order):
            options = {_in_order(result, order)}
        elif not options and _fits(result, "ymd"):
            options = {_in_order(result, "ymd")}
        if len(options) == 1:
            return *_known(options.pop()), False, False
        year_only = _Parts(_year(result[4]))
        if not options and (rough := _rough(result)):
            return *_known(rough), "?" not in text, False
        return *_known(year_only), True, bool(options)
    parts = _parts(text)
    if parts is None:  # KW 40, 2026: the year is known
        years = _ANY_YEAR.findall(text)
        return (*_known(_Parts(int(years[0]) if len(years) == 1 else None)), True, False)
    beyond = parts.month is not None and (parts.month > 12 or bool(parts.day and not _whole(parts)))
    return *_known(parts), beyond, False


def _rough(found: re.Match[str]) -> _Parts | None:
    """Return month and year of ``31.06.2024`` or ``??.05.2024``: only one of the numbers can be the month."""
    readings = [_in_order(found, order) for order in ("dmy", "mdy")]
    months = [p for p in readings if p.month is not None and 1 <= p.month <= 12]
    return months[0] if len(months) == 1 else None


def _parts(text: str) -> _Parts | None:  # noqa: PLR0911 - one a way of writing
    if result := _COMPACT.fullmatch(text):
        return _Parts(int(result[1]), int(result[2]), int(result[3]))
    if result := _SERIAL.fullmatch(text):
        number = int(result[1])
        if not _FIRST_SERIAL <= number <= _LAST_SERIAL:
            return None
        day = _EPOCH + timedelta(days=number)
        return _Parts(day.year, day.month, day.day)
    if result := _YEAR_FIRST.fullmatch(text):
        return _Parts(_number(result[1]), _number(result[2]), _number(result[3]))
    if result := _MONTH_YEAR.fullmatch(text):
        return _Parts(int(result[2]), int(result[1]))
    if (result := _DAY_NAME_YEAR.fullmatch(text)) and (month := month_number(result[2])):
        return _Parts(_year(result[3]), month, int(result[1]))
    if (result := _NAME_DAY_YEAR.fullmatch(text)) and (month := month_number(result[1])):
        return _Parts(int(result[3]), month, int(result[2]))
    if (result := _YEAR_NAME_DAY.fullmatch(text)) and (month := month_number(result[2])):
        return _Parts(int(result[1]), month, _number(result[3]))
    if (result := _NAME_YEAR.fullmatch(text)) and (month := month_number(result[1])):
        return _Parts(int(result[2]), month)
    return None


def _known(parts: _Parts) -> tuple[date | None, str | None]:
    """Return the first day of what is known, and how much that is."""
    if parts.year is None or not 1 <= parts.year <= 9999:
        return None, None
    if parts.month is None or not 1 <= parts.month <= 12:
        return date(parts.year, 1, 1), "year"
    day = _whole(parts)
    if day is None:
        return date(parts.year, parts.month, 1), "month"
    return day, "day"
