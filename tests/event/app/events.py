"""Events for the tests of the app: made by hand, drawn by hypothesis, or out of the results of TWIC."""

from __future__ import annotations

import polars as pl
from hypothesis import strategies as st

from arpad.model import Event, Games

FILES = {"twic": "results_2010_2016_fideid.parquet", "names": "results_1998_2010_names.parquet"}


def event(pairs, ratings, *, names=None, number_two=2800.0, **columns):
    """Return an event from (white, black, score) and everybody's rating."""
    names = names or [f"P{i}" for i in range(len(ratings))]
    table = {
        "white": [w for w, _, _ in pairs],
        "black": [b for _, b, _ in pairs],
        "score": [s for _, _, s in pairs],
        "event": [0] * len(pairs),
        **columns,
    }
    about = Event(name="Test", rating_system="Elo", number_two=number_two)
    return Games.assemble(table, {"name": names, "rating": ratings}, [about])


def twic(data, source, name):
    """Return an event of the TWIC results by its name."""
    rows = pl.scan_parquet(data / "twic_results" / FILES[source])
    rows = rows.filter((pl.col("event") == name) & ~pl.col("fast_or_online"))
    if source == "names":  # the same name every year
        year = {"Tal Memorial": 2009, "Hoogovens": 1999}[name]
        rows = rows.filter(pl.col("date").dt.year() == year)
    e = rows.collect()
    names = sorted({*e["white"], *e["black"]})
    number = {n: i for i, n in enumerate(names)}
    columns = {
        "white": [number[n] for n in e["white"]],
        "black": [number[n] for n in e["black"]],
        "score": e["score"],
        "round": e["round"],
        "date": e["date"],
        "precision": ["day"] * e.height,
        "event": [0] * e.height,
        "white_rating": e["white_elo"],
        "black_rating": e["black_elo"],
    }
    return Games.assemble(columns, {"name": names}, [Event(name=name, rating_system="Elo")])


@st.composite
def tournaments(draw, least=3, most=8):
    """Draw (pairs, ratings): anybody against anybody, any split of the point."""
    n = draw(st.integers(least, most))
    game = st.tuples(
        st.integers(0, n - 1), st.integers(0, n - 1), st.sampled_from([0.0, 0.5, 1.0, 0.25])
    ).filter(lambda g: g[0] != g[1])
    pairs = draw(st.lists(game, min_size=n, max_size=40))
    ring = [(i, (i + 1) % n, draw(st.sampled_from([0.0, 0.5, 1.0]))) for i in range(n)]
    ratings = draw(st.lists(st.integers(1200, 2900).map(float), min_size=n, max_size=n))
    return ring + pairs, ratings
