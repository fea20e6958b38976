"""The `arpad` command: options that every verb shares, errors as one line, exit codes.

Every import of weight happens inside a verb: ``arpad --help`` must answer at once.
"""

from __future__ import annotations

import gc
import io
import os
import sys
from typing import Annotated

import typer

from arpad.cli import (
    account,
    analyse,
    check,
    convert,
    demo,
    distribution,
    draws,
    engines,
    event,
    expect,
    explain,
    formats,
    gain,
    greatness,
    handicap,
    history,
    import_files,
    ipr,
    keeping,
    ledger,
    ledger_info,
    live,
    log,
    match,
    monitor,
    norms,
    performance,
    player,
    pool,
    predict,
    queue,
    rate,
    scales,
    serve,
    simulate,
    titles,
    uscf,
    whr,
)
from arpad.cli import list as rating_lists
from arpad.cli.asked_verb import asked_command
from arpad.errors import ArpadError

__all__ = ["app", "main"]

DONE, NO, BAD, INTERRUPTED = 0, 1, 2, 130
COLLECTION = (100_000, 20, 20)
"""When Python looks for rings of objects that nobody holds: tables come as millions of rows, and rows are no rings."""
_ClickError: type[Exception] = next(
    c for c in typer.BadParameter.__mro__ if c.__name__ == "ClickException"
)

app = typer.Typer(
    name="arpad",
    help="Measure the strength of chess players, from results and from moves, and show how every number came about.",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
rate.add_to(app)
event.add_to(app)
norms.add_to(app)
pool.add_to(app)
check.add_to(app)
distribution.add_to(app)
draws.add_to(app)
monitor.add_to(app)
history.add_to(app)
whr.add_to(app)
greatness.add_to(app)
performance.add_to(app)
gain.add_to(app)
ipr.add_to(app)
live.add_to(app)
expect.add_to(app)
match.add_to(app)
handicap.add_to(app)
uscf.add_to(app)
scales.add_to(app)
simulate.add_to(app)
predict.add_to(app)
analyse.add_to(app)
engines.add_to(app)
import_files.add_to(app)
queue.add_to(app)
convert.add_to(app)
ledger.add_to(app)
player.add_to(app)
titles.add_to(app)
log.add_to(app)
formats.add_to(app)
demo.add_to(app)
rating_lists.add_to(app)
explain.add_to(app)
keeping.add_to(app)
ledger_info.add_to(app)
account.add_to(app)
serve.add_to(app)


def _version(asked: bool) -> None:
    if asked:
        from arpad.cli.version import version_text

        typer.echo(version_text())
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool,
        typer.Option(
            "--version",
            callback=_version,
            is_eager=True,
            help="Name arpad's version and the engine it would use.",
        ),
    ] = False,
    debug: Annotated[bool, typer.Option("--debug", help="Show the traceback of an error.")] = False,
) -> None:
    """Take the options that stand before the verb; they are looked at in `main`."""


def main() -> None:
    """Run the command line; errors become one line and exit code 2."""
    from arpad.publish.atomic import forget

    forget()
    gc.set_threshold(*COLLECTION)
    debug = "--debug" in sys.argv[1:]
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # a terminal that has no ½ gets a ?
            stream.reconfigure(errors="replace")
    try:
        code = asked_command(app, sys.argv[1:])(prog_name="arpad", standalone_mode=False) or DONE
        sys.stdout.flush()
    except ArpadError as error:
        if debug:
            raise
        code = _complain(str(error))
    except _ClickError as error:  # a wrong option or argument
        if type(error).__name__ == "NoArgsIsHelpError":
            print(error)
            code = DONE
        else:
            code = _complain(_usage(error))
    except KeyboardInterrupt:
        code = _complain("stopped", INTERRUPTED)
    except BrokenPipeError:  # `arpad … | head` is no error
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = DONE
    except OSError as error:  # a full disk; what cannot be read has its own words
        if debug:
            raise
        code = _complain(f"cannot go on: {error.strerror or error}")
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except SystemExit as stop:  # Typer ends the program itself when the pipe was closed earlier
        code = DONE if type(sys.stdout).__name__ == "PacifyFlushWrapper" else stop.code
    except Exception as error:
        if debug:
            raise
        code = _complain(
            f"something went wrong inside arpad: {type(error).__name__}: {error} (--debug shows where)"
        )
    sys.exit(code if isinstance(code, int) else DONE)


def _usage(error: BaseException) -> str:
    text = getattr(error, "format_message", error.__str__)()
    context = getattr(error, "ctx", None)
    where = context.command_path.strip() if context else "arpad"
    return f"{' '.join(str(text).split())} Try '{where} --help'."


def _complain(message: str, code: int = BAD) -> int:
    print(f"arpad: {' '.join(message.split())}", file=sys.stderr)
    return code


if __name__ == "__main__":
    main()
