"""Crosstables of clubs, Swiss pairing tables and round-robin grids, read as games.

Every game stands in two cells. A way of writing is accepted only where the two cells agree, so that the
table itself checks the guess; a table that can be read in two ways, or in none, is refused.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from itertools import permutations
from typing import TYPE_CHECKING, NamedTuple

import polars as pl

from arpad.errors import InputError, counted
from arpad.model import columns
from arpad.read.headings import WORDS, HeadingsError, heading, name_and_forename, plain_words
from arpad.read.result_words import is_bye, letter_results, read_result, read_results
from arpad.read.text_table import LINE, TOTALS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from arpad.read.source import Report


AGREEING = 0.75
"""The share of filled cells, at least, that another cell confirms; the others are left out, with a note."""
_ROUND = re.compile(
    r"(?:(?:r|rd|rnd|rde|round|runde|ronde|ronda|rda|turno|rodada|runda|тур)\W*)?(\d{1,2})"
    r"(?:\W*(?:r|rd|rnd|rde|round|runde|ronde|ronda|rda|turno|rodada|runda|тур))?\W*",
    re.IGNORECASE,
)
_NUMBER_WORDS = frozenset(WORDS["lists"]["numbers"].split())
_L = r"[^\W\d_]"
_PARTS = {"opponent": r"(?P<n>\d+?)", "colour": rf"(?P<c>{_L})", "result": r"(?P<r>[10=+-])"}
_BETWEEN = r" ?(?:[/:;,.#=|-]|vs\.?)?? ?"


def _pattern(parts: Sequence[str], ending: str) -> re.Pattern[str]:
    """Return the pattern of a cell; where every cell has a result, it may be a letter."""
    pieces = dict(_PARTS)
    if not ending:
        pieces["result"] = rf"(?P<r>[10=+-]|{_L})"
    if "colour" not in parts:
        pieces["result"] += "(?P<c>)"
    *first, last = [pieces[part] for part in parts]
    return re.compile(rf"{_BETWEEN.join(first)}(?:{_BETWEEN}{last} ?(?P<f>ff|f|k)?){ending}")


_ORDERS = [
    parts for size in (3, 2) for parts in permutations(_PARTS, size) if {"opponent", "result"} <= {*parts}
]
_PATTERNS = [(", ".join(parts), _pattern(parts, "")) for parts in _ORDERS]
"""Layouts of a cell in a Swiss table: 12w1, +w12, w12+, +12w, 12+w, +12 or 1-12, 12+ or 12-1."""
_PATTERNS += [(", ".join(parts), _pattern(parts, "?")) for parts in _ORDERS if parts[2:] == ("result",)]
"""The same where some rounds, at the end, are paired and not played."""
_COLOURS = ("wb", "ws", "wz", "bn", "bp", "bc", "бч")
"""White and black in nine languages; the letters of the whole table decide."""
_ABSENT = frozenset(
    ["", "-", "--", "---", "0", "-0", "- 0", "0-", "0 -", "0--", "*", "x", "u", "z", "u---", "z---", "x---"]
)
_BYES = dict.fromkeys(["+", "+-", "+--", "-1", "- 1", "f", "b", "b---", "f---", "exe"], 1.0)
_BYES |= dict.fromkeys(["-=", "- =", "=", "h", "h---", "half"], 0.5)
_DIAGONAL = frozenset(["", "x", "xx", "*", "**", "-", "--", "#", "■", "\\", "/", "xxx", "***", "█", "●"])
_BOTH_SCORES = re.compile(r"([10=]) ?[-:] ?[10=]")
_FORFEITS = {"x": "1", "f": "0"}
"""SwissSys writes X for a win and F for a loss by forfeit."""
_OTHERS = str.maketrans("10+-", "01-+")
_SCORES = {"1": 1.0, "0": 0.0, "=": 0.5, "+": 1.0, "-": 0.0}
_TITLES = frozenset(["GM", "IM", "FM", "CM", "WGM", "WIM", "WFM", "WCM"])
_PEOPLE = ("rating", "id", "title", "federation", "birth")


class CrosstableError(InputError):
    """A table looks like a crosstable, and its cells do not agree with one another.

    `cells` are a few that are not understood or confirmed; `readings` the ways of writing that fit equally well.
    """

    def __init__(
        self, *, file: str, line: int, cells: Sequence[str] = (), readings: Sequence[str] = ()
    ) -> None:
        self.cells = tuple(cells)
        self.readings = tuple(readings)
        if readings:
            why = f"this crosstable can be read in several ways ({'; '.join(readings)})"
        else:
            some = ", ".join(map(repr, cells))
            why = f"expected a crosstable whose cells confirm one another, found {some} and the like"
        super().__init__(f"{why}: give a table with a row for each game", file=file, line=line)


class _Game(NamedTuple):
    """One game or bye between two rows of the table."""

    white: int
    black: int | None
    score: float | None
    black_score: float | None
    status: str | None
    round: str | None
    row: int


@dataclass(frozen=True, slots=True)
class _TableReading:
    """One reading of a table."""

    way: str
    games: list[_Game]
    confirmed: int
    """Cells that another cell confirms, and byes."""
    doubtful: list[tuple[int, str]]
    """Row and text of the other cells that are not empty."""
    colours: bool

    @property
    def fits(self) -> bool:
        played = sum(game.black is not None for game in self.games)
        return played >= 2 and self.confirmed >= AGREEING * (self.confirmed + len(self.doubtful))


@dataclass(frozen=True, slots=True)
class _CrosstableColumns:
    """Columns of a crosstable by meaning."""

    name: str
    rounds: list[str]
    numbers: list[str]
    points: str | None
    people: dict[str, str]

    @classmethod
    def of(
        cls, names: Sequence[str], columns: Mapping[str, str] | None, file: str
    ) -> _CrosstableColumns | None:
        rounds = _round_columns(names)
        others = [name for name in names if name not in rounds]
        fields = {name: heading(re.sub(r" \(\d+\)$", "", name)) for name in others}
        by_field: dict[str, list[str]] = {}
        for name, spoken in fields.items():
            if spoken is not None and spoken.side is None:
                by_field.setdefault(spoken.field, []).append(name)
        named, forename = name_and_forename(by_field)
        if len(rounds) < 2 or named is None:
            return None
        people: dict[str, str] = {}
        for field in _PEOPLE:
            chosen = (columns or {}).get(f"white_{field}")
            several = [chosen] if chosen in others else by_field.get(field, [])
            if len(several) > 1:
                raise HeadingsError(file=file, found=list(names), choices={f"white_{field}": several})
            if several and several[0] is not None:
                people[field] = several[0]
        points = by_field.get("points") or by_field.get("score") or []
        numbers = [n for n in others if fields[n] is None and _is_number_heading(n)]
        if forename is not None:
            people["forename"] = by_field[forename][0]
        return cls(by_field[named][0], rounds, numbers, points[0] if points else None, people)


def is_crosstable(names: Sequence[str]) -> bool:
    """Say whether headings are those of a crosstable: a name, and rounds or opponents from 1 on."""
    try:
        if _round_groups(names) and name_and_forename(_by_field(names))[0]:
            return True
        return _CrosstableColumns.of(names, None, "") is not None
    except HeadingsError:
        return True


def _round_columns(names: Sequence[str]) -> list[str]:
    """Return the columns headed 1, 2, 3, … or R1, R2, …, in this order and without a gap."""
    result: list[str] = []
    for name in names:
        number = _ROUND.fullmatch(re.sub(r"\([^)]*\)", "", name).strip())
        if number and int(number[1]) == len(result) + 1:
            result.append(name)
    return result


def _is_number_heading(name: str) -> bool:
    words = plain_words(name)
    plain = name.strip() in ("#", "№") or name.startswith("column ")
    return plain or (bool(words) and set(words) <= _NUMBER_WORDS)


# A column each for opponent, colour and result in every round; or a row for each player and round.

_ROUND_WORDS = re.compile(
    r"\d+|\b(?:r|rd|rnd|rde|round|runde|ronde|ronda|rda|turno|rodada|runda|тур)(?=[\d\W]|$)", re.IGNORECASE
)
_ALONE = {"c": "colour", "f": "colour", "k": "colour", "r": "result", "e": "result"}
_OUTCOMES = ("result", "score", "points")


def _by_field(names: Sequence[str]) -> dict[str, list[str]]:
    """Return the columns of each field, whatever number of a round stands beside it."""
    fields: dict[str, list[str]] = {}
    for name in names:
        bare = _ROUND_WORDS.sub(" ", name).strip(" ().:-_")
        spoken = heading(bare)
        letter = re.sub(r"[\W\d]", "", name).casefold()
        field = spoken.field if spoken and not spoken.side else _ALONE.get(letter)
        if field:
            fields.setdefault(field, []).append(name)
    return fields


def _round_groups(names: Sequence[str]) -> list[tuple[str, str | None, str]]:
    """Return the columns of opponent, colour and result of each round, in the order of the rounds."""
    fields = _by_field(names)
    opponents, colours = fields.get("opponent", []), fields.get("colour", [])
    count = len(opponents)
    results = next((c for f in _OUTCOMES if count <= len(c := fields.get(f, [])) <= count + 1), [])
    if count < 2 or len(colours) not in (0, count):
        return []
    sides: list[str | None] = [*colours] or [None] * count
    return list(zip(opponents, sides, results, strict=False))


def _merged_rounds(frame: pl.DataFrame) -> pl.DataFrame:
    """Return a table in which opponent, colour and result of a round stand in one cell."""
    groups = _round_groups([name for name in frame.columns if name != LINE])
    fields = _by_field(frame.columns)
    field = name_and_forename(fields)[0]
    if not groups or field is None:
        return frame
    name = fields[field][0]
    row_of = {text.strip(): str(row) for row, text in enumerate(frame[name], start=1) if text}
    results = {_plain_cell(text).removesuffix("f") for *_, result in groups for text in frame[result]}
    letters = letter_results({text for text in results if len(text) == 1 and text.isalpha()})

    def cell(opponent: str | None, colour: str | None, result: str | None) -> str:
        text, plain = (opponent or "").strip(), _plain_cell(result)
        number = row_of.get(text, text.strip("#. "))
        outcome = letters.get(plain.removesuffix("f")) or read_result(result or "")
        if not text or text == "0" or is_bye(text):
            points = _bye_points(plain)
            points = points if points is not None or outcome is None else outcome.score
            return {1.0: "+", 0.5: "="}.get(points or 0.0, "")
        if outcome is None or not number.isdecimal():
            return f"? {text} {result}"
        forfeit = outcome.status == "forfeit" or (plain.endswith("f") and outcome.score is not None)
        mark = _mark(outcome.score) + " f" * forfeit
        if colour and colour.strip():
            return f"{number} {colour.strip()[0]} {mark}"
        return number + mark.translate({ord("1"): "w", ord("0"): "l", ord("="): "d"})

    rounds = [
        pl.Series(
            str(at), list(map(cell, frame[one], frame[two] if two else [None] * frame.height, frame[three]))
        )
        for at, (one, two, three) in enumerate(groups, start=1)
    ]
    used = {column for group in groups for column in group if column}
    return frame.drop(used).with_columns(rounds)


def is_own_side(names: Sequence[str]) -> bool:
    """Say whether headings are those of a table with a player, an opponent, a colour and a result in each row."""
    fields = _by_field(names)
    one = all(len(fields.get(field, [])) == 1 for field in ("name", "opponent", "colour"))
    return one and any(fields.get(field) for field in _OUTCOMES)


def own_side_games(
    frame: pl.DataFrame, file: str, report: Report, columns: Mapping[str, str] | None = None
) -> pl.DataFrame | None:
    """Return the games of a table that tells each of them from the side of one player, or of both.

    Parameters
    ----------
    frame
        The table as text, with the column `LINE`; `is_own_side` says yes to its headings.
    columns
        What the caller names: the table is then another one.
    """
    if columns:
        return None
    names = [name for name in frame.columns if name != LINE]
    fields = _by_field(names)
    outcome = next(fields[field][0] for field in _OUTCOMES if field in fields)
    first = pl.col(fields["colour"][0]).fill_null("").str.strip_chars().str.to_lowercase().str.slice(0, 1)
    letters = frame.select(first).to_series()
    pair = _colour_pair(Counter(letter for letter in letters if letter)) or "  "
    words = frame[outcome].fill_null("")
    of_two = words.str.contains(r"[\d½]\s*[-–:]\s*[\d½]") & (letters == pair[1])
    if pair == "  " or of_two.any():  # whose point comes first?
        raise HeadingsError(file=file, found=names, missing=["white", "black"])
    player, opponent = pl.col(fields["name"][0]), pl.col(fields["opponent"][0])
    theirs = pl.col("black_score")
    nobody = [not name or is_bye(name) for name in frame[fields["opponent"][0]].str.strip_chars()]
    table = frame.with_columns(
        read_results(words), own=first == pair[0], nobody=pl.Series(nobody, dtype=pl.Boolean)
    )
    own = pl.col("own") | pl.col("nobody")
    unclear = ~pl.col("nobody") & ~first.is_in([*pair])
    why = "expected the colour of the player, found none"
    report.each(file, "skipped", table.filter(unclear)[LINE], why, named=True)
    table = table.filter(~unclear).with_columns(
        pl.when(own).then(player).otherwise(opponent).alias("white"),
        pl.when(own).then(opponent).otherwise(player).alias("black"),
        pl.when(own).then("score").otherwise(pl.coalesce(theirs, 1 - pl.col("score"))).alias("score"),
        pl.when(own).then(theirs).otherwise(pl.when(theirs.is_not_null()).then("score")).alias("black_score"),
    )
    kept = [
        name
        for name in names
        if name not in {fields[f][0] for f in ("name", "opponent", "colour")} | {outcome}
    ]
    place = [
        name for name in kept if (spoken := heading(name)) and spoken.field in ("round", "date", "event")
    ]
    table = table.with_columns(nth=pl.int_range(pl.len()).over("white", "black", *place, "own"))
    key = ["white", "black", *place, "nth"]
    table = table.with_columns(differ=pl.col("score").n_unique().over(key) > 1)
    why = "the row of the other player has another result"
    report.each(file, "skipped", table.filter("differ", ~pl.col("own"))[LINE], why, named=True)
    table = table.filter(~pl.col("differ")).unique(key, keep="first", maintain_order=True)
    return table.select("white", "black", "score", "black_score", "status", *kept, LINE)


def _may_be_a_grid(names: Sequence[str]) -> bool:
    return len(names) > 2


def numbered(frame: pl.DataFrame) -> pl.DataFrame | None:
    """Return a grid whose columns are headed by its players with numbers as headings; None for any other table.

    A heading is the whole name, the beginning of its words, or its initials.

    Examples
    --------
    >>> rows = {"Name": ["Alt, Al", "Bau, Bo"], "Alt": ["x", "1"], "BB": ["0", "x"]}
    >>> numbered(pl.DataFrame(rows)).columns
    ['Name', '1', '2']
    """
    names = [name for name in frame.columns if name != LINE]
    named = next((n for n in names if heading(n) == ("name", None)), names[0])
    players = [text for text in frame[named] if text and text.strip() and text.strip().lower() not in TOTALS]
    for at in range(names.index(named) + 1, len(names) - len(players) + 1):
        run = names[at : at + len(players)]
        if len(run) > 1 and all(map(_stands_for, run, players)):
            return frame.rename(
                {name: str(number) for number, name in enumerate(run, start=1)} | {named: "Name"}
            )
    return None


def _named_grid(
    frame: pl.DataFrame, file: str, report: Report, columns: Mapping[str, str] | None = None
) -> pl.DataFrame | None:
    grid = numbered(frame)
    return None if grid is None else crosstable_games(grid, file, report, columns)


def _stands_for(short: str, name: str) -> bool:
    mine, theirs = plain_words(short), plain_words(name)
    if not mine or not theirs:
        return False
    letters = ["".join(w[0] for w in order) for order in (theirs, theirs[::-1])]
    return "".join(mine) in letters or all(any(word.startswith(m) for word in theirs) for m in mine)


def crosstable_games(
    frame: pl.DataFrame, file: str, report: Report, columns: Mapping[str, str] | None = None
) -> pl.DataFrame:
    """Return the games of a crosstable as a table with a row for each game, for `table.collect`.

    `frame`: The table as text, with the column `LINE`; `is_crosstable` says yes to its headings.
    """
    parts = _below_each_other(frame)
    if len(parts) > 1:
        return pl.concat([crosstable_games(part, file, report, columns) for part in parts])
    frame = _with_titles(_merged_rounds(frame))
    result = _CrosstableColumns.of([name for name in frame.columns if name != LINE], columns, file)
    if result is None:
        raise HeadingsError(file=file, found=frame.columns, missing=["white", "black", "result"])
    name = pl.col(result.name).str.strip_chars().fill_null("")
    frame = frame.filter((name != "") & ~name.str.to_lowercase().is_in(TOTALS))
    cells = [[_plain_cell(cell) for cell in row] for row in frame.select(result.rounds).iter_rows()]
    readings = [r for r in _readings(cells, frame, result) if r.fits]
    best = max((r.confirmed for r in readings), default=0)
    different = {tuple(sorted(map(str, r.games))): r for r in readings if r.confirmed == best}
    if len(different) != 1:
        filled = [cell for row in cells for cell in row if cell not in _ABSENT]
        line = int(frame[LINE][0]) if frame.height else 1
        ways = [reading.way for reading in different.values()]
        raise CrosstableError(file=file, line=line, cells=filled[:3], readings=ways)
    reading = next(iter(different.values()))
    _report_reading(reading, frame, result, file, report)
    return _as_games(reading, frame, result)


def _with_titles(frame: pl.DataFrame) -> pl.DataFrame:
    """Call a column without a heading `title` where it has nothing but titles: so chess-results.com writes them."""
    for name in frame.columns:
        if re.fullmatch(r"column \d+", name) and "title" not in frame.columns:
            cells = set(frame[name].cast(pl.String).str.strip_chars().drop_nulls()) - {""}
            if cells and cells <= _TITLES:
                return frame.rename({name: "title"})
    return frame


def _below_each_other(frame: pl.DataFrame) -> list[pl.DataFrame]:
    """Return the tables of several groups that stand below one another, each under the same headings."""
    names = [name for name in frame.columns if name != LINE]
    same = [pl.col(n).fill_null("").str.strip_chars() == re.sub(r" \(\d+\)$", "", n) for n in names[:4]]
    number = frame.select(pl.all_horizontal(same).cum_sum()).to_series()
    if not number.len() or not number[-1]:
        return [frame]
    heads = frame.select(pl.all_horizontal(same)).to_series()
    return [frame.filter((number == at) & ~heads) for at in range(number[-1] + 1)]


def _plain_cell(text: str | None) -> str:
    """Return a cell in small letters, a half as =, with one kind of dash and single blanks.

    Examples
    --------
    >>> [_plain_cell(t) for t in ("12W½", "1/2 - 7", "0,5 (3)", "1.0")]
    ['12w=', '= - 7', '= 3', '1']
    """
    text = (text or "").casefold().replace("½", "=").replace("1/2", "=")
    text = re.sub(r"[\u2010-\u2015\u2212]", "-", text)
    text = re.sub(r"(?<![\d.,])0?[.,]5(?!\d)", "=", text)
    text = re.sub(r"(?<![\d.,])([01])[.,]0(?!\d)", r"\1", text)
    text = " ".join(re.sub(r"[()\[\]]", " ", text).split())
    return f"{'+' if text[0] == '>' else '-'}{text[1:]} f" if text[:1] in ("<", ">") else text  # by forfeit


def _readings(
    cells: list[list[str]], frame: pl.DataFrame, found: _CrosstableColumns
) -> Iterator[_TableReading]:
    if len(cells) == len(found.rounds):
        yield _grid(cells)
    keys = [list(range(1, len(cells) + 1))]
    for column in found.numbers:
        numbers = [
            int(n) if n.isdecimal() else None for n in (_plain_cell(t).strip(". ") for t in frame[column])
        ]
        given = [n for n in numbers if n is not None]
        if given and len(set(given)) == len(given) and numbers not in keys:
            keys.append(numbers)  # type: ignore[arg-type]
    for way, pattern in _PATTERNS:
        for key in keys:
            yield _swiss(way, pattern, cells, {number: row for row, number in enumerate(key)})


# Round-robin grids: a column for each player, the results of the row's player in it.


def _grid(cells: list[list[str]]) -> _TableReading:
    """Read a grid of results; two results in a cell are two games."""
    size = range(len(cells))
    played = [cells[i][j] for i in size for j in size if i != j and cells[i][j] not in _ABSENT]
    if played and all(_BOTH_SCORES.fullmatch(cell) for cell in played):  # 1:0 is one game, not two
        cells = [[m[1] if (m := _BOTH_SCORES.fullmatch(cell)) else cell for cell in row] for row in cells]
    texts = [["".join(re.split(r"[ ,;/|:]", cell)) for cell in row] for row in cells]
    letters = letter_results({c for i in size for j in size if i != j for c in texts[i][j] if c.isalpha()})
    words = {ord(letter): _mark(outcome.score) for letter, outcome in letters.items()}
    texts = [[text.translate(words) for text in row] for row in texts]
    below, above = ([(i, j) for i in size for j in size if (i - j) * sign > 0] for sign in (1, -1))
    for half, other in ((below, above), (above, below)):
        if all(texts[i][j] in ("", "-") for i, j in half):  # only one half is filled in
            for i, j in other:
                texts[j][i] = texts[i][j].translate(_OTHERS)
    doubtful = [(i, cells[i][i]) for i in size if cells[i][i] not in _DIAGONAL]
    digits = any(set("10") & set(texts[i][j]) for i in size for j in size if i != j)
    games, confirmed = [], 0
    for i in size:
        for j in range(i + 1, len(texts)):
            ours, theirs = texts[i][j], texts[j][i]
            if not digits and {ours, theirs} <= {"", "-"}:
                continue
            outcomes = [_pair_outcome(a, b, digits=digits) for a, b in zip(ours, theirs, strict=False)]
            if len(ours) == len(theirs) and None not in outcomes:
                confirmed += 2 * bool(ours)
                games += [_Game(i, j, *scores, None, i) for scores in outcomes if scores is not None]
            else:
                doubtful += [(i, cells[i][j]), (j, cells[j][i])]
    return _TableReading("a round-robin grid", games, confirmed, doubtful, colours=False)


def _pair_outcome(
    ours: str, theirs: str, *, digits: bool, forfeit: bool = False
) -> tuple[float, float | None, str | None] | None:
    """Return the scores and the status of two results that belong together; None where they do not.

    Where 1 and 0 stand in the table, + and - are forfeits; else they are won and lost.
    """
    if ours not in _SCORES or theirs not in _SCORES:
        return None
    forfeit = forfeit or (digits and bool({ours, theirs} & {"+", "-"}))
    score, other = _SCORES[ours], _SCORES[theirs]
    status = "forfeit" if forfeit else None
    if score + other == 1:
        return score, None, status
    return (score, other, status) if forfeit and score + other < 1 else None


# Swiss pairing tables: a column for each round, opponent and result in it.


class _Cell(NamedTuple):
    opponent: int
    colour: str
    result: str | None
    forfeit: bool


def _swiss(
    way: str, pattern: re.Pattern[str], cells: list[list[str]], row_of: Mapping[int | None, int]
) -> _TableReading:
    """Read every cell in one way; a game counts if the opponent's cell says the same."""
    matches = [[pattern.fullmatch(cell) for cell in row] for row in cells]
    result = [match for row in matches for match in row if match]
    marks = {match["r"] for match in result if match["r"]}
    letters = {mark for mark in marks if mark.isalpha()}
    meaning = {letter: _mark(out.score) for letter, out in letter_results(letters - {*_FORFEITS}).items()}
    digits = bool(marks & {"1", "0"})
    white_letter = (_colour_pair(Counter(match["c"] for match in result if match["c"])) or [None])[0]
    grid: list[list[_Cell | None]] = [
        [_cell(match, row_of, meaning) if match else None for match in row] for row in matches
    ]
    games: list[_Game] = []
    doubtful: list[tuple[int, str]] = []
    confirmed = 0
    for row, line in enumerate(grid):
        for at, cell in enumerate(line):
            text, number = cells[row][at], str(at + 1)
            if cell is None:
                points = _bye_points(text)
                if text in _ABSENT:
                    continue
                if points is None:
                    doubtful.append((row, text))
                else:
                    confirmed += 1
                    games.append(_Game(row, None, points, None, "bye", number, row))
                continue
            other = grid[cell.opponent][at]
            game = None
            if other is not None and other.opponent == row and cell.opponent != row:
                game = _game(row, cell, other, white_letter, number, digits=digits)
            if game is None:
                doubtful.append((row, text))
                continue
            confirmed += 1
            if row < cell.opponent:
                games.append(game)
    return _TableReading(
        f"a Swiss table, cells with {way}", games, confirmed, doubtful, colours=white_letter is not None
    )


