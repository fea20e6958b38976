"""Column headings in nine languages and the columns they stand for."""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from typing import TYPE_CHECKING, Literal, NamedTuple

from arpad.errors import InputError, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence


Side = Literal["white", "black"]


class Heading(NamedTuple):
    """Meaning of a heading: a field, and the player it belongs to, if it names one."""

    field: str
    side: Side | None = None


_SIDE_WORDS: dict[Side, str] = {
    "white": "white whites weiss weisser blanc blancs blanche blanches blanca blancas blanco blancos "
    "bianco bianchi wit weissspieler witspeler branca brancas branco brancos biale bialy bialych bialymi белые белый "
    "белых белыми",
    "black": "black blacks schwarz schwarzer noir noirs noire noires negra negras negro negros nero neri "
    "zwart schwarzspieler zwartspeler preta pretas preto pretos czarne czarny czarnych czarnymi черные черный черных "
    "черными",
}
_NUMBERED: dict[str, Side] = dict.fromkeys("1 home heim heimspieler thuis casa domicile".split(), "white")  # noqa: SIM905
_NUMBERED |= dict.fromkeys("2 away gast gastspieler guest uit ospite exterieur".split(), "black")  # noqa: SIM905
"""Who stands first has White, as tables of matches have it."""
_INITIALS: dict[str, Side] = {"w": "white", "b": "black"}
_PAIRS = ("wb", "ws", "wz", "bn", "bp", "бч")
"""Headings of one letter: White and Black in nine languages."""
_FIELDS: dict[str, str] = {
    "name": "spieler in|teilnehmer in|teilnehmerin|vorname nachname|vor und nachname|vorname und nachname|mitglieder|joueuse|joueurs|prenom nom|prenom et nom|participant|participants|jugadora|jugadores|participante|socio|nombre completo|cognome e nome|nome e cognome|nome cognome|partecipante|giocatori|tesserato|speelster|deelnemer|spelers|lid|volledige naam|nome completo|jogadores|uczestnik|zawodnicy|фамилия и имя|имя фамилия|фамилия имя отчество|ф и о|спортсмен|players|participant name|members|spieler name|competitor|name|names|full name|player|player name|spieler|spielerin|spielername|name spieler|teilnehmer|teilnehmername"
    "|nachname vorname|name vorname|familienname vorname|joueur|nom|nom prenom|nom joueur|nom du joueur|nom et prenom"
    "|jugador|nombre|apellidos nombre|apellidos y nombre|nombre y apellidos|nombre jugador|giocatore|nominativo|cognome nome"
    "|nome giocatore|speler|naam|naam speler|spelersnaam|jogador|nome|nome do jogador|zawodnik|nazwisko|nazwisko imie"
    "|nazwisko i imie|imie i nazwisko|gracz|игрок|имя|фамилия|фамилия имя|фио|участник|шахматист|member|mitglied",
    "surname": "surname|last|last name|lastname|family name|nachname|familienname|zuname|apellido|apellidos|nom de famille|cognome|achternaam|sobrenome|nazwisko|фамилия",
    "forename": "forename|first|first name|firstname|given name|vorname|prenom|voornaam|imie|имя|nombre de pila|primeiro nome",
    "opponent": "opp|oppo|oppon|versus|vs|opponents|geg|gegn|gegnername|adv|advers|riv|contra|avv|avvers|tegenst|tegenspeler|przec|przeciw|rywal|соп|соперн|против|opponent|opponent name|gegner|gegnerin|adversaire|rival|adversario|oponente|contrincante|avversario|tegenstander|przeciwnik|соперник|противник",
    "colour": "colour|color|col|clr|farbe|fb|couleur|coul|colore|kleur|cor|kolor|цвет|colour played|piece colour|pieces|figuren|piezas|pezzi|stukken|bierki",
    "rating": "рейт|elo int|elo internacional|elo international|rating internacional|elo fide standard|spielstarke|classt|classt elo|rating|ratings|rtg|rtng|rat|elo|elo rating|elo zahl|elozahl|dwz|nwz|twz|ratingzahl|wertungszahl|wertzahl|elo fide"
    "|fide elo|fide rating|rating fide|fide rtg|elo dwz|dwz elo|cote|cote elo|classement|classement elo|elo nat|elo national|puntuacion elo"
    "|ecf|ecf rating|knsb|knsb rating|fqe|uscf|uscf rating|std rating|standard rating|ranking|ranking elo|punteggio elo|рейтинг"
    "|рейтинг эло|эло|rating elo|elo standard|local rating|club rating|vereinswertung|elointernational|elonational|rtgint|rtgnat",
    "id": "no фиде|n o fide|n fide|no fide|nr fide|num fide|numero fide|id nr|ident nr|idnr|mitgliedsnr|mitglied nr|pass nr|passnr|passnummer|spielerpass|spielerpass nr|n ffe|nr ffe|nrffe|matricule|matricula|no licence|nr licence|numero licence|n licence ffe|n tessera|numero tessera|fide nummer|fidenummer|lidnr|lid nr|n socio|nr licencji|nr leg|numer leg|id фшр|фшр id|фиде|member no|member number|member nr|membership no|membership nr|licence no|licence number|license|license no|id|ids|player id|fide id|fideid|id fide|fide nr|fide number|fide no|fide code|code fide|id number|idnumber|ident"
    "|kennnummer|kennziffer|mglnr|mgl nr|mitgliedsnummer|mitglieds nr|spieler id|zps|pkz|licence|numero de licence|n licence"
    "|code ffe|licencia|n licencia|codigo|codigo fide|tessera|codice fide|lidnummer|relatienummer|bondsnummer|codice|id jogador"
    "|identifiant|id cbx|nr fide|numer fide|knsb nummer|фиде id|id jugador|id joueur|licencja|numer licencji|kod fide|id фиде|код фиде|номер фиде|код|uscf id|member id|membership number|id no",
    "title": "ttl|titles|fidetitle|fidetitel|звание фиде|title|tit|titel|fide title|fide titel|titre|titulo|titolo|tytul|tytul fide|титул|звание",
    "federation": "nazione|фед|nationalitat|nationalite|nacionalidad|nazionalita|nationaliteit|nacionalidade|narodowosc|staat|ctry|country code|nation code|federations|federation|fed|fide federation|land|verband|nation|nat|country|nationality|pays|federacion|pais|federazione|paese"
    "|fede|federatie|bond|federacao|federacja|kraj|федерация|страна|foderation",
    "birth": "d o b|b year|byear|ne e le|ne le|nee le|ne|date naiss|date de naiss|annee naiss|ann naiss|ano nac|fecha nac|fecha de nac|nato il|nato|data nasc|data di nasc|anno nasc|ano nasc|geb jaar|gebjaar|geb datum|gebjahr|д р|г рожд|birth yr|yr of birth|date birth|geburtsj|birth|born|geboren|birthday|birthdate|birth date|birth year|birthyear|b day|bday|date of birth|year of birth|dob|yob|geburt"
    "|geburtsjahr|geburtsdatum|geburtstag|geb|geb datum|geb jahr|gebdat|jahrgang|jg|naissance|annee naissance|annee de naissance"
    "|date naissance|date de naissance|nacimiento|fecha nacimiento|fecha de nacimiento|ano nacimiento|ano de nacimiento|nascita|data nascita"
    "|data di nascita|anno nascita|anno di nascita|geboorte|geboortejaar|geboortedatum|nascimento|ano nascimento|ano de nascimento"
    "|data nascimento|data de nascimento|f nac|f nacimiento|ne en|nee en|ne e en|rok ur|data ur|дата рожд|год рожд|рожд|rok urodzenia|data urodzenia|urodzony|рождение|год рождения|дата рождения|г р",
    "sex": "m w d|geschl|h f|m v|genere|k m|м ж|sex|gender|geschlecht|sexe|genre|sexo|genero|sesso|geslacht|plec|пол|m w|m f",
    "result": "winner|sieger|gewinner|vainqueur|gagnant|ganador|vincitore|winnaar|vencedor|zwyciezca|победитель|esito|uitsl|rezultat|rezult|wyn|исход|рез т|ausgang|marcador|ergebn|ergeb|partieergebnis|spielergebnis|einzelergebnis|game result|final result|resultado final|wynik gry|итоговый результат|result|results|res|outcome|ergebnis|erg|resultat|resultado|rdo|risultato|ris|uitslag|resultaat|wynik|результат|рез|счет|итог|result w|risultato partita",
    "score": "score|white score",
    "points": "points|total|tot|ptos|punteggio|suma|summe|somme|totale|сумма|pts|punkte|pkt|puntos|punti|punten|pontos|punkty|очки|точки|partiepunkte",
    "date": "played|date played|jour|jouee le|gespielt am|gespielt|am|giocata il|gespeeld op|speeldatum|dzien|день|jugada el|fecha juego|utc date|start date|когда|date|game date|datum|datum partie|spieldatum|partiedatum|date partie|date of game|played on|when|spieltag datum|fecha|data|data partii|дата|day|tag|dia|giorno|dag",
    "round": "тура|rundy|runden|rod|rond|rondenr|rundennr|rundennummer|rundenr|round|rd|rnd|round number|round no|runde|rde|rnde|ronde|no ronde|numero ronde|ronda|rda|n ronda|turno|turno n|rodada|runda|тур|раунд|круг|tour|manche|jornada|spieltag|kolejka",
    "board": "board|bd|bo|brett|br|tisch|echiquier|ech|table|tablero|tab|mesa|scacchiera|bord|tabuleiro|szachownica|доска|стол",
    "event": "turnieju|турнира|tourney|league|liga|prueba|competitie|competicao|competizione|gara|prova|лига|первенство|чемпионат|championship|meisterschaft|championnat|campeonato|campionato|kampioenschap|mistrzostwa|cup|pokal|event|event name|tournament|tournament name|turnier|turniername|veranstaltung|wettkampf|tournoi|nom tournoi|torneo|competicion"
    "|evento|toernooi|torneio|turniej|турнир|соревнование|событие|wettbewerb|competition|epreuve|zawody|impreza|wydarzenie|evenement",
    "site": "site|place|venue|city|ort|spielort|lieu|ville|lugar|ciudad|luogo|citta|plaats|local|cidade|miejsce|miasto|место|город",
    "games": "games|gms|number of games|partien|anzahl partien|parties|nb parties|partidas|partite|partijen|jogos|partie|liczba partii|parties jouees|partidas jugadas|partidas jogadas|partite giocate|aantal partijen|n de jogos|no de jogos|number games|партии|партий|количество партий|кол во партий",
    "total_games": "total games|career games|games played|partien gesamt|gesamtpartien",
    "k": "k|k factor|kfactor|k faktor",
}
_FIELD_OF = {words: field for field, texts in _FIELDS.items() for words in texts.split("|")}
_RESULT_WORDS = {
    "en": "result results res outcome score",
    "de": "ergebnis erg",
    "de fr": "resultat",
    "es pt": "resultado",
    "es": "rdo",
    "it": "risultato ris",
    "nl": "uitslag resultaat",
    "pl": "wynik",
    "ru": "результат рез итог",
}
_RESULT_LANGUAGES = {
    word: tuple(languages.split()) for languages, words in _RESULT_WORDS.items() for word in words.split()
}
_SIDE_LANGUAGES = {
    "en": {"white", "whites"},
    "de": {"weiss", "weisser", "weissspieler"},
    "fr": {"blanc", "blancs"},
    "es": {"blancas", "blanca"},
    "it": {"bianco", "bianchi"},
    "nl": {"wit", "witspeler"},
    "pt": {"brancas", "branca"},
    "pl": {"biale", "bialy", "bialych"},
    "ru": {"белые", "белыи", "белых"},
}
_NAMES = ("surname", "name", "forename")
_SIDED = ("name", "rating", "id", "title", "federation", "birth", "surname", "forename")
_LITTLE_TEXT = (
    "of the der des de du del di della do da dos das la las le les los il el lo al a van von for with con com mit avec met "
    "s u у grajacy"
)
_LITTLE = frozenset(_LITTLE_TEXT.split())
_EXTRAS = {
    field: frozenset(words.split())
    for fields, words in (
        ("round board", "n o no nr num numer nummer numero number номер"),
        (
            "result date",
            "game match partie partien partii partij partida partita jogo spiel wedstrijd gioco gry партии игры",
        ),
        ("event", "name nom nombre nome naam nazwa название bezeichnung"),
        ("rating title id", "fide фиде knsb dsb ffe feda fsi national international"),
    )
    for field in fields.split()
}
"""Words that add nothing to a heading of some fields: the number of the round, the date of the game, the FIDE rating."""


