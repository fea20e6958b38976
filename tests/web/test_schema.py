"""schemathesis asks for whatever the description allows, and for some of what it does not."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis.errors import Unsatisfiable

from arpad.web.app import make_app
from arpad.web.auth import WebSettings
from tests.web.conftest import sign_in, token

schemathesis = pytest.importorskip("schemathesis")

EXAMPLES = 3
"""Requests for each operation, of each sort."""


JSON = ("/api/", "/charts/")
REFUSED = {303, 400, 401, 403, 404, 409, 413, 422, 429}
"""What a form may answer besides its page: it went well, or there is a sentence that says why not."""


def checks(*, described: bool):
    """What is asked of an answer; forms and files answer with pages, which have no description as JSON."""
    from schemathesis.checks import not_a_server_error
    from schemathesis.specs.openapi import checks as openapi

    if not described:
        return [not_a_server_error]
    return [
        not_a_server_error,
        openapi.status_code_conformance,
        openapi.content_type_conformance,
        openapi.response_schema_conformance,
    ]


@pytest.mark.parametrize("who", [None, "ann"])
def test_whatever_is_asked_the_answer_is_as_described(club, who):
    from starlette.testclient import TestClient

    app = make_app(WebSettings(place=club, open_reading=True, title="Club", work=False))
    cookies: dict[str, str] = {}
    form = ""
    with TestClient(app, base_url="http://127.0.0.1", follow_redirects=False) as client:
        if who:
            sign_in(client, who)
            cookies, form = dict(client.cookies), token(client)
        described = schemathesis.openapi.from_asgi("/api/openapi.json", app, headers={"Host": "127.0.0.1"})
        operations = [result.ok() for result in described.get_all_operations()]
        assert len(operations) > 20
        faults = []
        for operation in operations:
            if (operation.method.lower(), operation.path) == ("post", "/sign-in"):
                continue  # its attempts are limited, and tests of its own attack it
            for mode in schemathesis.GenerationMode:
                try:
                    ask(operation, mode, cookies, form)
                except Unsatisfiable:
                    pass  # without parameters there is nothing that could be wrong
                except BaseExceptionGroup as group:
                    faults += [f"{operation.label} ({mode.value}): {each}" for each in group.exceptions]  # fmt: skip
                except Exception as error:
                    faults.append(f"{operation.label} ({mode.value}): {error!r}")
    assert not faults, "\n\n".join(faults)


def ask(operation, mode, cookies: dict[str, str], form: str) -> None:
    """Ask one operation for a few things that are allowed, or that are not."""

    @seed(1903)
    @settings(
        max_examples=EXAMPLES, deadline=None, database=None, phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )  # fmt: skip
    @given(case=operation.as_strategy(generation_mode=mode))
    def asked(case) -> None:
        if form and isinstance(case.body, dict):
            case.body["token"] = form
        described = operation.method.lower() == "get" and operation.path.startswith(JSON)
        answer = case.call(headers={"Host": "127.0.0.1"}, cookies=cookies, allow_redirects=False, timeout=120)
        case.validate_response(answer, checks=checks(described=described))
        if not described:
            assert answer.status_code in {200} | REFUSED
            assert b"Traceback" not in answer.content

    asked()
