"""Games: a board to step through, evaluations, gain."""

from __future__ import annotations

import hashlib
import math
import xml.etree.ElementTree as ET
from dataclasses import dataclass
from datetime import date, timedelta
from typing import TYPE_CHECKING, Annotated, Any, Literal

import chess.svg
import sqlalchemy as sa
from fastapi import HTTPException, Path, Query
from fastapi.responses import PlainTextResponse, Response
from pydantic import Field

from arpad.ledger.db import tables
from arpad.ledger.decisions.decisions import persons
from arpad.ledger.queries.events import event_index
from arpad.ledger.queries.games import (
    MOST_PLIES,
    By,
    GameSheet,
    GamesWanted,
    Outcome,
    figures_of,
    found_games,
    game_sheet,
    moves_of_play,
    pgn_day,
    pgn_text,
    plain_comment,
    play_of,
)
from arpad.moves.accuracy import win_percent
from arpad.moves.evaluation_store import store_stamp
from arpad.moves.gain import CENTIPAWNS
from arpad.moves.openings import DEEPEST, opening
from arpad.publish.charts.moves import course_chart, game_chart
from arpad.publish.charts.style import win_chart
from arpad.web.page import (
    MOST,
    NOT_HERE,
    ChartLink,
    PageLink,
    PageModel,
    Pages,
    PublicContext,
    Rows,
    number,
    part_of,
    row_of,
    signed,
)
from arpad.web.views.list_parts import ranked_players, with_query

if TYPE_CHECKING:
    import polars as pl

    from arpad.ledger.queries.games import GameFigures, GameOpponent, GamePlay
    from arpad.moves.gain_report import GainReport
    from arpad.web.page import RequestContext


SVG, XLINK = "http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"
ARROW = "#15781B80"
"""The engine's choice: python-chess's green."""
COLOURS = {
    "square light": "#f0d9b5",
    "square dark": "#b58863",
    "square light lastmove": "#cdd16a",
    "square dark lastmove": "#aaa23b",
    "margin": "#3a3a3a",
    "coord": "#f0f0f0",
}
ET.register_namespace("", SVG)
ET.register_namespace("xlink", XLINK)


def drawn(positions: pl.DataFrame, ply: int, *, best: str | None, white_below: bool) -> str:
    """Return the position after this many half-moves, as SVG: the last move marked, the engine's choice as an arrow.

    `positions` are those of one game, as `moves.positions` has them; `best` is the engine's choice, UCI.
    """
    epd = str(positions["epd"][ply])
    picture = chess.svg.board(
        chess.BaseBoard(epd.split(" ", 1)[0]),
        orientation=chess.WHITE if white_below else chess.BLACK,
        lastmove=_move(positions["uci"][ply - 1]) if ply else None,
        check=_check(epd),
        arrows=[
            chess.svg.Arrow(m.from_square, m.to_square, color=ARROW) for m in [_move(best)] if m is not None
        ],
        colors=COLOURS,
    )
    return _plain(picture)


def _move(uci: str | None) -> chess.Move | None:
    move = chess.Move.from_uci(uci) if uci else None
    return move or None  # a null move goes nowhere


def _check(epd: str) -> int | None:
    """Return where the king stands that is in check."""
    board = chess.Board(f"{epd} 0 1", chess960=True)
    return board.king(board.turn) if board.is_check() else None


def _plain(picture: str) -> str:
    """Return the same picture with attributes in the place of styles."""
    root = ET.fromstring(picture)
    for element in root.iter():
        for rule in (element.attrib.pop("style", None) or "").split(";"):
            name, colon, value = rule.partition(":")
            if colon:
                element.set(name.strip(), value.strip())
    for described in root.findall(f"{{{SVG}}}desc"):
        root.remove(described)
    return ET.tostring(root, encoding="unicode")


DAY = r"^(\d{4}(-\d{2}(-\d{2})?)?)?$"


