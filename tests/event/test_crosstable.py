from __future__ import annotations

from arpad.event.field import crosstable
from arpad.model import Games
from arpad.read import read
from tests.read.samples import PRA, TRF


def test_square(tmp_path):
    path = tmp_path / "e.pra"
    path.write_text(PRA)
    table = crosstable(read(path).games)
    assert table.square
    # Isle of Lewis 1995, counted by hand from the list of games in the text
    assert table.rows["player"].to_list() == ["Polgar", "Agdestein", "Short", "Motwani"]
    assert table.rows["points"].to_list() == [5.0, 3.5, 2.0, 1.5]
    assert table.rows["rank"].to_list() == [1, 2, 3, 4]
    assert table.rows["2"].to_list() == ["½½", "—", "00", "½1"]
    assert table.rows["1"].to_list()[0] == "—"


def test_points_of_a_square_table_add_up(tmp_path):
    path = tmp_path / "e.pra"
    path.write_text(PRA)
    games = read(path).games
    assert crosstable(games).rows["points"].sum() == len(games)


def test_by_rounds_with_byes_and_forfeits(tmp_path):
    path = tmp_path / "e.trf"
    path.write_text(TRF)
    table = crosstable(read(path).games)
    assert not table.square
    assert table.rows["player"].to_list()[0] == "Alpha, Anton"
    assert table.rows["points"].to_list() == [2.0, 1.5, 1.0, 1.0, 0.0]
    rounds = table.table().select("player", "r1", "r2").rows()
    assert rounds[1] == ("Beta, Berit", "½ 3b", "+5")
    assert rounds[2] == ("Delta, Dag", "½ 2w", "½ bye")


def test_unplayed_games_are_dots():
    columns = {"white": [0, 1], "black": [1, 0], "score": [None, 1.0], "status": ["unplayed", "forfeit"]}
    table = crosstable(Games.assemble(columns, {"name": ["A", "B"]}))
    assert table.rows.filter(table.rows["player"] == "B").select("2", "1").rows()[0] in (
        ("—", "·1*"),
        ("·1*", "—"),
    )


def test_cells_speak_of_the_numbers_that_stand_there():
    """Thirty players, one round: most share a rank, and nobody has the rank 21."""
    columns = {
        "white": list(range(0, 30, 2)),
        "black": list(range(1, 30, 2)),
        "score": [1.0] * 10 + [0.5] * 5,
        "round": ["1"] * 15,
    }
    table = crosstable(Games.assemble(columns, {"name": [f"P{i:02}" for i in range(30)]}))
    assert not table.square
    name = dict(table.rows.select("number", "player").iter_rows())
    assert sorted(name) == list(range(1, 31))
    assert table.rows["rank"].n_unique() == 3
    for player, cell in table.rows.select("player", "r1").iter_rows():
        opponent = name[int(cell.split()[1][:-1])]
        assert int(opponent[1:]) == int(player[1:]) ^ 1
    assert table.table().columns[:2] == ["#", "player"]
