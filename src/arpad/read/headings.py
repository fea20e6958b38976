"""Column headings in two dozen languages and the columns they stand for."""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections import defaultdict
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from arpad.errors import InputError, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence


Side = Literal["white", "black"]


class Heading(NamedTuple):
    """Meaning of a heading: a field, and the player it belongs to, if it names one."""

    field: str
    side: Side | None = None


WORDS: dict[str, Any] = tomllib.loads((files("arpad.read") / "words.toml").read_text("utf-8"))
"""Words in ten languages, by what they mean."""
_SIDE_WORDS: dict[Side, list[str]] = {
    "white": WORDS["sides"]["white"].split(),
    "black": WORDS["sides"]["black"].split(),
}
_NUMBERED: dict[str, Side] = dict.fromkeys(WORDS["sides"]["first"].split(), "white")
_NUMBERED |= dict.fromkeys(WORDS["sides"]["second"].split(), "black")
"""Who stands first has White, as tables of matches have it."""
_INITIALS: dict[str, Side] = {"w": "white", "b": "black"}
_PAIRS = WORDS["sides"]["letters"].split()
"""Headings of one letter: White and Black in nine languages."""
_RESULT_LANGUAGES = {
    word: tuple(languages.split())
    for languages, words in WORDS["languages_of_results"].items()
    for word in words.split()
}
_SIDE_LANGUAGES = {language: words.split() for language, words in WORDS["languages_of_sides"].items()}
_NAMES = ("surname", "name", "forename")
_SIDED = ("name", "rating", "id", "title", "federation", "birth", "surname", "forename")
_EXTRAS: dict[str, frozenset[str]] = {
    field: frozenset(words.split())
    for fields, words in WORDS["beside_headings"].items()
    for field in fields.split()
}
"""Words that add nothing to a heading of some fields: the number of the round, the date of the game, the FIDE rating."""
_LITTLE = _EXTRAS.pop("any")


def plain_words(text: str) -> tuple[str, ...]:
    """Return the words of a heading in small letters without accents; ``WhiteElo`` has two.

    Examples
    --------
    >>> plain_words("Elo-Weiß"), plain_words("WhiteFideId"), plain_words("Рейтинг чёрных")
    (('elo', 'weiss'), ('white', 'fide', 'id'), ('реитинг', 'черных'))
    """
    text = re.sub(r"(?<=[a-zß-ÿ0-9])(?=[A-Z][a-z])", " ", text.strip())
    plain = unicodedata.normalize("NFKD", text).replace("ł", "l").replace("Ł", "L").casefold()
    plain = "".join(c for c in plain if not unicodedata.combining(c))
    return tuple(re.findall(r"[^\W_]+", plain))


_FIELD_OF: dict[str, str] = {
    " ".join(plain_words(words)): field
    for field, texts in WORDS["headings"].items()
    for words in texts.split(",")
}
_SIDES = {plain_words(word)[0]: side for side, words in _SIDE_WORDS.items() for word in words}


def side_of(word: str) -> Side | None:
    """Return whose side a word of `plain_words` speaks of: ``weiss``, ``noirs``, ``белых``."""
    return _SIDES.get(word)