class GamePage(PageModel):
    """A game."""

    id: int
    title: str
    event: PageLink
    site: str | None
    round: str | None
    date: str | None
    result: str
    status: str
    white: dict[str, Any]  # who, rated how then, how well the moves were, and what the clock shows
    black: dict[str, Any] | None
    has_moves: bool
    opening: str | None  # code and name
    plies: int
    live: bool  # it is being played: there is no result yet
    ply: int  # the position that is shown
    side: str  # who sits at the bottom: white or black
    by: str | None  # whose evaluations are shown: source or engine; null: there are none
    others: list[str]
    source: str | None  # who evaluated, and how
    start: str  # what is known of the starting position, in words
    fen: str | None  # the position that is shown, in four fields
    pgn: str
    win: float | None  # White's chance to win in the position that is shown
    win_graph: str  # that chance after every move, as a picture
    comment: str
    moves: Rows  # a move of White and the answer, with `number`; one of them may be missing
    positions: Rows  # from the start on, one a half-move, each with the engine's choice
    expected: float | None
    expected_low: float | None
    expected_high: float | None  # White's expected score by the gain of both
    evaluation_chart: ChartLink | None
    gain_chart: ChartLink | None
    strength_chart: ChartLink | None
    notes: list[str]
    can_analyse: bool  # an engine's evaluations can be kept, and are not there yet


class GamesQuery(PageModel):
    """Search terms for games; "" stands for any."""

    q: Annotated[str, Field(max_length=100)] = ""  # a player: name, number or id
    opponent: Annotated[str, Field(max_length=100)] = ""
    colour: Literal["", "white", "black"] = ""  # of the player
    result: Outcome = ""
    event: Annotated[str, Field(max_length=100)] = ""
    opening: Annotated[str, Field(max_length=60)] = ""
    first: Annotated[str, Field(pattern=DAY)] = ""
    last: Annotated[str, Field(pattern=DAY)] = ""
    least: Annotated[str, Field(pattern=r"^\d{0,4}$")] = ""  # both ratings are at least so high
    moves: bool = False
    before: Annotated[int | None, Field(ge=1, le=MOST)] = None  # go on before this game


class GamesPage(PageModel):
    """Games that were looked for, the last ones first."""

    query: GamesQuery
    any: bool  # whether anything is asked for; else games with moves are shown
    with_moves: int
    games: Rows
    before: int | None
    more: str | None  # where the next page is


MATE_PAWNS = 39.0  # what a mate is worth among gains; a gain that large is said in words


@dataclass(frozen=True, slots=True)
class Looked:
    """A game's moves, what is known of them, and what follows: worked out once."""

    play: GamePlay
    figures: GameFigures
    moves: Rows
    positions: Rows
    start: float | None  # White's chance to win before the first move


def date_of(sheet: GameSheet) -> str | None:
    """Return the day, or the month or year if no more is known."""
    if sheet.date is None:
        return None
    length = {"year": 4, "month": 7}.get(sheet.precision or "day", 10)
    return sheet.date.isoformat()[:length]


def game_page(
    sheet: GameSheet, looked: Looked | None, *, ply: int | None, side: str, store: bool
) -> GamePage:
    """Return the page of a game; `looked` is None where the ledger has no moves."""
    play = None if looked is None else looked.play
    length = 0 if play is None else play.length
    at = min(ply or 0, length)
    shares = [] if looked is None or not length else [looked.start, *(m["win"] for m in looked.moves)]
    marks = {m["ply"]: m["mistake"] for m in (looked.moves if looked else ()) if m["mistake"]}
    name = None if play is None else opening([ply.san for ply in play.plies[:DEEPEST]])
    figures = None if looked is None else looked.figures
    pair = None if figures is None else figures.expected
    black = "–" if sheet.black is None else sheet.black.name
    return GamePage.of(
        sheet,
        title=f"{sheet.white.name} – {black}",
        event=PageLink(text=sheet.event, href=f"/events/{sheet.event_id}"),
        date=date_of(sheet),
        white=_side(sheet.white, looked, 0, at),
        black=None if sheet.black is None else _side(sheet.black, looked, 1, at),
        has_moves=bool(length),
        opening=None if name is None or sheet.moves is None or sheet.moves.start else " ".join(name),
        live=bool(length) and sheet.score is None,
        plies=length,
        ply=at,
        side=side,
        by=None if play is None or not play.others else play.by,
        others=[] if play is None else list(play.others),
        source=None if play is None or not play.others else play.evaluated.source,
        start="" if play is None else _start(play),
        fen=looked.positions[at]["fen"] if looked is not None and looked.positions else None,
        pgn=pgn_of(sheet) if length else "",
        win=shares[at] if shares else None,
        win_graph=win_chart(shares, marks),
        comment="" if play is None else plain_comment(play.comment),
        moves=[] if looked is None else _pairs(looked),
        positions=() if looked is None else looked.positions,
        **{name: _of(pair, name) for name in ("expected", "expected_low", "expected_high")},
        **_charts(sheet, looked),
        notes=[] if looked is None else [*looked.play.notes, *looked.figures.notes],
        can_analyse=store and bool(length) and (play is None or "engine" not in play.others),
    )


