"""The number-two rating: given, of a list in force at the event's date, or of the event's own file."""

from __future__ import annotations

from datetime import date

import polars as pl
import pytest

from arpad.errors import InputError, UsageError
from arpad.model import Event, Games, Ratings
from arpad.pool.rating_lists import When, in_force, list_of, number_two, when_played
from arpad.read import read_list


def ratings(*values: float, period: str | None = None, **columns: list[object]) -> Ratings:
    rows = {"player": [f"P{i}" for i in range(len(values))], "rating": list(values), **columns}
    return Ratings(system="published", rows=pl.DataFrame(rows), parameters={"period": period})


def event(day: date | None, precision: str = "day", **more: object) -> Games:
    columns = {"white": [0], "black": [1], "score": [1.0], "event": [0]}
    if day is not None:
        columns |= {"date": [day], "precision": [precision]}
    return Games.assemble(columns, {"name": ["A", "B"]}, [Event(name="E", **more)])


JULY, JANUARY = (list_of(ratings(2785, 2775, period="JUL96")), list_of(ratings(2795, 2765, period="JAN97")))


def test_the_list_in_force_at_the_event_counts():
    found = number_two(event(date(1996, 12, 9)), lists=[JANUARY, JULY])
    assert (found.rating, found.player, found.date) == (2775.0, "P1", date(1996, 7, 1))
    assert found.summary() == "number two 2775 from JUL96 of 1996-07 (P1)"
    assert number_two(event(date(1997, 1, 1)), lists=[JANUARY, JULY]).rating == 2765


def test_inactive_players_do_not_count():
    active = ratings(2900, 2780, 2760, 2700, period="JUL96", flag=["i", None, "wi", "w"])
    assert number_two(event(date(1996, 8, 1)), lists=[list_of(active)]).rating == 2700


def test_two_who_share_the_lead_are_one_and_two():
    assert number_two(event(None), lists=[list_of(ratings(2800, 2800, 2700))]).rating == 2800


def test_what_is_given_goes_before_the_list_and_the_list_before_the_file():
    games = event(date(1996, 12, 9), number_two=2700.0)
    assert number_two(games).rating == 2700
    assert number_two(games).source == "of the event's own file"
    assert number_two(games, lists=[JULY]).rating == 2775
    assert number_two(games, lists=[JULY], given=2650).source == "as given"
    assert number_two(event(None)) is None


@pytest.mark.parametrize("bad", [float("nan"), float("inf"), 0.0, -5.0, 4001.0])
def test_what_is_no_rating_is_refused(bad):
    with pytest.raises(UsageError, match="number-two rating as a number"):
        number_two(event(None), given=bad)


def test_a_list_later_than_the_event_is_refused():
    with pytest.raises(UsageError, match=r"in force at the event \(1972-07-11\).*JUL96"):
        number_two(event(date(1972, 7, 11)), lists=[JANUARY, JULY])


def test_a_year_alone_takes_the_list_before_it_and_else_says_so():
    year = event(date(1997, 1, 1), "year")
    assert number_two(year, lists=[JULY, JANUARY]).notes == ()
    late = list_of(ratings(2800, 2750, period="JUL97"))
    found = number_two(year, lists=[late])
    assert found.rating == 2750
    assert found.notes == ("only 1997 is known of the event's date: JUL97 is taken",)


def test_an_event_without_a_date_takes_the_one_list_and_says_so():
    assert number_two(event(None), lists=[JULY]).notes == (
        "the event has no date: JUL96 is used as the list in force",
    )
    with pytest.raises(UsageError, match="2 rating lists for an event without a date"):
        number_two(event(None), lists=[JULY, JANUARY])
    with pytest.raises(UsageError, match="at least one rating list"):
        in_force([], None)


@pytest.mark.parametrize(
    ("file", "day"),
    [
        ("lists/1996-07.csv", date(1996, 7, 1)),
        ("world_1996_07_15.csv", date(1996, 7, 15)),
        ("standard_jan24frl_xml.xml", date(2024, 1, 1)),
        ("/1995-01/plain.csv", None),
        ("1996-13.csv", None),
        ("march.csv", None),
        ("rating19960.csv", None),
    ],
)
def test_a_file_name_tells_the_date(file, day):
    assert list_of(ratings(2700, 2600), file=file).date == day


def test_a_list_of_our_own_tells_its_day():
    own = ratings(2700, 2600, on=["2001-07-01", "2001-07-01"])
    assert list_of(own, file="1996-07.csv").date == date(2001, 7, 1)


def test_several_lists_want_dates():
    with pytest.raises(UsageError, match=r"none for a\.csv.*1996-07\.csv"):
        number_two(event(date(1996, 8, 1)), lists=[JULY, list_of(ratings(1, 2), file="a.csv")])


def test_a_list_with_one_player_has_no_number_two():
    with pytest.raises(InputError, match="two active rated players, found 1"):
        number_two(event(None), lists=[list_of(ratings(2700))])


def test_two_events_with_two_number_twos():
    games = Games.assemble(
        {"white": [0, 0], "black": [1, 1], "score": [1.0, 0.0], "event": [0, 1]},
        {"name": ["A", "B"]},
        [Event(name="E", number_two=2700.0), Event(name="F", number_two=2750.0)],
    )
    with pytest.raises(InputError, match="2700, 2750 in 2 events"):
        number_two(games)


def test_when_an_event_was_played():
    assert when_played(event(None)) is None
    assert when_played(event(None, start=date(2001, 2, 3))) == When(date(2001, 2, 3), date(2001, 2, 3))
    month = when_played(event(date(2001, 2, 1), "month"))
    assert (month.last, str(month)) == (date(2001, 2, 28), "2001-02")
    columns = {
        "white": [0] * 3,
        "black": [1] * 3,
        "score": [1.0] * 3,
        "date": [date(1996, 1, 1), date(1996, 12, 15), date(1996, 12, 9)],
        "precision": ["year", "day", "day"],
    }
    mixed = when_played(Games.assemble(columns, {"name": ["A", "B"]}))
    assert str(mixed) == "1996-12-09"  # as in Las Palmas 1996, where some games have only the year


@pytest.mark.data
def test_number_two_of_fide_lists(data):
    folder = data / "fide_lists"
    lists = [list_of(read_list(folder / f"{f}FRL.TXT.zst"), file=f) for f in ("JUL01", "APR04")]
    for day, rating, player in (
        (date(2004, 4, 1), 2774, "Anand, Viswanathan"),
        (date(2004, 3, 31), 2802, "Kramnik, Vladimir"),
    ):
        found = number_two(event(day), lists=lists)
        assert (found.rating, found.player) == (rating, player)