def _mark(score: float | None) -> str:
    return {1.0: "1", 0.0: "0"}.get(score, "=") if score is not None else ""


def _cell(match: re.Match[str], row_of: Mapping[int | None, int], meaning: Mapping[str, str]) -> _Cell | None:
    opponent = row_of.get(int(match["n"]))
    if opponent is None:
        return None
    mark, forfeit = match["r"], match["f"] is not None
    if mark in _FORFEITS and mark not in meaning:
        mark, forfeit = _FORFEITS[mark], True
    return _Cell(opponent, match["c"], meaning.get(mark, mark) if mark else None, forfeit)


def _colour_pair(letters: Counter[str]) -> str | None:
    """Return the letters for White and Black; None where there are no colours, or they are not understood."""
    pairs = [pair for pair in _COLOURS if {*pair} <= {*letters}]
    known = len(pairs) == 1 and sum(letters[c] for c in pairs[0]) >= AGREEING * letters.total()
    return pairs[0] if known else None


def _game(
    row: int, ours: _Cell, theirs: _Cell, white_letter: str | None, number: str, *, digits: bool
) -> _Game | None:
    """Return the game of two cells that point to each other; None where they contradict."""
    if ours.colour or theirs.colour:
        if white_letter is None or ours.colour == theirs.colour or not (ours.colour and theirs.colour):
            return None
        swap = ours.colour != white_letter
    else:
        swap = False
    white, black = (ours.opponent, row) if swap else (row, ours.opponent)
    first, second = (theirs, ours) if swap else (ours, theirs)
    if first.result is None and second.result is None:
        return _Game(white, black, None, None, "unplayed", number, row)
    forfeit = first.forfeit or second.forfeit
    outcome = _pair_outcome(first.result or "", second.result or "", digits=digits, forfeit=forfeit)
    return None if outcome is None else _Game(white, black, *outcome, number, row)


