"""A page and its JSON twin, from one function that gives a typed context; charts on pages."""

from __future__ import annotations

import hashlib
import inspect
import json
import textwrap
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import fields
from datetime import date, datetime
from functools import cached_property
from types import SimpleNamespace
from typing import TYPE_CHECKING, Annotated, Any, Literal, Self, TypeVar, cast, get_args, get_type_hints

import jinja2
from cachetools import LRUCache
from fastapi import APIRouter, Depends, Query, Request, params
from fastapi.responses import HTMLResponse, JSONResponse, Response
from pydantic import BaseModel, BeforeValidator, ConfigDict
from sqlalchemy.engine import Connection

from arpad.errors import counted
from arpad.ledger.db.ledger import Ledger
from arpad.parallel import Helper
from arpad.publish.charts.style import INK
from arpad.publish.language import MINUS
from arpad.web.auth import ANYBODY, Viewer, public_reader, reader, viewer_of
from arpad.web.cache import LedgerCache, TableVersions, ledger_version
from arpad.web.metrics import assets, drawing_program, has_board
from arpad.web.middleware import FOLLOWS_LEDGER

if TYPE_CHECKING:
    from collections.abc import Iterator

    from arpad.web.auth import WebSettings
    from arpad.web.cache import LedgerVersion


T = TypeVar("T")
LINE = 42  # letters that fit under a chart on a phone
APART = 6  # pixels between two figures of an axis


def drawn(chart: Any) -> dict[str, Any]:
    """Return a chart as Vega-Lite; what is drawn in ink takes the colour of the page's words."""
    # Whether Vega-Lite allows it was checked when it was built, and takes longer than drawing it.
    whole = chart.properties(width="container").to_dict(validate=False)
    result: dict[str, Any] = inked(whole)
    for encoding in _encodings(result):
        _narrow(encoding)
    return result


def part_of(chart: Any, at: int, *, height: int) -> dict[str, Any]:
    """Return one of the charts that a chart puts below one another, as wide as its place."""
    whole = chart.to_dict()
    shared = {name: whole[name] for name in ("$schema", "config", "datasets") if name in whole}
    fit = {"width": "container", "height": height, "autosize": {"type": "fit-x", "contains": "padding"}}
    return inked(shared | (whole["vconcat"][at] if "vconcat" in whole else whole) | fit)  # type: ignore[no-any-return]


def _encodings(part: Any) -> Iterator[dict[str, Any]]:
    if isinstance(part, dict):
        for key, value in part.items():
            if key == "encoding":
                yield value
            elif key != "datasets":
                yield from _encodings(value)
    elif isinstance(part, list):
        for each in part:
            yield from _encodings(each)


def _narrow(encoding: dict[str, Any]) -> None:
    """Break long titles of axes into lines, and leave room between their figures."""
    for name in ("x", "y"):
        channel = encoding.get(name, {})
        title = channel.get("title")
        if isinstance(title, str) and len(title) > LINE:
            channel["title"] = textwrap.wrap(title, LINE)
        axis = channel.get("axis", {}) if name == "x" else None
        if axis is not None and channel.get("type") in ("quantitative", "temporal"):
            channel["axis"] = {"labelOverlap": "greedy", "labelSeparation": APART, **axis}


def inked(part: Any) -> Any:
    """Return a part of a chart with the colour of the page's words in the place of ink: it is light in the dark.

    Examples
    --------
    >>> inked({"mark": {"type": "text", "color": "#1f2328"}, "width": 9})
    {'mark': {'type': 'text', 'color': 'currentColor'}, 'width': 9}
    """
    if isinstance(part, dict):
        halo = part.get("type") == "text" and part.get("stroke") == "white"  # it hides words on a dark page
        return {
            name: inked(value) for name, value in part.items() if not (halo and name.startswith("stroke"))
        }
    if isinstance(part, list):
        return [inked(each) for each in part]
    return "currentColor" if part == INK else part


