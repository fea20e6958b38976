"""`arpad rate` on an archive: folders of Parquet files, a month each, rated in one pass."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from arpad.cli.output import Format, emit, say, width
from arpad.cli.reading import column_mapping
from arpad.errors import InputError, UsageError

if TYPE_CHECKING:
    from arpad.cli.archiving import Streamed
    from arpad.rate import RatingSystem
    from arpad.read.archive import Archive

__all__ = ["is_archive", "refuse", "stream_document", "stream_files"]

SHOWN = 20
"""Players that a person sees unless more are asked for: an archive has millions."""
HIDDEN = ("so_far", "topped", "total_games", "carried", "fide", "birth", "imputed_by", "on")


def is_archive(files: list[str]) -> bool:
    """Say whether there is a folder among the files."""
    return any(Path(file).is_dir() for file in files)


def refuse(**options: object) -> None:
    """Refuse options that an archive cannot be rated with."""
    for name, value in options.items():
        if value:
            raise UsageError(
                f"--{name.replace('_', '-')} needs all games at once, and an archive is never read whole: leave it out"
            )


def stream_files(
    system: RatingSystem,
    files: list[str],
    *,
    columns: str | None,
    strict: bool,
    report: str | None,
    state: str | None,
    keep: bool,
    top: int | None,
    format: Format | None,
    output: str | None,
) -> None:
    """Rate an archive and print or write the list."""
    from arpad.cli.archiving import rate_archive, settings_of
    from arpad.cli.progress import progress
    from arpad.publish import atomic
    from arpad.read.archive import archive
    from arpad.store.shelf import folder_of
    from arpad.store.standing import standing_path, standing_root

    if "-" in files:
        raise UsageError("an archive is a folder of files: standard input cannot be one")
    found = archive(files, columns=column_mapping(columns))
    atomic.keep((f for month in found.months for f in month.files), "this file was read")
    kept = None
    if keep:
        root = folder_of(state) if state else standing_root()
        where = sorted(str(Path(file).resolve()) for file in files)
        words = f"{Path(where[0]).name} {system.name}"
        kept = standing_path(root, words, "\n".join([settings_of(system, found, strict=strict), *where]))  # fmt: skip
    with progress("rating") as tell:
        done = rate_archive(system, found, state=kept, strict=strict, watch=tell)
    if not done.tally.status["played"]:
        raise InputError("expected games, found none that were played", file=", ".join(files))
    if done.ratings.rows["rating"].null_count() == done.ratings.rows.height:
        raise InputError(
            f"nobody here has a rating, so that nobody can be rated by {system.name}: use --system elo",
            file=", ".join(files),
        )
    _say(done, report)
    _emit(done, found, top, format, output)


def _say(done: Streamed, report: str | None) -> None:
    if done.note:
        say(f"{done.note}: rated from the beginning")
    if done.taken_up:
        say(f"{done.taken_up:,} of {done.months:,} months were rated before: gone on from there")
    if report is None:
        for (action, reason), games in done.tally.notes.most_common(5):
            say(f"{action}: {reason} ({games:,} games)")
        return
    import polars as pl

    from arpad.publish.atomic import write_text

    rows = [{"action": a, "reason": r, "games": n} for (a, r), n in done.tally.notes.items()]
    schema = {"action": pl.String, "reason": pl.String, "games": pl.Int64}
    write_text(report, pl.DataFrame(rows, schema=schema).write_csv())


def _emit(
    done: Streamed, found: Archive, top: int | None, format: Format | None, output: str | None
) -> None:
    ratings = done.ratings
    if format is None and output is not None and output.lower().endswith(".parquet"):
        from arpad.publish.atomic import new_file

        with new_file(output) as beside:
            ratings.table(top).write_parquet(beside)
        say(ratings.summary())
        return

    def people() -> list[object]:
        from arpad.publish.tables import fitted, rich_table

        shown = ratings.table(top or SHOWN).drop(HIDDEN, strict=False)
        rest = ratings.rows.height - shown.height
        more = [f"… and {rest:,} more (-o list.parquet or list.csv has all)"] if rest else []
        return [rich_table(fitted(shown, width(), {})), *more, "", ratings.summary()]

    emit(
        format,
        output,
        people=people,
        rows=lambda: ratings.table(top),
        document=lambda: stream_document(done, found, top),
    )


def stream_document(done: Streamed, found: Archive, top: int | None = None) -> dict[str, object]:
    """Return the list as the JSON that the docs describe."""
    ratings, tally = done.ratings, done.tally
    status = dict(tally.status)
    rated = status.pop("played", 0)
    notes = tally.notes.items()
    return {
        "system": ratings.system,
        "parameters": dict(ratings.parameters),
        "input": {
            "months": [
                {"month": m.name, "files": list(m.files), "games": m.games} for m in found.months
            ],
            "games": found.games,
            "skipped": sum(n for (action, _), n in notes if action == "skipped"),
            "rated": rated,
            "not_rated": status,
            "players": ratings.source["players"],
            "fingerprint": found.fingerprint(),
            "taken_up": done.taken_up,
        },
        **{
            action: [{"reason": r, "games": n} for (a, r), n in notes if a == action]
            for action in ("skipped", "repaired", "noted")
        },
        "ratings": (ratings.rows if top is None else ratings.rows.head(top)).to_dicts(),
    }
