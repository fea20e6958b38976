"""The verbs of `arpad` by panel; the module of a verb is loaded when somebody uses the verb."""

from __future__ import annotations

import copy
import inspect
import re
from contextlib import nullcontext
from dataclasses import MISSING, fields, is_dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Annotated, Any, get_args, get_type_hints

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_group

from arpad.cli.output import Emission, FormatOption, OutputOption, Working, expect_pictures

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence


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
        "check": ("pool:check", "Test ratings against results: expected and actual scores."),
        "draws": ("pool:draws", "Fit a draw model: win, draw and loss by rating."),
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
    "FILE": "backup before births calibration_chart chart draw_model draw_model_file export fits groups html it1 it3 list list_file later lists list_ masters matches model names pair pdf people_from report save state table titles",
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
    "LIST": "list_name",
    "GROUPS": "only",
    "NAME": "about against black calibration event event_name ids name player policy preset reference site system"
    " time_control variant white who world",
    "NAME=RATING": "anchor set_",
    "NAME=VALUE": "option",
    "NAMES": "by calibrate players ratings repair_players sections systems worlds",
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

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """Return the pieces of the usage line."""
        return _plain_usage(super().collect_usage_pieces(ctx))

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
            panels[panel].append((_plain_value(parameter.name, kind), _plain_limits(record[1])))
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


def _plain_limits(text: str) -> str:
    """Say the limits of a number in words: ``[x>=1]`` is ``[1 or more]``."""
    text = re.sub(r"\b([\d.]+)<=x<=([\d.]+)\]$", r"\1 to \2]", text)
    text = re.sub(r"\bx>=([\d.]+)\]$", r"\1 or more]", text)
    return re.sub(r"\bx<=([\d.]+)\]$", r"\1 or less]", text)


def _plain_usage(pieces: list[str]) -> list[str]:
    """Return what stands behind a command: ``FILES...`` and ``[LIST]``."""
    return [re.sub(r"^\{(.*)\}", r"\1", piece).replace("[[", "[").replace("]]", "]") for piece in pieces]


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
                    app.command(cmd_name, context_settings=CONTEXT.get(cmd_name))(as_command(verb))
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


# From a function to a command.


def as_command(verb: Callable[..., Any]) -> Callable[..., None]:
    """Return a verb as Typer takes it.

    The last paragraph of its docstring has the help of its options, in lines ``name: help``. A parameter whose
    type is a dataclass stands for an option for each field, unless the verb has that option itself. A verb
    that returns an `Emission` gets ``--format`` and ``-o``.
    """
    given = inspect.signature(verb, eval_str=True)
    names = {name for name, each in given.parameters.items() if not is_dataclass(each.annotation)}
    emits = given.return_annotation is Emission or Emission in get_args(given.return_annotation)
    groups: dict[str, tuple[Any, list[str]]] = {}
    parameters: list[inspect.Parameter] = []
    shared: list[inspect.Parameter] = []
    for parameter in given.parameters.values():
        if is_dataclass(kind := parameter.annotation):
            options = [each for each in _options(kind) if each.name not in names]
            groups[parameter.name] = kind, [each.name for each in options]
            parameters += [each for each in options if each.default is inspect.Parameter.empty]
            shared += [each for each in options if each.default is not inspect.Parameter.empty]
        else:
            parameters.append(parameter)
    last = [each for each in parameters if each.name in ("format", "output")]
    if emits:
        last = [_option("format", FormatOption), _option("output", OutputOption)]
    parameters = [*(each for each in parameters if each not in last), *shared, *last]
    answers = any(each.name == "output" for each in last)
    text, helps = _helps(verb, {each.name for each in parameters})
    parameters = [_with_help(each, helps.get(each.name)) for each in parameters]

    def run(**options: Any) -> None:
        printed = (options.pop("format"), options.pop("output")) if emits else ()
        expect_pictures(options)
        typed = any(value == "-" or (isinstance(value, list) and "-" in value) for value in options.values())
        for name, (kind, own) in groups.items():
            options[name] = kind(**{each: options.pop(each) for each in own})
        with Working() if answers and not typed else nullcontext():
            result = verb(**options)
        if result is not None:  # a group says nothing beside its verb
            result(*printed)

    run.__name__, run.__doc__, run.__module__ = verb.__name__, text, verb.__module__
    run.__annotations__ = {each.name: each.annotation for each in parameters}
    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    return run


def _option(name: str, kind: Any, default: object = None) -> inspect.Parameter:
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, annotation=kind, default=default)


