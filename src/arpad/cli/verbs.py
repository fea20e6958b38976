"""The verbs of `arpad` by panel; the module of a verb is loaded when somebody uses the verb."""

from __future__ import annotations

import re
from importlib import import_module
from typing import TYPE_CHECKING, Any

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_group

from arpad.cli.options import nothing
from arpad.cli.output import documented

if TYPE_CHECKING:
    from collections.abc import Iterator


Verb = tuple[str, str]
"""Place of a verb, as ``module:name``, and its one-line help; None if the line before names both.

The name is that of a function or a group of verbs.
"""

PANELS: dict[str, dict[str, Verb]] = {
    "Every day": {
        "rate": ("rate:rate", "Rate the games in FILES and print the list."),
        "event": ("event:event", "Report on an event: standings, performances, changes."),
        "norms": ("norms:norms", "Check title norms, requirement by requirement."),
        "performance": ("performance:performance", "Give the performance rating for a score."),
        "expect": ("performance:expect", "Turn a rating difference into an expected score, or back."),
        "match": ("performance:match", "Give a match's chances, or the handicap that evens it."),
        "handicap": ("performance:handicap", ""),
        "convert": ("housekeeping:convert", "Convert a file of games."),
    },
    "Club ledger": {
        "import": ("ledger.imports:import_", "Enter events, games and players in the ledger."),
        "club": ("ledger.list_making:club", "Do the club's month: import, list, changes, publish, PDF."),
        "list": ("ledger.lists:lists", "Make, publish, show, compare and correct rating lists."),
        "explain": ("ledger.explain:explain", "Explain a rating game by game until it adds up."),
        "player": ("ledger.players:player", "Show, merge, correct, export or erase a player."),
        "titles": ("ledger.players:titles", "List titles and what others still need."),
        "queue": ("ledger.queue:queue", "Settle doubts; show every decision, and undo one."),
        "log": ("ledger.queue:log", ""),
        "ledger": ("ledger.events:ledger", "Show, exclude, correct and repair events of the ledger."),
        "account": ("ledger.events:account", "Manage who can sign in to the web app."),
        "backup": ("ledger.events:backup", "Save the whole ledger in one file, or read it back."),
        "restore": ("ledger.events:restore", ""),
        "upgrade": ("ledger.events:upgrade", "Upgrade a ledger of an older arpad."),
    },
    "Moves": {
        "strength": ("moves.strength:strength", "Estimate, or compare, how strong players' moves are."),
        "compare": ("moves.strength:compare", ""),
        "analyse": ("moves.analyse:analyse", "Evaluate every position with an engine, once."),
        "gain": ("moves.gain:gain", "Measure how much each move changed the evaluation."),
        "ipr": ("moves.ipr:ipr", "Rate players by their choice of moves (intrinsic ratings)."),
        "live": ("moves.live:live", "Follow a game and rate both players after each move."),
        "engines": ("moves.analyse:engines", "List UCI engines; calibrate strength for one."),
        "calibrate": ("moves.strength:calibrate", ""),
    },
    "Research": {
        "predict": ("lab:predict", "Compare how systems predict, or tune their constants."),
        "tune": ("lab:tune", ""),
        "simulate": ("lab:simulate", "Simulate players of known strength under a system."),
        "coverage": ("lab:coverage", "Test printed errors where every strength is known."),
        "pool": ("pool:pool", "Find the ratings that explain all results at once."),
        "whr": ("history:whr", "Fit a rating curve for every player to all games."),
        "check": ("check:check", "Test ratings against results: expected and actual scores."),
        "draws": ("check:draws", "Fit a draw model: win, draw and loss by rating."),
        "distribution": ("pool:distribution", "Describe how the ratings of a list are distributed."),
        "monitor": ("pool:monitor", "Watch a rating pool: deflation, shape, growth, exchange."),
        "scales": ("pool:scales", "Fit how one rating follows from another, or from age."),
        "book": ("book:book", "Formulas and tables of Elo's book, by section."),
        "uscf": ("performance:uscf", "USCF titles of 1994, and FIDE results in a USCF rating."),
    },
    "History": {
        "history": ("history:history", "Rate a century of games on one scale."),
        "greatness": ("history:greatness", "Find the greatest performances and strongest events."),
    },
    "Housekeeping": {
        "serve": ("housekeeping:serve", "Show a ledger, or plain files, in a browser."),
        "site": ("housekeeping:site", "Write the public part of a ledger as static files."),
        "demo": ("housekeeping:demo", "Rate a bundled tournament, from file to report."),
        "formats": ("housekeeping:formats", "List the file formats, and the columns of tables."),
    },
}
CONTEXT = {"expect": {"ignore_unknown_options": True}}  # a difference may be negative
VERBS = {name: verb for panel in PANELS.values() for name, verb in panel.items()}