def plain_words(text: str) -> tuple[str, ...]:
    """Return the words of a heading in small letters without accents; ``WhiteElo`` has two.

    Examples
    --------
    >>> plain_words("Elo-Weiß"), plain_words("WhiteFideId"), plain_words("Рейтинг чёрных")
    (('elo', 'weiss'), ('white', 'fide', 'id'), ('реитинг', 'черных'))
    """
    text = re.sub(r"(?<=[a-zß-ÿ0-9])(?=[A-Z][a-z])", " ", text.strip())
    plain = unicodedata.normalize("NFKD", text).replace("ł", "l").replace("Ł", "L").casefold()
    plain = "".join(c for c in plain if not unicodedata.combining(c))
    return tuple(re.findall(r"[^\W_]+", plain))


_FIELD_OF = {" ".join(plain_words(words)): field for words, field in _FIELD_OF.items()}
_SIDES = {plain_words(word)[0]: side for side, words in _SIDE_WORDS.items() for word in words.split()}


def side_of(word: str) -> Side | None:
    """Return whose side a word of `plain_words` speaks of: ``weiss``, ``noirs``, ``белых``."""
    return _SIDES.get(word)


def heading(text: str, initials: Mapping[str, Side] | None = None) -> Heading | None:  # noqa: PLR0911 - one a way of writing
    """Return what a heading means, None where this module does not know it.

    Parameters
    ----------
    initials
        What single letters beside a field mean; W is White and B Black unless the table says otherwise.

    Examples
    --------
    >>> heading("Weiß"), heading("Elo Schwarz"), heading("Résultat"), heading("Тур")
    (Heading(field='name', side='white'), Heading(field='rating', side='black'), Heading(field='result', side=None), Heading(field='round', side=None))
    """
    words = [*plain_words(text)]
    if field := _FIELD_OF.get(" ".join(words)):
        return Heading(field)
    side = next((_SIDES[w] for w in words if w in _SIDES), None)
    if side is not None:
        words = [w for w in words if w not in _SIDES]
    elif len(words) > 1:
        side = next((_NUMBERED[w] for w in words if w in _NUMBERED), None)
        words = [w for w in words if w not in _NUMBERED] if side else words
    elif words and words[0] in _NUMBERED and not words[0].isdecimal():
        return Heading("name", _NUMBERED[words[0]])
    elif words and (numbered := re.fullmatch(r"(\D+)([12])", words[0])):
        words, side = [numbered[1]], _NUMBERED[numbered[2]]
        return Heading("name", side) if _FIELD_OF.get(words[0]) == "name" else None
    if side is None and (initialled := _initialled(words, initials or _INITIALS)):
        return initialled
    if side is not None and not words:
        return Heading("name", side)
    field = _field_of(words)
    if field is None and "(" in text:
        return heading(re.sub(r"\([^)]*\)?", " ", text), initials)
    if field is not None:
        return Heading(field, side)
    return Heading("name", side) if side and not set(words) - _LITTLE else None


