"""Bring a database to a revision of the schema."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from arpad.store.ledger.schema import HEAD, METADATA

if TYPE_CHECKING:
    from alembic.script import ScriptDirectory
    from sqlalchemy.engine import Connection

__all__ = ["migrate", "revision_of", "script_directory"]

FOLDER = Path(__file__).parent / "migrations"


def script_directory() -> ScriptDirectory:
    """Return the revisions as Alembic sees them."""
    from alembic.script import ScriptDirectory

    return ScriptDirectory(str(FOLDER), version_locations=[str(FOLDER / "versions")])


def revision_of(connection: Connection) -> str | None:
    """Return the revision of a database; None: it holds no ledger."""
    if not sa.inspect(connection).has_table("alembic_version"):
        return None
    query = sa.text("SELECT version_num FROM alembic_version")
    return connection.execute(query).scalar()


def migrate(connection: Connection, revision: str = HEAD) -> None:
    """Run the revisions up to this one in the transaction of the connection."""
    from alembic.config import Config
    from alembic.runtime.environment import EnvironmentContext

    scripts = script_directory()

    def steps(current: Any, _: object) -> Any:
        return scripts._upgrade_revs(revision, current)

    with EnvironmentContext(Config(), scripts, fn=steps, destination_rev=revision) as environment:
        environment.configure(
            connection=connection, target_metadata=METADATA, transactional_ddl=True
        )
        environment.run_migrations()
