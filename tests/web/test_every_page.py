"""Every page of the app: whoever asks, wherever a link leads, by keyboard, with and without scripts."""

from __future__ import annotations

import shutil
from urllib.parse import urlsplit

import jsonschema
import pytest

from arpad.web.app import make_app
from arpad.web.auth import WebSettings
from tests.web.conftest import PASSWORDS, sign_in
from tests.web.crawling import HERE, crawl, inside, kind, read_page

LEAST_KINDS = 30
"""Kinds of pages that there are at least: a crawl that finds fewer has lost its way."""


@pytest.fixture(scope="session")
def browser(_browser):
    """The browser itself: these tests open pages of their own kinds."""
    return _browser


@pytest.fixture(scope="session")
def answers(_demo, tmp_path_factory):
    """What an administrator is answered, for one address of every kind."""
    from starlette.testclient import TestClient

    place = shutil.copy(_demo, tmp_path_factory.mktemp("crawled") / "club.db")
    app = make_app(WebSettings(place=str(place), open_reading=True, title="Club", work=False))
    with TestClient(app, base_url=HERE, follow_redirects=False) as client:
        sign_in(client, "ann")
        yield client, crawl(client, each=1)


@pytest.fixture(scope="session")
def addresses(answers) -> list[str]:
    """One address of every kind of page, without what is downloaded and what programs read."""
    found: dict[str, str] = {}
    for address, (_, answer) in answers[1].items():
        html = answer.headers["content-type"].startswith("text/html")
        if html and answer.status_code == 200 and "/files/" not in address:
            found.setdefault(kind(address.partition("?")[0]), address)
    return [*found.values(), "/sign-in"]


def problems(answers) -> list[str]:
    """What is wrong with the answers of a crawl, one line each."""
    found = []
    for address, (source, answer) in answers.items():
        if answer.status_code != 200:
            found.append(f"{address} (a link on {source}): {answer.status_code}")
        elif answer.headers["content-type"].startswith("text/html"):
            found += [f"{address}: {fault}" for fault in faults_of(address, answer.text)]
    return found


def faults_of(address: str, text: str) -> list[str]:
    page = read_page(text)
    found = list(page.faults)
    if len(page.headings) != 1 or not page.headings[0]:
        found.append(f"headings {page.headings}")
    if not page.title:
        found.append("no title")
    if "/files/" not in address and 'id="main"' not in text:
        found.append("no main part that the first link could lead to")
    return found


@pytest.mark.parametrize("who", [None, "vic", "ann"])
def test_every_link_leads_to_a_page_that_is_well_made(make_client, who):
    client = make_client(who)
    answers = crawl(client, each=2 if who == "ann" else 1)
    assert len({kind(address) for address in answers}) >= LEAST_KINDS
    assert not problems(answers)


def test_who_may_not_decide_finds_no_form_that_decides(make_client):
    for who in (None, "vic"):
        for address, (_, answer) in crawl(make_client(who), each=1).items():
            if not answer.headers["content-type"].startswith("text/html") or "/files/" in address:
                continue
            forms = answer.text.count('method="post"')
            sign = who is not None or address.startswith("/sign-in")
            password = who is not None and address == "/account"
            assert forms == sign + password, f"{who} on {address}"


def test_every_page_has_a_twin_that_says_what_is_described(answers):
    client, crawled = answers
    described = client.get("/api/openapi.json").json()
    twins = 0
    for address, (_, answer) in crawled.items():
        if not answer.headers["content-type"].startswith("text/html") or "/files/" in address:
            continue
        twin = read_page(answer.text).twin
        if twin is None:
            assert address.startswith(("/sign-in", "/account")), f"{address} has no JSON twin"
            continue
        inner = inside(address, twin)
        said = client.get(inner)
        assert said.status_code == 200, inner
        check(said.json(), described, urlsplit(inner).path)
        twins += 1
    assert twins >= LEAST_KINDS // 2


def check(said, described, path: str) -> None:
    """Compare an answer with its description."""
    steps = path.split("/")
    fitting = [
        spec["get"]
        for template, spec in described["paths"].items()
        if "get" in spec and len(template.split("/")) == len(steps)
        and all(t == s or t.startswith("{") for t, s in zip(template.split("/"), steps, strict=True))
    ]  # fmt: skip
    assert fitting, f"{path} is not described"
    exact = next((s for p, s in described["paths"].items() if p == path), None)
    spec = exact["get"] if exact else fitting[0]
    schema = spec["responses"]["200"]["content"]["application/json"]["schema"]
    jsonschema.Draft202012Validator({**schema, "components": described["components"]}).validate(said)  # fmt: skip


def visit(browser, base: str, **options):
    """A page of a browser that keeps what it complains of, and every place that it asks."""
    context = browser.new_context(base_url=base, **options)
    page = context.new_page()
    page.complaints, page.asked = [], set()
    page.on("pageerror", lambda error: page.complaints.append(str(error)))
    page.on("console", lambda said: said.type == "error" and page.complaints.append(said.text))

    def route(route) -> None:
        page.asked.add(urlsplit(route.request.url).hostname)
        route.continue_()

    page.route("**/*", route)
    return page


def signed_in(page, who: str = "ann") -> None:
    page.goto("/sign-in")
    page.get_by_label("Name").fill(who)
    page.get_by_label("Password").fill(PASSWORDS[who])
    page.get_by_role("button", name="Sign in").click()


DRAWN = "() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"
"""Wait until what has come is laid out."""


