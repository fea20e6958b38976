"""Behind a server in front: the files of deploy/ are valid, and the app works behind a real nginx, under a path too."""

from __future__ import annotations

import http.client
import re
import shlex
import shutil
import socket
import ssl
import subprocess
import time
from pathlib import Path

import pytest
import typer
import yaml
from typer.main import get_command

from arpad.cli.housekeeping import serve
from arpad.errors import UsageError
from arpad.ledger.accounts import sessions_of
from arpad.ledger.db.ledger import Ledger
from arpad.web.app import settings_for
from tests.web.conftest import PASSWORDS

DEPLOY = Path(__file__).parents[2] / "deploy"
NAME = "ratings.club.example"


def program(name: str) -> str:
    where = shutil.which(name) or shutil.which(name, path="/usr/sbin:/usr/bin")
    if where is None:
        pytest.skip(f"no {name}: apt-get install {name}")
    return where


def commands() -> list[list[str]]:
    """Every `arpad serve` of the files, as somebody copies it."""
    lines = [
        line for path in DEPLOY.iterdir() for line in path.read_text().splitlines() if "arpad serve " in line
    ]
    found = [shlex.split(re.split(r"arpad serve ", line)[1].split(", then")[0]) for line in lines]
    compose = yaml.safe_load((DEPLOY / "compose.yaml").read_text())["services"]["web"]["command"]
    container = re.search(r'CMD \["serve", (.*)\]\n$', (DEPLOY / "Containerfile").read_text())[1]
    return [*found, shlex.split(compose)[1:], [part.strip(' "') for part in container.split(",")]]


def test_every_command_of_the_files_is_one_that_arpad_takes():
    app = typer.Typer()
    app.command()(serve)
    verb = get_command(app)
    assert len(commands()) >= 5
    for arguments in commands():
        taken = verb.make_context("serve", list(arguments)).params
        assert not taken["files"], arguments


def test_the_compose_file_says_what_the_app_needs():
    whole = yaml.safe_load((DEPLOY / "compose.yaml").read_text())
    web, inside = whole["services"]["web"], whole["networks"]["inside"]["ipam"]["config"][0]["subnet"]
    assert f"--proxy {inside}" in web["command"]  # only the server in front is believed
    assert "ports" not in web  # nobody reaches the app but through it
    assert web["depends_on"]["ledger"]["condition"] == "service_healthy"
    assert web["environment"]["ARPAD_DB"].startswith("postgresql://arpad:${POSTGRES_PASSWORD}@ledger/")
    assert (DEPLOY.parent / web["build"]["dockerfile"]).is_file()
    assert set(whole["volumes"]) == {"ledger", "certificates"}