def heading(text: str, initials: Mapping[str, Side] | None = None) -> Heading | None:  # noqa: C901, PLR0911 - one a way of writing
    """Return what a heading means, None where this module does not know it.

    `initials`: What single letters beside a field mean; W is White and B Black unless the table says
    otherwise.

    Examples
    --------
    >>> heading("Weiß"), heading("Elo Schwarz"), heading("Résultat"), heading("Тур")
    (Heading(field='name', side='white'), Heading(field='rating', side='black'), Heading(field='result', side=None), Heading(field='round', side=None))
    """
    if not any(map(str.isalpha, text)):
        return None
    words = [*plain_words(text)]
    if field := _FIELD_OF.get(" ".join(words)):
        return Heading(field)
    side = next((_SIDES[w] for w in words if w in _SIDES), None)
    if side is not None:
        words = [w for w in words if w not in _SIDES]
    elif len(words) > 1:
        side = next((_NUMBERED[w] for w in words if w in _NUMBERED), None)
        words = [w for w in words if w not in _NUMBERED] if side else words
    elif words and words[0] in _NUMBERED and not words[0].isdecimal():
        return Heading("name", _NUMBERED[words[0]])
    elif words and (numbered := re.fullmatch(r"(\D+)([12])", words[0])):
        words, side = [numbered[1]], _NUMBERED[numbered[2]]
        return Heading("name", side) if _FIELD_OF.get(words[0]) == "name" else None
    if side is None and (initialled := _initialled(words, initials or _INITIALS)):
        return initialled
    if side is not None and not words:
        return Heading("name", side)
    field = _field_of(words)
    if field is None and "(" in text:
        return heading(re.sub(r"\([^)]*\)?", " ", text), initials)
    if field is not None:
        return Heading(field, side)
    return Heading("name", side) if side and not set(words) - _LITTLE else None


def _field_of(words: Sequence[str]) -> str | None:
    """Return the field of which some words speak, with or without words that add nothing."""
    plain = [word for word in words if word not in _LITTLE]
    for kept in (words, plain):
        if field := _FIELD_OF.get(" ".join(kept)):
            return field
    for field, extras in _EXTRAS.items():
        if _FIELD_OF.get(" ".join(word for word in plain if word not in extras)) == field:
            return field
    return None


def _initialled(words: Sequence[str], initials: Mapping[str, Side]) -> Heading | None:
    """Return what ``W Elo``, ``BElo`` or ``Rating W`` speaks of: W and B count only beside a field."""
    if len(words) == 1 and words[0][:1] in initials:
        words = [words[0][0], words[0][1:]]
    for initial, rest in ((words[0], words[1:]), (words[-1], words[:-1])) if words else ():
        field = _FIELD_OF.get(" ".join(rest))
        if initial in initials and field in (*_SIDED[1:], "points", "score", "result"):
            return Heading(field, initials[initial])
    return None


def _initials(found: Sequence[str]) -> Mapping[str, Side]:
    """Return what single letters mean beside the headings of a table: B is Blancas where Negras is beside it."""
    first: dict[Side, str] = {}
    for name in found:
        spoken = heading(name)
        if spoken and spoken.field in _NAMES and spoken.side:
            for word in plain_words(name):
                if word in _SIDES:
                    first.setdefault(spoken.side, word[:1])
    if not first:
        letters = {word for name in found for word in plain_words(name) if len(word) == 1}
        pair = next((pair for pair in _PAIRS if set(pair) <= letters), "wb")
        first = {"white": pair[0], "black": pair[1]}
    return {letter: side for side, letter in first.items() if letter} or _INITIALS


def languages_of(*texts: str) -> tuple[str, ...]:
    """Return the languages in which the heading of White, else that of the results, is written."""
    words = [word for text in texts for word in plain_words(text)]
    of_sides = [language for word in words for language, known in _SIDE_LANGUAGES.items() if word in known]
    return tuple(of_sides[:1]) or next((_RESULT_LANGUAGES[w] for w in words if w in _RESULT_LANGUAGES), ())


# The column names of tables of games, and what other people call them.

COLUMNS: dict[str, str] = WORDS["columns"]
"""The documented columns; `white`, `black` and one of `score`, `result` or both goals are needed."""
ALIASES = WORDS["aliases"] | {
    f"{side}_{theirs}": f"{side}_{ours}"
    for side in ("white", "black")
    for theirs, ours in (("elo", "rating"), ("fide_id", "id"), ("fideid", "id"), ("fed", "federation"))
}
_ALONE = ("result", "score", "date", "round", "event", "site")
_OUTCOMES = frozenset({"score", "result", "white_goals", "black_goals"})


