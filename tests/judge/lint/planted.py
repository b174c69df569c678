"""The planted set: for each rule and language questions with the defect, and near misses without it.

`planted.json` has, for each, a text (a noul with neutral criteria), a question, or `{"q": …, "state": …, "others":
[ids of other questions], "twin": another question}`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

_NEUTRAL = {
    "en": ("So it is, by what the text says there.", "It is otherwise, by what the text says."),
    "it": ("È così, per ciò che il testo dice lì.", "È altrimenti, per ciò che il testo dice."),
}


class Planted(NamedTuple):
    rule: str
    language: str
    defect: bool
    """Whether the rule must fire; else it must not."""
    request: dict[str, Any]
    """A System One request; the question is `q`."""


def planted() -> Iterator[Planted]:
    """Every entry of the set."""
    entries = json.loads(Path(__file__).with_name("planted.json").read_text(encoding="utf-8"))
    for rule, languages in entries.items():
        for language, kinds in languages.items():
            for kind, questions in kinds.items():
                for entry in questions:
                    yield Planted(rule, language, kind == "found", _request(entry, language))


def _request(entry: Any, language: str) -> dict[str, Any]:
    whole = entry if isinstance(entry, dict) and "q" in entry else {"q": entry}
    questions = {"q": _question(whole["q"], language)}
    if "twin" in whole:
        questions["twin"] = _question(whole["twin"], language)
    for name in whole.get("others", ()):
        questions[name] = _question("Unrelated" + name if language == "en" else "Altro" + name, language)
    return {"state": whole.get("state", {"text": "…"}), "questions": questions}


def _question(question: Any, language: str) -> dict[str, Any]:
    if isinstance(question, dict):
        return question
    true, false = _NEUTRAL[language]
    return {"type": "noul", "instructions": question, "criteria": {"true": true, "false": false}}