def _field_of(words: Sequence[str]) -> str | None:
    """Return the field of which some words speak, with or without words that add nothing."""
    plain = [word for word in words if word not in _LITTLE]
    for kept in (words, plain):
        if field := _FIELD_OF.get(" ".join(kept)):
            return field
    for field, extras in _EXTRAS.items():
        if _FIELD_OF.get(" ".join(word for word in plain if word not in extras)) == field:
            return field
    return None


def _initialled(words: Sequence[str], initials: Mapping[str, Side]) -> Heading | None:
    """Return what ``W Elo``, ``BElo`` or ``Rating W`` speaks of: W and B count only beside a field."""
    if len(words) == 1 and words[0][:1] in initials:
        words = [words[0][0], words[0][1:]]
    for initial, rest in ((words[0], words[1:]), (words[-1], words[:-1])) if words else ():
        field = _FIELD_OF.get(" ".join(rest))
        if initial in initials and field in (*_SIDED[1:], "points", "score", "result"):
            return Heading(field, initials[initial])
    return None


def _initials(found: Sequence[str]) -> Mapping[str, Side]:
    """Return what single letters mean beside the headings of a table: B is Blancas where Negras is beside it."""
    first: dict[Side, str] = {}
    for name in found:
        spoken = heading(name)
        if spoken and spoken.field in _NAMES and spoken.side:
            word = next((w for w in plain_words(name) if w in _SIDES), "")
            first.setdefault(spoken.side, word[:1])
    if not first:
        letters = {name.strip().strip(".").casefold() for name in found}
        pair = next((pair for pair in _PAIRS if set(pair) <= letters), "wb")
        first = {"white": pair[0], "black": pair[1]}
    return {letter: side for side, letter in first.items() if letter} or _INITIALS


