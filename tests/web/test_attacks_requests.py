"""Attacks on the server itself: idle connections, slow forms, forged origins, texts that fill every page."""

from __future__ import annotations

import re
import socket
import threading
import time
import urllib.request
from contextlib import suppress

import pytest
import uvicorn

from arpad.ledger.db.ledger import Ledger
from arpad.ledger.imports.importing import import_files
from arpad.ledger.imports.staging import LONGEST_NAME
from arpad.web.app import make_app
from arpad.web.auth import WebSettings
from arpad.web.middleware import Bodies, BoundedProtocol
from tests.web.conftest import PASSWORDS, sign_in, token

IDLE = 30
"""Connections that send nothing: more than the server of the test has room for."""


@pytest.fixture
def bounded(club):
    """Serve with room for a few connections, and little time: bounded(most, seconds) → its port."""
    servers = []

    def serve(most: int, seconds: float) -> int:
        kind = type("Few", (BoundedProtocol,), {"most": most, "header_seconds": seconds})
        app = make_app(WebSettings(place=str(club), open_reading=True, work=False))
        listening = socket.socket()
        listening.bind(("127.0.0.1", 0))
        config = uvicorn.Config(
            app, log_level="error", http=kind, limit_concurrency=most + 1, timeout_graceful_shutdown=1
        )
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
        thread.start()
        servers.append((server, thread, listening))
        while not server.started:
            time.sleep(0.01)
        return listening.getsockname()[1]

    yield serve
    for server, thread, listening in servers:
        server.should_exit = True
        thread.join()
        listening.close()


def idle(port: int, sent: bytes = b"") -> socket.socket:
    made = socket.create_connection(("127.0.0.1", port), timeout=20)
    made.sendall(sent)
    return made


def test_idle_connections_block_nobody(bounded):
    port = bounded(10, 60.0)  # no time limit helps here: room is made
    held = [idle(port) for _ in range(IDLE)]
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/health", timeout=20) as answer:
        assert answer.status == 200
    for each in held:
        each.close()