class HeadingsError(InputError):
    """The headings of a table do not say which column is what.

    `missing` are columns of ours that no heading speaks of, `choices` those that several speak of, with these
    headings; `proposal` is a whole mapping, to be confirmed or changed.
    """

    def __init__(
        self,
        *,
        file: str | None,
        line: int | None = None,
        found: Sequence[str],
        missing: Sequence[str] = (),
        choices: Mapping[str, Sequence[str]] | None = None,
        proposal: Mapping[str, str] | None = None,
    ) -> None:
        self.found = tuple(found)
        self.missing = tuple(missing)
        self.choices = {ours: tuple(theirs) for ours, theirs in (choices or {}).items()}
        self.proposal = dict(proposal or {})
        if self.choices:
            ours, theirs = next(iter(self.choices.items()))
            why = f"expected one column for {ours}, found {', '.join(map(repr, theirs))}: choose one"
        else:
            wanted = " and ".join(self.missing)
            why = f"expected a column for {wanted}; found {', '.join(found) or 'no columns'}"
        super().__init__(why, file=file, line=line)


def own_names(headings: Iterable[str | None]) -> list[str]:
    """Give every column a name of its own: ``Elo, Elo`` become ``Elo, Elo (2)``; one without, its number."""
    names: list[str] = []
    for at, given in enumerate(headings, start=1):
        name = (given or "").strip() or f"column {at}"
        count = 1
        while name in names:
            count += 1
            name = f"{(given or '').strip()} ({count})"
        names.append(name)
    return names


def resolve(found: Iterable[str], asked: Mapping[str, str] | None, file: str) -> dict[str, str]:  # noqa: C901
    """Return which of the `found` columns is what: ``{ours: theirs}``.

    `asked`: What the caller says; it comes before any guess.
    """
    found = list(found)
    mapping: dict[str, str] = {}
    for ours, theirs in (asked or {}).items():
        if ours not in COLUMNS:
            raise UsageError(f"columns: expected one of {', '.join(COLUMNS)}; found {ours!r}")
        if theirs not in found:
            raise UsageError(f"columns: {file} has no column {theirs!r}; it has {', '.join(found)}")
        mapping[ours] = theirs
    # An outcome that the caller names is the outcome: do not look for another one beside it.
    settled = set(mapping) | (_OUTCOMES if _OUTCOMES & set(mapping) else set())
    for theirs in found:
        name = _plain(theirs)
        ours = ALIASES.get(name, name)
        if ours in COLUMNS and ours not in settled and ours not in mapping:
            mapping[ours] = theirs
    options = _by_heading([name for name in found if name not in mapping.values()], settled, mapping)
    mapping.update({ours: theirs[0] for ours, theirs in options.items()})
    if "score" in mapping:
        mapping.pop("result", None)
    # A month beside a year is one of twelve; alone it is counted from the first.
    if "month" not in (asked or {}) and ("date" in mapping or "year" in map(_plain, found)):
        mapping.pop("month", None)
    for side in ("white", "black"):  # players by their ids alone
        if side not in mapping and f"{side}_id" in mapping:
            mapping[side] = mapping[f"{side}_id"]
    mapping = {ours: mapping[ours] for ours in COLUMNS if ours in mapping}
    mapping |= {} if asked else _between(found, mapping)
    missing = _missing(mapping)
    if missing:
        raise HeadingsError(
            file=file, found=found, missing=missing, proposal=_proposal(found, mapping, missing)
        )
    several = {ours: theirs for ours, theirs in options.items() if len(theirs) > 1 and ours in mapping}
    if several:
        raise HeadingsError(file=file, found=found, choices=several, proposal=mapping)
    return mapping


def _between(found: Sequence[str], mapping: Mapping[str, str]) -> dict[str, str]:
    """Return the column without a heading between White and Black as that of the results, if there is no other."""
    if _missing(mapping) != ["result"] or any(re.fullmatch(r"[\d.,]+", name) for name in found):
        return {}
    low, high = sorted(found.index(mapping[side]) for side in ("white", "black"))
    between = found[low + 1 : high]
    return {"result": between[0]} if len(between) == 1 and between[0].startswith("column ") else {}


def _missing(mapping: Mapping[str, str]) -> list[str]:
    missing = [side for side in ("white", "black") if side not in mapping]
    if not ({"score", "result"} & set(mapping) or {"white_goals", "black_goals"} <= set(mapping)):
        missing.append("result")
    return missing