def _bye_points(text: str) -> float | None:
    """Return the points of a cell that says that there was no opponent; None where it says something else."""
    if text in _BYES:
        return _BYES[text]
    result = read_result(text.replace("=", "1/2"))
    return result.score if result is not None and result.status == "bye" else None


def _report_reading(
    reading: _TableReading, frame: pl.DataFrame, found: _CrosstableColumns, file: str, report: Report
) -> None:
    lines = frame[LINE].to_list()
    byes = sum(game.status == "bye" for game in reading.games)
    words = counted(len(reading.games) - byes, "game") + (f", {counted(byes, 'bye')}" if byes else "")
    colours = "" if reading.colours else "; without colours: the higher-placed player gets White"
    head = min(lines) - 1
    report.add(file, head, "noted", f"{reading.way}, {len(lines)} players: {words}{colours}")
    for row, text in reading.doubtful:
        why = f"{text!r} is not understood, or the opponent's cell does not say the same"
        report.add(file, lines[row], "skipped", why)
    if found.points is None:
        return
    points = [0.0] * len(lines)
    for game in reading.games:
        points[game.white] += game.score or 0.0
        if game.black is not None and game.score is not None:
            points[game.black] += 1 - game.score if game.black_score is None else game.black_score
    given = frame[found.points].str.strip_chars().str.replace("½", ".5").str.replace(",", ".", literal=True)
    for line, mine, total in zip(lines, points, given.cast(pl.Float64, strict=False), strict=True):
        if total is not None and total != mine:
            report.add(file, line, "noted", f"{total:g} points in the table, {mine:g} from its cells")