def languages_of(*texts: str) -> tuple[str, ...]:
    """Return the languages in which the heading of White, else that of the results, is written."""
    words = [word for text in texts for word in plain_words(text)]
    of_sides = [language for word in words for language, known in _SIDE_LANGUAGES.items() if word in known]
    return tuple(of_sides[:1]) or next((_RESULT_LANGUAGES[w] for w in words if w in _RESULT_LANGUAGES), ())


# The column names of tables of games, and what other people call them.

COLUMNS = {
    "white": "name of White",
    "black": "name of Black",
    "score": "White's share of the point, 0 to 1",
    "result": "or the result: 1-0, 0-1, 1/2-1/2, *, +/-, -/+, or White's score",
    "date": "YYYY-MM-DD, YYYY.MM.DD, YYYY-MM or YYYY",
    "month": "or the number of the month, counted from 1, where there are no dates (Kaggle's contests)",
    "event": "name of the event",
    "site": "where it was played",
    "round": "round, or round.board",
    "white_forename": "White's first name, where `white` is the surname",
    "black_forename": "Black's first name",
    "white_rating": "White's rating at the time",
    "black_rating": "Black's rating at the time",
    "white_id": "White's id (FIDE's, a federation's, …)",
    "black_id": "Black's id",
    "white_title": "White's title",
    "black_title": "Black's title",
    "white_federation": "White's federation",
    "black_federation": "Black's federation",
    "white_birth": "White's birth: YYYY, YYYY-MM or YYYY-MM-DD (FIDE's junior rule goes by it)",
    "black_birth": "Black's birth",
    "white_goals": "or what each side scored: more wins (football, go, …)",
    "black_goals": "what Black scored",
    "black_score": "Black's share, where the point was not shared out whole (0-0)",
    "precision": "how much of the date is known: day, month or year",
    "status": "played, unrated, forfeit, bye or unplayed",
    "plies": "half-moves played",
    "variant": "chess if empty; others are left out of ratings",
    "time_control": "standard, rapid, blitz or seconds (300+3)",
    "rated": "no for a casual game",
}
"""The documented columns; `white`, `black` and one of `score`, `result` or both goals are needed."""
_OTHER_TEXT = (
    "white_player white white_name white player_1 white home_team white black_player black black_name black player_2 black "
    "away_team black home_score white_goals away_score black_goals month_id month white_score score outcome result "
    "game_date date utc_date date tournament event rd round ply_count plies plycount plies timecontrol time_control"
)
_OTHER_NAMES = _OTHER_TEXT.split()
ALIASES = dict(zip(_OTHER_NAMES[::2], _OTHER_NAMES[1::2], strict=True)) | {
    f"{side}_{theirs}": f"{side}_{ours}"
    for side in ("white", "black")
    for theirs, ours in (("elo", "rating"), ("fide_id", "id"), ("fideid", "id"), ("fed", "federation"))
}
_ALONE = ("result", "score", "date", "round", "event", "site")
_OUTCOMES = frozenset({"score", "result", "white_goals", "black_goals"})