def _of(row: dict[str, Any] | None, name: str) -> float | None:
    """Return a figure; nothing where it is not known or beyond measure."""
    value = None if row is None else row.get(name)
    return value if value is not None and math.isfinite(value) else None


def _side(who: GameOpponent, looked: Looked | None, side: int, ply: int) -> dict[str, Any]:
    figures = None if looked is None else looked.figures
    gain = None if figures is None else figures.sides[side]
    error = None if figures is None else figures.errors[side]
    said: dict[str, Any] = {name: _of(gain, column) for name, column in GAINS.items()}
    said |= {name: _of(error, column) for name, column in ERRORS.items()}
    made = () if looked is None else looked.moves[:ply]
    said["time"] = next((m["time"] for m in reversed(made) if m["number"].endswith(".…"[side])), "")
    said |= {"moves": gain and gain["moves"], "error_moves": error and error["moves"]}
    return row_of(who, **said)


GAINS = {
    "gain": "mean_gain",
    "gain_low": "mean_gain_low",
    "gain_high": "mean_gain_high",
    "points": "difference_vs_engine",
    "points_low": "difference_vs_engine_low",
    "points_high": "difference_vs_engine_high",
    "loss": "average_centipawn_loss",
    "accuracy": "lichess_accuracy",
}
ERRORS = {"error": "raw", "error_low": "raw_low", "error_high": "raw_high", "agreed": "matched"}
"""Fields of a side, and the columns of the reports."""


def _positions(play: GamePlay) -> Rows:
    rows = zip(
        play.positions["epd"], [None, *play.positions["uci"]], play.evaluated.table["best"], strict=False
    )
    return [
        {"fen": epd, "move": _ends(move), "best": _ends(best), "check": _check(epd) is not None}
        for epd, move, best in rows
    ]


def _ends(uci: str | None) -> str | None:
    """Return where a move begins and ends; a null move goes nowhere."""
    return None if _move(uci) is None else uci[:4]  # type: ignore[index]


def _clock(seconds: float | None) -> str:
    """Return a time as clocks show it.

    Examples
    --------
    >>> _clock(3725.0), _clock(59.0), _clock(None)
    ('1:02:05', '0:59', '')
    """
    if seconds is None:
        return ""
    minutes, rest = divmod(int(seconds), 60)
    return f"{minutes // 60}:{minutes % 60:02}:{rest:02}" if minutes >= 60 else f"{minutes}:{rest:02}"


def _says(move: dict[str, Any]) -> str:
    parts = [move["mistake"]] if move["mistake"] else []
    if move["over"] is not None:
        parts.append({"mate": "mate", "stalemate": "stalemate"}.get(move["over"], "draw"))
    elif move["mate"] is not None:
        parts.append(f"mate in {abs(move['mate'])} for {'White' if move['mate'] > 0 else 'Black'}")
    elif move["evaluation"] is not None:
        parts.append(f"evaluation {signed(move['evaluation'], 2)}")
    if move["gain"] is not None and abs(move["gain"]) < MATE_PAWNS:
        parts.append(f"gain {signed(move['gain'], 2)}")
    if move["agrees"]:
        parts.append("the engine's choice")
    elif move["best"] is not None:
        parts.append(f"the engine plays {move['best']}")
    return "; ".join(parts)


def _start(play: GamePlay) -> str:
    row = play.evaluated.table.row(0, named=True) if play.evaluated.table.height else None
    if row is None or row["cp"] is None:
        return ""
    return f"evaluation {signed(row['cp'] / CENTIPAWNS, 2)}"


def _pairs(looked: Looked) -> Rows:
    pairs: dict[int, dict[str, Any]] = {}
    for move in looked.moves:
        side = "white" if move["number"].endswith(".") else "black"
        pairs.setdefault(int(move["number"].rstrip(".…")), {})[side] = move
    return [{"number": at, "white": None, "black": None, **both} for at, both in pairs.items()]


def _called(move: dict[str, Any]) -> str:
    return f"{move['number']} {move['san']}"


