"""Find words in docs, comments, docstrings and messages that a reader of plain English has to look up.

``python tools/word_check.py`` reads README.md, CHANGELOG.md, CONTRIBUTING.md, docs and src; other files
or folders can be named instead. Code does not count. ``--rare COPY`` compares the rare words of an
earlier copy of the repository with those of today; it needs the package wordfreq.
"""

from __future__ import annotations

import io
import re
import sys
import tokenize
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

ROOT = Path(__file__).parent.parent
ROOTS = ("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "docs", "src")
GENERATED = {ROOT / "docs" / "commands.md"}
"""Pages made from docstrings and help texts: their words are changed in src."""

INSTEAD = {
    r"abode|dwells?": "place, is in",
    r"anew|afresh": "again",
    r"(?<!-)ancestors?": "historical systems",
    r"asunder": "apart",
    r"behold": "see",
    r"bespoke": "own",
    r"betwixt": "between",
    r"borne out|bears? out": "confirmed, confirms",
    r"by hearsay|at third hand": "from secondary sources",
    r"for good": "permanently",
    r"for want of": "without",
    r"foretell(s|ing|er)?|foretold": "predict, forecast",
    r"forthwith": "at once",
    r"henceforth|hence": "so, from then on",
    r"herein|hereof|hereto|hereby|herewith": "in this, of this",
    r"heretofore|hitherto": "until now",
    r"is of a piece with": "agrees with",
    r"learnt": "learned",
    r"lest": "so that … not",
    r"likeness(es)?": "similarity",
    r"mends?|mended|mending": "correct, repair",
    r"mishaps?": "errors",
    r"moreover": "also",
    r"notwithstanding": "despite",
    r"nought|naught": "nothing, 0",
    r"of old": "earlier",
    r"ought": "should",
    r"perchance": "perhaps",
    r"reckon(s|ed|ing)?": "calculate, count",
    r"save for": "except",
    r"seldom": "rarely",
    r"so as not to": "so that … not",
    r"stands? for itself": "is independent",
    r"such as it is|as it stands": "unchanged",
    r"thence|whence": "from there, from where",
    r"thereafter": "after that",
    r"thereby|therein|thereof|thereto|therewith": "by it, in it, of it, to it",
    r"thither|whither|hither": "there, where, here",
    r"thrice": "three times",
    r"tidings": "news",
    r"to wit": "that is",
    r"troubles": "errors",
    r"unto|upon": "to, on",
    r"wherein|whereof|whereby|whereupon|wherefore": "in which, of which, by which",
    r"whichever": "any, the one that",
    r"whilst|amidst|amongst": "while, amid, among",
    r"who comes (sooner|later|first)": "name the person",
    r"whoever|whomever|whosoever": "anybody who, a player who",
    r"yonder": "there",
}
PATTERN = re.compile(rf"\b(?:{'|'.join(INSTEAD)})\b", re.IGNORECASE)
FENCE = re.compile(r"^ *(```|~~~).*?^ *\1", re.MULTILINE | re.DOTALL)
CODE = re.compile(r"`[^`\n]*`")
TEXT = {tokenize.COMMENT, tokenize.STRING, getattr(tokenize, "FSTRING_MIDDLE", tokenize.STRING)}


class Finding(NamedTuple):
    """An uncommon word: where it is and what to write instead."""

    path: Path
    line: int
    word: str
    instead: str

    def __str__(self) -> str:
        """Return the finding as one line, as compilers print them."""
        return f"{self.path}:{self.line}: {self.word}: write {self.instead}"


def files(roots: Iterable[str | Path] = ROOTS) -> Iterator[Path]:
    """Yield the text files under the roots, which are relative to the repository."""
    for root in roots:
        path = ROOT / root
        found = [path] if path.is_file() else sorted(path.rglob("*"))
        yield from (p for p in found if p.suffix in {".md", ".py", ".html"} and p not in GENERATED)


def check_text(text: str, path: Path = Path("text.md")) -> list[Finding]:
    """Return the uncommon words of one text; code does not count."""
    if path.suffix == ".py":
        text = _prose(text)
    for code in (FENCE, CODE):
        text = code.sub(lambda m: re.sub(r"[^\n]", " ", m[0]), text)
    return [
        Finding(path, text.count("\n", 0, match.start()) + 1, match[0], _replacement(match[0]))
        for match in PATTERN.finditer(text)
    ]


def check(roots: Iterable[str | Path] = ROOTS) -> list[Finding]:
    """Return the uncommon words of all files under the roots."""
    found = []
    for path in files(roots):
        found += check_text(path.read_text(encoding="utf-8"), path.relative_to(ROOT))
    return found


def _prose(code: str) -> str:
    """Return the comments, docstrings and messages of a module, each on the line where it begins."""
    lines = [""] * (code.count("\n") + 2)
    for token in tokenize.generate_tokens(io.StringIO(code).readline):
        if token.type in TEXT and " " in token.string:
            text = re.sub(r"\\n|\{[^{}\n]*\}", "  ", token.string)
            for number, line in enumerate(text.split("\n"), token.start[0] - 1):
                lines[number] += f" {line}"
    return "\n".join(lines)


RARE = 3.3
"""Zipf frequency below which a word is rare: less than two of a million words of English text."""
NAMES = {
    "arpad",
    "bcf",
    "berkin",
    "ccla",
    "csv",
    "elo",
    "eval",
    "fide",
    "glicko",
    "ingo",
    "ipr",
    "json",
    "pra",
    "svg",
    "tolist",
    "uscf",
    "whr",
}
NO_PROSE = re.compile(
    r"noqa\b|fmt: \w+|type: ignore\S*|https?://\S+|\w+[_./]\w[\w./]*|--[\w-]+|<[^>]*>|\{[%{].*?[%}]\}|['’]s\b"
)


def count(root: Path) -> Counter[str]:
    """Return how often each word stands in the prose of a copy of the repository, in small letters."""
    words: Counter[str] = Counter()
    for name in ("README.md", "CONTRIBUTING.md", "docs", "src"):
        place = root / name
        for path in [place] if place.is_file() else sorted(place.rglob("*")):
            if path.suffix not in {".md", ".py", ".html"} or path.name == "commands.md":
                continue
            text = path.read_text(encoding="utf-8")
            for code in (FENCE, CODE, NO_PROSE):
                text = code.sub(" ", _prose(text) if path.suffix == ".py" and code is FENCE else text)
            words.update(re.findall(r"\b[a-z]{3,}\b", text))
    return words


def rare_words(before: Path, most: int = 60) -> list[tuple[str, int, int]]:
    """Return the most frequent rare words of an earlier copy, with their counts then and now."""
    from wordfreq import zipf_frequency

    old, new = count(before), count(ROOT)
    rare = [word for word in old if word not in NAMES and zipf_frequency(word, "en") < RARE]
    return [(word, old[word], new[word]) for word in sorted(rare, key=lambda w: (-old[w], w))[:most]]


def _replacement(word: str) -> str:
    return next(new for old, new in INSTEAD.items() if re.fullmatch(old, word, re.IGNORECASE))


if __name__ == "__main__":
    if sys.argv[1:2] == ["--rare"]:
        print(*(f"{word} {old} {new}" for word, old, new in rare_words(Path(sys.argv[2]))), sep="\n")
        sys.exit()
    findings = check(sys.argv[1:] or ROOTS)
    print(*findings, sep="\n", end="\n" if findings else "")
    sys.exit(1 if findings else 0)
