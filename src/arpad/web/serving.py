"""Serve the web app: over a ledger, or over plain files that are put into one for as long as it runs."""

from __future__ import annotations

import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from arpad.errors import UsageError
from arpad.store.ledger.ledger import Ledger
from arpad.web.secret import kept_secret
from arpad.web.security.accounts import accounts
from arpad.web.settings import LOOPBACK, Settings, is_loopback

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

__all__ = ["ANYWHERE", "demo_ledger", "ledger_of_files", "settings_for"]

ANYWHERE = ("0.0.0.0", "::", "")
"""Addresses that mean every address of the machine; they are no names to ask by."""


@contextmanager
def ledger_of_files(
    files: Sequence[str], system: str, say: Callable[[str], object] = lambda _: None
) -> Iterator[str]:
    """Give a ledger with the content of files and a list made of it; it is gone afterwards."""
    from arpad.office.intake.importing import import_files
    from arpad.office.making.list_making import make_list
    from arpad.office.rules.policies import add_policy
    from arpad.office.rules.presets import PRESETS, preset

    if system not in PRESETS:
        raise UsageError(f"expected rules, one of {', '.join(PRESETS)}; found {system!r}")
    with tempfile.TemporaryDirectory(prefix="arpad-") as folder:
        place = str(Path(folder) / "files.db")
        with Ledger.open(place, create=True) as ledger:
            for result in import_files(ledger, list(files)):
                say(result.summary())
            with ledger.writing(None, "policy") as connection:
                add_policy(connection, preset(system))
            try:
                say(make_list(ledger, policy=system).summary())
            except UsageError as error:  # undated files have events, and no list
                say(str(error))
        yield place


@contextmanager
def demo_ledger() -> Iterator[str]:
    """Give a ledger with a generated club in it; it is gone afterwards."""
    from arpad.web.demo import fill_demo

    with tempfile.TemporaryDirectory(prefix="arpad-") as folder:
        place = str(Path(folder) / "club.db")
        fill_demo(place, Path(folder))
        yield place


def settings_for(
    place: str, *, host: str, names: Sequence[str] = (), title: str | None = None, **more: object
) -> Settings:
    """Return what the app is told; elsewhere than on this machine it asks everybody to sign in."""
    own = Path(place).stem if "://" not in place else place.rpartition("/")[2]
    title = title or own or "arpad"
    if is_loopback(host):
        return Settings(
            place=place,
            title=title,
            secret=kept_secret(),
            hosts=(*LOOPBACK, *names),
            **more,  # type: ignore[arg-type]
        )
    if not more.get("writable", True):
        raise UsageError(
            f"plain files are shown on this machine only, not at {host}: import them into a ledger, "
            "which has accounts"
        )
    with Ledger.open(place) as ledger, ledger.reading() as connection:
        if not accounts(connection):
            raise UsageError(
                f"at {host} others can ask, and nobody can sign in yet: "
                "`arpad account add NAME --role administrator` first"
            )
    if host in ANYWHERE and not names:
        raise UsageError(
            f"{host or 'everywhere'} is no name to ask by: --name says what this server is called"
        )
    known = (*LOOPBACK, *(() if host in ANYWHERE else (host.lower(),)), *(n.lower() for n in names))
    return Settings(
        place=place,
        title=title,
        secret=kept_secret(),
        open_reading=False,
        hosts=known,
        **more,  # type: ignore[arg-type]
    )
