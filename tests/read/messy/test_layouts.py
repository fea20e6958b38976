"""One event in the layouts of pairing programs, federations and clubs: every one gives the same games."""

from __future__ import annotations

import csv
import io

import pytest

from arpad.read import read
from tests.read.messy.files import ods, xlsx

PEOPLE = {
    1: ("Okafor, Ada", 2011), 2: ("Brzęk, Jan", 1942), 3: ("Muñoz, Eva", 1876), 4: ("Lefèvre, Luc", 1790),
    5: ("Rossi, Pia", 1711), 6: ("Smits, Koen", 1655), 7: ("Ivanov, Oleg", None),
}  # fmt: skip
ROUNDS = [
    [(1, 4, "1"), (5, 2, "="), (3, 6, "1"), (7, None, "1")],
    [(2, 1, "0"), (7, 3, "0"), (4, 5, "="), (6, None, "1")],
    [(1, 3, "="), (2, 6, "+"), (7, 4, "0"), (5, None, "=")],
    [(6, 1, "0"), (3, 2, "="), (5, 7, "1"), (4, None, "0")],
]
"""White, Black and result of each round; + is a forfeit of Black, 4 is absent in the last round."""
POINTS = {"1": 1.0, "=": 0.5, "0": 0.0, "+": 1.0, "-": 0.0}
OTHER = {"1": "0", "=": "=", "0": "1", "+": "-"}
ORDER = [1, 3, 2, 4, 5, 7, 6]
"""The final ranking."""


def truth(*, colours=True):
    games = set()
    for number, pairs in enumerate(ROUNDS, 1):
        for white, black, result in pairs:
            score = POINTS[result]
            if black is None:
                if score:
                    games.add((PEOPLE[white][0], "bye", score, "bye", number))
                continue
            one, two = PEOPLE[white][0], PEOPLE[black][0]
            if not colours and one > two:
                one, two, score = two, one, 1 - score
            games.add((one, two, score, "forfeit" if result == "+" else "played", number))
    return games


def games_in(reading, *, colours=True):
    games = set()
    for row in reading.games.frame().iter_rows(named=True):
        one, two, score = row["white"], row["black"], row["score"]
        number = int(row["round"].split(".")[0])
        if two is None:
            games |= {(one, "bye", score, "bye", number)} if score else set()
            continue
        if not colours and one > two:
            one, two, score = two, one, 1 - score
        games.add((one, two, score, row["status"], number))
    return games


def cell(player, number):
    """Return opponent, colour and result of a player in a round."""
    for white, black, result in ROUNDS[number]:
        if player == white:
            return black, "w", result
        if player == black:
            return white, "b", OTHER[result]
    raise AssertionError


def points(player):
    return sum(POINTS[cell(player, number)[2]] for number in range(4))


def table(form, results, byes, heads):
    """Return a Swiss table; `byes` are the cells of a whole, a half and no point."""
    rows = [heads]
    for rank, player in enumerate(ORDER, 1):
        cells = []
        for number in range(4):
            opponent, colour, result = cell(player, number)
            if opponent is None:
                cells.append(byes["1=0".index(result)])
            else:
                mark = results[result]
                place = ORDER.index(opponent) + 1
                cells.append(form.format(n=place, c=colour, r=mark[0], f=mark[1:]))
        name, rating = PEOPLE[player]
        rows.append([rank, name, rating or 0, *cells, points(player)])
    return rows


def text(rows, separator=";"):
    out = io.StringIO()
    csv.writer(out, delimiter=separator).writerows(rows)
    return out.getvalue().encode()


HEADS = ["Nr", "Name", "Elo", "1", "2", "3", "4", "Pkt"]
DIGITS = {"1": "1", "=": "½", "0": "0", "+": "1k", "-": "0k"}
SIGNS = {"1": "+", "=": "=", "0": "-", "+": "+k", "-": "-k"}
LETTERS = {"1": "W", "=": "D", "0": "L", "+": "X", "-": "F"}
BYES = ("bye", "½ bye", "-")
CELLS = (
    "{n}{c}{r}{f}",
    "{c}{n}{r}{f}",
    "{c}{n} {r}{f}",
    "{r} {c} {n}{f}",
    "{n}/{c}/{r}{f}",
    "{n}{c}-{r}{f}",
    "{c}{n}:{r}{f}",
    "{r} ({c}{n}){f}",
)
BLIND = ("{r}{n}{f}", "{n}{r}{f}", "{r}:{n}{f}", "{n}, {r}{f}", "{r}/{n}{f}", "{r} #{n}{f}", "{r} vs {n}{f}")  # fmt: skip