class HeadingsError(InputError):
    """The headings of a table do not say which column is what.

    Parameters
    ----------
    found
        The headings.
    missing
        Columns of ours that no heading speaks of.
    choices
        Columns of ours that several headings speak of, with these.
    proposal
        Which of the headings each of our columns may be: a whole mapping, to be confirmed or changed.
    """

    def __init__(
        self,
        *,
        file: str | None,
        line: int | None = None,
        found: Sequence[str],
        missing: Sequence[str] = (),
        choices: Mapping[str, Sequence[str]] | None = None,
        proposal: Mapping[str, str] | None = None,
    ) -> None:
        self.found = tuple(found)
        self.missing = tuple(missing)
        self.choices = {ours: tuple(theirs) for ours, theirs in (choices or {}).items()}
        self.proposal = dict(proposal or {})
        if self.choices:
            ours, theirs = next(iter(self.choices.items()))
            why = f"expected one column for {ours}, found {', '.join(map(repr, theirs))}: choose one"
        else:
            wanted = " and ".join(self.missing)
            why = f"expected a column for {wanted}; found {', '.join(found) or 'no columns'}"
        super().__init__(why, file=file, line=line)


def own_names(headings: Iterable[str | None]) -> list[str]:
    """Give every column a name of its own: ``Elo, Elo`` become ``Elo, Elo (2)``; one without, its number."""
    names: list[str] = []
    for at, given in enumerate(headings, start=1):
        name = (given or "").strip() or f"column {at}"
        count = 1
        while name in names:
            count += 1
            name = f"{(given or '').strip()} ({count})"
        names.append(name)
    return names


