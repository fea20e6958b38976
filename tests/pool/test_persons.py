from __future__ import annotations

from datetime import date

import pytest

from arpad.errors import UsageError
from arpad.model import Event, Games
from arpad.pool.persons import Directory, join_names, serious_games
from tests.pool.lives import made


def joined(*names_years, given=None, ratings=None):
    """Each name plays one game in each of its years against a stranger."""
    rows = [(name, f"Stranger{i}", 1.0, y) for i, (name, *years) in enumerate(names_years) for y in years]
    games = made(rows)
    if ratings:
        column = [ratings.get(r[0]) for r in rows]
        games = Games.assemble(
            {c: games.table[c] for c in ("white", "black", "score", "date")} | {"white_rating": column},
            {"name": games.players["name"]},
        )
    persons = join_names(games, given=given)
    return dict(persons.joined.select("name", "person").iter_rows()), persons.doubtful


def test_the_laskers_stay_apart():
    found, doubtful = joined(
        ("Lasker, Emanuel", *range(1889, 1937)),
        ("Lasker, Edward", *range(1912, 1925)),
        ("Lasker,Em", 1906),
        ("Lasker,Ed", 1920),
    )
    assert found == {"Lasker,Em": "Lasker, Emanuel", "Lasker,Ed": "Lasker, Edward"}
    found, doubtful = joined(
        ("Lasker, Emanuel", *range(1889, 1900)), ("Lasker, Edward", *range(1889, 1895)), ("Lasker,E", 1895)
    )
    assert found == {}
    assert doubtful == ("Lasker,E",)


def test_an_abbreviation_goes_to_the_one_with_many_more_games():
    found, _ = joined(
        ("Kasparov, Gary", *range(1976, 2000)),
        ("Kasparov,Georgy", 2001),
        ("Kasparov,G", *range(2000, 2005)),
        ("Kasparov,S", 2001),
    )
    assert found == {"Kasparov,G": "Kasparov, Gary"}


def test_spellings_of_one_name():
    found, _ = joined(
        ("Karpov, Anatoly", 1990), ("Karpov,Ana", 1991), ("Karpov,An", 1992), ("Hou Yifan", 2010), ("Hou, Yifan", 2011),
        ("Anand V", 1992), ("Anand, Viswanathan", 1993), ("Müller, Karl", 1990), ("Mueller, Karl", 1991),
        ("Jakovenko, Dmitrij", 1999), ("Jakovenko, Dmitry", 2010), ("Jakovenko,D", *range(2000, 2010)),
    )  # fmt: skip
    assert found["Karpov,Ana"] == found["Karpov,An"] == "Karpov, Anatoly"
    assert found["Anand V"] == "Anand, Viswanathan"
    assert "Hou, Yifan" in (*found, *found.values())
    assert "Mueller, Karl" in (*found, *found.values())
    assert found["Jakovenko,D"] in ("Jakovenko, Dmitrij", "Jakovenko, Dmitry")
    assert len([n for n in found if n.startswith("Jak")]) == 2


def test_what_is_not_joined():
    assert joined(("Fischer, Robert James", 1970), ("Fischer, Robert", 1971))[0] == {}
    assert joined(("Smith, John", 1900), ("Smith,J", 1990))[0] == {}  # two lives
    assert joined(("Player 1", 1900), ("Player 10", 1901), ("Player 2", 1902), ("Player", 1902))[0] == {}
    assert joined(("Ivanov,Al3", 2000), ("Ivanov,Al4", 2001), ("Ivanov, Alexander", 2001))[0] == {}
    far = {"Petrosian, Tigran": 2222.0, "Petrosian,T": 2600.0}
    assert joined(("Petrosian, Tigran", 1999), ("Petrosian,T", 2000), ratings=far)[0] == {}
    near = {"Petrosian, Tigran": 2522.0, "Petrosian,T": 2600.0}
    assert joined(("Petrosian, Tigran", 1999), ("Petrosian,T", 2000), ratings=near)[0] == {
        "Petrosian,T": "Petrosian, Tigran"
    }


def test_what_the_user_says_goes_first():
    names = (("Kortschnoj, Viktor", 1980), ("Korchnoi,V", 1990), ("Korchnoi, Victoria", 1991))
    found, _ = joined(*names, given={"Korchnoi,V": "Kortschnoj, Viktor", "Absent": "Missing"})
    assert found == {"Korchnoi,V": "Kortschnoj, Viktor"}
    assert joined(*names, given={"Korchnoi,V": "Korchnoi,V"})[0] == {}


def test_births_find_their_players():
    who = Directory.of(
        ["Steinitz, William", "Evans, Larry M", "Evans, Larry D", "Petrov, Anton"], [500, 900, 30, 10]
    )
    births = {
        "Steinitz, Wilhelm": 1836,
        "Evans, Larry D.": 1952,
        "Evans, Larry M.": 1932,
        "Petrov, Alexander": 1794,
    }
    found = who.births(births, [1859, 1948, 1970, 1995])
    assert found == {"Steinitz, William": 1836, "Evans, Larry M": 1932, "Evans, Larry D": 1952}
    two = Directory.of(["Smith, J"], [5])
    assert two.births({"Smith, John": 1900, "Smith, James": 1905}, [1920]) == {}


def test_which_games_count():
    events = (
        Event(name="London sim"),
        Event(name="London"),
        Event(name="World Blitz"),
        Event(name="Paris", site="Internet"),
    )
    games = Games.assemble(
        {"white": [0] * 6, "black": [1, 1, 1, 1, 2, 1], "score": [1.0] * 6, "event": [0, 1, 2, 3, 1, 1],
         "date": [date(1900, 1, 1)] * 5 + [None]},
        {"name": ["Morphy, Paul", "Anderssen, Adolf", "Blackburne/Potter"]}, events,
    )  # fmt: skip
    table, left = serious_games(games)
    assert table.height == 1
    assert left == {"no year": 1, "event": 3, "player": 1}
    assert serious_games(games, events="", nobody="")[0].height == 5
    with pytest.raises(UsageError, match="regular expression"):
        serious_games(games, events="(")
