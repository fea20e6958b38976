"""Templates: every value is escaped, and a name that is not there is an error."""

from __future__ import annotations

from datetime import date, datetime

import jinja2

__all__ = ["environment"]

MINUS = "−"


def environment() -> jinja2.Environment:
    """Return where templates are found, with the words that they share."""
    made = jinja2.Environment(
        loader=jinja2.PackageLoader("arpad.web"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,  # nobody changes them while the server runs
    )
    made.filters.update(
        points=points,
        number=number,
        rating=rating,
        signed=signed,
        percent=percent,
        day=day,
        moment=moment,
    )
    made.globals.update(figure=figure)
    return made


def number(value: float | None, digits: int = 0) -> str:
    """Return a number as people read it; nothing for what is not known.

    Examples
    --------
    >>> number(50261), number(-3.25, 1), number(None)
    ('50,261', '−3.2', '')
    """
    return "" if value is None else f"{value:,.{digits}f}".replace("-", MINUS)


def rating(value: float | None) -> str:
    """Return a rating as chess players write it.

    Examples
    --------
    >>> rating(2851.4), rating(None)
    ('2851', '')
    """
    return "" if value is None else f"{value:.0f}".replace("-", MINUS)


def figure(value: float | None, digits: int = 0, missing: str = "") -> str:
    """Return a rating with so many digits after the point; other words where there is none.

    Examples
    --------
    >>> figure(2851.44, 1), figure(-3.2, 0), figure(None, 0, "not there")
    ('2851.4', '−3', 'not there')
    """
    return missing if value is None else f"{value:.{digits}f}".replace("-", MINUS)


def signed(value: float | None, digits: int = 0) -> str:
    """Return a change with its sign.

    Examples
    --------
    >>> signed(7), signed(-7.0), signed(0)
    ('+7', '−7', '0')
    """
    if value is None:
        return ""
    text = f"{value:+,.{digits}f}"
    return "0" if not float(text.replace(",", "")) else text.replace("-", MINUS)


def points(value: float | None) -> str:
    """Return a score in halves.

    Examples
    --------
    >>> points(0.5), points(6.5), points(7.0), points(None)
    ('½', '6½', '7', '')
    """
    if value is None:
        return ""
    whole, half = divmod(value, 1)
    if half not in (0, 0.5):
        return number(value, 2)
    return f"{int(whole) or ('' if half else 0)}{'½' if half else ''}"


def percent(value: float | None, digits: int = 0) -> str:
    """Return a share in percent.

    Examples
    --------
    >>> percent(0.264)
    '26 %'
    """
    return "" if value is None else f"{100 * value:.{digits}f} %"


def day(value: date | None) -> str:
    """Return a day."""
    return "" if value is None else value.isoformat()


def moment(value: datetime | None) -> str:
    """Return a moment, to the minute, in UTC."""
    return "" if value is None else f"{value:%Y-%m-%d %H:%M}"
