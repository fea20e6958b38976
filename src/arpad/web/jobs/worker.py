"""The process that does one job: ``python -m arpad.web.jobs.worker NUMBER``, told the rest on standard input.

The first line says where the ledger is (it may hold a password: no argument, no variable). When the input ends, the
server is gone, and so is the worker: what it had not finished is not in the ledger, and the next server begins again.
"""

from __future__ import annotations

import json
import os
import sys
import threading
import traceback
from pathlib import Path

from arpad.errors import ArpadError
from arpad.ledger.db.ledger import Ledger
from arpad.web.jobs import records
from arpad.web.jobs.kinds import KINDS, Work
from arpad.web.jobs.supervisor import NOT_MINE, SERVER_GONE, ProgressReporter, myself
from arpad.web.jobs.uploads import drop_upload

PATIENCE = 600.0  # seconds that a job waits for other writers: nobody sits in front of it


def main() -> int:
    """Do the job."""
    number = int(sys.argv[1])
    told = json.loads(sys.stdin.readline())
    threading.Thread(target=_die_with_server, daemon=True).start()
    with Ledger.open(told["place"], wait=PATIENCE) as ledger:
        with ledger.writing("worker", "claim") as connection:
            job = records.claim(connection, number, myself())
        if job is None:
            return NOT_MINE
        with ProgressReporter(told["place"], number) as report:
            work = Work(
                ledger=ledger, job=job, report=report, store=Path(told["store"]) if told["store"] else None
            )
            state, says, result = _done(work)
        with ledger.writing("worker", "finish") as connection:
            records.finish(connection, number, state, says=says, result=result)
            if state == "done" and job.kind == "import":
                drop_upload(connection, str(job.arguments["file"]))
    return 0


def _done(work: Work) -> tuple[records.JobState, str, dict[str, object] | None]:
    """Do it; whatever goes wrong is one sentence."""
    try:
        finished = KINDS[work.job.kind](work)
    except ArpadError as error:
        return "failed", str(error), None
    except Exception:
        traceback.print_exc()
        return (
            "failed",
            "This page failed because of an error in arpad. The log of the server has the details.",
            None,
        )
    return "done", finished.says, finished.as_dict()


def _die_with_server() -> None:
    while sys.stdin.readline():
        pass
    os._exit(SERVER_GONE)


if __name__ == "__main__":
    sys.exit(main())