@pytest.mark.chromium
@pytest.mark.parametrize(
    ("options", "with_axe"),
    [
        # axe is put into the page as a script, which the Content-Security-Policy would forbid.
        ({"viewport": {"width": 1280, "height": 900}, "bypass_csp": True}, True),
        ({"viewport": {"width": 390, "height": 844}, "color_scheme": "dark"}, False),
    ],
    ids=["big, with axe", "phone, dark, with its policy"],
)
def test_no_page_stands_in_anybodys_way(served, addresses, browser, options, with_axe):
    from axe_playwright_python.sync_playwright import Axe

    axe, found = Axe(), []
    page = visit(browser, served(work=False), **options)
    signed_in(page)
    for address in addresses:
        page.goto(address)
        page.evaluate(DRAWN)
        faults = [*too_wide(page), *(serious(axe, page) if with_axe else ())]
        found += [f"{address}: {each}" for each in faults]
    page.context.close()
    assert not found
    assert not page.complaints
    assert page.asked == {"127.0.0.1"}


def serious(axe, page) -> list[str]:
    """Return what axe finds that keeps people out."""
    return [
        f"{each['id']} ({each['impact']}): {[node['html'][:160] for node in each['nodes'][:2]]}"
        for each in axe.run(page).response["violations"]
        if each["impact"] in ("serious", "critical")
    ]


def too_wide(page) -> list[str]:
    """Return by how much a page does not fit."""
    over = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    return [f"{over} pixels wider than the window"] if over > 0 else []


ON_PAPER = """() => {
  const shown = e => e.checkVisibility({visibilityProperty: true, opacityProperty: true});
  const faults = [...document.querySelectorAll('nav, button, input, select, textarea, .button, footer')].filter(shown)
    .filter(e => e.type !== 'hidden').map(e => `<${e.tagName.toLowerCase()}> ${e.textContent.trim().slice(0, 30)} is printed`);
  const root = document.documentElement, over = root.scrollWidth - root.clientWidth;
  if (over > 0) faults.push(`${over} pixels are cut off`);
  const light = c => { const [r, g, b, a] = c.match(/[\\d.]+/g).map(Number); return a === 0 || r + g + b > 600; };
  for (const e of [document.body, ...document.querySelectorAll('main, main *:not(svg *)')]) {
    const style = getComputedStyle(e);
    if (!shown(e) || e.closest('svg')) continue;
    if (!light(style.backgroundColor)) faults.push(`<${e.tagName.toLowerCase()} class="${e.className}"> is dark`);
    if (light(style.color)) faults.push(`<${e.tagName.toLowerCase()}> is written in light letters`);
  }
  for (const head of document.querySelectorAll('thead'))
    if (getComputedStyle(head).display !== 'table-header-group') faults.push('a head of a table stands once');
  return [...new Set(faults)]; }"""
A4 = {"width": 695, "height": 1016}
"""Pixels of a sheet within its margins."""


@pytest.mark.chromium
def test_every_page_can_be_printed_also_by_night(served, addresses, browser):
    page = visit(browser, served(work=False), viewport=A4, color_scheme="dark")
    signed_in(page)
    page.emulate_media(media="print", color_scheme="dark")
    faults = []
    for address in addresses:
        page.goto(address)
        page.evaluate(DRAWN)
        faults += [f"{address}: {fault}" for fault in page.evaluate(ON_PAPER)]
    page.context.close()
    assert not faults


@pytest.mark.chromium
def test_every_page_says_the_same_without_scripts(served, addresses, browser):
    base = served(work=False)
    page = visit(browser, base, java_script_enabled=False)
    signed_in(page)
    for address in addresses:
        page.goto(address)
        assert page.locator("h1").inner_text().strip()
        assert page.locator("main").inner_text().strip()
    page.goto("/players")
    page.locator("main form input").first.fill("Novak")
    page.locator("main form button").first.click()
    page.get_by_role("link", name="Novak, Jan").wait_for()
    page.context.close()
    assert not page.complaints


FOCUSABLE = """() => [...document.querySelectorAll('a[href], button, input, select, textarea, summary, [tabindex="0"]')]
  .filter(e => e.type !== 'hidden' && !e.disabled && e.checkVisibility({visibilityProperty: true})).length"""
FOCUSED = """() => { const e = document.activeElement; if (e === document.body) return null;
  if (!e.dataset.order) e.dataset.order = (window.order = (window.order || 0) + 1);
  const s = getComputedStyle(e); return [e.dataset.order, s.outlineStyle !== 'none' || s.boxShadow !== 'none']; }"""


@pytest.mark.chromium
def test_everything_is_reached_by_keyboard(served, browser):
    page = visit(browser, served(work=False), viewport={"width": 1280, "height": 900})
    signed_in(page)
    for address in ("/", "/lists/club/2026-12", "/pool/exchange", "/queue"):
        page.goto(address)
        page.evaluate(DRAWN)
        there = page.evaluate(FOCUSABLE)
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.className") == "skip", address
        reached = set()
        for _ in range(there + 2):
            focus = page.evaluate(FOCUSED)
            if focus is None:
                break
            assert focus[1], f"{address}: what has the focus does not show it"
            reached.add(focus[0])
            page.keyboard.press("Tab")
        there = max(there, page.evaluate(FOCUSABLE))  # a script may have added a control meanwhile
        # A group of radio buttons is one stop.
        radios = page.locator("input[type=radio]").count()
        assert there - radios <= len(reached) <= there, address
    page.goto("/")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "main"
    page.context.close()
    assert not page.complaints
