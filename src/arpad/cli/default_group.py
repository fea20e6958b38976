"""A group of verbs that is a verb itself: `arpad ipr FILES` beside `arpad ipr test FILES`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from typer.core import TyperGroup

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["DEFAULT", "DefaultGroup"]

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