def resolve(found: Iterable[str], asked: Mapping[str, str] | None, file: str) -> dict[str, str]:
    """Return which of the `found` columns is what: ``{ours: theirs}``.

    Parameters
    ----------
    asked
        What the caller says; it comes before any guess.
    """
    found = list(found)
    mapping: dict[str, str] = {}
    for ours, theirs in (asked or {}).items():
        if ours not in COLUMNS:
            raise UsageError(f"columns: expected one of {', '.join(COLUMNS)}; found {ours!r}")
        if theirs not in found:
            raise UsageError(f"columns: {file} has no column {theirs!r}; it has {', '.join(found)}")
        mapping[ours] = theirs
    # An outcome that the caller names is the outcome: do not look for another one beside it.
    settled = set(mapping) | (_OUTCOMES if _OUTCOMES & set(mapping) else set())
    for theirs in found:
        name = _plain(theirs)
        ours = ALIASES.get(name, name)
        if ours in COLUMNS and ours not in settled and ours not in mapping:
            mapping[ours] = theirs
    options = _by_heading([name for name in found if name not in mapping.values()], settled, mapping)
    mapping.update({ours: theirs[0] for ours, theirs in options.items()})
    if "score" in mapping:
        mapping.pop("result", None)
    # A month beside a year is one of twelve; alone it is counted from the first.
    if "month" not in (asked or {}) and ("date" in mapping or "year" in map(_plain, found)):
        mapping.pop("month", None)
    mapping = {ours: mapping[ours] for ours in COLUMNS if ours in mapping}
    mapping |= {} if asked else _between(found, mapping)
    missing = _missing(mapping)
    if missing:
        raise HeadingsError(
            file=file, found=found, missing=missing, proposal=_proposal(found, mapping, missing)
        )
    several = {ours: theirs for ours, theirs in options.items() if len(theirs) > 1 and ours in mapping}
    if several:
        raise HeadingsError(file=file, found=found, choices=several, proposal=mapping)
    return mapping


def _between(found: Sequence[str], mapping: Mapping[str, str]) -> dict[str, str]:
    """Return the column without a heading between White and Black as that of the results, if there is no other."""
    if _missing(mapping) != ["result"] or any(re.fullmatch(r"[\d.,]+", name) for name in found):
        return {}
    low, high = sorted(found.index(mapping[side]) for side in ("white", "black"))
    between = found[low + 1 : high]
    return {"result": between[0]} if len(between) == 1 and between[0].startswith("column ") else {}


