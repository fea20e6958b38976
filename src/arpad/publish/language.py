"""The language of lists and reports, from catalogues as gettext has them, and what stands above them."""

from __future__ import annotations

import io
import re
from dataclasses import dataclass
from functools import cache
from gettext import GNUTranslations, NullTranslations
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

from arpad.errors import InputError, UsageError

if TYPE_CHECKING:
    from datetime import date


CATALOGUES = Path(str(files("arpad.publish"))) / "languages"
NUMBERS = re.compile(r"\d+(?:, \d+)*")
"""Numbers in a phrase; the catalogue has ``{n}`` there."""
MINUS = "−"
"""The sign of a negative number on pages for people; files for programs and terminals have a hyphen."""
SEPARATORS = re.compile(r"(?<=\d)[.,](?=\d)")
IMAGES = {b"\x89PNG\r\n\x1a\n": "png", b"\xff\xd8\xff": "jpeg"}
"""First bytes of a picture, and its type."""
LARGEST_LOGO = 2_000_000
"""Bytes: every page carries the logo in itself."""


def languages() -> tuple[str, ...]:
    """Return the codes of the languages that have a catalogue here.

    Examples
    --------
    >>> languages()
    ('en', 'de', 'es', 'fr')
    """
    return ("en", *sorted(path.stem for path in CATALOGUES.glob("*.po")))


@dataclass(frozen=True, slots=True)
class Language:
    """One language: English as it is written in the code, others by their catalogue.

    Parameters
    ----------
    code
        ``en``, ``de``, ``es``, ``fr``; or the path of a catalogue of your own, such as ``nl.po``.

    Examples
    --------
    >>> german = Language("de")
    >>> german("Rating list {name}", name="2026-11"), german("Round 3"), german.number("1,650.5")
    ('Wertungsliste 2026-11', 'Runde 3', '1.650,5')
    """

    code: str = "en"

    def __post_init__(self) -> None:
        if not self.code.endswith(".po") and self.code not in languages():
            known = ", ".join(languages())
            raise UsageError(
                f"expected a language, one of {known}, or a catalogue that ends in .po; found {self.code!r}"
            )
        _catalogue(self.code)

    def __call__(self, text: str, **values: object) -> str:
        """Return a text in this language, with its values; what the catalogue lacks stays English."""
        words = _catalogue(self.code)
        result = words.gettext(text) if text else ""
        if result == text and not values and (numbers := NUMBERS.search(text)):
            pattern = f"{text[: numbers.start()]}{{n}}{text[numbers.end() :]}"
            return words.gettext(pattern).replace("{n}", numbers[0])
        return result.format(**values) if values else result

    def count(self, one: str, many: str, number: int, **values: object) -> str:
        """Return a text with a number, in the form that the language has for it."""
        result = _catalogue(self.code).ngettext(one, many, number)
        return result.format(n=self.number(f"{number:,}"), **values)

    def day(self, day: date) -> str:
        """Return a day as people there write it; in English as 2026-10-31."""
        if self.code == "en":
            return day.isoformat()
        from babel.dates import format_date

        return str(format_date(day, "medium", locale=self.tag))

    def number(self, text: str) -> str:
        """Return the text of a number with the separators of this language."""
        if self.code == "en":
            return text
        from babel.numbers import get_decimal_symbol, get_group_symbol

        ours = {".": get_decimal_symbol(self.tag), ",": get_group_symbol(self.tag)}
        return SEPARATORS.sub(lambda m: ours[m[0]], text)

    @property
    def tag(self) -> str:
        """The language as web pages and Babel name it."""
        return Path(self.code).stem


@cache
def _catalogue(code: str) -> NullTranslations:
    """Return the words of a language."""
    if code == "en":
        return NullTranslations()
    from babel import Locale, UnknownLocaleError
    from babel.messages.mofile import write_mo
    from babel.messages.pofile import read_po

    path = Path(code) if code.endswith(".po") else CATALOGUES / f"{code}.po"
    compiled = io.BytesIO()
    try:
        Locale.parse(path.stem)
        with path.open("rb") as file:
            write_mo(compiled, read_po(file, locale=path.stem, abort_invalid=True))
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", file=code) from None
    except (UnknownLocaleError, ValueError) as error:
        raise InputError(f"expected a catalogue called by its language: {error}", file=code) from None
    compiled.seek(0)
    return GNUTranslations(compiled)


@dataclass(frozen=True, slots=True, kw_only=True)
class Letterhead:
    """Head of a list: the club, a title, a logo, and the language of the page.

    Examples
    --------
    >>> Letterhead(club="SK Musterstadt", language=Language("de")).title
    ''
    """

    club: str = ""
    title: str = ""
    """Instead of ``Rating list 2026-11``."""
    logo: bytes | None = None
    """A picture, PNG or JPEG."""
    language: Language = Language()

    def __post_init__(self) -> None:
        if self.logo is not None and self.logo_kind is None:
            raise UsageError("expected a logo as a PNG or JPEG picture, found something else")
        if self.logo is not None and len(self.logo) > LARGEST_LOGO:
            raise UsageError(
                f"expected a logo of at most {LARGEST_LOGO:,} bytes, found {len(self.logo):,}: make it smaller"
            )

    @classmethod
    def of(
        cls, *, club: str = "", title: str = "", logo: str | None = None, language: str = "en"
    ) -> Letterhead:
        """Return the letterhead with a logo from a file and a language by its code."""
        data = None
        if logo is not None:
            from arpad.files import input_file

            try:
                data = input_file(logo).read_bytes()
            except OSError as error:
                raise InputError(f"cannot be read: {error.strerror}", file=logo) from None
        return cls(club=club, title=title, logo=data, language=Language(language))

    @property
    def logo_kind(self) -> str | None:
        """``png`` or ``jpeg``; None: neither."""
        return next((kind for start, kind in IMAGES.items() if (self.logo or b"").startswith(start)), None)