def _as_games(reading: _TableReading, frame: pl.DataFrame, found: _CrosstableColumns) -> pl.DataFrame:
    """Return the games with all that the table says of the players."""
    people = frame.select(
        pl.col(found.name).str.strip_chars().alias("name"),
        *(pl.col(theirs).alias(field) for field, theirs in found.people.items()),
        LINE,
    )
    if "forename" in people.columns:
        both = pl.concat_str(["name", pl.col("forename").str.strip_chars()], separator=", ")
        people = people.with_columns(pl.coalesce(both, "name").alias("name")).drop("forename")
    own = pl.col("name").is_duplicated() & (pl.col("id").is_null() if "id" in found.people else pl.lit(True))
    row = pl.int_range(1, pl.len() + 1)
    people = people.with_columns(
        pl.when(own).then(pl.format("{} ({})", "name", row)).otherwise("name").alias("name")
    )
    kinds = columns("w:int b:int score:float black_score:float status:str round:str at:int")
    table = pl.DataFrame(reading.games, schema=kinds, orient="row")
    sides = [
        people[column].gather(table[place]).alias(side if column == "name" else f"{side}_{column}")
        for side, place in (("white", "w"), ("black", "b"))
        for column in people.columns
        if column != LINE
    ]
    line = people[LINE].gather(table["at"])
    return table.select(*sides, "score", "black_score", "status", "round", line)


SHAPES = ((is_crosstable, crosstable_games), (is_own_side, own_side_games), (_may_be_a_grid, _named_grid))
"""Tables of games other than one with a row for each: who recognises their headings, and who reads them."""
