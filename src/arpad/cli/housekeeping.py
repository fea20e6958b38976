"""`arpad convert`, `formats`, `demo` and `serve`."""

from __future__ import annotations

import os
import shutil
import sys
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from importlib.resources import as_file, files
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from arpad.cli.ledger.options import DbOption
from arpad.cli.options import ReadOptions, write_report
from arpad.cli.output import Emission, emit
from arpad.errors import UsageError

if TYPE_CHECKING:
    import socket

    import uvicorn
    from fastapi import FastAPI

    from arpad.web.auth import WebSettings


def convert(
    source: Annotated[str, typer.Argument(metavar="FROM")],
    target: Annotated[str, typer.Argument(metavar="TO")],
    to: Literal["pgn", "trf", "trf16", "trf26", "csv", "parquet", "pra"] | None = None,
    report: str | None = None,
    *,
    how: ReadOptions,
) -> None:
    """Convert a file of games.

    arpad convert open.trf open.csv

    arpad convert games.pgn.zst games.parquet

    source: The file to read, in any format.
    target: The file to write.
    to: The format to write. [by the ending of the name]
    report: Write every skipped, repaired or doubtful record to this CSV file.
    """
    from arpad.cli.output import say
    from arpad.publish.export.games import format_of, write_games

    wanted = to or format_of(target)
    if os.path.realpath(source) == os.path.realpath(target):
        raise UsageError(f"{target}: expected another file to write than the one to read")
    reading = how.read_files([source])
    lost = write_games(reading.games, target, wanted)
    write_report(reading, report)
    say(
        f"{target}: {len(reading.games):,} games, {reading.games.players.height:,} players ({reading.files[0][1]} to {wanted})."
    )
    for words in lost:
        say(f"  not in {target}: {words}")


# `arpad formats`: what can be read and written.


def formats() -> Emission:
    """List the file formats, and the columns of tables."""
    import polars as pl

    from arpad.publish.tables import rich_table
    from arpad.read.formats import FORMATS
    from arpad.read.headings import COLUMNS

    kinds = pl.DataFrame(
        [
            {
                "format": f.name,
                "title": f.title,
                "endings": " ".join(f.endings),
                "reads": True,
                "writes": f.writes,
                "note": f.note,
            }
            for f in FORMATS.values()
        ]
    )
    names = pl.DataFrame({"column": list(COLUMNS), "meaning": list(COLUMNS.values())})

    def parts() -> list[object]:
        return [
            rich_table(kinds.drop("reads")),
            "\nFiles may be packed with gzip, bzip2 or Zstandard. The content decides, not only the name.\n",
            rich_table(
                names, title="Columns of tables (CSV, Parquet); map others with --columns white=home_team,…"
            ),
        ]

    return partial(
        emit,
        people=parts,
        rows=lambda: kinds,
        document=lambda: {"formats": kinds.to_dicts(), "columns": names.to_dicts()},
    )


# `arpad demo`: the main job on a bundled tournament, from file to report.

SAMPLE = "frankfurt-1997.pra"
GAME = "game-of-the-century.pgn"


def demo(folder: Annotated[str, typer.Argument()] = "arpad-demo") -> None:
    """Rate a bundled tournament, from file to report.

    folder: The folder for the chart and the report.
    """
    from importlib.util import find_spec

    from arpad.event.field import crosstable
    from arpad.files import write_text
    from arpad.publish.charts import ratings as charts
    from arpad.publish.charts.style import save, svg
    from arpad.publish.output import PageSection, page
    from arpad.publish.tables import plain_console, rich_table
    from arpad.rate.elo import Elo
    from arpad.rate.k import k_policy
    from arpad.rate.rating import rate
    from arpad.read.reading import read

    place = Path(folder)
    try:
        place.mkdir(parents=True, exist_ok=True)
        for name in (SAMPLE, GAME):
            with as_file(files("arpad") / "samples" / name) as sample:
                write_text(place / name, sample.read_text("utf-8"))
    except OSError as error:
        raise UsageError(f"{place}: expected a folder to write in: {error.strerror}") from None
    reading = read(place / SAMPLE)
    games, event = reading.games, reading.games.events[0]
    system = Elo(k=k_policy(10))
    ratings = rate(games, system)
    table = crosstable(games).table()
    shown = ratings.table().drop("total_games", "id", strict=False)
    subtitle = f"{len(games)} games, {games.players.height} players; Elo, logistic curve, K = 10"
    drawn = None
    if find_spec("altair") and find_spec("vl_convert"):
        picture = charts.rating_paths(charts.paths(system, games), title=event.name, subtitle=subtitle)
        save(picture, place / "ratings.png")
        drawn = svg(picture)
    words = "± is the standard error of a rating, with what was unknown before these games; own ± is chance in them alone."
    sections = [
        PageSection("Crosstable", table=table, digits={"rating": 0}),
        PageSection("Ratings", table=shown, words=words),
        *([PageSection("Game by game", picture=drawn)] if drawn else []),
        PageSection("How it came about", words=ratings.summary()),
    ]
    write_text(place / "report.html", page(event.name, subtitle, sections))
    console = plain_console()
    console.print(f"\n{event.name}: {subtitle}\n")
    console.print(rich_table(table, title="Crosstable", digits={"rating": 0}))
    console.print()
    console.print(rich_table(shown, title="Ratings"))
    console.print(f"\n{words}")
    chart = f"{place / 'ratings.png'}  and  " if drawn else ""
    console.print(f"\nLook at  {chart}{place / 'report.html'}")
    if drawn is None:
        console.print("Charts need one part more: pip install 'arpad[charts]'")
    console.print("Try next:")
    for words in (
        f"rate {place / SAMPLE} --curve normal --k 20",
        f"event {place / SAMPLE} --fit",
        f"gain {place / GAME} --engine-rating 2860",
        f"convert {place / SAMPLE} {place / 'frankfurt.csv'}",
        "expect 2765 2570",
    ):
        console.print(f"  {_own_name()} {words}", soft_wrap=True)