def _missing(mapping: Mapping[str, str]) -> list[str]:
    missing = [side for side in ("white", "black") if side not in mapping]
    if not ({"score", "result"} & set(mapping) or {"white_goals", "black_goals"} <= set(mapping)):
        missing.append("result")
    return missing


def _by_heading(found: Sequence[str], settled: set[str], mapping: Mapping[str, str]) -> dict[str, list[str]]:  # noqa: C901, PLR0912
    """Return which headings, as people write them, speak of which columns that are not found yet."""
    options: dict[str, list[str]] = defaultdict(list)
    sideless: dict[str, list[str]] = defaultdict(list)
    points: dict[str, list[str]] = defaultdict(list)
    initials = _initials([*found, *mapping.values()])
    for theirs in found:
        spoken = heading(re.sub(r" \(\d+\)$", "", theirs), initials)
        if spoken is None:
            continue
        if spoken.field in _SIDED and spoken.side:
            options[_sided(spoken)].append(theirs)
        elif spoken.field in _SIDED:
            sideless[spoken.field].append(theirs)
        elif spoken.field == "round" and "round" in mapping:  # a match day beside the round is a day
            options["date"].append(theirs)
        elif spoken.field in _ALONE and spoken.side is None:
            options[spoken.field].append(theirs)
        elif spoken.field in ("points", "result", "score") and spoken.side:
            points[spoken.side].append(theirs)
    for field, both in sideless.items():
        if len(both) == 2 and _once(both):
            for ours, name in zip(
                (_sided(Heading(field, "white")), _sided(Heading(field, "black"))), both, strict=True
            ):
                if ours not in options:
                    options[ours].append(name)
    letters = {name.strip().strip(".").casefold(): name for name in found}
    for white, black in map(tuple, _PAIRS):
        if {white, black} <= set(letters) and not {"white", "black"} & {*options, *mapping}:
            options |= {"white": [letters[white]], "black": [letters[black]]}
    if not ({"result", "score"} & {*options, *mapping}) and len(points["white"]) == 1:
        options["score"] = points["white"]
        options["black_score"] = points["black"][:1]
    for side in ("white", "black"):
        parts = {field: options.pop(_sided(Heading(field, side)), []) for field in _NAMES}
        last, first = name_and_forename(parts)
        options |= {side: parts[last] if last else [], f"{side}_forename": parts[first] if first else []}
    return {
        ours: theirs
        for ours, theirs in options.items()
        if theirs and ours not in mapping and ours not in settled
    }


def name_and_forename(fields: Mapping[str, Sequence[str]]) -> tuple[str | None, str | None]:
    """Return in which fields the names of players stand, and their first names if these have a column of their own.

    A column of names beside one of surnames has the first names: ``Apellidos, Nombre``.
    """
    given = [field for field in _NAMES if fields.get(field)]
    return given[0] if given else None, given[1] if len(given) > 1 else None


def _once(theirs: Sequence[str]) -> bool:
    """Say whether two headings are the same words, the second numbered by `own_names`."""
    return theirs[1] == f"{theirs[0]} (2)"


def _sided(spoken: Heading) -> str:
    return f"{spoken.side}" if spoken.field == "name" else f"{spoken.side}_{spoken.field}"


def _proposal(found: Sequence[str], mapping: Mapping[str, str], missing: Sequence[str]) -> dict[str, str]:
    """Return a whole mapping: what is known, and for what is missing the likeliest column that is left."""
    left = [name for name in found if name not in mapping.values()]
    spoken = {name: heading(name) for name in left}
    likely = {"white": ("name", "opponent"), "black": ("opponent", "name"), "result": ("points", "score")}
    proposal = dict(mapping)
    for ours in missing:
        fields = likely[ours]
        best = next((n for f in fields for n in left if (h := spoken[n]) and h.field == f), None)
        best = best or next((n for n in left if spoken[n] is None), left[0] if left else None)
        if best is not None:
            proposal[ours] = best
            left.remove(best)
    return proposal


def _plain(name: str) -> str:
    """``WhiteElo``, ``White Elo`` and ``white-elo`` are all ``white_elo``."""
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name.strip())
    return re.sub(r"[^0-9a-z]+", "_", words.lower()).strip("_")