def test_the_caddyfile_is_valid(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    command = [program("caddy"), "validate", "--adapter", "caddyfile", "--config", str(DEPLOY / "Caddyfile")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_the_systemd_unit_is_valid(tmp_path):
    unit = tmp_path / "arpad.service"
    text = (DEPLOY / "arpad.service").read_text()
    assert "ExecStart=/opt/arpad/bin/arpad serve" in text
    unit.write_text(text.replace("/opt/arpad/bin/arpad", "/bin/true"))
    done = subprocess.run(
        [program("systemd-analyze"), "verify", str(unit)], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")


@pytest.fixture
def nginx(tmp_path):
    """Start nginx with the file of deploy/ in front of an app: nginx(address, path) → its port."""
    binary, servers = program("nginx"), []
    key, certificate = tmp_path / "key.pem", tmp_path / "certificate.pem"
    subprocess.run(
        [program("openssl"), "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", f"/CN={NAME}",
         "-keyout", str(key), "-out", str(certificate)], check=True, capture_output=True,
    )  # fmt: skip

    def start(address: str, path: str = "/") -> int:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        text = (DEPLOY / "nginx.conf").read_text().replace("listen 443", f"listen 127.0.0.1:{port}")
        text = re.sub(r"/etc/letsencrypt\S+fullchain\.pem", str(certificate), text)
        text = re.sub(r"/etc/letsencrypt\S+privkey\.pem", str(key), text)
        text = text.replace("http://127.0.0.1:8000", address).replace("location / {", f"location {path} {{")
        folders = "".join(
            f"{kind}_temp_path {tmp_path}/{kind};\n"
            for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
        )
        (tmp_path / "nginx.conf").write_text(
            f"daemon off;\nmaster_process off;\npid {tmp_path}/pid;\nerror_log stderr;\nevents {{}}\n"
            f"http {{\naccess_log off;\n{folders}{text}}}\n"
        )
        command = [binary, "-p", str(tmp_path), "-c", str(tmp_path / "nginx.conf")]
        checked = subprocess.run([*command, "-t"], capture_output=True, text=True, check=False)
        assert checked.returncode == 0, checked.stderr
        servers.append(subprocess.Popen(command, stderr=subprocess.DEVNULL))
        for _ in range(200):
            try:
                socket.create_connection(("127.0.0.1", port), 1).close()
                break
            except OSError:
                time.sleep(0.05)
        return port

    yield start
    for each in servers:
        each.terminate()
        each.wait(10)


def ask(port: int, method: str, path: str, body: str = "", **headers: str) -> tuple[int, dict[str, str], str]:
    """Send a request as a browser sends it that was told the name of the server."""
    context = ssl._create_unverified_context()
    connection = http.client.HTTPSConnection("127.0.0.1", port, timeout=60, context=context)
    sent = {"Host": NAME, "Content-Type": "application/x-www-form-urlencoded", **headers}
    connection.request(method, path, body or None, sent)
    answer = connection.getresponse()
    content = answer.read().decode()
    connection.close()
    return answer.status, {k.lower(): v for k, v in answer.getheaders()}, content


@pytest.mark.parametrize("root", ["", "/ratings"])
def test_behind_nginx_forms_links_and_addresses_are_right(club, served, nginx, root):
    address = served(open_reading=False, public=True, secure=True, root=root, hosts=("127.0.0.1", NAME), proxies=("127.0.0.1",))  # fmt: skip
    port = nginx(address, f"{root}/")
    form = f"name=ann&password={PASSWORDS['ann'].replace(' ', '+')}&to=/players"
    forged = {"X-Forwarded-For": "203.0.113.9", "Origin": f"https://{NAME}"}
    status, headers, _ = ask(port, "POST", f"{root}/sign-in", form, **forged)
    assert (status, headers["location"]) == (303, f"{root}/players")
    assert "max-age" in headers["strict-transport-security"]
    cookie = headers["set-cookie"].partition(";")[0]
    assert cookie.startswith("__Host-arpad-")
    with Ledger.open(club) as ledger, ledger.reading() as connection:
        assert [each.address for each in sessions_of(connection, 1)] == ["127.0.0.1"]  # what nginx saw
    assert ask(port, "POST", f"{root}/sign-in", form, Origin="https://evil.example")[0] == 400
    links: set[str] = set()
    for path in ("/", "/players/1", "/lists/club/2026-11", "/events/1", "/account"):
        status, _, page = ask(port, "GET", root + path, Cookie=cookie)
        assert status == 200, path
        there = re.findall(r' (?:href|src|action|data-[a-z]+)="(/[^"]*)"', page)
        assert [link for link in there if not link.startswith(f"{root}/")] == []
        links |= {link.partition("?")[0] for link in re.findall(r' (?:href|src)="(/[^"]*)"', page)}
    shown = [link for link in sorted(links) if re.search(r"/(assets/.*|players|events/1|lists|queue)$", link)]
    assert len(shown) > 5
    for link in shown:
        assert ask(port, "GET", link, Cookie=cookie)[0] == 200, link
    twin = ask(port, "GET", f"{root}/api/queue", Cookie=cookie)[2]
    assert re.findall(r'"href":"/', twin) == re.findall(rf'"href":"{root}/', twin)
    style = next(link for link in links if link.endswith("style.css"))
    assert "immutable" in ask(port, "GET", style)[1]["cache-control"]


def test_a_path_that_is_none_is_refused(club):
    assert settings_for(str(club), host="127.0.0.1", root="/a/b/").root == "/a/b"
    for wrong in ("ratings", "/a b", '/"><script>', "//evil.example"):
        with pytest.raises(UsageError, match="expected a path"):
            settings_for(str(club), host="127.0.0.1", root=wrong)