def _own_name() -> str:
    """Return how this program is called from here: by its name if the PATH knows it."""
    here, result = Path(sys.argv[0]), shutil.which("arpad")
    if here.name != "arpad" or (result and Path(result).resolve() == here.resolve()):
        return "arpad"
    return os.path.relpath(here)


# ``arpad serve``: the web app on this machine.


def serve(
    files: Annotated[list[str] | None, typer.Argument(metavar="[FILES]")] = None,
    db: DbOption = None,
    host: str = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535)] = 8000,
    name: list[str] | None = None,
    title: str | None = None,
    rules: Literal["fide", "club", "uscf1994", "book"] = "fide",
    store: Path | None = None,
    new: bool = False,
    demo: bool = False,
    https: bool = False,
    public: bool = False,
    open_: Annotated[bool, typer.Option("--open")] = False,
    proxy: list[str] | None = None,
    root_path: str = "",
    workers: Annotated[int, typer.Option(min=1, max=64)] = 1,
    access_log: Annotated[bool, typer.Option("--access-log/--no-access-log")] = False,
) -> None:
    """Show a ledger, or plain files, in a browser: lists, players, events, games.

    Readers sign in, unless you give --public or --open. At its first start arpad prints an address; open it
    to create the first account.

    arpad serve --db club.db --new

    arpad serve --db club.db

    arpad serve --db club.db --public --name ratings.club.example --https --proxy 127.0.0.1

    arpad serve open.pgn

    arpad serve --demo

    files: Show these files without a ledger; arpad writes nothing.
    host: The address to listen at.
    port: The port; 0 takes a free one.
    name: A host name by which browsers reach the server; repeatable.
    title: Title of the pages. [the ledger's name]
    rules: Rating system for plain files.
    store: Engine evaluations that arpad analyse has stored.
    new: Begin an empty ledger; on its first page you create the administrator.
    demo: Show a generated club in which you can try everything; nothing is kept.
    https: Send cookies over https only; for use behind a server that speaks https.
    public: Let anybody read published lists, players, events and games, and nothing else.
    open_: Let anybody on this machine read everything.
    proxy: Address or network of a proxy whose X-Forwarded-For counts; repeatable.
    root_path: The path under which the proxy shows the app, such as /ratings.
    workers: Number of server processes; one for each processor core is a good choice.
    access_log: Write a line for each answer to stderr.
    """
    from arpad.cli.output import say
    from arpad.errors import UsageError
    from arpad.files import end_run
    from arpad.ledger.db.ledger import Ledger, Place
    from arpad.web.app import copy_of_demo, demo_ledger, ledger_of_files, settings_for

    if (files is not None) + (db is not None) + demo > 1:
        raise UsageError("give files, --db or --demo: `arpad import` puts files into a ledger")
    with ExitStack() as stack:
        if demo:
            place, title = stack.enter_context(demo_ledger()), title or "Demo club"
        elif files:
            place = stack.enter_context(ledger_of_files(files, rules, say))
            title = title or ", ".join(Path(f).name for f in files[:3])
        else:
            there = Place.of(db)
            if there.file is not None and not there.file.exists() and not new:
                raise UsageError(_nothing_at(there.shown))
            place = str(there.file or there.url.render_as_string(hide_password=False))
            Ledger.open(place, create=new).close()  # says what is wrong before anything starts
        settings = settings_for(
            place,
            host=host,
            names=name or (),
            title=title,
            writable=not files,
            demo=copy_of_demo(place) if demo else "",
            store=store,
            secure=https,
            public=public,
            open_reading=open_ or bool(files) or demo,
            proxies=proxy or (),
            root=root_path,
            workers=workers,
        )
        end_run()
        _run(settings, host, port, access=access_log)


def _nothing_at(place: str) -> str:
    """Return what somebody does who has no ledger yet."""
    return (
        f"{place}: there is no ledger here. `arpad import FILES --db {place}` makes one of your events, "
        f"`arpad serve --db {place} --new` an empty one to upload to; "
        "`arpad serve FILES` shows files without a ledger, `arpad serve --demo` a club to look around in"
    )