COMMON = ("columns", "dates", "sheet", "input_format", "strict", "report", "format", "output", "help")
"""Options that most verbs have; help shows them in a panel of their own."""
VALUES = {
    "FILE": "backup before births calibration_chart chart draw_model draw_model_file export fits groups html it1 it3 list list_file later lists masters matches model names pair pdf people_from report save state table titles",
    "DATE": "birth date day end ends of on received since start_date test_from test_to validate_from validation_from",
    "DATES": "dates",
    "ADDRESS": "host proxy",
    "AGES": "age_cuts ages",
    "CODE": "federation home",
    "CODES": "tie_break",
    "COLUMN": "column",
    "DIR": "store",
    "ENGINE": "engine",
    "K": "k",
    "LIST": "list_ list_name",
    "NAME": "about against black calibration event event_name ids name player policy preset reference site system"
    " time_control variant white who world",
    "NAME=RATING": "anchor set_",
    "NAME=VALUE": "option",
    "NAMES": "by calibrate only players ratings repair_players sections systems worlds",
    "NUMBERS": "at errors nodes sigmas",
    "PATH": "root_path",
    "PATTERN": "leave_out leave_out_players",
    "PERIOD": "period",
    "OURS=THEIRS": "columns",
    "POINTS": "white_advantage",
    "RATING": "scratch",
    "RATINGS": "next_opponents opponents rating_cuts",
    "REASON": "reason why",
    "RESULT": "result",
    "RESULTS": "results",
    "SHEET": "sheet",
    "N": "workers",
    "TITLE": "title",
    "URL": "url",
    "VERSION": "rules tie_break_rules",
    "YEARS": "anchor_years born eras",
}
"""The word for a value, and the options that take it."""
WORDS = {name: word for word, names in VALUES.items() for name in names.split()}


class PlainCommand(TyperCommand):
    """A verb whose help has a panel for the common options and says FILE, N and DATE for kinds of values."""

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write arguments, the verb's own options, and the common ones."""
        _format_options(self, ctx, formatter)


class PlainGroup(TyperGroup):
    """A group with options of its own: its help has the same panels, and its verbs below them."""

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the group's options, then its verbs."""
        _format_options(self, ctx, formatter)
        self.format_commands(ctx, formatter)


def _format_options(command: Any, ctx: Any, formatter: Any) -> None:
    panels: dict[str, list[tuple[str, str]]] = {"Arguments": [], "Options": [], "Common options": []}
    for parameter in command.get_params(ctx):
        record = parameter.get_help_record(ctx)
        if record is not None:
            own = "Common options" if parameter.name in COMMON else "Options"
            panel = "Arguments" if parameter.param_type_name == "argument" else own
            kind = re.sub(r" <[^|]*>$", "", record[0]) if panel == "Arguments" else record[0]
            panels[panel].append((_plain_value(parameter.name, kind), record[1]))
    for title, records in panels.items():
        if records:
            with formatter.section(title):
                formatter.write_dl(records)


def _dress(command: Any) -> None:
    """Give a verb, or every verb of a group, the plain help."""
    for inner in getattr(command, "commands", {}).values():
        _dress(inner)
    if type(command) in (TyperCommand, TyperGroup):
        command.__class__ = PlainCommand if type(command) is TyperCommand else PlainGroup
    for parameter in command.params:
        if parameter.param_type_name == "argument" and parameter.metavar is None:
            parameter.metavar = parameter.name.replace("_", "-").upper()


def _plain_value(name: str, text: str) -> str:
    """Name the kind of a value in a word that people know: ``--top <int range>`` is ``--top N``."""
    text = re.sub(r"<list\[([^]]+)\]>", r"<\1>", text)
    text = re.sub(r"<(str|path)>", WORDS.get(name, "TEXT"), text)
    return re.sub(r"<float( range)?>", "X", re.sub(r"<int( range)?>", "N", text))


class Verbs(TyperGroup):
    """The group of all verbs: its help needs none of their modules, which Typer's own groups would import."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.commands = dict.fromkeys(VERBS)  # type: ignore[assignment]  # names for suggestions

    def list_commands(self, ctx: Any) -> list[str]:
        """Return the names of the verbs, panel by panel."""
        return list(VERBS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Return a verb, loaded when it is first asked for."""
        if cmd_name in VERBS and self.commands[cmd_name] is None:
            app = typer.Typer(rich_markup_mode=None, pretty_exceptions_enable=False)
            app.callback()(nothing)
            for place in VERBS[cmd_name][0].split():
                module, _, there = place.partition(":")
                verb = getattr(import_module(f"arpad.cli.{module}"), there)
                if isinstance(verb, typer.Typer):
                    app.add_typer(verb, name=cmd_name)
                else:
                    app.command(cmd_name, context_settings=CONTEXT.get(cmd_name))(documented(verb))
            made = get_group(app).commands[cmd_name]
            _dress(made)
            made.context_settings = {**self.context_settings, **made.context_settings}
            self.commands[cmd_name] = made
        return self.commands.get(cmd_name)

    def loaded(self) -> Iterator[tuple[str, Any]]:
        """Load every verb; yield names and verbs."""
        for name in VERBS:
            yield name, self.get_command(None, name)

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write every verb with its help, a section for each panel: all on one screen."""
        options = [o for o in self.get_params(ctx) if not (o.name or "").endswith("completion")]
        lines = ["Usage: arpad [OPTIONS] COMMAND …     (arpad COMMAND --help explains a command)"]
        lines.append(f"Options: {' '.join(max(o.opts, key=len) for o in options)}")
        panels = {title: _joined(verbs) for title, verbs in PANELS.items()}
        widest = max(len(names) for joined in panels.values() for names in joined)
        for title, joined in panels.items():
            lines += [f"{title}:", *(f"  {names:{widest}}  {text}" for names, text in joined.items())]
        formatter.write("\n".join(lines) + "\n")


def _joined(verbs: dict[str, Verb]) -> dict[str, str]:
    """Return the help of each line; a verb without a help of its own joins the one before."""
    lines: list[tuple[str, str]] = []
    for name, (_, text) in verbs.items():
        lines = [*lines, (name, text)] if text else [*lines[:-1], (f"{lines[-1][0]}, {name}", lines[-1][1])]
    return dict(lines)
