"""The `arpad` command: errors become one line and an exit code; verbs load when they are used."""

from __future__ import annotations

import gc
import io
import os
import re
import sys
from importlib.metadata import version
from typing import TYPE_CHECKING, Annotated

import typer
from typer.main import get_command

from arpad.cli import output
from arpad.cli.verbs import Verbs
from arpad.errors import ArpadError, EngineError, InputError

if TYPE_CHECKING:
    from collections.abc import Mapping


REMEDIES = {
    "backup-itself": "name another --db",
    "event-kind": "leave --event-kind out",
    "event-name": "leave --event-name out",
    "event-undated": "give it one first (arpad ledger correct {event} --end YYYY-MM-DD)",
    "few-drawn-games": "give more, or --terms constant ({least} games), or use the model that comes with arpad",
    "fewer-terms": "choose fewer terms (--terms level or constant)",
    "file-exists": "give another, or --replace",
    "future-date": "correct the date, or say with --date when it was",
    "ids-clash": "--ids ledger gives everybody the ledger's number",
    "list-not-games": "give it with --before, and name a file of games",
    "no-checkpoint": "name another folder with --state",
    "no-date": "say with --date when it was played",
    "no-draw-model": "arpad draws FILES --model FILE writes one",
    "no-events": "--leave-out '' leaves no event out",
    "no-games-in-window": "choose another day (--validate-from)",
    "no-home-folder": "name another with --store or ARPAD_STORE",
    "no-ledger": "`arpad import FILES` makes one, --db names another place",
    "no-list-in-force": "give an older list, or --number-two",
    "no-policy": "`arpad list policy NAME --preset …` takes one of {presets}",
    "no-ratings": "give a list of ratings (--before)",
    "no-reason": "give it with --why",
    "no-state": "give --state another name",
    "nothing-to-draw": "leave --chart out",
    "one-line-engine": "take --multipv 1",
    "other-database": "--db names another place",
    "other-state": "give --state another name, or delete the file",
    "overwrite": "give another name",
    "own-curve": "choose --method exact for {curve}",
    "ledger-not-empty": "make a backup of it, then give --replace",
    "list-dates": "give them with --dates",
    "scale-places": "give a smaller --step, or --at",
    "scale-step": "choose another --step",
    "several-numbers-two": "report on one at a time, or give --number-two",
    "slow-engine": "a longer --patience gives it more time",
    "store-folder": "name another folder with --store",
    "too-few-earlier-games": "ask for fewer with --least-games",
    "too-few-periods": "take a shorter --period",
    "too-many-for-pdf": "--top {most} gives the first of them, HTML and XLSX give all",
    "tied-for-pdf": "HTML and XLSX give all",
    "too-many-for-xlsx": "export CSV, or the top (--top)",
    "unknown-ending": "name the format with --as where the file is called otherwise",
    "unknown-games-ending": "or say the format with --to",
    "unknown-players": "a rating list may know it (--list)",
    "unknown-policy": "`arpad list policy {name} --preset …` makes one",
    "weak-calibration": "--force keeps it all the same",
    "which-list": "give the one that was in force, or --number-two",
    "which-policy": "say which with --policy",
}
"""Code of an error → what to do, in the words of the command line; fields of the error stand in braces."""


def with_remedy(error: ArpadError) -> str:
    """Return an error as one line that ends in the option that helps, where there is one."""
    if error.code in REMEDIES:
        return f"{error}: {REMEDIES[error.code].format_map(error.fields)}"
    if not isinstance(error, InputError):
        return str(error)
    if type(error).__name__ == "NoEvaluationsError":
        return f"{error}: let an engine do it with --depth 13"
    from arpad.read.fields import DateOrderError
    from arpad.read.headings import HeadingsError

    if isinstance(error, HeadingsError):
        line = columns_line(error.proposal)
        return f"{error}: name the columns, for example {line} (arpad formats lists the names)"
    if isinstance(error, DateOrderError):
        return f"{error} Say it with {' or '.join(f'--dates {order}' for order in error.orders)}"
    return str(error)


def columns_line(mapping: Mapping[str, str]) -> str:
    """Return the option that says a mapping of columns, ready to be copied into a shell."""
    import csv
    import shlex

    text = io.StringIO()
    csv.writer(text, lineterminator="").writerow(f"{ours}={theirs}" for ours, theirs in mapping.items())
    return f"--columns {shlex.quote(text.getvalue())}"