def _say_what_happens(*, access: bool) -> None:
    """Let the server write on stderr who signs in, what fails and, if wanted, every answer."""
    import logging

    logging.basicConfig(format="%(asctime)s %(name)s %(levelname)s %(message)s")
    logging.getLogger("arpad.web").setLevel(logging.INFO)
    logging.getLogger("arpad.web.access").setLevel(logging.INFO if access else logging.WARNING)


def _app(settings: WebSettings, *, access: bool) -> FastAPI:
    from arpad.web.app import make_app

    _say_what_happens(access=access)  # each worker has a log of its own
    _give_memory_back()
    return make_app(settings)


MALLOPT = {-8: 2, -3: 1 << 17, -1: 1 << 17}
"""Options of glibc's mallopt: heaps, bytes of a block that is mapped apart, bytes at the end that are given back."""


def _give_memory_back() -> None:
    """Let the C library give memory back as soon as it is free; other libraries than glibc do as they like."""
    import ctypes
    from contextlib import suppress

    with suppress(OSError, AttributeError):
        mallopt = ctypes.CDLL(None).mallopt
        for option, value in MALLOPT.items():
            mallopt(option, value)


def _run(settings: WebSettings, host: str, port: int, *, access: bool) -> None:
    import errno
    import socket

    import uvicorn

    from arpad.cli.output import say
    from arpad.errors import UsageError
    from arpad.web.middleware import BUSY_MOST, BoundedProtocol

    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # Only a socket that says that it is TCP sends small answers at once; else each page waits 40 ms.
    listening = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((host, port))
    except OSError as error:
        listening.close()
        elsewhere = error.errno in (errno.EADDRNOTAVAIL, None) or isinstance(error, socket.gaierror)
        other = "--host takes an address of this machine" if elsewhere else "--port names another"
        raise UsageError(
            f"cannot listen at {host}, port {port} ({error.strerror or error}): {other}"
        ) from None
    with listening:
        port = listening.getsockname()[1]
        listening.listen()  # a browser that follows the address at once waits a moment, and is not refused
        here = f"http://{f'[{host}]' if ':' in host else host}:{port}{settings.root}/"
        say(f"{here}  (Ctrl+C ends it)")
        if settings.first_code:
            say(
                f"Nobody can sign in yet. This address makes the first account:\n{here}first-start?code={settings.first_code}"
            )
        config = uvicorn.Config(
            partial(_app, replace(settings, work=settings.workers == 1), access=access),
            factory=True,
            workers=settings.workers,
            timeout_worker_healthcheck=15,  # a page may take seconds; one that was killed is replaced no later
            log_level="warning",
            access_log=False,
            server_header=False,
            timeout_graceful_shutdown=3,
            http=BoundedProtocol,
            proxy_headers=False,  # the app itself believes those that it was told of
            limit_concurrency=BUSY_MOST,
            timeout_keep_alive=15,
        )
        if settings.workers == 1:
            uvicorn.Server(config).run(sockets=[listening])
        else:
            _run_workers(config, settings, listening)


def _run_workers(config: uvicorn.Config, settings: WebSettings, listening: socket.socket) -> None:
    """Let several processes answer; this one looks after them and starts the background jobs."""
    import tempfile

    from uvicorn.supervisors import Multiprocess

    from arpad.web.jobs.supervisor import Supervisor
    from arpad.web.metrics import WORKERS

    with tempfile.TemporaryDirectory(prefix="arpad-") as folder:
        os.environ[WORKERS] = folder
        jobs = Supervisor(settings) if settings.work and settings.writable else None
        if jobs is not None:
            jobs.start()
        try:
            Multiprocess(config, sockets=[listening]).run()
        finally:
            if jobs is not None:
                jobs.close()


# `arpad site`: the public part of a ledger as static files.


def site(
    folder: Annotated[str, typer.Argument(metavar="DIR")],
    db: DbOption = None,
    title: str = "Chess ratings",
    url: str = "",
    whole: bool = False,
) -> Emission:
    """Write published lists, players, events and moves as pages that any web server can serve.

    A second run writes only what has changed.

    arpad site public --db club.db --title "Chess club" --url https://ratings.club.example

    folder: The folder to write: a new one, or that of an earlier run.
    title: Title of the pages.
    url: The address of the folder on the web, for the feed.
    whole: Write every file again.
    """
    import polars as pl

    from arpad.cli.ledger.options import opened
    from arpad.cli.output import progress
    from arpad.publish.site import write_site

    with opened(db) as ledger, progress("writing") as tell:
        made = write_site(
            ledger,
            folder,
            title=title,
            url=url,
            whole=whole,
            progress=lambda what, done, of: tell(done, of, what),
        )
    return partial(
        emit,
        people=lambda: [made.summary()],
        rows=lambda: pl.DataFrame([made.to_dict()]),
        document=made.to_dict,
    )
