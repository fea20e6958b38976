"""All systems on many games are compared in the background; the lab shows how far that is, and what was found."""

from __future__ import annotations

import os
import signal

import pytest

from arpad.ledger.db.ledger import Ledger
from arpad.ledger.decisions.corrections import correct_player
from arpad.ledger.queries.pool import lab_games
from arpad.web.jobs import records
from arpad.web.views import lab as comparing
from arpad.web.views import lab as walking
from arpad.web.views.lab import ALL, KIND, arguments_of, compare_on
from tests.web.conftest import token
from tests.web.test_work import added, job_of, over, until, working

WHOLE = "/lab?field=all&least=5&given=true"
ASKED = arguments_of("5", given=True)
FORM = {"least": "5", "given": "true"}


@pytest.fixture
def many(monkeypatch) -> None:
    """The club's games are many; whoever works them out within a request is caught."""

    def caught(*_, **__):
        raise AssertionError("nobody waits for this")

    monkeypatch.setattr(walking, "MANY", 100)
    monkeypatch.setattr(comparing, "compare_on", caught)


@pytest.fixture
def found(club):
    """A comparison that was worked out."""
    number = added(club, KIND, ASKED)
    with working(club):
        assert until(lambda: over(club, number)).state == "done"
    return number


def words(page: str) -> str:
    return " ".join(page[page.index("<main") : page.index("</main>")].split())


def test_small_fields_and_few_games_are_answered_at_once(client):
    twin = client.get("/api/lab", params={"field": "all"}).json()
    assert twin["work"] is None
    assert len(twin["rows"]) + len(twin["left"]) == len(ALL)


@pytest.mark.usefixtures("many")
def test_before_it_is_there_the_page_says_who_can_have_it_done(make_client):
    nobody, viewer, officer = (make_client(who) for who in (None, "vic", "ann"))
    for who in (nobody, viewer):
        page = words(who.get(WHOLE).text)
        assert f"All {len(ALL)} systems" in page
        assert "An administrator can start it" in page
        assert "/jobs/compare" not in page
    assert "sign in</a> as one" in nobody.get(WHOLE).text
    assert "sign in</a> as one" not in viewer.get(WHOLE).text
    assert 'action="/jobs/compare"' in officer.get(WHOLE).text
    files = make_client(writable=False).get(WHOLE).text
    assert "arpad predict FILES" in files
    twin = nobody.get("/api/lab", params={"field": "all", "least": "5"}).json()
    assert (twin["rows"], twin["work"]["found"], twin["work"]["job"]) == ([], False, None)
    for chart in ("systems?field=all", "calibration?field=all&system=elo"):
        assert nobody.get(f"/charts/lab/{chart}").status_code == 404


@pytest.mark.usefixtures("many")
def test_only_an_administrator_with_our_form_has_it_done(make_client, club):
    nobody, viewer, officer = (make_client(who) for who in (None, "vic", "ann"))
    assert nobody.post("/jobs/compare", data=FORM).status_code == 401
    assert viewer.post("/jobs/compare", data={**FORM, "token": token(viewer)}).status_code == 403
    assert officer.post("/jobs/compare", data=FORM).status_code == 403
    mine = {"token": token(officer)}
    assert officer.post("/jobs/compare", data={**mine, "least": "7"}).status_code == 422
    with Ledger.open(club) as ledger, ledger.reading() as connection:
        assert records.last_jobs(connection, 10) == []
    done = officer.post("/jobs/compare", data={**FORM, **mine})
    assert (done.status_code, done.headers["location"]) == (303, WHOLE)
    with Ledger.open(club) as ledger, ledger.reading() as connection:
        (job,) = records.last_jobs(connection, 10)
    assert (job.kind, job.arguments, job.who, job.state) == (KIND, ASKED, "ann", "waiting")
    page = officer.get(WHOLE).text
    assert f'data-job="/api/jobs/{job.id}"' in page
    assert f'action="/jobs/{job.id}/stop"' in page
    assert "/stop" not in viewer.get(WHOLE).text
    assert "data-job" not in viewer.get(WHOLE.replace("true", "false")).text  # another comparison
    officer.post(f"/jobs/{job.id}/stop", data=mine)
    assert "It was stopped." in officer.get(WHOLE).text


