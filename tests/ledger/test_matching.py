"""Who is who: names alike, the score, what is sure and what is not. Frames only, no database."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arpad.ledger.imports.matching import DOUBTFUL, NAME_SCORE, STAGED_PLAYERS, SURE, candidates, match
from arpad.ledger.register import fold, folds, is_nobody, parts


@dataclass
class Frames:
    """Known players as plain rows: (player, name), ids, profiles, ratings."""

    names: list[tuple[int, str]]
    scheme_ids: dict[str, int] = field(default_factory=dict)
    profile: dict[int, dict[str, str]] = field(default_factory=dict)
    rating: dict[int, tuple[float, date]] = field(default_factory=dict)
    settled: frozenset[tuple[int, str]] = frozenset()

    def ids(self, _scheme, values):
        rows = [(p, v) for v, p in self.scheme_ids.items() if v in values]
        return pl.DataFrame(rows, schema={"player": pl.Int64, "value": pl.String}, orient="row")

    def ids_of(self, _scheme, players):
        rows = [(p, v) for v, p in self.scheme_ids.items() if p in players]
        return pl.DataFrame(rows, schema={"player": pl.Int64, "value": pl.String}, orient="row")

    def spellings(self, players=None):
        rows = [
            (p, n, fold(n), (p, n) in self.settled) for p, n in self.names if players is None or p in players
        ]
        kinds = {"player": pl.Int64, "name": pl.String, "fold": pl.String, "settled": pl.Boolean}
        return pl.DataFrame(rows, schema=kinds, orient="row")

    def profiles(self, players):
        names = ("birth", "federation", "title", "sex")
        rows = [(p, *(self.profile.get(p, {}).get(n) for n in names)) for p in players]
        kinds = {"player": pl.Int64, **dict.fromkeys(names, pl.String)}
        return pl.DataFrame(rows, schema=kinds, orient="row")

    def ratings(self, players):
        rows = [(p, *self.rating[p]) for p in players if p in self.rating]
        kinds = {"player": pl.Int64, "rating": pl.Float64, "day": pl.Date}
        return pl.DataFrame(rows, schema=kinds, orient="row")


def people(*rows) -> pl.DataFrame:
    """Incoming players: names, or dicts."""
    told = [{"name": r} if isinstance(r, str) else r for r in rows]
    frame = pl.DataFrame(
        [{"row": i, **{k: None for k in STAGED_PLAYERS if k != "row"}, **r} for i, r in enumerate(told)],
        schema=STAGED_PLAYERS,
    )
    return frame.with_columns(folds(frame["name"]))


def found(*incoming, known, scheme="fide"):
    result = match(people(*incoming), known, scheme=scheme)
    return result.rows.select("how", "player", "score").rows(), result


def alike(mine: str, theirs: str) -> str | None:
    one = pl.DataFrame({"row": [0], "name": [mine]}, schema_overrides={"row": pl.Int32})
    other = pl.DataFrame({"player": [1], "name": [theirs]})
    pairs = candidates(one.with_columns(folds(one["name"])), other.with_columns(folds(other["name"])))
    return pairs["alike"].to_list()[0] if pairs.height else None


@pytest.mark.parametrize(
    ("mine", "theirs", "word"),
    [
        ("Carlsen, Magnus", "MAGNUS CARLSEN", "same"),
        ("Müller, Jörg", "Mueller,Joerg", "same"),
        ("Đoković, Novak", "Djokovic Novak", "letter"),
        ("Løken, Åse", "Loken, Ase", "same"),
        ("Иванов, Пётр", "Петр Иванов", "same"),
        ("山田 太郎", "太郎 山田", "same"),
        ("Carlsen,M", "Carlsen, Magnus", "initials"),
        ("Carlsen M.", "Carlsen, Magnus", "initials"),
        ("M. Carlsen", "Carlsen, Magnus", "initials"),
        ("Fischer, RJ", "Fischer, Robert James", "initials"),
        ("Fischer, R.J.", "Robert James Fischer", "initials"),
        ("Fischer, Robert", "Fischer, Robert James", "fewer"),
        ("Karpov,Anat", "Karpov, Anatoly", "beginning"),
        ("Garcia, Juan", "Garcia Lopez, Juan", "part"),
        ("Carlsen, Magnsu", "Carlsen, Magnus", "letter"),
        ("Carlson, Magnus", "Carlsen, Magnus", "letter"),
        ("Carlsen, Magnus", "Carlsn, Magnus", "letter"),
        ("Ivanov,A", "Ivanov,A", "same short"),
        ("Morphy", "morphy", "same word"),
        ("Garcia Lopez, Juan", "Garcia Perez, Juan", None),
        ("Savic,An", "Savic,Al", None),
        ("Carlsen,H", "Carlsen, Magnus", None),
        ("Anna Berger", "Anna Maier", None),
        ("Li, Wei", "Liu, Wei", None),
    ],
)
def test_how_names_are_alike(mine, theirs, word):
    assert alike(mine, theirs) == word
    assert alike(theirs, mine) == word


@given(st.text(min_size=1, max_size=40))
def test_folding_is_settled_and_any_name_can_be_asked(name):
    once = fold(name)
    assert fold(once) == once
    assert fold(name.upper().lower()) == fold(name.lower())
    assert isinstance(is_nobody(name), bool)


WORDS = st.text("abcdefghijklmnoprstuvwz", min_size=3, max_size=9)


@given(WORDS, WORDS)
def test_order_case_and_accents_do_not_matter(surname, given_name):
    plain = fold(f"{surname}, {given_name}")
    assert fold(f"{given_name.title()} {surname.upper()}") == plain
    accented = surname.replace("a", "á").replace("o", "ö").replace("c", "ç")
    assert fold(f"{accented},{given_name}") == plain


def test_nobodys_names_are_never_matched():
    known = Frames([(1, "Player 7"), (2, "NN"), (3, "#12")])
    rows, _ = found("Player 7", "N.N.", "#12", "?", known=known)
    assert [how for how, _, _ in rows] == ["new"] * 4


def test_an_id_counts_before_the_name():
    known = Frames([(1, "Anand, Viswanathan"), (2, "Anand, V")], {"5000017": 1})
    rows, _ = found({"name": "Anand,V", "value": "5000017"}, known=known)
    assert rows == [("id", 1, 1.0)]


def test_an_id_with_another_name_is_doubtful():
    known = Frames([(1, "Carlsen, Magnus")], {"1503014": 1})
    rows, result = found({"name": "Smith, John", "value": "1503014"}, known=known)
    assert rows == [("doubtful", None, 0.7)]
    assert "no word of the name" in result.doubts["reason"][0]
    for name in ("Carlsen,M", "Karlsen, Magnus", "#1503014", "Magnus"):
        assert found({"name": name, "value": "1503014"}, known=known)[0][0][0] == "id"


def test_another_id_of_the_same_scheme_is_another_person():
    known = Frames([(1, "Ivanov, Alexander")], {"11": 1})
    rows, result = found({"name": "Ivanov, Alexander", "value": "12"}, known=known)
    assert rows == [("new", None, None)]
    assert result.doubts.is_empty()


def test_a_full_name_is_enough_unless_two_have_it():
    assert found("Anna Berger", known=Frames([(1, "Berger, Anna")]))[0] == [("name", 1, 1.0)]
    two = Frames([(1, "Berger, Anna"), (2, "Berger, Anna")])
    rows, result = found("Anna Berger", known=two)
    assert rows == [("doubtful", None, 1.0)]
    assert result.doubts["player"].to_list() == [1, 2]


def test_a_shorter_name_beside_it_does_not_make_a_full_one_doubtful():
    known = Frames([(1, "Fox, Fay"), (2, "Fox,F")], rating={2: (1640, date(2026, 1, 1))})
    rows, _ = found({"name": "Fay Fox", "rating": 1650, "day": date(2026, 2, 1)}, known=known)
    assert rows == [("name", 1, 1.0)]


def test_initials_need_three_witnesses_or_a_day_of_birth():
    day = date(2026, 1, 1)
    profile = {1: {"federation": "NOR", "title": "GM", "birth": "1990-11-30"}}
    known = Frames([(1, "Carlsen, Magnus")], profile=profile, rating={1: (2840, day)})
    told = {"name": "Carlsen,M", "rating": 2835, "day": day}
    assert found(told, known=known)[0] == [("doubtful", None, 0.91)]
    assert found(told | {"federation": "NOR"}, known=known)[0][0][0] == "doubtful"
    full = told | {"federation": "NOR", "title": "GM"}
    assert found(full, known=known)[0] == [("name", 1, 0.96)]
    born = {"name": "Carlsen,M", "birth": "1990-11-30"}
    assert found(born, known=known)[0] == [("name", 1, 1.0)]


@pytest.mark.parametrize(
    ("told", "how", "score"),
    [
        ({"birth": "1990-11-30"}, "name", 1.0),
        ({"birth": "1990"}, "name", 1.0),
        ({"birth": "1990-11-29"}, "doubtful", 0.9),
        ({"birth": "1991"}, "new", None),
        ({"federation": "SWE"}, "doubtful", 0.9),
        ({"sex": "w"}, "new", None),
        ({"rating": 2500, "day": date(2026, 1, 1)}, "doubtful", 0.9),
        ({"rating": 2000, "day": date(2026, 1, 1)}, "doubtful", 0.7),
        ({"rating": 2000, "day": date(2020, 1, 1)}, "name", 1.0),
    ],
)
def test_what_speaks_against_the_same_name(told, how, score):
    profile = {1: {"federation": "NOR", "sex": "m", "birth": "1990-11-30"}}
    known = Frames([(1, "Carlsen, Magnus")], profile=profile, rating={1: (2840, date(2026, 1, 1))})
    rows, _ = found({"name": "Magnus Carlsen", **told}, known=known)
    assert (rows[0][0], rows[0][2]) == (how, score)


def test_the_same_spelling_is_no_doubt_by_itself():
    day = date(2026, 1, 1)
    one = Frames([(1, "Carlsen,M")], profile={1: {"federation": "NOR"}}, rating={1: (2840, day)})
    assert found("Carlsen,M", known=one)[0] == [("name", 1, 0.95)]
    assert found("M. Carlsen", known=one)[0] == [("name", 1, 0.95)]
    for contradiction in ({"federation": "SWE"}, {"rating": 2500, "day": day}):
        assert found({"name": "Carlsen,M", **contradiction}, known=one)[0][0][0] == "doubtful"
    two = Frames([(1, "Carlsen,M"), (2, "Carlsen, M.")])
    assert found("Carlsen,M", known=two)[0][0][0] == "doubtful"
    longer = Frames([(1, "Carlsen,M"), (2, "Carlsen, Magnus")])  # asked when that one came
    assert found("Carlsen,M", known=longer)[0] == [("name", 1, 0.95)]


def test_what_was_settled_once_is_not_asked_again():
    names = [(1, "Fox, Fay"), (1, "Fox,F")]
    profile = {1: {"federation": "ENG"}}
    told = {"name": "F. Fox", "federation": "WLS"}
    assert found(told, known=Frames(names, profile=profile))[0][0][0] == "doubtful"
    settled = Frames(names, profile=profile, settled=frozenset({(1, "Fox,F")}))
    assert found(told, known=settled)[0] == [("name", 1, 1.0)]


def test_two_of_one_file_are_never_one_player():
    known = Frames([(1, "Berger, Anna")], {"9": 1})
    rows, _ = found("Berger, Anna", "Anna Berger", known=Frames([(1, "Berger, Anna")]))
    assert [how for how, _, _ in rows] == ["doubtful", "doubtful"]
    rows, _ = found({"name": "Berger, A", "value": "9"}, "Anna Berger", known=known)
    assert [(how, player) for how, player, _ in rows] == [("id", 1), ("doubtful", None)]


def test_the_constants_are_in_order():
    assert list(NAME_SCORE.values()) == sorted(NAME_SCORE.values(), reverse=True)
    assert DOUBTFUL < min(NAME_SCORE.values()) < SURE <= NAME_SCORE["same word"]


NAMES = st.lists(
    st.tuples(st.sampled_from(["Berger", "Fox", "Li", "Garcia Lopez", "van Dam"]),
              st.sampled_from(["Anna", "A", "An", "Fay", "Juan Carlos", "J"]))
    .map(", ".join),
    min_size=1, max_size=8, unique=True,
)  # fmt: skip


@given(NAMES, NAMES, st.randoms())
def test_the_order_and_the_numbers_of_players_do_not_matter(incoming, known, random):
    """Relabelling: other numbers and another order give the same answer for every name."""
    first = match(people(*incoming), Frames(list(enumerate(known, start=1))), scheme="fide")
    number = list(range(50, 50 + len(known)))
    random.shuffle(number)
    other = dict(zip(known, number, strict=True))
    shuffled = [(other[name], name) for name in known]
    random.shuffle(shuffled)
    again = match(people(*incoming), Frames(shuffled), scheme="fide")
    back = {n: i for i, n in enumerate(known, start=1)}
    renamed = {other[name]: back[name] for name in known}
    assert first.rows["how"].to_list() == again.rows["how"].to_list()
    assert first.rows["score"].to_list() == again.rows["score"].to_list()
    players = [None if p is None else renamed[p] for p in again.rows["player"]]
    assert first.rows["player"].to_list() == players
    known_twice = first.rows["player"].drop_nulls()
    assert known_twice.n_unique() == len(known_twice)


@given(NAMES)
def test_looking_first_for_common_words_loses_nobody(incoming):
    known = Frames([(i, n) for i, n in enumerate(
        ["Berger, Anna", "Anna Berger", "Garcia, Juan", "Li, A", "Dam, Anna", "Fax, Fay", "Fox, Fya", "Lopez, Juan"],
        start=1)])  # fmt: skip
    import arpad.ledger.imports.matching as module

    mine = people(*incoming).select("row", "name", "fold")
    few = candidates(mine, known.spellings()).sort("row", "player")
    before, module.FEW = module.FEW, 0
    try:
        every = candidates(mine, known.spellings()).sort("row", "player")
    finally:
        module.FEW = before
    assert few.equals(every)


def test_parts_of_a_name_in_brackets_are_left_out():
    assert parts("Wang Hao (CHN)")[2] == ("wang", "hao")
    assert fold("(computer)") != ""
