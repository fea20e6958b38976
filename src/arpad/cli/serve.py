"""``arpad serve``: the web app on this machine."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import Annotated

import typer

from arpad.cli.ledger_place import DbOption  # noqa: TC001 - Typer reads the annotation

__all__ = ["add_to"]


def serve(
    files: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[FILES]", help="Show these files, with no ledger: nothing is written."
        ),
    ] = None,
    db: DbOption = None,
    host: Annotated[
        str, typer.Option(help="The address to listen at; elsewhere than here everybody signs in.")
    ] = "127.0.0.1",
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="The port; 0: any that is free.")
    ] = 8000,
    name: Annotated[
        list[str] | None, typer.Option(help="A name by which the server is asked for; repeatable.")
    ] = None,
    title: Annotated[
        str | None, typer.Option(help="What the pages are headed by. [the ledger's name]")
    ] = None,
    rules: Annotated[
        str,
        typer.Option(help="By which rules plain files are rated: fide, club, uscf1994 or book."),
    ] = "fide",
    store: Annotated[
        Path | None, typer.Option(help="Evaluations of an engine, as `arpad analyse` keeps them.")
    ] = None,
    demo: Annotated[
        bool, typer.Option("--demo", help="Show a generated club, to look around.")
    ] = False,
    https: Annotated[
        bool, typer.Option("--https", help="Cookies by https only: a server in front speaks it.")
    ] = False,
) -> None:
    """Show a ledger, or plain files, in a browser: lists, players, events, games.

    On 127.0.0.1 whoever sits at this machine may read; to decide something, sign in
    (`arpad account add NAME --role administrator` makes the first account).

    arpad serve --db club.db

    arpad serve open.pgn

    arpad serve --demo
    """
    from arpad.cli.output import say
    from arpad.errors import UsageError
    from arpad.store.ledger.ledger import Ledger
    from arpad.store.ledger.places import Place
    from arpad.web.serving import demo_ledger, ledger_of_files, settings_for

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
            if there.file is not None and not there.file.exists():
                raise UsageError(_nothing_at(there.shown))
            place = str(there.file or db)
            Ledger.open(place).close()  # says what is wrong before anything starts
        settings = settings_for(
            place,
            host=host,
            names=name or (),
            title=title,
            writable=not files and not demo,
            store=store,
            secure=https,
            warm=True,
        )
        _run(settings, host, port)


def _nothing_at(place: str) -> str:
    """Return what somebody does who has no ledger yet."""
    return (
        f"{place}: there is no ledger here. `arpad import FILES --db {place}` makes one of your events, "
        f"`arpad account add NAME --role administrator --db {place}` an empty one to upload to; "
        "`arpad serve FILES` shows files without a ledger, `arpad serve --demo` a club to look around in"
    )


def _run(settings: object, host: str, port: int) -> None:
    import errno
    import socket

    import uvicorn

    from arpad.cli.output import say
    from arpad.errors import UsageError
    from arpad.web.app import make_app

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
        app = make_app(settings)  # type: ignore[arg-type]
        listening.listen()  # whoever follows the address at once waits a moment, and is not refused
        say(f"http://{f'[{host}]' if ':' in host else host}:{port}/  (Ctrl+C ends it)")
        config = uvicorn.Config(
            app,
            log_level="warning",
            access_log=False,
            server_header=False,
            timeout_graceful_shutdown=3,
            limit_concurrency=500,
            timeout_keep_alive=15,
        )
        uvicorn.Server(config).run(sockets=[listening])


def add_to(app: typer.Typer) -> None:
    """Register the verb."""
    app.command("serve")(serve)