def _options(group: Any) -> list[inspect.Parameter]:
    """Return the fields of a dataclass as options, with the help that its docstring gives them."""
    kinds = get_type_hints(group, include_extras=True)
    own = [each for each in fields(group) if each.init]
    helps: dict[str, str] = {}
    for kind in reversed(group.__mro__[:-1]):
        helps |= _helps(kind, {each.name for each in own})[1]
    return [
        _with_help(
            _option(
                each.name,
                kinds[each.name],
                inspect.Parameter.empty if each.default is MISSING else each.default,
            ),
            helps.get(each.name),
        )
        for each in own
    ]


def _helps(source: Any, names: set[str]) -> tuple[str, dict[str, str]]:
    """Return a docstring without its last paragraph, and the helps by name that stand there."""
    text = inspect.cleandoc(source.__doc__ or "")
    above, _, last = text.rpartition("\n\n")
    helps = dict(line.split(": ", 1) for line in last.splitlines() if ": " in line)
    return (above, helps) if helps and helps.keys() <= names else (text, {})


def _with_help(parameter: inspect.Parameter, text: str | None) -> inspect.Parameter:
    """Return a parameter with its help; a switch has no opposite unless its declaration names one."""
    parameter = parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY)
    if text is None:
        return parameter
    kind = parameter.annotation
    if given := getattr(kind, "__metadata__", ()):
        kind, info = kind.__origin__, copy.copy(given[0])
    elif parameter.default is inspect.Parameter.empty:
        info = typer.Argument()
    else:
        switch = parameter.default is False
        info = typer.Option(*([f"--{parameter.name.replace('_', '-')}"] if switch else []))
    info.help = text
    return parameter.replace(annotation=Annotated[kind, info])


def verb_group(
    help: str,
    verbs: Mapping[str, Any],
    *,
    alone: Callable[..., Any] | None = None,
    cls: type[TyperGroup] = TyperGroup,
) -> typer.Typer:
    """Return verbs under a common name; beside a verb may stand what a list of verbs says of it.

    alone: what the group does without a verb.
    """
    group = typer.Typer(
        help=help,
        cls=cls,
        no_args_is_help=alone is None,
        invoke_without_command=alone is not None,
        rich_markup_mode=None,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    group.callback()(as_command(alone) if alone else nothing)
    for name, verb in verbs.items():
        function, short = verb if isinstance(verb, tuple) else (verb, None)
        group.command(name, short_help=short, hidden=name == DEFAULT)(as_command(function))
    return group


def nothing() -> None:
    """Keep a group of one verb a group."""


# A group of verbs that is a verb itself: `arpad ipr FILES` beside `arpad ipr test FILES`.

DEFAULT = "FILES"
"""The name under which a group registers what it does itself; hidden, in capitals since no verb is."""


class DefaultGroup(TyperGroup):
    """Takes what begins with no known verb for its own arguments, and speaks for them in its help."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Put the hidden verb in front unless another one stands there; help is one page for both."""
        if args and args[0] not in self._verbs():
            wanted = set(ctx.help_option_names) & set(self._options(args))
            args = [min(wanted)] if wanted else [DEFAULT, *args]
        return super().parse_args(ctx, args)

    def resolve_command(self, ctx: Any, args: list[str]) -> tuple[str | None, Any, list[str]]:
        """Find the verb; the hidden one adds no word to what error messages call it."""
        if args[0] == DEFAULT:
            return None, self.commands[DEFAULT], args[1:]
        return super().resolve_command(ctx, args)

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """Show the group's own arguments, then the verbs."""
        return [*self.commands[DEFAULT].collect_usage_pieces(ctx), "| COMMAND ..."]

    def format_help_text(self, ctx: Any, formatter: Any) -> None:
        """Say what the group does itself."""
        self.commands[DEFAULT].format_help_text(ctx, formatter)

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Show the group's own arguments and options, then the verbs."""
        self.commands[DEFAULT].format_options(ctx, formatter)
        self.format_commands(ctx, formatter)

    def shell_complete(self, ctx: Any, incomplete: str) -> list[Any]:
        """Offer verbs and the group's own options."""
        own = self.commands[DEFAULT].shell_complete(ctx, incomplete)
        there = {item.value for item in own}
        return [*own, *(i for i in super().shell_complete(ctx, incomplete) if i.value not in there)]

    def _verbs(self) -> set[str]:
        return {name for name in self.commands if name != DEFAULT}

    @staticmethod
    def _options(args: Sequence[str]) -> list[str]:
        """Return what stands before a --, behind which everything is a file."""
        return list(args[: args.index("--")] if "--" in args else args)
