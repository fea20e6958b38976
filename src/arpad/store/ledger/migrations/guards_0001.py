"""Triggers of revision 0001: what is published, logged or computed stays as it is.

- a published list and its entries are never changed, deleted or added to;
- a policy, a run and its workings are never changed; workings go only with their run, and a run that
  a list or a later run rests on cannot go (its foreign keys say so);
- a decision is never deleted, and of its columns only `undone_by` is ever written again.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["GUARDS"]


@dataclass(frozen=True, slots=True)
class Guard:
    """One rule: what must not be done to a table, when, and what is said."""

    table: str
    verb: str
    when: str  # of OLD and NEW; a query is allowed on both databases
    says: str


PUBLISHED = "a published list is frozen: make a correction instead (arpad list make)"
KEPT = "workings of a run never change: a changed ledger gives a new run"
FROZEN_ENTRY = "EXISTS (SELECT 1 FROM lists WHERE id = {row}.list_id AND published IS NOT NULL)"
HAS_RUN = "EXISTS (SELECT 1 FROM runs WHERE id = OLD.run_id)"

RULES = (
    Guard("lists", "UPDATE", "OLD.published IS NOT NULL", PUBLISHED),
    Guard("lists", "DELETE", "OLD.published IS NOT NULL", PUBLISHED),
    Guard("entries", "INSERT", FROZEN_ENTRY.format(row="NEW"), PUBLISHED),
    Guard("entries", "UPDATE", FROZEN_ENTRY.format(row="OLD"), PUBLISHED),
    Guard("entries", "DELETE", FROZEN_ENTRY.format(row="OLD"), PUBLISHED),
    Guard("policies", "UPDATE", "1 = 1", "a policy never changes: give it a new version"),
    Guard("runs", "UPDATE", "1 = 1", KEPT),
    Guard("states", "UPDATE", "1 = 1", KEPT),
    Guard("states", "DELETE", HAS_RUN, KEPT),
    Guard("steps", "UPDATE", "1 = 1", KEPT),
    Guard("steps", "DELETE", HAS_RUN, KEPT),
    Guard("decisions", "DELETE", "1 = 1", "a decision stays in the log: undo it instead"),
    Guard(
        "decisions",
        'UPDATE OF id, "when", who, why, kind, subject, before, after, undoes',
        "1 = 1",
        "a decision stays as it was taken: undo it instead",
    ),
)


def _name(rule: Guard) -> str:
    return f"guard_{rule.table}_{rule.verb.split()[0].lower()}"


def _sqlite(rule: Guard) -> list[str]:
    return [
        (
            f"CREATE TRIGGER {_name(rule)} BEFORE {rule.verb} ON {rule.table} WHEN {rule.when}"
            f" BEGIN SELECT RAISE(ABORT, '{rule.says}'); END"
        )
    ]


def _postgresql(rule: Guard) -> list[str]:
    row = "OLD" if rule.verb == "DELETE" else "NEW"
    return [
        (
            f"CREATE FUNCTION {_name(rule)}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN"
            f" IF {rule.when} THEN RAISE EXCEPTION '{rule.says}'; END IF; RETURN {row}; END $$"
        ),
        (
            f"CREATE TRIGGER {_name(rule)} BEFORE {rule.verb} ON {rule.table}"
            f" FOR EACH ROW EXECUTE FUNCTION {_name(rule)}()"
        ),
    ]


GUARDS = {
    "sqlite": [statement for rule in RULES for statement in _sqlite(rule)],
    "postgresql": [statement for rule in RULES for statement in _postgresql(rule)],
}
"""The statements that make the triggers, for each database."""