LIGHT = {"ink": "#1f2328", "muted": "#59636e", "line": "#d8dee4"}
DARK = {"ink": "#e6edf3", "muted": "#9aa5b1", "line": "#30363d"}
"""The colours of the style sheet."""
WIDTHS = {"page": 1100, "phone": 350}
_drawn: LRUCache[bytes, str] = LRUCache(64)
_drawing = threading.Lock()


def svg_of(chart: dict[str, Any], *, wide: int, dark: bool) -> str:
    """Draw a Vega-Lite chart so many pixels wide, in the colours of a light or a dark page."""
    spec = json.dumps(_dressed(chart, wide, DARK if dark else LIGHT))
    key = hashlib.blake2b(spec.encode()).digest()
    with _drawing:
        if key not in _drawn:
            _drawn[key] = str(drawing_program("vegalite_to_svg", spec))
        return _drawn[key]


def _dressed(chart: dict[str, Any], wide: int, colours: dict[str, str]) -> dict[str, Any]:
    ink, muted, line = colours.values()
    axis = {
        "labelColor": muted,
        "titleColor": muted,
        "gridColor": line,
        "domainColor": line,
        "tickColor": line,
        "titleFontWeight": "normal",
    }
    words = {"labelColor": muted, "titleColor": ink}
    config = {
        n: v
        for n, v in chart.get("config", {}).items()
        if n not in ("axis", "legend", "header", "title", "view")
    }
    config |= {"background": None, "axis": axis, "legend": words, "header": words, "view": {"stroke": None}}
    config |= {
        "title": {"color": ink},
        "text": {"color": ink},
        "font": "system-ui, Helvetica, Arial, sans-serif",
    }
    plain = {n: v for n, v in chart.items() if n not in ("background", "title", "config", "padding")}
    sized: dict[str, Any] = _sized(plain, wide, ink)
    return {**sized, "config": config}


def _sized(part: Any, wide: int, ink: str) -> Any:
    """Return a part of a chart with the width of its place, and with ink for the colour of the page's words."""
    if isinstance(part, dict):
        whole = {n: _sized(v, wide, ink) for n, v in part.items()}
        if part.get("width") == "container":
            whole |= {"width": wide, "autosize": {"type": "fit-x", "contains": "padding"}}
        return whole
    if isinstance(part, list):
        return [_sized(each, wide, ink) for each in part]
    return ink if part == "currentColor" else part


class RequestContext:
    """One request: its viewer, a connection to the ledger, and the cache."""

    def __init__(self, state: Any, connection: Connection, viewer: Viewer) -> None:
        self.connection = connection
        self.viewer = viewer
        self.settings = state.settings
        self._cache = state.cache
        self._table_versions = state.table_versions
        self._once: dict[tuple[Any, ...], Any] = {}

    @cached_property
    def version(self) -> LedgerVersion:
        """The version of the ledger; read once a request."""
        return ledger_version(self.connection)

    @property
    def lists_version(self) -> tuple[Any, ...]:
        """The version of lists, policies and the names on lists."""
        return (*self.version.of_lists, self.table_version("entries"))

    def table_version(self, *names: str) -> tuple[Any, ...]:
        """Return the version of some tables: it changes when a row of one of them changes.

        Only for tables that imports and decisions alone write: players, player_names, player_ids, events, games.
        """
        return self._table_versions.of(self.connection, self.version, names)  # type: ignore[no-any-return]

    def once(self, key: tuple[Any, ...], make: Callable[[], T]) -> T:
        """Return the value of a key in this request; compute it the first time."""
        if key not in self._once:
            self._once[key] = make()
        return cast("T", self._once[key])

    def cached(
        self,
        key: tuple[Any, ...],
        make: Callable[[], T],
        *,
        version: tuple[Any, ...] | None = None,
        shared: bool = False,
    ) -> T:
        """Return the cached value of a key, or compute it from the ledger of a version [the present one].

        A `shared` value is the same for public readers and for people who have signed in.
        """
        if not (shared or self.viewer.sees_all):
            key = ("public", *key)
        return cast("T", self._cache.get(self.version if version is None else version, key, make))

    def apart(self, key: tuple[Any, ...], make: Callable[..., T], *arguments: Any) -> T:
        """Return make(context, *arguments), cached; another process makes it, so that it takes no memory here."""
        return self.cached(key, lambda: cast("T", long_work(_with_ledger, self.settings, make, arguments)))


