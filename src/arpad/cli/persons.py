"""Who is who: years of birth and other spellings, bundled or from files."""

from __future__ import annotations

__all__ = ["persons"]


def persons(
    masters: bool, names: str | None, births: str | None = None
) -> tuple[dict[str, float], dict[str, str]]:
    """Return years of birth, and one name for another.

    Parameters
    ----------
    masters
        Whether the bundled list of masters is taken.
    names, births
        Files of one's own; they go before the bundled list.
    """
    from importlib.resources import as_file, files

    from arpad.read.named import named_numbers, named_texts

    born: dict[str, float] = {}
    spelled: dict[str, str] = {}
    if masters:
        room = files("arpad") / "samples"
        with as_file(room / "masters.csv") as one, as_file(room / "master-names.csv") as two:
            born, spelled = named_numbers(str(one), ["birth"]), named_texts(str(two), ["person"])
    if births:
        born |= named_numbers(births, ["birth", "born", "birthday"], year=True)
    if names:
        spelled |= named_texts(names, ["person"])
    return born, spelled