def _charts(sheet: GameSheet, looked: Looked | None) -> dict[str, ChartLink | None]:
    """Return the pictures of a game with evaluations, with words for those who cannot see them."""
    if looked is None or looked.figures.report is None:
        return dict.fromkeys(("evaluation_chart", "gain_chart", "strength_chart"))
    by = f"?by={looked.play.by}" if len(looked.play.others) > 1 else ""
    values = [m for m in looked.moves if m["evaluation"] is not None]
    gains = [m for m in looked.moves if m["gain"] is not None]
    ends = [f"{_called(m)}: {signed(m['evaluation'], 2)}" for m in (*values[:1], *values[-1:])]
    swing = max(gains, key=lambda m: abs(m["gain"]), default=None)
    largest = f"{_called(swing)}: {signed(swing['gain'], 2)} pawns" if swing else "none"
    strengths = [
        f"{row['name']} ends at {signed(_of(row, 'difference_vs_engine'))} points after {number(row['moves'])} moves"
        for row in looked.figures.sides
        if row is not None and _of(row, "difference_vs_engine") is not None
    ]
    said = {
        "evaluation": (
            "Evaluation, in pawns",
            f"Evaluation after each move, in pawns from White's side. {'; '.join(ends)}.",
        ),
        "gain": (
            "Gain of each move, in pawns",
            f"Gain of each move, in pawns from the mover's side. The largest change came with {largest}.",
        ),
        "strength": (
            "Strength after each move",
            f"Strength after each move, as rating points to the engine. {'; '.join(strengths)}".strip(),
        ),
    }
    return {
        f"{what}_chart": ChartLink(title=title, href=f"/charts/games/{sheet.id}/{what}{by}", says=says)
        for what, (title, says) in said.items()
    }


Picture = Literal["evaluation", "gain", "strength"]
HEIGHTS = {"evaluation": 200, "gain": 180, "strength": 300}


def picture(report: GainReport, what: Picture) -> dict[str, Any]:
    """Return one picture as Vega-Lite: the evaluation after each move, the gain of each, or the strength."""
    chart, at = (course_chart(report), 0) if what == "strength" else (game_chart(report), what == "gain")
    return part_of(chart, int(at), height=HEIGHTS[what])


def pgn_of(sheet: GameSheet) -> str:
    """Return tags of what the ledger knows, and the moves as they came."""
    tags = {
        "Event": sheet.event,
        "Site": sheet.site or "?",
        "Date": pgn_day(sheet.date),
        "Round": sheet.round or "?",
        "White": sheet.white.name,
        "Black": "?" if sheet.black is None else sheet.black.name,
    }
    return pgn_text(tags, sheet.moves, sheet.score)


pages = Pages("games")
router = pages.router
REFUSED: dict[int | str, dict[str, Any]] = {
    **NOT_HERE,
    422: {"description": "There can be no such thing.", "content": {"text/html": {}}},
}
Number = Annotated[int, Path(ge=1, le=2**31 - 1)]
PlyNumber = Annotated[int, Path(ge=0, le=MOST_PLIES)]
Whose = Annotated[By | None, Query(description="Whose evaluations: the source's, or the engine's.")]
Below = Annotated[Literal["white", "black"], Query(description="Who sits at the bottom.")]


MOST_PLAYERS, MOST_EVENTS = 200, 500


@pages.page("/games", "games.html")
def games(ctx: PublicContext, query: Annotated[GamesQuery, Query()]) -> GamesPage:
    """Find games by player, opponent, colour, result, event, opening, day and rating, the last ones first."""
    asked = query.model_dump(exclude={"before"}, exclude_defaults=True)
    index = ctx.cached(("event index",), lambda: event_index(ctx.connection), shared=True)
    events = tuple(index.found(query.event)[:MOST_EVENTS]) if query.event.strip() else None
    wanted = GamesWanted(
        players=_numbers(ctx, query.q),
        opponents=_numbers(ctx, query.opponent),
        colour=query.colour,
        outcome=query.result,
        events=events,
        opening=query.opening,
        first=_first(query.first),
        last=_first(query.last, end=True),
        least=float(query.least) if query.least else None,
        moves=query.moves or not asked,
    )
    result, before = found_games(ctx.connection, wanted, before=query.before)
    count = sa.select(sa.func.count()).select_from(tables.moves)
    return GamesPage(
        query=query,
        any=bool(asked),
        with_moves=ctx.connection.execute(count).scalar_one(),
        games=result,
        before=before,
        more=with_query("/games", {**asked, "before": before}) if before else None,
    )


def _numbers(ctx: RequestContext, text: str) -> tuple[int, ...] | None:
    """Return whom a text may mean, with all who were merged into them; None: nothing is asked."""
    if not text.strip():
        return None
    return tuple(persons(ctx.connection, ranked_players(ctx, text)[:MOST_PLAYERS]))


