"""Read pages as a browser does: what they link to, and whether they are well made."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from html.parser import HTMLParser
from urllib.parse import parse_qsl, urljoin, urlsplit

VOID = {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"}  # fmt: skip
BLOCKS = {
    "address", "article", "aside", "details", "div", "dl", "fieldset", "figure", "footer", "form", "h1", "h2", "h3",
    "header", "hr", "main", "nav", "ol", "p", "pre", "section", "table", "ul",
}  # fmt: skip
INTERACTIVE = {"a", "button", "input", "select", "textarea", "label", "summary"}
PARENTS = {
    "li": {"ul", "ol"}, "dt": {"dl", "div"}, "dd": {"dl", "div"}, "tr": {"thead", "tbody", "tfoot"},
    "td": {"tr"}, "th": {"tr"}, "thead": {"table"}, "tbody": {"table"}, "tfoot": {"table"}, "caption": {"table"},
    "option": {"select", "optgroup", "datalist"}, "summary": {"details"}, "figcaption": {"figure"}, "legend": {"fieldset"},
}  # fmt: skip
HERE = "http://127.0.0.1"


@dataclass
class Read:
    """One page: where it leads, and what is wrong with it."""

    links: list[str] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    headings: list[str] = field(default_factory=list)
    title: str = ""
    twin: str | None = None


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.found = Read()
        self.open: list[str] = []
        self.ids: Counter[str] = Counter()
        self.fors: list[str] = []
        self.heading: str | None = None
        self.href = ""

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        told = dict(attributes)
        self._nesting(tag)
        if len(told) < len(attributes):
            self._fault(f"<{tag}> has an attribute twice: {attributes}")
        for name in told:
            if name.startswith("on") or name == "style":
                self._fault(f"<{tag} {name}=…> is forbidden by the Content-Security-Policy")
        if tag == "script" and not told.get("src"):
            self._fault("a script in the page itself")
        if tag == "img" and "alt" not in told:
            self._fault("an <img> without alt")
        if told.get("id"):
            self.ids[told["id"] or ""] += 1
        if tag == "label" and told.get("for"):
            self.fors.append(told["for"] or "")
        if tag == "th" and not told.get("scope") and self.open[-1:] == ["tr"]:
            self._fault("a <th> without scope")
        if tag == "a" and told.get("href"):
            self.href = told["href"] or ""
            self.found.links.append(self.href)
        if tag == "form" and (told.get("method") or "get").lower() == "get" and told.get("action"):
            self.found.links.append(told["action"] or "")
        if tag in ("h1", "title"):
            self.heading = ""
        if tag not in VOID:
            self.open.append(tag)

    def _nesting(self, tag: str) -> None:
        if tag in BLOCKS and "p" in self.open:
            self._fault(f"<{tag}> within <p>")
        if tag in ("a", "button", "form", "label") and tag in self.open:
            self._fault(f"<{tag}> within <{tag}>")
        if tag in INTERACTIVE - {"label"} and {"a", "button"} & set(self.open):
            self._fault(f"<{tag}> within <a> or <button>")
        allowed = PARENTS.get(tag)
        if allowed and (not self.open or self.open[-1] not in allowed):
            self._fault(f"<{tag}> within <{self.open[-1] if self.open else 'nothing'}>")

    def handle_startendtag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        if "svg" in self.open or tag in VOID:
            self.handle_starttag(tag, attributes)
            if tag not in VOID:
                self.open.pop()
        else:
            self._fault(f"<{tag}/> closes itself")

    def handle_endtag(self, tag: str) -> None:
        if not self.open or self.open[-1] != tag:
            self._fault(f"</{tag}> closes {self.open[-3:]}")
            return
        self.open.pop()
        if tag == "h1":
            self.found.headings.append((self.heading or "").strip())
        elif tag == "title" and "svg" not in self.open:
            self.found.title = (self.heading or "").strip()
        if tag in ("h1", "title"):
            self.heading = None

    def handle_data(self, data: str) -> None:
        if self.heading is not None:
            self.heading += data
        if data.strip() == "This page as JSON":
            self.found.twin = self.href

    def _fault(self, words: str) -> None:
        self.found.faults.append(f"line {self.getpos()[0]}: {words}")


def read_page(text: str) -> Read:
    """Return where a page leads and what is wrong with it."""
    reader = _Reader()
    reader.feed(text)
    reader.close()
    found = reader.found
    if reader.open:
        found.faults.append(f"never closed: {reader.open}")
    found.faults += [f"id {name!r} {n} times" for name, n in reader.ids.items() if n > 1]
    found.faults += [f"a label for {name!r}, which is not there" for name in reader.fors if name not in reader.ids]  # fmt: skip
    return found


def kind(address: str) -> str:
    """Return what sort of page an address is: numbers and names of lists are all alike.

    >>> kind("/players/12?policy=club"), kind("/lists/club/2026-12")
    ('/players/#?policy', '/lists/*/*')
    """
    parts = urlsplit(address)
    steps = [re.sub(r"^\d+$", "#", step) for step in parts.path.split("/")]
    if steps[1:2] == ["lists"]:
        steps = [*steps[:2], *("*" for _ in steps[2:4]), *steps[4:]]
    query = "&".join(sorted({name for name, _ in parse_qsl(parts.query, keep_blank_values=True)}))
    return "/".join(steps) + (f"?{query}" if query else "")


def inside(address: str, link: str) -> str | None:
    """Return where a link leads within the app, without its fragment; None: elsewhere, or nowhere."""
    whole = urlsplit(urljoin(HERE + address, link))
    if f"{whole.scheme}://{whole.netloc}" != HERE:
        return None
    return whole.path + (f"?{whole.query}" if whole.query else "")


def crawl(client, *, each: int = 2, start: str = "/") -> dict[str, tuple[str, object]]:
    """Ask for pages from the first one on, `each` of every kind; give what was answered by address.

    Returns address → (where the link was found, answer).
    """
    answers: dict[str, tuple[str, object]] = {}
    seen: Counter[str] = Counter()
    waiting = [(start, "")]
    queued = {start}
    while waiting:
        address, source = waiting.pop(0)
        if seen[kind(address)] >= each:
            continue
        seen[kind(address)] += 1
        answer = client.get(address)
        answers[address] = (source, answer)
        if not answer.headers["content-type"].startswith("text/html"):
            continue
        for link in read_page(answer.text).links:
            further = inside(address, link)
            if further is not None and further not in queued:
                queued.add(further)
                waiting.append((further, address))
    return answers