PLAIN_ERRORS = {
    r"Input should be a valid number.*": "expected a number",
    r"Input should be a valid integer.*": "expected a whole number",
    r"Input should be greater than or equal to (\S+)": r"expected \1 or more",
    r"Input should be less than or equal to (\S+)": r"expected \1 or less",
}
"""What Typer says of a wrong value → the same in plain words."""
DONE, NO, BAD, INTERRUPTED = 0, 1, 2, 130
COLLECTION = (100_000, 20, 20)
"""Thresholds of Python's garbage collection: tables come as millions of rows, which have no cycles."""
FREED_AT_ONCE = "dirty_decay_ms:0,muzzy_decay_ms:0"
"""Setting of Polars' allocator: it gives memory back to the system at once, so that a server stays small."""
SWITCHES = ("--debug", "--quiet", "--verbose")
"""Options of every command, before or after its name."""
EXTRAS = {
    **dict.fromkeys(("altair", "vl_convert"), "charts"),
    "reportlab": "pdf",
    **dict.fromkeys(("argon2", "cachetools", "fastapi", "psutil", "python_multipart", "uvicorn"), "web"),
    "psycopg": "postgres",
    "pyarrow": "archive",
    "py4swiss": "pairing",
    "ray": "ray",
}
"""Module of an optional library → the part of arpad that installs it."""
START_PAGE = """\
arpad measures the strength of chess players, from results and from moves.

  arpad demo                     rate a bundled tournament, from file to report
  arpad rate games.pgn           make a rating list from a file of games
  arpad event open.trf           standings, performances and rating changes of an event
  arpad strength game.pgn        estimate how strong the moves were
  arpad import night.csv --db club.db, then arpad list make --db club.db
                                 keep a club's rating list
  arpad serve --demo             look around in the web app

arpad --help lists every command; arpad COMMAND --help explains one."""
_ClickError: type[Exception] = next(c for c in typer.BadParameter.__mro__ if c.__name__ == "ClickException")
app = typer.Typer(
    name="arpad",
    cls=Verbs,
    help="Measure the strength of chess players, from results and from moves, and show how every number came about.",
    invoke_without_command=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(asked: bool) -> None:
    if asked:
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
            help="Print arpad's version and the engine that it uses.",
        ),
    ] = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="Print results and errors only.")] = False,
    verbose: Annotated[
        bool, typer.Option("--verbose", help="Print every note, every parameter and the input's fingerprint.")
    ] = False,
    debug: Annotated[bool, typer.Option("--debug", help="Show the traceback of an error.")] = False,
    *,
    context: typer.Context,
) -> None:
    """Print the start page where no command is given; `main` handles the other options."""
    del version, quiet, verbose, debug
    if context.invoked_subcommand is None:
        typer.echo(START_PAGE)


def main() -> None:  # noqa: C901, PLR0912
    """Run the command line; errors become one line and exit code 2."""
    from arpad.files import begin_run

    begin_run()
    gc.set_threshold(*COLLECTION)
    arguments, switches = _without_switches(sys.argv[1:])
    if arguments[:1] == ["serve"]:  # Polars reads this when it is imported
        os.environ.setdefault("_RJEM_MALLOC_CONF", FREED_AT_ONCE)
    debug = "--debug" in switches
    output.verbosity = ("--verbose" in switches) - ("--quiet" in switches)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # a terminal that has no ½ gets a ?
            stream.reconfigure(errors="replace")
    try:
        code = get_command(app)(args=arguments, prog_name="arpad", standalone_mode=False) or DONE
        sys.stdout.flush()
    except ArpadError as error:
        if debug:
            raise
        code = _complain(with_remedy(error))
    except _ClickError as error:  # a wrong option or argument
        if type(error).__name__ == "NoArgsIsHelpError":
            print(error)
            code = DONE
        else:
            code = _complain(_usage(error))
    except ModuleNotFoundError as error:
        extra = EXTRAS.get((error.name or "").partition(".")[0])
        if debug or extra is None:
            raise
        code = _complain(
            f"this needs a part of arpad that is not installed ({error.name}): pip install 'arpad[{extra}]'"
        )
    except KeyboardInterrupt:
        code = _complain("stopped", INTERRUPTED)
    except BrokenPipeError:  # `arpad … | head` is no error
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = DONE
    except OSError as error:  # a full disk; what cannot be read has its own words
        if debug:
            raise
        file = f": {str(error.filename)[:100]}" if error.filename else ""
        code = _complain(f"the system reports: {error.strerror or error}{file}")
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


def _without_switches(arguments: list[str]) -> tuple[list[str], set[str]]:
    """Return the arguments without the options of every command, and those options."""
    end = arguments.index("--") if "--" in arguments else len(arguments)
    switches = {word for word in arguments[:end] if word in SWITCHES}
    return [word for i, word in enumerate(arguments) if i >= end or word not in SWITCHES], switches


def _usage(error: BaseException) -> str:
    text = getattr(error, "format_message", error.__str__)().replace("Value error, ", "")
    for pattern, words in PLAIN_ERRORS.items():
        text = re.sub(pattern, words, text)
    context = getattr(error, "ctx", None)
    where = context.command_path.strip() if context else "arpad"
    text = " ".join(str(text).split())
    return f"{text}{'' if text.endswith(('.', '?')) else '.'} Try '{where} --help'."


def _complain(message: str, code: int = BAD) -> int:
    print(f"arpad: {' '.join(message.split())}", file=sys.stderr)
    return code


START = 5.0
"""Seconds the engine has to say who it is."""


def version_text() -> str:
    """Return two lines: arpad's version, the engine."""
    return f"arpad {version('arpad')}\nengine: {_engine()}"


def _engine() -> str:
    """Ask the engine itself."""
    from arpad.moves.engine import Engine, EngineSettings, find_engines

    result = find_engines()
    if not result:
        return "no engine found (Debian: apt-get install stockfish)"
    try:
        with Engine(EngineSettings(engine=result[0].name), start=START) as engine:
            return f"{engine.identity.name} ({result[0].path})"
    except EngineError as error:
        return f"{result[0].path} does not work: {error}"


if __name__ == "__main__":
    main()
