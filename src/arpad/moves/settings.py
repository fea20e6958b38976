"""How an engine is asked, and the text by which its answers are known again."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from arpad.errors import UsageError

__all__ = ["DEPTH", "HASH_MB", "EngineIdentity", "EngineSettings", "Limit"]

Limit = Literal["depth", "nodes", "movetime"]
"""What ends a search: plies, positions visited, or milliseconds."""

DEPTH = 13
"""Plies, when no limit is named."""

HASH_MB = 16
"""Megabytes of hash an engine, cleared before each position; docs/decisions says why so many."""

OURS = {
    "threads": "one thread an engine: take more --workers",
    "multipv": "give it as --multipv",
    "hash": "give it as --hash",
    "ponder": "an analysis never ponders",
    "uci_chess960": "the position says whether it is Chess960",
}
"""Options that are not to be set by hand, and what to do instead."""

MOST = {
    "depth": 2**15 - 1,
    "nodes": 2**63 - 1,
    "movetime": 2**31 - 1,
    "hash_mb": 2**31 - 1,
    "multipv": 500,
}
"""What engines and the store can hold; 500 lines are what Stockfish gives at most."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineIdentity:
    """What an engine says that it is.

    Parameters
    ----------
    name
        Its ``id name``, with the version.
    network
        The names of its networks; empty: it has none.
    """

    name: str
    network: str = ""

    def __str__(self) -> str:
        return f"{self.name}, network {self.network}" if self.network else self.name


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineSettings:
    """Which engine is asked, and how: the limit of a search, lines, hash, options.

    Give one of `depth`, `nodes` and `movetime`; without any of them it is depth 13.

    Parameters
    ----------
    engine
        A name (stockfish) or a path. Not part of the key: the engine's own name is.
    depth
        Plies.
    nodes
        Positions visited.
    movetime
        Milliseconds. Such results depend on the machine and on what else it does.
    multipv
        How many lines.
    hash_mb
        Megabytes of hash.
    options
        Other UCI options, by name.

    Examples
    --------
    >>> EngineSettings(nodes=100_000, multipv=3).go()
    'go nodes 100000'
    >>> EngineSettings().key(EngineIdentity(name="Stockfish 15.1", network="nn-ad9b42354671.nnue"))
    'engine=Stockfish 15.1; network=nn-ad9b42354671.nnue; limit=depth 13; multipv=1; hash=16; options='
    """

    engine: str = "stockfish"
    depth: int | None = None
    nodes: int | None = None
    movetime: int | None = None
    multipv: int = 1
    hash_mb: int = HASH_MB
    options: tuple[tuple[str, str], ...] = field(default=())

    def __post_init__(self) -> None:
        given = [n for n in ("depth", "nodes", "movetime") if getattr(self, n) is not None]
        if len(given) > 1:
            raise UsageError(f"expected one limit, found {' and '.join(given)}: choose one")
        if not given:
            object.__setattr__(self, "depth", DEPTH)
        for name in (self.limit, "hash_mb", "multipv"):
            if not 1 <= (value := getattr(self, name)) <= MOST[name]:
                raise UsageError(f"{name}: expected 1 to {MOST[name]}, found {value}")
        for name, _ in self.options:
            if name.lower() in OURS:
                raise UsageError(f"the option {name} is not to be set: {OURS[name.lower()]}")
        names = [name.lower() for name, _ in self.options]
        for name in names:
            if names.count(name) > 1:
                raise UsageError(f"the option {name} is set twice: give one value")

    @property
    def limit(self) -> Limit:
        """What ends a search."""
        if self.depth is not None:
            return "depth"
        return "nodes" if self.nodes is not None else "movetime"

    @property
    def value(self) -> int:
        """How much of `limit`."""
        return int(getattr(self, self.limit))

    def go(self) -> str:
        """Return the command that starts a search."""
        return f"go {self.limit} {self.value}"

    def key(self, identity: EngineIdentity) -> str:
        """Return the text by which answers are kept: equal texts mean equal answers."""
        options = ", ".join(
            f"{n}={_plain(v)}" for n, v in sorted(self.options, key=lambda o: o[0].lower())
        )
        return (
            f"engine={identity.name}; network={identity.network}; limit={self.limit} {self.value}; "
            f"multipv={self.multipv}; hash={self.hash_mb}; options={options}"
        )

    def parameters(self, identity: EngineIdentity) -> dict[str, object]:
        """Return the same as plain values, for a result."""
        return {
            "engine": identity.name,
            "network": identity.network,
            self.limit: self.value,
            "multipv": self.multipv,
            "hash_mb": self.hash_mb,
            "options": dict(self.options),
        }


def _plain(value: str) -> str:
    """Put a value in quotes that could be taken for several options."""
    return repr(value) if set(value) & set(",;'") else value