long_work = Helper()
"""The process for long work, and for what loads Numba and SciPy: one thing at a time.

So readers of pages keep the other processor, and the memory of the server.
"""


def _with_ledger(settings: WebSettings, make: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
    state = SimpleNamespace(settings=settings, cache=LedgerCache(), table_versions=TableVersions())
    with Ledger.open(settings.place) as ledger, ledger.reading() as connection:
        return make(RequestContext(state, connection, ANYBODY), *arguments)


@contextmanager
def opened(request: Request, viewer: Viewer) -> Iterator[RequestContext]:
    """Give the context of a request, with a connection for the duration of the block."""
    with request.app.state.ledger.reading() as connection:
        yield RequestContext(request.app.state, connection, viewer)


def _reader_context(request: Request, viewer: Annotated[Viewer, Depends(reader)]) -> Iterator[RequestContext]:
    with opened(request, viewer) as ctx:
        yield ctx


def _public_context(
    request: Request, viewer: Annotated[Viewer, Depends(public_reader)]
) -> Iterator[RequestContext]:
    with opened(request, viewer) as ctx:
        yield ctx


ReaderContext = Annotated[RequestContext, Depends(_reader_context)]
"""Give a page's function a parameter of this type: it is called for those who may read everything."""
PublicContext = Annotated[RequestContext, Depends(_public_context)]
"""The same for a page that has a public part: the function shows no more than `viewer.sees_all` allows."""


class PageModel(BaseModel):
    """Base of the data of a page; its JSON twin has the same fields."""

    model_config = ConfigDict(frozen=True, ser_json_inf_nan="null")

    @classmethod
    def of(cls, source: Any, /, **more: Any) -> Self:
        """Return the model with the fields of the same name of an object or a mapping, and some others.

        Examples
        --------
        >>> PageLink.of({"text": "Home", "colour": "red"}, href="/")
        PageLink(text='Home', href='/')
        """
        if not isinstance(source, Mapping):
            source = {name: getattr(source, name) for name in cls.model_fields if hasattr(source, name)}
        return cls(**{name: source[name] for name in cls.model_fields if name in source} | more)


Rows = Sequence[dict[str, Any]]
"""Rows of a table, with the columns that the library gives it."""


def row_of(source: Any, /, *names: str, **more: Any) -> dict[str, Any]:
    """Return a result of the library as a row: its fields or columns [all], and some others.

    Examples
    --------
    >>> row_of({"player_id": 7, "rating": 1825.0}, "rating", id=7)
    {'rating': 1825.0, 'id': 7}
    """
    if isinstance(source, Mapping):
        return {name: source[name] for name in names or source} | more
    if not names:
        names = tuple(field.name for field in fields(source))
    return {name: getattr(source, name) for name in names} | more


def rows_of(source: Any) -> Rows:
    """Return a frame, or several results, as rows."""
    return source.to_dicts() if hasattr(source, "to_dicts") else [row_of(each) for each in source]


class PageLink(PageModel):
    """A text and the address of its page."""

    text: str
    href: str


class ChartLink(PageModel):
    """A picture: its Vega-Lite description is fetched from `href`; `says` is for those who cannot see it."""

    title: str
    href: str
    says: str


def birth_year(birth: str | None) -> str | None:
    """Return the year of a birth: the day is for administrators and FIDE's reports only.

    Examples
    --------
    >>> birth_year("2014-03-09"), birth_year(None)
    ('2014', None)
    """
    return birth[:4] if birth else None


BirthYear = Annotated[str | None, BeforeValidator(birth_year)]
"""Give a field of this type to a page that says when somebody was born."""


NOTICES = {
    "published": "The list is published and frozen.",
    "made": "The draft is made.",
    "decided": "Done, and written into the log.",
    "undone": "Taken back, and written into the log.",
    "settled": "Settled, and written into the log.",
    "imported": "The file is in the ledger.",
    "uploaded": "The files are kept. Open each below, and import it.",
    "ended": "The session is ended.",
    "removed": "The token is removed.",
    "saved": "Saved.",
    "erased": "The personal data are erased. The log has the decision.",
    "stopped": "The job will stop.",
    "reset": "The demo is as it was at the beginning.",
}


def after(path: str, notice: str) -> str:
    """Return the address of a page that says something first.

    Examples
    --------
    >>> after("/queue", "settled")
    '/queue?notice=settled'
    """
    if notice not in NOTICES:
        raise KeyError(notice)
    return f"{path}{'&' if '?' in path else '?'}notice={notice}"


API = "/api"
"""The JSON twin of a page lies at its address behind this."""
NOT_HERE: dict[int | str, dict[str, Any]] = {
    401: {"description": "Sign in first."},
    404: {"description": "The ledger has nothing of this kind."},
}


def rendered(
    request: Request, template: str, context: PageModel, status: int = 200, *, twin: bool = False
) -> HTMLResponse:
    """Return a page: its template, filled with its context; `twin`: there is the same as JSON behind ``/api``."""
    app, viewer = request.app.state, viewer_of(request)
    base = f"{str(request.base_url).rstrip('/')}{app.settings.root}"
    text = app.templates.get_template(template).render(
        page=context,
        viewer=viewer,
        settings=app.settings,
        path=request.url.path,
        base=base,
        query=request.query_params,
        twin=_twin(request) if twin and status == 200 else None,
        notice=NOTICES.get(request.query_params.get("notice", ""), ""),
    )
    return HTMLResponse(text, status_code=status)


def _twin(request: Request) -> str | None:
    if request.method != "GET":
        return None
    query = f"?{request.url.query}" if request.url.query else ""
    return f"{API}{request.url.path.rstrip('/') or '/home'}{query}"


class Pages:
    """Pages of one part of the app; `router` is what the app includes."""

    def __init__(self, tag: str) -> None:
        self.router = APIRouter(tags=[tag])

    def page(self, path: str, template: str) -> Callable[[Any], Any]:
        """Register what a function returns as a page at a path, and as JSON behind ``/api``."""

        def register(build: Callable[..., PageModel]) -> Callable[..., PageModel]:
            made, signature, public = _in_one_thread(build)

            def respond_html(request: Request, **values: Any) -> HTMLResponse:
                request.scope[FOLLOWS_LEDGER] = public
                return rendered(request, template, made(request, values), twin=True)

            def respond_json(request: Request, **values: Any) -> Response:
                request.scope[FOLLOWS_LEDGER] = public
                said = made(request, values).model_dump_json(by_alias=True)
                return Response(said, media_type="application/json")

            for answer in (respond_html, respond_json):
                answer.__signature__ = signature  # type: ignore[attr-defined]
            respond_json.__doc__ = build.__doc__
            self.router.add_api_route(
                API + (path if path != "/" else "/home"),
                respond_json,
                response_model=signature.return_annotation,
                name=f"{build.__name__}_json",
                responses=NOT_HERE,
            )
            self.router.add_api_route(
                path,
                respond_html,
                response_model=None,
                response_class=HTMLResponse,
                include_in_schema=False,
                name=build.__name__,
            )
            return build

        return register

    def chart(self, path: str) -> Callable[[Any], Any]:
        """Register what a function returns as a chart at a path: Vega-Lite, or with ``?as=svg`` a picture."""

        def register(build: Callable[..., dict[str, Any]]) -> Callable[..., dict[str, Any]]:
            made, signature, public = _in_one_thread(build)

            def respond(request: Request, *, drawn: str, size: str, dark: bool, **values: Any) -> Response:
                request.scope[FOLLOWS_LEDGER] = public
                chart = made(request, values)
                if not drawn:
                    return JSONResponse(chart)
                kept = {"Cache-Control": "private, max-age=60"}
                return Response(
                    svg_of(chart, wide=WIDTHS[size], dark=dark), media_type="image/svg+xml", headers=kept
                )

            known = signature.parameters.values()
            respond.__signature__ = inspect.Signature([*known, *DRAWN], return_annotation=Response)  # type: ignore[attr-defined]
            respond.__doc__, respond.__name__ = build.__doc__, build.__name__
            answers: dict[int | str, dict[str, Any]] = {**NOT_HERE, 200: {"content": {"image/svg+xml": {}}}}
            self.router.add_api_route(path, respond, response_model=None, responses=answers)
            return build

        return register


Made = Callable[[Request, dict[str, Any]], Any]
_ASKED = inspect.Parameter.KEYWORD_ONLY
DRAWN = (
    inspect.Parameter(
        "drawn", _ASKED, annotation=Annotated[Literal["", "svg"], Query(alias="as")], default=""
    ),
    inspect.Parameter("size", _ASKED, annotation=Literal["page", "phone"], default="page"),
    inspect.Parameter("dark", _ASKED, annotation=bool, default=False),
)
"""Forms of a chart: Vega-Lite, or drawn for a page or a phone, in light or dark colours."""


def _in_one_thread(build: Callable[..., Any]) -> tuple[Made, inspect.Signature, bool]:
    """Return a function that calls a page's function, the signature for FastAPI, and whether the page is public.

    Finding the viewer, opening the ledger, building, rendering: each in a thread of its own would take
    longer than most pages do. So the ledger is opened here, where the page is built.
    """
    hints = get_type_hints(build, include_extras=True)
    known = inspect.signature(build).parameters
    asks = [name for name in known if hints[name] in (ReaderContext, PublicContext)]
    others = [name for name in known if name not in asks]
    shared = any(_depends(hints[name]) for name in others)
    taken = [name for name in others if name != "request"]
    wanted: dict[str, Any] = {"request": Request}
    if asks and not shared:
        who = public_reader if hints[asks[0]] == PublicContext else reader
        wanted["viewer"] = Annotated[Viewer, Depends(who)]
    else:
        taken += asks

    def made(request: Request, values: dict[str, Any]) -> Any:
        given = {"request": request} if "request" in known else {}
        if "viewer" not in wanted:
            return build(**given, **values)
        with opened(request, values.pop("viewer")) as ctx:
            return build(**{asks[0]: ctx}, **given, **values)

    parameters = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, annotation=kind)
        for name, kind in wanted.items()
    ] + [known[name].replace(kind=inspect.Parameter.KEYWORD_ONLY, annotation=hints[name]) for name in taken]
    public = any(hints[name] == PublicContext for name in asks)
    return made, inspect.Signature(parameters, return_annotation=hints["return"]), public