def separate(heads, colours="wb", results=DIGITS, order="ocr", above=None, names=False):
    """Return a table with columns of opponent, colour and result in each round."""
    rows = [above] if above else []
    rows.append(["No", "Name", "Rtg", *(head.format(n) for n in range(1, 5) for head in heads), "Pts"])
    for rank, player in enumerate(ORDER, 1):
        row = [rank, PEOPLE[player][0], PEOPLE[player][1]]
        for number in range(4):
            opponent, colour, result = cell(player, number)
            who = "bye" if opponent is None else PEOPLE[opponent][0] if names else ORDER.index(opponent) + 1
            side = "" if opponent is None else colours["wb".index(colour)]
            row += [{"o": who, "c": side, "r": results[result]}[part] for part in order]
        rows.append([*row, points(player)])
    return rows


def listed(colours, results, heads):
    """Return a row for each player and round: every game stands there twice."""
    rows = [heads]
    for player, (name, _) in PEOPLE.items():
        for number in range(4):
            opponent, colour, result = cell(player, number)
            other = "bye" if opponent is None else PEOPLE[opponent][0]
            side = "" if opponent is None else colours["wb".index(colour)]
            rows.append([number + 1, name, other, side, results[result]])
    return rows


def pairings(heads, title, bye, unpaired):
    """Return the pairings of every round under their title, as pairing programs print them."""
    rounds = []
    for number, pairs in enumerate(ROUNDS):
        rows = [[title.format(number + 1, 3 + 7 * number)], heads]
        for board, (white, black, result) in enumerate(pairs, 1):
            said = {"1": "1 - 0", "0": "0 - 1", "=": "½ - ½", "+": "+ - -"}[result]
            one, rating = PEOPLE[white]
            if black is None:
                rows.append(
                    [
                        board,
                        white,
                        "",
                        one,
                        rating or 0,
                        0,
                        {"1": "1", "=": "½", "0": "0"}[result],
                        "",
                        "",
                        bye if POINTS[result] else unpaired,
                        "",
                        "",
                    ]
                )
            else:
                two, theirs = PEOPLE[black]
                rows.append([board, white, "", one, rating or 0, 0, said, 0, "", two, theirs or 0, black])
        rounds.append(rows)
    return rounds


