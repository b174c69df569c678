"""What an importer finds: drafts with ids of their own, and rows that are none."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Any, cast

from senno.errors import FileFormatError
from senno.files import read_text
from senno.lessons.lesson import NOT_RECORDED, Draft, Language


@dataclass(frozen=True, slots=True)
class Bad:
    """A row, or a file, that gave no draft."""

    where: str
    """The file, and the line or the item."""
    problem: str

    def __str__(self) -> str:
        return f"{self.where}: {self.problem}"


Found = Draft | Bad


class Unusable(Exception):
    """A row is no lesson; the message says what was expected."""


def made_id(*parts: str) -> str:
    """The id of a lesson that has none where it comes from: the same for the same content."""
    data = "\0".join(parts).encode("utf-8", "backslashreplace")
    return f"import-{blake2b(data, digest_size=10).hexdigest()}"


_SENTENCE = re.compile(r"(?<=[.!?])\s+")
_DIRECTIVE = re.compile(
    r"\b(?:should|must|need to|needs to|have to|next (?:time|trial|attempt)|in (?:the )?future|i will|i'll|to fix|"
    r"ensure|make sure|instead|always|never|avoid|remember|dovrei|dovrebbe|bisogna|devo|la prossima volta|in futuro|"
    r"invece|sempre|mai|evitare|assicurar)",
    re.IGNORECASE,
)


def parted(text: str, language: Language = "en") -> tuple[str, str, str]:
    """What, why and rule of one free text, in its own words: from the first sentence that says what to do, the rule.

    What the text does not tell apart is said to be not recorded.
    """
    sentences = [sentence for sentence in _SENTENCE.split(text.strip()) if sentence.strip()]
    first = next((i for i, sentence in enumerate(sentences) if _DIRECTIVE.search(sentence)), None)
    what, why = NOT_RECORDED[language]
    if not first:
        return what, why, text.strip()
    return what, " ".join(sentences[:first]), " ".join(sentences[first:])


def json_of(text: str) -> Any:
    """A JSON value.

    Raises:
        Unusable: it is none.
    """
    try:
        return json.loads(text)
    except ValueError as error:
        raise Unusable(f"no JSON ({error})") from None
    except RecursionError:
        raise Unusable("nested too deeply") from None


def rows(file: Path) -> Iterator[tuple[str, dict[str, Any] | Bad]]:
    """The objects of a file of JSON Lines, each with its place. Lines end with a line feed alone: U+2028 is text."""
    try:
        text = read_text(file)
    except FileFormatError as error:
        yield str(file), Bad(str(file), str(error))
        return
    for number, line in enumerate(text.split("\n"), 1):
        where = f"{file}:{number}"
        if not line.strip():
            continue
        try:
            value = json_of(line)
            if not isinstance(value, dict):
                raise Unusable(f"found {type(value).__name__}; expected an object")
        except Unusable as error:
            yield where, Bad(where, str(error))
        else:
            yield where, cast("dict[str, Any]", value)


def text_of(row: dict[str, Any], *keys: str) -> str:
    """The first of these keys that holds text; empty: none does."""
    return next((row[key] for key in keys if isinstance(row.get(key), str) and row[key].strip()), "")