@pytest.mark.usefixtures("many")
def test_what_was_found_is_what_the_library_finds(client, club, found, monkeypatch):
    with Ledger.open(club) as ledger, ledger.reading() as connection:
        sample = lab_games(connection)
    with monkeypatch.context() as worker:  # to whom the club's games are few
        worker.setattr(walking, "MANY", 5000)
        wanted = compare_on(sample, "5", given=True, field="all")
    scored = [each for each in wanted.standings if each.own is not None]
    twin = client.get(f"/api{WHOLE}").json()
    assert (twin["work"]["found"], twin["work"]["fresh"]) == (True, True)
    assert [row["system"] for row in twin["rows"]] == [each.system for each in scored]
    for name in ("log_loss", "brier", "accuracy"):
        assert [row[name] for row in twin["rows"]] == pytest.approx([getattr(e.own, name) for e in scored])  # fmt: skip
    assert [row["low"] for row in twin["rows"]] == pytest.approx([e.gap.low for e in scored])
    assert [left["reason"] for left in twin["left"]] == [e.reason for e in wanted.standings if e.reason]  # fmt: skip
    assert (twin["scored"], twin["sample"]["games"]) == (wanted.counts.scored, len(sample.games))
    page = client.get(WHOLE).text
    assert "the ledger has not changed since" in page
    system = twin["rows"][-1]["system"]
    chosen = client.get(f"/api{WHOLE}&system={system}").json()
    own = [row for row in chosen["bins"] if row["curve"] == "own"]
    assert sum(row["games"] for row in own) == twin["scored"]
    assert client.get(twin["chart"]["href"]).json()["width"] == "container"
    assert client.get(chosen["calibration"]["href"]).json()["width"] == "container"
    assert "/lab?field=all&amp;least=5&amp;given=true" in client.get(f"/jobs/{found}").text


@pytest.mark.usefixtures("many")
def test_a_changed_ledger_is_told_and_the_older_result_stays_until_there_is_another(make_client, club, found):  # fmt: skip
    with Ledger.open(club) as ledger, ledger.writing("ann", "title") as connection:
        correct_player(connection, 3, title="CM")
    client, officer = make_client(), make_client("ann")
    page = words(client.get(WHOLE).text)
    assert "The ledger has changed since this comparison" in page
    assert "the best first." in page
    assert "Compare again" in officer.get(WHOLE).text
    again = added(club, KIND, ASKED)
    both = client.get(WHOLE).text
    assert f'data-job="/api/jobs/{again}"' in both
    assert "the best first." in both
    with working(club):
        until(lambda: over(club, again))
    assert client.get(f"/api{WHOLE}").json()["work"]["fresh"]
    assert "document" in job_of(club, again).result
    assert "document" not in job_of(club, found).result


def test_it_begins_again_when_its_worker_is_killed_and_says_how_far_it_is(club, tmp_path, monkeypatch):  # fmt: skip
    gate, hook = tmp_path / "gate", tmp_path / "hook"
    hook.mkdir()
    (hook / "sitecustomize.py").write_text(
        f"""
import sys, time, pathlib
if any("arpad.web.jobs.worker" in a for a in sys.orig_argv):
    import arpad.lab.predict as predicting
    real = predicting.expected_scores
    def held(system, way, rows):
        if system.name == "ingo":
            while not pathlib.Path({str(gate)!r}).exists():
                time.sleep(0.02)
        return real(system, way, rows)
    predicting.expected_scores = held
"""
    )
    monkeypatch.setenv("PYTHONPATH", str(hook), prepend=os.pathsep)
    number = added(club, KIND, ASKED)
    with working(club) as supervisor:
        at = ALL.index("ingo")
        until(lambda: supervisor.heard(number).get("done") == at, "the third system")
        heard = supervisor.heard(number)
        assert heard["total"] == len(ALL) + 1
        assert ALL[at - 1] in heard["says"]
        first = job_of(club, number).result["worker"]["pid"]
        os.kill(first, signal.SIGKILL)
        until(lambda: (job_of(club, number).result or {}).get("worker", {}).get("pid", first) != first)  # fmt: skip
        gate.touch()
        done = until(lambda: over(club, number))
    assert done.state == "done"
    assert done.result["figures"]["systems"] == len(ALL)