PAIRINGS = {
    "en": ("Round", ["Bo.", "No.", "", "White", "Rtg", "Pts.", "Result", "Pts.", "", "Black", "Rtg", "No."], "Round {} on 2026/10/{:02} at 19:00", "bye", "not paired"),
    "de": ("Runde", ["Br.", "Nr.", "", "Weiß", "Elo", "Pkt.", "Ergebnis", "Pkt.", "", "Schwarz", "Elo", "Nr."], "{}. Runde am {:02}.10.2026 um 19:00 Uhr", "spielfrei", "nicht ausgelost"),
    "es": ("Ronda", ["Mes.", "Nº", "", "Blancas", "Elo", "Pts.", "Resultado", "Pts.", "", "Negras", "Elo", "Nº"], "Ronda {} el {:02}/10/2026 a las 19:00", "descansa", "no emparejado"),
    "fr": ("Ronde", ["Tab", "No.", "", "Blancs", "Elo", "Pts", "Résultat", "Pts", "", "Noirs", "Elo", "No."], "Ronde {} le {:02}/10/2026 à 19h00", "exempt", "non apparié"),
    "it": ("Turno", ["Sc.", "No.", "", "Bianco", "Elo", "Pt.", "Risultato", "Pt.", "", "Nero", "Elo", "No."], "{}. Turno il {:02}/10/2026", "riposa", "non abbinato"),
    "nl": ("Ronde", ["Bord", "Nr.", "", "Wit", "Rat", "Pnt", "Uitslag", "Pnt", "", "Zwart", "Rat", "Nr."], "Ronde {} op {:02}-10-2026", "vrij", "niet ingedeeld"),
    "pl": ("Runda", ["Sz.", "Nr", "", "Białe", "Rank.", "Pkt", "Wynik", "Pkt", "", "Czarne", "Rank.", "Nr"], "Runda {} dnia {:02}.10.2026", "pauza", "nie kojarzony"),
    "pt": ("Rodada", ["Mesa", "Nr", "", "Brancas", "Elo", "Pts", "Resultado", "Pts", "", "Pretas", "Elo", "Nr"], "Rodada {} em {:02}/10/2026", "folga", "não emparceirado"),
    "ru": ("Тур", ["Стол", "Ном", "", "Белые", "рейт", "Очки", "Результат", "Очки", "", "Черные", "рейт", "Ном"], "Тур {} {:02}.10.2026", "свободен", "не в жеребьёвке"),
}  # fmt: skip
FILES = {
    **{f"{form} {kind}.csv": (text(table(form, marks, BYES, HEADS)), form in CELLS)
       for form in CELLS + BLIND for kind, marks in (("digits", DIGITS), ("signs", SIGNS))},
    "swisssys.csv": (text(table("{r}{n}", LETTERS, ("B---", "H---", "U---"), ["#", "Name", "Rtng", "Rd 1", "Rd 2", "Rd 3", "Rd 4", "Tot"]), ","), False),
    "wintd.csv": (text(table("{r}{n}", LETTERS, ("BYE", "HALF", "---"), ["Num", "Name", "Rate", "Rd 1", "Rd 2", "Rd 3", "Rd 4", "Total"]), ","), False),
    "separate.xlsx": (xlsx({"S": separate(["R{} Opp", "R{} Col", "R{} Res"])}), True),
    "separate-words.csv": (text(separate(["Opp{}", "Color{}", "Result{}"], ("White", "Black"))), True),
    "separate-letters.csv": (text(separate(["Round {} Opponent", "Round {} Color", "Round {} Result"], "WB", LETTERS | {"+": "WF", "-": "LF"}), ","), True),
    "separate-de.csv": (text(separate(["R{} Gegner", "R{} Farbe", "R{} Erg."], "ws")), True),
    "separate-es.csv": (text(separate(["Rival R{}", "Color R{}", "Resultado R{}"], "BN")), True),
    "separate-fr.csv": (text(separate(["Adv{}", "Coul{}", "Res{}"], "BN")), True),
    "separate-names.csv": (text(separate(["R{} Opponent", "R{} Colour", "R{} Result"], names=True)), True),
    "separate-turned.csv": (text(separate(["{}.Rd Res", "{}.Rd Col", "{}.Rd Opp"], order="rco")), True),
    "separate-without-colours.csv": (text(separate(["R{} Opp", "R{} Res"], order="or")), False),
    "separate-two-headings.xlsx": (xlsx({"S": separate(["Opp", "Col", "Res"], above=["", "", "", "Round 1", "", "", "Round 2", "", "", "Round 3", "", "", "Round 4"])}), True),
    "separate-two-headings.csv": (text(separate(["Opp", "C", "R"], above=["", "", "", "1. Runde", "", "", "2. Runde"])), True),
    "each-player.csv": (text(listed("wb", DIGITS, ["Round", "Player", "Opponent", "Colour", "Result"]), ","), True),
    "each-player-de.csv": (text(listed("WS", DIGITS, ["Runde", "Spieler", "Gegner", "Farbe", "Ergebnis"])), True),
    **{f"pairings-{language}.xlsx": (xlsx({"P": [["Club Open"], [], *(row for rows in pairings(*layout) for row in [*rows, []])]}), True)
       for language, (_, *layout) in PAIRINGS.items()},
    **{f"pairings-{language}.ods": (ods({f"{word} {n}": [["" if c is None else str(c) for c in row] for row in rows] for n, rows in enumerate(pairings(*layout), 1)}), True)
       for language, (word, *layout) in PAIRINGS.items()},
}  # fmt: skip


@pytest.mark.parametrize("name", FILES)
def test_layouts(tmp_path, name):
    content, colours = FILES[name]
    path = tmp_path / name.replace("/", "_").replace(":", "_")
    path.write_bytes(content)
    reading = read(path)
    assert games_in(reading, colours=colours) == truth(colours=colours)
    assert not reading.report.of("skipped")
