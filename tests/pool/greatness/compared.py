"""Which of our events is which of the text's, and what both say."""

from __future__ import annotations

import csv
import re
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parent
SPELLED = {
    "Lasker_Em": "Lasker", "Polgar_S": "Polgar, So", "Polgar_J": "Polgar, Ju", "Byrne_R": "Byrne, R",
    "Sierawan": "Seirawan", "Korchnoi": "Kortschnoj", "Lagrave95": "Vachier", "Karuana66": "Caruana",
    "Dominges86": "Dominguez", "Andreykin53": "Andreikin",
}  # fmt: skip


@dataclass(frozen=True)
class Compared:
    """One figure of the text and ours; `why` is empty where nothing needs to be explained."""

    player: str | None
    event: str
    year: int
    printed: float
    ours: float
    ratings: str
    why: str

    @property
    def off(self) -> float:
        return self.ours / self.printed - 1

    @property
    def title(self) -> str:
        event = re.sub(r"_?(19|18|20)\d\d", "", self.event).replace("_", " ")
        who = re.sub(r"\d+$", "", self.player or "").replace("_", " ")
        return f"{who + ', ' if who else ''}{event} {self.year}"


def compared(records, great, strong) -> list[Compared]:
    """Pair the rows of the two golden lists with the records of a run; rows of no record are left out."""
    with (HERE / "compared.csv").open(encoding="utf-8") as handle:
        ours = {(r["event"], r["year"]): r for r in csv.DictReader(handle)}
    found = []
    for row in [*great, *strong]:
        match = ours.get((row["event"], row["year"]))
        record = match and _record(records, match)
        if not record:
            continue
        player = row.get("player")
        figure = record.strength if player is None else _g(record, player)
        if figure is not None:
            printed = float(row["g"] if player else row["strength"])
            found.append(
                Compared(player, row["event"], int(row["year"]), printed, figure, record.ratings, match["why"])
            )  # fmt: skip
    return found


def _record(records, match):
    name, _, site = match["ours"].partition("@")
    alike = [
        r for r in records if r.event == name and str(r.year) == match["our_year"] and site in (r.site or "")
    ]
    return max(alike, key=lambda r: r.games, default=None)


def _g(record, player):
    wanted = SPELLED.get(player, re.sub(r"\d+$", "", player))
    return next((p.g_score for p in record.performances if p.player.startswith(wanted)), None)