@pytest.mark.parametrize("sent", [b"", b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: "])
def test_a_head_that_never_comes_whole_ends_the_connection(bounded, sent):
    port = bounded(10, 0.2)
    with idle(port, sent) as held:
        assert held.recv(100) == b""  # closed by the server, not by us


def test_a_form_that_never_comes_whole_is_given_up(bounded, monkeypatch):
    monkeypatch.setattr(Bodies, "form_seconds", 0.2)
    port = bounded(10, 5.0)
    head = b"POST /sign-in HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 50\r\n\r\nname="
    with idle(port, head) as held:
        assert held.recv(100).startswith(b"HTTP/1.1 408")


FORM = b"POST /sign-in HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/x-www-form-urlencoded\r\nExpect: 100-continue\r\nContent-Length: 50\r\n\r\nname="
TIMES, VEGA = 30, 500_000
"""Requests for a large file, and fewer bytes than it has: all together more than the system keeps for both of us."""
LARGE = b"GET /assets/vega.js HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n" * TIMES


def healthy(port: int) -> bool:
    with suppress(OSError), urllib.request.urlopen(f"http://127.0.0.1:{port}/health", timeout=20) as answer:
        return answer.status == 200
    return False


@pytest.mark.parametrize("sent", [FORM, LARGE])
def test_a_client_that_stops_in_the_middle_makes_room(bounded, monkeypatch, sent):
    monkeypatch.setattr(Bodies, "form_seconds", 3600.0)  # no time limit helps here
    port, held = bounded(5, 60.0), []
    for _ in range(5):
        held.append(idle(port, sent))
        assert held[-1].recv(12) in (b"HTTP/1.1 100", b"HTTP/1.1 200")  # the server has begun to answer
    assert any(healthy(port) or time.sleep(0.2) for _ in range(50))  # at first they are being answered
    for each in held:
        each.close()


def test_an_answer_that_nobody_reads_ends_the_connection(bounded, monkeypatch):
    monkeypatch.setattr(BoundedProtocol, "reading_seconds", 0.2)
    with idle(bounded(10, 5.0), LARGE) as held:
        time.sleep(0.5)
        with suppress(ConnectionError):
            for _ in range(20):
                held.sendall(b"G")  # a client that still sends is not one that reads
                time.sleep(0.05)
        received = 0
        with suppress(ConnectionError):
            while piece := held.recv(1 << 20):
                received += len(piece)
    assert received < TIMES * VEGA


def test_a_form_behind_a_server_that_speaks_https_is_taken(make_client):
    client = make_client("ann", hosts=("127.0.0.1", "localhost", "ratings.example"))
    form = {"token": token(client)}
    ours = {"Origin": "https://ratings.example"}  # what the browser says; the server in front asks 127.0.0.1
    assert client.post("/jobs/inspect", data=form, headers=ours).status_code == 303


@pytest.mark.parametrize(
    "origin", ["https://evil.example", "null", "http://127.0.0.1:9999", "http://localhost:1", "https://ratings.example.evil.example"]
)  # fmt: skip
def test_a_form_of_any_other_page_is_refused(make_client, origin):
    client = make_client("ann", hosts=("127.0.0.1", "localhost", "ratings.example"))
    form = {"token": token(client)}
    assert client.post("/jobs/inspect", data=form, headers={"Origin": origin}).status_code == 400


def test_over_https_browsers_are_told_to_stay_there(make_client):
    assert "max-age" in make_client(secure=True).get("/").headers["strict-transport-security"]
    assert "strict-transport-security" not in make_client().get("/").headers


@pytest.mark.parametrize("column", ["event", "white", "round"])
def test_a_text_of_two_megabytes_is_cut_and_noted(tmp_path, column):
    row = {
        "event": "Open",
        "date": "2026-05-01",
        "round": "1",
        "white": "Ann",
        "black": "Bob",
        "result": "1-0",
    }
    row[column] = "x" * 2_000_000
    file = tmp_path / "long.csv"
    file.write_text(",".join(row) + "\n" + ",".join(row.values()) + "\n")
    place = str(tmp_path / "club.db")
    with Ledger.open(place, create=True) as ledger:
        (done,) = import_files(ledger, [str(file)])
        notes = [note for note in done.report.notes if note.action == "repaired"]
        assert len(notes) == 1
    app = make_app(WebSettings(place=place, open_reading=True, work=False))
    from starlette.testclient import TestClient

    with TestClient(app, base_url="http://127.0.0.1") as client:
        for path in ("/", "/players", "/events", "/events/1", "/events/1/games", "/players/1"):
            answer = client.get(path)
            assert answer.status_code == 200
            assert "x" * (LONGEST_NAME + 1) not in answer.text
            assert len(answer.content) < 40_000


def test_every_page_answers_to_head(make_client):
    client = make_client()
    for path in (
        "/",
        "/lists",
        "/players",
        "/players/1",
        "/events",
        "/games",
        "/api/home",
        "/sign-in",
        "/assets/style.css",
        "/health",
    ):
        shown, head = client.get(path), client.head(path)
        assert head.status_code == shown.status_code == 200, path
        assert head.content == b""
        assert head.headers["content-type"] == shown.headers["content-type"]
    assert client.head("/nothing").status_code == 404


def test_pages_are_compressed_but_not_beside_a_token(make_client):
    stranger, ann = make_client(), make_client("ann")
    ask = {"Accept-Encoding": "gzip"}
    assert stranger.get("/players", headers=ask).headers["content-encoding"] == "gzip"
    assert "content-encoding" not in ann.get("/players", headers=ask).headers
    assert ann.get("/assets/style.css", headers=ask).headers["content-encoding"] == "gzip"


def test_assets_lie_under_a_name_that_changes_with_them(make_client, monkeypatch):
    from arpad.web import metrics

    client = make_client()
    style = re.search(r'href="(/assets/[0-9a-f]+/)style.css"', client.get("/").text)[1]
    for name in ("style.css", "app.js", "charts.js", "vega.js", "icon.svg"):
        answer = client.get(style + name)
        assert answer.headers["cache-control"] == "public, max-age=31536000, immutable"
        assert answer.content == client.get(f"/assets/{name}").content
    assert "immutable" not in client.get("/assets/0123/style.css").headers["cache-control"]
    assert client.get(style + "secret.txt").status_code == 422
    scripts = client.get(style + "app.js").text + client.get(style + "charts.js").text
    assert "/assets/" not in scripts  # they name each other from where they lie
    before = metrics.assets()
    monkeypatch.setattr(metrics, "_asset", lambda name: (f"another {name}".encode(), b"", ""))
    metrics.assets.cache_clear()
    assert metrics.assets() != before
    metrics.assets.cache_clear()


def test_what_is_public_is_sent_once_and_what_is_not_is_never_stored(make_client):
    stranger = make_client(open_reading=False, public=True)
    first = stranger.get("/players")
    tag = {"If-None-Match": first.headers["etag"]}
    again = stranger.get("/players", headers=tag)
    assert (again.status_code, again.content) == (304, b"")
    assert "Cookie" in first.headers["vary"]
    ann = make_client("ann", app=stranger.app)
    own = ann.get("/players", headers=tag)
    assert own.status_code == 200
    assert own.headers["cache-control"] == "no-store"


def test_health_metrics_robots_and_icon(make_client):
    from starlette.testclient import TestClient

    client = make_client(open_reading=False)
    assert client.get("/health").json() == {"status": "ok"}
    assert client.get("/favicon.ico").headers["content-type"].startswith("image/svg")
    assert "Disallow: /\n" in client.get("/robots.txt").text
    assert "Disallow: /\n" not in make_client(public=True).get("/robots.txt").text
    assert client.get("/api/home").status_code == 401
    assert client.get("/metrics").status_code == 303
    here = TestClient(client.app, base_url="http://127.0.0.1", client=("127.0.0.1", 5000), follow_redirects=False)  # fmt: skip
    assert here.get("/metrics", headers={"X-Forwarded-For": "198.51.100.1"}).status_code == 303
    by_name = TestClient(
        make_client(hosts=("127.0.0.1", "club.example")).app,
        base_url="http://club.example",
        client=("127.0.0.1", 5000),
        follow_redirects=False,
    )  # fmt: skip
    assert by_name.get("/metrics").status_code == 303  # a server in front that names no client
    lines = here.get("/metrics").text.splitlines()
    assert 'arpad_http_requests_total{method="GET",route="/health",status="200"} 1' in lines
    assert any(line.startswith('arpad_http_request_seconds_bucket{le="+Inf"}') for line in lines)


def test_the_access_log_names_no_search(client, caplog):
    caplog.set_level("INFO", "arpad.web.access")
    client.get("/players?q=Kasparov")
    (line,) = [r.getMessage() for r in caplog.records if "/players" in r.getMessage()]
    assert "GET /players 200" in line
    assert "Kasparov" not in line


def test_a_cookie_of_https_has_the_prefix_that_binds_it_to_this_host(make_client):
    client = make_client(secure=True)
    answer = client.post("/sign-in", data={"name": "ann", "password": PASSWORDS["ann"]})
    assert answer.headers["set-cookie"].startswith("__Host-arpad-")
    sign_in(make_client(), "vic")


def test_an_address_that_would_fill_the_error_page_is_refused(make_client, caplog):
    client = make_client(open_reading=False, public=True)
    for address in (f"/{'x' * 60_000}", f"/players?q={'x' * 60_000}", f"/log/{'é' * 9_000}"):
        answer = client.get(address)
        assert answer.status_code == 414
        assert len(answer.content) < 100
    longest = client.get(f"/{'x' * 8_000}")
    assert longest.status_code == 404
    caplog.set_level("INFO", "arpad.web.access")
    client.get(f"/{'y' * 8_000}")
    assert max(len(record.getMessage()) for record in caplog.records) < 400


def test_a_page_asked_for_by_another_port_is_not_kept_for_the_next_reader(make_client):
    """The address of the picture for other sites begins with the name by which the page was asked for."""
    client = make_client(open_reading=False, public=True)
    for host in ("127.0.0.1:6666", "localhost", "127.0.0.1"):
        page = client.get("/players/1", headers={"Host": host}).text
        assert f'content="http://{host}/players/1/card.png"' in page


def test_the_picture_for_other_sites_lies_under_the_path_of_the_app(make_client):
    client = make_client(open_reading=False, public=True, root="/ratings")
    assert 'content="http://127.0.0.1/ratings/players/1/card.png"' in client.get("/ratings/players/1").text


def test_every_address_lies_under_the_path_of_the_app(make_client):
    client = make_client("ann", root="/ratings")
    pages = (
        "home",
        "players/1",
        "players/1/explain?policy=club",
        "games?q=%231",
        "lists",
        "events/1",
        "search?q=a",
    )
    kinds = set()
    for page in pages:
        found = re.findall(r'"(\w+)":"(/[^"]*)"', client.get(f"/ratings/api/{page}").text)
        kinds |= {name for name, _ in found}
        assert not [each for each in found if not each[1].startswith("/ratings/")]
    assert {"href", "explain", "everything", "all_events"} <= kinds
    assert client.get("/ratings/api/openapi.json").json()["servers"] == [{"url": "/ratings"}]


@pytest.mark.parametrize(
    "host", ["127.0.0.1:80@evil.example", "127.0.0.1@evil.example", "[::1]evil", "", "127.0.0.1:x"]
)
def test_what_is_no_host_name_is_refused(client, host):
    assert client.get("/players", headers={"Host": host}).status_code == 400
    assert client.get("/players", headers={"Host": "LocalHost:8000"}).status_code == 200
