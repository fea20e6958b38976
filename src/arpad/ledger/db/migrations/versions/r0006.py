"""Published lists hold against REPLACE, too, and each has a hash of its figures."""

from __future__ import annotations

from alembic import op

from arpad.ledger.db.backup import write_missing_hashes
from arpad.ledger.db.migrations.versions.r0001 import make_tables

revision = "0006"
down_revision = "0005"
PUBLISHED = "a published list is frozen: make a correction instead (arpad list make)"
KEPT = "workings of a run never change: a changed ledger gives a new run"
LOGGED = "a decision stays in the log: undo it instead"
POLICY = "a policy never changes: give it a new version"
HASH = "the hash of a published list never changes"
SAME_LIST = "(policy_id = NEW.policy_id AND name = NEW.name AND number = NEW.number)"
IS_PUBLISHED = "EXISTS (SELECT 1 FROM lists WHERE id = OLD.list_id AND published IS NOT NULL)"

# REPLACE, and UPDATE OR REPLACE, delete the row in their way without asking its DELETE trigger, unless the
# connection has `recursive_triggers` on, as arpad's have and those of other programs do not.
SQLITE_REPLACE = (
    ("lists", "INSERT", f"lists WHERE published IS NOT NULL AND (id = NEW.id OR {SAME_LIST})", PUBLISHED),
    (
        "lists",
        "UPDATE",
        f"lists WHERE published IS NOT NULL AND id <> OLD.id AND (id = NEW.id OR {SAME_LIST})",
        PUBLISHED,
    ),
    (
        "policies",
        "INSERT",
        "policies WHERE id = NEW.id OR (name = NEW.name AND version = NEW.version)",
        POLICY,
    ),
    ("runs", "INSERT", "runs WHERE id = NEW.id OR (policy_id = NEW.policy_id AND key = NEW.key)", KEPT),
    ("states", "INSERT", "states WHERE run_id = NEW.run_id AND player_id = NEW.player_id", KEPT),
    ("rules", "INSERT", "rules WHERE run_id = NEW.run_id AND number = NEW.number", KEPT),
    ("decisions", "INSERT", "decisions WHERE id = NEW.id", LOGGED),
    ("list_hashes", "INSERT", "list_hashes WHERE list_id = NEW.list_id", HASH),
)
HASHES = (("UPDATE", "1 = 1", "NEW"), ("DELETE", IS_PUBLISHED, "OLD"))


def upgrade() -> None:
    """Add the hashes of the lists that are published; no figure changes."""
    make_tables("list_hashes | list_id:int! entries:int! sha256! | list_id>>lists | list_id", {})
    connection = op.get_bind()
    write_missing_hashes(connection)
    sqlite = connection.dialect.name == "sqlite"
    for statement in _sqlite() if sqlite else _postgresql():
        connection.exec_driver_sql(statement)


def _sqlite() -> list[str]:
    result = [
        f"CREATE TRIGGER guard_{table}_{verb.lower()}_replace BEFORE {verb} ON {table}"
        f" WHEN EXISTS (SELECT 1 FROM {rows}) BEGIN SELECT RAISE(ABORT, '{says}'); END"
        for table, verb, rows, says in SQLITE_REPLACE
    ]
    return result + [
        f"CREATE TRIGGER guard_list_hashes_{verb.lower()} BEFORE {verb} ON list_hashes WHEN {when}"
        f" BEGIN SELECT RAISE(ABORT, '{HASH}'); END"
        for verb, when, _ in HASHES
    ]


def _postgresql() -> list[str]:
    result = []
    for verb, when, row in HASHES:
        name = f"guard_list_hashes_{verb.lower()}"
        result += [
            (
                f"CREATE FUNCTION {name}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN"
                f" IF {when} THEN RAISE EXCEPTION '{HASH}'; END IF; RETURN {row}; END $$"
            ),
            f"CREATE TRIGGER {name} BEFORE {verb} ON list_hashes FOR EACH ROW EXECUTE FUNCTION {name}()",
        ]
    return [
        *result,
        (
            "CREATE TRIGGER guard_list_hashes_truncate BEFORE TRUNCATE ON list_hashes"
            " FOR EACH STATEMENT EXECUTE FUNCTION guard_truncate()"
        ),
    ]