def _by_heading(found: Sequence[str], settled: set[str], mapping: Mapping[str, str]) -> dict[str, list[str]]:  # noqa: C901, PLR0912
    """Return which headings, as people write them, speak of which columns that are not found yet."""
    options: dict[str, list[str]] = defaultdict(list)
    sideless: dict[str, list[str]] = defaultdict(list)
    points: dict[str, list[str]] = defaultdict(list)
    initials = _initials([*found, *mapping.values()])
    for theirs in found:
        spoken = heading(re.sub(r" \(\d+\)$", "", theirs), initials)
        if spoken is None:
            continue
        if spoken.field in _SIDED and spoken.side:
            options[_sided(spoken)].append(theirs)
        elif spoken.field in _SIDED:
            sideless[spoken.field].append(theirs)
        elif spoken.field == "round" and "round" in mapping:  # a match day beside the round is a day
            options["date"].append(theirs)
        elif spoken.field in _ALONE and spoken.side is None:
            options[spoken.field].append(theirs)
        elif spoken.field in ("points", "result", "score") and spoken.side:
            points[spoken.side].append(theirs)
    for field, both in sideless.items():
        if len(both) == 2 and _once(both):
            for ours, name in zip(
                (_sided(Heading(field, "white")), _sided(Heading(field, "black"))), both, strict=True
            ):
                if ours not in options:
                    options[ours].append(name)
    letters = {name.strip().strip(".").casefold(): name for name in found}
    for white, black in map(tuple, _PAIRS):
        if {white, black} <= set(letters) and not {"white", "black"} & {*options, *mapping}:
            options |= {"white": [letters[white]], "black": [letters[black]]}
    if not ({"result", "score"} & {*options, *mapping}) and len(points["white"]) == 1:
        options["score"] = points["white"]
        options["black_score"] = points["black"][:1]
    for side in ("white", "black"):
        parts = {field: options.pop(_sided(Heading(field, side)), []) for field in _NAMES}
        last, first = name_and_forename(parts)
        options |= {side: parts[last] if last else [], f"{side}_forename": parts[first] if first else []}
    return {
        ours: theirs
        for ours, theirs in options.items()
        if theirs and ours not in mapping and ours not in settled
    }


def name_and_forename(fields: Mapping[str, Sequence[str]]) -> tuple[str | None, str | None]:
    """Return in which fields the names of players stand, and their first names if these have a column of their own.

    A column of names beside one of surnames has the first names: ``Apellidos, Nombre``.
    """
    given = [field for field in _NAMES if fields.get(field)]
    return given[0] if given else None, given[1] if len(given) > 1 else None


def _once(theirs: Sequence[str]) -> bool:
    """Say whether two headings are the same words, the second numbered by `own_names`."""
    return theirs[1] == f"{theirs[0]} (2)"


def _sided(spoken: Heading) -> str:
    return f"{spoken.side}" if spoken.field == "name" else f"{spoken.side}_{spoken.field}"


def _proposal(found: Sequence[str], mapping: Mapping[str, str], missing: Sequence[str]) -> dict[str, str]:
    """Return a whole mapping: what is known, and for what is missing the likeliest column that is left."""
    left = [name for name in found if name not in mapping.values()]
    spoken = {name: heading(name) for name in left}
    likely = {"white": ("name", "opponent"), "black": ("opponent", "name"), "result": ("points", "score")}
    proposal = dict(mapping)
    for ours in missing:
        fields = likely[ours]
        best = next((n for f in fields for n in left if (h := spoken[n]) and h.field == f), None)
        best = best or next((n for n in left if spoken[n] is None), left[0] if left else None)
        if best is not None:
            proposal[ours] = best
            left.remove(best)
    return proposal


def _plain(name: str) -> str:
    """``WhiteElo``, ``White Elo`` and ``white-elo`` are all ``white_elo``."""
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name.strip())
    return re.sub(r"[^0-9a-z]+", "_", words.lower()).strip("_")
