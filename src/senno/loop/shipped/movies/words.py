"""What a request says outright, in English or in Italian: how many, which years, genres, countries, people."""

import re

from senno.text import folded

from .catalogue import catalogue
from .fit import WORDS

_THINGS = "|".join((*WORDS["films"], *(word for genre in WORDS["genres"].values() for word in genre)))
# Not the decade in "anni 40", nor the "una" of "una dozzina".
_NUMBER = rf"(?<!anni )(?<!\d )({'|'.join((chr(92) + 'd{1,3}', *WORDS['numbers']))})(?!\d| dozzina| couple)"
_YEAR = r"(1[89]\d\d|20\d\d)"


def language_of(text: str) -> str:
    """`it` or `en`: by the common words of each language, and where these say nothing by the catalogue's words."""
    words = folded(text[:20_000]).split()
    score = {code: sum(w in {folded(s) for s in stop} for w in words) for code, stop in WORDS["stop"].items()}
    if score["it"] == score["en"]:
        score = {code: sum(w in catalogue().words(code) for w in words) for code in score}
    return "it" if score["it"] > score["en"] else "en"


def number(text: str) -> int | None:
    """How many films are asked for: the number before the word for films, or else one that stands alone."""
    plain = folded(text[:2000])
    before = re.findall(rf"\b{_NUMBER}\b(?=(?:\s+(?!\d)\w+){{0,3}}?\s+(?:{_THINGS})\b)", plain)
    # "Film con Sophia Loren, 4": but "un" and "one" alone are articles and pronouns.
    alone = [w for w in re.findall(rf"\b{_NUMBER}\b", plain) if w not in {"un", "uno", "una", "one"}]
    for word in [*before[-1:], *alone[-1:]]:
        return int(word) if word.isdigit() else WORDS["numbers"][word]
    return None


def period(text: str) -> tuple[int | None, int | None]:
    """The years asked for, first and last; `None` where there is no bound."""
    plain = folded(text)
    span = re.search(rf"{_YEAR}\s*(?:and the|and|to|e il|e|al|a|until|fino al)?\s*{_YEAR}\b", plain)
    if span:
        return int(span.group(1)), int(span.group(2))
    decade = _decade(plain)
    if decade:
        return decade, decade + 9
    for words, which in (
        (r"before|prima del|until|entro il|fino al", "end"),
        (r"after|since|dopo il|dal|from", "start"),
    ):
        bound = re.search(rf"\b(?:{words})\s+{_YEAR}\b", plain)
        if bound:
            year = int(bound.group(1))
            strict = bound.group(0).startswith(("before", "prima", "after", "dopo"))
            return (None, year - strict) if which == "end" else (year + strict, None)
    one = re.search(rf"\b(?:in|nel|del|of|from)\s+{_YEAR}\b", plain)
    return (int(one.group(1)), int(one.group(1))) if one else (None, None)


def _decade(plain: str) -> int | None:
    found = re.search(r"\b(?:(1[89]|20)?(\d0)s|anni (?:(1[89]|20))?(\d0))\b", plain)
    if found:
        century, tens = found.group(1) or found.group(3), int(found.group(2) or found.group(4))
        return int(century or (19 if tens >= 30 else 20)) * 100 + tens
    named = re.search(rf"\b(?:anni )?({'|'.join(WORDS['decades'])})\b", plain)
    # "venti film" are twenty films; "anni venti" the twenties.
    if named and ("anni " in named.group(0) or named.group(1).endswith("ies")):
        return WORDS["decades"][named.group(1)]
    return None


def genres(text: str) -> dict[str, list[str]]:
    """Genres named in a text, each with the words that name it."""
    plain = re.sub(r"\b(science fiction|sci fi)\b", "scifi", folded(text))
    # "war films" are a genre; "war" alone may be a theme.
    found = _listed(re.sub(r"\b(war (films?|movies?)|film (di|sulla) guerra)\b", "warfilm", plain), WORDS["genres"])
    if "war" in found:
        found["war"].append("guerra")
    return found


def countries(text: str) -> dict[str, list[str]]:
    """Countries named in a text, each with the words that name it."""
    plain = folded(text)
    for two in ("hong kong", "new zealand", "south africa"):
        plain = plain.replace(two, two.replace(" ", ""))
    return _listed(plain, WORDS["countries"])


def _listed(plain: str, table: dict[str, list[str]]) -> dict[str, list[str]]:
    words = plain.split()
    apart = {name: [w for w in words if w in spelt] for name, spelt in table.items()}
    return {name: [*found, *name.lower().split()] for name, found in apart.items() if found}


def people(text: str) -> dict[str, list[str]]:
    """People of the catalogue named in a text: by full name, or by a capitalised surname after "by", "with", "di", …"""
    plain = f" {folded(text[:20_000])} "
    said = r"(?:by|with|of|from|di|con|da|del|and|e|starring)"
    full = {key: name for key, name in catalogue().people.items() if " " in key and f" {key} " in plain}
    # "films by David Lean", not "that feel like David Bowie".
    found = {name: key.split() for key, name in full.items() if re.search(rf"\b{said} {key}\b", plain)}
    surnames = re.findall(r"\b(?:by|with|of|from|di|con|da|del|and|e)\s+([A-ZÀ-Ý][\w'-]{3,})", text[:20_000])
    for surname in map(folded, surnames):
        bearers = [name for key, name in catalogue().people.items() if key.split()[-1] == surname]
        # A surname that several people bear names nobody.
        if len(bearers) == 1 and bearers[0] not in found:
            found[bearers[0]] = [surname]
    return found