def _first(text: str, *, end: bool = False) -> date | None:
    """Return the first day of a year, a month or a day, or the last one."""
    if not text:
        return None
    parts = [int(part) for part in text.split("-")]
    try:
        whole = date(*parts, *(1,) * (3 - len(parts)))
    except ValueError:
        raise HTTPException(422, f"there is no day {text}") from None
    if not end or len(parts) == 3:
        return whole
    months = 12 if len(parts) == 1 else 1
    number = whole.year * 12 + whole.month - 1 + months
    return date(number // 12, number % 12 + 1, 1) - timedelta(days=1)


@pages.page("/games/{number}", "game.html")
def game(
    ctx: PublicContext,
    number: Number,
    ply: Annotated[int | None, Query(ge=0, le=MOST_PLIES)] = None,
    side: Below = "white",
    by: Whose = None,
) -> GamePage:
    """Show a game: its players, its moves, how well it was played."""
    sheet = _sheet(ctx, number)
    return game_page(sheet, _looked(ctx, sheet, by), ply=ply, side=side, store=ctx.settings.store is not None)


@router.get(
    "/games/{number}/board/{ply}.svg",
    response_class=Response,
    responses={200: {"content": {"image/svg+xml": {}}}, **REFUSED},
)
def board(
    ctx: PublicContext, number: Number, ply: PlyNumber, side: Below = "white", by: Whose = None
) -> Response:
    """Return the position after this many half-moves as a picture."""
    looked = _looked(ctx, _sheet(ctx, number), by)
    if looked is None or ply > looked.play.length or not looked.play.positions.height:
        raise HTTPException(404, f"game {number} has no position {ply}")
    best = looked.play.evaluated.table["best"][ply]
    picture = drawn(looked.play.positions, ply, best=best, white_below=side == "white")
    kept = {"Cache-Control": "private, max-age=60"}
    return Response(picture, media_type="image/svg+xml", headers=kept)


@router.get("/games/{number}/pgn", response_class=PlainTextResponse, responses=REFUSED)
def pgn(ctx: PublicContext, number: Number) -> Response:
    """Return a game as PGN, with its comments and variations as they came."""
    sheet = _sheet(ctx, number)
    if sheet.moves is None:
        raise HTTPException(404, f"the ledger has no moves of game {number}")
    headers = {"Content-Disposition": f'attachment; filename="game-{sheet.id}.pgn"'}
    return Response(pgn_of(sheet), media_type="application/x-chess-pgn", headers=headers)


@pages.chart("/charts/games/{number}/{what}")
def chart(ctx: PublicContext, number: Number, what: Picture, by: Whose = None) -> dict[str, Any]:
    """Return the evaluation after each move, the gain of each, or both players' strength, as Vega-Lite."""
    return picture(_report(ctx, number, by), what)


def _sheet(ctx: PublicContext, number: int) -> GameSheet:
    result = game_sheet(ctx.connection, number)
    if result is None:
        raise HTTPException(404, f"there is no game {number} in this ledger")
    return result


def _report(ctx: PublicContext, number: int, by: By | None) -> Any:
    looked = _looked(ctx, _sheet(ctx, number), by)
    if looked is None or looked.figures.report is None:
        raise HTTPException(404, f"game {number} has no evaluations: nothing can be drawn")
    return looked.figures.report


def _looked(ctx: PublicContext, sheet: GameSheet, by: By | None) -> Looked | None:
    """Return a game's moves and figures, from the cache while ledger and evaluations stay the same."""
    kept, store = sheet.moves, ctx.settings.store
    if kept is None or sheet.black is None:
        return None
    names = (sheet.white.name, sheet.black.name)

    def make() -> Looked:
        play = play_of(kept, names, score=sheet.score, store=store, by=by)
        figures = figures_of(play)
        first = play.evaluated.table["cp"][0] if play.length else None
        start = None if first is None else float(win_percent(first)) / 100
        moves = [
            {**move, "says": _says(move), "time": _clock(move["clock"])}
            for move in moves_of_play(play, figures, kept)
        ]
        return Looked(play, figures, moves, _positions(play), start)

    text = hashlib.blake2b(f"{kept.start}\n{kept.text}\n{names}".encode()).digest()
    result: Looked = ctx.cached(("game", sheet.id, text, by, store_stamp(store)), make, shared=True)
    return result
