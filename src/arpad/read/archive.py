"""An archive: a folder of Parquet files, one part a month, that is never read whole."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any

from arpad.errors import InputError, UsageError
from arpad.read.columns import resolve

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from arpad.read.numbering import NumberingKind

__all__ = ["Archive", "Month", "archive"]

LARGEST_NUMBER = 1 << 24
"""Integers up to this are numbers of players as they stand: arrays of so many entries are small."""

PLAIN = {
    "white", "black", "score", "result", "date", "white_rating", "black_rating", "event", "site",
    "white_title", "black_title", "white_federation", "black_federation", "white_birth", "black_birth",
}  # fmt: skip
"""Columns with which games can be read piece by piece; others (rounds, ids, plies) need the whole month."""

_YEAR_MONTH = re.compile(r"(?<!\d)([12]\d{3})[-_.]?(0[1-9]|1[0-2])(?!\d)")
_HIVE_YEAR = re.compile(r"(?:^|/)year=(\d{4})/", re.IGNORECASE)
_HIVE_MONTH = re.compile(r"(?:^|/)month=(\d{1,2})(?:/|$)", re.IGNORECASE)
_DAILY = re.compile(r"(?<!\d)([12]\d{3})-(0[1-9]|1[0-2])-\d{2}(?!\d)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Month:
    """One part of an archive."""

    name: str
    """2015-01; or the name of the file, where names tell no month."""
    files: tuple[str, ...]
    games: int
    fingerprint: str
    """Of the files' sizes, times and footers: who changes a file changes it."""
    first: date | None = None
    """Its first day."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Archive:
    """The parts in the order of time, and how their tables are to be read.

    Examples
    --------
    >>> import tempfile, polars as pl
    >>> folder = Path(tempfile.mkdtemp())
    >>> (folder / "month=2015-01").mkdir()
    >>> table = pl.DataFrame({"white": [3, 1], "black": [1, 7], "score": [1.0, 0.5]})
    >>> table.write_parquet(folder / "month=2015-01" / "games.parquet")
    >>> found = archive([folder])
    >>> found.months[0].name, found.games, found.players
    ('2015-01', 2, 'integers')
    """

    months: tuple[Month, ...]
    columns: Mapping[str, str]
    """Ours → theirs."""
    players: NumberingKind
    plain: bool
    """Whether games can be read piece by piece."""

    @property
    def games(self) -> int:
        """Rows in all files."""
        return sum(month.games for month in self.months)

    @property
    def dated(self) -> bool:
        """Whether a column says when a game was played."""
        return bool({"date", "month"} & set(self.columns))

    def fingerprint(self) -> str:
        """Return a short hash of all files."""
        digest = blake2b(digest_size=8)
        for month in self.months:
            digest.update(f"{month.name} {month.fingerprint}\n".encode())
        return digest.hexdigest()


def archive(paths: Sequence[str | Path], *, columns: Mapping[str, str] | None = None) -> Archive:
    """Look at the files of an archive, and at the footer of each, without reading a game.

    Parameters
    ----------
    paths
        Folders (every ``.parquet`` in them, however deep) or files. The month of a file is what its folder
        (``month=2015-01``, ``year=2015/month=1``) or its name (``games_2015-01.parquet``) says.
    columns
        Which column is what, as ``{"white": "home_team"}``.
    """
    files = sorted(_files(paths), key=lambda pair: (pair[1], pair[0]))
    unknown = [path for path, (year, _, _) in files if not year]
    if unknown and len(unknown) < len(files):
        raise InputError(
            "expected the month in the name of every file or of none (month=2015-01/…, or 2015-01 in the file's "
            f"name); {len(unknown)} of {len(files)} have none",
            file=unknown[0],
        )
    looked = [_look(path, columns) for path, _ in files]
    mappings = {tuple(sorted(look.mapping.items())) for look in looked}
    if len(mappings) > 1:
        other = next(look for look in looked if look.mapping != looked[0].mapping)
        raise InputError(
            f"expected the columns of {looked[0].file} in every file, found {', '.join(other.mapping.values())}",
            file=other.file,
        )
    months: dict[str, list[_Look]] = {}
    first: dict[str, date | None] = {}
    for (_, (year, number, label)), look in zip(files, looked, strict=True):
        name = f"{year:04d}-{number:02d}" if year else label
        months.setdefault(name, []).append(look)
        first[name] = date(year, number, 1) if year else None
    whole = all(look.small_integers for look in looked)
    mapping = looked[0].mapping
    return Archive(
        months=tuple(
            Month(
                name=name, files=tuple(p.file for p in parts), games=sum(p.games for p in parts),
                fingerprint="+".join(p.fingerprint for p in parts), first=first[name],
            )
            for name, parts in months.items()
        ),
        columns=mapping,
        players="integers" if whole and not {"white_id", "black_id"} & set(mapping) else "names",
        plain=set(mapping) <= PLAIN,
    )  # fmt: skip


def _files(paths: Sequence[str | Path]) -> Iterator[tuple[str, tuple[int, int, str]]]:
    """Yield every file with its year, month and name (year 0: not known)."""
    if not paths:
        raise UsageError("expected a folder of Parquet files, found none")
    seen = set()
    for given in map(Path, paths):
        if given.is_dir():
            inside = [
                path for path in sorted(given.rglob("*.parquet"))
                if path.is_file() and not any(part.startswith((".", "_")) for part in path.relative_to(given).parts)
            ]  # fmt: skip
            if not inside:
                raise InputError("expected Parquet files (*.parquet) in this folder, found none", file=str(given))  # fmt: skip
            named = [(path, path.relative_to(given).as_posix()) for path in inside]
            if given.name.startswith(("month=", "year=")):
                named = [(path, f"{given.name}/{label}") for path, label in named]
        elif given.is_file():
            named = [(given, "/".join(given.absolute().parts[-3:]))]
        else:
            raise InputError("no such file or folder", file=str(given))
        for path, label in named:
            if path.resolve() not in seen:
                seen.add(path.resolve())
                yield str(path), (*_month(label), label)


def _month(label: str) -> tuple[int, int]:
    """Return year and month that a name tells; 0, 0 for none."""
    year, month = _HIVE_YEAR.search(label), _HIVE_MONTH.search(label)
    if year and month and 1 <= int(month[1]) <= 12:
        return int(year[1]), int(month[1])
    parts = sorted(label.split("/"), key=lambda part: not part.startswith("month="))
    for part in parts:
        if found := _DAILY.search(part) or _YEAR_MONTH.search(part):
            return int(found[1]), int(found[2])
    return 0, 0


@dataclass(frozen=True, slots=True, kw_only=True)
class _Look:
    """What the footer of a file says."""

    file: str
    games: int
    mapping: dict[str, str]
    fingerprint: str
    small_integers: bool


def _look(path: str, columns: Mapping[str, str] | None) -> _Look:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        stat = Path(path).stat()
        with Path(path).open("rb") as file:
            file.seek(max(0, stat.st_size - 8))
            tail = file.read(8)
            length = int.from_bytes(tail[:4], "little") if tail[4:] == b"PAR1" else 0
            file.seek(max(0, stat.st_size - 8 - length))
            footer = file.read(length)
        about = pq.read_metadata(path)
    except (OSError, pa.ArrowException) as error:
        why = str(error).splitlines()[0]
        raise InputError(f"expected Parquet, found a file that cannot be read as such: {why}", file=path) from None  # fmt: skip
    names = about.schema.to_arrow_schema().names
    digest = blake2b(footer, digest_size=8)
    digest.update(f"{stat.st_size} {stat.st_mtime_ns}".encode())
    mapping = resolve(names, columns, path)
    return _Look(
        file=path, games=about.num_rows, mapping=mapping, fingerprint=digest.hexdigest(),
        small_integers=_small_integers(about, [mapping["white"], mapping["black"]]),
    )  # fmt: skip


def _small_integers(about: Any, names: list[str]) -> bool:
    """Say whether these columns hold integers that can be numbers of players as they stand."""
    import pyarrow as pa

    schema = about.schema.to_arrow_schema()
    if not all(pa.types.is_integer(schema.field(name).type) for name in names):
        return False
    places = [schema.names.index(name) for name in names]
    for group in range(about.num_row_groups):
        for place in places:
            column = about.row_group(group).column(place)
            stats = column.statistics
            if column.path_in_schema != schema.names[place]:  # a nested column stands before it
                return False
            if stats is None or not stats.has_min_max:
                if stats is None or stats.null_count < column.num_values:
                    return False
            elif not 0 <= stats.min <= stats.max < LARGEST_NUMBER:
                return False
    return True