def _depends(hint: Any) -> bool:
    return any(isinstance(said, params.Depends) for said in get_args(hint)[1:])


MOST = 2**31 - 1
Page = Annotated[int, Query(ge=1, le=100_000)]
"""Give a page's function a parameter of this type: which page of a table."""
Row = TypeVar("Row", bound=Any)


class Pager(PageModel):
    """Place of a page among its neighbours; rows are counted from 1."""

    page: int
    pages: int
    first: int
    last: int
    total: int


NO_ROWS = Pager(page=1, pages=1, first=0, last=0, total=0)


def pager(total: int, page: int, per: int) -> Pager:
    """Return where a page stands; one behind the last is the last.

    Examples
    --------
    >>> found = pager(101, 9, 50)
    >>> found.page, found.first, found.last
    (3, 101, 101)
    """
    pages = max(1, -(-total // per))
    page = min(page, pages)
    first = (page - 1) * per
    return Pager(
        page=page, pages=pages, first=min(first + 1, total), last=min(first + per, total), total=total
    )


def paged(rows: list[Row], page: int, per: int) -> tuple[list[Row], Pager]:
    """Return the rows of a page, and where it stands."""
    result = pager(len(rows), page, per)
    return rows[max(result.first - 1, 0) : result.last], result


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
    words = (points, number, counted, rating, signed, percent, day, moment)
    made.filters.update({each.__name__: each for each in words})
    made.globals.update(figure=figure, assets=assets, has_board=has_board)
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
    """Return a rating with this many digits after the point; other words where there is none.

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
